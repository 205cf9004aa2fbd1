// SPDX-License-Identifier: GPL-2.0-only
/*
 * The boot, and the load of the module, to which a stream belongs
 *
 * The kernel exposes its boot id only through a file. The process that loads the module reads this
 * file, if /proc is mounted there. If devtrace is part of the kernel's image, no process loads it:
 * then the first process that opens the device reads the file. The number of a load is random,
 * because a module cannot know how often it was loaded before.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/err.h>
#include <linux/fs.h>
#include <linux/init.h>
#include <linux/kernel.h>
#include <linux/mutex.h>
#include <linux/random.h>
#include <linux/string.h>
#include <linux/uuid.h>

#include "boot_id.h"

#define BOOT_ID	"/proc/sys/kernel/random/boot_id"

struct boot_id devtrace_boot_id;

/* Read the kernel's boot id; return false on failure. */
static bool read_boot_id(u8 *boot)
{
	char text[UUID_STRING_LEN + 1] = "";
	struct file *f;
	loff_t pos = 0;
	ssize_t n;
	uuid_t id;

	f = filp_open(BOOT_ID, O_RDONLY, 0);
	if (IS_ERR(f))
		return false;
	n = kernel_read(f, text, UUID_STRING_LEN, &pos);
	filp_close(f, NULL);
	if (n != UUID_STRING_LEN || uuid_parse(text, &id))
		return false;
	export_uuid(boot, &id);
	return true;
}

static void boot_id_complete(void)
{
	devtrace_boot_id.random = !read_boot_id(devtrace_boot_id.boot);
	if (devtrace_boot_id.random)
		pr_info("%s cannot be read: streams have a random boot id\n", BOOT_ID);
}

#if IS_BUILTIN(CONFIG_DEVTRACE)
static DEFINE_MUTEX(complete_lock);
static bool completed;

/* Complete the numbers. Called before each open of the device. Context: process. */
void boot_id_opened(void)
{
	mutex_lock(&complete_lock);
	if (!completed) {
		/* Random numbers of the early boot are not good enough for a secret key. */
		get_random_bytes(&devtrace_boot_id.key, sizeof(devtrace_boot_id.key));
		boot_id_complete();
	}
	completed = true;
	mutex_unlock(&complete_lock);
}
#endif

/* Determine the boot and load numbers. Context: the process that loads the module. */
void __init boot_id_init(void)
{
	do
		get_random_bytes(&devtrace_boot_id.load, sizeof(devtrace_boot_id.load));
	while (!devtrace_boot_id.load);
	get_random_bytes(devtrace_boot_id.boot, sizeof(devtrace_boot_id.boot));
	get_random_bytes(&devtrace_boot_id.key, sizeof(devtrace_boot_id.key));
	devtrace_boot_id.random = true;
	if (!IS_BUILTIN(CONFIG_DEVTRACE))
		boot_id_complete();
}

// SPDX-License-Identifier: GPL-2.0-only
/*
 * Module parameters; start and end
 *
 * A module starts at once: devtrace_init(). In the kernel's image, main_begin() runs as one of the
 * first initcalls, so that the events of all later ones are recorded, and main_open() runs when
 * the kernel has devices.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/bitmap.h>
#include <linux/gfp.h>
#include <linux/kernel.h>
#include <linux/module.h>
#include <linux/uidgid.h>
#include <linux/vmalloc.h>

#include "manage/filter_policy.h"
#include "manage/stream.h"
#include "control/control.h"
#include "emit/counts.h"
#include "emit/dict.h"
#include "emit/named.h"
#include "emit/emit_user.h"
#include "emit/link.h"
#include "emit/proc.h"
#include "emit/slots.h"
#include "lane/lane.h"
#include "lane/lane_share.h"
#include "lane/lane_wake.h"
#include "lane/slot.h"
#include "read/boot_id.h"
#include "read/cdev.h"
#include "ring/clock.h"
#include "ring/ring_memory.h"
#include "ring/size.h"
#include "stream/rings.h"
#include "stream/wake.h"

static struct devtrace_control *devtrace_control;
/* Bytes of ring for each CPU; 0 until main_begin() has succeeded */
static unsigned long ring_bytes;

#define SIZE_DEFAULT	"256K"
static char *size = SIZE_DEFAULT;
module_param(size, charp, 0444);
MODULE_PARM_DESC(size, "bytes of ring per CPU, 1K-2G (default 256K)");

static unsigned int mode = 0660;
module_param(mode, uint, 0444);
MODULE_PARM_DESC(mode, "access mode of /dev/trace (default 0660)");

static unsigned int gid;
module_param(gid, uint, 0444);
MODULE_PARM_DESC(gid, "group of /dev/trace (default 0)");

static unsigned int names = 4096;
module_param(names, uint, 0444);
MODULE_PARM_DESC(names, "limit of the number of dictionary names (default 4096)");

/* Start value of counters. In modules built for tests, a parameter sets it close to the wrap. */
static unsigned int start;
#ifdef DEVTRACE_TEST_START
module_param(start, uint, 0444);
MODULE_PARM_DESC(start, "where counters begin");
#endif

static struct devtrace_cdev_config node_config;

static int parse_size(unsigned long *bytes)
{
	u64 want;
	int err;

	/* Escape newlines, so that none starts a new line of the log. */
	err = devtrace_size_parse(size, &want);
	*bytes = err ? 0 : ring_size_round(want);
	if (!*bytes) {
		pr_err("size=%*pE: not a number of bytes from 1K to 2G; write for example 65536, 64K or 1M\n",
		       (int)strnlen(size, PAGE_SIZE), size);
		return -EINVAL;
	}
	if (*bytes != want)
		pr_info("size=%s: rounded up to %lu bytes per CPU\n", size, *bytes);
	return 0;
}

static int parse_config(void)
{
	if (mode & ~0777) {
		pr_err("mode=0%o: only the nine permission bits can be set, as in mode=0660\n",
		       mode);
		return -EINVAL;
	}
	node_config.uid = GLOBAL_ROOT_UID;
	node_config.gid = KGIDT_INIT(gid);
	if (!gid_valid(node_config.gid)) {
		pr_err("gid=%u: not a group; write its number, as in /etc/group\n", gid);
		return -EINVAL;
	}
	return 0;
}

/* A kernel that starts cannot be told another size: use the default. */
static int __init begin_size(unsigned long *bytes)
{
	int err = parse_size(bytes);

	if (err && IS_BUILTIN(CONFIG_DEVTRACE)) {
		size = SIZE_DEFAULT;
		err = parse_size(bytes);
	}
	return err;
}

/* Create the rings, and begin to record. Needs memory, and neither devices nor the network. */
static int __init main_begin(void)
{
	unsigned long bytes;
	int err;

	err = begin_size(&bytes);
	if (err)
		return err;

	boot_id_init();
	/* This page is vmalloc memory, like lanes, so the same kernel functions map both. */
	devtrace_control = __vmalloc(PAGE_SIZE, GFP_KERNEL | __GFP_ZERO);
	if (!devtrace_control)
		return -ENOMEM;
	devtrace_control->version = DEVTRACE_WIRE_VERSION;
	devtrace_control->size = sizeof(*devtrace_control);

	err = devtrace_clock_init(devtrace_control, start);
	if (err)
		goto out_page;
	err = devtrace_proc_init(start);
	if (err)
		goto out_clock;
	devtrace_dict_init(names, start);
	devtrace_wake_init(lane_wake_look);
	lane_limits_init();
	err = lane_wake_init();
	if (err)
		goto out_dict;
	err = emit_counts_init();
	if (err)
		goto out_wake;
	err = emit_user_init();
	if (err)
		goto out_counts;
	err = rings_init();
	if (err)
		goto out_user;
	err = stream_init(bytes, start, mode);
	if (err == -ENOMEM)
		pr_err("size=%s: no memory for %lu bytes per CPU\n", size, bytes);
	if (err)
		goto out_rings;
	slots_init(start);
	/* From here on, events of drivers in the kernel's image are stored. */
	err = filter_init(devtrace_control, start);
	if (err)
		goto out_stream;
	ring_bytes = bytes;
	return 0;

out_stream:
	stream_exit();
	slots_exit();
out_rings:
	rings_exit();
out_user:
	emit_user_exit();
out_counts:
	emit_slots_free();
	emit_counts_exit();
out_wake:
	lane_wake_exit();
out_dict:
	devtrace_wake_exit();
	devtrace_named_exit();
	devtrace_dict_exit();
	devtrace_proc_exit();
out_clock:
	devtrace_clock_exit();
out_page:
	vfree(devtrace_control);
	return err;
}

/*
 * Create the device, and connect drivers and control. If this fails in a kernel with devtrace in
 * its image, the rings remain, and drivers go on to store events.
 */
static int __init main_open(void)
{
	int err;

	if (!ring_bytes)
		return -ENODEV;
	devtrace_clock_follow_suspend();
	err = parse_config();
	if (err)
		return err;
	err = devtrace_cdev_init(&node_config, devtrace_control);
	if (err)
		return err;
	err = control_init();
	if (err)
		goto out_cdev;
	err = link_init();
	if (err)
		goto out_control;
	/*
	 * This step comes last: afterwards programs can open the device, and a load that fails does
	 * not wait for programs.
	 */
	err = cdev_add_stream(&devtrace_stream0);
	if (err)
		goto out_link;
	pr_info("%lu bytes of ring per CPU\n", ring_bytes);
	if (RING_NO_NMI)
		pr_info("this machine has no 64-bit cmpxchg: events emitted in NMIs are dropped\n");
	return 0;

out_link:
	link_exit();
out_control:
	control_exit();
out_cdev:
	devtrace_cdev_exit();
	return err;
}

#ifdef MODULE
/* Called when no stream, no emitter and no descriptor is left. */
static void main_end(void)
{
	lane_wake_exit();
	lanes_exit();
	slots_exit();
	devtrace_wake_exit();
	rings_exit();
	emit_user_exit();
	filter_exit();
	emit_slots_free();
	emit_counts_exit();
	devtrace_named_exit();
	devtrace_dict_exit();
	devtrace_proc_exit();
	devtrace_clock_exit();
	vfree(devtrace_control);
}

static int __init devtrace_init(void)
{
	int err = main_begin();

	if (err)
		return err;
	err = main_open();
	if (err) {
		stream_exit();
		main_end();
	}
	return err;
}

/*
 * Called when no descriptor is open and no module that uses this one is loaded. Drivers that emit
 * may be loaded.
 */
static void __exit devtrace_exit(void)
{
	link_exit();
	control_exit();
	cdev_del_stream(&devtrace_stream0);
	stream_exit();
	devtrace_cdev_exit();
	main_end();
}

module_init(devtrace_init);
module_exit(devtrace_exit);
#else
/* The first initcalls run before the other CPUs and before all drivers. */
early_initcall(main_begin);
/* By now there are devices and the network. The kernel's own initcalls of this level have run. */
device_initcall(main_open);
#endif

MODULE_DESCRIPTION("Trace device: a circular buffer of events, /dev/trace");
MODULE_LICENSE("GPL");
MODULE_VERSION(DEVTRACE_VERSION);
/* Remove this alias after one release: devtrace_streams was a separate module before. */
MODULE_ALIAS("devtrace_streams");

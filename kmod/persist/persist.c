// SPDX-License-Identifier: GPL-2.0-only
/*
 * devtrace_persist.ko: stream 0 survives a reset
 *
 * Load the module after devtrace.ko, before the first event to be kept. It copies the events of the
 * previous boot into the stream `last`, clears the region and moves stream 0 into it. Removing the
 * module moves stream 0 back. Documentation/persist.rst says what is guaranteed; layout.h describes
 * the layout of the region.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/kernel.h>
#include <linux/module.h>
#include <linux/mutex.h>

#include "cause.h"
#include "compat/compat_export.h"
#include "keep.h"
#include "last.h"
#include "region.h"
#include "stream/table.h"

static char *where = "";
module_param_named(region, where, charp, 0444);
MODULE_PARM_DESC(region, "memory region: ADDRESS,SIZE, or the NAME in reserve_mem=; empty: the device-tree node devtrace,persist");

static unsigned int interval = 100;
module_param(interval, uint, 0444);
MODULE_PARM_DESC(interval, "longest time in milliseconds until an event has a checksum (default 100)");

static struct region region;

/* In the kernel's image, devtrace may have failed to start. */
static bool __init is_recording(void)
{
	bool is;

	mutex_lock(&devtrace_lock);
	is = stream_by_id(0);
	mutex_unlock(&devtrace_lock);
	return is;
}

static int __init persist_init(void)
{
	int err;

	if (!is_recording())
		return -ENODEV;
	err = region_open(&region, where);
	if (err)
		return err;
	err = last_begin(&region);
	if (err)
		goto out_region;
	err = keep_begin(&region, interval);
	if (err)
		goto out_last;
	err = cause_begin();
	if (err)
		goto out_keep;
	return 0;

out_keep:
	keep_end();
out_last:
	last_end();
out_region:
	region_close(&region);
	return err;
}

static void __exit persist_exit(void)
{
	cause_end();
	last_end();
	keep_end();
	region_close(&region);
}

module_init(persist_init);
module_exit(persist_exit);

COMPAT_IMPORT_INTERNAL();
MODULE_SOFTDEP("pre: devtrace");
MODULE_DESCRIPTION("Trace device: keeps the last events across a reset");
MODULE_LICENSE("GPL");
MODULE_VERSION(DEVTRACE_VERSION);

// SPDX-License-Identifier: GPL-2.0-only
/* devtrace_watch.ko: watches, and the tracepoint that is one of them */
#include <linux/module.h>

#include "compat/compat_export.h"
#include "tracepoint.h"
#include "watch.h"

static int __init devtrace_watch_init(void)
{
	return 0;
}

/* A driver's watch holds a reference to the module, so only the tracepoint's may remain. */
static void __exit devtrace_watch_exit(void)
{
	watch_tracepoint_exit();
	watch_exit();
}

module_init(devtrace_watch_init);
module_exit(devtrace_watch_exit);

MODULE_DESCRIPTION("Trace device: callbacks for events, and the tracepoint devtrace:event");
MODULE_LICENSE("GPL");
MODULE_VERSION(DEVTRACE_VERSION);
COMPAT_IMPORT_INTERNAL();

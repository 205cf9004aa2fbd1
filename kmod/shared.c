// SPDX-License-Identifier: GPL-2.0-only
/*
 * What our other modules use of devtrace.ko
 *
 * This is all: the rest is private. What drivers use, and our modules as they do, is
 * exported where it is defined.
 */
#include "compat/compat_export.h"
#include "control/filter.h"
#include "control/netlink.h"
#include "stream/profile_ops.h"
#include "admin/stream.h"

/* devtrace_profile */
COMPAT_EXPORT_INTERNAL(devtrace_lock);
COMPAT_EXPORT_INTERNAL(devtrace_profile_on);
COMPAT_EXPORT_INTERNAL(devtrace_profile_register);
COMPAT_EXPORT_INTERNAL(filter_attach_profile);
COMPAT_EXPORT_INTERNAL(filter_get);
COMPAT_EXPORT_INTERNAL(filter_set);
COMPAT_EXPORT_INTERNAL(netlink_notify_filter);
COMPAT_EXPORT_INTERNAL(stream_by_id);

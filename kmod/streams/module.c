// SPDX-License-Identifier: GPL-2.0-only
/*
 * devtrace_streams.ko: what changes streams and filters
 *
 * Only devtrace_control.ko calls this module. The objects that it changes are in devtrace.ko,
 * and stay as they are when this module goes.
 */
#include <linux/module.h>

#include "compat/compat_export.h"
#include "emit/slots.h"
#include "filter_set.h"
#include "fire.h"
#include "lane_resize.h"
#include "lane_stats.h"
#include "oldest.h"
#include "proc_stats.h"
#include "profile_ask.h"
#include "reader_stats.h"
#include "streams.h"
#include "type_stats.h"

COMPAT_EXPORT_INTERNAL(devtrace_profile_add);
COMPAT_EXPORT_INTERNAL(devtrace_profile_del);
COMPAT_EXPORT_INTERNAL(devtrace_profile_find);
COMPAT_EXPORT_INTERNAL(devtrace_profile_info);
COMPAT_EXPORT_INTERNAL(devtrace_profile_lacking);
COMPAT_EXPORT_INTERNAL(devtrace_profile_keep_known);
COMPAT_EXPORT_INTERNAL(devtrace_profile_there);
COMPAT_EXPORT_INTERNAL(devtrace_proc_stats);
COMPAT_EXPORT_INTERNAL(devtrace_type_stats);
COMPAT_EXPORT_INTERNAL(emit_slots_alloc);
COMPAT_EXPORT_INTERNAL(filter_set);
COMPAT_EXPORT_INTERNAL(slot_stats);
COMPAT_EXPORT_INTERNAL(slots_lend);
COMPAT_EXPORT_INTERNAL(stream_del);
COMPAT_EXPORT_INTERNAL(stream_find);
COMPAT_EXPORT_INTERNAL(stream_fire_start);
COMPAT_EXPORT_INTERNAL(stream_fire_stop);
COMPAT_EXPORT_INTERNAL(stream_info);
COMPAT_EXPORT_INTERNAL(stream_lend);
COMPAT_EXPORT_INTERNAL(stream_new);
COMPAT_EXPORT_INTERNAL(stream_oldest);
COMPAT_EXPORT_INTERNAL(stream_reader);
COMPAT_EXPORT_INTERNAL(stream_resize);
COMPAT_EXPORT_INTERNAL(stream_runs);
COMPAT_EXPORT_INTERNAL(stream_set_state);
COMPAT_EXPORT_INTERNAL(stream_set_watermark);
COMPAT_EXPORT_INTERNAL(stream_watch);
COMPAT_EXPORT_INTERNAL(stream_watermarks);
COMPAT_EXPORT_INTERNAL(streams_command_lock);

MODULE_DESCRIPTION("Trace device: what changes streams and filters");
MODULE_LICENSE("GPL");
COMPAT_IMPORT_INTERNAL();

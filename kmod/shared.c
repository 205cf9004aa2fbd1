// SPDX-License-Identifier: GPL-2.0-only
/*
 * What our other modules use of devtrace.ko
 *
 * This is all: the rest is private. What drivers use, and our modules as they do, is
 * exported where it is defined.
 */
#include "admin/filter_policy.h"
#include "admin/stream.h"
#include "compat/compat_export.h"
#include "emit/control_ops.h"
#include "emit/dict.h"
#include "emit/emit.h"
#include "emit/proc.h"
#include "emit/store.h"
#include "lane/slot.h"
#include "lane/slot_stats.h"
#include "lane/take.h"
#include "read/clear.h"
#include "read/reader_stats.h"
#include "read/stream_stats.h"
#include "read/wire.h"
#include "ring/clock.h"
#include "ring/ring_memory.h"
#include "stream/profile_ops.h"
#include "stream/table.h"

/* Both */
COMPAT_EXPORT_INTERNAL(devtrace_lock);
COMPAT_EXPORT_INTERNAL(filter_get);
COMPAT_EXPORT_INTERNAL(filter_set);
COMPAT_EXPORT_INTERNAL(stream_by_id);

/* devtrace_profile */
COMPAT_EXPORT_INTERNAL(control_notify_filter);
COMPAT_EXPORT_INTERNAL(devtrace_profile_on);
COMPAT_EXPORT_INTERNAL(devtrace_profile_register);
COMPAT_EXPORT_INTERNAL(filter_attach_profile);

/* devtrace_control: streams and filters */
COMPAT_EXPORT_INTERNAL(control_register);
COMPAT_EXPORT_INTERNAL(emit_slots_alloc);
COMPAT_EXPORT_INTERNAL(filter_all);
COMPAT_EXPORT_INTERNAL(filter_types_all);
COMPAT_EXPORT_INTERNAL(ring_size_round);
COMPAT_EXPORT_INTERNAL(stream_clear);
COMPAT_EXPORT_INTERNAL(stream_del);
COMPAT_EXPORT_INTERNAL(stream_find);
COMPAT_EXPORT_INTERNAL(stream_info);
COMPAT_EXPORT_INTERNAL(stream_new);
COMPAT_EXPORT_INTERNAL(stream_resize);
COMPAT_EXPORT_INTERNAL(stream_set_state);
COMPAT_EXPORT_INTERNAL(stream_set_watermark);

/* Triggers, on the emit path too */
COMPAT_EXPORT_INTERNAL(devtrace_clock_state);
COMPAT_EXPORT_INTERNAL(stream_fire_start);
COMPAT_EXPORT_INTERNAL(stream_fire_stop);
COMPAT_EXPORT_INTERNAL(stream_runs);
COMPAT_EXPORT_INTERNAL(stream_watch);

/* Statistics */
COMPAT_EXPORT_INTERNAL(devtrace_dict_next);
COMPAT_EXPORT_INTERNAL(devtrace_proc_stats);
COMPAT_EXPORT_INTERNAL(devtrace_type_stats);
COMPAT_EXPORT_INTERNAL(slot_stats);
COMPAT_EXPORT_INTERNAL(slots_nr);
COMPAT_EXPORT_INTERNAL(slots_take_all);
COMPAT_EXPORT_INTERNAL(stream_reader);
COMPAT_EXPORT_INTERNAL(stream_stats);
COMPAT_EXPORT_INTERNAL(wire_dict_key);

/* What it asks of kernel profile events */
COMPAT_EXPORT_INTERNAL(devtrace_profile_add);
COMPAT_EXPORT_INTERNAL(devtrace_profile_del);
COMPAT_EXPORT_INTERNAL(devtrace_profile_find);
COMPAT_EXPORT_INTERNAL(devtrace_profile_info);
COMPAT_EXPORT_INTERNAL(devtrace_profile_lacking);
COMPAT_EXPORT_INTERNAL(devtrace_profile_limit);
COMPAT_EXPORT_INTERNAL(devtrace_profile_there);

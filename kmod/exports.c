// SPDX-License-Identifier: GPL-2.0-only
/*
 * The functions of devtrace.ko that its other modules use
 *
 * All other functions are private to devtrace.ko. Symbols for drivers are exported where they are
 * defined.
 */
#include "manage/filter_policy.h"
#include "compat/compat_export.h"
#include "emit/control_ops.h"
#include "emit/dict.h"
#include "emit/proc.h"
#include "emit/slots.h"
#include "lane/lane.h"
#include "lane/lane_filter.h"
#include "lane/lane_read.h"
#include "lane/slot.h"
#include "lane/slot_priv.h"
#include "lane/take.h"
#include "read/boot_id.h"
#include "ring/clock.h"
#include "ring/ring_memory.h"
#include "ring/ring_read.h"
#include "ring/size.h"
#include "stream/past.h"
#include "stream/profile_ops.h"
#include "stream/quiet.h"
#include "stream/table.h"
#include "manage/filter_set.h"
#include "manage/lane_resize.h"
#include "manage/proc_stats.h"
#include "manage/streams.h"

COMPAT_EXPORT_INTERNAL(control_notify_filter);
COMPAT_EXPORT_INTERNAL(devtrace_boot_id);
COMPAT_EXPORT_INTERNAL(devtrace_clock_now);
COMPAT_EXPORT_INTERNAL(devtrace_clock_state);
COMPAT_EXPORT_INTERNAL(devtrace_clock_told);
COMPAT_EXPORT_INTERNAL(devtrace_dict_next);
COMPAT_EXPORT_INTERNAL(devtrace_dict_tell);
COMPAT_EXPORT_INTERNAL(devtrace_filters);
COMPAT_EXPORT_INTERNAL(devtrace_lane_pool);
COMPAT_EXPORT_INTERNAL(devtrace_lock);
COMPAT_EXPORT_INTERNAL(devtrace_proc_stats);
COMPAT_EXPORT_INTERNAL(devtrace_proc_told);
COMPAT_EXPORT_INTERNAL(devtrace_profile_on);
COMPAT_EXPORT_INTERNAL(devtrace_profile_register);
COMPAT_EXPORT_INTERNAL(devtrace_size_parse);
COMPAT_EXPORT_INTERNAL(devtrace_stream0);
COMPAT_EXPORT_INTERNAL(devtrace_watching);
COMPAT_EXPORT_INTERNAL(emit_slots_alloc);
COMPAT_EXPORT_INTERNAL(filter_attach_profile);
COMPAT_EXPORT_INTERNAL(filter_set);
COMPAT_EXPORT_INTERNAL(filter_set_profile);
COMPAT_EXPORT_INTERNAL(lane_filter_tell_severe);
COMPAT_EXPORT_INTERNAL(lane_long);
COMPAT_EXPORT_INTERNAL(lane_look);
COMPAT_EXPORT_INTERNAL(quiet_wait);
COMPAT_EXPORT_INTERNAL(ring_fetch);
COMPAT_EXPORT_INTERNAL(ring_size_round);
COMPAT_EXPORT_INTERNAL(ring_view);
COMPAT_EXPORT_INTERNAL(slot_missed);
COMPAT_EXPORT_INTERNAL(slots0);
COMPAT_EXPORT_INTERNAL(slots_chunks);
COMPAT_EXPORT_INTERNAL(slots_lend);
COMPAT_EXPORT_INTERNAL(slots_lock);
COMPAT_EXPORT_INTERNAL(slots_nr);
COMPAT_EXPORT_INTERNAL(slots_take_all);
COMPAT_EXPORT_INTERNAL(stream_by_id);
COMPAT_EXPORT_INTERNAL(stream_counted);
COMPAT_EXPORT_INTERNAL(stream_del);
COMPAT_EXPORT_INTERNAL(stream_find);
COMPAT_EXPORT_INTERNAL(stream_lend);
COMPAT_EXPORT_INTERNAL(stream_missed);
COMPAT_EXPORT_INTERNAL(stream_new);
COMPAT_EXPORT_INTERNAL(stream_oldest_past);
COMPAT_EXPORT_INTERNAL(stream_past);
COMPAT_EXPORT_INTERNAL(stream_put);
COMPAT_EXPORT_INTERNAL(stream_remembers);
COMPAT_EXPORT_INTERNAL(stream_wq);
COMPAT_EXPORT_INTERNAL(streams_command_lock);

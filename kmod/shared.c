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
#include "lane/lane.h"
#include "lane/slot.h"
#include "lane/slot_priv.h"
#include "lane/slot_stats.h"
#include "lane/take.h"
#include "read/boot_id.h"
#include "read/cdev.h"
#include "read/clear.h"
#include "read/reader.h"
#include "read/source_lane.h"
#include "read/stream_stats.h"
#include "read/wire.h"
#include "ring/clock.h"
#include "ring/ring_memory.h"
#include "ring/ring_read.h"
#include "ring/size.h"
#include "stream/past.h"
#include "stream/profile_ops.h"
#include "stream/quiet.h"
#include "stream/rings.h"
#include "stream/stream.h"
#include "stream/table.h"

/* All of them */
COMPAT_EXPORT_INTERNAL(devtrace_lock);
COMPAT_EXPORT_INTERNAL(filter_get);
COMPAT_EXPORT_INTERNAL(stream_by_id);

/* devtrace_faults */
COMPAT_EXPORT_INTERNAL(devtrace_faults_apply);

/* devtrace_profile, and the last two for devtrace_faults too */
COMPAT_EXPORT_INTERNAL(control_notify_filter);
COMPAT_EXPORT_INTERNAL(devtrace_profile_on);
COMPAT_EXPORT_INTERNAL(devtrace_profile_register);
COMPAT_EXPORT_INTERNAL(filter_attach_profile);
COMPAT_EXPORT_INTERNAL(filter_set_profile);

/* devtrace_streams: filters */
COMPAT_EXPORT_INTERNAL(devtrace_filters);
COMPAT_EXPORT_INTERNAL(devtrace_profile);
COMPAT_EXPORT_INTERNAL(emit_slots_alloc);
COMPAT_EXPORT_INTERNAL(filter_put_in_force);
COMPAT_EXPORT_INTERNAL(filter_table_free);

/* Streams */
COMPAT_EXPORT_INTERNAL(cdev_add_stream);
COMPAT_EXPORT_INTERNAL(cdev_del_stream);
COMPAT_EXPORT_INTERNAL(devtrace_stream0);
COMPAT_EXPORT_INTERNAL(devtrace_streams);
COMPAT_EXPORT_INTERNAL(quiet_wait_on);
COMPAT_EXPORT_INTERNAL(ring_memory_alloc);
COMPAT_EXPORT_INTERNAL(ring_memory_free);
COMPAT_EXPORT_INTERNAL(ring_exists);
COMPAT_EXPORT_INTERNAL(ring_view);
COMPAT_EXPORT_INTERNAL(rings_add);
COMPAT_EXPORT_INTERNAL(rings_lock);
COMPAT_EXPORT_INTERNAL(rings_set_limit);
COMPAT_EXPORT_INTERNAL(slots_bytes);
COMPAT_EXPORT_INTERNAL(slots_handled);
COMPAT_EXPORT_INTERNAL(slots_memory_alloc);
COMPAT_EXPORT_INTERNAL(slots_memory_free);
COMPAT_EXPORT_INTERNAL(slots_position);
COMPAT_EXPORT_INTERNAL(slots_take_all);
COMPAT_EXPORT_INTERNAL(stream_add_past);
COMPAT_EXPORT_INTERNAL(stream_count_missed);
COMPAT_EXPORT_INTERNAL(stream_emitted_on);
COMPAT_EXPORT_INTERNAL(stream_goes_on);
COMPAT_EXPORT_INTERNAL(stream_leave);
COMPAT_EXPORT_INTERNAL(stream_oldest_past);
COMPAT_EXPORT_INTERNAL(stream_past);
COMPAT_EXPORT_INTERNAL(stream_prepare);
COMPAT_EXPORT_INTERNAL(stream_settle);
COMPAT_EXPORT_INTERNAL(stream_stats);
COMPAT_EXPORT_INTERNAL(stream_update_easy);

/* devtrace_persist */
COMPAT_EXPORT_INTERNAL(devtrace_boot_id);
COMPAT_EXPORT_INTERNAL(devtrace_dict_tell);
COMPAT_EXPORT_INTERNAL(devtrace_proc_told);
COMPAT_EXPORT_INTERNAL(devtrace_size_parse);
COMPAT_EXPORT_INTERNAL(quiet_wait);
COMPAT_EXPORT_INTERNAL(ring_fetch);
COMPAT_EXPORT_INTERNAL(stream_put);

/* devtrace_control */
COMPAT_EXPORT_INTERNAL(control_register);
COMPAT_EXPORT_INTERNAL(ring_size_round);
COMPAT_EXPORT_INTERNAL(stream_clear);
COMPAT_EXPORT_INTERNAL(stream_find);

/* Triggers, on the emit path too */
COMPAT_EXPORT_INTERNAL(devtrace_clock_state);

/* Statistics */
COMPAT_EXPORT_INTERNAL(blocks_resize);
COMPAT_EXPORT_INTERNAL(blocks_run);
COMPAT_EXPORT_INTERNAL(blocks_trim);
COMPAT_EXPORT_INTERNAL(devtrace_dict_next);
COMPAT_EXPORT_INTERNAL(devtrace_proc_last);
COMPAT_EXPORT_INTERNAL(devtrace_proc_slot);
COMPAT_EXPORT_INTERNAL(devtrace_proc_slots);
COMPAT_EXPORT_INTERNAL(emit_counts);
COMPAT_EXPORT_INTERNAL(lane_put);
COMPAT_EXPORT_INTERNAL(lane_sources_lag);
COMPAT_EXPORT_INTERNAL(lane_untaken_bytes);
COMPAT_EXPORT_INTERNAL(reader_put);
COMPAT_EXPORT_INTERNAL(slot_lane_get);
COMPAT_EXPORT_INTERNAL(slot_take);
COMPAT_EXPORT_INTERNAL(slots_blocks);
COMPAT_EXPORT_INTERNAL(slots_chunks);
COMPAT_EXPORT_INTERNAL(slots_lock);
COMPAT_EXPORT_INTERNAL(slots_nr);
COMPAT_EXPORT_INTERNAL(wire_dict_key);

// SPDX-License-Identifier: GPL-2.0-only
/*
 * Symbols of devtrace.ko for the modules beside it
 *
 * The list is complete: all else is private. Symbols for drivers, which those modules use
 * too, are exported where they are defined.
 */
#include "admin/filter_policy.h"
#include "admin/stream.h"
#include "compat/compat_export.h"
#include "emit/control_ops.h"
#include "emit/dict.h"
#include "emit/emit.h"
#include "emit/proc.h"
#include "emit/slots_priv.h"
#include "emit/store.h"
#include "lane/lane.h"
#include "lane/lane_filter.h"
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
#include "shared.h"
#include "stream/past.h"
#include "stream/profile_ops.h"
#include "stream/quiet.h"
#include "stream/rings.h"
#include "stream/stream.h"
#include "stream/table.h"

const struct devtrace_shared devtrace_shared = {
	/* ring/clock.h */
	.devtrace_clock_now = devtrace_clock_now,

	/* ring/ring_memory.h */
	.ring_memory_alloc = ring_memory_alloc,
	.ring_memory_free = ring_memory_free,
	.ring_size_round = ring_size_round,

	/* ring/ring_read.h */
	.ring_exists = ring_exists,
	.ring_fetch = ring_fetch,

	/* ring/size.h */
	.devtrace_size_parse = devtrace_size_parse,

	/* stream/past.h */
	.stream_add_past = stream_add_past,
	.stream_goes_on = stream_goes_on,
	.stream_oldest_past = stream_oldest_past,
	.stream_past = stream_past,

	/* stream/profile_ops.h */
	.devtrace_profile_register = devtrace_profile_register,

	/* stream/quiet.h */
	.quiet_wait_on = quiet_wait_on,
	.quiet_wait = quiet_wait,

	/* stream/rings.h */
	.rings_add = rings_add,
	.rings_set_gate = rings_set_gate,

	/* stream/table.h */
	.stream_by_id = stream_by_id,
	.stream_put = stream_put,
	.stream_wq = &stream_wq,

	/* emit/control_ops.h */
	.control_notify_filter = control_notify_filter,
	.control_register = control_register,

	/* emit/dict.h */
	.devtrace_dict_tell = devtrace_dict_tell,
	.devtrace_dict_next = devtrace_dict_next,

	/* emit/proc.h */
	.devtrace_proc_slot = devtrace_proc_slot,

	/* lane/blocks.h */
	.blocks_run = blocks_run,

	/* lane/lane.h */
	.lane_put = lane_put,

	/* lane/lane_filter.h */
	.lane_filter_tell_severe = lane_filter_tell_severe,

	/* lane/slot.h */
	.slots_bytes = slots_bytes,
	.slots_memory_alloc = slots_memory_alloc,
	.slots_memory_free = slots_memory_free,
	.slot_lane_get = slot_lane_get,
	.slots_nr = slots_nr,

	/* lane/slot_stats.h */
	.slots_handled = slots_handled,

	/* lane/take.h */
	.slots_take_all = slots_take_all,
	.slot_take = slot_take,

	/* read/cdev.h */
	.cdev_add_stream = cdev_add_stream,
	.cdev_del_stream = cdev_del_stream,

	/* read/clear.h */
	.stream_clear = stream_clear,

	/* read/reader.h */
	.reader_put = reader_put,

	/* read/source_lane.h */
	.lane_sources_lag = lane_sources_lag,

	/* read/stream_stats.h */
	.stream_emitted_on = stream_emitted_on,
	.stream_stats = stream_stats,
	.stream_stats_taken = stream_stats_taken,

	/* read/wire.h */
	.wire_dict_key = wire_dict_key,

	/* admin/filter_policy.h */
	.filter_attach_profile = filter_attach_profile,
	.filter_put_in_force = filter_put_in_force,
	.filter_table_free = filter_table_free,

	/* admin/stream.h */
	.stream_count_missed = stream_count_missed,
	.stream_leave = stream_leave,
	.stream_prepare = stream_prepare,
	.stream_settle = stream_settle,
	.stream_update_quick = stream_update_quick,
};

COMPAT_EXPORT_INTERNAL(devtrace_shared);

/*
 * Variables, and what inline functions and emitters call, and files of these rooms that are
 * linked into devtrace_streams.ko
 */
COMPAT_EXPORT_INTERNAL(blocks_evict);
COMPAT_EXPORT_INTERNAL(devtrace_boot_id);
COMPAT_EXPORT_INTERNAL(devtrace_clock_state);
COMPAT_EXPORT_INTERNAL(devtrace_faults_apply);
COMPAT_EXPORT_INTERNAL(devtrace_filters);
COMPAT_EXPORT_INTERNAL(devtrace_lane_pool);
COMPAT_EXPORT_INTERNAL(devtrace_lock);
COMPAT_EXPORT_INTERNAL(devtrace_proc_last);
COMPAT_EXPORT_INTERNAL(devtrace_proc_told);
COMPAT_EXPORT_INTERNAL(devtrace_profile);
COMPAT_EXPORT_INTERNAL(devtrace_profile_on);
COMPAT_EXPORT_INTERNAL(devtrace_stream0);
COMPAT_EXPORT_INTERNAL(devtrace_streams);
COMPAT_EXPORT_INTERNAL(devtrace_table);
COMPAT_EXPORT_INTERNAL(devtrace_watching);
COMPAT_EXPORT_INTERNAL(emit_counts);
COMPAT_EXPORT_INTERNAL(emit_slots);
COMPAT_EXPORT_INTERNAL(lane_long);
COMPAT_EXPORT_INTERNAL(lane_look);
COMPAT_EXPORT_INTERNAL(ring_view);
COMPAT_EXPORT_INTERNAL(rings_lock);
COMPAT_EXPORT_INTERNAL(slots_blocks);
COMPAT_EXPORT_INTERNAL(slots_chunks);
COMPAT_EXPORT_INTERNAL(slots_first_block);
COMPAT_EXPORT_INTERNAL(slots_lent);
COMPAT_EXPORT_INTERNAL(slots_lock);

/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Functions of devtrace.ko for the modules beside it
 *
 * One table of functions, and one symbol: each symbol of its own would cost some 40 bytes
 * in devtrace.ko and 64 in each module that calls it. All are for process context. Functions
 * for emitters, and variables, are symbols of their own: see shared.c.
 */
#ifndef DEVTRACE_SHARED_H
#define DEVTRACE_SHARED_H

#include <linux/types.h>

#include "emit/dict.h"
#include "lane/blocks.h"

struct block_pages;
struct block_ring;
struct block_state;
struct control_ops;
struct cpumask;
struct devtrace_dict;
struct devtrace_stats;
struct filter;
struct filter_table;
struct lane;
struct lane_mem;
struct lane_place;
struct proc_name;
struct profile_ops;
struct reader;
struct ring;
struct ring_memory;
struct ring_place;
struct run;
struct slots_memory;
struct stream;
struct stream_past;
struct workqueue_struct;

/* Each member is the function of its name; its header says what it does. */
struct devtrace_shared {
	/* ring/clock.h */
	u64 (*devtrace_clock_now)(void);

	/* ring/ring_memory.h */
	int (*ring_memory_alloc)(struct ring_memory *m, unsigned long size);
	void (*ring_memory_free)(struct ring_memory *m);
	unsigned long (*ring_size_round)(unsigned long long size);

	/* ring/ring_read.h */
	bool (*ring_exists)(const struct ring *r);
	u64 (*ring_fetch)(const struct ring *r, struct ring_place *at, u32 room, u64 *buf,
			  u32 *units);

	/* ring/size.h */
	int (*devtrace_size_parse)(const char *val, u64 *bytes);

	/* stream/past.h */
	void (*stream_add_past)(struct stream *s, u8 state, u64 ts, u64 began, u64 fired_at,
				const char *trigger);
	void (*stream_goes_on)(struct stream *s, const char *trigger);
	unsigned long (*stream_oldest_past)(const struct stream *s);
	bool (*stream_past)(struct stream *s, unsigned long *n, struct stream_past *p);

	/* stream/profile_ops.h */
	void (*devtrace_profile_register)(const struct profile_ops *ops);

	/* stream/quiet.h */
	void (*quiet_wait_on)(const struct cpumask *which);
	void (*quiet_wait)(void);

	/* stream/rings.h */
	int (*rings_add)(struct stream *s);
	void (*rings_set_gate)(struct ring *r);

	/* stream/table.h */
	struct stream *(*stream_by_id)(unsigned int id);
	void (*stream_put)(struct stream *s);
	/* Not a function: where works run that take a stream apart. */
	struct workqueue_struct **stream_wq;

	/* emit/control_ops.h */
	void (*control_notify_filter)(struct stream *s);
	void (*control_register)(const struct control_ops *ops);

	/* emit/dict.h */
	void (*devtrace_dict_tell)(dict_told_t told);
	u64 (*devtrace_dict_next)(u64 serial, struct devtrace_dict *d, u32 *scope);

	/* emit/proc.h */
	bool (*devtrace_proc_slot)(unsigned int i, struct proc_name *name, u64 *stored);

	/* lane/blocks.h */
	bool (*blocks_run)(const struct block_ring *b, run_place_t place, struct run *r);

	/* lane/lane.h */
	void (*lane_put)(struct lane *l);

	/* lane/lane_filter.h */
	void (*lane_filter_tell_severe)(void (*told)(struct ring *r));

	/* lane/slot.h */
	u64 (*slots_bytes)(void);
	int (*slots_memory_alloc)(struct slots_memory *m, u32 nr);
	void (*slots_memory_free)(struct slots_memory *m);
	struct lane *(*slot_lane_get)(unsigned int slot);
	unsigned int (*slots_nr)(void);

	/* lane/slot_stats.h */
	u64 (*slots_handled)(void);

	/* lane/take.h */
	void (*slots_take_all)(void);
	int (*slot_take)(struct lane *l);

	/* read/cdev.h */
	int (*cdev_add_stream)(struct stream *s);
	void (*cdev_del_stream)(struct stream *s);

	/* read/clear.h */
	int (*stream_clear)(struct stream *s);

	/* read/reader.h */
	void (*reader_put)(struct reader *rd);

	/* read/source_lane.h */
	u64 (*lane_sources_lag)(const struct reader *rd);

	/* read/stream_stats.h */
	u64 (*stream_emitted_on)(int cpu);
	void (*stream_stats)(struct stream *s, int cpu, struct devtrace_stats *st);
	void (*stream_stats_taken)(struct stream *s, int cpu, struct devtrace_stats *st);

	/* read/wire.h */
	u64 (*wire_dict_key)(const struct devtrace_dict *d, u32 scope);

	/* admin/filter_policy.h */
	void (*filter_attach_profile)(void);
	void (*filter_put_in_force)(struct filter_table *t, bool open);
	void (*filter_table_free)(struct filter_table *t);

	/* admin/stream.h */
	void (*stream_count_missed)(struct stream *s);
	void (*stream_leave)(struct stream *s);
	int (*stream_prepare)(struct stream *s, const char *name, unsigned long bytes,
			      umode_t mode);
	void (*stream_settle)(struct stream *s);
	void (*stream_update_quick)(struct stream *s);
};

extern const struct devtrace_shared devtrace_shared;

#endif /* DEVTRACE_SHARED_H */

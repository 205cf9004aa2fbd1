// SPDX-License-Identifier: GPL-2.0-only
/*
 * Dumps of statistics: streams by CPU, types, threads, readers, lanes; and of names
 *
 * The counters change during a dump. A dump has exactly one entry for each CPU, type, thread and
 * reader that exists during the whole dump.
 *
 * The time that a dump takes is linear in the number of its entries and of lanes. The events of all
 * lanes are collected once in each dump, and the cursor in cb->args leads to the next entry without
 * a search.
 */
#include <linux/cpumask.h>
#include <linux/ktime.h>

#include "emit/dict.h"
#include "emit/emit.h"
#include "emit/proc.h"
#include "lane/slot.h"
#include "lane/take.h"
#include "manage/lane_stats.h"
#include "manage/oldest.h"
#include "manage/proc_stats.h"
#include "manage/reader_stats.h"
#include "manage/type_stats.h"
#include "netlink_check.h"
#include "netlink_msg.h"
#include "netlink_stats.h"
#include "read/stream_stats.h"
#include "read/wire.h"
#include "ring/clock.h"
#include "stream/stream.h"
#include "stream/table.h"

#define put_u64(skb, attr, v)	nla_put_u64_64bit(skb, DEVTRACE_A_##attr, v, DEVTRACE_A_PAD)

/* Index in cb->args of the flag that take_lanes() was called; the cursor uses lower indices. */
#define DUMP_TAKEN	4

/*
 * Collect the events of all lanes: counters include an event only after it was collected. Once per
 * dump is enough, although a dump has many messages.
 */
static void take_lanes(struct netlink_callback *cb)
{
	if (!cb->args[DUMP_TAKEN])
		slots_take_all();
	cb->args[DUMP_TAKEN] = 1;
}

/* A 64-bit cursor in two elements of cb->args. */
static u64 netlink_stats_cursor(const struct netlink_callback *cb, unsigned int at)
{
	return (u64)cb->args[at + 1] << 32 | (u32)cb->args[at];
}

static void set_cursor(struct netlink_callback *cb, unsigned int at, u64 value)
{
	cb->args[at] = lower_32_bits(value);
	cb->args[at + 1] = upper_32_bits(value);
}

/* If the request has the attribute STREAM, the dump has only this stream. */
static bool stream_wanted(struct netlink_callback *cb, const struct stream *s)
{
	struct nlattr *name = netlink_dump_attrs(cb)[DEVTRACE_A_STREAM];

	return !name || !strcmp(nla_data(name), s->name);
}

/* In the first call of a dump, check that the requested stream exists. */
static int check_stream(struct netlink_callback *cb)
{
	struct nlattr **attrs = netlink_dump_attrs(cb);

	if (!cb->prev_seq && attrs[DEVTRACE_A_STREAM] && !netlink_stream(attrs, cb->extack))
		return -ENOENT;
	return 0;
}

static int put_stats(struct sk_buff *skb, struct stream *s, int cpu)
{
	struct devtrace_stats st;
	u64 oldest;

	stream_stats_taken(s, cpu, &st);
	oldest = stream_oldest(s, cpu);
	if (nla_put_string(skb, DEVTRACE_A_STREAM, s->name) ||
	    nla_put_u32(skb, DEVTRACE_A_ID, s->id) ||
	    nla_put_u32(skb, DEVTRACE_A_CPU, cpu >= 0 ? cpu : DEVTRACE_CPU_LANES) ||
	    put_u64(skb, SIZE, st.size) ||
	    put_u64(skb, EMITTED, st.emitted) ||
	    put_u64(skb, STORED, st.stored) ||
	    put_u64(skb, FILTERED, st.filtered) ||
	    put_u64(skb, OVERWRITTEN, st.overwritten) ||
	    nla_put_64bit(skb, DEVTRACE_A_DROPPED, sizeof(st.dropped), st.dropped,
			  DEVTRACE_A_PAD) ||
	    put_u64(skb, USED, st.used) ||
	    put_u64(skb, OLDEST, oldest) ||
	    put_u64(skb, NOW, st.now))
		return -EMSGSIZE;
	return 0;
}

/* cb->args[1]: CPU to continue with; after the last one, lanes */
static int dump_stats_of(struct sk_buff *skb, struct netlink_callback *cb, struct stream *s)
{
	void *head;
	int err, cpu;

	for (; cb->args[1] <= nr_cpu_ids; cb->args[1]++) {
		cpu = cb->args[1] < nr_cpu_ids ? cb->args[1] : DEVTRACE_STATS_LANES;
		if (cpu >= 0 && !cpu_possible(cpu))
			continue;
		head = netlink_dump_begin(skb, cb);
		if (!head)
			return -EMSGSIZE;
		err = netlink_dump_end(skb, head, put_stats(skb, s, cpu));
		if (err)
			return err;
	}
	return 0;
}

static int put_reader(struct sk_buff *skb, const struct stream *s,
		      const struct stream_reader *r)
{
	if (nla_put_string(skb, DEVTRACE_A_STREAM, s->name) ||
	    nla_put_u32(skb, DEVTRACE_A_PID, r->pid) ||
	    nla_put_string(skb, DEVTRACE_A_COMM, r->comm) ||
	    put_u64(skb, POSITION, r->position) ||
	    put_u64(skb, LAG, r->lag) ||
	    put_u64(skb, READ, r->read) ||
	    put_u64(skb, LOST, r->lost))
		return -EMSGSIZE;
	return 0;
}

/* cb->args[1] and args[2]: serial number of the last reader put */
static int dump_readers_of(struct sk_buff *skb, struct netlink_callback *cb, struct stream *s)
{
	u64 serial = netlink_stats_cursor(cb, 1);
	struct stream_reader r;
	void *head;
	int err;

	while ((serial = stream_reader(s, serial, &r))) {
		head = netlink_dump_begin(skb, cb);
		if (!head)
			return -EMSGSIZE;
		err = netlink_dump_end(skb, head, put_reader(skb, s, &r));
		if (err)
			return err;
		set_cursor(cb, 1, serial);
	}
	return 0;
}

/* cb->args[0]: stream to continue with */
static int dump_streams(struct sk_buff *skb, struct netlink_callback *cb,
			int (*dump)(struct sk_buff *skb, struct netlink_callback *cb,
				    struct stream *s))
{
	struct stream *s;
	int err;

	err = check_stream(cb);
	if (!err)
		take_lanes(cb);
	for (; !err && cb->args[0] < DEVTRACE_STREAMS_MAX; cb->args[0]++) {
		s = stream_by_id(cb->args[0]);
		if (!s)
			continue;
		if (stream_wanted(cb, s))
			err = dump(skb, cb, s);
		if (err)
			break;
		set_cursor(cb, 1, 0);
	}
	return err;
}

int netlink_stats_dump(struct sk_buff *skb, struct netlink_callback *cb)
{
	return dump_streams(skb, cb, dump_stats_of);
}

int netlink_reader_dump(struct sk_buff *skb, struct netlink_callback *cb)
{
	return dump_streams(skb, cb, dump_readers_of);
}

static int put_type(struct sk_buff *skb, unsigned int type, u64 stored, u64 filtered)
{
	if (nla_put_u8(skb, DEVTRACE_A_TYPE, type) || put_u64(skb, STORED, stored) ||
	    put_u64(skb, FILTERED, filtered))
		return -EMSGSIZE;
	return 0;
}

/* cb->args[0]: type to continue with. Types without events are left out. */
int netlink_type_dump(struct sk_buff *skb, struct netlink_callback *cb)
{
	u64 stored, filtered;
	void *head;
	int err;

	take_lanes(cb);
	for (; cb->args[0] < 256; cb->args[0]++) {
		devtrace_type_stats(cb->args[0], &stored, &filtered);
		if (!stored && !filtered)
			continue;
		head = netlink_dump_begin(skb, cb);
		if (!head)
			return -EMSGSIZE;
		err = netlink_dump_end(skb, head, put_type(skb, cb->args[0], stored, filtered));
		if (err)
			return err;
	}
	return 0;
}

static int put_process(struct sk_buff *skb, const struct proc_name *name, u64 stored)
{
	if (nla_put_u32(skb, DEVTRACE_A_TID, name->tid) ||
	    nla_put_u32(skb, DEVTRACE_A_PID, name->tgid) ||
	    nla_put_string(skb, DEVTRACE_A_COMM, name->comm) ||
	    put_u64(skb, STORED, stored))
		return -EMSGSIZE;
	return 0;
}

/* cb->args[0]: slot to continue with */
int netlink_process_dump(struct sk_buff *skb, struct netlink_callback *cb)
{
	unsigned int slot = cb->args[0];
	struct proc_name name;
	void *head;
	u64 stored;
	int err;

	take_lanes(cb);
	/* This call advances slot past the thread that it returns. */
	while (devtrace_proc_stats(&slot, &name, &stored)) {
		head = netlink_dump_begin(skb, cb);
		if (!head)
			return -EMSGSIZE;
		err = netlink_dump_end(skb, head, put_process(skb, &name, stored));
		if (err)
			return err;
		cb->args[0] = slot;
	}
	return 0;
}

static int put_name(struct sk_buff *skb, const struct devtrace_dict *d, u32 scope)
{
	if (nla_put_u8(skb, DEVTRACE_A_KIND, d->kind) ||
	    nla_put_u8(skb, DEVTRACE_A_GROUP, d->group) ||
	    nla_put_u32(skb, DEVTRACE_A_VALUE, d->value) ||
	    put_u64(skb, KEY, wire_dict_key(d, scope)) ||
	    nla_put_u32(skb, DEVTRACE_A_SCOPE, scope) ||
	    nla_put_string(skb, DEVTRACE_A_NAME, d->name))
		return -EMSGSIZE;
	return 0;
}

/* cb->args[0] and args[1]: serial number of the last name put */
int netlink_dict_dump(struct sk_buff *skb, struct netlink_callback *cb)
{
	struct dict_name n = { .serial = netlink_stats_cursor(cb, 0) };
	void *head;
	int err;

	while (devtrace_dict_next(n.serial, &n)) {
		/* Skip a name that is no longer current. */
		if (n.until)
			continue;
		head = netlink_dump_begin(skb, cb);
		if (!head)
			return -EMSGSIZE;
		err = netlink_dump_end(skb, head, put_name(skb, &n.d, n.scope));
		if (err)
			return err;
		set_cursor(cb, 0, n.serial);
	}
	return 0;
}

static int put_lane(struct sk_buff *skb, const struct slot_stats *st)
{
	if (nla_put_u32(skb, DEVTRACE_A_ID, nr_cpu_ids + st->slot) ||
	    nla_put_u32(skb, DEVTRACE_A_TID, st->tid) ||
	    nla_put_u32(skb, DEVTRACE_A_PID, st->tgid) ||
	    nla_put_string(skb, DEVTRACE_A_COMM, st->comm) ||
	    put_u64(skb, SIZE, st->size) ||
	    put_u64(skb, USED, st->used) ||
	    put_u64(skb, STORED, st->stored) ||
	    put_u64(skb, OVERWRITTEN, st->overwritten) ||
	    nla_put_64bit(skb, DEVTRACE_A_DROPPED, sizeof(st->dropped), st->dropped,
			  DEVTRACE_A_PAD) ||
	    put_u64(skb, OLDEST, st->oldest) ||
	    put_u64(skb, NOW, devtrace_clock_now()) ||
	    nla_put_u8(skb, DEVTRACE_A_LANE_STATE, st->state))
		return -EMSGSIZE;
	return 0;
}

/* cb->args[0]: slot to continue with */
int netlink_lane_dump(struct sk_buff *skb, struct netlink_callback *cb)
{
	struct slot_stats st;
	void *head;
	int err;

	/*
	 * Collect the events of all lanes before the first entry is put: collecting the events of
	 * one lane may overwrite events of another, and the entry of the other must count that.
	 */
	take_lanes(cb);
	for (; cb->args[0] < slots_nr(); cb->args[0]++) {
		if (!slot_stats(cb->args[0], &st))
			continue;
		head = netlink_dump_begin(skb, cb);
		if (!head)
			return -EMSGSIZE;
		err = netlink_dump_end(skb, head, put_lane(skb, &st));
		if (err)
			return err;
	}
	return 0;
}

// SPDX-License-Identifier: GPL-2.0-only
/*
 * Reading a lane: memory that a program writes meanwhile, whatever it likes
 *
 * The writer says which block it is about to overwrite (open) before it touches it, and
 * how much of a block is complete (used) after it is. So whoever finds, behind a copy,
 * that open has not come round to the block again, has copied what was whole.
 */
#include "lane_read.h"

/* More than any lane has held: more is nonsense. */
#define COUNT_MAX	BIT_ULL(48)

#define HEADER		((u32)sizeof(struct devtrace_lane_block))

static const struct devtrace_lane_block *block_at(const struct lane_mem *m, u32 number)
{
	return (const void *)(m->blocks + (size_t)(number & (m->nr - 1)) * DEVTRACE_LANE_BLOCK);
}

/* No block was opened since this place was the next to be. */
static bool nothing_yet(u32 open, const struct lane_place *p)
{
	return open == p->block - 1 && !p->off;
}

/* Behind the blocks that may be overwritten while we look at them. */
static u32 oldest(const struct lane_mem *m, u32 open)
{
	return open - m->nr + 2;
}

/**
 * lane_begin() - to the oldest event
 * @m: the lane
 * @p: set; all events before it are lost, and lane_fetch() tells how many
 */
void lane_begin(const struct lane_mem *m, struct lane_place *p)
{
	const u32 open = READ_ONCE(m->head->open);

	p->block = open - m->first < m->nr || open == m->first - 1 ? m->first : oldest(m, open);
	p->off = 0;
	p->idx = 0;
	p->time = 0;
}

/*
 * Copy what is complete of the block at @p. 1: done, perhaps nothing; 0: the block was
 * overwritten; -EPROTO.
 */
static int copy_block(const struct lane_mem *m, struct lane_place *p, u32 open, u8 *buf,
		      u32 *len, u64 *lost)
{
	const struct devtrace_lane_block *b = block_at(m, p->block);
	u64 time = p->time, count = p->idx;
	u32 number, used, from = p->off ?: HEADER;
	bool sense;

	*len = 0;
	/* LMM(lane_read:B): the number before the header; pairs with lane_write:B. */
	number = smp_load_acquire(&b->number);
	/* It was opened, and its header is not there yet. */
	if (number != p->block && open == p->block)
		return 1;
	/* LMM(lane_read:C): how much is complete before that; pairs with lane_write:C. */
	used = smp_load_acquire(&b->used);
	sense = number == p->block && used >= from && used <= DEVTRACE_LANE_BLOCK && !(used & 1);
	if (!p->off) {
		time = READ_ONCE(b->time);
		count = READ_ONCE(b->count);
	}
	if (sense)
		lane_copy_out(buf, (const u8 *)b + from, used - from);
	/* LMM(lane_read:D): all of that before we look again; pairs with lane_write:A. */
	smp_rmb();
	if (READ_ONCE(m->head->open) - p->block >= m->nr)
		return 0;
	if (!sense || count < p->idx || count - p->idx > COUNT_MAX)
		return -EPROTO;
	*lost += count - p->idx;
	*len = used - from;
	p->idx = count;
	p->time = time;
	p->off = used;
	return 1;
}

/**
 * lane_fetch() - copy events
 * @m: the lane
 * @p: from here on; moved behind what was copied, but for @idx and @time, which
 *	lane_next() moves
 * @buf: where to, DEVTRACE_LANE_BLOCK bytes
 * @len: bytes that were copied, 0 if there is nothing
 * @lost: events that were overwritten before we came are added
 *
 * Return: 0, or -EPROTO if what stands there makes no sense.
 */
int lane_fetch(const struct lane_mem *m, struct lane_place *p, u8 *buf, u32 *len, u64 *lost)
{
	u32 open, steps;
	int ret;

	*len = 0;
	for (steps = 0; steps < 2 * m->nr; steps++) {
		/* LMM(lane_read:A): before what is in the blocks; pairs with lane_write:A. */
		open = smp_load_acquire(&m->head->open);
		if (nothing_yet(open, p))
			return 0;
		if (open - p->block >= m->nr) {
			p->block = oldest(m, open);
			p->off = 0;
		}
		ret = copy_block(m, p, open, buf, len, lost);
		if (ret < 0)
			return ret;
		if (*len || (ret && open == p->block))
			return 0;
		if (ret) {
			/* The writer had gone on before we looked how much there is. */
			p->block++;
			p->off = 0;
		}
	}
	/* It is being overwritten faster than we look, or it never ends. */
	return 0;
}

static u32 word_at(const u8 *buf, u32 at)
{
	return get_unaligned((const u32 *)(buf + at));
}

/**
 * lane_next() - the next event of what was copied
 * @p: its number and the time before it; moved on
 * @buf: of lane_fetch()
 * @at: where in there; moved on
 * @len: bytes that are there, more than @at
 * @ev: filled in; type, flags and severity are not checked
 *
 * Return: 0, or -EPROTO if it makes no sense.
 */
int lane_next(struct lane_place *p, const u8 *buf, u32 *at, u32 len, struct lane_event *ev)
{
	u32 left = len - *at, words = 1, word, more;
	u64 ns;

	if (left < sizeof(word))
		return -EPROTO;
	word = word_at(buf, *at);
	ns = word >> DEVTRACE_LANE_NS_SHIFT;
	ev->type = word >> DEVTRACE_LANE_TYPE_SHIFT;
	ev->len = word & 0x7f;
	ev->flags = 0;
	ev->severity = 0;
	if (unlikely(ev->len > DEVTRACE_LANE_SHORT)) {
		if (left < 2 * sizeof(word))
			return -EPROTO;
		more = word_at(buf, *at + sizeof(word));
		words = 2;
		switch (ev->len) {
		case DEVTRACE_LANE_DELAY:
			ev->len = ns;
			if (ev->len != ns)
				return -EPROTO;
			ns = more;
			break;
		case DEVTRACE_LANE_FULL:
			ev->len = more;
			ev->flags = more >> 16;
			ev->severity = more >> 24;
			break;
		case DEVTRACE_LANE_LATE:
			if (left < 3 * sizeof(word))
				return -EPROTO;
			words = 3;
			ev->len = ns;
			if (ev->len != ns)
				return -EPROTO;
			ev->flags = more;
			ev->severity = more >> 8;
			ns = (u64)(more >> 16) << 32 | word_at(buf, *at + 2 * sizeof(word));
			break;
		default:
			return -EPROTO;
		}
	}
	left -= words * sizeof(word);
	if (ev->len > left || ev->len > DEVTRACE_PAYLOAD_MAX || (ev->len & 1 && ev->len == left))
		return -EPROTO;
	ev->data = buf + *at + words * sizeof(word);
	ev->time = p->time + ns;
	p->time = ev->time;
	p->idx++;
	*at += words * sizeof(word) + ev->len + (ev->len & 1);
	return 0;
}

/**
 * lane_end() - behind the newest event
 * @m: the lane
 * @p: set
 * @buf: DEVTRACE_LANE_BLOCK bytes to work in
 *
 * Return: 0, or -EPROTO if what stands there makes no sense.
 */
int lane_end(const struct lane_mem *m, struct lane_place *p, u8 *buf)
{
	struct lane_event ev;
	u32 len, at, back;
	u64 lost = 0;
	int err;

	/* A block that is being opened has no header yet. */
	for (back = 0; back < 2; back++) {
		lane_begin(m, p);
		if (nothing_yet(READ_ONCE(m->head->open), p))
			return 0;
		p->block = READ_ONCE(m->head->open) - back;
		/* What comes in blocks behind that one comes later than we did. */
		err = lane_fetch(m, p, buf, &len, &lost);
		for (at = 0; !err && at < len;)
			err = lane_next(p, buf, &at, len, &ev);
		if (err || p->off)
			return err;
	}
	return 0;
}

/**
 * lane_find() - to a block that has the first event at or after a time, or one before it
 * @m: the lane
 * @p: set
 * @ts: trace clock, ns
 */
void lane_find(const struct lane_mem *m, struct lane_place *p, u64 ts)
{
	const struct devtrace_lane_block *b;
	struct lane_place at;
	bool found = false;
	u32 steps;

	lane_begin(m, p);
	if (nothing_yet(READ_ONCE(m->head->open), p))
		return;
	at = *p;
	for (steps = 0; steps < m->nr; steps++, at.block++) {
		b = block_at(m, at.block);
		/* Pairs with lane_write:B. */
		if (smp_load_acquire(&b->number) != at.block)
			break;
		at.time = READ_ONCE(b->time);
		at.idx = READ_ONCE(b->count);
		/* Pairs with lane_write:A. */
		smp_rmb();
		if (READ_ONCE(m->head->open) - at.block >= m->nr)
			continue;
		/* The block before may end with events of the same time, if it is there. */
		if (found && at.time >= ts)
			break;
		*p = at;
		found = true;
		if (at.time >= ts || READ_ONCE(m->head->open) == at.block)
			break;
	}
}

/**
 * lane_newest() - how far its thread is, to be compared with how far it was
 * @m: the lane
 * @open: filled in
 * @used: filled in
 */
void lane_newest(const struct lane_mem *m, u32 *open, u16 *used)
{
	*open = READ_ONCE(m->head->open);
	*used = READ_ONCE(block_at(m, *open)->used);
}

/**
 * lane_unread() - whether there is something behind a place
 * @m: the lane
 * @p: the place
 * @blocks: and so many blocks at least, 0: anything
 */
bool lane_unread(const struct lane_mem *m, const struct lane_place *p, u32 blocks)
{
	const u32 open = READ_ONCE(m->head->open);
	const struct devtrace_lane_block *b;

	if (nothing_yet(open, p))
		return false;
	if (blocks || open != p->block)
		return open - p->block >= (blocks ?: 1);
	b = block_at(m, open);
	return READ_ONCE(b->number) == open && READ_ONCE(b->used) > (p->off ?: HEADER);
}

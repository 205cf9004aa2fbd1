// SPDX-License-Identifier: GPL-2.0-only
/*
 * Looking into a lane: memory that a program writes meanwhile, whatever it likes
 *
 * The writer says which block it is about to overwrite (open) before it touches it, and
 * how much of a block is complete (used) after it is. So whoever finds, behind a copy,
 * that open has not come round to the block again, has copied what was whole.
 */
#include "lane_read.h"

/* The shortest record. */
#define RECORD_MIN	4

/**
 * lane_begin() - where the first event will be
 * @m: the lane
 * @p: set
 */
void lane_begin(const struct lane_mem *m, struct lane_place *p)
{
	p->block = m->first;
	p->off = 0;
	p->skipped = 0;
	p->idx = 0;
	p->time = 0;
	p->cpu = DEVTRACE_LANE_NO_CPU;
}

/*
 * Of the block at @p. 1: there is a piece; 0: there is nothing, but perhaps in the
 * next block; -EPROTO.
 */
static int look_at(const struct lane_mem *m, struct lane_place *p, struct lane_piece *c)
{
	const struct devtrace_lane_block *b = lane_block(m, p->block);
	u32 used, from = p->off ?: LANE_HEADER;
	u64 count = p->idx;

	/* LMM(lane_read:C): how much is complete before that; pairs with lane_write:C. */
	used = smp_load_acquire(&b->used);
	if (used < from || used > DEVTRACE_LANE_BLOCK || used & 1)
		return -EPROTO;
	c->from = (const u8 *)b + from;
	c->len = used - from;
	c->time = p->time;
	c->cpu = p->cpu;
	if (!p->off) {
		c->time = READ_ONCE(b->time);
		c->cpu = READ_ONCE(b->cpu);
		count = READ_ONCE(b->count);
	}
	/* More than the blocks that were skipped can have held is nonsense. */
	if (count < p->idx ||
	    count - p->idx > (p->skipped + 1) * (DEVTRACE_LANE_BLOCK / RECORD_MIN))
		return -EPROTO;
	c->lost = count - p->idx;
	return c->len > 0;
}

/**
 * lane_look() - what is complete and was not taken, of one block
 * @m: the lane
 * @p: from here on; moved forward if the block is no more, and to the next one if all
 *	of it was taken
 * @piece: filled in
 *
 * A copy of it counts only if lane_still() says so afterwards.
 *
 * Return: 1; 0 if there is nothing; -EPROTO if what stands there makes no sense.
 */
int lane_look(const struct lane_mem *m, struct lane_place *p, struct lane_piece *piece)
{
	const struct devtrace_lane_head *head = lane_head(m);
	u32 open, steps;
	int ret;

	for (steps = 0; steps < 2 * m->nr; steps++) {
		/* LMM(lane_read:A): before what is in the blocks; pairs with lane_write:A. */
		open = smp_load_acquire(&head->open);
		if (lane_nothing_yet(open, p))
			return 0;
		if (open - p->block >= m->nr) {
			p->skipped += open - m->nr + 1 - p->block;
			p->block = open - m->nr + 1;
			p->off = 0;
		}
		/* LMM(lane_read:B): the number before the header; pairs with lane_write:B. */
		if (smp_load_acquire(&lane_block(m, p->block)->number) != p->block) {
			/* The block was opened, and its header is not there yet. */
			if (open == p->block)
				return 0;
			ret = -EPROTO;
		} else {
			ret = look_at(m, p, piece);
		}
		if (ret > 0)
			return ret;
		if (!lane_still(m, p))
			continue;
		if (ret < 0 || open == p->block)
			return ret;
		/* The writer had gone on before we looked how much there is. */
		p->block++;
		p->off = 0;
	}
	/* The lane is overwritten faster than it is read. */
	return 0;
}

/**
 * lane_still() - whether what was loaded and copied since lane_look() was whole
 * @m: the lane
 * @p: as lane_look() left it
 */
bool lane_still(const struct lane_mem *m, const struct lane_place *p)
{
	/* LMM(lane_read:D): all of that before we look again; pairs with lane_write:A. */
	smp_rmb();
	return READ_ONCE(lane_head(m)->open) - p->block < m->nr;
}

/**
 * lane_taken() - go behind a piece
 * @p: the place that it was found by; @idx, @time and @cpu are the caller's to set
 * @piece: it
 */
void lane_taken(struct lane_place *p, const struct lane_piece *piece)
{
	p->off = (p->off ?: LANE_HEADER) + piece->len;
	p->skipped = 0;
}

/**
 * lane_long() - the rest of a record that is not of the shortest form
 * @word: its first word
 * @buf: the copy
 * @at: where it begins
 * @left: bytes from there on, at least one word
 * @ev: length, flags and severity are set, and @time to that since the record before
 *
 * Return: how many words it has before the payload, or -EPROTO.
 */
int lane_long(u32 word, const u8 *buf, u32 at, u32 left, struct lane_event *ev)
{
	const u32 bits = word >> DEVTRACE_LANE_NS_SHIFT;
	int words = 2;
	u32 more;

	if (left < 2 * sizeof(word))
		return -EPROTO;
	more = lane_word(buf + at + sizeof(word));
	ev->time = bits;
	switch (word & 0x7f) {
	case DEVTRACE_LANE_DELAY:
		if (bits > DEVTRACE_PAYLOAD_MAX)
			return -EPROTO;
		ev->len = bits;
		ev->time = more;
		break;
	case DEVTRACE_LANE_FULL:
		ev->len = more;
		ev->flags = more >> 16;
		ev->severity = more >> 24;
		break;
	case DEVTRACE_LANE_LATE:
		if (left < 3 * sizeof(word) || bits > DEVTRACE_PAYLOAD_MAX)
			return -EPROTO;
		words = 3;
		ev->len = bits;
		ev->flags = more;
		ev->severity = more >> 8;
		ev->time = (u64)(more >> 16) << 32 |
			   lane_word(buf + at + 2 * sizeof(word));
		break;
	default:
		return -EPROTO;
	}
	return ev->len > DEVTRACE_PAYLOAD_MAX ? -EPROTO : words;
}

/**
 * lane_newest() - how far its thread is, to be compared with how far it was
 * @m: the lane
 * @open: filled in
 * @used: filled in
 */
void lane_newest(const struct lane_mem *m, u32 *open, u16 *used)
{
	*open = READ_ONCE(lane_head(m)->open);
	*used = READ_ONCE(lane_block(m, *open)->used);
}

/**
 * lane_untaken_bytes() - how much stands behind a place, as far as its thread says
 * @m: the lane
 * @p: the place
 */
u32 lane_untaken_bytes(const struct lane_mem *m, const struct lane_place *p)
{
	const u32 open = READ_ONCE(lane_head(m)->open), blocks = open - p->block;
	const u32 off = p->off ?: LANE_HEADER;
	u32 used;

	if (lane_nothing_yet(open, p))
		return 0;
	used = READ_ONCE(lane_block(m, open)->used);
	if (used > DEVTRACE_LANE_BLOCK)
		used = DEVTRACE_LANE_BLOCK;
	if (blocks >= m->nr)
		return m->nr * DEVTRACE_LANE_BLOCK;
	return blocks * DEVTRACE_LANE_BLOCK + used > off ?
	       blocks * DEVTRACE_LANE_BLOCK + used - off : 0;
}

// SPDX-License-Identifier: GPL-2.0-only
/*
 * Read a lane: memory that a program may change in any way at any time
 *
 * Before the writer overwrites a block, it stores the block's number (open); after it completes
 * a record, it stores how many bytes are complete (used). So a copy of a block is valid if, at the
 * end of the copy, open says that the writer has not begun to overwrite that block.
 */
#include "lane_read.h"

/* Size of the shortest record. */
#define RECORD_MIN	4

/* Set @p to the place of the lane's first event. */
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
 * Find the complete records of the block at @p. Return 1; 0: none, but maybe in the next block; or
 * -EPROTO.
 */
static int look_at(const struct lane_mem *m, struct lane_place *p, struct lane_piece *c)
{
	const struct devtrace_lane_block *b = lane_block(m, p->block);
	u32 used, from = p->off ?: LANE_HEADER;
	u64 count = p->idx;

	/*
	 * LMM(lane_read:C): If this load reads the store of lane_write:C, then the records up to
	 * used are complete. Pairs with lane_write:C.
	 */
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
	/* Reject a count that exceeds the capacity of the skipped blocks. */
	if (count < p->idx ||
	    count - p->idx > (p->skipped + 1) * (DEVTRACE_LANE_BLOCK / RECORD_MIN))
		return -EPROTO;
	c->lost = count - p->idx;
	return c->len > 0;
}

/**
 * lane_look() - find the complete records of one block that were not taken
 * @m: the lane
 * @p: where to begin; moved to the oldest block if its block was overwritten, and to the next one
 *	if all of its block was taken
 * @piece: filled in; a copy of it is valid only if lane_still() returns true afterwards
 *
 * Return: 1; 0 if there are no such records; -EPROTO if the content is invalid.
 */
int lane_look(const struct lane_mem *m, struct lane_place *p, struct lane_piece *piece)
{
	const struct devtrace_lane_head *head = lane_head(m);
	u32 open, steps;
	int ret;

	for (steps = 0; steps < 2 * m->nr; steps++) {
		/*
		 * LMM(lane_read:A): If this load reads the store of lane_write:A, then the block
		 * before open is complete. Pairs with lane_write:A.
		 */
		open = smp_load_acquire(&head->open);
		if (lane_nothing_yet(open, p))
			return 0;
		if (open - p->block >= m->nr) {
			p->skipped += open - m->nr + 1 - p->block;
			p->block = open - m->nr + 1;
			p->off = 0;
		}
		/*
		 * LMM(lane_read:B): If this load reads the store of lane_write:B, then the header
		 * loaded below belongs to that number. Pairs with lane_write:B.
		 */
		if (smp_load_acquire(&lane_block(m, p->block)->number) != p->block) {
			/* The thread has opened the block but not written its header yet. */
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
		/*
		 * The writer had left this block before its member used was loaded, so nothing is
		 * missing: go on to the next block.
		 */
		p->block++;
		p->off = 0;
	}
	/* The thread overwrites the lane faster than we read it. */
	return 0;
}

/* Are the words that were loaded and copied after lane_look() valid? @p: as lane_look() set it. */
bool lane_still(const struct lane_mem *m, const struct lane_place *p)
{
	/*
	 * LMM(lane_read:D): If a word of the copy comes from a record that overwrites the
	 * block, then open, loaded below, has reached the block again. Pairs with lane_write:A.
	 */
	smp_rmb();
	return READ_ONCE(lane_head(m)->open) - p->block < m->nr;
}

/* Advance past a piece; the caller advances @idx, @time and @cpu. */
void lane_taken(struct lane_place *p, const struct lane_piece *piece)
{
	p->off = (p->off ?: LANE_HEADER) + piece->len;
	p->skipped = 0;
}

/**
 * lane_long() - parse the rest of a record that is not of the short form
 * @word: first word of the record
 * @buf: the copy
 * @at: offset of the record
 * @left: bytes from @at to the end of the copy, at least one word
 * @ev: filled in: length, flags and severity; @time is the time since the previous record
 *
 * Return: number of words before the payload, or -EPROTO.
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

/* How far has the thread written? @open: the open block; @used: bytes used of it. */
void lane_newest(const struct lane_mem *m, u32 *open, u16 *used)
{
	*open = READ_ONCE(lane_head(m)->open);
	*used = READ_ONCE(lane_block(m, *open)->used);
}

/* Bytes written after a place, according to the head of the lane. */
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

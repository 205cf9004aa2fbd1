// SPDX-License-Identifier: GPL-2.0-only
/*
 * The sums of a ring
 *
 * 4 KiB of data have one: of the records that begin there. So has the part that is being
 * filled. Of the two sums of a chunk the older one is written over: one is whole at any
 * time, and says as much as it did before.
 */
#include "sums.h"

static void begin(struct sums *s)
{
	s->sum = (struct persist_sum){
		.pos = s->place.pos, .idx = s->place.idx,
		.to_pos = s->place.pos, .to_idx = s->place.idx, .sum = PERSIST_SUM_FIRST,
	};
}

/**
 * sums_begin() - no record has a sum yet
 * @s: filled in
 * @table: two sums for each chunk, zeroed
 * @mask: units of the ring, less 1
 * @place: of the first record
 */
void sums_begin(struct sums *s, void *table, u32 mask, struct ring_place place)
{
	s->table = table;
	s->mask = mask;
	s->place = place;
	begin(s);
}

/* NULL: there is nothing that has no sum. */
struct persist_sum *sums_store(struct sums *s)
{
	struct persist_sum *two = s->table + 2 * ((u32)(s->sum.pos & s->mask) / PERSIST_CHUNK);
	struct persist_sum *to = two[0].to_pos <= two[1].to_pos ? &two[0] : &two[1];

	if (s->sum.to_pos == s->sum.pos)
		return NULL;
	s->sum.crc = PERSIST_CRC(&s->sum);
	/* Whoever finds 0 knows that it was being written, and is not damaged. */
	WRITE_ONCE(to->crc, 0);
	barrier();
	memcpy(to, &s->sum, offsetof(struct persist_sum, crc));
	barrier();
	WRITE_ONCE(to->crc, s->sum.crc);
	return to;
}

static void add_record(struct sums *s, const struct ring_record *rec, u32 units)
{
	/* Behind padding, in another chunk, or something was overwritten. */
	if (s->sum.to_pos != s->place.pos ||
	    s->sum.pos / PERSIST_CHUNK != s->place.pos / PERSIST_CHUNK) {
		sums_store(s);
		begin(s);
	}
	s->sum.sum = persist_sum_add(s->sum.sum, rec, (size_t)units * RING_UNIT);
	s->place.pos += units;
	s->place.idx++;
	s->sum.ts = rec->word;
	s->sum.to_pos = s->place.pos;
	s->sum.to_idx = s->place.idx;
}

/**
 * sums_add() - go on over records
 * @s: the sums
 * @records: what ring_fetch() copied from @s->place, which it may have moved
 * @units: how much of it; the last record may be cut off
 */
void sums_add(struct sums *s, const u64 *records, u32 units)
{
	u32 i = 0, n;

	while (i < units) {
		const struct ring_record *rec = (const void *)&records[i];
		const bool pad = rec->word >> RING_TYPE_SHIFT == RING_TYPE_PAD;

		if (!pad && units - i < 2)
			break;
		n = ring_record_units(rec);
		if (n > units - i)
			break;
		if (pad)
			s->place.pos += n;
		else
			add_record(s, rec, n);
		i += n;
	}
}

// SPDX-License-Identifier: GPL-2.0-only
/*
 * The checksums of a ring
 *
 * Each chunk of 4 KiB has a sum over the records that begin in it, even while it is being filled. A
 * chunk has room for two sums, of which the older is overwritten, so one sum is whole at any time.
 */
#include "sums.h"

static void sums_at_begin(struct sums *s)
{
	s->sum = (struct persist_sum){
		.pos = s->place.pos, .idx = s->place.idx,
		.to_pos = s->place.pos, .to_idx = s->place.idx, .sum = PERSIST_SUM_FIRST,
	};
}

/**
 * sums_begin() - initialize the sums of a ring
 * @s: filled in
 * @table: in the region: two sums for each chunk, zeroed
 * @mask: units of the ring - 1
 * @place: place of the first record to sum
 */
void sums_begin(struct sums *s, void *table, u32 mask, struct ring_place place)
{
	s->table = table;
	s->mask = mask;
	s->place = place;
	sums_at_begin(s);
}

/* Store the sum of the current chunk. Return its address; NULL: the chunk has no record yet. */
struct persist_sum *sums_store(struct sums *s)
{
	struct persist_sum *two = s->table + 2 * ((u32)(s->sum.pos & s->mask) / PERSIST_CHUNK);
	struct persist_sum *to = two[0].to_pos <= two[1].to_pos ? &two[0] : &two[1];

	if (s->sum.to_pos == s->sum.pos)
		return NULL;
	s->sum.crc = PERSIST_CRC(&s->sum);
	/* 0 tells check.c that the sum is being written, not damaged. */
	WRITE_ONCE(to->crc, 0);
	barrier();
	memcpy(to, &s->sum, offsetof(struct persist_sum, crc));
	barrier();
	WRITE_ONCE(to->crc, s->sum.crc);
	return to;
}

static void add_record(struct sums *s, const struct ring_record *rec, u32 units)
{
	/* Begin a new sum if the record is in another chunk, or does not directly follow. */
	if (s->sum.to_pos != s->place.pos ||
	    s->sum.pos / PERSIST_CHUNK != s->place.pos / PERSIST_CHUNK) {
		sums_store(s);
		sums_at_begin(s);
	}
	s->sum.sum = persist_sum_add(s->sum.sum, rec, (size_t)units * RING_UNIT);
	s->place.pos += units;
	s->place.idx++;
	s->sum.ts = rec->word;
	s->sum.to_pos = s->place.pos;
	s->sum.to_idx = s->place.idx;
}

/**
 * sums_add() - add records to the sums
 * @s: the sums
 * @records: copy of the records at @s->place, which ring_fetch() may have moved forward
 * @units: units in @records; a last record that is cut off is left for the next call
 *
 * Stops at a record with an invalid size: at a panic, memory may have any content.
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
		if (!n || n > RING_UNITS_MAX || n > units - i)
			break;
		if (pad)
			s->place.pos += n;
		else
			add_record(s, rec, n);
		i += n;
	}
}

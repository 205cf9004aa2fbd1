// SPDX-License-Identifier: GPL-2.0-only
/*
 * parquet_column.c - the values of one column in a row group
 *
 * Each different value is stored once, in the form that the page of the dictionary has. A hash
 * table with a random key finds it, because the writer of a stream chooses the values. At the end
 * of the row group the dictionary is written if that is shorter than all values one by one.
 */
#include <stdlib.h>
#include "parquet.h"
#include "view.h"

#define SLOTS_LEAST	64

void parquet_column_init(struct parquet_column *c, const struct parquet_field *field)
{
	*c = (struct parquet_column){ .field = *field };
	out_init(&c->present, -1);
	out_init(&c->dict, -1);
	if (field->rises) {
		c->numbers = view_alloc(NULL, PARQUET_ROWS * sizeof(*c->numbers));
		return;
	}
	c->index = view_alloc(NULL, PARQUET_ROWS * sizeof(*c->index));
	c->at = view_alloc(NULL, (PARQUET_ROWS + 1) * sizeof(*c->at));
	c->nr_slots = SLOTS_LEAST;
	c->slots = view_alloc(NULL, c->nr_slots * sizeof(*c->slots));
	parquet_column_clear(c);
}

void parquet_column_free(struct parquet_column *c)
{
	out_free(&c->present);
	out_free(&c->dict);
	free(c->numbers);
	free(c->index);
	free(c->at);
	free(c->slots);
}

void parquet_column_clear(struct parquet_column *c)
{
	c->present.len = 0;
	c->dict.len = 0;
	c->values = 0;
	c->unique = 0;
	c->plain = 0;
	if (!c->slots)
		return;
	c->at[0] = 0;
	memset(c->slots, 0, c->nr_slots * sizeof(*c->slots));
}

/* Return the slot of this value: the one that has it, or the empty one that it gets. */
static uint32_t *find_slot(const struct parquet_column *c, const struct hash_key *key,
			   const void *value, size_t n)
{
	uint64_t i = hash_bytes(key, 0, value, n);

	for (;; i++) {
		uint32_t *slot = &c->slots[i & (c->nr_slots - 1)];
		const uint32_t *at = c->at + *slot;

		if (!*slot || (at[0] - at[-1] == n && !memcmp(c->dict.buf + at[-1], value, n)))
			return slot;
	}
}

static void grow_slots(struct parquet_column *c, const struct hash_key *key)
{
	uint32_t i;

	c->nr_slots *= 2;
	c->slots = view_alloc(c->slots, c->nr_slots * sizeof(*c->slots));
	memset(c->slots, 0, c->nr_slots * sizeof(*c->slots));
	for (i = 0; i < c->unique; i++)
		*find_slot(c, key, c->dict.buf + c->at[i], c->at[i + 1] - c->at[i]) = i + 1;
}

size_t parquet_column_add(struct parquet_column *c, const struct hash_key *key, const void *value,
			  size_t n)
{
	uint32_t *slot = find_slot(c, key, value, n);
	const bool is_new = !*slot;

	if (is_new) {
		out_mem(&c->dict, value, n);
		c->at[++c->unique] = (uint32_t)c->dict.len;
		*slot = c->unique;
	}
	c->index[c->values++] = *slot - 1;
	c->plain += n;
	if (is_new && c->unique > c->nr_slots / 2)
		grow_slots(c, key);
	return is_new ? n : 0;
}

void parquet_column_add_number(struct parquet_column *c, uint64_t v)
{
	c->numbers[c->values++] = v;
	c->plain += sizeof(v);
}

/* Return the number of bits of an index. Some readers reject the width 0. */
static unsigned int index_width(const struct parquet_column *c)
{
	return c->unique > 1 ? parquet_width(c->unique - 1) : 1;
}

enum parquet_encoding parquet_column_encoding(const struct parquet_column *c)
{
	if (c->field.rises)
		return PARQUET_DELTA;
	return c->dict.len + (uint64_t)c->values * index_width(c) / 8 < c->plain ?
	       PARQUET_DICTIONARY : PARQUET_PLAIN;
}

void parquet_column_encode(const struct parquet_column *c, enum parquet_encoding encoding,
			   uint32_t from, uint32_t to, uint32_t *scratch, struct out *o)
{
	uint32_t i;

	switch (encoding) {
	case PARQUET_DELTA:
		parquet_delta(o, c->numbers + from, to - from);
		break;
	case PARQUET_DICTIONARY:
		out_char(o, (char)index_width(c));
		parquet_hybrid(o, c->index + from, to - from, index_width(c));
		break;
	case PARQUET_RLE:
		for (i = from; i < to; i++)
			scratch[i - from] = (uint8_t)c->present.buf[i];
		parquet_hybrid(o, scratch, to - from, 1);
		break;
	default:
		for (i = from; i < to; i++) {
			const uint32_t *at = &c->at[c->index[i]];

			out_mem(o, c->dict.buf + at[0], at[1] - at[0]);
		}
	}
}

static int64_t integer(const struct parquet_column *c, uint32_t i)
{
	int32_t narrow;
	int64_t wide;

	if (c->field.rises)
		return (int64_t)c->numbers[i];
	if (c->field.type == PARQUET_INT32) {
		memcpy(&narrow, c->dict.buf + c->at[i], sizeof(narrow));
		return (int32_t)le32toh((uint32_t)narrow);
	}
	memcpy(&wide, c->dict.buf + c->at[i], sizeof(wide));
	return (int64_t)le64toh((uint64_t)wide);
}

bool parquet_column_range(const struct parquet_column *c, int64_t *least, int64_t *most)
{
	const uint32_t n = c->field.rises ? c->values : c->unique;
	uint32_t i;

	if (!n || (c->field.type != PARQUET_INT32 && c->field.type != PARQUET_INT64))
		return false;
	*least = integer(c, 0);
	*most = *least;
	for (i = 1; i < n; i++) {
		const int64_t v = integer(c, i);

		*least = v < *least ? v : *least;
		*most = v > *most ? v : *most;
	}
	return true;
}

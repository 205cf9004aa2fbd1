// SPDX-License-Identifier: GPL-2.0-only
/*
 * parquet_thrift.c - the compact protocol of Thrift
 *
 * A field begins with its type and the difference to the number of the field before it. An integer
 * is a varint in zigzag form. A byte 0 ends a structure.
 */
#include <assert.h>
#include "parquet.h"

void thrift_init(struct thrift *t)
{
	*t = (struct thrift){ .depth = 0 };
	out_init(&t->o, -1);
}

void thrift_free(struct thrift *t)
{
	out_free(&t->o);
}

void thrift_clear(struct thrift *t)
{
	t->o.len = 0;
	t->depth = 0;
	t->last[0] = 0;
}

static void put_head(struct thrift *t, int field, enum thrift_type type)
{
	const int step = field - t->last[t->depth];

	assert(step >= 1 && step <= 15);
	out_char(&t->o, (char)(step << 4 | (int)type));
	t->last[t->depth] = field;
}

void thrift_bool(struct thrift *t, int field, bool v)
{
	put_head(t, field, v ? THRIFT_TRUE : THRIFT_FALSE);
}

void thrift_i32(struct thrift *t, int field, int32_t v)
{
	put_head(t, field, THRIFT_I32);
	out_zigzag(&t->o, v);
}

void thrift_i64(struct thrift *t, int field, int64_t v)
{
	put_head(t, field, THRIFT_I64);
	out_zigzag(&t->o, v);
}

void thrift_binary(struct thrift *t, int field, const void *p, size_t n)
{
	put_head(t, field, THRIFT_BINARY);
	thrift_item_binary(t, p, n);
}

void thrift_list(struct thrift *t, int field, enum thrift_type of, size_t n)
{
	put_head(t, field, THRIFT_LIST);
	if (n < 15) {
		out_char(&t->o, (char)(n << 4 | (unsigned int)of));
		return;
	}
	out_char(&t->o, (char)(0xf0 | (unsigned int)of));
	out_varint(&t->o, n);
}

void thrift_item_i32(struct thrift *t, int32_t v)
{
	out_zigzag(&t->o, v);
}

void thrift_item_binary(struct thrift *t, const void *p, size_t n)
{
	out_varint(&t->o, n);
	out_mem(&t->o, p, n);
}

void thrift_item(struct thrift *t)
{
	assert(t->depth + 1 < THRIFT_DEPTH);
	t->last[++t->depth] = 0;
}

void thrift_begin(struct thrift *t, int field)
{
	put_head(t, field, THRIFT_STRUCT);
	thrift_item(t);
}

void thrift_end(struct thrift *t)
{
	out_char(&t->o, 0);
	if (t->depth)
		t->depth--;
}

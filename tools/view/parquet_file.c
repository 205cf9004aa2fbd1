// SPDX-License-Identifier: GPL-2.0-only
/*
 * parquet_file.c - row groups and the footer of a Parquet file
 *
 * A full row group is written at once, and its description is kept for the footer: some 2 KiB for
 * 131072 rows. So the output can be a pipe.
 */
#include <stdio.h>
#include <stdlib.h>
#include "parquet.h"
#include "view.h"

/* PageType, and ConvertedType */
enum { PAGE_DATA = 0, PAGE_DICTIONARY = 2 };
enum { CONVERTED_UTF8 = 0 };
#define OPTIONAL	1	/* FieldRepetitionType */

struct parquet_file {
	struct out	*to;
	uint64_t	at;		/* bytes written so far */
	struct parquet_column *columns;
	unsigned int	nr_columns;
	uint32_t	rows;		/* in the current row group */
	size_t		bytes;		/* of different values in it */
	uint64_t	all_rows;
	struct thrift	groups;		/* descriptions of the row groups */
	unsigned int	nr_groups;
	struct hash_key	key;
	struct thrift	head;
	struct out	page, packed, text;
	struct parquet_pack *pack;
	uint32_t	scratch[PARQUET_PAGE];
};

/* Facts of a chunk for the footer. */
struct chunk {
	enum parquet_encoding encoding;
	uint64_t	dictionary, data;	/* where its pages begin */
	uint64_t	plain, packed;		/* bytes before and after compression */
};

static const char magic[] = "PAR1";

static void put(struct parquet_file *f, const void *p, size_t n)
{
	out_mem(f->to, p, n);
	f->at += n;
}

struct parquet_file *parquet_file_new(struct out *o, const struct parquet_field *fields,
				      unsigned int n)
{
	struct parquet_file *f = view_alloc(NULL, sizeof(*f));
	unsigned int i;

	memset(f, 0, sizeof(*f));
	f->to = o;
	hash_key_init(&f->key);
	thrift_init(&f->groups);
	thrift_init(&f->head);
	out_init(&f->page, -1);
	out_init(&f->packed, -1);
	out_init(&f->text, -1);
	f->pack = parquet_pack_new();
	f->columns = view_alloc(NULL, n * sizeof(*f->columns));
	f->nr_columns = n;
	for (i = 0; i < n; i++)
		parquet_column_init(&f->columns[i], &fields[i]);
	if (!f->pack)
		view_no_memory();
	put(f, magic, 4);
	return f;
}

/* Write the page in f->page. Its head is in f->head, up to the sizes. */
static void put_page(struct parquet_file *f, struct chunk *k, int type, uint32_t values,
		     enum parquet_encoding encoding)
{
	struct thrift *t = &f->head;

	f->packed.len = 0;
	if (f->page.err || !parquet_pack(f->pack, &f->packed, f->page.buf, f->page.len))
		view_no_memory();
	thrift_clear(t);
	thrift_i32(t, 1, type);
	thrift_i32(t, 2, (int32_t)f->page.len);
	thrift_i32(t, 3, (int32_t)f->packed.len);
	thrift_begin(t, type == PAGE_DATA ? 5 : 7);
	thrift_i32(t, 1, (int32_t)values);
	thrift_i32(t, 2, encoding);
	if (type == PAGE_DATA) {
		thrift_i32(t, 3, PARQUET_RLE);
		thrift_i32(t, 4, PARQUET_RLE);
	}
	thrift_end(t);
	thrift_end(t);
	put(f, t->o.buf, t->o.len);
	put(f, f->packed.buf, f->packed.len);
	k->plain += t->o.len + f->page.len;
	k->packed += t->o.len + f->packed.len;
}

static void put_dictionary(struct parquet_file *f, struct chunk *k, const struct parquet_column *c)
{
	k->dictionary = f->at;
	f->page.len = 0;
	out_mem(&f->page, c->dict.buf, c->dict.len);
	put_page(f, k, PAGE_DICTIONARY, c->unique, PARQUET_PLAIN);
}

/* Put the length of what was written behind it into its first four bytes. */
static void put_length(struct out *o)
{
	const size_t n = o->len - 4;

	if (o->err)
		return;
	o->len = 0;
	parquet_little(o, n, 4);
	o->len = n + 4;
}

static void put_chunk(struct parquet_file *f, struct chunk *k, const struct parquet_column *c)
{
	uint32_t row, end, value = 0, until = 0;

	*k = (struct chunk){ .encoding = parquet_column_encoding(c) };
	if (k->encoding == PARQUET_DICTIONARY)
		put_dictionary(f, k, c);
	k->data = f->at;
	for (row = 0; row < f->rows; row = end, value = until) {
		end = f->rows - row > PARQUET_PAGE ? row + PARQUET_PAGE : f->rows;
		for (uint32_t i = row; i < end; i++)
			until += (uint32_t)c->present.buf[i];
		f->page.len = 0;
		parquet_little(&f->page, 0, 4);
		parquet_column_encode(c, PARQUET_RLE, row, end, f->scratch, &f->page);
		put_length(&f->page);
		parquet_column_encode(c, k->encoding, value, until, f->scratch, &f->page);
		put_page(f, k, PAGE_DATA, end - row, k->encoding);
	}
}

static void describe_range(struct thrift *t, const struct parquet_column *c, uint32_t rows)
{
	const unsigned int n = c->field.type == PARQUET_INT32 ? 4 : 8;
	int64_t least, most;
	struct out o;

	thrift_begin(t, 12);
	thrift_i64(t, 3, rows - c->values);
	if (parquet_column_range(c, &least, &most)) {
		out_init(&o, -1);
		parquet_little(&o, (uint64_t)most, n);
		parquet_little(&o, (uint64_t)least, n);
		if (o.err)
			view_no_memory();
		thrift_binary(t, 5, o.buf, n);
		thrift_binary(t, 6, o.buf + n, n);
		out_free(&o);
	}
	thrift_end(t);
}

static void describe_chunk(struct parquet_file *f, const struct chunk *k,
			   const struct parquet_column *c)
{
	const bool has_dictionary = k->encoding == PARQUET_DICTIONARY;
	struct thrift *t = &f->groups;

	thrift_item(t);
	thrift_i64(t, 2, (int64_t)(has_dictionary ? k->dictionary : k->data));
	thrift_begin(t, 3);
	thrift_i32(t, 1, c->field.type);
	thrift_list(t, 2, THRIFT_I32, has_dictionary ? 3 : 2);
	thrift_item_i32(t, PARQUET_RLE);
	thrift_item_i32(t, k->encoding);
	if (has_dictionary)
		thrift_item_i32(t, PARQUET_PLAIN);
	thrift_list(t, 3, THRIFT_BINARY, 1);
	thrift_item_binary(t, c->field.name, strlen(c->field.name));
	thrift_i32(t, 4, parquet_codec);
	thrift_i64(t, 5, f->rows);
	thrift_i64(t, 6, (int64_t)k->plain);
	thrift_i64(t, 7, (int64_t)k->packed);
	thrift_i64(t, 9, (int64_t)k->data);
	if (has_dictionary)
		thrift_i64(t, 11, (int64_t)k->dictionary);
	describe_range(t, c, f->rows);
	thrift_end(t);
	thrift_end(t);
}

/* Write the row group, and begin a new one. */
static void put_group(struct parquet_file *f)
{
	struct thrift *t = &f->groups;
	uint64_t plain = 0, packed = 0;
	const uint64_t begun = f->at;
	unsigned int i;

	thrift_item(t);
	thrift_list(t, 1, THRIFT_STRUCT, f->nr_columns);
	for (i = 0; i < f->nr_columns; i++) {
		struct parquet_column *c = &f->columns[i];
		struct chunk k;

		if (c->present.err || c->dict.err)
			view_no_memory();
		put_chunk(f, &k, c);
		describe_chunk(f, &k, c);
		plain += k.plain;
		packed += k.packed;
		parquet_column_clear(c);
	}
	thrift_i64(t, 2, (int64_t)plain);
	thrift_i64(t, 3, f->rows);
	thrift_i64(t, 5, (int64_t)begun);
	thrift_i64(t, 6, (int64_t)packed);
	thrift_end(t);
	f->nr_groups++;
	f->rows = 0;
	f->bytes = 0;
}

/* Note that the current row has a value in this column. */
static struct parquet_column *set(struct parquet_file *f, unsigned int column)
{
	struct parquet_column *c = &f->columns[column];

	out_char(&c->present, 1);
	return c;
}

static void add(struct parquet_file *f, struct parquet_column *c, uint64_t v, unsigned int n)
{
	uint8_t little[8];
	unsigned int i;

	for (i = 0; i < n; i++)
		little[i] = (uint8_t)(v >> 8 * i);
	f->bytes += parquet_column_add(c, &f->key, little, n);
}

void parquet_put(struct parquet_file *f, unsigned int column, int64_t v)
{
	struct parquet_column *c = set(f, column);

	if (c->field.rises)
		parquet_column_add_number(c, (uint64_t)v);
	else
		add(f, c, (uint64_t)v, c->field.type == PARQUET_INT32 ? 4 : 8);
}

void parquet_put_double(struct parquet_file *f, unsigned int column, double v)
{
	uint64_t bits;

	memcpy(&bits, &v, sizeof(bits));
	add(f, set(f, column), bits, sizeof(bits));
}

void parquet_put_text(struct parquet_file *f, unsigned int column, const void *p, size_t n)
{
	struct out *o = &f->text;

	o->len = 0;
	parquet_little(o, 0, 4);
	out_utf8(o, p, n);
	put_length(o);
	if (o->err)
		view_no_memory();
	f->bytes += parquet_column_add(set(f, column), &f->key, o->buf, o->len);
}

void parquet_row(struct parquet_file *f)
{
	unsigned int i;

	f->rows++;
	f->all_rows++;
	for (i = 0; i < f->nr_columns; i++)
		if (f->columns[i].present.len < f->rows)
			out_char(&f->columns[i].present, 0);
	if (f->rows == PARQUET_ROWS || f->bytes >= PARQUET_BYTES)
		put_group(f);
}

uint64_t parquet_rows(const struct parquet_file *f)
{
	return f->all_rows;
}

/* LogicalType: STRING = 1, or TIMESTAMP = 8 with isAdjustedToUTC = 1, unit = 2 (NANOS = 3) */
static void describe_meaning(struct thrift *t, const struct parquet_field *field)
{
	if (field->type == PARQUET_STRING)
		thrift_i32(t, 6, CONVERTED_UTF8);
	else if (!field->time)
		return;
	thrift_begin(t, 10);
	thrift_begin(t, field->time ? 8 : 1);
	if (field->time) {
		thrift_bool(t, 1, true);
		thrift_begin(t, 2);
		thrift_begin(t, 3);
		thrift_end(t);
		thrift_end(t);
	}
	thrift_end(t);
	thrift_end(t);
}

static void describe_schema(struct thrift *t, const struct parquet_file *f)
{
	static const char root[] = "devtrace";
	unsigned int i;

	thrift_list(t, 2, THRIFT_STRUCT, f->nr_columns + 1);
	thrift_item(t);
	thrift_binary(t, 4, root, strlen(root));
	thrift_i32(t, 5, (int32_t)f->nr_columns);
	thrift_end(t);
	for (i = 0; i < f->nr_columns; i++) {
		const struct parquet_field *field = &f->columns[i].field;

		thrift_item(t);
		thrift_i32(t, 1, field->type);
		thrift_i32(t, 3, OPTIONAL);
		thrift_binary(t, 4, field->name, strlen(field->name));
		describe_meaning(t, field);
		thrift_end(t);
	}
}

static void put_footer(struct parquet_file *f)
{
	static const char by[] = VIEW_NAME " version " TI_VERSION;
	struct thrift *t = &f->head;
	struct out *o = &f->text;
	unsigned int i;
	size_t n;

	thrift_clear(t);
	thrift_i32(t, 1, 2);
	describe_schema(t, f);
	thrift_i64(t, 3, (int64_t)f->all_rows);
	thrift_list(t, 4, THRIFT_STRUCT, f->nr_groups);
	out_mem(&t->o, f->groups.o.buf, f->groups.o.len);
	thrift_binary(t, 6, by, strlen(by));
	/* ColumnOrder: TYPE_ORDER = 1 */
	thrift_list(t, 7, THRIFT_STRUCT, f->nr_columns);
	for (i = 0; i < f->nr_columns; i++) {
		thrift_item(t);
		thrift_begin(t, 1);
		thrift_end(t);
		thrift_end(t);
	}
	thrift_end(t);
	if (t->o.err || f->groups.o.err)
		view_no_memory();
	n = t->o.len;
	put(f, t->o.buf, n);
	o->len = 0;
	parquet_little(o, n, 4);
	out_mem(o, magic, 4);
	put(f, o->buf, o->len);
}

void parquet_file_end(struct parquet_file *f)
{
	unsigned int i;

	if (f->rows)
		put_group(f);
	put_footer(f);
	for (i = 0; i < f->nr_columns; i++)
		parquet_column_free(&f->columns[i]);
	free(f->columns);
	thrift_free(&f->groups);
	thrift_free(&f->head);
	out_free(&f->page);
	out_free(&f->packed);
	out_free(&f->text);
	parquet_pack_free(f->pack);
	free(f);
}

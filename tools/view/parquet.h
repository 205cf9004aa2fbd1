/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * parquet.h - a table in the Apache Parquet format
 *
 * A file consists of row groups and a footer. A row group has one chunk for each column, and a
 * chunk has pages: at most one with the dictionary of the column's values, then those with the
 * values. Every column is optional: a row may have no value in it. The numbers and layouts are
 * those of parquet-format 2.10 (parquet.thrift, Encodings.md), which are never changed.
 *
 * The rows of one row group are kept in memory until the group is full.
 */
#ifndef VIEW_PARQUET_H
#define VIEW_PARQUET_H

#include "common/hash.h"
#include "common/out.h"

/* limits of a row group: rows, and bytes of different values */
#define PARQUET_ROWS	131072
#define PARQUET_BYTES	(8 * 1024 * 1024)
/* rows in a page of values */
#define PARQUET_PAGE	32768

/* Type of parquet.thrift */
enum parquet_type {
	PARQUET_INT32 = 1, PARQUET_INT64 = 2, PARQUET_DOUBLE = 5, PARQUET_STRING = 6,
};

/* Encoding of parquet.thrift */
enum parquet_encoding {
	PARQUET_PLAIN = 0, PARQUET_RLE = 3, PARQUET_DELTA = 5, PARQUET_DICTIONARY = 8,
};

struct parquet_field {
	const char	*name;
	enum parquet_type type;
	/* time: ns since 1970, UTC; rises: an INT64 whose values are stored as differences */
	bool		time, rises;
};

/**
 * struct parquet_column - the values of one column in the current row group
 * @present: a byte for each row: has it a value?
 * @values: number of values
 * @numbers: the values, if the field rises
 * @index: otherwise, for each value its position in @at
 * @dict: the different values in plain form, one after the other
 * @at: where in @dict each different value begins
 * @unique: number of different values
 * @slots: hash table of @nr_slots positions in @at, plus 1; 0: empty
 * @plain: size of all values in plain form
 */
struct parquet_column {
	struct parquet_field field;
	struct out	present;
	uint32_t	values;
	uint64_t	*numbers;
	uint32_t	*index;
	struct out	dict;
	uint32_t	*at;
	uint32_t	unique;
	uint32_t	*slots;
	uint32_t	nr_slots;
	uint64_t	plain;
};

/* view/parquet_column.c */
void parquet_column_init(struct parquet_column *c, const struct parquet_field *field);
void parquet_column_free(struct parquet_column *c);
/* Forget the values. */
void parquet_column_clear(struct parquet_column *c);
/* Add a value in plain form. Return by how many bytes the memory of different values grew. */
size_t parquet_column_add(struct parquet_column *c, const struct hash_key *key, const void *value,
			  size_t n);
void parquet_column_add_number(struct parquet_column *c, uint64_t v);
/* Return the encoding that makes this column short. */
enum parquet_encoding parquet_column_encoding(const struct parquet_column *c);
/* Write the values from @from up to @to in this encoding. @scratch has PARQUET_PAGE numbers. */
void parquet_column_encode(const struct parquet_column *c, enum parquet_encoding encoding,
			   uint32_t from, uint32_t to, uint32_t *scratch, struct out *o);
/* Find the least and the greatest integer. Return false if there are none. */
bool parquet_column_range(const struct parquet_column *c, int64_t *least, int64_t *most);

/*
 * view/parquet_encode.c: parquet_hybrid() writes numbers of @width bits as runs and groups of 8.
 * parquet_delta() writes numbers as differences, in blocks of 128.
 */
void parquet_hybrid(struct out *o, const uint32_t *v, size_t n, unsigned int width);
void parquet_delta(struct out *o, const uint64_t *v, size_t n);
/* Return the number of bits that @v needs. */
unsigned int parquet_width(uint64_t v);
/* Write the @n low bytes of a number, lowest first. */
void parquet_little(struct out *o, uint64_t v, unsigned int n);

/* view/parquet_pack.c: compress pages with zstd; without libzstd, with gzip. */
struct parquet_pack;
struct parquet_pack *parquet_pack_new(void);
void parquet_pack_free(struct parquet_pack *p);
/* Append the page to @o. Return false if there is no memory. */
bool parquet_pack(struct parquet_pack *p, struct out *o, const void *page, size_t n);
/* CompressionCodec of parquet.thrift */
extern const int parquet_codec;

/*
 * view/parquet_thrift.c: write structures in the compact protocol of Thrift. Between begin and end
 * of a structure, its fields are written in rising order of their numbers.
 */
#define THRIFT_DEPTH	8

enum thrift_type {
	THRIFT_TRUE = 1, THRIFT_FALSE = 2, THRIFT_I32 = 5, THRIFT_I64 = 6, THRIFT_BINARY = 8,
	THRIFT_LIST = 9, THRIFT_STRUCT = 12,
};

struct thrift {
	struct out	o;
	int		last[THRIFT_DEPTH];	/* number of the last field in each structure */
	unsigned int	depth;
};

void thrift_init(struct thrift *t);
void thrift_free(struct thrift *t);
/* Begin a new message, which is a structure. */
void thrift_clear(struct thrift *t);
void thrift_bool(struct thrift *t, int field, bool v);
void thrift_i32(struct thrift *t, int field, int32_t v);
void thrift_i64(struct thrift *t, int field, int64_t v);
void thrift_binary(struct thrift *t, int field, const void *p, size_t n);
void thrift_list(struct thrift *t, int field, enum thrift_type of, size_t n);
/* Elements of a list */
void thrift_item_i32(struct thrift *t, int32_t v);
void thrift_item_binary(struct thrift *t, const void *p, size_t n);
/* Begin a structure that is an element of a list, or a field. thrift_end() ends it. */
void thrift_item(struct thrift *t);
void thrift_begin(struct thrift *t, int field);
void thrift_end(struct thrift *t);

/* view/parquet_file.c: the file, which is written to @o. */
struct parquet_file;
struct parquet_file *parquet_file_new(struct out *o, const struct parquet_field *fields,
				      unsigned int n);
/* Set the value of a column in the current row; each column at most once. */
void parquet_put(struct parquet_file *f, unsigned int column, int64_t v);
void parquet_put_double(struct parquet_file *f, unsigned int column, double v);
/* Bytes that are not UTF-8 become U+FFFD. */
void parquet_put_text(struct parquet_file *f, unsigned int column, const void *p, size_t n);
/* End the current row: the columns that were not set have no value. */
void parquet_row(struct parquet_file *f);
uint64_t parquet_rows(const struct parquet_file *f);
/* Write the rest and the footer, and free the memory. */
void parquet_file_end(struct parquet_file *f);

#endif

/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The fields of a tracepoint's record, and the elements made from them
 *
 * The kernel describes each field by its C declaration, offset and size. profile_desc.c reads these
 * descriptions once, when a tracepoint is added. Then it converts each record to elements, one for
 * each field, in the same order.
 */
#ifndef DEVTRACE_PROFILE_DESC_H
#define DEVTRACE_PROFILE_DESC_H

#ifdef __KERNEL__
#include <linux/types.h>
#else
#include "element_port_user.h"
#endif

/* Maximum number of fields of a record; further fields are left out. */
#define DESC_FIELDS_MAX		48
/* Maximum size of one string or buffer, and of all of an event, bytes; longer ones are cut. */
#define DESC_TEXT_MAX		240
#define DESC_EVENT_MAX		1024
/* Maximum size of the description of all elements, bytes. */
#define DESC_WORDS_MAX		2048

/**
 * struct desc_machine - what kernel addresses look like
 * @size: bytes of a long, 4 or 8
 * @shared: programs and the kernel use the same range of addresses
 * @first: lowest kernel address; 32-bit machines only
 */
struct desc_machine {
	u8	size;
	bool	shared;
	u32	first;
};

enum desc_kind { DESC_SIGNED, DESC_UNSIGNED, DESC_STR, DESC_MEM };

/*
 * DESC_HERE: the field is at its offset. Otherwise a word at this offset says where the field is.
 */
enum desc_place { DESC_HERE, DESC_DATA_LOC, DESC_REL_LOC };

/* The field may hold kernel addresses, which readers must not see. */
#define DESC_ADDRESS	0x1
/* The address is that of a function. */
#define DESC_FUNCTION	0x2
#define DESC_HEX	0x4

/**
 * struct desc_field - a field of the record
 * @offset: offset in the record, bytes
 * @size: number of bytes that the field has at @offset
 * @kind: enum desc_kind: the element that it becomes
 * @place: enum desc_place
 * @flags: DESC_ADDRESS, DESC_FUNCTION, DESC_HEX
 * @counted: 1 + index of the field that says how many bytes of this array are set; 0: all are
 */
struct desc_field {
	u16	offset;
	u16	size;
	u8	kind;
	u8	place;
	u8	flags;
	u8	counted;
};

/**
 * struct desc - description of a tracepoint's records
 * @machine: the machine that makes the records
 * @nr: number of fields
 * @count: 1 + index of the number "len", which may come before an array "buf"; 0: there is none
 * @field: the fields
 * @words: the elements, in the syntax of fmt(5)
 */
struct desc {
	struct desc_machine	machine;
	unsigned int		nr;
	unsigned int		count;
	struct desc_field	field[DESC_FIELDS_MAX];
	char			words[DESC_WORDS_MAX];
};

/**
 * struct desc_sizes - sizes of the elements of one record
 * @nr: number of fields that are inside the record
 * @total: bytes of all elements
 * @addresses: there are OBJ or FUN elements
 * @at: offset of each string or buffer in the record, bytes
 * @len: length of each string or buffer, bytes
 */
struct desc_sizes {
	u16	nr;
	u16	total;
	bool	addresses;
	u16	at[DESC_FIELDS_MAX];
	u8	len[DESC_FIELDS_MAX];
};

/* Called for each function whose address is in an event. */
typedef void desc_seen_fn(const void *fun);

bool desc_add(struct desc *d, const char *type, const char *name, unsigned int offset,
	      unsigned int size, bool is_signed);
void desc_measure(const struct desc *d, const void *record, unsigned int size,
		  struct desc_sizes *s);
void desc_store(const struct desc *d, const void *record, const struct desc_sizes *s,
		void *elements, desc_seen_fn *seen);

#endif /* DEVTRACE_PROFILE_DESC_H */

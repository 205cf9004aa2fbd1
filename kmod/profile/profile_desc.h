/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The fields of a tracepoint's record, and the elements that they become
 *
 * The kernel describes each field by the words of its C declaration, its place and
 * its size. profile_desc.c reads that once, when a tracepoint is added; with what it
 * found it makes the elements of each event, one for each field, in their order.
 */
#ifndef DEVTRACE_PROFILE_DESC_H
#define DEVTRACE_PROFILE_DESC_H

#ifdef __KERNEL__
#include <linux/types.h>
#else
#include "element_port_user.h"
#endif

/* Further fields are left out. */
#define DESC_FIELDS_MAX		48
/* Longer strings and buffers are cut off, and so are those of longer events. */
#define DESC_TEXT_MAX		240
#define DESC_EVENT_MAX		1024
/* Room for the elements in words. */
#define DESC_WORDS_MAX		2048

/**
 * struct desc_machine - what addresses look like
 * @size: bytes of a long, 4 or 8
 * @shared: programs and the kernel use the same addresses
 * @first: of 32-bit machines: the kernel's are not below this
 */
struct desc_machine {
	u8	size;
	bool	shared;
	u32	first;
};

enum desc_kind { DESC_SIGNED, DESC_UNSIGNED, DESC_STR, DESC_MEM };

/* Where it is: at the offset; or there stands where it is. */
enum desc_place { DESC_HERE, DESC_DATA_LOC, DESC_REL_LOC };

/* It may hold addresses of the kernel, which are not for readers. */
#define DESC_ADDRESS	0x1
/* Such an address is one of a function. */
#define DESC_FUNCTION	0x2
#define DESC_HEX	0x4

/**
 * struct desc_field - a field of the record
 * @offset: where it begins
 * @size: how many bytes it has there
 * @kind: what it becomes
 * @place: enum desc_place
 * @flags: DESC_ADDRESS, DESC_FUNCTION, DESC_HEX
 */
struct desc_field {
	u16	offset;
	u16	size;
	u8	kind;
	u8	place;
	u8	flags;
};

/**
 * struct desc - all fields
 * @machine: where the records are made
 * @nr: how many there are
 * @field: the fields
 * @words: the elements, as fmt(5) writes them
 */
struct desc {
	struct desc_machine	machine;
	unsigned int		nr;
	struct desc_field	field[DESC_FIELDS_MAX];
	char			words[DESC_WORDS_MAX];
};

/**
 * struct desc_sizes - what an event becomes
 * @nr: fields that are in the record
 * @total: bytes of all elements
 * @addresses: there are OBJ or FUN elements
 * @at: of strings and buffers: where they begin in the record
 * @len: their bytes
 */
struct desc_sizes {
	u16	nr;
	u16	total;
	bool	addresses;
	u16	at[DESC_FIELDS_MAX];
	u8	len[DESC_FIELDS_MAX];
};

/* A function is in an event; NULL: nobody wants to know. */
typedef void desc_seen_fn(const void *fun);

bool desc_add(struct desc *d, const char *type, const char *name, unsigned int offset,
	      unsigned int size, bool is_signed);
void desc_measure(const struct desc *d, const void *record, unsigned int size,
		  struct desc_sizes *s);
void desc_store(const struct desc *d, const void *record, const struct desc_sizes *s,
		void *elements, desc_seen_fn *seen);

#endif /* DEVTRACE_PROFILE_DESC_H */

/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * pb.h - write messages of protobuf, without its library
 *
 * A message is built in memory. pb_begin() and pb_end() enclose an inner message. The length of
 * the inner message, which precedes it, is known only at its end: one byte is reserved for the
 * length, and the message is moved in the rare case that this is too little. So every number has
 * its shortest form, and the result is the same as that of protoc --encode. The caller chooses the
 * field numbers.
 */
#ifndef COMMON_PB_H
#define COMMON_PB_H

#include <stddef.h>
#include <stdint.h>
#include "common/out.h"

#define PB_DEPTH	8

struct pb {
	/* o: the message so far; o.err is set if there was no memory */
	struct out	o;
	size_t		begun[PB_DEPTH];
	unsigned int	depth;
};

void pb_init(struct pb *p);
void pb_free(struct pb *p);
/* Begin a new message, which reuses the memory of the previous one. */
void pb_clear(struct pb *p);

/* uint32, uint64, bool and enumerations. */
void pb_uint(struct pb *p, unsigned int field, uint64_t v);
/* Write an int32 or int64. A negative number takes ten bytes. */
void pb_int(struct pb *p, unsigned int field, int64_t v);
void pb_fixed64(struct pb *p, unsigned int field, uint64_t v);
void pb_double(struct pb *p, unsigned int field, double v);
/*
 * Write bytes, a string or a whole message. A string must be UTF-8; for other text use pb_text().
 */
void pb_bytes(struct pb *p, unsigned int field, const void *data, size_t n);
void pb_str(struct pb *p, unsigned int field, const char *s);
/* Write bytes that may not be UTF-8 as a string. Invalid bytes become U+FFFD. */
void pb_text(struct pb *p, unsigned int field, const void *data, size_t n);
/* Begin a message inside the current one; pb_end() ends it. */
void pb_begin(struct pb *p, unsigned int field);
void pb_end(struct pb *p);

/*
 * Write the head of a field of @n bytes, which the caller writes itself. @head has 20 bytes.
 * Return the head's length.
 */
size_t pb_head(uint8_t *head, unsigned int field, uint64_t n);

#endif

/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * pb.h - write messages of protobuf, without its library
 *
 * A message grows in memory. pb_begin() and pb_end() enclose a message inside another one, whose
 * length is known only at its end: one byte is reserved for it, and in the rare case that the
 * length takes more, the inner message is moved. So every number has its shortest form, and a
 * message is the same as protoc --encode makes it. Field numbers are the caller's.
 */
#ifndef COMMON_PB_H
#define COMMON_PB_H

#include <stddef.h>
#include <stdint.h>
#include "common/out.h"

#define PB_DEPTH	8

struct pb {
	struct out	o;		/* the message so far; o.err: there was no memory */
	size_t		begun[PB_DEPTH];
	unsigned int	depth;
};

void pb_init(struct pb *p);
void pb_free(struct pb *p);
/* Begin a new message in the same memory. */
void pb_clear(struct pb *p);

/* uint32, uint64, bool and enumerations. */
void pb_uint(struct pb *p, unsigned int field, uint64_t v);
/* int32 and int64; a negative number takes ten bytes. */
void pb_int(struct pb *p, unsigned int field, int64_t v);
void pb_fixed64(struct pb *p, unsigned int field, uint64_t v);
void pb_double(struct pb *p, unsigned int field, double v);
/* bytes, string and whole messages. A string must be UTF-8: see pb_text(). */
void pb_bytes(struct pb *p, unsigned int field, const void *data, size_t n);
void pb_str(struct pb *p, unsigned int field, const char *s);
/* Bytes of unknown origin as a string: bytes that are not UTF-8 become U+FFFD. */
void pb_text(struct pb *p, unsigned int field, const void *data, size_t n);
/* A message inside this one, up to pb_end(). */
void pb_begin(struct pb *p, unsigned int field);
void pb_end(struct pb *p);

/* The head of a field that is @n bytes long, for messages that are written on. @head: 20 bytes */
size_t pb_head(uint8_t *head, unsigned int field, uint64_t n);

#endif

/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * persist_image.h - a region written word by word, and its contents as text
 *
 * For tests that know exactly which word is wrong; nothing here is random.
 */
#ifndef PERSIST_IMAGE_H
#define PERSIST_IMAGE_H

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "render.h"

#define IMAGE_RINGS	2

static u8 *image;
static struct persist_header head;

/* Make a region of @size with unused rings and an unused pool. */
static inline void image_begin(u64 size, u32 rings)
{
	free(image);
	image = calloc(1, size);
	memset(&head, 0, sizeof(head));
	head.magic = PERSIST_MAGIC;
	head.version = PERSIST_VERSION;
	head.size = size;
	head.nr_cpus = rings + 2;
	head.nr_rings = rings;
	head.page = PERSIST_PAGE;
	if (!image || !persist_lay_out(&head))
		abort();
	head.crc = PERSIST_CRC(&head);
	/* A check without end fails the test. */
	alarm(60);
}

/* The rendered contents: see say_frame(). */
static char said[65536];
static u32 said_events;
static struct persist_account account;

static inline void say(const char *format, ...)
{
	const size_t n = strlen(said);
	va_list ap;

	va_start(ap, format);
	vsnprintf(said + n, sizeof(said) - n, format, ap);
	va_end(ap);
}

/*
 * The expected text for events of a source, one per nanosecond. It stays valid for three more
 * calls.
 */
static inline const char *events_of(u32 source, u64 from, u64 to)
{
	static char text[4][8192];
	static u32 turn;
	char *const s = text[turn++ % 4];
	size_t n = 0;
	u64 ts;

	*s = 0;
	for (ts = from; ts < to; ts++)
		n += snprintf(s + n, sizeof(text[0]) - n, "%s%u:%llu", ts > from ? " " : "", source,
			      (unsigned long long)ts);
	return s;
}

static inline u64 get_le(const u8 *p, u32 n)
{
	u64 v = 0;

	while (n--)
		v = v << 8 | p[n];
	return v;
}

/*
 * Print a frame: an event as its source and time; "state" with the state, its time and the
 * trigger; "lost" with the source, the cause, the count and both times. INFO, EMPTY without an
 * accuracy and the text of the cause are omitted.
 */
static inline void say_frame(u8 type, const u8 *p, u32 len)
{
	const char *space = *said ? " " : "";

	switch (type) {
	case DEVTRACE_T_EMPTY:
		if (p[0] == DEVTRACE_EMPTY_ACCURACY)
			say("%saccuracy(%s)", space, p + 4);
		break;
	case DEVTRACE_T_INFO:
		break;
	case DEVTRACE_T_LOST:
		say("%slost(%u:%u,%llu,%llu-%llu)", space, (u32)get_le(p, 2), (u32)get_le(p + 2, 2),
		    (unsigned long long)get_le(p + 4, 8), (unsigned long long)get_le(p + 12, 8),
		    (unsigned long long)get_le(p + 20, 8));
		break;
	case DEVTRACE_T_STATE:
		say("%sstate(%u,%llu,%s)", space, p[0], (unsigned long long)get_le(p + 8, 8),
		    p + 24);
		break;
	case DEVTRACE_T_CLOCK:
		say("%sclock(%llu)", space, (unsigned long long)get_le(p + 8, 8));
		break;
	case DEVTRACE_T_PROC:
		say("%sthread(%u,%llu,%s)", space, (u32)get_le(p, 4),
		    (unsigned long long)get_le(p + 8, 8), p + 16);
		break;
	case DEVTRACE_T_SIG ... DEVTRACE_T_USR:
	case DEVTRACE_T_ENUM:
	case DEVTRACE_T_IMAGE:
		say("%sname(%u,%llx,%s)", space, (u32)get_le(p + 4, 4),
		    (unsigned long long)get_le(p + 12, 8), p + 20);
		break;
	case DEVTRACE_T_TEXT:
		break;
	default:
		said_events++;
		say("%s%u:%llu", space, (u32)get_le(p + 2, 2),
		    (unsigned long long)get_le(p + 8, 8));
	}
}

static inline bool image_grow(struct persist_out *o, u64 more)
{
	o->room = o->n + more;
	o->buf = realloc(o->buf, o->room);
	return o->buf;
}

/* Call @each with type and body of each frame of the image. */
static inline void image_render(u32 part, void (*each)(u8 type, const u8 *p, u32 len))
{
	struct persist_out o = { .grow = image_grow, .part = part };
	static u8 raw[8192];
	u64 i, k = 0;

	if (persist_render(image, &head, "last", &o, &account))
		abort();
	for (i = 0; i < o.n; i++) {
		if (o.buf[i] == DEVTRACE_FLAG) {
			each(raw[1], raw + 2, k - 4);
			k = 0;
		} else {
			raw[k++] = o.buf[i] == DEVTRACE_ESCAPE ? o.buf[++i] ^ DEVTRACE_ESCAPE_XOR :
				   o.buf[i];
		}
	}
	free(o.buf);
}

static inline const char *image_says(void)
{
	*said = 0;
	said_events = 0;
	image_render(0, say_frame);
	return said;
}

#endif /* PERSIST_IMAGE_H */

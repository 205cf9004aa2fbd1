// SPDX-License-Identifier: GPL-2.0-only
/*
 * qs.c - the records of QS, from QP 7.3 to 8.1
 *
 * A frame consists of a sequence number, the record's number, data and the ones' complement of
 * their sum. The predefined records have the layouts of qs_layout(), with the sizes of the target,
 * and become the events that devtrace/qp emits. Numbers are little-endian in a frame, even if the
 * target reports that it is big-endian.
 */
#include <stdio.h>
#include <string.h>
#include "common/le.h"
#include "common/qs.h"
#include "traceconv.h"

static unsigned int size_of(const struct conv *c, char what)
{
	switch (what) {
	case 'T':
		return c->sizes.time;
	case 'S':
		return c->sizes.sig;
	case 'O':
		return c->sizes.obj;
	case 'F':
		return c->sizes.fun;
	case 'Q':
		return c->sizes.equeue;
	case 'P':
		return c->sizes.mpool;
	case 'E':
		return c->sizes.event;
	case 'C':
		return c->sizes.tick;
	default:
		return (unsigned int)(what - '0');
	}
}

static bool qs_intact(const struct conv *c, const uint8_t *p, size_t *n)
{
	uint8_t sum = 0;
	size_t i;

	(void)c;
	for (i = 0; i < *n; i++)
		sum = (uint8_t)(sum + p[i]);
	if (*n < 3 || sum != 0xff)
		return false;
	(*n)--;
	return true;
}

static int qs_seq(const struct conv *c, const uint8_t *p, size_t n)
{
	(void)c;
	return n ? p[0] : -1;
}

/*
 * Is this a TARGET_INFO of QP 8.0 or later, which begins with flags and a u32? In older versions
 * it begins with a byte 0xFF or 0, and a u16.
 */
static bool new_info(const uint8_t *p, size_t n)
{
	return n == 20 && (p[2] & 3) == 2;
}

static bool qs_begins(const struct conv *c, const uint8_t *p, size_t n)
{
	(void)c;
	if (p[1] != QS_TARGET_INFO)
		return false;
	return new_info(p, n) ? p[2] & 0x40 : n > 2 && p[2];
}

/*
 * Does the data consist of exactly the fields of the layout? A string can only be the last field.
 */
static bool fits(const struct conv *c, const char *layout, const uint8_t *p, size_t n)
{
	for (; *layout; layout++) {
		unsigned int size = size_of(c, *layout);

		if (*layout == 's')
			return n && memchr(p, 0, n) == p + n - 1 && !layout[1];
		if (size > n)
			return false;
		p += size;
		n -= size;
	}
	return !n;
}

/*
 * Convert the fields after the time stamp. The name of a signal depends on its object. This is the
 * field after the signal, but in records of deferred events it is the first object of the record.
 */
static void elements(struct conv *c, uint8_t record, const char *layout, const uint8_t *p, size_t n)
{
	const bool deferred = record == 10 || record == 11 || record == 81;
	uint64_t first = 0;

	for (; *layout; layout++) {
		unsigned int size = size_of(c, *layout);

		if (*layout == 's') {
			conv_mem(c, DEVTRACE_E_STR, p, n - 1);
			return;
		}
		switch (*layout) {
		case 'S':
			conv_signal(c, le_read(p, size), deferred ? first :
				  layout[1] == 'O' ? le_read(p + size, c->sizes.obj) : 0);
			break;
		case 'O':
			conv_u(c, DEVTRACE_E_OBJ, le_read(p, size), 8);
			if (!first)
				first = le_read(p, size);
			break;
		case 'F':
			conv_u(c, DEVTRACE_E_FUN, le_read(p, size), 8);
			break;
		default:
			conv_number(c, le_read(p, size), size);
		}
		p += size;
		n -= size;
	}
}

static bool user_record(struct conv *c, uint8_t record, const uint8_t *p, size_t n)
{
	const unsigned int time = c->sizes.time;

	if (n < time || conv_user(c, p + time, n - time, NULL, c->sizes.obj) != CONV_USER_OK)
		return false;
	conv_event(c, record, conv_clock_time(&c->clock, (uint32_t)le_read(p, time), c->arrival));
	return true;
}

static bool dictionary(struct conv *c, uint8_t record, const uint8_t *p, size_t n)
{
	const char *layout = record == QS_SIG_DICT ? "SOs" : record == QS_OBJ_DICT ? "Os" :
			     record == QS_FUN_DICT ? "Fs" : record == QS_USR_DICT ? "1s" : "11s";
	uint64_t key = 0, value = 0;
	uint8_t group = 0;

	if (!fits(c, layout, p, n))
		return false;
	for (; *layout != 's'; layout++) {
		unsigned int size = size_of(c, *layout);

		if (*layout == 'O' || *layout == 'F')
			key = le_read(p, size);
		else if (layout[1] == 's' && record == QS_ENUM_DICT)
			group = *p & 7;
		else
			value = le_read(p, size);
		p += size;
		n -= size;
	}
	/* If the name is empty, the dictionary entry is useless. */
	if (n > 1)
		conv_name(c, record, (uint32_t)value, group, key, (const char *)p, n - 1);
	else
		conv_text(c, "QS: a name without a letter");
	return true;
}

static bool good_sizes(const struct conv_sizes *s)
{
	const uint8_t *size = (const uint8_t *)s;
	size_t i;

	/* Check all sizes but the last, which only RKH has. */
	for (i = 0; i < offsetof(struct conv_sizes, block); i++)
		if (size[i] != 1 && size[i] != 2 && size[i] != 4 &&
		    (size[i] != 8 || (i != 2 && i != 3)))
			return false;
	return true;
}

/*
 * Read a TARGET_INFO. A size of 0 means that the target has no such field, so the old size is
 * kept. The first element of the event shows the reader whether the target was restarted.
 */
static bool target_info(struct conv *c, const uint8_t *p, size_t n)
{
	const bool is_new = new_info(p - 2, n + 2);
	struct conv_sizes s = c->sizes;
	const uint8_t *z = p + (is_new ? 5 : 3);
	uint32_t release;
	char built[48];

	if (n != (is_new ? 18 : 16))
		return false;
#define TAKE(field, v) do { if (v) s.field = (uint8_t)(v); } while (0)
	TAKE(sig, z[0] & 0xf);
	TAKE(event, z[0] >> 4);
	TAKE(equeue, z[1] & 0xf);
	TAKE(tick, z[1] >> 4);
	TAKE(mpool, z[2] >> 4);
	TAKE(obj, z[3] & 0xf);
	TAKE(fun, z[3] >> 4);
	TAKE(time, z[4]);
#undef TAKE
	if (!good_sizes(&s))
		return false;
	if (is_new) {
		release = ~(uint32_t)le_read(p + 1, 4);
		c->version = (uint16_t)(release % 10000);
		c->big_endian = p[0] & 0x80;
	} else {
		c->version = (uint16_t)(le_read(p + 1, 2) & 0x7fff);
		c->big_endian = p[2] & 0x80;
	}
	c->sizes = s;
	c->sized = true;
	c->clock.bits = 8u * s.time;
	snprintf(built, sizeof(built), "20%02u-%02u-%02u %02u:%02u:%02u",
		 z[12], z[11], z[10], z[9], z[8], z[7]);
	conv_u(c, DEVTRACE_E_U8, qs_begins(c, p - 2, n + 2), 1);
	conv_u(c, DEVTRACE_E_U16, c->version, 2);
	conv_mem(c, DEVTRACE_E_STR, built, strlen(built));
	conv_event(c, qs_type(QS_TARGET_INFO), c->clock.last);
	return true;
}

/*
 * 6.9 gave the answers of queries and 6.6 the records of applications the numbers and fields that
 * they have now. A number of the version after 8.1 may have new records.
 */
#define OLDEST	690
#define NEWEST	819

static void check_version(struct conv *c)
{
	const unsigned int v = c->version;

	if (v >= OLDEST && v <= NEWEST)
		return;
	conv_odd_target(c, "QP %u.%u.%u is %s than %s, so some of its records may be read wrong",
			v / 100, v / 10 % 10, v % 10, v < OLDEST ? "older" : "newer",
			v < OLDEST ? "6.9" : "8.1");
}

/* Return the time of a record. The time stamp is its first field. */
static uint64_t take_time(struct conv *c, const uint8_t *p)
{
	return conv_clock_time(&c->clock, (uint32_t)le_read(p, c->sizes.time), c->arrival);
}

#define QUERY_AP	5

static bool query_data(struct conv *c, const uint8_t *p, size_t n)
{
	const bool is_new = !c->version || c->version >= 810;
	const size_t head = c->sizes.time + 1u;
	const char *layout;
	uint8_t kind;

	if (n < head)
		return false;
	kind = p[head - 1] & 0xf;
	/* An object of the application has no layout: only its address is known. */
	layout = kind == QUERY_AP ? "O" : qs_query(kind, !is_new);
	if (!layout || !fits(c, layout, p + head, n - head))
		return false;
	conv_u(c, DEVTRACE_E_U8, kind, 1);
	elements(c, QS_QUERY_DATA, layout, p + head, n - head);
	conv_event(c, qs_type(QS_QUERY_DATA), take_time(c, p));
	return true;
}

static bool peek_data(struct conv *c, const uint8_t *p, size_t n)
{
	const size_t time = c->sizes.time;
	size_t head = time + 4;

	if (n < head || n - head != (size_t)p[time + 2] * p[time + 3] || p[time + 2] > 4)
		return false;
	conv_u(c, DEVTRACE_E_U16, le_read(p + time, 2), 2);
	conv_u(c, DEVTRACE_E_U8, p[time + 2], 1);
	conv_u(c, DEVTRACE_E_U8, p[time + 3], 1);
	/* The answer has up to 255 values of 4 bytes, but an element has at most 255 bytes. */
	for (; n - head > 255; head += 255)
		conv_mem(c, DEVTRACE_E_MEM | DEVTRACE_E_MEM_MORE, p + head, 255);
	conv_mem(c, DEVTRACE_E_MEM, p + head, n - head);
	conv_event(c, qs_type(QS_PEEK_DATA), take_time(c, p));
	return true;
}

static bool one_record(struct conv *c, const uint8_t *frame, size_t n)
{
	const uint8_t record = frame[1], *p = frame + 2;
	const char *layout = qs_layout(record);

	n -= 2;
	switch (record) {
	case QS_ENUM_DICT:
	case QS_SIG_DICT:
	case QS_OBJ_DICT:
	case QS_FUN_DICT:
	case QS_USR_DICT:
		return dictionary(c, record, p, n);
	case QS_TARGET_INFO:
		if (target_info(c, p, n)) {
			check_version(c);
			return true;
		}
		/* If a frame is missing before this one, it may be a truncated frame. */
		if (!c->hole)
			conv_odd_target(c, "its information has an unknown layout, of %zu bytes; records of QP 6.9 to 8.1 are known",
					n);
		return false;
	case QS_QUERY_DATA:
		return query_data(c, p, n);
	case QS_PEEK_DATA:
		return peek_data(c, p, n);
	}
	if (record >= QS_USER && record < QS_USER_END)
		return user_record(c, record, p, n);
	if (!layout)
		return conv_unknown(c, "QS: unknown record", record, p, n);
	conv_guess_note(c, record, n);
	if (!fits(c, layout, p, n))
		return false;
	/* QS_EMPTY is padding: it has a sequence number, but is neither an event nor a loss. */
	if (!record) {
		conv_skip(c, 1);
		c->missing--;
		return true;
	}
	if (*layout == 'T')
		elements(c, record, layout + 1, p + c->sizes.time, n - c->sizes.time);
	else
		elements(c, record, layout, p, n);
	conv_event(c, qs_type(record), *layout == 'T' ? take_time(c, p) : c->clock.last);
	return true;
}

const struct conv_dialect conv_qs = {
	.name = "QS",
	.sizes = { .time = 4, .sig = 2, .obj = 4, .fun = 4, .equeue = 1, .mpool = 2, .event = 2,
		   .tick = 4, .block = 2 },
	.intact = qs_intact,
	.seq = qs_seq,
	.begins = qs_begins,
	.record = one_record,
};

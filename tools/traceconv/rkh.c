// SPDX-License-Identifier: GPL-2.0-only
/*
 * rkh.c - the records of RKH's trace facility, of RKH 3
 *
 * A frame consists of the event's number, a sequence number, a time stamp, the data, and the two's
 * complement of their sum. Sequence number, time stamp and check are optional. The configuration
 * record tells which of them frames have, and all sizes. Its own frame has neither sequence number
 * nor time stamp. The events are those that devtrace/rkh emits.
 */
#include <string.h>
#include <devtrace/rkh/rkhtrc_define.h>
#include "common/le.h"
#include "common/rkh.h"
#include "traceconv.h"

#define CONFIG_HEAD	1	/* the number of the event */

/* The devtrace type for each code of an element of RKH. */
const uint8_t conv_rkh_elements[16] = {
	DEVTRACE_E_I8, DEVTRACE_E_U8, DEVTRACE_E_I16, DEVTRACE_E_U16, DEVTRACE_E_I32,
	DEVTRACE_E_U32, DEVTRACE_E_X32, DEVTRACE_E_STR, DEVTRACE_E_MEM, DEVTRACE_E_OBJ,
	DEVTRACE_E_FUN, DEVTRACE_E_SIG, CONV_NO_ELEMENT, CONV_NO_ELEMENT, CONV_NO_ELEMENT,
	CONV_NO_ELEMENT,
};

/* A decoded configuration record. */
struct config {
	uint32_t		flags;
	struct conv_sizes	sizes;
	uint16_t		version, hz;
};

static size_t head_of(uint32_t flags, unsigned int time)
{
	return 1u + (flags & RKH_NSEQ ? 1 : 0) + (flags & RKH_TSTAMP ? time : 0);
}

static bool is_size(unsigned int bytes)
{
	return bytes == 1 || bytes == 2 || bytes == 4;
}

static bool parse_config(const uint8_t *p, struct config *k)
{
	struct conv_sizes *z = &k->sizes;

	memset(k, 0, sizeof(*k));
	k->version = (uint16_t)le_read(p, 2);
	k->flags = (uint32_t)le_read(p + 2, 4);
	z->sig = p[6] >> 4;
	z->time = p[6] & 0xf;
	z->obj = z->fun = p[7] >> 4;
	z->tick = p[7] & 0xf;
	z->mpool = p[8] >> 4;
	z->equeue = p[8] & 0xf;
	z->event = p[9];
	z->block = p[10] >> 4;
	k->hz = (uint16_t)le_read(p + 11, 2);
	/*
	 * If frames have no time stamp, its size does not matter. If they have, 8 bytes are
	 * allowed, too.
	 */
	if (!(k->flags & RKH_TSTAMP) || z->time == 8)
		z->time = k->flags & RKH_TSTAMP ? 8 : 4;
	return is_size(z->sig) && (is_size(z->time) || z->time == 8) &&
	       (z->obj == 2 || z->obj == 4 || z->obj == 8) && is_size(z->tick) &&
	       is_size(z->mpool) && is_size(z->equeue) && is_size(z->event) && is_size(z->block) &&
	       k->flags < 2 * RKH_CHK;
}

static bool sum_is_0(const uint8_t *p, size_t n)
{
	uint8_t sum = 0;

	while (n--)
		sum = (uint8_t)(sum + *p++);
	return !sum;
}

/*
 * Is the frame a configuration record? If its contents say that frames have a check, look at that,
 * too.
 */
static bool find_config(const uint8_t *p, size_t n, struct config *k)
{
	const size_t bytes = CONFIG_HEAD + RKH_TCFG_BYTES;

	return n >= bytes && p[0] == RKH_TE_FWK_TCFG && parse_config(p + CONFIG_HEAD, k) &&
	       n == bytes + (k->flags & RKH_CHK ? 1 : 0);
}

static bool rkh_intact(const struct conv *c, const uint8_t *p, size_t *n)
{
	struct config k;
	uint32_t flags = c->rkh_flags;

	if (find_config(p, *n, &k))
		flags = k.flags;
	if (flags & RKH_CHK) {
		if (*n < 2 || !sum_is_0(p, *n))
			return false;
		(*n)--;
	}
	return *n >= 1;
}

/* Return the sequence number, which is at the same offset in all frames that have one. */
static int rkh_seq(const struct conv *c, const uint8_t *p, size_t n)
{
	return n >= 2 && p[0] != RKH_TE_FWK_TCFG && c->rkh_flags & RKH_NSEQ ? p[1] : -1;
}

/*
 * Does the target begin with this frame? When it starts, it sends its configuration, and the next
 * frame has number 0. If the numbers continue after a configuration, it was only repeated. If
 * frames have no numbers, every configuration counts as a start.
 */
static bool rkh_begins(const struct conv *c, const uint8_t *p, size_t n)
{
	const int seq = rkh_seq(c, p, n);
	struct config k;

	if (n && p[0] == RKH_TE_FWK_TCFG)
		return n >= CONFIG_HEAD + RKH_TCFG_BYTES && parse_config(p + CONFIG_HEAD, &k) &&
		       !(k.flags & RKH_NSEQ);
	return c->configured && seq >= 0 &&
	       !(c->have_seq && seq && seq == (uint8_t)(c->seq + 1));
}

static unsigned int size_of(const struct conv *c, char what)
{
	switch (what) {
	case 'P':
	case 'F':
		return c->sizes.obj;
	case 'd':
		return c->rkh_flags & RKH_SENDER ? c->sizes.obj : 0;
	case 'S':
		return c->sizes.sig;
	case 'o':
	case 'p':
		return 1;
	case 'N':
		return c->sizes.equeue;
	case 'q':
		return c->rkh_flags & RKH_QUE_LWM ? c->sizes.equeue : 0;
	case 'B':
		return c->sizes.mpool;
	case 'm':
		return c->rkh_flags & RKH_MP_LWM ? c->sizes.mpool : 0;
	case 'Z':
		return c->sizes.block;
	case 'E':
		return c->sizes.event;
	case 'T':
		return c->sizes.tick;
	default:
		return (unsigned int)(what - '0');
	}
}

/* Return the size of a string with its NUL, or 0 if it has none. */
static size_t string_size(const uint8_t *p, size_t n)
{
	const uint8_t *nul = n ? memchr(p, 0, n) : NULL;

	return nul ? (size_t)(nul - p) + 1 : 0;
}

static bool fits(const struct conv *c, const char *layout, const uint8_t *p, size_t n)
{
	size_t size;

	for (; *layout; layout++) {
		size = *layout == 's' ? string_size(p, n) : size_of(c, *layout);
		if (size > n || (*layout == 's' && !size))
			return false;
		p += size;
		n -= size;
	}
	return !n;
}

static void elements(struct conv *c, uint8_t te, const char *layout, const uint8_t *p, size_t n)
{
	for (; *layout; layout++) {
		size_t size = *layout == 's' ? string_size(p, n) : size_of(c, *layout);
		uint64_t v = *layout == 's' ? 0 : le_read(p, (unsigned int)size);

		switch (*layout) {
		case 's':
			conv_mem(c, DEVTRACE_E_STR, p, size - 1);
			break;
		case 'P':
		case 'd':
			conv_u(c, DEVTRACE_E_OBJ, v, 8);
			break;
		case 'F':
			conv_u(c, DEVTRACE_E_FUN, v, 8);
			break;
		case 'S':
			conv_signal(c, v, 0);
			break;
		case 'p':
			conv_u(c, DEVTRACE_E_ENUM(DEVTRACE_RKH_POOLS), v, 1);
			break;
		case 'o':
			conv_u(c, DEVTRACE_E_ENUM(DEVTRACE_RKH_POOLS_FROM_1), v, 1);
			break;
		default:
			/* If the target was built without a counter, "-" is written instead. */
			if (!size)
				conv_mem(c, DEVTRACE_E_STR, "-", 1);
			else if (te == RKH_TE_FWK_TCFG && *layout == '4')
				conv_u(c, DEVTRACE_E_X32, v, 4);
			else
				conv_number(c, v, (unsigned int)size);
		}
		p += size;
		n -= size;
	}
}

/*
 * Write a name to the dictionary of its kind. @key is the value or the address that has the name.
 */
static void name_it(struct conv *c, uint8_t te, uint64_t key, const uint8_t *s, size_t n)
{
	const char *name = (const char *)s;

	/* If the name is empty, the dictionary entry is useless. */
	if (!n)
		return;
	switch (te) {
	case RKH_TE_FWK_SIG:
		conv_name(c, DEVTRACE_T_SIG, (uint32_t)key, 0, 0, name, n);
		break;
	case RKH_TE_FWK_FUN:
		conv_name(c, DEVTRACE_T_FUN, 0, 0, key, name, n);
		break;
	case RKH_TE_FWK_TUSR:
		/* @key is the number within the group of the application. */
		conv_name(c, DEVTRACE_T_USR, DEVTRACE_RKH_USER_(key), 0, 0, name, n);
		break;
	case RKH_TE_FWK_EPOOL:
		conv_name(c, DEVTRACE_T_ENUM, (uint32_t)key, DEVTRACE_RKH_POOLS, 0, name, n);
		conv_name(c, DEVTRACE_T_ENUM, (uint8_t)(key + 1), DEVTRACE_RKH_POOLS_FROM_1, 0,
			  name, n);
		conv_name(c, DEVTRACE_T_ENUM, 0, DEVTRACE_RKH_POOLS_FROM_1, 0, "static", 6);
		break;
	default:
		conv_name(c, DEVTRACE_T_OBJ, 0, 0, key, name, n);
	}
}

/*
 * Write a dictionary entry. If devtrace has no such kind of object, also write an event with the
 * kind and the owner.
 */
static bool symbol(struct conv *c, uint8_t te, const char *layout, const uint8_t *p, size_t n,
		   uint64_t ts)
{
	uint64_t owner = 0, key;

	if (layout[1] == 'P') {
		owner = le_read(p, c->sizes.obj);
		p += c->sizes.obj;
		n -= c->sizes.obj;
		layout++;
	}
	key = le_read(p, size_of(c, *layout));
	p += size_of(c, *layout);
	n -= size_of(c, *layout);
	if (te == RKH_TE_FWK_TUSR && key >= 32)
		return conv_unknown(c, "RKH: a name for event", te, p, n);
	name_it(c, te, key, p, n - 1);
	if (te < RKH_TE_FWK_AO)
		return true;
	conv_u(c, DEVTRACE_E_U8, te, 1);
	if (te == RKH_TE_FWK_EPOOL)
		conv_u(c, DEVTRACE_E_ENUM(DEVTRACE_RKH_POOLS), key, 1);
	else
		conv_u(c, DEVTRACE_E_OBJ, key, 8);
	conv_u(c, DEVTRACE_E_OBJ, owner, 8);
	conv_event(c, DEVTRACE_RKH_SYMBOL, ts);
	return true;
}

static void configure(struct conv *c, const struct config *k)
{
	c->sizes = k->sizes;
	c->rkh_flags = k->flags;
	c->version = k->version;
	c->sized = true;
	c->clock.bits = k->sizes.time > 4 ? 32 : 8u * k->sizes.time;
	if (k->hz && !c->clock.begun && !c->clock.told_rate)
		c->clock.rate = k->hz;
}

static uint64_t take_time(struct conv *c, const uint8_t *frame)
{
	const uint8_t *p = frame + (c->rkh_flags & RKH_NSEQ ? 2 : 1);
	unsigned int bytes = c->sizes.time > 4 ? 4 : c->sizes.time;

	if (c->rkh_flags & RKH_TSTAMP)
		return conv_clock_time(&c->clock, (uint32_t)le_read(p, bytes), c->arrival);
	/* If frames have no time stamp, an event gets the time of its arrival. */
	if (c->arrival > c->clock.last)
		c->clock.last = c->arrival;
	return c->clock.last;
}

/*
 * Read a configuration record, from which rkh_intact() has removed the check. The record has no
 * time stamp, so its event gets the time of the previous event.
 */
static bool configuration(struct conv *c, const uint8_t *frame, size_t n)
{
	struct config k;

	if (n != CONFIG_HEAD + RKH_TCFG_BYTES || !parse_config(frame + CONFIG_HEAD, &k))
		return false;
	configure(c, &k);
	c->configured = true;
	if (c->arrival > c->clock.last)
		c->clock.last = c->arrival;
	elements(c, RKH_TE_FWK_TCFG, rkh_layout(RKH_TE_FWK_TCFG), frame + CONFIG_HEAD,
		 RKH_TCFG_BYTES);
	conv_event(c, DEVTRACE_RKH_TYPE(RKH_TE_FWK_TCFG), c->clock.last);
	return true;
}

/* Check the version. It has two digits in each byte: 0x3400 is 3.4.00. */
static void check_version(struct conv *c)
{
	const unsigned int v = c->version, major = v >> 12;

	if (major == 3)
		return;
	conv_odd_target(c, "RKH %u.%u.%02x is %s than 3, so some of its records may be read wrong",
			major, v >> 8 & 15, v & 0xff, major < 3 ? "older" : "newer");
}

static bool user(struct conv *c, uint8_t te, const uint8_t *p, size_t n, const uint8_t *frame)
{
	switch (conv_user(c, p, n, conv_rkh_elements, 0)) {
	case CONV_USER_CUT:
		return false;
	case CONV_USER_UNKNOWN:
		return conv_unknown(c, "RKH: an element of unknown type in event", te, p, n);
	default:
		conv_event(c, DEVTRACE_RKH_TYPE(te), take_time(c, frame));
		return true;
	}
}

static bool one_record(struct conv *c, const uint8_t *frame, size_t n)
{
	const uint8_t te = frame[0];
	const char *layout = rkh_layout(te), *name = rkh_name_layout(te);
	const uint8_t *p;
	size_t head;

	if (te == RKH_TE_FWK_TCFG) {
		if (configuration(c, frame, n)) {
			check_version(c);
			return true;
		}
		/* If a frame is missing before this one, it may be a truncated frame. */
		if (!c->hole)
			conv_odd_target(c, "its configuration has an unknown layout, of %zu bytes; that of RKH 3 is known",
					n);
		return false;
	}
	head = head_of(c->rkh_flags, c->sizes.time);
	if (n < head)
		return false;
	p = frame + head;
	n -= head;
	if (name)
		return fits(c, name, p, n) && symbol(c, te, name, p, n, take_time(c, frame));
	if (te >> 5 == RKH_TG_USR)
		return user(c, te, p, n, frame);
	if (!layout)
		return conv_unknown(c, "RKH: unknown event", te, p, n);
	if (!fits(c, layout, p, n))
		return false;
	elements(c, te, layout, p, n);
	conv_event(c, DEVTRACE_RKH_TYPE(te), take_time(c, frame));
	return true;
}

const struct conv_dialect conv_rkh = {
	.name = "RKH",
	.sizes = { .time = 4, .sig = 1, .obj = 4, .fun = 4, .equeue = 1, .mpool = 1, .event = 2,
		   .tick = 2, .block = 2 },
	.mark = "RKH_SYMBOL",
	.mark_type = DEVTRACE_RKH_SYMBOL,
	.rkh_flags = RKH_SENDER | RKH_QUE_LWM | RKH_MP_LWM | RKH_NSEQ | RKH_TSTAMP | RKH_CHK,
	.intact = rkh_intact,
	.seq = rkh_seq,
	.begins = rkh_begins,
	.record = one_record,
};

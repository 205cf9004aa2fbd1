// SPDX-License-Identifier: GPL-2.0-only
/*
 * teststream.c - make streams for the tests of the decoder
 *
 * Bodies are written byte by byte according to Documentation/wire-format.rst, without the
 * header's structures. A test is thus the same on each machine, and finds wrong structures.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "teststream.h"

uint64_t rng_next(struct rng *r)
{
	r->state ^= r->state >> 12;
	r->state ^= r->state << 25;
	r->state ^= r->state >> 27;
	return r->state * 0x2545f4914f6cdd1dull;
}

uint32_t rng_below(struct rng *r, uint32_t n)
{
	return (uint32_t)((rng_next(r) >> 32) * n >> 32);
}

uint64_t test_seed(const char *name)
{
	const char *env = getenv("SEED");
	uint64_t seed;

	if (env && *env) {
		seed = strtoull(env, NULL, 0);
	} else {
		struct timespec now;

		clock_gettime(CLOCK_REALTIME, &now);
		seed = ((uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec) ^
		       (uint64_t)getpid() << 40;
		seed %= 1000000000;
	}
	if (!seed)
		seed = 1;
	printf("# %s: SEED=%llu\n", name, (unsigned long long)seed);
	fflush(stdout);
	return seed;
}

void body_int(struct body *b, uint64_t value, int bytes)
{
	while (bytes--) {
		b->bytes[b->len++] = (uint8_t)value;
		value >>= 8;
	}
}

void body_bytes(struct body *b, const void *p, size_t n)
{
	if (n)
		memcpy(b->bytes + b->len, p, n);
	b->len += n;
}

void body_string(struct body *b, const char *s)
{
	body_bytes(b, s, strlen(s) + 1);
}

uint64_t body_digest(uint8_t type, const uint8_t *body, size_t len)
{
	uint64_t h = 0xcbf29ce484222325ull ^ type;

	h *= 0x100000001b3ull;
	for (size_t i = 0; i < len; i++)
		h = (h ^ body[i]) * 0x100000001b3ull;
	return h ? h : 1;
}

void stream_init(struct stream *s, enum devtrace_check check)
{
	*s = (struct stream){ .check = check, .seq = 1, .ts = 1000000, .nr_cpus = 2 };
}

void stream_free(struct stream *s)
{
	free(s->bytes);
	free(s->frames);
	*s = (struct stream){};
}

static void *grow(void *p, size_t *room, size_t need, size_t size)
{
	if (need <= *room)
		return p;
	*room = need * 2;
	p = realloc(p, *room * size);
	if (!p)
		abort();
	return p;
}

void stream_frame(struct stream *s, uint8_t type, const void *body, size_t len)
{
	size_t n;

	s->bytes = grow(s->bytes, &s->room, s->len + 2 * len + 32, 1);
	s->frames = grow(s->frames, &s->frames_room, s->nr + 1, sizeof(*s->frames));
	n = devtrace_frame_encode(s->bytes + s->len, s->room - s->len, s->check,
				  s->seq, type, body, len, true);
	if (!n)
		abort();
	s->frames[s->nr++] = (struct frame_info){
		.start = s->len, .end = s->len + n, .seq = s->seq, .type = type,
		.digest = body_digest(type, body, len),
	};
	s->len += n;
	stream_skip(s, 1);
}

void stream_skip(struct stream *s, uint64_t nr)
{
	s->seq = (uint8_t)(s->seq + nr);
	s->sent += nr;
}

static void put_info(struct body *b, const struct devtrace_info *i)
{
	body_int(b, i->version, 1);
	body_int(b, i->check, 1);
	body_int(b, i->reason, 1);
	body_int(b, i->flags, 1);
	body_int(b, i->nr_sources, 2);
	body_int(b, i->nr_cpus, 2);
	body_int(b, i->frames, 8);
	body_bytes(b, i->boot_id, 16);
	body_string(b, i->machine);
	body_string(b, i->release);
	body_string(b, i->stream);
}

void stream_info(struct stream *s, enum devtrace_reason reason)
{
	struct devtrace_info i = {
		.version = 1, .check = s->check, .reason = reason,
		.nr_sources = s->nr_cpus ? s->nr_cpus + 4096 : 2, .nr_cpus = s->nr_cpus,
		.frames = s->sent, .flags = s->info_flags, .boot_id = { 1, 2, 0x7e, 0x7d },
		.machine = "x86_64", .release = "6.1.0", .stream = "trace",
	};
	struct body b = {};

	put_info(&b, &i);
	stream_frame(s, DEVTRACE_T_INFO, b.bytes, b.len);
}

static void put_clock(struct body *b, const struct devtrace_clock *c)
{
	body_int(b, c->frames, 8);
	body_int(b, c->ts, 8);
	body_int(b, c->mono, 8);
	body_int(b, c->boot, 8);
	body_int(b, (uint64_t)c->real, 8);
}

void stream_clock(struct stream *s)
{
	struct devtrace_clock c = {
		.frames = s->sent, .ts = s->ts, .mono = s->ts + 7, .boot = s->ts + 77,
		.real = (int64_t)s->ts + 1700000000000000000ll,
	};
	struct body b = {};

	put_clock(&b, &c);
	stream_frame(s, DEVTRACE_T_CLOCK, b.bytes, b.len);
}

static void put_event(struct body *b, const struct devtrace_event *e)
{
	body_int(b, e->flags, 1);
	body_int(b, e->severity, 1);
	body_int(b, e->source, 2);
	body_int(b, e->tid, 4);
	body_int(b, e->ts, 8);
	if (e->flags & DEVTRACE_F_CODE)
		body_int(b, e->code, 4);
	if (e->flags & DEVTRACE_F_OBJSIG) {
		body_int(b, e->object, 2);
		body_int(b, e->signal, 2);
	}
	body_bytes(b, e->data, e->len);
}

void stream_event(struct stream *s, uint8_t type, const void *data, size_t len)
{
	struct devtrace_event e = {
		.flags = DEVTRACE_F_USER, .tid = 77, .ts = s->ts, .data = data, .len = len,
	};
	struct body b = {};

	s->ts += 1000;
	put_event(&b, &e);
	stream_frame(s, type, b.bytes, b.len);
}

void stream_number(struct stream *s, uint32_t n)
{
	struct body b = {};

	body_int(&b, DEVTRACE_E_U32, 1);
	body_int(&b, n, 4);
	stream_event(s, DEVTRACE_T_USER, b.bytes, b.len);
}

void stream_proc(struct stream *s, uint32_t tid, uint32_t tgid, const char *name)
{
	struct body b = {};

	body_int(&b, tid, 4);
	body_int(&b, tgid, 4);
	body_int(&b, s->ts, 8);
	body_string(&b, name);
	stream_frame(s, DEVTRACE_T_PROC, b.bytes, b.len);
}

void stream_name(struct stream *s, uint8_t kind, uint32_t scope, uint32_t value,
		 uint8_t group, uint64_t key, const char *name)
{
	struct body b = {};

	body_int(&b, scope, 4);
	body_int(&b, value, 4);
	body_int(&b, group, 1);
	body_int(&b, 0, 3);
	body_int(&b, key, 8);
	body_string(&b, name);
	stream_frame(s, kind, b.bytes, b.len);
}

void stream_state(struct stream *s, uint8_t state, uint64_t fired, const char *trigger)
{
	struct body b = {};

	body_int(&b, state, 1);
	body_int(&b, *trigger != 0, 1);
	body_int(&b, 0, 6);
	body_int(&b, s->ts, 8);
	body_int(&b, fired, 8);
	body_string(&b, trigger);
	stream_frame(s, DEVTRACE_T_STATE, b.bytes, b.len);
}

/* Random bytes, often flags, escapes and zeros. */
static uint8_t nasty(struct rng *r)
{
	static const uint8_t some[] = { 0x7e, 0x7d, 0x5e, 0x5d, 0, 0, 1, 0x20, 0xff };
	uint32_t i = rng_below(r, 2 * sizeof(some));

	return i < sizeof(some) ? some[i] : (uint8_t)rng_next(r);
}

static uint64_t nasty_int(struct rng *r, int bytes)
{
	uint64_t v = 0;

	while (bytes--)
		v = v << 8 | nasty(r);
	return v;
}

static void random_element(struct body *b, struct rng *r)
{
	static const uint8_t size[16] = { 1, 1, 2, 2, 4, 4, 4, 8, 0, 0, 12, 8, 8, 8, 8, 4 };
	uint8_t type = (uint8_t)rng_below(r, 16);
	uint32_t n = rng_below(r, 20);

	body_int(b, type | rng_below(r, 16) << 4, 1);
	if (type == DEVTRACE_E_MEM)
		body_int(b, n, 1);
	else if (type != DEVTRACE_E_STR)
		n = size[type];
	while (n--) {
		uint8_t c = nasty(r);

		body_int(b, type == DEVTRACE_E_STR && !c ? 'x' : c, 1);
	}
	if (type == DEVTRACE_E_STR)
		body_int(b, 0, 1);
}

static uint8_t event_type(struct rng *r)
{
	for (;;) {
		uint8_t t = (uint8_t)rng_next(r);

		if (t && t != DEVTRACE_T_ENUM &&
		    (t < DEVTRACE_T_CLOCK || t > DEVTRACE_T_PROC))
			return t;
	}
}

static void random_event(struct stream *s, struct rng *r)
{
	struct body elements = {}, b = {};
	uint32_t n = rng_below(r, 4);
	struct devtrace_event e = {
		.flags = (uint8_t)rng_below(r, 0x80),
		.severity = rng_below(r, 2) ? 0 : DEVTRACE_SEV_SET | rng_below(r, 8),
		.source = (uint16_t)rng_below(r, rng_below(r, 4) ? 2 : 4098),
		.tid = 70 + rng_below(r, 20),
		.ts = s->ts,
		.code = (uint32_t)nasty_int(r, 4),
		.object = (uint16_t)nasty_int(r, 2),
		.signal = (uint16_t)nasty_int(r, 2),
	};

	s->ts += rng_below(r, 100000);
	if (!rng_below(r, 500)) {
		/* A long one, with bytes that are escaped. */
		n = 1 + rng_below(r, 60);
		for (uint32_t i = 0; i < n; i++) {
			body_int(&elements, DEVTRACE_E_MEM, 1);
			body_int(&elements, 64, 1);
			for (int k = 0; k < 64; k++)
				body_int(&elements, 0x7d + rng_below(r, 2), 1);
		}
	} else if (!rng_below(r, 20)) {
		/* Invalid elements, which a program may emit too. */
		while (n--)
			body_int(&elements, nasty(r), 1);
	} else {
		while (n--)
			random_element(&elements, r);
	}
	e.data = elements.bytes;
	e.len = elements.len;
	put_event(&b, &e);
	stream_frame(s, event_type(r), b.bytes, b.len);
}

void stream_random(struct stream *s, struct rng *r)
{
	static const uint8_t kinds[] = {
		DEVTRACE_T_ENUM, DEVTRACE_T_SIG, DEVTRACE_T_OBJ, DEVTRACE_T_FUN, DEVTRACE_T_USR,
	};
	struct body b = {};
	uint32_t what = rng_below(r, 100);

	if (what < 1) {
		stream_info(s, DEVTRACE_INFO_PERIODIC);
	} else if (what < 3) {
		stream_clock(s);
	} else if (what < 6) {
		body_int(&b, nasty_int(r, 2), 2);
		body_int(&b, rng_below(r, DEVTRACE_LOST_LANE + 1), 1);
		body_int(&b, 0, 1);
		for (int i = 0; i < 3; i++)
			body_int(&b, nasty_int(r, 8), 8);
		stream_frame(s, DEVTRACE_T_LOST, b.bytes, b.len);
	} else if (what < 10) {
		stream_proc(s, 70 + rng_below(r, 20), 70, "thr}ad~\x7f");
	} else if (what < 14) {
		stream_name(s, kinds[rng_below(r, sizeof(kinds))], rng_below(r, 3),
			    (uint32_t)nasty_int(r, 4), (uint8_t)rng_below(r, 8),
			    nasty_int(r, 8), rng_below(r, 2) ? "n" : "~}~}name");
	} else if (what < 16) {
		/* A transport frame of a future version. */
		for (uint32_t n = rng_below(r, 12); n; n--)
			body_int(&b, nasty(r), 1);
		stream_frame(s, (uint8_t)(DEVTRACE_T_STATE + 1 + rng_below(r, 3)),
			     b.bytes, b.len);
	} else if (what < 18) {
		stream_state(s, (uint8_t)rng_below(r, 4), nasty_int(r, 8),
			     rng_below(r, 2) ? "" : "~trigger}");
	} else if (what < 22) {
		body_int(&b, DEVTRACE_E_STR, 1);
		body_string(&b, "a line of text");
		stream_event(s, DEVTRACE_T_TEXT, b.bytes, b.len);
	} else {
		random_event(s, r);
	}
}

void stream_mixed(struct stream *s, struct rng *r, size_t nr)
{
	stream_info(s, DEVTRACE_INFO_OPEN);
	stream_name(s, DEVTRACE_T_OBJ, 0, 0, 0, 5, "five");
	stream_clock(s);
	while (nr--)
		stream_random(s, r);
}

/* The event as it was sent: the number of a type that is registered by name is sent as the code. */
static void put_decoded(struct body *b, struct devtrace_event e)
{
	if (e.number != e.type) {
		e.flags |= DEVTRACE_F_CODE;
		e.code = e.number;
	}
	put_event(b, &e);
}

uint64_t item_digest(const struct devtrace_item *item)
{
	struct body b;
	uint8_t type;

	b.len = 0;

	switch (item->kind) {
	case DEVTRACE_ITEM_EVENT:
		type = item->u.event.type;
		put_decoded(&b, item->u.event);
		break;
	case DEVTRACE_ITEM_INFO:
		type = DEVTRACE_T_INFO;
		put_info(&b, &item->u.info);
		break;
	case DEVTRACE_ITEM_CLOCK:
		type = DEVTRACE_T_CLOCK;
		put_clock(&b, &item->u.clock);
		break;
	case DEVTRACE_ITEM_LOST:
		type = DEVTRACE_T_LOST;
		body_int(&b, item->u.lost.source, 2);
		body_int(&b, item->u.lost.cause, 1);
		body_int(&b, 0, 1);
		body_int(&b, item->u.lost.count, 8);
		body_int(&b, item->u.lost.from, 8);
		body_int(&b, item->u.lost.to, 8);
		break;
	case DEVTRACE_ITEM_PROC:
		type = DEVTRACE_T_PROC;
		body_int(&b, item->u.proc.tid, 4);
		body_int(&b, item->u.proc.tgid, 4);
		body_int(&b, item->u.proc.since, 8);
		body_string(&b, item->u.proc.name);
		break;
	case DEVTRACE_ITEM_DICT:
		type = item->u.dict.kind;
		body_int(&b, item->u.dict.scope, 4);
		body_int(&b, item->u.dict.value, 4);
		body_int(&b, item->u.dict.group, 1);
		body_int(&b, 0, 3);
		body_int(&b, item->u.dict.key, 8);
		body_string(&b, item->u.dict.name);
		break;
	case DEVTRACE_ITEM_STATE:
		type = DEVTRACE_T_STATE;
		body_int(&b, item->u.state.state, 1);
		body_int(&b, item->u.state.by_trigger, 1);
		body_int(&b, 0, 6);
		body_int(&b, item->u.state.ts, 8);
		body_int(&b, item->u.state.fired, 8);
		body_string(&b, item->u.state.trigger);
		break;
	case DEVTRACE_ITEM_UNKNOWN:
		type = item->u.unknown.type;
		body_bytes(&b, item->u.unknown.data, item->u.unknown.len);
		break;
	default:
		return 0;
	}
	return body_digest(type, b.bytes, b.len);
}

int seen_add(const struct devtrace_item *item, void *arg)
{
	struct seen_list *l = arg;
	struct seen *s;

	l->v = grow(l->v, &l->room, l->nr + 1, sizeof(*l->v));
	s = &l->v[l->nr++];
	memset(s, 0, sizeof(*s));
	s->kind = item->kind;
	s->offset = item->offset;
	s->digest = item_digest(item);
	if (s->kind != DEVTRACE_ITEM_DAMAGE)
		s->seq = item->seq;
	if (s->kind == DEVTRACE_ITEM_GAP)
		s->gap = item->u.gap;
	if (s->kind == DEVTRACE_ITEM_DAMAGE)
		s->damage = item->u.damage;
	return 0;
}

void seen_free(struct seen_list *l)
{
	free(l->v);
	*l = (struct seen_list){};
}

bool seen_equal(const struct seen_list *a, const struct seen_list *b)
{
	if (a->nr != b->nr)
		return false;
	for (size_t i = 0; i < a->nr; i++) {
		const struct seen *x = &a->v[i], *y = &b->v[i];

		if (x->kind != y->kind || x->offset != y->offset || x->seq != y->seq ||
		    x->digest != y->digest)
			return false;
		if (x->kind == DEVTRACE_ITEM_GAP &&
		    (x->gap.seq_before != y->gap.seq_before ||
		     x->gap.seq_after != y->gap.seq_after || x->gap.exact != y->gap.exact ||
		     x->gap.count != y->gap.count || x->gap.offset != y->gap.offset ||
		     x->gap.ts_before != y->gap.ts_before))
			return false;
		if (x->kind == DEVTRACE_ITEM_DAMAGE &&
		    (x->damage.reason != y->damage.reason ||
		     x->damage.offset != y->damage.offset ||
		     x->damage.bytes != y->damage.bytes))
			return false;
	}
	return true;
}

void decode_pieces(struct seen_list *l, const uint8_t *p, size_t n, size_t piece,
		   struct rng *r, struct devtrace_totals *totals)
{
	struct devtrace_decoder *d = devtrace_decoder_new(seen_add, l);

	if (!d)
		abort();
	while (n) {
		size_t now = piece ? piece : 1 + rng_below(r, rng_below(r, 4) ? 60 : 9000);
		uint8_t *copy;

		if (now > n)
			now = n;
		/* A copy of the exact size: ASan sees any access behind it. */
		copy = malloc(now);
		if (!copy)
			abort();
		memcpy(copy, p, now);
		devtrace_decoder_feed(d, copy, now, NULL);
		free(copy);
		p += now;
		n -= now;
	}
	devtrace_decoder_finish(d);
	if (totals)
		*totals = *devtrace_decoder_totals(d);
	devtrace_decoder_free(d);
}

// SPDX-License-Identifier: GPL-2.0-only
/*
 * fuzz_decode.c - the decoder with any bytes, in any pieces
 *
 * The first byte selects how the input is cut, and whether it is a stream or only contents of
 * frames: then this program adds their sequence numbers, lengths and checks, so that the fuzzer
 * gets past these. Besides the sanitizers, it checks the decoder's guarantees: the same items
 * for all cuts and for any number of stops by the callback; items and damages in input order and
 * without overlap; totals that match the items.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "devtrace-decode.h"

struct run {
	struct devtrace_decoder	*d;
	uint64_t	digest;		/* over all items */
	uint64_t	next;		/* offset up to which everything is accounted for */
	struct devtrace_totals sum;
	unsigned int	items, stop_every;
};

#define CHECK(x) do { if (!(x)) abort(); } while (0)

static void mix(struct run *r, const void *p, size_t n)
{
	const uint8_t *b = p;

	while (n--)
		r->digest = (r->digest ^ *b++) * 0x100000001b3ull;
}

static void mix_int(struct run *r, uint64_t v)
{
	mix(r, &v, sizeof(v));
}

static void mix_string(struct run *r, const char *s)
{
	mix(r, s, strlen(s) + 1);
}

static void look_at_event(struct run *r, const struct devtrace_event *e)
{
	struct devtrace_elem elem;
	size_t pos = 0, before = 0;
	int64_t real;
	int rc;

	while ((rc = devtrace_elem_next(e->data, e->len, &pos, &elem)) == 1) {
		CHECK(pos == before + elem.size && pos <= e->len);
		if (elem.type == DEVTRACE_E_STR || elem.type == DEVTRACE_E_MEM)
			mix(r, elem.v.mem.p, elem.v.mem.len);
		before = pos;
	}
	CHECK(rc == -1 || pos == e->len);
	mix(r, e->data, e->len);
	mix_int(r, e->ts);
	mix_int(r, (uint64_t)e->tgid << 32 | e->tid);
	mix_int(r, (uint64_t)e->code << 32 | (uint32_t)e->object << 16 | e->signal);
	mix_int(r, (uint32_t)e->type << 24 | e->flags << 16 | e->severity << 8 | e->source);
	if (devtrace_decoder_real(r->d, e->ts, &real))
		mix_int(r, (uint64_t)real);
	if (devtrace_decoder_name(r->d, DEVTRACE_T_OBJ, e->tgid, 0, 0, e->object))
		mix_int(r, 1);
}

static int item(const struct devtrace_item *i, void *arg)
{
	struct run *r = arg;

	mix_int(r, (uint64_t)i->kind);
	mix_int(r, i->offset);
	CHECK(i->offset >= r->next);
	switch (i->kind) {
	case DEVTRACE_ITEM_EVENT:
		r->sum.events++;
		look_at_event(r, &i->u.event);
		break;
	case DEVTRACE_ITEM_INFO:
		mix_string(r, i->u.info.machine);
		mix_string(r, i->u.info.release);
		mix_string(r, i->u.info.stream);
		break;
	case DEVTRACE_ITEM_CLOCK:
		mix(r, &i->u.clock, sizeof(i->u.clock));
		break;
	case DEVTRACE_ITEM_LOST:
		r->sum.lost += i->u.lost.count;
		break;
	case DEVTRACE_ITEM_PROC:
		mix_string(r, i->u.proc.name);
		CHECK(devtrace_decoder_proc(r->d, i->u.proc.tid, NULL));
		break;
	case DEVTRACE_ITEM_DICT:
		mix_string(r, i->u.dict.name);
		CHECK(devtrace_decoder_name(r->d, i->u.dict.kind, i->u.dict.scope,
					    i->u.dict.value, i->u.dict.group, i->u.dict.key));
		break;
	case DEVTRACE_ITEM_DAMAGE:
		CHECK(i->u.damage.bytes && i->u.damage.offset == i->offset);
		r->sum.damages++;
		r->sum.damaged_bytes += i->u.damage.bytes;
		r->next = i->offset + i->u.damage.bytes;
		mix_int(r, i->u.damage.bytes << 8 | i->u.damage.reason);
		break;
	case DEVTRACE_ITEM_GAP:
		CHECK(i->u.gap.count);
		r->sum.missing += i->u.gap.count;
		mix_int(r, i->u.gap.count);
		mix_int(r, (uint64_t)i->u.gap.seq_before << 8 | i->u.gap.seq_after);
		break;
	case DEVTRACE_ITEM_STATE:
		mix_string(r, i->u.state.trigger);
		mix_int(r, (uint32_t)i->u.state.state << 8 | i->u.state.by_trigger);
		mix_int(r, i->u.state.ts);
		mix_int(r, i->u.state.fired);
		break;
	case DEVTRACE_ITEM_NOTE:
		mix_string(r, i->u.note.name);
		mix_string(r, i->u.note.value);
		break;
	case DEVTRACE_ITEM_UNKNOWN:
		mix(r, i->u.unknown.data, i->u.unknown.len);
		break;
	}
	/* The next frame begins behind this one, which has at least one byte. */
	if (i->kind != DEVTRACE_ITEM_GAP && i->kind != DEVTRACE_ITEM_DAMAGE)
		r->next = i->offset + 1;
	r->items++;
	return r->stop_every && r->items % r->stop_every == 0 ? 1 : 0;
}

static void decode(struct run *r, const uint8_t *p, size_t n, size_t piece)
{
	const struct devtrace_totals *t;
	size_t used;

	r->d = devtrace_decoder_new(item, r);
	CHECK(r->d);
	while (n) {
		size_t now = n < piece ? n : piece;
		/* A copy of the exact size: ASan sees any access behind it. */
		uint8_t *copy = malloc(now);

		CHECK(copy);
		memcpy(copy, p, now);
		devtrace_decoder_feed(r->d, copy, now, &used);
		free(copy);
		CHECK(used <= now);
		CHECK(used == now || r->stop_every);
		p += used;
		n -= used;
	}
	while (devtrace_decoder_finish(r->d))
		;
	t = devtrace_decoder_totals(r->d);
	CHECK(t->events == r->sum.events && t->lost == r->sum.lost &&
	      t->missing == r->sum.missing && t->damages == r->sum.damages &&
	      t->damaged_bytes == r->sum.damaged_bytes);
	CHECK(r->next <= t->bytes);
	devtrace_decoder_free(r->d);
}

/*
 * Make frames from the input: a byte that affects the sequence, then the type, the length of the
 * body, and the body.
 */
static size_t make_frames(uint8_t *out, size_t size, const uint8_t *p, size_t n)
{
	enum devtrace_check check = DEVTRACE_CHECK_SUM8;
	uint8_t seq = 1;
	size_t len = 0;

	while (n >= 4 && len + 1024 < size) {
		size_t body = p[2] < n - 3 ? p[2] : n - 3;

		if (p[0] & 0x80)
			check = p[0] % 3;
		if (p[0] & 0x40)
			seq = (uint8_t)(seq + p[0] % 7);
		if (p[0] & 0x20) {
			memcpy(out + len, p + 3, body);
			len += body;
		} else {
			len += devtrace_frame_encode(out + len, size - len, check, seq++,
						     p[1], p + 3, body, true);
		}
		p += 3 + body;
		n -= 3 + body;
	}
	return len;
}

int LLVMFuzzerTestOneInput(const uint8_t *p, size_t n);

int LLVMFuzzerTestOneInput(const uint8_t *p, size_t n)
{
	struct run whole = {}, cut = {}, stopped = {};
	static uint8_t frames[65536];
	uint8_t how;

	if (n < 2)
		return 0;
	how = *p++;
	n--;
	if (how & 0x80) {
		n = make_frames(frames, sizeof(frames), p, n);
		p = frames;
	}
	stopped.stop_every = how & 0x40 ? 1 : 3;
	decode(&whole, p, n, n);
	decode(&cut, p, n, 1 + how % 64);
	decode(&stopped, p, n, 1 + n / 3);
	CHECK(whole.digest == cut.digest && whole.digest == stopped.digest);
	CHECK(whole.items == cut.items && whole.items == stopped.items);
	return 0;
}

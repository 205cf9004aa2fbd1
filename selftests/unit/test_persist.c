// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_persist.c - events read from a region are those written, however it was damaged
 *
 * The ring's own code writes rings into a region, and the module's code adds checksums. Then
 * bits flip, lines of 64 bytes are garbled, or lines keep old contents, like those of a cache
 * that was not written back. Each event read must have been written, byte by byte, once and in
 * the order of its ring. If the end of a ring is known, events read and lost are as many as were
 * written.
 */
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "kselftest_harness.h"
#include "render.h"
#include "ring_memory.h"
#include "ring_read.h"
#include "ring_resize.h"
#include "sums.h"
#include "teststream.h"

#define RINGS		2
#define RING_BYTES	65536
#define EVENTS_MAX	30000
#define LOOK		1024
#define LINE		64

#ifndef IMAGES
#define IMAGES		500
#endif

/* Half of them with flipped bits, half with garbled lines; as many again with old lines. */
static int images = IMAGES;
static struct rng rng;
static u64 now;
static u64 times[RINGS][EVENTS_MAX];

unsigned int ring_port_alloc_fails;

void ring_port_step(void)
{
}

void ring_port_exchanged(const void *w, u64 old, u64 new)
{
}

void ring_port_released(const void *w, u64 v)
{
}

u64 ring_port_clock(void)
{
	return now += 100 + now % 7;
}

/*
 * Events of one length: records of another lap begin at the same places, so that reading may
 * begin at any of them.
 */
static bool one_length;

/* Everything but the time follows from the ring and the number of the event. */
struct event {
	u8	type;
	u32	who;
	u32	len;
	u8	data[256];
};

static void make_event(u32 ring, u32 n, struct event *e)
{
	u64 h = (ring + 1) * 0x9e3779b97f4a7c15ULL ^ n * 0xc2b2ae3d27d4eb4fULL;
	u32 i;

	h ^= h >> 29;
	e->type = 100 + h % 20;
	e->who = h >> 8 & (RING_WHO_TID | RING_WHO_USER);
	e->len = one_length ? 18 : 12 + (h >> 40) % (n % 50 ? 40 : 240);
	for (i = 0; i < e->len; i++) {
		h = h * 6364136223846793005ULL + 1442695040888963407ULL;
		e->data[i] = h >> 56;
	}
	memcpy(e->data, &n, 4);
}

struct writer {
	struct ring	ring;
	struct sums	sums;
	u32		written;
};

static u8 *region, *before, *damaged;
static u64 size;
static struct persist_header head;
static struct writer writer[RINGS];

static void emit(u32 ring)
{
	struct writer *w = &writer[ring];
	struct ring_record *rec;
	struct event e;
	bool crossed;
	u64 ts;

	make_event(ring, w->written, &e);
	ring_enter(&w->ring);
	rec = ring_reserve(&w->ring, e.len, e.type, &ts, &crossed);
	rec->who = e.who;
	memcpy(rec->data, e.data, e.len);
	ring_leave(&w->ring);
	times[ring][w->written++] = ts;
}

static void sum(u32 ring)
{
	struct writer *w = &writer[ring];
	u64 look[LOOK];
	u32 units;

	do {
		ring_fetch(&w->ring, &w->sums.place, LOOK, look, &units);
		sums_add(&w->sums, look, units);
	} while (units);
	sums_store(&w->sums);
}

/* Lay out the smallest region with rings of this size. */
static void lay_out(void)
{
	struct persist_header *h = &head;

	memset(h, 0, sizeof(*h));
	h->magic = PERSIST_MAGIC;
	h->version = PERSIST_VERSION;
	h->nr_cpus = RINGS;
	h->nr_rings = RINGS;
	h->page = PERSIST_PAGE;
	do
		h->size += PERSIST_PAGE;
	while (!persist_lay_out(h) || h->ring_bytes != RING_BYTES);
	h->crc = PERSIST_CRC(h);
	size = h->size;
}

static void begin(void)
{
	u32 i;

	memset(region, 0, size);
	for (i = 0; i < RINGS; i++) {
		u8 *at = region + head.rings + i * head.stride;
		struct persist_info info = { .nr = 1, .cpu = i };
		struct writer *w = &writer[i];
		struct ring_memory m = {
			.data = at + persist_data_at(RING_BYTES),
			.anchors = (void *)(at + PERSIST_ANCHORS_AT),
			.mirror = (void *)(at + PERSIST_COMMIT_AT), .lent = true,
		};
		static struct ring_move move;
		struct ring_view v;

		ring_free(&w->ring);
		memset(w, 0, sizeof(*w));
		ring_init(&w->ring, RING_BYTES, 0, 0);
		info.crc = PERSIST_CRC(&info);
		memcpy(at + PERSIST_INFO_AT, &info, sizeof(info));
		ring_resize_prepare(&w->ring, RING_BYTES, &m, &move);
		ring_resize_move(&w->ring, &move, RING_MOVE_UNITS);
		ring_resize_done(&w->ring, &move, &m);
		ring_memory_free(&m);
		ring_open(&w->ring);
		ring_view(&w->ring, &v);
		sums_begin(&w->sums, at + PERSIST_SUMS_AT, w->ring.mask, v.tail);
	}
	memcpy(region, &head, sizeof(head));
	memcpy(region + head.rings - PERSIST_PAGE, &head, sizeof(head));
	memcpy(region + size - PERSIST_PAGE, &head, sizeof(head));
}

struct found {
	u32	next[RINGS];
	u64	given[RINGS], lost[RINGS];
	u64	unsummed;	/* events that were not written */
	bool	old;		/* lines have old contents */
	const char *wrong;
};

static u64 get(const u8 *p, u32 n)
{
	u64 v = 0;

	while (n--)
		v = v << 8 | p[n];
	return v;
}

/*
 * An event with a checksum was written. An old checksum in an old line looks like a new one: the
 * events after it count as unchecked, and the account has their number.
 */
static const char *judge(struct found *s, u8 type, const u8 *p, u32 len)
{
	/* Without a checksum the length may be wrong too, and leave no room for a number. */
	const u32 ring = get(p + 2, 2), n = len < 20 ? U32_MAX : get(p + 16, 4);
	struct event e;

	if (ring >= RINGS || len < 16)
		return "an event of no ring";
	s->given[ring]++;
	if (n < writer[ring].written)
		make_event(ring, n, &e);
	if (n >= writer[ring].written || type != e.type || len != 16 + e.len ||
	    memcmp(p + 16, e.data, e.len) || get(p + 8, 8) != times[ring][n] ||
	    get(p + 4, 4) != (e.who & RING_WHO_TID)) {
		/* The number follows from the events before: had it a checksum? */
		s->unsummed++;
		return s->old || s->given[ring] + s->lost[ring] > writer[ring].sums.place.idx ? NULL :
		       "an event that was not written";
	}
	if (n < s->next[ring])
		return "an event twice, or out of order";
	s->next[ring] = n + 1;
	return NULL;
}

static void take(struct found *s, const u8 *p, u32 n)
{
	static u8 raw[8192];
	u32 i, k = 0;

	for (i = 0; i + 1 < n; i++)
		raw[k++] = p[i] == DEVTRACE_ESCAPE ? p[++i] ^ DEVTRACE_ESCAPE_XOR : p[i];
	k -= 4;
	/* The cause is no event of a ring; its type may also result from a flipped bit. */
	if (raw[1] == DEVTRACE_T_TEXT && k > 20 && !strncmp((char *)raw + 19, "watchdog", 8))
		return;
	if (raw[1] && raw[1] != DEVTRACE_T_ENUM &&
	    (raw[1] < DEVTRACE_T_CLOCK || raw[1] > DEVTRACE_T_PROC) && !s->wrong)
		s->wrong = judge(s, raw[1], raw + 2, k);
	if (raw[1] == DEVTRACE_T_LOST) {
		if (get(raw + 2, 2) < RINGS)
			s->lost[get(raw + 2, 2)] += get(raw + 6, 8);
	}
}

/* Often too little room; doubled, since realloc() copies under ASan. */
static bool grow(struct persist_out *o, u64 more)
{
	o->room = 2 * o->n + (more < 20000 ? more : 20000);
	o->buf = realloc(o->buf, o->room);
	return o->buf;
}

/* persist_out.part */
static u32 part;

/* Render all frames and check them. */
static int render(const u8 *image, const struct persist_header *h, struct found *s,
		  struct persist_account *a)
{
	struct persist_out o = { .grow = grow, .part = part };
	int err = persist_render(image, h, "last", &o, a);
	u64 from, to;

	for (from = 0; !err && from < o.n; from = to) {
		for (to = from; to < o.n && o.buf[to++] != DEVTRACE_FLAG; )
			;
		take(s, o.buf + from, to - from);
	}
	free(o.buf);
	return err;
}

/* 1 to @max, with a uniform logarithm. */
static u32 some(u32 max)
{
	u32 n = 1;

	while (n < max && rng_below(&rng, 8))
		n *= 2;
	return n;
}

/* Any offset, but mostly within rings. */
static u64 where(void)
{
	const u64 at = rng_next(&rng) % size, rings = RINGS * head.stride;

	return rng_below(&rng, 8) ? head.rings + at % rings : at;
}

static void damage(u32 kind)
{
	u32 n, i;
	u64 at;

	switch (kind) {
	case 0:
		return;
	case 1:
		for (n = some(4096); n; n--)
			damaged[where()] ^= 1 << rng_below(&rng, 8);
		return;
	case 2:
		for (n = some(256); n; n--) {
			at = where() / LINE * LINE;
			for (i = 0; i < LINE; i++)
				damaged[at + i] = rng_next(&rng);
		}
		return;
	default:
		for (n = some(256); n; n--) {
			at = where() / LINE * LINE;
			memcpy(damaged + at, before + at, LINE);
		}
	}
}

static const char *look(u32 kind, bool *found)
{
	struct persist_account a;
	struct persist_header h;
	struct found s = { .old = kind == 3 };
	unsigned int copies;
	u32 i;

	*found = !persist_find(damaged, size, &h, &copies);
	if (!*found)
		return NULL;
	if (render(damaged, &h, &s, &a))
		return "not rendered";
	if (s.wrong)
		return s.wrong;
	if (s.unsummed > a.unchecked)
		return "an event with a sum that was not written";
	for (i = 0; i < RINGS; i++) {
		const u64 sum = s.given[i] + s.lost[i];

		if (!kind && (sum != writer[i].written || s.next[i] != writer[i].written))
			return "an event of an undamaged image is missing";
		/* Damage may hit the count itself, but must never raise it. */
		if (sum > writer[i].written)
			return "more given and lost than were written";
		/* Consistent old contents cannot be told from new ones. */
		if (!a.open_ends && kind != 3 && sum != writer[i].written)
			return "given and lost are not what was written";
	}
	return NULL;
}

static const char *try_images(u32 kind, u32 nr)
{
	u32 n, k, refused = 0, written = 0;
	bool found, sums = true;
	const char *wrong;

	for (n = 0; n < nr; n++) {
		if (n % 25 == 0) {
			begin();
			written = 0;
			one_length = rng_below(&rng, 2);
			/* Otherwise the work in the background never runs. */
			sums = rng_below(&rng, 4);
		}
		memcpy(before, region, size);
		for (k = 1 + rng_below(&rng, 400); k && written < EVENTS_MAX; k--, written++) {
			emit(rng_below(&rng, RINGS));
			if (sums && !rng_below(&rng, 40))
				sum(rng_below(&rng, RINGS));
		}
		if (sums && n % 2)
			for (k = 0; k < RINGS; k++)
				sum(k);
		memcpy(damaged, region, size);
		damage(kind);
		wrong = look(kind, &found);
		if (wrong) {
			fprintf(stderr, "# image %u: %s\n", n, wrong);
			return wrong;
		}
		refused += !found;
	}
	fprintf(stderr, "# %u images, of %u no header was left\n", nr, refused);
	return NULL;
}

FIXTURE(images)
{
	int	nr;
};

FIXTURE_SETUP(images)
{
	self->nr = images / 2;
}

FIXTURE_TEARDOWN(images)
{
}

TEST_F(images, undamaged)
{
	EXPECT_EQ(NULL, try_images(0, self->nr / 3));
}

TEST_F(images, flipped_bits)
{
	EXPECT_EQ(NULL, try_images(1, self->nr));
}

TEST_F(images, garbled_lines)
{
	EXPECT_EQ(NULL, try_images(2, self->nr));
}

TEST_F(images, old_lines)
{
	EXPECT_EQ(NULL, try_images(3, self->nr));
}

/*
 * The newest block has no checksum yet and holds old data, whose records lead to the same place.
 */
TEST(a_lap_before)
{
	const u32 lap = RING_BYTES / RING_UNIT / ring_units(18), more = 200;
	u8 *data = region + head.rings + persist_data_at(RING_BYTES);
	struct persist_account a;
	struct persist_header h;
	struct found s = { .old = true };
	unsigned int copies;
	u64 at, end;
	u32 i;

	begin();
	one_length = true;
	for (i = 0; i < lap + more; i++)
		emit(0);
	memcpy(before, region, size);
	for (i = 0; i < lap; i++)
		emit(0);
	memcpy(damaged, region, size);
	end = (u64)more * ring_units(18) * RING_UNIT;
	at = data - region + end / 4096 * 4096;
	memcpy(damaged + at, before + at, end % 4096);
	ASSERT_EQ(NULL, persist_find(damaged, size, &h, &copies));
	ASSERT_EQ(0, render(damaged, &h, &s, &a));
	EXPECT_EQ(NULL, s.wrong);
	EXPECT_EQ(1, a.open_ends);
	EXPECT_EQ(0, s.unsummed);
	EXPECT_GT(s.given[0], lap / 2);
}

/* Only headers are left, as after a kernel that used the rest of the memory. */
TEST(rings_are_gone)
{
	struct persist_account a;
	struct persist_header h;
	struct found s = { 0 };
	unsigned int copies;
	u32 i;

	begin();
	for (i = 0; i < 100; i++)
		emit(i % RINGS);
	memcpy(damaged, region, size);
	memset(damaged + head.rings, 0, RINGS * head.stride);
	ASSERT_EQ(NULL, persist_find(damaged, size, &h, &copies));
	ASSERT_EQ(0, render(damaged, &h, &s, &a));
	EXPECT_EQ(NULL, s.wrong);
	EXPECT_EQ(0, a.given);
	EXPECT_EQ(RINGS, a.open_ends);
}

/* Without enough memory, the newest events are rendered and the others counted. */
TEST(the_newest_part)
{
	struct persist_account a;
	struct persist_header h;
	unsigned int copies;
	u64 all = 0;
	u32 i;

	begin();
	one_length = false;
	for (i = 0; i < 1000; i++)
		emit(0);
	sum(0);
	ASSERT_EQ(NULL, persist_find(region, size, &h, &copies));
	for (part = 0; part <= 8; part += 2) {
		struct found s = { 0 };

		ASSERT_EQ(0, render(region, &h, &s, &a));
		EXPECT_EQ(NULL, s.wrong);
		EXPECT_EQ(1000, s.next[0]);
		EXPECT_EQ(1000, s.given[0] + s.lost[0]);
		EXPECT_EQ(0, a.damaged);
		if (!part)
			all = s.given[0];
		EXPECT_EQ(all - s.given[0], a.left_out);
		/* 4 KiB hold about 100 events. */
		EXPECT_LE(s.given[0], (all >> part) + 200);
		EXPECT_GT(s.given[0], 0);
	}
	part = 0;
}

/* Another version, size or byte order, or no header: refused with a reason. */
TEST(refused)
{
	struct persist_header h, other;
	unsigned int copies, i;
	const char *why;

	memset(region, 0, size);
	why = persist_find(region, size, &h, &copies);
	ASSERT_NE(NULL, why);
	EXPECT_NE(NULL, strstr(why, "no valid header"));
	for (i = 0; i < 4; i++) {
		other = head;
		other.version += i == 0;
		other.size += i == 1 ? PERSIST_PAGE : 0;
		other.nr_rings += i == 2;
		other.crc = PERSIST_CRC(&other);
		if (i == 3)
			other.magic = PERSIST_MAGIC_SWAPPED;
		memcpy(region, &other, sizeof(other));
		why = persist_find(region, size, &h, &copies);
		ASSERT_NE(NULL, why);
		EXPECT_NE(NULL, strstr(why, ((const char *[]){
			"version", "size", "invalid", "byte order" })[i]));
	}
	/* One of three is sufficient. */
	memcpy(region + size - PERSIST_PAGE, &head, sizeof(head));
	EXPECT_EQ(NULL, persist_find(region, size, &h, &copies));
	EXPECT_EQ(1, copies);
}

int main(int argc, char **argv)
{
	const char *seed = getenv("SEED"), *n = getenv("IMAGES");

	rng.state = seed && *seed ? strtoull(seed, NULL, 0) : (u64)time(NULL) << 20 ^ getpid();
	printf("# SEED=%llu\n", (unsigned long long)rng.state);
	/* QUICK reduces the number, unless sanitizers have reduced it already. */
	if (n)
		images = atoi(n);
	else if (IMAGES > 1000 && getenv("QUICK"))
		images = IMAGES / 4;
	lay_out();
	region = malloc(size);
	before = malloc(size);
	damaged = malloc(size);
	return test_harness_run(argc, argv);
}

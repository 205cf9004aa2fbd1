// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_persist_render.c - the frames besides events: clocks, threads, names, and hidden
 * addresses
 *
 * Each table entry has a checksum; the tests damage entries, or make valid ones with impossible
 * contents.
 */
#include "kselftest_harness.h"
#include "persist_image.h"

void ring_port_step(void)
{
}

#define SIZE	(1024 * 1024U)
#define RINGS	2
#define TYPE	100

/* Events of ring 0, records of 64 bytes. */
#define UNITS	8
#define ROOM	(UNITS * RING_UNIT - RING_HEADER)
static u32 nr;

static void use_image(void)
{
	struct persist_info *to;
	u32 i;

	image_begin(SIZE, RINGS);
	for (i = 0; i < RINGS; i++) {
		to = (void *)(image + head.rings + i * head.stride + PERSIST_INFO_AT);
		to->nr = 1;
		to->cpu = i;
		to->crc = PERSIST_CRC(to);
	}
	nr = 0;
}

static struct ring_record *put_event(u64 ts, u32 who)
{
	u8 *ring = image + head.rings;
	struct ring_record *rec = (void *)(ring + persist_data_at(head.ring_bytes) +
					   nr++ * UNITS * RING_UNIT);

	rec->word = (u64)TYPE << RING_TYPE_SHIFT | (ts & RING_TS_MASK);
	rec->who = who;
	rec->len = ROOM;
	*(u64 *)(ring + PERSIST_COMMIT_AT) = ring_word(nr * UNITS, nr);
	return rec;
}

static struct persist_clock *clock_at(u32 i)
{
	return (struct persist_clock *)(image + PERSIST_CLOCKS_AT) + i;
}

static void put_clock(u32 i, u64 ts)
{
	struct persist_clock c = { .ts = ts };

	c.crc = PERSIST_CRC(&c);
	*clock_at(i) = c;
}

static struct persist_thread *thread_at(u32 i)
{
	return (struct persist_thread *)(image + head.threads) + i;
}

static void put_thread(u32 i, u32 tid, u64 since, const char *comm)
{
	struct persist_thread t = { .tid = tid, .tgid = tid, .since = since };

	memcpy(t.comm, comm, strnlen(comm, sizeof(t.comm)));
	t.crc = PERSIST_CRC(&t);
	*thread_at(i) = t;
}

static struct persist_name *name_at(u32 i)
{
	return (struct persist_name *)(image + head.names) + i;
}

static void put_name_since(u32 i, u8 kind, u64 serial, u32 scope, u64 key, const char *name,
			   u64 since)
{
	struct persist_name n = {
		.kind = kind, .serial = serial, .since = since, .scope = scope, .key = key,
	};

	memcpy(n.name, name, strnlen(name, sizeof(n.name)));
	n.crc = PERSIST_CRC(&n);
	*name_at(i) = n;
}

static void put_name(u32 i, u8 kind, u64 serial, u32 scope, u64 key, const char *name)
{
	put_name_since(i, kind, serial, scope, key, name, 0);
}

/* A name comes after the last event from before it was defined. */
TEST(names_between_events)
{
	use_image();
	put_event(100, 0);
	put_event(200, 0);
	put_event(300, 0);
	put_name_since(0, DEVTRACE_T_OBJ, 5, 9, 1, "motor", 50);
	put_name_since(1, DEVTRACE_T_OBJ, 6, 9, 1, "valve", 150);
	put_name_since(2, DEVTRACE_T_OBJ, 7, 9, 1, "pump", 200);
	put_name_since(3, DEVTRACE_T_OBJ, 8, 9, 2, "last", ~0ULL);
	EXPECT_STREQ("name(0,1,motor) 0:100 name(0,1,valve) name(0,1,pump) 0:200 0:300 "
		     "name(0,2,last)", image_says());
}

TEST(clocks)
{
	use_image();
	put_event(100, 0);
	put_event(300, 0);
	put_clock(0, 400);
	put_clock(3, 50);
	put_clock(2, 200);
	put_clock(PERSIST_CLOCKS - 1, 300);
	EXPECT_STREQ("clock(50) 0:100 clock(200) clock(300) 0:300 clock(400)", image_says());
	EXPECT_EQ(400, account.last);
	clock_at(2)->real ^= 1;
	EXPECT_STREQ("clock(50) 0:100 clock(300) 0:300 clock(400)", image_says());
	/* The high bits of times are those of the newest time, or adjacent. */
	use_image();
	put_event((3ULL << 56) - 7, 0);
	put_event((3ULL << 56) + 7, 0);
	put_clock(0, (3ULL << 56) + 1);
	EXPECT_STREQ("clock(216172782113783809) 0:216172782113783801 0:216172782113783815",
		     image_says());
}

TEST(threads)
{
	use_image();
	put_event(100, 0);
	put_event(300, 0);
	put_thread(0, 7, 200, "second");
	put_thread(1, 7, 50, "first");
	put_thread(5, 8, 250, "of 8");
	put_thread(6, 8, 400, "later");
	/* Thread 8 has no name before the first event: its first name is used. */
	EXPECT_STREQ("thread(7,50,first) thread(8,250,of 8) 0:100 thread(7,200,second) "
		     "thread(8,250,of 8) 0:300 thread(8,400,later)", image_says());
	thread_at(5)->tgid ^= 1;
	EXPECT_STREQ("thread(7,50,first) thread(8,400,later) 0:100 thread(7,200,second) "
		     "0:300 thread(8,400,later)", image_says());
	/* No thread has id 0, and a name has an end. */
	put_thread(5, 0, 250, "nobody");
	put_thread(6, 9, 20, "sixteen of bytes");
	EXPECT_STREQ("thread(9,20,sixteen of byte) thread(7,50,first) 0:100 "
		     "thread(7,200,second) 0:300", image_says());
}

TEST(names)
{
	static const u8 kinds[] = { DEVTRACE_T_ENUM, DEVTRACE_T_SIG, DEVTRACE_T_OBJ,
				    DEVTRACE_T_FUN, DEVTRACE_T_USR, DEVTRACE_T_IMAGE };
	u32 i;

	/* Kernel addresses are hidden; those of a program are not. */
	use_image();
	put_name(0, DEVTRACE_T_OBJ, 5, 0, 0x10000, "kernel");
	put_name(1, DEVTRACE_T_OBJ, 6, 9, 0x10000, "program");
	put_name(2, DEVTRACE_T_USR, 7, 0, 100, "number");
	EXPECT_STREQ("name(0,fffffffffffeffff,kernel) name(0,10000,program) name(0,64,number)",
		     image_says());
	/* Damaged, or not newer than the preceding one, as after a move of names. */
	name_at(1)->key ^= 1;
	put_name(2, DEVTRACE_T_USR, 5, 0, 100, "number");
	put_name(3, DEVTRACE_T_USR, 6, 0, 101, "next");
	EXPECT_STREQ("name(0,fffffffffffeffff,kernel) name(0,65,next)", image_says());
	/* Names have six frame types, and an accuracy is sent as EMPTY; others are ignored. */
	for (i = 0; i < 256; i++) {
		put_name(0, i, 5, 0, 100, "x");
		put_name(1, DEVTRACE_T_USR, 6, 0, 101, "next");
		put_name(3, DEVTRACE_T_USR, 1, 0, 101, "old");
		image_says();
		if (i == DEVTRACE_T_ACCURACY) {
			EXPECT_STREQ("accuracy(x) name(0,65,next)", said);
			continue;
		}
		EXPECT_STREQ(memchr(kinds, i, sizeof(kinds)) ? "name(0,64,x) name(0,65,next)" :
							       "name(0,65,next)", said);
	}
}


/*
 * Write change @n of the stream: it stops or continues at @ts; events from @began on are
 * refused.
 */
static void put_change(u64 n, u32 state, u64 began, u64 ts, const char *trigger)
{
	struct persist_change *to = (void *)(image + PERSIST_CHANGES_AT);
	struct persist_change c = { .n = n, .state = state, .began = began, .ts = ts };

	memcpy(c.trigger, trigger, strlen(trigger));
	c.crc = PERSIST_CRC(&c);
	to[n % PERSIST_CHANGES] = c;
}

static struct persist_missed *missed_at(u32 ring, u32 copy)
{
	return (struct persist_missed *)(image + head.rings + ring * head.stride +
					 PERSIST_MISSED_AT) + copy;
}

/* Events that a ring missed by each change and by now, @before of them before a clear. */
static void put_missed(u32 ring, u32 copy, u32 nr_changes, const u64 *missed)
{
	struct persist_missed m = { .nr = nr_changes };
	u32 i;

	for (i = 0; i < nr_changes; i++)
		m.missed[i % PERSIST_CHANGES] = missed[i];
	m.crc = PERSIST_CRC(&m);
	*missed_at(ring, copy) = m;
}

static void put_info(u32 ring, u64 since, u64 before, u64 stopped, u64 busy)
{
	struct persist_info *to = (void *)(image + head.rings + ring * head.stride +
					   PERSIST_INFO_AT);
	struct persist_info i = {
		.nr = 2, .cpu = ring, .since = since, .missed = before,
		.drops[DEVTRACE_LOST_STOPPED] = stopped, .drops[DEVTRACE_LOST_BUSY] = busy,
	};

	i.crc = PERSIST_CRC(&i);
	to[1] = i;
}

/* Events at 100 and 1000; the stream stops at 210 and 410, and continues at 310 and 510. */
static void put_stops(void)
{
	use_image();
	put_event(100, 0);
	put_event(1000, 0);
	put_clock(0, 1100);
	put_change(0, DEVTRACE_STATE_STOPPED, 200, 210, "door");
	put_change(1, DEVTRACE_STATE_RUNNING, 310, 310, "");
	put_change(2, DEVTRACE_STATE_FROZEN, 400, 410, "");
	put_change(3, DEVTRACE_STATE_RUNNING, 510, 510, "");
	put_missed(0, 0, 4, (u64[]){ 0, 5, 5, 12 });
	put_missed(1, 1, 4, (u64[]){ 0, 0, 0, 2 });
	put_info(0, 0, 0, 12, 0);
	put_info(1, 0, 0, 2, 0);
}

#define FIRST	"clock(1100) 0:100 state(1,210,door) lost(0:5,5,200-310) state(0,310,) "
TEST(stops)
{
	put_stops();
	EXPECT_STREQ(FIRST "state(2,410,) lost(0:5,7,400-510) lost(1:5,2,400-510) state(0,510,) "
		     "0:1000", image_says());
	/* It ends stopped: the rest belongs to the last stop, up to the newest known time. */
	put_change(4, DEVTRACE_STATE_STOPPED, 1050, 1060, "");
	put_info(0, 0, 0, 15, 0);
	EXPECT_STREQ(FIRST "state(2,410,) lost(0:5,7,400-510) lost(1:5,2,400-510) state(0,510,) "
		     "0:1000 state(1,1060,) lost(0:5,3,1050-1100)", image_says());
	/* Other losses may have any time since the last clear. */
	put_stops();
	put_info(0, 0, 0, 12, 4);
	EXPECT_STREQ(FIRST "state(2,410,) lost(0:5,7,400-510) lost(1:5,2,400-510) state(0,510,) "
		     "0:1000 lost(0:2,4,0-1100)", image_says());
}

/* An early loss of a stop may be older than the last event before the stop. */
TEST(stops_with_an_early_loss)
{
	struct persist_change *c;

	put_stops();
	c = (void *)(image + PERSIST_CHANGES_AT);
	put_change(0, DEVTRACE_STATE_STOPPED, 90, 210, "door");
	EXPECT_NE(NULL, strstr(image_says(), "lost(0:5,5,100-310)"));
	c->early = 1;
	c->crc = PERSIST_CRC(c);
	EXPECT_NE(NULL, strstr(image_says(), "lost(0:5,5,90-310)"));
	/* The next stop has none. */
	EXPECT_NE(NULL, strstr(image_says(), "lost(0:5,7,400-510)"));
}

TEST(stops_with_a_clear)
{
	/* Cleared at 450, while frozen; 9 events were missed by then. */
	put_stops();
	put_info(0, 450, 9, 3, 4);
	put_info(1, 450, 1, 1, 0);
	EXPECT_STREQ("clock(1100) 0:100 state(2,410,) lost(0:5,3,450-510) lost(1:5,1,450-510) "
		     "state(0,510,) 0:1000 lost(0:2,4,450-1100)", image_says());
	/* Cleared while running: earlier stops have no losses left. */
	put_info(0, 350, 5, 7, 0);
	put_info(1, 350, 0, 2, 0);
	EXPECT_STREQ("clock(1100) 0:100 state(2,410,) lost(0:5,7,400-510) lost(1:5,2,400-510) "
		     "state(0,510,) 0:1000", image_says());
}

TEST(stops_without_counts)
{
	/* A damaged count: reported at the end, from the first stop without a count. */
	put_stops();
	missed_at(0, 0)->missed[0] ^= 1;
	EXPECT_STREQ("clock(1100) 0:100 state(1,210,door) state(0,310,) state(2,410,) "
		     "lost(1:5,2,400-510) state(0,510,) 0:1000 lost(0:5,12,200-1100)",
		     image_says());
	/* The older copy has the count of the first stop. */
	put_missed(0, 1, 2, (u64[]){ 0, 5 });
	EXPECT_STREQ(FIRST "state(2,410,) lost(1:5,2,400-510) state(0,510,) 0:1000 "
		     "lost(0:5,7,400-1100)", image_says());
	/* The last change is newer than the counts. */
	put_stops();
	put_change(4, DEVTRACE_STATE_STOPPED, 600, 610, "");
	put_change(5, DEVTRACE_STATE_RUNNING, 620, 620, "");
	put_info(0, 0, 0, 14, 0);
	EXPECT_STREQ(FIRST "state(2,410,) lost(0:5,7,400-510) lost(1:5,2,400-510) state(0,510,) "
		     "state(1,610,) state(0,620,) 0:1000 lost(0:5,2,600-1100)", image_says());
	/* Counts above the losses are newer; nothing is reported twice. */
	put_stops();
	put_info(0, 0, 0, 0, 0);
	EXPECT_STREQ(FIRST "state(2,410,) lost(0:5,7,400-510) lost(1:5,2,400-510) state(0,510,) "
		     "0:1000", image_says());
}

/* Changes that are damaged, misplaced or have no valid state are left out. */
TEST(changes_that_make_no_sense)
{
	struct persist_change *all;

	put_stops();
	all = (void *)(image + PERSIST_CHANGES_AT);
	all[1].ts ^= 1;
	all[5] = all[0];
	put_change(6, DEVTRACE_STATE_FROZEN + 1, 600, 610, "");
	EXPECT_STREQ("clock(1100) 0:100 state(1,210,door) lost(0:5,5,200-410) state(2,410,) "
		     "lost(0:5,7,400-510) lost(1:5,2,400-510) state(0,510,) 0:1000", image_says());
	/* More changes than entries: the oldest one has no count. */
	put_stops();
	put_change(PERSIST_CHANGES, DEVTRACE_STATE_RUNNING, 600, 600, "");
	put_missed(0, 1, PERSIST_CHANGES + 1, (u64[PERSIST_CHANGES + 1]){ [PERSIST_CHANGES] = 12 });
	EXPECT_STREQ("clock(1100) 0:100 state(0,310,) state(2,410,) lost(1:5,2,400-510) "
		     "state(0,510,) lost(0:5,12,100-600) state(0,600,) 0:1000", image_says());
}

static u64 text_at;

static void keep_text_time(u8 type, const u8 *p, u32 len)
{
	if (type == DEVTRACE_T_TEXT)
		text_at = get_le(p + 8, 8);
}

/* The last line has the time of its cause, unless something newer exists. */
TEST(time_of_the_cause)
{
	struct persist_cause *to, c = { .why = PERSIST_PANIC, .ts = 500, .text = "panic: of a test" };

	use_image();
	to = (struct persist_cause *)(image + PERSIST_CAUSES_AT) + PERSIST_PANIC - 1;
	put_event(100, 0);
	put_clock(0, 200);
	c.crc = PERSIST_CRC(&c);
	*to = c;
	image_render(0, keep_text_time);
	EXPECT_EQ(500, text_at);
	EXPECT_EQ(500, account.last);
	c.ts = 150;
	c.crc = PERSIST_CRC(&c);
	*to = c;
	image_render(0, keep_text_time);
	EXPECT_EQ(200, text_at);
}

static u8 payload[ROOM];

static void keep_payload(u8 type, const u8 *p, u32 len)
{
	if (type == TYPE && len == 16 + ROOM)
		memcpy(payload, p + 16, ROOM);
}

/* True if @len bytes at offset @at of an event in this context are rendered as @want. */
static bool passes(u32 who, u32 at, const u8 *bytes, const u8 *want, u32 len)
{
	use_image();
	memcpy(put_event(100, who)->data + at, bytes, len);
	image_render(0, keep_payload);
	return !memcmp(payload + at, want, len);
}

#define ADDRESS		1, 2, 3, 4, 5, 6, 7, 0x80
#define HIDDEN		0xfe, 0xfd, 0xfc, 0xfb, 0xfa, 0xf9, 0xf8, 0xff

/* Addresses in events of drivers are hidden at any position. */
TEST(addresses)
{
	static const u8 obj[] = { DEVTRACE_E_OBJ, ADDRESS }, no_obj[] = { DEVTRACE_E_OBJ, HIDDEN };
	static const u8 fun[] = { DEVTRACE_E_FUN, ADDRESS }, no_fun[] = { DEVTRACE_E_FUN, HIDDEN };
	static const u8 sig[] = { DEVTRACE_E_SIG, 9, 9, 9, 9, ADDRESS };
	static const u8 no_sig[] = { DEVTRACE_E_SIG, 9, 9, 9, 9, HIDDEN };
	static const u8 other[] = { DEVTRACE_E_U64, ADDRESS };
	static const u8 code[] = { DEVTRACE_E_OBJ, 9, 9, 9, DEVTRACE_E_OBJ, ADDRESS };
	static const u8 no_code[] = { DEVTRACE_E_OBJ, 9, 9, 9, DEVTRACE_E_OBJ, HIDDEN };
	static const u8 both[] = { 0, 0, 0, 0, DEVTRACE_E_OBJ, 9, 9, 9, DEVTRACE_E_OBJ, ADDRESS };
	static const u8 no_both[] = { 0, 0, 0, 0, DEVTRACE_E_OBJ, 9, 9, 9, DEVTRACE_E_OBJ, HIDDEN };
	static const u8 cut[] = { DEVTRACE_E_OBJ, 1, 2, 3, 4, 5, 6, 7 };
	const u32 ptr = RING_WHO_PTR;

#define PASSES(who, from, to) passes(who, 0, from, to, sizeof(from))
	EXPECT_TRUE(PASSES(ptr, obj, no_obj));
	EXPECT_TRUE(PASSES(ptr, fun, no_fun));
	EXPECT_TRUE(PASSES(ptr, sig, no_sig));
	EXPECT_TRUE(PASSES(ptr, other, other));
	EXPECT_TRUE(PASSES(0, obj, obj));
	EXPECT_TRUE(PASSES(ptr | RING_WHO_USER, obj, obj));
	/* Behind a code, and an object with a signal, which are not elements. */
	EXPECT_TRUE(PASSES(ptr | RING_WHO_CODE, code, no_code));
	EXPECT_TRUE(PASSES(ptr | RING_WHO_OBJSIG, code, no_code));
	EXPECT_TRUE(PASSES(ptr | RING_WHO_CODE | RING_WHO_OBJSIG, both, no_both));
	/* A cut element has no address; bytes behind the event do not count. */
	EXPECT_TRUE(passes(ptr, ROOM - sizeof(cut), cut, cut, sizeof(cut)));
	use_image();
	put_event(100, ptr | RING_WHO_CODE)->len = 2;
	*(u64 *)(image + head.rings + PERSIST_COMMIT_AT) = ring_word(2, 1);
	EXPECT_STREQ("0:100", image_says());
}

TEST_HARNESS_MAIN

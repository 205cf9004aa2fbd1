// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_watch.c - watches: callbacks at the time of the event, and the tracepoint devtrace:event
 *
 * Writers in tasks, softirqs, interrupts and NMIs emit a thousand numbered events per
 * DEVICE_ROUNDS. The callback of dtwatch.ko is called once for each, in the writer's context,
 * and a perf counter on the tracepoint counts the same. Events of a callback are stored and not
 * watched. Watches come and go while all CPUs emit. Events of programs are watched too. tracefs
 * prints the events; a BPF program, which this test loads itself, counts them by context.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/bpf.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <devtrace.h>

#include "kselftest_harness.h"
#include "dev.h"
#include "nl.h"

#define EVENT		"/sys/kernel/tracing/events/devtrace/event/"
#define WATCH		"/sys/module/devtrace_watch/parameters/"
#define DTWATCH		"/sys/module/dtwatch/parameters/"
#define NOTHING_WRONG	"doubled 0 missing 0 context 0 preemptible 0 backwards 0 payload 0 late 0\n"
#define CLASSES		(DTTEST_USER + 1)

static const char *const contexts[DTTEST_CLASSES] = { "task", "softirq", "irq", "nmi" };
static char text[65536];

static uint32_t rounds(void)
{
	const char *env = getenv("DEVICE_ROUNDS");

	return env && *env ? strtoul(env, NULL, 0) : 1000;
}

/* The text of a file; "" and a message on failure. */
static const char *said(const char *path)
{
	if (dev_read_file(path, text, sizeof(text)) >= 0)
		return text;
	dev_say("%s: %s", path, strerror(errno));
	return strcpy(text, "");
}

static int watch(const char *what)
{
	return dev_write_file(DTWATCH "watch", what) ? -errno : 0;
}

/* By CPU and class; for programs by number and class. */
static void watched(uint64_t counts[DEV_CPUS][CLASSES])
{
	const char *p = said(DTWATCH "counts");
	int cpu, n, class;

	memset(counts, 0, DEV_CPUS * sizeof(*counts));
	for (; sscanf(p, "%d%n", &cpu, &n) == 1 && cpu >= 0 && cpu < DEV_CPUS; ) {
		p += n;
		for (class = 0; class < CLASSES; class++, p += n)
			if (sscanf(p, "%ju%n", &counts[cpu][class], &n) != 1)
				return;
	}
}

/* The watch of the tracepoint is made shortly after its probe, and removed likewise. */
static bool is_attached(bool on)
{
	int tries = 6000;

	while (said(WATCH "attached")[0] != (on ? 'Y' : 'N') && --tries)
		dev_sleep_ms(10);
	return tries;
}

/* Emit an event of a driver, with a type that dtwatch ignores. */
static int fire(const char *context, unsigned int severity, uint32_t value)
{
	char line[128];

	snprintf(line, sizeof(line), "%s %u %u 1 2 %u x", context, DTWATCH_OTHER, severity, value);
	return dev_write_file("/sys/module/dtfire/parameters/emit", line);
}

/* Number of contexts; without NMIs, one less. */
static int classes(unsigned int nmis)
{
	if (access("/sys/module/dtquiet", F_OK))
		dev_load_file("dtquiet.ko", "");
	if (dev_nmi(nmis))
		return DTTEST_CLASSES;
	dev_say("NMIs are left out: nobody injects them here");
	return DTTEST_NMI;
}

static int perf_open(int cpu)
{
	struct perf_event_attr a = {
		.type = PERF_TYPE_TRACEPOINT, .size = sizeof(a),
		.config = strtoul(said(EVENT "id"), NULL, 10),
	};

	return syscall(SYS_perf_event_open, &a, -1, cpu, -1, PERF_FLAG_FD_CLOEXEC);
}

FIXTURE(watch) {
	int cpus[DEV_CPUS], ncpus;
	int perf[DEV_CPUS];
};

FIXTURE_SETUP(watch)
{
	int i;

	memset(self, 0, sizeof(*self));
	dev_seed();
	ASSERT_EQ(0, dev_load("size=64K"));
	ASSERT_EQ(0, dev_load_file("devtrace_watch.ko", ""));
	ASSERT_EQ(0, dev_load_file("dtwatch.ko", ""));
	ASSERT_EQ(0, dev_load_file("dtfire.ko", ""));
	ASSERT_EQ(0, dev_load_writers("pause_us=0 burst=64 period_us=300 max_len=16"));
	self->ncpus = dev_online(self->cpus);
	ASSERT_LT(0, self->ncpus);
	for (i = 0; i < DEV_CPUS; i++)
		self->perf[i] = -1;
}

FIXTURE_TEARDOWN(watch)
{
	int i;

	dev_nmi(0);
	dev_writers_run(false);
	for (i = 0; i < DEV_CPUS; i++)
		if (self->perf[i] >= 0)
			close(self->perf[i]);
	if (!access(EVENT "enable", F_OK))
		EXPECT_EQ(0, dev_write_file(EVENT "enable", "0"));
	dev_sleep_ms(200);	/* wait for the last NMIs */
	dev_unload_one("dtquiet");
	EXPECT_EQ(0, dev_done());
}

TEST_F_TIMEOUT(watch, each_event_once_in_its_context, 1200)
{
	uint64_t emitted[DEV_CPUS][DTTEST_CLASSES], seen[DEV_CPUS][CLASSES];
	uint64_t all, by[DTTEST_CLASSES], perf = 0, n;
	const uint64_t enough = rounds() * 1000ULL;
	int i, k, nr, tries = 6000;
	bool each;

	ASSERT_EQ(0, dev_write_file(WATCH "severity", "none"));
	for (i = 0; i < self->ncpus; i++) {
		self->perf[i] = perf_open(self->cpus[i]);
		ASSERT_LE(0, self->perf[i]);
	}
	ASSERT_TRUE(is_attached(true));
	/* Let interrupts occur during callbacks. */
	ASSERT_EQ(0, dev_write_file(DTWATCH "delay_us", "3"));
	ASSERT_EQ(0, watch("192 212 0xff01 3"));
	nr = classes(100);
	ASSERT_EQ(0, dev_writers_run(true));
	/* The injector of NMIs may have no CPU meanwhile. */
	do {
		dev_sleep_ms(20);
		ASSERT_EQ(0, dev_writers_counts(emitted));
		memset(by, 0, sizeof(by));
		for (all = 0, i = 0; i < DEV_CPUS; i++) {
			for (k = 0; k < DTTEST_CLASSES; k++) {
				by[k] += emitted[i][k];
				all += emitted[i][k];
			}
		}
		for (each = true, k = 0; k < nr; k++)
			each &= by[k] > 0;
	} while (all < enough || (!each && --tries));
	dev_nmi(0);
	ASSERT_EQ(0, dev_writers_run(false));

	ASSERT_EQ(0, dev_writers_counts(emitted));
	watched(seen);
	memset(by, 0, sizeof(by));
	for (all = 0, i = 0; i < DEV_CPUS; i++) {
		for (k = 0; k < DTTEST_CLASSES; k++) {
			EXPECT_EQ(emitted[i][k], seen[i][k])
				TH_LOG("CPU %d, %s", i, contexts[k]);
			by[k] += seen[i][k];
			all += seen[i][k];
		}
	}
	for (k = 0; k < nr; k++)
		EXPECT_LT(0, by[k]) TH_LOG("%s", contexts[k]);
	EXPECT_STREQ(NOTHING_WRONG, said(DTWATCH "wrong"));
	for (i = 0; i < self->ncpus; i++) {
		ASSERT_EQ(sizeof(n), read(self->perf[i], &n, sizeof(n)));
		perf += n;
	}
	EXPECT_EQ(all, perf);
	EXPECT_STREQ("0\n", said(WATCH "unseen"));
	n = strtoull(said(DTWATCH "upon"), NULL, 10);
	EXPECT_LT(0, n);
	dev_say("%ju events, %ju callbacks in tasks, %ju in softirqs, %ju in interrupts, %ju in NMIs, %ju of them upon another; perf counted %ju",
		all, by[DTTEST_TASK], by[DTTEST_SOFTIRQ], by[DTTEST_IRQ], by[DTTEST_NMI], n, perf);
	EXPECT_EQ(0, watch("off"));
}

/* An event comes exactly if it meets all terms. */
TEST_F(watch, terms)
{
	int i, k;

	static const struct {
		const char *terms;
		unsigned int severity;
		bool comes;
	} tries[] = {
		{ "212 212 0xff01 1", 0, true }, { "212 212 0x1 1", 0, true },
		{ "212 212 0xff00 1", 0, false }, { "213 255 0xff01 3", 0, false },
		{ "192 211 0xff01 3", 0, false }, { "212 212 0xff01 2", 0, false },
		{ "212 212 0x8000 1", DEVTRACE_HW3, true },
		{ "212 212 0x8000 1", DEVTRACE_HW2, false },
		{ "212 212 0x8400 1", DEVTRACE_SW2, true },
		/* Between two requested ones, so the filter passes it. */
		{ "212 212 0xa000 1", DEVTRACE_HW2, false },
		{ "212 212 0x0800 1", DEVTRACE_HW3, false },
	};
	struct tape *t;

	ASSERT_EQ(0, dev_write_file(DTWATCH "echo", "Y"));
	for (i = 0; i < (int)(sizeof(tries) / sizeof(tries[0])); i++) {
		size_t n = 0, before = 0;

		t = tape_all(4096);
		ASSERT_NE(NULL, t);
		for (k = 0; k < (int)t->nev; k++)
			before += t->ev[k].type == DTWATCH_ECHO;
		tape_free(t);
		ASSERT_EQ(0, watch(tries[i].terms));
		ASSERT_EQ(0, fire("task", tries[i].severity, i));
		ASSERT_EQ(0, watch("off"));
		t = tape_all(4096);
		ASSERT_NE(NULL, t);
		for (k = 0; k < (int)t->nev; k++)
			n += t->ev[k].type == DTWATCH_ECHO;
		tape_free(t);
		EXPECT_EQ(tries[i].comes, n - before)
			TH_LOG("terms %s, severity %u", tries[i].terms, tries[i].severity);
	}
}

TEST_F(watch, what_a_callback_emits_is_stored_and_not_watched)
{
	const unsigned int each = 20;
	size_t i, echoes = 0, others = 0;
	unsigned int n;
	struct tape *t;
	char want[32];
	int k, nr;

	ASSERT_EQ(0, dev_write_file(DTWATCH "echo", "Y"));
	ASSERT_EQ(0, watch("192 212 0xff01 3"));
	nr = classes(100);
	for (k = 0; k < nr; k++)
		for (n = 0; n < each; n++)
			ASSERT_EQ(0, fire(contexts[k], 0, n));
	dev_nmi(0);
	ASSERT_EQ(0, watch("off"));
	t = tape_all(4096);
	ASSERT_NE(NULL, t);
	EXPECT_TRUE(tape_clean(t));
	EXPECT_EQ(0, tape_lost(t, -1));
	for (i = 0; i < t->nev; i++) {
		echoes += t->ev[i].type == DTWATCH_ECHO;
		others += t->ev[i].type == DTWATCH_OTHER;
		/* It was emitted first. */
		if (t->ev[i].type == DTWATCH_OTHER)
			EXPECT_LE(others, echoes);
	}
	EXPECT_EQ(nr * each, others);
	EXPECT_EQ(nr * each, echoes);
	snprintf(want, sizeof(want), "%u\n", nr * each);
	EXPECT_STREQ(want, said(WATCH "nested"));
	EXPECT_STREQ(NOTHING_WRONG, said(DTWATCH "wrong"));
	tape_free(t);
}

TEST_F(watch, in_nmis)
{
	unsigned int n;

	if (classes(100) < DTTEST_CLASSES)
		SKIP(return, "nobody injects NMIs here, or an NMI may not touch a ring");
	/* Each callback emits an event, which is counted. */
	ASSERT_EQ(0, dev_write_file(DTWATCH "echo", "Y"));
	ASSERT_EQ(0, watch("211 212 0xff01 1"));
	for (n = 0; n < 20; n++)
		ASSERT_EQ(0, fire("nmi", 0, n));
	dev_nmi(0);
	ASSERT_EQ(0, watch("off"));
	EXPECT_STREQ("20\n", said(WATCH "nested"));
}

/* No callback comes after the end of a watch, and none twice. */
TEST_F_TIMEOUT(watch, come_and_go_while_all_emit, 1200)
{
	uint64_t seen[DEV_CPUS][CLASSES], before = 0, now;
	uint32_t n, called = 0;
	int i, k, wrong[7];

	classes(100);
	ASSERT_EQ(0, dev_writers_run(true));
	for (n = 0; n < rounds(); n++) {
		ASSERT_EQ(0, watch(n % 2 ? "192 195 0xff01 3" : "193 194 0x1 1"));
		if (n % 16 == 7)
			self->perf[0] = perf_open(self->cpus[0]);
		usleep(dev_random() % 2000);
		if (n % 16 == 9) {
			close(self->perf[0]);
			self->perf[0] = -1;
		}
		ASSERT_EQ(0, watch("off"));
		watched(seen);
		for (now = 0, i = 0; i < DEV_CPUS; i++)
			for (k = 0; k < CLASSES; k++)
				now += seen[i][k];
		called += now != before;
		before = now;
	}
	dev_nmi(0);
	ASSERT_EQ(0, dev_writers_run(false));
	ASSERT_EQ(7, sscanf(said(DTWATCH "wrong"),
			    "doubled %d missing %d context %d preemptible %d backwards %d payload %d late %d",
			    wrong, wrong + 1, wrong + 2, wrong + 3, wrong + 4, wrong + 5, wrong + 6));
	for (i = 0; i < 7; i++)
		if (i != 1)	/* it was not registered all the time */
			EXPECT_EQ(0, wrong[i]) TH_LOG("%s", text);
	EXPECT_LT(0, wrong[1]);
	EXPECT_LT(n / 4, called);
	dev_say("%u watches came and went, %u of them were called, %ju times", n, called, before);
}

static int emit_numbered(uint32_t tag, uint32_t nr)
{
	struct {
		struct devtrace_emit e;
		uint8_t data[15];
	} ev = { .e.type = DTTEST_TYPE + DTTEST_USER };
	const uint32_t v[3] = { htole32(tag), htole32(nr), htole32(dttest_hash(tag, nr)) };

	for (int i = 0; i < 3; i++) {
		ev.data[5 * i] = i < 2 ? DEVTRACE_E_U32 : DEVTRACE_E_X32;
		memcpy(ev.data + 5 * i + 1, &v[i], 4);
	}
	return devtrace_emit_event(&ev.e, sizeof(ev.e) + sizeof(ev.data));
}

/* By system call, as lanes bring events to the kernel in blocks. */
TEST_F(watch, events_of_programs)
{
	static const char *const ways[] = { "lane", "system call" };
	const uint32_t tag = DTTEST_USER << 16;
	uint64_t seen[DEV_CPUS][CLASSES];
	uint32_t i, way;

	for (way = 0; way < 2; way++) {
		ASSERT_EQ(0, devtrace_open());
		ASSERT_EQ(0, devtrace_lane(way ? 0 : 1 << 16));
		for (i = 0; i < 100; i++)
			ASSERT_EQ(0, emit_numbered(tag + way, 1000 + i));
		ASSERT_EQ(0, watch("196 196 0xff01 2"));
		for (i = 0; i < 1000; i++)
			ASSERT_EQ(0, emit_numbered(tag + way, i));
		ASSERT_EQ(0, watch("off"));
		for (i = 0; i < 100; i++)
			ASSERT_EQ(0, emit_numbered(tag + way, 2000 + i));
		devtrace_close();
		watched(seen);
		EXPECT_EQ(1000, seen[way][DTTEST_USER]) TH_LOG("%s", ways[way]);
		EXPECT_STREQ(NOTHING_WRONG, said(DTWATCH "wrong"));
	}
}

static int trigger(int cmd, int n)
{
	static struct nl nl;
	char name[8];
	int err;

	if (nl_open(&nl))
		return -1;
	snprintf(name, sizeof(name), "t%d", n);
	nl_begin(&nl, cmd);
	nl_put_str(&nl, DEVTRACE_A_TRIGGER, name);
	if (cmd == DEVTRACE_CMD_TRIGGER_NEW) {
		nl_nest_end(&nl, nl_nest(&nl, DEVTRACE_A_WHEN));
		nl_put_u32(&nl, DEVTRACE_A_ACTION, DEVTRACE_ACTION_NOTIFY);
	}
	err = nl_do(&nl, NULL, NULL);
	nl_close(&nl);
	return err;
}

TEST_F(watch, refused)
{
	int i;

	EXPECT_STREQ("-22 -22 -22 -22 -22 -22 -22 -22 -2 -2 0 -16 0 -2\n", said(DTWATCH "refused"));
	/* The limit is eight */
	EXPECT_EQ(0, dev_write_file(DTWATCH "fill", "8"));
	EXPECT_EQ(-ENOSPC, watch("192 192 1 1"));
	EXPECT_EQ(0, dev_write_file(DTWATCH "fill", "7"));
	EXPECT_EQ(0, watch("192 192 1 1"));
	EXPECT_EQ(0, watch("off"));
	EXPECT_EQ(-ENOENT, watch("off"));
	EXPECT_EQ(0, dev_write_file(DTWATCH "fill", "0"));
	/* All watches together occupy one of the 16 triggers. */
	for (i = 0; i < DEVTRACE_TRIGGERS_MAX; i++)
		ASSERT_EQ(0, trigger(DEVTRACE_CMD_TRIGGER_NEW, i));
	EXPECT_EQ(-ENOSPC, watch("192 192 1 1"));
	ASSERT_EQ(0, trigger(DEVTRACE_CMD_TRIGGER_DEL, 3));
	EXPECT_EQ(0, watch("192 192 1 1"));
	EXPECT_EQ(0, dev_write_file(DTWATCH "fill", "7"));
	EXPECT_EQ(-ENOSPC, trigger(DEVTRACE_CMD_TRIGGER_NEW, 3));
	EXPECT_EQ(0, dev_write_file(DTWATCH "fill", "0"));
	EXPECT_EQ(-ENOSPC, trigger(DEVTRACE_CMD_TRIGGER_NEW, 3));
	EXPECT_EQ(0, watch("off"));
	EXPECT_EQ(0, trigger(DEVTRACE_CMD_TRIGGER_NEW, 3));
	for (i = 0; i < DEVTRACE_TRIGGERS_MAX; i++)
		EXPECT_EQ(0, trigger(DEVTRACE_CMD_TRIGGER_DEL, i));
	/* Severities of the tracepoint */
	dev_log_begin();
	EXPECT_NE(0, dev_write_file(WATCH "severity", "sw2 sw4"));
	EXPECT_TRUE(dev_log_has("unknown severity 'sw4'"));
	EXPECT_NE(0, dev_write_file(WATCH "severity", " "));
	EXPECT_TRUE(dev_log_has("severity is empty"));
	EXPECT_STREQ("sw0 sw1 sw2 sw3 hw0 hw1 hw2 hw3\n", said(WATCH "severity"));
	/* It is in use. */
	EXPECT_NE(0, dev_unload_one("devtrace_watch"));
}

/* Number of occurrences of a text in the output of tracefs. */
static int printed(const char *what)
{
	const char *p = said("/sys/kernel/tracing/trace");
	int n = 0;

	while ((p = strstr(p, what))) {
		n++;
		p += strlen(what);
	}
	return n;
}

TEST_F(watch, the_tracepoint_in_tracefs)
{
	static const unsigned int severities[] = { 0, DEVTRACE_SW1, DEVTRACE_SW2, DEVTRACE_HW3 };
	char line[160];
	int i, k, nr;

	if (access(EVENT "enable", F_OK))
		SKIP(return, "this kernel has no " EVENT "enable");
	EXPECT_TRUE(is_attached(false));
	ASSERT_TRUE(dev_empty_file("/sys/kernel/tracing/trace"));
	ASSERT_EQ(0, dev_write_file(WATCH "severity", "sw2 hw3"));
	ASSERT_EQ(0, dev_write_file(EVENT "enable", "1"));
	ASSERT_TRUE(is_attached(true));
	nr = classes(100);
	for (k = 0; k < nr; k++)
		for (i = 0; i < 4; i++)
			ASSERT_EQ(0, fire(contexts[k], severities[i], 0x1234));
	for (k = 0; k < nr; k++) {
		snprintf(line, sizeof(line), "event: type=%u severity=sw2 context=%s from=kernel object=1 signal=2 code=0x0 ts=",
			 DTWATCH_OTHER, contexts[k]);
		EXPECT_EQ(1, printed(line)) TH_LOG("%s\n%s", line, text);
	}
	EXPECT_EQ(2 * nr, printed("event: type="));
	/* U32 0x1234, U32 0, I32 -0x1234, STR "x" */
	snprintf(line, sizeof(line), "len=18 payload=%02x34120000%02x00000000%02xccedffff%02x7800\n",
		 DEVTRACE_E_U32, DEVTRACE_E_U32, DEVTRACE_E_I32, DEVTRACE_E_STR);
	EXPECT_EQ(2 * nr, printed(line)) TH_LOG("%s\n%s", line, text);
	/* Change the severities while it is attached */
	ASSERT_EQ(0, dev_write_file(WATCH "severity", "none"));
	for (i = 0; i < 4; i++)
		ASSERT_EQ(0, fire("task", severities[i], i));
	EXPECT_EQ(1, printed("severity=- context=task"));
	EXPECT_EQ(2 * nr + 1, printed("event: type="));
	/* Detach */
	ASSERT_EQ(0, dev_write_file(EVENT "enable", "0"));
	EXPECT_TRUE(is_attached(false));
	ASSERT_EQ(0, fire("task", 0, 0));
	EXPECT_EQ(2 * nr + 1, printed("event: type="));
	dev_nmi(0);
}

/* trace-cmd and perf print a record by this format, and know no names of the kernel's. */
TEST_F(watch, the_format_for_tools_has_no_names)
{
	const char *print;

	if (access(EVENT "format", F_OK))
		SKIP(return, "this kernel has no " EVENT "format");
	print = strstr(said(EVENT "format"), "print fmt:");
	ASSERT_NE(NULL, print);
	EXPECT_NE(NULL, strstr(print, "{ 1, \"softirq\" }")) TH_LOG("%s", print);
	EXPECT_EQ(NULL, strstr(print, "DEVTRACE_")) TH_LOG("%s", print);
}

/* tracefs does not hold the module: the tracepoint is detached when it is unloaded. */
TEST_F(watch, the_module_goes_while_tracefs_is_attached)
{
	int i;

	ASSERT_EQ(0, dev_unload_one("dtwatch"));
	ASSERT_EQ(0, dev_writers_run(true));
	for (i = 0; i < 10; i++) {
		ASSERT_EQ(0, dev_write_file(WATCH "severity", "all"));
		ASSERT_EQ(0, dev_write_file(EVENT "enable", "1"));
		if (i % 2)
			EXPECT_TRUE(is_attached(true));
		ASSERT_EQ(0, dev_unload_one("devtrace_watch"));
		EXPECT_NE(0, access(EVENT, F_OK));
		ASSERT_EQ(0, dev_load_file("devtrace_watch.ko", ""));
	}
	ASSERT_EQ(0, dev_writers_run(false));
}

static int bpf(int cmd, union bpf_attr *a)
{
	return syscall(SYS_bpf, cmd, a, sizeof(*a));
}

/* Offset of a field in the tracepoint's record; -1: none. */
static int offset_of(const char *field)
{
	const char *p = strstr(said(EVENT "format"), field);
	int at;

	return p && (p = strstr(p, "offset:")) && sscanf(p, "offset:%d", &at) == 1 ? at : -1;
}

/* counts[flags & DEVTRACE_F_CONTEXT]++, and return 1 so that perf counts the event */
static int load_counter(int map, int flags)
{
	const struct bpf_insn code[] = {
		{ .code = BPF_LDX | BPF_MEM | BPF_B, .dst_reg = 2, .src_reg = 1, .off = flags },
		{ .code = BPF_ALU64 | BPF_AND | BPF_K, .dst_reg = 2, .imm = DEVTRACE_F_CONTEXT },
		{ .code = BPF_STX | BPF_MEM | BPF_W, .dst_reg = 10, .src_reg = 2, .off = -4 },
		{ .code = BPF_LD | BPF_DW | BPF_IMM, .dst_reg = 1, .src_reg = BPF_PSEUDO_MAP_FD,
		  .imm = map },
		{ 0 },
		{ .code = BPF_ALU64 | BPF_MOV | BPF_X, .dst_reg = 2, .src_reg = 10 },
		{ .code = BPF_ALU64 | BPF_ADD | BPF_K, .dst_reg = 2, .imm = -4 },
		{ .code = BPF_JMP | BPF_CALL, .imm = BPF_FUNC_map_lookup_elem },
		{ .code = BPF_JMP | BPF_JEQ | BPF_K, .dst_reg = 0, .off = 2 },
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = 1, .imm = 1 },
		{ .code = BPF_STX | BPF_ATOMIC | BPF_DW, .dst_reg = 0, .src_reg = 1 },
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = 0, .imm = 1 },
		{ .code = BPF_JMP | BPF_EXIT },
	};
	union bpf_attr a = {
		.prog_type = BPF_PROG_TYPE_TRACEPOINT, .insns = (uintptr_t)code,
		.insn_cnt = sizeof(code) / sizeof(code[0]), .license = (uintptr_t)"GPL",
	};

	return bpf(BPF_PROG_LOAD, &a);
}

TEST_F(watch, a_bpf_program_counts_by_context)
{
	union bpf_attr map = { .map_type = BPF_MAP_TYPE_ARRAY, .key_size = 4, .value_size = 8,
			       .max_entries = DTTEST_CLASSES };
	int maps, program, k, nr;
	const int flags = offset_of(" flags;");
	uint32_t n;

	maps = bpf(BPF_MAP_CREATE, &map);
	if (maps < 0 && (errno == ENOSYS || errno == EPERM))
		SKIP(return, "this kernel has no bpf(2)");
	ASSERT_LE(0, maps);
	ASSERT_LT(0, flags);
	program = load_counter(maps, flags);
	ASSERT_LE(0, program);
	ASSERT_EQ(0, dev_write_file(WATCH "severity", "hw2"));
	self->perf[0] = perf_open(self->cpus[0]);
	ASSERT_LE(0, self->perf[0]);
	ASSERT_EQ(0, ioctl(self->perf[0], PERF_EVENT_IOC_SET_BPF, program));
	ASSERT_TRUE(is_attached(true));
	nr = classes(100);
	for (k = 0; k < nr; k++) {
		for (n = 0; n < 10U + k; n++) {
			ASSERT_EQ(0, fire(contexts[k], DEVTRACE_HW2, n));
			ASSERT_EQ(0, fire(contexts[k], DEVTRACE_HW1, n));
		}
	}
	dev_nmi(0);
	for (k = 0; k < nr; k++) {
		uint32_t key = k;
		uint64_t value = 0;
		union bpf_attr a = { .map_fd = maps, .key = (uintptr_t)&key,
				     .value = (uintptr_t)&value };

		ASSERT_EQ(0, bpf(BPF_MAP_LOOKUP_ELEM, &a));
		EXPECT_EQ(10U + k, value) TH_LOG("%s", contexts[k]);
	}
	close(program);
	close(maps);
}

TEST_HARNESS_MAIN

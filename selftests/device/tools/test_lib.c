// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_lib.c - the library with the real device: a reader gets all that programs emit in the
 * three idioms, including names
 *
 * Needs /dev/trace, and root for the tests of access rights. Each test reads from the end of the
 * buffer at its begin, and checks only events of its own process and children, as others may
 * emit too.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>
#include <devtrace.h>
#include <devtrace-decode.h>
#include <devtrace/qnx.h>
#include <devtrace/qs.h>
#include "kselftest_harness.h"

/* As in dev.h: emulated machines may be slow. */
#undef TEST_TIMEOUT_DEFAULT
#define TEST_TIMEOUT_DEFAULT	400

/* The harness compares values of different signs. */
#pragma GCC diagnostic ignored "-Wsign-compare"

#define DEVICE	"/dev/trace"
#define TYPE	210
#define MOST	20000

/* An event from the stream. */
struct got {
	struct devtrace_event e;
	uint8_t *data;
};

FIXTURE(lib) {
	int fd;
	struct devtrace_decoder *decoder;
	struct got *got;
	unsigned int nr;
	uint64_t lost;
	bool bad;
};

static int item(const struct devtrace_item *i, void *arg)
{
	FIXTURE_DATA(lib) *self = arg;
	struct got *g;

	switch (i->kind) {
	case DEVTRACE_ITEM_EVENT:
		/* Ours, with its names so far. */
		if (i->u.event.tgid != (uint32_t)getpid() || self->nr == MOST)
			break;
		g = &self->got[self->nr++];
		g->e = i->u.event;
		g->data = malloc(g->e.len + 1);
		memcpy(g->data, g->e.data, g->e.len);
		break;
	case DEVTRACE_ITEM_LOST:
		self->lost += i->u.lost.count;
		break;
	case DEVTRACE_ITEM_DAMAGE:
	case DEVTRACE_ITEM_GAP:
	case DEVTRACE_ITEM_UNKNOWN:
		self->bad = true;
		break;
	default:
		break;
	}
	return 0;
}

FIXTURE_SETUP(lib)
{
	if (access(DEVICE, F_OK)) {
		/* the harness would go on with the test */
		SKIP(_exit(255), "no " DEVICE);
	}
	self->fd = open(DEVICE, O_RDONLY | O_NONBLOCK);
	ASSERT_LE(0, self->fd);
	ASSERT_LE(0, lseek(self->fd, 0, SEEK_END));
	self->decoder = devtrace_decoder_new(item, self);
	self->got = calloc(MOST, sizeof(*self->got));
	errno = 1234;
}

FIXTURE_TEARDOWN(lib)
{
	while (self->nr)
		free(self->got[--self->nr].data);
	free(self->got);
	devtrace_decoder_free(self->decoder);
	close(self->fd);
}

/* Read everything available. */
static void look(FIXTURE_DATA(lib) *self)
{
	char buf[65536];
	ssize_t n;

	while ((n = read(self->fd, buf, sizeof(buf))) > 0)
		devtrace_decoder_feed(self->decoder, buf, (size_t)n, NULL);
}

/* The elements of an event as text. */
static const char *words(FIXTURE_DATA(lib) *self, unsigned int nr)
{
	static char text[8192];
	const struct got *g = &self->got[nr];
	struct devtrace_elem e;
	size_t pos = 0, at = 0;
	const char *name;
	int ret;

	text[0] = 0;
	if (nr >= self->nr)
		return "no such event";
	while ((ret = devtrace_elem_next(g->data, g->e.len, &pos, &e)) == 1) {
		if (at)
			text[at++] = ' ';
		switch (e.is_enum ? 0xe0 : e.type) {
		case 0xe0:
			name = devtrace_decoder_name(self->decoder, DEVTRACE_T_ENUM, g->e.tgid,
						     (uint32_t)e.v.u, e.width, 0);
			at += sprintf(text + at, "enum:%s", name ? name : "?");
			break;
		case DEVTRACE_E_I8: case DEVTRACE_E_I16: case DEVTRACE_E_I32: case DEVTRACE_E_I64:
			at += sprintf(text + at, "i%d:%lld", (int)(e.size - 1) * 8, (long long)e.v.i);
			break;
		case DEVTRACE_E_F32: case DEVTRACE_E_F64:
			at += sprintf(text + at, "f:%g", e.v.f);
			break;
		case DEVTRACE_E_STR: case DEVTRACE_E_MEM:
			at += sprintf(text + at, "%s:%.*s", e.type == DEVTRACE_E_STR ? "str" : "mem",
				      (int)e.v.mem.len, (const char *)e.v.mem.p);
			break;
		case DEVTRACE_E_OBJ: case DEVTRACE_E_FUN:
			name = devtrace_decoder_name(self->decoder,
						     e.type == DEVTRACE_E_OBJ ? DEVTRACE_T_OBJ :
						     DEVTRACE_T_FUN, g->e.tgid, 0, 0, e.v.u);
			at += sprintf(text + at, "%s:%s", e.type == DEVTRACE_E_OBJ ? "obj" : "fun",
				      name ? name : "?");
			break;
		case DEVTRACE_E_SIG:
			name = devtrace_decoder_name(self->decoder, DEVTRACE_T_SIG, g->e.tgid,
						     e.v.sig.sig, 0, e.v.sig.obj);
			at += sprintf(text + at, "sig:%s", name ? name : "?");
			break;
		default:
			at += sprintf(text + at, "u%d:%llu", (int)(e.size - 1) * 8,
				      (unsigned long long)e.v.u);
		}
	}
	return ret ? "damaged" : text;
}

static void function(void)
{
}

TEST_F(lib, what_is_emitted_is_read)
{
	const struct devtrace_event *e;
	unsigned int i;

	devtrace_dict_obj(77, "pump");
	devtrace_dict_enum(2, 4, "READY");
	devtrace_dict_sig(5, 0, "START");
	DEVTRACE_DICT_FUN(function);

	devtrace_for(TYPE, 77, 5, -3, 4u, "short", DEVTRACE_OBJ(77), DEVTRACE_FUN(function),
		     DEVTRACE_SIG(5, 1), DEVTRACE_ENUM(4, 2), 1.5);
	devtrace_exc(DEVTRACE_HW3, DEVTRACE_CODE(0xabcdef, 0x12), (uint8_t)9);
	Trace2b(__M(0x123456) + 0x78, _TRACE_SW_SEVERITY1, -1, 2u, 3, "abc");
	TraceEvent(_TRACE_EVENT(TYPE + 1, 1, 0, 99), -7);
	QS_BEGIN_ID(TYPE + 2, 0)
		QS_I8(0, -1);
		QS_U64(0, 1ull << 40);
		QS_MEM("mem", 3);
	QS_END()
	devtrace_text_sev(DEVTRACE_SW2, "text %d", 5);
	EXPECT_EQ(1234, errno);
	EXPECT_EQ(0, devtrace_errors());

	look(self);
	EXPECT_FALSE(self->bad);
	ASSERT_EQ(6, self->nr);
	for (i = 0; i < self->nr; i++) {
		e = &self->got[i].e;
		EXPECT_EQ(DEVTRACE_F_USER, e->flags & (DEVTRACE_F_USER | DEVTRACE_F_CONTEXT));
		EXPECT_EQ(syscall(SYS_gettid), e->tid);
		if (i)
			EXPECT_LE(self->got[i - 1].e.ts, e->ts);
	}
	e = &self->got[0].e;
	EXPECT_EQ(TYPE, e->type);
	EXPECT_EQ(77, e->object);
	EXPECT_EQ(5, e->signal);
	EXPECT_EQ(0, e->severity);
	EXPECT_EQ(DEVTRACE_F_OBJSIG | DEVTRACE_F_PTR, e->flags & DEVTRACE_F_MASK_EMIT);
	EXPECT_STREQ("i32:-3 u32:4 str:short obj:pump fun:function sig:START enum:READY f:1.5",
		     words(self, 0));
	e = &self->got[1].e;
	EXPECT_EQ(DEVTRACE_T_EXC, e->type);
	EXPECT_EQ(DEVTRACE_HW3, e->severity);
	EXPECT_EQ(0xabcdef12, e->code);
	EXPECT_STREQ("u8:9", words(self, 1));
	e = &self->got[2].e;
	EXPECT_EQ(_TRACE_SW_SEVERITY1, e->severity);
	EXPECT_EQ(0x12345678, e->code);
	EXPECT_STREQ("i32:-1 u32:2 mem:abc", words(self, 2));
	EXPECT_EQ(TYPE + 1, self->got[3].e.type);
	EXPECT_STREQ("u32:99 i32:-7", words(self, 3));
	EXPECT_EQ(TYPE + 2, self->got[4].e.type);
	EXPECT_EQ(0, self->got[4].e.flags & DEVTRACE_F_MASK_EMIT);
	EXPECT_STREQ("i8:-1 u64:1099511627776 mem:mem", words(self, 4));
	EXPECT_EQ(DEVTRACE_T_TEXT, self->got[5].e.type);
	EXPECT_EQ(DEVTRACE_SW2, self->got[5].e.severity);
	EXPECT_STREQ("str:text 5", words(self, 5));
}

TEST_F(lib, sizes)
{
	static uint8_t mem[4000];
	unsigned int i, emitted = 0;
	size_t len;

	/* Sizes above the limit give the largest lane. */
	ASSERT_EQ(0, devtrace_lane(1 << 20));
	memset(mem, 'm', sizeof(mem));
	for (len = 0; len < sizeof(mem); len += 37) {
		Trace0b(__M(1) + 1, 0, len, mem);
		emitted++;
		if (devtrace_errors())
			break;
		/* Read meanwhile, so that any buffer size suffices. */
		if (!(emitted % 10))
			look(self);
	}
	/* The last one was cut, and the library reports it. */
	EXPECT_EQ(EMSGSIZE, devtrace_error());
	EXPECT_LT(3900, len);
	look(self);
	EXPECT_FALSE(self->bad);
	EXPECT_EQ(0, self->lost);
	ASSERT_EQ(emitted, self->nr);
	for (i = 0; i < emitted; i++) {
		struct devtrace_elem e;
		size_t pos = 0, n = 0;

		while (devtrace_elem_next(self->got[i].data, self->got[i].e.len, &pos, &e) == 1) {
			if (e.type == DEVTRACE_E_MEM)
				n += e.v.mem.len;
		}
		ASSERT_EQ(self->got[i].e.len, pos);
		ASSERT_EQ(i + 1 < emitted ? DEVTRACE_E_MEM : DEVTRACE_E_STR, e.type);
		if (i + 1 < emitted)
			ASSERT_EQ(i * 37, n);
	}
}

TEST_F(lib, refused)
{
	/* Variables, as the compiler refuses such constants. */
	const volatile int transport = DEVTRACE_T_CLOCK, kernel = DEVTRACE_T_KERNEL;
	const volatile int no_severity = 0x7;
	DEVTRACE_RECORD(r, 0);

	ASSERT_EQ(0, devtrace_open());
	devtrace(transport, 1);
	devtrace(kernel, 1);
	devtrace_exc(no_severity, 1);
	EXPECT_EQ(1234, errno);
	look(self);
	EXPECT_EQ(0, self->nr);
	/* Transport types are refused: none is stored. */
	EXPECT_EQ(EINVAL, devtrace_error());
	ASSERT_TRUE(devtrace_begin_exc(&r, DEVTRACE_SW0, 0));
	EXPECT_EQ(0, devtrace_end(&r));
	look(self);
	EXPECT_EQ(1, self->nr);
}

/* The control page is the device's, at the expected address. */
TEST_F(lib, control_page)
{
	char line[512], want[32];
	bool found = false;
	FILE *maps;

	ASSERT_EQ(0, devtrace_open());
	snprintf(want, sizeof(want), "%08lx-", (unsigned long)&devtrace_control);
	maps = fopen("/proc/self/maps", "r");
	while (fgets(line, sizeof(line), maps)) {
		if (!strncmp(line, want, strlen(want)) && strstr(line, DEVICE) &&
		    strstr(line, " r--s "))
			found = true;
	}
	fclose(maps);
	EXPECT_TRUE(found);
	EXPECT_EQ(DEVTRACE_WIRE_VERSION, devtrace_control.version);
	EXPECT_TRUE(devtrace_enabled(TYPE));
}

TEST_F(lib, write_only)
{
	struct stat st;
	pid_t pid;
	int status;

	if (geteuid())
		SKIP(return, "not root");
	ASSERT_EQ(0, stat(DEVICE, &st));
	ASSERT_EQ(0, chmod(DEVICE, 0622));
	pid = fork();
	if (!pid) {
		if (setgid(65534) || setuid(65534))
			_exit(1);
		devtrace(TYPE, getpid());
		_exit(devtrace_errors() ? 2 :
		      (fcntl(devtrace_fd(), F_GETFL) & O_ACCMODE) != O_WRONLY ? 3 : 0);
	}
	waitpid(pid, &status, 0);
	EXPECT_EQ(0, status);
	ASSERT_EQ(0, chmod(DEVICE, 0600));
	pid = fork();
	if (!pid) {
		if (setgid(65534) || setuid(65534))
			_exit(1);
		devtrace(TYPE, getpid());
		_exit(devtrace_enabled(TYPE) ? 2 : devtrace_error() != EACCES ? 3 : 0);
	}
	waitpid(pid, &status, 0);
	EXPECT_EQ(0, status);
	ASSERT_EQ(0, chmod(DEVICE, st.st_mode & 07777));
}

TEST_F(lib, closed_behind_our_back)
{
	devtrace(TYPE, 1);
	/* like a daemon, but keep our own descriptor */
	for (int fd = 3; fd < 1024; fd++) {
		if (fd != self->fd)
			close(fd);
	}
	devtrace(TYPE, 2);
	EXPECT_EQ(0, devtrace_errors());
	look(self);
	ASSERT_EQ(2, self->nr);
	EXPECT_STREQ("i32:2", words(self, 1));
}

static void *emit_thousand(void *arg)
{
	int i;

	for (i = 0; i < 1000; i++)
		devtrace(TYPE, (uint32_t)(uintptr_t)arg, i);
	return NULL;
}

TEST_F(lib, threads)
{
	unsigned int next[4] = { }, i;
	pthread_t thread[4];
	uintptr_t t;

	for (t = 0; t < 4; t++)
		ASSERT_EQ(0, pthread_create(&thread[t], NULL, emit_thousand, (void *)t));
	for (t = 0; t < 4; t++)
		pthread_join(thread[t], NULL);
	EXPECT_EQ(0, devtrace_errors());
	look(self);
	EXPECT_FALSE(self->bad);
	/* In order per thread; losses were reported. */
	for (i = 0; i < self->nr; i++) {
		struct devtrace_elem e;
		size_t pos = 0;

		ASSERT_EQ(1, devtrace_elem_next(self->got[i].data, self->got[i].e.len, &pos, &e));
		t = e.v.u;
		ASSERT_GT(4, t);
		ASSERT_EQ(1, devtrace_elem_next(self->got[i].data, self->got[i].e.len, &pos, &e));
		ASSERT_LE(next[t], e.v.i);
		next[t] = (unsigned int)e.v.i + 1;
		if (i)
			ASSERT_LE(self->got[i - 1].e.ts, self->got[i].e.ts);
	}
	EXPECT_LE(4000, self->nr + self->lost);
}

static volatile sig_atomic_t alarms;

static void on_alarm(int sig)
{
	const struct itimerval off = { };

	devtrace(TYPE + 1, sig);
	alarms++;
	/* If this takes longer than the period, nothing else would run. */
	if (alarms >= 50)
		setitimer(ITIMER_REAL, &off, NULL);
}

TEST_F(lib, signal_handlers)
{
	struct itimerval timer = { { 0, 500 }, { 0, 500 } }, off = { };
	unsigned int mine = 0, seen = 0, i;

	/* Including the first events, so that the handler interrupts the connection. */
	signal(SIGALRM, on_alarm);
	setitimer(ITIMER_REAL, &timer, NULL);
	while (alarms < 50 && mine < 10000) {
		devtrace(TYPE, mine);
		mine++;
	}
	setitimer(ITIMER_REAL, &off, NULL);
	EXPECT_EQ(0, devtrace_errors());
	look(self);
	for (i = 0; i < self->nr; i++)
		seen += self->got[i].e.type == TYPE + 1;
	if (!self->lost) {
		EXPECT_EQ(mine + alarms, self->nr);
		EXPECT_EQ(alarms, seen);
	}
	EXPECT_LE(mine + alarms, self->nr + self->lost);
}

TEST_F(lib, fork_and_vfork)
{
	pid_t pid = fork();
	int status;

	if (!pid) {
		devtrace(TYPE, 1);
		look(self);
		_exit(self->nr == 1 && !devtrace_errors() ? 0 : 1);
	}
	waitpid(pid, &status, 0);
	EXPECT_EQ(0, status);

	pid = vfork();
	if (!pid) {
		devtrace(TYPE, 2);
		_exit(0);
	}
	devtrace(TYPE, 3);
	EXPECT_EQ(0, devtrace_errors());
	look(self);
	ASSERT_EQ(1, self->nr);
	EXPECT_STREQ("i32:3", words(self, 0));
}

TEST_HARNESS_MAIN

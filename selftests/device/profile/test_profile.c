// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_profile.c - kernel profile events: their contents, and their end
 *
 * The contents are compared with independent sources: system calls with ptrace(2), as strace
 * sees them; scheduler events with what the threads here do. test_profile_load.c does this under
 * load, and tests interrupts.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

#include "kselftest_harness.h"
#include "dev.h"

#define TASKLET	"/sys/kernel/tracing/events/irq/tasklet_entry"

/* A system call: its entry, or its result. */
struct call {
	bool	enter;
	int64_t	v;
};

struct calls {
	struct call *c;
	size_t n, room;
};

static void calls_add(struct calls *l, bool enter, int64_t v)
{
	if (l->n == l->room) {
		l->room = l->room ? 2 * l->room : 1024;
		l->c = realloc(l->c, l->room * sizeof(*l->c));
		if (!l->c)
			abort();
	}
	l->c[l->n++] = (struct call){ enter, v };
}

static bool profile_type(uint8_t type)
{
	return type >= DEVTRACE_T_KERNEL && type < DEVTRACE_T_USER2;
}

/* The n-th element, from 0; false if there is none. */
static bool element(const struct tape *t, const struct tape_event *e, int n,
		    struct devtrace_elem *el)
{
	size_t pos = 0;

	while (devtrace_elem_next(t->data + e->data, e->len, &pos, el) == 1)
		if (!n--)
			return true;
	return false;
}

static const char *name_of(const struct tape *t, const struct tape_event *e)
{
	return devtrace_decoder_name(t->d, DEVTRACE_T_SIG, 0, e->signal, 0, e->object);
}

static size_t count(const struct tape *t, uint8_t type)
{
	size_t n = 0;

	for (size_t i = 0; i < t->nev; i++)
		n += t->ev[i].type == type;
	return n;
}

FIXTURE(profile) {
	struct tape *t;
};

FIXTURE_SETUP(profile)
{
	dev_seed();
	ASSERT_EQ(0, dev_load("size=16M"));
}

FIXTURE_TEARDOWN(profile)
{
	if (self->t)
		tape_free(self->t);
	EXPECT_EQ(0, dev_done());
}

TEST_F(profile, nothing_is_on_at_first)
{
	char buf[4096];

	ASSERT_LT(0, dev_read_file(DEV_PROFILE, buf, sizeof(buf)));
	EXPECT_STREQ("none\n", buf);
	self->t = tape_all(65536);
	ASSERT_NE(NULL, self->t);
	for (size_t i = 0; i < self->t->nev; i++)
		EXPECT_FALSE(profile_type(self->t->ev[i].type));
}

TEST_F(profile, parameter_takes_names_and_groups)
{
	char buf[4096];

	ASSERT_TRUE(dev_profile("irq, sched -sched_waking"));
	ASSERT_LT(0, dev_read_file(DEV_PROFILE, buf, sizeof(buf)));
	EXPECT_NE(NULL, strstr(buf, "irq_entry irq_exit"));
	EXPECT_NE(NULL, strstr(buf, "sched_wakeup "));
	EXPECT_EQ(NULL, strstr(buf, "sched_waking"));
	EXPECT_EQ(NULL, strstr(buf, "sys_enter"));

	/* a preset, a type and a group */
	ASSERT_TRUE(dev_profile("latency -irq_exit"));
	ASSERT_LT(0, dev_read_file(DEV_PROFILE, buf, sizeof(buf)));
	EXPECT_NE(NULL, strstr(buf, "irq_entry"));
	EXPECT_NE(NULL, strstr(buf, "sched_switch"));
	EXPECT_EQ(NULL, strstr(buf, " irq_exit"));
	EXPECT_EQ(NULL, strstr(buf, "sched_fork"));
	ASSERT_TRUE(dev_profile("irq"));

	dev_log_begin();
	EXPECT_EQ(-1, dev_write_file(DEV_PROFILE, "irq,no_such_thing"));
	EXPECT_EQ(EINVAL, errno);
	EXPECT_TRUE(dev_log_has("unknown type or group 'no_such_thing'"));
	/* enabled events stay enabled */
	ASSERT_LT(0, dev_read_file(DEV_PROFILE, buf, sizeof(buf)));
	EXPECT_NE(NULL, strstr(buf, "irq_entry irq_exit"));

	ASSERT_TRUE(dev_profile("none"));
	ASSERT_LT(0, dev_read_file(DEV_PROFILE, buf, sizeof(buf)));
	EXPECT_STREQ("none\n", buf);
	/* from the load of the module on */
	ASSERT_EQ(0, dev_load("profile=syscalls"));
	ASSERT_LT(0, dev_read_file(DEV_PROFILE, buf, sizeof(buf)));
	EXPECT_STREQ("sys_enter sys_exit\n", buf);
}

TEST_F(profile, what_the_kernel_lacks_is_refused_alone)
{
	char buf[4096];

	ASSERT_TRUE(dev_profile("all"));
	ASSERT_LT(0, dev_read_file(DEV_PROFILE, buf, sizeof(buf)));
	EXPECT_NE(NULL, strstr(buf, "sched_switch"));
	if (strstr(buf, "fault_user"))
		SKIP(return, "this kernel has tracepoints for page faults");
	dev_log_begin();
	EXPECT_EQ(-1, dev_write_file(DEV_PROFILE, "fault_user,irq_entry"));
	EXPECT_EQ(EOPNOTSUPP, errno);
	EXPECT_TRUE(dev_log_has("this kernel has no tracepoint for fault_user"));
	ASSERT_LT(0, dev_read_file(DEV_PROFILE, buf, sizeof(buf)));
	EXPECT_STREQ("irq_entry\n", buf);
}

TEST_F(profile, a_module_that_is_refused_leaves_the_filter)
{
	static const char *const some[] = { "fault_user", "tasklet_entry" };
	const char *lacks = NULL;
	char buf[4096];

	for (size_t i = 0; i < ARRAY_SIZE(some); i++)
		if (dev_write_file(DEV_PROFILE, some[i]) && errno == EOPNOTSUPP)
			lacks = some[i];
	if (!lacks)
		SKIP(return, "this kernel has tracepoints for page faults and for tasklets");
	ASSERT_TRUE(dev_profile("irq_exit"));
	ASSERT_EQ(0, dev_unload_one("devtrace_profile"));
	snprintf(buf, sizeof(buf), "profile=%s,irq_entry", lacks);
	EXPECT_EQ(-1, dev_load_file("devtrace_profile.ko", buf));
	EXPECT_EQ(EOPNOTSUPP, errno);
	ASSERT_EQ(0, dev_load_file("devtrace_profile.ko", ""));
	ASSERT_LT(0, dev_read_file(DEV_PROFILE, buf, sizeof(buf)));
	EXPECT_STREQ("irq_exit\n", buf);
}

/* The signal of the event: arm has private calls from 0x0f0000 on. */
static uint16_t signal_of(uint64_t nr)
{
	return nr >> 12 == 0xf0 ? 0xf000 | (nr & 0xfff) : nr;
}

/* Run a program and record each system call after its exec. */
static bool watch(pid_t pid, struct calls *l)
{
	struct __ptrace_syscall_info info;
	bool begun = false;
	int status;

	if (waitpid(pid, &status, __WALL) != pid || !WIFSTOPPED(status) ||
	    ptrace(PTRACE_SETOPTIONS, pid, 0, PTRACE_O_TRACESYSGOOD | PTRACE_O_EXITKILL))
		return false;
	for (;;) {
		int sig = WSTOPSIG(status);

		if (ptrace(PTRACE_SYSCALL, pid, 0, sig == SIGSTOP || sig == SIGTRAP ||
			   sig == (SIGTRAP | 0x80) ? 0 : sig))
			return false;
		if (waitpid(pid, &status, __WALL) != pid)
			return false;
		if (WIFEXITED(status))
			return begun && !WEXITSTATUS(status);
		if (WIFSIGNALED(status))
			return false;
		if (WSTOPSIG(status) != (SIGTRAP | 0x80))
			continue;
		if (ptrace(PTRACE_GET_SYSCALL_INFO, pid, sizeof(info),
			   &info) <= 0)
			return false;
		begun = true;
		if (info.op == PTRACE_SYSCALL_INFO_ENTRY)
			calls_add(l, true, signal_of(info.entry.nr));
		else if (info.op == PTRACE_SYSCALL_INFO_EXIT)
			calls_add(l, false, info.exit.rval);
	}
}

static void traced_calls(const struct tape *t, pid_t pid, struct calls *l, size_t *unnamed)
{
	struct devtrace_elem el;

	for (size_t i = 0; i < t->nev; i++) {
		const struct tape_event *e = &t->ev[i];

		if (e->tid != (uint32_t)pid)
			continue;
		if (e->type == DEVTRACE_T_SYS_ENTER) {
			calls_add(l, true, e->signal);
			if (!name_of(t, e)) {
				dev_say("system call %u of object %#x has no name", e->signal,
					e->object);
				++*unnamed;
			}
		} else if (e->type == DEVTRACE_T_SYS_EXIT && element(t, e, 0, &el)) {
			calls_add(l, false, el.v.i);
		}
	}
}

TEST_F(profile, system_calls_are_those_that_ptrace_sees)
{
	struct calls seen = { 0 }, traced = { 0 };
	size_t unnamed = 0, skip;
	pid_t pid;

	ASSERT_TRUE(dev_profile("syscalls"));
	pid = fork();
	if (!pid) {
		int null = open("/dev/null", O_RDWR);

		if (dup2(null, 1) < 0 || dup2(null, 2) < 0)
			_exit(1);
		ptrace(PTRACE_TRACEME, 0, 0, 0);
		raise(SIGSTOP);
		execl("/bin/sh", "sh", "-c",
		      "ls -lR /etc /bin /no/such; trap : USR1; kill -USR1 $$; cat /proc/self/stat; "
		      "for i in 1 2 3 4 5 6 7 8 9; do echo $i >/tmp/x.$$; read x </tmp/x.$$; "
		      "cd /no || cd /; done; rm /tmp/x.$$; trap : TERM; kill $$; exit 0", NULL);
		_exit(1);
	}
	ASSERT_LT(0, pid);
	EXPECT_TRUE(watch(pid, &seen));
	ASSERT_TRUE(dev_profile("none"));
	self->t = tape_all(1 << 20);
	ASSERT_NE(NULL, self->t);
	ASSERT_EQ(0, tape_lost(self->t, -1));
	traced_calls(self->t, pid, &traced, &unnamed);
	dev_say("%zu events of system calls, %zu seen by ptrace", traced.n, seen.n);
	ASSERT_LT(100, seen.n);
	EXPECT_EQ(0, unnamed);
	/* ptrace shows nothing before the program's first stop */
	ASSERT_LE(seen.n, traced.n);
	skip = traced.n - seen.n;
	EXPECT_GT(20, skip);
	for (size_t i = 0; i < seen.n; i++) {
		ASSERT_EQ(seen.c[i].enter, traced.c[skip + i].enter) {
			TH_LOG("event %zu", i);
		}
		ASSERT_EQ(seen.c[i].v, traced.c[skip + i].v) {
			TH_LOG("event %zu", i);
		}
	}
	free(seen.c);
	free(traced.c);
}

static atomic_bool stop;

static void *make_interrupts(void *arg)
{
	int p[2];
	char c = 0;

	if (pipe(p))
		return NULL;
	while (!stop) {
		if (write(p[1], &c, 1) != 1 || read(p[0], &c, 1) != 1)
			break;
		usleep(300);
		sync();
	}
	close(p[0]);
	close(p[1]);
	return arg;
}

/* Names and addresses */

static size_t funs, named, high, timers;

static void count_functions(const struct tape *t)
{
	struct devtrace_elem el;
	uint64_t last = 0;

	funs = named = high = timers = 0;
	for (size_t i = 0; i < t->nev; i++) {
		const struct tape_event *e = &t->ev[i];

		for (int n = 0; element(t, e, n, &el); n++) {
			const char *name;

			if (el.is_enum || (el.type != DEVTRACE_E_FUN && el.type != DEVTRACE_E_OBJ))
				continue;
			/* One of 32768 hashes looks like an address. */
			if (el.v.u >> 48 == 0xffff || (el.v.u >> 32 == 0 && el.v.u > 65535)) {
				dev_say("type %u element %d is %#llx", e->type, n,
					(unsigned long long)el.v.u);
				high += el.v.u != last;
				last = el.v.u;
			}
			if (el.type != DEVTRACE_E_FUN)
				continue;
			funs++;
			name = devtrace_decoder_name(t->d, DEVTRACE_T_FUN, 0, 0, 0, el.v.u);
			named += name != NULL;
			timers += name && (!strcmp(name, "tick_sched_timer") ||
					   !strcmp(name, "tick_nohz_handler"));
		}
	}
}

TEST_F(profile, functions_have_names_and_no_addresses)
{
	/* A busy machine does little meanwhile, and names are sent a little later. */
	for (int tries = 0; tries < 30; tries++) {
		ASSERT_TRUE(dev_profile("timer hrtimer work"));
		dev_sleep_ms(300);
		ASSERT_TRUE(dev_profile("none"));
		if (self->t)
			tape_free(self->t);
		self->t = tape_all(65536);
		ASSERT_NE(NULL, self->t);
		count_functions(self->t);
		if (funs > 10 && named + 5 >= funs && timers)
			break;
	}
	dev_say("%zu functions, %zu with a name, %zu of the tick", funs, named, timers);
	EXPECT_LT(10, funs);
	/* the last functions may have no name yet */
	EXPECT_GE(named + 5, funs);
	EXPECT_LT(0, timers);
	EXPECT_GE(1, high);
}

TEST_F(profile, softirqs_and_objects_have_names)
{
	struct devtrace_stats st;
	bool timer = false;
	size_t n = 0;

	ASSERT_TRUE(dev_profile("softirq"));
	/* A busy machine gives the board little CPU time. */
	for (int tries = 0; tries < 60; tries++) {
		dev_sleep_ms(500);
		ASSERT_EQ(0, dev_stats(-1, &st));
		if (st.stored > 20)
			break;
	}
	ASSERT_TRUE(dev_profile("none"));
	self->t = tape_all(65536);
	ASSERT_NE(NULL, self->t);
	for (size_t i = 0; i < self->t->nev; i++) {
		const struct tape_event *e = &self->t->ev[i];
		const char *name;

		if (e->type != DEVTRACE_T_SOFTIRQ_ENTRY)
			continue;
		n++;
		EXPECT_EQ(DEVTRACE_OBJ_SOFTIRQ, e->object);
		name = name_of(self->t, e);
		ASSERT_NE(NULL, name);
		timer |= !strcmp(name, "TIMER") || !strcmp(name, "SCHED") || !strcmp(name, "RCU");
	}
	EXPECT_LT(0, n);
	EXPECT_TRUE(timer);
	EXPECT_STREQ("softirq", devtrace_decoder_name(self->t->d, DEVTRACE_T_OBJ, 0, 0, 0,
						      DEVTRACE_OBJ_SOFTIRQ));
	EXPECT_STREQ("SOFTIRQ_ENTRY", devtrace_decoder_name(self->t->d, DEVTRACE_T_USR, 0,
							    DEVTRACE_T_SOFTIRQ_ENTRY, 0, 0));
}

static bool in_softirq_writer(const struct tape *t, const struct tape_event *e,
			      struct devtrace_elem *obj)
{
	static const char name[] = "softirq_writer";	/* in dttest.ko */
	struct devtrace_elem fun;
	const char *s;

	if (!element(t, e, 0, obj) || !element(t, e, 1, &fun) || fun.type != DEVTRACE_E_FUN)
		return false;
	s = devtrace_decoder_name(t->d, DEVTRACE_T_FUN, 0, 0, 0, fun.v.u);
	return s && !strncmp(s, name, sizeof(name) - 1);
}

/* Names are sent a little after the first event. */
static struct tape *tape_of_tasklets(void)
{
	struct devtrace_elem obj;
	struct tape *t = NULL;
	bool named = false;

	for (int tries = 0; tries < 300 && !named; tries++) {
		if (t)
			tape_free(t);
		dev_sleep_ms(100);
		t = tape_all(1 << 20);
		for (size_t i = 0; t && i < t->nev && !named; i++)
			named = t->ev[i].type == DEVTRACE_T_TASKLET_EXIT &&
				in_softirq_writer(t, &t->ev[i], &obj);
	}
	return t;
}

/* Events of a tasklet are between two events that name it and its owner. */
TEST_F(profile, tasklets_begin_and_end_around_their_events)
{
	size_t n = 0, wrong = 0, inside[DEV_CPUS] = { 0 }, ran = 0;
	uint64_t counts[DEV_CPUS][DTTEST_CLASSES], in[DEV_CPUS] = { 0 };
	struct devtrace_elem obj;

	if (access(TASKLET, F_OK)) {
		EXPECT_EQ(-1, dev_write_file(DEV_PROFILE, "tasklet_entry"));
		EXPECT_EQ(EOPNOTSUPP, errno);
		SKIP(return, "this kernel has no tracepoints for tasklets");
	}
	ASSERT_EQ(0, dev_load_writers("max_len=0"));
	ASSERT_TRUE(dev_profile("tasklet_entry tasklet_exit"));
	ASSERT_EQ(0, dev_writers_run(true));
	for (int i = 0; i < 300 && ran < 20; i++) {
		dev_sleep_ms(100);
		ASSERT_EQ(0, dev_writers_counts(counts));
		ran = 0;
		for (int c = 0; c < DEV_CPUS; c++)
			ran += counts[c][DTTEST_SOFTIRQ];
	}
	ASSERT_EQ(0, dev_writers_run(false));
	ASSERT_TRUE(dev_profile("none"));
	self->t = tape_of_tasklets();
	ASSERT_NE(NULL, self->t);
	ASSERT_EQ(0, tape_lost(self->t, -1));
	for (size_t i = 0; i < self->t->nev; i++) {
		const struct tape_event *e = &self->t->ev[i];
		const int c = e->source;

		ASSERT_GT(DEV_CPUS, c);
		if (e->type == DTTEST_TYPE + DTTEST_SOFTIRQ) {
			wrong += !in[c];
			inside[c]++;
		} else if (e->type == DEVTRACE_T_TASKLET_ENTRY &&
			   in_softirq_writer(self->t, e, &obj)) {
			wrong += in[c] || !obj.v.u;
			in[c] = obj.v.u;
			inside[c] = 0;
		} else if (e->type == DEVTRACE_T_TASKLET_EXIT &&
			   in_softirq_writer(self->t, e, &obj)) {
			wrong += in[c] != obj.v.u || !inside[c];
			in[c] = 0;
			n++;
		}
	}
	dev_say("%zu tasklets, with %zu events at least", n, ran);
	EXPECT_LT(0, n);
	EXPECT_EQ(0, wrong);
}

#ifdef __x86_64__
static void end_of_child(int sig)
{
	_exit(sig);
}

/* The event of a program that accesses this address. */
static bool fault_at(struct __test_metadata *_metadata, struct tape **t, unsigned long address,
		     struct devtrace_elem *el)
{
	bool found = false;
	int status;
	pid_t pid;

	ASSERT_TRUE(dev_profile("fault_user"));
	pid = fork();
	if (!pid) {
		signal(SIGSEGV, end_of_child);
		*(volatile char *)address = 1;
		_exit(0);
	}
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	ASSERT_TRUE(dev_profile("none"));
	EXPECT_EQ(SIGSEGV, WEXITSTATUS(status));
	*t = tape_all(1 << 20);
	ASSERT_NE(NULL, *t);
	ASSERT_EQ(0, tape_lost(*t, -1));
	for (size_t i = 0; i < (*t)->nev && !found; i++)
		found = (*t)->ev[i].type == DEVTRACE_T_FAULT_USER &&
			(*t)->ev[i].tid == (uint32_t)pid && element(*t, &(*t)->ev[i], 0, el) &&
			(el->type == DEVTRACE_E_OBJ || el->v.u == address);
	return found;
}

/* A program may access a kernel address, which readers must not see. */
TEST_F(profile, faults_say_no_addresses_of_the_kernel)
{
	const unsigned long user = 4096 + 8, kernel = 0xffff888000001008;
	struct devtrace_elem el;

	if (access("/sys/kernel/tracing/events/exceptions/page_fault_user", F_OK))
		SKIP(return, "this kernel has no tracepoints for page faults");
	EXPECT_TRUE(fault_at(_metadata, &self->t, user, &el));
	EXPECT_EQ(user, el.v.u);
	tape_free(self->t);
	EXPECT_TRUE(fault_at(_metadata, &self->t, kernel, &el));
	EXPECT_EQ(DEVTRACE_E_OBJ, el.type);
	EXPECT_NE(kernel, el.v.u);
}
#endif

/* Scheduler: the next thread of a switch is the one that runs then. */

TEST_F(profile, switches_follow_one_another)
{
	uint32_t running[DEV_CPUS];
	struct devtrace_stats st;
	size_t checked = 0, wrong = 0, exits = 0;
	struct devtrace_elem el;
	pthread_t th[2];
	pid_t child;

	memset(running, 0xff, sizeof(running));
	ASSERT_TRUE(dev_profile("sched"));
	stop = false;
	for (int i = 0; i < 2; i++)
		ASSERT_EQ(0, pthread_create(&th[i], NULL, make_interrupts, NULL));
	/* A busy machine gives the board little CPU time. */
	for (int i = 0; i < 100; i++) {
		dev_sleep_ms(300);
		ASSERT_EQ(0, dev_stats(-1, &st));
		if (st.stored > 1000)
			break;
	}
	stop = true;
	for (int i = 0; i < 2; i++)
		pthread_join(th[i], NULL);
	/* pthread_join() may return before the event of the thread's end; waitpid() does not. */
	child = fork();
	if (!child)
		_exit(0);
	ASSERT_EQ(child, waitpid(child, NULL, 0));
	ASSERT_TRUE(dev_profile("none"));
	self->t = tape_all(1 << 20);
	ASSERT_NE(NULL, self->t);
	ASSERT_EQ(0, tape_lost(self->t, -1));
	for (size_t i = 0; i < self->t->nev; i++) {
		const struct tape_event *e = &self->t->ev[i];

		exits += e->type == DEVTRACE_T_SCHED_EXIT && e->tid == (uint32_t)child;
		if (e->type != DEVTRACE_T_SCHED_SWITCH || e->source >= DEV_CPUS)
			continue;
		/* state, prio, next, next_prio, comm */
		ASSERT_TRUE(element(self->t, e, 2, &el));
		if (running[e->source] != ~0U) {
			checked++;
			wrong += running[e->source] != e->tid;
		}
		running[e->source] = el.v.u;
	}
	EXPECT_LT(100, checked);
	EXPECT_EQ(0, wrong);
	EXPECT_LT(0, count(self->t, DEVTRACE_T_SCHED_WAKEUP));
	EXPECT_EQ(1, exits);
}

TEST_F(profile, console_lines_are_on_the_time_line)
{
	struct devtrace_elem el;
	bool found = false;
	struct utsname u;

	ASSERT_EQ(0, uname(&u));
	if (!strncmp(u.release, "5.10.", 5) && strstr(u.version, "PREEMPT_RT")) {
		EXPECT_EQ(-1, dev_write_file(DEV_PROFILE, "console"));
		EXPECT_EQ(EOPNOTSUPP, errno);
		SKIP(return, "printk of this kernel does not call its tracepoint");
	}
	ASSERT_TRUE(dev_profile("console"));
	ASSERT_EQ(0, dev_write_file("/dev/kmsg", "<1>devtrace was here\n"));
	dev_sleep_ms(100);
	ASSERT_TRUE(dev_profile("none"));
	self->t = tape_all(65536);
	ASSERT_NE(NULL, self->t);
	for (size_t i = 0; i < self->t->nev; i++)
		if (self->t->ev[i].type == DEVTRACE_T_CONSOLE &&
		    element(self->t, &self->t->ev[i], 0, &el) &&
		    strstr((const char *)el.v.mem.p, "devtrace was here"))
			found = true;
	EXPECT_TRUE(found);
}

/* True if event @n has this type and name. */
static bool says(const struct tape *t, size_t n, uint8_t type, const char *name)
{
	struct devtrace_elem el;

	return t->ev[n].type == type && element(t, &t->ev[n], 0, &el) &&
	       !strncmp((const char *)el.v.mem.p, name, el.v.mem.len) &&
	       el.v.mem.len == strlen(name);
}

TEST_F(profile, modules_come_and_go_by_name)
{
	size_t i, n = 0;

	ASSERT_TRUE(dev_profile("module_load module_free"));
	ASSERT_EQ(0, dev_load_writers(""));
	ASSERT_EQ(0, dev_unload_one("dttest"));
	ASSERT_TRUE(dev_profile("none"));
	self->t = tape_all(65536);
	ASSERT_NE(NULL, self->t);
	for (i = 0; i < self->t->nev; i++) {
		if (!profile_type(self->t->ev[i].type))
			continue;
		EXPECT_TRUE(says(self->t, i, n ? DEVTRACE_T_MODULE_FREE : DEVTRACE_T_MODULE_LOAD,
				 "dttest"));
		n++;
	}
	EXPECT_EQ(2, n);
}

/*
 * Read events as they come; on an idle machine most events would come from the reader. With
 * system calls enabled, each read emits an event that the reader could read.
 */
static void read_live(struct __test_metadata *_metadata, const char *types, bool polls,
		      struct tape **t)
{
	static char buf[1 << 20];
	struct pollfd p = { .events = POLLIN };
	size_t own = 0, reads = 0;
	uint64_t begin, end;
	pid_t pid;
	ssize_t n;

	p.fd = open(DEV_PATH, O_RDONLY | O_CLOEXEC | (polls ? O_NONBLOCK : 0));
	ASSERT_LE(0, p.fd);
	ASSERT_TRUE(dev_profile(types));
	pid = getpid();
	dev_sleep_ms(500);
	/* Only what has arrived, as more may arrive meanwhile. */
	for (int i = 0; i < 8 && read(p.fd, buf, sizeof(buf)) == sizeof(buf); i++)
		;
	begin = dev_now();
	/* On a busy machine the first ones take longer. */
	while (reads < 3 || dev_now() < begin + 2 * NSEC) {
		if (polls && poll(&p, 1, -1) != 1)
			break;
		n = read(p.fd, buf, sizeof(buf));
		/* An incomplete event on a CPU that does not run holds the reader back. */
		if (n < 0 && errno == EAGAIN)
			continue;
		if (n <= 0)
			break;
		reads++;
		/* like a reader that reads until EAGAIN */
		while (polls && read(p.fd, buf, sizeof(buf)) > 0)
			;
	}
	end = dev_now();
	ASSERT_TRUE(dev_profile("none"));
	close(p.fd);
	*t = tape_all(1 << 20);
	ASSERT_NE(NULL, *t);
	for (size_t i = 0; i < (*t)->nev; i++)
		own += (*t)->ev[i].tid == (uint32_t)pid && (*t)->ev[i].ts > begin &&
		       (*t)->ev[i].ts < end;
	dev_say("%s: %zu reads and %zu events of the reader in %llu ms", types, reads, own,
		(unsigned long long)(end - begin) / 1000000);
	EXPECT_LE(3, reads);
	/*
	 * About ten reads a second, plus those for full blocks of the ring and for incomplete
	 * events. Without the delay there would be hundreds.
	 */
	EXPECT_GE(100 * (end - begin), 2 * NSEC * reads);
	EXPECT_GE(2500 * (end - begin), 2 * NSEC * own);
}

TEST_F(profile, reading_does_not_feed_itself)
{
	read_live(_metadata, "all", false, &self->t);
}

TEST_F(profile, polling_does_not_feed_itself)
{
	read_live(_metadata, "syscalls sched", true, &self->t);
}

TEST_HARNESS_MAIN

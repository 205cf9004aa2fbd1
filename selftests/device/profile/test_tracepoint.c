// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_tracepoint.c - tracepoints added by name
 *
 * Their events are compared with the actions of this program: the signal that it sent, its new
 * name, the file that it opened. The interpretation of fields is compared with the files of
 * tracefs.
 */
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "kselftest_harness.h"
#include "dev.h"
#include "nl.h"

#define EVENTS	"/sys/kernel/tracing/events"
#define KPROBES	"/sys/kernel/tracing/kprobe_events"
#define FIRST	(DEVTRACE_T_USER2 - DEVTRACE_TRACEPOINTS_MAX)
/* The last number is that of faults. */
#define MOST	(DEVTRACE_TRACEPOINTS_MAX - 1)
#define NOBODY	4711
/* Number of tracefs descriptions examined */
#define SAMPLE	120
#define ROUNDS	5
/* On this machine programs and kernel share addresses: possible kernel addresses are hidden. */
#ifdef __s390x__
#define SHARED_ADDRESSES	true
#else
#define SHARED_ADDRESSES	false
#endif

static struct nl nl;

static int change(int cmd, const char *name)
{
	nl_begin(&nl, cmd);
	nl_put_str(&nl, DEVTRACE_A_TRACEPOINT, name);
	return nl_do(&nl, NULL, NULL);
}

static int add(const char *name)
{
	return change(DEVTRACE_CMD_PROFILE_ADD, name);
}

static int del(const char *name)
{
	return change(DEVTRACE_CMD_PROFILE_DEL, name);
}

/* The kernel's data on a tracepoint; type 0: none. */
struct info {
	const char *name;
	unsigned int type;
	bool attached;
	char elements[4096];
};

static void info_one(const struct nl_reply *r, void *arg)
{
	struct info *i = arg;

	if (!r->a[DEVTRACE_A_ELEMENTS] || strcmp(nl_data(r->a[DEVTRACE_A_NAME]), i->name))
		return;
	i->type = *(const uint8_t *)nl_data(r->a[DEVTRACE_A_TYPE]);
	i->attached = *(const uint8_t *)nl_data(r->a[DEVTRACE_A_ATTACHED]);
	snprintf(i->elements, sizeof(i->elements), "%s",
		 (const char *)nl_data(r->a[DEVTRACE_A_ELEMENTS]));
}

static struct info info(const char *name)
{
	struct info i = { .name = name };

	nl_begin(&nl, DEVTRACE_CMD_PROFILE_GET);
	if (nl_dump(&nl, info_one, &i))
		dev_say("profile-get: %s", nl.why);
	return i;
}

/* Let stream 0 want these of the types from FIRST on, and no others. */
static int want(unsigned int types)
{
	uint8_t map[32] = { 0 };
	size_t nest;

	map[FIRST / 8] = types;
	map[FIRST / 8 + 1] = types >> 8;
	nl_begin(&nl, DEVTRACE_CMD_FILTER_SET);
	nl_put_str(&nl, DEVTRACE_A_STREAM, DEVTRACE_STREAM0);
	nest = nl_nest(&nl, DEVTRACE_A_FILTER);
	nl_put(&nl, DEVTRACE_FA_TYPES, map, sizeof(map));
	nl_nest_end(&nl, nest);
	return nl_do(&nl, NULL, NULL);
}

/* Add a tracepoint and enable its events; type 0: failed, with a reason. */
static struct info begin(const char *name)
{
	struct info i = { .name = name };
	int err = add(name);

	if (err) {
		dev_say("%s: %d: %s", name, err, nl.why);
		return i;
	}
	i = info(name);
	if (i.type && want(1U << (i.type - FIRST))) {
		dev_say("%s: filter: %s", name, nl.why);
		i.type = 0;
	}
	return i;
}

/* The element with this name in an event; false if there is none. */
static bool element(const struct tape *t, const struct tape_event *e, const struct info *in,
		    const char *name, struct devtrace_elem *el)
{
	const size_t len = strlen(name);
	const char *p = in->elements;
	size_t pos = 0;

	while (*p) {
		const char *word = strchr(p, ' ');

		if (!word || devtrace_elem_next(t->data + e->data, e->len, &pos, el) != 1)
			return false;
		word++;
		if (!strncmp(word, name, len) && (!word[len] || word[len] == ','))
			return true;
		p = word + strcspn(word, ",");
		p += strspn(p, ", ");
	}
	return false;
}

static bool is_number(const struct tape *t, const struct tape_event *e, const struct info *in,
		      const char *name, int64_t v)
{
	struct devtrace_elem el;

	return element(t, e, in, name, &el) && el.type != DEVTRACE_E_STR &&
	       el.type != DEVTRACE_E_MEM && el.v.i == v;
}

static bool is_string(const struct tape *t, const struct tape_event *e, const struct info *in,
		      const char *name, const char *v)
{
	struct devtrace_elem el;

	return element(t, e, in, name, &el) && el.type == DEVTRACE_E_STR &&
	       !strcmp((const char *)el.v.mem.p, v);
}

FIXTURE(tracepoint) {
	struct tape *t;
};

FIXTURE_SETUP(tracepoint)
{
	dev_seed();
	ASSERT_EQ(0, dev_load("size=256K"));
	ASSERT_EQ(0, nl_open(&nl));
	if (add("sched:sched_switch") == -EOPNOTSUPP) {
		dev_done();
		/* the harness would go on with the test */
		SKIP(_exit(255), "%s", nl.why);
	}
	ASSERT_EQ(0, del("sched:sched_switch"));
}

FIXTURE_TEARDOWN(tracepoint)
{
	if (self->t)
		tape_free(self->t);
	nl_close(&nl);
	EXPECT_EQ(0, dev_done());
}

static void nothing(int sig)
{
}

TEST_F(tracepoint, signals_are_those_that_were_sent)
{
	char on[4096];
	struct info in;
	size_t n = 0;

	signal(SIGUSR2, nothing);
	prctl(PR_SET_NAME, "tp \"test\"");
	in = begin("signal:signal_generate");
	ASSERT_NE(0, in.type);
	/* the parameter of stream 0 accepts this name */
	ASSERT_LT(0, dev_read_file(DEV_PROFILE, on, sizeof(on)));
	EXPECT_STREQ("signal:signal_generate\n", on);
	ASSERT_EQ(0, kill(getpid(), SIGUSR2));
	ASSERT_EQ(0, del("signal:signal_generate"));
	ASSERT_EQ(0, kill(getpid(), SIGUSR2));
	self->t = tape_all(65536);
	ASSERT_NE(NULL, self->t);
	EXPECT_TRUE(tape_clean(self->t));
	for (size_t i = 0; i < self->t->nev; i++) {
		const struct tape_event *e = &self->t->ev[i];

		ASSERT_EQ(in.type, e->type);
		if (e->tid != getpid() || !is_number(self->t, e, &in, "sig", SIGUSR2))
			continue;
		n++;
		EXPECT_FALSE(e->flags & DEVTRACE_F_USER);
		EXPECT_TRUE(is_number(self->t, e, &in, "errno", 0));
		EXPECT_TRUE(is_number(self->t, e, &in, "code", SI_USER));
		EXPECT_TRUE(is_string(self->t, e, &in, "comm", "tp \"test\""));
		EXPECT_TRUE(is_number(self->t, e, &in, "pid", getpid()));
		EXPECT_TRUE(is_number(self->t, e, &in, "group", 1));
		EXPECT_TRUE(is_number(self->t, e, &in, "result", 0));
	}
	EXPECT_EQ(1, n);
	EXPECT_STREQ("signal:signal_generate",
		     devtrace_decoder_name(self->t->d, DEVTRACE_T_USR, 0, in.type, 0, 0));
}

/* A string of any length follows the record. */
TEST_F(tracepoint, files_are_those_that_were_executed)
{
	char path[200], *const argv[] = { path, NULL };
	struct info in;
	size_t n = 0;
	pid_t pid;

	memset(path, '/', sizeof(path));
	strcpy(path + sizeof(path) - sizeof("/bin/true"), "/bin/true");
	in = begin("sched:sched_process_exec");
	ASSERT_NE(0, in.type);
	pid = fork();
	if (!pid) {
		execv(path, argv);
		_exit(1);
	}
	ASSERT_EQ(pid, waitpid(pid, NULL, 0));
	ASSERT_EQ(0, del("sched:sched_process_exec"));
	self->t = tape_all(65536);
	ASSERT_NE(NULL, self->t);
	for (size_t i = 0; i < self->t->nev; i++) {
		const struct tape_event *e = &self->t->ev[i];

		if (e->tid != (uint32_t)pid)
			continue;
		n++;
		EXPECT_TRUE(is_string(self->t, e, &in, "filename", path));
		EXPECT_TRUE(is_number(self->t, e, &in, "pid", pid));
		EXPECT_TRUE(is_number(self->t, e, &in, "old_pid", pid));
	}
	EXPECT_EQ(1, n);
}

TEST_F(tracepoint, children_are_those_that_were_forked)
{
	struct info in = begin("sched:sched_process_fork");
	size_t n = 0;
	pid_t pid;

	ASSERT_NE(0, in.type);
	pid = fork();
	if (!pid)
		_exit(0);
	ASSERT_EQ(pid, waitpid(pid, NULL, 0));
	ASSERT_EQ(0, del("sched:sched_process_fork"));
	self->t = tape_all(65536);
	ASSERT_NE(NULL, self->t);
	for (size_t i = 0; i < self->t->nev; i++) {
		const struct tape_event *e = &self->t->ev[i];

		if (e->tid != getpid())
			continue;
		n++;
		EXPECT_TRUE(is_number(self->t, e, &in, "parent_pid", getpid()));
		EXPECT_TRUE(is_number(self->t, e, &in, "child_pid", pid));
	}
	EXPECT_EQ(1, n);
}

/* Single system calls are described differently. */
TEST_F(tracepoint, system_calls_have_their_arguments)
{
	static const char path[] = "/no/such/file";
	int err = add("syscalls:sys_enter_openat");
	struct info enter, leave;
	size_t n = 0, left = 0;

	if (err == -ENOENT)
		SKIP(return, "this kernel does not describe system calls");
	ASSERT_EQ(0, err);
	ASSERT_EQ(0, add("syscalls:sys_exit_openat"));
	enter = info("syscalls:sys_enter_openat");
	leave = info("syscalls:sys_exit_openat");
	ASSERT_EQ(0, want(1U << (enter.type - FIRST) | 1U << (leave.type - FIRST)));
	EXPECT_EQ(-1, syscall(SYS_openat, AT_FDCWD, path, O_RDWR | O_EXCL, 0640));
	ASSERT_EQ(0, want(0));
	self->t = tape_all(65536);
	ASSERT_NE(NULL, self->t);
	for (size_t i = 0; i < self->t->nev; i++) {
		const struct tape_event *e = &self->t->ev[i];

		if (e->tid != getpid())
			continue;
		if (e->type == leave.type)
			left += is_number(self->t, e, &leave, "ret", -ENOENT);
		/* a program's own address is visible unless it may be one of the kernel */
		if (e->type != enter.type ||
		    !(SHARED_ADDRESSES ||
		      is_number(self->t, e, &enter, "filename", (int64_t)(unsigned long)path)))
			continue;
		n++;
		EXPECT_TRUE(is_number(self->t, e, &enter, "dfd", AT_FDCWD));
		EXPECT_TRUE(is_number(self->t, e, &enter, "flags_", O_RDWR | O_EXCL));
		EXPECT_TRUE(is_number(self->t, e, &enter, "mode", 0640));
		EXPECT_TRUE(is_number(self->t, e, &enter, "__syscall_nr", SYS_openat));
	}
	EXPECT_EQ(1, n);
	EXPECT_LE(1, left);
	dev_say("%s; %s", enter.elements, leave.elements);
}

/* Numbers of hidden pointers, of functions with a name, and of visible pointers. */
static void hidden_and_shown(struct tape *t, size_t *hidden, size_t *named, size_t *shown)
{
	struct devtrace_elem el;

	*hidden = *named = *shown = 0;
	for (size_t i = 0; i < t->nev; i++) {
		const struct tape_event *e = &t->ev[i];
		size_t pos = 0;

		while (devtrace_elem_next(t->data + e->data, e->len, &pos, &el) == 1) {
			if (el.type == DEVTRACE_E_OBJ || el.type == DEVTRACE_E_FUN) {
				++*hidden;
				*named += el.type == DEVTRACE_E_FUN &&
					  devtrace_decoder_name(t->d, DEVTRACE_T_FUN, 0, 0, 0,
								el.v.u);
			}
			if (el.type == DEVTRACE_E_U64 && el.v.u >> 48 == 0xffff &&
			    el.v.u < -4096ULL)
				++*shown;
		}
	}
}

/* Pointers, and numbers that could be one. */
TEST_F(tracepoint, no_address_of_the_kernel_is_shown)
{
	static const char *const names[] = { "kmem:kfree", "timer:timer_start", "timer:hrtimer_start" };
	size_t hidden = 0, named = 0, shown = 0;
	int tries;

	for (int i = 0; i < 3; i++)
		ASSERT_EQ(0, add(names[i]));
	ASSERT_EQ(0, want(7));
	for (int i = 0; i < 30; i++) {
		int fd = open("/proc/self/maps", O_RDONLY);
		char buf[512];

		while (read(fd, buf, sizeof(buf)) > 0)
			;
		close(fd);
		dev_sleep_ms(10);
	}
	ASSERT_EQ(0, want(0));
	/* Names of functions are sent a little later. */
	for (tries = 0; tries < 600 && !named; tries++) {
		if (tries)
			dev_sleep_ms(100);
		tape_free(self->t);
		self->t = tape_all(65536);
		ASSERT_NE(NULL, self->t);
		hidden_and_shown(self->t, &hidden, &named, &shown);
	}
	dev_say("%zu addresses are hidden, %zu are functions with a name", hidden, named);
	EXPECT_LT(10, hidden);
	EXPECT_LT(0, named);
	EXPECT_EQ(0, shown);
}

/* Both CPUs constantly cause events. */
static atomic_bool stop;

static void *calls(void *arg)
{
	dev_pin((long)arg);
	while (!stop)
		syscall(SYS_getppid);
	return NULL;
}

struct load {
	pthread_t thread[DEV_CPUS];
	int cpu[DEV_CPUS], n;
};

static void load_begin(struct load *l)
{
	stop = false;
	l->n = dev_online(l->cpu);
	for (int i = 0; i < l->n; i++)
		if (pthread_create(&l->thread[i], NULL, calls, (void *)(long)l->cpu[i]))
			abort();
}

static void load_end(struct load *l)
{
	stop = true;
	for (int i = 0; i < l->n; i++)
		pthread_join(l->thread[i], NULL);
}

TEST_F(tracepoint, none_comes_after_it_is_removed)
{
	struct load load;

	load_begin(&load);
	for (int round = 0; round < ROUNDS; round++) {
		struct info in = begin("raw_syscalls:sys_enter");
		size_t before = 0, after = 0;
		uint64_t end;

		EXPECT_NE(0, in.type);
		EXPECT_TRUE(info("raw_syscalls:sys_enter").attached);
		dev_sleep_ms(5);
		EXPECT_EQ(0, round & 1 ? want(0) : del("raw_syscalls:sys_enter"));
		end = dev_now();
		dev_sleep_ms(20);
		if (round & 1) {
			EXPECT_FALSE(info("raw_syscalls:sys_enter").attached);
			EXPECT_EQ(0, del("raw_syscalls:sys_enter"));
		}
		EXPECT_EQ(0, info("raw_syscalls:sys_enter").type);
		self->t = tape_all(65536);
		for (size_t i = 0; i < self->t->nev; i++) {
			before += self->t->ev[i].ts <= end;
			after += self->t->ev[i].ts > end;
		}
		EXPECT_LT(0, before);
		EXPECT_EQ(0, after);
		tape_free(self->t);
		self->t = NULL;
	}
	load_end(&load);
}

TEST_F(tracepoint, the_module_goes_with_some_attached)
{
	struct load load;

	load_begin(&load);
	for (int round = 0; round < ROUNDS; round++) {
		EXPECT_EQ(0, add("signal:signal_deliver"));
		EXPECT_NE(0, begin("raw_syscalls:sys_enter").type);
		dev_sleep_ms(5);
		nl_close(&nl);
		EXPECT_EQ(0, dev_unload());
		EXPECT_EQ(0, dev_load("size=256K"));
		EXPECT_EQ(0, nl_open(&nl));
		EXPECT_EQ(0, info("raw_syscalls:sys_enter").type);
	}
	load_end(&load);
}

TEST_F(tracepoint, a_cpu_that_comes_has_them_too)
{
	int cpu[DEV_CPUS], n = dev_online(cpu), last = cpu[n - 1];
	struct tape *t = NULL;
	struct info in;
	uint64_t come;
	bool seen = false;

	if (n < 2 || !dev_can_switch(last))
		SKIP(return, "no CPU here can be taken offline");
	in = begin("task:task_rename");
	ASSERT_NE(0, in.type);
	EXPECT_EQ(0, dev_switch(last, false));
	EXPECT_EQ(0, dev_switch(last, true));
	ASSERT_EQ(0, dev_pin(last));
	come = dev_now();
	/* A work has to run first. */
	while (!seen && dev_now() < come + 60 * NSEC) {
		prctl(PR_SET_NAME, "renamed");
		t = tape_all(65536);
		for (size_t i = 0; t && i < t->nev; i++)
			seen |= t->ev[i].type == in.type && t->ev[i].source == last &&
				t->ev[i].ts > come;
		tape_free(t);
	}
	dev_pin(-1);
	EXPECT_TRUE(seen);
	EXPECT_EQ(0, del("task:task_rename"));
}

static const char *const many[] = {
	"sched:sched_switch", "sched:sched_waking", "sched:sched_wakeup",
	"sched:sched_wakeup_new", "sched:sched_migrate_task", "sched:sched_process_free",
	"sched:sched_process_exit", "sched:sched_process_wait", "sched:sched_process_fork",
	"sched:sched_process_exec", "sched:sched_stat_runtime", "sched:sched_pi_setprio",
	"signal:signal_generate", "signal:signal_deliver", "task:task_newtask",
	"task:task_rename", "irq:irq_handler_entry",
};

TEST_F(tracepoint, fifteen_and_no_more)
{
	unsigned int types = 0;
	struct info in;

	for (int i = 0; i < MOST; i++) {
		ASSERT_EQ(0, add(many[i])) {
			TH_LOG("%s: %s", many[i], nl.why);
		}
		in = info(many[i]);
		ASSERT_LE(FIRST, in.type);
		types |= 1U << (in.type - FIRST);
		EXPECT_FALSE(in.attached);
	}
	EXPECT_EQ(0x7fff, types);
	EXPECT_EQ(-ENOSPC, add(many[MOST]));
	EXPECT_NE(NULL, strstr(nl.why, "15 are added already"));
	EXPECT_EQ(-EEXIST, add(many[3]));
	EXPECT_NE(NULL, strstr(nl.why, "added already"));

	/* its old name gets the same type again, another one a free type */
	in = info(many[3]);
	ASSERT_EQ(0, del(many[3]));
	ASSERT_EQ(0, del(many[7]));
	EXPECT_EQ(-ENOENT, del(many[7]));
	EXPECT_NE(NULL, strstr(nl.why, "not added"));
	ASSERT_EQ(0, add(many[3]));
	EXPECT_EQ(in.type, info(many[3]).type);
	ASSERT_EQ(0, add(many[MOST]));

	/* all at once; every second one is caused by our own work */
	ASSERT_EQ(0, want(0x7fff));
	dev_sleep_ms(200);
	ASSERT_EQ(0, want(0));
	self->t = tape_all(65536);
	ASSERT_NE(NULL, self->t);
	EXPECT_TRUE(tape_clean(self->t));
	EXPECT_LT(0, self->t->nev);
}

/* A removed type is removed from filters, as it may be reused for another tracepoint. */
TEST_F(tracepoint, removing_takes_it_out_of_the_filters)
{
	struct info in = begin("task:task_rename");
	size_t n = 0;

	ASSERT_NE(0, in.type);
	ASSERT_EQ(0, del("task:task_rename"));
	ASSERT_EQ(0, add("task:task_rename"));
	EXPECT_EQ(in.type, info("task:task_rename").type);
	EXPECT_FALSE(info("task:task_rename").attached);
	prctl(PR_SET_NAME, "another");
	ASSERT_EQ(0, want(1U << (in.type - FIRST)));
	prctl(PR_SET_NAME, "a third");
	ASSERT_EQ(0, want(0));
	self->t = tape_all(65536);
	ASSERT_NE(NULL, self->t);
	for (size_t i = 0; i < self->t->nev; i++) {
		if (self->t->ev[i].tid != getpid())
			continue;
		n++;
		EXPECT_TRUE(is_string(self->t, &self->t->ev[i], &in, "oldcomm", "another"));
		EXPECT_TRUE(is_string(self->t, &self->t->ev[i], &in, "newcomm", "a third"));
	}
	EXPECT_EQ(1, n);
}

TEST_F(tracepoint, nonsense_is_refused)
{
	char name[100];

	EXPECT_EQ(-ENOENT, add("sched:no_such_thing"));
	EXPECT_NE(NULL, strstr(nl.why, "available_events"));
	EXPECT_EQ(-ENOENT, add("no_such_system:sched_switch"));
	EXPECT_EQ(-ENOENT, add("sched:sched_switch:more"));
	EXPECT_EQ(-EINVAL, add("sched_switch"));
	EXPECT_NE(NULL, strstr(nl.why, "SYSTEM:EVENT"));
	EXPECT_EQ(-EINVAL, add("sched:"));
	EXPECT_EQ(-EINVAL, add(":sched_switch"));
	EXPECT_EQ(-EINVAL, add(""));
	memset(name, 'x', sizeof(name));
	name[5] = ':';
	name[64] = 0;
	EXPECT_EQ(-EINVAL, add(name));
	name[63] = 0;
	EXPECT_EQ(-ENOENT, add(name));
	EXPECT_EQ(-ENOENT, add("ftrace:function"));
	EXPECT_EQ(-ENOENT, del("sched:sched_switch"));

	nl_begin(&nl, DEVTRACE_CMD_PROFILE_ADD);
	EXPECT_EQ(-EINVAL, nl_do(&nl, NULL, NULL));
	nl_begin(&nl, DEVTRACE_CMD_PROFILE_ADD);
	nl_put(&nl, DEVTRACE_A_TRACEPOINT, "sched:sched_switch", 18);
	EXPECT_EQ(-EINVAL, nl_do(&nl, NULL, NULL));
	nl_begin(&nl, DEVTRACE_CMD_PROFILE_ADD);
	nl_put(&nl, DEVTRACE_A_TRACEPOINT, "sched\0sched_switch", 19);
	EXPECT_EQ(-EINVAL, nl_do(&nl, NULL, NULL));
}

/* tracefs lists it, but it is not a tracepoint. */
TEST_F(tracepoint, probes_made_at_run_time_are_refused)
{
	mount("tracefs", "/sys/kernel/tracing", "tracefs", 0, NULL);
	if (dev_write_file(KPROBES, "p:dttp/probe do_exit\n"))
		SKIP(return, "this kernel makes no kprobe events");
	EXPECT_EQ(-EOPNOTSUPP, add("dttp:probe"));
	EXPECT_NE(NULL, strstr(nl.why, "made at run time"));
	/* and nothing holds it */
	EXPECT_EQ(0, dev_write_file(KPROBES, "-:dttp/probe\n"));
	EXPECT_EQ(-ENOENT, add("dttp:probe"));
}

TEST_F(tracepoint, it_takes_the_right_to_change)
{
	pid_t pid = fork();
	int status;

	if (!pid) {
		struct nl *mine = &nl;

		nl_close(mine);
		if (setgroups(0, NULL) || setresgid(NOBODY, NOBODY, NOBODY) ||
		    setresuid(NOBODY, NOBODY, NOBODY) || nl_open(mine))
			_exit(2);
		_exit(add("sched:sched_switch") == -EPERM && strstr(mine->why, "CAP_PERFMON") &&
		      del("sched:sched_switch") == -EPERM ? 0 : 1);
	}
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_TRUE(WIFEXITED(status));
	EXPECT_EQ(0, WEXITSTATUS(status));
	EXPECT_EQ(0, info("sched:sched_switch").type);
}

static void ntf_one(const struct nl_reply *r, void *arg)
{
	int *n = arg;

	if (r->cmd == DEVTRACE_CMD_NTF_PROFILE_ADD || r->cmd == DEVTRACE_CMD_NTF_PROFILE_DEL)
		*n += r->a[DEVTRACE_A_TRACEPOINT] && r->a[DEVTRACE_A_TYPE] &&
		      !strcmp(nl_data(r->a[DEVTRACE_A_TRACEPOINT]), "sched:sched_switch");
}

TEST_F(tracepoint, those_who_listen_are_told)
{
	static struct nl listener;
	int n = 0;

	ASSERT_EQ(0, nl_open(&listener));
	ASSERT_EQ(0, nl_listen(&listener));
	ASSERT_EQ(0, add("sched:sched_switch"));
	ASSERT_EQ(0, del("sched:sched_switch"));
	ASSERT_EQ(2, nl_heard(&listener, ntf_one, &n));
	EXPECT_EQ(2, n);
	nl_close(&listener);
}

/* Compare names and sizes in a format file of tracefs with our elements. */
static bool same_as_tracefs(const char *format, const char *elements, bool call)
{
	const char *p = format;

	while ((p = strstr(p, "field:"))) {
		char type[128], name[64], kind[16];
		unsigned int size, n, sign;
		const char *end = strchr(p, ';'), *q;

		p += strlen("field:");
		if (!end || sscanf(end, "; offset:%*u; size:%u; signed:%u", &size, &sign) != 2)
			return false;
		q = end;
		/* The size of an array may be a sum: "buf[32 + 2]". */
		while (end[-1] == ']' && q > p && *q != '[')
			q--;
		for (; q > p && q[-1] != ' '; q--)
			;
		snprintf(name, sizeof(name), "%.*s", (int)strcspn(q, "[;"), q);
		snprintf(type, sizeof(type), "%.*s", (int)(q - p), p);
		if (!strncmp(name, "common_", 7))
			continue;
		/* From Linux 6.19 on, tracefs reads such a string in the caller's memory. */
		if (call && !strncmp(name, "__", 2) && strstr(type, "__data_loc"))
			continue;
		if (!*elements)
			return false;
		if (sscanf(elements, "%15s%n", kind, &n) != 1 || elements[n] != ' ')
			return false;
		elements += n + 1;
		if (strncmp(elements, name, strlen(name)))
			return false;
		elements += strlen(name);
		elements += *elements == '_';
		elements += strspn(elements, ", ");
		if (isdigit((unsigned char)kind[1]) && !call &&
		    (atoi(kind + 1) / 8 != size || (*kind == 'i') != sign))
			return false;
		if (!strcmp(kind, "str") && !strstr(type, "char"))
			return false;
		if (strstr(type, "__data_loc char[]") && strcmp(kind, "str"))
			return false;
	}
	return !*elements;
}

TEST_F(tracepoint, fields_are_those_of_tracefs)
{
	static char list[1 << 18], format[16384];
	char *name, *rest = list, *sep, path[512];
	unsigned int total = 0, looked = 0, refused = 0;

	mount("tracefs", "/sys/kernel/tracing", "tracefs", 0, NULL);
	if (dev_read_file("/sys/kernel/tracing/available_events", list, sizeof(list)) <= 0)
		SKIP(return, "no tracefs");
	for (const char *p = list; *p; p++)
		total += *p == '\n';
	while ((name = strsep(&rest, "\n")) && *name) {
		int err;

		if (dev_random() % total >= SAMPLE)
			continue;
		snprintf(path, sizeof(path), EVENTS "/%s/format", name);
		sep = strchr(path + sizeof(EVENTS), ':');
		ASSERT_NE(NULL, sep);
		*sep = '/';
		ASSERT_LT(0, dev_read_file(path, format, sizeof(format)));
		err = add(name);
		if (err == -EOPNOTSUPP) {
			refused++;
			continue;
		}
		ASSERT_EQ(0, err) {
			TH_LOG("%s: %s", name, nl.why);
		}
		EXPECT_TRUE(same_as_tracefs(format, info(name).elements,
					    !strncmp(name, "syscalls:", 9))) {
			TH_LOG("%s: %s\n%s", name, info(name).elements, format);
		}
		ASSERT_EQ(0, del(name));
		looked++;
	}
	dev_say("%u of %u looked at, %u not to be had", looked, total, refused);
	EXPECT_LT(SAMPLE / 2, looked);
	EXPECT_GE(5, refused);
}

TEST_HARNESS_MAIN

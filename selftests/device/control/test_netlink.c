// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_netlink.c - interrupted dumps, and the rights to control devtrace
 *
 * A dump is read in parts while its contents change: either it reports the interruption, or it
 * is as if nothing had changed. The rights to look, change and listen are tested with each
 * command of the description: without rights, with one of them, in other network namespaces, and
 * as root of a user namespace.
 */
#include <errno.h>
#include <grp.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>
#include <linux/capability.h>

#include "kselftest_harness.h"
#include "dev.h"
#include "nl.h"
#include "nl_spec.h"

#define CMDS		((int)(sizeof(spec_cmds) / sizeof(spec_cmds[0])))
#define STREAMS		15		/* besides stream 0 */
#define NOBODY		65534

/* A long filter, so that a dump needs several messages. */
static int set_filter(struct nl *nl, int stream, uint32_t severity)
{
	uint32_t numbers[DEVTRACE_TERMS_MAX] = { 0 };
	char comms[DEVTRACE_TERMS_MAX][16], name[32];
	size_t nest;
	int i;

	memset(comms, 0, sizeof(comms));
	for (i = 0; i < DEVTRACE_TERMS_MAX; i++)
		snprintf(comms[i], sizeof(comms[i]), "p%d", i);
	snprintf(name, sizeof(name), "s%d", stream);
	nl_begin(nl, DEVTRACE_CMD_FILTER_SET);
	nl_put_str(nl, DEVTRACE_A_STREAM, name);
	nest = nl_nest(nl, DEVTRACE_A_FILTER);
	nl_put_u32(nl, DEVTRACE_FA_HW_SEVERITY, severity);
	nl_put(nl, DEVTRACE_FA_OBJECTS, numbers, sizeof(numbers));
	nl_put(nl, DEVTRACE_FA_SIGNALS, numbers, sizeof(numbers));
	nl_put(nl, DEVTRACE_FA_MAJORS, numbers, sizeof(numbers));
	nl_put(nl, DEVTRACE_FA_NOT_MAJORS, numbers, sizeof(numbers));
	nl_put(nl, DEVTRACE_FA_PIDS, numbers, sizeof(numbers));
	nl_put(nl, DEVTRACE_FA_NOT_PIDS, numbers, sizeof(numbers));
	nl_put(nl, DEVTRACE_FA_COMMS, comms, sizeof(comms));
	nl_put(nl, DEVTRACE_FA_NOT_COMMS, comms, sizeof(comms));
	nl_nest_end(nl, nest);
	return nl_do(nl, NULL, NULL);
}

static int stream(struct nl *nl, int cmd, int n)
{
	char name[32];

	snprintf(name, sizeof(name), "s%d", n);
	nl_begin(nl, cmd);
	nl_put_str(nl, DEVTRACE_A_STREAM, name);
	if (cmd == DEVTRACE_CMD_STREAM_NEW)
		nl_put_u64(nl, DEVTRACE_A_SIZE, 4096);
	return nl_do(nl, NULL, NULL);
}

FIXTURE(dump) {
	struct nl nl, other;
};

FIXTURE_SETUP(dump)
{
	int i;

	dev_seed();
	ASSERT_EQ(0, dev_load("size=64K"));
	ASSERT_EQ(0, nl_open(&self->nl));
	ASSERT_EQ(0, nl_open(&self->other));
	for (i = 0; i < STREAMS; i++) {
		ASSERT_EQ(0, stream(&self->other, DEVTRACE_CMD_STREAM_NEW, i));
		ASSERT_EQ(0, set_filter(&self->other, i, 1)) TH_LOG("%s", self->other.why);
	}
}

FIXTURE_TEARDOWN(dump)
{
	nl_close(&self->nl);
	nl_close(&self->other);
	/* Nothing holds the module. */
	EXPECT_EQ(0, dev_done());
}

/* Contents of a dump: each stream once, all filters with the same severity. */
struct told {
	int entries, twice, level[5];
	bool seen[STREAMS];
};

static void take(const struct nl_reply *r, void *arg)
{
	const struct nlattr *name = r->a[DEVTRACE_A_STREAM], *a = NULL;
	struct told *t = arg;
	unsigned int n;

	t->entries++;
	if (!name || sscanf(nl_data(name), "s%u", &n) != 1 || n >= STREAMS)
		return;
	t->twice += t->seen[n];
	t->seen[n] = true;
	while (r->a[DEVTRACE_A_FILTER] && (a = nl_next(r->a[DEVTRACE_A_FILTER], a)))
		if (a->nla_type == DEVTRACE_FA_HW_SEVERITY && nl_u32(a) < 5)
			t->level[nl_u32(a)]++;
}

TEST_F(dump, is_the_same_in_parts)
{
	struct told t = { 0 };
	int parts = 0, err;

	nl_begin(&self->nl, DEVTRACE_CMD_FILTER_GET);
	ASSERT_EQ(0, nl_dump_begin(&self->nl));
	while ((err = nl_dump_part(&self->nl, take, &t)) > 0)
		parts++;
	EXPECT_EQ(0, err);
	EXPECT_LE(2, parts);
	EXPECT_FALSE(self->nl.interrupted);
	EXPECT_EQ(STREAMS + 1, t.entries);
	EXPECT_EQ(STREAMS, t.level[1]);
	EXPECT_EQ(0, t.twice);
}

/* A change that may fail, since its object may be gone. */
static bool change(struct nl *nl, uint32_t r)
{
	const int n = r / 16 % STREAMS;

	switch (r % 4) {
	case 0:
		return !set_filter(nl, n, 2 + r / 1024 % 3);
	case 1:
		return !stream(nl, DEVTRACE_CMD_STREAM_DEL, n);
	case 2:
		return !stream(nl, DEVTRACE_CMD_STREAM_NEW, n);
	default:
		return !stream(nl, DEVTRACE_CMD_CLEAR, n);
	}
}

TEST_F_TIMEOUT(dump, says_that_it_was_interrupted, 1200)
{
	int i, parts, when, err, crossed = 0;

	for (i = 0; i < 300; i++) {
		struct told t = { 0 };
		bool changed = false;

		nl_begin(&self->nl, DEVTRACE_CMD_FILTER_GET);
		ASSERT_EQ(0, nl_dump_begin(&self->nl));
		when = dev_random() % 3;
		for (parts = 0; ; parts++) {
			if (parts == when)
				changed = change(&self->other, dev_random());
			err = nl_dump_part(&self->nl, take, &t);
			if (err <= 0)
				break;
		}
		ASSERT_EQ(0, err);
		EXPECT_EQ(0, t.twice) TH_LOG("dump %d", i);
		/*
		 * The next part is made when the previous one is read, the first one by the
		 * request.
		 */
		EXPECT_EQ(changed && parts > when, self->nl.interrupted) TH_LOG("dump %d", i);
		crossed += self->nl.interrupted;
	}
	dev_say("%d of 300 dumps were interrupted", crossed);
	EXPECT_LE(20, crossed);
}

TEST_F_TIMEOUT(dump, may_be_left, 1200)
{
	int i, cmd, parts;

	for (i = 0; i < 1000; i++) {
		struct nl nl;

		do
			cmd = 1 + dev_random() % (CMDS - 1);
		while (!spec_cmds[cmd].can_dump);
		ASSERT_EQ(0, nl_open(&nl));
		nl_begin(&nl, i % 2 ? DEVTRACE_CMD_FILTER_GET : cmd);
		ASSERT_EQ(0, nl_dump_begin(&nl));
		for (parts = dev_random() % 3; parts; parts--)
			if (nl_dump_part(&nl, NULL, NULL) <= 0)
				break;
		if (i % 16 == 0)
			change(&self->other, dev_random());
		nl_close(&nl);
	}
}

TEST_F(dump, keeps_the_module)
{
	struct told t = { 0 };
	int err;

	nl_begin(&self->nl, DEVTRACE_CMD_FILTER_GET);
	ASSERT_EQ(0, nl_dump_begin(&self->nl));
	ASSERT_EQ(1, nl_dump_part(&self->nl, take, &t));
	ASSERT_EQ(-1, dev_unload_in_use());
	EXPECT_EQ(EAGAIN, errno);
	while ((err = nl_dump_part(&self->nl, take, &t)) > 0)
		;
	EXPECT_EQ(0, err);
	EXPECT_EQ(STREAMS + 1, t.entries);
}

FIXTURE(rights) {
	struct nl nl;
};

FIXTURE_SETUP(rights)
{
	ASSERT_EQ(0, dev_load("size=64K"));
	ASSERT_EQ(0, nl_open(&self->nl));
}

FIXTURE_TEARDOWN(rights)
{
	nl_close(&self->nl);
	EXPECT_EQ(0, dev_done());
}

/* In a child, which alone loses its rights. */
static int in_child(int (*fn)(struct nl *old), struct nl *old)
{
	int status;
	pid_t pid;

	fflush(NULL);
	pid = fork();
	if (pid == 0)
		_exit(fn(old));
	if (pid < 0 || waitpid(pid, &status, 0) != pid || !WIFEXITED(status))
		return -1;
	return WEXITSTATUS(status);
}

/* Switch to this user with only these capabilities. */
static int drop(uint64_t caps)
{
	struct __user_cap_header_struct h = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct d[2] = { 0 };
	int i;

	for (i = 0; i < 2; i++)
		d[i].effective = d[i].permitted = caps >> 32 * i;
	return prctl(PR_SET_KEEPCAPS, 1) || setgroups(0, NULL) ||
	       setresgid(NOBODY, NOBODY, NOBODY) || setresuid(NOBODY, NOBODY, NOBODY) ||
	       syscall(SYS_capset, &h, d);
}

static bool changes(int cmd)
{
	switch (cmd) {
	case DEVTRACE_CMD_STREAM_GET:
	case DEVTRACE_CMD_FILTER_GET:
	case DEVTRACE_CMD_TRIGGER_GET:
		return false;
	default:
		return cmd < DEVTRACE_CMD_STATS_GET || cmd == DEVTRACE_CMD_PROFILE_ADD ||
		       cmd == DEVTRACE_CMD_PROFILE_DEL;
	}
}

/*
 * Number of commands with a wrong result for a process that may look, or change. Requests are
 * empty: they are refused for that only after the check of rights.
 */
static int misjudged(struct nl *nl, bool look, bool change)
{
	int cmd, dump, bad = 0;

	for (cmd = 1; cmd < CMDS; cmd++) {
		for (dump = 0; dump < 2; dump++) {
			bool may = !dump && changes(cmd) ? change : look;
			int err;

			if (!(dump ? spec_cmds[cmd].can_dump : spec_cmds[cmd].can_do))
				continue;
			nl_begin(nl, cmd);
			err = dump ? nl_dump(nl, NULL, NULL) : nl_do(nl, NULL, NULL);
			if (may ? err == (dump ? 0 : -EINVAL) : err == -EPERM && nl->why[0])
				continue;
			dev_say("%s%s: %d \"%s\"", spec_cmds[cmd].name, dump ? " (dump)" : "",
				err, nl->why);
			bad++;
		}
	}
	return bad;
}

/* True if this kernel can require a capability for listening to a group. */
static bool can_restrict(void)
{
	unsigned int v, p, s = 0;
	struct utsname u;
	const char *debian;

	if (uname(&u) || sscanf(u.release, "%u.%u.%u", &v, &p, &s) < 2)
		return true;
	/* Debian gives the stable version elsewhere. */
	debian = strstr(u.version, "Debian ");
	if (debian && sscanf(debian, "Debian %u.%u.%u", &v, &p, &s) < 2)
		return true;
	if (v != 5 && v != 6)
		return v > 6;
	if (v == 5)
		return (p == 10 && s >= 204) || (p == 15 && s >= 143);
	return p > 6 || (p == 6 && s >= 7) || (p == 1 && s >= 68);
}

static int without_rights(struct nl *old)
{
	const bool restricted = can_restrict();
	struct nl nl;
	int bad, err;

	if (drop(0) || nl_open(&nl))
		return 100;
	bad = misjudged(&nl, false, false);
	/* A socket opened by a privileged process does not help. */
	bad += misjudged(old, false, false);
	err = nl_listen(&nl);
	dev_say("without rights listening gives %d", err);
	if (err != (restricted ? -EPERM : 0))
		bad++;
	return bad;
}

TEST_F(rights, none_no_control)
{
	EXPECT_EQ(0, in_child(without_rights, &self->nl));
}

static int to_look(struct nl *old)
{
	struct nl nl;

	return drop(1ULL << CAP_SYSLOG) || nl_open(&nl) ? 100 :
	       misjudged(&nl, true, false) + misjudged(old, true, false);
}

static int to_change(struct nl *old)
{
	struct nl nl;

	return drop(1ULL << CAP_PERFMON) || nl_open(&nl) ? 100 : misjudged(&nl, true, true);
}

static int of_admin(struct nl *old)
{
	struct nl nl;

	return drop(1ULL << CAP_SYS_ADMIN) || nl_open(&nl) ? 100 :
	       misjudged(&nl, true, true) + (nl_listen(&nl) ? 1 : 0);
}

static int of_others(struct nl *old)
{
	const uint64_t those = 1ULL << CAP_SYSLOG | 1ULL << CAP_PERFMON | 1ULL << CAP_SYS_ADMIN;
	struct nl nl;

	return drop(((2ULL << CAP_CHECKPOINT_RESTORE) - 1) & ~those) || nl_open(&nl) ? 100 :
	       misjudged(&nl, false, false);
}

TEST_F(rights, each_is_enough_for_what_it_is_for)
{
	EXPECT_EQ(0, in_child(to_look, &self->nl));
	EXPECT_EQ(0, in_child(to_change, &self->nl));
	EXPECT_EQ(0, in_child(of_admin, &self->nl));
	EXPECT_EQ(0, in_child(of_others, &self->nl));
}

/* Exit status of a child that cannot try. */
#define CANNOT	77

static bool set_clear(struct nl *nl)
{
	nl_begin(nl, DEVTRACE_CMD_CLEAR);
	nl_put_str(nl, DEVTRACE_A_STREAM, DEVTRACE_STREAM0);
	return !nl_do(nl, NULL, NULL);
}

static int in_another_net(struct nl *old)
{
	struct nl nl, ear;
	int bad;

	if (unshare(CLONE_NEWNET))
		return CANNOT;
	if (nl_open(&nl) || nl_open(&ear) || nl_listen(&ear))
		return 100;
	bad = misjudged(&nl, true, true);
	/* Changes made here, and in the initial namespace. */
	bad += !set_clear(&nl);
	bad += nl_heard(&ear, NULL, NULL) != 1;
	bad += !set_clear(old);
	bad += nl_heard(&ear, NULL, NULL) != 1;
	return bad;
}

TEST_F(rights, another_network_namespace_is_no_hindrance)
{
	int bad = in_child(in_another_net, &self->nl);

	if (bad == CANNOT)
		SKIP(return, "the kernel has no network namespaces");
	EXPECT_EQ(0, bad);
}

static int as_root_of(int flags, struct nl *old)
{
	struct nl nl, ear;
	int bad, err;

	if (unshare(flags))
		return CANNOT;
	if (dev_write_file("/proc/self/setgroups", "deny") ||
	    dev_write_file("/proc/self/uid_map", "0 0 1") ||
	    dev_write_file("/proc/self/gid_map", "0 0 1") ||
	    geteuid() || nl_open(&nl) || nl_open(&ear))
		return 100;
	bad = misjudged(&nl, false, false);
	bad += misjudged(old, false, false);
	err = nl_listen(&ear);
	dev_say("as root of a user namespace%s listening gives %d",
		flags & CLONE_NEWNET ? " with its network" : "", err);
	/* In its own network namespace it may listen, but hears nothing. */
	if (!(flags & CLONE_NEWNET) && can_restrict() && err != -EPERM)
		bad++;
	return bad;
}

static int as_root_of_user(struct nl *old)
{
	return as_root_of(CLONE_NEWUSER, old);
}

/* Root of the namespace hears nothing: a change is made while it listens. */
static int as_root_of_net(struct nl *old)
{
	int ready[2], done[2], status, bad;
	char c = 0;
	pid_t pid;

	if (pipe(ready) || pipe(done))
		return 100;
	pid = fork();
	if (pid == 0) {
		struct nl ear;

		bad = as_root_of(CLONE_NEWUSER | CLONE_NEWNET, old);
		if (!bad && (nl_open(&ear) || nl_listen(&ear)))
			bad = 101;
		if (write(ready[1], &c, 1) != 1 || read(done[0], &c, 1) != 1)
			bad = 102;
		_exit(bad ?: nl_heard(&ear, NULL, NULL));
	}
	bad = pid < 0 || read(ready[0], &c, 1) != 1 || !set_clear(old) ||
	      write(done[1], &c, 1) != 1;
	if (waitpid(pid, &status, 0) != pid || !WIFEXITED(status))
		return 103;
	return bad ?: WEXITSTATUS(status);
}

TEST_F(rights, root_of_a_user_namespace_has_none)
{
	int user = in_child(as_root_of_user, &self->nl);
	int net = in_child(as_root_of_net, &self->nl);

	if (user == CANNOT || net == CANNOT)
		SKIP(return, "the kernel has no user namespaces");
	EXPECT_EQ(0, user);
	EXPECT_EQ(0, net);
}

TEST_HARNESS_MAIN

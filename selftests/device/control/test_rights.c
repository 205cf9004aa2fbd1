// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_rights.c - reports of the library if a program's events do not arrive
 *
 * The causes are real: no module, a file instead of the device, a user without write permission,
 * a filter of system calls, no free descriptor.
 */
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include <devtrace.h>

#include "kselftest_harness.h"
#include "dev.h"

#define USER	1234
#define GROUP	4321

FIXTURE(rights) {
	int unused;
};

FIXTURE_SETUP(rights)
{
	struct stat st;

	dev_log_begin();
	ASSERT_EQ(0, dev_unload());
	/* Remove what a failed test left. */
	if (!lstat(DEV_PATH, &st) && !S_ISCHR(st.st_mode))
		unlink(DEV_PATH);
}

FIXTURE_TEARDOWN(rights)
{
	EXPECT_EQ(0, dev_done());
}

/* Result of a child: its status, with devtrace_error() in the low bits. */
#define FOUND(status, error)	((status) << 4 | (error))

static int found(void)
{
	return FOUND(devtrace_status(), devtrace_error() & 15);
}

/* In a child, so that this process does not hold the module. -1: it was killed. */
static int child(int (*does)(void))
{
	int status;
	pid_t pid = fork();

	if (!pid)
		_exit(does());
	return waitpid(pid, &status, 0) == pid && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static bool stored(uint64_t n)
{
	struct devtrace_stats st;

	return !dev_stats(-1, &st) && st.stored == n;
}

static int emit(void)
{
	devtrace(DEVTRACE_T_USER, 1);
	return found();
}

static int emit_by_call(void)
{
	devtrace_lane(0);
	devtrace(DEVTRACE_T_USER, 1);
	return found();
}

static int before_and_after(void)
{
	if (devtrace_status() != DEVTRACE_UNTRIED)
		return 255;
	devtrace(DEVTRACE_T_USER, 1);
	if (devtrace_status() != DEVTRACE_NO_DEVICE || dev_load(""))
		return 254;
	/* The library tries again only on request. */
	devtrace(DEVTRACE_T_USER, 2);
	if (devtrace_status() != DEVTRACE_NO_DEVICE || !stored(0))
		return 253;
	if (devtrace_open() || devtrace_status() != DEVTRACE_OK || devtrace_lane(0))
		return 252;
	devtrace(DEVTRACE_T_USER, 3);
	return stored(1) ? 0 : 251;
}

TEST_F(rights, nothing_is_there_and_then_it_is)
{
	EXPECT_EQ(0, child(before_and_after));
}

/* A node that stays when the module goes, as made by mknod(1). */
TEST_F(rights, a_node_without_a_driver)
{
	ASSERT_EQ(0, mknod(DEV_PATH, S_IFCHR | 0666, makedev(4000, 0)));
	EXPECT_EQ(FOUND(DEVTRACE_NO_DEVICE, ENXIO), child(emit));
	EXPECT_EQ(0, unlink(DEV_PATH));
}

/* echo hello >/dev/trace, then insmod: the kernel does not replace a file by a node. */
TEST_F(rights, a_file_in_its_place)
{
	struct stat st;
	int fd = open(DEV_PATH, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);

	ASSERT_LE(0, fd);
	EXPECT_EQ(6, write(fd, "hello\n", 6));
	ASSERT_EQ(0, dev_load_file("devtrace.ko", ""));
	EXPECT_EQ(FOUND(DEVTRACE_NOT_A_DEVICE, ENOTTY & 15), child(emit));
	EXPECT_EQ(0, fstat(fd, &st));
	EXPECT_EQ(6, st.st_size);
	close(fd);
	EXPECT_EQ(0, unlink(DEV_PATH));
	/* After loading it again, the device exists. */
	ASSERT_EQ(0, dev_load(""));
	EXPECT_EQ(FOUND(DEVTRACE_OK, 0), child(emit));
}

static int emit_as_user(gid_t gid)
{
	if (setgroups(gid ? 1 : 0, &gid) || setresgid(USER, USER, USER) ||
	    setresuid(USER, USER, USER))
		return 255;
	return emit_by_call();
}

static int emit_as_member(void)
{
	return emit_as_user(GROUP);
}

static int emit_as_stranger(void)
{
	return emit_as_user(0);
}

TEST_F(rights, the_mode_decides)
{
	ASSERT_EQ(0, dev_load("mode=0640 gid=4321"));
	EXPECT_EQ(FOUND(DEVTRACE_NOT_PERMITTED, EACCES), child(emit_as_member));
	EXPECT_EQ(FOUND(DEVTRACE_NOT_PERMITTED, EACCES), child(emit_as_stranger));
	EXPECT_TRUE(stored(0));
	ASSERT_EQ(0, dev_load("mode=0660 gid=4321"));
	EXPECT_EQ(FOUND(DEVTRACE_OK, 0), child(emit_as_member));
	EXPECT_EQ(FOUND(DEVTRACE_NOT_PERMITTED, EACCES), child(emit_as_stranger));
	EXPECT_TRUE(stored(1));
	/* Write permission is sufficient. */
	ASSERT_EQ(0, dev_load("mode=0622"));
	EXPECT_EQ(FOUND(DEVTRACE_OK, 0), child(emit_as_stranger));
	EXPECT_TRUE(stored(1));
}

/* Refuse one system call with EPERM, as containers do. */
static int emit_without(unsigned int number)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, number, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog filter = { .len = sizeof(code) / sizeof(code[0]), .filter = code };

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
	    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter))
		return 255;
	devtrace(DEVTRACE_T_USER, 1);
	/* The opened descriptor is closed again. */
	return devtrace_fd() < 0 && !devtrace_enabled(DEVTRACE_T_USER) ? found() : 254;
}

static int emit_without_ioctl(void)
{
	return emit_without(SYS_ioctl);
}

static int emit_without_open(void)
{
	return emit_without(SYS_openat);
}

TEST_F(rights, a_filter_of_system_calls)
{
	int ret;

	ASSERT_EQ(0, dev_load(""));
	ret = child(emit_without_open);
	if (ret == 255)
		SKIP(return, "this kernel has no filters of system calls");
	EXPECT_EQ(FOUND(DEVTRACE_NOT_PERMITTED, EPERM), ret);
	EXPECT_EQ(FOUND(DEVTRACE_NOT_PERMITTED, EPERM), child(emit_without_ioctl));
	EXPECT_TRUE(stored(0));
}

static int emit_at_the_limit(void)
{
	struct rlimit limit = { .rlim_cur = 3, .rlim_max = 3 };

	return setrlimit(RLIMIT_NOFILE, &limit) ? 255 : emit();
}

TEST_F(rights, no_descriptor_is_left)
{
	ASSERT_EQ(0, dev_load(""));
	EXPECT_EQ(FOUND(DEVTRACE_LIMIT, EMFILE & 15), child(emit_at_the_limit));
	EXPECT_TRUE(stored(0));
}

#define main harness_main
TEST_HARNESS_MAIN
#undef main

/* With --emit this is the program of test_check_emit.sh: it emits an event by system call. */
int main(int argc, char **argv)
{
	if (argc == 2 && !strcmp(argv[1], "--emit"))
		return emit_by_call() == FOUND(DEVTRACE_OK, 0) ? 0 : 1;
	return harness_main(argc, argv);
}

// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_access.c - access rights, and information that is hidden
 *
 * The mode of the device, the control page, kernel addresses, and references to the module.
 */
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/personality.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "kselftest_harness.h"
#include "dev.h"

#define USER	1234
#define GROUP	4321

FIXTURE(module) {
	int unused;
};

FIXTURE_SETUP(module)
{
	dev_seed();
	dev_log_begin();
	ASSERT_EQ(0, dev_unload());
}

FIXTURE_TEARDOWN(module)
{
	EXPECT_EQ(0, dev_done());
}

/* True if a process with this group, or none, may open the device with these flags. */
static bool may_open(int gid, int flags)
{
	gid_t group = gid;
	int status;
	pid_t pid = fork();

	if (!pid) {
		if (setgroups(gid ? 1 : 0, &group) || setresgid(USER, USER, USER) ||
		    setresuid(USER, USER, USER))
			_exit(2);
		if (open(DEV_PATH, flags) >= 0)
			_exit(0);
		_exit(errno == EACCES ? 1 : 3);
	}
	if (waitpid(pid, &status, 0) != pid || !WIFEXITED(status) ||
	    WEXITSTATUS(status) > 1)
		fprintf(stderr, "# open as user: status %#x\n", status);
	return status == 0;
}

TEST_F(module, mode_is_safe_by_default)
{
	struct stat st;

	ASSERT_EQ(0, dev_load(""));
	ASSERT_EQ(0, stat(DEV_PATH, &st));
	EXPECT_EQ(S_IFCHR | 0660, st.st_mode);
	EXPECT_EQ(0, st.st_uid);
	EXPECT_EQ(0, st.st_gid);
	EXPECT_FALSE(may_open(0, O_RDONLY));
	EXPECT_FALSE(may_open(0, O_WRONLY));
	EXPECT_FALSE(may_open(0, O_RDWR | O_TRUNC));
}

TEST_F(module, mode_and_group_are_parameters)
{
	struct stat st;

	ASSERT_EQ(0, dev_load("mode=0640 gid=4321"));
	ASSERT_EQ(0, stat(DEV_PATH, &st));
	EXPECT_EQ(S_IFCHR | 0640, st.st_mode);
	EXPECT_EQ(GROUP, st.st_gid);
	EXPECT_TRUE(may_open(GROUP, O_RDONLY));
	EXPECT_FALSE(may_open(GROUP, O_WRONLY));
	EXPECT_FALSE(may_open(0, O_RDONLY));
	ASSERT_EQ(0, dev_load("mode=0622"));
	EXPECT_TRUE(may_open(0, O_WRONLY));
	EXPECT_FALSE(may_open(0, O_RDONLY));
}

TEST_F(module, bad_parameters_are_refused_in_words)
{
	static const struct { const char *params, *says; } t[] = {
		{ "size=1023", "from 1K to 2G" }, { "size=0", "from 1K to 2G" },
		{ "size=2147483649", "from 1K to 2G" }, { "size=3G", "from 1K to 2G" },
		{ "size=99999999999999999999", "bytes from 1K to 2G" },
		/* More than 64 bits; the low bits alone would be valid. */
		{ "size=0x10000000000000400", "bytes from 1K to 2G" },
		{ "size=18446744073709552640", "bytes from 1K to 2G" },
		{ "size=18014398509481985K", "bytes from 1K to 2G" },
		{ "size=0x40000000001G", "bytes from 1K to 2G" },
		{ "size=16777217T", "bytes from 1K to 2G" },
		/* A newline is \n in the log, and its backslash \x5c in /dev/kmsg. */
		{ "size=\"64\nK\"", "size=64\\x5cnK: not a number" },
		{ "size=\"64K\n1\"", "size=64K\\x5cn1: not a number" },
		{ "size=\"64K\n\n\"", "size=64K\\x5cn\\x5cn: not a number" },
		{ "size=+64K", "not a number of bytes" }, { "size=64KK", "not a number of bytes" },
		{ "size=0000000000000000000000000000064K", "not a number of bytes" },
		{ "size=64Q", "not a number of bytes" }, { "size=K", "size=K: " },
		{ "size=-1", "size=-1" }, { "size=", "not a number of bytes" },
		{ "mode=01777", "permission bits" }, { "mode=010000", "permission bits" },
		{ "gid=4294967295", "not a group" },
	};
	int i;

	for (i = 0; i < sizeof(t) / sizeof(t[0]); i++) {
		dev_log_begin();
		EXPECT_EQ(-1, dev_load_file("devtrace.ko", t[i].params)) TH_LOG("%s", t[i].params);
		EXPECT_EQ(EINVAL, errno) TH_LOG("%s: %d", t[i].params, errno);
		EXPECT_TRUE(dev_log_has(t[i].says)) TH_LOG("%s: no word of it", t[i].params);
		dev_unload();
	}
	EXPECT_EQ(-1, access(DEV_PATH, F_OK));
}

TEST_F(module, odd_sizes_are_rounded_and_said)
{
	static const struct { const char *params; uint64_t bytes; bool rounded; } t[] = {
		{ "size=1024", 1024, false }, { "size=1K", 1024, false },
		{ "size=1025", 2048, true }, { "size=3K", 4096, true },
		{ "size=100000", 131072, true }, { "size=0x10000", 65536, false },
		{ "size=1M", 1 << 20, false }, { "size=5M", 8 << 20, true },
		{ "size=64k", 65536, false }, { "size=\"4K\n\"", 4096, false },
	};
	int cpus[DEV_CPUS], n = dev_online(cpus), i, k;
	struct devtrace_stats st;

	for (i = 0; i < sizeof(t) / sizeof(t[0]); i++) {
		dev_log_begin();
		ASSERT_EQ(0, dev_load(t[i].params));
		EXPECT_EQ(t[i].rounded, dev_log_has("rounded up")) TH_LOG("%s", t[i].params);
		for (k = 0; k < n; k++) {
			ASSERT_EQ(0, dev_stats(cpus[k], &st));
			EXPECT_EQ(t[i].bytes, st.size);
		}
	}
}

/* More than the machine has: an error, and nothing is left. */
TEST_F(module, too_large_for_the_memory)
{
	int ret = dev_load_file("devtrace.ko", "size=2G");

	if (!ret)
		SKIP(return, "this machine has memory enough");
	EXPECT_EQ(ENOMEM, errno);
	EXPECT_EQ(-1, access(DEV_PATH, F_OK));
	EXPECT_EQ(0, dev_load("size=1K"));
}

static unsigned long long available(struct __test_metadata *_metadata)
{
	unsigned long long kib = 0;
	char buf[4096], *p;

	ASSERT_LT(0, dev_read_file("/proc/meminfo", buf, sizeof(buf)));
	p = strstr(buf, "MemAvailable:");
	ASSERT_NE(NULL, p);
	ASSERT_EQ(1, sscanf(p, "MemAvailable: %llu", &kib));
	return kib;
}

/* Enough for the ring of one CPU, not of all: no process is killed for it. */
TEST_F(module, too_large_for_all_cpus)
{
	int cpus[DEV_CPUS], n = dev_online(cpus);
	unsigned long long kib = available(_metadata), size = 1;
	char params[64];

	while (2 * size < kib)
		size *= 2;
	if (access("/run/board", F_OK) || size * n < kib || size > 2 << 20)
		SKIP(return, "not on a virtual board, or not with as much memory");
	snprintf(params, sizeof(params), "size=%lluK", size);
	EXPECT_EQ(-1, dev_load_file("devtrace.ko", params));
	EXPECT_EQ(ENOMEM, errno);
	EXPECT_EQ(-1, access(DEV_PATH, F_OK));
	EXPECT_EQ(0, dev_load("size=1K"));
}

/* Load with all available memory in use but @percent of @size KiB. */
static int load_with(struct __test_metadata *_metadata, unsigned long long size, int percent)
{
	unsigned long long kib = available(_metadata);
	size_t bytes = 4096;
	void *held;
	int ret;

	/* Memory of the previous attempt may not be free yet. */
	if (kib > size * percent / 100 + 4)
		bytes = (kib - size * percent / 100) << 10;
	held = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
		    MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
	ASSERT_NE(MAP_FAILED, held);
	ret = dev_load_file("devtrace.ko", "size=64M") ? -errno : 0;
	munmap(held, bytes);
	return ret;
}

/*
 * The same with a little more memory than the last ring needs, or than KASAN needs with one.
 * Memory freed meanwhile may make it succeed, but not five times. The per-CPU lists of free
 * pages do not count as available but are used first: Linux 6.12 may keep an eighth of all
 * memory there; HIGH_FRACTION limits that to 1 MB.
 */
#define HIGH_FRACTION	"/proc/sys/vm/percpu_pagelist_high_fraction"
TEST_F(module, too_large_by_a_little)
{
	const unsigned long long size = 64 << 10;
	int cpus[DEV_CPUS], n = dev_online(cpus), i, attempts;
	const int percent[] = { 100 * n + 5, 119 };

	if (access("/run/board", F_OK) || available(_metadata) < (n + 1) * size)
		SKIP(return, "not on a virtual board, or not with as much memory");
	dev_write_file(HIGH_FRACTION, "100000");
	for (i = 0; i < (n > 1 ? 2 : 1); i++) {
		int ret = 0;

		for (attempts = 0; !ret && attempts < 5; attempts++) {
			ret = load_with(_metadata, size, percent[i]);
			if (!ret)
				ASSERT_EQ(0, dev_unload());
		}
		EXPECT_EQ(-ENOMEM, ret) {
			TH_LOG("%d %%", percent[i]);
		}
	}
	dev_write_file(HIGH_FRACTION, "0");
	EXPECT_EQ(0, dev_load("size=1K"));
}

TEST_F(module, comes_and_goes_many_times)
{
	const char *env = getenv("DEVICE_ROUNDS");
	const int rounds = env && *env ? atoi(env) : 1000;
	const int times = rounds < 50 ? 10 : rounds < 200 ? 25 : 100;
	char params[64];
	int i, fd;

	for (i = 0; i < times; i++) {
		snprintf(params, sizeof(params), "size=%dK", 1 << i % 8);
		ASSERT_EQ(0, dev_load(params)) TH_LOG("time %d", i);
		fd = open(DEV_PATH, O_RDWR);
		ASSERT_LE(0, fd);
		ASSERT_EQ(0, dev_emit_mark(fd, DEVTRACE_T_USER, 1, i));
		if (i & 1)
			ASSERT_EQ(0, dev_name(fd, DEVTRACE_T_OBJ, 0, 0, 1, "x"));
		close(fd);
		/* at once; a wake timer may still be running */
		ASSERT_EQ(0, dev_unload_one("devtrace"));
		ASSERT_EQ(-1, access(DEV_PATH, F_OK));
	}
}

TEST_F(module, stays_while_it_is_used)
{
	char buf[64];
	void *page;
	int fd;

	ASSERT_EQ(0, dev_load(""));
	fd = open(DEV_PATH, O_RDONLY);
	ASSERT_LE(0, fd);
	ASSERT_EQ(-1, dev_unload_in_use());
	EXPECT_TRUE(errno == EAGAIN || errno == EBUSY);
	page = mmap(NULL, getpagesize(), PROT_READ, MAP_SHARED, fd, 0);
	ASSERT_NE(MAP_FAILED, page);
	EXPECT_LT(0, read(fd, buf, sizeof(buf)));
	close(fd);
	ASSERT_EQ(-1, dev_unload_in_use());
	EXPECT_EQ(DEVTRACE_WIRE_VERSION, ((struct devtrace_control *)page)->version);
	ASSERT_EQ(0, munmap(page, getpagesize()));
	EXPECT_EQ(0, dev_unload_one("devtrace"));
}

FIXTURE(page) {
	int fd;
	size_t size;
	dev_t rdev;
};

FIXTURE_SETUP(page)
{
	struct stat st;

	dev_seed();
	ASSERT_EQ(0, dev_load(""));
	self->fd = open(DEV_PATH, O_RDWR | O_CLOEXEC);
	ASSERT_LE(0, self->fd);
	self->size = getpagesize();
	ASSERT_EQ(0, fstat(self->fd, &st));
	self->rdev = st.st_rdev;
}

FIXTURE_TEARDOWN(page)
{
	close(self->fd);
	EXPECT_EQ(0, dev_done());
}

TEST_F(page, tells_what_is_wanted)
{
	struct devtrace_control *c;
	size_t i;

	c = mmap(NULL, self->size, PROT_READ, MAP_SHARED, self->fd, 0);
	ASSERT_NE(MAP_FAILED, c);
	EXPECT_EQ(DEVTRACE_WIRE_VERSION, c->version);
	EXPECT_EQ(sizeof(*c), c->size);
	/* all but the kernel's own types, which must be requested */
	for (i = 0; i < 8; i++)
		EXPECT_EQ(i < DEVTRACE_T_KERNEL / 32 || i >= DEVTRACE_T_USER2 / 32 ? ~0U : 0,
			  c->types[i]);
	/* the rest of the page is empty */
	for (i = sizeof(*c); i < self->size; i++)
		ASSERT_EQ(0, ((uint8_t *)c)[i]);
	/* MAP_PRIVATE would be a copy that is not updated */
	munmap(c, self->size);
}

TEST_F(page, cannot_be_written)
{
	static const int prot[] = {
		PROT_WRITE, PROT_READ | PROT_WRITE, PROT_READ | PROT_EXEC, PROT_EXEC,
		PROT_READ | PROT_WRITE | PROT_EXEC,
	};
	uint8_t *c;
	int i;

	for (i = 0; i < sizeof(prot) / sizeof(prot[0]); i++) {
		EXPECT_EQ(MAP_FAILED, mmap(NULL, self->size, prot[i], MAP_SHARED, self->fd, 0));
		EXPECT_EQ(EPERM, errno) TH_LOG("prot %d: %d", prot[i], errno);
		EXPECT_EQ(MAP_FAILED, mmap(NULL, self->size, prot[i], MAP_PRIVATE, self->fd, 0));
	}
	c = mmap(NULL, self->size, PROT_READ, MAP_SHARED, self->fd, 0);
	ASSERT_NE(MAP_FAILED, c);
	for (i = 0; i < sizeof(prot) / sizeof(prot[0]); i++) {
		EXPECT_EQ(-1, mprotect(c, self->size, prot[i]));
		EXPECT_EQ(EACCES, errno);
	}
	EXPECT_EQ(DEVTRACE_WIRE_VERSION, ((struct devtrace_control *)c)->version);
	/* nor by the kernel */
	EXPECT_EQ(-1, read(self->fd, c, 16));
	EXPECT_EQ(EFAULT, errno);
	munmap(c, self->size);
}

/* The permissions of a mapping in /proc: "r--s"; "" if there is none. */
static const char *rights(const void *at)
{
	static char flags[5];
	FILE *f = fopen("/proc/self/maps", "r");
	unsigned long from;
	char line[512];

	flags[0] = 0;
	while (f && !*flags && fgets(line, sizeof(line), f))
		if (sscanf(line, "%lx-%*x %4s", &from, flags) != 2 || from != (unsigned long)at)
			flags[0] = 0;
	if (f)
		fclose(f);
	return flags;
}

/*
 * A program with an old personality, whose readable memory is executable, such as one with an
 * executable stack on some machines.
 */
TEST_F(page, of_a_program_of_the_old_kind)
{
	char other[32] = "/tmp/page.XXXXXX", path[64];
	int fd, before = personality(0xffffffff);
	uint8_t *c;

	ASSERT_NE(-1, before);
	/* On a noexec mount, which /dev may be, nothing is implied. */
	ASSERT_NE(NULL, mkdtemp(other));
	ASSERT_EQ(0, mount("none", other, "tmpfs", 0, NULL));
	snprintf(path, sizeof(path), "%s/trace", other);
	ASSERT_EQ(0, mknod(path, S_IFCHR | 0600, self->rdev));
	fd = open(path, O_RDWR | O_CLOEXEC);
	ASSERT_LE(0, fd);
	ASSERT_LE(0, personality(before | READ_IMPLIES_EXEC));
	c = mmap(NULL, self->size, PROT_READ, MAP_SHARED, fd, 0);
	ASSERT_NE(MAP_FAILED, c);
	EXPECT_EQ(DEVTRACE_WIRE_VERSION, ((struct devtrace_control *)c)->version);
	EXPECT_STREQ("r--s", rights(c));
	EXPECT_EQ(0, mprotect(c, self->size, PROT_READ));
	EXPECT_EQ(-1, mprotect(c, self->size, PROT_READ | PROT_EXEC));
	EXPECT_EQ(EACCES, errno);
	EXPECT_EQ(MAP_FAILED, mmap(NULL, self->size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0));
	EXPECT_EQ(EPERM, errno);
	personality(before);
	munmap(c, self->size);
	close(fd);
	EXPECT_EQ(0, umount2(other, MNT_DETACH));
	rmdir(other);
}

TEST_F(page, is_one_page_at_0)
{
	void *c;
	int fd;

	EXPECT_EQ(MAP_FAILED, mmap(NULL, 2 * self->size, PROT_READ, MAP_SHARED, self->fd, 0));
	EXPECT_EQ(EINVAL, errno);
	EXPECT_EQ(MAP_FAILED, mmap(NULL, self->size, PROT_READ, MAP_SHARED, self->fd,
				   self->size));
	EXPECT_EQ(EINVAL, errno);
	EXPECT_EQ(MAP_FAILED, mmap(NULL, self->size, PROT_READ, MAP_SHARED, self->fd,
				   (off_t)(1ULL << 40 & ~0ULL)));
	EXPECT_EQ(MAP_FAILED, mmap(NULL, 0, PROT_READ, MAP_SHARED, self->fd, 0));
	c = mmap(NULL, self->size, PROT_READ, MAP_SHARED, self->fd, 0);
	ASSERT_NE(MAP_FAILED, c);
	/* it cannot grow, in place or elsewhere */
	EXPECT_EQ(MAP_FAILED, mremap(c, self->size, 2 * self->size, 0));
	EXPECT_EQ(MAP_FAILED, mremap(c, self->size, 2 * self->size, MREMAP_MAYMOVE));
	EXPECT_EQ(0, munmap(c, self->size));
	/* and needs a readable descriptor */
	fd = open(DEV_PATH, O_WRONLY);
	ASSERT_LE(0, fd);
	EXPECT_EQ(MAP_FAILED, mmap(NULL, self->size, PROT_READ, MAP_SHARED, fd, 0));
	EXPECT_EQ(EACCES, errno);
	close(fd);
}

/* A child has the mapping too. */
TEST_F(page, is_inherited)
{
	struct devtrace_control *c;
	int status;
	pid_t pid;

	c = mmap(NULL, self->size, PROT_READ, MAP_SHARED, self->fd, 0);
	ASSERT_NE(MAP_FAILED, c);
	pid = fork();
	if (!pid)
		_exit(c->version != DEVTRACE_WIRE_VERSION);
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_EQ(0, status);
	munmap(c, self->size);
}

/* Addresses */

#define MAX_SYMBOLS	256

/* The addresses of symbols of dttest and devtrace, as root sees them. */
static int symbols(uint64_t address[MAX_SYMBOLS], uint64_t *object, uint64_t *function)
{
	FILE *f = fopen("/proc/kallsyms", "r");
	char line[512], name[256], module[64];
	unsigned long long a;
	int n = 0;

	if (!f)
		return 0;
	while (fgets(line, sizeof(line), f)) {
		if (sscanf(line, "%llx %*c %255s [%63[^]]", &a, name, module) != 3 || !a ||
		    (strcmp(module, "dttest") && strcmp(module, "devtrace")))
			continue;
		if (n < MAX_SYMBOLS)
			address[n++] = a;
		if (!strcmp(name, "dttest_object"))
			*object = a;
		if (!strncmp(name, "dttest_function", 15))
			*function = a;
	}
	fclose(f);
	return n;
}

/* The metronome has emitted its sum, which a work does, perhaps late. */
static bool summed_up(void)
{
	const int fd = open(DEV_PATH, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	struct tape *t = tape_new();
	bool found = false;
	int tries;

	for (tries = 0; fd >= 0 && tries < 1000 && !found; tries++) {
		dev_sleep_ms(20);
		tape_some(t, fd, 1 << 20);
		for (size_t i = 0; i < t->nev; i++)
			found |= t->ev[i].type == DEVTRACE_T_USER + 1;
		t->nev = 0;
	}
	tape_free(t);
	close(fd);
	return found;
}

TEST_F(module, addresses_are_not_shown_and_names_fit)
{
	uint64_t address[MAX_SYMBOLS], object = 0, function = 0, v, shown[4][3];
	struct devtrace_elem e;
	struct tape *t, *again;
	size_t i, k, pos;
	int n, events = 0;

	dev_write_file("/proc/sys/kernel/kptr_restrict", "0");
	ASSERT_EQ(0, dev_load("size=1M"));
	ASSERT_EQ(0, dev_load_writers(""));
	ASSERT_EQ(0, dev_load_file("metronome.ko", "period_us=10000 sum_beats=4"));
	ASSERT_EQ(0, dev_write_file("/sys/module/dttest/parameters/pointers", "1"));
	ASSERT_TRUE(summed_up());
	/* The board may read more slowly than it beats. */
	ASSERT_EQ(0, dev_unload_one("metronome"));
	n = symbols(address, &object, &function);
	ASSERT_LT(20, n);
	/* Without CONFIG_KALLSYMS_ALL only functions have symbols. */
	if (!object)
		dev_say("no symbols of data on this kernel");
	ASSERT_NE(0, function);

	t = tape_all(65536);
	ASSERT_NE(NULL, t);
	EXPECT_TRUE(tape_clean(t));
	for (i = 0; i < t->nev; i++) {
		const struct tape_event *ev = &t->ev[i];
		const uint8_t *data = t->data + ev->data;

		if (ev->type == DTTEST_TYPE_POINTERS && events < 4) {
			pos = 0;
			for (k = 0; k < 3; k++) {
				ASSERT_EQ(1, devtrace_elem_next(data, ev->len, &pos, &e));
				shown[events][k] = k < 2 ? e.v.u : e.v.sig.obj;
			}
			EXPECT_EQ(DTTEST_SIG_POINTERS, e.v.sig.sig);
			events++;
		}
	}
	/* both ways to emit give the same value for the same address */
	ASSERT_EQ(2, events);
	for (k = 0; k < 3; k++)
		EXPECT_EQ(shown[0][k], shown[1][k]);
	EXPECT_EQ(shown[0][0], shown[0][2]);
	EXPECT_NE(shown[0][0], shown[0][1]);
	EXPECT_NE(object, shown[0][0]);
	EXPECT_NE(function, shown[0][1]);
	/* the dictionary has names for the hidden values */
	EXPECT_STREQ("dttest_object", devtrace_decoder_name(t->d, DEVTRACE_T_OBJ, 0, 0, 0,
							    shown[0][0]));
	EXPECT_STREQ("dttest_function", devtrace_decoder_name(t->d, DEVTRACE_T_FUN, 0, 0, 0,
							      shown[0][1]));
	EXPECT_STREQ("dttest_signal", devtrace_decoder_name(t->d, DEVTRACE_T_SIG, 0,
							    DTTEST_SIG_POINTERS, 0, shown[0][0]));
	/* the sample driver's function too */
	for (i = 0, events = 0; i < t->nev; i++) {
		const uint8_t *data = t->data + t->ev[i].data;

		if (t->ev[i].type != DEVTRACE_T_USER + 1)
			continue;
		for (pos = 0; devtrace_elem_next(data, t->ev[i].len, &pos, &e) == 1;)
			if (e.type == DEVTRACE_E_FUN) {
				EXPECT_STREQ("sum_up", devtrace_decoder_name(t->d, DEVTRACE_T_FUN,
									     0, 0, 0, e.v.u));
				events++;
			}
	}
	EXPECT_LT(0, events);

	/* None of our addresses appears in any 8 consecutive bytes, unescaped. */
	for (i = 0, k = 0; i < t->nraw; i++, k++)
		t->raw[k] = t->raw[i] == DEVTRACE_ESCAPE ? t->raw[++i] ^ DEVTRACE_ESCAPE_XOR :
							   t->raw[i];
	for (i = 0; i + 8 <= k; i++) {
		memcpy(&v, t->raw + i, 8);
		for (pos = 0; pos < n; pos++)
			if ((v & ~0xfffULL) == (address[pos] & ~0xfffULL) && v >> 32) {
				EXPECT_NE(address[pos] & ~0xfffULL, v & ~0xfffULL)
					TH_LOG("address %llx at byte %zu", (unsigned long long)v, i);
				pos = n;
				i = k;
			}
	}
	/* Another reader sees the same value. */
	again = tape_all(65536);
	ASSERT_NE(NULL, again);
	EXPECT_STREQ("dttest_object", devtrace_decoder_name(again->d, DEVTRACE_T_OBJ, 0, 0, 0,
							    shown[0][0]));
	tape_free(again);
	tape_free(t);
}

/* Reserved bytes of frames by type: offset and length. */
static const struct hole {
	uint8_t type, at, len;
} holes[] = {
	{ DEVTRACE_T_LOST, offsetof(struct devtrace_wire_lost, reserved), 1 },
	{ DEVTRACE_T_OBJ, offsetof(struct devtrace_wire_dict, reserved), 3 },
	{ DEVTRACE_T_STATE, offsetof(struct devtrace_wire_state, reserved), 6 },
};

#define HOLES	(sizeof(holes) / sizeof(holes[0]))

/* Check one unescaped frame: false if a reserved byte is not zero. */
static bool holes_are_zero(const uint8_t *frame, size_t len, unsigned int seen[HOLES])
{
	size_t i, k;

	for (i = 0; i < HOLES; i++) {
		if (len < 2 + holes[i].at + holes[i].len || frame[1] != holes[i].type)
			continue;
		seen[i]++;
		for (k = 0; k < holes[i].len; k++)
			if (frame[2 + holes[i].at + k])
				return false;
	}
	return true;
}

/* Frames are built in reused memory: bytes not set would show older contents. */
TEST_F(module, reserved_bytes_are_zero)
{
	uint8_t buf[8192], frame[sizeof(buf)];
	unsigned int seen[HOLES] = { 0 };
	size_t n = 0;
	ssize_t got, i;
	bool escape = false;
	int fd, rfd;

	ASSERT_EQ(0, dev_load("size=1K"));
	fd = open(DEV_PATH, O_WRONLY | O_CLOEXEC);
	ASSERT_LE(0, fd);
	rfd = open(DEV_PATH, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	ASSERT_LE(0, rfd);
	for (i = 0; i < 1000; i++)
		ASSERT_EQ(0, dev_emit_mark(fd, DEVTRACE_T_USER, 0xffffffff, 0xffffffff));
	for (i = 0; i < 20; i++)
		ASSERT_EQ(0, dev_name(fd, DEVTRACE_T_OBJ, 0, 0, i, "a name"));
	while ((got = read(rfd, buf, sizeof(buf))) > 0) {
		for (i = 0; i < got; i++) {
			if (buf[i] == DEVTRACE_FLAG) {
				EXPECT_TRUE(holes_are_zero(frame, n, seen))
					TH_LOG("type %u", frame[1]);
				n = 0;
			} else if (buf[i] == DEVTRACE_ESCAPE) {
				escape = true;
			} else {
				ASSERT_GT(sizeof(frame), n);
				frame[n++] = escape ? buf[i] ^ DEVTRACE_ESCAPE_XOR : buf[i];
				escape = false;
			}
		}
	}
	EXPECT_EQ(EAGAIN, errno);
	/* STATE occurs in streams that are stopped. */
	EXPECT_LE(1, seen[0]);
	EXPECT_EQ(20, seen[1]);
	close(rfd);
	close(fd);
}

/* All bytes are set: nothing of the previous contents is returned. */
TEST_F(page, statistics_are_filled_in)
{
	struct devtrace_stats st, all, sum = { 0 };
	int cpus[DEV_CPUS], n = dev_online(cpus), i;
	uint64_t before, after;

	memset(&st, 0x55, sizeof(st));
	for (i = -100; i < DEVTRACE_STATS_LANES; i++) {
		st.cpu = i;
		EXPECT_EQ(-1, ioctl(self->fd, DEVTRACE_IOC_STATS, &st));
		EXPECT_EQ(EINVAL, errno);
	}
	st.cpu = 100000;
	EXPECT_EQ(-1, ioctl(self->fd, DEVTRACE_IOC_STATS, &st));
	EXPECT_EQ(ENXIO, errno);
	st.cpu = INT32_MAX;
	EXPECT_EQ(-1, ioctl(self->fd, DEVTRACE_IOC_STATS, &st));
	EXPECT_EQ(ENXIO, errno);
	EXPECT_EQ(-1, ioctl(self->fd, DEVTRACE_IOC_STATS, NULL));
	EXPECT_EQ(EFAULT, errno);
	for (i = 0; i < n; i++) {
		ASSERT_EQ(0, dev_stats(cpus[i], &st));
		EXPECT_EQ(cpus[i], st.cpu);
		sum.size += st.size;
		sum.stored += st.stored;
	}
	ASSERT_EQ(0, dev_stats(DEVTRACE_STATS_LANES, &st));
	EXPECT_EQ(DEVTRACE_STATS_LANES, st.cpu);
	sum.stored += st.stored;
	sum.size += st.size;
	before = dev_now();
	ASSERT_EQ(0, dev_stats(DEVTRACE_STATS_ALL, &all));
	after = dev_now();
	EXPECT_EQ(-1, all.cpu);
	EXPECT_EQ(sum.stored, all.stored);
	EXPECT_LE(sum.size, all.size);
	EXPECT_LE(n, all.nr_cpus);
	EXPECT_LE(before, all.now);
	EXPECT_LE(all.now, after);
}

TEST_HARNESS_MAIN

// SPDX-License-Identifier: GPL-2.0-only
/*
 * dev.c - modules, machine and device calls for the tests; see dev.h
 *
 * Modules are searched in $DEVTRACE_MODULES, beside the program, and in /modules.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sched.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "dev.h"
#include "nl.h"

static int try_file(const char *dir, const char *name)
{
	char path[PATH_MAX + 64];

	if (!dir)
		return -1;
	snprintf(path, sizeof(path), "%s/%s", dir, name);
	return open(path, O_RDONLY | O_CLOEXEC);
}

static int module_file(const char *name)
{
	char self[PATH_MAX];
	ssize_t n;
	int fd;

	fd = try_file(getenv("DEVTRACE_MODULES"), name);
	if (fd >= 0)
		return fd;
	n = readlink("/proc/self/exe", self, sizeof(self) - 1);
	if (n > 0) {
		self[n] = 0;
		*strrchr(self, '/') = 0;
		fd = try_file(self, name);
		if (fd >= 0)
			return fd;
	}
	return try_file("/modules", name);
}

int dev_load_file(const char *name, const char *params)
{
	int fd = module_file(name);
	int ret;

	if (fd < 0) {
		fprintf(stderr, "# %s: not found, set DEVTRACE_MODULES\n", name);
		return -1;
	}
	ret = syscall(SYS_finit_module, fd, params, 0);
	close(fd);
	return ret;
}

static int delete_module(const char *name)
{
	return syscall(SYS_delete_module, name, O_NONBLOCK);
}

struct held {
	int nr;
	char names[32][DEVTRACE_TRACEPOINT_LEN];
};

static void hold(const struct nl_reply *r, void *arg)
{
	struct held *h = arg;
	const struct nlattr *group = r->a[DEVTRACE_A_PROFILE_GROUP];
	const struct nlattr *name = r->a[DEVTRACE_A_NAME];

	if (!name || h->nr == 32 || (group && strcmp(nl_data(group), "added")))
		return;
	snprintf(h->names[h->nr++], sizeof(h->names[0]), "%s", (const char *)nl_data(name));
}

/* Added tracepoints hold devtrace_profile: remove them. */
static void tracepoints_let_go(void)
{
	static struct held h;
	static struct nl nl;
	int i;

	if (nl_open(&nl))
		return;
	h = (struct held){ 0 };
	nl_begin(&nl, DEVTRACE_CMD_PROFILE_GET);
	nl_dump(&nl, hold, &h);
	for (i = 0; i < h.nr; i++) {
		nl_begin(&nl, DEVTRACE_CMD_PROFILE_DEL);
		nl_put_str(&nl, DEVTRACE_A_TRACEPOINT, h.names[i]);
		nl_do(&nl, NULL, NULL);
	}
	nl_close(&nl);
}

static int unload_rest(void)
{
	if (delete_module("devtrace_watch") && errno != ENOENT)
		return -1;
	if (delete_module("devtrace_profile") && errno != ENOENT) {
		tracepoints_let_go();
		if (delete_module("devtrace_profile"))
			return -1;
	}
	return 0;
}

int dev_unload_one(const char *name)
{
	if (!strcmp(name, "devtrace") && unload_rest())
		return -1;
	return delete_module(name);
}

int dev_unload_in_use(void)
{
	int ret = dev_unload_one("devtrace"), err = errno;

	/* If the unload succeeds, closing would crash the kernel: a child keeps the descriptor. */
	if (!ret && !fork())
		pause();
	if (ret && dev_load_rest(""))
		return 0;
	errno = err;
	return ret;
}

/* References of an ended process may be dropped a little later. */
static int unload(const char *name)
{
	int tries;

	for (tries = 0; tries < 3000; tries++) {
		if (!dev_unload_one(name) || errno == ENOENT)
			return 0;
		dev_sleep_ms(10);
	}
	fprintf(stderr, "# cannot unload %s: %s\n", name, strerror(errno));
	return -1;
}

int dev_unload(void)
{
	return unload("dtwatch") || unload("dttest") || unload("dtfire") || unload("dtlog") ||
	       unload("metronome") || unload("devtrace") ? -1 : 0;
}

int dev_done(void)
{
	return dev_unload() || dev_load("") ? -1 : 0;
}

bool dev_wait_for(atomic_int *what, int value)
{
	int tries;

	for (tries = 0; tries < 60000 && *what != value; tries++)
		usleep(1000);
	return *what == value;
}

bool dev_nmi(unsigned int rate)
{
	static const char port[] = "/run/board";
	char text[32];

	if (access("/sys/module/dtquiet", F_OK) || access(port, W_OK))
		return false;
	snprintf(text, sizeof(text), "nmi %u\n", rate);
	return !dev_write_file(port, text);
}

static int load_said(const char *name, const char *params)
{
	int ret = dev_load_file(name, params), err = errno;

	if (ret && err != EEXIST)
		fprintf(stderr, "# insmod %s %s: %s\n", name, params, strerror(err));
	errno = err;
	return ret;
}

int dev_load_rest(const char *profile)
{
	return load_said("devtrace_profile.ko", profile) && errno != EEXIST ? -1 : 0;
}

/* The last parameter may be one of devtrace_profile.ko. */
int dev_load(const char *params)
{
	const char *profile = strstr(params, "profile=");
	char own[256];

	if (dev_unload())
		return -1;
	snprintf(own, sizeof(own), "%.*s", profile ? (int)(profile - params) : 255, params);
	if (load_said("devtrace.ko", own))
		return -1;
	/* A module that is not built for tests ignores it. */
	if (strstr(own, "start=") && access("/sys/module/devtrace/parameters/start", F_OK)) {
		fprintf(stderr, "# no parameter 'start': make DEVTRACE_TEST_START=1\n");
		return -1;
	}
	return dev_load_rest(profile ? profile : "");
}

int dev_load_writers(const char *params)
{
	if (dev_load_file("dttest.ko", params)) {
		fprintf(stderr, "# insmod dttest.ko %s: %s\n", params, strerror(errno));
		return -1;
	}
	return 0;
}

int dev_write_file(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);
	ssize_t n;
	int err;

	if (fd < 0)
		return -1;
	n = write(fd, text, strlen(text));
	err = errno;
	close(fd);
	errno = err;
	return n == (ssize_t)strlen(text) ? 0 : -1;
}

bool dev_empty_file(const char *path)
{
	int fd = open(path, O_WRONLY | O_TRUNC | O_CLOEXEC);

	return fd >= 0 && !close(fd);
}

int dev_read_file(const char *path, char *buf, size_t size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	size_t have = 0;
	ssize_t n;

	if (fd < 0)
		return -1;
	while (have < size - 1 && (n = read(fd, buf + have, size - 1 - have)) > 0)
		have += n;
	buf[have] = 0;
	close(fd);
	return have;
}

bool dev_kernel_before(int major, int minor)
{
	struct utsname u;
	int a, b;

	return !uname(&u) && sscanf(u.release, "%d.%d", &a, &b) == 2 &&
	       (a < major || (a == major && b < minor));
}

/*
 * Memory that the module maps without vmalloc(), in kB: before Linux 5.11, lanes are mapped so.
 * VmallocUsed does not include it. Each mapping has one page more than is used.
 */
static long mapped_kb(void)
{
	FILE *f = dev_kernel_before(5, 11) ? fopen("/proc/vmallocinfo", "re") : NULL;
	unsigned long bytes, sum = 0;
	char line[256];

	if (!f)
		return 0;
	while (fgets(line, sizeof(line), f))
		if (strstr(line, "[devtrace]") && strstr(line, " vmap") &&
		    sscanf(line, "%*s %lu", &bytes) == 1)
			sum += bytes - (unsigned long)sysconf(_SC_PAGESIZE);
	fclose(f);
	return (long)(sum / 1024);
}

/* The number after a word of /proc/meminfo, or 0. */
static long meminfo(const char *buf, const char *word)
{
	const char *p = strstr(buf, word);

	return p ? atol(p + strlen(word)) : 0;
}

long dev_vmalloc_kb(void)
{
	char buf[8192];

	if (dev_read_file("/proc/meminfo", buf, sizeof(buf)) <= 0)
		return -1;
	return meminfo(buf, "VmallocUsed:") + mapped_kb();
}

long dev_kernel_memory(void)
{
	long least = LONG_MAX, sum;
	char buf[8192];

	for (int i = 0; i < 20; i++) {
		if (dev_read_file("/proc/meminfo", buf, sizeof(buf)) <= 0)
			return -1;
		sum = meminfo(buf, "SUnreclaim:") + meminfo(buf, "VmallocUsed:") +
		      meminfo(buf, "Percpu:") + mapped_kb();
		least = sum < least ? sum : least;
		dev_sleep_ms(100);
	}
	return least;
}

bool dev_profile(const char *list)
{
	if (!dev_write_file(DEV_PROFILE, list))
		return true;
	dev_say("%s: %s", list, strerror(errno));
	return false;
}

int dev_writers_run(bool on)
{
	return dev_write_file("/sys/module/dttest/parameters/run", on ? "1" : "0");
}

int dev_writers_counts(uint64_t counts[DEV_CPUS][DTTEST_CLASSES])
{
	char buf[8192], *p = buf;
	unsigned long long c[DTTEST_CLASSES];
	int cpu, n, i;

	memset(counts, 0, sizeof(counts[0]) * DEV_CPUS);
	if (dev_read_file("/sys/module/dttest/parameters/counts", buf, sizeof(buf)) < 0)
		return -1;
	while (sscanf(p, "%d %llu %llu %llu %llu\n%n", &cpu, &c[0], &c[1], &c[2], &c[3],
		      &n) == 5) {
		if (cpu < 0 || cpu >= DEV_CPUS)
			return -1;
		for (i = 0; i < DTTEST_CLASSES; i++)
			counts[cpu][i] = c[i];
		p += n;
	}
	return 0;
}

int dev_online(int cpus[DEV_CPUS])
{
	char buf[256], *p = buf, *end;
	int n = 0;
	long a, b;

	if (dev_read_file("/sys/devices/system/cpu/online", buf, sizeof(buf)) < 0)
		return 0;
	for (;; p = end + 1) {
		a = strtol(p, &end, 10);
		if (end == p)
			break;
		b = *end == '-' ? strtol(end + 1, &end, 10) : a;
		for (; a <= b && n < DEV_CPUS; a++)
			cpus[n++] = a;
		if (*end != ',')
			break;
	}
	return n;
}

int dev_pin(int cpu)
{
	cpu_set_t set;
	int i;

	CPU_ZERO(&set);
	for (i = 0; i < DEV_CPUS; i++)
		if (cpu < 0 || i == cpu)
			CPU_SET(i, &set);
	return sched_setaffinity(0, sizeof(set), &set);
}

static const char *cpu_file(char path[64], int cpu)
{
	snprintf(path, 64, "/sys/devices/system/cpu/cpu%d/online", cpu);
	return path;
}

bool dev_can_switch(int cpu)
{
	char path[64];

	return !access(cpu_file(path, cpu), W_OK);
}

int dev_switch(int cpu, bool on)
{
	char path[64];

	return dev_write_file(cpu_file(path, cpu), on ? "1" : "0");
}

uint64_t dev_now(void)
{
	static const struct devtrace_control *page;
	struct timespec ts;

	/* After a suspend of the board: the trace clock includes it, the raw clock does not. */
	if (!page) {
		int fd = open(DEV_PATH, O_RDONLY | O_CLOEXEC);

		if (fd >= 0) {
			struct devtrace_control *p = mmap(NULL, getpagesize(), PROT_READ,
							  MAP_SHARED, fd, 0);
			static struct devtrace_control copy;

			if (p != MAP_FAILED) {
				copy = *p;
				page = &copy;
				munmap(p, getpagesize());
			}
			close(fd);
		}
	}
	clock_gettime(CLOCK_MONOTONIC_RAW, &ts);
	return ts.tv_sec * NSEC + ts.tv_nsec + (page ? page->suspended : 0);
}

void dev_sleep_ms(unsigned int ms)
{
	struct timespec ts = { ms / 1000, ms % 1000 * 1000000L };

	while (nanosleep(&ts, &ts) && errno == EINTR)
		;
}

/* A TAP comment, flushed at once, as tests end without flushing. */
void dev_say(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	fputs("# ", stdout);
	vprintf(fmt, ap);
	fputs("\n", stdout);
	fflush(stdout);
	va_end(ap);
}

uint32_t dev_seed(void)
{
	static uint32_t seed;
	static bool known;
	const char *s;

	if (!known) {
		s = getenv("SEED");
		seed = s && *s ? strtoul(s, NULL, 0) : (uint32_t)time(NULL) * 2654435761u;
		known = true;
		dev_say("SEED=%u", seed);
	}
	return seed;
}

static __thread uint64_t random_state;

void dev_random_as(unsigned int who)
{
	random_state = dev_seed() + 0x9e3779b97f4a7c15ULL * (who + 1000);
}

/*
 * A thread's sequence depends on the order of first calls, not on thread ids, which differ
 * between runs.
 */
uint32_t dev_random(void)
{
	static atomic_uint turn;
	uint64_t state = random_state;

	if (!state)
		state = dev_seed() + 0x9e3779b97f4a7c15ULL * (atomic_fetch_add(&turn, 1) + 1);
	random_state = state * 6364136223846793005ULL + 1442695040888963407ULL;
	return random_state >> 33;
}

int dev_stats(int cpu, struct devtrace_stats *s)
{
	int fd = open(DEV_PATH, O_RDONLY | O_CLOEXEC);
	int ret;

	if (fd < 0)
		return -1;
	memset(s, 0xaa, sizeof(*s));
	s->cpu = cpu;
	ret = ioctl(fd, DEVTRACE_IOC_STATS, s);
	close(fd);
	return ret;
}

int dev_emit(int fd, const struct devtrace_emit *e, size_t len)
{
	return ioctl(fd, DEVTRACE_IOC_EMIT(sizeof(*e) + len), e);
}

static uint8_t *put_u32(uint8_t *p, uint8_t format, uint32_t v)
{
	int i;

	*p++ = format;
	for (i = 0; i < 4; i++)
		*p++ = v >> 8 * i;
	return p;
}

union event {
	struct devtrace_emit e;
	uint8_t room[sizeof(struct devtrace_emit) + DEVTRACE_PAYLOAD_MAX];
};

int dev_emit_mark(int fd, uint8_t type, uint32_t tag, uint32_t nr)
{
	union event u = { .e.type = type };

	put_u32(put_u32(u.e.data, DEVTRACE_E_U32, tag), DEVTRACE_E_U32, nr);
	return dev_emit(fd, &u.e, 10);
}

int dev_emit_numbered(int fd, uint32_t tag, uint32_t nr, uint32_t max, uint32_t heavy)
{
	uint32_t hash = dttest_hash(tag, nr);
	uint32_t left = dttest_len(hash, max, heavy), n, i = 0;
	union event u;
	uint8_t *p = u.e.data;

	memset(&u.e, 0, sizeof(u.e));
	u.e.type = DTTEST_TYPE + (tag >> 16);
	p = put_u32(put_u32(p, DEVTRACE_E_U32, tag), DEVTRACE_E_U32, nr);
	for (; left; left -= n) {
		n = left < 255 ? left : 255;
		*p++ = DEVTRACE_E_MEM | (left > n ? DEVTRACE_E_MEM_MORE : 0);
		*p++ = n;
		for (uint32_t k = 0; k < n; k++)
			*p++ = dttest_byte(hash, i++);
	}
	p = put_u32(p, DEVTRACE_E_X32, hash);
	return dev_emit(fd, &u.e, p - u.e.data);
}

int dev_name(int fd, uint8_t kind, uint8_t group, uint32_t value, uint64_t key,
	     const char *name)
{
	struct devtrace_dict d = {
		.kind = kind, .group = group, .value = value, .key = key,
	};

	memcpy(d.name, name, strnlen(name, sizeof(d.name)));
	return ioctl(fd, DEVTRACE_IOC_DICT, &d);
}

int dev_check_numbered(const struct devtrace_event *ev, uint32_t max, uint32_t heavy,
		       uint32_t *tag, uint32_t *nr)
{
	struct devtrace_elem e;
	uint32_t hash, have = 0;
	size_t pos = 0, i;

	if (devtrace_elem_next(ev->data, ev->len, &pos, &e) != 1 || e.type != DEVTRACE_E_U32)
		return -1;
	*tag = e.v.u;
	if (devtrace_elem_next(ev->data, ev->len, &pos, &e) != 1 || e.type != DEVTRACE_E_U32)
		return -1;
	*nr = e.v.u;
	hash = dttest_hash(*tag, *nr);
	if (ev->type != DTTEST_TYPE + (*tag >> 16))
		return -1;
	while (devtrace_elem_next(ev->data, ev->len, &pos, &e) == 1 &&
	       e.type == DEVTRACE_E_MEM)
		for (i = 0; i < e.v.mem.len; i++)
			if (e.v.mem.p[i] != dttest_byte(hash, have++))
				return -1;
	if (have != dttest_len(hash, max, heavy) || e.type != DEVTRACE_E_X32 ||
	    e.v.u != hash || pos != ev->len)
		return -1;
	return 0;
}

static int log_fd = -1;

void dev_log_begin(void)
{
	if (log_fd < 0)
		log_fd = open("/dev/kmsg", O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	if (log_fd >= 0)
		lseek(log_fd, 0, SEEK_END);
}

bool dev_log_has(const char *text)
{
	char line[8192];
	bool found = false;
	ssize_t n;

	while ((n = read(log_fd, line, sizeof(line) - 1)) > 0 ||
	       (n < 0 && errno == EPIPE)) {
		if (n < 0)
			continue;
		line[n] = 0;
		found |= strstr(line, text) != NULL;
	}
	return found;
}

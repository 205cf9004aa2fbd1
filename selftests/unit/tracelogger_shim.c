// SPDX-License-Identifier: GPL-2.0-only
/*
 * tracelogger_shim.c - simulate failing disks and silent peers, with LD_PRELOAD
 *
 * It counts write(2) to regular files. From number SHIM_NTH on, SHIM_COUNT of them fail with
 * SHIM_ERRNO; with SHIM_SHORT, the first of these writes half. After each write the sizes of the
 * files in SHIM_DIR are summed; above SHIM_LIMIT bytes the program ends with status 99. SHIM_LOG
 * gets a line each. While the file SHIM_FULL exists, disks are full. Directly before write
 * SHIM_AWAY_NTH its file is moved or removed, as SHIM_AWAY says: "move" renames it, "fifo" also
 * puts a FIFO in its place, "copy" copies and removes it, "cut" copies and truncates it,
 * "remove" removes it. New names end in ".away".
 *
 * fdatasync(2) writes a line into SHIM_SYNCED: "main" from the first thread that calls it, else
 * "thread". With SHIM_SYNC_ERRNO fdatasync(2) and fsync(2) fail. SHIM_ORDER gets the name of
 * each regular file synced. While the file SHIM_HELD exists, these calls do not return.
 *
 * Bytes written to sockets are appended to SHIM_SENT. When a socket that accepted bytes is
 * closed, SHIM_ACKED gets a line with the length of SHIM_SENT and the number of bytes that the
 * peer's kernel has acknowledged.
 *
 * With SHIM_CLOCK the clock for waits, CLOCK_BOOTTIME, stands still: its seconds are the size of
 * that file.
 *
 * With SHIM_ACCEPT accept4(2) prints its time on standard error, in milliseconds.
 *
 * While SHIM_DEAF exists, connect(2) and getaddrinfo(3) do not return; while SHIM_BROKEN exists,
 * read(2) of a pipe fails; while SHIM_STILL exists, serial lines do not send: tcdrain(3) does
 * not return. With SHIM_ENDLESS a pipe repeats that file without end. With SHIM_DEVICE a pipe is
 * a device with a buffer of 1 MiB, which holds as many events of 31 bytes as the file
 * SHIM_STORED has bytes, or none.
 *
 * With SHIM_NAP a wait of ppoll(2) that is shorter than that, in ms, is longer by it on average, so
 * that thousands of loggers that look for events can share a machine.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/devtrace.h>
#include <linux/tcp.h>
#include <netdb.h>
#include <poll.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static long number(const char *name)
{
	const char *s = getenv(name);

	return s ? atol(s) : 0;
}

static void look(void)
{
	const char *path = getenv("SHIM_DIR");
	long limit = number("SHIM_LIMIT"), sum = 0;
	DIR *dir = path && limit ? opendir(path) : NULL;
	struct dirent *e;
	struct stat st;

	if (!dir)
		return;
	while ((e = readdir(dir)))
		if (!fstatat(dirfd(dir), e->d_name, &st, 0) && S_ISREG(st.st_mode))
			sum += st.st_size;
	closedir(dir);
	if (sum > limit)
		_exit(99);
}

static int is_there(const char *name)
{
	const char *path = getenv(name);

	return path && !access(path, F_OK);
}

static void say(const char *path, const char *word)
{
	int to = path ? open(path, O_WRONLY | O_CREAT | O_APPEND, 0644) : -1;

	if (to < 0)
		return;
	syscall(SYS_write, to, word, strlen(word));
	syscall(SYS_close, to);
}

static ssize_t write_socket(int fd, const void *buf, size_t n)
{
	const char *path = getenv("SHIM_SENT");
	ssize_t done = syscall(SYS_write, fd, buf, n);
	int to = path && done > 0 ? open(path, O_WRONLY | O_CREAT | O_APPEND, 0644) : -1;

	if (to >= 0) {
		syscall(SYS_write, to, buf, done);
		syscall(SYS_close, to);
	}
	return done;
}

int close(int fd)
{
	const char *path = getenv("SHIM_ACKED"), *sent = getenv("SHIM_SENT");
	socklen_t len = sizeof(struct tcp_info);
	struct tcp_info info;
	struct stat st;
	char line[48];

	/* The SYN counts as a byte. */
	if (path && sent && !getsockopt(fd, IPPROTO_TCP, TCP_INFO, &info, &len) &&
	    info.tcpi_bytes_sent && !stat(sent, &st)) {
		snprintf(line, sizeof(line), "%lld %llu\n", (long long)st.st_size,
			 (unsigned long long)info.tcpi_bytes_acked - 1);
		say(path, line);
	}
	return (int)syscall(SYS_close, fd);
}

static void copy(const char *from, const char *to)
{
	int in = open(from, O_RDONLY), out = open(to, O_WRONLY | O_CREAT | O_EXCL, 0644);
	char buf[4096];
	ssize_t n;

	while ((n = read(in, buf, sizeof(buf))) > 0)
		syscall(SYS_write, out, buf, n);
	syscall(SYS_close, in);
	syscall(SYS_close, out);
}

static void take_away(int fd, const char *how)
{
	char link[64], path[512], away[sizeof(path) + 8];
	ssize_t n;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	n = readlink(link, path, sizeof(path) - 1);
	if (n < 0)
		return;
	path[n] = 0;
	snprintf(away, sizeof(away), "%s.away", path);
	if (!strcmp(how, "copy") || !strcmp(how, "cut"))
		copy(path, away);
	if (!strcmp(how, "move") || !strcmp(how, "fifo"))
		rename(path, away);
	if (!strcmp(how, "copy") || !strcmp(how, "remove"))
		unlink(path);
	if (!strcmp(how, "cut"))
		(void)!truncate(path, 0);
	if (!strcmp(how, "fifo"))
		mkfifo(path, 0644);
}

ssize_t write(int fd, const void *buf, size_t n)
{
	static long writes;
	long nth = number("SHIM_NTH"), count = number("SHIM_COUNT");
	const char *log = getenv("SHIM_LOG");
	struct stat st;
	ssize_t done;

	if (fstat(fd, &st) || !S_ISREG(st.st_mode) || fd <= 2)
		return write_socket(fd, buf, n);
	writes++;
	say(log, "write\n");
	if (getenv("SHIM_AWAY") && writes == number("SHIM_AWAY_NTH"))
		take_away(fd, getenv("SHIM_AWAY"));
	if (is_there("SHIM_FULL")) {
		errno = ENOSPC;
		return -1;
	}
	if (nth && writes >= nth && writes < nth + count) {
		if (writes == nth && number("SHIM_SHORT"))
			return syscall(SYS_write, fd, buf, n / 2 + 1);
		errno = (int)number("SHIM_ERRNO");
		return -1;
	}
	done = syscall(SYS_write, fd, buf, n);
	look();
	return done;
}

static void deaf(void)
{
	while (is_there("SHIM_DEAF"))
		usleep(10000);
}

int tcdrain(int fd)
{
	while (is_there("SHIM_STILL"))
		usleep(10000);
	return (int)syscall(SYS_ioctl, fd, TCSBRK, 1);
}

int connect(int fd, const struct sockaddr *to, socklen_t len)
{
	deaf();
	return (int)syscall(SYS_connect, fd, to, len);
}

int getaddrinfo(const char *host, const char *port, const struct addrinfo *hints,
		struct addrinfo **all)
{
	__typeof__(getaddrinfo) *next = dlsym(RTLD_NEXT, "getaddrinfo");

	deaf();
	return next(host, port, hints, all);
}

static ssize_t read_endless(const char *path, void *buf, size_t n)
{
	static int from = -1;
	ssize_t done;

	if (from < 0)
		from = open(path, O_RDONLY | O_CLOEXEC);
	done = syscall(SYS_read, from, buf, n);
	if (done)
		return done;
	lseek(from, 0, SEEK_SET);
	return syscall(SYS_read, from, buf, n);
}

ssize_t read(int fd, void *buf, size_t n)
{
	const char *endless = getenv("SHIM_ENDLESS");
	struct stat st;

	if (endless && !fstat(fd, &st) && S_ISFIFO(st.st_mode))
		return read_endless(endless, buf, n);

	if (is_there("SHIM_BROKEN") && !fstat(fd, &st) && S_ISFIFO(st.st_mode)) {
		errno = EIO;
		return -1;
	}
	return syscall(SYS_read, fd, buf, n);
}

int ppoll(struct pollfd *p, nfds_t n, const struct timespec *t, const sigset_t *mask)
{
	const long least = number("SHIM_NAP") * 1000000;
	static unsigned int seed;
	struct timespec sum;
	long ns;

	/* Random, because loggers that began to wait together would otherwise end together. */
	seed += seed ? 0 : (unsigned int)getpid();
	if (t && !t->tv_sec && t->tv_nsec && t->tv_nsec < least) {
		ns = t->tv_nsec + least / 1000 * (rand_r(&seed) % 2000);
		sum.tv_sec = ns / 1000000000;
		sum.tv_nsec = ns % 1000000000;
		t = &sum;
	}
	/* The system call writes the rest of the time into its argument. */
	sum = t ? *t : (struct timespec){ 0 };
	return (int)syscall(SYS_ppoll, p, n, t ? &sum : NULL, mask, 8);
}

int ioctl(int fd, unsigned long request, ...)
{
	struct devtrace_stats *stats;
	struct stat st;
	va_list args;

	va_start(args, request);
	stats = va_arg(args, void *);
	va_end(args);
	if (request == TIOCOUTQ && is_there("SHIM_STILL")) {
		*(int *)(void *)stats = 1;
		return 0;
	}
	if (request != DEVTRACE_IOC_STATS || !getenv("SHIM_DEVICE") || fstat(fd, &st) ||
	    !S_ISFIFO(st.st_mode))
		return (int)syscall(SYS_ioctl, fd, request, stats);
	memset(stats, 0, sizeof(*stats));
	if (getenv("SHIM_STORED") && !stat(getenv("SHIM_STORED"), &st))
		stats->stored = (uint64_t)st.st_size;
	stats->used = stats->stored * 31;
	stats->size = 1 << 20;
	stats->nr_cpus = 1;
	stats->now = UINT64_MAX - 1;
	return 0;
}

/* The name of the regular file and a newline; false for other files. */
static bool name_of(int fd, char *name, size_t size)
{
	char link[32], path[256];
	struct stat st;
	ssize_t n;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	n = fstat(fd, &st) || !S_ISREG(st.st_mode) ? -1 : readlink(link, path, sizeof(path) - 1);
	if (n < 0)
		return false;
	path[n] = 0;
	snprintf(name, size, "%s\n", strrchr(path, '/') + 1);
	return true;
}

static int synced(int fd, long call)
{
	const char *held = getenv("SHIM_HELD");
	char name[64];

	if (getenv("SHIM_ORDER") && name_of(fd, name, sizeof(name))) {
		say(getenv("SHIM_ORDER"), name);
		while (held && !access(held, F_OK))
			usleep(1000);
	}
	errno = (int)number("SHIM_SYNC_ERRNO");
	return errno ? -1 : (int)syscall(call, fd);
}

int fdatasync(int fd)
{
	say(getenv("SHIM_SYNCED"), syscall(SYS_gettid) == getpid() ? "main\n" : "thread\n");
	return synced(fd, SYS_fdatasync);
}

int fsync(int fd)
{
	return synced(fd, SYS_fsync);
}

int clock_gettime(clockid_t clock, struct timespec *t)
{
	const char *path = clock == CLOCK_BOOTTIME ? getenv("SHIM_CLOCK") : NULL;
	struct stat st;

	if (!path || stat(path, &st))
		return (int)syscall(SYS_clock_gettime, clock, t);
	*t = (struct timespec){ .tv_sec = st.st_size };
	return 0;
}

int accept4(int fd, struct sockaddr *from, socklen_t *len, int flags)
{
	struct timespec t;
	char line[64];

	clock_gettime(CLOCK_MONOTONIC, &t);
	snprintf(line, sizeof(line), "accept %ld\n", t.tv_sec * 1000L + t.tv_nsec / 1000000);
	if (getenv("SHIM_ACCEPT"))
		syscall(SYS_write, STDERR_FILENO, line, strlen(line));
	return (int)syscall(SYS_accept4, fd, from, len, flags);
}

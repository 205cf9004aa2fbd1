// SPDX-License-Identifier: GPL-2.0-only
/*
 * pingpong.c - for test_clocks: messages between two boards, and the true time of each
 *
 *	pingpong reference SHARED SAMPLES	on the host, until it is killed
 *	pingpong synced NS			on a board: is the kernel's maximum error below NS?
 *	pingpong ask PEER COUNT SEED		on board a
 *	pingpong answer COUNT PPM		on board b
 *
 * "ask" sends COUNT messages, and "answer" answers each. Both emit "sent" before they send a
 * message and "received" when they have received one, with the number of the message. At the first
 * message, "answer" lets its wall clock drift by PPM; after half of the messages it sets the clock
 * back by 7.25 s, and after three quarters forward by 0.4 s.
 *
 * The true time is the time-stamp counter of the host. QEMU gives a guest without KVM this counter
 * minus a constant. A board and the host read their counters in turn, in memory that they share:
 * the host's value lies between two of the board, so each round limits the constant on both sides.
 * "offset" has the limits of all rounds, at the beginning and at the end. "counter" ties the
 * board's counter to the trace clock: the counter before, the trace clock, the counter after.
 *
 * "reference" answers these reads, and it is an NTP server whose time is the host's wall clock. It
 * prints its port, and writes pairs of the counter and the wall clock into SAMPLES.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <fcntl.h>
#include <glob.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/timex.h>
#include <time.h>
#include <unistd.h>
#include <x86intrin.h>

#include <devtrace.h>

#define NSEC		1000000000ll
#define PORT		4711
#define ROUNDS		20000
#define SIZE		65536
#define HELLO		0xffffffffu	/* a message that is not traced */
#define EPOCH		2208988800ull	/* from 1900 to 1970, s */

enum { SENT = 100, RECEIVED, COUNTER, OFFSET };

/* A board and the host write different cache lines. */
struct slot {
	volatile uint64_t	asked, pad[7];
	volatile uint64_t	answered, counter, more[6];
};

static void die(const char *what)
{
	perror(what);
	exit(1);
}

static int64_t now(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return t.tv_sec * NSEC + t.tv_nsec;
}

static struct slot *map(const char *path)
{
	const int fd = open(path, O_RDWR);
	void *p = fd < 0 ? MAP_FAILED : mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

	if (p == MAP_FAILED)
		die(path);
	return p;
}

/* Answer the boards until none has asked for a millisecond. */
static void answer_reads(struct slot *s)
{
	int64_t idle = now(CLOCK_MONOTONIC);
	unsigned int i = 0;

	do {
		for (i = 0; i < 2; i++) {
			const uint64_t asked = s[i].asked;

			if (asked == s[i].answered)
				continue;
			s[i].counter = __rdtsc();
			__atomic_thread_fence(__ATOMIC_SEQ_CST);
			s[i].answered = asked;
			idle = now(CLOCK_MONOTONIC);
		}
	} while (now(CLOCK_MONOTONIC) - idle < NSEC / 1000);
}

/* The pair of the counter and the wall clock that took the least time. */
static void sample(FILE *f)
{
	uint64_t before, after, least = UINT64_MAX, counter = 0;
	int64_t wall, real = 0;
	int i;

	for (i = 0; i < 10; i++) {
		before = __rdtsc();
		wall = now(CLOCK_REALTIME);
		after = __rdtsc();
		if (after - before < least) {
			least = after - before;
			counter = before + least / 2;
			real = wall;
		}
	}
	fprintf(f, "%llu %lld\n", (unsigned long long)counter, (long long)real);
	fflush(f);
}

static void put_time(uint8_t *p, int64_t ns)
{
	const uint32_t words[] = {
		htonl((uint32_t)(ns / NSEC + EPOCH)),
		htonl((uint32_t)(((uint64_t)(ns % NSEC) << 32) / NSEC)),
	};

	memcpy(p, words, sizeof(words));
}

/* Answer a request of NTP. It came when the kernel says. */
static void answer_ntp(int fd)
{
	char control[256];
	uint8_t p[48], answer[48] = { 0 };
	struct sockaddr_in from;
	struct iovec v = { p, sizeof(p) };
	struct msghdr m = {
		.msg_name = &from, .msg_namelen = sizeof(from), .msg_iov = &v, .msg_iovlen = 1,
		.msg_control = control, .msg_controllen = sizeof(control),
	};
	int64_t received = now(CLOCK_REALTIME);
	struct timespec t;
	struct cmsghdr *c;

	if (recvmsg(fd, &m, 0) != sizeof(p) || (p[0] & 7) != 3)
		return;
	for (c = CMSG_FIRSTHDR(&m); c; c = CMSG_NXTHDR(&m, c))
		if (c->cmsg_level == SOL_SOCKET && c->cmsg_type == SCM_TIMESTAMPNS) {
			memcpy(&t, CMSG_DATA(c), sizeof(t));
			received = t.tv_sec * NSEC + t.tv_nsec;
		}
	answer[0] = (p[0] & 0x38) | 4;	/* their version, server */
	answer[1] = 1;			/* stratum */
	answer[2] = p[2];
	answer[3] = (uint8_t)-23;	/* precision: 120 ns */
	memcpy(answer + 12, "TRUE", 4);
	put_time(answer + 16, received - NSEC);
	memcpy(answer + 24, p + 40, 8);
	put_time(answer + 32, received);
	put_time(answer + 40, now(CLOCK_REALTIME));
	sendto(fd, answer, sizeof(answer), 0, (struct sockaddr *)&from, sizeof(from));
}

static void __attribute__((noreturn)) reference(const char *shared, const char *samples)
{
	struct sockaddr_in a = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	struct pollfd p = { .fd = socket(AF_INET, SOCK_DGRAM, 0), .events = POLLIN };
	socklen_t len = sizeof(a);
	struct slot *s = map(shared);
	FILE *f = fopen(samples, "w");
	const int one = 1;
	int64_t due = 0;

	if (!f)
		die(samples);
	if (p.fd < 0 || bind(p.fd, (struct sockaddr *)&a, sizeof(a)) ||
	    getsockname(p.fd, (struct sockaddr *)&a, &len) ||
	    setsockopt(p.fd, SOL_SOCKET, SO_TIMESTAMPNS, &one, sizeof(one)))
		die("socket");
	printf("%u\n", ntohs(a.sin_port));
	fflush(stdout);
	for (;;) {
		if (poll(&p, 1, 2) > 0)
			answer_ntp(p.fd);
		if (s[0].asked != s[0].answered || s[1].asked != s[1].answered)
			answer_reads(s);
		if (now(CLOCK_MONOTONIC) < due)
			continue;
		due = now(CLOCK_MONOTONIC) + NSEC / 10;
		sample(f);
	}
}

static void emit_u64s(uint8_t type, uint64_t a, uint64_t b, uint64_t c)
{
	DEVTRACE_RECORD(r, 64);

	if (!devtrace_begin(&r, type, 0, 0))
		return;
	devtrace_u64(&r, a);
	devtrace_u64(&r, b);
	devtrace_u64(&r, c);
	devtrace_end(&r);
}

static void emit_number(uint8_t type, uint32_t number)
{
	DEVTRACE_RECORD(r, 32);

	if (!devtrace_begin(&r, type, 0, 0))
		return;
	devtrace_u32(&r, number);
	devtrace_end(&r);
}

static void tie_trace_clock(void)
{
	int i;

	for (i = 0; i < 4; i++) {
		const uint64_t before = __rdtsc();
		const uint64_t trace = devtrace_now();

		emit_u64s(COUNTER, before, trace, __rdtsc());
	}
}

/* Limit host's counter minus ours. */
static void tie_counter(struct slot *s)
{
	int64_t low = INT64_MIN, high = INT64_MAX;
	int i;

	for (i = 0; i < ROUNDS; i++) {
		const uint64_t number = s->asked + 1, before = __rdtsc();
		int64_t least, most;

		s->asked = number;
		while (s->answered != number)
			;
		most = (int64_t)(s->counter - before);
		least = (int64_t)(s->counter - __rdtsc());
		low = least > low ? least : low;
		high = most < high ? most : high;
	}
	emit_u64s(OFFSET, (uint64_t)low, (uint64_t)high, 0);
}

static struct slot *board_begins(int board)
{
	glob_t g;
	size_t i;

	devtrace_open();
	devtrace_dict_add(DEVTRACE_T_USR, SENT, 0, 0, "sent");
	devtrace_dict_add(DEVTRACE_T_USR, RECEIVED, 0, 0, "received");
	devtrace_dict_add(DEVTRACE_T_USR, COUNTER, 0, 0, "counter");
	devtrace_dict_add(DEVTRACE_T_USR, OFFSET, 0, 0, "offset");
	glob("/sys/bus/pci/devices/*", 0, NULL, &g);
	for (i = 0; i < g.gl_pathc; i++) {
		char path[256], id[32] = "";
		FILE *f;

		snprintf(path, sizeof(path), "%s/device", g.gl_pathv[i]);
		f = fopen(path, "r");
		if (!f || !fgets(id, sizeof(id), f) || strcmp(id, "0x1110\n"))
			continue;
		snprintf(path, sizeof(path), "%s/enable", g.gl_pathv[i]);
		f = fopen(path, "w");
		if (!f || fputs("1", f) < 0 || fclose(f))
			die(path);
		snprintf(path, sizeof(path), "%s/resource2", g.gl_pathv[i]);
		return map(path) + board;
	}
	fputs("no shared memory\n", stderr);
	exit(1);
}

static int udp(void)
{
	struct sockaddr_in a = { .sin_family = AF_INET, .sin_port = htons(PORT) };
	const struct timeval second = { .tv_sec = 1 };
	const int fd = socket(AF_INET, SOCK_DGRAM, 0);

	if (fd < 0 || bind(fd, (struct sockaddr *)&a, sizeof(a)) ||
	    setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &second, sizeof(second)))
		die("socket");
	return fd;
}

static int ask(const char *peer, uint32_t count, unsigned int seed)
{
	struct sockaddr_in a = { .sin_family = AF_INET, .sin_port = htons(PORT) };
	struct slot *s = board_begins(0);
	const int fd = udp();
	uint32_t i, n = HELLO, lost = 0;

	inet_pton(AF_INET, peer, &a.sin_addr);
	tie_counter(s);
	do {
		sendto(fd, &n, sizeof(n), 0, (struct sockaddr *)&a, sizeof(a));
	} while (recv(fd, &n, sizeof(n), 0) < 0);
	for (i = 0; i < count; i++) {
		if (!(i % 500))
			tie_trace_clock();
		n = 2 * i;
		emit_number(SENT, n);
		sendto(fd, &n, sizeof(n), 0, (struct sockaddr *)&a, sizeof(a));
		while (recv(fd, &n, sizeof(n), 0) == sizeof(n) && n != 2 * i + 1)
			;
		if (n == 2 * i + 1)
			emit_number(RECEIVED, n);
		else
			lost++;
		usleep(500 + (unsigned int)rand_r(&seed) % 6000);
	}
	n = HELLO;
	sendto(fd, &n, sizeof(n), 0, (struct sockaddr *)&a, sizeof(a));
	tie_trace_clock();
	tie_counter(s);
	printf("%u of %u messages have no answer\n", lost, count);
	return 0;
}

static void drift(double ppm)
{
	struct timex t = { .modes = 0 };

	adjtimex(&t);
	t.modes = ADJ_FREQUENCY;
	t.freq += (long)(ppm * 65536);
	if (adjtimex(&t) < 0)
		die("adjtimex");
}

static void step(int64_t by)
{
	const int64_t to = now(CLOCK_REALTIME) + by;
	const struct timespec t = { .tv_sec = to / NSEC, .tv_nsec = to % NSEC };

	if (clock_settime(CLOCK_REALTIME, &t))
		die("clock_settime");
}

static int answer(uint32_t count, double ppm)
{
	struct slot *s = board_begins(1);
	struct sockaddr_in a;
	socklen_t len = sizeof(a);
	const int fd = udp();
	bool begun = false;
	uint32_t n;

	tie_counter(s);
	for (;;) {
		if (recvfrom(fd, &n, sizeof(n), 0, (struct sockaddr *)&a, &len) != sizeof(n))
			continue;
		if (n == HELLO && begun)
			break;
		if (n == HELLO) {
			sendto(fd, &n, sizeof(n), 0, (struct sockaddr *)&a, len);
			continue;
		}
		emit_number(RECEIVED, n++);
		emit_number(SENT, n);
		sendto(fd, &n, sizeof(n), 0, (struct sockaddr *)&a, len);
		n /= 2;
		if (!begun)
			drift(ppm);
		begun = true;
		if (n == count / 2)
			step(-7250 * (NSEC / 1000));
		if (n == count / 4 * 3)
			step(400 * (NSEC / 1000));
		if (!(n % 500))
			tie_trace_clock();
	}
	tie_trace_clock();
	tie_counter(s);
	return 0;
}

static int synced(long ns)
{
	struct timex t = { .modes = 0 };

	return adjtimex(&t) == TIME_ERROR || t.status & STA_UNSYNC || t.maxerror > ns / 1000;
}

int main(int argc, char *argv[])
{
	const char *what = argc > 1 ? argv[1] : "";

	if (argc == 4 && !strcmp(what, "reference"))
		reference(argv[2], argv[3]);
	if (argc == 3 && !strcmp(what, "synced"))
		return synced(atol(argv[2]));
	if (argc == 5 && !strcmp(what, "ask"))
		return ask(argv[2], (uint32_t)atol(argv[3]), (unsigned int)atol(argv[4]));
	if (argc == 4 && !strcmp(what, "answer"))
		return answer((uint32_t)atol(argv[2]), atof(argv[3]));
	fputs("usage: see pingpong.c\n", stderr);
	return 2;
}

// SPDX-License-Identifier: GPL-2.0-only
/*
 * kfuzz.c - fuzz the module in a running kernel, guided by coverage
 *
 *	kfuzz TARGET SECONDS CORPUS OUT		fuzz, then select as minimise does
 *	kfuzz TARGET minimise CORPUS OUT	copy inputs with the same total coverage to
 *						OUT/new, at most KEEP
 *	kfuzz TARGET replay FILE...		run these once
 *
 * TARGET is device or netlink; in_TARGET.c executes its inputs. The kernel has KCOV, the module
 * is built with DEVTRACE_KCOV=1. Needs root; uses SEED from the environment.
 *
 * Inputs run in a child, BATCH of them at a time, so that a crash or a hang affects only the
 * child. Coverage consists of edges: two places of the module executed one after the other by a
 * thread during an input. Each batch is first written to standard error, one line of hexadecimal
 * digits per input, so that the last lines contain the input at which the machine stopped. If
 * the kernel is tainted (KASAN, a warning, an oops), the batch and the failing input are stored
 * in OUT, and the run ends.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <linux/kcov.h>

#include "dev.h"
#include "in.h"

#define BATCH		32
#define CORPUS		4096		/* inputs kept */
#define COVER		262144	/* places per thread and input */
#define EDGES		1048576	/* bits */
#define PLACES		32768	/* entries of a hash table */
#define HANG_S		20
#define KEEP		60		/* most files of a corpus */
#define CHOOSE_S	500		/* time to search for them, s */

struct input {
	size_t n;
	uint8_t p[IN_MAX];
};

/* Shared by parent and child. */
struct shared {
	struct input batch[BATCH];
	uint32_t fresh[BATCH];		/* new edges */
	atomic_int at, bad;		/* current input; an input that broke something */
	char why[128];
	_Atomic uint8_t edges[EDGES / 8];
	atomic_uint nedges, nplaces;
	_Atomic uint64_t places[PLACES];
	/* Numbers of the edges of the last input. */
	uint32_t nlast, last[16384];
	atomic_int full;
	uint64_t run_ns, check_ns;	/* sum over all inputs, and between them */
};

struct kcov {
	int fd;
	uint64_t *cover;
};

static struct shared *sh;
static struct kcov kcov[2];
static const struct in_target *target;
static struct input *corpus[CORPUS];
static size_t ncorpus;
static uint64_t runs;
static const char *out;

static void die(const char *what)
{
	perror(what);
	exit(2);
}

static void kcov_open(struct kcov *k)
{
	k->fd = open("/sys/kernel/debug/kcov", O_RDWR | O_CLOEXEC);
	if (k->fd < 0 || ioctl(k->fd, KCOV_INIT_TRACE, COVER))
		die("/sys/kernel/debug/kcov");
	k->cover = mmap(NULL, COVER * sizeof(uint64_t), PROT_READ | PROT_WRITE, MAP_SHARED, k->fd, 0);
	if (k->cover == MAP_FAILED)
		die("kcov");
}

static void kcov_on(struct kcov *k, bool on)
{
	if (ioctl(k->fd, on ? KCOV_ENABLE : KCOV_DISABLE, on ? KCOV_TRACE_PC : 0))
		die("KCOV_ENABLE");
	if (on)
		__atomic_store_n(&k->cover[0], 0, __ATOMIC_RELAXED);
}

static void second_thread(bool begins)
{
	kcov_on(&kcov[1], begins);
}

static uint32_t mix(uint64_t v)
{
	v *= 0x9e3779b97f4a7c15ULL;
	return v >> 32;
}

static void place_ran(uint64_t pc)
{
	uint32_t i = mix(pc) % PLACES, tries;

	for (tries = 0; tries < PLACES; tries++, i = (i + 1) % PLACES) {
		if (sh->places[i] == pc)
			return;
		if (!sh->places[i]) {
			sh->places[i] = pc;
			sh->nplaces++;
			return;
		}
	}
}

/* Number of new edges; all edges are stored in @last. */
static uint32_t look_at(const struct kcov *k)
{
	static uint8_t seen[EDGES / 8];
	uint64_t n = __atomic_load_n(&k->cover[0], __ATOMIC_RELAXED), i, before = 0;
	uint32_t fresh = 0, edge;

	if (n >= COVER - 1)
		sh->full++;
	memset(seen, 0, sizeof(seen));
	for (i = 1; i <= n && i < COVER; i++) {
		edge = mix(k->cover[i] * 31 + before) % EDGES;
		before = k->cover[i];
		if (seen[edge / 8] & 1 << edge % 8)
			continue;
		seen[edge / 8] |= 1 << edge % 8;
		if (sh->nlast < sizeof(sh->last) / sizeof(sh->last[0]))
			sh->last[sh->nlast++] = edge;
		if (sh->edges[edge / 8] & 1 << edge % 8)
			continue;
		sh->edges[edge / 8] |= 1 << edge % 8;
		sh->nedges++;
		fresh++;
		place_ran(before);
	}
	return fresh;
}

static uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * NSEC + t.tv_nsec;
}

static uint32_t run_one(const struct input *in)
{
	kcov[1].cover[0] = 0;
	kcov_on(&kcov[0], true);
	target->run(in->p, in->n);
	kcov_on(&kcov[0], false);
	sh->nlast = 0;
	return look_at(&kcov[0]) + look_at(&kcov[1]);
}

static void child(int count)
{
	uint64_t begin, ran;
	const char *bad;
	int i;

	for (i = 0; i < count; i++) {
		sh->at = i;
		begin = now_ns();
		sh->fresh[i] = run_one(&sh->batch[i]);
		ran = now_ns();
		bad = in_check();
		sh->run_ns += ran - begin;
		sh->check_ns += now_ns() - ran;
		if (bad) {
			snprintf(sh->why, sizeof(sh->why), "%s", bad);
			sh->bad = i;
			_exit(4);
		}
	}
	sh->at = count;
	_exit(0);
}

static void save(const char *name, const struct input *in)
{
	char path[PATH_MAX];
	int fd;

	snprintf(path, sizeof(path), "%s/%s", out, name);
	fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0644);
	if (fd < 0 || write(fd, in->p, in->n) != (ssize_t)in->n)
		die(path);
	close(fd);
}

static unsigned long tainted(void)
{
	char buf[32] = "";

	dev_read_file("/proc/sys/kernel/tainted", buf, sizeof(buf));
	/* Bad page (KASAN), died, warned, soft lockup; not the taint of an external module. */
	return strtoul(buf, NULL, 10) & (1 << 5 | 1 << 7 | 1 << 9 | 1 << 14);
}

static void finding(const char *what, int count)
{
	char name[64];
	int i;

	printf("# FOUND in input %d of this batch: %s\n", (int)sh->at, what);
	for (i = 0; i < count; i++) {
		snprintf(name, sizeof(name), "%s-%02d", i == sh->at ? "crash" : "before", i);
		save(name, &sh->batch[i]);
	}
	fflush(stdout);
	exit(1);
}

static void tell_batch(int count)
{
	static char line[2 * IN_MAX + 2];
	size_t k;
	int i;

	for (i = 0; i < count; i++) {
		for (k = 0; k < sh->batch[i].n; k++)
			sprintf(line + 2 * k, "%02x", sh->batch[i].p[k]);
		line[2 * k] = '\n';
		if (write(2, line, 2 * k + 1) < 0)
			return;
	}
}

/* Print the kernel stacks of the child's threads. */
static void tell_stacks(pid_t pid)
{
	char cmd[128];

	snprintf(cmd, sizeof(cmd), "for t in /proc/%d/task/*; do echo $t; cat $t/stack; done", pid);
	fflush(stdout);
	(void)!system(cmd);
}

static void run_batch(int count, bool tell)
{
	struct timespec ms = { 0, 2000000 };
	time_t since = time(NULL);
	int status = 0, at = -1;
	pid_t pid;

	if (tell)
		tell_batch(count);
	memset(sh->fresh, 0, sizeof(sh->fresh));
	sh->at = 0;
	sh->bad = -1;
	pid = fork();
	if (pid < 0)
		die("fork");
	if (!pid)
		child(count);
	while (!waitpid(pid, &status, WNOHANG)) {
		nanosleep(&ms, NULL);
		if (sh->at != at) {
			at = sh->at;
			since = time(NULL);
		}
		if (time(NULL) - since < HANG_S)
			continue;
		tell_stacks(pid);
		kill(pid, SIGKILL);
		sleep(5);
		finding(waitpid(pid, NULL, WNOHANG) ? "no end, killed" : "no end, and cannot be killed",
			count);
	}
	runs += count;
	if (tainted())
		finding("the kernel has reported something", count);
	if (sh->bad >= 0)
		finding(sh->why, count);
	if (status)
		finding(WIFSIGNALED(status) ? "the child was killed by a signal" :
			"the child could not go on", count);
}

static void add(const struct input *in)
{
	if (ncorpus == CORPUS)
		return;
	corpus[ncorpus] = malloc(sizeof(*in));
	if (!corpus[ncorpus])
		die("malloc");
	memcpy(corpus[ncorpus++], in, sizeof(*in));
}

static void load_file(const char *path)
{
	static struct input in;
	int fd = open(path, O_RDONLY);
	ssize_t n;

	n = fd < 0 ? -1 : read(fd, in.p, sizeof(in.p));
	if (n < 0)
		die(path);
	close(fd);
	in.n = n;
	add(&in);
}

static int by_name(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static void load(const char *dir)
{
	static char *paths[CORPUS];
	char path[PATH_MAX];
	size_t n = 0, i;
	struct dirent *e;
	DIR *d = opendir(dir);

	while (d && (e = readdir(d))) {
		snprintf(path, sizeof(path), "%s/%s", dir, e->d_name);
		if (e->d_name[0] != '.' && n < CORPUS)
			paths[n++] = strdup(path);
	}
	if (d)
		closedir(d);
	qsort(paths, n, sizeof(paths[0]), by_name);
	for (i = 0; i < n; i++)
		load_file(paths[i]);
}

static void make(struct input *in)
{
	const struct input *other;
	unsigned int i;
	size_t cut;

	if (!ncorpus || !(in_random() % 12)) {
		in->n = target->generate(in->p);
		return;
	}
	/* Later inputs are harder to find: prefer them. */
	i = in_random() % 3 ? in_random() % ncorpus : ncorpus - 1 - in_random() % (1 + ncorpus / 8);
	memcpy(in, corpus[i], sizeof(*in));
	if (!(in_random() % 10)) {
		other = corpus[in_random() % ncorpus];
		cut = in->n ? in_random() % in->n : 0;
		in->n = cut + (other->n < IN_MAX - cut ? other->n : IN_MAX - cut);
		memcpy(in->p + cut, other->p, in->n - cut);
	}
	for (i = 1 << in_random() % 4; i; i--)
		in->n = target->mutate(in->p, in->n);
}

static void progress(time_t begin)
{
	printf("# %s: %ld s, %llu executions, %u edges, %u places, %zu inputs, %llu s in calls and %llu s in checks%s\n", target->name,
	       (long)(time(NULL) - begin), (unsigned long long)runs, sh->nedges, sh->nplaces, ncorpus,
	       (unsigned long long)(sh->run_ns / NSEC), (unsigned long long)(sh->check_ns / NSEC),
	       sh->full ? " (an input ran through more than is kept)" : "");
	fflush(stdout);
}

static void take_fresh(int count, bool keep)
{
	static unsigned int nr;
	char name[64];
	int i;

	for (i = 0; i < count && keep; i++) {
		if (!sh->fresh[i])
			continue;
		add(&sh->batch[i]);
		snprintf(name, sizeof(name), "in-%05u", nr++);
		save(name, &sh->batch[i]);
	}
}

static void fuzz(long seconds)
{
	time_t begin = time(NULL), told = begin;
	size_t i;
	int n;

	for (i = 0; i < ncorpus; i += n) {
		for (n = 0; n < BATCH && i + n < ncorpus; n++)
			sh->batch[n] = *corpus[i + n];
		run_batch(n, true);
	}
	while (time(NULL) - begin < seconds) {
		for (n = 0; n < BATCH; n++)
			make(&sh->batch[n]);
		run_batch(BATCH, true);
		take_fresh(BATCH, true);
		if (time(NULL) - told >= 60) {
			progress(begin);
			told = time(NULL);
		}
	}
	progress(begin);
}

/* Number of an input's edges that are not in the set; added if @take. */
static uint32_t gain(size_t i, uint8_t *have, bool take)
{
	uint32_t fresh = 0, k;

	sh->batch[0] = *corpus[i];
	run_batch(1, false);
	for (k = 0; k < sh->nlast; k++) {
		const uint32_t e = sh->last[k];

		if (have[e / 8] & 1 << e % 8)
			continue;
		if (take)
			have[e / 8] |= 1 << e % 8;
		fresh++;
	}
	return fresh;
}

/* Repeatedly take the input with most new edges. */
static void minimise(void)
{
	static uint8_t have[EDGES / 8];
	static uint32_t worth[CORPUS];
	const time_t end = time(NULL) + CHOOSE_S;
	size_t i, best, kept = 0;
	char name[64];

	snprintf(name, sizeof(name), "%s/new", out);
	mkdir(name, 0755);
	for (i = 0; i < ncorpus; i++)
		worth[i] = UINT32_MAX;
	while (kept < KEEP && ncorpus && time(NULL) < end) {
		/* The value of an input only decreases: recompute just the best one. */
		for (;;) {
			for (best = 0, i = 1; i < ncorpus; i++)
				if (worth[i] > worth[best])
					best = i;
			if (!worth[best])
				goto done;
			uint32_t now = gain(best, have, false);

			if (now >= worth[best] || !now)
				break;
			worth[best] = now;
			for (i = 0; i < ncorpus && worth[i] <= now; i++)
				;
			if (i == ncorpus)
				break;
		}
		worth[best] = 0;
		if (!gain(best, have, true))
			continue;
		snprintf(name, sizeof(name), "new/%02zu", kept++);
		save(name, corpus[best]);
	}
done:
	printf("# %zu of %zu inputs; %u edges, %u places\n", kept, ncorpus, sh->nedges, sh->nplaces);
}

int main(int argc, char **argv)
{
	const char *s = getenv("SEED");
	uint32_t seed;
	size_t i;
	FILE *f;

	if (argc < 4)
		return 2;
	target = !strcmp(argv[1], "device") ? &in_device :
		 !strcmp(argv[1], "netlink") ? &in_netlink : NULL;
	if (!target)
		return 2;
	in_thread = second_thread;
	seed = s && *s ? strtoul(s, NULL, 0) : (uint32_t)time(NULL);
	printf("# SEED=%u\n", seed);
	fflush(stdout);
	in_seed(seed);
	sh = mmap(NULL, sizeof(*sh), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (sh == MAP_FAILED)
		die("mmap");
	/* An oops is a finding and must not stop the machine. */
	dev_write_file("/proc/sys/kernel/panic_on_oops", "0");
	if (in_setup())
		return 2;
	kcov_open(&kcov[0]);
	kcov_open(&kcov[1]);
	if (!strcmp(argv[2], "replay")) {
		for (i = 3; i < (size_t)argc; i++) {
			load_file(argv[i]);
			sh->batch[0] = *corpus[ncorpus - 1];
			run_batch(1, true);
			printf("# %s: %u edges\n", argv[i], sh->nlast);
		}
		return 0;
	}
	out = argc > 4 ? argv[4] : ".";
	mkdir(out, 0755);
	load(argv[3]);
	if (strcmp(argv[2], "minimise"))
		fuzz(strtol(argv[2], NULL, 0));
	minimise();
	/* Places that were executed. */
	f = fopen("/out/places", "w");
	for (i = 0; f && i < PLACES; i++)
		if (sh->places[i])
			fprintf(f, "%llx\n", (unsigned long long)sh->places[i]);
	if (f)
		fclose(f);
	return 0;
}

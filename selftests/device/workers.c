// SPDX-License-Identifier: GPL-2.0-only
/* workers.c - programs that emit a given number of events with the library */
#include <endian.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include <devtrace.h>

#include "dev.h"
#include "workers.h"

#define PROGRAM	"DEVICE_WORKER"

struct shared *sh;
static int sh_fd = -1;

/* Without the check of the control page, so that each event is counted. */
static int emit(uint8_t type, uint32_t tag, uint32_t nr)
{
	struct {
		struct devtrace_emit e;
		uint8_t d[10];
	} __attribute__((packed)) ev = { .e = { .type = type } };

	tag = htole32(tag);
	nr = htole32(nr);
	ev.d[0] = DEVTRACE_E_U32;
	memcpy(ev.d + 1, &tag, 4);
	ev.d[5] = DEVTRACE_E_U32;
	memcpy(ev.d + 6, &nr, 4);
	return devtrace_emit_event(&ev.e, sizeof(ev));
}

static void *work(void *arg)
{
	const unsigned int i = (uintptr_t)arg;
	struct worker *w = &sh->w[i / THREADS][i % THREADS];

	if (w->lane && devtrace_lane(w->lane))
		_exit(1);
	w->tid = syscall(SYS_gettid);
	while (!sh->stop) {
		if (w->done == w->want) {
			dev_sleep_ms(1);
			continue;
		}
		if (emit(TYPE + i / THREADS, i, w->done))
			_exit(1);
		w->done++;
	}
	return NULL;
}

static void program(unsigned int p)
{
	pthread_t th[THREADS];
	uintptr_t i;

	for (i = 0; i < THREADS; i++)
		if (pthread_create(&th[i], NULL, work, (void *)(p * THREADS + i)))
			_exit(1);
	for (i = 0; i < THREADS; i++)
		pthread_join(th[i], NULL);
	_exit(0);
}

static int map_shared(void)
{
	sh = mmap(NULL, sizeof(*sh), PROT_READ | PROT_WRITE, MAP_SHARED, sh_fd, 0);
	return sh == MAP_FAILED ? -1 : 0;
}

/* For scripts. */
static void alone(void)
{
	uint32_t nr;

	for (nr = 0; !emit(TYPE, 0, nr); nr++)
		dev_sleep_ms(1);
	_exit(1);
}

/* Run as program if the environment asks for it; the library reads that only at its start. */
__attribute__((constructor))
static void perhaps_program(void)
{
	const char *s = getenv(PROGRAM);
	unsigned int p;

	if (!s)
		return;
	if (!strcmp(s, "alone"))
		alone();
	if (sscanf(s, "%u:%d", &p, &sh_fd) != 2 || p >= PROGRAMS || map_shared())
		_exit(1);
	program(p);
}

pid_t start(unsigned int p, bool lanes)
{
	char what[32];
	pid_t pid = fork();

	if (pid)
		return pid;
	snprintf(what, sizeof(what), "%u:%d", p, sh_fd);
	setenv(PROGRAM, what, 1);
	if (lanes)
		unsetenv("DEVTRACE_LANE");
	else
		setenv("DEVTRACE_LANE", "0", 1);
	execl("/proc/self/exe", "lanestat", NULL);
	_exit(1);
}

void go_on(unsigned int p, uint32_t more)
{
	int i;

	for (i = 0; i < THREADS; i++)
		sh->w[p][i].want += more;
}

bool finished(unsigned int p, pid_t pid)
{
	int i;

	for (i = 0; i < THREADS; i++)
		while (!sh->w[p][i].tid || sh->w[p][i].done != sh->w[p][i].want) {
			if (waitpid(pid, NULL, WNOHANG))
				return false;
			dev_sleep_ms(1);
		}
	return true;
}

uint64_t done_by(unsigned int p)
{
	uint64_t n = 0;
	int i;

	for (i = 0; i < THREADS; i++)
		n += sh->w[p][i].done;
	return n;
}

int workers_begin(void)
{
	sh_fd = memfd_create("shared", 0);
	return sh_fd < 0 || ftruncate(sh_fd, sizeof(*sh)) ? -1 : map_shared();
}

void workers_end(const pid_t pids[PROGRAMS])
{
	int i;

	for (i = 0; i < PROGRAMS; i++)
		if (pids[i] > 0)
			kill(pids[i], SIGKILL);
	while (wait(NULL) > 0)
		;
	munmap(sh, sizeof(*sh));
	close(sh_fd);
}

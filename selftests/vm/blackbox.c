// SPDX-License-Identifier: GPL-2.0-only
/*
 * blackbox.c - for test_blackbox, test_fall and test_last_goes: threads that emit until the
 * board goes down
 *
 *	blackbox TEXTS
 *	blackbox severe N
 *	blackbox names COUNT RENAMES
 *	blackbox kexec KERNEL INITRAMFS
 *	blackbox first PRIORITY PID
 *	blackbox first PRIORITY COMMAND...
 *
 * "severe" emits N exceptions, every fourth of them severe, and ends.
 *
 * Threads lane-0 to lane-2 emit into lanes with the library; thread call-3 writes lines to the
 * device, one system call each. After each hundred events, and after TEXTS, a thread prints how
 * many of its emits have returned. Then all wait for the end with their lanes unchanged; the
 * file /tmp/told reports this. Before that the program emits into a lane before a fork, in the
 * child, and after it.
 *
 * "names" names COUNT objects, renames the first quarter of them in turn, RENAMES times in all,
 * and emits a line under each of three names of its own.
 *
 * "kexec" boots another kernel with the present command line.
 *
 * "first" lets a thread or a command run at a real-time priority.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <linux/reboot.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <devtrace.h>

#define LANES	3
#define THREADS	4

static long texts;
static sem_t done;

static void *emit(void *arg)
{
	const int nr = (int)(long)arg;
	char name[32], line[64];
	int fd = -1, len;
	long n;

	snprintf(name, sizeof(name), "%s-%d", nr < LANES ? "lane" : "call", nr);
	prctl(PR_SET_NAME, name);
	if (nr >= LANES)
		fd = open("/dev/trace", O_WRONLY);
	for (n = 0; n < texts; n++) {
		if (nr < LANES) {
			devtrace_text("thread %d number %ld of the program", nr, n);
		} else {
			len = snprintf(line, sizeof(line), "thread %d number %ld of the program\n",
				       nr, n);
			if (write(fd, line, len) != len)
				abort();
		}
		if (n % 100 == 99) {
			/* A single write, so that lines stay whole. */
			len = snprintf(line, sizeof(line), "thread %d told %ld\n", nr, n + 1);
			if (write(1, line, len) != len)
				abort();
		}
		/* At a rate that suits the ring. */
		usleep(500);
	}
	sem_post(&done);
	/* Events not handed over stay in the lane. */
	for (;;)
		pause();
	return NULL;
}

/* A child does not have its parent's lane, and the parent keeps it. */
static int fork_once(void)
{
	int status = 1;
	pid_t pid;

	devtrace_text("before the child of the program");
	pid = fork();
	if (!pid) {
		devtrace_text("in the child of the program");
		_exit(0);
	}
	if (pid < 0 || waitpid(pid, &status, 0) != pid || status)
		return 1;
	devtrace_text("behind the child of the program");
	return 0;
}

/* One in four is severe. */
static int emit_severe(long nr)
{
	static const uint8_t severities[] = {
		DEVTRACE_SW0, DEVTRACE_SW3, DEVTRACE_HW1, DEVTRACE_SW1
	};
	long i;

	if (devtrace_open())
		return 1;
	for (i = 0; i < nr; i++)
		devtrace_exc(severities[i % 4], 0x5e, i);
	return 0;
}

static int give_names(long count, long renames)
{
	int fd = open("/dev/trace", O_WRONLY);
	char name[64];
	long i, nr, turn;

	for (i = 0; i < count + renames; i++) {
		nr = i < count ? i : (i - count) % (count / 4);
		turn = i < count ? 0 : 1 + (i - count) / (count / 4);
		snprintf(name, sizeof(name), "object-%ld-%ld-", nr, turn);
		if (devtrace_dict_obj(4096 + nr, name))
			return 1;
	}
	for (i = 1; i <= 3; i++) {
		snprintf(name, sizeof(name), "name-%ld", i);
		prctl(PR_SET_NAME, name);
		snprintf(name, sizeof(name), "called %ld\n", i);
		if (write(fd, name, strlen(name)) < 0)
			return 1;
	}
	close(open("/tmp/told", O_WRONLY | O_CREAT, 0600));
	for (;;)
		pause();
}

static int go_over(const char *kernel, const char *initramfs)
{
	const int kfd = open(kernel, O_RDONLY), ifd = open(initramfs, O_RDONLY);
	const int cfd = open("/proc/cmdline", O_RDONLY);
	char line[2048];
	const ssize_t len = read(cfd, line, sizeof(line) - 1);

	if (len <= 0)
		return 1;
	line[len - 1] = 0;
	if (syscall(SYS_kexec_file_load, kfd, ifd, (unsigned long)len, line, 0ul)) {
		perror("kexec_file_load");
		return 1;
	}
	syscall(SYS_reboot, LINUX_REBOOT_MAGIC1, LINUX_REBOOT_MAGIC2, LINUX_REBOOT_CMD_KEXEC,
		NULL);
	perror("reboot");
	return 1;
}

static int run_first(char **argv)
{
	const struct sched_param param = { .sched_priority = atoi(argv[0]) };
	const pid_t pid = atoi(argv[1]);

	if (sched_setscheduler(pid, SCHED_FIFO, &param))
		return 1;
	if (pid)
		return 0;
	execvp(argv[1], argv + 1);
	return 1;
}

int main(int argc, char **argv)
{
	pthread_t t[THREADS];
	long i;

	if (argc == 3 && !strcmp(argv[1], "severe"))
		return emit_severe(atol(argv[2]));
	if (argc == 4 && !strcmp(argv[1], "names"))
		return devtrace_open() || give_names(atol(argv[2]), atol(argv[3]));
	if (argc == 4 && !strcmp(argv[1], "kexec"))
		return go_over(argv[2], argv[3]);
	if (argc >= 4 && !strcmp(argv[1], "first"))
		return run_first(argv + 2);
	texts = argc > 1 ? atol(argv[1]) : 1000;
	if (devtrace_open() || sem_init(&done, 0, 0) || fork_once())
		return 1;
	for (i = 0; i < THREADS; i++)
		if (pthread_create(&t[i], NULL, emit, (void *)i))
			return 1;
	for (i = 0; i < THREADS; i++)
		while (sem_wait(&done))
			;
	/* The last event of the main thread, whose lane has room for it. */
	devtrace_named(devtrace_type("BLACK_BOX"), 17);
	close(open("/tmp/told", O_WRONLY | O_CREAT, 0600));
	for (;;)
		pause();
}

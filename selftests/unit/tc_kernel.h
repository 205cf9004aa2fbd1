/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * tc_kernel.h - tracectl with a simulated kernel
 *
 * The calls of libdevtrace-ctl are wrapped. The filter of stream 0 is in memory that the test
 * shares with each tracectl that it starts. A file may replace /dev/trace.
 */
#ifndef TC_KERNEL_H
#define TC_KERNEL_H

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include "kselftest_harness.h"

#define main tracectl_main
#include "../../tools/tracectl/main.c"
#undef main

#define SAVED	"# filter of trace; tracectl filter load\nall\n"

static struct {
	struct devtrace_filter f;
	uint32_t generation;
	uint32_t state;		/* of stream 0 */
	unsigned int asked;	/* number of requests for the dictionary */
	const char *refused;	/* error text of the next call; NULL: success */
	const char *noted;	/* warning of the next successful call, or NULL */
	const char *device;	/* file that replaces /dev/trace, or NULL */
	uint64_t now;		/* trace clock of the device; 0: not a device */
	const char *tracepoints;	/* names that can be added, or NULL */
	char added[15][64];	/* types from 176 on */
	unsigned int nr_added;
} *kernel;

int __real_open(const char *path, int flags, ...);
int __wrap_open(const char *path, int flags, ...);
int __real_ioctl(int fd, unsigned long request, ...);
int __wrap_ioctl(int fd, unsigned long request, void *arg);

struct devtrace_ctl *__wrap_devtrace_ctl_open(void);
void __wrap_devtrace_ctl_close(struct devtrace_ctl *ctl);
const char *__wrap_devtrace_ctl_error(const struct devtrace_ctl *ctl);
const char *__wrap_devtrace_ctl_warning(const struct devtrace_ctl *ctl);
int __wrap_devtrace_ctl_filter_get(struct devtrace_ctl *ctl, const char *stream,
				   struct devtrace_filter *f, uint32_t *generation);
int __wrap_devtrace_ctl_filter_set(struct devtrace_ctl *ctl, const char *stream,
				   const struct devtrace_filter *f, const uint32_t *generation);
int __wrap_devtrace_ctl_dict(struct devtrace_ctl *ctl, devtrace_dict_fn *fn, void *arg);
int __wrap_devtrace_ctl_profile_add(struct devtrace_ctl *ctl, const char *tracepoint);
int __wrap_devtrace_ctl_profiles(struct devtrace_ctl *ctl, devtrace_profile_fn *fn, void *arg);
int __wrap_devtrace_ctl_stream_get(struct devtrace_ctl *ctl, const char *name,
				   struct devtrace_ctl_stream *stream);
int __wrap_devtrace_ctl_stream_state(struct devtrace_ctl *ctl, const char *name,
				     enum devtrace_state state);
int __wrap_devtrace_ctl_stream_resize(struct devtrace_ctl *ctl, const char *name,
				      uint64_t size);
int __wrap_devtrace_ctl_trigger_arm(struct devtrace_ctl *ctl, const char *name, bool armed);
int __wrap_devtrace_ctl_monitor(struct devtrace_ctl *ctl);
int __wrap_devtrace_ctl_next(struct devtrace_ctl *ctl, struct devtrace_ctl_change *change);

struct devtrace_ctl *__wrap_devtrace_ctl_open(void)
{
	return (struct devtrace_ctl *)kernel;
}

void __wrap_devtrace_ctl_close(struct devtrace_ctl *ctl)
{
}

const char *__wrap_devtrace_ctl_error(const struct devtrace_ctl *ctl)
{
	return kernel->refused ? kernel->refused : "refused";
}

const char *__wrap_devtrace_ctl_warning(const struct devtrace_ctl *ctl)
{
	return kernel->noted ? kernel->noted : "";
}

int __wrap_devtrace_ctl_filter_get(struct devtrace_ctl *ctl, const char *stream,
				   struct devtrace_filter *f, uint32_t *generation)
{
	*f = kernel->f;
	if (generation)
		*generation = kernel->generation;
	return 0;
}

int __wrap_devtrace_ctl_filter_set(struct devtrace_ctl *ctl, const char *stream,
				   const struct devtrace_filter *f, const uint32_t *generation)
{
	kernel->f = *f;
	kernel->generation++;
	return 0;
}

/* Two programs have an object PUMP. */
int __wrap_devtrace_ctl_dict(struct devtrace_ctl *ctl, devtrace_dict_fn *fn, void *arg)
{
	static const struct devtrace_ctl_dict dict[] = {
		{ .kind = DEVTRACE_T_OBJ, .key = 257, .name = "metronome" },
		{ .kind = DEVTRACE_T_OBJ, .key = 7, .scope = 12, .name = "PUMP" },
		{ .kind = DEVTRACE_T_OBJ, .key = 9, .scope = 13, .name = "PUMP" },
		{ .kind = DEVTRACE_T_OBJ, .key = 0x12345678, .name = "faraway" },
		{ .kind = DEVTRACE_T_OBJ, .key = 3, .name = "ao" },
		{ .kind = DEVTRACE_T_OBJ, .key = 4, .name = "12" },
		{ .kind = DEVTRACE_T_SIG, .value = 4, .key = 257, .name = "TICK" },
		{ .kind = DEVTRACE_T_SIG, .value = 4, .key = 7, .name = "TICK" },
		{ .kind = DEVTRACE_T_USR, .value = 105, .name = "SAMPLE" },
		{ .kind = DEVTRACE_T_FUN, .key = 5, .name = "run" },
	};
	size_t i;

	kernel->asked++;
	for (i = 0; i < sizeof(dict) / sizeof(dict[0]); i++)
		fn(&dict[i], arg);
	return 0;
}

int __wrap_devtrace_ctl_profile_add(struct devtrace_ctl *ctl, const char *tracepoint)
{
	unsigned int i;

	if (!kernel->tracepoints || !strstr(kernel->tracepoints, tracepoint))
		return -ENOENT;
	for (i = 0; i < kernel->nr_added; i++)
		if (!strcmp(kernel->added[i], tracepoint))
			return -EEXIST;
	snprintf(kernel->added[kernel->nr_added++], 64, "%s", tracepoint);
	return 0;
}

int __wrap_devtrace_ctl_profiles(struct devtrace_ctl *ctl, devtrace_profile_fn *fn, void *arg)
{
	unsigned int i;

	for (i = 0; i < kernel->nr_added; i++) {
		struct devtrace_ctl_profile p = {
			.type = 176 + i, .available = true, .added = true,
		};

		snprintf(p.name, sizeof(p.name), "%s", kernel->added[i]);
		fn(&p, arg);
	}
	return 0;
}

int __wrap_devtrace_ctl_stream_get(struct devtrace_ctl *ctl, const char *name,
				   struct devtrace_ctl_stream *stream)
{
	if (kernel->refused)
		return -ENOENT;
	memset(stream, 0, sizeof(*stream));
	strcpy(stream->name, name);
	stream->state = kernel->state;
	return 0;
}

int __wrap_devtrace_ctl_stream_state(struct devtrace_ctl *ctl, const char *name,
				     enum devtrace_state state)
{
	if (kernel->refused)
		return -EINVAL;
	kernel->state = state;
	return 0;
}

int __wrap_devtrace_ctl_stream_resize(struct devtrace_ctl *ctl, const char *name,
				      uint64_t size)
{
	return kernel->refused ? -EINVAL : 0;
}

int __wrap_devtrace_ctl_trigger_arm(struct devtrace_ctl *ctl, const char *name, bool armed)
{
	return kernel->refused ? -ENOENT : 0;
}

int __wrap_devtrace_ctl_monitor(struct devtrace_ctl *ctl)
{
	return STDIN_FILENO;
}

/* Returns changes without end. */
int __wrap_devtrace_ctl_next(struct devtrace_ctl *ctl, struct devtrace_ctl_change *change)
{
	memset(change, 0, sizeof(*change));
	change->cmd = DEVTRACE_CMD_NTF_CLEAR;
	strcpy(change->u.stream.name, DEVTRACE_STREAM0);
	return 1;
}

int __wrap_open(const char *path, int flags, ...)
{
	va_list ap;
	int mode;

	va_start(ap, flags);
	mode = flags & O_CREAT ? va_arg(ap, int) : 0;
	va_end(ap);
	if (kernel && kernel->device && !strcmp(path, "/dev/trace"))
		path = kernel->device;
	return __real_open(path, flags, mode);
}

int __wrap_ioctl(int fd, unsigned long request, void *arg)
{
	if (request != DEVTRACE_IOC_STATS || !kernel->now)
		return __real_ioctl(fd, request, arg);
	((struct devtrace_stats *)arg)->now = kernel->now;
	return 0;
}

FIXTURE(tc) {
	char	dir[32];
	char	said[4096];	/* output of the last tracectl */
};

FIXTURE_SETUP(tc)
{
	kernel = mmap(NULL, sizeof(*kernel), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
		      -1, 0);
	ASSERT_NE(MAP_FAILED, (void *)kernel);
	devtrace_filter_all(&kernel->f);
	strcpy(self->dir, "/tmp/test_tc.XXXXXX");
	ASSERT_NE(NULL, mkdtemp(self->dir));
	ASSERT_EQ(0, chdir(self->dir));
}

/* Number of entries in the directory; @empty: remove them. */
static int entries(const char *path, bool empty)
{
	DIR *d = opendir(path);
	struct dirent *e;
	int n = 0;

	while (d && (e = readdir(d))) {
		if (!strcmp(e->d_name, ".") || !strcmp(e->d_name, ".."))
			continue;
		n++;
		if (empty)
			unlinkat(dirfd(d), e->d_name, 0);
	}
	if (d)
		closedir(d);
	return n;
}

FIXTURE_TEARDOWN(tc)
{
	entries(self->dir, true);
	EXPECT_EQ(0, rmdir(self->dir));
}

/* Start tracectl with these words, separated by blanks; *@out: its output. */
static pid_t start(const char *line, rlim_t file_size, int *out)
{
	char words[2048], *argv[128] = { "tracectl" };
	struct rlimit limit = { file_size, file_size };
	int argc = 1, fds[2];
	pid_t pid;
	char *w;

	if (strlen(line) >= sizeof(words) || pipe(fds))
		return -1;
	pid = fork();
	if (pid) {
		close(fds[1]);
		*out = fds[0];
		return pid;
	}
	signal(SIGXFSZ, SIG_IGN);
	setrlimit(RLIMIT_FSIZE, &limit);
	dup2(fds[1], STDOUT_FILENO);
	dup2(fds[1], STDERR_FILENO);
	close(fds[1]);
	strcpy(words, line);
	for (w = strtok(words, " "); w; w = strtok(NULL, " "))
		argv[argc++] = w;
	exit(tracectl_main(argc, argv));
}

/* Run it to its end; returns the status. */
static int limited(FIXTURE_DATA(tc) *self, const char *line, rlim_t file_size)
{
	int status = -1, out = -1;
	size_t len = 0;
	pid_t pid = start(line, file_size, &out);
	ssize_t n;

	while (len < sizeof(self->said) - 1 &&
	       (n = read(out, self->said + len, sizeof(self->said) - 1 - len)) > 0)
		len += (size_t)n;
	self->said[len] = '\0';
	close(out);
	waitpid(pid, &status, 0);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static int run_line(FIXTURE_DATA(tc) *self, const char *line)
{
	return limited(self, line, RLIM_INFINITY);
}

static void write_file(const char *path, const char *text)
{
	FILE *f = fopen(path, "w");

	if (f) {
		fputs(text, f);
		fclose(f);
	}
}

#endif /* TC_KERNEL_H */

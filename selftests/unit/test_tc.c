// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_tc.c - tracectl with a kernel that is none: what it makes of a filter, of the
 * files that it saves one or a stream in, and how the monitor ends
 *
 * The calls of libdevtrace-ctl are wrapped; the filter of stream 0 is in memory that
 * the test shares with each tracectl that it starts. A file stands for /dev/trace.
 */
#include <dirent.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include "kselftest_harness.h"
#include "common/device.h"
#include "teststream.h"

#define main tracectl_main
#include "../../tools/tracectl/main.c"
#undef main

static struct {
	struct devtrace_filter f;
	uint32_t generation;
	uint32_t state;		/* of stream 0 */
	unsigned int asked;	/* how often for its dictionary */
	const char *refused;	/* what it says of the next call; NULL: it is done */
	const char *noted;	/* what it says of one that is done; NULL: nothing */
	const char *device;	/* the file that is /dev/trace; NULL: that itself */
	uint64_t now;		/* of its trace clock; 0: it is no trace device */
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

/* PUMP is what two programs call an object of theirs. */
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

/* There is always one more. */
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
	char	said[4096];	/* by the last one */
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

/* How many entries the directory has; all of them are taken away with @empty. */
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

/* tracectl with these words, which blanks separate; *out: what it prints. */
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

/* To its end: the status. */
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

static const char *content(const char *path)
{
	static char text[4096];
	FILE *f = fopen(path, "r");
	size_t n = f ? fread(text, 1, sizeof(text) - 1, f) : 0;

	text[n] = '\0';
	if (f)
		fclose(f);
	return text;
}

/* What is wrong by itself ends with 2, what is wrong for this filter with 1. */
static const struct {
	const char *filter, *command;
	int status;
	const char *after;
} edits[] = {
	{ "all", "remove object=5", 0, "object=all,-5" },
	{ "object=5", "add object=7", 0, "object=5,7" },
	{ "object=5", "add object=none", 2, "object=5" },
	{ "all", "remove object=none", 2, "all" },
	{ "type=sm", "add type=none", 2, "type=sm" },
	{ "type=sm", "add type=ao,-none", 2, "type=sm" },
	{ "type=sm", "remove type=60", 2, "type=sm" },
	{ "type=sm", "remove type=58-61", 0, "type=sm" },
	{ "severity=hw2,sw3", "add severity=hw1", 0, "severity=hw1,sw3" },
	{ "severity=hw2,sw3", "add severity=3", 0, "severity=hw2,sw3" },
	{ "severity=hw2,sw3", "add severity=4", 2, "severity=hw2,sw3" },
	{ "all", "remove severity=hw2", 2, "all" },
	{ "severity=hw1", "remove severity=hw1 object=5", 2, "severity=hw1" },
	{ "all", "add process=a-name-of-sixteen", 2, "all" },
	{ "process=a,b", "add process=a-name-of-sixteen", 2, "process=a,b" },
	{ "process=a,b", "remove process=a-name-of-sixteen", 2, "process=a,b" },
	{ "process=a,b", "remove process=!a-name-of-sixteen", 2, "process=a,b" },
	{ "process=a,b", "add process=name-of-fifteen", 0, "process=a,b,name-of-fifteen" },
	{ "process=a,b", "remove process=c", 1, "process=a,b" },
	{ "process=a,b", "remove process=!c", 1, "process=a,b" },
	{ "process=!c", "remove process=!c", 0, "all" },
	{ "code=7", "remove code=7", 1, "code=7" },
	{ "major=7", "remove major=7", 1, "code=7" },
	{ "code=7:1", "remove code=7:1", 1, "code=7:1" },
	{ "code=7:1", "remove code=7", 1, "code=7:1" },
	{ "code=7:1,8", "remove code=7", 0, "code=8" },
	{ "code=7:1,8", "add code=7:2", 0, "code=8,7:1,7:2" },
	{ "code=7:1,8", "remove code=9:1", 1, "code=8,7:1" },
	{ "code=7", "remove code=7:1", 0, "code=7,!7:1" },
	{ "code=7,!7:1", "add code=7:1", 0, "code=7,7:1" },
	{ "code=!7:1,!7:2,!8:1", "add code=7", 0, "code=!8:1" },
	{ "code=!7", "add code=7:1", 1, "code=!7" },
	{ "all", "remove code=7:1", 0, "code=!7:1" },
	{ "code=!7:1", "remove code=!7:1", 0, "all" },
	{ "code=!7:1", "remove code=!7:2", 1, "code=!7:1" },
	{ "origin=user", "remove origin=user", 1, "origin=user" },
	{ "origin=user", "remove origin=kernel", 0, "origin=user" },
	{ "all", "remove origin=user,kernel", 2, "all" },
};

TEST_F(tc, filters_are_changed)
{
	char line[512];
	size_t i;

	for (i = 0; i < sizeof(edits) / sizeof(edits[0]); i++) {
		snprintf(line, sizeof(line), "filter set %s", edits[i].filter);
		ASSERT_EQ(0, run_line(self, line));
		snprintf(line, sizeof(line), "filter %s", edits[i].command);
		EXPECT_EQ(edits[i].status, run_line(self, line)) {
			TH_LOG("%s: %s", line, self->said);
		}
		EXPECT_EQ(!edits[i].status, !*self->said) {
			TH_LOG("%s: %s", line, self->said);
		}
		EXPECT_EQ(0, run_line(self, "--stream trace filter"));
		snprintf(line, sizeof(line), "trace: %s\n", edits[i].after);
		EXPECT_STREQ(line, self->said) {
			TH_LOG("%s", edits[i].command);
		}
	}
}

/* Names for numbers: of the dictionary, and of the format files. */
static const struct {
	const char *command;
	int status;
	const char *says;
} named[] = {
	{ "filter check object=metronome", 0, "object=257\n" },
	{ "filter check object=PUMP,100", 0, "object=7,9,100\n" },
	{ "filter check object=-PUMP", 0, "object=all,-7,-9\n" },
	{ "filter check signal=TICK", 0, "signal=4\n" },
	{ "filter check type=SAMPLE", 0, "type=105\n" },
	{ "filter check type=SPEED", 0, "type=110\n" },
	{ "filter check type=SCHED_SWITCH", 0, "type=sched_switch\n" },
	{ "filter check type=text,SPEED major=UART,7", 0, "type=text,110\ncode=0xa10,7\n" },
	{ "filter check major=!UART", 0, "code=!0xa10\n" },
	{ "filter check code=UART.OVERRUN", 0, "code=0xa10:1\n" },
	{ "filter check code=UART,!UART.OVERRUN", 0, "code=0xa10,!0xa10:1\n" },
	{ "filter check code=UART:7,UART.*", 0, "code=0xa10,0xa10:7\n" },
	{ "filter check code=UART:256", 2,
	  "tracectl: filter check: 'UART:256' is no code: write MAJOR or MAJOR:MINOR, up to 16777215 and 255, a name of the format files as UART or UART.OVERRUN, or ! and one\n" },
	{ "filter check code=UART.ELSE", 2,
	  "tracectl: filter check: no code UART.ELSE in the format files: write MAJOR or MAJOR:MINOR, up to 16777215 and 255, a name of the format files as UART or UART.OVERRUN, or ! and one\n" },
	{ "filter check code=UART.OVERRUM", 2,
	  "tracectl: filter check: no code UART.OVERRUM in the format files; did you mean UART.OVERRUN?\n" },
	{ "filter check type=UART.OVERRUN", 2,
	  "tracectl: filter check: 'UART.OVERRUN' is the name of a code, not of a type: write it behind code=\n" },
	{ "filter check type=UART.*", 2,
	  "tracectl: filter check: 'UART.*' is the name of a code, not of a type: write it behind code=\n" },
	{ "filter check object=ao", 0, "object=ao\n" },
	{ "filter check object=\"ao\"", 0, "object=3\n" },
	{ "filter check object=\"12\"", 0, "object=4\n" },
	{ "filter check object=PUMPP", 2,
	  "tracectl: filter check: no object PUMPP in the dictionary; did you mean PUMP?\n" },
	{ "filter check object=pump", 2,
	  "tracectl: filter check: no object pump in the dictionary; did you mean PUMP?\n" },
	{ "filter check object=TICK", 2,
	  "tracectl: filter check: no object TICK in the dictionary: write 0 to 65535, a range, ao ep eq ap all none, or a name that 'tracectl dict' tells\n" },
	{ "filter check object=faraway", 2,
	  "tracectl: filter check: no object faraway in the dictionary: write 0 to 65535, a range, ao ep eq ap all none, or a name that 'tracectl dict' tells\n" },
	{ "filter check object=\"nowhere\"", 2,
	  "tracectl: filter check: no object nowhere in the dictionary\n" },
	{ "filter check signal=TOCK", 2,
	  "tracectl: filter check: no signal TOCK in the dictionary; did you mean TICK?\n" },
	{ "filter check type=XSAMPLE", 2,
	  "tracectl: filter check: no type XSAMPLE in the format files or the dictionary; did you mean SAMPLE?\n" },
	{ "filter check type=SPED", 2,
	  "tracectl: filter check: no type SPED in the format files or the dictionary; did you mean SPEED?\n" },
	{ "filter check major=UATR", 2,
	  "tracectl: filter check: no code UATR in the format files; did you mean UART?\n" },
	{ "trigger add t when object=PUMPP do freeze", 2,
	  "tracectl: trigger add: no object PUMPP in the dictionary; did you mean PUMP?\n" },
	{ "stream add s 64K signal=TOCK", 2,
	  "tracectl: stream add: no signal TOCK in the dictionary; did you mean TICK?\n" },
};

TEST_F(tc, names_for_numbers)
{
	size_t i;

	write_file("f.fmt", "record 110 SPEED (u32 v) \"v %u\"\n"
		   "major 0xA10 UART { minor 1 OVERRUN \"o\" minor * ELSE \"e\" }\n");
	setenv("DEVTRACE_FMT_PATH", self->dir, 1);
	for (i = 0; i < sizeof(named) / sizeof(named[0]); i++) {
		kernel->asked = 0;
		EXPECT_EQ(named[i].status, run_line(self, named[i].command)) {
			TH_LOG("%s", named[i].command);
		}
		EXPECT_STREQ(named[i].says, self->said) {
			TH_LOG("%s", named[i].command);
		}
		EXPECT_GE(1, kernel->asked);
	}
	/* And in a filter that is set, edited, and loaded. */
	EXPECT_EQ(0, run_line(self, "filter set object=PUMP"));
	kernel->asked = 0;
	EXPECT_EQ(0, run_line(self, "filter add object=metronome,PUMP"));
	EXPECT_EQ(1, kernel->asked);
	EXPECT_EQ(0, run_line(self, "--stream trace filter"));
	EXPECT_STREQ("trace: object=7,9,257\n", self->said);
	write_file("f", "signal=TICK\n");
	EXPECT_EQ(0, run_line(self, "filter load f"));
	EXPECT_EQ(0, run_line(self, "--stream trace filter"));
	EXPECT_STREQ("trace: signal=4\n", self->said);
	write_file("f", "signal=TICKS\n");
	EXPECT_EQ(1, run_line(self, "filter load f"));
	EXPECT_STREQ("tracectl: filter load: f:1: no signal TICKS in the dictionary; did you mean TICK?\n",
		     self->said);
	/* Without a name nobody is asked. */
	kernel->asked = 0;
	EXPECT_EQ(0, run_line(self, "filter set object=5 type=sm major=7"));
	EXPECT_EQ(0, kernel->asked);
}

/* Terms that an event may meet one day, and none does today. */
TEST_F(tc, what_is_not_there_today_is_noted)
{
	static const struct {
		const char *terms, *note;
	} t[] = {
		{ "code=0x4b4601,0x4b4607:1",
		  "these codes are those of the kernel's own faults, which do not pass: add type=faults" },
		{ "code=0x4b4601,7", NULL },
		{ "code=0x4b4601 type=faults", NULL },
		{ "code=!0x4b4601", NULL },
		{ "process=2147483646", "there is no such process or thread at present" },
		{ "process=2147483646,1", NULL },
		{ "process=2147483646,nobody-has-it", NULL },
		{ "cpu=60000-65535", "none of these CPUs is online" },
		{ "cpu=0-65535", NULL },
	};
	char line[256], says[256];
	size_t i;

	for (i = 0; i < sizeof(t) / sizeof(t[0]); i++) {
		snprintf(line, sizeof(line), "filter set %s", t[i].terms);
		snprintf(says, sizeof(says), "tracectl: filter set: note: %s\n",
			 t[i].note ? t[i].note : "");
		EXPECT_EQ(0, run_line(self, line));
		EXPECT_STREQ(t[i].note ? says : "", self->said) {
			TH_LOG("%s", line);
		}
	}
}

/* More ranges than there can be, if they were taken from everything. */
TEST_F(tc, many_ranges_of_what_does_not_pass)
{
	char line[1024] = "filter remove object=201";
	int i;

	for (i = 203; i < 400; i += 2)
		sprintf(line + strlen(line), ",%d", i);
	ASSERT_EQ(0, run_line(self, "filter set object=ao"));
	EXPECT_EQ(0, run_line(self, line)) {
		TH_LOG("%s", self->said);
	}
	ASSERT_EQ(0, run_line(self, "filter set all"));
	EXPECT_EQ(1, run_line(self, line));
	EXPECT_STREQ("tracectl: filter remove: '327' makes more than 64 ranges\n", self->said);
}

#define SAVED	"# filter of trace; tracectl filter load\nall\n"

/* A file that cannot be written stays, and nothing else is left behind. */
TEST_F(tc, save_that_fails_changes_nothing)
{
	write_file("f", "type=sm\n");
	EXPECT_EQ(1, limited(self, "filter save f", 4));
	EXPECT_STREQ("tracectl: filter save: f: File too large\n", self->said);
	EXPECT_STREQ("type=sm\n", content("f"));
	EXPECT_EQ(1, limited(self, "filter save new", 4));
	EXPECT_EQ(1, entries(".", false));
	EXPECT_EQ(1, run_line(self, "filter save nowhere/f"));
	EXPECT_STREQ("tracectl: filter save: nowhere/f: No such file or directory\n", self->said);
	EXPECT_EQ(1, run_line(self, "filter save ."));
	EXPECT_STREQ("tracectl: filter save: .: Is a directory\n", self->said);
	EXPECT_EQ(1, run_line(self, "filter save /dev/full"));
	EXPECT_STREQ("tracectl: filter save: /dev/full: No space left on device\n", self->said);
	EXPECT_EQ(1, entries(".", false));
}

TEST_F(tc, save_replaces_files)
{
	struct stat st;

	umask(027);
	EXPECT_EQ(0, run_line(self, "filter save new"));
	EXPECT_STREQ(SAVED, content("new"));
	ASSERT_EQ(0, stat("new", &st));
	EXPECT_EQ(0640, st.st_mode & 07777);
	/* Longer than what comes. */
	write_file("f", "type=sm,ao,eq,mp,te,qf,sc,sem,mtx,user,user0,user1,user2,user3,user4,exc,text\n");
	ASSERT_EQ(0, chmod("f", 0604));
	EXPECT_EQ(0, run_line(self, "filter save f"));
	EXPECT_STREQ("", self->said);
	EXPECT_STREQ(SAVED, content("f"));
	ASSERT_EQ(0, stat("f", &st));
	EXPECT_EQ(0604, st.st_mode & 07777);
	/* What a link leads to, not the link. */
	write_file("f", "type=sm\n");
	ASSERT_EQ(0, symlink("f", "link"));
	EXPECT_EQ(0, run_line(self, "filter save ./link"));
	EXPECT_STREQ(SAVED, content("f"));
	ASSERT_EQ(0, lstat("link", &st));
	EXPECT_TRUE(S_ISLNK(st.st_mode));
	ASSERT_EQ(0, unlink("f"));
	EXPECT_EQ(0, run_line(self, "filter save link"));
	EXPECT_STREQ(SAVED, content("f"));
	EXPECT_EQ(3, entries(".", false));
}

/* What is no regular file stays what it is. */
TEST_F(tc, save_into_other_files)
{
	char text[sizeof(SAVED)] = "";
	struct stat st;
	int fd;

	EXPECT_EQ(0, run_line(self, "filter save"));
	EXPECT_STREQ(SAVED, self->said);
	EXPECT_EQ(0, run_line(self, "filter save /dev/stdout"));
	EXPECT_STREQ(SAVED, self->said);
	ASSERT_EQ(0, lstat("/dev/stdout", &st));
	EXPECT_TRUE(S_ISLNK(st.st_mode));
	EXPECT_EQ(0, run_line(self, "filter save /dev/null"));
	ASSERT_EQ(0, stat("/dev/null", &st));
	EXPECT_TRUE(S_ISCHR(st.st_mode));
	ASSERT_EQ(0, mkfifo("fifo", 0600));
	fd = open("fifo", O_RDWR);
	ASSERT_LE(0, fd);
	EXPECT_EQ(0, run_line(self, "filter save fifo"));
	EXPECT_EQ(sizeof(SAVED) - 1, read(fd, text, sizeof(text) - 1));
	EXPECT_STREQ(SAVED, text);
	EXPECT_EQ(1, entries(".", false));
	close(fd);
}

static void lost(struct stream *s, unsigned int cause, uint64_t count)
{
	struct body b = { .len = 0 };

	body_int(&b, 0, 2);
	body_int(&b, cause, 1);
	body_int(&b, 0, 1);
	body_int(&b, count, 8);
	body_int(&b, s->ts, 8);
	body_int(&b, s->ts, 8);
	stream_frame(s, DEVTRACE_T_LOST, b.bytes, b.len);
}

/* What was missed while nobody wanted it is not what the reader came too late for. */
TEST_F(tc, a_stream_is_saved)
{
	struct stream s;
	FILE *f;
	int i;

	stream_init(&s, DEVTRACE_CHECK_CRC32);
	stream_info(&s, DEVTRACE_INFO_OPEN);
	for (i = 0; i < 3; i++)
		stream_number(&s, (uint32_t)i);
	kernel->device = "device";
	kernel->now = s.ts;
	for (i = 0; i < 3; i++) {
		if (i)
			lost(&s, i == 1 ? DEVTRACE_LOST_STOPPED : DEVTRACE_LOST_OVERWRITTEN, 7);
		f = fopen("device", "w");
		ASSERT_NE(NULL, f);
		ASSERT_EQ(1, fwrite(s.bytes, s.len, 1, f));
		fclose(f);
		EXPECT_EQ(0, run_line(self, "save saved"));
		EXPECT_TRUE(!strncmp(self->said, "saved: 3 events, ", 17) &&
			    !strcmp(strchr(self->said, ';'),
				    !i ? "; none lost before they were read\n" :
				    i == 1 ? "; none lost before they were read, 7 missed while the stream was stopped\n" :
				    "; 7 lost before they were read, 7 missed while the stream was stopped\n")) {
			TH_LOG("%s", self->said);
		}
	}
	EXPECT_EQ(0, run_line(self, "--json save saved"));
	EXPECT_TRUE(strstr(self->said, ",\"events\":3,\"lost\":7,\"missed\":7}\n") != NULL) {
		TH_LOG("%s", self->said);
	}
	/* What came after the beginning ends it, and is not counted. */
	s.ts = kernel->now + 1000000;
	stream_number(&s, 3);
	f = fopen("device", "w");
	ASSERT_NE(NULL, f);
	ASSERT_EQ(1, fwrite(s.bytes, s.len, 1, f));
	fclose(f);
	EXPECT_EQ(0, run_line(self, "save saved"));
	EXPECT_TRUE(!strncmp(self->said, "saved: 3 events, ", 17)) {
		TH_LOG("%s", self->said);
	}
	stream_free(&s);
}

TEST_F(tc, a_stream_is_saved_in_a_file)
{
	kernel->device = "device";
	kernel->now = 1;
	write_file("device", "");
	EXPECT_EQ(1, run_line(self, "save ."));
	EXPECT_STREQ("tracectl: save: .: Is a directory (name a file in it)\n", self->said);
	EXPECT_EQ(1, run_line(self, "save /dev/null"));
	EXPECT_STREQ("tracectl: save: /dev/null: Illegal seek (it is no regular file; write to it with traceinfo --raw)\n",
		     self->said);
}

#define MADE_BY_A_SHELL	"a regular file and no trace device, as a shell makes it that writes there before the module is loaded; remove it, and load the module devtrace again"

/* It is to be removed where it is in the way, and nowhere else. */
TEST_F(tc, a_file_where_the_device_should_be)
{
	kernel->device = "device";
	write_file("device", "hello\n");
	EXPECT_EQ(1, run_line(self, "save saved"));
	EXPECT_STREQ("tracectl: save: /dev/trace: " MADE_BY_A_SHELL "\n", self->said);
	kernel->device = "/dev/null";
	EXPECT_EQ(1, run_line(self, "save saved"));
	EXPECT_STREQ("tracectl: save: /dev/trace: Inappropriate ioctl for device (is it a trace device?)\n",
		     self->said);
	EXPECT_STREQ(MADE_BY_A_SHELL, device_no_file("/dev/trace-faults"));
	EXPECT_EQ(NULL, strstr(device_no_file("/etc/passwd"), "remove"));
	EXPECT_EQ(NULL, strstr(device_no_file("/dev/shm/saved"), "remove"));
	EXPECT_EQ(NULL, strstr(device_no_file("trace"), "remove"));
}

/* An empty file is one that something went wrong with. */
TEST_F(tc, load_wants_a_term)
{
	ASSERT_EQ(0, run_line(self, "filter set object=5"));
	write_file("f", "");
	EXPECT_EQ(1, run_line(self, "filter load f"));
	EXPECT_STREQ("tracectl: filter load: f: has no TERM; 'all' alone lets everything pass\n",
		     self->said);
	write_file("f", "# filter of trace; tracectl filter load\n\n");
	EXPECT_EQ(1, run_line(self, "filter load f"));
	EXPECT_EQ(0, run_line(self, "--stream trace filter"));
	EXPECT_STREQ("trace: object=5\n", self->said);
	write_file("f", SAVED);
	EXPECT_EQ(0, run_line(self, "filter load f"));
	EXPECT_EQ(0, run_line(self, "--stream trace filter"));
	EXPECT_STREQ("trace: all\n", self->said);
}

#define FROZEN	"the stream is frozen; thaw it first: tracectl stream thaw "

/* Whoever froze it wants what is in it: only a thaw is a decision to give that up. */
TEST_F(tc, frozen_streams_are_thawed_first)
{
	kernel->state = DEVTRACE_STATE_FROZEN;
	EXPECT_EQ(1, run_line(self, "stream start trace"));
	EXPECT_STREQ("tracectl: stream start: trace: " FROZEN "trace\n", self->said);
	EXPECT_EQ(1, run_line(self, "--stream trace stream stop"));
	EXPECT_STREQ("tracectl: stream stop: trace: " FROZEN "trace\n", self->said);
	EXPECT_EQ(DEVTRACE_STATE_FROZEN, kernel->state);
	EXPECT_EQ(0, run_line(self, "stream freeze trace"));
	EXPECT_EQ(0, run_line(self, "stream thaw trace"));
	EXPECT_EQ(DEVTRACE_STATE_STOPPED, kernel->state);
	EXPECT_EQ(0, run_line(self, "stream start trace"));
	EXPECT_EQ(DEVTRACE_STATE_RUNNING, kernel->state);
	EXPECT_EQ(0, run_line(self, "stream stop trace"));
	EXPECT_EQ(DEVTRACE_STATE_STOPPED, kernel->state);
}

/* What the kernel says, as it says it, and what its user reads. */
static const struct {
	const char *kernel, *command, *user;
} refusals[] = {
	{ "stream is not known: stream-get lists those that are", "stream start x",
	  "stream start: x: there is no such stream; see 'tracectl stream list'" },
	{ "trigger is not known: trigger-get lists those that are", "trigger arm x",
	  "trigger arm: x: there is no such trigger; see 'tracectl trigger list'" },
	{ "stream is frozen and keeps what it has: set its state to 1, stopped, first",
	  "stream resize x 2K", "stream resize: x: " FROZEN "x" },
	{ "size must be from 1024 to 2147483648: bytes of ring for each CPU",
	  "stream resize x 3G",
	  "stream resize: x: the SIZE must be from 1K to 2G: the ring of each CPU has that" },
	/* of a module before it had policies */
	{ "size must be a u64 from 1024 to 2147483648: bytes of ring for each CPU",
	  "stream resize x 3G",
	  "stream resize: x: the SIZE must be from 1K to 2G: the ring of each CPU has that" },
	{ "stream is there already: remove it first, or take another name", "stream resize x 2K",
	  "stream resize: x: there is such a stream already; take another name, or remove it first: tracectl stream del x" },
	{ "pids must be an array of at most 64 u32 up to 4194303", "stream resize x 2K",
	  "stream resize: x: the number of a process is from 0 to 4194303" },
	{ "filter.pids: not-pids must be an array of at most 64 u32 up to 4194303",
	  "stream resize x 2K",
	  "stream resize: x: the number of a process is from 0 to 4194303" },
	{ "tracepoint is not added: profile-get lists those that are", "stream resize x 2K",
	  "stream resize: x: it is not added; see 'tracectl profile list'" },
	{ "generation is no longer that of the filter: somebody changed it; get it again",
	  "stream resize x 2K", "stream resize: x: others change this filter all the time; try again" },
	/* As it is, where it is not about netlink. */
	{ "size is more than there is memory for, on all CPUs: ask for less", "stream resize x 2G",
	  "stream resize: x: size is more than there is memory for, on all CPUs: ask for less" },
};

TEST_F(tc, refusals_in_the_words_of_the_command_line)
{
	char line[512];
	size_t i;
	FILE *f;

	for (i = 0; i < sizeof(refusals) / sizeof(refusals[0]); i++) {
		kernel->refused = refusals[i].kernel;
		EXPECT_EQ(1, run_line(self, refusals[i].command));
		snprintf(line, sizeof(line), "tracectl: %s\n", refusals[i].user);
		EXPECT_STREQ(line, self->said);
	}
	/* Whatever names a request of netlink is in the table. */
	f = popen("cd " TOP_DIR " && grep -oh '\"[^\"]*-get [^\"]*' kmod/control/*.c | tr -d '\"'", "r");
	ASSERT_NE(NULL, f);
	for (i = 0; fgets(line, sizeof(line), f); i++) {
		char said[512];

		in_words(said, sizeof(said), line, "x");
		EXPECT_EQ(NULL, strstr(said, "-get ")) {
			TH_LOG("%s", said);
		}
	}
	EXPECT_LE(4, i);
	EXPECT_EQ(0, pclose(f));
	kernel->refused = NULL;
	kernel->noted = "some types are not available in this kernel; skipped: profile-get tells which";
	EXPECT_EQ(0, run_line(self, "filter set type=200"));
	EXPECT_STREQ("tracectl: filter set: note: some types are not available in this kernel; skipped; see 'tracectl profile list'\n",
		     self->said);
	/* Each of the table is what the module says somewhere, or the library has an attribute. */
	for (i = 0; i < NR(sentences); i++) {
		const char *k = sentences[i].kernel, *rule = strstr(k, " must be");

		/* Where an attribute must be something that is put together at run time. */
		snprintf(line, sizeof(line), "cd %s && cat kmod/control/*.c lib/ctl/ctl_attr.c tools/tracectl/stream.c | grep -q '\"%.*s'",
			 TOP_DIR, (int)(rule ? rule - k : strlen(k)), k);
		EXPECT_EQ(0, system(line)) {
			TH_LOG("%s", sentences[i].kernel);
		}
	}
}

/* The letter that ps(1) prints for what a process does. */
static char state(pid_t pid)
{
	char path[32], c = '?';
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	f = fopen(path, "r");
	if (f) {
		if (fscanf(f, "%*d %*[^)]) %c", &c) != 1)
			c = '?';
		fclose(f);
	}
	return c;
}

/* Half a minute is forever. */
static bool await_state(pid_t pid, int out, char c)
{
	int tries, n;

	for (tries = 0; tries < 3000; tries++) {
		/* What writes and sleeps waits for a reader. */
		if (state(pid) == c && (out < 0 || (!ioctl(out, FIONREAD, &n) && n > 32768)))
			return true;
		usleep(10000);
	}
	return false;
}

TEST_F(tc, monitor_ends_though_nobody_reads)
{
	static const int signals[] = { SIGINT, SIGTERM };
	int i, out, status;
	char text[4096];
	ssize_t n;
	pid_t pid;

	for (i = 0; i < 2; i++) {
		pid = start("monitor", RLIM_INFINITY, &out);
		ASSERT_LT(0, pid);
		EXPECT_TRUE(await_state(pid, out, 'S'));
		kill(pid, signals[i]);
		EXPECT_TRUE(await_state(pid, -1, 'Z'));
		kill(pid, SIGKILL);
		ASSERT_EQ(pid, waitpid(pid, &status, 0));
		EXPECT_TRUE(WIFEXITED(status));
		EXPECT_EQ(1, WEXITSTATUS(status));
		close(out);
		/* Who goes on to read gets what there is, in whole lines. */
		pid = start("monitor", RLIM_INFINITY, &out);
		EXPECT_TRUE(await_state(pid, out, 'S'));
		kill(pid, signals[i]);
		while ((n = read(out, text, sizeof(text))) > 0)
			status = text[n - 1];
		EXPECT_EQ('\n', status);
		ASSERT_EQ(pid, waitpid(pid, &status, 0));
		EXPECT_EQ(0, status);
		close(out);
	}
}

TEST_HARNESS_MAIN

// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_tc.c - tracectl with a simulated kernel: saved filters and streams, messages for the
 * kernel's errors, and the end of the monitor
 *
 * tc_kernel.h simulates the kernel. A file replaces /dev/trace. test_tc_filter.c tests filters.
 */
#include <dirent.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include "kselftest_harness.h"
#include "common/device.h"
#include "teststream.h"
#include "tc_kernel.h"

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

/* A file that cannot be written stays as it is, and no other is left. */
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
	/* Longer than the new contents. */
	write_file("f", "type=sm,ao,eq,mp,te,qf,sc,sem,mtx,user,user0,user1,user2,user3,user4,exc,text\n");
	ASSERT_EQ(0, chmod("f", 0604));
	EXPECT_EQ(0, run_line(self, "filter save f"));
	EXPECT_STREQ("", self->said);
	EXPECT_STREQ(SAVED, content("f"));
	ASSERT_EQ(0, stat("f", &st));
	EXPECT_EQ(0604, st.st_mode & 07777);
	/* The target of a link is written, not the link. */
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

/* A file that is not regular is not replaced. */
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

/* Events missed without a reader are separate from those that the reader lost. */
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
	/* An event newer than the start ends the saving and is not counted. */
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
	EXPECT_STREQ("tracectl: save: /dev/null: Illegal seek (it is not a regular file; write to it with traceinfo --raw)\n",
		     self->said);
}

#define MADE_BY_A_SHELL	"a regular file, not a trace device: a program wrote to this path before the module was loaded; remove the file, and load the module devtrace again"

/* The advice to remove it is given only where it replaces the device. */
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

#define FROZEN	"the stream is frozen; thaw it first: tracectl stream thaw "

/* The contents of a frozen stream matter to its user: only a thaw gives them up. */
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

/* tracectl adds the tracepoints of buses that the kernel has, and turns their types on. */
TEST_F(tc, buses_are_added_and_on)
{
	unsigned int i;

	EXPECT_EQ(1, run_line(self, "profile buses"));
	EXPECT_STREQ("tracectl: profile: buses: this kernel has no tracepoint of I2C, SPI, GPIO, regmap or MDIO\n",
		     self->said);
	EXPECT_EQ(1, run_line(self, "profile -buses"));
	EXPECT_STREQ("tracectl: profile: buses: no tracepoint of a bus has been added; add them with 'tracectl profile buses'\n",
		     self->said);
	kernel->tracepoints = "i2c:i2c_write i2c:i2c_result gpio:gpio_value";
	EXPECT_EQ(2, run_line(self, "profile buses no_such_event"));
	EXPECT_EQ(0, kernel->nr_added);
	/* Once more is no mistake. */
	for (i = 0; i < 2; i++) {
		EXPECT_EQ(0, run_line(self, "profile buses"));
		EXPECT_EQ(3, kernel->nr_added) {
			TH_LOG("%s", self->said);
		}
		EXPECT_TRUE(devtrace_filter_is_type(&kernel->f, 176));
		EXPECT_TRUE(devtrace_filter_is_type(&kernel->f, 178));
		EXPECT_FALSE(devtrace_filter_is_type(&kernel->f, 179));
	}
	EXPECT_EQ(0, run_line(self, "profile -buses"));
	EXPECT_FALSE(devtrace_filter_is_type(&kernel->f, 176));
	EXPECT_FALSE(devtrace_filter_is_type(&kernel->f, 178));
}

/* The kernel's error texts, and tracectl's. */
static const struct {
	const char *kernel, *command, *user;
} refusals[] = {
	{ "stream is not known: stream-get lists the streams", "stream start x",
	  "stream start: x: no such stream; see 'tracectl stream list'" },
	{ "trigger is not known: trigger-get lists the triggers", "trigger arm x",
	  "trigger arm: x: no such trigger; see 'tracectl trigger list'" },
	{ "stream is frozen and keeps its events: first set its state to 1 (stopped)",
	  "stream resize x 2K", "stream resize: x: " FROZEN "x" },
	{ "size must be from 1024 to 2147483648: bytes of ring for each CPU",
	  "stream resize x 3G",
	  "stream resize: x: the SIZE of each CPU's ring must be from 1K to 2G" },
	/* from a module without netlink policies */
	{ "size must be a u64 from 1024 to 2147483648: bytes of ring for each CPU",
	  "stream resize x 3G",
	  "stream resize: x: the SIZE of each CPU's ring must be from 1K to 2G" },
	{ "stream exists already: remove it first, or choose another name", "stream resize x 2K",
	  "stream resize: x: this stream exists already; choose another name, or remove it first: tracectl stream del x" },
	{ "pids must be an array of at most 64 u32 up to 4194303", "stream resize x 2K",
	  "stream resize: x: the id of a process is from 0 to 4194303" },
	{ "filter.pids: not-pids must be an array of at most 64 u32 up to 4194303",
	  "stream resize x 2K",
	  "stream resize: x: the id of a process is from 0 to 4194303" },
	{ "tracepoint is not added: profile-get lists the added ones", "stream resize x 2K",
	  "stream resize: x: this tracepoint has not been added; see 'tracectl profile list'" },
	{ "generation is outdated: another process changed the filter; get the filter again",
	  "stream resize x 2K", "stream resize: x: other processes keep changing this filter; try again" },
	/* Unchanged if it does not concern netlink. */
	{ "size needs more memory, for all CPUs together, than there is: ask for less", "stream resize x 2G",
	  "stream resize: x: size needs more memory, for all CPUs together, than there is: ask for less" },
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
	/* Each text that names a netlink request has an entry. */
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
	kernel->noted = "types that this kernel does not have were skipped: profile-get tells which";
	EXPECT_EQ(0, run_line(self, "filter set type=200"));
	EXPECT_STREQ("tracectl: filter set: note: types that this kernel does not have were skipped; see 'tracectl profile list'\n",
		     self->said);
	/* Each entry matches a text of the module, or an attribute of the library. */
	for (i = 0; i < NR(sentences); i++) {
		const char *k = sentences[i].kernel, *rule = strstr(k, " must be");

		/* Texts about ranges are composed at run time. */
		snprintf(line, sizeof(line), "cd %s && cat kmod/control/*.c lib/ctl/ctl_attr.c tools/tracectl/stream.c | grep -q '\"%.*s'",
			 TOP_DIR, (int)(rule ? rule - k : strlen(k)), k);
		EXPECT_EQ(0, system(line)) {
			TH_LOG("%s", sentences[i].kernel);
		}
	}
}

/* The state of a process, as ps(1) prints it. */
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

/* Half a minute is long enough. */
static bool await_state(pid_t pid, int out, char c)
{
	int tries, n;

	for (tries = 0; tries < 3000; tries++) {
		/* A sleeping writer waits for a reader. */
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
		/* A reader that continues gets the rest, in whole lines. */
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

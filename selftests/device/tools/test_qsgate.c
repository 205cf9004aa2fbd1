// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_qsgate.c - qsgate between a program with the real device and its hosts
 *
 * Each request goes to the program by its receive channel; each reply comes through its lane,
 * /dev/trace and qsgate, in order. selftests/unit compares the contents; this test has a gate
 * that follows the device, a program that waits with events in a lane not handed over, and two
 * hosts.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <devtrace-rx.h>
#include "qs_port.h"
#include "qs_pkg.h"
#include "kselftest_harness.h"
#include "dev.h"

#define HANG_MS	120000		/* timeout, reached only by a hang */

static struct {
	uint32_t speed, load;
} motor = { 1500, 77 };
static bool done;

static void state(void)
{
}

static void command(void *arg, uint8_t id, uint32_t p1, uint32_t p2, uint32_t p3)
{
	done = id == 99;
	QS_BEGIN_PRE(QS_QEP_DISPATCH, 1)
		QS_SIG_PRE(id);
		QS_OBJ_PRE(&motor);
		QS_FUN_PRE(&state);
	QS_END_PRE()
	QS_BEGIN_ID(QS_USER, 1)
		QS_U32(0, p1);
		QS_U32(0, p2);
		QS_U32(0, p3);
	QS_END()
}

static int event(void *arg, const struct devtrace_rx_event *e)
{
	QS_BEGIN_ID(QS_USER + 1, 1)
		QS_U32(0, e->sig);
		QS_U8(0, e->to);
	QS_END()
	return 0;
}

/* The program. It reports when it listens, and ends at command 99, or with its parent. */
static int program(int ready)
{
	static const struct devtrace_rx_ops ops = {
		.size = sizeof(ops), .version = 815, .command = command, .event = event,
	};

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	QS_INIT(NULL);
	QS_GLB_FILTER(QS_GRP_ALL);
	QS_OBJ_DICTIONARY(&motor);
	QS_FUN_DICTIONARY(&state);
	devtrace_dict_sig(5, 0, "GO_SIG");
	devtrace_rx_object(DEVTRACE_RX_AP, &motor, sizeof(motor), "motor");
	if (devtrace_rx_open(&ops, NULL, 0) || write(ready, "", 1) != 1)
		return 1;
	while (!done) {
		struct pollfd p = { .fd = devtrace_rx_fd(), .events = POLLIN };

		if (poll(&p, 1, HANG_MS) <= 0)
			return 2;
		devtrace_rx_serve();
	}
	return 0;
}

/* Read the port from the gate's output. */
static int port_of(int fd)
{
	char said[512], *at;
	size_t len = 0;
	ssize_t n;

	while (len < sizeof(said) - 1 && (n = read(fd, said + len, sizeof(said) - 1 - len)) > 0) {
		len += n;
		said[len] = 0;
		at = strstr(said, "UDP port ");
		if (at && strchr(at, '\n'))
			return atoi(at + strlen("UDP port "));
	}
	return -1;
}

FIXTURE(gate) {
	pid_t program, gate;
	int err, host;
	uint8_t seq;
};

static int attach(uint16_t port)
{
	struct sockaddr_in a = { .sin_family = AF_INET, .sin_port = htons(port) };
	const struct timeval hang = { .tv_sec = HANG_MS / 1000 };
	int s = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	a.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	if (s < 0 || connect(s, (struct sockaddr *)&a, sizeof(a)) ||
	    setsockopt(s, SOL_SOCKET, SO_RCVTIMEO, &hang, sizeof(hang)))
		return -1;
	return s;
}

static pid_t start_gate(pid_t program, int err)
{
	char number[16];
	pid_t pid = fork();

	if (pid)
		return pid;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	snprintf(number, sizeof(number), "%d", program);
	dup2(err, STDERR_FILENO);
	dup2(open("/dev/null", O_WRONLY), STDOUT_FILENO);
	execlp("qsgate", "qsgate", "--udp", "0", "--allow-requests", "--program", number,
	       (char *)NULL);
	_exit(127);
}

FIXTURE_SETUP(gate)
{
	int ready[2], err[2];
	int s = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	char c;

	self->program = self->gate = -1;
	if (s < 0 && errno == EAFNOSUPPORT) {
		/* the harness would go on with the test */
		SKIP(_exit(255), "this kernel has no internet protocol");
	}
	close(s);
	ASSERT_EQ(0, dev_load("size=1M"));
	ASSERT_EQ(0, pipe2(ready, O_CLOEXEC));
	ASSERT_EQ(0, pipe2(err, O_CLOEXEC));
	self->program = fork();
	if (!self->program)
		_exit(program(ready[1]));
	close(ready[1]);
	ASSERT_EQ(1, read(ready[0], &c, 1));
	close(ready[0]);
	self->gate = start_gate(self->program, err[1]);
	close(err[1]);
	self->err = err[0];
	self->host = attach(port_of(self->err));
	ASSERT_LE(0, self->host);
}

FIXTURE_TEARDOWN(gate)
{
	if (self->gate > 0) {
		kill(self->gate, SIGTERM);
		waitpid(self->gate, NULL, 0);
	}
	if (self->program > 0) {
		kill(self->program, SIGKILL);
		waitpid(self->program, NULL, 0);
	}
	close(self->host);
	close(self->err);
	EXPECT_EQ(0, dev_done());
}

static bool ask(FIXTURE_DATA(gate) *self, const void *packet, size_t n)
{
	uint8_t out[256] = { self->seq++ };

	memcpy(out + 1, packet, n);
	return send(self->host, out, n + 1, 0) == (ssize_t)n + 1;
}

/* The next datagram: its record and the rest; a line of text becomes a string. */
static int answer(FIXTURE_DATA(gate) *self, char *text, size_t size)
{
	char in[4096];
	ssize_t n = recv(self->host, in, sizeof(in) - 1, 0);

	if (n < 2)
		return -1;
	in[n] = 0;
	snprintf(text, size, "%.*s", (int)size - 1, n > 2 ? in + 3 : "");
	return (uint8_t)in[1];
}

/* Skip the time, which has ten digits. */
#define EXPECT_LINE(want) do {							\
	char line_[512];							\
	EXPECT_EQ(0, answer(self, line_, sizeof(line_)));			\
	EXPECT_STREQ(want, strlen(line_) > 11 ? line_ + 11 : line_);		\
} while (0)

#define ASK(...) do {								\
	static const uint8_t packet_[] = { __VA_ARGS__ };			\
	ASSERT_TRUE(ask(self, packet_, sizeof(packet_)));			\
} while (0)

TEST_F(gate, a_host_asks_and_is_answered_in_order)
{
	char text[512];

	ASK(128, 2);
	ASSERT_EQ(128, answer(self, text, sizeof(text)));
	ASK(0);
	ASSERT_EQ(64, answer(self, text, sizeof(text)));
	ASK(1, 5, 1, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0);
	EXPECT_LINE("Trg-Ack  QS_RX_COMMAND");
	EXPECT_LINE("Disp===> Obj=motor,Sig=GO_SIG,State=state");
	EXPECT_LINE("USER+000 1 2 3");
	EXPECT_LINE("Trg-Done QS_RX_COMMAND");
	ASK(4, 0, 0, 4, 1);
	EXPECT_LINE("Trg-ERR  QS_RX_PEEK");
	ASK(137, 5, 0, 0, 0, 0, 0, 0, 0, 0, 'm', 'o', 't', 'o', 'r', 0);
	EXPECT_LINE("Trg-Ack  QS_RX_CURR_OBJ");
	ASK(4, 0, 0, 4, 2);
	EXPECT_LINE("Trg-Peek Offs=0,Size=4,Num=2,Data=<000005DC,0000004D>");
	ASK(4, 4, 0, 4, 2);
	EXPECT_LINE("Trg-ERR  QS_RX_PEEK");
}

/* tracectl asks the same program, and finds the signal in the device's dictionary. */
TEST_F(gate, an_event_whose_signal_is_named)
{
	char text[512], words[96];

	ASK(128, 2);
	ASSERT_EQ(128, answer(self, text, sizeof(text)));
	snprintf(words, sizeof(words), "tracectl rx %d event publish sig=GO_SIG", self->program);
	EXPECT_EQ(0, system(words));
	EXPECT_LINE("Trg-Ack  QS_RX_EVENT");
	EXPECT_LINE("USER+001 5 0");
	EXPECT_LINE("Trg-Done QS_RX_EVENT");
	snprintf(words, sizeof(words), "tracectl rx %d event publish sig=NO_SIG", self->program);
	EXPECT_NE(0, system(words));
}

/* The device's filter hides events from all hosts, but not replies. */
TEST_F(gate, the_device_filters_above)
{
	char text[512];

	ASK(128, 2);
	ASSERT_EQ(128, answer(self, text, sizeof(text)));
	ASSERT_EQ(0, system("tracectl filter remove type=8"));
	ASK(1, 5);
	EXPECT_LINE("Trg-Ack  QS_RX_COMMAND");
	EXPECT_LINE("USER+000 0 0 0");
	EXPECT_LINE("Trg-Done QS_RX_COMMAND");
	EXPECT_EQ(0, system("tracectl filter clear"));
}

/* Its host is told, and the gate goes on. */
TEST_F(gate, a_program_that_is_killed)
{
	char text[512];

	ASK(128, 2);
	ASSERT_EQ(128, answer(self, text, sizeof(text)));
	ASK(1, 5);
	EXPECT_LINE("Trg-Ack  QS_RX_COMMAND");
	EXPECT_LINE("Disp===> Obj=motor,Sig=GO_SIG,State=state");
	EXPECT_LINE("USER+000 0 0 0");
	EXPECT_LINE("Trg-Done QS_RX_COMMAND");
	ASSERT_EQ(0, kill(self->program, SIGKILL));
	ASSERT_EQ(self->program, waitpid(self->program, NULL, 0));
	self->program = -1;
	ASK(1, 5);
	EXPECT_LINE("Trg-ERR  QS_RX_COMMAND");
	ASK(128, 2);
	ASSERT_EQ(128, answer(self, text, sizeof(text)));
}

TEST_HARNESS_MAIN

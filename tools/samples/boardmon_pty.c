// SPDX-License-Identifier: GPL-2.0-only
/*
 * boardmon_pty.c - errors provoked on a pseudo-terminal, emitted with the functions of QNX
 *
 * A pseudo-terminal has the line discipline of a serial port, but no wire. So it can have any
 * error except those of the wire, such as parity errors. The events contain what the kernel
 * reports:
 *
 * - A line is longer than the buffer of the line discipline. The kernel discards the rest, and the
 *   reader gets fewer bytes than were sent.
 * - The slave sends XOFF and XON, and its input is flushed. In packet mode, the master reads a
 *   status byte for each.
 * - The slave closes. The master reads what the slave wrote, then gets EIO.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>
#include <devtrace/qnx.h>
#include "boardmon.h"

#define CODE(minor)	(__M(BOARD_MAJOR) + (minor))
#define XON		0x11
#define XOFF		0x13
#define WAIT_MS		1000

struct pty {
	int	master;
	int	slave;
	char	name[64];
};

/* Wait up to WAIT_MS until @fd is readable: a kernel worker passes the data on. */
static bool readable(int fd)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };

	return poll(&p, 1, WAIT_MS) == 1;
}

static bool open_pty(struct pty *pty)
{
	struct termios t;

	pty->slave = -1;
	pty->master = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC | O_NONBLOCK);
	if (pty->master >= 0 && !grantpt(pty->master) && !unlockpt(pty->master) &&
	    !ptsname_r(pty->master, pty->name, sizeof(pty->name)))
		pty->slave = open(pty->name, O_RDWR | O_NOCTTY | O_CLOEXEC | O_NONBLOCK);
	if (pty->slave >= 0 && !tcgetattr(pty->slave, &t)) {
		t.c_lflag &= ~(tcflag_t)(ECHO | ISIG);
		t.c_lflag |= ICANON;
		t.c_iflag |= IXON;
		t.c_oflag &= ~(tcflag_t)OPOST;
		if (!tcsetattr(pty->slave, TCSANOW, &t))
			return true;
	}
	Trace1b(CODE(BOARD_PTY_NONE), _TRACE_SW_SEVERITY1, errno, 9, "/dev/ptmx");
	say("pty: %s\n", strerror(errno));
	if (pty->slave >= 0)
		close(pty->slave);
	if (pty->master >= 0)
		close(pty->master);
	return false;
}

/* Send a line that is longer than the buffer of the line discipline. */
static void overrun(const struct pty *pty)
{
	char line[6000], back[sizeof(line)];
	ssize_t n;
	size_t sent = 0, got = 0;

	memset(line, 'x', sizeof(line));
	line[sizeof(line) - 1] = '\n';
	while (sent < sizeof(line)) {
		struct pollfd p = { .fd = pty->master, .events = POLLOUT };

		n = write(pty->master, line + sent, sizeof(line) - sent);
		if (n > 0)
			sent += (size_t)n;
		else if (n < 0 && errno != EAGAIN)
			break;
		else if (poll(&p, 1, WAIT_MS) != 1)
			break;
	}
	while (got < sizeof(back) && readable(pty->slave)) {
		n = read(pty->slave, back + got, sizeof(back) - got);
		if (n <= 0)
			break;
		got += (size_t)n;
		if (back[got - 1] == '\n')
			break;
	}
	if (got < sent)
		Trace2(CODE(BOARD_PTY_OVERRUN), _TRACE_SW_SEVERITY2, (unsigned int)sent,
		       (unsigned int)got);
	say("pty: %zu bytes sent, %zu received\n", sent, got);
}

/* Send XOFF and XON from the slave, then flush its input. Emit the status bytes of packet mode. */
static void flow(const struct pty *pty)
{
	static const char typed[] = { XOFF, XON };
	int on = 1, off = 0;
	unsigned char status;
	unsigned int i;

	if (ioctl(pty->master, TIOCPKT, &on) < 0)
		return;
	for (i = 0; i <= sizeof(typed); i++) {
		if (i < sizeof(typed) ? write(pty->master, &typed[i], 1) != 1 :
					tcflush(pty->slave, TCIFLUSH) < 0)
			break;
		/* a first byte of 0 means data */
		if (readable(pty->master) && read(pty->master, &status, 1) == 1 && status) {
			Trace1(CODE(BOARD_PTY_FLOW), _TRACE_SW_SEVERITY0, status);
			say("pty: status 0x%02x\n", status);
		}
	}
	ioctl(pty->master, TIOCPKT, &off);
}

/* The slave writes some bytes and closes. */
static void hangup(struct pty *pty)
{
	static const char last[] = "last words";
	unsigned char rest[64];
	ssize_t n, got = 0;

	if (write(pty->slave, last, sizeof(last) - 1) < 0)
		say("pty: %s\n", strerror(errno));
	close(pty->slave);
	pty->slave = -1;
	while (readable(pty->master)) {
		n = read(pty->master, rest + got, sizeof(rest) - (size_t)got);
		if (n > 0) {
			got += n;
			continue;
		}
		if (n < 0) {
			Trace1b(CODE(BOARD_PTY_HANGUP), _TRACE_SW_SEVERITY1, errno, got, rest);
			say("pty: %s after %zd bytes\n", strerror(errno), got);
		}
		break;
	}
}

void provoke_pty(void)
{
	struct pty pty;

	if (!open_pty(&pty))
		return;
	overrun(&pty);
	flow(&pty);
	hangup(&pty);
	close(pty.master);
}

// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * emit_status.c - report why the events of this program do not arrive
 *
 * Without a device, a program continues silently. It may ask for the status. In addition, if
 * DEVTRACE_DEBUG=1 is in the environment, the library prints one line to standard error for each
 * reason it finds, and for each kind of value that is out of range: type, object or severity.
 *
 * The line may have to be written in a signal handler, in any thread, and in a program that uses
 * standard error for its own output. So it is built on the stack and written by one write(2),
 * through syscall(2) because the C library's write() is a cancellation point. The program never
 * receives a SIGPIPE that this write raises.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <devtrace/emit.h>
#include "emit.h"

#define BIT(n)	(1u << (n))

/* Bytes for the name of the device, the reason and the remedy. */
#define LINE	768

static const struct {
	const char *text, *todo;
} words[] = {
	[DEVTRACE_OK] = { "connected", "" },
	[DEVTRACE_UNTRIED] = { "not connected yet", "" },
	[DEVTRACE_NO_DEVICE] = { "no trace device",
		"load the module devtrace, and pass the device into a container" },
	[DEVTRACE_NOT_PERMITTED] = { "permission denied",
		"its user needs write permission, for example through the group of the device" },
	[DEVTRACE_NOT_A_DEVICE] = { "not a trace device",
		"check the name in DEVTRACE_DEVICE" },
	[DEVTRACE_LIMIT] = { "no file descriptor or memory left",
		"raise its limits (ulimit -n)" },
	[DEVTRACE_CLOSED] = { "closed by devtrace_close()", "" },
	[DEVTRACE_DISABLED] = { "turned off by an empty DEVTRACE_DEVICE",
		"unset that variable" },
	[DEVTRACE_FAILED] = { "cannot be opened", "check the name in DEVTRACE_DEVICE" },
};

#define NR_WORDS	(sizeof(words) / sizeof(words[0]))

static bool debug;
static unsigned int said;	/* a bit for each reason printed */

/*
 * Read DEVTRACE_DEBUG once, at program start, like device_read() does. If standard error is closed
 * now, a later open(2) may return descriptor 2 for another file, so print nothing.
 */
__attribute__((constructor(101)))
static void debug_asked(void)
{
	const char *value = secure_getenv("DEVTRACE_DEBUG");
	int saved = errno;

	debug = value && *value && strcmp(value, "0") && fcntl(STDERR_FILENO, F_GETFD) >= 0;
	errno = saved;
}

int dt_status_of(int state)
{
	if (state >= 0)
		return DEVTRACE_OK;
	if (state == CONN_UNTRIED)
		return DEVTRACE_UNTRIED;
	switch (CONN_OFF - state) {
	case 0:
		return DEVTRACE_CLOSED;
	case ENOENT:
	case ENOTDIR:
	case ENXIO:
		return DEVTRACE_NO_DEVICE;
	case ENODEV:
		/* DEVTRACE_DEVICE is empty, or the device node has no driver. */
		return *dt_device_name() ? DEVTRACE_NO_DEVICE : DEVTRACE_DISABLED;
	case EACCES:
	case EPERM:
		return DEVTRACE_NOT_PERMITTED;
	case ENOTTY:
	case EISDIR:
		return DEVTRACE_NOT_A_DEVICE;
	case EMFILE:
	case ENFILE:
	case ENOMEM:
		return DEVTRACE_LIMIT;
	default:
		return DEVTRACE_FAILED;
	}
}

const char *devtrace_status_text(int status)
{
	if (status < 0 || (size_t)status >= NR_WORDS)
		return "not a status of this library";
	return words[status].text;
}

static size_t status_put(char *line, size_t len, const char *s)
{
	size_t n = strnlen(s, LINE - len);

	memcpy(line + len, s, n);
	return len + n;
}

/* Write a line. If this raised a SIGPIPE and none was pending before, discard the signal. */
static void write_line(const char *line, size_t len)
{
	static const long long at_once[2];
	sigset_t pipe, old, pending;
	bool theirs;

	sigemptyset(&pipe);
	sigaddset(&pipe, SIGPIPE);
	if (pthread_sigmask(SIG_BLOCK, &pipe, &old))
		return;
	theirs = sigpending(&pending) || sigismember(&pending, SIGPIPE);
	if (syscall(SYS_write, STDERR_FILENO, line, len) < 0 && errno == EPIPE && !theirs)
#ifdef SYS_rt_sigtimedwait
		syscall(SYS_rt_sigtimedwait, &pipe, NULL, at_once, _NSIG / 8);
#else
		syscall(SYS_rt_sigtimedwait_time64, &pipe, NULL, at_once, _NSIG / 8);
#endif
	pthread_sigmask(SIG_SETMASK, &old, NULL);
}

/*
 * Is the device's name that of a regular file? A shell that redirects output to /dev/trace creates
 * one if the module is not loaded.
 */
static bool is_regular_file(void)
{
	const int saved = errno;
	struct stat st;
	bool is = !stat(dt_device_name(), &st) && S_ISREG(st.st_mode);

	errno = saved;
	return is;
}

/* Is the file directly in /dev? The library advises to remove no other file. */
static bool in_dev(const char *path)
{
	return !strncmp(path, "/dev/", 5) && !strchr(path + 5, '/');
}

static const char remove_it[] =
	"remove it, and load the module devtrace again, which makes the device";

void dt_status_print(int state)
{
	const int status = dt_status_of(state);
	const char *text = words[status].text, *todo = words[status].todo;
	char line[LINE];
	size_t len = 0;

	if (!debug || __atomic_fetch_or(&said, BIT(status), __ATOMIC_RELAXED) & BIT(status))
		return;
	if (status == DEVTRACE_NOT_A_DEVICE && is_regular_file()) {
		text = "a regular file, not a trace device";
		if (in_dev(dt_device_name()))
			todo = remove_it;
	}
	len = status_put(line, len, "devtrace: ");
	len = status_put(line, len, dt_device_name());
	len = status_put(line, len, *dt_device_name() ? ": " : "");
	len = status_put(line, len, text);
	len = status_put(line, len, ": this program's events are discarded; ");
	len = status_put(line, len, todo);
	len = status_put(line, len,
			 " (see trace(4), 'Who may emit', and 'traceinfo --check-emit')\n");
	write_line(line, len);
}

/* Names and ranges of the values, indexed by DEVTRACE_BAD_*. */
static const struct {
	const char *name, *range;
} ranges[] = {
	[DEVTRACE_BAD_TYPE_] = { "event type ",
		"a program has 1 to 53, 55 to 57, 71 to 83, 85 to 127, 192 to 255" },
	[DEVTRACE_BAD_OBJECT_] = { "object or signal ", "they have 16 bits: 0 to 65535" },
	[DEVTRACE_BAD_SEVERITY_] = { "severity ",
		"take DEVTRACE_SW0 to DEVTRACE_HW3, or 0 for none" },
};

static size_t put_number(char *line, size_t len, unsigned long long v)
{
	char digits[21] = { 0 };
	size_t at = sizeof(digits) - 1;

	do
		digits[--at] = (char)('0' + v % 10);
	while (v /= 10);
	return status_put(line, len, digits + at);
}

void dt_refused_print(unsigned int what, unsigned long long value)
{
	const unsigned int bit = BIT(NR_WORDS + what);
	char line[LINE];
	size_t len = 0;

	if (!debug || __atomic_fetch_or(&said, bit, __ATOMIC_RELAXED) & bit)
		return;
	len = status_put(line, len, "devtrace: ");
	len = status_put(line, len, ranges[what].name);
	/* The value was a negative int and was sign-extended to 64 bits. */
	if (value >> 63)
		len = status_put(line, len, "-");
	len = put_number(line, len, value >> 63 ? 0 - value : value);
	len = status_put(line, len, " is out of range: the event is discarded; ");
	len = status_put(line, len, ranges[what].range);
	len = status_put(line, len, " (see libdevtrace(3))\n");
	write_line(line, len);
}

int devtrace_refused_(unsigned int what, unsigned long long value)
{
	const int saved = errno;

	emit_error(EINVAL);
	dt_refused_print(what, value);
	errno = saved;
	return 0;
}

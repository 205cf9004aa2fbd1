// SPDX-License-Identifier: GPL-2.0-only
/*
 * check.c - check an input before the output is created
 *
 * The messages are those that traceinfo prints about the same input.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>
#include "common/complain.h"
#include "common/link.h"
#include "view.h"
#include "view/head.h"

/* A file is not a stream. If the file is longer than its head, only the head was read. */
static int check_no_stream(const char *path, const struct view_head *h)
{
	char text[80];

	if (h->whole)
		return complain_no_stream(VIEW_NAME, path, h->is_file, false, &h->totals);
	snprintf(text, sizeof(text), "not a trace stream: no %s in its first %llu bytes",
		 h->totals.frames ? "frames in a row" : "whole frame",
		 (unsigned long long)h->totals.bytes);
	return complain_text(VIEW_NAME, path, text);
}

enum check_kind { CHECK_FAILED, CHECK_PIPE, CHECK_DEVICE, CHECK_FILE };

/* Can the file be opened? A FIFO is not opened, because that would wait for its writer. */
static enum check_kind check_open(const char *path)
{
	struct devtrace_stats stats = { .cpu = -1 };
	enum check_kind kind;
	struct stat st;
	int fd;

	if (stat(path, &st))
		return CHECK_FAILED;
	if (S_ISDIR(st.st_mode)) {
		errno = EISDIR;
		return CHECK_FAILED;
	}
	if (!S_ISREG(st.st_mode) && !S_ISCHR(st.st_mode))
		return access(path, R_OK) ? CHECK_FAILED : CHECK_PIPE;
	fd = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	if (fd < 0)
		return CHECK_FAILED;
	kind = ioctl(fd, DEVTRACE_IOC_STATS, &stats) ? CHECK_FILE : CHECK_DEVICE;
	close(fd);
	return kind;
}

/* Check what is in the file. A long file may become a stream after its head, except for CTF. */
static int check_head(const char *path, const char *name, bool only_head, bool say)
{
	const char *problem;
	struct view_head h;

	if (view_head_read(&h, path, &problem))
		return say ? complain_text(VIEW_NAME, name, problem) : 1;
	if (h.is_stream || (!h.whole && !only_head))
		return 0;
	return say ? check_no_stream(name, &h) : 1;
}

int view_check(const char *path, bool say)
{
	struct stat st;

	if (link_is(path))
		return 0;
	if (!strcmp(path, "-"))
		return !fstat(STDIN_FILENO, &st) && S_ISREG(st.st_mode) &&
		       lseek(STDIN_FILENO, 0, SEEK_CUR) == 0 ?
		       check_head("/dev/stdin", "standard input", false, say) : 0;
	switch (check_open(path)) {
	case CHECK_FAILED:
		return say ? complain_input(VIEW_NAME, path, false) : 1;
	case CHECK_FILE:
		return check_head(path, path, false, say);
	default:
		return 0;
	}
}

int view_check_ctf(const char *path)
{
	if (check_open(path) == CHECK_FAILED)
		return complain_input(VIEW_NAME, path, false);
	return check_head(path, path, true, true);
}

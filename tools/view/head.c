// SPDX-License-Identifier: GPL-2.0-only
/*
 * head.c - facts from the beginning of a stream
 *
 * Babeltrace needs the offset of the clock before the first event, but the first CLOCK frame may
 * come later in the stream. So the beginning is read twice: by this file, and when the stream is
 * converted.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
#include "common/zread.h"
#include "traceinfo/traceinfo.h"
#include "view/head.h"

struct head_search {
	struct view_head *head;
	struct ti_evidence evidence;
};

static void head_copy(char to[65], const char *from)
{
	const size_t n = strnlen(from, 64);

	memcpy(to, from, n);
	to[n] = 0;
}

static int head_item(const struct devtrace_item *item, void *arg)
{
	struct head_search *s = arg;
	const struct devtrace_info *i = &item->u.info;
	struct view_head *h = s->head;

	if (ti_evidence(&s->evidence, item))
		h->is_stream = true;
	if (item->kind == DEVTRACE_ITEM_INFO) {
		if (h->has_info && memcmp(h->boot, i->boot_id, sizeof(h->boot)))
			return 1;
		h->has_info = true;
		memcpy(h->boot, i->boot_id, sizeof(h->boot));
		head_copy(h->machine, i->machine);
		head_copy(h->release, i->release);
		head_copy(h->stream, i->stream);
	} else if (item->kind == DEVTRACE_ITEM_CLOCK) {
		h->has_clock = true;
		h->epoch = (int64_t)((uint64_t)item->u.clock.real - item->u.clock.ts);
	}
	return h->has_clock && h->has_info && h->is_stream;
}

int view_head_open(const char *path, const char **problem)
{
	struct stat st;
	int fd;

	/* Do not open a FIFO or a terminal: opening may wait. */
	if (stat(path, &st)) {
		*problem = strerror(errno);
		return -1;
	}
	if (!S_ISREG(st.st_mode) && !S_ISCHR(st.st_mode)) {
		*problem = "neither a file nor a trace device";
		return -1;
	}
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	if (fd < 0) {
		*problem = strerror(errno);
		return -1;
	}
	if (S_ISCHR(st.st_mode) && isatty(fd)) {
		close(fd);
		*problem = "a terminal, not a trace device";
		return -1;
	}
	return fd;
}

int view_head_read(struct view_head *h, const char *path, const char **problem)
{
	struct head_search s = { .head = h };
	struct devtrace_decoder *d = devtrace_decoder_new(head_item, &s);
	struct zread *z = zread_new(NULL, NULL);
	char *buf = malloc(VIEW_HEAD_BLOCK);
	const int fd = view_head_open(path, problem);
	size_t left = VIEW_HEAD_MAX;
	struct stat st;
	ssize_t n = 0;

	memset(h, 0, sizeof(*h));
	if (fd >= 0 && (!d || !z || !buf)) {
		*problem = "no memory";
		n = -1;
	}
	while (fd >= 0 && n >= 0 && left) {
		n = zread_read(z, fd, buf, VIEW_HEAD_BLOCK);
		if (n < 0 && errno == EINTR) {
			n = 0;
			continue;
		}
		h->whole = !n;
		if (n < 0 && errno != EAGAIN)
			*problem = errno != ENOTSUP ? strerror(errno) :
				   "compressed with zstd; this program was built without libzstd";
		else if (n < 0)
			n = 0;
		if (n <= 0 || devtrace_decoder_feed(d, buf, (size_t)n, NULL))
			break;
		left -= (size_t)n < left ? (size_t)n : left;
	}
	h->is_file = fd >= 0 && !fstat(fd, &st) && S_ISREG(st.st_mode);
	if (d)
		h->totals = *devtrace_decoder_totals(d);
	if (fd >= 0)
		close(fd);
	free(buf);
	zread_free(z);
	devtrace_decoder_free(d);
	return fd < 0 || n < 0 ? -1 : 0;
}

// SPDX-License-Identifier: GPL-2.0-only
/*
 * input.c - read streams, one after the other, and convert them to a format
 *
 * Input is read and decoded in blocks of fixed size. Before the program waits for more input, it
 * writes the output made so far.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include "common/complain.h"
#include "common/link.h"
#include "common/zread.h"
#include "view.h"

#define INPUT_BLOCK	(256 * 1024)

static int input_item(const struct devtrace_item *item, void *arg)
{
	struct view *v = arg;
	struct ti_event e;

	if (!v->evidence.found && !ti_evidence(&v->evidence, item))
		return 0;
	switch (item->kind) {
	case DEVTRACE_ITEM_EVENT:
		if (item->u.event.ts > v->end_ts) {
			v->ended = true;
			return 1;
		}
		ti_event_init(&e, &item->u.event, v->decoder, &v->fmts);
		v->last = view_time(v, item->u.event.ts);
		ti_picked_event(v->picked, &e);
		v->format->event(v, &e);
		break;
	case DEVTRACE_ITEM_INFO:
		view_machine_enter(v, item->u.info.boot_id);
		v->format->item(v, item);
		break;
	case DEVTRACE_ITEM_CLOCK:
		view_machine_clock(v, &item->u.clock);
		v->format->item(v, item);
		break;
	default:
		v->format->item(v, item);
	}
	return v->out.err || *v->stop;
}

/*
 * Facts from the head of a regular file: its boot id, and the first CLOCK frame, which may come
 * later.
 */
struct input_head {
	struct view	*view;
	bool		entered;
};

static int input_head_item(const struct devtrace_item *item, void *arg)
{
	struct input_head *h = arg;

	if (item->kind == DEVTRACE_ITEM_INFO) {
		/* A stream of another boot begins here, so the head has ended. */
		if (h->entered && memcmp(h->view->machine->boot, item->u.info.boot_id, 16))
			return 1;
		view_machine_enter(h->view, item->u.info.boot_id);
		h->entered = true;
	}
	if (item->kind != DEVTRACE_ITEM_CLOCK)
		return 0;
	view_machine_clock(h->view, &item->u.clock);
	return 1;
}

static void input_head(struct view *v, int fd, char *buf)
{
	struct input_head h = { .view = v };
	struct devtrace_decoder *d = devtrace_decoder_new(input_head_item, &h);
	struct zread *z = zread_new(NULL, NULL);
	const off_t here = lseek(fd, 0, SEEK_CUR);
	ssize_t n = here < 0 || !d || !z ? -1 : zread_read(z, fd, buf, INPUT_BLOCK);

	if (n > 0)
		devtrace_decoder_feed(d, buf, (size_t)n, NULL);
	if (here >= 0)
		(void)!lseek(fd, here, SEEK_SET);
	devtrace_decoder_free(d);
	zread_free(z);
}

static bool input_would_wait(int fd)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };

	return poll(&p, 1, 0) == 0;
}

static void input_damage(void *arg, uint64_t offset, uint64_t n)
{
	struct view *v = arg;
	const struct devtrace_item item = {
		.kind = DEVTRACE_ITEM_DAMAGE, .offset = offset,
		.u.damage = { .offset = offset, .bytes = n },
	};

	input_item(&item, v);
}

/* If standard error is a terminal: print twice a second how much of a long file was read. */
struct input_progress {
	bool		on;
	off_t		size;
	uint64_t	last;
};

static void input_tell(const struct view *v, struct input_progress *p, int fd)
{
	struct timespec t;
	uint64_t now;
	off_t at;

	if (!p->on)
		return;
	clock_gettime(CLOCK_MONOTONIC, &t);
	now = (uint64_t)t.tv_sec * 1000 + (uint64_t)t.tv_nsec / 1000000;
	at = lseek(fd, 0, SEEK_CUR);
	if (!p->last || now - p->last < 500 || at < 0) {
		p->last = p->last ? p->last : now;
		return;
	}
	p->last = now;
	fputc('\r', stderr);
	complain_begin(VIEW_NAME, v->path);
	fprintf(stderr, "%d %%", (int)(at * 100 / p->size));
}

static int input_copy(struct view *v, int fd, char *buf, const struct stat *st)
{
	struct zread *z = zread_new(input_damage, v);
	struct input_progress progress = {
		.on = !v->opt->quiet && S_ISREG(st->st_mode) && st->st_size &&
		      isatty(STDERR_FILENO),
		.size = st->st_size,
	};
	int ret = z ? 0 : complain_input(VIEW_NAME, v->path, false);
	ssize_t n;

	while (z && !*v->stop && !v->ended && !v->out.err) {
		if (!S_ISREG(st->st_mode) && !zread_holds(z) && input_would_wait(fd) &&
		    out_flush(&v->out))
			break;
		n = zread_read(z, fd, buf, INPUT_BLOCK);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0 && errno != EAGAIN)
			ret = complain_input(VIEW_NAME, v->path, false);
		if (n <= 0)
			break;
		devtrace_decoder_feed(v->decoder, buf, (size_t)n, NULL);
		input_tell(v, &progress, fd);
	}
	if (progress.last)
		fputs("\r\033[K", stderr);
	zread_free(z);
	return ret;
}

static void input_report(const struct view *v)
{
	const struct devtrace_totals *t = devtrace_decoder_totals(v->decoder);

	if (v->opt->quiet)
		return;
	complain_begin(VIEW_NAME, v->path);
	fprintf(stderr, "%llu events", (unsigned long long)t->events);
	if (t->lost)
		fprintf(stderr, ", %llu lost", (unsigned long long)t->lost);
	if (t->missing)
		fprintf(stderr, ", %llu frames missing", (unsigned long long)t->missing);
	if (t->damages)
		fprintf(stderr, ", %llu damaged places", (unsigned long long)t->damages);
	fputc('\n', stderr);
}

static int input_read(struct view *v, int fd)
{
	char *buf = view_alloc(NULL, INPUT_BLOCK);
	struct devtrace_stats stats = { .cpu = -1 };
	bool device;
	struct stat st;
	int ret;

	v->decoder = devtrace_decoder_new(input_item, v);
	if (!v->decoder || fstat(fd, &st)) {
		free(buf);
		return complain_input(VIEW_NAME, v->path, false);
	}
	memset(&v->evidence, 0, sizeof(v->evidence));
	v->end_ts = UINT64_MAX;
	v->ended = false;
	/* Programs may emit faster than events are converted: leave out events newer than now. */
	device = S_ISCHR(st.st_mode) && !ioctl(fd, DEVTRACE_IOC_STATS, &stats);
	if (device)
		v->end_ts = stats.now;
	view_machine_enter(v, NULL);
	if (S_ISREG(st.st_mode))
		input_head(v, fd, buf);
	ret = input_copy(v, fd, buf, &st);
	if (!ret && !v->ended && !*v->stop)
		devtrace_decoder_finish(v->decoder);
	if (!ret && !v->evidence.found && !device) {
		ret = complain_no_stream(VIEW_NAME, v->path, S_ISREG(st.st_mode), false,
					 devtrace_decoder_totals(v->decoder));
	} else if (!ret) {
		input_report(v);
	}
	devtrace_decoder_free(v->decoder);
	v->decoder = NULL;
	free(buf);
	return ret;
}

int view_link(struct view *v, const char *word)
{
	struct link *l = view_alloc(NULL, sizeof(*l));
	const char *problem;
	int fd = -EINVAL;

	if (!link_parse(l, word, &problem))
		fd = link_open(l, -1, NULL);
	if (fd < 0) {
		if (fd != -EINTR || !*v->stop)
			complain_link(VIEW_NAME, l, word, -fd);
		free(l);
		return 1;
	}
	fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) & ~O_NONBLOCK);
	v->link = l;
	v->link_fd = fd;
	return 0;
}

void view_link_close(struct view *v)
{
	if (v->link)
		link_close(v->link, v->link_fd);
	free(v->link);
	v->link = NULL;
}

static int input_link(struct view *v, const char *word)
{
	int ret;

	if (!v->link && view_link(v, word))
		return !*v->stop;
	ret = input_read(v, v->link_fd);
	view_link_close(v);
	return ret;
}

int view_input(struct view *v, const char *path)
{
	const bool is_stdin = !strcmp(path, "-");
	struct stat st;
	int fd, ret;

	v->path = is_stdin ? "standard input" : path;
	if (link_is(path))
		return input_link(v, path);
	/* Do not wait for new events of a device, but do wait for a FIFO. */
	fd = is_stdin ? STDIN_FILENO :
	     open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY |
		  (!stat(path, &st) && S_ISCHR(st.st_mode) ? O_NONBLOCK : 0));
	if (fd < 0)
		return complain_input(VIEW_NAME, path, false);
	ret = input_read(v, fd);
	if (!is_stdin)
		close(fd);
	return ret;
}

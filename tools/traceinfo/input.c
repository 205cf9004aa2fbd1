// SPDX-License-Identifier: GPL-2.0-only
/*
 * input.c - read the device, files and pipes in blocks of fixed size
 *
 * Memory holds only the names from the stream, whose size is limited, and with -n the last lines.
 * So files of any size can be read. Before the program waits for more input, it flushes its
 * output.
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
#include "pieces.h"
#include "sequence.h"
#include "sum_machine.h"
#include "timeline.h"

#define NSEC	1000000000ll
/* limit of reports, in bytes, that are held until the input is known to be a stream */
#define HELD_MAX	(1024 * 1024)
/* ti_read_ahead() stops after this many reads in a row that decompress to nothing */
#define AHEAD_NOTHING	16

void ti_input_init(struct ti_input *in)
{
	memset(in, 0, sizeof(*in));
	in->end_ts = UINT64_MAX;
	in->losses_ts = UINT64_MAX;
	ti_last_init(&in->held, 0);
}

/* Report an unreadable zstd frame. The devtrace frames in it are counted as missing. */
static void zstd_damage(void *arg, uint64_t offset, uint64_t n)
{
	struct ti_run *run = arg;
	const struct devtrace_item item = {
		.kind = DEVTRACE_ITEM_DAMAGE, .offset = offset,
		.u.damage = {
			.reason = (enum devtrace_damage_reason)TI_DAMAGE_ZSTD,
			.offset = offset, .bytes = n,
		},
	};

	run->in->zstd_damages++;
	run->in->zstd_bytes += n;
	if (!run->raw)
		ti_item(&item, run);
}

ssize_t ti_input_read(struct ti_run *run, int fd, char *buf, size_t n)
{
	return zread_read(run->in->zread, fd, buf, n);
}

int ti_input_begin(struct ti_run *run, devtrace_item_fn *fn, void *arg)
{
	run->in->zread = zread_new(zstd_damage, run);
	run->in->zstd_damages = 0;
	run->in->zstd_bytes = 0;
	if (!run->in->zread)
		return complain(TI_NAME, "input", "", "");
	run->in->decoder = devtrace_decoder_new(fn, arg);
	if (!run->in->decoder)
		return complain(TI_NAME, "decoder", "", "");
	if (run->opt->summary)
		run->sum = sum_new();
	if (run->opt->timeline)
		run->timeline = ti_timeline_new(run->opt);
	if (run->opt->layout == TI_LAYOUT_QSPY)
		run->in->qspy = ti_qspy_new();
	/*
	 * Time differences and the cached second are valid only within one stream, unless times
	 * are compared by the wall clock.
	 */
	if (!run->printer.clock.wall) {
		run->printer.clock.valid = false;
		run->printer.clock.have_before = false;
		run->printer.iso.valid = false;
	}
	run->in->losses.n = 0;
	memset(&run->in->evidence, 0, sizeof(run->in->evidence));
	memset(&run->in->accounts, 0, sizeof(run->in->accounts));
	run->in->held.reports_max = HELD_MAX;
	/* If the input turns out not to be a stream, take_back() restores this state. */
	run->in->reports_before = run->last.line.len;
	run->in->omitted_before = run->last.omitted;
	strcpy(run->in->stream, TI_STREAM);
	run->in->load = 0;
	if (run->raw)
		ti_raw_begin(run->raw);
	ti_header_forget(run->printer.header);
	return 0;
}

/* The input is not a stream: discard the reports about it. */
static void take_back(struct ti_run *run)
{
	ti_last_free(&run->in->held);
	if (run->last.line.len > run->in->reports_before)
		run->last.line.len = run->in->reports_before;
	run->last.omitted = run->in->omitted_before;
}

/*
 * Is this a named input without a single byte? (If a compressed input is damaged, its damage was
 * reported, so it does not count as empty.)
 */
static bool is_empty(const struct ti_run *run)
{
	return run->in->named && !run->in->zstd_damages && !run->out.err;
}

int ti_input_end(struct ti_run *run, const char *path, enum ti_ending how,
		 const struct stat *st, bool live)
{
	const struct devtrace_totals *t;
	bool nothing;
	int ret = 0;

	if (how == TI_END_WHOLE || how == TI_END_FAILED)
		devtrace_decoder_finish(run->in->decoder);
	ti_piece_end(run);
	t = devtrace_decoder_totals(run->in->decoder);
	if (!run->in->evidence.found && how != TI_END_STOPPED &&
	    (t->bytes || is_empty(run) || (live && S_ISREG(st->st_mode)))) {
		take_back(run);
		ret = complain_no_stream(TI_NAME, path, S_ISREG(st->st_mode), live, t);
	} else if (!run->in->evidence.found) {
		ti_release(run);
	}
	/* There is nothing to draw of a directory, for example. */
	nothing = ret || (how == TI_END_FAILED && !t->bytes);
	run->totals.bytes += t->bytes;
	run->totals.frames += t->frames;
	run->totals.events += t->events;
	run->totals.missing += t->missing;
	run->totals.damages += t->damages + run->in->zstd_damages;
	run->totals.damaged_bytes += t->damaged_bytes + run->in->zstd_bytes;
	run->totals.lost += t->lost;
	if (run->sum) {
		sum_end(run->sum);
		if (!nothing)
			ti_sum_print(&run->out, &run->printer, run->in->decoder, run->sum, path);
		sum_free(run->sum);
		run->sum = NULL;
	}
	if (run->timeline && !nothing)
		ti_timeline_end(run->timeline, &run->out, &run->printer, run->in->decoder, path);
	ti_timeline_free(run->timeline);
	run->timeline = NULL;
	devtrace_decoder_free(run->in->decoder);
	run->in->decoder = NULL;
	zread_free(run->in->zread);
	run->in->zread = NULL;
	ti_qspy_free(run->in->qspy);
	run->in->qspy = NULL;
	return ret;
}

struct tail {
	uint64_t ts;
	bool found;
};

static int tail_item(const struct devtrace_item *item, void *arg)
{
	struct tail *tail = arg;

	if (item->kind == DEVTRACE_ITEM_EVENT) {
		tail->ts = item->u.event.ts;
		tail->found = true;
	}
	return ti_stop;
}

/* Decode the file from an offset to its end, to find the last event. */
static int scan_tail(int fd, off_t from, char *buf, struct tail *tail)
{
	struct devtrace_decoder *d = devtrace_decoder_new(tail_item, tail);
	ssize_t n = 0;

	if (!d)
		return -1;
	while (!ti_stop && (n = pread(fd, buf, TI_BLOCK, from)) != 0) {
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			break;
		devtrace_decoder_feed(d, buf, n, NULL);
		from += n;
	}
	devtrace_decoder_finish(d);
	devtrace_decoder_free(d);
	return n < 0 ? -1 : 0;
}

/* Find the last event of a compressed file, which must be decompressed from its begin. */
static int scan_zstd(int fd, off_t from, char *buf, struct tail *tail)
{
	struct devtrace_decoder *d = devtrace_decoder_new(tail_item, tail);
	struct zread *z = zread_new(NULL, NULL);
	ssize_t n = 0;

	if (d && z && lseek(fd, from, SEEK_SET) >= 0)
		while (!ti_stop && (n = zread_read(z, fd, buf, TI_BLOCK)) != 0) {
			if (n < 0 && errno == EINTR)
				continue;
			if (n < 0)
				break;
			devtrace_decoder_feed(d, buf, n, NULL);
		}
	zread_free(z);
	devtrace_decoder_free(d);
	return d && z && n >= 0 ? 0 : -1;
}

/*
 * In a file, a time such as -5s means before the last event: search for that event, backwards from
 * the end.
 */
static int find_end(struct ti_run *run, int fd, const char *path, char *buf)
{
	const struct ti_filter *f = &run->opt->filter;
	const char *word = f->since.kind == TI_AGO ? f->since.word : f->until.word;
	off_t here = lseek(fd, 0, SEEK_CUR), size = here < 0 ? -1 : lseek(fd, 0, SEEK_END);
	struct tail tail = { 0 };
	off_t window = 1024 * 1024;
	uint8_t head[4];
	bool zstd;

	if (here < 0 || size < 0) {
		fprintf(stderr, "traceinfo: '%s' counts from the end of the recording, which is unknown for a pipe; save it to a file, or give a date\n",
			word);
		return 1;
	}
	zstd = pread(fd, head, sizeof(head), here) == sizeof(head) && zread_begins(head);
	if (zstd && scan_zstd(fd, here, buf, &tail))
		return complain_input(TI_NAME, path, false);
	for (; !zstd; window *= 4) {
		off_t from = size - here > window ? size - window : here;

		if (scan_tail(fd, from, buf, &tail))
			return complain_input(TI_NAME, path, false);
		if (tail.found || from == here)
			break;
	}
	if (lseek(fd, here, SEEK_SET) < 0)
		return complain_input(TI_NAME, path, false);
	run->in->since_ts = tail.ts > (uint64_t)f->since.ns ? tail.ts - f->since.ns : 0;
	run->in->until_ts = tail.ts > (uint64_t)f->until.ns ? tail.ts - f->until.ns : 0;
	return 0;
}

/* Read the device's trace clock, then seek to the first event of the time window. */
static int seek_window(struct ti_run *run, int fd, const char *path)
{
	const struct ti_filter *f = &run->opt->filter;
	struct devtrace_stats stats = { .cpu = -1 };
	struct timespec t;
	uint64_t ts;

	if (ioctl(fd, DEVTRACE_IOC_STATS, &stats)) {
		/* The path names a pipe, not a device: read it to its end. */
		if (!f->since.kind && !f->until.kind)
			return 0;
		return complain(TI_NAME, path, "cannot tell its clock", "");
	}
	/*
	 * Events may arrive faster than they are printed, so reading might never end. Without -f,
	 * stop at events that are newer than the start of the program. But with --clear print
	 * these events, too, because --clear is going to discard them.
	 */
	if (!run->opt->follow && !run->opt->clear)
		run->in->end_ts = stats.now;
	/*
	 * Without -f, a loss that is newer than the start of the program ends the input if only
	 * losses follow. That is also right with --clear: a loss is not stored in the buffer, so
	 * nothing is discarded that was not printed.
	 */
	if (!run->opt->follow)
		run->in->losses_ts = stats.now;
	run->in->since_ts = stats.now > (uint64_t)f->since.ns ? stats.now - f->since.ns : 0;
	run->in->until_ts = stats.now > (uint64_t)f->until.ns ? stats.now - f->until.ns : 0;
	if (!f->since.kind)
		return 0;
	ts = run->in->since_ts;
	if (f->since.kind == TI_REAL) {
		/* The result may be too early; the filter still checks the date of each event. */
		clock_gettime(CLOCK_REALTIME, &t);
		ts = ti_when_from(f->since.ns, t.tv_sec * NSEC + t.tv_nsec, stats.now);
	}
	if (lseek(fd, (off_t)ts, SEEK_SET) < 0)
		return complain(TI_NAME, path, "cannot seek", "");
	return 0;
}

int ti_input_window(struct ti_run *run, int fd, const char *path, bool live, char *buf)
{
	const struct ti_filter *f = &run->opt->filter;

	if (live)
		return seek_window(run, fd, path);
	if (f->since.kind == TI_AGO || f->until.kind == TI_AGO)
		return find_end(run, fd, path, buf);
	return 0;
}

void ti_read_ahead(int fd, size_t max, devtrace_item_fn *fn, void *arg,
		   const struct devtrace_decoder **decoder)
{
	const off_t here = lseek(fd, 0, SEEK_CUR);
	struct devtrace_decoder *d = here < 0 ? NULL : devtrace_decoder_new(fn, arg);
	struct zread *z = zread_new(NULL, NULL);
	char *buf = ti_alloc(NULL, max);
	unsigned int nothing = 0;
	size_t got = 0;
	ssize_t n;

	if (decoder)
		*decoder = d;
	while (d && z && got < max && nothing < AHEAD_NOTHING) {
		n = zread_read(z, fd, buf, max - got);
		if (n < 0 && errno == EINTR) {
			nothing++;
			continue;
		}
		if (n <= 0 || devtrace_decoder_feed(d, buf, (size_t)n, NULL))
			break;
		got += (size_t)n;
	}
	if (here >= 0)
		(void)!lseek(fd, here, SEEK_SET);
	devtrace_decoder_free(d);
	zread_free(z);
	free(buf);
}

struct first {
	struct devtrace_clock clock;
	bool		events, found;
};

/* Find the first CLOCK frame. Stop where another stream begins. */
static int clock_item(const struct devtrace_item *item, void *arg)
{
	struct first *f = arg;

	f->found = item->kind == DEVTRACE_ITEM_CLOCK;
	if (f->found)
		f->clock = item->u.clock;
	f->events |= item->kind == DEVTRACE_ITEM_EVENT;
	return f->found || (f->events && item->kind == DEVTRACE_ITEM_INFO &&
			    item->u.info.reason == DEVTRACE_INFO_OPEN);
}

bool ti_find_clock(int fd, const struct stat *st, struct devtrace_clock *c)
{
	struct first f = { 0 };

	if (S_ISREG(st->st_mode))
		ti_read_ahead(fd, TI_BLOCK, clock_item, &f, NULL);
	*c = f.clock;
	return f.found;
}

static int feed(struct ti_run *run, const char *buf, size_t n)
{
	int ret;

	if (run->raw)
		ti_raw_input(run->raw, buf, n);
	ret = devtrace_decoder_feed(run->in->decoder, buf, n, NULL);
	if (!ret)
		ti_print_load(run);
	if (run->raw)
		ti_raw_copy(run->raw, ti_bytes(run));
	return ret;
}

/* Does a pipe or terminal have nothing to read at present? */
static bool would_wait(int fd)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };

	return poll(&p, 1, 0) == 0;
}

static int read_file(struct ti_run *run, int fd, const char *path, const struct ti_piece *piece,
		     char *buf)
{
	struct devtrace_clock clock;
	struct stat st;
	bool regular;
	int ret = 0;
	ssize_t n;

	if (fstat(fd, &st))
		return complain_input(TI_NAME, path, false);
	regular = S_ISREG(st.st_mode);
	if (ti_input_window(run, fd, path, false, buf))
		return 1;
	ti_clock_first(ti_find_clock(fd, &st, &clock) ? &clock : NULL);
	if (ti_input_begin(run, ti_item, run))
		return 1;
	if (piece)
		ti_piece_begin(run, piece);
	while (!ti_stop && !ret) {
		if (!regular && run->out.len && !zread_holds(run->in->zread) && would_wait(fd) &&
		    out_flush(&run->out))
			break;
		n = ti_input_read(run, fd, buf, TI_BLOCK);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0) {
			complain_input(TI_NAME, path, false);
			/* Report the read error only, not that the input is not a stream. */
			ti_release(run);
			ti_input_end(run, path, TI_END_FAILED, &st, false);
			return 1;
		}
		if (!n)
			break;
		ret = feed(run, buf, n);
		/* Without this limit a whole disk, for example, would be read into memory. */
		if (run->raw && run->in->held.line.len > HELD_MAX)
			break;
	}
	return ti_input_end(run, path, ti_stop || ret ? TI_END_STOPPED : TI_END_WHOLE, &st, false);
}

bool ti_is_device(const char *path)
{
	struct devtrace_stats stats = { .cpu = -1 };
	struct stat st;
	bool is;
	int fd;

	if (stat(path, &st) || !S_ISCHR(st.st_mode))
		return false;
	fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	if (fd < 0)
		return true;
	is = !ioctl(fd, DEVTRACE_IOC_STATS, &stats);
	close(fd);
	return is;
}

int ti_input_fd(struct ti_run *run, int fd, const char *path, const struct ti_piece *piece)
{
	char *buf = ti_alloc(NULL, TI_BLOCK);
	int ret = read_file(run, fd, path, piece, buf);

	free(buf);
	return ret;
}

int ti_input_file(struct ti_run *run, const struct ti_piece *piece)
{
	const char *path = piece->path;
	bool is_stdin = !strcmp(path, "-");
	int fd, ret;

	if (link_is(path))
		return ti_input_link(run, path);
	if (!is_stdin && ti_is_device(path))
		return ti_input_live(run, path);
	fd = is_stdin ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return complain_input(TI_NAME, path, false);
	run->in->named = !is_stdin;
	ret = ti_input_fd(run, fd, is_stdin ? "standard input" : path, is_stdin ? NULL : piece);
	run->in->named = false;
	if (!is_stdin)
		close(fd);
	return ret;
}

/* Wait for events, at most @ms ms unless @ms is negative. A signal before ppoll() ends the wait. */
static int wait_more(int fd, int ms)
{
	const struct timespec time = { .tv_nsec = ms * 1000000l };
	struct pollfd p = { .fd = fd, .events = POLLIN };
	sigset_t block, old;
	int ret = 0;

	sigemptyset(&block);
	sigaddset(&block, SIGINT);
	sigaddset(&block, SIGTERM);
	sigprocmask(SIG_BLOCK, &block, &old);
	if (!ti_stop)
		ret = ppoll(&p, 1, ms < 0 ? NULL : &time, &old);
	sigprocmask(SIG_SETMASK, &old, NULL);
	return ret < 0 && errno != EINTR ? -1 : 0;
}

static int read_live(struct ti_run *run, int fd, const char *path, char *buf)
{
	int ret = 0, ms = -1;
	ssize_t n;

	while (!ti_stop && !ret) {
		n = read(fd, buf, TI_BLOCK);
		if (n > 0) {
			ret = feed(run, buf, n);
			continue;
		}
		if (!n)
			break;
		if (errno == EINTR)
			continue;
		if (errno != EAGAIN)
			return complain_input(TI_NAME, path, false);
		if (!run->opt->follow)
			break;
		ti_print_last(run);
		ms = ti_timeline_wait(run->timeline, &run->out, &run->printer, run->in->decoder);
		if (out_flush(&run->out))
			break;
		/* Compare the filter's names with the names known so far; more may follow later. */
		if (devtrace_decoder_totals(run->in->decoder)->frames)
			ti_names_say(run->names);
		if (wait_more(fd, ms))
			break;
	}
	return 0;
}

int ti_input_live(struct ti_run *run, const char *path)
{
	int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC), ret = 1;
	struct stat st;
	char *buf;

	if (fd < 0)
		return complain_input(TI_NAME, path, true);
	if (fstat(fd, &st)) {
		complain_input(TI_NAME, path, false);
		close(fd);
		return 1;
	}
	/*
	 * A program wrote to the device's path before the device existed, and so created a regular
	 * file: report it.
	 */
	if (S_ISREG(st.st_mode) && !strcmp(path, TI_DEVICE)) {
		close(fd);
		return complain_no_stream(TI_NAME, path, true, true, NULL);
	}
	buf = ti_alloc(NULL, TI_BLOCK);
	if (!ti_input_window(run, fd, path, true, buf) &&
	    !ti_input_begin(run, ti_item, run)) {
		run->in->evidence.found = S_ISCHR(st.st_mode);
		run->opt->filter.pids = ti_pids_new(fd);
		ti_print_pids(run);
		ret = read_live(run, fd, path, buf);
		if (ret)
			ti_release(run);
		/* The rest of an incomplete frame will arrive later, so it is not an error. */
		ret |= ti_input_end(run, path, ti_stop ? TI_END_STOPPED : TI_END_LATER, &st, true);
		run->in->end_ts = UINT64_MAX;
		run->in->losses_ts = UINT64_MAX;
		ti_pids_free(run->opt->filter.pids);
		run->opt->filter.pids = NULL;
	}
	/* Clear the buffer only after its events were read and the output was written. */
	if (!ret && run->opt->clear && !ti_stop) {
		ti_print_last(run);
		if (out_flush(&run->out))
			ret = 1;
		else if (ioctl(fd, DEVTRACE_IOC_CLEAR))
			ret = complain(TI_NAME, path, "not cleared", errno == EPERM ?
				       " (it needs CAP_SYSLOG, CAP_SYS_ADMIN or CAP_PERFMON)" : "");
	}
	free(buf);
	close(fd);
	return ret;
}

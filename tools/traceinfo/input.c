// SPDX-License-Identifier: GPL-2.0-only
/*
 * input.c - the live buffer, files and pipes, in blocks of fixed size
 *
 * Nothing is kept of what was read but the dictionary (bounded) and, with -n,
 * the last lines: a file of any size takes the same memory. Whatever is
 * printed is out before the program waits for more input.
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
#include "common/link.h"
#include "sequence.h"
#include "sum_machine.h"

#define BLOCK	(256 * 1024)
#define NSEC	1000000000ll
#define HELD_MAX	(1024 * 1024)	/* bytes of reports before there is evidence */

static bool in_window(struct ti_run *run, uint64_t first, uint64_t last)
{
	const struct ti_filter *f = &run->opt->filter;
	int64_t real;

	if (f->since.kind == TI_AGO && last < run->since_ts)
		return false;
	if (f->until.kind == TI_AGO && first > run->until_ts)
		return false;
	/* Without a CLOCK frame no date is known: then nothing is left out. */
	if (f->since.kind == TI_REAL && devtrace_decoder_real(run->decoder, last, &real) &&
	    real < f->since.ns)
		return false;
	if (f->until.kind == TI_REAL && devtrace_decoder_real(run->decoder, first, &real) &&
	    real > f->until.ns)
		return false;
	return true;
}

static bool past_until(struct ti_run *run, uint64_t ts)
{
	const struct ti_filter *f = &run->opt->filter;
	int64_t real;

	if (f->until.kind == TI_AGO)
		return ts > run->until_ts;
	return f->until.kind == TI_REAL && devtrace_decoder_real(run->decoder, ts, &real) &&
	       real > f->until.ns;
}

/* Where lines go: they are held until it is known that the input is a stream. */
static struct out *lines(struct ti_run *run)
{
	return run->evidence.found ? &run->out : ti_last_report(&run->held);
}

/* Bytes, not lines: so many may be held, and none is left out. */
static struct out *bytes(struct ti_run *run)
{
	return run->evidence.found ? &run->out : &run->held.line;
}

/* It is, or it does not matter any more: print what was held. */
static void release(struct ti_run *run)
{
	run->evidence.found = true;
	ti_last_print(&run->held, &run->out, run->opt->json);
}

static int print_event(struct ti_run *run, const struct devtrace_item *item)
{
	const struct devtrace_event *ev = &item->u.event;
	const struct ti_options *opt = run->opt;
	struct ti_event e;
	struct out *o;

	if (ev->ts > run->end_ts)
		return 1;
	if ((opt->filter.since.kind || opt->filter.until.kind) &&
	    !in_window(run, ev->ts, ev->ts))
		/* Following, events only get newer: this is the end. */
		return opt->follow && past_until(run, ev->ts) ? 1 : 0;
	if (run->sum) {
		sum_event(run->sum, ev, devtrace_decoder_lane(run->decoder, ev->source) >= 0);
		/* Types of QP, and those that may be RKH's */
		if (ev->type < DEVTRACE_T_USER || ev->type >= DEVTRACE_T_USER2) {
			ti_event_init(&e, ev, run->decoder, &run->fmts);
			sum_machines_event(run->sum->machines, &e);
		}
		return 0;
	}
	ti_event_init(&e, ev, run->decoder, &run->fmts);
	if (!ti_filter_wants(&opt->filter, &e))
		return 0;
	if (run->raw) {
		ti_raw_item(run->raw, bytes(run), item);
		run->printed++;
		return 0;
	}
	if (run->sequence && !ti_sequence_wants(run->sequence, &e))
		return 0;
	if (!opt->json && !run->sequence)
		ti_layout_line(lines(run), &run->printer);
	/* The event before perhaps is none of the last: no time is relative to it. */
	if (run->keep && run->printer.clock.mode == TI_TIME_REL)
		run->printer.clock.have_before = false;
	o = run->keep ? ti_last_event(&run->last, opt->json) : lines(run);
	if (!o)
		return 0;
	if (run->sequence)
		ti_sequence_event(run->sequence, o, &run->printer, &e);
	else if (opt->json)
		ti_json_event(o, &run->printer, &e);
	else
		ti_line_event(o, &run->printer, &e);
	run->printed++;
	if (run->keep)
		ti_last_keep(&run->last);
	return 0;
}

/* Not the stream that everybody expects, or another one than before. */
static bool other_stream(struct ti_run *run, const char *name)
{
	if (!strncmp(run->stream, name, sizeof(run->stream) - 1))
		return false;
	snprintf(run->stream, sizeof(run->stream), "%s", name);
	return true;
}

/* What comes behind INFO, and is no item. */
static void print_load(struct ti_run *run)
{
	uint32_t load = devtrace_decoder_load(run->decoder);
	struct out *o = &run->out;

	if (load == run->load)
		return;
	run->load = load;
	if (load && run->raw)
		ti_raw_load(run->raw, bytes(run), load);
	if (!load || run->raw || !run->opt->verbose || run->sum)
		return;
	if (run->keep)
		o = ti_last_report(&run->last);
	if (o && run->opt->json)
		ti_json_load(o, load);
	else if (o)
		ti_line_load(o, &run->printer, load);
}

static int one_item(struct ti_run *run, const struct devtrace_item *item)
{
	bool announced = false;
	struct out *o;
	int ret;

	print_load(run);
	if (!run->evidence.found && ti_evidence(&run->evidence, item))
		release(run);

	switch (item->kind) {
	case DEVTRACE_ITEM_EVENT:
		run->losses.n = 0;
		ret = print_event(run, item);
		return ret ? ret : run->out.err || ti_stop;
	case DEVTRACE_ITEM_LOST:
		if (item->u.lost.to > run->losses_ts &&
		    ti_losses_only(&run->losses, item->u.lost.source, item->u.lost.cause))
			return 1;
		if (item->u.lost.to && !in_window(run, item->u.lost.from, item->u.lost.to))
			return 0;
		break;
	case DEVTRACE_ITEM_STATE:
		if (!in_window(run, item->u.state.ts, item->u.state.ts))
			return 0;
		break;
	case DEVTRACE_ITEM_GAP:
	case DEVTRACE_ITEM_DAMAGE:
	case DEVTRACE_ITEM_UNKNOWN:
		break;
	case DEVTRACE_ITEM_INFO:
		/* It may have other lanes. */
		ti_header_forget(run->printer.header);
		announced = other_stream(run, item->u.info.stream);
		if (!announced && !run->opt->verbose && !run->sum && !run->raw)
			return 0;
		break;
	case DEVTRACE_ITEM_NOTE:
		/* Each of many files has a number. */
		if (!run->opt->verbose && !strcmp(item->u.note.name, DEVTRACE_NOTE_FILE))
			return 0;
		break;
	case DEVTRACE_ITEM_PROC:
	case DEVTRACE_ITEM_DICT:
		if (run->names && item->kind == DEVTRACE_ITEM_DICT)
			ti_names_heard(run->names, &item->u.dict);
		ti_header_forget(run->printer.header);
		/* fall through */
	default:
		if (!run->opt->verbose && !run->raw)
			return 0;
	}
	if (run->raw) {
		ti_raw_item(run->raw, bytes(run), item);
		return run->out.err || ti_stop;
	}
	if (run->sum) {
		sum_item(run->sum, item, item->kind == DEVTRACE_ITEM_LOST &&
			 devtrace_decoder_lane(run->decoder, item->u.lost.source) >= 0);
		return ti_stop;
	}
	/* -n leaves out what comes before the last events, but not whose they are. */
	if (!run->opt->json)
		ti_layout_line(lines(run), &run->printer);
	o = run->keep && !announced ? ti_last_report(&run->last) : lines(run);
	if (o && run->opt->json)
		ti_json_item(o, &run->printer, run->decoder, item);
	else if (o)
		ti_line_item(o, &run->printer, run->decoder, item);
	return run->out.err || ti_stop;
}

int ti_item(const struct devtrace_item *item, void *arg)
{
	struct ti_run *run = arg;
	int ret = one_item(run, item);

	if (run->raw)
		ti_raw_used(run->raw, item->offset);
	if (ret && run->raw)
		ti_raw_end(run->raw, item);
	return ret;
}

static int complain(const char *path, const char *what, const char *hint)
{
	int err = errno;
	struct out safe;

	out_init(&safe, -1);
	out_safe(&safe, path, strlen(path));
	out_char(&safe, 0);
	fprintf(stderr, "traceinfo: %s: %s%s%s%s\n", safe.buf ? safe.buf : "?", what,
		*what ? ": " : "", strerror(err), hint);
	out_free(&safe);
	return 1;
}

static int begin(struct ti_run *run)
{
	run->decoder = devtrace_decoder_new(ti_item, run);
	if (!run->decoder)
		return complain("decoder", "", "");
	if (run->opt->summary)
		run->sum = sum_new();
	/* Deltas and cached seconds are of one stream. */
	run->printer.clock.valid = false;
	run->printer.clock.have_before = false;
	run->printer.iso.valid = false;
	run->losses.n = 0;
	memset(&run->evidence, 0, sizeof(run->evidence));
	run->held.reports_max = HELD_MAX;
	/* Taken back if that was no stream. */
	run->reports_before = run->last.line.len;
	run->omitted_before = run->last.omitted;
	strcpy(run->stream, TI_STREAM);
	run->load = 0;
	if (run->raw)
		ti_raw_begin(run->raw);
	ti_header_forget(run->printer.header);
	return 0;
}

/* A file of another kind: forget what was reported about it. */
static void take_back(struct ti_run *run)
{
	ti_last_free(&run->held);
	if (run->last.line.len > run->reports_before)
		run->last.line.len = run->reports_before;
	run->last.omitted = run->omitted_before;
}

/* How the input ended: what is missing at its end comes later, or never. */
enum ending { END_WHOLE, END_LATER, END_STOPPED };

/* 1 after a message: it was no stream. */
static int end(struct ti_run *run, const char *path, enum ending how, const struct stat *st,
	       bool live)
{
	const struct devtrace_totals *t;
	int ret = 0;

	if (how == END_WHOLE)
		devtrace_decoder_finish(run->decoder);
	t = devtrace_decoder_totals(run->decoder);
	if (!run->evidence.found && how != END_STOPPED &&
	    (t->bytes || (live && S_ISREG(st->st_mode)))) {
		take_back(run);
		ret = ti_no_stream(path, S_ISREG(st->st_mode), live, t);
	} else if (!run->evidence.found) {
		release(run);
	}
	run->totals.bytes += t->bytes;
	run->totals.frames += t->frames;
	run->totals.events += t->events;
	run->totals.missing += t->missing;
	run->totals.damages += t->damages;
	run->totals.damaged_bytes += t->damaged_bytes;
	run->totals.lost += t->lost;
	if (run->sum) {
		sum_end(run->sum);
		if (!ret)
			ti_sum_print(&run->out, &run->printer, run->decoder, run->sum, path);
		sum_free(run->sum);
		run->sum = NULL;
	}
	devtrace_decoder_free(run->decoder);
	run->decoder = NULL;
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

/* Decode from an offset to the end; where the last event is. */
static int scan_tail(int fd, off_t from, char *buf, struct tail *tail)
{
	struct devtrace_decoder *d = devtrace_decoder_new(tail_item, tail);
	ssize_t n = 0;

	if (!d)
		return -1;
	while (!ti_stop && (n = pread(fd, buf, BLOCK, from)) != 0) {
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

/* In a file, "ago" is before its last event: find that from the end. */
static int find_end(struct ti_run *run, int fd, const char *path, char *buf)
{
	const struct ti_filter *f = &run->opt->filter;
	const char *word = f->since.kind == TI_AGO ? f->since.word : f->until.word;
	off_t here = lseek(fd, 0, SEEK_CUR), size = here < 0 ? -1 : lseek(fd, 0, SEEK_END);
	struct tail tail = { 0 };
	off_t window = 1024 * 1024;

	if (here < 0 || size < 0) {
		fprintf(stderr, "traceinfo: '%s' counts from the end of the recording, which a pipe does not tell before it has come; save it to a file, or give a date\n",
			word);
		return 1;
	}
	for (;; window *= 4) {
		off_t from = size - here > window ? size - window : here;

		if (scan_tail(fd, from, buf, &tail))
			return complain(path, "", "");
		if (tail.found || from == here)
			break;
	}
	if (lseek(fd, here, SEEK_SET) < 0)
		return complain(path, "", "");
	run->since_ts = tail.ts > (uint64_t)f->since.ns ? tail.ts - f->since.ns : 0;
	run->until_ts = tail.ts > (uint64_t)f->until.ns ? tail.ts - f->until.ns : 0;
	return 0;
}

static int feed(struct ti_run *run, const char *buf, size_t n)
{
	int ret;

	if (run->raw)
		ti_raw_input(run->raw, buf, n);
	ret = devtrace_decoder_feed(run->decoder, buf, n, NULL);
	if (!ret)
		print_load(run);
	if (run->raw)
		ti_raw_copy(run->raw, bytes(run));
	return ret;
}

/* A pipe or terminal that has nothing more at the moment. */
static bool would_wait(int fd)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };

	return poll(&p, 1, 0) == 0;
}

static int read_file(struct ti_run *run, int fd, const char *path, char *buf)
{
	const struct ti_filter *f = &run->opt->filter;
	struct stat st;
	bool regular;
	int ret = 0;
	ssize_t n;

	if (fstat(fd, &st))
		return complain(path, "", "");
	regular = S_ISREG(st.st_mode);
	if ((f->since.kind == TI_AGO || f->until.kind == TI_AGO) &&
	    find_end(run, fd, path, buf))
		return 1;
	if (begin(run))
		return 1;
	while (!ti_stop && !ret) {
		if (!regular && run->out.len && would_wait(fd) && out_flush(&run->out))
			break;
		n = read(fd, buf, BLOCK);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0) {
			complain(path, "", "");
			/* Another error than that it is no stream. */
			release(run);
			end(run, path, END_WHOLE, &st, false);
			return 1;
		}
		if (!n)
			break;
		ret = feed(run, buf, n);
		/* Nobody holds a whole disk. */
		if (run->raw && run->held.line.len > HELD_MAX)
			break;
	}
	return end(run, path, ti_stop || ret ? END_STOPPED : END_WHOLE, &st, false);
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

int ti_input_fd(struct ti_run *run, int fd, const char *path)
{
	char *buf = ti_alloc(NULL, BLOCK);
	int ret = read_file(run, fd, path, buf);

	free(buf);
	return ret;
}

int ti_input_file(struct ti_run *run, const char *path)
{
	bool is_stdin = !strcmp(path, "-");
	int fd, ret;

	if (link_is(path))
		return ti_input_link(run, path);
	if (!is_stdin && ti_is_device(path))
		return ti_input_live(run, path);
	fd = is_stdin ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return complain(path, "", errno == ENOENT ?
				" (give a saved stream, or nothing to read " TI_DEVICE ")" : "");
	ret = ti_input_fd(run, fd, is_stdin ? "standard input" : path);
	if (!is_stdin)
		close(fd);
	return ret;
}

/* The trace clock of the device now, and lseek to where the window begins. */
static int seek_window(struct ti_run *run, int fd, const char *path)
{
	const struct ti_filter *f = &run->opt->filter;
	struct devtrace_stats stats = { .cpu = -1 };
	struct timespec t;
	int64_t behind;
	uint64_t ts;

	if (ioctl(fd, DEVTRACE_IOC_STATS, &stats)) {
		/* A pipe in place of the device is read to its end. */
		if (!f->since.kind && !f->until.kind)
			return 0;
		return complain(path, "cannot tell its clock", "");
	}
	/*
	 * Writers may be faster than we print: what was not there when we began
	 * is left to -f, or we might never come to an end. What is cleared
	 * afterwards must have been printed, though.
	 */
	if (!run->opt->follow && !run->opt->clear)
		run->end_ts = stats.now;
	/* Losses are not stored: nothing is cleared unseen where they are the end. */
	if (!run->opt->follow)
		run->losses_ts = stats.now;
	run->since_ts = stats.now > (uint64_t)f->since.ns ? stats.now - f->since.ns : 0;
	run->until_ts = stats.now > (uint64_t)f->until.ns ? stats.now - f->until.ns : 0;
	if (!f->since.kind)
		return 0;
	ts = run->since_ts;
	if (f->since.kind == TI_REAL) {
		/*
		 * By the wall clock as it is set now, which runs up to 500 ppm
		 * faster or slower than the trace clock: so begin earlier. The
		 * date of each event decides.
		 */
		clock_gettime(CLOCK_REALTIME, &t);
		behind = t.tv_sec * NSEC + t.tv_nsec - f->since.ns;
		behind += NSEC + (behind > 0 ? behind / 1000 : 0);
		ts = behind <= 0 ? stats.now :
		     (uint64_t)behind < stats.now ? stats.now - behind : 0;
	}
	if (lseek(fd, (off_t)ts, SEEK_SET) < 0)
		return complain(path, "cannot seek", "");
	return 0;
}

/* Wait for events; a signal that comes before the wait is not missed. */
static int wait_more(int fd)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };
	sigset_t block, old;
	int ret = 0;

	sigemptyset(&block);
	sigaddset(&block, SIGINT);
	sigaddset(&block, SIGTERM);
	sigprocmask(SIG_BLOCK, &block, &old);
	if (!ti_stop)
		ret = ppoll(&p, 1, NULL, &old);
	sigprocmask(SIG_SETMASK, &old, NULL);
	return ret < 0 && errno != EINTR ? -1 : 0;
}

static int read_live(struct ti_run *run, int fd, const char *path, char *buf)
{
	int ret = 0;
	ssize_t n;

	while (!ti_stop && !ret) {
		n = read(fd, buf, BLOCK);
		if (n > 0) {
			ret = feed(run, buf, n);
			continue;
		}
		if (!n)
			break;
		if (errno == EINTR)
			continue;
		if (errno != EAGAIN)
			return complain(path, "", "");
		if (!run->opt->follow)
			break;
		if (run->keep) {
			ti_last_print(&run->last, &run->out, run->opt->json);
			run->keep = false;
		}
		if (out_flush(&run->out))
			break;
		/* Later the stream may bring them: this is what there is. */
		if (devtrace_decoder_totals(run->decoder)->frames)
			ti_names_say(run->names);
		if (wait_more(fd))
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
		return complain(path, "", errno == ENOENT ?
				" (is the module devtrace loaded, and has it this stream?)" :
				errno == EACCES ? " (the group of the device may read it)" : "");
	if (fstat(fd, &st)) {
		complain(path, "", "");
		close(fd);
		return 1;
	}
	/* Whatever is in it, nobody meant that file. */
	if (S_ISREG(st.st_mode) && !strcmp(path, TI_DEVICE)) {
		close(fd);
		return ti_no_stream(path, true, true, NULL);
	}
	buf = ti_alloc(NULL, BLOCK);
	if (!seek_window(run, fd, path) && !begin(run)) {
		run->evidence.found = S_ISCHR(st.st_mode);
		ret = read_live(run, fd, path, buf);
		if (ret)
			release(run);
		/* What is cut off at the end of a live stream comes later. */
		ret |= end(run, path, ti_stop ? END_STOPPED : END_LATER, &st, true);
		run->end_ts = UINT64_MAX;
		run->losses_ts = UINT64_MAX;
	}
	/* Only what has been read, and has reached the output, may be cleared. */
	if (!ret && run->opt->clear && !ti_stop) {
		if (run->keep) {
			ti_last_print(&run->last, &run->out, run->opt->json);
			run->keep = false;
		}
		if (out_flush(&run->out))
			ret = 1;
		else if (ioctl(fd, DEVTRACE_IOC_CLEAR))
			ret = complain(path, "not cleared", errno == EPERM ?
				       " (it needs CAP_SYSLOG, CAP_SYS_ADMIN or CAP_PERFMON)" : "");
	}
	free(buf);
	close(fd);
	return ret;
}

// SPDX-License-Identifier: GPL-2.0-only
/*
 * nothing.c - explain why no event was printed
 *
 * Either no event passed the filter or is a record of QS, or the time window contains no event.
 * Standard error says which: it has the number of events that did not pass the filter, or the
 * time at which the stream was stopped, or the time of the stream's last event.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include "traceinfo.h"

/* The end of a whole stream. */
struct ending {
	uint64_t	last_ts;	/* of the newest event; 0: none */
	uint64_t	state_ts;	/* of the last change of state */
	uint8_t		state;
};

static int note_ending(const struct devtrace_item *item, void *arg)
{
	struct ending *e = arg;

	if (item->kind == DEVTRACE_ITEM_EVENT) {
		e->last_ts = item->u.event.ts;
	} else if (item->kind == DEVTRACE_ITEM_STATE) {
		e->state = item->u.state.state;
		e->state_ts = item->u.state.ts;
	}
	return ti_stop;
}

/* Read the device from its oldest event to its end. */
static struct devtrace_decoder *read_all(const char *path, struct ending *e)
{
	struct devtrace_decoder *d = devtrace_decoder_new(note_ending, e);
	int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	char *buf = ti_alloc(NULL, TI_BLOCK);
	uint64_t events;
	ssize_t n;

	while (d && fd >= 0) {
		events = devtrace_decoder_totals(d)->events;
		n = read(fd, buf, TI_BLOCK);
		if (n <= 0 || devtrace_decoder_feed(d, buf, (size_t)n, NULL))
			break;
		/*
		 * Programs that emit into a stopped stream cause losses without end: stop reading.
		 */
		if (e->state != DEVTRACE_STATE_RUNNING &&
		    devtrace_decoder_totals(d)->events == events)
			break;
	}
	free(buf);
	if (fd >= 0)
		close(fd);
	return d;
}

static void say_window(struct ti_run *run, const char *path)
{
	struct ending e = { .state = DEVTRACE_STATE_RUNNING };
	struct devtrace_decoder *d = read_all(path, &e);
	struct out o;

	out_init(&o, -1);
	OUT_LIT(&o, "traceinfo: no event since ");
	out_str(&o, run->opt->filter.since.word);
	if (e.state != DEVTRACE_STATE_RUNNING) {
		OUT_LIT(&o, "; the stream has been ");
		out_str(&o, e.state == DEVTRACE_STATE_FROZEN ? "frozen" : "stopped");
		OUT_LIT(&o, " since ");
		ti_clock_moment(&o, &run->printer.clock, d, e.state_ts);
	} else if (e.last_ts) {
		OUT_LIT(&o, "; the last one was at ");
		ti_clock_moment(&o, &run->printer.clock, d, e.last_ts);
	} else {
		OUT_LIT(&o, "; the stream has no event");
	}
	out_char(&o, '\n');
	fwrite(o.buf, 1, o.len, stderr);
	out_free(&o);
	devtrace_decoder_free(d);
}

static void put_words(struct out *o, const char *option, const struct ti_words *w)
{
	size_t i;

	for (i = 0; i < w->n; i++) {
		out_str(o, i ? "," : option);
		out_safe(o, w->v[i], strlen(w->v[i]));
	}
}

static void say_filter(const struct ti_run *run)
{
	const struct ti_filter *f = &run->opt->filter;
	struct out o;

	out_init(&o, -1);
	OUT_LIT(&o, "traceinfo: of ");
	out_u64(&o, run->totals.events);
	OUT_LIT(&o, " events read, none passes the filter");
	put_words(&o, " -p ", &f->processes);
	put_words(&o, " -o ", &f->objects);
	put_words(&o, " -t ", &f->names);
	out_char(&o, '\n');
	fwrite(o.buf, 1, o.len, stderr);
	out_free(&o);
}

void ti_nothing_say(struct ti_run *run)
{
	const struct ti_options *opt = run->opt;
	const struct ti_filter *f = &opt->filter;
	const bool filtered = f->by_severity || f->by_cpu || f->by_type || f->names.n ||
			      f->processes.n || f->objects.n || f->nr_match || f->nr_unmatch;

	if (run->printed || !opt->last || opt->summary || opt->raw || opt->sequence.n)
		return;
	if (run->totals.events && filtered)
		say_filter(run);
	else if (run->totals.events && opt->layout == TI_LAYOUT_QSPY)
		fprintf(stderr, "traceinfo: of %llu events read, none is a record of QS, which --format=qspy prints\n",
			(unsigned long long)run->totals.events);
	else if (!run->totals.events && f->since.kind == TI_AGO && !opt->files.n)
		say_window(run, opt->device);
}

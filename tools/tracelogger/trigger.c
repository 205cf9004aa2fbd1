// SPDX-License-Identifier: GPL-2.0-only
/*
 * trigger.c - --on-trigger: save a file each time the trigger fires
 *
 * Invariants
 * - The stream is started again only when all its events are in the file; then the trigger is
 *   armed again. So no event is overwritten while it is being saved.
 * - The trigger is armed --interval after it fired, which limits the number of files. The stream
 *   is started earlier.
 * - The kernel counts how often the trigger fired. So if a notification is lost, the next one
 *   shows it. If the stream is stopped already when the logger starts, it is saved first.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include "run.h"

#ifndef TL_CTL
int tl_trigger_run(struct tl_run *r)
{
	fprintf(stderr, "tracelogger: --on-trigger: '%s': this tracelogger was built without libmnl\n",
		r->opt.trigger);
	return 1;
}
#else
#include "devtrace-ctl.h"

struct watch {
	struct devtrace_ctl *ctl;
	int		fd;
	const char	*name;
	char		stream[DEVTRACE_NAME_LEN];
	struct devtrace_ctl_trigger t;
	/* saved: the value of t.fired at the last save */
	uint64_t	saved;
};

static int failed(struct watch *w, int err)
{
	static const char none[] =
		"no such trigger; 'tracectl trigger' lists the triggers";
	const char *why = w->ctl ? devtrace_ctl_error(w->ctl) : "";

	fprintf(stderr, "tracelogger: --on-trigger: %s: %s\n", w->name,
		err == -ENOENT ? none : *why ? why : strerror(-err));
	return 1;
}

/* Discard the notifications, then read the trigger's and the stream's current state. */
static int look(struct watch *w)
{
	struct devtrace_ctl_change change;
	int ret;

	do
		ret = devtrace_ctl_next(w->ctl, &change);
	while (ret > 0 || ret == -ENOBUFS);
	return devtrace_ctl_trigger_get(w->ctl, w->name, &w->t);
}

static bool stops(const struct watch *w)
{
	return w->t.action == DEVTRACE_ACTION_STOP || w->t.action == DEVTRACE_ACTION_FREEZE;
}

static uint32_t state(struct watch *w)
{
	struct devtrace_ctl_stream s;

	return devtrace_ctl_stream_get(w->ctl, w->stream, &s) ? DEVTRACE_STATE_STOPPED : s.state;
}

static int open_watch(struct watch *w)
{
	int err;

	w->ctl = devtrace_ctl_open();
	if (!w->ctl)
		return failed(w, -errno);
	w->fd = devtrace_ctl_monitor(w->ctl);
	if (w->fd < 0)
		return failed(w, w->fd);
	err = devtrace_ctl_trigger_get(w->ctl, w->name, &w->t);
	if (err)
		return failed(w, err);
	snprintf(w->stream, sizeof(w->stream), "%s", *w->t.stream ? w->t.stream : "trace");
	/*
	 * If the trigger had stopped the stream before the logger started, save the stream at
	 * once; otherwise wait for the trigger.
	 */
	w->saved = stops(w) && state(w) != DEVTRACE_STATE_RUNNING ? 0 : w->t.fired;
	return 0;
}

/* Has the trigger fired, and has the stream stopped, if the trigger stops it? */
static bool ready(struct watch *w)
{
	return w->t.fired != w->saved &&
	       (!stops(w) || state(w) != DEVTRACE_STATE_RUNNING);
}

/* Wait until the trigger or the stream changes, for a signal, or for @ns. */
static void wait_change(struct tl_run *r, int fd, int64_t ns)
{
	tl_wait_for(r, fd, ns);
	if (tl_tell) {
		tl_tell = 0;
		tl_report_status(&r->report, &r->store, &r->saved, "asked");
	}
	tl_reopen = 0;
	tl_save = 0;
}

static void add_totals(struct devtrace_totals *to, const struct devtrace_totals *t)
{
	to->events += t->events;
	to->lost += t->lost;
	to->missing += t->missing;
	to->damages += t->damages;
}

/* Save the whole stream in one file. Return false if that failed and the logger must end. */
static bool save(struct tl_run *r)
{
	struct devtrace_stats stats = { .cpu = DEVTRACE_STATS_ALL };

	if (tl_run_open(r, r->opt.device))
		return false;
	r->until = UINT64_MAX;
	if (!ioctl(r->dev, DEVTRACE_IOC_STATS, &stats))
		r->until = stats.now;
	r->announces = false;
	while (tl_save_all(r)) {
		if (tl_stop)
			return false;
		wait_change(r, -1, TL_RETRY);
	}
	tl_end_file(r);
	while (tl_flush(r)) {
		if (tl_stop)
			return false;
		wait_change(r, -1, TL_RETRY);
	}
	if (r->failed)
		return false;
	add_totals(&r->saved, devtrace_decoder_totals(r->decoder));
	if (!r->opt.quiet && !r->opt.json)
		fprintf(stderr, "tracelogger: trigger %s: saved in %s/%s\n", r->opt.trigger,
			r->store.name.dir, r->store.current);
	return true;
}

/* Start the stream. A frozen stream must be stopped before it can be started. */
static int go_on(struct watch *w)
{
	int err = 0;

	if (!stops(w))
		return 0;
	if (state(w) == DEVTRACE_STATE_FROZEN)
		err = devtrace_ctl_stream_state(w->ctl, w->stream, DEVTRACE_STATE_STOPPED);
	if (!err && state(w) != DEVTRACE_STATE_RUNNING)
		err = devtrace_ctl_stream_state(w->ctl, w->stream, DEVTRACE_STATE_RUNNING);
	return err;
}

static int serve_one(struct tl_run *r, struct watch *w)
{
	int64_t begun = tl_now(), left;
	int err;

	w->saved = w->t.fired;
	if (!save(r))
		return tl_stop ? 0 : 1;
	err = go_on(w);
	if (err)
		return failed(w, err);
	if (r->opt.json)
		tl_report_status(&r->report, &r->store, &r->saved, "trigger");
	while (!tl_stop && !r->opt.once && (left = begun + r->opt.interval - tl_now()) > 0)
		wait_change(r, -1, left);
	err = w->t.rearm ? 0 : devtrace_ctl_trigger_arm(w->ctl, w->name, true);
	return err ? failed(w, err) : 0;
}

int tl_trigger_run(struct tl_run *r)
{
	struct watch w = { .name = r->opt.trigger };
	static char device[64];
	int ret = open_watch(&w);

	if (!ret) {
		snprintf(device, sizeof(device), strcmp(w.stream, "trace") ? "/dev/trace-%s" :
			 "/dev/%s", w.stream);
		r->opt.device = device;
		tl_notify("READY=1");
	}
	while (!ret && !tl_stop) {
		if (ready(&w)) {
			ret = serve_one(r, &w);
			if (r->opt.once)
				break;
		} else {
			wait_change(r, w.fd, -1);
		}
		if (!ret && look(&w))
			ret = failed(&w, -ENOENT);
	}
	if (w.ctl)
		devtrace_ctl_close(w.ctl);
	return ret;
}
#endif

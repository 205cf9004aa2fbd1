// SPDX-License-Identifier: GPL-2.0-only
/*
 * monitor.c - print every change until a signal ends the program
 *
 * Each line is flushed at once, so that a program reading a pipe gets it. If the kernel drops
 * notifications, a line says so; a script must then read the state again.
 */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include "tracectl.h"

static volatile sig_atomic_t stop;

static void on_signal(int sig)
{
	(void)sig;
	stop = 1;
}

static const char *const kinds[] = {
	[DEVTRACE_CMD_NTF_STREAM_NEW] = "stream-new",
	[DEVTRACE_CMD_NTF_STREAM_SET] = "stream-set",
	[DEVTRACE_CMD_NTF_STREAM_DEL] = "stream-del",
	[DEVTRACE_CMD_NTF_CLEAR] = "clear",
	[DEVTRACE_CMD_NTF_FILTER] = "filter",
	[DEVTRACE_CMD_NTF_TRIGGER_NEW] = "trigger-new",
	[DEVTRACE_CMD_NTF_TRIGGER_SET] = "trigger-set",
	[DEVTRACE_CMD_NTF_TRIGGER_DEL] = "trigger-del",
	[DEVTRACE_CMD_NTF_FIRED] = "fired",
	[DEVTRACE_CMD_NTF_WATERMARK] = "watermark",
	[DEVTRACE_CMD_NTF_PROFILE_ADD] = "profile-add",
	[DEVTRACE_CMD_NTF_PROFILE_DEL] = "profile-del",
};

static void json(struct out *o, const struct devtrace_ctl_change *c)
{
	tc_json_str(o, "{\"event\":", kinds[c->cmd]);
	out_char(o, ',');
	switch (c->cmd) {
	case DEVTRACE_CMD_NTF_STREAM_NEW:
	case DEVTRACE_CMD_NTF_STREAM_SET:
		tc_json_stream(o, &c->u.stream);
		break;
	case DEVTRACE_CMD_NTF_STREAM_DEL:
	case DEVTRACE_CMD_NTF_CLEAR:
		tc_json_str(o, "\"stream\":", c->u.stream.name);
		break;
	case DEVTRACE_CMD_NTF_FILTER:
		tc_json_str(o, "\"stream\":", c->u.filter.stream);
		tc_json_num(o, ",\"generation\":", c->u.filter.generation);
		tc_json_filter(o, ",\"filter\":", &c->u.filter.filter);
		break;
	case DEVTRACE_CMD_NTF_TRIGGER_NEW:
	case DEVTRACE_CMD_NTF_TRIGGER_SET:
		tc_json_trigger(o, &c->u.trigger);
		break;
	case DEVTRACE_CMD_NTF_TRIGGER_DEL:
		tc_json_str(o, "\"trigger\":", c->u.trigger.name);
		break;
	case DEVTRACE_CMD_NTF_FIRED:
		tc_json_str(o, "\"trigger\":", c->u.trigger.name);
		tc_json_str(o, ",\"stream\":", c->u.trigger.stream);
		tc_json_num(o, ",\"fired\":", c->u.trigger.fired);
		tc_json_num(o, ",\"fired_at\":", c->u.trigger.fired_at);
		break;
	case DEVTRACE_CMD_NTF_PROFILE_ADD:
	case DEVTRACE_CMD_NTF_PROFILE_DEL:
		tc_json_str(o, "\"tracepoint\":", c->u.profile.tracepoint);
		tc_json_num(o, ",\"type\":", c->u.profile.type);
		break;
	default:
		tc_json_str(o, "\"stream\":", c->u.watermark.stream);
		if (c->u.watermark.cpu == DEVTRACE_CPU_LANES)
			OUT_LIT(o, ",\"cpu\":\"lanes\"");
		else
			tc_json_num(o, ",\"cpu\":", c->u.watermark.cpu);
		tc_json_num(o, ",\"watermark\":", c->u.watermark.percent);
	}
	OUT_LIT(o, "}\n");
}

static void stream_state(struct out *o, const struct devtrace_ctl_stream *s)
{
	tc_put_state(o, s);
	OUT_LIT(o, ", size ");
	tc_put_size(o, s->size);
	OUT_LIT(o, ", watermark ");
	out_u64(o, s->watermark);
	out_char(o, '%');
}

static void text(struct out *o, const struct devtrace_ctl_change *c)
{
	out_str(o, kinds[c->cmd]);
	out_char(o, ' ');
	switch (c->cmd) {
	case DEVTRACE_CMD_NTF_STREAM_NEW:
	case DEVTRACE_CMD_NTF_STREAM_SET:
		tc_safe(o, c->u.stream.name);
		OUT_LIT(o, ": ");
		stream_state(o, &c->u.stream);
		break;
	case DEVTRACE_CMD_NTF_STREAM_DEL:
	case DEVTRACE_CMD_NTF_CLEAR:
		tc_safe(o, c->u.stream.name);
		break;
	case DEVTRACE_CMD_NTF_FILTER:
		tc_safe(o, c->u.filter.stream);
		OUT_LIT(o, ": ");
		tc_put_terms(o, &c->u.filter.filter, ' ');
		break;
	case DEVTRACE_CMD_NTF_TRIGGER_NEW:
		tc_safe(o, c->u.trigger.name);
		OUT_LIT(o, ": ");
		tc_put_trigger(o, &c->u.trigger);
		break;
	case DEVTRACE_CMD_NTF_TRIGGER_SET:
		tc_safe(o, c->u.trigger.name);
		out_str(o, c->u.trigger.armed ? ": armed" : ": not armed");
		break;
	case DEVTRACE_CMD_NTF_TRIGGER_DEL:
		tc_safe(o, c->u.trigger.name);
		break;
	case DEVTRACE_CMD_NTF_FIRED:
		tc_safe(o, c->u.trigger.name);
		OUT_LIT(o, ": ");
		out_u64(o, c->u.trigger.fired);
		OUT_LIT(o, " times, at ");
		tc_put_ns(o, c->u.trigger.fired_at);
		break;
	case DEVTRACE_CMD_NTF_PROFILE_ADD:
	case DEVTRACE_CMD_NTF_PROFILE_DEL:
		tc_safe(o, c->u.profile.tracepoint);
		OUT_LIT(o, ": type ");
		out_u64(o, c->u.profile.type);
		break;
	default:
		tc_safe(o, c->u.watermark.stream);
		if (c->u.watermark.cpu == DEVTRACE_CPU_LANES) {
			OUT_LIT(o, ": lanes");
		} else {
			OUT_LIT(o, ": cpu ");
			out_u64(o, c->u.watermark.cpu);
		}
		OUT_LIT(o, ", ");
		out_u64(o, c->u.watermark.percent);
		out_char(o, '%');
	}
	out_char(o, '\n');
}

/* Is the change about the stream of --stream, or about no particular stream? */
static bool wanted(const struct tc *tc, const struct devtrace_ctl_change *c)
{
	const char *stream;

	switch (c->cmd) {
	case DEVTRACE_CMD_NTF_STREAM_NEW:
	case DEVTRACE_CMD_NTF_STREAM_SET:
	case DEVTRACE_CMD_NTF_STREAM_DEL:
	case DEVTRACE_CMD_NTF_CLEAR:
		stream = c->u.stream.name;
		break;
	case DEVTRACE_CMD_NTF_FILTER:
		stream = c->u.filter.stream;
		break;
	case DEVTRACE_CMD_NTF_WATERMARK:
		stream = c->u.watermark.stream;
		break;
	default:
		return true;
	}
	return !tc->stream || !strcmp(stream, tc->stream);
}

int tc_monitor(struct tc *tc)
{
	struct sigaction sa = { .sa_handler = on_signal, .sa_flags = SA_RESETHAND };
	static struct devtrace_ctl_change change;
	struct pollfd p = { .events = POLLIN };
	sigset_t block, old;
	int ret = 0;

	tc_begin(tc);
	/*
	 * Signals are blocked except while the program waits or writes. So a signal that arrives
	 * just before a wait ends the wait.
	 */
	sigemptyset(&block);
	sigaddset(&block, SIGINT);
	sigaddset(&block, SIGTERM);
	sigprocmask(SIG_BLOCK, &block, &old);
	sigaction(SIGINT, &sa, NULL);
	sigaction(SIGTERM, &sa, NULL);
	p.fd = devtrace_ctl_monitor(tc->ctl);
	if (p.fd < 0)
		return tc_fail(tc, NULL);
	/* From this line on every change is reported; scripts wait for the line. */
	if (tc->json)
		OUT_LIT(&tc->out, "{\"event\":\"listening\"}\n");
	else
		OUT_LIT(&tc->out, "listening\n");
	tc->out.stop = &stop;
	for (;;) {
		sigprocmask(SIG_SETMASK, &old, NULL);
		out_flush(&tc->out);
		sigprocmask(SIG_BLOCK, &block, NULL);
		if (stop || tc->out.err)
			break;
		ret = devtrace_ctl_next(tc->ctl, &change);
		if (ret == 0) {
			ppoll(&p, 1, NULL, &old);
		} else if (ret == -ENOBUFS) {
			out_str(&tc->out, tc->json ? "{\"event\":\"lost\"}\n" : "lost some\n");
		} else if (ret < 0) {
			return tc_fail(tc, NULL);
		} else if (wanted(tc, &change)) {
			if (tc->json)
				json(&tc->out, &change);
			else
				text(&tc->out, &change);
		}
	}
	return 0;
}

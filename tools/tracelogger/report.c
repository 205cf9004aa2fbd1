// SPDX-License-Identifier: GPL-2.0-only
/* report.c - messages on standard error, and notifications to systemd */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>
#include "tracelogger.h"

/* Notify systemd as sd_notify(3) does: send a datagram to the socket named in NOTIFY_SOCKET. */
void tl_notify(const char *state)
{
	struct sockaddr_un to = { .sun_family = AF_UNIX };
	const char *path = getenv("NOTIFY_SOCKET");
	size_t len = path ? strlen(path) : 0;
	int fd;

	if (!len || len >= sizeof(to.sun_path) || (*path != '/' && *path != '@'))
		return;
	memcpy(to.sun_path, path, len);
	if (*path == '@')
		to.sun_path[0] = '\0';
	fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return;
	/* Ignore the error if nobody listens. */
	(void)!sendto(fd, state, strlen(state), MSG_NOSIGNAL | MSG_DONTWAIT,
		      (struct sockaddr *)&to, offsetof(struct sockaddr_un, sun_path) + len);
	close(fd);
}

static int64_t blocked(const struct tl_report *r)
{
	return r->blocked + (r->err ? tl_now() - r->blocked_at : 0);
}

/* Clear the progress line, so that a message can be printed. */
static void clear_line(struct tl_report *r)
{
	if (r->shown)
		fputs("\r\033[K", stderr);
	r->shown = false;
}

void tl_report_status(struct tl_report *r, const struct tl_store *s,
		      const struct devtrace_totals *t, const char *why)
{
	clear_line(r);
	if (s->opt->json) {
		fprintf(stderr, "{\"kind\":\"status\",\"why\":\"%s\",\"events\":%" PRIu64
			",\"lost\":%" PRIu64 ",\"missing\":%" PRIu64 ",\"damages\":%" PRIu64
			",\"bytes\":%" PRIu64 ",\"files\":%" PRIu64 ",\"removed\":%" PRIu64
			",\"held\":%" PRIu64 ",\"gone\":%" PRIu64 ",\"errors\":%" PRIu64
			",\"blocked_ms\":%" PRId64,
			why, t->events, t->lost, t->missing, t->damages, s->bytes, s->files,
			s->removed, s->total, s->gone, s->errors, blocked(r) / 1000000);
		if (s->linked)
			fprintf(stderr, ",\"resent\":%" PRIu64 ",\"unacknowledged\":%" PRIu64,
				s->resent, s->unacked);
		if (r->exec)
			fprintf(stderr, ",\"matched\":%" PRIu64 ",\"commands\":%" PRIu64
				",\"failed\":%" PRIu64, r->exec->matched, r->exec->started,
				r->exec->failed);
		if (r->upload)
			fprintf(stderr, ",\"requests\":%" PRIu64 ",\"records\":%" PRIu64
				",\"rejected\":%" PRIu64 ",\"refused\":%" PRIu64,
				r->upload->requests, r->upload->records, r->upload->rejected,
				r->upload->refused);
		fputs("}\n", stderr);
		return;
	}
	if (s->opt->quiet)
		return;
	fprintf(stderr, "tracelogger: %s: %" PRIu64 " events, %" PRIu64 " lost, %" PRIu64
		" bytes in %" PRIu64 " file%s, %" PRIu64 " removed", why, t->events, t->lost,
		s->bytes, s->files, s->files == 1 ? "" : "s", s->removed);
	if (s->gone)
		fprintf(stderr, ", %" PRIu64 " bytes lost in files that a user removed",
			s->gone);
	if (s->errors || blocked(r))
		fprintf(stderr, ", %" PRIu64 " errors, %" PRId64 " s without room", s->errors,
			blocked(r) / TL_NSEC);
	if (s->resent || s->unacked)
		fprintf(stderr, ", %" PRIu64 " bytes sent again, %" PRIu64 " not acknowledged",
			s->resent, s->unacked);
	if (r->exec)
		fprintf(stderr, ", %" PRIu64 " matched, %" PRIu64 " commands", r->exec->matched,
			r->exec->started);
	if (r->upload)
		fprintf(stderr, ", %" PRIu64 " records in %" PRIu64 " requests, %" PRIu64
			" rejected", r->upload->records, r->upload->requests, r->upload->rejected);
	fputc('\n', stderr);
}

void tl_report_progress(struct tl_report *r, const struct tl_store *s,
			const struct devtrace_totals *t)
{
	int64_t now = tl_now();

	if (!r->tty || s->opt->quiet || s->opt->json || now - r->last < TL_NSEC)
		return;
	r->last = now;
	fprintf(stderr, "\r\033[K%" PRIu64 " events, %" PRIu64 " lost, %" PRIu64 " kB: %s",
		t->events, t->lost, s->bytes / 1000, s->fd < 0 ? "waiting" : s->current);
	r->shown = true;
}

void tl_report_blocked(struct tl_report *r, const struct tl_store *s, int err)
{
	char state[256];

	if (err == r->err || (err && r->err))
		return;
	if (err)
		r->blocked_at = tl_now();
	else
		r->blocked += tl_now() - r->blocked_at;
	r->err = err;
	clear_line(r);
	snprintf(state, sizeof(state), "STATUS=%s", err ? link_error(&s->link, err) : "saving");
	tl_notify(state);
	if (err)
		fprintf(stderr, "tracelogger: %s: %s; if the buffer overwrites events meanwhile, they are counted as lost\n",
			s->name.dir, link_error(&s->link, err));
	else if (!s->opt->quiet)
		fprintf(stderr, "tracelogger: %s: %s again\n", s->name.dir,
			s->linked ? "connected" : "there is room");
}

// SPDX-License-Identifier: GPL-2.0-only
/*
 * upload.c - send frames to a receiver as records, in requests over HTTP or without answers
 *
 * To the rest of the logger this is a link that accepts frames. They are converted to records, and
 * a request carries the records of at most UNSURE bytes of frames.
 *
 * Invariants
 * - Frames count as unsure until the receiver has answered the request that has their records with
 *   2xx; for a link without answers (syslog), until the system of the peer has acknowledged all
 *   bytes of the request. If the connection or the request fails, the logger gives the same frames
 *   again later. So each record is delivered at least once.
 * - One request is on its way at a time; meanwhile no frame is accepted.
 * - With a --time of more than a second, a logger sends at its turn: at a random moment of each
 *   --time, which it chooses at its start. So boards do not send together that start together, or
 *   that emit events at the same time.
 * - After a failure, the next attempt is at the logger's turn in an interval that doubles with each
 *   failure; with a short --time at a random moment of that interval (full jitter). If the receiver
 *   asks to wait, a random time is added to what it asks for.
 * - A request is dropped only if the receiver says that it is invalid. The records of this request
 *   are counted as rejected.
 * - Nothing here waits.
 */
#include <errno.h>
#include <inttypes.h>
#include <linux/sockios.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/random.h>
#include <sys/socket.h>
#include "common/gzip.h"
#include "common/http.h"
#include "record.h"

/* most bytes of frames whose records are not acknowledged; TL_UNSURE of run.h is more */
#define UNSURE		(60 * 1024)
#define UNSURE_MIN	(2 * DEVTRACE_FRAME_MAX)
/* time for an answer, after the system of the receiver has acknowledged a part of the request */
#define ANSWER		(30 * TL_NSEC)
/* limit of reads at a time, because a peer may send without end */
#define READS		64
/* Interval of attempts after the first failure, unless --time is longer; and the longest one. */
#define BACKOFF		TL_NSEC
#define BACKOFF_MAX	(100 * TL_NSEC)
/*
 * A link without answers: interval of checks for acknowledgment, and the pause after the peer
 * disconnected. While its process ends, its system still acknowledges bytes that none will read.
 */
#define ACK		(5 * TL_NSEC / 1000)
#define PAUSE		(TL_NSEC * 9 / 10)
/* longest time that a receiver may ask to wait */
#define RETRY_MAX	3600

struct tl_upload {
	const char	*to;		/* the link, for messages */
	const struct link *link;
	struct devtrace_decoder *decoder;
	const struct tl_encoder *encoder;
	struct tl_records *records;
	bool		http;		/* otherwise the link has no answers */
	struct gzip	*zip;
	struct out	message;	/* the request on its way; empty: none is */
	/* bytes of it that are sent, and those of them that are acknowledged */
	size_t		sent, arrived;
	int64_t		asked;		/* when the last of them were acknowledged, ns */
	/* taken: bytes of frames that are unsure; limit: of a request */
	size_t		taken, limit;
	bool		served;		/* a request was answered on this connection */
	/* every: --time, ns; spread: it was considered for the first request */
	int64_t		every;
	bool		spread;
	uint64_t	phase;		/* random: decides when the turns are */
	/* failures: in a row; rest: how long to wait before the next attempt, ns */
	unsigned int	failures;
	int64_t		rest;
	char		why[256], said[256];
	struct http_answer answer;
	struct tl_upload_counts counts;
};

static int on_item(const struct devtrace_item *item, void *arg)
{
	struct tl_upload *o = arg;

	tl_records_item(o->records, o->decoder, item);
	/* Stop: the request is full. */
	return tl_records_size(o->records) >= RECORDS_SIZE;
}

static bool in_flight(const struct tl_upload *o)
{
	return o->message.len;
}

static int64_t random_below(int64_t n)
{
	uint64_t v = 0;

	if (getrandom(&v, sizeof(v), GRND_NONBLOCK) != (ssize_t)sizeof(v))
		v = (uint64_t)tl_now() * 0x9e3779b97f4a7c15u >> 8;
	return (int64_t)(v % (uint64_t)n);
}

static bool takes_turns(const struct tl_upload *o)
{
	return o->every > TL_NSEC;
}

/* Return the time until the logger's turn, of which there is one in each @interval, in ns. */
static int64_t until_turn(const struct tl_upload *o, int64_t interval)
{
	return interval - (int64_t)((o->phase + (uint64_t)tl_now()) % (uint64_t)interval);
}

/* Return the interval of attempts before it is doubled. */
static int64_t first_interval(const struct tl_upload *o)
{
	const int64_t least = o->every > BACKOFF ? o->every : BACKOFF;

	return least < BACKOFF_MAX ? least : BACKOFF_MAX;
}

void tl_upload_failed(struct tl_upload *o)
{
	int64_t interval = first_interval(o) << o->failures;

	if (interval > BACKOFF_MAX)
		interval = BACKOFF_MAX;
	o->failures += o->failures < 7;
	o->rest = takes_turns(o) ? until_turn(o, interval) : random_below(interval);
	if (!o->http)
		o->rest += PAUSE;
}

int64_t tl_upload_turn(struct tl_upload *o)
{
	if (!takes_turns(o))
		return -1;
	o->spread = true;
	return until_turn(o, o->every);
}

bool tl_upload_spread(struct tl_upload *o)
{
	if (o->spread)
		return false;
	o->spread = true;
	if (!takes_turns(o))
		return false;
	o->rest = until_turn(o, o->every);
	snprintf(o->why, sizeof(o->why), "the first request waits for a random part of --time");
	return true;
}

int64_t tl_upload_rest(const struct tl_upload *o)
{
	return o->rest;
}

const char *tl_upload_why(const struct tl_upload *o)
{
	return *o->why ? o->why : NULL;
}

const struct tl_upload_counts *tl_upload_counts(const struct tl_upload *o)
{
	return &o->counts;
}

size_t tl_upload_unsure(const struct tl_upload *o)
{
	return o->taken;
}

short tl_upload_events(const struct tl_upload *o, bool writing)
{
	if (!in_flight(o))
		return writing ? POLLOUT : 0;
	return o->sent < o->message.len ? POLLIN | POLLOUT : POLLIN;
}

int64_t tl_upload_nap(const struct tl_upload *o)
{
	return !o->http && in_flight(o) && o->sent == o->message.len ? ACK : TL_NSEC;
}

/* The request failed for the reason in o->why. */
static int fail(struct tl_upload *o)
{
	tl_upload_failed(o);
	errno = EREMOTEIO;
	return -1;
}

static int fail_because(struct tl_upload *o, const char *why)
{
	snprintf(o->why, sizeof(o->why), "%s", why);
	return fail(o);
}

/* The request is answered: its frames are sure. */
static void settle(struct tl_upload *o)
{
	o->message.len = 0;
	o->taken = 0;
	o->served = true;
	o->failures = 0;
	o->rest = 0;
	*o->why = 0;
	tl_records_settle(o->records);
	tl_records_clear(o->records);
}

/* Count @n rejected records of a request, and say so if the words are new. */
static void reject(struct tl_upload *o, uint64_t n, unsigned int of, const char *why, size_t len)
{
	struct out words;

	out_init(&words, -1);
	out_safe(&words, why, len < 160 ? len : 160);
	out_char(&words, 0);
	o->counts.rejected += n;
	if (!words.err && strcmp(o->said, words.buf)) {
		snprintf(o->said, sizeof(o->said), "%s", words.buf);
		fprintf(stderr, "tracelogger: %s: the receiver rejected %" PRIu64 " of %u records: %s\n",
			o->to, n, of, words.buf);
	}
	out_free(&words);
}

/* The receiver accepted the request, perhaps only a part of it. */
static void accepted(struct tl_upload *o)
{
	const unsigned int count = tl_records_count(o->records);
	const char *why = "";
	uint64_t rejected = 0;
	size_t len = 0;

	if (o->encoder->rejected)
		rejected = o->encoder->rejected(o->answer.body, o->answer.body_len, &why, &len);
	if (rejected > count)
		rejected = count;
	if (rejected || len)
		reject(o, rejected, count, why, len);
	o->counts.records += count - rejected;
}

static bool is_text(const struct http_answer *a)
{
	size_t i;

	for (i = 0; i < a->body_len; i++)
		if ((a->body[i] < ' ' || a->body[i] >= 0x7f) && a->body[i] != '\n' &&
		    a->body[i] != '\r' && a->body[i] != '\t')
			return false;
	return a->body_len;
}

/* Put the status into o->why, with what the receiver says about it. */
static void explain(struct tl_upload *o)
{
	const struct http_answer *a = &o->answer;
	const char *hint = a->status == 404 || a->status == 405 ?
		o->encoder->hint :
		a->status == 401 || a->status == 403 ?
		"; tracelogger sends no credentials, an agent on this machine can" :
		a->status >= 300 && a->status < 400 ?
		"; the logs are at another URL" : "";
	const int words = is_text(a) ? (int)strcspn((const char *)a->body, "\r\n") : 0;

	snprintf(o->why, sizeof(o->why), "HTTP status %d %s%s%.*s%s%s%s", a->status,
		 http_words(a->status), words ? " (" : "",
		 words < 80 ? words : 80, (const char *)a->body, words ? ")" : "", hint,
		 a->retry > 0 ? "; the receiver asks to wait" : "");
}

/* The answer is complete. Return 0, or -1 with errno if the request must be sent again. */
static int answered(struct tl_upload *o)
{
	const struct http_answer *a = &o->answer;
	const unsigned int count = tl_records_count(o->records);

	o->answer.body[o->answer.body_len] = 0;
	if (a->status / 100 == 2) {
		accepted(o);
		settle(o);
		return 0;
	}
	explain(o);
	if (a->status == 413 && o->limit / 2 >= UNSURE_MIN) {
		/* Try smaller requests, at once. */
		o->limit /= 2;
		o->rest = 0;
		errno = ECONNRESET;
		return -1;
	}
	if (a->status == 400 || a->status == 413 || a->status == 422) {
		reject(o, count, count, o->why, strlen(o->why));
		settle(o);
		return 0;
	}
	o->counts.refused++;
	fail(o);
	/* A time of 0, or one that is past, says nothing: the interval doubles. */
	if (a->retry > 0)
		o->rest = (a->retry < RETRY_MAX ? a->retry : RETRY_MAX) * TL_NSEC +
			  random_below(first_interval(o));
	errno = EREMOTEIO;
	return -1;
}

/* Send what is left of the request. */
static int send_rest(struct tl_upload *o, int fd)
{
	ssize_t n;

	while (o->sent < o->message.len) {
		n = send(fd, o->message.buf + o->sent, o->message.len - o->sent,
			 MSG_NOSIGNAL | MSG_DONTWAIT);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0 && errno == EAGAIN)
			return 0;
		/* The receiver may have answered before it closed the connection. */
		if (n < 0)
			return errno == EPIPE || errno == ECONNRESET ? 0 :
			       fail_because(o, strerror(errno));
		o->sent += (size_t)n;
	}
	return 0;
}

/* Without answers: has the peer's system acknowledged the request? Discard what the peer sends. */
static int drive_silent(struct tl_upload *o, int fd)
{
	unsigned int pieces = READS;
	uint8_t buf[4096];
	int left = 0;
	ssize_t n;

	do
		n = recv(fd, buf, sizeof(buf), MSG_DONTWAIT);
	while ((n > 0 && --pieces) || (n < 0 && errno == EINTR));
	if (!n || (n < 0 && errno != EAGAIN))
		return fail_because(o, "the peer closed the connection");
	if (!in_flight(o) || o->sent < o->message.len)
		return 0;
	if (ioctl(fd, SIOCOUTQ, &left) || left > 0)
		return 0;
	o->counts.records += tl_records_count(o->records);
	settle(o);
	return 0;
}

/* Is the answer overdue? On a slow line, its time begins when the request has arrived. */
static bool is_overdue(struct tl_upload *o, int fd)
{
	int left = 0;

	/* The descriptor of a link over TLS counts memory, which is more than the bytes. */
	if (!ioctl(fd, SIOCOUTQ, &left) && (size_t)left < o->sent &&
	    o->sent - (size_t)left > o->arrived) {
		o->arrived = o->sent - (size_t)left;
		o->asked = tl_now();
	}
	return tl_now() - o->asked >= ANSWER;
}

int tl_upload_drive(struct tl_upload *o, int fd)
{
	unsigned int pieces = READS;
	uint8_t buf[4096];
	bool early;
	ssize_t n;

	if (in_flight(o) && send_rest(o, fd))
		return -1;
	if (!o->http)
		return drive_silent(o, fd);
	while (pieces--) {
		n = recv(fd, buf, sizeof(buf), MSG_DONTWAIT);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0 && errno == EAGAIN)
			break;
		if (!in_flight(o) && !o->served)
			return fail_because(o, "the receiver closes the connection");
		if (!in_flight(o)) {
			/* The connection was idle: it is closed, or the bytes mean nothing. */
			o->rest = 0;
			errno = ECONNRESET;
			return -1;
		}
		if (n > 0)
			http_answer_feed(&o->answer, buf, (size_t)n);
		else
			http_answer_end(&o->answer);
		if (o->answer.state == HTTP_BROKEN)
			return fail_because(o, n > 0 ? "the receiver does not answer in HTTP" :
					    "the receiver closed the connection before its answer");
		if (o->answer.state != HTTP_COMPLETE)
			continue;
		/* The rest of the request is not sent, so no other one can follow. */
		early = o->sent < o->message.len;
		if (answered(o))
			return -1;
		if (!o->answer.closes && !early)
			return 0;
		o->rest = 0;
		errno = ECONNRESET;
		return -1;
	}
	if (in_flight(o) && is_overdue(o, fd))
		return fail_because(o, "the receiver does not answer");
	return 0;
}

static void put_head(struct tl_upload *o, size_t n)
{
	const bool v6 = strchr(o->link->host, ':') != NULL;
	struct out *m = &o->message;

	OUT_LIT(m, "POST ");
	out_str(m, o->link->path);
	OUT_LIT(m, " HTTP/1.1\r\nHost: ");
	out_str(m, v6 ? "[" : "");
	out_str(m, o->link->host);
	out_str(m, v6 ? "]:" : ":");
	out_str(m, o->link->port);
	OUT_LIT(m, "\r\nUser-Agent: tracelogger/" TI_VERSION "\r\nContent-Type: ");
	out_str(m, o->encoder->type);
	out_str(m, o->encoder->gzip ? "\r\nContent-Encoding: gzip" : "");
	OUT_LIT(m, "\r\nContent-Length: ");
	out_u64(m, n);
	OUT_LIT(m, "\r\n\r\n");
}

/* Make the request from the records. */
static int make_request(struct tl_upload *o)
{
	const struct out *body = tl_records_end(o->records);
	struct out *m = &o->message, packed;
	bool ok = !body->err;

	out_init(&packed, -1);
	m->len = 0;
	if (ok && o->encoder->gzip) {
		ok = gzip(o->zip, &packed, body->buf, body->len);
		body = &packed;
	}
	if (ok) {
		if (o->http)
			put_head(o, body->len);
		out_mem(m, body->buf, body->len);
		ok = !m->err;
	}
	out_free(&packed);
	m->err = 0;
	if (ok)
		return 0;
	m->len = 0;
	return fail_because(o, "there is no memory for a request");
}

int tl_upload_push(struct tl_upload *o, int fd)
{
	if (in_flight(o))
		return 0;
	if (!tl_records_count(o->records)) {
		/* The frames hold no event that is to be sent. */
		if (o->taken)
			tl_records_settle(o->records);
		o->taken = 0;
		return 0;
	}
	if (make_request(o))
		return -1;
	o->sent = 0;
	o->arrived = 0;
	o->asked = tl_now();
	o->counts.requests++;
	http_answer_init(&o->answer);
	return send_rest(o, fd);
}

/* How many of @n bytes are whole frames, and fit into the request. */
static size_t fitting(const struct tl_upload *o, const uint8_t *p, size_t n)
{
	const size_t room = o->limit > o->taken ? o->limit - o->taken : 0;
	const uint8_t *flag;

	if (n > room)
		n = room;
	flag = n ? memrchr(p, DEVTRACE_FLAG, n) : NULL;
	/* If a whole request has no flag, the input has no frames. */
	return flag ? (size_t)(flag - p) + 1 : o->taken ? 0 : n;
}

ssize_t tl_upload_write(struct tl_upload *o, int fd, const uint8_t *p, size_t n)
{
	size_t fits, used = 0;
	bool full;

	if (!n)
		return 0;
	if (tl_upload_drive(o, fd))
		return -1;
	fits = in_flight(o) ? 0 : fitting(o, p, n);
	full = fits && devtrace_decoder_feed(o->decoder, p, fits, &used);
	o->taken += used;
	if (!in_flight(o) && (full || fits < n) && tl_upload_push(o, fd))
		return -1;
	if (used)
		return (ssize_t)used;
	errno = EAGAIN;
	return -1;
}

void tl_upload_tell(struct tl_upload *o, const uint8_t *p, size_t n)
{
	tl_records_context(o->records, true);
	devtrace_decoder_feed(o->decoder, p, n, NULL);
	tl_records_context(o->records, false);
	tl_records_rewind(o->records);
}

void tl_upload_closed(struct tl_upload *o)
{
	if (o->taken)
		tl_records_rewind(o->records);
	tl_records_clear(o->records);
	o->message.len = 0;
	o->taken = 0;
	o->served = false;
}

size_t tl_upload_notes(const struct tl_upload *o, char out[TL_UPLOAD_NOTES][TL_UPLOAD_NOTE_MAX])
{
	return tl_records_notes(o->records, o->decoder, out);
}

void tl_upload_keep(struct tl_upload *o, const struct tl_store *files)
{
	tl_records_keep(o->records, files);
}

void tl_upload_device(struct tl_upload *o, int fd)
{
	tl_records_device(o->records, fd);
}

struct tl_upload *tl_upload_new(const struct tl_options *opt)
{
	struct tl_upload *o = calloc(1, sizeof(*o));

	if (!o)
		return NULL;
	o->to = opt->to;
	o->link = &opt->link;
	o->limit = UNSURE;
	o->every = opt->once ? 0 : opt->every;
	o->phase = (uint64_t)random_below(INT64_MAX);
	out_init(&o->message, -1);
	o->encoder = opt->encoder;
	o->http = o->encoder->type;
	o->records = tl_records_new(opt, o->encoder);
	o->decoder = devtrace_decoder_new(on_item, o);
	o->zip = o->encoder->gzip ? gzip_new() : NULL;
	if (o->records && o->decoder && (o->zip || !o->encoder->gzip))
		return o;
	tl_upload_free(o);
	return NULL;
}

void tl_upload_free(struct tl_upload *o)
{
	if (!o)
		return;
	gzip_free(o->zip);
	devtrace_decoder_free(o->decoder);
	tl_records_free(o->records);
	out_free(&o->message);
	free(o);
}

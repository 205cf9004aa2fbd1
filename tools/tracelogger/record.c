// SPDX-License-Identifier: GPL-2.0-only
/*
 * record.c - which events and losses become records, with which time and identity
 *
 * Invariants
 * - The identity of a record depends only on the event: boot id, stream, CPU or lane, time of the
 *   trace clock, and the number among events that have all of these in common. Frame numbers cannot
 *   serve for this, because they begin again with each open(2). So a record that is sent again, or
 *   read again from the device by a restarted logger, can be recognized.
 * - A loss becomes a record, reduced to what the receiver was not told before (told.c). Frames that
 *   are fed again do not count as missing.
 * - Encoders write the records; nothing here depends on their form.
 */
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include "match.h"
#include "record.h"
#include "told.h"

/* has what the receiver was told about losses */
#define TOLD_FILE	".spool.trace.told"
/* how often it is written while no record is sent */
#define TOLD_EVERY	TL_NSEC

/* limit of sources that have events with the same time; further ones count as one */
#define SAME_MAX	16

struct tl_records {
	struct tl_origin origin;
	const struct tl_encoder *encoder;
	void		*state;		/* of the encoder */
	struct fmt_set	fmts;
	/* match: copy of the expression of --match, to which @filter points; or NULL */
	char		*match;
	struct ti_filter filter;
	unsigned int	count;
	uint64_t	observed;
	/* again: frames are fed again, so a gap up to the next INFO or CLOCK is none */
	bool		again;
	bool		context;	/* frames are only context */
	struct told	told;
	const struct tl_store *files;	/* where @told is kept, or NULL */
	int64_t		kept;		/* when it was written, ns */
	/* ref_ts, ref_real: a time of the spool's note; 0: none */
	uint64_t	ref_ts;
	int64_t		ref_real;
	/* same_ts: the last event's time; same: its sources, and how many events each has */
	uint64_t	same_ts;
	unsigned int	nr_same;
	struct {
		uint16_t	source;
		unsigned int	nr;
	} same[SAME_MAX];
};

const struct tl_origin *tl_records_origin(const struct tl_records *r)
{
	return &r->origin;
}

const char *tl_records_note(const struct tl_options *opt, const char *name)
{
	const size_t n = strlen(name);
	size_t i;

	for (i = 0; i < opt->nr_notes; i++)
		if (!strncmp(opt->notes[i], name, n) && opt->notes[i][n] == '=')
			return opt->notes[i] + n + 1;
	return NULL;
}

static uint64_t real_time(const struct tl_records *r, const struct devtrace_decoder *d,
			  uint64_t ts)
{
	int64_t real;

	if (!ts)
		return 0;
	if (devtrace_decoder_real(d, ts, &real))
		return real > 0 ? (uint64_t)real : 0;
	real = r->ref_ts ? (int64_t)((uint64_t)r->ref_real + (ts - r->ref_ts)) : 0;
	return real > 0 ? (uint64_t)real : 0;
}

/* Round up to a number whose last bits are 0; it is at most an eighth larger. */
static uint64_t round_error(uint64_t error)
{
	uint64_t low = 1;

	while (low <= error / 16)
		low *= 2;
	return (error + low - 1) & ~(low - 1);
}

static void put_error(struct tl_record *rec, const struct devtrace_decoder *d)
{
	uint64_t error;

	if (!rec->real)
		return;
	rec->sync = devtrace_decoder_error(d, rec->ts, &error);
	if (rec->sync == DEVTRACE_SYNC_ERROR)
		rec->error = round_error(error);
}

/* Begin a record, with its time and place. */
static struct tl_record begin_record(struct tl_records *r, const struct devtrace_decoder *d,
				     uint64_t ts, uint16_t source)
{
	struct tl_record rec;
	struct timespec now;

	if (!r->count++) {
		clock_gettime(CLOCK_REALTIME, &now);
		r->observed = (uint64_t)now.tv_sec * TL_NSEC + (uint64_t)now.tv_nsec;
	}
	rec = (struct tl_record){
		.real = real_time(r, d, ts), .observed = r->observed, .ts = ts, .source = source,
		.lane = devtrace_decoder_lane(d, source), .nr = 1, .sync = DEVTRACE_SYNC_UNKNOWN,
	};
	put_error(&rec, d);
	return rec;
}

const char *tl_record_unsynced(const struct tl_record *rec)
{
	return rec->sync == DEVTRACE_SYNC_NEVER ? "never" :
	       rec->sync == DEVTRACE_SYNC_LOST ? "lost" : NULL;
}

size_t tl_record_text(struct out *o, const struct ti_event *e)
{
	ti_args_text(o, e);
	if (o->len <= 1)
		ti_args_name(o, e);
	return o->len ? o->len - 1 : 0;
}

/* Count the events of @source that have the time @ts, this one included. */
static unsigned int count_same(struct tl_records *r, uint64_t ts, uint16_t source)
{
	unsigned int i;

	if (ts != r->same_ts)
		r->nr_same = 0;
	r->same_ts = ts;
	for (i = 0; i < r->nr_same; i++)
		if (r->same[i].source == source || i == SAME_MAX - 1)
			return ++r->same[i].nr;
	r->same[i].source = source;
	r->same[i].nr = 1;
	r->nr_same++;
	return 1;
}

static bool wants(const struct tl_records *r, const struct ti_event *e)
{
	if (r->match)
		return ti_filter_wants(&r->filter, e);
	return e->ev->severity & DEVTRACE_SEV_SET;
}

static void put_event(struct tl_records *r, const struct devtrace_decoder *d,
		      const struct devtrace_event *ev)
{
	const unsigned int nr = count_same(r, ev->ts, ev->source);
	struct tl_record rec;
	struct ti_event e;

	if (!r->match && !(ev->severity & DEVTRACE_SEV_SET))
		return;
	ti_event_init(&e, ev, d, &r->fmts);
	if (!wants(r, &e))
		return;
	rec = begin_record(r, d, ev->ts, ev->source);
	rec.nr = nr;
	r->encoder->event(r->state, &rec, &e);
}

static void put_lost(struct tl_records *r, const struct devtrace_decoder *d,
		     const struct devtrace_lost *l)
{
	const struct tl_record rec = begin_record(r, d, l->to, l->source);
	struct tl_missing m = {
		.cause = ti_lost_cause(l->cause), .count = l->count, .from = l->from, .to = l->to,
	};

	snprintf(m.text, sizeof(m.text), "%" PRIu64 " events of %s %d lost: %s", l->count,
		 rec.lane < 0 ? "CPU" : "lane", rec.lane < 0 ? l->source : rec.lane, m.cause);
	r->encoder->missing(r->state, &rec, &m);
}

static void take_event(struct tl_records *r, const struct devtrace_decoder *d,
		       const struct devtrace_event *ev)
{
	struct devtrace_lost l;

	if (told_event(&r->told, ev->ts, devtrace_decoder_load(d)))
		while (told_due(&r->told, &l))
			put_lost(r, d, &l);
	put_event(r, d, ev);
}

static void take_lost(struct tl_records *r, const struct devtrace_decoder *d,
		      const struct devtrace_lost *lost)
{
	struct devtrace_lost l = *lost;

	if (told_lost(&r->told, &l, devtrace_decoder_load(d)))
		put_lost(r, d, &l);
}

static void put_gap(struct tl_records *r, const struct devtrace_decoder *d,
		    const struct devtrace_gap *g)
{
	struct tl_missing m = { .gap = true, .count = g->count, .from = g->ts_before };
	struct tl_record rec;

	if (r->again)
		return;
	told_gap(&r->told, g->count);
	rec = begin_record(r, d, g->ts_before, 0);
	snprintf(m.text, sizeof(m.text), "%" PRIu64 " frames missing", g->count);
	r->encoder->missing(r->state, &rec, &m);
}

/* The records from here on belong to this boot and stream. */
static void set_origin(struct tl_records *r, const char *boot_id, const char *stream)
{
	struct tl_origin *o = &r->origin;

	if ((strcmp(o->boot_id, boot_id) || strcmp(o->stream, stream)) && r->encoder->moved)
		r->encoder->moved(r->state);
	snprintf(o->boot_id, sizeof(o->boot_id), "%s", boot_id);
	snprintf(o->stream, sizeof(o->stream), "%s", stream);
	told_origin(&r->told, o->boot_id, o->stream);
}

static void take_info(struct tl_records *r, const struct devtrace_info *i)
{
	static const char digits[] = "0123456789abcdef";
	char id[40];
	size_t n = 0;
	int k;

	for (k = 0; k < 16; k++) {
		if (k == 4 || k == 6 || k == 8 || k == 10)
			id[n++] = '-';
		id[n++] = digits[i->boot_id[k] >> 4];
		id[n++] = digits[i->boot_id[k] & 15];
	}
	id[n] = 0;
	set_origin(r, id, i->stream);
	if (i->reason == DEVTRACE_INFO_OPEN && !r->context)
		told_open(&r->told);
}

/* A note that tl_records_notes() made. */
static void take_note(struct tl_records *r, const struct devtrace_note *n)
{
	char *end;
	unsigned long long ts;

	if (!strcmp(n->name, TL_UPLOAD_NOTE_BOOT)) {
		const char *space = strchr(n->value, ' ');
		char id[40];

		if (!space || (size_t)(space - n->value) >= sizeof(id))
			return;
		snprintf(id, sizeof(id), "%.*s", (int)(space - n->value), n->value);
		set_origin(r, id, space + 1);
	} else if (!strcmp(n->name, TL_UPLOAD_NOTE_TIME)) {
		ts = strtoull(n->value, &end, 10);
		if (end == n->value || *end != ' ')
			return;
		r->ref_ts = ts;
		r->ref_real = strtoll(end, NULL, 10);
	}
}

static void renamed(struct tl_records *r)
{
	if (r->encoder->renamed)
		r->encoder->renamed(r->state);
}

void tl_records_item(struct tl_records *r, const struct devtrace_decoder *d,
		     const struct devtrace_item *item)
{
	switch (item->kind) {
	case DEVTRACE_ITEM_EVENT:
		if (!r->context)
			take_event(r, d, &item->u.event);
		break;
	case DEVTRACE_ITEM_LOST:
		if (!r->context)
			take_lost(r, d, &item->u.lost);
		break;
	case DEVTRACE_ITEM_GAP:
		if (!r->context)
			put_gap(r, d, &item->u.gap);
		break;
	case DEVTRACE_ITEM_INFO:
		r->again = false;
		take_info(r, &item->u.info);
		renamed(r);
		break;
	case DEVTRACE_ITEM_PROC:
	case DEVTRACE_ITEM_DICT:
		renamed(r);
		break;
	case DEVTRACE_ITEM_CLOCK:
		r->again = false;
		break;
	case DEVTRACE_ITEM_NOTE:
		take_note(r, &item->u.note);
		break;
	default:
		break;
	}
}

size_t tl_records_notes(const struct tl_records *r, const struct devtrace_decoder *d,
			char out[TL_UPLOAD_NOTES][TL_UPLOAD_NOTE_MAX])
{
	int64_t real;
	size_t n = 0;

	if (!*r->origin.boot_id)
		return 0;
	snprintf(out[n++], TL_UPLOAD_NOTE_MAX, TL_UPLOAD_NOTE_BOOT "=%s %s", r->origin.boot_id,
		 r->origin.stream);
	if (r->same_ts && devtrace_decoder_real(d, r->same_ts, &real))
		snprintf(out[n++], TL_UPLOAD_NOTE_MAX, TL_UPLOAD_NOTE_TIME "=%llu %lld",
			 (unsigned long long)r->same_ts, (long long)real);
	return n;
}

void tl_records_rewind(struct tl_records *r)
{
	r->again = true;
	r->same_ts = 0;
	r->nr_same = 0;
	told_rewind(&r->told);
}

void tl_records_context(struct tl_records *r, bool on)
{
	r->context = on;
}

/* If it cannot be written, a restarted logger tells some losses again. */
static void keep_told(struct tl_records *r)
{
	static char text[TOLD_TEXT];
	size_t n;
	int fd;

	if (!r->files || (!r->count && tl_now() - r->kept < TOLD_EVERY))
		return;
	r->kept = tl_now();
	n = told_save(&r->told, text);
	fd = n ? tl_own_open(r->files, TOLD_FILE, O_WRONLY | O_CREAT) : -1;
	if (fd < 0)
		return;
	/* A kill between the two leaves the end of a longer text, which is not read. */
	if (pwrite(fd, text, n, 0) == (ssize_t)n)
		(void)!ftruncate(fd, (off_t)n);
	close(fd);
}

void tl_records_settle(struct tl_records *r)
{
	told_settle(&r->told);
	keep_told(r);
}

void tl_records_keep(struct tl_records *r, const struct tl_store *files)
{
	static char text[TOLD_TEXT];
	int fd = tl_own_open(files, TOLD_FILE, O_RDONLY);
	ssize_t n = fd < 0 ? 0 : read(fd, text, sizeof(text) - 1);

	r->files = files;
	text[n > 0 ? n : 0] = 0;
	told_load(&r->told, text);
	if (fd >= 0)
		close(fd);
}

unsigned int tl_records_count(const struct tl_records *r)
{
	return r->count;
}

size_t tl_records_size(const struct tl_records *r)
{
	return r->encoder->request(r->state)->len;
}

const struct out *tl_records_end(struct tl_records *r)
{
	return r->encoder->end(r->state);
}

void tl_records_clear(struct tl_records *r)
{
	r->encoder->clear(r->state);
	r->count = 0;
}

void tl_records_device(struct tl_records *r, int fd)
{
	if (r->match && !r->filter.pids)
		r->filter.pids = ti_pids_new(fd);
}

struct tl_records *tl_records_new(const struct tl_options *opt, const struct tl_encoder *encoder)
{
	struct tl_records *r = calloc(1, sizeof(*r));
	const char *board = tl_records_note(opt, "board");

	if (!r)
		return NULL;
	r->origin.opt = opt;
	r->encoder = encoder;
	/* Errors in format files are ignored here; traceinfo --check-fmt reports them. */
	fmt_set_init(&r->fmts, NULL, NULL);
	fmt_add_default(&r->fmts);
	gethostname(r->origin.host, sizeof(r->origin.host) - 1);
	if (board)
		snprintf(r->origin.host, sizeof(r->origin.host), "%s", board);
	r->match = opt->match ? strdup(opt->match) : NULL;
	r->state = encoder->make(r);
	if (!r->state || (opt->match && !r->match)) {
		tl_records_free(r);
		return NULL;
	}
	if (r->match)
		tl_match_parse(&r->filter, r->match);
	return r;
}

void tl_records_free(struct tl_records *r)
{
	if (!r)
		return;
	if (r->state)
		r->encoder->drop(r->state);
	fmt_set_free(&r->fmts);
	ti_pids_free(r->filter.pids);
	ti_filter_free(&r->filter);
	free(r->match);
	free(r);
}

/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * record.h - records of events and losses, and the encoders that write them into requests
 *
 * record.c selects the events, and knows their times and identities. An encoder knows the form of
 * one kind of receiver. upload.c sends what an encoder wrote, and knows no form.
 */
#ifndef TRACELOGGER_RECORD_H
#define TRACELOGGER_RECORD_H

#include "common/out.h"
#include "fmtlang/fmt.h"
#include "traceinfo/args.h"
#include "tracelogger.h"

/* limit of the records of a request before compression, in bytes; one more record may follow */
#define RECORDS_SIZE	(512 * 1024)

/* Time and place of a record. Records that have the same place and time differ in @nr. */
struct tl_record {
	/* real, observed: ns since 1970; real 0: unknown. ts: trace clock */
	uint64_t	real, observed, ts;
	uint16_t	source;
	int		lane;		/* -1: @source is a CPU */
	unsigned int	nr;		/* 1, 2 and so on */
	/*
	 * How exact @real is. error: in ns, with DEVTRACE_SYNC_ERROR; rounded up by an eighth at
	 * most, so that many records have the same value, which requests and stores compress.
	 */
	enum devtrace_sync sync;
	uint64_t	error;
};

/* Lost events, or missing frames. */
struct tl_missing {
	bool		gap;		/* missing frames: without @cause, @to and a place */
	const char	*cause;
	uint64_t	count, from, to;
	char		text[128];	/* for people */
};

struct tl_records;

/* The form of one kind of receiver. The first argument of a function is what @make returned. */
struct tl_encoder {
	/* type: media type of a request over HTTP; NULL: requests are bytes without answers */
	const char	*type;
	const char	*hint;		/* words for the status 404; NULL if @type is NULL */
	bool		gzip;
	void		*(*make)(const struct tl_records *r);
	void		(*drop)(void *e);
	/* Append a record to the request. */
	void		(*event)(void *e, const struct tl_record *rec, const struct ti_event *ev);
	void		(*missing)(void *e, const struct tl_record *rec,
				   const struct tl_missing *m);
	/* A name in the stream may have changed; NULL: the encoder keeps none. */
	void		(*renamed)(void *e);
	/* The next record has another boot id or stream; NULL: each record has its own. */
	void		(*moved)(void *e);
	/* The request so far. */
	const struct out *(*request)(void *e);
	/* Complete the request, which is valid until the next record. */
	const struct out *(*end)(void *e);
	void		(*clear)(void *e);
	/*
	 * A receiver accepted a request. Return how many records it rejected nevertheless. Set
	 * *@why and *@len to its words, which are in @body; NULL: a receiver accepts all or none.
	 */
	uint64_t	(*rejected)(const uint8_t *body, size_t n, const char **why, size_t *len);
};

extern const struct tl_encoder otlp_encoder, journal_encoder, syslog_encoder;

/* The part of the records that encoders may read. */
struct tl_origin {
	const struct tl_options *opt;
	char		host[256];
	/* boot_id, stream: from the last INFO frame, or from a note of the spool; "": unknown */
	char		boot_id[40], stream[64];
};

const struct tl_origin *tl_records_origin(const struct tl_records *r);
/* Return the value of the attribute that the user gave this name, or NULL. */
const char *tl_records_note(const struct tl_options *opt, const char *name);
/*
 * Overwrite @o with the text of the event, or with its name if it has no text, because a receiver
 * may need a line. Return the length.
 */
size_t tl_record_text(struct out *o, const struct ti_event *e);
/* Return "never" or "lost" if the clock was not synchronized, as traceinfo --json; or NULL. */
const char *tl_record_unsynced(const struct tl_record *rec);

struct tl_records *tl_records_new(const struct tl_options *opt, const struct tl_encoder *encoder);
void tl_records_free(struct tl_records *r);
void tl_records_device(struct tl_records *r, int fd);
void tl_records_item(struct tl_records *r, const struct devtrace_decoder *d,
		     const struct devtrace_item *item);
/* Frames that the decoder has seen will be fed again. */
void tl_records_rewind(struct tl_records *r);
/* While @on, frames are context: their events and losses make no records. */
void tl_records_context(struct tl_records *r, bool on);
/* The receiver has acknowledged all records. */
void tl_records_settle(struct tl_records *r);
/*
 * Keep what the receiver was told about losses in the directory of @files, which must stay, and
 * read what an earlier logger kept there.
 */
void tl_records_keep(struct tl_records *r, const struct tl_store *files);
/* Number of records since tl_records_clear(), and their size in bytes so far. */
unsigned int tl_records_count(const struct tl_records *r);
size_t tl_records_size(const struct tl_records *r);
/* End the request. Return its message, which is valid until the next item. */
const struct out *tl_records_end(struct tl_records *r);
void tl_records_clear(struct tl_records *r);
/* See tl_upload_notes(). */
size_t tl_records_notes(const struct tl_records *r, const struct devtrace_decoder *d,
			char out[TL_UPLOAD_NOTES][TL_UPLOAD_NOTE_MAX]);

#endif

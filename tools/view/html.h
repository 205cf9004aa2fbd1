/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * html.h - the records of a page
 *
 * A record is a sequence of varints (LEB128; signed numbers in zigzag form). The first one is its
 * enum html_record. A time is stored as the difference to the time of the previous record, a
 * number in an event as the difference to the same number in the previous event of this shape.
 * Strings, tracks, places and shapes are numbered in the order of their records. viewer_read.js
 * reads the records.
 */
#ifndef VIEW_HTML_H
#define VIEW_HTML_H

#include "traceinfo/track.h"
#include "view.h"

/* Kinds of records. An event of shape N has the number HTML_EVENT + N. */
enum html_record {
	HTML_STRING,	/* bytes */
	HTML_TRACK,	/* kind, name */
	HTML_PLACE,	/* track, CPU plus 1 or 0 */
	/*
	 * name, severity plus 1 (0: none), number of arguments, then name and kind of each
	 * argument
	 */
	HTML_SHAPE,
	/*
	 * track, time, label: begins a bar, which the next HTML_OPEN of the track or HTML_CLOSE
	 * ends
	 */
	HTML_OPEN,
	HTML_CLOSE,	/* track, time */
	HTML_LOST,	/* from, to, count, cause */
	HTML_RENAME,	/* track, name */
	HTML_INFO,	/* machine, release */
	/* CLOCK_REALTIME at time 0 of this file, as a string with the number of ns */
	HTML_WALL,
	HTML_EVENT,	/* place, time, values */
};

enum html_value { HTML_UINT, HTML_INT, HTML_DOUBLE, HTML_STR };

/* Kinds of keys in the table of records that were written */
enum html_key { KEY_STRING, KEY_SHAPE, KEY_TRACK, KEY_PLACE };

/* Limits of shapes, of numbers stored as differences, and of arguments, as in viewer_read.js */
#define HTML_SHAPES	4096
#define HTML_NUMBERS	8
#define HTML_ARGS	64

/* An argument of the current event. */
struct html_arg {
	uint64_t	name;		/* number of its string */
	enum html_value	kind;
	uint64_t	number;		/* value, or the bits of a double */
	size_t		at, len;	/* of a string: offset in @strs, length */
};

struct html {
	struct view	*view;
	struct hash_key	key;
	struct view_seen *seen;
	uint64_t	strings, shapes, tracks, places;	/* numbers in use */
	uint64_t	time;		/* time of the previous record */
	bool		timed;
	uint64_t	first;		/* time of the first record */
	struct out	data, name, text, strs;
	struct html_arg	args[HTML_ARGS];
	unsigned int	nr_args;
	uint64_t	before[HTML_SHAPES][HTML_NUMBERS];
	char		nonce[33];
};

/* view/html_record.c: parts of a record. */
void html_put(struct out *o, uint64_t v);
void html_signed(struct out *o, int64_t v);
void html_bytes(struct out *o, const char *s, size_t len);
/* Write a time as the difference to the previous record's time. The first time of a page is 0. */
void html_time(struct html *h, uint64_t time);
/* Return the number of a string. If it is new, write its record first. */
uint64_t html_string(struct html *h, const char *s, size_t len);
uint64_t html_name(struct html *h, const char *s);
/*
 * Write data as base64, in groups of three bytes. One or two remaining bytes are kept until the
 * next call, unless @all is true.
 */
void html_flush(struct html *h, bool all);

#endif

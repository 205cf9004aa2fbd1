/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * html.h - the records of a page
 *
 * A record is a row of varints (LEB128; signed: zigzag), the first of which says what it is. Times
 * are differences to the record before, and numbers in events to those of the event before with
 * the same shape. Strings, tracks, places and shapes are numbered as they come; viewer_read.js
 * reads this.
 */
#ifndef VIEW_HTML_H
#define VIEW_HTML_H

#include "view.h"

/* Records; from HTML_EVENT on the number of a shape is added. */
enum html_record {
	HTML_STRING,	/* bytes */
	HTML_TRACK,	/* kind, name */
	HTML_PLACE,	/* track, CPU plus 1 or 0 */
	HTML_SHAPE,	/* name, severity plus 1 or 0, arguments: how many; name and kind of each */
	HTML_OPEN,	/* track, time, label: a bar that ends with the next one, or with CLOSE */
	HTML_CLOSE,	/* track, time */
	HTML_LOST,	/* from, to, count, cause */
	HTML_RENAME,	/* track, name */
	HTML_INFO,	/* machine, release */
	HTML_WALL,	/* CLOCK_REALTIME at time 0 of this file, as a string of ns */
	HTML_EVENT,	/* place, time, values */
};

/* Kinds of tracks, in the order of the page */
enum html_kind { HTML_CPU, HTML_IRQ, HTML_SOFTIRQ, HTML_THREAD, HTML_SLICE, HTML_OBJECT };

enum html_value { HTML_UINT, HTML_INT, HTML_DOUBLE, HTML_STR };

/* Keys of the table of what was written */
enum html_key { KEY_STRING, KEY_SHAPE, KEY_TRACK, KEY_PLACE };

/* Shapes and arguments that have a number before; viewer_read.js has the same limits. */
#define HTML_SHAPES	4096
#define HTML_NUMBERS	8
#define HTML_ARGS	64

/* An argument of the event at hand. */
struct html_arg {
	uint64_t	name;		/* a string */
	enum html_value	kind;
	uint64_t	number;		/* or the bits of a double */
	size_t		at, len;	/* a string: where it is in @strs */
};

struct html {
	struct view	*view;
	struct hash_key	key;
	struct view_seen *seen;
	uint64_t	strings, shapes, tracks, places;	/* so far */
	uint64_t	time;		/* of the record before */
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
/* The difference to the record before; the first time of a page is 0. */
void html_time(struct html *h, uint64_t time);
/* The number of a string, whose record is written before its first use. */
uint64_t html_string(struct html *h, const char *s, size_t len);
uint64_t html_name(struct html *h, const char *s);
/* Write groups of three bytes as base64; up to two bytes wait for the next call, or for @all. */
void html_flush(struct html *h, bool all);

#endif

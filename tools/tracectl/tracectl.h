/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * tracectl.h - internal interface of tracectl
 *
 * All output uses struct out. Every name chosen by another process passes out_safe(),
 * out_quoted() or out_json(). A command returns the exit status: 0, or 1 after a message. A
 * wrong command line ends the program with status 2 before anything is changed.
 */
#ifndef TRACECTL_TC_H
#define TRACECTL_TC_H

#include <stdbool.h>
#include <stddef.h>
#include <devtrace-ctl.h>
#include "common/out.h"

#define NR(array)	(sizeof(array) / sizeof((array)[0]))

struct tc {
	struct devtrace_ctl *ctl;	/* opened by tc_open() */
	struct out	out;
	const char	*stream;	/* --stream; NULL: not given */
	const char	*interval;	/* --interval; NULL: not given */
	bool		json, cpu, types, processes, readers, lanes;
	const char	*command;	/* for messages: "filter set" */
	char		**words;	/* words after the command; nr of them */
	int		nr;
	struct tc_names	*names;		/* NULL: not read yet */
};

/* tracectl/main.c; tc_usage() and tc_missing() exit with status 2. */
_Noreturn void tc_usage(const struct tc *tc, const char *word, const char *problem);
_Noreturn void tc_missing(const struct tc *tc, const char *what);
/* Print the error of the last failed library call, after the name it concerns. Return 1. */
int tc_fail(const struct tc *tc, const char *name);
/*
 * tc_fail() for the read that begins a change: on -EPERM the message names the capabilities that
 * the change needs.
 */
int tc_fail_change(const struct tc *tc, const char *name, int err);
/* Print a message of the kernel in the words of the command line. Return 1. */
int tc_fail_as(const struct tc *tc, const char *name, const char *kernel);
/* Print the warning of the last successful call, if any. */
void tc_note(const struct tc *tc);
void tc_open(struct tc *tc);
/* Return the stream given by --stream, or stream 0. */
const char *tc_stream(const struct tc *tc);
/* Take the next word. If there is none, exit with a message that @what is missing. */
const char *tc_next(struct tc *tc, const char *what);
/*
 * Find the second word of a command of two words, such as "stream list". Return its index in
 * names, or 0 if there is no further word. Set tc->command.
 */
size_t tc_second(struct tc *tc, const char *const *names, size_t nr, const char *problem);
/* Exit with a message if a word is left. */
void tc_end(const struct tc *tc);
/* tc_end(), then tc_open(). */
void tc_begin(struct tc *tc);
void *tc_alloc(void *old, size_t size);
/* Parse a number from 0 to max, decimal or 0x. */
bool tc_number(const char *s, uint64_t max, uint64_t *v);

/* The commands. */
int tc_filter(struct tc *tc);
int tc_streams(struct tc *tc);
int tc_trigger(struct tc *tc);
int tc_stat(struct tc *tc);
int tc_monitor(struct tc *tc);
int tc_dict(struct tc *tc);
int tc_clear(struct tc *tc);
int tc_save(struct tc *tc);
int tc_profile(struct tc *tc);
int tc_rx(struct tc *tc);
/* Add a kernel profile event to the stream's filter. Return 0 or the library's error. */
int tc_profile_on(struct tc *tc, unsigned int type);
/* tracectl/tracepoint.c: profile add, del, fmt */
int tc_tracepoint_add(struct tc *tc);
int tc_tracepoint_del(struct tc *tc);
int tc_tracepoint_fmt(struct tc *tc);
/*
 * Set *type to the type of the added tracepoint, or to 0 if it was not added. Return 0 or the
 * library's error.
 */
int tc_tracepoint_type(struct tc *tc, const char *name, unsigned int *type);
int tc_info(struct tc *tc);
/* -s and -p */
int tc_keep(struct tc *tc, const char *severity);
/* Exit with status 2 unless this is a percentage. */
void tc_high_water_check(struct tc *tc, const char *percent);
int tc_high_water(struct tc *tc, const char *percent);
bool tc_percent(const char *s, unsigned int *percent);

/* tracectl/terms_item.c: a sign (! + -; 0: none) and a text, which may be in double quotes. */
struct tc_item {
	char	sign;
	bool	quoted;
	char	text[128];
};

/*
 * Take the item at *s, and advance *s past its comma. Return NULL, or a message saying what is
 * wrong with the item.
 */
const char *tc_item_next(const char **s, struct tc_item *item);

/* tracectl/terms.c: words to a filter. */
enum tc_edit { TC_SET, TC_ADD, TC_REMOVE };

struct tc_terms {
	struct tc	*tc;
	struct devtrace_filter *f;
	enum tc_edit	how;
	bool		alone;		/* ignore errors that depend on the current filter */
	/* one bit for each key; with SET, the first term of a key replaces the old term */
	unsigned int	seen;
	char		error[512];	/* why the term is wrong */
};

/* Apply one TERM to the filter. If it is wrong, return false and set @error. */
bool tc_term(struct tc_terms *t, const char *term);
/* Does this word look like a TERM? */
bool tc_is_term(const char *word);

/* tracectl/today.c: print notes on terms that no event can match now. */
void tc_note_terms(const struct tc *tc, const struct devtrace_filter *f);

/* tracectl/names.c: the numbers of a type, object, signal or code name. */
#define TC_NUMBERS	64

bool tc_name(struct tc *tc, enum devtrace_filter_attr term, const char *name, size_t *nr,
	     uint32_t *numbers);
/* Return the name of a type, from its emitter or the format files, or NULL if it has none. */
const char *tc_type_name(struct tc *tc, unsigned int type);
/*
 * Print that the name is unknown, and the nearest known name. Return false if no known name is
 * near.
 */
bool tc_name_unknown(struct tc *tc, enum devtrace_filter_attr term, const char *name,
		     struct out *o);
void tc_names_free(struct tc_names *names);

/* tracectl/file.c: replace a regular file atomically. Return 0, or -1 with errno. */
int tc_write_file(const char *path, const struct out *o);
/*
 * Replace a file whose content the caller writes to fd. Fails with EISDIR or ESPIPE if path is
 * not a regular file.
 */
struct tc_file {
	int	fd;
	char	*tmp, *path;
};

int tc_file_begin(struct tc_file *f, const char *path);
int tc_file_end(struct tc_file *f);
void tc_file_drop(struct tc_file *f);

/* tracectl/show.c: print filters. */
/* Print the terms, separated by @between; "all" if everything passes. */
void tc_put_terms(struct out *o, const struct devtrace_filter *f, char between);
void tc_json_filter(struct out *o, const char *key, const struct devtrace_filter *f);
/* Print which kernel profile events the filter passes, as groups and numbers, or "none". */
void tc_put_profile(struct out *o, const struct devtrace_filter *f);
/* The smallest group that contains the type, or NULL; *alone: it has no other type. */
const char *tc_type_group(unsigned int type, bool *alone);

/* tracectl/print.c: output that several commands share. */
void tc_json_str(struct out *o, const char *key, const char *value);
void tc_json_num(struct out *o, const char *key, uint64_t value);
void tc_json_bool(struct out *o, const char *key, bool value);
void tc_safe(struct out *o, const char *s);
void tc_put_size(struct out *o, uint64_t bytes);
void tc_put_ns(struct out *o, uint64_t ns);
/* Append numbers to a table row, each after a tab. */
void tc_cells(struct out *o, const uint64_t *n, size_t nr);
/*
 * tracectl/table.c: print aligned columns that fit the terminal. Rows are lines of cells
 * separated by tabs; the first has the headings, as HEADING or HEADING|SHORT. Kinds of columns:
 * 'l' text, 'c' a name that may be truncated, 'r' text or number at the right, 'n' a count, 'x' a
 * count of losses, 'X' a count of losses whose column may be omitted if it is 0 in all rows, 'b'
 * bytes, 'd' a time from tc_put_ns().
 */
void tc_table(struct out *o, const struct out *rows, const char *kinds);
/* A list printed entry by entry, as a table with a header or as a JSON array. */
struct tc_list {
	struct tc	*tc;
	struct out	rows;
	const char	*align;
	unsigned int	nr;
};

/* Call this after tc_open(). @key: the JSON before the array, e.g. {"streams":[ */
void tc_list_begin(struct tc_list *l, struct tc *tc, const char *key, const char *head,
		   const char *align);
/* Return the output for the next entry's cells or JSON members. */
struct out *tc_list_next(struct tc_list *l);
/* @ret: result of the call that listed; on failure print the error instead of the list. */
int tc_list_end(struct tc_list *l, int ret, const char *name);
/* Print members of a JSON object, without braces. */
void tc_json_stream(struct out *o, const struct devtrace_ctl_stream *s);
void tc_json_trigger(struct out *o, const struct devtrace_ctl_trigger *t);
void tc_put_state(struct out *o, const struct devtrace_ctl_stream *s);
/* Print a trigger in the words of the command line. */
void tc_put_trigger(struct out *o, const struct devtrace_ctl_trigger *t);

#endif

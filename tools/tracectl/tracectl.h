/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * tracectl.h - what the files of tracectl share
 *
 * Everything that is printed goes through struct out, and every name that
 * another process chose through out_safe(), out_quoted() or out_json().
 * A command returns the exit status: 0, or 1 after it said what failed. What is
 * wrong with the command line ends the program with 2 before anything is done.
 */
#ifndef TRACECTL_TC_H
#define TRACECTL_TC_H

#include <stdbool.h>
#include <stddef.h>
#include <devtrace-ctl.h>
#include "common/out.h"

#define NR(array)	(sizeof(array) / sizeof((array)[0]))

struct tc {
	struct devtrace_ctl *ctl;	/* tc_open() */
	struct out	out;
	const char	*stream;	/* --stream; NULL: not given */
	const char	*interval;	/* --interval; NULL: not given */
	bool		json, cpu, types, processes, readers, lanes;
	const char	*command;	/* for messages: "filter set" */
	char		**words;	/* what follows the command */
	int		nr;
	struct tc_names	*names;		/* NULL: none was asked for */
};

/* tracectl.c */
_Noreturn void tc_usage(const struct tc *tc, const char *word, const char *problem);
_Noreturn void tc_missing(const struct tc *tc, const char *what);
/* Say what the library says about a failed call, and what it was about. 1. */
int tc_fail(const struct tc *tc, const char *name);
/* The same of a look that a change begins with: who may not even look is told what that takes. */
int tc_fail_change(const struct tc *tc, const char *name, int err);
/* Say what this sentence of the kernel is in the words of the command line. 1. */
int tc_fail_as(const struct tc *tc, const char *name, const char *kernel);
/* Say what the kernel said about a call that succeeded, if it did. */
void tc_note(const struct tc *tc);
void tc_open(struct tc *tc);
/* The stream that is meant: stream 0 if none was named. */
const char *tc_stream(const struct tc *tc);
/* The next word, or a message that there should be this. */
const char *tc_next(struct tc *tc, const char *what);
/*
 * Which of these commands of two words is meant, as "stream list": the next word is its
 * second one, and without a word the first command is meant. It becomes tc->command.
 */
size_t tc_second(struct tc *tc, const char *const *names, size_t nr, const char *problem);
/* There must be no further word. */
void tc_end(const struct tc *tc);
/* Likewise, and tc_open(). */
void tc_begin(struct tc *tc);
void *tc_alloc(void *old, size_t size);
/* A whole number, decimal or 0x; up to max. */
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
/* Let the stream have a kernel profile event, too: 0, or what the library says. */
int tc_profile_on(struct tc *tc, unsigned int type);
/* tracectl/tracepoint.c: profile add, del, fmt */
int tc_tracepoint_add(struct tc *tc);
int tc_tracepoint_del(struct tc *tc);
int tc_tracepoint_fmt(struct tc *tc);
/* The type of one that is added; 0: it is not. Returns what the library says. */
int tc_tracepoint_type(struct tc *tc, const char *name, unsigned int *type);
int tc_info(struct tc *tc);
/* -s and -p */
int tc_keep(struct tc *tc, const char *severity);
/* Ends the program if that is no percentage. */
void tc_high_water_check(struct tc *tc, const char *percent);
int tc_high_water(struct tc *tc, const char *percent);
bool tc_percent(const char *s, unsigned int *percent);

/* tracectl/terms.c: words to a filter. */
enum tc_edit { TC_SET, TC_ADD, TC_REMOVE };

struct tc_terms {
	struct tc	*tc;
	struct devtrace_filter *f;
	enum tc_edit	how;
	bool		alone;		/* without the filter: only what is wrong by itself */
	unsigned int	seen;		/* keys, SET: the first of each begins it anew */
	char		error[512];	/* what is wrong with the term */
};

/* One TERM; false: see error. */
bool tc_term(struct tc_terms *t, const char *term);
/* Does this word look like one? */
bool tc_is_term(const char *word);

/* tracectl/names.c: the numbers of a name of TYPES, OBJECTS, SIGNALS or MAJORS. */
#define TC_NUMBERS	64

bool tc_name(struct tc *tc, enum devtrace_filter_attr term, const char *name, size_t *nr,
	     uint32_t *numbers);
/* That nobody knows it, and where it was looked for, with the nearest; false: none is near. */
bool tc_name_unknown(struct tc *tc, enum devtrace_filter_attr term, const char *name,
		     struct out *o);
void tc_names_free(struct tc_names *names);

/* tracectl/file.c: a regular file is replaced as a whole or stays; 0, or -1: errno. */
int tc_write_file(const char *path, const struct out *o);
/* The same in pieces, written to fd; EISDIR, ESPIPE: what is there is no regular file. */
struct tc_file {
	int	fd;
	char	*tmp, *path;
};

int tc_file_begin(struct tc_file *f, const char *path);
int tc_file_end(struct tc_file *f);
void tc_file_drop(struct tc_file *f);

/* tracectl/show.c: from a filter to words. */
/* The terms with this between; "all" if everything passes. */
void tc_put_terms(struct out *o, const struct devtrace_filter *f, char between);
void tc_json_filter(struct out *o, const char *key, const struct devtrace_filter *f);
/* The kernel profile events that it lets pass, as groups and names; "none". */
void tc_put_profile(struct out *o, const struct devtrace_filter *f);
/* A group that a type is of, or NULL. */
const char *tc_type_group(unsigned int type);

/* tracectl/print.c: other things that more than one command prints. */
void tc_json_str(struct out *o, const char *key, const char *value);
void tc_json_num(struct out *o, const char *key, uint64_t value);
void tc_json_bool(struct out *o, const char *key, bool value);
void tc_safe(struct out *o, const char *s);
void tc_put_size(struct out *o, uint64_t bytes);
void tc_put_ns(struct out *o, uint64_t ns);
/* Numbers, each as a cell behind another. */
void tc_cells(struct out *o, const uint64_t *n, size_t nr);
/* Rows are lines, cells are between tabs; an 'r' in align: at the right. */
void tc_table(struct out *o, const struct out *rows, const char *align);
/* A list that comes entry by entry: a table with a head, or a JSON array. */
struct tc_list {
	struct tc	*tc;
	struct out	rows;
	const char	*align;
	unsigned int	nr;
};

/* Call it after tc_open(). @key: what is before the array: {"streams":[ */
void tc_list_begin(struct tc_list *l, struct tc *tc, const char *key, const char *head,
		   const char *align);
/* Where the next entry goes: its cells, or its members. */
struct out *tc_list_next(struct tc_list *l);
/* @ret: of what called for the entries: if it failed none is printed. */
int tc_list_end(struct tc_list *l, int ret, const char *name);
/* "k":v pairs without braces. */
void tc_json_stream(struct out *o, const struct devtrace_ctl_stream *s);
void tc_json_trigger(struct out *o, const struct devtrace_ctl_trigger *t);
void tc_put_state(struct out *o, const struct devtrace_ctl_stream *s);
/* In the words of the command line. */
void tc_put_trigger(struct out *o, const struct devtrace_ctl_trigger *t);

#endif

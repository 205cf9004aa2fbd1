/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * tracectl.h - internal interface of tracectl
 *
 * All output is made with struct out. A name that another process chose is printed with
 * out_safe(), out_quoted() or out_json(). A command returns the exit status: 0, or 1 after
 * printing a message. If the command line is wrong, the program ends with status 2 before it
 * changes anything.
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
	const char	*process;	/* --process; NULL: not given */
	bool		json, cpu, types, processes, readers, lanes;
	const char	*command;	/* for messages: "filter set" */
	char		**words;	/* words after the command; nr of them */
	int		nr;
	struct tc_names	*names;		/* NULL: not read yet */
};

/* tracectl/main.c: tc_usage() and tc_missing() end the program with status 2. */
_Noreturn void tc_usage(const struct tc *tc, const char *word, const char *problem);
_Noreturn void tc_missing(const struct tc *tc, const char *what);
/* Print the error of the library call that failed last; @name is what it is about. Return 1. */
int tc_fail(const struct tc *tc, const char *name);
/*
 * Like tc_fail(), after reading something that was to be changed. After -EPERM the message names
 * the capabilities that the change needs.
 */
int tc_fail_change(const struct tc *tc, const char *name, int err);
/* Print a message of the kernel, but in the words of the command line. Return 1. */
int tc_fail_as(const struct tc *tc, const char *name, const char *kernel);
/* If the last successful library call left a warning, print it. */
void tc_note(const struct tc *tc);
void tc_open(struct tc *tc);
/* Return the name of the stream given with --stream, or of stream 0. */
const char *tc_stream(const struct tc *tc);
/* Take the next word. If there is none, print that @what is missing, and end the program. */
const char *tc_next(struct tc *tc, const char *what);
/*
 * Take the second word of a command such as "stream list", and set tc->command. Return its index
 * in @names, or 0 if there is no second word.
 */
size_t tc_second(struct tc *tc, const char *const *names, size_t nr, const char *problem);
/* If any word is left, print a message and end the program. */
void tc_end(const struct tc *tc);
/* tc_end(), then tc_open(). */
void tc_begin(struct tc *tc);
void *tc_alloc(void *old, size_t size);
/* Parse a decimal or hexadecimal (0x) number from 0 to @max. */
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
int tc_site(struct tc *tc);
int tc_clock(struct tc *tc);
/* Add a kernel profile event to the stream's filter. Return 0 or the library's error. */
int tc_profile_on(struct tc *tc, unsigned int type);
/* tracectl/tracepoint.c: profile add, del, fmt */
int tc_tracepoint_add(struct tc *tc);
int tc_tracepoint_del(struct tc *tc);
int tc_tracepoint_fmt(struct tc *tc);
/*
 * Set bit n of *types if type DEVTRACE_T_KERNEL + n is a tracepoint of a bus. With @add, first add
 * all tracepoints of buses that the kernel has. Return 0, or 1 after printing an error.
 */
int tc_tracepoint_buses(struct tc *tc, bool add, uint64_t *types);
/*
 * Set *type to the type of a tracepoint that was added by name, or to 0 if it was not. Return 0 or
 * the library's error.
 */
int tc_tracepoint_type(struct tc *tc, const char *name, unsigned int *type);
/*
 * tracectl/symbols.c: print the elements of a tracepoint of this type as arguments of fmt(5), and
 * the enums that they use. @format is the kernel's description of the tracepoint.
 */
void tc_symbols(struct out *enums, struct out *args, const char *format, unsigned int type,
		const char *elements);
int tc_info(struct tc *tc);
/* -s and -p */
int tc_keep(struct tc *tc, const char *severity);
/* If this is not a percentage, end the program with status 2. */
void tc_high_water_check(struct tc *tc, const char *percent);
int tc_high_water(struct tc *tc, const char *percent);
bool tc_percent(const char *s, unsigned int *percent);

/*
 * tracectl/terms_item.c: an item: a sign (! + - or 0: none) and a text, perhaps in double quotes.
 */
struct tc_item {
	char	sign;
	bool	quoted;
	char	text[128];
};

/*
 * Take the item at *s, and move *s behind the comma after it. Return NULL, or a message that says
 * what is wrong with the item.
 */
const char *tc_item_next(const char **s, struct tc_item *item);

/* tracectl/terms.c: words to a filter. */
enum tc_edit { TC_SET, TC_ADD, TC_REMOVE };

struct tc_terms {
	struct tc	*tc;
	struct devtrace_filter *f;
	enum tc_edit	how;
	/* alone: ignore errors that depend on the filter to which the term is applied */
	bool		alone;
	/*
	 * seen: a bit for each key that was given; with TC_SET, the first term of a key replaces
	 * the filter's term, and further ones add to it
	 */
	unsigned int	seen;
	char		error[512];	/* why the term is wrong */
};

/* Apply one TERM to the filter. If it is wrong, return false and set @error. */
bool tc_term(struct tc_terms *t, const char *term);
/* Does this word look like a TERM? */
bool tc_is_term(const char *word);

/* tracectl/today.c: print notes on terms that no event can match now. */
void tc_note_terms(const struct tc *tc, const struct devtrace_filter *f);

/* tracectl/names.c: find the numbers of a type, object, signal or code with this name. */
#define TC_NUMBERS	64

bool tc_name(struct tc *tc, enum devtrace_filter_attr term, const char *name, size_t *nr,
	     uint32_t *numbers);
/* Return the name of a type that a program or a format file gave it, or NULL. */
const char *tc_type_name(struct tc *tc, unsigned int type);
/*
 * Print that the name is unknown, and suggest the nearest known name. Return false, and print
 * nothing, if no known name is near.
 */
bool tc_name_unknown(struct tc *tc, enum devtrace_filter_attr term, const char *name,
		     struct out *o);
void tc_names_free(struct tc_names *names);

/* tracectl/file.c: replace a regular file in one step. Return 0, or -1 and errno. */
int tc_write_file(const char *path, const struct out *o);
/*
 * Replace a file in one step; the caller writes its content to @fd. Beginning fails with EISDIR or
 * ESPIPE if @path is not a regular file.
 */
struct tc_file {
	int	fd;
	char	*tmp, *path;
};

int tc_file_begin(struct tc_file *f, const char *path);
int tc_file_end(struct tc_file *f);
void tc_file_drop(struct tc_file *f);

/* tracectl/show.c: print filters. */
/* Print the terms of a filter, with @between after each; print "all" if everything passes. */
void tc_put_terms(struct out *o, const struct devtrace_filter *f, char between);
void tc_json_filter(struct out *o, const char *key, const struct devtrace_filter *f);
/* Print which kernel profile events the filter passes, as groups and numbers, or "none". */
void tc_put_profile(struct out *o, const struct devtrace_filter *f);
/*
 * Return the smallest group that contains the type, or NULL. *alone: the group has no other type.
 */
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
 * tracectl/table.c: print aligned columns that fit the terminal. A row is a line with a tab
 * between two cells. The first row has the headings, in the form HEADING or HEADING|SHORT. @kinds
 * has a letter for each column: 'l' text, 'c' a name that may be truncated, 'r' text or number on
 * the right, 'n' a count, 'x' a count of losses, 'X' a count of losses whose column is omitted if
 * all its rows are 0, 'b' bytes, 'd' a time from tc_put_ns().
 */
void tc_table(struct out *o, const struct out *rows, const char *kinds);
/* A list that is printed entry by entry, as a table or as a JSON array. */
struct tc_list {
	struct tc	*tc;
	struct out	rows;
	const char	*align;
	unsigned int	nr;
};

/* Begin a list, after tc_open(). @key is the JSON text before the array, e.g. {"streams":[ */
void tc_list_begin(struct tc_list *l, struct tc *tc, const char *key, const char *head,
		   const char *align);
/* Return the output for the next entry's cells or JSON members. */
struct out *tc_list_next(struct tc_list *l);
/* End the list. @ret is the result of the library call; if it failed, print the error instead. */
int tc_list_end(struct tc_list *l, int ret, const char *name);
/* Print members of a JSON object, without the braces around them. */
void tc_json_stream(struct out *o, const struct devtrace_ctl_stream *s);
void tc_json_trigger(struct out *o, const struct devtrace_ctl_trigger *t);
void tc_put_state(struct out *o, const struct devtrace_ctl_stream *s);
/* Print a trigger as it would be given on the command line. */
void tc_put_trigger(struct out *o, const struct devtrace_ctl_trigger *t);

#endif

/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * view.h - convert streams for other viewers: devtrace-convert --to
 *
 * traceconv/main.c parses the options, view/input.c reads the inputs, libdevtrace decodes them,
 * view/machine.c computes times, and a format such as view/perfetto.c or view/chrome.c writes the
 * output. Formats use args.c of traceinfo for the elements of an event, its pick.c for --counter
 * and --slice, and view/seen.c to remember what was written.
 *
 * Memory is bounded: of an event only names are kept, and full tables are emptied.
 */
#ifndef VIEW_VIEW_H
#define VIEW_VIEW_H

#include <signal.h>
#include "common/hash.h"
#include "common/out.h"
#include "fmtlang/fmt.h"
#include "traceinfo/args.h"
#include "traceinfo/picked.h"
#include "traceinfo/traceinfo.h"

#define VIEW_NAME	"devtrace-convert"	/* in messages */

struct view_options {
	const char	*to;		/* a name of view_formats */
	const char	*output;	/* NULL: standard output */
	const char	*fmt_files[TI_PICKS_MAX];
	unsigned int	nr_fmt_files;
	bool		quiet;
	struct ti_picks counters, slices;
	bool		lttng_names;	/* --to ctf: name the kernel's events as LTTng does */
	char		**inputs;	/* files, -, links; none: /dev/trace */
	int		nr_inputs;
};

/* A machine during one boot, and how its trace clock relates to the output's clock. */
struct view_machine {
	uint8_t		boot[16];
	unsigned int	nr;		/* 0: the first one */
	bool		known;		/* @boot is known */
	bool		timed;		/* @offset is known */
	/* offset: the output's clock minus the trace clock, in ns */
	uint64_t	offset;
	/* first: its first CLOCK frame, if @dated */
	bool		dated;
	struct devtrace_clock first;
};

struct view;

/* The functions of an output format. An item is anything in a stream that is not an event. */
struct view_format {
	const char	*name;
	/* draws those of --counter and --slice; counters may also be columns of a table */
	bool		counters, slices;
	void		(*begin)(struct view *v);
	void		(*event)(struct view *v, const struct ti_event *e);
	void		(*item)(struct view *v, const struct devtrace_item *item);
	void		(*end)(struct view *v);
};

extern const struct view_format view_perfetto, view_chrome, view_html, view_vcd, view_parquet;
/* Return the format of that name, or NULL if there is none. */
const struct view_format *view_format_find(const char *name);

struct link;

struct view {
	const struct view_options *opt;
	const struct view_format *format;
	void		*state;		/* private data of the format */
	struct out	out;
	struct fmt_set	fmts;
	struct devtrace_decoder *decoder;
	struct view_machine *machines, *machine;	/* @machine: of the current input */
	unsigned int	nr_machines;
	/* wall: CLOCK_REALTIME minus the output's clock, in ns, on the first machine */
	uint64_t	wall;
	uint64_t	last;		/* time of the last event */
	const char	*path;		/* of the current input */
	struct link	*link;		/* opened before its turn; NULL: none */
	int		link_fd;
	struct ti_picked *picked;
	struct ti_evidence evidence;
	uint64_t	end_ts;		/* an event after this ends the input */
	bool		ended;
	volatile sig_atomic_t *stop;
};

/* Load format files. Return 1 if one that the user named could not be read. */
int view_load(struct view *v);

/*
 * view/check.c: check an input before the output is created. Return 0; or return 1 if it cannot be
 * read or is not a stream, and if @say, print the message. Links and pipes pass, because they
 * cannot be read twice.
 */
int view_check(const char *path, bool say);
/* The same for --to ctf, for which the head of the input must be a stream. */
int view_check_ctf(const char *path);

/* Return the number of inputs: without an argument the device is read. */
static inline int view_nr_inputs(const struct view_options *opt)
{
	return opt->nr_inputs ? opt->nr_inputs : 1;
}

static inline const char *view_input_name(const struct view_options *opt, int i)
{
	return opt->nr_inputs ? opt->inputs[i] : TI_DEVICE;
}

/* Report that there is no memory, and end the program. */
_Noreturn void view_no_memory(void);
/* Like realloc(3), but end the program if there is no memory. */
void *view_alloc(void *old, size_t size);

/*
 * Convert all inputs. Return the exit status. A signal handler may set *@stop to end the
 * conversion.
 */
int view_run(const struct view_options *opt, volatile sig_atomic_t *stop);

/*
 * view/ctf.c: run babeltrace2 in place of this program, to write a trace in the directory
 * opt->output. Return 1 if it cannot run.
 */
int view_ctf(const struct view_options *opt);

/* view/input.c: read one input to its end. Return 0, or 1 after an error message was printed. */
int view_input(struct view *v, const char *path);
/*
 * Open a link, which view_input() then reads. Return 0, or 1 after an error message was printed or
 * a signal came.
 */
int view_link(struct view *v, const char *word);
void view_link_close(struct view *v);

/*
 * view/machine.c: view_machine_enter() makes the machine with this boot id the current one. With
 * @boot NULL it is the machine added last, because an input without an INFO frame may be from
 * that. view_machine_clock() computes the machine's offset from a CLOCK frame.
 */
void view_machine_enter(struct view *v, const uint8_t *boot);
void view_machine_clock(struct view *v, const struct devtrace_clock *c);

/* Convert a time of the trace clock to the output's clock. */
static inline uint64_t view_time(const struct view *v, uint64_t ts)
{
	return ts + v->machine->offset;
}

/* view/json.c: write an element as a member of a JSON object. @any: it is not the first one. */
void view_json_arg(struct out *o, bool any, const struct ti_arg *a);

/* view/seen.c: a bounded table from numbers to numbers. When it is full, it is emptied. */
struct view_seen;
struct view_seen *view_seen_new(void);
void view_seen_free(struct view_seen *s);
/*
 * Return a pointer to the number stored for @key, which is 0 at first. The pointer is valid until
 * the next call.
 */
uint64_t *view_seen(struct view_seen *s, uint64_t key);

#endif

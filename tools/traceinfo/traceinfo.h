/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * traceinfo.h - the parts of traceinfo
 *
 * An event passes through these files: input.c reads the input, libdevtrace decodes it, item.c
 * decides what is printed, filter.c filters, line.c and line_item.c print text, json.c prints
 * JSON, qspy.c prints as QSPY. opts.c parses the options, event.c finds the names of an event,
 * time.c prints its time, layout.c chooses the columns, and merge.c merges the inputs of several
 * boards. With --summary, sum*.c replace filter and lines. With --timeline, timeline*.c replace
 * filter and lines, and use the rows of track.c. For --check-emit, emit.c does everything.
 */
#ifndef TRACEINFO_TI_H
#define TRACEINFO_TI_H

#include <signal.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <devtrace-decode.h>
#include "fmtlang/fmt.h"
#include "common/out.h"
#include "choice.h"
#include "picks.h"

#define TI_DEVICE	"/dev/trace"
#define TI_DEVICE_LAST	"/dev/trace-last"	/* --last-boot */
#define TI_STREAM	"trace"	/* name of its stream */
#define TI_MATCH_MAX	10	/* -M: limit of matches, and of exclusions */
#define TI_LIFELINES_MAX 16	/* --sequence */
#define TI_LAST_MAX	1000000	/* -n: limit of lines kept in memory */

enum ti_time {
	TI_TIME_DATE,		/* strftime */
	TI_TIME_MS,		/* strftime and milliseconds */
	TI_TIME_US,		/* strftime and microseconds */
	TI_TIME_ISO,
	TI_TIME_DELTA,		/* since the previous printed event */
	/* TI_TIME_REL: as TI_TIME_DELTA, but the first event of each minute has its date */
	TI_TIME_REL,
	TI_TIME_RAW,		/* trace clock */
	TI_TIME_MONO,		/* CLOCK_MONOTONIC, like dmesg */
	TI_TIME_NONE,
};

/* A moment given by the user. */
struct ti_when {
	enum { TI_ALWAYS, TI_AGO, TI_REAL } kind;
	int64_t	ns;		/* before the end; since 1970 */
	const char *word;	/* as given, for messages */
};

struct ti_code_match {
	uint32_t	major;
	int		minor;		/* -1: any */
	const char	*name;		/* as given; NULL: a number */
	/* head: length of the major's name in @name; 0: @name is a pattern */
	size_t		head;
};

/* Words of an option that may be given several times. */
struct ti_words {
	const char **v;
	size_t	n;
};

/* An exclusion wins over a match. */
struct ti_filter {
	struct ti_when	since, until;
	struct ti_code_match match[TI_MATCH_MAX], unmatch[TI_MATCH_MAX];
	unsigned int	nr_match, nr_unmatch;
	bool		by_severity;
	bool		severity[9];	/* severity byte & 7; 8: no severity */
	bool		by_cpu;
	uint64_t	cpus[65536 / 64];
	bool		by_type;
	bool		types[256];
	uint64_t	numbers[65536 / 64];	/* types registered by name */
	struct ti_words	names;		/* patterns of type names */
	struct ti_words	processes, objects;
	/* Made from these words by ti_filter_ready(). */
	struct ti_choice by_name, by_process, by_object;
	struct ti_pids	*pids;		/* translates @processes; NULL: not needed */
};

/* The tables of --summary. */
enum ti_table {
	TI_TABLE_SYSCALLS	= 1 << 0,
	TI_TABLE_INTERRUPTS	= 1 << 1,
	TI_TABLE_THREADS	= 1 << 2,
	TI_TABLE_WAITS		= 1 << 3,
	TI_TABLE_MACHINES	= 1 << 4,
	TI_TABLE_STATES		= 1 << 5,
	TI_TABLE_QUEUES		= 1 << 6,	/* also pools and time events */
	TI_TABLE_ALL		= (1 << 7) - 1,
};

struct ti_options {
	bool		clear, follow, json, verbose, statistics, check_fmt, no_default_fmt;
	bool		summary, check_emit, raw, plot, timeline;
	uint64_t	window;		/* of the timeline, in ns; 0: not given */
	unsigned int	tables;		/* of the summary, enum ti_table */
	long		last;		/* -1: all */
	enum ti_time	time;
	bool		time_given;	/* by --time, -F or -m */
	const char	*date;		/* strftime format; NULL: not given */
	const char	*header;
	enum { TI_LAYOUT_AUTO, TI_LAYOUT_SHORT, TI_LAYOUT_WIDE, TI_LAYOUT_QSPY } layout;
	enum { TI_COLOR_AUTO, TI_COLOR_ALWAYS, TI_COLOR_NEVER } color;
	const char	*device;
	const char	*align;		/* event that ties boards; NULL: not given */
	struct ti_filter filter;
	struct ti_words	fmt_files, fmt_dirs, files;
	struct ti_words	sequence;	/* objects of the diagram */
	struct ti_picks	counters, slices;	/* of the timeline */
};

/* Parse the options. After a wrong option or argument, print a message and end with status 2. */
void ti_options_parse(struct ti_options *opt, int argc, char **argv);
void ti_options_free(struct ti_options *opt);
_Noreturn void ti_usage(const char *option, const char *word, const char *problem);
void ti_words_add(struct ti_words *w, const char *s);
void *ti_alloc(void *old, size_t size);

/*
 * traceinfo/when.c: parse a duration such as 1h30min, 500ms or 2.5s; a number without a unit is in
 * seconds. Return false if the word is not a duration.
 */
bool ti_parse_span(const char *s, int64_t *ns);
/* Parse a date or time. Return false if the word is neither. */
bool ti_parse_when(const char *word, struct ti_when *when);
/* Parse [[[[[[CC]YY]MM]DD]hh]mm][.SS], optionally followed by ':' and the end in the same form. */
bool ti_parse_dates(const char *word, struct ti_when *since, struct ti_when *until);
/*
 * Return a time on the trace clock such that no earlier event has a wall-clock time of @since or
 * later. @ts and @real: the trace clock and the wall clock now.
 */
uint64_t ti_when_from(int64_t since, int64_t real, uint64_t ts);

/* traceinfo/filter.c: parse an option's argument. A list is split in place, in argv. */
void ti_filter_severity(struct ti_filter *f, char *word);
void ti_filter_cpu(struct ti_filter *f, char *word);
void ti_filter_type(struct ti_filter *f, char *word);
void ti_filter_code(struct ti_filter *f, const char *word);
/*
 * Split a list and add its words to @w. If the list is empty, print @problem and end the program.
 */
void ti_filter_some(struct ti_words *w, char *word, const char *option, const char *problem);
/* Prepare the filter for use, after the last option was parsed. */
void ti_filter_ready(struct ti_filter *f);
void ti_filter_free(struct ti_filter *f);

/*
 * traceinfo/pids.c: in a PID namespace other than the initial one, translate thread IDs with the
 * help of the device @fd. ti_pids_new() returns NULL if that is unnecessary or unsupported.
 * ti_pids_named() returns the ID in the user's namespace for the ID in an event, or TI_PID_NONE.
 * ti_pids_forget() drops a cached ID, because a new thread may have it now.
 */
#define TI_PID_NONE	UINT32_MAX
struct ti_pids *ti_pids_new(int fd);
void ti_pids_free(struct ti_pids *p);
uint32_t ti_pids_named(struct ti_pids *p, uint32_t id);
void ti_pids_forget(struct ti_pids *p, uint32_t id);

/* An event and its names. */
struct ti_event {
	const struct devtrace_event *ev;
	const struct devtrace_decoder *decoder;
	const struct fmt_major *major;
	const struct fmt_entry *entry;
	uint32_t	tgid;		/* 0: unknown */
	struct fmt_log	log;		/* the text of a LOG event */
	struct fmt_dict	dict;
};

void ti_event_init(struct ti_event *e, const struct devtrace_event *ev,
		   const struct devtrace_decoder *decoder, const struct fmt_set *fmts);
/* Name of its thread; NULL: unknown. */
const char *ti_event_process(const struct ti_event *e);
const char *ti_event_dict(const struct ti_event *e, uint8_t kind, uint32_t value,
			  uint8_t group, uint64_t key);
/* Return the prefix with which a type without a name is printed, e.g. USER for USER:101. */
const char *ti_event_group(uint8_t type);
/*
 * Print the event's name, for example UART.OVERRUN, SPEED or USER:101. Control characters are
 * escaped.
 */
void ti_event_name(struct out *o, const struct ti_event *e);
/* Return the names of the event's object and signal, or NULL if the event has none. */
const char *ti_event_object(const struct ti_event *e);
const char *ti_event_signal(const struct ti_event *e);
const char *ti_event_context(const struct ti_event *e);
/* Was the event emitted by an interrupt handler that interrupted its thread? */
bool ti_event_interrupted(const struct ti_event *e);
/* Return the number of the lane that the event is from, or -1 if it is from a CPU. */
int ti_event_lane(const struct ti_event *e);
/* Is the event a line of text that a program wrote to the device? */
bool ti_event_line(const struct ti_event *e, struct devtrace_elem *text);
/* Print the text of an event, escaped for a terminal. */
void ti_event_text(struct out *o, const struct ti_event *e);
const char *ti_lost_cause(uint8_t cause);
const char *ti_state_name(uint8_t state);
/* Damage reason besides those of the library: a part of a compressed file is unreadable. */
#define TI_DAMAGE_ZSTD	100
const char *ti_damage_reason(enum devtrace_damage_reason reason);

/* How times are printed. @words caches the text of one second, that of the event printed last. */
struct ti_clock {
	enum ti_time	mode;
	const char	*date;
	int64_t		second;
	char		words[256];
	size_t		len;
	bool		valid;
	uint64_t	before;		/* delta, rel: previous event */
	bool		have_before;
	/* wall: delta and rel compare wall-clock times, because several boards are merged */
	bool		wall;
	int64_t		minute;		/* rel: of the previous event */
};

/*
 * Set the first CLOCK frame of the next input, by which events before it are dated. NULL: unknown.
 */
void ti_clock_first(const struct devtrace_clock *c);
/* From now on, ask this function for dates; NULL: no longer. */
typedef bool ti_clock_align_fn(void *arg, uint64_t ts, int64_t *real);
void ti_clock_align(ti_clock_align_fn *fn, void *arg);
/* By that function; or devtrace_decoder_real(), or by that frame. */
bool ti_clock_real(const struct devtrace_decoder *d, uint64_t ts, int64_t *real);
/* Return the number of columns that ti_clock_print() prints when the date is known. */
size_t ti_clock_width(struct ti_clock *c);
void ti_clock_print(struct out *o, struct ti_clock *c, const struct devtrace_decoder *d,
		    uint64_t ts);
/* Print a time for use in a sentence: without padding, and never as a difference. */
void ti_clock_moment(struct out *o, struct ti_clock *c, const struct devtrace_decoder *d,
		     uint64_t ts);
/* Print a date such as 2026-11-21T03:15:46.123456789+00:00. Return false if it is unknown. */
bool ti_clock_iso(struct out *o, struct ti_clock *c, const struct devtrace_decoder *d,
		  uint64_t ts);
/* Print the date of a time in ns since 1970. Return false if the time has no date. */
bool ti_clock_iso_real(struct out *o, struct ti_clock *c, int64_t real);

/*
 * traceinfo/clock_set.c: was the wall clock set between two CLOCK frames? Set *by to the step in
 * ns.
 */
bool ti_clock_was_set(const struct devtrace_clock *before, const struct devtrace_clock *c,
		      int64_t *by);

/* The last CLOCK frame of an input. */
struct ti_clock_last {
	bool		known;
	struct devtrace_clock clock;
};

/* The wall clock was set by @by ns, at some time of the trace clock between @from and @to. */
struct ti_clock_step {
	uint64_t	from, to;
	int64_t		by;
	bool		exact;		/* @from and @to are one moment */
};

/*
 * Process the next CLOCK frame. If the wall clock was set since the previous frame, fill in @step
 * and return true.
 */
bool ti_clock_set(struct ti_clock_last *last, const struct devtrace_clock *c,
		  struct ti_clock_step *step);
/* Print a step such as "+20605 days 11:59:58", or "-3600.000000 s" if it is below a day. */
void ti_clock_step(struct out *o, int64_t by);

bool ti_filter_wants(const struct ti_filter *f, const struct ti_event *e);
/* Does it filter by anything but time? */
bool ti_filter_by_event(const struct ti_filter *f);

/*
 * Compile the format of a line's header. Return NULL after printing an error. @bare: a text event
 * without an object is printed without the name "text".
 */
struct ti_header;
struct ti_header *ti_header_new(const char *format, bool bare);
/* Print the column heads up to the column of the name. */
void ti_header_heads(struct out *o, const struct ti_header *h, size_t time_width);
/* Names have changed: empty the cache. */
void ti_header_forget(struct ti_header *h);

/* The printer: one for a run. */
struct ti_printer {
	const struct ti_options *opt;
	struct ti_header *header;
	struct ti_clock	clock, iso;
	bool		color;
	bool		unicode;	/* bars may have characters that are not ASCII */
	bool		terminal;	/* lines of text go to a terminal */
	bool		is_short;	/* the layout of the lines */
	bool		headed;		/* column heads are printed, or not wanted */
	/* names of two files while the gap between them is reported; otherwise NULL */
	const char	*gap_from, *gap_to;
	/* name of the board that is being printed; NULL: there is only one board */
	const char	*board;
	unsigned int	board_nr, board_width;
	/* uncertain: the order of this event and one of another board is not certain */
	bool		uncertain;
	/* of several boards: @error is the largest error of this event's date, in ns */
	bool		has_error;
	uint64_t	error;
	/* --align: @aligned is the event's time on the first board's trace clock */
	bool		is_aligned;
	uint64_t	aligned, align_error;
	char		format[64];	/* header with a column for the board */
};

void ti_line_event(struct out *o, struct ti_printer *p, const struct ti_event *e);
/* traceinfo/qspy.c: note names and the width of pointers; print an event that is a record of QS. */
struct ti_qspy;
struct ti_qspy *ti_qspy_new(void);
void ti_qspy_free(struct ti_qspy *q);
void ti_qspy_item(struct ti_qspy *q, const struct devtrace_item *item);
bool ti_qspy_wants(const struct ti_qspy *q, const struct devtrace_event *ev);
void ti_qspy_event(struct ti_qspy *q, struct out *o, const struct devtrace_event *ev);
void ti_line_item(struct out *o, struct ti_printer *p, const struct devtrace_decoder *d,
		  const struct devtrace_item *item);
void ti_boot_id(struct out *o, const uint8_t id[16]);
void ti_line_load(struct out *o, struct ti_printer *p, uint32_t load);
void ti_line_pids(struct out *o, struct ti_printer *p);
void ti_line_clock_set(struct out *o, struct ti_printer *p, const struct devtrace_decoder *d,
		       const struct ti_clock_step *s);
void ti_line_reboot(struct out *o, struct ti_printer *p, const uint8_t before[16],
		    const uint8_t id[16]);
void ti_json_event(struct out *o, struct ti_printer *p, const struct ti_event *e);
void ti_json_item(struct out *o, struct ti_printer *p, const struct devtrace_decoder *d,
		  const struct devtrace_item *item);
void ti_json_load(struct out *o, struct ti_printer *p, uint32_t load);
void ti_json_pids(struct out *o, struct ti_printer *p);
void ti_json_clock_set(struct out *o, struct ti_printer *p, const struct devtrace_decoder *d,
		       const struct ti_clock_step *s);
void ti_json_reboot(struct out *o, struct ti_printer *p, const uint8_t before[16],
		    const uint8_t id[16]);

/*
 * -n keeps the last events in memory until the end of the input. A slot has an event and the
 * reports (of losses, damage and so on) before it. The size of the reports is limited, so that
 * damage cannot exhaust the memory.
 */
struct ti_slot {
	char		*text;
	size_t		len, size;
	size_t		reports;	/* bytes of reports before the event */
};

struct ti_last {
	struct ti_slot	*slots;
	size_t		nr, next, used;
	/* reports_max: limit of the reports before one event, in bytes */
	size_t		reports_max;
	bool		older;		/* earlier events were dropped */
	size_t		reports;	/* bytes in line before the event */
	/* line: the reports since the last event; then the event's line is appended */
	struct out	line;
	uint64_t	omitted;	/* reports that did not fit */
};

void ti_last_init(struct ti_last *last, long nr);
/* Return the output for a report. Return NULL if the reports before one event exceed the limit. */
struct out *ti_last_report(struct ti_last *last);
/*
 * Return the output for an event's line. If reports before the event were omitted, print their
 * number there first.
 */
struct out *ti_last_event(struct ti_last *last, bool json);
/* Move the event and reports in @line to a slot. */
void ti_last_keep(struct ti_last *last);
/*
 * Print the kept events, oldest first, and forget them. If earlier events were dropped, the
 * reports before the first kept event are not printed.
 */
void ti_last_print(struct ti_last *last, struct out *o, bool json);
void ti_last_free(struct ti_last *last);

/*
 * Used to detect that only losses are left to read, see losses.c. @source and @cause are those of
 * one remembered loss, and @again counts how often such a loss was reported again.
 */
struct ti_losses {
	/* n: number of losses since the last event; set it to 0 after an event */
	unsigned long	n;
	unsigned int	source, cause, again;
};

/* Process a loss. Return true if only losses are left to read. */
bool ti_losses_only(struct ti_losses *l, unsigned int source, unsigned int cause);

struct ti_picked;	/* see picked.h */

/*
 * The names in filters and --sequence, each of which is searched in the format files and the
 * stream. ti_names_new() returns NULL if there are none.
 */
struct ti_names;
struct ti_names *ti_names_new(const struct ti_options *opt, const struct fmt_set *fmts);
void ti_names_heard(struct ti_names *names, const struct devtrace_name *d);
void ti_names_thread(struct ti_names *names, const char *name);
/* Print the names that were not found on standard error, once. Return 1 if there are any. */
int ti_names_say(struct ti_names *names);
void ti_names_free(struct ti_names *names);

/* The evidence so far that an input is a devtrace stream; see evidence.c. */
struct ti_evidence {
	bool		found;
	/* have: @seq is the sequence number of the previous frame */
	bool		have;
	uint8_t		seq;
	uint64_t	frames, damages;
};

/* Process an item. Return true once the input is known to be a stream. */
bool ti_evidence(struct ti_evidence *e, const struct devtrace_item *item);

/*
 * traceinfo/raw.c: --raw. ti_raw_input() gets a block of the input, ti_raw_item() each item in it.
 * Then ti_raw_copy() writes the bytes that belong to no item, up to the item that ended the input.
 */
struct ti_raw;
struct ti_raw *ti_raw_new(const struct ti_filter *f);
void ti_raw_free(struct ti_raw *r);
void ti_raw_begin(struct ti_raw *r);
void ti_raw_input(struct ti_raw *r, const void *buf, size_t n);
void ti_raw_item(struct ti_raw *r, struct out *o, const struct devtrace_item *item);
void ti_raw_load(struct ti_raw *r, struct out *o, uint32_t load);
void ti_raw_end(struct ti_raw *r, const struct devtrace_item *item);
void ti_raw_copy(struct ti_raw *r, struct out *o);
/* The bytes before this offset of the input are no longer needed. */
void ti_raw_used(struct ti_raw *r, uint64_t offset);

/* Numbers of frames in this input, from its INFO and CLOCK frames; see pieces.c. */
struct ti_accounts {
	/* path: the file's path; NULL: the input is not a file that another one may continue */
	const char	*path;
	/* notes: number of NOTE frames read; they have no frame number */
	uint64_t	notes;
	/* base: number of the input's first frame, counted from the begin of the stream */
	uint64_t	base;
	uint64_t	ts;		/* of the last event */
	/* named: an INFO frame has set @base, @boot and @name */
	bool		named;
	uint8_t		boot[16];
	uint32_t	load;
	char		name[DEVTRACE_NAME_MAX];
};

/* Where the pieces read so far ended. */
struct ti_ends {
	struct ti_end	*v;
	size_t		n;
};

struct sum;
struct zread;
struct ti_piece;
struct link;
struct ti_sequence;
struct ti_timeline;

/* The state of an input that is being read. */
struct ti_input {
	struct zread	*zread;
	uint64_t	zstd_damages, zstd_bytes;	/* damaged places, and their bytes */
	struct devtrace_decoder *decoder;
	struct ti_evidence evidence;
	struct ti_last	held;		/* reports before there is evidence */
	size_t		reports_before;	/* bytes in last, when the input began */
	uint64_t	omitted_before;
	/* Name of the input's stream. When it changes, a line with the new name is printed. */
	char		stream[DEVTRACE_NAME_MAX];
	/* load: the module's load number that was printed last for this stream */
	uint32_t	load;
	/* The time window of --since and --until, converted to this input's trace clock, in ns. */
	uint64_t	since_ts, until_ts;
	/* end_ts: an event later than this time ends the input */
	uint64_t	end_ts;
	/* losses_ts: if only losses follow, one that was reported after this time ends the input */
	uint64_t	losses_ts;
	struct ti_losses losses;
	struct ti_accounts accounts;
	struct ti_clock_last clock;
	/* From the last INFO frame, which may be in the previous file. */
	bool		have_boot;
	uint8_t		boot[16];
	/* named: the user named this file, so it is an error if it is empty */
	bool		named;
	/* qspy: names in this input, for --format=qspy; otherwise NULL */
	struct ti_qspy	*qspy;
};

struct ti_run;
/* traceinfo/nothing.c: if no event was printed, print the reason on standard error. */
void ti_nothing_say(struct ti_run *run);

/* The state of the program: it reads one or more inputs and writes one output. */
struct ti_run {
	struct ti_options *opt;
	struct fmt_set	fmts;
	struct ti_printer printer;
	struct out	out;
	struct ti_last	last;
	struct ti_names	*names;
	struct ti_picked *picked;	/* NULL: no --counter and no --slice */
	struct ti_input	one, *in;	/* for inputs in sequence; the current one */
	bool		keep;		/* -n: print at the end */
	/*
	 * printed: number of events printed; events that -n keeps are counted when they are
	 * printed
	 */
	uint64_t	printed;
	struct devtrace_totals totals;
	struct sum	*sum;		/* --summary */
	struct ti_raw	*raw;		/* --raw */
	struct ti_sequence *sequence;	/* --sequence */
	struct ti_timeline *timeline;	/* --timeline */
	struct ti_ends	ends;
};

#define TI_BLOCK	(256 * 1024)	/* bytes of one read */

#define TI_NAME	"traceinfo"	/* in messages */

/*
 * How an input ended: it is complete; the rest may come later; a signal stopped reading; or reading
 * failed, which was reported.
 */
enum ti_ending { TI_END_WHOLE, TI_END_LATER, TI_END_STOPPED, TI_END_FAILED };

/* The steps of reading run->in. Each returns 1 after printing an error. @buf has TI_BLOCK bytes. */
void ti_input_init(struct ti_input *in);
int ti_input_window(struct ti_run *run, int fd, const char *path, bool live, char *buf);
int ti_input_begin(struct ti_run *run, devtrace_item_fn *fn, void *arg);
/*
 * Decode at most @max bytes of the file, compressed or not, from its position on, until @fn
 * returns a value other than 0. Then restore the position. Unless @decoder is NULL, *decoder is
 * set to the decoder that calls @fn.
 */
void ti_read_ahead(int fd, size_t max, devtrace_item_fn *fn, void *arg,
		   const struct devtrace_decoder **decoder);
/*
 * Find the first CLOCK frame of a regular file. In a file that begins in the middle of a stream,
 * it may come as late as a second after the first event.
 */
bool ti_find_clock(int fd, const struct stat *st, struct devtrace_clock *c);
/* Like read(2), but also fail with EINTR if the caller should call it again. */
ssize_t ti_input_read(struct ti_run *run, int fd, char *buf, size_t n);
/* Add the counts of an input to the totals. Return 1 if the input was not a stream. */
int ti_input_end(struct ti_run *run, const char *path, enum ti_ending how,
		 const struct stat *st, bool live);

/* Read one input to its end. Return 0, or 1 after printing an error. */
int ti_input_file(struct ti_run *run, const struct ti_piece *piece);
/*
 * Read an input from a descriptor. @path is its name in messages. @piece is NULL if it is not a
 * file.
 */
int ti_input_fd(struct ti_run *run, int fd, const char *path, const struct ti_piece *piece);
/* traceinfo/link.c: inputs such as tcp:HOST:PORT */
int ti_input_link(struct ti_run *run, const char *word);
int ti_input_live(struct ti_run *run, const char *path);
/* Does the path name a trace device, or a device that cannot be opened? */
bool ti_is_device(const char *path);

/* traceinfo/item.c: process an item of run->in. Return a value other than 0 to end the input. */
int ti_item(const struct devtrace_item *item, void *arg);
/*
 * Return the output for bytes. Until the input is known to be a stream, all bytes are held in
 * memory, without a limit.
 */
struct out *ti_bytes(struct ti_run *run);
/*
 * Print the lines held so far, because the input is a stream, or an error was found that must be
 * printed anyway.
 */
void ti_release(struct ti_run *run);
/* Is this note in every file, or shown in a column? Such notes are printed only with -v. */
bool ti_note_told(const struct ti_run *run, const char *note);
/* -n: print the kept events, once. Later events are printed as they are read. */
void ti_print_last(struct ti_run *run);
/* Print the module's load number, which the decoder knows only after INFO. */
void ti_print_load(struct ti_run *run);
/* In a PID namespace, print that the IDs shown are those of the initial namespace. */
void ti_print_pids(struct ti_run *run);

/* traceinfo/emit.c: execute --check-emit. Return the exit status. */
int ti_check_emit(const struct ti_options *opt);

/* Set by a signal handler when the program must end. */
extern volatile sig_atomic_t ti_stop;

#endif

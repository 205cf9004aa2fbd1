/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * traceinfo.h - the parts of traceinfo
 *
 * options (traceinfo/opts.c) -> input (traceinfo/input.c) -> decoder (libdevtrace) ->
 * item (traceinfo/item.c) -> filter (traceinfo/filter.c) -> a line of text
 * (traceinfo/line.c, line_item.c) or JSON (traceinfo/json.c). Inputs of many boards are merged by
 * traceinfo/merge.c. traceinfo/event.c finds the names of an event, traceinfo/time.c
 * prints its time, traceinfo/layout.c chooses the columns. With --summary,
 * traceinfo/sum*.c take the place of filter and lines.
 * --check-emit (traceinfo/emit.c) reads nothing.
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

#define TI_DEVICE	"/dev/trace"
#define TI_DEVICE_LAST	"/dev/trace-last"	/* --last-boot */
#define TI_STREAM	"trace"	/* what it calls its stream */
#define TI_MATCH_MAX	10	/* -M: as many matches and as many exclusions */
#define TI_LIFELINES_MAX 16	/* --sequence */
#define TI_LAST_MAX	1000000	/* -n: they are kept in memory */

enum ti_time {
	TI_TIME_DATE,		/* strftime */
	TI_TIME_MS,		/* strftime, and milliseconds */
	TI_TIME_US,		/* strftime, and microseconds */
	TI_TIME_ISO,
	TI_TIME_DELTA,		/* since the event printed before */
	TI_TIME_REL,		/* the same, and the date where a minute begins */
	TI_TIME_RAW,		/* trace clock */
	TI_TIME_MONO,		/* CLOCK_MONOTONIC, as dmesg */
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
	const char	*name;		/* as written; NULL: a number */
	size_t		head;		/* of @name, of the major; 0: @name is a pattern of all */
};

/* A list of words, from options that may be given more than once. */
struct ti_words {
	const char **v;
	size_t	n;
};

/* A filter that excludes wins over one that includes. */
struct ti_filter {
	struct ti_when	since, until;
	struct ti_code_match match[TI_MATCH_MAX], unmatch[TI_MATCH_MAX];
	unsigned int	nr_match, nr_unmatch;
	bool		by_severity;
	bool		severity[9];	/* severity byte & 7; 8: none given */
	bool		by_cpu;
	uint64_t	cpus[65536 / 64];
	bool		by_type;
	bool		types[256];
	struct ti_words	names;		/* of types: patterns */
	struct ti_words	processes, objects;
	/* Made of these words by ti_filter_ready() */
	struct ti_choice by_name, by_process, by_object;
	struct ti_pids	*pids;		/* whose ids processes have; NULL: those of events */
};

/* The tables of --summary. */
enum ti_table {
	TI_TABLE_SYSCALLS	= 1 << 0,
	TI_TABLE_INTERRUPTS	= 1 << 1,
	TI_TABLE_THREADS	= 1 << 2,
	TI_TABLE_WAITS		= 1 << 3,
	TI_TABLE_MACHINES	= 1 << 4,
	TI_TABLE_STATES		= 1 << 5,
	TI_TABLE_QUEUES		= 1 << 6,	/* and pools and time events */
	TI_TABLE_ALL		= (1 << 7) - 1,
};

struct ti_options {
	bool		clear, follow, json, verbose, statistics, check_fmt, no_default_fmt;
	bool		summary, check_emit, raw;
	unsigned int	tables;		/* of the summary, enum ti_table */
	long		last;		/* -1: all */
	enum ti_time	time;
	bool		time_given;	/* or what chooses one, -F and -m */
	const char	*date;		/* strftime format; NULL: not given */
	const char	*header;
	enum { TI_LAYOUT_AUTO, TI_LAYOUT_SHORT, TI_LAYOUT_WIDE } layout;
	enum { TI_COLOR_AUTO, TI_COLOR_ALWAYS, TI_COLOR_NEVER } color;
	const char	*device;
	struct ti_filter filter;
	struct ti_words	fmt_files, fmt_dirs, files;
	struct ti_words	sequence;	/* objects of the diagram */
};

/* Words of options; end the program with 2 and a message that names the word. */
void ti_options_parse(struct ti_options *opt, int argc, char **argv);
void ti_options_free(struct ti_options *opt);
_Noreturn void ti_usage(const char *option, const char *word, const char *problem);
void ti_words_add(struct ti_words *w, const char *s);
void *ti_alloc(void *old, size_t size);

/* traceinfo/when.c: false if the word is no date. */
bool ti_parse_when(const char *word, struct ti_when *when);
/* [[[[[[CC]YY]MM]DD]hh]mm][.SS][:the same] */
bool ti_parse_dates(const char *word, struct ti_when *since, struct ti_when *until);
/*
 * Where on the trace clock no event of this date is before: it is at ts now, and the wall clock,
 * as it is set now, at real.
 */
uint64_t ti_when_from(int64_t since, int64_t real, uint64_t ts);

/*
 * traceinfo/filter.c: parse the words of the options. Lists are cut at their commas
 * where they stand, on the command line.
 */
void ti_filter_severity(struct ti_filter *f, char *word);
void ti_filter_cpu(struct ti_filter *f, char *word);
void ti_filter_type(struct ti_filter *f, char *word);
void ti_filter_code(struct ti_filter *f, const char *word);
/* Words, one at least; else it ends the program. */
void ti_filter_some(struct ti_words *w, char *word, const char *option, const char *problem);
/* All words were given: to be called before the filter is asked. */
void ti_filter_ready(struct ti_filter *f);
void ti_filter_free(struct ti_filter *f);

/*
 * traceinfo/pids.c: ids of threads where this program is in another pid namespace than the
 * initial one, by the device fd. NULL: it is not, or the module cannot tell. named: the id that
 * the user means by what an event has, or TI_PID_NONE; forget it when another thread may have it.
 */
#define TI_PID_NONE	UINT32_MAX
struct ti_pids *ti_pids_new(int fd);
void ti_pids_free(struct ti_pids *p);
uint32_t ti_pids_named(struct ti_pids *p, uint32_t id);
void ti_pids_forget(struct ti_pids *p, uint32_t id);

/* One event with what was found out about it. */
struct ti_event {
	const struct devtrace_event *ev;
	const struct devtrace_decoder *decoder;
	const struct fmt_major *major;
	const struct fmt_entry *entry;
	uint32_t	tgid;		/* 0: not known */
	struct fmt_dict	dict;
};

void ti_event_init(struct ti_event *e, const struct devtrace_event *ev,
		   const struct devtrace_decoder *decoder, const struct fmt_set *fmts);
/* The name of its thread; NULL if it is not known. */
const char *ti_event_process(const struct ti_event *e);
const char *ti_event_dict(const struct ti_event *e, uint8_t kind, uint32_t value,
			  uint8_t group, uint64_t key);
/* What stands before the number of a type that has no name: USER. */
const char *ti_event_group(uint8_t type);
/* UART.OVERRUN, SPEED, USER:101: safe to print. */
void ti_event_name(struct out *o, const struct ti_event *e);
/* Names of its object and signal; NULL if there are none. */
const char *ti_event_object(const struct ti_event *e);
const char *ti_event_signal(const struct ti_event *e);
const char *ti_event_context(const struct ti_event *e);
/* Was its thread only interrupted, and did not emit it? */
bool ti_event_interrupted(const struct ti_event *e);
/* Which lane it came by; -1: none, its source is a CPU. */
int ti_event_lane(const struct ti_event *e);
/* Is the text of this event a line that was written to the device? */
bool ti_event_line(const struct ti_event *e, struct devtrace_elem *text);
/* "hw3", or "-". */
const char *ti_severity_name(uint8_t severity);
const char *ti_lost_cause(uint8_t cause);
const char *ti_state_name(uint8_t state);
/* In the place of one of the decoder's: of a file that is compressed, and is read so */
#define TI_DAMAGE_ZSTD	100
const char *ti_damage_reason(enum devtrace_damage_reason reason);

/* How moments are printed: keeps the words of the last second. */
struct ti_clock {
	enum ti_time	mode;
	const char	*date;
	int64_t		second;
	char		words[256];
	size_t		len;
	bool		valid;
	uint64_t	before;		/* delta, rel: the event before */
	bool		have_before;
	bool		wall;		/* delta, rel: by the wall clock, of many boards */
	int64_t		minute;		/* rel: of the event before */
};

/* The first CLOCK frame of what is printed next, for what comes before it; NULL: forget it. */
void ti_clock_first(const struct devtrace_clock *c);
/* devtrace_decoder_real(), and by that frame. */
bool ti_clock_real(const struct devtrace_decoder *d, uint64_t ts, int64_t *real);
/* The columns that ti_clock_print() takes once the date is known. */
size_t ti_clock_width(struct ti_clock *c);
void ti_clock_print(struct out *o, struct ti_clock *c, const struct devtrace_decoder *d,
		    uint64_t ts);
/* A moment within a sentence: no padding, and never a delta. */
void ti_clock_moment(struct out *o, struct ti_clock *c, const struct devtrace_decoder *d,
		     uint64_t ts);
/* 2026-11-21T03:15:46.123456789+00:00; false if the date is not known. */
bool ti_clock_iso(struct out *o, struct ti_clock *c, const struct devtrace_decoder *d,
		  uint64_t ts);

/* traceinfo/clock_set.c: did somebody set the wall clock between two CLOCK frames, by how much? */
bool ti_clock_was_set(const struct devtrace_clock *before, const struct devtrace_clock *c,
		      int64_t *by);

/* The last CLOCK frame of an input. */
struct ti_clock_last {
	bool		known;
	struct devtrace_clock clock;
};

/* The wall clock was set by so much, between two moments of the trace clock. */
struct ti_clock_step {
	uint64_t	from, to;
	int64_t		by;
	bool		exact;		/* they are one moment */
};

/* The next CLOCK frame of an input. True: the wall clock was set since the one before. */
bool ti_clock_set(struct ti_clock_last *last, const struct devtrace_clock *c,
		  struct ti_clock_step *step);
/* "+20605 days 11:59:58", or for less than a day "-3600.000000 s". */
void ti_clock_step(struct out *o, int64_t by);

bool ti_filter_wants(const struct ti_filter *f, const struct ti_event *e);
/* Does it ask for anything but times? */
bool ti_filter_by_event(const struct ti_filter *f);

/* The header of a line, compiled; NULL and a message if it is wrong. */
struct ti_header;
/* bare: a line of text has no name in front of it. */
struct ti_header *ti_header_new(const char *format, bool bare);
/* The heads of its columns, up to the name. */
void ti_header_heads(struct out *o, const struct ti_header *h, size_t time_width);
/* Names have changed: what was made of the old ones does not hold any more. */
void ti_header_forget(struct ti_header *h);

/* The printer: one for a run. */
struct ti_printer {
	const struct ti_options *opt;
	struct ti_header *header;
	struct ti_clock	clock, iso;
	bool		color;
	bool		terminal;	/* and lines of text on it */
	bool		is_short;	/* the layout of the lines */
	bool		headed;		/* column heads are printed, or none are wanted */
	/* The files between which frames are missing, while that is told; else NULL. */
	const char	*gap_from, *gap_to;
	/* The board that is printed, of many; NULL: there is one. */
	const char	*board;
	unsigned int	board_nr, board_width;
	char		format[64];	/* of a header with its column */
};

/*
 * traceinfo/layout.c: how lines are laid out, by the options, and on a terminal by its
 * width. False after a message about the header.
 */
bool ti_layout_begin(struct ti_printer *p);
/* The columns of the terminal; 80 if it does not tell, as a serial line. */
unsigned long ti_columns(void);
/* The same with a column for the board, whose width is known only now. */
void ti_layout_boards(struct ti_printer *p, unsigned int width);
/* Before each line of text: a terminal may have another width; heads, if they are due. */
void ti_layout_line(struct out *o, struct ti_printer *p);

void ti_line_event(struct out *o, struct ti_printer *p, const struct ti_event *e);
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
 * -n: the last events, each with the reports before it, in memory until
 * the end of the input. The number of reports is bounded, so that damage cannot
 * fill the memory.
 */
struct ti_slot {
	char		*text;
	size_t		len, size;
	size_t		reports;	/* bytes of reports in front of the event */
};

struct ti_last {
	struct ti_slot	*slots;
	size_t		nr, next, used;
	size_t		reports_max;	/* bytes of reports before one event */
	bool		older;		/* events came before those that are kept */
	size_t		reports;	/* bytes in line before the event */
	struct out	line;		/* reports since the last event, then it */
	uint64_t	omitted;	/* reports that found no place in it */
};

void ti_last_init(struct ti_last *last, long nr);
/* Where to print a report; NULL if there are too many of them. */
struct out *ti_last_report(struct ti_last *last);
/* Where to print an event, behind how many reports before it are not told. */
struct out *ti_last_event(struct ti_last *last, bool json);
/* line holds an event now: keep it. */
void ti_last_keep(struct ti_last *last);
/*
 * Print what is kept, oldest first, and forget it. Of reports those within the span of the events
 * that are kept: what was reported before the first one is older, if events were left out.
 */
void ti_last_print(struct ti_last *last, struct out *o, bool json);
void ti_last_free(struct ti_last *last);

/* Losses that came since the last event, one of them, and how often that came again. */
struct ti_losses {
	unsigned long	n;		/* 0 begins anew */
	unsigned int	source, cause, again;
};

/* The next: are they all that comes? */
bool ti_losses_only(struct ti_losses *l, unsigned int source, unsigned int cause);

/*
 * Names of the filter and of --sequence: which of them the format files and the stream
 * know. NULL: there are none.
 */
struct ti_names;
struct ti_names *ti_names_new(const struct ti_options *opt, const struct fmt_set *fmts);
void ti_names_heard(struct ti_names *names, const struct devtrace_name *d);
void ti_names_thread(struct ti_names *names, const char *name);
/* Say once on standard error which nobody knows. 1 if there are some. */
int ti_names_say(struct ti_names *names);
void ti_names_free(struct ti_names *names);

/* Evidence that an input is a stream, and not any file. */
struct ti_evidence {
	bool		found;
	bool		have;		/* seq: of the frame right before */
	uint8_t		seq;
	uint64_t	frames, damages;
};

/* The next item: is the input known to be a stream now? */
bool ti_evidence(struct ti_evidence *e, const struct devtrace_item *item);
/* Say that a file is none, is empty, or stands where a device should. 1. */
int ti_no_stream(const char *path, bool regular, bool live, const struct devtrace_totals *t);

/*
 * traceinfo/raw.c: --raw. The input is given in pieces, and from each its items; then
 * copy() writes what was not written by item(), up to the item that ended it.
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
/* Nothing before this byte is needed any more. */
void ti_raw_used(struct ti_raw *r, uint64_t offset);

/* Frames of this input, as INFO and CLOCK count them: see pieces.c. */
struct ti_accounts {
	const char	*path;		/* NULL: it is no piece that others may follow */
	uint64_t	notes;		/* they are not counted */
	uint64_t	base;		/* of the stream, before the first of this input */
	uint64_t	ts;		/* of the last event */
	bool		named;		/* an INFO frame has told base, boot and name */
	uint8_t		boot[16];
	uint32_t	load;
	char		name[DEVTRACE_NAME_MAX];
};

/* Pieces of streams that were read, up to where. */
struct ti_ends {
	struct ti_end	*v;
	size_t		n;
};

struct sum;
struct zread;
struct ti_piece;
struct link;
struct ti_sequence;

/* The state of an input while it is read. */
struct ti_input {
	struct zread	*zread;
	uint64_t	zstd_damages, zstd_bytes;	/* places, and what they take */
	struct devtrace_decoder *decoder;
	struct ti_evidence evidence;
	struct ti_last	held;		/* reports before there is evidence */
	size_t		reports_before;	/* in last, when the input began */
	uint64_t	omitted_before;
	/* The name of its stream; a stream with another one is announced. */
	char		stream[DEVTRACE_NAME_MAX];
	uint32_t	load;		/* as printed last, in this stream */
	/* --since and --until on the trace clock of this input. */
	uint64_t	since_ts, until_ts;
	/* An event after this ends the input. */
	uint64_t	end_ts;
	/* After this losses in place of events do. */
	uint64_t	losses_ts;
	struct ti_losses losses;
	struct ti_accounts accounts;
	struct ti_clock_last clock;
	/* Of the INFO frame before, in this file or the one before. */
	bool		have_boot;
	uint8_t		boot[16];
	bool		named;		/* a file with a name: one that is empty is a mistake */
};

struct ti_run;
/* traceinfo/nothing.c: if no event was printed, say on standard error why. */
void ti_nothing_say(struct ti_run *run);

/* A run: one or more inputs into one output. */
struct ti_run {
	struct ti_options *opt;
	struct fmt_set	fmts;
	struct ti_printer printer;
	struct out	out;
	struct ti_last	last;
	struct ti_names	*names;
	struct ti_input	one, *in;	/* of many, one after the other; the one that is read */
	bool		keep;		/* -n: print at the end */
	uint64_t	printed;	/* events; what is kept is not yet */
	struct devtrace_totals totals;
	struct sum	*sum;		/* --summary */
	struct ti_raw	*raw;		/* --raw */
	struct ti_sequence *sequence;	/* --sequence */
	struct ti_ends	ends;
};

#define TI_BLOCK	(256 * 1024)	/* bytes that are read at once */

#define TI_NO_FILE " (give a saved stream, or nothing to read " TI_DEVICE ")"

#define TI_NO_LAST " (the module devtrace_persist brings it: modprobe devtrace_persist, " \
	"or insmod devtrace_persist.ko region=ADDRESS,SIZE)"

#define TI_NO_ZSTD " (it is made of zstd frames, and this traceinfo was built without libzstd)"

/* 1, after a message with what errno says. */
int ti_complain(const char *path, const char *what, const char *hint);

/* How an input ended: what is missing at its end comes later, or never. */
enum ti_ending { TI_END_WHOLE, TI_END_LATER, TI_END_STOPPED };

/* The parts of reading run->in; 1 after a message. buf has TI_BLOCK bytes. */
void ti_input_init(struct ti_input *in);
int ti_input_window(struct ti_run *run, int fd, const char *path, bool live, char *buf);
int ti_input_begin(struct ti_run *run, devtrace_item_fn *fn, void *arg);
/*
 * Items of the first bytes of a file from where it stands, compressed or not, until fn does not
 * return 0; then it stands there again. *decoder, if not NULL, is the one that fn is called by.
 */
void ti_read_ahead(int fd, size_t max, devtrace_item_fn *fn, void *arg,
		   const struct devtrace_decoder **decoder);
/*
 * The first CLOCK frame of a file: one that was cut off in the middle of a stream tells the
 * date later, within a second. Of a pipe that cannot be waited for.
 */
bool ti_find_clock(int fd, const struct stat *st, struct devtrace_clock *c);
/* As read(2); EINTR also if it is to be called again. */
ssize_t ti_input_read(struct ti_run *run, int fd, char *buf, size_t n);
/* Counts it in; 1 if it was no stream. */
int ti_input_end(struct ti_run *run, const char *path, enum ti_ending how,
		 const struct stat *st, bool live);

/* Read one input to its end. 0, or 1 after a message. */
int ti_input_file(struct ti_run *run, const struct ti_piece *piece);
/* The same from a descriptor; path is what messages call it, piece may be NULL. */
int ti_input_fd(struct ti_run *run, int fd, const char *path, const struct ti_piece *piece);
/* traceinfo/link.c: tcp:HOST:PORT and the like. NULL, or what is wrong with the word. */
const char *ti_link_problem(const char *word);
int ti_link_failed(const struct link *l, const char *word, int err);
int ti_input_link(struct ti_run *run, const char *word);
int ti_input_live(struct ti_run *run, const char *path);
/* Is that a trace device, or at least one that cannot be opened? */
bool ti_is_device(const char *path);

/* traceinfo/item.c: an item of run->in. Not 0: that input has ended, or all. */
int ti_item(const struct devtrace_item *item, void *arg);
/* Bytes, not lines: so many may be held, and none is left out. */
struct out *ti_bytes(struct ti_run *run);
/* The input is a stream, or it does not matter any more: print the lines held back. */
void ti_release(struct ti_run *run);
/* -n: print what is kept, once; events that come later are printed as they come. */
void ti_print_last(struct ti_run *run);
/* Prints the line behind INFO that is no item. */
void ti_print_load(struct ti_run *run);
/* Says whose ids are printed, where the user knows others. */
void ti_print_pids(struct ti_run *run);

/* traceinfo/emit.c: --check-emit. The exit status. */
int ti_check_emit(const struct ti_options *opt);

/* A signal asked for the end. */
extern volatile sig_atomic_t ti_stop;

#endif

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * devtrace-ctl.h - filters, streams, triggers and statistics of /dev/trace
 *
 * The interface of libdevtrace-ctl, which talks to the kernel module over generic netlink and
 * needs libmnl. All state is in a handle; the library has no global variables. Only one thread at
 * a time may use a handle.
 *
 * Functions return 0 or a negative errno number; after an error, devtrace_ctl_error() returns an
 * explanation, in most cases the kernel's. A function that lists entries, such as
 * devtrace_ctl_streams(), calls the caller's function for each entry. If that function returns a
 * value other than 0, the listing stops and returns this value. The whole list is received before
 * the first entry is passed on, so the caller's function may use the same handle.
 */
#ifndef DEVTRACE_CTL_H
#define DEVTRACE_CTL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <linux/devtrace.h>
#include <linux/devtrace_netlink.h>

#ifdef __cplusplus
extern "C" {
#endif

struct devtrace_ctl;

/*
 * Open a handle. On failure return NULL and set errno; ENOENT: the devtrace module is not loaded,
 * or was built without netlink control.
 */
struct devtrace_ctl *devtrace_ctl_open(void);
/* Close a handle; NULL is allowed. */
void devtrace_ctl_close(struct devtrace_ctl *ctl);
/* Return the explanation of the last call's error. The string is valid until the next call. */
const char *devtrace_ctl_error(const struct devtrace_ctl *ctl);
/*
 * Return the kernel's warning about the last successful call, or an empty string. The kernel warns
 * if a filter names types of events that this kernel cannot emit. The string is valid until the
 * next call.
 */
const char *devtrace_ctl_warning(const struct devtrace_ctl *ctl);

/*
 * Filters. A program builds a filter in memory with the functions below and then sets it as a
 * whole for a stream or a trigger. enum devtrace_filter_attr explains the terms. Do not change the
 * members directly.
 */
struct devtrace_ranges {
	bool		given;
	unsigned int	nr;			/* entries of r[], ordered and disjoint */
	struct devtrace_range r[DEVTRACE_TERMS_MAX];
};

struct devtrace_numbers {
	bool		given;
	unsigned int	nr;
	uint32_t	v[DEVTRACE_TERMS_MAX];
};

#define DEVTRACE_COMM_LEN	16		/* with the NUL */

struct devtrace_names {
	bool		given;
	unsigned int	nr;
	char		v[DEVTRACE_TERMS_MAX][DEVTRACE_COMM_LEN];
};

struct devtrace_filter {
	uint8_t		types[32];		/* type n is bit n % 8 of byte n / 8 */
	uint32_t	hw_severity, sw_severity;
	uint32_t	origins;		/* DEVTRACE_ORIGIN_* */
	struct devtrace_ranges	objects, signals;
	struct devtrace_numbers	majors, not_majors, pids, not_pids;
	struct devtrace_names	comms, not_comms;
	struct devtrace_ranges	cpus;
	struct devtrace_numbers	codes, not_codes;	/* major << 8 | minor */
	struct devtrace_ranges	named;		/* numbers of TYPES from 256 on */
};

/*
 * Let a filter pass all events except kernel profile events (types 128 to 191). These are not
 * included because the kernel attaches to the tracepoint of each such type that a filter passes.
 * Initialize every filter with this function or devtrace_filter_none().
 */
void devtrace_filter_all(struct devtrace_filter *f);
/* Let a filter pass nothing: all types are off. */
void devtrace_filter_none(struct devtrace_filter *f);
bool devtrace_filter_is_all(const struct devtrace_filter *f);
bool devtrace_filter_is_type(const struct devtrace_filter *f, unsigned int type);

/*
 * For the terms TYPES, OBJECTS, SIGNALS and CPUS: pass nothing until later calls switch numbers
 * on. Without this call, the term passes everything until later calls switch numbers off.
 */
int devtrace_filter_only(struct devtrace_filter *f, enum devtrace_filter_attr term);
/* Reset any term to its value in devtrace_filter_all(). */
int devtrace_filter_any(struct devtrace_filter *f, enum devtrace_filter_attr term);

/*
 * For the terms TYPES, OBJECTS, SIGNALS and CPUS: pass the numbers from first to last if on is
 * true, otherwise refuse them. Types from 256 on are the numbers of types that programs registered
 * by name. Types of the transport always pass. Return -ENOSPC if the term would have more than
 * DEVTRACE_TERMS_MAX ranges; for TYPES only the numbers from 256 on count.
 */
int devtrace_filter_range(struct devtrace_filter *f, enum devtrace_filter_attr term,
			  unsigned int first, unsigned int last, bool on);
/*
 * Pass or refuse a named group, like devtrace_filter_range(). Groups of TYPES: sm ao eq mp te qf
 * sc sem mtx user user0 to user4 exc text log named kernel all, and the names, groups and presets
 * of kernel profile events, which belong to "kernel" but not to "all". Groups of OBJECTS: ao ep eq
 * ap all.
 * Return -ENOENT if the group is unknown.
 */
int devtrace_filter_group(struct devtrace_filter *f, enum devtrace_filter_attr term,
			  const char *group, bool on);
/*
 * Return the name of the n-th group of TYPES or OBJECTS, or NULL after the last one. A group
 * precedes the groups and types that it contains. "all" and presets are not listed.
 */
const char *devtrace_filter_group_name(enum devtrace_filter_attr term, unsigned int n);

/*
 * For the terms MAJORS, NOT_MAJORS, CODES, NOT_CODES, PIDS and NOT_PIDS: add a number to the list
 * if on is true, otherwise remove it. A code is built by DEVTRACE_CODE(). Return -ENOSPC if the
 * list is full, -ENOENT if the number to remove is not on the list.
 */
int devtrace_filter_number(struct devtrace_filter *f, enum devtrace_filter_attr term,
			   uint32_t number, bool on);
/* For the terms COMMS and NOT_COMMS: add or remove a process name of at most 15 bytes. */
int devtrace_filter_name(struct devtrace_filter *f, enum devtrace_filter_attr term,
			 const char *name, bool on);
/*
 * Pass hardware severities of level hw and above, and software severities of level sw and above.
 * Levels are 0 to 3; 4 refuses all.
 */
int devtrace_filter_severity(struct devtrace_filter *f, unsigned int hw, unsigned int sw);
/* DEVTRACE_ORIGIN_* */
int devtrace_filter_origins(struct devtrace_filter *f, uint32_t origins);

/*
 * Get the filter of a stream; stream NULL means stream 0. If generation is not NULL, store the
 * generation of the filter there.
 */
int devtrace_ctl_filter_get(struct devtrace_ctl *ctl, const char *stream,
			    struct devtrace_filter *f, uint32_t *generation);
/*
 * Set a filter. Once this function returns 0, no event that the filter refuses is stored any more.
 * If generation is not NULL, return -EBUSY unless the stream's filter still has this generation:
 * somebody else has changed it.
 */
int devtrace_ctl_filter_set(struct devtrace_ctl *ctl, const char *stream,
			    const struct devtrace_filter *f, const uint32_t *generation);
typedef int devtrace_filter_fn(const char *stream, const struct devtrace_filter *f,
			       uint32_t generation, void *arg);
int devtrace_ctl_filters(struct devtrace_ctl *ctl, devtrace_filter_fn *fn, void *arg);

/* Streams. */
struct devtrace_ctl_stream {
	char		name[DEVTRACE_NAME_LEN];
	uint32_t	id;
	uint32_t	state;			/* enum devtrace_state */
	uint64_t	size;			/* bytes of each CPU's ring */
	uint64_t	used;			/* bytes of all rings */
	uint64_t	since;			/* trace clock of the last state change, ns */
	char		reason[DEVTRACE_NAME_LEN]; /* trigger that changed the state, or "" */
	uint32_t	watermark;		/* percent */
	uint32_t	mode;			/* of the device node */
	uint32_t	generation;		/* of the filter */
};

typedef int devtrace_stream_fn(const struct devtrace_ctl_stream *s, void *arg);
int devtrace_ctl_streams(struct devtrace_ctl *ctl, devtrace_stream_fn *fn, void *arg);
int devtrace_ctl_stream_get(struct devtrace_ctl *ctl, const char *name,
			    struct devtrace_ctl_stream *s);
/*
 * Create a stream. With filter NULL it stores what devtrace_filter_all() passes; with mode 0 its
 * device node gets the module's default mode.
 */
int devtrace_ctl_stream_new(struct devtrace_ctl *ctl, const char *name, uint64_t size,
			    const struct devtrace_filter *filter, uint32_t mode,
			    enum devtrace_state state);
int devtrace_ctl_stream_resize(struct devtrace_ctl *ctl, const char *name, uint64_t size);
int devtrace_ctl_stream_state(struct devtrace_ctl *ctl, const char *name,
			      enum devtrace_state state);
int devtrace_ctl_stream_watermark(struct devtrace_ctl *ctl, const char *name,
				  unsigned int percent);
int devtrace_ctl_stream_del(struct devtrace_ctl *ctl, const char *name);
int devtrace_ctl_clear(struct devtrace_ctl *ctl, const char *stream);

/* Triggers. */
struct devtrace_ctl_element {
	bool		given;
	uint32_t	index;
	uint32_t	compare;		/* enum devtrace_compare */
	bool		is_string;
	int64_t		value;			/* numbers */
	uint64_t	mask;			/* numbers; 0: all bits */
	char		string[64];		/* strings */
};

struct devtrace_ctl_trigger {
	char		name[DEVTRACE_NAME_LEN];
	struct devtrace_filter when;
	struct devtrace_ctl_element element;
	uint64_t	nth;			/* 0 and 1: the first */
	uint32_t	rate;			/* events a second; 0: none */
	uint32_t	action;			/* enum devtrace_action */
	char		stream[DEVTRACE_NAME_LEN]; /* "": stream 0 */
	uint64_t	events;			/* stop after these; 0: none */
	uint64_t	time;			/* stop after this time, ns; 0: none */
	struct devtrace_filter filter;		/* DEVTRACE_ACTION_FILTER */
	bool		rearm;
	/* Set by the kernel: */
	bool		armed;
	uint64_t	fired, fired_at, seen;
};

/*
 * Zero the structure, set its name, and let its filters pass everything. Return -EINVAL if the
 * name is too long.
 */
int devtrace_ctl_trigger_init(struct devtrace_ctl_trigger *t, const char *name);
typedef int devtrace_trigger_fn(const struct devtrace_ctl_trigger *t, void *arg);
int devtrace_ctl_triggers(struct devtrace_ctl *ctl, devtrace_trigger_fn *fn, void *arg);
int devtrace_ctl_trigger_get(struct devtrace_ctl *ctl, const char *name,
			     struct devtrace_ctl_trigger *t);
int devtrace_ctl_trigger_new(struct devtrace_ctl *ctl, const struct devtrace_ctl_trigger *t);
int devtrace_ctl_trigger_arm(struct devtrace_ctl *ctl, const char *name, bool armed);
int devtrace_ctl_trigger_del(struct devtrace_ctl *ctl, const char *name);

/*
 * Statistics of one stream, or of all streams if stream is NULL. Counters that the kernel does not
 * report are 0.
 */
struct devtrace_ctl_stats {
	char		stream[DEVTRACE_NAME_LEN];
	uint32_t	cpu;
	uint64_t	emitted, stored, filtered, overwritten;
	uint64_t	dropped[DEVTRACE_LOST_CAUSES];
	uint64_t	size, used;		/* bytes */
	uint64_t	oldest, now;		/* trace clock ns */
};

struct devtrace_ctl_type {
	uint8_t		type;
	uint64_t	stored, filtered;
};

struct devtrace_ctl_process {
	uint32_t	pid, tid;
	char		comm[DEVTRACE_COMM_LEN];
	uint64_t	stored;
};

struct devtrace_ctl_reader {
	char		stream[DEVTRACE_NAME_LEN];
	uint32_t	pid;
	char		comm[DEVTRACE_COMM_LEN];
	uint64_t	position;		/* trace clock ns */
	uint64_t	lag;			/* bytes */
	uint64_t	read, lost;		/* events */
};

/* An open lane. */
struct devtrace_ctl_lane {
	uint32_t	source;			/* source of events whose CPU is unknown */
	uint32_t	pid, tid;
	char		comm[DEVTRACE_COMM_LEN];
	/* @size: of the lane; @used: by events that the kernel has not copied; both in bytes */
	uint64_t	size, used;
	/* events copied to the buffer, and the number of these that were overwritten */
	uint64_t	stored, overwritten;
	uint64_t	dropped[DEVTRACE_LOST_CAUSES];
	uint64_t	oldest, now;		/* trace clock ns; @oldest 0: no event */
	/* lane: 0 closed, 1 open, 2 open and its thread makes no system calls */
	uint8_t		state;
};

struct devtrace_ctl_dict {
	uint8_t		kind, group;
	uint32_t	value, scope;
	uint64_t	key;
	char		name[DEVTRACE_NAME_MAX];
};

typedef int devtrace_stats_fn(const struct devtrace_ctl_stats *s, void *arg);
typedef int devtrace_type_fn(const struct devtrace_ctl_type *t, void *arg);
typedef int devtrace_process_fn(const struct devtrace_ctl_process *p, void *arg);
typedef int devtrace_reader_fn(const struct devtrace_ctl_reader *r, void *arg);
typedef int devtrace_lane_fn(const struct devtrace_ctl_lane *l, void *arg);
typedef int devtrace_dict_fn(const struct devtrace_ctl_dict *d, void *arg);
int devtrace_ctl_stats(struct devtrace_ctl *ctl, const char *stream, devtrace_stats_fn *fn,
		       void *arg);
int devtrace_ctl_types(struct devtrace_ctl *ctl, devtrace_type_fn *fn, void *arg);
int devtrace_ctl_processes(struct devtrace_ctl *ctl, devtrace_process_fn *fn, void *arg);
int devtrace_ctl_readers(struct devtrace_ctl *ctl, const char *stream, devtrace_reader_fn *fn,
			 void *arg);
int devtrace_ctl_lanes(struct devtrace_ctl *ctl, devtrace_lane_fn *fn, void *arg);
int devtrace_ctl_dict(struct devtrace_ctl *ctl, devtrace_dict_fn *fn, void *arg);

/*
 * A type of kernel profile events. It is attached to its tracepoints while the filter of a stream,
 * or the condition of an armed trigger, contains the type.
 */
struct devtrace_ctl_profile {
	uint8_t		type;			/* 128 to 191 */
	char		name[64];		/* lower case */
	char		group[32];		/* shared by several events */
	char		tracepoints[512];	/* separated by blanks */
	bool		available;		/* this kernel has one of the tracepoints */
	bool		attached;		/* some filter contains the type */
	bool		added;			/* added by name, with @elements */
	char		elements[2048];		/* names of its elements, for fmt(5) */
};

typedef int devtrace_profile_fn(const struct devtrace_ctl_profile *p, void *arg);
int devtrace_ctl_profiles(struct devtrace_ctl *ctl, devtrace_profile_fn *fn, void *arg);
/*
 * Make the events of any tracepoint of the kernel, SYSTEM:EVENT, available as a free type from 176
 * to 190, which devtrace_ctl_profiles() returns. The events are stored once a filter contains the
 * type. devtrace_ctl_profile_del() also removes the type from all filters. Errors: -EEXIST:
 * already added; -ENOSPC: no type is free; -ENOENT: the kernel has no such tracepoint, or it is
 * not added.
 */
int devtrace_ctl_profile_add(struct devtrace_ctl *ctl, const char *tracepoint);
int devtrace_ctl_profile_del(struct devtrace_ctl *ctl, const char *tracepoint);

/*
 * Notifications of changes. devtrace_ctl_monitor() returns a descriptor for poll(2).
 * devtrace_ctl_next() fills in *change and returns 1, or returns 0 if no notification is waiting.
 * It returns -ENOBUFS if notifications were lost because the program did not read them in time;
 * the program must then query the current state. Other calls with this handle are allowed at any
 * time.
 */
struct devtrace_ctl_change {
	enum devtrace_cmd cmd;			/* DEVTRACE_CMD_NTF_* */
	union {
		struct devtrace_ctl_stream stream; /* STREAM_*; DEL, CLEAR: only name */
		struct {
			char	stream[DEVTRACE_NAME_LEN];
			struct devtrace_filter filter;
			uint32_t generation;
		} filter;			/* FILTER */
		struct devtrace_ctl_trigger trigger; /* TRIGGER_*, FIRED */
		struct {
			char	stream[DEVTRACE_NAME_LEN];
			uint32_t cpu, percent;
		} watermark;			/* WATERMARK */
		struct {
			char	tracepoint[DEVTRACE_TRACEPOINT_LEN];
			uint8_t	type;
		} profile;			/* PROFILE_ADD, PROFILE_DEL */
	} u;
};

int devtrace_ctl_monitor(struct devtrace_ctl *ctl);
int devtrace_ctl_next(struct devtrace_ctl *ctl, struct devtrace_ctl_change *change);

#ifdef __cplusplus
}
#endif
#endif

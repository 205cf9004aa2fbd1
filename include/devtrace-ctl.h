/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * devtrace-ctl.h - filters, streams, triggers and statistics of /dev/trace
 *
 * The interface of libdevtrace-ctl, which uses generic netlink to talk to the module and needs
 * libmnl. All state belongs to a handle, nothing is global. A handle is for one thread at a
 * time.
 *
 * Calls return 0 or a negative errno number; devtrace_ctl_error() then returns the explanation,
 * usually the kernel's. A listing call calls a function for each entry; a result other than 0
 * ends the list and is returned. The whole list is read before the first call, so the function
 * may use the handle.
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

/* Return NULL and set errno on failure; ENOENT: devtrace is not loaded or has no control module. */
struct devtrace_ctl *devtrace_ctl_open(void);
/* NULL is allowed. */
void devtrace_ctl_close(struct devtrace_ctl *ctl);
/* Explanation of the last call's error. Valid until the next call. */
const char *devtrace_ctl_error(const struct devtrace_ctl *ctl);
/*
 * Warning of the kernel about the last call, which succeeded: for a filter, the named types that
 * this kernel lacks. Empty without a warning. Valid until the next call.
 */
const char *devtrace_ctl_warning(const struct devtrace_ctl *ctl);

/*
 * Filters. A program builds a filter in memory and gives it to a stream or a trigger as a whole.
 * See enum devtrace_filter_attr for the terms. Do not change the members directly.
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
	uint8_t		types[32];		/* bit n % 8 of byte n / 8 is type n */
	uint32_t	hw_severity, sw_severity;
	uint32_t	origins;		/* DEVTRACE_ORIGIN_* */
	struct devtrace_ranges	objects, signals;
	struct devtrace_numbers	majors, not_majors, pids, not_pids;
	struct devtrace_names	comms, not_comms;
	struct devtrace_ranges	cpus;
	struct devtrace_numbers	codes, not_codes;	/* major << 8 | minor */
};

/*
 * Pass all events but kernel profile events, types 128 to 191; those are attached if a filter
 * names them. Initialize every filter with this function or the next.
 */
void devtrace_filter_all(struct devtrace_filter *f);
/* Pass nothing: all types are off. */
void devtrace_filter_none(struct devtrace_filter *f);
bool devtrace_filter_is_all(const struct devtrace_filter *f);
bool devtrace_filter_is_type(const struct devtrace_filter *f, unsigned int type);

/*
 * TYPES, OBJECTS, SIGNALS, CPUS: pass only what is switched on from here. Without this call,
 * switching off removes from everything.
 */
int devtrace_filter_only(struct devtrace_filter *f, enum devtrace_filter_attr term);
/* Reset a term, of any kind, to that of devtrace_filter_all(). */
int devtrace_filter_any(struct devtrace_filter *f, enum devtrace_filter_attr term);

/*
 * TYPES, OBJECTS, SIGNALS, CPUS: pass (on) or refuse the numbers from first to last. Transport
 * types always pass. -ENOSPC: more than DEVTRACE_TERMS_MAX ranges.
 */
int devtrace_filter_range(struct devtrace_filter *f, enum devtrace_filter_attr term,
			  unsigned int first, unsigned int last, bool on);
/*
 * The same for a group. TYPES: sm ao eq mp te qf sc sem mtx user user0 to user4 exc text kernel
 * all, and names, groups and presets of kernel profile events, which are in "kernel" but not in
 * "all". OBJECTS: ao ep eq ap all. -ENOENT: unknown group.
 */
int devtrace_filter_group(struct devtrace_filter *f, enum devtrace_filter_attr term,
			  const char *group, bool on);
/*
 * Return the n-th group of TYPES or OBJECTS, NULL after the last. A group precedes the groups
 * and types that it contains. "all" and presets are not listed.
 */
const char *devtrace_filter_group_name(enum devtrace_filter_attr term, unsigned int n);

/*
 * MAJORS, NOT_MAJORS, CODES, NOT_CODES, PIDS, NOT_PIDS: add a number to the list, or remove it.
 * A code is DEVTRACE_CODE(). -ENOSPC: the list is full; -ENOENT: the number is not on the list.
 */
int devtrace_filter_number(struct devtrace_filter *f, enum devtrace_filter_attr term,
			   uint32_t number, bool on);
/* COMMS, NOT_COMMS: the same for a name of at most 15 bytes. */
int devtrace_filter_name(struct devtrace_filter *f, enum devtrace_filter_attr term,
			 const char *name, bool on);
/* Pass severities from these levels on, 0 to 4. */
int devtrace_filter_severity(struct devtrace_filter *f, unsigned int hw, unsigned int sw);
/* DEVTRACE_ORIGIN_* */
int devtrace_filter_origins(struct devtrace_filter *f, uint32_t origins);

/* Get the filter of a stream, NULL: stream 0. generation may be NULL. */
int devtrace_ctl_filter_get(struct devtrace_ctl *ctl, const char *stream,
			    struct devtrace_filter *f, uint32_t *generation);
/*
 * Set a filter. After a return of 0, no event that the filter refuses appears any more. With a
 * generation: -EBUSY if the filter has changed since.
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
	uint64_t	since;			/* of the state's last change, trace clock ns */
	char		reason[DEVTRACE_NAME_LEN]; /* trigger that changed the state, or "" */
	uint32_t	watermark;		/* percent */
	uint32_t	mode;			/* of the device node */
	uint32_t	generation;		/* of the filter */
};

typedef int devtrace_stream_fn(const struct devtrace_ctl_stream *s, void *arg);
int devtrace_ctl_streams(struct devtrace_ctl *ctl, devtrace_stream_fn *fn, void *arg);
int devtrace_ctl_stream_get(struct devtrace_ctl *ctl, const char *name,
			    struct devtrace_ctl_stream *s);
/* filter NULL: everything; mode 0: the module's default. */
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

/* Zero the structure and let its filters pass everything. -EINVAL: the name is too long. */
int devtrace_ctl_trigger_init(struct devtrace_ctl_trigger *t, const char *name);
typedef int devtrace_trigger_fn(const struct devtrace_ctl_trigger *t, void *arg);
int devtrace_ctl_triggers(struct devtrace_ctl *ctl, devtrace_trigger_fn *fn, void *arg);
int devtrace_ctl_trigger_get(struct devtrace_ctl *ctl, const char *name,
			     struct devtrace_ctl_trigger *t);
int devtrace_ctl_trigger_new(struct devtrace_ctl *ctl, const struct devtrace_ctl_trigger *t);
int devtrace_ctl_trigger_arm(struct devtrace_ctl *ctl, const char *name, bool armed);
int devtrace_ctl_trigger_del(struct devtrace_ctl *ctl, const char *name);

/* Statistics. stream NULL: all streams. Values that the kernel does not provide are 0. */
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
	uint64_t	size, used;		/* bytes; @used: not taken by the kernel yet */
	uint64_t	stored, overwritten;	/* events; @overwritten: in the buffer */
	uint64_t	dropped[DEVTRACE_LOST_CAUSES];
	uint64_t	oldest, now;		/* trace clock ns; @oldest 0: no event */
	uint8_t		state;			/* 0 closed, 1 open, 2 open without calls */
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
 * Kernel profile events. One is on while the filter of a stream, or the condition of an armed
 * trigger, contains its type.
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
 * Add any tracepoint of the kernel, SYSTEM:EVENT, as one of the types 176 to 190;
 * devtrace_ctl_profiles() tells which. Its events arrive once a filter contains the type.
 * Removing it takes the type out of all filters. -EEXIST: already added; -ENOSPC: all types are
 * in use; -ENOENT: unknown, or not added.
 */
int devtrace_ctl_profile_add(struct devtrace_ctl *ctl, const char *tracepoint);
int devtrace_ctl_profile_del(struct devtrace_ctl *ctl, const char *tracepoint);

/*
 * Notifications. devtrace_ctl_monitor() returns a descriptor for poll(2). devtrace_ctl_next()
 * returns 1 and a change, or 0 if there is none now. -ENOBUFS: some were lost because the
 * program did not take them in time; ask for the current state. Other calls may be made in
 * between.
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

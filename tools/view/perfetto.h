/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * perfetto.h - the native format of Perfetto: packets, tracks, names
 *
 * A file is a sequence of packets. perfetto_begin() begins a packet, and perfetto_end() ends it;
 * in between, fields are written into the packet. The field numbers are from Perfetto's
 * protos/perfetto/trace, where numbers are added but never changed. selftests/unit/perfetto.proto
 * is an excerpt with those that are used here.
 */
#ifndef VIEW_PERFETTO_H
#define VIEW_PERFETTO_H

#include "common/pb.h"
#include "view/dates.h"
#include "view.h"

/* TracePacket */
enum {
	PACKET_FTRACE_EVENTS = 1, PACKET_PROCESS_TREE = 2, PACKET_CLOCK_SNAPSHOT = 6,
	PACKET_TIMESTAMP = 8, PACKET_SEQUENCE_ID = 10, PACKET_TRACK_EVENT = 11,
	PACKET_INTERNED_DATA = 12, PACKET_SEQUENCE_FLAGS = 13, PACKET_DROPPED = 42,
	PACKET_SYSTEM_INFO = 45, PACKET_TRACK_DESCRIPTOR = 60, PACKET_MACHINE_ID = 98,
	PACKET_REMOTE_CLOCK_SYNC = 107,
};

/* TrackEvent */
enum {
	TRACK_EVENT_CATEGORY_IID = 3, TRACK_EVENT_ANNOTATION = 4, TRACK_EVENT_TYPE = 9,
	TRACK_EVENT_NAME_IID = 10, TRACK_EVENT_TRACK = 11, TRACK_EVENT_LOG_MESSAGE = 21,
	TRACK_EVENT_NAME = 23, TRACK_EVENT_COUNTER = 30, TRACK_EVENT_SOURCE_IID = 34,
	TRACK_EVENT_COUNTER_DOUBLE = 44,
};

enum perfetto_type {
	PERFETTO_SLICE_BEGIN = 1, PERFETTO_SLICE_END, PERFETTO_INSTANT, PERFETTO_COUNTER,
	PERFETTO_STATE,
};

/*
 * Perfetto's number for the writer of a packet. Losses have a writer of their own, because a loss
 * before a packet makes the names of its writer invalid.
 */
enum perfetto_writer { PERFETTO_EVENTS = 1, PERFETTO_LOSSES, PERFETTO_FTRACE };

/* Fields of InternedData. Each field numbers its names separately. */
enum perfetto_names {
	PERFETTO_CATEGORIES = 1, PERFETTO_EVENT_NAMES = 2, PERFETTO_ANNOTATION_NAMES = 3,
	PERFETTO_SOURCES = 4, PERFETTO_LOG_BODIES = 20,
};

/* Kinds of tracks, in the low bits of a track's number */
enum perfetto_kind {
	PERFETTO_TRACK_THREAD = 1, PERFETTO_TRACK_CPU, PERFETTO_TRACK_LOST,
	PERFETTO_TRACK_STREAM, PERFETTO_TRACK_COUNTER, PERFETTO_TRACK_SLICE,
	PERFETTO_TRACK_OBJECT, PERFETTO_TRACK_LOST_ON_CPU, PERFETTO_TRACK_OPEN,
	PERFETTO_TRACK_CLOCK,
};

/* perfetto_clock.c: what is shown of the error of a machine's times */
struct perfetto_dates {
	struct view_dates dates;
	int		sync;		/* the state shown, of enum devtrace_sync; -1: none */
	bool		counted;
	uint64_t	shown;		/* the counter, if @counted */
	uint64_t	next;		/* up to this time of the trace clock, @shown is enough */
	uint64_t	stated;		/* statements before this time were shown */
};

struct perfetto_intern;

struct perfetto {
	struct view	*view;
	struct pb	packet;
	enum perfetto_writer writer;
	struct perfetto_intern *names;
	unsigned int	names_of;	/* machine */
	bool		named;		/* this packet refers to names */
	bool		cleared;	/* names written before this packet are invalid */
	bool		began;		/* the writer of events has written names */
	struct view_seen *seen;		/* tracks already described, and as what */
	unsigned int	machines;	/* number of described machines */
	struct perfetto_dates *dates;	/* of the first @nr_dates machines */
	unsigned int	nr_dates;
	struct out	name, text;
	/* bundle: consecutive kernel profile events of the CPU @bundle_cpu */
	struct pb	bundle, source;
	unsigned int	bundle_cpu;
	uint64_t	bundle_from;	/* time of the first event in @bundle */
};

/* view/perfetto.c: begin a packet with this time. perfetto_end() ends it. */
struct pb *perfetto_begin(struct perfetto *f, enum perfetto_writer writer, uint64_t time);
void perfetto_end(struct perfetto *f);

/* Return the number of a track. @id distinguishes the tracks of one kind. */
uint64_t perfetto_track(const struct perfetto *f, enum perfetto_kind kind, uint64_t id);
/*
 * Describe a track once, unless it is a thread's or a counter's. @parent: number of the track
 * above it, 0 for none.
 */
void perfetto_track_named(struct perfetto *f, uint64_t track, uint64_t parent, const char *name,
			  bool states);
/* Begin a TrackEvent in a packet of its own. pb_end() ends it, then perfetto_end() the packet. */
struct pb *perfetto_event_begin(struct perfetto *f, uint64_t time, enum perfetto_type type,
				uint64_t track);

/* Add an annotation to the event. */
void perfetto_note(struct pb *p, const char *name, uint64_t value);
void perfetto_note_text(struct pb *p, const char *name, const char *text);

/*
 * view/perfetto_clock.c: before an event of this time of the trace clock, and for each item, write
 * how exact the times are, if that has changed.
 */
void perfetto_clock_event(struct perfetto *f, uint64_t ts);
void perfetto_clock_item(struct perfetto *f, const struct devtrace_item *item);

/* view/perfetto_event.c */
void perfetto_event(struct view *v, const struct ti_event *e);

/*
 * view/perfetto_ftrace.c: write a kernel profile event. Return false if ftrace has no such event.
 */
bool perfetto_ftrace(struct perfetto *f, const struct ti_event *e);
/* Write the bundle of events. */
void perfetto_ftrace_flush(struct perfetto *f);

/*
 * view/perfetto_intern.c: perfetto_intern() returns a number that stands for the name. A "name" of
 * PERFETTO_SOURCES is the fields of a SourceLocation.
 */
struct perfetto_intern *perfetto_intern_new(void);
void perfetto_intern_free(struct perfetto_intern *n);
uint64_t perfetto_intern(struct perfetto *f, enum perfetto_names kind, const char *name,
			 size_t len);
/* Called before a packet: must all names be written again from here on? */
bool perfetto_intern_anew(struct perfetto *f);
/* Write the new names into the packet. */
void perfetto_intern_put(struct perfetto_intern *n, struct pb *packet);

#endif

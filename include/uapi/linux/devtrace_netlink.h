/* SPDX-License-Identifier: GPL-2.0-only WITH Linux-syscall-note */
/*
 * Control of the devtrace module: generic netlink
 *
 * The family has one space of top-level attributes, enum devtrace_attr. The comment of each
 * command lists its attributes; any other is refused. All numbers are in the byte order of the
 * machine. Each refusal has an extended acknowledgment that names the attribute and says what
 * would be right.
 *
 * Changing anything needs CAP_PERFMON or CAP_SYS_ADMIN in the initial user namespace; reading
 * needs one of these or CAP_SYSLOG. Every network namespace sees the same devtrace. Listening
 * needs CAP_SYS_ADMIN, and a network namespace that the initial user namespace owns: the kernel
 * cannot require anything else of listeners.
 *
 * Documentation/netlink/specs/devtrace.yaml describes the family for programs,
 * Documentation/control.rst for people.
 */
#ifndef _UAPI_LINUX_DEVTRACE_NETLINK_H
#define _UAPI_LINUX_DEVTRACE_NETLINK_H

#include <linux/types.h>

#define DEVTRACE_GENL_NAME	"devtrace"
#define DEVTRACE_GENL_VERSION	1
#define DEVTRACE_GENL_MONITOR	"monitor"	/* the multicast group */

/* Length of names of streams and triggers, with the NUL. */
#define DEVTRACE_NAME_LEN	32
/* Stream 0, /dev/trace; it cannot be removed. Another one is /dev/trace-NAME. */
#define DEVTRACE_STREAM0	"trace"

#define DEVTRACE_STREAMS_MAX	16
#define DEVTRACE_TRIGGERS_MAX	16

/*
 * Number of types from DEVTRACE_T_ADDED on: 15 for added tracepoints, then DEVTRACE_T_FAULT. Length
 * of a tracepoint's name, with the NUL.
 */
#define DEVTRACE_TRACEPOINTS_MAX	16
#define DEVTRACE_TRACEPOINT_LEN		64

/* A reply has the number of its request; a message to the group has one of NTF_*. */
enum devtrace_cmd {
	DEVTRACE_CMD_UNSPEC,

	/*
	 * Streams. GET (one: STREAM; dump: all) returns STREAM, ID, SIZE, STATE, REASON, SINCE,
	 * WATERMARK, MODE, USED, GENERATION. A frozen stream cannot be started, -EBUSY: thaw it
	 * first with STATE stopped.
	 */
	DEVTRACE_CMD_STREAM_GET,
	DEVTRACE_CMD_STREAM_NEW,	/* STREAM, SIZE; FILTER, MODE, STATE */
	DEVTRACE_CMD_STREAM_SET,	/* STREAM; one or more of SIZE, STATE, WATERMARK */
	DEVTRACE_CMD_STREAM_DEL,	/* STREAM */
	DEVTRACE_CMD_CLEAR,		/* STREAM */

	/*
	 * The filter of a stream, always as a whole. GET: STREAM, or dump; returns STREAM,
	 * FILTER, GENERATION. SET: STREAM, FILTER (empty: everything passes); with GENERATION
	 * it is refused with -EBUSY unless the filter still has this generation. After SET is
	 * acknowledged, no event that the new filter refuses appears.
	 */
	DEVTRACE_CMD_FILTER_GET,
	DEVTRACE_CMD_FILTER_SET,

	/*
	 * Triggers. GET (one: TRIGGER; dump: all) returns the attributes of NEW, and ARMED,
	 * FIRED, FIRED_AT, SEEN. SET arms (ARMED 1: counts are reset) or disarms.
	 */
	DEVTRACE_CMD_TRIGGER_GET,
	DEVTRACE_CMD_TRIGGER_NEW,	/* TRIGGER, WHEN, ACTION; attributes of the action */
	DEVTRACE_CMD_TRIGGER_SET,	/* TRIGGER, ARMED */
	DEVTRACE_CMD_TRIGGER_DEL,	/* TRIGGER */

	/* Dumps; with STREAM, only this stream. */
	DEVTRACE_CMD_STATS_GET,		/* by stream and CPU, and for lanes */
	DEVTRACE_CMD_TYPE_GET,		/* by type, for all streams together */
	DEVTRACE_CMD_PROCESS_GET,	/* by thread, for all streams together */
	DEVTRACE_CMD_READER_GET,	/* by open descriptor */
	DEVTRACE_CMD_DICT_GET,		/* the dictionaries */

	/* Notifications: the changed thing with its new state, as GET returns it. */
	DEVTRACE_CMD_NTF_STREAM_NEW,
	DEVTRACE_CMD_NTF_STREAM_SET,	/* also when a trigger starts or stops it */
	DEVTRACE_CMD_NTF_STREAM_DEL,	/* STREAM */
	DEVTRACE_CMD_NTF_CLEAR,		/* STREAM */
	DEVTRACE_CMD_NTF_FILTER,
	DEVTRACE_CMD_NTF_TRIGGER_NEW,
	DEVTRACE_CMD_NTF_TRIGGER_SET,
	DEVTRACE_CMD_NTF_TRIGGER_DEL,	/* TRIGGER */
	DEVTRACE_CMD_NTF_FIRED,		/* TRIGGER, FIRED, FIRED_AT, ACTION, STREAM */
	DEVTRACE_CMD_NTF_WATERMARK,	/* STREAM, CPU, WATERMARK */

	/*
	 * Dump: the kernel profile events, types 128 to 191: TYPE, NAME, PROFILE_GROUP,
	 * TRACEPOINTS, AVAILABLE, ATTACHED; ELEMENTS for added ones.
	 */
	DEVTRACE_CMD_PROFILE_GET,
	/*
	 * Any tracepoint of the kernel, by name, as one of the types 176 to 190. ADD only makes it
	 * a type, which PROFILE_GET returns; filters decide whether its events are emitted. DEL
	 * first removes it from all filters; after it is acknowledged, no event of it appears.
	 */
	DEVTRACE_CMD_PROFILE_ADD,	/* TRACEPOINT */
	DEVTRACE_CMD_PROFILE_DEL,	/* TRACEPOINT */
	DEVTRACE_CMD_NTF_PROFILE_ADD,	/* TRACEPOINT, TYPE */
	DEVTRACE_CMD_NTF_PROFILE_DEL,	/* TRACEPOINT, TYPE */

	/*
	 * Open lanes: a dump, by lane. TID, PID, COMM, ID (its source), SIZE, USED (bytes not
	 * taken yet), STORED, OVERWRITTEN (in the buffer), DROPPED, OLDEST (its oldest event
	 * that is held), NOW, LANE_STATE.
	 */
	DEVTRACE_CMD_LANE_GET,

	__DEVTRACE_CMD_MAX,
};

#define DEVTRACE_CMD_MAX	(__DEVTRACE_CMD_MAX - 1)

enum devtrace_attr {
	DEVTRACE_A_UNSPEC,
	DEVTRACE_A_PAD,
	DEVTRACE_A_STREAM,	/* string: name of a stream */
	DEVTRACE_A_ID,		/* u32: its number, 0 for stream 0 */
	DEVTRACE_A_SIZE,	/* u64: bytes of each CPU's ring; rounded up to 2^n */
	DEVTRACE_A_STATE,	/* u32: enum devtrace_state */
	DEVTRACE_A_REASON,	/* string: trigger that caused the state; absent: by request */
	DEVTRACE_A_SINCE,	/* u64: trace clock ns of the last change of state */
	DEVTRACE_A_WATERMARK,	/* u32: percent, 0 to 99; 0: readers wake as events come */
	DEVTRACE_A_MODE,	/* u32: access mode of the device node */
	DEVTRACE_A_GENERATION,	/* u32: changes with each change of the filter */
	DEVTRACE_A_FILTER,	/* nest of enum devtrace_filter_attr */

	DEVTRACE_A_TRIGGER,	/* string: name of a trigger */
	DEVTRACE_A_WHEN,	/* nest of enum devtrace_filter_attr: terms an event must meet */
	DEVTRACE_A_ELEMENT,	/* nest of enum devtrace_element_attr: must be met, too */
	DEVTRACE_A_NTH,		/* u64: fire at the n-th such event; default 1 */
	DEVTRACE_A_RATE,	/* u32: fire when more than n come in a second; not with NTH */
	DEVTRACE_A_ACTION,	/* u32: enum devtrace_action */
	DEVTRACE_A_EVENTS,	/* u64: STOP: after n further events of the stream */
	DEVTRACE_A_TIME,	/* u64: STOP: or after n ns, whichever is first */
	DEVTRACE_A_REARM,	/* u8: 1: arm again after firing; 0: fire once */
	DEVTRACE_A_ARMED,	/* u8: 0 or 1 */
	DEVTRACE_A_FIRED,	/* u64: number of firings */
	DEVTRACE_A_FIRED_AT,	/* u64: time of the last one, trace clock ns */
	DEVTRACE_A_SEEN,	/* u64: number of events that met it since it was armed */

	DEVTRACE_A_CPU,		/* u32; DEVTRACE_CPU_LANES: all lanes */
	DEVTRACE_A_EMITTED,	/* u64: since the stream exists; stored + dropped + filtered */
	DEVTRACE_A_STORED,	/* u64 */
	DEVTRACE_A_FILTERED,	/* u64 */
	DEVTRACE_A_OVERWRITTEN,	/* u64: part of those stored */
	DEVTRACE_A_DROPPED,	/* u64 each, indexed by enum devtrace_cause */
	DEVTRACE_A_USED,	/* u64: bytes of ring that hold events */
	DEVTRACE_A_OLDEST,	/* u64: trace clock ns of the oldest event, 0: none */
	DEVTRACE_A_NOW,		/* u64: trace clock ns when this was read */

	DEVTRACE_A_TYPE,	/* u8: event type */
	DEVTRACE_A_PID,		/* u32: process id */
	DEVTRACE_A_TID,		/* u32: thread id */
	DEVTRACE_A_COMM,	/* string: name of the thread or process */

	DEVTRACE_A_POSITION,	/* u64: ns: time of the reader's next event */
	DEVTRACE_A_LAG,		/* u64: unread bytes of the rings */
	DEVTRACE_A_READ,	/* u64: number of events read */
	DEVTRACE_A_LOST,	/* u64: number of events reported lost */

	DEVTRACE_A_KIND,	/* u8: DEVTRACE_T_SIG, _OBJ, _FUN, _USR or _ENUM */
	DEVTRACE_A_GROUP,	/* u8 */
	DEVTRACE_A_VALUE,	/* u32 */
	DEVTRACE_A_KEY,		/* u64 */
	DEVTRACE_A_SCOPE,	/* u32: process id, 0: the kernel */
	DEVTRACE_A_NAME,	/* string: the name */

	DEVTRACE_A_PROFILE_GROUP, /* string: group of types */
	DEVTRACE_A_TRACEPOINTS,	/* string: tracepoints that make its events, separated by blanks */
	DEVTRACE_A_AVAILABLE,	/* u8: 1: this kernel has at least one of them; 0: none */
	DEVTRACE_A_ATTACHED,	/* u8: 1: a filter wants the type; 0: it costs nothing */
	DEVTRACE_A_TRACEPOINT,	/* string: tracepoint of the kernel, SYSTEM:EVENT */
	DEVTRACE_A_ELEMENTS,	/* string: elements of the events of an added type, as in fmt(5) */
	DEVTRACE_A_LANE_STATE,	/* u8: enum devtrace_lane_state; 2: open, makes no calls */

	__DEVTRACE_A_MAX,
};

#define DEVTRACE_A_MAX		(__DEVTRACE_A_MAX - 1)

#define DEVTRACE_CPU_LANES	0xffffffff

/*
 * Terms. An event passes if it passes each term that is given. A missing term lets everything pass;
 * but without TYPES, kernel profile events, 128 to 191, do not pass. A term about a code, an object
 * or a severity lets events without one pass.
 *
 * The module attaches to the tracepoints of the profile events that filters of streams and of armed
 * triggers name, and to no others. Events that this kernel lacks are left out of the filter, and
 * the acknowledgment names them.
 */
enum devtrace_filter_attr {
	DEVTRACE_FA_UNSPEC,
	DEVTRACE_FA_PAD,
	DEVTRACE_FA_TYPES,	/* 32 bytes: bit n % 8 of byte n / 8 is type n */
	DEVTRACE_FA_HW_SEVERITY,	/* u32: 0 to 4: lowest level that passes; 4: none */
	DEVTRACE_FA_SW_SEVERITY,	/* u32: the same */
	DEVTRACE_FA_OBJECTS,	/* array of struct devtrace_range */
	DEVTRACE_FA_SIGNALS,	/* array of struct devtrace_range */
	DEVTRACE_FA_MAJORS,	/* array of u32: only codes with these, or those of CODES */
	DEVTRACE_FA_NOT_MAJORS,	/* array of u32: none of these */
	/*
	 * Processes, by process or thread id, and by name. An event in interrupt context
	 * belongs to no process.
	 */
	DEVTRACE_FA_PIDS,	/* array of u32: only these, or those of COMMS */
	DEVTRACE_FA_NOT_PIDS,	/* array of u32: none of these */
	DEVTRACE_FA_COMMS,	/* array of char[16]: only these, or those of PIDS */
	DEVTRACE_FA_NOT_COMMS,	/* array of char[16]: none of these */
	DEVTRACE_FA_ORIGINS,	/* u32: DEVTRACE_ORIGIN_* */
	DEVTRACE_FA_CPUS,	/* array of struct devtrace_range: only on these */
	/* Whole codes, major << 8 | minor, besides MAJORS and NOT_MAJORS. */
	DEVTRACE_FA_CODES,	/* array of u32: only these, or those of MAJORS */
	DEVTRACE_FA_NOT_CODES,	/* array of u32: none of these */

	__DEVTRACE_FA_MAX,
};

#define DEVTRACE_FA_MAX		(__DEVTRACE_FA_MAX - 1)

#define DEVTRACE_ORIGIN_KERNEL	0x1
#define DEVTRACE_ORIGIN_USER	0x2

/* Maximum number of ranges, numbers or names in a term. */
#define DEVTRACE_TERMS_MAX	64

/**
 * struct devtrace_range - numbers from @first to @last
 * @first: 0 to 65535
 * @last: not below @first
 */
struct devtrace_range {
	__u16	first;
	__u16	last;
};

/* A comparison of an event's element with a constant. */
enum devtrace_element_attr {
	DEVTRACE_EA_UNSPEC,
	DEVTRACE_EA_PAD,
	DEVTRACE_EA_INDEX,	/* u32: 0 is the first; code, object and signal do not count */
	DEVTRACE_EA_COMPARE,	/* u32: enum devtrace_compare */
	DEVTRACE_EA_VALUE,	/* s64: the constant, for numbers */
	DEVTRACE_EA_MASK,	/* u64: ANDed with numbers before the comparison */
	DEVTRACE_EA_STRING,	/* string: the constant, for STR; only with EQ and NE */

	__DEVTRACE_EA_MAX,
};

#define DEVTRACE_EA_MAX		(__DEVTRACE_EA_MAX - 1)

enum devtrace_compare {
	DEVTRACE_CMP_EQ,
	DEVTRACE_CMP_NE,
	DEVTRACE_CMP_LT,
	DEVTRACE_CMP_LE,
	DEVTRACE_CMP_GT,
	DEVTRACE_CMP_GE,
};

/* The action of a trigger on the stream STREAM. */
enum devtrace_action {
	DEVTRACE_ACTION_NOTIFY,	/* only the notification, which all actions send */
	DEVTRACE_ACTION_START,	/* start the stream */
	DEVTRACE_ACTION_STOP,	/* stop it, after EVENTS or TIME */
	/* as STOP; then triggers cannot start it, and it cannot be cleared */
	DEVTRACE_ACTION_FREEZE,
	DEVTRACE_ACTION_FILTER,	/* give it the FILTER of the trigger */
	DEVTRACE_ACTION_RESTORE, /* restore the filter it had before the first FILTER */
};

#endif /* _UAPI_LINUX_DEVTRACE_NETLINK_H */

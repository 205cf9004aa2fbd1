/* SPDX-License-Identifier: GPL-2.0-only WITH Linux-syscall-note */
/*
 * Control of the devtrace module: generic netlink
 *
 * All commands take their top-level attributes from enum devtrace_attr. The comment of each
 * command lists its attributes; any other attribute is refused. All numbers are in the byte order
 * of the machine. Each refusal has an extended acknowledgment that names the attribute and says
 * what would be right.
 *
 * Changing anything needs CAP_PERFMON or CAP_SYS_ADMIN in the initial user namespace; reading
 * needs one of these or CAP_SYSLOG. Every network namespace sees the same devtrace. Listening to
 * notifications needs CAP_SYS_ADMIN, and a network namespace that belongs to the initial user
 * namespace: generic netlink offers no other check for listeners.
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
/* Stream 0 is /dev/trace and cannot be removed. Any other stream is /dev/trace-NAME. */
#define DEVTRACE_STREAM0	"trace"

#define DEVTRACE_STREAMS_MAX	16
#define DEVTRACE_TRIGGERS_MAX	16

/*
 * Number of types from DEVTRACE_T_ADDED on: 15 for added tracepoints, then DEVTRACE_T_FAULT.
 * Maximum length of a tracepoint's name, including the NUL.
 */
#define DEVTRACE_TRACEPOINTS_MAX	16
#define DEVTRACE_TRACEPOINT_LEN		64

/* A reply has the number of its request; a message to the multicast group has a number NTF_*. */
enum devtrace_cmd {
	DEVTRACE_CMD_UNSPEC,

	/*
	 * Streams. GET returns one stream (STREAM) or, as a dump, all: STREAM, ID, SIZE, STATE,
	 * REASON, SINCE, WATERMARK, MODE, USED, GENERATION. Starting a frozen stream is refused
	 * with -EBUSY: first set its STATE to stopped.
	 */
	DEVTRACE_CMD_STREAM_GET,
	DEVTRACE_CMD_STREAM_NEW,	/* STREAM, SIZE; FILTER, MODE, STATE */
	DEVTRACE_CMD_STREAM_SET,	/* STREAM; one or more of SIZE, STATE, WATERMARK */
	DEVTRACE_CMD_STREAM_DEL,	/* STREAM */
	DEVTRACE_CMD_CLEAR,		/* STREAM */

	/*
	 * The filter of a stream, always as a whole. GET (STREAM, or a dump of all) returns
	 * STREAM, FILTER, GENERATION. SET takes STREAM and FILTER (empty: everything passes). If
	 * SET also has GENERATION, it is refused with -EBUSY unless the filter still has this
	 * generation. Once SET is acknowledged, no event that the new filter refuses is stored.
	 */
	DEVTRACE_CMD_FILTER_GET,
	DEVTRACE_CMD_FILTER_SET,

	/*
	 * Triggers. GET (one: TRIGGER; dump: all) returns the attributes of NEW, and ARMED, FIRED,
	 * FIRED_AT, SEEN. SET with ARMED 1 arms the trigger and zeroes its counts; with ARMED 0 it
	 * disarms the trigger.
	 */
	DEVTRACE_CMD_TRIGGER_GET,
	DEVTRACE_CMD_TRIGGER_NEW,	/* TRIGGER, WHEN, ACTION; attributes of the action */
	DEVTRACE_CMD_TRIGGER_SET,	/* TRIGGER, ARMED */
	DEVTRACE_CMD_TRIGGER_DEL,	/* TRIGGER */

	/* Dumps. With STREAM, only the entries of this stream. */
	DEVTRACE_CMD_STATS_GET,		/* by stream and CPU, and for lanes */
	DEVTRACE_CMD_TYPE_GET,		/* by type, all streams together */
	DEVTRACE_CMD_PROCESS_GET,	/* by thread, all streams together */
	DEVTRACE_CMD_READER_GET,	/* by open descriptor */
	DEVTRACE_CMD_DICT_GET,		/* the dictionaries */

	/*
	 * Notifications of a change. They contain the new state of the stream or trigger, as GET
	 * returns it.
	 */
	DEVTRACE_CMD_NTF_STREAM_NEW,
	DEVTRACE_CMD_NTF_STREAM_SET,	/* sent also when a trigger starts or stops the stream */
	DEVTRACE_CMD_NTF_STREAM_DEL,	/* STREAM */
	DEVTRACE_CMD_NTF_CLEAR,		/* STREAM */
	DEVTRACE_CMD_NTF_FILTER,
	DEVTRACE_CMD_NTF_TRIGGER_NEW,
	DEVTRACE_CMD_NTF_TRIGGER_SET,
	DEVTRACE_CMD_NTF_TRIGGER_DEL,	/* TRIGGER */
	DEVTRACE_CMD_NTF_FIRED,		/* TRIGGER, FIRED, FIRED_AT, ACTION, STREAM */
	DEVTRACE_CMD_NTF_WATERMARK,	/* STREAM, CPU, WATERMARK */

	/*
	 * A dump of the kernel profile events, types 128 to 191: TYPE, NAME, PROFILE_GROUP,
	 * TRACEPOINTS, AVAILABLE, ATTACHED; ELEMENTS for added tracepoints.
	 */
	DEVTRACE_CMD_PROFILE_GET,
	/*
	 * Tracepoints of the kernel, by name. ADD only assigns one of the types 176 to 190, which
	 * PROFILE_GET returns; filters decide whether events of the type are emitted. DEL first
	 * removes the type from all filters; once DEL is acknowledged, the tracepoint emits no
	 * event.
	 */
	DEVTRACE_CMD_PROFILE_ADD,	/* TRACEPOINT */
	DEVTRACE_CMD_PROFILE_DEL,	/* TRACEPOINT */
	DEVTRACE_CMD_NTF_PROFILE_ADD,	/* TRACEPOINT, TYPE */
	DEVTRACE_CMD_NTF_PROFILE_DEL,	/* TRACEPOINT, TYPE */

	/*
	 * A dump of the open lanes. For each lane: TID, PID, COMM, ID (source number), SIZE, USED
	 * (bytes that the kernel has not yet taken), STORED, OVERWRITTEN (after they were
	 * taken), DROPPED, OLDEST (oldest event still held), NOW, LANE_STATE.
	 */
	DEVTRACE_CMD_LANE_GET,

	__DEVTRACE_CMD_MAX,
};

#define DEVTRACE_CMD_MAX	(__DEVTRACE_CMD_MAX - 1)

enum devtrace_attr {
	DEVTRACE_A_UNSPEC,
	DEVTRACE_A_PAD,
	DEVTRACE_A_STREAM,	/* string: name of a stream */
	DEVTRACE_A_ID,		/* u32: number of the stream; 0: stream 0 */
	DEVTRACE_A_SIZE,	/* u64: bytes of each CPU's ring, rounded up to a power of two */
	DEVTRACE_A_STATE,	/* u32: enum devtrace_state */
	DEVTRACE_A_REASON, /* string: trigger that changed the state; absent if a command did */
	DEVTRACE_A_SINCE,	/* u64: trace clock ns of the stream's last change of state */
	DEVTRACE_A_WATERMARK,	/* u32: percent of a ring at which readers wake; 0: at once */
	DEVTRACE_A_MODE,	/* u32: access mode of the device node */
	DEVTRACE_A_GENERATION,	/* u32: differs after each change of the filter */
	DEVTRACE_A_FILTER,	/* nest of enum devtrace_filter_attr */

	DEVTRACE_A_TRIGGER,	/* string: name of a trigger */
	DEVTRACE_A_WHEN, /* nest of enum devtrace_filter_attr: events that the trigger counts */
	/* nest of enum devtrace_element_attr: further condition of the trigger */
	DEVTRACE_A_ELEMENT,
	DEVTRACE_A_NTH,		/* u64: fire at the n-th event that matches; default 1 */
	DEVTRACE_A_RATE, /* u32: fire at more than n matching events a second; not with NTH */
	DEVTRACE_A_ACTION,	/* u32: enum devtrace_action */
	DEVTRACE_A_EVENTS,	/* u64: action STOP: stop after n further events of the stream */
	DEVTRACE_A_TIME, /* u64: action STOP: stop after n ns if EVENTS is not reached earlier */
	DEVTRACE_A_REARM, /* u8: 1: the trigger arms itself again after firing; 0: it fires once */
	DEVTRACE_A_ARMED,	/* u8: 0 or 1 */
	DEVTRACE_A_FIRED,	/* u64: number of firings */
	DEVTRACE_A_FIRED_AT,	/* u64: time of the last firing, trace clock ns */
	DEVTRACE_A_SEEN,	/* u64: number of events that matched since the trigger was armed */

	DEVTRACE_A_CPU,		/* u32: CPU number; DEVTRACE_CPU_LANES: all lanes */
	DEVTRACE_A_EMITTED, /* u64: stored, dropped and filtered events since the stream exists */
	DEVTRACE_A_STORED,	/* u64 */
	DEVTRACE_A_FILTERED,	/* u64 */
	DEVTRACE_A_OVERWRITTEN,	/* u64: number of stored events that newer ones replaced */
	DEVTRACE_A_DROPPED,	/* u64 each, indexed by enum devtrace_cause */
	DEVTRACE_A_USED,	/* u64: bytes of ring that hold events */
	DEVTRACE_A_OLDEST,	/* u64: time of the oldest event, trace clock ns; 0: none */
	DEVTRACE_A_NOW,		/* u64: trace clock ns when the values were read */

	DEVTRACE_A_TYPE,	/* u8: event type */
	DEVTRACE_A_PID,		/* u32: process id */
	DEVTRACE_A_TID,		/* u32: thread id */
	DEVTRACE_A_COMM,	/* string: name of the thread or process */

	DEVTRACE_A_POSITION,	/* u64: time of the reader's last event, trace clock ns */
	DEVTRACE_A_LAG,		/* u64: bytes of the rings that the reader has not read */
	DEVTRACE_A_READ,	/* u64: number of events read */
	DEVTRACE_A_LOST,	/* u64: number of events that the reader was told are lost */

	DEVTRACE_A_KIND,	/* u8: DEVTRACE_T_SIG, _OBJ, _FUN, _USR or _ENUM */
	DEVTRACE_A_GROUP,	/* u8 */
	DEVTRACE_A_VALUE,	/* u32 */
	DEVTRACE_A_KEY,		/* u64 */
	DEVTRACE_A_SCOPE,	/* u32: process id, 0: the kernel */
	DEVTRACE_A_NAME,	/* string: the name */

	DEVTRACE_A_PROFILE_GROUP, /* string: group to which the type belongs */
	DEVTRACE_A_TRACEPOINTS,	/* string: tracepoints of the type, separated by blanks */
	/* u8: 1: this kernel has at least one tracepoint of the type; 0: none */
	DEVTRACE_A_AVAILABLE,
	/* u8: 1: some filter contains the type; 0: none, so it costs nothing */
	DEVTRACE_A_ATTACHED,
	DEVTRACE_A_TRACEPOINT,	/* string: tracepoint of the kernel, SYSTEM:EVENT */
	DEVTRACE_A_ELEMENTS,	/* string: elements of the events of an added type, as in fmt(5) */
	/* u8: enum devtrace_lane_state; 2: open, and its thread makes no system calls */
	DEVTRACE_A_LANE_STATE,

	__DEVTRACE_A_MAX,
};

#define DEVTRACE_A_MAX		(__DEVTRACE_A_MAX - 1)

#define DEVTRACE_CPU_LANES	0xffffffff

/*
 * Terms of a filter. An event passes if it passes each given term. A missing term passes
 * everything, with one exception: without TYPES, kernel profile events (128 to 191) do not pass. A
 * term on codes, objects or severities passes an event that has none.
 *
 * The module attaches only to the tracepoints of those profile events that the filter of a stream
 * or of an armed trigger contains. If this kernel lacks such an event, it is left out of the
 * filter, and the acknowledgment names it.
 */
enum devtrace_filter_attr {
	DEVTRACE_FA_UNSPEC,
	DEVTRACE_FA_PAD,
	DEVTRACE_FA_TYPES,	/* 32 bytes: type n is bit n % 8 of byte n / 8 */
	/* u32: lowest hardware severity level that passes, 0 to 3; 4: none passes */
	DEVTRACE_FA_HW_SEVERITY,
	/* u32: lowest software severity level that passes, 0 to 3; 4: none passes */
	DEVTRACE_FA_SW_SEVERITY,
	DEVTRACE_FA_OBJECTS,	/* array of struct devtrace_range */
	DEVTRACE_FA_SIGNALS,	/* array of struct devtrace_range */
	DEVTRACE_FA_MAJORS, /* array of u32: pass only codes with these majors, or those of CODES */
	DEVTRACE_FA_NOT_MAJORS,	/* array of u32: refuse codes with these majors */
	/*
	 * Processes, by process or thread id, and by name. An event from interrupt context belongs
	 * to no process.
	 */
	DEVTRACE_FA_PIDS,	/* array of u32: pass only these processes, or those of COMMS */
	DEVTRACE_FA_NOT_PIDS,	/* array of u32: refuse these processes */
	DEVTRACE_FA_COMMS,	/* array of char[16]: pass only these names, or processes of PIDS */
	DEVTRACE_FA_NOT_COMMS,	/* array of char[16]: refuse these names */
	DEVTRACE_FA_ORIGINS,	/* u32: DEVTRACE_ORIGIN_* */
	DEVTRACE_FA_CPUS,	/* array of struct devtrace_range: pass only events of these CPUs */
	/* Whole codes, major << 8 | minor, in addition to MAJORS and NOT_MAJORS. */
	DEVTRACE_FA_CODES,	/* array of u32: pass only these codes, or those of MAJORS */
	DEVTRACE_FA_NOT_CODES,	/* array of u32: refuse these codes */
	/*
	 * array of struct devtrace_range: of the types registered by name, pass only these numbers.
	 * The bit of DEVTRACE_T_NAMED in TYPES must be set, too.
	 */
	DEVTRACE_FA_NAMED,

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

/* A condition on an event: comparison of one of its elements with a constant. */
enum devtrace_element_attr {
	DEVTRACE_EA_UNSPEC,
	DEVTRACE_EA_PAD,
	/* u32: index of the element from 0 on, without code, object and signal */
	DEVTRACE_EA_INDEX,
	DEVTRACE_EA_COMPARE,	/* u32: enum devtrace_compare */
	DEVTRACE_EA_VALUE,	/* s64: the constant to compare a number with */
	DEVTRACE_EA_MASK,	/* u64: mask, ANDed with the number before it is compared */
	DEVTRACE_EA_STRING, /* string: the constant to compare a STR element with; only EQ and NE */

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
	/* stop the stream so that triggers cannot start it and it cannot be cleared */
	DEVTRACE_ACTION_FREEZE,
	DEVTRACE_ACTION_FILTER,	/* give it the FILTER of the trigger */
	/* restore the stream's filter from before the first FILTER action */
	DEVTRACE_ACTION_RESTORE,
};

#endif /* _UAPI_LINUX_DEVTRACE_NETLINK_H */

/* SPDX-License-Identifier: GPL-2.0-only WITH Linux-syscall-note */
/*
 * The interface between user space and the devtrace module
 *
 * This file alone defines the numbers of the event types, the layout of the frames that read(2)
 * returns, and the ioctls of the device /dev/trace. All layouts are the same for 32-bit and 64-bit
 * programs, no structure has implicit padding, and all fields of frames are little-endian on every
 * machine.
 *
 * Documentation/wire-format.rst describes the frames; trace(4) and
 * Documentation/ABI/testing/dev-trace describe the device.
 */
#ifndef _UAPI_LINUX_DEVTRACE_H
#define _UAPI_LINUX_DEVTRACE_H

/*
 * Drivers include the kernel's header of the same name, which includes this one. A driver that
 * finds this header first has the wrong search path and would get no macro that emits.
 */
#if defined(__KERNEL__) && !defined(_LINUX_DEVTRACE_H) && !defined(DEVTRACE_UAPI_ONLY)
#error "This header is for programs: a driver includes devtrace.mk in its Kbuild, see devtrace(9)"
#endif

#include <linux/ioctl.h>
#include <linux/stddef.h>
#include <linux/types.h>

#define DEVTRACE_WIRE_VERSION	1

/*
 * Event types: one byte, and one bit each in the 256-bit filter. Types 1 to 53, 55 to 57, 71 to 81
 * and 100 to 124 have the same meaning as in QP/Spy, and so have the dictionaries 54 and 60 to 63.
 * QP/Spy has other records under the numbers 58, 59 and 64 to 70. Here these numbers are for frames
 * such as CLOCK, LOST and INFO, and QP/Spy's records are 82, 83 and 88 to 94. The types 0, 54 and
 * 58 to 70 belong to the transport: programs cannot emit them, and filters cannot refuse them.
 */
enum devtrace_type {
	DEVTRACE_T_EMPTY	= 0,	/* transport: padding, load, note */
	DEVTRACE_T_SM		= 1,	/* 1-9, 55-57 state machine */
	DEVTRACE_T_AO		= 10,	/* 10-18, 45 active object */
	DEVTRACE_T_EQ		= 19,	/* 19-22, 46 event queue */
	DEVTRACE_T_MP		= 24,	/* 24, 25, 47 memory pool */
	DEVTRACE_T_TE		= 32,	/* 32-37 time event */
	DEVTRACE_T_QF		= 38,	/* 23, 26-31, 38-44 framework */
	DEVTRACE_T_SC		= 48,	/* 48-53 scheduler */
	DEVTRACE_T_ENUM		= 54,	/* dictionary: enumeration value */
	DEVTRACE_T_CLOCK	= 58,	/* trace clock, and the time on other clocks */
	DEVTRACE_T_LOST		= 59,	/* events that this reader did not get */
	DEVTRACE_T_SIG		= 60,	/* dictionary: signal */
	DEVTRACE_T_OBJ		= 61,	/* dictionary: object */
	DEVTRACE_T_FUN		= 62,	/* dictionary: function */
	DEVTRACE_T_USR		= 63,	/* dictionary: record type */
	DEVTRACE_T_INFO		= 64,	/* description of this stream */
	DEVTRACE_T_IMAGE	= 65,	/* dictionary: program, library or module with sites */
	DEVTRACE_T_STATE	= 66,	/* the stream was stopped or started */
	DEVTRACE_T_ACCURACY	= 67,	/* in the kernel only: DEVTRACE_EMPTY_ACCURACY */
	DEVTRACE_T_PROC		= 70,	/* dictionary: thread, sent by the kernel */
	DEVTRACE_T_SEM		= 71,	/* 71-74 semaphore */
	DEVTRACE_T_MTX		= 75,	/* 75-80 mutex */
	DEVTRACE_T_NAMED	= 84,	/* a type registered by name; the code is its number */
	DEVTRACE_T_ASSERT	= 93,	/* a failed assertion: line, module */
	DEVTRACE_T_USER		= 100,	/* 100-124 user records, groups of 5 */
	DEVTRACE_T_EXC		= 125,	/* exception: severity, 24+8-bit code */
	DEVTRACE_T_TEXT		= 126,	/* text: one STR element */
	DEVTRACE_T_LOG		= 127,	/* number of a DT_LOG() statement, and its arguments */
	DEVTRACE_T_KERNEL	= 128,	/* 128-191 kernel profile events */
	DEVTRACE_T_USER2	= 192,	/* 192-255 further user records */
};

/*
 * The rules for types are written only here. The kernel, the library, the decoders and the black
 * box call the functions below; the macros are for tables and for checks at compile time.
 */
#define DEVTRACE_TYPE_IS_TRANSPORT_(t)	((t) == DEVTRACE_T_EMPTY || (t) == DEVTRACE_T_ENUM || \
					 ((t) >= DEVTRACE_T_CLOCK && (t) <= DEVTRACE_T_PROC))
#define DEVTRACE_TYPE_IS_PROFILE_(t)	((t) >= DEVTRACE_T_KERNEL && (t) < DEVTRACE_T_USER2)
#define DEVTRACE_TYPE_IS_EMITTABLE_(t) \
	(!((t) >> 8) && !DEVTRACE_TYPE_IS_TRANSPORT_(t) && !DEVTRACE_TYPE_IS_PROFILE_(t) && \
	 (t) != DEVTRACE_T_NAMED)

/**
 * devtrace_type_is_transport() - do frames of a type carry no event?
 * @type: type of a frame, 0 to 255
 *
 * Return: not 0 for a type that cannot be emitted or filtered.
 */
static inline int devtrace_type_is_transport(unsigned int type)
{
	return DEVTRACE_TYPE_IS_TRANSPORT_(type);
}

/**
 * devtrace_type_is_profile() - is a type one of the kernel profile events?
 * @type: event type
 *
 * Return: not 0 for a type that only the kernel emits.
 */
static inline int devtrace_type_is_profile(unsigned int type)
{
	return DEVTRACE_TYPE_IS_PROFILE_(type);
}

/**
 * devtrace_type_is_emittable() - may programs and drivers emit a type?
 * @type: event type; any number
 *
 * Return: not 0 if they may. For DEVTRACE_T_NAMED it is 0, because an event of this type needs a
 * number.
 */
static __always_inline int devtrace_type_is_emittable(unsigned int type)
{
	/* Test the most frequent types first. */
	if (__builtin_expect(type >= DEVTRACE_T_USER && type < DEVTRACE_T_KERNEL, 1))
		return 1;
	return DEVTRACE_TYPE_IS_EMITTABLE_(type);
}

/*
 * Kernel profile events, see Documentation/profile.rst. The types from DEVTRACE_T_ADDED on are
 * tracepoints that were added by name, except the last one: the kernel's own faults.
 */
enum devtrace_profile {
	DEVTRACE_T_SYS_ENTER		= DEVTRACE_T_KERNEL + 0,
	DEVTRACE_T_SYS_EXIT		= DEVTRACE_T_KERNEL + 1,
	DEVTRACE_T_IRQ_ENTRY		= DEVTRACE_T_KERNEL + 2,
	DEVTRACE_T_IRQ_EXIT		= DEVTRACE_T_KERNEL + 3,
	DEVTRACE_T_VECTOR_ENTRY		= DEVTRACE_T_KERNEL + 4,
	DEVTRACE_T_VECTOR_EXIT		= DEVTRACE_T_KERNEL + 5,
	DEVTRACE_T_SOFTIRQ_RAISE	= DEVTRACE_T_KERNEL + 6,
	DEVTRACE_T_SOFTIRQ_ENTRY	= DEVTRACE_T_KERNEL + 7,
	DEVTRACE_T_SOFTIRQ_EXIT		= DEVTRACE_T_KERNEL + 8,
	DEVTRACE_T_TIMER_INIT		= DEVTRACE_T_KERNEL + 9,
	DEVTRACE_T_TIMER_START		= DEVTRACE_T_KERNEL + 10,
	DEVTRACE_T_TIMER_CANCEL		= DEVTRACE_T_KERNEL + 11,
	DEVTRACE_T_TIMER_ENTRY		= DEVTRACE_T_KERNEL + 12,
	DEVTRACE_T_TIMER_EXIT		= DEVTRACE_T_KERNEL + 13,
	DEVTRACE_T_HRTIMER_INIT		= DEVTRACE_T_KERNEL + 14,
	DEVTRACE_T_HRTIMER_START	= DEVTRACE_T_KERNEL + 15,
	DEVTRACE_T_HRTIMER_CANCEL	= DEVTRACE_T_KERNEL + 16,
	DEVTRACE_T_HRTIMER_ENTRY	= DEVTRACE_T_KERNEL + 17,
	DEVTRACE_T_HRTIMER_EXIT		= DEVTRACE_T_KERNEL + 18,
	DEVTRACE_T_SCHED_SWITCH		= DEVTRACE_T_KERNEL + 19,
	DEVTRACE_T_SCHED_WAKING		= DEVTRACE_T_KERNEL + 20,
	DEVTRACE_T_SCHED_WAKEUP		= DEVTRACE_T_KERNEL + 21,
	DEVTRACE_T_SCHED_WAKEUP_NEW	= DEVTRACE_T_KERNEL + 22,
	DEVTRACE_T_SCHED_MIGRATE	= DEVTRACE_T_KERNEL + 23,
	DEVTRACE_T_SCHED_FORK		= DEVTRACE_T_KERNEL + 24,
	DEVTRACE_T_SCHED_EXEC		= DEVTRACE_T_KERNEL + 25,
	DEVTRACE_T_SCHED_EXIT		= DEVTRACE_T_KERNEL + 26,
	DEVTRACE_T_SCHED_PI		= DEVTRACE_T_KERNEL + 27,
	DEVTRACE_T_SCHED_HANG		= DEVTRACE_T_KERNEL + 28,
	DEVTRACE_T_TASK_RENAME		= DEVTRACE_T_KERNEL + 29,
	DEVTRACE_T_FAULT_USER		= DEVTRACE_T_KERNEL + 30,
	DEVTRACE_T_FAULT_KERNEL		= DEVTRACE_T_KERNEL + 31,
	DEVTRACE_T_SIGNAL_GENERATE	= DEVTRACE_T_KERNEL + 32,
	DEVTRACE_T_SIGNAL_DELIVER	= DEVTRACE_T_KERNEL + 33,
	DEVTRACE_T_BLOCK_INSERT		= DEVTRACE_T_KERNEL + 34,
	DEVTRACE_T_BLOCK_ISSUE		= DEVTRACE_T_KERNEL + 35,
	DEVTRACE_T_BLOCK_COMPLETE	= DEVTRACE_T_KERNEL + 36,
	DEVTRACE_T_WORK_QUEUE		= DEVTRACE_T_KERNEL + 37,
	DEVTRACE_T_WORK_START		= DEVTRACE_T_KERNEL + 38,
	DEVTRACE_T_WORK_END		= DEVTRACE_T_KERNEL + 39,
	DEVTRACE_T_CPU_IDLE		= DEVTRACE_T_KERNEL + 40,
	DEVTRACE_T_CPU_FREQ		= DEVTRACE_T_KERNEL + 41,
	DEVTRACE_T_CONSOLE		= DEVTRACE_T_KERNEL + 42,
	DEVTRACE_T_MODULE_LOAD		= DEVTRACE_T_KERNEL + 43,
	DEVTRACE_T_MODULE_FREE		= DEVTRACE_T_KERNEL + 44,
	DEVTRACE_T_OOM_KILL		= DEVTRACE_T_KERNEL + 45,
	DEVTRACE_T_TASKLET_ENTRY	= DEVTRACE_T_KERNEL + 46,
	DEVTRACE_T_TASKLET_EXIT		= DEVTRACE_T_KERNEL + 47,
	DEVTRACE_T_ADDED		= DEVTRACE_T_KERNEL + 48,	/* 15 types */
	DEVTRACE_T_FAULT		= DEVTRACE_T_KERNEL + 63,	/* exceptions, as below */
};

/*
 * Kinds of the kernel's own faults: major codes of the events of type DEVTRACE_T_FAULT, which are
 * exceptions. Documentation/faults.rst describes the minor codes and the elements.
 */
enum devtrace_fault {
	DEVTRACE_FAULT_PANIC	= 0x4b4601,
	DEVTRACE_FAULT_OOPS	= 0x4b4602,
	DEVTRACE_FAULT_HANG	= 0x4b4603,
	DEVTRACE_FAULT_STALL	= 0x4b4604,
	DEVTRACE_FAULT_REBOOT	= 0x4b4605,
	DEVTRACE_FAULT_CONSOLE	= 0x4b4606,
	DEVTRACE_FAULT_OOM	= 0x4b4607,
	DEVTRACE_FAULT_MCE	= 0x4b4608,
	DEVTRACE_FAULT_MEMORY	= 0x4b4609,
	DEVTRACE_FAULT_BLOCK	= 0x4b460a,
	DEVTRACE_FAULT_AER	= 0x4b460b,
	DEVTRACE_FAULT_NET_DROP	= 0x4b460c,
	DEVTRACE_FAULT_THERMAL	= 0x4b460d,
	DEVTRACE_FAULT_SIGNAL	= 0x4b460e,
	DEVTRACE_FAULT_LIMIT	= 0x4b460f,
};

/*
 * Objects of kernel profile events. The signal of such an event is the number of the system call,
 * interrupt, vector or softirq; the dictionary has its name.
 */
#define DEVTRACE_OBJ_SYSCALL	0xff01	/* a system call of this machine */
#define DEVTRACE_OBJ_COMPAT	0xff02	/* a system call of a 32-bit program on a 64-bit machine */
#define DEVTRACE_OBJ_IRQ	0xff03	/* an interrupt of a device */
#define DEVTRACE_OBJ_VECTOR	0xff04	/* an interrupt of the CPU itself */
#define DEVTRACE_OBJ_SOFTIRQ	0xff05

/*
 * Severity byte: 0 if the event has none; otherwise DEVTRACE_SEV_SET, DEVTRACE_SEV_HW for
 * hardware, and a level of QNX, 0 to 3, which DEVTRACE_SW0 to DEVTRACE_SW3 explain.
 */
#define DEVTRACE_SEV_SET	0x8
#define DEVTRACE_SEV_HW		0x4
#define DEVTRACE_SEV_LEVEL	0x3

/**
 * devtrace_severity_is_valid() - is this a severity byte?
 * @severity: the byte
 *
 * Return: not 0 for 0 (none given) and for DEVTRACE_SW0 to DEVTRACE_HW3.
 */
static inline int devtrace_severity_is_valid(unsigned int severity)
{
	return !severity || (severity & ~7U) == DEVTRACE_SEV_SET;
}

#define DEVTRACE_SW0	0x8	/* software: information, testing */
#define DEVTRACE_SW1	0x9	/* expected error */
#define DEVTRACE_SW2	0xa	/* unexpected, recoverable */
#define DEVTRACE_SW3	0xb	/* unexpected, not recoverable */
#define DEVTRACE_HW0	0xc	/* hardware: as for software */
#define DEVTRACE_HW1	0xd
#define DEVTRACE_HW2	0xe
#define DEVTRACE_HW3	0xf
/* Severities and their names, for tables and for the kernel's __print_symbolic() */
#define DEVTRACE_SEVERITY_NAMES { DEVTRACE_SW0, "sw0" }, { DEVTRACE_SW1, "sw1" },		\
	{ DEVTRACE_SW2, "sw2" }, { DEVTRACE_SW3, "sw3" }, { DEVTRACE_HW0, "hw0" },		\
	{ DEVTRACE_HW1, "hw1" }, { DEVTRACE_HW2, "hw2" }, { DEVTRACE_HW3, "hw3" }

/* The severities under names similar to those of QNX. */
#define DEVTRACE_SW_SEVERITY0	DEVTRACE_SW0
#define DEVTRACE_SW_SEVERITY1	DEVTRACE_SW1
#define DEVTRACE_SW_SEVERITY2	DEVTRACE_SW2
#define DEVTRACE_SW_SEVERITY3	DEVTRACE_SW3
#define DEVTRACE_HW_SEVERITY0	DEVTRACE_HW0
#define DEVTRACE_HW_SEVERITY1	DEVTRACE_HW1
#define DEVTRACE_HW_SEVERITY2	DEVTRACE_HW2
#define DEVTRACE_HW_SEVERITY3	DEVTRACE_HW3

/*
 * Build a code from a major of 24 bits and a minor of 8 bits. A constant with more bits does not
 * compile in C, because a bit field would have a negative width. Variables are truncated.
 */
#if defined(__cplusplus) || defined(__CHECKER__)
#define __DEVTRACE_CODE_CHECK(v, bits)	0
#else
#define __DEVTRACE_IS_CONST(v) \
	(sizeof(int) == sizeof(*(8 ? (void *)((long)(v) * 0L) : (int *)8)))
#define __DEVTRACE_CODE_CHECK(v, bits) \
	(__extension__(__u32)sizeof(struct { unsigned int code_is_out_of_range : \
			__DEVTRACE_IS_CONST(v) && (v) >> (bits) ? -1 : 1; }) * 0)
#endif
#define DEVTRACE_CODE(major, minor) \
	(((((__u32)(major) & 0xffffff) << 8) | ((__u32)(minor) & 0xff)) + \
	 __DEVTRACE_CODE_CHECK(major, 24) + __DEVTRACE_CODE_CHECK(minor, 8))
#define DEVTRACE_CODE_MAJOR(code)	((__u32)(code) >> 8)
#define DEVTRACE_CODE_MINOR(code)	((__u32)(code) & 0xff)

/*
 * Data elements: a format byte, then the value, unaligned. The low nibble of the format byte is
 * the type, the high nibble the print width (F: hexadecimal, for unsigned types) or, for floats,
 * the number of digits after the point. An enumeration value has bit 7 of the format byte set and
 * its group in bits 4 to 6.
 */
enum devtrace_element {
	DEVTRACE_E_I8	= 0x0,	/* 1 byte; with bit 7 set: ENUM */
	DEVTRACE_E_U8	= 0x1,	/* 1 byte */
	DEVTRACE_E_I16	= 0x2,	/* 2 bytes */
	DEVTRACE_E_U16	= 0x3,	/* 2 bytes */
	DEVTRACE_E_I32	= 0x4,	/* 4 bytes */
	DEVTRACE_E_U32	= 0x5,	/* 4 bytes */
	DEVTRACE_E_F32	= 0x6,	/* 4 bytes, IEEE 754 */
	DEVTRACE_E_F64	= 0x7,	/* 8 bytes, IEEE 754 */
	DEVTRACE_E_STR	= 0x8,	/* bytes up to and including a NUL */
	DEVTRACE_E_MEM	= 0x9,	/* a length byte, that many bytes */
	DEVTRACE_E_SIG	= 0xa,	/* u32 signal, u64 object */
	DEVTRACE_E_OBJ	= 0xb,	/* u64 */
	DEVTRACE_E_FUN	= 0xc,	/* u64 */
	DEVTRACE_E_I64	= 0xd,	/* 8 bytes */
	DEVTRACE_E_U64	= 0xe,	/* 8 bytes */
	DEVTRACE_E_X32	= 0xf,	/* 4 bytes, printed in hexadecimal */
};

#define DEVTRACE_E_ENUM(group)	(0x80 | (((group) & 7) << 4))
#define DEVTRACE_E_HEX		0xf0	/* print width F: hexadecimal, for unsigned types */
/* Print width of all but the last MEM element of a buffer that is longer than 255 bytes. */
#define DEVTRACE_E_MEM_MORE	0x10

/* Flags of an event frame. A program may set only those in DEVTRACE_F_MASK_EMIT. */
#define DEVTRACE_F_CONTEXT	0x03	/* enum devtrace_context */
#define DEVTRACE_F_USER		0x04	/* a program emitted the event */
#define DEVTRACE_F_CODE		0x08	/* a u32 code follows the header */
#define DEVTRACE_F_OBJSIG	0x10	/* a u16 object and a u16 signal follow */
#define DEVTRACE_F_PTR		0x20	/* the event has OBJ, FUN or SIG elements */
#define DEVTRACE_F_LATE		0x40	/* the kernel corrected a time too early or too late */
#define DEVTRACE_COMPACT	0x80	/* instead of flags: the body is compact */
#define DEVTRACE_F_MASK_EMIT	(DEVTRACE_F_CODE | DEVTRACE_F_OBJSIG | DEVTRACE_F_PTR)

enum devtrace_context {
	DEVTRACE_CTX_TASK	= 0,
	DEVTRACE_CTX_SOFTIRQ	= 1,
	DEVTRACE_CTX_IRQ	= 2,
	DEVTRACE_CTX_NMI	= 3,
};

/*
 * The longest payload of an event, including code, object and signal, in bytes. A payload larger
 * than a quarter of the ring is refused, too.
 */
#define DEVTRACE_PAYLOAD_MAX	4000

/* The longest frame before escaping: sequence, type, body, length, CRC-32. */
#define DEVTRACE_FRAME_MAX	(2 + 16 + DEVTRACE_PAYLOAD_MAX + 1 + 4)

/*
 * The length byte that ends every body, computed from the number n of bytes before it; it is never
 * 0. It shows an additional or missing byte of value 0, which the check sum8 does not notice.
 */
#define DEVTRACE_BODY_LEN(n)	((n) % 255 + 1)

/* Framing bytes. */
#define DEVTRACE_FLAG		0x7e
#define DEVTRACE_ESCAPE		0x7d
#define DEVTRACE_ESCAPE_XOR	0x20

enum devtrace_check {
	DEVTRACE_CHECK_SUM8	= 0,	/* one's complement of the sum, as in QP/Spy */
	DEVTRACE_CHECK_CRC16	= 1,	/* CRC-16/X-25, little-endian */
	DEVTRACE_CHECK_CRC32	= 2,	/* CRC-32 (IEEE 802.3), little-endian */
};

/* The cause of a loss, in a LOST frame. */
enum devtrace_cause {
	DEVTRACE_LOST_OVERWRITTEN = 0,	/* newer events took their place */
	DEVTRACE_LOST_CLEARED	= 1,	/* the buffer was cleared */
	DEVTRACE_LOST_BUSY	= 2,	/* ring full of unfinished events, or lane full */
	DEVTRACE_LOST_TOOBIG	= 3,	/* the event is larger than a quarter of the ring */
	DEVTRACE_LOST_NORING	= 4,	/* no ring for this CPU */
	DEVTRACE_LOST_STOPPED	= 5,	/* the stream was stopped */
	DEVTRACE_LOST_CAUSES	= 6,	/* number of causes with a counter */
	DEVTRACE_LOST_LANE	= 6,	/* a lane had invalid content */
	DEVTRACE_LOST_DAMAGED	= 7,	/* the black box: memory was damaged across the reset */
};

/* Groups of IMAGE frames: the name that a frame gives to an image. */
enum devtrace_image {
	DEVTRACE_IMAGE_BUILD_ID	= 0,	/* hexadecimal digits, or "-" */
	DEVTRACE_IMAGE_PATH	= 1,	/* of the file; of a kernel module its name */
	DEVTRACE_IMAGE_ADDRESS	= 2,	/* at which the image is loaded */
};

#define DEVTRACE_IMAGE_MAX	254	/* highest number; a process gives all further images 255 */

/* The state of a stream. */
enum devtrace_state {
	DEVTRACE_STATE_RUNNING	= 0,	/* events are stored */
	DEVTRACE_STATE_STOPPED	= 1,	/* no event is stored; stored events stay */
	DEVTRACE_STATE_FROZEN	= 2,	/* like stopped, and the buffer cannot be cleared */
};

/* The reason for an INFO frame. */
enum devtrace_reason {
	DEVTRACE_INFO_OPEN	= 0,	/* the stream begins here */
	DEVTRACE_INFO_PERIODIC	= 1,	/* repeated for readers that began later */
	DEVTRACE_INFO_SEEK	= 2,	/* the reader moved to another place */
	DEVTRACE_INFO_CHECK	= 3,	/* the check has changed */
	DEVTRACE_INFO_ANNOUNCE	= 4,	/* on request: everything known is sent again */
};

#define DEVTRACE_INFO_BIG_ENDIAN 0x01	/* byte order of the recording machine */
#define DEVTRACE_INFO_32BIT	0x02
#define DEVTRACE_INFO_BOOT_ID	0x04	/* boot_id is the kernel's */
#define DEVTRACE_INFO_COMPACT	0x08	/* a program made the stream compact later */

/* Bodies of frames, in the order of the wire. The length byte DEVTRACE_BODY_LEN() follows each. */

/**
 * struct devtrace_wire_event - body of an event frame
 * @flags: DEVTRACE_F_*
 * @severity: severity byte, 0 for none
 * @source: number of the CPU or lane that recorded the event
 * @tid: thread id in the initial pid namespace; in interrupt context the interrupted thread's
 * @ts: trace clock in nanoseconds
 *
 * The structure is followed by a u32 code (if DEVTRACE_F_CODE is set), a u16 object and a u16
 * signal (if DEVTRACE_F_OBJSIG is set), and the elements.
 */
struct devtrace_wire_event {
	__u8	flags;
	__u8	severity;
	__le16	source;
	__le32	tid;
	__le64	ts;
} __attribute__((packed));

/**
 * struct devtrace_wire_info - body of an INFO frame
 * @version: DEVTRACE_WIRE_VERSION
 * @check: enum devtrace_check of this frame and the following ones
 * @reason: enum devtrace_reason
 * @flags: DEVTRACE_INFO_*
 * @nr_sources: source numbers are below this number
 * @nr_cpus: source numbers below this number are CPUs, the others are lanes; 0: all are CPUs
 * @frames: number of frames before this one in this stream
 * @boot_id: with DEVTRACE_INFO_BOOT_ID, /proc/sys/kernel/random/boot_id with the bytes in the
 *	order of its digits; otherwise a random id, different for each load of the module
 *
 * The structure is followed by three NUL-terminated strings: machine, kernel release, stream name.
 */
struct devtrace_wire_info {
	__u8	version;
	__u8	check;
	__u8	reason;
	__u8	flags;
	__le16	nr_sources;
	__le16	nr_cpus;
	__le64	frames;
	__u8	boot_id[16];
} __attribute__((packed));

/* First byte of the body of an EMPTY frame that is not mere padding. */
#define DEVTRACE_EMPTY_LOAD	1
#define DEVTRACE_EMPTY_NOTE	2
#define DEVTRACE_EMPTY_ACCURACY	3
/* Name of the note that contains the number of the file, for recordings in several files. */
#define DEVTRACE_NOTE_FILE	"file"
/* Name of the note that says in words how exact the wall clock was. */
#define DEVTRACE_NOTE_CLOCK	"clock"

/**
 * struct devtrace_wire_load - body of the EMPTY frame that follows each INFO frame
 * @what: DEVTRACE_EMPTY_LOAD
 * @reserved: 0
 * @load: random number, not 0, that identifies this load of the module
 */
struct devtrace_wire_load {
	__u8	what;
	__u8	reserved[3];
	__le32	load;
} __attribute__((packed));

/**
 * struct devtrace_wire_note - body of an EMPTY frame that a program adds when it saves a stream
 * @what: DEVTRACE_EMPTY_NOTE
 * @reserved: 0
 *
 * The structure is followed by a name and its value, both NUL-terminated: information about the
 * saved stream. The frame always has CRC-32, whatever check the stream has, and sequence number 0.
 * Counters of frames do not count it.
 */
struct devtrace_wire_note {
	__u8	what;
	__u8	reserved[3];
} __attribute__((packed));

/**
 * struct devtrace_wire_accuracy - body of an EMPTY frame that says how exact the wall clock was
 * @what: DEVTRACE_EMPTY_ACCURACY
 * @reserved: 0
 *
 * The structure is followed by a NUL-terminated text of five words: time of the statement (trace
 * clock, ns), largest error and estimated error of the wall clock (ns), the status of adjtimex(2)
 * in hexadecimal, and the source, as in struct devtrace_accuracy.
 */
struct devtrace_wire_accuracy {
	__u8	what;
	__u8	reserved[3];
} __attribute__((packed));

/**
 * struct devtrace_wire_clock - body of a CLOCK frame: one instant, four clocks
 * @frames: number of frames before this one in this stream
 * @ts: trace clock, ns
 * @mono: CLOCK_MONOTONIC, ns
 * @boot: CLOCK_BOOTTIME, ns
 * @real: CLOCK_REALTIME, ns since 1970
 */
struct devtrace_wire_clock {
	__le64	frames;
	__le64	ts;
	__le64	mono;
	__le64	boot;
	__le64	real;
} __attribute__((packed));

/**
 * struct devtrace_wire_lost - body of a LOST frame
 * @source: the CPU or lane that lost the events
 * @cause: enum devtrace_cause
 * @reserved: 0
 * @count: exact number of lost events
 * @from: no lost event is older than this, trace clock ns; 0: not known
 * @to: no lost event is newer than this, trace clock ns
 */
struct devtrace_wire_lost {
	__le16	source;
	__u8	cause;
	__u8	reserved;
	__le64	count;
	__le64	from;
	__le64	to;
} __attribute__((packed));

/**
 * struct devtrace_wire_state - body of a STATE frame
 * @state: new state, enum devtrace_state
 * @trigger: 1: changed by a trigger; 0: by a command
 * @reserved: 0
 * @ts: time of the change, trace clock ns: events before this frame are older, later ones newer
 * @fired: time of the event that fired the trigger; 0 without a trigger
 *
 * The structure is followed by the name of the trigger, NUL-terminated; empty without one.
 */
struct devtrace_wire_state {
	__u8	state;
	__u8	trigger;
	__u8	reserved[6];
	__le64	ts;
	__le64	fired;
} __attribute__((packed));

/**
 * struct devtrace_wire_proc - body of a PROC frame
 * @tid: thread id
 * @tgid: process id
 * @since: trace clock when the kernel first saw this thread under this name, ns
 *
 * The structure is followed by the NUL-terminated name. It applies until the next PROC frame with
 * the same @tid.
 */
struct devtrace_wire_proc {
	__le32	tid;
	__le32	tgid;
	__le64	since;
} __attribute__((packed));

/**
 * struct devtrace_wire_dict - body of ENUM, SIG, OBJ, FUN, USR and IMAGE frames
 * @scope: id of the process to which the name belongs; 0: the kernel, and names for all
 * @value: ENUM: value; SIG: signal; USR: record type, or, from DEVTRACE_NAMED_FIRST on, the number
 *	of a type that is registered by name; IMAGE: number of the image; else 0
 * @group: ENUM: group 0-7; IMAGE: enum devtrace_image; else 0
 * @reserved: 0
 * @key: SIG: object, or 0 for all objects; OBJ: object; FUN: address; else 0
 *
 * The structure is followed by the NUL-terminated name.
 */
struct devtrace_wire_dict {
	__le32	scope;
	__le32	value;
	__u8	group;
	__u8	reserved[3];
	__le64	key;
} __attribute__((packed));

/**
 * struct devtrace_emit - an event that a program emits
 * @type: enum devtrace_type, but not a type of the transport or of kernel profile events; for
 *	DEVTRACE_T_NAMED the code is the number of the type
 * @severity: severity byte, 0 for none
 * @flags: bits of DEVTRACE_F_MASK_EMIT
 * @reserved: 0
 * @data: little-endian: u32 code if DEVTRACE_F_CODE, u16 object and u16 signal if
 *	DEVTRACE_F_OBJSIG, then the elements
 *
 * Argument of the ioctl DEVTRACE_IOC_EMIT(total size in bytes).
 */
__extension__ struct devtrace_emit {
	__u8	type;
	__u8	severity;
	__u8	flags;
	__u8	reserved;
	__u8	data[];
};

/**
 * devtrace_head_is_valid() - may a program emit an event with this header?
 * @flags: DEVTRACE_F_*
 * @severity: severity byte
 * @len: bytes of payload, including the code, object and signal if @flags announce them
 *
 * Decoders check the elements.
 *
 * Return: not 0 if flags and severity are valid and the payload has room for what @flags announce.
 */
static inline int devtrace_head_is_valid(unsigned int flags, unsigned int severity,
					 unsigned long len)
{
	const unsigned int need = (flags & DEVTRACE_F_CODE ? 4 : 0) +
				  (flags & DEVTRACE_F_OBJSIG ? 4 : 0);

	return (flags | DEVTRACE_F_MASK_EMIT) == DEVTRACE_F_MASK_EMIT && len >= need &&
	       devtrace_severity_is_valid(severity);
}

/*
 * Numbers of types that are registered by name: the number is the code of an event of the type
 * DEVTRACE_T_NAMED. The smaller numbers are event types, so that all types have different numbers.
 */
#define DEVTRACE_NAMED_FIRST	256
#define DEVTRACE_NAMED_LAST	65535

#define DEVTRACE_NAME_MAX	64	/* with the NUL */

/**
 * struct devtrace_dict - a name for the dictionary
 * @kind: DEVTRACE_T_SIG, _OBJ, _FUN, _USR, _ENUM or _IMAGE
 * @group: ENUM: 0-7; IMAGE: enum devtrace_image; else 0
 * @reserved: 0
 * @value: ENUM: 0-255; SIG: signal; USR: record type; IMAGE: 0-254; else 0
 * @key: SIG: object, or 0 for all objects; OBJ: object; FUN: address; else 0
 * @name: NUL-terminated, not empty
 */
struct devtrace_dict {
	__u8	kind;
	__u8	group;
	__u16	reserved;
	__u32	value;
	__u64	key;
	char	name[DEVTRACE_NAME_MAX];
};

/**
 * struct devtrace_type_name - register a type by name
 * @name: in: NUL-terminated, not empty
 * @number: out: DEVTRACE_NAMED_FIRST to DEVTRACE_NAMED_LAST
 * @reserved: 0
 *
 * The same name gives the same number to all programs and drivers until the module is removed, and
 * different names give different numbers. Errors: EDQUOT: the user has registered as many names as
 * one user may; ENOSPC: the table is full.
 */
struct devtrace_type_name {
	char	name[DEVTRACE_NAME_MAX];
	__u32	number;
	__u32	reserved;
};

/* Values of cpu in struct devtrace_stats: the events of all lanes; all events. */
#define DEVTRACE_STATS_LANES	(-2)
#define DEVTRACE_STATS_ALL	(-1)

/**
 * struct devtrace_stats - statistics of the events of one CPU, or of all events
 * @cpu: in: CPU number, or DEVTRACE_STATS_LANES or _ALL. Events of lanes are counted separately
 *	from those of CPUs, except filtered ones: they count for the CPU that took them
 * @nr_cpus: out: CPU numbers are below this number
 * @emitted: number of events emitted: stored, dropped or filtered
 * @stored: number of events written into the ring
 * @overwritten: number of stored events that newer ones have replaced
 * @dropped: number of events not stored, by enum devtrace_cause; the first two causes stay 0
 * @filtered: number of events that the filter refused
 * @size: bytes of ring
 * @used: bytes of ring that hold events
 * @now: trace clock when the values were read, ns
 */
struct devtrace_stats {
	__s32	cpu;
	__u32	nr_cpus;
	__u64	emitted;
	__u64	stored;
	__u64	overwritten;
	__u64	dropped[DEVTRACE_LOST_CAUSES];
	__u64	filtered;
	__u64	size;
	__u64	used;
	__u64	now;
};

/* The thread may make no system calls, so the kernel must take the lane's events by itself. */
#define DEVTRACE_LANE_NO_CALLS	0x1

/**
 * struct devtrace_lane_ask - request for a lane, see <linux/devtrace_lane.h>
 * @bytes: in: size, at most 262144, rounded up to a power of two and to pages; 0: the
 *	administrator's default. Out: actual size
 * @source: out: the source number of the lane's events
 * @flags: in: DEVTRACE_LANE_NO_CALLS
 * @reserved: 0
 */
struct devtrace_lane_ask {
	__u32	bytes;
	__u32	source;
	__u32	flags;
	__u32	reserved;
};

/* Where an id comes from: the caller's pid namespace, or an event. */
#define DEVTRACE_PID_OWN	0
#define DEVTRACE_PID_EVENT	1

/**
 * struct devtrace_pid - convert a thread id between the caller's pid namespace and events
 * @id: in: id of an existing thread or process. Out: the converted id
 * @of: in: DEVTRACE_PID_OWN or DEVTRACE_PID_EVENT: where @id comes from
 *
 * Events contain ids of the initial pid namespace; a program in a container sees other ids.
 */
struct devtrace_pid {
	__u32	id;
	__u32	of;
};

#define DEVTRACE_ACCURACY_MAX	999999999999ULL	/* largest error that can be stated, ns */
#define DEVTRACE_ACCURACY_UNSYNC	0x40	/* STA_UNSYNC of adjtimex(2) */

/**
 * struct devtrace_accuracy - statement about the error of the wall clock at this moment
 * @max: the error is not larger than this, ns; at most DEVTRACE_ACCURACY_MAX
 * @est: estimated error, ns; at most DEVTRACE_ACCURACY_MAX
 * @status: status of adjtimex(2), 16 bits; with DEVTRACE_ACCURACY_UNSYNC the clock is not
 *	synchronized, and the errors have no meaning
 * @source: what the clock is synchronized with, such as "ntp" or "ptp0": 1 to 11 lower-case
 *	letters, digits, '.' and '-', and a NUL
 */
struct devtrace_accuracy {
	__u64	max;
	__u64	est;
	__u32	status;
	char	source[12];
};

/* Emit an event, on any descriptor open for writing. The ioctl number contains the size. */
#define DEVTRACE_IOC_MAGIC	0xb7
#define DEVTRACE_IOC_EMIT(size)	_IOC(_IOC_WRITE, DEVTRACE_IOC_MAGIC, 0, (size))
/* Add a name to the dictionary; needs a descriptor open for writing. */
#define DEVTRACE_IOC_DICT	_IOW(DEVTRACE_IOC_MAGIC, 1, struct devtrace_dict)
/* Set enum devtrace_check for this reader; needs a descriptor open for reading. */
#define DEVTRACE_IOC_CHECK	_IOW(DEVTRACE_IOC_MAGIC, 2, __u32)
/* Clear the buffer: needs CAP_SYSLOG, CAP_SYS_ADMIN or CAP_PERFMON. */
#define DEVTRACE_IOC_CLEAR	_IO(DEVTRACE_IOC_MAGIC, 3)
/* Get statistics; needs a descriptor open for reading. */
#define DEVTRACE_IOC_STATS	_IOWR(DEVTRACE_IOC_MAGIC, 4, struct devtrace_stats)
/* Create the calling thread's lane; needs a descriptor open for writing, returns one for mmap(2) */
#define DEVTRACE_IOC_LANE	_IOWR(DEVTRACE_IOC_MAGIC, 6, struct devtrace_lane_ask)
/*
 * Take the full blocks of the calling thread's lane. The argument is the lane's source number.
 * Needs a descriptor open for writing.
 */
#define DEVTRACE_IOC_HAND	_IO(DEVTRACE_IOC_MAGIC, 7)
/*
 * Send the stream's description and dictionaries again, from the reader's position on. Needs a
 * descriptor open for reading. Returns the number of bytes that read(2) returns before them.
 */
#define DEVTRACE_IOC_ANNOUNCE	_IO(DEVTRACE_IOC_MAGIC, 8)
/* Convert a thread id; needs a descriptor open for reading. */
#define DEVTRACE_IOC_PID	_IOWR(DEVTRACE_IOC_MAGIC, 9, struct devtrace_pid)
/* State how exact the wall clock is now; needs a descriptor open for reading, and root. */
#define DEVTRACE_IOC_ACCURACY	_IOW(DEVTRACE_IOC_MAGIC, 10, struct devtrace_accuracy)
/* Register a type by name; needs a descriptor open for writing. */
#define DEVTRACE_IOC_TYPE	_IOWR(DEVTRACE_IOC_MAGIC, 11, struct devtrace_type_name)

/**
 * struct devtrace_counter - constants to compute CLOCK_MONOTONIC_RAW from the CPU's counter
 * @seq: 0: not possible; otherwise a different number for each set of constants
 * @mult: see below
 * @offset_lo: low half of the 128-bit offset
 * @offset_hi: high half of the 128-bit offset
 *
 * On x86-64, if @seq is not 0 and does not change while the constants are read::
 *
 *	raw = (tsc * mult + offset) >> 32	in 128 bits
 *
 * with the time-stamp counter read after an LFENCE instruction. The result equals the kernel's own
 * to the last bit. On other machines @seq is 0.
 */
struct devtrace_counter {
	__u64	seq;
	__u64	mult;
	__u64	offset_lo;
	__u64	offset_hi;
};

/**
 * struct devtrace_control - the control page, which mmap(2) maps read-only at offset 0
 * @version: DEVTRACE_WIRE_VERSION
 * @size: bytes of this structure that the kernel fills in
 * @types: bit n % 32 of word n / 32 is set if some stream, trigger or watch wants events of type n
 * @suspended: time that the machine spent suspended, ns: the trace clock is CLOCK_MONOTONIC_RAW
 *	plus this. A 32-bit program, which loads it in two halves, must check @suspends
 * @objects: like @types, for objects 0 to 255. An event about another object needs a system call
 * @severities: bit n is set if events with severity byte n are wanted
 * @suspends: odd while @suspended is being changed, and a different even number afterwards
 * @counter: constants to compute CLOCK_MONOTONIC_RAW without a system call
 * @lanes: like @types, for events that may be written to a lane. Other wanted events need a system
 *	call: a trigger wants them, stream 0 does not, or a stream that wants them is stopped
 * @severe: bit n is set if events with severity byte n need a system call, so that they survive a
 *	reset at once
 * @reserved: 0
 *
 * An event of a type whose bit is clear costs its program one load, one test and one branch.
 */
struct devtrace_control {
	__u32	version;
	__u32	size;
	__u32	types[8];
	__u64	suspended;
	__u32	objects[8];
	__u32	severities;
	__u32	suspends;
	struct devtrace_counter	counter;
	__u32	lanes[8];
	__u32	severe;
	__u32	reserved;
};

#endif /* _UAPI_LINUX_DEVTRACE_H */

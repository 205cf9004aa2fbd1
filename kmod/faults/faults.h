/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Report faults of the kernel and of programs as exceptions of type DEVTRACE_T_FAULT
 *
 * Each fault is one event with a severity and a code. The major code is the kind of the fault. A
 * probe reports a fault where the kernel detects it, in any context, even in an NMI. So the
 * functions that build the event take no lock and allocate nothing.
 *
 * While no filter wants the type, no source of faults is attached. The sources of one kind are all
 * attached, or none is. Kernel messages are faults, too, so the code that emits a fault prints no
 * message of a reported level: otherwise each fault would cause another one.
 */
#ifndef DEVTRACE_FAULTS_H
#define DEVTRACE_FAULTS_H

#include <linux/bits.h>
#include <linux/moduleparam.h>
#include <linux/types.h>
#include <linux/uidgid.h>
#include <linux/devtrace.h>

/* Kinds of faults, in the order of DEVTRACE_FAULT_* in the UAPI header. */
enum fault_kind {
	FAULT_PANIC,
	FAULT_OOPS,
	FAULT_HANG,
	FAULT_STALL,
	FAULT_REBOOT,
	FAULT_CONSOLE,
	FAULT_OOM,
	FAULT_MCE,
	FAULT_MEMORY,
	FAULT_BLOCK,
	FAULT_AER,
	FAULT_NET_DROP,
	FAULT_THERMAL,
	FAULT_SIGNAL,
	FAULT_NR
};

/**
 * struct fault_probe - a tracepoint that reports a fault
 * @kind: kind of the fault
 * @instead: attach only if the kernel lacks the tracepoint of the previous entry of the table
 * @tracepoint: name of the tracepoint
 * @probe: function to attach; NULL: this kernel has no such tracepoint, or its arguments
 *	are not known here
 */
struct fault_probe {
	u8		kind;
	bool		instead;
	const char	*tracepoint;
	void		*probe;
};

extern const struct fault_probe fault_probes[];
extern const unsigned int fault_probes_nr;

/* A source that is not a tracepoint. on() and off() may sleep. Nothing is reported after off(). */
struct fault_source {
	u8		kind;
	int (*on)(void);
	void (*off)(void);
};

extern const struct fault_source fault_sources[];
extern const unsigned int fault_sources_nr;

int fault_console_on(void);
void fault_console_off(void);
void fault_console_drain(void);
void fault_console_probe(void *data, const char *text, size_t len);

bool fault_tell_once(void);

bool fault_limit(kuid_t user);
void fault_limit_tell(void);
void fault_limit_init(void);
void fault_limit_on(void);
void fault_limit_off(void);

int faults_init(void);
/* Process context, devtrace_lock held. */
void faults_apply(bool want);

/* Functions of record.c: build the event of a fault. */
bool fault_begin(struct devtrace_record *r, u8 severity, u32 major, u8 minor);
__printf(2, 3)
void fault_put_text(struct devtrace_record *r, const char *fmt, ...);
void fault_put_function(struct devtrace_record *r, const void *address);
void fault_put_address(struct devtrace_record *r, unsigned long address);

/*
 * In the kernel's image, the parameters of this module are beside those of devtrace: on the command
 * line of the kernel, devtrace.profile= and devtrace.faults=.
 */
#if IS_BUILTIN(CONFIG_DEVTRACE_PROFILE)
#undef MODULE_PARAM_PREFIX
#define MODULE_PARAM_PREFIX	"devtrace."
#endif

#endif /* DEVTRACE_FAULTS_H */

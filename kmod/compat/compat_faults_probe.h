/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The probes of faults/probes.c, selected for the tracepoints of this kernel
 *
 * probes.c includes this once, after its functions. A probe is NULL, and its tracepoint is not
 * attached, if the header is missing or the arguments are unknown. So a change in a newer kernel
 * disables one kind of fault, and the module still builds. compat_trace.h says how the arguments
 * are checked.
 */
#ifndef DEVTRACE_COMPAT_FAULTS_PROBE_H
#define DEVTRACE_COMPAT_FAULTS_PROBE_H

#include <linux/thermal.h>
#include <linux/version.h>

#include "compat_trace_both.h"

#include <trace/events/printk.h>
#include <trace/events/rcu.h>
#include <trace/events/sched.h>
#include <trace/events/signal.h>
#include <trace/events/skb.h>
#ifdef CONFIG_RAS
#include <ras/ras_event.h>
/* sparse does not know __has_include(). */
#ifndef __CHECKER__
#if __has_include(<trace/events/memory-failure.h>)
#undef TRACE_INCLUDE_FILE	/* ras_event.h has defined it */
#include <trace/events/memory-failure.h>
#endif
#endif
#endif
#ifdef CONFIG_X86_MCE
#include <asm/mce.h>
#include <trace/events/mce.h>
#endif
#ifndef __CHECKER__
#if __has_include(<trace/events/thermal.h>)
#include <trace/events/thermal.h>
#define COMPAT_HAS_THERMAL
#endif
#endif

/* The probe if it has the right type for the tracepoint, otherwise NULL. */
#define compat_if(tracepoint, probe)					\
	_Generic(&check_trace_callback_type_##tracepoint,		\
		 void (*)(typeof(&(probe))): (probe),			\
		 default: NULL)

#define probe_signal	compat_if(signal_deliver, on_signal)

#ifdef CONFIG_DETECT_HUNG_TASK
#define probe_hang	compat_if(sched_process_hang, on_hang)
#else
#define probe_hang	NULL
#endif

/* 5.10 does not have this tracepoint. */
#if LINUX_VERSION_CODE < KERNEL_VERSION(5, 15, 0)
#define probe_stall	NULL
#elif defined(CONFIG_TREE_RCU)
#define probe_stall	compat_if(rcu_stall_warning, on_stall)
#else
#define probe_stall	NULL
#endif

/* 5.10 with PREEMPT_RT still has the tracepoint, but its printk does not call it. */
#if LINUX_VERSION_CODE < KERNEL_VERSION(5, 11, 0) && defined(CONFIG_PREEMPT_RT)
#define probe_console	NULL
#else
#define probe_console	compat_if(console, fault_console_probe)
#endif

/* Since 6.13 the struct mce is inside a struct mce_hw_err. */
#ifdef CONFIG_X86_MCE
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 13, 0)
static void on_mce(void *data, struct mce_hw_err *err)
{
	mce_record(&err->m);
}
#else
static void on_mce(void *data, struct mce *m)
{
	mce_record(m);
}
#endif
#define probe_mce	compat_if(mce_record, on_mce)
#else
#define probe_mce	NULL
#endif

#ifdef CONFIG_RAS
#define probe_mc_event		compat_if(mc_event, on_mc_event)
#define probe_non_standard	compat_if(non_standard_event, on_non_standard)
#else
#define probe_mc_event		NULL
#define probe_non_standard	NULL
#endif

#if defined(CONFIG_RAS) && defined(CONFIG_MEMORY_FAILURE)
#define probe_memory_failure	compat_if(memory_failure_event, on_memory_failure)
#else
#define probe_memory_failure	NULL
#endif

/* on_aer() does not use the logged packet header, whose type depends on the kernel. */
struct aer_header_log_regs;
struct pcie_tlp_log;

static void __maybe_unused on_aer(void *data, const char *dev, const u32 status,
				  const u8 severity, const u8 valid, struct pcie_tlp_log *tlp)
{
	aer_event(dev, status, severity);
}

static void __maybe_unused compat_aer(void *data, const char *dev, const u32 status,
				      const u8 severity, const u8 valid,
				      struct aer_header_log_regs *tlp)
{
	aer_event(dev, status, severity);
}

#ifdef CONFIG_RAS
#define probe_aer							\
	_Generic(&check_trace_callback_type_aer_event,			\
		 void (*)(typeof(&on_aer)): on_aer,			\
		 void (*)(typeof(&compat_aer)): compat_aer,		\
		 default: NULL)
#else
#define probe_aer	NULL
#endif

/*
 * The tracepoint kfree_skb has the argument reason since 5.17. Since 6.11 it also has the socket,
 * which is const in later kernels.
 */
static void __maybe_unused compat_net_drop(void *data, struct sk_buff *skb, void *where)
{
	net_drop(0, where);
}

#if LINUX_VERSION_CODE >= KERNEL_VERSION(5, 17, 0)
static void __maybe_unused compat_net_drop_why(void *data, struct sk_buff *skb, void *where,
					       enum skb_drop_reason reason)
{
	net_drop(reason, where);
}

static void __maybe_unused compat_net_drop_sock(void *data, struct sk_buff *skb, void *where,
						enum skb_drop_reason reason, struct sock *sk)
{
	net_drop(reason, where);
}

static void __maybe_unused on_net_drop(void *data, struct sk_buff *skb, void *where,
				       enum skb_drop_reason reason, const struct sock *sk)
{
	net_drop(reason, where);
}

#define probe_net_drop							\
	_Generic(&check_trace_callback_type_kfree_skb,			\
		 void (*)(typeof(&on_net_drop)): on_net_drop,		\
		 void (*)(typeof(&compat_net_drop_sock)): compat_net_drop_sock, \
		 void (*)(typeof(&compat_net_drop_why)): compat_net_drop_why, \
		 void (*)(typeof(&compat_net_drop)): compat_net_drop,	\
		 default: NULL)
#else
#define probe_net_drop	compat_if(kfree_skb, compat_net_drop)
#endif

/*
 * Since 6.7, modules cannot include the header of this tracepoint; the probe's arguments are the
 * same.
 */
#if !IS_ENABLED(CONFIG_THERMAL)
#define probe_thermal	NULL
#elif defined(COMPAT_HAS_THERMAL)
#define probe_thermal	compat_if(thermal_zone_trip, on_thermal)
#else
#define probe_thermal	on_thermal
#endif

#endif /* DEVTRACE_COMPAT_FAULTS_PROBE_H */

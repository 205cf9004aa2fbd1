/* SPDX-License-Identifier: GPL-2.0-only */
/* Differences between kernels for faults: log, irq_work, thermal zones, dropped packets */
#ifndef DEVTRACE_COMPAT_FAULTS_H
#define DEVTRACE_COMPAT_FAULTS_H

#include <linux/irq_work.h>
#include <linux/kernel.h>
#include <linux/kmsg_dump.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/skbuff.h>
#include <linux/thermal.h>
#include <linux/version.h>
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 0, 0)
#include <net/dropreason.h>
#endif

/* Read position in the kernel's log. 5.10 with PREEMPT_RT has an iterator of another name. */
struct compat_log {
#if LINUX_VERSION_CODE >= KERNEL_VERSION(5, 13, 0)
	struct kmsg_dump_iter iter;
#elif defined(CONFIG_PREEMPT_RT)
	struct kmsg_dumper_iter iter;
#else
	struct kmsg_dumper iter;
#endif
};

static inline void compat_log_end(struct compat_log *log)
{
#if LINUX_VERSION_CODE < KERNEL_VERSION(5, 13, 0)
	log->iter.active = true;
#endif
	kmsg_dump_rewind(&log->iter);
	log->iter.cur_seq = log->iter.next_seq;
}

static inline bool compat_log_line(struct compat_log *log, char *buf, size_t size, size_t *len)
{
	return kmsg_dump_get_line(&log->iter, true, buf, size, len);
}

/* Initialise an irq_work whose function runs in a hard interrupt even with PREEMPT_RT. */
static inline void compat_irq_work_init_hard(struct irq_work *work,
					     void (*func)(struct irq_work *work))
{
#ifdef IRQ_WORK_INIT_HARD
	*work = IRQ_WORK_INIT_HARD(func);
#else
	init_irq_work(work, func);
	atomic_set(&work->flags, IRQ_WORK_HARD_IRQ);
#endif
}

/* Since 6.4, vhost has kernel threads in user processes, with a flag of their own. */
#ifndef PF_USER_WORKER
#define PF_USER_WORKER	PF_IO_WORKER
#endif

/* Since 6.4, the type of a thermal zone is read with a function. */
static inline const char *compat_thermal_type(struct thermal_zone_device *tz)
{
#if !IS_ENABLED(CONFIG_THERMAL)
	return "";
#elif LINUX_VERSION_CODE >= KERNEL_VERSION(6, 4, 0)
	return thermal_zone_device_type(tz);
#else
	return tz->type;
#endif
}

/*
 * Return the kernel's word for the reason of a dropped packet, or NULL if the kernel has no word.
 * Kernels before 6.0 have no words that a module can read. Since 6.4 a module such as openvswitch
 * can have reasons of its own, so call this function in an RCU read-side section, which keeps the
 * word valid.
 */
static inline const char *compat_drop_word(unsigned int reason)
{
#if !IS_ENABLED(CONFIG_NET)
	return NULL;
#elif LINUX_VERSION_CODE < KERNEL_VERSION(6, 0, 0)
	return NULL;
#elif LINUX_VERSION_CODE < KERNEL_VERSION(6, 4, 0)
	return reason < SKB_DROP_REASON_MAX ? drop_reasons[reason] : NULL;
#else
	const unsigned int owner = reason >> SKB_DROP_REASON_SUBSYS_SHIFT;
	const unsigned int i = reason & ~SKB_DROP_REASON_SUBSYS_MASK;
	const struct drop_reason_list *list = NULL;

	if (owner < SKB_DROP_REASON_SUBSYS_NUM)
		list = rcu_dereference(drop_reasons_by_subsys[owner]);
	return list && i < list->n_reasons ? list->reasons[i] : NULL;
#endif
}

#endif /* DEVTRACE_COMPAT_FAULTS_H */

/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Differences between kernels from 5.10 on
 *
 * The rest of the module is written for the newest kernel. This header and the others of
 * this folder replace functions that an older kernel lacks or has under another name.
 */
#ifndef DEVTRACE_COMPAT_H
#define DEVTRACE_COMPAT_H

#include <linux/device.h>
#include <linux/freezer.h>
#include <linux/hrtimer.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/pagemap.h>
#include <linux/preempt.h>
#include <linux/sched.h>
#include <linux/splice.h>
#include <linux/version.h>
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 17, 0)
#include <linux/pfn_t.h>
#endif

/* in_hardirq() came in 5.11, and is in 5.10 with PREEMPT_RT. */
#ifndef in_hardirq
#define in_hardirq()	in_irq()
#endif

/* vm_operations_struct.may_split was named split before 5.11. */
#if LINUX_VERSION_CODE < KERNEL_VERSION(5, 11, 0)
#define compat_may_split	split
#else
#define compat_may_split	may_split
#endif

/* device_type.devnode() took a non-const device before 6.2. */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 2, 0)
#define compat_devnode_device	struct device
#else
#define compat_devnode_device	const struct device
#endif

static inline struct class *compat_class_create(const char *name)
{
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 4, 0)
	return class_create(THIS_MODULE, name);
#else
	return class_create(name);
#endif
}

static inline void compat_vm_flags(struct vm_area_struct *vma,
				   unsigned long set, unsigned long clear)
{
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 3, 0)
	vma->vm_flags = (vma->vm_flags | set) & ~clear;
#else
	vm_flags_mod(vma, set, clear);
#endif
}

/* Map a page without struct page into a VMA with mixed pages. pfn_t was removed in 6.17. */
static inline vm_fault_t compat_insert_pfn(struct vm_area_struct *vma, unsigned long addr,
					   unsigned long pfn)
{
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 17, 0)
	return vmf_insert_mixed(vma, addr, __pfn_to_pfn_t(pfn, PFN_DEV));
#else
	return vmf_insert_mixed(vma, addr, pfn);
#endif
}

static inline void compat_hrtimer_setup(struct hrtimer *t,
					enum hrtimer_restart (*fn)(struct hrtimer *),
					clockid_t clock, enum hrtimer_mode mode)
{
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 13, 0)
	hrtimer_init(t, clock, mode);
	t->function = fn;
#else
	hrtimer_setup(t, fn, clock, mode);
#endif
}

/* Is a thread runnable? */
static inline bool compat_task_runs(const struct task_struct *task)
{
#if LINUX_VERSION_CODE < KERNEL_VERSION(5, 14, 0)
	return READ_ONCE(task->state) == TASK_RUNNING;
#else
	return READ_ONCE(task->__state) == TASK_RUNNING;
#endif
}

/* Is a thread in an interruptible sleep, and off the CPU until it is woken? */
static inline bool compat_task_sleeps(const struct task_struct *task)
{
#if LINUX_VERSION_CODE < KERNEL_VERSION(5, 14, 0)
	return READ_ONCE(task->state) & TASK_INTERRUPTIBLE && !READ_ONCE(task->on_rq);
#else
	return READ_ONCE(task->__state) & TASK_INTERRUPTIBLE && !READ_ONCE(task->on_rq);
#endif
}

/* Sleep until a time or a fatal signal, without holding up suspend. TASK_FREEZABLE came in 6.1. */
static inline void compat_sleep_killable(ktime_t *until)
{
#ifdef TASK_FREEZABLE
	set_current_state(TASK_KILLABLE | TASK_FREEZABLE);
	schedule_hrtimeout(until, HRTIMER_MODE_ABS);
#else
	freezer_do_not_count();
	set_current_state(TASK_KILLABLE);
	schedule_hrtimeout(until, HRTIMER_MODE_ABS);
	freezer_count();
#endif
}

/* Fault in user memory. Return the number of bytes that were not faulted in. */
static inline size_t compat_fault_in_readable(const void __user *p, size_t n)
{
#if LINUX_VERSION_CODE < KERNEL_VERSION(5, 16, 0)
	return fault_in_pages_readable(p, n) ? n : 0;
#else
	return fault_in_readable(p, n);
#endif
}

/* Both functions implement splice(2) with read_iter(). */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 5, 0)
#define compat_splice_read	generic_file_splice_read
#else
#define compat_splice_read	copy_splice_read
#endif

/* The header moved from asm/ to linux/ in 6.12. */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 12, 0)
#include <asm/unaligned.h>
#else
#include <linux/unaligned.h>
#endif

/* unsafe_memcpy() came in 5.17. */
#ifndef unsafe_memcpy
#define unsafe_memcpy(to, from, n, why)	memcpy(to, from, n)
#endif

/* A local variable that a kernel with CONFIG_INIT_STACK_ALL_* does not fill in advance. */
#if __has_attribute(__uninitialized__)
#define COMPAT_UNINITIALIZED	__attribute__((__uninitialized__))
#else
#define COMPAT_UNINITIALIZED
#endif

#endif /* DEVTRACE_COMPAT_H */

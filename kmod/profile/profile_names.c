// SPDX-License-Identifier: GPL-2.0-only
/*
 * Names for the functions and system calls in kernel profile events
 *
 * An event has the number of a system call or the address of a function. Probes run in contexts
 * where a symbol cannot be looked up. So a probe only marks each new number or address, and a work
 * item adds its name to the dictionary. Both tables are bounded: a function for which there is no
 * free place gets no name.
 */
#include <linux/atomic.h>
#include <linux/bitmap.h>
#include <linux/bits.h>
#include <linux/hash.h>
#include <linux/irq_work.h>
#include <linux/kallsyms.h>
#include <linux/module.h>
#include <linux/notifier.h>
#include <linux/string.h>
#include <linux/workqueue.h>

#include "profile.h"
#include "profile_names.h"

#define FUN_BITS	10
#define FUNS		BIT(FUN_BITS)
/* Number of places in funs[], one after the other, where an address may be stored. */
#define FUN_WAYS	8
/* Content of a place that was freed because a module was unloaded; a search does not stop here. */
#define FUN_GONE	1UL

#define SYSCALLS	512
/* Number of system calls that only arm has; their bits are the last ones of each half. */
#define ARM_CALLS	16

static unsigned long funs[FUNS + FUN_WAYS];
static DECLARE_BITMAP(funs_named, FUNS + FUN_WAYS);
static DECLARE_BITMAP(calls, 2 * SYSCALLS);
static DECLARE_BITMAP(calls_named, 2 * SYSCALLS);
static struct irq_work names_soon;

/* The names of system calls, ordered by number, each with its NUL; "": no such call */
static const char native_calls[] =
#include "syscalls_native.inc"
;

static const char compat_calls[] =
#include "syscalls_compat.inc"
;

static const char *call_name(const char *names, size_t size, unsigned int nr)
{
	const char *s = names;

	while (nr-- && s < names + size)
		s += strlen(s) + 1;
	return s < names + size && *s ? s : NULL;
}

static void name_call(unsigned int nr, bool compat)
{
	static const char arm_calls[] =
		"\0breakpoint\0cacheflush\0usr26\0usr32\0set_tls\0get_tls";
	unsigned long object = compat ? DEVTRACE_OBJ_COMPAT : DEVTRACE_OBJ_SYSCALL;
	const char *name;

	if (nr >= SYSCALLS - ARM_CALLS) {
		nr -= SYSCALLS - ARM_CALLS;
		name = call_name(arm_calls, sizeof(arm_calls), nr);
		nr += PROFILE_ARM_CALLS;
	} else if (compat) {
		name = call_name(compat_calls, sizeof(compat_calls), nr);
	} else {
		name = call_name(native_calls, sizeof(native_calls), nr);
	}
	if (name)
		devtrace_name_sig(nr, (void *)object, name);
}

static void name_calls(void)
{
	unsigned int i;

	for_each_set_bit(i, calls, 2 * SYSCALLS)
		if (!__test_and_set_bit(i, calls_named))
			name_call(i % SYSCALLS, i >= SYSCALLS);
}

static void name_funs(void)
{
	static char sym[KSYM_SYMBOL_LEN];
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(funs); i++) {
		const unsigned long fun = READ_ONCE(funs[i]);

		if (!fun || fun == FUN_GONE || test_and_set_bit(i, funs_named))
			continue;
		sprint_symbol_no_offset(sym, fun);
		/* Without a symbol, sprint_symbol_no_offset() prints the address: skip it. */
		if (strstarts(sym, "0x"))
			continue;
		sym[DEVTRACE_NAME_MAX - 1] = 0;
		devtrace_name_fun((void *)fun, sym);
	}
}

static void names_work_fn(struct work_struct *w)
{
	name_calls();
	name_funs();
}

static DECLARE_WORK(names_work, names_work_fn);

static void names_soon_fn(struct irq_work *w)
{
	schedule_work(&names_work);
}

static noinline void fun_new(unsigned long fun, unsigned long *first)
{
	unsigned int i;

	for (i = 0; i < FUN_WAYS; i++) {
		unsigned long old = READ_ONCE(first[i]);

		if (old == fun)
			return;
		if (old && old != FUN_GONE)
			continue;
		if (cmpxchg(&first[i], old, fun) == old) {
			irq_work_queue(&names_soon);
			return;
		}
	}
}

/* Note that the address @fun is in an event. NULL is ignored. Any context, NMI included. */
void profile_seen_fun(const void *fun)
{
	unsigned long *first = &funs[hash_ptr(fun, FUN_BITS)];

	if (unlikely(READ_ONCE(*first) != (unsigned long)fun) && fun)
		fun_new((unsigned long)fun, first);
}

/**
 * profile_seen_syscall() - note that the number of a system call is in an event
 * @compat: 1: called by a 32-bit program on a 64-bit kernel; otherwise 0
 * @nr: number of the call, as in the event's signal
 *
 * Context: any.
 */
void profile_seen_syscall(unsigned int compat, unsigned int nr)
{
	if (IS_ENABLED(CONFIG_ARM) && nr >= PROFILE_ARM_CALLS)
		nr -= PROFILE_ARM_CALLS - (SYSCALLS - ARM_CALLS);
	if (likely(nr < SYSCALLS)) {
		nr += compat * SYSCALLS;
		if (unlikely(!test_bit(nr, calls)) && !test_and_set_bit(nr, calls))
			irq_work_queue(&names_soon);
	}
}

#ifdef CONFIG_MODULES
/* Forget the functions of a module: another module may reuse its addresses. */
static int module_gone(struct notifier_block *nb, unsigned long what, void *arg)
{
	struct module *mod = arg;
	unsigned int i;

	if (what != MODULE_STATE_GOING)
		return NOTIFY_DONE;
	for (i = 0; i < ARRAY_SIZE(funs); i++) {
		const unsigned long fun = READ_ONCE(funs[i]);

		if (fun > FUN_GONE && within_module(fun, mod)) {
			WRITE_ONCE(funs[i], FUN_GONE);
			clear_bit(i, funs_named);
		}
	}
	return NOTIFY_DONE;
}
#else
static int module_gone(struct notifier_block *nb, unsigned long what, void *arg)
{
	return NOTIFY_DONE;
}
#endif

static struct notifier_block module_nb = { .notifier_call = module_gone };

int profile_names_init(void)
{
	init_irq_work(&names_soon, names_soon_fn);
	return register_module_notifier(&module_nb);
}

/* Called when no probe runs any more. */
void profile_names_exit(void)
{
	unregister_module_notifier(&module_nb);
	irq_work_sync(&names_soon);
	cancel_work_sync(&names_work);
}

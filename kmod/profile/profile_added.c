// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tracepoints added by name
 *
 * Any trace event that the kernel describes, even of a module or of a single system call, can
 * become one of the event types 176 to 190. profile_desc.c reads the kernel's own description of
 * the event, which tracefs also prints. While a tracepoint is added, neither its module nor this
 * one can be unloaded: only this module knows which tracepoints were added.
 *
 * The records come from perf: a counter on each CPU, without a buffer, calls event_fn() for each
 * record. A probe on the tracepoint would get the arguments of the tracepoint, not its fields: only
 * the kernel's own function computes the fields, for ftrace or for perf. ftrace would first store
 * them in a buffer that nobody reads. perf also prevents recursion: it does not pass on a trace
 * event that event_fn() causes.
 *
 * A work item creates the counters of a CPU that comes online, because this takes locks whose
 * holders may wait for the end of the hotplug operation. So the first events of that CPU are
 * missed.
 *
 * Lock order: devtrace_lock (if held), added_lock, perf's locks.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/cpuhotplug.h>
#include <linux/cpumask.h>
#include <linux/err.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/perf_event.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/trace_events.h>
#include <linux/workqueue.h>

#include "profile.h"
#include "profile_added.h"
#include "profile_desc.h"
#include "profile_names.h"
#include "stream/table.h"

#if defined(CONFIG_PERF_EVENTS) && defined(CONFIG_EVENT_TRACING)

#ifdef CONFIG_FTRACE_SYSCALLS
#include <trace/syscall.h>
#endif

/**
 * struct added - a tracepoint added by name
 * @type: its event type
 * @file: the kernel's object for it, with a reference to the tracepoint's module
 * @counters: perf counters, by CPU; NULL: not attached
 * @desc: description of its records
 */
struct added {
	u8			type;
	struct trace_event_file	*file;
	struct perf_event	**counters;
	struct desc		desc;
};

/**
 * struct place - one of the types 176 to 190
 * @added: the tracepoint that has it; NULL: the place is free
 * @name: name of the tracepoint; kept while the place is free, as old events may still be read
 * @freed: value of the variable freed when the place became free; 0: the place was never used
 */
struct place {
	struct added	*added;
	char		name[DEVTRACE_NAME_MAX];
	unsigned int	freed;
};

/* Protected by devtrace_lock. Code that writes .added or its counters holds added_lock, too. */
static struct place places[PROFILE_ADDED_NR];
static unsigned int freed;

static DEFINE_MUTEX(added_lock);
static struct cpumask came;
static int cpuhp_state;

/* Context: any, preemption off. */
static void event_fn(struct perf_event *event, struct perf_sample_data *data,
		     struct pt_regs *regs)
{
	const struct added *a = event->overflow_handler_context;
	const struct perf_raw_record *raw = data->raw;
	struct desc_sizes s;
	void *p;

	if (!raw || !devtrace_enabled(a->type))
		return;
	desc_measure(&a->desc, raw->frag.data, raw->frag.size, &s);
	p = __devtrace_reserve(a->type, s.addresses ? __DEVTRACE_PTR : 0, s.total);
	if (p) {
		desc_store(&a->desc, raw->frag.data, &s, p, profile_seen_fun);
		__devtrace_commit();
	}
}

static void counter_release(struct added *a, unsigned int cpu)
{
	if (a->counters[cpu])
		perf_event_release_kernel(a->counters[cpu]);
	a->counters[cpu] = NULL;
}

/* Create the counter of a CPU. Return 0 even if the CPU is offline: then it needs no counter. */
static int counter_make(struct added *a, unsigned int cpu)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_TRACEPOINT,
		.size = sizeof(attr),
		.config = a->file->event_call->event.type,
		.sample_period = 1,
		.sample_type = PERF_SAMPLE_RAW,
	};
	struct perf_event *event;

	event = perf_event_create_kernel_counter(&attr, cpu, NULL, event_fn, a);
	if (IS_ERR(event))
		return PTR_ERR(event) == -ENODEV ? 0 : PTR_ERR(event);
	a->counters[cpu] = event;
	return 0;
}

static void counters_release(struct added *a)
{
	unsigned int cpu;

	for_each_possible_cpu(cpu)
		counter_release(a, cpu);
	kfree(a->counters);
	a->counters = NULL;
}

static int counters_make(struct added *a)
{
	unsigned int cpu;
	int err;

	a->counters = kcalloc(nr_cpu_ids, sizeof(*a->counters), GFP_KERNEL);
	if (!a->counters)
		return -ENOMEM;
	for_each_online_cpu(cpu) {
		err = counter_make(a, cpu);
		if (err) {
			counters_release(a);
			return err;
		}
	}
	return 0;
}

static void cpus_came(struct work_struct *w)
{
	unsigned int cpu, i;

	mutex_lock(&added_lock);
	for_each_cpu(cpu, &came) {
		cpumask_clear_cpu(cpu, &came);
		for (i = 0; i < PROFILE_ADDED_NR; i++) {
			struct added *a = places[i].added;

			if (!a || !a->counters)
				continue;
			/* The old counter stopped for good when the CPU went offline. */
			counter_release(a, cpu);
			if (counter_make(a, cpu))
				pr_warn_once("no counter on CPU %u\n", cpu);
		}
	}
	mutex_unlock(&added_lock);
}

static DECLARE_WORK(cpus_work, cpus_came);

static int cpu_came(unsigned int cpu)
{
	cpumask_set_cpu(cpu, &came);
	schedule_work(&cpus_work);
	return 0;
}

/* Describe the arguments of a system call, for which the kernel has no table of fields. */
static bool describe_syscall(struct desc *d, const struct trace_event_call *call)
{
#ifdef CONFIG_FTRACE_SYSCALLS
	const struct syscall_metadata *m = call->data;
	unsigned int i, offset = ALIGN(sizeof(struct trace_entry) + sizeof(int), sizeof(long));
	static const char *const ints[] = { "int", "pid_t", "key_serial_t", NULL };
	static const char *const uints[] = {
		"unsigned int", "unsigned", "uid_t", "gid_t", "umode_t", "u32", NULL
	};
	static const char *const longs[] = { "long", "off_t", "loff_t", "ssize_t", NULL };

	if (strcmp(call->class->system, "syscalls") || !m)
		return false;
	for (i = 0; i < m->nb_args; i++, offset += sizeof(long)) {
		const char *type = m->types[i];
		bool is_int = match_string(ints, -1, type) >= 0;
		bool is_short = is_int || match_string(uints, -1, type) >= 0;
		/* Read only the int: the rest of the register may have any content. */
		unsigned int at = is_short && IS_ENABLED(CONFIG_CPU_BIG_ENDIAN) ?
				  sizeof(long) - sizeof(int) : 0;

		if (!desc_add(d, type, m->args[i], offset + at,
			      is_short ? sizeof(int) : sizeof(long),
			      is_int || match_string(longs, -1, type) >= 0))
			break;
	}
	return true;
#else
	return false;
#endif
}

/* Describe the fields of an event, which are laid out like the members of a structure. */
static bool describe_event(struct desc *d, const struct trace_event_call *call)
{
	const struct trace_event_fields *f = call->class->fields_array;
	unsigned int offset = sizeof(struct trace_entry);

	d->machine = (struct desc_machine){
		.size = sizeof(long),
		.shared = !IS_ENABLED(CONFIG_ARCH_HAS_NON_OVERLAPPING_ADDRESS_SPACE),
#ifndef CONFIG_64BIT
		.first = TASK_SIZE,
#endif
	};
	for (; f && f->type; f++) {
		if (f->type == TRACE_FUNCTION_TYPE)
			return describe_syscall(d, call);
		offset = ALIGN(offset, f->align);
		if (!desc_add(d, f->type, f->name, offset, f->size, f->is_signed))
			break;
		offset += f->size;
	}
	return true;
}

/* Are the records of an event laid out as the kernel describes them? */
static bool is_describable(const struct trace_event_call *call)
{
	/* An event class with get_fields() has no table of fields. */
	return (call->flags & TRACE_EVENT_FL_TRACEPOINT && !call->class->get_fields) ||
	       !strcmp(call->class->system, "syscalls");
}

static int added_refuse(const char **why, int err, const char *text)
{
	*why = text;
	return err;
}

static struct trace_event_file *file_get(const char *name, const char **why)
{
	char copy[DEVTRACE_NAME_MAX], *event = copy, *system;
	struct trace_event_file *file;

	if (strscpy(copy, name, sizeof(copy)) < 0)
		return ERR_PTR(added_refuse(why, -EINVAL, "tracepoint has more than 63 bytes"));
	system = strsep(&event, ":");
	if (!event || !*event || !*system)
		return ERR_PTR(added_refuse(why, -EINVAL,
				"tracepoint must be SYSTEM:EVENT, such as block:block_rq_issue"));
	file = trace_get_event_file(NULL, system, event);
	if (!IS_ERR(file))
		return file;
	if (PTR_ERR(file) == -EBUSY)
		return ERR_PTR(added_refuse(why, -EBUSY,
				"tracepoint belongs to a module that is being removed"));
	added_refuse(why, -ENOENT,
		     "tracepoint is not known to this kernel, or its module is not loaded: /sys/kernel/tracing/available_events lists the known ones");
	return ERR_PTR(-ENOENT);
}

/*
 * Return the free place that had this name last; otherwise the place that has been free for
 * longest; NULL: no place is free.
 */
static struct place *place_find(const char *name)
{
	struct place *best = NULL, *p;

	for (p = places; p < places + PROFILE_ADDED_NR; p++) {
		if (p->added)
			continue;
		if (!strcmp(p->name, name))
			return p;
		if (!best || p->freed < best->freed)
			best = p;
	}
	return best;
}

static int added_add(struct place *p, const char *name, struct trace_event_file *file,
		     const char **why)
{
	struct added *a;
	int err;

	if (!is_describable(file->event_call))
		return added_refuse(why, -EOPNOTSUPP,
				    "tracepoint was made at run time, or is not a tracepoint: add one that the kernel or a module defines");
	if (!try_module_get(THIS_MODULE))
		return added_refuse(why, -EBUSY, "the module devtrace_profile is being removed");
	a = kzalloc(sizeof(*a), GFP_KERNEL);
	if (!a) {
		module_put(THIS_MODULE);
		return -ENOMEM;
	}
	a->type = PROFILE_ADDED_FIRST + (p - places);
	a->file = file;
	if (!describe_event(&a->desc, file->event_call))
		err = added_refuse(why, -EOPNOTSUPP,
				   "tracepoint has fields whose description a module cannot read");
	else
		err = devtrace_name_type(a->type, name);
	if (err == -ENOSPC)
		added_refuse(why, err,
			     "tracepoint needs a name, but the table of names is full: load devtrace with a larger names=");
	if (err) {
		kfree(a);
		module_put(THIS_MODULE);
		return err;
	}
	strscpy(p->name, name, sizeof(p->name));
	mutex_lock(&added_lock);
	p->added = a;
	mutex_unlock(&added_lock);
	return a->type;
}

/**
 * profile_add() - make a tracepoint an event type
 * @name: SYSTEM:EVENT
 * @why: on error the reason, a static string; NULL: out of memory
 *
 * The type is not attached yet.
 *
 * Context: process; may sleep; devtrace_lock held.
 * Return: the type; -EINVAL if @name is not of this form, -ENOENT if there is no such
 *	tracepoint, -EEXIST if it is added already, -ENOSPC if all types are taken or there is
 *	no room for the name, -EBUSY if a module is being removed, -EOPNOTSUPP if the tracepoint
 *	has no usable description, or -ENOMEM.
 */
int profile_add(const char *name, const char **why)
{
	struct trace_event_file *file;
	struct place *p;
	int ret;

	lockdep_assert_held(&devtrace_lock);
	*why = NULL;
	if (profile_added_find(name) >= 0)
		return added_refuse(why, -EEXIST, "tracepoint is added already");
	file = file_get(name, why);
	if (IS_ERR(file))
		return PTR_ERR(file);
	p = place_find(name);
	if (p)
		ret = added_add(p, name, file, why);
	else
		ret = added_refuse(why, -ENOSPC,
				   "tracepoint is one too many: 15 are added already; delete one of them");
	if (ret < 0)
		trace_put_event_file(file);
	return ret;
}

static struct place *place_of(unsigned int type)
{
	lockdep_assert_held(&devtrace_lock);
	if (type < PROFILE_ADDED_FIRST || type > PROFILE_ADDED_LAST ||
	    !places[type - PROFILE_ADDED_FIRST].added)
		return NULL;
	return &places[type - PROFILE_ADDED_FIRST];
}

/* Return the type of an added tracepoint, or -ENOENT. */
int profile_added_find(const char *name)
{
	unsigned int i;

	lockdep_assert_held(&devtrace_lock);
	for (i = 0; i < PROFILE_ADDED_NR; i++)
		if (places[i].added && !strcmp(places[i].name, name))
			return PROFILE_ADDED_FIRST + i;
	return -ENOENT;
}

/*
 * Start the events of a type. Return 0; -ENOENT if the type belongs to no added tracepoint;
 * -ENOMEM; or an error of perf.
 */
int profile_added_attach(unsigned int type)
{
	struct place *p = place_of(type);
	int err = 0;

	if (!p)
		return -ENOENT;
	mutex_lock(&added_lock);
	if (!p->added->counters)
		err = counters_make(p->added);
	mutex_unlock(&added_lock);
	return err;
}

/*
 * Stop the events of a type. If this returns true, the caller must wait for events in progress with
 * tracepoint_synchronize_unregister().
 */
bool profile_added_detach(unsigned int type)
{
	struct place *p = place_of(type);
	bool was;

	if (!p)
		return false;
	mutex_lock(&added_lock);
	was = p->added->counters;
	if (was)
		counters_release(p->added);
	mutex_unlock(&added_lock);
	return was;
}

/*
 * Remove a tracepoint added by name. After the return, none of its events is stored. If @type
 * belongs to no added tracepoint, do nothing.
 */
void profile_del(unsigned int type)
{
	struct place *p = place_of(type);
	struct added *a;

	if (!p)
		return;
	if (profile_added_detach(type))
		tracepoint_synchronize_unregister();
	mutex_lock(&added_lock);
	a = p->added;
	p->added = NULL;
	p->freed = ++freed;
	mutex_unlock(&added_lock);
	trace_put_event_file(a->file);
	kfree(a);
	module_put(THIS_MODULE);
}

/*
 * Describe a type. Return false if it belongs to no added tracepoint. @info is valid while
 * devtrace_lock is held.
 */
bool profile_added_info(unsigned int type, struct profile_added_info *info)
{
	struct place *p = place_of(type);

	if (!p)
		return false;
	info->name = p->name;
	info->elements = p->added->desc.words;
	info->attached = p->added->counters;
	return true;
}

/* Register for CPUs that come online. Return 0 or a negative error number. */
int profile_added_init(void)
{
	int ret;

	ret = cpuhp_setup_state_nocalls(CPUHP_AP_ONLINE_DYN, "devtrace:profile", cpu_came, NULL);
	if (ret < 0)
		return ret;
	cpuhp_state = ret;
	return 0;
}

/* At this point no tracepoint is added: each would hold a reference to this module. */
void profile_added_exit(void)
{
	cpuhp_remove_state_nocalls(cpuhp_state);
	cancel_work_sync(&cpus_work);
}

#else /* no perf events, or no descriptions of tracepoints */

int profile_add(const char *name, const char **why)
{
	*why = "tracepoints by name need CONFIG_PERF_EVENTS and CONFIG_EVENT_TRACING";
	return -EOPNOTSUPP;
}

int profile_added_find(const char *name)
{
	return -ENOENT;
}

void profile_del(unsigned int type)
{
}

bool profile_added_info(unsigned int type, struct profile_added_info *info)
{
	return false;
}

int profile_added_attach(unsigned int type)
{
	return -ENOENT;
}

bool profile_added_detach(unsigned int type)
{
	return false;
}

int profile_added_init(void)
{
	return 0;
}

void profile_added_exit(void)
{
}

#endif

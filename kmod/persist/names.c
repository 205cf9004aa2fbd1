// SPDX-License-Identifier: GPL-2.0-only
/*
 * Keep names in a region: of objects, signals and types, and of threads
 *
 * A name is in the region before the call that defined it returns. The names form a log, ordered by
 * serial number. When it is full, the names that the dictionary still has move to its beginning,
 * oldest first, and the log continues after them. Old names are kept only while there is room for
 * them. Each entry has a checksum, so that a reader can ignore incomplete entries. An entry whose
 * serial number is not greater than that of the previous entry is after the end of the log. The
 * reader ignores it, because its name has moved.
 *
 * At any moment, each current name that the log has is in at least one whole entry: the n-th name
 * that stays moves to entry n, and the name that entry n had is older, so it has already moved or
 * is dropped. While the log is full of current names, it takes no later name; these come at the end
 * when there is room, so the log always has the first of the current names.
 *
 * Names of threads are not in the log. They have entries of their own, three for each slot of the
 * table of threads (emit/proc.c). At any time only one CPU writes a slot and its three entries.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/kernel.h>
#include <linux/sched.h>
#include <linux/string.h>

#include "emit/dict.h"
#include "emit/proc.h"
#include "manage/proc_stats.h"
#include "names.h"
#include "stream/quiet.h"

static struct region *region;
static struct persist_name *names;
static struct persist_thread *threads;
static u32 nr_names, nr_threads;
/*
 * Index of the next entry, and number of names to discard before the next names_compact().
 * Protected by the dictionary's lock.
 */
static u32 next, skip;
static bool warned;
/* While the log is full, try names_compact() once per this many names; old names leave this room */
#define LOOK_AGAIN	64

static void write_name(const struct dict_name *name)
{
	const struct devtrace_dict *d = &name->d;
	struct persist_name *to = &names[next++];
	struct persist_name n = {
		.serial = name->serial, .since = name->since, .key = d->key,
		.scope = name->scope, .value = d->value, .kind = d->kind, .group = d->group,
	};

	BUILD_BUG_ON(sizeof(n.name) != sizeof(d->name));
	memcpy(n.name, d->name, sizeof(n.name));
	n.crc = PERSIST_CRC(&n);
	memcpy(to, &n, sizeof(n));
	region_flush(region, to, sizeof(n));
}

/*
 * Move the names with serial numbers below @before to the beginning of the log; @old: also those
 * that are not current. Old names that the log has no more do not come back, because each name may
 * only move down: see above.
 */
static void names_compact(u64 before, bool old)
{
	struct dict_name n = { .serial = 0 };
	const u32 end = next;
	u32 from = 0;

	next = 0;
	while (next < nr_names && devtrace_dict_next(n.serial, &n) && n.serial < before) {
		while (from < end && names[from].serial < n.serial)
			from++;
		if (n.until && (!old || from == end || names[from].serial != n.serial))
			continue;
		/* If no earlier name was dropped, this one is already in its place. */
		if (next == from && from < end)
			next++;
		else
			write_name(&n);
	}
}

static void told_name(const struct dict_name *n)
{
	if (next == nr_names && skip) {
		skip--;
	} else if (next == nr_names) {
		names_compact(n->serial, true);
		if (nr_names - next < LOOK_AGAIN)
			names_compact(n->serial, false);
		skip = next == nr_names ? LOOK_AGAIN : 0;
	}
	if (next < nr_names) {
		write_name(n);
	} else if (!warned) {
		pr_warn("the region has room for only %u names: later names are not kept\n",
			nr_names);
		warned = true;
	}
}

static void write_thread(u32 entry, u32 tid, u32 tgid, const char *comm, u64 since)
{
	struct persist_thread t = { .since = since, .tid = tid, .tgid = tgid };

	if (entry >= nr_threads)
		return;
	memcpy(t.comm, comm, sizeof(t.comm));
	t.comm[sizeof(t.comm) - 1] = 0;
	t.crc = PERSIST_CRC(&t);
	memcpy(&threads[entry], &t, sizeof(t));
	region_flush(region, &threads[entry], sizeof(t));
}

/* Store a name of a thread. @i: slot of the thread; @nr: number of the name. Context: any. */
static void told_thread(unsigned int i, u32 nr, const struct task_struct *task,
			const char *comm, u64 now)
{
	const u32 first = i * PERSIST_THREAD_NAMES;
	const bool has_first = first < nr_threads && threads[first].tid == task->pid;

	write_thread(has_first ? first + 1 + nr % 2 : first, task->pid, task->tgid, comm, now);
}

/* Store the names of threads that exist already. */
static void old_threads(void)
{
	unsigned int slot = 0;
	struct proc_name name;
	u64 stored;

	while (devtrace_proc_stats(&slot, &name, &stored))
		if (name.tid)
			write_thread((slot - 1) * PERSIST_THREAD_NAMES, name.tid, name.tgid,
				     name.comm, name.since);
}

/* Store all names in the zeroed region, and from now on new ones. Process context. */
void names_begin(struct region *r, const struct persist_header *h)
{
	region = r;
	names = r->at + h->names;
	nr_names = h->nr_names;
	next = 0;
	skip = 0;
	warned = false;
	threads = r->at + h->threads;
	nr_threads = h->nr_threads;
	WRITE_ONCE(devtrace_proc_told, told_thread);
	old_threads();
	devtrace_dict_tell(told_name);
}

void names_end(void)
{
	devtrace_dict_tell(NULL);
	WRITE_ONCE(devtrace_proc_told, NULL);
	/* Wait for callers that have loaded the pointer. */
	quiet_wait();
}

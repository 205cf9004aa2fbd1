/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Parts of a table of filters: object ids, signals, codes and processes
 *
 * For ids and signals pages of sets, one shared page for all ids that no filter names;
 * for major codes a hash whose empty places have the set of all other codes, and for those
 * of which a filter names single codes a sorted list of these; for
 * processes sorted lists, looked at only when a CPU meets another thread. A filter
 * without a term is in every set of that term.
 *
 * manage/filter_compile.c makes it, filter.c looks it up.
 */
#ifndef DEVTRACE_FILTER_PRIV_H
#define DEVTRACE_FILTER_PRIV_H

#include <linux/sched.h>
#include <linux/string.h>
#include <linux/types.h>

#define PAGE_IDS	256
#define PAGES		(65536 / PAGE_IDS)

/* Sets by object id or by signal; all pages that no range touches are @rest. */
struct ids {
	u32		*pages[PAGES];
	u32		rest[PAGE_IDS];
};

/* Codes have 24 bits of major, so this is none. */
#define NO_MAJOR	U32_MAX

/**
 * struct major - codes with one major
 * @major: it
 * @set: who wants them, but for those that are listed
 * @refuses: who refuses all of them
 * @first: where the codes that a filter names begin in the list
 * @nr: how many of this major there are
 */
struct major {
	u32		major;
	u32		set;
	u32		refuses;
	u16		first, nr;
};

/* A code that some filter names, and who asks for it or refuses it; then who wants it. */
struct code {
	u32		code;
	u32		asks;
	u32		refuses;
	u32		set;
};

/* A process or thread id, or a name, and who asks for it or refuses it. */
struct process {
	union {
		u32	pid;
		char	comm[TASK_COMM_LEN];
	};
	u32		asks;
	u32		refuses;
};

struct filter_keys {
	struct ids	objects;
	struct ids	signals;
	struct major	*majors;
	unsigned int	majors_shift;	/* 32 - log2 of how many places there are */
	struct code	*codes;		/* in order */
	struct process	*pids, *comms;
	unsigned int	nr_pids, nr_comms;
};

static inline unsigned int major_place(u32 major, unsigned int shift)
{
	return major * 0x9e3779b1U >> shift;
}

/* The place of a major code, or the empty one where it would be. */
static __always_inline struct major *major_find(const struct filter_keys *k, u32 major)
{
	unsigned int i = major_place(major, k->majors_shift);
	const unsigned int mask = U32_MAX >> k->majors_shift;

	while (k->majors[i].major != major && k->majors[i].major != NO_MAJOR)
		i = (i + 1) & mask;
	return &k->majors[i];
}

static inline int filter_compare_pid(const void *a, const void *b)
{
	const struct process *p = a, *q = b;

	return p->pid < q->pid ? -1 : p->pid > q->pid;
}

static inline int filter_compare_comm(const void *a, const void *b)
{
	const struct process *p = a, *q = b;

	return memcmp(p->comm, q->comm, sizeof(p->comm));
}

#endif /* DEVTRACE_FILTER_PRIV_H */

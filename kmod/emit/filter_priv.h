/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Parts of a filter table: object ids, signals, numbers of types, codes and processes
 *
 * Ids and signals are in pages of sets; all ids that no filter names share one page. Major codes
 * are in a hash, whose empty entries have the set for all other codes. If a filter names single
 * codes of a major, the hash entry also refers to a sorted list of these codes. Processes are in
 * sorted lists, which are searched only when a CPU sees another thread than before. A filter
 * without terms of a kind is in every set of that kind.
 *
 * manage/filter_compile.c creates it, filter.c looks it up.
 */
#ifndef DEVTRACE_FILTER_PRIV_H
#define DEVTRACE_FILTER_PRIV_H

#include <linux/sched.h>
#include <linux/string.h>
#include <linux/types.h>

#define PAGE_IDS	256
#define PAGES		(65536 / PAGE_IDS)

/* Sets by object id, signal or number of a type; a page that no range touches points to @rest. */
struct ids {
	u32		*pages[PAGES];
	u32		rest[PAGE_IDS];
};

/* An invalid major code: valid ones have 24 bits. */
#define NO_MAJOR	U32_MAX

/**
 * struct major - codes with one major
 * @major: the major code
 * @set: bit mask of the filters that want its codes, except the codes in the list
 * @refuses: bit mask of the filters that refuse all its codes
 * @first: index of its first code in the list
 * @nr: number of its codes in the list
 */
struct major {
	u32		major;
	u32		set;
	u32		refuses;
	u16		first, nr;
};

/* A code that filters name: the sets that ask for it, refuse it, and as a result want it. */
struct code {
	u32		code;
	u32		asks;
	u32		refuses;
	u32		set;
};

/* A process or thread id, or a name: the sets that ask for it and refuse it. */
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
	struct ids	named;
	struct major	*majors;
	unsigned int	majors_shift;	/* 32 - log2 of the number of entries */
	struct code	*codes;		/* sorted */
	struct process	*pids, *comms;
	unsigned int	nr_pids, nr_comms;
};

static inline unsigned int major_place(u32 major, unsigned int shift)
{
	return major * 0x9e3779b1U >> shift;
}

/* Find the entry of a major code, or the empty entry where it would be inserted. */
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

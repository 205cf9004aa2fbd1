// SPDX-License-Identifier: GPL-2.0-only
/*
 * Compile all filters into one table
 *
 * The functions here compute the table only from the filters, and change nothing else.
 */
#include <linux/kernel.h>
#include <linux/log2.h>
#include <linux/mm.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/sort.h>
#include <linux/string.h>

#include "emit/emit.h"
#include "emit/filter.h"
#include "emit/filter_priv.h"
#include "filter_compile.h"
#include "filter_policy.h"

/* Bits of the minor code in DEVTRACE_CODE(). */
#define MINOR_BITS	8

/* Return the page of @id for writing. If it is still the page that all ids share, copy it first. */
static u32 *ids_page(struct ids *ids, unsigned int id)
{
	u32 **page = &ids->pages[id / PAGE_IDS];

	if (*page == ids->rest) {
		u32 *own = kmemdup(ids->rest, sizeof(ids->rest), GFP_KERNEL);

		if (!own)
			return NULL;
		*page = own;
	}
	return *page;
}

static int ids_add(struct ids *ids, const struct filter_ranges *ranges, u32 bit)
{
	unsigned int i, id;
	u32 *page;

	for (i = 0; i < ranges->nr; i++) {
		for (id = ranges->r[i].first; id <= ranges->r[i].last; id++) {
			page = ids_page(ids, id);
			if (!page)
				return -ENOMEM;
			page[id % PAGE_IDS] |= bit;
		}
	}
	return 0;
}

/*
 * Compile the objects, the signals or the numbers of types of all filters. @ranges: for each bit,
 * the term of its filter; NULL: the filter has no such term
 */
static int ids_compile(struct ids *ids, const struct filter_ranges *const *ranges)
{
	u32 rest = U32_MAX;
	unsigned int b, i;
	int err;

	for (b = 0; b < FILTER_BITS; b++)
		if (ranges[b])
			rest &= ~BIT(b);
	for (i = 0; i < PAGE_IDS; i++)
		ids->rest[i] = rest;
	for (i = 0; i < PAGES; i++)
		ids->pages[i] = ids->rest;
	for (b = 0; b < FILTER_BITS; b++) {
		if (!ranges[b])
			continue;
		err = ids_add(ids, ranges[b], BIT(b));
		if (err)
			return err;
		cond_resched();
	}
	return 0;
}

/* Enter all major codes of a term. @shift: number of bits below the major code in each number */
static void majors_enter(struct filter_keys *k, const struct filter_numbers *n, unsigned int shift)
{
	unsigned int i;

	for (i = 0; i < n->nr; i++)
		major_find(k, n->v[i] >> shift)->major = n->v[i] >> shift;
}

static int majors_compile(struct filter_keys *k, struct filter *const *f)
{
	unsigned int b, i, places, nr = 0;
	u32 rest = U32_MAX;

	for (b = 0; b < FILTER_BITS; b++) {
		if (!f[b])
			continue;
		nr += f[b]->majors.nr + f[b]->not_majors.nr + f[b]->codes.nr + f[b]->not_codes.nr;
		if (f[b]->majors.given || f[b]->codes.given)
			rest &= ~BIT(b);
	}
	/* At most a quarter of the entries is in use, so most lookups take one step. */
	places = roundup_pow_of_two(4 * nr + 2);
	k->majors_shift = 32 - ilog2(places);
	k->majors = kvmalloc_array(places, sizeof(*k->majors), GFP_KERNEL);
	if (!k->majors)
		return -ENOMEM;
	for (i = 0; i < places; i++)
		k->majors[i] = (struct major){ .major = NO_MAJOR, .set = rest };
	/*
	 * Enter all majors first: any other major then leads to an empty entry, which has the
	 * common set.
	 */
	for (b = 0; b < FILTER_BITS; b++) {
		if (f[b]) {
			majors_enter(k, &f[b]->majors, 0);
			majors_enter(k, &f[b]->not_majors, 0);
			majors_enter(k, &f[b]->codes, MINOR_BITS);
			majors_enter(k, &f[b]->not_codes, MINOR_BITS);
		}
	}
	for (b = 0; b < FILTER_BITS; b++) {
		if (!f[b])
			continue;
		for (i = 0; i < f[b]->majors.nr; i++)
			major_find(k, f[b]->majors.v[i])->set |= BIT(b);
	}
	for (b = 0; b < FILTER_BITS; b++) {
		if (!f[b])
			continue;
		for (i = 0; i < f[b]->not_majors.nr; i++)
			major_find(k, f[b]->not_majors.v[i])->refuses |= BIT(b);
	}
	for (i = 0; i < places; i++)
		k->majors[i].set &= ~k->majors[i].refuses;
	return 0;
}

static struct code *codes_add(struct code *c, const struct filter_numbers *n, u32 asks, u32 refuses)
{
	unsigned int i;

	for (i = 0; i < n->nr; i++)
		*c++ = (struct code){ .code = n->v[i], .asks = asks, .refuses = refuses };
	return c;
}

static int compare_code(const void *a, const void *b)
{
	const struct code *c = a, *d = b;

	return c->code < d->code ? -1 : c->code > d->code;
}

/* Merge entries of the same code; return how many remain. */
static unsigned int codes_merge(struct code *list, unsigned int nr)
{
	unsigned int i, n = 0;

	if (!nr)
		return 0;
	sort(list, nr, sizeof(*list), compare_code, NULL);
	for (i = 1; i < nr; i++) {
		if (list[n].code != list[i].code) {
			list[++n] = list[i];
		} else {
			list[n].asks |= list[i].asks;
			list[n].refuses |= list[i].refuses;
		}
	}
	return n + 1;
}

/*
 * Give each code the set of its major code, and then change it by the terms that name the code.
 * Called after majors_compile().
 */
static int codes_compile(struct filter_keys *k, struct filter *const *f)
{
	unsigned int b, i, nr = 0;
	struct code *c;

	for (b = 0; b < FILTER_BITS; b++)
		if (f[b])
			nr += f[b]->codes.nr + f[b]->not_codes.nr;
	k->codes = kvmalloc_array(nr ?: 1, sizeof(*k->codes), GFP_KERNEL);
	if (!k->codes)
		return -ENOMEM;
	c = k->codes;
	for (b = 0; b < FILTER_BITS; b++) {
		if (!f[b])
			continue;
		c = codes_add(c, &f[b]->codes, BIT(b), 0);
		c = codes_add(c, &f[b]->not_codes, 0, BIT(b));
	}
	nr = codes_merge(k->codes, nr);
	for (i = 0; i < nr; i++) {
		struct major *m = major_find(k, DEVTRACE_CODE_MAJOR(k->codes[i].code));

		if (!m->nr++)
			m->first = i;
		k->codes[i].set = (m->set | (k->codes[i].asks & ~m->refuses)) &
				  ~k->codes[i].refuses;
	}
	return 0;
}

static int keys_compile(struct filter_keys *k, struct filter *const *f)
{
	const struct filter_ranges *objects[FILTER_BITS], *signals[FILTER_BITS];
	const struct filter_ranges *named[FILTER_BITS];
	unsigned int b;

	for (b = 0; b < FILTER_BITS; b++) {
		objects[b] = f[b] && f[b]->objects.given ? &f[b]->objects : NULL;
		signals[b] = f[b] && f[b]->signals.given ? &f[b]->signals : NULL;
		named[b] = f[b] && f[b]->named.given ? &f[b]->named : NULL;
	}
	return ids_compile(&k->objects, objects) ?: ids_compile(&k->signals, signals) ?:
	       ids_compile(&k->named, named) ?: majors_compile(k, f) ?: codes_compile(k, f);
}

/* Merge entries of the same id or name; return how many remain. */
static unsigned int processes_merge(struct process *list, unsigned int nr,
				    int (*compare)(const void *, const void *))
{
	unsigned int i, n = 0;

	if (!nr)
		return 0;
	sort(list, nr, sizeof(*list), compare, NULL);
	for (i = 1; i < nr; i++) {
		if (compare(&list[n], &list[i])) {
			list[++n] = list[i];
		} else {
			list[n].asks |= list[i].asks;
			list[n].refuses |= list[i].refuses;
		}
	}
	return n + 1;
}

static struct process *pids_add(struct process *p, const struct filter_numbers *n,
				u32 asks, u32 refuses)
{
	unsigned int i;

	for (i = 0; i < n->nr; i++)
		*p++ = (struct process){
			.pid = n->v[i], .asks = asks, .refuses = refuses,
		};
	return p;
}

static struct process *comms_add(struct process *p, const struct filter_names *n,
				 u32 asks, u32 refuses)
{
	unsigned int i;

	for (i = 0; i < n->nr; i++, p++) {
		memcpy(p->comm, n->v[i], sizeof(p->comm));
		p->asks = asks;
		p->refuses = refuses;
	}
	return p;
}

static int processes_compile(struct filter_table *t, struct filter *const *f)
{
	struct filter_keys *k = t->keys;
	unsigned int b, pids = 0, comms = 0;
	struct process *pid, *comm;

	t->any_process = U32_MAX;
	for (b = 0; b < FILTER_BITS; b++) {
		if (!f[b])
			continue;
		pids += f[b]->pids.nr + f[b]->not_pids.nr;
		comms += f[b]->comms.nr + f[b]->not_comms.nr;
		if (f[b]->pids.given || f[b]->comms.given)
			t->any_process &= ~BIT(b);
		if (f[b]->pids.given || f[b]->comms.given || f[b]->not_pids.nr ||
		    f[b]->not_comms.nr)
			t->has |= FILTER_HAS_PROCESSES;
	}
	k->pids = kvcalloc(pids ?: 1, sizeof(*pid), GFP_KERNEL);
	k->comms = kvcalloc(comms ?: 1, sizeof(*comm), GFP_KERNEL);
	if (!k->pids || !k->comms)
		return -ENOMEM;
	pid = k->pids;
	comm = k->comms;
	for (b = 0; b < FILTER_BITS; b++) {
		if (!f[b])
			continue;
		pid = pids_add(pid, &f[b]->pids, BIT(b), 0);
		pid = pids_add(pid, &f[b]->not_pids, 0, BIT(b));
		comm = comms_add(comm, &f[b]->comms, BIT(b), 0);
		comm = comms_add(comm, &f[b]->not_comms, 0, BIT(b));
	}
	k->nr_pids = processes_merge(k->pids, pids, filter_compare_pid);
	k->nr_comms = processes_merge(k->comms, comms, filter_compare_comm);
	return 0;
}

static int cpus_compile(struct filter_table *t, struct filter *const *f)
{
	unsigned int b, i, cpu;

	t->cpus = kvmalloc_array(nr_cpu_ids, sizeof(*t->cpus), GFP_KERNEL);
	if (!t->cpus)
		return -ENOMEM;
	memset(t->cpus, 0xff, nr_cpu_ids * sizeof(*t->cpus));
	for (b = 0; b < FILTER_BITS; b++) {
		if (!f[b] || !f[b]->cpus.given)
			continue;
		t->has |= FILTER_HAS_PROCESSES;
		for (cpu = 0; cpu < nr_cpu_ids; cpu++)
			t->cpus[cpu] &= ~BIT(b);
		for (i = 0; i < f[b]->cpus.nr; i++)
			for (cpu = f[b]->cpus.r[i].first;
			     cpu <= f[b]->cpus.r[i].last && cpu < nr_cpu_ids; cpu++)
				t->cpus[cpu] |= BIT(b);
	}
	return 0;
}

static void types_compile(struct filter_table *t, const struct filter *f, u32 bit)
{
	const u32 severities = filter_severities(f);
	unsigned int i;

	for_each_set_bit(i, f->types, 256) {
		if (f->origins & DEVTRACE_ORIGIN_KERNEL)
			t->types[0][i] |= bit;
		if (f->origins & DEVTRACE_ORIGIN_USER)
			t->types[1][i] |= bit;
	}
	for (i = 0; i < ARRAY_SIZE(t->severities); i++)
		if (severities & BIT(i))
			t->severities[i] |= bit;
	if (f->objects.given || f->signals.given || f->majors.given || f->not_majors.nr ||
	    f->codes.given || f->not_codes.nr || f->named.given)
		t->has |= FILTER_HAS_KEYS;
}

/* Return the bits of all filters that want at least one type of events of this origin. */
static u32 origin_set(const struct filter_table *t, unsigned int origin)
{
	unsigned int i;
	u32 set = 0;

	for (i = 0; i < 256; i++)
		if (!devtrace_type_is_transport(i))
			set |= t->types[origin][i];
	return set;
}

/* Return a bit mask of the severities that at least one filter of @set passes. */
static u32 severity_bits(const struct filter_table *t, u32 set)
{
	unsigned int i;
	u32 bits = 0;

	for (i = 0; i < ARRAY_SIZE(t->severities); i++)
		if (t->severities[i] & set)
			bits |= BIT(i);
	return bits;
}

/*
 * Compile the words that emitters test before the table.
 * @any: for each origin, the filters that may want its events. Stream 0 is among them whenever its
 * filter has the origin: filter_set_profile() may add types later without compiling these bits.
 */
static void bits_compile(struct filter_table *t, const u32 *any)
{
	struct filter_bits *b = &t->bits;
	const u32 *objects = t->keys->objects.pages[0];
	unsigned int i;

	for (i = 0; i < 256; i++) {
		__assign_bit(i, b->types, t->types[0][i]);
		__assign_bit(i, b->objects, objects[i] & any[0]);
		if (t->types[1][i])
			b->user_types[i / 32] |= BIT(i % 32);
		if (objects[i] & any[1])
			b->user_objects[i / 32] |= BIT(i % 32);
	}
	/* Emitters in the kernel test these severities only for exceptions. */
	b->severities = severity_bits(t, t->types[0][DEVTRACE_T_EXC]) & EMIT_SEVERITIES;
	b->user_severities = severity_bits(t, any[1]);
}

/*
 * Compile all filters into one table. @f: for each bit, its filter; NULL: the bit wants no event.
 * Return NULL if there is not enough memory.
 */
struct filter_table *filter_table_compile(struct filter *const *f, u32 generation)
{
	struct filter_table *t = kzalloc(sizeof(*t), GFP_KERNEL);
	unsigned int b;
	u32 any[2];

	if (!t)
		return NULL;
	t->keys = kvzalloc(sizeof(*t->keys), GFP_KERNEL);
	if (!t->keys)
		goto out_free;
	if (keys_compile(t->keys, f) || processes_compile(t, f) || cpus_compile(t, f))
		goto out_free;
	for (b = 0; b < FILTER_BITS; b++)
		if (f[b])
			types_compile(t, f[b], BIT(b));
	for (b = 0; b < ARRAY_SIZE(t->plain); b++) {
		if (!devtrace_type_is_emittable(b) && b != DEVTRACE_T_NAMED)
			continue;
		/* An event of a named type is never plain: it has a code. */
		if (t->types[1][b] & FILTER_STREAM0 && b != DEVTRACE_T_NAMED)
			t->plain[b] = FILTER_PLAIN;
		t->lane_streams |= t->types[1][b] & FILTER_STREAMS & ~FILTER_STREAM0;
	}
	for (b = 0; b < 2; b++) {
		any[b] = origin_set(t, b);
		if (f[0] && f[0]->origins & (b ? DEVTRACE_ORIGIN_USER : DEVTRACE_ORIGIN_KERNEL))
			any[b] |= FILTER_STREAM0;
	}
	bits_compile(t, any);
	t->generation = generation;
	return t;

out_free:
	filter_table_free(t);
	return NULL;
}

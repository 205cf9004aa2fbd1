// SPDX-License-Identifier: GPL-2.0-only
/* filter_model.c - a model of filters for test_filter.c */
#include <stdio.h>
#include <string.h>

#include "filter_model.h"

#define USER_TYPES	196		/* and seven more */
#define MAJORS		16
#define MINORS		4

uint32_t model_pids[SERIES];
int model_cpu[USERS];

uint32_t model_hash(uint32_t tag, uint32_t nr)
{
	return dttest_hash(tag, nr);
}

/* Programs change their name every 64 events. */
void model_comm(char *comm, int who, uint32_t nr)
{
	snprintf(comm, COMM, "fw%d-%u", who, nr / 64 % 3);
}

void model_tell(struct what *w, int series, uint32_t nr)
{
	memset(w, 0, sizeof(*w));
	if (series < DTTEST_CLASSES * DEV_CPUS) {
		uint32_t class = series / DEV_CPUS, cpu = series % DEV_CPUS;
		uint32_t tag = dttest_tag(class, cpu);

		w->cpu = cpu;
		w->type = DTTEST_TYPE + class;
		w->in_task = class == DTTEST_TASK;
		w->has_objsig = dttest_len(dttest_hash(tag, nr), DTTEST_MAX_LEN, 15);
		w->object = tag;
		w->signal = nr;
		w->pid = model_pids[series];
		snprintf(w->comm, sizeof(w->comm), "dttest/%u", cpu);
	} else {
		int who = series - DTTEST_CLASSES * DEV_CPUS;
		uint32_t h = model_hash(dttest_tag(DTTEST_USER, who), nr);

		w->cpu = model_cpu[who];
		w->user = true;
		w->in_task = true;
		w->pid = model_pids[series];
		model_comm(w->comm, who, nr);
		w->has_code = !(h & 3);
		w->has_objsig = !(h & 0x10);
		w->type = w->has_code ? DEVTRACE_T_EXC : USER_TYPES + (h >> 5 & 7);
		w->severity = w->has_code ? DEVTRACE_SEV_SET | (h >> 8 & 7) : 0;
		w->major = h >> 11 & (MAJORS - 1);
		w->minor = nr & (MINORS - 1);
		w->object = h >> 15 & 0x3ff;
		w->signal = h >> 25;
	}
}

static bool in_ranges(const struct devtrace_range *r, int n, uint16_t v)
{
	while (n--)
		if (v >= r[n].first && v <= r[n].last)
			return true;
	return false;
}

static bool in_numbers(const uint32_t *a, int n, uint32_t v)
{
	while (n--)
		if (a[n] == v)
			return true;
	return false;
}

static bool in_comms(const struct terms *f, const char *comm)
{
	int i;

	for (i = 0; i < f->ncomms; i++)
		if (!strcmp(f->comms[i], comm))
			return true;
	return false;
}

static bool process_passes(const struct terms *f, const struct what *w)
{
	bool pid = in_numbers(f->pids, f->npids, w->pid), comm = in_comms(f, w->comm);

	if (!w->in_task)
		return !f->has_pids && !f->has_comms;
	if ((f->has_pids || f->has_comms) && !(f->has_pids && pid) && !(f->has_comms && comm))
		return false;
	return !(f->has_not_pids && pid) && !(f->has_not_comms && comm);
}

static bool code_passes(const struct terms *f, const struct what *w)
{
	const uint32_t code = DEVTRACE_CODE(w->major, w->minor);
	bool major = in_numbers(f->majors, f->nmajors, w->major);

	if ((f->has_majors || f->has_codes) && !(f->has_majors && major) &&
	    !(f->has_codes && in_numbers(f->codes, f->ncodes, code)))
		return false;
	return !(f->has_not_majors && major) &&
	       !(f->has_not_codes && in_numbers(f->not_codes, f->nnot_codes, code));
}

bool model_passes(const struct terms *f, const struct what *w)
{
	uint32_t level = w->severity & DEVTRACE_SEV_LEVEL;

	if (f->has_types && !(f->types[w->type / 8] >> w->type % 8 & 1))
		return false;
	if (f->has_origins &&
	    !(f->origins & (w->user ? DEVTRACE_ORIGIN_USER : DEVTRACE_ORIGIN_KERNEL)))
		return false;
	if (w->severity & DEVTRACE_SEV_HW) {
		if (f->has_hw && level < f->hw)
			return false;
	} else if (w->severity && f->has_sw && level < f->sw) {
		return false;
	}
	if (w->has_objsig && f->has_objects && !in_ranges(f->objects, f->nobjects, w->object))
		return false;
	if (w->has_objsig && f->has_signals && !in_ranges(f->signals, f->nsignals, w->signal))
		return false;
	if (w->has_code && !code_passes(f, w))
		return false;
	if (f->has_cpus && !in_ranges(f->cpus, f->ncpus, w->cpu))
		return false;
	return process_passes(f, w);
}

static bool one_in(uint32_t n)
{
	return !(dev_random() % n);
}

static int random_ranges(struct devtrace_range *r, uint32_t max)
{
	int i, n = 1 + dev_random() % 8;

	for (i = 0; i < n; i++) {
		r[i].first = dev_random() % max;
		r[i].last = r[i].first + dev_random() % (max / 2);
	}
	return n;
}

static int random_codes(uint32_t *codes)
{
	int i, n = 1 + dev_random() % 8;

	for (i = 0; i < n; i++)
		codes[i] = DEVTRACE_CODE(dev_random() % MAJORS, dev_random() % MINORS);
	return n;
}

/* A random filter; sometimes without terms, which disables filtering. */
void model_random(struct terms *f)
{
	int i;

	memset(f, 0, sizeof(*f));
	if (one_in(6))
		return;
	f->has_types = one_in(2);
	for (i = 0; i < 32; i++)	/* 128 to 191: test_profile_filter.c tests these */
		f->types[i] = i / 8 == 2 ? 0 : dev_random() | dev_random();
	f->has_hw = one_in(3);
	f->hw = dev_random() % 5;
	f->has_sw = one_in(3);
	f->sw = dev_random() % 5;
	f->has_origins = one_in(8);
	f->origins = 1 + dev_random() % 3;
	f->has_objects = one_in(4);
	f->nobjects = random_ranges(f->objects, 0x400);
	f->has_signals = one_in(6);
	f->nsignals = random_ranges(f->signals, one_in(2) ? 0x80 : 0xa000);
	f->has_majors = one_in(4);
	f->has_not_majors = !f->has_majors && one_in(4);
	f->nmajors = 1 + dev_random() % 8;
	for (i = 0; i < f->nmajors; i++)
		f->majors[i] = dev_random() % MAJORS;
	f->has_codes = one_in(4);
	f->ncodes = random_codes(f->codes);
	f->has_not_codes = one_in(4);
	f->nnot_codes = random_codes(f->not_codes);
	f->has_cpus = one_in(6);
	f->ncpus = random_ranges(f->cpus, 4);
	f->has_pids = one_in(10);
	f->has_not_pids = !f->has_pids && one_in(6);
	f->npids = 1 + dev_random() % 2;
	for (i = 0; i < f->npids; i++)
		f->pids[i] = model_pids[one_in(2) ? DTTEST_CLASSES * DEV_CPUS + dev_random() % USERS :
					      dev_random() % 2];
	f->has_comms = one_in(10);
	f->has_not_comms = !f->has_comms && one_in(6);
	f->ncomms = 1 + dev_random() % 4;
	for (i = 0; i < f->ncomms; i++) {
		if (one_in(4))
			snprintf(f->comms[i], COMM, "dttest/%u", dev_random() % 2);
		else
			model_comm(f->comms[i], dev_random() % USERS, dev_random());
	}
}

void model_put(struct nl *nl, const struct terms *f)
{
	size_t nest = nl_nest(nl, DEVTRACE_A_FILTER);

	if (f->has_types)
		nl_put(nl, DEVTRACE_FA_TYPES, f->types, sizeof(f->types));
	if (f->has_hw)
		nl_put_u32(nl, DEVTRACE_FA_HW_SEVERITY, f->hw);
	if (f->has_sw)
		nl_put_u32(nl, DEVTRACE_FA_SW_SEVERITY, f->sw);
	if (f->has_origins)
		nl_put_u32(nl, DEVTRACE_FA_ORIGINS, f->origins);
	if (f->has_objects)
		nl_put(nl, DEVTRACE_FA_OBJECTS, f->objects, f->nobjects * sizeof(f->objects[0]));
	if (f->has_signals)
		nl_put(nl, DEVTRACE_FA_SIGNALS, f->signals, f->nsignals * sizeof(f->signals[0]));
	if (f->has_cpus)
		nl_put(nl, DEVTRACE_FA_CPUS, f->cpus, f->ncpus * sizeof(f->cpus[0]));
	if (f->has_majors || f->has_not_majors)
		nl_put(nl, f->has_majors ? DEVTRACE_FA_MAJORS : DEVTRACE_FA_NOT_MAJORS,
		       f->majors, f->nmajors * sizeof(f->majors[0]));
	if (f->has_codes)
		nl_put(nl, DEVTRACE_FA_CODES, f->codes, f->ncodes * sizeof(f->codes[0]));
	if (f->has_not_codes)
		nl_put(nl, DEVTRACE_FA_NOT_CODES, f->not_codes,
		       f->nnot_codes * sizeof(f->not_codes[0]));
	if (f->has_pids || f->has_not_pids)
		nl_put(nl, f->has_pids ? DEVTRACE_FA_PIDS : DEVTRACE_FA_NOT_PIDS,
		       f->pids, f->npids * sizeof(f->pids[0]));
	if (f->has_comms || f->has_not_comms)
		nl_put(nl, f->has_comms ? DEVTRACE_FA_COMMS : DEVTRACE_FA_NOT_COMMS,
		       f->comms, f->ncomms * sizeof(f->comms[0]));
	nl_nest_end(nl, nest);
}

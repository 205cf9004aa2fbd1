// SPDX-License-Identifier: GPL-2.0-only
/*
 * Detect conditions of triggers that no event can ever meet
 *
 * A trigger with such a condition would wait forever, and nobody would notice the mistake. Filters
 * are not checked: a filter that passes nothing is useful while a stream is set up.
 */
#include <linux/bitmap.h>
#include <linux/cpumask.h>
#include <linux/kernel.h>
#include <linux/string.h>

#include "condition.h"
#include "element.h"
#include "emit/filter.h"

static const char type_text[] =
	"no event has one of these types: name one that drivers, programs or the kernel emit";
static const char severity_text[] =
	"kernel profile events have no severity: omit it, or name other types";
static const char code_text[] =
	"kernel profile events have no code: omit it, or name other types";

static bool number_in(const struct filter_numbers *n, u32 v)
{
	unsigned int i;

	for (i = 0; i < n->nr; i++)
		if (n->v[i] == v)
			return true;
	return false;
}

static bool name_in(const struct filter_names *n, const char *name)
{
	unsigned int i;

	for (i = 0; i < n->nr; i++)
		if (!memcmp(n->v[i], name, sizeof(n->v[i])))
			return true;
	return false;
}

/* Does the condition exclude each code that it asks for? */
static bool no_code(const struct filter *f)
{
	unsigned int i;

	for (i = 0; i < f->majors.nr; i++)
		if (!number_in(&f->not_majors, f->majors.v[i]))
			return false;
	for (i = 0; i < f->codes.nr; i++)
		if (!number_in(&f->not_codes, f->codes.v[i]) &&
		    !number_in(&f->not_majors, DEVTRACE_CODE_MAJOR(f->codes.v[i])))
			return false;
	return f->majors.given || f->codes.given;
}

/*
 * Does the condition exclude each process that it asks for? PIDs are compared only with excluded
 * PIDs, and names only with excluded names, because a thread with any PID may have any name.
 */
static bool no_process(const struct filter *f)
{
	unsigned int i;

	for (i = 0; i < f->pids.nr; i++)
		if (!number_in(&f->not_pids, f->pids.v[i]))
			return false;
	for (i = 0; i < f->comms.nr; i++)
		if (!name_in(&f->not_comms, f->comms.v[i]))
			return false;
	return f->pids.given || f->comms.given;
}

static bool no_cpu(const struct filter *f)
{
	unsigned int i, cpu;

	for (i = 0; i < f->cpus.nr; i++)
		for (cpu = f->cpus.r[i].first; cpu <= f->cpus.r[i].last && cpu < nr_cpu_ids; cpu++)
			if (cpu_possible(cpu))
				return false;
	return f->cpus.given;
}

static bool no_severity(const struct filter *f)
{
	return (f->hw_severity || f->sw_severity) && !filter_severities_named(f);
}

/* Check only the types of a condition. Parameters and return value: see condition_never(). */
static const char *types_never(const struct filter *f, const u8 *types, int *attr)
{
	DECLARE_BITMAP(asked, 256);
	unsigned int i;

	bitmap_zero(asked, 256);
	for (i = 0; i < 256; i++)
		if (types[i / 8] >> i % 8 & 1 && !devtrace_type_is_transport(i))
			__set_bit(i, asked);
	*attr = DEVTRACE_FA_TYPES;
	if (bitmap_empty(asked, 256))
		return type_text;
	if (find_first_bit(asked, 256) >= DEVTRACE_T_KERNEL &&
	    find_next_bit(asked, 256, DEVTRACE_T_FAULT) == 256) {
		*attr = DEVTRACE_FA_HW_SEVERITY;
		if (f->hw_severity || f->sw_severity)
			return severity_text;
		*attr = f->majors.given ? DEVTRACE_FA_MAJORS : DEVTRACE_FA_CODES;
		if (f->majors.given || f->codes.given)
			return code_text;
	}
	*attr = DEVTRACE_FA_ORIGINS;
	if (f->origins == DEVTRACE_ORIGIN_USER && find_first_bit(asked, 256) >= DEVTRACE_T_KERNEL &&
	    find_next_bit(asked, 256, DEVTRACE_T_USER2) == 256)
		return "events of these types are emitted only by the kernel: omit the origin";
	return NULL;
}

/**
 * condition_never() - find out whether no event can ever meet a condition
 * @f: the condition
 * @types: bitmap of the requested types, 32 bytes; NULL if none were requested
 * @attr: set to the attribute that no event can meet, enum devtrace_filter_attr
 *
 * Return: the error message; NULL if an event can meet it.
 */
const char *condition_never(const struct filter *f, const u8 *types, int *attr)
{
	*attr = f->hw_severity > DEVTRACE_SEV_LEVEL ? DEVTRACE_FA_HW_SEVERITY :
						      DEVTRACE_FA_SW_SEVERITY;
	if (no_severity(f))
		return "no event has this severity: levels are 0 to 3";
	*attr = DEVTRACE_FA_OBJECTS;
	if (f->objects.given && !f->objects.nr)
		return "the list of objects names no object: name one, or leave the list out";
	*attr = DEVTRACE_FA_SIGNALS;
	if (f->signals.given && !f->signals.nr)
		return "the list of signals names no signal: name one, or leave the list out";
	*attr = DEVTRACE_FA_CPUS;
	if (no_cpu(f))
		return "this machine has none of these CPUs";
	*attr = f->majors.given ? DEVTRACE_FA_MAJORS : DEVTRACE_FA_CODES;
	if (no_code(f))
		return "each requested code is also excluded: name one that is not excluded";
	*attr = f->pids.given ? DEVTRACE_FA_PIDS : DEVTRACE_FA_COMMS;
	if (no_process(f))
		return "each requested process is also excluded: name one that is not excluded";
	return types ? types_never(f, types, attr) : NULL;
}

/* Can no element ever meet this comparison? */
bool condition_element_never(const struct element_test *t)
{
	return !t->is_string && t->compare == DEVTRACE_CMP_EQ && (u64)t->value & ~t->mask;
}

// SPDX-License-Identifier: GPL-2.0-only
/*
 * machine.c - the machines whose events are read, and their times in the output
 *
 * The output's clock is CLOCK_BOOTTIME of the first machine. One constant is added to this
 * machine's trace clock, so that both agree at its first CLOCK frame. So events keep their order
 * and their exact distance. (If every CLOCK frame were used, time could go back where the clock is
 * slewed.) The times of other machines are aligned by their wall clocks.
 */
#include "view.h"

static unsigned int machine_find(struct view *v, const uint8_t *boot)
{
	unsigned int i;

	for (i = 0; i < v->nr_machines; i++)
		if (v->machines[i].known && !memcmp(v->machines[i].boot, boot, 16))
			return i;
	/* Events before the first INFO frame belong to this machine, whose boot id is known now. */
	if (i && !v->machines[i - 1].known)
		return i - 1;
	return i;
}

void view_machine_enter(struct view *v, const uint8_t *boot)
{
	const unsigned int last = v->nr_machines ? v->nr_machines - 1 : 0;
	const unsigned int i = boot ? machine_find(v, boot) : last;

	if (i == v->nr_machines) {
		v->machines = view_alloc(v->machines, (i + 1) * sizeof(*v->machines));
		v->machines[i] = (struct view_machine){ .nr = i };
		v->nr_machines++;
	}
	v->machine = &v->machines[i];
	if (boot) {
		memcpy(v->machine->boot, boot, 16);
		v->machine->known = true;
	}
}

void view_machine_clock(struct view *v, const struct devtrace_clock *c)
{
	struct view_machine *m = v->machine;

	if (!m->dated)
		m->first = *c;
	m->dated = true;
	if (m->timed)
		return;
	m->timed = true;
	if (!m->nr || !v->machines[0].timed) {
		m->offset = c->boot - c->ts;
		if (!m->nr)
			v->wall = (uint64_t)c->real - c->boot;
	} else {
		m->offset = (uint64_t)c->real - v->wall - c->ts;
	}
}

// SPDX-License-Identifier: GPL-2.0-only
/*
 * Keep the changes of stream 0's state in a region
 *
 * While a stream is stopped, its events are only counted. With each change of state, the stream
 * stores how many events each ring and slot had missed by then, see stream_missed(). The region
 * gets these counts, so that after a reset, too, the losses of a stop are reported between the stop
 * and the next start.
 *
 * keep_changes_look() finds which changes are new, and which of these have counts. The counts of
 * the last PERSIST_COUNTED changes are written for each ring and slot. The stream keeps one change
 * more, which it may overwrite meanwhile.
 */
#include <linux/minmax.h>
#include <linux/string.h>

#include "keep_change.h"
#include "lane/slot.h"
#include "stream/past.h"
#include "stream/stream.h"
#include "stream/table.h"

static struct region *region;
/* Number of the change that is number 0 in the region. */
static unsigned long first;
/* Numbers of the next change to write, and of the first change without counts at the last look. */
static unsigned long next, counted;
/* Changes before this one have their counts in the region. */
static unsigned long written;

/* Begin to keep changes in a zeroed region. */
void keep_changes_begin(struct region *r)
{
	BUILD_BUG_ON(PERSIST_CHANGES != STREAM_PASTS);
	BUILD_BUG_ON(sizeof_field(struct persist_change, trigger) != DEVTRACE_NAME_LEN);
	BUILD_BUG_ON(sizeof(struct persist_change) * PERSIST_CHANGES > PERSIST_PAGE);
	region = r;
	first = stream_oldest_past(&devtrace_stream0);
	next = first;
	counted = first;
	written = first;
}

static void write_change(const struct stream_past *p)
{
	struct persist_change *all = region->at + PERSIST_CHANGES_AT;
	struct persist_change c = {
		.n = next - first, .ts = p->ts, .began = p->began, .fired_at = p->fired_at,
		.state = p->state, .early = p->early,
	};

	memcpy(c.trigger, p->trigger, sizeof(c.trigger));
	c.crc = PERSIST_CRC(&c);
	memcpy(&all[c.n % PERSIST_CHANGES], &c, sizeof(c));
}

/* Write new changes of state, and find out how many of them are counted. */
void keep_changes_look(void)
{
	struct stream_past p;

	for (; stream_past(&devtrace_stream0, &next, &p); next++)
		write_change(&p);
	while (counted != next && stream_counted(&devtrace_stream0, counted))
		counted++;
}

/* Return the number of the first change whose counts are written. */
static unsigned long first_counted(void)
{
	return counted - min_t(unsigned long, counted - first, PERSIST_COUNTED);
}

static void write_missed(struct persist_missed *two, struct persist_missed *m)
{
	const bool older = two[0].nr > two[1].nr;

	if (!stream_remembers(&devtrace_stream0, first_counted()))
		return;
	m->nr = counted - first;
	m->crc = PERSIST_CRC(m);
	memcpy(&two[older], m, sizeof(*m));
	region_flush(region, &two[older], sizeof(*m));
}

/* Store how many events the ring of @cpu had missed at each change. @two: entries of the ring */
void keep_missed_ring(unsigned int cpu, struct persist_missed *two)
{
	struct persist_missed m = { 0 };
	unsigned long n;

	if (counted == written)
		return;
	for (n = first_counted(); n != counted; n++)
		m.missed[(n - first) % PERSIST_CHANGES] =
			stream_missed(&devtrace_stream0, n, cpu);
	write_missed(two, &m);
}

/* Store how many events a slot of lanes had missed at each change. @two: entries of the slot */
void keep_missed_slot(unsigned int slot, struct persist_missed *two)
{
	struct persist_missed m = { 0 };
	unsigned long n;

	if (counted == written)
		return;
	for (n = first_counted(); n != counted; n++)
		m.missed[(n - first) % PERSIST_CHANGES] = slot_missed(&slots0, slot, n);
	write_missed(two, &m);
}

/* Mark all counts as written, unless the stream has overwritten some of them meanwhile. */
void keep_changes_done(void)
{
	if (stream_remembers(&devtrace_stream0, first_counted()))
		written = counted;
}

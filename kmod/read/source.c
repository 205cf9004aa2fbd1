// SPDX-License-Identifier: GPL-2.0-only
/* Sources of a reader: code that both kinds share */
#include <linux/minmax.h>

#include "announce.h"
#include "reader_priv.h"
#include "source.h"

void source_set_ready(struct reader *rd, struct source *src, bool ready)
{
	rd->nr_ready += ready - src->ready;
	src->ready = ready;
}

/**
 * source_lost() - make a LOST frame
 * @rd: the reader
 * @src: its source
 * @cause: enum devtrace_cause
 * @count: number of events; 0: unknown
 * @from: no lost event is older, trace clock ns
 * @to: no lost event is newer, trace clock ns
 */
void source_lost(struct reader *rd, struct source *src, u8 cause, u64 count, u64 from, u64 to)
{
	announce_time(&rd->told, to);
	wire_lost(&rd->wire, src->number, cause, count, from, to);
	WRITE_ONCE(rd->missed, rd->missed + count);
}

/**
 * source_report() - make a LOST frame, if anything was lost
 * @rd: the reader
 * @src: its source
 * @cause: enum devtrace_cause
 * @count: number of events
 * @now: trace clock, ns: upper limit of the losses' times if no event is at the front
 */
void source_report(struct reader *rd, struct source *src, u8 cause, u64 count, u64 now)
{
	if (!count)
		return;
	source_lost(rd, src, cause, count, src->last, src->ready ? src->key : now);
}

/*
 * Make a LOST frame for events that were missed because of a stop, if any; none is newer than @to.
 */
void source_report_stopped(struct reader *rd, struct source *src, u64 count, u64 to)
{
	const struct announce *a = &rd->told;
	u64 from = a->began;

	if (!count)
		return;
	/*
	 * The stop has ended: a loss that is counted after the start is still not newer than the
	 * start.
	 */
	if (a->ended)
		to = min(to, a->ended);
	if (!a->early && src->last <= to)
		from = max(from, src->last);
	source_lost(rd, src, DEVTRACE_LOST_STOPPED, count, from, max(from, to));
}

/* Report the events that the source skipped, up to the time @now. */
void source_report_passed(struct reader *rd, struct source *src, u64 now)
{
	source_report(rd, src, DEVTRACE_LOST_CLEARED, src->cleared, now);
	source_report(rd, src, DEVTRACE_LOST_OVERWRITTEN, src->lost, now);
	src->cleared = 0;
	src->lost = 0;
}

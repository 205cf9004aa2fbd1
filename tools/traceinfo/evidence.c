// SPDX-License-Identifier: GPL-2.0-only
/*
 * evidence.c - is the input a stream at all?
 *
 * A stream may begin in the middle and be damaged anywhere, so one bad frame proves nothing. In a
 * file of another kind, about one of 65536 places looks like a frame by chance, but hardly ever do
 * two such places follow each other. So an input counts as a stream if it has an INFO frame, or
 * two valid frames in a row, or one valid frame and few damaged places.
 */
#include "traceinfo.h"

/* Number of damaged places, for each valid frame, up to which an input counts as a stream. */
#define ALONE	256

bool ti_evidence(struct ti_evidence *e, const struct devtrace_item *item)
{
	switch (item->kind) {
	case DEVTRACE_ITEM_DAMAGE:
		e->damages++;
		e->have = false;
		return e->found;
	case DEVTRACE_ITEM_GAP:
		return e->found;
	case DEVTRACE_ITEM_NOTE:
		/*
		 * A NOTE frame has no sequence number to compare, but its CRC-32 is evidence
		 * enough.
		 */
		e->found = true;
		return true;
	case DEVTRACE_ITEM_INFO:
		e->found = true;
		break;
	default:
		break;
	}
	e->frames++;
	if (e->have && item->seq == (uint8_t)(e->seq + 1))
		e->found = true;
	if (e->damages <= ALONE * e->frames)
		e->found = true;
	e->have = true;
	e->seq = item->seq;
	return e->found;
}

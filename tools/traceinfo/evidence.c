// SPDX-License-Identifier: GPL-2.0-only
/*
 * evidence.c - is the input a stream at all?
 *
 * A stream may begin anywhere and be damaged anywhere, so one bad frame proves nothing. In
 * another kind of file, one damaged place in 65536 passes as a frame by chance, and hardly ever
 * two in a row do. So an input is taken for a stream if it has an INFO frame, or two frames in a
 * row, or one frame among few damaged places.
 */
#include <stdio.h>
#include <stdlib.h>
#include "common/device.h"
#include "traceinfo.h"

/* Damaged places tolerated for each frame. */
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
		/* A NOTE has no sequence number, but its CRC-32 alone is evidence enough. */
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

int ti_no_stream(const char *path, bool regular, bool live, const struct devtrace_totals *t)
{
	struct out o;

	out_init(&o, -1);
	OUT_LIT(&o, "traceinfo: ");
	out_safe(&o, path, strlen(path));
	if (regular && (live || !strncmp(path, TI_DEVICE, sizeof(TI_DEVICE) - 1))) {
		OUT_LIT(&o, ": ");
		out_str(&o, device_no_file(path));
	} else if (!t->bytes) {
		OUT_LIT(&o, ": no trace stream: it is empty" TI_NO_FILE);
	} else {
		OUT_LIT(&o, ": no trace stream: no ");
		out_str(&o, t->frames ? "frames in a row" : "whole frame");
		OUT_LIT(&o, " in its ");
		out_u64(&o, t->bytes);
		out_str(&o, t->bytes == 1 ? " byte" : " bytes");
	}
	out_char(&o, '\n');
	fwrite(o.buf, 1, o.len, stderr);
	out_free(&o);
	return 1;
}

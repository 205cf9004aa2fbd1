// SPDX-License-Identifier: GPL-2.0-only
/*
 * accuracy.c - print how exact a wall clock was
 */
#include "accuracy.h"

void ti_accuracy_error(struct out *o, const struct ti_printer *p, uint64_t ns)
{
	static const char *const units[] = { " ns", " us", " ms", " s" };
	static const struct out_spec plain = { .digits = OUT_NODIGITS };
	uint64_t tenths = 10 * ns, unit = 0;

	/* Round up, because the error is a limit. */
	for (; tenths >= 10000 && unit < 3; unit++)
		tenths = (tenths + 999) / 1000;
	out_str(o, p->unicode ? "\302\261" : "+-");
	if (tenths < 100 && tenths % 10)
		out_int(o, tenths, false, 10, false, 1, &plain);
	else
		out_u64(o, (tenths + 9) / 10);
	out_str(o, units[unit]);
}

void ti_accuracy_text(struct out *o, const struct ti_printer *p, const struct devtrace_decoder *d,
		      uint64_t ts)
{
	uint64_t max;

	switch (devtrace_decoder_error(d, ts, &max)) {
	case DEVTRACE_SYNC_UNKNOWN:
		OUT_LIT(o, "error unknown");
		break;
	case DEVTRACE_SYNC_NEVER:
		OUT_LIT(o, "never synchronised");
		break;
	case DEVTRACE_SYNC_LOST:
		OUT_LIT(o, "no longer synchronised");
		break;
	case DEVTRACE_SYNC_ERROR:
		ti_accuracy_error(o, p, max);
		OUT_LIT(o, " (");
		out_str(o, devtrace_decoder_statement(d)->source);
		out_char(o, ')');
		break;
	}
}

void ti_accuracy_json(struct out *o, const struct devtrace_decoder *d, uint64_t ts)
{
	static const char *const words[] = {
		[DEVTRACE_SYNC_UNKNOWN] = "unknown", [DEVTRACE_SYNC_NEVER] = "never",
		[DEVTRACE_SYNC_LOST] = "lost", [DEVTRACE_SYNC_ERROR] = "yes",
	};
	const struct devtrace_statement *a = devtrace_decoder_statement(d);
	uint64_t max;
	const enum devtrace_sync sync = devtrace_decoder_error(d, ts, &max);

	OUT_LIT(o, ",\"synchronised\":\"");
	out_str(o, words[sync]);
	out_char(o, '"');
	if (sync != DEVTRACE_SYNC_ERROR)
		return;
	OUT_LIT(o, ",\"error\":");
	out_u64(o, max);
	OUT_LIT(o, ",\"source\":\"");
	out_str(o, a->source);
	out_char(o, '"');
}

void ti_accuracy_statement(struct out *o, const struct ti_printer *p,
			   const struct devtrace_statement *a)
{
	OUT_LIT(o, "wall clock: ");
	if (a->status & DEVTRACE_ACCURACY_UNSYNC) {
		OUT_LIT(o, "not synchronised");
	} else {
		ti_accuracy_error(o, p, a->max);
		OUT_LIT(o, ", estimated ");
		ti_accuracy_error(o, p, a->est);
	}
	OUT_LIT(o, ", source ");
	out_str(o, a->source);
	OUT_LIT(o, ", status ");
	out_hex(o, a->status, 1);
}

// SPDX-License-Identifier: GPL-2.0-only
/*
 * json.c - the elements of an event as members of a JSON object, as traceinfo --json has them
 */
#include "view.h"

void view_json_arg(struct out *o, bool any, const struct ti_arg *a)
{
	if (any)
		out_char(o, ',');
	out_json(o, a->name, a->name_len);
	out_char(o, ':');
	switch (a->kind) {
	case TI_ARG_INT:
		out_i64(o, a->v.i);
		break;
	case TI_ARG_UINT:
		out_u64(o, a->v.u);
		break;
	case TI_ARG_DOUBLE:
		out_double_short(o, a->v.f, false);
		break;
	case TI_ARG_STR:
		out_json(o, a->str, a->len);
		break;
	}
}

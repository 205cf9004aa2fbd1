// SPDX-License-Identifier: GPL-2.0-only
/*
 * qspy.c - --format=qspy: print the records of QS as QSPY prints them
 *
 * A record's line has no columns before it. Events that are not records of QS have no line.
 */
#include <stdlib.h>
#include "common/qspy.h"
#include "traceinfo.h"

struct ti_qspy {
	struct qspy_names names;
	uint8_t		ptr;		/* bytes of a pointer */
};

struct ti_qspy *ti_qspy_new(void)
{
	struct ti_qspy *q = ti_alloc(NULL, sizeof(*q));

	memset(q, 0, sizeof(*q));
	q->ptr = 8;
	return q;
}

void ti_qspy_free(struct ti_qspy *q)
{
	if (q)
		qspy_names_free(&q->names);
	free(q);
}

void ti_qspy_item(struct ti_qspy *q, const struct devtrace_item *item)
{
	if (item->kind == DEVTRACE_ITEM_INFO)
		q->ptr = item->u.info.flags & DEVTRACE_INFO_32BIT ? 4 : 8;
	else if (item->kind == DEVTRACE_ITEM_DICT)
		qspy_name_add(&q->names, &item->u.dict);
}

bool ti_qspy_wants(const struct ti_qspy *q, const struct devtrace_event *ev)
{
	struct qspy_record r;

	return qspy_record(ev, false, q->ptr, &r);
}

void ti_qspy_event(struct ti_qspy *q, struct out *o, const struct devtrace_event *ev)
{
	struct qspy_record r;
	char line[QSPY_LINE];

	if (!qspy_record(ev, false, q->ptr, &r))
		return;
	out_safe(o, line, qspy_text(&q->names, &r, line, sizeof(line)));
	out_char(o, '\n');
}

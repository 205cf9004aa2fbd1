// SPDX-License-Identifier: GPL-2.0-only
/*
 * last.c - keep the last N events as formatted lines
 *
 * An event is formatted when it is read, because the names that apply to it may change later. A
 * slot keeps its memory for the next line, so the slots never use more memory than N long lines.
 */
#include <stdlib.h>
#include "traceinfo.h"

#define REPORTS_MAX	(16 * 1024)

void ti_last_init(struct ti_last *last, long nr)
{
	memset(last, 0, sizeof(*last));
	last->nr = nr > 0 ? (size_t)nr : 0;
	last->reports_max = REPORTS_MAX;
	out_init(&last->line, -1);
}

struct out *ti_last_report(struct ti_last *last)
{
	if (last->line.len < last->reports_max)
		return &last->line;
	last->omitted++;
	return NULL;
}

static void print_omitted(struct ti_last *last, struct out *o, bool json, const char *where)
{
	if (!last->omitted)
		return;
	out_str(o, json ? "{\"kind\":\"omitted\",\"count\":" : "*** ");
	out_u64(o, last->omitted);
	out_str(o, json ? "}\n" : where);
	last->omitted = 0;
}

struct out *ti_last_event(struct ti_last *last, bool json)
{
	print_omitted(last, &last->line, json, " more lines of this kind before the next event\n");
	last->reports = last->line.len;
	return &last->line;
}

void ti_last_keep(struct ti_last *last)
{
	struct ti_slot *slot;

	if (!last->nr) {
		last->line.len = 0;
		return;
	}
	/* Allocate slots as they are needed: -n 1000000 with ten events allocates only a few. */
	if (last->used < last->nr && last->next == last->used) {
		if (!(last->used & (last->used - 1)) || !last->slots)
			last->slots = ti_alloc(last->slots, (last->used ? last->used * 2 : 1) *
					       sizeof(*last->slots));
		memset(&last->slots[last->used++], 0, sizeof(*last->slots));
	}
	slot = &last->slots[last->next];
	if (slot->text && slot->len)
		last->older = true;
	slot->reports = last->reports;
	if (slot->size < last->line.len) {
		slot->text = ti_alloc(slot->text, last->line.len);
		slot->size = last->line.len;
	}
	memcpy(slot->text, last->line.buf, last->line.len);
	slot->len = last->line.len;
	last->line.len = 0;
	last->next = last->next + 1 == last->nr ? 0 : last->next + 1;
}

void ti_last_print(struct ti_last *last, struct out *o, bool json)
{
	size_t i, at = last->used < last->nr ? 0 : last->next;

	for (i = 0; i < last->used; i++) {
		const struct ti_slot *slot = &last->slots[at];
		size_t skip = !i && last->older ? slot->reports : 0;

		out_mem(o, slot->text + skip, slot->len - skip);
		at = at + 1 == last->used ? 0 : at + 1;
	}
	/* Reports after the last event. */
	out_mem(o, last->line.buf, last->line.len);
	print_omitted(last, o, json, " more lines of this kind\n");
	ti_last_free(last);
}

void ti_last_free(struct ti_last *last)
{
	size_t i, nr = last->nr, max = last->reports_max;

	for (i = 0; i < last->used; i++)
		free(last->slots[i].text);
	free(last->slots);
	out_free(&last->line);
	ti_last_init(last, (long)nr);
	last->reports_max = max;
}

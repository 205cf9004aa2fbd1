// SPDX-License-Identifier: GPL-2.0-only
/*
 * item.c - pass items of the decoder on to the target, the front ends and the terminal
 *
 * The program acknowledges a request with an event in the stream, in order with its other events.
 * The acknowledgment of a reset is not passed on. Like QS, the gate sends its target information
 * in place of it, before the events that the program emits while it resets.
 */
#include <stdio.h>
#include <string.h>
#include "common/out.h"
#include "common/qs.h"
#include "gate.h"

/* type of the event QS_TARGET_INFO, with which a program answers an INFO request */
#define TYPE_INFO	88

static void send_bytes(struct gate *g, uint8_t record, const uint8_t *p, size_t n)
{
	if (!g->rkh)
		target_qs(&g->target, record, p, n);
	front_record(&g->front, record, p, n);
}

void gate_print(const struct gate *g, const void *line, size_t n)
{
	static struct out o = { .fd = -1 };

	if (!g->echo)
		return;
	o.len = 0;
	out_safe(&o, line, n);
	out_char(&o, '\n');
	fwrite(o.buf, 1, o.len, stdout);
}

void gate_send(struct gate *g, const struct qspy_record *r)
{
	static uint8_t bytes[2 * GATE_BYTES];
	static char line[QSPY_LINE];
	size_t n = gate_bytes(r, bytes);

	send_bytes(g, r->id, bytes, n);
	if (!g->front.nr && !g->echo)
		return;
	n = qspy_text(&g->names, r, line, sizeof(line));
	front_text(&g->front, r->id, line, n);
	gate_print(g, line, n);
}

void gate_send_info(struct gate *g, bool reset)
{
	uint8_t bytes[32];

	send_bytes(g, QS_TARGET_INFO, bytes, gate_target_info(reset, g->old, g->ptr, bytes));
	/*
	 * After a reset, QSPY has forgotten its names, and its requests are numbered from the
	 * beginning.
	 */
	if (reset && !g->rkh) {
		g->target.have_seq = false;
		gate_announce_all(g);
	}
}

void gate_error(struct gate *g, uint8_t code)
{
	static struct qspy_record r;

	g->refused++;
	gate_status(&r, 0x80 | code, 0);
	gate_send(g, &r);
}

/*
 * If several programs emit records, an address may mean another object in each, but hosts cannot
 * distinguish the programs: report that once.
 */
void gate_note_process(struct gate *g, uint32_t process)
{
	if (g->pid || g->told_mixed || !process)
		return;
	if (g->mixed && g->mixed != process) {
		fprintf(stderr, "qsgate: processes %u and %u both emit records, but hosts cannot distinguish their addresses; name one with --program\n",
			g->mixed, process);
		g->told_mixed = true;
	}
	g->mixed = process;
}

void gate_set_pointer(struct gate *g, uint8_t bytes)
{
	const bool other = bytes != g->ptr;

	g->ptr = bytes;
	if (!g->begun && !g->target.is_link)
		target_greet(g);
	else if (other && g->rkh && !g->layout.by_program)
		rkh_begin(g);
	else if (other && !g->rkh)
		gate_send_info(g, true);
	g->begun = true;
}

static void event(struct gate *g, const struct devtrace_event *e)
{
	static struct qspy_record r;

	if (gate_whose(g, qspy_process(e)) != GATE_OURS)
		return;
	if (g->rkh) {
		rkh_event(g, e);
		return;
	}
	if (e->type == TYPE_INFO) {
		gate_send_info(g, false);
		return;
	}
	if (!qspy_record(e, g->old, g->ptr, &r)) {
		g->others++;
		return;
	}
	g->records++;
	gate_note_process(g, r.process);
	if (g->test && r.id == QS_RX_STATUS &&
	    (r.v[0] == DEVTRACE_RX_RESET || r.v[0] == DEVTRACE_RX_SETUP))
		g->test_time = 0;
	if (g->test && gate_stamp(&r, g->test_time + 1))
		g->test_time++;
	if (r.id == QS_RX_STATUS && r.v[0] == DEVTRACE_RX_RESET)
		gate_send_info(g, true);
	else
		gate_send(g, &r);
}

static void tell_fronts(struct gate *g, const struct qspy_name *n)
{
	uint8_t bytes[GATE_NAME_BYTES];
	const size_t len = g->rkh ? 0 : gate_name_bytes(n, g->ptr, bytes);

	if (len)
		front_record(&g->front, n->kind, bytes, len);
}

void gate_tell_names(struct gate *g)
{
	size_t i;

	for (i = 0; i < g->names.nr; i++)
		if (g->names.v[i].scope == (uint32_t)g->pid)
			tell_fronts(g, &g->names.v[i]);
	gate_announce_all(g);
}

/*
 * Add a name from the stream. Names of a namesake are kept, too, because it may become the
 * program, and a program gives its names only once, at its start.
 */
static void name(struct gate *g, const struct devtrace_name *d)
{
	const enum gate_whose whose = d->scope ? gate_whose(g, d->scope) : GATE_OURS;
	const struct qspy_name *n;

	if (whose == GATE_OTHERS)
		return;
	n = qspy_name_add(&g->names, d);
	if (!n || whose != GATE_OURS)
		return;
	tell_fronts(g, n);
	gate_announce_name(g, n);
}

/*
 * Skip sequence numbers of frames for events missing in the stream, so that the host sees a gap.
 * If @count is a multiple of 256, skip one number.
 */
static void missing(struct gate *g, uint64_t count)
{
	g->missing += count;
	if (count)
		g->target.seq = (uint8_t)(g->target.seq + (count & 0xff ? count : 1));
}

int gate_item(const struct devtrace_item *item, void *arg)
{
	struct gate *g = arg;

	if (item->kind == DEVTRACE_ITEM_INFO)
		gate_set_pointer(g, item->u.info.flags & DEVTRACE_INFO_32BIT ? 4 : GATE_PTR);
	else if (!g->begun)
		gate_set_pointer(g, g->ptr);
	switch (item->kind) {
	case DEVTRACE_ITEM_EVENT:
		event(g, &item->u.event);
		break;
	case DEVTRACE_ITEM_DICT:
		name(g, &item->u.dict);
		break;
	case DEVTRACE_ITEM_LOST:
		missing(g, item->u.lost.count);
		break;
	case DEVTRACE_ITEM_GAP:
		missing(g, item->u.gap.count);
		break;
	default:
		break;
	}
	return 0;
}

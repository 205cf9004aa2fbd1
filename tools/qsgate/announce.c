// SPDX-License-Identifier: GPL-2.0-only
/*
 * announce.c - send the host of --to the names that the stream contains
 *
 * A host may connect when there are more names than its buffer can hold, and may read slowly or
 * not at all. So the gate remembers how many names and how many of RKH's symbols it has sent, and
 * sends the others when the buffer has room again. No name is dropped, and the buffer stays
 * bounded.
 */
#include "gate.h"

static bool is_ours(const struct gate *g, uint32_t process)
{
	return !g->pid || !process || process == (uint32_t)g->pid;
}

static void send_name(struct gate *g, const struct qspy_name *n)
{
	uint8_t bytes[GATE_NAME_BYTES];
	size_t len;

	if (!is_ours(g, n->scope))
		return;
	if (g->rkh) {
		rkh_name(g, n);
		return;
	}
	len = gate_name_bytes(n, g->ptr, bytes);
	if (len)
		target_qs(&g->target, n->kind, bytes, len);
}

bool gate_announce(struct gate *g)
{
	struct qspy_names *n = &g->names;
	struct gate_symbols *s = &g->symbols;

	for (; n->told < n->nr && target_has_room(&g->target); n->told++)
		send_name(g, &n->v[n->told]);
	for (; n->told == n->nr && s->told < s->nr && target_has_room(&g->target); s->told++)
		if (is_ours(g, s->v[s->told].process))
			rkh_symbol(g, &s->v[s->told]);
	return n->told < n->nr || s->told < s->nr;
}

void gate_announce_all(struct gate *g)
{
	g->names.told = g->symbols.told = 0;
	gate_announce(g);
}

/* A name that was sent before may have changed. If there is room, send it again now. */
void gate_announce_name(struct gate *g, const struct qspy_name *n)
{
	const size_t i = (size_t)(n - g->names.v);

	if (i < g->names.told && target_has_room(&g->target))
		send_name(g, n);
	else if (i < g->names.told)
		g->names.told = i;
	gate_announce(g);
}

void gate_announce_symbol(struct gate *g, const struct gate_symbol *s)
{
	const size_t i = (size_t)(s - g->symbols.v);

	if (i < g->symbols.told && target_has_room(&g->target))
		rkh_symbol(g, s);
	else if (i < g->symbols.told)
		g->symbols.told = i;
	gate_announce(g);
}

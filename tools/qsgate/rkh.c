// SPDX-License-Identifier: GPL-2.0-only
/*
 * rkh.c - the gate as a target of RKH, for Trazer
 *
 * The frames have a sequence number, a time stamp and a check. Signals, stamps and counters have
 * 4 bytes, pointers 8. The configuration record, sent first, tells Trazer so.
 */
#include <stdlib.h>
#include <string.h>
#include <devtrace/rkh/rkhtrc_define.h>
#include "common/rkh.h"
#include "gate.h"

#define TS_HZ		50000u	/* must fit in 16 bits of the configuration record */
#define TS_NS		20000u
#define VERSION		0x3400
#define POOLS		15
#define RKH_USER_ALL	0xc	/* events of the application and of all groups */

static uint8_t *begin(uint8_t *out, uint64_t ts)
{
	gate_put(&out, ts / TS_NS, 4);
	return out;
}

void rkh_begin(struct gate *g)
{
	uint8_t out[32], *p = begin(out, 0);

	gate_put(&p, VERSION, 2);
	gate_put(&p, RKH_SENDER | RKH_QUE_LWM | RKH_MP_LWM | RKH_NSEQ | RKH_TSTAMP | RKH_CHK |
		 RKH_USER_ALL, 4);
	gate_put(&p, 0x44, 1);
	gate_put(&p, 0x84, 1);
	gate_put(&p, 0x44, 1);
	gate_put(&p, 4, 1);
	gate_put(&p, 0x40 | POOLS, 1);
	gate_put(&p, TS_HZ, 2);
	target_rkh(&g->target, RKH_TE_FWK_TCFG, out, (size_t)(p - out));
}

static size_t put_string(uint8_t *p, const void *s, size_t n)
{
	if (n > 255)
		n = 255;
	memcpy(p, s, n);
	p[n] = 0;
	return n + 1;
}

/* Other names of RKH come as events: see symbol(). */
void rkh_name(struct gate *g, const struct gate_name *n)
{
	uint8_t out[GATE_NAME_BYTES], *p = begin(out, 0), te;
	unsigned int user;

	switch (n->kind) {
	case DEVTRACE_T_OBJ:
		te = RKH_TE_FWK_OBJ;
		gate_put(&p, n->key, GATE_PTR);
		break;
	case DEVTRACE_T_SIG:
		te = RKH_TE_FWK_SIG;
		gate_put(&p, n->value, GATE_SIG);
		break;
	case DEVTRACE_T_FUN:
		te = RKH_TE_FWK_FUN;
		gate_put(&p, n->key, GATE_PTR);
		break;
	case DEVTRACE_T_USR:
		te = RKH_TE_FWK_TUSR;
		for (user = RKH_TE_USER; user < RKH_TE_USER + 32; user++)
			if (DEVTRACE_RKH_TYPE(user) == n->value)
				break;
		if (user == RKH_TE_USER + 32)
			return;
		gate_put(&p, user, 1);
		break;
	default:
		return;
	}
	p += put_string(p, n->name, strlen(n->name));
	target_rkh(&g->target, te, out, (size_t)(p - out));
}

void rkh_symbol(struct gate *g, const struct gate_symbol *s)
{
	uint8_t out[GATE_NAME_BYTES], *p = begin(out, s->ts);
	const char *name;

	if (s->is_enum)
		name = gate_name(&g->names, DEVTRACE_T_ENUM, s->process, (uint32_t)s->symbol,
				 s->group, 0);
	else
		name = gate_name(&g->names, DEVTRACE_T_OBJ, s->process, 0, 0, s->symbol);
	if (!name)
		name = "";
	if (rkh_name_layout(s->kind)[1] == 'P')
		gate_put(&p, s->owner, GATE_PTR);
	gate_put(&p, s->symbol, s->is_enum ? 1 : GATE_PTR);
	p += put_string(p, name, strlen(name));
	target_rkh(&g->target, s->kind, out, (size_t)(p - out));
}

void rkh_forget(struct gate *g, uint32_t process)
{
	struct gate_symbols *all = &g->symbols;
	size_t i, kept = 0, told = 0;

	for (i = 0; i < all->nr; i++) {
		if (all->v[i].process == process)
			continue;
		told += i < all->told;
		all->v[kept++] = all->v[i];
	}
	all->nr = kept;
	all->told = told;
}

/* Hosts that connect later are told the symbol, too. NULL: there is no room for that. */
static const struct gate_symbol *keep(struct gate_symbols *all, const struct gate_symbol *s)
{
	size_t i;

	if (!all->v)
		all->v = calloc(GATE_SYMBOLS, sizeof(*all->v));
	for (i = 0; i < all->nr; i++) {
		struct gate_symbol *e = &all->v[i];

		if (e->kind != s->kind || e->symbol != s->symbol || e->owner != s->owner ||
		    e->process != s->process || e->group != s->group)
			continue;
		e->ts = s->ts;
		return e;
	}
	if (!all->v || all->nr == GATE_SYMBOLS)
		return NULL;
	all->v[all->nr] = *s;
	return &all->v[all->nr++];
}

/* A name that has a kind and an owner: AO STATE PSTATE TIMER EPOOL QUEUE ACTOR. */
static bool symbol(struct gate *g, const struct devtrace_event *e)
{
	struct devtrace_elem kind, sym, owner;
	const struct gate_symbol *kept;
	struct gate_symbol s = { .ts = e->ts, .process = gate_process(e) };
	const char *layout;
	size_t pos = 0;

	if (devtrace_elem_next(e->data, e->len, &pos, &kind) != 1 ||
	    devtrace_elem_next(e->data, e->len, &pos, &sym) != 1 ||
	    devtrace_elem_next(e->data, e->len, &pos, &owner) != 1 ||
	    kind.type != DEVTRACE_E_U8 || owner.type != DEVTRACE_E_OBJ ||
	    (sym.type != DEVTRACE_E_OBJ && !sym.is_enum))
		return false;
	layout = rkh_name_layout((uint8_t)kind.v.u);
	if (!layout || kind.v.u < RKH_TE_FWK_AO || sym.is_enum != (*layout == '1'))
		return false;
	s.kind = (uint8_t)kind.v.u;
	s.symbol = sym.v.u;
	s.owner = owner.v.u;
	s.is_enum = sym.is_enum;
	s.group = sym.is_enum ? sym.width : 0;
	kept = keep(&g->symbols, &s);
	if (kept)
		gate_announce_symbol(g, kept);
	else
		rkh_symbol(g, &s);
	return true;
}

static unsigned int size_of(char what)
{
	switch (what) {
	case 'P':
	case 'F':
	case 'd':
		return GATE_PTR;
	case 'p':
		return 1;
	case '1':
	case '2':
	case '4':
		return (unsigned int)(what - '0');
	}
	return GATE_CTR;
}

static bool fits(char what, const struct devtrace_elem *e)
{
	switch (what) {
	case 'P':
	case 'd':
		return e->type == DEVTRACE_E_OBJ;
	case 'F':
		return e->type == DEVTRACE_E_FUN;
	case 'S':
		return e->type == DEVTRACE_E_SIG;
	case 's':
		return e->type == DEVTRACE_E_STR;
	case 'p':
		return e->is_enum;
	case 'm':
	case 'q':
		/* "-": a counter that the RKH program was built without */
		if (e->type == DEVTRACE_E_STR)
			return true;
	}
	return e->type == DEVTRACE_E_U8 || e->type == DEVTRACE_E_U16 ||
	       e->type == DEVTRACE_E_U32 || e->type == DEVTRACE_E_X32;
}

static bool predefined(struct gate *g, uint8_t te, const char *layout,
		       const struct devtrace_event *e)
{
	uint8_t out[512], *p = begin(out, e->ts);
	struct devtrace_elem elem;
	size_t pos = 0;

	for (; *layout; layout++) {
		if (devtrace_elem_next(e->data, e->len, &pos, &elem) != 1 || !fits(*layout, &elem))
			return false;
		if (*layout == 's')
			p += put_string(p, elem.v.mem.p, elem.v.mem.len);
		else
			gate_put(&p, *layout == 'S' ? elem.v.sig.sig :
				 elem.type == DEVTRACE_E_STR ? 0 : elem.v.u, size_of(*layout));
	}
	if (pos != e->len)
		return false;
	/* Do not send the program's configuration: the gate has sent its own. */
	return te == RKH_TE_FWK_TCFG || target_rkh(&g->target, te, out, (size_t)(p - out));
}

/* The elements are encoded as in QS, but a signal has no object. */
static bool user(struct gate *g, uint8_t te, const struct devtrace_event *e)
{
	uint8_t out[GATE_BYTES], *p = begin(out, e->ts);
	struct devtrace_elem elem;
	size_t pos = 0;
	int ret;

	while ((ret = devtrace_elem_next(e->data, e->len, &pos, &elem)) == 1) {
		if ((size_t)(p - out) + elem.size > sizeof(out))
			return false;
		*p++ = elem.type == DEVTRACE_E_MEM ? DEVTRACE_E_MEM : *elem.raw;
		if (elem.type == DEVTRACE_E_SIG) {
			gate_put(&p, elem.v.sig.sig, GATE_SIG);
			continue;
		}
		memcpy(p, elem.raw + 1, elem.size - 1);
		p += elem.size - 1;
	}
	return !ret && target_rkh(&g->target, te, out, (size_t)(p - out));
}

void rkh_event(struct gate *g, const struct devtrace_event *e)
{
	unsigned int te;

	for (te = 0; te < RKH_TE_NEVENT; te++) {
		const char *layout = rkh_layout((uint8_t)te);
		const bool is_user = te >> 5 == RKH_TG_USR;

		if ((!layout && !is_user) || DEVTRACE_RKH_TYPE(te) != e->type)
			continue;
		if (is_user ? user(g, (uint8_t)te, e) : predefined(g, (uint8_t)te, layout, e))
			g->records++;
		else
			g->others++;
		return;
	}
	if (e->type == DEVTRACE_RKH_SYMBOL && symbol(g, e))
		g->records++;
	else
		g->others++;
}

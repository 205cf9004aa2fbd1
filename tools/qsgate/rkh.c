// SPDX-License-Identifier: GPL-2.0-only
/*
 * rkh.c - act as a target of RKH, for Trazer
 *
 * The options and the sizes of fields are those of the program's configuration record. Before the
 * program has sent one, signals, stamps and counters have 4 bytes, and pointers have 8. The gate
 * sends its own configuration record before the first frame, and again when the program's differs.
 * Time stamps have the width and rate that the gate chooses, unless the program's own stamps have
 * at most 4 bytes.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <devtrace/rkh/rkhtrc_define.h>
#include "common/rkh.h"
#include "gate.h"

/* rate of the gate's time stamps in Hz, which must fit in 16 bits of the configuration record */
#define TS_HZ		50000u
#define NSEC		1000000000u
#define VERSION		0x3400
#define POOLS		15
/* bits for events of the application and of all groups */
#define RKH_USER_ALL	0xc

/*
 * RKH's codes of element types, by devtrace's codes. Types that RKH does not have are sent as
 * strings.
 */
#define RKH_NO_ELEMENT	0xff
static const uint8_t rkh_codes[16] = {
	[DEVTRACE_E_I8] = 0, [DEVTRACE_E_U8] = 1, [DEVTRACE_E_I16] = 2, [DEVTRACE_E_U16] = 3,
	[DEVTRACE_E_I32] = 4, [DEVTRACE_E_U32] = 5, [DEVTRACE_E_X32] = 6, [DEVTRACE_E_STR] = 7,
	[DEVTRACE_E_MEM] = 8, [DEVTRACE_E_OBJ] = 9, [DEVTRACE_E_FUN] = 10, [DEVTRACE_E_SIG] = 11,
	[DEVTRACE_E_F32] = RKH_NO_ELEMENT, [DEVTRACE_E_F64] = RKH_NO_ELEMENT,
	[DEVTRACE_E_I64] = RKH_NO_ELEMENT, [DEVTRACE_E_U64] = RKH_NO_ELEMENT,
};

static const struct gate_rkh rkh_default = {
	.flags = RKH_SENDER | RKH_QUE_LWM | RKH_MP_LWM | RKH_NSEQ | RKH_TSTAMP | RKH_CHK |
		 RKH_USER_ALL,
	.version = VERSION, .hz = TS_HZ, .time = 4, .sig = GATE_SIG, .ptr = GATE_PTR,
	.tick = GATE_CTR, .nblk = GATE_CTR, .ne = GATE_CTR, .es = GATE_CTR, .bsize = GATE_CTR,
	.pools = POOLS,
};

void rkh_begin(struct gate *g)
{
	if (!g->layout.by_program) {
		g->layout = rkh_default;
		g->layout.ptr = g->ptr;
	}
	g->layout.told = false;
}

static void tell_layout(struct gate *g, bool anew)
{
	const struct gate_rkh *l = &g->layout;
	uint8_t out[RKH_TCFG_BYTES], *p = out;

	gate_put(&p, l->version, 2);
	gate_put(&p, l->flags, 4);
	gate_put(&p, (uint64_t)l->sig << 4 | l->time, 1);
	gate_put(&p, (uint64_t)l->ptr << 4 | l->tick, 1);
	gate_put(&p, (uint64_t)l->nblk << 4 | l->ne, 1);
	gate_put(&p, l->es, 1);
	gate_put(&p, (uint64_t)l->bsize << 4 | l->pools, 1);
	gate_put(&p, l->hz, 2);
	if (target_rkh_begin(&g->target, l, anew, RKH_TE_FWK_TCFG, out, sizeof(out)))
		g->layout.told = g->target.fd >= 0;
}

/* Begin a frame. Return the position of its data, which is after the time stamp if there is one. */
static uint8_t *begin(struct gate *g, uint8_t *out, uint64_t ts)
{
	if (!g->layout.version)
		rkh_begin(g);
	if (!g->layout.told)
		tell_layout(g, true);
	if (g->layout.flags & RKH_TSTAMP)
		gate_put(&out, ts / NSEC * g->layout.hz + ts % NSEC * g->layout.hz / NSEC,
			 g->layout.time);
	return out;
}

static bool rkh_send(struct gate *g, uint8_t te, const uint8_t *out, const uint8_t *end)
{
	return target_rkh(&g->target, &g->layout, te, out, (size_t)(end - out));
}

static bool is_size(unsigned int bytes)
{
	return bytes == 1 || bytes == 2 || bytes == 4;
}

static bool is_layout(const struct gate_rkh *l)
{
	return l->version && is_size(l->sig) && is_size(l->time) && is_size(l->tick) &&
	       (l->ptr == 2 || l->ptr == 4 || l->ptr == 8) && is_size(l->nblk) && is_size(l->ne) &&
	       is_size(l->es) && is_size(l->bsize) && l->flags < 2 * RKH_CHK;
}

static bool is_same_layout(const struct gate_rkh *a, const struct gate_rkh *b)
{
	return a->flags == b->flags && a->version == b->version && a->hz == b->hz &&
	       a->time == b->time && a->sig == b->sig && a->ptr == b->ptr && a->tick == b->tick &&
	       a->nblk == b->nblk && a->ne == b->ne && a->es == b->es && a->bsize == b->bsize &&
	       a->pools == b->pools;
}

/* Read the program's configuration, which has 8 elements. Later frames have its sizes. */
static bool take_layout(struct gate *g, const struct devtrace_event *e)
{
	struct gate_rkh l = { 0 };
	struct devtrace_elem elem;
	uint64_t v[8];
	size_t pos = 0, i;

	for (i = 0; i < 8; i++) {
		if (devtrace_elem_next(e->data, e->len, &pos, &elem) != 1 || !elem.size ||
		    elem.type == DEVTRACE_E_STR || elem.type == DEVTRACE_E_MEM)
			return false;
		v[i] = elem.v.u;
	}
	l.version = (uint16_t)v[0];
	l.flags = (uint32_t)v[1];
	l.sig = v[2] >> 4 & 15;
	l.time = v[2] & 15;
	l.ptr = v[3] >> 4 & 15;
	l.tick = v[3] & 15;
	l.nblk = v[4] >> 4 & 15;
	l.ne = v[4] & 15;
	l.es = (uint8_t)v[5];
	l.bsize = v[6] >> 4 & 15;
	l.pools = v[6] & 15;
	l.hz = (uint16_t)v[7];
	/*
	 * The program's time stamps are 64 bits of ns: send stamps of the gate's own width and
	 * rate.
	 */
	if (l.time > 4 || !l.hz) {
		l.time = 4;
		l.hz = TS_HZ;
	}
	if (!is_layout(&l))
		return false;
	l.told = g->layout.told;
	l.by_program = true;
	if (is_same_layout(&l, &g->layout)) {
		g->layout.by_program = true;
		return true;
	}
	g->layout = l;
	tell_layout(g, !l.told);
	return true;
}

static size_t put_string(uint8_t *p, const void *s, size_t n)
{
	if (n > 255)
		n = 255;
	memcpy(p, s, n);
	p[n] = 0;
	return n + 1;
}

/*
 * Return the number of an application's event within its group, or 32 if the type is not for such
 * events.
 */
static unsigned int rkh_user_number(uint32_t type)
{
	unsigned int n;

	for (n = 0; n < 32; n++)
		if (DEVTRACE_RKH_TYPE(RKH_TE_USER + n) == type)
			break;
	return n;
}

/*
 * Send the name of an application's event. Other names have no frame in
 * RKH: the events that use them contain them, see symbol().
 */
void rkh_name(struct gate *g, const struct qspy_name *n)
{
	const unsigned int user = rkh_user_number(n->value);
	uint8_t out[GATE_NAME_BYTES], *p, te;
	const struct gate_rkh *l = &g->layout;

	/*
	 * Check this before begin(), which sends the configuration: the event that only marks a
	 * program of RKH becomes no frame.
	 */
	if (n->kind == DEVTRACE_T_USR && user == 32)
		return;
	p = begin(g, out, 0);
	switch (n->kind) {
	case DEVTRACE_T_OBJ:
		te = RKH_TE_FWK_OBJ;
		if (!qspy_fits(n->key, l->ptr))
			return;
		gate_put(&p, n->key, l->ptr);
		break;
	case DEVTRACE_T_SIG:
		te = RKH_TE_FWK_SIG;
		if (!qspy_fits(n->value, l->sig))
			return;
		gate_put(&p, n->value, l->sig);
		break;
	case DEVTRACE_T_FUN:
		te = RKH_TE_FWK_FUN;
		if (!qspy_fits(n->key, l->ptr))
			return;
		gate_put(&p, n->key, l->ptr);
		break;
	case DEVTRACE_T_USR:
		te = RKH_TE_FWK_TUSR;
		gate_put(&p, user, 1);
		break;
	default:
		return;
	}
	p += put_string(p, n->name, strlen(n->name));
	rkh_send(g, te, out, p);
}

void rkh_symbol(struct gate *g, const struct gate_symbol *s)
{
	uint8_t out[GATE_NAME_BYTES], *p = begin(g, out, s->ts);
	const unsigned int ptr = g->layout.ptr;
	const char *name;

	if (s->is_enum)
		name = qspy_name(&g->names, DEVTRACE_T_ENUM, s->process, (uint32_t)s->symbol,
				 s->group, 0);
	else
		name = qspy_name(&g->names, DEVTRACE_T_OBJ, s->process, 0, 0, s->symbol);
	if (!name)
		name = "";
	if (!qspy_fits(s->owner, ptr) || !qspy_fits(s->symbol, ptr))
		return;
	if (rkh_name_layout(s->kind)[1] == 'P')
		gate_put(&p, s->owner, ptr);
	gate_put(&p, s->symbol, s->is_enum ? 1 : ptr);
	p += put_string(p, name, strlen(name));
	rkh_send(g, s->kind, out, p);
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

/* Store the symbol for hosts that connect later. Return NULL if there is no room. */
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

/* Process an event that names an object: AO STATE PSTATE TIMER EPOOL QUEUE ACTOR. */
static bool symbol(struct gate *g, const struct devtrace_event *e)
{
	struct devtrace_elem kind, sym, owner;
	const struct gate_symbol *kept;
	struct gate_symbol s = { .ts = e->ts, .process = qspy_process(e) };
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

static unsigned int size_of(const struct gate_rkh *l, char what)
{
	switch (what) {
	case 'P':
	case 'F':
		return l->ptr;
	case 'd':
		return l->flags & RKH_SENDER ? l->ptr : 0;
	case 'S':
		return l->sig;
	case 'o':
	case 'p':
		return 1;
	case 'N':
		return l->ne;
	case 'q':
		return l->flags & RKH_QUE_LWM ? l->ne : 0;
	case 'B':
		return l->nblk;
	case 'm':
		return l->flags & RKH_MP_LWM ? l->nblk : 0;
	case 'Z':
		return l->bsize;
	case 'E':
		return l->es;
	case 'T':
		return l->tick;
	default:
		return (unsigned int)(what - '0');
	}
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
	case 'o':
	case 'p':
		/*
		 * a number of a pool, for example, which RKH's manual writes as RKH_TRC_UI8(pool)
		 */
		return e->is_enum || e->type == DEVTRACE_E_U8;
	case 'm':
	case 'q':
		/* a string: the program was built without this counter, so the element is "-" */
		if (e->type == DEVTRACE_E_STR)
			return true;
	}
	return e->type == DEVTRACE_E_U8 || e->type == DEVTRACE_E_U16 ||
	       e->type == DEVTRACE_E_U32 || e->type == DEVTRACE_E_X32;
}

static bool predefined(struct gate *g, uint8_t te, const char *layout,
		       const struct devtrace_event *e)
{
	uint8_t out[512], *p = begin(g, out, e->ts);
	struct devtrace_elem elem;
	size_t pos = 0;

	for (; *layout; layout++) {
		unsigned int size;
		uint64_t v;

		if (devtrace_elem_next(e->data, e->len, &pos, &elem) != 1 || !fits(*layout, &elem))
			return false;
		if (*layout == 's') {
			p += put_string(p, elem.v.mem.p, elem.v.mem.len);
			continue;
		}
		v = *layout == 'S' ? elem.v.sig.sig : elem.type == DEVTRACE_E_STR ? 0 : elem.v.u;
		size = size_of(&g->layout, *layout);
		/* If RKH's configuration omits the field, it has 0 bytes. */
		if (size && !qspy_fits(v, size))
			return false;
		gate_put(&p, v, size);
	}
	return pos == e->len && rkh_send(g, te, out, p);
}

/*
 * Write an element as text, because RKH has no code for its type. Return the number of bytes, at
 * most 40.
 */
static size_t rkh_words(uint8_t *p, const struct devtrace_elem *e)
{
	char text[32];

	if (e->type == DEVTRACE_E_F32 || e->type == DEVTRACE_E_F64)
		snprintf(text, sizeof(text), "%g", e->v.f);
	else if (e->type == DEVTRACE_E_I64)
		snprintf(text, sizeof(text), "%" PRId64, e->v.i);
	else
		snprintf(text, sizeof(text), "%" PRIu64, e->v.u);
	*p = rkh_codes[DEVTRACE_E_STR];
	return 1 + put_string(p + 1, text, strlen(text));
}

/*
 * Write an element of an application's event. Return 0 if the value does not fit the layout's
 * field.
 */
static size_t rkh_element(const struct gate_rkh *l, uint8_t *out, const struct devtrace_elem *e)
{
	const uint8_t code = e->is_enum ? rkh_codes[DEVTRACE_E_U8] : rkh_codes[e->type & 0xf];
	const bool symbol = e->type == DEVTRACE_E_OBJ || e->type == DEVTRACE_E_FUN;
	const bool sig = e->type == DEVTRACE_E_SIG;
	uint8_t *p = out;

	if (code == RKH_NO_ELEMENT)
		return rkh_words(out, e);
	/* The high nibble is the width, except for an enumeration and for a piece of memory. */
	*p++ = e->is_enum || e->type == DEVTRACE_E_MEM ? code : (uint8_t)((*e->raw & 0xf0) | code);
	if (!e->is_enum && (symbol || sig)) {
		const uint64_t v = sig ? e->v.sig.sig : e->v.u;
		const unsigned int size = sig ? l->sig : l->ptr;

		if (!qspy_fits(v, size))
			return 0;
		gate_put(&p, v, size);
		return (size_t)(p - out);
	}
	memcpy(p, e->raw + 1, e->size - 1);
	return e->size;
}

static bool user(struct gate *g, uint8_t te, const struct devtrace_event *e)
{
	uint8_t out[GATE_BYTES], *p = begin(g, out, e->ts);
	struct devtrace_elem elem;
	size_t pos = 0;
	int ret;

	while ((ret = devtrace_elem_next(e->data, e->len, &pos, &elem)) == 1) {
		size_t n;

		if ((size_t)(p - out) + elem.size + 40 > sizeof(out))
			return false;
		n = rkh_element(&g->layout, p, &elem);
		if (!n)
			return false;
		p += n;
	}
	return !ret && rkh_send(g, te, out, p);
}

static bool rkh_convert(struct gate *g, const struct devtrace_event *e)
{
	unsigned int te;

	if (e->type == DEVTRACE_RKH_TYPE(RKH_TE_FWK_TCFG))
		return take_layout(g, e);
	for (te = 0; te < RKH_TE_NEVENT; te++) {
		const char *layout = rkh_layout((uint8_t)te);
		const bool is_user = te >> 5 == RKH_TG_USR;

		if ((!layout && !is_user) || DEVTRACE_RKH_TYPE(te) != e->type)
			continue;
		return is_user ? user(g, (uint8_t)te, e) :
				 predefined(g, (uint8_t)te, layout, e);
	}
	return e->type == DEVTRACE_RKH_SYMBOL && symbol(g, e);
}

void rkh_event(struct gate *g, const struct devtrace_event *e)
{
	if (!rkh_convert(g, e)) {
		g->others++;
		return;
	}
	g->records++;
	gate_note_process(g, qspy_process(e));
}

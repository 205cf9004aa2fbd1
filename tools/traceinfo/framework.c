// SPDX-License-Identifier: GPL-2.0-only
/*
 * framework.c - the elements of each event type of QP and RKH
 *
 * The table has a row for each type. A member such as .signal is the position of that element in
 * the event, counted from 1; 0 means that the type has no such element. If an element in the event
 * has not the type that its meaning requires, the event is not from a framework.
 *
 * .one means that at least one place of the queue or pool is in use besides the free places that
 * the event reports: the event just put into a queue, the block just taken from a pool, or the
 * event that remains in a QP queue. (For taking the last event QP has a different type.)
 */
#include <stdio.h>
#include "framework.h"

#define MAX_ELEMENTS	8

static const struct row {
	uint8_t	type, kind;
	bool	got, one;
	uint8_t	object, from, to, signal, state, nfree, used, least;
} rows[] = {
	/* QP: numbers of QS */
	{ .type = 4, .kind = FW_INIT, .object = 1, .state = 2 },
	{ .type = 5, .kind = FW_INTERN, .signal = 1, .object = 2, .state = 3 },
	{ .type = 6, .kind = FW_TRAN, .signal = 1, .object = 2, .state = 4 },
	{ .type = 7, .kind = FW_IGNORED, .signal = 1, .object = 2, .state = 3 },
	{ .type = 8, .kind = FW_DISPATCH, .signal = 1, .object = 2, .state = 3 },
	{ .type = 9, .kind = FW_UNHANDLED, .signal = 1, .object = 2, .state = 3 },
	{ .type = 14, .kind = FW_POST, .from = 1, .signal = 2, .to = 3, .nfree = 6, .least = 7,
	  .one = true },
	{ .type = 15, .kind = FW_POST, .signal = 1, .to = 2, .nfree = 5, .least = 6, .one = true },
	{ .type = 16, .kind = FW_GET, .signal = 1, .to = 2, .nfree = 5, .one = true },
	{ .type = 17, .kind = FW_GET, .signal = 1, .to = 2 },
	{ .type = 19, .kind = FW_QUEUE, .object = 2, .nfree = 5, .least = 6, .one = true },
	{ .type = 20, .kind = FW_QUEUE, .object = 2, .nfree = 5, .least = 6, .one = true },
	{ .type = 21, .kind = FW_QUEUE, .object = 2, .nfree = 5, .got = true, .one = true },
	{ .type = 22, .kind = FW_QUEUE, .object = 2, .got = true },
	{ .type = 24, .kind = FW_POOL, .object = 1, .nfree = 2, .least = 3, .got = true,
	  .one = true },
	{ .type = 25, .kind = FW_POOL, .object = 1, .nfree = 2 },
	{ .type = 32, .kind = FW_ARM, .object = 1, .to = 2 },
	{ .type = 33, .kind = FW_DISARM, .object = 1, .to = 2 },
	{ .type = 35, .kind = FW_DISARM, .object = 1, .to = 2 },
	{ .type = 36, .kind = FW_ARM, .object = 1, .to = 2 },
	{ .type = 37, .kind = FW_TIMEOUT, .object = 1, .signal = 2, .to = 3 },
	{ .type = 45, .kind = FW_REFUSED, .from = 1, .signal = 2, .to = 3, .nfree = 6 },
	/* RKH: types of rkh.fmt */
	{ .type = 193, .kind = FW_POOL, .object = 1, .nfree = 2, .least = 3, .got = true,
	  .one = true },
	{ .type = 194, .kind = FW_POOL, .object = 1, .nfree = 2 },
	{ .type = 196, .kind = FW_QUEUE, .object = 1, .used = 2, .got = true },
	{ .type = 197, .kind = FW_QUEUE, .object = 1, .used = 2, .least = 3 },
	{ .type = 198, .kind = FW_QUEUE, .object = 1, .used = 2, .least = 3 },
	{ .type = 204, .kind = FW_GET, .to = 1, .signal = 2, .used = 5, .least = 6 },
	{ .type = 205, .kind = FW_POST, .to = 1, .signal = 2, .from = 3, .used = 6, .least = 7 },
	{ .type = 206, .kind = FW_POST, .to = 1, .signal = 2, .from = 3, .used = 6, .least = 7 },
	{ .type = 211, .kind = FW_INIT, .object = 1, .state = 2 },
	{ .type = 214, .kind = FW_STATE, .object = 1, .state = 2 },
	{ .type = 220, .kind = FW_DONE, .object = 1 },
	{ .type = 221, .kind = FW_UNHANDLED, .object = 1, .signal = 2 },
	{ .type = 222, .kind = FW_IGNORED, .object = 1 },
	{ .type = 228, .kind = FW_DISPATCH, .object = 1, .signal = 2, .state = 3 },
	{ .type = 230, .kind = FW_ARM, .object = 1, .to = 2 },
	{ .type = 231, .kind = FW_DISARM, .object = 1 },
	{ .type = 232, .kind = FW_TIMEOUT, .object = 1, .signal = 2, .to = 3 },
};

static const struct row *find(const struct ti_event *e)
{
	const uint8_t type = e->ev->type;
	size_t i;

	if (type >= DEVTRACE_T_USER2 && (!e->entry || strncmp(e->entry->name, "RKH_", 4)))
		return NULL;
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (rows[i].type == type)
			return &rows[i];
	return NULL;
}

struct elements {
	struct devtrace_elem v[MAX_ELEMENTS];
	unsigned int	n;
};

static void split(struct elements *l, const struct devtrace_event *ev)
{
	size_t pos = 0;

	for (l->n = 0; l->n < MAX_ELEMENTS; l->n++)
		if (devtrace_elem_next(ev->data, ev->len, &pos, &l->v[l->n]) != 1)
			break;
}

/* Return the element at position @n, counted from 1, if it has this type. Return NULL for 0. */
static const struct devtrace_elem *place(const struct elements *l, unsigned int n, uint8_t type)
{
	const struct devtrace_elem *e;

	if (!n || n > l->n)
		return NULL;
	e = &l->v[n - 1];
	return !e->is_enum && e->type == type ? e : NULL;
}

static bool key(const struct elements *l, unsigned int n, uint8_t type, uint64_t *v)
{
	const struct devtrace_elem *e = place(l, n, type);

	if (e)
		*v = e->v.u;
	return e || !n;
}

static int64_t number(const struct elements *l, unsigned int n)
{
	static const uint8_t types[] = { DEVTRACE_E_U8, DEVTRACE_E_U16, DEVTRACE_E_U32 };
	size_t i;

	for (i = 0; i < sizeof(types); i++) {
		const struct devtrace_elem *e = place(l, n, types[i]);

		if (e)
			return (int64_t)e->v.u;
	}
	return FW_NO;
}

bool fw_event(struct fw_event *f, const struct ti_event *e)
{
	const struct row *r = find(e);
	const struct devtrace_elem *sig;
	struct elements l;

	if (!r)
		return false;
	memset(f, 0, sizeof(*f));
	split(&l, e->ev);
	f->kind = r->kind;
	f->got = r->got;
	f->rkh = r->type >= DEVTRACE_T_USER2;
	sig = place(&l, r->signal, DEVTRACE_E_SIG);
	if (!key(&l, r->object, DEVTRACE_E_OBJ, &f->object) ||
	    !key(&l, r->from, DEVTRACE_E_OBJ, &f->from) ||
	    !key(&l, r->to, DEVTRACE_E_OBJ, &f->to) ||
	    !key(&l, r->state, f->rkh ? DEVTRACE_E_OBJ : DEVTRACE_E_FUN, &f->state) ||
	    (r->signal && !sig))
		return false;
	f->has_from = r->from && f->from;
	if (sig) {
		f->has_signal = true;
		f->signal = sig->v.sig.sig;
		f->signal_object = sig->v.sig.obj;
	}
	f->nfree = number(&l, r->nfree);
	f->used = number(&l, r->used);
	f->least = number(&l, r->least);
	f->room = f->nfree == FW_NO ? FW_NO : f->nfree + (r->one ? 1 : 0);
	return true;
}

static void named(char *buf, size_t size, const char *name, const char *format, uint64_t v)
{
	if (name)
		snprintf(buf, size, "%s", name);
	else
		snprintf(buf, size, format, (unsigned long long)v);
}

void fw_object_name(char *buf, size_t size, const struct ti_event *e, uint64_t k)
{
	named(buf, size, ti_event_dict(e, DEVTRACE_T_OBJ, 0, 0, k), "0x%llx", k);
}

void fw_state_name(char *buf, size_t size, const struct ti_event *e, const struct fw_event *f)
{
	named(buf, size, ti_event_dict(e, f->rkh ? DEVTRACE_T_OBJ : DEVTRACE_T_FUN, 0, 0, f->state),
	      "0x%llx", f->state);
}

void fw_signal_name(char *buf, size_t size, const struct ti_event *e, const struct fw_event *f)
{
	const char *s = ti_event_dict(e, DEVTRACE_T_SIG, f->signal, 0, f->signal_object);

	named(buf, size, s, "%llu", f->signal);
}

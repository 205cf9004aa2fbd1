// SPDX-License-Identifier: GPL-2.0-only
/*
 * qspy_record.c - convert an event of the stream to a record of QS
 */
#include <string.h>
#include <devtrace-rx.h>
#include "common/qs.h"
#include "common/qspy.h"

static bool is_number(const struct devtrace_elem *e)
{
	switch (e->type) {
	case DEVTRACE_E_I8:
	case DEVTRACE_E_U8:
	case DEVTRACE_E_U16:
	case DEVTRACE_E_U32:
	case DEVTRACE_E_X32:
		return true;
	}
	return false;
}

/* Store the element as field @i. Return false if the layout requires another type there. */
static bool take(struct qspy_record *r, unsigned int i, char what, const struct devtrace_elem *e)
{
	switch (what) {
	case 'S':
		if (e->type != DEVTRACE_E_SIG)
			return false;
		r->v[i] = e->v.sig.sig;
		r->object = e->v.sig.obj;
		return qspy_fits(r->object, r->ptr);
	case 'O':
		r->v[i] = e->v.u;
		return e->type == DEVTRACE_E_OBJ && qspy_fits(e->v.u, r->ptr);
	case 'F':
		r->v[i] = e->v.u;
		return e->type == DEVTRACE_E_FUN && qspy_fits(e->v.u, r->ptr);
	case 's':
		if (e->type != DEVTRACE_E_STR)
			return false;
		r->s = e->v.mem.p;
		r->len = e->v.mem.len;
		return true;
	}
	r->v[i] = e->v.u;
	return is_number(e);
}

/* Convert an event whose elements must be exactly those of the layout. */
static bool strict(const struct devtrace_event *e, struct qspy_record *r)
{
	struct devtrace_elem elem;
	unsigned int i;
	size_t pos = 0;

	for (i = 0; r->layout[i]; i++) {
		if (r->layout[i] == 'T') {
			r->v[i] = r->time;
			continue;
		}
		if (devtrace_elem_next(e->data, e->len, &pos, &elem) != 1 ||
		    !take(r, i, r->layout[i], &elem))
			return false;
	}
	return pos == e->len;
}

/*
 * Convert the answer to a query, which may contain elements that QS does not have. Each field gets
 * the next element of its type, or 0 if there is none.
 */
static bool query(const struct devtrace_event *e, bool old, struct qspy_record *r)
{
	struct devtrace_elem elem;
	const char *layout;
	unsigned int i;
	size_t pos = 0, from;
	uint8_t kind;

	if (devtrace_elem_next(e->data, e->len, &pos, &elem) != 1 || !is_number(&elem))
		return false;
	kind = (uint8_t)elem.v.u;
	layout = qs_query(kind, old);
	/* QS has no layout for objects of the application: send the object alone. */
	if (kind == DEVTRACE_RX_AP)
		layout = "O";
	if (!layout)
		return false;
	r->layout = layout;
	r->v[QSPY_VALUES - 1] = kind;
	for (i = 0; layout[i]; i++) {
		from = pos;
		for (;;) {
			if (devtrace_elem_next(e->data, e->len, &pos, &elem) != 1) {
				r->v[i] = 0;
				pos = from;
				break;
			}
			if (take(r, i, layout[i], &elem))
				break;
		}
	}
	return true;
}

static bool peek(const struct devtrace_event *e, struct qspy_record *r)
{
	struct devtrace_elem elem;
	unsigned int i;
	size_t pos = 0;

	for (i = 0; i < 3; i++) {
		if (devtrace_elem_next(e->data, e->len, &pos, &elem) != 1 || !is_number(&elem))
			return false;
		r->v[i] = elem.v.u;
	}
	while (devtrace_elem_next(e->data, e->len, &pos, &elem) == 1) {
		if (elem.type != DEVTRACE_E_MEM || elem.v.mem.len > sizeof(r->bytes) - r->len)
			return false;
		memcpy(r->bytes + r->len, elem.v.mem.p, elem.v.mem.len);
		r->len += elem.v.mem.len;
	}
	r->s = r->bytes;
	return r->len == r->v[1] * r->v[2] && r->v[1] && r->v[1] <= 4 && r->v[1] != 3;
}

/* Return the pointer in an element, or 0 if the element contains none. */
static uint64_t pointer_of(const struct devtrace_elem *e)
{
	if (e->type == DEVTRACE_E_SIG)
		return e->v.sig.obj;
	return e->type == DEVTRACE_E_OBJ || e->type == DEVTRACE_E_FUN ? e->v.u : 0;
}

static bool user(const struct devtrace_event *e, struct qspy_record *r)
{
	struct devtrace_elem elem;
	size_t pos = 0;
	int ret;

	while ((ret = devtrace_elem_next(e->data, e->len, &pos, &elem)) == 1)
		if (!qspy_fits(pointer_of(&elem), r->ptr))
			return false;
	r->data = e->data;
	r->data_len = e->len;
	return !ret;
}

bool qspy_record(const struct devtrace_event *e, bool old, uint8_t ptr, struct qspy_record *r)
{
	const int id = qs_record(e->type);

	if (id <= 0 || id == QS_TARGET_INFO)
		return false;
	r->id = (uint8_t)id;
	r->process = qspy_process(e);
	r->time = (uint32_t)(e->ts / 1000);
	r->ptr = ptr;
	r->layout = qs_layout((uint8_t)id);
	r->object = 0;
	r->len = r->data_len = 0;
	r->s = r->data = NULL;
	if (id == QS_QUERY_DATA)
		return query(e, old, r);
	if (id == QS_PEEK_DATA)
		return peek(e, r);
	return r->layout ? strict(e, r) : user(e, r);
}

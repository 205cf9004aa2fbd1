// SPDX-License-Identifier: GPL-2.0-only
/*
 * record.c - convert an event of the stream to a record of QS, and encode the record
 *
 * The gate acts as a target whose fields are large enough for any program on Linux: signals and
 * counters have 4 bytes, and pointers are as wide as on the machine that recorded.
 */
#include <string.h>
#include "common/qs.h"
#include "gate.h"

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
static bool take(struct gate_record *r, unsigned int i, char what, const struct devtrace_elem *e)
{
	switch (what) {
	case 'S':
		if (e->type != DEVTRACE_E_SIG)
			return false;
		r->v[i] = e->v.sig.sig;
		r->object = e->v.sig.obj;
		return gate_fits(r->object, r->ptr);
	case 'O':
		r->v[i] = e->v.u;
		return e->type == DEVTRACE_E_OBJ && gate_fits(e->v.u, r->ptr);
	case 'F':
		r->v[i] = e->v.u;
		return e->type == DEVTRACE_E_FUN && gate_fits(e->v.u, r->ptr);
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
static bool strict(const struct devtrace_event *e, struct gate_record *r)
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
static bool query(const struct devtrace_event *e, bool old, struct gate_record *r)
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
	r->v[GATE_VALUES - 1] = kind;
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

static bool peek(const struct devtrace_event *e, struct gate_record *r)
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

static bool user(const struct devtrace_event *e, struct gate_record *r)
{
	struct devtrace_elem elem;
	size_t pos = 0;
	int ret;

	while ((ret = devtrace_elem_next(e->data, e->len, &pos, &elem)) == 1)
		if (!gate_fits(pointer_of(&elem), r->ptr))
			return false;
	r->data = e->data;
	r->data_len = e->len;
	return !ret;
}

bool gate_record(const struct devtrace_event *e, bool old, uint8_t ptr, struct gate_record *r)
{
	const int id = qs_record(e->type);

	if (id <= 0 || id == QS_TARGET_INFO)
		return false;
	r->id = (uint8_t)id;
	r->process = gate_process(e);
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

bool gate_stamp(struct gate_record *r, uint32_t time)
{
	const bool always = !r->layout || r->id == QS_QUERY_DATA || r->id == QS_PEEK_DATA;

	if (!always && *r->layout != 'T')
		return false;
	r->time = time;
	if (!always)
		r->v[0] = time;
	return true;
}

void gate_status(struct gate_record *r, uint8_t status, uint32_t time)
{
	memset(r, 0, sizeof(*r));
	r->id = QS_RX_STATUS;
	r->time = time;
	r->layout = qs_layout(QS_RX_STATUS);
	r->v[0] = status;
}

static unsigned int size_of(const struct gate_record *r, char what)
{
	switch (what) {
	case 'T':
		return GATE_TIME;
	case 'S':
		return GATE_SIG;
	case 'O':
	case 'F':
		return r->ptr;
	case '1':
	case '2':
	case '4':
		return (unsigned int)(what - '0');
	}
	return GATE_CTR;
}

/* Encode the elements of an application record. */
static size_t user_bytes(const struct gate_record *r, uint8_t *out)
{
	struct devtrace_elem e;
	uint8_t *p = out;
	size_t pos = 0;

	gate_put(&p, r->time, GATE_TIME);
	while (devtrace_elem_next(r->data, r->data_len, &pos, &e) == 1) {
		/* An element is never longer in the record than in the stream. */
		if ((size_t)(p - out) + e.size > GATE_BYTES)
			break;
		switch (e.type) {
		case DEVTRACE_E_MEM:
			gate_put(&p, DEVTRACE_E_MEM, 1);
			memcpy(p, e.raw + 1, e.size - 1);
			p += e.size - 1;
			break;
		case DEVTRACE_E_OBJ:
		case DEVTRACE_E_FUN:
			gate_put(&p, e.raw[0], 1);
			gate_put(&p, e.v.u, r->ptr);
			break;
		case DEVTRACE_E_SIG:
			gate_put(&p, e.raw[0], 1);
			gate_put(&p, e.v.sig.sig, GATE_SIG);
			gate_put(&p, e.v.sig.obj, r->ptr);
			break;
		default:
			memcpy(p, e.raw, e.size);
			p += e.size;
		}
	}
	return (size_t)(p - out);
}

size_t gate_bytes(const struct gate_record *r, uint8_t *out)
{
	const char *layout = r->layout;
	uint8_t *p = out;
	unsigned int i;

	if (r->id == QS_PEEK_DATA) {
		gate_put(&p, r->time, GATE_TIME);
		gate_put(&p, r->v[0], 2);
		gate_put(&p, r->v[1], 1);
		gate_put(&p, r->v[2], 1);
		memcpy(p, r->s, r->len);
		return (size_t)(p - out) + r->len;
	}
	if (!layout)
		return user_bytes(r, out);
	if (r->id == QS_QUERY_DATA) {
		gate_put(&p, r->time, GATE_TIME);
		gate_put(&p, r->v[GATE_VALUES - 1], 1);
	}
	for (i = 0; layout[i] && layout[i] != 's'; i++)
		gate_put(&p, r->v[i], size_of(r, layout[i]));
	if (layout[i]) {
		size_t n = r->len < 256 ? r->len : 256;

		memcpy(p, r->s, n);
		p += n;
		*p++ = 0;
	}
	return (size_t)(p - out);
}

size_t gate_name_bytes(const struct gate_name *n, uint8_t ptr, uint8_t *out)
{
	uint8_t *p = out;
	size_t len = strlen(n->name) + 1;

	if (!gate_fits(n->key, ptr))
		return 0;
	switch (n->kind) {
	case QS_SIG_DICT:
		gate_put(&p, n->value, GATE_SIG);
		gate_put(&p, n->key, ptr);
		break;
	case QS_OBJ_DICT:
	case QS_FUN_DICT:
		gate_put(&p, n->key, ptr);
		break;
	case QS_USR_DICT:
		gate_put(&p, n->value, 1);
		break;
	case QS_ENUM_DICT:
		gate_put(&p, n->value, 1);
		gate_put(&p, n->group, 1);
		break;
	default:
		return 0;
	}
	memcpy(p, n->name, len);
	return (size_t)(p - out) + len;
}

/* Instead of a build time, the target information has a constant date, GATE_DATE. */
size_t gate_target_info(bool reset, bool old, uint8_t ptr, uint8_t *out)
{
	/* sec min hour day month year */
	static const uint8_t built[] = { 0, 0, 12, 15, 7, 26 };
	uint8_t *p = out;

	if (old) {
		gate_put(&p, reset ? 0xff : 0, 1);
		gate_put(&p, GATE_OLD, 2);
	} else {
		gate_put(&p, 2u | 1u << 2 | (reset ? 0x40u : 0), 1);
		gate_put(&p, ~(uint32_t)(GATE_DATE * 10000u + GATE_VERSION), 4);
	}
	gate_put(&p, GATE_SIG | GATE_CTR << 4, 1);
	gate_put(&p, GATE_CTR | GATE_CTR << 4, 1);
	gate_put(&p, GATE_CTR | GATE_CTR << 4, 1);
	gate_put(&p, ptr | (unsigned int)ptr << 4, 1);
	gate_put(&p, GATE_TIME, 1);
	gate_put(&p, 64, 1);
	gate_put(&p, 5u | 2u << 4, 1);
	memcpy(p, built, sizeof(built));
	return (size_t)(p - out) + sizeof(built);
}

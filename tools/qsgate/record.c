// SPDX-License-Identifier: GPL-2.0-only
/*
 * record.c - encode records of QS
 *
 * The gate acts as a target whose fields are large enough for any program on Linux: signals and
 * counters have 4 bytes, and pointers are as wide as on the machine that recorded.
 */
#include <string.h>
#include "common/qs.h"
#include "gate.h"

bool gate_stamp(struct qspy_record *r, uint32_t time)
{
	const bool always = !r->layout || r->id == QS_QUERY_DATA || r->id == QS_PEEK_DATA;

	if (!always && *r->layout != 'T')
		return false;
	r->time = time;
	if (!always)
		r->v[0] = time;
	return true;
}

void gate_status(struct qspy_record *r, uint8_t status, uint32_t time)
{
	memset(r, 0, sizeof(*r));
	r->id = QS_RX_STATUS;
	r->time = time;
	r->layout = qs_layout(QS_RX_STATUS);
	r->v[0] = status;
}

static unsigned int size_of(const struct qspy_record *r, char what)
{
	switch (what) {
	case 'T':
		return QSPY_TIME;
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
static size_t user_bytes(const struct qspy_record *r, uint8_t *out)
{
	struct devtrace_elem e;
	uint8_t *p = out;
	size_t pos = 0;

	gate_put(&p, r->time, QSPY_TIME);
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

size_t gate_bytes(const struct qspy_record *r, uint8_t *out)
{
	const char *layout = r->layout;
	uint8_t *p = out;
	unsigned int i;

	if (r->id == QS_PEEK_DATA) {
		gate_put(&p, r->time, QSPY_TIME);
		gate_put(&p, r->v[0], 2);
		gate_put(&p, r->v[1], 1);
		gate_put(&p, r->v[2], 1);
		memcpy(p, r->s, r->len);
		return (size_t)(p - out) + r->len;
	}
	if (!layout)
		return user_bytes(r, out);
	if (r->id == QS_QUERY_DATA) {
		gate_put(&p, r->time, QSPY_TIME);
		gate_put(&p, r->v[QSPY_VALUES - 1], 1);
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

size_t gate_name_bytes(const struct qspy_name *n, uint8_t ptr, uint8_t *out)
{
	uint8_t *p = out;
	size_t len = strlen(n->name) + 1;

	if (!qspy_fits(n->key, ptr))
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
	gate_put(&p, QSPY_TIME, 1);
	gate_put(&p, 64, 1);
	gate_put(&p, 5u | 2u << 4, 1);
	memcpy(p, built, sizeof(built));
	return (size_t)(p - out) + sizeof(built);
}

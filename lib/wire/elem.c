// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * elem.c - parse the data elements of an event
 *
 * Programs build the elements and the kernel does not check them, so they may be malicious:
 * nothing is read beyond the end of the data.
 */
#include <string.h>

#include "bytes.h"
#include "devtrace-decode.h"

/* Number of bytes after the format byte, for types of fixed size. */
static const uint8_t fixed_size[16] = {
	[DEVTRACE_E_I8] = 1, [DEVTRACE_E_U8] = 1,
	[DEVTRACE_E_I16] = 2, [DEVTRACE_E_U16] = 2,
	[DEVTRACE_E_I32] = 4, [DEVTRACE_E_U32] = 4, [DEVTRACE_E_X32] = 4,
	[DEVTRACE_E_F32] = 4, [DEVTRACE_E_F64] = 8,
	[DEVTRACE_E_SIG] = 12, [DEVTRACE_E_OBJ] = 8, [DEVTRACE_E_FUN] = 8,
	[DEVTRACE_E_I64] = 8, [DEVTRACE_E_U64] = 8,
};

int devtrace_elem_next(const uint8_t *data, size_t len, size_t *pos,
		       struct devtrace_elem *e)
{
	const uint8_t *p, *nul;
	size_t left, size;

	if (*pos >= len)
		return *pos == len ? 0 : -1;
	e->raw = data + *pos;
	e->type = *e->raw & 0xf;
	e->width = *e->raw >> 4;
	e->is_enum = false;
	p = e->raw + 1;
	left = len - *pos - 1;

	size = fixed_size[e->type];
	if (size > left)
		return -1;
	switch (e->type) {
	case DEVTRACE_E_I8:
		if (e->width & 8) {
			e->is_enum = true;
			e->width &= 7;
			e->v.u = *p;
		} else {
			e->v.i = (int8_t)*p;
		}
		break;
	case DEVTRACE_E_U8:
		e->v.u = *p;
		break;
	case DEVTRACE_E_I16:
		e->v.i = (int16_t)dt_le16(p);
		break;
	case DEVTRACE_E_U16:
		e->v.u = dt_le16(p);
		break;
	case DEVTRACE_E_I32:
		e->v.i = (int32_t)dt_le32(p);
		break;
	case DEVTRACE_E_U32:
	case DEVTRACE_E_X32:
		e->v.u = dt_le32(p);
		break;
	case DEVTRACE_E_F32: {
		uint32_t bits = dt_le32(p);
		float f;

		memcpy(&f, &bits, sizeof(f));
		e->v.f = (double)f;
		break;
	}
	case DEVTRACE_E_F64: {
		uint64_t bits = dt_le64(p);

		memcpy(&e->v.f, &bits, sizeof(e->v.f));
		break;
	}
	case DEVTRACE_E_SIG:
		e->v.sig.sig = dt_le32(p);
		e->v.sig.obj = dt_le64(p + 4);
		break;
	case DEVTRACE_E_I64:
		e->v.i = (int64_t)dt_le64(p);
		break;
	case DEVTRACE_E_OBJ:
	case DEVTRACE_E_FUN:
	case DEVTRACE_E_U64:
		e->v.u = dt_le64(p);
		break;
	case DEVTRACE_E_STR:
		nul = memchr(p, 0, left);
		if (!nul)
			return -1;
		e->v.mem.p = p;
		e->v.mem.len = (size_t)(nul - p);
		size = e->v.mem.len + 1;
		break;
	case DEVTRACE_E_MEM:
		if (!left || *p > left - 1)
			return -1;
		e->v.mem.p = p + 1;
		e->v.mem.len = *p;
		size = e->v.mem.len + 1;
		break;
	}
	e->size = size + 1;
	*pos += e->size;
	return 1;
}

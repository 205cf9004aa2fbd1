// SPDX-License-Identifier: GPL-2.0-only
/*
 * element.c - convert elements of records, in the sizes of the target, to devtrace elements
 *
 * An element consists of a format byte and a value. The low nibble of the format byte is a code
 * for the type, the high nibble a width. The codes up to U32 are the same in QS and RKH, the
 * others differ. A signal of RKH has no object.
 */
#include <string.h>
#include "common/le.h"
#include "traceconv.h"

void conv_number(struct conv *c, uint64_t v, unsigned int bytes)
{
	if (bytes == 1)
		conv_u(c, DEVTRACE_E_U8, v, 1);
	else if (bytes == 2)
		conv_u(c, DEVTRACE_E_U16, v, 2);
	else if (bytes == 4)
		conv_u(c, DEVTRACE_E_U32, v, 4);
	else
		conv_u(c, DEVTRACE_E_U64, v, 8);
}

/* Return the type of an element, or CONV_NO_ELEMENT if the code stands for no element. */
static uint8_t element_type(const uint8_t *types, uint8_t format)
{
	return types ? types[format & 0xf] : format & 0xf;
}

/*
 * Return the size of an element of the application without its format byte. Return 0 if the
 * element is truncated.
 */
static size_t element_size(const struct conv *c, uint8_t type, const uint8_t *p, size_t n,
			   unsigned int sig_object)
{
	static const uint8_t fixed[16] = { 1, 1, 2, 2, 4, 4, 4, 8, 0, 0, 0, 0, 0, 8, 8, 4 };
	const uint8_t *nul;
	size_t size = fixed[type];

	switch (type) {
	case DEVTRACE_E_STR:
		nul = memchr(p + 1, 0, n - 1);
		return nul ? (size_t)(nul - p) : 0;
	case DEVTRACE_E_MEM:
		size = n > 1 ? 1u + p[1] : n;
		break;
	case DEVTRACE_E_SIG:
		size = c->sizes.sig + sig_object;
		break;
	case DEVTRACE_E_OBJ:
		size = c->sizes.obj;
		break;
	case DEVTRACE_E_FUN:
		size = c->sizes.fun;
		break;
	}
	return size < n ? size : 0;
}

static void one_element(struct conv *c, uint8_t type, const uint8_t *p, size_t size,
			unsigned int sig_object)
{
	const uint8_t format = (uint8_t)((*p & 0xf0) | type);

	switch (type) {
	case DEVTRACE_E_STR:
		conv_mem(c, format, p + 1, size - 1);
		break;
	case DEVTRACE_E_MEM:
		/*
		 * The width 0 marks a buffer in one piece; the buffers of targets are never split.
		 */
		conv_mem(c, DEVTRACE_E_MEM, p + 2, size - 1);
		break;
	case DEVTRACE_E_SIG:
		conv_signal(c, le_read(p + 1, c->sizes.sig),
			    le_read(p + 1 + c->sizes.sig, sig_object));
		break;
	case DEVTRACE_E_OBJ:
	case DEVTRACE_E_FUN:
		conv_u(c, format, le_read(p + 1, (unsigned int)size), 8);
		break;
	default:
		conv_u(c, format, le_read(p + 1, (unsigned int)size), (unsigned int)size);
	}
}

/*
 * Write an element of RKH. In devtrace, an I8 with a width of 8 or more would be an enumeration,
 * so such a width becomes 7.
 */
static void rkh_element(struct conv *c, uint8_t type, const uint8_t *p, size_t size)
{
	if (type == DEVTRACE_E_I8 && *p & 0x80)
		conv_u(c, 0x70 | DEVTRACE_E_I8, p[1], 1);
	else
		one_element(c, type, p, size, 0);
}

enum conv_user conv_user(struct conv *c, const uint8_t *p, size_t n, const uint8_t *types,
			 unsigned int sig_object)
{
	size_t pos, size;

	for (pos = 0; pos < n; pos += 1 + size) {
		const uint8_t type = element_type(types, p[pos]);

		/*
		 * The size of this element is unknown, and so are the positions of the next ones.
		 */
		if (type == CONV_NO_ELEMENT)
			return CONV_USER_UNKNOWN;
		size = element_size(c, type, p + pos, n - pos, sig_object);
		if (!size)
			return CONV_USER_CUT;
	}
	for (pos = 0; pos < n; pos += 1 + size) {
		const uint8_t type = element_type(types, p[pos]);

		size = element_size(c, type, p + pos, n - pos, sig_object);
		if (types)
			rkh_element(c, type, p + pos, size);
		else
			one_element(c, type, p + pos, size, sig_object);
	}
	return CONV_USER_OK;
}

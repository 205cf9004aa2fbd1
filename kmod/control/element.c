// SPDX-License-Identifier: GPL-2.0-only
/*
 * Compare an element of an event with a constant
 *
 * Programs emit elements, too, so every length is checked, and nothing after the payload is
 * read. The code runs in any context, even where the FPU must not be used, so it compares
 * floating-point numbers by their bits.
 *
 * selftests/unit/test_element.c compiles it in user space.
 */
#ifdef __KERNEL__
#include <linux/string.h>
#include "compat/compat.h"
#else
#include "element_port_user.h"
#endif

#include <linux/devtrace.h>
#include "emit/event.h"
#include "ring/elem.h"
#include "ring/ring.h"
#include "element.h"

/*
 * Result of comparing an element with a constant. UNEQUAL: the element is not a number (NaN); NONE:
 * the element's type cannot be compared.
 */
enum order { LESS, EQUAL, GREATER, UNEQUAL, NONE };

/* Number of bytes that code, object and signal take before the elements. */
static u32 element_skip(u32 who)
{
	return (who & RING_WHO_CODE ? 4 : 0) + (who & RING_WHO_OBJSIG ? 4 : 0);
}

/*
 * Return the address of the format byte of element @index, and set @size to the length of the value
 * that follows it. Return NULL if the event has no such element.
 */
static const u8 *element_find(const struct event *ev, u32 index, int *size)
{
	u32 i = element_skip(ev->who);
	bool more = false;

	while (i < ev->len) {
		const u8 *e = ev->data + i++;
		bool mem = (*e & 0xf) == DEVTRACE_E_MEM;

		*size = elem_size(*e, ev->data + i, ev->len - i);
		if (*size < 0)
			return NULL;
		i += *size;
		/* The pieces of a long buffer count as one element. */
		if (!(more && mem) && !index--)
			return e;
		more = mem && *e >> 4 == DEVTRACE_E_MEM_MORE >> 4;
	}
	return NULL;
}

static enum order compare_signed(s64 a, s64 b)
{
	return a < b ? LESS : a > b ? GREATER : EQUAL;
}

static enum order compare_unsigned(u64 a, u64 b)
{
	return a < b ? LESS : a > b ? GREATER : EQUAL;
}

/*
 * Compare an IEEE 754 number exactly with @b.
 * @fraction: number of bits of its fraction; @bias: bias of its exponent
 */
static enum order compare_float(u64 bits, unsigned int fraction, int bias, s64 b)
{
	const u64 one = 1ULL << fraction;
	const bool negative = bits >> fraction & (2 * bias + 2);
	const int exponent = (int)(bits >> fraction & (2 * bias + 1)) - bias;
	const bool b_negative = b < 0;
	const u64 b_magnitude = b_negative ? -(u64)b : (u64)b;
	u64 m = (bits & (one - 1)) | one;
	bool rest = true;	/* the magnitude is greater than whole, by less than 1 */
	u64 whole;
	enum order o;

	if (exponent == bias + 1 && m != one)
		return UNEQUAL;	/* not a number */
	if (exponent == -bias && m == one)
		return compare_signed(0, b);
	if (exponent < 0) {
		whole = 0;
	} else if (exponent > 63) {
		whole = ~0ULL;	/* greater than any constant */
	} else if (exponent >= (int)fraction) {
		whole = m << (exponent - fraction);
		rest = false;
	} else {
		whole = m >> (fraction - exponent);
		rest = m & ((1ULL << (fraction - exponent)) - 1);
	}
	if (negative != b_negative)
		return negative ? LESS : GREATER;
	o = compare_unsigned(whole, b_magnitude);
	if (o == EQUAL && rest)
		o = GREATER;
	if (negative && o != EQUAL)
		o = o == LESS ? GREATER : LESS;
	return o;
}

static enum order compare_number(const struct element_test *t, u8 format, const u8 *p)
{
	const u64 mask = t->mask;

	switch (format & 0xf) {
	case DEVTRACE_E_I8:
		if (format & 0x80)	/* an enumeration */
			return compare_signed(*p & mask, t->value);
		return compare_signed((s8)*p & mask, t->value);
	case DEVTRACE_E_U8:
		return compare_signed(*p & mask, t->value);
	case DEVTRACE_E_I16:
		return compare_signed((s16)get_unaligned_le16(p) & mask, t->value);
	case DEVTRACE_E_U16:
		return compare_signed(get_unaligned_le16(p) & mask, t->value);
	case DEVTRACE_E_I32:
		return compare_signed((s32)get_unaligned_le32(p) & mask, t->value);
	case DEVTRACE_E_U32:
	case DEVTRACE_E_X32:
	case DEVTRACE_E_SIG:
		return compare_signed(get_unaligned_le32(p) & mask, t->value);
	case DEVTRACE_E_I64:
		return compare_signed(get_unaligned_le64(p) & mask, t->value);
	case DEVTRACE_E_U64:
	case DEVTRACE_E_OBJ:
	case DEVTRACE_E_FUN:
		return compare_unsigned(get_unaligned_le64(p) & mask, t->value);
	case DEVTRACE_E_F32:
		/* A test with a mask cannot be applied to a floating-point number. */
		return ~mask ? NONE : compare_float(get_unaligned_le32(p), 23, 127, t->value);
	case DEVTRACE_E_F64:
		return ~mask ? NONE : compare_float(get_unaligned_le64(p), 52, 1023, t->value);
	default:
		return NONE;
	}
}

static bool meets_string(const struct element_test *t, const u8 *p, int size)
{
	const u32 len = strnlen(t->string, sizeof(t->string) - 1);
	const bool equal = size == (int)len + 1 && !memcmp(p, t->string, len);

	switch (t->compare) {
	case DEVTRACE_CMP_EQ:
		return equal;
	case DEVTRACE_CMP_NE:
		return !equal;
	default:
		return false;
	}
}

/**
 * element_meets() - does an event's element meet a test?
 * @t: the test
 * @ev: the event
 *
 * An element that is missing, incomplete, or of another kind than the constant does not meet
 * any comparison.
 *
 * Context: any.
 */
bool element_meets(const struct element_test *t, const struct event *ev)
{
	const u8 *e;
	int size;
	u8 type;

	e = element_find(ev, t->index, &size);
	if (!e)
		return false;
	type = *e & 0xf;
	if (t->is_string)
		return type == DEVTRACE_E_STR && meets_string(t, e + 1, size);
	if (type == DEVTRACE_E_STR || type == DEVTRACE_E_MEM)
		return false;

	switch (compare_number(t, *e, e + 1)) {
	case LESS:
		return t->compare == DEVTRACE_CMP_LT || t->compare == DEVTRACE_CMP_LE ||
		       t->compare == DEVTRACE_CMP_NE;
	case EQUAL:
		return t->compare == DEVTRACE_CMP_EQ || t->compare == DEVTRACE_CMP_LE ||
		       t->compare == DEVTRACE_CMP_GE;
	case GREATER:
		return t->compare == DEVTRACE_CMP_GT || t->compare == DEVTRACE_CMP_GE ||
		       t->compare == DEVTRACE_CMP_NE;
	case UNEQUAL:
		return t->compare == DEVTRACE_CMP_NE;
	default:
		return false;
	}
}

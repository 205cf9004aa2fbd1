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

/* For each comparison, a bit mask of the results of comparing that meet it. */
static const u8 element_orders[] = {
	[DEVTRACE_CMP_EQ] = BIT(ELEMENT_EQUAL),
	[DEVTRACE_CMP_NE] = BIT(ELEMENT_LESS) | BIT(ELEMENT_GREATER) | BIT(ELEMENT_UNEQUAL),
	[DEVTRACE_CMP_LT] = BIT(ELEMENT_LESS),
	[DEVTRACE_CMP_LE] = BIT(ELEMENT_LESS) | BIT(ELEMENT_EQUAL),
	[DEVTRACE_CMP_GT] = BIT(ELEMENT_GREATER),
	[DEVTRACE_CMP_GE] = BIT(ELEMENT_GREATER) | BIT(ELEMENT_EQUAL),
};

/* Number of bytes that code, object and signal take before the elements. */
static u32 element_skip(u32 who)
{
	return (who & RING_WHO_CODE ? 4 : 0) + (who & RING_WHO_OBJSIG ? 4 : 0);
}

/*
 * Return the address of the format byte of element @index, and set @size to the length of the value
 * that follows it. Return NULL if the event has no such element.
 */
static const u8 *element_at(const struct event *ev, u32 index, int *size)
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

static enum element_order compare_signed(s64 a, s64 b)
{
	return a < b ? ELEMENT_LESS : a > b ? ELEMENT_GREATER : ELEMENT_EQUAL;
}

static enum element_order compare_unsigned(u64 a, u64 b)
{
	return a < b ? ELEMENT_LESS : a > b ? ELEMENT_GREATER : ELEMENT_EQUAL;
}

/*
 * Compare an IEEE 754 number exactly with @b.
 * @fraction: number of bits of its fraction; @bias: bias of its exponent
 */
static enum element_order compare_float(u64 bits, unsigned int fraction, int bias, s64 b)
{
	const u64 one = 1ULL << fraction;
	const bool negative = bits >> fraction & (2 * bias + 2);
	const int exponent = (int)(bits >> fraction & (2 * bias + 1)) - bias;
	const bool b_negative = b < 0;
	const u64 b_magnitude = b_negative ? -(u64)b : (u64)b;
	u64 m = (bits & (one - 1)) | one;
	bool rest = true;	/* the magnitude is greater than whole, by less than 1 */
	u64 whole;
	enum element_order o;

	if (exponent == bias + 1 && m != one)
		return ELEMENT_UNEQUAL;	/* not a number */
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
		return negative ? ELEMENT_LESS : ELEMENT_GREATER;
	o = compare_unsigned(whole, b_magnitude);
	if (o == ELEMENT_EQUAL && rest)
		o = ELEMENT_GREATER;
	if (negative && o != ELEMENT_EQUAL)
		o = o == ELEMENT_LESS ? ELEMENT_GREATER : ELEMENT_LESS;
	return o;
}

/* Set the kind of an element, and the value of a number; @format: its format byte. */
static void element_read(struct element_found *f, u8 format, const u8 *p)
{
	switch (format & 0xf) {
	case DEVTRACE_E_I8:
		f->kind = ELEMENT_SIGNED;
		/* An enumeration has no sign. */
		f->bits = format & 0x80 ? *p : (u64)(s8)*p;
		break;
	case DEVTRACE_E_U8:
		f->kind = ELEMENT_SIGNED;
		f->bits = *p;
		break;
	case DEVTRACE_E_I16:
		f->kind = ELEMENT_SIGNED;
		f->bits = (s16)get_unaligned_le16(p);
		break;
	case DEVTRACE_E_U16:
		f->kind = ELEMENT_SIGNED;
		f->bits = get_unaligned_le16(p);
		break;
	case DEVTRACE_E_I32:
		f->kind = ELEMENT_SIGNED;
		f->bits = (s32)get_unaligned_le32(p);
		break;
	case DEVTRACE_E_U32:
	case DEVTRACE_E_X32:
	case DEVTRACE_E_SIG:
		f->kind = ELEMENT_SIGNED;
		f->bits = get_unaligned_le32(p);
		break;
	case DEVTRACE_E_I64:
		f->kind = ELEMENT_SIGNED;
		f->bits = get_unaligned_le64(p);
		break;
	case DEVTRACE_E_U64:
	case DEVTRACE_E_OBJ:
	case DEVTRACE_E_FUN:
		f->kind = ELEMENT_UNSIGNED;
		f->bits = get_unaligned_le64(p);
		break;
	case DEVTRACE_E_F32:
		f->kind = ELEMENT_F32;
		f->bits = get_unaligned_le32(p);
		break;
	case DEVTRACE_E_F64:
		f->kind = ELEMENT_F64;
		f->bits = get_unaligned_le64(p);
		break;
	case DEVTRACE_E_STR:
		f->kind = ELEMENT_STRING;
		break;
	}
}

static enum element_order compare_number(const struct element_test *t,
					 const struct element_found *f)
{
	switch (f->kind) {
	case ELEMENT_SIGNED:
		return compare_signed(f->bits & t->mask, t->value);
	case ELEMENT_UNSIGNED:
		return compare_unsigned(f->bits & t->mask, t->value);
	/* A test with a mask cannot be applied to a floating-point number. */
	case ELEMENT_F32:
		return ~t->mask ? ELEMENT_NONE : compare_float(f->bits, 23, 127, t->value);
	case ELEMENT_F64:
		return ~t->mask ? ELEMENT_NONE : compare_float(f->bits, 52, 1023, t->value);
	default:
		return ELEMENT_NONE;
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
 * element_find() - find an element of an event
 * @ev: the event
 * @index: number of the element, from 0
 * @found: filled in
 *
 * Context: any.
 */
notrace void element_find(const struct event *ev, u32 index, struct element_found *found)
{
	const u8 *e = element_at(ev, index, &found->size);

	found->index = index;
	found->kind = ELEMENT_OTHER;
	if (!e)
		return;
	found->text = e + 1;
	element_read(found, *e, e + 1);
}

/**
 * element_compare() - does an element meet a test?
 * @t: the test
 * @found: the element
 *
 * An element that is missing, incomplete, or of another kind than the constant does not meet
 * any comparison.
 *
 * Context: any.
 */
notrace bool element_compare(const struct element_test *t, const struct element_found *found)
{
	if (t->is_string)
		return found->kind == ELEMENT_STRING && meets_string(t, found->text, found->size);
	return t->compare <= DEVTRACE_CMP_GE &&
	       element_orders[t->compare] & BIT(compare_number(t, found));
}

/* Does an event's element meet a test? Context: any. */
bool element_meets(const struct element_test *t, const struct event *ev)
{
	struct element_found found;

	element_find(ev, t->index, &found);
	return element_compare(t, &found);
}

/* Set @range to the range of numbers that meet a test; its index is ELEMENT_NO_RANGE if none. */
void element_range_of(const struct element_test *t, struct element_range *range)
{
	const u64 least = 1ULL << 63, value = t->value;

	range->index = ELEMENT_NO_RANGE;
	range->mask = t->mask;
	if (!t->given || t->is_string)
		return;
	switch (t->compare) {
	case DEVTRACE_CMP_EQ:
		range->low = value;
		range->span = 0;
		break;
	case DEVTRACE_CMP_NE:
		range->low = value + 1;
		range->span = ~0ULL - 1;
		break;
	case DEVTRACE_CMP_LT:
		/* Nothing is less than the least number. */
		if (value == least)
			return;
		range->low = least;
		range->span = value - 1 - least;
		break;
	case DEVTRACE_CMP_LE:
		range->low = least;
		range->span = value - least;
		break;
	case DEVTRACE_CMP_GT:
		if (value == least - 1)
			return;
		range->low = value + 1;
		range->span = least - 1 - range->low;
		break;
	case DEVTRACE_CMP_GE:
		range->low = value;
		range->span = least - 1 - value;
		break;
	default:
		return;
	}
	range->index = t->index;
}

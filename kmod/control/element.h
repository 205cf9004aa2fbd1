/* SPDX-License-Identifier: GPL-2.0-only */
/* Compare an element of an event with a constant: see element.c */
#ifndef DEVTRACE_ELEMENT_H
#define DEVTRACE_ELEMENT_H

#include <linux/types.h>
#include <uapi/linux/devtrace_netlink.h>

struct event;

/**
 * struct element_test - a comparison with an element
 * @given: there is a test; otherwise the other members are not used
 * @is_string: compare with @string, else with @value
 * @compare: enum devtrace_compare
 * @index: number of the element, from 0
 * @value: constant to compare with
 * @mask: bits of the element to compare
 * @string: text to compare with
 */
struct element_test {
	bool	given;
	bool	is_string;
	u8	compare;
	u32	index;
	s64	value;
	u64	mask;
	char	string[64];
};

/*
 * Result of comparing an element with a constant. UNEQUAL: the element is not a number (NaN); NONE:
 * the element's type cannot be compared.
 */
enum element_order {
	ELEMENT_LESS,
	ELEMENT_EQUAL,
	ELEMENT_GREATER,
	ELEMENT_UNEQUAL,
	ELEMENT_NONE,
};

/*
 * Kind of an element, which decides how it is compared. OTHER: the element is missing or
 * incomplete, or it is a buffer.
 */
enum element_kind {
	ELEMENT_OTHER,
	ELEMENT_SIGNED,
	ELEMENT_UNSIGNED,
	ELEMENT_F32,
	ELEMENT_F64,
	ELEMENT_STRING,
};

/* Value of element_found.index while no element has been looked up */
#define ELEMENT_NOT_FOUND	U64_MAX

/**
 * struct element_found - an element of an event, looked up once for several tests
 * @index: number of the element, or ELEMENT_NOT_FOUND
 * @kind: kind of the element
 * @bits: value of a number; sign-extended if the number has a sign
 * @text: bytes of a string
 * @size: length of @text, bytes
 */
struct element_found {
	u64			index;
	enum element_kind	kind;
	u64			bits;
	const u8		*text;
	int			size;
};

void element_find(const struct event *ev, u32 index, struct element_found *found);
bool element_compare(const struct element_test *t, const struct element_found *found);
bool element_meets(const struct element_test *t, const struct event *ev);

/* Value of element_range.index if the test is not a range of numbers, or no number meets it */
#define ELEMENT_NO_RANGE	(ELEMENT_NOT_FOUND - 1)

/**
 * struct element_range - the numbers of kind ELEMENT_SIGNED that meet a test, as one range
 * @index: number of the element, or ELEMENT_NO_RANGE
 * @mask: bits of the element to compare
 * @low: first number that meets the test
 * @span: number of further numbers after @low that meet the test; the range may wrap
 *
 * Each of the six comparisons is such a range: "not equal" begins after the constant, wraps, and
 * ends before the constant. So an emitter checks many conditions without a branch on the
 * comparison.
 */
struct element_range {
	u64	index;
	u64	mask;
	u64	low;
	u64	span;
};

void element_range_of(const struct element_test *t, struct element_range *range);

static __always_inline bool element_range_meets(const struct element_range *range, u64 number)
{
	return (number & range->mask) - range->low <= range->span;
}

#endif /* DEVTRACE_ELEMENT_H */

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

bool element_meets(const struct element_test *t, const struct event *ev);

#endif /* DEVTRACE_ELEMENT_H */

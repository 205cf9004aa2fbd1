// SPDX-License-Identifier: GPL-2.0-only
/*
 * Statements about the error of the wall clock
 *
 * The kernel knows the error, but does not export it to modules. So a program reads it by
 * adjtimex(2), and states it by an ioctl. A statement is an entry of the kernel's dictionary with a
 * kind of its own. So each reader gets the statement at its place in time, and the black box keeps
 * it.
 *
 * Invariant: The text of a statement is made here from checked numbers, so it is always valid.
 */
#include <linux/build_bug.h>
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/string.h>

#include "accuracy.h"
#include "dict.h"
#include "ring/clock.h"

static bool source_is_valid(const char *s, size_t size)
{
	const size_t len = strnlen(s, size);
	size_t i;

	if (!len || len == size)
		return false;
	for (i = 0; i < len; i++)
		if (!(s[i] >= 'a' && s[i] <= 'z') && !(s[i] >= '0' && s[i] <= '9') &&
		    s[i] != '.' && s[i] != '-')
			return false;
	return true;
}

/**
 * devtrace_accuracy_set() - state how exact the wall clock is now
 * @a: the statement of a program
 *
 * Context: process; may sleep, for long if a user makes too many statements.
 * Return: 0; -EINVAL if @a is invalid; an error of devtrace_dict_set().
 */
int devtrace_accuracy_set(const struct devtrace_accuracy *a)
{
	struct devtrace_dict d = { .kind = DEVTRACE_T_ACCURACY };
	int len;

	/* 20 digits, 12, 12, 4, the source with its NUL, and four blanks */
	BUILD_BUG_ON(20 + 12 + 12 + 4 + sizeof(a->source) + 4 > sizeof(d.name));
	if (a->max > DEVTRACE_ACCURACY_MAX || a->est > DEVTRACE_ACCURACY_MAX ||
	    a->status > 0xffff || !source_is_valid(a->source, sizeof(a->source)))
		return -EINVAL;
	len = snprintf(d.name, sizeof(d.name), "%llu %llu %llu %x %s",
		       (unsigned long long)devtrace_clock_now(), (unsigned long long)a->max,
		       (unsigned long long)a->est, a->status, a->source);
	if (WARN_ON_ONCE(len >= (int)sizeof(d.name)))
		return -EINVAL;
	return devtrace_dict_set(NULL, &d);
}

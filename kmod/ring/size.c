// SPDX-License-Identifier: GPL-2.0-only
/*
 * Sizes with a suffix, as an administrator writes them
 *
 * memparse() silently drops bits beyond 64: it takes 0x10000000000000400 for 1024. This parser
 * refuses such a number.
 */
#include <linux/compiler.h>
#include <linux/ctype.h>
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/limits.h>
#include <linux/overflow.h>
#include <linux/string.h>

#include "size.h"

static unsigned int suffix_shift(char c)
{
	switch (c) {
	case 'K': case 'k':
		return 10;
	case 'M': case 'm':
		return 20;
	case 'G': case 'g':
		return 30;
	case 'T': case 't':
		return 40;
	default:
		return 0;
	}
}

/**
 * devtrace_size_parse() - read a number of bytes
 * @val: decimal, octal (0...) or hexadecimal (0x...), then optionally K, M, G or T in either
 *	case, then optionally a newline
 * @bytes: filled in
 *
 * Return: 0; -EINVAL if @val is no such number; -ERANGE if it exceeds 64 bits.
 */
int devtrace_size_parse(const char *val, u64 *bytes)
{
	unsigned int shift;
	char digits[32];
	size_t len;
	u64 n;
	int err;

	if (strscpy(digits, val, sizeof(digits)) < 0)
		return -EINVAL;
	len = strlen(digits);
	if (len && digits[len - 1] == '\n')
		digits[--len] = 0;
	shift = len ? suffix_shift(digits[len - 1]) : 0;
	if (shift)
		digits[--len] = 0;
	/* kstrtou64() itself would accept a newline or a plus sign. */
	if (!len || !isdigit(digits[0]) || digits[len - 1] == '\n')
		return -EINVAL;
	err = kstrtou64(digits, 0, &n);
	if (err)
		return err;
	if (shift && check_shl_overflow(n, shift, &n))
		return -ERANGE;
	*bytes = n;
	return 0;
}

static int size_set(const char *val, const struct kernel_param *kp)
{
	u64 bytes;
	int err;

	err = devtrace_size_parse(val, &bytes);
	if (!err && bytes > ULONG_MAX)
		err = -ERANGE;
	if (!err)
		WRITE_ONCE(*(unsigned long *)kp->arg, bytes);
	return err ? -EINVAL : 0;
}

const struct kernel_param_ops devtrace_size_ops = {
	.set = size_set,
	.get = param_get_ulong,
};

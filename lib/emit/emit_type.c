// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * emit_type.c - register a type by name
 *
 * The kernel has the table of names, and gives the same number to each caller that asks for the
 * same name. emit_types.c remembers the numbers that the program has got.
 */
#include <errno.h>
#include <string.h>
#include <devtrace/emit.h>
#include "emit.h"
#include "emit_type.h"

int devtrace_type(const char *name)
{
	struct devtrace_type_name asked = { .number = 0 };
	const int saved = errno;
	uint32_t number;
	size_t len;
	int err;

	if (!name || !*name)
		return -emit_error(EINVAL);
	/* Another name with the same beginning would get the same number. */
	len = strnlen(name, sizeof(asked.name));
	if (len == sizeof(asked.name))
		return -emit_error(ENAMETOOLONG);
	number = dt_type_known(name);
	if (number)
		return (int)number;
	memcpy(asked.name, name, len);
	err = conn_ioctl(DEVTRACE_IOC_TYPE, &asked);
	errno = saved;
	if (err)
		return -err;
	dt_type_remember(&asked);
	return (int)asked.number;
}

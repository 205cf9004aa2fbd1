// SPDX-License-Identifier: GPL-2.0-only
/* The calls with which a driver gives names; they belong to the kernel, scope 0 */
#include <linux/errno.h>
#include <linux/export.h>
#include <linux/string.h>

#include "dict.h"

static int name_set(u8 kind, u8 group, u32 value, const void *key, const char *name)
{
	struct devtrace_dict d = {
		.kind = kind,
		.group = group,
		.value = value,
		.key = (unsigned long)key,
	};

	if (strscpy(d.name, name, sizeof(d.name)) < 0)
		return -EINVAL;
	return devtrace_dict_set(NULL, &d);
}

/**
 * devtrace_name_obj() - name an object
 * @obj: its address, or a small id
 * @name: at most DEVTRACE_NAME_MAX bytes with the NUL
 *
 * Context: process; may sleep.
 * Return: 0, -EINVAL, -ENOSPC or -ENOMEM.
 */
int devtrace_name_obj(const void *obj, const char *name)
{
	return name_set(DEVTRACE_T_OBJ, 0, 0, obj, name);
}
EXPORT_SYMBOL_GPL(devtrace_name_obj);

/**
 * devtrace_name_fun() - name a function
 * @fun: its address
 * @name: as for devtrace_name_obj()
 *
 * Context: process; may sleep.
 * Return: 0, -EINVAL, -ENOSPC or -ENOMEM.
 */
int devtrace_name_fun(const void *fun, const char *name)
{
	return name_set(DEVTRACE_T_FUN, 0, 0, fun, name);
}
EXPORT_SYMBOL_GPL(devtrace_name_fun);

/**
 * devtrace_name_sig() - name a signal
 * @sig: its number
 * @obj: the object for which the signal has this name; NULL: all objects
 * @name: as for devtrace_name_obj()
 *
 * Context: process; may sleep.
 * Return: 0, -EINVAL, -ENOSPC or -ENOMEM.
 */
int devtrace_name_sig(u32 sig, const void *obj, const char *name)
{
	return name_set(DEVTRACE_T_SIG, 0, sig, obj, name);
}
EXPORT_SYMBOL_GPL(devtrace_name_sig);

/**
 * devtrace_name_type() - name an event type
 * @type: event type
 * @name: as for devtrace_name_obj()
 *
 * Context: process; may sleep.
 * Return: 0, -EINVAL, -ENOSPC or -ENOMEM.
 */
int devtrace_name_type(u8 type, const char *name)
{
	return name_set(DEVTRACE_T_USR, 0, type, NULL, name);
}
EXPORT_SYMBOL_GPL(devtrace_name_type);

/**
 * devtrace_name_enum() - name a value of an enumeration
 * @group: number of the enumeration, 0 to 7
 * @value: the value
 * @name: as for devtrace_name_obj()
 *
 * Context: process; may sleep.
 * Return: 0, -EINVAL, -ENOSPC or -ENOMEM.
 */
int devtrace_name_enum(u8 group, u8 value, const char *name)
{
	return name_set(DEVTRACE_T_ENUM, group, value, NULL, name);
}
EXPORT_SYMBOL_GPL(devtrace_name_enum);

// SPDX-License-Identifier: GPL-2.0-only
/*
 * An exception of type DEVTRACE_T_FAULT, element by element
 *
 * The record is built on the reporter's stack: faults are rare, and how long their
 * strings are is known late. A string that is too long is cut, so that the elements
 * which a format file expects are there.
 */
#include <linux/kernel.h>
#include <linux/mm.h>
#include <linux/sched.h>

#include "faults.h"

/**
 * fault_begin() - begin the report of a fault
 * @r: to build it in
 * @severity: DEVTRACE_SW0 ... DEVTRACE_HW3
 * @major: DEVTRACE_FAULT_*
 * @minor: what the kind makes of it
 *
 * Context: any.
 * Return: false if nobody wants it: then there is nothing to end.
 */
bool fault_begin(struct devtrace_record *r, u8 severity, u32 major, u8 minor)
{
	if (!devtrace_enabled(DEVTRACE_T_FAULT))
		return false;
	r->who = __DEVTRACE_CODE | __DEVTRACE_SEV(severity);
	r->type = DEVTRACE_T_FAULT;
	r->full = false;
	r->len = 0;
	devtrace_put(r, __dt_code(DEVTRACE_CODE(major, minor)));
	return true;
}

/**
 * fault_put_text() - add a string, cut where the record ends
 * @r: the record
 * @fmt: as for printk()
 */
void fault_put_text(struct devtrace_record *r, const char *fmt, ...)
{
	const unsigned int room = sizeof(r->data) - r->len;
	u8 *p = r->data + r->len;
	va_list ap;

	if (r->full || room < 2) {
		r->full = true;
		return;
	}
	p[0] = DEVTRACE_E_STR;
	va_start(ap, fmt);
	r->len += 2 + vscnprintf(p + 1, room - 1, fmt, ap);
	va_end(ap);
}

/* As a number if it is one of the program; as a hash if it is one of the kernel. */
void fault_put_address(struct devtrace_record *r, unsigned long address)
{
	if (address >= TASK_SIZE)
		devtrace_put(r, dt_obj((void *)address));
	else if (sizeof(long) == 8)
		devtrace_put(r, dt_u64x(address));
	else
		devtrace_put(r, dt_u32x(address));
}

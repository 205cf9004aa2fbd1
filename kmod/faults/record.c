// SPDX-License-Identifier: GPL-2.0-only
/*
 * Build an exception of type DEVTRACE_T_FAULT, element by element
 *
 * The record is on the stack of the probe: faults are rare, and the length of their strings is not
 * known in advance. A string that is too long is cut at the end of the record.
 */
#include <linux/kernel.h>
#include <linux/mm.h>
#include <linux/sched.h>

#include "faults.h"

/**
 * fault_begin() - begin the report of a fault
 * @r: the record to build
 * @severity: DEVTRACE_SW0 ... DEVTRACE_HW3
 * @major: DEVTRACE_FAULT_*
 * @minor: minor of the code; its meaning depends on the kind
 *
 * Context: any.
 * Return: false if no filter wants the type: then do not call devtrace_end().
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

/* Add a formatted string, cut where the record ends. Any context. */
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

/*
 * Add the name of a function and the offset of @address in it. If the function has no name, add a
 * hash of the address, as %p prints it. Any context.
 */
void fault_put_function(struct devtrace_record *r, const void *address)
{
	const unsigned int begin = r->len;

	fault_put_text(r, "%pS", address);
	/* Without a name, %pS prints the address itself, 0x... */
	if (r->len <= begin + 1 || r->data[begin + 1] != '0')
		return;
	r->len = begin;
	fault_put_text(r, "%p", address);
}

/* Add an address: a user address as a number; a kernel address as an object, shown as a hash. */
void fault_put_address(struct devtrace_record *r, unsigned long address)
{
	if (address >= TASK_SIZE)
		devtrace_put(r, dt_obj((void *)address));
	else if (sizeof(long) == 8)
		devtrace_put(r, dt_u64x(address));
	else
		devtrace_put(r, dt_u32x(address));
}

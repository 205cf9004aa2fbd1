/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * devtrace/filter.h - the program's own filters on its events
 *
 *	devtrace_own_type(DEVTRACE_ALL, false);		discard all types
 *	devtrace_own_group("USER0", true);		except 100 to 104;
 *	devtrace_own_object_name("motor", false);	discard events of the motor
 *
 * These filters need no privilege; at first they pass everything. An event is emitted if both
 * these filters and the device's filters (see tracectl(8)) pass its type, object and signal.
 * Filters on objects and signals pass an event that has none.
 *
 * Filters on types add no cost to an emitted event: the library reads the table of types anyway.
 * Once objects or signals are filtered, each event with an object costs a lookup in a table.
 * devtrace_enabled() does not test these filters, because it reads a page that all processes
 * share; the library discards the event in the call that emits it.
 *
 * All functions are async-signal-safe and apply to all threads; a child of fork(2) inherits the
 * filters. They return 0, or EINVAL for an unknown type, group, object or signal.
 */
#ifndef DEVTRACE_FILTER_H
#define DEVTRACE_FILTER_H

#include <devtrace/emit.h>

/* All types, objects or signals. */
#define DEVTRACE_ALL	(-1)

#ifndef DEVTRACE_DISABLE

#ifdef __cplusplus
extern "C" {
#endif

/* Pass or discard a type that programs may emit, or a number that devtrace_type() returned. */
int devtrace_own_type(int type, bool wanted);
/*
 * group: SM AO EQ MP TE QF SC SEM MTX USER0 USER1 USER2 USER3 USER4 USER EXC TEXT LOG, see
 * tracectl(8)
 */
int devtrace_own_group(const char *group, bool wanted);
/* Pass or discard an object or a signal, 1 to 65535. */
int devtrace_own_object(int object, bool wanted);
int devtrace_own_signal(int sig, bool wanted);
/*
 * Pass or discard the object that devtrace_dict_obj() named, with the object's number as key.
 * Return ENOENT if the name is unknown or its key is not such a number. The library remembers 256
 * names.
 */
int devtrace_own_object_name(const char *name, bool wanted);
/* Do these filters pass such an event? object or sig 0: it has none. */
bool devtrace_own_wants(uint8_t type, uint16_t object, uint16_t sig);

#ifdef __cplusplus
}
#endif

#else /* DEVTRACE_DISABLE */

#define devtrace_own_type(type, wanted)		DEVTRACE_ZERO_(type, wanted)
#define devtrace_own_group(group, wanted)		DEVTRACE_ZERO_(group, wanted)
#define devtrace_own_object(object, wanted)		DEVTRACE_ZERO_(object, wanted)
#define devtrace_own_signal(sig, wanted)		DEVTRACE_ZERO_(sig, wanted)
#define devtrace_own_object_name(name, wanted)	DEVTRACE_ZERO_(name, wanted)
#define devtrace_own_wants(type, object, sig)	(DEVTRACE_ZERO_(type, object, sig) != 0)

#endif /* DEVTRACE_DISABLE */

#endif

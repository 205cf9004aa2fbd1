/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * devtrace/filter.h - the program's own filters on its events
 *
 *	devtrace_own_type(DEVTRACE_ALL, false);	no type
 *	devtrace_own_group("USER0", true);		but 100 to 104,
 *	devtrace_own_object_name("motor", false);	except events of the motor
 *
 * No privilege is needed. At first everything is wanted. An event is emitted if the program
 * wants its type, object and signal, and the device's filters (tracectl(8)) pass it, too. An
 * event without an object or signal passes the filters on these.
 *
 * Filters on types add no cost to an emitted event: the library reads the table of types anyway.
 * Once objects or signals are filtered, each event with an object costs a lookup. The library
 * refuses an unwanted event after the call, not in devtrace_enabled(), whose table all processes
 * share.
 *
 * All functions are async-signal-safe and apply to all threads; a child of fork(2) keeps the
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

/* A type that a program may emit. */
int devtrace_own_type(int type, bool wanted);
/* SM AO EQ MP TE QF SC SEM MTX USER0 USER1 USER2 USER3 USER4 USER EXC TEXT, as in tracectl(8). */
int devtrace_own_group(const char *group, bool wanted);
/* An object or signal, 1 to 65535. */
int devtrace_own_object(int object, bool wanted);
int devtrace_own_signal(int sig, bool wanted);
/*
 * An object that the program named by devtrace_dict_obj() with its number as key. ENOENT:
 * unknown name, or another kind of key. The library remembers 256 names.
 */
int devtrace_own_object_name(const char *name, bool wanted);
/* Does the program want this? 0: no object or signal. */
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

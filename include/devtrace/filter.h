/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * devtrace/filter.h - which of its events a program wants to emit
 *
 *	devtrace_own_type(DEVTRACE_ALL, false);	nothing,
 *	devtrace_own_group("USER0", true);		but 100 to 104,
 *	devtrace_own_object_name("motor", false);	and not those of the motor
 *
 * No privilege is needed. At first everything is wanted. An event goes out if the program
 * wants its type, its object and its signal, and the device wants it, whose filters stand
 * above (tracectl(8)). An event without an object or a signal is wanted by these.
 *
 * An event that goes out costs nothing more for filters of types: the library looks into
 * the table of types anyway. Once objects or signals are filtered, each event that has one
 * costs a look at these. An event that the program does not want is refused by the library,
 * not by devtrace_enabled(), which all processes share: a call, but nothing is written.
 *
 * All of these are async-signal-safe, count for all threads, and are kept by a child of
 * fork(2). 0, or EINVAL if there is no such type, group, object or signal.
 */
#ifndef DEVTRACE_FILTER_H
#define DEVTRACE_FILTER_H

#include <devtrace/emit.h>

/* In place of a type, object or signal. */
#define DEVTRACE_ALL	(-1)

#ifndef DEVTRACE_DISABLE

#ifdef __cplusplus
extern "C" {
#endif

/* A type that a program may emit. */
int devtrace_own_type(int type, bool wanted);
/*
 * SM AO EQ MP TE QF SC SEM MTX USER0 USER1 USER2 USER3 USER4 USER EXC TEXT, as in tracectl(8).
 */
int devtrace_own_group(const char *group, bool wanted);
/* An object or signal, 1 to 65535. */
int devtrace_own_object(int object, bool wanted);
int devtrace_own_signal(int sig, bool wanted);
/*
 * The object that the program itself gave that name by devtrace_dict_obj(), under its number.
 * ENOENT: it gave it to none, or to something with another key. It remembers 256 names.
 */
int devtrace_own_object_name(const char *name, bool wanted);
/* Is this wanted by the program? 0 for an object or signal: it has none. */
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

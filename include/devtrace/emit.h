/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * devtrace/emit.h - connection to the device, filter test, dictionaries
 *
 * This is what the three idioms stand on. All they do comes down to
 * devtrace_enabled() and its kind, which are inline and call nothing, and
 * devtrace_emit_event(), which takes one complete event; so the way an event
 * reaches the kernel can change without any program being compiled again.
 *
 * devtrace_control is not a pointer to the control page but the page itself:
 * the device is mapped over it. That saves the load of a pointer at every
 * event. Before the first event all its bits are set, so that this event goes
 * on to devtrace_emit_event() and connects; without a device they are clear.
 *
 * The page has bits for types, severities and objects. What it cannot tell
 * (signals, objects from 256 on, codes, processes) the kernel filters.
 */
#ifndef DEVTRACE_EMIT_H
#define DEVTRACE_EMIT_H

#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <linux/devtrace.h>

/* What devtrace_status() says. More may come: anything but 0 means that no event arrives. */
enum {
	DEVTRACE_OK		= 0,	/* connected */
	DEVTRACE_UNTRIED	= 1,	/* no event came yet, nor devtrace_open() */
	DEVTRACE_NO_DEVICE	= 2,	/* nothing is there: the module is not loaded */
	DEVTRACE_NOT_PERMITTED	= 3,	/* the mode of the device, a cgroup, seccomp(2) */
	DEVTRACE_NOT_A_DEVICE	= 4,	/* something else is there: a regular file */
	DEVTRACE_LIMIT		= 5,	/* no descriptor or memory is left */
	DEVTRACE_CLOSED		= 6,	/* devtrace_close() */
	DEVTRACE_DISABLED	= 7,	/* DEVTRACE_DEVICE is empty, or DEVTRACE_DISABLE defined */
	DEVTRACE_FAILED		= 8,	/* devtrace_error() says why */
};

#define DEVTRACE_INLINE_	static inline __attribute__((always_inline, unused))

#ifdef __cplusplus
extern "C" {
#endif

extern struct devtrace_control devtrace_control;

/*
 * Emit a complete event of size bytes, struct devtrace_emit included, filter
 * or not. 0, or an errno number; errno itself stays what it was. ENODEV says
 * that there is no device. Async-signal-safe.
 */
int devtrace_emit_event(const struct devtrace_emit *event, size_t size);

/*
 * The same of an event of size bytes and a STR element of len bytes of s, for which there is
 * room behind it: it is put there if need be. Called by the macros.
 */
int devtrace_emit_str_(uint8_t *event, size_t size, const char *s, size_t len);

/*
 * Connect now: before chroot(2) or giving up rights, or once more after the
 * device was missing. 0, or an errno number. Async-signal-safe.
 */
int devtrace_open(void);
/*
 * Disconnect and emit nothing from now on, until devtrace_open(). No other
 * thread may be emitting.
 */
void devtrace_close(void);
/*
 * The trace clock, which events are stamped with, ns; without a system call
 * where the machine can. 0 if it is not known: there is no device, or it may not
 * be read. Between two calls that emit, it lies between their stamps.
 * Async-signal-safe.
 */
uint64_t devtrace_now(void);
/*
 * Give this thread a lane of so many bytes now, 8192 to 262144 (more, up to 16777216, is
 * as good), rounded up to a power of two, in place of the one it has; all of it is in
 * memory then. What is in a lane is handed to the kernel block by block, by a system call
 * for each 4 KiB; with DEVTRACE_LANE_NO_CALLS added to the size the kernel comes for it
 * instead, every 10 ms, and what was overwritten before is counted as lost. With 0 the
 * thread emits by system calls from now on. Without this call the first event that may
 * go into a lane gets one as large as the administrator or DEVTRACE_LANE in the
 * environment says. 0, or an errno number, and then it has none: ENODEV, ENOTTY from a
 * module without lanes, EINVAL, ENOSPC for the administrator's limits, ENOMEM, EPERM if
 * DEVTRACE_LANE is 0, ENOTSUP if the CPU's counter is forbidden. Not for signal handlers.
 */
int devtrace_lane(size_t bytes);
/* The descriptor in use, or -1. For programs that close all but a few. */
int devtrace_fd(void);

/*
 * How many calls have not done what was asked since the program started, and
 * the errno number of the last of them; 0 if there was none. A missing device
 * counts once.
 */
unsigned long devtrace_errors(void);
int devtrace_error(void);

/*
 * Where events go now, without trying anything: DEVTRACE_OK, or why they are discarded;
 * and the same in words. Async-signal-safe.
 */
int devtrace_status(void);
const char *devtrace_status_text(int status);

/* Name something for the readers. 0, or an errno number. Async-signal-safe. */
int devtrace_dict_add(uint8_t kind, uint32_t value, uint8_t group, uint64_t key,
		      const char *name);

/* For the inline functions in these headers, not for programs. */
size_t devtrace_cut_(uint8_t *event, size_t pos, size_t cut);
size_t devtrace_pieces_(uint8_t *out, const void *mem, size_t len);
int devtrace_refused_(unsigned int what, unsigned long long value) __attribute__((cold));
int devtrace_vtext_(uint8_t severity, const char *format, va_list args)
	__attribute__((format(printf, 2, 0)));
int devtrace_text_(uint8_t severity, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
int devtrace_puts_(uint8_t severity, const char *text);
int devtrace_qnx_event_(int code, ...);
int devtrace_qnx_buffer_(uint32_t code, uint8_t severity, unsigned int nargs,
			 const uint8_t *args, size_t len, const void *mem);

#ifdef __cplusplus
}
#endif

/*
 * devtrace_unused_() takes anything and stands where no program ever comes:
 * its arguments are checked and count as used, and leave nothing behind.
 */
#ifdef __cplusplus
template <typename... T> inline int devtrace_unused_(const T &...)
{
	return 0;
}
#else
__attribute__((unused)) static inline int devtrace_unused_(int zero, ...)
{
	return zero;
}
#endif
#define DEVTRACE_UNUSED_(...)	((void)(0 ? devtrace_unused_(0, __VA_ARGS__) : 0))

/* The same as a value. A function, so that it is no statement without effect. */
DEVTRACE_INLINE_ int devtrace_zero_(int zero)
{
	return zero;
}

#define DEVTRACE_ZERO_(...)	devtrace_zero_(0 ? devtrace_unused_(0, __VA_ARGS__) : 0)

/*
 * Constants out of range do not compile, at any optimization in the macros of short.h and
 * qnx.h, from -O1 on in functions. An expression, so that macros that are values can have it;
 * it leaves no instruction. What is no constant is looked at by devtrace_fits_(), below; types
 * of the transport and of the kernel are refused by the device.
 */
#if defined(__has_attribute)
#if __has_attribute(error)
#define DEVTRACE_ERROR_(text)	__attribute__((error(text)))
#endif
#endif
#ifdef DEVTRACE_ERROR_
#ifdef __cplusplus
extern "C" {
#endif
DEVTRACE_ERROR_("no event type of a program: 1 to 53, 55 to 57, 71 to 127, 192 to 255")
void devtrace_bad_type_(void);
DEVTRACE_ERROR_("objects and signals have 16 bits")
void devtrace_bad_object_(void);
DEVTRACE_ERROR_("no severity: take DEVTRACE_SW0 to DEVTRACE_HW3, or 0 for none")
void devtrace_bad_severity_(void);
#ifdef __cplusplus
}
#endif
#define DEVTRACE_REFUSE_(x, bad, error) \
	(__builtin_constant_p(x) && (bad) ? error() : (void)0)
#else
#define DEVTRACE_REFUSE_(x, bad, error)	((void)0)
#endif
#define DEVTRACE_N_(x)		((unsigned long long)(x))
#define DEVTRACE_CHECK_TYPE_(x)	\
	DEVTRACE_REFUSE_(x, DEVTRACE_N_(x) - 1 > 254 || DEVTRACE_N_(x) == DEVTRACE_T_ENUM || \
			 DEVTRACE_N_(x) - DEVTRACE_T_CLOCK <= DEVTRACE_T_PROC - DEVTRACE_T_CLOCK || \
			 DEVTRACE_N_(x) - DEVTRACE_T_KERNEL < DEVTRACE_T_USER2 - DEVTRACE_T_KERNEL, \
			 devtrace_bad_type_)
#define DEVTRACE_CHECK_OBJECT_(x) \
	DEVTRACE_REFUSE_(x, DEVTRACE_N_(x) >> 16, devtrace_bad_object_)
#define DEVTRACE_CHECK_SEVERITY_(x) \
	DEVTRACE_REFUSE_(x, DEVTRACE_N_(x) && DEVTRACE_N_(x) - DEVTRACE_SEV_SET > 7, \
			 devtrace_bad_severity_)

#ifndef DEVTRACE_DISABLE

/* What is out of range, for devtrace_refused_(). */
#define DEVTRACE_BAD_TYPE_	0
#define DEVTRACE_BAD_OBJECT_	1	/* or signal */
#define DEVTRACE_BAD_SEVERITY_	2

/*
 * A value that is no constant, before it is cut to the bits of its place. Out of range, the
 * event is none: counted as EINVAL, and told if DEVTRACE_DEBUG asks for it. Of a constant,
 * and of a variable with no more bits than that, nothing is left of this.
 */
DEVTRACE_INLINE_ bool devtrace_fits_(unsigned long long v, unsigned int max, unsigned int what)
{
	/* First, so that the compiler does not take what it is certain of for merely likely. */
	if (__builtin_constant_p(v <= max) && v <= max)
		return true;
	return __builtin_expect(v <= max, 1) || devtrace_refused_(what, v);
}

#define DEVTRACE_TYPE_FITS_(x)		devtrace_fits_((x), UINT8_MAX, DEVTRACE_BAD_TYPE_)
#define DEVTRACE_OBJECT_FITS_(x)	devtrace_fits_((x), UINT16_MAX, DEVTRACE_BAD_OBJECT_)
#define DEVTRACE_SEVERITY_FITS_(x)	devtrace_fits_((x), 15, DEVTRACE_BAD_SEVERITY_)

/* Are events of this type wanted? One load, one test, and your branch. */
DEVTRACE_INLINE_ bool devtrace_enabled(uint8_t type)
{
	uint32_t word = __atomic_load_n(&devtrace_control.types[type >> 5], __ATOMIC_RELAXED);

	return __builtin_expect((word >> (type & 31)) & 1, 0);
}

/* For whoever has tested the type already. */
DEVTRACE_INLINE_ bool devtrace_severity_wanted_(uint8_t severity)
{
	uint32_t word;

	/* None is no reason to refuse an event. */
	if (__builtin_constant_p(severity) && !severity)
		return true;
	word = __atomic_load_n(&devtrace_control.severities, __ATOMIC_RELAXED);
	return __builtin_expect((word >> (severity & 15)) & 1, 0);
}

DEVTRACE_INLINE_ bool devtrace_object_wanted_(uint16_t object)
{
	uint32_t word;

	/* Those from 256 on have no bit: the kernel is asked. */
	if (object >= 8 * sizeof(devtrace_control.objects))
		return true;
	word = __atomic_load_n(&devtrace_control.objects[object >> 5], __ATOMIC_RELAXED);
	return __builtin_expect((word >> (object & 31)) & 1, 0);
}

/*
 * Of this type and severity byte? Of this type and object? That is one more
 * load, test and branch, behind those of the type. The two bits stand in
 * different places of different words; to bring them together for one test
 * takes more instructions than a branch that always goes the same way, and
 * makes an event of a type that is off, or without a device, dearer.
 */
DEVTRACE_INLINE_ bool devtrace_enabled_severity(uint8_t type, uint8_t severity)
{
	return devtrace_enabled(type) && devtrace_severity_wanted_(severity);
}

DEVTRACE_INLINE_ bool devtrace_enabled_for(uint8_t type, uint16_t object)
{
	return devtrace_enabled(type) && devtrace_object_wanted_(object);
}

/*
 * Dictionaries. Names last as long as the device, for this process: a child
 * after fork(2) is another process and names its things itself. A name is that
 * of the events that follow, until the same key is named again. It is cut after
 * 63 bytes.
 */
DEVTRACE_INLINE_ int devtrace_dict_obj(uint64_t key, const char *name)
{
	return devtrace_dict_add(DEVTRACE_T_OBJ, 0, 0, key, name);
}

DEVTRACE_INLINE_ int devtrace_dict_fun(uint64_t address, const char *name)
{
	return devtrace_dict_add(DEVTRACE_T_FUN, 0, 0, address, name);
}

/* object 0: the name holds for this signal whatever the object is */
DEVTRACE_INLINE_ int devtrace_dict_sig(uint32_t sig, uint64_t object, const char *name)
{
	return devtrace_dict_add(DEVTRACE_T_SIG, sig, 0, object, name);
}

DEVTRACE_INLINE_ int devtrace_dict_usr(uint8_t type, const char *name)
{
	return devtrace_dict_add(DEVTRACE_T_USR, type, 0, 0, name);
}

DEVTRACE_INLINE_ int devtrace_dict_enum(uint8_t value, uint8_t group, const char *name)
{
	return devtrace_dict_add(DEVTRACE_T_ENUM, value, group, 0, name);
}

#else /* DEVTRACE_DISABLE */

#define devtrace_enabled(type)			(DEVTRACE_ZERO_(type) != 0)
#define devtrace_enabled_severity(type, sev)	(DEVTRACE_ZERO_(type, sev) != 0)
#define devtrace_enabled_for(type, object)	(DEVTRACE_ZERO_(type, object) != 0)
#define devtrace_emit_event(event, size)		DEVTRACE_ZERO_(event, size)
#define devtrace_open()				DEVTRACE_ZERO_(0)
#define devtrace_close()			((void)0)
#define devtrace_lane(bytes)			DEVTRACE_ZERO_(bytes)
#define devtrace_fd()				(DEVTRACE_ZERO_(0) - 1)
#define devtrace_now()				((uint64_t)DEVTRACE_ZERO_(0))
#define devtrace_errors()			((unsigned long)DEVTRACE_ZERO_(0))
#define devtrace_error()			DEVTRACE_ZERO_(0)
#define devtrace_status()			(DEVTRACE_ZERO_(0) + DEVTRACE_DISABLED)
#define devtrace_status_text(status)		\
	(DEVTRACE_ZERO_(status) ? "" : "compiled out by DEVTRACE_DISABLE")
#define devtrace_dict_add(k, v, g, key, name)	DEVTRACE_ZERO_(k, v, g, key, name)
#define devtrace_dict_obj(key, name)		DEVTRACE_ZERO_(key, name)
#define devtrace_dict_fun(address, name)	DEVTRACE_ZERO_(address, name)
#define devtrace_dict_sig(sig, object, name)	DEVTRACE_ZERO_(sig, object, name)
#define devtrace_dict_usr(type, name)		DEVTRACE_ZERO_(type, name)
#define devtrace_dict_enum(value, group, name)	DEVTRACE_ZERO_(value, group, name)

#endif /* DEVTRACE_DISABLE */

/* Keys of the dictionaries as they stand in elements. */
#define DEVTRACE_KEY_(p)	((uint64_t)(uintptr_t)(p))

/* Name a thing by how it is spelt here: objects take their address as key. */
#define DEVTRACE_DICT_OBJ(object)	devtrace_dict_obj(DEVTRACE_KEY_(object), #object)
#define DEVTRACE_DICT_FUN(function)	devtrace_dict_fun(DEVTRACE_KEY_(function), #function)
#define DEVTRACE_DICT_SIG(sig, object)	devtrace_dict_sig((sig), DEVTRACE_KEY_(object), #sig)
#define DEVTRACE_DICT_USR(type)		devtrace_dict_usr((type), #type)
#define DEVTRACE_DICT_ENUM(value, group) devtrace_dict_enum((value), (group), #value)

#endif

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * devtrace/emit.h - connection to the device, filter test, dictionaries
 *
 * The three ways to emit an event use only devtrace_enabled() and its variants, which are inline
 * and call nothing, and devtrace_emit_event(), which emits one complete event. So the library can
 * change how an event reaches the kernel without recompiling programs.
 *
 * devtrace_control is not a pointer to the control page but the page itself: the library maps the
 * device over this variable. An event thus need not load a pointer. Before the first event all
 * bits of the page are set, so that this event calls devtrace_emit_event(), which connects.
 * Without a device all bits are clear.
 *
 * The page has bits for types, severities and objects below 256. The kernel applies all other
 * filters, for example on signals, codes and processes.
 */
#ifndef DEVTRACE_EMIT_H
#define DEVTRACE_EMIT_H

#if defined(__cplusplus) && __cplusplus < 201103L
#error "<devtrace.h> needs C++11 or later: -std=c++11"
#elif !defined(__cplusplus) && defined(__STRICT_ANSI__) && \
	(!defined(__STDC_VERSION__) || __STDC_VERSION__ < 199901L)
#error "<devtrace.h> needs C99 or later: -std=gnu99, not -ansi"
#endif

#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <linux/devtrace.h>

/*
 * Values of devtrace_status(). Later versions may add values. Any value but 0 means that events
 * are discarded.
 */
enum {
	DEVTRACE_OK		= 0,	/* connected */
	DEVTRACE_UNTRIED	= 1,	/* no event and no devtrace_open() yet */
	DEVTRACE_NO_DEVICE	= 2,	/* no device node: the module is not loaded */
	DEVTRACE_NOT_PERMITTED	= 3,	/* opening is forbidden by mode, cgroup or seccomp(2) */
	DEVTRACE_NOT_A_DEVICE	= 4,	/* another file in its place */
	DEVTRACE_LIMIT		= 5,	/* no descriptor or memory left */
	DEVTRACE_CLOSED		= 6,	/* devtrace_close() */
	/* the environment's DEVTRACE_DEVICE is empty, or DEVTRACE_DISABLE was defined */
	DEVTRACE_DISABLED	= 7,
	DEVTRACE_FAILED		= 8,	/* see devtrace_error() */
};

#define DEVTRACE_INLINE_	static inline __attribute__((always_inline, unused))

/**
 * struct devtrace_image_ - a program or library with sites, see devtrace/log.h
 * @number: number of the image << 24; 255 << 24 until it is registered
 * @state: 0 until it is registered
 * @sites: its first site
 */
struct devtrace_image_ {
	uint32_t		number;
	uint32_t		state;
	unsigned char		*sites;
};

#ifdef __cplusplus
extern "C" {
#endif

extern struct devtrace_control devtrace_control;

/*
 * Emit a complete event without a filter test; size includes struct devtrace_emit. Return 0 or an
 * errno number, ENODEV without a device; errno is kept. Async-signal-safe.
 */
int devtrace_emit_event(const struct devtrace_emit *event, size_t size);

/*
 * Emit an event of size bytes to which a STR element with the len bytes of s is added. The macros
 * call this function with a buffer that has room for both.
 */
int devtrace_emit_str_(uint8_t *event, size_t size, const char *s, size_t len);

/*
 * Connect now instead of at the first event: before chroot(2) or dropping privileges, or once the
 * missing device exists. Return 0 or an errno number. Async-signal-safe.
 */
int devtrace_open(void);
/* Disconnect; events are discarded until devtrace_open(). No other thread may be emitting. */
void devtrace_close(void);
/*
 * Return the time of the trace clock, in ns, or 0 if there is no device or the clock cannot be
 * read. If possible, no system call is made. The time lies between the time stamps of the events
 * emitted before and after this call. Async-signal-safe.
 */
uint64_t devtrace_now(void);
/*
 * Give this thread a lane of so many bytes in place of its current one: memory to which the thread
 * writes its events, and one system call for each 4 KiB of them. With DEVTRACE_LANE_NO_CALLS added
 * to the size, there is none: the kernel takes the events every 10 ms. 0: no lane; each event
 * is a system call. Return 0, or an errno number if the thread has no lane; see libdevtrace(3) for
 * sizes, defaults and errors. Signal handlers must not call it.
 */
int devtrace_lane(size_t bytes);
/* Return the descriptor in use, or -1: for programs that close all other descriptors. */
int devtrace_fd(void);

/*
 * Number of failed calls since the program started, and the errno number of the last one, or 0. A
 * missing device counts once.
 */
unsigned long devtrace_errors(void);
int devtrace_error(void);

/*
 * devtrace_status() returns DEVTRACE_OK or the reason why events are discarded, without trying to
 * connect. devtrace_status_text() returns it as text. Async-signal-safe.
 */
int devtrace_status(void);
const char *devtrace_status_text(int status);

/*
 * Add a name to the dictionaries that readers get. Return 0 or an errno number. Async-signal-safe.
 */
int devtrace_dict_add(uint8_t kind, uint32_t value, uint8_t group, uint64_t key,
		      const char *name);

/*
 * Register a type by name. Return its number, 256 to 65535, for devtrace_named() and its variants;
 * or a negative errno number. The same name gives the same number in all programs and drivers.
 * Async-signal-safe. See libdevtrace(3).
 */
int devtrace_type(const char *name);

/* For the inline functions in these headers, not for programs. */
size_t devtrace_cut_(uint8_t *event, size_t pos, size_t cut);
size_t devtrace_pieces_(uint8_t *out, const void *mem, size_t len);
int devtrace_refused_(unsigned int what, unsigned long long value) __attribute__((cold));
int devtrace_vtext_(uint8_t severity, const char *format, va_list args)
	__attribute__((format(printf, 2, 0)));
int devtrace_text_(uint8_t severity, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
int devtrace_puts_(uint8_t severity, const char *text);
/* Register an image, whose sites are from first to end; the image is about to be unloaded. */
void devtrace_image_begin_(struct devtrace_image_ *image, unsigned char *first,
			   unsigned char *end);
void devtrace_image_end_(struct devtrace_image_ *image);
int devtrace_qnx_event_(int code, ...);
int devtrace_qnx_buffer_(uint32_t code, uint8_t severity, unsigned int nargs,
			 const uint8_t *args, size_t len, const void *mem);

#ifdef __cplusplus
}
#endif

/* The compiler checks the arguments and considers them used, but they are never evaluated. */
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

/*
 * Like DEVTRACE_UNUSED_(), as an expression of value 0. It is a call because compilers warn about
 * a constant as a statement: "statement has no effect".
 */
DEVTRACE_INLINE_ int devtrace_zero_(int zero)
{
	return zero;
}

#define DEVTRACE_ZERO_(...)	devtrace_zero_(0 ? devtrace_unused_(0, __VA_ARGS__) : 0)

/*
 * Constants out of range do not compile: in the macros of short.h and qnx.h with any optimization,
 * in functions with -O1 or higher. The check is an expression without code, so that macros with a
 * value can contain it. devtrace_fits_() checks variables. The kernel refuses types of the
 * transport and of kernel profile events.
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
DEVTRACE_ERROR_("no event type of a program: 1 to 53, 55 to 57, 71 to 83, 85 to 127, 192 to 255")
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
	DEVTRACE_REFUSE_(x, !DEVTRACE_TYPE_IS_EMITTABLE_(DEVTRACE_N_(x)), devtrace_bad_type_)
#define DEVTRACE_CHECK_OBJECT_(x) \
	DEVTRACE_REFUSE_(x, DEVTRACE_N_(x) >> 16, devtrace_bad_object_)
#define DEVTRACE_CHECK_SEVERITY_(x) \
	DEVTRACE_REFUSE_(x, DEVTRACE_N_(x) && DEVTRACE_N_(x) - DEVTRACE_SEV_SET > 7, \
			 devtrace_bad_severity_)

#ifndef DEVTRACE_DISABLE

/* First argument of devtrace_refused_(): which value is out of range. */
#define DEVTRACE_BAD_TYPE_	0
#define DEVTRACE_BAD_OBJECT_	1	/* or signal */
#define DEVTRACE_BAD_SEVERITY_	2

/*
 * Check a value before it is truncated to its bits. If it is out of range, the event is discarded,
 * counted as EINVAL, and, with DEVTRACE_DEBUG in the environment, reported. Constants, and
 * variables that cannot exceed the range, cost no code.
 */
DEVTRACE_INLINE_ bool devtrace_fits_(unsigned long long v, unsigned int max, unsigned int what)
{
	/* If the compiler can prove this, __builtin_expect() would make it merely likely. */
	if (__builtin_constant_p(v <= max) && v <= max)
		return true;
	return __builtin_expect(v <= max, 1) || devtrace_refused_(what, v);
}

#define DEVTRACE_TYPE_FITS_(x)		devtrace_fits_((x), UINT8_MAX, DEVTRACE_BAD_TYPE_)
#define DEVTRACE_OBJECT_FITS_(x)	devtrace_fits_((x), UINT16_MAX, DEVTRACE_BAD_OBJECT_)
/* Is this the number of a type that is registered by name? */
#define DEVTRACE_NUMBER_FITS_(x)							\
	(__builtin_expect((x) - DEVTRACE_NAMED_FIRST <=					\
			  DEVTRACE_NAMED_LAST - DEVTRACE_NAMED_FIRST, 1) ||		\
	 devtrace_refused_(DEVTRACE_BAD_TYPE_, (x)))
#define DEVTRACE_SEVERITY_FITS_(x)	devtrace_fits_((x), 15, DEVTRACE_BAD_SEVERITY_)

/* Do the filters pass events of this type? Costs one load, one test, and the caller's branch. */
DEVTRACE_INLINE_ bool devtrace_enabled(uint8_t type)
{
	uint32_t word = __atomic_load_n(&devtrace_control.types[type >> 5], __ATOMIC_RELAXED);

	return __builtin_expect((word >> (type & 31)) & 1, 0);
}

/* Do the filters pass this severity? The caller has tested the type. */
DEVTRACE_INLINE_ bool devtrace_severity_wanted_(uint8_t severity)
{
	uint32_t word;

	/* Filters on severity pass an event that has none. */
	if (__builtin_constant_p(severity) && !severity)
		return true;
	word = __atomic_load_n(&devtrace_control.severities, __ATOMIC_RELAXED);
	return __builtin_expect((word >> (severity & 15)) & 1, 0);
}

DEVTRACE_INLINE_ bool devtrace_object_wanted_(uint16_t object)
{
	uint32_t word;

	/* The page has no bit for objects from 256 on: let the kernel decide. */
	if (object >= 8 * sizeof(devtrace_control.objects))
		return true;
	word = __atomic_load_n(&devtrace_control.objects[object >> 5], __ATOMIC_RELAXED);
	return __builtin_expect((word >> (object & 31)) & 1, 0);
}

/*
 * Do the filters pass this type with this severity, or about this object? The second bit costs one
 * more load, test and branch, but only if the type is enabled. Combining both bits for a single
 * test would take more instructions in every case.
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
 * Dictionaries. A name belongs to this process and is kept until the module is unloaded; after
 * fork(2), the child must name its objects itself. A name applies to later events, until the same
 * key gets another name. It is truncated to 63 bytes.
 */
DEVTRACE_INLINE_ int devtrace_dict_obj(uint64_t key, const char *name)
{
	return devtrace_dict_add(DEVTRACE_T_OBJ, 0, 0, key, name);
}

DEVTRACE_INLINE_ int devtrace_dict_fun(uint64_t address, const char *name)
{
	return devtrace_dict_add(DEVTRACE_T_FUN, 0, 0, address, name);
}

/* If object is 0, the name applies to all objects. */
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
#define devtrace_type(name)			(DEVTRACE_ZERO_(name) - ENODEV)
#define devtrace_dict_add(k, v, g, key, name)	DEVTRACE_ZERO_(k, v, g, key, name)
#define devtrace_dict_obj(key, name)		DEVTRACE_ZERO_(key, name)
#define devtrace_dict_fun(address, name)	DEVTRACE_ZERO_(address, name)
#define devtrace_dict_sig(sig, object, name)	DEVTRACE_ZERO_(sig, object, name)
#define devtrace_dict_usr(type, name)		DEVTRACE_ZERO_(type, name)
#define devtrace_dict_enum(value, group, name)	DEVTRACE_ZERO_(value, group, name)

#endif /* DEVTRACE_DISABLE */

/* The key under which dictionaries and elements refer to an address. */
#define DEVTRACE_KEY_(p)	((uint64_t)(uintptr_t)(p))

/* Name something by its source text; the key of an object is its address. */
#define DEVTRACE_DICT_OBJ(object)	devtrace_dict_obj(DEVTRACE_KEY_(object), #object)
#define DEVTRACE_DICT_FUN(function)	devtrace_dict_fun(DEVTRACE_KEY_(function), #function)
#define DEVTRACE_DICT_SIG(sig, object)	devtrace_dict_sig((sig), DEVTRACE_KEY_(object), #sig)
#define DEVTRACE_DICT_USR(type)		devtrace_dict_usr((type), #type)
#define DEVTRACE_DICT_ENUM(value, group) devtrace_dict_enum((value), (group), #value)

#endif

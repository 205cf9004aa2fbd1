/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Emit trace events from the kernel
 *
 * Unless stated otherwise, every function may be called in any context: process, softirq, hard
 * interrupt, NMI, with preemption on or off. No function waits, sleeps, allocates memory or fails:
 * an event for which the ring has no room is discarded and counted.
 *
 * An event whose layout is known at compile time is one expression. It compiles to a test, two
 * calls, and stores directly into the ring:
 *
 *	devtrace_exc(DEVTRACE_SW2, DEVTRACE_CODE(MY_MAJOR, MY_MINOR),
 *		     dt_u32(irq), dt_i32(err));
 *	devtrace_rec(DEVTRACE_T_USER + 3, dt_u16(speed), dt_u8x(status));
 *	devtrace_rec_for(DEVTRACE_T_USER + 3, object, signal, dt_u32(n));
 *
 * An event with strings or buffers, or with elements known only at run time, is built step by step
 * and then emitted as a whole:
 *
 *	struct devtrace_record r;
 *
 *	if (devtrace_begin(&r, DEVTRACE_T_USER, object, signal)) {
 *		devtrace_put_str(&r, name);
 *		devtrace_put_mem(&r, buf, len);
 *		devtrace_end(&r);
 *	}
 *
 * devtrace_text(severity, "format", ...) emits text. Arguments are evaluated once if a stream or
 * trigger wants events of the type, otherwise not at all.
 *
 * A constant type, object, signal or severity that is out of range does not compile. A variable is
 * checked before it is truncated: if it is out of range, the event is discarded and counted as a
 * filtered event of type 0. A driver compiled with DEVTRACE_DEBUG also logs a warning.
 *
 * A driver outside the kernel tree includes devtrace.mk in its Kbuild, which defines
 * CONFIG_DEVTRACE_MODULE=1; see devtrace(9). With DEVTRACE_DISABLE, or without CONFIG_DEVTRACE,
 * all calls compile to nothing and do not evaluate their arguments. The compiler warns about a
 * module that defines neither CONFIG_DEVTRACE_MODULE nor DEVTRACE_DISABLE.
 */
#ifndef _LINUX_DEVTRACE_H
#define _LINUX_DEVTRACE_H

#include <linux/build_bug.h>
#include <linux/compiler.h>
#include <linux/kconfig.h>
#include <linux/kernel.h>
#include <linux/limits.h>
#include <linux/percpu.h>
#include <linux/printk.h>
#include <linux/ratelimit.h>
#include <linux/string.h>
#include <linux/types.h>
#include <asm/byteorder.h>
#include <uapi/linux/devtrace.h>

/* A driver that silently traces nothing is worse than one that does not build. */
#if defined(MODULE) && !IS_ENABLED(CONFIG_DEVTRACE) && !defined(DEVTRACE_DISABLE)
#warning "This driver will trace nothing: put 'include PREFIX/share/devtrace/devtrace.mk' into its Kbuild (or -DCONFIG_DEVTRACE_MODULE=1 into ccflags-y), or define DEVTRACE_DISABLE if that is meant"
#endif

/* A data element as stored in the ring: format byte, value. */
struct dt_elem8 { u8 f; u8 v; } __packed;
struct dt_elem16 { u8 f; __le16 v; } __packed;
struct dt_elem32 { u8 f; __le32 v; } __packed;
struct dt_elem64 { u8 f; __le64 v; } __packed;
struct dt_elemptr { u8 f; __le64 v; } __packed;
struct dt_elemsig { u8 f; __le32 sig; __le64 obj; } __packed;

#define __DT_ELEM(name, arg, elem, format, conv)			\
static __always_inline struct elem name(arg v)				\
{									\
	return (struct elem){ (format), conv(v) };			\
}

#define __dt_byte(v)	((u8)(v))
#define __dt_ptr(v)	cpu_to_le64((unsigned long)(v))

__DT_ELEM(dt_i8, s8, dt_elem8, DEVTRACE_E_I8, __dt_byte)
__DT_ELEM(dt_u8, u8, dt_elem8, DEVTRACE_E_U8, __dt_byte)
__DT_ELEM(dt_i16, s16, dt_elem16, DEVTRACE_E_I16, cpu_to_le16)
__DT_ELEM(dt_u16, u16, dt_elem16, DEVTRACE_E_U16, cpu_to_le16)
__DT_ELEM(dt_i32, s32, dt_elem32, DEVTRACE_E_I32, cpu_to_le32)
__DT_ELEM(dt_u32, u32, dt_elem32, DEVTRACE_E_U32, cpu_to_le32)
__DT_ELEM(dt_i64, s64, dt_elem64, DEVTRACE_E_I64, cpu_to_le64)
__DT_ELEM(dt_u64, u64, dt_elem64, DEVTRACE_E_U64, cpu_to_le64)
/* Printed in hexadecimal. */
__DT_ELEM(dt_u8x, u8, dt_elem8, DEVTRACE_E_U8 | DEVTRACE_E_HEX, __dt_byte)
__DT_ELEM(dt_u16x, u16, dt_elem16, DEVTRACE_E_U16 | DEVTRACE_E_HEX, cpu_to_le16)
__DT_ELEM(dt_u32x, u32, dt_elem32, DEVTRACE_E_X32, cpu_to_le32)
__DT_ELEM(dt_u64x, u64, dt_elem64, DEVTRACE_E_U64 | DEVTRACE_E_HEX, cpu_to_le64)
/*
 * An element that is an address. The kernel replaces the address by a hash before a reader gets
 * it; readers print the name that devtrace_name_obj() or devtrace_name_fun() gave to the address.
 * A number below 65536 is taken for an id and is not replaced.
 */
__DT_ELEM(dt_obj, const void *, dt_elemptr, DEVTRACE_E_OBJ, __dt_ptr)
__DT_ELEM(dt_fun, const void *, dt_elemptr, DEVTRACE_E_FUN, __dt_ptr)

static __always_inline struct dt_elem8 dt_enum(unsigned int group, u8 v)
{
	BUILD_BUG_ON_MSG(__builtin_constant_p(group) && group > 7,
			 "enumerations are numbered 0 to 7");
	return (struct dt_elem8){ DEVTRACE_E_ENUM(group), v };
}

static __always_inline struct dt_elemsig dt_sig(u32 sig, const void *obj)
{
	return (struct dt_elemsig){ DEVTRACE_E_SIG, cpu_to_le32(sig), __dt_ptr(obj) };
}

/**
 * struct devtrace_named - a type that a driver registers by name
 * @name: less than DEVTRACE_NAME_MAX bytes
 * @number: the number that devtrace_named_get() got; 0: none yet, and events are discarded
 */
struct devtrace_named {
	const char	*name;
	u32		number;
};

/* Initialize a struct devtrace_named. */
#define DEVTRACE_NAMED_INIT(_name)	{ .name = (_name) }

/*
 * __DT_EACH(m, e1, e2, ...) expands to m(n, e) for each of up to twelve arguments, with a
 * different n for each. For more arguments __DT_COUNT() expands to 99.
 */
#define __DT_COUNT(...) \
	__DT_COUNT_(0, ##__VA_ARGS__, 99, 99, 99, 99, 99, 99, 99, 99, \
		    12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0)
#define __DT_COUNT_(z, a, b, c, d, e, f, g, h, i, j, k, l, o, p, q, r, s, t, u, v, n, ...)	n
#define __DT_CAT(a, b)		__DT_CAT_(a, b)
#define __DT_CAT_(a, b)		a##b

#define __DT_EACH0(m)
#define __DT_EACH1(m, e)	m(1, e)
#define __DT_EACH2(m, e, ...)	m(2, e) __DT_EACH1(m, __VA_ARGS__)
#define __DT_EACH3(m, e, ...)	m(3, e) __DT_EACH2(m, __VA_ARGS__)
#define __DT_EACH4(m, e, ...)	m(4, e) __DT_EACH3(m, __VA_ARGS__)
#define __DT_EACH5(m, e, ...)	m(5, e) __DT_EACH4(m, __VA_ARGS__)
#define __DT_EACH6(m, e, ...)	m(6, e) __DT_EACH5(m, __VA_ARGS__)
#define __DT_EACH7(m, e, ...)	m(7, e) __DT_EACH6(m, __VA_ARGS__)
#define __DT_EACH8(m, e, ...)	m(8, e) __DT_EACH7(m, __VA_ARGS__)
#define __DT_EACH9(m, e, ...)	m(9, e) __DT_EACH8(m, __VA_ARGS__)
#define __DT_EACH10(m, e, ...)	m(10, e) __DT_EACH9(m, __VA_ARGS__)
#define __DT_EACH11(m, e, ...)	m(11, e) __DT_EACH10(m, __VA_ARGS__)
#define __DT_EACH12(m, e, ...)	m(12, e) __DT_EACH11(m, __VA_ARGS__)
#define __DT_EACH99(m, ...)
#define __DT_EACH(m, ...) \
	__DT_CAT(__DT_EACH, __DT_COUNT(__VA_ARGS__))(m, ##__VA_ARGS__)

/*
 * Code in the kernel's image calls devtrace directly, and so do devtrace.ko's own modules, which
 * define __DEVTRACE_DIRECT. A driver that is a module calls through its table, see
 * <linux/devtrace_link.h>. If devtrace is a module, code in the image cannot call it.
 */
#if defined(DEVTRACE_DISABLE)
#elif defined(__DEVTRACE_DIRECT) || IS_BUILTIN(CONFIG_DEVTRACE)
#define __DEVTRACE_CALLS_DIRECTLY
#elif IS_MODULE(CONFIG_DEVTRACE) && defined(MODULE)
#define __DEVTRACE_CALLS_BY_LINK
#endif

#if defined(__DEVTRACE_CALLS_DIRECTLY) || defined(__DEVTRACE_CALLS_BY_LINK)

#ifdef __DEVTRACE_CALLS_DIRECTLY
/*
 * Tables by type, by object and by severity: bit n is set if some stream or trigger wants events
 * with the value n.
 */
extern unsigned long devtrace_wanted[256 / BITS_PER_LONG];
extern unsigned long devtrace_objects[256 / BITS_PER_LONG];
extern u32 devtrace_severities;
/* Number of events of each type that the filter of stream 0 refused. */
extern u64 __percpu *devtrace_filtered;
#define __devtrace_count_filtered(type)	this_cpu_inc(devtrace_filtered[type])

void *__devtrace_reserve(unsigned int type, u32 who, unsigned int len);
void *__devtrace_reserve_for(unsigned int type, u32 who, unsigned int len, u32 key);
void __devtrace_commit(void);
void __devtrace_emit(unsigned int type, u32 who, const void *data, unsigned int len);
#else
#include <linux/devtrace_link.h>
#endif

/*
 * Bits of a record's header that the emitting driver sets. kmod/ring/ring.h defines the same
 * values.
 */
#define __DEVTRACE_CODE		0x02000000U
#define __DEVTRACE_OBJSIG	0x04000000U
#define __DEVTRACE_PTR		0x08000000U
#define __DEVTRACE_SEV(s)	((u32)(s) << 28)

/*
 * Is this a type of events? Type 0 marks padding in the ring, and the other types of the transport
 * belong to frames that the kernel itself makes, such as LOST and CLOCK: readers would
 * misinterpret an event with such a type.
 */
static __always_inline bool __devtrace_type_ok(unsigned int type)
{
	return type < 256 && !devtrace_type_is_transport(type);
}

/*
 * Only devtrace_profile.ko defines __DEVTRACE_PROFILE: no other module may emit kernel profile
 * events.
 */
#ifdef __DEVTRACE_PROFILE
#define __devtrace_type_free(type)	__devtrace_type_ok(type)
#else
#define __devtrace_type_free(type)	devtrace_type_is_emittable(type)
#endif

/* Count an event that is discarded because the value named @what is out of range. */
static noinline __cold __maybe_unused bool __devtrace_refused(const char *what, long long value)
{
	__devtrace_count_filtered(DEVTRACE_T_EMPTY);
#ifdef DEVTRACE_DEBUG
	pr_warn_ratelimited("%s: devtrace: %s %lld is out of range: the event is discarded; see devtrace(9)\n",
			    KBUILD_MODNAME, what, value);
#endif
	return false;
}

/* Compiles to nothing for a constant, and for a variable with no more bits than @max. */
static __always_inline bool __devtrace_fits(unsigned long long v, unsigned int max,
					    const char *what)
{
	return likely(v <= max) || __devtrace_refused(what, v);
}

#define __devtrace_type_fits(type) \
	(__devtrace_type_free(type) || __devtrace_refused("event type", (int)(type)))
#define __devtrace_objsig_fits(v)	__devtrace_fits(v, U16_MAX, "object or signal")
/*
 * Let invalid severities below 32 pass: devtrace_severities never has their bits set, so that
 * __devtrace_severity_ok() refuses them.
 */
#define __devtrace_severity_fits(v)	__devtrace_fits(v, 31, "severity")

/* A constant that is out of range does not compile. These checks generate no code. */
#define __devtrace_check_byte(type) \
	BUILD_BUG_ON_MSG(__builtin_constant_p(type) && (type) > 255, \
			 "an event type is a number below 256")
#define __devtrace_check_type(type) \
	BUILD_BUG_ON_MSG(__builtin_constant_p(type) && !__devtrace_type_free(type), \
			 "no event type of a driver: take DEVTRACE_T_USER + n")
#define __devtrace_check_objsig(v) \
	BUILD_BUG_ON_MSG(__builtin_constant_p(v) && (v) >> 16, \
			 "objects and signals have 16 bits")
#define __devtrace_check_severity(severity) \
	BUILD_BUG_ON_MSG(__builtin_constant_p(severity) && (severity) && \
			 ((severity) & ~0xfU || !((severity) & DEVTRACE_SEV_SET)), \
			 "no severity: take DEVTRACE_SW0 to DEVTRACE_HW3, or 0 for none")

/**
 * devtrace_enabled() - are events of a type wanted?
 * @type: event type; if not wanted, it is counted as filtered
 *
 * Costs a load, a test and a branch.
 */
static __always_inline bool devtrace_enabled(unsigned int type)
{
	const u8 t = type;

	__devtrace_check_byte(type);
	if (likely(READ_ONCE(devtrace_wanted[t / BITS_PER_LONG]) >>
		   (t % BITS_PER_LONG) & 1))
		return true;
	__devtrace_count_filtered(t);
	return false;
}

/*
 * The table has bits for objects 0 to 255. Higher objects pass here; __devtrace_reserve_for()
 * checks them.
 */
static __always_inline bool __devtrace_object_ok(u8 type, u16 obj)
{
	if (obj > 255 || likely(READ_ONCE(devtrace_objects[obj / BITS_PER_LONG]) >>
				(obj % BITS_PER_LONG) & 1))
		return true;
	__devtrace_count_filtered(type);
	return false;
}

static noinline __cold __maybe_unused bool __devtrace_severity_off(u8 severity)
{
	if (!devtrace_severity_is_valid(severity))
		return __devtrace_refused("severity", severity);
	__devtrace_count_filtered(DEVTRACE_T_EXC);
	return false;
}

/*
 * The bit of an invalid severity is never set, so that one test refuses both invalid and unwanted
 * severities.
 */
static __always_inline bool __devtrace_severity_ok(u8 severity)
{
	if (likely(READ_ONCE(devtrace_severities) >> (severity & 31) & 1))
		return true;
	if (!__builtin_constant_p(severity))
		return __devtrace_severity_off(severity);
	__devtrace_count_filtered(DEVTRACE_T_EXC);
	return false;
}

/**
 * devtrace_enabled_for() - are events of a type about an object wanted?
 * @type: event type; if not wanted, it is counted as filtered
 * @obj: object id
 */
static __always_inline bool devtrace_enabled_for(unsigned int type, unsigned int obj)
{
	__devtrace_check_objsig(obj);
	return devtrace_enabled(type) && __devtrace_object_ok(type, obj);
}

/**
 * devtrace_enabled_exc() - are exceptions of a severity wanted?
 * @severity: severity byte; if not wanted, it is counted as filtered
 */
static __always_inline bool devtrace_enabled_exc(unsigned int severity)
{
	__devtrace_check_severity(severity);
	return devtrace_enabled(DEVTRACE_T_EXC) && __devtrace_severity_ok(severity);
}

#define __DT_SIZE(n, e)	+ sizeof(e)
#define __DT_PTR(n, e)	| _Generic((e), struct dt_elemptr: __DEVTRACE_PTR, \
				   struct dt_elemsig: __DEVTRACE_PTR, default: 0)
/*
 * Refuse a plain number in place of an element: __builtin_classify_type() returns 12 for a
 * structure. sparse does not implement this function.
 */
#ifdef __CHECKER__
#define __DT_CHECK(n, e)
#else
#define __DT_CHECK(n, e) \
	BUILD_BUG_ON_MSG(__builtin_classify_type(e) != 12, \
			 "an element is made by dt_u32() and its like");
#endif
#define __DT_LOCAL(n, e)	typeof(e) __e##n = (e);
#define __DT_STORE(n, e)						\
	memcpy(__p, &__e##n, sizeof(__e##n));				\
	__p += sizeof(__e##n);

/*
 * The arguments may be calls that sleep, so they are evaluated before reserve() disables
 * preemption. Size and flags of the record are constants: only the stores remain at run time.
 */
#define __devtrace_store(reserve, type, who, key, ...) do {		\
	__DT_EACH(__DT_LOCAL, ##__VA_ARGS__)				\
	u8 *__p = reserve(type, (who) __DT_EACH(__DT_PTR, ##__VA_ARGS__), \
			  0 __DT_EACH(__DT_SIZE, ##__VA_ARGS__), key);	\
									\
	BUILD_BUG_ON_MSG(__DT_COUNT(__VA_ARGS__) > 12, "an event has up to ten elements"); \
	__DT_EACH(__DT_CHECK, ##__VA_ARGS__)				\
	if (__p) {							\
		__DT_EACH(__DT_STORE, ##__VA_ARGS__)			\
		__devtrace_commit();					\
	}								\
} while (0)

#define __devtrace_reserve_plain(type, who, len, key) \
	__devtrace_reserve(type, who, len)

struct __dt_code { __le32 code; } __packed;
struct __dt_objsig { __le16 obj, sig; } __packed;

#define __dt_code(c)		((struct __dt_code){ cpu_to_le32(c) })
#define __dt_objsig(o, s) \
	((struct __dt_objsig){ cpu_to_le16(o), cpu_to_le16(s) })

/**
 * devtrace_exc() - emit an exception
 * @severity: DEVTRACE_SW0 ... DEVTRACE_HW3
 * @code: DEVTRACE_CODE(major, minor)
 * @...: up to ten elements: dt_u32(x), dt_i16(y), ...
 */
#define devtrace_exc(severity, code, ...) do {				\
	__devtrace_check_severity(severity);				\
	if (devtrace_enabled(DEVTRACE_T_EXC)) {				\
		const unsigned long long __wide = (severity);		\
		const u8 __sev = __wide;				\
									\
		if (__devtrace_severity_fits(__wide) && __devtrace_severity_ok(__sev)) { \
			const u32 __code = (code);			\
									\
			__devtrace_store(__devtrace_reserve_for,	\
				DEVTRACE_T_EXC,				\
				__DEVTRACE_CODE | __DEVTRACE_SEV(__sev), \
				__code, __dt_code(__code), ##__VA_ARGS__); \
		}							\
	}								\
} while (0)

/**
 * devtrace_rec() - emit a record
 * @type: event type, a constant
 * @...: up to ten elements
 */
#define devtrace_rec(type, ...) do {					\
	__devtrace_check_type(type);					\
	if (__devtrace_type_fits(type) && devtrace_enabled(type))	\
		__devtrace_store(__devtrace_reserve_plain, type, 0, 0,	\
				 ##__VA_ARGS__);			\
} while (0)

/**
 * devtrace_rec_for() - emit a record about an object and a signal
 * @type: event type, a constant
 * @obj: object id, 16 bits
 * @sig: signal, 16 bits
 * @...: up to ten elements
 */
#define devtrace_rec_for(type, obj, sig, ...) do {			\
	__devtrace_check_type(type);					\
	__devtrace_check_objsig(obj);					\
	__devtrace_check_objsig(sig);					\
	if (__devtrace_type_fits(type) && devtrace_enabled(type)) {	\
		const unsigned long long __obj = (obj);			\
									\
		if (__devtrace_objsig_fits(__obj) && __devtrace_object_ok(type, __obj)) { \
			const unsigned long long __sig = (sig);		\
									\
			if (__devtrace_objsig_fits(__sig))		\
				__devtrace_store(__devtrace_reserve_for, type, \
					__DEVTRACE_OBJSIG, (u16)__obj | (u32)__sig << 16, \
					__dt_objsig(__obj, __sig), ##__VA_ARGS__); \
		}							\
	}								\
} while (0)

#define DEVTRACE_RECORD_MAX	256

/**
 * struct devtrace_record - an event being built
 * @who: flags and severity
 * @type: event type
 * @full: true once an element did not fit: this element and all later ones are left out
 * @len: bytes in @data
 * @data: the code, or the object and the signal; then the elements
 */
struct devtrace_record {
	u32	who;
	u8	type;
	bool	full;
	u16	len;
	u8	data[DEVTRACE_RECORD_MAX];
};

static inline void *__devtrace_room(struct devtrace_record *r, unsigned int n)
{
	void *p = r->data + r->len;

	if (r->full || n > sizeof(r->data) - r->len) {
		r->full = true;
		return NULL;
	}
	r->len += n;
	return p;
}

#define devtrace_put(r, e) do {						\
	typeof(e) __e = (e);						\
	void *__p = __devtrace_room(r, sizeof(__e));			\
									\
	__DT_CHECK(0, e)						\
	(r)->who |= 0 __DT_PTR(0, __e);					\
	if (__p)							\
		memcpy(__p, &__e, sizeof(__e));				\
} while (0)

static inline bool __devtrace_begin(struct devtrace_record *r, u8 type, u16 obj, u16 sig)
{
	if (!devtrace_enabled_for(type, obj))
		return false;
	r->who = __DEVTRACE_OBJSIG;
	r->type = type;
	r->full = false;
	r->len = 0;
	devtrace_put(r, __dt_objsig(obj, sig));
	return true;
}

/**
 * devtrace_begin() - begin a record about an object and a signal
 * @r: the record, on the caller's stack
 * @type: event type, not one of the transport
 * @obj: object id
 * @sig: signal
 *
 * Return: false if the event is not wanted: then do not call devtrace_end().
 */
static __always_inline bool devtrace_begin(struct devtrace_record *r, unsigned int type,
					   unsigned int obj, unsigned int sig)
{
	__devtrace_check_type(type);
	__devtrace_check_objsig(obj);
	__devtrace_check_objsig(sig);
	return __devtrace_type_fits(type) && __devtrace_objsig_fits(obj) &&
	       __devtrace_objsig_fits(sig) && __devtrace_begin(r, type, obj, sig);
}

static inline bool __devtrace_begin_exc(struct devtrace_record *r, u8 severity, u32 code)
{
	if (!devtrace_enabled_exc(severity))
		return false;
	r->who = __DEVTRACE_CODE | __DEVTRACE_SEV(severity);
	r->type = DEVTRACE_T_EXC;
	r->full = false;
	r->len = 0;
	devtrace_put(r, __dt_code(code));
	return true;
}

/**
 * devtrace_begin_exc() - begin an exception
 * @r: the record, on the caller's stack
 * @severity: as for devtrace_exc()
 * @code: as for devtrace_exc()
 *
 * Return: false if the event is not wanted: then do not call devtrace_end().
 */
static __always_inline bool devtrace_begin_exc(struct devtrace_record *r,
					       unsigned int severity, u32 code)
{
	__devtrace_check_severity(severity);
	return __devtrace_severity_fits(severity) && __devtrace_begin_exc(r, severity, code);
}

static inline void devtrace_put_obj(struct devtrace_record *r, const void *obj)
{
	devtrace_put(r, dt_obj(obj));
}

static inline void devtrace_put_fun(struct devtrace_record *r, const void *fun)
{
	devtrace_put(r, dt_fun(fun));
}

static inline void devtrace_put_sig(struct devtrace_record *r, u32 sig, const void *obj)
{
	devtrace_put(r, dt_sig(sig, obj));
}

/* Write a STR element. If the string has become shorter since it was measured, replace its NUL. */
static noinline notrace __maybe_unused void __dt_store_str(u8 *p, const char *s, unsigned int len)
{
	u8 *end = p + 1 + len;

	*p++ = DEVTRACE_E_STR;
	memcpy(p, s, len);
	*end = 0;
	while (unlikely((p = memchr(p, 0, end - p))))
		*p++ = '?';
}

static inline void __devtrace_put_str(struct devtrace_record *r, const char *s)
{
	const unsigned int len = strnlen(s, DEVTRACE_RECORD_MAX);
	u8 *p = __devtrace_room(r, 2 + len);

	if (p)
		__dt_store_str(p, s, len);
}

static inline void __devtrace_put_mem(struct devtrace_record *r, const void *buf, size_t n)
{
	u8 *p;

	/* The length byte cannot express more than 255. A longer buffer never fits a record. */
	BUILD_BUG_ON(DEVTRACE_RECORD_MAX > 257);
	p = n <= 255 ? __devtrace_room(r, 2 + n) : NULL;
	if (!p) {
		r->full = true;
		return;
	}
	*p++ = DEVTRACE_E_MEM;
	*p++ = n;
	memcpy(p, buf, n);
}

#ifdef __DEVTRACE_CALLS_DIRECTLY
void devtrace_put_str(struct devtrace_record *r, const char *s);
void devtrace_put_mem(struct devtrace_record *r, const void *p, size_t n);
#else
static noinline notrace __maybe_unused
void devtrace_put_str(struct devtrace_record *r, const char *s)
{
	__devtrace_put_str(r, s);
}

static noinline notrace __maybe_unused
void devtrace_put_mem(struct devtrace_record *r, const void *p, size_t n)
{
	__devtrace_put_mem(r, p, n);
}
#endif

/**
 * devtrace_end() - emit the event that was built
 * @r: the record
 *
 * Return: false if an element was left out because it did not fit.
 */
static inline bool devtrace_end(struct devtrace_record *r)
{
	__devtrace_emit(r->type, r->who, r->data, r->len);
	return !r->full;
}

#ifdef __DEVTRACE_CALLS_DIRECTLY
__printf(2, 3)
void devtrace_text(u8 severity, const char *fmt, ...);
#else
static noinline notrace __maybe_unused __printf(2, 3)
void devtrace_text(u8 severity, const char *fmt, ...)
{
	typeof(__devtrace_link.text) text = READ_ONCE(__devtrace_link.text);
	va_list ap;

	if (!text)
		return;
	va_start(ap, fmt);
	text(severity, fmt, ap);
	va_end(ap);
}
#endif
#define devtrace_text(severity, ...) do {				\
	const unsigned long long __wide = (severity);			\
									\
	__devtrace_check_severity(severity);				\
	if (unlikely(__wide > U8_MAX || !devtrace_severity_is_valid(__wide))) \
		__devtrace_refused("severity", __wide);			\
	else								\
		(devtrace_text)(__wide, __VA_ARGS__);			\
} while (0)

/* Emit an ASSERT event: the line number in QP/Spy's encoding, and the string "module function". */
static noinline __cold __maybe_unused
void __devtrace_assert_failed(const char *module, const char *function, unsigned int line)
{
	struct devtrace_record r;

	if (!devtrace_enabled(DEVTRACE_T_ASSERT))
		return;
	r.who = __DEVTRACE_SEV(DEVTRACE_SW3);
	r.type = DEVTRACE_T_ASSERT;
	r.full = false;
	r.len = 0;
	devtrace_put(&r, dt_u16(line));
	r.data[r.len++] = DEVTRACE_E_STR;
	r.len += 1 + scnprintf(r.data + r.len, sizeof(r.data) - r.len, "%s %s", module, function);
	devtrace_end(&r);
}

/**
 * devtrace_assert() - emit a record of severity sw3 if a condition is false
 * @condition: the condition
 *
 * The driver continues; WARN_ON(!devtrace_assert(x)) also prints to the kernel's log.
 *
 * Context: any.
 * Return: the condition.
 */
#define devtrace_assert(condition) ({					\
	const bool __holds = !!(condition);				\
									\
	if (unlikely(!__holds))						\
		__devtrace_assert_failed(KBUILD_MODNAME, __func__, __LINE__); \
	__holds;							\
})

/*
 * Name an object, a function, a signal, an event type or a value of an enumeration for readers.
 * Process context; these functions may sleep. They return 0, -EINVAL (the name is empty or too
 * long, or a number is out of range), -ENOSPC (the dictionary is full) or -ENOMEM.
 */
#ifdef __DEVTRACE_CALLS_DIRECTLY
int devtrace_name_obj(const void *obj, const char *name);
int devtrace_name_fun(const void *fun, const char *name);
int devtrace_name_sig(u32 sig, const void *obj, const char *name);
int devtrace_name_type(u8 type, const char *name);
int devtrace_name_enum(u8 group, u8 value, const char *name);
#endif

#else /* no calls */

struct devtrace_record { };

#define __DT_UNUSED(n, e)	(void)sizeof(e);
#define __devtrace_nothing(...)						\
	do { __DT_EACH(__DT_UNUSED, ##__VA_ARGS__) } while (0)
#define devtrace_exc(severity, code, ...) do {				\
	__devtrace_nothing(severity, code);				\
	__devtrace_nothing(__VA_ARGS__);				\
} while (0)
#define devtrace_rec(type, ...)	\
	__devtrace_nothing(type, ##__VA_ARGS__)
#define devtrace_rec_for(type, obj, sig, ...) do {			\
	__devtrace_nothing(type, obj, sig);				\
	__devtrace_nothing(__VA_ARGS__);				\
} while (0)
#define devtrace_put(r, e)	__devtrace_nothing(r, e)
#define devtrace_assert(condition)	(!!(condition))

static inline bool devtrace_enabled(u8 type) { return false; }
static inline bool devtrace_enabled_for(u8 type, u16 obj) { return false; }
static inline bool devtrace_enabled_exc(u8 severity) { return false; }

static inline bool devtrace_begin(struct devtrace_record *r, u8 type, u16 obj, u16 sig)
{
	return false;
}

static inline bool devtrace_begin_exc(struct devtrace_record *r, u8 severity, u32 code)
{
	return false;
}

static inline void devtrace_put_obj(struct devtrace_record *r, const void *obj) { }
static inline void devtrace_put_fun(struct devtrace_record *r, const void *fun) { }
static inline void devtrace_put_sig(struct devtrace_record *r, u32 sig, const void *obj) { }
static inline void devtrace_put_str(struct devtrace_record *r, const char *s) { }
static inline void devtrace_put_mem(struct devtrace_record *r, const void *p, size_t n) { }
static inline bool devtrace_end(struct devtrace_record *r) { return true; }

static inline __printf(2, 3)
void devtrace_text(u8 severity, const char *fmt, ...) { }

static inline int devtrace_name_obj(const void *obj, const char *name) { return 0; }
static inline int devtrace_name_fun(const void *fun, const char *name) { return 0; }

static inline int devtrace_name_sig(u32 sig, const void *obj, const char *name)
{
	return 0;
}

static inline int devtrace_name_type(u8 type, const char *name) { return 0; }
static inline int devtrace_name_enum(u8 group, u8 value, const char *name) { return 0; }

#endif /* no calls */

#include <linux/devtrace_named.h>

#endif /* _LINUX_DEVTRACE_H */

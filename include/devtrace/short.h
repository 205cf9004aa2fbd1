/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * devtrace/short.h - an event in one line, with elements chosen by type
 *
 *	devtrace(type, a, b, ...)			up to 8 arguments
 *	devtrace_for(type, object, signal, a, b, ...)
 *	devtrace_named(type, a, b, ...)			type from devtrace_type()
 *	devtrace_named_for(type, object, signal, a, b, ...)
 *	devtrace_exc(severity, code, a, b, ...)
 *	devtrace_text(format, ...), devtrace_text_sev(severity, format, ...)
 *	devtrace_puts(text), devtrace_puts_sev(severity, text)
 *
 * The C type of an argument selects its element: a number becomes a number of the same width, bool
 * becomes U8, char * becomes STR, and any other pointer becomes OBJ with the address as key.
 * Macros select other elements: DEVTRACE_HEX(x), DEVTRACE_MEM(p, n), DEVTRACE_OBJ(p),
 * DEVTRACE_FUN(f), DEVTRACE_SIG(sig, object), DEVTRACE_ENUM(group, value), DEVTRACE_STRN(p, max).
 *
 * Arguments are evaluated once, and only if the filters pass the type. Arguments after the object
 * or the severity are evaluated only if the filters pass the object or severity, too. C uses
 * _Generic, C++ overloads.
 */
#ifndef DEVTRACE_SHORT_H
#define DEVTRACE_SHORT_H

#include <limits.h>
#ifdef __cplusplus
#include <type_traits>
#endif
#include <devtrace/record.h>

/* An element that the caller chose with a macro such as DEVTRACE_HEX(). */
struct devtrace_arg_ {
	uint8_t		format;
	uint8_t		bytes;		/* of a hexadecimal number, else 0 */
	uint64_t	v;
	uint64_t	object;
	const void	*mem;
	size_t		len;
};

DEVTRACE_INLINE_ struct devtrace_arg_ devtrace_arg_make_(unsigned int format, size_t bytes,
							 uint64_t v, uint64_t object,
							 const void *mem, size_t len)
{
	struct devtrace_arg_ a;

	a.format = (uint8_t)format;
	a.bytes = (uint8_t)bytes;
	a.v = v;
	a.object = object;
	a.mem = mem;
	a.len = len;
	return a;
}

#define DEVTRACE_HEX(x)		devtrace_arg_make_(DEVTRACE_E_HEX, sizeof(x), (uint64_t)(x), 0, NULL, 0)
#define DEVTRACE_MEM(p, n)	devtrace_arg_make_(DEVTRACE_E_MEM, 0, 0, 0, (p), (n))
#define DEVTRACE_STRN(p, max)	devtrace_arg_make_(DEVTRACE_E_STR, 0, 0, 0, (p), (max))
#define DEVTRACE_OBJ(p)		devtrace_arg_make_(DEVTRACE_E_OBJ, 0, DEVTRACE_KEY_(p), 0, NULL, 0)
#define DEVTRACE_FUN(f)		devtrace_arg_make_(DEVTRACE_E_FUN, 0, DEVTRACE_KEY_(f), 0, NULL, 0)
#define DEVTRACE_SIG(sig, object) \
	devtrace_arg_make_(DEVTRACE_E_SIG, 0, (sig), DEVTRACE_KEY_(object), NULL, 0)
#define DEVTRACE_ENUM(group, value) \
	devtrace_arg_make_((unsigned int)DEVTRACE_E_ENUM(group), 0, (uint64_t)(value), 0, NULL, 0)

#ifndef DEVTRACE_DISABLE

DEVTRACE_INLINE_ void devtrace_put_arg_(struct devtrace_record *r, struct devtrace_arg_ a)
{
	if (a.format == DEVTRACE_E_MEM) {
		devtrace_mem(r, a.mem, a.len);
	} else if (a.format == DEVTRACE_E_STR) {
		devtrace_strn(r, (const char *)a.mem, a.len);
	} else if (a.format == DEVTRACE_E_OBJ) {
		devtrace_obj(r, a.v);
	} else if (a.format == DEVTRACE_E_FUN) {
		devtrace_fun(r, a.v);
	} else if (a.format == DEVTRACE_E_SIG) {
		devtrace_sig(r, (uint32_t)a.v, a.object);
	} else if (!a.bytes) {
		devtrace_put8_(r, a.format, (uint8_t)a.v);
	} else if (a.bytes == 1) {
		devtrace_x8(r, (uint8_t)a.v);
	} else if (a.bytes == 2) {
		devtrace_x16(r, (uint16_t)a.v);
	} else if (a.bytes == 4) {
		devtrace_x32(r, (uint32_t)a.v);
	} else {
		devtrace_x64(r, a.v);
	}
}

DEVTRACE_INLINE_ void devtrace_put_bool_(struct devtrace_record *r, bool v)
{
	devtrace_u8(r, v);
}

DEVTRACE_INLINE_ void devtrace_put_char_(struct devtrace_record *r, char v)
{
	devtrace_put8_(r, CHAR_MIN < 0 ? DEVTRACE_E_I8 : DEVTRACE_E_U8, (uint8_t)v);
}

DEVTRACE_INLINE_ void devtrace_put_long_(struct devtrace_record *r, long v)
{
	if (sizeof(v) == 4)
		devtrace_i32(r, (int32_t)v);
	else
		devtrace_i64(r, v);
}

DEVTRACE_INLINE_ void devtrace_put_ulong_(struct devtrace_record *r, unsigned long v)
{
	if (sizeof(v) == 4)
		devtrace_u32(r, (uint32_t)v);
	else
		devtrace_u64(r, v);
}

DEVTRACE_INLINE_ void devtrace_put_llong_(struct devtrace_record *r, long long v)
{
	devtrace_i64(r, v);
}

DEVTRACE_INLINE_ void devtrace_put_ullong_(struct devtrace_record *r, unsigned long long v)
{
	devtrace_u64(r, v);
}

DEVTRACE_INLINE_ void devtrace_put_ldouble_(struct devtrace_record *r, long double v)
{
	devtrace_f64(r, (double)v);
}

DEVTRACE_INLINE_ void devtrace_put_ptr_(struct devtrace_record *r, const volatile void *p)
{
	devtrace_obj(r, DEVTRACE_KEY_(p));
}

#ifdef __cplusplus

DEVTRACE_INLINE_ void devtrace_put_(struct devtrace_record *r, bool v) { devtrace_put_bool_(r, v); }
DEVTRACE_INLINE_ void devtrace_put_(struct devtrace_record *r, char v) { devtrace_put_char_(r, v); }
DEVTRACE_INLINE_ void devtrace_put_(struct devtrace_record *r, signed char v) { devtrace_i8(r, v); }
DEVTRACE_INLINE_ void devtrace_put_(struct devtrace_record *r, unsigned char v) { devtrace_u8(r, v); }
DEVTRACE_INLINE_ void devtrace_put_(struct devtrace_record *r, short v) { devtrace_i16(r, v); }
DEVTRACE_INLINE_ void devtrace_put_(struct devtrace_record *r, unsigned short v) { devtrace_u16(r, v); }
DEVTRACE_INLINE_ void devtrace_put_(struct devtrace_record *r, int v) { devtrace_i32(r, v); }
DEVTRACE_INLINE_ void devtrace_put_(struct devtrace_record *r, unsigned int v) { devtrace_u32(r, v); }
DEVTRACE_INLINE_ void devtrace_put_(struct devtrace_record *r, long v) { devtrace_put_long_(r, v); }
DEVTRACE_INLINE_ void devtrace_put_(struct devtrace_record *r, unsigned long v) { devtrace_put_ulong_(r, v); }
DEVTRACE_INLINE_ void devtrace_put_(struct devtrace_record *r, long long v) { devtrace_i64(r, v); }
DEVTRACE_INLINE_ void devtrace_put_(struct devtrace_record *r, unsigned long long v) { devtrace_u64(r, v); }
DEVTRACE_INLINE_ void devtrace_put_(struct devtrace_record *r, float v) { devtrace_f32(r, v); }
DEVTRACE_INLINE_ void devtrace_put_(struct devtrace_record *r, double v) { devtrace_f64(r, v); }
DEVTRACE_INLINE_ void devtrace_put_(struct devtrace_record *r, long double v) { devtrace_put_ldouble_(r, v); }
DEVTRACE_INLINE_ void devtrace_put_(struct devtrace_record *r, const char *v) { devtrace_str(r, v); }
DEVTRACE_INLINE_ void devtrace_put_(struct devtrace_record *r, char *v) { devtrace_str(r, v); }
DEVTRACE_INLINE_ void devtrace_put_(struct devtrace_record *r, decltype(nullptr)) { devtrace_obj(r, 0); }
DEVTRACE_INLINE_ void devtrace_put_(struct devtrace_record *r, struct devtrace_arg_ v) { devtrace_put_arg_(r, v); }

/* Marks the last argument of an event: if it is a string, putting it also emits the event. */
struct devtrace_last_ {
	struct devtrace_record *r;
	operator struct devtrace_record *() const { return r; }
};

/*
 * A template, because with a plain overload for const char * the argument 0 would become a string.
 */
template <typename T>
DEVTRACE_INLINE_ typename std::enable_if<std::is_same<const T, const char>::value>::type
devtrace_put_(devtrace_last_ l, T *v)
{
	devtrace_str_last_(l.r, v);
}

#define devtrace_put_last_(r, x)	devtrace_put_(devtrace_last_{r}, x)

/* Other pointers, including function pointers. */
template <typename T>
DEVTRACE_INLINE_ void devtrace_put_(struct devtrace_record *r, T *v)
{
	devtrace_obj(r, DEVTRACE_KEY_(v));
}

/* std::string and similar types. */
template <typename T>
DEVTRACE_INLINE_ auto devtrace_put_(struct devtrace_record *r, const T &v)
	-> decltype(v.c_str(), v.size(), void())
{
	devtrace_strn(r, v.c_str(), v.size());
}

/* Enumerations, by their value. */
template <typename T>
DEVTRACE_INLINE_ typename std::enable_if<std::is_enum<T>::value>::type
devtrace_put_(struct devtrace_record *r, T v)
{
	devtrace_put_(r, static_cast<typename std::underlying_type<T>::type>(v));
}

#else

#define devtrace_put_(r, x)		DEVTRACE_PUT_(r, x, devtrace_str, devtrace_put_ptr_)
/* The last argument of an event. */
#define devtrace_put_last_(r, x)	DEVTRACE_PUT_(r, x, devtrace_str_last_, devtrace_put_ptr_)
#define DEVTRACE_PUT_(r, x, string, pointer) _Generic((x),	\
	bool:			devtrace_put_bool_,	\
	char:			devtrace_put_char_,	\
	signed char:		devtrace_i8,		\
	unsigned char:		devtrace_u8,		\
	short:			devtrace_i16,		\
	unsigned short:		devtrace_u16,		\
	int:			devtrace_i32,		\
	unsigned int:		devtrace_u32,		\
	long:			devtrace_put_long_,	\
	unsigned long:		devtrace_put_ulong_,	\
	long long:		devtrace_put_llong_,	\
	unsigned long long:	devtrace_put_ullong_,	\
	float:			devtrace_f32,		\
	double:			devtrace_f64,		\
	long double:		devtrace_put_ldouble_,	\
	char *:			string,			\
	const char *:		string,			\
	struct devtrace_arg_:	devtrace_put_arg_,	\
	default:		pointer)(r, x)

#endif /* __cplusplus */

/*
 * DEVTRACE_PUTS_(r, x, a, b, ...) puts the elements a, b and so on. x is a placeholder: a macro's
 * argument list must not be empty. With more than eight arguments the expansion contains the name
 * of an undefined macro, which tells the programmer the limit.
 */
#define DEVTRACE_PUTS_(r, ...) \
	DEVTRACE_CAT_(DEVTRACE_PUTS, DEVTRACE_COUNT_(__VA_ARGS__))(r, __VA_ARGS__)
#define DEVTRACE_COUNT_(...) \
	DEVTRACE_NTH_(__VA_ARGS__, _takes_8_arguments_at_most_, _takes_8_arguments_at_most_, \
		      _takes_8_arguments_at_most_, _takes_8_arguments_at_most_, \
		      8_, 7_, 6_, 5_, 4_, 3_, 2_, 1_, 0_, ~)
#define DEVTRACE_NTH_(x, a, b, c, d, e, f, g, h, i, j, k, l, n, ...)	n
#define DEVTRACE_CAT_(a, b)	DEVTRACE_CAT2_(a, b)
#define DEVTRACE_CAT2_(a, b)	a##b
#define DEVTRACE_FIRST_(x, ...)	x

#define DEVTRACE_PUTS0_(r, x)
#define DEVTRACE_PUTS1_(r, x, a)	devtrace_put_last_(r, a);
#define DEVTRACE_PUTS2_(r, x, a, b)	devtrace_put_(r, a); devtrace_put_last_(r, b);
#define DEVTRACE_PUTS3_(r, x, a, b, c) \
	devtrace_put_(r, a); DEVTRACE_PUTS2_(r, x, b, c)
#define DEVTRACE_PUTS4_(r, x, a, b, c, d) \
	devtrace_put_(r, a); DEVTRACE_PUTS3_(r, x, b, c, d)
#define DEVTRACE_PUTS5_(r, x, a, b, c, d, e) \
	devtrace_put_(r, a); DEVTRACE_PUTS4_(r, x, b, c, d, e)
#define DEVTRACE_PUTS6_(r, x, a, b, c, d, e, f) \
	devtrace_put_(r, a); DEVTRACE_PUTS5_(r, x, b, c, d, e, f)
#define DEVTRACE_PUTS7_(r, x, a, b, c, d, e, f, g) \
	devtrace_put_(r, a); DEVTRACE_PUTS6_(r, x, b, c, d, e, f, g)
#define DEVTRACE_PUTS8_(r, x, a, b, c, d, e, f, g, h) \
	devtrace_put_(r, a); DEVTRACE_PUTS7_(r, x, b, c, d, e, f, g, h)

#define devtrace(...)								\
	do {									\
		DEVTRACE_CHECK_TYPE_((DEVTRACE_FIRST_(__VA_ARGS__, ~)));	\
		const unsigned long long devtrace_w_ =				\
			(unsigned long long)(DEVTRACE_FIRST_(__VA_ARGS__, ~));	\
		const uint8_t devtrace_t_ = (uint8_t)devtrace_w_;		\
		if (DEVTRACE_TYPE_FITS_(devtrace_w_) && devtrace_enabled(devtrace_t_)) { \
			DEVTRACE_RECORD(devtrace_r_, DEVTRACE_BUFFER);		\
			devtrace_begin_plain_(&devtrace_r_, devtrace_t_);	\
			DEVTRACE_PUTS_(&devtrace_r_, __VA_ARGS__)		\
			devtrace_end_last_(&devtrace_r_);			\
		}								\
	} while (0)

/* The event of an object, if the filters want it: (begin, number, object, signal, ...) */
#define DEVTRACE_FOR_(begin, number, object, ...)				\
	do {									\
		const unsigned long long devtrace_o_ = (unsigned long long)(object); \
		if (DEVTRACE_OBJECT_FITS_(devtrace_o_) &&			\
		    devtrace_object_wanted_((uint16_t)devtrace_o_)) {		\
			const unsigned long long devtrace_s_ =			\
				(unsigned long long)(DEVTRACE_FIRST_(__VA_ARGS__, ~)); \
			if (DEVTRACE_OBJECT_FITS_(devtrace_s_)) {		\
				DEVTRACE_RECORD(devtrace_r_, DEVTRACE_BUFFER);	\
				begin(&devtrace_r_, (number), (uint16_t)devtrace_o_, \
				      (uint16_t)devtrace_s_);			\
				DEVTRACE_PUTS_(&devtrace_r_, __VA_ARGS__)	\
				devtrace_end_last_(&devtrace_r_);		\
			}							\
		}								\
	} while (0)

#define devtrace_for(type, object, ...)						\
	do {									\
		DEVTRACE_CHECK_TYPE_((type));					\
		DEVTRACE_CHECK_OBJECT_((object));				\
		DEVTRACE_CHECK_OBJECT_((DEVTRACE_FIRST_(__VA_ARGS__, ~)));	\
		const unsigned long long devtrace_w_ = (unsigned long long)(type); \
		const uint8_t devtrace_t_ = (uint8_t)devtrace_w_;		\
		if (DEVTRACE_TYPE_FITS_(devtrace_w_) && devtrace_enabled(devtrace_t_)) \
			DEVTRACE_FOR_(devtrace_begin_id_, devtrace_t_, object, __VA_ARGS__); \
	} while (0)

/* The number is tested after the filter, so that a program without a device reports no error. */
#define devtrace_named(...)							\
	do {									\
		if (devtrace_enabled(DEVTRACE_T_NAMED)) {			\
			const unsigned long long devtrace_w_ =			\
				(unsigned long long)(int)(DEVTRACE_FIRST_(__VA_ARGS__, ~));	\
			if (DEVTRACE_NUMBER_FITS_(devtrace_w_)) {		\
				DEVTRACE_RECORD(devtrace_r_, DEVTRACE_BUFFER);	\
				devtrace_begin_named_(&devtrace_r_, (uint32_t)devtrace_w_);	\
				DEVTRACE_PUTS_(&devtrace_r_, __VA_ARGS__)	\
				devtrace_end_last_(&devtrace_r_);		\
			}							\
		}								\
	} while (0)

#define devtrace_named_for(type, object, ...)					\
	do {									\
		DEVTRACE_CHECK_OBJECT_((object));				\
		DEVTRACE_CHECK_OBJECT_((DEVTRACE_FIRST_(__VA_ARGS__, ~)));	\
		if (devtrace_enabled(DEVTRACE_T_NAMED)) {			\
			const unsigned long long devtrace_w_ =			\
				(unsigned long long)(int)(type);		\
			if (DEVTRACE_NUMBER_FITS_(devtrace_w_))			\
				DEVTRACE_FOR_(devtrace_begin_named_id_,		\
					      (uint32_t)devtrace_w_, object, __VA_ARGS__); \
		}								\
	} while (0)

#define devtrace_exc(severity, ...)						\
	do {									\
		DEVTRACE_CHECK_SEVERITY_((severity));				\
		if (devtrace_enabled(DEVTRACE_T_EXC)) {				\
			const unsigned long long devtrace_w_ = (unsigned long long)(severity);	\
			const uint8_t devtrace_s_ = (uint8_t)devtrace_w_;	\
			if (DEVTRACE_SEVERITY_FITS_(devtrace_w_) &&		\
			    devtrace_severity_wanted_(devtrace_s_)) {		\
				DEVTRACE_RECORD(devtrace_r_, DEVTRACE_BUFFER);	\
				devtrace_begin_exc_(&devtrace_r_, devtrace_s_,	\
						    (uint32_t)(DEVTRACE_FIRST_(__VA_ARGS__, ~)));	\
				DEVTRACE_PUTS_(&devtrace_r_, __VA_ARGS__)	\
				devtrace_end_last_(&devtrace_r_);		\
			}							\
		}								\
	} while (0)

/* Emit text formatted by printf(3). Signal handlers must not use it. */
#define devtrace_text_sev(severity, ...)					\
	do {									\
		DEVTRACE_CHECK_SEVERITY_((severity));				\
		if (devtrace_enabled(DEVTRACE_T_TEXT)) {			\
			const unsigned long long devtrace_w_ = (unsigned long long)(severity);	\
			const uint8_t devtrace_s_ = (uint8_t)devtrace_w_;	\
			if (DEVTRACE_SEVERITY_FITS_(devtrace_w_) &&		\
			    devtrace_severity_wanted_(devtrace_s_))		\
				devtrace_text_(devtrace_s_, __VA_ARGS__);	\
		}								\
	} while (0)

/* Emit text without formatting. Signal handlers may use it. */
#define devtrace_puts_sev(severity, text)					\
	do {									\
		DEVTRACE_CHECK_SEVERITY_((severity));				\
		if (devtrace_enabled(DEVTRACE_T_TEXT)) {			\
			const unsigned long long devtrace_w_ = (unsigned long long)(severity);	\
			const uint8_t devtrace_s_ = (uint8_t)devtrace_w_;	\
			if (DEVTRACE_SEVERITY_FITS_(devtrace_w_) &&		\
			    devtrace_severity_wanted_(devtrace_s_))		\
				devtrace_puts_(devtrace_s_, (text));		\
		}								\
	} while (0)

/* For functions with a va_list. */
#define devtrace_vtext_sev(severity, format, args)				\
	do {									\
		DEVTRACE_CHECK_SEVERITY_((severity));				\
		if (devtrace_enabled(DEVTRACE_T_TEXT)) {			\
			const unsigned long long devtrace_w_ = (unsigned long long)(severity);	\
			const uint8_t devtrace_s_ = (uint8_t)devtrace_w_;	\
			if (DEVTRACE_SEVERITY_FITS_(devtrace_w_) &&		\
			    devtrace_severity_wanted_(devtrace_s_))		\
				devtrace_vtext_(devtrace_s_, format, args);	\
		}								\
	} while (0)

#else /* DEVTRACE_DISABLE */

#define devtrace(...)			DEVTRACE_UNUSED_(__VA_ARGS__)
#define devtrace_for(type, object, ...)	DEVTRACE_UNUSED_(type, object, __VA_ARGS__)
#define devtrace_named(...)		DEVTRACE_UNUSED_(__VA_ARGS__)
#define devtrace_named_for(type, object, ...)	DEVTRACE_UNUSED_(type, object, __VA_ARGS__)
#define devtrace_exc(severity, ...)	DEVTRACE_UNUSED_(severity, __VA_ARGS__)
#define devtrace_text_sev(severity, ...) \
	((void)(0 ? devtrace_text_((uint8_t)(severity), __VA_ARGS__) : 0))
#define devtrace_puts_sev(severity, text)	DEVTRACE_UNUSED_(severity, text)
#define devtrace_vtext_sev(severity, format, args) \
	((void)(0 ? devtrace_vtext_((uint8_t)(severity), format, args) : 0))

#endif /* DEVTRACE_DISABLE */

#define devtrace_text(...)		devtrace_text_sev(0, __VA_ARGS__)
#define devtrace_puts(text)		devtrace_puts_sev(0, text)
#define devtrace_vtext(format, args)	devtrace_vtext_sev(0, format, args)

#endif

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * devtrace/qnx.h - the trace calls of QNX
 *
 *	Trace2(__M(_TRACE_ACME_UART) + 7, _TRACE_HW_SEVERITY2, status, count);
 *	Trace1b(__M(_TRACE_ACME_UART) + 8, _TRACE_SW_SEVERITY0, port, len, data);
 *
 * QNX sources include <sys/trace.h>. To let them find this header, pass -I with the output of
 * "pkg-config --variable=qnxincludedir libdevtrace" to the compiler.
 *
 * Each call emits an exception event with a severity and a code. Arguments have 32 bits, as on
 * QNX: an unsigned type becomes a U32 element, any other type an I32 element. The buffer becomes a
 * MEM element after the arguments. The calls return 0, or -1 if the kernel refused the event; they
 * also return 0 without a device or if a filter refuses the event. errno is kept.
 */
#ifndef DEVTRACE_QNX_H
#define DEVTRACE_QNX_H

#ifdef __cplusplus
#include <type_traits>
#endif
#include <devtrace/record.h>

#define _TRACE_SW_SEVERITY0	DEVTRACE_SW0
#define _TRACE_SW_SEVERITY1	DEVTRACE_SW1
#define _TRACE_SW_SEVERITY2	DEVTRACE_SW2
#define _TRACE_SW_SEVERITY3	DEVTRACE_SW3
#define _TRACE_HW_SEVERITY0	DEVTRACE_HW0
#define _TRACE_HW_SEVERITY1	DEVTRACE_HW1
#define _TRACE_HW_SEVERITY2	DEVTRACE_HW2
#define _TRACE_HW_SEVERITY3	DEVTRACE_HW3

/* Codes are __M(major) + minor, 24 + 8 bits. */
#define __M(major)		((uint32_t)(major) << 8)

/*
 * Build the first argument of TraceEvent(): 8 bits of opcode, 3 bits for the number of int
 * arguments, one bit that announces a pointer and a size after the int arguments, and 20 bits of
 * data. The opcode is the event type. The data become the first element, a U32. For _TRACE_EXC,
 * however, the data are the severity, and the first int argument is the code:
 *
 *	TraceEvent(_TRACE_EVENT(_TRACE_EXC, 2, 0, _TRACE_SW_SEVERITY1),
 *		   __M(7) + 1, errors);
 */
#define _TRACE_EXC		DEVTRACE_T_EXC
#define _TRACE_EVENT(opcode, nargs, pointer, data)			\
	((int)(((uint32_t)(opcode) & 0xff) | ((uint32_t)(nargs) & 7) << 8 | \
	       ((pointer) ? 1u << 11 : 0) | (uint32_t)(data) << 12))

#ifndef DEVTRACE_DISABLE

/* An argument and its format byte. */
struct devtrace_qnx_arg_ {
	uint32_t	v;
	uint8_t		format;
};

DEVTRACE_INLINE_ struct devtrace_qnx_arg_ devtrace_qnx_signed_(long long v)
{
	struct devtrace_qnx_arg_ a;

	a.v = (uint32_t)v;
	a.format = DEVTRACE_E_I32;
	return a;
}

DEVTRACE_INLINE_ struct devtrace_qnx_arg_ devtrace_qnx_unsigned_(unsigned long long v)
{
	struct devtrace_qnx_arg_ a;

	a.v = (uint32_t)v;
	a.format = DEVTRACE_E_U32;
	return a;
}

DEVTRACE_INLINE_ struct devtrace_qnx_arg_ devtrace_qnx_pointer_(const volatile void *p)
{
	return devtrace_qnx_unsigned_((uintptr_t)p);
}

#ifdef __cplusplus
template <typename T>
DEVTRACE_INLINE_ struct devtrace_qnx_arg_ devtrace_qnx_make_(T v)
{
	return std::is_unsigned<T>::value ?
		devtrace_qnx_unsigned_(static_cast<unsigned long long>(v)) :
		devtrace_qnx_signed_(static_cast<long long>(v));
}
template <typename T>
DEVTRACE_INLINE_ struct devtrace_qnx_arg_ devtrace_qnx_make_(T *v)
{
	return devtrace_qnx_unsigned_((uintptr_t)v);
}
DEVTRACE_INLINE_ struct devtrace_qnx_arg_ devtrace_qnx_make_(decltype(nullptr))
{
	return devtrace_qnx_unsigned_(0);
}
#define DEVTRACE_QNX_(x)	devtrace_qnx_make_(x)
#else
#define DEVTRACE_QNX_(x) _Generic((x),			\
	bool:			devtrace_qnx_unsigned_,	\
	char:			devtrace_qnx_signed_,	\
	signed char:		devtrace_qnx_signed_,	\
	unsigned char:		devtrace_qnx_unsigned_,	\
	short:			devtrace_qnx_signed_,	\
	unsigned short:		devtrace_qnx_unsigned_,	\
	int:			devtrace_qnx_signed_,	\
	unsigned int:		devtrace_qnx_unsigned_,	\
	long:			devtrace_qnx_signed_,	\
	unsigned long:		devtrace_qnx_unsigned_,	\
	long long:		devtrace_qnx_signed_,	\
	unsigned long long:	devtrace_qnx_unsigned_,	\
	float:			devtrace_qnx_signed_,	\
	double:			devtrace_qnx_signed_,	\
	default:		devtrace_qnx_pointer_)(x)
#endif

DEVTRACE_INLINE_ int devtrace_qnx_result_(int err)
{
	return err && err != ENODEV ? -1 : 0;
}

/*
 * Put the first n of the arguments. n is constant, so the tests and the other arguments need no
 * code.
 */
DEVTRACE_INLINE_ size_t devtrace_qnx_put_(struct devtrace_record *r, unsigned int n,
					  struct devtrace_qnx_arg_ a, struct devtrace_qnx_arg_ b,
					  struct devtrace_qnx_arg_ c, struct devtrace_qnx_arg_ d,
					  struct devtrace_qnx_arg_ e, struct devtrace_qnx_arg_ f)
{
	if (n > 0)
		devtrace_put32_(r, a.format, a.v);
	if (n > 1)
		devtrace_put32_(r, b.format, b.v);
	if (n > 2)
		devtrace_put32_(r, c.format, c.v);
	if (n > 3)
		devtrace_put32_(r, d.format, d.v);
	if (n > 4)
		devtrace_put32_(r, e.format, e.v);
	if (n > 5)
		devtrace_put32_(r, f.format, f.v);
	return r->pos;
}

DEVTRACE_INLINE_ int devtrace_qnx_trace_(uint8_t severity, uint32_t code, unsigned int n,
					 struct devtrace_qnx_arg_ a, struct devtrace_qnx_arg_ b,
					 struct devtrace_qnx_arg_ c, struct devtrace_qnx_arg_ d,
					 struct devtrace_qnx_arg_ e, struct devtrace_qnx_arg_ f)
{
	DEVTRACE_RECORD(r, 30);

	devtrace_begin_exc_(&r, severity, code);
	devtrace_qnx_put_(&r, n, a, b, c, d, e, f);
	return devtrace_qnx_result_(devtrace_end(&r));
}

DEVTRACE_INLINE_ int devtrace_qnx_traceb_(uint8_t severity, uint32_t code, unsigned int n,
					  struct devtrace_qnx_arg_ a, struct devtrace_qnx_arg_ b,
					  struct devtrace_qnx_arg_ c, struct devtrace_qnx_arg_ d,
					  struct devtrace_qnx_arg_ e, struct devtrace_qnx_arg_ f,
					  size_t len, const void *mem)
{
	uint8_t args[30];
	struct devtrace_record r = { args, 0, sizeof(args), 0 };

	devtrace_qnx_put_(&r, n, a, b, c, d, e, f);
	return devtrace_qnx_buffer_(code, severity, n, args, len, mem);
}

#define DEVTRACE_QNX0_	devtrace_qnx_unsigned_(0)
/* A statement expression, so that the severity is evaluated once and before the other arguments. */
#define DEVTRACE_QNX_IF_(severity, emit, ...)					\
	__extension__ ({							\
		int devtrace_ret_ = 0;						\
		DEVTRACE_CHECK_SEVERITY_((severity));				\
		if (devtrace_enabled(DEVTRACE_T_EXC)) {				\
			const unsigned long long devtrace_w_ = (unsigned long long)(severity);	\
			const uint8_t devtrace_s_ = (uint8_t)devtrace_w_;	\
			if (!DEVTRACE_SEVERITY_FITS_(devtrace_w_))		\
				devtrace_ret_ = -1;				\
			else if (devtrace_severity_wanted_(devtrace_s_))	\
				devtrace_ret_ = emit(devtrace_s_, __VA_ARGS__);	\
		}								\
		devtrace_ret_;							\
	})
#define DEVTRACE_QNX_TRACE_(code, severity, ...) \
	DEVTRACE_QNX_IF_(severity, devtrace_qnx_trace_, code, __VA_ARGS__)
#define DEVTRACE_QNX_TRACEB_(code, severity, ...) \
	DEVTRACE_QNX_IF_(severity, devtrace_qnx_traceb_, code, __VA_ARGS__)

#define DEVTRACE_QNX_A0_ \
	DEVTRACE_QNX0_, DEVTRACE_QNX0_, DEVTRACE_QNX0_, DEVTRACE_QNX0_, DEVTRACE_QNX0_, DEVTRACE_QNX0_
#define DEVTRACE_QNX_A1_(a) \
	DEVTRACE_QNX_(a), DEVTRACE_QNX0_, DEVTRACE_QNX0_, DEVTRACE_QNX0_, DEVTRACE_QNX0_, DEVTRACE_QNX0_
#define DEVTRACE_QNX_A2_(a, b) \
	DEVTRACE_QNX_(a), DEVTRACE_QNX_(b), DEVTRACE_QNX0_, DEVTRACE_QNX0_, DEVTRACE_QNX0_, DEVTRACE_QNX0_
#define DEVTRACE_QNX_A3_(a, b, c) \
	DEVTRACE_QNX_(a), DEVTRACE_QNX_(b), DEVTRACE_QNX_(c), DEVTRACE_QNX0_, DEVTRACE_QNX0_, DEVTRACE_QNX0_
#define DEVTRACE_QNX_A4_(a, b, c, d) \
	DEVTRACE_QNX_(a), DEVTRACE_QNX_(b), DEVTRACE_QNX_(c), DEVTRACE_QNX_(d), DEVTRACE_QNX0_, DEVTRACE_QNX0_
#define DEVTRACE_QNX_A5_(a, b, c, d, e) \
	DEVTRACE_QNX_(a), DEVTRACE_QNX_(b), DEVTRACE_QNX_(c), DEVTRACE_QNX_(d), DEVTRACE_QNX_(e), DEVTRACE_QNX0_
#define DEVTRACE_QNX_A6_(a, b, c, d, e, f) \
	DEVTRACE_QNX_(a), DEVTRACE_QNX_(b), DEVTRACE_QNX_(c), DEVTRACE_QNX_(d), DEVTRACE_QNX_(e), DEVTRACE_QNX_(f)

#define Trace0(code, severity) \
	DEVTRACE_QNX_TRACE_(code, severity, 0, DEVTRACE_QNX_A0_)
#define Trace1(code, severity, a) \
	DEVTRACE_QNX_TRACE_(code, severity, 1, DEVTRACE_QNX_A1_(a))
#define Trace2(code, severity, a, b) \
	DEVTRACE_QNX_TRACE_(code, severity, 2, DEVTRACE_QNX_A2_(a, b))
#define Trace3(code, severity, a, b, c) \
	DEVTRACE_QNX_TRACE_(code, severity, 3, DEVTRACE_QNX_A3_(a, b, c))
#define Trace4(code, severity, a, b, c, d) \
	DEVTRACE_QNX_TRACE_(code, severity, 4, DEVTRACE_QNX_A4_(a, b, c, d))
#define Trace5(code, severity, a, b, c, d, e) \
	DEVTRACE_QNX_TRACE_(code, severity, 5, DEVTRACE_QNX_A5_(a, b, c, d, e))
#define Trace6(code, severity, a, b, c, d, e, f) \
	DEVTRACE_QNX_TRACE_(code, severity, 6, DEVTRACE_QNX_A6_(a, b, c, d, e, f))

#define Trace0b(code, severity, len, mem) \
	DEVTRACE_QNX_TRACEB_(code, severity, 0, DEVTRACE_QNX_A0_, (size_t)(len), mem)
#define Trace1b(code, severity, a, len, mem) \
	DEVTRACE_QNX_TRACEB_(code, severity, 1, DEVTRACE_QNX_A1_(a), (size_t)(len), mem)
#define Trace2b(code, severity, a, b, len, mem) \
	DEVTRACE_QNX_TRACEB_(code, severity, 2, DEVTRACE_QNX_A2_(a, b), (size_t)(len), mem)
#define Trace3b(code, severity, a, b, c, len, mem) \
	DEVTRACE_QNX_TRACEB_(code, severity, 3, DEVTRACE_QNX_A3_(a, b, c), (size_t)(len), mem)
#define Trace4b(code, severity, a, b, c, d, len, mem) \
	DEVTRACE_QNX_TRACEB_(code, severity, 4, DEVTRACE_QNX_A4_(a, b, c, d), (size_t)(len), mem)
#define Trace5b(code, severity, a, b, c, d, e, len, mem) \
	DEVTRACE_QNX_TRACEB_(code, severity, 5, DEVTRACE_QNX_A5_(a, b, c, d, e), (size_t)(len), mem)
#define Trace6b(code, severity, a, b, c, d, e, f, len, mem) \
	DEVTRACE_QNX_TRACEB_(code, severity, 6, DEVTRACE_QNX_A6_(a, b, c, d, e, f), (size_t)(len), mem)

/*
 * Is the type in code, the first argument of TraceEvent(), reserved for the kernel or the
 * transport?
 */
DEVTRACE_INLINE_ bool devtrace_qnx_reserved_(uint32_t code)
{
	return !devtrace_type_is_emittable((uint8_t)code);
}

DEVTRACE_INLINE_ bool devtrace_qnx_wanted_(uint32_t code)
{
	return devtrace_enabled((uint8_t)code) &&
	       ((uint8_t)code != DEVTRACE_T_EXC || devtrace_severity_wanted_(code >> 12 & 15));
}

/*
 * Evaluates its first argument once. Only if that is constant, this macro tests the filters;
 * otherwise devtrace_qnx_event_() does.
 */
#define TraceEvent(...)								\
	(__builtin_constant_p(DEVTRACE_QNX_CODE_(__VA_ARGS__, ~)) &&		\
	 !devtrace_qnx_reserved_((uint32_t)(DEVTRACE_QNX_CODE_(__VA_ARGS__, ~))) &&	\
	 !devtrace_qnx_wanted_((uint32_t)(DEVTRACE_QNX_CODE_(__VA_ARGS__, ~))) ?	\
	 0 : devtrace_qnx_event_(__VA_ARGS__))
#define DEVTRACE_QNX_CODE_(code, ...)	(code)

#else /* DEVTRACE_DISABLE */

#define Trace0(code, severity)				DEVTRACE_ZERO_(code, severity)
#define Trace1(code, severity, ...)			DEVTRACE_ZERO_(code, severity, __VA_ARGS__)
#define Trace2(code, severity, ...)			DEVTRACE_ZERO_(code, severity, __VA_ARGS__)
#define Trace3(code, severity, ...)			DEVTRACE_ZERO_(code, severity, __VA_ARGS__)
#define Trace4(code, severity, ...)			DEVTRACE_ZERO_(code, severity, __VA_ARGS__)
#define Trace5(code, severity, ...)			DEVTRACE_ZERO_(code, severity, __VA_ARGS__)
#define Trace6(code, severity, ...)			DEVTRACE_ZERO_(code, severity, __VA_ARGS__)
#define Trace0b(code, severity, ...)			DEVTRACE_ZERO_(code, severity, __VA_ARGS__)
#define Trace1b(code, severity, ...)			DEVTRACE_ZERO_(code, severity, __VA_ARGS__)
#define Trace2b(code, severity, ...)			DEVTRACE_ZERO_(code, severity, __VA_ARGS__)
#define Trace3b(code, severity, ...)			DEVTRACE_ZERO_(code, severity, __VA_ARGS__)
#define Trace4b(code, severity, ...)			DEVTRACE_ZERO_(code, severity, __VA_ARGS__)
#define Trace5b(code, severity, ...)			DEVTRACE_ZERO_(code, severity, __VA_ARGS__)
#define Trace6b(code, severity, ...)			DEVTRACE_ZERO_(code, severity, __VA_ARGS__)
#define TraceEvent(...)					DEVTRACE_ZERO_(__VA_ARGS__)

#endif /* DEVTRACE_DISABLE */

#endif

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * devtrace/qs.h - records under the names of QP/Spy
 *
 *	QS_BEGIN_ID(SPEED, AO_MOTOR)
 *		QS_U16(0, left);
 *		QS_U16(QS_HEX_FMT, right);
 *	QS_END()
 *
 * These macros only give the names of QS to the functions of devtrace/record.h. The first argument
 * of a number is its print width, that of a float the number of digits after the point, and that
 * of QS_ENUM the group. The id becomes the object of the event; 0: none. As in QS, if a filter
 * refuses the id, no argument is evaluated. The elements of a record may have DEVTRACE_BUFFER
 * bytes.
 *
 * The names belong to QP, so <devtrace.h> does not include this header.
 */
#ifndef DEVTRACE_QS_H
#define DEVTRACE_QS_H

#include <devtrace/record.h>

/* User records: five groups of five. */
#define QS_USER			100
#define QS_USER0		100
#define QS_USER1		105
#define QS_USER2		110
#define QS_USER3		115
#define QS_USER4		120

/* First ids of active objects, event pools, event queues and the application. */
#define QS_AO_ID		0
#define QS_EP_ID		64
#define QS_EQ_ID		80
#define QS_AP_ID		96

/* Width for hexadecimal. */
#define QS_HEX_FMT		0xf

#ifndef DEVTRACE_DISABLE

/*
 * A format byte has four bits for the print width. For I8 it has only three: the fourth bit would
 * make the element an ENUM.
 */
#define DEVTRACE_QS_FORMAT_(width, element) \
	((uint8_t)(((width) & 0xf) << 4 | (element)))

#define QS_BEGIN_ID(type, id)							\
	{									\
		const unsigned long long devtrace_w_ = (unsigned long long)(type);	\
		const uint8_t devtrace_t_ = (uint8_t)devtrace_w_;		\
		if (DEVTRACE_TYPE_FITS_(devtrace_w_) && devtrace_enabled(devtrace_t_)) { \
			const unsigned long long devtrace_i_ = (unsigned long long)(id);	\
			const uint16_t devtrace_o_ = (uint16_t)devtrace_i_;	\
			const bool devtrace_none_ = !devtrace_i_;		\
			if (DEVTRACE_OBJECT_FITS_(devtrace_i_) &&		\
			    (devtrace_none_ || devtrace_object_wanted_(devtrace_o_))) { \
				DEVTRACE_RECORD(devtrace_r_, DEVTRACE_BUFFER);	\
				if (devtrace_none_)				\
					devtrace_begin_plain_(&devtrace_r_, devtrace_t_); \
				else						\
					devtrace_begin_id_(&devtrace_r_, devtrace_t_, \
							   devtrace_o_, 0);
#define QS_END()								\
				devtrace_end(&devtrace_r_);			\
			}							\
		}								\
	}

/*
 * The format byte of an I8 has no room for a width of 8 or more, so such a value is emitted as an
 * I16.
 */
#define QS_I8(width, v)								\
	((width) & 8 ?								\
	 devtrace_put16_(&devtrace_r_, DEVTRACE_QS_FORMAT_(width, DEVTRACE_E_I16), \
			 (uint16_t)(int8_t)(v)) :				\
	 devtrace_put8_(&devtrace_r_, DEVTRACE_QS_FORMAT_((width) & 7, DEVTRACE_E_I8), \
			(uint8_t)(v)))
#define QS_U8(width, v)		devtrace_put8_(&devtrace_r_, \
					DEVTRACE_QS_FORMAT_(width, DEVTRACE_E_U8), (uint8_t)(v))
#define QS_I16(width, v)	devtrace_put16_(&devtrace_r_, \
					DEVTRACE_QS_FORMAT_(width, DEVTRACE_E_I16), (uint16_t)(v))
#define QS_U16(width, v)	devtrace_put16_(&devtrace_r_, \
					DEVTRACE_QS_FORMAT_(width, DEVTRACE_E_U16), (uint16_t)(v))
#define QS_I32(width, v)	devtrace_put32_(&devtrace_r_, \
					DEVTRACE_QS_FORMAT_(width, DEVTRACE_E_I32), (uint32_t)(v))
#define QS_U32(width, v)	devtrace_put32_(&devtrace_r_, \
					DEVTRACE_QS_FORMAT_(width, DEVTRACE_E_U32), (uint32_t)(v))
#define QS_I64(width, v)	devtrace_put64_(&devtrace_r_, \
					DEVTRACE_QS_FORMAT_(width, DEVTRACE_E_I64), (uint64_t)(v))
#define QS_U64(width, v)	devtrace_put64_(&devtrace_r_, \
					DEVTRACE_QS_FORMAT_(width, DEVTRACE_E_U64), (uint64_t)(v))
#define QS_F32(digits, v)	devtrace_f32_w(&devtrace_r_, (unsigned int)(digits), (float)(v))
#define QS_F64(digits, v)	devtrace_f64_w(&devtrace_r_, (unsigned int)(digits), (double)(v))
#define QS_STR(s)		devtrace_str(&devtrace_r_, (const char *)(s))
#define QS_MEM(mem, size)	devtrace_mem(&devtrace_r_, (mem), (size_t)(size))
#define QS_ENUM(group, v)	devtrace_enum(&devtrace_r_, (unsigned int)(group), (uint8_t)(v))
#define QS_SIG(sig, object)	devtrace_sig(&devtrace_r_, (uint32_t)(sig), DEVTRACE_KEY_(object))
#define QS_OBJ(object)		devtrace_obj(&devtrace_r_, DEVTRACE_KEY_(object))
#define QS_FUN(function)	devtrace_fun(&devtrace_r_, DEVTRACE_KEY_(function))

#else /* DEVTRACE_DISABLE */

/* Statements between QS_BEGIN_ID() and QS_END() compile and never run, as in QS without Q_SPY. */
#define QS_BEGIN_ID(type, id)	{ DEVTRACE_UNUSED_(type, id); if (0) {
#define QS_END()		} }
#define QS_I8(width, v)		DEVTRACE_UNUSED_(width, v)
#define QS_U8(width, v)		DEVTRACE_UNUSED_(width, v)
#define QS_I16(width, v)	DEVTRACE_UNUSED_(width, v)
#define QS_U16(width, v)	DEVTRACE_UNUSED_(width, v)
#define QS_I32(width, v)	DEVTRACE_UNUSED_(width, v)
#define QS_U32(width, v)	DEVTRACE_UNUSED_(width, v)
#define QS_I64(width, v)	DEVTRACE_UNUSED_(width, v)
#define QS_U64(width, v)	DEVTRACE_UNUSED_(width, v)
#define QS_F32(digits, v)	DEVTRACE_UNUSED_(digits, v)
#define QS_F64(digits, v)	DEVTRACE_UNUSED_(digits, v)
#define QS_STR(s)		DEVTRACE_UNUSED_(s)
#define QS_MEM(mem, size)	DEVTRACE_UNUSED_(mem, size)
#define QS_ENUM(group, v)	DEVTRACE_UNUSED_(group, v)
#define QS_SIG(sig, object)	DEVTRACE_UNUSED_(sig, object)
#define QS_OBJ(object)		DEVTRACE_UNUSED_(object)
#define QS_FUN(function)	DEVTRACE_UNUSED_(function)

#endif /* DEVTRACE_DISABLE */

/* A record without an object. */
#define QS_BEGIN(type)		QS_BEGIN_ID(type, 0)

/* No record needs a critical section. */
#define QS_BEGIN_NOCRIT(type, id)	QS_BEGIN_ID(type, id)
#define QS_END_NOCRIT()			QS_END()

/* Remove the & from the name of an object, as QS does. */
DEVTRACE_INLINE_ const char *devtrace_qs_name_(const char *name)
{
	return name + (*name == '&');
}

/* Use the source text as the name. */
#define QS_SIG_DICTIONARY(sig, object)	\
	((void)devtrace_dict_sig((sig), DEVTRACE_KEY_(object), #sig))
#define QS_OBJ_DICTIONARY(object)	\
	((void)devtrace_dict_obj(DEVTRACE_KEY_(object), devtrace_qs_name_(#object)))
#define QS_FUN_DICTIONARY(function)	\
	((void)devtrace_dict_fun(DEVTRACE_KEY_(function), devtrace_qs_name_(#function)))
#define QS_USR_DICTIONARY(type)		\
	((void)devtrace_dict_usr((type), #type))
#define QS_ENUM_DICTIONARY(value, group) \
	((void)devtrace_dict_enum((value), (group), #value))

#endif

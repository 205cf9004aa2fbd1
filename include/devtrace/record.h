/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * devtrace/record.h - build an event element by element, like QS
 *
 *	DEVTRACE_RECORD(r, 64);			room for 64 bytes of elements
 *	if (devtrace_begin(&r, type, object, signal)) {
 *		devtrace_u16(&r, value);	one call for each element
 *		devtrace_end(&r);
 *	}
 *
 * An element is a format byte and a little-endian value; libdevtrace(3) lists the sizes. All
 * functions are inline. The position is a compile-time constant until a string or buffer of
 * unknown length is put, so a record of fixed layout costs its stores and one call.
 *
 * Invariants: pos <= end. Once an element does not fit, cut is not 0 and no later element is put,
 * so that readers find each element at its place. Strings and buffers are truncated; other
 * elements are put whole or not at all. devtrace_end() appends a STR element "[N bytes cut]" to
 * such a record and counts an error; for this element every record has DEVTRACE_CUT_ROOM bytes
 * beyond end. A buffer of negative size makes devtrace_end() refuse the event with EINVAL.
 */
#ifndef DEVTRACE_RECORD_H
#define DEVTRACE_RECORD_H

#include <devtrace/emit.h>

#define DEVTRACE_CUT_ROOM	32
/*
 * Value of cut after a buffer of negative size: further additions keep it above INT32_MAX. The
 * value is computed from the size, because a constant would occupy a register even if the size is
 * valid.
 */
#define DEVTRACE_TOP_BIT_	(SIZE_MAX / 2 + 1)
#define DEVTRACE_NEGATIVE_(len)	(((len) | DEVTRACE_TOP_BIT_) & ~(DEVTRACE_TOP_BIT_ / 2))
/* Bytes before the elements: the header, then a code or an object and a signal. */
#define DEVTRACE_HEAD_		(sizeof(struct devtrace_emit) + 4)
/* Limit of DEVTRACE_RECORD(). */
#define DEVTRACE_RECORD_MAX	(DEVTRACE_PAYLOAD_MAX - 4 - DEVTRACE_CUT_ROOM)

/* Room in bytes for the elements of an event of the short form or of devtrace/qs.h. */
#ifndef DEVTRACE_BUFFER
#define DEVTRACE_BUFFER		480
#endif

/**
 * struct devtrace_record - a record being built
 * @buf: the event, which begins with a struct devtrace_emit
 * @pos: bytes written to @buf
 * @end: limit of @pos
 * @cut: number of bytes that did not fit
 */
struct devtrace_record {
	uint8_t	*buf;
	size_t	pos;
	size_t	end;
	size_t	cut;
};

#ifndef DEVTRACE_DISABLE

/* Declare a record on the stack, with room for this many bytes of elements. */
#define DEVTRACE_RECORD(name, bytes)						\
	DEVTRACE_ASSERT_((bytes) <= DEVTRACE_RECORD_MAX,			\
			 "a record holds at most DEVTRACE_RECORD_MAX bytes");	\
	uint8_t name##_buf_[DEVTRACE_HEAD_ + (bytes) + DEVTRACE_CUT_ROOM];	\
	struct devtrace_record name = { name##_buf_, 0, DEVTRACE_HEAD_ + (bytes), 0 }

#ifdef __cplusplus
#define DEVTRACE_ASSERT_(condition, text)	static_assert(condition, text)
#else
#define DEVTRACE_ASSERT_(condition, text)	_Static_assert(condition, text)
#endif

DEVTRACE_INLINE_ void devtrace_store16_(uint8_t *p, uint16_t v)
{
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
	v = __builtin_bswap16(v);
#endif
	__builtin_memcpy(p, &v, sizeof(v));
}

DEVTRACE_INLINE_ void devtrace_store32_(uint8_t *p, uint32_t v)
{
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
	v = __builtin_bswap32(v);
#endif
	__builtin_memcpy(p, &v, sizeof(v));
}

DEVTRACE_INLINE_ void devtrace_store64_(uint8_t *p, uint64_t v)
{
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
	v = __builtin_bswap64(v);
#endif
	__builtin_memcpy(p, &v, sizeof(v));
}

DEVTRACE_INLINE_ void devtrace_head_(struct devtrace_record *r, uint8_t type,
				     uint8_t severity, uint8_t flags)
{
	r->buf[0] = type;
	r->buf[1] = severity;
	r->buf[2] = flags;
	r->buf[3] = 0;
	r->pos = sizeof(struct devtrace_emit);
	r->cut = 0;
}

/* Is there room for n bytes? If not, count them in cut. */
DEVTRACE_INLINE_ bool devtrace_room_(struct devtrace_record *r, size_t n)
{
	if (__builtin_expect(r->cut || r->end - r->pos < n, 0)) {
		r->cut += n;
		return false;
	}
	return true;
}

DEVTRACE_INLINE_ void devtrace_begin_plain_(struct devtrace_record *r, uint8_t type)
{
	devtrace_head_(r, type, 0, 0);
}

DEVTRACE_INLINE_ void devtrace_begin_id_(struct devtrace_record *r, uint8_t type,
					 uint16_t object, uint16_t sig)
{
	devtrace_head_(r, type, 0, DEVTRACE_F_OBJSIG);
	devtrace_store16_(r->buf + r->pos, object);
	devtrace_store16_(r->buf + r->pos + 2, sig);
	r->pos += 4;
}

DEVTRACE_INLINE_ void devtrace_begin_exc_(struct devtrace_record *r, uint8_t severity,
					  uint32_t code)
{
	devtrace_head_(r, DEVTRACE_T_EXC, severity, DEVTRACE_F_CODE);
	devtrace_store32_(r->buf + r->pos, code);
	r->pos += 4;
}

DEVTRACE_INLINE_ void devtrace_begin_named_(struct devtrace_record *r, uint32_t number)
{
	devtrace_head_(r, DEVTRACE_T_NAMED, 0, DEVTRACE_F_CODE);
	devtrace_store32_(r->buf + r->pos, number);
	r->pos += 4;
}

DEVTRACE_INLINE_ void devtrace_begin_named_id_(struct devtrace_record *r, uint32_t number,
					       uint16_t object, uint16_t sig)
{
	devtrace_head_(r, DEVTRACE_T_NAMED, 0, DEVTRACE_F_CODE | DEVTRACE_F_OBJSIG);
	devtrace_store32_(r->buf + r->pos, number);
	devtrace_store16_(r->buf + r->pos + 4, object);
	devtrace_store16_(r->buf + r->pos + 6, sig);
	r->pos += 8;
}

/*
 * Begin a record. Return false if a filter refuses the type: then put nothing and do not call
 * devtrace_end().
 */
DEVTRACE_INLINE_ bool devtrace_begin_type(struct devtrace_record *r, unsigned int type)
{
	DEVTRACE_CHECK_TYPE_(type);
	if (!DEVTRACE_TYPE_FITS_(type))
		return false;
	if (!devtrace_enabled((uint8_t)type))
		return false;
	devtrace_begin_plain_(r, (uint8_t)type);
	return true;
}

/*
 * Begin a record with an object and a signal; 0: none. Return false also if a filter refuses the
 * object.
 */
DEVTRACE_INLINE_ bool devtrace_begin(struct devtrace_record *r, unsigned int type,
				     unsigned int object, unsigned int sig)
{
	DEVTRACE_CHECK_TYPE_(type);
	DEVTRACE_CHECK_OBJECT_(object);
	DEVTRACE_CHECK_OBJECT_(sig);
	if (!DEVTRACE_TYPE_FITS_(type) || !DEVTRACE_OBJECT_FITS_(object) ||
	    !DEVTRACE_OBJECT_FITS_(sig))
		return false;
	if (!devtrace_enabled_for((uint8_t)type, (uint16_t)object))
		return false;
	devtrace_begin_id_(r, (uint8_t)type, (uint16_t)object, (uint16_t)sig);
	return true;
}

/*
 * Begin a record of a type that devtrace_type() has registered. Return false if a filter refuses
 * all such types, or if the type is no such number.
 */
DEVTRACE_INLINE_ bool devtrace_begin_named(struct devtrace_record *r, int type)
{
	const unsigned long long number = (unsigned long long)type;

	if (!devtrace_enabled(DEVTRACE_T_NAMED) || !DEVTRACE_NUMBER_FITS_(number))
		return false;
	devtrace_begin_named_(r, (uint32_t)number);
	return true;
}

/* The same with an object and a signal; 0: none. The record has room for 4 bytes less. */
DEVTRACE_INLINE_ bool devtrace_begin_named_for(struct devtrace_record *r, int type,
					       unsigned int object, unsigned int sig)
{
	const unsigned long long number = (unsigned long long)type;

	DEVTRACE_CHECK_OBJECT_(object);
	DEVTRACE_CHECK_OBJECT_(sig);
	if (!DEVTRACE_OBJECT_FITS_(object) || !DEVTRACE_OBJECT_FITS_(sig))
		return false;
	if (!devtrace_enabled_for(DEVTRACE_T_NAMED, (uint16_t)object) ||
	    !DEVTRACE_NUMBER_FITS_(number))
		return false;
	devtrace_begin_named_id_(r, (uint32_t)number, (uint16_t)object, (uint16_t)sig);
	return true;
}

/* Begin an exception. severity: DEVTRACE_SW0 ... DEVTRACE_HW3; code: DEVTRACE_CODE(major, minor) */
DEVTRACE_INLINE_ bool devtrace_begin_exc(struct devtrace_record *r, unsigned int severity,
					 uint32_t code)
{
	DEVTRACE_CHECK_SEVERITY_(severity);
	if (!DEVTRACE_SEVERITY_FITS_(severity))
		return false;
	if (!devtrace_enabled_severity(DEVTRACE_T_EXC, (uint8_t)severity))
		return false;
	devtrace_begin_exc_(r, (uint8_t)severity, code);
	return true;
}

/* Emit the complete record. Return 0 or an errno number. */
DEVTRACE_INLINE_ int devtrace_end(struct devtrace_record *r)
{
	size_t pos = r->pos;

	if (__builtin_expect(r->cut != 0, 0))
		pos = devtrace_cut_(r->buf, pos, r->cut);
	return devtrace_emit_event((const struct devtrace_emit *)r->buf, pos);
}

DEVTRACE_INLINE_ void devtrace_put8_(struct devtrace_record *r, uint8_t format, uint8_t v)
{
	if (devtrace_room_(r, 2)) {
		r->buf[r->pos] = format;
		r->buf[r->pos + 1] = v;
		r->pos += 2;
	}
}

DEVTRACE_INLINE_ void devtrace_put16_(struct devtrace_record *r, uint8_t format, uint16_t v)
{
	if (devtrace_room_(r, 3)) {
		r->buf[r->pos] = format;
		devtrace_store16_(r->buf + r->pos + 1, v);
		r->pos += 3;
	}
}

DEVTRACE_INLINE_ void devtrace_put32_(struct devtrace_record *r, uint8_t format, uint32_t v)
{
	if (devtrace_room_(r, 5)) {
		r->buf[r->pos] = format;
		devtrace_store32_(r->buf + r->pos + 1, v);
		r->pos += 5;
	}
}

DEVTRACE_INLINE_ void devtrace_put64_(struct devtrace_record *r, uint8_t format, uint64_t v)
{
	if (devtrace_room_(r, 9)) {
		r->buf[r->pos] = format;
		devtrace_store64_(r->buf + r->pos + 1, v);
		r->pos += 9;
	}
}

/*
 * Numbers: devtrace_u16(&r, v), or with a print width of 0 to 14 devtrace_u16_w(&r, width, v), and
 * so on. For I8 the width is at most 7, because the next bit of the format byte means ENUM.
 */
#define DEVTRACE_NUMBER_(name, ctype, bits, format, max)				\
DEVTRACE_INLINE_ void devtrace_##name(struct devtrace_record *r, ctype v)		\
{											\
	devtrace_put##bits##_(r, format, (uint##bits##_t)v);				\
}											\
DEVTRACE_INLINE_ void devtrace_##name##_w(struct devtrace_record *r, unsigned int width,	\
					  ctype v)					\
{											\
	devtrace_put##bits##_(r, (uint8_t)((width > (max) ? (max) : width) << 4 | (format)),	\
			      (uint##bits##_t)v);					\
}

DEVTRACE_NUMBER_(i8, int8_t, 8, DEVTRACE_E_I8, 7u)
DEVTRACE_NUMBER_(u8, uint8_t, 8, DEVTRACE_E_U8, 14u)
DEVTRACE_NUMBER_(i16, int16_t, 16, DEVTRACE_E_I16, 14u)
DEVTRACE_NUMBER_(u16, uint16_t, 16, DEVTRACE_E_U16, 14u)
DEVTRACE_NUMBER_(i32, int32_t, 32, DEVTRACE_E_I32, 14u)
DEVTRACE_NUMBER_(u32, uint32_t, 32, DEVTRACE_E_U32, 14u)
DEVTRACE_NUMBER_(i64, int64_t, 64, DEVTRACE_E_I64, 14u)
DEVTRACE_NUMBER_(u64, uint64_t, 64, DEVTRACE_E_U64, 14u)

/* Unsigned numbers printed in hexadecimal. */
#define DEVTRACE_HEXNUM_(bits, format)							\
DEVTRACE_INLINE_ void devtrace_x##bits(struct devtrace_record *r, uint##bits##_t v)	\
{											\
	devtrace_put##bits##_(r, format, v);						\
}

DEVTRACE_HEXNUM_(8, DEVTRACE_E_HEX | DEVTRACE_E_U8)
DEVTRACE_HEXNUM_(16, DEVTRACE_E_HEX | DEVTRACE_E_U16)
DEVTRACE_HEXNUM_(32, DEVTRACE_E_X32)
DEVTRACE_HEXNUM_(64, DEVTRACE_E_HEX | DEVTRACE_E_U64)

/*
 * Floating point, with 0 to 15 digits after the decimal point; with 0 the reader chooses how many.
 */
DEVTRACE_INLINE_ void devtrace_f32_w(struct devtrace_record *r, unsigned int digits, float v)
{
	uint32_t bits;

	__builtin_memcpy(&bits, &v, sizeof(bits));
	devtrace_put32_(r, (uint8_t)((digits > 15 ? 15 : digits) << 4 | DEVTRACE_E_F32), bits);
}

DEVTRACE_INLINE_ void devtrace_f64_w(struct devtrace_record *r, unsigned int digits, double v)
{
	uint64_t bits;

	__builtin_memcpy(&bits, &v, sizeof(bits));
	devtrace_put64_(r, (uint8_t)((digits > 15 ? 15 : digits) << 4 | DEVTRACE_E_F64), bits);
}

DEVTRACE_INLINE_ void devtrace_f32(struct devtrace_record *r, float v)
{
	devtrace_f32_w(r, 0, v);
}

DEVTRACE_INLINE_ void devtrace_f64(struct devtrace_record *r, double v)
{
	devtrace_f64_w(r, 0, v);
}

/* A value of the enumeration with number 0 to 7. */
DEVTRACE_INLINE_ void devtrace_enum(struct devtrace_record *r, unsigned int group, uint8_t v)
{
	devtrace_put8_(r, (uint8_t)DEVTRACE_E_ENUM(group), v);
}

/* Elements that refer to a name in the dictionaries. */
DEVTRACE_INLINE_ void devtrace_obj(struct devtrace_record *r, uint64_t key)
{
	r->buf[2] |= DEVTRACE_F_PTR;
	devtrace_put64_(r, DEVTRACE_E_OBJ, key);
}

DEVTRACE_INLINE_ void devtrace_fun(struct devtrace_record *r, uint64_t address)
{
	r->buf[2] |= DEVTRACE_F_PTR;
	devtrace_put64_(r, DEVTRACE_E_FUN, address);
}

DEVTRACE_INLINE_ void devtrace_sig(struct devtrace_record *r, uint32_t sig, uint64_t object)
{
	r->buf[2] |= DEVTRACE_F_PTR;
	if (devtrace_room_(r, 13)) {
		r->buf[r->pos] = DEVTRACE_E_SIG;
		devtrace_store32_(r->buf + r->pos + 1, sig);
		devtrace_store64_(r->buf + r->pos + 5, object);
		r->pos += 13;
	}
}

/* Put a string of len bytes that contain no NUL. */
DEVTRACE_INLINE_ void devtrace_strn_(struct devtrace_record *r, const char *s, size_t len)
{
	size_t room = r->cut ? 0 : r->end - r->pos;

	if (__builtin_expect(room < 2 || len > room - 2, 0)) {
		size_t keep = room < 3 ? 0 : room - 2;

		/* do not cut inside a UTF-8 character */
		while (keep && ((unsigned char)s[keep] & 0xc0) == 0x80)
			keep--;
		r->cut += len - keep;
		if (!keep) {
			r->cut += 2;
			return;
		}
		len = keep;
	}
	r->buf[r->pos] = DEVTRACE_E_STR;
	__builtin_memcpy(r->buf + r->pos + 1, s, len);
	r->buf[r->pos + 1 + len] = 0;
	r->pos += len + 2;
}

/* A string; NULL: "(null)". */
DEVTRACE_INLINE_ void devtrace_str(struct devtrace_record *r, const char *s)
{
	if (!s)
		s = "(null)";
	devtrace_strn_(r, s, __builtin_strlen(s));
}

/*
 * Put the last string of a record and emit the event: the library copies the string directly to
 * the event's destination. pos becomes 0, which tells devtrace_end_last_() that the event is
 * already emitted.
 */
DEVTRACE_INLINE_ void devtrace_str_last_(struct devtrace_record *r, const char *s)
{
	size_t len;

	if (!s)
		s = "(null)";
	len = __builtin_strlen(s);
	if (__builtin_expect(r->cut || r->end - r->pos < 2 || len > r->end - r->pos - 2, 0)) {
		devtrace_strn_(r, s, len);
	} else {
		devtrace_emit_str_(r->buf, r->pos, s, len);
		r->pos = 0;
	}
}

DEVTRACE_INLINE_ void devtrace_end_last_(struct devtrace_record *r)
{
	if (r->pos)
		devtrace_end(r);
}

/* Put a string of at most max bytes, which need not end with a NUL. */
DEVTRACE_INLINE_ void devtrace_strn(struct devtrace_record *r, const char *s, size_t max)
{
	const char *nul;

	if (!s)
		s = "(null)";
	nul = (const char *)__builtin_memchr(s, 0, max);
	devtrace_strn_(r, s, nul ? (size_t)(nul - s) : max);
}

/* Put a buffer. A buffer of more than 255 bytes becomes several MEM elements. */
DEVTRACE_INLINE_ void devtrace_mem(struct devtrace_record *r, const void *mem, size_t len)
{
	size_t room = r->cut ? 0 : r->end - r->pos;

	if (__builtin_expect(room < 2 || len > room - 2 ||
			     (len > 255 && len + (len + 254) / 255 * 2 > room), 0)) {
		size_t keep = room / 257 * 255;

		if (len > INT32_MAX) {
			r->cut = DEVTRACE_NEGATIVE_(len);
			return;
		}
		if (room % 257 > 2)
			keep += room % 257 - 2;
		r->cut += len - keep;
		if (!keep) {
			r->cut += 2;
			return;
		}
		len = keep;
	}
	if (len <= 255) {
		r->buf[r->pos] = DEVTRACE_E_MEM;
		r->buf[r->pos + 1] = (uint8_t)len;
		if (len)
			__builtin_memcpy(r->buf + r->pos + 2, mem, len);
		r->pos += len + 2;
	} else {
		r->pos += devtrace_pieces_(r->buf + r->pos, mem, len);
	}
}

#else /* DEVTRACE_DISABLE */

/* Only declare the record, so that the expression &name compiles. */
#define DEVTRACE_RECORD(name, bytes)					\
	struct devtrace_record name __attribute__((unused))
#define devtrace_begin_type(r, type)		(DEVTRACE_ZERO_(r, type) != 0)
#define devtrace_begin(r, type, object, sig)	(DEVTRACE_ZERO_(r, type, object, sig) != 0)
#define devtrace_begin_exc(r, sev, code)	(DEVTRACE_ZERO_(r, sev, code) != 0)
#define devtrace_begin_named(r, type)		(DEVTRACE_ZERO_(r, type) != 0)
#define devtrace_begin_named_for(r, type, o, s)	(DEVTRACE_ZERO_(r, type, o, s) != 0)
#define devtrace_end(r)				DEVTRACE_ZERO_(r)
#define devtrace_i8(r, v)			DEVTRACE_UNUSED_(r, v)
#define devtrace_u8(r, v)			DEVTRACE_UNUSED_(r, v)
#define devtrace_i16(r, v)			DEVTRACE_UNUSED_(r, v)
#define devtrace_u16(r, v)			DEVTRACE_UNUSED_(r, v)
#define devtrace_i32(r, v)			DEVTRACE_UNUSED_(r, v)
#define devtrace_u32(r, v)			DEVTRACE_UNUSED_(r, v)
#define devtrace_i64(r, v)			DEVTRACE_UNUSED_(r, v)
#define devtrace_u64(r, v)			DEVTRACE_UNUSED_(r, v)
#define devtrace_i8_w(r, width, v)		DEVTRACE_UNUSED_(r, width, v)
#define devtrace_u8_w(r, width, v)		DEVTRACE_UNUSED_(r, width, v)
#define devtrace_i16_w(r, width, v)		DEVTRACE_UNUSED_(r, width, v)
#define devtrace_u16_w(r, width, v)		DEVTRACE_UNUSED_(r, width, v)
#define devtrace_i32_w(r, width, v)		DEVTRACE_UNUSED_(r, width, v)
#define devtrace_u32_w(r, width, v)		DEVTRACE_UNUSED_(r, width, v)
#define devtrace_i64_w(r, width, v)		DEVTRACE_UNUSED_(r, width, v)
#define devtrace_u64_w(r, width, v)		DEVTRACE_UNUSED_(r, width, v)
#define devtrace_x8(r, v)			DEVTRACE_UNUSED_(r, v)
#define devtrace_x16(r, v)			DEVTRACE_UNUSED_(r, v)
#define devtrace_x32(r, v)			DEVTRACE_UNUSED_(r, v)
#define devtrace_x64(r, v)			DEVTRACE_UNUSED_(r, v)
#define devtrace_f32(r, v)			DEVTRACE_UNUSED_(r, v)
#define devtrace_f64(r, v)			DEVTRACE_UNUSED_(r, v)
#define devtrace_f32_w(r, digits, v)		DEVTRACE_UNUSED_(r, digits, v)
#define devtrace_f64_w(r, digits, v)		DEVTRACE_UNUSED_(r, digits, v)
#define devtrace_enum(r, group, v)		DEVTRACE_UNUSED_(r, group, v)
#define devtrace_obj(r, key)			DEVTRACE_UNUSED_(r, key)
#define devtrace_fun(r, address)		DEVTRACE_UNUSED_(r, address)
#define devtrace_sig(r, sig, object)		DEVTRACE_UNUSED_(r, sig, object)
#define devtrace_str(r, s)			DEVTRACE_UNUSED_(r, s)
#define devtrace_strn(r, s, max)		DEVTRACE_UNUSED_(r, s, max)
#define devtrace_mem(r, mem, len)		DEVTRACE_UNUSED_(r, mem, len)

#endif /* DEVTRACE_DISABLE */

#endif

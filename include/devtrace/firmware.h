/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * devtrace/firmware.h - printf(3) for firmware of another core, whose text stays in its ELF file
 *
 *	DT_LOG("pump %d runs dry at %s", n, place);	up to 16 arguments
 *	DT_ERR(...), DT_WARN(...), DT_INFO(...), DT_DEBUG(...)
 *	devtrace_firmware_hello(build_id);		tell Linux which build this firmware is
 *
 * The firmware needs this file alone, a C11 compiler with GNU extensions, and no C library. It
 * defines the function devtrace_firmware_send(), which gives a record to Linux by any means that
 * keeps the boundaries of records: a mailbox, rpmsg, a ring in shared memory. On Linux a program
 * passes each record to devtrace_image_emit(). Documentation/log.rst describes records, sites and
 * texts, and how traceinfo(1) finds the ELF file.
 *
 * A record is the event that the device takes: a head of four bytes, the number of the site and the
 * arguments, all little-endian. The image is 255, because only Linux knows its number.
 *
 * Invariants: a record has at most DEVTRACE_FIRMWARE_BYTES bytes and is never empty. If an argument
 * does not fit, no later one is put, and the last element says how many bytes are missing.
 */
#ifndef DEVTRACE_FIRMWARE_H
#define DEVTRACE_FIRMWARE_H

#ifdef DEVTRACE_LOG_H
#error "a program on Linux includes <devtrace/log.h>, and firmware <devtrace/firmware.h>: not both"
#endif
/* In C++ there is nothing: put the statements into C files. */
#ifndef __cplusplus

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Largest record. A record is made on the stack. */
#ifndef DEVTRACE_FIRMWARE_BYTES
#define DEVTRACE_FIRMWARE_BYTES	128
#endif

_Static_assert(DEVTRACE_FIRMWARE_BYTES >= 64 && DEVTRACE_FIRMWARE_BYTES <= 4004,
	       "DEVTRACE_FIRMWARE_BYTES is 64 to 4004");
_Static_assert(sizeof(void *) == 4 || sizeof(void *) == 8, "pointers must have 32 or 64 bits");

/*
 * The firmware defines this function: give a record to Linux. Statements in interrupt handlers call
 * it in the handler.
 */
void devtrace_firmware_send(const void *record, size_t size);

#define DT_LOG(...)	DEVTRACE_FW_LOG_(__COUNTER__, 0, 0, __VA_ARGS__)
#define DT_ERR(...)	DEVTRACE_FW_LOG_(__COUNTER__, 1, 0xa, __VA_ARGS__)
#define DT_WARN(...)	DEVTRACE_FW_LOG_(__COUNTER__, 2, 0x9, __VA_ARGS__)
#define DT_INFO(...)	DEVTRACE_FW_LOG_(__COUNTER__, 3, 0x8, __VA_ARGS__)
#define DT_DEBUG(...)	DEVTRACE_FW_LOG_(__COUNTER__, 4, 0x8, __VA_ARGS__)

/* Types of frames and elements of Documentation/wire-format.rst. */
enum {
	DEVTRACE_FW_IMAGE_ = 65, DEVTRACE_FW_EVENT_ = 127,
	DEVTRACE_FW_I8_ = 0, DEVTRACE_FW_U8_, DEVTRACE_FW_I16_, DEVTRACE_FW_U16_, DEVTRACE_FW_I32_,
	DEVTRACE_FW_U32_, DEVTRACE_FW_F32_, DEVTRACE_FW_F64_, DEVTRACE_FW_STR_, DEVTRACE_FW_MEM_,
	DEVTRACE_FW_I64_ = 13, DEVTRACE_FW_U64_ = 14, DEVTRACE_FW_X32_ = 15, DEVTRACE_FW_X64_ = 0xfe,
	DEVTRACE_FW_HEAD_ = 4, DEVTRACE_FW_CUT_ = 24,	/* bytes of the head, of "[N bytes cut]" */
};

/* A record that is being made; @cut: bytes that did not fit. */
struct devtrace_fw_record_ {
	size_t	pos, cut;
	uint8_t	bytes[DEVTRACE_FIRMWARE_BYTES];
};

/* Each object file has a copy of these functions, and the linker keeps one of them. */
#define DEVTRACE_FW_FUNCTION_	__attribute__((weak, noinline))

void devtrace_fw_begin_(struct devtrace_fw_record_ *r, unsigned int severity, uint32_t site);
void devtrace_fw_32_(struct devtrace_fw_record_ *r, unsigned int format, unsigned int n, uint32_t v);
void devtrace_fw_64_(struct devtrace_fw_record_ *r, unsigned int format, uint64_t v);
void devtrace_fw_string_(struct devtrace_fw_record_ *r, const char *s);
void devtrace_fw_end_(struct devtrace_fw_record_ *r);

/* Return where n bytes can be put, or NULL if they do not fit. */
static inline uint8_t *devtrace_fw_room_(struct devtrace_fw_record_ *r, size_t n)
{
	uint8_t *p = r->bytes + r->pos;

	if (r->cut || DEVTRACE_FIRMWARE_BYTES - DEVTRACE_FW_CUT_ - r->pos < n) {
		r->cut += n;
		return NULL;
	}
	r->pos += n;
	return p;
}

/* Put an element whose value has n bytes, 1 to 4. */
DEVTRACE_FW_FUNCTION_
void devtrace_fw_32_(struct devtrace_fw_record_ *r, unsigned int format, unsigned int n, uint32_t v)
{
	uint8_t *p = devtrace_fw_room_(r, n + 1);

	if (!p)
		return;
	*p = (uint8_t)format;
	for (; n; n--, v >>= 8)
		*++p = (uint8_t)v;
}

DEVTRACE_FW_FUNCTION_
void devtrace_fw_64_(struct devtrace_fw_record_ *r, unsigned int format, uint64_t v)
{
	uint8_t *p = devtrace_fw_room_(r, 9);
	unsigned int i;

	if (!p)
		return;
	*p = (uint8_t)format;
	for (i = 0; i < 8; i++, v >>= 8)
		*++p = (uint8_t)v;
}

DEVTRACE_FW_FUNCTION_
void devtrace_fw_begin_(struct devtrace_fw_record_ *r, unsigned int severity, uint32_t site)
{
	r->bytes[0] = DEVTRACE_FW_EVENT_;
	r->bytes[1] = (uint8_t)severity;
	r->bytes[2] = 0;
	r->bytes[3] = 0;
	r->pos = DEVTRACE_FW_HEAD_;
	r->cut = 0;
	devtrace_fw_32_(r, DEVTRACE_FW_U32_, 4, site | 0xff000000u);
}

/* Put as much of a string as fits; NULL: "(null)". */
DEVTRACE_FW_FUNCTION_
void devtrace_fw_string_(struct devtrace_fw_record_ *r, const char *s)
{
	const size_t end = DEVTRACE_FIRMWARE_BYTES - DEVTRACE_FW_CUT_;
	size_t n = 0, keep, i;
	uint8_t *p;

	if (!s)
		s = "(null)";
	while (s[n])
		n++;
	keep = n;
	if (!r->cut && end - r->pos > 2 && n + 2 > end - r->pos) {
		keep = end - r->pos - 2;
		/* Do not cut inside a UTF-8 character. */
		while (keep && ((uint8_t)s[keep] & 0xc0) == 0x80)
			keep--;
		if (!keep)
			keep = n;
	}
	p = devtrace_fw_room_(r, keep + 2);
	if (!p)
		return;
	*p = DEVTRACE_FW_STR_;
	for (i = 0; i < keep; i++)
		*++p = (uint8_t)s[i];
	*++p = 0;
	r->cut = n - keep;
}

/* Send the record. Put "[N bytes cut]" first if something is missing, as the library does. */
DEVTRACE_FW_FUNCTION_
void devtrace_fw_end_(struct devtrace_fw_record_ *r)
{
	static const uint32_t powers[] = {
		1000000000u, 100000000u, 10000000u, 1000000u, 100000u, 10000u, 1000u, 100u, 10u, 1u, 0
	};
	static const char note[] = " bytes cut]";
	uint8_t *p = r->bytes + r->pos;
	uint32_t v = (uint32_t)r->cut;
	bool any = false;
	unsigned int i;

	if (r->cut) {
		*p++ = DEVTRACE_FW_STR_;
		*p++ = '[';
		/* Without a division, which small cores do not have. */
		for (i = 0; powers[i]; i++) {
			uint8_t digit = '0';

			for (; v >= powers[i]; v -= powers[i])
				digit++;
			any = any || digit != '0';
			if (any)
				*p++ = digit;
		}
		for (i = 0; i < sizeof(note); i++)
			*p++ = (uint8_t)note[i];
	}
	devtrace_firmware_send(r->bytes, (size_t)(p - r->bytes));
}

/*
 * Send a record with the build-id of the firmware, so that Linux need not know which build runs on
 * the other core. Call it before the first statement, and again when Linux begins to listen.
 *
 * @note: the linker's note, in memory that the core can read. The firmware is linked with
 * -Wl,--build-id, and the linker script defines a symbol for the address of the note:
 *
 *	.note.gnu.build-id : { build_id = .; KEEP(*(.note.gnu.build-id)) } >FLASH
 *
 *	extern const uint8_t build_id[];
 *	devtrace_firmware_hello(build_id);
 *
 * Return false, and send nothing, if the note has no build-id.
 */
bool devtrace_firmware_hello(const void *note);
DEVTRACE_FW_FUNCTION_
bool devtrace_firmware_hello(const void *note)
{
	const uint8_t *p = (const uint8_t *)note;
	uint8_t record[6 + 32];
	uint32_t words[3];	/* bytes of the name, bytes of the build-id, type */
	unsigned int i, n;

	for (i = 0; i < 3; i++)
		for (n = 0; n < 4; n++)
			((uint8_t *)&words[i])[n] = p[4 * i + n];
	if (words[0] != 4 || words[1] < 2 || words[1] > 32 || words[2] != 3 ||
	    p[12] != 'G' || p[13] != 'N' || p[14] != 'U' || p[15])
		return false;
	record[0] = DEVTRACE_FW_IMAGE_;
	record[1] = 0;
	record[2] = 0;
	record[3] = 0;
	record[4] = DEVTRACE_FW_MEM_;
	record[5] = (uint8_t)words[1];
	for (n = 0; n < words[1]; n++)
		record[6 + n] = p[16 + n];
	devtrace_firmware_send(record, 6 + words[1]);
	return true;
}

/*
 * A site and its record, as in <devtrace/log.h>. gcc puts both into sections that are not loaded:
 * the site has an address there, which is its number, and no byte of memory. clang cannot do so;
 * with clang, or with DEVTRACE_FIRMWARE_LOADED, the site is a byte of read-only data. Define that
 * for a processor whose code cannot refer to low addresses, such as RISC-V with -mcmodel=medany.
 */
#if defined(__clang__)
#define DEVTRACE_FW_SECTION_(name, flags, n)	section(name)
#else
#if defined(__arm__)
#define DEVTRACE_FW_COMMENT_	"@"
#elif defined(__aarch64__)
#define DEVTRACE_FW_COMMENT_	"//"
#elif defined(__m68k__)
#define DEVTRACE_FW_COMMENT_	"|"
#elif defined(__sparc__) || defined(__sh__)
#define DEVTRACE_FW_COMMENT_	"!"
#else
#define DEVTRACE_FW_COMMENT_	"#"
#endif
#define DEVTRACE_FW_SECTION_(name, flags, n) \
	section(name ",\"" flags "\",%progbits " DEVTRACE_FW_COMMENT_ DEVTRACE_FW_TEXT_(n))
#endif
#define DEVTRACE_FW_TEXT_(x)	DEVTRACE_FW_TEXT2_(x)
#define DEVTRACE_FW_TEXT2_(x)	#x

#if defined(__clang__) || defined(DEVTRACE_FIRMWARE_LOADED)
extern const uint8_t devtrace_fw_sites_[] __asm__("__start_devtrace_sites")
	__attribute__((visibility("hidden")));
#define DEVTRACE_FW_FLAGS_	"a"
#define DEVTRACE_FW_NUMBER_(site)	((uint32_t)((const uint8_t *)(site) - devtrace_fw_sites_))
#else
#define DEVTRACE_FW_FLAGS_	""
#define DEVTRACE_FW_NUMBER_(site)	((uint32_t)(uintptr_t)(site))
#endif

#define DEVTRACE_FW_SITE_(n, level, format)						\
	static const struct { uint8_t none; } devtrace_site_				\
		__attribute__((used, DEVTRACE_FW_SECTION_("devtrace_sites", DEVTRACE_FW_FLAGS_, n))); \
	typedef struct __attribute__((packed)) {					\
		uint8_t magic_, level_;							\
		uint16_t size_;								\
		uint32_t line_;								\
		const void *site_;							\
		char file_[sizeof(__FILE__)], function_[1], text_[sizeof(format)];	\
	} devtrace_record_t_;								\
	_Static_assert(sizeof(devtrace_record_t_) <= UINT16_MAX,			\
		       "the text of a statement is too long");				\
	static const devtrace_record_t_ devtrace_text_					\
		__attribute__((used, aligned(1),					\
			       DEVTRACE_FW_SECTION_(".debug_devtrace", "", n))) = {	\
		0xd7, (level), (uint16_t)sizeof(devtrace_record_t_), __LINE__,		\
		&devtrace_site_, __FILE__, "", format					\
	}

/* Only for the compiler's check of the arguments: it is not defined, and never called. */
int devtrace_fw_check_(const char *format, ...) __attribute__((format(printf, 1, 2)));

#define DEVTRACE_FW_LOG_(n, level, severity, ...)					\
	do {										\
		DEVTRACE_FW_SITE_(n, level, DEVTRACE_FW_FIRST_(__VA_ARGS__, ~));	\
		struct devtrace_fw_record_ devtrace_r_;					\
											\
		(void)(0 ? devtrace_fw_check_(__VA_ARGS__) : 0);			\
		devtrace_fw_begin_(&devtrace_r_, severity,				\
				   DEVTRACE_FW_NUMBER_(&devtrace_site_));		\
		DEVTRACE_FW_CAT_(DEVTRACE_FW_PUT, DEVTRACE_FW_COUNT_(__VA_ARGS__))(__VA_ARGS__)	\
		devtrace_fw_end_(&devtrace_r_);						\
	} while (0)

/* The element for an argument, as in log.rst. Put it into devtrace_r_. */
static inline void devtrace_fw_bool_(struct devtrace_fw_record_ *r, bool v)
{
	devtrace_fw_32_(r, DEVTRACE_FW_U8_, 1, v);
}

#define DEVTRACE_FW_NUMBER_FN_(name, ctype, format8, format16, format32, format64)	\
static inline void devtrace_fw_##name##_(struct devtrace_fw_record_ *r, ctype v)	\
{											\
	if (sizeof(v) == 8)								\
		devtrace_fw_64_(r, format64, (uint64_t)v);				\
	else										\
		devtrace_fw_32_(r, sizeof(v) == 1 ? format8 : sizeof(v) == 2 ?		\
				format16 : format32, sizeof(v), (uint32_t)v);		\
}
#define DEVTRACE_FW_SIGNED_(name, ctype)						\
	DEVTRACE_FW_NUMBER_FN_(name, ctype, DEVTRACE_FW_I8_, DEVTRACE_FW_I16_,		\
			       DEVTRACE_FW_I32_, DEVTRACE_FW_I64_)
#define DEVTRACE_FW_UNSIGNED_(name, ctype)						\
	DEVTRACE_FW_NUMBER_FN_(name, ctype, DEVTRACE_FW_U8_, DEVTRACE_FW_U16_,		\
			       DEVTRACE_FW_U32_, DEVTRACE_FW_U64_)
DEVTRACE_FW_SIGNED_(schar, signed char)
DEVTRACE_FW_SIGNED_(short, short)
DEVTRACE_FW_SIGNED_(int, int)
DEVTRACE_FW_SIGNED_(long, long)
DEVTRACE_FW_SIGNED_(llong, long long)
DEVTRACE_FW_UNSIGNED_(uchar, unsigned char)
DEVTRACE_FW_UNSIGNED_(ushort, unsigned short)
DEVTRACE_FW_UNSIGNED_(uint, unsigned int)
DEVTRACE_FW_UNSIGNED_(ulong, unsigned long)
DEVTRACE_FW_UNSIGNED_(ullong, unsigned long long)
#if defined(__CHAR_UNSIGNED__)
#define devtrace_fw_char_	devtrace_fw_uchar_
#else
#define devtrace_fw_char_	devtrace_fw_schar_
#endif

static inline void devtrace_fw_float_(struct devtrace_fw_record_ *r, float v)
{
	union { float f; uint32_t u; } bits = { v };

	devtrace_fw_32_(r, DEVTRACE_FW_F32_, 4, bits.u);
}

static inline void devtrace_fw_double_(struct devtrace_fw_record_ *r, double v)
{
	union { double f; uint64_t u; } bits = { v };

	_Static_assert(sizeof(double) == 8, "double must have 64 bits");
	devtrace_fw_64_(r, DEVTRACE_FW_F64_, bits.u);
}

static inline void devtrace_fw_ldouble_(struct devtrace_fw_record_ *r, long double v)
{
	devtrace_fw_double_(r, (double)v);
}

static inline void devtrace_fw_pointer_(struct devtrace_fw_record_ *r, const volatile void *p)
{
	if (sizeof(p) == 4)
		devtrace_fw_32_(r, DEVTRACE_FW_X32_, 4, (uint32_t)(uintptr_t)p);
	else
		devtrace_fw_64_(r, DEVTRACE_FW_X64_, (uint64_t)(uintptr_t)p);
}

#define DEVTRACE_FW_PUT_(x)								\
	_Generic((x), bool: devtrace_fw_bool_, char: devtrace_fw_char_,			\
		 signed char: devtrace_fw_schar_, unsigned char: devtrace_fw_uchar_,	\
		 short: devtrace_fw_short_, unsigned short: devtrace_fw_ushort_,	\
		 int: devtrace_fw_int_, unsigned int: devtrace_fw_uint_,		\
		 long: devtrace_fw_long_, unsigned long: devtrace_fw_ulong_,		\
		 long long: devtrace_fw_llong_, unsigned long long: devtrace_fw_ullong_,	\
		 float: devtrace_fw_float_, double: devtrace_fw_double_,		\
		 long double: devtrace_fw_ldouble_,					\
		 char *: devtrace_fw_string_, const char *: devtrace_fw_string_, default:	\
		 devtrace_fw_pointer_)(&devtrace_r_, x)

#define DEVTRACE_FW_FIRST_(x, ...)	x
#define DEVTRACE_FW_CAT_(a, b)	DEVTRACE_FW_CAT2_(a, b)
#define DEVTRACE_FW_CAT2_(a, b)	a##b
/* With more than 16 arguments this is the name of an undefined macro, which tells the limit. */
#define DEVTRACE_FW_COUNT_(...)								\
	DEVTRACE_FW_NTH_(__VA_ARGS__, _takes_16_arguments_at_most_,			\
			 _takes_16_arguments_at_most_, 16_, 15_, 14_, 13_, 12_, 11_, 10_, 9_, 8_,	\
			 7_, 6_, 5_, 4_, 3_, 2_, 1_, 0_, ~)
#define DEVTRACE_FW_NTH_(x, a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, ...)	s

#define DEVTRACE_FW_PUT0_(f)
#define DEVTRACE_FW_PUT1_(f, a)		DEVTRACE_FW_PUT_(a);
#define DEVTRACE_FW_PUT2_(f, a, ...)	DEVTRACE_FW_PUT_(a); DEVTRACE_FW_PUT1_(f, __VA_ARGS__)
#define DEVTRACE_FW_PUT3_(f, a, ...)	DEVTRACE_FW_PUT_(a); DEVTRACE_FW_PUT2_(f, __VA_ARGS__)
#define DEVTRACE_FW_PUT4_(f, a, ...)	DEVTRACE_FW_PUT_(a); DEVTRACE_FW_PUT3_(f, __VA_ARGS__)
#define DEVTRACE_FW_PUT5_(f, a, ...)	DEVTRACE_FW_PUT_(a); DEVTRACE_FW_PUT4_(f, __VA_ARGS__)
#define DEVTRACE_FW_PUT6_(f, a, ...)	DEVTRACE_FW_PUT_(a); DEVTRACE_FW_PUT5_(f, __VA_ARGS__)
#define DEVTRACE_FW_PUT7_(f, a, ...)	DEVTRACE_FW_PUT_(a); DEVTRACE_FW_PUT6_(f, __VA_ARGS__)
#define DEVTRACE_FW_PUT8_(f, a, ...)	DEVTRACE_FW_PUT_(a); DEVTRACE_FW_PUT7_(f, __VA_ARGS__)
#define DEVTRACE_FW_PUT9_(f, a, ...)	DEVTRACE_FW_PUT_(a); DEVTRACE_FW_PUT8_(f, __VA_ARGS__)
#define DEVTRACE_FW_PUT10_(f, a, ...)	DEVTRACE_FW_PUT_(a); DEVTRACE_FW_PUT9_(f, __VA_ARGS__)
#define DEVTRACE_FW_PUT11_(f, a, ...)	DEVTRACE_FW_PUT_(a); DEVTRACE_FW_PUT10_(f, __VA_ARGS__)
#define DEVTRACE_FW_PUT12_(f, a, ...)	DEVTRACE_FW_PUT_(a); DEVTRACE_FW_PUT11_(f, __VA_ARGS__)
#define DEVTRACE_FW_PUT13_(f, a, ...)	DEVTRACE_FW_PUT_(a); DEVTRACE_FW_PUT12_(f, __VA_ARGS__)
#define DEVTRACE_FW_PUT14_(f, a, ...)	DEVTRACE_FW_PUT_(a); DEVTRACE_FW_PUT13_(f, __VA_ARGS__)
#define DEVTRACE_FW_PUT15_(f, a, ...)	DEVTRACE_FW_PUT_(a); DEVTRACE_FW_PUT14_(f, __VA_ARGS__)
#define DEVTRACE_FW_PUT16_(f, a, ...)	DEVTRACE_FW_PUT_(a); DEVTRACE_FW_PUT15_(f, __VA_ARGS__)

#endif /* !__cplusplus */
#endif

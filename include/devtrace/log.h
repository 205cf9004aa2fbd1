/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * devtrace/log.h - printf(3) whose text stays in the ELF file
 *
 *	DT_LOG("pump %d runs dry at %s", n, place);	up to 16 arguments
 *	DT_ERR(...), DT_WARN(...), DT_INFO(...), DT_DEBUG(...)
 *	DT_LOG_TO(object, format, ...), DT_LOG_SIG(object, signal, format, ...)
 *	DT_LOG_AT(level, format, ...)			level: a constant, DEVTRACE_LOG_*
 *	devtrace_printf(format, ...), devtrace_printf_sev(severity, format, ...)
 *
 * A statement emits the number of its site and its arguments. The text, the file and the line are
 * in a section that is not loaded and that strip(1) removes; Documentation/log.rst describes both.
 * The format must be a string literal. The compiler checks the arguments as it does for printf(3),
 * and with -O1 or higher it refuses %n, %m, %ls, a width or precision of *, and %1$d.
 *
 * Arguments are evaluated once, and only if the statement is on and the filters pass the event.
 * Signal handlers may use these macros.
 *
 * Each program and library that includes this header gets a constructor, which registers it as an
 * image, and a destructor. So <devtrace.h> does not include this header.
 *
 * Invariants: the index of a site is its distance from the beginning of the section. Both symbols
 * are hidden, so a statement never refers to a site of another image. If the compiler has put the
 * site elsewhere, the index is DEVTRACE_LOG_NO_SITE_, which no site has.
 */
#ifndef DEVTRACE_LOG_H
#define DEVTRACE_LOG_H

#include <devtrace/short.h>

/* Levels of DT_LOG_AT(). */
#define DEVTRACE_LOG_NONE	0
#define DEVTRACE_LOG_ERR	1
#define DEVTRACE_LOG_WARN	2
#define DEVTRACE_LOG_INFO	3
#define DEVTRACE_LOG_DEBUG	4

/* The level of a priority of syslog(3), LOG_EMERG to LOG_DEBUG; the facility is ignored. */
#define DEVTRACE_LOG_OF_SYSLOG(priority)			\
	(((priority) & 7) <= 3 ? DEVTRACE_LOG_ERR :		\
	 ((priority) & 7) == 4 ? DEVTRACE_LOG_WARN :		\
	 ((priority) & 7) <= 6 ? DEVTRACE_LOG_INFO : DEVTRACE_LOG_DEBUG)

#define DT_LOG(...)	DT_LOG_AT(DEVTRACE_LOG_NONE, __VA_ARGS__)
#define DT_ERR(...)	DT_LOG_AT(DEVTRACE_LOG_ERR, __VA_ARGS__)
#define DT_WARN(...)	DT_LOG_AT(DEVTRACE_LOG_WARN, __VA_ARGS__)
#define DT_INFO(...)	DT_LOG_AT(DEVTRACE_LOG_INFO, __VA_ARGS__)
#define DT_DEBUG(...)	DT_LOG_AT(DEVTRACE_LOG_DEBUG, __VA_ARGS__)

#define DT_LOG_AT(level, ...) \
	DEVTRACE_LOG_(__COUNTER__, level, DEVTRACE_LOG_SEVERITY_(level), __VA_ARGS__)
#define DT_LOG_TO(object, ...)		DEVTRACE_LOG_FOR_(__COUNTER__, object, 0, __VA_ARGS__)
#define DT_LOG_SIG(object, signal, ...)	DEVTRACE_LOG_FOR_(__COUNTER__, object, signal, __VA_ARGS__)

/* For macros that wrap printf(3) and are used as an expression; the value is 0. */
#define devtrace_printf(...)	(__extension__ ({ DT_LOG(__VA_ARGS__); 0; }))
/* The severity is a constant. */
#define devtrace_printf_sev(severity, ...) \
	(__extension__ ({ DEVTRACE_CHECK_SEVERITY_((severity));				\
			  DEVTRACE_LOG_(__COUNTER__, DEVTRACE_LOG_LEVEL_(severity), severity,	\
					__VA_ARGS__); 0; }))

/* The severity of a level, and the level of a severity. */
#define DEVTRACE_LOG_SEVERITY_(level)				\
	((level) == DEVTRACE_LOG_NONE ? 0 :			\
	 (level) == DEVTRACE_LOG_ERR ? DEVTRACE_SW2 :		\
	 (level) == DEVTRACE_LOG_WARN ? DEVTRACE_SW1 : DEVTRACE_SW0)
#define DEVTRACE_LOG_LEVEL_(severity)				\
	(!(severity) ? DEVTRACE_LOG_NONE :			\
	 ((severity) & DEVTRACE_SEV_LEVEL) >= 2 ? DEVTRACE_LOG_ERR :	\
	 ((severity) & DEVTRACE_SEV_LEVEL) == 1 ? DEVTRACE_LOG_WARN : DEVTRACE_LOG_INFO)

#ifdef __cplusplus
extern "C" {
#endif
/* Only for the compiler's check of the arguments: it is not defined, and never called. */
int devtrace_log_check_(const char *format, ...) __attribute__((format(printf, 1, 2)));
#ifdef __cplusplus
}
#endif
#define DEVTRACE_LOG_CHECK_(...)	((void)(0 ? devtrace_log_check_(__VA_ARGS__) : 0))

#ifndef DEVTRACE_DISABLE

#define DEVTRACE_HIDDEN_	visibility("hidden")
#define DEVTRACE_LOG_NO_SITE_	0xffffffu

#ifdef __cplusplus
extern "C" {
#endif

/* The linker defines these symbols. */
extern unsigned char devtrace_sites_begin_[] __asm__("__start_devtrace_sites")
	__attribute__((DEVTRACE_HIDDEN_));
extern unsigned char devtrace_sites_end_[] __asm__("__stop_devtrace_sites")
	__attribute__((DEVTRACE_HIDDEN_));
/* The same, or NULL in an image without statements. */
extern unsigned char devtrace_sites_first_[] __asm__("__start_devtrace_sites")
	__attribute__((weak, DEVTRACE_HIDDEN_));
extern unsigned char devtrace_sites_last_[] __asm__("__stop_devtrace_sites")
	__attribute__((weak, DEVTRACE_HIDDEN_));

extern struct devtrace_image_ devtrace_image_;
struct devtrace_image_ devtrace_image_ __attribute__((weak, DEVTRACE_HIDDEN_)) = {
	0xff000000u, 0, NULL
};

/*
 * Each object file has a copy of these functions, and the image keeps one of them, which it calls
 * once for each object file. The priority puts the call before the program's own constructors.
 */
__attribute__((weak, DEVTRACE_HIDDEN_, constructor(101)))
void devtrace_image_load_(void);
void devtrace_image_load_(void)
{
	devtrace_image_begin_(&devtrace_image_, devtrace_sites_first_, devtrace_sites_last_);
}

__attribute__((weak, DEVTRACE_HIDDEN_, destructor(101)))
void devtrace_image_unload_(void);
void devtrace_image_unload_(void)
{
	devtrace_image_end_(&devtrace_image_);
}

#ifdef __cplusplus
}
#endif

/*
 * The sections of a site and of its record. gcc writes the flags of the section itself, and cannot
 * be told that a section of data is not loaded. So the name contains the right flags, and the
 * beginning of a comment, which gcc's own flags continue. The number makes names different: gcc
 * refuses to put variables of inline functions and others into a section of one name. clang does
 * not use the assembler, so the name is plain and the section of the records is loaded.
 */
#if defined(__clang__)
/* A linker that removes unused sections must keep the loaded one, if the compiler can say so. */
#if __has_attribute(retain)
#define DEVTRACE_SECTION_(name, flags, n)	section(name), retain
#else
#define DEVTRACE_SECTION_(name, flags, n)	section(name)
#endif
#else
#if defined(__arm__)
#define DEVTRACE_ASM_COMMENT_	"@"
#elif defined(__aarch64__)
#define DEVTRACE_ASM_COMMENT_	"//"
#else
#define DEVTRACE_ASM_COMMENT_	"#"
#endif
#define DEVTRACE_SECTION_(name, flags, n) \
	section(name ",\"" flags "\",%progbits " DEVTRACE_ASM_COMMENT_ DEVTRACE_STR_(n))
#endif
#define DEVTRACE_STR_(x)	DEVTRACE_STR2_(x)
#define DEVTRACE_STR2_(x)	#x

/*
 * A site, whose byte is 0 while the statement is on, and its record, which has the layout that
 * Documentation/log.rst describes. C has no constant with the name of the function, so this string
 * is empty.
 *
 * In C++ a static variable of an inline function is one variable of all object files and images.
 * A site must be one of its image, because its index is a distance there. So the variables are
 * internal to their object file: for gcc because of their type, for clang by an attribute.
 */
#ifdef __cplusplus
namespace {
struct devtrace_site_t_ {
	unsigned char off;
};

template <size_t F, size_t T> struct __attribute__((packed)) devtrace_log_record_ {
	uint8_t magic, level;
	uint16_t size;
	uint32_t line;
	const void *site;
	char file[F], function[1], text[T];
};
}

#define DEVTRACE_LOG_RECORD_TYPE_(format) \
	typedef devtrace_log_record_<sizeof(__FILE__), sizeof(format)> devtrace_record_t_;
#ifdef __clang__
#define DEVTRACE_LOG_INTERNAL_	internal_linkage,
#endif
#else
struct devtrace_site_t_ {
	unsigned char off;
};

#define DEVTRACE_LOG_RECORD_TYPE_(format)						\
	typedef struct __attribute__((packed)) {					\
		uint8_t magic_, level_;							\
		uint16_t size_;								\
		uint32_t line_;								\
		const void *site_;							\
		char file_[sizeof(__FILE__)], function_[1], text_[sizeof(format)];	\
	} devtrace_record_t_;
#endif
#ifndef DEVTRACE_LOG_INTERNAL_
#define DEVTRACE_LOG_INTERNAL_
#endif

/*
 * Declare the site and its record. Their names differ from those of other statements, because clang
 * makes internal variables of one name one variable.
 */
#define DEVTRACE_SITE_(n)	DEVTRACE_CAT_(devtrace_site_, n)
#define DEVTRACE_LOG_SITE_(n, level, format)						\
	static struct devtrace_site_t_ DEVTRACE_SITE_(n)				\
		__attribute__((used, DEVTRACE_LOG_INTERNAL_				\
			       DEVTRACE_SECTION_("devtrace_sites", "aw", n)));		\
	DEVTRACE_LOG_RECORD_TYPE_(format)						\
	DEVTRACE_ASSERT_(sizeof(devtrace_record_t_) <= UINT16_MAX,			\
			 "the text of a statement is too long");			\
	static const devtrace_record_t_ DEVTRACE_CAT_(devtrace_log_record_, n)		\
		__attribute__((used, aligned(1), DEVTRACE_LOG_INTERNAL_			\
			       DEVTRACE_SECTION_(".debug_devtrace", "", n))) = {	\
		0xd7, (level), (uint16_t)sizeof(devtrace_record_t_), __LINE__,		\
		&DEVTRACE_SITE_(n), __FILE__, "", format					\
	}

/*
 * Refuse formats whose arguments an event cannot carry. The loop over the conversions is written
 * out, because compilers do not compute a loop over a literal. To save time of the compiler, it is
 * as long as the number of arguments requires, plus one for %%; it ends after the ninth.
 */
#if defined(DEVTRACE_ERROR_) && defined(__OPTIMIZE__)
#ifdef __cplusplus
extern "C" {
#endif
DEVTRACE_ERROR_("DT_LOG() takes no %n, %m, %ls, %1$d, nor a width or precision of *")
void devtrace_bad_format_(void);
#ifdef __cplusplus
}
#endif
/* Go to the conversion behind the flags, the width, the precision and the length. */
#define DEVTRACE_LOG_CONVERSION_(k, from)						\
	const char *c##k = (from) ?							\
		(from) + 1 + __builtin_strspn((from) + 1, "-+ #0'123456789.hlLqjzt") : "d";	\
	const bool b##k = __builtin_memchr("*$nmS", *c##k, 5) ||				\
			  (*c##k == 's' && c##k[-1] == 'l')
#define DEVTRACE_LOG_NEXT_(k)	(*c##k ? __builtin_strchr(c##k + 1, '%') : NULL)

DEVTRACE_INLINE_ bool devtrace_format_is_bad1_(const char *from)
{
	DEVTRACE_LOG_CONVERSION_(1, from);

	return b1;
}

DEVTRACE_INLINE_ bool devtrace_format_is_bad3_(const char *from)
{
	DEVTRACE_LOG_CONVERSION_(1, from);
	const char *p1 = DEVTRACE_LOG_NEXT_(1);

	DEVTRACE_LOG_CONVERSION_(2, p1);
	const char *p2 = DEVTRACE_LOG_NEXT_(2);

	DEVTRACE_LOG_CONVERSION_(3, p2);
	return b1 || b2 || b3;
}

DEVTRACE_INLINE_ bool devtrace_format_is_bad9_(const char *from)
{
	DEVTRACE_LOG_CONVERSION_(1, from);
	const char *p1 = DEVTRACE_LOG_NEXT_(1);

	DEVTRACE_LOG_CONVERSION_(2, p1);
	const char *p2 = DEVTRACE_LOG_NEXT_(2);

	DEVTRACE_LOG_CONVERSION_(3, p2);
	const char *p3 = DEVTRACE_LOG_NEXT_(3);

	DEVTRACE_LOG_CONVERSION_(4, p3);
	const char *p4 = DEVTRACE_LOG_NEXT_(4);

	DEVTRACE_LOG_CONVERSION_(5, p4);
	const char *p5 = DEVTRACE_LOG_NEXT_(5);

	DEVTRACE_LOG_CONVERSION_(6, p5);
	const char *p6 = DEVTRACE_LOG_NEXT_(6);

	return b1 || b2 || b3 || b4 || b5 || b6 ||
	       devtrace_format_is_bad3_(p6);
}

#define DEVTRACE_LOG_REFUSE_(nr, format)						\
	do {										\
		const char *devtrace_f_ = __builtin_strchr(format, '%');		\
		const bool devtrace_bad_ = (nr) == 0 ? devtrace_format_is_bad1_(devtrace_f_) :	\
					   (nr) <= 2 ? devtrace_format_is_bad3_(devtrace_f_) :	\
					   devtrace_format_is_bad9_(devtrace_f_);	\
		if (__builtin_constant_p(devtrace_bad_) && devtrace_bad_)		\
			devtrace_bad_format_();						\
	} while (0)
#else
#define DEVTRACE_LOG_REFUSE_(nr, format)	((void)0)
#endif

/* Is the statement on? Costs one load, one test and one branch. */
DEVTRACE_INLINE_ bool devtrace_site_is_on_(const struct devtrace_site_t_ *site)
{
	return __builtin_expect(!__atomic_load_n(&site->off, __ATOMIC_RELAXED), 1);
}

/*
 * gcc before 14 ignores the section of a static variable in a C++ template: the text would be in
 * the program, and the site not in the section. There the statement emits a text instead. The name
 * of a template's function ends in "[with T = int]", except the one of a lambda in it; for that
 * one the index is checked.
 */
#if defined(__cplusplus) && !defined(__clang__) && __GNUC__ < 14
#define DEVTRACE_LOG_MISPLACED_
#define DEVTRACE_LOG_IN_TEMPLATE_ \
	(__PRETTY_FUNCTION__[sizeof(__PRETTY_FUNCTION__) - 2] == ']')
#define DEVTRACE_LOG_AS_TEXT_(severity, ...)						\
	if (DEVTRACE_LOG_IN_TEMPLATE_) {						\
		devtrace_text_sev((severity), __VA_ARGS__);				\
	} else
#else
#define DEVTRACE_LOG_AS_TEXT_(severity, ...)
#endif

/* The first element of the event: the image, and the index of the site. */
DEVTRACE_INLINE_ uint32_t devtrace_site_number_(const struct devtrace_site_t_ *site)
{
	uint32_t index = (uint32_t)(&site->off - devtrace_sites_begin_);

#ifdef DEVTRACE_LOG_MISPLACED_
	if (index >= (uint32_t)(devtrace_sites_end_ - devtrace_sites_begin_))
		index = DEVTRACE_LOG_NO_SITE_;
#endif
	return __atomic_load_n(&devtrace_image_.number, __ATOMIC_RELAXED) | index;
}

/* Pointers other than char * are numbers in hexadecimal. */
DEVTRACE_INLINE_ void devtrace_log_pointer_(struct devtrace_record *r, const volatile void *p)
{
	if (sizeof(p) == 4)
		devtrace_x32(r, (uint32_t)(uintptr_t)p);
	else
		devtrace_x64(r, DEVTRACE_KEY_(p));
}

#ifdef __cplusplus
template <typename R, typename T>
DEVTRACE_INLINE_ typename std::enable_if<!std::is_pointer<T>::value>::type
devtrace_log_put_(R r, T v)
{
	devtrace_put_(r, v);
}

template <typename R, typename T>
DEVTRACE_INLINE_ typename std::enable_if<std::is_same<const T, const char>::value>::type
devtrace_log_put_(R r, T *v)
{
	devtrace_put_(r, v);
}

template <typename R, typename T>
DEVTRACE_INLINE_ typename std::enable_if<!std::is_same<const T, const char>::value>::type
devtrace_log_put_(R r, T *v)
{
	devtrace_log_pointer_(r, (const volatile void *)v);
}

template <typename R>
DEVTRACE_INLINE_ void devtrace_log_put_(R r, decltype(nullptr))
{
	devtrace_log_pointer_(r, NULL);
}

#define devtrace_log_put_last_(r, x)	devtrace_log_put_(devtrace_last_{r}, x)
#else
#define devtrace_log_put_(r, x)		DEVTRACE_PUT_(r, x, devtrace_str, devtrace_log_pointer_)
#define devtrace_log_put_last_(r, x) \
	DEVTRACE_PUT_(r, x, devtrace_str_last_, devtrace_log_pointer_)
#endif

/*
 * DEVTRACE_LOG_PUTS_(r, format, a, b, ...) puts the elements a, b and so on. With more than 16
 * arguments the expansion contains the name of an undefined macro, which tells the limit.
 */
#define DEVTRACE_LOG_PUTS_(r, ...) \
	DEVTRACE_CAT_(DEVTRACE_LOG_PUTS, DEVTRACE_LOG_COUNT_(__VA_ARGS__))(r, __VA_ARGS__)
#define DEVTRACE_LOG_COUNT_(...)							\
	DEVTRACE_LOG_NTH_(__VA_ARGS__, _takes_16_arguments_at_most_,			\
			  _takes_16_arguments_at_most_, _takes_16_arguments_at_most_,	\
			  _takes_16_arguments_at_most_, 16_, 15_, 14_, 13_, 12_, 11_, 10_,	\
			  9_, 8_, 7_, 6_, 5_, 4_, 3_, 2_, 1_, 0_, ~)
/* The number of arguments; 17 if there are too many. */
#define DEVTRACE_LOG_NR_(...)								\
	DEVTRACE_LOG_NTH_(__VA_ARGS__, 17, 17, 17, 17, 16, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4,	\
			  3, 2, 1, 0, ~)
#define DEVTRACE_LOG_NTH_(x, a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, s, t, u, v, ...)	v

#define DEVTRACE_LOG_PUTS0_(r, x)
#define DEVTRACE_LOG_PUTS1_(r, x, a)	devtrace_log_put_last_(r, a);
#define DEVTRACE_LOG_PUTS2_(r, x, a, ...) \
	devtrace_log_put_(r, a); DEVTRACE_LOG_PUTS1_(r, x, __VA_ARGS__)
#define DEVTRACE_LOG_PUTS3_(r, x, a, ...) \
	devtrace_log_put_(r, a); DEVTRACE_LOG_PUTS2_(r, x, __VA_ARGS__)
#define DEVTRACE_LOG_PUTS4_(r, x, a, ...) \
	devtrace_log_put_(r, a); DEVTRACE_LOG_PUTS3_(r, x, __VA_ARGS__)
#define DEVTRACE_LOG_PUTS5_(r, x, a, ...) \
	devtrace_log_put_(r, a); DEVTRACE_LOG_PUTS4_(r, x, __VA_ARGS__)
#define DEVTRACE_LOG_PUTS6_(r, x, a, ...) \
	devtrace_log_put_(r, a); DEVTRACE_LOG_PUTS5_(r, x, __VA_ARGS__)
#define DEVTRACE_LOG_PUTS7_(r, x, a, ...) \
	devtrace_log_put_(r, a); DEVTRACE_LOG_PUTS6_(r, x, __VA_ARGS__)
#define DEVTRACE_LOG_PUTS8_(r, x, a, ...) \
	devtrace_log_put_(r, a); DEVTRACE_LOG_PUTS7_(r, x, __VA_ARGS__)
#define DEVTRACE_LOG_PUTS9_(r, x, a, ...) \
	devtrace_log_put_(r, a); DEVTRACE_LOG_PUTS8_(r, x, __VA_ARGS__)
#define DEVTRACE_LOG_PUTS10_(r, x, a, ...) \
	devtrace_log_put_(r, a); DEVTRACE_LOG_PUTS9_(r, x, __VA_ARGS__)
#define DEVTRACE_LOG_PUTS11_(r, x, a, ...) \
	devtrace_log_put_(r, a); DEVTRACE_LOG_PUTS10_(r, x, __VA_ARGS__)
#define DEVTRACE_LOG_PUTS12_(r, x, a, ...) \
	devtrace_log_put_(r, a); DEVTRACE_LOG_PUTS11_(r, x, __VA_ARGS__)
#define DEVTRACE_LOG_PUTS13_(r, x, a, ...) \
	devtrace_log_put_(r, a); DEVTRACE_LOG_PUTS12_(r, x, __VA_ARGS__)
#define DEVTRACE_LOG_PUTS14_(r, x, a, ...) \
	devtrace_log_put_(r, a); DEVTRACE_LOG_PUTS13_(r, x, __VA_ARGS__)
#define DEVTRACE_LOG_PUTS15_(r, x, a, ...) \
	devtrace_log_put_(r, a); DEVTRACE_LOG_PUTS14_(r, x, __VA_ARGS__)
#define DEVTRACE_LOG_PUTS16_(r, x, a, ...) \
	devtrace_log_put_(r, a); DEVTRACE_LOG_PUTS15_(r, x, __VA_ARGS__)

#define DEVTRACE_LOG_BEGIN_(n, level, ...)						\
	DEVTRACE_LOG_SITE_(n, level, DEVTRACE_FIRST_(__VA_ARGS__, ~));			\
	DEVTRACE_LOG_CHECK_(__VA_ARGS__);						\
	DEVTRACE_LOG_REFUSE_(DEVTRACE_LOG_NR_(__VA_ARGS__), DEVTRACE_FIRST_(__VA_ARGS__, ~))

#define DEVTRACE_LOG_(n, level, severity, ...)						\
	do {										\
		DEVTRACE_LOG_BEGIN_(n, level, __VA_ARGS__);				\
		DEVTRACE_LOG_AS_TEXT_(severity, __VA_ARGS__)				\
		if (devtrace_site_is_on_(&DEVTRACE_SITE_(n)) &&				\
		    devtrace_enabled_severity(DEVTRACE_T_LOG, (severity))) {		\
			DEVTRACE_RECORD(devtrace_r_, DEVTRACE_BUFFER);			\
			devtrace_head_(&devtrace_r_, DEVTRACE_T_LOG, (severity), 0);	\
			devtrace_u32(&devtrace_r_, devtrace_site_number_(&DEVTRACE_SITE_(n)));	\
			DEVTRACE_LOG_PUTS_(&devtrace_r_, __VA_ARGS__)			\
			devtrace_end_last_(&devtrace_r_);				\
		}									\
	} while (0)

#define DEVTRACE_LOG_FOR_(n, object, signal, ...)					\
	do {										\
		DEVTRACE_LOG_BEGIN_(n, DEVTRACE_LOG_NONE, __VA_ARGS__);			\
		DEVTRACE_CHECK_OBJECT_((object));					\
		DEVTRACE_CHECK_OBJECT_((signal));					\
		DEVTRACE_LOG_AS_TEXT_(0, __VA_ARGS__)					\
		if (devtrace_site_is_on_(&DEVTRACE_SITE_(n)) &&				\
		    devtrace_enabled(DEVTRACE_T_LOG)) {					\
			const unsigned long long devtrace_o_ = (unsigned long long)(object);	\
			const unsigned long long devtrace_s_ = (unsigned long long)(signal);	\
			if (DEVTRACE_OBJECT_FITS_(devtrace_o_) &&			\
			    DEVTRACE_OBJECT_FITS_(devtrace_s_) &&			\
			    devtrace_object_wanted_((uint16_t)devtrace_o_)) {		\
				DEVTRACE_RECORD(devtrace_r_, DEVTRACE_BUFFER);		\
				devtrace_begin_id_(&devtrace_r_, DEVTRACE_T_LOG,	\
						   (uint16_t)devtrace_o_, (uint16_t)devtrace_s_); \
				devtrace_u32(&devtrace_r_,				\
					     devtrace_site_number_(&DEVTRACE_SITE_(n)));	\
				DEVTRACE_LOG_PUTS_(&devtrace_r_, __VA_ARGS__)		\
				devtrace_end_last_(&devtrace_r_);			\
			}								\
		}									\
	} while (0)

#else /* DEVTRACE_DISABLE */

#define DEVTRACE_LOG_(n, level, severity, ...) \
	(DEVTRACE_UNUSED_((level), (severity)), DEVTRACE_LOG_CHECK_(__VA_ARGS__))
#define DEVTRACE_LOG_FOR_(n, object, signal, ...) \
	(DEVTRACE_UNUSED_((object), (signal)), DEVTRACE_LOG_CHECK_(__VA_ARGS__))

#endif /* DEVTRACE_DISABLE */

#endif

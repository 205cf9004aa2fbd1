/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Emit the arguments of a printf-like statement; the text stays in the driver's file
 *
 *	DT_LOG("pump %d runs dry at %s", n, place);
 *	DT_ERR("valve %u: error %d", valve, err);
 *	DT_LOG_TO(object, "%u bytes", n);
 *
 * An event has the number of the statement and the arguments. traceinfo(1) finds the text in the
 * driver's .ko or debug file. Documentation/log.rst describes all of it; this header writes what
 * that page describes.
 *
 * Context: as for <linux/devtrace.h>. Arguments are evaluated once if events of the type
 * DEVTRACE_T_LOG are wanted and the statement is on, otherwise not at all. An argument is an
 * integer, a bool, an enumeration, a string or another pointer; a bit field needs a cast. The
 * kernel replaces a pointer by a hash, as it does for dt_obj(). A statement has up to twelve
 * arguments.
 *
 * Each statement has a byte in the section devtrace_sites. Each file of a driver adds to this
 * section, before its statements, one byte that is no statement: the weak symbol
 * devtrace_sites_base_. The linker keeps one of these symbols, and statements count from there.
 * Each file also has an entry in the driver's list of parameters, by which devtrace.ko finds the
 * statements: see kmod/emit/image.c.
 */
#ifndef _LINUX_DEVTRACE_LOG_H
#define _LINUX_DEVTRACE_LOG_H

#include <linux/devtrace.h>
#include <linux/list.h>
#include <linux/module.h>
#include <linux/moduleparam.h>

/* Changes whenever the structures change. devtrace.ko uses structures of its own version only. */
#define DEVTRACE_SITES_VERSION	1
#define DEVTRACE_SITES_NAME	"<devtrace-sites>"

/**
 * struct devtrace_site_table - the statements of a driver
 * @number: number of the image in the highest 8 bits, see log.rst; 255 while none is assigned
 * @base: address of devtrace_sites_base_
 * @note: beginning or end of the driver's section .note.gnu.build-id
 * @mod: the driver, while devtrace.ko knows it
 * @list: entry of a list of devtrace.ko
 */
struct devtrace_site_table {
	u32			number;
	u8			*base;
	const void		*note;
	struct module		*mod;
	struct list_head	list;
};

/**
 * struct devtrace_sites - the statements of one file of a driver
 * @version: DEVTRACE_SITES_VERSION
 * @image: the driver's
 * @begin: the file's part of the section devtrace_sites; its first byte is no statement
 * @end: end of that part
 */
struct devtrace_sites {
	u32			version;
	struct devtrace_site_table	*image;
	u8			*begin, *end;
};

/* The format is checked as that of printk(). The function is never called. */
static inline __printf(1, 2) void __dt_log_check(const char *fmt, ...)
{
}

/* devtrace.ko itself uses only the declarations above: it has no statements. */
#if !defined(__DEVTRACE_SITES_TYPES) && \
	(defined(__DEVTRACE_CALLS_DIRECTLY) || defined(__DEVTRACE_CALLS_BY_LINK))

/*
 * The compiler writes the file's statements into subsection 0, behind the first label. The note is
 * empty: the linker puts it beside its own note, which has the build-id.
 */
#define __DEVTRACE_SITES_ASM \
	".pushsection devtrace_sites, \"aw\"\n" \
	".weak devtrace_sites_base_\n" \
	".type devtrace_sites_base_, %object\n" \
	".size devtrace_sites_base_, 1\n" \
	".Ldevtrace_sites_begin:\n" \
	"devtrace_sites_base_:\n" \
	".byte 0\n" \
	".popsection\n" \
	".pushsection devtrace_sites, 1, \"aw\"\n" \
	".Ldevtrace_sites_end:\n" \
	".popsection\n" \
	".pushsection .note.gnu.build-id, \"a\", %note\n" \
	".weak devtrace_sites_note_\n" \
	".type devtrace_sites_note_, %object\n" \
	"devtrace_sites_note_:\n" \
	".popsection\n"

asm(__DEVTRACE_SITES_ASM);

extern u8 devtrace_sites_base_[];
extern const u8 devtrace_sites_note_[];
extern u8 __devtrace_sites_begin[] asm(".Ldevtrace_sites_begin");
extern u8 __devtrace_sites_end[] asm(".Ldevtrace_sites_end");

extern struct devtrace_site_table __weak __devtrace_site_table;
struct devtrace_site_table __devtrace_site_table __read_mostly = {
	.number = 255U << 24,
	.base = devtrace_sites_base_,
	.note = devtrace_sites_note_,
	.list = LIST_HEAD_INIT(__devtrace_site_table.list),
};

static struct devtrace_sites __devtrace_sites __used = {
	.version = DEVTRACE_SITES_VERSION,
	.image = &__devtrace_site_table,
	.begin = __devtrace_sites_begin,
	.end = __devtrace_sites_end,
};

/* The entry is no parameter: see __devtrace_link_set(). */
static int __devtrace_sites_set(const char *val, const struct kernel_param *kp)
{
	return -ENOENT;
}

static const struct kernel_param_ops __devtrace_sites_ops = {
	.set = __devtrace_sites_set,
};

static const struct kernel_param __devtrace_sites_param
	__used __section("__param") __aligned(__alignof__(struct kernel_param)) = {
	.name = DEVTRACE_SITES_NAME,
	.mod = THIS_MODULE,
	.ops = &__devtrace_sites_ops,
	.level = -1,
	.arg = &__devtrace_sites,
};

/*
 * The section of the texts is not loaded. gcc writes the flags of a section behind its name, so
 * the name contains other flags and begins a comment. A different number in each name keeps gcc
 * from comparing flags. clang quotes the name; there the section is loaded.
 */
#if defined(__clang__)
#define __DT_TEXTS		".debug_devtrace"
#elif defined(CONFIG_ARM)
#define __DT_TEXTS		".debug_devtrace,\"\",%progbits @" __stringify(__COUNTER__)
#elif defined(CONFIG_ARM64)
#define __DT_TEXTS		".debug_devtrace,\"\",%progbits //" __stringify(__COUNTER__)
#else
#define __DT_TEXTS		".debug_devtrace,\"\",%progbits #" __stringify(__COUNTER__)
#endif

/* A string as an argument; in the ring it is a STR element. */
struct dt_elemstr { const char *s; unsigned int len; };

static __always_inline struct dt_elemstr __dt_log_str(const char *s)
{
	if (!s)
		s = "(null)";
	return (struct dt_elemstr){ s, strlen(s) };
}

#define __dt_log_long	__DT_CAT(dt_i, BITS_PER_LONG)
#define __dt_log_ulong	__DT_CAT(dt_u, BITS_PER_LONG)
#ifdef __CHAR_UNSIGNED__
#define __dt_log_char	dt_u8
#else
#define __dt_log_char	dt_i8
#endif

/* The element for an argument. */
#define __dt_log_elem(e) _Generic((e),					\
	bool: dt_u8, char: __dt_log_char,				\
	signed char: dt_i8, unsigned char: dt_u8,			\
	short: dt_i16, unsigned short: dt_u16,				\
	int: dt_i32, unsigned int: dt_u32,				\
	long: __dt_log_long, unsigned long: __dt_log_ulong,		\
	long long: dt_i64, unsigned long long: dt_u64,			\
	char *: __dt_log_str, const char *: __dt_log_str,		\
	default: dt_obj)(e)

#define __dt_log_is_str(e) \
	_Generic((e), struct dt_elemstr: true, default: false)

/* Elements with more bytes than this are cut, so that the event has room for the cut's element. */
#define __DT_LOG_MAX	(DEVTRACE_PAYLOAD_MAX - 32)

static __always_inline unsigned int __dt_log_size(const void *e, unsigned int size, bool str)
{
	return str ? 2 + ((const struct dt_elemstr *)e)->len : size;
}

static __always_inline u8 *__dt_log_put(u8 *p, const void *e, unsigned int size, bool str)
{
	const struct dt_elemstr *s = e;

	if (!str) {
		memcpy(p, e, size);
		return p + size;
	}
	__dt_store_str(p, s->s, s->len);
	return p + s->len + 2;
}

/* Write the element that tells how many bytes are missing. Return its size. */
static noinline __cold __maybe_unused
unsigned int __dt_log_put_cut(u8 *p, unsigned int size, unsigned int cut)
{
	return 1 + snprintf(p, size, "%c[%u bytes cut]", DEVTRACE_E_STR, cut);
}

#define __DT_LOG_LOCAL(n, e) \
	const typeof(__dt_log_elem(e)) __e##n = __dt_log_elem(e);
#define __DT_LOG_STRS(n, e)	|| __dt_log_is_str(__e##n)
#define __DT_LOG_PTR(n, e)	__DT_PTR(n, __e##n)
#define __DT_LOG_COUNT(n, e)						\
	__size = __dt_log_size(&__e##n, sizeof(__e##n), __dt_log_is_str(__e##n)); \
	if (__cut || __size > __DT_LOG_MAX - __len)			\
		__cut += __size;					\
	else								\
		__len += __size;
/* Elements that are cut are behind @__last. */
#define __DT_LOG_PUT(n, e)						\
	if (!__strs || __p < __last)					\
		__p = __dt_log_put(__p, &__e##n, sizeof(__e##n), __dt_log_is_str(__e##n));

struct __dt_nothing { };

/*
 * The number of the image is read after reserve(), which lasts until the commit: devtrace.ko is not
 * removed meanwhile, so the number is of this devtrace.ko.
 */
#define __dt_log_store(reserve, who, key, head, ...) do {		\
	__DT_EACH(__DT_LOG_LOCAL, ##__VA_ARGS__)			\
	const bool __strs = false __DT_EACH(__DT_LOG_STRS, ##__VA_ARGS__); \
	const typeof(head) __head = (head);				\
	unsigned int __len = sizeof(__head) + sizeof(struct dt_elem32);	\
	unsigned int __size __maybe_unused, __cut = 0;			\
	struct dt_elem32 __nr;						\
	u8 *__p, *__last __maybe_unused;				\
									\
	__DT_EACH(__DT_LOG_COUNT, ##__VA_ARGS__)			\
	__size = __strs && unlikely(__cut) ? __dt_log_put_cut(NULL, 0, __cut) : 0; \
	__p = reserve(DEVTRACE_T_LOG, (who) __DT_EACH(__DT_LOG_PTR, ##__VA_ARGS__), \
		      __len + __size, key);				\
	if (__p) {							\
		__last = __p + __len;					\
		__nr = dt_u32(READ_ONCE(__devtrace_site_table.number) |	\
			      (u32)((unsigned long)&__dt_site -		\
				    (unsigned long)devtrace_sites_base_) << 8 >> 8); \
		__p = __dt_log_put(__p, &__head, sizeof(__head), false); \
		__p = __dt_log_put(__p, &__nr, sizeof(__nr), false);	\
		__DT_EACH(__DT_LOG_PUT, ##__VA_ARGS__)			\
		if (__strs && unlikely(__cut))				\
			__dt_log_put_cut(__p, __size, __cut);		\
		__devtrace_commit();					\
	}								\
} while (0)

/* The site and the record of a statement, see log.rst. */
#define __DT_SITE(level_, fmt)						\
	static u8 __dt_site __used __section("devtrace_sites");		\
	static const struct {						\
		u8 magic, level;					\
		u16 size;						\
		u32 line;						\
		const u8 *site;						\
		char file[sizeof(__FILE__)], func[1], text[sizeof("" fmt)]; \
	} __packed __dt_text __aligned(1) __used __section(__DT_TEXTS) = { \
		0xd7, level_, sizeof(__dt_text), __LINE__, &__dt_site, \
		__FILE__, "", "" fmt					\
	};								\
									\
	BUILD_BUG_ON_MSG(sizeof(__dt_text) > U16_MAX, "this text is too long");

#define __dt_log_is_on() \
	(likely(!READ_ONCE(__dt_site)) && devtrace_enabled(DEVTRACE_T_LOG))

#define __dt_log(level, severity, reserve, fmt, ...) do {		\
	__DT_SITE(level, fmt)						\
	__dt_log_checks(fmt, ##__VA_ARGS__);				\
	if (__dt_log_is_on())						\
		__dt_log_store(reserve, __DEVTRACE_SEV(severity), 0,	\
			       ((struct __dt_nothing){ }), ##__VA_ARGS__); \
} while (0)

#define __dt_log_to(obj, fmt, ...) do {					\
	__DT_SITE(0, fmt)						\
	__devtrace_check_objsig(obj);					\
	__dt_log_checks(fmt, ##__VA_ARGS__);				\
	if (__dt_log_is_on()) {						\
		const unsigned long long __obj = (obj);			\
									\
		if (__devtrace_objsig_fits(__obj) &&			\
		    __devtrace_object_ok(DEVTRACE_T_LOG, __obj))	\
			__dt_log_store(__devtrace_reserve_for, __DEVTRACE_OBJSIG, \
				       (u16)__obj, __dt_objsig(__obj, 0), ##__VA_ARGS__); \
	}								\
} while (0)

#else /* no calls */

#define __dt_log(level, severity, reserve, fmt, ...) \
	__dt_log_checks(fmt, ##__VA_ARGS__)
#define __dt_log_to(obj, fmt, ...) do {					\
	(void)sizeof(obj);						\
	__dt_log_checks(fmt, ##__VA_ARGS__);				\
} while (0)

#endif /* no calls */

/* No reader can follow a pointer into the kernel, as the letters behind %p of printk() demand. */
#ifdef __CHECKER__
#define __dt_log_grammar(fmt)
#else
#define __dt_log_has(fmt, s)	(!!__builtin_strstr("" fmt, s))
#define __dt_log_conv(fmt, s)	(__dt_log_has(fmt, s) && !__dt_log_has(fmt, "%" s))
#define __dt_log_p(fmt, a, b, c, d) \
	(__dt_log_conv(fmt, "%p" a) || __dt_log_conv(fmt, "%p" b) || \
	 __dt_log_conv(fmt, "%p" c) || __dt_log_conv(fmt, "%p" d))
#define __dt_log_grammar(fmt)						\
	BUILD_BUG_ON_MSG(__dt_log_conv(fmt, "%n") || __dt_log_conv(fmt, "%hhn") || \
			 __dt_log_conv(fmt, "%hn") || __dt_log_conv(fmt, "%ln") || \
			 __dt_log_conv(fmt, "%lln"), "a DT_LOG() statement cannot have %n"); \
	BUILD_BUG_ON_MSG(__dt_log_conv(fmt, "%*") || __dt_log_conv(fmt, "%.*") || \
			 __dt_log_conv(fmt, "%-*") || __dt_log_conv(fmt, "%0*"), \
			 "a DT_LOG() statement cannot have a width or precision of *"); \
	BUILD_BUG_ON_MSG(__dt_log_p(fmt, "S", "s", "B", "F") ||		\
			 __dt_log_p(fmt, "f", "R", "r", "a") ||		\
			 __dt_log_p(fmt, "b", "h", "M", "m") ||		\
			 __dt_log_p(fmt, "I", "i", "E", "U") ||		\
			 __dt_log_p(fmt, "V", "K", "N", "d") ||		\
			 __dt_log_p(fmt, "D", "C", "G", "g") ||		\
			 __dt_log_p(fmt, "O", "x", "e", "t") ||		\
			 __dt_log_p(fmt, "4", "A", "v", "c"),		\
			 "a DT_LOG() statement has %p without printk()'s letters behind it")
#endif

#define __dt_log_checks(fmt, ...) do {					\
	BUILD_BUG_ON_MSG(__DT_COUNT(__VA_ARGS__) > 12, "a statement has up to twelve arguments"); \
	__dt_log_grammar(fmt);						\
	if (0)								\
		__dt_log_check(fmt, ##__VA_ARGS__);			\
} while (0)

/**
 * DT_LOG() - emit the arguments of a line
 * @fmt: format as for printk(), a literal, without the letters behind %p
 * @...: up to twelve arguments
 */
#define DT_LOG(fmt, ...) \
	__dt_log(0, 0, __devtrace_reserve_plain, fmt, ##__VA_ARGS__)

/**
 * DT_LOG_TO() - emit the arguments of a line about an object
 * @object: object id, 16 bits
 * @fmt: as for DT_LOG()
 * @...: as for DT_LOG()
 */
#define DT_LOG_TO(object, fmt, ...)	__dt_log_to(object, fmt, ##__VA_ARGS__)

/* The same as DT_LOG(), with a level and a severity. */
#define DT_ERR(fmt, ...) \
	__dt_log(1, DEVTRACE_SW2, __devtrace_reserve_for, fmt, ##__VA_ARGS__)
#define DT_WARN(fmt, ...) \
	__dt_log(2, DEVTRACE_SW1, __devtrace_reserve_for, fmt, ##__VA_ARGS__)
#define DT_INFO(fmt, ...) \
	__dt_log(3, DEVTRACE_SW0, __devtrace_reserve_for, fmt, ##__VA_ARGS__)
#undef DT_DEBUG		/* a number of ELF, in <linux/elf.h> */
#define DT_DEBUG(fmt, ...) \
	__dt_log(4, DEVTRACE_SW0, __devtrace_reserve_for, fmt, ##__VA_ARGS__)

#endif /* _LINUX_DEVTRACE_LOG_H */

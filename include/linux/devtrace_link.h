/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How a driver that is a module finds devtrace.ko, and runs without it
 *
 * <linux/devtrace.h> includes this file. A driver has one table, struct devtrace_link, through
 * which it calls devtrace.ko. Without devtrace.ko the table wants no event. devtrace.ko connects
 * the table when both modules are loaded, and disconnects the table before devtrace.ko is removed:
 * see kmod/emit/link.c. The driver needs no symbol of devtrace.ko.
 *
 * devtrace.ko finds the table by the driver's list of module parameters. An entry of the list,
 * whose name cannot be written as a parameter, points to the table. When the kernel frees the
 * driver, it calls the function free of this entry.
 *
 * Each file of the driver defines the table as a weak symbol, so the linker keeps only one table.
 *
 * A driver's call may be interrupted at any point, and devtrace.ko may be removed meanwhile.
 * Therefore a call does not sleep between reading a pointer from the table and using it. Only the
 * calls that give names sleep, and they hold the table's lock.
 */
#ifndef _LINUX_DEVTRACE_LINK_H
#define _LINUX_DEVTRACE_LINK_H

#include <linux/compiler.h>
#include <linux/kernel.h>
#include <linux/list.h>
#include <linux/module.h>
#include <linux/moduleparam.h>
#include <linux/mutex.h>
#include <linux/objtool.h>
#include <linux/percpu.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/types.h>
#include <uapi/linux/devtrace.h>

/* Changes whenever the table changes. devtrace.ko connects tables of its own version only. */
#define DEVTRACE_LINK_VERSION	1
#define DEVTRACE_LINK_NAME	"<devtrace>"
/* The largest number of names that a driver keeps for devtrace.ko. */
#define DEVTRACE_LINK_NAMES	256

/*
 * On x86, indirect calls are expensive. Therefore a call goes to a trampoline of the driver, which
 * is a single jump that devtrace.ko changes. The trampoline is like that of a static call. A static
 * call itself cannot be used: its symbols are global, and only one file of a driver may define
 * them.
 */
#if defined(CONFIG_X86) && defined(CONFIG_HAVE_STATIC_CALL)
#define DEVTRACE_LINK_JUMPS	1
#else
#define DEVTRACE_LINK_JUMPS	0
#endif

/**
 * struct devtrace_link_call - a call of a driver
 * @func: the trampoline, or, without trampolines, the function to call
 * @none: the driver's function that does nothing
 */
struct devtrace_link_call {
	void	*func;
	void	*none;
};

/**
 * struct devtrace_link - the calls of a driver into devtrace.ko
 * @version: DEVTRACE_LINK_VERSION
 * @severities: copy of devtrace.ko's devtrace_severities; 0 while not connected
 * @wanted: copy of devtrace_wanted; 0 while not connected
 * @objects: copy of devtrace_objects; 0 while not connected
 * @filtered: devtrace.ko's devtrace_filtered; NULL while not connected
 * @text: emits a line of text; NULL while not connected
 * @reserve: __devtrace_reserve()
 * @reserve_for: __devtrace_reserve_for()
 * @commit: __devtrace_commit()
 * @emit: __devtrace_emit()
 * @lock: protects @name, @names and @nr_names
 * @name: gives a name, or registers a type by name and returns its number; NULL while not connected
 * @names: list of struct devtrace_link_name: names given so far, the oldest first
 * @nr_names: number of names in @names
 * @list: entry in a list of devtrace.ko; empty while not connected
 */
struct devtrace_link {
	u32			version;
	u32			severities;
	unsigned long		wanted[256 / BITS_PER_LONG];
	unsigned long		objects[256 / BITS_PER_LONG];
	u64 __percpu		*filtered;
	__printf(2, 0)
	void			(*text)(u8 severity, const char *fmt, va_list ap);
	struct devtrace_link_call reserve, reserve_for, commit, emit;
	struct mutex		lock;	/* protects the names */
	int			(*name)(const struct devtrace_dict *d);
	struct list_head	names;
	unsigned int		nr_names;
	struct list_head	list;
};

/* A name that a driver keeps, because devtrace.ko may be loaded later, or be removed and loaded. */
struct devtrace_link_name {
	struct list_head	list;
	struct devtrace_dict	d;
};

/* devtrace.ko uses only the declarations above. */
#ifdef __DEVTRACE_CALLS_BY_LINK

static __used notrace void *__devtrace_none_reserve(unsigned int type, u32 who, unsigned int len)
{
	return NULL;
}

static __used notrace
void *__devtrace_none_reserve_for(unsigned int type, u32 who, unsigned int len, u32 key)
{
	return NULL;
}

static __used notrace void __devtrace_none_commit(void)
{
}

static __used notrace void __devtrace_none_emit(unsigned int type, u32 who, const void *data,
					unsigned int len)
{
}

#if DEVTRACE_LINK_JUMPS
/* By the bytes after the jump, the kernel recognizes a trampoline. */
#define __DEVTRACE_JUMP(call)						\
	asm(".pushsection .text, \"ax\"\n"				\
	    ".align 8\n"						\
	    ".weak __devtrace_jump_" #call "\n"				\
	    ".type __devtrace_jump_" #call ", @function\n"		\
	    "__devtrace_jump_" #call ":\n"				\
	    ANNOTATE_NOENDBR "\n"					\
	    ".byte 0xe9; .long __devtrace_none_" #call " - (. + 4)\n"	\
	    ".byte 0x0f, 0xb9, 0xcc\n"					\
	    ".size __devtrace_jump_" #call ", . - __devtrace_jump_" #call "\n" \
	    ".popsection\n");						\
	extern typeof(__devtrace_none_##call) __devtrace_jump_##call;	\
	STACK_FRAME_NON_STANDARD(__devtrace_jump_##call)

__DEVTRACE_JUMP(reserve);
__DEVTRACE_JUMP(reserve_for);
__DEVTRACE_JUMP(commit);
__DEVTRACE_JUMP(emit);

#define __devtrace_call(call)		__devtrace_jump_##call
#define __DEVTRACE_FUNC(call)		__devtrace_jump_##call
#else
#define __devtrace_call(call) \
	((typeof(&__devtrace_none_##call))READ_ONCE(__devtrace_link.call.func))
#define __DEVTRACE_FUNC(call)		__devtrace_none_##call
#endif
#define __DEVTRACE_LINK_CALL(call) \
	{ .func = __DEVTRACE_FUNC(call), .none = __devtrace_none_##call }

extern struct devtrace_link __weak __devtrace_link;
struct devtrace_link __devtrace_link __read_mostly = {
	.version = DEVTRACE_LINK_VERSION,
	.reserve = __DEVTRACE_LINK_CALL(reserve),
	.reserve_for = __DEVTRACE_LINK_CALL(reserve_for),
	.commit = __DEVTRACE_LINK_CALL(commit),
	.emit = __DEVTRACE_LINK_CALL(emit),
	.lock = __MUTEX_INITIALIZER(__devtrace_link.lock),
	.names = LIST_HEAD_INIT(__devtrace_link.names),
	.list = LIST_HEAD_INIT(__devtrace_link.list),
};

/* The entry is no parameter: writing it fails like writing a parameter that does not exist. */
static int __devtrace_link_set(const char *val, const struct kernel_param *kp)
{
	return -ENOENT;
}

/* Called when the driver is freed. Several files of the driver may have an entry for one table. */
static void __devtrace_link_free(void *arg)
{
	struct devtrace_link *l = arg;
	struct devtrace_link_name *n, *next;

	list_for_each_entry_safe(n, next, &l->names, list)
		kfree(n);
	INIT_LIST_HEAD(&l->names);
	l->nr_names = 0;
}

static const struct kernel_param_ops __devtrace_link_ops = {
	.set = __devtrace_link_set,
	.free = __devtrace_link_free,
};

static const struct kernel_param __devtrace_link_param
	__used __section("__param") __aligned(__alignof__(struct kernel_param)) = {
	.name = DEVTRACE_LINK_NAME,
	.mod = THIS_MODULE,
	.ops = &__devtrace_link_ops,
	.level = -1,
	.arg = &__devtrace_link,
};

/* modprobe loads devtrace.ko before the driver, if devtrace.ko is installed. */
MODULE_SOFTDEP("pre: devtrace");

/* The names that <linux/devtrace.h> uses. */
#define devtrace_wanted		(__devtrace_link.wanted)
#define devtrace_objects	(__devtrace_link.objects)
#define devtrace_severities	(__devtrace_link.severities)

static __always_inline void *__devtrace_reserve(unsigned int type, u32 who, unsigned int len)
{
	return __devtrace_call(reserve)(type, who, len);
}

static __always_inline void *__devtrace_reserve_for(unsigned int type, u32 who, unsigned int len,
						    u32 key)
{
	return __devtrace_call(reserve_for)(type, who, len, key);
}

static __always_inline void __devtrace_commit(void)
{
	__devtrace_call(commit)();
}

static __always_inline void __devtrace_emit(unsigned int type, u32 who, const void *data,
					    unsigned int len)
{
	__devtrace_call(emit)(type, who, data, len);
}

static __always_inline void __devtrace_count_filtered(u8 type)
{
	u64 __percpu *filtered = READ_ONCE(__devtrace_link.filtered);

	if (likely(filtered))
		this_cpu_inc(filtered[type]);
}

static inline bool __devtrace_same_key(const struct devtrace_dict *a, const struct devtrace_dict *b)
{
	return a->kind == b->kind && a->group == b->group && a->value == b->value &&
	       a->key == b->key;
}

/* Keep a name in place of an earlier name with the same key. The caller holds the lock. */
static inline int __devtrace_keep_name(struct devtrace_link *l, const struct devtrace_dict *d)
{
	struct devtrace_link_name *n;

	list_for_each_entry(n, &l->names, list) {
		if (__devtrace_same_key(&n->d, d)) {
			n->d = *d;
			return 0;
		}
	}
	if (l->nr_names >= DEVTRACE_LINK_NAMES)
		return -ENOSPC;
	n = kmalloc(sizeof(*n), GFP_KERNEL);
	if (!n)
		return -ENOMEM;
	n->d = *d;
	list_add_tail(&n->list, &l->names);
	l->nr_names++;
	return 0;
}

static noinline __maybe_unused int __devtrace_name(u8 kind, u8 group, u32 value, const void *key,
						   const char *name)
{
	struct devtrace_link *l = &__devtrace_link;
	struct devtrace_dict d = {
		.kind = kind,
		.group = group,
		.value = value,
		.key = (unsigned long)key,
	};
	int err = 0, kept;

	if (group > 7 || !*name || strscpy(d.name, name, sizeof(d.name)) < 0)
		return -EINVAL;
	mutex_lock(&l->lock);
	if (l->name)
		err = l->name(&d);
	if (!err) {
		kept = __devtrace_keep_name(l, &d);
		/* The dictionary has the name even if the driver cannot keep it. */
		err = l->name ? 0 : kept;
	}
	mutex_unlock(&l->lock);
	return err;
}

/*
 * Register a type by name. The key of the kept name is the address of the number, which devtrace.ko
 * sets when it connects the table.
 */
static noinline __maybe_unused int devtrace_named_get(struct devtrace_named *type)
{
	struct devtrace_link *l = &__devtrace_link;
	struct devtrace_dict d = {
		.kind = DEVTRACE_T_NAMED,
		.key = (unsigned long)&type->number,
	};
	int number = 0, kept;

	if (!*type->name || strscpy(d.name, type->name, sizeof(d.name)) < 0)
		return -EINVAL;
	mutex_lock(&l->lock);
	if (l->name)
		number = l->name(&d);
	if (number >= 0) {
		kept = __devtrace_keep_name(l, &d);
		/* A number that is not kept would be outdated when devtrace.ko is loaded again. */
		if (kept)
			number = kept;
	}
	if (number > 0)
		WRITE_ONCE(type->number, number);
	mutex_unlock(&l->lock);
	return number;
}

static inline int devtrace_name_obj(const void *obj, const char *name)
{
	return __devtrace_name(DEVTRACE_T_OBJ, 0, 0, obj, name);
}

static inline int devtrace_name_fun(const void *fun, const char *name)
{
	return __devtrace_name(DEVTRACE_T_FUN, 0, 0, fun, name);
}

static inline int devtrace_name_sig(u32 sig, const void *obj, const char *name)
{
	return __devtrace_name(DEVTRACE_T_SIG, 0, sig, obj, name);
}

static inline int devtrace_name_type(u8 type, const char *name)
{
	return __devtrace_name(DEVTRACE_T_USR, 0, type, NULL, name);
}

static inline int devtrace_name_enum(u8 group, u8 value, const char *name)
{
	return __devtrace_name(DEVTRACE_T_ENUM, group, value, NULL, name);
}

#endif /* __DEVTRACE_CALLS_BY_LINK */

#endif /* _LINUX_DEVTRACE_LINK_H */

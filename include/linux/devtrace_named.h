/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Emit events of types that are registered by name
 *
 * <linux/devtrace.h> includes this file, which needs its macros. A driver registers a type once,
 * and then emits its events:
 *
 *	static struct devtrace_named stat = DEVTRACE_NAMED_INIT("PHILO_STAT");
 *
 *	err = devtrace_named_get(&stat);
 *	devtrace_rec_named(&stat, dt_u8(n), dt_u32(meals));
 *
 * Contexts are as in <linux/devtrace.h>: only devtrace_named_get() may sleep.
 */
#ifndef _LINUX_DEVTRACE_NAMED_H
#define _LINUX_DEVTRACE_NAMED_H

#if defined(__DEVTRACE_CALLS_DIRECTLY) || defined(__DEVTRACE_CALLS_BY_LINK)

static inline bool __devtrace_begin_named(struct devtrace_record *r,
					  const struct devtrace_named *type, u16 obj, u16 sig)
{
	const u32 number = READ_ONCE(type->number);

	if (!devtrace_enabled_for(DEVTRACE_T_NAMED, obj))
		return false;
	if (!number)
		return __devtrace_refused("type", 0);
	r->who = __DEVTRACE_CODE | __DEVTRACE_OBJSIG;
	r->type = DEVTRACE_T_NAMED;
	r->full = false;
	r->len = 0;
	devtrace_put(r, __dt_code(number));
	devtrace_put(r, __dt_objsig(obj, sig));
	return true;
}

/**
 * devtrace_begin_named() - begin a record of a type that is registered by name
 * @r: the record, on the caller's stack
 * @type: the type, after devtrace_named_get()
 * @obj: object id; 0: none
 * @sig: signal; 0: none
 *
 * Return: false if the event is not wanted, or if the type has no number: then do not call
 *	devtrace_end().
 */
static __always_inline bool devtrace_begin_named(struct devtrace_record *r,
						 const struct devtrace_named *type,
						 unsigned int obj, unsigned int sig)
{
	__devtrace_check_objsig(obj);
	__devtrace_check_objsig(sig);
	return __devtrace_objsig_fits(obj) && __devtrace_objsig_fits(sig) &&
	       __devtrace_begin_named(r, type, obj, sig);
}

/**
 * devtrace_rec_named() - emit a record of a type that is registered by name
 * @type: struct devtrace_named *, after devtrace_named_get()
 * @...: up to ten elements
 */
#define devtrace_rec_named(type, ...) do {				\
	if (devtrace_enabled(DEVTRACE_T_NAMED)) {			\
		const u32 __number = READ_ONCE((type)->number);		\
									\
		if (likely(__number) || __devtrace_refused("type", 0))	\
			__devtrace_store(__devtrace_reserve_for,	\
				DEVTRACE_T_NAMED, __DEVTRACE_CODE,	\
				__number, __dt_code(__number), ##__VA_ARGS__); \
	}								\
} while (0)

#define __DT_PUT(n, e)		devtrace_put(&__r, e);

/**
 * devtrace_rec_named_for() - emit a record of a type that is registered by name, about an object
 * @type: struct devtrace_named *, after devtrace_named_get()
 * @obj: object id, 16 bits
 * @sig: signal, 16 bits
 * @...: up to ten elements
 */
#define devtrace_rec_named_for(type, obj, sig, ...) do {		\
	BUILD_BUG_ON_MSG(__DT_COUNT(__VA_ARGS__) > 10, "an event has up to ten elements"); \
	if (devtrace_enabled(DEVTRACE_T_NAMED)) {			\
		struct devtrace_record __r;				\
									\
		if (devtrace_begin_named(&__r, type, obj, sig)) {	\
			__DT_EACH(__DT_PUT, ##__VA_ARGS__)		\
			devtrace_end(&__r);				\
		}							\
	}								\
} while (0)

#ifdef __DEVTRACE_CALLS_DIRECTLY
/*
 * Register the name of a type, and store its number in the structure, which stays in use until the
 * driver is removed. The same name has the same number in all drivers and programs. Return the
 * number, 256 to 65535; 0 if devtrace.ko is not loaded yet: it sets the number when it is; -EINVAL
 * (the name is empty or too long), -ENOSPC (too many types), -EINTR or -ENOMEM.
 */
int devtrace_named_get(struct devtrace_named *type);
#endif

#else /* no calls */

#define devtrace_rec_named(type, ...)	\
	__devtrace_nothing(type, ##__VA_ARGS__)
#define devtrace_rec_named_for(type, obj, sig, ...) do {		\
	__devtrace_nothing(type, obj, sig);				\
	__devtrace_nothing(__VA_ARGS__);				\
} while (0)

static inline bool devtrace_begin_named(struct devtrace_record *r,
					const struct devtrace_named *type, u16 obj, u16 sig)
{
	return false;
}

static inline int devtrace_named_get(struct devtrace_named *type) { return 0; }

#endif /* no calls */

#endif /* _LINUX_DEVTRACE_NAMED_H */

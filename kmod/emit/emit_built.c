// SPDX-License-Identifier: GPL-2.0-only
/*
 * Events of the kernel that are already built
 *
 * The caller has the payload in memory. emit.c reserves room for it, unless the event has both a
 * code and an object: then the whole payload is needed to judge it, and store.c copies it.
 *
 * notrace: see emit/emit.c.
 */
#include <linux/bug.h>
#include <linux/export.h>
#include <linux/preempt.h>
#include <linux/sched.h>
#include <linux/string.h>

#include "compat/compat.h"
#include "counts.h"
#include "emit.h"
#include "event.h"
#include "proc.h"
#include "store.h"
#include "stream/rings.h"

/*
 * Emit an event with a code and an object: a key has room for only one of both, so judge the event
 * by its payload.
 */
static noinline notrace void emit_both(unsigned int type, u32 who, const void *data,
				       unsigned int len)
{
	if (WARN_ON_ONCE(len < 2 * sizeof(u32)))
		return;
	preempt_disable_notrace();
	who |= emit_context();
	if (RING_NO_NMI && unlikely(preempt_count() & NMI_MASK)) {
		ring_count_inc_nmi(&__this_cpu_read(devtrace_ring)->dropped[RING_DROP_BUSY]);
	} else {
		devtrace_proc_seen(current);
		store_all(emit_wants(type, who, data), &(struct event){ type, who, len, data });
	}
	preempt_enable_notrace();
}

/**
 * __devtrace_emit() - emit an event that is already built
 * @type: event type
 * @who: __DEVTRACE_* flags and severity
 * @data: payload
 * @len: bytes of payload
 */
notrace void __devtrace_emit(unsigned int type, u32 who, const void *data, unsigned int len)
{
	const u32 both = __DEVTRACE_CODE | __DEVTRACE_OBJSIG;
	u32 key = 0;
	void *p;

	/* The type may be a variable, so it cannot be checked at compile time. */
	if (unlikely(!__devtrace_type_ok(type))) {
		emit_not_wanted(DEVTRACE_T_EMPTY);
		return;
	}
	if (unlikely((who & both) == both)) {
		emit_both(type, who, data, len);
		return;
	}
	if (who & both && !WARN_ON_ONCE(len < sizeof(key)))
		key = get_unaligned_le32(data);
	p = __devtrace_reserve_for(type, who, len, key);
	if (p) {
		memcpy(p, data, len);
		__devtrace_commit();
	}
}
EXPORT_SYMBOL_GPL(__devtrace_emit);

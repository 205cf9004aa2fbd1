// SPDX-License-Identifier: GPL-2.0-only
/*
 * Limit how many faults of a user's programs are recorded
 *
 * A user without any right to the device can crash its own programs in a loop. So each user except
 * root may cause BURST recorded faults at once, and one more every INTERVAL ticks. Further faults
 * are only counted, and an event reports the count, at most once a second.
 *
 * The table of users is bounded. An entry can be given to another user when its present user may
 * cause BURST faults again and the present count was reported. Users that find no entry share the
 * last one. So all users together cause at most PLACES + 1 times the faults of one user.
 *
 * Each entry has two words, and both contain the user: if an entry changes its user while a fault
 * is counted, the count does not go to the wrong user. The code takes no lock and allocates
 * nothing, because a fault may be reported in any context but NMI.
 */
#include <linux/atomic.h>
#include <linux/irq_work.h>
#include <linux/jiffies.h>
#include <linux/moduleparam.h>
#include <linux/sysfs.h>
#include <linux/timekeeping.h>
#include <linux/uidgid.h>
#include <linux/workqueue.h>

#include "faults.h"

#define PLACES		64
#define TICK_SHIFT	24	/* a tick is 2^24 ns, or 17 ms; 32 bits count two years */
#define BURST		100
#define INTERVAL	30	/* ticks: half a second */
#define USERS		U32_MAX	/* stands for several users together */

/**
 * struct limit_place - a user whose faults are limited
 * @full: upper half: the user; lower half: the tick at which it may cause BURST faults again
 * @untold: upper half: the user; lower half: number of faults neither recorded nor reported yet
 */
struct limit_place {
	atomic64_t	full;
	atomic64_t	untold;
};

/* Users that find no entry of their own share the last one. */
static struct limit_place places[PLACES + 1];
static atomic64_t limited;
static bool telling;

static int limited_get(char *buf, const struct kernel_param *kp)
{
	return sysfs_emit(buf, "%lld\n", (long long)atomic64_read(&limited));
}

static const struct kernel_param_ops limited_ops = { .get = limited_get };
module_param_cb(faults_limited, &limited_ops, NULL, 0444);
MODULE_PARM_DESC(faults_limited, "number of faults of programs that were not recorded, because their user caused too many");

static u64 limit_word(u32 uid, u32 value)
{
	return (u64)uid << 32 | value;
}

/*
 * Return the number of ticks until BURST faults are allowed again. If @full is long ago, the
 * difference may wrap to a large number; this means 0.
 */
static u32 limit_ahead(u64 full, u32 now)
{
	const u32 ahead = (u32)full - now;

	return ahead <= BURST * INTERVAL ? ahead : 0;
}

static bool limit_is_free(const struct limit_place *p, u32 now)
{
	return !limit_ahead(atomic64_read(&p->full), now) && !(u32)atomic64_read(&p->untold);
}

/* Find the entry of a user, or else a free one, into which limit_take() then writes the user. */
static struct limit_place *limit_find(u32 uid, u32 now)
{
	struct limit_place *free = &places[PLACES];
	unsigned int i;

	for (i = 0; i < PLACES; i++) {
		if ((u64)atomic64_read(&places[i].full) >> 32 == uid)
			return &places[i];
		if (free == &places[PLACES] && limit_is_free(&places[i], now))
			free = &places[i];
	}
	return free;
}

/*
 * May the user cause one more fault? Return 1: yes, and this fault is counted; 0: no; -EAGAIN:
 * another user has taken the entry, so find one again.
 */
static int limit_take(struct limit_place *p, u32 uid, u32 now)
{
	const u64 old = atomic64_read(&p->full);
	const u32 ahead = limit_ahead(old, now);

	if (p != &places[PLACES] && old >> 32 != uid && ahead)
		return -EAGAIN;
	if (ahead > (BURST - 1) * INTERVAL)
		return 0;
	if (atomic64_cmpxchg(&p->full, old, limit_word(uid, now + ahead + INTERVAL)) != old)
		return -EAGAIN;
	return 1;
}

/* Add to the count of a user, unless the entry has the count of another user. */
static bool limit_add(struct limit_place *p, u32 uid, u32 n)
{
	u64 old, new;

	do {
		old = atomic64_read(&p->untold);
		if ((u32)old && old >> 32 != uid)
			return false;
		new = limit_word(uid, (u32)old + n);
	} while (atomic64_cmpxchg(&p->untold, old, new) != old);
	return true;
}

static void limit_count(struct limit_place *p, u32 uid, u32 n)
{
	/* The last entry counts for several users. */
	if (p == &places[PLACES] || !limit_add(p, uid, n))
		limit_add(&places[PLACES], USERS, n);
}

/* Report one count. If no stream wants the event, keep the count. */
static void limit_tell_of(struct limit_place *p)
{
	const u64 word = atomic64_xchg(&p->untold, 0);
	const bool several = word >> 32 == USERS;
	struct devtrace_record r;

	if (!(u32)word)
		return;
	if (!fault_begin(&r, DEVTRACE_SW1, DEVTRACE_FAULT_LIMIT, several)) {
		limit_count(p, word >> 32, (u32)word);
		return;
	}
	if (!several)
		devtrace_put(&r, dt_u32(word >> 32));
	devtrace_put(&r, dt_u32((u32)word));
	devtrace_end(&r);
}

/* Report how many faults were not recorded. Any context. */
void fault_limit_tell(void)
{
	unsigned int i;

	for (i = 0; i <= PLACES; i++)
		limit_tell_of(&places[i]);
}

static void limit_work(struct work_struct *work)
{
	/*
	 * Each count added before the exchange is reported now; a later one queues the work again.
	 */
	xchg(&telling, false);
	fault_limit_tell();
}

static DECLARE_DELAYED_WORK(tell_work, limit_work);

static void limit_kick(struct irq_work *work)
{
	schedule_delayed_work(&tell_work, HZ);
}

static struct irq_work kick;

/**
 * fault_limit() - may a fault of a user's program be recorded?
 * @user: the real user of the program
 *
 * Counts the fault if the limit refuses it. Call this only for a fault that a stream wants.
 *
 * Context: any but NMI.
 */
bool fault_limit(kuid_t user)
{
	const u32 uid = __kuid_val(user);
	const u32 now = ktime_get_ns() >> TICK_SHIFT;
	struct limit_place *p;
	int room;

	if (uid_eq(user, GLOBAL_ROOT_UID))
		return true;
	do {
		p = limit_find(uid, now);
		room = limit_take(p, uid, now);
	} while (room < 0);
	if (room)
		return true;
	atomic64_inc(&limited);
	limit_count(p, uid, 1);
	/* The count was added before the exchange. Pairs with the exchange in limit_work(). */
	if (!xchg(&telling, true))
		irq_work_queue(&kick);
	return false;
}

void fault_limit_init(void)
{
	init_irq_work(&kick, limit_kick);
}

/* Called when faults begin to be recorded. Process context. */
void fault_limit_on(void)
{
	/* Report the counts that fault_limit_off() has left. */
	if (atomic64_read(&limited))
		schedule_delayed_work(&tell_work, HZ);
}

/*
 * Called in process context when no source runs any more, so that no fault is recorded. The counts
 * that are left are reported when faults are recorded again.
 */
void fault_limit_off(void)
{
	irq_work_sync(&kick);
	cancel_delayed_work_sync(&tell_work);
	WRITE_ONCE(telling, false);
}

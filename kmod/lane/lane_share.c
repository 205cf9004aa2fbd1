// SPDX-License-Identifier: GPL-2.0-only
/* Limits of lanes: for a process, for a user, and for all */
#include <linux/kernel.h>
#include <linux/mm.h>
#include <linux/moduleparam.h>
#include <linux/rbtree.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/string.h>

#include "lane.h"
#include "lane_share.h"
#include "ring/size.h"
#include "slot.h"

/*
 * The bytes of all lanes whose memory is not freed yet: for each user and process that has lanes
 * (@shares), for all users but root (common_bytes), and for all users. Protected by lanes_lock,
 * which is held for a walk down a tree of at most 2 * SLOTS_MAX nodes.
 */
static DEFINE_RAW_SPINLOCK(lanes_lock);
static struct rb_root shares = RB_ROOT;
static u64 all_bytes, common_bytes;
static unsigned int common_nr;

#define ROOT	0

/* Numbers of the parameter lane_limits, in this order. */
enum { OF_ALL, OF_USER, OF_PROCESS, LIMITS };

/* Size of the longest number that devtrace_size_parse() takes, with the comma or NUL behind it. */
#define LIMIT_LEN	32

static unsigned long lane_limits[LIMITS];
static bool lane_limits_given;

/* The first @given numbers of @limit are set: compute the others, see trace(4). */
static void limits_complete(unsigned long *limit, int given)
{
	const unsigned long all = limit[OF_ALL];

	if (given <= OF_USER)
		limit[OF_USER] = clamp(16UL << 20, all / 4, all / 2);
	if (given <= OF_PROCESS)
		limit[OF_PROCESS] = min(clamp(4UL << 20, all / 16, all / 4), limit[OF_USER]);
}

/* Serialized by the lock of the module's parameters. */
static void limits_store(const unsigned long *limit)
{
	int i;

	for (i = 0; i < LIMITS; i++)
		WRITE_ONCE(lane_limits[i], limit[i]);
	lane_limits_given = true;
}

static int limits_set(const char *val, const struct kernel_param *kp)
{
	char words[LIMITS * LIMIT_LEN], *rest = words;
	unsigned long limit[LIMITS];
	int n = 0, err;
	u64 bytes;

	if (strscpy(words, val, sizeof(words)) < 0)
		return -EINVAL;
	while (rest) {
		err = n < LIMITS ? devtrace_size_parse(strsep(&rest, ","), &bytes) : -EINVAL;
		if (err || bytes > ULONG_MAX)
			return -EINVAL;
		limit[n++] = bytes;
	}
	limits_complete(limit, n);
	limits_store(limit);
	return 0;
}

static int limits_get(char *buf, const struct kernel_param *kp)
{
	return scnprintf(buf, PAGE_SIZE, "%lu,%lu,%lu\n", lane_limits[OF_ALL],
			 lane_limits[OF_USER], lane_limits[OF_PROCESS]);
}

static const struct kernel_param_ops limits_ops = {
	.set = limits_set,
	.get = limits_get,
};

module_param_cb(lane_limits, &limits_ops, NULL, 0644);
MODULE_PARM_DESC(lane_limits, "ALL[,USER[,PROCESS]]: limits, in bytes, for the lanes of all users, of a user and of a process (default 64M,16M,4M, or less if there is little RAM)");

/* Default limits depend on the RAM, so that lanes do not use up a small board's memory. */
void __init lane_limits_init(void)
{
	u64 eighth = (u64)totalram_pages() << PAGE_SHIFT >> 3;
	unsigned long limit[LIMITS] = { min_t(u64, 64 << 20, eighth) };

	if (lane_limits_given)
		return;
	limits_complete(limit, 1);
	limits_store(limit);
}

/*
 * Root keeps a quarter. Another user may hold at most as much as stays free: each newcomer can get
 * half of the remainder. @his and @common, the sum for all users but root, include the request.
 */
static bool is_fair(u64 his, u64 common, u64 limit)
{
	return his + common <= limit - limit / 4;
}

/**
 * struct share - what a user, or one of the user's processes, holds
 * @node: in @shares
 * @key: the user in the high half; the process, or 0, in the low half
 * @bytes: size of all its lanes
 * @nr: number of its lanes; the share is freed with the last one
 */
struct share {
	struct rb_node	node;
	u64		key;
	u64		bytes;
	unsigned int	nr;
};

/* Find the share of a user or process, or insert *@new and set it to NULL. */
static struct share *share_get(u32 owner, u32 tgid, struct share **new)
{
	struct rb_node **p = &shares.rb_node, *parent = NULL;
	const u64 key = (u64)owner << 32 | tgid;
	struct share *s;

	lockdep_assert_held(&lanes_lock);
	while (*p) {
		parent = *p;
		s = rb_entry(parent, struct share, node);
		if (s->key == key)
			return s;
		p = key < s->key ? &parent->rb_left : &parent->rb_right;
	}
	s = *new;
	*new = NULL;
	s->key = key;
	rb_link_node(&s->node, parent, p);
	rb_insert_color(&s->node, &shares);
	return s;
}

static void share_add(struct share *s, const struct lane *l)
{
	s->bytes += l->bytes;
	s->nr++;
}

/* If the share is unused, unlink it and return it for the caller to free, otherwise NULL. */
static struct share *share_unused(struct share *s)
{
	if (s->nr)
		return NULL;
	rb_erase(&s->node, &shares);
	return s;
}

static struct share *share_sub(struct share *s, const struct lane *l)
{
	s->bytes -= l->bytes;
	s->nr--;
	return share_unused(s);
}

/* Do the limits of the process, of its user and of all users together allow this lane? */
static bool has_share(const struct lane *l, const struct share *user, const struct share *process)
{
	const u64 his = user->bytes + l->bytes, all = READ_ONCE(lane_limits[OF_ALL]);

	if (process->bytes + l->bytes > READ_ONCE(lane_limits[OF_PROCESS]) ||
	    his > READ_ONCE(lane_limits[OF_USER]) || all_bytes + l->bytes > all)
		return false;
	return l->owner == ROOT ||
	       (is_fair(his, common_bytes + l->bytes, all) &&
		is_fair(user->nr + 1, common_nr + 1, SLOTS_MAX));
}

/*
 * Count a lane, if the limits allow it. Return 0; -ENOSPC: a limit is reached; -ENOMEM. Process
 * context.
 */
int lane_share_reserve(struct lane *l)
{
	struct share *user = kzalloc(sizeof(*user), GFP_KERNEL_ACCOUNT), *no_user = NULL;
	struct share *process = kzalloc(sizeof(*process), GFP_KERNEL_ACCOUNT), *no_process = NULL;
	int err = -ENOMEM;

	if (!user || !process)
		goto out;
	raw_spin_lock(&lanes_lock);
	l->user = share_get(l->owner, 0, &user);
	l->process = share_get(l->owner, l->tgid, &process);
	err = has_share(l, l->user, l->process) ? 0 : -ENOSPC;
	if (err) {
		no_user = share_unused(l->user);
		no_process = share_unused(l->process);
	} else {
		share_add(l->user, l);
		share_add(l->process, l);
		all_bytes += l->bytes;
		common_bytes += l->owner == ROOT ? 0 : l->bytes;
		common_nr += l->owner != ROOT;
	}
	raw_spin_unlock(&lanes_lock);
	kfree(no_user);
	kfree(no_process);
out:
	kfree(user);
	kfree(process);
	return err;
}

/* Stop counting a lane whose memory was freed. Process context. */
void lane_share_return(struct lane *l)
{
	struct share *user, *process;

	raw_spin_lock(&lanes_lock);
	user = share_sub(l->user, l);
	process = share_sub(l->process, l);
	all_bytes -= l->bytes;
	common_bytes -= l->owner == ROOT ? 0 : l->bytes;
	common_nr -= l->owner != ROOT;
	raw_spin_unlock(&lanes_lock);
	kfree(user);
	kfree(process);
}

void lane_shares_exit(void)
{
	WARN_ON(!RB_EMPTY_ROOT(&shares));
}

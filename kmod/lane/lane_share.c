// SPDX-License-Identifier: GPL-2.0-only
/* Limits of lanes: for a process, for a user, and for all */
#include <linux/mm.h>
#include <linux/moduleparam.h>
#include <linux/rbtree.h>
#include <linux/slab.h>
#include <linux/spinlock.h>

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

/* Value of a limit before lane_limits_init(), if no module parameter has set it. */
#define NOT_GIVEN	ULONG_MAX

static unsigned long lane_process = NOT_GIVEN;
static unsigned long lane_user = NOT_GIVEN;
static unsigned long lane_all = NOT_GIVEN;

module_param_cb(lane_process, &devtrace_size_ops, &lane_process, 0644);
MODULE_PARM_DESC(lane_process, "bytes of all lanes of a process (default 4M, or a 32nd of the RAM)");
module_param_cb(lane_user, &devtrace_size_ops, &lane_user, 0644);
MODULE_PARM_DESC(lane_user, "bytes of all lanes of a user (default 16M, or a 16th of the RAM)");
module_param_cb(lane_all, &devtrace_size_ops, &lane_all, 0644);
MODULE_PARM_DESC(lane_all, "bytes of all lanes together (default 64M, or an eighth of the RAM)");

/* Default limits depend on the RAM, so that lanes do not use up a small board's memory. */
void __init lane_limits_init(void)
{
	u64 eighth = (u64)totalram_pages() << PAGE_SHIFT >> 3;
	unsigned long all = min_t(u64, 64 << 20, eighth);

	if (lane_all == NOT_GIVEN)
		lane_all = all;
	if (lane_user == NOT_GIVEN)
		lane_user = min(16UL << 20, all / 2);
	if (lane_process == NOT_GIVEN)
		lane_process = min(4UL << 20, all / 4);
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

/* Do the limits of the user, of the process and of all allow the lane? */
static bool has_share(const struct lane *l, const struct share *user, const struct share *process)
{
	const u64 his = user->bytes + l->bytes;

	if (process->bytes + l->bytes > READ_ONCE(lane_process) || his > READ_ONCE(lane_user) ||
	    all_bytes + l->bytes > READ_ONCE(lane_all))
		return false;
	return l->owner == ROOT ||
	       (is_fair(his, common_bytes + l->bytes, READ_ONCE(lane_all)) &&
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

/* Stop counting a lane; its memory is freed. Process context. */
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

// SPDX-License-Identifier: GPL-2.0-only
/*
 * Lanes: made, mapped, dead, and gone
 *
 * Pages are not inserted but given by a fault handler, so that fork(2) copies none:
 * in the child it gives pages of its own that belong to no lane, and a first one that
 * says so. A page that somebody pins outlives its lane, and nobody reads it any more.
 */
#include <linux/anon_inodes.h>
#include <linux/cred.h>
#include <linux/ctype.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/highmem.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/moduleparam.h>
#include <linux/overflow.h>
#include <linux/sched/mm.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/vmalloc.h>

#include "compat.h"
#include "core.h"
#include "lane.h"
#include "lane_wake.h"
#include "proc.h"
#include "reader.h"
#include "stream_priv.h"

/* Its pages: what the kernel says, what the thread says, the blocks. */
#define PAGE_OF_HEAD	1
#define PAGES_BEFORE	2

LIST_HEAD(devtrace_lanes);
unsigned int devtrace_lanes_changes;

static DEFINE_MUTEX(lanes_lock);
/* Of mm: whoever found it to be his may take a page before the lane is dead. */
static DEFINE_SPINLOCK(mm_lock);
static DECLARE_BITMAP(sources, LANES_MAX);
static unsigned int next_source;
static u64 serial;
static atomic64_t deaths;
static u32 first_block = 1;

/* Events of lanes that are gone; with layout. */
static u64 gone_events, gone_filtered;

static unsigned long lane_size = 64 << 10;
static unsigned long lane_process = 4 << 20;
static unsigned long lane_user = 16 << 20;
static unsigned long lane_all = 64 << 20;

/* memparse() does not say when it is too much. */
static int size_set(const char *val, const struct kernel_param *kp)
{
	static const char suffixes[] = "KMG";
	const char *suffix;
	char digits[32];
	unsigned long n;
	size_t len;

	if (strscpy(digits, val, sizeof(digits)) < 0)
		return -EINVAL;
	len = strcspn(digits, "\n");
	if (val[len] && val[len + 1])
		return -EINVAL;
	digits[len] = 0;
	suffix = len ? strchr(suffixes, toupper(digits[len - 1])) : NULL;
	if (suffix)
		digits[len - 1] = 0;
	if (kstrtoul(digits, 0, &n) ||
	    (suffix && check_shl_overflow(n, 10 * (suffix - suffixes + 1), &n)))
		return -EINVAL;
	WRITE_ONCE(*(unsigned long *)kp->arg, n);
	return 0;
}

static const struct kernel_param_ops size_ops = {
	.set = size_set,
	.get = param_get_ulong,
};

module_param_cb(lane_size, &size_ops, &lane_size, 0644);
MODULE_PARM_DESC(lane_size, "bytes of a lane if its program does not say, 0: none (default 64K)");
module_param_cb(lane_process, &size_ops, &lane_process, 0644);
MODULE_PARM_DESC(lane_process, "bytes of all lanes of a process (default 4M)");
module_param_cb(lane_user, &size_ops, &lane_user, 0644);
MODULE_PARM_DESC(lane_user, "bytes of all lanes of a user (default 16M)");
module_param_cb(lane_all, &size_ops, &lane_all, 0644);
MODULE_PARM_DESC(lane_all, "bytes of all lanes together (default 64M)");

static struct devtrace_lane_page *lane_page(const struct lane *l)
{
	return (struct devtrace_lane_page *)l->memory;
}

static void lane_free(struct kref *ref)
{
	struct lane *l = container_of(ref, struct lane, ref);

	vfree(l->memory);
	put_pid(l->pid);
	if (l->mm)
		mmdrop(l->mm);
	kfree(l);
}

/**
 * lane_put() - a lane is not needed any more
 * @l: of lane_get()
 */
void lane_put(struct lane *l)
{
	kref_put(&l->ref, lane_free);
}

/**
 * lane_close() - its thread is to write no more
 * @l: the lane, layout held
 *
 * The thread sees it, and emits by system calls.
 */
void lane_close(struct lane *l)
{
	/* A reader has copied from it, and its memory went before it looked. */
	if (l->gone)
		return;
	WRITE_ONCE(lane_page(l)->state, DEVTRACE_LANE_CLOSED);
	lane_wake_closed(l);
}

/**
 * lane_count_filtered() - an event was written when it was not wanted any more
 * @l: the lane
 * @idx: its number; however many readers find it, it is counted once
 */
void lane_count_filtered(struct lane *l, u64 idx)
{
	const u64 to = atomic64_read(&l->filtered_to);

	if (idx > to && atomic64_cmpxchg(&l->filtered_to, to, idx) == to)
		atomic64_inc(&l->filtered);
}

/* Nobody can write into it any more, or never could. Once. */
static void lane_die(struct lane *l)
{
	struct mm_struct *mm = l->mm;

	if (!mm)
		return;
	lane_wake_closed(l);
	l->died = atomic64_inc_return(&deaths);
	WRITE_ONCE(lane_page(l)->state, DEVTRACE_LANE_CLOSED);
	spin_lock(&mm_lock);
	/* LMM(lane:A): all that was written before it is dead; pairs with lane:B. */
	smp_store_release(&l->mm, NULL);
	spin_unlock(&mm_lock);
	mmdrop(mm);
}

/* The mapping. */

/* That of a child of fork(2) is none of ours. */
static bool maps_blocks(const struct vm_area_struct *vma, const struct lane *l)
{
	return vma->vm_pgoff == PAGE_OF_HEAD && vma->vm_mm == READ_ONCE(l->mm);
}

/* mremap(2) makes one before it asks us, and drops it again. */
static void lane_vma_open(struct vm_area_struct *vma)
{
	struct lane *l = vma->vm_private_data;

	if (maps_blocks(vma, l))
		atomic_inc(&l->maps);
}

static void lane_vma_close(struct vm_area_struct *vma)
{
	struct lane *l = vma->vm_private_data;

	if (maps_blocks(vma, l) && atomic_dec_and_test(&l->maps))
		lane_die(l);
}

static int lane_vma_may_split(struct vm_area_struct *vma, unsigned long addr)
{
	return -EINVAL;
}

static int lane_vma_mremap(struct vm_area_struct *vma)
{
	return -EINVAL;
}

static vm_fault_t lane_vma_fault(struct vm_fault *vmf)
{
	struct lane *l = vmf->vma->vm_private_data;
	struct page *page = NULL;

	if (vmf->pgoff >= l->bytes >> PAGE_SHIFT)
		return VM_FAULT_SIGBUS;
	/* munmap(2) of the blocks lets faults in the first page go on. */
	spin_lock(&mm_lock);
	if (vmf->vma->vm_mm == l->mm) {
		page = vmalloc_to_page(l->memory + (vmf->pgoff << PAGE_SHIFT));
		get_page(page);
	}
	spin_unlock(&mm_lock);
	/* All of it is zero: closed, and nothing that is read by anybody. */
	if (!page)
		page = alloc_page(GFP_HIGHUSER | __GFP_ZERO | __GFP_ACCOUNT);
	if (!page)
		return VM_FAULT_OOM;
	vmf->page = page;
	return 0;
}

static const struct vm_operations_struct lane_vm_ops = {
	.open		= lane_vma_open,
	.close		= lane_vma_close,
	.compat_may_split = lane_vma_may_split,
	.mremap		= lane_vma_mremap,
	.fault		= lane_vma_fault,
};

static int lane_mmap(struct file *file, struct vm_area_struct *vma)
{
	struct lane *l = file->private_data;
	const unsigned long pages = vma_pages(vma);

	if (vma->vm_mm != READ_ONCE(l->mm))
		return -EPERM;
	if (!(vma->vm_flags & VM_SHARED) || vma->vm_flags & VM_EXEC)
		return -EINVAL;
	if (vma->vm_pgoff == 0 && pages == 1) {
		if (vma->vm_flags & VM_WRITE)
			return -EPERM;
		compat_vm_flags(vma, VM_DONTEXPAND, VM_MAYWRITE | VM_MAYEXEC);
	} else if (vma->vm_pgoff == PAGE_OF_HEAD && pages == (l->bytes >> PAGE_SHIFT) - 1) {
		if (test_and_set_bit(0, &l->mapped))
			return -EBUSY;
		atomic_set(&l->maps, 1);
		compat_vm_flags(vma, VM_DONTEXPAND, VM_MAYEXEC);
	} else {
		return -EINVAL;
	}
	vma->vm_ops = &lane_vm_ops;
	vma->vm_private_data = l;
	return 0;
}

/* Neither a descriptor nor a mapping is left, in any process. */
static int lane_release(struct inode *inode, struct file *file)
{
	struct lane *l = file->private_data;

	/* It was never mapped. */
	lane_die(l);
	lane_put(l);
	return 0;
}

static const struct file_operations lane_fops = {
	.owner		= THIS_MODULE,
	.mmap		= lane_mmap,
	.release	= lane_release,
	.llseek		= noop_llseek,
};

/* Memory, and its limits. */

/* Its memory is needed; lanes_lock and layout are held. */
static void lane_go(struct lane *l)
{
	static u8 buf[DEVTRACE_LANE_BLOCK];
	struct lane_place end = { 0 };

	/* If it makes no sense nobody believed in it. */
	l->total = lane_end(&l->mem, &end, buf) ? 0 : end.idx;
	gone_events += l->total;
	gone_filtered += min_t(u64, l->total, atomic64_read(&l->filtered));
	readers_lane_goes(l);
	l->gone = true;
	list_del(&l->list);
	WRITE_ONCE(devtrace_lanes_changes, devtrace_lanes_changes + 1);
	vfree(l->memory);
	l->memory = NULL;
	clear_bit(l->source - nr_cpu_ids, sources);
	lane_put(l);
}

struct lane_use {
	u64		all, user, process;
	u64		all_idle, user_idle, process_idle;
	struct lane	*all_dead, *user_dead, *process_dead;
};

static struct lane *older(struct lane *a, struct lane *b)
{
	return !a || b->died < a->died ? b : a;
}

/* What there is, and what of it could go, of whom. */
static void lanes_use(struct lane_use *use)
{
	const kuid_t uid = current_uid();
	struct lane *l;

	memset(use, 0, sizeof(*use));
	list_for_each_entry(l, &devtrace_lanes, list) {
		/* LMM(lane:B): whatever it did is over; pairs with lane:A. */
		const bool dead = !smp_load_acquire(&l->mm);

		use->all += l->bytes;
		use->all_idle += dead ? l->bytes : 0;
		if (dead)
			use->all_dead = older(use->all_dead, l);
		if (!uid_eq(l->uid, uid))
			continue;
		use->user += l->bytes;
		use->user_idle += dead ? l->bytes : 0;
		if (dead)
			use->user_dead = older(use->user_dead, l);
		if (l->tgid != task_tgid_nr(current))
			continue;
		use->process += l->bytes;
		use->process_idle += dead ? l->bytes : 0;
		if (dead)
			use->process_dead = older(use->process_dead, l);
	}
}

/* Make room for so many bytes more; lanes_lock is held. */
static int lanes_make_room(u64 bytes)
{
	struct lane_use use;
	struct lane *victim;

	for (;;) {
		lanes_use(&use);
		/* None goes for nothing. */
		if (use.process - use.process_idle + bytes > READ_ONCE(lane_process) ||
		    use.user - use.user_idle + bytes > READ_ONCE(lane_user) ||
		    use.all - use.all_idle + bytes > READ_ONCE(lane_all))
			return -ENOSPC;
		if (use.process + bytes > READ_ONCE(lane_process))
			victim = use.process_dead;
		else if (use.user + bytes > READ_ONCE(lane_user))
			victim = use.user_dead;
		else if (use.all + bytes > READ_ONCE(lane_all) ||
			 bitmap_full(sources, LANES_MAX))
			victim = use.all_dead;
		else
			return 0;
		if (!victim)
			return -ENOSPC;
		down_write(&devtrace_stream0.layout);
		lane_go(victim);
		up_write(&devtrace_stream0.layout);
	}
}

static int size_of(u32 want, u32 *bytes)
{
	unsigned long n = want ?: READ_ONCE(lane_size);

	if (!n)
		return -ENOSPC;
	if (want && (want < DEVTRACE_LANE_MIN || want > DEVTRACE_LANE_MAX))
		return -EINVAL;
	n = clamp_t(unsigned long, n, max_t(unsigned long, DEVTRACE_LANE_MIN, PAGE_SIZE),
		    DEVTRACE_LANE_MAX);
	*bytes = roundup_pow_of_two(n);
	return 0;
}

/* Numbers that no block in that place can have, so that none counts as written. */
static void lane_format(struct lane *l)
{
	struct devtrace_lane_head *head = (void *)(l->memory + PAGE_OF_HEAD * PAGE_SIZE);
	struct devtrace_lane_block *b;
	u32 i;

	head->open = l->mem.first - 1;
	for (i = 0; i < l->mem.nr; i++) {
		b = (void *)(l->mem.blocks + (size_t)i * DEVTRACE_LANE_BLOCK);
		b->number = ~i;
	}
}

static struct lane *lane_alloc(u32 bytes)
{
	struct lane *l = kzalloc(sizeof(*l), GFP_KERNEL_ACCOUNT);

	if (!l)
		return NULL;
	l->bytes = bytes + PAGES_BEFORE * PAGE_SIZE;
	/* Rather no lane than other programs killed to make room for it. */
	l->memory = __vmalloc(l->bytes, GFP_KERNEL_ACCOUNT | __GFP_ZERO | __GFP_RETRY_MAYFAIL |
				       __GFP_NOWARN);
	if (!l->memory) {
		kfree(l);
		return NULL;
	}
	l->mem.head = (void *)(l->memory + PAGE_OF_HEAD * PAGE_SIZE);
	l->mem.blocks = l->memory + PAGES_BEFORE * PAGE_SIZE;
	l->mem.nr = bytes / DEVTRACE_LANE_BLOCK;
	l->mem.first = first_block;
	lane_format(l);
	kref_init(&l->ref);
	INIT_LIST_HEAD(&l->awake);
	l->tid = task_pid_nr(current);
	l->tgid = task_tgid_nr(current);
	l->pid = get_pid(task_pid(current));
	l->uid = current_uid();
	l->mm = current->mm;
	mmgrab(l->mm);
	return l;
}

/* With lanes_lock, and room for a source. */
static void lane_add(struct lane *l)
{
	struct devtrace_lane_page *page = lane_page(l);

	next_source = find_next_zero_bit(sources, LANES_MAX, next_source);
	if (next_source == LANES_MAX)
		next_source = find_first_zero_bit(sources, LANES_MAX);
	__set_bit(next_source, sources);
	l->source = nr_cpu_ids + next_source++;
	l->serial = ++serial;
	l->made = devtrace_clock();

	page->blocks = l->mem.nr;
	page->first = l->mem.first;
	page->source = l->source;
	page->tid = l->tid;
	page->state = DEVTRACE_LANE_OPEN;

	preempt_disable();
	devtrace_proc_seen(current);
	preempt_enable();

	down_write(&devtrace_stream0.layout);
	list_add_tail(&l->list, &devtrace_lanes);
	WRITE_ONCE(devtrace_lanes_changes, devtrace_lanes_changes + 1);
	up_write(&devtrace_stream0.layout);
}

/**
 * lane_new() - a lane for the calling thread
 * @arg: what is asked for; filled in
 * @file: to be mapped
 *
 * Context: process.
 * Return: 0; -EINVAL: no such size; -ENOSPC: the administrator allows no more;
 * -ENOMEM, -ENFILE.
 */
int lane_new(struct devtrace_lane_ask *arg, struct file **file)
{
	struct lane *l;
	u32 bytes;
	int err;

	err = size_of(arg->bytes, &bytes);
	if (err)
		return err;
	if (!current->mm)
		return -EINVAL;
	l = lane_alloc(bytes);
	if (!l)
		return -ENOMEM;
	*file = anon_inode_getfile("[trace-lane]", &lane_fops, l, O_RDWR);
	if (IS_ERR(*file)) {
		lane_put(l);
		return PTR_ERR(*file);
	}
	mutex_lock(&lanes_lock);
	err = lanes_make_room(l->bytes);
	if (!err)
		lane_add(lane_get(l));
	mutex_unlock(&lanes_lock);
	if (err) {
		fput(*file);
		return err;
	}
	arg->bytes = bytes;
	arg->source = l->source;
	lane_wake_made(l);
	return 0;
}

/**
 * lanes_clear() - let no event be read that is complete now
 *
 * Context: process, layout and clear_lock of stream 0 held.
 */
void lanes_clear(void)
{
	static u8 buf[DEVTRACE_LANE_BLOCK];
	struct lane_place end;
	struct lane *l;

	lockdep_assert_held(&devtrace_stream0.clear_lock);
	list_for_each_entry(l, &devtrace_lanes, list) {
		if (lane_end(&l->mem, &end, buf))
			continue;
		l->cleared = end;
		l->is_cleared = true;
	}
}

/**
 * lanes_stats() - what became of the events of lanes
 * @st: counts are added
 *
 * Context: process, layout of stream 0 held.
 */
void lanes_stats(struct devtrace_stats *st)
{
	struct lane_place begin, end;
	struct lane *l;
	u64 lost, filtered;
	u32 len;
	u8 *buf;

	st->emitted += gone_events;
	st->stored += gone_events - gone_filtered;
	st->filtered += gone_filtered;
	st->overwritten += gone_events - gone_filtered;
	buf = kmalloc(DEVTRACE_LANE_BLOCK, GFP_KERNEL);
	if (!buf)
		return;
	list_for_each_entry(l, &devtrace_lanes, list) {
		lost = 0;
		lane_begin(&l->mem, &begin);
		if (lane_fetch(&l->mem, &begin, buf, &len, &lost) ||
		    lane_end(&l->mem, &end, buf))
			continue;
		filtered = atomic64_read(&l->filtered);
		st->emitted += end.idx;
		st->stored += end.idx - min(end.idx, filtered);
		st->filtered += min(end.idx, filtered);
		st->overwritten += min(lost, end.idx - min(end.idx, filtered));
		st->size += (u64)l->mem.nr * DEVTRACE_LANE_BLOCK;
		st->used += (u64)min(end.block - l->mem.first, l->mem.nr - 1) *
			    DEVTRACE_LANE_BLOCK + end.off;
	}
	kfree(buf);
}

/**
 * lanes_init() - be ready for lanes
 * @start: first block, less one, for tests
 */
void lanes_init(u32 start)
{
	first_block = start + 1;
}

/* No file of a lane and no reader is left. */
void lanes_exit(void)
{
	struct lane *l, *next;

	list_for_each_entry_safe(l, next, &devtrace_lanes, list) {
		list_del(&l->list);
		lane_put(l);
	}
}

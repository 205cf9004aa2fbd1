// SPDX-License-Identifier: GPL-2.0-only
/*
 * Create, map, close and free lanes
 *
 * A fault handler maps the pages, so fork(2) copies no page. In a child, the handler maps pages
 * that belong to no lane and read as "closed". A page that a driver has pinned outlives its lane,
 * and the kernel no longer reads it. A page of a pool has no reference count, so it must not
 * outlive its lane, and fork(2) does not copy it (VM_WIPEONFORK). A program that removes this flag
 * harms only itself: the pool's memory is not reused while a mapping of it exists.
 */
#include <linux/anon_inodes.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/highmem.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/moduleparam.h>
#include <linux/page_ref.h>
#include <linux/sched/mm.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/uaccess.h>
#include <linux/vmalloc.h>
#include <linux/wait.h>
#include <linux/workqueue.h>

#include "compat/compat.h"
#include "compat/compat_cache.h"
#include "compat/compat_mapped.h"
#include "emit/owner.h"
#include "emit/proc.h"
#include "lane.h"
#include "lane_share.h"
#include "lane_wake.h"
#include "ring/size.h"
#include "slot.h"
#include "stream/stream.h"
#include "stream/table.h"
#include "take.h"

const struct lane_pool __rcu *devtrace_lane_pool;

/*
 * Protects l->mm: fault handlers take their page reference under it, before lane_die() frees the
 * page.
 */
static DEFINE_RAW_SPINLOCK(mm_lock);

static unsigned long lane_size = DEVTRACE_LANE_MIN;

module_param_cb(lane_size, &devtrace_size_ops, &lane_size, 0644);
MODULE_PARM_DESC(lane_size, "size of a lane in bytes if its program does not choose one, 0: no lane (default 8K)");

/* Borrow memory from the pool. The pool's module stays until the memory is returned. */
static void lane_borrow(struct lane *l)
{
	const struct lane_pool *p;

	rcu_read_lock();
	p = rcu_dereference(devtrace_lane_pool);
	if (p && !try_module_get(p->owner))
		p = NULL;
	rcu_read_unlock();
	if (!p)
		return;
	if (p->get(l))
		l->pool = p;
	else
		module_put(p->owner);
}

/* Free the lane's memory, then return its share. */
static void give_back(struct lane *l)
{
	if (l->pool) {
		l->pool->put(l);
		module_put(l->pool->owner);
		l->pool = NULL;
	} else {
		compat_free_mapped(l->mem.blocks, l->bytes);
	}
	l->mem.blocks = NULL;
	lane_share_return(l);
}

/*
 * Close the lane: take its last events, free its memory. Descriptors and slot references may
 * outlive this; their users check @closed before they touch the blocks. Memory of a pool, whose
 * pages have no reference counts, is returned later by lane_release(). The first caller sets l->mm
 * to NULL and does the work; others do nothing.
 */
static void lane_die(struct lane *l)
{
	struct mm_struct *mm;

	raw_spin_lock(&mm_lock);
	mm = l->mm;
	WRITE_ONCE(l->mm, NULL);
	raw_spin_unlock(&mm_lock);
	if (!mm)
		return;
	slot_close(l);
	slot_put(l);
	lane_wake_closed(l);
	if (!l->pool)
		give_back(l);
	mmdrop(mm);
	lane_put(l);
}

/* Does this mapping map the lane? A copy in a child of fork(2) does not. */
static bool maps_it(const struct vm_area_struct *vma, const struct lane *l)
{
	return vma->vm_mm == READ_ONCE(l->mm);
}

/* mremap(2) copies the mapping before it asks us; when we refuse, it removes the copy. */
static void lane_vma_open(struct vm_area_struct *vma)
{
	struct lane *l = vma->vm_private_data;

	if (maps_it(vma, l))
		atomic_inc(&l->maps);
}

static void lane_vma_close(struct vm_area_struct *vma)
{
	struct lane *l = vma->vm_private_data;

	if (maps_it(vma, l) && atomic_dec_and_test(&l->maps))
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
	/* Memory of a pool is not freed while this mapping exists. */
	if (l->pool && maps_it(vmf->vma, l))
		return compat_insert_pfn(vmf->vma, vmf->address, l->pfn + vmf->pgoff);
	raw_spin_lock(&mm_lock);
	if (!l->pool && vmf->vma->vm_mm == l->mm) {
		page = vmalloc_to_page(l->mem.blocks + (vmf->pgoff << PAGE_SHIFT));
		/*
		 * No page of vmalloc() memory is part of a compound page, so count the reference
		 * in the page itself.
		 */
		page_ref_inc(page);
	}
	raw_spin_unlock(&mm_lock);
	/* Map a zeroed page: it reads as closed, and the kernel does not read it. */
	if (!page)
		page = compat_alloc_mapped_page();
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
	if (!(vma->vm_flags & VM_SHARED) || vma->vm_pgoff || pages != l->bytes >> PAGE_SHIFT)
		return -EINVAL;
	if (xchg(&l->mapped, 1))
		return -EBUSY;
	atomic_set(&l->maps, 1);
	/* Drop PROT_EXEC silently: the kernel adds it for programs with READ_IMPLIES_EXEC. */
	compat_vm_flags(vma, VM_DONTEXPAND | (l->pool ? VM_MIXEDMAP | VM_WIPEONFORK : 0),
			VM_EXEC | VM_MAYEXEC);
	if (l->pool && l->pool->wc)
		vma->vm_page_prot = pgprot_writecombine(vma->vm_page_prot);
	vma->vm_ops = &lane_vm_ops;
	vma->vm_private_data = l;
	return 0;
}

/* Called when no process has a descriptor or a mapping. */
static int lane_release(struct inode *inode, struct file *file)
{
	struct lane *l = file->private_data;

	/* A lane that was never mapped is still open: close it. */
	lane_die(l);
	if (l->pool)
		give_back(l);
	lane_put(l);
	return 0;
}

static const struct file_operations lane_fops = {
	.owner		= THIS_MODULE,
	.mmap		= lane_mmap,
	.release	= lane_release,
};

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

/* Give each block a number that is invalid at its place, so that no block counts as written. */
static void lane_format(struct lane *l)
{
	struct devtrace_lane_head *head = lane_head(&l->mem);
	struct devtrace_lane_block *b;
	u32 i;

	head->open = l->mem.first - 1;
	head->blocks = l->mem.nr;
	head->first = l->mem.first;
	head->source = nr_cpu_ids + l->slot;
	head->state = DEVTRACE_LANE_OPEN;
	for (i = 0; i < l->mem.nr; i++) {
		b = (void *)(l->mem.blocks + (size_t)i * DEVTRACE_LANE_BLOCK);
		b->number = ~i;
	}
}

static struct lane *lane_alloc(u32 bytes, u16 flags)
{
	struct lane *l = kzalloc(sizeof(*l), GFP_KERNEL_ACCOUNT);

	if (!l)
		return NULL;
	kref_init(&l->ref);
	raw_spin_lock_init(&l->lock);
	INIT_LIST_HEAD(&l->awake);
	l->bytes = bytes;
	l->flags = flags;
	l->mem.nr = bytes / DEVTRACE_LANE_BLOCK;
	l->mem.first = (u32)devtrace_stream0.start + 1;
	l->tid = task_pid_nr(current);
	l->tgid = task_tgid_nr(current);
	l->pid = get_pid(task_pid(current));
	l->owner = devtrace_owner();
	lane_begin(&l->mem, &l->at);
	return l;
}

/*
 * A ring of blocks has its stream's size, so it is created under devtrace_lock. A kernel thread
 * does it, because a program that requests a lane may be preempted for long while it holds a lock.
 */
static atomic_t ring_tries = ATOMIC_INIT(0);
static DECLARE_WAIT_QUEUE_HEAD(ring_tried);

static void ring_fn(struct work_struct *work)
{
	mutex_lock(&devtrace_lock);
	slots_make_all();
	mutex_unlock(&devtrace_lock);
	atomic_inc(&ring_tries);
	wake_up_all(&ring_tried);
}

static DECLARE_WORK(ring_work, ring_fn);

static int make_ring(void)
{
	const int tries = atomic_read(&ring_tries);

	if (slots_bytes(&slots0))
		return 0;
	queue_work(stream_wq, &ring_work);
	if (wait_event_killable(ring_tried, atomic_read(&ring_tries) != tries))
		return -EINTR;
	return slots_bytes(&slots0) ? 0 : -ENOMEM;
}

/* Allocate all that a lane needs. On error, everything is undone. */
static int lane_prepare(struct lane *l, struct file **file)
{
	int err;

	err = lane_share_reserve(l);
	if (err)
		return err;
	err = make_ring();
	if (err)
		goto out_reserved;
	err = slot_get(l);
	if (err)
		goto out_reserved;
	lane_borrow(l);
	if (!l->pool)
		l->mem.blocks = compat_alloc_mapped(l->bytes);
	err = -ENOMEM;
	if (!l->mem.blocks)
		goto out_slot;
	lane_format(l);
	*file = anon_inode_getfile("[trace-lane]", &lane_fops, l, O_RDWR);
	err = PTR_ERR_OR_ZERO(*file);
	if (err)
		goto out_slot;
	return 0;

out_slot:
	/* The lane was never open. */
	slot_put(l);
out_reserved:
	give_back(l);
	return err;
}

/* Create a lane for the calling thread, and fill in @arg. */
static int lane_new(struct devtrace_lane_ask *arg, struct file **file)
{
	struct lane *l;
	u32 bytes;
	int err;

	if (arg->flags & ~DEVTRACE_LANE_NO_CALLS || arg->reserved || !current->mm)
		return -EINVAL;
	err = size_of(arg->bytes, &bytes) ?: lane_wait_for_dying();
	if (err)
		return err;
	l = lane_alloc(bytes, arg->flags);
	if (!l)
		return -ENOMEM;
	err = lane_prepare(l, file);
	if (err) {
		lane_put(l);
		return err;
	}
	l->mm = current->mm;
	mmgrab(l->mm);
	preempt_disable();
	devtrace_proc_seen(current);
	preempt_enable();
	/* The lane keeps this reference while it is open. */
	kref_get(&l->ref);
	slot_open(l);
	if (l->pool)
		l->pool->open(l);
	arg->bytes = bytes;
	arg->source = nr_cpu_ids + l->slot;
	lane_wake_made(l);
	return 0;
}

/**
 * lane_ask() - create a lane for the calling thread
 * @arg: the request; filled in with the answer
 *
 * Context: process.
 * Return: a descriptor for mmap(2); -EINVAL: invalid size or flag; -ENOSPC: a limit is reached;
 *	-ENODEV: this machine's caches alias; -EFAULT, -ENOMEM, -EMFILE, -ENFILE.
 */
long lane_ask(struct devtrace_lane_ask __user *arg)
{
	struct devtrace_lane_ask ask;
	struct file *file;
	int fd, err;

	if (compat_dcache_aliases())
		return -ENODEV;
	if (copy_from_user(&ask, arg, sizeof(ask)))
		return -EFAULT;
	fd = get_unused_fd_flags(O_CLOEXEC);
	if (fd < 0)
		return fd;
	err = lane_new(&ask, &file);
	if (!err && copy_to_user(arg, &ask, sizeof(ask))) {
		err = -EFAULT;
		filp_close(file, NULL);
	}
	if (err) {
		put_unused_fd(fd);
		return err;
	}
	fd_install(fd, file);
	return fd;
}

/**
 * lane_hand_over() - take the full blocks of a lane
 * @source: number that the lane's events have as their source
 *
 * The lane's thread calls this, or a child of vfork(2) that continues in its parent's lane.
 *
 * Context: process.
 * Return: 0; -ENXIO: the process has no such lane; -EPIPE: the lane is closed; -EAGAIN: the
 *	ring of blocks has no room now.
 */
int lane_hand_over(unsigned long source)
{
	struct lane *l;
	int err = -ENXIO;

	if (source < nr_cpu_ids || source - nr_cpu_ids >= SLOTS_MAX)
		return -ENXIO;
	l = slot_lane_get(source - nr_cpu_ids);
	if (!l)
		return -ENXIO;
	if (READ_ONCE(l->mm) == current->mm) {
		if (l->pid == task_pid(current)) {
			preempt_disable();
			devtrace_proc_seen(current);
			preempt_enable();
		}
		err = slot_take_full(l);
	}
	lane_put(l);
	return err;
}

/*
 * Called when no file of a lane, no reader, no work item that takes events from lanes, and no work
 * queue stream_wq is left.
 */
void lanes_exit(void)
{
	lane_shares_exit();
	rcu_barrier();
	compat_mapped_exit();
}

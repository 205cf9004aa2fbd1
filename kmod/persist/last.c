// SPDX-License-Identifier: GPL-2.0-only
/*
 * The stream `last`: events of the previous boot
 *
 * Before the region is cleared, its events are copied out of it as frames. /dev/trace-last is a
 * file of these frames; each descriptor reads all of them. The stream is listed and removed
 * like any other; removing it wipes the copy.
 *
 * The copy never changes. The copy and the stream exist as long as a descriptor is open.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/err.h>
#include <linux/fs.h>
#include <linux/kernel.h>
#include <linux/module.h>
#include <linux/poll.h>
#include <linux/slab.h>
#include <linux/uaccess.h>
#include <linux/uio.h>
#include <linux/vmalloc.h>
#include <linux/workqueue.h>

#include "last.h"
#include "manage/streams.h"
#include "region.h"
#include "render.h"
#include "ring/ring_memory.h"
#include "stream/stream.h"
#include "stream/table.h"

#define LAST	"last"
/* If memory is short, copy at least 1/2^PART_MAX of the events. */
#define PART_MAX	8
struct last {
	struct stream_image	image;
	struct persist_account	account;
	u8			*data;
};

/* Private data of an open descriptor. */
struct place {
	struct stream	*stream;
};

static struct last *last_of(const struct file *file)
{
	const struct place *p = file->private_data;

	return container_of(p->stream->image, struct last, image);
}

static int last_open(struct inode *inode, struct file *file)
{
	struct place *p;

	/* The stream is read-only. */
	if (file->f_mode & FMODE_WRITE)
		return -EACCES;
	p = kzalloc(sizeof(*p), GFP_KERNEL_ACCOUNT);
	if (!p)
		return -ENOMEM;
	p->stream = file->private_data;
	file->private_data = p;
	file->f_mode &= ~(FMODE_PREAD | FMODE_PWRITE);
	return 0;
}

static int last_release(struct inode *inode, struct file *file)
{
	struct place *p = file->private_data;

	stream_put(p->stream);
	kfree(p);
	return 0;
}

static ssize_t last_read(struct file *file, char __user *buf, size_t n, loff_t *pos)
{
	const struct last *l = last_of(file);

	return simple_read_from_buffer(buf, n, pos, l->data, l->image.bytes);
}

/* Seek to the beginning or the end. A seek to any time goes to the beginning, too. */
static loff_t last_llseek(struct file *file, loff_t off, int whence)
{
	const struct last *l = last_of(file);

	switch (whence) {
	case SEEK_SET:
		file->f_pos = 0;
		return off < 0 ? -EINVAL : off;
	case SEEK_END:
		file->f_pos = off ? 0 : l->image.bytes;
		return off > 0 ? -EINVAL : l->account.last;
	case SEEK_DATA:
		file->f_pos = 0;
		return 0;
	case SEEK_CUR:
		return off ? -EINVAL : file->f_pos ? l->account.last : 0;
	default:
		return -EINVAL;
	}
}

static long last_ioctl(struct file *file, unsigned int cmd, unsigned long arg)
{
	const struct persist_account *a = &last_of(file)->account;
	struct devtrace_stats __user *to = (void __user *)arg;
	struct devtrace_stats s = { 0 };

	if (cmd != DEVTRACE_IOC_STATS)
		return -ENOTTY;
	if (get_user(s.cpu, &to->cpu))
		return -EFAULT;
	if (s.cpu != DEVTRACE_STATS_ALL)
		return -EINVAL;
	s.emitted = a->given + a->lost;
	s.stored = s.emitted;
	s.overwritten = a->lost;
	/* The trace clock of the previous boot no longer advances. */
	s.now = a->last + 1;
	return copy_to_user(to, &s, sizeof(s)) ? -EFAULT : 0;
}

static __poll_t last_poll(struct file *file, poll_table *wait)
{
	return EPOLLIN | EPOLLRDNORM;
}

static const struct file_operations last_fops = {
	.owner		= THIS_MODULE,
	.open		= last_open,
	.release	= last_release,
	.read		= last_read,
	.llseek		= last_llseek,
	.poll		= last_poll,
	.unlocked_ioctl	= last_ioctl,
	.compat_ioctl	= compat_ptr_ioctl,
};

static void last_free(struct stream_image *image)
{
	struct last *l = container_of(image, struct last, image);

	if (l->data)
		memset(l->data, 0, l->image.bytes);
	vfree(l->data);
	kfree(l);
}

/*
 * Grow by at least a half, so that copies are few. The allocation fails without calling the OOM
 * killer; after a failure, fewer events are copied.
 */
static bool last_grow(struct persist_out *o, u64 more)
{
	const u64 room = max(o->n + more, o->room + o->room / 2);
	u8 *buf = __vmalloc(room, GFP_KERNEL | __GFP_RETRY_MAYFAIL | __GFP_NOWARN);

	if (!buf)
		return false;
	memcpy(buf, o->buf, o->n);
	vfree(o->buf);
	o->buf = buf;
	o->room = room;
	return true;
}

static void last_tell(const struct persist_header *h, unsigned int copies,
		      const struct persist_account *a)
{
	pr_info("boot %pUb, kernel %s: %s\n", h->boot_id, h->release, a->cause.text);
	pr_info("stream last: %llu events, %llu lost, %llu of these by damage; %llu had no sum yet\n",
		a->given, a->lost, a->damaged, a->unchecked);
	if (copies < PERSIST_COPIES)
		pr_warn("%u of %u headers of the region were damaged\n", PERSIST_COPIES - copies,
			PERSIST_COPIES);
	if (a->left_out)
		pr_warn("memory is short: the oldest %llu events were not copied, and are counted as lost\n",
			a->left_out);
	if (a->open_ends)
		pr_warn("%u CPUs or lanes have damaged counts or damaged newest events: the number of lost events is unknown\n",
			a->open_ends);
	if (a->outside)
		pr_warn("the region had no room for %u lanes: their last events are not known\n",
			a->outside);
	if (a->bad_lanes)
		pr_warn("%u lanes have invalid content\n", a->bad_lanes);
}

/* Copy the events. Return NULL if there are none to copy; the reason is in the kernel log. */
static struct last *copy_out(const struct region *r)
{
	struct persist_out o = { .grow = last_grow };
	struct persist_header h;
	unsigned int copies;
	const char *why = persist_find(r->at, r->size, &h, &copies);
	struct last *l;
	u64 begin = ktime_get_ns();
	int err;

	if (why) {
		pr_info("the region has no events of an earlier boot: %s\n", why);
		return NULL;
	}
	h.machine[sizeof(h.machine) - 1] = 0;
	h.release[sizeof(h.release) - 1] = 0;
	l = kzalloc(sizeof(*l), GFP_KERNEL);
	if (!l)
		return ERR_PTR(-ENOMEM);
	/* If there is no memory for all events, copy the newest. */
	do {
		err = persist_render(r->at, &h, LAST, &o, &l->account);
		if (err) {
			vfree(o.buf);
			o = (struct persist_out){ .grow = last_grow, .part = o.part + 1 };
		}
	} while (err && o.part <= PART_MAX);
	if (err) {
		kfree(l);
		return ERR_PTR(err);
	}
	l->data = o.buf;
	l->image.bytes = o.n;
	l->image.fops = &last_fops;
	l->image.release = last_free;
	last_tell(&h, copies, &l->account);
	pr_info("read in %llu us\n", div_u64(ktime_get_ns() - begin, NSEC_PER_USEC));
	return l;
}

/*
 * Make the stream, which then releases @l; on failure @l is released here. stream_new() releases
 * devtrace_lock meanwhile; holding streams_command_lock keeps netlink commands from changing
 * streams.
 */
static int make_stream(struct last *l)
{
	int err;

	mutex_lock(&streams_command_lock);
	mutex_lock(&devtrace_lock);
	if (stream_find(LAST)) {
		err = -EEXIST;
		last_free(&l->image);
	} else {
		err = PTR_ERR_OR_ZERO(stream_new(LAST,
						 ring_size_round(RING_SIZE_MIN),
						 0440, DEVTRACE_STATE_FROZEN, NULL, &l->image));
	}
	mutex_unlock(&devtrace_lock);
	mutex_unlock(&streams_command_lock);
	return err;
}

/**
 * last_begin() - copy the events of the previous boot, if there are any
 * @r: the region
 *
 * If there is no memory even for the newest events, all are discarded, and the log says so. Keeping
 * them would not help: the next boot would have no more memory, and the board would never record
 * again. If a stream "last" exists, the region stays unchanged.
 *
 * Context: process; may sleep.
 * Return: 0 or -EEXIST; the reason is in the kernel log.
 */
int last_begin(const struct region *r)
{
	struct last *l = copy_out(r);
	int err;

	if (!l)
		return 0;
	err = IS_ERR(l) ? PTR_ERR(l) : make_stream(l);
	if (!err)
		return 0;
	if (err == -EEXIST) {
		pr_err("a stream %s exists already: remove it first; the region was not changed\n",
		       LAST);
		return err;
	}
	pr_err("the events of an earlier boot cannot be copied, error %d: they are lost\n", err);
	return 0;
}

void last_end(void)
{
	struct stream *s;

	mutex_lock(&streams_command_lock);
	mutex_lock(&devtrace_lock);
	s = stream_find(LAST);
	if (s && s->image && s->image->fops == &last_fops)
		stream_del(s);
	mutex_unlock(&devtrace_lock);
	mutex_unlock(&streams_command_lock);
	/* Wait for the work item that calls last_free(), even if a command removed the stream. */
	flush_workqueue(stream_wq);
}

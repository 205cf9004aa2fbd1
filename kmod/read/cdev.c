// SPDX-License-Identifier: GPL-2.0-only
/*
 * /dev/trace
 *
 * A descriptor open for reading has a reader; one open for writing emits. One
 * open for both has a reader from the first time that it reads, polls or seeks:
 * programs that emit open it so to map the control page, and most never read.
 * The contract, with every error number, is Documentation/ABI/testing/dev-trace.
 *
 * O_TRUNC clears the buffer, but not when the device is opened: a shell opens
 * with O_TRUNC for `echo text > /dev/trace` as well as for `: > /dev/trace`.
 * The buffer is cleared when the descriptor is closed and nothing was ever
 * written or emitted through it. It is whoever opened it who wants that, and
 * who must have the right to: the last to close it may be a privileged program
 * that got it as its standard output, or a kernel thread. If he has not,
 * close(2) gives EPERM, and the buffer stays.
 *
 * User memory may be behind userfaultfd(2) or FUSE: a page fault there can wait for ever.
 * So read(2) holds no lock while it copies; it sets a flag, and until it clears it the
 * staged frames are its own. Another read(2) or lseek(2) waits for the flag and can be
 * interrupted; a read that must not wait gets EAGAIN, and poll(2) finds nothing to read.
 * Whoever was told either is woken when the copying ends. No other lock is held while
 * user memory is touched: a wait for a lock is bounded, and killable unless it must not
 * be given up.
 */
#include <linux/capability.h>
#include <linux/cdev.h>
#include <linux/device.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/jiffies.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/poll.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/splice.h>
#include <linux/uaccess.h>
#include <linux/uio.h>
#include <linux/wait.h>

#include "cdev.h"
#include "clear.h"
#include "compat/compat.h"
#include "emit/control_ops.h"
#include "emit/dict.h"
#include "emit/emit.h"
#include "emit/emit_user.h"
#include "lane/lane.h"
#include "lane/lane_wake.h"
#include "reader.h"
#include "reader_ready.h"
#include "seek.h"
#include "stream/profile_ops.h"
#include "stream/stream.h"
#include "stream/table.h"
#include "stream/wake.h"
#include "stream_stats.h"
#include "wire.h"

/* Text is taken in pieces of this many bytes; a longer line is several events. */
#define TEXT_PIECE	1024

struct handle {
	struct stream	*stream;
	struct mutex	lock;		/* of all below; not held while user memory is touched */
	struct reader	*reader;	/* NULL until it is needed */
	bool		copying;	/* a read copies staged frames, without the lock */
	bool		missed;		/* meanwhile poll(2) or a read was told to wait */
	wait_queue_head_t copied;	/* for the end of @copying */
	bool		rests;		/* it read all there was, at @rested */
	unsigned long	rested;		/* jiffies */
	bool		clear;		/* O_TRUNC, and nothing written yet */
};

static const struct devtrace_cdev_config *cdev_config;
static struct devtrace_control *cdev_control;
static dev_t cdev_nr;
static struct cdev cdev;
static struct class *cdev_class;

static bool may_clear(void)
{
	return capable(CAP_SYSLOG) || perfmon_capable();
}

static int trace_open(struct inode *inode, struct file *file)
{
	struct handle *h;

	h = kzalloc(sizeof(*h), GFP_KERNEL_ACCOUNT);
	if (!h)
		return -ENOMEM;
	h->stream = stream_get(iminor(inode));
	if (!h->stream) {
		kfree(h);
		return -ENXIO;
	}
	mutex_init(&h->lock);
	init_waitqueue_head(&h->copied);
	if ((file->f_mode & (FMODE_READ | FMODE_WRITE)) == FMODE_READ) {
		h->reader = reader_new(h->stream);
		if (!h->reader) {
			stream_put(h->stream);
			kfree(h);
			return -ENOMEM;
		}
	}
	h->clear = file->f_mode & FMODE_WRITE && file->f_flags & O_TRUNC;
	file->private_data = h;
	/* A place is a time, not an offset: no pread(2), no pwrite(2). */
	file->f_mode &= ~(FMODE_PREAD | FMODE_PWRITE);
	/* read(2) honours IOCB_NOWAIT; write(2) never waits. */
	file->f_mode |= FMODE_NOWAIT;
	return 0;
}

/*
 * Take the lock while no other read is copying. Return: 0 with the lock held; -EAGAIN:
 * another read is copying, and @nowait; -ERESTARTSYS.
 */
static int handle_lock(struct handle *h, bool nowait)
{
	for (;;) {
		if (mutex_lock_interruptible(&h->lock))
			return -ERESTARTSYS;
		if (!h->copying)
			return 0;
		h->missed |= nowait;
		mutex_unlock(&h->lock);
		if (nowait)
			return -EAGAIN;
		if (wait_event_interruptible(h->copied, !READ_ONCE(h->copying)))
			return -ERESTARTSYS;
	}
}

/* Release the lock. If the caller has been copying, tell those who asked meanwhile. */
static void handle_unlock(struct handle *h)
{
	const bool missed = h->missed;

	if (!h->copying) {
		mutex_unlock(&h->lock);
		return;
	}
	WRITE_ONCE(h->copying, false);
	h->missed = false;
	mutex_unlock(&h->lock);
	/* Has a full barrier; pairs with that of wait_event_interruptible(). */
	if (wq_has_sleeper(&h->copied))
		wake_up_interruptible_all(&h->copied);
	if (missed)
		wake_up_interruptible_all(&h->stream->wait);
}

/* The reader, locked, or NULL if there is no memory. */
static struct reader *handle_reader(struct handle *h)
{
	lockdep_assert_held(&h->lock);
	if (!h->reader)
		h->reader = reader_new(h->stream);
	return h->reader;
}

static bool opener_may_clear(struct file *file)
{
	return file_ns_capable(file, &init_user_ns, CAP_SYSLOG) ||
	       file_ns_capable(file, &init_user_ns, CAP_PERFMON) ||
	       file_ns_capable(file, &init_user_ns, CAP_SYS_ADMIN);
}

/* -EBUSY: it is frozen; -EINTR: killed. A process that was killed still clears @at_close. */
static int stream_clear_told(struct stream *s, bool at_close)
{
	int err;

	if (at_close)
		mutex_lock(&devtrace_lock);
	else if (mutex_lock_killable(&devtrace_lock))
		return -EINTR;
	err = stream_clear(s);
	if (!err && !s->gone)
		control_notify_clear(s);
	mutex_unlock(&devtrace_lock);
	return err;
}

static int clear_at_close(struct file *file)
{
	struct handle *h = file->private_data;

	if (!READ_ONCE(h->clear))
		return 0;
	if (!opener_may_clear(file))
		return -EPERM;
	WRITE_ONCE(h->clear, false);
	return stream_clear_told(h->stream, true);
}

static int trace_flush(struct file *file, fl_owner_t id)
{
	/* Only the last close(2) of the descriptor and its duplicates. */
	return file_count(file) == 1 ? clear_at_close(file) : 0;
}

static int trace_release(struct inode *inode, struct file *file)
{
	struct handle *h = file->private_data;

	clear_at_close(file);
	if (h->reader)
		reader_free(h->reader);
	stream_put(h->stream);
	kfree(h);
	return 0;
}

/*
 * With kernel profile events on, whoever reads makes what it reads next: its own system
 * calls, those of who takes what it read, a switch, a timer. So one that has read all
 * there was rests, unless much has come, and finds nothing meanwhile: what comes of
 * reading is then little, however it is done, and nothing of it is left out.
 *
 * Who waits in poll(2) looks again when it is woken, 100 ms after it began to wait at
 * the latest. It has rested by then.
 */
#define REST_POLL	(HZ / 20 ?: 1)
#define REST_READ	(HZ / 10 ?: 1)

static bool resting(struct handle *h)
{
	return h->rests && READ_ONCE(devtrace_profile_on) && !READ_ONCE(h->stream->gone) &&
	       time_before(jiffies, h->rested + REST_POLL) && !reader_much(h->reader);
}

/* What is emitted from here on wakes: rings and, for stream 0, lanes. */
static void begin_wait(struct stream *s)
{
	if (s == &devtrace_stream0)
		lane_wake_prepare();
	wake_prepare(s);
}

/* The lock is held, and released. */
static int rest(struct handle *h)
{
	DEFINE_WAIT_FUNC(wait, woken_wake_function);

	add_wait_queue(&h->stream->wait, &wait);
	/* Woken before, if much comes. */
	begin_wait(h->stream);
	mutex_unlock(&h->lock);
	wait_woken(&wait, TASK_INTERRUPTIBLE, REST_READ);
	remove_wait_queue(&h->stream->wait, &wait);
	return signal_pending(current) ? -ERESTARTSYS : 0;
}

/* Wait until there is something to read. The lock is held, and released. */
static int wait_readable(struct handle *h, long timeout)
{
	DEFINE_WAIT_FUNC(wait, woken_wake_function);

	reader_follows(h->reader);
	add_wait_queue(&h->stream->wait, &wait);
	for (;;) {
		begin_wait(h->stream);
		/* handle_lock() waits for another read that is copying. */
		if (timeout != MAX_SCHEDULE_TIMEOUT ? timeout == 0 :
		    h->copying || reader_ready(h->reader)) {
			mutex_unlock(&h->lock);
			break;
		}
		mutex_unlock(&h->lock);
		timeout = wait_woken(&wait, TASK_INTERRUPTIBLE, timeout);
		if (signal_pending(current) || mutex_lock_interruptible(&h->lock))
			break;
	}
	remove_wait_queue(&h->stream->wait, &wait);
	/* There may always be something to look at, and nothing that is wanted. */
	cond_resched();
	return signal_pending(current) ? -ERESTARTSYS : 0;
}

/* Copy @n bytes of staged frames. The lock is held, released meanwhile and taken again. */
static size_t copy_frames(struct handle *h, size_t n, struct iov_iter *to)
{
	struct wire *w = reader_wire(h->reader);
	size_t copied;

	WRITE_ONCE(h->copying, true);
	mutex_unlock(&h->lock);
	copied = copy_to_iter(w->buf + w->taken, n, to);
	/* Not killable: the copied bytes must be accounted for. No holder waits for a program. */
	mutex_lock(&h->lock);
	wire_taken(w, copied);
	return copied;
}

/*
 * Read as many frames as there are and fit. The lock is held, but not while frames are
 * copied; no other read comes between. @err: 0, -EFAULT or what reader_fill() says.
 */
static ssize_t read_frames(struct handle *h, struct iov_iter *to, int *err)
{
	struct wire *w = reader_wire(h->reader);
	ssize_t done = 0;
	size_t n, copied;

	do {
		*err = 0;
		if (!wire_staged(w))
			*err = reader_fill(h->reader, iov_iter_count(to));
		n = min_t(size_t, wire_staged(w), iov_iter_count(to));
		if (!n) {
			h->rests = !*err;
			h->rested = jiffies;
			break;
		}
		copied = copy_frames(h, n, to);
		done += copied;
		if (copied < n) {
			*err = -EFAULT;
			break;
		}
		cond_resched();
	} while (iov_iter_count(to) && !signal_pending(current));
	return done;
}

static ssize_t trace_read_iter(struct kiocb *iocb, struct iov_iter *to)
{
	struct handle *h = iocb->ki_filp->private_data;
	bool nowait = iocb->ki_filp->f_flags & O_NONBLOCK || iocb->ki_flags & IOCB_NOWAIT;
	ssize_t done;
	bool gone;
	int err;

	if (!iov_iter_count(to))
		return 0;
	err = handle_lock(h, nowait);
	if (err)
		return err;
	if (!handle_reader(h)) {
		handle_unlock(h);
		return -ENOMEM;
	}
	if (!wire_staged(reader_wire(h->reader)) && resting(h)) {
		if (nowait) {
			handle_unlock(h);
			return -EAGAIN;
		}
		err = rest(h) ?: handle_lock(h, false);
		if (err)
			return err;
	}
	h->rests = false;
	for (;;) {
		/* LMM(gone:B): before we look what is left; pairs with gone:A. */
		gone = smp_load_acquire(&h->stream->gone);
		done = read_frames(h, to, &err);
		if (done || (err && err != -EAGAIN))
			break;
		/* It was removed, and nothing is left. */
		if (!err && gone)
			break;
		if (nowait) {
			err = -EAGAIN;
			break;
		}
		err = wait_readable(h, err ? 1 : MAX_SCHEDULE_TIMEOUT) ?: handle_lock(h, false);
		if (err)
			return err;
	}
	handle_unlock(h);
	return done ?: err;
}

/* Whether read(2) would give something; if that is not certain yet, look again soon. */
static bool poll_ready(struct handle *h)
{
	int ret = reader_ready(h->reader);

	if (ret == -EAGAIN)
		wake_again(h->stream);
	return ret && ret != -EAGAIN;
}

static __poll_t trace_poll(struct file *file, poll_table *wait)
{
	struct handle *h = file->private_data;
	__poll_t mask = 0;

	if (file->f_mode & FMODE_WRITE)
		mask |= EPOLLOUT | EPOLLWRNORM;
	if (file->f_mode & FMODE_READ) {
		poll_wait(file, &h->stream->wait, wait);
		begin_wait(h->stream);
		/* Killed: others that wait by the same epoll(7) descriptor are to look. */
		if (mutex_lock_killable(&h->lock))
			return mask | EPOLLIN | EPOLLRDNORM;
		/* Without memory read(2) does not wait, and says why. */
		if (handle_reader(h))
			reader_follows(h->reader);
		if (h->copying)
			h->missed = true;
		else if (!h->reader || (!resting(h) && poll_ready(h)))
			mask |= EPOLLIN | EPOLLRDNORM;
		mutex_unlock(&h->lock);
		if (READ_ONCE(h->stream->gone))
			mask |= EPOLLHUP;
	}
	return mask;
}

static loff_t trace_llseek(struct file *file, loff_t off, int whence)
{
	struct handle *h = file->private_data;
	loff_t ret;

	if (!(file->f_mode & FMODE_READ))
		return -ESPIPE;
	ret = handle_lock(h, false);
	if (ret)
		return ret;
	h->rests = false;
	ret = handle_reader(h) ? reader_seek(h->reader, off, whence) : -ENOMEM;
	handle_unlock(h);
	/* Others may wait on the same descriptor, or on a duplicate. */
	if (ret >= 0 && whence != SEEK_CUR)
		wake_up_interruptible_all(&h->stream->wait);
	return ret;
}

/* The syslog levels, by our severities. */
static u8 text_severity(unsigned int level)
{
	static const u8 severity[] = { 3, 3, 2, 2, 1, 0, 0, 0 };

	return DEVTRACE_SEV_SET | severity[level & 7];
}

/* One line, without its newline: "<3>text" or "text". */
static void emit_line(const char *s, size_t len)
{
	u8 severity = 0;
	unsigned int n = 0, i = 1;

	if (len > 2 && s[0] == '<') {
		while (i < len && i < 5 && s[i] >= '0' && s[i] <= '9')
			n = n * 10 + s[i++] - '0';
		if (i > 1 && i < len && s[i] == '>') {
			severity = text_severity(n);
			s += i + 1;
			len -= i + 1;
		}
	}
	devtrace_emit_text(RING_WHO_USER, severity, s, len);
}

/*
 * Lines become events one by one, and only what became events is counted as
 * written: whoever gets a short count or an error goes on from there.
 */
static ssize_t trace_write_iter(struct kiocb *iocb, struct iov_iter *from)
{
	struct handle *h = iocb->ki_filp->private_data;
	size_t have = 0, line, n;
	ssize_t done = 0;
	bool fault = false;
	char *buf, *end;

	if (!iov_iter_count(from))
		return 0;
	WRITE_ONCE(h->clear, false);
	buf = kmalloc(TEXT_PIECE, GFP_KERNEL);
	if (!buf)
		return -ENOMEM;
	do {
		n = min(iov_iter_count(from), TEXT_PIECE - have);
		if (n) {
			size_t copied = copy_from_iter(buf + have, n, from);

			fault = copied < n;
			have += copied;
		}
		while (have) {
			end = memchr(buf, '\n', have);
			line = end ? end - buf : have;
			/* A line goes on if there may be more of it to come. */
			if (!end && have < TEXT_PIECE &&
			    (fault || iov_iter_count(from)))
				break;
			emit_line(buf, line);
			line += !!end;
			done += line;
			have -= line;
			memmove(buf, buf + line, have);
		}
		cond_resched();
	} while (!fault && iov_iter_count(from) && !signal_pending(current));
	kfree(buf);

	if (done)
		return done;
	return fault ? -EFAULT : -ERESTARTSYS;
}

static long ioctl_dict(const struct devtrace_dict __user *arg)
{
	struct devtrace_dict d;

	if (copy_from_user(&d, arg, sizeof(d)))
		return -EFAULT;
	return devtrace_dict_set(task_tgid(current), &d);
}

static long ioctl_check(struct handle *h, const u32 __user *arg)
{
	u32 check;

	if (copy_from_user(&check, arg, sizeof(check)))
		return -EFAULT;
	if (check > DEVTRACE_CHECK_CRC32)
		return -EINVAL;
	/* Frames that another read is copying keep the check that they have. */
	if (mutex_lock_killable(&h->lock))
		return -EINTR;
	if (!handle_reader(h)) {
		mutex_unlock(&h->lock);
		return -ENOMEM;
	}
	reader_check(h->reader, check);
	mutex_unlock(&h->lock);
	wake_up_interruptible_all(&h->stream->wait);
	return 0;
}

static long ioctl_stats(struct handle *h, struct devtrace_stats __user *arg)
{
	struct devtrace_stats s;
	s32 cpu;

	if (copy_from_user(&cpu, &arg->cpu, sizeof(cpu)))
		return -EFAULT;
	if (cpu < DEVTRACE_STATS_LANES)
		return -EINVAL;
	if (cpu >= 0 && (cpu >= nr_cpu_ids || !cpu_possible(cpu)))
		return -ENXIO;
	stream_stats(h->stream, cpu, &s, NULL);
	return copy_to_user(arg, &s, sizeof(s)) ? -EFAULT : 0;
}

/* All but emitting. */
static noinline long ioctl_rare(struct file *file, unsigned int cmd, unsigned long arg)
{
	struct handle *h = file->private_data;
	void __user *p = (void __user *)arg;

	switch (cmd) {
	case DEVTRACE_IOC_DICT:
		if (!(file->f_mode & FMODE_WRITE))
			return -EBADF;
		WRITE_ONCE(h->clear, false);
		return ioctl_dict(p);
	case DEVTRACE_IOC_LANE:
		if (!(file->f_mode & FMODE_WRITE))
			return -EBADF;
		WRITE_ONCE(h->clear, false);
		return h->stream == &devtrace_stream0 ? lane_ask(p) : -ENOTTY;
	case DEVTRACE_IOC_HAND:
		return file->f_mode & FMODE_WRITE ? lane_hand_over(arg) : -EBADF;
	case DEVTRACE_IOC_CHECK:
		return file->f_mode & FMODE_READ ? ioctl_check(h, p) : -EBADF;
	case DEVTRACE_IOC_CLEAR:
		if (!may_clear())
			return -EPERM;
		return stream_clear_told(h->stream, false);
	case DEVTRACE_IOC_STATS:
		return file->f_mode & FMODE_READ ? ioctl_stats(h, p) : -EBADF;
	default:
		return -ENOTTY;
	}
}

static long trace_ioctl(struct file *file, unsigned int cmd, unsigned long arg)
{
	struct handle *h = file->private_data;
	void __user *p = (void __user *)arg;

	/* The size of the event is part of the number. */
	if (unlikely((cmd & ~IOCSIZE_MASK) != DEVTRACE_IOC_EMIT(0)))
		return ioctl_rare(file, cmd, arg);
	if (unlikely(!(file->f_mode & FMODE_WRITE)))
		return -EBADF;
	if (unlikely(READ_ONCE(h->clear)))
		WRITE_ONCE(h->clear, false);
	return devtrace_emit_user(p, _IOC_SIZE(cmd));
}

/* The control page, and only to look at. */
static int trace_mmap(struct file *file, struct vm_area_struct *vma)
{
	if (vma->vm_pgoff || vma->vm_end - vma->vm_start != PAGE_SIZE)
		return -EINVAL;
	if (vma->vm_flags & (VM_WRITE | VM_EXEC))
		return -EPERM;
	compat_vm_flags(vma, VM_DONTEXPAND, VM_MAYWRITE | VM_MAYEXEC);
	return vm_insert_page(vma, vma->vm_start, virt_to_page(cdev_control));
}

static const struct file_operations trace_fops = {
	.owner		= THIS_MODULE,
	.open		= trace_open,
	.flush		= trace_flush,
	.release	= trace_release,
	.read_iter	= trace_read_iter,
	.write_iter	= trace_write_iter,
	.splice_read	= compat_splice_read,
	.poll		= trace_poll,
	.llseek		= trace_llseek,
	.unlocked_ioctl	= trace_ioctl,
	.compat_ioctl	= compat_ptr_ioctl,
	.mmap		= trace_mmap,
};

static char *trace_devnode(compat_devnode_device *dev, umode_t *mode,
			   kuid_t *uid, kgid_t *gid)
{
	const struct stream *s = dev_get_drvdata(dev);

	/* When the node is removed nobody asks for its mode. */
	if (mode)
		*mode = s->mode;
	if (uid)
		*uid = cdev_config->uid;
	if (gid)
		*gid = cdev_config->gid;
	return NULL;
}

static const struct device_type trace_type = {
	.name		= "trace",
	.devnode	= trace_devnode,
};

static void trace_device_release(struct device *dev)
{
	kfree(dev);
}

/**
 * cdev_add_stream() - make the device of a stream
 * @s: the stream, ready to be opened
 *
 * Return: 0 or a negative error number.
 */
int cdev_add_stream(struct stream *s)
{
	struct device *dev;
	int err;

	dev = kzalloc(sizeof(*dev), GFP_KERNEL);
	if (!dev)
		return -ENOMEM;
	device_initialize(dev);
	dev->devt = MKDEV(MAJOR(cdev_nr), s->id);
	dev->class = cdev_class;
	dev->type = &trace_type;
	dev->release = trace_device_release;
	dev_set_drvdata(dev, s);
	err = s->id ? dev_set_name(dev, "trace-%s", s->name) : dev_set_name(dev, "trace");
	if (!err)
		err = device_add(dev);
	if (err) {
		put_device(dev);
		return err;
	}
	s->device = dev;
	return 0;
}

/**
 * cdev_del_stream() - remove the device of a stream
 * @s: the stream; who has it open keeps it
 */
void cdev_del_stream(struct stream *s)
{
	device_unregister(s->device);
	s->device = NULL;
}

/**
 * devtrace_cdev_init() - make the device
 * @config: mode and owner; must stay
 * @control: the control page
 *
 * Return: 0 or a negative error number.
 */
int devtrace_cdev_init(const struct devtrace_cdev_config *config,
		       struct devtrace_control *control)
{
	int err;

	cdev_config = config;
	cdev_control = control;
	err = alloc_chrdev_region(&cdev_nr, 0, DEVTRACE_STREAMS_MAX, "trace");
	if (err)
		return err;
	cdev_class = compat_class_create("devtrace");
	if (IS_ERR(cdev_class)) {
		err = PTR_ERR(cdev_class);
		goto out_region;
	}
	cdev_init(&cdev, &trace_fops);
	cdev.owner = THIS_MODULE;
	err = cdev_add(&cdev, cdev_nr, DEVTRACE_STREAMS_MAX);
	if (err)
		goto out_class;
	err = cdev_add_stream(&devtrace_stream0);
	if (err)
		goto out_cdev;
	return 0;

out_cdev:
	cdev_del(&cdev);
out_class:
	class_destroy(cdev_class);
out_region:
	unregister_chrdev_region(cdev_nr, DEVTRACE_STREAMS_MAX);
	return err;
}

/* No stream but stream 0 is left. */
void devtrace_cdev_exit(void)
{
	cdev_del_stream(&devtrace_stream0);
	cdev_del(&cdev);
	class_destroy(cdev_class);
	unregister_chrdev_region(cdev_nr, DEVTRACE_STREAMS_MAX);
}

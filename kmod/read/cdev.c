// SPDX-License-Identifier: GPL-2.0-only
/*
 * /dev/trace: its devices, and all operations but read, write, poll and lseek
 *
 * Documentation/ABI/testing/dev-trace specifies the behavior, with every error number.
 *
 * O_TRUNC clears the buffer, but not on open(2): a shell opens with O_TRUNC for `echo text >
 * /dev/trace` as well as for `: > /dev/trace`. The buffer is cleared when the descriptor is closed
 * and nothing was written or emitted through it. The opener must have the right to clear, not the
 * closer: that may be a kernel thread, or a privileged program that got the descriptor as its
 * standard output. Without the right, close(2) returns EPERM and the buffer stays.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/capability.h>
#include <linux/cred.h>
#include <linux/device.h>
#include <linux/err.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/personality.h>
#include <linux/pid.h>
#include <linux/pid_namespace.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/splice.h>
#include <linux/threads.h>
#include <linux/uaccess.h>
#include <linux/uidgid.h>
#include <linux/user_namespace.h>
#include <linux/vmalloc.h>
#include <linux/wait.h>

#include "boot_id.h"
#include "cdev.h"
#include "cdev_read.h"
#include "cdev_write.h"
#include "clear.h"
#include "compat/compat.h"
#include "emit/accuracy.h"
#include "emit/control_ops.h"
#include "emit/dict.h"
#include "emit/emit_user.h"
#include "emit/named.h"
#include "emit/owner.h"
#include "handle.h"
#include "lane/lane.h"
#include "reader.h"
#include "stream/stream.h"
#include "stream/table.h"
#include "stream/wake.h"
#include "stream_stats.h"

static const struct devtrace_cdev_config *cdev_config;
static struct devtrace_control *cdev_control;
static int cdev_major;
static struct class *cdev_class;

static bool may_clear(void)
{
	return capable(CAP_SYSLOG) || perfmon_capable();
}

/* Let the image's module handle the file. That module also drops the reference to the stream. */
static int open_image(struct inode *inode, struct file *file)
{
	struct stream *s = file->private_data;
	const struct file_operations *fops = fops_get(s->image->fops);
	int err;

	if (!fops) {
		stream_put(s);
		return -ENXIO;
	}
	replace_fops(file, fops);
	err = fops->open(inode, file);
	if (err)
		stream_put(s);
	return err;
}

static int trace_open(struct inode *inode, struct file *file)
{
	struct handle *h;

	boot_id_opened();
	h = kzalloc(sizeof(*h), GFP_KERNEL_ACCOUNT);
	if (!h)
		return -ENOMEM;
	h->stream = stream_get(iminor(inode));
	if (!h->stream) {
		kfree(h);
		return -ENXIO;
	}
	if (h->stream->image) {
		file->private_data = h->stream;
		kfree(h);
		return open_image(inode, file);
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
	/* A position is a time, not an offset: no pread(2), no pwrite(2). */
	file->f_mode &= ~(FMODE_PREAD | FMODE_PWRITE);
	/* read(2) honours IOCB_NOWAIT; write(2) never waits. */
	file->f_mode |= FMODE_NOWAIT;
	return 0;
}

static bool opener_may_clear(struct file *file)
{
	return file_ns_capable(file, &init_user_ns, CAP_SYSLOG) ||
	       file_ns_capable(file, &init_user_ns, CAP_PERFMON) ||
	       file_ns_capable(file, &init_user_ns, CAP_SYS_ADMIN);
}

/*
 * Clear a stream and notify listeners. Return 0, -EBUSY if the stream is frozen, or -EINTR if the
 * process is killed. With @at_close, the wait for the lock cannot be interrupted, so that a killed
 * process clears the stream, too; it waits only for commands, which never wait for programs.
 */
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
	/* Only the last close(2) of the descriptor and its duplicates clears. */
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

static long ioctl_dict(const struct devtrace_dict __user *arg)
{
	struct devtrace_dict d;

	if (copy_from_user(&d, arg, sizeof(d)))
		return -EFAULT;
	return devtrace_dict_set(task_tgid(current), &d);
}

static long ioctl_accuracy(const struct devtrace_accuracy __user *arg)
{
	struct devtrace_accuracy a;

	/*
	 * Users would believe a false statement. Root of another user namespace, even of one with
	 * the same ids, may not set the clock either. No capability is needed, as tracelogger(8)
	 * has none.
	 */
	if (!uid_eq(current_euid(), GLOBAL_ROOT_UID) || current_user_ns() != &init_user_ns)
		return -EPERM;
	if (copy_from_user(&a, arg, sizeof(a)))
		return -EFAULT;
	return devtrace_accuracy_set(&a);
}

static long ioctl_type(struct devtrace_type_name __user *arg)
{
	struct devtrace_type_name t;
	int number;

	if (copy_from_user(&t, arg, sizeof(t)))
		return -EFAULT;
	if (t.reserved)
		return -EINVAL;
	number = devtrace_named_number(devtrace_owner(), t.name);
	return number < 0 ? number : put_user((u32)number, &arg->number);
}

static long ioctl_check(struct handle *h, const u32 __user *arg)
{
	u32 check;

	if (copy_from_user(&check, arg, sizeof(check)))
		return -EFAULT;
	if (check > DEVTRACE_CHECK_CRC32)
		return -EINVAL;
	/* Take the lock, so that frames that another read is copying keep the old check. */
	if (mutex_lock_killable(&h->lock))
		return -EINTR;
	if (!handle_reader(h)) {
		handle_release(h);
		return -ENOMEM;
	}
	reader_check(h->reader, check);
	handle_release(h);
	wake_again(h->stream);
	return 0;
}

/* Return the number of bytes that were staged earlier; the announcement follows these bytes. */
static long ioctl_announce(struct handle *h, bool nowait)
{
	long ret = handle_lock(h, nowait);

	if (ret)
		return ret;
	h->rests = false;
	ret = handle_reader(h) ? reader_announce(h->reader) : -ENOMEM;
	handle_unlock(h);
	if (ret >= 0)
		wake_again(h->stream);
	return ret;
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
	stream_stats(h->stream, cpu, &s);
	return copy_to_user(arg, &s, sizeof(s)) ? -EFAULT : 0;
}

/* Translate a process id into the pid namespace of the caller, not of the opener. */
static long ioctl_pid(struct devtrace_pid __user *arg)
{
	struct devtrace_pid p;
	pid_t nr;

	if (copy_from_user(&p, arg, sizeof(p)))
		return -EFAULT;
	if (p.of > DEVTRACE_PID_EVENT)
		return -EINVAL;
	if (!p.id || p.id > PID_MAX_LIMIT)
		return -ESRCH;
	rcu_read_lock();
	nr = p.of == DEVTRACE_PID_OWN ? pid_nr(find_vpid(p.id)) :
	     pid_vnr(find_pid_ns(p.id, &init_pid_ns));
	rcu_read_unlock();
	if (!nr)
		return -ESRCH;
	p.id = nr;
	return copy_to_user(arg, &p, sizeof(p)) ? -EFAULT : 0;
}

/* All commands except emitting. */
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
	case DEVTRACE_IOC_TYPE:
		if (!(file->f_mode & FMODE_WRITE))
			return -EBADF;
		WRITE_ONCE(h->clear, false);
		return ioctl_type(p);
	case DEVTRACE_IOC_LANE:
		if (!(file->f_mode & FMODE_WRITE))
			return -EBADF;
		WRITE_ONCE(h->clear, false);
		return h->stream == &devtrace_stream0 ? lane_ask(p) : -ENOTTY;
	case DEVTRACE_IOC_HAND:
		return file->f_mode & FMODE_WRITE ? lane_hand_over(arg) : -EBADF;
	case DEVTRACE_IOC_CHECK:
		return file->f_mode & FMODE_READ ? ioctl_check(h, p) : -EBADF;
	case DEVTRACE_IOC_ANNOUNCE:
		return file->f_mode & FMODE_READ ?
			ioctl_announce(h, file->f_flags & O_NONBLOCK) : -EBADF;
	case DEVTRACE_IOC_CLEAR:
		if (!may_clear())
			return -EPERM;
		return stream_clear_told(h->stream, false);
	case DEVTRACE_IOC_STATS:
		return file->f_mode & FMODE_READ ? ioctl_stats(h, p) : -EBADF;
	case DEVTRACE_IOC_PID:
		return file->f_mode & FMODE_READ ? ioctl_pid(p) : -EBADF;
	case DEVTRACE_IOC_ACCURACY:
		return file->f_mode & FMODE_READ ? ioctl_accuracy(p) : -EBADF;
	default:
		return -ENOTTY;
	}
}

static long trace_ioctl(struct file *file, unsigned int cmd, unsigned long arg)
{
	struct handle *h = file->private_data;
	void __user *p = (void __user *)arg;

	/* The command number includes the size of the event. */
	if (unlikely((cmd & ~IOCSIZE_MASK) != DEVTRACE_IOC_EMIT(0)))
		return ioctl_rare(file, cmd, arg);
	if (unlikely(!(file->f_mode & FMODE_WRITE)))
		return -EBADF;
	if (unlikely(READ_ONCE(h->clear)))
		WRITE_ONCE(h->clear, false);
	return devtrace_emit_user(p, _IOC_SIZE(cmd));
}

/* Map the control page, read-only. */
static int trace_mmap(struct file *file, struct vm_area_struct *vma)
{
	if (vma->vm_pgoff || vma->vm_end - vma->vm_start != PAGE_SIZE)
		return -EINVAL;
	/* With READ_IMPLIES_EXEC, a program that requests PROT_READ gets PROT_EXEC, too. */
	if (vma->vm_flags & VM_WRITE ||
	    (vma->vm_flags & VM_EXEC && !(current->personality & READ_IMPLIES_EXEC)))
		return -EPERM;
	compat_vm_flags(vma, VM_DONTEXPAND, VM_EXEC | VM_MAYWRITE | VM_MAYEXEC);
	return vm_insert_page(vma, vma->vm_start, vmalloc_to_page(cdev_control));
}

static const struct file_operations trace_fops = {
	.owner		= THIS_MODULE,
	.open		= trace_open,
	.flush		= trace_flush,
	.release	= trace_release,
	.read_iter	= cdev_read_iter,
	.write_iter	= cdev_write_iter,
	.splice_read	= compat_splice_read,
	.poll		= cdev_poll,
	.llseek		= cdev_llseek,
	.unlocked_ioctl	= trace_ioctl,
	.compat_ioctl	= compat_ptr_ioctl,
	.mmap		= trace_mmap,
};

static char *trace_devnode(compat_devnode_device *dev, umode_t *mode,
			   kuid_t *uid, kgid_t *gid)
{
	const struct stream *s = dev_get_drvdata(dev);

	/* NULL when the node is being removed. */
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

/*
 * A program that wrote to /dev/trace before the device existed has created a regular file. The
 * kernel then creates no node, and reports nothing, so warn. The path is looked up in the caller's
 * root.
 */
static void look_for_file(const struct device *dev)
{
	char name[sizeof("/dev/trace-") + DEVTRACE_NAME_LEN];
	struct file *file;

	snprintf(name, sizeof(name), "/dev/%s", dev_name(dev));
	/* O_PATH does not open the device. */
	file = filp_open(name, O_PATH, 0);
	if (IS_ERR(file))
		return;
	if (!S_ISCHR(file_inode(file)->i_mode))
		pr_warn("%s is a file, not a device, so the node cannot be made: remove it, and %s again\n",
			name, !MINOR(dev->devt) ? "load the module" : "make the stream");
	filp_close(file, NULL);
}

/* Create the device of a stream that is ready to be opened. Return 0 or a negative error number. */
int cdev_add_stream(struct stream *s)
{
	struct device *dev;
	int err;

	dev = kzalloc(sizeof(*dev), GFP_KERNEL);
	if (!dev)
		return -ENOMEM;
	dev->devt = MKDEV(cdev_major, s->id);
	dev->class = cdev_class;
	dev->type = &trace_type;
	dev->release = trace_device_release;
	dev_set_drvdata(dev, s);
	err = s->id ? dev_set_name(dev, "trace-%s", s->name) : dev_set_name(dev, "trace");
	if (err) {
		kfree(dev);
		return err;
	}
	err = device_register(dev);
	if (err) {
		put_device(dev);
		return err;
	}
	s->device = dev;
	look_for_file(dev);
	return 0;
}

/* Remove the device of a stream. An open descriptor keeps the stream. */
void cdev_del_stream(struct stream *s)
{
	device_unregister(s->device);
	s->device = NULL;
}

/*
 * Prepare for cdev_add_stream(). @config: owner of the nodes, which must stay valid; @control: the
 * control page. Return 0 or a negative error number.
 */
int devtrace_cdev_init(const struct devtrace_cdev_config *config,
		       struct devtrace_control *control)
{
	cdev_config = config;
	cdev_control = control;
	cdev_class = compat_class_create("devtrace");
	if (IS_ERR(cdev_class))
		return PTR_ERR(cdev_class);
	cdev_major = __register_chrdev(0, 0, DEVTRACE_STREAMS_MAX, "trace", &trace_fops);
	if (cdev_major >= 0)
		return 0;
	class_destroy(cdev_class);
	return cdev_major;
}

/* Called when no stream is left. */
void devtrace_cdev_exit(void)
{
	__unregister_chrdev(cdev_major, 0, DEVTRACE_STREAMS_MAX, "trace");
	class_destroy(cdev_class);
}

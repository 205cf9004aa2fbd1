/* SPDX-License-Identifier: GPL-2.0-only */
/* read(2), poll(2) and lseek(2) of /dev/trace: see cdev_read.c */
#ifndef DEVTRACE_CDEV_READ_H
#define DEVTRACE_CDEV_READ_H

#include <linux/fs.h>
#include <linux/poll.h>

ssize_t cdev_read_iter(struct kiocb *iocb, struct iov_iter *to);
__poll_t cdev_poll(struct file *file, poll_table *wait);
loff_t cdev_llseek(struct file *file, loff_t off, int whence);

#endif /* DEVTRACE_CDEV_READ_H */

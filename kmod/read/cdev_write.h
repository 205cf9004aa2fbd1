/* SPDX-License-Identifier: GPL-2.0-only */
/* write(2) of /dev/trace: see cdev_write.c */
#ifndef DEVTRACE_CDEV_WRITE_H
#define DEVTRACE_CDEV_WRITE_H

#include <linux/fs.h>

ssize_t cdev_write_iter(struct kiocb *iocb, struct iov_iter *from);

#endif /* DEVTRACE_CDEV_WRITE_H */

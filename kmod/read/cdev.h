/* SPDX-License-Identifier: GPL-2.0-only */
/* /dev/trace: see cdev.c */
#ifndef DEVTRACE_READ_CDEV_H
#define DEVTRACE_READ_CDEV_H

#include <linux/uidgid.h>

struct devtrace_control;
struct stream;

struct devtrace_cdev_config {
	kuid_t	uid;
	kgid_t	gid;
};

int devtrace_cdev_init(const struct devtrace_cdev_config *config,
		       struct devtrace_control *control);
void devtrace_cdev_exit(void);
int cdev_add_stream(struct stream *s);
void cdev_del_stream(struct stream *s);

#endif /* DEVTRACE_READ_CDEV_H */

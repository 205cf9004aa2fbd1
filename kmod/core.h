/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the parts of the module share
 *
 * Data flows one way: emit, ring, reader, wire, cdev, user. A file uses what
 * stands to its left and nothing that stands to its right; main.c sets all of
 * them up.
 */
#ifndef DEVTRACE_CORE_H
#define DEVTRACE_CORE_H

#include <linux/mutex.h>
#include <linux/percpu.h>
#include <linux/types.h>
#include <linux/wait.h>
#include <linux/devtrace.h>

#include "ring.h"

/* emit.c: the rings, one a CPU, and the ways into them */
DECLARE_PER_CPU(struct ring, devtrace_rings);

/* Serializes clearing with whoever reads what was cleared. */
extern struct mutex devtrace_clear_lock;
extern unsigned int devtrace_clear_count;

int devtrace_emit_init(unsigned long size, u32 start);
void devtrace_emit_exit(void);
long devtrace_emit_user(const struct devtrace_emit __user *arg, unsigned int size);
void devtrace_emit_text(u32 who, u8 severity, const char *text, unsigned int len);
void devtrace_clear(void);
void devtrace_stats_get(int cpu, struct devtrace_stats *s);

/* wake.c: waking readers by watermark and timer */
enum devtrace_waiting {
	DEVTRACE_NOBODY,
	DEVTRACE_WAITING,
	DEVTRACE_KICKED,
};

extern int devtrace_waiting;
extern wait_queue_head_t devtrace_wait;

void devtrace_wake_kick(void);
void devtrace_wake_later(void);
void devtrace_wake_full(void);
void devtrace_wake_prepare(void);
void devtrace_wake_now(void);
void devtrace_wake_init(void);
void devtrace_wake_exit(void);

/* cdev.c: /dev/trace */
struct devtrace_cdev_config {
	umode_t	mode;
	kuid_t	uid;
	kgid_t	gid;
};

int devtrace_cdev_init(const struct devtrace_cdev_config *config,
		       struct devtrace_control *control);
void devtrace_cdev_exit(void);

/* main.c */
extern struct devtrace_control *devtrace_control;
extern u8 devtrace_boot_id[16];

#endif /* DEVTRACE_CORE_H */

/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the parts of the module share
 *
 * Data flows one way: emit, filter, ring, reader, wire, cdev, user. A file uses what
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

#include "ring/ring.h"

struct stream;

/* emit.c: the rings of stream 0, and the ways into them */
DECLARE_PER_CPU(struct ring, devtrace_rings);

void devtrace_emit_text(u32 who, u8 severity, const char *text, unsigned int len);
void devtrace_type_stats(unsigned int type, u64 *stored, u64 *filtered);
int emit_slots_alloc(void);
void emit_slots_free(void);

/* emit_user.c: the way for programs */
long devtrace_emit_user(const struct devtrace_emit __user *arg, unsigned int size);
int emit_user_init(void);
void emit_user_exit(void);

/*
 * rings.c: memory for the rings of all streams, as CPUs come. Open: emitters go
 * straight to stream 0. Closed: they look into the table of filters first. The
 * caller waits for those under way.
 */
void devtrace_emit_gate(bool open);

/*
 * wake.c: waking readers by watermark and timer. Bit n: a reader of stream n waits,
 * and no event has come since; 16 + n: one has.
 */
extern u32 devtrace_waiting;

void devtrace_wake_kick(unsigned int id);
void devtrace_wake_later(void);
void devtrace_wake_full(unsigned int id);
void devtrace_wake_init(void);
void devtrace_wake_exit(void);

/* cdev.c: /dev/trace */
struct devtrace_cdev_config {
	kuid_t	uid;
	kgid_t	gid;
};

int devtrace_cdev_init(const struct devtrace_cdev_config *config,
		       struct devtrace_control *control);
void devtrace_cdev_exit(void);
int cdev_add_stream(struct stream *s);
void cdev_del_stream(struct stream *s);

/* main.c */
extern struct devtrace_control *devtrace_control;

#endif /* DEVTRACE_CORE_H */

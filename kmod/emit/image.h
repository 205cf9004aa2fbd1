/* SPDX-License-Identifier: GPL-2.0-only */
/* Number the drivers that have DT_LOG() statements, and turn statements off: see image.c */
#ifndef DEVTRACE_EMIT_IMAGE_H
#define DEVTRACE_EMIT_IMAGE_H

#include <linux/list.h>

struct module;

void image_find(struct module *mod, struct list_head *found);
void image_number_all(struct list_head *found);
void image_comes(struct module *mod);
void image_goes(const struct module *mod);
void image_exit(void);

#endif /* DEVTRACE_EMIT_IMAGE_H */

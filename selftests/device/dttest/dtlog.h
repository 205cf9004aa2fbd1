/* SPDX-License-Identifier: GPL-2.0-only */
/* dtlog.h - what the two files of dtlog.ko share: a statement of a header, and a function */
#ifndef DTLOG_H
#define DTLOG_H

#include <linux/devtrace_log.h>

/* Each file that calls this function has a statement of its own. */
static inline void dtlog_inline(int file)
{
	DT_INFO("inline %d\n", file);
}

void dtlog_other(void);

#endif /* DTLOG_H */

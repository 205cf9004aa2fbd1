/* SPDX-License-Identifier: GPL-2.0-only */
/* Hide addresses of the kernel: readers get hashes instead */
#ifndef DEVTRACE_HIDE_H
#define DEVTRACE_HIDE_H

#include <linux/types.h>

u64 hide_address(u64 v);
void hide_in_elements(u8 *p, unsigned int len);

#endif /* DEVTRACE_HIDE_H */

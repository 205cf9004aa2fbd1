/* SPDX-License-Identifier: GPL-2.0-only */
/* The memory that survives a reset: see region.c */
#ifndef DEVTRACE_PERSIST_REGION_H
#define DEVTRACE_PERSIST_REGION_H

#include <linux/types.h>

struct region {
	phys_addr_t	start;
	size_t		size;
	void		*at;
	bool		mapped; /* true: mapped by memremap(); false: in the kernel's own mapping */
	bool		cached;
};

int region_open(struct region *r, const char *word);
void region_close(struct region *r);
void region_flush(const struct region *r, void *p, size_t n);

#endif /* DEVTRACE_PERSIST_REGION_H */

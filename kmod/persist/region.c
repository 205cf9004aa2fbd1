// SPDX-License-Identifier: GPL-2.0-only
/*
 * The memory that survives a reset
 *
 * The memory was reserved at boot: by memmap= or mem=, by a device tree node below
 * /reserved-memory, or by name with reserve_mem=; or it is persistent memory. On x86, and with
 * reserve_mem=, it is mapped cached; then data is written back if the kernel can do that, since
 * a reset may lose what is only in caches. Otherwise it is mapped write-combining.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/err.h>
#include <linux/errno.h>
#include <linux/io.h>
#include <linux/ioport.h>
#include <linux/kernel.h>
#include <linux/libnvdimm.h>
#include <linux/of.h>
#include <linux/of_address.h>
#include <linux/string.h>

#include "compat/compat_region.h"
#include "layout.h"
#include "region.h"
#include "ring/size.h"

/* Minimum size of a region: enough for the tables and one ring of 64 KiB. */
#define REGION_MIN	(512UL * 1024)
#define REGION_MAX	PERSIST_SIZE_MAX

static int from_numbers(struct region *r, const char *word)
{
	const char *comma = strchr(word, ',');
	char addr[32];
	u64 start, size;

	if (!comma || comma - word >= (long)sizeof(addr))
		return -EINVAL;
	memcpy(addr, word, comma - word);
	addr[comma - word] = 0;
	if (kstrtou64(addr, 0, &start) || devtrace_size_parse(comma + 1, &size))
		return -EINVAL;
	if (start != (phys_addr_t)start || size > REGION_MAX || start + size < start)
		return -EINVAL;
	r->start = start;
	r->size = size;
	return 0;
}

/* Take the first device tree node with our compatible string. */
static int from_tree(struct region *r)
{
	struct device_node *node;
	struct resource res;
	int err;

	if (!IS_ENABLED(CONFIG_OF))
		return -ENODEV;
	node = of_find_compatible_node(NULL, NULL, "devtrace,persist");
	if (!node)
		return -ENODEV;
	err = of_address_to_resource(node, 0, &res);
	of_node_put(node);
	if (err)
		return err;
	r->start = res.start;
	r->size = min_t(u64, resource_size(&res), REGION_MAX);
	return 0;
}

static int region_map(struct region *r)
{
	r->cached = IS_ENABLED(CONFIG_X86);
	/* Refuse memory that the kernel uses. */
	if (region_intersects(r->start, r->size, IORESOURCE_SYSTEM_RAM, IORES_DESC_NONE) !=
	    REGION_DISJOINT) {
		pr_err("region=%pa,%zu: the kernel uses this memory; set it aside with memmap=, mem= or the device tree\n",
		       &r->start, r->size);
		return -EBUSY;
	}
	if (!request_mem_region(r->start, r->size, KBUILD_MODNAME)) {
		pr_err("region=%pa,%zu: a driver uses this memory; /proc/iomem says which\n",
		       &r->start, r->size);
		return -EBUSY;
	}
	r->at = memremap(r->start, r->size, r->cached ? MEMREMAP_WB : MEMREMAP_WC);
	if (r->at) {
		r->mapped = true;
		return 0;
	}
	release_mem_region(r->start, r->size);
	pr_err("region=%pa,%zu: cannot be mapped\n", &r->start, r->size);
	return -ENOMEM;
}

/**
 * region_open() - find the memory and map it
 * @r: filled in
 * @word: "ADDRESS,SIZE", a name of reserve_mem=, or "": take the device tree's node
 *
 * Context: process; may sleep.
 * Return: 0 or a negative error number; the reason is in the kernel log.
 */
int region_open(struct region *r, const char *word)
{
	phys_addr_t start, size;

	memset(r, 0, sizeof(*r));
	if (!*word) {
		if (from_tree(r)) {
			pr_err("no region: write region=ADDRESS,SIZE or region=NAME, or give the device tree a node \"devtrace,persist\"\n");
			return -ENODEV;
		}
	} else if (from_numbers(r, word)) {
		if (strchr(word, ',')) {
			pr_err("region=%*pE: write ADDRESS,SIZE, for example 0x1e000000,16M\n",
			       (int)strlen(word), word);
			return -EINVAL;
		}
		if (!compat_reserved_by_name(word, &start, &size)) {
			pr_err("region=%*pE: no memory of this name; boot with reserve_mem=SIZE:4096:NAME\n",
			       (int)strlen(word), word);
			return -ENODEV;
		}
		r->start = start;
		r->size = min_t(u64, size, REGION_MAX) & PAGE_MASK;
		r->cached = true;
		/*
		 * The kernel has mapped this memory already; a second mapping could have other
		 * attributes.
		 */
		r->at = phys_to_virt(start);
	}
	if (r->size < REGION_MIN || r->start % 4096 || r->size % 4096) {
		pr_err("region at %pa has %zu bytes, but must have at least %lu, in whole pages of 4096\n",
		       &r->start, r->size, REGION_MIN);
		return -EINVAL;
	}
	return r->at ? 0 : region_map(r);
}

void region_close(struct region *r)
{
	if (r->mapped) {
		memunmap(r->at);
		release_mem_region(r->start, r->size);
	}
	r->at = NULL;
}

/* Write caches back to memory, if the region is cached and the kernel has a function. */
void region_flush(const struct region *r, void *p, size_t n)
{
	if (!IS_ENABLED(CONFIG_ARCH_HAS_PMEM_API) || !r->cached)
		return;
	arch_wb_cache_pmem(p, n);
	/*
	 * Order the stores so far before those that are written back next. No pairing barrier:
	 * only the next boot reads the region.
	 */
	wmb();
}

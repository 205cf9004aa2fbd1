/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Pages that programs map, charged to the memory cgroup of the caller
 *
 * Before 5.11 the kernel marks a __GFP_ACCOUNT page (PageKmemcg) in the field that counts its
 * mappings. Mapping such a page destroys mark and count: the page is no longer charged, and
 * is freed while in use. So before 5.11 the pages come from a shmem file, which charges them like a
 * program's memory. They are removed from the file before they are mapped; then they belong to the
 * holder of a reference, like vmalloc() pages. All pages come from one file, which is created with
 * the first lane: a page fault must not fail because of the limit on open files.
 */
#ifndef DEVTRACE_COMPAT_MAPPED_H
#define DEVTRACE_COMPAT_MAPPED_H

#include <linux/gfp.h>
#include <linux/mm.h>
#include <linux/version.h>
#include <linux/vmalloc.h>

#if LINUX_VERSION_CODE < KERNEL_VERSION(5, 11, 0)
#include <linux/atomic.h>
#include <linux/err.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/shmem_fs.h>

/* Free a list of pages. The private member of each points to the previous one. */
static inline void compat_put_pages(struct page *last)
{
	struct page *before;

	for (; last; last = before) {
		before = (struct page *)page_private(last);
		set_page_private(last, 0);
		put_page(last);
	}
}

/* Size of the file in pages, far more than it ever holds. */
#define COMPAT_MAPPED_PAGES	0x40000000UL

static struct file *compat_mapped_file;
static atomic_long_t compat_mapped_next = ATOMIC_LONG_INIT(0);

static inline struct file *compat_mapped_get_file(void)
{
	struct file *file = READ_ONCE(compat_mapped_file), *other;

	if (file)
		return file;
	file = shmem_file_setup("trace-lane", (loff_t)COMPAT_MAPPED_PAGES << PAGE_SHIFT,
				VM_NORESERVE);
	if (IS_ERR(file))
		return NULL;
	other = cmpxchg(&compat_mapped_file, NULL, file);
	if (!other)
		return file;
	fput(file);
	return other;
}

/* Close the file. Called when no lane is left. */
static inline void compat_mapped_exit(void)
{
	if (compat_mapped_file)
		fput(compat_mapped_file);
}

/*
 * Allocate @nr zeroed pages, and store them in @pages unless that is NULL. Return the last page,
 * for compat_put_pages(); NULL: no memory. Each call uses a range of the file of its own, so that
 * no other call finds its pages there.
 */
static inline struct page *compat_get_pages(struct page **pages, unsigned long nr)
{
	struct file *file = compat_mapped_get_file();
	struct page *page, *last = NULL;
	unsigned long at, i;

	if (!file)
		return NULL;
	at = (unsigned long)atomic_long_fetch_add(nr, &compat_mapped_next) %
	     (COMPAT_MAPPED_PAGES - nr);
	for (i = 0; i < nr; i++) {
		page = shmem_read_mapping_page_gfp(file->f_mapping, at + i, GFP_HIGHUSER);
		if (!IS_ERR(page) && PageCompound(page)) {
			/* A huge page: the administrator has forced them for all shmem files. */
			put_page(page);
			page = ERR_PTR(-ENOMEM);
		}
		if (IS_ERR(page)) {
			compat_put_pages(last);
			last = NULL;
			break;
		}
		set_page_private(page, (unsigned long)last);
		if (pages)
			pages[i] = page;
		last = page;
	}
	shmem_truncate_range(file_inode(file), (loff_t)at << PAGE_SHIFT,
			     ((loff_t)(at + nr) << PAGE_SHIFT) - 1);
	return last;
}

static inline struct page *compat_alloc_mapped_page(void)
{
	return compat_get_pages(NULL, 1);
}

static inline void *compat_alloc_mapped(unsigned long bytes)
{
	const unsigned long nr = bytes >> PAGE_SHIFT;
	struct page **pages = kvmalloc_array(nr, sizeof(*pages), GFP_KERNEL);
	struct page *last = pages ? compat_get_pages(pages, nr) : NULL;
	void *p = last ? vmap(pages, nr, VM_MAP, PAGE_KERNEL) : NULL;

	if (!p)
		compat_put_pages(last);
	kvfree(pages);
	return p;
}

static inline void compat_free_mapped(const void *p, unsigned long bytes)
{
	struct page *last;

	if (!p)
		return;
	last = vmalloc_to_page(p + bytes - PAGE_SIZE);
	vunmap(p);
	compat_put_pages(last);
}
#else
#define compat_alloc_mapped_page()	alloc_page(GFP_HIGHUSER | __GFP_ZERO | __GFP_ACCOUNT)
#define compat_alloc_mapped(bytes)	__vmalloc(bytes, GFP_KERNEL_ACCOUNT | __GFP_ZERO)
#define compat_free_mapped(p, bytes)	kvfree(p)
#define compat_mapped_exit()		do { } while (0)
#endif

#endif /* DEVTRACE_COMPAT_MAPPED_H */

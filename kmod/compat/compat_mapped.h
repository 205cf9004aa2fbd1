/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Pages that programs map and that are charged to the memory cgroup of the caller
 *
 * Before 5.11 the kernel marks a page of __GFP_ACCOUNT in the very field that counts its
 * mappings (PageKmemcg). If such a page is mapped, both are destroyed: the page is charged
 * no more and is freed while it is used. There the pages are those of a file of shmem,
 * which are charged like the memory of a program. They are taken out of the file at once,
 * before anybody maps them: each belongs to who has a reference to it then, as a page of
 * vmalloc() does. To close the file is not enough, which is done when the system call or
 * the fault ends.
 */
#ifndef DEVTRACE_COMPAT_MAPPED_H
#define DEVTRACE_COMPAT_MAPPED_H

#include <linux/gfp.h>
#include <linux/mm.h>
#include <linux/version.h>
#include <linux/vmalloc.h>

#if LINUX_VERSION_CODE < KERNEL_VERSION(5, 11, 0)
#include <linux/err.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/shmem_fs.h>

/* Each page knows the one before it, so that all are found when nothing maps them any more. */
static inline void compat_put_pages(struct page *last)
{
	struct page *before;

	for (; last; last = before) {
		before = (struct page *)page_private(last);
		set_page_private(last, 0);
		put_page(last);
	}
}

/* The last of @nr zeroed pages, or NULL. Fills in @pages, if it is given. */
static inline struct page *compat_get_pages(struct page **pages, unsigned long nr)
{
	struct file *file = shmem_file_setup("trace-lane", nr << PAGE_SHIFT, VM_NORESERVE);
	struct page *page, *last = NULL;
	unsigned long i;

	if (IS_ERR(file))
		return NULL;
	for (i = 0; i < nr; i++) {
		page = shmem_read_mapping_page_gfp(file->f_mapping, i, GFP_HIGHUSER);
		if (!IS_ERR(page) && PageCompound(page)) {
			/* Huge pages were forced upon all files of shmem. */
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
	shmem_truncate_range(file_inode(file), 0, (loff_t)-1);
	fput(file);
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
#endif

#endif /* DEVTRACE_COMPAT_MAPPED_H */

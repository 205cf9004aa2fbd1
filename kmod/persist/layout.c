// SPDX-License-Identifier: GPL-2.0-only
/*
 * The layout of a region
 *
 * All offsets follow from the region's size, the number of rings, and the page size. Writer and
 * reader compute the offsets with the same function. So a header with other offsets was not
 * written by this module.
 */
#include "layout.h"
#include "ring/ring.h"

/* Names get an eighth of the region, at most 32768 entries. */
static u32 names_of(u64 size)
{
	const u32 nr = (u32)(size / 8) / (u32)sizeof(struct persist_name);

	return nr < 32768 ? nr : 32768;
}

static u64 names_at(void)
{
	return PERSIST_TABLES_AT + persist_page_up(PERSIST_THREADS * sizeof(struct persist_thread));
}

/*
 * Set @at to the offsets of the headers: the first page, the page after the tables, the last page.
 */
void persist_places(u64 size, u64 at[PERSIST_COPIES])
{
	at[0] = 0;
	at[1] = names_at() + persist_page_up((u64)names_of(size) * sizeof(struct persist_name));
	at[2] = size - PERSIST_PAGE;
}

/*
 * Return the largest size of a ring, a power of two, with which @rings rings fit into @room bytes.
 */
static u64 layout_fit(u64 room, u32 rings)
{
	u64 bytes = RING_SIZE_MAX;

	while (bytes >= 2 * PERSIST_PAGE && persist_stride(bytes) * rings > room)
		bytes /= 2;
	return bytes;
}

/* Fit blocks and lanes into the @room bytes after the rings, beginning at offset @at. */
static void lay_out_pool(struct persist_header *h, u64 at, u64 room)
{
	const u64 each = 2 * sizeof(struct persist_block) + PERSIST_PAGE, align = h->page;
	const u32 most = h->ring_bytes / PERSIST_PAGE;
	u64 end;
	u32 nr = 4;

	/* Leave room for rounding up to pages and to @align. */
	room = room > align + 4 * PERSIST_PAGE ? room - align - 4 * PERSIST_PAGE : 0;
	while (nr < most && nr < 32768 && 2 * nr * each <= room / 2)
		nr *= 2;
	if (nr * each > room / 2)
		return;
	h->nr_blocks = nr;
	room -= nr * each;
	/* A region has at most 1 GiB, so 32 bits suffice. */
	h->nr_lanes = (u32)room / (u32)(PERSIST_LANE_PAGES * PERSIST_PAGE +
					sizeof(struct persist_lane) +
					2 * sizeof(struct persist_slot) +
					2 * sizeof(struct persist_missed));
	h->nr_lanes = h->nr_lanes < PERSIST_SLOTS_MAX ? h->nr_lanes : PERSIST_SLOTS_MAX;
	h->nr_slots = h->nr_lanes;
	h->block_sums = at;
	h->slots = at + nr * 2 * sizeof(struct persist_block);
	h->missed = h->slots + (u64)h->nr_slots * 2 * sizeof(struct persist_slot);
	h->lanes = persist_page_up(h->missed +
				   (u64)h->nr_slots * 2 * sizeof(struct persist_missed));
	end = persist_page_up(h->lanes + (u64)h->nr_lanes * sizeof(struct persist_lane));
	h->blocks = end;
	end += (u64)nr * PERSIST_PAGE;
	h->lane_pages = (end + align - 1) & ~(align - 1);
}

/**
 * persist_lay_out() - compute the layout
 * @h: has @size, @nr_cpus, @nr_rings and @page; all other offsets and numbers are filled in
 *
 * Return: true if the numbers are valid and there is room for that many rings.
 */
bool persist_lay_out(struct persist_header *h)
{
	u64 at[PERSIST_COPIES], room;

	if (!h->nr_rings || h->nr_rings > PERSIST_RINGS_MAX || h->nr_rings > h->nr_cpus ||
	    h->nr_cpus > PERSIST_CPUS_MAX)
		return false;
	if (h->page && (h->page < PERSIST_PAGE || h->page > PERSIST_PAGE_MAX ||
			h->page & (h->page - 1)))
		return false;
	persist_places(h->size, at);
	h->nr_sources = h->nr_cpus + PERSIST_SLOTS_MAX;
	h->threads = PERSIST_TABLES_AT;
	h->nr_threads = PERSIST_THREADS;
	h->names = names_at();
	h->nr_names = names_of(h->size);
	h->rings = at[1] + PERSIST_PAGE;
	if (h->size > PERSIST_SIZE_MAX || h->rings > at[2])
		return false;
	room = at[2] - h->rings;
	/* Lanes get at least an eighth of the region, and all room that the rings leave. */
	h->ring_bytes = layout_fit(room - room / 8, h->nr_rings);
	if (h->ring_bytes < 4 * PERSIST_PAGE)
		return false;
	h->stride = persist_stride(h->ring_bytes);
	h->block_sums = 0;
	h->slots = 0;
	h->missed = 0;
	h->lanes = 0;
	h->blocks = 0;
	h->lane_pages = 0;
	h->nr_slots = 0;
	h->nr_blocks = 0;
	h->nr_lanes = 0;
	if (h->page)
		lay_out_pool(h, h->rings + h->stride * h->nr_rings,
			     room - h->stride * h->nr_rings);
	return true;
}

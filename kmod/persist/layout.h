/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The layout of a region of memory that survives a reset
 *
 *	header | causes, clocks, changes, threads, names | header |
 *	ring 0 | ring 1 | ... | pool | header
 *
 * Each header takes a whole page; any one of the three is enough. A ring is a page of words,
 * its sums, its data and an unused page:
 *
 *	commit, 2 * info, anchors, 2 * missed | two sums for each 4 KiB of data | data | 1 page
 *
 * The pool has the events of lanes: the pages of the ring of blocks, the pages that programs
 * write to directly (lanes), and tables of sums, slots and lanes:
 *
 *	two sums for each block | two entries for each slot | 2 * missed for each slot | lanes |
 *	blocks | pages of lanes
 *
 * Here "info" is a struct persist_info and "missed" a struct persist_missed. Each is stored twice,
 * so that one copy is valid while the other is being written.
 *
 * Every table entry has its own checksum. The commit of a ring, its anchors, and @taken of a lane
 * have none: they are checked against the records. So a damaged word costs only what it describes.
 *
 * Integers are in the machine's byte order. Records of rings are in the format of ring.h, those
 * in the pool in that of blocks.h and <linux/devtrace_lane.h>.
 */
#ifndef DEVTRACE_PERSIST_LAYOUT_H
#define DEVTRACE_PERSIST_LAYOUT_H

#include "port.h"

#define PERSIST_MAGIC		0x6563617274766564ULL
#define PERSIST_MAGIC_SWAPPED	0x6465767472616365ULL
#define PERSIST_VERSION		5
#define PERSIST_PAGE		4096U
/* The largest page size of any machine */
#define PERSIST_PAGE_MAX	0x100000U
#define PERSIST_COPIES		3
#define PERSIST_SIZE_MAX	0x40000000U
#define PERSIST_RINGS_MAX	1024U
#define PERSIST_NAME		65
/* Units of data that share a sum: 4 KiB */
#define PERSIST_CHUNK		512U
#define PERSIST_CAUSES		4
#define PERSIST_CLOCKS		64U
/* Number of changes of state kept; change n is at n modulo this. */
#define PERSIST_CHANGES		32U
/* Number of changes with counts in a struct persist_missed: see keep_change.c. */
#define PERSIST_COUNTED		(PERSIST_CHANGES - 1)
/* For each thread: its first name in the region, and the two newest ones */
#define PERSIST_THREAD_NAMES	3U
#define PERSIST_THREADS		(1024U * PERSIST_THREAD_NAMES)
#define PERSIST_SLOTS_MAX	4096U
/* Sources have 16-bit numbers: CPUs, then slots. */
#define PERSIST_CPUS_MAX	(65535U - PERSIST_SLOTS_MAX)
/* Pages of the smallest lane; each lane begins at a multiple of this. */
#define PERSIST_LANE_PAGES	2U

/**
 * struct persist_header - describes the region
 * @crc: checksum of all members before it; the same in the structures below
 */
struct persist_header {
	u64	magic;
	u32	version;
	u32	nr_cpus;
	u64	size;
	u64	ring_bytes;
	u64	rings;		/* offset of the first ring */
	u64	stride;		/* bytes from one ring to the next */
	u64	threads;	/* offsets of tables, in bytes from the region's start */
	u64	names;
	u64	block_sums;	/* the pool's table of block sums */
	u64	slots;
	u64	missed;		/* the pool's table of struct persist_missed */
	u64	lanes;
	u64	blocks;		/* offset of the blocks; whole pages follow from there on */
	u64	lane_pages;
	u32	page;		/* alignment of @lane_pages, which programs map; 0: no pool */
	u32	nr_rings;
	u32	nr_threads;
	u32	nr_names;
	u32	nr_sources;
	u32	nr_slots;	/* number of slots that have an entry */
	u32	nr_blocks;	/* a power of two; 0: no pool */
	u32	nr_lanes;	/* maximum number of lanes, all of the smallest size */
	u32	load;
	u32	flags;		/* DEVTRACE_INFO_* */
	u8	boot_id[16];
	char	machine[PERSIST_NAME];
	char	release[PERSIST_NAME];
	u8	reserved[2];
	u32	crc;
};

/* After the first header: causes, clocks and changes, a page each; then the other tables. */
#define PERSIST_CAUSES_AT	PERSIST_PAGE
#define PERSIST_CLOCKS_AT	(2 * PERSIST_PAGE)
#define PERSIST_CHANGES_AT	(3 * PERSIST_PAGE)
#define PERSIST_TABLES_AT	(4 * PERSIST_PAGE)

enum persist_why {
	PERSIST_NO_NOTICE = 0,
	PERSIST_OOPS	= 1,
	PERSIST_REBOOT	= 2,
	PERSIST_PANIC	= 3,
	PERSIST_UNLOADED = 4,
};

/* Why the machine went down, according to a notifier; cause @why has entry @why - 1. */
struct persist_cause {
	u32	why;
	u32	cpu;
	u64	ts;
	u64	real;
	u32	tid;
	char	comm[16];
	char	text[200];
	u32	crc;
};

struct persist_clock {
	u64	ts, mono, boot, real;
	u32	nr;
	u32	crc;
};

/*
 * A change of the stream's state, see struct stream_past. Changes are numbered from 0 in each
 * region.
 */
struct persist_change {
	u64	n;
	u64	ts;
	u64	began;
	u64	fired_at;
	u16	state;
	u16	early;
	char	trigger[32];
	u32	crc;
};

struct persist_thread {
	u64	since;
	u32	tid;
	u32	tgid;
	char	comm[16];
	u32	reserved;
	u32	crc;
};

/* A name that holds for events from @since on. */
struct persist_name {
	u64	serial;
	u64	since;
	u64	key;
	u32	scope;
	u32	value;
	u8	kind;
	u8	group;
	u16	reserved;
	char	name[64];
	u32	crc;
};

/*
 * State of a ring. It is stored twice; the valid entry with the greater @nr is used. Causes are
 * those of enum devtrace_cause.
 */
struct persist_info {
	u64	nr;
	u64	cleared;	/* index of the oldest event that was not cleared */
	u64	since;		/* time of the last clear, ns; 0: never cleared */
	u64	missed;		/* events missed because of stops before @since */
	u64	drops[6];	/* events dropped since the last clear, by cause */
	u32	cpu;
	u32	crc;
};

/*
 * Number of events that a ring or a slot had missed because of stops before each change of state,
 * since the stream was created. Change n is at index n modulo PERSIST_CHANGES. It is stored twice;
 * the valid entry with the greater @nr is used.
 */
struct persist_missed {
	u64	nr; /* there are counts for the PERSIST_COUNTED changes before number @nr */
	u64	missed[PERSIST_CHANGES];
	u32	reserved;
	u32	crc;
};

/* Checksum @sum of the records from @pos to @to_pos. @ts: time of the last record */
struct persist_sum {
	u64	pos, idx;
	u64	to_pos, to_idx;
	u64	ts;
	u32	sum;
	u32	crc;
};

/*
 * Sum of the first @fill bytes of a block. It is stored twice; the valid entry with the greater
 * @number, then the greater @fill, is used.
 */
struct persist_block {
	u64	number;
	u64	reserved;
	u32	fill;
	u32	sum;
	u32	reserved2;
	u32	crc;
};

/* State of a slot. It is stored twice; the valid entry with the greater @nr is used. */
struct persist_slot {
	u64	nr;
	u64	idx;		/* number of events stored so far */
	u64	cleared;	/* number of these that were cleared */
	u64	since;		/* time of the last clear, or 0 */
	u64	missed;
	u64	drops[6];	/* as in struct persist_info */
	u32	slot;
	u32	outside;	/* 1: its lane has memory outside the region */
	u32	reserved;
	u32	crc;
};

/*
 * A lane. Entry n of the table describes the lane whose pages begin at page n * PERSIST_LANE_PAGES.
 * @crc does not cover @taken, which changes: see lane_told().
 */
struct persist_lane {
	u64	made;
	u64	begin;		/* number of events of the slot before this lane */
	u32	slot;
	u32	pages;
	u32	tid;
	u32	tgid;
	u32	first;		/* number of the first block */
	u32	crc;
	u64	taken;
	u64	reserved[2];
};

#define PERSIST_COMMIT_AT	0
#define PERSIST_INFO_AT		64
#define PERSIST_ANCHORS_AT	1024
#define PERSIST_MISSED_AT	3072
#define PERSIST_SUMS_AT		PERSIST_PAGE

/* @crc of a structure covers all members before it. */
#define PERSIST_CRC(p)		persist_crc(p, offsetof(typeof(*(p)), crc))
#define PERSIST_OK(p)		((p)->crc == PERSIST_CRC(p))

static inline u64 persist_page_up(u64 n)
{
	return (n + PERSIST_PAGE - 1) & ~(u64)(PERSIST_PAGE - 1);
}

static inline u32 persist_chunks(u64 ring_bytes)
{
	return ring_bytes / (PERSIST_CHUNK * 8);
}

/* Return the valid one of two entries; if both are valid, the later one; NULL: neither is valid. */
static inline const struct persist_missed *persist_missed_of(const struct persist_missed *two)
{
	const bool a = PERSIST_OK(&two[0]), b = PERSIST_OK(&two[1]);

	if (a && b)
		return two[0].nr > two[1].nr ? &two[0] : &two[1];
	return a ? &two[0] : b ? &two[1] : NULL;
}

static inline u64 persist_data_at(u64 ring_bytes)
{
	return PERSIST_SUMS_AT +
	       persist_page_up((u64)persist_chunks(ring_bytes) * 2 * sizeof(struct persist_sum));
}

static inline u64 persist_stride(u64 ring_bytes)
{
	return persist_data_at(ring_bytes) + ring_bytes + PERSIST_PAGE;
}

void persist_places(u64 size, u64 at[PERSIST_COPIES]);
bool persist_lay_out(struct persist_header *h);

#endif /* DEVTRACE_PERSIST_LAYOUT_H */

// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_persist_cost.c - the steps to read a region are proportional to its pages
 *
 * A step is a basic block, counted by compiler instrumentation, so the load of the machine does
 * not matter.
 */
#include "kselftest_harness.h"
#include "persist_pool_image.h"

unsigned int ring_port_alloc_fails;

void ring_port_step(void)
{
}

#define SMALL	(8 * 1024 * 1024U)
#define LARGE	(32 * 1024 * 1024U)

#ifdef __clang__
#define UNCOUNTED	__attribute__((no_sanitize("coverage")))
#else
#define UNCOUNTED	__attribute__((no_sanitize_coverage))
#endif

static u64 steps;

void __sanitizer_cov_trace_pc(void);

UNCOUNTED void __sanitizer_cov_trace_pc(void)
{
	steps++;
}

/* Steps per page to read the image. */
static double steps_for_page(u32 pages)
{
	struct persist_out o = { .grow = image_grow };

	steps = 0;
	if (persist_render(image, &head, "last", &o, &account))
		abort();
	free(o.buf);
	return (double)steps / pages;
}

static double pool_steps(void)
{
	return steps_for_page(head.nr_blocks + head.nr_lanes * PERSIST_LANE_PAGES);
}

/* Fill the pool with runs of one event of slot 0, and each place with a lane of two pages. */
static void fill_pool(u64 size, bool one_slot)
{
	u32 k, i, off;
	u64 idx = 0;

	use_size(size);
	for (k = 0; k < head.nr_blocks; k++) {
		for (off = 0; off + HEAD + RECORD <= PERSIST_PAGE; )
			off = put_run(k, off, 0, idx++, 1);
		sum_block(k, 0, off);
	}
	for (i = 0; i < head.nr_lanes; i++) {
		struct devtrace_lane_block *b = lane_page(i, 0);

		*b = (struct devtrace_lane_block){
			.time = TS, .number = 2, .cpu = DEVTRACE_LANE_NO_CPU,
			.used = LANE_HEADER + RECORD, .head = { .open = 2 },
		};
		put_records((u8 *)(b + 1), 1);
		store_lane(i, (struct persist_lane){ .made = 1, .slot = one_slot ? 0 : i,
			   .pages = 2, .first = 2, .taken = lane_told(0) });
	}
}

/* Each lane claims all runs of the pool. */
TEST(lanes_of_one_slot)
{
	double large, small;

	fill_pool(SMALL, true);
	small = pool_steps();
	fill_pool(LARGE, true);
	large = pool_steps();
	TH_LOG("%.0f steps for a page of a small region, %.0f of a large one", small, large);
	EXPECT_LT(large, 1.3 * small);
	fill_pool(LARGE, false);
	EXPECT_LT(large, 1.3 * pool_steps());
}

/* A ring of records without payload; the checksum of each chunk claims the whole ring. */
static void fill_ring(u64 size)
{
	const u64 word = (u64)TYPE << RING_TYPE_SHIFT | TS;
	struct persist_sum *sums;
	u64 *data, units, lap;
	u32 chunks, i;

	use_size(size);
	units = head.ring_bytes / RING_UNIT;
	chunks = persist_chunks(head.ring_bytes);
	data = (void *)(image + head.rings + persist_data_at(head.ring_bytes));
	sums = (void *)(image + head.rings + PERSIST_SUMS_AT);
	for (i = 0; i < units; i += 2)
		data[i] = word;
	for (i = 0; i < chunks; i++) {
		/* The newest is short, so that none of the others counts as overwritten. */
		lap = i + 1 < chunks ? units : 2;
		sums[2 * i].pos = units + i * PERSIST_CHUNK;
		sums[2 * i].to_pos = sums[2 * i].pos + lap;
		sums[2 * i].to_idx = lap / 2;
		sums[2 * i].ts = word;
		sums[2 * i].crc = PERSIST_CRC(&sums[2 * i]);
	}
}

TEST(sums_of_a_whole_ring)
{
	double large, small;

	fill_ring(SMALL / 8);
	small = steps_for_page(head.ring_bytes / PERSIST_PAGE);
	fill_ring(SMALL);
	large = steps_for_page(head.ring_bytes / PERSIST_PAGE);
	TH_LOG("%.0f steps for a page of a small ring, %.0f of a large one", small, large);
	EXPECT_LT(large, 1.3 * small);
}

/*
 * A ring of records without payload and with equal times. From each anchor they lead to the
 * next, nearly a lap ahead, in the preceding block.
 */
static double steps_of_places(u64 size)
{
	const u64 word = (u64)TYPE << RING_TYPE_SHIFT | TS;
	u64 *data, *anchors, units, pos;
	u32 i, blocks, block;
	struct persist_sum *sum;

	use_size(size);
	units = head.ring_bytes / RING_UNIT;
	data = (void *)(image + head.rings + persist_data_at(head.ring_bytes));
	anchors = (void *)(image + head.rings + PERSIST_ANCHORS_AT);
	sum = (void *)(image + head.rings + PERSIST_SUMS_AT);
	for (i = 0; i < units; i += 2)
		data[i] = word;
	*sum = (struct persist_sum){ .to_pos = 2, .to_idx = 1, .ts = TS };
	sum->crc = PERSIST_CRC(sum);
	blocks = persist_chunks(head.ring_bytes);
	if (blocks > RING_BLOCKS_MAX)
		blocks = RING_BLOCKS_MAX;
	block = units / blocks;
	for (i = 0, pos = units - block; i < blocks; i++, pos += units - block)
		anchors[blocks - 1 - i] = ring_word(pos, pos / 2);
	return steps_for_page(head.ring_bytes / PERSIST_PAGE);
}

TEST(places_of_many_laps)
{
	const double small = steps_of_places(SMALL / 8), large = steps_of_places(SMALL);

	TH_LOG("%.0f steps for a page of a small ring, %.0f of a large one", small, large);
	EXPECT_LT(large, 1.3 * small);
}

/* Each checksum says that its chunk is one lap older than the preceding chunk. */
static double steps_of_laps(u64 size)
{
	struct persist_sum *sums;
	u64 units;
	u32 i, chunks;

	use_size(size);
	units = head.ring_bytes / RING_UNIT;
	chunks = persist_chunks(head.ring_bytes);
	sums = (void *)(image + head.rings + PERSIST_SUMS_AT);
	for (i = 0; i < chunks; i++) {
		sums[2 * i].pos = (chunks - i) * units + i * PERSIST_CHUNK;
		sums[2 * i].to_pos = sums[2 * i].pos + 2;
		sums[2 * i].to_idx = 1;
		sums[2 * i].crc = PERSIST_CRC(&sums[2 * i]);
	}
	return steps_for_page(head.ring_bytes / PERSIST_PAGE);
}

TEST(sums_in_any_order)
{
	const double small = steps_of_laps(SMALL), large = steps_of_laps(LARGE);

	TH_LOG("%.0f steps for a page of a small ring, %.0f of a large one", small, large);
	EXPECT_LT(large, 1.3 * small);
}

/*
 * Fill a pool with runs of one event. With a @gap, runs at distances that grow by 3n + 1 belong
 * to another slot, which is the worst case for Shell's sort.
 */
static double steps_of_runs(u64 size, u32 gap)
{
	u32 k, n = 0, off, i;
	bool *late;

	use_size(size);
	late = calloc(head.nr_blocks, PERSIST_PAGE / HEAD);
	late[0] = gap;
	for (k = 0; k < head.nr_blocks; k++) {
		for (off = 0; off + HEAD + RECORD <= PERSIST_PAGE; n++) {
			for (i = gap; i && i <= n; i = 3 * i + 1)
				late[n] |= late[n - i];
			off = put_run(k, off, late[n], n, 1);
		}
		sum_block(k, 0, off);
	}
	free(late);
	return steps_for_page(head.nr_blocks);
}

TEST(runs_in_any_order)
{
	const double ordered = steps_of_runs(LARGE, 0), other = steps_of_runs(LARGE, 364);

	TH_LOG("%.0f steps for a page of runs in order, %.0f of others", ordered, other);
	EXPECT_LT(other, 1.3 * ordered);
}

TEST_HARNESS_MAIN

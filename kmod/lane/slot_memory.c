// SPDX-License-Identifier: GPL-2.0-only
/*
 * Memory of slots: rings of blocks, chains and counters, for each stream
 *
 * The first lane makes the rings of blocks of all streams that store events, or of none. A stream
 * that is created later gets its ring at once. Chains and counters are allocated in chunks, before
 * a slot in the chunk is used.
 */
#include <linux/kernel.h>
#include <linux/lockdep.h>
#include <linux/overflow.h>
#include <linux/percpu.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "slot.h"
#include "slot_memory.h"
#include "slot_priv.h"
#include "slot_stats.h"
#include "stream/stream.h"
#include "stream/table.h"
#include "take.h"
#include "take_copy.h"

/* Memory for one chunk of slots in one stream. */
struct chunk {
	struct chain		chains[SLOTS_CHUNK];
	struct slot_part	parts[SLOTS_CHUNK];
};

struct slots_lent slots_lent;

void slots_memory_free(struct slots_memory *m)
{
	u8 *page;
	u32 i;

	for (i = 0; m->pages && i < m->pages->nr; i++) {
		page = m->spare && m->spare[i] ? m->spare[i] : m->pages->at[i];
		if (!slots_is_lent(page))
			kfree(page);
	}
	kvfree(m->pages);
	kvfree(m->state);
	kvfree(m->spare);
}

/* Allocate memory for a ring of @nr blocks; @lent: use the borrowed pages. Return 0 or -ENOMEM. */
int slots_memory_alloc(struct slots_memory *m, u32 nr, bool lent)
{
	u32 i;

	if (lent)
		nr = slots_lent.nr;
	m->pages = kvzalloc(struct_size(m->pages, at, nr), GFP_KERNEL);
	m->state = kvcalloc(nr, sizeof(*m->state), GFP_KERNEL);
	if (m->pages)
		m->pages->nr = nr;
	for (i = 0; m->pages && m->state && i < nr; i++) {
		m->pages->at[i] = lent ? slots_lent.at + (size_t)i * BLOCK_BYTES :
				  kzalloc(BLOCK_BYTES,
					  GFP_KERNEL | __GFP_NOWARN | __GFP_RETRY_MAYFAIL);
		if (!m->pages->at[i])
			break;
		cond_resched();
	}
	if (i == nr && m->state)
		return 0;
	slots_memory_free(m);
	return -ENOMEM;
}

/* Does the stream have memory for a chunk? If not, @spare becomes this memory. slots_lock held. */
static bool has_chunk(struct slots *in, unsigned int chunk, struct slots_spare *spare)
{
	struct chunk *c = spare->chunk;

	if (in->parts[chunk])
		return true;
	if (!c)
		return false;
	in->blocks.chains[chunk] = c->chains;
	in->parts[chunk] = c->parts;
	spare->chunk = NULL;
	return true;
}

/*
 * Do all streams have memory for a chunk of slots? If not, use what @spare has; if this does not
 * suffice, the caller calls slots_spare_alloc() and tries again. slots_lock held.
 */
bool slots_have_chunks(unsigned int chunk, struct slots_spare *spare)
{
	unsigned int id;

	if (!slots_chunks[chunk]) {
		slots_chunks[chunk] = spare->slots;
		spare->slots = NULL;
	}
	if (!slots_chunks[chunk])
		return false;
	for (id = 0; id < DEVTRACE_STREAMS_MAX; id++)
		if (slots_all[id] && slots_all[id]->blocks.nr &&
		    !has_chunk(slots_all[id], chunk, spare))
			return false;
	return true;
}

/* Allocate what @spare lacks. Return false if there is no memory. */
bool slots_spare_alloc(struct slots_spare *spare)
{
	if (!spare->slots)
		spare->slots = kvcalloc(SLOTS_CHUNK, sizeof(*spare->slots), GFP_KERNEL);
	if (!spare->chunk)
		spare->chunk = kvzalloc(sizeof(*spare->chunk), GFP_KERNEL);
	return spare->slots && spare->chunk;
}

void slots_spare_free(struct slots_spare *spare)
{
	kvfree(spare->slots);
	kvfree(spare->chunk);
}

/* The stream has memory for this number of slots. slots_lock held. */
void slots_set_nr(struct slots *in, unsigned int nr)
{
	/*
	 * LMM(slot_nr:D): If a reader reads this number, then it reads the pointers to the chunks.
	 * Pairs with slot_nr:E.
	 */
	smp_store_release(&in->nr, nr);
}

/* Make the ring of blocks of a stream. Return 0 or -ENOMEM. devtrace_lock held. */
static int slots_make(struct slots *in, unsigned long bytes)
{
	struct slots_memory m = { 0 };

	if (in->blocks.nr)
		return 0;
	if (slots_memory_alloc(&m, slots_blocks_for(bytes), in == &slots0 && slots_lent.on))
		return -ENOMEM;
	raw_spin_lock(&slots_lock);
	/* Take the lock under which readers find runs. */
	in->blocks.pages = m.pages;
	in->blocks.state = m.state;
	WRITE_ONCE(in->blocks.nr, m.pages->nr);
	blocks_init(&in->blocks, slots_first_block);
	raw_spin_unlock(&slots_lock);
	return 0;
}

/*
 * Make the rings of blocks for the first lane, that of stream 0 last: it says that all are there.
 * On failure stream 0 has none. Process context, devtrace_lock held, since a resize of a stream
 * changes the size.
 */
void slots_make_all(void)
{
	struct stream *s;
	unsigned int id;

	lockdep_assert_held(&devtrace_lock);
	for (id = DEVTRACE_STREAMS_MAX; id--;) {
		s = stream_by_id(id);
		if (s && s->slots && slots_make(s->slots, s->bytes))
			return;
	}
}

/* Give a new stream memory for all slots there are, and enter it. Return 0 or -ENOMEM. */
static int enter_slots(struct slots *in, unsigned int id)
{
	struct slots_spare spare = { 0 };
	unsigned int nr, chunk = 0;
	bool got;

	do {
		raw_spin_lock(&slots_lock);
		nr = in->blocks.nr ? slots_nr() : 0;
		got = true;
		while (got && chunk * SLOTS_CHUNK < nr) {
			got = has_chunk(in, chunk, &spare);
			chunk += got;
		}
		if (got) {
			slots_set_nr(in, nr);
			slots_all[id] = in;
		}
		raw_spin_unlock(&slots_lock);
	} while (!got && slots_spare_alloc(&spare));
	slots_spare_free(&spare);
	return got ? 0 : -ENOMEM;
}

/**
 * slots_add() - let a stream store events of lanes
 * @s: the stream, not 0, not in the table yet
 *
 * Context: process, devtrace_lock held.
 * Return: 0 or -ENOMEM. After slots_leave(), the caller frees @s->slots by slots_free().
 */
int slots_add(struct stream *s)
{
	struct slots *in = kzalloc(sizeof(*in), GFP_KERNEL);
	int err;

	lockdep_assert_held(&devtrace_lock);
	if (!in)
		return -ENOMEM;
	s->slots = in;
	in->emitted = s->before;
	err = take_copy_prepare();
	if (!err && slots0.blocks.nr)
		err = slots_make(in, s->bytes);
	if (!err)
		err = enter_slots(in, s->id);
	if (err)
		return err;
	slots_take_all();
	in->before = slots_handled(&slots0);
	return 0;
}

/*
 * The stream stores no more events of lanes. Its readers may go on. The caller waits for active
 * emitters before it frees anything. devtrace_lock held.
 */
void slots_leave(struct stream *s)
{
	raw_spin_lock(&slots_lock);
	slots_all[s->id] = NULL;
	raw_spin_unlock(&slots_lock);
}

/* Free the memory of a stream's slots, but not @in. No lane and no reader uses it. */
static void free_parts(struct slots *in)
{
	struct slots_memory m = { .pages = in->blocks.pages, .state = in->blocks.state };
	unsigned int i;

	slots_memory_free(&m);
	/* The chains are the first member of a chunk, so this frees the whole chunk. */
	for (i = 0; i < ARRAY_SIZE(in->parts); i++)
		kvfree(in->blocks.chains[i]);
}

/* Free what slots_add() allocated; NULL: nothing. */
void slots_free(struct slots *in)
{
	if (!in)
		return;
	free_parts(in);
	kfree(in);
}

/* Called when no lane and no reader is left. */
void slots_exit(void)
{
	unsigned int i;

	take_copy_exit();
	free_parts(&slots0);
	for (i = 0; i < ARRAY_SIZE(slots_chunks); i++)
		kvfree(slots_chunks[i]);
}

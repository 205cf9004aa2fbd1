// SPDX-License-Identifier: GPL-2.0-only
/*
 * ring.pml - reserve, evict, commit, read and clear, in every order
 *
 * A ring of four units on one CPU: a writer, an interrupt that may come between
 * any two of its steps, an NMI that may come between any two of both, each
 * emitting records of one or two units and perhaps taking them back; and a reader
 * on another CPU, which may clear. Every step of a writer is one access to shared
 * memory, as in kmod/ring/ring.h and kmod/ring/ring.c.
 *
 * Writers see memory as their own CPU does. What they store is kept, each place's
 * values in order, for the reader, which comes after them: see reader.pml.
 *
 * Claims, as assertions:
 *  - no unit is overwritten before the tail has passed it;
 *  - tail and commit stand where a record begins, commit behind whole ones;
 *  - the tail never passes commit, time never runs backwards, a walk ends;
 *  - what a reader keeps is whole and is the record it takes it for;
 *  - its positions and indices are right beyond what the words of the ring count to;
 *  - read + lost + cleared == emitted at the end; every drop is counted.
 *
 * Not here: anchors, the bound on time, resizing (nobody reads or writes then).
 *
 * NO_x takes out the check or barrier x; check.sh has the list.
 */
#ifndef WRITER
#define WRITER	1	/* events of the writer, of the interrupt, of the NMI */
#define IRQ	1
#define NMI	1
#endif
#ifndef READS
#define READS	0	/* how often the reader reads before all is quiet */
#endif
#ifndef CLEARS
#define CLEARS	0	/* how often it clears, at most */
#endif
#ifndef VOIDS
#define VOIDS	0	/* whether a record may be taken back */
#endif
#ifndef LEAST
#define LEAST	1	/* units of the smallest record that is emitted */
#endif
#define SIZE	4
#ifndef AHEAD
#define AHEAD	1	/* how much more to evict than is needed */
#endif
#ifndef BLOCK
#define BLOCK	SIZE	/* units in a block */
#endif
#define MAX	(2 + WRITER + IRQ + NMI)	/* records at most */
#define PAD	255

/*
 * The words of the ring count to 64, for 2^32, so a quarter is 16; positions and
 * indices begin just below one. The writers' own are not cut off: they stay below.
 */
#define WORD	64
#define QUARTER	16
#define POS0	12
#ifndef IDX0
#define IDX0	13
#endif

/* A position and an index, loaded and exchanged in one piece. */
typedef word {
	byte pos;
	byte idx
};

word head, tail, commit;
byte nest, prepared, pos_epoch, idx_epoch;
/*
 * What stands in each unit: the record's index less IDX0, plus 1, or PAD; its units;
 * which of them this is; whether it was taken back.
 */
#define unit(id, size, part)	((id) | (size) << 8 | (part) << 10)
#define VOID			2048
#define id_of(u)		((u) & 255)
#define size_of(u)		((u) >> 8 & 3)
#define part_of(u)		((u) >> 10 & 1)
short data[SIZE];
byte dropped, drops_seen, now, last_ts;

/* The truth, by index. */
byte begins[MAX], padded[MAX], ends[MAX];
bool done[MAX], voided[MAX];

bool in_irq, in_nmi;
byte writers;

/* What was stored, for the reader: places, their values, and what orders these. */
#define TAIL	0
#define HEAD	1
#define COMMIT	2
#define POSE	3
#define IDXE	4
#define DATA	5	/* and the SIZE - 1 behind it */
#define PLACES	(DATA + SIZE)
#define VALUES	8
#define ORDERS	20
#if READS
short value[PLACES * VALUES];
byte order[PLACES * VALUES];	/* the value is seen only if these were: */
byte last[PLACES];
typedef stores {
	byte last[PLACES]
};
stores before[ORDERS];
byte orders, barrier;

#define in_word(w)	((w.pos % WORD) | (w.idx % WORD) << 6)

inline note(place, v)
{
	d_step {
		assert(last[place] + 1 < VALUES);
		last[place]++;
		value[(place) * VALUES + last[place]] = v;
		order[(place) * VALUES + last[place]] = barrier
	}
}

/* All that was stored until now comes before what is to come. */
inline new_order()
{
	d_step {
		assert(orders + 1 < ORDERS);
		orders++;
		k = 0;
		do
		:: k < PLACES -> before[orders].last[k] = last[k]; k++
		:: else -> break
		od;
		k = 0
	}
}

inline write_barrier()
{
	d_step { new_order(); barrier = orders }
}

inline note_release(place, v)
{
	d_step {
		new_order();
		note(place, v);
		order[(place) * VALUES + last[place]] = orders
	}
}
#else
#define note(place, v)
#define note_release(place, v)
#define write_barrier()
#endif

#define same(a, b)	(a.pos == b.pos && a.idx == b.idx)
#define nth(i)		((i) - IDX0)
#define boundary(w)	(w.idx == head.idx && w.pos == head.pos || \
			 w.idx < head.idx && (w.pos == begins[nth(w.idx)] || \
					w.pos == begins[nth(w.idx)] + padded[nth(w.idx)]))

/* Exchange head; whether it was as we knew it. */
inline take(exchange)
{
	atomic {
		taken = same(head, old) || !exchange;
		if
		:: taken ->
			assert(nth(head.idx) < MAX);
			assert(ts >= last_ts);
			assert(pad || old.pos % SIZE + size <= SIZE);
			last_ts = ts;
			begins[nth(head.idx)] = old.pos;
			padded[nth(head.idx)] = pad;
			ends[nth(head.idx)] = end;
			head.pos = end;
			head.idx = old.idx + 1;
			note(HEAD, in_word(head))
		:: else
		fi
	}
}

/* Payload that an interrupt wrote may look like any header. */
inline load_unit()
{
	atomic {
		h = id_of(data[(t.pos + gone) % SIZE]);
		u = size_of(data[(t.pos + gone) % SIZE]);
		if
		:: part_of(data[(t.pos + gone) % SIZE]) -> h = PAD; u = 0
		:: part_of(data[(t.pos + gone) % SIZE]) -> h = 1; u = 1
		:: !part_of(data[(t.pos + gone) % SIZE])
		fi
	}
}

/* Walk over as many complete records as are wanted, then exchange tail. */
inline evict()
{
	u = commit.pos - t.pos;
	n = end - t.pos - SIZE + AHEAD;
#ifndef NO_EVICT_MIN
	if
	:: n > u -> n = u
	:: else
	fi;
#endif
	gone = 0;
	count = 0;
	do
	:: gone < n ->
		load_unit();
		if
		:: h != PAD ->
			/* The length is not in the word with the type. */
			load_unit();
			if
			:: u == 0 -> u = 1
			:: else
			fi;
			gone = gone + u;
			count++
		:: h == PAD ->
			if
#ifdef NO_EVICT_DOUBT
			:: true ->
#else
			:: same(tail, t) ->
#endif
				/* Or else the walk would not end. */
				assert(u);
				gone = gone + u
#ifndef NO_EVICT_DOUBT
			:: else -> break
#endif
			fi
		fi
	:: else -> break
	od;
	atomic {
		u = t.pos;
		if
#ifdef NO_EVICT_EXCHANGE
		:: true ->
#else
		:: same(tail, t) ->
#endif
			tail.pos = t.pos + gone;
			tail.idx = t.idx + count;
			assert(tail.pos <= commit.pos);
			assert(boundary(tail));
			note(TAIL, in_word(tail))
#ifndef NO_EVICT_EXCHANGE
		:: else
#endif
		fi;
		t.pos = tail.pos;
		t.idx = tail.idx;
		/* Or else the writer would evict for ever. */
		assert(t.pos > u)
	}
}

/* Behind the exchange: the quarters that were passed. */
inline cross()
{
	h = (end / QUARTER - old.pos / QUARTER) & 3;
	if
	:: h ->
		u = pos_epoch;
		atomic {
			pos_epoch = u + h;
#ifdef NO_CROSS_A_POSITION
			note(POSE, pos_epoch)
#else
			note_release(POSE, pos_epoch)
#endif
		}
	:: else
	fi;
	u = idx_epoch;
	h = ((old.idx + 1) % WORD / QUARTER - u) & 3;
	if
#ifdef NO_CROSS_COMPARE
	:: h ->
#else
	:: h == 1 ->
#endif
		atomic {
			idx_epoch = u + 1;
#ifdef NO_CROSS_A_INDEX
			note(IDXE, idx_epoch)
#else
			note_release(IDXE, idx_epoch)
#endif
		}
	:: else
	fi
}

inline load_head_and_clock()
{
#ifdef NO_CLOCK_BEHIND_HEAD
	atomic { ts = now; now++ };
	atomic { old.pos = head.pos; old.idx = head.idx };
#else
	atomic { old.pos = head.pos; old.idx = head.idx };
	atomic { ts = now; now++ };
#endif
}

inline commit_head()
{
	atomic {
		n = commit.idx;
		do
		:: n < t.idx -> assert(done[nth(n)]); n++
		:: else -> break
		od;
		assert(commit.pos <= t.pos);
		commit.pos = t.pos;
		commit.idx = t.idx;
#ifdef NO_LEAVE_A
		note(COMMIT, in_word(commit))
#else
		note_release(COMMIT, in_word(commit))
#endif
	}
}

/* One event, from ring_enter() to ring_leave(). */
inline emit()
{
#ifndef NO_ENTER_NEST
	n = nest;
	nest = n + 1;
#endif
	select(size : LEAST .. 2);
	load_head_and_clock();
	pad = 0;
	end = old.pos + size;
	/* Up to prepared there is nothing to evict, to pad or to note down. */
	if
	:: end <= prepared ->
#ifdef NO_RESERVE_EXCHANGE
		take(false);
#else
		take(true);
#endif
		if
		:: taken ->
			assert(old.pos / BLOCK == end / BLOCK);
			goto fill
		:: else
		fi
	:: else
	fi;
slow:
	load_head_and_clock();
	pad = 0;
#ifndef NO_SLOW_PAD
	if
	:: old.pos % SIZE + size > SIZE -> pad = SIZE - old.pos % SIZE
	:: else
	fi;
#endif
	end = old.pos + pad + size;
	atomic { t.pos = tail.pos; t.idx = tail.idx };
#ifndef NO_SLOW_ROOM
	do
	:: end > t.pos + SIZE ->
		if
#ifndef NO_SLOW_BUSY
		:: t.pos == commit.pos ->
			atomic { dropped++; drops_seen++ };
			goto leave
#endif
		:: else -> evict()
		fi
	:: else -> break
	od;
#endif
#ifndef NO_RESERVE_A
	write_barrier();
#endif
#ifdef NO_SLOW_EXCHANGE
	take(false);
#else
	take(true);
#endif
	if
	:: !taken -> goto slow
	:: else
	fi;
	if
	:: pad ->
		atomic {
			assert(old.pos < tail.pos + SIZE);
			data[old.pos % SIZE] = unit(PAD, pad, 0);
			note(DATA + old.pos % SIZE, data[old.pos % SIZE])
		}
	:: else
	fi;
	if
	:: old.pos / BLOCK != end / BLOCK -> cross()
	:: else
	fi;
	h = end | (BLOCK - 1);
#ifdef NO_EASY_BLOCK
	h = end + SIZE; /* and so past the block */
#endif
#ifndef NO_EASY_TAIL
	if
	:: t.pos + SIZE < h -> h = t.pos + SIZE
	:: else
	fi;
#endif
	prepared = h;
fill:
	n = 0;
	do
	:: n < size ->
		atomic {
			h = (end - size + n) % SIZE;
			assert(end - size + n < tail.pos + SIZE);
			data[h] = unit(nth(old.idx) + 1, size, n);
			note(DATA + h, data[h]);
			n++
		}
	:: else -> break
	od;
#if VOIDS
	if
	:: true
	:: true ->
		voided[nth(old.idx)] = true;
		/* Late: another place to be committed first. */
#ifndef NO_VOID_BEFORE_LEAVE
		void()
#endif
	fi;
#endif
	done[nth(old.idx)] = true;
leave:
	if
#ifndef NO_LEAVE_NEST
	:: nest != 1 ->
		n = nest;
		nest = n - 1
#endif
	:: else ->
		do
		:: true ->
			atomic { t.pos = head.pos; t.idx = head.idx };
#ifdef NO_LEAVE_ORDER
			nest = 0;
			commit_head();
#else
			commit_head();
			nest = 0;
#endif
#ifdef NO_LEAVE_SECOND_LOOK
			break;
#endif
			if
			:: head.pos == t.pos -> break
			:: else -> nest = 1
			fi
		od
	fi;
#ifdef NO_VOID_BEFORE_LEAVE
	if
	:: taken && voided[nth(old.idx)] -> void()
	:: else
	fi;
#endif
	n = 0; h = 0; u = 0; gone = 0; count = 0; end = 0; taken = false; pad = 0; ts = 0; size = 0;
	old.pos = 0; old.idx = 0; t.pos = 0; t.idx = 0
}

inline void()
{
	atomic {
		h = (end - size) % SIZE;
		data[h] = data[h] | VOID;
		note(DATA + h, data[h])
	}
}

#define WRITERS_OWN				\
	word old, t;				\
	byte n, size, pad, end, ts, h, u;	\
	byte gone, count, events, k;		\
	bool taken

proctype writer() provided (!in_irq && !in_nmi)
{
	WRITERS_OWN;

	do
	:: events < WRITER -> emit(); events++
	:: else -> break
	od;
	writers--
}

/* It comes when it likes, and then runs to its end. */
proctype interrupt() provided (!in_nmi)
{
	WRITERS_OWN;

	do
	:: events < IRQ ->
		in_irq = true;
		emit();
		events++;
		in_irq = false
	:: else -> break
	od;
	writers--
}

proctype nmi()
{
	WRITERS_OWN;

	do
	:: events < NMI ->
		in_nmi = true;
		emit();
		events++;
		in_nmi = false
	:: else -> break
	od;
	writers--
}

#if READS
#include "reader.pml"
#endif

/* Record @i of @n units at @p, complete. */
inline put(i, p, n)
{
	data[(p) % SIZE] = unit(i + 1, n, 0);
	if
	:: n == 2 -> data[(p + 1) % SIZE] = unit(i + 1, 2, 1)
	:: else
	fi;
	begins[i] = p;
	ends[i] = p + n;
	done[i] = true
}

/* The ring holds two records, and may have one unit left free. */
init
{
	byte i;

	atomic {
		if
		:: put(0, POS0, 2); put(1, POS0 + 2, 2)
		:: put(0, POS0, 1); put(1, POS0 + 1, 2)
		fi;
		tail.pos = POS0;
		tail.idx = IDX0;
		head.pos = ends[1];
		head.idx = IDX0 + 2;
		commit.pos = head.pos;
		commit.idx = head.idx;
		prepared = head.pos;
		pos_epoch = head.pos / QUARTER;
		idx_epoch = head.idx / QUARTER;
#if READS
		value[TAIL * VALUES] = in_word(tail);
		value[HEAD * VALUES] = in_word(head);
		value[COMMIT * VALUES] = in_word(commit);
		value[POSE * VALUES] = pos_epoch;
		value[IDXE * VALUES] = idx_epoch;
		do
		:: i < SIZE -> value[(DATA + i) * VALUES] = data[i]; i++
		:: else -> break
		od;
		i = 0;
#endif
		writers = (WRITER > 0) + (IRQ > 0) + (NMI > 0);
#if NMI
		run nmi();
#endif
#if IRQ
		run interrupt();
#endif
		run writer()
	};
	atomic {
		writers == 0 ->
		assert(nest == 0 && same(commit, head) && dropped == drops_seen);
		assert(nth(head.idx) + dropped == MAX);
		/* What no longer matters. */
		nest = 0; prepared = 0; now = 0; last_ts = 0;
		pos_epoch = 0; idx_epoch = 0;
#if READS
		run reader()
#endif
	}
}

// SPDX-License-Identifier: GPL-2.0-only
/*
 * ring.pml - reserve, evict, commit and read, all interleavings
 *
 * A ring of four units on one CPU: a writer, an interrupt that may come between
 * any two of its steps, an NMI that may come between any two of both, each
 * emitting records of one or two units; and a reader on another CPU. Every step
 * is one access to shared memory, as in kmod/ring.h and kmod/ring.c. Memory is
 * sequentially consistent here; test_weak.c is there for what is not.
 *
 * Claims, as assertions:
 *  - no unit is overwritten before the tail has passed it;
 *  - tail and commit stand where a record begins, commit behind whole ones;
 *  - the tail never passes commit, time never runs backwards;
 *  - what a reader keeps is whole and is the record it takes it for;
 *  - read + lost == emitted, at the end; every drop is counted.
 *
 * BREAK takes out one thing, so that one sees the model see it: 1 the checks that
 * the tail does not pass commit, 2 and 3 the exchanges of tail and head, 4 that only
 * the outermost publishes, 5 its second look, 6 the reader's, 7 is one too far
 * with easy.
 */
#ifndef WRITER
#define WRITER	2	/* events of the writer, of the interrupt, of the NMI */
#define IRQ	1
#define NMI	1
#define READER	1
#endif
#ifndef LEAST
#define LEAST	1	/* units of the smallest record that is emitted */
#endif
#ifndef BREAK
#define BREAK	0
#endif
#define SIZE	4
#define AHEAD	1	/* how much more to evict than is needed */
#define MAX	12	/* records at most */
#define PAD	255

/* A position and an index, loaded and exchanged in one piece. */
typedef word {
	byte pos;
	byte idx
};

word head, tail, commit;
byte nest, easy;
/* What stands in each unit: the record's index + 1, or PAD; its units; part. */
byte data[SIZE], units[SIZE], part[SIZE];
byte dropped, drops_seen, now, last_ts;
/* The truth. */
byte begins[MAX], padded[MAX], ends[MAX];
bool done[MAX];

bool in_irq, in_nmi;
byte writers;

#define same(a, b)	(a.pos == b.pos && a.idx == b.idx)
#define boundary(w)	(w.idx == head.idx && w.pos == head.pos || \
			 w.idx < head.idx && (w.pos == begins[w.idx] || \
					      w.pos == begins[w.idx] + padded[w.idx]))

#if BREAK == 2
#define tail_is(w)	true
#else
#define tail_is(w)	same(tail, w)
#endif
#if BREAK == 3
#define head_is(w)	true
#else
#define head_is(w)	same(head, w)
#endif

/* Exchange head; whether it was as we knew it. */
inline take()
{
	atomic {
		taken = head_is(old);
		if
		:: taken ->
			assert(head.idx < MAX);
			assert(ts >= last_ts);
			assert(pad || old.pos % SIZE + size <= SIZE);
			last_ts = ts;
			begins[head.idx] = old.pos;
			padded[head.idx] = pad;
			ends[head.idx] = end;
			head.pos = end;
			head.idx = old.idx + 1
		:: else
		fi
	}
}

/* Walk over as many complete records as are wanted, then exchange tail. */
inline evict()
{
	u = commit.pos - t.pos;
	n = end - t.pos - SIZE + AHEAD;
#if BREAK != 1
	if
	:: n > u -> n = u
	:: else
	fi;
#endif
	gone = 0;
	count = 0;
	do
	:: gone < n ->
		atomic {
			h = data[(t.pos + gone) % SIZE];
			u = units[(t.pos + gone) % SIZE]
		};
		if
		:: h != PAD ->
			/* The length is not in the word with the type. */
			u = units[(t.pos + gone) % SIZE];
			gone = gone + u;
			count++
		:: h == PAD ->
			if
			:: same(tail, t) -> gone = gone + u
			:: else -> break
			fi
		fi
	:: else -> break
	od;
	atomic {
		if
		:: tail_is(t) ->
			tail.pos = t.pos + gone;
			tail.idx = t.idx + count;
			assert(tail.pos <= commit.pos);
			assert(boundary(tail))
		:: else
		fi;
		t.pos = tail.pos;
		t.idx = tail.idx
	}
}

/* One event, from ring_enter() to ring_leave(). */
inline emit()
{
	n = nest;
	nest = n + 1;
	select(size : LEAST .. 2);
	atomic { old.pos = head.pos; old.idx = head.idx };
	atomic { ts = now; now++ };
	pad = 0;
	end = old.pos + size;
	/* Up to easy there is nothing to evict, to pad or to note down. */
	if
	:: end <= easy ->
		take();
		if
		:: taken -> goto fill
		:: else
		fi
	:: else
	fi;
slow:
	atomic { old.pos = head.pos; old.idx = head.idx };
	atomic { ts = now; now++ };
	pad = 0;
	if
	:: old.pos % SIZE + size > SIZE -> pad = SIZE - old.pos % SIZE
	:: else
	fi;
	end = old.pos + pad + size;
	atomic { t.pos = tail.pos; t.idx = tail.idx };
	do
	:: end > t.pos + SIZE ->
		if
#if BREAK != 1
		:: t.pos == commit.pos ->
			atomic { dropped++; drops_seen++ };
			goto leave
#endif
		:: else -> evict()
		fi
	:: else -> break
	od;
	take();
	if
	:: !taken -> goto slow
	:: else
	fi;
	if
	:: pad ->
		atomic {
			assert(old.pos < tail.pos + SIZE);
			data[old.pos % SIZE] = PAD;
			units[old.pos % SIZE] = pad
		}
	:: else
	fi;
	h = end | (SIZE - 1);
	if
#if BREAK == 7
	:: t.pos + SIZE < h -> h = t.pos + SIZE + 1
#else
	:: t.pos + SIZE < h -> h = t.pos + SIZE
#endif
	:: else
	fi;
	easy = h;
fill:
	n = 0;
	do
	:: n < size ->
		atomic {
			assert(end - size + n < tail.pos + SIZE);
			data[(end - size + n) % SIZE] = old.idx + 1;
			units[(end - size + n) % SIZE] = size;
			part[(end - size + n) % SIZE] = n;
			n++
		}
	:: else -> break
	od;
	done[old.idx] = true;
leave:
	if
#if BREAK != 4
	:: nest != 1 ->
		n = nest;
		nest = n - 1
#endif
	:: else ->
		do
		:: true ->
			atomic { t.pos = head.pos; t.idx = head.idx };
			atomic {
				n = commit.idx;
				do
				:: n < t.idx -> assert(done[n]); n++
				:: else -> break
				od;
				assert(commit.pos <= t.pos);
				commit.pos = t.pos;
				commit.idx = t.idx
			};
			nest = 0;
#if BREAK == 5
			break;
#endif
			if
			:: head.pos == t.pos -> break
			:: else -> nest = 1
			fi
		od
	fi;
	n = 0; h = 0; u = 0; gone = 0; count = 0; end = 0; taken = false; pad = 0; ts = 0; size = 0;
	old.pos = 0; old.idx = 0; t.pos = 0; t.idx = 0
}

proctype writer() provided (!in_irq && !in_nmi)
{
	word old, t;
	byte n, size, pad, end, ts, h, u, gone, count, events;
	bool taken;

	do
	:: events < WRITER -> emit(); events++
	:: else -> break
	od;
	assert(nest == 0 && same(commit, head));
	writers--
}

/* It comes when it likes, and then runs to its end. */
proctype interrupt() provided (!in_nmi)
{
	word old, t;
	byte n, size, pad, end, ts, h, u, gone, count, events;
	bool taken;

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
	word old, t;
	byte n, size, pad, end, ts, h, u, gone, count, events;
	bool taken;

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

inline view()
{
	do
	:: true ->
		atomic { vt.pos = tail.pos; vt.idx = tail.idx };
		atomic { vc.pos = commit.pos; vc.idx = commit.idx };
		if
		:: head.pos <= vt.pos + SIZE && vc.pos >= vt.pos -> break
		:: else
		fi
	od
}

inline pass_tail()
{
	lost = lost + (vt.idx - at.idx);
	at.pos = vt.pos;
	at.idx = vt.idx
}

proctype reader()
{
	word at, vt, vc;
	byte lost, got, i, n, copied[SIZE], csize[SIZE], cpart[SIZE];
	bool last;

	do
	:: !last ->
		last = (writers == 0);
again:
		view();
		if
		:: vt.pos > at.pos -> pass_tail()
		:: else
		fi;
		n = vc.pos - at.pos;
		if
		:: vc.pos <= at.pos -> goto next
		:: else
		fi;
		/* Up to the end of the ring. */
		if
		:: n > SIZE - at.pos % SIZE -> n = SIZE - at.pos % SIZE
		:: else
		fi;
		i = 0;
		do
		:: i < n ->
			atomic {
				copied[i] = data[(at.pos + i) % SIZE];
				csize[i] = units[(at.pos + i) % SIZE];
				cpart[i] = part[(at.pos + i) % SIZE];
				i++
			}
		:: else -> break
		od;
		i = 0;
#if BREAK != 6
		view();
		if
		:: vt.pos >= at.pos + n -> pass_tail(); goto again
		:: vt.pos > at.pos && vt.pos < at.pos + n ->
			i = vt.pos - at.pos;
			pass_tail()
		:: else
		fi;
#endif
		d_step {
			do
			:: i < n && copied[i] == PAD ->
				assert(at.pos == begins[at.idx] && csize[i] == padded[at.idx]);
				at.pos = at.pos + csize[i];
				i = i + csize[i]
			:: i < n && copied[i] != PAD ->
				/* The record, its first unit and, if any, its second. */
				assert(at.pos == begins[at.idx] + padded[at.idx]);
				assert(copied[i] == at.idx + 1 && cpart[i] == 0);
				assert(csize[i] == ends[at.idx] - at.pos);
				assert(i + csize[i] <= n);
				if
				:: csize[i] == 2 ->
					assert(copied[i + 1] == at.idx + 1 &&
					       cpart[i + 1] == 1)
				:: else
				fi;
				at.pos = at.pos + csize[i];
				at.idx++;
				got++;
				i = i + csize[i]
			:: else -> break
			od;
			i = 0;
			do
			:: i < SIZE -> copied[i] = 0; csize[i] = 0; cpart[i] = 0; i++
			:: else -> break
			od;
			i = 0
		};
		/* There may be more behind the end of the ring. */
		if
		:: last -> goto again
		:: else
		fi;
next:
		skip
	:: else -> break
	od;
	assert(same(at, head));
	assert(got + lost == head.idx);
	assert(dropped == drops_seen);
	assert(got + lost + dropped == 2 + WRITER + IRQ + NMI)
}

/* Record @i of @n units at @p, complete. */
inline put(i, p, n)
{
	data[p] = i + 1;
	units[p] = n;
	part[p] = 0;
	if
	:: n == 2 -> data[p + 1] = i + 1; units[p + 1] = 2; part[p + 1] = 1
	:: else
	fi;
	begins[i] = p;
	ends[i] = p + n;
	done[i] = true
}

/* The ring holds two records, and may have one unit left free. */
init
{
	atomic {
		units[0] = 1; units[1] = 1; units[2] = 1; units[3] = 1;
		if
		:: put(0, 0, 2); put(1, 2, 2)
		:: put(0, 0, 1); put(1, 1, 2)
		fi;
		head.pos = ends[1];
		head.idx = 2;
		commit.pos = head.pos;
		commit.idx = 2;
		writers = 3;
#if READER
		run reader();
#endif
		run writer();
		run interrupt();
		run nmi()
	}
}

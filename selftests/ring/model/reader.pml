// SPDX-License-Identifier: GPL-2.0-only
/*
 * reader.pml - the reader of ring.pml: ring_view(), ring_fetch(), and a clear
 *
 * It writes nothing, so it may as well come after the writers: each of its loads
 * returns any value that the place ever had, unless
 *  - it has read a later one of the same place;
 *  - something that it read, and after which came a read barrier or which was an
 *    acquire, was stored behind a write barrier or as a release, and the value was
 *    replaced before that.
 * So every order that any machine allows is among those tried, and a barrier that
 * is missing is seen.
 */

/* Each place's oldest value that it may still see; what it read last. */
byte oldest[PLACES], newest;

inline no_older_than(o)
{
	d_step {
		k = 0;
		do
		:: k < PLACES ->
			if
			:: oldest[k] < before[o].last[k] -> oldest[k] = before[o].last[k]
			:: else
			fi;
			k++
		:: else -> break
		od;
		k = 0
	}
}

/* Any value from the oldest on. */
inline load(place, v)
{
	k = oldest[place];
	do
	:: k < last[place] -> k++
	:: break
	od;
	oldest[place] = k;
	v = value[(place) * VALUES + k];
	o = order[(place) * VALUES + k];
	k = 0;
	if
	:: newest < o -> newest = o
	:: else
	fi
}

#define ago(of, w)	((of - w) & (WORD - 1))

/*
 * Where the words of the ring disagree the reader loads them again. Since it finds
 * then what it might have found at once, that order is not followed any further.
 */
inline view()
{
	atomic {
		load(TAIL, vt);
		load(POSE, pe);
		load(IDXE, ie);
#ifndef NO_VIEW_A
		no_older_than(newest);
#endif
		load(COMMIT, vc);
#ifndef NO_VIEW_B
		no_older_than(o);
#endif
		load(HEAD, vh);
#ifndef NO_VIEW_SECOND_LOOK
		if
		:: ago(vh, vt) > SIZE || ago(vc, vt) > SIZE -> goto out
		:: else
		fi;
#endif
		/* Wide: the head by the epochs, the others by the head. */
		w = vh & (WORD - 1);
		wide_head.pos = (pe + ((w / QUARTER - pe) & 3)) * QUARTER + w % QUARTER;
		w = vh >> 6;
		wide_head.idx = (ie + ((w / QUARTER - ie) & 3)) * QUARTER + w % QUARTER;
		wide_tail.pos = wide_head.pos - ago(vh, vt);
		wide_tail.idx = wide_head.idx - ago((vh >> 6), (vt >> 6));
		wide_commit.pos = wide_head.pos - ago(vh, vc);
		wide_commit.idx = wide_head.idx - ago((vh >> 6), (vc >> 6));
		assert(wide_head.pos <= head.pos && wide_head.idx <= head.idx);
		assert(boundary(wide_head) && boundary(wide_commit) && boundary(wide_tail));
		assert(wide_tail.pos <= wide_commit.pos && wide_commit.pos <= wide_head.pos);
		vt = 0; vc = 0; vh = 0; w = 0; pe = 0; ie = 0; o = 0
	}
}

inline pass_tail()
{
	lost = lost + (wide_tail.idx - at.idx);
	at.pos = wide_tail.pos;
	at.idx = wide_tail.idx
}

/* What was kept must be the records from at on. */
inline check_kept()
{
	d_step {
		do
		:: i < n && id_of(copied[i]) == PAD ->
			assert(at.pos == begins[nth(at.idx)]);
			assert(size_of(copied[i]) == padded[nth(at.idx)]);
			at.pos = at.pos + size_of(copied[i]);
			i = i + size_of(copied[i])
		:: i < n && id_of(copied[i]) != PAD ->
			assert(at.pos == begins[nth(at.idx)] + padded[nth(at.idx)]);
			assert(id_of(copied[i]) == nth(at.idx) + 1 && !part_of(copied[i]));
			assert(at.pos + size_of(copied[i]) == ends[nth(at.idx)]);
			assert(!(copied[i] & VOID) == !voided[nth(at.idx)]);
			assert(i + size_of(copied[i]) <= n);
			if
			:: size_of(copied[i]) == 2 ->
				assert(id_of(copied[i + 1]) == nth(at.idx) + 1 &&
				       part_of(copied[i + 1]))
			:: else
			fi;
			at.pos = at.pos + size_of(copied[i]);
			i = i + size_of(copied[i]);
			at.idx++;
			got++
		:: else -> break
		od;
		i = 0;
		n = 0
	};
	d_step {
		do
		:: i < SIZE -> copied[i] = 0; i++
		:: else -> break
		od;
		i = 0
	}
}

proctype reader()
{
	word at, wide_tail, wide_commit, wide_head;
	short vt, vc, vh, w, copied[SIZE];
	byte pe, ie, lost, got, cleared, clears, reads, i, k, n, o;
	bool quiet;

	at.pos = POS0;
	at.idx = IDX0;
	do
	:: !quiet && clears < CLEARS ->
		/* It clears, and so has read all of that. */
		clears++;
		view();
		if
		:: wide_commit.pos > at.pos ->
			cleared = cleared + (wide_commit.idx - at.idx);
			at.pos = wide_commit.pos;
			at.idx = wide_commit.idx
		:: else
		fi
	:: !quiet ->
		reads++;
		if
		:: reads > READS ->
			/* All that was stored has arrived. */
			quiet = true;
			new_order();
			no_older_than(orders)
		:: else
		fi;
again:
		view();
		do
		:: true ->
#ifndef NO_FETCH_FIRST_LOOK
			if
			:: wide_tail.pos > at.pos -> pass_tail()
			:: else
			fi;
#endif
#ifdef NO_FETCH_COMMIT
			wide_commit.pos = wide_head.pos;
#endif
			if
			:: wide_commit.pos <= at.pos -> goto next
			:: else
			fi;
			/* Or else it would copy more than there can be. */
			assert(wide_commit.pos - at.pos <= SIZE);
			n = wide_commit.pos - at.pos;
			/* Up to the end of the ring. */
			if
			:: n > SIZE - at.pos % SIZE -> n = SIZE - at.pos % SIZE
			:: else
			fi;
			i = 0;
			do
			:: i < n ->
				atomic { load(DATA + (at.pos + i) % SIZE, copied[i]); i++ }
			:: else -> break
			od;
			i = 0;
#ifndef NO_FETCH_B
			no_older_than(newest);
#endif
#ifdef NO_FETCH_SECOND_LOOK
			break;
#endif
			view();
			/* If all was lost there is more: or else nobody would have passed. */
			if
			:: wide_tail.pos >= at.pos + n
			:: else -> break
			fi
		od;
		if
		:: wide_tail.pos > at.pos ->
			i = wide_tail.pos - at.pos;
			pass_tail()
		:: else
		fi;
		check_kept();
		/* There may be more behind the end of the ring. */
		if
		:: quiet -> goto again
		:: else
		fi;
next:
		skip
	:: quiet -> break
	od;
	assert(same(at, head));
	assert(nth(head.idx) == got + lost + cleared);
	assert(dropped == drops_seen);
	assert(got + lost + cleared + dropped == MAX);
out:
	skip
}

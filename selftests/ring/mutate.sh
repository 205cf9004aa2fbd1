#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# mutate.sh - whether the tests of the ring see it broken
#
#	make -C selftests/ring mutate [ONLY=name]
#
# Each mutation is a substitution in a copy of a file of kmod/ring that must apply; then a
# test must fail. Prints TAP, with the tests that failed. Tests with threads do not run: there
# a race shows only by chance.

here=$(cd "$(dirname "$0")" && pwd)
top=$(cd "$here/../.." && pwd)
O=${O:-$top/build}
work=$O/selftests/ring/mutant
only=$1
count=0
failed=0

mkdir -p "$work/kmod"

# mutation NAME FILE PERL-EXPRESSION (over the whole file)
mutation()
{
	[ -n "$only" ] && [ "$only" != "$1" ] && return
	count=$((count + 1))
	cp "$top"/kmod/ring/ring*.[ch] "$work/kmod/"
	if ! perl -0pi -e "\$n = $3; END { exit !\$n }" "$work/kmod/$2" ||
	   cmp -s "$work/kmod/$2" "$top/kmod/ring/$2"; then
		echo "not ok $count - $1 # does not apply to $2"
		failed=1
		return
	fi
	for t in test_ring test_weak; do
		rm -f "$work/selftests/ring/$t"
		if ! make -s -C "$here" O="$work" RING="$work/kmod" CC="${CC:-gcc} -w" \
				WARN=-w CC32= "$work/selftests/ring/$t" > "$work/log" 2>&1; then
			echo "not ok $count - $1 # does not compile"
			sed 's/^/# /' "$work/log"
			failed=1
			return
		fi
		if { prlimit --cpu=300 timeout 300 "$work/selftests/ring/$t" || echo "not ok"; } 2> /dev/null |
		   grep -q '^not ok'; then
			echo "ok $count - $1 # seen by $t"
			return
		fi
	done
	echo "not ok $count - $1 # not seen"
	failed=1
}

echo "TAP version 13"

# Reservation
mutation reserve-clock-first ring.h \
	's/(\tconst u64 old = ring_load\(&r->head\);\n)(\tconst u64 ts = ring_clock\(\);\n)/$2$1/'
mutation reserve-no-retry ring.h \
	's/ring_try_cmpxchg\(&r->head, old, new\)/(ring_store(&r->head, new), 1)/'
mutation reserve-index-not-counted ring.h 's/old \+ \(1ULL << 32\) \+ units/old + units/'
mutation reserve-beyond-prepared ring.h 's/\(u32\)new\) >= 0/(u32)new) >= -1/'
mutation reserve-len-unset ring.h 's/ring_put16\(&rec->len, len\);/ring_put16(&rec->len, len ^ 1);/'
mutation reserve-crossed-unsaid ring.h 's/\*crossed = ring_began_block\(.*?\);/*crossed = false;/'
mutation slow-clock-first ring.c \
	's/(\t\told = ring_load\(&r->head\);\n)(\t\tts = ring_clock\(\);\n)/$2$1/'
mutation slow-no-retry ring.c \
	's/unlikely\(!ring_try_cmpxchg\(&r->head, old, new\)\)/(ring_store(&r->head, new), 0)/'
mutation slow-one-byte-over ring.c \
	's/end - \(u32\)tail > size/end - (u32)tail > size + 1/'
mutation slow-evict-past-commit ring.c \
	's/unlikely\(\(u32\)tail == \(u32\)ring_load\(&r->commit\)\)/0/'
mutation slow-evict-too-much ring.c \
	's/size \+ ring_ahead\(r\)/size + 2 * ring_ahead(r) + 8/'
mutation slow-drop-uncounted ring.c \
	's/ring_count_inc\(&r->dropped\[RING_DROP_BUSY\]\);//'
mutation slow-index-not-counted ring.c \
	's/new = ring_word\(end, \(u32\)\(old >> 32\) \+ 1\)/new = ring_word(end, (u32)(old >> 32))/'
mutation slow-no-padding ring.c \
	's/if \(pad\)\n/if (0)\n/'
mutation slow-straddles-the-end ring.c \
	's/pad = size - \(pos & r->mask\);/pad = 0;/'
mutation slow-cross-late ring.c \
	's/\(pos \^ end\) >> r->block_shift/(pos ^ end) >> 12/'
mutation slow-no-barrier ring.c 's/smp_wmb\(\);//'
mutation slow-prepared-past-the-tail ring.c \
	's/prepared = \(u32\)tail \+ size;/prepared = (u32)tail + size + 1;/'
mutation slow-prepared-past-the-block ring.c 's/prepared = end \| block;/prepared = (end | block) + 1;/'

# Leaving
mutation enter-no-nest ring.h 's/ring_inc\(&r->nest\);//'
mutation enter-after-the-clock ring.h \
	's/ring_inc\(&r->nest\);// && s/\*now = ts;/ring_inc(&r->nest);\n\t\t*now = ts;/g'
mutation leave-inner-commits ring.h 's/if \(likely\(ring_nest\(r\) == 1\)\)/if (1)/'
mutation leave-no-second-look ring.h \
	's/if \(unlikely\(ring_load\(&r->head\) != head\)\)\n\t\tring_leave_slow\(r, head\);//'
mutation leave-nest-first ring.h \
	's/(head = ring_load\(&r->head\);\n)(\tring_store_release\(&r->commit, head\);\n\tbarrier\(\);\n)(\tWRITE_ONCE\(r->nest, 0\);\n)/$1$3$2/'
mutation leave-plain-store ring.h \
	's/ring_store_release\(&r->commit, head\)/(ring_store(&r->commit, head), ring_port_released(&r->commit, head))/'
mutation leave-slow-once ring.c \
	's/while \(unlikely\(ring_load\(&r->head\) != head\)\)/while (0)/'

# Eviction and padding
mutation evict-plain-store ring.c \
	's/likely\(ring_try_cmpxchg\(&r->tail, tail, new\)\)/(ring_store(&r->tail, new), 1)/'
mutation evict-past-commit ring.c 's/want = min\(want, complete\);//'
mutation evict-counts-padding ring.c 's/gone \+= \(u32\)word;/gone += (u32)word, n++;/'
mutation evict-counts-not ring.c 's/\t\t\tn\+\+;\n//'
mutation evict-believes-padding ring.c 's/ring_load\(&r->tail\) == tail/1/'
mutation evict-reads-behind-the-end ring_memory.c 's/ring_alloc\(size \+ RING_UNIT\)/ring_alloc(size)/'
mutation pad-one-short ring.c 's/RING_TYPE_SHIFT \| units\)/RING_TYPE_SHIFT | (units - 1))/'

# Crossing blocks and quarters
mutation cross-anchor-of-old ring.c \
	's/(ring_store\(&r->anchors\[.*?\], )new\)/$1old)/s'
mutation cross-anchor-never ring.c \
	's/ring_store\(&r->anchors\[\(\(u32\)new.*?\], new\);//s'
mutation cross-no-position-epoch ring.c 's/if \(unlikely\(quarters & 3\)\)/if (0)/'
mutation cross-no-index-epoch ring.c 's/unlikely\(\(quarters & 3\) == 1\)/0/'
mutation cross-index-epoch-back ring.c \
	's/unlikely\(\(quarters & 3\) == 1\)/quarters & 3/'
mutation cross-position-unordered ring.c \
	's/smp_store_release\(&r->pos_epoch, /WRITE_ONCE(r->pos_epoch, /'
mutation cross-index-unordered ring.c \
	's/smp_store_release\(&r->idx_epoch, /WRITE_ONCE(r->idx_epoch, /'

# The view
mutation view-no-widening ring_read.c 's/return \(u64\)\(epoch \+ ahead\) << 30/return (u64)(ahead) << 30/ || s/return \(\(u64\)epoch \+ ahead\) << 30 \| \(value & 0x3fffffff\)/return value/'
mutation view-no-barrier ring_read.c \
	's/(LMM\(view:A\).*?\n)\t\tsmp_rmb\(\);/$1/s'
mutation view-plain-load ring_read.c \
	's/ring_load_acquire\(&r->commit\)/ring_load(&r->commit)/'
mutation view-no-second-look ring_read.c \
	's/unlikely\(\(u32\)head - \(u32\)tail > r->mask \+ 1 \|\|\s*\(u32\)commit - \(u32\)tail > r->mask \+ 1\)/0/s'
mutation view-ignores-nest ring_read.c 's/v->busy = READ_ONCE\(r->nest\)/v->busy = false/'
mutation view-ignores-head ring_read.c 's/v->busy \|= commit != head;//'
mutation view-tail-index ring_read.c \
	's/ring_place_before\(&v->tail, tail, head, &v->head\)/ring_place_before(&v->tail, tail + (1ULL << 32), head, &v->head)/'

# Reading
mutation fetch-no-second-look ring_read.c \
	's/if \(v\.tail\.pos > at->pos\) \{\n(\t\tlost \+= v\.tail\.idx - at->idx;\n\t\tskip)/if (0) {\n$1/'
mutation fetch-no-first-look ring_read.c \
	's/do \{\n\t\tif \(v\.tail\.pos > at->pos\)/do {\n\t\tif (0)/'
mutation fetch-no-barrier ring_read.c \
	's/(LMM\(fetch:B\).*?\n)\t\tsmp_rmb\(\);/$1/s'
mutation fetch-gives-up ring_read.c \
	's/while \(unlikely\(v\.tail\.pos >= at->pos \+ n\)\);/while (0);\n\tif (v.tail.pos >= at->pos + n) {\n\t\tlost += v.tail.idx - at->idx;\n\t\t*at = v.tail;\n\t\treturn lost;\n\t}/'
mutation fetch-beyond-commit ring_read.c \
	's/v\.commit\.pos - at->pos, room/v.head.pos - at->pos, room/'
mutation fetch-beyond-the-end ring_read.c 's/n = min\(n, to_end\);/(void)to_end;/'
mutation fetch-loses-uncounted ring_read.c \
	's/lost \+= v\.tail\.idx - at->idx;\n\t\tskip/skip/'
mutation fetch-keeps-overwritten ring_read.c 's/memmove\(buf, buf \+ skip/memmove(buf, buf/'
mutation oldest-ignores-clear ring_read.c \
	's/v\.tail\.pos >= r->cleared\.pos \? v\.tail : r->cleared/v.tail/'
mutation clear-beyond-commit ring_read.c 's/r->cleared = v\.commit/r->cleared = v.head/'

# Searching
mutation find-after-not-at ring_read.c 's/ring_ts\(rec->word, now\) >= ts/ring_ts(rec->word, now) > ts/'
mutation find-counts-padding ring_read.c 's/at->idx \+= !pad/at->idx++/'
mutation find-any-anchor ring_read.c 's/ring_ts\(buf\[0\], now\) < ts/true/'
mutation find-anchor-at-padding ring_read.c \
	's/n < 2 \|\| buf\[0\] >> RING_TYPE_SHIFT == RING_TYPE_PAD/n < 2/'
mutation find-one-copy ring_read.c \
	's/return !n \|\| ring_find_in\(at, ts, now, 0, buf, n\);/return ring_find_in(at, ts, now, 0, buf, n) || 1;/'

echo "1..$count"
exit $failed

// SPDX-License-Identifier: GPL-2.0-only
/*
 * compact - the bytes that events of a stream need before and after compaction
 *
 *	compact STREAM
 *
 * Prints "events bytes_before bytes_after", for frames of events only, without INFO, names and
 * clocks.
 */
#include <stdio.h>
#include <stdlib.h>

#include "devtrace-decode.h"

struct sum {
	unsigned long long	events, bytes, begun;
	bool			open;
};

static int item(const struct devtrace_item *i, void *arg)
{
	struct sum *s = arg;

	/* A frame ends where the next one begins. */
	if (s->open)
		s->bytes += i->offset - s->begun;
	s->open = i->kind == DEVTRACE_ITEM_EVENT;
	s->begun = i->offset;
	s->events += s->open;
	return 0;
}

static int decode(const void *buf, size_t n, void *decoder)
{
	return devtrace_decoder_feed(decoder, buf, n, NULL);
}

int main(int argc, char **argv)
{
	struct sum before = { 0 }, after = { 0 };
	struct devtrace_decoder *b = devtrace_decoder_new(item, &before);
	struct devtrace_decoder *a = devtrace_decoder_new(item, &after);
	struct devtrace_compact *c = devtrace_compact_new(decode, a);
	static char buf[65536];
	FILE *f;
	size_t n;

	if (argc != 2) {
		fprintf(stderr, "usage: compact STREAM\n");
		return 2;
	}
	f = fopen(argv[1], "rb");
	if (!f || !a || !b || !c) {
		perror(argv[1]);
		return 1;
	}
	while ((n = fread(buf, 1, sizeof(buf), f))) {
		devtrace_decoder_feed(b, buf, n, NULL);
		devtrace_compact_feed(c, buf, n);
	}
	fclose(f);
	if (before.open)
		before.bytes += devtrace_decoder_totals(b)->bytes - before.begun;
	if (after.open)
		after.bytes += devtrace_decoder_totals(a)->bytes - after.begun;
	if (before.events != after.events || devtrace_decoder_totals(a)->missing) {
		fprintf(stderr, "compact: %llu events before, %llu behind\n", before.events,
			after.events);
		return 1;
	}
	printf("%llu %llu %llu\n", before.events, before.bytes, after.bytes);
	devtrace_compact_free(c);
	devtrace_decoder_free(a);
	devtrace_decoder_free(b);
	return 0;
}

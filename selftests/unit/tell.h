/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * tell.h - print the events emitted into the device of fakedev.h as a description for
 * gen_stream: one process, one event per millisecond
 */
#ifndef UNIT_TELL_H
#define UNIT_TELL_H

#include <stdio.h>
#include "fakedev.h"

#define PID	77

static unsigned int told_events, told_dicts;
static uint64_t now = 1000000000;

/* Print the events since the last call. */
static void tell(void)
{
	for (; told_dicts < fake->nr_dicts; told_dicts++) {
		const struct devtrace_dict *d = &fake->dicts[told_dicts % FAKE_EVENTS];
		static const char *const kinds[] = { "sig", "obj", "fun", "usr" };

		printf("dict %s %d %u %u %llu %s\n",
		       d->kind == DEVTRACE_T_ENUM ? "enum" :
		       d->kind == DEVTRACE_T_IMAGE ? "image" : kinds[d->kind - DEVTRACE_T_SIG],
		       PID, d->value, d->group, (unsigned long long)d->key, (const char *)d->name);
	}
	for (; told_events < fake->nr; told_events++) {
		const struct fake_event *e = &fake->events[told_events % FAKE_EVENTS];
		struct devtrace_wire_event head = {
			.flags = e->bytes[2] | DEVTRACE_F_USER,
			.severity = e->bytes[1],
			.tid = PID,
			.ts = now += 1000000,
		};
		size_t i;

		printf("frame %u ", e->bytes[0]);
		for (i = 0; i < sizeof(head); i++)
			printf("%02x", ((const uint8_t *)&head)[i]);
		for (i = sizeof(struct devtrace_emit); i < e->size; i++)
			printf("%02x", e->bytes[i]);
		putchar('\n');
	}
}

#endif

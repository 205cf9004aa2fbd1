// SPDX-License-Identifier: GPL-2.0-only
/*
 * boardmon_irq.c - interrupts, in records as QS makes them
 *
 * /proc/interrupts has a column a CPU; a line is
 *
 *	 24:       1021        930  IR-PCI-MSI 524288-edge  virtio0
 *
 * with a number or a short name before the colon. What it counts up to wraps
 * at 32 bits, and lines come and go; a line that is new starts from 0.
 */
#include <ctype.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <devtrace/qs.h>
#include "boardmon.h"

#define LINES	512
#define CPUS	64	/* what a record tells of each by itself */

struct line {
	char		name[16];
	uint32_t	count[CPUS];
};

static struct line lines[LINES];
static unsigned int nr_lines;

static struct line *line_of(const char *name, size_t len)
{
	unsigned int i;

	if (len >= sizeof(lines[0].name))
		return NULL;
	for (i = 0; i < nr_lines; i++) {
		if (!strncmp(lines[i].name, name, len) && !lines[i].name[len])
			return &lines[i];
	}
	if (nr_lines == LINES)
		return NULL;
	memcpy(lines[nr_lines].name, name, len);
	return &lines[nr_lines++];
}

/* One line of the file, for this many CPUs. */
static void look_at_line(char *text, unsigned int cpus)
{
	char *name = text + strspn(text, " "), *at = strchr(name, ':'), *end;
	uint32_t now, more = 0, most = 0;
	unsigned int cpu, busiest = 0;
	struct line *line;
	uint64_t total = 0;

	if (!at)
		return;
	line = line_of(name, (size_t)(at - name));
	if (!line)
		return;
	at++;
	for (cpu = 0; cpu < cpus; cpu++, at = end) {
		now = (uint32_t)strtoul(at, &end, 10);
		if (end == at)
			break;
		total += now;
		if (cpu >= CPUS)
			continue;
		if (now - line->count[cpu] > most) {
			most = now - line->count[cpu];
			busiest = cpu;
		}
		more += now - line->count[cpu];
		line->count[cpu] = now;
	}
	if (!more)
		return;
	/*
	 * Of a numbered line who handles it is last, after the chip and the
	 * kind; others have a name of several words.
	 */
	at += strspn(at, " ");
	at[strcspn(at, "\n")] = 0;
	if (isdigit((unsigned char)*name) && strrchr(at, ' '))
		at = strrchr(at, ' ') + 1;

	QS_BEGIN_ID(BOARD_IRQ, OBJ_INTERRUPTS)
		QS_STR(line->name);
		QS_U32(0, more);
		QS_U64(0, total);
		QS_U8(0, busiest);
		QS_STR(at);
	QS_END()
	say("irq %s: %u more, %llu in all, most on cpu %u: %s\n", line->name, more,
	    (unsigned long long)total, busiest, at);
}

void look_at_interrupts(void)
{
	FILE *file = fopen("/proc/interrupts", "re");
	unsigned int cpus = 0;
	size_t size = 0;
	char *text = NULL, *at;

	if (!file)
		return;
	if (getline(&text, &size, file) > 0) {
		for (at = text; (at = strstr(at, "CPU")); at++)
			cpus++;
	}
	while (getline(&text, &size, file) > 0)
		look_at_line(text, cpus);
	free(text);
	fclose(file);
}

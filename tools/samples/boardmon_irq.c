// SPDX-License-Identifier: GPL-2.0-only
/*
 * boardmon_irq.c - interrupts, emitted in records like those of QS
 *
 * /proc/interrupts has a column for each CPU. A line such as
 *
 *	 24:       1021        930  IR-PCI-MSI 524288-edge  virtio0
 *
 * begins with a number or a short name. The counters wrap at 32 bits. Lines may appear and
 * disappear; the count of a new line begins at 0.
 */
#include <ctype.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <devtrace/qs.h>
#include "boardmon.h"

#define LINES	512
/* number of CPUs whose interrupts are counted separately */
#define CPUS	64

struct line {
	char		name[16];
	uint32_t	count[CPUS];
	/* more: interrupts since the line was read last; 0 if the line has disappeared */
	uint32_t	more;
	uint64_t	total;
	unsigned int	busiest;	/* CPU with most of these interrupts */
	char		action[48];
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

static void look_at_line(char *text, unsigned int cpus)
{
	char *name = text + strspn(text, " "), *at = strchr(name, ':'), *end;
	unsigned int cpu;
	uint32_t now, most = 0;
	struct line *line;

	if (!at)
		return;
	line = line_of(name, (size_t)(at - name));
	if (!line)
		return;
	line->total = 0;
	line->busiest = 0;
	at++;
	for (cpu = 0; cpu < cpus; cpu++, at = end) {
		now = (uint32_t)strtoul(at, &end, 10);
		if (end == at)
			break;
		line->total += now;
		if (cpu >= CPUS)
			continue;
		if (now - line->count[cpu] > most) {
			most = now - line->count[cpu];
			line->busiest = cpu;
		}
		line->more += now - line->count[cpu];
		line->count[cpu] = now;
	}
	/*
	 * The last word of a numbered line is its handler. Other lines end with a description of
	 * several words.
	 */
	at += strspn(at, " ");
	at[strcspn(at, "\n")] = 0;
	if (isdigit((unsigned char)*name) && strrchr(at, ' '))
		at = strrchr(at, ' ') + 1;
	snprintf(line->action, sizeof(line->action), "%s", at);
}

static bool is_among_busiest(const struct line *line, unsigned long n)
{
	unsigned int i, before = 0;

	for (i = 0; i < nr_lines; i++)
		before += lines[i].more > line->more ||
			  (lines[i].more == line->more && &lines[i] < line);
	return before < n;
}

static void tell(const struct line *line)
{
	QS_BEGIN_ID(BOARD_IRQ, OBJ_INTERRUPTS)
		QS_STR(line->name);
		QS_U32(0, line->more);
		QS_U64(0, line->total);
		QS_U8(0, line->busiest);
		QS_STR(line->action);
	QS_END()
	say("irq %s: %u more, %llu in all, most on cpu %u: %s\n",
	    line->name, line->more, (unsigned long long)line->total, line->busiest, line->action);
}

void look_at_interrupts(unsigned long n)
{
	FILE *file = fopen("/proc/interrupts", "re");
	unsigned int cpus = 0, i;
	size_t size = 0;
	char *text = NULL, *at;

	if (!file)
		return;
	if (getline(&text, &size, file) > 0) {
		for (at = text; (at = strstr(at, "CPU")); at++)
			cpus++;
	}
	for (i = 0; i < nr_lines; i++)
		lines[i].more = 0;
	while (getline(&text, &size, file) > 0)
		look_at_line(text, cpus);
	for (i = 0; i < nr_lines; i++)
		if (lines[i].more && is_among_busiest(&lines[i], n))
			tell(&lines[i]);
	free(text);
	fclose(file);
}

// SPDX-License-Identifier: GPL-2.0-only
/*
 * boardmon_proc.c - load, memory, temperature and serial ports, emitted in the short form
 *
 * If this board lacks one of the files, no event is emitted for it.
 */
#include <dirent.h>
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <devtrace.h>
#include <devtrace/qnx.h>
#include "boardmon.h"

#define WARM_FROM	60000	/* thousandths of a degree Celsius */
#define HOT_FROM	85000

/* Read the beginning of a file as a string. Return false if it cannot be read. */
static bool read_file(const char *path, char *buf, size_t size)
{
	FILE *file = fopen(path, "re");
	size_t n;

	if (!file)
		return false;
	n = fread(buf, 1, size - 1, file);
	buf[n] = 0;
	fclose(file);
	return n > 0;
}

/* Return the number in a line such as "Name:   123 kB". */
static uint32_t meminfo(const char *text, const char *name)
{
	const char *at = strstr(text, name);

	return at ? (uint32_t)strtoul(at + strlen(name), NULL, 10) : 0;
}

void look_at_kernel(void)
{
	unsigned int l1, l1c, l5, l5c, l15, l15c, running, tasks;
	char buf[4096];
	double up;

	if (read_file("/proc/loadavg", buf, sizeof(buf)) &&
	    sscanf(buf, "%u.%u %u.%u %u.%u %u/%u", &l1, &l1c, &l5, &l5c, &l15, &l15c, &running,
		   &tasks) == 8) {
		/* The load is emitted in hundredths; the format file prints it as a fraction. */
		devtrace_for(BOARD_LOAD, OBJ_KERNEL, 0, l1 * 100 + l1c, l5 * 100 + l5c,
			     l15 * 100 + l15c, running, tasks);
		say("load %u.%02u %u.%02u %u.%02u, %u of %u run\n", l1, l1c, l5, l5c, l15, l15c,
		    running, tasks);
	}
	if (read_file("/proc/meminfo", buf, sizeof(buf))) {
		uint32_t total = meminfo(buf, "MemTotal:");
		uint32_t available = meminfo(buf, "MemAvailable:");
		uint32_t dirty = meminfo(buf, "Dirty:");

		devtrace_for(BOARD_MEMORY, OBJ_KERNEL, 0, available, total, dirty);
		say("memory %" PRIu32 " of %" PRIu32 " kB available, %" PRIu32 " dirty\n",
		    available, total, dirty);
	}
	if (read_file("/proc/uptime", buf, sizeof(buf)) && sscanf(buf, "%lf", &up) == 1) {
		devtrace(BOARD_UPTIME, "up since", up, DEVTRACE_FUN(look_at_kernel));
		say("up since %.2f s\n", up);
	}
}

static void look_at_zone(unsigned int zone)
{
	enum heat heat;
	char path[64], text[64], type[32] = "";
	int temp;

	snprintf(path, sizeof(path), "/sys/class/thermal/thermal_zone%u/temp", zone);
	if (!read_file(path, text, sizeof(text)) || sscanf(text, "%d", &temp) != 1)
		return;
	snprintf(path, sizeof(path), "/sys/class/thermal/thermal_zone%u/type", zone);
	if (read_file(path, type, sizeof(type)))
		type[strcspn(type, "\n")] = 0;

	heat = temp >= HOT_FROM ? HOT : temp >= WARM_FROM ? WARM : COOL;
	devtrace_for(BOARD_THERMAL, OBJ_THERMAL, 0, (uint8_t)zone, temp,
		     DEVTRACE_ENUM(GROUP_HEAT, heat), type);
	if (heat == HOT)
		devtrace_exc(DEVTRACE_HW2, DEVTRACE_CODE(BOARD_MAJOR, BOARD_HOT), (uint8_t)zone,
			     temp);
	say("thermal zone %u (%s): %.1f C\n", zone, type, temp / 1000.0);
}

void look_at_thermal(void)
{
	DIR *dir = opendir("/sys/class/thermal");
	struct dirent *entry;
	unsigned int zone;

	if (!dir)
		return;
	while ((entry = readdir(dir))) {
		if (sscanf(entry->d_name, "thermal_zone%u", &zone) == 1)
			look_at_zone(zone);
	}
	closedir(dir);
}

/* Counters of a serial port since the port was opened. */
struct port {
	uint32_t tx, rx, framing, parity, breaks, overruns;
};

static uint32_t counter(const char *text, const char *name)
{
	const char *at = strstr(text, name);

	return at ? (uint32_t)strtoul(at + strlen(name), NULL, 10) : 0;
}

/* The driver prints lines such as "0: uart:16550A port:000003F8 irq:4 tx:11 rx:0 fe:2 RTS". */
void look_at_uarts(void)
{
	static struct port before[32];
	FILE *file = fopen("/proc/tty/driver/serial", "re");
	char *text = NULL;
	size_t size = 0;
	unsigned int n;

	if (!file)
		return;
	while (getline(&text, &size, file) > 0) {
		struct port now, *old;

		if (sscanf(text, "%u: uart:", &n) != 1 || strstr(text, "uart:unknown") ||
		    n >= sizeof(before) / sizeof(before[0]))
			continue;
		now.tx = counter(text, " tx:");
		now.rx = counter(text, " rx:");
		now.framing = counter(text, " fe:");
		now.parity = counter(text, " pe:");
		now.breaks = counter(text, " brk:");
		now.overruns = counter(text, " oe:");
		old = &before[n];
		if (now.tx != old->tx || now.rx != old->rx) {
			devtrace_for(BOARD_UART, OBJ_UART, 0, (uint8_t)n, now.tx - old->tx,
				     now.rx - old->rx);
			say("uart %u: %" PRIu32 " sent, %" PRIu32 " received\n", n,
			    now.tx - old->tx, now.rx - old->rx);
		}
		if (now.framing != old->framing || now.parity != old->parity ||
		    now.breaks != old->breaks || now.overruns != old->overruns)
			Trace5(__M(BOARD_MAJOR) + BOARD_UART_ERRORS, _TRACE_HW_SEVERITY1, n,
			       now.framing - old->framing, now.parity - old->parity,
			       now.breaks - old->breaks, now.overruns - old->overruns);
		*old = now;
	}
	free(text);
	fclose(file);
}

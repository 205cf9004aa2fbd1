// SPDX-License-Identifier: GPL-2.0-only
/*
 * Names of severities
 */
#include <string.h>
#include <linux/devtrace.h>

#include "common/severity.h"

static const struct {
	uint8_t		severity;
	const char	*name;
} names[] = {
	DEVTRACE_SEVERITY_NAMES
};

const char *severity_name(uint8_t severity)
{
	size_t i;

	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (names[i].severity == severity)
			return names[i].name;
	return "-";
}

unsigned int severity_syslog(uint8_t severity)
{
	static const uint8_t levels[] = { 6, 4, 3, 2 };

	return levels[severity & DEVTRACE_SEV_LEVEL];
}

uint8_t severity_find(const char *name, size_t len)
{
	size_t i;

	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (strlen(names[i].name) == len && !memcmp(names[i].name, name, len))
			return names[i].severity;
	return 0;
}

// SPDX-License-Identifier: GPL-2.0-only
/*
 * dict.c - names from the dictionary of an event's stream
 *
 * Names that a program announced are valid for its own objects; names from the kernel are valid
 * for all processes. So a name for a program's event is searched first among those of its process.
 * A record of a program never gets a record name from the kernel.
 */
#include "fmt.h"

const char *fmt_dict_name(const struct fmt_dict *d, uint8_t kind, uint32_t value,
			  uint8_t group, uint64_t key)
{
	const bool user = d->event->flags & DEVTRACE_F_USER;

	return devtrace_decoder_name(d->decoder, kind, user ? d->event->tgid : 0, value,
				     group, key);
}

static const struct fmt_dict *of(const struct fmt_names *names)
{
	return (const struct fmt_dict *)(const void *)names;
}

static const char *name(const struct fmt_names *names, uint8_t kind, uint32_t value,
			uint8_t group, uint64_t key)
{
	return fmt_dict_name(of(names), kind, value, group, key);
}

static const char *record(const struct fmt_names *names, uint8_t type)
{
	const struct fmt_dict *d = of(names);
	const char *all = devtrace_decoder_name(d->decoder, DEVTRACE_T_USR, 0, type, 0, 0);
	const char *s = fmt_dict_name(d, DEVTRACE_T_USR, type, 0, 0);

	/* If @s is the name for all processes, this process has not named its record itself. */
	return d->event->flags & DEVTRACE_F_USER && s == all ? NULL : s;
}

void fmt_dict_init(struct fmt_dict *d, const struct devtrace_event *event,
		   const struct devtrace_decoder *decoder)
{
	*d = (struct fmt_dict){ { name, record }, event, decoder };
}

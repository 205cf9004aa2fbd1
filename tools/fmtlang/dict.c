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

/* The object of an event of the kernel: that of its header, or its first OBJ element. */
static bool object(const struct devtrace_event *ev, uint64_t *key)
{
	struct devtrace_elem e;
	size_t pos = 0;

	if (ev->flags & DEVTRACE_F_OBJSIG) {
		*key = ev->object;
		return true;
	}
	while (devtrace_elem_next(ev->data, ev->len, &pos, &e) == 1) {
		if (e.is_enum || e.type != DEVTRACE_E_OBJ)
			continue;
		*key = e.v.u;
		return true;
	}
	return false;
}

static const char *emitter(const struct fmt_names *names)
{
	const struct fmt_dict *d = of(names);
	const struct devtrace_event *ev = d->event;
	const char *s = NULL;
	uint64_t key;

	if (!(ev->flags & DEVTRACE_F_USER))
		return object(ev, &key) ? fmt_dict_name(d, DEVTRACE_T_OBJ, 0, 0, key) : NULL;
	/* A program has the name of its main thread, which may not have emitted an event yet. */
	if (ev->tgid)
		s = devtrace_decoder_proc(d->decoder, ev->tgid, NULL);
	return s ? s : devtrace_decoder_proc(d->decoder, ev->tid, NULL);
}

static const char *image(const struct fmt_names *names, unsigned int number,
			 enum fmt_image_group group)
{
	const struct fmt_dict *d = of(names);

	/* A program whose process is not known yet: scope 0 would be the kernel. */
	if (d->event->flags & DEVTRACE_F_USER && !d->event->tgid)
		return NULL;
	return fmt_dict_name(d, DEVTRACE_T_IMAGE, number, (uint8_t)group, 0);
}

void fmt_dict_init(struct fmt_dict *d, const struct devtrace_event *event,
		   const struct devtrace_decoder *decoder)
{
	*d = (struct fmt_dict){ { name, record, emitter, image }, event, decoder };
}

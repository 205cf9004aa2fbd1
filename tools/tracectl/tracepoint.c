// SPDX-License-Identifier: GPL-2.0-only
/*
 * tracepoint.c - kernel tracepoints added by name
 *
 * 'add' takes two steps: the kernel assigns a type to the tracepoint, then the type is added to
 * the stream's filter. After 'del' the kernel removes the type from all filters. The stream does
 * not contain the names of the fields of these events, so 'fmt' prints them as a format file,
 * fmt(5), with the kernel's words for values if tracefs can be read.
 */
#include <errno.h>
#include <stdio.h>
#include "tracectl.h"

#define EVENTS	"/sys/kernel/tracing/events"

/* The name to find in the list of profile events, and the result. */
struct find {
	const char *name;
	unsigned int type;	/* 0: not found */
};

static int find_one(const struct devtrace_ctl_profile *p, void *arg)
{
	struct find *f = arg;

	if (p->added && !strcmp(p->name, f->name))
		f->type = p->type;
	return 0;
}

int tc_tracepoint_type(struct tc *tc, const char *name, unsigned int *type)
{
	struct find f = { .name = name };
	int ret;

	tc_open(tc);
	ret = devtrace_ctl_profiles(tc->ctl, find_one, &f);
	*type = f.type;
	return ret;
}

static int add_one(struct tc *tc, const char *name)
{
	unsigned int type;

	if (devtrace_ctl_profile_add(tc->ctl, name) || tc_tracepoint_type(tc, name, &type))
		return tc_fail(tc, name);
	/* Type 0: another process has removed the tracepoint already. */
	return type && tc_profile_on(tc, type) ? tc_fail(tc, tc_stream(tc)) : 0;
}

/*
 * The tracepoints of transfers on buses, for which devtrace-convert --to vcd draws lines. Their
 * number equals the number of types for tracepoints that are added by name.
 */
static const char *const buses[] = {
	"i2c:i2c_write", "i2c:i2c_read", "i2c:i2c_reply", "i2c:i2c_result",
	"smbus:smbus_write", "smbus:smbus_read", "smbus:smbus_reply", "smbus:smbus_result",
	"spi:spi_message_start", "spi:spi_transfer_start", "spi:spi_transfer_stop",
	"gpio:gpio_value", "regmap:regmap_reg_write", "regmap:regmap_reg_read",
	"mdio:mdio_access",
};

int tc_tracepoint_buses(struct tc *tc, bool add, uint64_t *types)
{
	unsigned int type;
	size_t i;
	int ret;

	tc_open(tc);
	*types = 0;
	for (i = 0; i < sizeof(buses) / sizeof(buses[0]); i++) {
		ret = add ? devtrace_ctl_profile_add(tc->ctl, buses[i]) : 0;
		if (ret == -ENOENT)
			continue;
		if ((ret && ret != -EEXIST) || tc_tracepoint_type(tc, buses[i], &type))
			return tc_fail(tc, buses[i]);
		if (devtrace_type_is_profile(type))
			*types |= (uint64_t)1 << (type - DEVTRACE_T_KERNEL);
	}
	if (*types)
		return 0;
	fprintf(stderr, "tracectl: %s: buses: %s\n", tc->command, add ?
		"this kernel has no tracepoint of I2C, SPI, GPIO, regmap or MDIO" :
		"no tracepoint of a bus has been added; add them with 'tracectl profile buses'");
	return 1;
}

int tc_tracepoint_add(struct tc *tc)
{
	int ret = 0;

	if (!tc->nr)
		tc_missing(tc, "a tracepoint, SYSTEM:EVENT,");
	tc_open(tc);
	while (tc->nr)
		ret |= add_one(tc, tc_next(tc, ""));
	return ret;
}

int tc_tracepoint_del(struct tc *tc)
{
	int ret = 0;

	if (!tc->nr)
		tc_missing(tc, "a tracepoint, SYSTEM:EVENT,");
	tc_open(tc);
	while (tc->nr) {
		const char *name = tc_next(tc, "");

		if (devtrace_ctl_profile_del(tc->ctl, name))
			ret |= tc_fail(tc, name);
	}
	return ret;
}

/* Return the kernel's description of a tracepoint, or "" if tracefs cannot be read. */
static const char *description(const char *system, const char *event)
{
	static char text[65536];
	char path[sizeof(EVENTS) + 80];
	size_t n = 0;
	FILE *f;

	snprintf(path, sizeof(path), EVENTS "/%.*s/%s/format", (int)strcspn(system, ":"), system,
		 event);
	f = fopen(path, "re");
	if (f) {
		n = fread(text, 1, sizeof(text) - 1, f);
		fclose(f);
	}
	text[n] = '\0';
	return text;
}

static int fmt_one(const struct devtrace_ctl_profile *p, void *arg)
{
	struct tc *tc = arg;
	struct out *o = &tc->out, args;
	const char *event = strchr(p->name, ':');

	if (!p->added || !event)
		return 0;
	out_char(o, '\n');
	out_init(&args, -1);
	tc_symbols(o, &args, description(p->name, event + 1), p->type, p->elements);
	OUT_LIT(o, "record \"");
	tc_safe(o, p->name);
	OUT_LIT(o, "\" (");
	out_mem(o, args.buf, args.len);
	OUT_LIT(o, ")\n");
	out_free(&args);
	return 0;
}

int tc_tracepoint_fmt(struct tc *tc)
{
	tc_begin(tc);
	OUT_LIT(&tc->out, "# Tracepoints that were added by name; written by 'tracectl profile fmt'.\n");
	if (!devtrace_ctl_profiles(tc->ctl, fmt_one, tc))
		return 0;
	tc->out.len = 0;
	return tc_fail(tc, NULL);
}

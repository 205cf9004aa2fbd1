// SPDX-License-Identifier: GPL-2.0-only
/*
 * dict.c - the dict command: list the names that programs gave to numbers
 */
#include "fmtlang/fmt.h"
#include "tracectl.h"

static const char *kind_name(uint8_t kind)
{
	switch (kind) {
	case DEVTRACE_T_SIG:	return "signal";
	case DEVTRACE_T_OBJ:	return "object";
	case DEVTRACE_T_FUN:	return "function";
	case DEVTRACE_T_USR:	return "type";
	case DEVTRACE_T_ENUM:	return "enum";
	case DEVTRACE_T_IMAGE:	return "image";
	case DEVTRACE_T_ACCURACY: return "clock";
	default:		return "?";
	}
}

/* Print the number that the entry names. Which numbers there are depends on the kind of entry. */
static void number(struct out *o, const struct devtrace_ctl_dict *d)
{
	switch (d->kind) {
	case DEVTRACE_T_OBJ:
		out_u64(o, d->key);
		break;
	case DEVTRACE_T_FUN:
		out_hex(o, d->key, 1);
		break;
	case DEVTRACE_T_ENUM:
		out_u64(o, d->group);
		out_char(o, ':');
		out_u64(o, d->value);
		break;
	case DEVTRACE_T_IMAGE:
		out_u64(o, d->value);
		out_str(o, d->group == FMT_IMAGE_ID ? " build-id" :
			d->group == FMT_IMAGE_PATH ? " file" :
			d->group == FMT_IMAGE_BASE ? " address" : " ?");
		break;
	default:
		out_u64(o, d->value);
		if (d->kind == DEVTRACE_T_SIG && d->key) {
			OUT_LIT(o, " of object ");
			out_u64(o, d->key);
		}
	}
}

static int one(const struct devtrace_ctl_dict *d, void *arg)
{
	struct tc_list *l = arg;
	struct out *o = tc_list_next(l);

	if (l->tc->json) {
		tc_json_str(o, "\"kind\":", kind_name(d->kind));
		tc_json_num(o, ",\"value\":", d->value);
		tc_json_num(o, ",\"group\":", d->group);
		tc_json_num(o, ",\"key\":", d->key);
		tc_json_num(o, ",\"scope\":", d->scope);
		tc_json_str(o, ",\"name\":", d->name);
		return 0;
	}
	out_str(o, kind_name(d->kind));
	out_char(o, '\t');
	number(o, d);
	out_char(o, '\t');
	if (d->scope)
		out_u64(o, d->scope);
	else
		out_char(o, '-');
	out_char(o, '\t');
	tc_safe(o, d->name);
	return 0;
}

int tc_dict(struct tc *tc)
{
	struct tc_list l;

	tc_begin(tc);
	tc_list_begin(&l, tc, "{\"names\":[", "KIND\tNUMBER\tPROCESS\tNAME\n", "llrl");
	return tc_list_end(&l, devtrace_ctl_dict(tc->ctl, one, &l), NULL);
}

/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * fmt_util.h - common code for tests of the format language: a set that collects its messages,
 * events made from elements, and their text
 */
#ifndef FMT_UTIL_H
#define FMT_UTIL_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "fmtlang/fmt.h"

/* A set of formats and its messages, like "a.fmt:1:2: error: ...\n". */
struct fmt_env {
	struct fmt_set	set;
	char		said[16384];
	size_t		len;
};

static inline void env_diag(void *arg, enum fmt_level level, const char *path,
			    unsigned int line, unsigned int column, const char *message)
{
	static const char *const levels[] = { "error", "warning", "note" };
	struct fmt_env *env = arg;
	int n = snprintf(env->said + env->len, sizeof(env->said) - env->len,
			 "%s:%u:%u: %s: %s\n", path, line, column, levels[level], message);

	if (n > 0)
		env->len += (size_t)n < sizeof(env->said) - env->len ? (size_t)n : 0;
}

static inline void env_init(struct fmt_env *env)
{
	env->said[0] = 0;
	env->len = 0;
	fmt_set_init(&env->set, env_diag, env);
}

static inline void env_add(struct fmt_env *env, const char *path, const char *text)
{
	fmt_add_text(&env->set, path, text, strlen(text));
}

struct elems {
	uint8_t	data[4096];
	size_t	len;
};

static inline void put_int(struct elems *e, uint8_t type, uint64_t v, int size)
{
	e->data[e->len++] = type;
	while (size--) {
		e->data[e->len++] = v & 0xff;
		v >>= 8;
	}
}

#define put_i8(e, v)	put_int(e, DEVTRACE_E_I8, (uint64_t)(v), 1)
#define put_u8(e, v)	put_int(e, DEVTRACE_E_U8, (uint64_t)(v), 1)
#define put_i16(e, v)	put_int(e, DEVTRACE_E_I16, (uint64_t)(v), 2)
#define put_u16(e, v)	put_int(e, DEVTRACE_E_U16, (uint64_t)(v), 2)
#define put_i32(e, v)	put_int(e, DEVTRACE_E_I32, (uint64_t)(v), 4)
#define put_u32(e, v)	put_int(e, DEVTRACE_E_U32, (uint64_t)(v), 4)
#define put_x32(e, v)	put_int(e, DEVTRACE_E_X32, (uint64_t)(v), 4)
#define put_i64(e, v)	put_int(e, DEVTRACE_E_I64, (uint64_t)(v), 8)
#define put_u64(e, v)	put_int(e, DEVTRACE_E_U64, (uint64_t)(v), 8)
#define put_obj(e, v)	put_int(e, DEVTRACE_E_OBJ, (uint64_t)(v), 8)
#define put_fun(e, v)	put_int(e, DEVTRACE_E_FUN, (uint64_t)(v), 8)
#define put_enum(e, g, v) put_int(e, DEVTRACE_E_ENUM(g), (uint64_t)(v), 1)

static inline void put_f64(struct elems *e, double v)
{
	uint64_t bits;

	memcpy(&bits, &v, 8);
	put_int(e, DEVTRACE_E_F64, bits, 8);
}

static inline void put_f32(struct elems *e, float v)
{
	uint32_t bits;

	memcpy(&bits, &v, 4);
	put_int(e, DEVTRACE_E_F32, bits, 4);
}

static inline void put_str(struct elems *e, const char *s)
{
	e->data[e->len++] = DEVTRACE_E_STR;
	memcpy(e->data + e->len, s, strlen(s) + 1);
	e->len += strlen(s) + 1;
}

static inline void put_mem(struct elems *e, const void *p, uint8_t n, bool more)
{
	e->data[e->len++] = DEVTRACE_E_MEM | (more ? DEVTRACE_E_MEM_MORE : 0);
	e->data[e->len++] = n;
	memcpy(e->data + e->len, p, n);
	e->len += n;
}

static inline void put_sig(struct elems *e, uint32_t sig, uint64_t obj)
{
	size_t i;

	put_int(e, DEVTRACE_E_SIG, sig, 4);
	for (i = 0; i < 8; i++)
		e->data[e->len++] = obj >> 8 * i & 0xff;
}

static inline const char *env_name(const struct fmt_names *names, uint8_t kind,
				   uint32_t value, uint8_t group, uint64_t key)
{
	(void)names;
	if (kind == DEVTRACE_T_OBJ && key == 7)
		return "motor\033[2J";
	if (kind == DEVTRACE_T_FUN && key == 0x1234)
		return "irq_handler";
	if (kind == DEVTRACE_T_SIG && value == 3 && key == 7)
		return "TIMEOUT";
	if (kind == DEVTRACE_T_SIG && value == 4 && !key)
		return "TICK";
	if (kind == DEVTRACE_T_ENUM && group == 2 && value == 5)
		return "ARMED";
	return NULL;
}

static inline char *env_take(struct out *o)
{
	char *s;

	out_char(o, 0);
	s = o->err ? NULL : strdup(o->buf);
	out_free(o);
	return s;
}

/* The text of an event of this type; the caller frees it. */
static inline char *env_text(struct fmt_env *env, unsigned int type, const struct elems *e)
{
	static const struct fmt_names names = { .name = env_name };
	struct out o;

	out_init(&o, -1);
	fmt_print(&o, env->set.unbound.records[type], e->data, e->len, &names);
	return env_take(&o);
}

static inline char *env_json(struct fmt_env *env, unsigned int type, const struct elems *e)
{
	static const struct fmt_names names = { .name = env_name };
	struct out o;

	out_init(&o, -1);
	fmt_print_json(&o, env->set.unbound.records[type], e->data, e->len, &names);
	return env_take(&o);
}

#endif

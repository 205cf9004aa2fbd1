// SPDX-License-Identifier: GPL-2.0-only
/*
 * gen_stream.c - make a trace stream from a description in words
 *
 *	gen_stream < stream.gen > stream.trace
 *
 * One frame a line, made with devtrace_frame_encode() as the device would;
 * a '#' begins a comment. Streams of golden tests are made by it, so that what
 * they contain can be read and changed.
 *
 *	info [reason [stream [CPUS]]]	CPUS: sources from there on are lanes
 *	machine 32|64		of the following INFO frames: the size of its pointers in bits
 *	boot BYTE		boot id of the following INFO frames, filled with BYTE
 *	note NAME VALUE		as written by programs that save streams
 *	clock TS REAL [MONO [BOOTTIME]]
 *	accuracy TS MAX EST STATUS SOURCE	as stated by programs; STATUS in hexadecimal
 *	proc TID TGID NAME
 *	dict obj|fun|sig|usr|enum|image SCOPE VALUE GROUP KEY NAME
 *	lost SOURCE CAUSE COUNT FROM TO		SOURCE: N, or laneN
 *	state STATE TS [FIRED TRIGGER]
 *	event TS [cpu=N|laneN] [tid=N] [ctx=user|irq|sirq|nmi] [type=N] [sev=hw2|sw0...]
 *	      [code=MAJOR:MINOR] [obj=N] [sig=N] [late=1] ELEMENT...
 *	frame TYPE HEX		a frame of any type
 *	raw HEX			bytes between frames
 *	skip N			N missing frames
 *	flip			the next frame has a wrong bit
 *	noise SEED N		N intact frames of random types with random bodies
 *	bench N			N events of two int32 with clocks between them
 *
 * Elements are i8 u8 i16 u16 i32 u32 i64 u64 x32 f32 f64 obj fun : value,
 * str:TEXT with \xHH, mem:HEX, mem+:HEX (more follows), sig:N@OBJ,
 * enum:GROUP/VALUE; a width stands in front of the colon: u32.5:77. "short:HEX"
 * is bytes that are not an element. NAME and TEXT end at white space unless they
 * stand in quotes.
 */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <devtrace-decode.h>

static uint8_t seq = 1;
static uint64_t frames;
static int boot = -1;
static int bits = 64;
static unsigned int cpus;	/* from the last INFO */
static int flip;
static unsigned long line_nr;

static _Noreturn void fail(const char *what, const char *word)
{
	fprintf(stderr, "gen_stream: line %lu: %s '%s'\n", line_nr, what, word ? word : "");
	exit(1);
}

static void put(uint8_t **p, uint64_t v, int n)
{
	while (n--) {
		*(*p)++ = v & 0xff;
		v >>= 8;
	}
}

static void frame(uint8_t type, const uint8_t *body, size_t len)
{
	static uint8_t out[2 * DEVTRACE_FRAME_MAX + 16];
	size_t n = devtrace_frame_encode(out, sizeof(out), DEVTRACE_CHECK_SUM8, seq++, type,
					 body, len, true);

	if (!n)
		fail("frame too long", NULL);
	if (flip)
		out[n / 2] ^= 0x01;
	flip = 0;
	frames++;
	fwrite(out, 1, n, stdout);
}

/* The next word of the line; it may have quotes and \xHH. */
static char *word(char **line)
{
	char *s = *line, *begin, *d;
	int quoted = 0;

	while (isspace((unsigned char)*s))
		s++;
	if (!*s || *s == '#')
		return NULL;
	begin = d = s;
	for (; *s && (quoted || !isspace((unsigned char)*s)); s++) {
		if (*s == '"') {
			quoted = !quoted;
		} else if (s[0] == '\\' && s[1] == 'x' && isxdigit((unsigned char)s[2]) &&
			   isxdigit((unsigned char)s[3])) {
			char hex[3] = { s[2], s[3] };

			*d++ = (char)strtol(hex, NULL, 16);
			s += 3;
		} else {
			*d++ = *s;
		}
	}
	*line = *s ? s + 1 : s;
	*d = 0;
	return begin;
}

static uint64_t number(const char *s)
{
	char *end;
	uint64_t v;

	if (!s)
		fail("a number is missing", NULL);
	errno = 0;
	v = *s == '-' ? (uint64_t)strtoll(s, &end, 0) : strtoull(s, &end, 0);
	if (end == s || *end || errno)
		fail("no number", s);
	return v;
}

static unsigned int source(const char *s)
{
	if (s && !strncmp(s, "lane", 4)) {
		if (!cpus)
			fail("no lanes in this stream", s);
		return cpus + (unsigned int)number(s + 4);
	}
	return (unsigned int)number(s);
}

static size_t hex(uint8_t *p, const char *s)
{
	size_t n = 0;

	for (; s && *s; s += 2) {
		char pair[3] = { s[0], s[1] };

		if (!isxdigit((unsigned char)s[0]) || !isxdigit((unsigned char)s[1]))
			fail("no hex", s);
		p[n++] = (uint8_t)strtol(pair, NULL, 16);
	}
	return n;
}

static void put_float(uint8_t **p, const char *v, int is_double)
{
	double d = strtod(v, NULL);
	float f = (float)d;
	uint64_t bits64;
	uint32_t bits32;

	memcpy(&bits64, &d, 8);
	memcpy(&bits32, &f, 4);
	put(p, is_double ? bits64 : bits32, is_double ? 8 : 4);
}

static void element(uint8_t **p, char *w)
{
	static const struct {
		const char *name;
		int type, size;
	} ints[] = {
		{ "i8", 0, 1 }, { "u8", 1, 1 }, { "i16", 2, 2 }, { "u16", 3, 2 },
		{ "i32", 4, 4 }, { "u32", 5, 4 }, { "obj", 11, 8 }, { "fun", 12, 8 },
		{ "i64", 13, 8 }, { "u64", 14, 8 }, { "x32", 15, 4 },
	};
	char *v = strchr(w, ':'), *dot, *at;
	unsigned int width = 0;
	size_t i;

	if (!v)
		fail("no element", w);
	*v++ = 0;
	dot = strchr(w, '.');
	if (dot) {
		*dot++ = 0;
		width = (unsigned int)number(dot) << 4;
	}
	for (i = 0; i < sizeof(ints) / sizeof(ints[0]); i++) {
		if (strcmp(w, ints[i].name))
			continue;
		put(p, ints[i].type | width, 1);
		put(p, number(v), ints[i].size);
		return;
	}
	if (!strcmp(w, "f32") || !strcmp(w, "f64")) {
		put(p, (w[1] == '6' ? 7 : 6) | width, 1);
		put_float(p, v, w[1] == '6');
	} else if (!strcmp(w, "str")) {
		put(p, 8, 1);
		memcpy(*p, v, strlen(v) + 1);
		*p += strlen(v) + 1;
	} else if (!strcmp(w, "mem") || !strcmp(w, "mem+")) {
		put(p, w[3] ? 0x19 : 9, 1);
		i = hex(*p + 1, v);
		put(p, i, 1);
		*p += i;
	} else if (!strcmp(w, "sig")) {
		at = strchr(v, '@');
		if (at)
			*at++ = 0;
		put(p, 10, 1);
		put(p, number(v), 4);
		put(p, at ? number(at) : 0, 8);
	} else if (!strcmp(w, "enum")) {
		at = strchr(v, '/');
		if (!at)
			fail("no enum:GROUP/VALUE", v);
		*at++ = 0;
		put(p, DEVTRACE_E_ENUM(number(v)), 1);
		put(p, number(at), 1);
	} else if (!strcmp(w, "short")) {
		*p += hex(*p, v);
	} else {
		fail("unknown element", w);
	}
}

static unsigned int severity(const char *s)
{
	if (strlen(s) != 3 || (s[0] != 'h' && s[0] != 's') || s[1] != 'w' || s[2] < '0' ||
	    s[2] > '3')
		fail("no severity", s);
	return DEVTRACE_SEV_SET | (s[0] == 'h' ? DEVTRACE_SEV_HW : 0) | (s[2] - '0');
}

static void event(char *line)
{
	static uint8_t body[3 * DEVTRACE_PAYLOAD_MAX], data[2 * DEVTRACE_PAYLOAD_MAX];
	unsigned int flags = 0, sev = 0, cpu = 0, type = DEVTRACE_T_USER;
	uint32_t tid = 0, code = 0, obj = 0, sig = 0;
	uint64_t ts = number(word(&line));
	uint8_t *p = body, *d = data;
	char *w, *v;

	while ((w = word(&line))) {
		v = strchr(w, '=');
		if (!v || strchr(w, ':') < v ? strchr(w, ':') != NULL : 0) {
			element(&d, w);
			continue;
		}
		if (!v)
			fail("what is", w);
		*v++ = 0;
		if (!strcmp(w, "cpu")) {
			cpu = source(v);
		} else if (!strcmp(w, "tid")) {
			tid = (uint32_t)number(v);
		} else if (!strcmp(w, "type")) {
			type = (unsigned int)number(v);
		} else if (!strcmp(w, "sev")) {
			sev = severity(v);
		} else if (!strcmp(w, "ctx")) {
			flags |= !strcmp(v, "user") ? DEVTRACE_F_USER : !strcmp(v, "sirq") ? 1 :
				 !strcmp(v, "irq") ? 2 : !strcmp(v, "nmi") ? 3 : 0;
		} else if (!strcmp(w, "code")) {
			char *minor = strchr(v, ':');

			if (!minor)
				fail("no MAJOR:MINOR", v);
			*minor++ = 0;
			flags |= DEVTRACE_F_CODE;
			type = DEVTRACE_T_EXC;
			code = DEVTRACE_CODE(number(v), number(minor));
		} else if (!strcmp(w, "obj")) {
			flags |= DEVTRACE_F_OBJSIG;
			obj = (uint32_t)number(v);
		} else if (!strcmp(w, "sig")) {
			flags |= DEVTRACE_F_OBJSIG;
			sig = (uint32_t)number(v);
		} else if (!strcmp(w, "late")) {
			flags |= number(v) ? DEVTRACE_F_LATE : 0;
		} else {
			fail("what is", w);
		}
	}
	put(&p, flags, 1);
	put(&p, sev, 1);
	put(&p, cpu, 2);
	put(&p, tid, 4);
	put(&p, ts, 8);
	if (flags & DEVTRACE_F_CODE)
		put(&p, code, 4);
	if (flags & DEVTRACE_F_OBJSIG) {
		put(&p, obj, 2);
		put(&p, sig, 2);
	}
	memcpy(p, data, d - data);
	p += d - data;
	frame((uint8_t)type, body, p - body);
}

static void info(uint8_t reason, const char *stream)
{
	uint8_t body[200], *p = body;
	static const char strings[] = "x86_64\0" "6.1.0-test";

	if (strlen(stream) >= DEVTRACE_NAME_MAX)
		fail("no name of a stream", stream);

	put(&p, DEVTRACE_WIRE_VERSION, 1);
	put(&p, DEVTRACE_CHECK_SUM8, 1);
	put(&p, reason, 1);
	put(&p, (boot < 0 ? 0 : DEVTRACE_INFO_BOOT_ID) | (bits == 32 ? DEVTRACE_INFO_32BIT : 0), 1);
	put(&p, cpus ? cpus + 4096 : 4, 2);
	put(&p, cpus, 2);
	put(&p, frames, 8);
	memset(p, boot < 0 ? 0x5a : boot, 16);
	p += 16;
	memcpy(p, strings, sizeof(strings));
	p += sizeof(strings);
	memcpy(p, stream, strlen(stream) + 1);
	p += strlen(stream) + 1;
	frame(DEVTRACE_T_INFO, body, p - body);
}

static void note(const char *name, const char *value)
{
	uint8_t body[512] = { DEVTRACE_EMPTY_NOTE }, out[1200];
	size_t at = sizeof(struct devtrace_wire_note), n;

	if (!name || !value || strlen(name) + strlen(value) > 400)
		fail("no note", name);
	memcpy(body + at, name, strlen(name) + 1);
	at += strlen(name) + 1;
	memcpy(body + at, value, strlen(value) + 1);
	n = devtrace_frame_encode(out, sizeof(out), DEVTRACE_CHECK_CRC32, 0, DEVTRACE_T_EMPTY,
				  body, at + strlen(value) + 1, true);
	fwrite(out, 1, n, stdout);
}

/* A statement of the kernel about the error of the wall clock. */
static void accuracy(char *text)
{
	uint8_t body[256] = { DEVTRACE_EMPTY_ACCURACY };
	const size_t n = sizeof(struct devtrace_wire_accuracy);

	if (!text || strlen(text) > 200)
		fail("no statement", text);
	text[strcspn(text, "\n")] = 0;
	memcpy(body + n, text, strlen(text) + 1);
	frame(DEVTRACE_T_EMPTY, body, n + strlen(text) + 1);
}

static void clock_frame(uint64_t ts, uint64_t real, uint64_t mono, uint64_t boottime)
{
	uint8_t body[64], *p = body;

	put(&p, frames, 8);
	put(&p, ts, 8);
	put(&p, mono, 8);
	put(&p, boottime, 8);
	put(&p, real, 8);
	frame(DEVTRACE_T_CLOCK, body, p - body);
}

static void bench(uint64_t n)
{
	uint64_t i, ts = 1000000000000ull;
	uint8_t body[64], *p;

	for (i = 0; i < n; i++, ts += 1 + i * 2654435761u % 3000) {
		if (i % 1500 == 0) {
			info(i ? DEVTRACE_INFO_PERIODIC : DEVTRACE_INFO_OPEN, "trace");
			clock_frame(ts, ts + 1700000000000000000ull, ts, ts);
		}
		p = body;
		put(&p, DEVTRACE_F_USER, 1);
		put(&p, 0, 1);
		put(&p, i & 1, 2);
		put(&p, 1234, 4);
		put(&p, ts, 8);
		put(&p, DEVTRACE_E_I32, 1);
		put(&p, i, 4);
		put(&p, DEVTRACE_E_I32, 1);
		put(&p, -i * 7, 4);
		frame(DEVTRACE_T_USER, body, p - body);
	}
}

static uint64_t noise_state;

static uint32_t noise(uint32_t below)
{
	noise_state = noise_state * 6364136223846793005ull + 1442695040888963407ull;
	return (uint32_t)(noise_state >> 33) % below;
}

static size_t noise_bytes(uint8_t *p, size_t n)
{
	size_t i;

	/* Prefer bytes with a special meaning. */
	for (i = 0; i < n; i++)
		p[i] = noise(4) ? (uint8_t)noise(256) : (uint8_t)"\0\n\x1b[\x7f\"\\\xc2\x9b\xed\xa0\xf0%"[noise(12)];
	return n;
}

static void noise_frame(void)
{
	static const uint8_t sizes[16] = { 1, 1, 2, 2, 4, 4, 4, 8, 0, 0, 12, 8, 8, 8, 8, 4 };
	uint8_t body[2048], *p = body;
	uint8_t type = (uint8_t)noise(256);
	uint64_t ts = noise_state;
	unsigned int n = noise(12);

	if (noise(8) && type >= 54 && type <= 70)
		type = DEVTRACE_T_USER;
	put(&p, noise(64), 1);
	put(&p, noise(16), 1);
	put(&p, noise(4), 2);
	put(&p, noise(40), 4);
	put(&p, ts >> noise(40), 8);
	if (type >= 54 && type <= 70) {
		p += noise_bytes(p, noise(100));
		*p++ = 0;
	}
	while (n--) {
		uint8_t e = (uint8_t)noise(256);
		size_t len = sizes[e & 15];

		*p++ = e;
		if ((e & 15) == DEVTRACE_E_MEM) {
			len = noise(60);
			*p++ = (uint8_t)len;
		} else if ((e & 15) == DEVTRACE_E_STR) {
			len = noise(30);
		}
		p += noise_bytes(p, len);
		if ((e & 15) == DEVTRACE_E_STR)
			*p++ = 0;
	}
	/* Cut one frame in ten, or give it a wrong byte. */
	if (!noise(10) && p - body > 20)
		p -= noise((uint32_t)(p - body - 17));
	frame(type, body, p - body);
}

static void dict(char *line)
{
	static const struct {
		const char *name;
		uint8_t type;
	} kinds[] = {
		{ "enum", DEVTRACE_T_ENUM }, { "sig", DEVTRACE_T_SIG }, { "obj", DEVTRACE_T_OBJ },
		{ "fun", DEVTRACE_T_FUN }, { "usr", DEVTRACE_T_USR },
		{ "image", DEVTRACE_T_IMAGE },
	};
	uint8_t body[200], *p = body, type = 0;
	const char *kind = word(&line), *name;
	uint64_t scope = number(word(&line)), value = number(word(&line));
	uint64_t group = number(word(&line)), key = number(word(&line));
	size_t i;

	name = word(&line);
	for (i = 0; kind && i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (!strcmp(kind, kinds[i].name))
			type = kinds[i].type;
	if (!type || !name || strlen(name) >= DEVTRACE_NAME_MAX)
		fail("no dictionary entry", kind);
	put(&p, scope, 4);
	put(&p, value, 4);
	put(&p, group, 1);
	put(&p, 0, 3);
	put(&p, key, 8);
	memcpy(p, name, strlen(name) + 1);
	frame(type, body, p - body + strlen(name) + 1);
}

static void proc(char *line)
{
	uint8_t body[200], *p = body;
	uint64_t tid = number(word(&line)), tgid = number(word(&line));
	const char *name = word(&line);

	if (!name || strlen(name) >= DEVTRACE_NAME_MAX)
		fail("no name", name);
	put(&p, tid, 4);
	put(&p, tgid, 4);
	put(&p, 0, 8);
	memcpy(p, name, strlen(name) + 1);
	frame(DEVTRACE_T_PROC, body, p - body + strlen(name) + 1);
}

static void lost(char *line)
{
	uint8_t body[64], *p = body;

	put(&p, source(word(&line)), 2);
	put(&p, number(word(&line)), 1);
	put(&p, 0, 1);
	put(&p, number(word(&line)), 8);
	put(&p, number(word(&line)), 8);
	put(&p, number(word(&line)), 8);
	frame(DEVTRACE_T_LOST, body, p - body);
}

static void state(char *line)
{
	uint8_t body[128], *p = body;
	uint64_t what = number(word(&line)), ts = number(word(&line));
	const char *fired = word(&line), *trigger = fired ? word(&line) : NULL;

	if (fired && (!trigger || strlen(trigger) >= DEVTRACE_NAME_MAX))
		fail("no name of a trigger", trigger);
	put(&p, what, 1);
	put(&p, trigger != NULL, 1);
	put(&p, 0, 6);
	put(&p, ts, 8);
	put(&p, fired ? number(fired) : 0, 8);
	strcpy((char *)p, trigger ? trigger : "");
	frame(DEVTRACE_T_STATE, body, p - body + strlen((char *)p) + 1);
}

static void line_command(char *line)
{
	static uint8_t bytes[8192];
	char *w = word(&line), *arg, *count;
	uint64_t a, b, c;

	if (!w)
		return;
	if (!strcmp(w, "event")) {
		event(line);
	} else if (!strcmp(w, "info")) {
		arg = word(&line);
		w = word(&line);
		count = word(&line);
		cpus = count ? (unsigned int)number(count) : 0;
		info(arg ? (uint8_t)number(arg) : 0, w ? w : "trace");
	} else if (!strcmp(w, "boot")) {
		boot = (uint8_t)number(word(&line));
	} else if (!strcmp(w, "machine")) {
		bits = (int)number(word(&line));
	} else if (!strcmp(w, "note")) {
		arg = word(&line);
		note(arg, word(&line));
	} else if (!strcmp(w, "accuracy")) {
		accuracy(line);
	} else if (!strcmp(w, "clock")) {
		a = number(word(&line));
		b = number(word(&line));
		arg = word(&line);
		c = arg ? number(arg) : a;
		arg = word(&line);
		clock_frame(a, b, c, arg ? number(arg) : a);
	} else if (!strcmp(w, "dict")) {
		dict(line);
	} else if (!strcmp(w, "proc")) {
		proc(line);
	} else if (!strcmp(w, "lost")) {
		lost(line);
	} else if (!strcmp(w, "state")) {
		state(line);
	} else if (!strcmp(w, "frame")) {
		a = number(word(&line));
		frame((uint8_t)a, bytes, hex(bytes, word(&line)));
	} else if (!strcmp(w, "raw")) {
		fwrite(bytes, 1, hex(bytes, word(&line)), stdout);
	} else if (!strcmp(w, "skip")) {
		a = number(word(&line));
		seq += (uint8_t)a;
		frames += a;
	} else if (!strcmp(w, "flip")) {
		flip = 1;
	} else if (!strcmp(w, "noise")) {
		noise_state = number(word(&line));
		for (a = number(word(&line)); a; a--)
			noise_frame();
	} else if (!strcmp(w, "bench")) {
		bench(number(word(&line)));
	} else {
		fail("unknown command", w);
	}
}

int main(void)
{
	static char line[65536];

	while (fgets(line, sizeof(line), stdin)) {
		line_nr++;
		line_command(line);
	}
	return fflush(stdout) ? 1 : 0;
}

// SPDX-License-Identifier: GPL-2.0-only
/*
 * rkh_wire.c - streams as RKH 3.4 sends them
 *
 *		rkh_wire known			the stream that RKH's own source sent
 *		rkh_wire known names	the same, without times of names and the & of one
 *		rkh_wire SIG PTR [WORD...]  each record once, for signals of SIG bytes and
 *					symbols of PTR bytes; on standard output
 *
 * WORDs: sender, lwm (records have their optional fields), nonumber, nostamp, nocheck.
 *
 * It must not share anything with traceconv or qsgate, as no test would see a mistake that both
 * ends share. Documentation/frameworks.rst, "RKH on the wire", has the facts.
 */
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Pointers and timestamps have 4 bytes, signals 1. */
static const char known[] =
	"7e"
	"ac00340efe03001442110214e803a97e"
	"a60000000000505040002671756500097e"
	"ab0101000000004c4f575057525f5553525f545241434500417e"
	"ab020200000001444953434f4e4e45435445445f5553525f545241434500b67e"
	"c0030300000031ff83ffff0768656c6c6f00080401020304587e"
	"c1040400000009505040004e7e"
	"a00505000000567e"
	"a206060000000100010000200008287e"
	"a90707000000a6124000517e"
	"aa0808000000a61240004e7e"
	"ad09090000006d6f64004d00b47e"
	"c00a0a00000030fb86efbeadde0aa61240000b03337e";

static struct {
	unsigned int	sig, ptr, ticks, blocks, elems, es, bsize, stamp;
	int		sender, lwm, number, stamps, check;
	uint8_t		seq, sum;
	uint32_t	time;
} w = {
	.ticks = 2, .blocks = 1, .elems = 1, .es = 2, .bsize = 1, .stamp = 4, .number = 1,
	.stamps = 1, .check = 1,
};

static void wire_byte(uint8_t b)
{
	w.sum = (uint8_t)(w.sum + b);
	if (b == 0x7e || b == 0x7d) {
		putchar(0x7d);
		b ^= 0x20;
	}
	putchar(b);
}

static void wire_number(unsigned int bytes, uint64_t v)
{
	for (; bytes--; v >>= 8)
		wire_byte((uint8_t)v);
}

static void wire_string(const char *s)
{
	do
		wire_byte((uint8_t)*s);
	while (*s++);
}

static void wire_end(void)
{
	if (w.check)
		wire_byte((uint8_t)-w.sum);
	putchar(0x7e);
}

static void wire_begin(uint8_t id)
{
	w.sum = 0;
	wire_byte(id);
	if (w.number)
		wire_byte(w.seq++);
	if (w.stamps)
		wire_number(w.stamp, w.time++);
}

/*
 * Write a record. Each letter of @layout is a field with the width of the configuration: p
 * symbol, f function, s signal, e elements, b blocks, z size of a block, t ticks, E size of an
 * event, 1 2 4 a number of so many bytes, " a string. P (sender), q and m (minimum of a queue
 * and of a pool) are absent in some configurations.
 */
static void wire_record(uint8_t id, const char *layout, ...)
{
	va_list args;

	wire_begin(id);
	va_start(args, layout);
	for (; *layout; layout++) {
		uint64_t v;

		if (*layout == '"') {
			wire_string(va_arg(args, const char *));
			continue;
		}
		v = va_arg(args, unsigned int);
		switch (*layout) {
		case 'P':
			if (!w.sender)
				break;
			/* fall through */
		case 'p':
		case 'f':
			wire_number(w.ptr, v);
			break;
		case 's':
			wire_number(w.sig, v);
			break;
		case 'q':
			if (!w.lwm)
				break;
			/* fall through */
		case 'e':
			wire_number(w.elems, v);
			break;
		case 'm':
			if (!w.lwm)
				break;
			/* fall through */
		case 'b':
			wire_number(w.blocks, v);
			break;
		case 'z':
			wire_number(w.bsize, v);
			break;
		case 't':
			wire_number(w.ticks, v);
			break;
		case 'E':
			wire_number(w.es, v);
			break;
		default:
			wire_number((unsigned int)(*layout - '0'), v);
		}
	}
	va_end(args);
	wire_end();
}

/* The configuration has no timestamp, and no sequence number, which it does not advance. */
static void wire_configuration(void)
{
	uint32_t flags = 1 << 1 | 1 << 2 | 1 << 3 | 0x3f << 4 | 1 << 10 | 1 << 13 | 1 << 14;

	flags |= (uint32_t)(w.sender | w.lwm << 11 | w.lwm << 12);
	flags |= (uint32_t)(w.number << 15 | w.stamps << 16 | w.check << 17);
	w.sum = 0;
	wire_byte(0xac);
	wire_number(2, 0x3400);
	wire_number(4, flags);
	wire_byte((uint8_t)(w.sig << 4 | w.stamp));
	wire_byte((uint8_t)(w.ptr << 4 | w.ticks));
	wire_byte((uint8_t)(w.blocks << 4 | w.elems));
	wire_byte((uint8_t)w.es);
	wire_byte((uint8_t)(w.bsize << 4 | 4));
	wire_number(2, 1000);
	wire_end();
}

/* Symbols fit into two bytes, signals into one. */
enum { QUE = 0x1010, AO, POOL, STATE, OTHER, TIMER, FUN, HIST };
enum { GO = 3, STOP = 0x7e };

static void wire_names(void)
{
	wire_record(0xa6, "p\"", POOL, "pool");
	wire_record(0xa7, "s\"", GO, "GO");
	wire_record(0xa7, "s\"", STOP, "STOP");
	wire_record(0xa8, "f\"", FUN, "work");
	wire_record(0xae, "p\"", AO, "motor");
	wire_record(0xaf, "pp\"", AO, STATE, "idle");
	wire_record(0xaf, "pp\"", AO, OTHER, "busy");
	wire_record(0xb0, "pp\"", AO, HIST, "history");
	wire_record(0xb1, "p\"", TIMER, "timer");
	wire_record(0xb2, "1\"", 0, "small");
	wire_record(0xb3, "p\"", QUE, "queue");
	wire_record(0xab, "1\"", 0, "FIRST");
	wire_record(0xab, "1\"", 31, "LAST");
}

static void wire_records(void)
{
	wire_record(0x00, "pbz", POOL, 8, 64);
	wire_record(0x01, "pbm", POOL, 7, 6);
	wire_record(0x02, "pb", POOL, 8);
	wire_record(0x20, "ppe", QUE, AO, 16);
	wire_record(0x21, "pe", QUE, 15);
	wire_record(0x22, "peq", QUE, 14, 13);
	wire_record(0x23, "peq", QUE, 13, 12);
	wire_record(0x24, "p", QUE);
	wire_record(0x25, "p", QUE);
	wire_record(0x26, "p", QUE);
	wire_record(0x40, "p11", AO, 2, 16);
	wire_record(0x41, "p1", AO, 2);
	wire_record(0x42, "ps11eq", AO, GO, 1, 2, 5, 4);
	wire_record(0x43, "psP11eq", AO, STOP, OTHER, 1, 2, 5, 4);
	wire_record(0x44, "psP11eq", AO, GO, OTHER, 0, 0, 5, 4);
	wire_record(0x45, "p1", AO, 2);
	wire_record(0x46, "p1", AO, 2);
	wire_record(0x47, "ps", QUE, GO);
	wire_record(0x48, "ps", AO, GO);
	wire_record(0x60, "pp", AO, STATE);
	wire_record(0x61, "pp", AO, HIST);
	wire_record(0x62, "ppp", AO, STATE, OTHER);
	wire_record(0x63, "pp", AO, OTHER);
	wire_record(0x64, "pp", AO, OTHER);
	wire_record(0x65, "pp", AO, STATE);
	wire_record(0x66, "p11", AO, 1, 2);
	wire_record(0x67, "p11", AO, 3, 1);
	wire_record(0x68, "pp", AO, OTHER);
	wire_record(0x69, "p", AO);
	wire_record(0x6a, "ps", AO, GO);
	wire_record(0x6b, "p", AO);
	wire_record(0x6c, "p", AO);
	wire_record(0x6d, "p", AO);
	wire_record(0x6e, "p", AO);
	wire_record(0x6f, "p", AO);
	wire_record(0x70, "1ppf", 0, AO, STATE, FUN);
	wire_record(0x71, "psp", AO, GO, STATE);
	wire_record(0x80, "ps", TIMER, GO);
	wire_record(0x81, "pptt", TIMER, AO, 100, 10);
	wire_record(0x82, "ptt", TIMER, 99, 10);
	wire_record(0x83, "psp", TIMER, GO, AO);
	wire_record(0x84, "p", TIMER);
	wire_record(0xa0, "");
	wire_record(0xa1, "");
	wire_record(0xa2, "14Eb", 0, 256, 32, 8);
	wire_record(0xa3, "Es11bmp", 32, GO, 0, 1, 7, 6, AO);
	wire_record(0xa4, "s11", GO, 0, 1);
	wire_record(0xa5, "s11bmp", GO, 0, 0, 8, 6, AO);
	wire_record(0xa9, "f", FUN);
	wire_record(0xaa, "fPP", FUN, AO, OTHER);
	wire_record(0xad, "\"2", "mod", 77);
}

/* Each element: its format byte holds the width and RKH's own code. */
static void wire_user(void)
{
	static const uint8_t memory[] = { 1, 0x7e, 0x7d, 4 };
	size_t i;

	wire_begin(0xc0);
	wire_byte(0x30);
	wire_byte((uint8_t)-5);
	wire_byte(0x31);
	wire_byte(255);
	wire_byte(0x02);
	wire_number(2, (uint16_t)-2);
	wire_byte(0x83);
	wire_number(2, 65535);
	wire_byte(0x04);
	wire_number(4, (uint32_t)-100000);
	wire_byte(0x95);
	wire_number(4, 100000);
	wire_end();
	wire_begin(0xc1);
	wire_byte(0x86);
	wire_number(4, 0xdeadbeef);
	wire_byte(0x07);
	wire_string("hello");
	wire_byte(0x08);
	wire_byte(sizeof(memory));
	for (i = 0; i < sizeof(memory); i++)
		wire_byte(memory[i]);
	wire_end();
	wire_begin(0xdf);
	wire_byte(0x09);
	wire_number(w.ptr, QUE);
	wire_byte(0x0a);
	wire_number(w.ptr, FUN);
	wire_byte(0x0b);
	wire_number(w.sig, GO);
	wire_end();
}

static const char known_names[] =
	"7e"
	"ac00340efe03001442110214e803a97e"
	"a6000000000050504000717565002f7e"
	"ab0100000000004c4f575057525f5553525f545241434500427e"
	"ab020000000001444953434f4e4e45435445445f5553525f545241434500b87e";

static int wire_known(bool names)
{
	const char *p, *rest = strstr(known, "c00303");
	unsigned int b;

	for (p = names ? known_names : known; sscanf(p, "%2x", &b) == 1; p += 2)
		putchar((int)b);
	for (p = names ? rest : ""; sscanf(p, "%2x", &b) == 1; p += 2)
		putchar((int)b);
	return 0;
}

int main(int argc, char **argv)
{
	int i;

	if (argc >= 2 && !strcmp(argv[1], "known"))
		return wire_known(argc > 2);
	if (argc < 3)
		return 2;
	w.sig = (unsigned int)atoi(argv[1]);
	w.ptr = (unsigned int)atoi(argv[2]);
	for (i = 3; i < argc; i++) {
		if (!strcmp(argv[i], "sender"))
			w.sender = 1;
		else if (!strcmp(argv[i], "lwm"))
			w.lwm = 1;
		else if (!strcmp(argv[i], "nonumber"))
			w.number = 0;
		else if (!strcmp(argv[i], "nostamp"))
			w.stamps = 0;
		else if (!strcmp(argv[i], "nocheck"))
			w.check = 0;
		else
			return 2;
	}
	putchar(0x7e);
	wire_configuration();
	wire_names();
	wire_records();
	wire_user();
	return 0;
}

/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * nl_spec.h - the netlink family, as its description has it
 *
 * Made by `selftests/unit/netlink_spec.py table`, and compared by a unit test, so
 * that the tests of the device need nothing but a compiler.
 */
#ifndef NL_SPEC_H
#define NL_SPEC_H

#include <stddef.h>
#include <stdint.h>

enum spec_type {
	SPEC_NONE, SPEC_U8, SPEC_U32, SPEC_U64, SPEC_S64, SPEC_STRING, SPEC_NEST,
	SPEC_BINARY, SPEC_U32S, SPEC_U64S, SPEC_RANGES,
};

struct spec_attr {
	const char *name;
	enum spec_type type;
	uint64_t min, max;		/* value of a number, length of the others */
	const struct spec_attr *nest;
	int nest_max;
};

struct spec_cmd {
	const char *name;
	int can_do, can_dump;
	uint64_t do_takes, dump_takes;	/* a bit for each attribute */
};

static const struct spec_attr spec_filter[] = {
	[1] = { "pad", SPEC_NONE, 0, 0xffffffffffffffff },
	[2] = { "types", SPEC_BINARY, 32, 0x20 },
	[3] = { "hw-severity", SPEC_U32, 0, 0x4 },
	[4] = { "sw-severity", SPEC_U32, 0, 0x4 },
	[5] = { "objects", SPEC_RANGES, 0, 0x100 },
	[6] = { "signals", SPEC_RANGES, 0, 0x100 },
	[7] = { "majors", SPEC_U32S, 0, 0x100 },
	[8] = { "not-majors", SPEC_U32S, 0, 0x100 },
	[9] = { "pids", SPEC_U32S, 0, 0x100 },
	[10] = { "not-pids", SPEC_U32S, 0, 0x100 },
	[11] = { "comms", SPEC_BINARY, 0, 0x400 },
	[12] = { "not-comms", SPEC_BINARY, 0, 0x400 },
	[13] = { "origins", SPEC_U32, 1, 0x3 },
	[14] = { "cpus", SPEC_RANGES, 0, 0x100 },
	[15] = { "codes", SPEC_U32S, 0, 0x100 },
	[16] = { "not-codes", SPEC_U32S, 0, 0x100 },
};

static const struct spec_attr spec_element[] = {
	[1] = { "pad", SPEC_NONE, 0, 0xffffffffffffffff },
	[2] = { "index", SPEC_U32, 0, 0xffffffff },
	[3] = { "compare", SPEC_U32, 0, 0x5 },
	[4] = { "value", SPEC_S64, 0, 0xffffffffffffffff },
	[5] = { "mask", SPEC_U64, 1, 0xffffffffffffffff },
	[6] = { "string", SPEC_STRING, 0, 0xffffffffffffffff },
};

static const struct spec_attr spec_devtrace[] = {
	[1] = { "pad", SPEC_NONE, 0, 0xffffffffffffffff },
	[2] = { "stream", SPEC_STRING, 1, 0x1f },
	[3] = { "id", SPEC_U32, 0, 0xffffffff },
	[4] = { "size", SPEC_U64, 1024, 0x80000000 },
	[5] = { "state", SPEC_U32, 0, 0x2 },
	[6] = { "reason", SPEC_STRING, 0, 0xffffffffffffffff },
	[7] = { "since", SPEC_U64, 0, 0xffffffffffffffff },
	[8] = { "watermark", SPEC_U32, 0, 0x63 },
	[9] = { "mode", SPEC_U32, 0, 0x1ff },
	[10] = { "generation", SPEC_U32, 0, 0xffffffff },
	[11] = { "filter", SPEC_NEST, 0, 0xffffffffffffffff, spec_filter, 16 },
	[12] = { "trigger", SPEC_STRING, 1, 0x1f },
	[13] = { "when", SPEC_NEST, 0, 0xffffffffffffffff, spec_filter, 16 },
	[14] = { "element", SPEC_NEST, 0, 0xffffffffffffffff, spec_element, 6 },
	[15] = { "nth", SPEC_U64, 1, 0xffffffffffffffff },
	[16] = { "rate", SPEC_U32, 1, 0xfffffe },
	[17] = { "action", SPEC_U32, 0, 0x5 },
	[18] = { "events", SPEC_U64, 0, 0x7fffffff },
	[19] = { "time", SPEC_U64, 0, 0xffffffffffffffff },
	[20] = { "rearm", SPEC_U8, 0, 0x1 },
	[21] = { "armed", SPEC_U8, 0, 0x1 },
	[22] = { "fired", SPEC_U64, 0, 0xffffffffffffffff },
	[23] = { "fired-at", SPEC_U64, 0, 0xffffffffffffffff },
	[24] = { "seen", SPEC_U64, 0, 0xffffffffffffffff },
	[25] = { "cpu", SPEC_U32, 0, 0xffffffff },
	[26] = { "emitted", SPEC_U64, 0, 0xffffffffffffffff },
	[27] = { "stored", SPEC_U64, 0, 0xffffffffffffffff },
	[28] = { "filtered", SPEC_U64, 0, 0xffffffffffffffff },
	[29] = { "overwritten", SPEC_U64, 0, 0xffffffffffffffff },
	[30] = { "dropped", SPEC_U64S, 0, 0xffffffffffffffff },
	[31] = { "used", SPEC_U64, 0, 0xffffffffffffffff },
	[32] = { "oldest", SPEC_U64, 0, 0xffffffffffffffff },
	[33] = { "now", SPEC_U64, 0, 0xffffffffffffffff },
	[34] = { "type", SPEC_U8, 0, 0xff },
	[35] = { "pid", SPEC_U32, 0, 0xffffffff },
	[36] = { "tid", SPEC_U32, 0, 0xffffffff },
	[37] = { "comm", SPEC_STRING, 0, 0xffffffffffffffff },
	[38] = { "position", SPEC_U64, 0, 0xffffffffffffffff },
	[39] = { "lag", SPEC_U64, 0, 0xffffffffffffffff },
	[40] = { "read", SPEC_U64, 0, 0xffffffffffffffff },
	[41] = { "lost", SPEC_U64, 0, 0xffffffffffffffff },
	[42] = { "kind", SPEC_U8, 0, 0xff },
	[43] = { "group", SPEC_U8, 0, 0xff },
	[44] = { "value", SPEC_U32, 0, 0xffffffff },
	[45] = { "key", SPEC_U64, 0, 0xffffffffffffffff },
	[46] = { "scope", SPEC_U32, 0, 0xffffffff },
	[47] = { "name", SPEC_STRING, 0, 0xffffffffffffffff },
	[48] = { "profile-group", SPEC_STRING, 0, 0xffffffffffffffff },
	[49] = { "tracepoints", SPEC_STRING, 0, 0xffffffffffffffff },
	[50] = { "available", SPEC_U8, 0, 0xff },
	[51] = { "attached", SPEC_U8, 0, 0xff },
	[52] = { "tracepoint", SPEC_STRING, 3, 0x3f },
	[53] = { "elements", SPEC_STRING, 0, 0xffffffffffffffff },
	[54] = { "lane-state", SPEC_U8, 0, 0xff },
};

static const struct spec_cmd spec_cmds[] = {
	[1] = { "stream-get", 1, 1, 0x4, 0x0 },
	[2] = { "stream-new", 1, 0, 0xa34, 0x0 },
	[3] = { "stream-set", 1, 0, 0x134, 0x0 },
	[4] = { "stream-del", 1, 0, 0x4, 0x0 },
	[5] = { "clear", 1, 0, 0x4, 0x0 },
	[6] = { "filter-get", 1, 1, 0x4, 0x0 },
	[7] = { "filter-set", 1, 0, 0xc04, 0x0 },
	[8] = { "trigger-get", 1, 1, 0x1000, 0x0 },
	[9] = { "trigger-new", 1, 0, 0x3ff804, 0x0 },
	[10] = { "trigger-set", 1, 0, 0x201000, 0x0 },
	[11] = { "trigger-del", 1, 0, 0x1000, 0x0 },
	[12] = { "stats-get", 0, 1, 0x0, 0x4 },
	[13] = { "type-get", 0, 1, 0x0, 0x0 },
	[14] = { "process-get", 0, 1, 0x0, 0x0 },
	[15] = { "reader-get", 0, 1, 0x0, 0x4 },
	[16] = { "dict-get", 0, 1, 0x0, 0x0 },
	[17] = { "ntf-stream-new", 0, 0, 0x0, 0x0 },
	[18] = { "ntf-stream-set", 0, 0, 0x0, 0x0 },
	[19] = { "ntf-stream-del", 0, 0, 0x0, 0x0 },
	[20] = { "ntf-clear", 0, 0, 0x0, 0x0 },
	[21] = { "ntf-filter", 0, 0, 0x0, 0x0 },
	[22] = { "ntf-trigger-new", 0, 0, 0x0, 0x0 },
	[23] = { "ntf-trigger-set", 0, 0, 0x0, 0x0 },
	[24] = { "ntf-trigger-del", 0, 0, 0x0, 0x0 },
	[25] = { "ntf-fired", 0, 0, 0x0, 0x0 },
	[26] = { "ntf-watermark", 0, 0, 0x0, 0x0 },
	[27] = { "profile-get", 0, 1, 0x0, 0x0 },
	[28] = { "profile-add", 1, 0, 0x10000000000000, 0x0 },
	[29] = { "profile-del", 1, 0, 0x10000000000000, 0x0 },
	[30] = { "ntf-profile-add", 0, 0, 0x0, 0x0 },
	[31] = { "ntf-profile-del", 0, 0, 0x0, 0x0 },
	[32] = { "lane-get", 0, 1, 0x0, 0x0 },
};

#endif /* NL_SPEC_H */

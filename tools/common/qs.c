// SPDX-License-Identifier: GPL-2.0-only
/*
 * qs.c - the records of QS, from QP 7.3 to 8.1
 */
#include "common/qs.h"

static const char *const layouts[] = {
	[0] = "",
	[1] = "OF", "OF", "OFF", "TOF", "TSOF", "TSOFF", "TSOF", "TSOF", "SOF",
	[10] = "TOOS11", "TOOS11", "TSO", "TSO", "TOSO11QQ", "TSO11QQ", "TSO11Q", "TSO11",
	[18] = "TOO", "TSO11QQ", "TSO11QQ", "TSO11Q", "TSO11",
	[23] = "TES", "TOPP", "TOP", "TOS11", "TS11", "TES", "TS11", "TS11", "C1",
	[32] = "TOOCC1", "OO1", "TOO1", "TOOCC1", "TOOCC11", "TOSO1",
	[38] = "TS11", "T1", "T1", "T11", "T11", "T", "T",
	[45] = "TOSO11QQ", "TSO11QQ", "TOPP",
	[48] = "T11", "T11", "T11", "T11", "T11", "T1",
	[55] = "OFF", "OFF", "OFF", "", "TF4",
	[65] = "T1", "1",
	[69] = "T2s", "",
	[71] = "TO11", "TO11", "TO11", "TO11", "TO11", "TO11", "TO11", "TO11", "TO11", "TO11",
	[81] = "TOOS11",
};

static const char *const queries[] = {
	"OF", "1222", "O2222", "O222", "OOCCS1", NULL, NULL, "12222"
};

static const char *const old_queries[] = { "OF", "OF", "OPP", "OQQ", "OCCS1" };

#define NR(a)	(sizeof(a) / sizeof(*(a)))
#define MOVED	24

const char *qs_layout(uint8_t record)
{
	return record < NR(layouts) ? layouts[record] : NULL;
}

const char *qs_query(uint8_t kind, bool before_8_1)
{
	if (before_8_1)
		return kind < NR(old_queries) ? old_queries[kind] : NULL;
	return kind < NR(queries) ? queries[kind] : NULL;
}

static bool is_moved(unsigned int record)
{
	return record == 58 || record == 59 || (record >= 64 && record <= 70);
}

uint8_t qs_type(uint8_t record)
{
	return is_moved(record) ? (uint8_t)(record + MOVED) : record;
}

int qs_record(uint8_t type)
{
	if (type > MOVED && is_moved(type - MOVED))
		return type - MOVED;
	if (is_moved(type) || type >= QS_USER_END)
		return -1;
	return qs_layout(type) || type >= QS_USER ? type : -1;
}

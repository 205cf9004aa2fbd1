/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * qs.h - the records of QS, from QP 7.3 to 8.1: their numbers and how they are laid out
 */
#ifndef COMMON_QS_H
#define COMMON_QS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define QS_ENUM_DICT	54
#define QS_TEST_PAUSED	58
#define QS_SIG_DICT	60
#define QS_OBJ_DICT	61
#define QS_FUN_DICT	62
#define QS_USR_DICT	63
#define QS_TARGET_INFO	64
#define QS_TARGET_DONE	65
#define QS_RX_STATUS	66
#define QS_QUERY_DATA	67
#define QS_PEEK_DATA	68
#define QS_QF_RUN	70
#define QS_RECORDS	82	/* the predefined ones end here */
#define QS_USER		100
#define QS_USER_END	125

#define QS_FLAG		0x7e
#define QS_ESCAPE	0x7d
#define QS_ESCAPE_XOR	0x20

/*
 * The layout of a predefined record: T time, S signal, O object, F function, 1 2 4 numbers,
 * Q counter of a queue, P of a pool, E size of an event, C ticks, s string. NULL: dictionaries,
 * TARGET_INFO, QUERY_DATA, PEEK_DATA, records of the application, and numbers that no record has.
 */
const char *qs_layout(uint8_t record);
/* The fields of an answer to a query, behind the object's kind; they changed with QP 8.1. */
const char *qs_query(uint8_t kind, bool before_8_1);
/* The type of the event that a record is, see DEVTRACE_QS_TYPE(), and back. */
uint8_t qs_type(uint8_t record);
/* -1: an event of this type is no record of QS. */
int qs_record(uint8_t type);

#endif

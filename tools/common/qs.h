/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * qs.h - the records of QS, from QP 7.3 to 8.1: numbers and layouts
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
#define QS_RECORDS	82	/* end of the predefined records */
#define QS_USER		100
#define QS_USER_END	125

#define QS_FLAG		0x7e
#define QS_ESCAPE	0x7d
#define QS_ESCAPE_XOR	0x20

/*
 * Return the layout of a predefined record, a string with a letter for each field: T time, S
 * signal, O object, F function, 1 2 4 number of so many bytes, Q counter of a queue, P counter of
 * a pool, E size of an event, C ticks, s string. Return NULL for dictionaries, TARGET_INFO,
 * QUERY_DATA, PEEK_DATA, records of the application, and unused numbers.
 */
const char *qs_layout(uint8_t record);
/*
 * Return the layout of the fields that follow the object's kind in the answer to a query. QP 8.1
 * changed them.
 */
const char *qs_query(uint8_t kind, bool before_8_1);
/* Event type of a record, see DEVTRACE_QS_TYPE(). */
uint8_t qs_type(uint8_t record);
/* Return the QS record of an event type, or -1 if the type does not belong to a record. */
int qs_record(uint8_t type);

#endif

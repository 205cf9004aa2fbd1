/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * otlp_attr.h - fields and attributes of a log record of OpenTelemetry
 *
 * The numbers of fields are those of opentelemetry-proto 1.11.0.
 */
#ifndef TRACELOGGER_OTLP_ATTR_H
#define TRACELOGGER_OTLP_ATTR_H

#include "common/pb.h"
#include "record.h"

enum {
	OTLP_RECORD_TIME = 1, OTLP_RECORD_SEVERITY = 2, OTLP_RECORD_SEVERITY_TEXT = 3,
	OTLP_RECORD_BODY = 5, OTLP_RECORD_ATTRIBUTES = 6, OTLP_RECORD_OBSERVED = 11,
	OTLP_RECORD_EVENT_NAME = 12,
};

/* The tag of a field of bytes, and that of a varint */
#define OTLP_TAG_BYTES(field)	((field) << 3 | 2)
#define OTLP_TAG_VARINT(field)	((field) << 3)

enum { OTLP_KEY = 1, OTLP_VALUE = 2 };

enum { OTLP_ANY_STRING = 1, OTLP_ANY_INT = 3, OTLP_ANY_DOUBLE = 4 };

/* An attribute that is a string; @field is OTLP_RECORD_ATTRIBUTES, or that of a resource. */
void otlp_put_str(struct pb *p, unsigned int field, const char *key, size_t key_len,
		  const char *s, size_t n);
/* An attribute of a record that is an integer; one with a longer key than 100 bytes is left out. */
void otlp_put_int(struct pb *p, const char *key, size_t key_len, int64_t value);

#define OTLP_PUT_TEXT(p, key, s, n)	\
	otlp_put_str(p, OTLP_RECORD_ATTRIBUTES, key, sizeof(key) - 1, s, n)
#define OTLP_PUT_STR(p, key, s)	OTLP_PUT_TEXT(p, key, s, strlen(s))
#define OTLP_PUT_INT(p, key, v)	otlp_put_int(p, key, sizeof(key) - 1, v)

/* An element of an event, for ti_args(): @ctx is the struct pb. */
void otlp_put_arg(void *ctx, const struct ti_arg *a);
/* The fields of a severity byte; none if the event has no severity. */
void otlp_put_severity(struct pb *p, uint8_t severity);
/* The CPU or lane of a record. */
void otlp_put_source(struct pb *p, const struct tl_record *rec);
/* Thread, process, context, object and signal of an event. */
void otlp_put_names(struct pb *p, const struct ti_event *e);

#endif

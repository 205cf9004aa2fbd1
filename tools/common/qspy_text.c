// SPDX-License-Identifier: GPL-2.0-only
/*
 * qspy_text.c - the line that QSPY prints for a record; scripts compare it character by character
 *
 * In a format, $N stands for field N of the record, #N for the field in hexadecimal, and ~N for
 * the field with ten digits. A time stamp always has ten digits.
 */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <devtrace-rx.h>
#include "common/le.h"
#include "common/qs.h"
#include "common/qspy.h"

static const char *const lines[QS_RECORDS] = {
	[1] = "===RTC===> St-Entry Obj=$0,State=$1",
	[2] = "===RTC===> St-Exit  Obj=$0,State=$1",
	[3] = "===RTC===> St-Init  Obj=$0,State=$1->$2",
	[4] = "$0 Init===> Obj=$1,State=$2",
	[5] = "$0 =>Intern Obj=$2,Sig=$1,State=$3",
	[6] = "$0 ===>Tran Obj=$2,Sig=$1,State=$3->$4",
	[7] = "$0 =>Ignore Obj=$2,Sig=$1,State=$3",
	[8] = "$0 Disp===> Obj=$2,Sig=$1,State=$3",
	[9] = "===RTC===> St-Unhnd Obj=$1,Sig=$0,State=$2",
	[10] = "$0 AO-Defer Obj=$1,Que=$2,Evt<Sig=$3,Pool=$4,Ref=$5>",
	[11] = "$0 AO-RCall Obj=$1,Que=$2,Evt<Sig=$3,Pool=$4,Ref=$5>",
	[12] = "$0 AO-Subsc Obj=$2,Sig=$1",
	[13] = "$0 AO-Unsub Obj=$2,Sig=$1",
	[14] = "$0 AO-Post  Sdr=$1,Obj=$3,Evt<Sig=$2,Pool=$4,Ref=$5>,Que<Free=$6,Min=$7>",
	[15] = "$0 AO-LIFO  Obj=$2,Evt<Sig=$1,Pool=$3,Ref=$4>,Que<Free=$5,Min=$6>",
	[16] = "$0 AO-Get   Obj=$2,Evt<Sig=$1,Pool=$3,Ref=$4>,Que<Free=$5>",
	[17] = "$0 AO-GetL  Obj=$2,Evt<Sig=$1,Pool=$3,Ref=$4>",
	[18] = "$0 AO-RCllA Obj=$1,Que=$2",
	[19] = "$0 EQ-Post  Obj=$2,Evt<Sig=$1,Pool=$3,Ref=$4>,Que<Free=$5,Min=$6>",
	[20] = "$0 EQ-LIFO Obj=$2,Evt<Sig=$1,Pool=$3,Ref=$4>,Que<Free=$5,Min=$6>",
	[21] = "$0 EQ-Get   Obj=$2,Evt<Sig=$1,Pool=$3,Ref=$4>,Que<Free=$5>",
	[22] = "$0 EQ-GetL  Obj=$2,Evt<Sig=$1,Pool=$3,Ref=$4>",
	[23] = "$0 QF-NewA  Sig=$2,Size=$1",
	[24] = "$0 MP-Get   Obj=$1,Free=$2,Min=$3",
	[25] = "$0 MP-Put   Obj=$1,Free=$2",
	[26] = "$0 QF-Pub   Sdr=$1,Evt<Sig=$2,Pool=$3,Ref=$4>",
	[27] = "$0 QF-NewRf Evt<Sig=$1,Pool=$2,Ref=$3>",
	[28] = "$0 QF-New   Sig=$2,Size=$1",
	[29] = "$0 QF-gcA   Evt<Sig=$1,Pool=$2,Ref=$3>",
	[30] = "$0 QF-gc    Evt<Sig=$1,Pool=$2,Ref=$3>",
	[31] = "           Tick<$1>  Ctr=~0",
	[32] = "$0 TE$5-Arm  Obj=$1,AO=$2,Tim=$3,Int=$4",
	[33] = "           TE$2-ADis Obj=$0,AO=$1",
	[34] = "$0 TE$3-DisA Obj=$1,AO=$2",
	[35] = "$0 TE$5-Dis  Obj=$1,AO=$2,Tim=$3,Int=$4",
	[36] = "$0 TE$5-Rarm Obj=$1,AO=$2,Tim=$3,Int=$4,Was=$6",
	[37] = "$0 TE$4-Post Obj=$1,Sig=$2,AO=$3",
	[38] = "$0 QF-DelRf Evt<Sig=$1,Pool=$2,Ref=$3>",
	[39] = "$0 QF-CritE Nest=$1",
	[40] = "$0 QF-CritX Nest=$1",
	[41] = "$0 QF-IsrE  Nest=$1,Pri=$2",
	[42] = "$0 QF-IsrX  Nest=$1,Pri=$2",
	[45] = "$0 AO-PostA Sdr=$1,Obj=$3,Evt<Sig=$2,Pool=$4,Ref=$5>,Que<Free=$6,Mar=$7>",
	[46] = "$0 EQ-PostA Obj=$2,Evt<Sig=$1,Pool=$3,Ref=$4>,Que<Free=$5,Mar=$6>",
	[47] = "$0 MP-GetA  Obj=$1,Free=$2,Mar=$3",
	[48] = "$0 Sch-Pre  Pri=$2->$1",
	[49] = "$0 Sch-Rest Pri=$2->$1",
	[50] = "$0 Sch-Lock Ceil=$1->$2",
	[51] = "$0 Sch-Unlk Ceil=$1->$2",
	[52] = "$0 Sch-Next Pri=$2->$1",
	[53] = "$0 Sch-Idle Pri=$1->0",
	[55] = "===RTC===> St-Hist  Obj=$0,State=$1->$2",
	[56] = "===RTC===> St-EP    Obj=$0,State=$1->$2",
	[57] = "===RTC===> St-XP    Obj=$0,State=$1->$2",
	[58] = "           TstPause",
	[59] = "$0 TstProbe Fun=$1,Data=$2",
	[69] = "$0 =ASSERT= Mod=$2,Loc=$1",
	[70] = "           QF_RUN",
	[71] = "$0 Sem-Take $1,Thr=$2,Cnt=$3",
	[72] = "$0 Sem-Blk  $1,Thr=$2,Cnt=$3",
	[73] = "$0 Sem-Sgnl $1,Thr=$2,Cnt=$3",
	[74] = "$0 Sem-BlkA $1,Thr=$2,Cnt=$3",
	[75] = "$0 Mtx-Lock $1,Hldr=$2,Nest=$3",
	[76] = "$0 Mtx-Blk  $1,Hldr=$2,Thr=$3",
	[77] = "$0 Mtx-Unlk $1,Hldr=$2,Nest=$3",
	[78] = "$0 Mtx-LckA $1,Hldr=$2,Nest=$3",
	[79] = "$0 Mtx-BlkA $1,Hldr=$2,Thr=$3",
	[80] = "$0 Mtx-UlkA $1,Hldr=$2,Nest=$3",
	[81] = "$0 AO-DefrA Obj=$1,Que=$2,Evt<Sig=$3,Pool=$4,Ref=$5>",
};

/* The text after the time and "Query-". */
static const char *const queries[DEVTRACE_RX_KINDS] = {
	"SM Obj=$0,State=$1", "AO Pri=$0,Que<Use=$1,Free=$2,Min=$3>",
	"MP Obj=$0,Use=$1,Free=$2,Min=$3,Size=$4", "EQ Obj=$0,Use=$1,Free=$2,Min=$3",
	"TE Obj=$0,Rate=$5,Sig=$4,Tim=$2,Int=$3,Flags=#5", "AP Obj=$0", NULL,
	"EP Id=$0,Use=$1,Free=$2,Min=$3,Size=$4",
};

static const char *const requests[DEVTRACE_RX_REQUESTS] = {
	"INFO", "COMMAND", "RESET", "TICK", "PEEK", "POKE", "FILL", "TEST_SETUP",
	"TEST_TEARDOWN", "TEST_PROBE", "GLB_FILTER", "LOC_FILTER", "AO_FILTER", "CURR_OBJ",
	"TEST_CONTINUE", "QUERY_CURR", "EVENT",
};

struct line {
	const struct qspy_names *names;
	uint32_t	process;
	uint8_t		ptr;
	char		*buf;
	size_t		len, size;
};

static void __attribute__((format(printf, 2, 3))) add(struct line *l, const char *format, ...)
{
	va_list ap;
	int n;

	va_start(ap, format);
	n = vsnprintf(l->buf + l->len, l->size - l->len, format, ap);
	va_end(ap);
	if (n > 0)
		l->len += (size_t)n < l->size - l->len ? (size_t)n : l->size - l->len - 1;
}

static void address(struct line *l, uint64_t key)
{
	add(l, "0x%0*" PRIX64, 2 * l->ptr, key);
}

static void pointer(struct line *l, uint8_t kind, uint64_t key)
{
	const char *name = key ? qspy_name(l->names, kind, l->process, 0, 0, key) : "NULL";

	if (name)
		add(l, "%s", name);
	else
		address(l, key);
}

static void signal_of(struct line *l, uint32_t sig, uint64_t object)
{
	const char *name = "NULL";

	if (sig)
		name = qspy_name(l->names, QS_SIG_DICT, l->process, sig, 0, object);
	if (name) {
		add(l, "%s", name);
		return;
	}
	add(l, "%08d,Obj=", (int)sig);
	address(l, object);
}

static void field(struct line *l, const struct qspy_record *r, char how, unsigned int i)
{
	const uint64_t v = r->v[i];

	if (how == '#') {
		add(l, "0x%02X", (unsigned int)v);
		return;
	}
	switch (r->layout[i]) {
	case 'S':
		signal_of(l, (uint32_t)v, r->object);
		return;
	case 'O':
		pointer(l, QS_OBJ_DICT, v);
		return;
	case 'F':
		pointer(l, QS_FUN_DICT, v);
		return;
	case 's':
		add(l, "%.*s", (int)r->len, (const char *)r->s);
		return;
	}
	add(l, how == '~' || r->layout[i] == 'T' ? "%010u" : "%u", (unsigned int)v);
}

static void fill(struct line *l, const struct qspy_record *r, const char *text)
{
	for (; *text; text++) {
		if (strchr("$#~", *text) && text[1] >= '0' && text[1] <= '8') {
			field(l, r, *text, (unsigned int)(text[1] - '0'));
			text++;
		} else if (l->len + 1 < l->size) {
			l->buf[l->len++] = *text;
		}
	}
}

static void peek(struct line *l, const struct qspy_record *r)
{
	const unsigned int size = (unsigned int)r->v[1], digits = 2 * size;
	size_t i;

	add(l, "%010u Trg-Peek Offs=%u,Size=%u,Num=%u,Data=<", r->time, (unsigned int)r->v[0],
	    size, (unsigned int)r->v[2]);
	for (i = 0; i + size <= r->len; i += size)
		add(l, "%0*X%s", (int)digits, (unsigned int)le_read(r->s + i, size),
		    i + size == r->len ? ">" : ",");
}

static void status(struct line *l, const struct qspy_record *r)
{
	const uint8_t v = (uint8_t)r->v[0], code = v & 0x7f;
	const char *what = v & 0x80 ? "Trg-ERR " : "Trg-Ack ";

	if (code < DEVTRACE_RX_REQUESTS)
		add(l, "           %s QS_RX_%s", what, requests[code]);
	else if (v & 0x80)
		add(l, "           %s 0x%02X", what, code);
	else
		add(l, "           %s %u", what, code);
}

static void done(struct line *l, const struct qspy_record *r)
{
	const uint8_t v = (uint8_t)r->v[1];

	if (v < DEVTRACE_RX_REQUESTS)
		add(l, "%010u Trg-Done QS_RX_%s", r->time, requests[v]);
	else
		add(l, "%010u Trg-Done %u", r->time, v);
}

static void integer(struct line *l, const struct devtrace_elem *e)
{
	const bool is_signed = e->type == DEVTRACE_E_I8 || e->type == DEVTRACE_E_I16 ||
			       e->type == DEVTRACE_E_I32 || e->type == DEVTRACE_E_I64;
	const bool is_long = e->type == DEVTRACE_E_I64 || e->type == DEVTRACE_E_U64;
	const int width = is_long ? 2 * e->width + 2 : e->width;

	if (is_signed)
		add(l, "%*" PRId64, width, e->v.i);
	else if (e->type == DEVTRACE_E_X32)
		add(l, "0x%0*" PRIX64, width, e->v.u);
	else if (e->width == 0xf && is_long)
		add(l, "0x%16" PRIX64, e->v.u);
	else if (e->width == 0xf)
		add(l, "0x%0*" PRIX64, (int)(2 * (e->size - 1)), e->v.u);
	else
		add(l, "%*" PRIu64, width, e->v.u);
}

static void element(struct line *l, const struct devtrace_elem *e)
{
	const char *name;
	size_t i;

	if (e->is_enum) {
		name = qspy_name(l->names, QS_ENUM_DICT, l->process, (uint32_t)e->v.u,
				 e->width, 0);
		if (name)
			add(l, "%s", name);
		else
			add(l, "%03u", (unsigned int)e->v.u);
		return;
	}
	switch (e->type) {
	case DEVTRACE_E_F32:
	case DEVTRACE_E_F64:
		add(l, "%*.*e", e->width ? e->width + 8 : 7, e->width, e->v.f);
		return;
	case DEVTRACE_E_STR:
		if (e->v.mem.len)
			add(l, "%.*s", (int)e->v.mem.len, (const char *)e->v.mem.p);
		else
			add(l, "''");
		return;
	case DEVTRACE_E_MEM:
		for (i = 0; i < e->v.mem.len; i++)
			add(l, " %02X", e->v.mem.p[i]);
		return;
	case DEVTRACE_E_SIG:
		signal_of(l, e->v.sig.sig, e->v.sig.obj);
		if (e->v.sig.obj) {
			add(l, ",Obj=");
			pointer(l, QS_OBJ_DICT, e->v.sig.obj);
		}
		return;
	case DEVTRACE_E_OBJ:
		pointer(l, QS_OBJ_DICT, e->v.u);
		return;
	case DEVTRACE_E_FUN:
		pointer(l, QS_FUN_DICT, e->v.u);
		return;
	}
	integer(l, e);
}

static void user(struct line *l, const struct qspy_record *r)
{
	const char *name = qspy_name(l->names, QS_USR_DICT, l->process, r->id, 0, 0);
	struct devtrace_elem e;
	size_t pos = 0;

	if (name)
		add(l, "%010u %s", r->time, name);
	else
		add(l, "%010u USER+%03d", r->time, r->id - QS_USER);
	while (devtrace_elem_next(r->data, r->data_len, &pos, &e) == 1) {
		add(l, " ");
		element(l, &e);
	}
}

size_t qspy_text(const struct qspy_names *n, const struct qspy_record *r, char *out, size_t size)
{
	struct line l = { .names = n, .process = r->process, .ptr = r->ptr, .buf = out,
			  .size = size };
	const uint8_t kind = (uint8_t)r->v[QSPY_VALUES - 1];

	if (r->id == QS_PEEK_DATA) {
		peek(&l, r);
	} else if (r->id == QS_RX_STATUS) {
		status(&l, r);
	} else if (r->id == QS_TARGET_DONE) {
		done(&l, r);
	} else if (r->id == QS_QUERY_DATA) {
		add(&l, "%010u Query-", r->time);
		fill(&l, r, queries[kind]);
	} else if (!r->layout) {
		user(&l, r);
	} else if (lines[r->id]) {
		fill(&l, r, lines[r->id]);
	} else {
		add(&l, "           Unknown Rec=%u,Len=%u", r->id,
		    QSPY_TIME * (*r->layout == 'T'));
	}
	l.buf[l.len] = 0;
	return l.len;
}

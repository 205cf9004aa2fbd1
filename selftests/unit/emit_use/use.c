// SPDX-License-Identifier: GPL-2.0-only
/*
 * use.c - calls each macro and function of the emitting side once
 *
 * test_emit_build.sh compiles it as C and as C++, with and without DEVTRACE_DISABLE, with all
 * warnings, and runs it. It prints the number of arguments evaluated: 0 if disabled, 1 without a
 * device, since devtrace_begin() is a function. Then it prints whether it is connected, the
 * number of errors, and the last error.
 */
#include <stdio.h>
#include <devtrace.h>
#include <devtrace/qnx.h>
#include <devtrace/qs.h>

static int n;

static int once(void)
{
	return ++n;
}

static void handler(void)
{
}

static void texts(const char *format, ...) __attribute__((format(printf, 1, 2)));

static void texts(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	devtrace_vtext(format, args);
	va_end(args);
}

static void short_form(void)
{
	const char *text = "text";
	struct { int x; } thing = { 1 };

	devtrace(100);
	devtrace(100, once());
	devtrace(100 + 1, once(), 2u, 3l, 4ul, 5ll, 6ull, 7.0f, 8.0);
	devtrace(102, text, &thing, true, 'c', (short)1, (unsigned char)2);
	devtrace_for(103, 1, 2);
	devtrace_for(103, once(), once(), once());
	devtrace_exc(DEVTRACE_SW1, DEVTRACE_CODE(1, 2));
	devtrace_exc(DEVTRACE_HW2, DEVTRACE_CODE(1, 2), once(), text);
	devtrace(104, DEVTRACE_HEX(once()), DEVTRACE_MEM(text, 4), DEVTRACE_STRN(text, 2),
		 DEVTRACE_OBJ(&thing), DEVTRACE_FUN(handler), DEVTRACE_SIG(3, &thing),
		 DEVTRACE_ENUM(7, 1));
	devtrace_text("%d %s", once(), text);
	devtrace_text_sev(DEVTRACE_SW2, "%d", once());
	devtrace_puts(text);
	devtrace_puts_sev(DEVTRACE_SW3, text);
	texts("%d", n);
}

static int record(void)
{
	uint16_t u16 = 1;
	int32_t i32 = -1;

	DEVTRACE_RECORD(r, 100);

	if (devtrace_begin(&r, 100, 1, (uint16_t)once())) {
		devtrace_i8(&r, (int8_t)once());
		devtrace_u8(&r, 1);
		devtrace_i16(&r, -1);
		devtrace_u16(&r, u16);
		devtrace_i32(&r, i32);
		devtrace_u32(&r, 1);
		devtrace_i64(&r, -1);
		devtrace_u64(&r, 1);
		devtrace_x8(&r, 1);
		devtrace_x16(&r, 1);
		devtrace_x32(&r, 1);
		devtrace_x64(&r, 1);
		devtrace_f32(&r, 1);
		devtrace_f64(&r, 1);
		devtrace_i8_w(&r, 1, 1);
		devtrace_u8_w(&r, 1, 1);
		devtrace_i16_w(&r, 1, 1);
		devtrace_u16_w(&r, 1, 1);
		devtrace_i32_w(&r, 1, 1);
		devtrace_u32_w(&r, 1, 1);
		devtrace_i64_w(&r, 1, 1);
		devtrace_u64_w(&r, 1, 1);
		devtrace_f32_w(&r, 1, 1);
		devtrace_f64_w(&r, 1, 1);
		devtrace_enum(&r, 1, 1);
		devtrace_obj(&r, DEVTRACE_KEY_(&n));
		devtrace_fun(&r, DEVTRACE_KEY_(handler));
		devtrace_sig(&r, 1, 2);
		devtrace_str(&r, "text");
		devtrace_strn(&r, "text", 2);
		devtrace_mem(&r, "text", 4);
		devtrace_end(&r);
	}
	if (devtrace_begin_type(&r, 100))
		devtrace_end(&r);
	if (devtrace_enabled(100) && devtrace_enabled_severity(100, (uint8_t)i32) &&
	    devtrace_enabled_for(100, u16))
		devtrace(100);
	if (devtrace_begin_exc(&r, DEVTRACE_HW0, DEVTRACE_CODE(1, 1)))
		return devtrace_end(&r);
	return 0;
}

static void qs(void)
{
	QS_BEGIN_ID(QS_USER, 1)
		QS_I8(0, once());
		QS_U8(0, 1);
		QS_I16(0, 1);
		QS_U16(0, 1);
		QS_I32(0, 1);
		QS_U32(QS_HEX_FMT, 1);
		QS_I64(0, 1);
		QS_U64(0, 1);
		QS_F32(0, 1);
		QS_F64(0, 1);
		QS_STR("text");
		QS_MEM("text", 4);
		QS_ENUM(1, 2);
		QS_SIG(1, &n);
		QS_OBJ(&n);
		QS_FUN(handler);
	QS_END()
	QS_BEGIN(QS_USER1)
		once();
	QS_END();
	QS_SIG_DICTIONARY(1, &n);
	QS_OBJ_DICTIONARY(&n);
	QS_FUN_DICTIONARY(handler);
	QS_USR_DICTIONARY(QS_USER);
	QS_ENUM_DICTIONARY(1, 1);
}

static int qnx(void)
{
	int ret = 0;

	Trace0(__M(1) + 1, _TRACE_HW_SEVERITY0);
	ret += Trace1(__M(1) + 1, _TRACE_HW_SEVERITY1, once());
	ret += Trace2(__M(1) + 1, _TRACE_HW_SEVERITY2, 1, 2);
	ret += Trace3(__M(1) + 1, _TRACE_HW_SEVERITY3, 1, 2, 3);
	ret += Trace4(__M(1) + 1, _TRACE_SW_SEVERITY0, 1, 2, 3, 4);
	ret += Trace5(__M(1) + 1, _TRACE_SW_SEVERITY1, 1, 2, 3, 4, 5);
	ret += Trace6(__M(1) + 1, _TRACE_SW_SEVERITY2, 1, 2u, 3l, 4ul, (short)5, (unsigned char)6);
	Trace0b(__M(1) + 1, _TRACE_SW_SEVERITY3, 4, "text");
	ret += Trace1b(__M(1) + 1, 0, once(), 4, "text");
	ret += Trace2b(__M(1) + 1, 0, 1, 2, 4, "text");
	ret += Trace3b(__M(1) + 1, 0, 1, 2, 3, 4, "text");
	ret += Trace4b(__M(1) + 1, 0, 1, 2, 3, 4, 4, "text");
	ret += Trace5b(__M(1) + 1, 0, 1, 2, 3, 4, 5, 4, "text");
	ret += Trace6b(__M(1) + 1, 0, 1, 2, 3, 4, 5, 6, 4, "text");
	ret += TraceEvent(_TRACE_EVENT(_TRACE_EXC, 2, 0, _TRACE_SW_SEVERITY1), __M(1) + 1, once());
	ret += TraceEvent(_TRACE_EVENT(100, 0, 0, 5));
	return ret;
}

static int names(void)
{
	static const struct devtrace_emit event = { 100, 0, 0, 0 };
	int ret = 0;

	ret += devtrace_dict_obj(1, "obj");
	ret += devtrace_dict_fun(1, "fun");
	ret += devtrace_dict_sig(1, 0, "sig");
	ret += devtrace_dict_usr(100, "usr");
	ret += devtrace_dict_enum(1, 1, "enum");
	ret += devtrace_dict_add(DEVTRACE_T_OBJ, 0, 0, 1, "obj");
	ret += DEVTRACE_DICT_OBJ(&n);
	ret += DEVTRACE_DICT_FUN(handler);
	ret += DEVTRACE_DICT_SIG(1, 0);
	ret += DEVTRACE_DICT_USR(100);
	ret += DEVTRACE_DICT_ENUM(1, 1);
	ret += devtrace_emit_event(&event, sizeof(event));
	ret += devtrace_now() == 1;
	return ret;
}

int main(void)
{
	devtrace_open();
	short_form();
	record();
	qs();
	qnx();
	names();
	printf("%d %d %lu %d\n", n, devtrace_fd() >= 0, devtrace_errors(), devtrace_error());
#ifdef DEVTRACE_DISABLE
	if (devtrace_status() != DEVTRACE_DISABLED)
#else
	if ((devtrace_status() == DEVTRACE_OK) != (devtrace_fd() >= 0))
#endif
		puts("wrong status");
	if (!*devtrace_status_text(devtrace_status()))
		puts("no words");
	devtrace_close();
	return 0;
}

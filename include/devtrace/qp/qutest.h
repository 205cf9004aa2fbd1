/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * devtrace/qp/qutest.h - the target's part of QUTest, for programs compiled with Q_UTEST
 *
 * A fixture calls QF_run(), which serves the requests of a test script over the receive channel.
 * Functions and state machines can be tested. QUTest's replacement for QF is missing: fixtures
 * cannot start active objects, nor use QHsmDummy, QActiveDummy or ticks of a single time event.
 *
 * QF_run() and similar functions are macros here, because programs that are not fixtures use the
 * functions of QP/C.
 */
#ifndef DEVTRACE_QP_QUTEST_H
#define DEVTRACE_QP_QUTEST_H

/* Number of the record that a fixture emits to report that an event was posted. */
#define QUTEST_ON_POST		124

#define QF_init			devtrace_qp_test_init
#define QF_run			devtrace_qp_test_run
#define QF_stop			devtrace_qp_test_stop
#define QS_onTestLoop		devtrace_qp_test_loop

#ifdef __cplusplus
extern "C" {
#endif

/* Functions of the fixture; it need not define them. */
void QS_onTestSetup(void);
void QS_onTestTeardown(void);

/* The library finds this variable only in a fixture. The linker keeps one copy. */
extern char devtrace_qp_is_fixture;
char devtrace_qp_is_fixture __attribute__((weak)) = 1;

#ifdef __cplusplus
}
#endif

#define QS_TEST_PROBE_DEF(function) \
	uint32_t const qs_tp_ = devtrace_qp_test_probe((QSpyFunPtr)(function));
#define QS_TEST_PROBE(code)		if (qs_tp_ != 0U) { code }
#define QS_TEST_PROBE_ID(id, code)	if (qs_tp_ == (uint32_t)(id)) { code }
#define QS_TEST_PAUSE()			devtrace_qp_test_pause()

#endif

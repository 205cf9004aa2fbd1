// SPDX-License-Identifier: GPL-2.0-only
/*
 * qsgate_program.c - a QP program with a receive channel, and the stream of its trace
 *
 *		qsgate_program [COMMAND] >stream
 *
 * The device is that of fakedev.h. Each event is written at once as a stream, as /dev/trace
 * would, so a gate sees the replies to its requests. Standard error gets the process id. COMMAND
 * is executed at once, without a host. With NARROW= the stream says that the machine has 32 bits;
 * then the program must have been linked without PIE, so that its addresses have no more.
 *
 * Commands: 1 user records, 2 each kind of record once, 3 wait for CONTINUE, 4 look for a probe,
 * 98 from now on a RESET executes the program anew, 99 exit.
 */
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <devtrace-rx.h>
#include "qs_port.h"
#include "qs_pkg.h"
#include "fakedev.h"
#include "teststream.h"

enum { EAT_SIG = 4, DONE_SIG };
enum { PHILO_STAT = QS_USER, IO_CALL };

static struct {
	uint32_t speed;
	uint16_t load[4];
	uint8_t	flags;
} motor = { .speed = 1500, .load = { 1, 2, 3, 4 }, .flags = 0x80 };

static int philo, table;
static bool done, reset_restarts;
static bool over;		/* the writer is to end */
static pthread_t writer_thread;

static void Philo_thinking(void) { }
static void Philo_eating(void) { }

/* One record of each layout. */
static void all_records(void)
{
	QS_BEGIN_PRE(QS_QEP_STATE_ENTRY, 1)
		QS_OBJ_PRE(&philo);
		QS_FUN_PRE(&Philo_thinking);
	QS_END_PRE()
	QS_BEGIN_PRE(QS_QEP_TRAN, 1)
		QS_SIG_PRE(EAT_SIG);
		QS_OBJ_PRE(&philo);
		QS_FUN_PRE(&Philo_thinking);
		QS_FUN_PRE(&Philo_eating);
	QS_END_PRE()
	QS_BEGIN_PRE(QS_QF_ACTIVE_POST, 1)
		QS_OBJ_PRE(&table);
		QS_SIG_PRE(77);
		QS_OBJ_PRE(&philo);
		QS_2U8_PRE(1, 2);
		QS_EQC_PRE(5);
		QS_EQC_PRE(3);
	QS_END_PRE()
	QS_BEGIN_PRE(QS_QF_TICK, 0)
		QS_TEC_PRE(70000);
		QS_U8_PRE(0);
	QS_END_PRE()
	QS_BEGIN_PRE(QS_QF_TIMEEVT_REARM, 1)
		QS_OBJ_PRE(&table);
		QS_OBJ_PRE(NULL);
		QS_TEC_PRE(9);
		QS_TEC_PRE(8);
		QS_2U8_PRE(1, 0);
	QS_END_PRE()
	QS_ASSERTION("mo~d}", 42, 0);
}

static void user_records(void)
{
	static const uint8_t bytes[] = { 0x10, 0x7e, 0x7d, 0xbb };

	QS_BEGIN_ID(PHILO_STAT, 1)
		QS_U8(3, 7);
		QS_STR("eating");
		QS_FUN(&Philo_eating);
		QS_OBJ(&philo);
		QS_MEM(bytes, sizeof(bytes));
		QS_F64(4, -271828.1828);
		QS_I16(6, -5);
		QS_U32(15, 0xbeef);
		QS_SIG(EAT_SIG, &philo);
		QS_ENUM(2, 3);
	QS_END()
	QS_BEGIN_ID(IO_CALL, 1)
		QS_I64(3, -5);
	QS_END()
}

static void on_command(void *arg, uint8_t command, uint32_t p1, uint32_t p2, uint32_t p3)
{
	uint32_t v;

	if (command == 1) {
		user_records();
	} else if (command == 2) {
		all_records();
	} else if (command == 3) {
		devtrace_rx_pause();
	} else if (command == 4) {
		devtrace_rx_probe((void *)&Philo_eating, &v);
	} else if (command == 99) {
		done = true;
	} else if (command == 98) {
		reset_restarts = true;
	} else {
		QS_BEGIN_ID(IO_CALL, 1)
			QS_U8(0, command);
			QS_U32(0, p1);
			QS_U32(0, p2);
			QS_U32(0, p3);
		QS_END()
	}
}

static void on_reset(void *arg)
{
	if (reset_restarts) {
		__atomic_store_n(&over, true, __ATOMIC_RELEASE);
		pthread_join(writer_thread, NULL);
		/* The next life makes a device of its own. */
		unsetenv("DEVTRACE_DEVICE");
		close(900);
		devtrace_qp_test_restart();
	}
	QS_BEGIN_PRE(QS_QF_RUN, 0)
	QS_END_PRE()
}

static void nothing(void *arg) { }

static void on_tick(void *arg, uint8_t rate)
{
	QS_BEGIN_PRE(QS_QF_TICK, 0)
		QS_TEC_PRE(1);
		QS_U8_PRE(rate);
	QS_END_PRE()
}

static int on_event(void *arg, const struct devtrace_rx_event *e)
{
	QS_BEGIN_PRE(QS_QF_PUBLISH, 0)
		QS_OBJ_PRE(e->object);
		QS_SIG_PRE(e->sig);
		QS_2U8_PRE(e->to, e->len);
	QS_END_PRE()
	return 0;
}

static int on_query(void *arg, uint8_t kind, void *object, struct devtrace_record *r)
{
	if (kind == DEVTRACE_RX_AO) {
		devtrace_u8(r, 5);
		devtrace_u16(r, 1);
		devtrace_u16(r, 9);
		devtrace_u16(r, 7);
	} else if (kind == DEVTRACE_RX_SM) {
		devtrace_fun(r, (uintptr_t)&Philo_thinking);
	}
	return 0;
}

static int on_object_filter(void *arg, bool remove, void *object) { return object == &table; }

static void names(void)
{
	QS_OBJ_DICTIONARY(&table);
	QS_FUN_DICTIONARY(&Philo_thinking);
	QS_FUN_DICTIONARY(&Philo_eating);
	QS_SIG_DICTIONARY(EAT_SIG, 0);
	QS_SIG_DICTIONARY(DONE_SIG, &philo);
	QS_USR_DICTIONARY(PHILO_STAT);
	QS_ENUM_DICTIONARY(3, 2);
	devtrace_dict_enum(6, QS_CMD, "SIX");
}

static struct stream stream;
static size_t written;

static void flush(void)
{
	ssize_t n;

	while (written < stream.len) {
		n = write(STDOUT_FILENO, stream.bytes + written, stream.len - written);
		if (n <= 0)
			exit(0);
		written += (size_t)n;
	}
}

static void tell_name(const struct devtrace_dict *d)
{
	stream_name(&stream, d->kind, getpid(), d->value, d->group, d->key, (const char *)d->name);
}

static void tell_event(const struct fake_event *e, uint64_t ts)
{
	struct devtrace_wire_event head = {
		.flags = e->bytes[2] | DEVTRACE_F_USER, .severity = e->bytes[1],
		.tid = getpid(), .ts = ts,
	};
	uint8_t body[sizeof(head) + sizeof(e->bytes)];
	size_t n = e->size - sizeof(struct devtrace_emit);

	memcpy(body, &head, sizeof(head));
	memcpy(body + sizeof(head), e->bytes + sizeof(struct devtrace_emit), n);
	stream_frame(&stream, e->bytes[0], body, sizeof(head) + n);
}

/* Write the events as they come, until the end. */
static void *writer(void *arg)
{
	unsigned int events = 0, dicts = 0;
	uint64_t ts = 1000000;
	bool last;

	do {
		last = __atomic_load_n((bool *)arg, __ATOMIC_ACQUIRE);
		for (; dicts < __atomic_load_n(&fake->nr_dicts, __ATOMIC_ACQUIRE); dicts++)
			tell_name(&fake->dicts[dicts % FAKE_EVENTS]);
		for (; events < __atomic_load_n(&fake->nr, __ATOMIC_ACQUIRE); events++) {
			struct fake_event *e = &fake->events[events % FAKE_EVENTS];

			unsigned int tries = 0;

			/* A flood of events may have gone around, and this slot is empty. */
			while (!__atomic_load_n(&e->size, __ATOMIC_ACQUIRE) && tries++ < 100000)
				sched_yield();
			if (!e->size)
				continue;
			tell_event(e, ts += 1000000);
			e->size = 0;
		}
		flush();
		usleep(200);
	} while (!last);
	return NULL;
}

static int open_channel(void)
{
	static const struct devtrace_rx_ops ops = {
		.size = sizeof(ops), .version = 815, .command = on_command, .reset = on_reset,
		.tick = on_tick, .setup = nothing, .teardown = nothing, .event = on_event,
		.query = on_query, .object_filter = on_object_filter,
	};

	devtrace_rx_object(DEVTRACE_RX_AP, &motor, sizeof(motor), "motor");
	devtrace_rx_object(DEVTRACE_RX_AO, &philo, sizeof(philo), "philo");
	devtrace_rx_object(DEVTRACE_RX_SM, &philo, sizeof(philo), "philo");
	return devtrace_rx_open(&ops, NULL, getenv("ANYBODY") ? DEVTRACE_RX_ANYBODY : 0);
}

int main(int argc, char **argv)
{
	fake_start(argv);
	fake_reset();
	stream_init(&stream, DEVTRACE_CHECK_CRC32);
	if (getenv("NARROW"))
		stream.info_flags = DEVTRACE_INFO_32BIT;
	stream_info(&stream, DEVTRACE_INFO_OPEN);
	QS_INIT(NULL);
	QS_GLB_FILTER(QS_ALL_RECORDS);
	if (pthread_create(&writer_thread, NULL, writer, &over) || open_channel())
		return 1;
	names();
	if (argc > 1)
		on_command(NULL, (uint8_t)atoi(argv[1]), 0, 0, 0);
	fprintf(stderr, "%d\n", getpid());
	while (!done) {
		struct pollfd p = { .fd = devtrace_rx_fd(), .events = POLLIN };

		/* The parent has failed. */
		if (!poll(&p, 1, 300000))
			return 1;
		devtrace_rx_serve();
	}
	devtrace_rx_close();
	__atomic_store_n(&over, true, __ATOMIC_RELEASE);
	pthread_join(writer_thread, NULL);
	stream_free(&stream);
	return 0;
}

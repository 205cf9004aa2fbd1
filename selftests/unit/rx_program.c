// SPDX-License-Identifier: GPL-2.0-only
/*
 * rx_program.c - a program with a receive channel, for the scripts
 *
 * It prints "ready" when it listens, then a line for each request.
 */
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <devtrace-rx.h>

static struct {
	uint32_t speed;
	uint16_t load[4];
	uint8_t	flags;
} motor = { .speed = 1500, .load = { 1, 2, 3, 4 }, .flags = 0x80 };

static char philo[4];
static int done;

static void on_command(void *arg, uint8_t command, uint32_t p1, uint32_t p2, uint32_t p3)
{
	printf("command %u %u %u %u\n", command, p1, p2, p3);
	done = command == 99;
}

static void on_reset(void *arg) { puts("reset"); }
static void on_setup(void *arg) { puts("setup"); }
static void on_teardown(void *arg) { puts("teardown"); }
static void on_tick(void *arg, uint8_t rate) { printf("tick %u\n", rate); }

static int on_event(void *arg, const struct devtrace_rx_event *e)
{
	printf("event to %u sig %u%s%zu bytes\n", e->to, e->sig, e->object == philo ? " philo " : " ",
	       e->len);
	return 0;
}

static int on_query(void *arg, uint8_t kind, void *object, struct devtrace_record *r)
{
	devtrace_u16(r, 7);
	return 0;
}

static int on_filter(void *arg, uint8_t request, const uint8_t *bits)
{
	printf("filter %u %02x %02x\n", request, bits[0], bits[15]);
	return 0;
}

int main(void)
{
	static const struct devtrace_rx_ops ops = {
		.size = sizeof(ops), .version = 815, .command = on_command, .reset = on_reset,
		.tick = on_tick, .setup = on_setup, .teardown = on_teardown, .event = on_event,
		.query = on_query, .filter = on_filter,
	};
	int err;

	setvbuf(stdout, NULL, _IOLBF, 0);
	devtrace_rx_object(DEVTRACE_RX_AP, &motor, sizeof(motor), "motor");
	devtrace_rx_object(DEVTRACE_RX_AO, philo, sizeof(philo), "philo");
	err = devtrace_rx_open(&ops, NULL, 0);
	if (err) {
		printf("not open: %s\n", strerror(err));
		return 1;
	}
	puts("ready");
	while (!done) {
		struct pollfd p = { .fd = devtrace_rx_fd(), .events = POLLIN };

		poll(&p, 1, -1);
		devtrace_rx_serve();
	}
	devtrace_rx_close();
	return 0;
}

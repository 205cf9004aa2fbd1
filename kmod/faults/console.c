// SPDX-License-Identifier: GPL-2.0-only
/*
 * Kernel messages of levels 0 to 3 as faults
 *
 * The tracepoint does not pass the level of a message. Its probe runs before the message can be
 * read from the log, and the CPU that prints may hold any locks. So the probe only queues an
 * irq_work on this CPU, which reads the log from where the last read ended. The irq_work runs as
 * soon as interrupts are on, usually on top of the thread that printed.
 *
 * The variable asked counts the calls of console_drain() since the last reader finished. The call
 * that makes it 1 is the only reader, and reads again if there were other calls meanwhile. Only the
 * reader accesses log and line.
 */
#include <linux/atomic.h>
#include <linux/irq_work.h>
#include <linux/kernel.h>
#include <linux/rcupdate.h>
#include <linux/string.h>

#include "compat/compat_faults.h"
#include "faults.h"

#define LINES_MAX	32	/* maximum number of lines read in one interrupt */
#define TURNS_MAX	1024	/* maximum number of calls of console_drain() at a panic */
#define LEVEL_MAX	3	/* KERN_ERR */

static atomic_t asked;
static struct compat_log log;
static char line[512];

static u8 severity_of(unsigned int level)
{
	return level <= 1 ? DEVTRACE_SW3 : level == 2 ? DEVTRACE_SW2 : DEVTRACE_SW1;
}

/* Skip "[   12.345678]" or "[    T1]" at the beginning of a string. */
static const char *skip_brackets(const char *s, const char *with)
{
	size_t n;

	if (*s != '[')
		return s;
	n = strspn(s + 1, with);
	return n && s[1 + n] == ']' ? s + 2 + n : s;
}

/* Report a line of the log: <facility * 8 + level>[time][caller] text */
static void console_report(char *text, size_t len)
{
	struct devtrace_record r;
	unsigned int prefix = 0;
	const char *s;

	text[len] = 0;
	if (*text != '<')
		return;
	for (s = text + 1; *s >= '0' && *s <= '9'; s++)
		prefix = prefix * 10 + *s - '0';
	if (*s != '>' || (prefix & 7) > LEVEL_MAX)
		return;
	s = skip_brackets(s + 1, " .0123456789");
	s = skip_brackets(s, " TC0123456789");
	if (*s == ' ')
		s++;
	if (!fault_begin(&r, severity_of(prefix & 7), DEVTRACE_FAULT_CONSOLE, prefix & 7))
		return;
	fault_put_text(&r, "%.*s", (int)strcspn(s, "\n"), s);
	devtrace_end(&r);
}

/* Read up to LINES_MAX lines; return true if there may be more. */
static bool read_log(void)
{
	unsigned int i;
	size_t len;

	for (i = 0; i < LINES_MAX; i++) {
		if (!compat_log_line(&log, line, sizeof(line) - 1, &len))
			return false;
		console_report(line, len);
	}
	return true;
}

static struct irq_work drain_work;
static bool on;

/* Read up to LINES_MAX lines. Return true if there may be more, which the caller must then read. */
static bool console_drain(void)
{
	int seen;

	if (atomic_inc_return(&asked) != 1)
		return false;
	do {
		seen = atomic_read(&asked);
		if (read_log()) {
			atomic_xchg(&asked, 0);
			return true;
		}
		/*
		 * Fully ordered, like atomic_inc_return() above: the next reader sees all our
		 * changes of log.
		 */
	} while (atomic_cmpxchg(&asked, seen, 0) != seen);
	return false;
}

/* If messages are left, another interrupt reads them, and messages that came meanwhile. */
static void drain_on_interrupt(struct irq_work *work)
{
	if (console_drain() && READ_ONCE(on))
		irq_work_queue(&drain_work);
}

/**
 * fault_console_drain() - report the messages in the log that were not reported yet
 *
 * Called at a panic, since no irq_work runs after it. Reports nothing if another CPU was
 * stopped while it read the log, or if this kind of fault is off.
 *
 * Context: any.
 */
void fault_console_drain(void)
{
	unsigned int turns = TURNS_MAX;

	/* If on reads true, then the log is initialised. Pairs with fault_console_on(). */
	while (smp_load_acquire(&on) && turns-- && console_drain())
		;
}

void fault_console_probe(void *data, const char *text, size_t len)
{
	irq_work_queue(&drain_work);
}

int fault_console_on(void)
{
	atomic_set(&asked, 0);
	compat_log_end(&log);
	compat_irq_work_init_hard(&drain_work, drain_on_interrupt);
	/* The log is initialised. Pairs with the acquire in fault_console_drain(). */
	smp_store_release(&on, true);
	return 0;
}

/* Call only when the probe is detached and no longer runs. */
void fault_console_off(void)
{
	WRITE_ONCE(on, false);
	/* After this, an interrupt that still saw @on has queued its irq_work. */
	synchronize_rcu();
	irq_work_sync(&drain_work);
	/* Two CPUs may have run the irq_work; irq_work_sync() waits for only one of them. */
	synchronize_rcu();
}

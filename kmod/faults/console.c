// SPDX-License-Identifier: GPL-2.0-only
/*
 * Messages of the kernel as faults: levels 0 to 3
 *
 * The tracepoint tells that there is a message, and not its level. It is called before
 * the message can be read, under whatever locks its writer has. So the probe only raises
 * an interrupt on this CPU, which reads the log from where the one before it ended; that
 * comes as soon as interrupts are on, as a rule in the thread that wrote the message.
 *
 * asked counts the calls that want the log read. Whoever makes it 1 reads, alone, and
 * goes on as long as others have asked meanwhile. Only the reader touches log and line.
 */
#include <linux/atomic.h>
#include <linux/irq_work.h>
#include <linux/kernel.h>
#include <linux/rcupdate.h>
#include <linux/string.h>

#include "compat/compat_faults.h"
#include "faults.h"

#define LINES_MAX	32	/* in one interrupt */
#define LEVEL_MAX	3	/* KERN_ERR */

static atomic_t asked;
static struct compat_log log;
static char line[512];

static u8 severity_of(unsigned int level)
{
	return level <= 1 ? DEVTRACE_SW3 : level == 2 ? DEVTRACE_SW2 : DEVTRACE_SW1;
}

/* Behind "[   12.345678] " or "[    T1] ", if that is how a string begins. */
static const char *skip_brackets(const char *s, const char *with)
{
	size_t n;

	if (*s != '[')
		return s;
	n = strspn(s + 1, with);
	return n && s[1 + n] == ']' ? s + 2 + n : s;
}

/* What stands before the text: <facility * 8 + level>[time][caller] */
static void report(char *text, size_t len)
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

/* Whether there was more than one interrupt may do. */
static bool read_log(void)
{
	unsigned int i;
	size_t len;

	for (i = 0; i < LINES_MAX; i++) {
		if (!compat_log_line(&log, line, sizeof(line) - 1, &len))
			return false;
		report(line, len);
	}
	return true;
}

static struct irq_work drain_work;
static bool ending;

static void drain(struct irq_work *work)
{
	int seen;

	if (atomic_inc_return(&asked) != 1)
		return;
	do {
		seen = atomic_read(&asked);
		if (!read_log())
			continue;
		/* The rest in another interrupt. Who asked meanwhile is served by that too. */
		atomic_xchg(&asked, 0);
		if (!READ_ONCE(ending))
			irq_work_queue(&drain_work);
		return;
		/* Fully ordered, as the exchange above: the next reader finds log as it is. */
	} while (atomic_cmpxchg(&asked, seen, 0) != seen);
}

/**
 * fault_console_drain() - report what is in the log and was not yet
 *
 * For a panic, behind which no interrupt comes. If another CPU was stopped while it read,
 * nothing is done.
 */
void fault_console_drain(void)
{
	drain(NULL);
}

void fault_console_probe(void *data, const char *text, size_t len)
{
	irq_work_queue(&drain_work);
}

int fault_console_on(void)
{
	ending = false;
	atomic_set(&asked, 0);
	compat_log_end(&log);
	compat_irq_work_init_hard(&drain_work, drain);
	return 0;
}

/* The probe is detached, and no call of it is under way. */
void fault_console_off(void)
{
	WRITE_ONCE(ending, true);
	/* Who has not seen that has queued what it wanted. */
	synchronize_rcu();
	irq_work_sync(&drain_work);
	/* Two CPUs may have had it: the kernel tells of one. */
	synchronize_rcu();
}

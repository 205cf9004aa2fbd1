// SPDX-License-Identifier: GPL-2.0-only
/*
 * write(2) of /dev/trace: each line of text becomes an event
 *
 * Invariant: write(2) returns the number of bytes in the lines that became events. After a short
 * count, a program can continue with the first byte that was not counted.
 */
#include <linux/compiler.h>
#include <linux/fs.h>
#include <linux/minmax.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/uio.h>
#include <linux/devtrace.h>

#include "cdev_write.h"
#include "emit/text.h"
#include "handle.h"
#include "ring/ring.h"

/* Text is copied in pieces of this many bytes; a longer line becomes several events. */
#define TEXT_PIECE	1024

/* Map a syslog level to a severity. */
static u8 text_severity(unsigned int level)
{
	static const u8 severity[] = { 3, 3, 2, 2, 1, 0, 0, 0 };

	return DEVTRACE_SEV_SET | severity[level & 7];
}

/* Emit one line, without its newline: "<3>text" or "text". */
static void emit_line(const char *s, size_t len)
{
	u8 severity = 0;
	unsigned int n = 0, i = 1;

	if (len > 2 && s[0] == '<') {
		while (i < len && i < 5 && s[i] >= '0' && s[i] <= '9')
			n = n * 10 + s[i++] - '0';
		if (i > 1 && i < len && s[i] == '>') {
			severity = text_severity(n);
			s += i + 1;
			len -= i + 1;
		}
	}
	devtrace_emit_text(RING_WHO_USER, severity, s, len);
}

ssize_t cdev_write_iter(struct kiocb *iocb, struct iov_iter *from)
{
	struct handle *h = iocb->ki_filp->private_data;
	size_t have = 0, line, n;
	ssize_t done = 0;
	bool fault = false;
	char *buf, *end;

	if (!iov_iter_count(from))
		return 0;
	WRITE_ONCE(h->clear, false);
	buf = kmalloc(TEXT_PIECE, GFP_KERNEL);
	if (!buf)
		return -ENOMEM;
	do {
		n = min(iov_iter_count(from), TEXT_PIECE - have);
		if (n) {
			size_t copied = copy_from_iter(buf + have, n, from);

			fault = copied < n;
			have += copied;
		}
		while (have) {
			end = memchr(buf, '\n', have);
			line = end ? end - buf : have;
			/* Keep an incomplete line while more text may come. */
			if (!end && have < TEXT_PIECE &&
			    (fault || iov_iter_count(from)))
				break;
			emit_line(buf, line);
			line += !!end;
			done += line;
			have -= line;
			memmove(buf, buf + line, have);
		}
		cond_resched();
	} while (!fault && iov_iter_count(from) && !signal_pending(current));
	kfree(buf);

	if (done)
		return done;
	return fault ? -EFAULT : -ERESTARTSYS;
}

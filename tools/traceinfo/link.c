// SPDX-License-Identifier: GPL-2.0-only
/*
 * link.c - read streams from a link such as tcp:HOST:PORT, unix:PATH or serial:DEV,BAUD
 *
 * A link is read like a pipe: until the other side closes it, or until a signal.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include "common/complain.h"
#include "common/link.h"
#include "traceinfo.h"

int ti_input_link(struct ti_run *run, const char *word)
{
	const char *problem;
	struct link l;
	int fd = -EINVAL, ret;

	if (!link_parse(&l, word, &problem))
		fd = link_open(&l, -1, NULL);
	if (fd == -EINTR && ti_stop)
		return 0;
	if (fd < 0)
		return complain_link(TI_NAME, &l, word, -fd);
	fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) & ~O_NONBLOCK);
	ret = ti_input_fd(run, fd, word, NULL);
	link_close(&l, fd);
	return ret;
}

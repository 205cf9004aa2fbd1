// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * emit_sites.c - turn off the sites that the administrator has chosen
 *
 * The file has lines of a build-id, the index of a site and the word "off". It is read when an
 * image is registered. Lines of other images, and lines that are wrong, are skipped: the program
 * must run whatever the file contains.
 *
 * The file is ignored unless it is a regular file of root, and only root may write to it. No
 * variable of the environment names it, so a set-user-id program needs no further check.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "emit_image.h"

#ifndef DEVTRACE_SITES_FILE
#define DEVTRACE_SITES_FILE	"/run/devtrace/sites"
#endif

#define LINE_ROOM	128	/* the longest valid line has 79 bytes */

/* Return a descriptor, or -1. */
static int sites_open(void)
{
	int fd = open(DEVTRACE_SITES_FILE, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	struct stat st;

	if (fd < 0)
		return -1;
	if (!fstat(fd, &st) && S_ISREG(st.st_mode) && !st.st_uid &&
	    !(st.st_mode & 022))
		return fd;
	close(fd);
	return -1;
}

static void sites_line(char *line, const char *build_id, unsigned char *first, size_t nr)
{
	char *save, *end;
	const char *id = strtok_r(line, " \t", &save);
	const char *index = strtok_r(NULL, " \t", &save);
	const char *what = strtok_r(NULL, " \t", &save);
	unsigned long n;

	if (!what || strcmp(id, build_id) || strcmp(what, "off") || *index < '0' || *index > '9')
		return;
	errno = 0;
	n = strtoul(index, &end, 10);
	if (!*end && !errno && n < nr)
		__atomic_store_n(&first[n], 1, __ATOMIC_RELAXED);
}

void dt_sites_choose(const char *build_id, unsigned char *first, size_t nr)
{
	char line[LINE_ROOM], buf[4096];
	size_t len = 0;
	ssize_t i, n;
	int fd;

	if (!strcmp(build_id, "-"))
		return;
	fd = sites_open();
	if (fd < 0)
		return;
	while ((n = read(fd, buf, sizeof(buf))) > 0) {
		for (i = 0; i < n; i++) {
			if (buf[i] != '\n') {
				if (len < LINE_ROOM)
					line[len++] = buf[i];
				continue;
			}
			/* A line that fills the room is too long to be valid. */
			if (len < LINE_ROOM) {
				line[len] = 0;
				sites_line(line, build_id, first, nr);
			}
			len = 0;
		}
	}
	close(fd);
}

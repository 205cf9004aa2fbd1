// SPDX-License-Identifier: GPL-2.0-only
/*
 * output.c - open the output file of a conversion
 *
 * If input and output are the same file, O_TRUNC would destroy the input. So the file is opened
 * without it, and truncated only after checking that it is not the input.
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "common/output.h"

bool output_is_input(int output, int input)
{
	struct stat out, in;

	return !fstat(output, &out) && !fstat(input, &in) && S_ISREG(out.st_mode) &&
	       out.st_dev == in.st_dev && out.st_ino == in.st_ino;
}

int output_open(const char *path, int input, const char **problem)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_NOCTTY | O_CLOEXEC, 0666);
	struct stat st;

	if (fd >= 0 && output_is_input(fd, input)) {
		*problem = "the output file is also the input; name another file";
		close(fd);
		return -1;
	}
	/* Truncate only a regular file: /dev/null or a FIFO has no content. */
	if (fd >= 0 && !fstat(fd, &st) && (!S_ISREG(st.st_mode) || !ftruncate(fd, 0)))
		return fd;
	*problem = strerror(errno);
	if (fd >= 0)
		close(fd);
	return -1;
}

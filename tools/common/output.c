// SPDX-License-Identifier: GPL-2.0-only
/*
 * output.c - open the output file of a conversion
 *
 * Opening with O_TRUNC would destroy the input if both names are the same file. So the file is
 * truncated only after a check that it is not the input.
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
		*problem = "this is the input, which would be lost; name another file";
		close(fd);
		return -1;
	}
	/* Only a regular file is truncated; /dev/null or a FIFO has no content to lose. */
	if (fd >= 0 && !fstat(fd, &st) && (!S_ISREG(st.st_mode) || !ftruncate(fd, 0)))
		return fd;
	*problem = strerror(errno);
	if (fd >= 0)
		close(fd);
	return -1;
}

// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * emit_image_begin.c - an image of the process begins or ends
 *
 * Constructors and destructors that <devtrace/log.h> puts into each image call the library here.
 * The names of an image that begins after the library has connected are sent at once; otherwise
 * the library sends them when it connects.
 *
 * Invariant: an image has its number in the word that its statements load only after the names were
 * sent, so no event with this number precedes them.
 */
#include <errno.h>
#include <devtrace/emit.h>
#include "emit.h"
#include "emit_image.h"

/* Values of state in struct devtrace_image_. */
enum { BEGUN = 1, ENDED };

void devtrace_image_begin_(struct devtrace_image_ *image, unsigned char *first,
			   unsigned char *end)
{
	int saved = errno;
	unsigned int n;
	int fd;

	/* All object files of the image call this, one after the other. */
	if (image->state || first == end)
		return;
	image->state = BEGUN;
	image->sites = first;
	n = dt_image_add(first, end);
	if (n < DT_IMAGES) {
		fd = devtrace_fd();
		if (fd >= 0)
			dt_image_send(fd, n);
		__atomic_store_n(&image->number, (uint32_t)n << 24, __ATOMIC_RELEASE);
	}
	errno = saved;
}

/* The image is unloaded, or the program ends. Events that it emits later are still its own. */
void devtrace_image_end_(struct devtrace_image_ *image)
{
	const unsigned int n = image->number >> 24;

	if (image->state == BEGUN && n < DT_IMAGES)
		dt_image_remove(n);
	image->state = ENDED;
}

void dt_images_resend(void)
{
	const int fd = devtrace_fd();

	/* Without a connection, the library sends them when it connects. */
	if (fd >= 0)
		dt_images_send_all(fd);
}

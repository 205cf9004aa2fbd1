// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * emit_image.c - the table of the process's images, and how their names get to a device
 *
 * emit_image_begin.c adds images. Nothing is sent before the library connects, so a program without
 * a device makes no call for its images. The names are sent
 *
 * - when the library connects or connects again, before other threads can use the connection, so
 *   that an image precedes its events;
 * - when an image is loaded later, by dlopen(3);
 * - in a child of fork(2), whose events have another scope, before its first event.
 *
 * Invariants. A number is given once and never again, not even after dlclose(3): a reader must not
 * take the text of a new library for an event of the old one. An entry is written before its state
 * is set to IMAGE_READY, and not changed afterwards, so a signal handler may send it at any time.
 * The thread that registers an image first sets its state and then looks for a connection; the
 * thread that connects first publishes the connection and then looks for further images. So one of
 * them sends it.
 */
#include <errno.h>
#include <pthread.h>
#include <string.h>
#include <sys/ioctl.h>
#include <devtrace/emit.h>
#include "emit.h"
#include "emit_image.h"

enum image_state { IMAGE_EMPTY, IMAGE_READY, IMAGE_GONE };

static struct dt_image images[DT_IMAGES];
static int states[DT_IMAGES];
static bool sent[DT_IMAGES];
static unsigned int nr_given;	/* may exceed DT_IMAGES */

bool dt_images_due;

static unsigned int images_given(void)
{
	const unsigned int n = __atomic_load_n(&nr_given, __ATOMIC_SEQ_CST);

	return n < DT_IMAGES ? n : DT_IMAGES;
}

int dt_image_send(int fd, unsigned int number)
{
	struct devtrace_dict dict = { .kind = DEVTRACE_T_IMAGE, .value = number };

	for (dict.group = 0; dict.group < DT_IMAGE_NAMES; dict.group++) {
		memcpy(dict.name, images[number].names[dict.group], sizeof(dict.name));
		if (ioctl(fd, DEVTRACE_IOC_DICT, &dict) < 0)
			return emit_error(errno);
	}
	__atomic_store_n(&sent[number], true, __ATOMIC_RELEASE);
	return 0;
}

bool dt_image_is_sent(unsigned int number)
{
	return __atomic_load_n(&sent[number], __ATOMIC_ACQUIRE);
}

unsigned int dt_images_send(int fd, unsigned int first)
{
	const unsigned int end = images_given();
	unsigned int i, empty = end;
	int state, err = 0;

	/* The device refuses all images as it does the first: count one error. */
	for (i = first; i < end && !err; i++) {
		state = __atomic_load_n(&states[i], __ATOMIC_SEQ_CST);
		if (state == IMAGE_READY)
			err = dt_image_send(fd, i);
		else if (state == IMAGE_EMPTY && i < empty)
			empty = i;
	}
	return empty;
}

unsigned int dt_images_send_all(int fd)
{
	const unsigned int next = dt_images_send(fd, 0);

	/*
	 * Not before: another thread would emit an event before the images. If it finds the flag
	 * set, it sends them, too, and that is harmless.
	 */
	__atomic_store_n(&dt_images_due, false, __ATOMIC_RELEASE);
	return next;
}

void dt_images_forked(void)
{
	if (images_given())
		__atomic_store_n(&dt_images_due, true, __ATOMIC_RELAXED);
}

/* The program gets no more images than numbers, so the number does not wrap. */
static unsigned int image_number(void)
{
	const unsigned int n = __atomic_fetch_add(&nr_given, 1, __ATOMIC_SEQ_CST);

	if (!n)
		pthread_atfork(NULL, NULL, dt_images_forked);
	return n;
}

unsigned int dt_image_add(unsigned char *first, unsigned char *end)
{
	const unsigned int n = image_number();

	if (n >= DT_IMAGES)
		return DT_IMAGES;
	dt_image_find(&images[n], first);
	dt_sites_choose(images[n].names[DT_IMAGE_BUILD_ID], first, (size_t)(end - first));
	__atomic_store_n(&states[n], IMAGE_READY, __ATOMIC_SEQ_CST);
	return n;
}

unsigned int dt_image_put(const struct dt_image *image)
{
	const unsigned int end = images_given();
	unsigned int n;

	for (n = 0; n < end; n++)
		if (__atomic_load_n(&states[n], __ATOMIC_SEQ_CST) == IMAGE_READY &&
		    !strcmp(images[n].names[DT_IMAGE_BUILD_ID], image->names[DT_IMAGE_BUILD_ID]))
			return n;
	/* Firmware may tell any number of build-ids: do not let the number wrap. */
	n = end < DT_IMAGES ? image_number() : DT_IMAGES;
	if (n >= DT_IMAGES)
		return DT_IMAGES;
	images[n] = *image;
	__atomic_store_n(&states[n], IMAGE_READY, __ATOMIC_SEQ_CST);
	return n;
}

void dt_image_remove(unsigned int number)
{
	__atomic_store_n(&states[number], IMAGE_GONE, __ATOMIC_SEQ_CST);
}

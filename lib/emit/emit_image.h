/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * emit_image.h - the images of the process, for the connection
 *
 * An image is a program or library that has sites of DT_LOG(); see Documentation/log.rst. Except
 * dt_image_find(), the functions may run in a signal handler.
 */
#ifndef LIB_EMIT_IMAGE_H
#define LIB_EMIT_IMAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <linux/devtrace.h>

#define DT_IMAGES	255	/* numbers 0 to 254 */

/* The names of an image: the groups of IMAGE frames. */
enum dt_image_name { DT_IMAGE_BUILD_ID, DT_IMAGE_PATH, DT_IMAGE_LOAD, DT_IMAGE_NAMES };

/**
 * struct dt_image - what readers get to know of an image
 * @names: the names by enum dt_image_name, with their NUL
 */
struct dt_image {
	char	names[DT_IMAGE_NAMES][DEVTRACE_NAME_MAX];
};

/* Describe the image that contains the address. Not for signal handlers. May change errno. */
void dt_image_find(struct dt_image *image, const void *address);

/* Write a build-id in hexadecimal: at most 31 bytes of it, because a name has no room for more. */
void dt_image_put_id(char *to, const uint8_t *id, size_t len);
/* Write a path; of a long one the end, which has the name of the file. */
void dt_image_put_path(char *to, const char *path);
/*
 * Read the build-id of an ELF file of any machine. Return 0 or an errno number. May change errno.
 */
int dt_image_read_id(const char *path, char *to);

/*
 * Turn off the sites that the file of choices names for this build-id. Not for signal handlers.
 * May change errno.
 */
void dt_sites_choose(const char *build_id, unsigned char *first, size_t nr);

/*
 * Add the image with these sites. Return its number, or DT_IMAGES if all numbers are given. Not for
 * signal handlers. May change errno.
 */
unsigned int dt_image_add(unsigned char *first, unsigned char *end);
/*
 * Add an image without sites in this process, unless one with this build-id is there already.
 * Return its number, or DT_IMAGES if all numbers are given. Not for signal handlers.
 */
unsigned int dt_image_put(const struct dt_image *image);
/* The image is not sent any more; its number is not given again. */
void dt_image_remove(unsigned int number);
/* Send one image to the device. Return 0 or an errno number. May change errno. */
int dt_image_send(int fd, unsigned int number);
/* Were all names of this image sent? */
bool dt_image_is_sent(unsigned int number);

/*
 * Send all images, or those from this number on, to the device that fd refers to. Return the
 * number of the first image that was not registered yet, for the next call. May change errno.
 */
unsigned int dt_images_send(int fd, unsigned int first);
unsigned int dt_images_send_all(int fd);

/* True in a child of fork(2) until its images are sent. */
extern bool dt_images_due __attribute__((visibility("hidden")));

/* Send the images of a child of fork(2). May change errno. */
void dt_images_resend(void);

static inline void dt_images_follow(void)
{
	if (__builtin_expect(__atomic_load_n(&dt_images_due, __ATOMIC_RELAXED), 0))
		dt_images_resend();
}

/* The process is a child of the one that has registered its images. */
void dt_images_forked(void);

#endif

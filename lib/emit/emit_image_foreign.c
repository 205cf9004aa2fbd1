// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * emit_image_foreign.c - images of firmware, and its records
 *
 * Firmware on another core makes records with <devtrace/firmware.h>, and this process emits them.
 * The firmware may be faulty: the head of a record is checked here, and the kernel treats its
 * elements as those of any program.
 *
 * Invariant: a record is emitted under an image only after the names of this image were sent, if
 * the library is connected.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <devtrace/image.h>
#include "emit.h"
#include "emit_image.h"

#define ID_MIN		4	/* digits of a build-id */
#define HEAD		sizeof(struct devtrace_emit)
/* In a LOG record, offset of the byte with the image: after the format byte and 24 bits of site */
#define IMAGE_AT(head)	((head) + 4)
#define IMAGE_UNKNOWN	255

static bool id_is_valid(const char *id)
{
	const size_t n = strspn(id, "0123456789abcdef");

	return !id[n] && n >= ID_MIN && n < DEVTRACE_NAME_MAX;
}

/* Number the image, and send its names if the library is connected. */
static int image_add(const struct dt_image *names, int *image)
{
	const int saved = errno;
	const unsigned int n = dt_image_put(names);
	int fd;

	if (n >= DT_IMAGES)
		return ENOSPC;
	/* Another thread that has put the image may still send it: its names may come twice. */
	if (!dt_image_is_sent(n)) {
		fd = devtrace_fd();
		if (fd >= 0)
			dt_image_send(fd, n);
	}
	*image = (int)n;
	errno = saved;
	return 0;
}

int devtrace_image(const char *build_id, const char *path, int *image)
{
	struct dt_image names = { .names = { "", "-", "0x0" } };
	const int saved = errno;
	char real[PATH_MAX];
	int err;

	if (!build_id) {
		if (!path)
			return EINVAL;
		err = dt_image_read_id(path, names.names[DT_IMAGE_BUILD_ID]);
		errno = saved;
		if (err)
			return err;
		build_id = names.names[DT_IMAGE_BUILD_ID];
	}
	if (!id_is_valid(build_id))
		return EINVAL;
	memmove(names.names[DT_IMAGE_BUILD_ID], build_id, strlen(build_id) + 1);
	/* Readers have another working directory. */
	if (path)
		dt_image_put_path(names.names[DT_IMAGE_PATH],
				  *path != '/' && realpath(path, real) ? real : path);
	errno = saved;
	return image_add(&names, image);
}

/* The firmware tells its build-id: one MEM element. */
static int image_hello(int *image, const uint8_t *data, size_t size)
{
	struct dt_image names = { .names = { "", "-", "0x0" } };

	if (size < 2 || data[0] != DEVTRACE_E_MEM || data[1] != size - 2)
		return EBADMSG;
	dt_image_put_id(names.names[DT_IMAGE_BUILD_ID], data + 2, size - 2);
	if (!id_is_valid(names.names[DT_IMAGE_BUILD_ID]))
		return EBADMSG;
	return image_add(&names, image);
}

static bool is_wanted(const struct devtrace_emit *e)
{
	uint16_t object;

	if (!devtrace_enabled_severity(e->type, e->severity))
		return false;
	if (!(e->flags & DEVTRACE_F_OBJSIG))
		return true;
	object = (uint16_t)(e->data[0] | e->data[1] << 8);
	return devtrace_enabled_for(e->type, object);
}

int devtrace_image_emit(int *image, const void *record, size_t size)
{
	union {
		struct devtrace_emit head;
		uint8_t bytes[HEAD + DEVTRACE_PAYLOAD_MAX];
	} copy;
	struct devtrace_emit *e = &copy.head;
	size_t head = HEAD;

	if (size < HEAD || size > sizeof(copy))
		return EBADMSG;
	memcpy(copy.bytes, record, size);
	if (e->type == DEVTRACE_T_IMAGE)
		return image_hello(image, e->data, size - HEAD);
	if (!devtrace_type_is_emittable(e->type) || e->reserved ||
	    !devtrace_head_is_valid(e->flags, e->severity, size - HEAD))
		return EBADMSG;
	if (e->type == DEVTRACE_T_LOG) {
		head += e->flags & DEVTRACE_F_CODE ? 4 : 0;
		head += e->flags & DEVTRACE_F_OBJSIG ? 4 : 0;
		if (size < head + 5 || copy.bytes[head] != DEVTRACE_E_U32)
			return EBADMSG;
		copy.bytes[IMAGE_AT(head)] = *image >= 0 && *image < DT_IMAGES ? (uint8_t)*image :
									 IMAGE_UNKNOWN;
	}
	return is_wanted(e) ? devtrace_emit_event(e, size) : 0;
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * devtrace/image.h - emit the records of firmware, which runs on another core or microcontroller
 *
 *	int image = -1;
 *
 *	devtrace_image(NULL, "/lib/firmware/m4.elf", &image);	or wait for the firmware's build-id
 *	while ((n = read(fd, record, sizeof(record))) > 0)
 *		devtrace_image_emit(&image, record, n);
 *
 * Firmware makes records with <devtrace/firmware.h>. This process emits them as events of its own,
 * at the time of the call. The firmware is an image of the process: readers find the texts in the
 * ELF file that has the build-id. Documentation/log.rst describes both.
 */
#ifndef DEVTRACE_IMAGE_H
#define DEVTRACE_IMAGE_H

#include <devtrace/emit.h>

#ifndef DEVTRACE_DISABLE
#ifdef __cplusplus
extern "C" {
#endif

/*
 * Add an image to the process and set *image to its number, 0 to 254. An image that the process
 * has already keeps its number. build_id: 4 to 63 hexadecimal digits in lower case; NULL: that of
 * the ELF file at path, of any machine. path: the file, for readers on this machine; NULL: none.
 *
 * Return 0 or an errno number: EINVAL if both are NULL or the build-id is not valid, ENOEXEC if the
 * file is not ELF, ENODATA if it has no build-id, ENOSPC if the process has 255 images, or the
 * error of open(2) or read(2). Signal handlers must not call it.
 */
int devtrace_image(const char *build_id, const char *path, int *image);

/*
 * Emit a record of size bytes unless a filter refuses it. *image: the number of the firmware's
 * image, or -1 if it is not known: then the event has no text. A record of
 * devtrace_firmware_hello() emits nothing and sets *image.
 *
 * Return 0 or an errno number: EBADMSG if it is no record, otherwise that of devtrace_image() or
 * devtrace_emit_event(). Signal handlers must not call it.
 */
int devtrace_image_emit(int *image, const void *record, size_t size);

#ifdef __cplusplus
}
#endif
#else
#define devtrace_image(build_id, path, image)		DEVTRACE_ZERO_(build_id, path, image)
#define devtrace_image_emit(image, record, size)	DEVTRACE_ZERO_(image, record, size)
#endif

#endif

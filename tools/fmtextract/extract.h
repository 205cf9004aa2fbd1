/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * extract.h - the parts of fmtextract: main.c reads ELF files, write.c writes the format file
 */
#ifndef FMTEXTRACT_EXTRACT_H
#define FMTEXTRACT_EXTRACT_H

#include "common/out.h"
#include "logtext/image.h"

/* Print an image as a declaration of fmt(5). @path: the ELF file, for the people who read it. */
void extract_write(struct out *o, const struct log_image *image, const char *path);

#endif

/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * output.h - the file that another one is converted into
 */
#ifndef COMMON_OUTPUT_H
#define COMMON_OUTPUT_H

#include <stdbool.h>

/* Are both descriptors the same regular file? */
bool output_is_input(int output, int input);
/* Open to write and empty a file, unless it is the input. The descriptor; -1: *problem. */
int output_open(const char *path, int input, const char **problem);

#endif

/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * output.h - open the output file of a conversion
 */
#ifndef COMMON_OUTPUT_H
#define COMMON_OUTPUT_H

#include <stdbool.h>

/* Are both descriptors the same regular file? */
bool output_is_input(int output, int input);
/*
 * Open and truncate the file, unless it is the input. Return a descriptor, or -1 and set
 * *problem.
 */
int output_open(const char *path, int input, const char **problem);

#endif

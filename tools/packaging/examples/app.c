// SPDX-License-Identifier: GPL-2.0-only
/*
 * app.c - a program that emits a line, for the build files beside it
 *
 * The text stays in the ELF file: fmtextract(1) writes it to app.fmt, and traceinfo prints it.
 */
#include <devtrace/log.h>

int main(int argc, char **argv)
{
	DT_INFO("%s starts with %d arguments", argv[0], argc - 1);
	return 0;
}

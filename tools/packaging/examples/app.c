// SPDX-License-Identifier: GPL-2.0-only
/*
 * app.c - the smallest program that emits an event, for the build files beside it
 */
#include <devtrace.h>

int main(void)
{
	devtrace_text("app starts");
	return 0;
}

// SPDX-License-Identifier: GPL-2.0-only
/* other.c - another file of the program: its numbers of sections and lines are main.c's, too */
#include "part.h"

void other_file(void)
{
	SAY("another file");
	static_inline(2);
	cxx_part();
}

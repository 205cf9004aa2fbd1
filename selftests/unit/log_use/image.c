// SPDX-License-Identifier: GPL-2.0-only
/* image.c - a library: it has the inline functions of the program */
#include "part.h"

void other_image(void)
{
	int i;

	for (i = 0; i < 2; i++)
		SAY("another image: %d", i);
	static_inline(3);
	cxx_part();
}

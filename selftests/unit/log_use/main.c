// SPDX-License-Identifier: GPL-2.0-only
/*
 * main.c - the program of test_log_build.sh, in C and C++
 *
 * Its images and files are: this one, other.c in the same program, and image.c in a library. If
 * PLUGIN is defined, the library is loaded by dlopen(3), unloaded and loaded once more.
 */
#include <dlfcn.h>
#include <stdlib.h>
#include "part.h"

static void kinds(int n)
{
	const char *s = "string";
	char c = 'c';
	float f = 1.5f;

	SAY("no argument");
	SAY("%d %i %u", n, -n, 3u);
	SAY("%hhd %hd %ld %lld", (signed char)-1, (short)-2, -3l, -4ll);
	SAY("%x %#x %lx %llX", 0xau, 0xbu, 0xcul, 0xdull);
	SAY("%s|%5s|%-5s|%.2s", s, "a", "b", "cdef");
	SAY("%c%c", c, 'd');
	SAY("%5.2f %f %e", f, 2.5, 1e9);
	SAY("%05d %+d 100%%", n, n);
	SAY("text with \"quotes\", \\ and a tab\t");
	SAY("one " "literal of " "several");
	SAY("%d %d %d %d %d %d %d %d %d %d", 1, 2, 3, 4, 5, 6, 7, 8, 9, n);
}

#ifdef PLUGIN
static void plugin(void)
{
	void *lib;
	int i;

	for (i = 0; i < 2; i++) {
		void (*f)(void);

		lib = dlopen(PLUGIN, RTLD_NOW | RTLD_LOCAL);
		if (!lib) {
			printf("%s\n", dlerror());
			exit(1);
		}
		f = (void (*)(void))dlsym(lib, "other_image");
		f();
		dlclose(lib);
	}
}
#elif defined(LIBRARY)
static void plugin(void)
{
	other_image();
}
#else
static void plugin(void)
{
}
#endif

int main(int argc, char **argv)
{
	(void)argv;
	kinds(argc);
	static_inline(1);
	cxx_part();
	other_file();
	plugin();
	SAY("the end");
	return 0;
}

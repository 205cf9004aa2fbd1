// SPDX-License-Identifier: GPL-2.0-only
/*
 * damage.c - damage a region, and emit its contents, for test_damage
 *
 *	damage emit CPU FROM COUNT	emit numbered lines of text on a CPU
 *	damage bits|lines ADDRESS SIZE SEED	flip bits, or garble lines of 64 bytes
 *
 * A line has its CPU, its number there, and a check of both. 1 to 4096 bits are flipped, or 1 to
 * 256 lines garbled, with a uniform logarithm of the number. Physical memory is written with
 * /dev/mem: it must not be in use meanwhile.
 */
#define _GNU_SOURCE
#include <err.h>
#include <fcntl.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define LINE	64

static uint64_t state;

/* xorshift64* */
static uint64_t next(void)
{
	state ^= state >> 12;
	state ^= state << 25;
	state ^= state >> 27;
	return state * UINT64_C(2685821657736338717);
}

static unsigned int some(unsigned int max)
{
	unsigned int n = 1;

	while (n < max && next() >> 32 & 7)
		n *= 2;
	return n;
}

static void emit(int cpu, unsigned int from, unsigned int count)
{
	int fd = open("/dev/trace", O_WRONLY);
	char line[64];
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	if (fd < 0 || sched_setaffinity(0, sizeof(set), &set))
		err(1, "CPU %d", cpu);
	for (unsigned int i = from; i < from + count; i++) {
		int n = snprintf(line, sizeof(line), "ring %d number %u is %u", cpu, i,
				 (i * 40503U + cpu) % 65536);

		if (write(fd, line, n) != n)
			err(1, "/dev/trace");
	}
	close(fd);
}

static void damage(int lines, unsigned long at, unsigned long size)
{
	int fd = open("/dev/mem", O_RDWR | O_SYNC);
	unsigned int n = some(lines ? 256 : 4096);
	uint8_t *p = fd < 0 ? MAP_FAILED :
		     mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, at);

	if (p == MAP_FAILED)
		err(1, "/dev/mem");
	for (unsigned int i = 0; i < n; i++) {
		uint64_t where = next() % (lines ? size / LINE * LINE : size * 8);

		if (!lines)
			p[where / 8] ^= 1 << where % 8;
		for (unsigned int k = 0; lines && k < LINE; k++)
			p[where / LINE * LINE + k] = next();
	}
	munmap(p, size);
	close(fd);
	printf("%u %s\n", n, lines ? "lines" : "bits");
}

int main(int argc, char **argv)
{
	if (argc == 5 && !strcmp(argv[1], "emit")) {
		emit(atoi(argv[2]), atoi(argv[3]), atoi(argv[4]));
	} else if (argc == 5 && (!strcmp(argv[1], "bits") || !strcmp(argv[1], "lines"))) {
		state = strtoull(argv[4], NULL, 0) | 1;
		damage(argv[1][0] == 'l', strtoul(argv[2], NULL, 0), strtoul(argv[3], NULL, 0));
	} else {
		fprintf(stderr, "damage emit CPU FROM COUNT | bits|lines ADDRESS SIZE SEED\n");
		return 2;
	}
	return 0;
}

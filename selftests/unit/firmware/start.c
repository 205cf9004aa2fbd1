// SPDX-License-Identifier: GPL-2.0-only
/*
 * start.c - entry of the firmware of test_firmware.sh, and its way to Linux
 *
 * A record goes to standard output after two bytes with its size. On a Cortex-M that is the
 * semihosting of QEMU; on other machines it is a system call of qemu-user. No C library is linked.
 */
#include <devtrace/firmware.h>
#include "fw.h"

_Noreturn __attribute__((used)) void fw_start(void);

#if defined(__ARM_ARCH_PROFILE) && __ARM_ARCH_PROFILE == 'M'
extern unsigned char stack_top[];

__attribute__((section(".vectors"), used))
static const void *const vectors[] = { stack_top, fw_start };

static long semihost(long op, const void *arg)
{
	register long r0 __asm__("r0") = op;
	register const void *r1 __asm__("r1") = arg;

	__asm__ volatile("bkpt 0xab" : "+r" (r0) : "r" (r1) : "memory");
	return r0;
}

static void put(const void *p, size_t n)
{
	static long handle = -1;

	if (handle < 0) {
		/* SYS_OPEN of ":tt" for writing is standard output. */
		const struct { const char *name; long mode, len; } open = { ":tt", 5, 3 };

		handle = semihost(1, &open);
	}
	const struct { long handle; const void *p; size_t n; } write = { handle, p, n };

	semihost(5, &write);
}

static _Noreturn void leave(void)
{
	for (;;)
		semihost(0x18, (const void *)0x20026);
}

_Noreturn void fw_start(void)
{
	fw_main();
	leave();
}
#else
#if defined(__arm__)
__asm__(".globl _start\n_start: mov sp, sp\n bl fw_start\n");
static long call(long nr, long a, const void *b, size_t c)
{
	register long r7 __asm__("r7") = nr, r0 __asm__("r0") = a;
	register const void *r1 __asm__("r1") = b;
	register size_t r2 __asm__("r2") = c;

	__asm__ volatile("svc 0" : "+r" (r0) : "r" (r7), "r" (r1), "r" (r2) : "memory");
	return r0;
}
enum { CALL_EXIT = 1, CALL_WRITE = 4 };
#elif defined(__s390x__)
__asm__(".globl _start\n_start: aghi %r15, -160\n brasl %r14, fw_start\n");
static long call(long nr, long a, const void *b, size_t c)
{
	register long r1 __asm__("r1") = nr, r2 __asm__("r2") = a;
	register const void *r3 __asm__("r3") = b;
	register size_t r4 __asm__("r4") = c;

	__asm__ volatile("svc 0" : "+d" (r2) : "d" (r1), "d" (r3), "d" (r4) : "memory");
	return r2;
}
enum { CALL_EXIT = 1, CALL_WRITE = 4 };
#elif defined(__i386__)
__asm__(".globl _start\n_start: call fw_start\n");
static long call(long nr, long a, const void *b, size_t c)
{
	long ret = nr;

	__asm__ volatile("int $0x80" : "+a" (ret) : "b" (a), "c" (b), "d" (c) : "memory");
	return ret;
}
enum { CALL_EXIT = 1, CALL_WRITE = 4 };
#elif defined(__powerpc__)
__asm__(".globl _start\n_start: stwu 1, -32(1)\n bl fw_start\n");
static long call(long nr, long a, const void *b, size_t c)
{
	register long r0 __asm__("r0") = nr, r3 __asm__("r3") = a;
	register const void *r4 __asm__("r4") = b;
	register size_t r5 __asm__("r5") = c;

	__asm__ volatile("sc" : "+r" (r0), "+r" (r3), "+r" (r4), "+r" (r5) : :
			 "memory", "cr0", "r6", "r7", "r8", "r9", "r10", "r11", "r12");
	return r3;
}
enum { CALL_EXIT = 1, CALL_WRITE = 4 };
#elif defined(__riscv)
__asm__(".globl _start\n_start: call fw_start\n");
static long call(long nr, long a, const void *b, size_t c)
{
	register long a7 __asm__("a7") = nr, a0 __asm__("a0") = a;
	register const void *a1 __asm__("a1") = b;
	register size_t a2 __asm__("a2") = c;

	__asm__ volatile("ecall" : "+r" (a0) : "r" (a7), "r" (a1), "r" (a2) : "memory");
	return a0;
}
enum { CALL_EXIT = 93, CALL_WRITE = 64 };
#elif defined(__aarch64__)
__asm__(".globl _start\n_start: bl fw_start\n");
static long call(long nr, long a, const void *b, size_t c)
{
	register long x8 __asm__("x8") = nr, x0 __asm__("x0") = a;
	register const void *x1 __asm__("x1") = b;
	register size_t x2 __asm__("x2") = c;

	__asm__ volatile("svc 0" : "+r" (x0) : "r" (x8), "r" (x1), "r" (x2) : "memory");
	return x0;
}
enum { CALL_EXIT = 93, CALL_WRITE = 64 };
#endif

static void put(const void *p, size_t n)
{
	call(CALL_WRITE, 1, p, n);
}

_Noreturn void fw_start(void)
{
	fw_main();
	for (;;)
		call(CALL_EXIT, 0, NULL, 0);
}
#endif

void devtrace_firmware_send(const void *record, size_t size)
{
	const uint8_t head[2] = { (uint8_t)size, (uint8_t)(size >> 8) };

	put(head, sizeof(head));
	put(record, size);
}

/* SPDX-License-Identifier: GPL-2.0-only */
/* The boot, and the load of the module, to which a stream belongs: see boot_id.c */
#ifndef DEVTRACE_BOOT_ID_H
#define DEVTRACE_BOOT_ID_H

#include <linux/kconfig.h>
#include <linux/siphash.h>
#include <linux/types.h>

/**
 * struct boot_id - numbers of the boot and of the load of the module
 * @boot: the kernel's boot id, or random
 * @random: @boot is random, because the kernel's could not be read
 * @load: random number of this load of the module; not 0
 * @key: random, secret key of the hash that readers see instead of kernel addresses
 *
 * Written once, when the module is loaded. If devtrace is part of the kernel's image, @load is
 * written when the kernel starts, and the others before the device is opened first.
 */
struct boot_id {
	u8	boot[16];
	bool	random;
	u32	load;
	siphash_key_t key;
};

extern struct boot_id devtrace_boot_id;

void boot_id_init(void);
#if IS_BUILTIN(CONFIG_DEVTRACE)
void boot_id_opened(void);
#else
static inline void boot_id_opened(void) { }
#endif

#endif /* DEVTRACE_BOOT_ID_H */

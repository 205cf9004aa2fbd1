/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Which boot, and which loading of the module, a stream is of
 */
#ifndef DEVTRACE_BOOT_ID_H
#define DEVTRACE_BOOT_ID_H

#include <linux/siphash.h>
#include <linux/types.h>

/**
 * struct boot_id - which boot, and which loading of the module
 * @boot: the kernel's boot id, or random
 * @random: @boot is random, as the kernel's could not be read
 * @load: random, another one each time that the module is loaded; not 0
 * @key: random likewise, and told to nobody: of kernel addresses readers see a hash
 */
struct boot_id {
	u8	boot[16];
	bool	random;
	u32	load;
	siphash_key_t key;
};

extern struct boot_id devtrace_boot_id;

void boot_id_init(void);

#endif /* DEVTRACE_BOOT_ID_H */

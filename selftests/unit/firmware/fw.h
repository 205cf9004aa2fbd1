/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * fw.h - the two files of the firmware of test_firmware.sh
 */
#ifndef FW_H
#define FW_H

void fw_main(void);
void other_main(void);

#endif

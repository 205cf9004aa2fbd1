// SPDX-License-Identifier: GPL-2.0-only
/*
 * The files of devtrace.ko as one unit of compilation, for 32-bit machines
 *
 * There the promise is 90 KiB. Functions of other files have one caller or two, mostly: a
 * compiler that sees all of them puts them there, and takes 6 kB less. Static names differ
 * from file to file for this. 64-bit machines have the files by themselves, as some of those
 * are compiled for speed.
 *
 * What other objects use Kbuild marks __visible, below the files: what they export, and the
 * module's beginning and end. It would be local.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/module.h>

#include "unit.inc"	/* which Kbuild makes of devtrace-y */

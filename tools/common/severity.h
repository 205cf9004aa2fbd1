/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * severity.h - names of severities
 */
#ifndef TOOLS_COMMON_SEVERITY_H
#define TOOLS_COMMON_SEVERITY_H

#include <stddef.h>
#include <stdint.h>

/* The name, such as hw3; "-" without a severity. */
const char *severity_name(uint8_t severity);
/* The level of syslog. emit.h maps levels of printk to severities; this is the inverse. */
unsigned int severity_syslog(uint8_t severity);
/* The severity with this name, or 0. */
uint8_t severity_find(const char *name, size_t len);

#endif

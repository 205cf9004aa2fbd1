/* SPDX-License-Identifier: GPL-2.0-only */
/* The set of a reader's sources: see sources.c */
#ifndef DEVTRACE_SOURCES_H
#define DEVTRACE_SOURCES_H

struct reader;

int sources_init(struct reader *rd);
void sources_restart(struct reader *rd);
void sources_look(struct reader *rd);
int sources_follow(struct reader *rd);
void sources_free(struct reader *rd);

#endif /* DEVTRACE_SOURCES_H */

/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * filter_model.h - a model of filters for test_filter.c
 *
 * The emitter and the number determine an event, so the test also knows events that were not
 * stored. The model follows the documentation and works differently from the module.
 */
#ifndef FILTER_MODEL_H
#define FILTER_MODEL_H

#include <stdbool.h>
#include <stdint.h>

#include "dev.h"
#include "nl.h"

#define USERS		2		/* programs that emit */
#define SERIES		(DTTEST_CLASSES * DEV_CPUS + USERS)
#define COMM		16

/* A filter in the model. */
struct terms {
	uint8_t types[32];
	bool has_types, has_hw, has_sw, has_origins;
	bool has_objects, has_signals, has_majors, has_not_majors, has_codes, has_not_codes;
	bool has_pids, has_not_pids, has_comms, has_not_comms, has_cpus;
	uint32_t hw, sw, origins;
	int nobjects, nsignals, nmajors, ncodes, nnot_codes, npids, ncomms;
	int ncpus;
	struct devtrace_range objects[8], signals[8], cpus[8];
	uint32_t majors[8], codes[8], not_codes[8], pids[8];
	char comms[4][COMM];
};

/* The properties of an event, from its tag and number. */
struct what {
	uint8_t type, severity;
	bool user, in_task, has_code, has_objsig;
	uint32_t major, minor, pid;
	uint16_t object, signal, cpu;
	char comm[COMM];
};

/* Process by series, and CPU by program; set by the test. */
extern uint32_t model_pids[SERIES];
extern int model_cpu[USERS];

/* The hash from which a program makes its event. */
uint32_t model_hash(uint32_t tag, uint32_t nr);
void model_comm(char *comm, int who, uint32_t nr);
void model_tell(struct what *w, int series, uint32_t nr);

bool model_passes(const struct terms *f, const struct what *w);
void model_random(struct terms *f);
void model_put(struct nl *nl, const struct terms *f);

#endif

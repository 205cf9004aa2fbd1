/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * vcd.h - a value change dump: numbers of events, and the lines of buses, for logic analysers
 *
 * vcd.c has the variables and their changes, vcd_bus.c finds the transfers of buses in events, and
 * vcd_wave.c draws the lines of a transfer.
 */
#ifndef VIEW_VCD_H
#define VIEW_VCD_H

#include "view.h"

struct vcd;

enum vcd_kind { VCD_BIT, VCD_REAL };
#define VCD_NONE	UINT32_MAX	/* no variable: there are too many */

/* Find the variable of this name and kind, or make it. @idle: the first value of a bit */
uint32_t vcd_var(struct vcd *v, const char *name, enum vcd_kind kind, uint64_t idle);
/* Note that a variable has another value from @time on. Any order of times is allowed. */
void vcd_change(struct vcd *v, uint32_t var, uint64_t time, bool value);
void vcd_change_real(struct vcd *v, uint32_t var, uint64_t time, double value);
/* Begin a name with that of the machine if there are several. Return the length so far. */
size_t vcd_prefix(const struct vcd *v, char *name, size_t size);
unsigned int vcd_machine(const struct vcd *v);

/* vcd_bus.c: draw the event if it belongs to a bus. Return false for other events. */
struct vcd_bus;
struct vcd_bus *vcd_bus_new(struct vcd *v);
void vcd_bus_free(struct vcd_bus *b);
bool vcd_bus_event(struct vcd_bus *b, const struct ti_event *e, uint64_t time);
/* Events were lost: the transfers that have begun are not complete. */
void vcd_bus_lost(struct vcd_bus *b);
void vcd_bus_end(struct vcd_bus *b);

/*
 * vcd_wave.c: the symbols of a transfer of I2C. A byte has VCD_NACK if its receiver does not pull
 * the data line down after the byte.
 */
enum { VCD_NACK = 0x100, VCD_START = 0x200, VCD_STOP = 0x201 };
struct vcd_lines {
	uint32_t	clock, data, in, select;	/* variables */
	uint64_t	end;		/* the lines are drawn up to here */
};

void vcd_wave_i2c(struct vcd *v, struct vcd_lines *l, const uint16_t *symbols, size_t n,
		  uint64_t from, uint64_t to);
/*
 * Draw a transfer in mode 0, with the highest bit first. @out and @in: bytes of MOSI and MISO, or
 * NULL.
 */
void vcd_wave_spi(struct vcd *v, struct vcd_lines *l, const uint8_t *out, const uint8_t *in,
		  size_t n, uint64_t from, uint64_t to);
/* Draw a frame of clause 22 that ends at @to. */
void vcd_wave_mdio(struct vcd *v, struct vcd_lines *l, bool read, unsigned int phy,
		   unsigned int reg, uint16_t value, uint64_t to);

#endif

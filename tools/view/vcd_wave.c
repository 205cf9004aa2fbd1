// SPDX-License-Identifier: GPL-2.0-only
/*
 * vcd_wave.c - draw a transfer as the lines of its bus
 *
 * The kernel reports the bytes, and when the transfer began and ended. The edges of the transfer
 * are spread evenly over this time. So they have the same order as on the bus, but other times.
 */
#include "vcd.h"

/* State of a drawing, which has edges at equal steps of time. */
struct wave {
	struct vcd	*vcd;
	uint64_t	time, step;
};

/* Begin after the last edge that is already drawn on the lines. */
static struct wave wave_begin(struct vcd *v, const struct vcd_lines *l, uint64_t from, uint64_t to,
			      uint64_t steps)
{
	struct wave w = { .vcd = v, .time = from > l->end ? from : l->end, .step = 1 };

	if (to > w.time && steps && (to - w.time) / steps > 1)
		w.step = (to - w.time) / steps;
	return w;
}

static void wave_set(const struct wave *w, uint32_t var, unsigned int step, bool value)
{
	vcd_change(w->vcd, var, w->time + step * w->step, value);
}

#define WAVE_I2C_STEPS	4	/* steps of a bit */

static void wave_i2c_bit(struct wave *w, const struct vcd_lines *l, bool bit)
{
	wave_set(w, l->clock, 0, false);
	wave_set(w, l->data, 1, bit);
	wave_set(w, l->clock, 2, true);
	w->time += WAVE_I2C_STEPS * w->step;
}

/* START or STOP: the data line changes while the clock is high. */
static void wave_i2c_edge(struct wave *w, const struct vcd_lines *l, bool low_clock, bool before)
{
	if (low_clock)
		wave_set(w, l->clock, 0, false);
	wave_set(w, l->data, 1, before);
	wave_set(w, l->clock, 2, true);
	wave_set(w, l->data, 3, !before);
	w->time += WAVE_I2C_STEPS * w->step;
}

void vcd_wave_i2c(struct vcd *v, struct vcd_lines *l, const uint16_t *symbols, size_t n,
		  uint64_t from, uint64_t to)
{
	struct wave w;
	size_t i, steps = WAVE_I2C_STEPS;
	int bit;

	for (i = 0; i < n; i++)
		steps += WAVE_I2C_STEPS * (symbols[i] >= VCD_START ? 1 : 9);
	w = wave_begin(v, l, from, to, steps);
	for (i = 0; i < n; i++) {
		if (symbols[i] >= VCD_START) {
			wave_i2c_edge(&w, l, i, symbols[i] == VCD_START);
			continue;
		}
		for (bit = 7; bit >= 0; bit--)
			wave_i2c_bit(&w, l, symbols[i] >> bit & 1);
		wave_i2c_bit(&w, l, symbols[i] & VCD_NACK);
	}
	l->end = w.time;
}

void vcd_wave_spi(struct vcd *v, struct vcd_lines *l, const uint8_t *out, const uint8_t *in,
		  size_t n, uint64_t from, uint64_t to)
{
	struct wave w = wave_begin(v, l, from, to, 16 * n + 4);
	size_t i;
	int bit;

	wave_set(&w, l->select, 0, false);
	w.time += 2 * w.step;
	for (i = 0; i < n; i++) {
		for (bit = 7; bit >= 0; bit--) {
			wave_set(&w, l->clock, 0, false);
			wave_set(&w, l->data, 0, out && out[i] >> bit & 1);
			wave_set(&w, l->in, 0, in && in[i] >> bit & 1);
			wave_set(&w, l->clock, 1, true);
			w.time += 2 * w.step;
		}
	}
	wave_set(&w, l->clock, 0, false);
	l->end = w.time + w.step;
}

#define WAVE_MDIO_BITS	64
#define WAVE_MDIO_BIT	400	/* ns: 2.5 MHz, the fastest clock of the standard */

void vcd_wave_mdio(struct vcd *v, struct vcd_lines *l, bool read, unsigned int phy,
		   unsigned int reg, uint16_t value, uint64_t to)
{
	/* Preamble of ones, start 01, read 10 or write 01, addresses, turnaround, value */
	const uint64_t frame = 0xffffffff00000000ull | 1ull << 30 | (read ? 2ull : 1ull) << 28 |
			       (uint64_t)(phy & 31) << 23 | (uint64_t)(reg & 31) << 18 |
			       2ull << 16 | value;
	const uint64_t length = WAVE_MDIO_BITS * WAVE_MDIO_BIT;
	struct wave w = wave_begin(v, l, to > length ? to - length : 0, to, 2 * WAVE_MDIO_BITS + 1);
	int bit;

	for (bit = WAVE_MDIO_BITS - 1; bit >= 0; bit--) {
		wave_set(&w, l->clock, 0, false);
		wave_set(&w, l->data, 0, frame >> bit & 1);
		wave_set(&w, l->clock, 1, true);
		w.time += 2 * w.step;
	}
	wave_set(&w, l->clock, 0, false);
	l->end = w.time + w.step;
}

// SPDX-License-Identifier: GPL-2.0-only
/*
 * vcd_bus.c - find the transfers of buses in the events of the kernel's tracepoints
 *
 * The tracepoints of buses are added by name, for example by 'tracectl profile buses'. Their types
 * vary, so this file identifies an event by the name of its type, which is in the stream. The
 * elements are the fields in the order of the kernel's include/trace/events. An event with other
 * elements is not drawn.
 *
 * A transfer of I2C has several events. The last event is i2c_result, which says whether the device
 * answered. If an event of a transfer is missing, the transfer is not drawn.
 */
#include <stdio.h>
#include <stdlib.h>
#include "fmtlang/value.h"
#include "vcd.h"

#define BUS_MAX		64	/* buses, or devices of SPI */
#define BUS_SYMBOLS	4096	/* of one transfer */
#define BUS_MESSAGES	64	/* of one transfer */
#define BUS_FIELDS	8

/* flags of a message: the I2C_M_ numbers of the kernel */
enum { I2C_READ = 1, I2C_TEN = 0x10, I2C_NOSTART = 0x4000 };
/* protocols of SMBus: numbers of the kernel */
enum {
	SMBUS_QUICK, SMBUS_BYTE, SMBUS_BYTE_DATA, SMBUS_WORD_DATA, SMBUS_PROC_CALL, SMBUS_BLOCK,
	SMBUS_I2C_BROKEN, SMBUS_BLOCK_CALL, SMBUS_I2C_BLOCK
};

struct bus {
	enum { BUS_I2C, BUS_SPI, BUS_MDIO } kind;
	unsigned int	machine;
	char		name[64];
	struct vcd_lines lines;
	bool		open;		/* a transfer has begun */
	bool		lacks;		/* the transfer is incomplete, or too long */
	bool		message;	/* SPI: the device stays selected up to the next message */
	uint64_t	from;
	/* I2C: the symbols of the transfer, and the place and length of the bytes that it reads */
	uint16_t	symbols[BUS_SYMBOLS];
	size_t		n, at[BUS_MESSAGES], len[BUS_MESSAGES];
	/* SMBus: the controller emulates SMBus by I2C, and the events of I2C are drawn instead */
	bool		by_i2c;
};

struct vcd_bus {
	struct vcd	*vcd;
	struct bus	*v[BUS_MAX];
	unsigned int	n;
};

/* The elements of an event. */
struct fields {
	struct fmt_value v[BUS_FIELDS];
	unsigned int	n;
};

struct vcd_bus *vcd_bus_new(struct vcd *v)
{
	struct vcd_bus *b = view_alloc(NULL, sizeof(*b));

	*b = (struct vcd_bus){ .vcd = v };
	return b;
}

void vcd_bus_free(struct vcd_bus *b)
{
	while (b->n)
		free(b->v[--b->n]);
	free(b);
}

static uint32_t bus_line(const struct vcd_bus *b, const char *name, const char *line, bool idle)
{
	char full[128];
	size_t n = vcd_prefix(b->vcd, full, sizeof(full));

	snprintf(full + n, sizeof(full) - n, "%s_%s", name, line);
	return vcd_var(b->vcd, full, VCD_BIT, idle);
}

/* Find a bus, or add it. Return NULL if there are too many buses. */
static struct bus *bus_get(struct vcd_bus *b, int kind, const char *name)
{
	struct bus *bus;
	unsigned int i;

	for (i = 0; i < b->n; i++)
		if ((int)b->v[i]->kind == kind && b->v[i]->machine == vcd_machine(b->vcd) &&
		    !strcmp(b->v[i]->name, name))
			return b->v[i];
	if (b->n == BUS_MAX)
		return NULL;
	bus = view_alloc(NULL, sizeof(*bus));
	memset(bus, 0, sizeof(*bus));
	bus->kind = kind;
	bus->machine = vcd_machine(b->vcd);
	snprintf(bus->name, sizeof(bus->name), "%s", name);
	bus->lines.clock = bus_line(b, name, kind == BUS_I2C ? "scl" : kind == BUS_SPI ? "sck" : "mdc",
				    kind == BUS_I2C);
	bus->lines.data = bus_line(b, name, kind == BUS_I2C ? "sda" : kind == BUS_SPI ? "mosi" : "mdio",
				   kind != BUS_SPI);
	if (kind == BUS_SPI) {
		bus->lines.in = bus_line(b, name, "miso", false);
		bus->lines.select = bus_line(b, name, "cs", true);
	}
	b->v[b->n++] = bus;
	return bus;
}

/* Are the elements from @first on of these kinds? 'n' is a number, 'm' bytes, 's' a string. */
static bool fields_are(const struct fields *f, const char *kinds)
{
	unsigned int i;

	for (i = 0; kinds[i]; i++) {
		uint32_t want = FMT_M_INT | FMT_BIT(DEVTRACE_E_OBJ);

		if (kinds[i] == 'm')
			want = FMT_BIT(DEVTRACE_E_MEM);
		if (kinds[i] == 's')
			want = FMT_BIT(DEVTRACE_E_STR);
		if (i >= f->n || !(fmt_elem_bit(&f->v[i].e) & want))
			return false;
	}
	return true;
}

static uint64_t field(const struct fields *f, unsigned int i)
{
	return f->v[i].e.v.u;
}

/* Return the bytes of a buffer in one piece. All buffers of a tracepoint are in one piece. */
static const uint8_t *field_bytes(const struct fields *f, unsigned int i, size_t *len)
{
	*len = f->v[i].e.v.mem.len;
	return f->v[i].e.v.mem.p;
}

static void i2c_add(struct bus *bus, uint16_t symbol)
{
	if (bus->n < BUS_SYMBOLS - 1)
		bus->symbols[bus->n++] = symbol;
	else
		bus->lacks = true;
}

static void i2c_bytes(struct bus *bus, const uint8_t *p, size_t len)
{
	size_t i;

	for (i = 0; i < len; i++)
		i2c_add(bus, p[i]);
}

static void i2c_address(struct bus *bus, unsigned int addr, unsigned int flags, bool read)
{
	if (flags & I2C_NOSTART)
		return;
	i2c_add(bus, VCD_START);
	if (!(flags & I2C_TEN)) {
		i2c_add(bus, (uint16_t)((addr & 0x7f) << 1 | read));
		return;
	}
	i2c_add(bus, (uint16_t)(0xf0 | (addr >> 7 & 6)));
	i2c_add(bus, addr & 0xff);
	if (read) {
		i2c_add(bus, VCD_START);
		i2c_add(bus, (uint16_t)(0xf0 | (addr >> 7 & 6) | read));
	}
}

static void i2c_begin(struct bus *bus, uint64_t time)
{
	bus->open = true;
	bus->lacks = bus->by_i2c = false;
	bus->from = time;
	bus->n = 0;
	memset(bus->len, 0, sizeof(bus->len));
}

/* Fill in the bytes that a message has read. The host does not acknowledge the last byte. */
static void i2c_fill(struct bus *bus, unsigned int nr, const uint8_t *p, size_t len)
{
	size_t i;

	for (i = 0; i < len && i < bus->len[nr]; i++)
		bus->symbols[bus->at[nr] + i] = p[i] | (i + 1 == bus->len[nr] ? VCD_NACK : 0);
	bus->lacks |= i < bus->len[nr];
}

static void i2c_room(struct bus *bus, unsigned int nr, size_t len)
{
	bus->at[nr] = bus->n;
	if (len > BUS_SYMBOLS - 1 - bus->n) {
		bus->lacks = true;
		return;
	}
	bus->len[nr] = len;
	bus->n += len;
}

/* Draw the transfer. If the device did not answer, only its address was sent. */
static void i2c_end(struct vcd_bus *b, struct bus *bus, bool answered, uint64_t time)
{
	if (bus->open && !answered && bus->n > 1) {
		bus->n = 2;
		bus->symbols[1] |= VCD_NACK;
		bus->lacks = false;
	}
	bus->symbols[bus->n++] = VCD_STOP;
	if (bus->open && !bus->lacks && bus->n > 1)
		vcd_wave_i2c(b->vcd, &bus->lines, bus->symbols, bus->n, bus->from, time);
	bus->open = false;
}

static struct bus *i2c_get(struct vcd_bus *b, const struct fields *f)
{
	char name[32];

	snprintf(name, sizeof(name), "i2c%d", (int)field(f, 0));
	return bus_get(b, BUS_I2C, name);
}

/* i2c_write, i2c_read and i2c_reply: adapter, message, address, flags, length, bytes */
static void i2c_message(struct vcd_bus *b, const struct fields *f, char what, uint64_t time)
{
	struct bus *bus = fields_are(f, what == 'r' ? "nnnnn" : "nnnnnm") ? i2c_get(b, f) : NULL;
	const uint8_t *p = NULL;
	unsigned int nr;
	size_t len = 0;

	if (!bus)
		return;
	nr = (unsigned int)field(f, 1);
	if (what != 'r')
		p = field_bytes(f, 5, &len);
	if (what != 'y' && !nr)
		i2c_begin(bus, time);
	bus->by_i2c = true;
	if (nr >= BUS_MESSAGES || (what != 'r' && len != field(f, 4))) {
		bus->lacks = true;
		return;
	}
	if (what == 'y') {
		i2c_fill(bus, nr, p, len);
		return;
	}
	i2c_address(bus, (unsigned int)field(f, 2), (unsigned int)field(f, 3), what == 'r');
	if (what == 'w')
		i2c_bytes(bus, p, len);
	else
		i2c_room(bus, nr, field(f, 4));
}

/* i2c_result: adapter, number of messages, result */
static void i2c_result(struct vcd_bus *b, const struct fields *f, uint64_t time)
{
	struct bus *bus = fields_are(f, "nnn") ? i2c_get(b, f) : NULL;

	if (bus)
		i2c_end(b, bus, fmt_value_signed(&f->v[2].e) >= 0, time);
}

/* Return the bytes of data on the bus. A block of I2C has no count on the bus. */
static const uint8_t *smbus_data(const struct fields *f, unsigned int protocol, size_t *len)
{
	const uint8_t *p = field_bytes(f, 6, len);
	size_t n = field(f, 4), skip = protocol == SMBUS_I2C_BLOCK || protocol == SMBUS_I2C_BROKEN;

	if (protocol == SMBUS_QUICK || protocol == SMBUS_BYTE)
		n = protocol == SMBUS_BYTE;
	n = n < *len ? n : *len;
	skip = skip < n ? skip : n;
	*len = n - skip;
	return p + skip;
}

/* smbus_write: adapter, address, flags, command, length, protocol, bytes */
static void smbus_write(struct vcd_bus *b, const struct fields *f, uint64_t time)
{
	struct bus *bus = fields_are(f, "nnnnnnm") ? i2c_get(b, f) : NULL;
	const uint8_t *p;
	unsigned int protocol;
	size_t len;

	if (!bus)
		return;
	protocol = (unsigned int)field(f, 5);
	p = smbus_data(f, protocol, &len);
	i2c_begin(bus, time);
	i2c_address(bus, (unsigned int)field(f, 1), 0, false);
	if (protocol != SMBUS_QUICK)
		i2c_add(bus, field(f, 3) & 0xff);
	if (protocol != SMBUS_QUICK && protocol != SMBUS_BYTE)
		i2c_bytes(bus, p, len);
	bus->lacks = protocol == SMBUS_PROC_CALL || protocol == SMBUS_BLOCK_CALL;
}

/* smbus_read: adapter, flags, address, command, protocol */
static void smbus_read(struct vcd_bus *b, const struct fields *f, uint64_t time)
{
	struct bus *bus = fields_are(f, "nnnnn") ? i2c_get(b, f) : NULL;
	unsigned int protocol;

	if (!bus)
		return;
	protocol = (unsigned int)field(f, 4);
	i2c_begin(bus, time);
	if (protocol != SMBUS_QUICK && protocol != SMBUS_BYTE) {
		i2c_address(bus, (unsigned int)field(f, 2), 0, false);
		i2c_add(bus, field(f, 3) & 0xff);
	}
	i2c_address(bus, (unsigned int)field(f, 2), 0, true);
	/* The event smbus_reply has the bytes that were read. */
	bus->lacks = protocol != SMBUS_QUICK;
}

/* smbus_reply: like smbus_write */
static void smbus_reply(struct vcd_bus *b, const struct fields *f)
{
	struct bus *bus = fields_are(f, "nnnnnnm") ? i2c_get(b, f) : NULL;
	const uint8_t *p;
	size_t len;

	if (!bus || !bus->open || bus->by_i2c)
		return;
	p = smbus_data(f, (unsigned int)field(f, 5), &len);
	bus->lacks = false;
	i2c_bytes(bus, p, len);
	if (len && bus->n)
		bus->symbols[bus->n - 1] |= VCD_NACK;
}

/* smbus_result: adapter, address, flags, read or write, command, result, protocol */
static void smbus_result(struct vcd_bus *b, const struct fields *f, uint64_t time)
{
	struct bus *bus = fields_are(f, "nnnnnnn") ? i2c_get(b, f) : NULL;

	if (bus && !bus->by_i2c)
		i2c_end(b, bus, fmt_value_signed(&f->v[5].e) >= 0, time);
}

/* Release the device. After a message, the device stays selected until the next message begins. */
static void spi_release(struct vcd_bus *b, struct bus *bus)
{
	if (bus->lines.end)
		vcd_change(b->vcd, bus->lines.select, bus->lines.end++, true);
}

/* spi_message_start: bus, device, ...; spi_transfer_*: bus, device, transfer, length, in, out */
static void spi_event(struct vcd_bus *b, const struct fields *f, char what, uint64_t time)
{
	const uint8_t *in, *out;
	size_t nr_in, nr_out, n;
	struct bus *bus;
	char name[64];

	if (!fields_are(f, what == 'm' ? "nn" : "nnnnmm"))
		return;
	snprintf(name, sizeof(name), "spi%d_%d", (int)field(f, 0), (int)field(f, 1));
	bus = bus_get(b, BUS_SPI, name);
	if (!bus)
		return;
	if (what == 'm') {
		if (bus->message)
			spi_release(b, bus);
		bus->message = true;
	} else if (what == 'b') {
		bus->open = true;
		bus->from = time;
	} else if (bus->open) {
		bus->open = false;
		in = field_bytes(f, 4, &nr_in);
		out = field_bytes(f, 5, &nr_out);
		n = nr_in > nr_out ? nr_in : nr_out;
		vcd_wave_spi(b->vcd, &bus->lines, nr_out == n ? out : NULL, nr_in == n ? in : NULL,
			     n, bus->from, time);
		if (!bus->message)
			spi_release(b, bus);
	}
}

/* mdio_access: bus, read, phy, value, register; a register of clause 45 has a flag. */
static void mdio_access(struct vcd_bus *b, const struct fields *f, uint64_t time)
{
	struct bus *bus = NULL;
	char name[64];

	if (fields_are(f, "snnnn") && field(f, 4) < 32) {
		snprintf(name, sizeof(name), "mdio_%.*s", (int)f->v[0].e.v.mem.len,
			 (const char *)f->v[0].e.v.mem.p);
		bus = bus_get(b, BUS_MDIO, name);
	}
	if (bus)
		vcd_wave_mdio(b->vcd, &bus->lines, field(f, 1), (unsigned int)field(f, 2),
			      (unsigned int)field(f, 4), (uint16_t)field(f, 3), time);
}

/* gpio_value: line, read or set, level */
static void gpio_value(struct vcd_bus *b, const struct fields *f, uint64_t time)
{
	char name[64];
	size_t n = vcd_prefix(b->vcd, name, sizeof(name));

	if (!fields_are(f, "nnn"))
		return;
	snprintf(name + n, sizeof(name) - n, "gpio%u", (unsigned int)field(f, 0));
	vcd_change(b->vcd, vcd_var(b->vcd, name, VCD_BIT, !field(f, 2)), time, field(f, 2) != 0);
}

/* regmap_reg_*: device, register, value */
static void regmap_reg(struct vcd_bus *b, const struct fields *f, uint64_t time)
{
	char name[128];
	size_t n = vcd_prefix(b->vcd, name, sizeof(name));

	if (!fields_are(f, "snn"))
		return;
	snprintf(name + n, sizeof(name) - n, "%.*s_0x%x", (int)f->v[0].e.v.mem.len,
		 (const char *)f->v[0].e.v.mem.p, (unsigned int)field(f, 1));
	vcd_change_real(b->vcd, vcd_var(b->vcd, name, VCD_REAL, 0), time, (double)field(f, 2));
}

static void bus_draw(struct vcd_bus *b, const char *name, const struct fields *f, uint64_t time)
{
	if (!strcmp(name, "i2c:i2c_write"))
		i2c_message(b, f, 'w', time);
	else if (!strcmp(name, "i2c:i2c_read"))
		i2c_message(b, f, 'r', time);
	else if (!strcmp(name, "i2c:i2c_reply"))
		i2c_message(b, f, 'y', time);
	else if (!strcmp(name, "i2c:i2c_result"))
		i2c_result(b, f, time);
	else if (!strcmp(name, "smbus:smbus_write"))
		smbus_write(b, f, time);
	else if (!strcmp(name, "smbus:smbus_read"))
		smbus_read(b, f, time);
	else if (!strcmp(name, "smbus:smbus_reply"))
		smbus_reply(b, f);
	else if (!strcmp(name, "smbus:smbus_result"))
		smbus_result(b, f, time);
	else if (!strcmp(name, "spi:spi_message_start"))
		spi_event(b, f, 'm', time);
	else if (!strcmp(name, "spi:spi_transfer_start"))
		spi_event(b, f, 'b', time);
	else if (!strcmp(name, "spi:spi_transfer_stop"))
		spi_event(b, f, 'e', time);
	else if (!strcmp(name, "gpio:gpio_value"))
		gpio_value(b, f, time);
	else if (!strcmp(name, "mdio:mdio_access"))
		mdio_access(b, f, time);
	else if (!strcmp(name, "regmap:regmap_reg_write") ||
		 !strcmp(name, "regmap:regmap_reg_read"))
		regmap_reg(b, f, time);
}

bool vcd_bus_event(struct vcd_bus *b, const struct ti_event *e, uint64_t time)
{
	const struct devtrace_event *ev = e->ev;
	struct fields f = { 0 };
	const char *name;
	size_t pos = 0;

	if (!devtrace_type_is_profile(ev->type))
		return false;
	name = ti_event_dict(e, DEVTRACE_T_USR, ev->type, 0, 0);
	if (!name || !strchr(name, ':'))
		return false;
	while (f.n < BUS_FIELDS && fmt_value_next(ev->data, ev->len, &pos, &f.v[f.n]) == 1)
		f.n++;
	bus_draw(b, name, &f, time);
	return true;
}

void vcd_bus_lost(struct vcd_bus *b)
{
	unsigned int i;

	for (i = 0; i < b->n; i++)
		b->v[i]->open = false;
}

void vcd_bus_end(struct vcd_bus *b)
{
	unsigned int i;

	for (i = 0; i < b->n; i++)
		if (b->v[i]->kind == BUS_SPI && b->v[i]->message)
			spi_release(b, b->v[i]);
}

// SPDX-License-Identifier: GPL-2.0-only
/*
 * dtmdio.c - an MDIO bus with 32 registers per PHY, for the tracepoint of the bus
 *
 * "PHY REGISTER VALUE" that is written to the parameter access goes to the bus by mdiobus_write().
 * After "PHY REGISTER" the parameter has the value that mdiobus_read() returned.
 */
#include <linux/module.h>
#include <linux/phy.h>

static u16 registers[PHY_MAX_ADDR][32];
static struct mii_bus *bus;
static int last;

static int register_read(struct mii_bus *b, int phy, int reg)
{
	return registers[phy % PHY_MAX_ADDR][reg % 32];
}

static int register_write(struct mii_bus *b, int phy, int reg, u16 value)
{
	registers[phy % PHY_MAX_ADDR][reg % 32] = value;
	return 0;
}

static int access_set(const char *text, const struct kernel_param *kp)
{
	unsigned int phy, reg, value;
	int n = sscanf(text, "%u %u %x", &phy, &reg, &value);

	if (n < 2 || phy >= PHY_MAX_ADDR || reg >= 32)
		return -EINVAL;
	if (!bus)
		return -ENODEV;
	if (n == 3)
		return mdiobus_write(bus, phy, reg, value);
	last = mdiobus_read(bus, phy, reg);
	return last < 0 ? last : 0;
}

static int access_get(char *text, const struct kernel_param *kp)
{
	return sprintf(text, "%04x\n", last);
}

static const struct kernel_param_ops access_ops = {
	.set = access_set,
	.get = access_get,
};

module_param_cb(access, &access_ops, NULL, 0600);
MODULE_PARM_DESC(access, "PHY REGISTER [VALUE]; the value that was read");

static int __init dtmdio_init(void)
{
	struct mii_bus *b = mdiobus_alloc();
	int ret;

	if (!b)
		return -ENOMEM;
	b->name = "dtmdio";
	strscpy(b->id, "dtmdio-0", sizeof(b->id));
	b->read = register_read;
	b->write = register_write;
	b->phy_mask = ~0;
	ret = mdiobus_register(b);
	if (ret) {
		mdiobus_free(b);
		return ret;
	}
	bus = b;
	return 0;
}

static void __exit dtmdio_exit(void)
{
	mdiobus_unregister(bus);
	mdiobus_free(bus);
}

module_init(dtmdio_init);
module_exit(dtmdio_exit);

MODULE_DESCRIPTION("An MDIO bus, while the tracepoints of buses are tested");
MODULE_LICENSE("GPL");

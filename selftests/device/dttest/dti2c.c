// SPDX-License-Identifier: GPL-2.0-only
/*
 * dti2c.c - an I2C adapter with one EEPROM, for the tracepoints of the bus
 *
 * The kernel's I2C core passes transfers to this adapter as to any other, so its tracepoints have
 * the bytes. The EEPROM has 256 bytes and the address 0x50: the first byte that is written is the
 * offset, and every byte that is written or read increments it. No other address answers.
 */
#include <linux/i2c.h>
#include <linux/module.h>
#include <linux/platform_device.h>

#define EEPROM_ADDRESS	0x50

static u8 eeprom[256], offset;

static void eeprom_message(struct i2c_msg *m)
{
	unsigned int i = 0;

	if (m->flags & I2C_M_RD) {
		while (i < m->len)
			m->buf[i++] = eeprom[offset++];
		return;
	}
	if (m->len)
		offset = m->buf[i++];
	while (i < m->len)
		eeprom[offset++] = m->buf[i++];
}

static int eeprom_transfer(struct i2c_adapter *adapter, struct i2c_msg *msgs, int n)
{
	int i;

	for (i = 0; i < n; i++) {
		if (msgs[i].addr != EEPROM_ADDRESS)
			return -ENXIO;
		eeprom_message(&msgs[i]);
	}
	return n;
}

static u32 eeprom_functionality(struct i2c_adapter *adapter)
{
	return I2C_FUNC_I2C;
}

static const struct i2c_algorithm eeprom_algorithm = {
	.master_xfer = eeprom_transfer,
	.functionality = eeprom_functionality,
};

static struct i2c_adapter adapter = {
	.owner = THIS_MODULE,
	.algo = &eeprom_algorithm,
	.name = "dti2c",
};

static struct platform_device *device;

static int __init dti2c_init(void)
{
	int ret;

	device = platform_device_register_simple("dti2c", -1, NULL, 0);
	if (IS_ERR(device))
		return PTR_ERR(device);
	adapter.dev.parent = &device->dev;
	ret = i2c_add_adapter(&adapter);
	if (ret)
		platform_device_unregister(device);
	return ret;
}

static void __exit dti2c_exit(void)
{
	i2c_del_adapter(&adapter);
	platform_device_unregister(device);
}

module_init(dti2c_init);
module_exit(dti2c_exit);

MODULE_DESCRIPTION("An I2C adapter with an EEPROM, while the tracepoints of buses are tested");
MODULE_LICENSE("GPL");

// SPDX-License-Identifier: GPL-2.0-only
/*
 * dtspi.c - an SPI controller with one device, for the tracepoints of the bus
 *
 * Hexadecimal digits that are written to the parameter transfer go to the device, by spi_sync().
 * The device answers each bit at once with its complement, so the bytes of the two directions
 * cannot be mistaken for each other. Reading the parameter returns the answer to the last transfer.
 */
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/platform_device.h>
#include <linux/slab.h>
#include <linux/spi/spi.h>
#include <linux/version.h>

#define TRANSFER_MAX	64	/* bytes; the tracepoints have no more of a transfer */

static struct platform_device *parent;
static struct spi_controller *controller;
static struct spi_device *device;
static u8 *out, *in;
static size_t transferred;
/* busy: protects the variables above against module parameters that come early */
static DEFINE_MUTEX(busy);

static int complement(struct spi_controller *c, struct spi_device *d, struct spi_transfer *t)
{
	const u8 *tx = t->tx_buf;
	u8 *rx = t->rx_buf;
	unsigned int i;

	for (i = 0; rx && i < t->len; i++)
		rx[i] = tx ? ~tx[i] : 0;
	return 0;
}

static int transfer(size_t n)
{
	struct spi_transfer t = { .tx_buf = out, .rx_buf = in, .len = n };
	struct spi_message m;
	int ret;

	spi_message_init_with_transfers(&m, &t, 1);
	ret = spi_sync(device, &m);
	transferred = ret ? 0 : n;
	return ret;
}

static int transfer_set(const char *text, const struct kernel_param *kp)
{
	size_t n = strcspn(text, "\n") / 2;
	int ret = -ENODEV;

	mutex_lock(&busy);
	if (n > TRANSFER_MAX)
		ret = -E2BIG;
	else if (device)
		ret = hex2bin(out, text, n) ? -EINVAL : transfer(n);
	mutex_unlock(&busy);
	return ret;
}

static int transfer_get(char *text, const struct kernel_param *kp)
{
	int n;

	mutex_lock(&busy);
	n = scnprintf(text, PAGE_SIZE, "%*phN\n", (int)transferred, in);
	mutex_unlock(&busy);
	return n;
}

static const struct kernel_param_ops transfer_ops = {
	.set = transfer_set,
	.get = transfer_get,
};

module_param_cb(transfer, &transfer_ops, NULL, 0600);
MODULE_PARM_DESC(transfer, "bytes to send, as hexadecimal digits; the bytes that came back");

static int controller_add(void)
{
	static struct spi_board_info info = { .modalias = "dtspi", .max_speed_hz = 1000000 };
	int ret;

#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 6, 0)
	controller = spi_alloc_host(&parent->dev, 0);
#else
	controller = spi_alloc_master(&parent->dev, 0);
#endif
	if (!controller)
		return -ENOMEM;
	controller->bus_num = -1;
	controller->num_chipselect = 1;
	controller->transfer_one = complement;
	ret = spi_register_controller(controller);
	if (ret) {
		spi_controller_put(controller);
		return ret;
	}
	device = spi_new_device(controller, &info);
	if (device)
		return 0;
	spi_unregister_controller(controller);
	return -ENODEV;
}

static int __init dtspi_init(void)
{
	int ret = -ENOMEM;

	out = kzalloc(TRANSFER_MAX, GFP_KERNEL);
	in = kzalloc(TRANSFER_MAX, GFP_KERNEL);
	if (!out || !in)
		goto free;
	parent = platform_device_register_simple("dtspi", -1, NULL, 0);
	if (IS_ERR(parent)) {
		ret = PTR_ERR(parent);
		goto free;
	}
	mutex_lock(&busy);
	ret = controller_add();
	mutex_unlock(&busy);
	if (!ret)
		return 0;
	platform_device_unregister(parent);
free:
	kfree(in);
	kfree(out);
	return ret;
}

static void __exit dtspi_exit(void)
{
	spi_unregister_controller(controller);
	platform_device_unregister(parent);
	kfree(in);
	kfree(out);
}

module_init(dtspi_init);
module_exit(dtspi_exit);

MODULE_DESCRIPTION("An SPI controller with a device, while the tracepoints of buses are tested");
MODULE_LICENSE("GPL");

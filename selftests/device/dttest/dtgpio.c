// SPDX-License-Identifier: GPL-2.0-only
/*
 * dtgpio.c - a GPIO chip with one line, for the tracepoints of GPIOs
 *
 * Writing the parameter level sets the line by gpiod_set_value(), and reading the parameter reads
 * the line. The parameter number is the number of the line that the tracepoints have.
 */
#include <linux/gpio/consumer.h>
#include <linux/gpio/driver.h>
#include <linux/gpio/machine.h>
#include <linux/module.h>
#include <linux/version.h>

static bool is_high;
static struct gpio_desc *line;

static int number;
module_param(number, int, 0400);
MODULE_PARM_DESC(number, "number of the line; read only");

static int chip_get(struct gpio_chip *chip, unsigned int offset)
{
	return is_high;
}

#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 17, 0)
static int chip_set(struct gpio_chip *chip, unsigned int offset, int value)
{
	is_high = value;
	return 0;
}
#else
static void chip_set(struct gpio_chip *chip, unsigned int offset, int value)
{
	is_high = value;
}
#endif

static int chip_output(struct gpio_chip *chip, unsigned int offset, int value)
{
	is_high = value;
	return 0;
}

static struct gpio_chip chip = {
	.label = "dtgpio",
	.owner = THIS_MODULE,
	.base = -1,
	.ngpio = 1,
	.get = chip_get,
	.set = chip_set,
	.direction_output = chip_output,
};

static int level_set(const char *text, const struct kernel_param *kp)
{
	bool high;
	int ret = kstrtobool(text, &high);

	if (ret)
		return ret;
	if (!line)
		return -ENODEV;
	gpiod_set_value(line, high);
	return 0;
}

static int level_get(char *text, const struct kernel_param *kp)
{
	return line ? sprintf(text, "%d\n", gpiod_get_value(line)) : -ENODEV;
}

static const struct kernel_param_ops level_ops = {
	.set = level_set,
	.get = level_get,
};

module_param_cb(level, &level_ops, NULL, 0600);
MODULE_PARM_DESC(level, "level of the line: 0 or 1");

static int __init dtgpio_init(void)
{
	struct gpio_desc *desc;
	int ret = gpiochip_add_data(&chip, NULL);

	if (ret)
		return ret;
	desc = gpiochip_request_own_desc(&chip, 0, "dtgpio", GPIO_LOOKUP_FLAGS_DEFAULT,
					 GPIOD_OUT_LOW);
	if (IS_ERR(desc)) {
		gpiochip_remove(&chip);
		return PTR_ERR(desc);
	}
	number = desc_to_gpio(desc);
	line = desc;
	return 0;
}

static void __exit dtgpio_exit(void)
{
	gpiochip_free_own_desc(line);
	gpiochip_remove(&chip);
}

module_init(dtgpio_init);
module_exit(dtgpio_exit);

MODULE_DESCRIPTION("A GPIO, while the tracepoints of buses are tested");
MODULE_LICENSE("GPL");

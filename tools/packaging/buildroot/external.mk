include $(sort $(wildcard $(BR2_EXTERNAL_DEVTRACE_PATH)/package/*/*.mk))

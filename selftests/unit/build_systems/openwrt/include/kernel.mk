# SPDX-License-Identifier: GPL-2.0-only
# Everything is in ../rules.mk

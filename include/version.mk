# SPDX-License-Identifier: GPL-2.0-or-later
#
# The version of the modules, libraries and tools. The newest entry of
# Documentation/changes.rst names the same version: selftests/unit/test_version.sh.
DEVTRACE_VERSION := 0.3.0

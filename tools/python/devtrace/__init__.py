# SPDX-License-Identifier: GPL-2.0-only
"""Read trace streams of devtrace.

    import devtrace
    for event in devtrace.open("board.trace"):
        print(event.time, event.name, event.text)

Documentation/python.rst explains the module.
"""

from ._devtrace import Column, Event, Reader, __version__, open  # noqa: A004

__all__ = ["Column", "Event", "Reader", "open"]

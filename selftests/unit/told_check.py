#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""
Count what a receiver got as entries of a journal or as messages of syslog, for test_told.sh.

    told_check.py journal|syslog FILE...    see count() of received.py
"""
import re
import sys

import received


def entries(data):
    for entry in data.split('\n\n'):
        fields = dict(line.split('=', 1) for line in entry.split('\n') if '=' in line)
        if fields:
            yield {k[len('DEVTRACE_'):].lower(): v for k, v in fields.items()
                   if k.startswith('DEVTRACE_')}


def messages(data):
    for structured in re.findall(r'\[devtrace@32473 ([^]]*)\]', data):
        d = dict(re.findall(r'(\w+)="([^"]*)"', structured))
        d['boot_id'] = d.pop('boot')
        yield d


form = {'journal': entries, 'syslog': messages}[sys.argv[1]]
found = [d for path in sys.argv[2:] for d in form(open(path).read())]
received.count((received.identity(d['boot_id'], d['stream'], d['name'], d), d['name'], d.get('count'))
               for d in found)

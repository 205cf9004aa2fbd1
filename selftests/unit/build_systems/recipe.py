#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""recipe.py - read a recipe as BitBake does, for test_build_systems.sh

    recipe.py script RECIPE VARIABLES    its tasks, as one shell script
    recipe.py packages RECIPE VARIABLES    each file below ${D}, with its package
    recipe.py value RECIPE VARIABLES NAME    a variable
    recipe.py sources RECIPE VARIABLES    the files of SRC_URI: file, and directory below WORKDIR

VARIABLES is a file of assignments that stand for bitbake.conf. The language is the part of
BitBake's that our recipes use; another line is an error.
"""
import fnmatch
import os
import re
import sys

ASSIGN = re.compile(r'^([A-Za-z_][\w:${}\[\]-]*)\s*(=|\?=|\?\?=|:=|\+=|=\+|\.=)\s*"(.*)"$', re.S)
FUNCTION = re.compile(r'^([a-z_]+(?::append|:prepend)?)\s*\(\)\s*\{$')
# Classes add this to a recipe, as far as it decides which files there are
CLASSES = {
    'bash-completion': 'PACKAGES:append = " ${PN}-bash-completion"\n'
               'FILES:${PN}-bash-completion = "${datadir}/bash-completion"\n',
    'module': 'EXTRA_OEMAKE:prepend = "KERNEL_SRC=${STAGING_KERNEL_DIR} "\n'
          'FILES:${PN} = "/lib/modules"\n',
    'ptest': 'PACKAGES =+ "${PN}-ptest"\nFILES:${PN}-ptest = "${libdir}/${BPN}/ptest"\n',
    'pkgconfig': '', 'systemd': '', 'update-rc.d': '', 'useradd': '',
}


class Recipe:
    def __init__(self, path, variables):
        self.vars, self.late, self.functions, self.inherited = {}, [], {}, []
        name, version = os.path.basename(path)[:-len('.bb')].split('_')
        self.vars.update(PN=name, BPN=name, PV=version, THISDIR=os.path.dirname(path))
        self.parse(variables)
        self.parse(path)
        for name, op, value in self.late:
            old = self.vars.get(name, '')
            self.vars[name] = old + value if op == 'append' else value + old

    def parse(self, path):
        self.dir = os.path.dirname(path)
        with open(path, encoding='utf-8') as f:
            self.lines(f.read(), path)

    def lines(self, text, where):
        lines = join(text)
        for line in lines:
            if not line.strip() or line.startswith('#'):
                continue
            if m := FUNCTION.match(line):
                body = []
                for line in lines:
                    if line == '}':
                        break
                    body.append(line)
                name, _, how = m[1].partition(':')
                old = self.functions.get(name, [])
                self.functions[name] = body + old if how == 'prepend' else \
                    old + body if how == 'append' else body
            elif line.startswith('require '):
                self.parse(os.path.join(self.dir, line.split()[1]))
            elif line.startswith('inherit '):
                for c in line.split()[1:]:
                    self.inherited.append(c)
                    self.lines(CLASSES[c], c)
            elif m := ASSIGN.match(line.strip()):
                self.assign(*m.groups())
            else:
                sys.exit(f'{where}: cannot read: {line}')

    def assign(self, name, op, value):
        name = self.expand(name)
        base, _, how = name.rpartition(':')
        if how in ('append', 'prepend'):
            self.late.append((base, how, self.expand(value) if op == ':=' else value))
            return
        old = self.vars.get(name)
        if op in ('?=', '??='):
            self.vars.setdefault(name, value)
        elif op == '+=':
            self.vars[name] = f'{old or ""} {value}'
        elif op == '=+':
            self.vars[name] = f'{value} {old or ""}'
        else:
            self.vars[name] = self.expand(value) if op == ':=' else \
                (old or '') + value if op == '.=' else value

    # The d of ${@...}
    def getVar(self, name):
        return self.expand(self.vars[name]) if name in self.vars else None

    def expand(self, text):
        for _ in range(20):
            new = re.sub(r'\$\{@([^}]*)\}', lambda m: str(eval(m[1], {'d': self})), text)
            new = re.sub(r'\$\{([A-Za-z_][\w-]*)\}', lambda m: self.vars.get(m[1], m[0]), new)
            if new == text:
                break
            text = new
        return text

    def config(self):
        """What PACKAGECONFIG passes to the build: of what is wanted, or of what is not"""
        wanted, args = self.getVar('PACKAGECONFIG') or '', []
        for name, value in self.vars.items():
            if m := re.match(r'PACKAGECONFIG\[(\w+)\]$', name):
                args.append(value.split(',')[0 if m[1] in wanted.split() else 1])
        self.vars['PACKAGECONFIG_CONFARGS'] = ' '.join(args)

    def script(self):
        self.config()
        out = ['set -e', 'oe_runmake() { ${MAKE} ${EXTRA_OEMAKE} "$@"; }', os.environ.get('CLASS', '')]
        for task in ('do_configure', 'do_compile', 'do_install'):
            body = self.functions.get(task, [])
            if 'module' in self.inherited and task != 'do_configure':
                body = [f'module_{task}'] + body
            out += ['cd ${B}', f'{task}() {{', *body, ':', '}', f'echo "{task}"', f'({task})']
        if 'ptest' in self.inherited:
            out.append('install -D ${WORKDIR}/run-ptest ${D}${libdir}/${BPN}/ptest/run-ptest')
        return self.expand('\n'.join(out))

    def packages(self):
        files = []
        for where, dirs, names in os.walk(root := self.getVar('D')):
            links = [d for d in dirs if os.path.islink(os.path.join(where, d))]
            empty = [] if dirs or names else ['']
            files += [os.path.join(where, n)[len(root):] for n in names + links + empty]
        for package in self.getVar('PACKAGES').split():
            for pattern in (self.getVar(f'FILES:{package}') or '').split():
                for f in list(files):
                    if any(fnmatch.fnmatchcase(p, pattern) and deep(p, pattern)
                           for p in parents(f)):
                        files.remove(f)
                        yield f'{package} {f}'
        yield from (f'unpackaged {f}' for f in files)

    def sources(self):
        for uri in self.getVar('SRC_URI').split():
            name, *params = uri[len('file://'):].split(';')
            for where in self.getVar('FILESEXTRAPATHS').split(':') + [f'{self.vars["THISDIR"]}/{self.vars["BPN"]}']:
                if where and os.path.exists(f'{where}/{name}'):
                    sub = dict(p.split('=') for p in params).get('subdir', '.')
                    yield f'{os.path.realpath(where)}/{name} {sub}'
                    break
            else:
                sys.exit(f'no {name} in FILESEXTRAPATHS')


def join(text):
    """Lines, of which those of variables that end with a backslash are one; of functions each"""
    inside, whole = False, ''
    for line in text.split('\n'):
        inside = inside or bool(FUNCTION.match(line))
        if not inside and line.endswith('\\'):
            whole += line[:-1] + ' '
            continue
        yield whole + line
        whole = ''
        inside = inside and line != '}'


def parents(path):
    while path not in ('/', ''):
        yield path
        path = os.path.dirname(path)


def deep(path, pattern):
    return path.count('/') == pattern.count('/')


recipe = Recipe(os.path.realpath(sys.argv[2]), sys.argv[3])
if sys.argv[1] == 'script':
    print(recipe.script())
elif sys.argv[1] == 'value':
    print(recipe.getVar(sys.argv[4]) or '')
else:
    print('\n'.join(sorted(getattr(recipe, sys.argv[1])())))

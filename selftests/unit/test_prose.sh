#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# test_prose.sh - selftests/prose finds each mistake that it is for, and nothing else
. "$(dirname "$0")/doc.sh"
prose=$top/selftests/prose
git -C "$top" ls-files --error-unmatch selftests/prose >/dev/null 2>&1 || {
	echo "1..0 # SKIP this tree is no checkout of git, which lists its files"
	exit 4
}

# finds WHY FILE TEXT: in a file with that text alone
finds()
{
	printf '%s\n' "$3" >"$tmp/$2"
	check "$2: $1" sh -c "'$prose' '$tmp/$2' >'$tmp/said'; [ \$? -eq 1 ] &&
		[ \$(wc -l <'$tmp/said') -eq 1 ] && grep -Fe \"$1\" '$tmp/said'"
}
silent()	# NAME FILE TEXT
{
	printf '%s\n' "$3" >"$tmp/$2"
	check "$2: $1" "$prose" "$tmp/$2"
}

finds "no_such_function() is not in the tree" a.c '/* See no_such_function(). */'
finds "no_such_file.c: no such file" a.rst 'The reader is in ``no_such_file.c``.'
finds "kmod/read/ring.c: no such file" a.c '/* As kmod/read/ring.c does. */'
finds "--no-such-option is not an option" a.1 '.Fl \-no-such-option
prints it; see \-\-no-such-option.'
for word in Who Whoever What Of Nobody Likewise; do
	finds "a sentence opens with '$word'" a.c "/* The lock is held. $word is there, waits. */"
	finds "a sentence opens with '$word'" README "$word is there, waits."
done
finds "a sentence opens with 'Those'" a.sh '# The rest stays. Those that went are counted.'
for word in vain thrown easy 'to be had' 'of its own accord'; do
	finds "'$word' is a private term" a.rst "It is $word here."
done
finds "a sentence opens with 'What'" b.rst 'A heading
=========

- What is lost is counted.'

silent "what exists" a.c '/* See ring_fetch() in kmod/ring/ring_read.c, and ring_read.c. */'
silent "names of others" a.c '/* As kernel/bpf/ringbuf.c does; stop_machine() runs it. */'
silent "options" a.rst '``traceinfo --summary`` prints tables.'
silent "a question, a noun, a quotation" a.c \
	'/* What is lost? Those events. It says "Who is there." and "easy". */'
silent "code and headings" a.rst 'What others do
==============

An example::

	Of all that is no sentence, no_such_function() is one.'
silent "strings" a.c 'static const char *s = "/* Of no_such_function() */";'

# The folders that are clean stay so
check "the tree" "$prose"
check "--help" sh -c "'$prose' --help | grep -q OPENERS"
done_testing

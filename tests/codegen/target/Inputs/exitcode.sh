#!/bin/sh
# exitcode N command...: succeeds if the command's exit code is N.
want=$1; shift
"$@"; got=$?
[ "$got" = "$want" ] || { echo "exit code $got, not $want" >&2; exit 1; }

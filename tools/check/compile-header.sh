#!/bin/sh
# Compiler launcher of the header self-test: runs the compiler with -fsyntax-only and makes the object the build expects.
"$@" || exit $?
while [ $# -gt 0 ]; do
  [ "$1" = "-o" ] && : > "$2"
  shift
done

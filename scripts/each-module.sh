#!/bin/sh
# Runs a command in each module of the repository, the root last, and stops at the first failure.
# `each-module.sh --nested COMMAND...` leaves the root out.
set -eu
cd "$(dirname "$0")/.."
. scripts/lib.sh

root=yes
if [ "$1" = --nested ]; then
	root=no
	shift
fi
for dir in $(modules); do
	if [ "$dir" != . ]; then
		in_dir "$dir" "$@"
	fi
done
if [ $root = yes ]; then
	"$@"
fi

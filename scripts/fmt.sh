#!/bin/sh
# Fails when a Go file is not gofmt'ed. Test data is left out: some of it is odd on purpose.
set -eu
cd "$(dirname "$0")/.."

bad=$(find . -name '*.go' -not -path '*/testdata/*' -not -path './.git/*' -exec gofmt -l {} +)
if [ -n "$bad" ]; then
	echo "not gofmt'ed:" >&2
	echo "$bad" >&2
	exit 1
fi

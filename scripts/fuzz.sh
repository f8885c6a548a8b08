#!/bin/sh
# Runs every fuzz target of every module for FUZZTIME (default 10s). Targets are found in the sources, so none is
# forgotten. FUZZ, a regular expression, narrows them by name.
set -eu
cd "$(dirname "$0")/.."
. scripts/lib.sh

fuzztime=${FUZZTIME:-10s}
only=${FUZZ:-.}
log=$(mktemp)
trap 'rm -f "$log"' EXIT

# run_target NAME DIR runs one target and leaves its output in $log.
run_target() {
	status=0
	in_dir "$module" go test -run='^$' -fuzz="^$1\$" -fuzztime="$fuzztime" "$2" >"$log" 2>&1 || status=$?
	cat "$log"
	return $status
}

count=0
failed=
for module in $(modules); do
	# Packages of nested modules belong to those.
	files=$(cd "$module" && find . -name '*_test.go' -not -path '*/testdata/*' -not -path './.git/*' |
		LC_ALL=C sort | xargs grep -lE '^func Fuzz[A-Za-z0-9_]*\(' 2>/dev/null || true)
	for file in $files; do
		dir=$(dirname "$file")
		owner=$dir
		while [ "$owner" != . ] && [ ! -f "$module/$owner/go.mod" ]; do owner=$(dirname "$owner"); done
		[ "$owner" = . ] || continue
		for target in $(sed -nE 's/^func (Fuzz[A-Za-z0-9_]*)\(.*/\1/p' "$module/$file" | grep -E "$only"); do
			count=$((count + 1))
			echo "fuzz $target in $module/${dir#./}"
			run_target "$target" "$dir" && continue
			# Go 1.26 may report its own deadline as a failure (golang.org/issue/75804): then nothing failed, and
			# there is no failing input. Once more decides.
			if grep -q 'context deadline exceeded' "$log" && ! grep -qE 'Failing input written|panic:' "$log"; then
				echo "fuzz $target once more: the deadline was reported as a failure"
				run_target "$target" "$dir" && continue
			fi
			failed="$failed $target"
		done
	done
done

if [ -n "$failed" ]; then
	echo "fuzz targets failed:$failed" >&2
	exit 1
fi
echo "fuzz: $count targets, $fuzztime each"

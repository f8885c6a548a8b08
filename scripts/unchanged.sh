#!/bin/sh
# Runs a command and fails when it changed the repository's files, new and removed ones included. On a clean tree this
# demands a clean tree afterwards; with work in progress it demands that the command leaves that work as it is.
set -eu
cd "$(dirname "$0")/.."

index=$(mktemp)
trap 'rm -f "$index"' EXIT

# tree prints the id of a git tree that holds every file that is not ignored, committed or not.
tree() {
	rm -f "$index"
	GIT_INDEX_FILE=$index git add --all . && GIT_INDEX_FILE=$index git write-tree
}

before=$(tree)
"$@"
after=$(tree)
if [ "$before" != "$after" ]; then
	echo "changed by: $*" >&2
	git diff --name-status "$before" "$after" >&2
	git diff "$before" "$after" | head -n 100 >&2
	echo "commit what the command writes, or mend what makes its output differ" >&2
	exit 1
fi

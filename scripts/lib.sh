# Sourced by the scripts beside it; the working directory is the repository root.

# modules prints the folder of each Go module that has code of ours: the root first, then those below it (such as
# tests/bench). Modules of test data are inputs of tests, and tools/ only pins tools.
modules() {
	find . -name go.mod -not -path '*/testdata/*' -not -path './.git/*' -not -path './tools/go.mod' |
		sed 's|/go\.mod$||' | LC_ALL=C sort
}

# in_dir runs a command in a folder and names the folder when it is not the root.
in_dir() (
	dir=$1
	shift
	[ "$dir" = . ] || printf '== in %s: %s\n' "$dir" "$*"
	cd "$dir" && "$@"
)

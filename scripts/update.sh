#!/bin/sh
# Rewrites everything that is derived: `go generate`, then the golden files of every test package that knows the
# switch TOOLGEN_UPDATE. A package knows it when its tests read it, or import a package of ours that reads it.
set -eu
cd "$(dirname "$0")/.."
. scripts/lib.sh

# files FIELD prints "<import path> <file>" for the files in one or two fields of `go list`.
files() {
	for field in "$@"; do
		go list -f "{{\$p := .}}{{range .$field}}{{\$p.ImportPath}} {{\$p.Dir}}/{{.}}{{\"\\n\"}}{{end}}" ./...
	done
}

# mentioning reads such lines and prints the packages whose file mentions the switch.
mentioning() {
	while read -r package file; do
		if grep -q TOOLGEN_UPDATE "$file"; then echo "$package"; fi
	done
}

# golden_packages prints the test packages of the current module that know the switch.
golden_packages() {
	files TestGoFiles XTestGoFiles | mentioning
	for helper in $(files GoFiles | mentioning | sort -u); do
		for field in TestImports XTestImports; do
			go list -f "{{\$p := .}}{{range .$field}}{{if eq . \"$helper\"}}{{\$p.ImportPath}}{{\"\\n\"}}{{end}}{{end}}" ./...
		done
	done
}

for module in $(modules); do
	in_dir "$module" go generate ./...
done
for module in $(modules); do
	packages=$(cd "$module" && golden_packages | LC_ALL=C sort -u)
	if [ -n "$packages" ]; then
		# -count=1, for a cached run would write nothing.
		in_dir "$module" env TOOLGEN_UPDATE=1 go test -short -count=1 $packages
	fi
done

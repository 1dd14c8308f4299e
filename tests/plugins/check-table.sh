#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Writes the tables of docs/check.md anew, from real runs:
#     abs_top_builddir=/build tests/plugins/check-table.sh docs/check.md
set -eu

: "${abs_top_srcdir:=$(cd "$(dirname "$0")/../.." && pwd)}"
: "${abs_top_builddir:=$abs_top_srcdir}"
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
source "$abs_top_srcdir/tests/sdk/mutants.bash"

faults() {
    local n out
    for n in "${!mutants[@]}"; do
        out=$(mutant_check $((n + 1)) "$dir" || true)
        awk -v fault="${mutants[n]%|*}" '$1 == "fail" || $1 == "crash" {
            check = $2; $1 = $2 = $3 = ""; sub(/^ +/, ""); gsub(/[^ \x27]*rhost-check\.[^\/]*\//, "")
            gsub(/\|/, "\\|"); printf "| %s | `%s` | %s |\n", fault, check, substr($0, 1, 160) }' <<<"$out"
    done
}

plugins() {
    local so name
    for so in "$abs_top_builddir"/plugins/.libs/*.so; do
        name=$(basename "$so" .so)
        "$abs_top_builddir/rhost" check "$so" --time-limit=60 --seed 1 \
            --fixture "$(find "$abs_top_srcdir/plugins" -name "$name.fixture.yaml")" |
            awk -v name="$name" '$1 == "pass" { pass++ } $1 == "fail" || $1 == "crash" { bad = bad " **" $2 "**" }
                $1 == "skip" { n++ }
                END { printf "| %s | %d%s | %d |\n", name, pass, bad, n + 0 }'
    done
}

faults >"$dir/faults"
plugins >"$dir/plugins"
awk -v dir="$dir" '
    /^\| fault \| caught/ { table = dir "/faults" }
    /^\| plugin \| passed/ { table = dir "/plugins" }
    /^\| --- / { print; while (table && (getline line <table) > 0) print line; skip = table != ""; table = ""; next }
    skip && /^\| / { next }
    { skip = 0; print }' "$1" >"$dir/page"
cp "$dir/page" "$1"

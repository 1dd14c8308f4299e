#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Prints what rhost says of each fault of the misbehaving plugin, as a table in Markdown, from real
# runs: abs_top_builddir=/build tests/plugins/table.sh >table.md
set -eu

: "${abs_top_srcdir:=$(cd "$(dirname "$0")/../.." && pwd)}"
: "${abs_top_builddir:=$abs_top_srcdir}"
BATS_TEST_TMPDIR=$(mktemp -d)
BATS_TEST_DIRNAME=$abs_top_srcdir/tests/plugins
trap 'rm -rf "$BATS_TEST_TMPDIR"' EXIT
source "$abs_top_srcdir/tests/lib.bash"
source "$abs_top_srcdir/tests/plugins/faults.bash"

run() {
    status=0
    output=$("$@" 2>&1) || status=$?
}

# What was said of it: the message of the resource, or else of the provider.
message() {
    local text
    text=$(grep -aE -A 3 "$type\[$(bad_title "$1")\]  " <<<"$output" |
        sed -n 's/^  failed: //p' | head -n 1) || true
    [ -n "$text" ] || text=$(grep -aE '^warning: |: error: ' <<<"$output" | grep -v 'unknown type' | head -n 1) || true
    [ -n "$text" ] || text='(nothing: it works)'
    sed -e "s|$BATS_TEST_TMPDIR/||g" -e 's/^warning: //' -e 's/|/\\|/g' -e 's/\(.\{200\}\).*/\1.../' <<<"$text"
}

row() {
    setup
    rm -rf "$BATS_TEST_TMPDIR/state" "${work:?}"/*
    strike "$@"
    printf '| %s | %s | %s | %s |\n' "$1" "$2" "$(message "$1")" "$status"
}

echo '| in | fault | message | exit |'
echo '|---|---|---|---|'
for at in create update remove load insync canonicalize act converge get set open close entry; do
    row "$at" crash
done
for how in abort stack divide kill exit 'quick exit' scribble alloc memory garbage 'close channel' \
    'close channel and hang' 'child and crash'; do
    row update "$how" --time-limit=60
done
for how in hang spin flood chatter; do
    row update "$how" --time-limit=1
done
for how in silent seven 'fail and go on' ugly print leak child umask directory talk; do
    row update "$how"
done
for how in 'wrong type' 'unknown attribute' 'no namevar' 'not canonical' 'no text' nul control deep \
    abyss wide large emit; do
    row load "$how"
done
for how in 'wrong namevar' 'no namevar' 'no hash' nothing 'very many'; do
    row get "$how"
done
for how in half 'half in scope' 'crash in scope' stranger 'late attribute' 'late block' 'open block' \
    'wrong end' 'no attribute' 'failing, then unchanged'; do
    row set "$how"
done

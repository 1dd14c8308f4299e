#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# docs/authors/abi.md, which docs/abi.awk makes of the headers.
source "${abs_top_srcdir:-$BATS_TEST_DIRNAME/../..}/tests/lib.bash"

page=$abs_top_srcdir/docs/authors/abi.md

make_page() {
    (cd "$abs_top_srcdir/sdk/rhost" &&
        LC_ALL=C "$1" -f "$abs_top_srcdir/docs/abi.awk" "${@:2}")
}

@test "the page is what the headers say; 'make abi-page' makes it anew" {
    make_page awk abi.h exec.h file.h path.h ids.h keep.h overlap.h private.h progress.h catalog.h program.h bridge.h >now
    diff -u "$page" now
}

@test "every awk makes the same page" {
    for awk in mawk gawk original-awk; do
        command -v $awk >/dev/null || continue
        make_page $awk abi.h exec.h file.h path.h ids.h keep.h overlap.h private.h progress.h catalog.h program.h bridge.h | cmp - "$page"
    done
}

@test "it has every member and every value whose place is promised" {
    # Rows, and in them the names of several members of one type.
    grep '^| `' "$page" | sed 's/^| `\(.*\)` |.*/\1/; s/ = .*//' >rows
    [ "$(wc -l <rows)" -gt 100 ]
    tr -cs 'A-Za-z0-9_' '\n' <rows | sort -u >names
    sed -nE 's/^rhost_[a-z_]+\.([a-z_]+) at .*/\1/p; s/^(RHOST_[A-Z_0-9]+) .*/\1/p' \
        "$abs_top_srcdir/tests/sdk/abi-1.layout" | sort -u >promised
    [ "$(wc -l <promised)" -gt 100 ]
    comm -13 names promised >missing
    cat missing
    [ ! -s missing ]
    for struct in $(sed -n 's/^struct \(rhost_[a-z_]*\),.*/\1/p' "$abs_top_srcdir/tests/sdk/abi-1.layout"); do
        echo "$struct"
        grep -q "^### struct $struct\$" "$page"
    done
}

@test "no word of a comment is lost" {
    for header in abi.h exec.h file.h path.h ids.h keep.h overlap.h private.h progress.h catalog.h program.h bridge.h; do
        # Comments outside of the bodies of functions, as words.
        grep -v SPDX "$abs_top_srcdir/sdk/rhost/$header" | sed '/^{/,/^}/d' |
            awk '{ all = all $0 "\n" }
                END {
                    while (match(all, /\/\*([^*]|\*+[^*\/])*\*+\//)) {
                        print substr(all, RSTART + 2, RLENGTH - 4)
                        all = substr(all, RSTART + RLENGTH)
                    }
                }' | tr -cs 'A-Za-z0-9_' '\n' | sort | uniq -c >"$header.words"
        make_page awk "$header" | tr -cs 'A-Za-z0-9_' '\n' | sort | uniq -c >"$header.page"
        awk 'NR == FNR { there[$2] = $1; next } there[$2] < $1 { print FILENAME ": " $2; bad = 1 } END { exit bad }' \
            "$header.page" "$header.words"
    done
}

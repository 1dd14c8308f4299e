#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# The table of what the specification requires and what proves it: whole, true, and up to date.
source "${abs_top_srcdir:-$BATS_TEST_DIRNAME/../..}/tests/lib.bash"

setup_file() {
    # In the tarball there is the page, and all that it is made of.
    cd "$abs_top_srcdir" && export LC_ALL=C || return
    marked=$(grep -lE '^(# |/\* )[SL][0-9]+( |:|$)' $(find tests plugins -name '*.bats' -o -name '*.c') | sort)
    export marked
}

page() {
    (cd "$abs_top_srcdir" && awk -f tests/tree/specification.awk "$@")
}

@test "each requirement has a test, and each mark a requirement" {
    page docs/evidence/specification.list $marked >/dev/null
}

@test "the page is up to date" {
    page docs/evidence/specification.list $marked >now
    diff -u "$abs_top_srcdir/docs/evidence/specification.md" now
}

@test "all 116 requirements and 6 limitations are in the list, once and in order" {
    sed -n 's/^\([SL][0-9]*\)\t.*/\1/p' "$abs_top_srcdir/docs/evidence/specification.list" >have
    { seq -f 'S%g' 116; seq -f 'L%g' 6; } | diff - have
}

@test "a requirement that loses its test is noticed" {
    run page docs/evidence/specification.list $(echo "$marked" | grep -v logging.bats)
    [ "$status" -eq 1 ]
    says "S99 is proved by no test: creating, updating and deleting open a block"
}

@test "a mark of what does not exist is noticed" {
    printf '# S117\n@test "too much" {\n}\n' >more.bats
    run page docs/evidence/specification.list $marked "$work/more.bats"
    [ "$status" -eq 1 ]
    says "more.bats:2: there is no S117"
}

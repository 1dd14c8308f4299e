#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# The benchmarks themselves: that they run, not how fast anything is.

source "${abs_top_srcdir:-$BATS_TEST_DIRNAME/../..}/tests/lib.bash"

@test "every case runs, and says what it measured" {
    run "$abs_top_srcdir/tests/bench/bench" --build="$abs_top_builddir" --sizes=50 --engine=50 \
        --rounds=1 --no-peers --work=. --json=figures.json
    status_is 0
    says '| 50 | floor | '
    says '### Engine alone'
    says '| 10,000 | json | '
    says_not inf
    says_not nan
    grep -q '"case": "chain", "n": 50, "contender": "loose"' figures.json
}

@test "a contender that does not do its work is no figure" {
    printf 'liar\t1\t-\t0\t\tfalse\n' >plan
    run "$abs_top_builddir/tests/bench/measure" <plan
    status_is 1
    says 'liar: exit status 1, expected 0'
}

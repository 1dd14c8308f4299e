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

@test "the table of notifications has every case, and each target is told" {
    run "$abs_top_srcdir/tests/bench/notify" "$abs_top_builddir" 100
    status_is 0
    for kind in delayed notify; do
        [[ $output =~ \|\ +100\ \|\ +$kind\ [^$'\n']*\|\ +10\ \| ]]
    done
    [[ $output =~ immediately\ [^$'\n']*\|\ +100\ \| ]]
}

@test "a contender that does not do its work is not a figure" {
    printf 'liar\t1\t-\t0\t\tfalse\n' >plan
    run "$abs_top_builddir/tests/bench/measure" <plan
    status_is 1
    says 'liar: exit status 1, expected 0'
}

# The host sent all that it had in hand, the worker kept its few answers back until it heard the
# rest, and both waited.
@test "a worker that is as quick as the host is fed to the end" {
    awk 'BEGIN {
        value = sprintf("%2000s", "")
        gsub(/ /, "x", value)
        print "resources:"
        for (i = 0; i < 3000; i++)
            printf "  - nothing: n%d\n    value: %s\n", i, value
    }' >much.yaml
    for _ in 1 2 3 4 5; do
        run timeout 20 "$abs_top_builddir/rhost" apply --state-dir "$BATS_TEST_TMPDIR/state" \
            --plugin-dir "$abs_top_builddir/tests/bench/.libs" much.yaml
        status_is 0
        says '3000 ok'
    done
}

@test "a large batch reaches get and set in parts, and every resource once" {
    seq 20481 | awk 'BEGIN { print "resources:" } { printf "  - nothing_get: n%d\n    value: x\n", $1 }' \
        >big.yaml
    run "$abs_top_builddir/rhost" apply --debug --state-dir "$BATS_TEST_TMPDIR/state" \
        --plugin-dir "$abs_top_builddir/tests/bench/.libs" big.yaml
    status_is 0
    says '20481 changed'
    # A part has at most 10,240, and is not small while there is more.
    for what in 'get, [0-9]* names' 'set, [0-9]* changes'; do
        grep -o "$what" <<<"$output" | awk '{ all += $2 } $2 > 10240 || (NR < 3 && $2 < 9000) { wrong = 1 }
            END { exit wrong || all != 20481 }'
    done
}

@test "the comparison of data types runs" {
    run sh "$abs_top_srcdir/tests/bench/data-type" --build="$abs_top_builddir" --times=1 --rounds=1 --no-peers
    status_is 0
    says '| rhost, with its start |'
}

@test "the costs of an author's choices have a line for each" {
    run sh "$abs_top_srcdir/tests/bench/provider" "$abs_top_builddir" 20 1
    echo "$output"
    status_is 0
    [ "$(grep -cE '^\| 20 \| [a-z ]+: [a-z(), ]+ \| [0-9.]+ \| [0-9.]+ \| [0-9.]+ \|$' <<<"$output")" -eq 9 ]
    [ "$(grep -c '| 1.0 |$' <<<"$output")" -ge 4 ]
}

@test "the comparison of languages has a line for each that is there" {
    requires_command c++
    run "$abs_top_srcdir/tests/bench/languages" "$abs_top_builddir" 10 1
    echo "$output"
    status_is 0
    says '| language | lines |'
    for language in C C++ Rust shell Python; do
        says "| $language | " || says "$language is left out"
    done
    says_not nan
}

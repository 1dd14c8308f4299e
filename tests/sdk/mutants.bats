#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# A good plugin passes rhost check; with one fault in it, the check that is about that fault fails, and
# no other.
source "${abs_top_srcdir:-$BATS_TEST_DIRNAME/../..}/tests/lib.bash"
source "$abs_top_srcdir/tests/sdk/mutants.bash"

@test "the good one passes all" {
    requires_command gcc
    run mutant_check 0 "$BATS_TEST_TMPDIR"
    status_is 0
    says 'pass writes'
    not grep -qvE '^(pass|skip) |^$|seed' <<<"$output"
}

@test "each fault is found by the check that is about it, and by that alone" {
    requires_command gcc
    local n
    for n in "${!mutants[@]}"; do
        run mutant_check $((n + 1)) "$BATS_TEST_TMPDIR"
        status_is 4
        caught=$(awk '$1 == "fail" || $1 == "crash" { print $2 }' <<<"$output")
        [ "$caught" = "${mutants[n]#*|}" ] && continue
        echo "what ${mutants[n]%|*} is caught by: $caught"
        echo "$output"
        return 1
    done
}

@test "docs/evidence/checks.md has a row for each of them" {
    local m
    for m in "${mutants[@]}"; do
        grep -qF "| ${m%|*} | \`${m#*|}\` | " "$abs_top_srcdir/docs/evidence/checks.md" && continue
        echo "it has none for: $m"
        return 1
    done
}

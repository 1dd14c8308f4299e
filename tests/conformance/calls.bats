#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# How often providers are called, in real runs.
source "${abs_top_srcdir:-$BATS_TEST_DIRNAME/../..}/tests/lib.bash"

# S34 S37 S47 S49 S71 S73
@test "the page about calls says what is so" {
    export RHOST_ISOLATION
    sh "$abs_top_srcdir/tests/conformance/calls.sh" "$abs_top_builddir" >calls.md
    diff -u "$abs_top_srcdir/docs/evidence/calls.md" calls.md
    # Whatever the page says, these are the promises.
    row() { grep -F "| $1 |" calls.md; }
    [ "$(row "apply 100, in sync")" = "| apply 100, in sync | 1 | 0 | 1 (100 names) | 0 | 1 | 0 |" ]
    [ "$(row "apply 100, to change")" = "| apply 100, to change | 1 | 1 (100 in it) | 1 (100 names) | 1 (100 in it) | 1 | 100 |" ]
    [ "$(row "apply 50, all absent")" = "| apply 50, all absent | 1 | 1 (50 in it) | 1 (50 names) | 1 (50 in it) | 1 | 50 |" ]
    [ "$(row "apply 100, get fails")" = "| apply 100, get fails | 1 | 0 | 1 (100 names) | 0 | 1 | 0 |" ]
}

# SPDX-License-Identifier: Apache-2.0

source "${abs_top_srcdir:-$BATS_TEST_DIRNAME/../..}/tests/lib.bash"

@test "no file is torn or empty after kill -9, and the next run converges" {
    requires_command pkill
    run "$abs_top_srcdir/tests/robust/kill-runs" "$abs_top_builddir/rhost" 15 "$work"
    echo "$output"
    status_is 0
}

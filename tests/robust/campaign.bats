# SPDX-License-Identifier: Apache-2.0
# An apply that is disturbed at one point: the short form of make check-campaign.

source "${abs_top_srcdir:-$BATS_TEST_DIRNAME/../..}/tests/lib.bash"

@test "an apply survives a failing system call, a kill, and missing memory" {
    requires_root
    TMPDIR=$work run "$abs_top_builddir/tests/robust/campaign" "$abs_top_builddir/core/rhost" \
        "$abs_top_builddir/plugins/.libs" "$abs_top_builddir/tests/robust/.libs/memory-fault.so" \
        "$abs_top_srcdir/tests/robust/stand-in" 12
    echo "$output"
    [ "$status" -ne 77 ] || skip "the tracer does not know this machine"
    status_is 0
    says " 0 violations"
}

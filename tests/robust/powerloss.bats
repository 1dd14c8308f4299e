# SPDX-License-Identifier: Apache-2.0
# What the disk may have when the power goes: the short form of make check-powerloss.

source "${abs_top_srcdir:-$BATS_TEST_DIRNAME/../..}/tests/lib.bash"

# STATES RECOVERIES [SYNC]
powerloss() {
    TMPDIR=$work "$abs_top_builddir/tests/robust/powerloss" "$abs_top_builddir/core/rhost" \
        "$abs_top_builddir/plugins/.libs" "$@"
}

@test "after a power loss each file is whole, the journal is true, and no notification is lost" {
    requires_root
    run powerloss 300 15
    echo "$output"
    [ "$status" -ne 77 ] || skip "the tracer does not know this machine"
    status_is 0
    says " 0 violations"
}

@test "the rig notices when nothing is synced" {
    requires_root
    for call in fdatasync fsync syncfs; do
        run powerloss 300 0 $call
        [ "$status" -ne 77 ] || skip "the tracer does not know this machine"
        echo "$call: ${lines[-1]}"
        status_is 1
    done
}

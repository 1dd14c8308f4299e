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
        run powerloss 40 0 $call
        [ "$status" -ne 77 ] || skip "the tracer does not know this machine"
        echo "$call: ${lines[-1]}"
        status_is 1
    done
}

# FILESYSTEM CUTS
power_cuts() {
    requires_root
    requires_command "mkfs.$1"
    requires_command jq
    unshare --mount true 2>/dev/null || skip "no mount namespaces here"
    losetup -f >/dev/null 2>&1 || skip "no loop devices here"
    mkdir "$work/$1"
    run unshare --mount "$abs_top_srcdir/tests/robust/power-cuts" "$abs_top_builddir/rhost" "$1" "$2" "$work/$1"
    echo "$output"
    status_is 0
}

@test "ext4: each file is whole when the power goes" {
    power_cuts ext4 4
}

@test "xfs: each file is whole when the power goes" {
    power_cuts xfs 2
}

@test "btrfs: each file is whole when the power goes" {
    power_cuts btrfs 2
}

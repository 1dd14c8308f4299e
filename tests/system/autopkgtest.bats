#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# The tests of debian/tests, as a distribution runs them: by autopkgtest, on a machine that boots, against the packages.
# By itself, since its machine has a compiler and takes a while to make: make check-autopkgtest.

source "${abs_top_srcdir:-$BATS_TEST_DIRNAME/../..}/tests/lib.bash"
source "$abs_top_srcdir/tests/system/machine.bash"

# The machine has no network: what the tests depend on is there from the start.
machine_fewer=$machine_packages
machine_packages+=,autopkgtest,bats,dpkg-dev,gcc,libc6-dev,make,pkg-config
machine_tarball=$(machine_tarball_of "$machine_packages")

sources_possible() {
    [ -d "$abs_top_srcdir/debian" ] || { echo "the tarball has no debian/"; return 1; }
}

setup_file() {
    machine_wanted sources_possible || return 0
    export machine=$BATS_FILE_TMPDIR/machine
    machine_base "$machine_tarball"
    machine_packages_built "$BATS_FILE_TMPDIR/packages"
    machine_make "$machine_tarball" "$machine"
    mkdir -p "$machine/packages" "$machine/source"
    find "$BATS_FILE_TMPDIR/packages" -name '*.deb' ! -name '*-dbgsym_*' -exec cp -t "$machine/packages" {} +
    cp -R "$abs_top_srcdir/debian" "$machine/source/"
    chmod -R u+w,a+rX "$machine/packages" "$machine/source"
    machine_boot "$machine"
    machine_run "$machine" useradd --create-home --shell /bin/sh tester
}

teardown_file() {
    machine_leave
}

eval "lib_$(declare -f setup)"
setup() {
    lib_setup
    [ -z "$MACHINE_WHY" ] || skip "$MACHINE_WHY"
}

# tried NAME...: autopkgtest, of what is in /source. Its status is 0 only if no test fails or is skipped.
tried() {
    run machine_run "$machine" sh -c 'autopkgtest "$@" --user=tester --no-built-binaries /packages/*.deb /source/ -- null' sh "$@"
}

@test "each test of debian/tests passes on a machine that boots" {
    local test

    tried
    status_is 0
    for test in $(sed -n 's/^Tests: //p' "$abs_top_srcdir/debian/tests/control" | tr -d ,); do
        grep -qE "^$test +PASS" <<<"$output"
    done
    [ "$(grep -cE '^[a-z-]+ +(PASS|SKIP|FAIL)' <<<"$output")" -ge 3 ]
}

@test "a test that fails is found" {
    printf '\nfalse\n' >>"$machine/source/debian/tests/converge"
    tried --test-name=converge
    [ "$status" -ne 0 ]
    grep -qE '^converge +FAIL' <<<"$output"
}

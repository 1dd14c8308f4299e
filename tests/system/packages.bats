# SPDX-License-Identifier: Apache-2.0
# rhost as a distribution ships it: packages built from a tarball, installed on a machine that boots,
# used, taken away again.

source "${abs_top_srcdir:-$BATS_TEST_DIRNAME/../..}/tests/lib.bash"
source "$abs_top_srcdir/tests/system/machine.bash"

setup_file() {
    local why

    export MACHINE_WHY=''
    why=$(machine_possible) || {
        MACHINE_WHY=$why
        return 0
    }
    export packages=$BATS_FILE_TMPDIR/packages machine=$BATS_FILE_TMPDIR/machine
    machine_base "$machine_tarball"
    machine_packages_built "$packages"
    machine_make "$machine_tarball" "$machine"
    mkdir "$machine/packages"
    cp "$packages"/*.deb "$machine/packages/"
    rm -f "$machine"/packages/*dbgsym*
    machine_boot "$machine"
}

teardown_file() {
    if [ -n "${machine-}" ]; then
        machine_stop "$machine"
        rm -rf --one-file-system "$machine"
    fi
}

on_the_machine() {
    [ -z "$MACHINE_WHY" ] || skip "$MACHINE_WHY"
    run machine_run "$machine" "$@"
}

@test "the packages install on a machine that boots" {
    on_the_machine sh -c 'dpkg -i /packages/rhost_*.deb /packages/rhost-plugins-base_*.deb'
    status_is 0
    on_the_machine rhost types
    status_is 0
    says "file file"
    on_the_machine systemctl is-enabled rhost.timer
    says "disabled"
}

@test "what plugins say of themselves was kept when they were installed" {
    on_the_machine test -s /var/cache/rhost/plugins.json
    status_is 0
}

@test "a manifest converges there, and the second time there is nothing to change" {
    on_the_machine rhost apply --detailed-exitcodes /usr/share/doc/rhost/examples/quickstart.yaml
    status_is 2
    on_the_machine rhost apply --detailed-exitcodes /usr/share/doc/rhost/examples/quickstart.yaml
    status_is 0
}

@test "the timer's service applies /etc/rhost/site.yaml" {
    on_the_machine sh -c 'printf "resources:\n  - file: /etc/from-timer\n    content: made\n" \
        >/etc/rhost/site.yaml && systemctl start rhost.service && cat /etc/from-timer'
    status_is 0
    says "made"
}

@test "a package says which types it provides, and which ABI it needs" {
    on_the_machine dpkg-query -W -f '${Provides}\n' rhost-plugins-base
    says "rhost-type-file"
    on_the_machine dpkg-query -W -f '${Depends}\n' rhost-plugins-base
    says "rhost-abi-1 (>= 0)"
}

@test "without its plugin a type is gone, with a clear message" {
    on_the_machine sh -c 'dpkg -r rhost-plugins-base && rhost apply /etc/rhost/site.yaml'
    status_is 1
    says "unknown type 'file'"
    on_the_machine sh -c 'dpkg -i /packages/rhost-plugins-base_*.deb && rhost apply /etc/rhost/site.yaml'
    status_is 0
}

@test "after a purge nothing is left" {
    on_the_machine sh -c 'rm /etc/rhost/site.yaml; dpkg --purge rhost-plugins-base rhost'
    status_is 0
    on_the_machine find / -xdev '(' -path /packages -o -path /proc -o -path /sys -o -path /var/log ')' -prune \
        -o -name '*rhost*' ! -name 'pam_rhosts*' -print
    [ -z "$output" ] || {
        echo "left behind:"
        echo "$output"
        return 1
    }
}

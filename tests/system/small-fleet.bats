#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# "A small fleet in a quarter of an hour" of docs/guides/fleet.md, as it is written there: two machines that boot, with the packages
# of this tree. What apt would get is on them already, and the agent looks more often.

source "${abs_top_srcdir:-$BATS_TEST_DIRNAME/../..}/tests/lib.bash"
source "$abs_top_srcdir/tests/system/machine.bash"
machine_with_services

setup_file() {
    machine_wanted || return 0
    export server=$BATS_FILE_TMPDIR/server web1=$BATS_FILE_TMPDIR/web1 packages=$BATS_FILE_TMPDIR/packages
    machine_base "$machine_tarball"
    machine_packages_built "$packages"
    for machine in "$server" "$web1"; do
        machine_make "$machine_tarball" "$machine"
        cp "$packages"/*.deb "$machine/root/"
        basename "$machine" >"$machine/etc/hostname"
        ln -s /dev/null "$machine/etc/systemd/system/postgresql.service"
        ln -s /dev/null "$machine/etc/systemd/system/ssh.service"
    done
    ln -s /dev/null "$web1/etc/systemd/system/nginx.service" # they share a network
    echo '127.0.0.1 localhost cfg.example.org' >"$web1/etc/hosts"
    machine_boot "$server"
    machine_network=--network-namespace-path=/proc/$(cat "$server.leader")/ns/net machine_boot "$web1"
}

teardown_file() {
    local machine
    for machine in "${web1-}" "${server-}"; do
        [ -z "$machine" ] || machine_leave
    done
}

# The commands of a step.
commands_of() {
    awk -v step="$1." '/^## /{ on = 0 } /^## A small fleet/ { on = 1 } on && /^[0-9]+\./ { ours = $1 == step } on && ours && sub(/^        /, "")' \
        "$abs_top_srcdir/docs/guides/fleet.md" \
        | sed -e '/^apt update$/d' -e 's/^apt install \(.*\.deb\).*/dpkg -i \1/' -e 's/interval: 1m/interval: 10s/' -e 's/^sleep 60$/sleep 15/'
}

# step MACHINE NUMBER
step() {
    commands_of "$2" >"$1/root/step"
    [ -s "$1/root/step" ]
    echo "# step $2"
    run machine_run "$1" sh -euc 'cd /root; umask 022; . ./step' </dev/null
    echo "$output"
    [ "$status" -eq 0 ] || machine_run "$1" journalctl --no-pager -n 20
    status_is 0
}

@test "the small fleet of the manual is there in the end, by its commands alone" {
    [ -z "$MACHINE_WHY" ] || skip "$MACHINE_WHY"
    for number in 1 2 3 4 5; do
        step "$server" $number
    done
    step "$web1" 6
    cp "$web1/root/web1.csr" "$server/root/"
    step "$server" 7
    cp "$server/root/web1.pem" "$web1/etc/rhost/agent.pem"
    cp "$server/etc/nginx/server.pem" "$server/etc/rhost/allowed_signers" "$web1/etc/rhost/"
    step "$web1" 9
    until_true grep -qx 'managed by rhost' "$web1/etc/motd"
    until_true eval 'machine_run "$server" rhost fleet status | grep -q "^web1 "'
    step "$server" 10
    says '1 host: 1 '
    step "$server" 11
    says '1 would change'
    says 'finished: revision 2'
    is "$(cat "$web1/etc/motd")" 'managed by rhost, revision 2'
    is "$(machine_run "$server" ls -A /srv/reports/web1)" ''
    is "$(machine_run "$server" rhost fleet query 'SELECT count(*) FROM fleet_gaps' --format=json)" '[{"count(*)": 0}]'
}

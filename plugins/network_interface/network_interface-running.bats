#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# On a machine that boots with systemd, with an interface that networkd configures.
source "${abs_top_srcdir:-$BATS_TEST_DIRNAME/../..}/tests/lib.bash"
source "$abs_top_srcdir/tests/system/service.bash"

machine_with_services

setup_file() {
    machine_wanted || return 0
    export machine=$BATS_FILE_TMPDIR/machine
    machine_with_rhost
    rm -f "$machine"/etc/systemd/system/multi-user.target.wants/{nginx,postgresql,ssh}.service
    machine_boot "$machine"
    inside sh -ec 'ip link add uplink type veth peer name far
        ip link set far up
        systemctl -q start systemd-networkd'
}

setup() {
    work_open
    [ -z "$MACHINE_WHY" ] || skip "$MACHINE_WHY"
    inside rm -rf /etc/systemd/network
    inside mkdir /etc/systemd/network
    inside networkctl reload
}

network=/etc/systemd/network

addresses() {
    inside ip -oneline address show dev uplink scope global | awk '{ print $4 }' | sort | tr '\n' ' '
}

routes() {
    inside sh -c 'ip route show dev uplink proto static; ip -6 route show dev uplink proto static' | sed 's/ *$//' | LC_ALL=C sort
}

one='{network_interface: uplink, addresses: [192.0.2.10/24, "2001:db8::10/64"], gateway: [192.0.2.1, "fe80::1"],
    routes: [{destination: 198.51.100.0/24, gateway: 192.0.2.2, metric: 50}], dns: 192.0.2.53, domains: example.org, mtu: 1400}'
one=${one//$'\n'/}

is_one() {
    is "$(addresses)" '192.0.2.10/24 2001:db8::10/64 '
    is "$(routes)" '198.51.100.0/24 via 192.0.2.2 metric 50
default via 192.0.2.1
default via fe80::1 metric 1024 pref medium'
}

@test "addresses, routes and the MTU are on the interface, and drift is repaired" {
    for RHOST_ISOLATION in confined none; do
        inside rm -f $network/uplink.network
        inside networkctl reload
        applied "$one"
        is_one
        [[ $(inside ip link show dev uplink) == *'mtu 1400 '* ]]
        has_server() { [[ $(inside networkctl status uplink) == *192.0.2.53*example.org* ]]; }
        until_true has_server
        inside ip address del 192.0.2.10/24 dev uplink
        with 2 apply --noop "$one"
        says 'addresses  uplink lacks the address 192.0.2.10/24'
        applied "$one"
        is_one
        inside ip -6 route del default
        with 1 apply "$one"
        says 'gateway  uplink lacks the gateway fe80::1'
        is_one
    done
    # By hand, and networkd does not know of it.
    sleep 0.1
    inside sed -i 's/192.0.2.53/192.0.2.54/' $network/uplink.network
    with 1 apply '{network_interface: uplink, dns: 192.0.2.54}'
    says 'uplink.network'"' was changed after systemd-networkd has configured uplink"
    has_server() { [[ $(inside networkctl status uplink) == *192.0.2.54* ]]; }
    until_true has_server
    inside ip link set uplink down
    applied "$one"
    is_one
}

@test "an undo brings back the file and what the interface had" {
    applied "$one"
    inside cp $network/uplink.network /root/before
    with 1 apply '{network_interface: uplink, addresses: 192.0.2.20/24, gateway: 192.0.2.254, routes: [], mtu: auto}'
    status_is 0
    is "$(addresses)" '192.0.2.20/24 '
    is "$(routes)" 'default via 192.0.2.254'
    run rhost undo last
    status_is 0
    is_one
    inside cmp /root/before $network/uplink.network
    with 1 apply '{network_interface: uplink, ensure: absent}'
    has_none() { [ -z "$(addresses)" ]; }
    until_true has_none
    run rhost undo last
    status_is 0
    is_one
}

@test "a configuration that is not confirmed is taken back" {
    applied "$one"
    with 2 apply --confirm-within=2s '{network_interface: uplink, addresses: 192.0.2.66/24, gateway: 192.0.2.1}'
    is_back() { [ "$(addresses)" = '192.0.2.10/24 2001:db8::10/64 ' ]; }
    until_true is_back
    is_one
}

@test "what networkd does not take is said" {
    printf '[Match]\nType=ether\n[Network]\nAddress=192.0.2.77/24\n' >"$machine$network/05-all.network"
    inside networkctl reload
    fails "it is configured by '$network/05-all.network'" '{network_interface: uplink, addresses: 192.0.2.10/24}'
    inside rm $network/05-all.network
    # The link is up, and nobody is at the other end.
    inside ip link set far down
    with 1 apply '{network_interface: uplink, addresses: 192.0.2.10/24}'
    status_is 0
    inside ip link set far up
    has_it() { [ "$(addresses)" = '192.0.2.10/24 ' ]; }
    until_true has_it
    # networkd is stopped: what was written counts when it starts.
    inside systemctl -q stop systemd-networkd.socket systemd-networkd
    with 1 apply '{network_interface: uplink, addresses: 192.0.2.11/24}'
    status_is 0
    says 'systemd-networkd does not run'
    inside systemctl -q start systemd-networkd
    has_it() { [[ $(addresses) == *'192.0.2.11/24 '* ]]; }
    until_true has_it
}

@test "what is listed and applied is no change" {
    applied "$one"
    rhost resource network_interface >"$machine/root/listed.yaml"
    grep -q 'network_interface: uplink' "$machine/root/listed.yaml"
    run rhost apply --noop --detailed-exitcodes /root/listed.yaml
    status_is 0
}

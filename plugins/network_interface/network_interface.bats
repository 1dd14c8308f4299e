#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Files in a directory of the test. What networkd is asked goes to stand-ins for its tools, which have an interface that
# exists everywhere, lo. network_interface-running.bats has a machine with networkd.
source "${abs_top_srcdir:-$BATS_TEST_DIRNAME/../..}/tests/lib.bash"
source "$abs_top_srcdir/tests/one.bash"

setup() {
    work_open
    mkdir -p net
}

# The file of the test alone.
interface() {
    one 'network_interface: eth0' 'apply: false' "directory: $work/net" -- "$@"
}

file=net/eth0.network

# bats test_tags=inline
@test "a new file has all that was given" {
    for RHOST_ISOLATION in $isolations; do
        rm -f $file
        interface converges <<'END'
addresses: [192.0.2.10/24, "2001:DB8:0::10/64"]
gateway: [192.0.2.1, "FE80::1"]
dns: ["2001:db8:0::53", "192.0.2.53:5353", "[2001:db8::1]:53#dns.example"]
domains: [example.org., ~example.net]
routes: [{destination: 198.51.100.9/24, gateway: 192.0.2.2, metric: 50}, {gateway: 203.0.113.1, onlink: true}]
mtu: 1400
dhcp: ipv6
match: "  eth0   en* "
END
        diff - $file <<'END'
[Match]
Name=eth0 en*

[Network]
DHCP=ipv6
Address=192.0.2.10/24
Address=2001:db8::10/64
Gateway=192.0.2.1
Gateway=fe80::1
DNS=2001:db8::53 192.0.2.53:5353 [2001:db8::1]:53#dns.example
Domains=example.org ~example.net

[Route]
Destination=198.51.100.0/24
Gateway=192.0.2.2
Metric=50

[Route]
Destination=0.0.0.0/0
Gateway=203.0.113.1
GatewayOnLink=yes

[Link]
MTUBytes=1400
END
        is "$(mode_of $file)" 644
    done
    one 'network_interface: eth1' 'apply: false' "directory: $work/net" -- converges <<<'dhcp: yes'
    is "$(<net/eth1.network)" $'[Match]\nName=eth1\n\n[Network]\nDHCP=yes'
}

existing() {
    cat >$file <<'END'
# The uplink.
[Match]
Name=eth0
MACAddress=52:54:00:12:34:56

[Network]
LLMNR=no
DHCP=true
# the first
Address=192.0.2.10/24
Address = 192.0.2.11/24
DNS=192.0.2.53 \
# within
    192.0.2.54
NTP=ntp.example.org

[Address]
# with a label
Address=192.0.2.12/24
Label=eth0:1

[Route]
Destination=198.51.100.0/24
Gateway=192.0.2.1

[Route]
Destination=203.0.113.0/24
Gateway=192.0.2.1
Table=7

# the end
[Link]
MTUBytes=2K
END
    chmod 640 $file
}

# bats test_tags=inline
@test "comments and what is not known stay in a file that exists" {
    for RHOST_ISOLATION in $isolations; do
        existing
        cp $file before
        interface is_in_sync <<'END'
dhcp: true
addresses: [192.0.2.12/24, 192.0.2.10/24, 192.0.2.11/24]
dns: [192.0.2.53, 192.0.2.54]
domains: []
routes: [{destination: 198.51.100.0/24, gateway: 192.0.2.1}]
mtu: 2048
END
        cmp before $file
        interface converges <<'END'
dhcp: false
addresses: [192.0.2.10/24, 192.0.2.20/24]
dns: 192.0.2.55
routes: [{destination: 10.0.0.0/8, gateway: 192.0.2.1}]
mtu: auto
END
        diff - $file <<'END'
# The uplink.
[Match]
Name=eth0
MACAddress=52:54:00:12:34:56

[Network]
LLMNR=no
DHCP=no
# the first
Address=192.0.2.10/24
Address=192.0.2.20/24
DNS=192.0.2.55
NTP=ntp.example.org

[Route]
Destination=203.0.113.0/24
Gateway=192.0.2.1
Table=7

# the end

[Route]
Destination=10.0.0.0/8
Gateway=192.0.2.1
END
        is "$(mode_of $file)" 640
    done
}

@test "an empty setting takes back those before it, and the last of several counts" {
    printf '[Match]\nName=eth0\n[Network]\nDNS=192.0.2.1\nDNS=\nDNS=192.0.2.2\nDHCP=yes\nDHCP=v4\n' >$file
    interface is_in_sync <<<$'dns: 192.0.2.2\ndhcp: ipv4'
    interface converges <<<'dhcp: ipv6'
    is "$(grep -c DHCP $file)" 1
}

@test "what is no value in the file gives way" {
    printf '[Match]\nName=eth0\n[Network]\nAddress=192.0.2.300/24\nDHCP=maybe\n[Link]\nMTUBytes=x\n' >$file
    interface converges <<<$'addresses: 192.0.2.30/24\ndhcp: false\nmtu: 1500'
    is "$(<$file)" $'[Match]\nName=eth0\n[Network]\nAddress=192.0.2.30/24\nDHCP=no\n[Link]\nMTUBytes=1500'
}

@test "a file that is to be absent goes, alone" {
    existing
    cp $file net/eth1.network
    interface converges <<<'ensure: absent'
    [ ! -e $file ]
    [ -e net/eth1.network ]
}

validated() {
    cat >site.yaml
    run rhost validate site.yaml
}

refused() {
    interface validated <<<"$2"
    [ "$status" -ne 0 ] || { echo "taken: $2"; return 1; }
    says "$1"
}

@test "what would cut the machine off is refused before anything is written" {
    refused "'192.0.2.300/24' is not an IP address" 'addresses: 192.0.2.300/24'
    refused "'192.0.2.3' has no length of a prefix: write 192.0.2.3/24" 'addresses: [192.0.2.3]'
    refused "it is the address of the network" 'addresses: 192.0.2.0/24'
    refused "it is the broadcast address" 'addresses: 192.0.2.255/24'
    refused "it is a multicast address" 'addresses: "ff02::1/64"'
    refused "duplicate '2001:db8::1/64'" 'addresses: ["2001:db8::1/64", "2001:DB8:0::1/64"]'
    refused "gateway '198.51.100.1' is in no network of 'addresses'" $'addresses: 192.0.2.3/24\ngateway: 198.51.100.1'
    refused "gateway '192.0.2.3' is an address of the interface itself" $'addresses: 192.0.2.3/24\ngateway: 192.0.2.3'
    refused "gateway '2001:db8::1' cannot be reached: the interface has no IPv6 address" \
        $'addresses: 192.0.2.3/24\ngateway: "2001:db8::1"'
    refused "gateway '198.51.100.1' is in no network" \
        $'addresses: 192.0.2.3/24\nroutes: [{destination: 10.0.0.0/8, gateway: 198.51.100.1}]'
    refused "is of another family than the destination" 'routes: [{destination: 10.0.0.0/8, gateway: "fe80::1"}]'
    refused "a route needs a 'destination' or a 'gateway'" 'routes: [{metric: 1}]'
    refused "'ns.example.org' is not the IP address of a DNS server" 'dns: ns.example.org'
    refused "a label is empty" 'domains: example..org'
    refused "IPv6 needs an MTU of 1280" $'addresses: "2001:db8::1/64"\nmtu: 1000'
    # Reachable: by DHCP, a link-local address, a route to it, at the other end, on the link.
    interface converges <<<$'dhcp: true\naddresses: 192.0.2.3/24\ngateway: 198.51.100.1'
    interface converges <<<$'dhcp: false\naddresses: 192.0.2.3/24\ngateway: "fe80::1"'
    interface converges <<<$'addresses: 192.0.2.3/24\ngateway: 198.51.100.1\nroutes: [{destination: 198.51.100.1}]'
    interface converges <<<$'addresses: 192.0.2.3/32\ngateway: 198.51.100.1\nroutes: []'
    interface converges <<<$'addresses: 192.0.2.3/24\ngateway: []\nroutes: [{gateway: 198.51.100.1, onlink: true}]'
    # What the manifest does not say is in the file.
    cp $file kept
    interface fails "gateway '198.51.100.1' is in no network" <<<'gateway: 198.51.100.1'
    cmp kept $file
    interface fails "a file that matches no interface" <<<'match: ""'
    cmp kept $file
}

@test "links and masks are left alone" {
    ln -s /dev/null $file
    interface fails 'is masked, by a link to /dev/null' <<<'dhcp: yes'
    ln -sf elsewhere $file
    interface fails "is a link to 'elsewhere', which rhost does not replace" <<<'ensure: absent'
    [ -L $file ]
}

# --- A machine of the test, with stand-ins for the tools of networkd. ---------------------------------

machine() {
    requires_root
    requires_command systemctl networkctl ip
    mkdir -p etc
    touch active
    : >address
    cat >systemctl <<'END'
#!/bin/sh
[ ! -e WORK/systemctl.trouble ] || { . WORK/systemctl.trouble; exit 1; }
[ -e WORK/active ] && echo active || { echo inactive; exit 3; }
END
    # It reads the file as networkd does: an address, and the route through the gateway.
    cat >networkctl <<'END'
#!/bin/sh
file=/etc/systemd/network/lo.network
case $* in
*status*)
    [ ! -e WORK/status.trouble ] || { . WORK/status.trouble; exit 1; }
    echo "* 1: lo"; echo "    Network File: $(cat WORK/uses)"
    ;;
*)
    echo "$*" >>WORK/called
    [ ! -e WORK/trouble ] || { . WORK/trouble; exit 1; }
    { [ -e $file ] && echo $file || echo n/a; } >WORK/uses
    sed -n 's/^Address=/    inet /p' $file >WORK/address 2>/dev/null
    sed -n 's/^Gateway=/default via /p' $file >WORK/route 2>/dev/null
    touch /run/systemd/netif/links/1
    [ ! -e WORK/after ] || { rm WORK/trouble WORK/after 2>/dev/null; kill -9 $$; }
    ;;
esac
END
    cat >ip <<'END'
#!/bin/sh
[ ! -e WORK/ip.trouble ] || { . WORK/ip.trouble; exit 1; }
case $* in
address*) echo "1: lo: <LOOPBACK,UP,LOWER_UP> mtu 65536"; cat WORK/address ;;
-4*) cat WORK/route ;;
esac
END
    sed -i "s|WORK|$work|g" systemctl networkctl ip
    echo n/a >uses
    cat >rhost-inside <<END
#!/bin/sh
exec unshare -m sh -c 'mount -t tmpfs tmpfs /run && mkdir -p /run/systemd/system /run/systemd/netif/links &&
{ [ ! -e $work/image ] || { mkdir /run/rhost && touch /run/rhost/image; }; } &&
if [ -e $work/stale ]; then touch -d "1970-01-02" /run/systemd/netif/links/1; else touch /run/systemd/netif/links/1; fi &&
mount --bind $work/etc /etc/systemd/network && { [ ! -e $work/frozen ] || mount -o remount,bind,ro /etc/systemd/network; } &&
for tool in systemctl networkctl ip; do mount --bind $work/\$tool "\$(readlink -f "\$(command -v \$tool)")"; done &&
exec "\$@"' sh $abs_top_builddir/rhost "\$@"
END
    chmod 755 systemctl networkctl ip rhost-inside
    RHOST=$work/rhost-inside
}

lo() {
    one 'network_interface: lo' -- "$@"
}

good=$'addresses: 192.0.2.10/24\ngateway: 192.0.2.1'

# bats test_tags=inline
@test "networkd is told, and drift is repaired" {
    machine
    for RHOST_ISOLATION in $isolations; do
        rm -f etc/* called
        : >address
        lo converges <<<"$good"
        is "$(<called)" reload
        echo '    inet 192.0.2.77/24' >address
        lo run apply <<<"$good"
        says 'addresses  lo lacks the address 192.0.2.10/24'
        is "$(<called)" $'reload\nreconfigure -- lo'
        : >route
        lo run apply --noop <<<"$good"
        says 'gateway  lo lacks the gateway 192.0.2.1'
        is "$(<called)" $'reload\nreconfigure -- lo'
        lo converges <<<"$good"
        # It was changed, and nobody has told networkd.
        touch stale
        lo run apply --noop <<<"$good"
        says "'/etc/systemd/network/lo.network' was changed after systemd-networkd has configured lo"
        rm stale
        lo converges <<<'ensure: absent'
        is "$(tail -n 1 called)" reload
        [ ! -e etc/lo.network ]
    done
}

@test "in an image only the file is written" {
    machine
    touch image
    echo 'exit 1' >systemctl.trouble
    lo converges <<<"$good"
    [ -e etc/lo.network ]
    lo converges <<<'ensure: absent'
    [ ! -e called ]
}

@test "where networkd does not run, or has no such interface, the file is written" {
    machine
    rm active
    lo run apply <<<"$good"
    status_is 0
    says 'systemd-networkd does not run: the file takes effect when it starts'
    [ ! -e called ]
    lo is_in_sync <<<"$good"
    touch active
    one 'network_interface: rhost-none' -- run apply <<<'dhcp: yes'
    status_is 0
    says "interface 'rhost-none' does not exist yet"
    is "$(<called)" reload
}

@test "what is listed and applied is no change" {
    machine
    rm active
    file=etc/eth0.network existing
    printf '[Match]\nType=ether\n[Network]\nDHCP=yes\nGateway=_dhcp4\n[Route]\nGateway=_ipv6ra\n' >etc/other.network
    ln -s /dev/null etc/masked.network
    rhost resource network_interface >listed.yaml
    is "$(grep -c network_interface: listed.yaml)" 2
    run rhost apply --noop --detailed-exitcodes listed.yaml
    status_is 0
}

# What a shell script does in the place of the tool; the file is as it was, and the next run does what failed.
trouble() {
    local where=$1 message=$2
    [ ! -e etc/lo.network ]
    cat >"$where"
    lo run apply <<<"$good"
    rm -f "$where"
    [ "$status" -ne 0 ] || { echo "taken: $message"; return 1; }
    says "$message"
    [ ! -e etc/lo.network ]
}

@test "troubles of the tools leave the file as it was" {
    machine
    trouble trouble "'networkctl reload' failed: Failed to reload network settings: Access denied" \
        <<<'echo "Failed to reload network settings: Access denied" >&2'
    trouble trouble 'signal 9 ended it' <<<'kill -9 $$'
    trouble trouble 'it ended with status 1 and gives no reason' <<<':'
    trouble systemctl.trouble 'systemctl cannot tell whether systemd-networkd runs: Failed to connect to bus' \
        <<<'echo "Failed to connect to bus" >&2'
    trouble systemctl.trouble 'systemctl cannot tell' <<<'echo rubbish; exit 0'
    # It did its work, and was killed: networkd reads the former file again.
    touch after
    trouble kept "'networkctl reload' failed: signal 9" <<<''
    is "$(<uses)" n/a
    lo converges <<<"$good"
}

@test "tools that are missing or can't be run" {
    machine
    sed -i '1s|.*|#!/missing/sh|' networkctl
    lo fails networkctl <<<"$good"
    [ ! -e etc/lo.network ]
    chmod 644 networkctl
    lo fails networkctl <<<"$good"
    [ ! -e etc/lo.network ]
}

@test "an interface that can't be looked at fails, and the next run goes on" {
    machine
    echo 'echo "Cannot find device" >&2' >ip.trouble
    lo run apply <<<"$good"
    [ "$status" -ne 0 ]
    says 'ip cannot show the interface: Cannot find device'
    rm ip.trouble
    lo run apply <<<"$good"
    status_is 0
    echo 'echo "Interface \"lo\" not found." >&2' >status.trouble
    lo run apply <<<"$good"
    [ "$status" -ne 0 ]
    says "networkctl cannot tell the file of the interface 'lo': Interface \"lo\" not found."
    echo 'exit 0' >status.trouble
    lo run apply <<<"$good"
    says "its output has none"
}

@test "a file that comes first, drop-ins and a directory that can't be written" {
    machine
    printf '[Match]\nName=l*\n' >etc/05-all.network
    lo fails "systemd-networkd takes '/etc/systemd/network/05-all.network' for it, whose name comes first" <<<"$good"
    [ ! -e etc/lo.network ]
    ln -sf /dev/null etc/05-all.network
    lo converges <<<"$good"
    mkdir etc/lo.network.d
    printf '[Network]\nDHCP=yes\n' >etc/lo.network.d/x.conf
    lo fails "'/etc/systemd/network/lo.network.d/x.conf' sets 'DHCP' as well" <<<'dhcp: ipv4'
    lo run apply <<<$'dhcp: no\n'"$good"
    status_is 0
    says "sets 'DHCP' as well: what it says counts"
    rm -r etc/lo.network.d
    touch frozen
    lo run apply <<<'mtu: 1400'
    [ "$status" -ne 0 ]
    says 'Read-only file system'
    rm frozen
    lo run apply <<<'mtu: 1400'
    status_is 0
}

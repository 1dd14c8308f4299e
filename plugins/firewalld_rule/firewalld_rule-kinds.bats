#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# All that a zone can have, where firewalld does not run.
source "${abs_top_srcdir:-$BATS_TEST_DIRNAME/../..}/tests/lib.bash"
source "$abs_top_srcdir/plugins/firewalld_rule/firewalld.bash"

setup() {
    work_open
    firewall_open "$work/firewall"
    firewall_use "$work/firewall"
}

teardown() {
    firewall_close "$work/firewall"
}

@test "the zone gets each kind of rule by the offline tool" {
    cat >site.yaml <<'END'
resources:
  - firewalld_rule: public service https
  - firewalld_rule: public port 8080-8090/tcp
  - {firewalld_rule: public port 8085-8095/tcp, join: true}
  - {firewalld_rule: a range inside, zone: public, kind: port, value: 8081/tcp, join: true}
  - firewalld_rule: public source_port 99/udp
  - firewalld_rule: public protocol ah
  - firewalld_rule: public icmp_block echo-request
  - firewalld_rule: public source 192.0.2.0/255.255.255.0
  - firewalld_rule: public source aa:bb:cc:dd:ee:ff
  - firewalld_rule: public source 2001:DB8:0::/32
  - firewalld_rule: public interface eth0
  - firewalld_rule: public masquerade
  - firewalld_rule: public icmp_block_inversion
  - {firewalld_rule: public forward, ensure: absent}
  - {firewalld_rule: public service ssh, ensure: absent}
  - firewalld_rule: public forward_port proto=tcp:port=80:toport=8080
  - firewalld_rule: public forward_port port=81:proto=tcp:toaddr=2001:db8::1
  - firewalld_rule: "public rich_rule rule accept family=ipv4 source address=10.0.0.0/8 not service name='ssh' log limit value=1/m prefix='a b'"
END
    run rhost apply -v --detailed-exitcodes site.yaml
    status_is 2
    says 'firewalld does not run: firewall-offline-cmd reads and changes its permanent configuration'
    within firewall-offline-cmd --zone=public --list-all | sed -e 1,2d -e 's/ *$//' >is
    printf '%s\n' '  icmp-block-inversion: yes' '  interfaces: eth0' \
        '  sources: 192.0.2.0/24 AA:BB:CC:DD:EE:FF 2001:db8::/32' '  services: dhcpv6-client https' \
        '  ports: 8080-8095/tcp' '  protocols: ah' '  forward: no' '  masquerade: yes' '  forward-ports:' \
        $'\tport=80:proto=tcp:toport=8080:toaddr=' $'\tport=81:proto=tcp:toport=:toaddr=2001:db8::1' \
        '  source-ports: 99/udp' '  icmp-blocks: echo-request' '  rich rules:' \
        $'\trule family="ipv4" source NOT address="10.0.0.0/8" service name="ssh" log prefix="a b" limit value="1/m" accept' |
        diff - is
    run rhost apply --detailed-exitcodes site.yaml
    status_is 0
}

@test "ports that a zone has in part are neither added nor removed, unless they may join them" {
    within firewall-offline-cmd --zone=public --add-port=8080-8090/tcp
    refused() {
        run apply --noop <<<"resources: [{firewalld_rule: $1}]"
        says "failed: $2"
        run apply <<<"resources: [{firewalld_rule: $1}]"
        status_is 4
        says "failed: $2"
        is "$(within firewall-offline-cmd --zone=public --list-ports)" 8080-8090/tcp
    }
    refused 'public port 8000-8100/tcp' "zone 'public' has '8080-8090/tcp', and firewalld joins both: 'join: true' permits it"
    refused 'public port 8090-8095/tcp' "zone 'public' has '8080-8090/tcp', and firewalld joins both: 'join: true' permits it"
    refused 'public port 8085-8095/tcp, ensure: absent' "zone 'public' has only a part of it, in '8080-8090/tcp': remove what it has"
    run apply <<<'resources: [{firewalld_rule: public port 9000-9010/tcp}, {firewalld_rule: public port 9005-9015/tcp}]'
    status_is 4
    says "failed: zone 'public' has '9000-9010/tcp', and firewalld joins both"
    run apply <<<'resources: [{firewalld_rule: public port 8090-8095/tcp, join: true}]'
    status_is 0
    # The offline tool removes a range only as it is listed.
    run apply <<<'resources: [{firewalld_rule: public port 8082/tcp, ensure: absent}]'
    status_is 4
    says "failed: firewalld lists it, and does not find it to remove it: '8082"
    is "$(within firewall-offline-cmd --zone=public --list-ports)" '8080-8095/tcp 9000-9010/tcp'
}

@test "an interface or a source moves out of another zone only where that is permitted" {
    within firewall-offline-cmd --zone=home --change-interface=eth7
    within firewall-offline-cmd --zone=home --change-source=192.0.2.0/24
    cat >site.yaml <<'END'
resources:
  - firewalld_rule: internal interface eth7
  - firewalld_rule: internal source 192.0.2.0/24
END
    for noop in --noop ''; do
        run rhost apply $noop site.yaml
        says "failed: 'eth7' is in zone 'home': 'move: true' moves it"
        says "failed: '192.0.2.0/24' is in zone 'home': 'move: true' moves it"
        is "$(within firewall-offline-cmd --zone=home --list-interfaces)" eth7
    done
    cat >site.yaml <<'END'
resources:
  - {firewalld_rule: home interface eth7, ensure: absent}
  - {firewalld_rule: internal interface eth7, move: true}
END
    run rhost apply site.yaml
    status_is 0
    is "$(within firewall-offline-cmd --zone=internal --list-interfaces)" eth7
    run rhost undo last
    says 'the zone that it was in'
}

@test "where an addition to a zone is refused, nothing is removed from it" {
    cat >site.yaml <<'END'
resources:
  - {firewalld_rule: public service ssh, ensure: absent}
  - {firewalld_rule: dmz service ssh, ensure: absent}
  - firewalld_rule: public service nonsense
  - firewalld_rule: public service http
END
    run rhost apply site.yaml
    status_is 4
    says "failed: nothing is removed from zone 'public': what was to be added to it was refused"
    says '2 changed, 2 failed'
    is "$(within firewall-offline-cmd --zone=public --list-services)" 'dhcpv6-client http ssh'
    is "$(within firewall-offline-cmd --zone=dmz --list-services)" ''
}

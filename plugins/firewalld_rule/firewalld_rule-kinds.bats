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
  - firewalld_rule: public port 8085-8095/tcp
  - {firewalld_rule: a range inside, zone: public, kind: port, value: 8081/tcp}
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

#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# What firewalld refuses, and where it ends: one for all tests, each of which has zones of its own.
source "${abs_top_srcdir:-$BATS_TEST_DIRNAME/../..}/tests/lib.bash"
source "$abs_top_srcdir/plugins/firewalld_rule/firewalld.bash"

setup_file() {
    firewall_open "$BATS_FILE_TMPDIR/firewall"
    firewall_start
}

teardown_file() {
    firewall_close "$BATS_FILE_TMPDIR/firewall"
}

setup() {
    work_open
    firewall_use "$BATS_FILE_TMPDIR/firewall"
}

@test "an interface moves to the zone, and what is refused is explained" {
    within firewall-cmd --permanent --new-zone=fresh
    within firewall-cmd --zone=home --add-interface=eth7
    cat >site.yaml <<'END'
resources:
  - {firewalld_rule: internal interface eth7, configuration: running, move: true}
  - firewalld_rule: fresh service http
  - {firewalld_rule: dmz service nonsense, configuration: running}
  - {firewalld_rule: home rich_rule rule family=ipv4 accept source address=192.0.2.1, configuration: running}
END
    run rhost apply site.yaml
    status_is 4
    says "failed: unknown zone 'fresh': the running configuration gets a new zone with 'firewall-cmd --reload'"
    says 'failed: unknown service: '
    says '2 changed, 2 failed'
    is "$(within firewall-cmd --get-zone-of-interface=eth7)" internal
    within nft list ruleset | grep -q 'ip saddr 192.0.2.1 accept'
}

@test "trouble of the kernel is explained, and where firewalld ends, the permanent configuration is kept" {
    within nft flush ruleset
    run apply <<<'resources: [{firewalld_rule: public service ftp, configuration: running}]'
    status_is 4
    says 'failed: the kernel does not take it: '
    ended() { ! within pgrep -f bin/firewalld >/dev/null; }
    within pkill -KILL -f bin/firewalld
    until_true ended
    run apply -v <<<'resources: [{firewalld_rule: external service http}]'
    status_is 0
    says 'firewalld does not run: firewall-offline-cmd reads and changes'
}

#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Where firewalld runs: one for all tests, each of which has zones of its own.
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

# The services of a zone in both configurations, as files.
services() {
    within firewall-cmd --permanent --zone="$1" --list-services >permanent
    within firewall-cmd --zone="$1" --list-services >running
}

@test "all, permanent and running are kept apart" {
    cat >site.yaml <<'END'
resources:
  - firewalld_rule: block service http
  - {firewalld_rule: block service https, configuration: permanent}
  - {firewalld_rule: block service ftp, configuration: running}
END
    run rhost apply site.yaml
    status_is 0
    says '3 changed'
    services block
    is "$(<permanent)" 'http https'
    is "$(<running)" 'ftp http'
    # What is only in one of two is added to the other, and an undo takes it out again.
    run apply <<<'resources: [{firewalld_rule: block service https}, {firewalld_rule: block service http, configuration: permanent}]'
    says 'configuration permanent → all'
    says '1 ok, 1 changed'
    run rhost undo last
    status_is 0
    run apply <<<'resources: [{firewalld_rule: block service http, configuration: running, exact: true}, {firewalld_rule: block service ftp, ensure: absent, configuration: permanent}]'
    says '1 ok, 1 changed'
    services block
    is "$(<permanent)" 'https'
    is "$(<running)" 'ftp http'
}

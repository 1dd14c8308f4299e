#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
source "${abs_top_srcdir:-$BATS_TEST_DIRNAME/../..}/tests/lib.bash"
source "$abs_top_srcdir/plugins/ufw_rule/ufw.bash"

setup() {
    work_open
    ufw_open
}

teardown() {
    ufw_close
}

settings() {
    one 'ufw: ufw' -- "$@"
}

# bats test_tags=inline
@test "ufw is enabled with its policies, and disabled" {
    settings run apply --noop <<<'enabled: true'
    status_is 0
    says 'enabled false → true'
    is "$(within ufw status)" 'Status: inactive'
    settings converges <<<$'enabled: true\nincoming: reject\noutgoing: deny\nrouted: allow\nlogging: high'
    within ufw status verbose >is
    grep -q '^Status: active' is
    grep -q '^Logging: on (high)' is
    grep -q '^Default: reject (incoming), deny (outgoing), ' is
    within grep -q '^DEFAULT_FORWARD_POLICY="ACCEPT"' /etc/default/ufw
    within iptables -S OUTPUT | grep -q '^-P OUTPUT DROP'
    settings is_in_sync <<<'logging: high'
    settings converges <<<$'enabled: false\nlogging: "off"'
    is "$(within ufw status)" 'Status: inactive'
}

@test "it is disabled before its policies change" {
    settings converges <<<$'enabled: true\nincoming: allow'
    mkdir "$BATS_TEST_TMPDIR/bin"
    within sh -c "cp /usr/sbin/ufw $BATS_TEST_TMPDIR/bin/real"
    printf '#!/bin/sh\necho "$*" >>%s/calls\nexec %s/bin/real "$@"\n' "$BATS_TEST_TMPDIR" "$BATS_TEST_TMPDIR" >"$BATS_TEST_TMPDIR/bin/ufw"
    chmod 755 "$BATS_TEST_TMPDIR/bin/ufw"
    within mount --bind "$BATS_TEST_TMPDIR/bin/ufw" /usr/sbin/ufw
    settings run apply <<<$'enabled: false\nincoming: deny\nlogging: high'
    status_is 0
    grep -v '^status' "$BATS_TEST_TMPDIR/calls" >calls
    printf '%s\n' '--force disable' 'default deny incoming' 'logging high' | diff - calls
}

@test "where something has flushed its rules, it is enabled again" {
    settings converges <<<'enabled: true'
    within iptables -F
    within iptables -X
    settings converges <<<'enabled: true'
    within iptables -S | grep -q ufw-user-input
}

@test "where it is disabled at boot alone, and its rules are in the kernel, it is disabled" {
    settings converges <<<'enabled: true'
    within sed -i 's/^ENABLED=.*/ENABLED=no/' /etc/ufw/ufw.conf
    settings run apply --noop <<<'enabled: false'
    says 'disabled at boot, but its rules are in the kernel'
    settings converges <<<'enabled: false'
    is "$(within ufw status)" 'Status: inactive'
    settings converges <<<'enabled: true'
    within sed -i 's/^ENABLED=.*/ENABLED=no/' /etc/ufw/ufw.conf
    settings converges <<<'enabled: true'
    within grep -q ENABLED=yes /etc/ufw/ufw.conf
}

@test "it is enabled after the rules, and an undo restores it" {
    cat >site.yaml <<'END'
resources:
  - {ufw: ufw, enabled: true, incoming: deny, logging: medium}
  - {ufw_rule: ssh, action: allow, to_port: '22'}
END
    run rhost apply site.yaml
    status_is 0
    [[ $output == *'ufw_rule[ssh]'*'ufw[ufw]'* ]]
    run rhost undo last
    status_is 0
    is "$(within ufw status)" 'Status: inactive'
    is "$(within ufw show added | tail -n 1)" '(None)'
}

@test "what it is set to is listed, and a manifest of it changes nothing" {
    run rhost resource --format=yaml ufw
    status_is 0
    says 'enabled: false'
    says 'incoming: deny'
    printf '%s\n' "$output" >list.yaml
    run rhost apply --noop --detailed-exitcodes list.yaml
    status_is 0
}

@test "trouble is explained: a second ufw, a wrong policy, a lost file, a kernel that takes no rules" {
    one 'ufw: other' -- run apply <<<'enabled: true'
    status_is 1
    settings run apply <<<'incoming: drop'
    status_is 1
    within sed -i 's/^-A ufw-user-input.*/&/; s/^:ufw-user-input.*/nonsense/' /etc/ufw/user.rules
    settings run apply <<<'enabled: true'
    status_is 4
    says 'failed: ufw failed: '
    says "; ufw may be stopped: look at 'ufw status'"
    within rm /etc/default/ufw
    settings run apply <<<'incoming: deny'
    status_is 4
    says "cannot read '/etc/default/ufw'"
}

@test "the example of the page works, and a second run finds nothing to do" {
    awk '/^# scratch example/ { inside = 1 } /^```$/ { inside = 0 } inside' "$abs_top_srcdir/plugins/ufw/ufw.md" >page.yaml
    run rhost apply page.yaml
    status_is 0
    run rhost apply --detailed-exitcodes page.yaml
    status_is 0
}

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

# The rule "web", whose attributes stand on standard input.
rule() {
    one 'ufw_rule: web' -- "$@"
}

# bats test_tags=inline
@test "a rule is added, changed in its place, and removed" {
    within ufw allow 1/tcp
    rule run apply --noop <<<$'action: allow\nto_port: "80,443"\nproto: tcp'
    status_is 0
    is "$(added)" 'ufw allow 1/tcp'
    rule converges <<<$'action: allow\nto_port: "443,80"\nproto: tcp'
    within ufw deny 9/tcp
    is "$(added)" $'ufw allow 1/tcp\nufw allow 80,443/tcp comment \'web\'\nufw deny 9/tcp'
    rule converges <<<$'action: limit\nto_port: "80,443"\nproto: tcp\nlog: new'
    is "$(added)" $'ufw allow 1/tcp\nufw limit log 80,443/tcp comment \'web\'\nufw deny 9/tcp'
    rule converges <<<$'action: reject\nfrom: 192.0.2.9/255.255.255.0\nto_port: 8000:8010\nproto: udp\ninterface_in: eth0'
    is "$(added)" $'ufw allow 1/tcp\nufw reject in on eth0 from 192.0.2.0/24 to any port 8000:8010 proto udp comment \'web\'\nufw deny 9/tcp'
    rule converges <<<'ensure: absent'
    is "$(added)" $'ufw allow 1/tcp\nufw deny 9/tcp'
    rule is_in_sync <<<'ensure: absent'
}

@test "each kind of rule is read as it was written, and the list of all changes nothing" {
    within ufw allow 7/tcp
    cat >site.yaml <<'END'
resources:
  - {ufw_rule: out, action: reject, direction: out, interface_out: eth0, to_port: '25', log: all}
  - {ufw_rule: through, action: allow, direction: route, interface_in: eth1, interface_out: eth2, to: 10.0.0.0/8, to_port: '53', proto: udp}
  - {ufw_rule: six, action: deny, from: '2001:DB8::/32'}
  - {ufw_rule: an application, action: limit, to_port: OpenSSH, from: 10.0.0.1/32}
  - {ufw_rule: tunnel, action: allow, proto: gre, from: 192.0.2.1, to: 192.0.2.2}
  - {ufw_rule: source ports, action: allow, proto: tcp, from_port: '1024:2048', to_port: '5432'}
  - {ufw_rule: everything, action: deny, direction: route}
  - {ufw_rule: first of all, action: allow, interface_in: lo, position: first}
END
    run rhost apply --detailed-exitcodes site.yaml
    status_is 2
    run rhost apply --detailed-exitcodes site.yaml
    status_is 0
    is "$(added)" "$(printf '%s\n' "ufw allow in on lo comment 'first of all'" 'ufw allow 7/tcp' "ufw reject out on eth0 log-all to any port 25 comment 'out'" \
        "ufw route allow in on eth1 out on eth2 to 10.0.0.0/8 port 53 proto udp comment 'through'" \
        "ufw limit from 10.0.0.1 to any app OpenSSH comment 'an application'" "ufw allow from 192.0.2.1 to 192.0.2.2 proto gre comment 'tunnel'" \
        "ufw allow from any port 1024:2048 to any port 5432 proto tcp comment 'source ports'" "ufw route deny to any comment 'everything'" \
        "ufw deny from 2001:db8::/32 comment 'six'")"
    run rhost resource --format=yaml ufw_rule
    status_is 0
    printf '%s\n' "$output" >list.yaml
    is "$(grep -c ufw_rule: list.yaml)" 8
    run rhost apply --noop --detailed-exitcodes list.yaml
    status_is 0
    sed -i '/ensure:/d; s/action:.*/ensure: absent/' list.yaml
    run rhost apply list.yaml
    status_is 0
    is "$(added)" 'ufw allow 7/tcp'
    run rhost undo last
    status_is 0
    run rhost apply --noop --detailed-exitcodes site.yaml
    status_is 0
}

@test "where ufw is active, a rule comes to the kernel, of IPv4 and IPv6" {
    within ufw --force enable
    rule converges <<<$'action: allow\nto_port: "80"'
    within iptables -S ufw-user-input | grep -q 'dport 80 -j ACCEPT'
    within ip6tables -S ufw6-user-input | grep -q 'dport 80 -j ACCEPT'
    # One half of it is lost.
    within ufw --force delete "$(within ufw status numbered | sed -n 's/^\[ *\([0-9]*\)\] 80 (v6).*/\1/p')"
    rule converges <<<$'action: allow\nto_port: "80"'
    within ip6tables -S ufw6-user-input | grep -q 'dport 80 -j ACCEPT'
    rule converges <<<'ensure: absent'
    not grep -q 'dport 80' <<<"$(within iptables -S ufw-user-input; within ip6tables -S ufw6-user-input)"
}

@test "what is no rule is refused before anything is done" {
    wrong() {
        rule run apply <<<"$1"
        status_is 1
        says "$2"
    }
    wrong $'action: allow\nfrom: 10.0.0.0/33' 'from: it must be an address'
    wrong $'action: allow\nto_port: "80,0"\nproto: tcp' 'to_port: it must be at most 15 ports'
    wrong $'action: allow\nto_port: "80,443"' "to_port: several ports need 'proto: tcp'"
    wrong $'action: allow\nto_port: "80"\nproto: esp' "to_port: 'esp' has no ports"
    wrong $'action: allow\nto_port: OpenSSH\nproto: tcp' 'proto: an application has its own protocols'
    wrong $'action: allow\ninterface_out: eth0' "interface_out: it needs 'direction: out'"
    wrong $'action: allow\ndirection: out\ninterface_in: eth0' "interface_in: it needs 'direction: in'"
    wrong $'action: allow\nfrom: 10.0.0.1\nto: "::1"' 'to: one address is of IPv4, and the other of IPv6'
    wrong $'action: allow\ninterface_in: "eth0; reboot"' interface_in
    rule run apply <<<'to_port: "80"'
    says "failed: it does not exist, and cannot be created without 'action'"
    one "ufw_rule: it's" -- run apply <<<'action: allow'
    status_is 1
}

@test "trouble is explained: comments of several rules, traffic of another rule, an unknown application, a file that cannot be read" {
    within ufw allow 1/tcp comment twice
    within ufw allow 2/tcp comment twice
    within ufw allow 3/tcp comment other
    cat >site.yaml <<'END'
resources:
  - {ufw_rule: twice, action: allow}
  - {ufw_rule: mine, action: deny, to_port: '3', proto: tcp}
  - {ufw_rule: nobody, action: deny, to_port: Nobody}
  - {ufw_rule: good, action: allow, to_port: '4'}
END
    run rhost apply site.yaml
    status_is 4
    says "failed: several rules of ufw have the comment 'twice'"
    says "failed: the rule 'other' is for the same traffic"
    says "failed: ufw failed: Could not find a profile matching 'Nobody'"
    says '1 changed, 3 failed'
    within sed -i 's/^IPV6=.*/IPV6=no/' /etc/default/ufw
    within mount -t tmpfs none /usr/share/ufw
    within sh -c 'chmod 666 /etc/ufw/user.rules; rm /etc/ufw/user.rules; mkdir /etc/ufw/user.rules'
    rule run apply <<<'action: allow'
    status_is 4
    says "cannot read '/etc/ufw/user.rules'"
}

@test "a rule without a comment for the same traffic is refused, and adopted once it has the comment" {
    within ufw allow 80/tcp
    rule run apply <<<$'action: allow\nto_port: "80"\nproto: tcp'
    status_is 4
    says "failed: a rule without a comment is for the same traffic: give it this comment first, with 'ufw'"
    is "$(added)" 'ufw allow 80/tcp'
    within ufw allow 80/tcp comment web
    rule is_in_sync <<<$'action: allow\nto_port: "80"\nproto: tcp'
    rule run apply <<<$'action: limit\nto_port: "80"\nproto: tcp'
    is "$(added)" "ufw limit 80/tcp comment 'web'"
    run rhost undo last
    status_is 0
    is "$(added)" "ufw allow 80/tcp comment 'web'"
}

@test "an undo of a change brings back all of the rule that was" {
    rule run apply <<<$'action: allow\nto_port: "80"\nproto: tcp\nfrom: 192.0.2.0/24'
    is "$(added)" "ufw allow from 192.0.2.0/24 to any port 80 proto tcp comment 'web'"
    for change in 'action: deny' $'action: allow\nlog: all' $'action: limit\ninterface_in: eth0'; do
        rule run apply <<<"$change"$'\nto_port: "80"\nproto: tcp\nfrom: 192.0.2.0/24'
        says '1 changed'
        run rhost undo last
        status_is 0
        is "$(added)" "ufw allow from 192.0.2.0/24 to any port 80 proto tcp comment 'web'"
    done
    rule run apply <<<$'action: allow\nto_port: "81"\nproto: tcp\nfrom: 192.0.2.0/24'
    run rhost undo last
    status_is 0
    is "$(added)" "ufw allow from 192.0.2.0/24 to any port 80 proto tcp comment 'web'"
}

@test "half a rule is repaired, and an undo leaves it there" {
    for half in 80 '80 (v6)'; do
        rule run apply <<<$'action: allow\nto_port: "80"'
        within ufw --force enable
        within ufw --force delete "$(within ufw status numbered | sed -n "s/^\[ *\([0-9]*\)\] $half  .*/\1/p")"
        is "$(within grep -h -c '^### tuple' /etc/ufw/user.rules /etc/ufw/user6.rules | sort | tr '\n' ' ')" '0 1 '
        rule run apply --noop <<<$'action: allow\nto_port: "80"'
        says "the rule of IPv$([ "$half" = 80 ] && echo 4 || echo 6) is missing"
        rule run apply <<<$'action: allow\nto_port: "80"'
        says '1 changed'
        is "$(within grep -h -c '^### tuple' /etc/ufw/user.rules /etc/ufw/user6.rules | tr '\n' ' ')" '1 1 '
        run rhost undo --force=all last
        status_is 0
        is "$(added)" "ufw allow 80 comment 'web'"
    done
}

@test "a rule that somebody makes meanwhile is changed, and has no twin" {
    cat >site.yaml <<END
resources:
  - exec: meanwhile
    command: [ufw, allow, 81/tcp, comment, web]
  - ufw_rule: first
    action: allow
    to_port: '82'
  - ufw_rule: web
    action: limit
    to_port: '80'
    proto: tcp
    require: exec[meanwhile]
END
    run rhost apply site.yaml
    status_is 0
    is "$(added | grep web)" "ufw limit 80/tcp comment 'web'"
}

@test "a change that was cut off is gone on with, whatever is wanted now, and no rule of it stays" {
    left='web (rhost: it replaces the rule of this name)'
    for old in yes no; do
        for wanted in 80 81 82; do
            within ufw --force reset >/dev/null
            within ufw allow 1/tcp comment first
            [ "$old" = no ] || within ufw allow 80/tcp comment web
            within ufw allow 81/tcp comment "$left"
            within ufw allow 2/tcp comment last
            rule run apply --noop <<<$'action: allow\nproto: tcp\nto_port: "'"$wanted\""
            says "a change that was cut off has left a second rule: '$left'"
            rule converges <<<$'action: allow\nproto: tcp\nto_port: "'"$wanted\""
            is "$(added | grep -v -e first -e last)" "ufw allow $wanted/tcp comment 'web'"
            is "$(added | grep -c -e first -e last)" 2
        done
        within ufw allow 81/tcp comment "$left" # which says whose it is
        rule converges <<<'ensure: absent'
        is "$(added | grep -c web)" 0
    done
}

@test "a rule that becomes one of IPv6 alone, or of IPv4 alone, keeps its place there" {
    within ufw allow 1/tcp
    rule converges <<<$'action: allow\nto_port: "80"'
    within ufw deny 9/tcp
    rule converges <<<$'action: allow\nto_port: "80"\nfrom: 2001:db8::/32'
    is "$(within sed -n 's/^### tuple ### [a-z]* [a-z]* \([0-9]*\) .*/\1/p' /etc/ufw/user6.rules | tr '\n' ' ')" '1 80 9 '
    is "$(within sed -n 's/^### tuple ### [a-z]* [a-z]* \([0-9]*\) .*/\1/p' /etc/ufw/user.rules | tr '\n' ' ')" '1 9 '
    rule converges <<<$'action: allow\nto_port: "80"\nfrom: any'
    is "$(within sed -n 's/^### tuple ### [a-z]* [a-z]* \([0-9]*\) .*/\1/p' /etc/ufw/user6.rules | tr '\n' ' ')" '1 80 9 '
    rule converges <<<$'action: allow\nto_port: "80"\nfrom: 192.0.2.0/24'
    is "$(within sed -n 's/^### tuple ### [a-z]* [a-z]* \([0-9]*\) .*/\1/p' /etc/ufw/user6.rules | tr '\n' ' ')" '1 9 '
}

@test "the example of the page works, and a second run finds nothing to do" {
    awk '/^# scratch example/ { inside = 1 } /^```$/ { inside = 0 } inside' "$abs_top_srcdir/plugins/ufw_rule/ufw_rule.md" >page.yaml
    run rhost apply page.yaml
    status_is 0
    run rhost apply --detailed-exitcodes page.yaml
    status_is 0
}

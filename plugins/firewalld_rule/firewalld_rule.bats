#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Where firewalld does not run. firewalld_rule-running.bats has the rest.
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

@test "one that is refused fails alone, and says why" {
    cat >site.yaml <<'END'
resources:
  - firewalld_rule: public service http
  - firewalld_rule: public service nonsense
  - firewalld_rule: nowhere service http
  - {firewalld_rule: public service https, configuration: running}
  - firewalld_rule: public icmp_block nonsense
END
    run rhost apply site.yaml
    status_is 4
    says '5 resources: 1 changed, 4 failed'
    says 'failed: unknown service: '
    says "failed: unknown zone 'nowhere'"
    says 'failed: firewalld does not run: it has no running configuration'
    says 'failed: unknown type of ICMP: '
    within firewall-offline-cmd --zone=public --query-service=http
}

@test "what is no value of its kind, or one rule twice, is refused before anything is done" {
    wrong() {
        run apply <<<"resources: [{firewalld_rule: it, zone: public, kind: $1, value: '$2'}]"
        status_is 1
        says "$3"
    }
    wrong port 80 'value: it must be PORT/PROTOCOL'
    wrong port 90-80/tcp 'value: it must be PORT/PROTOCOL'
    wrong source 10.0.0.0/33 'value: it must be an address'
    wrong interface 'eth0 --panic-on' 'value: it must be the name of an interface'
    wrong service -x 'value: it must be the name of a service'
    wrong masquerade yes "value: 'masquerade' has no value"
    wrong forward_port port=80:proto=tcp 'value: it must be port=PORT'
    wrong rich_rule 'accept' "value: a rich rule begins with 'rule'"
    wrong rich_rule 'rule accept drop' "value: 'accept' and 'drop' exclude each other"
    wrong rich_rule 'rule service name="ssh' 'value: a value has no closing quotes'
    wrong rich_rule 'rule service nonsense=ssh' "value: unknown value 'nonsense' of 'service'"
    wrong rich_rule 'rule priority=x accept' "value: 'priority' must be a number"
    wrong rich_rule 'rule log limit accept' "value: 'limit' needs a value"
    run apply <<<'resources: [{firewalld_rule: "public/x service ssh"}]'
    status_is 1
    run apply <<'END'
resources:
  - firewalld_rule: public rich_rule rule family=ipv4 accept
  - firewalld_rule: 'public rich_rule rule accept family="ipv4"'
END
    status_is 1
    says 'firewalld_rule'
}

@test "the list of all rules changes nothing, and a dry run neither" {
    run apply --noop <<<'resources: [{firewalld_rule: public service http}]'
    status_is 0
    says 'would change'
    [ ! -e "$firewall/etc/zones/public.xml" ]
    run rhost resource --format=yaml firewalld_rule
    status_is 0
    says '- firewalld_rule: "public service ssh"'
    says '- firewalld_rule: "external masquerade"'
    printf '%s\n' "$output" >list.yaml
    run rhost apply --noop --detailed-exitcodes list.yaml
    status_is 0
}

@test "a zone that firewalld cannot read, and a machine without firewalld, are explained" {
    echo '<zone><service name="ssh"' >"$firewall/etc/zones/public.xml"
    run apply <<<'resources: [{firewalld_rule: public service http}]'
    status_is 4
    says 'failed: '
    within mount --bind /dev/null /usr/bin/firewall-offline-cmd
    run apply <<<'resources: [{firewalld_rule: public service http}]'
    status_is 4
    says firewall-offline-cmd
}

@test "the example of the page works, and a second run finds nothing to do" {
    awk '/^# scratch example/ { inside = 1 } /^```$/ { inside = 0 } inside' "$abs_top_srcdir/plugins/firewalld_rule/firewalld_rule.md" >page.yaml
    run rhost apply page.yaml
    status_is 0
    run rhost apply --detailed-exitcodes page.yaml
    status_is 0
}

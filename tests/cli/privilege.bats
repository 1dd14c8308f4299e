#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# An ordinary user is told once, before the first resource, what needs rights that this user does not have.
source "${abs_top_srcdir:-$BATS_TEST_DIRNAME/../..}/tests/cli/cli.bash"

# A directory that others can reach, as those of bats are its own. None of the resources can be changed by an ordinary
# user; the last one can.
setup() {
    work_open
    work=$(mktemp -d /tmp/rhost-privilege-XXXXXX)
    cd "$work"
    cat >site.yaml <<END
resources:
  - user: rhost-bob
  - group: rhost-ops
  - host: rhost.invalid
    ip: 192.0.2.7
  - cron: rhost job
    target: /etc/cron.d/rhost-privilege-test
    command: /bin/true
  - systemd_unit: rhost-privilege-test.service
    settings: {Service: {ExecStart: /bin/true}}
  - file: $work/mine/motd
    content: "Hello\n"
END
    mkdir mine
    if [ "$(id -u)" -eq 0 ]; then
        requires_command setpriv
        chmod 755 .
        chmod 644 site.yaml
        mkdir -m 700 state
        chown 65534:65534 mine state
        setpriv --reuid 65534 --clear-groups test -x "$abs_top_builddir/rhost" -a -r "$work/site.yaml" ||
            skip "others cannot run what was built"
    fi
}

teardown() {
    case $work in
    /tmp/rhost-privilege-*) rm -rf "$work" ;;
    esac
}

ordinary() {
    if [ "$(id -u)" -eq 0 ]; then
        set -- setpriv --reuid 65534 --regid 65534 --clear-groups "$abs_top_builddir/rhost" "$@"
    else
        set -- "$abs_top_builddir/rhost" "$@"
    fi
    "$@"
}

ordinary_apply() {
    ordinary apply --state-dir "$work/state" --isolation="$RHOST_ISOLATION" "$@"
}

warning="need rights that this user does not have"

@test "an ordinary user who applies gets one warning, first, with all that needs other rights" {
    run ordinary_apply site.yaml
    status_is 4
    says "warning: 5 of 6 resources $warning: user[rhost-bob], group[rhost-ops], host[rhost.invalid], cron[rhost job], systemd_unit[rhost-privilege-test.service] [RH0355]"
    [[ ${output%%$'\n'*} == *"5 of 6 resources"* ]]
    [ "$(grep -c 'rights that this user' <<<"$output")" -eq 1 ]
    [ "$(cat mine/motd)" = Hello ]
}

@test "what this user may apply is not named, and one resource is one" {
    run ordinary_apply --only="file[$work/mine/motd]" site.yaml
    status_is 0
    says_not rights
    run ordinary_apply --only="user[rhost-bob]" site.yaml
    says "1 of 1 resources needs rights that this user does not have: user[rhost-bob]"
}

@test "a dry run and root get no warning" {
    run ordinary_apply --noop site.yaml
    says_not rights
    requires_root
    printf 'resources:\n  - host: rhost.invalid\n    ip: 192.0.2.7\n    target: %s\n' "$work/hosts" >own.yaml
    run rhost apply own.yaml
    status_is 0
    says_not rights
    run rhost apply --noop site.yaml
    says_not rights
}

@test "a path that this user can write to takes no other rights, one that does not exist neither" {
    cat >site.yaml <<END
resources:
  - host: rhost.invalid
    ip: 192.0.2.7
    target: $work/mine/hosts
  - cron: job
    target: $work/mine/jobs
    command: /bin/true
  - directory: $work/mine/units
  - systemd_unit: x.service
    directory: $work/mine/units
    settings: {Service: {ExecStart: /bin/true}}
  - sysctl: kernel.hostname
    apply: false
    value: x
    target: $work/mine/sysctl.conf
  - ssh_authorized_key: 'nobody: a'
    target: $work/mine/keys
    key: AAAAC3NzaC1lZDI1NTE5AAAAIGaR0GN0jQjNVHGPxEAYOm3NVNLzWbRcZ0BXqmhrJ2kY
  - mount: $work/mine/mnt
    device: tmpfs
    fstype: tmpfs
    fstab: $work/mine/fstab
END
    chmod 644 site.yaml
    run ordinary_apply site.yaml
    says_not rights
    [ -s mine/hosts ]
}

@test "the keys of another user take rights, one's own do not" {
    requires_root
    me=$(id -un 65534)
    for user in root "$me"; do
        printf "resources:\n  - ssh_authorized_key: '%s: a'\n    key: AAAAC3NzaC1lZDI1NTE5AAAAIGaR0GN0jQjNVHGPxEAYOm3NVNLzWbRcZ0BXqmhrJ2kY\n    ensure: absent\n" "$user" >"$user.yaml"
        chmod 644 "$user.yaml"
    done
    run ordinary_apply root.yaml
    says "1 of 1 resources needs rights that this user does not have: ssh_authorized_key[root: a]"
    run ordinary_apply "$me.yaml"
    says_not rights
}

@test "more than ten are counted" {
    {
        echo resources:
        for i in {1..13}; do echo "  - user: rhost-bob$i"; done
    } >site.yaml
    run ordinary_apply --fail-fast site.yaml
    says "13 of 13 resources $warning: user[rhost-bob1], user[rhost-bob2]"
    says "user[rhost-bob10], and 3 more"
    says_not "user[rhost-bob11], "
}

@test "describe shows what a type needs" {
    run rhost describe user
    says "Needs (what applying it takes)"
    says " root"
    run rhost describe ssh_authorized_key
    says ' user[$user] unless $target'
    run rhost describe --format=markdown host
    says 'write[$target]'
    rhost describe --format=json sysctl >sysctl.json
    [ "$(jq -c .needs[:2] sysctl.json)" = '["root if $apply","write[$target]"]' ]
    rhost describe --format=json file >file.json
    [ "$(jq -c .needs[:2] file.json)" = '["write[$path]","read[$source]"]' ]
    rhost describe --format=json log >log.json
    [ "$(jq -c .needs log.json)" = '[]' ]
    run rhost describe log
    says "Needs"
    says " nothing"
}

@test "types --needs shows what each provider declares" {
    run rhost types --needs
    status_is 0
    says 'needs write[$path]'
    says "needs nothing"
    says_not "needs are not declared"
    rhost types --needs --format=json >types.json
    [ "$(jq -c '.[] | select(.type == "cron") | .needs[0]' types.json)" = '"write[$target]"' ]
    [ "$(jq '[.[] | select(.provider and .needs == null)] | length' types.json)" = 0 ]
    run rhost types
    says_not "needs write"
    run rhost types --needs --plugin-dir "$abs_top_builddir/tests/plugins/.libs"
    says "needs are not declared"
}

@test "the page of each plugin of the tree has all its needs" {
    for page in "$abs_top_srcdir"/plugins/*/*.md; do
        sed -n 's/^| needs `\(.*\)` | .*/\1/p' "$page"
    done | sort -u >pages
    rhost types --needs --format=json | jq -r '.[] | .needs // [] | .[]' | sort -u | diff pages -
}

@test "the table of docs/security/needs.md is what the plugins of the tree declare" {
    rhost types --needs --format=json | jq -r -f "$abs_top_srcdir/tests/cli/needs-table.jq" |
        diff <(sed -n '/^| type /,$p' "$abs_top_srcdir/docs/security/needs.md") -
}

@test "each type of the tree that only root can apply says so" {
    rhost types | awk '!NF { exit } { print $1 }' | sort -u >types
    while read -r type; do
        rhost describe --format=json "$type" | jq -r '[.providers // [.] | .[] | select(any(.needs[]; startswith("root"))) | .type] | unique[]'
    done <types | sort >need-root
    printf '%s\n' apt_upgrade firewalld_rule group hostname kernel_module locale mount network_interface nft_rule nft_table package service swap sysctl ufw ufw_rule user | diff - need-root
}

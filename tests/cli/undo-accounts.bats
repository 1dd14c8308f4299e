#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# What an undo changes itself is no change by somebody else: groups lose and get members with their accounts.
# On a copy of this machine's /etc that vanishes with each test.
source "${abs_top_srcdir:-$BATS_TEST_DIRNAME/../..}/tests/cli/cli.bash"
source "$abs_top_srcdir/tests/scratch.bash"

setup() {
    work_open
    scratch_open
}

teardown() {
    scratch_close
}

applied() {
    run rhost apply site.yaml
    status_is 0
}

members() {
    in_scratch getent group "$1" | cut -d: -f4
}

@test "a group whose members go with it is removed" {
    manifest <<'END'
resources:
  - group: editors
    members: [alice, games]
  - user: alice
    groups: [editors]
END
    applied
    [ "$(members editors)" = games,alice ] || [ "$(members editors)" = alice,games ]
    run rhost undo --noop last
    status_is 0
    run rhost undo last
    status_is 0
    run in_scratch grep -E '^(editors|alice):' /etc/group /etc/passwd
    status_is 1
}

@test "a group that gets its members back with their accounts is changed back" {
    in_scratch groupadd editors
    in_scratch useradd -G editors alice
    in_scratch useradd carol
    manifest <<'END'
resources:
  - user: alice
    ensure: absent
  - group: editors
    members: [carol]
    gid: 7777
    require: user[alice]
END
    applied
    [ "$(members editors)" = carol ]
    run rhost undo last
    [[ $status = 0 || $status = 4 ]] # an account without its password is not created
    says_not 'it was changed after the run'
    [ "$(members editors)" = alice ] || [ "$(members editors)" = '' ]
    [ "$(in_scratch getent group editors | cut -d: -f3)" != 7777 ]
}

@test "a group that somebody else has changed stays as it is" {
    manifest <<'END'
resources:
  - group: editors
    members: [alice]
  - user: alice
    groups: [editors]
END
    applied
    in_scratch gpasswd -a games editors
    run rhost undo last
    status_is 4
    says 'it was changed after the run'
    [ "$(members editors)" = games ]
}

@test "members come back with accounts that were removed before their group was changed" {
    in_scratch useradd carol
    in_scratch useradd bob
    in_scratch useradd -p '*' alice
    in_scratch groupadd -U alice,bob editors || { in_scratch groupadd editors && in_scratch gpasswd -M alice,bob editors; }
    in_scratch cat /etc/passwd /etc/group >before
    manifest <<'END'
resources:
  - user: alice
    ensure: absent
    backup: sensitive
  - group: editors
    members: [carol]
    membership: inclusive
    require: user[alice]
END
    head -c 32 /dev/urandom | base64 >key
    chmod 0600 key
    run rhost apply --backup-key=key site.yaml
    [ "$status" = 0 ] || skip "this rhost was built without libsodium"
    [ "$(members editors)" = carol ]
    run rhost undo --backup-key=key last
    status_is 0
    [ "$(members editors | tr , '\n' | sort | xargs)" = 'alice bob' ]
    run in_scratch grep '^alice:' /etc/passwd /etc/group
    [ "$output" = "$(printf '/etc/passwd:%s\n/etc/group:%s' "$(grep '^alice:.*:.*:.*:' before)" "$(grep '^alice:x:[0-9]*:$' before)")" ]
}

@test "members and groups that were added are taken away, whichever was changed first" {
    in_scratch useradd alice
    in_scratch useradd bob
    in_scratch groupadd editors
    in_scratch gpasswd -a bob editors
    for first in user group; do
        {
            echo resources:
            [ $first = user ] && printf '  - user: alice\n    groups: [editors, audio]\n'
            printf '  - group: editors\n    members: [carol]\n'
            [ $first = user ] || printf '  - user: alice\n    groups: [editors, audio]\n'
            [ $first = user ] && echo '    require: user[alice]'
        } >site.yaml
        in_scratch id -u carol >/dev/null || in_scratch useradd carol
        applied
        [[ $(members editors) = *carol* && $(members editors) = *alice* ]]
        run rhost undo --noop last
        status_is 0
        run rhost undo last
        status_is 0
        [ "$(members editors)" = bob ]
        [ "$(in_scratch id -Gn alice)" = alice ]
    done
}

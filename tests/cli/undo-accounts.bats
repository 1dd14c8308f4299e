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

#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# What needs no manager that runs: names, refusals, and what is enabled and masked. The rest is in
# tests/system/user-services.bats, which runs the page's "# scratch example" as well.
source "${abs_top_srcdir:-$BATS_TEST_DIRNAME/../..}/tests/lib.bash"
source "$abs_top_srcdir/tests/scratch.bash"

scratch_shares="alternatives ssl"

setup() {
    work_open
}

teardown() {
    scratch_close
}

# alice and bob, and some units of alice.
with_users() {
    scratch_open
    command -v systemctl >/dev/null || skip "needs systemctl"
    in_scratch sh -euc '
        useradd --uid 70001 --user-group --create-home --shell /bin/sh alice
        useradd --uid 70002 --user-group --create-home bob
        rm -rf /etc/systemd/user /etc/systemd/user-preset
        cd /home/alice
        mkdir -p .config/systemd/user
        cd .config/systemd/user
        printf "[Service]\nExecStart=/bin/sleep 1\n[Install]\nWantedBy=default.target\n" >one.service
        cp one.service two.service
        cp one.service tpl@.service
        printf "[Service]\nExecStart=/bin/sleep 1\n" >plain.service
        chown -R alice: /home/alice'
    units=/home/alice/.config/systemd/user
}

# A manifest of resources, one a line as YAML in braces.
manifest() {
    echo resources: >site.yaml
    printf '  - %s\n' "$@" >>site.yaml
}

applied() {
    manifest "$@"
    run rhost apply --detailed-exitcodes site.yaml
    status_is 2
    run rhost apply --detailed-exitcodes site.yaml
    status_is 0
}

in_sync() {
    manifest "$@"
    run rhost apply --detailed-exitcodes site.yaml
    status_is 0
}

fails() {
    local message=$1
    shift
    manifest "$@"
    run rhost apply site.yaml
    [ "$status" -ne 0 ]
    says "$message"
}

@test "the title has the user and the unit, and a name without a type is a service" {
    for RHOST_ISOLATION in $isolations; do
        fails "declared twice" '{user_service: alice:one, ensure: stopped}' \
            '{user_service: one.service, user: alice, ensure: stopped}'
        in_sync '{user_service: nobody-here:one, ensure: stopped, enable: false}' \
            '{user_service: nobody-here:one.socket, mask: false, linger: false}'
    done
}

@test "what makes no sense is refused" {
    fails "nothing stands before its first" '{user_service: "alice:.service", ensure: stopped}'
    fails "name an instance of it, such as 'tpl@one.service'" '{user_service: "alice:tpl@", ensure: running}'
    fails "'ensure: running' contradicts it" '{user_service: alice:one, ensure: running, mask: true}'
    fails "'enable: true' contradicts it" '{user_service: alice:one, enable: true, mask: true}'
    fails "use 'enable: true' for each of them" '{user_service: "alice:tpl@1", enable: preset}'
    fails "user" '{user_service: one, ensure: stopped}'
    fails "expects a match for" '{user_service: one, user: ../etc, ensure: stopped}'
    fails "expects a match for" '{user_service: one, user: .., ensure: stopped}'
}

@test "units are enabled and masked as the user, though no manager runs" {
    with_users
    for RHOST_ISOLATION in $isolations; do
        applied '{user_service: [one, "tpl@x"], user: alice, enable: true, ensure: stopped}'
        is "$(in_scratch stat -c %U "$units/default.target.wants/one.service")" alice
        in_scratch test -L "$units/default.target.wants/tpl@x.service"
        applied '{user_service: ["one.service", "tpl@x"], user: alice, enable: false}'
        not in_scratch test -L "$units/default.target.wants/one.service"
        applied '{user_service: alice:nothing, mask: true}'
        is "$(in_scratch readlink "$units/nothing.service")" /dev/null
        applied '{user_service: alice:nothing, mask: false}'
        not in_scratch test -L "$units/nothing.service"
    done
}

@test "noop changes nothing" {
    with_users
    for RHOST_ISOLATION in $isolations; do
        manifest '{user_service: alice:one, enable: true}' '{user_service: alice:two, mask: true}'
        run rhost apply --noop --detailed-exitcodes site.yaml
        status_is 2
        says "enable false → true"
        says "mask false → true"
        not in_scratch test -e "$units/default.target.wants"
        manifest '{user_service: carol:one, enable: true}'
        run rhost apply --noop site.yaml
        says "carol"
        [ "$status" -ne 0 ]
    done
}

@test "what the presets for users say is applied" {
    with_users
    in_scratch sh -euc 'mkdir /etc/systemd/user-preset
        printf "enable one.service\ndisable *\n" >/etc/systemd/user-preset/10-test.preset'
    for RHOST_ISOLATION in $isolations; do
        applied '{user_service: [two], user: alice, enable: true}'
        manifest '{user_service: [one, two], user: alice, enable: preset}'
        run rhost apply --noop --detailed-exitcodes site.yaml
        status_is 2
        says "enable false → true, its preset"
        says "enable true → false, its preset"
        applied '{user_service: [one, two], user: alice, enable: preset}'
        in_scratch test -L "$units/default.target.wants/one.service"
        not in_scratch test -L "$units/default.target.wants/two.service"
        in_sync '{user_service: alice:plain, enable: preset}'
        applied '{user_service: alice:one, enable: false}'
    done
    in_scratch chmod 600 /etc/systemd/user-preset/10-test.preset
    fails "cannot tell what the preset of one.service is: a file in /etc/systemd/user-preset, or" \
        '{user_service: alice:one, enable: preset}'
}

@test "what cannot be done says why" {
    with_users
    for RHOST_ISOLATION in $isolations; do
        fails "unknown user 'carol'" '{user_service: carol:one, enable: true}'
        fails "unknown unit 'onne.service' of user 'alice': did you mean 'one.service'?" \
            '{user_service: alice:onne, enable: true}' '{user_service: alice:two, enable: true}'
        in_scratch rm -r "$units/default.target.wants" # the other one was enabled
        fails "plain.service cannot be enabled: its unit file has no [Install] section" \
            '{user_service: alice:plain, enable: true}'
        fails "the systemd manager of user 'alice'" '{user_service: alice:one, ensure: running}'
        says_not "unknown unit"
        in_scratch ln -s /dev/null "$units/masked.service"
        fails "masked.service cannot be enabled: it is masked" '{user_service: alice:masked, enable: true}'
        fails "cannot mask one.service of user 'alice'" '{user_service: alice:one, mask: true}'
        in_scratch rm "$units/masked.service"
        # Enabled for all users.
        in_scratch sh -euc 'mkdir -p /etc/systemd/user/default.target.wants
            cp /home/alice/.config/systemd/user/one.service /etc/systemd/user/all.service
            ln -s /etc/systemd/user/all.service /etc/systemd/user/default.target.wants/all.service'
        fails "all.service stays enabled, as it is enabled for all users" '{user_service: alice:all, enable: false}'
        in_scratch rm -r /etc/systemd/user
    done
}

@test "lingering is not for where systemd does not run" {
    [ ! -d /run/systemd/system ] || skip "systemd runs here"
    with_users
    for RHOST_ISOLATION in $isolations; do
        fails "cannot change whether 'alice' lingers, as systemd does not run here" \
            '{user_service: alice:one, linger: true}'
        in_sync '{user_service: alice:one, linger: false}'
        fails "this machine does not run systemd" '{user_service: alice:one, ensure: running}'
    done
}

@test "what the user has swapped gives no rights" {
    with_users
    in_scratch sh -euc 'mkdir /etc/theirs /home/alice/units
        cp /home/alice/.config/systemd/user/one.service /etc/theirs
        rm -r /home/alice/.config/systemd/user
        ln -s /etc/theirs /home/alice/.config/systemd/user'
    for RHOST_ISOLATION in $isolations; do
        fails "cannot enable one.service of user 'alice'" '{user_service: alice:one, enable: true}'
        is "$(in_scratch ls /etc/theirs)" one.service
        fails "cannot mask other.service of user 'alice': Failed to mask unit, file" \
            '{user_service: alice:other, mask: true}'
        says "Permission denied"
        is "$(in_scratch ls /etc/theirs)" one.service
    done
}

@test "without systemctl it does not suit, and says why" {
    with_users
    in_scratch mount --bind /dev/null /usr/bin/systemctl
    run rhost describe user_service --suits
    says "does not suit: systemctl is not installed"
}

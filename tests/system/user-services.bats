# SPDX-License-Identifier: Apache-2.0
# Services of users on a machine that boots with systemd: each user has a manager of its own.

source "${abs_top_srcdir:-$BATS_TEST_DIRNAME/../..}/tests/lib.bash"
source "$abs_top_srcdir/tests/system/service.bash"
machine_with_services # with logind

setup_file() {
    machine_wanted || return 0
    export machine=$BATS_FILE_TMPDIR/machine
    machine_with_rhost
    machine_boot "$machine"
    inside useradd --create-home --uid 1701 --user-group --shell /bin/bash alice
    inside useradd --create-home --uid 1702 --user-group --shell /bin/bash bob
    printf '[Service]\nExecStart=/bin/sleep 3000\nExecReload=/bin/true\n[Install]\nWantedBy=default.target\n' |
        user_unit one.service
}

# A unit file of alice, of standard input; her manager is not told.
user_unit() {
    local folder=$machine/home/alice/.config/systemd/user

    mkdir -p "$folder"
    cat >"$folder/$1"
    chown -R 1701:1701 "$machine/home/alice/.config"
}

# A command as alice.
alice() {
    inside setpriv --reuid=1701 --regid=1701 --init-groups env HOME=/home/alice XDG_RUNTIME_DIR=/run/user/1701 "$@"
}

pid_of() {
    alice systemctl --user show -P MainPID "$1"
}

is_active() {
    is "$(alice systemctl --user is-active "$1")" "$2"
}

# Neither has a manager.
nobody_lingers() {
    local uid

    inside loginctl disable-linger alice
    inside loginctl disable-linger bob
    for uid in 1701 1702; do
        inside systemctl stop "user@$uid.service" "user-runtime-dir@$uid.service"
    done
}

# alice has one, and nothing of hers runs.
lingers() {
    inside loginctl enable-linger alice
    inside systemctl start user@1701.service
    alice systemctl --user --quiet disable --now one
}

@test "a service of a user is started and enabled, and its manager with it" {
    for RHOST_ISOLATION in confined none; do
        nobody_lingers
        fails "does not run, as the user is not logged in and does not linger: 'linger: true' keeps it running" \
            '{user_service: alice:one, ensure: running}'
        with 3 apply --noop --detailed-exitcodes '{user_service: alice:one, ensure: running, enable: true, linger: true}'
        status_is 2
        says "linger false → true"
        [ ! -e "$machine/var/lib/systemd/linger/alice" ]
        applied '{user_service: alice:one, ensure: running, enable: true, linger: true}'
        is_active one active
        is "$(inside ps -o user= -p "$(pid_of one)")" alice
        [ -e "$machine/var/lib/systemd/linger/alice" ]
        applied '{user_service: one.service, user: alice, ensure: stopped, enable: false}'
        is_active one inactive
        # What runs goes with the manager.
        applied '{user_service: alice:one, ensure: running}'
        applied '{user_service: alice:one, linger: false}'
        for ((i = 0; i < 100; i++)); do
            [ -e "/proc/$(cat "$machine.leader")/root/run/user/1701" ] || break
            sleep 0.1
        done
        in_sync '{user_service: alice:one, ensure: stopped, enable: false, linger: false}'
    done
}

@test "what is newer than what the manager knows is read again" {
    lingers
    for RHOST_ISOLATION in confined none; do
        applied '{user_service: alice:one, ensure: running}'
        applied '{user_service: alice:one, ensure: stopped}'
        printf '[Service]\nExecStart=/bin/sleep 4000\n' | user_unit "new-$RHOST_ISOLATION.service"
        applied "{user_service: alice:new-$RHOST_ISOLATION, ensure: running}"
        sleep 1
        printf '[Service]\nExecStart=/bin/sleep 5000\n' | user_unit "new-$RHOST_ISOLATION.service"
        with 1 apply "{user_service: alice:new-$RHOST_ISOLATION, action: restart}"
        status_is 0
        is "$(inside ps -o args= -p "$(pid_of "new-$RHOST_ISOLATION")")" "/bin/sleep 5000"
        applied "{user_service: alice:new-$RHOST_ISOLATION, ensure: stopped, mask: false}"
    done
}

@test "a unit that fails says what failed, and its last lines" {
    lingers
    user_unit bad.service <<'END'
[Service]
Type=oneshot
ExecStartPre=/bin/sh -c 'echo "no configuration"; exit 3'
ExecStart=/bin/true
END
    printf '[Unit]\nRequires=bad.service\nAfter=bad.service\n[Service]\nExecStart=/bin/sleep 300\n' | user_unit dep.service
    printf '[Service]\nExecStart=/bin/sh -c "echo cannot bind; exit 4"\n' | user_unit simple.service
    printf '[Unit]\nConditionPathExists=/nonexistent\n[Service]\nExecStart=/bin/sleep 300\n' | user_unit cond.service
    printf '[Unit]\nAssertPathExists=/nonexistent\n[Service]\nExecStart=/bin/sleep 300\n' | user_unit assert.service
    printf '[Service]\nType=exec\nExecStart=/nonexistent/program\n' | user_unit none.service
    printf '[Service]\nType=oneshot\n' | user_unit broken.service
    printf '[Service]\nType=oneshot\nExecStart=/bin/true\n' | user_unit single.service
    printf '[Service]\nType=oneshot\nExecStart=/bin/sleep 60\n' | user_unit slow.service
    printf '[Timer]\nOnCalendar=yearly\n' | user_unit lost.timer
    ln -sf /dev/null "$machine/home/alice/.config/systemd/user/masked.service"
    for RHOST_ISOLATION in confined none; do
        SECONDS=0
        fails "cannot start bad.service of user 'alice': /bin/sh (ExecStartPre) exited with status 3; the last lines" \
            '{user_service: [bad, dep, simple, cond, assert, none, broken, masked, onne, one, single, lost.timer], user: alice, ensure: running}' \
            '{user_service: alice:slow, ensure: running, timeout: 1.5}'
        says "no configuration"
        says "cannot start dep.service of user 'alice': what it needs has failed: bad.service (failed)"
        says "simple.service of user 'alice': /bin/sh (ExecStart) exited with status 4"
        says "cannot bind"
        says "unmet condition check (ConditionPathExists=/nonexistent)"
        says "Assertion failed on job for assert.service"
        says "exited with status 203: its program cannot be executed"
        says "broken.service cannot be started: systemd cannot load its unit file ('bad-setting')"
        says "masked.service cannot be started: it is masked"
        says "unknown unit 'onne.service' of user 'alice': did you mean 'one.service'?"
        says "slow.service of user 'alice': it is not done after 1.5 s, which is its timeout; systemd goes on with it (it is 'activating', 'start' now)"
        says "cannot start lost.timer of user 'alice': systemd refused, or a condition of its unit is not met"
        says "Refusing to start, unit lost.service to trigger not loaded"
        says "2 changed"
        is_active one active
        [ "$SECONDS" -lt 30 ]
        alice systemctl --user stop slow one
    done
}

@test "actions, and what a notification does" {
    lingers
    for RHOST_ISOLATION in confined none; do
        applied '{user_service: alice:one, ensure: running}'
        before=$(pid_of one)
        with 1 apply '{user_service: alice:one, action: restart}'
        status_is 0
        [ "$(pid_of one)" != "$before" ]
        before=$(pid_of one)
        with 1 apply '{user_service: alice:one, on_refresh: reload}' \
            "{file: /root/changed, content: '$RHOST_ISOLATION', notifies: [refresh, 'user_service[alice:one]']}"
        status_is 0
        is "$(pid_of one)" "$before"
        with 1 apply '{user_service: alice:one, ensure: running}' \
            "{file: /root/changed, content: '$RHOST_ISOLATION again', notifies: [refresh, 'user_service[alice:one]']}"
        status_is 0
        [ "$(pid_of one)" != "$before" ]
        applied '{user_service: alice:one, ensure: stopped}'
        with 1 apply '{user_service: alice:one, action: try_restart}'
        status_is 0
        is_active one inactive
        nobody_lingers
        fails "the systemd manager of user 'alice' does not run" '{user_service: alice:one, action: restart}'
        with 1 apply '{user_service: alice:one, action: try_restart}'
        status_is 0
        lingers
    done
}

@test "a manager that cannot be reached is not one that does not run" {
    lingers
    for RHOST_ISOLATION in confined none; do
        applied '{user_service: alice:one, ensure: running}'
        inside mv /run/user/1701/systemd/private /run/user/1701/systemd/away
        fails "the systemd manager of user 'alice' runs and cannot be reached: Failed to connect to bus" \
            '{user_service: alice:one, ensure: stopped}' '{user_service: bob:one, ensure: stopped}'
        says "'systemctl restart user@1701.service' starts it again"
        says "1 ok"
        # Nor is the machine's own manager asked where the user puts it there.
        inside ln -s /run/systemd/private /run/user/1701/systemd/private
        fails "cannot be reached" '{user_service: alice:cron, ensure: stopped}'
        inside systemctl is-active cron
        inside mv -f /run/user/1701/systemd/away /run/user/1701/systemd/private
        applied '{user_service: alice:one, ensure: stopped}'
    done
}

@test "who is not root manages the own units, and no others" {
    lingers
    echo '{resources: [{user_service: alice:one, ensure: running, enable: true}]}' >"$machine/home/alice/own.yaml"
    echo '{resources: [{user_service: bob:one, enable: true}]}' >"$machine/home/alice/other.yaml"
    run alice /opt/rhost/rhost apply --plugin-dir /opt/rhost --state-dir /home/alice/state /home/alice/own.yaml
    status_is 0
    is_active one active
    run alice /opt/rhost/rhost apply --plugin-dir /opt/rhost --state-dir /home/alice/state /home/alice/other.yaml
    [ "$status" -ne 0 ]
    says "bob"
    alice systemctl --user --quiet disable --now one
}

@test "what is listed and applied is no change" {
    lingers
    for RHOST_ISOLATION in confined none; do
        applied '{user_service: alice:one, ensure: running, enable: true}'
        rhost resource user_service >"$machine/root/listed.yaml"
        grep -q 'user_service: "\?alice:one.service' "$machine/root/listed.yaml"
        run rhost apply --noop --detailed-exitcodes /root/listed.yaml
        status_is 0
        applied '{user_service: alice:one, ensure: stopped, enable: false}'
    done
}

@test "the examples of the page work" {
    nobody_lingers
    awk '/^```/ { on = 0 } on { print } /^# scratch example/ { on = 1 }' \
        "$abs_top_srcdir/plugins/user_service/user_service.md" >"$machine/root/site.yaml"
    [ -s "$machine/root/site.yaml" ]
    run rhost apply --detailed-exitcodes /root/site.yaml
    status_is 2
    run rhost apply --detailed-exitcodes /root/site.yaml
    status_is 0
}

#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Runs that are rolled back unless somebody confirms them, on a machine that boots with systemd: a service stands for
# sshd, whose configuration the run breaks.

source "${abs_top_srcdir:-$BATS_TEST_DIRNAME/../..}/tests/lib.bash"
source "$abs_top_srcdir/tests/system/service.bash"

# The state directory that was configured, and the unit that each boot starts, as make install would have it.
setup_file() {
    machine_wanted libsystemd_here || return 0
    export machine=$BATS_FILE_TMPDIR/machine state
    state=$(make_value localstatedir)/lib/rhost
    machine_base "$machine_tarball"
    machine_make "$machine_tarball" "$machine"
    machine_put_rhost "$machine"
    sed -e 's|/usr/bin/rhost|/opt/rhost/rhost|' -e "s|/var/lib/rhost|$state|" \
        "$abs_top_srcdir/packaging/rhost-confirm.service" >"$machine/lib/systemd/system/rhost-confirm.service"
    ln -s ../rhost-confirm.service "$machine/lib/systemd/system/multi-user.target.wants/rhost-confirm.service"
    machine_boot "$machine"
}

setup() {
    work_open
    [ -z "$MACHINE_WHY" ] || skip "$MACHINE_WHY"
    inside rm -f "$state/confirm.json"
    rm -f "$machine/root/go" "$machine/root/started"
    printf 'good\n' >"$machine/etc/door.conf"
    printf '[Service]\nType=oneshot\nRemainAfterExit=yes\nExecStart=/bin/grep -qx good /etc/door.conf\n[Install]\nWantedBy=multi-user.target\n' |
        unit_file door.service
    inside systemctl daemon-reload
    inside systemctl restart door
    {
        echo 'resources:'
        echo '  - service: door'
        echo '    ensure: stopped'
        echo '  - file: /etc/door.conf'
        echo '    content: "bad\n"'
    } >"$machine/root/site.yaml"
}

until_door_is_open() {
    for _ in $(seq 600); do
        [ "$(cat "$machine/etc/door.conf")" != good ] || [ -e "$machine$state/confirm.json" ] || break
        sleep 0.1
    done
    [ "$(cat "$machine/etc/door.conf")" = good ]
    [ ! -e "$machine$state/confirm.json" ]
    state_is door active
}

@test "what locks everybody out is rolled back after the deadline, by a timer" {
    run rhost apply --confirm-within=5 /root/site.yaml
    status_is 0
    says_not 'a reboot does not roll this run back'
    says "'rhost confirm' within 5 s keeps it"
    [ "$(cat "$machine/etc/door.conf")" = bad ]
    inside sh -c "systemctl list-units --all --plain --no-legend 'rhost-confirm-*' | grep -q ."
    until_door_is_open
}

@test "a run that is confirmed stays, and its timer goes" {
    run rhost apply --confirm-within=600 /root/site.yaml
    status_is 0
    run inside /opt/rhost/rhost confirm
    status_is 0
    is "$(inside systemctl list-units --all --plain --no-legend 'rhost-confirm-*.timer')" ''
    [ "$(cat "$machine/etc/door.conf")" = bad ]
}

@test "a run that is killed is rolled back" {
    printf '  - exec: wait\n    command: [sh, -c, "touch /root/started; until test -e /root/go; do sleep 0.1; done"]\n' \
        >>"$machine/root/site.yaml"
    rhost apply --confirm-within=5 /root/site.yaml >out 2>&1 3>&- &
    for _ in $(seq 600); do
        [ ! -e "$machine/root/started" ] || break
        sleep 0.1
    done
    inside sh -c 'kill -9 $(pidof rhost)'
    touch "$machine/root/go"
    wait
    until_door_is_open
}

@test "a reboot rolls back what was never confirmed" {
    run rhost apply --confirm-within=3600 /root/site.yaml
    status_is 0
    inside systemctl enable door
    machine_stop "$machine"
    machine_boot "$machine"
    until_door_is_open
    inside systemctl show -P ConditionResult rhost-confirm.service | grep -qx yes
}

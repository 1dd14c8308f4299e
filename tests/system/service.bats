# SPDX-License-Identifier: Apache-2.0
# Services on a machine that boots with systemd.

source "${abs_top_srcdir:-$BATS_TEST_DIRNAME/../..}/tests/lib.bash"
source "$abs_top_srcdir/tests/system/service.bash"

@test "systemd serves the type where it runs" {
    run rhost types --suits
    says "service systemd"
    says "chosen"
    run rhost describe service --suits
    says "Here it is served by systemd."
}

@test "a service is started and enabled, and stopped and disabled" {
    for RHOST_ISOLATION in confined none; do
        daemon one.service
        applied '{service: one, ensure: running, enable: true}'
        state_is one active
        enabled_is one enabled
        applied '{service: one.service, ensure: stopped, enable: false}'
        state_is one inactive
        enabled_is one disabled
    done
}

@test "noop changes nothing" {
    daemon one.service
    with 3 apply --noop --detailed-exitcodes '{service: one, ensure: running, enable: true, mask: false}'
    status_is 2
    says "ensure stopped → running"
    says "enable false → true"
    state_is one inactive
    enabled_is one disabled
}

@test "what is masked is stopped first, and cannot be started until it is unmasked" {
    printf '[Service]\nExecStart=/bin/sleep 3000\n' >"$machine/lib/systemd/system/masked.service"
    applied '{service: masked, ensure: running}'
    applied '{service: masked, ensure: stopped, mask: true}'
    state_is masked inactive
    enabled_is masked masked
    fails "masked.service cannot be started: it is masked; 'mask: false' unmasks it" \
        '{service: masked, ensure: running}'
    fails "masked.service cannot be enabled: it is masked" '{service: masked, enable: true}'
    applied '{service: masked, ensure: running, mask: false}'
    state_is masked active
    applied '{service: masked, ensure: stopped}'
    daemon own.service
    fails "already exists" '{service: own, mask: true}'
}

@test "a unit that fails says what failed, and its last lines" {
    unit_file bad.service <<'END'
[Service]
Type=oneshot
ExecStart=/bin/sh -c 'for i in 1 2 3 4 5 6; do echo "line $i"; done; exit 3'
END
    unit_file simple.service <<'END'
[Service]
ExecStart=/bin/sh -c 'echo "cannot bind"; exit 4'
END
    unit_file pre.service <<'END'
[Service]
ExecStartPre=/bin/sh -c 'echo "no configuration"; exit 7'
ExecStart=/bin/sleep 100
END
    unit_file none.service <<'END'
[Service]
Type=exec
ExecStart=/nonexistent/program
END
    unit_file killed.service <<'END'
[Service]
Type=oneshot
ExecStart=/bin/sh -c 'kill -9 $$$$'
END
    unit_file needs.service <<'END'
[Unit]
Requires=pre.service
After=pre.service
[Service]
ExecStart=/bin/sleep 100
END
    unit_file cond.service <<'END'
[Unit]
ConditionPathExists=/nonexistent
[Service]
ExecStart=/bin/sleep 100
END
    daemon fine.service
    for RHOST_ISOLATION in confined none; do
        fails "cannot start bad.service: /bin/sh (ExecStart) exited with status 3; its last output:" \
            '{service: [bad, simple, pre, none, killed, needs, cond, fine], ensure: running}'
        says "line 2"
        says "line 6"
        says_not "line 1"
        says "simple.service was started and failed: /bin/sh (ExecStart) exited with status 4"
        says "cannot bind"
        says "cannot start pre.service: /bin/sh (ExecStartPre) exited with status 7"
        says "no configuration"
        says "exited with status 203: its program cannot be executed"
        says "killed.service: /bin/sh (ExecStart) was killed by signal 9 (Killed)"
        says "cannot start needs.service: what it needs has failed: pre.service (failed)"
        says "condition ConditionPathExists=/nonexistent of its unit is not met"
        state_is fine active
        inside systemctl stop fine
    done
}

@test "one that was started too often may be started again" {
    unit_file often.service <<'END'
[Unit]
StartLimitBurst=1
StartLimitIntervalSec=600
[Service]
Type=oneshot
RemainAfterExit=yes
ExecStart=/usr/bin/test -e /root/often
END
    fails "exited with status 1" '{service: often, ensure: running}'
    fails "exited with status 1" '{service: often, ensure: running}'
    touch "$machine/root/often"
    applied '{service: often, ensure: running}'
}

@test "a job that takes too long is not waited for" {
    unit_file slow.service <<'END'
[Service]
Type=oneshot
ExecStart=/bin/sh -c 'echo "thinking"; sleep 60'
END
    SECONDS=0
    fails "it is not done after 1.5 s, which is its timeout; systemd goes on with it" \
        '{service: slow, ensure: running, timeout: 1.5}'
    says "(it is 'activating', 'start' now)"
    says "thinking"
    [ "$SECONDS" -lt 10 ]
    inside systemctl stop slow
}

@test "what is starting, or restarted after each failure, is not stopped yet, and is stopped" {
    unit_file slow.service <<'END'
[Service]
Type=oneshot
ExecStart=/bin/sleep 600
END
    unit_file loop.service <<'END'
[Service]
ExecStart=/bin/false
Restart=always
RestartSec=600
END
    inside systemctl daemon-reload
    inside systemctl start --no-block slow loop
    until [ "$(inside systemctl show -P SubState loop)" = auto-restart ]; do sleep 0.1; done
    with 3 apply --noop --detailed-exitcodes '{service: [slow, loop], ensure: stopped}'
    status_is 2
    says "starting → stopped"
    says "waiting to be restarted after a failure → stopped"
    fails "loop.service was started and failed" '{service: loop, ensure: running}'
    applied '{service: [slow, loop], ensure: stopped}'
    for unit in slow loop; do
        [[ "$(inside systemctl show -P ActiveState $unit)" == @(inactive|failed) ]]
    done
}

@test "a timer that has nothing to start says so" {
    printf '[Timer]\nOnCalendar=daily\n' | unit_file lonely.timer
    printf '[Timer]\nOnCalendar=daily\nUnit=veiled.service\n' | unit_file veiled.timer
    printf '[Path]\nPathExists=/nonexistent\n' | unit_file lonely.path
    printf '[Socket]\nListenStream=/run/lonely\n' | unit_file lonely.socket
    ln -sf /dev/null "$machine/etc/systemd/system/veiled.service"
    fails "cannot start lonely.timer: unit 'lonely.service', which it starts, does not exist" \
        '{service: [lonely.timer, veiled.timer, lonely.path, lonely.socket], ensure: running}'
    says "cannot start veiled.timer: veiled.service, which it starts, is not loaded ('masked')"
    says "cannot start lonely.path: unit 'lonely.service', which it starts, does not exist"
    says "cannot start lonely.socket: unit 'lonely.service', which it starts, does not exist"
    says_not "'success'"
}

@test "what is not there is stopped, and is not started" {
    daemon nearly.service
    in_sync '{service: [nothing, no.socket], ensure: stopped, enable: false, mask: false}'
    fails "unknown unit 'nearby.service'" '{service: nearby, ensure: running}'
    fails "unknown unit 'neraly.service': did you mean 'nearly.service'?" \
        '{service: neraly, enable: true}'
}

@test "who may start again what was stopped is named" {
    daemon one.service
    printf '[Socket]\nListenStream=/run/one.socket\n' | unit_file one.socket
    applied '{service: one.socket, ensure: running}' '{service: one, ensure: running}'
    with 1 apply '{service: one, ensure: stopped}'
    status_is 0
    says "one.service is stopped, and one.socket may start it again"
    inside systemctl start one
    with 1 apply '{service: [one, one.socket], ensure: stopped}'
    status_is 0
    says_not "may start it again"
}

@test "what cannot be enabled says why" {
    fails "systemd-journald.service cannot be enabled: its unit file has no [Install] section" \
        '{service: systemd-journald, enable: true}'
    printf '[Service]\nExecStart=/bin/true\n[Install]\nAlso=one.service\n' | unit_file also.service
    daemon one.service
    fails "also.service is not enabled itself: its [Install] section only names others" \
        '{service: also, enable: true}'
}

@test "what the presets say of a unit is applied" {
    local presets=$machine/etc/systemd/system-preset/10-test.preset
    mkdir -p "${presets%/*}"
    unit_file plain.service <<<$'[Service]\nExecStart=/bin/sleep 300'
    for RHOST_ISOLATION in confined none; do
        daemon on.service
        daemon off.service
        printf 'enable on.service\ndisable *\n' >"$presets"
        inside systemctl -q enable off
        with 3 apply --noop --detailed-exitcodes '{service: [on, off], enable: preset}'
        status_is 2
        says "enable false → true, its preset"
        says "enable true → false, its preset"
        enabled_is on disabled
        applied '{service: [on, off], enable: preset}'
        enabled_is on enabled
        enabled_is off disabled
        in_sync '{service: [plain, debug-shell], enable: preset}'
        # systemd has read the unit, and knows the preset of then.
        applied '{service: on, ensure: running, enable: preset}'
        printf 'disable *\n' >"$presets"
        applied '{service: on, enable: preset}'
        enabled_is on disabled
        inside systemctl stop on
    done
    # What is masked cannot be enabled, by a preset neither.
    rm "$machine/etc/systemd/system/on.service"
    inside systemctl -q mask --now on
    in_sync '{service: on, enable: preset}'
    printf 'enable *\n' >"$presets"
    fails "on.service cannot be enabled: it is masked; 'mask: false' unmasks it" '{service: on, enable: preset}'
    rm "$presets" "$machine/etc/systemd/system/on.service"
    mkdir "$presets"
    fails "cannot tell what the preset of off.service is: a file in /etc/systemd/system-preset, or" \
        '{service: off, enable: preset}'
    rmdir "$presets"
    with 2 apply --noop '{service: offf, enable: preset}'
    says "unknown unit: its preset applies once it exists"
    fails "unknown unit 'offf.service': did you mean 'off.service'?" '{service: offf, enable: preset}'
    fails "the preset of a template enables instances of it" '{service: getty@tty3, enable: preset}'
    fails "scripts in /etc/init.d have no presets" '{service: off, provider: sysv, enable: preset}'
}

@test "actions, and what a notification does" {
    daemon one.service 'ExecReload=/bin/sh -c "echo reloaded >>/root/reloads"'
    daemon plain.service
    inside systemctl daemon-reload
    for RHOST_ISOLATION in confined none; do
        rm -f "$machine/root/reloads" "$machine/root/conf"
        with 1 apply '{service: [one, plain], action: start}'
        status_is 0
        before=$(pid_of one) plain=$(pid_of plain)
        with 1 apply '{service: one, action: reload}'
        status_is 0
        [ "$(cat "$machine/root/reloads")" = reloaded ]
        [ "$(pid_of one)" = "$before" ]
        with 1 apply '{service: [one, plain], action: reload_or_restart}'
        [ "$(pid_of one)" = "$before" ]
        [ "$(pid_of plain)" != "$plain" ]
        with 1 apply '{service: one, action: restart}'
        state_is one active
        [ "$(pid_of one)" != "$before" ]
        fails "cannot reload plain.service" '{service: plain, action: reload}'
        before=$(pid_of one)
        with 1 apply '{file: /root/conf, content: a, notify: "service[one]"}' '{service: one, on_refresh: reload}'
        status_is 0
        [ "$(pid_of one)" = "$before" ]
        [ "$(wc -l <"$machine/root/reloads")" -eq 3 ]
        with 1 apply '{file: /root/conf, content: b, notify: "service[one]"}' '{service: one, ensure: running}'
        state_is one active
        [ "$(pid_of one)" != "$before" ]
        with 1 apply '{service: [one, plain], action: stop}'
        with 1 apply '{service: one, action: try_restart}'
        with 1 apply '{file: /root/conf, content: c, notify: "service[one]"}' '{service: one}'
        status_is 0
        state_is one inactive
    done
}

@test "what is started by a run is not restarted by it" {
    daemon one.service
    rm -f "$machine/root/conf"
    with 2 apply --debug '{file: /root/conf, content: a, notify: "service[one]"}' \
        '{service: one, ensure: running}'
    status_is 0
    [ "$(grep -c StartUnit <<<"$output")" -eq 1 ]
    says_not TryRestart
    inside systemctl stop one
}

@test "twenty services are started together" {
    local all
    for i in $(seq 20); do
        daemon "many$i.service" 'ExecStartPre=/bin/sleep 1'
    done
    all=$(seq -s, -f 'many%g' 20)
    SECONDS=0
    with 2 apply --debug "{service: [$all], ensure: running, enable: true}"
    status_is 0
    [ "$SECONDS" -lt 15 ]
    [ "$(grep -c 'StartUnit many' <<<"$output")" -eq 20 ]
    [ "$(grep -c 'asked systemd to read' <<<"$output")" -le 2 ]
    with 2 apply --detailed-exitcodes "{service: [$all], ensure: running, enable: true}"
    status_is 0
    applied "{service: [$all], ensure: stopped, enable: false}"
}

@test "who is not root sees the same, over the system's bus" {
    rhost resource service dbus.service >"$work/root"
    inside setpriv --reuid=65534 --clear-groups /opt/rhost/rhost resource --plugin-dir /opt/rhost \
        --state-dir /tmp/nobody service dbus.service >"$work/nobody"
    grep -q 'ensure: running' "$work/nobody"
    diff "$work/root" "$work/nobody"
}

@test "a script in init.d is served by name" {
    cat >"$machine/etc/init.d/legacy" <<'END'
#!/bin/sh
### BEGIN INIT INFO
# Provides:          legacy
# Required-Start:
# Required-Stop:
# Default-Start:     2 3 4 5
# Default-Stop:      0 1 6
# Short-Description: legacy
### END INIT INFO
case $1 in
start) touch /run/legacy ;;
stop) rm -f /run/legacy ;;
restart) touch /run/legacy.again ;;
status) [ -e /run/legacy ] || exit 3 ;;
*) exit 3 ;;
esac
END
    chmod +x "$machine/etc/init.d/legacy"
    for RHOST_ISOLATION in confined none; do
        applied '{service: legacy, provider: sysv, ensure: running, enable: true}'
        inside test -e /run/legacy
        ls "$machine"/etc/rc3.d/S??legacy
        applied '{service: legacy, provider: sysv, ensure: stopped, enable: false}'
        inside test ! -e /run/legacy
        ls "$machine"/etc/rc3.d/K??legacy
        inside systemctl daemon-reload
        fails "legacy.service cannot be enabled by systemd, as its unit is made from /etc/init.d/legacy: 'provider: sysv' can" \
            '{service: legacy, enable: true}'
        run rhost resource service --provider=sysv
        status_is 0
        says "service: legacy"
    done
}

@test "the examples of the page work" {
    awk '/^```/ { on = 0 } on { print } /^# scratch example/ { on = 1 }' \
        "$abs_top_srcdir/plugins/service-systemd/service-systemd.md" >"$machine/root/site.yaml"
    [ -s "$machine/root/site.yaml" ]
    run rhost apply --detailed-exitcodes /root/site.yaml
    status_is 2
    run rhost apply --detailed-exitcodes /root/site.yaml
    status_is 0
    state_is hello active
    enabled_is debug-shell masked
}

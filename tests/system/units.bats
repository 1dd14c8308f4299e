# SPDX-License-Identifier: Apache-2.0
# Unit files on a machine that boots with systemd: those that rhost writes, and those of others.

source "${abs_top_srcdir:-$BATS_TEST_DIRNAME/../..}/tests/lib.bash"
source "$abs_top_srcdir/tests/system/service.bash"

@test "instances of templates, aliases and other units" {
    unit_file tpl@.service <<'END'
[Service]
ExecStart=/bin/sleep 300%i
[Install]
WantedBy=multi-user.target
END
    printf '[Service]\nExecStart=/bin/sleep 3000\n[Install]\nAlias=nick.service\n' | unit_file real.service
    applied '{service: ["tpl@1", "tpl@2.service"], ensure: running, enable: true}'
    state_is tpl@1 active
    enabled_is tpl@2 enabled
    applied '{service: ["tpl@1", "tpl@2"], ensure: stopped, enable: false}'
    applied '{service: real, enable: true, ensure: running}'
    applied '{service: nick, ensure: stopped}'
    state_is real inactive
    with 1 apply '{service: [nick, real], ensure: stopped}'
    status_is 1
    says "declared twice"
    applied '{service: real, enable: false}'
    applied '{service: systemd-tmpfiles-clean.timer, ensure: stopped}'
    applied '{service: systemd-tmpfiles-clean.timer, ensure: running}'
}

@test "unit files that are newer than what systemd knows are read anew, once" {
    daemon one.service
    daemon two.service
    # What is enabled stays loaded.
    applied '{service: [one, two], enable: true}'
    sleep 1
    daemon one.service Environment=NEW=1
    daemon two.service Environment=NEW=1
    daemon three.service
    with 2 apply --debug '{service: [one, two, three], ensure: running}'
    status_is 0
    [ "$(grep -c 'asked systemd to read' <<<"$output")" -eq 1 ]
    [ "$(inside systemctl show -P Environment one)" = NEW=1 ]
    sleep 1
    daemon one.service Environment=NEW=2
    with 1 apply '{service: one, action: restart}'
    status_is 0
    [ "$(inside systemctl show -P Environment one)" = NEW=2 ]
    applied '{service: [one, two], enable: false}'
    inside systemctl stop one two three
    rm "$machine/etc/systemd/system/three.service"
}

@test "what is listed and applied is no change" {
    for RHOST_ISOLATION in confined none; do
        rhost resource service >"$machine/root/listed.yaml"
        grep -q 'service: systemd-journald.service' "$machine/root/listed.yaml"
        [ "$(grep -c 'service:' "$machine/root/listed.yaml")" -gt 40 ]
        run rhost apply --noop --detailed-exitcodes /root/listed.yaml
        status_is 0
        daemon one.service
        mkdir -p "$machine/etc/systemd/system/one.service.d"
        printf '[Service]\nNice=1\n' | unit_file one.service.d/x.conf
        rhost resource systemd_unit >"$machine/root/listed.yaml"
        grep -q 'systemd_unit: one.service$' "$machine/root/listed.yaml"
        grep -q 'systemd_unit: one.service.d/x.conf$' "$machine/root/listed.yaml"
        run rhost apply --noop --detailed-exitcodes /root/listed.yaml
        status_is 0
    done
}

@test "a unit, its drop-in and its service in one manifest" {
    local unit='{systemd_unit: web.service, settings: {Service: {ExecStart: /bin/sleep 3000}, Install: {WantedBy: multi-user.target}}}'
    for RHOST_ISOLATION in confined none; do
        applied '{service: web, ensure: running, enable: true}' "$unit" \
            '{systemd_unit: web.service.d/limits, settings: {Service: {MemoryMax: 50M}}}'
        state_is web active
        [ "$(inside systemctl show -P MemoryMax web)" = 52428800 ]
        before=$(pid_of web)
        applied '{service: web, ensure: running, enable: true}' "$unit" \
            '{systemd_unit: web.service.d/limits, settings: {Service: {MemoryMax: 60M}}}'
        [ "$(pid_of web)" != "$before" ]
        [ "$(inside systemctl show -P MemoryMax web)" = 62914560 ]
        fails "it is left as it was, as systemd finds fault with it" '{service: web, ensure: running}' \
            '{systemd_unit: web.service, settings: {Service: {ExecStart: /bin/sleep 3000, Frobnicate: x}}}'
        says "Unknown key"
        says "skipped: depends on systemd_unit[web.service]"
        grep -q '^\[Install\]' "$machine/etc/systemd/system/web.service"
        applied '{systemd_unit: [web.service, web.service.d/limits], ensure: absent}' \
            '{service: web, ensure: stopped}'
        [ -z "$(find "$machine/etc/systemd/system" -name 'web*')" ]
        state_is web inactive
    done
}

@test "a unit that goes is disabled first, with what its [Install] section says" {
    local also='{systemd_unit: along.target, settings: {Install: {WantedBy: multi-user.target}}}'
    applied '{service: goes, enable: true}' "$also" \
        '{systemd_unit: goes.service, settings: {Service: {ExecStart: /bin/sleep 3000}, Install: {WantedBy: multi-user.target, Also: along.target}}}'
    enabled_is along.target enabled
    applied '{systemd_unit: goes.service, ensure: absent}'
    [ -z "$(find "$machine/etc/systemd/system" -name 'goes*')" ]
    # Only its file says that this one goes with it.
    enabled_is along.target disabled
    applied '{systemd_unit: along.target, ensure: absent}'
}

@test "a batch of units is read by systemd once" {
    with 2 apply --debug '{systemd_unit: [a.target, b.target, c.target], settings: {Unit: {Description: x}}}'
    status_is 0
    [ "$(grep -c 'asked systemd to read' <<<"$output")" -eq 1 ]
    applied '{systemd_unit: [a.target, b.target, c.target], ensure: absent}'
}

# systemd looks at all unit files for each list of them, which the check asks for again and again: there is a directory
# with those alone that something runs.
@test "rhost check passes the provider of services, with its fixture" {
    inside sh -euc 'cd /lib/systemd
        systemctl list-units --plain --no-legend | cut -d " " -f 1 >/run/active
        mkdir few
        find system -maxdepth 1 ! -name system "(" -name "*@.*" -o -type d ")" -exec cp -a -t few {} +
        find system -maxdepth 1 ! -type d -printf "%f\n" | grep -xFf /run/active |
            while read -r unit; do cp -a "system/$unit" few; done
        mv system all
        mv few system
        systemctl daemon-reload'
    cp "$abs_top_srcdir/plugins/service-systemd/service-systemd.fixture.yaml" "$machine/root/"
    touch "$machine/opt/rhost/may-be-broken"
    chmod +x "$machine/opt/rhost/may-be-broken"
    run inside /opt/rhost/rhost check /opt/rhost/service-systemd.so \
        --fixture /root/service-systemd.fixture.yaml --time-limit=60 --seed=1 --allocations=1 --rounds=10
    rm "$machine/opt/rhost/may-be-broken"
    status_is 0
    says 'pass writes service/systemd'
    says 'pass idempotent service/systemd'
}

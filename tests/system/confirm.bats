#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Runs that are rolled back unless somebody confirms them, on a machine that boots with systemd.

source "${abs_top_srcdir:-$BATS_TEST_DIRNAME/../..}/tests/lib.bash"
source "$abs_top_srcdir/tests/system/confirm.bash"

@test "what locks everybody out is rolled back after the deadline, by a timer" {
    run rhost apply --confirm-within=10 /root/site.yaml
    status_is 4
    says_not 'a reboot does not roll this run back'
    says "'rhost confirm' within 10 s keeps it"
    inside sh -c "systemctl list-units --all --plain --no-legend 'rhost-confirm-*' | grep -q ."
    locked_out
    rolled_back
}

@test "a firewall that was not there before is not there afterwards" {
    inside systemctl -q disable --now nftables
    is "$(inside nft list ruleset)" ''
    echo '    enable: true' >>"$machine/root/site.yaml"
    ruleset=''
    run rhost apply --confirm-within=10 /root/site.yaml
    status_is 4
    locked_out
    until_true test ! -e "$machine$state/confirm.json"
    is "$(inside nft list ruleset)" ''
    state_is nftables inactive
    enabled_is nftables disabled
    inside systemctl -q enable nftables
    run outside 'echo hello'
    is "$output" hello
}

@test "a run that is confirmed stays, and its timer goes" {
    run rhost apply --confirm-within=600 /root/site.yaml
    status_is 4
    run inside /opt/rhost/rhost confirm
    status_is 0
    is "$(inside systemctl list-units --all --plain --no-legend 'rhost-confirm-*.timer')" ''
    locked_out
}

@test "a run that is killed is rolled back" {
    long_site
    rhost apply --confirm-within=4 /root/site.yaml >out 2>&1 3>&- &
    job=$!
    until_true test -e "$machine/root/started"
    locked_out
    inside sh -c 'kill -9 $(pidof rhost)'
    touch "$machine/root/go"
    wait "$job" || true
    rolled_back
}

# The run in a session of ssh, which is lost when the run has broken what it came through: lost_session OPTION...
lost_session() {
    long_site
    outside "$@" 'echo $PPID >session; cat /proc/self/cgroup >cgroup
        exec /opt/rhost/rhost apply --plugin-dir /opt/rhost --confirm-within=2 site.yaml' >out 2>&1 3>&- &
    job=$!
    until_true test -e "$machine/root/started"
    grep -q '/session-.*[.]scope' "$machine/root/cgroup"
    locked_out
    inside kill -9 "$(cat "$machine/root/session")"
}

no_rhost() {
    [ -z "$(inside pidof rhost rhost-worker)" ]
}

@test "a run whose session is lost is rolled back, with a terminal and without" {
    lost_session -tt
    until_true no_rhost
    inside pkill -x ssh
    wait "$job" || true
    rolled_back
    rm -f "$machine"/root/{go,started}
    setup
    # Without one, no signal ends it: it goes on, and cannot write its report any more.
    lost_session
    sleep 1
    inside pidof rhost
    touch "$machine/root/go"
    inside pkill -x ssh
    wait "$job" || true
    rolled_back
}

@test "a run whose session is lost, with all its processes, is rolled back" {
    mkdir -p "$machine/etc/systemd/logind.conf.d"
    printf '[Login]\nKillUserProcesses=yes\nKillExcludeUsers=nobody\n' >"$machine/etc/systemd/logind.conf.d/kill.conf"
    inside systemctl restart systemd-logind
    lost_session
    until_true no_rhost
    [ ! -e "$machine/root/go" ]
    inside pkill -x ssh
    wait "$job" || true
    rolled_back
    rm "$machine/etc/systemd/logind.conf.d/kill.conf"
    inside systemctl restart systemd-logind
}

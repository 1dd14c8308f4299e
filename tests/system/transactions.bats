#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Transactions of apt, on a machine that boots: fifty packages at once, and those that are killed half way.

source "${abs_top_srcdir:-$BATS_TEST_DIRNAME/../..}/tests/lib.bash"
source "$abs_top_srcdir/tests/system/operator.bash"

setup_file() {
    operator_machine
    [ -z "$MACHINE_WHY" ] || return 0
    echo 'deb [trusted=yes] file:/srv/repository ./' >"$machine/etc/apt/sources.list"
    inside 'apt-get -q update && apt-get -q -y install rhost many-rival many-follower' >/dev/null
    {
        echo 'resources:'
        seq -w 1 50 | sed 's/.*/  - package: many-&/'
    } >"$machine/root/many.yaml"
    printf 'resources:\n  - package: [slow-1, slow-2, slow-3]\n' >"$machine/root/slow.yaml"
    printf 'resources:\n  - package: [early-1, early-2]\n' >"$machine/root/early.yaml"
}

teardown_file() {
    machine_leave
}

# The names behind "would also install: " and the like, one a line.
named_behind() {
    sed -n "s/.*notice: package: $1: //p" <<<"$printed" | tr ',' '\n' | awk '{ print $1 }'
}

# What dpkg noted that it did like this since it was asked to forget.
done_by_dpkg() {
    inside "awk '\$3 == \"$1\" { sub(\":.*\", \"\", \$4); print \$4 }' /var/log/dpkg.log" | LC_ALL=C sort -u
}

@test "noop of fifty packages says what apt will do, and one transaction does it" {
    local install remove

    tell '## Fifty packages'
    inside ': >/var/log/dpkg.log; : >/var/log/apt/history.log; dpkg-query -W >before'
    head=4 on 'rhost apply --noop --detailed-exitcodes --report=report.json many.yaml'
    status_is 2
    install=$({ reported would_change | sed 's/package\[\(.*\)\]/\1/'; named_behind 'would also install'; } | LC_ALL=C sort)
    remove=$(named_behind 'would also remove' | LC_ALL=C sort)
    inside 'dpkg-query -W | cmp - before'
    same 'the packages that bring along' $'many-base\nmany-lib' "$(named_behind 'would also install')"
    same 'what has to go' $'many-follower\nmany-rival' "$remove"
    [ "$(wc -l <<<"$install")" -eq 52 ]

    head=4 on 'rhost apply --detailed-exitcodes --report=report.json many.yaml'
    status_is 2
    same 'what was installed' "$install" "$(done_by_dpkg install)"
    same 'what was removed' "$remove" "$(done_by_dpkg remove)"
    same 'what was told to be installed' "$(named_behind 'also installed')" $'many-base\nmany-lib'
    same 'what was told to be removed' "$(named_behind 'also removed' | LC_ALL=C sort)" "$remove"
    on 'grep -c ^Commandline: /var/log/apt/history.log'
    [ "$output" = 1 ]
    on 'grep -c " startup archives " /var/log/dpkg.log'
    [ "$output" = 1 ]
    on "awk '{ print \$3 }' /var/log/dpkg.log | sort | uniq -c"
    tell "The 52 packages that noop had named were installed, the 2 that it had named were removed, and no other."
    on 'rhost apply --detailed-exitcodes many.yaml'
    status_is 0
}

states="dpkg-query -W -f '\${Package} \${db:Status-Status}\n' 'slow-*'"

# begin MANIFEST COMMAND: starts the slow ones, and does that in the middle of the first.
begin() {
    inside 'rm -f /run/slow-began /run/quick; dpkg --purge slow-1 slow-2 slow-3 >/dev/null 2>&1' || true
    on "rhost apply $1 >/dev/null 2>&1 &"$'\nwait-for /run/slow-began\n'"$2"
}

all_are_configured() {
    inside_is "dpkg-query -W -f '\${db:Status-Status}\n' 'slow-*'" $'installed\ninstalled\ninstalled'
    inside_is 'dpkg --audit' ''
    on 'rhost apply --detailed-exitcodes slow.yaml'
    status_is 0
}

@test "rhost is killed in the middle, and apt goes on: the next run waits for it" {
    tell '## Killed in the middle'
    tell "Packages whose \`postinst\` takes its time, and somebody who kills rhost and its worker."
    begin slow.yaml 'pkill -KILL rhost
sleep 0.5; ps -o args= -C apt-get,dpkg'
    on "$states"
    on 'rhost runs | head -n 1'
    says 'did not end in the middle of package[slow-1]'
    on '(sleep 2; touch /run/quick) & rhost apply --detailed-exitcodes slow.yaml'
    status_is 2
    says "the package manager is in use: '/var/lib/dpkg/lock-frontend' is held by process"
    says '(apt-get); waiting up to 300 s'
    all_are_configured
}

@test "rhost, apt and dpkg are killed: the next run has dpkg finish first" {
    tell "The same, and all of apt is killed as well."
    begin slow.yaml 'pkill -KILL "rhost|apt-get|dpkg|postinst"
sleep 0.5; ps -o args= -C apt-get,dpkg'
    on "$states"
    inside 'touch /run/quick'
    on 'rhost apply --noop slow.yaml'
    status_is 0
    says "would run 'dpkg --configure -a' first"
    on 'rhost apply --detailed-exitcodes slow.yaml'
    status_is 2
    says "running 'dpkg --configure -a' first"
    all_are_configured
}

@test "rhost and apt are killed, and dpkg goes on: the next run waits for it" {
    tell "And once more, with dpkg left running."
    begin slow.yaml 'pkill -KILL "rhost|apt-get"
sleep 0.5; ps -o args= -C apt-get,dpkg'
    on "$states"
    on 'rhost apply --noop slow.yaml'
    status_is 0
    says 'a run would wait until that is done'
    on '(sleep 2; touch /run/quick) & rhost apply --detailed-exitcodes slow.yaml'
    status_is 2
    says "the package manager is in use: '/var/lib/dpkg/lock' is held by process"
    says '(dpkg); waiting up to 300 s'
    all_are_configured
}

@test "rhost, apt and dpkg are killed while something is unpacked: the next run has it unpacked again" {
    tell "All are killed again, this time while the second of two packages that need each other is unpacked."
    begin early.yaml 'pkill -KILL "rhost|apt-get|dpkg|preinst"
sleep 0.5; dpkg --audit'
    on "${states/slow/early}"
    inside 'touch /run/quick'
    on 'rhost apply --detailed-exitcodes early.yaml'
    status_is 2
    says 'half-installed → installed'
    inside_is "${states/slow/early}" $'early-1 installed\nearly-2 installed'
    inside_is 'dpkg --audit' ''
    on 'rhost apply --detailed-exitcodes early.yaml'
    status_is 0
}

@test "rhost.service is stopped in the middle, and apt is not killed" {
    tell '## Stopped in the middle'
    tell "A run of the timer's service, which is stopped while packages are configured."
    inside 'rm -f /run/slow-began /run/quick; dpkg --purge slow-1 slow-2 slow-3 >/dev/null 2>&1' || true
    inside 'mkdir -p /etc/rhost && cp slow.yaml /etc/rhost/site.yaml'
    on 'systemctl start --no-block rhost.service
wait-for /run/slow-began
systemctl stop --no-block rhost.service
sleep 1; ps -o comm= -C apt-get,dpkg'
    says apt-get
    says dpkg
    # logind is told to wait for the package manager as well.
    on "systemd-inhibit --list --no-legend | grep -i 'apt\|rhost'"
    status_is 0
    says 'shutdown'
    inside 'touch /run/quick; for i in $(seq 200); do pgrep -x apt-get >/dev/null || break; sleep 0.1; done'
    inside 'for i in $(seq 200); do systemctl is-active -q rhost || break; sleep 0.1; done; ! systemctl is-active -q rhost'
    inside 'rm /etc/rhost/site.yaml'
    all_are_configured
}

#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# The processes of a provider: the broker, which starts commands, and the worker, which has the plugin. Whichever of them
# ends, what happened is reported, and no process and no lock stays.
source "${abs_top_srcdir:-$BATS_TEST_DIRNAME/../..}/tests/lib.bash"
source "$abs_top_srcdir/tests/plugins/faults.bash"

setup() {
    [ "$RHOST_ISOLATION" != none ] || skip "inline there is no broker"
    requires_command pgrep
    work_open
}

teardown() {
    [ -z "${work-}" ] || touch "$work/go"
}

manifest() {
    cat >site.yaml <<END
resources:
  - exec: wait
    command: [sh, -c, "touch $work/started; until test -e $work/go; do sleep 0.05; done"]
    timeout: 60
END
}

# Starts a run with a command that goes on until the file `go` is there. Its processes are $host, $broker, $worker,
# $keeper and $shell.
start() {
    manifest
    "$abs_top_builddir/rhost" apply --isolation=worker --state-dir "$BATS_TEST_TMPDIR/state" site.yaml >out 2>&1 3>&- &
    host=$!
    for _ in $(seq 600); do
        [ -e started ] && break
        sleep 0.05
    done
    [ -e started ]
    worker=$(pgrep -x rhost-worker -P "$(pgrep -d, -x rhost-broker -P "$host")")
    broker=$(ps -o ppid= -p "$worker" | tr -d ' ')
    keeper=$(pgrep -P "$broker" -x rhost-broker)
    shell=$(pgrep -P "$keeper")
    [ "$(ps -o ppid= -p "$broker" | tr -d ' ')" = "$host" ]
}

ends_with() {
    status=0
    wait "$host" || status=$?
    output=$(cat out)
    status_is "$1"
}

nothing_is_left() {
    local pid
    for pid in "$host" "$broker" "$worker" "$keeper" "$shell"; do
        for _ in $(seq 600); do
            [ -e "/proc/$pid" ] || break
            sleep 0.05
        done
        [ ! -e "/proc/$pid" ]
    done
    touch go
    run "$abs_top_builddir/rhost" apply --isolation=worker --state-dir "$BATS_TEST_TMPDIR/state" site.yaml
    status_is 0
}

is_gone() {
    for _ in $(seq 600); do
        [ -e "/proc/$1" ] || return 0
        sleep 0.05
    done
    return 1
}

@test "a worker that is killed is reported; its command goes on" {
    start
    kill -KILL "$worker"
    ends_with 4
    says "failed: provider 'exec' 1.0 was killed, while updating exec[wait]"
    is_gone "$broker"
    [ -e "/proc/$shell" ]
    touch go
    nothing_is_left
}

@test "how a worker ended is known when the caller of rhost ignores SIGCHLD" {
    RHOST_WRAP="env --ignore-signal=CHLD" start
    kill -SEGV "$worker"
    ends_with 4
    says "failed: provider 'exec' 1.0 crashed: Segmentation fault, while updating exec[wait]"
    touch go
    nothing_is_left
}

# In ticks of the clock, a hundred a second.
cpu_time() {
    awk '{ print $14 + $15 }' "/proc/$1/stat"
}

@test "the process above a command waits without using the CPU when worker and broker are gone" {
    local before
    start
    kill -KILL "$worker"
    ends_with 4
    is_gone "$broker"
    before=$(cpu_time "$keeper")
    sleep 1
    [ "$(($(cpu_time "$keeper") - before))" -lt 20 ]
    touch go
    nothing_is_left
}

@test "a worker that ends by another signal is reported with that" {
    start
    kill -SEGV "$worker"
    ends_with 4
    says "failed: provider 'exec' 1.0 crashed: Segmentation fault, while updating exec[wait]"
    touch go
    nothing_is_left
}

@test "a broker that is killed takes its worker with it; its command goes on" {
    start
    kill -KILL "$broker"
    ends_with 4
    says "failed: provider 'exec' 1.0 was killed, while updating exec[wait]"
    is_gone "$worker"
    [ -e "/proc/$shell" ]
    touch go
    nothing_is_left
}

@test "when rhost is killed, broker and worker end; the command goes on" {
    start
    kill -KILL "$host"
    ends_with 137
    is_gone "$broker"
    is_gone "$worker"
    [ -e "/proc/$shell" ]
    touch go
    nothing_is_left
}

@test "when the process above a command is killed, the command is too" {
    start
    kill -KILL "$keeper"
    ends_with 4
    says "was lost: the process above it was killed"
    nothing_is_left
}

@test "a command that is killed is reported" {
    start
    kill -KILL "$shell"
    ends_with 4
    says "failed: the command was killed by signal 9"
    nothing_is_left
}

@test "a broker and a worker that are stopped are ended when the time is up" {
    cat >site.yaml <<END
resources:
  - fault_simple: bad
    value: new
END
    # The plugin is described before, so that the only broker is that of the change.
    "$abs_top_builddir/rhost" validate --plugin-dir "$BATS_TEST_TMPDIR/plugins" --state-dir "$BATS_TEST_TMPDIR/state" site.yaml
    FAULT="update hang" "$abs_top_builddir/rhost" apply --isolation=worker --time-limit=3 --plugin-dir "$BATS_TEST_TMPDIR/plugins" \
        --state-dir "$BATS_TEST_TMPDIR/state" site.yaml >out 2>&1 3>&- &
    host=$!
    worker=
    for _ in $(seq 600); do
        broker=$(pgrep -d, -x rhost-broker -P "$host") && worker=$(pgrep -x rhost-worker -P "$broker") && break
        sleep 0.05
    done
    broker=$(ps -o ppid= -p "$worker" | tr -d ' ')
    kill -STOP "$worker" "$broker"
    ends_with 4
    says "timed out: no response for 3 s; the worker was killed"
    is_gone "$broker"
    is_gone "$worker"
}

@test "a command has none of the descriptors and variables of broker and worker" {
    cat >site.yaml <<END
resources:
  - exec: look
    command: [sh, -c, "exec >$work/seen; ls -l /proc/self/fd | grep -c -- '->'; env | sort; ps -o sid= -p \$\$; echo \$\$"]
END
    LEAK=1 run rhost apply --isolation=worker site.yaml
    status_is 0
    mapfile -t lines <seen
    is "${lines[0]}" 4 # and the directory that ls reads
    is "${lines[1]}" LC_ALL=C.UTF-8
    says_not LEAK
    not grep -q LEAK seen
    is "$(tr -d ' ' <<<"${lines[-2]}")" "${lines[-1]}" # a session of its own
}

@test "why the broker cannot start its worker is reported" {
    local as=(setpriv --reuid 64997 --regid 64997 --clear-groups) # runs nothing else
    requires_root
    requires_command setpriv
    requires_command prlimit
    "${as[@]}" test -x "$abs_top_builddir/rhost" || skip "others cannot run what was built"
    cd /
    run "${as[@]}" env -u XDG_CACHE_HOME -u XDG_STATE_HOME HOME=/nowhere prlimit --nproc=2 \
        "$abs_top_builddir/rhost" types --isolation=worker
    status_is 0
    says "exec.so' is not used: it could not start its worker process (Resource temporarily unavailable)"
}

@test "garbage for the broker ends the worker, and not the broker" {
    ends update "broker garbage" "is unavailable in this run: it sent an invalid request to its broker (it is too long) and was killed"
}

@test "a command that a plugin has the broker start by itself is in the debug log" {
    strike update "broker command" --debug
    status_is 0
    says "debug: provider 'fault_simple' 1.5: starting 'true'"
    says_not "Executing 'true'"
}

#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# What a signal does to a run.
source "${abs_top_srcdir:-$BATS_TEST_DIRNAME/../..}/tests/cli/cli.bash"

owed=$BATS_TEST_TMPDIR/state/pending.jsonl

# A command that goes on until there is a file `go`, with another before it and others after it.
site() {
    manifest <<END
resources:
  - file: $work/before
    content: a
    notify: exec[told]
  - exec: long
    command: [sh, -c, "touch $work/started; until test -e $work/go; do sleep 0.05; done; touch $work/finished"]
    creates: $work/finished
  - file: $work/after
    content: a
  - exec: told
    command: [sh, -c, "echo told >>$work/log"]
    action: nothing
END
}

# Starts a run, whose output goes to `out`, and waits until its command has begun.
start() {
    # What a shell starts in the background ignores SIGINT.
    env --default-signal=INT "${RHOST:-$abs_top_builddir/rhost}" apply --state-dir "$BATS_TEST_TMPDIR/state" \
        --isolation="$RHOST_ISOLATION" "$@" site.yaml >out 2>&1 3>&- &
    run_pid=$!
    for _ in $(seq 200); do
        [ ! -e started ] || break
        sleep 0.05
    done
    [ -e started ]
}

ends_with_status() {
    status=0
    wait "$run_pid" || status=$?
    output=$(cat out)
    status_is "$1"
}

until_it_says() {
    for _ in $(seq 200); do
        ! grep -q "$1" out || return 0
        sleep 0.05
    done
    cat out
    return 1
}

teardown() {
    touch "$work/go"
    wait
}

@test "a signal ends the command at hand with all that it started, and nothing else begins" {
    local name number
    site
    for signal in INT:130 TERM:143 HUP:129; do
        name=${signal%:*} number=${signal#*:}
        rm -rf started go finished before after log out report "$BATS_TEST_TMPDIR/state"
        start --report=report
        kill "-$name" "$run_pid"
        ends_with_status "$number"
        [ ! -e finished ]
        [ ! -e after ]
        [ ! -e log ]
        says "interrupted by SIG$name: the run ends when exec[long] has ended; send it again to end at once"
        says "' was ended: the run was interrupted"
        says "interrupted by SIG$name: 1 resource was not reached: file[$work/after]; pending notifications are kept for the next run; 'rhost show last' shows what was done"
        says "3 resources: 1 changed, 1 failed, 1 not reached · "
        says ' · interrupted'
        json_is report '[(r["title"], r["status"]) for r in d["resources"]]' \
            "[('$work/before', 'changed'), ('long', 'failed')]"
        json_is report 'd["exit"], d["interrupted"], d["counts"]["not_reached"]' "($number, 'SIG$name', 1)"
        run rhost runs
        says "interrupted"
        says "1 not reached"
        run rhost show last
        says "ended with exit status $number"
        says "1 resource was not reached: file[$work/after]"
        says ' · interrupted'
        run rhost pending
        says "exec[told] run"
        touch go
        run rhost apply site.yaml
        status_is 0
        [ -e after ]
        is "$(cat log)" told
        [ ! -e "$owed" ]
    done
}

@test "the whole tree of the command is ended, also what has left its group or ignores SIGTERM" {
    manifest <<END
resources:
  - exec: tree
    command:
      - sh
      - -c
      - |
        setsid sh -c 'echo \$\$ >>$work/pids; sleep 600' &
        sh -c 'echo \$\$ >>$work/pids; sleep 600' &
        while [ \$(wc -l <$work/pids) -lt 2 ]; do sleep 0.05; done
        touch $work/started
        sleep 600
END
    : >pids
    start
    kill -INT "$run_pid"
    ends_with_status 130
    is "$(wc -l <pids)" 2
    while read -r pid; do
        not kill -0 "$pid"
    done <pids
    rhost apply --noop site.yaml # nobody holds the lock
}

@test "a command that ends well when it is asked to end has done its work" {
    manifest <<END
resources:
  - exec: kind
    command: [sh, -c, "trap 'touch $work/kindly; exit 0' TERM; touch $work/started; while :; do sleep 0.05; done"]
END
    start
    kill -TERM "$run_pid"
    ends_with_status 143
    [ -e kindly ]
    says '1 resource: 1 changed · '
}

@test "Ctrl-C on a terminal, once and twice" {
    local command=("$abs_top_builddir/rhost" apply --state-dir "$BATS_TEST_TMPDIR/state" site.yaml)

    needs_python
    site
    mkdir -m 700 -p "$BATS_TEST_TMPDIR/state"
    status=0
    TERM=xterm python3 "$abs_top_srcdir/tests/cli/terminal.py" --columns=300 '--press=[2/3] exec[long]' "${command[@]}" || status=$?
    output=$(cat screen)
    status_is 130
    says 'interrupted by SIGINT: 1 resource was not reached'
    says '3 resources: 1 changed, 1 failed, 1 not reached'
    [ ! -e finished ]
    not grep -qF '[2/3]' screen
    sed -i "s/touch/trap '' TERM; touch/" site.yaml
    rm -f started
    status=0
    TERM=xterm python3 "$abs_top_srcdir/tests/cli/terminal.py" --columns=300 '--press=exec[long]: updating' \
        '--press=interrupted: exec[long]' "${command[@]}" || status=$?
    output=$(cat screen)
    status_is 130
    says 'ended at once; the lock is held until the commands that were started have ended'
    run rhost apply site.yaml
    status_is 1
    touch go
    run rhost apply --wait-lock=20 site.yaml
    status_is 0
}

@test "a second signal ends the run at once, and the lock is held until the command has ended" {
    site
    sed -i "s/touch/trap '' TERM; touch/" site.yaml
    start
    kill -TERM "$run_pid"
    until_it_says 'interrupted by SIGTERM'
    sleep 0.6
    kill -TERM "$run_pid"
    ends_with_status 143
    says 'ended at once; the lock is held until the commands that were started have ended'
    [ ! -e finished ]
    run rhost apply site.yaml
    status_is 1
    says 'a command that the run of process'
    touch go
    run rhost apply --wait-lock=20 site.yaml
    status_is 0
    [ -e finished ]
    [ -e after ]
    is "$(cat log)" told
}

@test "the same signal twice at a time is one, and a terminal that goes away is not a second one" {
    site
    sed -i "s/touch/trap '' TERM; touch/" site.yaml
    start
    kill -TERM "$run_pid"
    kill -TERM "$run_pid"
    until_it_says 'interrupted by SIGTERM'
    sleep 0.6
    kill -HUP "$run_pid"
    sleep 0.2
    touch go
    ends_with_status 143
    [ -e finished ]
    says '3 resources: 2 changed, 1 not reached'
}

@test "a signal that the caller ignores is ignored" {
    site
    (trap '' HUP; exec "${RHOST:-$abs_top_builddir/rhost}" apply --state-dir "$BATS_TEST_TMPDIR/state" site.yaml) >out 2>&1 3>&- &
    run_pid=$!
    until [ -e started ]; do sleep 0.05; done
    kill -HUP "$run_pid"
    touch go
    ends_with_status 0
    [ -e after ]
}

@test "of a batch, what was not begun when the signal came is not done" {
    manifest <<END
resources:
  - exec: one
    command: [sh, -c, "touch $work/started; until test -e $work/go; do sleep 0.05; done; touch $work/finished"]
  - exec: two
    command: [touch, $work/two]
  - exec: three
    command: [touch, $work/three]
    notify: exec[two]
END
    start
    kill -INT "$run_pid"
    ends_with_status 130
    says 'the run ends when exec[one] has ended'
    [ ! -e finished ]
    [ ! -e two ]
    [ ! -e three ]
    says '3 resources: 1 failed, 2 not reached'
    says "2 resources were not reached: exec[three], exec[two]"
    [ ! -e "$owed" ]
}

@test "a signal during a guard: it is ended, and its resource is not begun" {
    for guard in 'file' 'exec'; do
        rm -f started
        manifest <<END
resources:
  - $guard: $work/done
    only_if: [sh, -c, "touch $work/started; until test -e $work/go; do sleep 0.05; done"]
END
        [ "$guard" = file ] || echo "    command: [touch, $work/done]" >>site.yaml
        start
        kill -INT "$run_pid"
        ends_with_status 130
        says "the run ends when $guard[$work/done] has ended"
        [ ! -e 'done' ]
        says '1 resource: 1 not reached'
    done
}

@test "a signal between two tries: the resource failed" {
    manifest <<END
resources:
  - exec: again
    command: [sh, -c, "touch $work/started; exit 3"]
    retries: 5
    retry_delay: 20
END
    start
    until_it_says 'is tried again'
    kill -INT "$run_pid"
    ends_with_status 130
    says 'status 3'
    says '1 resource: 1 failed'
}

@test "who was told before a change is told for something: the change is made" {
    manifest <<END
resources:
  - exec: stop
    command: [sh, -c, "trap '' TERM; touch $work/started; until test -e $work/go; do sleep 0.05; done; touch $work/stopped"]
    action: nothing
  - file: $work/changed
    content: a
    notifies: [run, "exec[stop]", before]
END
    start
    kill -INT "$run_pid"
    until_it_says 'interrupted by SIGINT'
    touch go
    ends_with_status 130
    [ -e stopped ]
    [ -e changed ]
}

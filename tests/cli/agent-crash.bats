#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# The agent that is killed, asked to end, or has no room on its disk: no report of a change is lost silently.
source "${abs_top_srcdir:-$BATS_TEST_DIRNAME/../..}/tests/cli/agent.bash"

setup() {
    agent_setup
}

teardown() {
    [ -z "${daemon:-}" ] || kill "$daemon" 2>/dev/null || :
    [ -z "${mounted:-}" ] || umount "$mounted" || :
    agent_teardown
}

# A revision whose run makes the file `begun`, and waits until there is a file `go`.
slow_revision() {
    cat >site/site.yaml <<END
resources:
  - exec: wait
    command: "/bin/sh -c 'touch $work/begun; until [ -e $work/go ]; do sleep 0.05; done'"
END
    bundle make --state-dir "$state" --revision="$1" -o "$www" site >/dev/null 2>&1
    bundle sign "$www/r$1.json" --key=release
    chmod 644 "$www"/*
}

start_agent() {
    "$abs_top_builddir/core/rhost" agent --no-installed-plugins --plugin-dir "$abs_top_builddir/plugins/.libs" \
        --state-dir "$state" --settings="$PWD/agent.yaml" "$@" 2>agent.err &
    daemon=$!
}

wait_until() {
    for ((i = 0; i < 1200; i++)); do
        "$@" >/dev/null 2>&1 && return
        sleep 0.05
    done
    echo "not in time: $*"
    cat agent.err
    return 1
}

@test "killed in a run: the run goes on, and its report is found" {
    slow_revision 1
    channel --to=1
    start_agent --once
    wait_until [ -e begun ]
    kill -9 "$daemon"
    wait "$daemon" || :
    daemon=
    touch go
    reported() { ls "$state-agent"/runs/*.json; }
    wait_until reported
    spool_is ''
    cycle
    status_is 0
    spool_is 'changed 1; changed 1'
    [ -z "$(ls "$state-agent/runs")" ]
}

@test "a run that left no report is reported" {
    revision 1
    channel --to=1
    cycle
    echo 1 >"$state-agent/runs/lost.begun"
    cycle
    status_is 0
    says 'a run ended without a report'
    spool_is 'changed 1; ok 1; refused 1'
    [ -z "$(ls "$state-agent/runs")" ]
}

@test "asked to end in a run, the agent waits for it; it reads its settings again when asked to" {
    slow_revision 1
    channel --to=1
    start_agent
    wait_until [ -e begun ]
    kill -TERM "$daemon"
    kill -0 "$daemon"
    touch go
    wait "$daemon"
    daemon=
    spool_is 'changed 1'
    start_agent
    # It waits for its slot.
    wait_until sh -c "grep -q 'S (sleeping)' /proc/$daemon/status && ls $state-agent/lock"
    printf 'interval: x\n' >>agent.yaml
    kill -HUP "$daemon"
    wait_until grep 'must be a time' agent.err
    sed -i /interval/d agent.yaml
    kill -HUP "$daemon"
    wait_until grep 'the settings were read again' agent.err
    kill -TERM "$daemon"
    wait "$daemon"
    daemon=
}

@test "a full spool loses reports without a change first, and says how many" {
    revision 1
    channel --to=1
    settings "source: file://$www" 'spool_reports: 10'
    cycle
    for n in 1 2 3 4; do
        for copy in 1 2 3; do
            cp "$state-agent/spool/000000000000001-c.json" \
                "$state-agent/spool/$(printf %015d $((n * 10 + copy)))-$([ $copy = 1 ] && echo c || echo n).json"
        done
    done
    cycle
    status_is 0
    is "$(ls "$state-agent/spool" | grep -c 'c.json')" 5
    is "$(ls "$state-agent/spool" | grep -c 'n.json')" 5
    grep -qE '"folded": ?4' "$state-agent/spool/losses.json"
    grep -qE '"dropped": ?0' "$state-agent/spool/losses.json"
}

@test "on a full disk a run is refused or reported" {
    requires_root
    mount -t tmpfs -o size=2m tmpfs "$state" || skip "no tmpfs"
    umount "$state"
    mkdir -m 700 "$state-agent"
    mount -t tmpfs -o size=2m,mode=700 tmpfs "$state-agent"
    mounted=$state-agent
    revision 1
    channel --to=1
    cycle
    status_is 0
    spool_is 'changed 1'
    head -c 4m /dev/zero >"$state-agent/full" 2>/dev/null || :
    rm made
    cycle
    [ "$status" -ne 0 ]
    says 'No space left on device'
    rm "$state-agent/full"
    cycle
    status_is 0
    made 'revision 1'
    # Whichever cycle has changed it, that is reported, or that its report was lost.
    spool | tr ';' '\n' | sed 1d >later
    grep -qE 'changed 1|refused' later
}

@test "a revision that takes the machine down is given up, also when the agent starts at boot each time" {
    revision 1
    channel --to=1
    cycle
    status_is 0
    cat >site/site.yaml <<END
resources:
  - exec: down
    command: "/bin/sh -c 'echo \$\$ >$work/pid; mv $work/pid $work/begun; exec sleep 1000'"
END
    bundle make --state-dir "$state" --revision=2 -o "$www" site >/dev/null 2>&1
    bundle sign "$www/r2.json" --key=release
    chmod 644 "$www"/*
    channel --to=2
    for try in 1 2 3; do
        rm -f begun
        start_agent --once
        wait_until [ -e begun ]
        run_of_agent=$(pgrep -P "$daemon" -f apply)
        kill -9 "$daemon"
        wait "$daemon" || :
        daemon=
        kill -9 "$run_of_agent"
        kill -9 "$(cat begun)"
        remembers 'd["trying"], d["failures"]' "(2, $try)"
        cycle --at-boot
        made 'revision 1'
        remembers 'd["trying"], d["failures"]' "(2, $try)"
    done
    rm -f begun
    cycle
    [ "$status" -ne 0 ]
    [ ! -e begun ]
    says 'revision 2 has failed 3 times in a row: back to revision 1'
    remembers 'd["blocked"], d["good"]' '(2, 1)'
}

@test "what refuses a run before it begins says nothing about the revision" {
    revision 1
    channel --to=1
    cycle
    status_is 0
    revision 2
    channel --to=2
    chmod 777 "$state/bundles"
    for try in 1 2 3 4; do
        cycle
        status_is 4
        says "revision 2 is not applied: '$state/bundles' is not safe"
    done
    made 'revision 1'
    remembers 'd["trying"], d.get("failures", 0)' '(2, 0)'
    [ -z "$(ls "$state-agent/runs")" ]
    chmod 700 "$state/bundles"
    cycle
    status_is 0
    made 'revision 2'
}

#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Where events are written, and who may keep them from being read.
source "${abs_top_srcdir:-$BATS_TEST_DIRNAME/../..}/tests/cli/cli.bash"

setup() {
    work_open
    needs_python
    state_open
    manifest <<END
resources:
  - file: $work/one
    content: a
  - file: $work/two
    content: b
END
}

teardown() {
    touch "$work/go"
    wait
}

# Many events, and an end that is seen.
many() {
    local text

    text=$(printf "%0${2:-10}d" 0)
    {
        echo 'resources:'
        for i in $(seq "$1"); do
            printf '  - log: "%s %s"\n' "$i" "${text//0/x}"
        done
        printf '  - file: %s/last\n    content: x\n' "$work"
    } | manifest
}

last_is() {
    is "$(tail -n 1 "$1" | grep -o '"event": "[a-z]*"')" "\"event\": \"$2\""
}

@test "events are lines of a file, each as soon as it happens" {
    manifest <<END
resources:
  - file: $work/one
    content: a
  - exec: long
    command: [sh, -c, "until test -e $work/go; do sleep 0.05; done"]
END
    echo old >events
    chmod 644 events
    rhost apply --events=events site.yaml >out 3>&- &
    for _ in $(seq 200); do
        ! grep -q "\"resource\".*$work/one" events || break
        sleep 0.05
    done
    grep -q '"created": {"content": "a"}' events
    not grep -q old events
    is "$(mode_of events)" 600
    touch go
    wait
    last_is events end
    grep -q '^2 resources: 2 changed' out
}

@test "on standard output there are events and no text; on a descriptor, text as well" {
    split rhost apply --events=- site.yaml
    status_is 0
    is_empty err
    not grep -qv '^{"event": ' out
    last_is out end
    split rhost apply --events=fd:7 site.yaml 7>seven
    last_is seven end
    grep -q '^2 resources: 2 ok' out
    split rhost apply --events=fd:2 site.yaml
    last_is err end
    grep -q '^2 resources: 2 ok' out
    for bad in fd:77 fd: fd:x ''; do
        run rhost apply --events="$bad" site.yaml
        status_is 1
        says "invalid value '$bad' for --events"
    done
}

@test "events that cannot be written are refused before anything is changed" {
    for where in missing/events "$work" ''; do
        run rhost apply --events="${where:-site.yaml}" site.yaml
        status_is 1
        says 'nothing was changed'
        [ ! -e one ]
    done
    mkfifo pipe
    run timeout 30 "$abs_top_builddir/rhost" apply --state-dir "$BATS_TEST_TMPDIR/state" --events=pipe site.yaml
    status_is 1
    says "cannot write the events: cannot write 'pipe': no program reads this FIFO"
    split rhost apply --events=- --format=json site.yaml
    status_is 1
    grep -q 'cannot write the events and the report to standard output, both' out
    split rhost apply --events=same --report=same site.yaml
    status_is 1
    grep -q "cannot write the events and a report to 'same', both" err
    [ ! -e one ]
}

@test "a FIFO whose reader comes later is waited for" {
    mkfifo pipe
    (sleep 0.5; cat pipe >copy) 3>&- &
    rhost apply -q --events=pipe site.yaml
    wait
    last_is copy end
    [ -p pipe ]
}

@test "a FIFO of another user gets nothing that root writes" {
    requires_root
    mkfifo pipe
    chown 1000 pipe
    for option in --events --report --report-junit; do
        run timeout 5 "$abs_top_builddir/rhost" apply --state-dir "$BATS_TEST_TMPDIR/state" "$option=pipe" site.yaml
        status_is 1
        says "cannot write 'pipe': it is a FIFO of another user"
        [ ! -e one ]
    done
    # Nor what a link of that user leads to.
    mkdir theirs
    mkfifo pipe2
    ln -s ../pipe2 theirs/link
    chown -h 1000 theirs theirs/link
    ln -s theirs/link way
    for where in theirs/link way; do
        run timeout 5 "$abs_top_builddir/rhost" apply --state-dir "$BATS_TEST_TMPDIR/state" --report="$where" site.yaml
        status_is 1
        says "cannot write '$where': "
        [ ! -e one ]
    done
}

@test "what a log had before stays when events cannot be written" {
    head -c 1024000 /dev/zero >all.log
    status=0
    bash -c 'trap "" XFSZ; ulimit -f 1000; exec "$@" >>all.log 2>err' sh \
        "$abs_top_builddir/rhost" apply -q --state-dir "$BATS_TEST_TMPDIR/state" --events=/dev/stdout site.yaml || status=$?
    status_is 4
    grep -q "cannot write the events to '/dev/stdout'" err
    [ "$(stat -c %s all.log)" -ge 1024000 ]
}

@test "a full disk fails the run, and the file has whole lines" {
    split rhost apply --events=/dev/full site.yaml
    status_is 4
    grep -q 'error: cannot write the events to ./dev/full.: No space left on device' err
    [ -e two ]
    requires_root
    unshare -m true 2>/dev/null || skip "cannot make a mount namespace here"
    many 200 100
    mkdir small
    status=0
    unshare -m sh -c 'mount -t tmpfs -o size=16k none small && { "$@"; rc=$?; cp small/events copy; exit $rc; }' sh \
        "$abs_top_builddir/rhost" apply -q --state-dir "$BATS_TEST_TMPDIR/state" --events=small/events site.yaml 2>err || status=$?
    status_is 4
    grep -q "cannot write the events to 'small/events': No space left on device" err
    [ -s copy ]
    python3 -c 'import json, sys; t = open("copy").read(); assert t.endswith("\n"); [json.loads(l) for l in t.splitlines()]'
    [ -e last ]
}

@test "a full disk for a report fails the run as before, and the events say how it ended" {
    split rhost apply --report=/dev/full --events=events site.yaml
    status_is 4
    last_is events end
}

@test "a reader that goes away does not end the run" {
    many 300
    rhost apply -q --events=fd:7 site.yaml 7> >(head -n 1 >/dev/null) 2>err
    [ -e last ]
    is_empty <(grep -v 'warning\|notice' err)
}

@test "a reader that is slow does not stop the run, and gets all; one that sleeps is left behind" {
    many 400 500
    mkfifo pipe
    (exec 8<pipe; until [ -e last ]; do sleep 0.1; done; touch seen; cat <&8 >copy) 3>&- &
    rhost apply -q --events=pipe site.yaml
    wait
    [ -e seen ] # the run came to its end while nothing was read
    [ "$(wc -c <copy)" -gt 200000 ]
    last_is copy end
    is "$(wc -l <copy)" "$(tail -n 1 copy | sed 's/.*"n": \([0-9]*\).*/\1/' | awk '{ print $1 + 1 }')"
    rm last
    (exec 8<pipe; until [ -e go ]; do sleep 0.2; done) 3>&- &
    split timeout 60 "$abs_top_builddir/rhost" apply -q --state-dir "$BATS_TEST_TMPDIR/state" --events=pipe site.yaml
    status_is 4
    grep -q "events were lost: the reader of 'pipe' did not take any for 10 seconds" err
    [ -e last ]
}

@test "a run that is killed leaves whole lines, and at most one that is cut off at the end" {
    many 3000
    for i in 1 2 3 4 5 6 7 8 9 10; do
        rm -f last events
        "$abs_top_builddir/core/rhost" apply -q --no-installed-plugins --plugin-dir="$(dirname "$(find "$abs_top_builddir" -name log.so -path '*libs*' | head -n 1)")" \
            --state-dir "$BATS_TEST_TMPDIR/state" --wait-lock=10 --events=events site.yaml >/dev/null 2>&1 3>&- &
        pid=$!
        for _ in $(seq 20000); do # on a busy machine the first line takes a while
            [ "$(wc -l 2>/dev/null <events || echo 0)" -le $((i * 30)) ] || break
        done
        kill -9 $pid || true # it may have come to its end
        wait $pid || true
        [ -s events ]
        python3 -c 'import json, sys; t = open("events").read(); lines = t[:t.rfind("\n") + 1].splitlines(); assert lines; [json.loads(l) for l in lines]'
    done
}

@test "no secret is in the events, and a title can't act on a terminal" {
    manifest <<END
resources:
  - file: $work/one
    content: swordfish-42
    sensitive: content
  - exec: "a\e[31mb"
    command: [sh, -c, "echo swordfish-42 >&2; exit 1"]
END
    split rhost apply -vv --events=events site.yaml
    status_is 4
    not grep -q swordfish events
    not grep -q "$(printf '\033')" events
    python3 -c 'import json; [json.loads(l) for l in open("events")]'
}

#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Notifications that outlive the run that caused them, and rhost pending.
source "${abs_top_srcdir:-$BATS_TEST_DIRNAME/../..}/tests/cli/cli.bash"

owed=$BATS_TEST_TMPDIR/state/pending.jsonl

kill_the_run="kill -KILL \$(sed -n 's/.*process \\\\([0-9]*\\\\),.*/\\\\1/p' $BATS_TEST_TMPDIR/state/lock); sleep 2"

# one notifies `tell`, which says so in `log`, unless there is a file `broken`.
site() {
    manifest <<END
resources:
  - file: $work/one
    content: ${1:-a}
    ${2:-notify: exec[tell]}
  - exec: tell
    command: [sh, -c, "test ! -e $work/broken && echo told >>$work/log"]
    action: nothing
END
}

# Something is owed.
owe() {
    touch broken
    site "$@"
    run rhost apply site.yaml
    status_is 4
    rm broken
}

told() {
    [ "$(cat log 2>/dev/null | wc -l)" -eq "$1" ]
}

@test "no notifications are pending: so it is said" {
    split rhost pending
    status_is 0
    is_empty err
    [ "$(cat out)" = 'no notifications are pending' ]
    split rhost pending --format=json
    [ "$(cat out)" = '[]' ]
    run rhost pending --drop-all
    status_is 0
    says 'no notifications are pending'
    run rhost pending --drop='exec[tell]'
    status_is 0
    says 'no notifications are pending'
}

@test "a target that failed is told by the next run, which says since when" {
    owe
    run rhost pending
    status_is 0
    says 'exec[tell] run'
    says 'pending since run 20'
    says "file[$work/one] changed"
    says '(on_failure: run)'
    says '1 notification is pending'
    run rhost apply --detailed-exitcodes site.yaml
    status_is 2
    says "refreshed: run, notified by file[$work/one] in run 20"
    told 1
    [ ! -e "$owed" ]
    run rhost apply --detailed-exitcodes site.yaml
    status_is 0
    told 1
}

@test "what is owed, as JSON" {
    needs_python
    owe a 'notifies: {action: run, resource: "exec[tell]", on_failure: hold}'
    rhost pending --format=json >owed.json
    json_is owed.json '[(o["type"], o["title"], o["action"], o["notified_by"], o["on_failure"], o["certain"]) for o in d]' \
        "[('exec', 'tell', 'run', 'file[$work/one]', 'hold', True)]"
    json_is owed.json 'd[0]["notified_in_run"] != "", d[0]["since"][:2]' "(True, '20')"
}

@test "a run that is killed between the change and its telling: the next one tells" {
    manifest <<END
resources:
  - file: $work/one
    content: a
    notifies: [run, "exec[tell]", delayed]
  - exec: kill
    command: [sh, -c, "$kill_the_run"]
    creates: $work/go on
  - exec: tell
    command: [sh, -c, "echo told >>$work/log"]
    action: nothing
END
    run rhost apply site.yaml
    [ "$status" -eq 137 ]
    [ -e one ]
    told 0
    run rhost pending
    says "file[$work/one] changed"
    touch 'go on'
    run rhost apply --wait-lock=10 site.yaml
    status_is 0
    says "refreshed: run, notified by file[$work/one] in run 20"
    told 1
    [ ! -e "$owed" ]
}

@test "a run that is killed while the notifier goes on: it may have changed something" {
    manifest <<END
resources:
  - exec: change
    command: [sh, -c, "touch $work/changed; $kill_the_run"]
    creates: $work/changed
    notify: exec[tell]
  - exec: tell
    command: [sh, -c, "echo told >>$work/log"]
    action: nothing
END
    run rhost apply site.yaml
    [ "$status" -eq 137 ]
    run rhost pending
    says 'exec[change] may have changed something'
    run rhost apply --wait-lock=10 site.yaml
    status_is 0
    says 'refreshed: run, notified by exec[change] in run 20'
    told 1
}

@test "what comes behind a notifier that is skipped is written down before it is changed" {
    manifest <<END
resources:
  - exec: boom
    command: ["false"]
  - file: $work/skipped
    content: a
    require: exec[boom]
    notifies: [run, "exec[other]", immediately]
  - file: $work/one
    content: a
    notifies: [run, "exec[tell]", delayed]
  - exec: kill
    command: [sh, -c, "$kill_the_run"]
  - exec: [other, tell]
    command: ["true"]
    action: nothing
END
    run rhost apply site.yaml
    [ "$status" -eq 137 ]
    [ -e one ]
    run rhost pending
    says 'exec[tell] run'
    says "file[$work/one] changed"
}

@test "a notifier that keeps failing tells nobody until it succeeds" {
    manifest <<END
resources:
  - exec: change
    command: [sh, -c, "test -e $work/good"]
    creates: $work/never
    notify: exec[tell]
  - exec: tell
    command: [sh, -c, "echo told >>$work/log"]
    action: nothing
END
    for i in 1 2 3; do
        run rhost apply site.yaml
        status_is 4
        told 0
    done
    touch good
    run rhost apply site.yaml
    status_is 0
    told 1
    run rhost pending
    says 'no notifications are pending'
}

failing_site() {
    manifest <<END
resources:
  - file: $work/one
    content: a
    notifies: {action: run, resource: "exec[tell]", on_failure: $1}
  - exec: boom
    command: [test, -e, $work/good]
  - exec: tell
    command: [sh, -c, "echo told >>$work/log"]
    action: nothing
END
}

@test "a file that its validate command refused has not changed: no notification is pending" {
    refusing() {
        manifest <<END
resources:
  - file: $work/file
    content: "$1\n"
    validate: [grep, good, "%"]
    notify: exec[tell]
  - file: $work/new
    content: "$1\n"
    validate: [grep, good, "%"]
    notify: exec[tell]
  - line: all
    path: $work/line
    text: $1
    match: .
    validate: [grep, good, "%"]
    notify: exec[tell]
  - ini_setting: $work/settings [] key
    value: $1
    validate: [grep, good, "%"]
    notify: exec[tell]
  - exec: tell
    command: [sh, -c, "test ! -e $work/broken && echo told >>$work/log"]
    action: nothing
END
    }
    echo good >file
    echo good >line
    echo key=good >settings
    refusing bad
    run rhost apply site.yaml
    status_is 4
    says '4 failed'
    run rhost pending
    says 'no notifications are pending'
    # What an earlier run owes stays.
    rm line
    echo better >line
    touch broken
    refusing good
    run rhost apply site.yaml
    status_is 4
    refusing bad
    run rhost apply site.yaml
    status_is 4
    run rhost pending
    says 'exec[tell] run'
}

@test "on_failure: run tells although something has failed" {
    failing_site run
    run rhost apply site.yaml
    status_is 4
    told 1
    [ ! -e "$owed" ]
}

@test "on_failure: hold keeps it for a run in which nothing fails" {
    failing_site hold
    for i in 1 2; do
        run rhost apply site.yaml
        status_is 4
        says "exec[tell]: 'run' is kept for the next run, since something has failed"
        told 0
    done
    run rhost pending
    says '(on_failure: hold)'
    touch good
    run rhost apply site.yaml
    status_is 0
    told 1
}

@test "on_failure: drop drops it" {
    failing_site drop
    run rhost apply site.yaml
    status_is 4
    says "exec[tell]: 'run' is dropped, since something has failed"
    touch good
    run rhost apply site.yaml
    status_is 0
    told 0
    [ ! -e "$owed" ]
}

@test "noop shows what is owed, and strikes nothing off" {
    owe
    cp "$owed" before
    run rhost apply --noop --detailed-exitcodes site.yaml
    status_is 2
    says "would refresh: run, notified by file[$work/one] in run 20"
    told 0
    cmp before "$owed"
}

@test "what is owed to a resource that is not in the manifest stays pending" {
    owe
    manifest other.yaml <<END
resources:
  - file: $work/two
    content: a
END
    run rhost apply -v other.yaml
    status_is 0
    says 'exec[tell] is not in this manifest'
    told 0
    run rhost pending
    says 'exec[tell] run'
    run rhost apply site.yaml
    status_is 0
    told 1
}

@test "a line of what is owed that was cut off by a kill spoils nothing" {
    owe
    printf '{"pending": 1, "type": "ex' >>"$owed"
    site b
    touch broken
    run rhost apply site.yaml
    status_is 4
    rm broken
    run rhost apply site.yaml
    status_is 0
    told 1
}

two() {
    touch broken
    manifest <<END
resources:
  - file: $work/one
    content: a
    notify: ["exec[tell]", "exec[call]"]
  - exec: [tell, call]
    command: [sh, -c, "test ! -e $work/broken"]
    action: nothing
END
    run rhost apply site.yaml
    status_is 4
}

@test "--drop strikes off what is owed to one resource, and says so" {
    two
    split rhost pending --drop='exec[tell]'
    status_is 0
    is_empty out
    grep -q "notice: dropped: exec\[tell\] run, notified by file\[$work/one\] in run 20" err
    run rhost pending
    says_not 'exec[tell]'
    says 'exec[call] run'
    says '1 notification is pending'
    run rhost pending --drop='exec[call]'
    status_is 0
    [ ! -e "$owed" ]
}

@test "--drop may be given several times, and --drop-all drops all" {
    two
    run rhost pending --drop='exec[tell]' --drop='exec[call]'
    status_is 0
    says 'dropped: exec[tell]'
    says 'dropped: exec[call]'
    [ ! -e "$owed" ]
    rm one
    two
    run rhost pending --drop-all
    status_is 0
    says 'dropped: exec[tell]'
    says 'dropped: exec[call]'
    [ ! -e "$owed" ]
}

@test "--drop of what is not owed drops nothing, and says what was probably meant" {
    two
    split rhost pending --drop='exec[tell]' --drop='exec[cal]'
    status_is 1
    grep -q "error: --drop=exec\[cal\]: no pending notification: did you mean 'exec\[call\]'?" err
    grep -q 'error: nothing was dropped' err
    run rhost pending
    says '2 notifications are pending'
    run rhost pending --drop=zzzzzzzzzzzz
    status_is 1
    says "no pending notification: 'rhost pending' lists them"
}

@test "dropping waits for a run to end, as another run would" {
    two
    exec 9<>"$BATS_TEST_TMPDIR/state/lock"
    flock -x 9
    run rhost pending --drop-all 9>&-
    status_is 1
    says 'holds the lock'
    run rhost pending 9>&-
    status_is 0
    says '2 notifications are pending'
    exec 9>&-
    run rhost pending --drop-all --wait-lock=5
    status_is 0
}

@test "a file that cannot be understood is refused, and stays" {
    mkdir -p "$BATS_TEST_TMPDIR/state"
    printf 'rubbish\n' >"$owed"
    for command in pending 'pending --drop-all'; do
        split rhost $command
        status_is 1
        is_empty out
        grep -q "error: '$owed' is damaged in line 1" err
    done
    [ "$(cat "$owed")" = rubbish ]
}

@test "nothing that is owed can steer a terminal" {
    mkdir -p "$BATS_TEST_TMPDIR/state"
    printf '{"pending": 0, "type": "\\u001b[31m", "title": "\\u001b[31m", "action": "\\u001b[31m", "notified_by": "\\u001b[31m", "notified_in_run": "\\u001b[31m", "since": "\\u001b[31m", "on_failure": "run", "certain": false}\n' >"$owed"
    for command in pending 'pending --format=json' 'pending --drop-all'; do
        run rhost $command
        status_is 0
        [[ $output != *$'\033'* ]]
        says '31m'
    done
}

#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# rhost runs and rhost show.
source "${abs_top_srcdir:-$BATS_TEST_DIRNAME/../..}/tests/cli/cli.bash"

runs=$BATS_TEST_TMPDIR/state/runs

site() {
    manifest <<END
resources:
  - file: $work/one
    content: "a\nb\n"
    mode: "0640"
  - exec: boom
    command: ["false"]
  - log: after
    require: exec[boom]
  - file: $work/two
    content: b
    only_if: "false"
END
}

# A run that is killed while `exec[kill the run]` goes on; it is the third in the list.
killed() {
    manifest killed.yaml <<END
resources:
  - file: $work/one
    content: a
  - exec: before
    command: [touch, $work/before]
    creates: $work/before
  - exec: kill the run
    # What was done before has reached the journal by then.
    command: [sh, -c, "sleep 1; kill -KILL \$(sed -n 's/.*process \\\\([0-9]*\\\\),.*/\\\\1/p' lock); sleep 5"]
    cwd: $BATS_TEST_TMPDIR/state
END
    run rhost apply killed.yaml
    [ "$status" -eq 137 ]
}

# A journal with these lines, under a name of its own.
journal() {
    mkdir -p "$runs"
    cat >"$runs/$1.jsonl"
}

@test "without any run there is nothing to list, and nothing to show" {
    split rhost runs
    status_is 0
    is_empty err
    says 'no run is recorded'
    split rhost runs --format=json
    [ "$(cat out)" = '[]' ]
    split rhost show last
    status_is 1
    is_empty out
    says 'error: no run is recorded'
    [ ! -e "$BATS_TEST_TMPDIR/state" ]
}

@test "runs are listed with when, how they ended, and what they did, the last one first" {
    site
    rhost apply -q site.yaml || true
    echo 'resources: [{log: a, level: debug}]' | rhost apply -q -
    rhost apply -q --noop site.yaml || true
    split rhost runs
    status_is 0
    is_empty err
    [ "$(wc -l <out)" -eq 2 ]
    sed -n 1p out | grep -E '^[0-9]{8}T[0-9]{6}\.[0-9]{3}-[0-9]+ +20[0-9-]+T[0-9:]+Z +exit 0 +1 ok$'
    sed -n 2p out | grep -E ' exit 4 +1 changed, 1 failed, 1 skipped, 1 ok$'
    split rhost runs -n 1
    [ "$(wc -l <out)" -eq 1 ]
    says 'exit 0'
    split rhost runs --count=99
    [ "$(wc -l <out)" -eq 2 ]
}

@test "runs and show count what apply counted, each under its own name" {
    needs_python
    manifest <<END
resources:
  - file: $PWD/watched
    content: a
    audit: mode
    tag: chosen
  - file: $PWD/missing/one
    content: a
    ignore_failure: true
    tag: chosen
  - file: $PWD/missing/two
    content: a
    tag: chosen
  - file: $PWD/skipped
    content: a
    require: file[$PWD/missing/two]
    tag: chosen
  - file: $PWD/excluded
    content: a
END
    rhost apply --tags=chosen site.yaml || true
    chmod 600 watched
    run rhost apply --report=report.json --tags=chosen site.yaml
    status_is 4
    summary='1 ok, 1 failed, 1 failed and ignored, 1 skipped, 1 not as recorded, 1 excluded'
    says "4 resources: $summary"
    run rhost show last
    says "4 resources: $summary"
    rhost runs --format=json >runs.json
    rhost show last --format=json >show.json
    python3 - <<'END'
import json
counts = [json.load(open(name)) for name in ("report.json", "runs.json", "show.json")]
counts[1] = counts[1][0]
counts = [c["counts"] for c in counts]
assert counts[0]["excluded"] == 1 and counts[0]["ignored"] == 1 and counts[0]["audited"] == 1, counts[0]
assert counts[0] == counts[1] == counts[2], counts
END
    run rhost runs
    says '1 failed, 1 failed and ignored, 1 skipped, 1 ok, 1 not as recorded, 1 excluded'
}

@test "as JSON" {
    needs_python
    site
    rhost apply -q site.yaml || true
    killed
    rhost runs --format=json >runs.json
    json_is runs.json '[(r["ended"], r["in_progress"], r["exit"], r["counts"]["changed"]) for r in d]' \
        '[(False, False, None, 2), (True, False, 4, 1)]'
    json_is runs.json 'sorted(d[0])' \
        "['counts', 'ended', 'exit', 'in_progress', 'problems', 'run', 'seconds', 'seq', 'started']"
}

@test "a run is shown in the layout of apply, with the time of each event" {
    site
    rhost apply site.yaml >said 2>&1 || true
    rhost show last >out
    sed -E 's/  [0-9]{2}:[0-9]{2}:[0-9]{2}\.[0-9]{3}//' out >shown
    # Before it stands what run it is; what a guard left alone is said too.
    sed -n 1p shown | grep -E '^run [0-9T.-]+, started 20[0-9-]+T[0-9:]+Z, rhost '
    sed -n 2p shown | grep -x 'ended with exit status 4'
    grep -q "^file\[$work/two\]  site.yaml:9  not applied: only_if \"false\" failed$" shown
    diff -u said <(sed '1,3d; /not applied/d' shown)
    grep -Ec '  [0-9]{2}:[0-9]{2}:[0-9]{2}\.[0-9]{3}$' out | grep -qx 3
}

@test "what changed is shown from what to what, with --diff line by line" {
    site
    printf 'a\nc\n' >one
    chmod 0600 one
    rhost apply -q site.yaml || true
    run rhost show last --diff
    status_is 0
    says 'content "a\nc\n" → "a\nb\n"'
    says '-c'
    says '+b'
    says 'mode 0600 → 0640'
    says 'failed: the command failed with status 1'
    says 'skipped: depends on exec[boom], which failed'
}

@test "show --format=json gives the events" {
    needs_python
    site
    rhost apply -q site.yaml || true
    rhost show last --format=json >shown.json
    json_is shown.json '[(e["type"], e["status"]) for e in d["events"]]' \
        "[('file', 'changed'), ('exec', 'failed'), ('log', 'skipped'), ('file', 'unchanged')]"
    json_is shown.json 'd["ended"], d["exit"], d["current"], d["problems"]' '(True, 4, None, [])'
    json_is shown.json 'd["counts"]["failed"]' 1
}

@test "a run is named by its id, by a beginning that no other has, or as 'last'" {
    site
    rhost apply -q site.yaml || true
    id=$(basename "$runs"/*.jsonl .jsonl)
    echo '{"seq": 0, "run": "20010101T000000.000-1", "started": "2001-01-01T00:00:00Z"}' | journal 20010101T000000.000-1
    echo '{"seq": 0, "run": "20010101T000001.000-2", "started": "2001-01-01T00:00:01Z"}' | journal 20010101T000001.000-2
    for name in last "$id" "${id%-*}" "${id:0:4}"; do
        run rhost show "$name"
        status_is 0
        says "run $id,"
    done
    split rhost show 2001
    status_is 1
    is_empty out
    says "error: 2 runs begin with '2001', for example 20010101T00000"
    run rhost show lsat
    status_is 1
    says "unknown run 'lsat': did you mean 'last'?"
    run rhost show zzz
    status_is 1
    says "unknown run 'zzz': 'rhost runs' lists them"
    run rhost show ../../secret
    status_is 1
    says 'unknown run'
}

@test "a run that was killed did not end, and shows what was under way" {
    killed
    run rhost runs
    says 'did not end 2 changed, in the middle of exec[before]'
    run rhost show last
    status_is 0
    says 'did not end: it was killed, or the machine went down'
    says "file[$work/one] killed.yaml:2"
    says 'exec[before] killed.yaml:4'
    says "provider 'exec' was applying it and the entries after it"
    says 'until then: 2 changed'
}

@test "a run that goes on is under way" {
    manifest <<END
resources:
  - file: $work/one
    content: a
  - exec: wait
    command: [sh, -c, "touch $work/started; until test -e $work/go; do sleep 0.05; done"]
    timeout: 60
END
    rhost apply -q site.yaml 3>&- &
    for _ in $(seq 200); do
        [ -e started ] && break
        sleep 0.05
    done
    run rhost runs
    listed=$output
    run rhost show last
    touch go
    wait
    [[ $listed == *'under way'* ]]
    says 'under way'
    says_not 'did not end'
    says "file[$work/one]"
    says 'exec[wait] site.yaml:4'
    run rhost runs
    says 'exit 0'
}

@test "what a guard was asked when the run was killed is said" {
    manifest <<END
resources:
  - file: $work/one
    content: a
    only_if: "kill -KILL \$(sed -n 's/.*process \\\\([0-9]*\\\\),.*/\\\\1/p' $BATS_TEST_TMPDIR/state/lock); sleep 5"
END
    run rhost apply site.yaml
    [ "$status" -eq 137 ]
    run rhost show last
    says "file[$work/one] site.yaml:2"
    says 'its guards were asked'
    says 'until then: nothing that is known of'
}

@test "a last line that was cut off is no problem" {
    site
    rhost apply -q site.yaml || true
    file=$(ls "$runs"/*.jsonl)
    truncate -s -20 "$file"
    split rhost show last
    status_is 0
    is_empty err
    says 'did not end'
    says "file[$work/one]"
}

@test "lines that were written twice are told once, also behind one that was cut off" {
    site
    rhost apply -q site.yaml || true
    file=$(ls "$runs"/*.jsonl)
    rhost show last >before
    { sed -n 1,5p "$file"; sed -n 6p "$file" | cut -c1-30; sed -n '3,$p' "$file"; } >again
    cat again >"$file"
    split rhost show last
    is_empty err
    diff -u before out
}

@test "a line that cannot be read is said, and the rest goes on" {
    site
    rhost apply -q site.yaml || true
    file=$(ls "$runs"/*.jsonl)
    line=$(grep -n '"status"' "$file" | sed -n '1s/:.*//p')
    sed -i "${line}s/.*/rubbish/" "$file"
    split rhost show last
    status_is 0
    grep -q "warning: skipping line $line, which cannot be read: " err
    grep -q 'exec\[boom\]' out
    not grep -q "file\[$work/one\]" out
    split rhost runs
    status_is 0
    grep -q "warning: the journal of run .*: skipping line $line, which cannot be read" err
    grep -q 'exit 4' out
}

@test "what is not a journal is no matter, and one that cannot be read is said" {
    site
    rhost apply -q site.yaml || true
    echo hello >"$runs/notes.txt"
    echo hello >"$runs/notes.jsonl"
    mkdir "$runs/20990101T000000.000-1.jsonl"
    mkfifo "$runs/20990102T000000.000-1.jsonl"
    : >"$runs/20990103T000000.000-1.jsonl"
    split rhost runs
    status_is 4
    [ "$(wc -l <out)" -eq 2 ]
    grep -q "error: journal '.*20990101T000000.000-1.jsonl' is not a regular file" err
    grep -q "error: journal '.*20990102T000000.000-1.jsonl' is not a regular file" err
    grep -q 'warning: the journal of run 20990103T000000.000-1: its first line is missing' err
    run rhost show 20990101
    status_is 1
    says 'is not a regular file'
}

@test "nothing in a journal can steer a terminal" {
    journal 20990101T000000.000-1 <<'END'
{"seq": 0, "run": "20990101T000000.000-1", "rhost": "\u001b[31m", "started": "\u001b[31m", "process": 1}
{"seq": 1, "time": "\u001b[31m", "type": "\u001b[31m", "title": "\u001b[31m", "provider": "\u001b[31m", "location": {"file": "\u001b[31m", "line": 1, "column": 1}, "action": "\u001b[31m", "status": "changed", "changes": [{"attribute": "\u001b[31m", "from": "\u001b[31m", "to": "\u001b[31m", "message": null}, {"attribute": "a", "from": null, "to": null, "message": "\u001b[31m"}], "reason": "\u001b[31m"}
{"seq": 2, "type": "a", "title": "b", "status": "refreshed", "timing": "\u001b[31m", "notified_by": "\u001b[31m", "notified_in_run": "\u001b[31m", "action": "\u001b[31m"}
{"seq": 3, "level": "\u001b[31m", "message": "\u001b[31m"}
{"seq": 4, "batch": "\u001b[31m", "resource": "\u001b[31m", "single": true, "action": "\u001b[31m", "location": {"file": "\u001b[31m", "line": 2}}
END
    for command in runs 'show last' 'show last --diff' 'runs --format=json' 'show last --format=json'; do
        run rhost $command
        status_is 0
        [[ $output != *$'\033'* ]]
        says '31m'
    done
}

@test "anything at all in a journal is borne" {
    journal 20990101T000000.000-1 <<'END'
[]
"a"
{}
{"seq": -1}
{"seq": 99999999999999999999}
{"seq": 9223372036854775807, "run": 5, "process": {}, "type": [], "status": {}}
{"type": "a", "changes": {}, "location": [], "status": "odd"}
{"type": "a", "changes": [1, [], {"attribute": {}}], "location": {"file": 1, "line": -5}}
{"message": "m", "level": 7}
{"ended": "x", "exit": "y", "seconds": [], "counts": {"total": -1, "failed": "z", "odd": 1}}
END
    for command in runs 'show last' 'runs --format=json' 'show last --format=json'; do
        run rhost $command
        status_is 0
    done
}

@test "what was hidden when it was written stays hidden" {
    manifest <<END
resources:
  - file: $work/one
    content: hunter2
    sensitive: content
END
    printf hunter1 >one
    rhost apply -q site.yaml
    for format in text json; do
        run rhost show last --format=$format
        says 'content'
        says '[redacted]'
        says_not hunter
    done
    run rhost show last --diff
    says 'content [redacted] → [redacted]'
}

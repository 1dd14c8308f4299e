#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
source "${abs_top_srcdir:-$BATS_TEST_DIRNAME/../..}/tests/cli/cli.bash"

runs=$BATS_TEST_TMPDIR/state/runs

# The lines of all journals as one JSON array.
journal() {
    { echo '['; cat "$runs"/*.jsonl | paste -sd,; echo ']'; } >journal.json
}

site() {
    manifest <<END
resources:
  - file: $work/one
    content: a
  - file: $work/two
    content: b
  - exec: boom
    command: ["false"]
  - log: after
    require: exec[boom]
END
}

@test "a run is a file of JSON lines: its begin, batches, what happened, and its end" {
    needs_python
    site
    run rhost apply site.yaml
    status_is 4
    [ "$(ls "$runs" | wc -l)" -eq 1 ]
    journal
    json_is journal.json 'sorted(d[0])' "['host', 'pid', 'rhost', 'run', 'run_seq', 'seq', 'started', 'time']"
    json_is journal.json '[e["batch"] for e in d if "batch" in e]' \
        "['file', 'done', 'exec', 'done', 'log', 'done']"
    json_is journal.json '[e["index"] for e in d if "index" in e]' '[0, 2, 3]'
    json_is journal.json '[(e["type"], e["status"]) for e in d if "status" in e]' \
        "[('file', 'changed'), ('file', 'changed'), ('exec', 'failed'), ('log', 'skipped')]"
    json_is journal.json 'sorted(d[-1])' "['counts', 'ended', 'exit', 'seconds', 'seq', 'time']"
    json_is journal.json 'd[-1]["ended"] == d[0]["run"], d[-1]["exit"]' '(True, 4)'
}

@test "each line has its number and its time, each event its place" {
    needs_python
    site
    run rhost apply site.yaml
    journal
    json_is journal.json '[e["seq"] for e in d] == list(range(len(d)))' True
    json_is journal.json 'all(re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", e["time"]) for e in d)' True
    json_is journal.json '[e["time"] for e in d] == sorted(e["time"] for e in d)' True
    json_is journal.json '[(e["location"]["file"], e["location"]["line"], e["location"]["column"]) for e in d if "status" in e]' \
        "[('site.yaml', 2, 5), ('site.yaml', 4, 5), ('site.yaml', 6, 5), ('site.yaml', 8, 5)]"
    json_is journal.json '[e["resource"] for e in d if "resource" in e]' \
        "['file[$work/one]', 'exec[boom]', 'log[after]']"
}

@test "who notified, what a guard said and what the run itself says are written down" {
    needs_python
    manifest <<END
resources:
  - file: $work/one
    content: a
    notifies: [run, "exec[tell]", immediately]
  - file: $work/two
    content: b
    not_if: "true"
  - exec: third time
    command: [sh, -c, "test -e $work/three || { touch $work/three; false; }"]
    retries: 1
  - exec: tell
    command: ["true"]
    action: nothing
END
    run rhost apply site.yaml
    status_is 0
    journal
    json_is journal.json '[(e["title"], e["notified_by"], e["timing"], e["notified_in_run"]) for e in d if "timing" in e]' \
        "[('tell', 'file[$work/one]', 'immediately', None)]"
    json_is journal.json '[(e["status"], e["reason"]) for e in d if e.get("guarded")]' \
        "[('unchanged', 'not_if \"true\" succeeded')]"
    json_is journal.json '[e["resource"] for e in d if e.get("guard")]' "['file[$work/two]']"
    json_is journal.json '[e["level"] for e in d if "message" in e]' "['warning']"
}

@test "a run that is refused leaves no journal" {
    manifest <<END
resources:
  - file: $work/one
    content: a
END
    mkdir -p "$BATS_TEST_TMPDIR/state"
    echo rubbish >"$BATS_TEST_TMPDIR/state/pending.jsonl"
    run rhost apply site.yaml
    status_is 1
    says 'is damaged in line 1'
    [ ! -e one ]
    [ -z "$(ls "$runs" 2>/dev/null)" ]
}

@test "what is as wanted is not written down" {
    needs_python
    manifest <<END
resources:
  - file: $work/one
    content: a
END
    rhost apply -q site.yaml
    rm -r "$runs"
    rhost apply -q site.yaml
    journal
    json_is journal.json '[e for e in d if "status" in e]' '[]'
}

@test "a noop run has no journal" {
    site
    rhost apply -q --noop site.yaml
    [ ! -e "$runs" ]
}

@test "a journal is only for its owner to read, and holds no secret" {
    manifest <<END
resources:
  - file: $work/one
    content: hunter2
    sensitive: content
END
    printf hunter1 >one
    rhost apply -q site.yaml
    [ "$(mode_of "$runs")" = 700 ]
    [ "$(mode_of "$runs"/*.jsonl)" = 600 ]
    not grep -q hunter "$runs"/*.jsonl
}

@test "a run that was killed shows where it was" {
    needs_python
    manifest <<END
resources:
  - file: $work/one
    content: a
  - exec: kill the run
    command: [sh, -c, "kill -KILL \$(sed -n 's/.*process \\\\([0-9]*\\\\),.*/\\\\1/p' lock); sleep 5"]
    cwd: $BATS_TEST_TMPDIR/state
END
    run rhost apply site.yaml
    [ "$status" -eq 137 ]
    journal
    json_is journal.json '[e["batch"] for e in d if "batch" in e]' "['file', 'done', 'exec']"
    json_is journal.json 'd[-1]["resource"], d[-1]["location"]["line"]' "('exec[kill the run]', 4)"
    json_is journal.json '[e["status"] for e in d if "status" in e]' "['changed']"
    json_is journal.json '"ended" in d[-1]' False
}

@test "the oldest are removed beyond fifty" {
    manifest <<END
resources:
  - log: a
    level: debug
END
    mkdir -p "$runs"
    for i in $(seq 10 69); do
        echo '{}' >"$runs/200001${i}T000000.000-1.jsonl"
    done
    echo mine >"$runs/notes.jsonl"
    rhost apply -q site.yaml
    [ "$(ls "$runs" | grep -c '^20')" -eq 50 ]
    [ -e "$runs/notes.jsonl" ]
    [ ! -e "$runs/20000110T000000.000-1.jsonl" ]
    [ -e "$runs/20000169T000000.000-1.jsonl" ]
}

@test "a time in a damaged journal that a trace cannot express is none" {
    manifest <<END
resources:
  - file: $work/one
    content: a
END
    rhost apply site.yaml
    sed -i 's/"time": "2[0-9]*-/"time": "6030-/; s/"seconds": [0-9.e-]*/"seconds": 1e300/' "$runs"/*.jsonl
    rhost show --format=otlp last >shown.json
    [ "$(jq -r '[.. | .startTimeUnixNano? // empty] | unique[]' shown.json)" = 0 ]
}

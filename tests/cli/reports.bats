#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# What reports and events have in common: docs/reference/reports.md. Where a report is written: report.bats.
source "${abs_top_srcdir:-$BATS_TEST_DIRNAME/../..}/tests/cli/cli.bash"

setup() {
    work_open
    needs_python
    state_open
    state=$BATS_TEST_TMPDIR/state
}

teardown() {
    touch "$work/go"
    wait
}

# fits report|events FILE...: as docs/WHAT.schema.json says
fits() {
    python3 -c 'import jsonschema' 2>/dev/null || skip "needs jsonschema for Python"
    python3 "$abs_top_srcdir/tests/cli/fits-schema.py" "$abs_top_srcdir/docs/$1.schema.json" "${@:2}"
}

# The lines of a file, as a list in the file `d`; each is whole, and they are numbered from 0 on.
lines_of() {
    python3 - "$1" >d <<'END'
import json, sys

with open(sys.argv[1], "rb") as f:
    text = f.read()
assert text.endswith(b"\n"), text[-200:]
lines = [json.loads(line) for line in text.decode().splitlines()]
assert [l["n"] for l in lines] == list(range(len(lines))), [l["n"] for l in lines]
print(json.dumps(lines))
END
}

two_files() {
    manifest <<END
resources:
  - file: $work/one
    content: a
  - file: $work/two
    content: b
END
}

hundred() {
    {
        echo 'resources:'
        for i in $(seq 100); do
            printf '  - file: %s/f%s\n    content: x\n' "$work" "$i"
        done
    } | manifest
}

# Of each kind: changed, told, logged, in sync, failed, skipped, ignored, guarded.
everything() {
    manifest <<END
resources:
  - file: $work/one
    content: ${1:-a}
    audit: all
    notify: exec[told]
  - file: $work/same
    content: s
  - log: hello
    level: warning
  - exec: talks
    command: [echo, hello]
  - file: guarded
    path: $work/guarded
    only_if: ["false"]
  - exec: ignored
    command: ["false"]
    ignore_failure: true
  - exec: fails
    command: ["false"]
  - file: $work/after
    require: exec[fails]
  - exec: told
    command: ["true"]
    action: nothing
END
}

@test "reports and events of all kinds of runs are as their schemas say" {
    printf s >same
    everything
    split rhost apply --noop --report=noop.json --events=noop.jsonl site.yaml
    split rhost apply --report=failed.json --events=failed.jsonl --revision=r1 site.yaml
    status_is 4
    echo changed >one
    split rhost apply -vv --report=again.json --events=again.jsonl --report-detail=changes site.yaml
    status_is 4
    split rhost undo --report=undo.json --events=undo.jsonl last
    two_files
    split rhost apply --confirm-within=600 --report=confirm.json --events=confirm.jsonl site.yaml
    status_is 0
    rhost confirm -q
    split rhost plan -o site.plan --report=plan.json --events=plan.jsonl site.yaml
    split rhost apply --report=applied.json --events=applied.jsonl site.plan
    status_is 0
    echo 'resources: [{fiel: x}, {file: /y, mdoe: 1}]' >bad.yaml
    split rhost apply --report=refused.json --events=refused.jsonl bad.yaml
    status_is 1
    fits report ./*.json
    fits events ./*.jsonl
    sed 's/"rhost_report": 1/"rhost_report": 2/' failed.json >wrong.json
    run fits report wrong.json
    [ "$status" -ne 0 ]
    sed '1s/"n": 0/"m": 0/' failed.jsonl >wrong.jsonl
    run fits events wrong.jsonl
    [ "$status" -ne 0 ]
    for name in noop failed again undo confirm plan applied refused; do
        lines_of $name.jsonl
        json_is d 'd[0]["event"], d[-1]["event"]' "('begin', 'end')"
        json_is d 'd[0]["run"] == d[-1]["run"] == json.load(open("'$name'.json"))["run"]' True
        json_is d '[d[-1][k] == json.load(open("'$name'.json"))[k] for k in ("seq", "exit", "status", "counts")]' \
            '[True, True, True, True]'
    done
    json_is failed.json 'd["status"], d["revision"]' "('failed', 'r1')"
    json_is noop.json 'd["status"]' would_change
    json_is undo.json 'd["undoes"] == json.load(open("again.json"))["run"]' True
    lines_of failed.jsonl
    json_is d '[e["title"] for e in d if e["event"] == "notification"]' "['told']"
    json_is d 'sorted({e["event"] for e in d} - {"running"})' "['begin', 'end', 'log', 'notification', 'resource']"
    json_is d '[e["status"] for e in d if e.get("title") == "'"$work"'/after"]' "['skipped']"
}

@test "both schemas say the same of what both have" {
    json "$abs_top_srcdir/docs/report.schema.json" '[d["$defs"][k] == v for k, v in json.load(open("'"$abs_top_srcdir"'/docs/events.schema.json"))["$defs"].items()]' >same
    not grep -q False same
    grep -q True same
}

@test "a rollback is in the events of the run that failed, and in its report" {
    manifest <<END
resources:
  - file: $work/one
    content: a
  - exec: fails
    command: ["false"]
END
    split rhost apply --rollback-on-failure --report=report.json --events=events.jsonl --progress=json:7 site.yaml 7>progress.jsonl
    status_is 4
    [ ! -e one ]
    fits report report.json
    fits events events.jsonl progress.jsonl
    for name in events progress; do
        lines_of $name.jsonl
        json_is d '[e["event"] for e in d if e["event"] in ("begin", "rollback", "end")]' "['begin', 'rollback', 'begin', 'end', 'end']"
        json_is d '[e["run"] for e in d if e["event"] == "rollback"][0] == d[0]["run"] == d[-1]["run"]' True
        json_is d 'd[-1]["rollback"] == {"run": [e["run"] for e in d if e["event"] == "begin"][1], "exit": 0}' True
        json_is d '[e["seq"] for e in d if e["event"] == "end"]' '[2, 1]'
    done
    json_is report.json 'd["seq"], d["rollback"]["seq"], d["rollback"]["undoes"] == d["run"]' '(1, 2, True)'
    rm -f one
    split rhost apply --rollback-on-failure --report=again.json --report-otlp=trace.json site.yaml
    json_is trace.json '{a["key"]: a["value"] for a in d["resourceSpans"][0]["scopeSpans"][0]["spans"][0]["attributes"]}["rhost.rollback.run"]["stringValue"]' \
        "$(json again.json 'd["rollback"]["run"]')"
    json_is trace.json '{a["key"]: a["value"] for a in d["resourceSpans"][0]["scopeSpans"][0]["spans"][0]["attributes"]}["rhost.rollback.exit"]["intValue"]' 0
    printf x >one
    split rhost apply --rollback-on-failure --events=- site.yaml
    status_is 4
    lines_of out
}

@test "--report-detail=changes: what is in sync is counted, in a few hundred bytes" {
    hundred
    rhost apply -q site.yaml
    rhost apply -q --report=all.json --events=all.jsonl site.yaml
    rhost apply -q --report=slim.json --report-html=slim.html --report-junit=slim.xml --events=slim.jsonl --report-detail=changes site.yaml
    fits report all.json slim.json
    json_is all.json 'len(d["resources"])' 100
    json_is slim.json 'd["resources"], d["counts"]["unchanged"], d["status"]' "([], 100, 'ok')"
    [ "$(wc -c <all.json)" -gt 20000 ]
    [ "$(wc -c <slim.json)" -lt 600 ]
    grep -c . all.jsonl slim.jsonl
    [ "$(grep -c '"event": "resource"' all.jsonl)" = 100 ]
    not grep -q '"event": "resource"' slim.jsonl
    not grep -q "$work/f1" slim.html
    grep -q ' tests="0" ' slim.xml
    grep -q 'name="rhost.unchanged" value="100"' slim.xml
    echo drift >f7
    split rhost apply --format=json --report-detail=changes site.yaml
    json_is out '[r["title"] for r in d["resources"]], d["counts"]["unchanged"]' "(['$work/f7'], 99)"
    run rhost apply --report-detail=few site.yaml
    status_is 1
    says "invalid value 'few' for --report-detail"
}

@test "--report-detail=changes: what there is something to say of is listed, each kind of it" {
    printf s >same
    everything
    split rhost apply --report-detail=changes --report=one.json site.yaml
    json_is one.json 'sorted({(r["title"].split("/")[-1], r["status"]) for r in d["resources"]})' \
        "[('after', 'skipped'), ('fails', 'failed'), ('guarded', 'unchanged'), ('hello', 'unchanged'), ('ignored', 'failed'), ('one', 'changed'), ('talks', 'changed'), ('told', 'refreshed')]"
    json_is one.json '[r["log"][0]["message"] for r in d["resources"] if r["title"] == "hello"]' "['hello']"
    json_is one.json '[r["notified_by"] for r in d["resources"] if r["title"] == "told"]' "['file[$work/one]']"
    echo other >one
    split rhost apply --noop --report-detail=changes --report=noop.json site.yaml
    json_is noop.json '[bool(r["audit"]) for r in d["resources"] if r["title"].endswith("one")], "same" in str(d["resources"])' '([True], False)'
}

@test "each report names the machine and the run, and when it began and ended" {
    two_files
    TZ=Asia/Tokyo rhost apply -q --report=a.json --events=a.jsonl --revision='v1 "x"' site.yaml
    json_is a.json 'd["host"]["name"] == __import__("os").uname().nodename' True
    json_is a.json 'd["revision"], d["seq"], d["rhost_report"]' "('v1 \"x\"', 1, 1)"
    json_is a.json 'abs(__import__("calendar").timegm(__import__("time").strptime(d["ended"], "%Y-%m-%dT%H:%M:%SZ")) - __import__("time").time()) < 60' True
    json_is a.json 'd["started"] <= d["ended"] and d["started"][-1] == "Z"' True
    run rhost runs
    says ', revision v1 "x"'
    run rhost show last
    says 'revision v1 "x"'
    rhost runs --format=json >runs.json
    json_is runs.json 'd[0]["revision"], d[0]["seq"], d[0]["run"] == json.load(open("a.json"))["run"]' "('v1 \"x\"', 1, True)"
    rhost show --format=json last >show.json
    json_is show.json 'd["revision"], d["seq"], d["host"] == json.load(open("a.json"))["host"]' "('v1 \"x\"', 1, True)"
}

@test "the id of the machine is the one that systemd derives for rhost, and not the machine id" {
    requires_command systemd-id128
    [ -s /etc/machine-id ] || skip "this machine has no id"
    two_files
    rhost apply -q --report=a.json site.yaml
    is "$(json a.json 'd["host"]["id"]')" "$(systemd-id128 machine-id --app-specific=8b97bc24c27a49a48a8b58f9b93025f5)"
    not grep -qF "$(cat /etc/machine-id)" a.json
    not grep -rqF "$(cat /etc/machine-id)" "$state"
}

@test "without /etc/machine-id the state directory has an id of its own, which stays" {
    requires_root
    unshare -m true 2>/dev/null || skip "cannot make a mount namespace here"
    two_files
    for text in '' uninitialized 00000000000000000000000000000000; do
        echo "$text" >id
        for i in 1 2; do
            unshare -m sh -c 'mount --bind id /etc/machine-id && exec "$@"' sh "$abs_top_builddir/rhost" apply -q \
                --isolation="$RHOST_ISOLATION" --state-dir "$state" --report=$i.json site.yaml
        done
        is "$(json 1.json 'd["host"]["id"]')" "$(json 2.json 'd["host"]["id"]')"
        [[ "$(json 1.json 'd["host"]["id"]')" =~ ^[0-9a-f]{32}$ ]]
        fits report 1.json 2.json
    done
    is "$(mode_of "$state/host.json")" 600
    is "$(json "$state/host.json" 'd["resources"]["id"]')" "$(json 1.json 'd["host"]["id"]')"
    mv "$state" other
    unshare -m sh -c 'mount --bind id /etc/machine-id && exec "$@"' sh "$abs_top_builddir/rhost" apply -q \
        --isolation="$RHOST_ISOLATION" --state-dir "$state" --report=3.json site.yaml
    [ "$(json 1.json 'd["host"]["id"]')" != "$(json 3.json 'd["host"]["id"]')" ]
}

@test "the number grows by one with each run, also a refused or a killed one, and is never given twice" {
    two_files
    echo 'resources: [{fiel: x}]' >bad.yaml
    rhost apply -q site.yaml # 1: it has a journal
    rhost apply -q --noop site.yaml # none: nobody hears of it
    rhost apply -q --noop --report=2.json site.yaml
    split rhost apply --report=3.json bad.yaml
    status_is 1
    manifest killed.yaml <<END
resources:
  - exec: killed
    command: [sh, -c, "touch $work/started; until test -e $work/go; do sleep 0.05; done"]
END
    rhost apply -q --events=killed.jsonl killed.yaml 3>&- & # 4
    pid=$!
    until [ -e started ]; do sleep 0.02; done
    kill -9 "$(pgrep -P $pid -x rhost || echo $pid)"
    wait $pid || true
    touch go
    rhost apply -q --wait-lock=10 --report=5.json site.yaml
    rm "$state/sequence" # as by a power cut
    rhost apply -q --report=6.json site.yaml
    json_is 2.json 'd["seq"]' 2
    json_is 3.json 'd["seq"]' 3
    lines_of killed.jsonl
    json_is d 'd[0]["seq"], d[-1]["event"] != "end"' '(4, True)'
    json_is 5.json 'd["seq"]' 5
    json_is 6.json 'd["seq"]' 6
    is "$(mode_of "$state/sequence")" 600
    # A power cut can leave zeros, or anything: the journals have the numbers.
    rhost apply -q --report=7.json site.yaml
    for bytes in 58 3 100; do
        rm one
        head -c $bytes /dev/zero >"$state/sequence"
        run rhost apply --report=$bytes.json site.yaml
        status_is 0
        says "warning: '$state/sequence' was damaged"
        is "$(stat -c %s "$state/sequence")" 58
    done
    json_is 58.json 'd["seq"]' 8
    json_is 100.json 'd["seq"]' 10
    # What only looks like a journal gives no number: a link, and what would never be read to its end.
    echo '{"seq": 0, "run": "20010101T000000.000-1", "run_seq": 1000, "started": "2001-01-01T00:00:00Z"}' >elsewhere.jsonl
    ln -s "$work/elsewhere.jsonl" "$state/runs/20010101T000000.000-1.jsonl"
    mkfifo "$state/runs/20010101T000001.000-1.jsonl"
    rm "$state/sequence"
    rhost apply -q --report=11.json site.yaml
    json_is 11.json 'd["seq"]' 11
    rm "$state/sequence" one
    mkdir "$state/sequence"
    run rhost apply site.yaml
    status_is 1
    [ ! -e one ]
    rmdir "$state/sequence"
    ln -s "$work/elsewhere" "$state/sequence"
    run rhost apply site.yaml
    status_is 1
    [ ! -e one ]
    [ ! -e elsewhere ]
}

@test "two runs at once, one of them refused by the lock, have different numbers" {
    two_files
    manifest long.yaml <<END
resources:
  - exec: long
    command: [sh, -c, "touch $work/started; until test -e $work/go; do sleep 0.05; done"]
END
    rhost apply -q --report=long.json long.yaml 3>&- &
    until [ -e started ]; do sleep 0.02; done
    for i in 1 2 3 4 5 6; do
        rhost apply -q --report=$i.json --events=$i.jsonl site.yaml 2>/dev/null 3>&- &
    done
    for i in 1 2 3 4 5 6; do
        until [ -e $i.json ]; do sleep 0.02; done
    done
    touch go
    wait
    fits report [1-6].json long.json
    fits events [1-6].jsonl
    is "$(for i in 1 2 3 4 5 6 long; do json $i.json 'd["seq"]'; done | sort -n | tr '\n' ' ')" '1 2 3 4 5 6 7 '
    is "$(for i in 1 2 3 4 5 6 long; do json $i.json 'd["run"]'; done | sort -u | wc -l)" 7
    json_is 1.json 'd["status"], d["errors"][0]["message"].split(" holds the lock")[0].startswith("the run of process")' "('refused', True)"
}

@test "a refused run is reported in each format, with what rhost validate says" {
    requires_command xmllint
    echo 'resources: [{fiel: x}, {file: /y, mdoe: 1}]' >bad.yaml
    echo old >r.json
    split rhost apply --report=r.json --report-html=r.html --report-junit=r.xml --report-prometheus=r.prom \
        --report-otlp=r.otlp --events=r.jsonl bad.yaml
    status_is 1
    grep -q 'bad.yaml:1:' err
    fits report r.json
    split rhost validate --format=json bad.yaml
    json_is out 'd["errors"] == json.load(open("r.json"))["errors"]' True
    json_is r.json '[(e["code"], e["hint"], e["location"]["line"]) for e in d["errors"]][0]' "('RH1201', \"did you mean 'file'?\", 1)"
    xmllint --noout r.xml
    is "$(grep -c '<error ' r.xml)" 2
    grep -q 'tests="2" failures="0" errors="2"' r.xml
    grep -qxF 'rhost_run_success 0' r.prom
    grep -qxF 'rhost_run_exit_status 1' r.prom
    grep -q '"name": "error"' r.otlp
    grep -q '"status": "refused"' r.html
    lines_of r.jsonl
    json_is d '[e["event"] for e in d]' "['begin', 'error', 'error', 'end']"
    split rhost apply --format=json bad.yaml
    status_is 1
    fits report out
    json_is out 'd["errors"] == json.load(open("r.json"))["errors"]' True
    split rhost apply --report=usage.json --max-age=1h bad.yaml
    status_is 1
    fits report usage.json
    json_is usage.json 'd["status"], len(d["errors"])' "('refused', 1)"
}

@test "a refused plan and an unusable state directory are reported as well" {
    # A secret and a file that an expression reads.
    printf 'resources:\n  - file: %s/one\n    content: ${secret_file("%s/secret")}${file("data")}\n' "$work" "$work" >reads.yaml
    for input in secret data; do
        (umask 077; echo precious | tee secret >data)
        for option in --report --events; do
            split rhost apply $option=./$input reads.yaml
            status_is 1
            grep -q 'this run reads that file' err || { cat err; return 1; }
            [ "$(cat $input)" = precious ]
        done
    done
    # What options name is read as well.
    two_files
    echo 'a: 1' >levels.yaml
    rhost apply -q site.yaml
    for input in backup-key otlp-headers attributes; do
        echo precious >input
        for option in --report --events; do
            split rhost apply "--$input=input" --report-otlp=http://127.0.0.1:1/ "$option=./input" site.yaml
            status_is 1
            grep -q 'this run reads that file' err || { cat err; return 1; }
            [ "$(cat input)" = precious ]
        done
    done
    two_files
    rhost plan -q -o site.plan site.yaml || [ $? = 2 ]
    echo changed >one
    split rhost apply --report=r.json --events=r.jsonl site.plan
    status_is 1
    fits report r.json
    fits events r.jsonl
    json_is r.json 'd["status"], "does not fit any more" in d["errors"][0]["message"]' "('refused', True)"
    is "$(cat one)" changed
    split "$abs_top_builddir/rhost" apply --state-dir "$work/one/state" --report=s.json site.yaml
    status_is 1
    fits report s.json
    json_is s.json 'd["status"], "seq" in d, "state directory" in d["errors"][0]["message"]' "('refused', False, True)"
}

@test "no report takes the place of a file that the command reads, also of one that is refused" {
    echo 'resources: [{fiel: x}]' >bad.yaml
    cp bad.yaml kept
    for option in --report --events --report-junit; do
        split rhost apply $option=bad.yaml bad.yaml
        status_is 1
        grep -q 'this run reads that file' err
        cmp bad.yaml kept
        split rhost apply $option="../$(basename "$work")/bad.yaml" bad.yaml
        cmp bad.yaml kept
    done
    two_files
    rhost plan -q -o site.plan site.yaml || [ $? = 2 ]
    cp site.plan kept
    echo changed >one
    split rhost apply --report=site.plan site.plan
    status_is 1
    cmp site.plan kept
}

#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Reports of a run for other programs, each read by one: JUnit, Prometheus, OpenTelemetry; and SARIF.
source "${abs_top_srcdir:-$BATS_TEST_DIRNAME/../..}/tests/cli/cli.bash"

# The distribution's own, which has the modules that bootstrap installs.
python() {
    if [ -x /usr/bin/python3 ]; then /usr/bin/python3 "$@"; else python3 "$@"; fi
}

needs_module() {
    python -c "import $1" 2>/dev/null || skip "python has no module '$1'"
}

setup() {
    work_open
    manifest <<END
resources:
  - directory: $work
  - file: $work/a
    content: "<a> & \\"b\\"\n"
  - exec: fails
    command: [sh, -c, "echo '<bad> & \\"worse\\"' >&2; exit 3"]
  - exec: after
    command: ["true"]
    require: exec[fails]
  - exec: ignored
    command: ["false"]
    ignore_failure: true
  - exec: "first\tsecond"
    command: ["true"]
END
}

teardown() {
    [ -z "${server-}" ] || kill "$server" 2>/dev/null || true
}

lacks_text() {
    [[ $output != *"$1"* ]] || { echo "$output"; return 1; }
}

@test "JUnit: each resource is a case, with what it failed or was skipped for" {
    needs_module junitparser
    run rhost apply --report-junit=run.xml site.yaml
    status_is 4
    is "$(mode_of run.xml)" 600
    python - "$work" <<'END'
import sys, junitparser

work = sys.argv[1]
suites = list(junitparser.JUnitXml.fromfile("run.xml"))
assert len(suites) == 1, suites
suite = suites[0]
assert (suite.tests, suite.failures, suite.errors, suite.skipped) == (6, 1, 0, 2), suite
cases = {(c.classname, c.name): c for c in suite}
assert len(cases) == 6, cases
assert cases["file", work + "/a"].is_passed
assert "ensure" in cases["file", work + "/a"].system_out
assert cases["directory", work].is_passed and not cases["directory", work].system_out
failed, = cases["exec", "fails"].result
assert isinstance(failed, junitparser.Failure), failed
assert '<bad> & "worse"' in failed.message, failed.message
assert failed.type == "RH5900", failed.type
assert "- exec: fails" in failed.text and "^" in failed.text, failed.text
skipped, = cases["exec", "after"].result
assert isinstance(skipped, junitparser.Skipped), skipped
assert skipped.message == "depends on exec[fails], which failed", skipped.message
ignored, = cases["exec", "ignored"].result
assert ignored.message.startswith("failed, which is ignored: "), ignored.message
assert cases["exec", "first\\tsecond"].is_passed
assert {p.name: p.value for p in suite.properties()}["rhost.exit"] == "4"
END
    rhost show --format=junit last >shown.xml
    python - <<'END'
import junitparser

def cases(name):
    suite, = junitparser.JUnitXml.fromfile(name)
    # A journal has no resources that are in sync.
    return {(c.classname, c.name, c.time): [(type(r), r.message) for r in c.result] for c in suite
            if c.classname != "directory"}, suite.timestamp

run, shown = cases("run.xml"), cases("shown.xml")
assert run == shown and len(run[0]) == 5, (run, shown)
END
}

@test "JUnit: a refresh is a case of its own, and a run that did not end is no success" {
    needs_module junitparser
    manifest <<END
resources:
  - exec: a
    command: ["true"]
    notify: exec[b]
  - exec: b
    command: ["true"]
    action: nothing
END
    rhost apply --report-junit=run.xml site.yaml
    python -c 'import junitparser; s, = junitparser.JUnitXml.fromfile("run.xml"); print(sorted(c.name for c in s))' >names
    grep -q "'b (" names
    sed -i '$d' "$BATS_TEST_TMPDIR"/state/runs/*.jsonl
    rhost show --format=junit last >shown.xml
    python - <<'END'
import junitparser
suite, = junitparser.JUnitXml.fromfile("shown.xml")
assert suite.errors == 1, suite.errors
error, = [r for c in suite for r in c.result]
assert error.message == "the run did not end", error.message
END
}

@test "Prometheus: the counts and times of the run, and each failed resource, once" {
    needs_module prometheus_client
    manifest <<'END'
resources:
  - exec: a
    command: ["true"]
    notifies:
      - [run, 'exec[twice "\]', immediately]
  - exec: b
    command: ["true"]
    notifies:
      - [run, 'exec[twice "\]', immediately]
  - exec: 'twice "\'
    command: ["false"]
    action: nothing
  - file: WORK/a
    content: x
END
    sed -i "s|WORK|$work|" site.yaml
    run rhost apply --report-prometheus=run.prom site.yaml
    status_is 4
    is "$(mode_of run.prom)" 644
    is "$(find . -name 'run.prom*')" ./run.prom
    cat >read.py <<'END'
import sys, time
from prometheus_client.parser import text_string_to_metric_families

samples = {}
for family in text_string_to_metric_families(open(sys.argv[1]).read()):
    assert family.type == "gauge" and family.documentation, family
    for s in family.samples:
        key = s.name, tuple(sorted(s.labels.items()))
        assert key not in samples, key
        samples[key] = s.value
value = {name: v for (name, labels), v in samples.items() if not labels}
status = {dict(labels)["status"]: v for (name, labels), v in samples.items() if name == "rhost_run_resources"}
failed = [dict(labels) for name, labels in samples if name == "rhost_resource_failed"]
assert value["rhost_run_exit_status"] == 4 and value["rhost_run_success"] == 0, value
assert value["rhost_run_complete"] == 1 and value["rhost_run_noop"] == 0, value
start, end = value["rhost_run_start_timestamp_seconds"], value["rhost_run_end_timestamp_seconds"]
assert time.time() - 3600 < start <= end <= time.time() + 1, (start, end)
assert status["changed"] == 3 and status["failed"] == 1, status
assert failed == [{"type": "exec", "title": 'twice "\\'}], failed
END
    python read.py run.prom
    # As if it had failed twice.
    python - "$BATS_TEST_TMPDIR"/state/runs/*.jsonl <<'END'
import json, sys
lines = [json.loads(line) for line in open(sys.argv[1])]
at = [i for i, line in enumerate(lines) if line.get("status") == "failed"][0]
lines.insert(at, dict(lines[at]))
with open(sys.argv[1], "w") as f:
    for i, line in enumerate(lines):
        print(json.dumps(dict(line, seq=i)), file=f)
END
    rhost show --format=prometheus last >shown.prom
    python read.py shown.prom
    if command -v promtool >/dev/null; then promtool check metrics <run.prom; fi
    sed -i 's/"false"/"true"/' site.yaml
    rhost apply --report-prometheus=run.prom site.yaml
    grep -qx 'rhost_run_success 1' run.prom
    not grep rhost_resource_failed run.prom
}

# The rules of the protocol that a collector holds a trace against.
check_trace() {
    python - "$@" <<'END'
import json, re, sys

KIND = {"stringValue": str, "boolValue": bool, "intValue": str}


def attributes(where):
    found = {}
    for a in where["attributes"]:
        assert set(a) == {"key", "value"} and len(a["value"]) == 1, a
        kind, value = next(iter(a["value"].items()))
        assert type(value) is KIND[kind], a
        assert a["key"] not in found, a
        found[a["key"]] = value
    return found


def time(text):
    assert type(text) is str and re.fullmatch("[0-9]{19}", text), text
    return int(text)


trace = json.load(open(sys.argv[1]))
assert set(trace) == {"resourceSpans"}
resource, = trace["resourceSpans"]
assert attributes(resource["resource"])["service.name"] == "rhost"
scope, = resource["scopeSpans"]
root, *spans = scope["spans"]
ids = set()
for span in [root] + spans:
    assert re.fullmatch("[0-9a-f]{32}", span["traceId"]) and span["traceId"] == root["traceId"]
    assert re.fullmatch("[0-9a-f]{16}", span["spanId"]) and span["spanId"] not in ids
    ids.add(span["spanId"])
    assert ("parentSpanId" in span) == (span is not root), span
    assert span.get("parentSpanId", root["spanId"]) == root["spanId"], span
    assert span["kind"] == 1 and time(span["startTimeUnixNano"]) <= time(span["endTimeUnixNano"]), span
    assert span["status"].get("code") in (None, 2), span
    attributes(span)
    for event in span["events"]:
        time(event["timeUnixNano"])
        assert event["name"] in ("change", "log"), event
        attributes(event)
by_name = {s["name"]: s for s in spans}
assert root["name"] == "rhost run" and root["status"]["code"] == 2, root
assert attributes(root)["rhost.exit"] == "4", root
assert attributes(root)["rhost.noop"] is False, root
assert len(by_name) == 5, by_name.keys()
fails = by_name["exec[fails]"]
assert fails["status"]["code"] == 2 and '<bad> & "worse"' in fails["status"]["message"], fails
assert attributes(fails)["rhost.code"] == "RH5900", fails
assert attributes(fails)["rhost.location"].startswith("site.yaml:5"), fails
ignored = by_name["exec[ignored]"]
assert ignored["status"] == {} and attributes(ignored)["rhost.ignored"] is True, ignored
changes = [attributes(e) for e in by_name["file[%s/a]" % sys.argv[2]]["events"] if e["name"] == "change"]
assert changes[0]["rhost.attribute"] == "ensure", changes
assert (changes[0]["rhost.from"], changes[0]["rhost.to"]) == ("absent", "present"), changes
print(root["traceId"])
END
}

@test "OpenTelemetry: a trace of the run, with a span for each resource, as the protocol has it" {
    run rhost apply --report-otlp=run.json site.yaml
    status_is 4
    is "$(mode_of run.json)" 600
    check_trace run.json "$work" >id
    rhost show --format=otlp last >shown.json
    check_trace shown.json "$work" | diff - id
}

# An HTTP server that keeps what it gets in `got`, and answers with these statuses, one after the other.
collector() {
    cat >collector.py <<'END'
import http.server, sys

answers = [a.split("=", 1) for a in sys.argv[1:]]


class Collector(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        status, body = (answers.pop(0) + [""])[:2]
        with open("got", "wb") as f:
            f.write(self.rfile.read(int(self.headers["Content-Length"])))
        with open("asked", "a") as f:
            print(self.path, self.headers["Content-Type"], self.headers.get("X-Key"), status, file=f)
        self.send_response(int(status))
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body.encode())


server = http.server.HTTPServer(("127.0.0.1", 0), Collector)
print(server.server_port, flush=True)
while answers:
    server.handle_request()
END
    : >port
    python collector.py "$@" >port 2>server.log 3>&- &
    server=$!
    for _ in $(seq 600); do
        [ ! -s port ] || break
        sleep 0.1
    done
    url=http://127.0.0.1:$(cat port)
}

needs_sender() {
    [ -x "$abs_top_builddir/core/rhost-otlp" ] || skip "rhost-otlp is not built here: it needs libcurl"
    unset http_proxy https_proxy all_proxy HTTP_PROXY HTTPS_PROXY ALL_PROXY
}

@test "OpenTelemetry: a trace is sent to a collector, with headers that no other user can read" {
    needs_sender
    collector 503 200='{"partialSuccess": {}}'
    printf '%s\n' '# of the collector' '' 'X-Key: swordfish' >headers
    chmod 600 headers
    run rhost apply --report-otlp="$url" --otlp-headers=headers site.yaml
    status_is 4
    lacks_text 'cannot send'
    wait $server
    diff - asked <<'END'
/v1/traces application/json swordfish 503
/v1/traces application/json swordfish 200
END
    check_trace got "$work"
    chmod 644 headers
    run rhost apply --report-otlp="$url" --otlp-headers=headers site.yaml
    status_is 4
    says "warning: cannot send the report to '$url': other users have access to 'headers'"
}

@test "OpenTelemetry: what cannot be sent is a warning, and the run is what it was" {
    needs_sender
    echo "resources: [{file: $work/b, content: x}]" >good.yaml
    collector 400=no 200='{"partialSuccess": {"rejectedSpans": "2"}}'
    run rhost apply --report-otlp="$url/own/path" good.yaml
    status_is 0
    says "warning: cannot send the report to '$url/own/path': the server answered with status 400"
    grep -q '^/own/path ' asked
    run rhost apply --report-otlp="$url" good.yaml
    status_is 0
    says 'the server rejected a part of the trace'
    wait $server
    run rhost apply --report-otlp="$url" good.yaml
    status_is 0
    says "warning: cannot send the report to '$url': "
    is "$(cat b)" x
}

@test "OpenTelemetry: a URL that cannot be used is refused before anything is done" {
    needs_sender
    run rhost apply --report-otlp=http://me:secret@collector/ site.yaml
    status_is 1
    says 'a URL that a report is sent to cannot have a user or a password'
    lacks_text secret
    run rhost apply --report-otlp=https:///x site.yaml
    status_is 1
    says "the URL 'https:///x' has no host"
    [ ! -e a ]
}

@test "what was logged about a resource belongs to it, whatever its title is" {
    printf '%s\n' 'resources:' '  - exec: "one\ttwo \u202e three"' '    command: [sh, -c, "exit 1"]' >site.yaml
    run rhost apply --report=run.json --report-otlp=run.otlp site.yaml
    status_is 4
    json_is run.json 'd["log"], len(d["resources"][0]["log"]) > 0' '([], True)'
    json_is run.otlp '[len(s["events"]) > 0 for s in d["resourceSpans"][0]["scopeSpans"][0]["spans"]]' '[False, True]'
    cat >site.yaml <<'END'
resources:
  - exec: "one\ttwo"
    command: [sh, -c, "exit 1"]
    retries: 1
    retry_delay: 0
END
    run rhost apply site.yaml
    status_is 4
    rhost show --format=otlp last >shown.otlp
    json_is shown.otlp 'len(d["resourceSpans"][0]["scopeSpans"][0]["spans"])' 2
}

@test "a report cannot take the place of a file that the run reads, or of another report" {
    echo 'resources: []' >other.yaml
    echo '  - include: other.yaml' >>site.yaml
    cp site.yaml before
    ln -s site.yaml link
    for format in '' -html -junit -prometheus -otlp; do
        for name in site.yaml ./site.yaml "$work/other.yaml" link; do
            run rhost apply "--report$format=$name" site.yaml
            status_is 1
            says "cannot write the report '$name': this run reads that file"
        done
    done
    cmp site.yaml before
    is "$(cat other.yaml)" 'resources: []'
    run rhost apply --report-junit=x --report=x site.yaml
    status_is 1
    says "cannot write two reports to 'x'"
    [ ! -e a ]
    run rhost apply --report-junit=/dev/null --report=/dev/null site.yaml
    status_is 4
}

@test "no report has a secret" {
    manifest <<END
resources:
  - file: $work/missing/a
    content: swordfish-17
    sensitive: content
  - exec: boom
    command: [sh, -c, "echo swordfish-17; echo swordfish-17 >&2; exit 1"]
  - file: $work/b
    content: swordfish-17
END
    run rhost apply --report-junit=1 --report-prometheus=2 --report-otlp=3 --report=4 --report-html=5 site.yaml
    status_is 4
    for format in junit prometheus otlp json html; do
        rhost show --format=$format last >"6-$format"
    done
    not grep swordfish 1 2 3 4 5 6-*
    for report in 1 3 4 5 6-junit 6-otlp 6-json 6-html; do
        grep -q '\[redacted\]' $report
    done
}

# Makes objects of the model of each part of a log, where a name that the model lacks is an error.
check_sarif() {
    cat >sarif.py <<'END'
import json
import attr, sarif_om

MODEL = {"runs": sarif_om.Run, "tool": sarif_om.Tool, "driver": sarif_om.ToolComponent,
         "rules": sarif_om.ReportingDescriptor, "results": sarif_om.Result, "locations": sarif_om.Location,
         "physicalLocation": sarif_om.PhysicalLocation, "artifactLocation": sarif_om.ArtifactLocation,
         "region": sarif_om.Region, "message": sarif_om.Message, "invocations": sarif_om.Invocation,
         "shortDescription": sarif_om.MultiformatMessageString, "fullDescription": sarif_om.MultiformatMessageString,
         "help": sarif_om.MultiformatMessageString}


def read(model, d):
    names = {a.metadata["schema_property_name"]: a.name for a in attr.fields(model)}
    given = {}
    for key, value in d.items():
        part = MODEL.get(key)
        if part:
            value = [read(part, v) for v in value] if type(value) is list else read(part, value)
        given[names[key]] = value
    return model(**given)


log = read(sarif_om.SarifLog, json.load(open("log.sarif")))
assert log.version == "2.1.0", log.version
run, = log.runs
rules = run.tool.driver.rules
for result in run.results:
    assert result.level in ("error", "warning"), result
    assert rules[result.rule_index].id == result.rule_id, result
    assert rules[result.rule_index].help.text and rules[result.rule_index].short_description.text
found = []
for result in run.results:
    places = [(p.physical_location.artifact_location.uri, p.physical_location.region.start_line,
               p.physical_location.region.start_column) for p in result.locations]
    found.append((result.rule_id, result.level, result.message.text.split("\n")[0], places))
assert run.invocations[0].exit_code == any(f[1] == "error" for f in found)
for f in found:
    print(*f, sep=" | ")
END
    mv out log.sarif
    python sarif.py
}

@test "SARIF: each error is a result at its place, its code is a rule, and nothing else is printed" {
    needs_module sarif_om
    mkdir 'a b'
    cat >'a b/site.yaml' <<'END'
resources:
  - fil: /x
  - file: /y
    mdoe: "0644"
END
    split rhost validate --format=sarif 'a b/site.yaml'
    status_is 1
    is_empty err
    check_sarif >found
    diff - found <<'END'
RH1201 | error | unknown type 'fil' | [('a%20b/site.yaml', 2, 5)]
RH1205 | error | unknown attribute 'mdoe' for type 'file' | [('a%20b/site.yaml', 4, 5)]
END
}

@test "SARIF: warnings are results, and no results are a log too" {
    needs_module sarif_om
    split rhost validate --format=sarif site.yaml
    status_is 0
    check_sarif >found
    is_empty found
    mkdir facts.d
    echo '- x' >facts.d/bad.yaml
    echo 'good: yes' >facts.d/good.yaml
    printf '%s\n' 'resources:' '  - exec: "${node.good}"' '    command: ["true"]' >site.yaml
    split rhost validate --format=sarif --facts-dir=facts.d site.yaml
    status_is 0
    is_empty err
    check_sarif >found
    grep -q "^RH[0-9]* | warning | expected a hash of facts .*'facts.d/bad.yaml', 1, 1" found
}

@test "SARIF: a wrong command line is a result as well" {
    needs_module sarif_om
    split rhost validate --format=sarif --nosuch site.yaml
    status_is 1
    is_empty err
    check_sarif >found
    is "$(cat found)" "RH0201 | error | unknown option '--nosuch' | []"
    split rhost validate --format=sarif missing.yaml
    status_is 1
    check_sarif >found
    grep -q "^RH0001 | error | cannot open 'missing.yaml'" found
}

#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
source "${abs_top_srcdir:-$BATS_TEST_DIRNAME/../..}/tests/cli/cli.bash"

# Something that fails, what depends on it, and what does not.
failing() {
    manifest <<END
resources:
  - exec: boom
    command: ["false"]
  - file: $work/direct
    content: a
    require: exec[boom]
  - file: $work/indirect
    content: b
    require: file[$work/direct]
  - file: $work/other
    content: c
END
}

two_files() {
    manifest <<END
resources:
  - file: $work/one
    content: "1\n"
  - file: $work/two
    content: "2\n"
END
}

@test "what is not there is made, and a second run finds nothing to do" {
    two_files
    run rhost apply site.yaml
    status_is 0
    says '2 resources: 2 changed'
    [ "$(cat one)" = 1 ]
    run rhost apply site.yaml
    status_is 0
    says '2 resources: 2 ok'
    says_not changed
}

@test "each change is shown with its place, and with before and after" {
    printf 'old\n' >one
    two_files
    run rhost apply site.yaml
    says "file[$work/one] site.yaml:2"
    says 'content "old\n" → "1\n"'
}

@test "noop says what would change, and changes nothing" {
    two_files
    run rhost apply --noop site.yaml
    status_is 0
    says 'would change'
    says '2 resources: 2 would change'
    says 'noop: nothing was changed'
    [ ! -e one ]
    [ ! -d "$BATS_TEST_TMPDIR/state/runs" ]
}

@test "-n is noop" {
    two_files
    run rhost apply -n site.yaml
    says '2 would change'
    [ ! -e one ]
}

@test "noop on one resource holds for that one" {
    manifest <<END
resources:
  - file: $work/one
    content: a
    noop: true
  - file: $work/two
    content: b
END
    run rhost apply site.yaml
    status_is 0
    says '1 changed, 1 would change'
    [ ! -e one ]
    [ -e two ]
}

@test "--diff shows texts line by line" {
    printf 'a\nb\nc\n' >one
    manifest <<END
resources:
  - file: $work/one
    content: "a\nB\nc\n"
END
    run rhost apply --noop --diff site.yaml
    says '@@'
    says '-b'
    says '+B'
    run rhost apply --noop site.yaml
    says_not '@@'
}

@test "--only applies that resource alone" {
    two_files
    run rhost apply --only="file[$work/two]" site.yaml
    status_is 0
    says '1 resource: 1 changed'
    [ ! -e one ]
    [ -e two ]
}

@test "--only may be given several times" {
    two_files
    run rhost apply --only="file[$work/two]" --only="file[$work/one]" site.yaml
    says '2 resources: 2 changed'
}

@test "--only suggests what is near" {
    manifest <<END
resources:
  - file: $work/one
  - log: hello
END
    run rhost apply --only="file[$work/oen]" site.yaml
    status_is 1
    says "--only=file[$work/oen]: unknown resource"
    says "did you mean 'file[$work/one]'?"
    run rhost apply --only='lgo[hello]' --only='file[hello]' site.yaml
    status_is 1
    [ "$(grep -c "did you mean 'log.hello.'?" <<<"$output")" -eq 2 ]
    run rhost apply --only=hello site.yaml
    status_is 1
    says "--only=hello: not a resource reference"
    says "write the type and the title, for example: --only='file[/etc/motd]'"
}

@test "--only with a resource that is not in the manifest is refused" {
    two_files
    run rhost apply --only="file[$work/three]" site.yaml
    status_is 1
    says "--only=file[$work/three]: unknown resource"
    [ ! -e one ]
}

@test "--quiet says nothing when all goes well" {
    two_files
    split rhost apply --quiet site.yaml
    status_is 0
    is_empty out
    is_empty err
    [ -e one ]
}

@test "--quiet says what failed" {
    failing
    split rhost apply -q site.yaml
    status_is 4
    says 'exec[boom]'
    says 'failed:'
    says_not "$work/other"
}

@test "--verbose says also what is as wanted" {
    two_files
    rhost apply -q site.yaml
    run rhost apply --verbose site.yaml
    says "file[$work/one] site.yaml:2 unchanged"
}

@test "--debug says what the provider is asked" {
    two_files
    split rhost apply --debug site.yaml
    says 'debug: file'
}

@test "the exit status is 0 when something was changed, without --detailed-exitcodes" {
    two_files
    run rhost apply site.yaml
    status_is 0
}

@test "with --detailed-exitcodes it is 2 when something was changed, or would be, and 0 when not" {
    two_files
    run rhost apply --detailed-exitcodes --noop site.yaml
    status_is 2
    run rhost apply --detailed-exitcodes site.yaml
    status_is 2
    run rhost apply --detailed-exitcodes site.yaml
    status_is 0
}

@test "it is 4 when something failed" {
    failing
    run rhost apply site.yaml
    status_is 4
}

@test "with --detailed-exitcodes it is 6 when something also was changed, and 4 when not" {
    failing
    run rhost apply --detailed-exitcodes site.yaml
    status_is 6
    run rhost apply --detailed-exitcodes site.yaml
    status_is 4
}

@test "it is 1 when the manifest is refused, and nothing is touched" {
    manifest <<END
resources:
  - file: $work/one
    content: a
  - file: $work/two
    contnet: b
END
    run rhost apply site.yaml
    status_is 1
    says "did you mean 'content'?"
    says '1 error; nothing was changed'
    [ ! -e one ]
}

@test "a file that cannot be read is refused" {
    run rhost apply missing.yaml
    status_is 1
    says "cannot open 'missing.yaml': No such file or directory"
}

@test "a failure stops only what depends on it, and each says on whom" {
    failing
    run rhost apply site.yaml
    says 'failed: the command failed with status 1'
    says 'skipped: depends on exec[boom], which failed'
    says "skipped: depends on file[$work/direct], which was skipped"
    says '4 resources: 1 changed, 1 failed, 2 skipped'
    [ ! -e direct ]
    [ ! -e indirect ]
    [ -e other ]
}

@test "what is said of a failure is not said twice" {
    failing
    split rhost apply site.yaml
    [ "$(grep -c 'command failed' <<<"$output")" -eq 1 ]
}

@test "several files are one manifest, in their order" {
    manifest a.yaml <<END
resources:
  - file: $work/dir/one
    content: a
END
    manifest b.yaml <<END
resources:
  - directory: $work/dir
    before: file[$work/dir/one]
END
    run rhost apply a.yaml b.yaml
    status_is 0
    says 'a.yaml:2'
    says 'b.yaml:2'
    says '2 resources: 2 changed'
}

@test "- is standard input" {
    run rhost apply - <<END
resources:
  - file: $work/one
    content: a
END
    status_is 0
    says 'standard input:2'
    [ -e one ]
}

@test "JSON is a manifest as well" {
    manifest site.json <<END
{"resources": [{"file": "$work/one", "content": "a"}]}
END
    run rhost apply site.json
    status_is 0
    [ "$(cat one)" = a ]
}

@test "an empty manifest is nothing to do" {
    run rhost apply - </dev/null
    status_is 0
    says '0 resources: nothing to do'
    says "warning: 'standard input' is empty: it declares nothing"
}

@test "options may stand after the files" {
    two_files
    run rhost apply site.yaml --noop
    says '2 would change'
}

@test "resources go in the order in which they are written" {
    manifest <<END
resources:
  - exec: first
    command: [sh, -c, "echo first >>$work/order"]
  - file: $work/between
    content: a
  - exec: second
    command: [sh, -c, "echo second >>$work/order"]
END
    run rhost apply site.yaml
    [ "$(paste -sd' ' order)" = 'first second' ]
    [[ $output == *first*between*second* ]]
}

@test "relations change the order" {
    manifest <<END
resources:
  - exec: first
    command: [sh, -c, "echo first >>$work/order"]
    require: exec[second]
  - exec: second
    command: [sh, -c, "echo second >>$work/order"]
  - exec: third
    command: [sh, -c, "echo third >>$work/order"]
    before: exec[second]
END
    run rhost apply site.yaml
    status_is 0
    [ "$(paste -sd' ' order)" = 'third second first' ]
}

@test "a list of titles is that many resources" {
    manifest <<END
resources:
  - file: [$work/one, $work/two]
    content: same
END
    run rhost apply site.yaml
    says '2 resources: 2 changed'
    [ "$(cat one two)" = samesame ]
}

@test "action nothing leaves a resource alone" {
    manifest <<END
resources:
  - file: $work/one
    content: a
    action: nothing
  - file: $work/two
    content: b
END
    run rhost apply site.yaml
    status_is 0
    says '1 resource: 1 changed'
    [ ! -e one ]
}

@test "sensitive values are shown nowhere" {
    needs_python
    manifest <<END
resources:
  - file: $work/one
    content: hunter2
    sensitive: content
END
    printf 'hunter1' >one
    split rhost apply --diff --debug --report=report.json site.yaml
    status_is 0
    says 'content [redacted] → [redacted]'
    [ "$(cat one)" = hunter2 ]
    not grep -rq 'hunter' out err report.json "$BATS_TEST_TMPDIR/state"
}

@test "a pipe gets no colours, unless they are asked for" {
    two_files
    run rhost apply --noop site.yaml
    [[ $output != *$'\033'* ]]
    run rhost apply --noop --color=always site.yaml
    [[ $output == *$'\033'* ]]
    run rhost apply --noop --color=never site.yaml
    [[ $output != *$'\033'* ]]
}

@test "what a name holds cannot steer a terminal" {
    manifest <<'END'
resources:
  - log: "a\e[31mb"
    level: warning
END
    run rhost apply -v site.yaml
    status_is 0
    [[ $output != *$'\033'* ]]
}

@test "--report writes what the manual says" {
    needs_python
    printf 'old' >one
    failing
    cat >>site.yaml <<END
  - file: $work/one
    content: new
END
    run rhost apply --report=report.json site.yaml
    status_is 4
    json_is report.json 'sorted(d)' \
        "['counts', 'ended', 'exit', 'host', 'log', 'noop', 'resources', 'rhost', 'rhost_report', 'run', 'seconds', 'seq', 'started', 'status']"
    json_is report.json 'd["exit"], d["noop"]' '(4, False)'
    json_is report.json 'd["counts"]' \
        "{'total': 5, 'unchanged': 0, 'changed': 2, 'refreshed': 0, 'failed': 1, 'skipped': 2}"
    json_is report.json 'type(d["seconds"]).__name__, type(d["log"]).__name__' "('float', 'list')"
    json_is report.json '{tuple(sorted(r.keys() - {"code", "cause", "created"})) for r in d["resources"]}' \
        "{('action', 'changes', 'location', 'log', 'provider', 'reason', 'seconds', 'status', 'title', 'type')}"
    json_is report.json '[r["status"] for r in d["resources"]]' \
        "['failed', 'skipped', 'skipped', 'changed', 'changed']"
    json_is report.json 'd["resources"][1]["reason"]' 'depends on exec[boom], which failed'
    json_is report.json 'd["resources"][3]["reason"]' None
    json_is report.json 'd["resources"][4]["changes"]' \
        "[{'attribute': 'content', 'from': 'old', 'to': 'new', 'message': None}]"
    json_is report.json 'd["resources"][4]["location"]' "{'file': 'site.yaml', 'line': 12, 'column': 5}"
    json_is report.json 'd["resources"][4]["action"], d["resources"][4]["provider"]' \
        "('converge', 'file')"
    json_is report.json 're.match(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$", d["started"]) is not None' True
}

@test "the report has resources in the order in which they were executed" {
    needs_python
    manifest <<END
resources:
  - exec: one
    command: ["true"]
    require: exec[two]
  - exec: two
    command: ["true"]
END
    run rhost apply --report=report.json site.yaml
    status_is 0
    json_is report.json '[r["title"] for r in d["resources"]]' "['two', 'one']"
}

@test "the report of a noop run says what would change" {
    needs_python
    two_files
    rhost apply --noop --report=report.json site.yaml
    json_is report.json 'd["noop"], d["exit"]' '(True, 0)'
    json_is report.json '{r["status"] for r in d["resources"]}' "{'would_change'}"
    json_is report.json 'd["counts"]["would_change"], d["counts"]["changed"]' '(2, 0)'
}

@test "what a provider says is in the report, with the resource" {
    needs_python
    manifest <<END
resources:
  - log: hello
    level: warning
END
    run rhost apply --report=report.json site.yaml
    status_is 0
    json_is report.json 'd["resources"][0]["log"][0]["level"]' warning
    json_is report.json '"hello" in d["resources"][0]["log"][0]["message"]' True
}

@test "a report is only for its owner to read" {
    two_files
    rhost apply -q --report=report.json site.yaml
    [ "$(mode_of report.json)" = 600 ]
}

@test "a report that cannot be written refuses the run" {
    two_files
    run rhost apply --report=missing/report.json site.yaml
    status_is 1
    says "cannot write 'missing/report.json': No such file or directory"
    says 'nothing was changed'
    [ ! -e one ]
}

@test "--format=json prints the report, and nothing else" {
    needs_python
    two_files
    split rhost apply --format=json site.yaml
    status_is 0
    json_is out 'd["counts"]["changed"]' 2
    is_empty err
}

@test "attributes that only differ in how they are written are no change" {
    manifest <<END
resources:
  - file: $work/one
    content: a
    mode: 644
END
    rhost apply -q site.yaml
    sed -i 's/644/"0644"/' site.yaml
    run rhost apply --detailed-exitcodes site.yaml
    status_is 0
}

@test "what would be created is shown with its values, and no secret" {
    needs_python
    manifest <<END
resources:
  - file: $work/new
    content: "one\ntwo hunter2hunter2\n"
    mode: "0640"
  - file: $work/secret
    content: hunter2hunter2
    sensitive: content
END
    run rhost apply --noop site.yaml
    status_is 0
    says ' ensure absent → present'
    says ' content "one\ntwo [redacted]\n"'
    says ' mode 0640'
    says ' content [redacted]'
    run rhost apply --noop --diff site.yaml
    says ' +two [redacted]'
    rhost apply --noop --report=report.json site.yaml >/dev/null
    json_is report.json '[r["created"] for r in d["resources"]]' \
        "[{'content': 'one\\ntwo [redacted]\\n', 'mode': '0640'}, {'content': '[redacted]'}]"
    run rhost apply --report=report.json site.yaml
    status_is 0
    says_not ' mode '
    json_is report.json '[sorted(r.get("created", {})) for r in d["resources"]]' "[['content', 'mode'], ['content']]"
    rhost apply --report=report.json site.yaml >/dev/null
    json_is report.json '[r for r in d["resources"] if "created" in r]' '[]'
}

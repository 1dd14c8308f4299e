#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# edit: each word that an entry may have changes what was declared, and its place in the list.
source "${abs_top_srcdir:-$BATS_TEST_DIRNAME/../..}/tests/cli/cli.bash"

# The compiled catalog of the manifest on standard input.
compiled() {
    manifest
    rhost compile site.yaml >catalog.json
}

# The titles in the order of the list.
order() {
    json catalog.json '" ".join(re.sub(r".*\[(.*)\]", r"\1", e["resource"]) for e in d["list"])'
}

@test "an edit moves an entry of the list" {
    needs_python
    compiled <<'END'
resources:
  - exec: [a, b, c, d]
    command: ["true"]
  - edit: exec[a]
    insert_after: exec[c]
END
    [ "$(order)" = "b c a d" ]
    compiled <<'END'
resources:
  - edit: exec[d]
    insert_before: exec[b]
  - exec: [a, b, c, d]
    command: ["true"]
END
    [ "$(order)" = "a d b c" ]
}

@test "an edit moves all entries of a resource, also to where another edit has put one" {
    needs_python
    compiled <<'END'
resources:
  - exec: [a, b, c]
    command: ["true"]
  - trigger: exec[a]
  - edit: exec[a]
    insert_before: exec[c]
  - edit: exec[b]
    insert_after: exec[c]
    action: [run, run]
END
    [ "$(order)" = "a a c b b" ]
}

@test "the last edit says where an entry goes" {
    needs_python
    compiled <<'END'
resources:
  - exec: [a, b, c]
    command: ["true"]
  - edit: exec[a]
    insert_after: exec[b]
  - edit: exec[a]
    insert_after: exec[c]
END
    [ "$(order)" = "b c a" ]
}

@test "what has no entry cannot be moved, unless the edit gives it one" {
    needs_python
    manifest <<'END'
resources:
  - exec: [a, b]
    command: ["true"]
  - declare: exec[c]
    command: ["true"]
  - edit: exec[c]
    insert_before: exec[a]
  - edit: exec[b]
    insert_before: exec[b]
END
    run rhost validate site.yaml
    status_is 1
    says "site.yaml:7:20: error: cannot move exec[c]: it is not in the list of actions"
    says "exec[b] cannot be inserted before or after itself"
    compiled <<'END'
resources:
  - exec: [a, b]
    command: ["true"]
  - declare: exec[c]
    command: ["true"]
  - edit: exec[c]
    insert_before: exec[a]
    action: run
END
    [ "$(order)" = "c a b" ]
}

@test "what an edit calls sensitive is a secret from then on" {
    needs_python
    manifest <<END
resources:
  - file: $work/a
    content: hunter2-and-more
    mode: 0600
  - file: $work/b
    content: other-password
    mode: 0600
  - edit: file[$work/a]
    sensitive: content
  - edit: file[$work/b]
    content: third-password
    sensitive: [content]
END
    rhost compile site.yaml >catalog.json
    json_is catalog.json '[r["attributes"]["content"] for r in d["resources"]]' \
        "[{'\$sensitive': True}, {'\$sensitive': True}]"
    echo before | tee a >b
    run rhost apply --diff --debug site.yaml
    status_is 0
    says "[redacted]"
    says_not before
    says_not hunter2
    says_not third-password
    [ "$(cat a)" = hunter2-and-more ]
    [ "$(cat b)" = third-password ]
}

@test "an edit's secret is that of one resource, not of those declared with it" {
    needs_python
    compiled <<END
resources:
  - file: [$work/a, $work/b]
    content: shared
  - edit: file[$work/a]
    sensitive: content
END
    json_is catalog.json '[r["attributes"]["content"] for r in d["resources"]]' \
        "[{'\$sensitive': True}, 'shared']"
}

@test "an edit gives schedules, tags, levels and other names" {
    needs_python
    compiled <<'END'
resources:
  - exec: a
    command: ["true"]
    tag: first
    loglevel: debug
  - exec: b
    command: ["true"]
    require: exec[renamed]
  - edit: exec[a]
    tag: [second, third]
    alias: renamed
    loglevel: warning
    schedule: {period: never, name: off}
END
    json_is catalog.json '(d["resources"][0]["tag"], d["resources"][0]["loglevel"], d["resources"][0]["alias"],
        d["resources"][0]["schedule"]["period"])' "(['first', 'second', 'third'], 'warning', ['renamed'], 'never')"
    run rhost apply site.yaml
    status_is 0
    says "1 changed"
    run rhost apply --tags=third site.yaml
    status_is 0
    says "0 resources"
}

@test "an edit says what a result means, and how often a command is tried" {
    manifest <<'END'
resources:
  - exec: thrice
    command: [sh, -c, "echo x >>tries; wc -l <tries"]
    cwd: /nonexistent
  - exec: [strange, quiet]
    command: ["false"]
  - edit: exec[thrice]
    cwd: WORK
    capture: text
    retries: 5
    retry_delay: 0
    until: contains(result.stdout, "3")
  - edit: exec[strange]
    success_when: result.exit_code < 2
  - edit: exec[quiet]
    success_when: "true"
    changed_when: "false"
END
    sed -i "s|WORK|$work|" site.yaml
    run rhost apply site.yaml
    status_is 0
    says '3 resources: 1 ok, 2 changed'
    is "$(wc -l <tries)" 3
}

@test "an edit says whether a change is read again and kept, for whom, and when" {
    needs_python
    compiled <<'END'
resources:
  - file: [/a, /b, /c, /d]
  - edit: file[/a]
    verify: false
    backup: false
  - edit: "file[/${each.value}]"
    for_each: [b, c]
    mode: 0600
  - edit: file[/d]
    when: 1 > 2
    mode: 0600
END
    json_is catalog.json '[(r.get("verify"), r.get("backup"), r["attributes"].get("mode")) for r in d["resources"]]' \
        "[(False, False, None), (None, None, '0600'), (None, None, '0600'), (None, None, None)]"
}

@test "an alias that an edit gives is nobody else's name" {
    manifest <<'END'
resources:
  - exec: [a, b]
    command: ["true"]
  - edit: exec[a]
    alias: b
END
    run rhost validate site.yaml
    status_is 1
    says "alias 'b' is the name of exec[b]"
}

@test "an edit has attributes audited" {
    echo one >a
    manifest <<END
resources:
  - file: $work/a
  - edit: file[$work/a]
    audit: content
END
    run rhost apply site.yaml
    status_is 0
    echo two >a
    run rhost apply site.yaml
    status_is 0
    says "audit: content changed"
}

@test "an edit gives guards, retries and limits, and takes ignore_failure back" {
    needs_python
    compiled <<'END'
resources:
  - file: /x
    ignore_failure: true
    retries: 3
  - edit: file[/x]
    ignore_failure: false
    timeout: 5
    only_if: "true"
END
    json_is catalog.json '[d["resources"][0].get(k) for k in ("ignore_failure", "retries", "timeout", "only_if")]' \
        "[None, 3, 5.0, 'true']"
    compiled <<'END'
resources:
  - file: /x
    ignore_failure: true
  - edit: file[/x]
    ignore_failure: false
END
    json_is catalog.json 'd["resources"][0].get("ignore_failure")' None
}

@test "an edit of a purge changes what it keeps" {
    manifest <<'END'
resources:
  - purge: host
    keep: ["*"]
  - edit: purge[host]
    keep: "/(/"
END
    run rhost validate site.yaml
    status_is 1
    says "invalid regular expression '/(/'"
}

@test "of an edit whose attributes are none, nothing more is read" {
    for attributes in text '[mode]' 7; do
        manifest <<END
resources:
  - file: /x
  - edit: file[/x]
    attributes: $attributes
    provider: other
END
        run rhost validate --color=never site.yaml
        status_is 1
        says "site.yaml:4:17: error: 'attributes' must be a hash"
        is "$(grep -c 'error:' <<<"$output")" 1
    done
}

@test "what an edit cannot change is refused" {
    manifest <<'END'
resources:
  - define: site
    parameters: {text: String}
    resources:
      - exec: one ${title}
        command: [echo, "${text}"]
  - site: a
    text: old
  - edit: site[a]
    text: new
  - file: /x
  - edit: file[/x]
    provider: other
END
    run rhost validate site.yaml
    status_is 1
    says "site.yaml:10:5: error: the parameters of site[a] cannot be edited: its resources are declared already"
    says "site.yaml:13:15: error: an edit cannot change the provider of file[/x], which is 'file'"
}

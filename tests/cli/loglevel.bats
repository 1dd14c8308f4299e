#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
source "${abs_top_srcdir:-$BATS_TEST_DIRNAME/../..}/tests/cli/cli.bash"

site() {
    manifest <<END
resources:
  - file: $work/debug
    content: a
    loglevel: debug
  - file: $work/info
    content: a
    loglevel: info
  - file: $work/notice
    content: a
  - file: $work/warning
    content: a
    loglevel: warning
  - file: $work/crit
    content: a
    loglevel: crit
END
}

# The names of those that a noop run with these options shows.
shown() {
    output=$(rhost apply --noop "$@" site.yaml 2>/dev/null |
        sed -n 's/^file\[.*\/\([a-z]*\)\].*/\1/p' | xargs)
}

@test "a change is shown at the level that its resource asks for" {
    site
    shown
    [ "$output" = 'notice warning crit' ]
    shown -q
    [ "$output" = 'warning crit' ]
    shown -v
    [ "$output" = 'info notice warning crit' ]
    shown -vv
    [ "$output" = 'debug info notice warning crit' ]
}

@test "whatever its level, a change is counted, and in the report and the journal" {
    needs_python
    site
    run rhost apply --report=report.json site.yaml
    says '5 resources: 5 changed'
    json_is report.json '[r.get("loglevel") for r in d["resources"]]' \
        "['debug', 'info', None, 'warning', 'crit']"
    [ "$(grep -c '"status": "changed"' "$BATS_TEST_TMPDIR"/state/runs/*.jsonl)" = 5 ]
}

@test "the level of an instance is that of its own line" {
    manifest <<'END'
resources:
  - define: app
    resources:
      - exec: in ${title}
        command: ["true"]
  - app: low
    loglevel: debug
  - app: usual
  - app: high
    loglevel: warning
END
    run rhost apply site.yaml
    status_is 0
    says_not 'app[low]'
    says 'app[usual]'
    says 'exec[in low]'
    says '6 resources: 6 changed'
    run rhost apply -q site.yaml
    says 'app[high]'
    says_not 'exec['
    says_not 'app[usual]'
}

@test "a failure is no matter of levels" {
    manifest <<'END'
resources:
  - exec: boom
    command: ["false"]
    loglevel: debug
END
    run rhost apply -q site.yaml
    status_is 4
    says 'exec[boom]'
    says 'failed:'
}

@test "a level that there is not is refused, with what was meant" {
    manifest <<'END'
resources:
  - log: a
    loglevel: warnin
  - log: b
    loglevel: [debug]
  - log: c
    loglevel: shout
END
    run rhost validate site.yaml
    status_is 1
    says "site.yaml:3:15: error: unknown level 'warnin'"
    says "did you mean 'warning'?"
    says 'the levels are: debug, info, notice, warning, err'
    says 'a level must be a word, not a list'
}

@test "levels survive being compiled" {
    needs_python
    site
    rhost compile site.yaml >site.json
    json_is site.json '[r.get("loglevel") for r in d["resources"]]' \
        "['debug', 'info', None, 'warning', 'crit']"
    mv site.json site.yaml
    shown
    [ "$output" = 'notice warning crit' ]
}

@test "noop on a resource holds for it alone, and a global --noop wins over noop: false" {
    manifest <<END
resources:
  - file: $work/one
    content: a
    noop: true
  - file: $work/two
    content: b
    noop: false
END
    run rhost apply --noop site.yaml
    status_is 0
    says '2 resources: 2 would change'
    [ ! -e one ]
    [ ! -e two ]
    rhost compile site.yaml >catalog.json
    run rhost apply catalog.json
    status_is 0
    says '2 resources: 1 changed, 1 would change'
    [ ! -e one ]
    [ -e two ]
}

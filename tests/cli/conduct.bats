#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Guards, retries, time limits, and failures that are ignored. Where providers run must not matter:
# each test is there for both ways.
source "${abs_top_srcdir:-$BATS_TEST_DIRNAME/../..}/tests/cli/cli.bash"

both() {
    for RHOST_ISOLATION in confined none; do
        echo "# isolation: $RHOST_ISOLATION"
        rm -rf "$work"/* "$BATS_TEST_TMPDIR/state"
        "$@"
    done
}

guards() {
    manifest <<END
resources:
  - file: $work/list-yes
    content: a
    only_if: [test, -d, /]
  - file: $work/text-yes
    content: a
    not_if: "test -e /nonexistent | false"
  - file: $work/list-no
    content: a
    not_if: [test, -d, /]
  - file: $work/text-no
    content: a
    only_if: "exit 3"
  - file: $work/both
    content: a
    only_if: "true"
    not_if: "true"
END
    run rhost apply -v site.yaml
    status_is 0
    [ "$(ls -d ./*-* | paste -sd ' ')" = './list-yes ./text-yes' ]
    [ ! -e both ]
    says "file[$work/list-no] site.yaml:8 not applied: not_if [\"test\", \"-d\", \"/\"] succeeded"
    says "file[$work/text-no] site.yaml:11 not applied: only_if \"exit 3\" failed"
    says '5 resources: 3 ok, 2 changed'
}

several_guards() {
    manifest <<END
resources:
  - file: $work/all-yes
    content: a
    only_if: [[test, -d, /], "test -d /", "true"]
    not_if: ["exit 3", ["false"]]
  - file: $work/one-no
    content: a
    only_if: [[test, -d, /], "exit 3", [$work/never]]
  - file: $work/one-of-two
    content: a
    not_if: [["false"], "true", [$work/never]]
  - file: $work/one-command
    content: a
    only_if: [test, -e, $work/none]
END
    run rhost apply -v site.yaml
    status_is 0
    is "$(ls -d ./*-*)" ./all-yes
    says 'not applied: only_if "exit 3" failed'
    says 'not applied: not_if "true" succeeded'
    says '4 resources: 3 ok, 1 changed'
}

@test "several guards: all of only_if succeed, and none of not_if" {
    both several_guards
}

@test "only_if and not_if, as a list and as a text for the shell" {
    both guards
}

guards_cannot_be_asked() {
    manifest <<END
resources:
  - file: $work/one
    content: a
    only_if: [/nonexistent/command]
  - file: $work/two
    content: a
    require: file[$work/one]
END
    run rhost apply site.yaml
    status_is 4
    says 'failed: only_if: '
    says 'skipped: depends on'
    [ ! -e one ]
}

@test "a guard that cannot be run is a failure" {
    both guards_cannot_be_asked
}

guards_of_targets() {
    manifest <<END
resources:
  - file: $work/one
    content: a
    notify: log[tell]
  - log: tell
    action: nothing
    only_if: [$1]
END
    run rhost apply -v site.yaml
}

@test "the guard of a target is asked when it is told; one that says no leaves no debt" {
    guards_of_targets '"false"'
    status_is 0
    says 'not applied: only_if ["false"] failed'
    run rhost pending
    says 'no notifications are pending'
}

@test "the guard of a target that cannot be run leaves the debt" {
    guards_of_targets /nonexistent/command
    status_is 4
    run rhost pending
    says 'log[tell]'
}

@test "under noop a guard that may look at what would change is unknown" {
    manifest <<END
resources:
  - file: $work/one
    content: a
  - file: $work/two
    content: a
    only_if: [test, -e, $work/one]
    require: file[$work/one]
END
    run rhost apply --noop site.yaml
    status_is 0
    says "file[$work/two] site.yaml:4"
    says 'unknown: its guard may look at what something that it depends on would change'
}

@test "an attribute of the same name goes before the word: exec has only_if of its own" {
    manifest <<END
resources:
  - exec: a
    command: [touch, one]
    cwd: $work
    only_if: [test, -e, here]
END
    touch here
    run rhost apply site.yaml # the attribute runs in cwd, the word would not
    status_is 0
    [ -e one ]
}

third_time() {
    manifest <<END
resources:
  - exec: third time
    command: [sh, -c, "echo x >>$work/tries; test \$(wc -l <$work/tries) -eq 3"]
    retries: 5
    retry_delay: 0.1
  - file: $work/after
    content: a
    require: exec[third time]
END
    run rhost apply site.yaml
    status_is 0
    says 'exec[third time] failed, and is tried again in 0.1 s (1 of 5)'
    says '(2 of 5)'
    says_not '(3 of 5)'
    [ "$(wc -l <tries)" -eq 3 ]
    [ -e after ]
}

@test "retries: what succeeds the third time has succeeded" {
    both third_time
}

@test "retries: what fails each time has failed, once" {
    needs_python
    manifest <<END
resources:
  - exec: never
    command: [sh, -c, "echo x >>$work/tries; false"]
    retries: 2
END
    rhost apply --format=json site.yaml >report.json || true
    [ "$(wc -l <tries)" -eq 3 ]
    json_is report.json 'd["counts"]["failed"], len(d["resources"])' '(1, 1)'
}

@test "timeout ends a provider that hangs, and later resources of that type go on" {
    manifest <<END
resources:
  - fault_simple: bad
    value: new
    timeout: 1
  - fault_simple: other
    value: new
END
    mkdir plugins
    cp "$abs_top_builddir/tests/plugins/.libs/fault.so" plugins
    FAULT='update hang' run rhost apply --isolation=worker --plugin-dir="$work/plugins" site.yaml
    status_is 4
    says 'fault_simple[bad] site.yaml:2'
    says 'took longer than 1 s, and was killed'
    says 'fault_simple[other] site.yaml:5'
    says '2 resources: 1 changed, 1 failed'
}

limited() {
    manifest <<END
resources:
  - log: quick
    timeout: 5
  - exec: slow
    command: [sh, -c, "echo x >>$work/tries; test \$(wc -l <$work/tries) -gt 1 || sleep 30"]
    timeout: 1
    retries: 1
END
    run rhost apply site.yaml
    [ "$(wc -l <tries)" -eq 2 ]
    status_is 0
}

@test "timeout is for each try" {
    both limited
}

ignored() {
    manifest <<END
resources:
  - exec: boom
    command: ["false"]
    ignore_failure: true
  - file: $work/one
    content: a
    require: exec[boom]
END
    run rhost apply --detailed-exitcodes site.yaml
    status_is 2
    says 'failed, which is ignored: the command failed with status 1'
    says '1 failed and ignored'
    [ -e one ]
    run rhost apply --detailed-exitcodes site.yaml
    status_is 0
}

@test "ignore_failure: dependants go on, and the exit status is 0" {
    both ignored
}

@test "all of it, compiled" {
    manifest <<END
resources:
  - file: $work/no
    content: a
    not_if: "true"
  - file: $work/yes
    content: a
    only_if: [test, -d, /]
  - exec: third time
    command: [sh, -c, "echo x >>$work/tries; test \$(wc -l <$work/tries) -eq 3"]
    retries: 2
    retry_delay: 0.01
  - log: quick
    timeout: 1.5
  - exec: boom
    command: ["false"]
    ignore_failure: true
END
    rhost compile site.yaml >catalog.json
    grep -q '"timeout": 1.5' catalog.json
    run rhost apply catalog.json
    status_is 0
    [ -e yes ]
    [ ! -e no ]
    [ "$(wc -l <tries)" -eq 3 ]
    says '1 failed and ignored'
}

@test "values that are none are refused" {
    refused() {
        manifest <<END
resources:
  - log: a
    $1
END
        run rhost validate site.yaml
        status_is 1
        says "$2"
    }
    refused 'only_if: []' 'expected a command'
    refused 'only_if: ""' 'expected a command'
    refused 'only_if: [["true"], ""]' 'expected a command'
    refused 'only_if: [["true"], []]' 'expected a command'
    refused 'not_if: [["true"], {a: b}]' 'expected a command'
    refused 'not_if: [[["true"]]]' 'expected a command'
    refused 'not_if: {a: b}' 'expected a command'
    refused 'retries: -1' 'retries must be an integer between 0 and 1000'
    refused 'retries: often' 'retries must be an integer between 0 and 1000'
    refused 'retry_delay: -1' 'retry_delay must be a number of seconds'
    refused 'timeout: 0' 'timeout must be a number of seconds between 0.1 and 604800'
    refused 'timeout: .nan' 'timeout must be a number of seconds'
    refused 'ignore_failure: maybe' 'ignore_failure must be a boolean'
}

ignored_in_a_batch() {
    manifest <<END
resources:
  - file: $work/missing/x
    ignore_failure: true
  - file: $work/after
    require: file[$work/missing/x]
END
    rm -f after
    run rhost apply --detailed-exitcodes site.yaml
    status_is 2
    says '1 changed, 1 failed and ignored'
    [ -e after ]
}

@test "ignore_failure: dependants of the same type go on as well" {
    both ignored_in_a_batch
}

ignored_by_an_instance() {
    rm -f part-a other-a after after2
    manifest <<END
resources:
  - define: app
    resources:
      - file: $work/missing/\${title}
      - file: $work/part-\${title}
        require: file[$work/missing/\${title}]
      - exec: touch other-\${title}
        cwd: $work
        creates: $work/other-\${title}
  - app: a
    ignore_failure: true
  - file: $work/after
    require: app[a]
  - exec: touch after2
    cwd: $work
    require: file[$work/missing/a]
    creates: $work/after2
END
    run rhost apply --detailed-exitcodes site.yaml
    status_is 2
    says "failed, which is ignored: cannot write"
    says "skipped: depends on file[$work/missing/a], which failed"
    says "3 changed, 1 failed and ignored, 2 skipped"
    [ ! -e part-a ]
    [ -e other-a ]
    [ -e after ]
    [ -e after2 ]
    rm after
    sed -i '/ignore_failure/d' site.yaml
    run rhost apply --detailed-exitcodes site.yaml
    status_is 4
    [ ! -e after ]
}

@test "ignore_failure on an instance: what is outside of it goes on, and the exit status is 0" {
    both ignored_by_an_instance
}

@test "an instance is not tried again, has no time limit, and is not changed itself: that is refused" {
    for word in "retries: 3" "retry_delay: 1" "timeout: 5" "until: result.changed" "verify: false" "backup: false" \
        "backup: sensitive" "replace: false"; do
        manifest <<END
resources:
  - define: app
    resources: []
  - app: a
    $word
END
        run rhost validate site.yaml
        status_is 1
        says "'${word%:*}' cannot be used with an instance of a definition"
        says "write it at the resources in the definition of 'app'"
    done
}

@test "a purge is not tried again, and has no time limit and no result: that is refused" {
    for word in "retries: 3" "retry_delay: 1" "timeout: 5" "until: result.changed" "success_when: result.changed" \
        "changed_when: result.changed"; do
        printf 'resources:\n  - purge: host\n    %s\n' "$word" >site.yaml
        run rhost validate site.yaml
        status_is 1
        says "'${word%%:*}' cannot be used with 'purge'"
    done
}

@test "a keyword that an instance cannot have is refused once, whatever its value" {
    for word in retries retry_delay timeout verify backup; do
        printf 'resources:\n  - define: pair\n    resources: [{log: x}]\n  - pair: y\n    %s: nonsense\n' $word >site.yaml
        run rhost validate site.yaml
        status_is 1
        says "'$word' cannot be used with an instance of a definition"
        is "$(grep -c 'error:' <<<"$output")" 1
        sed -i "s/nonsense/$([ "${word#[vb]}" = "$word" ] && echo 3 || echo false)/" site.yaml
        run rhost validate site.yaml
        status_is 1
        is "$(grep -c 'error:' <<<"$output")" 1
    done
}

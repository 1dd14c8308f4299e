#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# The set of resources and the list of actions: declare, edit, trigger, insert, duplicates.
source "${abs_top_srcdir:-$BATS_TEST_DIRNAME/../..}/tests/cli/cli.bash"

order() {
    [ "$(cat log 2>/dev/null | paste -sd ' ')" = "$1" ] && return
    echo "order is '$(cat log 2>/dev/null | paste -sd ' ')', expected '$1'"
    return 1
}

notes() {
    echo "command: [sh, -c, 'echo $1 >>$work/log']"
}

# Applies, compiles, and applies what was compiled: the same order each time.
runs_in_order() {
    run rhost apply "${@:2}" site.yaml
    status_is 0
    order "$1"
    rm -f log
    rhost compile "${@:2}" site.yaml >catalog.json
    run rhost apply "${@:2}" catalog.json
    status_is 0
    order "$1"
}

@test "mysql, as in CHEF-3694: one resource, acting at two places of the list" {
    # As there is no service to stop, a command stands for it; what is given once holds at both places.
    manifest <<END
resources:
  - declare: exec[mysql]
    $(notes mysql)
    environment: {a: b}
  - trigger: exec[mysql]
    action: run
  - exec: mv /var/lib/mysql /srv/mysql
    $(notes move)
  - trigger: exec[mysql]
    action: run
END
    runs_in_order 'mysql move mysql'
}

@test "the loop: without clones, the second declaration is refused with both places and what to do" {
    manifest <<END
resources:
  - exec: touch_file
    command: [touch, $work/one]
    not_if: [test, -e, $work/one]
  - exec: touch_file
    command: [touch, $work/two]
END
    run rhost apply site.yaml
    status_is 1
    says 'site.yaml:5:5: error: exec[touch_file] is declared twice'
    says 'site.yaml:2:5: first declared here'
    says "'- edit: ...' changes the first, '- trigger: ...' runs its actions again"
    [ ! -e one ]
}

@test "the loop, with --duplicates=clone: a copy without the guards of the first, and a warning" {
    manifest <<END
resources:
  - exec: touch_file
    command: [touch, one]
    cwd: $work
    not_if: [test, -e, $work/one]
  - exec: touch_file
    command: [touch, two]
    not_if: [test, -e, $work/two]
END
    touch one
    run rhost apply --duplicates=clone site.yaml
    status_is 0
    says 'warning: exec[touch_file] is declared again at site.yaml:6: a copy of the one at site.yaml:2 is made'
    [ -e two ]
    run rhost apply -q --duplicates=clone --detailed-exitcodes site.yaml
    status_is 0
    rm two
    rhost compile --duplicates=clone site.yaml >catalog.json 2>/dev/null
    run rhost apply --duplicates=clone catalog.json
    status_is 0
    [ -e two ]
}

@test "with --duplicates=agree, declarations that do not contradict each other are one resource" {
    manifest <<END
resources:
  - file: $work/shared
    content: "text\n"
  - file: $work/first
    content: a
    require: file[$work/shared]
  - file: $work/shared
    mode: "0640"
    tag: second
    notify: exec[told]
  - file: $work/shared
  - exec: told
    command: [touch, $work/told]
    action: nothing
END
    run rhost apply site.yaml
    status_is 1
    run rhost apply --duplicates=agree site.yaml
    status_is 0
    says '2 resources: 2 changed, 1 refreshed'
    [ "$(cat shared)" = text ]
    [ "$(stat -c %a shared)" = 640 ]
    [ -e told ]
    rm shared told
    run rhost apply --duplicates=agree --tags=second site.yaml
    status_is 0
    [ -e shared ]
    rm shared
    run rhost plan --duplicates=agree -o plan.json site.yaml
    status_is 2
    run rhost apply plan.json
    status_is 0
    [ "$(stat -c %a shared)" = 640 ]
    rhost compile --duplicates=agree site.yaml >catalog.json
    run rhost apply -q --detailed-exitcodes catalog.json
    status_is 0
}

# Declarations of one file, each a text; agree ARGUMENTS are the attributes of the second.
disagree() {
    manifest <<END
resources:
  - file: $work/shared
    $1
  - file: $work/shared
    $2
END
    run rhost validate --duplicates=agree site.yaml
    status_is 1
    says "file[$work/shared] is declared twice, and the declarations do not agree: $3"
    says 'site.yaml:2:5: first declared here'
}

@test "with --duplicates=agree, declarations that contradict each other are refused, with what differs" {
    disagree 'mode: "0644"' 'mode: "0600"' "'mode' is \"0644\" in the first, and \"0600\" in the second"
    disagree 'ensure: absent' 'mode: "0600"' "'ensure' is \"absent\" in the first, and \"present\" in the second"
    disagree 'content: a' 'ensure: absent' "'ensure' is \"present\" in the first, and \"absent\" in the second"
    disagree 'content: a' 'only_if: "true"' "the second one has a guard, retries or a judgement of its own"
    disagree 'only_if: "true"' 'content: a' "the first one has a guard"
    disagree 'content: a' 'action: nothing' "the second one has actions or a place of its own"
    disagree 'content: a' 'schedule: {period: daily}' "the second one has keywords of its own"
    disagree 'action: nothing' 'content: a' "the first one is declared, but not in the list"
    disagree 'noop: true' 'content: a' "'noop' differs"
}

@test "with --duplicates=agree, what two instances of a definition share comes before both are complete" {
    manifest <<END
resources:
  - define: site
    resources:
      - exec: "\${title}"
        command: [sh, -c, "echo \${title} >>$work/order"]
        require: exec[shared]
      - exec: shared
        command: [sh, -c, "echo shared >>$work/order"]
  - exec: last
    command: [sh, -c, "echo last >>$work/order"]
    require: site[two]
  - site: [one, two]
END
    run rhost apply --duplicates=agree site.yaml
    status_is 0
    [ "$(tr '\n' ' ' <order)" = 'shared one two last ' ] || { cat order; return 1; }
}

@test "what names a clone means the last one" {
    manifest <<END
resources:
  - exec: same
    $(notes first)
    action: nothing
  - exec: same
    $(notes second)
    action: nothing
  - file: $work/one
    content: a
    notify: exec[same]
END
    run rhost apply --duplicates=clone site.yaml
    status_is 0
    order second
}

@test "declare puts nothing into the list" {
    manifest <<END
resources:
  - declare: exec[a]
    $(notes a)
  - exec: b
    $(notes b)
END
    runs_in_order b
}

@test "declare takes several, and no action" {
    manifest <<END
resources:
  - declare: ["file[$work/one]", "file[$work/two]"]
    content: a
  - trigger: ["file[$work/one]", "file[$work/two]"]
END
    run rhost apply site.yaml
    status_is 0
    [ -e one ]
    [ -e two ]
    manifest <<END
resources:
  - declare: exec[a]
    action: run
END
    run rhost validate site.yaml
    status_is 1
    says "'declare' cannot be used with actions"
}

@test "trigger without an action means the usual one; several go in their order" {
    manifest <<END
resources:
  - declare: exec[a]
    $(notes a)
  - declare: exec[b]
    $(notes b)
  - trigger: exec[b]
  - trigger: [exec[a], "exec[b]"]
END
    run rhost validate site.yaml
    status_is 1 # a bracket in a list has to be quoted
    manifest <<END
resources:
  - declare: exec[a]
    $(notes a)
  - declare: exec[b]
    $(notes b)
  - trigger: exec[b]
  - trigger: ["exec[a]", "exec[b]"]
    action: [run, run]
END
    runs_in_order 'b a a b b'
}

@test "edit changes what stands above it, and what stands below" {
    manifest <<END
resources:
  - edit: file[$work/two]
    mode: "0600"
  - file: $work/one
    content: a
    mode: "0644"
  - file: $work/two
    content: b
    mode: "0644"
  - edit: file[$work/one]
    content: c
END
    run rhost apply site.yaml
    status_is 0
    [ "$(cat one)" = c ]
    [ "$(mode_of one)" = 644 ]
    [ "$(cat two)" = b ]
    [ "$(mode_of two)" = 600 ]
}

@test "edit with null takes an attribute back, with an action another, with nothing out of the list" {
    manifest <<END
resources:
  - file: $work/one
    content: a
    mode: "0600"
  - edit: file[$work/one]
    mode: null
  - exec: a
    $(notes a)
  - edit: exec[a]
    action: nothing
  - exec: b
    $(notes b)
    action: nothing
  - edit: exec[b]
    action: [run, run]
END
    runs_in_order 'b b'
    [ "$(mode_of one)" = 644 ]
}

@test "edit adds relations and notifications, and keeps the place in the list" {
    manifest <<END
resources:
  - exec: a
    $(notes a)
  - exec: b
    $(notes b)
  - exec: c
    $(notes c)
    action: nothing
  - edit: exec[a]
    require: exec[b]
    notify: exec[c]
END
    runs_in_order 'b a c'
}

@test "insert_before and insert_after, in the order in which they are written" {
    manifest <<END
resources:
  - exec: middle
    $(notes middle)
  - exec: last
    $(notes last)
  - exec: y
    $(notes y)
    insert_after: exec[middle]
  - exec: z
    $(notes z)
    insert_after: exec[middle]
  - exec: a
    $(notes a)
    insert_before: exec[middle]
  - exec: b
    $(notes b)
    insert_before: exec[middle]
  - trigger: exec[a]
    insert_before: exec[last]
END
    runs_in_order 'a b middle y z a last'
}

@test "insert_before means the first entry of a resource, insert_after the last" {
    manifest <<END
resources:
  - exec: twice
    $(notes twice)
  - trigger: exec[twice]
  - exec: a
    $(notes a)
    insert_before: exec[twice]
  - exec: b
    $(notes b)
    insert_after: exec[twice]
END
    runs_in_order 'a twice twice b'
}

@test "what cannot be: refused, with its place and what was probably meant" {
    refused() {
        manifest
        run rhost validate site.yaml
        status_is 1
        says "$1"
    }
    refused "did you mean 'exec[mysql]'?" <<END
resources:
  - declare: exec[mysql]
  - trigger: exec[msql]
END
    refused 'exec[b] is not declared' <<END
resources:
  - edit: exec[b]
    cwd: /
END
    refused "unknown key 'cwd' beside 'trigger'" <<END
resources:
  - declare: exec[a]
  - trigger: exec[a]
    cwd: /
END
    refused "names the resource and cannot be edited" <<END
resources:
  - declare: exec[a]
  - edit: exec[a]
    name: b
END
    refused "'insert_before' and 'insert_after' cannot be used together" <<END
resources:
  - exec: a
  - exec: b
    insert_before: exec[a]
    insert_after: exec[a]
END
    refused "cannot be inserted before or after itself" <<END
resources:
  - exec: a
    insert_before: exec[a]
END
    refused 'insert_before names exec[z], which is not in the manifest' <<END
resources:
  - exec: a
    insert_before: exec[z]
END
    refused 'it is not in the list of actions' <<END
resources:
  - declare: exec[a]
  - exec: b
    insert_after: exec[a]
END
    refused "'nothing' cannot be combined with other actions" <<END
resources:
  - exec: a
    action: [run, nothing]
END
}

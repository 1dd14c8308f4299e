#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Notifications within a run.
source "${abs_top_srcdir:-$BATS_TEST_DIRNAME/../..}/tests/cli/cli.bash"

# The lines of a command that notes its name when it runs, and of a file that changes.
says_its_name() {
    echo "command: [sh, -c, 'echo $1 >>$work/log']"
}

order() {
    [ "$(cat log 2>/dev/null | paste -sd ' ')" = "$1" ] && return
    echo "order is '$(cat log | paste -sd ' ')', expected '$1'"
    return 1
}

@test "notify: the target comes after, and is refreshed once, however many notified it" {
    manifest <<END
resources:
  - exec: target
    $(says_its_name target)
    action: nothing
  - exec: first
    $(says_its_name first)
    creates: $work/x
    notify: exec[target]
  - exec: second
    $(says_its_name second)
    notify: exec[target]
END
    run rhost apply site.yaml
    status_is 0
    order 'first second target'
    says 'refreshed: run, notified by exec[first]'
}

@test "subscribe is the same from the other side" {
    manifest <<END
resources:
  - exec: target
    $(says_its_name target)
    action: nothing
    subscribe: ["file[$work/one]", "file[$work/two]"]
  - file: [$work/one, $work/two]
    content: a
END
    run rhost apply site.yaml
    status_is 0
    order target
    run rhost apply --detailed-exitcodes site.yaml
    status_is 0
    order target
}

@test "a target with a turn of its own has it, and is then refreshed" {
    manifest <<END
resources:
  - exec: target
    $(says_its_name target)
  - file: $work/one
    content: a
    notify: exec[target]
END
    run rhost apply site.yaml
    status_is 0
    order 'target target'
    run rhost apply site.yaml
    status_is 0
    order 'target target target'
}

@test "notifies: immediately is right after the notifier, delayed at the end, once" {
    manifest <<END
resources:
  - exec: a
    $(says_its_name a)
    notifies:
      - [run, "exec[late]", delayed]
      - [run, "exec[now]", immediately]
  - exec: b
    $(says_its_name b)
    notifies: [[run, "exec[late]"], [run, "exec[now]", immediate]]
  - exec: c
    $(says_its_name c)
  - exec: late
    $(says_its_name late)
    action: nothing
  - exec: now
    $(says_its_name now)
    action: nothing
END
    run rhost apply site.yaml
    status_is 0
    order 'a now b now c late'
}

@test "notifies: before is only when the notifier would change, and before it does" {
    manifest <<END
resources:
  - file: $work/one
    content: a
    notifies: [run, "exec[ahead]", before]
  - exec: ahead
    command: [sh, -c, "test ! -e $work/one && echo ahead >>$work/log"]
    action: nothing
END
    run rhost apply site.yaml
    status_is 0
    order ahead
    run rhost apply --detailed-exitcodes site.yaml
    status_is 0
    order ahead
}

@test "subscribes has an action of this one run when others change" {
    manifest <<END
resources:
  - exec: target
    $(says_its_name target)
    action: nothing
    subscribes: {action: run, resource: ["file[$work/one]", "file[$work/two]"], when: immediately}
  - file: [$work/one, $work/two]
    content: a
END
    run rhost apply site.yaml
    status_is 0
    order 'target target'
}

@test "what did not change tells nobody" {
    manifest <<END
resources:
  - file: $work/one
    content: a
    notify: exec[target]
    notifies: [[run, "exec[now]", immediately], [run, "exec[ahead]", before]]
  - exec: target
    $(says_its_name target)
    action: nothing
  - exec: now
    $(says_its_name now)
    action: nothing
  - exec: ahead
    $(says_its_name ahead)
    action: nothing
END
    printf a >one
    run rhost apply --detailed-exitcodes site.yaml
    status_is 0
    order ''
}

@test "a target that changes when it is told tells on" {
    manifest <<END
resources:
  - file: $work/one
    content: a
    notifies: [run, "exec[a]", immediately]
  - exec: a
    $(says_its_name a)
    action: nothing
    notifies: [run, "exec[b]", immediately]
  - exec: b
    $(says_its_name b)
    action: nothing
    notifies: [run, "exec[c]", delayed]
  - exec: c
    $(says_its_name c)
    action: nothing
END
    run rhost apply site.yaml
    status_is 0
    order 'a b c'
}

@test "those that form a cycle are cut, and shown" {
    manifest <<END
resources:
  - file: $work/one
    content: a
    notifies: [run, "exec[a]", immediately]
  - exec: a
    $(says_its_name a)
    action: nothing
    notifies: [run, "exec[b]", immediately]
  - exec: b
    $(says_its_name b)
    action: nothing
    notifies: [run, "exec[a]", immediately]
END
    run rhost apply site.yaml
    status_is 4
    order 'a b'
    says 'notifications form a cycle: exec[a] run → exec[b] run → exec[a] run'
}

@test "delayed ones in a circle end by themselves: each is told once" {
    manifest <<END
resources:
  - file: $work/one
    content: a
    notifies: [run, "exec[a]"]
  - exec: a
    $(says_its_name a)
    action: nothing
    notifies: [run, "exec[b]"]
  - exec: b
    $(says_its_name b)
    action: nothing
    notifies: [run, "exec[a]"]
END
    run rhost apply site.yaml
    status_is 0
    order 'a b'
}

@test "under noop they are shown, and nothing is told" {
    manifest <<END
resources:
  - file: $work/one
    content: a
    notify: exec[a]
    notifies: [run, "exec[b]", immediately]
  - exec: [a, b]
    command: [touch, $work/told]
    action: nothing
END
    run rhost apply --noop --detailed-exitcodes site.yaml
    status_is 2
    says "would refresh: run, notified by file[$work/one]"
    says '1 would change, 2 would be refreshed'
    [ ! -e told ]
    [ ! -e one ]
}

@test "a target that is not there, an action that it has not, a word that is none: refused" {
    manifest <<END
resources:
  - file: $work/one
    content: a
    notifies: [run, "exec[b]", delayed]
  - file: $work/two
    content: a
    notifies: [start, "exec[a]", delayed]
  - file: $work/three
    content: a
    notifies: [run, "exec[a]", delaied]
  - file: $work/four
    content: a
    notifies: {action: run, resource: "exec[a]", on_failur: hold}
  - file: $work/five
    content: a
    notify: exec[c]
  - exec: a
    command: ["true"]
    action: nothing
    subscribes: [run, "file[/nowhere]"]
END
    run rhost validate site.yaml
    status_is 1
    says "unknown action 'start' for type 'exec'"
    says "did you mean 'delayed'?"
    says "did you mean 'on_failure'?"
    manifest <<END
resources:
  - file: $work/one
    content: a
    notifies: [run, "exec[b]", delayed]
  - file: $work/five
    content: a
    notify: exec[c]
  - exec: a
    command: ["true"]
    action: nothing
    subscribes: [run, "file[/nowhere]"]
END
    run rhost validate site.yaml
    status_is 1
    says 'notifies names exec[b], which is not in the manifest'
    says 'notify names exec[c], which is not in the manifest'
    says 'subscribes names file[/nowhere], which is not in the manifest'
    [ ! -e one ]
}

@test "the report says who notified" {
    needs_python
    manifest <<END
resources:
  - file: $work/one
    content: a
    notifies: [run, "exec[a]", immediately]
  - exec: a
    command: ["true"]
    action: nothing
END
    rhost apply --format=json site.yaml >report.json
    json_is report.json '[(r["status"], r["notified_by"], r["timing"]) for r in d["resources"] if "timing" in r]' \
        "[('refreshed', 'file[$work/one]', 'immediately')]"
    json_is report.json 'd["counts"]["refreshed"]' 1
}

@test "compiled, it does the same" {
    manifest <<END
resources:
  - exec: a
    $(says_its_name a)
    notifies: [[run, "exec[late]", delayed], [run, "exec[now]", immediately]]
  - file: $work/one
    content: a
    notify: exec[turn]
    notifies: [run, "exec[ahead]", before]
  - exec: b
    $(says_its_name b)
  - exec: [late]
    $(says_its_name late)
    action: nothing
  - exec: now
    $(says_its_name now)
    action: nothing
  - exec: ahead
    $(says_its_name ahead)
    action: nothing
  - exec: turn
    $(says_its_name turn)
    action: nothing
END
    rhost compile site.yaml >catalog.json
    rhost apply -q site.yaml
    mv log direct
    rm one
    run rhost apply catalog.json
    status_is 0
    diff -u direct log
    order 'a now ahead b late turn'
}

@test "any number of notifications may cause each other at once" {
    {
        echo "resources:"
        for i in {1..1500}; do
            echo "  - {exec: n$i, command: [\"true\"], notifies: [[run, \"exec[n$((i + 1))]\", immediately]]}"
        done
        echo "  - {exec: n1501, command: [\"true\"]}"
        echo "  - {edit: [$(printf '"exec[n%d]", ' {2..1500})\"exec[n1501]\"], action: nothing}"
    } >site.yaml
    run rhost apply --noop site.yaml
    status_is 0
    says "1 would change, 1500 would be refreshed"
    run rhost apply site.yaml
    status_is 0
    says "1 changed, 1500 refreshed"
    run rhost pending
    says_not exec
}

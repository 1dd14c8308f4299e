#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# when: whether an entry is there at all.
source "${abs_top_srcdir:-$BATS_TEST_DIRNAME/../..}/tests/cli/cli.bash"

@test "an entry is there when its condition holds, and is not there when it does not" {
    manifest <<'END'
resources:
  - log: bare
    when: 1 == 1
  - log: marked
    when: ${"a" .. "b" == "ab"}
  - log: plain
    when: true
  - log: text
    when: "true"
  - log: no
    when: 1 == 2
  - log: never
    when: false
  - log: marked no
    when: "${not true}"
END
    run rhost graph site.yaml
    status_is 0
    for title in bare marked plain text; do says "log[$title]"; done
    for title in no never 'marked no'; do says_not "log[$title]"; done
}

@test "what is left out need not even be of a type that is known" {
    manifest <<'END'
resources:
  - nosuchtype: x
    when: false
    nosuchattribute: ${nosuchname.x}
  - log: a
END
    run rhost apply site.yaml
    status_is 0
    says '1 resource'
}

@test "an error in a condition is an error, and so is one that is not true or false" {
    manifest <<'END'
resources:
  - log: a
    when: nothing.x == 1
  - log: b
    when: 1
  - log: c
    when: ${"yes"}
  - log: d
    when: ${nil}
  - log: e
    when: [true, false]
  - log: f
    when: a ${true}
  - log: g
    when: 1 +
  - log: h
    when:
END
    run rhost validate site.yaml
    status_is 1
    says "site.yaml:3:11: error: unknown name 'nothing'"
    says "site.yaml:5:11: error: 'when' must be a boolean, not an integer"
    says "site.yaml:7:11: error: 'when' must be a boolean, not a string"
    says "site.yaml:9:11: error: 'when' must be a boolean, not nil"
    says "site.yaml:11:11: error: 'when' must be a boolean, not a list"
    says "site.yaml:13:11: error: 'when' must be one expression, not text that contains expressions"
    says 'site.yaml:15:'
    says "'when' must be a boolean, not nil"
    says '8 errors'
}

@test "it is for declare, edit, trigger and instances of definitions too" {
    manifest <<END
resources:
  - define: noted
    parameters: {yes: Boolean}
    resources:
      - exec: "note \${title}"
        command: [sh, -c, "echo \${title} >>$work/log"]
        when: yes
  - noted: one
    yes: true
  - noted: two
    yes: false
  - noted: three
    yes: true
    when: false
  - declare: exec[four]
    command: [sh, -c, "echo four >>$work/log"]
  - declare: exec[five]
    when: false
  - trigger: exec[four]
    when: 2 > 1
  - trigger: exec[four]
    when: 2 < 1
  - edit: exec[four]
    command: [sh, -c, "echo edited >>$work/log"]
    when: false
END
    run rhost apply site.yaml
    status_is 0
    [ "$(xargs <log)" = 'one four' ]
}

@test "who requires what is left out is told where that was decided" {
    manifest <<'END'
resources:
  - exec: /bin/true
    when: false
  - log: a
    require: exec[/bin/true]
  - edit: exec[/bin/true]
    cwd: /
  - trigger: exec[/bin/true]
END
    run rhost validate site.yaml
    status_is 1
    says "site.yaml:5:14: error: log[a]: require names exec[/bin/true], which is excluded by 'when'"
    says 'site.yaml:3:11: this condition is false'
    says "site.yaml:6:11: error: exec[/bin/true] is excluded by 'when'"
    says "site.yaml:8:14: error: exec[/bin/true] is excluded by 'when'"
    says '3 errors'
}

@test "what would be told to it, or come from it, falls away" {
    manifest <<'END'
resources:
  - exec: gone
    command: [/bin/false]
    action: nothing
    when: false
  - log: a
    notify: exec[gone]
  - log: b
    before: exec[gone]
  - log: c
    subscribe: exec[gone]
  - log: d
    notifies: [run, "exec[gone]", delayed]
END
    run rhost apply site.yaml
    status_is 0
    says '4 resources'
}

@test "of two with one title and opposite conditions, the one that is there counts" {
    manifest <<'END'
resources:
  - exec: either
    command: [/bin/false]
    when: false
  - exec: either
    command: [/bin/true]
    when: true
  - log: a
    require: exec[either]
END
    run rhost apply site.yaml
    status_is 0
}

@test "a title that only means something under the condition is not a mistake" {
    manifest <<'END'
resources:
  - log: ${default(nil, nothing.at.all)}
    when: false
  - exec: ${"/bin/" .. "true"}
    when: false
  - log: b
    require: exec[/bin/true]
END
    run rhost validate site.yaml
    status_is 1
    says "which is excluded by 'when'"
    says '1 error'
}

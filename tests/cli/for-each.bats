#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# for_each: an entry for each element of a list or hash.
source "${abs_top_srcdir:-$BATS_TEST_DIRNAME/../..}/tests/cli/cli.bash"

@test "of a list: the value, and its number from 1 as key and index" {
    manifest <<END
resources:
  - for_each: [a, b]
    file: $work/\${each.value}
    content: \${each.key} \${each.index} \${each.value}
END
    run rhost apply site.yaml
    status_is 0
    [ "$(cat a)" = '1 1 a' ]
    [ "$(cat b)" = '2 2 b' ]
}

@test "of a hash: key and value, in its order, and what is within" {
    manifest <<END
resources:
  - for_each:
      zoe: {shell: /bin/sh, groups: [a, b]}
      bob: {shell: /bin/zsh, groups: []}
    file: $work/\${each.key}
    content: "\${each.index} \${each.value.shell} \${#each.value.groups}"
END
    run rhost apply site.yaml
    status_is 0
    [ "$(cat zoe)" = '1 /bin/sh 2' ]
    [ "$(cat bob)" = '2 /bin/zsh 0' ]
}

@test "of an expression, and of one in the list" {
    manifest <<END
resources:
  - for_each: \${ {"x", "y"} }
    file: $work/\${each.value}
    content: "\${each.index}."
  - for_each: ["\${'u' .. 'v'}", 7]
    file: $work/\${each.value}
    content: "\${each.value}."
END
    run rhost apply site.yaml
    status_is 0
    [ "$(cat x y uv 7)" = '1.2.uv.7.' ]
}

@test "of nothing there is nothing" {
    manifest <<'END'
resources:
  - for_each: []
    nosuch: ${x.y}
  - for_each: {}
    log: ${x.y}
  - for_each: ${ {} }
    log: ${x.y}
  - log: a
END
    run rhost apply site.yaml
    status_is 0
    says '1 resource'
}

@test "anything else is refused" {
    manifest <<'END'
resources:
  - for_each: bob
    log: a
  - for_each: 5
    log: b
  - for_each: ${nil}
    log: c
  - for_each: ${"text"}
    log: d
  - for_each:
    log: e
  - for_each: ${nothing.x}
    log: f
END
    run rhost validate site.yaml
    status_is 1
    says "site.yaml:2:15: error: 'for_each' must be a list or a hash, not a string"
    says 'an expression is written in ${...}, as in ${bob}'
    says "site.yaml:4:15: error: 'for_each' must be a list or a hash, not a"
    says "site.yaml:6:15: error: 'for_each' must be a list or a hash, not nil"
    says "site.yaml:8:15: error: 'for_each' must be a list or a hash, not a string"
    says "site.yaml:12:17: error: unknown name 'nothing'"
    says '6 errors'
}

@test "a complaint says for which element" {
    manifest <<'END'
resources:
  - for_each:
      - alice
      - bob
    log: ${each.value}
    level: ${each.value == "bob" and "lout" or "notice"}
  - for_each: {carol: 1, dave: 0}
    log: ${each.key}
    when: ${each.value > 0 or nothing.x}
  - for_each: [{a: 1}, {a: 2}]
    log: "${each.value}"
END
    run rhost validate site.yaml
    status_is 1
    says "site.yaml:4:9: for the element 'bob'"
    says_not "'alice'"
    says "site.yaml:7:32: for the element 'dave'"
    says_not "'carol'"
    says 'for element 1'
    says 'and for 1 more element'
}

@test "a number may be a title" {
    manifest <<END
resources:
  - for_each: [22, 2222]
    log: \${each.value}
END
    run rhost graph site.yaml
    status_is 0
    says 'log[22]'
    says 'log[2222]'
}

@test "a condition sees the element" {
    manifest <<'END'
resources:
  - for_each: {a: true, b: false, c: true}
    log: ${each.key}
    when: each.value
END
    run rhost graph site.yaml
    status_is 0
    says 'log[a]'
    says 'log[c]'
    says_not 'log[b]'
}

@test "it is for instances, declare, edit and trigger too, and in definitions" {
    manifest <<END
resources:
  - define: note
    parameters: {words: "Array[String]"}
    resources:
      - for_each: \${words}
        exec: "\${title} \${each.value}"
        command: [sh, -c, "echo \${title} \${each.value} >>$work/log"]
  - for_each: {one: [a, b], two: [c]}
    note: \${each.key}
    words: \${each.value}
  - for_each: [x, y]
    declare: exec[\${each.value}]
    command: [/bin/false]
  - for_each: [x, y]
    edit: exec[\${each.value}]
    command: [sh, -c, "echo \${each.value} >>$work/log"]
  - for_each: [y, x]
    trigger: exec[\${each.value}]
END
    run rhost apply site.yaml
    status_is 0
    [ "$(tr '\n' , <log)" = 'one a,one b,two c,y,x,' ]
}

@test "two elements with one title are said like any duplicate" {
    manifest <<'END'
resources:
  - for_each: [1, 2]
    log: same
END
    run rhost validate site.yaml
    status_is 1
    says 'log[same]'
    says "for the element '2'"
}

# The CPU time of a command in milliseconds, the least of three.
cpu_time() {
    local TIMEFORMAT='%U %S'
    for _ in 1 2 3; do
        { time "$@" >/dev/null 2>&1; } 2>&1
    done | awk '{ t = 1000 * ($1 + $2); if (NR == 1 || t < least) least = t } END { printf "%d", least }'
}

@test "ten times as many elements take about ten times as long, not a hundred times" {
    local few many
    for n in 4000 40000; do
        {
            printf 'resources:\n  - for_each:\n'
            seq "$n" | sed 's/^/      - name/'
            printf '    log: "${each.index} ${each.value}"\n'
        } >"$n.yaml"
    done
    run rhost validate 40000.yaml
    status_is 0
    says '40000 resources, no errors'
    few=$(cpu_time rhost validate 4000.yaml)
    many=$(cpu_time rhost validate 40000.yaml)
    echo "$few ms, $many ms"
    [ "$few" -gt 0 ]
    [ "$many" -lt $((30 * few)) ]
}

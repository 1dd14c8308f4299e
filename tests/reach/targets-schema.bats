#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# docs/targets.schema.json and rhost agree about files of targets.
source "${abs_top_srcdir:-$BATS_TEST_DIRNAME/../..}/tests/lib.bash"

setup() {
    work_open
    python3 -c 'import jsonschema, yaml' 2>/dev/null || skip "needs jsonschema and yaml for Python"
}

agree() {
    python3 "$abs_top_srcdir/tests/reach/targets-schema.py" "$abs_top_srcdir/docs/targets.schema.json" \
        "$abs_top_builddir/rhost" "$@"
}

# file NAME: a file of targets on standard input
file() {
    cat >"$1.yaml"
}

@test "the files of targets in pages and tests are as the schema says, and what it refuses is refused" {
    run agree "$abs_top_srcdir"/docs/*.md "$abs_top_srcdir"/docs/*/*.md "$abs_top_srcdir"/tests/reach/*.bats
    status_is 0
    fit=${output%% fit*}
    [ "$fit" -ge 10 ]
}

@test "each mistake that the schema finds rhost finds, too" {
    local n=0 text
    while IFS= read -r text; do
        n=$((n + 1))
        printf '%b\n' "$text" >"bad-$n.yaml"
    done <<'END'
[]
text
targets: []
targets: text
groups: text
group: {}
targets: {web1: 5}
targets: {web1: []}
targets: {web1: ''}
targets: {web1: true}
targets: {'web 1': null}
targets: {-web: null}
targets: {'': null}
targets: {.web: null}
targets: {web1: {connect: 5}}
targets: {web1: {connect: ''}}
targets: {web1: {conect: web1}}
targets: {web1: {connect: web1, command: [a]}}
targets: {web1: {command: []}}
targets: {web1: {command: a}}
targets: {web1: {command: ['']}}
targets: {web1: {command: [1]}}
targets: {web1: {become: root}}
targets: {web1: {become: true}}
targets: {web1: {become_user: 'a b'}}
targets: {web1: {become_user: -x}}
targets: {web1: {become_user: 5}}
targets: {web1: {rhost: rhost}}
targets: {web1: {rhost: '/a b'}}
targets: {web1: {rhost: '/a$(b)'}}
targets: {web1: {options: -v}}
targets: {web1: {options: [1]}}
targets: {web1: {attributes: []}}
targets: {web1: {attributes: text}}
targets: {web1: {targets: []}}
targets: {web1: {groups: []}}
targets: {web1: null}\ngroups: {web: web1}
targets: {web1: null}\ngroups: {web: [1]}
targets: {web1: null}\ngroups: {web: ['']}
targets: {web1: null}\ngroups: {web: {targets: web1}}
targets: {web1: null}\ngroups: {web: {groups: a}}
targets: {web1: null}\ngroups: {web: {connect: web1}}
targets: {web1: null}\ngroups: {web: {command: [a]}}
targets: {web1: null}\ngroups: {web: {attributes: 1}}
targets: {web1: null}\ngroups: {web: {become: su}}
targets: {web1: null}\ngroups: {web: null}
targets: {web1: null}\ngroups: {'a b': [web1]}
END
    run agree bad-*.yaml
    status_is 0
    is "$output" "0 fit, $n are refused"
}

@test "each form that the guide describes is as the schema says" {
    file good-1 <<'END'
targets:
groups:
END
    file good-2 <<'END'
targets:
  web1:
  web2: ssh://admin@web2:2222
  image: {connect: 'chroot:/srv/image', attributes: {a: {b: [1, null, x]}}}
  net: {command: [ip, netns, exec, blue, '{command}'], become: none}
  db: {connect: db.example.org, become: doas, become_user: _admin, rhost: /usr/bin/rhost, options: [-v]}
groups:
  web: [web1, 'web*']
  dbs: {targets: [db], groups: [web], attributes: {}, become: sudo, become_user: root, rhost: /opt/a+b/rhost, options: []}
  all: {attributes: {x: 1}}
END
    file good-3 <<'END'
{"targets": {"web1": {}}}
END
    run agree good-*.yaml
    status_is 0
    is "$output" '3 fit, 0 are refused'
}

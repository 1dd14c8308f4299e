#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
source "${abs_top_srcdir:-$BATS_TEST_DIRNAME/../..}/tests/cli/cli.bash"

# "FIRST before SECOND", by the titles in the graph.
edges() {
    rhost graph site.yaml >graph
    sed -n 's/^  \(n[0-9]*\) \[label="\(.*\)\\n[0-9]*.*"\];$/\1 \2/p' graph >titles
    sed -n 's/^  \(n[0-9]*\) -> \(n[0-9]*\) .*/\1 \2/p' graph | while read -r from to; do
        echo "$(sed -n "s/^$from //p" titles) before $(sed -n "s/^$to //p" titles)"
    done | sort
}

@test "the nearest directory above comes first, however both are spelled" {
    manifest <<'END'
resources:
  - file: /t/a//b/c
    content: x
  - link: /t/a/b//l
    target: x
  - directory: /t//a/d/e/
  - directory: /t/a
  - directory: /t/a/b
  - directory: /t/a/d
END
    [ "$(edges)" = 'directory[/t/a/b] before file[/t/a//b/c]
directory[/t/a/b] before link[/t/a/b//l]
directory[/t/a/d] before directory[/t//a/d/e/]
directory[/t/a] before directory[/t/a/b]
directory[/t/a] before directory[/t/a/d]' ]
}

@test "what is in a directory goes before it, however both are spelled" {
    manifest <<'END'
resources:
  - directory: /t/a/b
    ensure: absent
  - directory: /t/a//b/c
    ensure: absent
  - file: /t/a//b/f
    ensure: absent
  - link: /t//a/b/l
    ensure: absent
END
    [ "$(edges)" = 'directory[/t/a//b/c] before directory[/t/a/b]
file[/t/a//b/f] before directory[/t/a/b]
link[/t//a/b/l] before directory[/t/a/b]' ]
}

@test "what an attribute names is found by its name, not by its text" {
    manifest <<'END'
resources:
  - ini_setting: x
    path: /t//i
    section: s
    setting: k
    value: v
  - file: i
    path: /t/i
END
    [ "$(edges)" = 'file[i] before ini_setting[x]' ]
}

@test "a stated relation finds the name in another spelling" {
    manifest <<'END'
resources:
  - log: a
    require: file[/t//i/]
  - file: /t/i
    notify: log[a]
END
    [ "$(edges | uniq)" = 'file[/t/i] before log[a]' ]
    rhost validate site.yaml
    sed -i 's|/t//i/|/t//j|' site.yaml
    run rhost validate site.yaml
    [ "$status" -eq 1 ]
    [[ $output == *"require names file[/t//j], which is not in the manifest"* ]]
}

@test "what a provider refuses as a name is not in the manifest" {
    manifest <<'END'
resources:
  - log: a
    require: file[i]
  - file: /t/i
END
    run rhost validate site.yaml
    [ "$status" -eq 1 ]
    [[ $output == *"require names file[i], which is not in the manifest"* ]]
    [[ $output == *"1 error"* ]]
}

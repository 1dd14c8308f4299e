#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
source "${abs_top_srcdir:-$BATS_TEST_DIRNAME/../..}/tests/lib.bash"
source "$abs_top_srcdir/tests/one.bash"

# setting POINTER -- COMMAND...: of the file f; other attributes stand on standard input.
setting() {
    local pointer=$1
    shift
    one "yaml_setting: $work/f#$pointer" "$@"
}

# bats test_tags=inline
@test "a value is replaced where it stands, and comments stay" {
    cat >f <<'END'
# käse
Ä: "ä" # first
server:   # all of it
  # the port
  port: 80   # behind the proxy
  hosts: [ a.example.org, 'b' ]  # both
empty:
END
    cp f before
    setting /server/port -- converges <<<'value: 8080'
    sed 's/80   #/8080   #/' before | diff - f
    setting /Ä -- converges <<<'value: öl'
    setting /server/hosts/1 -- converges <<<'value: "c: d"'
    setting /empty -- converges <<<'value: false'
    diff - f <<'END'
# käse
Ä: öl # first
server:   # all of it
  # the port
  port: 8080   # behind the proxy
  hosts: [ a.example.org, "c: d" ]  # both
empty: false
END
    cp f kept
    rhost resource yaml_setting "$work/f#/server" >shown.yaml
    run rhost apply --detailed-exitcodes shown.yaml
    status_is 0
    cmp f kept
}

# bats test_tags=inline
@test "what readers of YAML do not agree on is written so that they do" {
    while IFS='|' read -r written wanted after; do
        printf 'a: %s # x\n' "$written" >f
        setting /a -- converges <<<"value: $wanted"
        is "$(cat f)" "a: $after # x"
    done <<'END'
yes|true|true
yes|"yes"|"yes"
0644|"0644"|"0644"
12:30|"12:30"|"12:30"
2026-01-01|"2026-01-01"|"2026-01-01"
5|"5"|"5"
"5"|5|5
x|"null"|"null"
x|"~"|"~"
x|""|""
x|"- a"|'- a'
x|"a #b"|'a #b'
x|"a\nb"|"a\nb"
x|1.0|1.0
x|1.0e+30|1.0e+30
1|null-like|null-like
END
}

@test "values that are in sync, in any spelling" {
    cat >f <<'END'
n: 5
t: True
s: 'it''s'
l: |
  one
  two
f: >-
  folded
  text
d: "a\tb"
v: 1.2.3
ip: 192.0.2.1
p: 8080:80
z: ~
h: {a: 1, "b": [x, z]}
k:
- a
- b: c
END
    cp f before
    while IFS='|' read -r pointer value; do
        setting "$pointer" -- is_in_sync <<<"$value"
    done <<'END'
/n|value: 5
/t|value: true
/s|value: it's
/l|value: "one\ntwo\n"
/f|value: folded text
/d|value: "a\tb"
/v|value: 1.2.3
/ip|value: 192.0.2.1
/p|value: "8080:80"
/z|
/h|value: {b: [x, z], a: 1}
/k|value: [a, {b: c}]
/k/1/b|value: c
END
    cmp f before
}

# bats test_tags=inline
@test "new keys come last in their mapping, with what they are in" {
    printf 'a:\n    b: 1 # one\n    # said of b\n\n# the end\n' >f
    setting /a/c -- becomes 'a:\n    b: 1 # one\n    c: 2\n    # said of b\n\n# the end\n' <<<'value: 2'
    setting /a/d/e -- becomes 'a:\n    b: 1 # one\n    c: 2\n    d:\n        e:\n            - x\n            - y: z\n    # said of b\n\n# the end\n' <<<'value: [x, {"y": z}]' ||
        setting /a/d/e -- is_in_sync <<<'value: [x, {"y": z}]'
    printf 'l:\n- a: 1\n  b: 2\nx: |\n  text' >f
    setting /l/0/c -- becomes 'l:\n- a: 1\n  b: 2\n  c: 3\nx: |\n  text' <<<'value: 3'
    setting /l/1 -- becomes 'l:\n- a: 1\n  b: 2\n  c: 3\n- k: v\n  w: [] \nx: |\n  text' <<<'value: {k: v}' ||
        is "$(python3 -c 'import yaml; print(yaml.safe_load(open("f")))')" "{'l': [{'a': 1, 'b': 2, 'c': 3}, {'k': 'v'}], 'x': 'text'}"
    printf 'f: {a: 1}\ng: {}\nh: [1,]\n' >f
    setting /f/b -- becomes 'f: {a: 1, "b": {"c": "d"}}\ng: {}\nh: [1,]\n' <<<'value: {c: d}'
    setting /g/x -- becomes 'f: {a: 1, "b": {"c": "d"}}\ng: {"x": true}\nh: [1,]\n' <<<'value: true'
    setting /h/1 -- becomes 'f: {a: 1, "b": {"c": "d"}}\ng: {"x": true}\nh: [1, 2,]\n' <<<'value: 2'
    printf '# only a comment\n' >f
    setting /a/b -- becomes '# only a comment\na:\n  b: 1\n' <<<'value: 1'
    rm f
    setting /a -- converges <<<'value: [1, 2]'
    printf 'a:\n  - 1\n  - 2\n' | diff f - || printf 'a:\n- 1\n- 2\n' | diff f -
}

# bats test_tags=inline
@test "scalars and collections take each other's place" {
    printf 'a: 1 # note\nb: 2\n' >f
    setting /a -- becomes 'a: # note\n  x: 1\nb: 2\n' <<<'value: {x: 1}'
    setting /a -- becomes 'a: text # note\nb: 2\n' <<<'value: text'
    printf 'a: |\n  one\n  two\nb:\n  # of c\n  c: 1\n  d: 2 # of d\ne: 5\n' >f
    setting /a -- becomes 'a: short\nb:\n  # of c\n  c: 1\n  d: 2 # of d\ne: 5\n' <<<'value: short'
    setting /b -- becomes 'a: short\nb: {}\ne: 5\n' <<<'value: {}'
    printf 'b:\n  # of c\n  c: 1\n  d: 2 # of d\n  x: 9\ne: 5\n' >f
    setting /b -- becomes 'b:\n  # of c\n  c: 1\n  d: 3 # of d\n  m: new\ne: 5\n' <<<'value: {c: 1, d: 3, m: new}'
    setting /b/c -- becomes 'b:\n  # of c\n  d: 3 # of d\n  m: new\ne: 5\n' <<<'ensure: absent'
    setting /b/d -- converges <<<'ensure: absent'
    setting /b/m -- converges <<<'ensure: absent'
    grep -q '^b: {}' f
    setting /e -- converges <<<'ensure: absent'
    setting /b -- converges <<<'ensure: absent'
    printf -- '- a: 1\n  b: 2\n' >f
    setting /0/a -- converges <<<'ensure: absent'
    is "$(cat f)" '- b: 2'
    printf '{a: 1, b: 2}\n' >f
    setting /a -- becomes '{b: 2}\n' <<<'ensure: absent'
    printf 'a: 1\r\nb: 2\r\n' >f
    setting /c/d -- becomes 'a: 1\r\nb: 2\r\nc:\r\n  d: 3\r\n' <<<'value: 3'
}

# bats test_tags=inline
@test "what cannot be done safely is refused, and nothing changes" {
    while IFS='|' read -r content pointer attribute said; do
        printf %b "$content" >f
        setting "$pointer" -- fails "$said" <<<"$attribute"
    done <<END
a: [1\n|/a|value: 2|cannot read '$work/f': it is not YAML: line
a: 1\n---\nb: 2\n|/a|value: 2|it has several documents
a: &x 1\nb: *x\n|/a|value: 2|it has the anchor '&x', which aliases may use
a:\n  c: &x 1\nb: *x\n|/a|ensure: absent|it has the anchor '&x', which aliases may use
a: &x {c: 1}\nb: *x\n|/b/c|value: 2|'c' cannot be set
a: !vault x\n|/a|value: 2|it has the tag '!vault'
? a\n: 1\n|/a|value: 2|the key is written behind '?'
a: 5\n|/a/b|value: 2|what it would be in is neither a mapping nor a list
a: [5]\n|/a/7|value: 2|a list that is shorter
a: [5]\n|/a/0|ensure: absent|an element of a list cannot be absent
a: 1\n\tb: 2\n|/a|value: 2|it is not YAML
a: "\xff"\n|/a|value: 2|it is not text in UTF-8
END
    printf 'base: &b {x: 1}\na:\n  <<: *b\n  y: 2\n' >f
    setting /a/x -- becomes 'base: &b {x: 1}\na:\n  <<: *b\n  y: 2\n  x: 5\n' <<<'value: 5'
    setting /a/y -- becomes 'base: &b {x: 1}\na:\n  <<: *b\n  y: 3\n  x: 5\n' <<<'value: 3'
}

@test "all settings of a file are one writing of it, undo brings it back, and a secret is not shown" {
    requires_command strace
    [ -z "${RHOST_WATCHED-}" ] || skip "two cannot trace one process"
    printf '# kept\nkeep: me\n' >f
    cp f kept
    for i in $(seq 20); do
        printf '%s\n' "- yaml_setting: $work/f#/s/k$i" "  value: $i"
    done | sed '1i resources:' >many.yaml
    strace -f -o trace -e trace=rename,renameat,renameat2 "$abs_top_builddir/rhost" apply \
        --state-dir "$BATS_TEST_TMPDIR/state" --isolation=none many.yaml
    is "$(grep -c '"f"' trace)" 1
    is "$(grep -c '^  k[0-9]*: ' f)" 20
    run rhost undo last
    status_is 0
    cmp f kept
    rm f
    printf 'resources:\n  - yaml_setting: %s/f#/password\n    value: hush-hush-hush\n    sensitive: [value]\n' "$work" >secret.yaml
    run rhost apply -v -v --diff --report report.json secret.yaml
    status_is 0
    says_not hush-hush
    not grep -rq hush-hush "$BATS_TEST_TMPDIR/state" report.json
    is "$(mode_of f)" 600
}

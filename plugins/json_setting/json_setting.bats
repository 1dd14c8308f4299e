#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
source "${abs_top_srcdir:-$BATS_TEST_DIRNAME/../..}/tests/lib.bash"
source "$abs_top_srcdir/tests/one.bash"

# setting POINTER -- COMMAND...: of the file f; other attributes stand on standard input.
setting() {
    local pointer=$1
    shift
    one "json_setting: $work/f#$pointer" "$@"
}

# bats test_tags=inline
@test "a value is replaced where it stands, and every other byte stays" {
    printf '{\r\n\t"big": 123456789012345678901234567890,\r\n\t"a" :  [1,2, 3.10e0],\r\n\t"\\u00e4\\/": "\\ud83d\\ude00",\r\n\t"b": "old" }\r\n\r\n' >f
    setting /b -- converges <<<'value: "new/\"quoted\""'
    printf '{\r\n\t"big": 123456789012345678901234567890,\r\n\t"a" :  [1,2, 3.10e0],\r\n\t"\\u00e4\\/": "\\ud83d\\ude00",\r\n\t"b": "new/\\"quoted\\"" }\r\n\r\n' | cmp f -
    setting '/ä~1' -- is_in_sync <<<'value: 😀'
    setting /a -- is_in_sync <<<'value: [1, 2, 3.1]'
    setting /a/1 -- converges <<<'value: true'
    grep -q '"a" :  \[1,true, 3.10e0\],' f
    setting /big -- converges <<<'value: 7'
    setting /big -- is_in_sync <<<'value: 7'
    cp f kept
    rhost resource json_setting "$work/f#/a" >shown.yaml
    run rhost apply --detailed-exitcodes shown.yaml
    status_is 0
    cmp f kept
}

@test "types are told apart" {
    echo '{"n": 1, "s": "1", "r": 1.0, "b": true, "z": null, "l": [], "h": {}}' >f
    while read -r pointer same other after; do
        setting "$pointer" -- is_in_sync <<<"value: $same"
        setting "$pointer" -- converges <<<"value: $other"
        is "$(python3 -c 'import json, sys; print(json.dumps(json.load(open("f"))[sys.argv[1]]))' "${pointer#/}")" "$after"
    done <<'END'
/n 1 "1" "1"
/s "1" 1 1
/r 1 "1" "1"
/b true "true" "true"
/l [] {} {}
/h {} [] []
END
    setting /z -- is_in_sync </dev/null
    setting /z -- converges <<<'value: 0.1'
    setting /new -- converges </dev/null
    tail -c 18 f | grep -q '"new": null}'
}

# bats test_tags=inline
@test "new keys come last, in the style of the file, with what they are in" {
    printf '{\n    "a": 1\n}\n' >f
    setting /b/c/d -- becomes '{\n    "a": 1,\n    "b": {\n        "c": {\n            "d": [\n                1,\n                2\n            ]\n        }\n    }\n}\n' <<<'value: [1, 2]'
    setting /b -- becomes '{\n    "a": 1,\n    "b": {\n        "x": "y"\n    }\n}\n' <<<'value: {x: "y"}'
    printf '{"a":[1],"b":{}}' >f
    setting /c -- becomes '{"a":[1],"b":{},"c":{"d":[true]}}' <<<'value: {d: [true]}'
    setting /b/e -- becomes '{"a":[1],"b":{"e":"x"},"c":{"d":[true]}}' <<<'value: x'
    setting /a/1 -- becomes '{"a":[1,2],"b":{"e":"x"},"c":{"d":[true]}}' <<<'value: 2'
    printf '{\n  "a": {}\n}' >f
    setting /a/b -- becomes '{\n  "a": {\n    "b": 1\n  }\n}' <<<'value: 1'
    printf '{\n  "a": [\n    {"x": 1}\n  ]\n}\n' >f
    setting /a/0/y -- becomes '{\n  "a": [\n    {"x": 1, "y": 2}\n  ]\n}\n' <<<'value: 2'
    setting /a/1 -- becomes '{\n  "a": [\n    {"x": 1, "y": 2},\n    "z"\n  ]\n}\n' <<<'value: z'
    rm f
    setting /a~0b -- converges <<<'value: 1'
    printf '{\n  "a~b": 1\n}\n' | diff f -
    : >f
    setting '' -- becomes '[\n  1\n]\n' <<<'value: [1]'
}

# bats test_tags=inline
@test "a hash is changed key by key, and what is to be absent goes with its comma" {
    printf '{\n  "h": {"a":  1.50, "b": 2, "c": 3},\n  "x": 1\n}\n' >f
    setting /h -- becomes '{\n  "h": {"a":  1.50, "c": 4, "d": 5},\n  "x": 1\n}\n' <<<'value: {a: 1.5, c: 4, d: 5}'
    setting /h/a -- becomes '{\n  "h": {"c": 4, "d": 5},\n  "x": 1\n}\n' <<<'ensure: absent'
    setting /x -- becomes '{\n  "h": {"c": 4, "d": 5}\n}\n' <<<'ensure: absent'
    setting /h -- becomes '{}\n' <<<'ensure: absent'
    setting /h -- is_in_sync <<<'ensure: absent'
    rm f
    setting /h -- is_in_sync <<<'ensure: absent'
    [ ! -e f ]
}

@test "all settings of a file are one writing of it, and undo brings the file back" {
    requires_command strace
    [ -z "${RHOST_WATCHED-}" ] || skip "two cannot trace one process"
    echo '{"keep":"me"}' >f
    cp f kept
    for i in $(seq 20); do
        printf '%s\n' "- json_setting: $work/f#/s/k$i" "  value: $i"
    done | sed '1i resources:' >many.yaml
    strace -f -o trace -e trace=rename,renameat,renameat2 "$abs_top_builddir/rhost" apply \
        --state-dir "$BATS_TEST_TMPDIR/state" --isolation=none many.yaml
    is "$(grep -c '"f"' trace)" 1
    is "$(python3 -c 'import json; d = json.load(open("f")); print(len(d["s"]), d["keep"], d["s"]["k20"])')" '20 me 20'
    run rhost apply --noop --detailed-exitcodes many.yaml
    status_is 0
    run rhost undo last
    status_is 0
    cmp f kept
}

# bats test_tags=inline
@test "what is not JSON, or cannot be done, changes nothing and is named" {
    while IFS='|' read -r content pointer attribute said; do
        printf %b "$content" >f
        setting "$pointer" -- fails "$said" <<<"$attribute"
    done <<END
{"a": 1 // x\n}|/a|value: 2|cannot read '$work/f': it is not JSON: line 1: expected ',' or '}'
{"a": 1,\n}|/a|value: 2|it is not JSON: line 2: expected a key in double quotes
{"a": 1|/a|value: 2|line 1: expected ',' or '}'
{} {}|/a|value: 2|line 1: expected nothing behind the value
{"a": 01}|/a|value: 2|expected ',' or '}'
{"a": 1.}|/a|value: 2|expected another digit of a number
{"a": nul}|/a|value: 2|expected a value
{"a" 1}|/a|value: 2|expected ':'
{a: 1}|/a|value: 2|expected a key in double quotes
["a\\\\q"]|/a|value: 2|expected another escape
["a\n"]|/a|value: 2|expected no control character in a string
["a\\\\\n"]|/a|value: 2|expected no control character in a string
["a|/a|value: 2|expected the end of a string
["a\\\\|/a|value: 2|expected the end of a string
["a\\\\"|/a|value: 2|expected the end of a string
["a\\\\\\\\" 2]|/a|value: 2|expected ',' or ']'
[1 2]|/a|value: 2|expected ',' or ']'
{"a": "\xff"}|/a|value: 2|it is not text in UTF-8
{"a": "\0"}|/a|value: 2|it has a NUL byte
{"a": 5}|/a/b|value: 2|'b' cannot be set: what it would be in is neither a mapping nor a list
{"a": [5]}|/a/b|value: 2|'b' cannot be set: what it would be in is a list
{"a": [5]}|/a/2|value: 2|a list that is shorter
{"a": [5]}|/a/0|ensure: absent|an element of a list cannot be absent
{"a": [5]}||ensure: absent|the whole content cannot be absent
END
    python3 -c 'print("[" * 101 + "]" * 101)' >f
    setting /0 -- fails 'it is nested too deep' <<<'value: 1'
    rm f
    setting /a -- fails "the file does not exist, and 'create' is false" <<'END'
value: 1
create: false
END
    [ ! -e f ]
    one "json_setting: $work/f" -- run apply <<<'pointer: a'
    status_is 1
    says pointer
}

@test "a value is a secret where that is said, and a validating command is heard" {
    printf 'resources:\n  - json_setting: %s/f#/password\n    value: hush-hush-hush\n    sensitive: [value]\n' "$work" >secret.yaml
    run rhost apply -v -v --diff --report report.json secret.yaml
    status_is 0
    says_not hush-hush
    not grep -rq hush-hush "$BATS_TEST_TMPDIR/state" report.json
    is "$(mode_of f)" 600
    grep -q hush-hush f
    setting /a -- fails "'false' refuses the new content" <<'END'
value: 1
validate: ["false", "%"]
END
}

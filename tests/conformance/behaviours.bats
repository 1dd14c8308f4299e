#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Types and their attributes: what each behaviour means, what is checked, and how types relate.
source "${abs_top_srcdir:-$BATS_TEST_DIRNAME/../..}/tests/lib.bash"
source "$abs_top_srcdir/tests/conformance/letter.bash"

# What `describe` says of a type in JSON, at this Python expression.
described() {
    rhost describe --plugin-dir "$BATS_TEST_TMPDIR/plugins" --format=json "$1" >described.json
    python3 -c 'import json, sys
d = json.load(open("described.json"))
print(eval(sys.argv[1]))' "$2"
}

# S1 S2 S4 S14
@test "a type is found by its name alone, with all that it says of itself" {
    run rhost types --plugin-dir "$BATS_TEST_TMPDIR/plugins"
    says letter_get
    run rhost describe --plugin-dir "$BATS_TEST_TMPDIR/plugins" letter_relate
    status_is 0
    for word in letter_relate "Has relations of each kind." ensure value size seen letter_filter letter_noop; do
        says "$word"
    done
}

# S3 S6
@test "what a type and its attributes are for can be read" {
    run rhost describe --plugin-dir "$BATS_TEST_TMPDIR/plugins" letter_example
    status_is 0
    says "This type provides the capabilities to manage keys."
    says "The ID of the key you want to manage."
    says "Date the key was created, in ISO format."
}

# S7
@test "a default is wanted whenever the manifest is silent" {
    world letter_get <<<"name=a ensure=present given=other"
    applies <<<"  - letter_get: a"
    status_is 0
    says "given other → \"by default\""
    applies --detailed-exitcodes <<<"  - letter_get: a
    given: something else"
    status_is 2
}

# S13
@test "features are what a provider says it can do" {
    run rhost describe --plugin-dir "$BATS_TEST_TMPDIR/plugins" letter_filter
    status_is 0
    requires_command python3
    [ "$(described letter_filter 'd["features"]')" = "['simple_get_filter']" ] ||
        [ "$(described letter_filter 'd["features"]')" = 1 ]
}

# S15
@test "the namevar is the identity: what only differs in its title is one resource" {
    applies <<<"  - letter_simple: one title
    id: a
  - letter_simple: another title
    id: a"
    status_is 1
    [ "$(n_calls letter_simple get)" -eq 0 ]
    applies <<<"  - letter_simple: one title
    id: a"
    status_is 0
    grep -q "create one title {id: 'a'}: absent" "$LETTER/calls"
}

# S16
@test "init_only may be given when the resource is created" {
    applies <<<"  - letter_get: a
    kind: oak"
    status_is 0
    grep -q "kind=oak" "$LETTER/letter_get"
}

# S17
@test "init_only is reported by later reads" {
    world letter_get <<<"name=a ensure=present kind=oak"
    resource letter_get a
    says "kind: oak"
}

# S17
@test "init_only that is not reported cannot be compared: the strict mode decides" {
    world letter_get <<<"name=a ensure=present value=x given=g"
    echo "  - letter_get: a
    kind: oak
    value: x
    given: g" >entry
    applies <entry
    status_is 4
    says "failed: kind: it can only be set when the resource is created; it is undef"
    applies --strict=warning <entry
    status_is 0
    says "init-only attribute 'kind' was not compared: the provider does not report it"
    applies --strict=off <entry
    status_is 0
    says_not "was not compared"
    [ "$(n_calls letter_get set)" -eq 0 ]
}

# S18
@test "asking for another value of init_only is an error, before anything is set or reported" {
    world letter_get <<<"name=a ensure=present kind=oak value=x given=g"
    for strict in error warning off; do
        applies --strict=$strict <<<"  - letter_get: a
    kind: elm
    value: y
    given: g"
        status_is 4
        says "failed: kind: it can only be set when the resource is created; it is \"oak\", and \"elm\" is wanted; 'replace: true' removes the resource and creates it again"
        says_not "→"
        [ "$(n_calls letter_get set)" -eq 0 ]
    done
    applies --detailed-exitcodes <<<"  - letter_get: a
    kind: oak
    value: x
    given: g"
    status_is 0
    applies <<<"  - letter_get: a
    kind: elm
    ensure: absent"
    status_is 0
}

@test "with replace: true what is init_only is set by creating the resource again" {
    for type in letter_get letter_simple letter_converge; do
        [ $type = letter_simple ] && id=id || id=name
        name="$type: a"
        world $type <<<"$id=a ensure=present kind=oak value=x given=g"
        applies --noop --detailed-exitcodes <<<"  - $name
    kind: elm
    replace: true"
        status_is 2
        says "would change: it would be replaced: removed, and created again"
        grep -qE 'kind +"?oak"? → "?elm' <<<"$output"
        grep -q kind=oak "$LETTER/$type"
        [ "$(grep -cE "^$type (set|create|remove|update)" "$LETTER/calls")" -eq 0 ]
        applies --detailed-exitcodes --report=report.json <<<"  - $name
    kind: elm
    replace: true
    notify: log[told]
  - log: told
    action: nothing"
        status_is 2
        says "changed: it was replaced: removed, and created again"
        says "1 changed"
        grep -q '"it was replaced: removed, and created again"' report.json
        grep -q kind=elm "$LETTER/$type"
        [ "$(grep -c value=x "$LETTER/$type")" -eq 0 ]
        applies --detailed-exitcodes <<<"  - $name
    kind: elm
    replace: true"
        status_is 0
    done
}

@test "what waits for a replacement that failed half way hears of it when all is well" {
    local manifest='  - letter_simple: a
    kind: elm
    given: g
    replace: true
    notify: log[told]
  - log: told
    action: nothing'
    world letter_simple <<<"id=a ensure=present kind=oak given=g"
    LETTER_FILE=$BATS_TEST_TMPDIR/no/such/x applies <<<"$manifest"
    status_is 4
    says "it was removed to be replaced, and could not be created again: "
    world letter_simple <<<"id=a ensure=present kind=elm given=g"
    applies --detailed-exitcodes <<<"$manifest"
    says "log[told]"
    says "1 refreshed"
}

@test "a replacement that fails half way says so, and what cannot be replaced is refused" {
    world letter_simple <<<"id=a ensure=present kind=oak
!create it is broken"
    applies <<<"  - letter_simple: a
    kind: elm
    replace: true"
    status_is 4
    says "it was removed to be replaced, and could not be created again: "
    world letter_simple <<<"id=a ensure=present kind=oak
!remove it is broken"
    applies <<<"  - letter_simple: a
    kind: elm
    replace: true"
    status_is 4
    says "it cannot be removed to be replaced: "
    grep -q kind=oak "$LETTER/letter_simple"
    applies <<<"  - log: a
    replace: true"
    status_is 1
    says "'log' cannot be replaced: all its attributes can be changed"
    applies <<<"  - letter_simple: a
    replace: maybe"
    status_is 1
    says "replace must be a boolean, not a string"
}

# S19
@test "read_only is reported" {
    world letter_get <<<"name=a ensure=present seen=7"
    resource letter_get a
    status_is 0
    says "seen: 7"
}

# S20 S21
@test "read_only in a manifest is refused, with its place, and nothing is touched" {
    applies <<<"  - letter_get: a
    seen: 7"
    status_is 1
    says "attribute 'seen' of 'letter_get' is read-only"
    says "site.yaml:3"
    [ ! -s "$LETTER/calls" ]
    resource letter_get a seen=7
    status_is 1
}

# S22
@test "a parameter is never compared, and causes no change by itself" {
    world letter_get <<<"name=a ensure=present value=x given=g hint=roughly"
    applies --detailed-exitcodes <<<"  - letter_get: a
    value: x
    given: g
    hint: gently"
    status_is 0
    [ "$(n_calls letter_get set)" -eq 0 ]
}

# S23
@test "a property is compared, and changed when it differs" {
    world letter_get <<<"name=a ensure=present value=x size=5 flag=true given=g"
    applies <<<"  - letter_get: a
    value: y
    size: 6
    flag: false
    given: g"
    status_is 0
    says "value x → y"
    says "size 5 → 6"
    says "flag true → false"
}

@test "values are compared by their type: 5 is not '5', and true is not 'true'" {
    world letter_get <<<"name=a ensure=present value=s:5 given=s:true"
    applies --detailed-exitcodes <<<"  - letter_get: a
    value: '5'
    given: 'true'"
    status_is 0
}

# S5 S24
@test "a value that does not fit its data type is refused before the provider sees anything" {
    applies <<<"  - letter_get: a
    size: many"
    status_is 1
    says "letter_get[a].size expects a value of type Undef or Integer, got String"
    [ ! -s "$LETTER/calls" ]
    resource letter_get a size=many
    status_is 1
    [ ! -s "$LETTER/calls" ]
}

# S26 S27
@test "the data types of the specification's example work" {
    for id in BBCB188AD7B3228BCF05BD554C0BE21B5FF054BD 0x5FF054BD; do
        applies <<<"  - letter_example: '$id'"
        status_is 0
    done
    for id in F1D2 "5FF054BDx"; do
        applies <<<"  - letter_example: '$id'"
        status_is 1
    done
    applies <<<"  - letter_example: 5FF054BD
    ensure: maybe"
    status_is 1
    says "Enum"
}

# S10 S11 S12 L6
@test "automatic relations go to what an attribute names, and to constants, if they are there" {
    applies <<<"  - letter_relate: a
    value: x
  - letter_filter: x
  - letter_noop: x
  - letter_canon: x
  - letter_bare: constant"
    status_is 0
    grep -E " set " "$LETTER/calls" | cut -d' ' -f1 >order
    # Required and subscribed to: before it; the constant and what it notifies: behind it.
    [ "$(grep -n letter_filter order | cut -d: -f1)" -lt "$(grep -n letter_relate order | cut -d: -f1)" ]
    [ "$(grep -n letter_noop order | cut -d: -f1)" -lt "$(grep -n letter_relate order | cut -d: -f1)" ]
    [ "$(grep -n letter_bare order | cut -d: -f1)" -gt "$(grep -n letter_relate order | cut -d: -f1)" ]
    [ "$(grep -n letter_canon order | cut -d: -f1)" -gt "$(grep -n letter_relate order | cut -d: -f1)" ]
    applies <<<"  - letter_relate: alone
    value: nobody"
    status_is 0
}

# L1
@test "a type may have several providers, and a manifest says which" {
    applies <<<"  - letter_many: a
    provider: letter_two
  - letter_many: b
    provider: letter_one"
    status_is 0
    grep -E " change " "$LETTER/calls" | cut -d' ' -f1-3 >order
    diff order - <<<"letter_two change a
letter_one change b"
}

# S80 S81
@test "a type for devices refuses to be run locally, aloud, and no device is there to be had" {
    applies <<<"  - file: $work/other
  - letter_remote: a
    value: x"
    status_is 1
    says "type 'letter_remote' manages a device and cannot be applied to this machine"
    says "site.yaml:3"
    [ ! -e other ]
    resource letter_remote
    status_is 1
    says "type 'letter_remote' manages a device and cannot be applied to this machine"
    resource letter_remote a value=x
    status_is 1
    [ ! -s "$LETTER/calls" ]
}

# S87 S88 S90
@test "apply and resource bring the same about" {
    applies <<<"  - letter_get: a
    value: x"
    status_is 0
    resource letter_get b value=x
    status_is 0
    resource letter_get
    says "- letter_get: a"
    says "- letter_get: b"
}

#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# One form for what can be written in several: names and values of letter_canon are in lower case.
source "${abs_top_srcdir:-$BATS_TEST_DIRNAME/../..}/tests/lib.bash"
source "$abs_top_srcdir/tests/conformance/letter.bash"

# S56 S57 S58
@test "what the manifest says is compared in the form that get uses" {
    world letter_canon <<<"name=a ensure=present value=x given=g"
    applies --detailed-exitcodes <<<"  - letter_canon: A
    value: X
    given: g"
    status_is 0
    [ "$(n_calls letter_canon set)" -eq 0 ]
}

# Once before the run, and once when it is applied: what is read as it is wanted is canonical.
@test "what is in sync is not brought into canonical form a third time" {
    world letter_canon <<<"name=a ensure=present value=x given=g"
    applies <<<"  - letter_canon: A
    value: X
    given: g"
    status_is 0
    [ "$(n_calls letter_canon canonicalize)" -eq 2 ]
}

# Until something has happened, what was found before the run holds.
@test "what is canonical is not brought into canonical form again, unless the run has changed something before" {
    world letter_canon <<<"name=a ensure=present value=x given=g"
    applies --detailed-exitcodes <<<"  - letter_canon: a
    value: x
    given: g"
    status_is 0
    [ "$(n_calls letter_canon canonicalize)" -eq 1 ]
    applies --detailed-exitcodes <<<"  - file: $work/made
    content: x
  - letter_canon: a
    value: x
    given: g"
    status_is 2
    [ "$(n_calls letter_canon canonicalize)" -eq 2 ]
    applies --noop --detailed-exitcodes <<<"  - file: $work/made
    content: y
  - letter_canon: a
    value: x
    given: g"
    [ "$(n_calls letter_canon canonicalize)" -eq 2 ]
}

# S59
@test "set receives canonical values" {
    world letter_canon <<<"name=a ensure=present value=x given=g"
    applies <<<"  - letter_canon: [A, B]
    value: NEW
    given: G"
    status_is 0
    grep -v canonicalize "$LETTER/calls" | grep -E ' (set|change) ' >written
    diff - written <<<"letter_canon set 2
letter_canon change A {name: 'a'}: {name: 'a', ensure: 'present', value: 'x', given: 'g'} -> {value: 'new', given: 'G', name: 'a', ensure: 'present'}
letter_canon change B {name: 'b'}: absent -> {value: 'new', given: 'G', name: 'b', ensure: 'present'}"
}

# S66
@test "what is shown and logged is canonical; a title is as it was written" {
    world letter_canon <<<"name=a ensure=present value=x given=g"
    applies --debug <<<"  - letter_canon: A
    value: NEW
    given: g
    tell: ['begin|processing|A', 'end']"
    status_is 0
    says 'notice: letter_canon[A]: Processing value: changed from "x" to "new"'
    says "value x → new"
    says_not NEW
}

@test "two ways of writing one name are one resource, declared twice" {
    applies <<<"  - letter_canon: a
  - letter_canon: A"
    status_is 1
    says "letter_canon[a]"
    [ "$(n_calls letter_canon get)" -eq 0 ]
}

# S58
@test "a resource that is asked for by another spelling is found" {
    world letter_canon <<<"name=a ensure=present value=x"
    resource letter_canon A
    status_is 0
    says "- letter_canon: a"
    says "ensure: present"
}

# S60
@test "what the host needs later is not what a provider edited" {
    run rhost compile --plugin-dir "$BATS_TEST_TMPDIR/plugins" /dev/stdin <<<"resources: [{letter_canon: a, value: X}]"
    status_is 0
    says '"value": "X"' || says '"value":"X"'
}

# S61
@test "canonicalize may log, as get and set do" {
    applies <<<"  - letter_canon: a
    hint: speak"
    line_is "warning: letter_canon: canonicalize speaks"
}

@test "canonicalize may fail, which fails that resource" {
    world letter_canon <<<"!canonicalize it is not a name"
    applies <<<"  - letter_canon: a"
    status_is 1
    says "it is not a name"
}

# S62 S63
@test "a get that canonicalize would change fails the resource, when strict" {
    world letter_canon <<<"name=a ensure=present value=X given=g"
    applies <<<"  - letter_canon: a
    value: x
    given: g"
    status_is 4
    says "failed: letter_canon[a]#get has not provided canonicalized values.
 Returned values: {name: \"a\", ensure: \"present\", value: \"X\", given: \"g\"}
 Canonicalized values: {name: \"a\", ensure: \"present\", value: \"x\", given: \"g\"}"
    resource letter_canon
    status_is 4
    says "letter_canon[a]#get has not provided canonicalized values."
}

# S62 S64
@test "what get has under a name that is not canonical is not created a second time" {
    world letter_canon <<<"name=A ensure=present value=x given=g"
    applies <<<"  - letter_canon: a
    value: x
    given: g"
    status_is 4
    says "failed: letter_canon[a]#get has not provided canonicalized values."
    [ "$(n_calls letter_canon set)" -eq 0 ]
    applies --strict=warning --detailed-exitcodes <<<"  - letter_canon: a
    value: x
    given: g"
    status_is 0
    applies --strict=off --detailed-exitcodes <<<"  - letter_canon: [a, b]
    ensure: absent"
    status_is 2
    grep -q "^letter_canon change a {name: 'a'}: {name: 'a', ensure: 'present', value: 'x', given: 'g'} -> " "$LETTER/calls"
    says "1 ok, 1 changed"
}

# S64
@test "with --strict=warning it is a warning, and the canonical values are used" {
    world letter_canon <<<"name=a ensure=present value=X given=g"
    applies --strict=warning --detailed-exitcodes <<<"  - letter_canon: a
    value: x
    given: g"
    status_is 0
    says "warning: letter_canon[a]: letter_canon[a]#get has not provided canonicalized values."
    resource letter_canon --strict=warning
    status_is 0
    says "value: x"
}

# S65
@test "with --strict=off the canonical values are used silently" {
    world letter_canon <<<"name=a ensure=present value=X given=g"
    applies --strict=off --detailed-exitcodes <<<"  - letter_canon: a
    value: x
    given: g"
    status_is 0
    says_not "canonicalized"
    applies --strict=off --detailed-exitcodes <<<"  - letter_canon: a
    value: y
    given: g"
    status_is 2
    says "value x → y"
}

#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# What a trial run asks of a provider, with and without supports_noop.
source "${abs_top_srcdir:-$BATS_TEST_DIRNAME/../..}/tests/lib.bash"
source "$abs_top_srcdir/tests/conformance/letter.bash"

# S74 S75 S79
@test "with supports_noop, set is called for what differs, and told so" {
    world letter_noop <<<"name=a ensure=present value=x given=g
name=b ensure=present value=y given=g"
    cp "$LETTER/letter_noop" before
    applies --noop --detailed-exitcodes <<<"  - letter_noop: [a, b, c]
    value: y
    given: g"
    status_is 2
    calls_are <<<"letter_noop get all
letter_noop set 2 (noop)
letter_noop change a {name: 'a'}: {name: 'a', ensure: 'present', value: 'x', given: 'g'} -> {value: 'y', given: 'g', name: 'a', ensure: 'present'} (noop)
letter_noop change c {name: 'c'}: absent -> {value: 'y', given: 'g', name: 'c', ensure: 'present'} (noop)"
    cmp before "$LETTER/letter_noop"
    says "2 would change"
}

# S75
@test "what a provider reports under noop is marked so" {
    applies --noop --debug <<<"  - letter_noop: a
    value: x
    tell: ['begin|creating|a', 'attr||value||x|it would be x', 'log|info|looking', 'end']"
    status_is 0
    line_is "debug: letter_noop[a]: Started creating (noop)"
    says "notice: letter_noop[a]: Creating value: it would be x (noop)"
    says "info: letter_noop[a]: Creating: looking"
    grep -qE "^notice: letter_noop\[a\]: Successfully created \([0-9.]+ seconds\) \(noop\)$" <<<"$output"
}

# S76
@test "noop is off unless somebody asks for it" {
    applies <<<"  - letter_noop: a"
    status_is 0
    [ "$(grep -c '(noop)' "$LETTER/calls")" -eq 0 ]
}

# S48 S77
@test "without the feature the host reports, and set is not called" {
    world letter_get <<<"name=a ensure=present value=x given=g"
    applies --noop --detailed-exitcodes <<<"  - letter_get: a
    value: y
    given: g"
    status_is 2
    calls_are <<<"letter_get get all"
    says "would change"
    says "value x → y"
}

# S48 S77
@test "without the feature nothing is created, updated or removed one by one either" {
    world letter_simple <<<"id=a ensure=present value=x given=g
id=b ensure=present"
    applies --noop <<<"  - letter_simple: [a, new]
    value: y
  - letter_simple: b
    ensure: absent"
    calls_are <<<"letter_simple get all"
    says "3 would change"
}

# S74 S78
@test "noop on one resource holds for that one, in a call of its own" {
    applies <<<"  - letter_noop: a
    noop: true
  - letter_noop: b"
    status_is 0
    grep -E " (set|change) " "$LETTER/calls" | cut -d' ' -f2-4 >order
    diff order - <<<"set 1 (noop)
change a {name:
set 1
change b {name:"
    says "1 changed, 1 would change"
}

@test "a failure under noop is a failure" {
    world letter_noop <<<"!set it would not work"
    applies --noop <<<"  - letter_noop: a"
    status_is 4
    says "failed: it would not work"
}

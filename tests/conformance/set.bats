#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# What set is called with, and what becomes of what it reports.
source "${abs_top_srcdir:-$BATS_TEST_DIRNAME/../..}/tests/lib.bash"
source "$abs_top_srcdir/tests/conformance/letter.bash"

# S40 S41 S49
@test "all that differs goes in one call, with what is and what should be" {
    world letter_get <<<"name=a ensure=present value=old size=3 given=g seen=7
name=b ensure=present value=new given=g
name=c ensure=present value=old given=g"
    applies <<<"  - letter_get: [a, b, c, d]
    value: new
    given: g"
    status_is 0
    calls_are <<<"letter_get get all
letter_get set 3
letter_get change a {name: 'a'}: {name: 'a', ensure: 'present', value: 'old', size: 3, given: 'g', seen: 7} -> {value: 'new', given: 'g', name: 'a', ensure: 'present'}
letter_get change c {name: 'c'}: {name: 'c', ensure: 'present', value: 'old', given: 'g'} -> {value: 'new', given: 'g', name: 'c', ensure: 'present'}
letter_get change d {name: 'd'}: absent -> {value: 'new', given: 'g', name: 'd', ensure: 'present'}"
}

# S47
@test "what is in sync never reaches set" {
    world letter_get <<<"name=a ensure=present value=x size=3 flag=true given=g"
    applies --detailed-exitcodes <<<"  - letter_get: a
    value: x
    size: 3
    flag: true
    given: g"
    status_is 0
    [ "$(n_calls letter_get set)" -eq 0 ]
}

# S42 S45
@test "what was in the call is changed, once it returns" {
    applies --detailed-exitcodes <<<"  - letter_get: [a, b]
    value: x"
    status_is 2
    says "2 resources: 2 changed"
    applies --detailed-exitcodes <<<"  - letter_get: [a, b]
    value: x"
    status_is 0
}

# S43
@test "a resource that must go has ensure: absent in what should be" {
    world letter_get <<<"name=a ensure=present value=x"
    applies --detailed-exitcodes <<<"  - letter_get: a
    ensure: absent
    value: z"
    status_is 2
    calls_are <<<"letter_get get all
letter_get set 1
letter_get change a {name: 'a'}: {name: 'a', ensure: 'present', value: 'x'} -> {ensure: 'absent', value: 'z', name: 'a', given: 'by default'}"
    applies --detailed-exitcodes <<<"  - letter_get: a
    ensure: absent"
    status_is 0
}

# S29
@test "parameters are in what should be, and only what is managed" {
    world letter_bare <<<"name=a value=x size=1 given=g"
    applies <<<"  - letter_bare: a
    value: y
    hint: gently
    given: null"
    status_is 0
    calls_are <<<"letter_bare get all
letter_bare set 1
letter_bare change a {name: 'a'}: {name: 'a', value: 'x', size: 1, given: 'g'} -> {value: 'y', hint: 'gently', name: 'a', given: 'by default'}"
}

# S46
@test "when set fails, what has a status keeps it, and the rest fails" {
    world letter_get <<<"!set the disk is full"
    applies <<<"  - letter_get: a
    tell: ['did|creating|a']
  - letter_get: b
    tell: ['begin|creating|b', 'fail|not this one', 'end']
  - letter_get: c
  - letter_get: d
    tell: ['unchanged|d']"
    status_is 4
    says "letter_get[b]"
    says "failed: not this one"
    says "failed: the disk is full"
    says "4 resources: 1 ok, 1 changed, 2 failed"
}

@test "a failure in a block that is passed on is the reason for the others" {
    applies <<<"  - letter_get: a
    tell: ['begin|creating|a', 'fail|there is no more room', 'end', 'return']
  - letter_get: b"
    status_is 4
    [ "$(grep -c "failed: there is no more room" <<<"$output")" -eq 2 ]
    says_not "without a message"
}

@test "a resource that depends on one in the call waits for the next call" {
    applies <<<"  - letter_get: a
  - letter_get: b
    require: letter_get[a]
  - letter_get: c"
    status_is 0
    grep -E " (set|change) " "$LETTER/calls" | cut -d' ' -f2,3 >order
    diff order - <<<"set 1
change a
set 2
change b
change c"
}

@test "a thousand resources are one call" {
    applies <<<"  - letter_get: [$(seq -s, -f 'r%g' 1000)]"
    status_is 0
    [ "$(n_calls letter_get get)" -eq 1 ]
    [ "$(n_calls letter_get 'set 1000')" -eq 1 ]
}

@test "each of three thousand may speak about any of them" {
    applies <<<"  - letter_get: [$(seq -s, -f 'r%g' 3000)]
    tell: ['log|info|hello|r1,r1500,r3000']"
    status_is 0
}

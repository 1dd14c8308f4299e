#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Providers that write one resource at a time.
source "${abs_top_srcdir:-$BATS_TEST_DIRNAME/../..}/tests/lib.bash"
source "$abs_top_srcdir/tests/conformance/letter.bash"

# S28 S50 S51 S55
@test "what is absent and wanted is created, with all that is wanted" {
    applies <<<"  - letter_simple: a
    value: x
    hint: gently"
    status_is 0
    calls_are <<<"letter_simple get all
letter_simple create a {id: 'a'}: absent -> {value: 'x', hint: 'gently', id: 'a', ensure: 'present', given: 'by default'}"
}

# S52 S55
@test "what is there and differs is updated" {
    world letter_simple <<<"id=a ensure=present value=x given=g
id=b ensure=present value=y given=g"
    applies <<<"  - letter_simple: [a, b]
    value: y
    given: g
    hint: gently"
    status_is 0
    calls_are <<<"letter_simple get all
letter_simple update a {id: 'a'}: {id: 'a', ensure: 'present', value: 'x', given: 'g'} -> {value: 'y', given: 'g', hint: 'gently', id: 'a', ensure: 'present'}"
}

# S53
@test "what is there and unwanted is removed" {
    world letter_simple <<<"id=a ensure=present value=x"
    applies <<<"  - letter_simple: [a, b]
    ensure: absent
    given: null"
    status_is 0
    calls_are <<<"letter_simple get all
letter_simple remove a {id: 'a'}: {id: 'a', ensure: 'present', value: 'x'} -> {ensure: 'absent', id: 'a', given: 'by default'}"
    [ ! -s "$LETTER/letter_simple" ]
}

# S54
@test "the host tells what is done around each call" {
    world letter_simple <<<"id=b ensure=present value=x given=g
id=c ensure=present"
    applies --debug <<<"  - letter_simple: a
  - letter_simple: b
    value: y
  - letter_simple: c
    ensure: absent"
    status_is 0
    line_is "debug: letter_simple[a]: Started creating"
    line_is "debug: letter_simple[b]: Started updating"
    line_is "debug: letter_simple[c]: Started deleting"
    says "notice: letter_simple[a]: Successfully created"
    says "notice: letter_simple[b]: Successfully updated"
    says "notice: letter_simple[c]: Successfully deleted"
}

# S54
@test "one that fails leaves the others alone" {
    world letter_simple <<<"id=b ensure=present value=x given=g
!create there is no room"
    applies --debug <<<"  - letter_simple: a
  - letter_simple: b
    value: y"
    status_is 4
    line_is "error: letter_simple[a]: Creating failed: there is no room"
    says "1 changed, 1 failed"
}

# S15 L2
@test "with two namevars the name is both, whatever the title looks like" {
    world letter_pair <<<"package=php manager=yum ensure=present value=x given=g"
    applies <<<"  - letter_pair: php/yum
    value: y
    given: g
  - letter_pair: the second
    package: ruby
    manager: gem
    given: g"
    status_is 0
    calls_are <<<"letter_pair get all
letter_pair update php/yum {package: 'php', manager: 'yum'}: {package: 'php', manager: 'yum', ensure: 'present', value: 'x', given: 'g'} -> {value: 'y', given: 'g', package: 'php', manager: 'yum', ensure: 'present'}
letter_pair create the second {package: 'ruby', manager: 'gem'}: absent -> {package: 'ruby', manager: 'gem', given: 'g', ensure: 'present'}"
}

@test "converge finds out by itself, and is not asked to act when there is nothing to do" {
    world letter_converge <<<"name=a ensure=present value=x given=g"
    applies --detailed-exitcodes <<<"  - letter_converge: a
    value: x
    given: g
  - letter_converge: b
    ensure: absent"
    status_is 0
    [ "$(n_calls letter_converge changed)" -eq 0 ]
    applies --detailed-exitcodes <<<"  - letter_converge: a
    ensure: absent"
    status_is 2
    says "ensure present → absent"
    [ "$(n_calls letter_converge changed)" -eq 1 ]
    [ ! -s "$LETTER/letter_converge" ]
}

#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# What a provider is asked to read, how often, and what becomes of its answer.
source "${abs_top_srcdir:-$BATS_TEST_DIRNAME/../..}/tests/lib.bash"
source "$abs_top_srcdir/tests/conformance/letter.bash"

# S28 S30 S34 S35 S70
@test "one get, without names, serves all resources of a type" {
    world letter_get <<<"name=a ensure=present value=x"
    applies <<<"  - letter_get: [a, b, c]
    value: x
    given: null"
    status_is 0
    [ "$(n_calls letter_get get)" -eq 1 ]
    [ "$(n_calls letter_get open)" -eq 1 ]
    grep -qx "letter_get get all" "$LETTER/calls"
}

# S67 S71 S73
@test "with simple_get_filter, one get has the names of all resources, and no others" {
    world letter_filter <<<"name=a ensure=present value=x given=g
name=z ensure=present value=z"
    applies <<<"  - letter_filter: [a, b, c]
    ensure: absent"
    calls_are <<<"letter_filter get [{name: 'a'}, {name: 'b'}, {name: 'c'}]
letter_filter set 1
letter_filter change a {name: 'a'}: {name: 'a', ensure: 'present', value: 'x', given: 'g'} -> {ensure: 'absent', name: 'a', given: 'by default'}"
}

# S68
@test "a list of all is asked for without names, also with simple_get_filter" {
    world letter_filter <<<"name=a ensure=present
name=b ensure=present"
    resource letter_filter
    status_is 0
    calls_are <<<"letter_filter get all"
    says "- letter_filter: a"
    says "- letter_filter: b"
}

# S69 S72
@test "what came along unasked is remembered, and not asked for" {
    world letter_filter <<<"name=a ensure=present value=x given=g
name=b ensure=present value=x given=g extra=true"
    applies <<<"  - letter_filter: a
    value: x
    given: g
  - log: between
  - letter_filter: b
    value: x
    given: g"
    status_is 0
    calls_are <<<"letter_filter get [{name: 'a'}]"
}

# S36 S44
@test "what does not come back does not exist: it is created, from nothing" {
    world letter_filter <<<"name=other ensure=present"
    applies <<<"  - letter_filter: a
    value: x
    given: null"
    status_is 0
    calls_are <<<"letter_filter get [{name: 'a'}]
letter_filter set 1
letter_filter change a {name: 'a'}: absent -> {value: 'x', name: 'a', ensure: 'present', given: 'by default'}"
}

# S36
@test "a provider that reports what is absent as absent is believed" {
    world letter_get <<<"name=a ensure=absent"
    applies --detailed-exitcodes <<<"  - letter_get: a
    ensure: absent"
    status_is 0
    [ "$(n_calls letter_get set)" -eq 0 ]
}

# S37 S38 S39
@test "a get that fails is not called again, and all resources of the type fail with its message" {
    world letter_get <<<"!get the database is locked"
    applies <<<"  - letter_get: [a, b]
  - log: between
  - letter_get: c"
    status_is 4
    [ "$(n_calls letter_get get)" -eq 1 ]
    [ "$(n_calls letter_get set)" -eq 0 ]
    [ "$(grep -c "failed: provider 'letter_get' is unavailable: the database is locked" <<<"$output")" -eq 3 ]
}

# S39
@test "a list that fails says why" {
    world letter_get <<<"!get the database is locked"
    resource letter_get
    status_is 4
    says "the database is locked"
}

# S31
@test "a provider is opened when its first resource has its turn, after what it needs was made" {
    world letter_late <<<"name=a ensure=present value=x given=g"
    export LETTER_NEEDS=$work/needed
    applies <<<"  - file: $work/needed
  - letter_late: a
    value: x
    given: g"
    status_is 0
    says "2 resources: 1 ok, 1 changed"
    [ "$(n_calls letter_late open)" -eq 1 ]
}

# S31
@test "a provider without a resource that has its turn is never opened" {
    export LETTER_NEEDS=$work/needed
    applies <<<"  - link: $work/no/such/folder
    target: /
  - letter_late: a
    require: link[$work/no/such/folder]"
    status_is 4
    says "skipped: depends on link"
    [ "$(n_calls letter_late open)" -eq 0 ]
}

# S31
@test "an open that fails makes its resources fail, and says why" {
    export LETTER_NEEDS=$work/needed
    applies <<<"  - letter_late: [a, b]
  - file: $work/after"
    status_is 4
    [ -f after ]
    [ "$(n_calls letter_late open)" -eq 1 ]
    [ "$(n_calls letter_late get)" -eq 0 ]
    says "failed: provider 'letter_late' is unavailable: cannot work without '$work/needed': No such file or directory"
}

# S32
@test "what a provider remembers lives from its first call to its last in one run" {
    applies <<<"  - letter_get: a
  - log: between
  - letter_get: b"
    status_is 0
    grep -qx "letter_get close, after 3 calls of get and set" "$LETTER/calls"
}

# S33 S86
@test "the next run asks again, whatever the last one knew" {
    world letter_get <<<"name=a ensure=present value=x given=g"
    for i in 1 2; do
        applies <<<"  - letter_get: a
    value: x
    given: g"
        calls_are <<<"letter_get get all"
    done
}

# S34
@test "what set made true is not read again" {
    applies <<<"  - letter_get: a
    value: x
  - log: between
  - letter_get: b
    value: x"
    status_is 0
    [ "$(n_calls letter_get get)" -eq 1 ]
    [ "$(n_calls letter_get set)" -eq 2 ]
}

@test "what a resource depends on may have changed it: it is read again" {
    world letter_filter <<<"name=a ensure=present value=x given=g"
    applies <<<"  - letter_filter: b
  - file: $work/changed
  - letter_filter: a
    value: x
    given: g
    require: file[$work/changed]"
    status_is 0
    [ "$(n_calls letter_filter get)" -eq 2 ]
    applies <<<"  - letter_get: [a, b]
  - exec: true
    command: [/bin/true]
  - letter_get: a2"
    [ "$(n_calls letter_get get)" -eq 2 ]
}

# S25 S63
@test "a value of the wrong type, and an attribute that is none, fail that resource, when strict" {
    world letter_get <<<"name=a ensure=present value=5 wibble=1
name=b ensure=present value=x given=g"
    applies <<<"  - letter_get: [a, b]
    value: x
    given: g"
    status_is 4
    says "1 ok, 1 failed"
    says "failed: Provider returned data that does not match the Type Schema for \`letter_get[a]\`
 Unknown attribute:
 * wibble
 Value type mismatch:
 * value: 5 (expects a value of type Undef or String, got Integer)"
}

@test "with --strict=warning the same is a warning, with --strict=off it is silent" {
    world letter_get <<<"name=a ensure=present value=x given=g wibble=1"
    applies --strict=warning <<<"  - letter_get: a
    value: x"
    status_is 0
    says "warning: letter_get[a]: Provider returned data that does not match the Type Schema"
    applies --strict=off <<<"  - letter_get: a
    value: x"
    status_is 0
    says_not "Type Schema"
}

# S25
@test "only what is used is held against the type" {
    world letter_get <<<"name=a ensure=present value=x given=g
name=neighbour ensure=present value=5 wibble=1"
    applies <<<"  - letter_get: a
    value: x
    given: g"
    status_is 0
    resource letter_get a
    status_is 0
    resource letter_get
    status_is 4
    says "Type Schema for \`letter_get[neighbour]\`"
}

@test "a resource without its name is an error, whatever strict says" {
    world letter_get <<<"ensure=present value=x"
    applies --strict=off <<<"  - letter_get: a"
    status_is 4
    says "\`letter_get.get\` did not return a value for the \`name\` namevar attribute"
    world letter_get <<<"name=undef ensure=present value=x"
    applies --strict=off <<<"  - letter_get: a"
    status_is 4
    [ "$(n_calls letter_get set)" -eq 0 ]
}

@test "attributes that are left out are fine; undef where it is not allowed is not" {
    world letter_get <<<"name=a"
    applies --detailed-exitcodes <<<"  - letter_get: a
    given: null
    value: null"
    says_not "Type Schema"
    world letter_get <<<"name=a ensure=undef"
    applies <<<"  - letter_get: a"
    status_is 4
    says "* ensure: undef (expects a match for Enum['absent', 'present'], got Undef)"
}

@test "a title beside the attributes is not an attribute of its own" {
    world letter_get <<<"name=a ensure=present value=x given=g title=Something"
    applies <<<"  - letter_get: a
    value: x
    given: g"
    status_is 0
    resource letter_get
    status_is 0
    says "- letter_get: a"
    says_not "Something"
}

@test "a title that says something else than the namevars is refused, as strict says" {
    world letter_pair <<<"package=php manager=yum ensure=present title=ruby/gem given=g"
    applies <<<"  - letter_pair: php/yum
    given: g"
    status_is 4
    says "letter_pair[php/yum]#get has provided a title attribute which does not match all namevars.
 Namevars which do not match: package, manager
 Returned parsed title hash: {package: \"ruby\", manager: \"gem\"}
 Expected hash: {package: \"php\", manager: \"yum\"}"
    applies --strict=warning <<<"  - letter_pair: php/yum
    given: g"
    status_is 0
    says "warning: letter_pair[php/yum]: letter_pair[php/yum]#get has provided a title attribute"
    applies --strict=off <<<"  - letter_pair: php/yum
    given: g"
    status_is 0
    says_not "title attribute"
    world letter_pair <<<"package=php manager=yum ensure=present title=php/yum given=g"
    applies <<<"  - letter_pair: php/yum
    given: g"
    status_is 0
    resource letter_pair
    status_is 0
    says "- letter_pair: php/yum"
    says_not "package: php"
}

@test "nothing that exists is a list of nothing" {
    resource letter_get
    status_is 0
    calls_are <<<"letter_get get all"
}

@test "get is told which attributes anybody will look at" {
    export LETTER_WANTS=1
    applies <<<"  - letter_get: a
    value: x
  - letter_get: b
    size: 1"
    grep -qx "letter_get wants value size" "$LETTER/calls"
    resource letter_get
    grep -qx "letter_get wants value size seen" "$LETTER/calls"
}

# S88
@test "one resource is shown with one get, whether it is there or not" {
    world letter_filter <<<"name=a ensure=present"
    resource letter_filter a
    status_is 0
    calls_are <<<"letter_filter get [{name: 'a'}]"
    resource letter_filter nope
    status_is 0
    calls_are <<<"letter_filter get [{name: 'nope'}]"
    says "ensure: absent"
}

@test "a purge behind resources of its type lists what was read for them" {
    world letter_get <<<"name=a ensure=present value=x given=g
name=b ensure=present given=g
name=c ensure=present given=g"
    applies <<<"  - letter_get: a
    value: y
    given: g
  - letter_get: b
    ensure: absent
  - purge: letter_get"
    status_is 0
    says "removed 1 of 2"
    [ "$(n_calls letter_get get)" -eq 1 ]
    # The other way round as well.
    world letter_get <<<"name=a ensure=present value=x given=g
name=c ensure=present given=g"
    applies <<<"  - purge: letter_get
  - letter_get: [a, b]
    given: g"
    status_is 0
    says "removed 1 of 2"
    [ "$(n_calls letter_get get)" -eq 1 ]
    # But not when something that it depends on may have changed that.
    world letter_get <<<"name=a ensure=present value=x given=g"
    applies <<<"  - letter_get: a
    value: x
    given: g
  - exec: birth
    command: [sh, -c, 'printf \"name=n\\tensure=present\\n\" >>$LETTER/letter_get']
  - purge: letter_get"
    status_is 0
    says "removed 1 of 2"
    [ "$(n_calls letter_get get)" -eq 2 ]
}

#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# What a provider may see of the catalog: rhost.catalog/1. Its questions are calls in `tell`, see letter.h.
source "${abs_top_srcdir:-$BATS_TEST_DIRNAME/../..}/tests/lib.bash"
source "$abs_top_srcdir/tests/conformance/letter.bash"

# What was seen is exactly what is on standard input.
seen_is() {
    diff -u - <(sed -n 's/^catalog //p' "$LETTER/calls") && return
    echo "that is what was seen; output:"
    echo "$output"
    return 1
}

# L4
@test "a provider finds what is wanted of another resource, by title or by name" {
    applies <<<"  - letter_bare: a
    tell: ['find|letter_simple|the title', 'find|letter_simple|s', 'find|letter_simple|nobody', 'find|nothing|s']
  - letter_simple: the title
    id: s
    value: x
    noop: true"
    status_is 0
    seen_is <<'END'
letter_simple the title: {type: 'letter_simple', title: 'the title', provider: 'letter_simple', noop: true, should: {id: 's', value: 'x', ensure: 'present', given: 'by default'}}
letter_simple s: {type: 'letter_simple', title: 'the title', provider: 'letter_simple', noop: true, should: {id: 's', value: 'x', ensure: 'present', given: 'by default'}}
letter_simple nobody: absent
nothing s: absent
END
}

# L4
@test "it finds all of a type, in the order of the manifest" {
    applies <<<"  - letter_bare: a
    given: null
    tell: ['all|letter_canon', 'all|nothing']
  - letter_canon: Z
  - letter_canon: [b, c]
    ensure: absent"
    status_is 0
    seen_is <<'END'
letter_canon all: [{type: 'letter_canon', title: 'Z', provider: 'letter_canon', noop: false, should: {name: 'z', ensure: 'present', given: 'by default'}}, {type: 'letter_canon', title: 'b', provider: 'letter_canon', noop: false, should: {ensure: 'absent', name: 'b', given: 'by default'}}, {type: 'letter_canon', title: 'c', provider: 'letter_canon', noop: false, should: {ensure: 'absent', name: 'c', given: 'by default'}}]
nothing all: []
END
}

@test "what is sensitive is not given to another type, and stays so for its own" {
    applies --debug <<<"  - letter_bare: a
    tell: ['find|letter_get|g', 'find|letter_bare|b']
  - letter_bare: b
    secret: hunter2
  - letter_get: g
    secret: hunter3
    value: x"
    status_is 0
    says_not hunter
    seen_is <<'END'
letter_get g: {type: 'letter_get', title: 'g', provider: 'letter_get', noop: false, should: {value: 'x', name: 'g', ensure: 'present', given: 'by default'}}
letter_bare b: {type: 'letter_bare', title: 'b', provider: 'letter_bare', noop: false, should: {secret: 'hunter2', name: 'b', given: 'by default'}}
END
}

@test "the catalog is there from open to the end of the run, and not in close" {
    LETTER_LOOKS=1 applies <<<"  - letter_get: a
  - letter_bare: looked at
    value: x"
    status_is 0
    grep -A 1 -E '^letter_get (open|get)' "$LETTER/calls" | grep -c "^catalog letter_bare looked at: {type" | grep -qx 2
    # Both workers end at once, so that their lines may be mixed; nothing else is asked after the first has begun to.
    sed -n '/^letter_[a-z]* close/,$p' "$LETTER/calls" | grep -v '^letter_[a-z]* close' >asked
    sort -u asked | grep -qx "catalog none"
    [ "$(sort -u asked | wc -l)" -eq 1 ]
}

@test "there is no catalog when resources are listed or shown" {
    export LETTER_LOOKS=1
    resource letter_get
    status_is 0
    seen_is <<<"none
none
none"
    resource letter_get a
    status_is 0
    [ "$(grep -c '^catalog none' "$LETTER/calls")" -eq 3 ]
}

@test "there is one under noop, and what resource manages is one of a single resource" {
    applies --noop <<<"  - letter_noop: a
    tell: ['all|letter_get']"
    status_is 0
    seen_is <<<"letter_get all: []"
    LETTER_LOOKS=1 resource letter_bare "looked at" value=x
    status_is 0
    grep -q "^catalog letter_bare looked at: {type: 'letter_bare', title: 'looked at'" "$LETTER/calls"
}

@test "questions without a type or a title, and of nonsense, have no answer" {
    applies <<<'  - letter_bare: a
    tell: ["find||x", "find|letter_bare", "all", "find|\u0001|[", "all|letter_bare]"]'
    status_is 0
    [ "$(sed -n 's/^catalog .*: //p' "$LETTER/calls" | tr '\n' ' ')" = "absent absent absent absent [] " ]
}

@test "a catalog of a thousand resources is asked for in the middle of a batch of a thousand" {
    applies <<<"  - letter_simple: first
    tell: ['all|letter_bare', 'find|letter_bare|r999']
  - letter_simple: [$(seq -s, -f 's%g' 1000)]
    tell: ['find|letter_bare|r1']
  - letter_bare: [$(seq -s, -f 'r%g' 1000)]"
    status_is 0
    says "2001 changed"
    grep -q "^catalog letter_bare r999: {type: 'letter_bare', title: 'r999'" "$LETTER/calls"
    [ "$(grep -c "^catalog letter_bare r1: {" "$LETTER/calls")" -eq 1000 ]
}

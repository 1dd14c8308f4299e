#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# What `rhost resource` prints means the same when it is applied: of everything that is there, nothing is
# to be changed.
source "${abs_top_srcdir:-$BATS_TEST_DIRNAME/../..}/tests/cli/cli.bash"

setup() {
    work_open
    mkdir plugins
    cp "$abs_top_builddir/tests/sdk/.libs/odd.so" plugins/
}

# All resources of a type, both ways of writing and of running: as wanted, and none missing.
round_trip() {
    local type=$1 format isolation n=$2
    for format in yaml json; do
        for isolation in confined none; do
            RHOST_ISOLATION=$isolation
            rhost resource --plugin-dir plugins "$type" --format=$format >shown.$format 2>said
            is_empty said
            run rhost apply --noop --detailed-exitcodes --plugin-dir plugins shown.$format
            status_is 0
            says "$n resources: $n ok"
        done
    done
}

@test "text, names, numbers and trees that are hard to write down go round" {
    round_trip odd 115
}

@test "a name of several parts goes round" {
    round_trip pair 6
    run rhost resource --plugin-dir plugins pair php/gem
    status_is 0
    says '- pair: php/gem'
    says 'note: "$${n}"'
    says_not 'manager:'
}

@test "a name that is a number goes round" {
    round_trip door 3
    grep -q 'port: 22' shown.yaml
}

@test "thousands go round" {
    export MANY=20000
    round_trip many 20000
}

@test "each kind of value is written as the manifest reads it" {
    rhost resource --plugin-dir plugins odd >shown
    grep -qxF '    text: "yes"' shown
    grep -qxF '    any: "1.0"' shown
    grep -qxF '    text: "$${x}"' shown
    grep -qxF '    text: "$$${x}"' shown
    grep -qxF '    both: "nul \u0000 inside"' shown
    grep -qxF '    bytes: "AP/+IHppcA=="' shown
    grep -qxF '    ratio: 3.0' shown
    grep -qxF '    count: -9223372036854775808' shown
    grep -qF '"line\nbreak": "\u2028"' shown
    LC_ALL=C grep -c $'[\x01-\x08\x0b-\x1f\x7f]' shown | grep -qx 0
}

@test "what cannot be applied is a comment with the reason, and a list of its own in JSON" {
    needs_python
    rhost resource --plugin-dir plugins odd >shown
    grep -qxF '    # secret: [redacted]  (it is sensitive)' shown
    grep -qxF '    # nested: {open: 1, closed: [redacted]}  (it is sensitive)' shown
    grep -qxF '    # both: (binary, 2 bytes)  (it is not text)' shown
    grep -qxF '    # any: inf  (JSON cannot express this number)' shown
    grep -qF '    # seen: "a\nb ${x}\u2028"  (read-only)' shown
    grep -q '    # tree: .*(a key in it is too long)' shown
    rhost resource --plugin-dir plugins odd --format=json >shown.json
    json_is shown.json 'd["read_only"]' "{'odd[roles]': {'seen': 'a\\nb \${x}\\u2028'}}"
    json_is shown.json 'd["omitted"]["odd[secrets]"]' \
        "{'secret': 'it is sensitive', 'nested': 'it is sensitive'}"
    json_is shown.json '[r for r in d["resources"] if r["odd"] == "secrets"]' \
        "[{'odd': 'secrets', 'ensure': 'present', 'text': 'plain'}]"
    not grep -l hunter shown shown.json
}

@test "parameters are no state, and are not shown" {
    rhost resource --plugin-dir plugins odd >shown
    not grep -q 'for nobody' shown
    grep -qxF '    first: once' shown
}

@test "what is absent is shown so that it is kept absent" {
    for format in yaml json; do
        rhost resource --plugin-dir plugins odd 'not: there' --format=$format >shown
        run rhost apply --noop --detailed-exitcodes --plugin-dir plugins shown
        status_is 0
        says '1 resource: 1 ok'
        grep -q absent shown
    done
}

@test "a listing that fails half way shows nothing, and says why" {
    needs_python
    export MANY=20
    for isolation in confined none; do
        RHOST_ISOLATION=$isolation
        split rhost resource --plugin-dir plugins torn
        status_is 4
        is_empty out
        says 'the rest is unreadable'
        split rhost resource --plugin-dir plugins torn 'one of many 1'
        status_is 4
        is_empty out
        says 'the rest is unreadable'
    done
}

@test "a title that no pattern matches is refused" {
    split rhost resource --plugin-dir plugins pair '?/?'
    status_is 1
    is_empty out
    says "no title pattern of 'pair' matches the title '?/?'"
}

@test "values on the command line are read by their types, and so is the name" {
    run rhost resource --plugin-dir plugins door 22
    status_is 0
    says '- door: "22"'
    says 'port: 22'
    run rhost resource --plugin-dir plugins door 22 open=true
    status_is 0
    says '1 resource: 1 ok'
    run rhost resource --plugin-dir plugins --noop door 23 open=true
    status_is 0
    says 'open false → true'
    run rhost resource --plugin-dir plugins door x
    status_is 1
    says "door[x]: the title expects an Integer value, got String"
    run rhost resource --plugin-dir plugins pair package=php manager=gem
    status_is 0
    says 'package: php'
    run rhost resource --plugin-dir plugins pair package=php
    status_is 1
    says "missing 'manager', which is part of the name: give a TITLE, or manager=VALUE"
    run rhost resource --plugin-dir plugins odd 'text 1' count=0x10 --noop
    says 'count (unknown) → 16'
    run rhost resource --plugin-dir plugins odd 'text 1' count=abc
    status_is 1
    says 'odd[text 1].count expects an Integer value, got String'
}

@test "a secret on the command line is told to nobody" {
    for more in '' --noop --diff --verbose --debug --format=json; do
        for given in secret=hunter2 pin=hunter2 secre=hunter2 secret=hunter2\ secret=hunter2 nested=hunter2; do
            run rhost resource --plugin-dir plugins odd 'text 1' $given $more
            says_not hunter
        done
    done
}

@test "versions, timestamps and the like are text to a provider, and on the command line" {
    run rhost resource --plugin-dir plugins odd rich
    status_is 0
    says 'since: "2026-01-02T03:04:05 UTC"'
    says 'version: "1.10.0-rc.1"'
    says 'home: "https://example.com/a?b=c#d"'
    run rhost resource --plugin-dir plugins odd rich version=1.10.0-rc.1 'since=2026-01-02T03:04:05 UTC'
    status_is 0
    says '1 resource: 1 ok'
    run rhost resource --plugin-dir plugins odd rich version=1.x
    status_is 1
    says 'odd[rich].version expects'
}

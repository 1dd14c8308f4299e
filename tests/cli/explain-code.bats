#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# The codes of messages: where they are shown, and rhost explain.
source "${abs_top_srcdir:-$BATS_TEST_DIRNAME/../..}/tests/cli/cli.bash"

@test "a message ends with its code, which is explained" {
    split rhost frob
    status_is 1
    head -n 1 err | diff - <(echo "rhost: unknown command 'frob' [RH0200]")
    split rhost explain RH0200
    status_is 0
    is_empty err
    is "$(head -n 1 out)" RH0200
    grep -qxF "    unknown command '…'" out
    says 'rhost --help'
}

@test "small letters do, and the digits alone; several codes are explained in their order" {
    for code in rh0200 0200 Rh0200; do
        rhost explain "$code" >out
        is "$(head -n 1 out)" RH0200
    done
    rhost explain 0200 rh5900 >out
    is "$(grep '^RH' out | tr '\n' ' ')" 'RH0200 RH5900 '
}

@test "an unknown code is refused, with the nearest one, and nothing is printed" {
    split rhost explain RH0200 RH0995
    status_is 1
    is_empty out
    says "error: unknown code 'RH0995'
 = did you mean 'RH"
    split rhost explain something
    status_is 1
    says "unknown code 'something'"
    says 'rhost explain --all'
}

@test "without a code the command line is wrong" {
    split rhost explain
    status_is 1
    says "no code given"
    says "See 'rhost explain --help'."
    split rhost explain --all RH0200
    status_is 1
}

@test "--all lists each code of the catalogue once, in order, with its first message" {
    rhost explain --all >out
    sed -n 's/^## //p' "$abs_top_srcdir"/docs/messages/*.md | sort >codes
    cut -d ' ' -f 1 out | diff codes -
    grep -qE "^RH0200  unknown command '…'" out
}

@test "as JSON" {
    needs_python
    rhost explain --format=json RH0200 >out
    json_is out '[(e["code"], "unknown command '"'…'"'" in e["messages"], "rhost --help" in e["explanation"]) for e in d]' \
        "[('RH0200', True, True)]"
    rhost explain --all --format=json >out
    json_is out 'len(d)' "$(rhost explain --all | wc -l)"
    split rhost explain --format=json RH9999
    status_is 1
    json_is out '"unknown code" in d["errors"][0]["message"]' True
}

@test "errors as JSON have their code" {
    needs_python
    split rhost frob --format=json
    json_is out 'd["errors"][0]["code"]' RH0200
}

@test "a failure that a provider reports has one code in reports and the journal, and none in the text" {
    needs_python
    printf 'resources:\n  - exec: "false"\n  - exec: "true"\n    require: exec[false]\n' >site.yaml
    run rhost apply site.yaml
    status_is 4
    says_not '[RH5900]'
    run rhost apply --report=report.json site.yaml
    status_is 4
    json_is report.json 'd["resources"][0]["code"]' RH5900
    rhost show --format=json last >shown
    json_is shown '[e["code"] for e in d["events"] if e.get("status") == "failed"]' "['RH5900']"
    rhost show last >shown
    not grep RH5900 shown
}

@test "a terminal is told how the code is explained, and a pipe is not" {
    requires_command script
    run rhost frob
    says_not 'rhost explain'
    run script -qec "'$abs_top_builddir/rhost' frob" /dev/null
    says "Run 'rhost explain RH0200' for details."
    run script -qec "'$abs_top_builddir/rhost' --version" /dev/null
    says_not 'rhost explain'
}

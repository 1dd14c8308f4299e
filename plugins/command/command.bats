#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
source "${abs_top_srcdir:-$BATS_TEST_DIRNAME/../..}/tests/lib.bash"

# applies EXPRESSION...: a file for each, out1 and so on.
applies() {
    local i=0 e
    echo resources: >site.yaml
    for e; do
        printf '  - file: %s/out%d\n    mode: "600"\n    content: ${%s}\n' "$work" $((++i)) "$e" >>site.yaml
    done
    rm -f out*
    run rhost apply --report=report.json site.yaml
}

# fails EXPRESSION REGEX
fails() {
    applies "$1"
    status_is 1
    [[ $output =~ $2 ]] || {
        echo "output lacks '$2': $output"
        return 1
    }
}

# program NAME TEXT: a script of sh in the work directory
program() {
    printf '#!/bin/sh\n%s\n' "$2" >"$1"
    chmod 755 "$1"
}

@test "the output as text, lines, JSON and bytes; nil for statuses that say so" {
    program tell 'printf "one\ntwo\n\n"'
    program json 'echo "{\"a\": [1, null, \"ü\"]}"'
    program bytes 'printf "\377\000"'
    program none 'exit 3'
    applies "lookup('command', {'$work/tell'})" "join(lookup('command', {'$work/tell'}, 'lines'), '|')" \
        "json(lookup('command', {'$work/json'}, 'json'))" "lookup('command', {'$work/bytes'})" \
        "default(lookup('command', {'$work/none'}, {absent = {2, 3}}), 'none')" \
        "lookup('command', {'printf', '%s,', 'a b', '\$HOME', '*', ''})" \
        "lookup('command', {'pwd'}, {directory = '/usr'})"
    status_is 0
    is "$(cat out1; echo .)" $'one\ntwo\n.'
    is "$(cat out2)" 'one|two|'
    is "$(cat out3)" '{"a": [1, null, "ü"]}'
    is "$(od -An -tx1 out4 | tr -d ' \n')" ff00
    is "$(cat out5)" none
    is "$(cat out6)" 'a b,$HOME,*,,'
    is "$(cat out7)" /usr
}

@test "it runs once in a run, also in a dry run, and validate runs nothing" {
    program count "echo x >>$work/counted; echo y"
    applies "lookup('command', {'$work/count'})" "lookup('command', {'$work/count'}, 'text')"
    status_is 0
    is "$(cat counted)" x
    run rhost validate site.yaml
    status_is 0
    is "$(cat counted)" x
    run rhost apply --noop site.yaml
    status_is 0
    is "$(cat counted)" $'x\nx'
}

@test "the environment of rhost does not reach it" {
    export OUR_SECRET=s3cret
    applies "lookup('command', {'env'})"
    status_is 0
    not grep OUR_SECRET out1
}

@test "what fails says why" {
    program fails 'echo first >&2; echo "the last words" >&2; exit 4'
    program killed 'kill -9 $$'
    program hangs 'exec sleep 30'
    program large 'head -c 2000000 /dev/zero | tr "\0" x'
    program bytes 'printf "\377"'
    printf 'no program\n' >plain
    fails "lookup('command', {'$work/fails'})" "'$work/fails' exited with status 4: the last words"
    fails "lookup('command', {'$work/killed'})" "'$work/killed' was ended by signal 9"
    fails "lookup('command', {'$work/hangs'}, {timeout = 1})" "1 s"
    fails "lookup('command', {'$work/large'})" "the output of '$work/large' is larger than 1 MiB"
    fails "lookup('command', {'$work/bytes'}, 'json')" "the output of '$work/bytes' is not UTF-8 text"
    fails "lookup('command', {'echo', '{'}, 'json')" "the output of 'echo' cannot be read as JSON: it is not JSON: line"
    fails "lookup('command', {'true'}, 'json')" "the output of 'true' cannot be read as JSON"
    fails "lookup('command', {'no-such-program-here'})" "no-such-program-here"
    fails "lookup('command', {'$work/plain'})" "plain.*Permission denied"
    fails "lookup('command', {'true'}, {directory = '$work/none'})" "none"
    fails "lookup('command', {'echo', 'a', '|', 'cat'})" "'\|'"
    fails "lookup('command', {})" "parameter 'command'"
    fails "lookup('command', {''})" "the name of the program is empty"
}

@test "a secret output is shown nowhere, and a secret is no argument" {
    program tells 'echo s3cret-words'
    program fails 'echo s3cret-words >&2; exit 1'
    applies "lookup('command', {'$work/tells'}, {secret = true})"
    status_is 0
    is "$(cat out1)" s3cret-words
    run grep -r s3cret-words "$BATS_TEST_TMPDIR/state" report.json
    status_is 1
    fails "lookup('command', {'$work/fails'}, {secret = true})" "exited with status 1"
    says_not s3cret-words
    cat >site.lua <<END
file "$work/out" { content = lookup("command", {"echo", secret("s3cret-words")}) }
END
    run rhost apply site.lua
    status_is 1
    says "argument 1 of 'echo' is sensitive: every user can see the arguments of a program"
    says_not s3cret-words
}

@test "rhost check has nothing to say" {
    run rhost check --seed=1 "$abs_top_builddir/plugins/.libs/command.so" --fixture "$abs_top_srcdir/plugins/command/command.fixture.yaml"
    status_is 0
}

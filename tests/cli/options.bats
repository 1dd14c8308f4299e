#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
source "${abs_top_srcdir:-$BATS_TEST_DIRNAME/../..}/tests/cli/cli.bash"

commands='apply plan undo validate compile graph device resource types describe schema data-type runs show history pending confirm facts node new check examples init'

# As it is, but with its state kept out of the system.
program() {
    "${RHOST:-$abs_top_builddir/rhost}" --state-dir "$BATS_TEST_TMPDIR/own-state" "$@"
}

@test "--version says the version, with options in front of it as well" {
    run program --version
    status_is 0
    [[ $output =~ ^rhost\ [0-9]+\.[0-9]+\.[0-9]+$ ]]
    run program -v --version
    status_is 0
}

@test "--help lists the commands" {
    run program --help
    status_is 0
    for command in $commands; do
        says " $command "
    done
}

@test "each command has --help, and 'rhost help COMMAND' is the same" {
    for command in $commands; do
        run program "$command" --help
        status_is 0
        says "Usage: rhost $command [OPTION...]"
        says '--help'
        help=$output
        run program help "$command"
        status_is 0
        [ "$output" = "$help" ]
    done
}

@test "no line of any help is wider than 100 columns, or ends in a blank" {
    for command in '' $commands; do
        program $command --help >>all
    done
    not grep -E '^.{101}|[[:blank:]]$' all
}

@test "without a command the help goes to standard error, and nothing is done" {
    split program
    status_is 1
    is_empty out
    says 'Commands:'
}

@test "an unknown command is refused, with the nearest one" {
    split program aply
    status_is 1
    is_empty out
    says "rhost: unknown command 'aply'"
    says "did you mean 'apply'?"
    says "See 'rhost --help'."
    run program zzzzzz
    status_is 1
    says "rhost: unknown command 'zzzzzz'"
    says_not 'did you mean'
}

@test "an unknown option is refused, with the nearest one" {
    split program apply --nop site.yaml
    status_is 1
    is_empty out
    says "rhost apply: unknown option '--nop'"
    says "did you mean '--noop'?"
    says "See 'rhost apply --help'."
    run program apply --formatt=json site.yaml
    status_is 1
    says "unknown option '--formatt'"
    says "did you mean '--format'?"
    run program apply -x site.yaml
    status_is 1
    says "unknown option '-x'"
}

@test "an option of another command is unknown" {
    run program types --noop
    status_is 1
    says "rhost types: unknown option '--noop'"
}

@test "an option without its value is refused" {
    for option in --only --report --wait-lock --format --strict --isolation --time-limit --plugin-dir \
        --state-dir --color; do
        run program apply $option
        status_is 1
        says "rhost apply: the option '$option' needs a value"
    done
}

@test "a value that is none is refused, and what is expected is said" {
    refused() {
        run program apply "$1" site.yaml
        status_is 1
        says "expected $2"
    }
    refused --format=xml 'text or json'
    refused --format=yaml 'text or json'
    refused --strict=very 'error, warning or off'
    refused --isolation=jail 'worker, confined or none'
    refused --color=blue 'always, never or auto'
    refused --wait-lock=soon 'a whole number of seconds'
    refused --wait-lock=-1 'a whole number of seconds'
    refused --wait-lock=1.5 'a whole number of seconds'
    refused --wait-lock=99999999999999999999 'a whole number of seconds'
    refused --time-limit=0 'a whole number of seconds, 1 or more'
    refused --report= 'the name of a file'
    run program runs -n 0
    status_is 1
    says "invalid value '0' for --count: expected a whole number, 1 or more"
    refused --state-dir= 'the name of a directory'
}

@test "what is wrong with options cannot steer a terminal" {
    run program apply $'--\033[31m'
    status_is 1
    [[ $output != *$'\033'* ]]
    run program $'\033[31m'
    status_is 1
    [[ $output != *$'\033'* ]]
}

@test "commands that read files want one" {
    for command in apply validate compile graph; do
        run program $command
        status_is 1
        says "rhost $command: no manifest given: name at least one FILE"
    done
}

@test "commands that take no operand refuse one" {
    for command in types schema runs pending; do
        run program $command x
        status_is 1
        says "rhost $command: unexpected argument 'x'"
    done
}

@test "show wants one run" {
    run program show
    status_is 1
    says "rhost show: no RUN given; 'last' is the last one"
    run program show a b
    status_is 1
    says 'rhost show: expected one RUN'
}

@test "options that every command takes may stand in front of it" {
    manifest <<END
resources:
  - file: $work/one
    content: a
END
    split program --quiet --state-dir "$work/state" apply site.yaml
    status_is 0
    is_empty out
    [ -d state/runs ]
}

@test "other options may not" {
    run program --noop apply site.yaml
    status_is 1
    says "rhost: unknown option '--noop'"
}

@test "-- ends the options" {
    manifest -- <<END
resources:
  - file: $work/one
    content: a
END
    run rhost apply -- --
    status_is 0
    [ -e one ]
}

@test "an option may be shortened as long as only one can be meant" {
    run program apply --detailed --noo - </dev/null
    status_is 0
    run program apply --d - </dev/null
    status_is 1
    says "unknown option '--d'"
}

@test "what cannot be written is told of, and a reader that has seen enough is not" {
    [ -c /dev/full ] || skip 'needs /dev/full'
    # stdbuf preloads a library of its own.
    [ "${RHOST_WATCHED-}" != asan ] || export ASAN_OPTIONS="${ASAN_OPTIONS-}:verify_asan_link_order=0"
    run bash -c '"$0" types 2>&1 >/dev/full' "$abs_top_builddir/rhost"
    status_is 4
    says 'cannot write to standard output: No space left on device'
    manifest <<END
resources:
- file: $PWD/f
  content: a
END
    program apply site.yaml >/dev/null
    while read -r arguments; do
        # Buffered as in a file, by the line as on a terminal, and not at all.
        for buffer in '' 'stdbuf -oL' 'stdbuf -o0'; do
            rm -f f
            run bash -c "$buffer"' "$0" "$@" 2>&1 >/dev/full' "$abs_top_builddir/rhost" $arguments --state-dir state
            [ "$status" -eq 4 ] || { echo "'$buffer' $arguments: exit $status: $output"; false; }
            says 'cannot write'
            says 'No space left on device'
        done
    done <<'END'
apply site.yaml
apply --noop site.yaml
apply --format=json site.yaml
validate site.yaml
compile site.yaml
graph site.yaml
facts
facts os
types
types --format=json
schema
describe file
data-type Integer 5
resource file /etc/passwd
runs
show last
show last --format=json
pending
apply --help
--version
END
    rm -f f
    run bash -c '"$0" apply --detailed-exitcodes --state-dir state site.yaml 2>&1 >/dev/full' "$abs_top_builddir/rhost"
    status_is 6
    (sleep 0.5; "$abs_top_builddir/rhost" types 2>told) | :
    [ -f told ]
    [ ! -s told ]
}

@test "with --no-installed-plugins, and so in these tests, no plugin that is installed is looked for" {
    requires_command strace
    # How often it looked there; a directory that does not exist is noticed at the one above it. What was found
    # before would be looked at again, so each has a state of its own.
    looked() {
        rm -rf state
        strace -f -o trace -e trace=%file "$@" types --state-dir state >/dev/null 2>&1
        grep -cF "\"$installed" trace || true
    }
    installed=$(dirname "$(make_value providerdir)")
    [ "$(looked "$abs_top_builddir/core/rhost")" -ne 0 ]
    is "$(looked "$abs_top_builddir/core/rhost" --no-installed-plugins)" 0
    is "$(looked "$abs_top_builddir/rhost")" 0
}

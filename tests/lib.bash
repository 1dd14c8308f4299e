# SPDX-License-Identifier: Apache-2.0
# What tests written for bats share. Load it with:
#
#     source "${abs_top_srcdir:-$BATS_TEST_DIRNAME/../..}/tests/lib.bash"
#
# By hand: abs_top_builddir=/build RHOST_ISOLATION=none bats plugins/link/link.bats

: "${abs_top_srcdir:=$(cd "$BATS_TEST_DIRNAME/../.." && pwd)}"
: "${abs_top_builddir:=$abs_top_srcdir}"
: "${RHOST_ISOLATION:=confined}"
# The isolations that a case goes through. Where tests/run-bats runs a whole file in each, that is one.
isolations=${RHOST_ISOLATIONS:-confined none}

# What the tests' plugins are told by: workers get no other variables of the tests.
export RHOST_PASS_ENV='COUNTED FAULT* GCOV_* GOSSIP* HERD LETTER* MANY MUTANT_* PAIRS RHOST_PROBE* SUITS_*'

# The tests look for the signs of UTF-8. tests/run-bats has another locale for bats.
if [ -n "${RHOST_TEST_LC_ALL+set}" ]; then
    if [ -n "$RHOST_TEST_LC_ALL" ]; then LC_ALL=$RHOST_TEST_LC_ALL; else unset LC_ALL; fi
    unset RHOST_TEST_LC_ALL
fi
case ${LC_ALL:-${LC_CTYPE:-${LANG:-}}} in
*.[Uu][Tt][Ff]*) ;;
*) export LC_ALL=C.UTF-8 ;;
esac

# bats notes each command before it runs, to say in which line a test failed, and takes longer for it than most commands
# do. What functions do is not noted: the line of the test that called one is named, and what the function said; nor is
# what bats does between tests. RHOST_TEST_TRACE=1 names the line in a function, and that of setup_file, too.
bats_notes_less() {
    [ -n "${RHOST_TEST_TRACE-}" ] || set +T
}
# Here bats reads the file for the first time, and will run its tests.
[ -z "${BATS_SETUP_FILE_COMPLETED+set}" ] || {
    bats_notes_less
    source "$abs_top_srcdir/tests/bats.bash"
}

# The lines of an output, as `run` leaves them in "lines": bats reads them byte by byte.
bats_separate_lines() {
    local IFS=$'\n'
    # shellcheck disable=SC2154 # of `run`
    if [ -n "$keep_empty_lines" ]; then
        mapfile -t "$1" <<<"${!2}"
        [ -n "${!2}" ] || eval "$1=()"
    else
        set -f
        eval "$1=(\$$2)"
        set +f
    fi
}

# cat [FILE...], of text, without a process: it is the one that tests start most often.
cat() {
    local file text texts=()

    if [ $# -eq 0 ]; then
        mapfile -d '' text
        [ ${#text[@]} -le 1 ] || {
            echo 'cat: a NUL' >&2
            return 1
        }
        printf %s "${text[@]}"
        return
    fi
    for file; do
        [[ $file != -* && $file != /proc/* && -f $file && -r $file ]] && mapfile -d '' text <"$file" && [ ${#text[@]} -le 1 ] || {
            command cat "$@"
            return
        }
        texts+=("${text[@]}")
    done
    printf %s "${texts[@]}"
}

# A directory of its own for each test, where it starts; bats removes it. A test with a setup of its own
# begins with this.
work_open() {
    bats_notes_less
    work=$BATS_TEST_TMPDIR/work
    [ -d "$work" ] || mkdir -p "$work"
    cd "$work" || return
    umask 022
}

setup() {
    work_open
}

# What the plugins of the tree say of themselves is asked once for all tests, and not in each new state
# directory: run-bats keeps it. A plugin that was built since is asked again, and a test of the asking itself
# has a state directory of its own.
state_open() {
    [ -e "$BATS_TEST_TMPDIR/state" ] || [ ! -s "${RHOST_TEST_DESCRIPTIONS-}" ] ||
        cp -a "${RHOST_TEST_DESCRIPTIONS%/*}" "$BATS_TEST_TMPDIR/state"
}

# own_plugin LIBRARY: a plugin of the tests for this test alone. bats reads a file once more outside of its tests,
# where there is no directory for it.
own_plugin() {
    [ -n "${BATS_TEST_TMPDIR-}" ] || return 0
    mkdir -p "$BATS_TEST_TMPDIR/plugins"
    cp "$abs_top_builddir/$1" "$BATS_TEST_TMPDIR/plugins/"
}

# The program under test, with its state kept out of the system.
rhost() {
    local command=$1 isolated=()
    shift
    # Confined is what it does by itself, and on an older kernel without a word about what that lacks.
    [ "$RHOST_ISOLATION" = confined ] || isolated=(--isolation="$RHOST_ISOLATION")
    case $command in
    apply | plan | undo | resource | capture | validate | compile | graph | why | types | describe | schema) state_open ;;
    esac
    case $command in
    apply | plan | undo | resource | capture | validate | compile | graph | why)
        set -- --state-dir "$BATS_TEST_TMPDIR/state" "${isolated[@]}" "$@"
        ;;
    node)
        [ "${1-}" = eval ] || set -- --state-dir "$BATS_TEST_TMPDIR/state" "${isolated[@]}" "$@"
        ;;
    types | describe | schema | runs | show | history | pending | confirm)
        set -- --state-dir "$BATS_TEST_TMPDIR/state" "$@"
        ;;
    esac
    if [ -n "${RHOST-}${RHOST_WRAP-}" ] || [ "$command" = new ]; then
        "${RHOST:-$abs_top_builddir/rhost}" "$command" "$@"
    else # what that script calls
        "$abs_top_builddir/core/rhost" --no-installed-plugins --plugin-dir "$abs_top_builddir/plugins/.libs" "$command" "$@"
    fi
}

# From here on rhost is run with this umask; the test itself keeps its own.
umask_is() {
    printf '#!/bin/sh\numask %s\nexec "%s" "$@"\n' "$1" "$abs_top_builddir/rhost" >"$BATS_TEST_TMPDIR/umask-$1"
    chmod 755 "$BATS_TEST_TMPDIR/umask-$1"
    RHOST=$BATS_TEST_TMPDIR/umask-$1
}

# until_true COMMAND...: waits until it succeeds, for a minute at least. When it does not, the function `explain`, if there
# is one, shows why.
until_true() {
    for _ in $(seq 600); do
        ! "$@" || return 0
        sleep 0.1
    done
    echo "still not so: $*"
    ! declare -F explain >/dev/null || explain
    return 1
}

# damage FILE OFFSET: makes another byte of the one that is there.
damage() {
    local byte
    byte=$(od -An -tu1 -j "$2" -N 1 "$1")
    printf '%b' "\\0$(printf %o $((byte ^ 1)))" | dd of="$1" bs=1 seek="$2" conv=notrunc status=none
}

# Applies the manifest on standard input.
apply() {
    cat >"$BATS_TEST_TMPDIR/site.yaml"
    rhost apply "$@" "$BATS_TEST_TMPDIR/site.yaml"
}

# Applies it, expects a change, and expects none when it is applied again.
converges() {
    run apply --detailed-exitcodes
    status_is 2
    run rhost apply --detailed-exitcodes "$BATS_TEST_TMPDIR/site.yaml"
    status_is 0
}

# Applies it, and expects that nothing was to be changed.
is_in_sync() {
    run apply --detailed-exitcodes
    status_is 0
}

status_is() {
    [ "$status" -eq "$1" ] && return
    echo "status is $status, expected $1; output:"
    echo "$output"
    return 1
}

# What is on standard input, without the codes of messages: "... [RH1001]".
without_codes() {
    sed -E 's/ \[RH[0-9]{4}\]$//'
}

# The output of `run` has this text; columns may be aligned with any number of spaces, and codes of messages stand
# at the end of lines.
says() {
    local text
    [[ $output == *"$1"* ]] && return # as it mostly is, and without a process
    text=$(tr -s ' ' <<<"$output")
    [[ $text == *"$1"* || $(without_codes <<<"$text") == *"$1"* ]] && return
    echo "output lacks '$1':"
    echo "$output"
    return 1
}

says_not() {
    local text=$output
    [[ $text != *'  '* ]] || text=$(tr -s ' ' <<<"$output")
    [[ $text != *"$1"* ]] && return
    echo "output has '$1':"
    echo "$output"
    return 1
}

# The first text is the second.
is() {
    [ "$1" = "$2" ] && return
    echo "'$1', expected '$2'"
    return 1
}

# The command fails. A bare "! command" fails no test unless it is the last line. A grep that cannot read its
# file proves nothing.
not() {
    local status=0
    "$@" || status=$?
    if [ "$status" -eq 0 ]; then
        echo "expected to fail: $*"
        return 1
    elif [ "$status" -gt 1 ] && [[ " $* " == *" grep "* ]]; then
        echo "exit status $status: $*"
        return 1
    fi
}

# Whether rhost is built with sanitizers.
is_sanitized() {
    grep -q '^#define RH_SANITIZERS' "$abs_top_builddir/config.h"
}

mode_of() {
    stat -c %a "$1"
}

requires_root() {
    [ "$(id -u)" -eq 0 ] || skip "needs root"
}

# Each process that runs with another clock leaves a semaphore that has its number, and one of the same number fails
# where it finds that.
clock_tidy() {
    local file

    for file in /dev/shm/sem.faketime_sem_* /dev/shm/faketime_shm_*; do
        [ ! -e "$file" ] || [ -e "/proc/${file##*_}" ] || rm -f "$file"
    done
}

# with_clock OFFSET COMMAND...: runs it with another clock, "+2h" for one that is fast.
with_clock() {
    clock_tidy
    faketime -f "$@"
}

requires_command() {
    command -v "$1" >/dev/null || skip "needs $1"
}

# make_value NAME: a variable of the Makefile, expanded. Make reads its variables alone: with the rules, and what each
# object was made of, it takes a second.
make_value() {
    {
        awk '/^[A-Za-z0-9_]+ *[:+?]?=/ { on = 1 } on { print } !/\\$/ { on = 0 }' "$abs_top_builddir/Makefile"
        printf 'value:\n\t@echo "$(%s)"\n' "$1"
    } | make --no-print-directory -s -C "$abs_top_builddir" -f - value | tail -n 1
}

#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# What runs the tests: tests/run-timed, tests/slowest, and the words of tests/lib.bash.
source "${abs_top_srcdir:-$BATS_TEST_DIRNAME/../..}/tests/lib.bash"

timed() {
    run sh "$abs_top_srcdir/tests/run-timed" "$@"
}

# The process ends within seconds; one that nobody waited for yet has ended.
ends() {
    local state
    for _ in $(seq 100); do
        state=$(sed -n 's/^State:[[:space:]]*//p' "/proc/$1/status" 2>/dev/null) || return 0
        [[ $state == [^Z]* ]] || return 0
        sleep 0.05
    done
    echo "process $1 is still there: $state"
    return 1
}

@test "the exit status of a test is kept" {
    for expected in 0 1 77 99; do
        timed sh -c "echo said; exit $expected"
        status_is "$expected"
        says said
        says 'CPU'
    done
}

@test "a test that hangs is killed with what it started, and fails" {
    export RHOST_TEST_LIMIT=1
    timed sh -c 'sleep 300 & echo $! >sleeper; wait'
    status_is 124
    says 'killed: it took more than 1 s'
    ends "$(cat sleeper)"
}

@test "a test that is interrupted is ended with what it started" {
    sh "$abs_top_srcdir/tests/run-timed" sh -c 'echo $$ >started; exec sleep 300' >/dev/null 2>&1 3>&- &
    while [ ! -s started ]; do sleep 0.05; done
    kill -TERM $!
    ends "$(cat started)"
    ends $!
}

@test "the ten slowest tests are listed by their CPU time, and those that took more than a minute" {
    for n in $(seq 12); do
        printf 'ok 1 x\n# time: %d.0 s, CPU %d.5 s\n' "$((60 - n))" "$n" >"test-$n.log"
    done
    echo 'no time here' >other.log
    run sh "$abs_top_srcdir/tests/slowest" test-*.log other.log
    status_is 0
    says ' 12.5 48.0 test-12'
    says ' 3.5 57.0 test-3'
    says_not 'test-2'
    says_not 'Longer than a minute'
    says ' 84.0 642.0 all 12'
    echo '# time: 60.5 s, CPU 0.1 s' >waits.log
    run sh "$abs_top_srcdir/tests/slowest" test-*.log waits.log
    says $'Longer than a minute, which none is to take on a quiet machine:\n 0.1 60.5 waits'
}

@test "'not' fails for what works, and where grep could not look" {
    echo text >file
    not grep -q other file
    not false
    run not grep -q text file
    status_is 1
    run not true
    status_is 1
    run not grep -q text missing
    status_is 1
}

@test "a file about plugins goes through in both isolations, or with its tagged cases" {
    mkdir -p plugins tests/cli
    printf '#!/bin/sh\necho "ran $RHOST_ISOLATION, $RHOST_ISOLATIONS: $*"\n' >bats
    chmod +x bats
    export BATS=$work/bats
    touch plugins/all.bats tests/cli/once.bats
    printf '# bats test_tags=inline\n@test "a" { true; }\n' >plugins/tagged.bats
    run sh "$abs_top_srcdir/tests/run-bats" plugins/all.bats
    is "$(grep ^ran <<<"$output")" "ran confined, confined: --tap plugins/all.bats
ran none, none: --tap plugins/all.bats"
    run sh "$abs_top_srcdir/tests/run-bats" plugins/tagged.bats
    is "$(grep ^ran <<<"$output")" "ran confined, confined: --tap plugins/tagged.bats
ran none, none: --tap --filter-tags inline plugins/tagged.bats"
    RHOST_TEST_BOTH=1 run sh "$abs_top_srcdir/tests/run-bats" plugins/tagged.bats
    is "$(grep ^ran <<<"$output")" "ran confined, confined: --tap plugins/tagged.bats
ran none, none: --tap plugins/tagged.bats"
    unset RHOST_ISOLATION
    run sh "$abs_top_srcdir/tests/run-bats" tests/cli/once.bats
    is "$(grep ^ran <<<"$output")" "ran , : --tap tests/cli/once.bats"
}

@test "the line of a test that failed is named, and with RHOST_TEST_TRACE=1 that in a function too" {
    sed 's/^a test/@test/' >failing.bats <<'END' # bats reads this file as well
source "$abs_top_srcdir/tests/lib.bash"
looked() {
    says "$1"
}
a test "failing" {
    run echo this
    looked this
    looked that
}
END
    run bats --tap failing.bats
    status_is 1
    says "(in test file failing.bats, line 8)"
    says "\`looked that' failed"
    says "output lacks 'that':"
    RHOST_TEST_TRACE=1 run bats --tap failing.bats
    says "from function \`looked' in file failing.bats, line 3"
}

@test "tests that fork fail, skip and begin afresh as those of bats itself" {
    sed 's/^a test/@test/' >cases.bats <<'END' # bats reads this file as well
source "$abs_top_srcdir/tests/lib.bash"
setup_file() {
    export FILE_SETS=this
}
setup() {
    work_open
    [ "$BATS_TEST_NUMBER" -ne 8 ]
}
teardown() {
    [ "$BATS_TEST_NUMBER" -ne 9 ]
}
a test "passes" {
    [ "$FILE_SETS" = this ]
    kept=mine
    cd /
    touch "$BATS_TEST_TMPDIR/mine"
}
a test "begins afresh" {
    [ -z "${kept-}" ]
    [ "$PWD" = "$BATS_TEST_TMPDIR/work" ]
    [ ! -e "$BATS_TEST_TMPDIR/mine" ]
    [ "$BATS_TEST_NUMBER" -eq 2 ]
    [ "$BATS_TEST_DESCRIPTION" = 'begins afresh' ]
}
a test "fails in the middle" {
    false
    true
}
a test "fails in a function and a subshell" {
    looked() { (exit 3); }
    looked
    true
}
a test "fails by a command that is missing" {
    no-such-command
}
a test "skips" {
    skip 'for a reason'
}
a test "has the lines of an output" {
    run printf 'a  *\n\n b\n'
    [ "${#lines[@]}" -eq 2 ]
    [ "${lines[0]}" = 'a  *' ]
    [ "${lines[1]}" = ' b' ]
    run --keep-empty-lines printf 'a\n\nb\n'
    [ "${#lines[@]}" -eq 4 ]
}
a test "fails in setup" {
    true
}
a test "fails in teardown" {
    true
}
a test "exits" {
    exit 0
}
END
    run bats --tap cases.bats
    status_is 1
    sed "s|/tmp/bats-run-[A-Za-z0-9]*|run|" <<<"$output" >quick
    RHOST_TEST_TRACE=1 run bats --tap cases.bats
    status_is 1
    diff <(grep -v '^#' <<<"$output") <(grep -v '^#' quick)
    is "$(sed -n 's/^ok \([0-9]*\).*/\1/p' quick | paste -sd ' ')" '1 2 6 7'
    grep -q '^ok 6 skips # skip for a reason$' quick
    grep -q '^#  *`false. failed$' quick
}

# In a mount namespace of its own, so that no mount is left if this fails.
unpacked() {
    run unshare --mount --propagation private bash -euc 'source "$abs_top_srcdir/tests/unpack.bash"; '"$1"
    status_is 0
}

@test "roots of one tarball are unpacked once, and each has its own changes" {
    requires_root
    unshare --mount true 2>/dev/null || skip "no mount namespaces here"
    mkdir -p tree/etc
    echo old >tree/etc/conf
    chmod 750 tree
    tar -C tree -cf root.tar .
    unpacked '
        for root in one two; do tree_unpack root.tar "$root"; done
        [ "$(stat -c %a one)" = 750 ]
        echo new >one/etc/conf
        mv one/etc one/moved
        [ "$(cat one/moved/conf two/etc/conf)" = "new
old" ]
        [ "$(find root.tar.trees -mindepth 1 -maxdepth 1 | wc -l) $(stat -c %a root.tar.trees)" = "1 700" ]
        tree_remove one
        tree_remove two'
    is "$(ls -d one* two* 2>/dev/null)" ''
    # Another tarball of that name is unpacked anew.
    echo newest >tree/etc/conf
    tar -C tree -cf root.tar .
    unpacked 'tree_unpack root.tar three
        [ "$(cat three/etc/conf)" = newest ]
        tree_remove three'
}

@test "where no overlay can be mounted, a root has files of its own" {
    mkdir tree
    echo old >tree/conf
    tar -C tree -cf root.tar .
    mkdir programs
    printf '#!/bin/sh\nexit 1\n' >programs/mount
    chmod +x programs/mount
    run env PATH="$work/programs:$PATH" bash -euc 'source "$abs_top_srcdir/tests/unpack.bash"
        tree_unpack root.tar one
        cat one/conf
        ls -d one*
        tree_remove one'
    status_is 0
    is "$output" 'old
one'
    [ ! -e one ]
}

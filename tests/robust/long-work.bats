#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Work that takes longer than the time limit is no hang: the host hears that it goes on.
source "${abs_top_srcdir:-$BATS_TEST_DIRNAME/../..}/tests/lib.bash"

setup() {
    work_open
    [ "$RHOST_ISOLATION" != none ] || skip "inline there is no time limit"
    requires_command strace
    [ -z "${RHOST_WATCHED-}" ] || skip "two cannot trace one process"
    strace -f -o trace true 2>/dev/null || skip "strace cannot trace here"
}

# slowly CALL MILLISECONDS ARG...: applies site.yaml with a limit of one second, where each such system call takes its
# time.
slowly() {
    RHOST=$BATS_TEST_TMPDIR/slowly
    printf '#!/bin/sh\nexec strace -f -qq -e trace=%s -e inject=%s:delay_enter=%s000 -o "%s/trace" "%s" "$@"\n' \
        "$1" "$1" "$2" "$work" "$abs_top_builddir/rhost" >"$RHOST"
    chmod 755 "$RHOST"
    shift 2
    run rhost apply --time-limit=1 "$@" site.yaml
    unset RHOST
    status_is 0
    grep -q DELAYED trace
}

site() {
    cat >site.yaml
}

@test "a source is copied for longer than the time limit" {
    head -c 50M /dev/zero >source
    site <<<"resources: [{file: $work/copy, source: $work/source}]"
    slowly copy_file_range 400
    cmp source copy
    rm copy
    truncate -s 500M source # with a hole
    slowly copy_file_range 400
    cmp source copy
}

@test "a large file is written to disk before it replaces another one, for longer than the time limit" {
    head -c 70M /dev/zero >source
    echo old >copy
    site <<<"resources: [{file: $work/copy, source: $work/source}]"
    slowly fdatasync 2500
    cmp source copy
}

@test "what a batch has changed is brought to disk for longer than the time limit" {
    site <<<"resources: [{file: $work/one, content: x}]"
    slowly syncfs 2500
    is "$(cat one)" x
}

@test "a tree is walked for longer than the time limit, and removed" {
    mkdir tree
    touch tree/{1..40}
    site <<<"resources: [{directory: $work/tree, recurse: true, mode: 0700}]"
    slowly statx 60
    is "$(stat -c %a tree/7)" 700
    site <<<"resources: [{directory: $work/tree, ensure: absent, force: true}]"
    slowly unlinkat 60
    [ ! -e tree ]
}

@test "a provider that goes from path to path is heard" {
    site <<<"resources: [{file: $work/a/b/c/d/e/f/g/h/i/j, parents: true, content: x}]"
    # A process that confines itself opens such paths as well, before it runs the provider.
    slowly openat2 200 --isolation=worker
    is "$(cat a/b/c/d/e/f/g/h/i/j)" x
    [ "$(grep -c DELAYED trace)" -gt 10 ]
}

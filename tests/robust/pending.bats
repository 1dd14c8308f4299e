# SPDX-License-Identifier: Apache-2.0
# What a run owes outlives it.

source "${abs_top_srcdir:-$BATS_TEST_DIRNAME/../..}/tests/lib.bash"

@test "after kill -9 the next run refreshes every target whose notifier changed" {
    requires_command pkill
    run "$abs_top_srcdir/tests/robust/pending-runs" "$abs_top_builddir/rhost" 8 "$work" 7
    echo "$output"
    status_is 0
}

# A file that notifies a command, which keeps a copy of what is owed while it runs.
site() {
    printf '%s\n' resources: "  - file: $work/conf" "    content: '$1'" '    notify: exec[reload]' \
        '  - exec: reload' '    action: nothing' \
        "    command: [cp, $BATS_TEST_TMPDIR/state/pending.jsonl, $work/copy]"
}

@test "a line that was not written to its end is not written on" {
    mkdir "$BATS_TEST_TMPDIR/state"
    printf '{"pending": 0, "type": "exec", "ti' >"$BATS_TEST_TMPDIR/state/pending.jsonl"
    site one | apply
    [ -s copy ]
    cp copy "$BATS_TEST_TMPDIR/state/pending.jsonl"
    rm copy
    site one | apply # delivers what the copy says is owed
    [ -s copy ]
    [ ! -e "$BATS_TEST_TMPDIR/state/pending.jsonl" ]
}

@test "what a killed run left beside the file goes with the next one" {
    mkdir "$BATS_TEST_TMPDIR/state"
    : >"$BATS_TEST_TMPDIR/state/pending.jsonl.x8Vqz1"
    site one | apply --noop
    [ -e "$BATS_TEST_TMPDIR/state/pending.jsonl.x8Vqz1" ]
    site one | apply
    [ ! -e "$BATS_TEST_TMPDIR/state/pending.jsonl.x8Vqz1" ]
}

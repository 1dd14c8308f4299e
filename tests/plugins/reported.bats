#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# What a provider reports from within set reaches the host when it is reported: it stays, whatever happens to the
# provider or the run afterwards.
source "${abs_top_srcdir:-$BATS_TEST_DIRNAME/../..}/tests/lib.bash"
source "$abs_top_srcdir/tests/plugins/faults.bash"


# set goes wrong at `bad` in this way, after `first` was reported in a block.
keeps_first() {
    strike set "$@" --format=json
    status_is 4
    is "$(jq -r '.resources[] | select(.title == "first") | .status' <<<"$output")" changed
    is "$(jq -r '.resources[] | select(.title == "bad") | .status' <<<"$output")" failed
    is "$(jq -r '.resources[] | select(.title == "last") | .status' <<<"$output")" failed
}

@test "what set had reported is changed after a crash" {
    [ "$RHOST_ISOLATION" != none ] || skip "inline, the host would end with it"
    requires_command jq
    keeps_first crash
    keeps_first "crash in scope"
}

@test "what set had reported is changed after the worker was killed, and after it ended itself" {
    [ "$RHOST_ISOLATION" != none ] || skip "inline, the host would end with it"
    requires_command jq
    keeps_first kill
    keeps_first exit
}

@test "what set had reported is changed when its time is up" {
    [ "$RHOST_ISOLATION" != none ] || skip "inline there is no time limit"
    requires_command jq
    keeps_first hang --time-limit=1
}

# Eight resources that take longer than the limit, but none of them does.
slow() {
    {
        echo resources:
        for i in 1 2 3 4 5 6 7 8; do printf '  - fault_set: r%s\n    value: new\n' $i; done
    } >"$BATS_TEST_TMPDIR/site.yaml"
    FAULT="set $1" run rhost apply --plugin-dir "$BATS_TEST_TMPDIR/plugins" --time-limit=1 "$BATS_TEST_TMPDIR/site.yaml"
    status_is 0
    says "8 resources: 8 changed"
}

@test "each resource that set reports in a block is a sign of life" {
    slow "slow in scope"
}

@test "each resource that set reports as done is a sign of life" {
    slow "slow"
}

@test "the journal has what set had reported when the run is killed" {
    [ "$RHOST_ISOLATION" != none ] || skip "inline the run ends with the provider"
    state=$BATS_TEST_TMPDIR/state
    manifest_for set >"$BATS_TEST_TMPDIR/site.yaml"
    FAULT="set hang" rhost apply --plugin-dir "$BATS_TEST_TMPDIR/plugins" "$BATS_TEST_TMPDIR/site.yaml" 3>&- &
    for ((i = 0; i < 100; i++)); do
        grep -qs '"title": "first"' "$state"/runs/*.jsonl && break
        sleep 0.1
    done
    kill -KILL "$(sed -n 's/.*process \([0-9]*\),.*/\1/p' "$state/lock")"
    wait || true
    run rhost show last
    says "fault_set[first]"
    says_not "fault_set[bad]"
    run rhost runs
    says "2 changed"
}

@test "a reading that verifies a change waits for the end of set" {
    {
        echo resources:
        for i in first bad last; do printf '  - fault_set: %s\n    value: old\n    number: 3\n    verify: true\n' $i; done
    } >"$BATS_TEST_TMPDIR/site.yaml"
    FAULT="set nothing" run rhost apply --plugin-dir "$BATS_TEST_TMPDIR/plugins" "$BATS_TEST_TMPDIR/site.yaml"
    status_is 4
    says "the change did not take effect"
    says "3 failed"
}

@test "a resource that fails after it was reported fails the run, and keeps its status" {
    requires_command jq
    strike set "late attribute"
    status_is 4
    says "error: provider 'fault_set' 1.5 violated the ABI contract: it reported a change of 'value' after it reported the result for 'bad'"
    says "6 changed"
    strike set "done, then failed"
    status_is 4
    says "error: provider 'fault_set' 1.5, after it reported fault_set[bad]: it did not work after all"
    says "3 changed"
}

@test "a provider that goes wrong when all was reported fails the run, and all keeps its status" {
    strike set "all, then fail"
    status_is 4
    says "error: the whole could not be saved"
    says "6 changed"
    [ "$RHOST_ISOLATION" != none ] || return 0
    strike set "all, then crash"
    status_is 4
    says "error: provider 'fault_set' 1.5 crashed: Aborted, while setting"
    says "3 ok, 3 changed"
    strike set "all, then hang" --time-limit=1
    status_is 4
    says "error: provider 'fault_set' 1.5 timed out: no response for 1 s; the worker was killed, while setting"
    says "3 ok, 3 changed"
}

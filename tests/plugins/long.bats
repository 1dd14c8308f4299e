#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Long work of a provider: it says that it goes on and how far it is, learns that the run is to end, and asks how
# long the host waits.
source "${abs_top_srcdir:-$BATS_TEST_DIRNAME/../..}/tests/lib.bash"
source "$abs_top_srcdir/tests/plugins/faults.bash"

@test "busy() is a sign of life for as long as it says" {
    passes update announced --time-limit=1
}

@test "progress() is a sign of life, and may be called in a loop" {
    passes update counted --time-limit=1
    passes load counted --time-limit=1
    passes set counted --time-limit=1
    passes update "counted often" --time-limit=1
}

@test "deadline() follows the time limit, busy() and the timeout of a resource" {
    strike update deadline --time-limit=20
    status_is 0
    grep -E '(19|20) s left$' <<<"$output"
    grep -E '(49|50) s left after busy' <<<"$output"
    manifest_for update | sed 's/^  - fault_simple: bad/&\n    timeout: 7/' >site.yaml
    FAULT="update deadline" run rhost apply --plugin-dir "$BATS_TEST_TMPDIR/plugins" --time-limit=20 site.yaml
    status_is 0
    grep -E '(6|7) s left$' <<<"$output"
    grep -E '(6|7) s left after busy' <<<"$output"
}

# A run that is in the middle of an update, with its own process group.
start() {
    manifest_for update >site.yaml
    FAULT="update until stopped" setsid "${RHOST:-$abs_top_builddir/rhost}" apply --state-dir "$BATS_TEST_TMPDIR/state" \
        --plugin-dir "$BATS_TEST_TMPDIR/plugins" --color=never site.yaml >out 2>&1 3>&- &
    run_pid=$!
    for _ in $(seq 100); do
        grep -q begun out && return
        sleep 0.1
    done
    cat out
    return 1
}

stopped() {
    status=0
    wait "$run_pid" || status=$?
    output=$(cat out)
    status_is 143
    says "failed: stopped by request"
    says_not "crashed"
    says_not "was killed"
    [ ! -e after ]
}

@test "stopping() says that the run is to end, and what is done then is reported" {
    start
    kill -TERM "$run_pid"
    stopped
}

@test "SIGTERM for all processes of a service leaves the workers the time to end" {
    [ "$RHOST_ISOLATION" != none ] || skip "inline there are no workers"
    local workers
    start
    workers=$(pgrep -P "$run_pid")
    [ -n "$workers" ]
    # shellcheck disable=SC2086
    kill -TERM $workers "$run_pid"
    stopped
}

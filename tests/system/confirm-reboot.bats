#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Runs that nobody has confirmed when the machine boots again, or that a power cut has ended.

source "${abs_top_srcdir:-$BATS_TEST_DIRNAME/../..}/tests/lib.bash"
source "$abs_top_srcdir/tests/system/confirm.bash"

@test "a reboot rolls back what was never confirmed, and so does a power cut during the run" {
    run rhost apply --confirm-within=3600 /root/site.yaml
    status_is 4
    machine_stop "$machine"
    boot
    rolled_back
    inside systemctl show -P ConditionResult rhost-confirm.service | grep -qx yes
    setup
    long_site
    rhost apply --confirm-within=3600 /root/site.yaml >out 2>&1 3>&- &
    job=$!
    until_true test -e "$machine/root/started"
    kill -9 "$(cat "$machine.leader")"
    wait "$job" || true
    machine_stop "$machine"
    boot
    rolled_back
}

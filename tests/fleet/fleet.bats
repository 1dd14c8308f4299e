#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# A whole fleet: real servers on loopback, with the configuration of packaging/, that are killed. `make check-fleet-trial`
# and `make check-fleet-herd` are the same with 1,000 agents.
source "${abs_top_srcdir:-$BATS_TEST_DIRNAME/../..}/tests/lib.bash"

setup() {
    requires_root
    local program
    for program in rhost-agent rhost-fetch rhost-fleet rhost-nats rhost-collect; do
        [ -x "$abs_top_builddir/core/$program" ] || skip "built without $program"
    done
    PATH=$PATH:/usr/sbin
    for program in nginx nats-server openssl ssh-keygen psql setpriv unshare; do
        requires_command "$program"
    done
    compgen -G '/usr/lib/postgresql/*/bin/initdb' >/dev/null || skip "no PostgreSQL"
    grep -q 'HAVE_PQ 1' "$abs_top_builddir/config.h" || skip "built without libpq"
    unshare --uts --mount true 2>/dev/null || skip "no namespaces"
    export TRIAL_PAUSE=4 TMPDIR=$BATS_TEST_TMPDIR
    chmod 755 "$BATS_RUN_TMPDIR" "$BATS_TEST_TMPDIR" "$BATS_FILE_TMPDIR" "${BATS_TEST_TMPDIR%/*}"
}

@test "of five revisions on 10 agents no run is lost, whatever is killed" {
    run "$abs_top_srcdir/tests/fleet/trial" 10 2
    echo "$output"
    status_is 0
    says 'gaps 0; quarantine 0; on the last revision 10 of 10'
    is "$(ls "$BATS_TEST_TMPDIR" | grep rhost-fleet || :)" ''
}

@test "of 20 agents that come back at once after an outage no report is lost" {
    run "$abs_top_srcdir/tests/fleet/herd" 20
    echo "$output"
    status_is 0
    says 'gaps 0; quarantine 0; on the last revision 20 of 20; in spools 0'
    is "$(ls "$BATS_TEST_TMPDIR" | grep rhost-fleet || :)" ''
}

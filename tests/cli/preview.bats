#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Dry runs of a revision on the hosts of a fleet.
source "${abs_top_srcdir:-$BATS_TEST_DIRNAME/../..}/tests/cli/agent.bash"

setup() {
    agent_setup
    [ -x "$abs_top_builddir/core/rhost-fleet" ] || skip "built without libcrypto or a database"
    revision 1
    channel --to=1
    cycle
    status_is 0
    made 'revision 1'
    revision 2
}

teardown() {
    agent_teardown
}

noop() {
    run "$abs_top_builddir/rhost" fleet noop "$www" --signers=signers "$@"
    chmod 644 "$www"/*
}

# collect: what is in the spool
collect() {
    mkdir -p "reports/$(uname -n)"
    python3 - "$state-agent/spool" "reports/$(uname -n)" <<'END'
import glob, json, os, sys
for p in sorted(glob.glob(sys.argv[1] + "/0*.json")):
    os.rename(p, sys.argv[2] + "/" + json.load(open(p))["run"] + ".json")
END
    "$abs_top_builddir/rhost" collect --from=dir:reports --to=sqlite:fleet.db
}

@test "hosts say what a revision would change, once, and change nothing" {
    noop --to=2 --key=rollout
    status_is 0
    says 'preview 1: 100 % of the hosts make a dry run of revision 2'
    cycle
    status_is 0
    cycle
    status_is 0
    made 'revision 1'
    remembers 'd["good"], d["previewed"]' '(1, 1)'
    is "$(spool | grep -o ' 2' | wc -l)" 1
    collect
    noop --db=sqlite:fleet.db
    status_is 0
    says 'revision 2: 1 hosts asked, 1 answered: 1 would change, 0 failed'
    says "would_change file $work/made"
    noop --db=sqlite:fleet.db --format=json
    echo "$output" >noop.json
    json_is noop.json 'd["hosts"], d["differences"][0]["hosts"], d["differences"][0]["type"]' \
        "({'asked': 1, 'answered': 1, 'would_change': 1, 'failed': 0}, 1, 'file')"
    # What the host has is still what it last ran.
    run "$abs_top_builddir/rhost" fleet status --db=sqlite:fleet.db --format=json
    echo "$output" >status.json
    json_is status.json '[(h["state"], h["revision"]) for h in d["hosts"]]' "[('ok', '1')]"
}

@test "only the hosts that are named or chosen make it" {
    noop --to=2 --key=rollout --host=somebody
    cycle
    remembers '"previewed" in d' False
    noop --to=2 --key=rollout --host="$(uname -n)"
    cycle
    remembers 'd["previewed"]' 2
}

@test "a preview that is not signed, has expired, or is a channel is none" {
    requires_command faketime
    key thief
    noop --to=2 --key=thief
    status_is 1
    [ ! -e "$www/preview.json" ]
    noop --to=2 --key=rollout
    sed -i 's/"percent": 100/"percent": 99/' "$www/preview.json"
    cycle
    status_is 0
    says 'is not signed by'
    cp "$www/channel.json" "$www/preview.json"
    cp "$www/channel.json.sig" "$www/preview.json.sig"
    cycle
    status_is 0
    says "its format is not 'rhost preview 1'"
    rm "$www"/preview.json*
    noop --to=2 --key=rollout --expires=1h
    channel --to=1 --expires=90d
    run with_clock +2h "$abs_top_builddir/rhost" agent --state-dir "$state" --settings="$PWD/agent.yaml" --once
    status_is 0
    remembers '"previewed" in d' False
    cp "$www/preview.json" "$www/channel.json"
    cp "$www/preview.json.sig" "$www/channel.json.sig"
    cycle
    status_is 1
    says "its format is not 'rhost channel 1'"
    made 'revision 1'
}

@test "what is wrong on the command line is refused" {
    noop --to=2
    status_is 1
    says "'rhost fleet noop' needs --key=FILE"
    noop --key=rollout --db=sqlite:fleet.db
    status_is 1
    says 'dry runs are asked for with --to=REVISION'
    noop --to=3 --key=rollout
    [ "$status" -ne 0 ]
    says 'r3.json'
}

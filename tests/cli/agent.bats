#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# The agent: what it takes from a source, and what it does when something is wrong.
source "${abs_top_srcdir:-$BATS_TEST_DIRNAME/../..}/tests/cli/agent.bash"

setup() {
    agent_setup
}

teardown() {
    agent_teardown
}

@test "a revision is taken, applied and reported; then the next one" {
    revision 1
    channel --to=1
    cycle
    status_is 0
    made 'revision 1'
    remembers 'd["serial"], d["good"], d["outcome"]' "(1, 1, 'changed')"
    cycle
    status_is 0
    revision 2
    channel --to=2
    cycle
    status_is 0
    made 'revision 2'
    remembers 'd["serial"], d["good"], d["previous"]' '(2, 2, 1)'
    spool_is 'changed 1; ok 1; changed 2'
    run agent status
    status_is 0
    says 'agent not running'
    says 'revision 2'
    says 'before it 1'
    says 'reports left 3'
    run agent status --format=json
    status_is 0
    says '"good": 2'
}

@test "what was changed by hand is put right with the source away, and that is said" {
    revision 1
    channel --to=1
    cycle
    mv "$www" "$www.away"
    rm made
    cycle
    status_is 1
    says 'no new revision is taken: cannot get'
    made 'revision 1'
    cycle
    status_is 1
    spool_is 'changed 1; refused 1; changed 1; ok 1'
    mv "$www.away" "$www"
    cycle
    status_is 0
    remembers '"problem" in d' False
}

@test "a channel with a foreign key, another namespace or a key that has expired is not taken" {
    revision 1
    revision 2
    channel --to=1
    cycle
    cp -r "$www" good
    bundle channel --signers=signers --key=rollout "$www" --to=2 >/dev/null
    key stranger
    for how in 'rhost-channel stranger' 'rhost-bundle rollout' 'rhost-channel release'; do
        ssh-keygen -q -Y sign -n "${how% *}" -f "${how#* }" - <"$www/channel.json" >sig
        cp sig "$www/channel.json.sig"
        cycle
        status_is 1
        made 'revision 1'
        remembers 'd["serial"]' 1
    done
    rm "$www/channel.json.sig"
    cycle
    status_is 1
    says 'status 404'
    ssh-keygen -q -Y sign -n rhost-channel -f rollout - <"$www/channel.json" >"$www/channel.json.sig"
    allow ',valid-before="20200101"'
    cycle
    status_is 1
    says 'is no longer valid'
    allow
    cycle
    status_is 0
    made 'revision 2'
}

@test "an older channel, and two with one serial, are not taken" {
    revision 1
    revision 2
    channel --to=1
    cp "$www"/channel.json* .
    channel --to=2
    cycle
    made 'revision 2'
    cp channel.json* "$www"
    chmod 644 "$www"/*
    cycle
    status_is 1
    says 'the channel is older than the one that this machine has: serial 1, and not 2'
    made 'revision 2'
    sed -i 's/"serial": 1/"serial": 2/' "$www/channel.json"
    ssh-keygen -q -Y sign -n rhost-channel -f rollout - <"$www/channel.json" >"$www/channel.json.sig"
    cycle
    status_is 1
    says 'there are two different channels with serial 2'
    bundle channel --signers=signers --key=rollout "$www" --to=1 >/dev/null
    cycle
    status_is 0
    made 'revision 1'
    remembers 'd["serial"], d["good"], d["previous"]' '(3, 1, 2)'
}

@test "a channel that has expired, or is from the future, changes nothing" {
    requires_command faketime
    revision 1
    channel --to=1
    cycle
    rm made
    run with_clock +366d "$abs_top_builddir/rhost" agent --state-dir "$state" --settings="$PWD/agent.yaml" --once
    status_is 1
    says 'the channel with serial 1 has expired: make a new one'
    made 'revision 1'
    revision 2
    channel --to=2
    run with_clock -366d "$abs_top_builddir/rhost" agent --state-dir "$state" --settings="$PWD/agent.yaml" --once
    status_is 1
    says 'was issued in the future: check the clock of this machine'
    made 'revision 1'
    cycle
    status_is 0
    made 'revision 2'
}

# sign_channel KEY=VALUE...: by whoever has the rollout key, with these parts changed
sign_channel() {
    python3 - "$www/channel.json" "$@" <<'END'
import json, sys
d = json.load(open(sys.argv[1]))
for part in sys.argv[2:]:
    key, value = part.split("=")
    d[key] = int(value) if value.isdigit() else value
json.dump(d, open(sys.argv[1], "w"))
END
    ssh-keygen -q -Y sign -n rhost-channel -f rollout - <"$www/channel.json" >"$www/channel.json.sig"
}

@test "a thief of the rollout key cannot stop a machine for ever" {
    local last=999999999999999999
    revision 1
    revision 2
    channel --to=1
    cycle
    cp "$www"/channel.json* .
    sign_channel serial=$last
    cycle
    status_is 1
    says "serial $last of the channel is more than 1000000 above that of the last channel, 1"
    sign_channel serial=2 want=$last else=$last min_revision=$last
    cycle
    status_is 1
    says "revision $last is not taken: cannot get"
    remembers 'd["serial"], "min_revision" in d and d["min_revision"]' '(2, 1)'
    cp channel.json* "$www"
    sign_channel serial=100 expires=2026-01-02T00:00:00Z issued=2026-01-01T00:00:00Z
    cycle
    status_is 1
    says 'has expired'
    sign_channel serial=100 expires=2999-01-02T00:00:00Z issued=2999-01-01T00:00:00Z
    cycle
    status_is 1
    says 'was issued in the future'
    cp channel.json* "$www"
    chmod 644 "$www"/*
    channel --to=2 --serial=3 --min-revision=2
    cycle
    status_is 0
    made 'revision 2'
    remembers 'd["serial"], d["min_revision"]' '(3, 2)'
}

@test "another source is refused until the machine starts anew" {
    revision 1
    channel --to=1
    settings "source: file://$www/"
    cycle
    status_is 0
    settings "source: file://$www"
    cycle
    status_is 0
    # The other site has the same revision with other contents, and the same signers.
    cp -r "$www" "$www.other"
    rm "$www.other"/*
    www=$www.other
    revision 1 other
    channel --to=1 --serial=9
    settings "source: file://$www"
    cycle
    status_is 1
    says "the source was 'file://${www%.other}', and is now 'file://$www'"
    made 'revision 1'
    remembers 'd["serial"]' 1
    rm "$state-agent/agent.json"
    cycle
    status_is 0
    made other
    is "$(ls "$state-agent/bundles" | grep -c zst)" 1
}

@test "a bundle that was altered, is not signed, or is another one is not taken" {
    revision 1
    channel --to=1
    cycle
    revision 2
    cp -r "$www" kept
    channel --to=2
    for archive in "$www"/*.tar.zst; do [ -e "$state-agent/bundles/${archive##*/}" ] || break; done
    damage "$archive" 60
    cycle
    status_is 1
    says 'revision 2 is not taken'
    says 'is damaged'
    made 'revision 1'
    [ -z "$(find "$state-agent/bundles" -name "${archive##*/}*")" ]
    rm "$state-agent"/bundles/r2.json*
    cp "kept/${archive##*/}" "$archive"
    cp kept/r1.json "$www/r2.json"
    cp kept/r1.json.sig "$www/r2.json.sig"
    cycle
    status_is 1
    says 'is the description of revision 1'
    cp kept/r2.json "$www"
    cycle
    status_is 1
    says "is not signed by"
    ssh-keygen -q -Y sign -n rhost-bundle -f rollout - <"$www/r2.json" >"$www/r2.json.sig"
    cycle
    status_is 1
    says 'its line has other namespaces'
    truncate -s 2M "$www/r2.json"
    cycle
    status_is 1
    says 'the answer is too large'
    made 'revision 1'
    cp kept/r2.json* "$www"
    cycle
    status_is 0
    made 'revision 2'
}

@test "a bundle that is there stays until another one is verified" {
    revision 1
    channel --to=1
    cycle
    cp -r "$state-agent/bundles" kept
    mv signers away
    key stranger
    printf 'ops namespaces="rhost-bundle" %s\nops namespaces="rhost-channel" %s\n' "$(cat stranger.pub)" \
        "$(cat rollout.pub)" >signers
    cycle
    [ "$status" -ne 0 ]
    says 'does not have the key'
    diff -r -x .new kept "$state-agent/bundles"
    rm signers
    cycle
    [ "$status" -ne 0 ]
    diff -r -x .new kept "$state-agent/bundles"
    mv away signers
    # With the description damaged and the source away, the archive is still there; then all is put right.
    echo X >>"$state-agent/bundles/r1.json"
    mv "$www/r1.json.sig" .
    cycle
    [ "$status" -ne 0 ]
    is "$(ls "$state-agent/bundles")" "$(ls kept)"
    cp r1.json.sig "$www"
    cycle
    status_is 0
    damage "$(echo "$state-agent"/bundles/*.zst)" 60
    cycle
    status_is 0
    diff -r -x .new kept "$state-agent/bundles"
}

@test "after three failures of a new revision the one before comes back, and that one is not tried again" {
    revision 1
    channel --to=1
    cycle
    revision 2 fail
    channel --to=2
    cycle
    status_is 4
    cycle
    status_is 4
    remembers 'd["good"], d["trying"], d["failures"]' '(1, 2, 2)'
    rm made
    cycle
    status_is 4
    says 'revision 2 has failed 3 times in a row: back to revision 1'
    made 'revision 1'
    remembers 'd["good"], d["blocked"], "trying" in d' '(1, 2, False)'
    spool_is 'changed 1; failed 2; failed 2; failed 2; refused 2; changed 1'
    channel --to=2
    cycle
    status_is 1
    says 'revision 2 has failed too often here and is not tried again: 1 stays'
    run agent status
    status_is 0
    says 'given up 2'
    revision 3
    channel --to=3
    cycle
    status_is 0
    made 'revision 3'
}

@test "an operator holds the agent back for a reason, and for a time" {
    revision 1
    channel --to=1
    run agent disable
    status_is 1
    says 'needs --reason=TEXT'
    run agent disable --reason='database is moved' --until=2h
    status_is 0
    cycle
    status_is 0
    says 'no run: the agent is disabled until'
    says 'database is moved'
    [ ! -e made ]
    run agent status
    status_is 0
    says 'agent disabled'
    run agent disable --reason=x --until=2020-01-01T00:00:00Z
    status_is 1
    says 'must be a time to come'
    run agent enable
    status_is 0
    cycle
    status_is 0
    made 'revision 1'
    agent disable --reason=x --until=1s
    for ((i = 0; i < 100; i++)); do
        agent status | grep -q disabled || break
        sleep 0.1
    done
    cycle
    status_is 0
    says_not disabled
}

@test "enabling it also tries again what was given up" {
    revision 1
    channel --to=1
    settings "source: file://$www" 'failures: 1'
    cycle
    revision 2 fail
    channel --to=2
    cycle
    cycle
    says 'is not tried again'
    agent enable
    cycle
    status_is 4
    says 'revision 2 has failed 1 times in a row'
}

@test "no run begins in a window of 'blackout'" {
    revision 1
    channel --to=1
    settings "source: file://$www" "blackout: ['00:00-24:00']"
    cycle
    status_is 0
    says "no run: a window of the setting 'blackout'"
    [ ! -e made ]
    settings "source: file://$www" "blackout: ['$(date -d yesterday +%a) 00:00-23:59', '$(date -d tomorrow +%a) 00:01-24:00']"
    cycle
    status_is 0
    made 'revision 1'
}

@test "at boot the last good revision is applied without the source" {
    revision 1
    channel --to=1
    cycle --at-boot
    status_is 0
    [ ! -e made ]
    cycle
    rm -r made "$www"
    cycle --at-boot
    status_is 0
    says_not 'no new revision'
    made 'revision 1'
}

@test "no revision below the lowest is applied, also when it was good" {
    revision 1
    revision 2
    channel --to=1
    cycle
    settings "source: file://$www" 'min_revision: 2'
    rm made
    cycle
    status_is 1
    says 'the channel wants revision 1, which is below the lowest, 2'
    [ ! -e made ]
    channel --to=2 --min-revision=2
    cycle
    status_is 0
    made 'revision 2'
    remembers 'd["min_revision"]' 2
}

@test "also at boot, and after failures, no revision below the lowest is applied" {
    revision 1
    channel --to=1
    cycle
    status_is 0
    revision 2 fail
    channel --to=2 --min-revision=2
    echo changed >made
    for try in 1 2 3; do
        cycle
        [ "$status" -ne 0 ]
    done
    says 'revision 1 is below the lowest, 2: nothing is applied'
    cycle --at-boot
    status_is 1
    says 'revision 1 is below the lowest, 2: nothing is applied'
    made changed
}

@test "two agents do not run at once" {
    revision 1
    channel --to=1
    mkdir "$state-agent"
    : >"$state-agent/lock"
    exec 8<"$state-agent/lock"
    flock 8
    cycle
    status_is 1
    says 'another agent runs: it holds the lock'
    run agent status
    status_is 0
    says 'agent running'
    exec 8<&-
    cycle
    status_is 0
}

@test "settings are checked, and an unknown key gets a suggestion" {
    local line
    settings "sorce: file://$www"
    cycle
    status_is 1
    says "unknown key 'sorce' in the settings of the agent"
    says "did you mean 'source'?"
    for line in 'source: ftp://x/' 'source: file://x' 'source: https://u:p@x/' 'source: [1]' 'interval: 5s' 'interval: x' \
        'failures: 0' 'failures: x' 'blackout: 5' 'blackout: [25:00-26:00]' "blackout: ['Foo 08:00-09:00']" \
        "blackout: ['Mon- 08:00-09:00']" 'allow_http: 7' 'roles: web' 'ca: relative' 'key: /x' 'spool_size: 1' 'min_revision: -1' 'reports: file:///x'; do
        settings "$line"
        cycle
        [ "$status" -eq 1 ] || { echo "accepted: $line"; false; }
        [[ $output == *agent.yaml* || $output == *'belong together'* ]] || { echo "$line: $output"; false; }
    done
    settings
    cycle
    status_is 1
    says 'the agent needs a source'
    run agent --source=nothing
    status_is 1
    says 'invalid value for --source'
    run agent run
    status_is 1
    says 'expected status, disable, enable, or no argument'
}

@test "as root, settings that others can change are refused, and rhost-fetch needs a user" {
    requires_root
    revision 1
    channel --to=1
    chmod 666 agent.yaml
    cycle
    status_is 1
    says 'cannot be trusted'
    chmod 644 agent.yaml
    sed -i 's/fetch_user: .*/fetch_user: nosuchuser/' agent.yaml
    cycle
    status_is 1
    says "unknown user 'nosuchuser' (fetch_user)"
    sed -i 's/fetch_user: .*/fetch_user: root/' agent.yaml
    cycle
    status_is 1
    says "'fetch_user' must not be root"
}

@test "roles of the settings are those of the runs" {
    mkdir site/roles
    printf 'resources:\n  - file: %s/role\n    content: web\n' "$work" >site/roles/web.yaml
    revision 1
    channel --to=1
    settings "source: file://$www" 'roles: [web]'
    cycle
    status_is 0
    is "$(cat role)" web
}

@test "bundles that are no longer needed are removed" {
    for n in 1 2 3 4; do
        revision $n
        channel --to=$n
        cycle
    done
    is "$(cd "$state-agent/bundles" && echo r*.json)" 'r3.json r4.json'
    is "$(ls "$state-agent/bundles" | grep -c zst)" 2
}

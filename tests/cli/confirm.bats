#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Runs that are rolled back unless somebody confirms them, where no systemd rolls them back.
source "${abs_top_srcdir:-$BATS_TEST_DIRNAME/../..}/tests/cli/cli.bash"

state=$BATS_TEST_TMPDIR/state

setup() {
    work_open
    echo before >conf
    # Where systemd runs, it is out of sight: tests/system/confirm.bats has it.
    if [ -d /run/systemd/system ] && [ "$(id -u)" -eq 0 ]; then
        printf '#!/bin/sh\nexec unshare -m sh -c '\''mount -t tmpfs none /run && exec "$@"'\'' sh "%s" "$@"\n' \
            "$abs_top_builddir/rhost" >"$BATS_TEST_TMPDIR/hidden"
        chmod 755 "$BATS_TEST_TMPDIR/hidden"
        RHOST=$BATS_TEST_TMPDIR/hidden
    fi
}

# What waits ends by itself when the state directory is gone.
teardown() {
    touch "$work/go"
    rm -rf "$state"
    wait
}

site() {
    manifest <<END
resources:
  - file: $work/conf
    content: "${1:-after}\n"
END
}

# The same, and a command that goes on until there is a file `go`.
long_site() {
    manifest <<END
resources:
  - file: $work/conf
    content: "after\n"
  - exec: long
    command: [sh, -c, "touch $work/started; until test -e $work/go; do sleep 0.05; done"]
END
}

conf_is() {
    is "$(cat conf)" "$1"
}

# What until_true shows when it has waited for nothing.
explain() {
    ls -l "$state"
    cat "$state/confirm.json"
}

settled() {
    [ ! -e "$state/confirm.json" ]
}

rolled_back() {
    until_true settled
    conf_is before
    run rhost runs
    says 'rolled back'
}

run_id() {
    sed -n 's/^run \([^ ]*\) is applied.*/\1/p' <<<"$output"
}

# Starts the long run in the background.
start() {
    "${RHOST:-$abs_top_builddir/rhost}" apply --state-dir "$state" --isolation="$RHOST_ISOLATION" "$@" site.yaml \
        >out 2>&1 3>&- &
    run_pid=$!
    until_true test -e started
}

@test "a run that is confirmed in time stays" {
    site
    split rhost apply --confirm-within=600 site.yaml
    status_is 0
    id=$(sed -n 's/^run \([^ ]*\) is applied.*/\1/p' out)
    grep -Fqx "run $id is applied; 'rhost confirm' within 600 s keeps it, otherwise it is rolled back" out
    is "$(mode_of "$state/confirm.json")" 600
    run rhost runs
    says '1 changed, not confirmed yet'
    run rhost show last
    says 'not confirmed yet'
    split rhost confirm
    status_is 0
    is_empty err
    is "$(cat out)" "run $id is confirmed"
    is "$(mode_of "$state/confirm.lock")" 600
    settled
    conf_is after
    run rhost runs
    says '1 changed, confirmed'
    # So it can be in a script that runs again.
    run rhost confirm
    status_is 0
    says "run $id was confirmed already, at 20"
    run rhost confirm --abort
    status_is 1
    says "too late: run $id was confirmed at 20"
    says "'rhost undo $id' undoes it"
}

@test "reports for programs say that a run is to be confirmed" {
    needs_python
    site
    split rhost apply --confirm-within=600 --format=json --report=report.json --progress=json:7 site.yaml 7>progress
    status_is 0
    json_is out 'd["confirm_within"]' 600
    json_is report.json 'd["confirm_within"]' 600
    grep -q '"confirm_within": 600' progress
    split rhost runs --format=json
    json_is out 'd[0]["confirmation"]' unconfirmed
    split rhost show --format=json last
    json_is out 'd["confirmation"]' unconfirmed
    split rhost confirm --format=json
    json_is out 'd["confirmation"], d["run"] == json.load(open("report.json"))["run"]' "('confirmed', True)"
    split rhost show --format=json last
    json_is out 'd["confirmation"]' confirmed
    split rhost apply --format=json site.yaml
    json_is out '"confirm_within" in d' False
    split rhost show --format=json last
    json_is out '"confirmation" in d' False
}

@test "a run that nobody confirms is rolled back" {
    site
    run rhost apply --confirm-within=5 site.yaml
    status_is 0
    conf_is after
    id=$(run_id)
    rolled_back
    run rhost confirm
    status_is 1
    says "too late: run $id was rolled back at 20"
    run rhost confirm --abort
    status_is 0
    says "run $id was rolled back already"
    run rhost show "$id"
    says 'rolled back'
    run rhost apply --detailed-exitcodes site.yaml
    status_is 2
}

@test "confirm --abort rolls a run back at once" {
    site
    run rhost apply --confirm-within=600 site.yaml
    status_is 0
    id=$(run_id)
    run rhost confirm --abort
    status_is 0
    says "run $id is rolled back"
    conf_is before
    settled
    rhost apply --confirm-within=600 site.yaml
    split rhost confirm --abort --format=json
    status_is 0
    json_is out 'd["confirmation"]' rolled_back
    conf_is before
}

@test "while a run waits, others are refused, and are told what to do" {
    site
    run rhost apply --confirm-within=600 site.yaml
    status_is 0
    id=$(run_id)
    site other
    for options in --detailed-exitcodes --confirm-within=600; do
        run rhost apply $options site.yaml
        status_is 1
        says "run $id is not confirmed: 'rhost confirm' keeps it, 'rhost confirm --abort' rolls it back now; otherwise it is rolled back in"
        says 'nothing was changed'
    done
    run rhost undo --state-dir "$state" "$id"
    status_is 1
    says "run $id is not confirmed"
    run rhost resource file "$work/conf" content=other
    status_is 1
    says "run $id is not confirmed"
    conf_is after
    run rhost apply --noop --detailed-exitcodes site.yaml
    status_is 2
    run rhost plan -o plan site.yaml
    status_is 2
    run rhost apply plan
    status_is 1
    says "run $id is not confirmed"
    rhost confirm
    run rhost apply site.yaml
    status_is 0
    conf_is other
}

@test "a plan is applied like that as well" {
    site
    run rhost plan -o plan site.yaml
    status_is 2
    run rhost apply --confirm-within=600 plan
    status_is 0
    conf_is after
    run rhost confirm --abort
    status_is 0
    conf_is before
}

@test "a run that changed nothing is confirmed by itself" {
    site before
    run rhost apply --confirm-within=600 site.yaml
    status_is 0
    says_not "'rhost confirm' within"
    settled
    run rhost confirm
    status_is 0
    says 'no run waits to be confirmed: run 20'
    says 'changed nothing'
    site
    run rhost apply --confirm-within=600 --noop site.yaml
    status_is 0
    says_not "'rhost confirm' within"
    settled
}

@test "a run that failed is to be confirmed as well" {
    manifest <<END
resources:
  - file: $work/conf
    content: "after\n"
  - exec: fails
    command: ["false"]
END
    run rhost apply --confirm-within=600 site.yaml
    status_is 4
    says "'rhost confirm' within 600 s keeps it"
    run rhost confirm --abort
    status_is 0
    conf_is before
}

@test "with --quiet, too, it is said that a run is to be confirmed" {
    site
    run rhost apply --quiet --confirm-within=600 site.yaml
    says "'rhost confirm' within 600 s keeps it"
    split rhost confirm --quiet
    status_is 0
    is_empty out
}

@test "nothing to confirm" {
    split rhost confirm
    status_is 0
    is "$(cat out)" 'no run waits to be confirmed'
    [ ! -e "$state/confirm.lock" ]
    run rhost confirm --abort
    status_is 1
    says 'no run waits to be confirmed'
    split rhost confirm --format=json
    json_is out 'd["confirmation"], d["run"]' "('none', None)"
    run rhost confirm --watch
    status_is 0
}

@test "bad options" {
    site
    for seconds in 0 -1 x 1.5 '' 99999999999; do
        run rhost apply "--confirm-within=$seconds" site.yaml
        status_is 1
        says "invalid value '$seconds' for --confirm-within: expected a whole number of seconds, 1 or more"
    done
    for option in --no-backup --rollback-on-failure; do
        run rhost apply --confirm-within=1 $option site.yaml
        status_is 1
        says "$option"
    done
    run rhost validate --confirm-within=1 site.yaml
    status_is 1
    run rhost confirm now
    status_is 1
    says "unexpected argument 'now'"
    run rhost confirm --abort --watch
    status_is 1
    says '--abort and --watch exclude each other'
    conf_is before
}

@test "after the deadline nothing can be confirmed" {
    site
    run rhost apply --confirm-within=600 site.yaml
    status_is 0
    id=$(run_id)
    # Nobody rolls back meanwhile. Another boot: the deadline has passed with the first one.
    exec 8>"$state/confirm.lock"
    flock 8
    sed -i 's/"boot": "[^"]*"/"boot": "another"/' "$state/confirm.json"
    run rhost apply site.yaml 8>&-
    status_is 1
    says "run $id was not confirmed in time, and is not rolled back yet: 'rhost confirm --abort' does it now"
    run rhost confirm 8>&-
    status_is 1
    says 'the run is being rolled back'
    run rhost confirm --abort --wait-lock=1 8>&-
    status_is 1
    says 'the run is being rolled back'
    (sleep 0.5) & # has the lock as well, and it ends while the next one waits
    exec 8>&-
    run rhost confirm --abort --wait-lock=60
    status_is 0
    rolled_back
}

@test "too late is said, too, before the rollback begins" {
    site
    run rhost apply --confirm-within=600 site.yaml
    status_is 0
    id=$(run_id)
    watcher_is
    kill -STOP "$watcher"
    sed -i 's/"deadline": [0-9]*/"deadline": 1/' "$state/confirm.json"
    run rhost confirm
    kill -CONT "$watcher"
    status_is 1
    says "too late: run $id was to be confirmed within 600 s, and is rolled back"
    rolled_back
}

# The process that waits.
watcher_is() {
    until_true sh -c "pgrep -f -- 'confirm --watch --state-dir=$state\$' >pid"
    read -r watcher <pid
}

@test "the lock of the rollback is no link to another file" {
    site
    run rhost apply --confirm-within=600 site.yaml
    status_is 0
    rm -f "$state/confirm.lock"
    ln -s "$work/elsewhere" "$state/confirm.lock"
    run rhost confirm
    status_is 1
    says "cannot open the lock '$state/confirm.lock'"
    [ ! -e elsewhere ]
    rm "$state/confirm.lock"
    run rhost confirm
    status_is 0
}

@test "during the rollback, and after one that was interrupted, it is too late" {
    site
    run rhost apply --confirm-within=600 site.yaml
    status_is 0
    id=$(run_id)
    sed -i 's/"phase": "waiting"/"phase": "rolling_back"/' "$state/confirm.json"
    run rhost confirm
    status_is 1
    says "too late: run $id was being rolled back, and that was interrupted"
    says "'rhost confirm --abort' completes it"
    run rhost runs
    says 'being rolled back'
    run rhost apply site.yaml
    status_is 1
    says "run $id is being rolled back; if that was interrupted, 'rhost confirm --abort' completes it"
    run rhost confirm --abort
    status_is 0
    conf_is before
}

@test "a rollback that failed in part is told, tried again, or kept" {
    site
    run rhost apply --confirm-within=600 site.yaml
    status_is 0
    id=$(run_id)
    sed -i 's/"--no-installed-plugins"/"--nonsense"/' "$state/confirm.json"
    run rhost confirm --abort
    status_is 4
    says "run $id was rolled back in part only"
    run rhost runs
    says 'rolled back in part'
    run rhost apply site.yaml
    status_is 1
    says "run $id was rolled back in part only: 'rhost confirm --abort' tries the rest again, 'rhost confirm' keeps this machine as it is"
    run rhost confirm --abort
    status_is 4
    sed -i 's/"--nonsense"/"--no-installed-plugins"/' "$state/confirm.json"
    run rhost confirm --abort
    status_is 0
    conf_is before

    rhost apply --confirm-within=600 site.yaml
    sed -i 's/"--no-installed-plugins"/"--nonsense"/' "$state/confirm.json"
    run rhost confirm --abort
    status_is 4
    run rhost confirm
    status_is 0
    says 'stays rolled back in part'
    conf_is after
    run rhost apply site.yaml
    status_is 0
}

@test "what cannot be armed is not begun" {
    site
    mkdir -p -m 700 "$state"
    mkdir "$state/confirm.json"
    run rhost apply --confirm-within=600 site.yaml
    status_is 1
    says 'nothing was changed'
    conf_is before
    rmdir "$state/confirm.json"
    requires_root
    # A systemd that answers nobody.
    unshare -m true 2>/dev/null || skip "needs mount namespaces"
    run unshare -m sh -c 'mount -t tmpfs none /run && mkdir -p /run/systemd/system && exec "$@"' sh \
        "$abs_top_builddir/rhost" apply --state-dir "$state" --confirm-within=600 site.yaml
    status_is 1
    says 'cannot arm the rollback: '
    says 'nothing was changed'
    conf_is before
    settled
    run rhost apply --confirm-within=600 site.yaml
    status_is 0
    rhost confirm
}

@test "a damaged file is refused, and what to do is said" {
    site
    rhost apply --confirm-within=600 site.yaml
    for text in '{' '{}' '{"format": 1, "resources": {"20": {}}}' '[]' ''; do
        echo "$text" >"$state/confirm.json"
        for command in 'confirm' 'confirm --abort' 'apply site.yaml'; do
            run rhost $command
            status_is 1
            says "/confirm.json' is damaged"
        done
    done
    rm "$state/confirm.json"
    mkfifo "$state/confirm.json"
    run rhost confirm
    status_is 1
    says 'is not a regular file'
    conf_is after
}

@test "another user cannot confirm" {
    requires_root
    site
    rhost apply --confirm-within=600 site.yaml
    chown 65534 "$state"
    run rhost confirm
    chown 0 "$state"
    status_is 1
    says 'belongs to user 65534'
    # One who can get there, and may not look into it.
    reachable=$(mktemp -d)
    chmod 755 "$reachable"
    cp "$abs_top_builddir/core/rhost" "$reachable/rhost"
    mkdir -m 700 "$reachable/state"
    run setpriv --reuid=65534 --clear-groups "$reachable/rhost" confirm --state-dir "$reachable/state"
    rm -r "$reachable"
    status_is 1
    says 'belongs to root'
    says "run 'rhost confirm' as root"
    conf_is after
    rhost confirm
}

@test "a run that goes on is neither confirmed nor rolled back" {
    long_site
    start --confirm-within=1
    sleep 2
    run rhost confirm
    status_is 1
    says 'holds the lock'
    run rhost confirm --abort
    status_is 1
    says 'holds the lock'
    conf_is after
    touch go
    wait "$run_pid"
    grep -q "'rhost confirm' within 1 s keeps it" out
    rolled_back
}

@test "a run that is killed is rolled back" {
    long_site
    start --confirm-within=2
    conf_is after
    kill -9 "$run_pid"
    touch go
    rolled_back
}

@test "a run that is killed can be confirmed, and rolled back at once" {
    for command in confirm 'confirm --abort'; do
        rm -rf started go "$state"
        echo before >conf
        long_site
        start --confirm-within=600
        kill -9 "$run_pid"
        touch go
        run rhost $command --wait-lock=30
        status_is 0
        settled
        [ "$command" = confirm ] && conf_is after || conf_is before
    done
}

@test "a run that is interrupted is rolled back" {
    long_site
    start --confirm-within=1
    kill "$run_pid"
    rolled_back
}

@test "a rollback whose processes are killed is done by the next one" {
    site
    rhost apply --confirm-within=600 site.yaml
    watcher_is
    kill -9 "$watcher"
    sed -i 's/"deadline": [0-9]*/"deadline": 1/' "$state/confirm.json"
    run rhost confirm --watch
    status_is 0
    settled
    conf_is before
}

@test "the loss of the terminal does not keep a run from being rolled back" {
    needs_python
    long_site
    python3 - "${RHOST:-$abs_top_builddir/rhost}" apply --state-dir "$state" --confirm-within=1 site.yaml <<'END'
import os, pty, sys, time
pid, master = pty.fork()
if pid == 0:
    os.execv(sys.argv[1], sys.argv[1:])
for i in range(600):
    if os.path.exists("started"):
        break
    time.sleep(0.05)
os.close(master)
os.waitpid(pid, 0)
END
    rolled_back
}

@test "what rolls back has nothing of whoever started it" {
    site
    rhost apply --confirm-within=600 site.yaml
    watcher_is
    is "$(readlink "/proc/$watcher/cwd")" /
    is "$(ps -o tty= -p "$watcher" | tr -d ' ')" '?'
    is "$(ps -o sid= -p "$watcher" | tr -d ' ')" "$(ps -o pgid= -p "$watcher" | tr -d ' ')"
    not [ "$(ps -o sid= -p "$watcher" | tr -d ' ')" = "$(ps -o sid= -p $$ | tr -d ' ')" ]
    is "$(readlink "/proc/$watcher/fd/"* | sort -u)" /dev/null
    is "$(tr '\0' '\n' <"/proc/$watcher/environ" | sed 's/=.*//' | sort | tr '\n' ' ')" 'LANG LC_ALL PATH '
    rhost confirm
    until_true not kill -0 "$watcher"
}

@test "relative names are those of the directory where the run was started" {
    state=$work/relative
    mkdir -m 700 relative
    site
    "$abs_top_builddir/core/rhost" apply --no-installed-plugins --plugin-dir "$(realpath --relative-to=. \
        "$abs_top_builddir/plugins/.libs")" --state-dir relative --confirm-within=1 site.yaml
    conf_is after
    until_true settled
    conf_is before
}

@test "an end that was cut off between its two files is completed" {
    site
    run rhost apply --confirm-within=600 site.yaml
    status_is 0
    cp -p "$state/confirm.json" kept
    rhost confirm
    cp -p kept "$state/confirm.json"
    run rhost runs
    says ', confirmed'
    run rhost confirm
    status_is 0
    says 'was confirmed already'
    run rhost apply site.yaml
    status_is 0
    run rhost confirm --watch
    status_is 0
    conf_is after
}

@test "a run that was killed before its journal began has changed nothing" {
    site
    run rhost apply --confirm-within=600 site.yaml
    status_is 0
    rm "$state"/runs/*
    run rhost apply --detailed-exitcodes site.yaml
    status_is 0
    settled
}

secret_site() {
    manifest <<END
resources:
  - file: $work/conf
    content: "$1\n"
    mode: "0600"
    sensitive: content
    backup: sensitive
  - file: $work/plain
    content: "$1\n"
END
}

@test "a rollback has the key of sensitive values" {
    head -c 32 /dev/urandom | base64 >key
    chmod 0600 key conf
    secret_site after
    run rhost apply --backup-key=key --confirm-within=1 site.yaml
    [[ $output = *'built without libsodium'* ]] && skip "this rhost was built without libsodium"
    status_is 0
    rolled_back
    [ ! -e plain ]
}

@test "a rollback without its key restores what is not encrypted" {
    for lost in gone other; do
        head -c 32 /dev/urandom | base64 >key
        chmod 0600 key conf
        secret_site after
        run rhost apply --backup-key=key --confirm-within=60 site.yaml
        [[ $output = *'built without libsodium'* ]] && skip "this rhost was built without libsodium"
        status_is 0
        rm key
        [ $lost = gone ] || head -c 32 /dev/urandom | base64 >key
        [ $lost = gone ] || chmod 0600 key
        run rhost confirm --abort
        status_is 4
        says "file[$work/conf]: 'content' cannot be restored: it is encrypted, and its key is lost"
        [ ! -e plain ]
        conf_is after
        run rhost confirm
        status_is 0
        rm -f "$state/confirm.json"
        echo before >conf
    done
}

@test "a key that goes with its unit is no key for a rollback" {
    mkdir lent
    head -c 32 /dev/urandom | base64 >lent/key
    chmod 0600 lent/key
    secret_site after
    CREDENTIALS_DIRECTORY=$work/lent run rhost apply --backup-key="$work/lent/key" --confirm-within=60 site.yaml
    status_is 1
    says 'is a credential of the unit'
    conf_is before
}

#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Runs, undos and rollbacks of runs that nobody confirms, which are killed at any time: what is undone at last is as it
# was before.
source "${abs_top_srcdir:-$BATS_TEST_DIRNAME/../..}/tests/cli/cli.bash"

# More than a batch, with contents that go to the store.
site() {
    rm -rf t before
    mkdir -p t
    for i in $(seq 40); do
        seq "$i" $((i + 2000)) >"t/old$i"
    done
    printf '#PermitRootLogin yes\n' >t/lines
    cp -a t before
    {
        echo resources:
        for i in $(seq 40); do
            printf -- '- file: %s/t/new%d\n  content: "%d"\n- file: %s/t/old%d\n  content: "%d"\n  mode: "0600"\n' \
                "$work" "$i" "$i" "$work" "$i" "$i"
        done
        printf -- '- line: root\n  path: %s/t/lines\n  text: PermitRootLogin no\n  match: "^#?PermitRootLogin"\n' "$work"
        printf -- '- directory: %s/t/dir\n- link: %s/t/link\n  target: /etc\n' "$work" "$work"
    } >site.yaml
}

listing() {
    (cd "$1" && find . -printf '%p %M %u %g %l\n' | sort && find . -type f -print0 | sort -z | xargs -0r sha256sum)
}

# Runs rhost with a limit of milliseconds, after which all of it is killed.
killed_after() {
    local ms=$1
    shift
    timeout -s KILL "$(printf '0.%03d' "$ms")" "$abs_top_builddir/rhost" "$@" >/dev/null 2>&1 || true
    # timeout is killed as well, and does not wait: what was killed may still be at its last call of the system.
    for _ in $(seq 1000); do
        pgrep -f "^[^ ]*/rhost .*--state-dir $BATS_TEST_TMPDIR/state " >/dev/null || break
        sleep 0.01
    done
}

# Each content that a journal names is in the store.
contents_are_there() {
    local journal run digest

    for journal in "$BATS_TEST_TMPDIR"/state/runs/*.jsonl; do
        run=$(basename "$journal" .jsonl)
        for digest in $(grep -o '"content": "[0-9a-f]\{64\}"' "$journal" | cut -d'"' -f4 | sort -u); do
            [ "$(sha256sum <"$BATS_TEST_TMPDIR/state/runs/$run.content/$digest" | cut -d' ' -f1)" = "$digest" ] || {
                echo "run $run has lost $digest"
                return 1
            }
        done
    done
}

@test "a run that is killed at any time is undone, also by an undo that is killed" {
    local kills=${UNDO_KILLS:-8} i name where=(--state-dir "$BATS_TEST_TMPDIR/state")

    site
    for ((i = 0; i < kills; i++)); do
        rm -rf "$BATS_TEST_TMPDIR/state/runs"
        killed_after $((50 + RANDOM % 250)) apply "${where[@]}" site.yaml
        name=$(basename "$(find "$BATS_TEST_TMPDIR/state/runs" -name '*.jsonl' 2>/dev/null)" .jsonl)
        contents_are_there
        [ -n "$name" ] || continue
        killed_after $((50 + RANDOM % 200)) undo "${where[@]}" --wait-lock=20 "$name"
        contents_are_there
        run rhost undo --wait-lock=20 --force=all "$name"
        status_is 0
        diff <(listing before) <(listing t)
    done
}

# Process ids of the commands of rhost that are at this state directory.
at_state() {
    pgrep -f "/rhost .*--state-dir[= ]($BATS_TEST_TMPDIR|$(realpath "$BATS_TEST_TMPDIR"))/state( |\$)" || true
}

# Starts the command and kills it after so many milliseconds: it alone, what it has started and starts again, or both.
killed() {
    local what=$1 ms=$2 pid
    shift 2
    setsid "${RHOST:-$abs_top_builddir/rhost}" "$@" >>killed 2>&1 3>&- &
    pid=$!
    sleep "$(printf '0.%03d' "$ms")"
    case $what in
    itself) kill -9 "$pid" ;;
    child)
        for _ in 1 2 3 4 5; do # it is started again, though not forever
            pkill -9 -P "$pid"
            sleep 0.02
        done
        ;;
    both) kill -9 -- "-$pid" ;;
    esac 2>/dev/null || true
    wait "$pid" 2>/dev/null || true
    # Of the others, what was killed may still be at its last call of the system.
    [ "$what" != both ] || until_group_ends "$pid"
}

until_group_ends() {
    for _ in $(seq 1000); do
        pgrep -g "$1" --runstates DRST >/dev/null || return 0
        sleep 0.01
    done
    echo "process group $1 does not end"
    return 1
}

# The next boot, for the unit that completes a rollback: what ran before is gone.
boot() {
    at_state | xargs -r kill -9 2>/dev/null || true
    for _ in $(seq 1000); do
        [ -n "$(at_state)" ] || break
        sleep 0.02
    done
    is "$(at_state)" ''
    sed -i 's/"boot": "[^"]*"/"boot": "another one"/' "$BATS_TEST_TMPDIR/state/confirm.json" 2>/dev/null || true
}

@test "a rollback that is killed at any time is completed by the next one, or by the next boot" {
    local kills=${UNDO_KILLS:-8} i whats=(itself child both) what where=(--state-dir "$BATS_TEST_TMPDIR/state")
    local state=$BATS_TEST_TMPDIR/state name interrupted=0

    # Where systemd runs, it is out of sight.
    if [ -d /run/systemd/system ] && [ "$(id -u)" -eq 0 ]; then
        printf '#!/bin/sh\nexec unshare -m sh -c '\''mount -t tmpfs none /run && exec "$@"'\'' sh "%s" "$@"\n' \
            "$abs_top_builddir/rhost" >hidden
        chmod 755 hidden
        RHOST=$work/hidden
    fi
    site
    for ((i = 0; i < kills; i++)); do
        rm -rf "$state/runs"
        run rhost apply --confirm-within=600 site.yaml
        status_is 0
        name=$(basename "$(find "$state/runs" -name '*.jsonl')" .jsonl)
        what=${whats[i % 3]}
        if ((RANDOM % 2)); then
            killed "$what" $((1 + RANDOM % 150)) confirm "${where[@]}" --abort
        else
            boot
            killed "$what" $((1 + RANDOM % 150)) confirm "${where[@]}" --watch
        fi
        contents_are_there
        [ ! -e "$state/confirm.json" ] || interrupted=$((interrupted + 1))
        # What was started before, and goes on alone, has the lock.
        if ((RANDOM % 2)); then
            run rhost confirm --abort --wait-lock=60
            status_is 0
        else
            boot
            run rhost confirm --watch
            status_is 0
        fi
        [ ! -e "$state/confirm.json" ]
        diff <(listing before) <(listing t)
        run rhost show "$name"
        status_is 0
        says 'rolled back'
    done
    echo "$interrupted of $kills were interrupted"
    [ "$interrupted" -gt 0 ]
    rm -rf "$state"
}

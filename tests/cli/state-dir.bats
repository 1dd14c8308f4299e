#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Where state may be kept, and where not.
source "${abs_top_srcdir:-$BATS_TEST_DIRNAME/../..}/tests/cli/cli.bash"

setup() {
    work_open
    manifest <<END
resources:
  - file: $work/one
    content: a
END
}

with_state() {
    "${RHOST:-$abs_top_builddir/rhost}" "$1" --state-dir "$2" "${@:3}"
}

@test "what is kept is for its owner alone, whatever the umask is" {
    cat >site.yaml <<END
resources:
  - file: $work/one
    content: a
    audit: all
    notifies: {action: run, resource: "exec[tell]", on_failure: hold}
  - exec: tell
    command: [/bin/false]
    action: nothing
END
    umask_is 000
    run with_state apply "$work/new/state" --report="$work/report" site.yaml
    echo "$output"
    find new/state report -type f -printf '%f %m\n' | sed 's/^[0-9T.-]*.jsonl/run/' | sort >kept
    is "$(cat kept)" "$(printf '%s\n' 'audit.json 600' 'desired 600' 'lock 600' 'pending.jsonl 600' 'plugins.json 644' 'report 600' 'run 600' 'sequence 600')"
    is "$(find new -type d -printf '%p %m\n' | sort)" "$(printf '%s\n' 'new 755' 'new/state 700' 'new/state/private 700' 'new/state/private/exec,exec 700' 'new/state/private/file,file 700' 'new/state/runs 700')"
}

# Every command that uses what is in there refuses it with this text.
is_refused() {
    run with_state apply "$1" site.yaml
    status_is 1
    says "cannot use the state directory"
    says "$2"
    [ ! -e one ]
    for command in runs pending 'show last'; do
        # shellcheck disable=SC2086
        run with_state ${command% *} "$1" ${command#"${command% *}"}
        status_is 1
        says "$2"
    done
}

@test "a state directory that others can write to is refused" {
    mkdir state
    chmod 777 state
    is_refused "$work/state" "everybody can write to it"
    chmod 1777 state
    is_refused "$work/state" "everybody can write to it"
    is "$(ls -A state)" ""
}

@test "a state directory of another user is refused" {
    requires_root
    mkdir -m 700 state
    chown 65534 state
    is_refused "$work/state" "its owner is user 65534"
    is "$(ls -A state)" ""
}

@test "as root, a state directory that others can put another in place of is refused" {
    requires_root
    mkdir -p theirs/state
    chown 65534 theirs
    is_refused "$work/theirs/state" "its owner is user 65534 ('$work/theirs')"
    is_refused "$work/theirs/new/state" "its owner is user 65534 ('$work/theirs')"
    [ ! -e theirs/new ]
    ln -s state link
    chown -h 65534 link
    is_refused "$work/link" "'$work/link' is not safe: its owner is user 65534"
    chown 0 theirs
    chmod 777 theirs
    is_refused "$work/theirs/state" "everybody can write to it ('$work/theirs')"
    is "$(ls -A theirs/state)" ""
}

@test "a sticky directory may have a state directory in it" {
    mkdir -m 1777 sticky
    with_state apply "$work/sticky/state" -q site.yaml
    is "$(mode_of sticky/state)" 700
}

@test "a state directory below one of the user who called sudo is used" {
    requires_root
    mkdir theirs
    chown 65533 theirs
    SUDO_UID=65533 SUDO_GID=65533 with_state apply "$work/theirs/state" -q site.yaml
    is "$(mode_of theirs/state)" 700
    is "$(stat -c %u theirs/state)" 0
}

@test "without HOME there is no state directory, and none in /tmp" {
    local before
    before=$(stat -c %y%n /tmp/.local/state/rhost /tmp/.cache/rhost 2>&1) || true
    requires_root
    requires_command setpriv
    chmod 777 .
    if ! setpriv --reuid 65534 --clear-groups test -x "$abs_top_builddir/rhost"; then
        skip "others cannot run what was built"
    fi
    as_nobody() {
        setpriv --reuid 65534 --regid 65534 --clear-groups \
            env -u HOME -u XDG_STATE_HOME -u XDG_CACHE_HOME "$abs_top_builddir/rhost" "$@"
    }
    run as_nobody apply site.yaml
    status_is 1
    says "HOME is not set; use --state-dir=DIR"
    [ ! -e one ]
    for command in runs pending 'show last'; do
        # shellcheck disable=SC2086
        run as_nobody $command
        status_is 1
        says "HOME is not set"
    done
    run as_nobody validate site.yaml
    status_is 0
    is "$(stat -c %y%n /tmp/.local/state/rhost /tmp/.cache/rhost 2>&1)" "$before"
}

@test "what is not a regular file is not read as state, and not waited for" {
    cat >site.yaml <<END
resources:
  - file: $work/one
    content: a
    schedule: {repeat: 1}
    audit: all
END
    rhost=${RHOST:-$abs_top_builddir/rhost}
    with_state apply "$work/state" -q site.yaml || sed -i '/schedule/d' site.yaml
    for file in pending.jsonl audit.json desired; do
        rm -rf state one
        mkdir -m 700 state
        mkfifo "state/$file"
        run timeout 20 "$rhost" apply --state-dir "$work/state" site.yaml
        status_is 1
        says "'$work/state/$file' is not a regular file"
        [ ! -e one ]
        rm "state/$file"
        ln -s /dev/zero "state/$file"
        run timeout 20 "$rhost" apply --state-dir "$work/state" site.yaml
        status_is 1
        says "'$work/state/$file' is not a regular file"
        [ ! -e one ]
    done
    rm -rf state
    mkdir -m 700 state
    mkfifo state/pending.jsonl
    run timeout 20 "$rhost" pending --state-dir "$work/state"
    status_is 1
    says "is not a regular file"
}

@test "no command waits for what stands in the place of a file of the state" {
    cat >site.yaml <<END
resources:
  - file: $work/one
    content: a
    audit: all
    schedule: {repeat: 10, period: hourly}
END
    rhost=${RHOST:-$abs_top_builddir/rhost}
    for file in schedule.json confirm.json confirmed.json confirm.lock plan-key.json host.json plugins.json sequence lock \
        private/file,file/key runs/20260101T000000Z-1.jsonl plans.json push.json; do
        rm -rf state one
        mkdir -m 700 state
        mkdir -p -m 700 "state/$file"
        rmdir "state/$file"
        mkfifo "state/$file"
        for command in "apply site.yaml" "plan --out=$work/plan site.yaml" runs "undo last" confirm pending \
            "history file[$work/one]" "show last"; do
            rm -f plan
            # shellcheck disable=SC2086 # a list of words
            run timeout 20 "$rhost" ${command%% *} --state-dir "$work/state" ${command#* }
            [ "$status" -lt 124 ] || {
                echo "$command with $file: $status"
                return 1
            }
        done
    done
}

@test "zeros among the pending notifications are reported, and what stands before them is kept" {
    mkdir -m 700 state
    head -c 200 /dev/zero >state/pending.jsonl
    run with_state pending "$work/state"
    status_is 0
    says "warning: '$work/state/pending.jsonl' contains zero bytes from line 1 on, as after a power loss"
    is "$(wc -c <state/pending.jsonl)" 200
    run with_state apply "$work/state" site.yaml
    status_is 0
    says "contains zero bytes from line 1 on"
    [ -e one ]
    run with_state pending "$work/state"
    says_not "zero bytes"
}

@test "a limit on the size of files is reported, and does not end rhost" {
    head -c 300000 /dev/zero | tr '\0' x >big
    cat >site.yaml <<END
resources:
  - file: $work/copy
    source: $work/big
  - file: $work/one
    content: a
END
    with_state validate "$work/state" site.yaml # what plugins are is kept before the limit
    for isolation in confined none; do
        rm -rf state/runs one copy
        run bash -c "ulimit -f 200; exec '${RHOST:-$abs_top_builddir/rhost}' apply --isolation=$isolation \
            --state-dir '$work/state' site.yaml"
        status_is 4
        says "to '$work/copy': File too large"
        [ ! -e copy ]
        [ -e one ]
    done
}

@test "an ordinary user's state is below XDG_STATE_HOME, or HOME where that is no absolute path" {
    requires_root
    requires_command setpriv
    if ! setpriv --reuid 65534 --clear-groups test -x "$abs_top_builddir/rhost"; then
        skip "others cannot run what was built"
    fi
    # Those of the test's directory may not be for others to enter.
    place=$(mktemp -d /tmp/rhost-state.XXXXXX)
    mkdir "$place/home" "$place/other"
    chmod 755 "$place"
    chown 65534:65534 "$place/home" "$place/other"
    printf 'resources: [{file: %s/home/one, content: a}]\n' "$place" >"$place/site.yaml"
    as_nobody() {
        (cd "$place/other" && setpriv --reuid 65534 --regid 65534 --clear-groups \
            env HOME="$place/home" XDG_STATE_HOME="$1" "$abs_top_builddir/rhost" apply -q "$place/site.yaml")
    }
    run as_nobody "$place/other"
    status_is 0
    [ -d "$place/other/rhost/runs" ]
    [ ! -e "$place/home/.local" ]
    run as_nobody relative
    status_is 0
    [ -d "$place/home/.local/state/rhost/runs" ]
    [ ! -e "$place/other/relative" ]
    rm -rf "$place"
}

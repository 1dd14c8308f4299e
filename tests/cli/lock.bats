#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
source "${abs_top_srcdir:-$BATS_TEST_DIRNAME/../..}/tests/cli/cli.bash"

# Starts a run that goes on until the file `go` is there, and waits until it has the lock.
hold_the_lock() {
    manifest long.yaml <<END
resources:
  - exec: wait for go
    command: [sh, -c, "touch $work/started; until test -e $work/go; do sleep 0.05; done"]
    timeout: 60
END
    rhost apply -q long.yaml 3>&- &
    holder=$!
    for _ in $(seq 200); do
        [ -e started ] && break
        sleep 0.05
    done
    [ -e started ]
    manifest <<END
resources:
  - file: $work/one
    content: a
END
}

teardown() {
    touch "$work/go"
    wait
    sleep 0.2 # a command whose run was killed goes on, and has to see it too
}

@test "a second run is refused, and told who holds the lock" {
    hold_the_lock
    run rhost apply site.yaml
    status_is 1
    says 'error: the run of process'
    says 'holds the lock'
    says '--wait-lock=SECONDS waits for it'
    [ ! -e one ]
}

@test "--wait-lock gives up when its time is over" {
    hold_the_lock
    run rhost apply --wait-lock=1 site.yaml
    status_is 1
    says 'waiting for the run of process'
    says 'holds the lock'
    [ ! -e one ]
}

@test "--wait-lock waits for the other run to end" {
    hold_the_lock
    (
        sleep 0.5
        touch go
    ) 3>&- &
    run rhost apply --wait-lock=60 site.yaml
    status_is 0
    says 'waiting for the run of process'
    [ -e one ]
}

@test "a noop run takes its turn as well" {
    hold_the_lock
    run rhost apply --noop site.yaml
    status_is 1
    says 'holds the lock'
}

@test "validating needs no lock" {
    hold_the_lock
    run rhost validate site.yaml
    status_is 0
}

@test "looking at a resource needs no lock, changing it does" {
    hold_the_lock
    run rhost resource file "$work/one"
    status_is 0
    run rhost resource file "$work/one" content=b
    status_is 1
    says 'holds the lock'
}

@test "runs in other state directories don't wait for each other" {
    hold_the_lock
    run rhost apply --state-dir "$work/other" site.yaml
    status_is 0
    [ -e one ]
}

@test "a run that was killed leaves no lock behind" {
    hold_the_lock
    # What was started is a function of the shell: the run is below it.
    kill -KILL $(pgrep -P "$holder") "$holder" 2>/dev/null || true
    wait "$holder" || true
    touch go # what it started still holds the lock
    run rhost apply --wait-lock=5 site.yaml
    status_is 0
    [ -e one ]
}

@test "a command that outlives its run holds the lock until it has ended" {
    hold_the_lock
    kill -KILL $(pgrep -P "$holder") "$holder" 2>/dev/null || true
    wait "$holder" || true
    run rhost apply site.yaml
    status_is 1
    says 'a command that the run of process'
    says 'has left behind holds the lock'
    [ ! -e one ]
    touch go
    run rhost apply --wait-lock=10 site.yaml
    status_is 0
    [ -e one ]
}

@test "a command that outlives its run is not ended for having no reader" {
    manifest long.yaml <<END
resources:
  - exec: talk
    command:
      - sh
      - -c
      - |
        touch $work/started
        until test -e $work/go; do sleep 0.05; done
        seq 100000
        touch $work/finished
END
    rhost apply -q long.yaml 3>&- &
    holder=$!
    until [ -e started ]; do sleep 0.05; done
    kill -KILL $(pgrep -P "$holder") "$holder" 2>/dev/null || true
    wait "$holder" || true
    touch go
    for _ in $(seq 100); do
        [ ! -e finished ] || break
        sleep 0.05
    done
    [ -e finished ]
}

@test "a long text in the lock file is cut, whoever has written it" {
    hold_the_lock
    printf '%0300d\n' 0 >"$BATS_TEST_TMPDIR/state/lock"
    run rhost apply site.yaml
    status_is 1
    says 'holds the lock'
    [ "$(grep -o '00*' <<<"$output" | awk 'length > 100 { print length }')" = 199 ]
}

@test "a lock file that is removed during a run lets no other run begin" {
    hold_the_lock
    rm "$BATS_TEST_TMPDIR/state/lock"
    run rhost apply site.yaml
    status_is 1
    says 'holds the lock'
    [ ! -e one ]
}

@test "a run ends when its state directory is removed, before anything else is changed" {
    manifest long.yaml <<END
resources:
  - exec: wait for go
    command: [sh, -c, "touch $work/started; until test -e $work/go; do sleep 0.05; done"]
    timeout: 60
  - file: $work/later
    content: a
END
    rhost apply long.yaml >out 2>&1 3>&- &
    holder=$!
    until [ -e started ]; do sleep 0.05; done
    mv "$BATS_TEST_TMPDIR/state" "$BATS_TEST_TMPDIR/moved"
    manifest <<END
resources:
  - file: $work/one
    content: a
END
    rhost apply -q site.yaml
    cp -r "$BATS_TEST_TMPDIR/state" before
    touch go
    status=0
    wait "$holder" || status=$?
    status_is 4
    grep 'was removed or replaced during the run' out
    [ ! -e later ]
    diff -r before "$BATS_TEST_TMPDIR/state"
}

@test "a lock that is a link, a FIFO or a device is refused" {
    manifest <<END
resources:
  - file: $work/one
    content: a
END
    mkdir -m 700 "$BATS_TEST_TMPDIR/state"
    ln -s "$work/target" "$BATS_TEST_TMPDIR/state/lock"
    run rhost apply site.yaml
    status_is 1
    says 'cannot open the lock'
    [ ! -e target ]
    rm "$BATS_TEST_TMPDIR/state/lock"
    mkfifo "$BATS_TEST_TMPDIR/state/lock"
    run timeout 20 "${RHOST:-$abs_top_builddir/rhost}" apply --state-dir "$BATS_TEST_TMPDIR/state" site.yaml
    status_is 1
    says 'it is not a regular file'
    [ ! -e one ]
}

@test "an ordinary user validates while a run holds the lock" {
    requires_root
    requires_command runuser
    hold_the_lock
    manifest <<'END'
resources:
  - file: /tmp/x
    content: ${secret_file("/root/nonexistent")}
END
    chmod 644 site.yaml
    chmod 755 "$BATS_TEST_TMPDIR" "$work"
    run runuser -u nobody -- cat "$abs_top_builddir/rhost"
    [ "$status" -eq 0 ] || skip "nobody cannot run what is in this directory"
    run timeout 20 runuser -u nobody -- "$abs_top_builddir/rhost" validate --placeholder-secrets \
        --state-dir "$BATS_TEST_TMPDIR/state" site.yaml
    status_is 0
    says '1 resource, no errors'
}

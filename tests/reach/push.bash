# SPDX-License-Identifier: Apache-2.0
# What tests of pushes share. The targets are on this machine, with a state directory of their own.

source "${abs_top_srcdir:-$BATS_TEST_DIRNAME/../..}/tests/lib.bash"

setup() {
    push_open
}

# A working directory with a site, and a target that is this machine.
push_open() {
    work_open
    target_rhost "$work/remote" "$work/target-state"
    mkdir site
    site <<END
resources:
  - file: $work/out
    content: one
END
}

# target_rhost PATH STATE: the rhost of a target.
target_rhost() {
    cat >"$1" <<END
#!/bin/sh
command=\$1
shift
exec "$abs_top_builddir/rhost" "\$command" --state-dir "$2" "\$@"
END
    chmod 755 "$1"
}

# The manifest of the site on standard input.
site() {
    cat >"$work/site/site.yaml"
}

targets() {
    cat >"$work/targets.yaml"
}

push() {
    "$abs_top_builddir/rhost" push --state-dir "$work/state" --remote-rhost "$work/remote" "$@"
}

# The same in the background: "push_process ... &", whose process is rhost itself.
push_process() {
    exec "$abs_top_builddir/rhost" push --state-dir "$work/state" --remote-rhost "$work/remote" "$@"
}

# Waits until a file is there.
wait_for() {
    for _ in $(seq 200); do
        [ ! -e "$1" ] || return 0
        sleep 0.05
    done
    echo "there is no $1"
    return 1
}

# A run that goes on until the file `go` is there.
slow_site() {
    site <<END
resources:
  - exec: wait for go
    command: [sh, -c, "touch $work/started; until test -e $work/go; do sleep 0.05; done"]
    timeout: 60
  - exec: second
    command: [touch, $work/second]
END
}

# No directory of a site, and no record of a push, is left.
nothing_is_left() {
    local found
    # Other pushes on this machine have sites of their own.
    found=$(grep -lsF "$work/" /run/rhost-push.*/site/site.yaml /dev/shm/rhost-push.*/site/site.yaml || true)
    is "$found" ''
    is "$(ls "$work/target-state/received" 2>/dev/null || true)" ''
}

# SPDX-License-Identifier: Apache-2.0
# A machine to break: what the tests of packages run in.
#
# It is this machine's own root under an overlay in memory, so that the databases of its package
# managers are never touched. All mounts are made by one process in a mount namespace of its own, which
# looks before the first of them whether it really is one, and they end with it. Devices are new ones.
# RHOST is set to a program that runs rhost in there, and `inside` runs anything else.

machine_needs() {
    local program
    requires_root
    for program in chroot nsenter unshare "$@"; do
        requires_command "$program"
    done
}

machine_make() {
    local tries=1000
    machine=$BATS_TEST_TMPDIR/machine
    mkdir -p "$machine"
    cat >"$BATS_TEST_TMPDIR/machine.sh" <<'SETUP'
outside=$1 machine=$2 ready=$3
shift 3
[ -n "$outside" ] && [ "$(readlink /proc/self/ns/mnt)" != "$outside" ] || exit 1
mount --make-rprivate /
mount -t tmpfs tmpfs "$machine"
mkdir "$machine/upper" "$machine/work" "$machine/root"
mount -t overlay overlay -o "lowerdir=/,upperdir=$machine/upper,workdir=$machine/work" "$machine/root"
mount --bind /proc "$machine/root/proc"
mount -t tmpfs -o mode=755 tmpfs "$machine/root/run" # where daemons of this machine listen
mkdir -m 1777 "$machine/root/run/lock"
mount -t tmpfs -o mode=755 tmpfs "$machine/root/dev"
for node in null:3 zero:5 full:7 random:8 urandom:9; do
    mknod -m 666 "$machine/root/dev/${node%:*}" c 1 "${node#*:}"
done
ln -s /proc/self/fd "$machine/root/dev/fd"
ln -s fd/0 "$machine/root/dev/stdin"
mount --bind "$1" "$machine/root$1" # what the test works with
shift
for place; do # what was built may lie elsewhere than on the root
    mkdir -p "$machine/root$place"
    mount --bind "$place" "$machine/root$place"
    mount -o remount,bind,ro "$machine/root$place"
done
: >"$ready"
exec sleep 3600
SETUP
    # What bats waits for at its end is closed, or it would wait for this one.
    unshare --mount --propagation private sh -e "$BATS_TEST_TMPDIR/machine.sh" \
        "$(readlink /proc/self/ns/mnt)" "$machine" "$BATS_TEST_TMPDIR/machine.ready" "$BATS_TEST_TMPDIR" \
        "$abs_top_builddir" "$abs_top_srcdir" "$BATS_FILE_TMPDIR" \
        >"$BATS_TEST_TMPDIR/machine.log" 2>&1 3>&- 4>&- &
    machine_pid=$!
    until [ -e "$BATS_TEST_TMPDIR/machine.ready" ]; do
        kill -0 "$machine_pid" 2>/dev/null && [ $((tries -= 1)) -gt 0 ] ||
            skip "needs overlayfs: $(cat "$BATS_TEST_TMPDIR/machine.log")"
        sleep 0.01
    done
    cat >"$BATS_TEST_TMPDIR/rhost-inside" <<PROGRAM
#!/bin/sh
exec nsenter -t $machine_pid -m chroot '$machine/root' /bin/sh -c 'cd "\$1" && shift && exec "\$@"' \\
    sh "\$PWD" '${RHOST:-$abs_top_builddir/rhost}' "\$@"
PROGRAM
    chmod +x "$BATS_TEST_TMPDIR/rhost-inside"
    RHOST=$BATS_TEST_TMPDIR/rhost-inside
}

machine_end() {
    [ -z "${machine_pid-}" ] || kill "$machine_pid" 2>/dev/null || true
}

inside() {
    nsenter -t "$machine_pid" -m chroot "$machine/root" "$@"
}

# Writes standard input to a file of the machine.
put_inside() {
    inside sh -c 'mkdir -p "$(dirname "$1")" && cat >"$1"' sh "$1"
}

# kept_repo MAKER FUNCTION...: the packages that MAKER makes in $repo. They are made once for all files and isolations,
# and kept below the build tree until the text of MAKER, or of a FUNCTION that it calls, changes.
kept_repo() {
    local all=$abs_top_builddir/tests/packages-made kept

    kept=$all/$1-$(declare -f "$@" | cksum | cut -d ' ' -f 1)
    mkdir -p "$all" "$repo"
    ( # what fails in here fails the test, as long as nobody asks for the status
        flock 9
        if [ ! -d "$kept" ]; then
            rm -rf "$all/$1"-*
            mkdir "$kept.new"
            repo=$kept.new "$1" </dev/null
            mv "$kept.new" "$kept"
        fi
    ) 9>>"$all/lock"
    cp -a "$kept"/. "$repo"
}

# SPDX-License-Identifier: Apache-2.0
# For tests that change accounts: a mount namespace for each test, in which /etc is a copy, and /home,
# /var/mail and /var/log are empty. All of it vanishes with the test. Load this after lib.bash; the test's
# rhost runs in there.
#
#     scratch_open                 in setup, or in the test; skips where it cannot be
#     scratch_close                in teardown, or when something else is to be tested
#     in_scratch COMMAND...        runs a command in there
#     as_login UID COMMAND...      runs it as root, by a process of this user, as sudo does
#
# Directories of /etc that are named in `scratch_shares` are not copied, but those of this machine. They are what takes
# longest to copy, and are for tests that neither change them nor look for mounts.

scratch_is_possible() {
    [ "$(id -u)" -eq 0 ] && unshare --mount true 2>/dev/null
}

scratch_open() {
    requires_root
    scratch_is_possible || skip "no mount namespaces here"
    [ -e "$BATS_TEST_TMPDIR/ready" ] || mkfifo "$BATS_TEST_TMPDIR/ready"
    # In containers some files of /etc are mounts: their content is copied like that of the others.
    unshare --mount --propagation private sh -euc '
        mount -t tmpfs -o mode=0755 none /mnt
        mkdir -p /mnt/home /mnt/mail /mnt/log
        mkdir -m 755 /mnt/etc
        find /etc -mindepth 1 -maxdepth 1 -printf "%f\n" | { [ $# -eq 0 ] && cat || grep -vxF "$(printf "%s\n" "$@")"; } |
            (cd /etc && xargs -d "\n" cp -a -t /mnt/etc)
        for shared; do
            mkdir "/mnt/etc/$shared"
            mount --bind "/etc/$shared" "/mnt/etc/$shared"
        done
        mount --rbind /mnt/etc /etc
        mount --bind /mnt/home /home
        mount --bind /mnt/mail /var/mail
        mount --bind /mnt/log /var/log
        rm -f /etc/.pwd.lock /etc/*.lock
        echo ready
        exec sleep 900' sh ${scratch_shares-} >"$BATS_TEST_TMPDIR/ready" 2>"$BATS_TEST_TMPDIR/scratch.err" 3>&- </dev/null &
    SCRATCH_PID=$!
    read -r ready <"$BATS_TEST_TMPDIR/ready" || true
    [ "$ready" = ready ] || {
        cat "$BATS_TEST_TMPDIR/scratch.err"
        return 1
    }
    SCRATCH_RHOST=${RHOST:-$abs_top_builddir/rhost}
    export SCRATCH_PID SCRATCH_RHOST
    printf '#!/bin/sh\nexec nsenter --mount --wdns="$PWD" --target "$SCRATCH_PID" "$SCRATCH_RHOST" "$@"\n' \
        >"$BATS_TEST_TMPDIR/rhost"
    chmod +x "$BATS_TEST_TMPDIR/rhost"
    RHOST=$BATS_TEST_TMPDIR/rhost
}

scratch_close() {
    [ -z "${SCRATCH_PID-}" ] || kill "$SCRATCH_PID" 2>/dev/null || true
    RHOST=${SCRATCH_RHOST-}
    SCRATCH_PID=
}

in_scratch() {
    nsenter --mount --wdns="$PWD" --target "$SCRATCH_PID" "$@"
}

as_login() {
    python3 -c '
import os, sys
os.setresuid(int(sys.argv[1]), 0, 0)
child = os.fork()
if not child:
    os.setresuid(0, 0, 0)
    os.execvp(sys.argv[2], sys.argv[2:])
sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))' "$@"
}

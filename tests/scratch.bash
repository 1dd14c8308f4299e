# SPDX-License-Identifier: Apache-2.0
# For tests that change accounts: a mount namespace for each test, in which /etc is a copy, and /home,
# /var/mail and /var/log are empty. All of it vanishes with the test. Load this after lib.bash; the test's
# rhost runs in there.
#
#     scratch_open                 in setup, or in the test; skips where it cannot be
#     scratch_close                in teardown, or when something else is to be tested
#     in_scratch COMMAND...        runs a command in there

scratch_is_possible() {
    [ "$(id -u)" -eq 0 ] && unshare --mount true 2>/dev/null
}

scratch_open() {
    requires_root
    scratch_is_possible || skip "no mount namespaces here"
    [ -e "$BATS_TEST_TMPDIR/ready" ] || mkfifo "$BATS_TEST_TMPDIR/ready"
    # The copy is an overlay, which takes no time, where one can be mounted. In containers some files of /etc are mounts:
    # an overlay does not have their content.
    unshare --mount --propagation private sh -euc '
        mount -t tmpfs -o mode=0755 none /mnt
        mkdir -p /mnt/home /mnt/mail /mnt/log
        mkdir -m 755 /mnt/etc /mnt/upper /mnt/work
        if mount -t overlay -o redirect_dir=on,lowerdir=/etc,upperdir=/mnt/upper,workdir=/mnt/work overlay /mnt/etc 2>/dev/null; then
            sed -n "s|^[^ ]* [^ ]* [^ ]* [^ ]* /etc/\([^ ]*\) .*|\1|p" /proc/self/mountinfo | while read -r mounted; do
                cp -aT "/etc/$mounted" "/mnt/etc/$mounted"
            done
        else
            cp -a /etc/. /mnt/etc
        fi
        mount --rbind /mnt/etc /etc
        mount --bind /mnt/home /home
        mount --bind /mnt/mail /var/mail
        mount --bind /mnt/log /var/log
        rm -f /etc/.pwd.lock /etc/*.lock
        echo ready
        exec sleep 900' >"$BATS_TEST_TMPDIR/ready" 2>"$BATS_TEST_TMPDIR/scratch.err" 3>&- </dev/null &
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

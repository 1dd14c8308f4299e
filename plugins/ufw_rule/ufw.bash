# SPDX-License-Identifier: Apache-2.0
# For tests of the types of ufw: a network and a configuration of its own for each test, in which rhost runs.

source "$abs_top_srcdir/tests/one.bash"

ufw_open() {
    requires_root
    for program in ufw iptables; do requires_command "$program"; done
    unshare --net --mount true 2>/dev/null || skip "no namespaces here"
    cat >"$BATS_TEST_TMPDIR/open.sh" <<'SETUP'
ip link set lo up
mkdir "$1/etc" "$1/run"
cp -a /etc/ufw "$1/etc/ufw"
cp -a /etc/default "$1/etc/default"
rm -f "$1"/etc/ufw/user*.rules
cp -a /usr/share/ufw/iptables/user*.rules "$1/etc/ufw/"
sed -i 's/^ENABLED=.*/ENABLED=no/' "$1/etc/ufw/ufw.conf"
mount --bind "$1/etc/ufw" /etc/ufw
mount --bind "$1/etc/default" /etc/default
mount --bind "$1/run" /run
: >"$1/ready"
exec sleep 900
SETUP
    # What bats waits for at its end is closed, or it would wait for this one.
    unshare --net --mount --propagation private sh -e "$BATS_TEST_TMPDIR/open.sh" "$BATS_TEST_TMPDIR" \
        >"$BATS_TEST_TMPDIR/open.log" 2>&1 3>&- 4>&- &
    network=$!
    until_true test -e "$BATS_TEST_TMPDIR/ready"
    printf '#!/bin/sh\nexec nsenter -t %s --net --mount --wd="$PWD" "%s" "$@"\n' "$network" \
        "$abs_top_builddir/rhost" >"$BATS_TEST_TMPDIR/rhost"
    chmod 755 "$BATS_TEST_TMPDIR/rhost"
    RHOST=$BATS_TEST_TMPDIR/rhost
}

ufw_close() {
    [ -z "${network-}" ] || kill "$network"
}

within() {
    nsenter -t "$network" --net --mount "$@"
}

# The rules as ufw would add them.
added() {
    within ufw show added | sed 1d
}

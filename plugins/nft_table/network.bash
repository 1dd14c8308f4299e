# SPDX-License-Identifier: Apache-2.0
# For tests of the types of nftables: a network of its own for each test, in which rhost runs.

network_open() {
    requires_root
    requires_command nft
    unshare --net true 2>/dev/null || skip "no network namespaces here"
    unshare --net sleep 900 3>&- 4>&- &
    network=$!
    until_true network_is_apart
    nsenter --net="/proc/$network/ns/net" nft list ruleset >/dev/null 2>&1 || skip "the kernel has no nftables"
    printf '#!/bin/sh\nexec nsenter --net=/proc/%s/ns/net "%s" "$@"\n' "$network" "${RHOST:-$abs_top_builddir/rhost}" >"$BATS_TEST_TMPDIR/rhost"
    chmod 755 "$BATS_TEST_TMPDIR/rhost"
    RHOST=$BATS_TEST_TMPDIR/rhost
}

network_is_apart() {
    [ "$(readlink "/proc/$network/ns/net")" != "$(readlink /proc/self/ns/net)" ]
}

network_close() {
    [ -z "${network-}" ] || kill "$network"
}

nft() {
    nsenter --net="/proc/$network/ns/net" nft "$@"
}

#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# The example of docs/authors/provider-nftables.md, in a network of its own: make check-nftables. Where libnftables-dev and
# nftables are not installed, or without root, it is skipped; ./bootstrap does not install them.
source "${abs_top_srcdir:-$BATS_TEST_DIRNAME/../../..}/tests/lib.bash"

example=$abs_top_srcdir/docs/examples/providers
cc='gcc -std=gnu11 -O1 -Wall -Wextra -Werror -D_GNU_SOURCE -fPIC -shared -fvisibility=hidden -Wl,-z,defs'

setup_file() {
    [ -e /usr/include/nftables/libnftables.h ] && unshare --net nft list ruleset >/dev/null 2>&1 || return 0
    built=$(cd "$BATS_FILE_TMPDIR" && pwd)
    export built
    mkdir "$built/plugins"
    $cc -I"$abs_top_srcdir/sdk" -o "$built/plugins/nft_element.so" "$example/nft_element.c" -lnftables
}

setup() {
    work_open
    [ -n "${built-}" ] || skip "needs nftables, libnftables-dev and root"
    unshare --net sleep 300 3>&- &
    network=$!
    until [ "$(readlink "/proc/$network/ns/net")" != "$(readlink /proc/self/ns/net)" ]; do sleep 0.05; done
    inside nft -f "$example/nft_element.nft"
}

teardown() {
    [ -z "${network-}" ] || kill "$network"
}

inside() {
    nsenter --net="/proc/$network/ns/net" "$@"
}

# With the manifest on standard input.
elements() {
    cat >site.yaml
    inside "$abs_top_builddir/rhost" apply --plugin-dir "$built/plugins" --isolation="$RHOST_ISOLATION" --state-dir "$work/state" \
        --detailed-exitcodes "$@" site.yaml
}

@test "rhost check finds no fault, but that the library crashes without memory" {
    run rhost check "$built/plugins/nft_element.so" --fixture "$example/nft_element.fixture.yaml" --seed=1 --rounds=20 \
        --allocations=1
    grep '^fail' <<<"$output" | grep -v -e no-memory -e memory-limit && return 1
    says "pass creates nft_element"
    says "pass batch nft_element"
    says "pass listed nft_element"
    says "pass refuses nft_element"
    says_not 'warn '
}

@test "a thousand elements are added in one transaction, with other resources between them, and found in another spelling" {
    { echo 'resources:'
      for i in $(seq 1000); do
          echo "  - nft_element: inet rhost_check blocked 10.0.$((i / 250)).$((i % 250 + 1))"
          [ "$((i % 250))" -ne 0 ] || echo "  - log: note-$i"
      done
      echo '  - {nft_element: "inet rhost_check blocked6 2001:DB8:0::1", comment: "a, } b"}'
    } >many.yaml
    run elements -vv <many.yaml
    status_is 2
    says 'nft_element: set, 1001 changes'
    [ "$(inside nft list set inet rhost_check blocked | grep -o '10\.0\.' | wc -l)" -eq 1000 ]
    run elements <many.yaml
    status_is 0
    sed -i 's/a, } b/another/; /10.0.0.2$/s/$/\n    ensure: absent/' many.yaml
    run elements <many.yaml
    status_is 2
    says "2 changed"
    inside nft list set inet rhost_check blocked6 | grep -q '2001:db8::1 comment "another"'
    inside nft list set inet rhost_check blocked | grep -q '10\.0\.0\.3,'
    inside nft list set inet rhost_check blocked >now
    if grep -q '10\.0\.0\.2[ ,]' now; then false; fi
}

@test "an element that the kernel refuses fails alone, and a set that is not there fails its own" {
    run elements <<'END'
resources:
  - nft_element: inet rhost_check blocked 192.0.2.1
  - nft_element: inet rhost_check blocked 2001:db8::1
  - nft_element: inet rhost_check other 192.0.2.1
  - nft_element: inet rhost_check blocked 192.0.2.2
END
    status_is 6
    says "4 resources: 2 changed, 2 failed"
    says "cannot list the set 'inet rhost_check other': No such file or directory"
    inside nft list set inet rhost_check blocked | grep -q '192.0.2.1, 192.0.2.2'
}

@test "a name, an address and a remark that would be commands are refused before anything is done" {
    for wrong in '{nft_element: "inet rhost_check blocked 999.1.1.1"}' \
        '{nft_element: x, set: "inet a b; flush ruleset", address: 10.0.0.1}' \
        '{nft_element: "inet rhost_check blocked 10.0.0.1", comment: "x\" }; flush ruleset"}'; do
        run elements <<<"resources: [$wrong]"
        status_is 1
    done
}

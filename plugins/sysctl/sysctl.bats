#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# The kernel that is set here is that of a network of our own: of this machine nothing is.
source "${abs_top_srcdir:-$BATS_TEST_DIRNAME/../..}/tests/lib.bash"
source "$abs_top_srcdir/tests/one.bash"
source "$abs_top_srcdir/tests/scratch.bash"

lib_rhost=$(declare -f rhost)
eval "plain_$lib_rhost"

# Has rhost run in a network namespace that lasts as long as the test.
private_network() {
    requires_root
    requires_command unshare
    requires_command nsenter
    unshare -n true 2>/dev/null || skip "needs a network of its own"
    unshare -n sleep 300 3>&- &
    holder=$!
    while [ "$(readlink /proc/$holder/ns/net)" = "$(readlink /proc/$$/ns/net)" ]; do sleep 0.02; done
    printf '#!/bin/sh\nexec nsenter -t %s -n "%s" "$@"\n' "$holder" \
        "${RHOST:-$abs_top_builddir/rhost}" >"$BATS_TEST_TMPDIR/inside"
    chmod +x "$BATS_TEST_TMPDIR/inside"
    RHOST=$BATS_TEST_TMPDIR/inside
}

teardown() {
    scratch_close
    [ -z "${holder-}" ] || kill "$holder"
}

key() {
    nsenter -t "$holder" -n cat "/proc/sys/$1"
}

set_key() {
    echo "$2" | nsenter -t "$holder" -n tee "/proc/sys/$1" >/dev/null
}

sysctl() {
    local name=$1
    shift
    one "sysctl: $name" "target: $work/conf" -- "$@"
}

# bats test_tags=inline
@test "the running kernel is set, and the file" {
    private_network
    for RHOST_ISOLATION in $isolations; do
        rm -f conf
        set_key net/ipv4/ip_forward 0
        sysctl net.ipv4.ip_forward converges <<<'value: 1'
        [ "$(key net/ipv4/ip_forward)" = 1 ]
        [ "$(cat conf)" = "net.ipv4.ip_forward = 1" ]
    done
}

# bats test_tags=inline
@test "noop shows both, and sets nothing" {
    private_network
    set_key net/ipv4/ip_forward 0
    sysctl net.ipv4.ip_forward run apply --noop <<<'value: 1'
    status_is 0
    says 'value 0 → 1'
    says "persist '$work/conf' does not have it"
    [ "$(key net/ipv4/ip_forward)" = 0 ]
    [ ! -e conf ]
}

@test "drift of either is repaired" {
    private_network
    sysctl net.ipv4.ip_forward converges <<<'value: 1'
    set_key net/ipv4/ip_forward 0
    run rhost apply --detailed-exitcodes "$BATS_TEST_TMPDIR/site.yaml"
    status_is 2
    says 'value 0 → 1'
    says_not persist
    echo 'net.ipv4.ip_forward=0' >conf
    run rhost apply --detailed-exitcodes "$BATS_TEST_TMPDIR/site.yaml"
    status_is 2
    says "'$work/conf' has the value '0'"
    says_not 'value 0 → 1'
    [ "$(cat conf)" = "net.ipv4.ip_forward=1" ]
}

@test "tabs and blanks in a value are the same" {
    private_network
    sysctl net.ipv4.tcp_rmem converges <<<'value: "5000   131072 6291456"'
    [ "$(key net/ipv4/tcp_rmem)" = "5000	131072	6291456" ]
    [ "$(cat conf)" = "net.ipv4.tcp_rmem = 5000 131072 6291456" ]
    printf 'net.ipv4.tcp_rmem=5000\t131072  6291456 \n' >conf
    run rhost apply --detailed-exitcodes "$BATS_TEST_TMPDIR/site.yaml"
    status_is 0
}

@test "a line without a key is left as it is" {
    private_network
    printf ' = 1\n=1\n-=1\n - = 1\n \t= 2\n# =1\n' >conf
    cp conf before
    sysctl net.ipv4.ip_forward converges <<<'value: 0'
    cmp <(head -n 6 conf) before
    [ "$(tail -n 1 conf)" = "net.ipv4.ip_forward = 0" ]
    printf 'net.ipv4.ip_forward  \t = 1\n' >conf # blanks before the mark
    sysctl net.ipv4.ip_forward converges <<<'value: 0'
    [ "$(cat conf)" = "net.ipv4.ip_forward  	 = 0" ]
}

@test "a key with slashes is the same as one with dots" {
    printf '# mine\nnet/ipv4/conf/eth0.7/rp_filter = 2\n' >conf
    sysctl net.ipv4.conf.eth0/7.rp_filter is_in_sync <<'END'
value: 2
apply: false
END
    sysctl net/ipv4/conf/eth0.7/rp_filter converges <<'END'
value: 1
apply: false
END
    says '1 ok'
    [ "$(cat conf)" = "# mine
net/ipv4/conf/eth0.7/rp_filter = 1" ]
    run apply <<END
resources:
  - sysctl: [net/ipv4/ip_forward, net.ipv4.ip_forward]
    value: 1
    apply: false
    target: $work/conf
END
    status_is 1
    says 'net.ipv4.ip_forward'
}

@test "an interface with a dot in its name" {
    private_network
    requires_command ip
    nsenter -t "$holder" -n ip link set lo name d0.7 2>/dev/null || skip "needs to rename an interface"
    sysctl net.ipv4.conf.d0/7.rp_filter converges <<<'value: 2'
    [ "$(key net/ipv4/conf/d0.7/rp_filter)" = 2 ]
}

@test "only the kernel, or only the file" {
    private_network
    echo 'net.ipv4.ip_forward = 1' >conf
    set_key net/ipv4/ip_forward 0
    sysctl net.ipv4.ip_forward converges <<'END'
value: 1
persist: false
END
    [ "$(key net/ipv4/ip_forward)" = 1 ]
    [ ! -s conf ]
    sysctl net.ipv4.ip_forward converges <<'END'
value: 0
apply: false
END
    [ "$(key net/ipv4/ip_forward)" = 1 ]
    [ "$(cat conf)" = "net.ipv4.ip_forward = 0" ]
}

@test "nothing is written where only the kernel is set" {
    private_network
    set_key net/ipv4/ip_forward 0
    sysctl net.ipv4.ip_forward converges <<'END'
value: 1
persist: false
END
    [ ! -e conf ]
}

@test "absent takes it out of the file alone" {
    private_network
    set_key net/ipv4/ip_forward 1
    printf 'a.b = 1\n-net/ipv4/ip_forward = 1\n; c\nnet.ipv4.ip_forward=0\n' >conf
    sysctl net.ipv4.ip_forward converges <<<'ensure: absent'
    [ "$(cat conf)" = "a.b = 1
; c" ]
    [ "$(key net/ipv4/ip_forward)" = 1 ]
}

@test "the last entry of a file counts" {
    printf 'a.b = 1\na.b = 2\n' >conf
    sysctl a.b is_in_sync <<'END'
value: 2
apply: false
END
    sysctl a.b converges <<'END'
value: 3
apply: false
END
    [ "$(cat conf)" = "a.b = 1
a.b = 3" ]
}

# bats test_tags=inline
@test "what the kernel refuses is not written into the file" {
    private_network
    sysctl net.ipv4.ip_forward fails "the kernel refuses the value 'many'" <<<'value: many'
    [ ! -e conf ]
    sysctl net.ipv4.no_such_key fails "the kernel has no such key; its module may not be loaded" <<<'value: 1'
    [ ! -e conf ]
    run rhost apply --noop "$BATS_TEST_TMPDIR/site.yaml"
    status_is 4
    says 'the kernel has no such key'
}

# bats test_tags=inline
@test "one that fails does not keep the others from being set" {
    private_network
    run apply <<END
resources:
  - sysctl: net.ipv4.no_such_key
    value: 1
    target: $work/conf
  - sysctl: net.ipv4.ip_forward
    value: 1
    target: $work/conf
END
    status_is 4
    [ "$(cat conf)" = "net.ipv4.ip_forward = 1" ]
    [ "$(key net/ipv4/ip_forward)" = 1 ]
}

@test "a /proc/sys that is read-only is named as what it is" {
    private_network
    set_key net/ipv4/ip_forward 0
    printf '#!/bin/sh\nmount --bind /proc/sys /proc/sys && mount -o remount,ro,bind /proc/sys && exec "%s" "$@"\n' \
        "${abs_top_builddir}/rhost" >readonly
    chmod +x readonly
    printf '#!/bin/sh\nexec nsenter -t %s -n unshare -m "%s" "$@"\n' "$holder" "$work/readonly" >outer
    chmod +x outer
    RHOST=$work/outer
    sysctl net.ipv4.ip_forward fails "/proc/sys is read-only here, as in most containers" <<<'value: 1'
    says "'apply: false' writes the file alone"
    [ ! -e conf ]
}

@test "many entries are one rewrite" {
    requires_command strace
    [ -z "${RHOST_WATCHED-}" ] || skip "two cannot trace one process"
    {
        echo 'resources:'
        for i in $(seq 1 40); do
            printf '  - sysctl: a.b%s\n    value: %s\n    apply: false\n    target: %s\n' "$i" "$i" "$work/conf"
        done
    } >site.yaml
    echo '# x' >conf
    sleep 0.1
    run strace -f -e trace=renameat,rename -o trace "${RHOST:-$abs_top_builddir/rhost}" \
        apply --state-dir state --isolation="$RHOST_ISOLATION" site.yaml
    status_is 0
    [ "$(wc -l <conf)" -eq 41 ]
    [ "$(grep -c 'renameat.*"conf"' trace)" -eq 1 ]
}

@test "an entry that a later file overrides is not persistent, and says which file that is" {
    scratch_open
    in_scratch rm -rf /etc/sysctl.d /etc/sysctl.conf
    in_scratch mkdir /etc/sysctl.d
    in_scratch sh -c 'echo net.ipv4.ip_forward=1 >/etc/sysctl.d/98-before.conf'
    in_scratch sh -c 'echo "net.ipv4.ip_forward = 1" >/etc/sysctl.d/99-rhost.conf'
    in_scratch sh -c 'echo "# net.ipv4.ip_forward=0" >/etc/sysctl.conf'
    in_scratch ln -s ../sysctl.conf /etc/sysctl.d/99-sysctl.conf
    printf 'resources:\n  - sysctl: net.ipv4.ip_forward\n    value: 1\n    apply: false\n' >site.yaml
    for RHOST_ISOLATION in $isolations; do
        run rhost apply --detailed-exitcodes site.yaml
        status_is 0
        in_scratch sh -c 'echo net/ipv4/ip_forward=0 >/etc/sysctl.conf'
        run rhost apply --noop --detailed-exitcodes site.yaml
        status_is 2
        says "'/etc/sysctl.conf' is read after '/etc/sysctl.d/99-rhost.conf' and has the value '0'"
        run rhost apply site.yaml
        status_is 4
        says "would set it to '0' at boot: remove that entry"
        # One that has the same value is none of our business, and neither is one that nobody reads.
        in_scratch sh -c 'echo net/ipv4/ip_forward=1 >/etc/sysctl.conf; echo net.ipv4.ip_forward=0 >/etc/sysctl.d/99-x'
        run rhost apply --detailed-exitcodes site.yaml
        status_is 0
        # Of two directories the first counts, and a link to nothing hides a file.
        in_scratch sh -c 'mkdir -p /mnt/lib && mount --bind /mnt/lib /usr/lib/sysctl.d &&
            echo net.ipv4.ip_forward=0 >/usr/lib/sysctl.d/99-y.conf; echo >/etc/sysctl.conf' || skip "no /usr/lib/sysctl.d"
        run rhost apply site.yaml
        status_is 4
        says "'/usr/lib/sysctl.d/99-y.conf' is read after"
        in_scratch ln -sf /dev/null /etc/sysctl.d/99-y.conf
        run rhost apply --detailed-exitcodes site.yaml
        status_is 0
        in_scratch sh -c 'umount /usr/lib/sysctl.d; rm /etc/sysctl.d/99-y.conf; echo >/etc/sysctl.conf'
    done
    # A value of its own for the file is a matter of that file, and what is managed there is the last.
    in_scratch sh -c 'echo net/ipv4/ip_forward=0 >/etc/sysctl.conf'
    printf '    target: /etc/sysctl.conf\n' >>site.yaml
    run rhost apply --detailed-exitcodes site.yaml
    status_is 2
    is "$(in_scratch cat /etc/sysctl.conf)" net/ipv4/ip_forward=1
}

@test "the kernel may make another value of it, and that is a failure" {
    private_network
    for RHOST_ISOLATION in $isolations; do
        rm -f conf
        set_key net/ipv4/ip_forward 0
        # It takes the number, and shows it without the leading zeros.
        sysctl net.ipv4.ip_forward fails "the kernel accepted '001', but reports '1'" <<<'value: "001"'
        [ ! -e conf ]
    done
}

@test "mistakes are named" {
    sysctl net..ipv4 fails 'a part of it is empty or only dots' <<<'value: 1'
    sysctl net/../../etc fails 'a part of it is empty or only dots' <<<'value: 1'
    sysctl net.ipv4./.x fails 'a part of it is empty or only dots' <<<'value: 1'
    sysctl 'net.*.x' fails 'expects a match for Pattern' <<<'value: 1'
    sysctl a.b fails 'it is nothing but blanks' <<<'value: "  "'
    sysctl a.b fails "cannot be created without 'value'" <<<'apply: false'
    [ ! -e conf ]
}

# bats test_tags=inline
@test "what is listed is as wanted, both ways" {
    private_network
    for RHOST_ISOLATION in $isolations; do
        run rhost resource sysctl
        status_is 0
        says 'sysctl: net.ipv4.ip_forward'
        says 'persist: false'
        echo "$output" | grep -A9 'sysctl: net\.' >/dev/null
        { echo resources: && awk '/^  - /{on = /sysctl: net\./} on' <<<"$output"; } >listed.yaml
        run rhost apply --noop --detailed-exitcodes listed.yaml
        status_is 0
    done
}

@test "the file may have another value than the kernel" {
    private_network
    for RHOST_ISOLATION in $isolations; do
        rm -f conf
        set_key net/ipv4/ip_forward 0
        sysctl net.ipv4.ip_forward converges <<<$'value: 1\npersist: 0'
        [ "$(key net/ipv4/ip_forward)" = 1 ]
        [ "$(cat conf)" = "net.ipv4.ip_forward = 0" ]
        echo 'net/ipv4/ip_forward=2' >conf
        run apply --noop <"$BATS_TEST_TMPDIR/body"
        says "'$work/conf' has the value '2'"
        sysctl net.ipv4.ip_forward converges <<<$'value: 1\npersist: " 0 "'
        [ "$(cat conf)" = "net/ipv4/ip_forward=0" ]
        sysctl net.ipv4.ip_forward converges <<<$'value: 1\npersist: 1'
        [ "$(cat conf)" = "net/ipv4/ip_forward=1" ]
        sysctl net.ipv4.ip_forward converges <<<$'value: 0\npersist: false'
        [ ! -s conf ]
        sysctl net.ipv4.ip_forward fails persist <<<$'value: 0\npersist: "true"'
    done
}

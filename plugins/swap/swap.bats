#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# On loop devices of the test, and files in a file system on one. The kernel swaps to them for as long as a test takes.
source "${abs_top_srcdir:-$BATS_TEST_DIRNAME/../..}/tests/lib.bash"
source "$abs_top_srcdir/tests/one.bash"
source "$abs_top_srcdir/plugins/filesystem/loop.bash"

setup() {
    work_open
    requires_root
    requires_command mkswap
    requires_command mkfs.ext4
}

teardown() {
    local file
    for file in "$work"/mnt/*; do
        swapoff "$file" 2>/dev/null || true
    done
    [ ! -d "$work/mnt" ] || umount -q "$work/mnt" || true
    loop_end
}

swap() {
    one "swap: ${1:-$device}" -- "${@:2}"
}

value() {
    blkid -p -o value -s "$1" "${2:-$device}"
}

# The line of the kernel about an area: TYPE PRIORITY.
used() {
    swapon --show=NAME,TYPE,PRIO --noheadings --raw | sed -n "s|^$(realpath "${1:-$device}") ||p"
}

# A file system to make files in, at ./mnt.
with_mount() {
    loop_make "${1:-32M}"
    "mkfs.${2:-ext4}" -q "$device"
    mkdir -p mnt
    mount "$device" mnt
}

content() {
    head -c 1M "${image:-$device}" | md5sum
}

# refuses TEXT PATH ATTRIBUTES: it fails, in a dry run too, and nothing of the image changes.
refuses() {
    local before

    before=$(content)
    for RHOST_ISOLATION in $isolations; do
        for option in --noop --detailed-exitcodes; do
            [ "$RHOST_ISOLATION$option" != none--noop ] || continue
            run swap "$2" apply $option <<<"$3"
            [ "$status" -ne 0 ] && [ "$status" -ne 2 ] || { echo "$output" && return 1; }
            says "$1"
        done
    done
    is "$(content)" "$before"
}

@test "a device becomes a swap area in use, in both isolations" {
    for RHOST_ISOLATION in $isolations; do
        loop_make 1M
        swap "$device" converges <<'END'
label: two words
uuid: AAAAAAAA-0000-4000-8000-00000000000A
priority: 7
END
        is "$(value LABEL) $(value UUID)" 'two words aaaaaaaa-0000-4000-8000-00000000000a'
        is "$(used)" 'partition 7'
        swapoff "$device"
    done
}

@test "a file is made without holes, with mode 0600, and is swapped to" {
    with_mount
    for RHOST_ISOLATION in $isolations; do
        swap "$work/mnt/swap-$RHOST_ISOLATION" converges <<<'size: 1M'
        file=mnt/swap-$RHOST_ISOLATION
        is "$(stat -c '%a %U %s' "$file")" '600 root 1048576'
        [ "$(($(stat -c %b "$file") * 512))" -ge 1048576 ]
        is "$(used "$file" | cut -d' ' -f1)" file
        swap "$work/$file" is_in_sync <<<'size: 1024K'
    done
    is "$(ls -A mnt)" "$(printf '%s\n' lost+found $(printf 'swap-%s ' $isolations))"
}

@test "a file on btrfs is swapped to as well" {
    requires_command mkfs.btrfs
    with_mount 160M btrfs
    swap "$work/mnt/swap" converges <<<'size: 1M'
    is "$(used mnt/swap | cut -d' ' -f1)" file
}

@test "a dry run makes nothing" {
    with_mount
    loop_make 1M
    for RHOST_ISOLATION in $isolations; do
        run swap "$work/mnt/swap" apply --noop <<<'size: 1M'
        status_is 0
        says '(none) → true'
        [ ! -e mnt/swap ]
        run swap "$device" apply --noop <<<''
        status_is 0
        not blkid -p "$device"
    done
}

@test "an area that exists is used as it is, and no longer when that is asked for" {
    loop_make 1M
    mkswap -L mine "$device" >/dev/null
    uuid=$(value UUID)
    swap "$device" converges <<<'priority: 3'
    is "$(used)" 'partition 3'
    swap "$device" is_in_sync <<<'active: true'
    swap "$device" converges <<<'priority: 9'
    is "$(used)" 'partition 9'
    swap "$device" converges <<<'priority: -1'
    swap "$device" converges <<<'active: false'
    is "$(used)" ''
    swap "$device" is_in_sync <<<$'active: false\npriority: 5'
    is "$(value UUID)" "$uuid"
}

@test "what has something else on it is not overwritten" {
    loop_make 8M
    mkfs.ext4 -q "$device"
    refuses 'has a file system (ext4), and not only a swap area' "$device" ''
    mkdir -p mnt
    mount "$device" mnt
    refuses 'has a file system (ext4), and not only a swap area' "$device" ''
    loop_unmount mnt
    loop_make 8M
    printf 'label: gpt\n,4M\n' | sfdisk -q "$device"
    refuses 'has a partition table (gpt)' "$device" ''
    loop_make 8M
    printf 'LUKS\xba\xbe\0\1aes' | dd of="$image" conv=notrunc status=none
    refuses 'has encrypted data (crypto_LUKS)' "$device" ''
    # A machine that hibernates there.
    loop_make 1M
    mkswap "$device" >/dev/null
    printf S1SUSPEND | dd of="$device" bs=1 seek=4086 conv=notrunc status=none
    refuses 'has a swap area (swsuspend), and not only a swap area' "$device" ''
}

@test "a device that is read-only, in use, or has no size is refused" {
    loop_make 1M --read-only
    refuses 'is read-only' "$device" ''
    loop_make 1M
    python3 -c '
import os, sys, time
fd = os.open(sys.argv[1], os.O_RDONLY | os.O_EXCL)
open("claimed", "w")
time.sleep(30)' "$device" 3>&- &
    until_true test -e claimed
    refuses 'is in use; nothing was written' "$device" ''
    kill $!
}

@test "a file that is not a swap area stays as it is" {
    with_mount
    echo mine >mnt/file
    truncate -s 1M mnt/zeros
    mkdir mnt/directory
    refuses 'exists, and is not a swap area; it is not overwritten' "$work/mnt/file" 'size: 1M'
    refuses 'exists, and is not a swap area; it is not overwritten' "$work/mnt/zeros" 'size: 1M'
    refuses 'is neither a block device nor a regular file' "$work/mnt/directory" 'size: 1M'
    is "$(cat mnt/file)" mine
}

@test "a file with holes, of another user, or open to others is not swapped to" {
    with_mount
    truncate -s 1M mnt/holes
    chmod 600 mnt/holes
    mkswap mnt/holes >/dev/null
    refuses 'has holes, and the kernel does not swap to it' "$work/mnt/holes" 'size: 1M'
    dd if=/dev/zero of=mnt/open bs=1M count=1 status=none
    chmod 644 mnt/open
    mkswap mnt/open >/dev/null 2>&1
    refuses 'a swap area must belong to root with mode 0600' "$work/mnt/open" 'size: 1M'
    chmod 600 mnt/open
    chown nobody mnt/open
    isolations=none refuses 'a swap area must belong to root with mode 0600' "$work/mnt/open" 'size: 1M'
    is "$(used mnt/open)" ''
}

@test "a file that could not be turned on again is not turned off" {
    with_mount
    swap "$work/mnt/swap" converges <<<$'size: 1M\npriority: 3'
    chmod 644 mnt/swap
    refuses 'a swap area must belong to root with mode 0600' "$work/mnt/swap" $'size: 1M\npriority: 9'
    is "$(used mnt/swap)" 'file 3'
    swap "$work/mnt/swap" converges <<<$'size: 1M\nactive: false'
}

@test "another size, label or UUID of an area changes nothing" {
    with_mount
    swap "$work/mnt/swap" converges <<<$'size: 1M\nactive: false'
    refuses 'size' "$work/mnt/swap" $'size: 2M\nactive: false'
    refuses 'label' "$work/mnt/swap" $'label: other\nactive: false'
    loop_make 1M
    refuses 'is a device, whose size is not changed' "$device" 'size: 2M'
}

@test "a file that does not fit leaves nothing behind" {
    with_mount 8M
    run swap "$work/mnt/swap" apply <<<'size: 64M'
    [ "$status" -ne 0 ]
    says "cannot make '$work/mnt/swap' with 67108864 bytes: No space left on device"
    is "$(ls -A mnt)" lost+found
    run swap "$work/mnt/nothing/swap" apply <<<'size: 1M'
    [ "$status" -ne 0 ]
    says "directory '$work/mnt/nothing' does not exist"
    run swap "$work/mnt/swap" apply <<<''
    [ "$status" -ne 0 ]
    says "does not exist; 'size' makes it a file"
}

@test "a path that another user can change is refused" {
    with_mount
    mkdir mnt/theirs
    chown nobody mnt/theirs
    run swap "$work/mnt/theirs/swap" apply <<<'size: 1M'
    [ "$status" -ne 0 ]
    says 'is not safe'
    is "$(ls -A mnt/theirs)" ''
}

# The program $1 is the script on standard input for the rhost of the test.
with_program() {
    local path

    path=$(readlink -f "$(command -v "$1")")
    cat >stand-in
    printf '#!/bin/sh\nexec unshare -m sh -c "mount --bind %s %s && exec \\"\\$@\\"" sh %s/rhost "$@"\n' \
        "$work/stand-in" "$path" "$abs_top_builddir" >rhost-inside
    chmod 755 stand-in rhost-inside
    RHOST=$work/rhost-inside
}

@test "what mkswap, swapon and swapoff complain of is said" {
    with_mount
    with_program mkswap <<'END'
#!/bin/sh
echo 'mkswap: error: swap area needs to be at least 40 KiB' >&2
exit 1
END
    run swap "$work/mnt/swap" apply <<<'size: 1M'
    says 'mkswap failed: error: swap area needs to be at least 40 KiB'
    is "$(ls -A mnt)" lost+found
    with_program mkswap <<<'#!/bin/sh'
    run swap "$work/mnt/swap" apply <<<'size: 1M'
    says 'mkswap ended without an error, but'
    is "$(ls -A mnt)" lost+found
    with_program swapon <<'END'
#!/bin/sh
echo 'swapon: /x: swapon failed: Operation not permitted' >&2
exit 255
END
    run swap "$work/mnt/swap" apply <<<'size: 1M'
    [ "$status" -ne 0 ]
    says 'swapon failed: /x: swapon failed: Operation not permitted'
    # It is made, and the next run goes on from there.
    RHOST=
    swap "$work/mnt/swap" converges <<<'size: 1M'
    with_program swapoff <<'END'
#!/bin/sh
echo 'swapoff: /x: swapoff failed: Cannot allocate memory' >&2
exit 4
END
    run swap "$work/mnt/swap" apply <<<$'size: 1M\nactive: false'
    [ "$status" -ne 0 ]
    says 'Cannot allocate memory'
    [ -n "$(used mnt/swap)" ]
}

@test "a size that cannot be is refused" {
    for size in 1 9999999T 41000 0M '"1.5G"' 10X; do
        printf 'resources:\n  - swap: /srv/swap\n    size: %s\n' "$size" >site.yaml
        run rhost validate site.yaml
        [ "$status" -ne 0 ]
        says size
    done
    printf 'resources:\n  - {swap: /srv/swap, size: 9999999T}\n' >site.yaml
    run rhost validate site.yaml
    says 'it is too large'
}

@test "fstab has it by the type mount, which comes after it" {
    with_mount
    : >fstab
    apply >out <<END
resources:
  - mount: $work/mnt/swap
    device: $work/mnt/swap
    fstype: swap
    options: [nofail]
    fstab: $work/fstab
  - swap: $work/mnt/swap
    size: 1M
END
    [ "$(grep -n '^swap' out | cut -d: -f1)" -lt "$(grep -n '^mount' out | cut -d: -f1)" ]
    grep -q "^$work/mnt/swap" fstab
}

@test "areas in use are listed, and the list is a manifest that changes nothing" {
    loop_make 1M
    mkswap "$device" >/dev/null
    swapon --priority 4 "$device"
    for RHOST_ISOLATION in $isolations; do
        rhost resource swap >list.yaml
        grep -qxF "  - swap: $device" list.yaml
        run rhost resource swap "$device"
        says "$(value UUID)"
        printf '%s\n' "$output" | is_in_sync
    done
}

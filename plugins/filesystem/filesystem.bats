#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# On loop devices of the test, with the mkfs of the machine.
source "${abs_top_srcdir:-$BATS_TEST_DIRNAME/../..}/tests/lib.bash"
source "$abs_top_srcdir/tests/one.bash"
source "$abs_top_srcdir/plugins/filesystem/loop.bash"

setup() {
    work_open
    requires_root
    requires_command mkfs.ext4
    requires_command mkfs.xfs
    requires_command mkfs.btrfs
    requires_command mkfs.vfat
}

teardown() {
    [ ! -d "$work/mnt" ] || umount -q "$work/mnt" || true
    loop_end
}

filesystem() {
    one "filesystem: ${1:-$device}" -- "${@:2}"
}

# Of what is written to the image; mkfs writes to its start.
content() {
    head -c 2M "$image" | md5sum
}

value() {
    blkid -p -o value -s "$1" "${2:-$device}"
}

# refuses TEXT [ATTRIBUTES]: it fails with this text, in a dry run too, and not a byte of the device changes.
refuses() {
    local before

    before=$(content)
    for RHOST_ISOLATION in $isolations; do
        for option in --noop --detailed-exitcodes; do
            [ "$RHOST_ISOLATION$option" != none--noop ] || continue
            run filesystem "$device" apply "$option" <<<"${2:-fstype: ext4}"
            [ "$status" -ne 0 ] && [ "$status" -ne 2 ] || { echo "$output" && return 1; }
            says "$1"
        done
    done
    is "$(content)" "$before"
}

# invalid TEXT ATTRIBUTES: the manifest is refused before anything is looked at.
invalid() {
    printf 'resources:\n  - filesystem: /dev/nothing\n%s\n' "$(sed 's/^/    /' <<<"$2")" >site.yaml
    run rhost validate site.yaml
    [ "$status" -ne 0 ] || { echo "$output" && return 1; }
    says "$1"
}

# A program of the machine is this script, on standard input, for the rhost of the test; the program itself is ./real.
with_program() {
    local path

    path=$(readlink -f "$(command -v "$1")")
    cp "$path" real
    cat >stand-in
    sed -i "s|WORK|$work|g" stand-in
    printf '#!/bin/sh\nexec unshare -m sh -c "mount --bind %s %s && exec \\"\\$@\\"" sh %s/rhost "$@"\n' \
        "$work/stand-in" "$path" "$abs_top_builddir" >rhost-inside
    chmod 755 stand-in rhost-inside
    RHOST=$work/rhost-inside
}

@test "a file system of each type is made, with its label, in both isolations" {
    for type in ext2 ext3 ext4 xfs btrfs vfat; do
        for RHOST_ISOLATION in $isolations; do
            loop_make 320M
            filesystem "$device" converges <<END
fstype: $type
label: DATA
END
            is "$(value TYPE) $(value LABEL)" "$type DATA"
            losetup --detach "$device"
            rm "$image"
        done
    done
}

@test "a UUID and options are those of the manifest" {
    loop_make 8M
    filesystem "$device" converges <<'END'
fstype: ext4
uuid: AAAAAAAA-0000-4000-8000-00000000000A
options: ['-m', '0', '-E', 'lazy_itable_init=0,nodiscard', '-b', '4096']
END
    is "$(value UUID)" aaaaaaaa-0000-4000-8000-00000000000a
    dumpe2fs -h "$device" 2>/dev/null | grep -qx 'Reserved block count: *0'
    loop_make 8M
    filesystem "$device" converges <<<$'fstype: vfat\nuuid: 12ab-cdef'
    is "$(value UUID)" 12AB-CDEF
}

@test "a dry run writes nothing, and says what would be made" {
    loop_make 8M
    before=$(content)
    for RHOST_ISOLATION in $isolations; do
        run filesystem "$device" apply --noop <<<'fstype: ext4'
        status_is 0
        says '(none) → ext4'
    done
    is "$(content)" "$before"
}

@test "what is there already stays as it is, whatever its label" {
    loop_make 8M
    mkfs.ext4 -q -L mine "$device"
    before=$(content)
    for RHOST_ISOLATION in $isolations; do
        filesystem "$device" is_in_sync <<<'fstype: ext4'
    done
    is "$(content)" "$before"
    refuses 'label' $'fstype: ext4\nlabel: other'
    run filesystem "$device" apply <<<$'fstype: ext4\nlabel: other\nreplace: true'
    [ "$status" -ne 0 ]
    says 'cannot be removed to be replaced'
    is "$(content)" "$before"
}

@test "another file system, or a swap area, is not overwritten" {
    for made in 'mkfs.xfs -q' 'mkfs.btrfs -q' mkfs.vfat 'mkfs.ext2 -q' mkswap; do
        case $made in *xfs* | *btrfs*) loop_make 320M ;; *) loop_make 8M ;; esac
        $made "$device" >/dev/null
        refuses 'nothing is overwritten'
        done
}

@test "members of RAID, LVM and LUKS are not overwritten" {
    loop_make 8M
    printf 'LUKS\xba\xbe\0\1aes' | dd of="$image" conv=notrunc status=none
    refuses 'encrypted data (crypto_LUKS), and not only'
    truncate -s 0 "$image" && truncate -s 8M "$image"
    # A physical volume, with a checksum that is wrong.
    printf 'LABELONE\1\0\0\0\0\0\0\0\0\0\0\0\x20\0\0\0LVM2 001' | dd of="$image" bs=512 seek=1 conv=notrunc status=none
    refuses 'a part of a volume (LVM2_member)'
    truncate -s 0 "$image" && truncate -s 8M "$image"
    # RAID of version 1.2, 4 KiB after the start.
    python3 -c '
import struct, sys
b = bytearray(256)
struct.pack_into("<IIII", b, 0, 0xa92b4efc, 1, 0, 0)
struct.pack_into("<Q", b, 144, 8)
sys.stdout.buffer.write(b)' | dd of="$image" bs=4096 seek=1 conv=notrunc status=none
    refuses 'a part of a volume (linux_raid_member)'
}

@test "a disk with a partition table is not overwritten, nor is one whose partitions the kernel knows" {
    loop_make 8M
    for table in gpt dos; do
        printf 'label: %s\n,4M\n' "$table" | sfdisk -q "$device"
        refuses "a partition table ($table)"
    done
    addpart "$device" 1 2048 8192
    wipefs -qa "$device"
    refuses 'has partitions'
    # The partition itself is a device like any other.
    filesystem "${device}p1" converges <<<'fstype: ext4'
    loop_forget 1
}

@test "two signatures are refused, even if one is the right one" {
    loop_make 8M
    mkfs.ext4 -q "$device"
    printf 'LUKS\xba\xbe\0\1aes' | dd of="$device" conv=notrunc status=none
    refuses 'has encrypted data (crypto_LUKS) and a file system (ext4), and not only'
}

@test "a mounted device, and a swap area in use, are refused" {
    loop_make 8M
    mkfs.ext4 -q "$device"
    mkdir mnt
    mount "$device" mnt
    # Its signature is gone, and it is still mounted.
    dd if=/dev/zero of="$device" bs=64K count=1 conv=notrunc status=none
    sync "$device"
    refuses "is mounted at '$work/mnt'"
    loop_unmount mnt
    loop_make 8M
    mkswap "$device" >/dev/null
    swapon "$device"
    dd if=/dev/zero of="$image" bs=64K count=1 conv=notrunc status=none
    blockdev --flushbufs "$device"
    refuses 'is a swap area in use'
    swapoff "$device"
}

@test "a file behind a loop device is in use" {
    loop_make 8M
    device=$image refuses 'is in use by'
}

@test "a partition that is mounted keeps the whole disk from being used" {
    loop_make 8M
    printf 'label: dos\n,4M\n' | sfdisk -q "$device"
    addpart "$device" 1 2048 8192
    mkfs.ext4 -q "${device}p1"
    mkdir mnt
    mount "${device}p1" mnt
    refuses 'a partition table (dos)'
    loop_unmount mnt
    loop_forget 1
}

@test "a device that another program has claimed is in use" {
    loop_make 8M
    python3 -c '
import os, sys, time
fd = os.open(sys.argv[1], os.O_RDONLY | os.O_EXCL)
open("claimed", "w")
time.sleep(30)' "$device" 3>&- &
    until_true test -e claimed
    refuses 'is in use; nothing was written'
    kill $!
}

@test "a read-only device is refused" {
    loop_make 8M --read-only
    refuses 'is read-only'
}

@test "links are followed where only root could have made them" {
    loop_make 8M
    ln -s "$device" by-id
    filesystem "$work/by-id" converges <<<'fstype: ext4'
    is "$(value TYPE)" ext4
    loop_make 8M
    mkdir theirs
    ln -s "$device" theirs/by-id
    chown -h nobody theirs theirs/by-id
    before=$(content)
    for RHOST_ISOLATION in $isolations; do
        run filesystem "$work/theirs/by-id" apply <<<'fstype: ext4'
        [ "$status" -ne 0 ]
        says 'unsafe path'
    done
    is "$(content)" "$before"
}

@test "what is neither a device nor a file is refused, and so is what does not exist or has no size" {
    mkdir directory
    : >empty
    mkfifo pipe
    for path in directory pipe /dev/null; do
        run filesystem "$(realpath "$path")" apply <<<'fstype: ext4'
        [ "$status" -ne 0 ]
        says 'is neither a block device nor a regular file'
    done
    run filesystem "$work/empty" apply <<<'fstype: ext4'
    says 'has no size'
    run filesystem "$work/nothing" apply <<<'fstype: ext4'
    says "device '$work/nothing' does not exist"
    run filesystem "$work/nothing" apply --noop <<<'fstype: ext4'
    [ "$status" -ne 0 ]
    says "device '$work/nothing' does not exist"
}

# It is blank when it is read, and is not any more when the lock of the device is given to rhost.
@test "a signature that appears after the device was read is not overwritten" {
    loop_make 8M
    loop_meanwhile "mkswap $device >/dev/null"
    run filesystem "$device" apply <<<'fstype: ext4'
    [ "$status" -ne 0 ]
    says 'has a swap area (swap), which is not overwritten'
    is "$(value TYPE)" swap
    wait
}

@test "a path that leads to another device after it was opened is refused" {
    loop_make 8M
    first=$device
    loop_make 8M
    second=$device
    device=$first
    ln -s "$first" link
    loop_meanwhile "ln -sfn $second $work/link"
    run filesystem "$work/link" apply <<<'fstype: ext4'
    [ "$status" -ne 0 ]
    says 'was replaced by another device meanwhile'
    not blkid -p "$first"
    not blkid -p "$second"
    wait
}

@test "a device that stays locked is not written to" {
    loop_make 8M
    flock "$device" sleep 20 3>&- &
    holder=$!
    until_true not flock --nonblock "$device" true
    run filesystem "$device" apply <<<'fstype: ext4'
    kill "$(pgrep -P $holder)"
    [ "$status" -ne 0 ]
    says 'is locked by another program'
    not blkid -p "$device"
}

@test "a mkfs that fails, and a device that is too small, are said" {
    loop_make 8M
    run filesystem "$device" apply <<<'fstype: xfs'
    [ "$status" -ne 0 ]
    says 'mkfs.xfs failed: '
    not blkid -p "$device"
    loop_make 16K
    run filesystem "$device" apply <<<'fstype: btrfs'
    [ "$status" -ne 0 ]
    says 'mkfs.btrfs failed: '
}

@test "a mkfs that was interrupted leaves no file system that is taken for whole" {
    loop_make 8M
    with_program mkfs.ext4 <<'END'
#!/bin/sh
WORK/real -t ext4 "$@"
echo "mkfs.ext4: Input/output error while writing inode tables" >&2
exit 1
END
    run filesystem "$device" apply <<<'fstype: ext4'
    [ "$status" -ne 0 ]
    says 'mkfs.ext4 failed: Input/output error while writing inode tables'
    is "$(value TYPE)" ext4
    RHOST=
    run filesystem "$device" apply <<<'fstype: ext4'
    [ "$status" -ne 0 ]
    says 'is not complete: mkfs was interrupted'
    wipefs -qa "$device"
    filesystem "$device" converges <<<'fstype: ext4'
    # One that somebody else makes is not the one that was interrupted.
    wipefs -qa "$device"
    mkfs.ext4 -q "$device"
    filesystem "$device" is_in_sync <<<'fstype: ext4'
}

@test "a mkfs that does nothing, or is missing, is found out" {
    loop_make 8M
    with_program mkfs.ext4 <<'END'
#!/bin/sh
END
    run filesystem "$device" apply <<<'fstype: ext4'
    [ "$status" -ne 0 ]
    says 'ended without an error, but'
    RHOST=
    mkdir empty
    printf '#!/bin/sh\nexec unshare -m sh -c "mount --bind %s /usr/sbin && exec \\"\\$@\\"" sh %s/rhost "$@"\n' \
        "$work/empty" "$abs_top_builddir" >rhost-inside
    chmod 755 rhost-inside
    RHOST=$work/rhost-inside
    refuses 'mkfs.ext4 is not installed (package e2fsprogs)'
}

@test "options that force, or that lead to another device, are refused" {
    invalid "option '-F' is not allowed for ext4" $'fstype: ext4\noptions: ["-F"]'
    invalid 'is refused: a file system is made on its device alone' $'fstype: ext4\noptions: ["-E", "offset=4096"]'
    invalid 'is refused: a file system is made on its device alone' $'fstype: ext4\noptions: ["-J", "device=UUID=1"]'
    invalid 'is refused: a file system is made on its device alone' $'fstype: xfs\noptions: ["-d", "name=x"]'
    invalid "is not a value of an option of mkfs" $'fstype: xfs\noptions: ["-l", "logdev=/dev/sda"]'
    invalid "is not an option of one letter" $'fstype: ext4\noptions: [/dev/sda]'
    invalid "is not an option of one letter" $'fstype: ext4\noptions: ["-m", "1", sda]'
    invalid "option '-f' is not allowed for btrfs" $'fstype: btrfs\noptions: ["-f"]'
    invalid "is not an option of one letter" $'fstype: btrfs\noptions: ["--force"]'
    invalid "option '-m' needs a value" $'fstype: ext4\noptions: ["-m"]'
    invalid 'a label of xfs has at most 12 characters' $'fstype: xfs\nlabel: thirteen-long'
    invalid 'that of vfat has 8 digits' $'fstype: vfat\nuuid: aaaaaaaa-0000-4000-8000-00000000000a'
    invalid 'a file system of type vfat cannot be grown' $'fstype: vfat\ngrow: true'
}

@test "ext4 grows to the size of its device, and only when that is asked for" {
    loop_make 8M
    mkfs.ext4 -q "$device"
    mkdir mnt
    mount "$device" mnt
    echo kept >mnt/file
    loop_unmount mnt
    truncate -s 32M "$image"
    losetup --set-capacity "$device"
    filesystem "$device" is_in_sync <<<'fstype: ext4'
    filesystem "$device" is_in_sync <<<$'fstype: ext4\ngrow: false'
    run filesystem "$device" apply --noop <<<$'fstype: ext4\ngrow: true'
    status_is 0
    says 'false → true'
    filesystem "$device" converges <<<$'fstype: ext4\ngrow: true'
    mount "$device" mnt
    is "$(cat mnt/file)" kept
    loop_unmount mnt
    truncate -s 64M "$image"
    losetup --set-capacity "$device"
    RHOST_ISOLATION=worker filesystem "$device" converges <<<$'fstype: ext4\ngrow: true'
    e2fsck -fn "$device" >/dev/null 2>&1
}

# Here the kernel may refuse it (CAP_SYS_RESOURCE): the program is what counts.
@test "ext4 that is mounted is grown by resize2fs, without a check" {
    loop_make 8M
    mkfs.ext4 -q "$device"
    truncate -s 32M "$image"
    losetup --set-capacity "$device"
    mkdir mnt
    mount "$device" mnt
    with_program resize2fs <<'END'
#!/bin/sh
echo "$*" >>WORK/called
echo "resize2fs: Permission denied to resize filesystem" >&2
exit 1
END
    run filesystem "$device" apply <<<$'fstype: ext4\ngrow: true'
    [ "$status" -ne 0 ]
    says 'resize2fs failed: Permission denied to resize filesystem'
    is "$(cat called)" "$device"
    loop_unmount mnt
}

@test "a file system with errors is not grown" {
    loop_make 8M
    mkfs.ext4 -q "$device"
    truncate -s 32M "$image"
    losetup --set-capacity "$device"
    debugfs -w -R 'clri <2>' "$device" 2>/dev/null
    run filesystem "$device" apply <<<$'fstype: ext4\ngrow: true'
    [ "$status" -ne 0 ]
    says 'has errors, and is not grown: e2fsck: '
}

@test "xfs and btrfs grow while they are mounted" {
    for type in xfs btrfs; do
        loop_make 320M
        mkfs.$type -q "$device"
        truncate -s 480M "$image"
        losetup --set-capacity "$device"
        run filesystem "$device" apply --noop <<<"fstype: $type"$'\ngrow: true'
        [ "$status" -ne 0 ]
        says "a file system of type $type grows only while it is mounted"
        mkdir -p mnt
        mount "$device" mnt
        echo kept >mnt/file
        filesystem "$device" converges <<<"fstype: $type"$'\ngrow: true'
        is "$(cat mnt/file)" kept
        [ "$(df --output=size -m mnt | tail -n 1)" -gt 400 ]
        loop_unmount mnt
        filesystem "$device" is_in_sync <<<"fstype: $type"$'\ngrow: true'
    done
}

@test "a device that became smaller than its file system is left alone" {
    loop_make 8M
    mkfs.ext4 -q "$device"
    truncate -s 4M "$image"
    losetup --set-capacity "$device"
    before=$(content)
    filesystem "$device" is_in_sync <<<$'fstype: ext4\ngrow: true'
    is "$(content)" "$before"
}

@test "file systems are listed, and the list is a manifest that changes nothing" {
    loop_make 8M
    mkfs.ext4 -q -L listed "$device"
    for RHOST_ISOLATION in $isolations; do
        run rhost resource filesystem "$device"
        status_is 0
        says 'label: listed'
        says "$(value UUID)"
        printf '%s\n' "$output" | is_in_sync
    done
    rhost resource filesystem >list.yaml
    grep -qF "filesystem: $device" list.yaml
}

@test "none can be removed or purged" {
    loop_make 8M
    mkfs.ext4 -q "$device"
    refuses "'ensure'" $'fstype: ext4\nensure: absent'
    run apply <<<$'resources:\n  - purge: filesystem'
    [ "$status" -ne 0 ]
    says 'cannot be purged'
    is "$(value TYPE)" ext4
}

@test "an image in a directory of another user is not touched" {
    mkdir theirs
    truncate -s 8M theirs/image
    chown -R nobody theirs
    run filesystem "$work/theirs/image" apply <<<'fstype: ext4'
    [ "$status" -ne 0 ]
    says 'is not safe: its owner is user'
    truncate -s 8M image
    filesystem "$work/image" converges <<<'fstype: ext4'
}

@test "a table on a disk with sectors of 4096 bytes is seen" {
    loop_make 16M --sector-size 4096
    printf 'label: gpt\n,4M\n' | sfdisk -q --no-reread --no-tell-kernel "$device"
    dd if=/dev/zero of="$device" bs=512 count=1 conv=notrunc status=none # the record that protects it
    refuses 'a partition table (gpt)'
}

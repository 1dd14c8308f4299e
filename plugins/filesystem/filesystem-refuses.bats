#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# What is never touched.
source "${abs_top_srcdir:-$BATS_TEST_DIRNAME/../..}/tests/lib.bash"
source "$abs_top_srcdir/plugins/filesystem/filesystem.bash"

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
    sync "$device"
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

@test "a device that became smaller than its file system is left alone" {
    loop_make 8M
    mkfs.ext4 -q "$device"
    truncate -s 4M "$image"
    losetup --set-capacity "$device"
    before=$(content)
    filesystem "$device" is_in_sync <<<$'fstype: ext4\ngrow: true'
    is "$(content)" "$before"
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

@test "an internal device of LVM or Stratis is not written to" {
    loop_make 8M
    mkdir -p sys/dm
    printf '#!/bin/sh\nexec unshare -m sh -c "mount --bind %s /sys/dev/block/%s && exec \\"\\$@\\"" sh %s/rhost "$@"\n' \
        "$work/sys" "$(lsblk -dno MAJ:MIN "$device" | tr -d ' ')" "$abs_top_builddir" >rhost-inside
    chmod 755 rhost-inside
    RHOST=$work/rhost-inside
    for uuid in LVM-aLo5gBVdLz1eT2oJDfXyZ0wqGkPmNcRsaLo5gBVdLz1eT2oJDfXyZ0wqGkPmNcRs-tdata stratis-1-private-1-flex-mdv; do
        echo "$uuid" >sys/dm/uuid
        refuses "'$device' is an internal device of LVM or Stratis"
    done
    # A volume like any other.
    echo LVM-aLo5gBVdLz1eT2oJDfXyZ0wqGkPmNcRsaLo5gBVdLz1eT2oJDfXyZ0wqGkPmNcRs >sys/dm/uuid
    run filesystem "$device" apply --noop <<<'fstype: ext4'
    status_is 0
}

@test "a file with data in it is not an image" {
    for data in 'QFI\373\0\0\0\3' 'SQLite format 3' 'anything'; do
        device=$work/file image=$work/file
        rm -f file && truncate -s 8M file
        printf "$data" | dd of=file conv=notrunc status=none
        refuses 'is a file with data in it, which is not overwritten'
    done
    rm file && truncate -s 8M file
    printf end | dd of=file bs=1 seek=$((8 * 1048576 - 3)) conv=notrunc status=none
    refuses 'is a file with data in it, which is not overwritten'
    # What the message says.
    truncate -s 0 file && truncate -s 8M file
    filesystem "$device" converges <<<'fstype: ext4'
}

#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# On loop devices of the test. The kernel need not read tables itself: partx tells it.
source "${abs_top_srcdir:-$BATS_TEST_DIRNAME/../..}/tests/lib.bash"
source "$abs_top_srcdir/tests/one.bash"
source "$abs_top_srcdir/plugins/filesystem/loop.bash"

setup() {
    work_open
    requires_root
    requires_command sfdisk
    requires_command partx
}

teardown() {
    [ ! -d "$work/mnt" ] || umount -q "$work/mnt" || true
    loop_end
}

partition() {
    one "partition: ${1:-$device:1}" -- "${@:2}"
}

# START SIZE of a partition, in MiB.
place() {
    sfdisk --json "${2:-$device}" |
        jq -r --arg node "${2:-$device}p$1" '.partitiontable | .partitions[] | select(.node == $node) | "\(.start / 2048) \(.size / 2048)"'
}

# Of the table at both ends.
content() {
    { head -c 1M "$image" && tail -c 1M "$image"; } | md5sum
}

# refuses TEXT TITLE ATTRIBUTES: it fails, in a dry run too, and the table stays as it is.
refuses() {
    local before

    before=$(content)
    for RHOST_ISOLATION in $isolations; do
        for option in --noop --detailed-exitcodes; do
            [ "$RHOST_ISOLATION$option" != none--noop ] || continue
            run partition "$2" apply $option <<<"$3"
            [ "$status" -ne 0 ] && [ "$status" -ne 2 ] || { echo "$output" && return 1; }
            says "$1"
        done
    done
    is "$(content)" "$before"
}

@test "a blank disk gets a table and a partition, and the kernel knows it, in both isolations" {
    for table in gpt dos; do
        for RHOST_ISOLATION in $isolations; do
            loop_make 16M
            partition "$device:1" converges <<<$'size: 4M\ntable: '$table
            is "$(place 1)" '1 4'
            is "$(sfdisk --json "$device" | jq -r .partitiontable.label)" "$table"
            is "$(blockdev --getsize64 "${device}p1")" 4194304
        done
    done
}

@test "partitions get their numbers, types and names, and the free space that is there" {
    loop_make 32M
    partition "$device:3" converges <<<$'size: 8M\ntype: uefi\nlabel: EFI system'
    partition "$device:1" converges <<<$'size: 4M\ntype: swap'
    partition "$device:2" converges <<<'type: 0FC63DAF-8483-4772-8E79-3D69D8477DE4'
    is "$(place 3) $(place 1) $(place 2)" '1 8 9 4 13 18'
    is "$(sfdisk --part-type "$device" 3)" C12A7328-F81F-11D2-BA4B-00A0C93EC93B
    is "$(sfdisk --part-label "$device" 3)" 'EFI system'
    sfdisk --verify "$device" | grep -q 'No errors detected'
    refuses "has no free space for partition 4: 1 MiB are wanted, and the largest has 0 MiB" "$device:4" ''
}

@test "the first gap that is large enough is used, and without a size the largest" {
    loop_make 32M
    printf 'label: gpt\nstart=1MiB, size=1MiB\nstart=4MiB, size=2MiB\nstart=20MiB, size=1MiB\n' | sfdisk -q --no-reread --no-tell-kernel "$device"
    partition "$device:8" converges <<<'size: 2M'
    is "$(place 8)" '2 2'
    partition "$device:9" converges <<<'type: lvm'
    is "$(place 9)" '6 14'
    refuses 'and the largest has 10 MiB' "$device:10" 'size: 11M'
}

@test "a disk with sectors of 4096 bytes has its partitions where others have them" {
    loop_make 32M --sector-size 4096
    partition "$device:1" converges <<<'size: 4M'
    partition "$device:2" converges <<<'grow: true'
    is "$(blockdev --getsize64 "${device}p1") $(blockdev --getsize64 "${device}p2")" "$((4 << 20)) $((26 << 20))"
    sfdisk --verify "$device" | grep -q 'No errors detected'
}

@test "an MBR on a disk of more than 2 TiB with sectors of 4096 bytes is not touched" {
    loop_make 3T --sector-size 4096
    refuses 'has more than 2 TiB and sectors of 4096 bytes' "$device:1" $'table: dos\nsize: 1M'
    printf 'label: dos\nstart=2.5TiB, size=4MiB\n' | sfdisk -q --no-reread --no-tell-kernel "$device"
    refuses 'has more than 2 TiB and sectors of 4096 bytes' "$device:2" 'size: 1M'
    loop_make 3T --sector-size 4096
    partition "$device:1" converges <<<'size: 4M'
}

@test "a dry run writes nothing" {
    loop_make 16M
    before=$(content)
    for RHOST_ISOLATION in $isolations; do
        run partition "$device:1" apply --noop <<<'size: 4M'
        status_is 0
        says '(none) → 4194304'
    done
    is "$(content)" "$before"
}

@test "a partition grows into the space behind it, also while it is mounted" {
    requires_command mkfs.ext4
    loop_make 32M
    partition "$device:1" converges <<<'size: 4M'
    mkfs.ext4 -q "${device}p1"
    mkdir mnt
    mount "${device}p1" mnt
    echo kept >mnt/file
    uuid=$(sfdisk --part-uuid "$device" 1)
    partition "$device:1" is_in_sync <<<'grow: false'
    partition "$device:1" converges <<<'size: 8M'
    partition "$device:1" converges <<<'grow: true'
    is "$(place 1)" '1 30'
    is "$(blockdev --getsize64 "${device}p1")" $((30 << 20))
    is "$(sfdisk --part-uuid "$device" 1)" "$uuid"
    is "$(cat mnt/file)" kept
    loop_unmount mnt
}

@test "a disk that has become larger gives its space to the last partition" {
    loop_make 16M
    partition "$device:1" converges <<<'grow: true'
    is "$(place 1)" '1 14'
    truncate -s 24M "$image"
    losetup --set-capacity "$device"
    partition "$device:1" is_in_sync <<<'type: linux'
    partition "$device:1" converges <<<'grow: true'
    is "$(place 1)" '1 22'
    sfdisk --verify "$device" | grep -q 'No errors detected'
}

@test "none becomes smaller, and none grows into the next" {
    loop_make 32M
    printf 'label: gpt\nstart=1MiB, size=8MiB\nstart=12MiB, size=4MiB\n' | sfdisk -q --no-reread --no-tell-kernel "$device"
    refuses 'has 8388608 bytes, and is never made smaller' "$device:1" 'size: 4M'
    refuses 'are only 3 MiB free' "$device:1" 'size: 12M'
    partition "$device:1" converges <<<'grow: true'
    is "$(place 1) $(place 2)" '1 11 12 4'
}

@test "another type, name or table of what exists changes nothing" {
    loop_make 16M
    printf 'label: dos\nstart=1MiB, size=4MiB, type=83\n' | sfdisk -q --no-reread --no-tell-kernel "$device"
    refuses 'has a partition table (dos), which is not replaced' "$device:1" 'table: gpt'
    refuses 'has a partition table (dos), which is not replaced' "$device:2" 'table: gpt'
    refuses 'type' "$device:1" 'type: swap'
    refuses 'whose partitions have no name' "$device:2" 'label: x'
    refuses 'in an MBR it is from 1 to 4' "$device:5" 'size: 1M'
    refuses 'has no such type' "$device:2" 'type: bios_boot'
}

@test "a disk with a file system, a swap area, or a member of something as a whole is not touched" {
    requires_command mkfs.ext4
    loop_make 16M
    mkfs.ext4 -q "$device"
    refuses 'has a file system (ext4), and not only a partition table' "$device:1" 'size: 1M'
    loop_make 16M
    mkswap "$device" >/dev/null
    refuses 'has a swap area (swap)' "$device:1" 'size: 1M'
    loop_make 16M
    printf 'LUKS\xba\xbe\0\1aes' | dd of="$image" conv=notrunc status=none
    refuses 'has encrypted data (crypto_LUKS)' "$device:1" 'size: 1M'
    loop_make 16M
    printf 'LABELONE\1\0\0\0\0\0\0\0\0\0\0\0\x20\0\0\0LVM2 001' | dd of="$image" bs=512 seek=1 conv=notrunc status=none
    refuses 'has a part of a volume (LVM2_member)' "$device:1" 'size: 1M'
}

@test "a table of another type, or one that is damaged, is not touched" {
    loop_make 16M
    printf 'label: sun\n' | sfdisk -q --no-reread --no-tell-kernel "$device"
    refuses 'has a partition table (sun), and not only a partition table of type gpt or dos' "$device:1" 'size: 1M'
    loop_make 16M
    printf 'label: gpt\nstart=1MiB, size=8MiB\n' | sfdisk -q --no-reread --no-tell-kernel "$device"
    # The first header is gone, and its copy at the end is left.
    dd if=/dev/zero of="$device" bs=512 seek=1 count=1 conv=notrunc status=none
    refuses 'is damaged, and only its copy is left' "$device:2" 'size: 1M'
    loop_make 16M
    printf 'label: gpt\nstart=1MiB, size=8MiB\n' | sfdisk -q --no-reread --no-tell-kernel "$device"
    # The first header is there, and its entries are not what its checksum says.
    printf x | dd of="$device" bs=1 seek=1080 conv=notrunc status=none
    refuses 'is damaged, and only its copy is good' "$device:2" 'size: 1M'
    loop_make 16M
    printf 'label: gpt\nstart=1MiB, size=8MiB\n' | sfdisk -q --no-reread --no-tell-kernel "$device"
    # All but the record that protects it is gone.
    dd if=/dev/zero of="$device" bs=512 seek=1 count=1 conv=notrunc status=none
    dd if=/dev/zero of="$device" bs=512 seek=$((16 * 2048 - 1)) count=1 conv=notrunc status=none
    refuses 'and not only a partition table' "$device:2" 'size: 1M'
}

@test "what overlaps an extended partition is not made" {
    loop_make 32M
    printf 'label: dos\nstart=1MiB, size=4MiB\nstart=8MiB, size=16MiB, type=5\nstart=9MiB, size=2MiB\n' | sfdisk -q --no-reread --no-tell-kernel "$device"
    refuses 'and the largest has 3 MiB' "$device:3" 'size: 4M'
    partition "$device:3" converges <<<'size: 2M'
    is "$(place 3)" '5 2'
    sfdisk --verify "$device" >/dev/null
}

@test "a blank disk that is in use, read-only, or has partitions that the kernel knows is not touched" {
    loop_make 16M --read-only
    refuses 'is read-only' "$device:1" 'size: 1M'
    loop_make 16M
    addpart "$device" 1 2048 2048
    refuses 'has partitions' "$device:1" 'size: 1M'
    loop_forget 1
    python3 -c '
import os, sys, time
fd = os.open(sys.argv[1], os.O_RDONLY | os.O_EXCL)
open("claimed", "w")
time.sleep(30)' "$device" 3>&- &
    until_true test -e claimed
    refuses 'is in use; nothing was written' "$device:1" 'size: 1M'
    kill $!
}

@test "a partition is not a disk, and neither is a file behind a loop device" {
    loop_make 16M
    partition "$device:1" converges <<<'size: 8M'
    refuses 'is a partition, and not a disk' "${device}p1:1" 'size: 1M'
    refuses 'is in use by' "$image:2" 'size: 1M'
}

@test "a disk that another device is made of is not touched, also where it has a table" {
    loop_make 16M
    printf 'label: gpt\nstart=1MiB, size=4MiB\n' | sfdisk -q --no-reread --no-tell-kernel "$device"
    mkdir -p sys/holders/dm-7
    printf '#!/bin/sh\nexec unshare -m sh -c "mount --bind %s /sys/dev/block/%s && exec \\"\\$@\\"" sh %s/rhost "$@"\n' \
        "$work/sys" "$(lsblk -dno MAJ:MIN "$device" | tr -d ' ')" "$abs_top_builddir" >rhost-inside
    chmod 755 rhost-inside
    RHOST=$work/rhost-inside
    refuses "is a part of '/dev/dm-7', which is in use" "$device:2" 'size: 1M'
}

@test "a file with data in it gets no table" {
    truncate -s 16M file
    printf 'QFI\373\0\0\0\3' | dd of=file conv=notrunc status=none
    image=$work/file refuses 'is a file with data in it, which is not overwritten' "$work/file:1" 'size: 1M'
    truncate -s 0 file && truncate -s 16M file
    partition "$work/file:1" converges <<<'size: 1M'
    # sfdisk reads the name of a partition up to a colon.
    truncate -s 16M 'a:b=1,c'
    partition "$work/a:b=1,c:12" converges <<<'size: 1M'
    is "$(sfdisk --json 'a:b=1,c' | jq -r '.partitiontable.partitions[] | "\(.node[-2:]) \(.start)"')" '12 2048'
    is "$(sfdisk --json file | jq -r '.partitiontable.partitions[] | "\(.start) \(.size)"')" '2048 2048'
}

@test "a path that another user can change is refused" {
    loop_make 16M
    mkdir theirs
    ln -s "$device" theirs/disk
    chown -h nobody theirs theirs/disk
    run partition "$work/theirs/disk:1" apply <<<'size: 1M'
    [ "$status" -ne 0 ]
    says 'unsafe path'
    ln -s "$device" disk
    partition "$work/disk:1" converges <<<'size: 1M'
}

# They appear while rhost waits for the lock of the disk.
@test "a signature, or a partition, that appears after the disk was read is not overwritten" {
    loop_make 16M
    loop_meanwhile "mkswap $device >/dev/null"
    run partition "$device:1" apply <<<'size: 1M'
    [ "$status" -ne 0 ]
    says 'has a swap area (swap)'
    wait
    loop_make 16M
    loop_meanwhile "printf 'label: gpt\nstart=1MiB, size=8MiB\n' | sfdisk -q --no-reread --no-tell-kernel $device"
    run partition "$device:1" apply <<<'size: 1M'
    [ "$status" -ne 0 ]
    says 'was made meanwhile'
    is "$(place 1)" '1 8'
    wait
}

# The program $1 is the script on standard input for the rhost of the test.
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

@test "a sfdisk that fails, does nothing, or moves another partition is found out" {
    loop_make 16M
    printf 'label: gpt\nstart=1MiB, size=4MiB\n' | sfdisk -q --no-reread --no-tell-kernel "$device"
    with_program sfdisk <<'END'
#!/bin/sh
echo 'sfdisk: cannot open /dev/x: Input/output error' >&2
exit 1
END
    run partition "$device:2" apply <<<'size: 1M'
    [ "$status" -ne 0 ]
    says 'sfdisk failed: cannot open /dev/x: Input/output error'
    printf '#!/bin/sh\n' >stand-in
    run partition "$device:2" apply <<<'size: 1M'
    [ "$status" -ne 0 ]
    says 'sfdisk ended without an error, but partition 2'
    RHOST=
    loop_make 16M
    printf 'label: gpt\nstart=1MiB, size=4MiB\n' | sfdisk -q --no-reread --no-tell-kernel "$device"
    with_program sfdisk <<'END'
#!/bin/sh
for disk; do :; done
printf 'label: gpt\nstart=2MiB, size=3MiB\nstart=6MiB, size=1MiB\n' | WORK/real -q "$disk"
END
    run partition "$device:2" apply <<<'size: 1M'
    [ "$status" -ne 0 ]
    says 'is not where it was before sfdisk ran'
}

@test "a kernel that does not take a partition is said" {
    loop_make 16M
    with_program partx <<'END'
#!/bin/sh
echo 'partx: /dev/x: error updating partition 1' >&2
exit 1
END
    run partition "$device:1" apply <<<'size: 1M'
    [ "$status" -ne 0 ]
    says 'the kernel did not take partition 1: /dev/x: error updating partition 1'
    RHOST=
    is "$(place 1)" '1 1'
    run partition "$device:1" apply <<<'type: linux'
    [ "$status" -ne 0 ]
    says "the kernel does not have partition 1 of '$device' as the table has it; 'partx --update $device' changes that"
    for attributes in 'size: 1M' '' 'grow: false'; do
        run partition "$device:1" apply --noop <<<"$attributes"
        status_is 0
        says 'the kernel does not have the partition as the table has it'
        for RHOST_ISOLATION in $isolations; do
            partition "$device:1" converges <<<"$attributes"
            is "$(place 1) $(blockdev --getsize64 "${device}p1")" '1 1 1048576'
            loop_forget 1
        done
    done
    # One that has grown, and the kernel has its former size.
    addpart "$device" 1 2048 1024
    partition "$device:1" converges <<<'size: 1M'
    is "$(blockdev --getsize64 "${device}p1")" 1048576
}

@test "wrong attributes are refused" {
    for line in 'size: 1' 'size: 9999999T' 'size: 1500000' 'size: 1K' 'type: nothing' "label: 'a\"b'" 'number: 200' \
        $'size: 1M\n    grow: true' $'table: dos\n    label: x' $'table: dos\n    type: bios_boot' 'table: sun' 'ensure: absent'; do
        printf 'resources:\n  - partition: /dev/x:1\n    %s\n' "$line" >site.yaml
        run rhost validate site.yaml
        [ "$status" -ne 0 ] || { echo "$line" && return 1; }
    done
}

@test "partitions are listed, and the list is a manifest that changes nothing" {
    loop_make 16M
    partition "$device:1" converges <<<$'size: 4M\nlabel: listed'
    for RHOST_ISOLATION in $isolations; do
        run rhost resource partition "$device:1"
        status_is 0
        says 'label: listed'
        printf '%s\n' "$output" | is_in_sync
        rhost resource partition >list.yaml
        grep -q "$device:1\|disk: $device" list.yaml
    done
    run apply <<<$'resources:\n  - purge: partition'
    [ "$status" -ne 0 ]
    says 'cannot be purged'
}

@test "a file system and a mount come after the partition they are on" {
    requires_command mkfs.ext4
    loop_make 32M
    for RHOST_ISOLATION in confined; do
        apply --detailed-exitcodes <<END || [ $? -eq 2 ]
resources:
  - partition: $device:1
    grow: true
    table: gpt
  - filesystem: ${device}p1
    fstype: ext4
    label: whole
    grow: true
END
    done
    is "$(blkid -p -o value -s LABEL "${device}p1")" whole
}

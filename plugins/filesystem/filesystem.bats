#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Making file systems, and growing them.
source "${abs_top_srcdir:-$BATS_TEST_DIRNAME/../..}/tests/lib.bash"
source "$abs_top_srcdir/plugins/filesystem/filesystem.bash"

@test "a file system of each type is made, with its label, in both isolations" {
    for type in ext2 ext3 ext4 xfs btrfs vfat; do
        for RHOST_ISOLATION in $isolations; do
            loop_make 320M
            filesystem "$device" converges <<END
fstype: $type
label: DATA
END
            is "$(value TYPE) $(value LABEL)" "$type DATA"
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
    says "may not be complete: mkfs was interrupted; if nothing of worth is in it, 'wipefs --all $device' removes it"
    mkdir mnt
    mount "$device" mnt
    run filesystem "$device" apply <<<'fstype: ext4'
    [ "$status" -ne 0 ]
    says "whose making was not seen to end, and it is mounted at '$work/mnt': check it"
    loop_unmount mnt
    wipefs -qa "$device"
    filesystem "$device" converges <<<'fstype: ext4'
    # One that somebody else makes is not the one that was interrupted.
    wipefs -qa "$device"
    mkfs.ext4 -q "$device"
    filesystem "$device" is_in_sync <<<'fstype: ext4'
}

@test "a mkfs that fails, and has made nothing, leaves no mark" {
    loop_make 8M
    uuid=aaaaaaaa-0000-4000-8000-00000000000a
    with_program mkfs.ext4 <<'END'
#!/bin/sh
exit 1
END
    run filesystem "$device" apply <<<$'fstype: ext4\nuuid: '$uuid
    [ "$status" -ne 0 ]
    says 'mkfs.ext4 failed: '
    RHOST=
    mkfs.ext4 -q -U "$uuid" "$device"
    filesystem "$device" is_in_sync <<<$'fstype: ext4\nuuid: '$uuid
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
    invalid "is not an option of one letter" $'fstype: vfat\noptions: ["-a", "1"]'
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
        mount -t tmpfs over mnt
        run filesystem "$device" apply <<<"fstype: $type"$'\ngrow: true'
        umount mnt
        [ "$status" -ne 0 ]
        says "is mounted at '$work/mnt', and something else is mounted over it"
        echo kept >mnt/file
        filesystem "$device" converges <<<"fstype: $type"$'\ngrow: true'
        is "$(cat mnt/file)" kept
        [ "$(df --output=size -m mnt | tail -n 1)" -gt 400 ]
        loop_unmount mnt
        filesystem "$device" is_in_sync <<<"fstype: $type"$'\ngrow: true'
    done
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

# SPDX-License-Identifier: Apache-2.0
# For the tests of filesystem, on loop devices with the mkfs of the machine. Load this after lib.bash.

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

# SPDX-License-Identifier: Apache-2.0
# Root file systems for tests that change them, of tarballs that are kept between runs.

# tree_unpack TARBALL DIR: DIR has what the tarball has, and can be changed. The tarball is unpacked once; each DIR is an
# overlay over that, which takes milliseconds. Where none can be mounted, DIR gets files of its own.
#
# tests/run-bats gives files of tests/system and tests/reach a mount namespace of their own: no mount outlives them.
tree_unpack() {
    local kept

    mkdir -p "$2" || return
    if [ "$(id -u)" -eq 0 ] && [[ $2 != *[,:\\]* ]]; then
        kept=$(tree_kept "$1") || return
        mkdir -p "$2.upper" "$2.work"
        chmod --reference="$kept" "$2.upper"
        if mount -t overlay -o "redirect_dir=on,lowerdir=$kept,upperdir=$2.upper,workdir=$2.work" overlay "$2" 2>/dev/null
        then
            return 0
        fi
        rm -rf "$2.upper" "$2.work"
    fi
    tar -C "$2" -xf "$1"
}

# The directory that has what the tarball has. It has programs that are set-user-ID: only root gets there.
tree_kept() {
    local trees=$1.trees kept

    kept=$trees/$(stat -c '%.Y-%i' "$1") || return
    (
        umask 077
        mkdir -p "$trees"
        flock 8
        [ ! -d "$kept" ] || exit 0
        rm -rf --one-file-system "$kept.new"
        mkdir "$kept.new"
        tar -C "$kept.new" -xf "$1" 8>&- && mv "$kept.new" "$kept"
    ) 8>"$1.trees.lock" || return
    echo "$kept"
}

# tree_remove DIR
tree_remove() {
    if mountpoint -q "$1"; then
        umount "$1" || return
    fi
    rm -rf --one-file-system "$1" "$1.upper" "$1.work"
}

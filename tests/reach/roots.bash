# SPDX-License-Identifier: Apache-2.0
# Machines without rhost and without its libraries: root file systems of distributions, and one without any glibc.

source "$abs_top_srcdir/tests/unpack.bash"

roots_cache=${RHOST_TEST_CACHE:-/var/cache/rhost-tests}

# Leaves in ROOT_WHY why a root of this suite can't be had, or nothing, and in ROOT_TARBALL what it is made of:
# root_tarball SUITE
#
# It has the files of the required packages. Of what the packages would do when they are configured, which takes longer
# than all else, it has the accounts, some directories and awk.
root_tarball() {
    local tarball=$roots_cache/required-$1.tar dir=$roots_cache/required-$1.dir

    ROOT_WHY='' ROOT_TARBALL=$tarball
    if [ "$(id -u)" -ne 0 ]; then
        ROOT_WHY="needs root"
        return
    fi
    if [ ! -f "$tarball" ]; then
        command -v debootstrap >/dev/null || {
            ROOT_WHY="needs debootstrap"
            return
        }
        mkdir -p "$roots_cache"
        (
            flock 8
            [ ! -f "$tarball" ] || exit 0
            rm -rf --one-file-system "$dir"
            debootstrap --foreign --variant=minbase "$1" "$dir" >"$tarball.log" 2>&1 8>&- || exit
            for file in passwd group; do
                cp "$dir/usr/share/base-passwd/$file.master" "$dir/etc/$file" || exit
            done
            mkdir -p "$dir"/{home,media,mnt,opt,srv} "$dir"/usr/local/{bin,etc,lib,sbin,share,src}
            [ -e "$dir/usr/bin/awk" ] || ln -s mawk "$dir/usr/bin/awk" || exit
            # In a container debootstrap makes this a link, to what is the machine's own without a chroot.
            [ ! -L "$dir/proc" ] || { rm "$dir/proc" && mkdir "$dir/proc"; } || exit
            rm -rf "$dir/debootstrap" "$dir"/var/cache/apt/archives/*.deb
            tar -C "$dir" -cf "$tarball.new" . && mv "$tarball.new" "$tarball"
            rm -rf --one-file-system "$dir"
        ) 8>"$tarball.lock" 3>&- || {
            ROOT_WHY="no Debian '$1' can be made here"
            return
        }
    fi
}

# root_make SUITE DIR: likewise, and the root is in DIR; see tree_unpack.
root_make() {
    root_tarball "$1"
    [ -n "$ROOT_WHY" ] || tree_unpack "$ROOT_TARBALL" "$2"
}

# A root with busybox and nothing else: no glibc, no /proc, no /etc/passwd.
root_of_busybox() {
    local program

    ROOT_WHY=''
    if [ "$(id -u)" -ne 0 ]; then
        ROOT_WHY="needs root"
        return
    fi
    program=$(command -v busybox) && ! ldd "$program" >/dev/null 2>&1 || {
        ROOT_WHY="needs busybox-static"
        return
    }
    mkdir -p "$1/bin" "$1/dev" "$1/tmp" "$1/var"
    cp "$program" "$1/bin/busybox"
    chroot "$1" /bin/busybox --install -s /bin
    mknod -m 666 "$1/dev/null" c 1 3
}

# talk KIT-OPTIONS... -- ARGUMENTS OF RHOST: on the machine in $root, with the kit in $kit. The answers are in
# $BATS_TEST_TMPDIR/answers, and those of the kit's rhost are printed.
talk() {
    local options=()

    while [ "$1" != -- ]; do
        options+=("$1")
        shift
    done
    "$abs_top_builddir/tests/reach/talk" "${options[@]}" "$kit" -- "${connector[@]}" "$@" 2>"$BATS_TEST_TMPDIR/answers"
}

# ends_with STATUS COMMAND...: the command ends with this status.
ends_with() {
    local wanted=$1 got=0

    shift
    "$@" || got=$?
    [ "$got" -eq "$wanted" ]
}

# The words that the target has answered, with spaces between.
answers() {
    sed -n 's/^RHOST-KIT [^ ]* \(error [^ ]*\|[a-z]*\).*/\1/p' "$BATS_TEST_TMPDIR/answers" | paste -sd ' '
}

kit_possible() {
    WHY=''
    [ -x "$abs_top_builddir/core/rhost-kit" ] || WHY="built without rhost-kit"
    ! grep -q '^#define RH_SANITIZERS' "$abs_top_builddir/config.h" || WHY="built with sanitizers"
}

# kit_make DIR [OPTION...]: the kit of what was just built, of all its plugins or of those that an option names: `kit`.
# For the same options, a file of tests makes it once.
kit_make() {
    local to=$1 kept

    shift
    kept=$BATS_FILE_TMPDIR/kit-$(cksum <<<"$*" | tr ' ' -)
    if [ ! -d "$kept" ]; then
        mkdir "$kept.new"
        "$abs_top_builddir/rhost" kit make -o "$kept.new" "$@" >/dev/null
        mv "$kept.new" "$kept"
    fi
    mkdir -p "$to"
    cp "$kept"/rhost-kit-* "$to"
    kit=$to/$(cd "$kept" && echo rhost-kit-*)
    [ -f "$kit" ]
}

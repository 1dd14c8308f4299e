# SPDX-License-Identifier: Apache-2.0
# A machine of our own: a minimal Debian in a directory, booted with its real init, without a network.

source "$abs_top_srcdir/tests/unpack.bash"

# What our packages need, and what the tests manage, is in the machine from the start: it has no way to
# get anything later.
machine_packages=augeas-lenses,cron,dbus,libarchive13,libaugeas0,libc-ares2,libcrypt1,libcurl4,libelf1,libjson-c5,liblua5.4-0,libltdl7,libmariadb3,libnats3.4,libpcre2-8-0,libpq5,libsodium23,libsqlite3-0,libssl3,libyaml-0-2,procps,systemd,systemd-sysv

# It is kept between runs, under a name that says what is in it: machine_tarball_of PACKAGES
machine_tarball_of() {
    echo "${RHOST_TEST_CACHE:-/var/cache/rhost-tests}/bookworm-$(cksum <<<"$1" | cut -d' ' -f1).tar"
}
machine_tarball=$(machine_tarball_of "$machine_packages")

# For tests that want more than that, all of them the same, so that it is made once: the programs that the
# examples configure, and those that somebody can be locked out with.
machine_with_services() {
    machine_fewer=$machine_packages
    machine_packages+=,curl,iproute2,libpam-systemd,logrotate,nftables,nginx-light,openssh-client,openssh-server
    machine_packages+=,openssl,postgresql,sudo,wireguard-tools
    machine_tarball=$(machine_tarball_of "$machine_packages")
}

machine_path=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin

# Whether a machine can be made and booted here; says why not.
machine_possible() {
    local program

    if [ "$(id -u)" -ne 0 ]; then
        echo "needs root"
        return 1
    fi
    for program in debootstrap systemd-nspawn nsenter dpkg-buildpackage; do
        if ! command -v "$program" >/dev/null; then
            echo "needs $program"
            return 1
        fi
    done
    unshare --mount --pid --fork true 2>/dev/null || {
        echo "no namespaces here"
        return 1
    }
}

# Whether a command can run on a copy of this machine, as `workshop` does it; says why not.
workshop_possible() {
    local dir

    dir=$(mktemp -d) || return
    "$abs_top_srcdir/tests/system/workshop" "$dir/inside" true 3>&- || {
        echo "no copy of this machine can be made"
        rmdir "$dir"/* "$dir"
        return 1
    }
    rmdir "$dir"/* "$dir"
}

# Leaves in MACHINE_WHY why a machine cannot be had, or nothing: machine_wanted [FURTHER-CONDITION]
machine_wanted() {
    local why condition

    export MACHINE_WHY=''
    for condition in machine_possible "$@"; do
        why=$($condition) || {
            MACHINE_WHY=$why
            break
        }
    done
    ! grep -q '^#define RH_SANITIZERS' "$abs_top_builddir/config.h" || MACHINE_WHY="built with sanitizers"
    [ -z "$MACHINE_WHY" ]
}

# machine_base TARBALL: makes the minimal Debian once; later runs find it there. Whoever comes meanwhile waits.
machine_base() {
    local base=$1 dir=$1.dir

    [ ! -f "$base" ] || return 0
    mkdir -p "$(dirname "$base")"
    [ -z "${machine_fewer-}" ] || (machine_packages=$machine_fewer machine_fewer='' &&
        machine_base "$(machine_tarball_of "$machine_packages")")
    exec 8>"$base.lock"
    flock 8
    [ ! -f "$base" ] || return 0
    rm -rf --one-file-system "$dir"
    if [ -z "${machine_fewer-}" ] || ! machine_grow "$(machine_tarball_of "$machine_fewer")" "$dir" >"$base.log" 2>&1 8>&-; then
        rm -rf --one-file-system "$dir"
        debootstrap --variant=minbase --include="$machine_packages" bookworm "$dir" >"$base.log" 2>&1 8>&- || {
            tail -n 20 "$base.log"
            return 1
        }
        rm -f "$dir"/var/cache/apt/archives/*.deb # and what apt knows is a third of all that there is
        find "$dir/var/lib/apt/lists" -type f -delete
    fi
    tar -C "$dir" -cf "$base.new" .
    mv "$base.new" "$base"
    rm -rf --one-file-system "$dir"
    exec 8>&-
}

# machine_grow TARBALL DIR: in DIR, what is in TARBALL with the further packages. It takes half the time of a new one.
machine_grow() {
    mkdir -p "$2"
    tar -C "$2" -xf "$1" || return
    cp /etc/resolv.conf "$2/etc/resolv.conf"
    # No postinst is to start anything.
    printf '#!/bin/sh\nexit 101\n' >"$2/usr/sbin/policy-rc.d"
    chmod 755 "$2/usr/sbin/policy-rc.d"
    # shellcheck disable=SC2086 # a list of words
    unshare --mount --pid --fork --kill-child sh -euc '
        root=$1 path=$2
        shift 2
        inside() { chroot "$root" /usr/bin/env PATH="$path" LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive "$@"; }
        mount -t proc proc "$root/proc"
        inside apt-get -q update
        inside apt-get -qy -o Dpkg::Options::=--force-unsafe-io --no-install-recommends install "$@"
        inside apt-get clean' sh "$2" "$machine_path" ${machine_packages//,/ } || return
    rm -f "$2/usr/sbin/policy-rc.d" "$2"/var/cache/apt/*.bin "$2/var/lib/apt/extended_states"
    find "$2/var/lib/apt/lists" "$2/var/log/apt" -type f -delete
}

# Sums over what the packages are made of. What is only tested has no part in that, but for the fragments
# that say what the tarball has; nor has what a build left beside its sources.
machine_packages_key() (
    cd "$abs_top_srcdir" || exit
    find LICENSE Makefile.am CHANGELOG.md README.md bootstrap configure.ac core debian docs packaging plugins sdk tests \
        -type f ! -name '*.o' ! -name '*.lo' ! -name '*.la' ! -name '*.a' ! -name '*.so' ! -name '*.log' \
        ! -name '*.trs' ! -path '*/.libs/*' ! -path '*/.deps/*' \
        '(' ! -path 'tests/*' -o -name '*.inc' -o -name build-packages -o -name objects-of-build ')' -print0 \
        | sort -z | xargs -0 sha256sum | sha256sum | cut -d ' ' -f 1
)

# machine_packages_built DIR: the packages of this tree, with the source package, are in DIR afterwards. They
# are built once for all the tests that want them, and kept below the build tree until the sources change.
machine_packages_built() {
    local kept=$abs_top_builddir/tests/system/packages key

    key=$(machine_packages_key) && mkdir -p "$kept" "$1" || return
    (
        flock 9 || exit
        if [ ! -e "$kept/$key/done" ]; then
            find "$kept" -mindepth 1 -maxdepth 1 -type d -exec rm -rf --one-file-system {} +
            "$abs_top_srcdir/tests/system/build-packages" "$abs_top_builddir" "$kept/$key" 9>&- || exit
            touch "$kept/$key/done"
        fi
        find "$kept/$key" -maxdepth 1 -type f ! -name done -exec cp -p -t "$1" {} +
    ) 9>>"$kept/lock"
}

# machine_make TARBALL DIR
machine_make() {
    local generator

    tree_unpack "$1" "$2" || return
    mkdir -p "$2/etc/systemd/system-generators"
    echo machine >"$2/etc/hostname"
    # systemd starts these whenever it reads its units, and they have nothing to do here.
    for generator in cryptsetup debug gpt-auto hibernate-resume integritysetup rc-local run system-update veritysetup; do
        ln -sf /dev/null "$2/etc/systemd/system-generators/systemd-$generator-generator"
    done
}

# machine_put_rhost DIR: what was just built, into /opt/rhost.
machine_put_rhost() {
    mkdir -p "$1/opt/rhost"
    cp "$abs_top_builddir/core/rhost" "$abs_top_builddir/core/rhost-worker" \
        "$abs_top_builddir"/plugins/.libs/*.so "$1/opt/rhost/"
    # What the build for mutants is linked with beside the system's libraries. It may be below /tmp, which a machine has in memory.
    ldd "$abs_top_builddir/core/rhost" | sed -n 's|.* => \(/[^ ]*\) .*|\1|p' | { grep -vE '^/(usr/)?lib' || true; } |
        while read -r library; do
            install -D "$library" "$1/usr/local/lib/${library##*/}"
        done
    ldconfig -r "$1"
}

# The machine in `machine`, of the packages wanted, with what was just built. It is not booted yet.
machine_with_rhost() {
    machine_base "$machine_tarball"
    machine_make "$machine_tarball" "$machine"
    machine_put_rhost "$machine"
}

# machine_boot DIR: returns when it is up. The file DIR.leader has the pid of its init. `machine_network` can be the option of
# another network than one of its own.
machine_boot() {
    local tries leader

    systemd-nspawn --quiet --boot --directory="$1" --register=no --keep-unit "${machine_network:---private-network}" \
        --console=pipe </dev/null >"$1.console" 2>&1 3>&- &
    echo $! >"$1.nspawn"
    for ((tries = 0; tries < 600; tries++)); do
        leader=$(cat "/proc/$(cat "$1.nspawn")/task/$(cat "$1.nspawn")/children" 2>/dev/null) || leader=
        leader=${leader%% *}
        if [ -n "$leader" ]; then
            echo "$leader" >"$1.leader"
            case $(machine_run "$1" systemctl is-system-running 2>/dev/null) in
            running | degraded) return 0 ;; # by itself, it returns that of the command
            esac
        fi
        kill -0 "$(cat "$1.nspawn")" 2>/dev/null || break
        sleep 0.2
    done
    echo "the machine does not come up:"
    tail -n 20 "$1.console"
    return 1
}

# machine_run DIR COMMAND...: in the machine, as root.
machine_run() {
    local leader

    leader=$(cat "$1.leader")
    shift
    nsenter --target "$leader" --mount --uts --ipc --net --pid --cgroup --root --wd -- \
        /usr/bin/env -i PATH="$machine_path" HOME=/root TERM=dumb LANG=C.UTF-8 "$@"
}

# machine_stop DIR
machine_stop() {
    local tries pid

    [ -f "$1.nspawn" ] || return 0
    pid=$(cat "$1.nspawn")
    machine_run "$1" systemctl poweroff >/dev/null 2>&1 || true
    for ((tries = 0; tries < 100; tries++)); do
        kill -0 "$pid" 2>/dev/null || break
        sleep 0.2
    done
    kill -9 "$pid" 2>/dev/null || true
    rm -f "$1.nspawn" "$1.leader"
}

# machine_kill DIR: it ends at once, for nothing of it is needed any more.
machine_kill() {
    local tries pid

    [ -f "$1.nspawn" ] || return 0
    pid=$(cat "$1.nspawn")
    ! [ -s "$1.leader" ] || kill -9 "$(cat "$1.leader")" 2>/dev/null || true
    for ((tries = 0; tries < 100; tries++)); do
        kill -0 "$pid" 2>/dev/null || break
        sleep 0.1
    done
    kill -9 "$pid" 2>/dev/null || true
    rm -f "$1.nspawn" "$1.leader"
}

# For teardown_file: the machine in `machine`, if there is one, goes.
machine_leave() {
    if [ -n "${machine-}" ]; then
        machine_kill "$machine"
        tree_remove "$machine"
    fi
}

# For a file about the packages themselves: builds them first; without the tools its cases are skipped.
packages_of_this_tree() {
    setup_file() {
        export WHY='' packages=$BATS_FILE_TMPDIR/packages
        command -v dpkg-buildpackage >/dev/null || WHY="needs dpkg-buildpackage"
        command -v dh >/dev/null || WHY="needs debhelper"
        ! grep -q '^#define RH_SANITIZERS' "$abs_top_builddir/config.h" || WHY="built with sanitizers"
        [ -z "$WHY" ] || return 0
        machine_packages_built "$packages"
    }
    eval "lib_$(declare -f setup)"
    setup() {
        lib_setup
        [ -z "$WHY" ] || skip "$WHY"
    }
}

# lintian has nothing to say: linted FILE...
linted() {
    # Bytes of machine code, between them those of a text, are not text; texts of rhost are in its pages.
    run lintian --allow-root --fail-on error,warning,info --display-info \
        --suppress-tags spelling-error-in-binary "$@"
    [ "$status" -eq 0 ] && [ -z "$output" ] && return
    echo "$output"
    return 1
}

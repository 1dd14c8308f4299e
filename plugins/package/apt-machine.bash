# SPDX-License-Identifier: Apache-2.0
# A machine that lives by apt and dpkg, and packages for it: what the tests of the providers apt and dpkg share.
# The packages are in $repo.

source "$abs_top_srcdir/plugins/package/machine.bash"

# A package with these fields; what standard input says is its postinst.
deb() {
    local name=$1 version=$2 tree=$repo/tree script
    shift 2
    rm -rf "$tree"
    mkdir -p "$tree/DEBIAN" "$tree/usr/share/$name"
    echo "$version" >"$tree/usr/share/$name/version"
    printf '%s\n' "Package: $name" "Version: $version" 'Architecture: all' \
        'Maintainer: A Test <test@example.org>' "$@" 'Description: a package to try' \
        >"$tree/DEBIAN/control"
    if [ "$name" = rt-conf ]; then
        mkdir -p "$tree/etc"
        echo "of $version" >"$tree/etc/rt-conf.conf"
        echo /etc/rt-conf.conf >"$tree/DEBIAN/conffiles"
    fi
    script=$(cat)
    if [ -n "$script" ]; then
        printf '#!/bin/sh\nset -e\n%s\n' "$script" >"$tree/DEBIAN/postinst"
        chmod 755 "$tree/DEBIAN/postinst"
    fi
    dpkg-deb --root-owner-group -Znone --build "$tree" "$repo/${name}_$version.deb" >/dev/null
    {
        cat "$tree/DEBIAN/control"
        printf 'Filename: ./%s\nSize: %s\nSHA256: %s\n\n' "${name}_$version.deb" \
            "$(stat -c %s "$repo/${name}_$version.deb")" \
            "$(sha256sum <"$repo/${name}_$version.deb" | cut -d' ' -f1)"
    } >>"$repo/Packages"
}

debs_to_try() {
    local i

    deb rt-one 1.0
    deb rt-one 1.1
    deb rt-one '2.0~rc1'
    deb rt-two 1.0
    deb rt-conf 1.0
    deb rt-conf 2.0
    deb rt-lib 1.0
    deb rt-top 1.0 'Depends: rt-lib'
    deb rt-rec 1.0 'Recommends: rt-lib'
    deb rt-rival 1.0 'Conflicts: rt-one'
    deb rt-lost 1.0 'Depends: rt-nowhere'
    deb rt-mailer 1.0 'Provides: rt-mail'
    for i in $(seq -w 1 50); do
        deb "rt-p$i" 1.0
    done
    deb rt-bad 1.0 <<<'echo the cupboard is bare >&2
exit 3'
    deb rt-slow 1.0 <<<'[ -e /tmp/rt-quick ] || { touch /tmp/rt-slow-began; sleep 60; }'
}

setup_file() {
    [ "$(id -u)" -eq 0 ] && command -v dpkg-deb >/dev/null || return 0
    repo=$BATS_FILE_TMPDIR/repo
    kept_repo debs_to_try deb
}

# Two packages are installed. That of this machine, with a thousand of them, would be read by apt and dpkg again
# and again.
small_database() {
    inside sh -c 'cd /var/lib/dpkg && rm -rf updates/* info/*.list status && for name in dpkg here-one; do
            printf "/.\n" >"info/$name.list"
            [ "$name" = dpkg ] && arch=$(dpkg --print-architecture) || arch=all
            printf "%s\n" "Package: $name" "Status: install ok installed" "Architecture: $arch" "Version: 1.0" \
                "Maintainer: A Test <test@example.org>" "Description: a package that is there" ""
        done >status'
}

setup() {
    work_open
    machine_needs apt-cache apt-get dpkg-deb dpkg-query
    repo=$BATS_FILE_TMPDIR/repo
    machine_make
    # What other packages of this machine have apt run is no matter of these tests, and takes longer than dpkg.
    inside sh -c 'rm -f /etc/apt/apt.conf.d/20packagekit /etc/apt/apt.conf.d/50appstream /etc/apt/apt.conf.d/70debconf
        rm -rf /etc/apt/sources.list /etc/apt/sources.list.d/* /etc/apt/preferences* /var/lib/apt/lists
        mkdir -p /var/lib/apt/lists/partial; : >/var/log/apt/history.log; : >/var/log/dpkg.log'
    echo 'APT::Sandbox::User "root";' | put_inside /etc/apt/apt.conf.d/99here
    echo "deb [trusted=yes] file:$repo ./" | put_inside /etc/apt/sources.list
    [[ "$BATS_TEST_DESCRIPTION" == *"of this machine"* ]] || small_database
    inside apt-get -q update >/dev/null
}

teardown() {
    machine_end
}

# "1.0 installed", as dpkg has it.
state_of() {
    inside dpkg-query -W -f '${Version} ${db:Status-Status}\n' "$1" 2>/dev/null | grep -v not-installed || true
}

transactions() {
    inside grep -c ^Commandline: /var/log/apt/history.log
}

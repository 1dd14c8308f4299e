#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# A third party's plugin as a Debian package: made by `rhost new`, built by dpkg-buildpackage where rhost-dev is
# installed, and used on a machine that boots. Its source package is built on a copy of this machine; see workshop.

source "${abs_top_srcdir:-$BATS_TEST_DIRNAME/../..}/tests/lib.bash"
source "$abs_top_srcdir/tests/system/machine.bash"

# What a third party does, with a revision of the ABI that is to come as well: there is one more feature, which
# the rhost that is installed does not know. What each build said is in a file.
build_plugins() {
    cat >"$shop/build" <<'END'
set -e
export DEBFULLNAME='Ada Example' DEBEMAIL=ada@example.org
dpkg -i /workshop/packages/*.deb
build() {
    (cd "$1" && dpkg-buildpackage -us -uc) >"$1.said" 2>&1
}
mkdir /workshop/plain /workshop/meson /workshop/newer /workshop/program
cd /workshop/plain
rhost new paper_tray
build paper_tray
cd /workshop/meson
if command -v meson >/dev/null && command -v ninja >/dev/null; then
    rhost new --build=meson paper_tray
    build paper_tray
fi
cd /workshop/program
rhost new motd
rm motd/Makefile motd/motd.*
cp -R /workshop/shell-motd motd/motd
echo 'motd usr/lib/${DEB_HOST_MULTIARCH}/rhost/plugins' >motd/debian/install
rm motd/debian/docs
build motd
cd /workshop/newer
rhost new paper_tray
sed -i 's/^    RHOST_ATTRS(attrs),/&\n    .features = UINT64_C(1) << 31,/' paper_tray/paper_tray.c
sed -i '1s/0\.1\.0/0.2.0/' paper_tray/debian/changelog
sed -i 's/^revision=.*/revision=7/' "$(find /usr/lib -name rhost.pc)"
export DEB_BUILD_OPTIONS=nocheck
! build paper_tray
mv paper_tray.said by-this-rhost.said
printf '#!/bin/sh\nfor last; do :; done\nprintf '"'"'[{"type": "paper_tray", "path": "%%s/paper_tray.so"}]'"'"' "$last"\n' \
    >/usr/local/bin/rhost-to-come
chmod +x /usr/local/bin/rhost-to-come
DH_RHOST=/usr/local/bin/rhost-to-come
export DH_RHOST
build paper_tray
END
    "$abs_top_srcdir/tests/system/workshop" "$shop" sh /workshop/build >"$shop/said" 2>&1 3>&- || {
        cat "$shop"/said "$shop"/*/*.said
        return 1
    }
}

setup_file() {
    machine_wanted workshop_possible || return 0
    export shop=$BATS_FILE_TMPDIR/shop machine=$BATS_FILE_TMPDIR/machine
    machine_base "$machine_tarball"
    machine_packages_built "$BATS_FILE_TMPDIR/packages"
    machine_make "$machine_tarball" "$machine"
    mkdir -p "$shop/packages" "$machine/packages"
    for name in rhost rhost-dev rhost-plugin-bridge; do
        cp "$BATS_FILE_TMPDIR/packages/$name"_*.deb "$shop/packages/"
    done
    cp -R "$abs_top_srcdir/docs/examples/executable/shell-motd" "$shop/"
    cp "$shop"/packages/rhost_*.deb "$shop"/packages/rhost-plugin-bridge_*.deb "$machine/packages/"
    build_plugins
    for directory in plain newer program; do
        mkdir "$machine/packages/$directory"
        find "$shop/$directory" -name '*.deb' ! -name '*-dbgsym_*' -exec cp -t "$machine/packages/$directory" {} +
    done
    machine_boot "$machine"
    machine_run "$machine" sh -c 'dpkg -i /packages/rhost_*.deb' >"$shop/said" 2>&1
}

teardown_file() {
    machine_leave
}

eval "lib_$(declare -f setup)"
setup() {
    lib_setup
    [ -z "$MACHINE_WHY" ] || skip "$MACHINE_WHY"
}

inside() {
    run machine_run "$machine" sh -c "$1"
}

# Whatever stood before, it is installed.
installed() {
    inside 'dpkg -i /packages/plain/*.deb'
    status_is 0
}

manifest() {
    printf 'resources:\n  - paper_tray: /root/tray\n    value: %s\n' "$1" >"$machine/root/site.yaml"
}

@test "five lines of rules are enough, and its own tests are run while it is built" {
    [ "$(wc -l <"$shop/plain/paper_tray/debian/rules")" -le 5 ]
    run cat "$shop/plain/paper_tray.said"
    says "dh_rhost"
    says "ok 6 it keeps the rules that rhost check knows"
    says_not "not ok"
}

@test "with meson it is the same" {
    [ -e "$shop/meson/paper_tray.said" ] || skip "needs meson and ninja"
    diff <(dpkg-deb -c "$shop"/plain/*tray_*.deb | sed 's/.* //') <(dpkg-deb -c "$shop"/meson/*tray_*.deb | sed 's/.* //')
    for field in Depends Provides; do
        [ "$(dpkg-deb -f "$shop"/plain/*tray_*.deb $field)" = "$(dpkg-deb -f "$shop"/meson/*tray_*.deb $field)" ]
    done
    run cat "$shop/meson/paper_tray.said"
    says "Ok: 1"
}

@test "its package needs the ABI from a revision on, and provides its type" {
    run dpkg-deb -f "$shop"/plain/*tray_*.deb Depends Provides
    says "rhost-abi-1 (>= $(sed -n 's/^revision=//p' "$abs_top_builddir/sdk/rhost.pc"))"
    says "libc6"
    says "Provides: rhost-type-paper-tray"
    run dpkg-deb -c "$shop"/plain/*tray_*.deb
    says "/rhost/plugins/paper_tray.so"
    says "/usr/share/doc/rhost-plugin-paper-tray/paper_tray.md"
}

@test "lintian has nothing to say about it" {
    requires_command lintian
    run lintian --allow-root --fail-on error,warning,info --display-info "$shop"/plain/*.changes
    [ "$status" -eq 0 ] && [ -z "$output" ] || {
        echo "$output"
        return 1
    }
}

@test "once it is installed, rhost knows its type without asking it again" {
    inside 'grep paper_tray /var/cache/rhost/plugins.json'
    says "No such file or directory"
    installed
    inside 'grep -c paper_tray /var/cache/rhost/plugins.json'
    status_is 0
    inside 'rhost types'
    says "paper_tray paper_tray 0.1.0"
}

@test "it passes rhost check there" {
    installed
    cp "$shop/plain/paper_tray/fixture.yaml" "$machine/root/"
    inside 'rhost check --fixture /root/fixture.yaml /usr/lib/*/rhost/plugins/paper_tray.so'
    echo "$output"
    status_is 0
    says "pass creates paper_tray"
    says_not "warn"
}

@test "its resources are applied" {
    installed
    manifest A4
    inside 'rm -f /root/tray; rhost apply --detailed-exitcodes /root/site.yaml'
    status_is 2
    [ "$(cat "$machine/root/tray")" = A4 ]
    inside 'rhost apply --detailed-exitcodes /root/site.yaml'
    status_is 0
    manifest A5
    inside 'rhost apply --detailed-exitcodes /root/site.yaml'
    status_is 2
    says "A4 → A5"
    [ "$(cat "$machine/root/tray")" = A5 ]
}

@test "once it is removed its type is gone, and rhost says so" {
    installed
    manifest A4
    inside 'dpkg -r rhost-plugin-paper-tray'
    status_is 0
    inside 'grep -c paper_tray /var/cache/rhost/plugins.json'
    status_is 1
    inside 'rhost apply /root/site.yaml'
    status_is 1
    says "/root/site.yaml:2:5: error: unknown type 'paper_tray'"
}

@test "rhost is not removed while a plugin needs it" {
    installed
    inside 'dpkg -r rhost'
    [ "$status" -ne 0 ]
    says "dependency problems"
    says "rhost-plugin-paper-tray depends on rhost-abi-1"
}

@test "a plugin that is a program is packaged in the same way, and needs the package with the bridge" {
    run dpkg-deb -f "$shop"/program/*motd_*.deb Depends Provides
    says "rhost-abi-1 (>="
    says "rhost-plugin-bridge"
    says "Provides: rhost-type-motd"
    inside 'dpkg -i /packages/program/*.deb'
    [ "$status" -ne 0 ]
    says "rhost-plugin-motd depends on rhost-plugin-bridge"
    inside 'dpkg -i /packages/rhost-plugin-bridge_*.deb && dpkg --configure -a && rhost types'
    status_is 0
    says "motd motd"
    inside 'dpkg --purge rhost-plugin-motd rhost-plugin-bridge && rhost types'
    status_is 0
    says_not "motd motd"
}

@test "a plugin that the installed rhost cannot load ends its build, with the reason" {
    run cat "$shop/newer/by-this-rhost.said"
    says "a newer rhost than"
    says "dh_rhost: error: "
    says "paper_tray.so is not a plugin that rhost can load"
}

@test "a plugin for an ABI to come is not installed by dpkg" {
    run dpkg-deb -f "$shop"/newer/*tray_*.deb Depends
    says "rhost-abi-1 (>= 7)"
    installed
    inside 'dpkg -i /packages/newer/*.deb'
    [ "$status" -ne 0 ]
    says "rhost-plugin-paper-tray depends on rhost-abi-1 (>= 7)"
}

@test "one that is there all the same is not used: rhost says why, and does the rest" {
    inside 'dpkg --force-depends -i /packages/newer/*.deb'
    status_is 0
    manifest A4
    inside 'rhost types'
    status_is 0
    says "paper_tray.so' is not used"
    says "a newer rhost than"
    says_not "paper_tray paper_tray"
    inside 'rhost apply /root/site.yaml'
    status_is 1
    says "unknown type 'paper_tray'"
    inside 'dpkg -r --force-depends rhost-plugin-paper-tray'
    status_is 0
    installed
    inside 'rhost apply /root/site.yaml'
    status_is 0
}

#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# The options with which a packager chooses what is built.
source "${abs_top_srcdir:-$BATS_TEST_DIRNAME/../..}/tests/lib.bash"

# configured OPTION...: the summary and errors of configure. What it finds out of the system is kept for the file.
configured() {
    run "$abs_top_srcdir/configure" --cache-file="$BATS_FILE_TMPDIR/cache" --disable-dependency-tracking "$@"
}

@test "--with-plugins builds and installs these alone, and the tests build the others" {
    configured --with-plugins=link,package
    status_is 0
    grep -qx '  plugins       link package-apt package-dnf package-dpkg package-pacman package-rpm package-zypper' <<<"$output"
    grep -qx '  not chosen    .* exec file .* yaml_setting' <<<"$output"
    grep -qx '  not possible  none' <<<"$output" || [ ! -e "$abs_top_builddir/plugins/mount.la" ]
    [ "$(sed -n 's/^provider_LTLIBRARIES = *//p' Makefile)" = \
        "plugins/link.la$(printf ' plugins/package-%s.la' apt dnf dpkg pacman rpm zypper)" ]
    sed -n 's/^RH_OTHER_PLUGINS = *//p' Makefile | grep -q 'plugins/exec.la plugins/file.la'
    # Which plugins belong to rhost does not depend on it.
    sed -n 's/^RH_ALL_PLUGINS = *//p' Makefile | grep -q '^age .* yaml_setting$'
}

@test "libraries can be left out, and what needs them is named" {
    configured --no-create --without-systemd --without-libmount
    status_is 0
    grep -qx '  not possible  mount (--without-libmount) service-systemd (--without-systemd) systemd_unit (--without-systemd)' \
        <<<"$output"
    grep -q '^  plugins       .* file .* service-sysv' <<<"$output"
}

@test "what is asked for and cannot be built is refused" {
    configured --no-create --with-plugins=file,copy
    [ "$status" -ne 0 ]
    grep -q "error: --with-plugins: unknown plugin 'copy'; known: age alternatives " <<<"$output"
    configured --no-create --with-plugins=mount --without-libmount
    [ "$status" -ne 0 ]
    grep -q 'error: --with-plugins: cannot build mount: --without-libmount' <<<"$output"
    configured --no-create --with-plugins=archive --without-libarchive
    [ "$status" -ne 0 ]
    grep -q 'error: --with-plugins: cannot build archive: --without-libarchive' <<<"$output"
    configured --no-create --with-plugins=x509_key --without-libcrypto
    [ "$status" -ne 0 ]
    grep -q 'error: --with-plugins: cannot build x509_key: --without-libcrypto' <<<"$output"
    configured --no-create --with-plugins=http_request --without-libcurl
    [ "$status" -ne 0 ]
    grep -q 'error: --with-plugins: cannot build http_request: --without-libcurl' <<<"$output"
    configured --no-create --with-plugins=postgresql_role --without-libpq
    [ "$status" -ne 0 ]
    grep -q 'error: --with-plugins: cannot build postgresql_role: --without-libpq' <<<"$output"
    configured --no-create --with-systemd PKG_CONFIG=false
    [ "$status" -ne 0 ]
}

#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# The distribution packages, built twice. By itself, since it compiles everything twice: make check-reproducible.

source "${abs_top_srcdir:-$BATS_TEST_DIRNAME/../..}/tests/lib.bash"
source "$abs_top_srcdir/tests/system/machine.bash"

packages_of_this_tree

# Once more, by somebody else: another directory, host, time zone, language, umask and home.
build_elsewhere() {
    local wrap=()

    [ "$(id -u)" -ne 0 ] || wrap=(unshare --uts)
    flock "$abs_top_builddir/tests/system/packages/lock" "${wrap[@]}" sh -c '
        [ $# -gt 2 ] || hostname elsewhere
        umask 077
        unset LC_ALL
        export HOME=/nonexistent USER=somebody LOGNAME=somebody LANG=tr_TR.UTF-8 TZ=Pacific/Kiritimati
        exec "$0" --compile "$1" "$2"
        ' "$abs_top_srcdir/tests/system/build-packages" "$abs_top_builddir" "$1" ${wrap[0]-"as it is"} 3>&-
}

@test "built again elsewhere, the tarball and all packages are the same, byte for byte" {
    flock "$abs_top_builddir/tests/system/packages/lock" \
        "$abs_top_srcdir/tests/system/build-packages" --compile "$abs_top_builddir" "$work/here" 3>&-
    build_elsewhere "$work/deeper/in/another/folder"
    cd "$work/deeper/in/another/folder"
    for file in *.deb *.tar.xz; do
        cmp "$file" "$work/here/$file" || touch "$work/differs"
    done
    [ ! -e "$work/differs" ]
    [ "$(ls ./*.deb)" = "$(cd "$work/here" && ls ./*.deb)" ]
}

@test "lintian has nothing to say about the packages and their whole source" {
    requires_command lintian
    linted "$packages"/rhost_*.changes
}

#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# The Debian packages of this tree are built from the tarball of a release. The other files of tests take what is built
# here; each of them would build it by itself, were it alone.
source "${abs_top_srcdir:-$BATS_TEST_DIRNAME/../..}/tests/lib.bash"
source "$abs_top_srcdir/tests/system/machine.bash"

packages_of_this_tree

@test "each package of debian/control is built, and the source package" {
    [ -d "$abs_top_srcdir/debian" ] || skip "the tarball has no debian/"
    # The manual for browsers is left out; see build-packages.
    sed -n 's/^Package: //p' "$abs_top_srcdir/debian/control" | grep -vx rhost-doc | sort >expected
    (cd "$packages" && printf '%s\n' *.deb) | sed 's/_.*//' | grep -v -- '-dbgsym$' | sort -u >built
    diff expected built
    compgen -G "$packages/rhost_*.dsc"
    compgen -G "$packages/rhost_*.orig.tar.xz"
}

#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# The distribution packages as files: what is in them.

source "${abs_top_srcdir:-$BATS_TEST_DIRNAME/../..}/tests/lib.bash"
source "$abs_top_srcdir/tests/system/machine.bash"

packages_of_this_tree

# The packages that somebody installs; without those that only have symbols.
shipped() {
    find "$packages" -name '*.deb' ! -name '*-dbgsym_*' | sort
}

# Each unpacked into a directory of its name. It is done once: what is here are links.
unpack() {
    local unpacked=$BATS_FILE_TMPDIR/unpacked deb

    if [ ! -d "$unpacked" ]; then
        shipped >debs
        mkdir "$unpacked.new"
        while read -r deb; do
            dpkg-deb -R "$deb" "$unpacked.new/$(basename "${deb%%_*}")"
        done <debs
        mv "$unpacked.new" "$unpacked"
    fi
    cp -al "$unpacked"/. .
}

# Of the source that is what has to do with packaging, which takes a tenth of the time. "make check-reproducible" looks
# at all of it.
@test "lintian has nothing to say about the packages and what they are built by" {
    local orig

    requires_command lintian
    orig=$(basename "$packages"/rhost_*.orig.tar.xz)
    mkdir source
    cd source
    tar -xJf "$packages/$orig" --exclude='*/core/*' --exclude='*/plugins/*' --exclude='*/tests/*' --exclude='*/docs/*'
    XZ_OPT=-0 tar -cJf "$orig" rhost-*
    tar -C rhost-* -xJf "$packages"/rhost_*.debian.tar.xz
    dpkg-source -z1 -b rhost-* >/dev/null
    linted "$packages"/*.deb rhost_*.dsc
}

@test "each override of lintian says why" {
    cd "$abs_top_srcdir"
    for file in debian/*.lintian-overrides debian/source/lintian-overrides; do
        head -n 1 "$file" | grep -q '^# [A-Z].*\.$'
    done
}

@test "sums of all files are in each package, and right" {
    unpack
    for package in */; do
        (cd "$package" && md5sum --quiet -c DEBIAN/md5sums)
        (cd "$package" && diff <(find . -type f ! -path './DEBIAN/*' ! -path './etc/*' -printf '%P\n' | sort) \
            <(cut -c 35- DEBIAN/md5sums | sort))
    done
}

@test "no file is in two packages" {
    unpack
    find . -mindepth 2 ! -type d ! -path './*/DEBIAN/*' -printf '%P\n' | cut -d / -f 2- | sort | uniq -d >twice
    [ ! -s twice ] || {
        cat twice
        return 1
    }
}

@test "each plugin that there is is in a package, and nothing else is there as a plugin" {
    unpack
    diff <(cd "$abs_top_builddir/plugins/.libs" && ls ./*.so | sort) \
        <(find . -path '*/rhost/plugins/*.so' -printf './%f\n' | sort)
}

@test "each plugin has its page beside it" {
    unpack
    for plugin in */usr/lib/*/rhost/plugins/*.so; do
        name=$(basename "$plugin" .so)
        pages=${plugin%%/*}/usr/share/man/man7
        [ -e "$pages/rhost-$name.7.gz" ] || [ -e "$pages/rhost-${name%%-*}.7.gz" ] || echo "$plugin"
    done >missing
    [ ! -s missing ] || {
        cat missing
        return 1
    }
}

# Those that are as the build tree has them went through tests/cli/man.bats.
@test "man shows each page of the packages without a complaint" {
    requires_command man
    unpack
    find . -path '*/usr/share/man/*' -name '*.gz' | sort >pages
    [ "$(wc -l <pages)" -gt 20 ]
    while read -r page; do
        built=${page##*/}
        ! zcat "$page" | cmp -s - "$abs_top_builddir/docs/${built%.gz}" || continue
        LC_ALL=C.UTF-8 MANROFFSEQ= MANWIDTH=80 man --warnings -E UTF-8 -l "$page" 2>>complaints >shown </dev/null
        [ -s shown ]
    done <pages
    [ ! -s complaints ] || {
        cat complaints
        return 1
    }
}

@test "each package with plugins depends on the ABI and provides its types, and no other does" {
    unpack
    revision=$(sed -n 's/^revision=//p' "$abs_top_builddir/sdk/rhost.pc")
    for control in */DEBIAN/control; do
        if compgen -G "${control%/DEBIAN/*}/usr/lib/*/rhost/plugins/*.so" >/dev/null; then
            grep -q "^Depends:.*rhost-abi-1 (>= $revision)" "$control"
            # The bridge serves types that others bring.
            [ "${control%%/*}" = rhost-plugin-bridge ] || grep -q "^Provides:.*rhost-\(type\|lookup\)-" "$control"
        else
            not grep "^Provides:.*rhost-type-" "$control"
        fi
    done
    grep -q "^Provides:.*rhost-abi-1 (= $revision)" rhost/DEBIAN/control
}

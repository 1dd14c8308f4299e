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

# Unpacks each into a directory of its name.
unpack() {
    local deb

    shipped >debs
    while read -r deb; do
        dpkg-deb -R "$deb" "$(basename "${deb%%_*}")"
    done <debs
}

@test "lintian has nothing to say about the packages and their source" {
    requires_command lintian
    # Bytes of machine code, between them those of a text, are not text; texts of rhost are in its pages.
    run lintian --allow-root --fail-on error,warning,info --display-info \
        --suppress-tags spelling-error-in-binary "$packages"/rhost_*.changes
    [ "$status" -eq 0 ] && [ -z "$output" ] || {
        echo "$output"
        return 1
    }
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

@test "man shows each page of the packages without a complaint" {
    requires_command man
    unpack
    find . -path '*/usr/share/man/*' -name '*.gz' | sort >pages
    [ "$(wc -l <pages)" -gt 20 ]
    while read -r page; do
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
            [ "${control%%/*}" = rhost-plugin-bridge ] || grep -q "^Provides:.*rhost-type-" "$control"
        else
            not grep "^Provides:.*rhost-type-" "$control"
        fi
    done
    grep -q "^Provides:.*rhost-abi-1 (= $revision)" rhost/DEBIAN/control
}

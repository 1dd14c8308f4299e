#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# What "make install" installs, and with which flags it was built.
source "${abs_top_srcdir:-$BATS_TEST_DIRNAME/../..}/tests/lib.bash"

@test "make install has the units, the completion and the documentation" {
    make --no-print-directory -s -C "$abs_top_builddir" install DESTDIR="$work/dest" \
        systemdsystemunitdir=/units bashcompletiondir=/completions zshcompletiondir=/zsh fishcompletiondir=/fish docdir=/doc >log 2>&1 || {
        cat log
        return 1
    }
    bin=$(make_value bindir)
    grep -qF "ExecStart=$bin/rhost apply" dest/units/rhost.service
    [ -x "dest$bin/rhost" ]
    grep -q '^OnBootSec' dest/units/rhost.timer
    [ ! -x "$abs_top_builddir/core/rhost-agent" ] || grep -qF "ExecStart=$bin/rhost agent" dest/units/rhost-agent.service
    [ ! -x "$abs_top_builddir/core/rhost-collect" ] || grep -qF "ExecStart=$bin/rhost collect " dest/units/rhost-collect.service
    # Each program that a unit starts is there, and no word of the templates is left.
    for unit in dest/units/*.service; do
        program=$(sed -n 's/^ExecStart=\([^ ]*\).*/\1/p' "$unit")
        [ -x "dest$program" ] || { echo "$unit: no $program"; return 1; }
        not grep -n '@[a-zA-Z]*@' "$unit"
    done
    grep -qF "ExecStart=$bin/rhost confirm --watch" dest/units/rhost-confirm.service
    grep -qF "ConditionPathExists=$(make_value localstatedir)/lib/rhost/confirm.json" dest/units/rhost-confirm.service
    cmp dest/units/multi-user.target.wants/rhost-confirm.service dest/units/rhost-confirm.service
    bash -n dest/completions/rhost
    head -1 dest/zsh/_rhost | grep -qx '#compdef rhost'
    grep -q '^complete -c rhost' dest/fish/rhost.fish
    cmp "$abs_top_srcdir/docs/reference/manifest.md" dest/doc/docs/reference/manifest.md
    # A link of the first page leads to an installed one.
    for page in $(grep -o '](docs/[a-z./-]*md)' dest/doc/README.md | sed 's/](\(.*\))/\1/'); do
        [ -f "dest/doc/$page" ] || { echo "$page"; return 1; }
    done
    "$abs_top_builddir/rhost" validate --state-dir state dest/doc/docs/examples/site/site.yaml
    [ "$(find dest/doc -type f ! -perm -004)" = "" ]
}

@test "the package of the host recommends each package of plugins" {
    awk '/^Package:/ { host = $2 == "rhost"; field = 0 }
        /^[A-Z]/ { field = host && /^Recommends:/; next }
        field { sub(/,.*/, ""); print $1 }' "$abs_top_srcdir/debian/control" | sort >recommended
    sed -n 's/^Package: \(rhost-plugin.*\)/\1/p' "$abs_top_srcdir/debian/control" | sort >packages
    [ -s packages ]
    diff packages recommended
    spec=$abs_top_srcdir/packaging/rhost.spec.in
    sed -n '/^%package/q; s/^Recommends: *//p' "$spec" | sort >recommended
    sed -n 's/^%package \(plugin.*\)/rhost-\1/p' "$spec" | sort >packages
    [ -s packages ]
    diff packages recommended
}

@test "programs and plugins are hardened" {
    requires_command readelf
    [ -n "$(make_value RH_HARDEN_LDFLAGS)" ] || skip "configured without"
    # All that is installed, whichever there are.
    make --no-print-directory -s -C "$abs_top_builddir" install DESTDIR="$work/dest" >log 2>&1 || {
        cat log
        return 1
    }
    cd dest
    find . -type f -perm -100 ! -name '*.so' -exec sh -c 'head -c 4 "$1" | grep -q ELF' sh {} \; -print |
        sort >"$work/programs"
    find . -type f -name '*.so' >"$work/plugins"
    [ -s "$work/plugins" ]
    for program in rhost rhost-worker rhost-agent rhost-bundle rhost-collect rhost-fetch rhost-fleet rhost-kit rhost-nats rhost-otlp rhost-s3; do
        [ ! -x "$abs_top_builddir/core/$program" ] || grep -q "/$program\$" "$work/programs" || { echo "$program: not found"; return 1; }
    done
    while read -r file; do
        readelf -W -l -d "$file" >"$work/elf"
        grep -q GNU_RELRO "$work/elf" || { echo "$file: no relro"; return 1; }
        grep -qE 'BIND_NOW|FLAGS_1.*NOW' "$work/elf" || { echo "$file: lazy binding"; return 1; }
    done < <(cat "$work/programs" "$work/plugins")
    while read -r file; do
        readelf -W -d "$file" | grep -q 'FLAGS_1.*PIE' || { echo "$file: not position-independent"; return 1; }
        readelf -W --dyn-syms "$file" | grep -q __stack_chk_fail || { echo "$file: no stack protector"; return 1; }
    done <"$work/programs"
    if [ -n "$(make_value RH_HARDEN_CPPFLAGS)" ]; then
        readelf -W --dyn-syms ".$(make_value bindir)/rhost" | grep -q '__.*_chk@' || { echo "nothing is fortified"; return 1; }
    fi
}

# dh_rhost itself needs a package that is built; what it makes of a name does not.
@test "the types acme::tray and acme_tray are provided under different names, as the hint for a missing type has them" {
    local type name
    requires_command perl
    for type in acme::tray acme_tray; do
        name=$(perl -e "$(sed -n '/^sub provided_name/,/^}/p' "$abs_top_srcdir/packaging/dh_rhost") print provided_name('type', '$type');")
        echo "$name"
        printf 'resources:\n  - %s: x\n' "$type" >site.yaml
        run "$abs_top_builddir/rhost" validate --state-dir state site.yaml
        says "provides '$name'"
    done >names
    is "$(grep ^rhost names | sort -u | wc -l)" 2
    is "$(head -n 1 names)" rhost-type-acme.tray
}

@test "rhostdeps.sh provides the types acme::tray and acme_tray under different names" {
    local type dir
    for type in acme::tray acme_tray; do
        dir=$work/usr/lib/rhost/plugins/${type/::/-}
        mkdir -p "$dir"
        cp "$abs_top_srcdir"/docs/examples/executable/shell-motd/* "$dir"
        sed -i "s/^type: .*/type: \"$type\"/" "$dir/type.yaml"
        echo "$dir/type.yaml"
    done | sh "$abs_top_srcdir/packaging/rhostdeps.sh" --provides --rhost="$abs_top_builddir/rhost" >provided
    printf 'rhost-type(acme::tray)\nrhost-type(acme_tray)\n' | diff - provided
}

#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# What `rhost new` makes builds, is loaded, works, and passes its own tests at once.
source "${abs_top_srcdir:-$BATS_TEST_DIRNAME/../..}/tests/lib.bash"
source "$abs_top_srcdir/tests/sdk/installed.bash"

make_new() {
    "$abs_top_builddir/rhost" new "$@"
}

# Builds what stands in this directory with make, and holds it against all that is promised.
works() {
    make -s CFLAGS="-std=c11 -O1 -Wall -Wextra -Wshadow -Werror"
    [ -f "$1.so" ]
    run rhost types --plugin-dir="$PWD"
    status_is 0
    says "$1 $1 0.1.0"
    run rhost describe --plugin-dir="$PWD" "$1"
    status_is 0
    says_not 'there is no documentation'
    run make -s check
    echo "$output"
    status_is 0
    says 'ok 6 '
    says_not 'skip'
    make -s install DESTDIR="$work/dest"
    [ -f "$(find "$work/dest" -name "$1.so")" ]
    make -s clean
}

@test "each style builds with the installed SDK, is loaded, and passes its own tests" {
    install_sdk
    for style in load get-set simple converge remote; do
        echo "# $style"
        make_new --style="$style" "my_${style%-*}"
        cd "my_${style%-*}"
        works "my_${style%-*}"
        cd ..
    done
}

@test "a program can be made as well, and passes rhost check" {
    make_new --style=program acme::tray
    cd acme_tray
    [ "$(find . -type f | LC_ALL=C sort | tr '\n' ' ')" = './LICENSE ./acme_tray.py ./fixture.yaml ./type.yaml ' ]
    not grep -rE '@[A-Z]+@' .
    [ "$(mode_of acme_tray.py)" = 755 ]
    [ "$(find . -type f -perm 644 | LC_ALL=C sort | tr '\n' ' ')" = './LICENSE ./fixture.yaml ./type.yaml ' ]
    run rhost check . --fixture fixture.yaml
    echo "$output"
    status_is 0
    says_not 'fail '
}

@test "others can read what is made, whatever the umask is" {
    for umask in 000 077; do
        (
            umask $umask
            make_new my_type "in$umask"
        )
        is "$(find "in$umask" -type f -perm 755 -printf '%P ')$(find "in$umask" -type f ! -perm 755 ! -perm 644)" \
            "$(find "in$umask" -type f \( -name '*.bats' -o -name rules \) -printf '%P ')"
    done
    is "$(find in000 -type d ! -perm 755)" ""
}

@test "a test that fails shows what rhost said" {
    install_sdk
    make_new printer
    cd printer
    sed -i 's/rhost_put_str(into, "value", text)/rhost_put_int(into, "value", 1)/' printer.c
    run make -s check
    [ "$status" -ne 0 ]
    says 'not ok 1 '
    says 'expects a match for Pattern'
}

@test "without the SDK its Makefile says what is missing" {
    requires_command make
    requires_command pkg-config
    make_new printer
    unset MAKEFLAGS MAKELEVEL MFLAGS MAKEOVERRIDES
    PKG_CONFIG_LIBDIR=$work/nowhere run make -s -C printer
    [ "$status" -ne 0 ]
    says 'pkg-config finds no rhost'
    says PKG_CONFIG_PATH
}

@test "what is made is what clang takes as well" {
    requires_command clang
    for style in load get-set simple converge remote; do
        make_new --style="$style" printer "$style"
        clang -std=c11 -D_GNU_SOURCE -fPIC -Wall -Wextra -Werror -I"$abs_top_srcdir/sdk" -fsyntax-only "$style/printer.c"
    done
}

@test "with meson it builds and passes its tests as well" {
    requires_command meson
    requires_command ninja
    install_sdk
    make_new --build=meson printer
    [ ! -e printer/Makefile ]
    [ "$(mode_of printer/meson.build)" = 644 ]
    grep -q '^ meson,$' printer/debian/control
    cd printer
    meson setup --werror build
    ninja -C build
    meson test -C build
}

@test "the directory has all parts, and nothing that is left to be filled in" {
    DEBFULLNAME='Ada Example' DEBEMAIL=ada@example.org make_new paper_tray
    cd paper_tray
    [ "$(find . -type f | LC_ALL=C sort | tr '\n' ' ')" = './.gitignore ./LICENSE ./Makefile ./debian/changelog ./debian/control ./debian/copyright ./debian/docs ./debian/rules ./debian/source/format ./fixture.yaml ./paper_tray.bats ./paper_tray.c ./paper_tray.md ' ]
    not grep -rE '@[A-Z]+@' .
    [ "$(wc -l <Makefile)" -eq 3 ]
    [ "$(find . -perm 755 | LC_ALL=C sort | tr '\n' ' ')" = '. ./debian ./debian/rules ./debian/source ./paper_tray.bats ' ]
    [ -z "$(find . -type f ! -perm 755 ! -perm 644)" ]
    grep -q '^Package: rhost-plugin-paper-tray$' debian/control
    grep -q '^ -- Ada Example <ada@example.org>  [A-Z][a-z][a-z], [0-9][0-9] ' debian/changelog
    grep -q "^Copyright 20[0-9][0-9] Ada Example" LICENSE
    not grep -E '.{101}' paper_tray.c
}

@test "its page names exactly what the provider says" {
    make_new printer
    [ "$(grep -o '^| `[a-z]*`' printer/printer.md | tr -d '|` \n')" = pathensurevalue ]
}

@test "the packaging is what dpkg understands" {
    requires_command dpkg-parsechangelog
    requires_command dh_listpackages
    make_new paper_tray
    cd paper_tray
    [ "$(dpkg-parsechangelog -S Version)" = 0.1.0 ]
    [ "$(dpkg-parsechangelog -S Source)" = rhost-plugin-paper-tray ]
    [ "$(dh_listpackages)" = rhost-plugin-paper-tray ]
}

@test "what is there is left as it is" {
    mkdir printer
    run make_new printer
    status_is 1
    says "error: 'printer' already exists: nothing was written"
    [ -z "$(ls printer)" ]
    ln -s nowhere dangling
    run make_new printer dangling
    status_is 1
    [ ! -e nowhere ]
    make_new printer else/where
    [ -f else/where/printer.c ]
}

@test "a name that no type can have is refused, with one that it could" {
    run make_new acme::Paper-tray
    status_is 1
    says "invalid type name 'acme::Paper-tray'"
    says "did you mean 'acme::paper_tray'?"
    for name in acme:: ::tray acme:tray acme:::tray acme::9 9lives '' ../printer Printer 'a b' $'a\nb' '"' ./a; do
        run make_new "$name"
        status_is 1
        says 'invalid type name'
    done
    [ -z "$(ls -A)" ]
    run make_new
    status_is 1
    says 'expected a TYPE, and optionally a DIR'
    run make_new printer ''
    status_is 1
    run make_new --style=fast printer
    status_is 1
    says 'expected load, get-set, simple, converge, remote or program'
    run make_new --build=cmake printer
    status_is 1
    says 'expected make or meson'
}

@test "templates of one's own are taken, and what is missing is said" {
    cp -r "$abs_top_srcdir/sdk/templates" own
    chmod -R u+w own
    echo 'ours, for @NAME@ and @nobody @ @@ @NAME' >own/licence
    make_new --templates=own printer
    [ "$(cat printer/LICENSE)" = 'ours, for printer and @nobody @ @@ @NAME' ]
    rm own/licence
    run make_new --templates=own other
    status_is 1
    says "error: cannot create 'other': cannot open 'own/licence': No such file or directory"
    run make_new --templates=nowhere third
    status_is 1
    [ ! -e third ]
}

@test "a type with a vendor has one in files, identifiers and packages, too" {
    install_sdk
    make_new acme::paper_tray
    cd acme_paper_tray
    grep -q '^Package: rhost-plugin-acme-paper-tray$' debian/control
    make -s check
    run rhost types --plugin-dir "$PWD"
    says acme::paper_tray
    run make_new --plugin-dir "$PWD" acme::paper_tray "$work/third"
    status_is 0
    says "warning: type 'acme::paper_tray' already exists in plugin '"
}

@test "a type that exists already is warned of, and a word of manifests is refused" {
    run rhost new file directory
    status_is 0
    says "warning: type 'file' already exists in plugin '"
    run rhost new fresh_type
    status_is 0
    says_not warning
    run rhost new edit
    status_is 1
    says "'edit' is a key of manifests"
    [ ! -e edit ]
}

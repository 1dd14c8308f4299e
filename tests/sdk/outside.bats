#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# The SDK as third parties get it: installed, found by pkg-config, used by a Makefile of three lines.
source "${abs_top_srcdir:-$BATS_TEST_DIRNAME/../..}/tests/lib.bash"
source "$abs_top_srcdir/tests/sdk/installed.bash"

# What the build tree found out about a variable that a plugin's Makefile.inc uses.
configured() {
    sed -n "s/^$1 = //p" "$abs_top_builddir/Makefile"
}

@test "a Makefile of three lines builds, installs and cleans a plugin" {
    install_sdk
    mkdir zfs
    cd zfs
    cp "$abs_top_srcdir/plugins/link/link.c" zfs.c
    cat >Makefile <<'END'
NAME = zfs
SOURCES = zfs.c
include $(shell pkg-config --variable=providermk rhost)
END
    make -s
    [ -f zfs.so ]
    run make -q
    status_is 0
    make -s install DESTDIR="$work/dest"
    plugindir=$work/dest$(pkg-config --variable=plugindir rhost)
    [ -f "$plugindir/zfs.so" ]
    [ ! -e "$plugindir/zfs.types" ]
    echo 'type Zfs::Size = Integer[0]' >zfs.types
    make -s install DESTDIR="$work/dest"
    [ -f "$plugindir/zfs.types" ]
    make -s uninstall DESTDIR="$work/dest"
    [ -z "$(ls "$plugindir")" ]
    rm zfs.types
    make -s clean
    [ "$(ls)" = "Makefile
zfs.c" ]
}

@test "a plugin in C++ is built by the same Makefile, and exports its entry alone" {
    requires_command g++
    install_sdk
    for suffix in cc cpp cxx; do
        mkdir "$suffix"
        cd "$suffix"
        cp "$abs_top_srcdir/docs/examples/languages/cpp/link.cc" "link.$suffix"
        printf 'NAME = link\nSOURCES = link.%s\ninclude $(shell pkg-config --variable=providermk rhost)\n' "$suffix" >Makefile
        run make -s
        echo "$output"
        status_is 0
        [ -z "$output" ]
        run rhost check link.so --only symbol
        status_is 0
        make -s clean
        [ "$(ls)" = "Makefile
link.$suffix" ]
        cd ..
    done
}

@test "a Makefile that names what is not a source is told so" {
    install_sdk
    printf 'NAME = zfs\nSOURCES = zfs.c zfs.h\ninclude $(shell pkg-config --variable=providermk rhost)\n' >Makefile
    run make -s
    [ "$status" -ne 0 ]
    says 'SOURCES has zfs.h, expected files in C (.c) or C++'
}

@test "a plugin that misses a symbol is not linked" {
    install_sdk
    echo 'int nowhere(void); int rhost_plugin_v1(void); int rhost_plugin_v1(void) { return nowhere(); }' >gap.c
    printf 'NAME = gap\nSOURCES = gap.c\ninclude $(shell pkg-config --variable=providermk rhost)\n' >Makefile
    run make -s
    [ "$status" -ne 0 ]
    says nowhere
    [ ! -e gap.so ]
}

@test "a Makefile that forgets what its plugin is called is told so" {
    install_sdk
    echo 'include $(shell pkg-config --variable=providermk rhost)' >Makefile
    run make -s
    [ "$status" -ne 0 ]
    says "NAME is not set"
}

@test "every plugin of the tree builds with the installed SDK alone, and is loaded" {
    install_sdk
    mkdir plugins
    expected=0
    for directory in "$abs_top_srcdir"/plugins/*/; do
        name=$(basename "$directory")
        [ -f "$abs_top_builddir/plugins/.libs/$name.so" ] || {
            echo "# $name was not built here" >&3
            continue
        }
        mkdir -p "$name"
        cp "$directory"/*.c "$name/"
        shared= # with a plugin that it names the files of
        for file in $(grep -oE 'plugins/[a-z0-9_-]+/[a-z0-9_-]+\.[ch]' "$directory/Makefile.inc"); do
            mkdir -p "$(dirname "${file#plugins/}")"
            cp "$abs_top_srcdir/$file" "${file#plugins/}"
            [ "${file%.c}" = "$file" ] || shared="$shared ../${file#plugins/}"
        done
        find "$directory" -name '*.h' -exec cp {} "$name/" \;
        libs= flags=
        for variable in $(grep -oE '\$\([A-Z0-9_]+_(LIBS|CFLAGS)\)' "$directory/Makefile.inc" | tr -d '$()'); do
            case $variable in
            PROVIDER_*) ;;
            *_LIBS) libs="$libs $(configured "$variable")" ;;
            *) flags="$flags $(configured "$variable")" ;;
            esac
        done
        printf 'NAME = %s\nSOURCES = %s\nLIBS = %s\nCPPFLAGS = %s\n' "$name" \
            "$(cd "$name" && echo *.c)$shared" "$libs" "$flags" >"$name/Makefile"
        echo 'include $(shell pkg-config --variable=providermk rhost)' >>"$name/Makefile"
        echo "$name"
        make -s -C "$name" CFLAGS="-O0 -Wall -Wextra -Werror"
        cp "$name/$name.so" plugins/
        expected=$((expected + 1))
        [ "$(nm -D --defined-only --format=posix "plugins/$name.so" | cut -d' ' -f1)" = rhost_plugin_v1 ]
        readelf -d "plugins/$name.so" | grep -q NOW
    done
    [ "$expected" -ge 6 ]
    "$abs_top_builddir/core/rhost" types --no-installed-plugins --plugin-dir plugins --state-dir state --format=json >types.json
    for plugin in plugins/*.so; do
        [ "$plugin" != plugins/bridge.so ] || continue # it has no type of its own
        grep -q "\"$work/$plugin\"" types.json || {
            echo "$plugin was not loaded"
            return 1
        }
    done
}

# Their tests need a server, or rights over the firewall (make check-postgresql, check-nftables): here a change of the SDK
# that breaks them is noticed.
@test "the examples with a library of their own compile" {
    local cc=(gcc -std=gnu11 -O1 -Wall -Wextra -Werror -D_GNU_SOURCE -fsyntax-only -I"$abs_top_srcdir/sdk")
    local examples=$abs_top_srcdir/docs/examples/providers n=0
    requires_command gcc
    if pkg-config --exists libpq; then
        # shellcheck disable=SC2046 # options
        "${cc[@]}" $(pkg-config --cflags libpq) "$examples/postgresql.c"
        n=$((n + 1))
    fi
    if echo '#include <nftables/libnftables.h>' | gcc -E -x c - >/dev/null 2>&1; then
        "${cc[@]}" "$examples/nft_element.c"
        n=$((n + 1))
    fi
    [ "$n" -gt 0 ] || skip "no headers of libpq or libnftables"
}

#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Kits as files: what is in them, and that they are checked.

source "${abs_top_srcdir:-$BATS_TEST_DIRNAME/../..}/tests/lib.bash"
source "$abs_top_srcdir/tests/reach/roots.bash"
bats_require_minimum_version 1.5.0

setup() {
    work_open
    kit_possible
    [ -z "$WHY" ] || skip "$WHY"
    mkdir out
}

@test "two kits of the same inputs are the same bytes, with the name of their digest" {
    kit_make out
    mkdir again
    "$abs_top_builddir/rhost" kit make -o again >/dev/null
    cmp "$kit" "again/${kit##*/}"
    [ "$(tar -xzOf "$kit" SHA256SUMS | sha256sum | cut -d ' ' -f 1)" = "$(sed 's/.*-\(.*\).tar.gz/\1/' <<<"${kit##*/}")" ]
    # Neither the time nor the user who made it is in it.
    [ "$(tar --numeric-owner --utc --full-time -tvzf "$kit" | awk '{ print $2, $4, $5 }' | sort -u)" = \
        "0/0 2000-01-01 00:00:00" ]
}

@test "a kit has the programs, the chosen plugins, their libraries, and a sum of each file" {
    run -0 rhost kit make --plugins=file,package -o out
    [[ ${lines[1]} =~ ^7' plugins, ' ]]
    mkdir x
    tar -C x -xzf "${lines[0]}"
    [ "$(cd x/plugins && echo *)" = 'file.so package-apt.so package-dnf.so package-dpkg.so package-pacman.so package-rpm.so package-zypper.so' ]
    for file in rhost kit.json bin/rhost bin/rhost-worker lib/libyaml-0.so.2 lib/libjson-c.so.5 libc/libc.so.6; do
        [ -f "x/$file" ]
    done
    (cd x && sha256sum --quiet -c SHA256SUMS)
    [ "$(cd x && find . -type f ! -name SHA256SUMS | sort)" = "$(sed 's|^[^ ]*  |./|' x/SHA256SUMS | sort)" ]
    [ "$(python3 -c 'import json; k = json.load(open("x/kit.json")); print(k["format"], k["arch"], [p["types"][0]["type"] for p in k["plugins"]][:2])')" = \
        "1 $(uname -m) ['file', 'package']" ]
}

@test "an unpacked kit runs from any directory, and what it starts sees no trace of its libraries" {
    kit_make out
    mkdir -p 'some where' else
    tar -C else -xzf "$kit"
    cat >site.yaml <<EOF
resources:
  - exec: environment
    command: [sh, -c, "env >$work/env; cat /proc/\$PPID/environ >$work/worker"]
EOF
    ./else/rhost apply --state-dir "$work/state" site.yaml
    [ -s env ]
    ends_with 1 grep -E 'LD_|kit|else' env
    ends_with 1 grep -aE 'LD_LIBRARY|else' worker
    # A link to its start script has no kit beside it.
    ln -s else/rhost link
    run -1 ./link --version
    [[ $output = *'by the path of its own file'* ]]
    # The loader reads some characters as separators.
    tar -C 'some where' -xzf "$kit"
    run -1 'some where/rhost' --version
    [[ $output = *'must be absolute, without blanks'* ]]
}

@test "a kit with a bit flipped, another name or an additional file is refused" {
    kit_make out --plugins=file
    rhost kit verify "$kit"
    name=${kit##*/}
    for at in 100 5000 60000; do
        mkdir "flipped$at"
        python3 - "$kit" "flipped$at/$name" "$at" <<'EOF'
import sys
b = bytearray(open(sys.argv[1], 'rb').read())
b[int(sys.argv[3])] ^= 1
open(sys.argv[2], 'wb').write(b)
EOF
        run -1 rhost kit verify "flipped$at/$name"
        [[ $output = *"the kit 'flipped$at/$name' cannot be used: "* ]]
    done
    mkdir x
    tar -C x -xzf "$kit"
    echo more >x/plugins/more.so
    tar -C x -czf "$name" .
    run -1 rhost kit verify "$name"
    [[ $output = *"cannot be used"* ]]
    zeros=$(printf '0%.0s' {1..64})
    cp "$kit" "rhost-kit-x86_64-$zeros.tar.gz"
    run -1 rhost kit verify "rhost-kit-x86_64-$zeros.tar.gz"
    [[ $output = *"and not that of its name"* ]]
    head -c 100000 "$kit" >"short.tar.gz"
    run -1 rhost kit verify short.tar.gz
    [[ $output = *"cannot be used"* ]]
}

@test "a kit whose files have other modes or owners, or with other directories, is refused" {
    kit_make out --plugins=file
    mkdir x
    tar -C x -xzf "$kit"
    pack() {
        tar -C x --owner=0 --group=0 --numeric-owner -I "gzip -1" -cf changed.tar.gz "$@" \
            rhost kit.json SHA256SUMS bin plugins lib libc
    }
    refused() {
        run -1 rhost kit verify changed.tar.gz
        [[ $output = *'it has an entry that no kit has'* ]]
    }
    pack
    rhost kit verify changed.tar.gz
    chmod 4755 x/bin/rhost
    pack
    refused
    chmod 755 x/bin/rhost
    for mode in 666 600; do
        chmod $mode x/kit.json
        pack
        refused
    done
    chmod 644 x/kit.json
    chmod 777 x/lib
    pack
    refused
    chmod 755 x/lib
    pack --owner=1000
    refused
    pack --group=1000
    refused
    for directory in more lib/glibc-hwcaps .hidden plugins/own; do
        mkdir x/$directory
        pack "$directory"
        refused
        rmdir x/$directory
    done
    pack -P --transform='s|^plugins$|lib/..|'
    refused
    pack
    rhost kit verify changed.tar.gz
}

@test "what is wrong with kit's command line is said" {
    run -1 rhost kit make --arch=sparc
    [[ $output = *"is for $(uname -m), and not for sparc: use --from=DIR"* ]]
    run -1 rhost kit make --plugins=filo -o out
    [[ $output = *"unknown plugin 'filo'"* ]]
    run -1 rhost kit make --from=out
    [[ $output = *"'$work/out' has no packages (.deb or .rpm)"* ]]
    run -1 rhost kit list --arch=x
    [[ $output = *"are for 'rhost kit make'"* ]]
    run -1 rhost kit
    [[ $output = *"expected make, list, verify FILE or show FILE"* ]]
    run -1 rhost --from-kit=/x --version
    [[ $output = *"belong together"* ]]
    run -1 rhost kit make -o /nowhere/kit.tar.gz
    [[ $output = *"cannot write '/nowhere/kit.tar.gz'"* ]]
}

@test "a kit that cannot be written whole is an error, and nothing of it stays" {
    run -1 bash -c "ulimit -f 100; exec '$abs_top_builddir/rhost' kit make -o '$work/out'"
    [[ $output = *"cannot write the kit: "* ]]
    is "$(ls -A out)" ''
}

@test "a kit gets its name when it is whole, and has none until then" {
    requires_command strace
    mkdir elsewhere
    ln -s ../elsewhere/target out/kit.tar.gz
    strace -f -e trace=openat,linkat,rename,renameat,renameat2 -o trace \
        "$abs_top_builddir/core/rhost" --no-installed-plugins --plugin-dir "$abs_top_builddir/plugins/.libs" kit make \
        --plugins=file -o out/kit.tar.gz >/dev/null || skip "strace cannot be used here"
    grep -q 'O_TMPFILE.* = [0-9]' trace || skip "this file system has no files without a name"
    not grep -q 'O_EXCL' trace
    grep -q '^[0-9 ]*linkat.*"target".* = 0' trace
    [ -L out/kit.tar.gz ]
    is "$(ls -A out elsewhere | xargs)" "elsewhere: target out: kit.tar.gz"
}

@test "a kit replaces a regular file, and is written to a device or a FIFO, which stays" {
    kit_make out --plugins=file
    echo old >kit.tar.gz
    rhost kit make --plugins=file -o kit.tar.gz >/dev/null
    cmp "$kit" kit.tar.gz
    mkfifo pipe
    timeout 60 cat pipe >copy 3>&- &
    rhost kit make --plugins=file -o pipe >text
    wait $!
    cmp "$kit" copy
    [ -p pipe ]
    grep -q ' plugins, .* compressed$' text
    # Where text is printed, no kit can be.
    run -1 rhost kit make --plugins=file -o /dev/stdout
    [[ $output = *"cannot write the kit to standard output"* ]]
    requires_root
    mknod null c 1 3 && : >null || skip "devices cannot be used here"
    rhost kit make --plugins=file -o null >text
    is "$(stat -c %F null)" "character special file"
    is "$(find . -name '*.rhost-*' -o -name 'null?*')" ''
}

@test "a kit is made of packages, also of another architecture, and nothing of them runs" {
    command -v dpkg-deb >/dev/null || skip "needs dpkg-deb"
    local arch=amd64 root=package
    [ "$(uname -m)" = x86_64 ] || skip "for x86_64"
    mkdir -p $root/DEBIAN $root/usr/bin $root/usr/libexec/rhost $root/usr/lib/x86_64-linux-gnu/rhost/plugins debs
    printf 'Package: rhost\nVersion: 1\nArchitecture: amd64\nMaintainer: x <x@example.org>\nDescription: x\n' >$root/DEBIAN/control
    printf '#!/bin/sh\ntouch %s/ran\n' "$work" >$root/DEBIAN/postinst
    chmod 755 $root/DEBIAN/postinst
    cp "$abs_top_builddir/core/rhost" $root/usr/bin/
    cp "$abs_top_builddir/core/rhost-worker" $root/usr/libexec/rhost/
    cp "$abs_top_builddir"/plugins/.libs/{file,exec}.so $root/usr/lib/x86_64-linux-gnu/rhost/plugins/
    dpkg-deb -Zgzip -z1 -b --root-owner-group $root debs/rhost_1_amd64.deb >/dev/null
    run -1 rhost kit make --from=debs -o out
    [[ $output = *"the dynamic loader '/lib64/ld-linux-x86-64.so.2' was not found"* ]]
    # The libraries, as packages have them: the links to them are absolute.
    mkdir -p libs/DEBIAN libs/lib/x86_64-linux-gnu libs/lib64
    printf 'Package: libs\nVersion: 1\nArchitecture: amd64\nMaintainer: x <x@example.org>\nDescription: x\n' >libs/DEBIAN/control
    for library in $(ldd "$abs_top_builddir"/core/{rhost,rhost-worker} | awk '$3 ~ /^\// { print $3 }' | sort -u); do
        cp -L "$library" libs/lib/x86_64-linux-gnu/
    done
    cp -L /lib64/ld-linux-x86-64.so.2 libs/lib/x86_64-linux-gnu/
    ln -s /lib/x86_64-linux-gnu/ld-linux-x86-64.so.2 libs/lib64/
    dpkg-deb -Zgzip -z1 -b --root-owner-group libs debs/libs_1_amd64.deb >/dev/null
    run -0 rhost kit make --from=debs -o out --arch=amd64
    [[ ${lines[1]} = '2 plugins, '* ]]
    [ ! -e ran ]
    rhost kit show "${lines[0]}" | grep -q '"packages": \[{"file": "libs_1_amd64.deb", "sha256": '
    mkdir x
    tar -C x -xzf "${lines[0]}"
    x/rhost types | grep -q ^exec
    run -1 rhost kit make --from=debs -o out --arch=arm64
    [[ $output = *"'/usr/bin/rhost' is for x86_64, and not for aarch64"* ]]
    # A program whose lists lead back, or whose loader would be a command in the start script.
    cp $root/usr/bin/rhost whole
    for how in next aux interpreter dynamic; do
        python3 - whole $root/usr/bin/rhost $how <<'EOF'
import struct, sys
b = bytearray(open(sys.argv[1], 'rb').read())
how = sys.argv[3]
at, (size, n) = struct.unpack_from('<Q', b, 32)[0], struct.unpack_from('<HH', b, 54)
heads = [struct.unpack_from('<IIQQQQQQ', b, at + i * size) for i in range(n)]
dynamic = next(h for h in heads if h[0] == 2)
entries = {}
for i in range(dynamic[2], dynamic[2] + dynamic[5], 16):
    entries.setdefault(struct.unpack_from('<Q', b, i)[0], i)
if how in ('next', 'aux'):
    address = struct.unpack_from('<Q', b, entries[0x6ffffffe] + 8)[0]
    need = next(h[2] + address - h[3] for h in heads if h[0] == 1 and h[3] <= address < h[3] + h[5])
    struct.pack_into('<Q', b, entries[0x6fffffff] + 8, 1 << 40)
    if how == 'next':
        second = struct.unpack_from('<I', b, need + 12)[0]
        struct.pack_into('<i', b, need + second + 12, -second)
    else:
        struct.pack_into('<I', b, need + 8, 0xfffffff0)
elif how == 'interpreter':
    i = next(h for h in heads if h[0] == 3)
    b[i[2]:i[2] + i[5]] = b'/lib/$(id)"'.ljust(i[5], bytes(1))
else:
    i = next(i for i, h in enumerate(heads) if h[0] == 0x6474e551)
    struct.pack_into('<IIQQQQQQ', b, at + i * size, *dynamic)
open(sys.argv[2], 'wb').write(b)
EOF
        dpkg-deb -Zgzip -z1 -b --root-owner-group $root debs/rhost_1_amd64.deb >/dev/null
        run -1 timeout 60 "$abs_top_builddir/rhost" kit make --from=debs -o out
        if [ $how = interpreter ]; then
            [[ $output = *"'/usr/bin/rhost' has no dynamic loader with a plain name"* ]]
        else
            [[ $output = *"'/usr/bin/rhost' is damaged"* ]] || { echo "$how: $output"; return 1; }
        fi
    done
    # No program is started for a compression that the library does not know itself.
    mkdir bin
    printf '#!/bin/sh\ntouch %s/ran\n' "$work" >bin/lrzip
    chmod 755 bin/lrzip
    printf 'LRZI\0\6%512s' '' >data.tar.lrz
    echo 2.0 >debian-binary
    rm debs/rhost_1_amd64.deb
    ar rc debs/rhost_1_amd64.deb debian-binary data.tar.lrz
    PATH=$work/bin:$PATH
    run -1 rhost kit make --from=debs -o out
    [[ $output = *"cannot unpack '$work/debs/rhost_1_amd64.deb'"* ]]
    [ ! -e ran ]
    echo damaged >debs/other.deb
    run -1 rhost kit make --from=debs -o out
    [[ $output = *"cannot unpack '$work/debs/other.deb'"* ]]
}

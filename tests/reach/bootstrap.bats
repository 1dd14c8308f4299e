#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# The target's side of a kit: on machines without rhost and without its libraries.

source "${abs_top_srcdir:-$BATS_TEST_DIRNAME/../..}/tests/lib.bash"
source "$abs_top_srcdir/tests/reach/roots.bash"
bats_require_minimum_version 1.5.0

setup_file() {
    export KIT=''
    kit_possible
    [ -z "$WHY" ] || return 0
    mkdir "$BATS_FILE_TMPDIR/kits" "$BATS_FILE_TMPDIR/whole"
    # What comes with the libraries of these plugins alone is sent and summed up in less time.
    kit_make "$BATS_FILE_TMPDIR/kits" --plugins=cron,directory,exec,file,group,line,link,user
    KIT=$kit
}

# whole_kit: the kit with all plugins, for this test.
whole_kit() {
    kit_make "$BATS_FILE_TMPDIR/whole"
    digest=$(sed 's/.*-\(.*\).tar.gz/\1/' <<<"${kit##*/}")
}

setup() {
    work_open
    kit_possible
    [ -z "$WHY" ] || skip "$WHY"
    kit=$KIT
    root=$work/root
    connector=(chroot "$root" /bin/sh -c)
    cache=$root/var/cache/rhost/kits
    digest=$(sed 's/.*-\(.*\).tar.gz/\1/' <<<"${kit##*/}")
}

teardown() {
    local mounted

    for mounted in proc small; do
        [ -L "$root/$mounted" ] || ! mountpoint -q "$root/$mounted" || umount "$root/$mounted"
    done
    tree_remove "$root"
}

# machine SUITE | busybox
machine() {
    if [ "$1" = busybox ]; then
        root_of_busybox "$root"
    else
        root_make "$1" "$root"
    fi
    [ -z "$ROOT_WHY" ] || skip "$ROOT_WHY"
}

busybox_with_accounts() {
    machine busybox
    mkdir -p "$root/etc" "$root/usr/sbin"
    printf 'root:x:0:0:root:/root:/bin/sh\nada:x:1000:1000::/home/ada:/bin/sh\n' >"$root/etc/passwd"
    printf 'root:x:0:\nada:x:1000:\n' >"$root/etc/group"
    mkdir -p "$root/home/ada" "$root/root"
    chown 1000:1000 "$root/home/ada"
}

site='resources:
  - directory: /srv/app
    mode: "0750"
    owner: root
  - file: /srv/app/app.conf
    content: "port = 80\n"
    replace: false
    group: daemon
  - line: debugging
    path: /srv/app/app.conf
    text: "debug = no"
  - exec: mark
    command: [sh, -c, "env >/srv/app/env"]
    creates: /srv/app/env
  - cron: nightly
    command: /bin/true
    minute: "5"
    user: root
'

# The site is applied to the machine: twice, and a dry run with accounts.
site_is_applied() {
    mkdir -p "$root/root"
    cat >"$root/root/site.yaml" <<<"$site"
    [ -z "${1-}" ] || sed -i '/cron/,$d' "$root/root/site.yaml"
    printf 'resources:\n  - group: staff2\n  - user: eve\n' >"$root/root/accounts.yaml"
    talk -- apply /root/site.yaml </dev/null >out || { cat out "$BATS_TEST_TMPDIR/answers"; return 1; }
    [ "$(answers)" = 'need ready' ]
    grep -q ' changed' out
    [ "$(cat "$root/srv/app/app.conf")" = $'port = 80\ndebug = no' ]
    # The group of the machine's own file, by the name service of the machine or of the kit.
    [ "$(stat -c %g "$root/srv/app/app.conf")" = "$(sed -n 's/^daemon:[^:]*:\([0-9]*\):.*/\1/p' "$root/etc/group")" ]
    ends_with 1 grep -E 'LD_|rhost' "$root/srv/app/env"
    talk -- apply /root/site.yaml </dev/null >out
    [ "$(answers)" = have ]
    ends_with 1 grep ' changed' out
    talk -- apply --noop /root/accounts.yaml </dev/null >out
    grep -q '2 would change\|would' out
    ends_with 1 grep -q eve "$root/etc/passwd"
}

@test "a Debian without our libraries and without /proc applies a site from a kit" {
    whole_kit
    machine bookworm
    [ ! -e "$root/usr/lib/x86_64-linux-gnu/libyaml-0.so.2" ]
    [ ! -e "$root/proc/self" ]
    site_is_applied
}

@test "a Debian with an older glibc than that of the kit applies a site" {
    machine bullseye
    site_is_applied
    # The loader is that of the kit.
    run -0 chroot "$root" /bin/sh -x "/var/cache/rhost/kits/$digest/rhost" --version
    [[ $output = *"libc/ld-linux-x86-64.so.2"* ]]
}

@test "a machine without glibc applies a site from a kit" {
    busybox_with_accounts
    echo 'daemon:x:1:' >>"$root/etc/group"
    mkdir "$root/srv"
    site_is_applied without-cron
}

@test "the kit goes to the target once, compressed or not, whatever noise the channel has" {
    machine busybox
    talk -p -- --version </dev/null >out
    [ "$(answers)" = 'need ready' ]
    [ "$(cat out)" = "rhost $("$abs_top_builddir/rhost" --version | cut -d ' ' -f 2)" ]
    connector=(sh -c "echo 'motd: RHOST-KIT is not this'; printf 'no newline'; exec chroot '$root' /bin/sh -c \"\$0\"")
    talk -- --version </dev/null >out
    [ "$(answers)" = have ]
    # What follows the answer is all rhost's.
    connector=(chroot "$root" /bin/sh -c)
    printf 'resources:\n- file: /tmp/x\n  content: from input\n' | talk -- apply - >out
    [ "$(cat "$root/tmp/x")" = 'from input' ]
}

@test "bash and dash run the script as busybox does" {
    requires_root
    for shell in bash dash; do
        command -v "$shell" >/dev/null || continue
        mkdir -m 700 "own-$shell"
        connector=("$shell" -c)
        # The command names /bin/sh: here it is this shell.
        connector=(unshare --mount sh -c "mount --bind $(command -v "$shell") /bin/sh && exec /bin/sh -c \"\$0\"")
        talk -c "$work/own-$shell" -- --version </dev/null >out || { cat "$BATS_TEST_TMPDIR/answers"; return 1; }
        [[ $(answers) = 'need ready' ]] || { cat "$BATS_TEST_TMPDIR/answers"; return 1; }
        talk -c "$work/own-$shell" -- --version </dev/null >out
        [[ $(answers) = have ]]
    done
}

@test "an ordinary user has a cache of their own" {
    busybox_with_accounts
    chmod 1777 "$root/tmp"
    connector=(chroot --userspec=1000:1000 "$root" /bin/env -i HOME=/home/ada PATH=/bin /bin/sh -c)
    talk -- --version </dev/null
    [ "$(answers)" = 'need ready' ]
    [ "$(stat -c '%u %a' "$root/home/ada/.cache/rhost/kits")" = '1000 700' ]
    talk -- --version </dev/null
    [ "$(answers)" = have ]
    # Without a home that can be used, below /tmp.
    connector=(chroot --userspec=1000:1000 "$root" /bin/env -i HOME=/nowhere PATH=/bin /bin/sh -c)
    talk -- --version </dev/null
    [ -d "$root/tmp/rhost-1000/kits/$digest" ]
}

@test "a kit that was damaged in the cache is never run: it is sent again" {
    machine busybox
    talk -- --version </dev/null
    for file in bin/rhost plugins/file.so SHA256SUMS; do
        python3 - "$cache/$digest/$file" <<'EOF'
import sys
b = bytearray(open(sys.argv[1], 'rb').read())
b[len(b) // 2] ^= 1
open(sys.argv[1], 'wb').write(b)
EOF
        talk -- --version </dev/null
        [ "$(answers)" = 'need ready' ]
        grep -q 'need .* damaged=1' "$BATS_TEST_TMPDIR/answers"
    done
    echo >"$cache/$digest/plugins/more.so"
    talk -- --version </dev/null
    [ "$(answers)" = 'need ready' ]
    rm "$cache/$digest/lib/libyaml-0.so.2"
    talk -- --version </dev/null
    [ "$(answers)" = 'need ready' ]
    # What is beside the files of a kit: the loader or rhost would find some of it.
    for file in lib/glibc-hwcaps/x86-64-v2/libyaml-0.so.2 plugins/own/type.yaml .more lib/.more plugins/.own/type.yaml \
        more/file; do
        mkdir -p "$(dirname "$cache/$digest/$file")"
        echo >"$cache/$digest/$file"
        talk -- --version </dev/null
        [ "$(answers)" = 'need ready' ] || { echo "$file"; return 1; }
        [ ! -e "$cache/$digest/$file" ]
    done
    for directory in lib/empty empty; do
        mkdir "$cache/$digest/$directory"
        talk -- --version </dev/null
        [ "$(answers)" = 'need ready' ] || { echo "$directory"; return 1; }
    done
    cp -a "$cache/$digest/lib" "$root/elsewhere"
    rm -r "$cache/$digest/lib"
    ln -s /elsewhere "$cache/$digest/lib"
    talk -- --version </dev/null
    [ "$(answers)" = 'need ready' ]
    ln -s nothing "$cache/$digest/plugins/more.so"
    talk -- --version </dev/null
    [ "$(answers)" = 'need ready' ]
    mkfifo "$cache/$digest/plugins/pipe"
    talk -- --version </dev/null
    [ "$(answers)" = 'need ready' ]
    talk -- --version </dev/null
    [ "$(answers)" = have ]
}

@test "a kit that was changed or cut off on its way is refused, and leaves nothing" {
    machine busybox
    ends_with 1 talk -k -- --version </dev/null
    [ "$(answers)" = 'need error bad-digest' ]
    for bytes in 0 1 100000; do
        ends_with 1 talk -t "$bytes" -- --version </dev/null
        [ "$(answers)" = 'need error truncated' ]
    done
    [ -z "$(find "$cache" -mindepth 1)" ]
    # A kit whose name lies.
    mkdir lies
    zeros=$(printf '0%.0s' {1..64})
    cp "$kit" "lies/rhost-kit-x86_64-$zeros.tar.gz"
    kit=lies/rhost-kit-x86_64-$zeros.tar.gz
    ends_with 1 talk -- --version </dev/null
    [ "$(answers)" = 'need error bad-digest' ]
    [ -z "$(find "$cache" -mindepth 1)" ]
    cp "$KIT" "lies/rhost-kit-sparc-$zeros.tar.gz"
    kit=lies/rhost-kit-sparc-$zeros.tar.gz
    ends_with 1 talk -- --version </dev/null
    [ "$(answers)" = 'error wrong-arch' ]
}

@test "a kit that does not come is not waited for without end" {
    machine busybox
    for bytes in 0 100000; do
        ends_with 1 talk -w 1 -t "$bytes" -- --version </dev/null
        [[ $(answers) == need* ]]
    done
    [ -z "$(find "$cache" -mindepth 1)" ]
}

@test "a directory that other users can change is never a cache" {
    machine busybox
    mkdir -p "$cache"
    chmod 770 "$cache"
    talk -c /var/cache/rhost/kits -- --version </dev/null || true
    [ "$(answers)" = 'error unsafe' ]
    chmod 700 "$cache"
    chmod 777 "$root/var/cache"
    talk -c /var/cache/rhost/kits -- --version </dev/null || true
    [ "$(answers)" = 'error unsafe' ]
    chmod 755 "$root/var/cache"
    chown 1000 "$cache"
    talk -c /var/cache/rhost/kits -- --version </dev/null || true
    [ "$(answers)" = 'error unsafe' ]
    rmdir "$cache"
    mkdir -m 700 "$root/elsewhere"
    ln -s /elsewhere "$cache"
    talk -c /var/cache/rhost/kits -- --version </dev/null || true
    [ "$(answers)" = 'error unsafe' ]
    [ -z "$(ls "$root/elsewhere")" ]
    # What is missing is made only below directories that no other user can change.
    rm "$cache"
    mkdir -p "$root/home/ada" "$root/target"
    ln -s /target "$root/home/ada/link"
    chown -h 1000 "$root/home/ada" "$root/home/ada/link"
    for directory in /home/ada/new/kits /home/ada/link/new/kits; do
        talk -c "$directory" -- --version </dev/null || true
        [ "$(answers)" = 'error unsafe' ]
    done
    [ -z "$(ls "$root/target")" ]
    [ ! -e "$root/home/ada/new" ]
    # A link of root's is one of the machine.
    ln -s /target "$root/way"
    talk -c /way/some/kits -- --version </dev/null
    [ "$(stat -c '%a %u' "$root/target/some" "$root/target/some/kits" | paste -sd ' ')" = '755 0 700 0' ]
    ln -s /elsewhere "$cache"
    # Without a directory that was asked for, the next one is taken.
    talk -- --version </dev/null
    [ "$(answers)" = 'need ready' ]
    [ ! -e "$root/elsewhere/$digest" ]
}

@test "no-exec, no-space and read-only are said, and the next directory is tried" {
    machine busybox
    mkdir -p "$cache" "$root/small"
    in_namespace() {
        connector=(unshare --mount sh -c "$1 && exec chroot '$root' /bin/sh -c \"\$0\"")
    }
    chmod 700 "$cache"
    in_namespace "mount -t tmpfs -o noexec,mode=700 none $cache"
    ends_with 1 talk -c /var/cache/rhost/kits -- --version </dev/null
    [ "$(answers)" = 'error no-exec' ]
    talk -- --version </dev/null >out
    [ "$(answers)" = 'need ready' ]
    ends_with 1 grep -q 'dir=/var/cache' "$BATS_TEST_TMPDIR/answers"
    grep -q "^rhost " out
    in_namespace "mount -t tmpfs -o size=2m,mode=700 none $cache"
    ends_with 1 talk -c /var/cache/rhost/kits -- --version </dev/null
    [ "$(answers)" = 'error no-space' ] || { cat "$BATS_TEST_TMPDIR/answers"; return 1; }
    rm -rf --one-file-system "$root/.cache" "$root/root" "$root/run" "$root/var/tmp" "$root/tmp"/*
    in_namespace "mount --bind $root $root && mount -o remount,bind,ro $root"
    ends_with 1 talk -- --version </dev/null
    [ "$(answers)" = 'error read-only' ]
    [[ $(cat "$BATS_TEST_TMPDIR/answers") = *"/var/cache/rhost/kits: read-only"* ]]
    # A kit that is there already is used from there.
    connector=(chroot "$root" /bin/sh -c)
    talk -- --version </dev/null
    in_namespace "mount --bind $root $root && mount -o remount,bind,ro $root"
    talk -- --version </dev/null
    [ "$(answers)" = have ]
}

@test "a disk that fills up while the kit comes is said, and nothing is left" {
    machine bookworm
    whole_kit
    # The space is not known before.
    rm "$root/bin/df" "$root/usr/bin/stat"
    mkdir -p "$cache"
    chmod 700 "$cache"
    for size in 3m 9m; do
        connector=(unshare --mount sh -c "mount -t tmpfs -o size=$size,mode=700 none $cache && chroot '$root' /bin/sh -c \"\$0\"; s=\$?; find $cache -mindepth 1 >'$work/left'; exit \$s")
        ends_with 1 talk -c /var/cache/rhost/kits -- --version </dev/null
        [ "$(answers)" = 'need error no-space' ] || { cat "$BATS_TEST_TMPDIR/answers"; return 1; }
        [ ! -s left ]
    done
}

@test "ten at once on one empty cache all run, and one kit is left" {
    machine busybox
    for i in 1 2 3 4 5 6 7 8 9 10; do
        "$abs_top_builddir/tests/reach/talk" "$kit" -- "${connector[@]}" -- --version \
            </dev/null >"out$i" 2>"err$i" &
    done
    wait
    for i in 1 2 3 4 5 6 7 8 9 10; do
        grep -q '^rhost ' "out$i" || { cat "err$i"; return 1; }
    done
    [ "$(ls "$cache")" = "$digest" ]
    (cd "$cache/$digest" && sha256sum --quiet -c SHA256SUMS)
    [ ! -e "$cache/$digest/kit" ]
    talk -- --version </dev/null
    [ -z "$(find "$cache" -mindepth 1 -maxdepth 1 -name '.new-*')" ]
}

@test "the newest three kits stay, and older ones that run" {
    machine busybox
    mkdir -p "$cache"
    chmod 700 "$cache"
    for i in 1 2 3 4 5 6; do
        mkdir "$cache/$(printf "$i%.0s" {1..64})"
        touch -d "2020-01-0$i" "$cache/$(printf "$i%.0s" {1..64})"
    done
    local node
    node=$(uname -n | tr -c 'A-Za-z0-9_\n-' _)
    mkdir "$cache/.new-abc.$node.999999" "$cache/.new-abc.another.999999" "$cache/.new-old.another.999999"
    touch -d '3 days ago' "$cache/.new-old.another.999999"
    : >"$cache/.use-$(printf '1%.0s' {1..64}).$node.$$"
    : >"$cache/.use-$(printf '2%.0s' {1..64}).$node.999999"
    talk -- --version </dev/null
    [ "$(cd "$cache" && ls | cut -c 1-2 | paste -sd ' ')" = "$(printf '%s\n' 11 55 66 "${digest:0:2}" | sort | paste -sd ' ')" ]
    [ ! -e "$cache/.new-abc.$node.999999" ]
    # The transfer of another host that shares the directory may go on.
    [ -d "$cache/.new-abc.another.999999" ]
    [ ! -e "$cache/.new-old.another.999999" ]
}

@test "a target without a program that the kit needs says which" {
    machine bookworm
    mv "$root/usr/bin/sha256sum" "$root"
    ends_with 1 talk -- --version </dev/null
    [ "$(answers)" = 'error no-sha256sum' ]
    mv "$root/sha256sum" "$root/usr/bin/"
    mv "$root/bin/tar" "$root"
    ends_with 1 talk -- --version </dev/null
    [ "$(answers)" = 'error no-tar' ]
    mv "$root/tar" "$root/bin/"
    rm "$root/bin/gzip"
    talk -p -- --version </dev/null
    grep -q 'need .* gzip=0' "$BATS_TEST_TMPDIR/answers"
}

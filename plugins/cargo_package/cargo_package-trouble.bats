#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# What goes wrong with cargo, and what rhost says of it.
source "${abs_top_srcdir:-$BATS_TEST_DIRNAME/../..}/tests/lib.bash"
source "$abs_top_srcdir/tests/one.bash"
source "$abs_top_srcdir/plugins/cargo_package/cargo.bash"

@test "a missing crate, version, feature or registry, and one that does not compile or answer, are named" {
    crate one 1.0.0
    crate bad 1.0.0 'nothing()'
    package fails "cannot install 'one': could not find \`one\` in registry \`crates-io\` with version \`=7.0.0\`" <<<'version: 7.0.0'
    package fails "none of the selected packages contains these features: none" <<<'features: [none]'
    package fails "cannot install 'one': no index found for registry: \`ours\`" <<<'registry: ours'
    one "cargo_package: 'none: $place/root'" "cargo_home: $home" -- fails "could not find \`none\` in registry \`crates-io\`" </dev/null
    one "cargo_package: 'bad: $place/root'" "cargo_home: $home" -- fails "cannot find function \`nothing\` in this scope" </dev/null
    says "failed to compile \`bad v1.0.0\`"
    [ ! -e "$home/rhost-build" ]
    package run apply <<<'index: http://127.0.0.1:9/index'
    status_is 4
    says "cannot install 'one': "
    says 'failed to connect to 127.0.0.1: Connection refused'
    echo 'a [source' >>"$home/config.toml"
    package fails "cannot install 'one': could not load Cargo configuration" </dev/null
}

@test "a crate of which a program is missing counts as absent, and is installed anew or removed" {
    crate one 1.0.0
    noted 1.0.0 one one-more
    rm "$place/root/bin/one"
    package run apply </dev/null
    status_is 0
    says "crate 'one' is half installed, so it counts as absent: '$place/root/bin/one' does not exist"
    is "$("$place/root/bin/one")" '1.0.0 false'
    package is_in_sync </dev/null
    rm "$place/root/bin/one"
    package converges <<<'ensure: absent'
    is "$(ls "$place/root/bin")" ''
}

@test "damaged notes of cargo are named" {
    noted 1.0.0
    echo '"two 1.0.0' >>"$place/root/.crates.toml"
    package fails "'$place/root/.crates.toml' is damaged: line 3 is not what cargo writes" </dev/null
    noted 1.0.0
    printf '{"installs"' >"$place/root/.crates2.json"
    package fails "'$place/root/.crates2.json' is damaged, and cargo refuses to work with it: remove it" </dev/null
    rm "$place/root/.crates2.json"
    package is_in_sync </dev/null
}

@test "a program of somebody else is not overwritten" {
    crate one 1.0.0
    mkdir -p "$place/root/bin"
    echo mine >"$place/root/bin/one"
    package fails "cannot install 'one': binary \`one\` already exists in destination" </dev/null
    is "$(cat "$place/root/bin/one")" mine
}

@test "a lock of another cargo is waited for, up to the timeout" {
    crate one 1.0.0
    touch "$home/.package-cache"
    exec {lock}>"$home/.package-cache"
    flock "$lock"
    package run apply <<<'timeout: 1'
    status_is 4
    says "took longer than 1 s and was killed"
    exec {lock}>&-
    [ ! -e "$place/root/bin/one" ]
}

@test "a full disk, a read-only file system, a missing program and one that is killed are named, and the next run goes on" {
    requires_command unshare
    crate one 1.0.0
    printf 'resources:\n  - cargo_package: "one: %s/root"\n    cargo_home: %s\n' "$place" "$home" >site.yaml
    mkdir "$place/root"
    export RHOST_ISOLATION
    for trouble in "mount -t tmpfs -o size=64k,mode=755 tmpfs $place/root" \
        "mount --bind $place/root $place/root && mount -o remount,ro,bind $place/root" \
        "mount --bind /dev/null /usr/bin/cargo" \
        "printf '#!/bin/sh\nkill -9 \$PPID\n' >$work/rustc && chmod 755 $work/rustc && mount --bind $work/rustc /usr/bin/rustc"; do
        run unshare -m sh -c "$trouble || exit 10
\"\$@\" apply --state-dir \"\$BATS_TEST_TMPDIR/state\" --isolation=\"\$RHOST_ISOLATION\" site.yaml; echo status \$?" \
            sh "$abs_top_builddir/rhost"
        says 'status 4'
        case $trouble in
        *size*) says "cannot install 'one': failed to " && says 'No space left on device' ;;
        *ro,bind*) says "cannot install 'one': " && says 'Read-only file system' ;;
        *rustc*) says "cannot install 'one': signal 9 ended cargo" ;;
        *) says "cannot execute 'cargo': Permission denied" ;;
        esac
    done
    run rhost apply site.yaml
    status_is 0
    is "$("$place/root/bin/one")" '1.0.0 false'
}

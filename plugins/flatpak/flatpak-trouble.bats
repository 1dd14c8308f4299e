#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# What goes wrong with flatpak, and what rhost says of it.
source "${abs_top_srcdir:-$BATS_TEST_DIRNAME/../..}/tests/lib.bash"
source "$abs_top_srcdir/tests/one.bash"
source "$abs_top_srcdir/plugins/flatpak/flatpak.bash"

@test "a missing application, branch, remote, runtime or repository is named" {
    export_app org.example.One stable
    remote ours
    application fails "remote: remote 'none' does not exist in '$work/apps'" <<<'remote: none'
    one "flatpak: 'org.example.None: $work/apps'" -- fails "cannot install 'org.example.None': Nothing matches org.example.None in remote ours" <<<'remote: ours'
    one "flatpak: 'org.example.One//9: $work/apps'" -- fails "cannot install 'org.example.One': Nothing matches org.example.One in remote ours" <<<'remote: ours'
    application fails "cannot install 'org.example.One': The application org.example.One/x86_64/stable requires the runtime org.example.Platform/x86_64/1 which was not found" <<<'remote: ours'
    mv repo gone
    application fails "cannot install 'org.example.One': Unable to load summary from remote ours" <<<'remote: ours'
    FLATPAK_SYSTEM_DIR=$work/apps flatpak remote-modify --system --url=http://127.0.0.1:9/ ours
    application run apply <<<$'remote: ours\ntimeout: 20'
    status_is 4
    says "Couldn't connect to server"
    [ ! -e apps/app/org.example.One ]
}

@test "a repository that is not signed, and an object that is damaged, are refused" {
    export_app org.example.One stable
    FLATPAK_SYSTEM_DIR=$work/apps flatpak remote-add --system signed "file://$work/none"
    FLATPAK_SYSTEM_DIR=$work/apps flatpak remote-modify --system --url="file://$work/repo" signed
    application fails "GPG verification enabled, but no summary signatures found" <<<'remote: signed'
    remote ours
    for file in $(find repo/objects -name '*.filez'); do echo damaged >"$file"; done
    application fails "cannot install 'org.example.One': Failed to install org.example.One: While pulling app/org.example.One/x86_64/stable from remote ours" <<<$'remote: ours\ndependencies: false'
    is "$(installed)" ''
}

@test "a full disk, a read-only file system, a missing program and one that is killed are named, and the next run goes on" {
    requires_command unshare
    export_app org.example.One stable
    head -c 3000000 /dev/urandom >app/files/large
    flatpak build-export --disable-sandbox --arch=x86_64 repo app stable >/dev/null
    remote ours
    printf 'resources:\n  - flatpak: "org.example.One: %s/apps"\n    remote: ours\n    dependencies: false\n' "$work" >site.yaml
    export RHOST_ISOLATION
    for trouble in "cp -a apps copy && mount -t tmpfs -o size=2m,mode=755 tmpfs apps && cp -a copy/. apps/" \
        "mount --bind apps apps && mount -o remount,ro,bind apps" \
        "mount --bind /dev/null /usr/bin/flatpak" \
        "printf '#!/bin/sh\nkill -9 \$\$\n' >$work/killed && chmod 755 $work/killed && mount --bind $work/killed /usr/bin/flatpak"; do
        run unshare -m sh -c "{ $trouble; } || exit 10
\"\$@\" apply --state-dir \"\$BATS_TEST_TMPDIR/state\" --isolation=\"\$RHOST_ISOLATION\" site.yaml; echo status \$?" \
            sh "$abs_top_builddir/rhost"
        says 'status 4'
        case $trouble in
        *size*) says "cannot install 'org.example.One': " && says 'Not enough disk space to complete this operation' ;;
        *ro,bind*) says "cannot install 'org.example.One': " && says 'Read-only file system' ;;
        *killed*) says "cannot install 'org.example.One': signal 9 ended flatpak" ;;
        *) says "cannot execute 'flatpak': Permission denied" ;;
        esac
    done
    run rhost apply site.yaml
    status_is 0
    is "$(installed)" 'org.example.One/x86_64/stable ours'
}

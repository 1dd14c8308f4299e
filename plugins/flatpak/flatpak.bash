# SPDX-License-Identifier: Apache-2.0
# What the tests of flatpak and flatpak_remote share: a repository of the test.

setup() {
    work_open
    requires_root
    requires_command flatpak
    chmod 711 "$work" "$BATS_TEST_TMPDIR" "${BATS_TEST_TMPDIR%/*}" "$BATS_RUN_TMPDIR" # a way in for others
    export HOME=$work
}

# The application of the installation, whose other attributes stand on standard input.
application() {
    one "flatpak: 'org.example.One: $work/apps'" -- "$@"
}

# remote NAME [REPOSITORY]: a remote of the installation.
remote() {
    FLATPAK_SYSTEM_DIR=$work/apps flatpak remote-add --system --no-gpg-verify "$1" "file://$work/${2-repo}"
}

# export_app ID BRANCH [REPOSITORY]: an application that prints its branch, and needs the runtime.
export_app() {
    rm -rf app
    mkdir -p app/files/bin app/export
    printf '#!/bin/sh\necho %s\n' "$2" >app/files/bin/it
    chmod 755 app/files/bin/it
    printf '[Application]\nname=%s\nruntime=org.example.Platform/x86_64/1\nsdk=org.example.Sdk/x86_64/1\ncommand=it\n' "$1" >app/metadata
    flatpak build-export --disable-sandbox --arch=x86_64 "${3-repo}" app "$2" >/dev/null
}

# export_runtime BRANCH
export_runtime() {
    rm -rf runtime
    mkdir -p runtime/files runtime/usr
    printf '[Runtime]\nname=org.example.Platform\nruntime=org.example.Platform/x86_64/%s\nsdk=org.example.Sdk/x86_64/%s\n' "$1" "$1" >runtime/metadata
    flatpak build-export --runtime --disable-sandbox --arch=x86_64 repo runtime "$1" >/dev/null
}

# What flatpak says is installed.
installed() {
    FLATPAK_SYSTEM_DIR=$work/apps flatpak list --system --columns=ref,origin | tr '\t' ' ' | LC_ALL=C sort
}

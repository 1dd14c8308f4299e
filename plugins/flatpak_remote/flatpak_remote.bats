#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# With the flatpak of the machine, in an installation of the test.
source "${abs_top_srcdir:-$BATS_TEST_DIRNAME/../..}/tests/lib.bash"
source "$abs_top_srcdir/tests/one.bash"
source "$abs_top_srcdir/plugins/flatpak/flatpak.bash"

# The remote "ours" of the installation, whose other attributes stand on standard input.
ours() {
    one "flatpak_remote: 'ours: $work/apps'" -- "$@"
}

# What flatpak says of the remotes.
remotes() {
    FLATPAK_SYSTEM_DIR=$work/apps flatpak remotes --system --show-disabled --columns=name,url,title,options | tr '\t' ' '
}

@test "a remote is added, changed and removed" {
    awk '/^# scratch example/ { inside = 1 } /^```$/ { inside = 0 } inside' "$abs_top_srcdir/plugins/flatpak_remote/flatpak_remote.md" |
        sed "s|/srv/example|$work|" >example.yaml
    export_runtime 1
    run rhost apply --noop --detailed-exitcodes example.yaml
    status_is 2
    [ ! -e apps ]
    run rhost apply --detailed-exitcodes example.yaml
    status_is 2
    run rhost apply --detailed-exitcodes example.yaml
    status_is 0
    is "$(remotes)" "ours file://$work/repo Ours no-gpg-verify"
    ours converges <<'END'
url: file:///srv/other
label: 'Theirs: "a" \ b'
enabled: false
gpg_verify: true
END
    is "$(remotes)" 'ours file:///srv/other Theirs: "a" \ b disabled'
    run rhost resource flatpak_remote "ours: $work/apps"
    says 'enabled: false'
    says 'gpg_verify: true'
    ours converges <<<'enabled: true'
    ours converges <<<'ensure: absent'
    is "$(remotes)" ''
}

@test "what is signed with the key of the remote is installed, and what is not is refused" {
    requires_command gpg
    mkdir -m 700 keys
    gpg --homedir keys --batch --quiet --passphrase '' --quick-generate-key test@example.org ed25519 sign never 2>/dev/null
    gpg --homedir keys --batch --export >key.gpg
    export_runtime 1
    flatpak build-update-repo --gpg-homedir=keys --gpg-sign=test@example.org repo >/dev/null 2>&1
    ours converges <<END
url: file://$work/repo
gpg_key: $work/key.gpg
END
    one "flatpak: 'org.example.Platform: $work/apps'" 'remote: ours' -- fails "GPG" </dev/null
    flatpak build-sign --gpg-homedir=keys --gpg-sign=test@example.org --runtime repo org.example.Platform 1
    flatpak build-update-repo --gpg-homedir=keys --gpg-sign=test@example.org repo >/dev/null 2>&1
    one "flatpak: 'org.example.Platform: $work/apps'" 'remote: ours' -- converges </dev/null
    gpgconf --homedir keys --kill all
}

@test "a remote with installed applications, one without a URL or a key, and a damaged configuration are named" {
    export_app org.example.One stable
    ours fails "url: 'url' is required: remote 'ours' does not exist" </dev/null
    ours fails "cannot add remote 'ours': The file /srv/none specified for --gpg-import was not found" <<<$'url: file:///srv/repo\ngpg_key: /srv/none'
    ours converges <<<$'url: file://'"$work"$'/repo\ngpg_verify: false'
    one "flatpak: 'org.example.One: $work/apps'" 'remote: ours' 'dependencies: false' -- converges </dev/null
    ours fails "cannot remove remote 'ours': Can't remove remote 'ours' with installed refs" <<<'ensure: absent'
    echo damaged >key
    ours fails "cannot change remote 'ours': GPG: Unable to export keys" <<END
gpg_verify: true
gpg_key: $work/key
END
    ours run apply --noop <<<$'url: https://me:secret@example.org/'
    status_is 1
    says_not 'secret@'
    ours fails "gpg_key: with 'gpg_verify: false' no key is used" <<<$'gpg_verify: false\ngpg_key: /srv/none'
    echo damaged >>apps/repo/config
    ours fails "'$work/apps/repo/config' is damaged: line " <<<'enabled: false'
}

@test "a read-only file system, a missing program and a server that does not answer are told apart" {
    requires_command unshare
    mkdir apps
    printf 'resources:\n  - flatpak_remote: "ours: %s/apps"\n    url: http://127.0.0.1:9/repo\n' "$work" >site.yaml
    export RHOST_ISOLATION
    for trouble in "mount -t tmpfs -o size=4k,mode=755 tmpfs apps" \
        "mount --bind apps apps && mount -o remount,ro,bind apps" "mount --bind /dev/null /usr/bin/flatpak"; do
        run unshare -m sh -c "{ $trouble; } || exit 10
\"\$@\" apply --state-dir \"\$BATS_TEST_TMPDIR/state\" --isolation=\"\$RHOST_ISOLATION\" site.yaml; echo status \$?" \
            sh "$abs_top_builddir/rhost"
        says 'status 4'
        case $trouble in
        *size*) says 'No space left on device' ;;
        *ro,bind*) says "cannot add remote 'ours': " && says 'Read-only file system' ;;
        *) says "cannot execute 'flatpak': Permission denied" ;;
        esac
    done
    run rhost apply --detailed-exitcodes site.yaml
    status_is 2
    run rhost apply --detailed-exitcodes site.yaml
    status_is 0
}

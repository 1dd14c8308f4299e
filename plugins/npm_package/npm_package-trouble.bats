#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# What goes wrong with npm, and who it runs as.
source "${abs_top_srcdir:-$BATS_TEST_DIRNAME/../..}/tests/lib.bash"
source "$abs_top_srcdir/tests/one.bash"
source "$abs_top_srcdir/plugins/npm_package/npm.bash"

@test "npm runs as the owner, and as root only where nobody else can change what it obeys" {
    archive 1.0.0
    package run apply <<END
source: $work/one-1.0.0.tgz
owner: daemon
END
    # The home of this user is root's, so npm may have no place for its cache; it says so then.
    [ "$status" -eq 0 ] || says "cannot install '$work/one-1.0.0.tgz': "
    is "$(stat -c %U prefix)" daemon
    package fails "owner: '$work/prefix' belongs to user 'daemon'" <<<'owner: root'
    package fails "unknown user 'nobody-here'" <<<'owner: nobody-here'
    rm -rf prefix
    installed prefix/lib/node_modules 1.0.0
    chown daemon prefix/lib/node_modules
    package fails "cannot run npm in '$work/prefix' as root: another user can change '$work/prefix/lib/node_modules'" <<<'version: 2'
    chown root prefix/lib/node_modules
    mkdir prefix/etc prefix/lib/node_modules/@scope
    for path in prefix/etc/npmrc prefix/.npmrc prefix/package-lock.json prefix/npm-shrinkwrap.json prefix/lib/node_modules/one \
        prefix/lib/node_modules/@scope/two; do
        touch "$path"
        chown daemon "$path"
        package fails "another user can change '$work/$path'" <<<'ensure: absent'
        chown root "$path"
    done
    archive 1.1.0
    chmod 666 one-1.1.0.tgz
    package fails "another user can change '$work/one-1.1.0.tgz'" <<<"source: $work/one-1.1.0.tgz"
    chmod 777 prefix
    package fails "another user can change '$work/prefix'" <<<'ensure: absent'
}

@test "a registry that does not answer, a missing package and a damaged archive are named" {
    package run apply <<<'version: 1.0.0'
    status_is 4
    says "cannot install 'one@1.0.0': request to "
    says 'no cached response'
    one "npm_package: 'one: $work/prefix'" 'registry: http://127.0.0.1:9/' -- run apply </dev/null
    status_is 4
    says "cannot install 'one': "
    says 'ECONNREFUSED'
    echo no archive >one-1.0.0.tgz
    package fails "cannot install '$work/one-1.0.0.tgz': " <<<"source: $work/one-1.0.0.tgz"
    package run apply --noop <<<"source: $work/one-9.0.0.tgz"
    status_is 4
    says "source: '$work/one-9.0.0.tgz' does not exist"
}

@test "a full disk, a read-only file system and a missing npm are named" {
    requires_command unshare
    archive 1.0.0
    printf 'resources:\n  - npm_package: "one: %s/prefix"\n    source: %s/one-1.0.0.tgz\n    offline: true\n' "$work" "$work" >site.yaml
    mkdir prefix
    export RHOST_ISOLATION
    for trouble in 'mount -t tmpfs -o size=4k,mode=755 tmpfs prefix && dd if=/dev/zero of=prefix/zero bs=4k count=1 2>/dev/null' \
        'mount --bind prefix prefix && mount -o remount,ro,bind prefix' \
        'mount --bind /dev/null "$(command -v npm)"'; do
        run unshare -m sh -c "$trouble || exit 10
\"\$@\" apply --state-dir \"\$BATS_TEST_TMPDIR/state\" --isolation=\"\$RHOST_ISOLATION\" site.yaml; echo status \$?" \
            sh "$abs_top_builddir/rhost"
        says 'status 4'
        says 'failed: cannot '
        case $trouble in
        # npm finds what it could not write, and says that.
        *size*) says "cannot install '$work/one-1.0.0.tgz': " ;;
        *ro,bind*) says "cannot install '$work/one-1.0.0.tgz': " ;;
        *) says "cannot execute 'npm': Permission denied" ;;
        esac
    done
}

@test "what a manifest cannot say is refused" {
    package fails "version: 'latest' is not a version, nor a range such as '^1.2'" <<<'version: latest'
    package fails "'1.2.3.4' is not a version" <<<'version: 1.2.3.4'
    package fails "registry: 'offline' says that no registry is asked" <<<'registry: https://example.org/'
    one "npm_package: 'one: $work/prefix'" -- run apply <<<'registry: https://me:secret@example.org/'
    status_is 1
    says 'must not have a user or a password'
    says_not 'secret@'
    package fails "it must be an archive of 'one'" <<<"source: $work/two-1.0.0.tgz"
    package fails "version: the archive has version '1.0.0'" <<END
source: $work/one-1.0.0.tgz
version: '>1'
END
    one "npm_package: 'one: prefix'" -- run apply </dev/null
    status_is 1
    one "npm_package: '--help: $work/prefix'" -- run apply </dev/null
    status_is 1
}

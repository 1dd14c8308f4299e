#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# With the npm of the machine, on archives of the test: no registry is asked. Each start of npm takes a second.
source "${abs_top_srcdir:-$BATS_TEST_DIRNAME/../..}/tests/lib.bash"
source "$abs_top_srcdir/tests/one.bash"

setup() {
    work_open
    requires_root
    requires_command npm
    chmod 711 "$work" "$BATS_TEST_TMPDIR" "${BATS_TEST_TMPDIR%/*}" "$BATS_RUN_TMPDIR" # a way in for others
}

# The package "one" of the prefix, whose other attributes stand on standard input.
package() {
    one "npm_package: 'one: $work/prefix'" 'offline: true' -- "$@"
}

# archive VERSION: one-VERSION.tgz, with a script that leaves a trace.
archive() {
    mkdir -p package
    printf '{"name": "one", "version": "%s", "bin": {"one": "one.js"}, "scripts": {"postinstall": "touch ran"}}\n' "$1" >package/package.json
    printf '#!/usr/bin/env node\n' >package/one.js
    tar -czf "one-$1.tgz" package
}

# installed DIRECTORY VERSION: what npm has put there.
installed() {
    mkdir -p "$1/one"
    printf '{"name": "one", "version": "%s"}\n' "$2" >"$1/one/package.json"
}

@test "an archive is installed below a prefix, replaced by another one, and removed" {
    archive 1.0.0
    archive 1.1.0
    awk '/^# scratch example/ { inside = 1 } /^```$/ { inside = 0 } inside' "$abs_top_srcdir/plugins/npm_package/npm_package.md" |
        sed "s|/tmp/example|$work|" >example.yaml
    run rhost apply --noop --detailed-exitcodes example.yaml
    status_is 2
    [ ! -e prefix ]
    run rhost apply --detailed-exitcodes example.yaml
    status_is 2
    run rhost apply --detailed-exitcodes example.yaml
    status_is 0
    [ -x prefix/bin/one ]
    [ ! -e prefix/lib/node_modules/one/ran ]
    package is_in_sync <<<'version: ^1.0.0'
    package run apply <<END
source: $work/one-1.1.0.tgz
scripts: true
END
    status_is 0
    says "version 1.0.0 is installed, and '$work/one-1.1.0.tgz' has 1.1.0"
    [ -e prefix/lib/node_modules/one/ran ]
    package is_in_sync <<<"source: $work/one-1.1.0.tgz"
    package converges <<<'ensure: absent'
    [ ! -e prefix/lib/node_modules/one ]
    [ ! -e prefix/bin/one ]
}

# differ TEXT: the summary of a dry run of the pairs "VERSION WANTED" on standard input.
differ() {
    local n=0 version wanted
    echo resources: >site.yaml
    rm -rf e*
    while read -r version wanted; do
        n=$((n + 1))
        installed "e$n/lib/node_modules" "$version"
        printf '  - npm_package: "one: %s/e%s"\n    version: "%s"\n' "$work" "$n" "$wanted" >>site.yaml
    done
    run rhost apply --noop site.yaml
    status_is 0
    says "$n resources: $1"
}

@test "versions and ranges are compared by the rules of npm" {
    differ '21 ok' <<'END'
1.2.3 1.2.3
1.2.3 v1.2.3
1.2.3 ^1.2
1.2.3 ~1.2.1
1.2.3 1.x
1.2.3 *
1.2.3 >=1 <2
1.2.3 1.2 - 1.4
1.2.3 2 || 1.2
1.2.3 <=1.2
1.2.3 > 1.1
0.2.9 ^0.2.3
0.0.3 ^0.0.3
0.0.7 ^0.0
0.9.0 ^0.x
1.2.3-beta.2 1.2.3-beta.2
1.2.3-beta.10 ^1.2.3-beta.2
1.2.3-1 <1.2.3-a
1.2.3+build 1.2.3
2.0.0 >=1.0.0
1.0.0 1 - 1.0.0
END
    differ '18 would change' <<'END'
1.2.3 1.2.4
1.2.3 ^1.3
1.2.3 ~1.1
1.2.3 2.x
1.2.3 >1.2
1.2.3 <1.2
1.2.3 1.0 - 1.1
1.2.3 2 || 3
0.3.0 ^0.2.3
0.0.4 ^0.0.3
2.0.0-rc.1 ^1.0.0
2.0.0-rc.1 *
1.2.4-beta ^1.2.3-beta
1.2.3-beta.2 ^1.2.3-beta.10
1.2.3-beta 1.2.3
1.2.3-beta <1.2.3
1.0.0 >1
1.0.0 >*
END
}

@test "a package of a project is one that its package.json names" {
    archive 1.0.0
    mkdir project
    in_project() {
        one "npm_package: 'one: $work/project'" 'layout: project' 'offline: true' -- "$@"
    }
    in_project fails "path: '$work/project' is not a project: it has no package.json" <<<"source: $work/one-1.0.0.tgz"
    echo '{"name": "project", "version": "1.0.0"}' >project/package.json
    installed project/node_modules 1.0.0
    in_project run apply <<<"source: $work/one-1.0.0.tgz"
    status_is 0
    grep -q '"one": *"file:../one-1.0.0.tgz"' project/package.json
    in_project is_in_sync <<<'version: 1.x'
    in_project run apply <<<'ensure: absent'
    status_is 0
    not grep -q '"one"' project/package.json
    echo '[' >project/package.json
    in_project fails "'$work/project/package.json' is damaged: it is not JSON, or no mapping" </dev/null
}

@test "a package that is half installed counts as absent, and is installed anew" {
    archive 1.0.0
    mkdir -p prefix/lib/node_modules/one
    package run apply <<<"source: $work/one-1.0.0.tgz"
    status_is 0
    says "package 'one' is half installed, so it counts as absent: '$work/prefix/lib/node_modules/one/package.json' does not exist"
    [ -x prefix/bin/one ]
    package is_in_sync </dev/null
    echo '{"name":' >prefix/lib/node_modules/one/package.json
    package run apply --noop </dev/null
    says "one/package.json' is damaged"
    rm -r prefix/lib/node_modules/one
    ln -s "$work/package" prefix/lib/node_modules/one
    package fails "is a link to a directory, as 'npm link' makes it" </dev/null
}

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

#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
source "${abs_top_srcdir:-$BATS_TEST_DIRNAME/../..}/tests/lib.bash"

@test "a directory is created with its mode, and left alone afterwards" {
    converges <<END
resources:
  - directory: $work/srv/
    mode: 0750
END
    [ "$(mode_of srv)" = 750 ]
}

@test "a directory without a mode is as mkdir makes it with the usual umask" {
    for umask in 000 077; do
        rm -rf srv
        umask_is $umask
        printf 'resources:\n  - directory: %s/srv\n' "$work" | converges
        is "$(mode_of srv)" 755
    done
}

@test "a missing parent is an error" {
    run apply <<END
resources:
  - directory: $work/no/such/parent
END
    status_is 4
    says "directory '$work/no/such' does not exist; 'directory: $work/no/such' creates it"
}

@test "a file in the way is an error" {
    touch srv
    run apply <<END
resources:
  - directory: $work/srv
END
    status_is 4
    says "not a directory"
    [ -f srv ]
}

@test "a link to a directory is not taken for one" {
    mkdir real
    ln -s real srv
    run apply <<END
resources:
  - directory: $work/srv
    mode: 0700
END
    status_is 4
    [ "$(mode_of real)" = 755 ]
}

# bats test_tags=inline
@test "owner and mode hold below, and directories get x where r is" {
    requires_root
    mkdir -p srv/sub
    touch srv/sub/file
    ln -s /etc/passwd srv/link
    converges <<END
resources:
  - directory: $work/srv
    owner: daemon
    mode: 0640
    recurse: true
END
    [ "$(stat -c %U:%a srv srv/sub srv/sub/file | tr '\n' ' ')" = "daemon:750 daemon:750 daemon:640 " ]
    [ "$(stat -c %U /etc/passwd)" = root ]
}

@test "a single entry below that differs is found and named" {
    mkdir -p srv/sub
    touch srv/sub/file srv/other
    chmod 0600 srv/sub/file
    run apply <<END
resources:
  - directory: $work/srv
    mode: 0644
    recurse: true
END
    status_is 0
    says "1 entry below with another owner or mode, such as 'sub/file'"
    [ "$(mode_of srv/sub/file)" = 644 ]
}

# bats test_tags=inline
@test "a purge removes what keep does not name, but no directories" {
    mkdir -p conf.d/sub
    touch conf.d/ours conf.d/stray
    converges <<END
resources:
  - directory: $work/conf.d
    purge: true
    keep: [ours]
END
    [ "$(ls conf.d | tr '\n' ' ')" = "ours sub " ]
}

# bats test_tags=inline
@test "noop names what a purge would remove" {
    mkdir conf.d
    touch conf.d/stray
    run apply --noop <<END
resources:
  - directory: $work/conf.d
    purge: true
END
    status_is 0
    says "1 entry that should not be there: 'stray'"
    [ -e conf.d/stray ]
}

@test "noop does not look into a directory that is to go" {
    mkdir -m 700 conf.d
    touch conf.d/stray
    run apply --noop <<END
resources:
  - directory: $work/conf.d
    ensure: absent
    purge: true
    recurse: true
    mode: 0755
    force: true
END
    status_is 0
    says 'present → absent'
    says_not stray
    says_not mode
    says_not 0755
}

@test "with force a purge removes directories as well" {
    mkdir -p conf.d/sub/deeper
    touch conf.d/sub/deeper/file
    converges <<END
resources:
  - directory: $work/conf.d
    purge: true
    force: true
END
    [ -z "$(ls -A conf.d)" ]
}

# bats test_tags=inline
@test "a purge of more than its limit removes nothing" {
    mkdir conf.d
    touch conf.d/{a,b,c}
    run apply <<END
resources:
  - directory: $work/conf.d
    purge: true
    purge_limit: 2
END
    status_is 4
    says "more than 2 entries would be purged"
    [ "$(ls conf.d | wc -l)" -eq 3 ]
}

# bats test_tags=inline
@test "the limit of a purge is not for a directory that is removed whole" {
    mkdir conf.d
    touch conf.d/{a,b,c}
    run apply <<END
resources:
  - directory: $work/conf.d
    ensure: absent
    force: true
    purge: true
    purge_limit: 2
END
    status_is 0
    [ ! -e conf.d ]
}

@test "an empty directory is removed" {
    mkdir old
    converges <<END
resources:
  - directory: $work/old
    ensure: absent
END
    [ ! -e old ]
}

@test "a directory with something in it is removed only with force" {
    mkdir -p old/sub
    touch old/sub/file
    ln -s "$work" old/link
    touch precious
    run apply <<END
resources:
  - directory: $work/old
    ensure: absent
END
    status_is 4
    says "Directory not empty"
    converges <<END
resources:
  - directory: $work/old
    ensure: absent
    force: true
END
    [ ! -e old ]
    [ -e precious ]
}

@test "a directory comes before what is in it, and after it when both go" {
    run apply -v <<END
resources:
  - link: $work/a/b/link
    target: x
  - file: $work/a/b/file
    content: x
  - directory: $work/a/b
  - directory: $work/a
END
    status_is 0
    [ -L a/b/link ]
    [ -f a/b/file ]
    run apply <<END
resources:
  - directory: $work/a
    ensure: absent
  - directory: $work/a/b
    ensure: absent
  - file: $work/a/b/file
    ensure: absent
  - link: $work/a/b/link
    ensure: absent
END
    status_is 0
    [ ! -e a ]
}

@test "what the manifest says of the order counts more than what a path says" {
    mkdir d
    run apply <<END
resources:
  - directory: $work/d
    mode: "0700"
    require: exec[between]
  - exec: between
    command: [sh, -c, "[ -f $work/d/file ] && [ \$(stat -c %a $work/d) = 755 ]"]
    require: file[$work/d/file]
  - file: $work/d/file
    content: x
END
    status_is 0
    [ "$(mode_of d)" = 700 ]
    run apply <<END
resources:
  - directory: $work/d
    require: file[$work/d/file]
  - file: $work/d/file
    require: directory[$work/d]
END
    status_is 1
    says "resources depend on each other in a cycle"
}

@test "what is below counts for the limit of a purge" {
    mkdir -p conf.d/sub
    touch conf.d/sub/{a,b,c}
    run apply <<END
resources:
  - directory: $work/conf.d
    purge: true
    force: true
    purge_limit: 3
END
    status_is 4
    says "more than 3 entries would be purged"
    [ "$(ls conf.d/sub | wc -l)" -eq 3 ]
}

# bats test_tags=inline
@test "a purge leaves what a resource has below it without naming it" {
    mkdir -p units apt
    cat >site.yaml <<END
resources:
  - directory: $work/units
    purge: true
    force: true
  - systemd_unit: a.service
    directory: $work/units
    content: "[Service]\nExecStart=/bin/true\n"
  - systemd_unit: b.service.d/limits
    directory: $work/units
    content: "[Service]\nNice=1\n"
  - directory: $work/apt/sources.list.d
    parents: true
    purge: true
  - apt_repository: example
    root: $work/apt
    uris: [http://deb.example.org/debian]
    suites: [stable]
    components: [main]
  - exec: build
    command: [sh, -c, "touch units/one units/two"]
    cwd: $work
    creates: [$work/units/one, $work/units/two]
END
    rhost apply site.yaml
    touch units/stray
    run rhost apply site.yaml
    says stray
    says_not a.service
    says_not limits
    says '1 changed'
    run rhost apply site.yaml
    says_not changed
    [ -e units/a.service ]
    [ -e units/b.service.d/limits.conf ]
    [ -e apt/sources.list.d/example.sources ]
    [ -e units/two ]
}

@test "a purge leaves the home directory of an account that the manifest manages" {
    requires_root
    mkdir -p homes/alice/.ssh homes/bob homes/carol
    touch homes/alice/letters homes/bob/letters
    {
        cat /etc/passwd
        printf '%s:x:%s:100::%s/homes/%s:/bin/sh\n' alice 54321 "$work" alice bob 54322 "$work" bob
    } >passwd
    cat >site.yaml <<END
resources:
  - directory: $work/homes
    purge: true
    force: true
  - user: alice
  - ssh_authorized_key: bob@example
    user: bob
    type: ssh-ed25519
    key: AAAAC3NzaC1lZDI1NTE5AAAAIE7fwXzKQKQZkqbMlLjbjg2S3S5cv6lZbKqgUmYjSaMf
END
    run unshare -m sh -c 'mount --bind passwd /etc/passwd && exec "$@"' sh \
        "$abs_top_builddir/rhost" apply --noop --state-dir state site.yaml
    says carol
    says_not alice\'
    says_not bob\'
}

@test "a purge leaves what the manifest names, whatever its type" {
    mkdir -p d/sub/deep d/other
    touch d/{file,listed,extra} d/sub/deep/settings.ini d/other/x d/hosts
    ln -s nowhere d/link
    converges <<END
resources:
  - directory: $work/d
    purge: true
    force: true
    keep: [listed]
  - file: $work/d/file
    content: ours
  - link: $work/d/link
    target: elsewhere
  - ini_setting: debug
    setting: debug
    path: $work/d/sub/deep/settings.ini
    value: "1"
  - host: www.example.org
    ip: 192.0.2.1
    target: $work/d/hosts
END
    [ "$(cd d && find . | sort | tr '\n' ' ')" = ". ./file ./hosts ./link ./listed ./sub ./sub/deep ./sub/deep/settings.ini " ]
}

# Runs rhost with real/ mounted onto each of the directories given.
with_mounts_on() {
    mkdir -p real
    echo precious >real/file
    printf '#!/bin/sh\nset -e\n' >mounted
    for at; do
        echo "mount --bind '$work/real' '$work/$at'" >>mounted
    done
    echo "exec '$abs_top_builddir/rhost' \"\$@\"" >>mounted
    chmod +x mounted
}

# Applies the manifest on standard input so.
run_mounted() {
    cat >site.yaml
    run unshare --mount "$work/mounted" apply --state-dir "$BATS_TEST_TMPDIR/state" \
        --isolation="$RHOST_ISOLATION" site.yaml
}

# bats test_tags=inline
@test "nothing is removed where something is mounted below, not even beside it" {
    requires_root
    unshare --mount true || skip "needs a mount namespace"
    mkdir -p victim/a victim/sub victim/z
    touch victim/a/file victim/z/file
    with_mounts_on victim/sub
    run_mounted <<END
resources:
  - directory: $work/victim
    ensure: absent
    force: true
END
    status_is 4
    says "something is mounted there"
    [ -f victim/a/file ]
    [ -f victim/z/file ]
    [ "$(cat real/file)" = precious ]

    run_mounted <<END
resources:
  - directory: $work/victim
    purge: true
    force: true
END
    status_is 4
    says "something is mounted there"
    [ -f victim/a/file ]
    [ -f victim/z/file ]
    [ "$(cat real/file)" = precious ]
}

@test "what is mounted on the directory itself is not emptied" {
    requires_root
    unshare --mount true || skip "needs a mount namespace"
    mkdir victim
    with_mounts_on victim
    run_mounted <<END
resources:
  - directory: $work/victim
    ensure: absent
    force: true
END
    status_is 4
    [ "$(cat real/file)" = precious ]
}

# bats test_tags=inline
@test "owner and mode do not reach into what is mounted below" {
    requires_root
    unshare --mount true || skip "needs a mount namespace"
    mkdir -p victim/sub
    touch victim/file
    with_mounts_on victim/sub
    chmod 0600 real/file
    run_mounted <<END
resources:
  - directory: $work/victim
    owner: daemon
    mode: 0644
    recurse: true
END
    status_is 0
    [ "$(stat -c %U victim/file)" = daemon ]
    [ "$(mode_of real/file)" = 600 ]
    [ "$(stat -c %u real/file)" = 0 ]
}

# bats test_tags=inline
@test "the default ACL of an earlier owner goes with that owner" {
    requires_root
    requires_command setfacl
    mkdir -p top/below
    chown -R 1234 top
    setfacl -d -m u:4321:rwx top top/below
    converges <<END
resources:
  - directory: $work/top
    owner: root
    mode: 0755
    recurse: true
END
    run getfacl -R --absolute-names top
    says_not 4321
}

# bats test_tags=inline
@test "recursion does not hand down setuid bits to another owner" {
    requires_root
    mkdir up
    cp /usr/bin/id up/tool
    chown 65534 up up/tool
    chmod 6755 up/tool
    chmod 2775 up
    converges <<END
resources:
  - directory: $work/up
    owner: root
    recurse: true
END
    [ "$(mode_of up/tool)" = 755 ]
    [ "$(stat -c %u up/tool)" = 0 ]
    [ "$(mode_of up)" = 2775 ]
}

@test "a mode in symbols: a tree gets what chmod -R gives it" {
    for tree in ours theirs; do
        mkdir -p $tree/sub
        touch $tree/plain $tree/tool $tree/sub/deep
        chmod 0600 $tree/plain
        chmod 0744 $tree/tool $tree/sub
        chmod 0666 $tree/sub/deep
        chmod 2700 $tree
    done
    chmod -R u=rwX,g=rX,o= theirs
    converges <<END
resources:
  - directory: $work/ours
    mode: u=rwX,g=rX,o=
    recurse: true
  - directory: $work/new
    mode: g+ws
END
    [ "$(cd ours && find . -printf '%P %m\n' | sort)" = "$(cd theirs && find . -printf '%P %m\n' | sort)" ]
    [ "$(stat -c %a new)" = 2775 ]
}

# bats test_tags=inline
@test "a directory has an ACL, and one for what is created in it" {
    requires_root
    requires_command setfacl
    for RHOST_ISOLATION in $isolations; do
        rm -rf top
        converges <<END
resources:
  - directory: $work/top
    mode: 0750
    acl: ['u:nobody:rX', 'd:u:nobody:rwX', 'default:g:games:r']
END
        run getfacl --absolute-names --omit-header top
        is "$(xargs <<<"$output")" "$(echo user::rwx user:nobody:r-x group::r-x mask::r-x other::--- default:user::rwx \
            default:user:nobody:rwx default:group::r-x default:group:games:r-- default:mask::rwx default:other::---)"
        : >top/new
        run getfacl --absolute-names --omit-header top/new
        says 'user:nobody:rwx'
        rhost resource directory "$work/top" >listed.yaml
        cat listed.yaml
        grep -q 'd:u:nobody:rwx' listed.yaml
        run rhost apply --noop --detailed-exitcodes listed.yaml
        status_is 0
        # What somebody has changed in it is a difference.
        setfacl -d -m u::r top
        run rhost apply --noop --detailed-exitcodes "$BATS_TEST_TMPDIR/site.yaml"
        status_is 2
        converges <<END
resources:
  - directory: $work/top
    acl: ['d:u::rwx', 'd:o::r', 'd:u:daemon:---']
END
        run getfacl --absolute-names --omit-header top
        is "$(xargs <<<"$output")" "$(echo user::rwx group::r-x other::--- default:user::rwx default:user:daemon:--- \
            default:group::r-x default:mask::r-x default:other::r--)"
        converges <<END
resources:
  - directory: $work/top
    acl: []
END
        run getfacl --absolute-names --omit-header top
        is "$(xargs <<<"$output")" 'user::rwx group::r-x other::---'
    done
}

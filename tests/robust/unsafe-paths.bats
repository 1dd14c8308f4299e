#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# What an ordinary user can do against rhost as root with symbolic links in a directory of their own: nothing.
source "${abs_top_srcdir:-$BATS_TEST_DIRNAME/../..}/tests/lib.bash"

# home/ belongs to user 1234, who has put links there to real/, which is root's.
setup() {
    work_open
    requires_root
    mkdir home real
    printf 'precious\n' >real/shadow
    chmod 0600 real/shadow
    ln -s "$work/real" home/dir
    ln -s ../real home/relative
    ln -s "$work/real/shadow" home/file
    chown -h 1234:1234 home home/*
    before=$(cd real && find . -printf '%p %y %u %g %m %s %l\n' | sort)
}

# Nothing in real/ is another than it was.
real_is_untouched() {
    [ "$before" = "$(cd real && find . -printf '%p %y %u %g %m %s %l\n' | sort)" ] || return
    [ "$(cat real/shadow)" = precious ]
}

# The resource on standard input fails, in words that say why.
is_refused() {
    run apply
    status_is 4
    says "unsafe path: '$work/home/$1' is a symbolic link that user 1234 can change"
    real_is_untouched
}

@test "file: the owner of a link does not become the owner of what it leads to" {
    is_refused dir <<END
resources:
  - file: $work/home/dir/shadow
    owner: daemon
END
}

@test "file: content is not written through a link" {
    is_refused relative <<END
resources:
  - file: $work/home/relative/shadow
    content: mine
END
    is_refused relative <<END
resources:
  - file: $work/home/relative/new
    content: mine
END
}

@test "file: nothing is removed through a link" {
    is_refused dir <<END
resources:
  - file: $work/home/dir/shadow
    ensure: absent
END
}

@test "file: a link at the end is not followed, and gives way without" {
    is_refused file <<END
resources:
  - file: $work/home/file
    content: mine
    follow: true
END
    run apply <<END
resources:
  - file: $work/home/file
    content: mine
END
    status_is 0
    real_is_untouched
    [ ! -L home/file ]
    [ "$(cat home/file)" = mine ]
}

@test "file: a source is not read through a link" {
    is_refused file <<END
resources:
  - file: $work/copy
    source: $work/home/file
END
    [ ! -e copy ]
}

@test "file: a dry run refuses a source through a link as apply does" {
    echo old >there
    for path in copy there; do
        cat >site.yaml <<END
resources:
  - file: $work/$path
    source: $work/home/file
END
        for noop in --noop ''; do
            run rhost apply $noop site.yaml
            status_is 4
            says "cannot open '$work/home/file': unsafe path: '$work/home/file' is a symbolic link that user 1234"
        done
    done
    [ ! -e copy ]
    is "$(cat there)" old
}

@test "file: a dry run refuses to write through a link as apply does" {
    for noop in --noop ''; do
        run apply $noop <<END
resources:
  - file: $work/home/dir/new
    content: mine
END
        status_is 4
        says "unsafe path: '$work/home/dir' is a symbolic link that user 1234 can change"
    done
}

@test "exec: root runs nothing in a directory that a link leads to, and a user does" {
    chmod a+x "$BATS_TEST_TMPDIR" "${BATS_TEST_TMPDIR%/*}" "$BATS_RUN_TMPDIR" "$work" # a way in for others
    for noop in --noop ''; do
        run apply $noop <<END
resources:
  - exec: touch here
    cwd: $work/home/dir
END
        status_is 4
        says "unsafe path: '$work/home/dir' is a symbolic link that user 1234 can change"
        real_is_untouched
    done
    run apply <<END
resources:
  - exec: pwd -P
    cwd: $work/home/dir
    user: daemon
END
    status_is 0
}

@test "package: no package is read through a link" {
    requires_command dpkg-deb
    mkdir -p build/DEBIAN
    printf 'Package: rt-unsafe\nVersion: 1\nArchitecture: all\nMaintainer: x <x@example.org>\nDescription: x\n' >build/DEBIAN/control
    dpkg-deb --build build real/rt.deb
    before=$(cd real && find . -printf '%p %y %u %g %m %s %l\n' | sort)
    run apply --noop <<END
resources:
  - package: rt-unsafe
    provider: dpkg
    source: $work/home/dir/rt.deb
END
    status_is 4
    says "source: '$work/home/dir/rt.deb' cannot be used: "
    says "user 1234"
}

@test "file: a user's own directory without links is one like any other" {
    mkdir home/.config
    chown 1234 home/.config
    run apply <<END
resources:
  - file: $work/home/.config/app.conf
    content: a
    owner: 1234
END
    status_is 0
    [ "$(stat -c %u home/.config/app.conf)" = 1234 ]
}

@test "link: no link is made or removed through a link" {
    ln -s old real/current
    before=$(cd real && find . -printf '%p %y %u %g %m %s %l\n' | sort)
    is_refused dir <<END
resources:
  - link: $work/home/dir/current
    target: elsewhere
END
    is_refused dir <<END
resources:
  - link: $work/home/dir/new
    target: elsewhere
END
    is_refused dir <<END
resources:
  - link: $work/home/dir/current
    ensure: absent
END
}

@test "line: a file is neither read nor edited through a link" {
    is_refused file <<END
resources:
  - line: one
    path: $work/home/file
    text: mine
END
    is_refused dir <<END
resources:
  - line: one
    path: $work/home/dir/new
    text: mine
    create: true
END
}

@test "text_block: a file is neither read nor edited through a link, nor created through one" {
    is_refused file <<END
resources:
  - text_block: $work/home/file
    content: mine
END
    is_refused dir <<END
resources:
  - text_block: $work/home/dir/new
    content: mine
    create: true
END
}

@test "substitution: a file is neither read nor edited through a link" {
    is_refused file <<END
resources:
  - substitution: "$work/home/file: ."
    replacement: mine
END
}

@test "ini_setting: a file is neither read nor edited through a link" {
    is_refused file <<END
resources:
  - ini_setting: $work/home/file [a] b
    value: mine
END
}

@test "json_setting and yaml_setting: a file is neither read nor edited through a link" {
    for type in json_setting yaml_setting; do
        is_refused file <<END
resources:
  - $type: $work/home/file#/a
    value: mine
END
        is_refused dir <<END
resources:
  - $type: $work/home/dir/new#/a
    value: mine
END
    done
}

@test "x509_key, x509_request and x509_certificate: nothing is written, read or removed through a link" {
    openssl genpkey -algorithm ED25519 -out real/key
    openssl req -x509 -new -key real/key -subj /CN=x -out real/certificate
    before=$(cd real && find . -printf '%p %y %u %g %m %s %l\n' | sort)
    is_refused dir <<END
resources:
  - x509_key: $work/home/dir/new
END
    is_refused dir <<END
resources:
  - x509_key: $work/home/dir/key
    mode: 0644
END
    is_refused dir <<END
resources:
  - x509_key: $work/home/dir/key
    ensure: absent
END
    is_refused dir <<END
resources:
  - x509_request: $work/new
    key: $work/home/dir/key
END
    is_refused dir <<END
resources:
  - x509_certificate: $work/home/dir/certificate
    key: $work/real/key
    subject: {CN: other}
END
    is_refused dir <<END
resources:
  - x509_certificate: $work/new
    key: $work/real/key
    ca_certificate: $work/home/dir/certificate
    ca_key: $work/real/key
END
    [ ! -e new ]
}

@test "host: a file is neither read nor edited through a link" {
    is_refused file <<END
resources:
  - host: name.example.org
    ip: 192.0.2.1
    target: $work/home/file
END
}

@test "cron: a file is neither read nor edited through a link" {
    is_refused dir <<END
resources:
  - cron: job
    target: $work/home/dir/shadow
    command: "true"
END
}

@test "sysctl: a file is neither read nor edited through a link" {
    is_refused file <<END
resources:
  - sysctl: kernel.hostname
    target: $work/home/file
    value: mine
    apply: false
END
}

@test "network_interface: its file is not read or edited through a link" {
    is_refused dir <<END
resources:
  - network_interface: file
    apply: false
    directory: $work/home/dir
    dhcp: true
END
}

@test "kernel_module: neither of its files is read or edited through a link" {
    is_refused file <<END
resources:
  - kernel_module: dummy
    apply: false
    load_file: $work/home/file
    modprobe_file: $work/modprobe.conf
END
    is_refused dir <<END
resources:
  - kernel_module: dummy
    state: blacklisted
    apply: false
    load_file: $work/load.conf
    modprobe_file: $work/home/dir/new.conf
END
}

@test "hostname, timezone and locale: nothing is read or written through a link" {
    is_refused file <<END
resources:
  - hostname: $work/home/file
    value: mine
    apply: false
END
    is_refused dir <<END
resources:
  - timezone: $work/home/dir/shadow
    value: Etc/UTC
END
    ln -s "$work/real/shadow" home/timezone
    chown -h 1234:1234 home/timezone
    is_refused timezone <<END
resources:
  - timezone: $work/home/localtime
    value: Etc/UTC
END
    is_refused file <<END
resources:
  - locale: eo
    ensure: absent
    gen_file: $work/home/file
END
}

@test "known_host: a file is neither read nor edited through a link, nor created through one" {
    run apply <<END
resources:
  - known_host: a.example.org
    keys: [ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJ2qN7wQ6cG5Ok0eLjR5rCuzlgmsfxOVDJmg/mszGfqb]
    target: $work/home/file
END
    status_is 4
    says "the directory of '$work/home/file' belongs to another user"
    real_is_untouched
    is_refused dir <<END
resources:
  - known_host: a.example.org
    keys: [ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJ2qN7wQ6cG5Ok0eLjR5rCuzlgmsfxOVDJmg/mszGfqb]
    target: $work/home/dir/new
END
}

@test "mount: a file of mounts is neither read nor edited through a link" {
    is_refused file <<END
resources:
  - mount: $work/real
    fstab: $work/home/file
    device: /dev/null
    fstype: ext4
    mounted: false
END
}

@test "directory: none is made, changed, purged or removed through a link" {
    mkdir real/sub
    touch real/sub/file
    before=$(cd real && find . -printf '%p %y %u %g %m %s %l\n' | sort)
    is_refused dir <<END
resources:
  - directory: $work/home/dir/new
END
    is_refused dir <<END
resources:
  - directory: $work/home/dir/sub
    owner: daemon
    recurse: true
END
    is_refused dir <<END
resources:
  - directory: $work/home/dir/sub
    purge: true
END
    is_refused dir <<END
resources:
  - directory: $work/home/dir/sub
    ensure: absent
    force: true
END
}

@test "archive: nothing is unpacked, replaced or removed through a link, nor read through one" {
    mkdir real/app
    echo a >real/app/file
    tar -C real -cf a.tar app
    mv a.tar real/a.tar
    before=$(cd real && find . -printf '%p %y %u %g %m %s %l\n' | sort)
    is_refused dir <<END
resources:
  - archive: $work/home/dir/new
    source: $work/real/a.tar
END
    is_refused dir <<END
resources:
  - archive: $work/home/dir/app
    source: $work/real/a.tar
    force: true
END
    is_refused dir <<END
resources:
  - archive: $work/home/dir/app
    ensure: absent
    force: true
END
    is_refused dir <<END
resources:
  - archive: $work/new
    source: $work/home/dir/a.tar
END
    [ ! -e new ]
}

@test "systemd_unit: no unit is written or removed through a link" {
    is_refused dir <<END
resources:
  - systemd_unit: a.service
    directory: $work/home/dir
    verify: false
    content: |
      [Service]
      ExecStart=/bin/true
END
    is_refused dir <<END
resources:
  - systemd_unit: a.service.d/b.conf
    directory: $work/home/dir
    ensure: absent
END
}

@test "apt_repository: nothing is written or removed through a link" {
    mkdir real/sources.list.d
    touch real/sources.list.d/a.sources
    before=$(cd real && find . -printf '%p %y %u %g %m %s %l\n' | sort)
    is_refused dir <<END
resources:
  - apt_repository: a
    root: $work/home/dir
    uris: http://localhost/
    suites: stable
    components: main
END
    is_refused dir <<END
resources:
  - apt_repository: a
    root: $work/home/dir
    ensure: absent
END
}

@test "apt_repository: a key is not read through a link" {
    is_refused file <<END
resources:
  - apt_repository: a
    root: $work/apt
    uris: http://localhost/
    suites: stable
    components: main
    key: $work/home/file
END
}

@test "ssh_authorized_key: a file is neither read nor edited through a link" {
    is_refused dir <<END
resources:
  - ssh_authorized_key: key
    user: root
    target: $work/home/dir/shadow
    key: ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJ2qN7wQ6cG5Ok0eLjR5rCuzlgmsfxOVDJmg/mszGfqb
END
}

@test "links that only root can have made are followed" {
    ln -s real ours
    mkdir sticky
    chmod 1777 sticky
    ln -s ../real sticky/ours
    run apply <<END
resources:
  - file: $work/ours/a
    content: a
  - file: $work/sticky/ours/b
    content: b
END
    status_is 0
    [ "$(cat real/a)$(cat real/b)" = ab ]
}

@test "a user's link in a sticky directory is refused" {
    mkdir sticky
    chmod 1777 sticky
    ln -s ../real sticky/theirs
    chown -h 1234 sticky/theirs
    run apply <<END
resources:
  - file: $work/sticky/theirs/shadow
    ensure: absent
END
    status_is 4
    says "unsafe path: '$work/sticky/theirs' is a symbolic link that user 1234 can change"
    real_is_untouched
}

# The name that core/base/beside.c tries first for what is to become FILE: FNV-1a.
beside() {
    local digest=$((16#cbf29ce484222325)) i

    for ((i = 0; i < ${#1}; i++)); do
        digest=$(((digest ^ $(printf %d "'${1:i:1}")) * 1099511628211))
    done
    printf '.%s.rhost-%016x' "$1" $digest
}

@test "a name beside a file that somebody else took does not keep it from being written" {
    mkdir sticky
    chmod 1777 sticky
    printf old >sticky/motd
    mkdir "sticky/$(beside motd)"
    chown 1234 "sticky/$(beside motd)"
    run apply <<END
resources:
  - file: $work/sticky/motd
    content: new
END
    status_is 0
    [ "$(cat sticky/motd)" = new ]
}

@test "what a killed run has left beside the link goes with the next one" {
    mkdir links
    for left in "ln -s nowhere" touch; do
        ln -sfn old links/it
        $left "links/$(beside it)"
        converges <<END
resources:
  - link: $work/links/it
    target: new
END
        is "$(ls -A links)" it
    done
}

#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Two spellings of one path are one name: two resources that differ in nothing else would undo each other forever.
source "${abs_top_srcdir:-$BATS_TEST_DIRNAME/../..}/tests/lib.bash"

# The resource on standard input, which says PATH, is a duplicate of itself with another spelling of that.
is_one_resource() {
    local text path=$1 spelling
    text=$(cat)
    for spelling in "/.$path" "//${path#/}" "${path%/*}/./${path##*/}" "${path%/*}//././${path##*/}"; do
        {
            echo 'resources:'
            sed "s|PATH|$path|; s|TITLE|first|" <<<"$text"
            sed "s|PATH|$spelling|; s|TITLE|second|" <<<"$text"
        } >site.yaml
        run rhost apply --noop site.yaml
        status_is 1 || return
        says "is declared twice, the first as" || return
    done
}

@test "file, directory and link" {
    is_one_resource /srv/x/y <<<'  - file: PATH'
    is_one_resource /srv/x/y <<<'  - directory: PATH'
    is_one_resource /srv/x/y <<<'  - {link: PATH, target: a}'
}

@test "alternatives" {
    printf '%s\n' 'resources:' '- {alternatives: a, link: /srv/x/y, candidates: {/bin/sh: 1}}' '- link: /srv/x/./y' '  target: z' >site.yaml
    run rhost validate site.yaml
    status_is 1
    says "both manage the path '/srv/x/y'"
}

@test "archive" {
    is_one_resource /srv/x/y <<<'  - {archive: PATH, source: /srv/a.tar}'
}

@test "remote_file" {
    is_one_resource /srv/x/y <<<'  - {remote_file: PATH, source: "http://localhost/a"}'
}

@test "dpkg_divert" {
    is_one_resource /srv/x/y <<<'  - {dpkg_divert: PATH}'
}

@test "filesystem, partition and swap" {
    is_one_resource /srv/x/y <<<'  - {filesystem: PATH, fstype: ext4}'
    is_one_resource /srv/x/y <<<'  - {swap: PATH, active: false}'
    is_one_resource /srv/x/y <<<'  - {partition: "PATH:1"}'
}

@test "flatpak and flatpak_remote" {
    is_one_resource /srv/x/y <<<'  - {flatpak: TITLE, name: org.example.One, path: PATH}'
    is_one_resource /srv/x/y <<<'  - {flatpak_remote: TITLE, name: a, path: PATH, url: "https://example.org/"}'
}

@test "cargo_package, gem_package, npm_package and pip_package" {
    is_one_resource /srv/x/y <<<'  - {cargo_package: TITLE, name: a, path: PATH}'
    is_one_resource /srv/x/y <<<'  - {gem_package: TITLE, name: a, path: PATH}'
    is_one_resource /srv/x/y <<<'  - {pip_package: TITLE, name: a, environment: PATH, create: true}'
    is_one_resource /srv/x/y <<<'  - {npm_package: TITLE, name: a, path: PATH}'
}

@test "hostname and timezone" {
    is_one_resource /srv/x/y <<<'  - {hostname: PATH, value: a}'
    is_one_resource /srv/x/y <<<'  - {timezone: PATH, value: Etc/UTC}'
}

@test "git" {
    is_one_resource /srv/x/y <<<'  - {git: PATH, source: /srv/a.git}'
}

@test "x509_key, x509_request and x509_certificate" {
    is_one_resource /srv/x/y <<<'  - {x509_key: PATH}'
    is_one_resource /srv/x/y <<<'  - {ssh_key: PATH}'
    is_one_resource /srv/x/y <<<'  - {x509_request: PATH, key: /srv/a.key}'
    is_one_resource /srv/x/y <<<'  - {x509_certificate: PATH, key: /srv/a.key}'
}

@test "json_setting and yaml_setting" {
    is_one_resource /srv/x/y <<<'  - {json_setting: TITLE, path: PATH, pointer: /a, value: b}'
    is_one_resource /srv/x/y <<<'  - {yaml_setting: TITLE, path: PATH, pointer: /a, value: b}'
}

@test "augeas" {
    is_one_resource /srv/x/y <<<'  - {augeas: "PATH: it", lens: Hosts, changes: [rm 1]}'
}

@test "sudo_rule" {
    is_one_resource /srv/x/y/it <<<'  - {sudo_rule: PATH/it, users: [a], commands: [ALL]}'
}

@test "htpasswd" {
    is_one_resource /srv/x/y <<<'  - {htpasswd: "PATH:anna", password: a}'
}

@test "line, text_block, substitution and ini_setting" {
    is_one_resource /srv/x/y <<<'  - {text_block: TITLE, path: PATH, content: a}'
    is_one_resource /srv/x/y <<<'  - {substitution: TITLE, path: PATH, match: a, replacement: b}'
    is_one_resource /srv/x/y <<<'  - {line: TITLE, path: PATH, text: a}'
    is_one_resource /srv/x/y <<<'  - {ini_setting: TITLE, path: PATH, section: a, setting: b, value: c}'
}

@test "known_host" {
    is_one_resource /srv/x/y <<<'  - {known_host: TITLE, name: a.example.org, target: PATH, ensure: absent}'
}

@test "cron and ssh_authorized_key" {
    is_one_resource /srv/x/y <<<'  - {cron: TITLE, name: job, target: PATH, command: "true"}'
    is_one_resource /srv/x/y <<<'  - {ssh_authorized_key: TITLE, name: key, user: root, target: PATH, ensure: absent}'
}

@test "a dot in the manifest is no difference on the machine" {
    mkdir units
    run apply --detailed-exitcodes <<END
resources:
  - line: one
    path: $work/./list/.
    text: a
    create: true
  - systemd_unit: a.service
    directory: $work/./units/
    verify: false
    content: |
      [Service]
      ExecStart=/bin/true
  - network_interface: eth0
    directory: $work/units//.
    apply: false
    dhcp: true
  - kernel_module: dummy
    apply: false
    load_file: $work/./load.conf
    modprobe_file: $work//modprobe.conf
  - sysctl: kernel.hostname
    target: $work/././sysctl.conf
    value: a
    apply: false
END
    status_is 2
    [ -f list ]
    [ -f units/a.service ]
    [ -f units/eth0.network ]
    [ -f load.conf ]
    [ -f sysctl.conf ]
    run rhost apply --detailed-exitcodes "$BATS_TEST_TMPDIR/site.yaml"
    status_is 0
}

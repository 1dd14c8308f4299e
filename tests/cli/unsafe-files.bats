#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# root applies nothing that other users can change.
source "${abs_top_srcdir:-$BATS_TEST_DIRNAME/../..}/tests/cli/cli.bash"

setup() {
    requires_root
    work_open
    mkdir -p site/roles site/parts site/environments site/data
    cat >site/site.yaml <<END
roles: [web]
data: data/common.yaml
resources:
  - include: parts/more.yaml
  - file: $work/one
    content: "\${template('text.tmpl')}"
END
    cat >site/parts/more.yaml <<END
resources:
  - file: $work/two
    content: b
END
    echo 'default: {a: 1}' >site/roles/web.yaml
    echo 'default: {a: 1}' >site/environments/live.yaml
    echo 'a: 1' >site/data/common.yaml
    echo 'force_default: {b: 1}' >site/given.yaml
    echo 'text' >site/text.tmpl
}

try() {
    rm -f one two
    run rhost apply --environment=live --attributes=site/given.yaml "$@" site/site.yaml
}

is_refused() {
    try
    [ "$status" -eq 1 ] || { echo "$1: not refused: $output"; return 1; }
    says "$2"
    says 'use --allow-unsafe-files to apply it as root'
    [ ! -e one ]
    [ ! -e two ]
    try --allow-unsafe-files
    status_is 0
    [ -e one ]
    run rhost validate site/site.yaml
    status_is 0
}

@test "files of root alone are applied" {
    try
    status_is 0
    [ -e one ]
    [ -e two ]
}

@test "every kind of file that others can write to is refused, and so is one of another user" {
    for file in site.yaml parts/more.yaml roles/web.yaml environments/live.yaml data/common.yaml given.yaml text.tmpl; do
        chmod o+w "site/$file"
        is_refused "$file" "'site/$file' is not safe: everybody can write to it"
        chmod o-w "site/$file"
        chown 65534 "site/$file"
        is_refused "$file" "'site/$file' is not safe: its owner is user 65534"
        chown 0 "site/$file"
        chgrp 65534 "site/$file"
        chmod g+w "site/$file"
        is_refused "$file" "'site/$file' is not safe: group 65534 can write to it"
        chmod g-w "site/$file"
    done
    try
    status_is 0
}

@test "a file is refused when others can change a directory or a link on the way to it" {
    for directory in site site/roles site/parts; do
        chmod o+w "$directory"
        is_refused "$directory" "everybody can write to it ('$work/$directory')"
        chmod o-w "$directory"
    done
    chmod 1777 site # everybody keeps what is theirs
    try
    status_is 0
    chmod 755 site
    rm one two
    mkdir theirs
    ln -s ../site/site.yaml theirs/site.yaml
    chown -h 65534 theirs
    run rhost apply theirs/site.yaml
    status_is 1
    says "its owner is user 65534 ('$work/theirs')"
    chown 0 theirs
    chmod 1777 theirs
    chown -h 65534 theirs/site.yaml
    run rhost apply theirs/site.yaml
    status_is 1
    says "'theirs/site.yaml' is not safe: its owner is user 65534 ('$work/theirs/site.yaml')"
    [ ! -e one ]
}

@test "files of the user who called sudo are applied, those of a third one are not" {
    chown -R 65533:65533 site
    chmod -R g+w site # as with a group for each user
    try
    status_is 1
    SUDO_UID=65533 SUDO_GID=65533 try
    status_is 0
    [ -e one ]
    chown 65534 site/roles/web.yaml
    SUDO_UID=65533 SUDO_GID=65533 try
    status_is 1
    says "'site/roles/web.yaml' is not safe: its owner is user 65534"
    chown 65533 site/roles/web.yaml
    SUDO_UID=x65533 SUDO_GID=65533 try
    status_is 1
    SUDO_UID= SUDO_GID=65533 try
    status_is 1
}

@test "standard input and pipes are what the caller made them" {
    manifest theirs.yaml <<END
resources:
  - file: $work/one
    content: a
END
    chown 65534 theirs.yaml
    rhost apply -q - <theirs.yaml
    rm one
    rhost apply -q <(cat theirs.yaml)
    rm one
    run rhost apply /dev/stdin <theirs.yaml
    status_is 1
    says "its owner is user 65534"
    rhost apply -q /dev/stdin <<END
$(cat theirs.yaml)
END
    [ -e one ]
}

@test "a file that is missing is missing" {
    run rhost apply /tmp/there-is-no.yaml
    status_is 1
    says "cannot open '/tmp/there-is-no.yaml': No such file or directory"
}

@test "the file of targets of a device is refused as well" {
    echo 'resources: []' >targets.yaml
    chmod o+w targets.yaml
    run "${RHOST:-$abs_top_builddir/rhost}" device --state-dir "$BATS_TEST_TMPDIR/state" targets.yaml one
    status_is 1
    says "'targets.yaml' is not safe"
}

@test "an ACL that lets others write is seen, though the group is root's" {
    requires_command setfacl
    setfacl -m u:daemon:rw site/parts/more.yaml
    is "$(stat -c %A:%G site/parts/more.yaml)" -rw-rw-r--:root
    is_refused acl "'site/parts/more.yaml' is not safe: its ACL may let others write to it"
    setfacl -b site/parts/more.yaml
    chmod 664 site/parts/more.yaml
    try
    status_is 0
}

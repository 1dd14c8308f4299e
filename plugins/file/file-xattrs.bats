#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Extended attributes of files and directories, as setfattr and getfattr have them.
source "${abs_top_srcdir:-$BATS_TEST_DIRNAME/../..}/tests/lib.bash"

value_of() {
    getfattr --absolute-names --only-values -n "$1" "$2" 2>/dev/null
}

has_xattrs() {
    requires_command setfattr
    touch probe
    setfattr -n user.probe -v 1 probe || skip "no extended attributes here"
    rm probe
}

# bats test_tags=inline
@test "extended attributes are set, changed and removed, and others stay" {
    has_xattrs
    mkdir box
    for type in file directory; do
        title=$work/$([ $type = file ] && echo letter || echo box)
        [ $type = directory ] || echo text >letter
        setfattr -n user.kept -v other "$title"
        setfattr -n user.gone -v old "$title"
        converges <<END
resources:
  - $type: $title
    xattrs: {user.mime_type: text/plain, user.empty: "", user.gone: null, user.never: null}
END
        is "$(value_of user.mime_type "$title")" text/plain
        is "$(value_of user.kept "$title")" other
        getfattr --absolute-names -n user.empty "$title"
        not getfattr --absolute-names -n user.gone "$title"
        # By hand.
        setfattr -n user.mime_type -v other "$title"
        setfattr -n user.never -v x "$title"
        converges <<END
resources:
  - $type: $title
    xattrs: {user.mime_type: text/plain, user.never: null}
END
        is "$(value_of user.mime_type "$title")" text/plain
        not getfattr --absolute-names -n user.never "$title"
        # Nothing is stated of any: all stay.
        run apply --detailed-exitcodes <<<"resources: [{$type: $title, xattrs: {}}]"
        status_is 0
        is "$(value_of user.kept "$title")" other
    done
}

@test "values are bytes, and new content keeps them" {
    has_xattrs
    raw="'\${from_base64(\"AP8K\")}'"
    converges <<END
resources:
  - file: $work/letter
    content: one
    xattrs: {user.raw: $raw, user.text: "käse\n"}
END
    is "$(getfattr --absolute-names -e hex -n user.raw letter | sed -n 's/user.raw=//p')" 0x00ff0a
    is "$(value_of user.text letter)" käse
    converges <<END
resources:
  - file: $work/letter
    content: two
    mode: 0440
    xattrs: {user.raw: $raw, user.text: other}
END
    is "$(getfattr --absolute-names -e hex -n user.raw letter | sed -n 's/user.raw=//p')" 0x00ff0a
    is "$(value_of user.text letter)" other
}

@test "what is listed can be applied, and an undo brings values back" {
    has_xattrs
    echo text >letter
    mkdir box
    for one in letter box; do
        type=$([ $one = letter ] && echo file || echo directory)
        setfattr -n user.a -v before $one
        rhost resource $type "$work/$one" >listed.yaml
        cat listed.yaml
        run rhost apply --detailed-exitcodes listed.yaml
        status_is 0
        setfattr -n user.a -v other $one
        run rhost apply --detailed-exitcodes listed.yaml
        status_is 2
        is "$(value_of user.a $one)" before
        printf 'resources:\n  - %s: %s\n    xattrs: {user.a: after, user.new: x}\n' $type "$work/$one" >site.yaml
        run rhost apply --detailed-exitcodes site.yaml
        status_is 2
        is "$(value_of user.a $one)" after
        run rhost undo last
        status_is 0
        is "$(value_of user.a $one)" before
        not getfattr --absolute-names -n user.new $one
        # A manifest has no way to write this one.
        setfattr -n user.raw -v 0x00ff $one
        run rhost resource $type "$work/$one"
        says 'user.raw: (binary, 2 bytes)'
    done
}

@test "names that are not for this, and what the file system cannot keep" {
    has_xattrs
    refused() {
        run apply <<<"resources: [{$1: $work/x, xattrs: {$2: a}}]"
        [ "$status" -ne 0 ]
        says "$3"
        [ ! -e x ]
    }
    for type in file directory; do
        refused $type security.capability "'capabilities' keeps the capabilities of a file"
        refused $type system.posix_acl_access "'acl' keeps the ACL"
        refused $type system.posix_acl_default "'acl' keeps the ACL"
        refused $type security.selinux "'security.selinux' does not begin with 'user.'"
        refused $type trusted.x "'trusted.x' does not begin with 'user.'"
        refused $type user. "'user.' is not a name"
    done
    touch f
    head -c 60000 /dev/zero | tr '\0' x >large
    run apply <<<"resources: [{file: $work/f, xattrs: {user.a: $(cat large)$(cat large)}}]"
    [ "$status" -ne 0 ]
    says "'user.a' is longer than 65536 bytes"
    # A secret is not shown.
    run apply <<<"resources: [{file: $work/f, xattrs: {user.a: hush-hush}, sensitive: [xattrs]}]"
    status_is 0
    says_not hush
    is "$(value_of user.a f)" hush-hush
}

@test "a file system without extended attributes, and a directory of another user" {
    has_xattrs
    requires_root
    requires_command unshare
    cat >inside <<'END'
mount -t ramfs ramfs plain
touch plain/f
"$@" apply --state-dir "$BATS_TEST_TMPDIR/state" --isolation="$RHOST_ISOLATION" m.yaml
END
    export RHOST_ISOLATION
    mkdir plain
    printf 'resources:\n  - file: %s/plain/f\n    xattrs: {user.a: x}\n' "$work" >m.yaml
    run unshare -m sh inside "$abs_top_builddir/rhost"
    status_is 4
    says 'extended attribute'
    # A link that another user has made is not followed; a file of that user gets what is desired.
    mkdir -m 755 home
    chown nobody home
    touch secret home/own
    chown nobody home/own
    chmod 400 home/own
    ln -s "$work/secret" home/link
    run apply <<<"resources: [{file: $work/home/link, follow: true, xattrs: {user.a: x}}]"
    [ "$status" -ne 0 ]
    says 'unsafe path'
    not getfattr --absolute-names -n user.a secret
    converges <<<"resources: [{file: $work/home/own, xattrs: {user.a: x}}]"
    is "$(value_of user.a home/own)" x
}

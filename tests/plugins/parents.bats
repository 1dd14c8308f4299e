#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# parents: true of file and directory: the directories above the path are created as well.
source "${abs_top_srcdir:-$BATS_TEST_DIRNAME/../..}/tests/lib.bash"

# deep TYPE PATH [LINE...]: a manifest of one resource with parents: true
deep() {
    printf 'resources:\n  - %s: %s\n    parents: true\n' "$1" "$2"
    [ $# -eq 2 ] || printf '    %s\n' "${@:3}"
}

@test "parents: directories that do not exist are created with 0755, whatever the umask" {
    for type in file directory; do
        umask_is 077
        converges < <(deep "$type" "$work/$type/a/b/c" 'mode: "0700"')
        [ "$(mode_of "$type")$(mode_of "$type/a")$(mode_of "$type/a/b")" = 755755755 ]
        [ "$(mode_of "$type/a/b/c")" = 700 ]
    done
    [ -f file/a/b/c ]
    [ -d directory/a/b/c ]
}

@test "parents: what exists stays as it is" {
    for type in file directory; do
        mkdir -p "$type/there"
        chmod 0711 "$type" "$type/there"
        converges < <(deep "$type" "$work/$type/there/new/x")
        [ "$(mode_of "$type")$(mode_of "$type/there")$(mode_of "$type/there/new")" = 711711755 ]
    done
}

@test "parents: without it nothing is created, and the run says which directory is missing" {
    for type in file directory; do
        run apply < <(deep "$type" "$work/$type/a/x" | grep -v parents)
        status_is 4
        says "directory '$work/$type/a' does not exist"
        [ ! -e "$type" ]
    done
}

@test "parents: a dry run names the directories that it would create, and creates none" {
    for type in file directory; do
        mkdir "$type"
        run apply --noop < <(deep "$type" "$work/$type/a/b/x")
        status_is 0
        says "Would create directories '$work/$type/a', '$work/$type/a/b'"
        says "$type[$work/$type/a/b/x]"
        [ -z "$(ls -A "$type")" ]
        run apply --noop < <(deep "$type" "$work/$type/a/x")
        status_is 0
        says "Would create directory '$work/$type/a'"
        mkdir "$type/a"
        run apply --noop < <(deep "$type" "$work/$type/a/x")
        status_is 0
        says_not "Would create"
    done
}

@test "parents: a run says what it has created" {
    for type in file directory; do
        run apply -v < <(deep "$type" "$work/$type/a/x")
        status_is 0
        says "Created directory '$work/$type'"
        says "Created directory '$work/$type/a'"
    done
}

@test "parents: a directory of the manifest keeps its mode, and is not named as one that would be created" {
    for type in file directory; do
        deep "$type" "$work/$type/a/b/x" >site.yaml
        printf '  - directory: %s\n' "$work/$type" "$work/$type/a" >>site.yaml
        printf '    mode: "0750"\n' >>site.yaml
        run apply --noop <site.yaml
        status_is 0
        says "Would create directory '$work/$type/a/b'"
        converges <site.yaml
        [ "$(mode_of "$type/a")" = 750 ]
    done
}

@test "parents: a dry run accepts what is in a directory that another resource would create so" {
    { deep file "$work/a/b/x"; printf '  - file: %s\n    require: file[%s]\n' "$work/a/y" "$work/a/b/x"; } >site.yaml
    run apply --noop <site.yaml
    status_is 0
    converges <site.yaml
    [ -f a/y ]
}

@test "parents: what is not a directory is in the way, also in a dry run" {
    for type in file directory; do
        echo here >"$type"
        for noop in '' --noop; do
            run apply ${noop:+"$noop"} < <(deep "$type" "$work/$type/a/x")
            status_is 4
            says "'$work/$type'"
            says "a directory"
        done
        [ "$(cat "$type")" = here ]
    done
}

@test "parents: nothing is created where another user can change the path" {
    requires_root
    mkdir home real
    ln -s "$work/real" home/dir
    chown -h 1234:1234 home home/dir
    for type in file directory; do
        run apply < <(deep "$type" "$work/home/dir/a/x")
        status_is 4
        says "unsafe path: '$work/home/dir' is a symbolic link that user 1234 can change"
        [ -z "$(ls -A real)" ]
    done
}

@test "parents: nothing is created for what is to be absent" {
    for type in file directory; do
        is_in_sync < <(deep "$type" "$work/$type/a/x" 'ensure: absent')
        [ ! -e "$type" ]
    done
}

@test "parents: a file with an owner that does not exist creates no directories" {
    requires_root
    run apply < <(deep file "$work/a/x" 'owner: nobody-of-this-name')
    status_is 4
    says "nobody-of-this-name"
    [ ! -e a ]
}

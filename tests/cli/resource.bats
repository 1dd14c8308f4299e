#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
source "${abs_top_srcdir:-$BATS_TEST_DIRNAME/../..}/tests/cli/cli.bash"

# What shows a resource is applied: nothing is to be changed. Then it is lost, and applied again.
round_trip() {
    local lose=$1 format
    shift
    for format in yaml json; do
        rhost resource "$@" --format=$format >shown.$format
        run rhost apply --detailed-exitcodes shown.$format
        status_is 0
        $lose
        run rhost apply --detailed-exitcodes shown.$format
        status_is 2
        rhost resource "$@" --format=$format >again.$format
        cmp shown.$format again.$format
    done
}

@test "a file is shown as a manifest" {
    printf 'hello\n' >one
    chmod 0640 one
    run rhost resource file "$work/one"
    status_is 0
    says "resources: - file: $work/one ensure: present content: \"hello\n\" mode: \"0640\"" || {
        says "- file: $work/one"
        says 'ensure: present'
        says 'content: "hello\n"'
        says 'mode: "0640"'
    }
}

@test "what is not there is shown as absent" {
    run rhost resource file "$work/none"
    status_is 0
    says 'ensure: absent'
}

@test "text and yaml are the same" {
    touch one
    rhost resource file "$work/one" >text
    rhost resource file "$work/one" --format=text >text2
    rhost resource file "$work/one" --format=yaml >yaml
    cmp text text2
    cmp text yaml
}

@test "json is a manifest in JSON" {
    needs_python
    printf 'hello\n' >one
    rhost resource file "$work/one" --format=json >shown
    json_is shown 'list(d)' "['resources', 'read_only']"
    json_is shown 'list(d["read_only"].values())[0].keys() >= {"checksum"}' True
    json_is shown 'd["resources"][0]["file"]' "$work/one"
    json_is shown 'd["resources"][0]["content"] == "hello\n"' True
}

@test "what a provider reports but no manifest may say is a comment" {
    touch one
    run rhost resource file "$work/one"
    says '# checksum:'
    says '(read-only)'
}

@test "a file goes round" {
    printf 'a "b" \\ ${c} # d\n\n  é: [x]\n- no\n' >one
    chmod 0600 one
    lose() { rm one; }
    round_trip lose file "$work/one"
}

@test "a file whose content looks like something else goes round" {
    lose() { rm one; }
    for content in yes 0644 null '~' 1.0 '{a: b}' "'" '' ' ' '!x' '&a' '${x}' '$${x}'; do
        printf '%s' "$content" >one
        round_trip lose file "$work/one"
    done
}

@test "a link goes round" {
    ln -s 'a target: [x]' one
    lose() { rm one; }
    round_trip lose link "$work/one"
}

@test "a directory goes round" {
    mkdir -m 0750 one
    lose() { rmdir one; }
    round_trip lose directory "$work/one"
}

@test "an entry of /etc/hosts goes round" {
    # Only what is there may be lost, so this one looks alone.
    getent hosts localhost >/dev/null || skip "needs localhost"
    for format in yaml json; do
        rhost resource host --format=$format >shown.$format
        run rhost apply --noop --detailed-exitcodes shown.$format
        status_is 0
    done
}

@test "the list is in the order of names" {
    rhost resource host | sed -n 's/^  - host: //p' >names
    LC_ALL=C sort -c names
}

@test "a type that cannot be listed says so" {
    split rhost resource file
    status_is 4
    is_empty out
    says "'file' cannot be listed"
    says "'rhost resource file TITLE'"
    run rhost resource line
    status_is 4
    says "name it: 'rhost resource line TITLE', or by path=... text=... match=..."
    run rhost resource exec
    status_is 4
    says "type 'exec' cannot be listed: it has no attribute 'ensure'"
    run rhost resource log
    status_is 4
    says "type 'log' cannot be listed: it has no state to read"
}

@test "a name that leaves something out has its defaults, or is refused" {
    printf 'port = 1\n[S]\nport = 2\n' >conf
    for RHOST_ISOLATION in confined none; do
        run rhost resource ini_setting "path=$work/conf" setting=port
        status_is 0
        says 'value: "1"'
        run rhost resource ini_setting "$work/conf [S] port"
        says 'value: "2"'
        run rhost resource line "path=$work/conf" 'text=[S]'
        status_is 0
        says 'ensure: present'
        run rhost resource ini_setting "$work/conf"
        status_is 1
        says "the title of ini_setting[$work/conf] does not contain 'path', which is part of the name"
        says 'write it as attributes: rhost resource ini_setting path=... section=... setting=...'
        run rhost resource ini_setting setting=port
        status_is 1
        says "missing 'path', which is part of the name"
    done
}

@test "what is something else is not shown as absent, lest it were removed" {
    touch target
    ln -s target one
    for RHOST_ISOLATION in confined none; do
        run rhost resource file "$work/one"
        status_is 4
        says "'$work/one' exists, but is not a regular file: it is a symbolic link, as the type 'link' keeps them"
        run rhost resource file "$work"
        status_is 4
        says "it is a directory, as the type 'directory' keeps them"
        run rhost resource directory "$work/one"
        status_is 4
        says "exists, but is not a directory: it is a symbolic link"
        run rhost resource link "$work/target"
        status_is 4
        says "exists, but is not a link"
    done
}

@test "a provider that was asked for is named in what is shown" {
    needs_python
    run rhost resource file "$work/one" --provider=file
    status_is 0
    says 'provider: file'
    rhost resource file "$work/one" --provider=file --format=json >shown
    json_is shown 'd["resources"][0]["provider"]' file
    run rhost apply --noop --detailed-exitcodes shown
    status_is 0
    run rhost resource file "$work/one"
    says_not provider
}

@test "attributes bring a resource to a state, once" {
    run rhost resource file "$work/one" content=hello mode=0600
    status_is 0
    says '1 resource: 1 changed'
    [ "$(cat one)" = hello ]
    [ "$(mode_of one)" = 600 ]
    run rhost resource file "$work/one" content=hello mode=0600
    says '1 resource: 1 ok'
}

@test "a value may hold an equals sign, blanks, and nothing" {
    rhost resource file "$work/one" 'content=a = b'
    [ "$(cat one)" = 'a = b' ]
    rhost resource file "$work/one" content=
    [ ! -s one ]
}

@test "lists and hashes are written as in a manifest, or a list with commas" {
    for given in 'validate=["test", "-s", "%"]' 'validate=[test, -s, "%"]' 'validate=test,-s,%'; do
        rm -f file
        run rhost resource file "$work/file" content= "$given"
        status_is 4
        says "'test' refuses the new content with status 1"
        run rhost resource file "$work/file" content=a "$given"
        status_is 0
        is "$(cat file)" a
    done
    run rhost resource file "$work/file" 'validate=[test'
    status_is 1
    says "validate expects"
    run rhost resource file "$work/file" 'validate={a: 1}'
    status_is 1
    run rhost resource file "$work/file" 'content=[a, b]'
    status_is 0
    is "$(cat file)" '[a, b]'
}

@test "noop holds for one resource as well" {
    run rhost resource --noop file "$work/one" content=hello
    status_is 0
    says 'would change'
    [ ! -e one ]
}

@test "a failure is exit status 4" {
    run rhost resource file "$work/missing/one" content=a
    status_is 4
    says failed
}

@test "the name may be given as an attribute instead of a title" {
    run rhost resource file "path=$work/one" content=hello
    status_is 0
    [ "$(cat one)" = hello ]
    run rhost resource file "path=$work/one"
    status_is 0
    says "- file: $work/one"
    says 'content: hello'
    run rhost resource file "path=$work/one" ensure=absent
    status_is 0
    [ ! -e one ]
}

@test "what has no state is shown as a comment, which applies nothing" {
    needs_python
    for format in yaml json; do
        rhost resource log hello --format=$format >shown
        run rhost apply shown
        status_is 0
        says '0 resources'
    done
    rhost resource log hello >shown
    grep -qxF '  # - log: hello  (nothing can be read of it but its name)' shown
    rhost resource log hello --format=json >shown
    json_is shown 'd["omitted"]' "{'log[hello]': {'log': 'nothing can be read of it but its name'}}"
}

@test "--format=json prints the report of what was managed" {
    needs_python
    rhost resource file "$work/one" content=hello --format=json >report
    json_is report '[(r["title"], r["status"]) for r in d["resources"]]' "[('$work/one', 'changed')]"
    rhost resource file "$work/one" ensure=absent --noop --format=json >report
    json_is report 'd["noop"], d["resources"][0]["changes"][0]["to"]' "(True, 'absent')"
    [ -e one ]
}

@test "an attribute is given once, and words of manifests are none" {
    run rhost resource file "$work/one" mode=0600 mode=0644
    status_is 1
    says "duplicate attribute 'mode'"
    run rhost resource file "$work/one" provider=x
    status_is 1
    says "unknown attribute 'provider' for type 'file': use the option --provider"
    run rhost resource file "$work/one" 'require=file[/x]'
    status_is 1
    says "unknown attribute 'require' for type 'file': it is a key of manifests only"
    run rhost resource file "$work/one" zzzzzzzzz=1
    status_is 1
    says "'rhost describe file' lists them"
    [ ! -e one ]
}

@test "mistakes are refused, with the nearest word" {
    run rhost resource fiel "$work/one"
    status_is 1
    says "unknown type 'fiel'
 = did you mean 'file'?"
    run rhost resource file "$work/one" modee=0600
    status_is 1
    says "unknown attribute 'modee' for type 'file'"
    says "did you mean 'mode'?"
    run rhost resource file "$work/one" mode=9
    status_is 1
    says "mode expects a match for Pattern"
    run rhost resource file "$work/one" mode
    status_is 1
    says "'mode' is not of the form ATTRIBUTE=VALUE"
    run rhost resource file relative
    status_is 1
    says "the title expects a match for Pattern"
    run rhost resource file ''
    status_is 1
    says 'the title must not be empty'
    run rhost resource
    status_is 1
    says "no TYPE given; 'rhost types' lists them"
    [ ! -e one ]
}

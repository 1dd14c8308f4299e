#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# The file of targets, and which of them a selection means.
source "${abs_top_srcdir:-$BATS_TEST_DIRNAME/../..}/tests/reach/push.bash"

farm() {
    targets <<'END'
targets:
  web1: ssh://admin@web1.example.com:2222
  web2:
    attributes: {env: staging}
  db1: {connect: 'podman:database', attributes: {web: {port: 5432}, tags: [a, b]}}
  image: chroot:/srv/image
groups:
  web:
    targets: ['web*']
    attributes: {role: web, web: {port: 80}}
  data: [db1]
  all: {attributes: {env: production}}
  farm: {groups: [web, data], become: sudo}
END
}

# selects NAMES SELECTION...
selects() {
    local names
    names=$(push --targets targets.yaml --list "${@:2}" | awk '{ print $1 }' | xargs)
    is "$names" "$1"
}

@test "names, groups, patterns and attributes select targets" {
    farm
    selects "web1 web2 db1 image" all
    selects "web1" web1
    selects "web1 web2" web
    selects "web1 web2 db1" farm
    selects "web1 web2" 'web*'
    selects "web1 web2" role=web
    selects "web1" 'web&!web2'
    selects "db1" web.port=5432
    selects "web1 web2" web.port=80
    selects "web1 db1 image" env=production
    selects "db1" tags=b
    # What has no such attribute, or one with attributes of its own, is not selected.
    selects "web1 web2" 'role=*'
    selects "db1" 'tags=*'
    selects "web1" web1,tags=c # of a list, one element must fit
    selects "image" '!web.port=*'
    run push --targets targets.yaml --list 'web=*'
    status_is 1
    says "'web=*' selects no target"
    selects "web1 db1" web1,db1
    selects "web2 image" image web2
    selects "image" '!farm'
}

@test "a selection that means nothing is refused, with the nearest name" {
    farm
    run push --targets targets.yaml --list wbe1
    status_is 1
    says "unknown target or group 'wbe1'"
    says "did you mean 'web1'?"
    run push --targets targets.yaml --list 'zzz*'
    status_is 1
    says "'zzz*' selects no target"
    run push --targets targets.yaml --list 'web&'
    says "invalid selection 'web&'"
    run push --list role=web
    says "cannot select 'role=web' without --targets=FILE"
}

@test "targets are given on the command line, too" {
    run push --list ssh://admin@web1:22 chroot:/srv/image web3 '[2001:db8::1]'
    status_is 0
    says 'ssh://admin@web1:22 ssh://admin@web1:22'
    says 'chroot:/srv/image chroot:/srv/image'
    says 'web3 web3'
}

@test "a URI that is none is refused" {
    for uri in 'ssh:' 'ssh://a:b@c' 'ssh://host:99999' 'ssh://-oProxyCommand=x' 'chroot:image' 'chroot:/' 'podman:a b' \
        'local:x' 'ssh://host/path' 'ssh://[::1' 'podman:-x'; do
        run push --list "$uri"
        status_is 1
        [[ $output == error:* ]]
    done
    run push --list shs://web1
    says "unknown connector 'shs' in 'shs://web1'"
    says "did you mean 'ssh'?"
}

@test "each part of a URI has its bounds and its message" {
    while IFS='|' read -r uri why; do
        run push --list "$uri"
        [ "$status" -eq 1 ] || { echo "'$uri' is accepted: $output"; false; }
        says "$why"
    done <<'END'
ssh:|'ssh:' lacks
ssh://a:b@c|a URI must not have a password
ssh://-a@c|invalid user in 'ssh://-a@c'
ssh://a b@c|invalid user in
ssh://@c|invalid user in
ssh://-c|invalid host in
ssh://a@|invalid host in
ssh://a_b!|invalid host in
ssh://c:0|invalid port '0'
ssh://c:65536|invalid port '65536'
ssh://c:-1|invalid port '-1'
ssh://c:1x|invalid port '1x'
ssh://c:|invalid port ''
ssh://c/path|unexpected '/path' after the host
ssh://c:22/path|unexpected '/path' after the host
ssh://[::1|invalid address in
ssh://[]|invalid address in
ssh://[fe80::1%]|invalid address in
ssh://[%eth0]|invalid address in
ssh://[fe80::1%a b]|invalid address in
ssh://[::1]x|unexpected 'x' after the host
ssh://[web1]|invalid address in
local:x|unexpected 'x' after 'local:'
podman:|'podman:' lacks
podman:-x|invalid name in
docker:a b|invalid name in
machine:a/b|invalid name in
chroot:|'chroot:' lacks
chroot:image|must have the absolute path of a directory other than /
chroot:/|must have the absolute path of a directory other than /
chroot:///|must have the absolute path of a directory other than /
END
    for uri in ssh://c:1 ssh://c:65535 ssh://c:65535/ ssh://a+b@c 'ssh://u@d\$x@c' 'ssh://[fe80::1%eth0]:22' web1:22 a@web1 \
        local: local:// podman:a@b:c docker://x_y.z-1 machine://m chroot:/a chroot://a chroot:///a/b; do
        run push --list "$uri"
        [ "$status" -eq 0 ] || { echo "'$uri' is refused: $output"; false; }
    done
    run push --list "ssh://$(head -c 1018 /dev/zero | tr '\0' h)"
    status_is 0
    run push --list "ssh://$(head -c 1019 /dev/zero | tr '\0' h)"
    status_is 1
    says 'the URI of a target is longer than 1024 bytes'
}

@test "each condition of a selection counts, and a list has any of its values" {
    farm
    selects "web2" 'web&env=staging'
    selects "web1" 'role=web&!env=staging'
    selects "web1 web2 image" '!tags=a'
    selects "db1" 'tags=[b-z]'
    selects "web1 web2 db1" 'web.port=*'
    selects "web1 web2 image" 'web,image'
    selects "image" 'i*,imag?'
    for bad in '&web' 'web&&data' '!' '=web' 'web,' ''; do
        run push --targets targets.yaml --list "$bad"
        status_is 1
        says "invalid selection '$bad': a name or a condition is missing"
    done
    for none in 'web.port.x=1' 'web=80' 'web&data' 'nothing=*'; do
        run push --targets targets.yaml --list "$none"
        status_is 1
        says "'$none' selects no target"
    done
    for word in 'web*' 'a,b' 'a&b' '!a' 'a=b'; do
        run push --list "$word"
        status_is 1
        says "cannot select '$word' without --targets=FILE"
    done
}

@test "mistakes in the file of targets have a location and a hint" {
    targets <<'END'
targets:
  web1: {conect: ssh://web1}
  web2: {become: root}
groups:
  web: {targets: [web3]}
END
    run push --targets targets.yaml --list all
    status_is 1
    says "targets.yaml:2:10: error: unknown key 'conect' in target 'web1'"
    says "did you mean 'connect'?"
    says "targets.yaml:3:18: error: 'become' must be sudo, doas or none"
    targets <<'END'
targets: {a: null}
groups:
  x: {groups: [y], targets: [b]}
  y: {groups: [x]}
END
    run push --targets targets.yaml --list all
    status_is 1
    says "contains itself"
}

@test "an unknown member of a group is refused" {
    targets <<'END'
targets: {web1: null}
groups: {web: {targets: [wbe1], groups: [dta]}, data: []}
END
    run push --targets targets.yaml --list all
    status_is 1
    says "unknown target 'wbe1' in group 'web'"
    says "unknown group 'dta' in group 'web'"
    says "did you mean 'data'?"
}

@test "an executable file prints the targets" {
    cat >targets.yaml <<'END'
#!/bin/sh
[ "$1" = --list ] || exit 3
echo '{"targets": {"a": "local:", "b": "ssh://b"}, "groups": {"g": ["b"]}}'
END
    chmod 755 targets.yaml
    selects "b" g
    printf '#!/bin/sh\nexit 3\n' >targets.yaml
    run push --targets targets.yaml --list all
    status_is 1
    says 'failed (exit status 3)'
}

@test "the output of ansible-inventory --list is read" {
    targets <<'END'
{"_meta": {"hostvars": {
    "web1": {"ansible_host": "192.0.2.1", "ansible_user": "admin", "ansible_port": 2222, "role": "web"},
    "web2": {"ansible_host": "2001:db8::1"},
    "me": {"ansible_connection": "local"}}},
 "all": {"children": ["ungrouped", "web"]},
 "web": {"hosts": ["web1", "web2"], "vars": {"tier": 1}},
 "ungrouped": {"hosts": ["me"]}}
END
    run push --targets targets.yaml --list all
    status_is 0
    says 'web1 ssh://admin@192.0.2.1:2222'
    says 'web2 ssh://[2001:db8::1]'
    says 'me local:'
    selects "web1 web2" web
    selects "web1" role=web
    selects "web1 web2" tier=1
}

# The target prints how it was asked for: what is in front of the first command.
becomes() {
    targets <<END
{"_meta": {"hostvars": {"web1": {"ansible_host": "x", $1}}}, "web": {"hosts": ["web1"], "vars": {$2}}}
END
    run push --targets targets.yaml --connect-timeout=5 web1 -- facts os.name
    sort -u words >said
}

@test "ansible_become says whether, how and as whom" {
    mkdir bin
    cat >bin/ssh <<END
#!/bin/sh
for word; do :; done
printf '%s\\n' "\$word" | tr -d "'" | grep -o -E 'sudo|doas|-u app' >>"$work/words"
exit 255
END
    chmod 755 bin/ssh
    PATH=$work/bin:$PATH
    for no in '"no"' '"False"' false '"off"' 0 '"0"'; do
        : >words
        becomes "\"ansible_become\": $no" '"ansible_become": true'
        is "$(cat said)" ''
    done
    for yes in '"yes"' '"True"' true 1; do
        : >words
        becomes "\"ansible_become\": $yes"
        grep -q sudo said
    done
    : >words
    becomes '"ansible_become": true, "ansible_become_user": "app", "ansible_become_method": "doas"'
    grep -q doas said
    grep -q -e '-u app' said
    : >words
    becomes '"a": 1' '"ansible_become": "yes", "ansible_become_user": "app"'
    grep -q sudo said
    grep -q -e '-u app' said
    : >words
    becomes '"ansible_become": "maybe"'
    status_is 1
    says "'ansible_become' must be true or false"
    becomes '"ansible_become": true, "ansible_become_user": "-x"'
    status_is 1
    says "invalid user '-x'"
    becomes '"ansible_become": true, "ansible_become_method": "su"'
    status_is 1
    says "'ansible_become_method' must be sudo or doas"
    is "$(cat words)" ''
}

@test "a file of targets that happens to be executable is read" {
    farm
    chmod 755 targets.yaml
    selects "web1" web1
    echo "touch $work/ran" >targets.yaml
    run push --targets targets.yaml --list all
    status_is 1
    [ ! -e ran ]
}

@test "groups that meet again and again are checked once" {
    {
        echo 'targets: {a: "local:"}'
        echo 'groups:'
        echo '  g0: [a]'
        for i in $(seq 1 60); do
            echo "  l$i: {groups: [g$((i - 1))]}"
            echo "  r$i: {groups: [g$((i - 1))]}"
            echo "  g$i: {groups: [l$i, r$i]}"
        done
    } >targets.yaml
    run timeout 20 "$abs_top_builddir/rhost" push --targets targets.yaml --list g60
    status_is 0
    says 'a local:'
}

@test "--list prints JSON" {
    farm
    run push --targets targets.yaml --list --format=json web1
    status_is 0
    is "$(python3 -c 'import json, sys; v = json.load(sys.stdin)[0]; print(v["target"], v["connect"], v["groups"])' <<<"$output")" \
        "web1 ssh://admin@web1.example.com:2222 ['all', 'farm', 'web']"
}

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

@test "--list prints JSON" {
    farm
    run push --targets targets.yaml --list --format=json web1
    status_is 0
    is "$(python3 -c 'import json, sys; v = json.load(sys.stdin)[0]; print(v["target"], v["connect"], v["groups"])' <<<"$output")" \
        "web1 ssh://admin@web1.example.com:2222 ['all', 'farm', 'web']"
}

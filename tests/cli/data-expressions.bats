#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Expressions and secrets in data files.
source "${abs_top_srcdir:-$BATS_TEST_DIRNAME/../..}/tests/cli/cli.bash"

# The merged attribute at a path, as JSON.
attribute_is() {
    local path=$1 wanted=$2
    shift 2
    rhost node "$path" --format=json "$@" >node.json || return
    json_is node.json d "$wanted"
}

@test "an expression sees what all of the files make of what it names" {
    needs_python
    mkdir -p data
    manifest <<<'data: [data/host.yaml, data/common.yaml]'
    manifest data/common.yaml <<'END'
web: {url: "http://${node.web.name}:${node.web.port}/", name: www, port: 80}
search: [common]
path: /usr/bin
END
    manifest data/host.yaml <<'END'
web: {name: "${node.host.name}.example.org", port: 8080}
host: {name: db, home: "${node.web.url}home"}
search: ["${node.host.name}"]
path: "/opt/bin:${node.path}"
END
    attribute_is web.url http://db.example.org:8080/ site.yaml
    attribute_is host.home http://db.example.org:8080/home site.yaml
    attribute_is search "['db']" site.yaml
    attribute_is path /opt/bin:/usr/bin site.yaml
    # Keys that are made up while it is evaluated.
    printf 'dynamic: "${node[\\"we\\" .. \\"b\\"].url}"\n' >>data/host.yaml
    attribute_is dynamic http://db.example.org:8080/ site.yaml
}

@test "an expression that needs itself is refused" {
    mkdir -p data
    manifest <<'END'
data: data/a.yaml
resources:
  - log: ${node.a}
END
    printf 'a: "${node.b.c}"\nb: {c: "${node.d}"}\nd: "${node.a}"\n' >data/a.yaml
    run rhost validate site.yaml
    status_is 1
    says "data/a.yaml:3:4: error: attribute 'd' depends on itself: it names 'a', whose value needs it"
}

@test "a value is evaluated when it is read, and what is overridden never is" {
    mkdir -p data
    manifest <<'END'
data: [data/host.yaml, data/common.yaml]
resources:
  - log: ${node.a}
END
    printf 'a: 1\n' >data/host.yaml
    printf 'a: "${secret_file(\\"missing\\")}"\ndb: {password: "${secret_file(\\"missing\\")}"}\n' >data/common.yaml
    rhost validate site.yaml
    rhost node a site.yaml
    run rhost node explain a site.yaml
    status_is 0
    says 'overridden by 2'
    run rhost node db site.yaml
    status_is 1
    says "data/common.yaml:2:19: error:"
    says missing
    printf '  - log: ${node.db.password}\n' >>site.yaml
    run rhost validate site.yaml
    status_is 1
    says "data/common.yaml:2:19: error:"
}

@test "names of the reader are not seen in a data file" {
    mkdir -p data
    manifest <<'END'
data: data/a.yaml
resources:
  - for_each: [1]
    log: ${node.a}
END
    printf 'a: "${each.value}"\n' >data/a.yaml
    run rhost validate site.yaml
    status_is 1
    says 'data/a.yaml:1:7: error:'
}

@test "secrets are shown nowhere, whoever sets them" {
    mkdir -p data
    umask 077
    printf 'swordfish' >secret
    manifest <<'END'
data: [data/host.yaml, data/common.yaml]
attributes: {default: {db: {password: hunter2}}}
resources:
  - file: FILE
    content: "${node.db.password}, ${node.db.key}\n"
END
    sed -i "s|FILE|$PWD/out.txt|" site.yaml
    printf 'db: {password: trustno1}\n' >data/host.yaml
    printf 'attribute_options: {db.password: {sensitive: true}}\ndb: {password: letmein, key: "${secret_file(\\"../secret\\")}"}\n' >data/common.yaml
    run rhost node explain db.password site.yaml
    says '[redacted]'
    says_not trustno1
    says_not letmein
    says_not hunter2
    run rhost node . site.yaml --level normal
    says_not swordfish
    run apply --diff site.yaml
    status_is 0
    says_not trustno1
    says_not swordfish
    is "$(cat out.txt)" 'trustno1, swordfish'
}

@test "a recipe reads and changes what data files say" {
    mkdir -p data
    printf 'web: {port: "${8000 + 80}", old: 1}\n' >data/a.yaml
    manifest <<<'data: data/a.yaml'
    manifest r.lua <<'END'
log("port " .. node.web.port) {}
node.normal.web.port = 1
node:rm("web", "old")
log("now " .. node.web.port) {}
END
    rhost compile site.yaml r.lua >catalog.json
    run cat catalog.json
    says 'log[port 8080]'
    says 'log[now 1]'
    run rhost node web.old site.yaml r.lua
    status_is 1
}

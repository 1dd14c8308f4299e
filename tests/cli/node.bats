#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# What rhost node shows of attributes, and of how they came to be.
source "${abs_top_srcdir:-$BATS_TEST_DIRNAME/../..}/tests/cli/cli.bash"

# A port that an environment, a role, a manifest and the command line have to do with.
site() {
    mkdir -p roles environments
    printf 'default: {web: {workers: 2, port: 70}}\n' >roles/web.yaml
    printf 'default: {web: {workers: 8, port: 8080}}\noverride: {web: {port: 9}}\n' >environments/prod.yaml
    manifest <<END
roles: [web]
environment: prod
attributes:
  - {op: set, level: default, path: web.port, value: 80}
  - {op: set, level: force_default, path: web.port, value: 81}
  - {op: rm_level, level: default, path: web.port}
  - {op: set, level: override, path: web.port, value: 82}
END
}

@test "explain shows each source with its place, what won, and what was removed by whom" {
    site
    rhost node explain web.port --attribute web.port=1 site.yaml >out
    diff -u out - <<'END'
web.port = 1
  1  environments/prod.yaml:1:35  env_default     merge     8080  removed by 6
  2  environments/prod.yaml:2:24  env_override    merge     9     overridden by 8
  3  roles/web.yaml:1:35          role_default    merge     70    removed by 6
  4  site.yaml:4:54               default         set       80    removed by 6
  5  site.yaml:5:60               force_default   set       81    removed by 6
  6  site.yaml:6:5                default         rm_level        removes 1, 3, 4, 5
  7  site.yaml:7:55               override        set       82    overridden by 8
  8  --attribute 1                force_override  set       1     wins
END
}

@test "explain as JSON has the same" {
    needs_python
    site
    rhost node explain web.port --format=json --attribute web.port=1 site.yaml >node.json
    json_is node.json '[d["path"], d["value"], d["winner"], len(d["steps"])]' "[['web', 'port'], 1, 8, 8]"
    json_is node.json '[s.get("effect") for s in d["steps"]].count("removed")' 4
    json_is node.json '[s["by"] for s in d["steps"] if s.get("effect") == "removed"]' '[6, 6, 6, 6]'
    json_is node.json '[(s["location"]["file"], s["location"]["line"], s["location"]["column"]) for s in d["steps"][3:4]]' \
        "[('site.yaml', 4, 54)]"
    json_is node.json 'd["steps"][7]["location"]["file"]' '--attribute 1'
}

@test "what was removed altogether can still be explained" {
    printf 'attributes: [{op: set, level: default, path: a.b, value: 1}, {op: rm, path: a.b}]\n' >site.yaml
    run rhost node explain a.b site.yaml
    status_is 0
    says 'removed by 2'
    run rhost node a.b site.yaml
    status_is 1
}

@test "facts say that they are facts" {
    run rhost node explain os.family
    status_is 0
    says 'automatic fact os'
    says 'wins'
}

@test "sensitive values are redacted, here as well" {
    manifest <<END
attributes:
  default: {db: {password: very-secret-1}}
  normal: {db: {password: very-secret-2}}
  sensitive: [db.password]
END
    for format in text json yaml; do
        run rhost node explain db.password --format=$format --attribute db.password=very-secret-3 site.yaml
        status_is 0
        says '[redacted]'
        says_not very-secret
        run rhost node explain db --format=$format site.yaml
        says_not very-secret
        run rhost node db --format=$format site.yaml
        says '[redacted]'
        says_not very-secret
    done
}

@test "a path is shown as text, YAML or JSON" {
    printf 'attributes: {normal: {a: {text: "x: y", list: [1, b], none: null}}}\n' >site.yaml
    [ "$(rhost node a.text site.yaml)" = 'x: y' ]
    [ "$(rhost node 'a.list[1]' site.yaml)" = b ]
    [ "$(rhost node 'a.list[-1]' --level=normal site.yaml)" = b ]
    run rhost node a site.yaml
    says 'text: "x: y"'
    [ "$(rhost node a.text --format=json site.yaml)" = '"x: y"' ]
    # What is printed can be set again.
    rhost node . --level=normal site.yaml | sed '1i normal:' | sed '2,$s/^/  /' >again.yaml
    [ "$(rhost node a --attributes=again.yaml)" = "$(rhost node a site.yaml)" ]
}

@test "what is not there is refused, with what may have been meant" {
    printf 'attributes: {normal: {web: {port: 80, names: [a, b]}}}\n' >site.yaml
    run rhost node web.prot site.yaml
    status_is 1
    says "error: unknown attribute 'web.prot'"
    says "did you mean 'web.port'?"
    run rhost node explain wbe.port site.yaml
    status_is 1
    says "error: unknown attribute 'wbe'"
    says "did you mean 'web'?"
    run rhost node web.port.x site.yaml
    says "'web.port' is an integer, and has nothing below it"
    run rhost node 'web.names[7]' site.yaml
    says "error: unknown attribute 'web.names[7]'"
    says "'web.names' is a list of 2, counted from 0"
    run rhost node site.yaml
    status_is 1
    says "error: unknown attribute 'site'"
    says "for all attributes that the file makes, write 'rhost node . site.yaml'"
    run rhost node 'web[' site.yaml
    status_is 1
    says "invalid path 'web['"
    run rhost node web --level defualt site.yaml
    status_is 1
    says "error: unknown level 'defualt'"
    says "did you mean 'default'?"
    run rhost node explain
    status_is 1
    says 'no attribute given: name its PATH'
    run rhost node explain web --level default site.yaml
    says "'explain' shows all levels: remove --level"
    run rhost node web --format=json nothing.yaml
    status_is 1
    says '"message": "cannot open'
}

@test "what is wrong with the manifest is said first" {
    printf 'attributes: {normal: {a: 1}}\nresources: [{lgo: x}]\n' >site.yaml
    run rhost node a site.yaml
    status_is 1
    says "unknown type 'lgo'"
}

@test "what is said to be sensitive is, whoever writes it, and its names are not suggested" {
    manifest <<'END'
attributes:
  sensitive: [db.password, keys]
  default:
    db: {password: one-correct-horse}
    keys: {hunter2: {a: 1}}
resources:
  - include: more.lua
END
    cat >more.lua <<'END'
node.override.db.password = "two-correct-horse"
node["normal!"].db = { password = "three-correct-horse", port = 1 }
node.override.keys.hunter3 = { "four-correct-horse" }
node:append("override", "keys", "hunter3", "five-correct-horse")
END
    for what in . db db.password keys; do
        for format in text json yaml; do
            run rhost node --format="$format" "$what" site.yaml
            status_is 0
            says_not correct-horse
            run rhost node explain --format="$format" "$what" site.yaml
            status_is 0
            says_not correct-horse
        done
    done
    run rhost node db.port site.yaml
    says 1
    run rhost node keys.hunter site.yaml
    status_is 1
    says_not hunter2
    run rhost node keys.hunter.a site.yaml
    status_is 1
    says_not hunter2
}

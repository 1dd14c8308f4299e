#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Attributes of the node, from manifests, files of their own and the command line.
source "${abs_top_srcdir:-$BATS_TEST_DIRNAME/../..}/tests/cli/cli.bash"

# The merged attribute at a path, for these files and options.
attribute_is() {
    local path=$1 wanted=$2
    shift 2
    rhost node "$path" --format=json "$@" >node.json || return
    json_is node.json d "$wanted"
}

@test "levels of a manifest are merged by their precedence" {
    needs_python
    manifest <<END
attributes:
  override: {web: {port: 8}}
  default: {web: {port: 1, host: a, deep: {x: 1}}}
  env_default: {web: {port: 2}}
  role_default: {web: {port: 3}}
  force_default: {web: {port: 4, host: b}}
  normal: {web: {port: 5}}
  role_override: {web: {port: 9}}
END
    attribute_is web "{'port': 9, 'host': 'b', 'deep': {'x': 1}}" site.yaml
    for level in default:1 env_default:2 role_default:3 force_default:4 normal:5 override:8 \
        role_override:9 combined_default:4 combined_override:9 merged:9; do
        rhost node web.port --level "${level%:*}" site.yaml >out
        [ "$(cat out)" = "${level#*:}" ]
    done
}

@test "plain scalars are what the core schema says, quoted ones are texts" {
    needs_python
    manifest <<END
attributes:
  default: {a: 80, b: "80", c: true, d: yes, e: 0x1f, f: 1.5, g: null, h: , i: 0644, j: [1, "1", x], k: {}}
END
    rhost node . --format=json site.yaml >all.json
    json_is all.json '[d[k] for k in "abcdefghijk"]' \
        "[80, '80', True, 'yes', 31, 1.5, None, None, 644, [1, '1', 'x'], {}]"
}

@test "operations are done in their order" {
    needs_python
    manifest <<'END'
attributes:
  - {op: set, level: default, path: [web, port], value: 80}
  - {op: set, level: role_default, path: web.host, value: a}
  - {op: set, level: default, path: "users['j.doe'].uid", value: 5}
  - {op: set, level: override, path: [web, legacy], value: 1}
  - {op: rm, path: web.legacy}
  - {op: "set!", level: force_default, path: [web, tls], value: {port: 443}}
  - {op: rm_level, level: default, path: web.port}
END
    attribute_is web "{'host': 'a', 'tls': {'port': 443}}" site.yaml
    attribute_is "users['j.doe'].uid" 5 site.yaml
}

@test "files come in the order of the command line, and after what they include" {
    needs_python
    printf 'attributes: {default: {x: {a: 1, b: 1, c: 1}}}\nresources: [{include: inc.yaml}]\n' >site.yaml
    printf 'attributes: {default: {x: {b: 2, d: 2}}}\n' >other.yaml
    printf 'attributes: {default: {x: {a: 3, d: 3, e: 3}}}\n' >inc.yaml
    rhost node x --format=json site.yaml other.yaml >node.json
    json_is node.json '[d[k] for k in "abcde"]' '[1, 2, 1, 2, 3]'
    rhost node x --format=json other.yaml site.yaml >node.json
    json_is node.json '[d[k] for k in "abcde"]' '[1, 1, 1, 3, 3]'
}

@test "the command line wins over all files" {
    needs_python
    manifest <<END
attributes:
  force_override: {web: {port: 1, names: [a, b], deep: {x: 1, y: 1}}}
END
    attribute_is web.port 8080 --attribute=web.port=8080 site.yaml
    attribute_is web.names "['c']" --attribute='web.names=[c]' site.yaml
    attribute_is web.deep "{'x': 2, 'y': 1}" --attribute='web.deep={x: 2}' site.yaml
    attribute_is web.port 1 --attribute=default.web.port=8080 site.yaml
    attribute_is web.port 2 --attribute=web.port=1 --attribute=web.port=2 site.yaml
    # Quotes and brackets in the path.
    attribute_is "users['j.d=e']" 1 --attribute="users['j.d=e']=1"
    attribute_is "force_override.x" 1 --attribute=force_override.force_override.x=1
}

@test "values on the command line are plain scalars, unless a quote or a bracket says else" {
    needs_python
    attribute_is x True --attribute=x=true
    attribute_is x None --attribute=x=null
    attribute_is x '' --attribute=x=
    attribute_is x 'a: b #c' --attribute='x=a: b #c'
    attribute_is x '*a' --attribute='x=*a'
    attribute_is x '- a' --attribute='x=- a'
    attribute_is x 'a=b' --attribute='x=a=b'
    rhost node x --format=json --attribute='x="8080"' >node.json
    json_is node.json 'repr(d)' "'8080'"
    rhost node x --format=json --attribute='x=8080' >node.json
    json_is node.json 'repr(d)' 8080
    attribute_is x "[1, 'a b', {'c': True}]" --attribute='x=[1, a b, {c: true}]'
}

@test "files of attributes have levels or operations" {
    needs_python
    printf 'override: {web: {port: 2}}\n' >levels.yaml
    printf '[{"op": "set", "level": "override", "path": "web.host", "value": "b"}]' >ops.json
    printf 'attributes: {override: {web: {port: 1, host: a}}}\n' >site.yaml
    attribute_is web "{'port': 2, 'host': 'b'}" --attributes=levels.yaml --attributes ops.json site.yaml
    attribute_is web.port 3 --attribute=override.web.port=3 --attributes=levels.yaml site.yaml
    attribute_is web.port 2 --attributes=- <levels.yaml
}

@test "a file of attributes without levels gets one hint" {
    printf 'web: {port: 2}\ndb: 1\n' >plain.yaml
    run rhost node . --attributes=plain.yaml
    status_is 1
    says "plain.yaml:1:1: error: unknown level 'web' at the top of an attributes file"
    says "put a level above them, for example 'force_override:', and indent them"
    says '1 error'
    printf 'attributes: {default: {}}\n' >plain.yaml
    run rhost node . --attributes=plain.yaml
    says 'name a manifest as a FILE instead'
    printf 'overide: {a: 1}\n' >plain.yaml
    run rhost node . --attributes=plain.yaml
    says "plain.yaml:1:1: error: unknown level 'overide'"
    says "did you mean 'override'?"
    run rhost node . --attributes=plian.yaml
    says "error: --attributes: cannot open 'plian.yaml': No such file or directory"
    says "did you mean 'plain.yaml'?"
}

@test "mistakes in levels are shown with their places" {
    manifest <<END
attributes:
  defualt: {a: 1}
  automatic: {a: 1}
  normal: [a]
  override: {a: !append [b]}
  foo: {}
END
    run rhost validate site.yaml
    status_is 1
    says "site.yaml:2:3: error: unknown level 'defualt'"
    says "did you mean 'default'?"
    says "site.yaml:3:3: error: level 'automatic' holds the facts and cannot be set"
    says "site.yaml:4:11: error: 'normal' must be a hash of attributes, not a list"
    says "site.yaml:5:17: error: '!append' and '!remove' cannot be used in node attributes"
    says "site.yaml:6:3: error: unknown level 'foo'"
    says 'the levels from low to high: default, env_default,'
    says '5 errors'
    printf 'attributes: 5\n' >site.yaml
    run rhost validate site.yaml
    says "site.yaml:1:13: error: 'attributes' must be a hash of levels or a list of operations, not"
    for empty in '' '{}' '[]' 'null' '{default: }'; do
        printf 'attributes: %s\n' "$empty" >site.yaml
        run rhost validate site.yaml
        status_is 0
    done
}

@test "mistakes in operations are shown with their places" {
    manifest <<'END'
attributes:
  - {op: set, levle: default, path: [a], value: 1}
  - {op: sett, level: default, path: [a], value: 1}
  - {op: set, level: automatic, path: [a], value: 1}
  - {op: set, level: defualt, path: [a], value: 1}
  - {op: read, path: [a]}
  - {op: set, level: default, path: [a, [b]], value: 1}
  - {op: set, level: default, path: "a[", value: 1}
  - {op: set, level: default, path: 5, value: 1}
  - {level: default, path: a, value: 1}
  - set
  - {op: set, level: default, path: a, value: 1, sensitive: 5}
END
    run rhost validate site.yaml
    status_is 1
    says "site.yaml:2:15: error: unknown key 'levle' in an operation on attributes"
    says "did you mean 'level'?"
    says "site.yaml:3:5: error: unknown operation 'sett'"
    says "did you mean 'set'?"
    says "site.yaml:4:22: error: level 'automatic' holds the facts"
    says "site.yaml:5:22: error: unknown level 'defualt'"
    says "site.yaml:6:10: error: operation 'read' only reads and cannot be used in a manifest"
    says "site.yaml:7:41: error: the path of an attribute must be made of strings and integers, not a list"
    says "site.yaml:8:37: error: invalid path 'a[':"
    says "site.yaml:10:5: error: missing key 'op' in an operation on attributes"
    says "site.yaml:11:5: error: an operation on attributes must be a hash, not a string"
    says "site.yaml:12:61: error: sensitive must be a boolean, not an integer"
}

@test "mistakes in --attribute are shown with a caret" {
    run rhost node . --attribute overide.x=1 --attribute 'x={a: [}' --attribute default=2 \
        --attribute automatic.x=2 --attribute foo --attribute =5 --attribute 'a..b=1' --attribute 'default.=1'
    status_is 1
    says "--attribute 1:1:1: error: unknown level 'overide'
 1 | overide.x=1
 | ^
 = did you mean 'override'? An attribute of this name is written force_override.overide"
    says '--attribute 2:1:8: error:'
    says "--attribute 3:1:8: error: expected '.' and the path of an attribute after the level"
    says "--attribute 4:1:1: error: level 'automatic' holds the facts"
    says "--attribute 5:1:4: error: the '=' and the value are missing"
    says '--attribute 6:1:1: error: the path of the attribute is missing'
    says "--attribute 7:1:"
    says "invalid path 'a..b':"
    says '--attribute 8:1:9: error: the path of the attribute is missing'
    says '8 errors'
    run rhost node . --attribute hostname=foo
    status_is 1
    says "--attribute 1:1:1: error: 'hostname' is a fact, and no level overrides facts"
}

@test "facts are the automatic level, and files of one's own count" {
    needs_python
    mkdir facts.d
    printf '{"rack": "r5"}' >facts.d/place.json
    manifest <<END
attributes: {force_override: {place: {rack: none, row: 3}, hostname: nobody}}
END
    attribute_is place.row 3 --facts-dir facts.d site.yaml
    rhost node . --format=json --facts-dir facts.d site.yaml >all.json
    rhost facts --format=json --facts-dir facts.d >facts.json
    json_is all.json 'd["hostname"]' "$(json facts.json 'd["hostname"]')"
}

@test "secret attributes are shown nowhere, whichever file or level they are in" {
    needs_python
    mkdir -p roles environments
    printf 'default: {web: {password: secret-of-role, port: 1}}\n' >roles/web.yaml
    printf 'override: {web: {keys: [{k: secret-of-env, l: 2}]}}\n' >environments/prod.yaml
    manifest <<END
roles: web
environment: prod
attributes:
  normal: {web: {password: secret-of-site}, all: {deep: {x: secret-of-deep, y: [secret-of-list]}}}
  sensitive: [web.password, "web.keys[0].k", [all]]
END
    printf '%s\n' '- {op: set, level: override, path: [own, x], value: secret-of-op, sensitive: true}' \
        '- {op: set, level: normal, path: own, value: {x: secret-of-other, y: 1}}' >ops.yaml
    for level in merged normal override role_default role_override env_override combined_override; do
        for format in text json yaml; do
            rhost node . --level "$level" --format="$format" --attributes ops.yaml \
                --attribute all.z=secret-of-command site.yaml >out
            [ "$(grep -c secret- out)" = 0 ]
        done
    done
    rhost node web.port --attributes ops.yaml site.yaml >out
    [ "$(cat out)" = 1 ]
    rhost node web.keys --format=json site.yaml >node.json
    json_is node.json d "[{'k': '[redacted]', 'l': 2}]"
    # Nor in what is said of mistakes on their lines.
    sed -i 's/^  normal:/  nromal:/' site.yaml
    run rhost validate site.yaml
    status_is 1
    says_not secret-
    run rhost node . --attributes ops.yaml --attribute 'own.x={secret-of-command: [}' site.yaml
    says_not secret-of-op
}

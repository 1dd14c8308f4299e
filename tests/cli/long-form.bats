#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# The long form of an entry: type, title and attributes apart. A type may call its attributes as
# itself, and as the words for every resource.
source "${abs_top_srcdir:-$BATS_TEST_DIRNAME/../..}/tests/cli/cli.bash"

setup() {
    work_open
    needs_python
    mkdir -p plugins/test_bool
    cat >plugins/test_bool/type.yaml <<'END'
type: test_bool
version: "1.0"
desc: A value in a file of values.
program: [python3, ./test_bool.py]
features: simple_get_filter
attributes:
  name: {type: "String[1]", desc: Its name., behaviour: namevar}
  ensure: {type: "Enum[present, absent]", desc: Whether it exists., default: present}
  test_bool: {type: "Optional[Boolean]", desc: A property with the name of the type.}
  action: {type: "Optional[String]", desc: A property with the name of a word.}
  insert_after: {type: "Optional[String]", desc: Another one.}
  when: {type: "Optional[String]", desc: One that is looked at before the type.}
  define: {type: "Optional[String]", desc: One that starts a definition elsewhere.}
END
    cat >plugins/test_bool/test_bool.py <<END
import json, os, sys

store = "$work/store"

def load():
    return json.load(open(store)) if os.path.exists(store) else {}

for line in sys.stdin:
    [(verb, asked)] = json.loads(line).items()
    if verb == "hello":
        print('{"hello":{"protocol":1}}', flush=True)
        continue
    world = load()
    if verb == "get":
        names = asked["names"]
        for name in [n["name"] for n in names] if names is not None else world:
            if name in world:
                print(json.dumps({"resource": dict(world[name], name=name)}))
    if verb == "set":
        for c in asked["changes"]:
            name, should = c["name"]["name"], c["should"]
            if should is None or should["ensure"] == "absent":
                world.pop(name, None)
            else:
                world[name] = dict(c["is"] or {}, **should)
        json.dump(world, open(store, "w"))
    print('{"done":true}', flush=True)
END
}

apply_here() {
    run rhost apply --plugin-dir plugins --detailed-exitcodes "$@"
}

@test "a type may have attributes named like itself and like words for every resource" {
    manifest <<'END'
resources:
  - type: test_bool
    title: a
    attributes:
      test_bool: true
      action: turn
      insert_after: noon
      when: never
      define: it
END
    apply_here site.yaml
    status_is 2
    json_is store '(d["a"]["test_bool"], d["a"]["action"], d["a"]["when"], d["a"]["define"])' \
        "(True, 'turn', 'never', 'it')"
    apply_here site.yaml
    status_is 0
}

@test "in the usual form an attribute wins over a word, but not over one that is looked at first" {
    manifest <<'END'
resources:
  - test_bool: a
    action: turn
    insert_after: noon
    define: it
  - test_bool: b
    when: false
END
    apply_here site.yaml
    status_is 2
    json_is store '(d["a"]["action"], d["a"]["insert_after"], d["a"]["define"], "b" in d)' \
        "('turn', 'noon', 'it', False)"
}

@test "what 'rhost resource' prints of such a resource can be applied" {
    echo '{"a": {"ensure": "present", "test_bool": true, "action": "x", "when": "y"}, "b": {"ensure": "present", "action": "z"}}' >store
    rhost resource --plugin-dir plugins --format=json test_bool >all.json
    json_is all.json '(d["resources"][0]["type"], d["resources"][0]["title"],
        d["resources"][0]["attributes"]["test_bool"])' "('test_bool', 'a', True)"
    json_is all.json '(d["resources"][1]["test_bool"], d["resources"][1]["action"])' "('b', 'z')"
    rhost resource --plugin-dir plugins test_bool >all.yaml
    echo '{"a": {"ensure": "present", "test_bool": false}}' >store
    apply_here all.yaml
    status_is 2
    json_is store '(d["a"]["test_bool"], d["a"]["action"], d["a"]["when"], d["b"]["action"])' \
        "(True, 'x', 'y', 'z')"
    apply_here all.json
    status_is 0
}

@test "words stand beside 'attributes', and mean the same as everywhere" {
    manifest <<'END'
resources:
  - type: file
    title: [a, b]
    when: false
    attributes: {mode: 9}
  - for_each: [one, two]
    type: ${"exec"}
    title: ${each.value}
    attributes: {command: [touch, "${each.value}"], cwd: WORK, timeout: 5, creates: "WORK/${each.value}"}
    timeout: 7
    sensitive: command
    retries: 2
  - type: exec
    title: three
    attributes:
      command: [touch, three]
      cwd: WORK
      creates: WORK/three
    require: exec[two]
    only_if: test -e WORK/two
END
    sed -i "s|WORK|$work|g" site.yaml
    rhost compile site.yaml >catalog.json
    json_is catalog.json '[(r["title"], r["attributes"].get("timeout"), r.get("timeout"), r.get("retries"))
        for r in d["resources"]]' "[('one', 5, 7.0, 2), ('two', 5, 7.0, 2), ('three', 300, None, None)]"
    json_is catalog.json 'd["resources"][0]["attributes"]["command"]' "{'\$sensitive': True}"
    apply_here site.yaml
    status_is 2
    [ -e three ]
}

@test "the long form is checked like the usual one" {
    manifest <<'END'
resources:
  - type: fiel
    title: /tmp/x
  - type: file
    title: /tmp/x
    mode: 0644
  - type: file
    title: /tmp/y
    attributes: {mdoe: 0644}
  - type: file
    title: /tmp/z
    attributes: [mode]
  - type: file
    attributes: {mode: 0644}
  - type: [file]
    title: /tmp/z
  - type: file
    title:
END
    run rhost validate site.yaml
    status_is 1
    says "site.yaml:2:11: error: unknown type 'fiel'"
    says "did you mean 'file'?"
    says "site.yaml:6:5: error: unknown key 'mode' beside 'attributes'"
    says "put it under 'attributes:'"
    says "site.yaml:9:18: error: unknown attribute 'mdoe' for type 'file'"
    says "site.yaml:12:17: error: 'attributes' must be a hash, not a list"
    says "the long form of an entry has 'type', 'title' and 'attributes'"
    says "site.yaml:15:11: error: 'type' must be the name of a type"
    says "missing title for type 'file'"
}

@test "what is declared and edited may have its attributes apart, too" {
    manifest <<'END'
resources:
  - declare: test_bool[a]
    attributes: {test_bool: false, action: one}
    alias: other
  - trigger: test_bool[a]
  - edit: test_bool[other]
    attributes: {test_bool: true, when: now, action: null}
END
    apply_here site.yaml
    status_is 2
    json_is store '(d["a"]["test_bool"], d["a"]["when"], d["a"].get("action"))' "(True, 'now', None)"
}

@test "a recipe may name attributes like the type and like words" {
    cat >site.lua <<'END'
test_bool "a" { test_bool = true, action = "turn", alias = "other" }
resource("test_bool", "b") { attributes = { test_bool = false, when = "now" }, require = "test_bool[other]" }
resource("test_bool", "c") { test_bool = true, define = "it" }
END
    apply_here site.lua
    status_is 2
    json_is store '(d["a"]["test_bool"], d["a"]["action"], d["b"]["test_bool"], d["b"]["when"], d["c"]["define"])' \
        "(True, 'turn', False, 'now', 'it')"
    echo 'edit("test_bool", "a") { edit = 1 }' >bad.lua
    run rhost validate --plugin-dir plugins bad.lua
    status_is 1
    says "attributes = { edit = ... }"
    echo 'resource("test_bool", "a") { tset_bool = 1 }' >bad.lua
    run rhost validate --plugin-dir plugins bad.lua
    status_is 1
    says "did you mean 'test_bool'?"
}

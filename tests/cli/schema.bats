#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
source "${abs_top_srcdir:-$BATS_TEST_DIRNAME/../..}/tests/cli/cli.bash"

@test "the schema is JSON, and covers each type that is installed" {
    needs_python
    rhost schema >schema.json
    json_is schema.json 'd["$schema"]' 'https://json-schema.org/draft/2020-12/schema'
    rhost types | awk '!NF { exit } { print $1 }' >names
    json_is schema.json '"\n".join(e["required"][0] for e in d["$defs"]["resource"]["anyOf"])' \
        "$(cat names; echo purge)"
    json_is schema.json '"\n".join(e["properties"]["type"]["const"] for e in d["$defs"]["long_form"]["anyOf"])' \
        "$(cat names; echo purge)"
}

@test "each entry has all attributes of its type, and the keywords that work" {
    needs_python
    rhost schema >schema.json
    rhost describe file --format=json >file.json
    json_is schema.json '[e for e in d["$defs"]["resource"]["anyOf"]
        if e["required"] == ["file"]][0]["properties"].keys() >=
        {"require", "before", "noop", "sensitive", "action", "provider", "file"}' True
    json_is schema.json '[a["name"] for a in json.load(open("file.json"))["attributes"]
        if a["name"] not in [e for e in d["$defs"]["resource"]["anyOf"]
        if e["required"] == ["file"]][0]["properties"] and "read_only" not in a["behaviour"]]' '[]'
}

@test "it is a valid schema, which good manifests fit and bad ones don't" {
    needs_python
    python3 -c 'import jsonschema, yaml' 2>/dev/null || skip "needs jsonschema and yaml for Python"
    rhost schema >schema.json
    manifest good.yaml <<'END'
roles: [web]
environment: production
data: ["data/${node.os.family}.yaml", data/common.yaml]
attributes:
  default: {web: {port: 80}}
  sensitive: web.password
resources:
  - include: [a.yaml, "b/*.yaml"]
END
    manifest operations.yaml <<'END'
roles: web
attributes:
  - {op: set, level: default, path: web.port, value: 80, sensitive: true}
  - {op: rm, path: [web, 1]}
END
    manifest entries.yaml <<'END'
resources:
  - {link: /x, force: "${y}"}
  - {file: /x, ensure: "${a}", content: true, mode: 0644}
  - {file: "${x}", when: a == b, for_each: [1], template: x.tmpl}
  - {type: link, title: /x, attributes: {force: true}, require: "file[/y]"}
  - {file: /x, for_each: "${node.list}", template: {file: x, variables: {a: 1}}}
  - {declare: "file[/x]", mode: 0644, tag: [a, b]}
  - {declare: "file[/x]", attributes: {mode: 0644}, alias: x}
  - {declare: ["file[/x]", "link[/y]"], ensure: present}
  - {edit: "file[/x]", mode: null, content: "${x}"}
  - {edit: "${x}", anything: 1}
  - {trigger: "exec[x]", action: run, insert_before: "file[/x]"}
  - {include: [a.yaml], when: x}
  - define: site
    desc: x
    parameters: {text: String, mode: {type: String, default: 0644, desc: x}}
    resources:
      - file: /${title}
      - site: inner
        text: x
  - {site: x, text: y, tag: z, owner: b}
  - {declare: "site[x]", text: y}
  - {type: site, title: x, attributes: {text: y}}
  - user: x
    groups: !append [a, b]
  - {file: /x, notifies: [run, "exec[x]", before], retries: 3, retry_delay: 0.5, schedule: {repeat: 2, period: daily}}
  - {file: /x, notifies: [[run, "exec[x]"], {action: run, resource: ["exec[x]"], on_failure: hold}], loglevel: info}
END
    manifest defaults.yaml <<'END'
x-base: &base {owner: root, mode: 0640}
defaults:
  x-y: 1
  file: *base
  link:
  package: {provider: apt, tag: [a], require: null, ensure: null}
  exec: {timeout: 60, x-note: a}
resources:
  - {x-only: 1, file: /x, mode: null, require: null}
  - {for_each: [1], when: "a == b", defaults: {file: {mode: "${x}"}}, x-a: 1, resources: [{file: /a}, {resources: }]}
  - {include: a.yaml, defaults: {site: {x: y}}, x-a: 1}
  - {define: site, defaults: {site: {x: y}}, x-a: 1, resources: [{resources: [{site: x}]}]}
  - {type: file, title: /x, x-a: 1}
  - {trigger: "exec[x]", x-a: 1}
  - {edit: "file[/x]", x-a: 1}
END
    manifest group.yaml <<'END'
defaults: {site: {x: y}}
resources: [{resources: [{include: a.yaml}]}, {site: x, y: z}, {resources: [{site: x}]}]
END
    manifest role-defaults.yaml <<'END'
desc: x
x-a: 1
defaults: {file: {mode: 0644}, site: {x: y}}
resources: [{file: /x}]
END
    manifest parameter.yaml <<'END'
resources:
  - {define: site, parameters: {user: String}}
  - {site: x, user: y}
END
    manifest role.yaml <<'END'
desc: x
roles: [base]
default: {web: {port: 80}}
override: {}
sensitive: [web.password]
include: a.yaml
resources: [{site: x, text: y}]
END
    manifest environment.yaml <<'END'
default: {web: {port: 80}}
END
    manifest nothing.yaml <<'END'
resources:
schedules:
END
    cat >does-not-fit <<'END'
resources: [{type: link, title: /x, force: true}]
resource: []
resources: {}
resources: [{fiel: /x}]
resources: [{file: {}}]
resources: [{file: /x, ensure: maybe}]
resources: [{link: /x, force: 3}]
resources: [{file: /x, mdoe: 0644}]
resources: [{file: /x, mode: [1]}]
resources: [{file: /x, content: [a]}]
resources: [{type: file, title: /x, attributes: {mdoe: 1}}]
resources: [{type: fiel, title: /x}]
resources: [{edit: "file[/x]", mdoe: 1}]
resources: [{edit: ["file[/x]", "link[/y]"], mdoe: 1}]
resources: [{declare: "file[/x]", attributes: {mdoe: 1}}]
resources: [{trigger: "file[/x]", mode: 1}]
resources: [{define: web, paramters: {}}]
resources: [{define: web, parameters: {a: {typ: String}}}]
resources: [{define: web, resources: [{file: /x, mdoe: 1}]}]
resources: [{include: a.yaml}, {file: /x, mdoe: 1}]
resources: [{include: {}}]
resources: [{file: /x, retries: many}]
resources: [{file: /x, noop: maybe}]
resources: [{file: /x, loglevel: loud}]
resources: [{file: /x, requires: "file[/y]"}]
resources: [{file: /x, require: {a: b}}]
resources: [{file: /x, notifies: {action: run, resorce: x}}]
resources: [{file: /x, schedule: {rnage: 1 - 2}}]
resources: [{purge: host, kep: x}]
resources: [{resources: {}}]
resources: [{resources: [], action: x}]
resources: [{resources: [{file: /x, mdoe: 1}]}]
resources: [{defaults: {file: {mdoe: 1}}, resources: []}]
resources: [{include: x, defaults: {file: {mdoe: 1}}}]
resources: [{define: x, defaults: []}]
defaults: []
defaults: {fiel: {mode: 0644}}
defaults: {file: [1]}
defaults: {file: {mdoe: 0644}}
defaults: {file: {path: /x}}
defaults: {file: {when: true}}
defaults: {link: {force: 3}}
y-base: 1
schedules: {night: {rnage: 1 - 2}}
attributes: {defualt: {}}
attributes: {default: []}
attributes: [{op: set, levle: x}]
attributes: [{level: default}]
roles: {}
data: {web: {port: 80}}
environment: [a]
{default: {}, resorces: []}
{desc: x, resources: [{file: /x, mdoe: 1}]}
END
    python3 "$abs_top_srcdir/tests/cli/manifests.py" schema.json fit "$abs_top_srcdir"/docs/examples/*.yaml ./*.yaml
    python3 "$abs_top_srcdir/tests/cli/manifests.py" schema.json refuse does-not-fit
}

@test "each manifest of the pages and tests that 'rhost validate' takes fits the schema" {
    needs_python
    python3 -c 'import jsonschema, yaml' 2>/dev/null || skip "needs jsonschema and yaml for Python"
    rhost schema >schema.json
    mkdir manifests
    (
        here=$PWD
        export RHOST="${RHOST:-$abs_top_builddir/rhost}" STATE_DIR=$BATS_TEST_TMPDIR/state
        cd "$abs_top_srcdir"
        python3 tests/cli/manifests.py "$here/schema.json" collect "$here/manifests" \
            README.md docs/*.md docs/*/*.md plugins/*/*.md tests/*/*.bats plugins/*/*.bats
    )
    (($(find manifests -name '*.yaml' | wc -l) > 200)) # so that it does not find none
    # 'when: false' and an empty 'for_each' make rhost pass over types that nobody has: no schema can.
    grep -lE 'nosuch(type)?:' manifests/*.yaml | xargs -r rm
    python3 "$abs_top_srcdir/tests/cli/manifests.py" schema.json fit manifests/*.yaml
}

@test "an entry is for one provider of the type" {
    needs_python
    mkdir plugins
    cp "$abs_top_builddir"/tests/sdk/.libs/two-{left,right}.so plugins/
    rhost schema --plugin-dir plugins >schema.json
    json_is schema.json '[(e["properties"]["provider"]["enum"], [a for a in e["properties"] if a.endswith("_only")])
        for e in d["$defs"]["resource"]["anyOf"] if e["required"] == ["two"]]' \
        "[(['left'], ['left_only']), (['right'], ['right_only'])]"
    json_is schema.json '[e["properties"]["provider"]["enum"] for e in
        d["$defs"]["resource"]["anyOf"] if e["required"] == ["file"]]' "[['file']]"
}

#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
source "${abs_top_srcdir:-$BATS_TEST_DIRNAME/../..}/tests/cli/cli.bash"

@test "the schema is JSON, and covers each type that is installed" {
    needs_python
    rhost schema >schema.json
    json_is schema.json 'd["$schema"]' 'https://json-schema.org/draft/2020-12/schema'
    rhost types | awk '{ print $1 }' >names
    json_is schema.json \
        '"\n".join(e["required"][0] for e in d["properties"]["resources"]["items"]["anyOf"]
            if e["required"] != ["type", "title"])' "$(cat names; echo purge; echo include)"
    json_is schema.json \
        '"\n".join(e["properties"]["type"]["const"] for e in d["properties"]["resources"]["items"]["anyOf"]
            if e["required"] == ["type", "title"])' "$(cat names; echo purge)"
}

@test "each entry has all attributes of its type, and the keywords that work" {
    needs_python
    rhost schema >schema.json
    rhost describe file --format=json >file.json
    json_is schema.json '[e for e in d["properties"]["resources"]["items"]["anyOf"]
        if e["required"] == ["file"]][0]["properties"].keys() >=
        {"require", "before", "noop", "sensitive", "action", "provider", "file"}' True
    json_is schema.json '[a["name"] for a in json.load(open("file.json"))["attributes"]
        if a["name"] not in [e for e in d["properties"]["resources"]["items"]["anyOf"]
        if e["required"] == ["file"]][0]["properties"] and "read_only" not in a["behaviour"]]' '[]'
}

@test "it is a valid schema, which good manifests fit and bad ones don't" {
    needs_python
    python3 -c 'import jsonschema, yaml' 2>/dev/null || skip "needs jsonschema and yaml for Python"
    rhost schema >schema.json
    cat >check.py <<'END'
import json, sys
import jsonschema, yaml

schema = json.load(open("schema.json"))
validator = jsonschema.Draft202012Validator(schema)
validator.check_schema(schema)
wrong = 0

def check(name, text, good):
    global wrong
    errors = [error.message[:200] for error in validator.iter_errors(yaml.safe_load(text))]
    if bool(errors) == good:
        print(name, *errors or ["fits, and should not"], sep="\n    ")
        wrong = 1

for name in sys.argv[1:]:
    check(name, open(name).read(), True)
for good in (True, False):
    for line in open("fits" if good else "does-not-fit"):
        check(line.strip(), line, good)
sys.exit(wrong)
END
    manifest good.yaml <<'END'
roles: [web]
environment: production
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
    cat >fits <<'END'
resources: [{link: /x, force: "${y}"}]
resources: [{file: /x, ensure: "${a}"}]
resources: [{file: "${x}", when: a == b, for_each: [1], template: x.tmpl}]
resources: [{type: link, title: /x, attributes: {force: true}, require: "file[/y]"}]
resources: [{file: /x, for_each: "${node.list}", template: {file: x, variables: {a: 1}}}]
END
    cat >does-not-fit <<'END'
resources: [{type: link, title: /x, force: true}]
resource: []
resources: {}
resources: [{fiel: /x}]
resources: [{file: {}}]
resources: [{file: /x, ensure: maybe}]
resources: [{link: /x, force: 3}]
attributes: {defualt: {}}
attributes: {default: []}
attributes: [{op: set, levle: x}]
attributes: [{level: default}]
roles: {}
environment: [a]
resources: [{include: {}}]
END
    python3 check.py "$abs_top_srcdir"/docs/examples/*.yaml good.yaml operations.yaml
}

@test "an entry is for one provider of the type" {
    needs_python
    mkdir plugins
    cp "$abs_top_builddir"/tests/sdk/.libs/two-{left,right}.so plugins/
    rhost schema --plugin-dir plugins >schema.json
    json_is schema.json '[(e["properties"]["provider"]["enum"], [a for a in e["properties"] if a.endswith("_only")])
        for e in d["properties"]["resources"]["items"]["anyOf"] if e["required"] == ["two"]]' \
        "[(['left'], ['left_only']), (['right'], ['right_only'])]"
    json_is schema.json '[e["properties"]["provider"]["enum"] for e in
        d["properties"]["resources"]["items"]["anyOf"] if e["required"] == ["file"]]' "[['file']]"
}

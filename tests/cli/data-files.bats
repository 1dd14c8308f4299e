#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Data files: attributes by paths over facts.
source "${abs_top_srcdir:-$BATS_TEST_DIRNAME/../..}/tests/cli/cli.bash"

# The merged attribute at a path, as JSON.
attribute_is() {
    local path=$1 wanted=$2
    shift 2
    rhost node "$path" --format=json "$@" >node.json || return
    json_is node.json d "$wanted"
}

family() {
    rhost facts os.family
}

# A site whose files for the family of the system and for everybody are there, and that for the host is not.
site() {
    mkdir -p data/os
    manifest <<'END'
data:
  - data/hosts/${node.hostname}.yaml
  - data/os/${node.os.family}.yaml
  - data/common.yaml
END
    cat >>site.yaml
    manifest "data/os/$(family).yaml" <<'END'
web: {port: 8080, aliases: [os]}
END
    manifest data/common.yaml <<'END'
web:
  port: 80
  workers: 4
  aliases: [www, www]
END
}

@test "the most specific file that exists counts, and explain says which were looked for" {
    site </dev/null
    rhost node explain web.port site.yaml >out
    sed "s/$(family)/FAMILY/; s/$(rhost facts hostname)/HOST/; s/  */ /g" out >squeezed
    diff -u squeezed - <<'END'
web.port = 8080
 1 data/common.yaml:2:9 normal merge 80 overridden by 2
 2 data/os/FAMILY.yaml:1:13 normal merge 8080 wins
data files, the most specific first:
 data/hosts/HOST.yaml not found
 data/os/FAMILY.yaml read
 data/common.yaml read
END
}

@test "explain as JSON has the files, and where their paths are written" {
    needs_python
    site </dev/null
    rhost node explain web.port --format=json site.yaml >node.json
    json_is node.json '[f["found"] for f in d["data_files"]]' '[False, True, True]'
    json_is node.json 'd["data_files"][2]' \
        "{'file': 'data/common.yaml', 'found': True, 'location': {'file': 'site.yaml', 'line': 4, 'column': 5}}"
    manifest <<<'resources: []'
    rhost node explain os.family --format=json site.yaml >node.json
    json_is node.json '"data_files" in d' False
}

@test "tables merge, and lists are replaced as they are" {
    needs_python
    site </dev/null
    attribute_is web "{'port': 8080, 'workers': 4, 'aliases': ['os']}" site.yaml
    rm "data/os/$(family).yaml"
    attribute_is web.aliases "['www', 'www']" site.yaml
}

@test "data files are above every default and below every override" {
    needs_python
    mkdir -p roles environments
    printf 'default: {web: {port: 1, a: 1}}\noverride: {web: {workers: 1}}\n' >roles/web.yaml
    printf 'default: {web: {port: 2, b: 2}}\n' >environments/test.yaml
    site <<'END'
roles: web
environment: test
attributes: {default: {web: {port: 3}}, force_default: {web: {port: 4}}}
END
    attribute_is web "{'port': 8080, 'b': 2, 'a': 1, 'workers': 1, 'aliases': ['os']}" site.yaml
    attribute_is web.port 5 --attribute web.port=5 site.yaml
    attribute_is web.port 8080 --attribute default.web.port=5 site.yaml
    # As rhost push gives the attributes of a target.
    printf 'normal: {web: {port: 6, aliases: [target]}}\n' >target.yaml
    attribute_is web.port 6 --attributes target.yaml site.yaml
    attribute_is web.aliases "['os', 'target']" --attributes target.yaml site.yaml
    attribute_is . "{'web': {'port': 8080, 'workers': 4, 'aliases': ['os']}}" --level normal site.yaml
}

@test "paths know the environment and the roles, and roles know the data" {
    needs_python
    mkdir -p roles environments data
    printf 'roles: base\ndefault: {url: "port ${node.port} of ${node.environment}"}\n' >roles/web.yaml
    printf '{}\n' >roles/base.yaml
    printf 'default: {from: "${node.port}"}\n' >environments/test.yaml
    printf 'port: 1\n' >data/test.yaml
    printf 'port: 2\n' >data/base-web.yaml
    manifest <<'END'
roles: web
environment: test
data: ["data/${node.environment}.yaml", "data/${join(node.roles, '-')}.yaml"]
END
    attribute_is url 'port 1 of test' site.yaml
    attribute_is from 1 site.yaml
    rm data/test.yaml
    attribute_is url 'port 2 of test' site.yaml
}

@test "the strategies do what Hiera's do" {
    needs_python
    mkdir -p data
    manifest <<<'data: [data/0.yaml, data/1.yaml, data/2.yaml]'
    python3 - "$abs_top_srcdir/tests/cli/data-merge.jsonl" <<'END'
import json, sys
cases = [json.loads(line) for line in open(sys.argv[1])]
files = [{}, {}, {}]
wanted = {}
for i, case in enumerate(cases):
    result = case.get("rhost", case["result"])
    if result is None:
        continue
    key = "c%d" % i
    wanted[key] = [case["merge"], case["values"], result]
    files[2].setdefault("attribute_options", {})[key] = {"merge": case["merge"]}
    for f, value in zip(files, case["values"]):
        f[key] = value
for i, f in enumerate(files):
    json.dump(f, open("data/%d.yaml" % i, "w"))
json.dump(wanted, open("wanted.json", "w"))
END
    rhost node . --level normal --format=json site.yaml >node.json
    python3 - <<'END'
import json
wanted, got = json.load(open("wanted.json")), json.load(open("node.json"))
bad = 0
for key, (merge, values, result) in wanted.items():
    if got.get(key) != result:
        print(merge, values, "gives", got.get(key), "and not", result)
        bad += 1
assert not bad and len(wanted) > 60, (bad, len(wanted))
END
}

@test "a value that does not fit its strategy is refused at its place" {
    mkdir -p data
    manifest <<<'data: data/a.yaml'
    manifest data/a.yaml <<'END'
attribute_options: {a: {merge: hash}, b: {merge: unique}}
a: [1]
b: {c: 1}
END
    run rhost validate site.yaml
    status_is 1
    says "data/a.yaml:2:4: error: the merge strategy 'hash' needs a hash, not a list"
    says "data/a.yaml:3:4: error: the merge strategy 'unique' needs a list or a single value, not a hash"
}

@test "explain shows what each file gave to a list that several make" {
    mkdir -p data
    manifest <<<'data: [data/host.yaml, data/common.yaml]'
    printf 'l: [a, b]\nu: [x]\n' >data/host.yaml
    printf 'attribute_options: {l: {merge: {strategy: deep, knockout_prefix: "--"}}, u: {merge: unique}}\nl: [c, d]\nu: [y]\n' >data/common.yaml
    run rhost node explain u site.yaml
    says 'u = ["x", "y"]'
    says 'data/host.yaml:2:4    normal  unique  ["x"]  part of it'
    says 'data/common.yaml:3:5  normal  unique  "y"    part of it'
    printf 'l: [--c, a]\n' >data/host.yaml
    run rhost node explain l site.yaml
    says 'l = ["d", "a"]'
    says 'part of it'
}

@test "the most specific file names the strategy, also of what is within an attribute" {
    needs_python
    mkdir -p data
    manifest <<<'data: [data/a.yaml, data/b.yaml]'
    manifest data/a.yaml <<'END'
attribute_options: {x: {merge: first}, "y.list": {merge: unique}}
x: {a: 1}
y: {list: [a], n: 1}
END
    manifest data/b.yaml <<'END'
attribute_options: {x: {merge: deep}, z: {merge: deep}, z.f: {merge: first}}
x: {b: 1}
y: {list: [b], m: 1}
z: {f: [1], l: [1]}
END
    printf 'z: {f: [2], l: [2]}\n' >>data/a.yaml
    attribute_is x "{'a': 1}" site.yaml
    attribute_is y.list "['a', 'b']" site.yaml
    attribute_is 'y.m' 1 site.yaml
    attribute_is z.f '[2]' site.yaml
    attribute_is z.l '[1, 2]' site.yaml
}

@test "a file that is there and wrong is refused with line and column" {
    mkdir -p data
    manifest <<<'data: data/a.yaml'
    printf 'a: 1\nb: [\n' >data/a.yaml
    run rhost validate site.yaml
    status_is 1
    says 'data/a.yaml:'
    printf -- '- a\n- b\n' >data/a.yaml
    run rhost validate site.yaml
    status_is 1
    says 'data/a.yaml:1:1: error: a data file must be a hash of attributes, not a list'
    printf 'a: 1\na: 2\n' >data/a.yaml
    run rhost validate site.yaml
    status_is 1
    says 'data/a.yaml:2:1: error:'
    printf 'a: !append [1]\n' >data/a.yaml
    run rhost validate site.yaml
    status_is 1
    says "data/a.yaml:1:4: error: '!append' and '!remove' cannot be used in node attributes"
    printf '# nothing\n' >data/a.yaml
    rhost validate site.yaml
}

@test "what is there and cannot be read is refused, and so is what lies outside" {
    mkdir -p site/data/dir.yaml elsewhere
    printf 'a: 1\n' >elsewhere/a.yaml
    ln -s nowhere site/data/dangling.yaml
    ln -s loop site/data/loop
    ln -s ../../elsewhere/a.yaml site/data/link.yaml
    for path in data/dir.yaml data/loop/a.yaml data/dangling.yaml data/link.yaml ../elsewhere/a.yaml; do
        manifest site/site.yaml <<<"data: [$path]"
        run rhost validate site/site.yaml
        status_is 1
        says 'site/site.yaml:1:8: error:'
    done
    rhost validate --allow-outside site/site.yaml
    manifest site/site.yaml <<<'data: [site.yaml]'
    run rhost validate site/site.yaml
    status_is 1
    says "'site/site.yaml' is a manifest and cannot be a data file"
    manifest site/site.yaml <<<'data: [data/none/x.yaml, site.yaml/x.yaml]'
    rhost validate site/site.yaml
}

@test "a pattern stands for the files that match, the first of them the most specific" {
    needs_python
    mkdir -p data/conf.d
    manifest <<<'data: ["data/none.d/*.yaml", "data/conf.d/*.yaml"]'
    printf 'a: 1\nb: 1\n' >data/conf.d/10-a.yaml
    printf 'a: 2\nc: 2\n' >data/conf.d/20-b.yaml
    attribute_is a 1 site.yaml
    attribute_is c 2 site.yaml
    run rhost node explain a site.yaml
    says 'data/none.d/*.yaml     not found'
}

@test "mistakes in a list of data files and in their options have a hint" {
    mkdir -p data
    manifest <<'END'
data: [1, "", [a], "${node.roles}", "${node.nothing}/a.yaml"]
END
    run rhost validate site.yaml
    status_is 1
    says "site.yaml:1:11: error: expected the path of a data file, or a list of paths"
    says "site.yaml:1:20: error: the path of a data file must be a text, not a list"
    says "unknown attribute 'nothing'"
    manifest <<<'data: data/a.yaml'
    manifest data/a.yaml <<'END'
attribute_options:
  a: {merge: depp}
  b: unique
  c: {merge: {knockout_prefix: "--"}}
  d: {merge: {strategy: hash, knockout_prefix: "--"}}
  e: {merge: {strategy: deep, knockout_prefix: ""}}
  f[0]: {merge: deep}
  g: {merg: deep}
  h: {merge: hash}
  h.i: {merge: first}
  j: {sensitive: maybe}
lookup_options: {}
END
    run rhost validate site.yaml
    status_is 1
    says "data/a.yaml:2:14: error: unknown merge strategy 'depp'"
    says "did you mean 'deep'?"
    says "data/a.yaml:3:6: error: the options of an attribute must be a hash"
    says "missing key 'strategy' in 'merge'"
    says "'knockout_prefix' is for the strategy 'deep', not for 'hash'"
    says "'knockout_prefix' must be a text that is not empty"
    says "'f[0]' is an element of a list, and cannot have options"
    says "unknown key 'merg' in the options of an attribute"
    says "data/a.yaml:10:3: error: this attribute is part of one that is merged by 'hash'"
    says "sensitive must be a boolean"
    says "did you mean 'attribute_options'?"
}

@test "one manifest of the command line names the data files" {
    mkdir -p data
    printf 'a: 1\n' >data/a.yaml
    manifest <<<'data: data/a.yaml'
    manifest other.yaml <<<'data: data/a.yaml'
    run rhost validate site.yaml other.yaml
    status_is 1
    says "other.yaml:1:7: error: 'data' is written in two manifests"
    manifest <<<'resources: [{include: other.yaml}]'
    run rhost validate site.yaml
    status_is 1
    says "'data' cannot be used in an included manifest"
    manifest <<<'{data: data/a.yaml, resources: [{include: "data/${1 + 0}a.yaml"}, {include: "${\"data\"}/a.yaml"}]}'
    run rhost validate site.yaml
    status_is 1
    says "'data/a.yaml' is a data file and cannot be included"
}

@test "a plan has the digests of data files" {
    needs_python
    site <<'END'
resources:
  - log: "${node.web.port}"
END
    rhost plan --out plan.json site.yaml
    run cat plan.json
    says 'data/common.yaml'
    says "data/os/$(family).yaml"
}

@test "a bundle has the data files of its site, and applies them" {
    [ -x "$abs_top_builddir/core/rhost-bundle" ] || skip "built without libcrypto"
    mkdir -p site/data
    manifest site/site.yaml <<END
data: data/\${node.os.family}.yaml
resources:
  - file: $work/made
    content: \${node.text}
END
    printf 'text: "from %s"\n' "$(family)" >"site/data/$(family).yaml"
    ssh-keygen -q -t ed25519 -N '' -C '' -f release
    echo "ops@example.org namespaces=\"rhost-*\" $(cat release.pub)" >signers
    state_open
    "$abs_top_builddir/rhost" bundle make site -o out --state-dir "$BATS_TEST_TMPDIR/state"
    "$abs_top_builddir/rhost" bundle sign out/r1.json --key=release
    rhost apply --signers=signers out/r1.json
    is "$(cat made)" "from $(family)"
}

#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
source "${abs_top_srcdir:-$BATS_TEST_DIRNAME/../..}/tests/cli/cli.bash"

site() {
    manifest <<END
resources:
  - link: $work/current
    target: www
    require: directory[$work/www]
  - directory: $work/www
    mode: 0755
  - file: $work/www/index.html
    content: "a \${b}\n"
    noop: false
END
    sed -i 's/\${b}/$${b}/' site.yaml
}

@test "compile prints the catalog: resources, the list in its order, and relations" {
    needs_python
    site
    rhost compile site.yaml >catalog.json
    json_is catalog.json 'sorted(d)' "['catalog', 'edges', 'list', 'resources', 'rhost']"
    json_is catalog.json '[t["resource"] for t in d["list"]]' \
        "['directory[$work/www]', 'link[$work/current]', 'file[$work/www/index.html]']"
    json_is catalog.json 'd["resources"][1]["attributes"]["mode"]' 0755
    json_is catalog.json 'd["resources"][1]["place"]' "{'file': 'site.yaml', 'line': 5, 'column': 5}"
    json_is catalog.json '[(e["from"], e["kind"]) for e in d["edges"] if not e["automatic"]]' \
        "[('directory[$work/www]', 'require')]"
}

@test "compile touches nothing" {
    site
    rhost compile site.yaml >/dev/null
    [ ! -e www ]
}

@test "what was compiled can be applied, and does the same" {
    site
    rhost compile site.yaml >catalog.json
    run rhost apply --detailed-exitcodes catalog.json
    status_is 2
    says '3 resources: 3 changed'
    [ "$(cat www/index.html)" = 'a ${b}' ]
    run rhost apply --detailed-exitcodes site.yaml
    status_is 0
    run rhost apply --detailed-exitcodes catalog.json
    status_is 0
}

@test "a compiled catalog keeps the places of its manifest" {
    site
    rhost compile site.yaml >catalog.json
    run rhost apply catalog.json
    says "directory[$work/www] site.yaml:5"
}

@test "compiling twice is compiling once" {
    site
    rhost compile site.yaml >one.json
    rhost compile one.json >two.json
    diff one.json two.json
}

@test "a sensitive value is not in it, and is missed when it is applied" {
    manifest <<END
resources:
  - file: $work/one
    content: hunter2
    sensitive: content
END
    rhost compile site.yaml >catalog.json
    not grep -q hunter2 catalog.json
    run rhost apply catalog.json
    status_is 1
    says "'content' is sensitive"
    [ ! -e one ]
}

@test "a manifest with errors is not compiled" {
    manifest <<END
resources:
  - fiel: /x
END
    split rhost compile site.yaml
    status_is 1
    is_empty out
    says "did you mean 'file'?"
}

@test "a catalog of another version is refused" {
    echo '{"catalog": 999, "resources": [], "list": []}' >catalog.json
    run rhost apply catalog.json
    status_is 1
    says 'compile it again with this rhost'
}

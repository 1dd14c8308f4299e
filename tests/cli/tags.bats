#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
source "${abs_top_srcdir:-$BATS_TEST_DIRNAME/../..}/tests/cli/cli.bash"

site() {
    manifest <<END
resources:
  - file: $work/one
    content: a
    tag: Web
  - file: $work/two
    content: b
    tag: [web, db::main]
    require: file[$work/one]
  - file: $work/three
    content: c
    require: file[$work/two]
  - log: hello
    tag: "1.0-rc:x"
END
}

@test "--tags applies what has one of them, and counts what is left out" {
    site
    run rhost apply --tags=web site.yaml
    status_is 0
    says '2 resources: 2 changed, 2 excluded'
    [ -e one ]
    [ -e two ]
    [ ! -e three ]
}

@test "what was left out is in no report but in its counts" {
    needs_python
    site
    rhost apply -q --report=report.json --tags=web site.yaml
    json_is report.json '[r["title"].split("/")[-1] for r in d["resources"]]' "['one', 'two']"
    json_is report.json 'd["counts"]["total"], d["counts"]["excluded"]' '(2, 2)'
}

@test "each option may hold several tags, be repeated, and be written in any case" {
    site
    run rhost apply --noop --tags=WEB,1.0-rc:x site.yaml
    says '3 resources:'
    run rhost apply --noop --tags=web --tags=1.0-rc:x site.yaml
    says '3 resources:'
}

@test "a type and a title are tags, and so is each part of a qualified one" {
    site
    run rhost apply --noop --tags=file site.yaml
    says '3 resources:'
    for tag in HELLO db::main main db; do
        run rhost apply --noop --tags=$tag site.yaml
        says '1 resource:'
    done
}

@test "--skip-tags goes before --tags" {
    site
    run rhost apply --noop --tags=web --skip-tags=db site.yaml
    says '1 resource: 1 would change, 3 excluded'
    run rhost apply --skip-tags=web site.yaml
    status_is 0
    says '2 resources: 1 ok, 1 changed, 2 excluded'
    [ ! -e one ]
    [ ! -e two ]
    [ -e three ]
}

@test "what is left out blocks nobody, and the order stays" {
    manifest <<END
resources:
  - file: $work/last
    content: z
    tag: web
    require: exec[middle]
  - exec: middle
    command: ["false"]
    require: file[$work/first]
  - file: $work/first
    content: a
    tag: web
END
    run rhost apply --tags=web site.yaml
    status_is 0
    [[ "$output" == *first*last* ]]
    says '2 resources: 2 changed, 1 excluded'
}

@test "a tag that nobody has is warned of, with what was meant" {
    site
    run rhost apply --noop --tags=wbe,web site.yaml
    status_is 0
    says "--tags: no resource has the tag 'wbe', ignoring it: did you mean 'web'?"
    says '2 resources:'
    run rhost apply --noop --skip-tags=nothing-like-it site.yaml
    says "--skip-tags: no resource has the tag 'nothing-like-it', ignoring it"
    run rhost apply --tags=nothing-like-it site.yaml
    status_is 0
    says '0 resources: 4 excluded'
    [ ! -e one ]
}

@test "what is not a tag is refused, in a manifest and in an option" {
    manifest <<'END'
resources:
  - log: a
    tag: [fine, "not fine", -x, ""]
  - log: b
    tag: {a: b}
END
    run rhost validate site.yaml
    status_is 1
    says "site.yaml:3:17: error: 'not fine' is not a valid tag"
    says "'-x' is not a valid tag"
    says "expected a tag, or a list of tags"
    says '4 errors'
    for bad in '' ',' 'a,' 'a b' '-x'; do
        run rhost apply --tags="$bad" site.yaml
        status_is 1
        says "for --tags: expected tags with commas between"
    done
}

@test "tags survive being compiled" {
    needs_python
    site
    rhost compile site.yaml >catalog.json
    json_is catalog.json '[r.get("tag") for r in d["resources"]]' \
        "[['web'], ['web', 'db::main'], None, ['1.0-rc:x']]"
    run rhost apply --tags=web catalog.json
    says '2 resources: 2 changed, 2 excluded'
}

@test "--only and --tags together leave what both leave" {
    site
    run rhost apply --tags=web --only="file[$work/two]" --only='log[hello]' site.yaml
    status_is 0
    says '1 resource: 1 changed, 3 excluded'
    [ ! -e one ]
    [ -e two ]
}

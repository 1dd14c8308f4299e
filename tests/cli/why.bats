#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# rhost why: where a resource and each of its values come from.
source "${abs_top_srcdir:-$BATS_TEST_DIRNAME/../..}/tests/cli/cli.bash"

site() {
    manifest base.yaml <<'END'
attributes:
  default: {web: {port: 80, name: base}}
END
    manifest <<END
attributes:
  override: {web: {port: 8080}}
defaults:
  file: {owner: root, mode: "\${node.mode}"}
resources:
  - include: base.yaml
  - file: $work/a
    content: "\${node.web.name}:\${node.web.port}\n"
    tag: [x]
  - edit: file[$work/a]
    mode: 0600
  - define: page
    parameters: {text: String}
    resources:
      - file: $work/\${title}
        content: "\${text}"
        require: file[$work/a]
        notify: exec[reload]
  - page: p
    text: hello
  - exec: reload
    command: ["true"]
    action: nothing
END
}

@test "each value is shown with where it is written: entry, default, edit, title, type" {
    needs_python
    site
    sed -i 's/base}}/base}, mode: "0640"}/' base.yaml
    rhost why "file[$work/a]" site.yaml >out
    grep -q "^file\[$work/a\]  site.yaml:7$" out
    grep -qE '^  content +"base:8080\\n" +site.yaml:8$' out
    grep -qE '^  mode +"0600" +edited at site.yaml:11$' out
    grep -qE '^  owner +"root" +default at site.yaml:4$' out
    grep -qE '^  path +.* +the title$' out
    grep -qE '^  ensure +"present" +default of the type$' out
    rhost why --format=json "file[$work/p]" site.yaml >why.json
    json_is why.json '{a["name"]: (a["from"], a["value"], a.get("place", {}).get("line")) for a in d["attributes"]
        if a["name"] in ("mode", "owner", "content")}' \
        "{'content': ('entry', 'hello', 16), 'owner': ('default', 'root', 4), 'mode': ('default', '0640', 4)}"
    json_is why.json 'd["container"]["resource"], d["container"]["place"]["line"]' "('page[p]', 19)"
    # As 'rhost compile' says it.
    rhost compile site.yaml >catalog.json
    [ "$(json catalog.json '[sorted(r["defaults"]) for r in d["resources"] if r["title"] == "'"$work/p"'"]')" = \
        "[['mode', 'owner']]" ]
}

@test "an expression is shown, with the levels of what it reads" {
    needs_python
    site
    sed -i 's/base}}/base}, mode: "0640"}/' base.yaml
    rhost why "file[$work/a]" site.yaml >out
    grep -qF '= ${node.web.name}:${node.web.port}\n' out
    grep -qE '^ +node\.web\.port = 8080$' out
    grep -qE 'base\.yaml:2.*default.*80.*overridden by 2' out
    grep -qE 'site\.yaml:2.*override.*8080.*wins' out
    grep -qE '^ +node\.web\.name = "base"$' out
    run grep -qE '^ +node\.web = ' out # what lies above is no news
    status_is 1
    rhost why --format=json "file[$work/p]" site.yaml >why.json
    json_is why.json '[(a["written"], [n["path"] for n in a["node"]]) for a in d["attributes"] if a["name"] == "mode"]' \
        "[('\${node.mode}', [['mode']])]"
    # A template reads, too; and what a keyword says.
    echo 'port {{ node.web.port }}' >x.tmpl
    manifest t.yaml <<'END'
attributes: {default: {web: {port: 80}, tries: 3}}
resources: [{file: /x, template: x.tmpl, retries: "${node.tries}"}]
END
    rhost why --format=json 'file[/x]' t.yaml >why.json
    json_is why.json '[n["path"] for a in d["attributes"] if a["name"] == "content" for n in a["node"]]' "[['web', 'port']]"
    json_is why.json '[(k["value"], k["written"], len(k["node"])) for k in d["keywords"]]' "[(3, '\${node.tries}', 1)]"
}

@test "relations and notifications, in and out" {
    needs_python
    site
    sed -i 's/base}}/base}, mode: "0640"}/' base.yaml
    rhost why "file[$work/p]" site.yaml >out
    grep -qxF "  after file[$work/a]  require site.yaml:17" out
    grep -qxF '  before exec[reload]  notify site.yaml:18' out
    grep -qx '  notifies exec.reload.  .*' out
    rhost why --format=json 'exec[reload]' site.yaml >why.json
    json_is why.json '[n["resource"] for n in d["notified_by"]]' "['file[$work/p]']"
    json_is why.json '[(n["resource"], n["kind"], n["automatic"]) for n in d["after"]]' "[('file[$work/p]', 'notify', False)]"
}

@test "its last changes are those of the journals" {
    needs_python
    for mode in 0640 0600 0604; do
        echo "resources: [{file: $work/f, content: x, mode: $mode}, {file: $work/g}]" >site.yaml
        rhost apply site.yaml
    done
    rhost apply site.yaml
    rhost why --format=json "file[$work/f]" site.yaml >why.json
    json_is why.json '[[(c["attribute"], c["from"], c["to"]) for c in r["changes"]] for r in d["changes"]]' \
        "[[('mode', '0600', '0604')], [('mode', '0640', '0600')], [('ensure', 'absent', 'present')]]"
    rhost why "file[$work/f]" site.yaml >out
    grep -qE '^  [0-9TZ:.-]+  changed  mode "0600" to "0604"  run ' out
    for mode in 0640 0600 0604 0644; do
        echo "resources: [{file: $work/f, content: x, mode: $mode}]" >site.yaml
        rhost apply site.yaml
    done
    rhost why --format=json "file[$work/f]" site.yaml >why.json
    json_is why.json 'len(d["changes"])' 5
}

@test "secrets are not shown, nor how they are written" {
    echo hunter2-hunter2 >secret
    manifest <<'END'
attributes: {default: {pw: swordfish-swordfish}, sensitive: pw}
resources:
  - {file: /a, content: "${secret_file('secret')}"}
  - {file: /b, content: "x ${node.pw}"}
  - {file: /c, content: hunter3-hunter3, sensitive: content}
  - {file: /d, content: "hunter4-hunter4 ${1}", sensitive: content}
END
    for title in a b c d; do
        for format in text json; do
            run rhost why --format=$format "file[/$title]" site.yaml
            status_is 0
            says_not hunter2
            says_not swordfish
            says_not hunter3
            says_not hunter4
        done
    done
    run rhost why "file[/d]" site.yaml
    says '[redacted]'
}

@test "what is not there is said" {
    manifest <<'END'
resources:
  - {file: /a}
  - {file: /out, when: false}
END
    run rhost why 'file[/b]' site.yaml
    status_is 1
    says "'file[/b]' is not in the manifests"
    run rhost why 'file[/out]' site.yaml
    status_is 1
    says "'file[/out]' is excluded by the 'when' at site.yaml:3"
    run rhost why 'file /a' site.yaml
    status_is 1
    says "'file /a' is not a resource"
    run rhost why 'file[/a]'
    status_is 1
    says 'no manifest given'
    run rhost why
    status_is 1
    says 'no resource given'
    run rhost explain 'file[/a]'
    status_is 1
    says 'rhost why REF FILE'
}

@test "a compiled catalog says what it knows" {
    needs_python
    echo 'defaults: {file: {mode: 0644}}' >site.yaml
    echo 'resources: [{file: /a, owner: root}]' >>site.yaml
    rhost compile site.yaml >catalog.json
    rhost why --format=json 'file[/a]' catalog.json >why.json
    json_is why.json '[(a["value"], a.get("from")) for a in d["attributes"] if a["name"] in ("mode", "owner")]' \
        "[('root', None), ('0644', 'default')]"
}

@test "an expression is followed into the parameters of definitions" {
    needs_python
    manifest <<'END'
attributes:
  override: {web: {port: 8080}}
resources:
  - define: page
    parameters: {text: String, other: {type: String, default: x}, key: {type: 'Sensitive[String]', default: hush-hush}}
    resources:
      - file: /nowhere/${title}
        content: "${text} ${upper(other)} 'key'"
      - file: /nowhere/secret
        content: "${key}"
  - define: outer
    parameters: {greeting: String}
    resources:
      - page: p
        text: "${greeting}!"
  - outer: o
    greeting: "hello ${node.web.port}"
END
    rhost why 'file[/nowhere/p]' site.yaml >out
    grep -qE '^ +text +"hello 8080!" +site.yaml:15$' out
    grep -qE '^ +greeting +"hello 8080" +site.yaml:17$' out
    grep -qE '^ +node.web.port = 8080$' out
    grep -qE '^ +other +"x" +default of the type$' out
    run grep -E '^ +key ' out # it stands in a text
    status_is 1
    rhost why --format=json 'file[/nowhere/p]' site.yaml >why.json
    json_is why.json '[a for a in d["attributes"] if a["name"] == "content"][0]["parameters"][0]["parameters"][0]["name"]' greeting
    run rhost why 'file[/nowhere/secret]' site.yaml
    status_is 0
    says_not hush-hush
}

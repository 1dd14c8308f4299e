#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# defaults: what the resources of a type have unless they say otherwise; and keys that begin with x-.
source "${abs_top_srcdir:-$BATS_TEST_DIRNAME/../..}/tests/cli/cli.bash"

# What the catalog has of a resource's attribute or keyword: value TYPE TITLE NAME
value() {
    rhost compile site.yaml >catalog.json
    json catalog.json '[r["attributes"].get("'"$3"'", r.get("'"$3"'")) for r in d["resources"]
        if r["type"] == "'"$1"'" and r["title"] == "'"$2"'"][0]'
}

@test "keys that begin with x- are ignored" {
    needs_python
    mkdir roles
    manifest roles/web.yaml <<'END'
x-own: &own {mode: 0600}
defaults: {x-too: *own, file: *own}
resources:
  - {file: /w, x-note: mine}
END
    manifest <<'END'
x-base: &base {owner: root, mode: 0640}
roles: web
defaults:
  x-nosuch: {mdoe: 1}
  file: *base
  log: {x-y: z}
resources:
  - x-only: &only {text: hello}
  - x-first: 1
    file: /a
    x-last: [1, {a: b}]
  - type: file
    title: /b
    x-c: d
  - define: site
    x-a: 1
    resources: [{file: "/s/${title}"}]
  - {site: one, x-b: 1}
  - {declare: "file[/d]", x-b: 1}
  - {edit: "file[/a]", x-b: 1}
  - {trigger: "file[/a]", action: converge, x-b: 1}
  - {x-b: 1, resources: [{file: /g, x-b: 1}]}
END
    run rhost validate site.yaml
    status_is 0
    [ "$(value file /a mode)" = 0640 ]
    [ "$(value file /w mode)" = 0600 ]
    run rhost validate - <<'END'
y-base: 1
resources: [{file: /a, y-note: 1}]
END
    status_is 1
    says "unknown key 'y-base'"
    says "unknown attribute 'y-note'"
}

@test "attributes and words, in both forms of an entry, and of what is declared" {
    needs_python
    manifest <<'END'
resources:
  - {file: /a, mode: 0600}
  - {file: [/b, /c]}
  - {type: file, title: /d, attributes: {owner: daemon}, loglevel: debug}
  - {type: file, title: /e}
  - declare: file[/f]
  - declare: file[/g]
    attributes: {mode: 0644}
  - {exec: "true"}
  - {type: exec, title: "false", timeout: 5}
defaults:
  file: {owner: root, mode: 0640, tag: [all], loglevel: info}
  exec: {timeout: 60}
END
    [ "$(value file /a mode) $(value file /a owner) $(value file /a tag)" = "0600 root ['all']" ]
    [ "$(value file /b mode) $(value file /c mode)" = '0640 0640' ]
    [ "$(value file /d owner) $(value file /d mode) $(value file /d loglevel)" = 'daemon 0640 debug' ]
    [ "$(value file /e owner) $(value file /e loglevel)" = 'root info' ]
    [ "$(value file /f mode) $(value file /g mode) $(value file /g owner)" = '0640 0644 root' ]
    [ "$(value exec true timeout)" = 60 ]
    # In the long form the word is one thing, and the attribute of that name another.
    [ "$(json catalog.json '[(r["attributes"]["timeout"], r["timeout"]) for r in d["resources"]
        if r["title"] == "false"]')" = '[(60, 5.0)]' ]
    # What an edit says is said of one resource, which its entry has declared already.
    echo '  - {edit: "file[/a]", owner: null}' >edit
    sed -i '/^resources:/r edit' site.yaml
    [ "$(value file /a owner)" = None ]
}

@test "the nearest scope decides, and null takes back" {
    needs_python
    manifest <<'END'
defaults:
  file: {owner: root, mode: 0640, group: root, require: "file[/base]"}
resources:
  - {file: /base, require: null}
  - {file: /a, mode: null}
  - defaults: {file: {owner: daemon, group: null}}
    resources:
      - {file: /b}
      - {file: /c, owner: bin}
      - defaults: {file: {mode: 0600}}
        resources:
          - {file: /d}
          - {file: /e, owner: null}
END
    run rhost validate site.yaml
    status_is 0
    [ "$(value file /a mode)" = None ]
    [ "$(value file /b owner) $(value file /b group) $(value file /b mode)" = 'daemon None 0640' ]
    [ "$(value file /c owner)" = bin ]
    [ "$(value file /d owner) $(value file /d mode) $(value file /d require)" = "daemon 0600 ['file[/base]']" ]
    [ "$(value file /e owner)" = None ]
    # Where no scope says it, null is what it always was.
    run rhost validate - <<'END'
defaults: {link: {owner: root}}
resources: [{file: /a, owner: null}]
END
    status_is 1
}

@test "a definition has its own, and those of where it stands: not of where it is used" {
    needs_python
    manifest site.yaml <<'END'
defaults: {file: {owner: root}, page: {mode: 0644}}
resources:
  - define: page
    parameters: {mode: String, text: {type: String, default: x}}
    defaults: {file: {content: "${title} ${text}", mode: "${mode}"}}
    resources: [{file: "/p/${title}"}]
  - page: one
  - defaults: {file: {owner: daemon}, page: {text: y, mode: 0600}}
    resources: [{page: two}, {file: /f}]
END
    [ "$(value file /p/one owner) $(value file /p/one content) $(value file /p/one mode)" = 'root one x 0644' ]
    [ "$(value file /p/two owner) $(value file /p/two content) $(value file /p/two mode)" = 'root two y 0600' ]
    [ "$(value file /f owner)" = daemon ]
}

@test "they do not reach into included files, but those beside 'include' do" {
    needs_python
    manifest a.yaml <<'END'
resources: [{file: /a}, {include: c.yaml}]
END
    manifest b.yaml <<'END'
defaults: {file: {mode: 0604}}
resources: [{file: /b}]
END
    manifest c.yaml <<'END'
resources: [{file: /c}]
END
    manifest d.lua <<'END'
file "/d" {}
END
    manifest <<'END'
attributes: {default: {who: bin}}
defaults: {file: {owner: root, mode: 0640}}
resources:
  - include: [a.yaml, b.yaml, d.lua]
    defaults: {file: {owner: "${node.who}", mode: 0600}}
  - file: /s
END
    [ "$(value file /a owner) $(value file /a mode)" = 'bin 0600' ]
    [ "$(value file /b owner) $(value file /b mode)" = 'bin 0604' ]
    [ "$(value file /c owner)" = None ]
    [ "$(value file /d owner)" = bin ]
    [ "$(value file /s owner)" = root ]
    # A file that is included so is read as any other: its attributes are there from the start.
    manifest e.yaml <<'END'
attributes: {default: {early: yes-it-is}}
END
    manifest <<'END'
resources:
  - {log: "${node.early}"}
  - {include: e.yaml, defaults: {file: {mode: 0600}}}
END
    run rhost validate site.yaml
    status_is 0
}

@test "a role has its own, for its entries" {
    needs_python
    mkdir roles
    manifest roles/web.yaml <<'END'
roles: base
include: ../a.yaml
defaults: {file: {owner: daemon}}
resources: [{file: /w}]
END
    manifest roles/base.yaml <<'END'
resources: [{file: /b}]
END
    manifest a.yaml <<'END'
resources: [{file: /a}]
END
    manifest <<'END'
roles: web
defaults: {file: {owner: root}}
resources: [{file: /s}]
END
    [ "$(value file /w owner) $(value file /b owner) $(value file /a owner) $(value file /s owner)" = 'daemon None None root' ]
    mkdir environments
    echo 'defaults: {file: {owner: root}}' >environments/e.yaml
    run rhost validate --environment=e site.yaml
    status_is 1
}

@test "a recipe says them for what follows: in the file, or in a function of a definition" {
    needs_python
    manifest b.lua <<'END'
file "/b" {}
END
    manifest recipe.lua <<'END'
file "/before" {}
defaults { file = { owner = "root", mode = "0640", content = "${x}" } }
file "/a" { mode = "0600" }
define("page", { resources = function(self)
  defaults { file = { owner = "daemon" } }
  file("/p/" .. self.title) {}
  resource("file", "/q/" .. self.title) { attributes = { mode = "0604" } }
end })
page { "one", "two" } {}
defaults { file = { mode = "0644" } }
file "/c" {}
include "b.lua"
END
    echo 'resources: [{include: recipe.lua}, {file: /y}]' >site.yaml
    [ "$(value file /before owner)" = None ]
    [ "$(value file /a owner) $(value file /a mode) $(value file /a content)" = 'root 0600 ${x}' ]
    [ "$(value file /p/one owner) $(value file /p/one mode)" = 'daemon 0640' ]
    [ "$(value file /q/two owner) $(value file /q/two mode)" = 'daemon 0604' ]
    [ "$(value file /c owner) $(value file /c mode)" = 'root 0644' ]
    [ "$(value file /b owner) $(value file /y owner)" = 'None None' ]
    manifest bad.lua <<'END'
defaults { file = "x" }
END
    run rhost validate bad.lua
    status_is 1
    says "the defaults of 'file' must be a hash"
}

@test "expressions in them know the names of their scope, and are evaluated once" {
    needs_python
    manifest <<'END'
attributes: {default: {all: {a: [x, y], b: [z]}, mode: "0640"}}
defaults: {file: {mode: "${node.mode}", content: "a $${b} ${print('evaluated') or 1}"}}
resources:
  - for_each: ${node.all}
    defaults: {file: {content: "of ${each.key}"}}
    resources:
      - for_each: ${each.value}
        file: /g/${each.value}
  - {file: [/m, /n]}
END
    run rhost validate site.yaml
    status_is 0
    [ "$(grep -c evaluated <<<"$output")" = 1 ]
    [ "$(value file /g/y content 2>/dev/null) $(value file /g/z content 2>/dev/null)" = 'of a of b' ]
    [ "$(value file /m content 2>/dev/null) $(value file /n mode 2>/dev/null)" = 'a ${b} 1 0640' ]
}

@test "a template and the content are one thing" {
    needs_python
    echo 'made for {{ name }}' >x.tmpl
    manifest <<'END'
defaults: {file: {template: {file: x.tmpl, variables: {name: all}}}}
resources:
  - {file: /a}
  - {file: /b, content: own}
  - {type: file, title: /c, attributes: {content: own}}
  - {type: file, title: /d}
  - defaults: {file: {content: group}}
    resources: [{file: /e}, {file: /f, template: {file: x.tmpl, variables: {name: f}}}]
END
    run rhost validate site.yaml
    status_is 0
    [ "$(value file /a content)|$(value file /b content)|$(value file /c content)" = 'made for all|own|own' ]
    [ "$(value file /d content)|$(value file /e content)|$(value file /f content)" = 'made for all|group|made for f' ]
}

@test "the provider may be a default, and what is secret" {
    needs_python
    mkdir plugins
    cp "$abs_top_builddir"/tests/sdk/.libs/two-{left,right}.so plugins/
    manifest <<'END'
defaults: {two: {provider: right, right_only: yes-it-is}}
resources: [{two: /a}, {type: two, title: /b}, {declare: "two[/c]"}, {two: /d, provider: left}]
END
    rhost compile --plugin-dir plugins site.yaml >catalog.json
    [ "$(json catalog.json '[(r["provider"], r["attributes"].get("right_only")) for r in d["resources"]]')" = \
        "[('right', 'yes-it-is'), ('right', 'yes-it-is'), ('right', 'yes-it-is'), ('left', None)]" ]
    manifest <<'END'
defaults: {file: {sensitive: content}}
resources: [{file: /a, content: hunter2-hunter2, mode: [hunter2-hunter2]}]
END
    run rhost validate site.yaml
    status_is 1
    says_not hunter2
    manifest <<'END'
defaults: {file: {sensitive: content}}
resources: [{file: /a, content: hunter2-hunter2}]
END
    run rhost compile site.yaml
    status_is 0
    says_not hunter2
}

@test "what is wrong in a default is said at the default, with the entry, once" {
    manifest <<'END'
defaults:
  file: {mode: [1], owner: "${nosuch.x}", loglevel: loud, require: nonsense}
resources:
  - file: [/a, /b]
  - file: /c
  - {file: /d, mode: 0644}
END
    run rhost validate site.yaml
    status_is 1
    [ "$(grep -c 'site.yaml:2:[0-9]*: error' <<<"$output")" = 4 ]
    [ "$(grep -c 'error' <<<"$output")" = 5 ] # with the line that counts them
    says 'site.yaml:4:5: for this entry'
    says_not 'site.yaml:5'
}

@test "what names nothing is said once, used or not" {
    manifest <<'END'
defaults:
  fiel: {mode: 0644}
  file: {mdoe: 0644, when: true, path: /x}
  retries: {x: 1}
  link: [a]
  site: {txt: x}
resources:
  - {file: /a}
  - {file: /b}
  - {define: site, parameters: {text: {type: String, default: x}}}
  - defaults: [a]
    resources: [{file: /c}]
END
    run rhost validate site.yaml
    status_is 1
    says "unknown type 'fiel' in 'defaults'"
    says "did you mean 'file'?"
    says "unknown attribute 'mdoe' for type 'file'"
    says "did you mean 'mode'?"
    says "'when' cannot be a default"
    says "'path' is a part of the name of 'file' and cannot be a default"
    says "unknown type 'retries' in 'defaults'"
    says "the defaults of 'link' must be a hash, not a list"
    says "unknown attribute 'txt' for type 'site'"
    says "'defaults' must be a hash, not a list"
    [ "$(grep -c ': error: ' <<<"$output")" = 8 ]
    # Definitions of files that are included later are known.
    echo 'resources: [{define: page, parameters: {text: String}}]' >page.yaml
    manifest <<'END'
defaults: {page: {text: x}}
resources: [{include: page.yaml}, {page: one}]
END
    run rhost validate site.yaml
    status_is 0
    # Where a key does not belong, the message says where it does.
    run rhost validate - <<'END'
resources: [{file: /a, defaults: {file: {mode: 0644}}}]
END
    status_is 1
    says "unknown attribute 'defaults'"
    says 'at the top of the manifest'
}

@test "a relative source is beside the file that says the default" {
    needs_python
    mkdir sub
    echo x >sub/f
    echo 'resources: [{file: /x}]' >other.yaml
    manifest sub/a.yaml <<'END'
resources: [{include: ../other.yaml, defaults: {file: {source: f}}}]
END
    echo 'resources: [{include: sub/a.yaml}]' >site.yaml
    [ "$(value file /x source)" = "$PWD/sub/f" ]
}

@test "a merge key hints at them" {
    run rhost validate - <<'END'
x-a: &a {mode: 0644}
resources: [{file: /a, <<: *a}]
END
    status_is 1
    says "under 'defaults:'"
}

@test "a compiled catalog says which attributes are defaults, and where they stand" {
    needs_python
    manifest <<'END'
defaults:
  file: {owner: root, mode: 0640, tag: x}
resources:
  - {file: /a, mode: 0600}
  - {edit: "file[/a]", owner: daemon}
  - {file: /b}
END
    rhost compile site.yaml >catalog.json
    [ "$(json catalog.json '[sorted(r.get("defaults", {})) for r in d["resources"]]')" = "[['tag'], ['mode', 'owner', 'tag']]" ]
    json_is catalog.json 'd["resources"][1]["defaults"]["mode"]' "{'file': 'site.yaml', 'line': 2, 'column': 23}"
    rhost compile catalog.json >again.json
    cmp catalog.json again.json
}

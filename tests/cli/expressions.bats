#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# ${...} in the values of a manifest.
source "${abs_top_srcdir:-$BATS_TEST_DIRNAME/../..}/tests/cli/cli.bash"

# The attribute of the resource with this title, in the catalog of site.yaml, as JSON.
attribute() {
    needs_python
    rhost compile site.yaml >catalog.json || return
    python3 - "$1" "$2" <<'END'
import json, sys

with open("catalog.json") as f:
    found = [r for r in json.load(f)["resources"] if r["title"] == sys.argv[1]]
print(json.dumps(found[0]["attributes"].get(sys.argv[2])))
END
}

attribute_is() {
    local got

    got=$(attribute "$1" "$2") || return
    [ "$got" = "$3" ] && return
    echo "$2 of $1 is $got, expected $3"
    return 1
}

# A definition whose parameters take anything.
anything() {
    cat <<'END'
  - define: anything
    parameters: {v: Any}
END
}

@test "one expression keeps the type that it has, and text with others is text" {
    manifest <<END
resources:
$(anything)
  - anything: integer
    v: \${1 + 2}
  - anything: text
    v: "\${1 + 2}"
  - anything: mixed
    v: a \${1 + 2}, \${1.5}, \${true}
  - anything: boolean
    v: \${1 < 2}
  - anything: list
    v: \${ {1, "b", {c = 3}} }
  - anything: nested
    v: {x: ["\${2 * 2}", {y: "\${'z'}"}]}
  - anything: nil
    v: \${nil}
  - anything: literal
    v: \$\${x} \${"\$" .. "{y}"}
END
    attribute_is integer v 3
    attribute_is text v 3
    attribute_is mixed v '"a 3, 1.5, true"'
    attribute_is boolean v true
    attribute_is list v '[1, "b", {"c": 3}]'
    attribute_is nested v '{"x": [4, {"y": "z"}]}'
    attribute_is nil v null
    attribute_is literal v '"${x} ${y}"'
}

@test "text that comes out of an expression is not read again: neither as a number nor as an expression" {
    manifest <<END
resources:
$(anything)
  - define: pass
    parameters: {v: Any}
    resources:
      - anything: "\${title}"
        v: \${v}
  - pass: number
    v: "0644"
  - pass: word
    v: "no"
  - pass: dollar
    v: "\$\${title}"
END
    attribute_is number v '"0644"'
    attribute_is word v '"no"'
    attribute_is dollar v '"${title}"'
}

@test "titles, references, keywords and actions may have expressions" {
    manifest <<END
resources:
  - define: pair
    parameters: {names: "Array[String]", act: String}
    resources:
      - file: \${map(names, function(n) return "$work/" .. n end)}
        content: x
        tag: ["\${title}-tag"]
      - exec: "run \${title}"
        command: [touch, "$work/ran"]
        require: "file[$work/\${names[1]}]"
        action: \${act}
      - trigger: exec[run \${title}]
        action: run
  - pair: p
    names: [a, b]
    act: nothing
END
    run rhost apply site.yaml
    status_is 0
    [ -e a ]
    [ -e b ]
    [ -e ran ]
    run rhost graph site.yaml
    says "exec[run p]"
}

@test "what is wrong is said at its line and column, also in texts of several lines" {
    manifest <<'END'
resources:
  - log: "a\t${one.x}"
  - log: |
      first
        ${two.x}
  - log: >-
      folded
      text

      and ${three.x}
  - log: 'it''s ${four.x}'
  - log: plain
      text ${five.x}
  - log: "folded \
      text ${six.x}"
  - log: é ${seven.x}
  - log: ${1 + }
  - log: a ${nil} b
  - log: a ${ {} } b
  - log: "${'a"
END
    run rhost validate site.yaml
    status_is 1
    says "site.yaml:2:16: error: unknown name 'one'"
    says "site.yaml:5:11: error: unknown name 'two'"
    says "site.yaml:10:13: error: unknown name 'three'"
    says "site.yaml:11:19: error: unknown name 'four'"
    says "site.yaml:13:14: error: unknown name 'five'"
    says "site.yaml:15:14: error: unknown name 'six'"
    says "site.yaml:16:14: error: unknown name 'seven'"
    says "site.yaml:17:"
    says "site.yaml:18:14: error: cannot insert nil into text"
    says "site.yaml:19:14: error: cannot insert a hash into text"
    says "site.yaml:20:11: error: missing '}' after '\${'"
    says "a literal '\${' is written '\$\${'"
}

@test "a name that is not known is said, with the one that was meant" {
    manifest <<'END'
resources:
  - define: d
    parameters: {content: String}
    resources:
      - log: ${contnet}
  - d: x
    content: y
END
    run rhost validate site.yaml
    status_is 1
    says "site.yaml:5:16: error: unknown name 'contnet'"
    says "did you mean 'content'?"
    says 'site.yaml:6:5: for the instance declared here'
}

@test "instances within instances are all named" {
    manifest <<'END'
resources:
  - define: inner
    resources:
      - log: ${nothing.x}
  - define: outer
    resources:
      - inner: i
  - outer: o
END
    run rhost validate site.yaml
    status_is 1
    says 'site.yaml:7:9: for the instance declared here'
    says 'site.yaml:8:5: for the instance declared here'
    says '1 error'
}

@test "an expression that does not end is ended" {
    manifest <<'END'
resources:
  - log: ${(function() while true do end end)()}
  - log: ${string.rep("x", 1e12)}
END
    run rhost validate site.yaml
    status_is 1
    says 'site.yaml:2:'
    says 'site.yaml:3:'
    says '2 errors'
}

@test "the result must fit the attribute, and is named at the expression's place" {
    manifest <<END
resources:
  - file: $work/a
    content: x
    mode: \${{}}
END
    run rhost validate site.yaml
    status_is 1
    says 'site.yaml:4:11: error: file'
}

@test "an edit that comes before what it edits knows its parameters" {
    manifest <<END
resources:
  - define: early
    parameters: {text: String}
    resources:
      - edit: "file[$work/a]"
        content: \${text}
  - early: e
    text: edited
  - file: $work/a
    content: plain
END
    run rhost apply site.yaml
    status_is 0
    [ "$(cat a)" = edited ]
}

@test "a manifest in JSON has them as well, with surrogate pairs before them" {
    printf '{"resources": [{"log": "\\ud83d\\ude00 ${x.y}"}]}\n' >site.json
    run rhost validate site.json
    status_is 1
    says "unknown name 'x'"
}

@test "a thousand mistakes take no longer than a hundred" {
    {
        echo 'resources:'
        for i in $(seq 3000); do printf '  - log: "%d ${x.y}"\n' "$i"; done
    } >site.yaml
    run timeout 20 "$abs_top_builddir/rhost" validate site.yaml
    status_is 1
    says '3000 errors'
}

@test "an absolute path of a secret is read wherever it is, when nobody else could have written it" {
    mkdir site elsewhere
    printf 'correct horse\n' >elsewhere/pw
    chmod 600 elsewhere/pw
    cat >site/site.yaml <<END
resources:
  - file: $work/made
    content: \${secret_file("$work/elsewhere/pw")}
END
    run rhost apply site/site.yaml
    status_is 0
    [ "$(cat made)" = 'correct horse' ]
    says_not 'correct horse'

    ln -s elsewhere/pw link
    sed 's,/elsewhere/pw,/link,' site/site.yaml >site/link.yaml
    run rhost validate site/link.yaml
    status_is 0

    sed "s,$work/elsewhere/pw,../elsewhere/pw," site/site.yaml >site/relative.yaml
    run rhost validate site/relative.yaml
    status_is 1
    says 'outside of the manifest'

    for mode in 620 602; do
        chmod "$mode" elsewhere/pw
        run rhost validate site/site.yaml
        status_is 1
        says "pw' as a secret: group or others can write to it"
    done
    chmod 600 elsewhere/pw
    sed 's,secret_file,file,' site/site.yaml >site/file.yaml
    run rhost validate site/file.yaml
    status_is 1
    says 'outside of the manifest'
    sed "s,$work/elsewhere/pw,/dev/zero," site/site.yaml >site/device.yaml
    run rhost validate site/device.yaml
    status_is 1
    says "'/dev/zero' is a special file, not a regular file"
}

@test "a secret that another user owns is not read" {
    [ "$(id -u)" = 0 ] || skip 'only root gives files away'
    printf 'correct horse\n' >pw
    chmod 600 pw
    chown 12345 pw
    manifest <<END
resources:
  - file: $work/made
    content: \${secret_file("$work/pw")}
END
    run rhost validate site.yaml
    status_is 1
    says 'as a secret: another user owns it'
}

@test "what is not a file is not waited for, nor is one read that is too large, also outside" {
    mkdir site
    mkfifo pipe
    truncate -s 900G sparse
    for name in pipe sparse; do
        cat >site/site.yaml <<END
resources:
  - file: $work/made
    content: \${file("../$name")}
END
        run timeout 20 "${RHOST:-$abs_top_builddir/rhost}" validate --allow-outside site/site.yaml
        status_is 1
        says "$name' is "
    done
}

@test "what was looked for by a secret is not told" {
    printf 'hunter2\n' >pw
    cat >site.yaml <<'END'
attributes:
  default: {users: {hunter: 1, HUNTER: {a: 1}}}
resources:
  - file: /tmp/a
    content: "x ${node.users[secret_file('pw')]}"
  - file: /tmp/b
    content: "x ${node.users[upper(secret_file('pw'))]}"
  - file: /tmp/c
    content: ${node.users[secret_file('pw')]}
  - file: /tmp/d
    when: ${node.users[secret_file('pw')] == 1}
  - file: /tmp/e
    content: ${node.users[upper(sub(secret_file('pw'), 1, 6))].x.y}
END
    sed -i 's/sub(/string.sub(/' site.yaml
    run rhost validate site.yaml
    status_is 1
    says_not hunter2
    says_not HUNTER2
    says_not users.HUNTER
}

@test "the names within something sensitive are not suggested" {
    cat >site.yaml <<'END'
attributes:
  sensitive: [users]
  default: {users: {hunter2: {a: 1}}}
resources:
  - file: /tmp/a
    content: "x ${node.users.hunter}"
  - file: /tmp/b
    content: "x ${node.users.hunter.a}"
END
    run rhost validate site.yaml
    status_is 1
    says_not "'hunter2'"
}

@test "an attribute that does not exist is refused wherever it is read, and drops nothing" {
    manifest page.tmpl <<<'<p>{{ node.web.contents }}</p>'
    manifest site.lua <<<'file "/srv/five" { content = node.web.contnet }'
    cat >site.yaml <<'END_OF_SITE'
attributes:
  default: {web: {mode: "0600", content: a}}
resources:
  - file: /srv/one
    mode: ${node.web.mdoe}
  - file: /srv/two
    content: "x ${node.web.contents} y"
  - file: /srv/three
    content: a
    when: node.enviroment == "x"
  - file: /srv/four
    template: page.tmpl
  - for_each: {a: {mode: "0644"}}
    file: /srv/${each.key}
    mode: ${each.value.mdoe}
  - include: site.lua
END_OF_SITE
    run rhost validate site.yaml
    status_is 1
    says "site.yaml:5:22: error: unknown attribute 'mdoe': node.web.mdoe does not exist"
    says "= did you mean 'mode'?"
    says "site.yaml:7:28: error: unknown attribute 'contents': node.web.contents does not exist"
    says "site.yaml:10:16: error: unknown attribute 'enviroment': node.enviroment does not exist"
    says "= did you mean 'environment'?"
    says "page.tmpl:1:16: error: unknown attribute 'contents'"
    says "site.yaml:15:24: error: unknown attribute 'mdoe': each.value.mdoe does not exist"
    says "site.lua:1:39: error: unknown attribute 'contnet': node.web.contnet does not exist"
    says '6 errors'
}

@test "'not a == b' is refused, since it compares a boolean" {
    cat >site.yaml <<'END_OF_SITE'
resources:
  - log: a
    when: not node.os.family == "x"
  - log: b
    when: not (node.os.family == "x") and "not a == b" ~= 'not' and not exists(node.nothing)
END_OF_SITE
    run rhost validate site.yaml
    status_is 1
    says "site.yaml:3:11: error: 'not' applies to the operand after it alone: write a ~= b, or not (a == b)"
    says '1 error;'
}

@test "an attribute that may be missing has three ways to say so" {
    cat >site.yaml <<'END_OF_SITE'
attributes:
  default: {web: {mode: "0600"}}
resources:
  - log: "${default(node.web.a.b, 'one')} ${node.web.a or 'two'} ${exists(node.web.a)} ${exists(node.web.mode)}"
  - log: skipped
    when: exists(node.nothing) or default(node.web.on, false)
END_OF_SITE
    rhost compile site.yaml >catalog.json
    json_is catalog.json '[r["title"] for r in d["resources"]]' "['one two false true']"
}

@test "an attribute may be missing wherever an operand of 'or' and the two functions may stand" {
    cat >site.lua <<'END_OF_SITE'
local list = { y = 3 }
local function choose() if false then return 1 elseif node.missing.x or true then return "elseif" end end
log("concat " .. default(node.missing.x, "other")) {}
log(choose()) {}
log("index " .. list[node.missing.x or "y"]) {}
log("within " .. (list[default(node.missing.x, "y")] or 6)) {}
repeat local done = true until node.missing.x or done
END_OF_SITE
    rhost compile site.lua >catalog.json
    json_is catalog.json '[r["title"] for r in d["resources"]]' "['concat other', 'elseif', 'index 3', 'within 3']"
}

@test "a script's own names 'default' and 'exists' are its own" {
    cat >site.lua <<'END_OF_SITE'
local function port(options, default) return options.port or default end
local function exists(...) return select("#", ...) .. type(...) end
log("parameter " .. port({}, 80) .. default(node.missing.x, 81)) {}
log("function " .. exists(5) .. exists(nil, 2)) {}
END_OF_SITE
    cat >site.yaml <<'END_OF_SITE'
resources:
  - include: site.lua
  - define: server
    parameters: {default: Integer}
    resources:
      - log: "server ${node.missing.port or default}"
  - server: s
    default: 82
END_OF_SITE
    rhost compile site.yaml >catalog.json
    json_is catalog.json '[r["title"] for r in d["resources"]]' \
        "['parameter 8081', 'function 1number2nil', 's', 'server 82']"
}

@test "arguments of a function that takes any number stay what they are within default() and before 'or'" {
    cat >site.lua <<'END_OF_SITE'
local list = { a = "first" }
local function f(...) return default(..., 3), list[...] or "other" end
local a, b = f("a")
log(a .. " " .. b) {}
END_OF_SITE
    rhost compile site.lua >catalog.json
    json_is catalog.json '[r["title"] for r in d["resources"]]' "['a first']"
}

@test "pcall catches what is missing as an error within default() too" {
    cat >site.lua <<'END_OF_SITE'
local why = default(select(2, pcall(function() return node.missing.x end)), "nothing")
log(type(why)) {}
END_OF_SITE
    rhost compile site.lua >catalog.json
    json_is catalog.json '[r["title"] for r in d["resources"]]' "['string']"
}

@test "a script with very many brackets within one another is refused at once" {
    for part in "a.b[c or " "not t["; do
        { printf 'local x = '; yes "$part" | head -n 100000 | tr -d '\n'; } >site.lua
        SECONDS=0
        run rhost validate site.lua
        status_is 1
        says "is nested too deeply"
        # Guarded blocks, as the builds of mutants have them, take their time.
        [ "$SECONDS" -lt $((${RHOST_MUTANTS:-0} ? 200 : 20)) ]
    done
}

#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# results: values that flow from one resource to the next during a run.
source "${abs_top_srcdir:-$BATS_TEST_DIRNAME/../..}/tests/cli/cli.bash"

# A command that makes a key, once, and two files that use it.
key_site() {
    manifest <<END
resources:
  - file: $work/key
    content: \${result("exec[make a key]").stdout}
    mode: "0600"
  - file: $work/sum
    content: "sum \${result('file', '$work/key').checksum}\n"
  - exec: make a key
    command: [sh, -c, "echo ${1-a-key-of-ours}; echo to-stderr >&2"]
    creates: $work/key
    capture: ${2-text}
END
}

@test "a value flows from a command to a file, and from there to the next" {
    key_site
    run rhost apply site.yaml
    status_is 0
    says '3 resources: 3 changed'
    [ "$(cat key)" = a-key-of-ours ]
    [ "$(cat sum)" = "sum $(sha256sum <key | cut -d ' ' -f 1)" ]
    run rhost apply site.yaml
    status_is 0
    says '3 resources: 3 ok'
    rm sum
    run rhost apply site.yaml
    says '3 resources: 2 ok, 1 changed'
    [ "$(cat sum)" = "sum $(sha256sum <key | cut -d ' ' -f 1)" ]
}

@test "a dry run shows what is known after something else, and nothing unknown of what is in sync" {
    needs_python
    key_site
    run rhost apply --noop site.yaml
    status_is 0
    says 'content (known after exec[make a key])'
    says "content (known after file[$work/key])"
    says 'mode 0600'
    says '3 resources: 3 would change'
    [ ! -e key ]
    [ ! -e sum ]
    split rhost apply --noop --format=json --report-html=page.html site.yaml
    status_is 0
    json_is out 'd["resources"][1]["changes"][-1]["to"]' '(known after exec[make a key])'
    json_is out 'd["resources"][1]["changes"][-1]["known_after"]' 'exec[make a key]'
    grep -qF '(known after exec[make a key])' page.html
    rhost apply site.yaml
    run rhost apply --noop site.yaml
    status_is 0
    says '3 resources: 3 ok'
    says_not 'known after'
    # What is known of a resource is compared.
    chmod 0644 key
    sed -i 's/creates: .*/creates: \/nonexistent/' site.yaml
    run rhost apply --noop site.yaml
    says 'mode 0644 → 0600'
    says 'content (known after exec[make a key])'
    chmod 0600 key
    run rhost apply --noop site.yaml
    says "file[$work/key] site.yaml:2"
    says 'content (known after exec[make a key])'
    says '1 would change, 2 unknown'
}

@test "a result has what the command printed, its errors and its status" {
    manifest <<END
resources:
  - exec: talk
    command: [sh, -c, "printf 'out 1\n'; printf 'err 2' >&2; exit 7"]
    returns: [7]
    capture: text
  - file: $work/all
    content: |
      \${result("exec[talk]").stdout}|\${result("exec[talk]").stderr}|\${result("exec[talk]").exit_code}
      \${result("exec[talk]").changed} \${result("exec[talk]").status} \${result("exec", "talk").name}
END
    run rhost apply site.yaml
    status_is 0
    printf 'out 1\n|err 2|7\ntrue changed talk\n' | cmp - all
    # A command that was not needed has printed nothing.
    manifest <<END
resources:
  - exec: talk
    command: "echo hi"
    not_if: "true"
    capture: text
  - file: $work/all
    content: "[\${default(result('exec[talk]').stdout, 'none')}] \${result('exec[talk]').changed} \${result('exec[talk]').status}"
  - file: $work/left
    content: \${result("exec[talk]").stdout}
END
    echo mine >left
    run rhost apply site.yaml
    status_is 0
    [ "$(cat all)" = '[none] false unchanged' ]
    [ "$(cat left)" = mine ]
}

@test "output that is captured is whole or a failure, and binary data where it is no text" {
    manifest <<END
resources:
  - exec: bytes
    command: [printf, "\\\\377\\\\000x"]
    capture: text
  - file: $work/bytes
    content: \${result("exec[bytes]").stdout}
  - exec: exact
    command: [printf, "0123456789"]
    output_limit: 10
    capture: text
  - file: $work/exact
    content: \${result("exec[exact]").stdout}
END
    run rhost apply site.yaml
    status_is 0
    printf '\377\000x' | cmp - bytes
    [ "$(cat exact)" = 0123456789 ]
    sed -i 's/output_limit: 10/output_limit: 9/' site.yaml
    echo before >exact
    run rhost apply site.yaml
    status_is 4
    says 'output_limit: the command printed more than 9 bytes, and its output is to be captured'
    says "depends on exec[exact], which failed"
    [ "$(cat exact)" = before ]
    # A result has texts of up to 1 MiB.
    manifest <<END
resources:
  - exec: large
    command: [sh, -c, "head -c \$SIZE /dev/zero | tr '\\\\0' x"]
    environment: {SIZE: "1048576"}
    output_limit: 16777216
    capture: text
  - file: $work/large
    content: \${result("exec[large]").stdout}
END
    run rhost apply site.yaml
    status_is 0
    [ "$(wc -c <large)" -eq 1048576 ]
    sed -i 's/1048576/1048577/' site.yaml
    run rhost apply site.yaml
    status_is 4
    says "'content' is not known: the result of exec[large] could not be read, or is larger than 1 MiB"
    [ "$(wc -c <large)" -eq 1048576 ]
}

@test "a secret that a command printed is shown nowhere, and stays one wherever it goes" {
    key_site x sensitive
    echo hush-this-secret >source
    sed -i "s|echo x; echo to-stderr|cat $work/source; cat $work/source|" site.yaml
    cat >>site.yaml <<END
  - exec: tell
    command: [sh, -c, 'echo got "\$1"', sh, "\${result('exec[make a key]').stdout}"]
    creates: $work/told
    capture: text
  - file: $work/told
    content: \${result("exec[tell]").stdout}
END
    run rhost apply -vv --diff --report=report.json --report-html=report.html site.yaml
    status_is 0
    says_not hush-this
    [ "$(cat key)" = hush-this-secret ]
    grep -q 'got hush-this-secret' told
    run grep -rl hush-this "$BATS_TEST_TMPDIR/state" report.json report.html
    status_is 1
    # Nor in the message of an expression that fails.
    sed -i 's/creates: .*/creates: \/nonexistent/
        s/{result("exec\[make a key\]").stdout}/{result("exec[make a key]").stdout + 1}/' site.yaml
    run rhost apply -vv --diff --report=report.json site.yaml
    status_is 4
    says "file[$work/key]"
    says_not hush-this
    run grep -rl hush-this "$BATS_TEST_TMPDIR/state" report.json
    status_is 1
}

@test "templates and conditions use results" {
    echo 'key={{ trim(result("exec[make]").stdout) }} {{ extra }}' >x.tmpl
    manifest <<END
resources:
  - exec: make
    command: [sh, -c, "echo 3.1; touch done"]
    cwd: $work
    creates: $work/done
    capture: text
  - file: $work/x
    template: {file: x.tmpl, variables: {extra: "\${result('exec[make]').exit_code + 1}"}}
    when: result("exec[make]").changed
  - file: $work/new
    content: new
    when: result("exec[make]").changed and trim(result("exec[make]").stdout) == "3.1"
  - file: $work/never
    content: never
    when: not result("exec[make]").changed
END
    run rhost apply --noop site.yaml
    status_is 0
    says "content (known after exec[make])"
    says "whether it is wanted is known after exec[make]"
    run rhost apply -v site.yaml
    status_is 0
    [ "$(cat x)" = 'key=3.1 1' ]
    [ -e new ]
    [ ! -e never ]
    says "file[$work/never] site.yaml:13 excluded by 'when'"
    run rhost apply site.yaml
    status_is 0
    [ -e never ]
    says '1 changed, 2 excluded'
}

@test "what does not fit fails its resource before its provider is called" {
    manifest <<END
resources:
  - exec: talk
    command: [echo, "rwxrwxrwx"]
    capture: text
  - file: $work/x
    content: x
    mode: \${trim(result("exec[talk]").stdout)}
  - file: $work/y
    content: \${result("exec[talk]").stdout.x.y}
  - file: $work/z
    content: z
    when: result("exec[talk]").stdout
  - file: $work/fine
    content: fine
END
    run rhost apply site.yaml
    status_is 4
    says "file[$work/x] site.yaml:5"
    says "file[$work/x].mode"
    says "'when' must be a boolean, not a string"
    says '2 changed, 3 failed'
    [ ! -e x ]
    [ ! -e y ]
    [ ! -e z ]
    [ -e fine ]
}

@test "what must be known before the run cannot use a result" {
    manifest <<END
attributes:
  default: {a: "\${result('exec[e]').stdout}"}
resources:
  - exec: e
    command: "true"
    capture: text
  - log: \${result("exec[e]").stdout}
  - log: b
    for_each: \${list {result("exec[e]").stdout}}
  - log: c
    require: \${result("exec[e]").stdout}
  - type: \${result("exec[e]").stdout}
    title: d
  - log: f
    tag: \${result("exec[e]").stdout}
  - edit: log[c]
    when: result("exec[e]").changed
    message: x
END
    run rhost apply site.yaml
    status_is 1
    for line in 2 7 9 11 12 15; do
        says "site.yaml:$line:"
    done
    [ "$(grep -c "a result is known only after exec\[e\] was applied: only attributes, templates, 'when' and guards can use it" <<<"$output")" -eq 6 ]
    says "the 'when' of 'edit' must be known before the run, and it uses a result"
}

@test "mistakes in a reference are found before the run" {
    manifest <<END
resources:
  - exec: e
    command: "touch $work/ran"
  - log: a
    message: \${result("exec[nope]").changed}
  - log: b
    message: \${result("exec[e]").exit_cod}
  - log: c
    message: \${result("exec[e]").stdout}
  - log: d
    message: \${result("exec[e]").command}
  - log: f
    message: \${result("exec").changed}
END
    run rhost apply site.yaml
    status_is 1
    says 'log[a]: result names exec[nope], which is not in the manifest'
    says "the result of exec[e] has no attribute 'exit_cod'"
    says "did you mean 'exit_code'?"
    says "exec[e] does not capture its output, so its result lacks 'stdout'"
    says "add 'capture: text' or 'capture: sensitive' to it"
    says "the result of exec[e] has no attribute 'command'"
    says "expected a reference to a resource"
    [ ! -e ran ]
    manifest <<END
resources:
  - log: a
    message: \${result("log[b]").status}
  - log: b
    message: \${result("log[a]").status}
END
    run rhost apply site.yaml
    status_is 1
    says 'cycle'
    says 'log[a]'
    manifest <<END
resources:
  - log: a
    message: \${result("log[a]").status}
END
    run rhost apply site.yaml
    status_is 1
    says 'cycle'
}

@test "a producer that failed or is left out is the reason why its consumers are" {
    manifest <<END
resources:
  - exec: fails
    command: "false"
    capture: text
  - file: $work/x
    content: \${result("exec[fails]").stdout}
  - file: $work/y
    content: \${result("file[$work/x]").checksum}
END
    run rhost apply site.yaml
    status_is 4
    says 'skipped: depends on exec[fails], which failed'
    says "skipped: depends on file[$work/x], which was skipped"
    [ ! -e x ]
    [ ! -e y ]
    # Ignored, it is a result too.
    manifest <<END
resources:
  - exec: fails
    command: [sh, -c, "echo no; exit 3"]
    capture: text
    ignore_failure: true
  - file: $work/x
    content: "\${result('exec[fails]').status} \${result('exec[fails]').exit_code} \${result('exec[fails]').stdout}"
END
    run rhost apply site.yaml
    status_is 0
    [ "$(cat x)" = 'failed 3 no' ]
    key_site
    run rhost apply --only="file[$work/key]" site.yaml
    status_is 1
    says "file[$work/key] uses the result of exec[make a key], which is excluded from this run"
    says 'site.yaml:3:'
    run rhost apply --only="file[$work/key]" --only='exec[make a key]' site.yaml
    status_is 0
    [ -e key ]
    [ ! -e sum ]
}

@test "of a producer under noop nothing is known that it would change" {
    key_site
    sed -i '$s/$/\n    noop: true/' site.yaml
    run rhost apply site.yaml
    status_is 0
    says "'content' is known after exec[make a key]"
    says "'content' is known after file[$work/key]"
    says '1 would change, 2 unknown'
    [ ! -e key ]
    [ ! -e sum ]
    # What is in sync is known, whoever looks.
    echo there >key
    chmod 600 key
    run rhost apply site.yaml
    status_is 0
    [ "$(cat sum)" = "sum $(sha256sum <key | cut -d ' ' -f 1)" ]
    manifest <<END
resources:
  - file: $work/off
    content: off
    only_if: "false"
  - file: $work/seen
    content: "\${result('file[$work/off]').ensure} \${result('file[$work/off]').mode} \${result('file[$work/off]').changed}"
END
    echo x >off
    chmod 640 off
    run rhost apply site.yaml
    status_is 0
    [ "$(cat seen)" = 'present 0640 false' ]
    manifest <<END
resources:
  - exec: at night
    command: "echo x"
    capture: text
    schedule: {period: never}
  - file: $work/later
    content: \${result("exec[at night]").stdout}
END
    run rhost apply -v site.yaml
    status_is 0
    says "'content' is known after exec[at night], which was skipped"
    [ ! -e later ]
}

@test "definitions, loops and recipes use results, and have them" {
    manifest <<END
resources:
  - define: note
    parameters: {text: "String[3]", path: String}
    resources:
      - file: \${path}
        content: "\${text}!"
  - exec: make
    command: [sh, -c, "echo abc; echo \$1", sh, "\${'x'}"]
    capture: text
  - note: one
    path: $work/one
    text: \${trim(result("exec[make]").stdout)}
  - note: short
    path: $work/short
    text: \${result("exec[make]").exit_code}
  - file: $work/\${each.value}
    content: \${each.value} \${result("exec[make]").exit_code}
    for_each: [f1, f2]
  - file: $work/after
    content: \${result("note[one]").changed} \${result("note[one]").path}
END
    run rhost apply site.yaml
    status_is 4
    [ "$(cat one)" = $'abc\nx!' ]
    says "note[short].text"
    [ ! -e short ]
    [ "$(cat f1 f2 after)" = "f1 0f2 0true $work/one" ]
    cat >site.lua <<END
exec("make") { command = { "echo", "lua" }, capture = "text" }
local name = expression('trim(result("exec[make]").stdout) .. suffix', { suffix = "-s" })
file("$work/lua") { content = name, when = expression('result("exec[make]").changed') }
define("wrap", { parameters = { text = "String" }, resources = function(self)
    file("$work/wrapped") { content = self.text }
end })
wrap("w") { text = name }
file("$work/known") { content = expression("x + 1", { x = 1 }) .. "" }
END
    run rhost apply site.lua
    status_is 0
    [ "$(cat lua)" = lua-s ]
    [ "$(cat wrapped)" = lua-s ]
    [ "$(cat known)" = 2 ]
    for wrong in 'local x = result("exec[make]").stdout' 'local x = name.y' 'local x = name .. "b"' 'local x = #name'; do
        (sed -n 1,2p site.lua && echo "$wrong") >wrong.lua
        run rhost apply wrong.lua
        status_is 1
        says 'wrong.lua:3'
    done
    says 'known only after exec[make] was applied'
}

@test "guards use results, and current takes a reference" {
    manifest <<END
resources:
  - exec: where
    command: [echo, $work/flag]
    capture: text
  - file: $work/a
    content: \${default(current("file[$work/there]").mode, "none")}
    only_if: [test, -e, "\${trim(result('exec[where]').stdout)}"]
  - file: $work/b
    content: b
    not_if: "test -e \${trim(result('exec[where]').stdout)}"
  - exec: own
    command: [touch, $work/c]
    only_if: [test, -e, "\${trim(result('exec[where]').stdout)}"]
END
    echo x >there
    chmod 604 there
    run rhost apply --noop site.yaml
    status_is 0
    says "'only_if' is known after exec[where]"
    run rhost apply site.yaml
    status_is 0
    [ ! -e a ]
    [ -e b ]
    [ ! -e c ]
    touch flag
    rm b
    run rhost apply site.yaml
    status_is 0
    [ "$(cat a)" = 0604 ]
    [ ! -e b ]
    [ -e c ]
    sed -i 's/trim(result(.exec\[where\].).stdout)/nil/' site.yaml
    manifest bad.yaml <<END
resources:
  - exec: none
    command: "true"
    capture: text
  - file: $work/d
    content: d
    only_if: \${result("exec[none]").stdout}
END
    run rhost apply bad.yaml
    status_is 4
    says 'only_if: expected a command'
    [ ! -e d ]
}

@test "many uses of one result are one relation" {
    cat >site.yaml <<END
resources:
  - exec: make
    command: [echo, x]
    capture: text
  - exec: other
    command: [echo, y]
    capture: text
  - file: $work/a
    content: \${result("exec[make]").stdout}\${result("exec[other]").stdout}\${result("exec[make]").stdout}
END
    split rhost compile site.yaml
    status_is 0
    json_is out '[e["from"] for e in d["edges"] if not e["automatic"]]' "['exec[make]', 'exec[other]']"
}

@test "a compiled catalog says after what a value is known, and is not applied" {
    key_site
    split rhost compile site.yaml
    status_is 0
    json_is out '[r["attributes"]["content"]["$known_after"]["resource"] for r in d["resources"] if r["title"] == "'"$work/key"'"]' "['exec[make a key]']"
    json_is out '[r["attributes"]["content"]["$known_after"]["place"]["file"] for r in d["resources"] if r["title"] == "'"$work/key"'"]' "['site.yaml']"
    mv out catalog.json
    run rhost apply catalog.json
    status_is 1
    says "file[$work/key] uses the result of another resource, and a compiled catalog does not contain expressions"
    says 'catalog.json:'
    run rhost validate site.yaml
    status_is 0
    run rhost graph site.yaml
    status_is 0
    says 'exec[make a key]'
}

@test "a compiled catalog names conditions and judgements that are known later" {
    manifest <<END
resources:
  - exec: make
    command: [sh, -c, "exit 3"]
    capture: text
    success_when: result.exit_code == 3
  - file: $work/plain
    content: x
    when: result("exec[make]").changed
END
    split rhost compile site.yaml
    status_is 0
    json_is out 'd["resources"][0]["success_when"]["$known_after"]["resource"], d["resources"][0]["success_when"]["$known_after"]["place"]["line"]' "('exec[make]', 5)"
    json_is out 'd["resources"][1]["when"][0]["$known_after"]["resource"]' 'exec[make]'
    mv out catalog.json
    run rhost apply catalog.json
    status_is 1
    says 'exec[make] uses the result'
    says "file[$work/plain] uses the result"
    [ ! -e plain ]
}

@test "success_when, changed_when and until judge the result of their resource" {
    manifest <<END
resources:
  - exec: bad but fine
    command: [sh, -c, "echo clean; exit 3"]
    capture: text
    success_when: result.exit_code == 3
    changed_when: \${trim(result.stdout) ~= "clean"}
    notify: exec[told]
  - exec: told
    command: [touch, $work/told]
    action: nothing
  - exec: three times
    command: [sh, -c, "echo x >>tries; cat tries"]
    cwd: $work
    capture: text
    until: result.stdout == "x\nx\nx\n"
    retries: 5
  - file: $work/tried
    content: \${result("exec[three times]").stdout}
END
    run rhost apply --noop site.yaml
    status_is 0
    [ ! -e tries ]
    run rhost apply site.yaml
    status_is 0
    [ ! -e told ]
    [ "$(wc -l <tries)" -eq 3 ]
    [ "$(wc -l <tried)" -eq 3 ]
    says "'until' is false"
    # The other way round.
    manifest <<END
resources:
  - exec: fine but bad
    command: [echo, error]
    capture: text
    success_when: trim(result.stdout) ~= "error"
  - exec: never
    command: [sh, -c, "echo x >>again"]
    cwd: $work
    until: false and result.changed
    retries: 2
  - exec: changes
    command: [echo, did]
    capture: text
    changed_when: trim(result.stdout) == "did"
    notify: exec[told]
  - exec: told
    command: [touch, $work/told]
    action: nothing
  - exec: not started
    command: [/nonexistent/program]
    success_when: "true"
END
    run rhost apply site.yaml
    status_is 4
    says "failed: 'success_when' is false"
    says "failed: 'until' is false"
    says "exec[not started]"
    [ "$(wc -l <again)" -eq 3 ]
    [ -e told ]
}

@test "a judgement that is no expression over the result is refused, or fails its resource" {
    manifest <<END
resources:
  - exec: a
    command: "touch $work/ran"
    success_when: result.exit_code ==
  - exec: b
    command: "true"
    until: [1, 2]
  - exec: c
    command: "true"
    changed_when: nothing_of_that_name
  - exec: d
    command: "true"
    success_when: x \${result.exit_code} y
  - exec: e
    command: "true"
    until: (function() while true do end end)()
END
    run rhost apply site.yaml
    status_is 1
    for line in 4 7 10 13 16; do
        says "site.yaml:$line:"
    done
    [ ! -e ran ]
    manifest <<END
resources:
  - exec: number
    command: [sh, -c, "echo x >>once"]
    cwd: $work
    success_when: result.exit_code
    retries: 3
  - exec: missing
    command: "true"
    until: result.nope == 1
  - exec: secret
    command: [cat, $work/source]
    capture: sensitive
    success_when: result.stdout + 1 == 2
END
    echo hush-this-secret >source
    run rhost apply -vv site.yaml
    status_is 4
    says "'success_when' must be a boolean, not an integer"
    says "until: unknown attribute 'nope'"
    says_not hush-this
    [ "$(wc -l <once)" -eq 1 ]
    run rhost compile site.yaml
    status_is 0
    says_not hush-this
}

@test "the example of WireGuard makes a key once, uses it, and shows it nowhere" {
    mkdir bin
    printf '#!/bin/sh\nhead -c 32 /dev/urandom | base64\n' >bin/wg
    chmod 755 bin/wg
    sed "s|/srv|$work|g; s|^\( *\)command: .*|&\n\1environment: {PATH: \"$work/bin:/usr/bin:/bin\"}|" \
        "$abs_top_srcdir/docs/examples/wireguard.yaml" >site.yaml
    run rhost apply --noop site.yaml
    status_is 0
    says "(known after exec[generate key])"
    says "(known after file[$work/wireguard/key])"
    run rhost apply -v --diff --report=first.json site.yaml
    status_is 0
    says '5 resources: 5 changed'
    key=$(cat wireguard/key)
    says_not "$key"
    grep -qxF "PrivateKey = $key" wireguard/wg0.conf
    [ "$(stat -c %a wireguard/key wireguard/wg0.conf)" = $'600\n600' ]
    run rhost apply --noop site.yaml
    status_is 0
    says '4 resources: 4 ok, 1 excluded'
    says_not 'known after'
    # The key stays, and is a secret, when it is not new.
    rm wireguard/wg0.conf
    run rhost apply -v --diff --report=second.json site.yaml
    status_is 0
    says '1 changed'
    says_not "$key"
    grep -qxF "PrivateKey = $key" wireguard/wg0.conf
    [ "$(cat wireguard/key)" = "$key" ]
    run grep -rlF "$key" "$BATS_TEST_TMPDIR/state" first.json second.json
    status_is 1
}

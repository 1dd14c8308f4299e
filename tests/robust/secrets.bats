#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# A secret passes through every feature, told by a plugin that cannot keep it, and is looked for in all
# that can be seen of the run: see secret-run.
source "${abs_top_srcdir:-$BATS_TEST_DIRNAME/../..}/tests/lib.bash"

export abs_top_builddir RHOST_ISOLATION BATS_TEST_TMPDIR

setup_file() {
    requires_command python3
    # What plugins describe themselves as, so that it need not be asked for each time.
    "${RHOST:-$abs_top_builddir/rhost}" types --state-dir "$BATS_FILE_TMPDIR" \
        --plugin-dir "$abs_top_builddir/tests/robust/.libs" >/dev/null
    export SECRET_PLUGINS=$BATS_FILE_TMPDIR/plugins.json
    # It leaks what it had when it ends its process; that is not what is looked for.
    [ "${RHOST_WATCHED-}" != asan ] || export ASAN_OPTIONS="${ASAN_OPTIONS-}:detect_leaks=0"
}

# By its type, and by `sensitive`.
typed() {
    cat <<END
resources:
  - ${1:-gossip}: ${2:-bad}
    secret: @SECRET@
    number: @NUMBER@
    list: [@SECRET@, other]
    count: 5
    ${3-}
END
}

named() {
    cat <<END
resources:
  - ${1:-gossip}: ${2:-bad}
    value: @SECRET@
    count: 5
    sensitive: [value]
    ${3-}
END
}

in_worker() {
    [ "$RHOST_ISOLATION" = worker ] || skip "inline, what a plugin prints is the host's, and how it ends"
    not_sanitized
}

not_sanitized() {
    [ "${RHOST_WATCHED-}" != asan ] || skip "a sanitizer catches a crash, and must look into the process"
}

# Both, applied with as much said as can be, as text with a report and as JSON.
hidden() {
    local gossip=$1 type=${2:-gossip} title=${3:-bad} more=${4-}
    shift; shift || true; shift || true; shift || true
    tell() {
        "$abs_top_srcdir/tests/robust/secret-run" --gossip "$gossip" "$@"
    }
    typed "$type" "$title" "$more" | tell $kinds "$@" apply -v -v --diff --report report.json
    named "$type" "$title" "$more" |
        tell --in-value ${kinds_in_value:---only short --only quotes} "$@" apply -v -v --format=json
}

# The same with few kinds of secrets: where what is said takes a way on which another test sends all kinds.
also_hidden() {
    local kinds='--only plain --only lines' kinds_in_value='--only quotes'
    hidden "$@"
}

run_with() {
    "$abs_top_srcdir/tests/robust/secret-run" "$@"
}

# What is not secret is found: the search does search.

@test "what is marked nowhere is found, in each place" {
    run_with --seen --gossip 'create fail' apply -v -v --report report.json <<'END'
resources:
  - gossip: newbad
    value: @SECRET@
END
}

# All kinds of secrets, or those named here; what is changed in a test is changed for that test.
kinds=

# The logging context.

@test "logged at every level, encoded in every way: in update" {
    hidden 'update say' '' '' '' --says '[redacted]'
}

@test "of 100 KiB, logged and the reason of a failure" {
    for how in 'update say' 'update fail' 'load other'; do
        typed | run_with --only large --gossip "$how" --says '[redacted]' apply -v -v --diff --report r.json
    done
}

@test "logged in create" {
    also_hidden 'create say' '' newbad '' --says '[redacted]'
}

@test "logged in remove" {
    also_hidden 'remove say' '' '' 'ensure: absent' --says '[redacted]'
}

@test "logged in act" {
    also_hidden 'act say' '' '' 'action: poke' --says '[redacted]'
}

@test "logged in load, before and after it is reported" {
    hidden 'load say' '' '' '' --says '[redacted]'
}

@test "logged in get, before and after it is emitted" {
    also_hidden 'get say' gossip_set '' '' --says '[redacted]'
}

@test "logged in set" {
    also_hidden 'set say' gossip_set '' '' --says '[redacted]'
}

@test "logged in converge" {
    also_hidden 'converge say' gossip_converge '' '' --says '[redacted]'
}

@test "logged in canonicalize" {
    hidden 'canonicalize say' '' '' '' --says '[redacted]'
}

@test "logged in insync" {
    also_hidden 'insync say' '' '' '' --says '[redacted]'
}

@test "logged in close, when its batch has long been done" {
    also_hidden 'close say' '' '' '' --says '[redacted]'
}

@test "said to have been changed, of another attribute" {
    hidden 'update changed' '' '' '' --says '[redacted]'
}

@test "the label of a block" {
    hidden 'update scope' '' '' '' --says '[redacted]'
}

@test "said of what was done" {
    for way in did processed unchanged; do
        hidden "set $way" gossip_set
    done
}

@test "said of what has failed" {
    hidden 'set failing' gossip_set '' '' --says '[redacted]' --status 4
}

@test "the name of a stranger, and of an attribute that there is not" {
    hidden 'set stranger' gossip_set '' '' --says 'violated the ABI contract'
    hidden 'set colour' gossip_set '' '' --says 'violated the ABI contract'
}

# Failures.

@test "the reason of a failure, in every callback" {
    hidden 'update fail' '' '' '' --says '[redacted]' --status 4
    for at in load insync; do
        also_hidden "$at fail" '' '' '' --says '[redacted]' --status 4
    done
    also_hidden 'create fail' '' newbad '' --says '[redacted]' --status 4
    also_hidden 'remove fail' '' '' 'ensure: absent' --says '[redacted]' --status 4
    also_hidden 'act fail' '' '' 'action: poke' --says '[redacted]' --status 4
    also_hidden 'get fail' gossip_set '' '' --says '[redacted]' --status 4
    also_hidden 'set fail' gossip_set '' '' --says '[redacted]' --status 4
    also_hidden 'converge fail' gossip_converge '' '' --says '[redacted]' --status 4
    hidden 'canonicalize fail' '' '' '' --says '[redacted]'
}

@test "a reason that was cut" {
    hidden 'update fail cut' '' '' '' --says '[redacted]' --status 4
}

@test "the words of insync" {
    hidden 'insync explain' '' '' '' --says '[redacted]'
}

@test "what a file cannot be written to" {
    hidden 'update file' '' '' '' --says "cannot write '/nonexistent/" --status 4
}

# Readings.

@test "read into other attributes" {
    hidden 'load other' '' '' 'data: {}' --says '[redacted]'
    hidden 'get other' gossip_set '' 'data: {}' --says '[redacted]'
    hidden 'load other' '' '' 'fixed: x' --says 'it can only be set'
}

@test "reported as changed values of another attribute" {
    hidden 'set values' gossip_set '' 'data: {a: b}'
}

@test "read with a type that is wrong" {
    for strict in error warning off; do
        typed | run_with $kinds --gossip 'load wrong type' apply -v -v --strict=$strict
        typed gossip_set | run_with $kinds --gossip 'get wrong type' apply -v -v --strict=$strict
        named | run_with $kinds --in-value --gossip 'load wrong type' apply -v -v --strict=$strict
        kinds='--only plain --only lines'
    done
}

@test "read as an attribute that there is not, or not in its canonical form" {
    for strict in error warning; do
        for how in 'load unknown' 'load not canonical'; do
            typed | run_with $kinds --gossip "$how" apply -v -v --strict=$strict
            named | run_with $kinds --in-value --gossip "$how" apply -v -v --strict=$strict
        done
        kinds='--only plain --only lines'
    done
}

@test "read before an attribute that is fixed" {
    hidden 'load none' '' '' 'fixed: @SECRET@' --only plain
}

# The end of the process.

@test "a crash, and what was printed before it" {
    in_worker
    hidden 'update print crash' '' '' '' --says '[redacted]'
    for at in update load insync canonicalize close; do
        also_hidden "$at crash" '' '' '' --says 'crashed'
        [ "$at" = update ] || also_hidden "$at print crash" '' '' '' --says '[redacted]'
    done
    also_hidden 'create print crash' '' newbad '' --says '[redacted]' --status 4
    also_hidden 'get print crash' gossip_set '' '' --says '[redacted]' --status 4
    also_hidden 'set print crash' gossip_set '' '' --says '[redacted]' --status 4
    also_hidden 'converge print crash' gossip_converge '' '' --says '[redacted]' --status 4
}

@test "the end of the process, and what was printed before it" {
    in_worker
    hidden 'update exit' '' '' '' --says 'ended its process' --status 4
    hidden 'update print exit' '' '' '' --says '[redacted]' --status 4
}

@test "printed, and nothing else" {
    in_worker
    hidden 'update print' '' '' '' --says '[redacted]'
    for at in load insync canonicalize; do
        also_hidden "$at print" '' '' '' --says '[redacted]'
    done
    also_hidden 'get print' gossip_set '' '' --says '[redacted]'
}

@test "printed before it hangs" {
    in_worker
    typed | run_with --only plain --only short --gossip 'update print hang' --says '[redacted]' --status 4 \
        apply -v --time-limit=1
}

@test "a process that may hold secrets leaves no core" {
    in_worker
    typed | run_with --only plain --gossip 'update death' --says 'core limit 0, dumpable 0' apply
}

@test "inline, the host does not either" {
    not_sanitized
    typed | RHOST_ISOLATION=none run_with --only plain --gossip 'update death' --says 'dumpable 0' apply
}

# Commands that a plugin runs.

@test "in a command's arguments, which it repeats and fails" {
    hidden 'update exec args' '' '' '' --says '[redacted]' --status 4
}

@test "in a command's environment" {
    hidden 'update exec env' '' '' '' --says '[redacted]' --status 4
}

@test "in a command's input" {
    hidden 'update exec input' '' '' '' --says '[redacted]' --status 4
}

@test "the name of a command that there is not" {
    hidden 'update exec missing' '' '' '' --says '[redacted]' --status 4
}

@test "a command that takes too long" {
    typed | run_with --gossip 'update exec slow' --says '[redacted]' --status 4 apply -v -v
}

# The host's own.

@test "noop, and as it is already" {
    hidden 'load none'
    typed | run_with apply --noop -v -v --diff
    named | run_with apply --noop -v -v --diff --report report.json
}

@test "a file's content, its difference, and who validates it" {
    for options in '--diff' '--noop --diff' '--diff --format=json --report r.json'; do
        run_with apply -v -v $options <<'END'
resources:
  - file: @WORK@/one
    content: @SECRET@
    sensitive: content
  - file: @WORK@/two
    content: @SECRET@
    sensitive: content
    validate: [cat, "%", /nonexistent]
  - file: @WORK@/three
    content: @SECRET@
    sensitive: [content, validate]
    validate: [sh, -c, "cat \"$2\"; echo \"$1\"; exit 2", sh, @SECRET@, "%"]
    ensure: present
END
    done
}

@test "a file that has another secret" {
    run_with apply -v -v --diff <<'END'
resources:
  - exec: make it
    command: [sh, -c, "head -c 100 /dev/urandom | base64 > @WORK@/one"]
  - file: @WORK@/one
    content: @SECRET@
    sensitive: content
END
}

@test "commands of exec that get it, tell it and fail" {
    run_with --only plain --only short --only medium --only utf8 --status 4 apply -v -v <<'END'
resources:
  - exec: arguments
    command: [sh, -c, 'echo "$1"; echo "$1" >&2; exit 3', sh, @SECRET@]
    sensitive: command
  - exec: environment
    command: [sh, -c, 'echo "$PASSWORD"; exit 3']
    environment: {PASSWORD: @SECRET@}
    sensitive: [environment]
  - exec: list
    command: [sh, -c, 'echo "$PASSWORD"; exit 3']
    environment: ["PASSWORD=@BARE@"]
    sensitive: [environment]
  - exec: missing
    command: [@SECRET@, @SECRET@]
    sensitive: [command]
  - exec: guard
    command: ["true"]
    only_if: [sh, -c, "exit 7 # @BARE@"]
    sensitive: [only_if]
END
}

@test "entries of other types" {
    run_with --only plain --only short --only utf8 apply -v -v --noop --diff <<'END'
resources:
  - link: @WORK@/link
    target: @SECRET@
    sensitive: target
  - log: said
    message: @SECRET@
    sensitive: message
  - directory: @WORK@/dir
    owner: @SECRET@
    sensitive: owner
END
}

@test "one resource's secret, met by another provider" {
    for format in text json; do
        run_with --says '[redacted]' --status 4 apply -v -v --diff --format=$format <<'END'
resources:
  - file: @WORK@/conf
    content: @SECRET@
    sensitive: content
  - exec: show it
    command: [sh, -c, "cat @WORK@/conf; exit 3"]
  - gossip: bad
    fixed: fixed
    data: [@SECRET@]
    value: @SECRET@
  - file: @WORK@/conf2
    content: |
      password:
@INDENTED@
  - log: said
    message: @SECRET@
END
    done
}

# Manifests that are wrong.

@test "a wrong type, of another attribute and of the secret itself" {
    for with in 'count: five' 'secret: [@SECRET@]' 'number: @SECRET@' 'pin: @SECRET@' \
        'secret: {a: @SECRET@}' 'list: @SECRET@' 'list: [[@SECRET@]]' 'colour: @SECRET@' \
        'secert: @SECRET@' 'secret: {a: b}'; do
        case $with in
        colour*) with="$with
    sensitive: [colour]" ;;
        esac
        for command in validate apply; do
            run_with --only plain --only quotes --status 1 $command <<END
resources:
  - gossip: bad
    $with
    mod: 1
END
        done
    done
}

@test "named as a secret, and wrong, with a type that there is not" {
    for entry in 'gossip: bad' 'gosip: bad' 'file: relative' 'gossip: [bad, {a: b}]'; do
        for with in 'value: [@SECRET@]' 'value: {a: @SECRET@}' 'value: @SECRET@' 'count: @SECRET@' \
            'data: [{deep: [@SECRET@]}]'; do
            run_with --only plain --status 1 validate <<END
resources:
  - $entry
    $with
    sensitive: [value, count, data]
    mod: 1
  - {${entry%: *}: other, $with, sensitive: [value, count, data], mod: 2}
  - {mod: 2, ${entry%: *}: third, sensitive: [value, count, data], $with}
END
        done
    done
}

@test "a block scalar" {
    for command in validate apply; do
        run_with --only lines --status 1 $command <<'END'
resources:
  - gossip: bad
    value: |
@INDENTED@
    sensitive: value
    count: [five]
    mod: 1
  - gossip: other
    count: |
@INDENTED@
    sensitive: count
END
    done
}

@test "what is not YAML, in the secret's line and about it" {
    for line in 'value: @SECRET@ x' 'value: "@BARE@' 'value: [@SECRET@' '"value: @BARE@' 'value: @SECRET@: x' \
        'value: %@BARE@' 'value: @SECRET@
   wrong: indent' 'value: !!binary @BARE@:'; do
        run_with --only plain --status 1 validate <<END
resources:
  - gossip: bad
    sensitive: value
    $line
END
        run_with --only plain --status 1 validate <<END
resources:
  - gossip: bad
    $line
    sensitive: value
END
    done
    run_with --only plain --status 1 validate <<'END'
resources:
  - gossip: bad
    secret: @SECRET@ x
END
}

@test "what YAML has another use for, and a key that is there twice" {
    for text in '*@BARE@' '!@BARE@ x' '!!@BARE@ x' '&@BARE@' '${@BARE@}' '!!int @BARE@' '!!binary @BARE@ x' \
        '@@BARE@' '`@BARE@' '|@BARE@' '{@BARE@: }' '[@BARE@'; do
        for attribute in secret value; do
            run_with --only plain --only short --status 1 validate <<END
resources:
  - gossip: bad
    sensitive: $attribute
    count: five
    $attribute: $text
END
        done
    done
    run_with --only plain --status 1 validate <<'END'
resources:
  - gossip: bad
    sensitive: [value]
    value: @SECRET@
    value: @SECRET@
END
}

@test "a manifest in JSON" {
    for rest in '"mod": 1}]}' '"count": "five"}]}' '"count": 5}]' '"count" 5}]}'; do
        run_with --only plain --status 1 validate <<END
{"resources": [{"gossip": "bad", "value": @SECRET@, "sensitive": ["value"], "secret": @SECRET@, $rest
END
    done
}

@test "declared twice" {
    run_with --only plain --status 1 validate <<'END'
resources:
  - {gossip: bad, value: @SECRET@, sensitive: value}
  - {gossip: bad, value: @SECRET@, sensitive: value}
END
}

@test "a compiled catalog, which is not applied" {
    (typed; named gossip other | tail -n +2) | run_with compile
    run_with --only plain --status 1 apply <<'END'
{"rhost": "catalog", "resources": [{"gossip": "bad", "secret": @SECRET@}]}
END
}

@test "a compiled catalog that somebody has filled in" {
    typed >"$work/in.yaml"
    sed -i -e 's/@SECRET@/"x"/g' -e 's/@NUMBER@/5/' "$work/in.yaml"
    rhost compile --plugin-dir "$abs_top_builddir/tests/robust/.libs" "$work/in.yaml" >"$work/out.json"
    sed -i -e 's/{ *"$sensitive": true *}/@SECRET@/' -e 's/"count": 5/"count": "five"/' "$work/out.json"
    run_with --only plain --status 1 validate <"$work/out.json"
    run_with --only plain --status 1 apply <"$work/out.json"
}

@test "graph, types, describe and schema" {
    (typed; named gossip other | tail -n +2) | run_with graph
    run_with --only plain --no-site schema </dev/null
    run_with --only plain --no-site describe gossip </dev/null
}

# rhost resource.

@test "listed and shown" {
    for format in text yaml json; do
        run_with $kinds --no-site --gossip 'get say' resource --format=$format gossip_set </dev/null
        run_with $kinds --no-site --gossip 'get other' resource --format=$format gossip_set </dev/null
        run_with $kinds --no-site --gossip 'load other' resource --format=$format gossip bad </dev/null
        run_with $kinds --no-site --gossip 'load say' resource --format=$format gossip bad </dev/null
        run_with $kinds --no-site --gossip 'load fail' resource --format=$format gossip bad </dev/null
        run_with $kinds --no-site --gossip 'load wrong type' resource --format=$format gossip bad </dev/null
        kinds='--only quotes --only lines --only utf8' # the same in other formats
    done
}

@test "given on our command line, which then shows it no more" {
    run_with --no-site --late --only plain --only quotes --gossip 'update exec slow' \
        resource -v -v gossip bad secret=@BARE@ </dev/null
    for gossip in 'update say' 'update fail' 'load other'; do
        run_with --no-site --only plain --only quotes --only short --gossip "$gossip" \
            resource -v -v gossip bad secret=@BARE@ </dev/null
    done
}

@test "given on our command line, and wrong" {
    run_with --no-site --only plain --status 1 resource gossip bad number=@BARE@ </dev/null
    run_with --no-site --only plain --status 1 resource gossip bad pin=@BARE@ </dev/null
    run_with --no-site --only plain --status 1 resource gossip bad list=@BARE@ </dev/null
    run_with --no-site --only plain --status 1 resource gossip bad secret=@BARE@ mod=5 </dev/null
}

# Attributes of the node.

attributes() {
    cat <<END
attributes:
  default: {db: {password: @SECRET@, port: 1}}
  override: {db: {keys: [@NUMBER@, @SECRET@]}}
  sensitive: [db.password, db.keys]
${1-}
END
}

@test "an attribute of the node, shown in each form, and explained" {
    for form in text yaml json; do
        attributes | run_with --says '[redacted]' node --format=$form .
        attributes | run_with --says '[redacted]' node --format=$form explain db
    done
    run_with --only plain --says '[redacted]' node explain own <<'END'
attributes:
  - {op: set, level: default, path: own, value: @SECRET@, sensitive: true}
  - {op: set, level: normal, path: own, value: {x: @SECRET@}}
END
}

@test "an attribute of the node, where the file is wrong around it" {
    for bad in '  defualt: {db: {password: @SECRET@}}' '  normal: {db: {password: !append @SECRET@}}' \
        '  automatic: {db: {password: @SECRET@}}'; do
        attributes "$bad" | run_with --only plain --only quotes --status 1 validate
    done
    run_with --only plain --status 1 validate <<'END'
attributes:
  - {op: sett, level: default, path: own, value: @SECRET@, sensitive: true}
  - {op: set, level: default, path: own, value: @SECRET@, sensitive: 5}
END
}

# Expressions: what comes out of a secret is one.

@test "read by an expression, alone and in a text, and told by a plugin" {
    for how in 'update say' 'update fail' 'create crash'; do
        run_with --only plain --only lines --only quotes --gossip "$how" apply -v -v --diff --report r.json <<'END'
resources:
  - gossip: bad
    secret: ${secret_file("@FILE@")}
    value: before ${secret_file("@FILE@")} after
    list: ["${secret_file('@FILE@')}", "${upper(secret_file('@FILE@'))}"]
    count: 5
END
    done
}

@test "each element of a for_each, and what a definition gets" {
    run_with --gossip 'update say' apply -v -v --report r.json <<'END'
resources:
  - define: holder
    parameters: {what: Any}
    resources:
      - gossip: bad
        value: ${what[1]} and ${what[2]}
        count: 5
  - holder: h
    what: ["${secret_file('@FILE@')}", "${secret_file('@FILE@')}"]
  - for_each: ${ {secret_file("@FILE@")} }
    gossip: one
    value: ${each.value}
    count: 6
END
}

@test "in the content that a template makes" {
    run_with apply -v -v --diff --report r.json <<'END'
resources:
  - file: @WORK@/a
    template: {file: @TEMPLATE@, variables: {s: "${secret_file('@FILE@')}", t: false}}
  - file: @WORK@/b
    template: {file: @TEMPLATE@, variables: {s: "${secret_file('@FILE@')}", t: false}}
    mode: "0600"
END
    run_with compile <<'END'
resources:
  - file: @WORK@/a
    template: {file: @TEMPLATE@, variables: {s: "${secret_file('@FILE@')}", t: false}}
END
}

@test "in expressions, templates and for_each that are wrong" {
    run_with --status 1 --only plain --only lines --only quotes validate <<'END'
resources:
  - gossip: a
    value: ${secret_file("@FILE@").x.y}
  - gossip: b
    value: ${error(secret_file("@FILE@"))}
  - gossip: c
    value: ${secret_file("@FILE@") + 1}
  - gossip: d
    count: ${secret_file("@FILE@")}
  - gossip: e
    value: ${nothing[secret_file("@FILE@")].x}
  - gossip: ${secret_file("@FILE@")}
  - gossip: [f, "${secret_file('@FILE@')}"]
  - gossip: g
    require: ${secret_file("@FILE@")}
  - gossip: h
    when: ${secret_file("@FILE@")}
  - for_each: ${secret_file("@FILE@")}
    gossip: i
  - for_each: ["${secret_file('@FILE@')}"]
    gossip: ${each.value}
  - for_each: ${ {[secret_file("@FILE@")] = 1} }
    gossip: ${each.key}
  - gossip: j
    tag: ${secret_file("@FILE@")}
  - edit: ${secret_file("@FILE@")}
  - gossip: k
    nosuch: ${secret_file("@FILE@")}
  - gossip: l
    action: ${secret_file("@FILE@")}
  - gossip: m
    provider: ${secret_file("@FILE@")}
  - file: @WORK@/n
    template: {file: @TEMPLATE@, variables: {s: "${secret_file('@FILE@')}", t: true}}
  - file: @WORK@/o
    template: ${secret_file("@FILE@")}
  - gossip: p
    value: ${print(secret_file("@FILE@"))}
  - gossip: q
    value: ${current("gossip", secret_file("@FILE@"))}
  - gossip: r
    value: ${file(secret_file("@FILE@"))}
END
}

@test "written where an expression is read, in an attribute that is secret" {
    run_with --status 1 --only plain --only medium validate <<'END'
resources:
  - gossip: a
    secret: "${@BARE@}"
  - gossip: b
    secret: "x ${@BARE@"
END
}

@test "within a list, a tuple, a hash and a variant whose types have a Sensitive within" {
    for named in '' 'sensitive: [words, table, pair, any]'; do
        cat >nested.yaml <<END
resources:
  - define: keeper
    parameters:
      words: {type: "Array[Sensitive[String]]"}
      table: {type: "Hash[String, Sensitive[String]]"}
      one: {type: "Optional[Sensitive[String]]"}
      pair: {type: "Optional[Tuple[String, Sensitive[String]]]"}
      any: {type: "Hash[String, Variant[Integer, Sensitive[String]]]"}
    resources:
      - file: "@WORK@/kept"
        content: "\${words[1]} \${table.a} \${one} \${pair[2]} \${any.a} \${any.b}"
      - gossip: bad
        value: "\${words[1]}"
      - gossip: worse
        value: "\${any.a}"
  - keeper: x
    words: [@SECRET@]
    table: {a: @SECRET@}
    one: @SECRET@
    pair: [plain, @SECRET@]
    any: {a: @SECRET@, b: 5}
    $named
END
        "$abs_top_srcdir/tests/robust/secret-run" --gossip "update log" --status 0 \
            apply -v -v --diff --report report.json <nested.yaml
        "$abs_top_srcdir/tests/robust/secret-run" --status 0 compile <nested.yaml
        sed 's/pair: .plain, /pair: [1, 2, /; s/any: {a: /any: {a: [1], c: /' nested.yaml >wrong.yaml
        "$abs_top_srcdir/tests/robust/secret-run" --status 1 apply <wrong.yaml
    done
}

# Files of every type with a secret in a part of an attribute; $2 more lines.
written() {
    cat <<END
resources:
  - file: $work/file
    content: "password=\${secret_env('PW')} and more\n"
  - line: $work/line
    path: $work/line
    text: "db \${secret_env('PW')}"
    create: true
  - ini_setting: ini
    path: $work/ini
    section: a
    setting: pw
    value: "u:\${secret_env('PW')}@h"
    create: true
  - cron: job
    target: $work/cron
    user: root
    command: "run --token=\${secret_env('PW')}"
  - host: a.example.org
    ip: 192.0.2.1
    target: $work/hosts
    comment: "\${secret_env('PW')}"
  - systemd_unit: a.service
    directory: $work/units
    verify: false
    settings:
      Service: {ExecStart: /bin/true, Environment: "T=\${secret_env('PW')}"}
  - apt_repository: r
    root: $work/apt
    uris: "https://u:\${secret_env('PW')}@example.org/"
    suites: stable
    components: main
END
}

@test "a secret decides the mode of a new file, in every type" {
    [ -e "$abs_top_builddir/plugins/.libs/systemd_unit.so" ] || skip "needs libsystemd"
    mkdir -p units apt/sources.list.d apt/keyrings
    for PW in 'Tr0ub4dor&3' 'correct-horse'; do # a later change keeps it
        export PW
        run apply < <(written)
        status_is 0
        says_not "$PW"
        says_not "others can read it"
        for f in file line ini cron hosts units/a.service apt/sources.list.d/r.sources; do
            grep -qF "$PW" "$f"
            is "$f $(mode_of "$f")" "$f 600"
        done
    done
}

@test "a secret in a file that others can read is a warning" {
    export PW='Tr0ub4dor&3'
    echo 'a b' >line
    chmod 644 line
    run apply <<END
resources:
  - line: $work/line
    path: $work/line
    text: "db \${secret_env('PW')}"
  - file: $work/stated
    mode: "0644"
    content: "\${secret_env('PW')}"
  - file: $work/group
    mode: "0640"
    content: "\${secret_env('PW')}"
END
    status_is 0
    says_not "$PW"
    says "'$work/line' holds a secret and has mode 0644: others can read it"
    says "'$work/stated' holds a secret and has mode 0644: others can read it"
    says_not "'$work/group' holds a secret"
    is "$(mode_of stated) $(mode_of group) $(mode_of line)" "644 640 644"
}

@test "a short secret within a longer text is found in what another resource says" {
    export PW='Tr0ub4dor&3'
    echo 'a {{ p }} b' >"$BATS_TEST_TMPDIR/t.tmpl"
    for attribute in "content: \"user=x password=\${secret_env('PW')} and more\n\"" \
        "template: {file: t.tmpl, variables: {p: \"\${secret_env('PW')}\"}}"; do
        run apply --verbose --report=report.json --diff <<END
resources:
  - file: $work/one
    $attribute
  - exec: leak
    command: [sh, -c, 'echo "the password is Tr0ub4dor""&3, really"; exit 3']
END
        status_is 4
        says_not "$PW"
        says "the password is [redacted], really"
        run grep -rF "$PW" report.json "$BATS_TEST_TMPDIR/state"
        status_is 1
        rm one
    done
}

@test "what edit marks as sensitive is found in what another resource says" {
    run apply --verbose <<END
resources:
  - file: $work/one
    content: hunter2-and-more
  - edit: file[$work/one]
    sensitive: content
  - exec: leak
    command: [sh, -c, 'echo "it is hunter2-and""-more"; exit 3']
END
    status_is 4
    says_not "it is hunter2-and-more"
    says "it is [redacted]"
    is "$(mode_of one)" 600
}

#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Secrets in manifests, attributes, expressions and types: none is told. What providers do with them is in secrets.bats.
source "${abs_top_srcdir:-$BATS_TEST_DIRNAME/../..}/tests/lib.bash"
source "$abs_top_srcdir/tests/robust/secrets.bash"

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
        run_with --gossip "update log" --status 0 \
            apply -v -v --diff --report report.json <nested.yaml
        run_with --status 0 compile <nested.yaml
        sed 's/pair: .plain, /pair: [1, 2, /; s/any: {a: /any: {a: [1], c: /' nested.yaml >wrong.yaml
        run_with --status 1 apply <wrong.yaml
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
  - text_block: $work/block
    content: "db \${secret_env('PW')}"
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
        for f in file line block ini cron hosts units/a.service apt/sources.list.d/r.sources; do
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

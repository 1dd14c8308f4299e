#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# lookup(name, ...) and the facts of plugins, with the plugin tests/plugins/source.c.
source "${abs_top_srcdir:-$BATS_TEST_DIRNAME/../..}/tests/cli/cli.bash"

own_plugin tests/plugins/.libs/source.so
export LETTER=$BATS_TEST_TMPDIR/world
[ -z "$BATS_TEST_TMPDIR" ] || mkdir -p "$LETTER"

with_source() {
    local command=$1
    shift
    : >"$LETTER/calls"
    run rhost "$command" --plugin-dir "$BATS_TEST_TMPDIR/plugins" "$@"
}

facts() {
    : >"$LETTER/calls"
    split "${RHOST:-$abs_top_builddir/rhost}" facts --state-dir "$BATS_TEST_TMPDIR/state" \
        --plugin-dir "$BATS_TEST_TMPDIR/plugins" "$@"
}

calls_are() {
    diff - "$LETTER/calls"
}

@test "an expression has the answer, whatever its type, and asks once in a run" {
    manifest <<END
resources:
  - file: $work/a
    content: "\${lookup('echo', 'text')} \${lookup('echo', 22) + 1} \${lookup('echo', {a = {1, 2}}).a[2]}"
  - file: $work/b
    content: "\${lookup('echo', 'text')}\${lookup('test::secret', 'x', {field = 'y'})}"
END
    with_source apply site.yaml
    status_is 0
    [ "$(cat a)" = "text 23 2" ]
    [ "$(cat b)" = texts3cret-x-y ]
    calls_are <<'END'
echo
echo
echo
secret
closed
END
}

@test "a secret is redacted everywhere, and written where it belongs" {
    manifest <<END
resources:
  - file: $work/a
    content: "password=\${lookup('test::secret', 'db')}"
    mode: "600"
  - file: $work/b
    content: \${lookup("test::secret", "db", {field = "user"})}
    mode: "600"
END
    with_source apply --debug --diff --report=report.json site.yaml
    status_is 0
    says_not s3cret
    says "I hand out [redacted]"
    [ "$(cat a)" = "password=s3cret-db-password" ]
    [ "$(cat b)" = "s3cret-db-user" ]
    run grep -r s3cret "$BATS_TEST_TMPDIR/state" report.json
    status_is 1
}

@test "a recipe asks as well" {
    cat >site.lua <<END
file "$work/a" { content = lookup("echo", "one") .. lookup("test::secret", "db"), mode = "600" }
END
    with_source apply site.lua
    status_is 0
    says_not s3cret
    [ "$(cat a)" = "ones3cret-db-password" ]
    with_source validate site.lua
    status_is 0
    calls_are </dev/null
}

@test "validate asks for nothing, and checks what is asked" {
    manifest <<END
resources:
  - file: $work/a
    content: "\${lookup('echo', 'text')}"
    owner: \${lookup('echo', 'root')}
    when: lookup("echo", true)
  - file: /\${lookup("echo", "b")}
  - for_each: \${lookup("echo", {"c", "d"})}
    resources:
      - file: $work/\${item}
  - log: done
    require: file[/b]
END
    with_source validate site.yaml
    status_is 0
    calls_are </dev/null
    manifest <<'END'
resources:
  - log: a ${lookup("ecko", 1)}
  - log: b ${lookup("test::secret")}
  - log: c ${lookup("test::secret", 7)}
  - log: d ${lookup("test::secret", "x", {feld = "y"})}
  - log: e ${lookup("echo", 1, 2)}
  - log: f ${lookup("test::secret", "x", {path = "y"})}
END
    with_source validate site.yaml
    status_is 1
    says "site.yaml:2:22: error: unknown lookup 'ecko'"
    says "did you mean 'echo'?"
    says "site.yaml:3:22: error: missing parameter 'path' of lookup 'test::secret'"
    says "site.yaml:4:22: error: parameter 'path' of lookup 'test::secret' expects a String value, got Integer"
    says "site.yaml:5:43: error: unknown parameter 'feld' of lookup 'test::secret'"
    says "did you mean 'field'?"
    says "site.yaml:6:22: error: too many arguments for lookup 'echo': it has 1 parameter"
    says "site.yaml:7:43: error: duplicate parameter 'path' of lookup 'test::secret'"
    calls_are </dev/null
}

@test "nil where there is no answer; what fails is said at its place, and asked once" {
    manifest <<END
resources:
  - file: $work/a
    content: \${default(lookup("broken", "absent"), "none")}
END
    with_source apply site.yaml
    status_is 0
    [ "$(cat a)" = none ]
    manifest <<'END'
resources:
  - log: a ${lookup("broken", "fail")}
  - log: b ${lookup("broken", "fail")}
  - log: c ${lookup("broken", "type")}
  - log: d ${lookup("broken", "nothing")}
END
    with_source apply site.yaml
    status_is 1
    says "site.yaml:2:22: error: lookup 'broken': the server does not answer"
    says "site.yaml:3:22: error: lookup 'broken': the server does not answer"
    says "site.yaml:4:22: error: lookup 'broken': invalid answer of provider 'source' 1.0: expects an Integer value, got String"
    says "without a value: a bug in the plugin"
    [ "$(grep -c broken "$LETTER/calls")" -eq 3 ]
}

@test "a plugin that crashes fails its lookups only" {
    [ "$RHOST_ISOLATION" != none ] || skip "inline a crash takes rhost along"
    manifest <<'END'
resources:
  - log: a ${lookup("broken", "abort")}
END
    with_source apply site.yaml
    status_is 1
    says "site.yaml:2:22: error: lookup 'broken': provider 'source' 1.0 crashed: Aborted, while looking up"
}

@test "facts of plugins are read when they are asked for" {
    manifest <<END
resources:
  - file: $work/a
    content: "\${node.source_site.name} \${node.os.family}"
END
    with_source apply site.yaml
    status_is 0
    [[ $(cat a) = "berlin "* ]]
    calls_are <<<source_site
    facts os.family
    status_is 0
    calls_are </dev/null
    facts source_site.tier
    status_is 0
    [ "$output" = 2 ]
    calls_are <<<source_site
    facts
    status_is 0
    says "source_site:"
    grep -F "warning: cannot read the fact 'source_broken': no such sensor" err
    says_not source_none
}

@test "a file of facts replaces one of a plugin, and a program does not" {
    mkdir facts.d
    echo '{"source_site": "mine"}' >facts.d/a.json
    facts --facts-dir facts.d source_site
    [ "$output" = mine ]
    calls_are </dev/null
    printf '#!/bin/sh\necho source_site=program\n' >facts.d/b
    chmod 700 facts.d/b
    rm facts.d/a.json
    facts --facts-dir facts.d source_site.name
    [ "$output" = berlin ]
}

@test "types and describe know lookups and facts" {
    with_source types
    status_is 0
    grep -E '^lookup test::secret +source +1.0 +Answers a secret\.$' <<<"$output"
    grep -E '^fact +source_site +source +1.0 +Where it is\.$' <<<"$output"
    rhost types --format=json --plugin-dir "$BATS_TEST_TMPDIR/plugins" >types.json
    json_is types.json "[x['data_type'] for x in d if x.get('lookup') == 'test::secret'][0]" "Sensitive[String]"
    with_source describe test::secret
    status_is 0
    cmp - <(printf '%s\n' "$output") <<'END'
test::secret  (lookup of plugin source 1.0)

  Answers a secret.

  ${lookup("test::secret", path, field, version)}: Sensitive[String]

Parameters

  path  (String[1], required)
      Where it is.

  field  (String)
      Which part.
      Default: "password"

  version  (Optional[Integer[1]])
      Which version.

Needs
  not declared
END
}

@test "of two plugins with a lookup the first is used" {
    cp "$BATS_TEST_TMPDIR/plugins/source.so" "$BATS_TEST_TMPDIR/plugins/twin.so"
    manifest <<<"resources: [{log: \"\${lookup('echo', 'a')}\"}]"
    with_source apply site.yaml
    status_is 0
    says "ignoring the lookup 'echo' of plugin"
    says "ignoring the fact 'source_site' of plugin"
    [ "$(grep -c echo "$LETTER/calls")" -eq 1 ]
}

@test "validate refuses an answer that can never fit, and takes what may" {
    manifest <<END
resources:
  - file: $work/a
    content: \${lookup("broken", "how")}
  - file: $work/b
    content: \${ lookup("broken", "a)b") }
END
    with_source validate site.yaml
    status_is 1
    says "site.yaml:3:14: error: file[$work/a].content is a value of"
    says "and the lookup answers one of Integer [RH1248]"
    says "site.yaml:5:14: error: file[$work/b].content is a value of"
    calls_are </dev/null
    manifest <<END
resources:
  - file: $work/a
    content: \${tostring(lookup("broken", "how"))}
  - file: $work/b
    content: "\${lookup('broken', 'how')}."
  - file: $work/c
    content: \${lookup("echo", 1)}
  - file: $work/d
    content: \${lookup("test::secret", "x")}
  - exec: /bin/true
    timeout: \${lookup("broken", "how")}
  - file: $work/e
    content: \${lookup("broken", "how") .. lookup("broken", "x")}
END
    with_source validate site.yaml
    status_is 0
    calls_are </dev/null
}

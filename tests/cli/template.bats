#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# template: the content of a file from a template beside the manifest.
source "${abs_top_srcdir:-$BATS_TEST_DIRNAME/../..}/tests/cli/cli.bash"

@test "what a template makes is the content, with the names around the entry" {
    cat >motd.tmpl <<'END'
{# nobody sees this #}
{{ title }}: {% for i, word in ipairs(words) do %}{{ i }}={{ word }} {% end %}
{{ each.key }} ${literal}
END
    manifest <<END
resources:
  - define: page
    parameters: {words: "Array[String]"}
    resources:
      - for_each: [x]
        file: "$work/\${title}"
        template: motd.tmpl
        mode: "0640"
  - page: one
    words: [a, b]
END
    run rhost apply site.yaml
    status_is 0
    grep -qx 'one: 1=a 2=b ' one
    grep -qx '1 ${literal}' one
    [ "$(mode_of one)" = 640 ]
    run rhost apply --detailed-exitcodes site.yaml
    status_is 0
}

@test "it may have variables of its own, and a name that is an expression" {
    echo '{{ port }} {{ name }}' >port.tmpl
    manifest <<END
resources:
  - for_each: [port]
    file: $work/a
    template:
      file: \${each.value}.tmpl
      variables: {port: 8080, name: "\${each.value .. 's'}"}
END
    run rhost apply site.yaml
    status_is 0
    [ "$(cat a)" = '8080 ports' ]
}

@test "it is found beside the manifest, wherever the command is started, and includes what is beside it" {
    mkdir -p site/parts
    echo 'a {{ include("parts/b.tmpl") }}' >site/a.tmpl
    printf '%s' 'b {{ include("c.tmpl") }}' >site/parts/b.tmpl
    printf 'c' >site/parts/c.tmpl
    printf 'resources:\n  - file: %s/out\n    template: a.tmpl\n' "$work" >site/site.yaml
    run rhost apply site/site.yaml
    status_is 0
    [ "$(cat out)" = 'a b c' ]
    cd site/parts
    run rhost apply --detailed-exitcodes ../site.yaml
    status_is 0
    cd /
    run rhost apply --detailed-exitcodes "$work/site/site.yaml"
    status_is 0
}

@test "an error points into the template, and says for which entry" {
    mkdir site
    printf 'one\ntwo {{ nothing.x }}\n' >site/a.tmpl
    printf 'one\n{%% if %%}\n' >site/b.tmpl
    printf '\n\n{{ include("a.tmpl") }}\n' >site/c.tmpl
    cat >site/site.yaml <<END
resources:
  - file: /a
    template: a.tmpl
  - file: /b
    template: b.tmpl
  - for_each: [q]
    file: /c
    template: c.tmpl
END
    run rhost validate site/site.yaml
    status_is 1
    says "site/a.tmpl:2:"
    says "2 | two {{ nothing.x }}"
    says "site/site.yaml:3:15: for the template named here"
    says "site/b.tmpl:"
    says "site/site.yaml:5:15: for the template named here"
    says "site/c.tmpl:3:"
    says "site/site.yaml:8:15: for the template named here"
    says "site/site.yaml:6:16: for the element 'q'"
}

@test "what is not a template is refused" {
    echo x >x.tmpl
    mkdir sub
    manifest <<'END'
resources:
  - file: /a
    template: none.tmpl
  - file: /b
    template: ../x.tmpl
  - file: /c
    template: /etc/passwd
  - file: /d
    template: x.tmpl
    content: x
  - log: e
    template: x.tmpl
  - file: /f
    template: [x.tmpl]
  - file: /g
    template: {fiel: x.tmpl}
  - file: /h
    template: {variables: {}}
  - file: /i
    template: {file: x.tmpl, variables: [1]}
  - file: /j
    template: sub
END
    run rhost validate site.yaml
    status_is 1
    says "site.yaml:3:15: error: cannot open 'none.tmpl': No such file or directory"
    says "site.yaml:5:15: error: '../x.tmpl' is outside of the manifest's directory; --allow-outside allows it"
    says "site.yaml:7:15: error: '/etc/passwd' is outside of the manifest's directory; --allow-outside"
    says "site.yaml:9:5: error: 'template' and 'content' cannot be used together"
    says "site.yaml:12:5: error: 'template' cannot be used with type 'log': it lacks the attribute 'content'"
    says "site.yaml:14:15: error: 'template' must be the name of a file, not a list"
    says "unknown key 'fiel' in 'template'"
    says "did you mean 'file'?"
    says "missing key 'file' in 'template'"
    says "'variables' of a template must be a hash, not a list"
    says "site.yaml:22:15: error: 'sub' is a directory, not a regular file"
}

@test "a template that is elsewhere can be allowed" {
    mkdir site
    printf 'out {{ title }}' >x.tmpl
    printf 'resources:\n  - file: %s/out\n    template: {file: ../x.tmpl, variables: {title: t}}\n' "$work" \
        >site/site.yaml
    run rhost apply site/site.yaml
    status_is 1
    run rhost apply --allow-outside site/site.yaml
    status_is 0
    [ "$(cat out)" = 'out t' ]
}

@test "no line of the template of a secret is shown" {
    printf 'hunter2\nhunter2 {{ nothing.x }} hunter2\n' >s.tmpl
    manifest <<END
resources:
  - file: $work/a
    template: s.tmpl
    sensitive: content
END
    run rhost validate site.yaml
    status_is 1
    says 's.tmpl:2:'
    says_not hunter2
    printf 'hunter2 {{ title }}' >s.tmpl
    run rhost validate site.yaml
    status_is 1
    printf 'hunter2 {{ 1 }}' >s.tmpl
    run rhost apply --diff -v --debug site.yaml
    status_is 0
    [ "$(cat a)" = 'hunter2 1' ]
    says_not hunter2
}

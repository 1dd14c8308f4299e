#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# What people write who know other programs, and what they are told.
source "${abs_top_srcdir:-$BATS_TEST_DIRNAME/../..}/tests/cli/cli.bash"

# A file whose `when` is this is refused with this hint.
condition() {
    printf 'resources:\n  - file: /a\n    when: %s\n' "$1" >site.yaml
    run rhost validate site.yaml
    status_is 1
    says "= $2"
}

# A file whose content is this is refused with this hint.
content() {
    printf 'resources:\n  - file: /a\n    content: %s\n' "$1" >site.yaml
    run rhost validate site.yaml
    status_is 1
    says "= $2"
}

# A recipe is refused with this hint.
recipe() {
    printf '%s\n' "$1" >site.lua
    run rhost validate site.lua
    status_is 1
    says "= $2"
}

@test "conditions as in Jinja, Puppet, Ruby and shells" {
    condition 'ansible_os_family == "Debian"' "facts are read like node.os.family: 'rhost facts' shows them"
    condition '$facts["os"] == 1' "remove the '\$'; read facts and attributes like node.os.family"
    condition 'node.os.family != "x"' "write '~=' for not equal"
    condition 'node.os.family = "x"' "write '==' to compare two values"
    condition 'node.os.family =~ /x/' 'use matches(TEXT, "expression") for a regular expression'
    condition 'node.os.family in ["x"]' "use contains(LIST, VALUE)"
    condition 'node.x is defined' "use exists(x)"
    condition 'true && false' "write 'and' between conditions"
    condition 'true || false' "write 'or' between conditions"
    condition '"{{ x }}"' "an expression is written without '{{' and '}}' here"
    condition 'not node.nothing.here' "where it may be missing, write default(node.nothing, VALUE) or exists(node.nothing)"
    condition 'Yes' "did you mean 'true'?"
}

@test "what YAML takes for a comment" {
    local cut="YAML takes ' #' and what follows for a comment: quote the whole value"

    condition '#node.package_managers > 1' "$cut"
    condition 'node.x == "a #1"' "$cut"
    content '${join({"a"}, ", ") # text}' "$cut"
}

@test "expressions as in other places" {
    content '{{ motd }}' "'{' starts a hash in YAML: quote text that starts with '{'; an expression is written \${...}, not {{...}}"
    content '[${node.hostname}]' 'quote an expression inside [...]: ["${...}"]'
    content '{a: ${node.hostname}}' 'quote an expression inside {...}: {key: "${...}"}'
    content '${"a: b"}' "quote all of the value: '\${...}'"
    content '"${"x"}"' "quote all of the value; texts in an expression stand in the other kind of quotes: \"\${upper('x')}\""
    content '${node.hostname' "close the expression with '}'; a literal '\${' is written '\$\${'"
    content '${node.hostname | upper}' "call a function instead of a filter: upper(x)"
    content '${node.hostname + "x"}' "join texts with '..'"
    content '${item}' "the element is each.value, and its name or number each.key"
    content '${null}' "write nil for no value"
    content '${len("x")}' "#x is the number of elements in x"
}

@test "a number out of an expression where text is wanted" {
    content '${80}' 'a value that is one ${...} keeps its type; ${tostring(...)} makes text of it'
    content '"${1 == 1}"' 'a value that is one ${...} keeps its type; ${tostring(...)} makes text of it'
    manifest <<'END'
resources:
  - file: /a
    content: ${tostring(80)}
  - file: /b
    content: 80
END
    run rhost validate site.yaml
    status_is 0
    recipe 'file "/a" { content = 5 }' 'write text in quotes: "5"'
}

@test "a text where a list is wanted, and a list that is too deep" {
    manifest <<'END'
resources:
  - host: a
    ip: 192.0.2.1
    host_aliases: b, c
  - file: /tmp/x
    validate: b -c %s
  - host: d
    ip: 192.0.2.1
    host_aliases: ["e", "${node.package_managers}"]
END
    run rhost validate site.yaml
    status_is 1
    says "= write a list: [b, c]"
    says "= write a list: [b, -c, \"%s\"]"
    says "= each element of this list is valid alone: remove one level of brackets"
}

@test "words of playbooks" {
    manifest <<'END'
vars: {x: 1}
tasks: []
resources:
  - file: /a
    with_items: [a]
  - file: "{{ item }}"
    loop: [a]
  - file: /c
    state: present
    register: x
    mode: "{{ mode }}"
  - template: /d
    source: x
END
    run rhost validate site.yaml
    status_is 1
    says "site.yaml:1:1: error: unknown key 'vars' at the top level of a manifest"
    says "= write values at a level of 'attributes', for example attributes: {default: {x: 1}}, and read them with \${node.x}"
    says "= did you mean 'resources'?"
    says "= did you mean 'for_each'?"
    says "= did you mean 'ensure'?"
    says "= an expression is written \${...}, not {{...}}"
    says "site.yaml:12:5: error: unknown type 'template'"
    says "= Ansible's 'template' is 'file' here, with the key 'template': - file: /etc/motd"
}

@test "types of other programs" {
    manifest <<'END'
resources:
  - copy: /etc/motd
    content: x
  - name: the greeting
    ansible.builtin.lineinfile: {path: /etc/motd}
  - ansible.builtin.file: /x
  - pkg.installed: nginx
  - execute: ls
  - file: /d
    notify:
      - restart nginx
      - service: nginx
END
    run rhost validate site.yaml
    status_is 1
    says "site.yaml:2:5: error: unknown type 'copy'"
    says "= Ansible's 'copy' is 'file' here, with 'content' or 'source': - file: /etc/motd"
    says "site.yaml:5:5: error: unknown type 'ansible.builtin.lineinfile'"
    says "= Ansible's 'ansible.builtin.lineinfile' is 'line' here"
    says "= Ansible's 'ansible.builtin.file' is 'file' here"
    says "= Salt's 'pkg.installed' is 'package' here"
    says "= Chef's 'execute' is 'exec' here"
    says "= name the resource: service[nginx]"
    says "= write it with brackets: service[nginx]"
}

@test "recipes as in Ruby" {
    recipe 'node.web.port = 80' "write to a level, not to the merged value: node.default.web.port = 80"
    recipe 'file "/a" { ensure = :present }' 'write a name as text: "present"'
    recipe '# hello' "start a comment with '--'"
    recipe 'for x in {"a"} do end' "loop with: for i, x in ipairs(list) do; for a hash use pairs(hash)"
    recipe $'file "/a" {\n  content = "x"\n  mode = "0644"\n}' "separate the elements of a table with commas: {a = 1, b = 2}"
    recipe $'file "/a" do\n  content "x"\nend' 'write attributes in a table: file "/etc/motd" { content = "...", mode = "0644" }'
    recipe 'include_recipe "nginx"' 'include("other.lua") reads another file'
}

@test "templates as in Jinja" {
    printf '{%% for x in ports %%}\n{%% end %%}\n' >a.tmpl
    printf '{%% if x %%}\n{%% end %%}\n' >b.tmpl
    manifest <<'END'
resources:
  - file: /a
    template: a.tmpl
  - file: /b
    template: b.tmpl
  - file: /c
    template: {src: c.tmpl}
  - file: /d
    template: d.tmpl
END
    run rhost validate site.yaml
    status_is 1
    says "= write {% for _, x in ipairs(LIST) do %}"
    says "= write {% if CONDITION then %}"
    says "= did you mean 'file'?"
    says "= the path is relative to the file that names it"
}

@test "a directory that is not there is named" {
    manifest <<END
resources:
  - file: $PWD/no/a
    content: x
  - link: $PWD/no/b
    target: /etc
  - directory: $PWD/no/c
  - ini_setting: x
    path: $PWD/no/d
    section: s
    setting: k
    value: v
END
    run rhost apply site.yaml
    status_is 4
    says "cannot write '$PWD/no/a': directory '$PWD/no' does not exist; 'directory: $PWD/no' creates it"
    says "cannot create '$PWD/no/b': directory '$PWD/no' does not exist"
    says "cannot create '$PWD/no/c': directory '$PWD/no' does not exist"
    says "cannot write '$PWD/no/d': directory '$PWD/no' does not exist"
}

@test "a text that is too short, or too long, and by how much" {
    manifest <<'END'
resources:
  - define: account
    parameters:
      words: {type: "String[16]"}
      name_of: {type: "Optional[String[1, 3]]"}
      password: {type: "Sensitive[String[4]]"}
    resources: []
  - account: a
    words: abc
    name_of: abcdef
    password: xy
END
    run rhost validate site.yaml
    status_is 1
    says "expects a String[16] value, got String"
    says "= too short: 3 of at least 16 characters"
    says "= too long: 6 of at most 3 characters"
    says "= too short: at least 4 characters"
}

# A template is refused with this at its start, and this hint.
template() {
    printf '%s\n' "$1" >x.tmpl
    printf 'resources:\n  - file: /a\n    template: x.tmpl\n' >site.yaml
    run rhost validate site.yaml
    status_is 1
    says "x.tmpl:$2"
    says "= $3"
}

@test "statements of other template languages" {
    template $'a\n{% for i, x in ipairs({1}) do %}\n{% endfor %}' \
        "3:4: error: unknown statement 'endfor' in a template" "write {% end %}"
    template '{% if 1 then %}a{%- endif -%}' "1:21: error: unknown statement 'endif'" "write {% end %}"
    template '{% if 1 then %}{% elif 2 then %}{% end %}' "1:19: error: unknown statement 'elif'" \
        "write {% elseif CONDITION then %}"
    template '{% if 1 then %}{% elsif 2 then %}{% end %}' "1:19: error: unknown statement 'elsif'" \
        "write {% elseif CONDITION then %}"
    template $'{% if 1 then %}\n{% else if 2 then %}\n{% end %}' "4:1: error: 'end' expected" \
        "write 'elseif': 'else if' begins another 'if', which needs an 'end' of its own"
    template '{% if node.os.family != "x" then %}{% end %}' "1:22: error: 'then' expected near '!'" \
        "write '~=' for not equal"
    template '{% set x = 1 %}' "1:4: error: unknown statement 'set'" "write {% local x = 1 %}"
    template '{% unless x %}' "1:4: error: unknown statement 'unless'" "write {% if not (CONDITION) then %}"
    template '{{ hostname }}' "1:4: error: unknown name 'hostname'" "did you mean 'node.hostname'?"
    # What lacks something is complained of on its own line.
    template $'{% for x in list %}\n{% end %}' "1:1: error: 'do' expected near ';'" \
        "write {% for _, x in ipairs(LIST) do %}"
}

@test "a template's own names may be words of other template languages" {
    printf '%s\n' '{% local set, raw = 1, 2 %}{% set = 3 %}{{ set + raw }}{% if 1 then return %}{% end %}' >x.tmpl
    printf 'resources:\n  - file: %s/a\n    template: x.tmpl\n' "$PWD" >site.yaml
    run rhost apply site.yaml
    status_is 0
    [ "$(<a)" = 5 ]
}

@test "a recipe with a byte order mark is one, and one in UTF-16 is not" {
    printf '\xef\xbb\xbffile "/a" {}\r\n' >site.lua
    run rhost validate site.lua
    status_is 0
    printf 'file "/a" {}\n' | iconv -t UTF-16 >site.lua
    run rhost validate site.lua
    status_is 1
    says "site.lua:1:1: error: the file is UTF-16; manifests and recipes must be UTF-8"
}

@test "what is wrong with each element is said once, and counted" {
    manifest <<'END'
resources:
  - for_each: [1, 2, 3]
    file: /a${each.value}
    mdoe: 0644
    content: ${each.value}
  - for_each: {x: "0644", y: "0755", z: bad, w: bad, v: worse}
    file: /b${each.key}
    mode: ${each.value}
END
    split rhost validate site.yaml
    status_is 1
    [ "$(grep -c ': error: ' err)" = 4 ]
    [ "$(grep -c '^and for 2 more elements$' err)" = 2 ]
    [ "$(grep -c '^and for 1 more element$' err)" = 1 ]
    says "file[/bz].mode expects"
    says "4 errors; nothing was changed"
    split rhost validate --format=json site.yaml
    json_is out '[e.get("more", 0) for e in d["errors"]]' '[2, 2, 1, 0]'
}

@test "what is wrong in a recipe's loop is said once, and counted" {
    printf 'for i = 1, 4 do\n  file("/a" .. i) { mdoe = "0644" }\nend\n' >site.lua
    split rhost validate site.lua
    [ "$(grep -c ': error: ' err)" = 1 ]
    says "and 3 more times"
}

@test "a guess about what is missing is said once for all elements" {
    manifest <<'END'
attributes: {default: {web: {port: 80}}}
resources:
  - for_each: [1, 2, 3]
    file: /a${each.value}
    content: ${node.web.prot}
END
    split rhost validate site.yaml
    [ "$(grep -c 'did you mean' err)" = 1 ]
}

@test "a definition that cannot be read is complained about once" {
    manifest <<'END'
resources:
  - define: vhost
    parameters: {port: integer}
    resources: []
  - vhost: a
END
    run rhost validate site.yaml
    status_is 1
    says_not "unknown type"
}

@test "a definition that uses itself is shown without repeating it" {
    manifest <<'END'
resources:
  - define: again
    resources:
      - again: ${title}x
  - again: a
END
    split rhost validate site.yaml
    status_is 1
    [ "$(grep -c 'for the instance declared here' err)" = 2 ]
}

@test "types and attributes of other programs on the command line" {
    run rhost resource lineinfile /etc/x
    status_is 1
    printf 'resources:\n  - lineinfile: /etc/x\n' >site.yaml
    hint=$(rhost validate site.yaml 2>&1 | sed -n 's/^ *= //p')
    [ -n "$hint" ]
    says "unknown type 'lineinfile'"
    says "$hint"
}

@test "a state that belongs to 'ensure'" {
    printf 'resources:\n  - package: nginx\n    state: present\n' >site.yaml
    run rhost validate site.yaml
    status_is 1
    says "= did you mean 'ensure: present'?"
    printf 'resources:\n  - package: nginx\n    state: latest-and-greatest\n' >site.yaml
    run rhost validate site.yaml
    status_is 1
    says_not 'ensure: latest'
}

@test "one character is not several" {
    printf 'resources:\n  - exec: a\n    command: ["true"]\n    umask: ""\n' >site.yaml
    run rhost validate site.yaml
    says_not '1 characters'
}

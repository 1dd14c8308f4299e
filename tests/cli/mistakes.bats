#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# What somebody types who does this for the first time, and the message that puts it right.
source "${abs_top_srcdir:-$BATS_TEST_DIRNAME/../..}/tests/cli/cli.bash"

# Refused, with these words, and nothing was changed: wrong WORDS COMMAND...
wrong() {
    local words=$1
    shift
    split rhost "$@"
    status_is 1
    is_empty out
    says "$words"
}

# A manifest with this one entry is refused so.
entry() {
    printf 'resources:\n  - %b\n' "$2" >site.yaml
    wrong "$1" apply site.yaml
}

@test "a directory in the place of a manifest" {
    mkdir site
    wrong "cannot read 'site': Is a directory" apply site
    says 'name the files in it: site/*.yaml'
    wrong 'name the files in it: site/*.yaml' validate site/
}

@test "a manifest with another ending, or a slip in its name" {
    mkdir site
    echo 'resources: []' | tee site.yaml site/web.yaml site/mail.yml site/mail.txt >site/db.json
    wrong "did you mean 'site.yaml'?" apply site.yml
    wrong "did you mean 'site.yaml'?" apply stie.yaml
    wrong "did you mean 'site.yaml'?" apply site.yam
    wrong "did you mean 'site/web.yaml'?" apply site/web.yml
    wrong "did you mean '$work/site/db.json'?" apply "$work/site/db.yaml"
    wrong "did you mean 'site/mail.yml'?" apply site/mail.yaml
    wrong "cannot open 'zzzzzzzz.yaml': No such file or directory" apply zzzzzzzz.yaml
    says_not 'did you mean'
    wrong "cannot open 'none/web.yaml'" apply none/web.yaml
}

@test "a manifest that may not be read" {
    requires_root
    requires_command runuser
    echo 'resources: []' >site.yaml
    chmod 600 site.yaml
    chmod 755 "$BATS_TEST_TMPDIR" "$work"
    run runuser -u nobody -- cat "$abs_top_builddir/rhost"
    [ "$status" -eq 0 ] || skip "nobody cannot run what is in this directory"
    run runuser -u nobody -- "$abs_top_builddir/rhost" validate --state-dir "$work/state" site.yaml
    status_is 1
    says "cannot open 'site.yaml': Permission denied"
}

@test "no space behind the colon of an entry" {
    entry "add a space after the colon: - file: /etc/motd" 'file:/etc/motd'
    entry "write it with a ':': - file: /etc/motd" 'file /etc/motd'
}

@test "a reference without brackets" {
    entry "write it with brackets: file[/etc/motd]" 'log: a\n    require: file /etc/motd'
    entry "write it with brackets: file[/etc/motd]" 'log: a\n    require: file/etc/motd'
    entry "write it with brackets: package[nginx]" 'log: a\n    require: package:nginx'
    entry "write the type and the title, for example: package[nginx]" 'log: a\n    require: nginx'
}

@test "an option that takes no value, and one that is none" {
    wrong "the option '--noop' takes no value" apply --noop=true site.yaml
    wrong "unknown option '--nooop'" apply --nooop=true site.yaml
    says "did you mean '--noop'?"
    wrong "unknown option '--mode': an attribute is written mode=0644" resource file "$work/a" --mode=0644
    wrong "unknown option '-V'" -V
    says "did you mean '--version'?"
}

@test "a command that is called so elsewhere" {
    wrong "unknown command 'run'" run site.yaml
    says "did you mean 'apply'?"
    wrong "unknown command 'version'" version
    says "did you mean '--version'?"
}

@test "a reference where a type is wanted" {
    wrong "'file[/etc/motd]' is a reference: give the type 'file' alone" \
        resource 'file[/etc/motd]'
    wrong "'file[x]' is a reference" describe 'file[x]'
}

@test "blanks around the equals sign of an attribute" {
    wrong "'mode' is not of the form ATTRIBUTE=VALUE: write it without blanks" \
        resource file "$work/a" mode = 0644
    wrong "missing attribute name in '=0644': write ATTRIBUTE=VALUE without blanks around the '='" \
        resource file "$work/a" =0644
}

@test "a title of another form" {
    wrong "file[motd]: the title expects a match for Pattern" resource file motd
    says '= path: Absolute path of the file.'
}

@test "a type behind 'types'" {
    wrong "'rhost describe file' shows one type" types file
}

@test "a directory in the place of a report" {
    printf 'resources:\n  - file: %s/a\n' "$work" >site.yaml
    wrong "cannot write '.': Is a directory; nothing was changed" apply --report=. site.yaml
    [ ! -e a ]
}

@test "of two words that are as near, the one that begins alike is meant" {
    cat >site.yaml <<YAML
resources:
  - user: bob
    shel: /bin/bash
YAML
    run rhost validate site.yaml
    status_is 1
    says "did you mean 'shell'?"
}

@test "what is in the name of a manifest, or in a title, never acts on a terminal" {
    name=$'a\e[31mb\nwarning: c.yaml'
    printf 'resources:\n  - file: %s\n    contnt: a\n' "$work/one" >"$name"
    split rhost validate "$name"
    status_is 1
    is "$(head -n 1 err | without_codes)" 'a\x1b[31mb\nwarning: c.yaml:3:5: error: '"unknown attribute 'contnt' for type 'file'"
    printf 'resources:\n  - file: %s\n    content: a\n' "$work/one" >"$name"
    split rhost apply "$name"
    status_is 0
    is "$(head -n 1 out)" "file[$work/one]  "'a\x1b[31mb\nwarning: c.yaml:2'
    manifest <<'END'
resources:
  - file: "one\nerror: two"
    content: a
END
    split rhost validate site.yaml
    status_is 1
    is "$(grep -c '^error: two' err)" 0
    says 'file[one\nerror: two]'
    [ "$(cat -v out err)" = "$(cat out err)" ]
}

@test "a character that turns text around, or marks its order, is shown as its number" {
    for point in 200e 200f 2028 2029 202a 202e 2066 2069 feff fffe ffff 7f 9f; do
        printf 'resources:\n  - file: "one\\u%04x"\n    content: a\n' "0x$point" >site.yaml
        split rhost validate site.yaml
        status_is 1
        raw=$(LC_ALL=C.UTF-8; printf "\\u$(printf %04x "0x$point")")
        is "$point $(cat out err | grep -cF -- "$raw")" "$point 0"
    done
    for point in 200d 2027 202f 2065 206a feef e9; do # neighbours are text
        printf 'resources:\n  - file: "one\\u%04x"\n    content: a\n' "0x$point" >site.yaml
        split rhost validate site.yaml
        raw=$(LC_ALL=C.UTF-8; printf "\\u$(printf %04x "0x$point")")
        grep -qF -- "file[one$raw]" err || {
            echo "$point"
            return 1
        }
    done
}

@test "what is absent, and not asked to be present, is warned of" {
    mkdir -p plugins/bare
    cat >plugins/bare/type.yaml <<'END'
type: bare
version: "1.0"
desc: Nothing of it exists.
program: [sh, ./bare.sh]
attributes:
  name: {type: "String[1]", desc: Its name., behaviour: namevar}
  ensure: {type: "Enum[present, absent]", desc: Whether it exists.}
  value: {type: "Optional[String]", desc: A property.}
END
    cat >plugins/bare/bare.sh <<'END'
while read -r line; do
    case $line in
    '{"hello":'*) echo '{"hello":{"protocol":1}}' ;;
    *) echo '{"done":true}' ;;
    esac
done
END
    manifest <<'END'
resources:
  - bare: a
    value: x
  - bare: b
    ensure: absent
END
    run rhost apply --plugin-dir plugins site.yaml
    status_is 0
    says "warning: bare[a]: it is absent and is not created: add 'ensure: present' to create it"
    says_not "warning: bare[b]"
}

@test "an entry that is refused is not called a duplicate as well" {
    manifest <<'EOF'
resources:
  - {line: "/etc/hosts: x", lien: y}
  - {line: "/etc/hosts: x", lien: z}
  - {file: /a}
  - {file: /a, mdoe: 1}
  - {file: /b, mdoe: 1}
  - {file: /b}
  - {file: /c}
  - {file: /c}
EOF
    run rhost validate site.yaml
    status_is 1
    [ "$(grep -c 'is declared twice' <<<"$output")" = 1 ]
    says 'file[/c] is declared twice'
    [ "$(grep -c ': error: ' <<<"$output")" = 5 ]
}

@test "what a value without a name lacks is said once" {
    run rhost validate - <<'EOF'
resources: [{log: "${ current('file', '/etc/passwd').checksm }"}]
EOF
    status_is 1
    says "unknown attribute 'checksm' of this value"
    says "did you mean 'checksum'?"
}

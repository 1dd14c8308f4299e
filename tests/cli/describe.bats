#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
source "${abs_top_srcdir:-$BATS_TEST_DIRNAME/../..}/tests/cli/cli.bash"

@test "describe shows the manual of a type" {
    run rhost describe link
    status_is 0
    says 'link (plugin link 1.0)'
    says "path (Pattern[/\A\//], namevar)"
    says "ensure (Enum['absent', 'present'])"
    says 'Default: "present"'
    says 'target (String[1], required to create)'
    says 'force (Boolean, parameter)'
}

@test "it shows actions and automatic relations" {
    run rhost describe exec
    says Actions
    says 'run'
    run rhost describe file
    says 'Automatic relations'
    says 'requires'
}

@test "each part of a type has its heading and its lines, and an empty one has no heading" {
    needs_python
    for type in $(rhost types | awk '!NF { exit } { print $1 }' | uniq); do
        rhost describe "$type" >text
        rhost describe "$type" --format=json >one.json
        python3 - text one.json <<'END' || { cat text; return 1; }
import json, sys
text = open(sys.argv[1]).read()
data = json.load(open(sys.argv[2]))
providers = data.get("providers", [data])
kinds = {"require": "requires", "before": "comes before", "subscribe": "subscribes to", "notify": "notifies"}
for heading, key, line in (
        ("Automatic relations (where", "relations",
         lambda r: "%s %s[%s%s]" % (kinds[r["kind"]], r["type"], "$" + r["attribute"] if "attribute" in r else r["title"],
                                    "/.." if r["above"] else "")),
        ("Claims (two", "claims", lambda c: c["kind"] + " " + c["what"]),
        ("Losses (a", "losses", str), ("Needs (what", "needs", str),
        ("Actions\n", "actions", lambda a: a["name"])):
    having = [p for p in providers if p[key]]
    if text.count("\n\n" + heading) != len(having):
        sys.exit("%s: '%s' is there %d times" % (data["type"], heading, text.count("\n\n" + heading)))
    for p in having:
        for one in p[key]:
            # A long one is broken into lines, which go on further in.
            if "\n  " + line(one) not in (text if len(line(one)) <= 76 else text.replace("\n    ", " ")):
                sys.exit("%s: there is no line '%s'" % (data["type"], line(one)))
END
    done
}

@test "describe --format=json shows each attribute with its type" {
    needs_python
    for type in $(rhost types | awk '!NF { exit } { print $1 }'); do
        rhost describe "$type" --format=json >one.json
        json_is one.json 'd["type"]' "$type"
        json_is one.json 'all("name" in a and "type" in a for p in d.get("providers", [d]) for a in p["attributes"])' True
        json_is one.json 'all("namevar" in sum((a["behaviour"] for a in p["attributes"]), []) for p in d.get("providers", [d]))' True
    done
}

@test "a type that is not there is refused, with the nearest one" {
    split rhost describe lnik
    status_is 1
    is_empty out
    says "unknown type 'lnik'
 = did you mean 'link'?"
    run rhost describe zzzzzzz
    status_is 1
    says "'rhost types' lists what is installed"
}

@test "describe wants one type" {
    run rhost describe
    status_is 1
    says "expected one TYPE; 'rhost types' lists them"
    run rhost describe file link
    status_is 1
}

@test "no line of a description is wider than 80 columns" {
    for type in $(rhost types | awk '!NF { exit } { print $1 }'); do
        rhost describe "$type"
    done | grep -v -e '(.*)$' -e '^  Titles: ' -e '^ */' >all
    not grep -E '^.{81}' all
}

@test "describe --format=markdown makes a page with tables" {
    run rhost describe link --format=markdown
    status_is 0
    [[ "$output" == '# link'$'\n\n''Keep symbolic links pointing where they should.'$'\n\n'* ]]
    says "| \`ensure\` | \`Enum['absent', 'present']\` | default \`present\` | Whether the link should exist. |"
    run rhost describe exec --format=markdown
    says '| action `run` | Run the command, if its guards agree. (on refresh) |'
    says '| feature `forgets_world` | '
    run rhost describe file --format=markdown
    says '| autorequire `file[$source]` | comes first |'
}

@test "describe --format=man makes a page that man shows without a complaint" {
    requires_command man
    for type in $(rhost types | awk '!NF { exit } { print $1 }' | uniq); do
        rhost describe "$type" --format=man >page.7
        LC_ALL=C.UTF-8 MANROFFSEQ= MANROFFOPT=-c MANWIDTH=100 man --warnings -E UTF-8 -l page.7 2>complaints |
            sed 's/.\x08//g' >shown
        sed -i "/can't break line/d" complaints # a pattern may be longer than a line
        is_empty complaints
        output=$(cat shown)
        says "rhost-$type - "
        says "RHOST-${type^^}(7)"
        for name in $(rhost describe "$type" --format=json | sed -n 's/^ *"name": "\([a-z_]*\)".*/\1/p'); do
            says " $name"
        done
    done
}

@test "each paragraph of a description begins a new one on a page" {
    mkdir -p plugins/frob
    printf '#!/bin/sh\n' >plugins/frob/frob
    chmod +x plugins/frob/frob
    cat >plugins/frob/type.yaml <<'END'
type: frob
desc: "The first.\n\nThe second,\nof two lines.\n\n\n"
program: [./frob]
attributes:
  name: {type: String, desc: Its name., behaviour: namevar}
END
    run rhost describe frob --plugin-dir plugins --format=markdown
    status_is 0
    [[ "$output" == '# frob'$'\n\n''The first.'$'\n\n''The second, of two lines.'$'\n\n''| attribute '* ]]
    run rhost describe frob --plugin-dir plugins --format=man
    status_is 0
    [[ "$output" == *$'.SH DESCRIPTION\n.PP\nThe first.\n.PP\nThe second, of two lines.\n.TP'* ]]
}

@test "a page of several providers has a part for each" {
    run rhost describe package --format=markdown
    status_is 0
    says '## Provider apt'
    says '## Provider dpkg'
    run rhost describe package --format=markdown --provider=apt
    says_not '## Provider'
    says 'feature `supports_noop`'
}

@test "a page says how each attribute behaves" {
    conduct() {
        rhost describe "$1" --format=markdown | sed -n 's/^| `\([a-z_]*\)` | .* | \([^|]*\)| [^|]*|$/\1: \2/p' |
            sed 's/ $//; /:$/d'
    }
    cmp - <(conduct apt_repository) <<'END'
name: namevar
ensure: default `present`
enabled: when created `true`
types: in any order, when created `["deb"]`
uris: needed to create
suites: needed to create
components: in any order, when created `[]`
architectures: in any order, when created `[]`
root: parameter, default `/etc/apt`
END
    cmp - <(conduct link) <<'END'
path: namevar
ensure: default `present`
target: needed to create
force: parameter, default `false`
END
}

@test "a page says nothing of this machine, and there is no other form" {
    run rhost describe package --format=man --suits
    status_is 1
    says '--suits asks about this machine; a page of --format=markdown or man does not depend on it'
    run rhost describe link --format=html
    status_is 1
    says 'expected text, json, markdown or man'
}

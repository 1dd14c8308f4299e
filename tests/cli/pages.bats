#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# The page of each plugin: its examples work, and its table says what the plugin says.
source "${abs_top_srcdir:-$BATS_TEST_DIRNAME/../..}/tests/cli/cli.bash"
source "$abs_top_srcdir/tests/scratch.bash"

teardown() {
    scratch_close
}

# What a page is about: TYPE, or TYPE-PROVIDER for one provider of several.
described() {
    case $1 in
    *-*) rhost describe "${1%%-*}" --provider="${1#*-}" --format=json ;;
    *) rhost describe "$1" --format=json ;;
    esac
}

# The plugins that were built here and have a page.
each_page() {
    local page type found=0

    for page in "$abs_top_srcdir"/plugins/*/*.md; do
        type=$(basename "$page" .md)
        [ "$(basename "$(dirname "$page")")" = "$type" ] || continue
        [ "$type" != bridge ] || continue # it has no type of its own
        if ! described "$type" >/dev/null 2>&1; then
            echo "# $type was not built here" >&3
            continue
        fi
        found=$((found + 1))
        echo "# $type"
        "$1" "$type" "$page"
    done
    [ "$found" -ge 6 ]
}

# Splits the blocks of YAML that begin with "# example" into example.1.yaml, example.2.yaml, ...
examples_of() {
    rm -rf example.*.yaml
    awk '
        /^```/ { inside = !inside && /^```yaml$/; start = inside; if (!inside && name) close(name); name = ""; next }
        inside && start { start = 0; if (/^# example/) name = "example." ++n ".yaml" }
        inside && name { print >name }
    ' "$1"
}

# One that begins with "# example as root" is run on a copy of this machine's /etc.
example_works() {
    local example

    # Tried by the plugin's own tests, in a machine that has what it needs.
    if grep -q '^# scratch example' "$2"; then
        grep -q '# scratch example' "$(dirname "$2")"/*.bats
        return
    fi
    examples_of "$2"
    ls example.*.yaml
    for example in example.*.yaml; do
        rm -rf example
        scratch_close
        if [ "$(head -n 1 "$example")" = "# example as root" ]; then
            if ! scratch_is_possible; then
                echo "# the example of $1 needs root and a mount namespace of its own" >&3
                continue
            fi
            scratch_open
        fi
        sed -i "s|/tmp/example|$work/example|g" "$example"
        run rhost apply --detailed-exitcodes "$example"
        [ "$status" -eq 2 ] || { [ "$1" = log ] && [ "$status" -eq 0 ]; } || {
            echo "$1: the first run has status $status:"
            echo "$output"
            return 1
        }
        run rhost apply --detailed-exitcodes "$example"
        status_is 0
    done
}

table_agrees() {
    local type=$1 page=$2

    described "$type" >described.json
    python3 - "$page" described.json <<'END'
import json, re, sys

rows = {}
for line in open(sys.argv[1]):
    m = re.match(r"\| `(\w+)` \| (.*)$", line)
    if m:
        rows.setdefault(m.group(1), m.group(2))
described = json.load(open(sys.argv[2]))
said = {a["name"]: a for one in described.get("providers", [described]) for a in one["attributes"]}
wrong = []
for name in said.keys() - rows.keys():
    wrong.append(f"'{name}' is not in the table")
for name in rows.keys() - said.keys():
    wrong.append(f"'{name}' is in the table, and no attribute")
for name in said.keys() & rows.keys():
    behaviour = said[name]["behaviour"]
    kind = [cell.strip() for cell in re.split(r"(?<!\\)\|", rows[name])][1]
    for bit, word in (("namevar", "namevar"), ("parameter", "parameter"),
                      ("read_only", "read.only"), ("init_only", "init.only")):
        if bool(re.search(word, kind)) != (bit in behaviour):
            wrong.append(f"'{name}': the table says '{kind}', the plugin {behaviour}")
    m = re.search(r"default `(.*?)`", kind)
    default = said[name].get("default")
    if default is not None:
        text = default if isinstance(default, str) else json.dumps(default)
        if not m or m.group(1) not in (text, text or '""'):
            wrong.append(f"'{name}': the table says '{kind}', the plugin has the default {text}")
    elif m and behaviour:
        wrong.append(f"'{name}': the plugin has no default, the table says '{kind}'")
print("\n".join(wrong))
sys.exit(bool(wrong))
END
}

# Actions, relations and features: a row each in the table of what there is besides attributes, and no
# row, nor word of the text, about others.
besides_agree() {
    local type=$1 page=$2

    described "$type" >described.json
    python3 - "$page" described.json <<'END'
import json, re, sys

text = open(sys.argv[1]).read()
rows = re.findall(r"^\| (action|feature|auto\w+|owns|edits|needs) `([^`]+)` \| .", text, re.M)
described = json.load(open(sys.argv[2]))
said = set()
for one in described.get("providers", [described]):
    said |= {("action", a["name"]) for a in one["actions"]}
    said |= {("feature", f) for f in one["features"]}
    said |= {(c["kind"], c["what"]) for c in one["claims"]}
    said |= {("needs", n) for n in one["needs"]}
    for r in one["relations"]:
        to = "$" + r["attribute"] if "attribute" in r else r["title"]
        said.add(("auto" + r["kind"], f"{r['type']}[{to}{'/..' if r['above'] else ''}]"))
wrong = [f"{kind} '{name}' has no row" for kind, name in said - set(rows)]
wrong += [f"{kind} '{name}' has a row, and is not there" for kind, name in set(rows) - said]
for kind, name in re.findall(r"\b(action|feature|auto[a-z]+)s? `([^`]+)`", text):
    if (kind, name) not in said:
        wrong.append(f"the text names the {kind} '{name}', which is not there")
for name in re.findall(r"`(supports_\w+|simple_get_\w+|remote_res\w+|forgets_\w+)`", text):
    if ("feature", name) not in said:
        wrong.append(f"the text names '{name}', which is not a feature of it")
print("\n".join(wrong))
sys.exit(bool(wrong))
END
}

# What --format=markdown makes is a page that the same tests hold.
made_page_agrees() {
    case $1 in
    *-*) rhost describe "${1%%-*}" --provider="${1#*-}" --format=markdown >made.md ;;
    *) rhost describe "$1" --format=markdown >made.md ;;
    esac
    head -1 made.md | grep -qx "# ${1%%-*}"
    table_agrees "$1" made.md
    besides_agree "$1" made.md
}

page_has_its_parts() {
    head -1 "$2" | grep -qx "# $1"
    grep -q '^| attribute | type |' "$2"
    grep -q '^What it does not do: ' "$2"
}

@test "the examples of each page work, and a second run finds nothing to do" {
    each_page example_works
}

@test "the examples of the manual of manifests work, and a second run finds nothing to do" {
    local page tried=0

    for page in manifest keywords notifications definitions; do
        grep -q '^# example' "$abs_top_srcdir/docs/reference/$page.md" || continue
        example_works "$page" "$abs_top_srcdir/docs/reference/$page.md"
        tried=$((tried + $(ls example.*.yaml | wc -l)))
    done
    [ "$tried" -ge 3 ]
}

# Blocks that begin with "# example to validate" need what no test machine has: they are only validated.
validates() {
    local example

    for example in example.*.yaml; do
        if [ "$(head -n 1 "$example")" = "# example to validate" ]; then
            rhost validate "$example"
            rm "$example"
        fi
    done
}

@test "the examples of the guides work, and a second run finds nothing to do" {
    local page tried=0

    for page in "$abs_top_srcdir"/docs/{start,guides,coming-from}/*.md; do
        grep -q '^# example' "$page" || continue
        [ "$(basename "$page")" != results.md ] || continue # it is about runs that differ, and tests/system/results.bats runs it
        echo "# $page"
        examples_of "$page"
        validates
        # What is left is tried as the examples of types are.
        sed '/^```yaml$/{N;/# example to validate/s/^```yaml/```text/}' "$page" >page.md
        ! grep -qE '^# example( as root)?$' page.md || example_works "$(basename "$page" .md)" page.md
        tried=$((tried + 1))
    done
    [ "$tried" -ge 8 ]
}

@test "the table of each page names exactly the attributes that there are, and what they are" {
    needs_python
    each_page table_agrees
}

@test "each page names exactly the actions, relations and features that there are" {
    needs_python
    each_page besides_agree
}

@test "the page that describe makes names exactly what there is" {
    needs_python
    each_page made_page_agrees
}

@test "each page has its name, its table, and what the plugin does not do" {
    each_page page_has_its_parts
}

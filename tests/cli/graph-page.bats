#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Graphs for people: rhost graph --format=svg, html, text, json, --around, --why.
source "${abs_top_srcdir:-$BATS_TEST_DIRNAME/../..}/tests/cli/cli.bash"

# The site of the manual: 120 resources that are applied, and one that is notified.
big_site() {
    cp -R "$abs_top_srcdir/docs/examples/site" .
    sed -i "s|/srv/example|$work/root|" site/site.yaml
}

# A chain, with a relation that it implies; b and c have the same neighbours.
chain() {
    manifest <<'END'
resources:
  - log: a
  - log: [b, c]
    require: log[a]
  - log: d
    require: ["log[b]", "log[c]", "log[a]"]
  - log: alone
END
}

# dot_that COMMANDS: a program of that name, which is found first.
dot_that() {
    mkdir -p bin
    printf '#!/bin/sh\n%s\n' "$1" >bin/dot
    chmod 755 bin/dot
    export PATH=$PWD/bin:$PATH
}

without_dot() {
    mkdir -p nowhere
    umask_is 022
    printf '#!/bin/sh\nPATH=%s exec "%s" "$@"\n' "$PWD/nowhere" "$abs_top_builddir/rhost" >"$RHOST"
}

@test "a picture of 120 resources is XML with a row for each, in clusters, and few boxes" {
    requires_command dot
    needs_python
    big_site
    rhost graph --format=svg site/site.yaml >graph.svg
    python3 - <<'END'
import xml.etree.ElementTree as tree
svg = "{http://www.w3.org/2000/svg}"
root = tree.parse("graph.svg").getroot()
def having(word):
    return [e for e in root.iter() if word in e.get("class", "").split()]
rows, boxes, clusters = having("row"), having("box"), having("cluster")
assert len(rows) == 121, len(rows)
assert 20 < len(boxes) < 70, len(boxes)
names = ["".join(c.itertext()) for c in clusters]
for name in "role base", "role web", "role database", "site/recipes/backup.lua":
    assert name in names, (name, names)
assert sum("vhost[" in n for n in names) == 5, names
titles = [r.find(svg + "title").text.split("\n") for r in rows]
assert any(t[0].endswith("/etc/motd]") and t[1].startswith("site/roles/base.yaml:") for t in titles), titles
# Boxes are inside of the picture, do not overlap, and each line has two of them.
def area(e):
    r = e.find(svg + "rect")
    x, y, w, h = (float(r.get(k)) for k in ("x", "y", "width", "height"))
    return x, y, x + w, y + h
areas = [area(b) for b in boxes]
for i, a in enumerate(areas):
    assert a[0] >= 0 and a[1] >= 0 and a[2] <= float(root.get("width")) and a[3] <= float(root.get("height")), a
    for b in areas[:i]:
        assert a[2] <= b[0] + 1 or b[2] <= a[0] + 1 or a[3] <= b[1] + 1 or b[3] <= a[1] + 1, (a, b)
ids = {b.get("id")[1:] for b in boxes}
lines = having("line")
assert len(lines) > 50, len(lines)
assert all(l.get("data-from") in ids and l.get("data-to") in ids for l in lines)
END
}

@test "relations that others imply are left out, and equal resources share a box" {
    needs_python
    chain
    rhost graph --format=json site.yaml >graph.json
    json_is graph.json '[(r["from"], r["to"]) for r in d["relations"] if r["implied"]]' "[('log[a]', 'log[d]')]"
    json_is graph.json '[b["resources"] for b in d["boxes"]]' \
        "[['log[a]'], ['log[b]', 'log[c]'], ['log[d]'], ['log[alone]']]"
    rhost graph --format=text site.yaml >out
    grep -q '^5 resources in 4 boxes, 5 relations of which 1 is implied by others$' out
    grep -q '^    4  log\[d\]  site.yaml:5$' out
    not grep -q 'after log\[a\] .*log\[d\]' out
    is "$(grep -c 'after log\[a\]' out)" 1
}

@test "two boxes have one line for all relations between them, and a line from each that is waited for" {
    requires_command dot
    needs_python
    manifest <<'END'
resources:
  - log: first
  - log: a
    require: log[first]
  - log: [b, c]
  - log: [d, e]
    require: ["log[b]", "log[c]", "log[a]"]
END
    rhost graph --format=svg site.yaml >graph.svg
    grep -o 'data-from="[0-9]*" data-to="[0-9]*"' graph.svg | sort >lines
    uniq lines | cmp - lines
    is "$(wc -l <lines)" 3
}

@test "the critical path is what took longest in the last runs" {
    needs_python
    manifest <<'END'
resources:
  - exec: slow
    command: [sleep, "0.4"]
  - exec: after
    command: ["true"]
    require: exec[slow]
  - exec: other
    command: [sleep, "0.05"]
END
    rhost graph --format=json site.yaml >graph.json
    json_is graph.json '"critical_path" in d' False
    rhost apply site.yaml
    rhost graph --format=json site.yaml >graph.json
    json_is graph.json 'd["critical_path"]["resources"]' "['exec[slow]', 'exec[after]']"
    json_is graph.json 'd["critical_path"]["seconds"] >= 0.4' True
    json_is graph.json '[r["resource"] for r in d["resources"] if r.get("critical")]' "['exec[slow]', 'exec[after]']"
    rhost graph --format=text site.yaml | grep -q '^critical path: '
}

@test "an instance of a definition is a cluster, and a box where others wait for it" {
    needs_python
    manifest <<'END'
resources:
  - define: pair
    resources:
      - log: ${name} one
      - log: ${name} two
        require: log[${name} one]
  - pair: left
  - pair: right
  - log: end
    require: pair[right]
END
    rhost graph --format=json site.yaml >graph.json
    json_is graph.json '[c["name"] for c in d["clusters"] if c["kind"] == "definition"]' "['pair[left]', 'pair[right]']"
    json_is graph.json '["box" in r for r in d["resources"] if r["type"] == "pair"]' '[False, True]'
    rhost graph --why 'log[right one]' 'log[end]' site.yaml >out
    grep -q '(part of pair\[right\], ' out
}

@test "a page of a graph has what graph prints as JSON, and the picture" {
    requires_command dot
    needs_python
    big_site
    rhost graph --format=html site/site.yaml >page.html
    rhost graph --format=json site/site.yaml >graph.json
    python3 - <<'END'
import html.parser, json

class Page(html.parser.HTMLParser):
    inside, text, scripts, loaded, rows = False, "", 0, [], 0

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        self.scripts += tag == "script"
        self.inside = attributes.get("id") == "data"
        self.rows += "row" in (attributes.get("class") or "").split()
        self.loaded += [v for k, v in attributes.items()
                        if k in ("src", "href", "action", "srcset", "data") and not v.startswith("#r")]

    def handle_endtag(self, tag):
        self.inside = False

    def handle_data(self, text):
        self.text += text if self.inside else ""

page = Page()
page.feed(open("page.html", encoding="utf-8").read())
assert page.scripts == 2 and not page.loaded and page.rows == 121, (page.scripts, page.loaded, page.rows)
assert json.loads(page.text) == json.load(open("graph.json"))
END
}

@test "a browser draws the page without an error, and links lead to resources" {
    requires_command dot
    requires_command chromium
    big_site
    rhost apply -q site/site.yaml
    rhost graph --format=html site/site.yaml >page.html
    timeout 100 chromium --headless --no-sandbox --disable-gpu --user-data-dir="$work/profile" \
        --enable-logging=stderr --virtual-time-budget=3000 --dump-dom "file://$PWD/page.html#r7" >dom.html 2>said
    not grep CONSOLE said
    python3 - <<'END'
import re
dom = open("dom.html", encoding="utf-8").read()
ids = set(re.findall(r' id="(r\d+)"', dom))
assert len(ids) == 121, len(ids)
links = set(re.findall(r'href="#(r\d+)"', dom))
assert links == ids, links ^ ids
assert len(re.findall(r'class="entry selected"', dom)) == 1
assert re.search(r'class="entry selected" [^>]*id="r7"|id="r7"[^>]*class="entry selected"', dom)
assert 'class="view"' in dom and "Critical path" in dom
END
}

@test "titles and names that look like markup stay text" {
    requires_command dot
    needs_python
    manifest 'a<b>&"site.yaml' <<'END'
resources:
  - log: </script><script>alert(1)</script>
  - log: "<!-- ' \" & ]]> \e[31m \xFF"
    require: log[</script><script>alert(1)</script>]
  - log: "{{x}} ${'$'}{y} \u202e"
END
    rhost graph --format=svg 'a<b>&"site.yaml' >graph.svg
    rhost graph --format=html 'a<b>&"site.yaml' >page.html
    python3 - <<'END'
import re, xml.etree.ElementTree as tree
root = tree.parse("graph.svg").getroot()
tags = {e.tag.split("}")[1] for e in root.iter()}
assert tags == {"svg", "style", "rect", "g", "text", "path", "a", "title", "polygon"}, tags
text = "".join(root.itertext())
assert "</script><script>alert(1)</script>" in text and 'a<b>&"site.yaml' in text
assert "\x1b" not in text and "\u202e" not in text
page = open("page.html", encoding="utf-8").read()
assert page.count("<script") == 2 and page.count("</script") == 2 and "alert(1)" in page
data = re.search(r'<script type="application/json" id="data">(.*?)</script>', page, re.S).group(1)
assert "<" not in data
END
}

@test "without Graphviz there is a page without a picture, and what else can be had is said" {
    chain
    without_dot
    split rhost graph --format=svg site.yaml
    status_is 1
    is_empty out
    says "the program 'dot' of Graphviz is not installed"
    says "--format=html makes a page without one"
    split rhost graph --format=html site.yaml
    status_is 0
    grep -q 'the page has no picture' err
    grep -q 'id="data"' out
    not grep -q '<svg' out
    split rhost graph --format=text site.yaml
    status_is 0
    is_empty err
}

@test "a dot that fails, or answers nonsense, is said, and nothing of it is shown" {
    chain
    dot_that 'cat >/dev/null; echo "no \033[31mmemory" >&2; exit 3'
    split rhost graph --format=svg site.yaml
    status_is 1
    is_empty out
    says "the program 'dot' of Graphviz exited with status 3: no \\x1b[31mmemory"
    for answer in '<svg onload="alert(1)"/>' '{"bb": "0,0,1,1"}' '{"bb": "0,0,nan,1", "objects": []}' '[]' '' \
        '{"bb": "0,0,9,9", "objects": [{"name": "n99", "pos": "1,1"}]}'; do
        printf '%s' "$answer" >answer
        dot_that "cat >/dev/null; cat $PWD/answer"
        split rhost graph --format=html site.yaml
        status_is 0
        says "the answer of the program 'dot' of Graphviz cannot be used"
        not grep -q '<svg' out
    done
    dot_that 'kill -9 $$'
    split rhost graph --format=svg site.yaml
    status_is 1
    says "was killed by a signal"
}

@test "dot gets no text of the manifest, and no shell" {
    chain
    dot_that "echo \"\$*\" >$PWD/arguments; cat >$PWD/question; exit 1"
    split rhost graph --format=svg site.yaml
    is "$(cat arguments)" -Tjson0
    grep -q '^n0 \[width=' question
    not grep -qE 'alone|site|log' question
}

@test "why two resources are in their order, with the place of each relation" {
    needs_python
    chain
    rhost graph --why 'log[a]' 'log[d]' site.yaml >out
    is "$(sed -n 1p out)" 'log[a] comes before log[d]:'
    is "$(sed -n 2p out)" '  log[a] → log[d]  (require of log[d], site.yaml:6:35)'
    rhost graph --why 'log[d]' 'log[b]' site.yaml >out
    is "$(sed -n 1p out)" 'log[b] comes before log[d], not after it:'
    rhost graph --why 'log[a]' 'log[alone]' site.yaml >out
    is "$(cat out)" 'no relation orders log[a] and log[alone]: log[a] comes first because it is earlier in the list of actions'
    rhost graph --format=json --why 'log[d]' 'log[b]' site.yaml >why.json
    json_is why.json '(d["first"], d["then"], d["related"], len(d["path"]), d["path"][0]["location"]["line"])' \
        "('log[b]', 'log[d]', True, 1, 6)"
    split rhost graph --why 'log[a]' 'log[x]' site.yaml
    status_is 1
    says "unknown resource 'log[x]'"
    says "did you mean"
    split rhost graph --why 'log[a]' 'x' site.yaml
    status_is 1
    says "'x' is not a resource reference"
    split rhost graph --why 'log[a]'
    status_is 1
    says "--why needs two resources and a manifest"
    split rhost graph --format=svg --why 'log[a]' 'log[b]' site.yaml
    status_is 1
    says "--why prints text or JSON"
}

@test "what is around a resource: what it needs, and what needs it, so far" {
    needs_python
    manifest <<'END'
resources:
  - log: a
  - {log: b, require: "log[a]"}
  - {log: c, require: "log[b]"}
  - {log: d, require: "log[c]"}
  - {log: e, require: "log[d]"}
  - {log: sibling, require: "log[b]"}
END
    around() {
        rhost graph --format=json "$@" site.yaml >graph.json
        json graph.json '" ".join(r["title"] for r in d["resources"])'
    }
    is "$(around --around 'log[c]')" 'a b c d e'
    is "$(around --around 'log[c]' --depth 1)" 'b c d'
    is "$(around --around 'log[b]' --depth 1)" 'a b c sibling'
    rhost graph --around 'log[c]' --depth 1 site.yaml >out
    is "$(grep -c -- '->' out)" 2
    not grep -q sibling out
    split rhost graph --around 'log[z]' site.yaml
    status_is 1
    says "unknown resource 'log[z]'"
    split rhost graph --depth 2 site.yaml
    status_is 1
    says '--depth needs --around'
}

@test "what --only and --tags exclude is not shown" {
    needs_python
    chain
    rhost graph --format=json --only 'log[d]' site.yaml >graph.json
    json_is graph.json '[r["resource"] for r in d["resources"]]' "['log[d]']"
    rhost graph --only 'log[d]' site.yaml >out
    is "$(grep -c label= out)" 1
}

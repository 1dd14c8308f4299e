#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Pages for browsers: rhost show and runs --format=html, rhost apply --report-html.
source "${abs_top_srcdir:-$BATS_TEST_DIRNAME/../..}/tests/cli/cli.bash"

# The JSON text that a page has, as a browser finds it: HTML knows where the element ends, and not the text.
data_of() {
    python3 - "$1" <<'END'
import html.parser, json, sys


class Page(html.parser.HTMLParser):
    inside, text, scripts, loaded = False, "", 0, []

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        self.scripts += tag == "script"
        self.inside = attributes.get("id") == "data"
        self.loaded += [v for k, v in attributes.items() if k in ("src", "href", "action", "srcset", "data")]

    def handle_endtag(self, tag):
        self.inside = False

    def handle_data(self, text):
        self.text += text if self.inside else ""


page = Page()
page.feed(open(sys.argv[1], encoding="utf-8").read())
assert page.scripts == 2, page.scripts
assert not page.loaded, page.loaded
json.dump(json.loads(page.text), sys.stdout, sort_keys=True)
END
}

lacks() {
    if grep "$2" "$1"; then return 1; fi
}

same_as_json() {
    data_of page.html >from-page.json
    python3 -c 'import json, sys; json.dump(json.load(sys.stdin), sys.stdout, sort_keys=True)' >from-json.json
    cmp from-page.json from-json.json
}

site() {
    manifest <<END
resources:
  - file: "$work/a"
    content: "</script><script>alert(1)</script><!-- \\u003c &lt; \U0001F600\n"
  - exec: boom
    command: ["false"]
END
}

@test "a page of a run has what show prints as JSON, whatever stands in it" {
    site
    echo before >a
    run rhost apply site.yaml
    status_is 4
    rhost show --format=html last >page.html
    rhost show --format=json last | same_as_json
    grep -q 'alert(1)' from-page.json
}

@test "a page of all runs has what runs prints as JSON" {
    rhost runs --format=html >page.html
    rhost runs --format=json | same_as_json
    site
    run rhost apply site.yaml
    status_is 4
    run rhost apply site.yaml
    status_is 4
    rhost runs --format=html >page.html
    rhost runs --format=json | same_as_json
    [ "$(grep -c . page.html)" -gt 200 ]
}

@test "a run writes its page, with the lines of what failed, beside its report" {
    site
    run rhost apply --report=report.json --report-html=page.html site.yaml
    status_is 4
    [ "$(stat -c %a page.html)" = 600 ]
    data_of page.html >from-page.json
    python3 - <<'END'
import json
page, report = json.load(open("from-page.json")), json.load(open("report.json"))
quotes = [r.pop("quote", None) for r in page["resources"]]
assert quotes[0] is None, quotes
assert "- exec: boom" in quotes[1] and "^" in quotes[1], quotes
for both in page, report:
    del both["seconds"]
assert page == report, (page, report)
END
}

@test "a page has no secret, and does not quote its line" {
    manifest <<END
resources:
  - file: $work/missing/a
    content: swordfish-17
    sensitive: content
  - exec: boom
    command: [sh, -c, "echo swordfish-17; exit 1"]
END
    run rhost apply --report-html=page.html site.yaml
    status_is 4
    lacks page.html swordfish
    data_of page.html | grep -q 'missing/a'
    rhost show --format=html last >page.html
    lacks page.html swordfish
}

@test "a page that cannot be written is refused before anything is done" {
    site
    run rhost apply --report-html="$work/none/page.html" site.yaml
    status_is 1
    says "cannot write '$work/none/page.html'"
    [ ! -e "$work/a" ]
    run rhost show --format=htm last
    status_is 1
    says 'expected text, json, html, markdown, junit, prometheus or otlp'
}

@test "a page is drawn by a browser, for each screen, without an error" {
    command -v chromium >/dev/null || skip 'needs chromium'
    site
    run rhost apply --report-html=page.html site.yaml
    status_is 4
    timeout 50 chromium --headless --no-sandbox --disable-gpu --user-data-dir="$work/profile" \
        --enable-logging=stderr --virtual-time-budget=2000 --dump-dom "file://$PWD/page.html" >dom.html 2>said
    lacks said CONSOLE
    grep -q 'exec\[boom\]' dom.html
    grep -q '<b>2</b>' dom.html
}

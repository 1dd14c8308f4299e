#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# docs/html/look finds what is wrong with a manual in a browser. "make check-html" runs it on the real one, which needs Sphinx.
source "${abs_top_srcdir:-$BATS_TEST_DIRNAME/../..}/tests/cli/cli.bash"

page() {
    mkdir -p "manual/$(dirname "$1")"
    printf '<!doctype html><html><head><meta name="viewport" content="width=device-width"><style>body { background: #fff }
@media (prefers-color-scheme: dark) { body { background: #000 } }</style></head><body>%s</body></html>\n' "$2" >"manual/$1"
}

setup() {
    work_open
    needs_python
    [ -f "$abs_top_srcdir/docs/html/look" ] || skip 'needs docs/html'
    command -v chromium >/dev/null || skip 'needs chromium'
    page index.html '<a href="start/index.html#top">start</a>'
    page start/index.html '<h1 id="top">Start</h1>'
    page guides/web-server.html 'A guide'
    page types/file.html 'A type'
    page messages/manifest.html 'A message'
    page search.html '<ul class="search"><li>A result</li></ul>'
}

look() {
    run timeout 50 python3 "$abs_top_srcdir/docs/html/look" manual "$@"
}

@test "a manual without a fault passes, and pictures are kept" {
    look --pictures=pictures
    status_is 0
    is "$output" '6 pages, 1 links'
    [ "$(find pictures -name '*.png' -size +0 | wc -l)" -eq 20 ]
}

@test "links that lead nowhere, errors, wide pages and a light page in the dark are found" {
    page index.html '<a href="none.html">a</a> <a href="start/index.html#none">b</a>'
    page types/file.html '<script>console.error("not well")</script>'
    page types/user.html '<script>nothing.at.all()</script>'
    page types/group.html '<div style="width: 500px">wide</div>'
    printf '<body style="background: #fff">light</body>' >manual/messages/manifest.html
    look
    status_is 1
    says "index.html: 'none.html' leads nowhere"
    says "index.html: 'start/index.html#none' leads to no place of that page"
    says 'types/file.html (phone): not well'
    says 'types/user.html (phone): ReferenceError: nothing is not defined'
    [[ $output =~ types/group.html\ \(phone\):\ is\ [0-9]+\ pixels\ wider ]]
    says 'messages/manifest.html (desktop): has the background rgb(255, 255, 255) in dark'
}

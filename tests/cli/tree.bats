#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Trees: a directory with all that a directory beside the manifest has in it.

source "${abs_top_srcdir:-$BATS_TEST_DIRNAME/../..}/tests/lib.bash"

setup() {
    cd "$BATS_TEST_TMPDIR" || return 1
    mkdir -p site/files/www/css out
    echo page >site/files/www/index.html
    printf '#!/bin/sh\n' >site/files/www/run
    chmod 755 site/files/www/run
    ln -s index.html site/files/www/start
    echo 'p { width: {{ 2 * 3 }}px }' >site/files/www/css/site.css.tmpl
}

# The manifest, of its lines after the first.
site() {
    { printf 'resources:\n  - tree: %s\n    source: files/www\n' "$PWD/out/www" && cat; } >site/site.yaml
}

@test "a tree has a directory, a file or a link for each, and is in sync then" {
    site <<<'    templates: .tmpl'
    run rhost apply --detailed-exitcodes site/site.yaml
    status_is 2
    says 'changed: 6 of its 6 resources'
    [ "$(find out/www -printf '%P %y %m %l\n' | sort | sed 's/ $//')" = ' d 755
css d 755
css/site.css f 644
index.html f 644
run f 755
start l 777 index.html' ]
    [ "$(cat out/www/css/site.css)" = 'p { width: 6px }' ]
    run rhost apply --detailed-exitcodes site/site.yaml
    status_is 0
    echo other >out/www/index.html
    run rhost apply --noop --detailed-exitcodes site/site.yaml
    status_is 2
    says "file[$PWD/out/www/index.html]"
    [ "$(cat out/www/index.html)" = other ]
    run rhost apply --detailed-exitcodes site/site.yaml
    status_is 2
    [ "$(cat out/www/index.html)" = page ]
    run rhost undo last
    status_is 0
    [ "$(cat out/www/index.html)" = other ]
}

@test "what is not in the source goes where a purge is asked for, and stays otherwise" {
    site <<<'    templates: .tmpl'
    rhost apply --quiet site/site.yaml
    touch out/www/extra out/www/css/extra out/www/css/kept
    run rhost apply --detailed-exitcodes site/site.yaml
    status_is 0
    site <<<$'    templates: .tmpl\n    purge: true\n    keep: [kept]'
    run rhost apply --detailed-exitcodes site/site.yaml
    status_is 2
    [ ! -e out/www/extra ]
    [ ! -e out/www/css/extra ]
    [ -e out/www/css/kept ]
}

@test "what is excluded is left out, with all that is in it" {
    mkdir -p site/files/www/.git/objects site/files/www/cssx
    touch site/files/www/.git/objects/a site/files/www/a.bak site/files/www/cssx/b site/files/www/css/c.bak
    site <<<"    exclude: [.git, '*.bak', css]"
    run rhost apply site/site.yaml
    status_is 0
    [ "$(cd out/www && find . -mindepth 1 | sort | xargs)" = './cssx ./cssx/b ./index.html ./run ./start' ]
    site <<<"    exclude: ['css/*', .git, '*.bak', cssx]"
    rm -rf out/www
    run rhost apply site/site.yaml
    status_is 0
    [ "$(cd out/www && find . -mindepth 1 | sort | xargs)" = './css ./index.html ./run ./start' ]
}

@test "a mode is that of files; programs and directories get x where it has r" {
    site <<<$'    mode: 0640'
    run rhost apply site/site.yaml
    status_is 0
    [ "$(stat -c %a out/www out/www/css out/www/run out/www/index.html | xargs)" = '750 750 750 640' ]
}

@test "owner and group hold for all of it" {
    requires_root
    site <<<$'    owner: daemon\n    group: 3'
    run rhost apply site/site.yaml
    status_is 0
    [ "$(find out/www ! -type l -printf '%U:%G\n' | sort -u)" = "$(id -u daemon):3" ]
}

@test "names mean themselves, whatever is in them" {
    names=('a${b}' 'a$${b}' '$c' ' d ' 'e"f' "g'h" 'i\j' 'k[l]' 'm: n' '*')
    for name in "${names[@]}"; do
        echo "$name" >"site/files/www/$name"
    done
    echo 'x' >'site/files/www/${1 + 1}.tmpl'
    site <<<'    templates: .tmpl'
    run rhost apply site/site.yaml
    status_is 0
    for name in "${names[@]}"; do
        [ "$(cat "out/www/$name")" = "$name" ]
    done
    [ "$(cat 'out/www/${1 + 1}')" = x ]
    run rhost apply --detailed-exitcodes site/site.yaml
    status_is 0
}

@test "others can require a tree, be notified by it, and name what is in it" {
    cat >site/site.yaml <<END
resources:
  - exec: last
    command: [cp, "$PWD/out/www/index.html", "$PWD/out/last"]
    creates: $PWD/out/last
    require: tree[$PWD/out/www]
  - exec: told
    command: [touch, "$PWD/out/told"]
    action: nothing
  - tree: $PWD/out/www
    source: files/www
    notify: exec[told]
    tag: web
END
    run rhost apply site/site.yaml
    status_is 0
    [ "$(cat out/last)" = page ]
    [ -e out/told ]
    rm out/www/index.html out/told
    run rhost apply --only "file[$PWD/out/www/index.html]" site/site.yaml
    status_is 0
    [ -e out/www/index.html ]
    rm out/www/index.html
    run rhost apply --tags other site/site.yaml
    status_is 0
    [ ! -e out/www/index.html ]
    run rhost apply --tags web site/site.yaml
    status_is 0
    [ -e out/www/index.html ]
}

@test "a tree in a loop, in a definition and in a recipe" {
    mkdir -p site/files/two
    echo two >site/files/two/file
    cat >site/site.yaml <<END
resources:
  - for_each: [www, two]
    tree: $PWD/out/\${each.value}
    source: files/\${each.value}
  - define: pages
    resources:
      - tree: $PWD/out/\${title}
        source: files/two
  - pages: three
  - include: more.lua
END
    echo "tree '$PWD/out/four' { source = 'files/two' }" >site/more.lua
    run rhost apply site/site.yaml
    status_is 0
    [ -e out/www/css/site.css.tmpl ]
    [ "$(cat out/two/file out/three/file out/four/file | sort -u)" = two ]
}

@test "a source that is not there, not a directory or elsewhere is refused, and nothing is changed" {
    touch site/file
    mkfifo site/files/pipe
    mkdir -p elsewhere
    ln -s ../../elsewhere site/files/out
    for source in nowhere site.yaml /etc ../elsewhere files files/out; do
        printf 'resources:\n  - tree: %s\n    source: %s\n' "$PWD/out/www" "$source" >site/site.yaml
        run rhost apply site/site.yaml
        status_is 1
        says 'site/site.yaml:3:13'
        [ ! -e out/www ]
    done
    printf 'resources:\n  - tree: www\n    source: files/www\n  - tree: /a\n' >site/site.yaml
    run rhost validate site/site.yaml
    status_is 1
    says 'the path of a tree must be absolute'
    says "tree[/a] needs the parameter 'source'"
    printf 'resources:\n  - directory: /a\n    source: files/www\n  - define: tree\n    resources: []\n' >site/site.yaml
    run rhost validate site/site.yaml
    status_is 1
    says "a directory with what is in it is a 'tree'"
    says "'tree' already exists, as a definition of rhost itself"
}

@test "two of one name, of a template and of a file, are refused" {
    echo x >site/files/www/css/site.css
    site <<<'    templates: .tmpl'
    run rhost apply site/site.yaml
    status_is 1
    says "file[$PWD/out/www/css/site.css]"
    [ ! -e out/www ]
}

@test "describe shows what a tree takes" {
    run rhost describe tree
    status_is 0
    says 'definition of rhost itself'
    says 'templates  (Optional'
    says_not warning
    run rhost describe --format=json tree
    status_is 0
    jq -e '.attributes | map(.name) | index("source")' <<<"$output"
}

@test "a plan has the files of a tree" {
    site <<<'    templates: .tmpl'
    run rhost plan --out plan site/site.yaml
    status_is 2
    run rhost apply --detailed-exitcodes plan
    status_is 2
    [ -e out/www/css/site.css ]
}

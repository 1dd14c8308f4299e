#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Entries of other files, read where they are named.
source "${abs_top_srcdir:-$BATS_TEST_DIRNAME/../..}/tests/cli/cli.bash"

# A manifest of `log` resources and includes: "a b @c.yaml" in the file of this name.
logs() {
    local file=$1 word
    shift
    mkdir -p "$(dirname "$file")"
    printf 'resources:\n' >"$file"
    for word; do
        case $word in
        @*) printf '  - include: %s\n' "${word#@}" ;;
        *) printf '  - log: %s\n' "$word" ;;
        esac
    done >>"$file"
}

# The titles of the action list of these files.
order_is() {
    local wanted=$1
    shift
    rhost compile "$@" >catalog.json || return
    json_is catalog.json '" ".join(a["resource"][4:-1] for a in d["list"])' "$wanted"
}

@test "entries of an included file stand where it is included" {
    needs_python
    logs site.yaml a @parts/b.yaml d
    logs parts/b.yaml b c
    order_is 'a b c d' site.yaml
}

@test "several files are included in their order, and paths are relative to the file that has them" {
    needs_python
    manifest <<END
resources:
  - include: [parts/b.yaml, "parts/deep/c.yaml"]
END
    logs parts/b.yaml b @deep/e.yaml
    logs parts/deep/e.yaml e @../f.yaml
    logs parts/f.yaml f
    logs parts/deep/c.yaml c
    order_is 'b e f c' site.yaml
    mkdir elsewhere
    cd elsewhere
    order_is 'b e f c' ../site.yaml
    order_is 'b e f c' "$work/site.yaml"
}

@test "JSON can be included" {
    needs_python
    logs site.yaml a @b.json
    printf '{"resources": [{"log": "b"}]}' >b.json
    order_is 'a b' site.yaml
}

@test "a file that is included again counts once, where it was first" {
    needs_python
    logs site.yaml @base.yaml a @parts/b.yaml @base.yaml @./parts/../base.yaml
    logs base.yaml base
    logs parts/b.yaml @../base.yaml b
    order_is 'base a b' site.yaml
    # Also when the command line names it.
    order_is 'base a b' site.yaml base.yaml
    order_is 'base a b' base.yaml site.yaml
}

@test "a pattern stands for the files that match, in the order of their bytes" {
    needs_python
    logs site.yaml @conf.d/*.yaml end
    for name in 20-b 10-z a B .hidden 100; do
        logs "conf.d/$name.yaml" "x${name#.}"
    done
    logs conf.d/other.yml no
    order_is 'x10-z x100 x20-b xB xa end' site.yaml
    logs site.yaml @conf.d/[0-9]?-*.yaml
    order_is 'x10-z x20-b' site.yaml
    # Nothing need match, but the directory must be there.
    logs site.yaml @conf.d/*.json end
    order_is 'end' site.yaml
    logs site.yaml @none.d/*.yaml
    run rhost validate site.yaml
    status_is 1
    says "site.yaml:2:14: error: cannot open the directory 'none.d': No such file or directory"
    logs site.yaml '@"*/a.yaml"'
    run rhost validate site.yaml
    says "'*/a.yaml': '*', '?' and '[' are allowed only after the last '/'"
}

@test "a file among those that its own pattern matches is passed over" {
    needs_python
    mkdir conf.d
    logs conf.d/b.yaml b '@"*.yaml"'
    logs conf.d/a.yaml a
    logs conf.d/c.yaml c
    order_is 'b a c' conf.d/b.yaml
}

@test "schedules, definitions and attributes of an included file count" {
    needs_python
    manifest <<END
resources:
  - include: lib.yaml
  - twice: x
    schedule: rarely
END
    manifest lib.yaml <<END
schedules:
  rarely: {period: never}
resources:
  - define: twice
    resources:
      - log: "\${title} one"
      - log: "\${title} two"
END
    rhost compile site.yaml >catalog.json
    json_is catalog.json '[r["title"] for r in d["resources"]]' "['x', 'x one', 'x two']"
}

@test "files that include each other are shown with their lines" {
    logs site.yaml a @b.yaml
    logs b.yaml b c @parts/d.yaml
    logs parts/d.yaml @../b.yaml d
    run rhost validate site.yaml
    status_is 1
    says "parts/d.yaml:2:14: error: 'b.yaml' includes itself: b.yaml:4 names parts/d.yaml, parts/d.yaml:2 names b.yaml"
    says '1 error'
    logs site.yaml @site.yaml
    run rhost validate site.yaml
    says "site.yaml:2:14: error: 'site.yaml' includes itself: site.yaml:2 names site.yaml"
    says '1 error'
}

@test "files are not included deeper than 50" {
    for i in $(seq 60); do
        logs "f$i.yaml" "l$i" "@f$((i + 1)).yaml"
    done
    logs f61.yaml end
    run rhost validate f1.yaml
    status_is 1
    says 'f50.yaml:3:14: error: includes are nested more than 50 deep'
    says '1 error'
    run rhost validate f20.yaml
    status_is 0
    # A directory that is in itself gives a file ever new names.
    logs site.yaml a @d/site.yaml
    ln -s . d
    run rhost validate site.yaml
    status_is 1
    says 'log[a] is declared twice'
}

@test "a file that is not there is asked for by its name, with its neighbours in mind" {
    logs site.yaml @parts/wbe.yaml
    logs parts/web.yaml web
    run rhost validate site.yaml
    status_is 1
    says "site.yaml:2:14: error: cannot open 'parts/wbe.yaml': No such file or directory"
    says "did you mean 'parts/web.yaml'?"
    says '1 error'
    # What it may have declared is not missed.
    printf '  - log: b\n    require: log[web]\n' >>site.yaml
    run rhost validate site.yaml
    says '1 error'
}

@test "mistakes in an included file are shown in that file, once" {
    logs site.yaml @b.yaml @b.yaml
    printf 'resources:\n  - log: x\n    mesage: y\n' >b.yaml
    run rhost validate site.yaml
    status_is 1
    says "b.yaml:3:5: error: unknown attribute 'mesage' for type 'log'"
    says '1 error'
    printf 'resources: [\n' >b.yaml
    run rhost validate site.yaml
    says 'b.yaml:2:1: error:'
    says '1 error'
    printf 'resuorces: []\n' >b.yaml
    run rhost validate site.yaml
    says "b.yaml:1:1: error: unknown key 'resuorces' at the top level of a manifest"
    says "did you mean 'resources'?"
    says '1 error'
}

@test "what stands beside 'include', and what it names, is checked" {
    manifest <<END
resources:
  - include: b.yaml
    mode: "0644"
  - include: 5.0
  - include:
  - include: {a: b}
  - include: [b.yaml, [c.yaml]]
END
    logs b.yaml b
    run rhost validate site.yaml
    status_is 1
    says "site.yaml:3:5: error: unknown key 'mode' beside 'include'"
    says "site.yaml:4:14: error: cannot open '5.0'"
    says "site.yaml:5:13: error: expected the name of a file, or a list of names"
    says "site.yaml:6:14: error: expected the name of a file"
    says "site.yaml:7:23: error: expected the name of a file"
    says '= for example: - include: roles/web.yaml'
    says '5 errors'
}

@test "a definition cannot include" {
    manifest <<END
resources:
  - define: a
    resources:
      - include: b.yaml
  - a: x
END
    logs b.yaml b
    run rhost validate site.yaml
    status_is 1
    says "error: 'include' cannot be used in a definition"
}

@test "what only a manifest of the command line may say is refused elsewhere" {
    logs site.yaml @b.yaml
    printf 'roles: [x]\nenvironment: y\n' >b.yaml
    run rhost validate site.yaml
    status_is 1
    says "b.yaml:1:1: error: 'roles' cannot be used in an included manifest"
    says "b.yaml:2:1: error: 'environment' cannot be used in an included manifest"
    says '2 errors'
}

@test "compiled catalogs, environments and recipes are not included" {
    logs site.yaml @compiled.json @environments/prod.yaml @r.lua
    logs b.yaml b
    mkdir environments
    printf 'default: {}\n' >environments/prod.yaml
    printf 'log "x" {}\n' >r.lua
    rhost compile b.yaml >compiled.json
    run rhost validate site.yaml
    status_is 1
    says "site.yaml:2:14: error: 'compiled.json' is a compiled catalog and cannot be included"
    says "site.yaml:3:14: error: 'environments/prod.yaml' is an environment and cannot be included"
}

@test "nothing outside of the manifest's directory is included" {
    mkdir site
    logs secret.yaml stolen
    logs site/parts/b.yaml "@../../secret.yaml"
    ln -s ../secret.yaml site/link.yaml
    ln -s .. site/up
    ln -s "$work/secret.yaml" site/absolute.yaml
    for path in ../secret.yaml "$work/secret.yaml" parts/b.yaml link.yaml up/secret.yaml absolute.yaml \
        parts/../../secret.yaml /etc/passwd ../*.yaml; do
        logs site/site.yaml "@$path"
        run rhost validate site/site.yaml
        echo "# $path"
        status_is 1
        says '--allow-outside'
        says_not stolen
    done
    for path in ../secret.yaml "$work/secret.yaml" parts/b.yaml link.yaml up/secret.yaml '../*.yaml'; do
        logs site/site.yaml "@$path"
        run rhost validate --allow-outside site/site.yaml
        echo "# $path"
        status_is 0
        says '1 resource, no errors'
    done
}

@test "what is not a file is not included, and takes no time" {
    mkdir directory
    mkfifo fifo.yaml
    for path in directory fifo.yaml .; do
        logs site.yaml "@$path"
        run timeout 10 "$abs_top_builddir/rhost" validate --state-dir "$BATS_TEST_TMPDIR/state" site.yaml
        echo "# $path"
        status_is 1
        says 'not a regular file'
    done
    logs site.yaml @directory
    run rhost validate site.yaml
    says 'name the files in it: directory/*.yaml'
}

@test "a huge file is refused" {
    logs site.yaml @huge.yaml
    truncate -s 300M huge.yaml
    run rhost validate site.yaml
    status_is 1
    says "site.yaml:2:14: error: 'huge.yaml' is larger than"
}

#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# source: files/x is the file beside the one that says it, by the rules of templates.
source "${abs_top_srcdir:-$BATS_TEST_DIRNAME/../..}/tests/cli/cli.bash"

# A site with a role and a recipe, each with a file of its own beside it.
site() {
    mkdir -p site/files site/roles/web/files out
    echo top >site/files/motd
    echo role >site/roles/web/files/motd
    cat >site/site.yaml <<END
resources:
  - file: $work/out/top
    source: files/motd
  - include: roles/web/web.yaml
  - include: roles/web/web.lua
END
    cat >site/roles/web/web.yaml <<END
resources:
  - file: $work/out/role
    source: files/motd
  - define: copied
    parameters: {from: String}
    resources:
      - file: $work/out/\${title}
        source: \${from}
  - file: $work/out/up
    source: ./../../files/motd
END
    cat >site/roles/web/web.lua <<END
file("$work/out/recipe") { source = "files/motd" }
END
}

@test "a relative source is looked for beside the file that says it, wherever rhost is started" {
    site
    mkdir elsewhere
    for dir in . site elsewhere /; do
        rm -f out/*
        run sh -c 'cd "$1" && shift && exec "$@"' - "$dir" "$abs_top_builddir/rhost" apply --isolation="$RHOST_ISOLATION" \
            --state-dir "$BATS_TEST_TMPDIR/state" "$work/site/site.yaml"
        status_is 0
        [ "$(cat out/top out/role out/up out/recipe)" = $'top\nrole\ntop\nrole' ]
    done
    run rhost apply --detailed-exitcodes site/site.yaml
    status_is 0
    (cd site && run rhost apply --detailed-exitcodes site.yaml && status_is 0)
}

@test "a relative source in a definition is one beside the definition" {
    site
    printf '  - copied: used\n    from: files/motd\n' >>site/site.yaml
    run rhost apply site/site.yaml
    status_is 0
    [ "$(cat out/used)" = role ]
}

@test "compile and plan have the absolute path" {
    site
    needs_python
    rhost compile site/site.yaml >catalog.json
    python3 - "$(realpath site)" >paths <<'END'
import json, sys
for r in json.load(open("catalog.json"))["resources"]:
    print(r["attributes"]["source"].replace(sys.argv[1], "SITE"))
END
    diff - paths <<'END'
SITE/files/motd
SITE/roles/web/files/motd
SITE/files/motd
SITE/roles/web/files/motd
END
}

@test "a source out of the manifest's directory is refused, unless that is allowed" {
    site
    echo secret >outside
    ln -s ../../outside site/files/link
    for path in ../outside files/link; do
        printf 'resources:\n  - file: %s\n    source: %s\n' "$work/out/x" "$path" >site/site.yaml
        run rhost validate site/site.yaml
        status_is 1
        says "site/site.yaml:3:13: error: '"
        says "--allow-outside allows it"
    done
    ln -sfn ../../outside site/files/link
    run rhost apply --allow-outside site/site.yaml
    status_is 0
    printf 'resources:\n  - file: %s\n    source: %s\n' "$work/out/y" ../outside >site/site.yaml
    run rhost apply --allow-outside site/site.yaml
    status_is 0
    [ "$(cat out/y)" = secret ]
}

@test "a relative source must be a file that exists" {
    site
    printf 'resources:\n  - file: %s\n    source: %s\n' "$work/out/x" files/none >site/site.yaml
    run rhost validate site/site.yaml
    status_is 1
    says "site/site.yaml:3:13: error: cannot open 'site/files/none': No such file or directory"
    says "the path is relative to the file that names it"
    printf 'resources:\n  - file: %s\n    source: %s\n' "$work/out/x" files >site/site.yaml
    run rhost validate site/site.yaml
    status_is 1
    says "'site/files' is a directory, not a regular file"
    [ "$(grep -c 'error:' <<<"$output")" -eq 1 ]
}

@test "an absolute source stays as it is, and need not exist before the run" {
    printf 'resources:\n  - file: %s\n    content: x\n  - file: %s\n    source: %s\n' "$work/a" "$work/b" "$work/a" >site.yaml
    run rhost apply site.yaml
    status_is 0
    [ "$(cat b)" = x ]
}

@test "as root, a relative source that other users can change is refused like a template" {
    requires_root
    site
    chown 1234 site/files/motd
    run rhost apply site/site.yaml
    status_is 1
    says "use --allow-unsafe-files to apply it as root"
    says "site/files/motd"
    run rhost apply --allow-unsafe-files site/site.yaml
    status_is 0
}

@test "a source that is a secret is not named in an error" {
    mkdir site
    printf 'resources:\n  - file: %s\n    source: %s\n    sensitive: source\n' "$work/x" hunter2/none >site/site.yaml
    run rhost validate site/site.yaml
    status_is 1
    says "the file that 'source' names cannot be read, or is outside of the manifest's directory"
    says_not hunter2
}

@test "a text in 'source' that a type takes as it is is no path" {
    printf 'resources:\n  - define: fetched\n    parameters: {source: String}\n    resources:\n      - file: %s/${title}\n        content: ${source}\n  - fetched: x\n    source: files/none\n' "$work" >site.yaml
    run rhost apply site.yaml
    status_is 0
    [ "$(cat x)" = files/none ]
}

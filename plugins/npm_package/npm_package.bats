#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# With the npm of the machine, on archives of the test: no registry is asked. Each start of npm takes a second.
source "${abs_top_srcdir:-$BATS_TEST_DIRNAME/../..}/tests/lib.bash"
source "$abs_top_srcdir/tests/one.bash"
source "$abs_top_srcdir/plugins/npm_package/npm.bash"

@test "an archive is installed below a prefix, replaced by another one, and removed" {
    archive 1.0.0
    archive 1.1.0
    awk '/^# scratch example/ { inside = 1 } /^```$/ { inside = 0 } inside' "$abs_top_srcdir/plugins/npm_package/npm_package.md" |
        sed "s|/tmp/example|$work|" >example.yaml
    run rhost apply --noop --detailed-exitcodes example.yaml
    status_is 2
    [ ! -e prefix ]
    run rhost apply --detailed-exitcodes example.yaml
    status_is 2
    run rhost apply --detailed-exitcodes example.yaml
    status_is 0
    [ -x prefix/bin/one ]
    [ ! -e prefix/lib/node_modules/one/ran ]
    package is_in_sync <<<'version: ^1.0.0'
    package run apply <<END
source: $work/one-1.1.0.tgz
scripts: true
END
    status_is 0
    says "version 1.0.0 is installed, and '$work/one-1.1.0.tgz' has 1.1.0"
    [ -e prefix/lib/node_modules/one/ran ]
    package is_in_sync <<<"source: $work/one-1.1.0.tgz"
    package converges <<<'ensure: absent'
    [ ! -e prefix/lib/node_modules/one ]
    [ ! -e prefix/bin/one ]
}

# differ TEXT: the summary of a dry run of the pairs "VERSION WANTED" on standard input.
differ() {
    local n=0 version wanted
    echo resources: >site.yaml
    rm -rf e*
    while read -r version wanted; do
        n=$((n + 1))
        installed "e$n/lib/node_modules" "$version"
        printf '  - npm_package: "one: %s/e%s"\n    version: "%s"\n' "$work" "$n" "$wanted" >>site.yaml
    done
    run rhost apply --noop site.yaml
    status_is 0
    says "$n resources: $1"
}

@test "versions and ranges are compared by the rules of npm" {
    differ '21 ok' <<'END'
1.2.3 1.2.3
1.2.3 v1.2.3
1.2.3 ^1.2
1.2.3 ~1.2.1
1.2.3 1.x
1.2.3 *
1.2.3 >=1 <2
1.2.3 1.2 - 1.4
1.2.3 2 || 1.2
1.2.3 <=1.2
1.2.3 > 1.1
0.2.9 ^0.2.3
0.0.3 ^0.0.3
0.0.7 ^0.0
0.9.0 ^0.x
1.2.3-beta.2 1.2.3-beta.2
1.2.3-beta.10 ^1.2.3-beta.2
1.2.3-1 <1.2.3-a
1.2.3+build 1.2.3
2.0.0 >=1.0.0
1.0.0 1 - 1.0.0
END
    differ '18 would change' <<'END'
1.2.3 1.2.4
1.2.3 ^1.3
1.2.3 ~1.1
1.2.3 2.x
1.2.3 >1.2
1.2.3 <1.2
1.2.3 1.0 - 1.1
1.2.3 2 || 3
0.3.0 ^0.2.3
0.0.4 ^0.0.3
2.0.0-rc.1 ^1.0.0
2.0.0-rc.1 *
1.2.4-beta ^1.2.3-beta
1.2.3-beta.2 ^1.2.3-beta.10
1.2.3-beta 1.2.3
1.2.3-beta <1.2.3
1.0.0 >1
1.0.0 >*
END
}

@test "a package of a project is one that its package.json names" {
    archive 1.0.0
    mkdir project
    in_project() {
        one "npm_package: 'one: $work/project'" 'layout: project' 'offline: true' -- "$@"
    }
    in_project fails "path: '$work/project' is not a project: it has no package.json" <<<"source: $work/one-1.0.0.tgz"
    echo '{"name": "project", "version": "1.0.0"}' >project/package.json
    installed project/node_modules 1.0.0
    in_project run apply <<<"source: $work/one-1.0.0.tgz"
    status_is 0
    grep -q '"one": *"file:../one-1.0.0.tgz"' project/package.json
    in_project is_in_sync <<<'version: 1.x'
    in_project run apply <<<'ensure: absent'
    status_is 0
    not grep -q '"one"' project/package.json
    echo '[' >project/package.json
    in_project fails "'$work/project/package.json' is damaged: it is not JSON, or no mapping" </dev/null
}

@test "a package that is half installed counts as absent, and is installed anew" {
    archive 1.0.0
    mkdir -p prefix/lib/node_modules/one
    package run apply <<<"source: $work/one-1.0.0.tgz"
    status_is 0
    says "package 'one' is half installed, so it counts as absent: '$work/prefix/lib/node_modules/one/package.json' does not exist"
    [ -x prefix/bin/one ]
    package is_in_sync </dev/null
    echo '{"name":' >prefix/lib/node_modules/one/package.json
    package run apply --noop </dev/null
    says "one/package.json' is damaged"
    rm -r prefix/lib/node_modules/one
    ln -s "$work/package" prefix/lib/node_modules/one
    package fails "is a link to a directory, as 'npm link' makes it" </dev/null
}

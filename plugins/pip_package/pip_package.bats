#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# With the pip of the machine, in environments of the test. Each start of pip takes a second, so cases share them.
source "${abs_top_srcdir:-$BATS_TEST_DIRNAME/../..}/tests/lib.bash"
source "$abs_top_srcdir/tests/one.bash"
source "$abs_top_srcdir/plugins/pip_package/pip.bash"

@test "a wheel is installed in an environment that is made, replaced by another one, and removed" {
    wheels one-1.0 one-1.1
    package fails "environment: '$work/env' does not exist: 'create: true' makes it" <<<"source: $work/wheels/one-1.0-py3-none-any.whl"
    awk '/^# scratch example/ { inside = 1 } /^```$/ { inside = 0 } inside' "$here/pip_package.md" | sed "s|/tmp/example|$work|" >example.yaml
    run rhost apply --noop --detailed-exitcodes example.yaml
    status_is 2
    [ ! -e env ]
    run rhost apply --detailed-exitcodes example.yaml
    status_is 2
    run rhost apply --detailed-exitcodes example.yaml
    status_is 0
    is "$(env/bin/python3 -c 'import one; print(one.version)')" 1.0
    [ ! -e "$site/pip" ]
    package is_in_sync <<<'version: ">=1, <1.1"'
    cp -a "$(/usr/bin/python3 -c 'import pip; print(pip.__path__[0])')" "$site/"
    package run apply --noop <<<"source: $work/wheels/one-1.1-py3-none-any.whl"
    says "version 1.0 is installed, and '$work/wheels/one-1.1-py3-none-any.whl' has 1.1"
    package converges <<<"source: $work/wheels/one-1.1-py3-none-any.whl"
    is "$(env/bin/python3 -c 'import one; print(one.version)')" 1.1
    package converges <<<'ensure: absent'
    [ ! -e "$site/one" ]
}

# differ TEXT: the summary of a dry run of the pairs "VERSION WANTED" on standard input differ.
differ() {
    local n=0 version wanted
    echo resources: >site.yaml
    rm -rf e*
    while read -r version wanted; do
        n=$((n + 1))
        site=e$n/lib/python3.11/site-packages
        mkdir -p "e$n/bin"
        touch "e$n/pyvenv.cfg" "e$n/bin/python3"
        installed "$version"
        printf '  - pip_package: "one: %s/e%s"\n    version: "%s"\n' "$work" "$n" "$wanted" >>site.yaml
    done
    run rhost apply --noop site.yaml
    status_is 0
    says "$n resources: $1"
}

@test "versions and specifiers are compared by the rules of Python" {
    differ '14 ok' <<'END'
1.0 1
1.0 v1.0.0
1.0 ==1.*
1.0 ~=1.0, >=0.9
1.0rc1 1.0c1
1.0rc1 <1.0rc2
1.10.post1 1.10-1
1.10.post1 >1.9
1.10 ===1.10
1.2+deb.3 1.2
1.2+deb.3 ==1.2+deb.3
1!0.5 >2024
2.0.dev3 <2.0a1
2.0.dev3 ~=2.0.dev1
END
    differ '14 would change' <<'END'
1.0 ==1.1
1.0 ~=1.1
1.0 !=1.*
1.0 <1
1.0rc1 <1.0
1.0rc1 1.0
1.10.post1 >1.10
1.10+3 >1.10
1.10.post1 ===1.10
1.2+deb.3 1.2+deb.4
1.2+deb.3 >1.2
1!0.5 0.5
2.0.dev3 2.0
1.10 <1.9
END
}

@test "what is installed comes from a directory of wheels, with what it needs, and a failure is named" {
    environment
    wheels one-1.0 one-1.1 one-2.0 'two-1.0:one<2' 'three-1.0:one>=2'
    printf 'resources:\n  - pip_package: "Two: %s/env"\n    find_links: [%s/wheels]\n    no_index: true\n' "$work" "$work" >site.yaml
    run rhost apply --detailed-exitcodes site.yaml
    status_is 2
    is "$(cd "$site" && echo *.dist-info)" 'one-1.1.dist-info two-1.0.dist-info'
    run rhost apply --detailed-exitcodes site.yaml
    status_is 0
    # Of this version there is a source archive alone, whose code is not to run.
    mkdir one-7
    printf '[build-system]\nrequires = []\nbuild-backend = "backend"\nbackend-path = ["."]\n' >one-7/pyproject.toml
    printf 'open("%s/ran", "w")\n' "$work" >one-7/backend.py
    tar -czf wheels/one-7.tar.gz one-7
    package fails 'No matching distribution found for one==7; only wheels are looked for' <<END
version: '7'
find_links: [$work/wheels]
END
    [ ! -e ran ]
    sed 's/Two/three/; $a\    constraints: '"$work/constraints" site.yaml >third.yaml
    run rhost apply --noop third.yaml
    status_is 4
    says "constraints: '$work/constraints' does not exist"
    echo 'one<2' >constraints
    run rhost apply third.yaml
    status_is 4
    says "cannot install 'three': "
    says 'conflict'
    is "$(cd "$site" && echo *.dist-info)" 'one-1.1.dist-info two-1.0.dist-info'
}

@test "a package that is half installed counts as absent, and is installed over what is there" {
    environment
    wheels one-1.0
    installed 1.0
    rm "$site/one-1.0.dist-info/RECORD"
    package run apply <<<"source: $work/wheels/one-1.0-py3-none-any.whl"
    status_is 0
    says "package 'one' is half installed, so it counts as absent: '$work/$site/one-1.0.dist-info' has no RECORD"
    is "$(env/bin/python3 -c 'import one; print(one.version)')" 1.0
    package is_in_sync </dev/null
    installed 1.1
    package fails "there is metadata of two versions of 'one'" </dev/null
}

@test "a Python that its distribution manages is not changed, nor is a directory that is something else" {
    mkdir -p env/bin env/lib/python3.11 env/lib/python3/dist-packages
    touch env/bin/python3 env/lib/python3.11/EXTERNALLY-MANAGED
    for noop in --noop ''; do
        # shellcheck disable=SC2086 # perhaps none
        package run apply $noop <<<'create: true'
        status_is 4
        says "environment: the Python of '$work/env' is managed by its distribution, which '$work/env/lib/python3.11/EXTERNALLY-MANAGED' says: install the package of the distribution, or name a virtual environment"
    done
    mkdir env/lib/python3/dist-packages/one-1.0.egg-info
    package is_in_sync <<<'version: 1.0'
    rm -r env
    mkdir env
    touch env/precious
    package fails "'$work/env' is not empty, and it is not a virtual environment" <<<'create: true'
    package fails "'$work/env' has no Python: 'create: true' makes it a virtual environment" </dev/null
    rm -r env
    touch env
    package fails "'$work/env' exists, but is not a directory" </dev/null
}

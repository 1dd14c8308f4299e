#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# The link as an executable provider, in docs/examples/languages/: it is as good as the one in C.
source "${abs_top_srcdir:-$BATS_TEST_DIRNAME/../..}/tests/lib.bash"
source "$abs_top_srcdir/tests/sdk/as-link.bash"
source "$abs_top_srcdir/tests/plugins/checked.bash"

# A directory of plugins with the link in this language, and what serves it.
plugins_of() {
    mkdir plugins
    ln -s "$abs_top_builddir/plugins/.libs/bridge.so" plugins/bridge.so
    cp -R "$abs_top_srcdir/docs/examples/languages/$1/link" plugins/link
}

passes_as_link() {
    plugins_of "$1"
    stands_in_for_link link
}

passes_check() {
    local checks

    checks_that_end_soon "$1"
    run rhost check --seed=1 "${checks[@]}" "$abs_top_srcdir/docs/examples/languages/$1/link" \
        --fixture "$abs_top_srcdir/plugins/link/link.fixture.yaml"
    echo "$output"
    status_is 0
    says_not ' warn '
}

# Links with names that a program could stumble over.
takes_odd_names() {
    cat >site.yaml <<END
resources:
  - link: "$work/it's \"odd\" \$HOME \`id\` \\\\ é"
    target: "-- a 'target'"
  - link: "$work/tab\ttab"
    target: "\$(id)"
END
    run "$abs_top_builddir/core/rhost" apply --no-installed-plugins --plugin-dir plugins --state-dir state site.yaml
    status_is 0
    [ "$(readlink "it's \"odd\" \$HOME \`id\` \\ é")" = "-- a 'target'" ]
    [ "$(readlink $'tab\ttab')" = '$(id)' ]
}

@test "the link in Python passes the tests of the link" {
    requires_command python3
    passes_as_link python
}

@test "the link in shell passes the tests of the link" {
    requires_command jq
    passes_as_link shell
}

@test "the link in Python passes the check with the fixture of the link" {
    requires_command python3
    passes_check python
}

@test "the link in shell passes the check with the fixture of the link" {
    requires_command jq
    passes_check shell
}

@test "links with odd names are made by both" {
    for language in python shell; do
        [ $language = python ] || requires_command jq
        mkdir $language
        cd $language
        plugins_of $language
        work=$PWD takes_odd_names $language
        cd ..
    done
}

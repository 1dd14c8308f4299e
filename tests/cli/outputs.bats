#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Files that somebody names to have something written to them: what is replaced, what stays, and what is left.
source "${abs_top_srcdir:-$BATS_TEST_DIRNAME/../..}/tests/cli/cli.bash"

# name LETTER: as long as a file system has them.
name() {
    printf "$1%.0s" {1..255}
}

a_file() {
    manifest <<END
resources:
  - file: $work/one
    content: one
END
}

@test "a name may be as long as the file system has them" {
    a_file
    rhost plan -o "$(name p)" site.yaml && status=0 || status=$?
    status_is 2
    rhost apply --report="$(name r)" --report-html="$(name h)" --events="$(name e)" site.yaml
    mkdir tree
    echo text >tree/file
    rhost capture --only=file --files="$work/tree" --output="$(name c)"
    for letter in p r h e c; do
        [ -s "$(name $letter)" ]
    done
    is "$(ls -A | wc -l)" 8
}

@test "a plan and a capture are written to what is there and is no regular file" {
    a_file
    mkdir tree
    echo text >tree/file
    mkfifo pipe
    for command in "plan site.yaml" "capture --only=file --files=$work/tree"; do
        timeout 60 cat pipe >copy 3>&- &
        rhost $command --output=pipe || [ $? -eq 2 ]
        wait $!
        [ -s copy ]
        [ -p pipe ]
        rhost $command --output=/dev/null || [ $? -eq 2 ]
        [ -c /dev/null ]
        ln -sf target link
        rhost $command --output=link || [ $? -eq 2 ]
        [ -L link ]
        [ -s target ]
        rhost $command --output=link || [ $? -eq 2 ]
        [ -L link ]
        rm target
    done
    # What a link leads to is not overwritten either, and others cannot read secrets there.
    ln -sf site.yaml link
    run rhost capture --only=file --files="$work/tree" --output=link
    status_is 1
    says "'link' exists and was not written by 'rhost capture': it is not overwritten"
    ln -sf open link
    rhost capture --only=file --files="$work/tree" --output=link
    run rhost capture --secrets --only=file --files="$work/tree" --output=link
    status_is 1
    says '--secrets writes only to a pipe, or to a file that nobody but its owner may read'
}

@test "a run that is killed leaves nothing beside its reports, and what they had before" {
    for report in r.json r.html r.xml; do
        echo before >$report
    done
    for i in 1 2; do
        manifest <<END
resources:
  - exec: wait
    command: [sh, -c, "touch $BATS_TEST_TMPDIR/started$i; until test -e $BATS_TEST_TMPDIR/go$i; do sleep 0.05; done"]
END
        "$abs_top_builddir/core/rhost" apply -q --no-installed-plugins --plugin-dir "$abs_top_builddir/plugins/.libs" \
            --state-dir "$BATS_TEST_TMPDIR/state" --wait-lock=60 --report=r.json --report-html=r.html --report-junit=r.xml site.yaml \
            >/dev/null 2>&1 3>&- &
        pid=$!
        for _ in $(seq 1200); do
            [ ! -e "$BATS_TEST_TMPDIR/started$i" ] || break
            sleep 0.05
        done
        [ -e "$BATS_TEST_TMPDIR/started$i" ]
        kill -9 $pid
        wait $pid || true
        touch "$BATS_TEST_TMPDIR/go$i"
    done
    is "$(ls -A | xargs)" 'r.html r.json r.xml site.yaml'
    is "$(cat r.*)" "$(printf 'before\nbefore\nbefore')"
}

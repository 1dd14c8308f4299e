#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Follows docs/authors/provider-tutorial.md to the letter, with an installed rhost.
source "${abs_top_srcdir:-$BATS_TEST_DIRNAME/../..}/tests/cli/cli.bash"
source "$abs_top_srcdir/tests/sdk/installed.bash"

tutorial=$abs_top_srcdir/docs/authors/provider-tutorial.md

# All blocks of this kind, as they stand.
blocks() {
    awk -v kind="\`\`\`$1" '
        $0 == kind && !inside { inside = 1; next }
        /^```/ { inside = 0; next }
        inside
    ' "$tutorial"
}

needs_tools() {
    for command in make pkg-config cc; do
        requires_command $command
    done
    [ -s /etc/shells ] || skip "needs /etc/shells"
}

@test "who follows the tutorial gets what it shows, and is told how long it took" {
    needs_tools
    page=$tutorial
    if [ "${RHOST_WATCHED-}" = asan ]; then
        page=$work/page.md
        sed -E 's/^pass  ( (no-memory|memory-limit) +shell)$/skip  \1: not possible with sanitizers/
            s/^48 pass, 12 skip;/46 pass, 14 skip;/' "$tutorial" >"$page"
    fi
    run "$abs_top_srcdir/tests/sdk/tutorial-timed" "$abs_top_builddir" "$page"
    echo "$output"
    status_is 0
    says '| Checking it |'
    read -r _ _ _ _ words _ lines _ commands _ ms _ <<<"$(grep '^| in all ' <<<"$output")"
    [ "$ms" -gt 0 ]
    [ "$ms" -lt 60000 ]
    # The head of the page says the same, words rounded.
    output=$(sed '/^## /q' "$tutorial")
    says "about $(((words + 50) / 100 * 100)) words to read"
    says "have $lines lines"
    says "and $commands commands"
}

@test "a page that shows something else than what happens is found out" {
    needs_tools
    sed 's/^2 fail; seed 1$/3 fail; seed 1/; s/would change$/did change/' "$tutorial" >page.md
    run "$abs_top_srcdir/tests/sdk/tutorial-timed" "$abs_top_builddir" page.md
    status_is 1
    says '-3 fail; seed 1'
    says '+2 fail; seed 1'
    says '-shell[/bin/csh] site.yaml:4 did change'
}

@test "the provider of the tutorial compiles without a warning" {
    requires_command cc
    blocks c >shell.c
    cc -std=gnu11 -Wall -Wextra -Wshadow -Werror -fsyntax-only -D_GNU_SOURCE -I"$abs_top_srcdir/sdk" shell.c
}

@test "it lists the shells of this machine, and what it lists can be applied" {
    needs_tools
    install_rhost
    unset -f rhost
    mkdir shell
    cd shell
    blocks c >shell.c
    blocks make >Makefile
    make -s
    rhost resource --plugin-dir=. shell >shells.yaml
    [ "$(grep -c '^  - shell: ' shells.yaml)" -eq "$(grep '^/' /etc/shells | sort -u | wc -l)" ]
    run rhost apply --plugin-dir=. --noop --detailed-exitcodes shells.yaml
    status_is 0
}

@test "it works in the process of rhost as well, and takes no harm from a missing newline" {
    needs_tools
    install_rhost
    unset -f rhost
    mkdir shell
    cd shell
    blocks c >shell.c
    blocks make >Makefile
    make -s
    printf '/bin/sh' >list
    for isolation in confined none; do
        rhost resource -q --isolation=$isolation --plugin-dir=. shell /bin/x target="$PWD/list"
        [ "$(cat list)" = "/bin/sh
/bin/x" ]
        rhost resource -q --isolation=$isolation --plugin-dir=. shell /bin/x target="$PWD/list" ensure=absent
        [ "$(cat list)" = /bin/sh ]
    done
}

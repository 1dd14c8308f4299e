#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Follows docs/provider-tutorial.md to the letter, with an installed rhost.
source "${abs_top_srcdir:-$BATS_TEST_DIRNAME/../..}/tests/cli/cli.bash"

tutorial=$abs_top_srcdir/docs/provider-tutorial.md

# All blocks of this kind, as they stand.
blocks() {
    awk -v kind="\`\`\`$1" '
        $0 == kind && !inside { inside = 1; next }
        /^```/ { inside = 0; next }
        inside
    ' "$tutorial" | sed "s|/tmp/|$work/|g"
}

# Installs rhost below `root`, and puts programs in front that find it there.
install_rhost() {
    for command in make pkg-config cc; do
        requires_command $command
    done
    unset MAKEFLAGS MAKELEVEL MFLAGS MAKEOVERRIDES DESTDIR CFLAGS CPPFLAGS LDFLAGS
    make -s -C "$abs_top_builddir" install DESTDIR="$work/root" >install.log 2>&1
    root=$work/root
    export PKG_CONFIG_LIBDIR=$(dirname "$(find "$root" -name rhost.pc)")
    mkdir bin
    # The worker stands beside the program, since it does not know of the root.
    cp "$(find "$root" -path '*/bin/rhost')" "$(find "$root" -name rhost-worker)" bin/
    mv bin/rhost bin/rhost-installed
    cat >bin/rhost <<END
#!/bin/sh
exec "$work/bin/rhost-installed" --state-dir "$work/state" \
    --plugin-dir "$root$(pkg-config --variable=plugindir rhost)" "\$@"
END
    {
        echo '#!/bin/sh'
        printf 'exec %s' "$(command -v pkg-config)"
        for name in includedir datadir; do
            printf ' --define-variable=%s=%s' $name "$root$(pkg-config --variable=$name rhost)"
        done
        echo ' "$@"'
    } >bin/pkg-config
    chmod +x bin/rhost bin/pkg-config
    unset -f rhost
    PATH=$work/bin:$PATH
    export DESTDIR=$root
}

@test "who follows the tutorial gets what it shows" {
    install_rhost
    mkdir shell
    cd shell
    blocks c >shell.c
    blocks make >Makefile
    blocks yaml >site.yaml
    blocks console >wanted
    play <wanted >got
    diff -u <(timeless <wanted) <(timeless <got)
}

@test "the provider of the tutorial compiles without a warning" {
    requires_command cc
    blocks c >shell.c
    cc -std=gnu11 -Wall -Wextra -Wshadow -Werror -fsyntax-only -D_GNU_SOURCE -I"$abs_top_srcdir/sdk" shell.c
}

@test "it lists the shells of this machine, and what it lists can be applied" {
    [ -s /etc/shells ] || skip "needs /etc/shells"
    install_rhost
    mkdir shell
    cd shell
    blocks c >shell.c
    blocks make >Makefile
    make -s
    rhost resource --plugin-dir=. shell >shells.yaml
    [ "$(grep -c '^  - shell: ' shells.yaml)" -eq "$(grep -c '^/' /etc/shells | sort -u)" ]
    run rhost apply --plugin-dir=. --noop --detailed-exitcodes shells.yaml
    status_is 0
}

@test "it works in the process of rhost as well, and takes no harm from a missing newline" {
    install_rhost
    mkdir shell
    cd shell
    blocks c >shell.c
    blocks make >Makefile
    make -s
    printf '/bin/sh' >list
    for isolation in worker none; do
        rhost resource -q --isolation=$isolation --plugin-dir=. shell /bin/x target="$PWD/list"
        [ "$(cat list)" = "/bin/sh
/bin/x" ]
        rhost resource -q --isolation=$isolation --plugin-dir=. shell /bin/x target="$PWD/list" ensure=absent
        [ "$(cat list)" = /bin/sh ]
    done
}

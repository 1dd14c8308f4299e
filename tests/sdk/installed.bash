# SPDX-License-Identifier: Apache-2.0
# The SDK as third parties get it, for tests that build against it.

# Installs the SDK below `root`, and puts a pkg-config in front that finds it there.
install_sdk() {
    requires_command make
    requires_command pkg-config
    requires_command cc
    # The make that runs the tests is none of this one's business.
    unset MAKEFLAGS MAKELEVEL MFLAGS MAKEOVERRIDES DESTDIR CFLAGS CPPFLAGS LDFLAGS
    make -s -C "$abs_top_builddir" install-sdk DESTDIR="$work/root" >install.log
    pc=$(find root -name rhost.pc)
    [ -n "$pc" ]
    export PKG_CONFIG_LIBDIR=$work/${pc%/rhost.pc}
    mkdir bin
    {
        echo '#!/bin/sh'
        printf 'exec %s' "$(command -v pkg-config)"
        for name in includedir datadir; do
            printf ' --define-variable=%s=%s' "$name" "$work/root$(pkg-config --variable=$name rhost)"
        done
        echo ' "$@"'
    } >bin/pkg-config
    chmod +x bin/pkg-config
    printf '#!/bin/sh\nexec %s "$@"\n' "$abs_top_builddir/rhost" >bin/rhost
    chmod +x bin/rhost
    PATH=$work/bin:$PATH
}

# SPDX-License-Identifier: Apache-2.0
# The SDK, or all of rhost, as third parties get it, for tests and scripts that build against it. It needs `work`,
# a directory of its own, and `abs_top_builddir`.

# Installs by TARGET of make below `root`, and puts a pkg-config in front that finds it there.
install_below_root() {
    # The make that runs the tests is none of this one's business.
    unset MAKEFLAGS MAKELEVEL MFLAGS MAKEOVERRIDES DESTDIR CFLAGS CPPFLAGS LDFLAGS
    root=$work/root
    make -s -C "$abs_top_builddir" "$1" DESTDIR="$root" >"$work/install.log" 2>&1 || return
    pc=$(find "$root" -name rhost.pc)
    [ -n "$pc" ] || return
    export PKG_CONFIG_LIBDIR=${pc%/rhost.pc}
    mkdir "$work/bin" || return
    {
        echo '#!/bin/sh'
        printf 'exec %s' "$(command -v pkg-config)"
        for name in includedir datadir; do
            printf ' --define-variable=%s=%s' "$name" "$root$(pkg-config --variable=$name rhost)"
        done
        echo ' "$@"'
    } >"$work/bin/pkg-config"
    chmod +x "$work/bin/pkg-config"
    PATH=$work/bin:$PATH
}

# The SDK alone; rhost is the one that was built.
install_sdk() {
    requires_command make
    requires_command pkg-config
    requires_command cc
    install_below_root install-sdk
    printf '#!/bin/sh\nexec %s "$@"\n' "$abs_top_builddir/rhost" >bin/rhost
    chmod +x bin/rhost
}

# All of it, with a program in front that finds what is below `root`, where plugins are installed as well.
install_rhost() {
    install_below_root install || return
    # The worker stands beside the program, since it does not know of the root.
    cp "$(find "$root" -path '*/bin/rhost')" "$work/bin/rhost-installed"
    cp "$(find "$root" -name rhost-worker)" "$work/bin/"
    cat >"$work/bin/rhost" <<END
#!/bin/sh
exec "$work/bin/rhost-installed" --state-dir "$work/state" --no-installed-plugins \
    --plugin-dir "$root$(pkg-config --variable=plugindir rhost)" "\$@"
END
    chmod +x "$work/bin/rhost"
    export DESTDIR=$root
}

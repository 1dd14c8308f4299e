# SPDX-License-Identifier: Apache-2.0
# All of rhost as it is installed, for what follows the pages for authors from outside of the tree. It
# needs `work`, a directory of its own, and `abs_top_builddir`.

# Installs rhost below `root`, and puts programs in front that find it there.
install_rhost() {
    unset MAKEFLAGS MAKELEVEL MFLAGS MAKEOVERRIDES DESTDIR CFLAGS CPPFLAGS LDFLAGS
    root=$work/root
    make -s -C "$abs_top_builddir" install DESTDIR="$root" >"$work/install.log" 2>&1 || return
    PKG_CONFIG_LIBDIR=$(dirname "$(find "$root" -name rhost.pc)")
    export PKG_CONFIG_LIBDIR
    mkdir "$work/bin" || return
    # The worker stands beside the program, since it does not know of the root.
    cp "$(find "$root" -path '*/bin/rhost')" "$work/bin/rhost-installed"
    cp "$(find "$root" -name rhost-worker)" "$work/bin/"
    cat >"$work/bin/rhost" <<END
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
    } >"$work/bin/pkg-config"
    chmod +x "$work/bin/rhost" "$work/bin/pkg-config"
    PATH=$work/bin:$PATH
    export DESTDIR=$root
}

# SPDX-License-Identifier: Apache-2.0
# For those that make the link in another language: it is as good as the one in C.

# The tests of the link that is written in C, with the plugin PATH, which is in the directory plugins, in its place.
stands_in_for_link() {
    cat >rhost-in-place <<END
#!/bin/sh
exec "$abs_top_builddir/core/rhost" --no-installed-plugins --plugin-dir "$work/plugins" "\$@"
END
    chmod +x rhost-in-place
    run ./rhost-in-place types --state-dir state --format=json
    says "$work/plugins/$1"
    [ "$1" = link.so ] || says_not 'link.so'
    RHOST=$work/rhost-in-place run bats "$abs_top_srcdir/plugins/link/link.bats"
    echo "$output"
    status_is 0
    says "1..$(grep -c '^@test' "$abs_top_srcdir/plugins/link/link.bats")"
}

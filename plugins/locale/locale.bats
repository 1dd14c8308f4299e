#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# With the localedef and locale of the machine, on /usr/lib/locale and /usr/share/i18n of the test. The locales are small,
# since a language takes localedef seconds.
source "${abs_top_srcdir:-$BATS_TEST_DIRNAME/../..}/tests/lib.bash"
source "$abs_top_srcdir/tests/one.bash"

setup() {
    work_open
    requires_root
    requires_command localedef
    requires_command unshare
    [ -e /usr/share/i18n/charmaps/ANSI_X3.4-1968.gz ] || skip "needs the sources of locales"
    mkdir -p lib i18n/locales scratch/lib scratch/i18n
    for category in CTYPE COLLATE MONETARY NUMERIC TIME MESSAGES; do
        printf 'LC_%s\ncopy "POSIX"\nEND LC_%s\n' $category $category
    done | tee i18n/locales/zz_XX >i18n/locales/zz_ZZ
    cat >inside <<END
#!/bin/sh
exec unshare -m sh -c 'mount -t overlay overlay -o lowerdir=/usr/lib/locale,upperdir=$work/lib,workdir=$work/scratch/lib /usr/lib/locale &&
mount -t overlay overlay -o lowerdir=/usr/share/i18n,upperdir=$work/i18n,workdir=$work/scratch/i18n /usr/share/i18n &&
{ [ ! -e $work/trouble ] || . $work/trouble; } && exec "\$@"' sh "\$@"
END
    printf '#!/bin/sh\nexec %s/inside %s "$@"\n' "$work" "$abs_top_builddir/rhost" >rhost-inside
    chmod 755 inside rhost-inside
    RHOST=$work/rhost-inside
    printf '# About this file\n# zz_ZZ ANSI_X3.4-1968\n# zz_ZZ.UTF-8 UTF-8\nen_US.UTF-8 UTF-8\n' >gen
}

locale_is() {
    one "locale: ${1:-zz_ZZ}" 'charset: ANSI_X3.4-1968' "gen_file: $work/gen" -- "${@:2}"
}

generated() {
    ./inside locale -a | grep '^zz' | xargs
}

@test "a locale is made and listed, and goes" {
    for RHOST_ISOLATION in $isolations; do
        locale_is zz_ZZ run apply --noop <<<'ensure: present'
        status_is 0
        is "$(generated)" ''
        locale_is zz_ZZ converges <<<'ensure: present'
        [[ " $(generated) " == *' zz_ZZ '* ]]
        is "$(cat gen)" $'# About this file\nzz_ZZ ANSI_X3.4-1968\n# zz_ZZ.UTF-8 UTF-8\nen_US.UTF-8 UTF-8'
        locale_is zz_XX converges <<<'listed: false'
        locale_is zz_ZZ run apply <<<'listed: false'
        is "$(sed -n 2p gen)" '# zz_ZZ ANSI_X3.4-1968'
        run rhost undo last
        status_is 0
        is "$(sed -n 2p gen)" 'zz_ZZ ANSI_X3.4-1968'
        locale_is zz_ZZ converges <<<'ensure: absent'
        locale_is zz_XX converges <<<'ensure: absent'
        is "$(generated)" ''
        is "$(sed -n 2p gen)" '# zz_ZZ ANSI_X3.4-1968'
    done
    echo zz_ZZ ANSI_X3.4-1968 >gen
    locale_is zz_ZZ converges <<<'ensure: absent'
    rm gen
    locale_is zz_ZZ run apply <<<'ensure: present'
    [ ! -e gen ]
    run rhost undo last
    status_is 0
    is "$(generated)" ''
}

@test "a codeset is the same in any spelling, and is the character set where nothing else says it" {
    sed -i 's/ANSI_X3.4-1968/UTF-8/' gen
    for name in zz_ZZ.utf8 zz_ZZ.UTF-8 zz_ZZ.utf-8; do
        printf 'resources:\n  - locale: %s\n    gen_file: %s/gen\n' "$name" "$work" >site.yaml
        run rhost apply --detailed-exitcodes site.yaml
        [ "$name" != zz_ZZ.utf8 ] || status_is 2
        [ "$name" = zz_ZZ.utf8 ] || status_is 0
    done
    is "$(grep zz_ZZ gen)" $'# zz_ZZ UTF-8\nzz_ZZ.UTF-8 UTF-8'
    run rhost resource --format=yaml locale
    printf '%s\n' "$output" >list.yaml
    says 'locale: zz_ZZ.UTF-8'
    says_not 'locale: C'
    run rhost apply --noop --detailed-exitcodes list.yaml
    status_is 0
}

@test "sources that are missing, cut off or locked, and a full disk fail, and nothing is listed" {
    locale_is zz_YY run apply --noop <<<'ensure: present'
    status_is 4
    says "the source of the locale, '/usr/share/i18n/locales/zz_YY', does not exist"
    run apply --noop <<END
resources:
  - exec: the source
    command: ["true", zz_YY]
  - locale: zz_YY
    charset: UTF-8
END
    status_is 0
    says 'unknown: name: the source of the locale'
    locale_is zz_YY fails "the source of the locale, '/usr/share/i18n/locales/zz_YY', does not exist" <<<'ensure: present'
    one 'locale: zz_ZZ' -- fails "charset: 'zz_ZZ' does not say which character set it has" <<<"gen_file: $work/gen"
    one 'locale: zz_ZZ' 'charset: NONE' -- fails "the character set 'NONE' does not exist" <<<"gen_file: $work/gen"
    sed 's/POSIX/NONE/; 3q' i18n/locales/zz_ZZ >i18n/locales/zz_VV
    locale_is zz_VV fails 'localedef has not made it: ' <<<'ensure: present'
    for trouble in 'mount -t tmpfs -o size=16k tmpfs /usr/lib/locale' 'mount -o remount,ro,bind /usr/lib/locale' \
        'mount --bind /dev/null "$(command -v localedef)"' 'mount --bind /dev/null "$(command -v locale)"'; do
        echo "$trouble" >trouble
        locale_is zz_ZZ run apply <<<'ensure: present'
        status_is 4
        says 'failed: '
    done
    rm trouble
    is "$(generated)" ''
    is "$(sed -n 2p gen)" '# zz_ZZ ANSI_X3.4-1968'
    # What a package has installed as a directory is not in the archive.
    mkdir -p lib/zz_ZZ/LC_MESSAGES
    ./inside localedef -i zz_ZZ -c -f ANSI_X3.4-1968 --no-archive zz_ZZ 2>/dev/null || true
    locale_is zz_ZZ fails 'the locale cannot be removed: it is not in the archive of localedef, but a directory' <<<'ensure: absent'
    for name in german 'de DE' --help C de_DE/x; do
        one "locale: '$name'" -- fails "name" <<<'ensure: present'
    done
}

@test "a run that is killed after the locale was made is completed by the next one" {
    printf 'resources:\n  - locale: zz_ZZ\n    charset: ANSI_X3.4-1968\n    gen_file: %s/gen\n' "$work" >site.yaml
    ./inside localedef -i zz_ZZ -c -f ANSI_X3.4-1968 zz_ZZ 2>/dev/null || true
    run rhost apply --detailed-exitcodes site.yaml
    status_is 2
    is "$(sed -n 2p gen)" 'zz_ZZ ANSI_X3.4-1968'
}

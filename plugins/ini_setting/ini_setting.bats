#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
source "${abs_top_srcdir:-$BATS_TEST_DIRNAME/../..}/tests/lib.bash"
source "$abs_top_srcdir/tests/one.bash"

# One setting of the file "f": its name, and more attributes on standard input.
ini() {
    local setting=$1
    shift
    one "ini_setting: \"$work/f $setting\"" -- "$@"
}

# bats test_tags=inline
@test "a setting is changed in its place, and nothing else is" {
    printf '# top\nx=0\n\n[a]\n; say\n  x   =1 \ny = 2\n[b]\nx = 3' >f
    ini '[a] x' becomes '# top\nx=0\n\n[a]\n; say\n  x   =9\ny = 2\n[b]\nx = 3' <<<'value: 9'
    ini '[b] x' becomes '# top\nx=0\n\n[a]\n; say\n  x   =9\ny = 2\n[b]\nx = 4' <<<'value: 4'
    ini '[] x' becomes '# top\nx=5\n\n[a]\n; say\n  x   =9\ny = 2\n[b]\nx = 4' <<<'value: 5'
}

@test "the title may be free, and attributes say the name" {
    printf '[a]\nx = 1\n' >f
    converges <<END
resources:
  - ini_setting: whatever you like
    path: $work/f
    section: a
    setting: x
    value: 2
END
    grep -qx 'x = 2' f
}

@test "a new setting is the last of its section, with its indentation" {
    printf '[a]\n\tx = 1\n\n# about b\n[b]\n' >f
    ini '[a] new' becomes '[a]\n\tx = 1\n\tnew = 2\n\n# about b\n[b]\n' <<<'value: 2'
    ini '[b] new' becomes '[a]\n\tx = 1\n\tnew = 2\n\n# about b\n[b]\nnew = 3\n' <<<'value: 3'
    ini '[b] more' becomes '[a]\n\tx = 1\n\tnew = 2\n\n# about b\n[b]\nnew = 3\n    more = 4\n' <<'END'
value: 4
indent: "    "
END
}

@test "a new setting comes below a comment that shows it" {
    printf '[a]\n;x = default\n# x is good\ny = 1\n[b]\n#x = 2\n' >f
    ini '[a] x' becomes '[a]\n;x = default\nx = 9\n# x is good\ny = 1\n[b]\n#x = 2\n' <<<'value: 9'
}

@test "a section that is missing is made at the end" {
    printf 'x = 1' >f
    ini '[a b] x' becomes 'x = 1\n\n[a b]\nx = 2\n' <<<'value: 2'
    printf '' >f
    ini '[a] x' becomes '[a]\nx = 2\n' <<<'value: 2'
}

@test "before the first section is a place as well" {
    printf '# head\n# of it\n\n[a]\nx = 1\n' >f
    ini '[] x' becomes '# head\n# of it\nx = 2\n\n[a]\nx = 1\n' <<<'value: 2'
    printf '[a]\nx = 1\n' >f
    ini '[] x' becomes 'x = 2\n[a]\nx = 1\n' <<<'value: 2'
}

@test "the file is made when it is missing, unless it should not be" {
    for RHOST_ISOLATION in $isolations; do
        rm -f f
        ini '[a] x' converges <<<'value: 1'
        [ "$(cat f)" = "[a]
x = 1" ]
        [ "$(mode_of f)" = 644 ]
    done
    rm f
    ini '[a] x' fails "the file does not exist, and 'create' is false" <<'END'
value: 1
create: false
END
    [ ! -e f ]
}

@test "numbers and Booleans are written as they are" {
    printf '[a]\n' >f
    ini '[a] x' becomes '[a]\nx = true\n' <<<'value: true'
    ini '[a] x' becomes '[a]\nx = 0.1\n' <<<'value: 0.1'
    ini '[a] x' becomes '[a]\nx = -12\n' <<<'value: -12'
    ini '[a] x' is_in_sync <<<'value: "-12"'
}

@test "other separators" {
    printf 'a: 1\nurl: http://x\n' >f
    ini '[] a' becomes 'a: 2\nurl: http://x\n' <<'END'
value: 2
separator: ": "
END
    ini '[] b' becomes 'a: 2\nurl: http://x\nb: 3\n' <<'END'
value: 3
separator: ": "
END
    printf 'Port 22\nListen   1.2.3.4 5\n' >f
    ini '[] Listen' becomes 'Port 22\nListen   ::\n' <<'END'
value: "::"
separator: " "
END
    printf '[a]\n' >f
    ini '[a] x' becomes '[a]\nx=1\n' <<'END'
value: 1
separator: "="
END
}

@test "quotes are written, and not compared" {
    printf '[a]\nx = '"'1 '"'\n' >f
    ini '[a] x' is_in_sync <<'END'
value: "1 "
quote: '"'
END
    ini '[a] x' becomes '[a]\nx = " 2"\n' <<'END'
value: " 2"
quote: '"'
END
    ini '[a] x' becomes '[a]\nx = 2\n' <<<'value: 2'
}

@test "a comment behind a value stays, where there are such" {
    printf '[a]\nx = 1  ; one\ny = "a;b" # two\n' >f
    ini '[a] x' becomes '[a]\nx = 22  ; one\ny = "a;b" # two\n' <<'END'
value: 22
inline_comments: true
END
    ini '[a] y' is_in_sync <<'END'
value: a;b
quote: '"'
inline_comments: true
END
    printf '[a]\nz ; none\n' >g
    run apply <<END
resources:
  - ini_setting: z
    path: $work/g
    section: a
    setting: z
    value: "1"
    separator: " "
    inline_comments: true
END
    status_is 0
    is "$(cat g)" "$(printf '[a]\nz 1 ; none')"
    ini '[a] x' becomes '[a]\nx = 3\ny = "a;b" # two\n' <<<'value: 3'
    ini '[a] x' fails "'; 5' would be read as a comment" <<'END'
value: 4 ; 5
inline_comments: true
END
}

@test "a name alone is a setting" {
    printf '[mysqld]\nskip-networking\n' >f
    ini '[mysqld] skip-networking' is_in_sync <<<'ensure: present'
    ini '[mysqld] other' becomes '[mysqld]\nskip-networking\nother\n' <<<'ensure: present'
    ini '[mysqld] other' becomes '[mysqld]\nskip-networking\nother = 1\n' <<<'value: 1'
    printf '[a]\nx=\n' >f
    ini '[a] x' becomes '[a]\nx= 1\n' <<<'value: 1'
    ini '[a] x' becomes '[a]\nx=\n' <<<'value: ""'
}

@test "of several the last one counts, in all sections of that name" {
    printf '[a]\nx = 1\nx = 2\n[b]\n[a]\ny = 1\n' >f
    ini '[a] x' is_in_sync <<<'value: 2'
    ini '[a] x' becomes '[a]\nx = 1\nx = 3\n[b]\n[a]\ny = 1\n' <<<'value: 3'
    ini '[a] x' becomes '[a]\n[b]\n[a]\ny = 1\n' <<<'ensure: absent'
}

@test "what continues a value is not torn from it" {
    printf '[a]\nx = 1\n  2\n  3\n[b]\n' >f
    ini '[a] y' becomes '[a]\nx = 1\n  2\n  3\ny = 9\n[b]\n' <<<'value: 9'
}

@test "a setting goes, and with it an empty section where that is wanted" {
    printf 'x = 0\n[a]\nx = 1\n\n[b]\nx = 2\n' >f
    ini '[a] x' becomes 'x = 0\n[a]\n\n[b]\nx = 2\n' <<<'ensure: absent'
    printf 'x = 0\n[a]\nx = 1\n\n[b]\nx = 2\n' >f
    ini '[a] x' becomes 'x = 0\n[b]\nx = 2\n' <<'END'
ensure: absent
remove_empty_section: true
END
    ini '[a] x' is_in_sync <<<'ensure: absent'
    printf '[a]\n# still\nx = 1\n' >f
    ini '[a] x' becomes '[a]\n# still\n' <<'END'
ensure: absent
remove_empty_section: true
END
    rm f
    ini '[a] x' is_in_sync <<<'ensure: absent'
    [ ! -e f ]
}

# bats test_tags=inline
@test "noop shows what would be, and leaves the file" {
    printf '[a]\nx = 1\n' >f
    ini '[a] x' run apply --noop <<<'value: 2'
    status_is 0
    says 'value 1 → 2'
    [ "$(sed -n 2p f)" = 'x = 1' ]
}

# bats test_tags=inline
@test "many settings of a file are one reading and one writing" {
    requires_command strace
    [ -z "${RHOST_WATCHED-}" ] || skip "two cannot trace one process"
    printf '[a]\n' >f
    {
        echo 'resources:'
        for i in $(seq 1 40); do
            printf '  - ini_setting: %s/f [a] s%s\n    value: %s\n' "$work" "$i" "$i"
        done
    } >site.yaml
    sleep 0.1
    run strace -f -e trace=openat,openat2,renameat,rename -o trace "${RHOST:-$abs_top_builddir/rhost}" \
        apply --no-verify --no-backup --state-dir state --isolation="$RHOST_ISOLATION" site.yaml
    status_is 0
    [ "$(wc -l <f)" -eq 41 ]
    [ "$(grep -c 'renameat.*"f"' trace)" -eq 1 ]
    [ "$(grep -cE "openat2?\(AT_FDCWD, \"$work/f\"" trace)" -eq 1 ]
}

# bats test_tags=inline
@test "a secret is shown nowhere, and a new file with one is its owner's alone" {
    printf '[a]\nx = old-hunter\n' >f
    ini '[a] x' run apply --debug --diff <<'END'
value: new-hunter
sensitive: [value]
END
    status_is 0
    says_not hunter
    grep -qx 'x = new-hunter' f
    rm f
    run rhost apply "$BATS_TEST_TMPDIR/site.yaml"
    status_is 0
    [ "$(mode_of f)" = 600 ]
}

@test "a value in another encoding is one that differs, and others of the file do not mind it" {
    printf '[a]\nx = caf\351\ny = caf\351\n' >f
    ini '[a] x' becomes '[a]\nx = coffee\ny = caf\0351\n' <<<'value: coffee'
    printf '[caf\351]\nx = 1\n[a]\n' >f
    ini '[a] x' becomes '[caf\0351]\nx = 1\n[a]\nx = café\n' <<<'value: café'
}

# bats test_tags=inline
@test "a validator keeps what it refuses from its place" {
    printf '[a]\nx = 1\n' >f
    ini '[a] x' fails 'refuses the new content' <<'END'
value: bad
validate: [sh, -c, '! grep -q bad "$1"', sh, "%"]
END
    grep -qx 'x = 1' f
}

@test "mistakes are named" {
    printf '[a]\n' >f
    ini '[a] x' fails 'blanks at its ends would be lost' <<<'value: "1 "'
    ini '[a] x' fails 'a value is one line' <<<'value: "1\n2"'
    ini '[a] x=y' fails "has a '=', which separates it from its value" <<<'value: 1'
    ini '[a] x y' fails "has a blank, which separates it from its value" <<'END'
value: 1
separator: " "
END
    ini '[a] x' fails 'the quotes it should be written in are part of it' <<'END'
value: 'a"b'
quote: '"'
END
    ini '[a] x' fails 'separator' <<<'separator: "->"'
    ini '[a] x' fails "did you mean 'value'" <<<'valeu: 1'
    [ "$(cat f)" = '[a]' ]
    run apply <<'END'
resources:
  - ini_setting: just a title
    value: 1
END
    [ "$status" -ne 0 ]
    says "does not contain 'path'"
}

@test "drift is repaired" {
    printf '[a]\nx = 1\n' >f
    ini '[a] x' converges <<<'value: 2'
    sed -i 's/2/7/' f
    run rhost apply --detailed-exitcodes "$BATS_TEST_TMPDIR/site.yaml"
    status_is 2
    says 'value 7 → 2'
}

@test "a setting is looked at by its title" {
    printf '[a]\nx = 1\n' >f
    run rhost resource ini_setting "$work/f [a] x"
    status_is 0
    says 'value: "1"'
}

# bats test_tags=inline
@test "what the files of systemd set is listed, and is as wanted" {
    requires_root
    unshare -m true 2>/dev/null || skip "needs mounts of its own"
    mkdir -p systemd/journald.conf.d systemd/system systemd/empty.conf.d
    printf '[Journal]\nStorage=auto\n# Seal=no\nStorage = volatile\nlonely\n[Other]\nStorage=x\n' \
        >systemd/journald.conf
    printf 'early=1\n[A b]\nlong = one \\\n two=2 \\\n  three\nlast = "a b" # c\nempty =\n' \
        >systemd/journald.conf.d/10.conf.conf
    printf '[S]\nlatin=\374\n\374=latin\n' >systemd/logind.conf
    printf 'not=listed\n' | tee systemd/other.txt systemd/system/x.conf systemd/.x.conf >/dev/null
    printf '#!/bin/sh\nexec unshare -m sh -c "mkdir -p /etc/systemd && mount --bind %s /etc/systemd && exec \\"\\$@\\"" sh "%s" "$@"\n' \
        "$work/systemd" "${RHOST:-$abs_top_builddir/rhost}" >inside
    chmod +x inside
    RHOST=$work/inside
    for RHOST_ISOLATION in $isolations; do
        rhost resource ini_setting >listed.yaml
        sed -n 's/^  - ini_setting: //p' listed.yaml >names
        diff - names <<'END'
"/etc/systemd/journald.conf [Journal] Storage"
"/etc/systemd/journald.conf [Journal] lonely"
"/etc/systemd/journald.conf [Other] Storage"
"/etc/systemd/journald.conf.d/10.conf.conf [A b] empty"
"/etc/systemd/journald.conf.d/10.conf.conf [A b] last"
"/etc/systemd/journald.conf.d/10.conf.conf [A b] long"
"/etc/systemd/journald.conf.d/10.conf.conf [] early"
"/etc/systemd/logind.conf [S] latin"
END
        grep -A2 'Journal. Storage' listed.yaml | grep -q 'value: volatile'
        run rhost apply --noop --detailed-exitcodes listed.yaml
        status_is 0
        says '8 resources: 8 ok'
    done
    # What is kept goes by the titles that are listed, also as patterns, and by other spellings of them.
    run apply <<'END'
resources:
  - purge: ini_setting
    keep: ["/etc/systemd/journald.conf [Journal] Storage", "/etc/systemd//journald.conf [Other] Storage", "*journald.conf.d*"]
END
    status_is 0
    says 'removed 2 of 8'
    says 'ini_setting[/etc/systemd/journald.conf [Journal] lonely]'
    says 'ini_setting[/etc/systemd/logind.conf [S] latin]'
    says_not '{'
    grep -q '^Storage = volatile$' systemd/journald.conf
    grep -q '^Storage=x$' systemd/journald.conf
    not grep -q '^lonely' systemd/journald.conf
}

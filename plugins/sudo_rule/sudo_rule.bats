#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
source "${abs_top_srcdir:-$BATS_TEST_DIRNAME/../..}/tests/lib.bash"
source "$abs_top_srcdir/tests/one.bash"

setup() {
    work_open
    requires_command visudo
    mkdir d
}

# The rule "it" in the directory "d": attributes on standard input.
rule() {
    one 'sudo_rule: it' "directory: $work/d" -- "$@" < <(attributes)
}

# bats test_tags=inline
@test "a rule is what visudo accepts, with mode 0440, and is read back" {
    while IFS='|' read -r attributes line; do
        for RHOST_ISOLATION in $isolations; do
            rm -f d/it
            rule converges <<<"$attributes"
            is "$(sed 1d d/it)" "$line"
            is "$(mode_of d/it)" 440
        done
    done <<'END'
{users: [alice], commands: [ALL]}|alice ALL = ALL
{users: [alice, '%ops', '#1000', '%#20'], commands: [/bin/a, '/bin/b -c *'], tags: [NOPASSWD, NOEXEC]}|alice, %ops, #1000, %#20 ALL = NOPASSWD: NOEXEC: /bin/a, /bin/b -c *
{users: [a], hosts: [web1, 192.0.2.1], run_as: [b, c], run_as_groups: [adm], commands: ['/bin/x a\,b']}|a web1, 192.0.2.1 = (b, c : adm) /bin/x a\,b
{users: [a], run_as_groups: [adm], commands: ['sudoedit /etc/motd']}|a ALL = (: adm) sudoedit /etc/motd
{users: ['a\ b', '"c, d"'], run_as: [ALL], commands: ['!/bin/x ""', ALL]}|a\ b, "c, d" ALL = (ALL) !/bin/x "", ALL
{users: ['#1000'], hosts: ['2001:db8::/32'], commands: ['sha256:0000000000000000000000000000000000000000000000000000000000000000 /bin/a']}|#1000 2001:db8::/32 = sha256:0000000000000000000000000000000000000000000000000000000000000000 /bin/a
{users: ['%:x', 'y@z', '!b', +ng], commands: ['/bin/a "b', '^/bin/c( d)?$'], tags: [SETENV]}|%:x, y@z, !b, +ng ALL = SETENV: /bin/a "b, ^/bin/c( d)?$
END
    rule run apply --detailed-exitcodes <<<'{users: [a], commands: [ALL]}'
    rule is_in_sync <<<'{users: [a], commands: [ALL]}'
    rule converges <<<'ensure: absent'
    is "$(ls -A d)" ''
}

# What cvtsudoers makes of a file: "COUNT users, COUNT commands".
counted() {
    cvtsudoers -f json d/it | jq -r '.User_Specs | map("\(.User_List | length) users, \(.Cmnd_Specs | map(.Commands | length) | add) commands") | join("; ")'
}

@test "sudo reads as many users and commands as were given, whatever is in them" {
    requires_command cvtsudoers
    requires_command jq
    while IFS=@ read -r users commands; do
        rm -f d/it
        rule run apply <<<"{users: [$users], commands: [$commands]}"
        status_is 0
        is "$(counted)" "$(jq -n "[$users] | length") users, $(jq -n "[$commands] | length") commands"
        rule is_in_sync <<<"{users: [$users], commands: [$commands]}"
    done <<'END'
"a\\,b", "\"c, d\"", "!e", "#12", "%#3", "%:f"@"/bin/a \"b", "/bin/c \\\\ d", "/bin/e \"\"", "!/bin/f"
"Alias", "g\\:\\=\\(h", "%ops"@"/bin/a \\: \\= \\# \\, b", "sudoedit /etc/a*", "^/bin/x (a|b)+$", "ALL"
END
}

@test "comments of a file are kept when its rule changes" {
    printf '# ticket 12\n\n  a ALL = /bin/a\n# end' >d/it
    rule converges <<<'{users: [a, b], commands: [/bin/a]}'
    is "$(cat d/it)" "$(printf '# ticket 12\n\na, b ALL = /bin/a\n# end')"
}

# What is wrong on the machine. Each leaves the directory as it was.
@test "a directory that sudo ignores is refused, and so is a machine without visudo" {
    requires_root
    rule run apply <<<'{users: [a], commands: [ALL]}'
    while IFS='|' read -r command said; do
        chown root:root d
        chmod 755 d
        $command d
        for option in '' --noop; do
            rule run apply $option <<<'{users: [b], commands: [ALL]}'
            status_is 4
            says "$said"
        done
    done <<END
chown nobody|sudo ignores '$work/d', which belongs to user $(id -u nobody): it must belong to root
chmod 757|sudo ignores '$work/d', to which everybody can write: its mode is 0757
chmod 1777|sudo ignores '$work/d', to which everybody can write: its mode is 1777
eval chgrp nogroup d; chmod 775|sudo ignores '$work/d', to which group $(id -g nobody) can write: its mode is 0775
END
    is "$(sed 1d d/it)" 'a ALL = ALL'
    rule run apply <<<'ensure: absent'
    status_is 0
    chown root:root d
    chmod 755 d
    mkdir theirs
    chown nobody theirs
    mv d theirs/d
    one 'sudo_rule: it' "directory: $work/theirs/d" -- run apply < <(attributes <<<'{users: [a], commands: [ALL]}')
    status_is 4
    says "is not safe: its owner is user $(id -u nobody)"
    mv theirs/d d
    is "$(ls -A d)" ''
}

@test "a machine without visudo, a full disk and a locked file are named, and nothing is changed" {
    requires_root
    unshare -m true 2>/dev/null || skip "needs mounts of its own"
    mkdir none
    cat >inside <<END
#!/bin/sh
for place in /usr/sbin /sbin; do
    [ "\$1" != visudo ] || [ ! -e \$place/visudo ] || mount --bind $work/none \$place || exit 9
done
[ "\$1" != full ] || mount -t tmpfs -o size=4k,mode=755 none $work/d || exit 9
[ "\$1" != full ] || head -c 4096 /dev/zero >$work/d/zero
[ "\$1" != readonly ] || { mount --bind $work/d $work/d && mount -o remount,ro,bind $work/d; } || exit 9
shift
exec "\$@"
END
    chmod +x inside
    printf 'resources: [{sudo_rule: it, directory: "%s/d", users: [a], commands: [ALL]}]\n' "$work" >site.yaml
    while IFS='|' read -r fault said; do
        run unshare -m ./inside "$fault" "$abs_top_builddir/rhost" apply --state-dir "$work/state" site.yaml
        status_is 4
        says "$said"
        is "$(ls -A d)" ''
    done <<'END'
visudo|visudo is not installed (package sudo)
full|No space left on device
readonly|Read-only file system
END
    run unshare -m ./inside visudo "$abs_top_builddir/rhost" apply --noop --state-dir "$work/state" site.yaml
    says 'visudo is not installed (package sudo)'
    rule converges <<<'{users: [a], commands: [ALL]}'
    # What is in sync needs none.
    run unshare -m ./inside visudo "$abs_top_builddir/rhost" apply --noop --state-dir "$work/state" site.yaml
    status_is 0
    says '1 ok'
    if chattr +i d/it 2>/dev/null; then
        rule run apply <<<'{users: [b], commands: [ALL]}'
        chattr -i d/it
        status_is 4
        says 'Operation not permitted'
        is "$(sed 1d d/it)" 'a ALL = ALL'
    fi
}

@test "order of users makes no difference, that of commands does; drift and a wrong mode are repaired" {
    rule converges <<<'{users: [a, b], commands: [/bin/a, /bin/b]}'
    rule is_in_sync <<<'{users: [b, a], commands: [/bin/a, /bin/b]}'
    rule converges <<<'{users: [b, a], commands: [/bin/b, /bin/a]}'
    chmod u+w d/it
    rule run apply --noop --detailed-exitcodes <<<'{users: [b, a], commands: [/bin/b, /bin/a]}'
    status_is 2
    says 'has mode 0640, and sudo wants 0440'
    rule converges <<<'{users: [b, a], commands: [/bin/b, /bin/a]}'
    is "$(mode_of d/it)" 440
    printf 'b,a\tALL=(ALL:ALL)NOPASSWD:/bin/b,/bin/a  \n' >d/it
    rule run apply --noop <<<'{users: [b, a], commands: [/bin/b, /bin/a]}'
    says 'tags ["NOPASSWD"] → []'
    says 'run_as ["ALL"] → []'
}

@test "a file with something else is not replaced" {
    while IFS= read -r text; do
        printf "$text" >d/it
        cp d/it kept
        rule run apply <<<'{users: [a], commands: [ALL]}'
        status_is 4
        says "'$work/d/it' has something else than one rule"
        cmp d/it kept
    done <<'END'
Defaults env_reset\n
a ALL = ALL\nb ALL = ALL\n
a ALL = /bin/a, NOPASSWD: /bin/b\n
a ALL = /bin/a : web = /bin/b\n
@include /etc/other\n
#includedir /etc/other\n
a ALL = /bin/a, \\\n /bin/b\n
a ALL = /bin/a, (b) /bin/b\n
a ALL = /bin/a # why\n
a ALL = CWD=/ /bin/a\n
a ALL = FOO: /bin/a\n
#1000 ALL = ALL\n#1001 ALL = ALL\n
# why \\\na ALL = ALL\n
a ALL = ALL\r\n
caf\351 ALL = ALL\n
User_Alias A = b\n
nonsense\n
# nothing\n
END
    rule converges <<<'ensure: absent'
}

# bats test_tags=inline
@test "what cannot be right is refused, with the element at fault" {
    cat >cases <<'END'
{users: ['a, b'], commands: [ALL]}|',' has a meaning of its own there
{users: ['a b'], commands: [ALL]}|' ' has a meaning of its own there
{users: [a], commands: ['/bin/a, /bin/b']}|'\,' is the character itself
{users: [a], commands: ["/bin/a\nb ALL = ALL"]}|it has a control character
{users: ['"a'], commands: [ALL]}|quotes enclose a whole name
{users: ['"a\\"'], commands: [ALL]}|quotes enclose a whole name
{users: ['a"b, c"'], commands: [ALL]}|quotes enclose a whole name
{users: ['%"a b"'], commands: [ALL]}|quotes enclose a whole name
{users: [Defaults], commands: [ALL]}|'Defaults' would begin a setting of sudo, and no rule
{users: [Defaults!x], commands: [ALL]}|'Defaults!x' would begin a setting of sudo, and no rule
{users: [Cmnd_Alias], commands: [ALL]}|would begin a setting of sudo
{users: ['@includedir'], commands: [ALL]}|would begin a setting of sudo
{users: ['#includedir'], commands: [ALL]}|a number of an account must follow the '#'
{users: ['#1000x'], commands: [ALL]}|a number of an account must follow the '#'
{users: ['!'], commands: [ALL]}|a name is missing
{users: [a], hosts: ['a:b'], commands: [ALL]}|':' has a meaning of its own there
{users: [a], run_as: ['b)'], commands: [ALL]}|')' has a meaning of its own there
{users: [a], run_as: ['%:b'], commands: [ALL]}|':' has a meaning of its own there
{users: [a], commands: ['/bin/a ", /bin/b "']}|',' has a meaning of its own there
{users: [a], commands: ['NOPASSWD: /bin/a']}|':' has a meaning of its own there
{users: [a], commands: ['CWD=/ /bin/a']}|'=' has a meaning of its own there
{users: [a], commands: ['/bin/a #']}|'#' has a meaning of its own there
{users: [a], commands: ['(root) /bin/a']}|a command begins with '/'
{users: [a], commands: ['"/bin/a"']}|a command begins with '/'
{users: [a], commands: ['sha256:x=: /bin/a']}|':' has a meaning of its own there
{users: [a], commands: [ALL], tags: [NOPASSWD, EXEC, PASSWD]}|'PASSWD' and 'NOPASSWD' exclude each other
{users: [a], commands: ['/bin/a \']}|it ends with a backslash
{users: ["a "], commands: [ALL]}|begins or ends with a blank
{users: [a], commands: [ALL], tags: [NOPASSWORD]}|tags
END
    n=0
    {
        echo 'resources:'
        while IFS='|' read -r attributes _; do
            n=$((n + 1))
            attributes=${attributes#\{}
            printf '  - {sudo_rule: r%d, directory: %s, %s}\n' "$n" "$work/d" "${attributes%\}}"
        done <cases
        for name in a.b a~ 'a b' "$(printf 'x%.0s' {1..256})"; do
            printf '  - {sudo_rule: "%s", directory: %s, users: [a], commands: [ALL]}\n' "$name" "$work/d"
        done
    } >site.yaml
    run rhost validate site.yaml
    status_is 1
    n=0
    while IFS='|' read -r _ said; do
        n=$((n + 1))
        echo "r$n: $said"
        grep -F "sudo_rule[r$n]" <<<"$output" | grep -qF "$said"
    done <cases
    is "$(grep -c "error: .*a name has letters, digits, '_' and '-': sudo ignores" <<<"$output")" 3
    says "$((n + 4)) errors"
    is "$(ls -A d)" ''
}

@test "what visudo refuses does not take its place, and says why" {
    rule converges <<<'{users: [a], commands: [/bin/a]}'
    cp d/it kept
    for command in bin/a /bin/a/ 'nothing /bin/a'; do
        rule run apply <<<"{users: [a], commands: ['$command', 'x/y']}"
        status_is 4
        says "'visudo' refuses the new content"
        says 'expected a fully-qualified path name'
        cmp d/it kept
    done
    is "$(ls -A d)" it
    rm d/it
    rule run apply --noop <<<'hosts: [web]'
    status_is 4
    says "'users' is required for a new rule"
}

@test "a directory that is missing, and what is no file, are named" {
    one 'sudo_rule: it' "directory: $work/x" -- run apply --noop < <(attributes <<<'{users: [a], commands: [ALL]}')
    status_is 4
    says "directory '$work/x' does not exist"
    mkdir d/it
    rule run apply <<<'{users: [a], commands: [ALL]}'
    status_is 4
    says "cannot read '$work/d/it'"
    rmdir d/it
    ln -s /etc/passwd d/it
    rule run apply <<<'{users: [a], commands: [ALL]}'
    status_is 4
    says "cannot read '$work/d/it': it is a symbolic link"
    rm d/it
    printf 'a\0b' >d/it
    rule run apply <<<'{users: [a], commands: [ALL]}'
    status_is 4
    says "cannot read '$work/d/it': it has a NUL"
    rm d/it
    mkfifo d/it
    rule run apply <<<'{users: [a], commands: [ALL]}'
    status_is 4
    says "cannot read '$work/d/it': it is not a regular file"
    rm d/it
    truncate -s 2M d/it
    rule run apply <<<'{users: [a], commands: [ALL]}'
    status_is 4
    says "cannot read '$work/d/it': it is larger than 1024 KiB"
    rm d/it
    requires_root
    mkdir theirs
    chown nobody theirs
    ln -s "$work/d" theirs/d
    chown -h nobody theirs/d
    one 'sudo_rule: it' "directory: $work/theirs/d" -- run apply < <(attributes <<<'{users: [a], commands: [ALL]}')
    status_is 4
    says 'unsafe path'
    is "$(ls -A d)" ''
}

# bats test_tags=inline
@test "all rules are listed, and a manifest of them changes nothing; undo removes" {
    requires_root
    unshare -m true 2>/dev/null || skip "needs mounts of its own"
    printf 'a ALL = (ALL) NOPASSWD: /bin/a\n' >d/one
    printf '# only this\n' >d/README
    printf 'a ALL = ALL\n' | tee d/two.conf d/three~ >/dev/null
    printf 'Defaults x\n' >d/four
    ln -s /etc/shadow d/link
    chmod 440 d/four d/one d/README
    printf '#!/bin/sh\nexec unshare -m sh -c "mount --bind %s /etc/sudoers.d && exec \\"\\$@\\"" sh "%s" "$@"\n' \
        "$work/d" "${RHOST:-$abs_top_builddir/rhost}" >inside
    chmod +x inside
    RHOST=$work/inside
    rhost resource sudo_rule >listed.yaml
    is "$(sed -n 's/^  - sudo_rule: //p' listed.yaml)" one
    run rhost apply --noop --detailed-exitcodes listed.yaml
    status_is 0
    unset RHOST
    rule run apply --noop <<<'{users: [a], commands: [ALL]}'
    [ ! -e d/it ]
    rule run apply <<<'{users: [a], commands: [ALL]}'
    rule run apply <<<'{users: [a], commands: [/bin/b]}'
    run rhost undo last
    status_is 0
    is "$(sed 1d d/it)" 'a ALL = ALL'
}

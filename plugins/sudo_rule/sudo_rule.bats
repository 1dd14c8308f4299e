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
            visudo -cf d/it >/dev/null
        done
    done <<'END'
{users: [alice], commands: [ALL]}|alice ALL = ALL
{users: [alice, '%ops', '#1000', '%#20'], commands: [/bin/a, '/bin/b -c *'], tags: [NOPASSWD, NOEXEC]}|alice, %ops, #1000, %#20 ALL = NOPASSWD: NOEXEC: /bin/a, /bin/b -c *
{users: [a], hosts: [web1, 192.0.2.1], run_as: [b, c], run_as_groups: [adm], commands: ['/bin/x a\,b']}|a web1, 192.0.2.1 = (b, c : adm) /bin/x a\,b
{users: [a], run_as_groups: [adm], commands: ['sudoedit /etc/motd']}|a ALL = (: adm) sudoedit /etc/motd
{users: ['a\ b'], run_as: [ALL], commands: ['!/bin/x ""', ALL]}|a\ b ALL = (ALL) !/bin/x "", ALL
END
    rule converges <<<'{users: [a], commands: [ALL]}'
    rule is_in_sync <<<'{users: [a], commands: [ALL]}'
    rule converges <<<'ensure: absent'
    is "$(ls -A d)" ''
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
User_Alias A = b\n
nonsense\n
# nothing\n
END
    rule converges <<<'ensure: absent'
}

# bats test_tags=inline
@test "what cannot be right is refused, with the element at fault" {
    while IFS='|' read -r attributes said; do
        rule run apply <<<"$attributes"
        status_is 1
        says "$said"
    done <<'END'
commands: [ALL]|'users' is required
users: [a]|'commands' is required
{users: ['a, b'], commands: [ALL]}|',' has a meaning of its own there
{users: ['a b'], commands: [ALL]}|' ' has a meaning of its own there
{users: [a], commands: ['/bin/a, /bin/b']}|'\,' is the character itself
{users: [a], commands: ["/bin/a\nb ALL = ALL"]}|it has a control character
{users: [a], commands: ['/bin/a "b']}|a quote is not closed
{users: [a], commands: ['/bin/a \']}|it ends with a backslash
{users: ["a "], commands: [ALL]}|begins or ends with a blank
{users: [a], commands: [ALL], tags: [NOPASSWORD]}|tags
END
    one 'sudo_rule: a.b' "directory: $work/d" -- run apply < <(attributes <<<'{users: [a], commands: [ALL]}')
    status_is 1
    is "$(ls -A d)" ''
}

@test "what visudo refuses does not take its place, and says why" {
    rule converges <<<'{users: [a], commands: [/bin/a]}'
    cp d/it kept
    for command in bin/a './a' '/bin/a /'; do
        rule run apply <<<"{users: [a], commands: ['$command', 'x/y']}"
        status_is 4
        says syntax
        cmp d/it kept
    done
    is "$(ls -A d)" it
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
    rm d/it
    printf 'a\0b' >d/it
    rule run apply <<<'{users: [a], commands: [ALL]}'
    status_is 4
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
    chmod 440 d/*
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

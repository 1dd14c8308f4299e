#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
source "${abs_top_srcdir:-$BATS_TEST_DIRNAME/../..}/tests/lib.bash"
source "$abs_top_srcdir/tests/one.bash"

# Changes of the file "f", read with a lens: more attributes on standard input.
change() {
    local lens=$1
    shift
    one "augeas: \"$work/f: it\"" "lens: $lens" -- "$@" < <(attributes)
}

# list ATTRIBUTE TEXT...: as YAML has it.
list() {
    echo "$1:"
    shift
    local text
    for text; do
        printf -- "- '%s'\n" "${text//\'/\'\'}"
    done
}

hosts='127.0.0.1 localhost\n\n# kept   so\n10.0.0.1\ta  b\n'

# bats test_tags=inline
@test "each command changes the tree, and nothing else of the file" {
    while IFS='|' read -r first second becomes; do
        printf "$hosts" >f
        change Hosts becomes "$becomes" < <(list changes "$first" ${second:+"$second"})
    done <<'END'
set 2/alias[1] c||127.0.0.1 localhost\n\n# kept   so\n10.0.0.1\ta  c\n
set 2/alias[2] 'c'||127.0.0.1 localhost\n\n# kept   so\n10.0.0.1\ta  b c\n
rm *[ipaddr = '127.0.0.1']||\n# kept   so\n10.0.0.1\ta  b\n
remove *[ipaddr = '10.0.0.1']||127.0.0.1 localhost\n\n# kept   so\n
setm *[ipaddr] ipaddr ::1||::1 localhost\n\n# kept   so\n::1\ta  b\n
set 3/ipaddr ::1|set 3/canonical c|127.0.0.1 localhost\n\n# kept   so\n10.0.0.1\ta  b\n::1\tc\n
set #comment "other, \"so\""||127.0.0.1 localhost\n\n# other, "so"\n10.0.0.1\ta  b\n
defvar x *[canonical = 'a']|set $x/canonical z|127.0.0.1 localhost\n\n# kept   so\n10.0.0.1\tz  b\n
END
    printf 'Port 22\nUseDNS no\n' >f
    change Sshd.lns becomes 'UseDNS no\n' <<<'changes: [rm Port]'
    printf 'Port 22\nUseDNS no\n' >f
    change Sshd becomes 'Port 22\nPermitRootLogin no\nUseDNS no\n' < <(
        list conditions 'match PermitRootLogin size == 0'
        list changes 'ins PermitRootLogin after Port' 'set PermitRootLogin no'
    )
    change Sshd becomes 'Port 22\nUseDNS no\nMaxAuthTries 3\n' < <(
        list conditions 'match PermitRootLogin size > 0'
        list changes 'mv PermitRootLogin MaxAuthTries' 'set MaxAuthTries 3'
    )
    change Sshd becomes 'Port 22\nUseDNS yes\nMaxAuthTries 3\n' < <(list changes 'defnode x UseDNS yes' 'touch Port')
}

@test "conditions say when something is changed" {
    printf 'Port 22\nAcceptEnv LANG LC_ALL\n' >f
    while IFS='|' read -r condition holds; do
        printf 'Port 22\nAcceptEnv LANG LC_ALL\n' >f
        change Sshd run apply --noop --detailed-exitcodes < <(
            list changes 'set UseDNS no'
            list conditions "$condition" 'get Port != 23'
        )
        status_is "$holds"
    done <<'END'
match Port size == 1|2
match Port size != 1|0
match Nothing size == 0|2
get Port == 22|2
get Port > 100|0
get Port < 100|2
get Nothing == 22|0
match AcceptEnv/* include LANG|2
match AcceptEnv/* include LC_TIME|0
match AcceptEnv/* not_include LC_TIME|2
get Port != 22|0
END
}

@test "a file that does not exist is made; a dry run shows the first line that changes" {
    for RHOST_ISOLATION in $isolations; do
        rm -f f
        change Sshd run apply --noop <<<'changes: [set PermitRootLogin no]'
        status_is 0
        says "line 1 is new: 'PermitRootLogin no'"
        [ ! -e f ]
        change Sshd converges <<<'changes: [set PermitRootLogin no]'
        is "$(cat f)" 'PermitRootLogin no'
        is "$(mode_of f)" 644
        change Sshd run apply --noop <<<'changes: [set PermitRootLogin yes]'
        says "line 1 is 'PermitRootLogin no', and becomes 'PermitRootLogin yes'"
    done
}

@test "what would change the file in every run is refused" {
    printf 'Port 22\n' >f
    change Sshd fails "the changes would change the file in every run: state in 'conditions' when they are needed" \
        < <(list changes 'ins Port after Port[last()]' 'set Port[last()] 23')
}

@test "what the lens cannot read is named with line and column, and what it cannot write with the node" {
    printf '127.0.0.1 localhost\n10.0.0.1\n' >f
    change Hosts fails "cannot parse '$work/f' with the lens 'Hosts.lns': line 2, column 9: " <<<'changes: [rm 1]'
    printf "$hosts" >f
    change Hosts fails "the lens 'Hosts.lns' cannot write what the changes make: Failed to match tree under /files$work/f/2" \
        <<<'changes: [set 2/nonsense c]'
    change Nothing fails "cannot use the lens 'Nothing.lns'" <<<'changes: [rm 1]'
    change Hosts.nothing fails "cannot use the lens 'Hosts.nothing'" <<<'changes: [rm 1]'
    printf 'a\0b\n' >f
    change Hosts fails 'the file has a NUL' <<<'changes: [rm 1]'
}

@test "mistakes are named, with the change that has one" {
    printf "$hosts" >f
    while IFS='|' read -r change said; do
        change Hosts fails "$said" < <(list changes 'rm 1' "$change")
    done <<'END'
sett 1/ipaddr ::1|changes[1]: unknown command 'sett'
set 1/ipaddr|'set' lacks a value
set 1/ipaddr ::1 ::2|'set' has too many words
set 1/ipaddr '::1|a quote or a bracket in a value is not closed
rm *[ipaddr|a quote or a bracket in a path is not closed
ins x beside 1|'beside' stands where 'before' or 'after' must
rm /files/etc/passwd/root|'/files/etc/passwd/root' is not below
ins x before 7|changes[1]: 
set 1/]x a|a quote or a bracket in a path is not closed
set 1/= a|changes[1]: 
END
    while IFS='|' read -r condition said; do
        change Hosts fails "$said" < <(
            list changes 'rm 1'
            list conditions "$condition"
        )
    done <<'END'
match 1 size = 1|conditions[0]: unknown operator '='
match 1 size == x|'size' is compared with a number
has 1|a condition begins with 'match' or 'get'
END
    change Hosts fails 'no argument is "%"' <<'END'
changes: [rm 1]
validate: ["true"]
END
    one "augeas: it" "path: $work/f" -- fails "'lens' is required" <<<'changes: [rm 1]'
    change Hosts fails "'changes' is required" <<<'conditions: []'
}

# bats test_tags=inline
@test "a secret is shown nowhere; a validator keeps what it refuses from its place" {
    printf 'machine a\nlogin b\npassword old-hunter\n' >f
    change Netrc run apply --debug --diff <<'END'
changes: ["set *[. = 'a']/password new-hunter"]
sensitive: [changes]
END
    status_is 0
    says_not hunter
    grep -q 'password new-hunter' f
    change Netrc fails 'refuses the new content' <<'END'
changes: ["set *[. = 'a']/login bad"]
validate: [sh, -c, '! grep -q bad "$1"', sh, "%"]
END
}

# bats test_tags=inline
@test "mode and owner stay, and a link that another user made is not followed" {
    requires_root
    printf 'Port 22\n' >f
    chown daemon:games f
    chmod 640 f
    change Sshd converges <<<'changes: [set Port 23]'
    is "$(stat -c %U:%G:%a f)" daemon:games:640
    mkdir theirs
    chmod 777 theirs
    printf 'Port 22\n' >kept
    ln -s "$work/kept" theirs/f
    chown -h nobody theirs theirs/f
    one "augeas: \"$work/theirs/f: it\"" -- run apply < <(attributes <<<'{lens: Sshd, changes: [set Port 23]}')
    status_is 4
    says 'unsafe path'
    is "$(cat kept)" 'Port 22'
}

@test "several of a file are made in their order, and undo brings the file back" {
    printf 'Port 22\n' >f
    cp f before
    converges <<END
resources:
  - {augeas: '$work/f: one', lens: Sshd, changes: [set Port 23]}
  - {augeas: two, path: $work/f, lens: Sshd, conditions: [get Port == 23], changes: [set UseDNS no]}
END
    is "$(cat f)" "$(printf 'Port 23\nUseDNS no')"
    printf 'Port 22\n' >f
    change Sshd run apply <<<'changes: [set Port 23]'
    run rhost undo last
    status_is 0
    cmp f before
    run rhost resource augeas "$work/f: it"
    status_is 0
    says 'changes: []'
}

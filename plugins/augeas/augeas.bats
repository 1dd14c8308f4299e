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

# several LENS: a manifest in which each line of standard input, "ATTRIBUTE|TEXT|...", is a resource. It has the
# file "fN", and as a second change or condition the text. All of them are tried at once.
several() {
    local n=0 attribute text

    echo 'resources:'
    while IFS='|' read -r attribute text _; do
        n=$((n + 1))
        printf '  - {augeas: "%s/f%d: it", lens: %s, ' "$work" "$n" "$1"
        text=${text//\'/\'\'}
        case $attribute in
        changes) printf "changes: [rm 1, '%s']}\n" "$text" ;;
        conditions) printf "changes: [set 2/canonical z], conditions: [match 2 size == 1, '%s']}\n" "$text" ;;
        esac
    done
}

# Both isolations are tried where the examples of the page are applied.
isolations_both=$isolations
isolations=$RHOST_ISOLATION

hosts='127.0.0.1 localhost\n\n# kept   so\n10.0.0.1\ta  b\n'

# bats test_tags=inline
@test "each command changes the tree, and nothing else of the file" {
    cat >cases <<'END'
set 2/alias[1] c|set 2/alias[2] 'd'|127.0.0.1 localhost\n\n# kept   so\n10.0.0.1\ta  c d\n
rm *[ipaddr = '127.0.0.1']|set #comment "other, \"so\""|\n# other, "so"\n10.0.0.1\ta  b\n
setm *[ipaddr] ipaddr ::1||::1 localhost\n\n# kept   so\n::1\ta  b\n
set 3/ipaddr ::1|set 3/canonical c|127.0.0.1 localhost\n\n# kept   so\n10.0.0.1\ta  b\n::1\tc\n
defvar x *[canonical = 'a']|set $x/canonical z|127.0.0.1 localhost\n\n# kept   so\n10.0.0.1\tz  b\n
END
    n=0
    while IFS='|' read -r first second becomes; do
        n=$((n + 1))
        printf "$hosts" >"f$n"
        [ -n "$second" ] || second=$first
        printf "  - {augeas: '$work/f$n: it', lens: Hosts, changes: ['%s', '%s']}\n" "${first//\'/\'\'}" "${second//\'/\'\'}"
    done <cases >entries
    converges < <(echo 'resources:'; cat entries)
    n=0
    while IFS='|' read -r first second becomes; do
        n=$((n + 1))
        printf "$becomes" | diff - "f$n"
    done <cases
    printf "$hosts" >f
    change Hosts becomes '127.0.0.1 z\n\n# kept   so\n10.0.0.1\tz\n' < <(
        list changes "rm (*/alias|*[canonical = 'x'])" "defvar both (*[canonical = 'a']|*[canonical = 'localhost'])" 'setm $both canonical z'
    )
    printf 'Port 22\nUseDNS no\nPermitRootLogin no\n' >f
    change Sshd becomes 'UseDNS no\nMaxAuthTries 3\nPort 23\n' < <(
        list conditions 'match PermitRootLogin size > 0'
        list changes 'rm Port' 'mv PermitRootLogin MaxAuthTries' 'set MaxAuthTries 3' 'defnode x Port 23' 'touch Port'
    )
    change Sshd becomes 'UseDNS no\nLoginGraceTime 3\nPort 23\n' < <(
        list conditions 'match LoginGraceTime size == 0'
        list changes 'ins LoginGraceTime after UseDNS' 'set LoginGraceTime 3' 'rm MaxAuthTries'
    )
    printf 'Match User a\n  UseDNS no\n' >f
    one "augeas: \"$work/f: it\"" 'lens: Sshd' 'context: Match[1]/Settings' -- converges <<<'changes: [set UseDNS yes]'
    is "$(tail -n 1 f)" '  UseDNS yes'
}

# bats test_tags=inline
@test "a list states the words of a change or a condition as they are" {
    value="a 'b' \\\"c\\\" | \$x]"
    printf '<a>x</a>\n' >f
    change Xml becomes "<a>a 'b' \"c\" | \$x]</a>\n" <<<"changes: [[set, 'a/#text', \"$value\"]]"
    change Xml becomes '<a>1\n2</a>\n' <<<"{conditions: [[values, 'a/#text', include, \"$value\"]], changes: [[set, 'a/#text', \"1\\n2\"]]}"
    printf 'Port 22\n' >f
    change Sshd fails "the lens 'Sshd.lns' cannot write what the changes make" <<<'changes: [[set, Port, "22\nPermitRootLogin yes"]]'
}

@test "conditions say when something is changed, as those of Puppet do" {
    cat >cases <<'END'
conditions|match *[ipaddr] size == 2|2
conditions|match 2 size != 1|0
conditions|match 3 size == 0|2
conditions|match 2/alias size >= 3|0
conditions|get 2/alias[1] == 7|2
conditions|get 2/alias[1] == 07|0
conditions|get 2/alias[1] > 100|0
conditions|get 2/alias[1] < 100|2
conditions|get 2/alias[1] >= 7.0|2
conditions|get 3/canonical == x|0
conditions|get 3/canonical != x|2
conditions|get 3/canonical == ""|2
conditions|values 2/alias include 7|2
conditions|values 2/alias include a|0
conditions|values 2/alias not_include a|2
conditions|get 2/canonical != a|0
END
    for n in $(seq "$(wc -l <cases)"); do
        printf '127.0.0.1 localhost\n10.0.0.1 a 7 b\n' >"f$n"
    done
    several Hosts <cases >site.yaml
    run rhost apply site.yaml
    status_is 0
    n=0
    while IFS='|' read -r _ condition holds; do
        n=$((n + 1))
        echo "$condition"
        is "$(grep -c z "f$n")" "$((holds / 2))"
    done <cases
}

# The entries of the page under this heading, for files in the directory "etc".
entries_of_page() {
    echo 'resources:'
    sed -n '/^## Files that other/,$p' "$abs_top_srcdir/plugins/augeas/augeas.md" |
        awk '/^```/ { inside = /yaml/; next } inside' | sed "s|/etc/|$work/etc/|; s/^/  /"
}

@test "limits, PAM, logrotate, XML and sshd_config are kept as the page shows, and drift is repaired" {
    requires_command sshd
    mkdir -p etc/security etc/pam.d etc/logrotate.d etc/tomcat10 etc/ssh
    printf '# kept\n@web soft nofile 4096\n@web hard nofile 1\n' >etc/security/limits.conf
    printf '# kept\n@include common-auth\nauth  required   pam_unix.so nullok # why\naccount required pam_nologin.so\n' >etc/pam.d/sshd
    printf '<?xml version="1.0"?>\n<Server port="8005">\n  <!-- kept -->\n  <Service name="Catalina">\n    <Connector port="8080"/>\n  </Service>\n</Server>\n' >etc/tomcat10/server.xml
    printf 'UsePAM yes\nMatch User anna\n    X11Forwarding no\n' >etc/ssh/sshd_config
    cp -a etc etc.before
    ssh-keygen -qN '' -t ed25519 -f key
    entries_of_page | sed "s|sshd, -t, -f|sshd, -t, -h, $work/key, -f|" >recipes.yaml
    for RHOST_ISOLATION in $isolations_both; do
        rm -rf etc && cp -a etc.before etc
        run rhost apply --detailed-exitcodes recipes.yaml
        status_is 2
        is "$(cat etc/security/limits.conf)" "$(printf '# kept\n@web soft nofile 4096\n@web hard nofile 8192')"
        is "$(head -n 3 etc/pam.d/sshd)" "$(printf '# kept\nauth required pam_faillock.so preauth\n@include common-auth')"
        is "$(tail -n 2 etc/pam.d/sshd)" "$(printf 'auth  required   pam_unix.so nullok # why\naccount required pam_nologin.so')"
        grep -qx '<Server port="-1">' etc/tomcat10/server.xml
        grep -qx '    <Connector port="8081" maxThreads="200"/>' etc/tomcat10/server.xml
        grep -q kept etc/tomcat10/server.xml
        is "$(head -n 2 etc/ssh/sshd_config)" "$(printf 'UsePAM yes\nPermitRootLogin no')"
        grep -A 1 '^Match Group "*sftp"*$' etc/ssh/sshd_config | grep -q 'ForceCommand internal-sftp'
        grep -q 'rotate 14' etc/logrotate.d/shop
        rm -rf etc.after && cp -a etc etc.after
        run rhost apply --detailed-exitcodes recipes.yaml
        status_is 0
        diff -r etc.after etc
        sed -i 's/8192/1/' etc/security/limits.conf
        sed -i 's/preauth/authfail/' etc/pam.d/sshd
        sed -i 's/14/1/' etc/logrotate.d/shop
        sed -i 's/8081/8080/' etc/tomcat10/server.xml
        sed -i 's/Login no/Login yes/' etc/ssh/sshd_config
        run rhost apply --detailed-exitcodes recipes.yaml
        status_is 2
        says '5 changed'
        diff -r etc.after etc
    done
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

@test "a last line without an end is read, and is no difference by itself" {
    printf 'Port 22' >f
    change Sshd is_in_sync <<<'changes: [set Port 22]'
    is "$(wc -c <f)" 7
    change Sshd becomes 'Port 22\nUseDNS no\n' <<<'changes: [set UseDNS no]'
}

@test "a path may have any character" {
    mkdir 'a [1] b=c'
    printf 'Port 22\n' >"a [1] b=c/f, (x)|*y"
    one "augeas: it" "path: '$work/a [1] b=c/f, (x)|*y'" 'lens: Sshd' -- converges <<<'changes: [set Port 23]'
    is "$(cat 'a [1] b=c/f, (x)|*y')" 'Port 23'
}

# What the tool refuses. Each file stays as it was.
@test "what the lens cannot read or write, and what the machine lacks, is named" {
    printf '127.0.0.1 localhost\n10.0.0.1\n' >f1
    printf "$hosts" | tee f2 f3 f4 f7 >f8
    printf 'a\0b\n' >f5
    yes '127.0.0.1 localhost' | head -c 600000 >f6
    mkdir f10
    mkfifo f11
    : >f12
    echo '{"a": 1}' >f8
    md5sum f[1-8] >sums
    {
        echo 'resources:'
        while IFS='|' read -r n lens changes _; do
            printf '  - {augeas: "%s/f%s: it", lens: %s, changes: %s}\n' "$work" "$n" "$lens" "$changes"
        done
    } >site.yaml <<END
1|Hosts|[rm 1]
2|Hosts|[set 2/nonsense c]
3|Nothing|[rm 1]
4|Hosts.nothing|[rm 1]
5|Hosts|[rm 1]
6|Hosts|[rm 1]
7|Hosts|["ins 01 before *[1]", "set 01/ipaddr ::1", "set 01/canonical c"]
8|Json|["rm /files$work/f8"]
9/x|Hosts|[set 1/ipaddr ::1, set 1/canonical a]
10|Hosts|[rm 1]
11|Hosts|[rm 1]
12|Json|[rm 1]
END
    run rhost apply site.yaml
    status_is 4
    says "cannot parse '$work/f1' with the lens 'Hosts.lns': line 2, column 9: "
    says "the lens 'Hosts.lns' cannot write what the changes make: Failed to match tree under /files$work/f2/2"
    says "cannot use the lens 'Nothing.lns': Lens not found: Can not find lens Nothing.lns. Lenses are in the package augeas-lenses"
    says "cannot use the lens 'Hosts.nothing'"
    says "'$work/f5' has a NUL, which no lens reads"
    says "'$work/f6' is larger than 512 KiB, for which augeas would take minutes"
    says "the changes would change the file in every run: state in 'conditions' when they are needed"
    says "the lens cannot read what the changes make: '$work/f8' is missing or empty"
    says "cannot write '$work/f9/x': "
    says "cannot read '$work/f10': "
    says "cannot read '$work/f11': it is not a regular file"
    says "'$work/f12' is missing or empty, and the lens 'Json.lns' reads no empty file"
    says '12 failed'
    md5sum -c --quiet sums
}

@test "mistakes are named, with the change that has one" {
    cat >cases <<'END'
changes|sett 1/ipaddr ::1|changes[1]: unknown command 'sett'
changes|set 1/ipaddr|'set' lacks a value
changes|set 1/ipaddr ::1 ::2|'set' has too many words
changes|set 1/ipaddr '::1|a quote or a bracket in a value is not closed
changes|rm *[ipaddr|a quote or a bracket in a path is not closed
changes|ins x beside 1|'beside' stands where 'before' or 'after' must
changes|ins a/b before 2|'a/b' is a path, and a name must stand there
changes|set 1/]x a|a quote or a bracket in a path is not closed
changes|rm ""|a path of 'rm' is empty
changes|match 1 size == 0|unknown command 'match'
conditions|match 1 size = 1|conditions[1]: unknown operator '='
conditions|match 1 size == x|'size' is compared with a number
conditions|match 1 size == 9999999999|'size' is compared with a number
conditions|match 1 include a|'match' counts nodes: use 'values PATH include VALUE' for their values
conditions|match 1 is a|'is' stands where 'size' must
conditions|match 1|'match' lacks 'size'
conditions|values 1 size == 1|'size' stands where 'include' or 'not_include' must
conditions|values 1 include|'values' lacks a value
conditions|get 1 =~ a.*|an operator cannot be a regular expression
conditions|get 1 ==|'get' lacks a value
conditions|has 1|a condition begins with 'match', 'values' or 'get', not with 'has'
END
    several Hosts <cases >site.yaml
    cat >>site.yaml <<END
  - {augeas: it, path: $work/f, changes: [rm 1]}
  - {augeas: it-g, path: $work/g, lens: Hosts, conditions: []}
  - {augeas: it-h, path: $work/h, lens: Hosts, changes: [[set, a]]}
  - {augeas: it-k, path: $work/k, lens: Hosts, changes: [[set, a, b, c]]}
  - {augeas: it-l, path: $work/l, lens: Hosts, changes: [[set, "", a]]}
  - {augeas: it-m, path: $work/m, lens: Hosts, changes: ["rm 1\\nrm 2"]}
  - {augeas: it-i, path: $work/i, lens: Hosts, changes: [rm 1], validate: ["true"]}
  - {augeas: it-j, path: $work/j, lens: ../Hosts, changes: [rm 1]}
END
    run rhost validate site.yaml
    status_is 1
    while IFS='|' read -r _ _ said; do
        says "$said"
    done <cases
    says "'lens' is required"
    says "'changes' is required"
    says "augeas[it-h]: changes[0]: 'set' lacks a value"
    says "augeas[it-k]: changes[0]: 'set' has too many words"
    says "augeas[it-l]: changes[0]: a path of 'set' is empty"
    says "augeas[it-m]: changes[0]: it has a line break: state the words as a list"
    says 'no argument is "%"'
}

@test "a change that fails, or leads out of the tree of the file, is refused with its number" {
    cat >cases <<'END'
changes|ins x before 7|changes[1]: 'ins' failed: No match for path expression
changes|set 2/* c|changes[1]: 'set' failed: Too many matches for path expression
changes|set 1/= a|changes[1]: 'set' failed: Invalid path expression
changes|rm /files|'/files' is not below
changes|rm /augeas|'/augeas' is not below
changes|set //ipaddr x|'//ipaddr' is not below
changes|set $nothing/ipaddr x|changes[1]: 'set' failed: 
conditions|match 2[ size == 1|conditions[1]: a quote or a bracket in a path is not closed
conditions|match 2/= size == 1|conditions[1]: 'match' failed: Invalid path expression
conditions|get 2/* == a|conditions[1]: 'get' failed: Too many matches
END
    for n in $(seq "$(wc -l <cases)"); do
        printf "$hosts" >"f$n"
    done
    md5sum f* >sums
    grep -v '2\[' cases | several Hosts >site.yaml
    run rhost apply site.yaml
    status_is 4
    while IFS='|' read -r _ _ said; do
        says "$said"
    done < <(grep -v '2\[' cases)
    says '9 failed'
    md5sum -c --quiet sums
    # What leads out of the file does not reach the next one.
    converges <<END
resources:
  - {augeas: '$work/f1: it', lens: Hosts, changes: ['rm ../../../../../../augeas', 'set 2/canonical z']}
  - {augeas: '$work/f2: it', lens: Hosts, changes: ['defvar x 2', 'set \$x/canonical z']}
END
    run apply <<<"resources: [{augeas: '$work/f3: it', lens: Hosts, changes: ['set \$x/canonical y']}]"
    status_is 4
}

@test "a file that is locked, a full disk and a directory that cannot be written to leave the file as it was" {
    requires_root
    unshare -m true 2>/dev/null || skip "needs mounts of its own"
    mkdir full
    cat >inside <<END
#!/bin/sh
mount -t tmpfs -o size=16k none $work/full && cp $work/f $work/full/f || exit 9
"\$@"
status=\$?
cat $work/full/f
exit \$status
END
    chmod +x inside
    { printf 'Port 22\n'; yes '# comment' | head -n 900; } >f
    printf 'resources: [{augeas: "%s/full/f: it", lens: Sshd, changes: [set Port 23]}]\n' "$work" >site.yaml
    run unshare -m ./inside "$abs_top_builddir/rhost" apply --state-dir "$work/state" site.yaml
    status_is 4
    says 'No space left on device'
    says 'Port 22'
    if chattr +i f 2>/dev/null; then
        change Sshd run apply <<<'changes: [set Port 23]'
        chattr -i f
        status_is 4
        says 'Operation not permitted'
    fi
    grep -qx 'Port 22' f
}

# bats test_tags=inline
@test "a secret is shown nowhere; a validator keeps what it refuses from its place" {
    printf 'login = b\npassword = old-hunter\n' >f
    change Simplevars run apply --debug --diff <<'END'
changes: ["set password new-hunter"]
sensitive: [changes]
END
    status_is 0
    says_not hunter
    grep -q 'password = new-hunter' f
    while IFS= read -r change; do
        change Simplevars run apply --debug --diff <<END
changes: ["$change"]
sensitive: [changes]
END
        [ "$status" -ne 0 ]
        says 'it would quote a secret'
        says_not hunter
    done <<'END'
hunter a
set password/hunter[ x
set /hunter/x y
set password/= hunter
END
    change Simplevars fails 'refuses the new content' <<'END'
changes: ["set login bad"]
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
    mkdir open
    chmod 777 open
    printf 'Port 22\n' >kept
    ln -s "$work/kept" open/f
    chown -h nobody open open/f
    one "augeas: \"$work/open/f: it\"" -- run apply < <(attributes <<<'{lens: Sshd, changes: [set Port 23]}')
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

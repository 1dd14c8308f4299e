#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# On a copy of this machine's /etc that vanishes with each test.
source "${abs_top_srcdir:-$BATS_TEST_DIRNAME/../..}/tests/lib.bash"
source "$abs_top_srcdir/tests/scratch.bash"
scratch_shares='alternatives ssl'

setup() {
    work_open
    scratch_open
}

teardown() {
    scratch_close
}

# The group's line.
line() {
    in_scratch grep "^$1:" /etc/group || true
}

devs() {
    printf 'resources:\n  - group: devs\n' >site.yaml
    printf '    %s\n' "$@" >>site.yaml
    rhost apply --detailed-exitcodes site.yaml
}

# bats test_tags=inline
@test "a group is made with its number and its members, and left alone afterwards" {
    in_scratch useradd alice
    converges <<'END'
resources:
  - group: devs
    gid: 4000
    members: [games, alice]
  - group: plain
END
    is "$(line devs)" "devs:x:4000:games,alice"
    in_scratch grep -q '^devs:!::games,alice$' /etc/gshadow
    line plain | grep -q '^plain:x:[1-9][0-9]*:$'
    [ -z "$(grep ^devs: /etc/group)" ] # not this machine's own
}

# bats test_tags=inline
@test "noop shows it, and changes nothing" {
    in_scratch sh -c 'cat /etc/passwd /etc/group /etc/gshadow' >before
    run apply --noop <<'END'
resources:
  - group: devs
    members: [games]
  - group: audio
    gid: 4029
    members: [games]
  - group: video
    ensure: absent
END
    status_is 0
    says "3 would change"
    says "members 'games' not in it"
    in_scratch sh -c 'cat /etc/passwd /etc/group /etc/gshadow' | cmp - before
}

@test "what is not mentioned is left as it is" {
    in_scratch groupadd -g 4000 -U games devs
    is_in_sync <<<"resources: [{group: devs}]"
    is "$(line devs)" "devs:x:4000:games"
}

@test "another number is given to a group that is there, and to those whose own it is" {
    in_scratch groupadd -g 4000 devs
    in_scratch useradd -g devs alice
    run devs "gid: 4001"
    status_is 2
    says "4000 → 4001"
    is "$(line devs)" "devs:x:4001:"
    in_scratch grep -q '^alice:x:[0-9]*:4001:' /etc/passwd
    run devs "gid: 4001"
    status_is 0
}

@test "minimum adds members, inclusive makes them the only ones" {
    in_scratch groupadd -g 4000 -U games,man devs
    run devs "members: [man, games, mail, mail]"
    status_is 2
    says "members 'mail' not in it"
    is "$(line devs)" "devs:x:4000:games,man,mail"
    run devs "members: [mail, games]"
    status_is 0
    run devs "members: [mail, news]" "membership: inclusive"
    status_is 2
    is "$(line devs)" "devs:x:4000:mail,news"
    run devs "members: [news, mail, news]" "membership: inclusive"
    status_is 0
    run devs "members: []"
    status_is 0
    run devs "members: []" "membership: inclusive"
    status_is 2
    is "$(line devs)" "devs:x:4000:"
}

@test "members whose account is gone are no trouble to those who add others" {
    in_scratch groupadd -g 4000 devs
    in_scratch sed -i 's/^devs:.*/devs:x:4000:nobodys/' /etc/group
    run devs "members: [games]"
    status_is 2
    is "$(line devs)" "devs:x:4000:nobodys,games"
    run devs "members: [games]" "membership: inclusive"
    status_is 2
    is "$(line devs)" "devs:x:4000:games"
}

@test "a member that nobody makes is refused, in the tool's words" {
    run devs "gid: 4000" "members: [nobodys]"
    [ "$status" -ne 0 ]
    says "gpasswd: user 'nobodys' does not exist"
}

@test "a member that this run makes joins when it is made" {
    converges <<'END'
resources:
  - group: devs
    members: [alice, games]
  - group: ops
    members: [alice]
    membership: inclusive
  - user: alice
END
    line devs | grep -q ':games,alice$'
    line ops | grep -q ':alice$'
}

@test "a group of the system gets a number of their range" {
    run devs "system: true"
    status_is 2
    [ "$(line devs | cut -d: -f3)" -lt 1000 ]
}

@test "a number that another has is refused by the tool, in its words, unless that is wanted" {
    in_scratch groupadd -g 4000 first
    run devs "gid: 4000"
    [ "$status" -ne 0 ]
    says "groupadd: GID '4000' already exists"
    run devs "gid: 4000" "allow_duplicate_gid: true"
    status_is 2
    is "$(line devs)" "devs:x:4000:"
    run devs "gid: 4001"
    status_is 2
    run devs "gid: 4000"
    says "groupmod: GID '4000' already exists"
}

# bats test_tags=inline
@test "a group goes, unless it is somebody's own" {
    in_scratch groupadd devs
    converges <<'END'
resources:
  - group: [devs, nobodys]
    ensure: absent
END
    is "$(line devs)" ""
    in_scratch useradd alice
    run apply <<<"resources: [{group: alice, ensure: absent}]"
    [ "$status" -ne 0 ]
    says "groupdel: cannot remove the primary group of user 'alice'"
}

# bats test_tags=inline
@test "groups are purged" {
    in_scratch groupadd devs
    {
        printf 'resources:\n  - purge: group\n    keep:'
        in_scratch awk -F: '$1 != "devs" { printf " %s\"%s\"", n++ ? ", " : "[", $1 } END { print "]" }' /etc/group
    } >site.yaml
    run rhost apply site.yaml
    status_is 0
    says "group[devs]"
    is "$(line devs)" ""
    [ -n "$(line audio)" ]
}

@test "a purge leaves the system its own groups" {
    in_scratch groupadd -g 4321 devs
    run apply --noop <<<"resources: [{purge: group, limit: none}]"
    status_is 0
    says "group[devs]"
    says_not "group[root]"
    says_not "group[audio]"
    says_not "group[nogroup]"
    run apply --noop <<<"resources: [{purge: group, limit: none, system: true}]"
    says "group[audio]"
}

# bats test_tags=inline
@test "a purge leaves the group of the account that has logged in to run it" {
    in_scratch useradd -u 4321 -U alice
    in_scratch groupadd devs
    printf 'resources: [{purge: group, limit: none}]\n' >site.yaml
    state_open
    for RHOST_ISOLATION in $isolations; do
        run as_login 4321 "$RHOST" apply --noop --isolation="$RHOST_ISOLATION" --state-dir "$BATS_TEST_TMPDIR/state" site.yaml
        status_is 0
        says "group[devs]"
        says_not "group[alice]"
    done
}

@test "what is not a name and no number is refused" {
    while read -r attribute; do
        run devs "$attribute"
        status_is 1
        says "group[devs]"
    done <<'END'
gid: -1
gid: 4294967295
gid: devs
members: [a b]
members: ["a,b"]
membership: some
END
    for name in -r a:b 'a b' a,b 123 '""' . a/b; do
        run apply <<<"resources: [{group: $name}]"
        status_is 1
    done
}

# bats test_tags=inline
@test "all that is listed can be applied, and changes nothing" {
    in_scratch sh -c '
        echo "+:::" >>/etc/group
        echo "odd:x:4200:alice,alice,nobodys,+x" >>/etc/group
        echo "odd:x:4201:" >>/etc/group
        echo "4711:x:4202:" >>/etc/group
        echo "broken line" >>/etc/group'
    rhost resource group >all.yaml
    [ "$(grep -c 'group: odd' all.yaml)" -eq 1 ]
    not grep -qE '4711|\+' all.yaml || return 1
    run rhost apply --noop --detailed-exitcodes all.yaml
    status_is 0
    says_not "would change"
}

# bats test_tags=inline
@test "the databases are read once for a whole batch" {
    requires_command strace
    [ -z "${RHOST_WATCHED-}" ] || skip "two cannot trace one process"
    for i in $(seq 1 40); do
        in_scratch groupadd -g $((5000 + i)) "n$i"
    done
    {
        echo 'resources:'
        printf '  - group: n%s\n    members: []\n' $(seq 1 40)
    } >site.yaml
    in_scratch strace -f -e trace=open,openat -o trace "$SCRATCH_RHOST" apply --detailed-exitcodes \
        --state-dir "$BATS_TEST_TMPDIR/state" --isolation="$RHOST_ISOLATION" site.yaml
    is "$(grep '"/etc/group"' trace | grep -vc O_PATH)" 1 # with O_PATH nothing is read
}

# bats test_tags=inline
@test "who has locked the databases is told, and waited for" {
    requires_command python3
    mkfifo held
    in_scratch python3 -c 'import fcntl, time
f = open("/etc/.pwd.lock", "w")
fcntl.lockf(f, fcntl.LOCK_EX)
print("held", flush=True)
time.sleep(4)' >held 3>&- &
    read -r _ <held
    run devs "gid: 4000"
    status_is 2
    says "'/etc/.pwd.lock' is locked by process"
    is "$(line devs)" "devs:x:4000:"
}

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

HASH='$6$abcdefgh$9O4l6d0cJ0mC3sQ0ZcTq3Gm1eWk'
OTHER='$y$j9T$F5Jx5fExrKuPp53xLKQ..1$tnSYvahCwPBHKZUspmcxMfb0.WiB9W.zEaKlOBL35rC'

# A field of somebody's line in one of the databases: field shadow alice 2
field() {
    in_scratch awk -F: -v who="$2" -v n="$3" '$1 == who { print $n }' "/etc/$1"
}

groups_of() {
    in_scratch awk -F: -v who="$1" '("," $4 ",") ~ ("," who ",") { print $1 }' /etc/group | sort | xargs
}

# What `rhost` would do to alice with one attribute.
alice() {
    printf 'resources:\n  - user: alice\n' >site.yaml
    printf '    %s\n' "$@" >>site.yaml
    rhost apply --detailed-exitcodes site.yaml
}

converges_alice() {
    run rhost apply --noop --detailed-exitcodes <(printf 'resources:\n  - user: alice\n'; printf '    %s\n' "$@")
    run alice "$@"
    status_is 2
    again=$output
    run alice "$@"
    status_is 0
    output=$again
}

# bats test_tags=inline
@test "an account is made with all that is wanted, and left alone afterwards" {
    converges <<END
resources:
  - group: staffers
    gid: 4000
  - user: alice
    uid: 4001
    gid: staffers
    groups: [games, audio]
    comment: Alice Ünicode, Room 7
    home: $work/home/
    create_home: true
    shell: /bin/bash
    password: $HASH
    expiry: 2031-02-03
    password_min_age: 1
    password_max_age: 90
    password_warn_days: 10
    password_inactive_days: 5
    password_last_change: 2026-01-31
END
    is "$(in_scratch grep ^alice: /etc/passwd)" "alice:x:4001:4000:Alice Ünicode, Room 7:$work/home:/bin/bash"
    is "$(in_scratch grep ^alice: /etc/shadow)" "alice:$HASH:20484:1:90:10:5:22313:"
    is "$(groups_of alice)" "audio games"
    [ -f home/.profile ]
    is "$(stat -c %u:%g home)" 4001:4000
    [ -z "$(grep alice /etc/passwd)" ] # not this machine's own
}

# bats test_tags=inline
@test "noop shows it, and changes nothing" {
    in_scratch sh -c 'cat /etc/passwd /etc/shadow /etc/group /etc/gshadow' >before
    run apply --noop <<END
resources:
  - user: alice
    create_home: true
    home: $work/home
  - user: games
    shell: /bin/false
    groups: [audio]
  - user: man
    ensure: absent
END
    status_is 0
    says "3 would change"
    says "is not in 'audio'"
    run apply --noop <<<"resources: [{user: games, gid: nosuchgroup}]"
    says "gid: unknown group 'nosuchgroup'"
    in_scratch sh -c 'cat /etc/passwd /etc/shadow /etc/group /etc/gshadow' | cmp - before
    [ ! -e home ]
}

@test "what is not mentioned is left as it is" {
    in_scratch useradd -u 4001 -c Alice -G audio -s /bin/bash -p "$HASH" -e 2031-02-03 alice
    in_scratch sh -c 'cat /etc/passwd /etc/shadow /etc/group' >before
    is_in_sync <<<"resources: [{user: alice}]"
    in_scratch sh -c 'cat /etc/passwd /etc/shadow /etc/group' | cmp - before
}

@test "each attribute is put right by itself" {
    in_scratch groupadd -g 4500 extra
    in_scratch useradd -u 4001 -c Alice -s /bin/bash alice
    while IFS='|' read -r attribute database n value; do
        in_scratch sh -c 'cat /etc/passwd /etc/shadow /etc/group' >before
        run rhost apply --noop --detailed-exitcodes <(printf 'resources:\n  - user: alice\n    %s\n' "$attribute")
        status_is 2
        in_scratch sh -c 'cat /etc/passwd /etc/shadow /etc/group' | cmp - before
        converges_alice "$attribute"
        is "$(field "$database" alice "$n")" "$value"
    done <<'END'
uid: 4002|passwd|3|4002
gid: extra|passwd|4|4500
comment: Another|passwd|5|Another
comment: ""|passwd|5|
home: /srv/alice|passwd|6|/srv/alice
shell: /bin/sh|passwd|7|/bin/sh
expiry: 2030-12-31|shadow|8|22279
expiry: never|shadow|8|
password_min_age: 3|shadow|4|3
password_max_age: 30|shadow|5|30
password_max_age: -1|shadow|5|
password_warn_days: 4|shadow|6|4
password_inactive_days: 14|shadow|7|14
password_inactive_days: -1|shadow|7|
password_last_change: must_change|shadow|3|0
password_last_change: unset|shadow|3|
password_last_change: 2026-02-28|shadow|3|20512
END
}

@test "an account may be made without limits, and its line in /etc/shadow when it has none" {
    converges <<'END'
resources:
  - user: alice
    expiry: never
    password_min_age: -1
    password_max_age: -1
    password_warn_days: -1
    password_inactive_days: -1
    password_last_change: unset
END
    is "$(in_scratch grep ^alice: /etc/shadow)" "alice:!:::::::"
    in_scratch sed -i '/^alice:/d' /etc/shadow
    run alice
    status_is 0
    converges_alice "password: $HASH" "expiry: 2031-02-03" "password_min_age: 2" "locked: false"
    is "$(field shadow alice 2)" "$HASH"
    in_scratch sed -i '/^alice:/d' /etc/shadow
    converges_alice "locked: true"
}

@test "the primary group may be a name or a number, and is shown as it is wanted" {
    in_scratch groupadd -g 4500 extra
    in_scratch groupadd -o -g 4500 same
    in_scratch useradd -g extra alice
    for gid in extra 4500 same; do
        run alice "gid: $gid"
        status_is 0
    done
    run alice "gid: 60"
    status_is 2
    says "4500 → 60"
    run alice "gid: extra"
    status_is 2
    says "games → extra"
    run alice "gid: nobodys"
    [ "$status" -ne 0 ]
    says "usermod: group 'nobodys' does not exist"
}

@test "a new account's own group is made where gid names it" {
    run rhost resource user alice gid=alice uid=4711 --noop
    status_is 0
    run rhost resource user alice gid=alice uid=4711
    status_is 0
    is "$(in_scratch getent group alice)" "alice:x:4711:"
    is "$(field passwd alice 4)" 4711
    in_scratch userdel alice
    in_scratch groupadd -g 4800 alice
    run rhost resource user alice gid=alice uid=4711
    status_is 0
    is "$(field passwd alice 4)" 4800
    run rhost resource user bob gid=bobs
    [ "$status" -ne 0 ]
    says "group 'bobs' does not exist"
}

@test "minimum adds to the groups, inclusive makes them the only ones" {
    in_scratch useradd -G audio,video alice
    run alice "groups: [video, games, games]"
    status_is 2
    says "groups is not in 'games'"
    is "$(groups_of alice)" "audio games video"
    run alice "groups: [games, video]"
    status_is 0
    run alice "groups: [games, cdrom]" "membership: inclusive"
    status_is 2
    is "$(groups_of alice)" "cdrom games"
    run alice "groups: [cdrom, games, cdrom]" "membership: inclusive"
    status_is 0
    converges_alice "groups: []" "membership: inclusive"
    is "$(groups_of alice)" ""
}

@test "groups are added to and taken from by the marks of manifests" {
    in_scratch useradd -G audio,video alice
    converges_alice "groups: !append [games]" "membership: inclusive"
    is "$(groups_of alice)" "audio games video"
    converges_alice "groups: !remove [audio]" "membership: inclusive"
    is "$(groups_of alice)" "games video"
}

@test "a home directory is made when it is not there, also later on" {
    mkdir skeleton
    echo hello >skeleton/greeting
    in_scratch useradd -M -d "$work/home" alice
    run alice "uid: $(field passwd alice 3)"
    status_is 0
    [ ! -e home ]
    run alice "create_home: false"
    status_is 0
    run alice "create_home: true" "skel: $work/skeleton"
    status_is 2
    says "'$work/home' is not there"
    is "$(in_scratch stat -c %U home/greeting)" alice
    run alice "create_home: true"
    status_is 0
    run alice "create_home: false"
    status_is 0
}

@test "a home directory that is made later has the mode that useradd gives it" {
    mkdir skeleton
    echo hello >skeleton/greeting
    chmod 640 skeleton/greeting
    in_scratch useradd -M -d "$work/home" alice
    for RHOST_ISOLATION in $isolations; do
        for expected in '750 HOME_MODE 0750' '700 UMASK 077' '755 UMASK 022' '0 UMASK 0777'; do
            set -- $expected
            in_scratch sed -i '/^#*[[:space:]]*\(HOME_MODE\|UMASK\)/d' /etc/login.defs
            in_scratch sh -c "printf '# HOME_MODE 0777\n%s\t%s\n' $2 $3 >>/etc/login.defs"
            run alice "create_home: true" "skel: $work/skeleton"
            status_is 2
            is "$(in_scratch stat -c '%U %a' home)" "alice $1"
            is "$(in_scratch stat -c '%U %a' home/greeting)" "alice 640"
            # useradd agrees.
            in_scratch useradd -m -k "$work/skeleton" -d "$work/other" other
            is "$(in_scratch stat -c %a other)" "$1"
            in_scratch userdel -r other 2>/dev/null
            rm -r home
        done
    done
}

@test "a new account has no home directory unless it is wanted, and a copy of skel if it is" {
    mkdir skeleton
    echo hello >skeleton/greeting
    run alice "home: $work/home"
    status_is 2
    [ ! -e home ]
    converges <<END
resources:
  - user: bob
    home: $work/bob
    create_home: true
    skel: $work/skeleton
END
    is "$(in_scratch stat -c %U bob/greeting)" bob
}

@test "another home directory is only moved to when that is wanted" {
    in_scratch useradd -m -d "$work/one" alice
    touch one/mine
    converges_alice "home: $work/two"
    [ -e one/mine ]
    [ ! -e two ]
    in_scratch usermod -d "$work/one" alice
    converges_alice "home: $work/two" "move_home: true"
    [ ! -e one ]
    [ -e two/mine ]
    mkdir in-the-way
    run alice "home: $work/in-the-way" "move_home: true"
    [ "$status" -ne 0 ]
    says "'$work/two' cannot be moved to '$work/in-the-way', which already exists"
    is "$(field passwd alice 6)" "$work/two"
    # With both, it is made where there was none to be moved.
    rm -r two
    converges_alice "home: $work/three" "move_home: true" "create_home: true"
    [ -e three/.profile ]
}

# bats test_tags=inline
@test "a password is set and compared by its hash, and shown nowhere" {
    in_scratch useradd alice
    run alice "password: $HASH"
    status_is 2
    says_not "$HASH"
    is "$(field shadow alice 2)" "$HASH"
    run alice "password: $HASH"
    status_is 0
    in_scratch usermod -p x alice
    run alice "password: $OTHER"
    status_is 2
    is "$(field shadow alice 2)" "$OTHER"
    converges_alice 'password: "*"'
    is "$(field shadow alice 2)" "*"
    converges_alice 'password: "!"'
    is "$(field shadow alice 2)" "!"
    run rhost resource user alice
    says "locked: true"
    run alice "password: $HASH" # what never was a password was locked by nobody
    status_is 2
    is "$(field shadow alice 2)" "$HASH"
}

@test "a lock is a thing of its own: a password that is set does not open it" {
    in_scratch useradd -p "$HASH" alice
    converges_alice "locked: true"
    is "$(field shadow alice 2)" "!$HASH"
    run alice "password: $HASH"
    status_is 0
    run alice "password: $OTHER"
    status_is 2
    is "$(field shadow alice 2)" "!$OTHER"
    converges_alice "locked: false"
    is "$(field shadow alice 2)" "$OTHER"
    in_scratch usermod -p "!!$HASH" alice
    converges_alice "locked: false"
    is "$(field shadow alice 2)" "$HASH"
    converges_alice "locked: true" "password: $OTHER"
    is "$(field shadow alice 2)" "!$OTHER"
    converges_alice "password: $HASH" "locked: false"
    is "$(field shadow alice 2)" "$HASH"
}

@test "without a password nothing is unlocked, and nothing made that was to be" {
    in_scratch useradd alice
    run alice "locked: false"
    [ "$status" -ne 0 ]
    says "locked: no password to unlock"
    run apply <<<"resources: [{user: bob, locked: false}]"
    [ "$status" -ne 0 ]
    says "a new account without a password is locked"
    is "$(field passwd bob 1)" ""
    converges <<<"resources: [{user: bob, locked: true}]"
    converges <<<"resources: [{user: carol, locked: false, password: '*'}]"
}

@test "a password in clear, none at all, and one that is locked and not, are refused" {
    for password in secret 'correct horse battery staple' '""' 'a:b' '"$6$a\nb"'; do
        run alice "password: $password"
        status_is 1
        says "user[alice].password expects"
        says_not "battery"
    done
    run alice 'password: "!$6$abc"' "locked: false"
    [ "$status" -ne 0 ]
    says "a password that begins with '!' is locked"
    is "$(field passwd alice 1)" ""
}

@test "setting a password is the day of its last change, unless another one is wanted" {
    in_scratch useradd alice
    in_scratch chage -d 2020-01-01 alice
    run alice "password: $HASH"
    status_is 2
    is "$(field shadow alice 3)" "$(($(date +%s) / 86400))"
    converges_alice "password: $OTHER" "password_last_change: must_change"
    is "$(field shadow alice 3)" 0
    converges_alice "password: $HASH" "password_last_change: 1970-01-01"
    is "$(field shadow alice 3)" 0
}

@test "what is not a day, no name, no number and no path is refused" {
    while read -r attribute; do
        run alice "$attribute"
        [ "$status" -ne 0 ]
        says "${attribute%%:*}"
        is "$(field passwd alice 1)" ""
    done <<'END'
expiry: 2026-02-30
expiry: tomorrow
expiry: 1969-12-31
password_last_change: 2026-13-01
password_max_age: -2
uid: -1
uid: 4294967295
gid: "-1"
groups: [a b]
groups: ["a,b"]
comment: "a:b"
home: relative
shell: "/bin/sh:x"
membership: some
END
    for name in -r a:b 'a b' a,b 123 '""' . .. '"+"' a/b; do
        run apply <<<"resources: [{user: $name}]"
        status_is 1
    done
}

@test "accounts of the system and others get numbers of their own range" {
    converges <<END
resources:
  - user: service
    system: true
  - user: person
END
    [ "$(field passwd service 3)" -lt 1000 ]
    [ "$(field passwd person 3)" -ge 1000 ]
}

@test "a number that somebody has is refused by the tool, in its words, unless that is wanted" {
    in_scratch useradd -u 4001 bob
    run alice "uid: 4001"
    [ "$status" -ne 0 ]
    says "useradd: UID 4001 is not unique"
    converges_alice "uid: 4001" "allow_duplicate_uid: true"
    converges_alice "uid: 4002"
    run alice "uid: 4001"
    says "usermod: UID '4001' already exists"
    converges_alice "uid: 4001" "allow_duplicate_uid: true"
}

# bats test_tags=inline
@test "an account goes, and its home directory when that is wanted" {
    in_scratch useradd -m -d "$work/home" alice
    in_scratch useradd -m -d "$work/bob" bob
    converges <<END
resources:
  - user: [alice, nobodys]
    ensure: absent
  - user: bob
    ensure: absent
    remove_home: true
END
    is "$(in_scratch grep -cE '^(alice|bob):' /etc/passwd)" 0
    [ -e home ]
    [ ! -e bob ]
}

# A directory of user 1234, who can exchange what is in it, and a link there to real/, which is root's.
a_user_has_a_directory() {
    mkdir theirs real
    echo precious >real/file
    mkdir real/one
    ln -s "$work/real" theirs/link
    chown -h 1234:1234 theirs theirs/link
    before=$(find real -printf '%p %y %u %g %m %s\n' | sort)
}

# refused WORDS: alice, as on standard input, fails before the account is changed, which noop foresees.
refused() {
    cat >site.yaml
    in_scratch sh -c 'cat /etc/passwd /etc/shadow' >accounts
    for option in --noop --color=never; do
        run rhost apply $option site.yaml
        status_is 4
        says "$1"
        in_scratch sh -c 'cat /etc/passwd /etc/shadow' | cmp - accounts
    done
    is "$(find real -printf '%p %y %u %g %m %s\n' | sort)" "$before"
}

# left WORDS: alice is removed with remove_home, but not her home directory, which noop foresees.
left() {
    echo 'resources: [{user: alice, ensure: absent, remove_home: true}]' >site.yaml
    in_scratch sh -c 'cat /etc/passwd /etc/shadow' >accounts
    run rhost apply --noop site.yaml
    status_is 0
    says "$1"
    in_scratch sh -c 'cat /etc/passwd /etc/shadow' | cmp - accounts
    run rhost apply site.yaml
    status_is 0
    says "$1"
    is "$(field passwd alice 1)" ""
}

# bats test_tags=inline
@test "no tool is given a path that an ordinary user can lead elsewhere" {
    a_user_has_a_directory
    for home in theirs/alice theirs/link/alice; do
        refused "cannot create home directory '$work/$home': '$work/$home' is not safe: its owner is user 1234" <<END
resources: [{user: alice, home: $work/$home, create_home: true}]
END
        [ ! -e $home ]
    done
    mkdir theirs/skel
    chown 1234 theirs/skel
    refused "cannot copy '$work/theirs/skel' to home directory '$work/home'" <<END
resources: [{user: alice, home: $work/home, create_home: true, skel: $work/theirs/skel}]
END
    [ ! -e home ]
    in_scratch useradd -M -u 4001 -d "$work/theirs/link" alice
    refused "cannot change the owner of home directory '$work/theirs/link'" <<END
resources: [{user: alice, uid: 4002}]
END
    refused "cannot change the owner of home directory '$work/theirs/link'" <<END
resources: [{user: alice, gid: games}]
END
    in_scratch usermod -d "$work/theirs/alice" alice
    refused "cannot create home directory '$work/theirs/alice'" <<END
resources: [{user: alice, create_home: true}]
END
    in_scratch mkdir theirs/alice
    refused "cannot move home directory '$work/theirs/alice' to '$work/home'" <<END
resources: [{user: alice, home: $work/home, move_home: true}]
END
    in_scratch usermod -d "$work/real/one" alice
    refused "cannot move home directory '$work/real/one' to '$work/theirs/home'" <<END
resources: [{user: alice, home: $work/theirs/home, move_home: true}]
END
}

# bats test_tags=inline
@test "what /etc/default/useradd says of home and skel is checked as what the manifest says" {
    a_user_has_a_directory
    mkdir theirs/skel mine
    touch theirs/skel/planted
    chown 1234 theirs/skel
    echo "HOME=$work/theirs" >useradd
    in_scratch cp useradd /etc/default/useradd
    refused "cannot create home directory '$work/theirs/alice': '$work/theirs/alice' is not safe" <<END
resources: [{user: alice, create_home: true}]
END
    printf '%s\n' "HOME=$work/mine" "SKEL=$work/theirs/skel" >useradd
    in_scratch cp useradd /etc/default/useradd
    refused "cannot copy '$work/theirs/skel' to home directory '$work/mine/alice'" <<END
resources: [{user: alice, create_home: true}]
END
    is "$(field passwd alice 1)" ""
    [ ! -e mine/alice ]
    mkdir skel
    touch skel/greeting
    printf '%s\n' "HOME=$work/mine" "SKEL=$work/skel" >useradd
    in_scratch cp useradd /etc/default/useradd
    converges <<END
resources: [{user: alice, create_home: true}]
END
    is "$(field passwd alice 6)" "$work/mine/alice"
    [ -e mine/alice/greeting ]
    [ ! -e mine/alice/planted ]
}

@test "a home directory is not removed through a user's link" {
    a_user_has_a_directory
    in_scratch useradd -M -d "$work/theirs/link/one" alice
    in_scratch chown alice real/one
    before=$(find real -printf '%p %y %u %g %m %s\n' | sort)
    refused "unsafe path: '$work/theirs/link' is a symbolic link that user 1234 can change" <<END
resources: [{user: alice, ensure: absent, remove_home: true}]
END
}

@test "a home directory that cannot be looked at is not taken as missing" {
    a_user_has_a_directory
    in_scratch useradd -M -d "$work/theirs/link/one" alice
    refused "cannot check whether home directory '$work/theirs/link/one' exists: unsafe path" <<END
resources: [{user: alice, home: $work/home, move_home: true}]
END
    refused "cannot check whether home directory '$work/theirs/link/one' exists: unsafe path" <<END
resources: [{user: alice, create_home: true}]
END
    ln -s round round
    in_scratch usermod -d "$work/round/alice" alice
    refused "cannot check whether home directory '$work/round/alice' exists" <<END
resources: [{user: alice, home: $work/home, move_home: true}]
END
}

@test "a home directory is only moved where the directory above exists" {
    mkdir real
    before=$(find real -printf '%p %y %u %g %m %s\n' | sort)
    in_scratch useradd -m -d "$work/one" alice
    touch file
    refused "home: '$work/one' cannot be moved to '$work/above/two': directory '$work/above' does not exist" <<END
resources: [{user: alice, home: $work/above/two, move_home: true}]
END
    refused "home: '$work/one' cannot be moved to '$work/file/two': '$work/file' is not a directory" <<END
resources: [{user: alice, home: $work/file/two, move_home: true}]
END
    in_scratch test -e one/.profile
    converges <<END
resources:
  - user: alice
    home: $work/above/two
    move_home: true
  - directory: $work/above
END
    in_scratch test -e above/two/.profile
    [ ! -e one ]
}

# bats test_tags=inline
@test "what is mounted in a home directory keeps it from being removed or moved" {
    mkdir real
    echo precious >real/file
    before=$(find real -printf '%p %y %u %g %m %s\n' | sort)
    in_scratch useradd -m -d "$work/home" alice
    in_scratch mkdir home/data
    in_scratch mount --bind real home/data
    refused "home directory '$work/home' is not removed: something is mounted at '$work/home/data'" <<END
resources: [{user: alice, ensure: absent, remove_home: true}]
END
    refused "'$work/home' cannot be moved: something is mounted at '$work/home/data'" <<END
resources: [{user: alice, home: $work/other, move_home: true}]
END
    in_scratch test -e home/.profile
    in_scratch umount home/data
    converges <<END
resources: [{user: alice, ensure: absent, remove_home: true}]
END
    [ ! -e home ]
    is "$(cat real/file)" precious
}

@test "a home directory that is not the account's alone is left when the account goes" {
    in_scratch useradd -m -d "$work/home" alice
    in_scratch useradd -M -d "$work/home/inner" bob
    left "home directory '$work/home' is not removed: user 'bob' has '$work/home/inner' as home directory"
    in_scratch useradd -M -d "$work/home" alice
    in_scratch usermod -d "$work/home" bob
    left "home directory '$work/home' is not removed: user 'bob' has '$work/home' as home directory"
    in_scratch usermod -d "$work/homely" bob
    in_scratch useradd -M -d "$work/home" alice
    in_scratch chown 4321 home
    left "home directory '$work/home' is not removed: its owner is user 4321"
    in_scratch test -e home/.profile
    in_scratch useradd -M -d /usr/lib alice
    left "home directory '/usr/lib' is not removed: its owner is user 0"
    in_scratch useradd -M -d / alice
    left "home directory '/' is not removed: it is the root directory"
    touch file
    in_scratch useradd -M -d "$work/file" alice
    left "home directory '$work/file' is not removed: it is not a directory"
    [ -e file ]
}

@test "a home directory that another account reaches by another path is not removed" {
    in_scratch useradd -m -d "$work/real8" alice
    ln -s real8 h8
    in_scratch usermod -d "$work/h8" alice
    in_scratch mkdir real8/bob
    in_scratch touch real8/bob/mine
    ln -s "$work/real8" real8/again
    uid=$(field passwd alice 3)
    in_scratch chown -h alice real8/again
    for home in real8/bob real8 real8/none real8/again/bob; do
        in_scratch sh -c 'userdel bob; useradd -u 4999 -M -d "$1" bob' sh "$work/$home" 2>/dev/null
        left "home directory '$work/h8' is not removed: user 'bob' has '$work/$home' as home directory"
        in_scratch test -e real8/bob/mine
        in_scratch useradd -M -u "$uid" -d "$work/h8" alice
    done
    in_scratch usermod -d "$work/real88" bob
    converges <<END
resources: [{user: alice, ensure: absent, remove_home: true}]
END
    [ ! -e real8 ]
}

@test "when a home directory cannot be removed, it says that the account is gone and what is left" {
    mkdir real
    echo precious >real/file
    in_scratch groupadd alice
    in_scratch useradd -g alice -m -d "$work/home" alice
    in_scratch mkdir -p home/a/data
    # Something is mounted there after it was looked at; and the group cannot be put back.
    in_scratch sh -c 'cp /usr/sbin/userdel /mnt/
        printf "#!/bin/sh\n/mnt/userdel \"\$@\" && mount --bind \"%s/real\" \"%s/home/a/data\"\n" "$1" "$1" >/mnt/then
        printf "#!/bin/sh\necho groupadd: no >&2\nexit 1\n" >/mnt/fails
        chmod +x /mnt/then /mnt/fails
        mount --bind /mnt/then /usr/sbin/userdel
        mount --bind /mnt/fails /usr/sbin/groupadd' sh "$work"
    run apply <<END
resources:
  - user: alice
    ensure: absent
    remove_home: true
  - group: alice
END
    status_is 4
    says "user 'alice' was removed, but its home directory '$work/home' is left: cannot remove '$work/home/a/data': something is mounted there"
    says "groupadd: no"
    is "$(field passwd alice 1)" ""
    is "$(cat real/file)" precious
}

@test "a file that not even root can remove keeps the account and its home directory" {
    mkdir real
    before=$(find real -printf '%p %y %u %g %m %s\n' | sort)
    in_scratch useradd -m -d "$work/home" alice
    in_scratch mkdir -p home/a
    for attribute in i a; do
        in_scratch touch home/a/kept
        in_scratch chattr +$attribute home/a/kept
        refused "home directory '$work/home' is not removed: '$work/home/a/kept' is immutable or append-only" <<END
resources: [{user: alice, ensure: absent, remove_home: true}]
END
        in_scratch chattr -$attribute home/a/kept
    done
    in_scratch test -e home/.profile
}

@test "a user cannot keep an account by directories that are nested too deep, or names that are too long" {
    requires_command python3
    in_scratch useradd -m -d "$work/home" alice
    in_scratch useradd -m -d "$work/other" bob
    for dir in home other; do
        in_scratch python3 -c 'import os, sys
for name, n in ("d", 450), ("x" * 250, 40):
    os.chdir(sys.argv[1])
    for i in range(n):
        os.mkdir(name)
        os.chdir(name)
        open("file" + "y" * (len(name) - 1), "w").close()' "$work/$dir"
    done
    in_scratch useradd -m -d "$work/mounted" carol
    in_scratch mkdir -p "mounted/a b/c"
    in_scratch mount -t tmpfs none "mounted/a b"
    run apply --noop <<END
resources: [{user: alice, ensure: absent, remove_home: true}]
END
    status_is 0
    converges <<END
resources: [{user: [alice, bob], ensure: absent, remove_home: true}]
END
    [ ! -e home ]
    [ ! -e other ]
    run apply <<END
resources: [{user: carol, ensure: absent, remove_home: true}]
END
    status_is 4
    says "home directory '$work/mounted' is not removed: something is mounted at '$work/mounted/a b'"
    is "$(field passwd carol 1)" carol
}

@test "what is in the place of a mailbox is left, and does not keep the account" {
    mkdir spool
    in_scratch sed -i '/^MAIL_/d' /etc/login.defs
    in_scratch sh -c "echo 'MAIL_DIR $work/spool' >>/etc/login.defs"
    in_scratch useradd -M -d "$work/none" alice
    touch spool/alice
    chown 4321 spool/alice
    left "mailbox '$work/spool/alice' is not removed: it belongs to another user"
    rm -f spool/alice
    mkdir spool/alice
    in_scratch useradd -M -d "$work/none" alice
    left "mailbox '$work/spool/alice' is not removed: it is not a regular file"
    [ -d spool/alice ]
}

@test "a mailbox that cannot be removed keeps the account" {
    mkdir spool
    in_scratch sed -i '/^MAIL_/d' /etc/login.defs
    in_scratch sh -c "echo 'MAIL_DIR $work/spool' >>/etc/login.defs"
    in_scratch useradd -m -d "$work/home" alice
    in_scratch sh -c "touch '$work/spool/alice' && chown alice '$work/spool/alice'"
    in_scratch mount --bind "$work/spool/alice" "$work/spool/alice"
    run apply <<'END'
resources: [{user: alice, ensure: absent, remove_home: true}]
END
    status_is 4
    says "mailbox '$work/spool/alice'"
}

@test "of a home directory and a mailbox that cannot be removed, the first is the failure and the second a warning" {
    mkdir spool homes
    in_scratch sed -i '/^MAIL_/d' /etc/login.defs
    in_scratch sh -c "echo 'MAIL_DIR $work/spool' >>/etc/login.defs"
    in_scratch useradd -m -d "$work/homes/alice" alice
    in_scratch sh -c "touch '$work/spool/alice' && chown alice '$work/spool/alice'"
    in_scratch sh -c 'for d; do mount --bind "$d" "$d" && mount -o remount,bind,ro "$d"; done' sh "$work/spool" "$work/homes"
    run apply <<'END'
resources: [{user: alice, ensure: absent, remove_home: true}]
END
    status_is 4
    says "failed: user 'alice' was removed, but its home directory '$work/homes/alice' is left: "
    says "warning: user[alice]: Deleting: user 'alice' was removed, but its mailbox '$work/spool/alice' is left: "
    says_not "failed: user 'alice' was removed, but its mailbox"
}

@test "with the home directory goes the mailbox, and root's link to it, but nothing that a link in it leads to" {
    mkdir real spool
    echo precious >real/file
    in_scratch useradd -m -d "$work/elsewhere" alice
    in_scratch ln -s "$work/real" elsewhere/link
    in_scratch mkdir -p elsewhere/a/b/c
    ln -s elsewhere home
    in_scratch usermod -d "$work/home" alice
    in_scratch sed -i '/^MAIL_/d' /etc/login.defs
    for dir in /var/mail "$work/spool"; do
        in_scratch sh -c "touch '$dir/alice' '$dir/alicia' && chown alice '$dir/alice'"
    done
    in_scratch sh -c "echo 'MAIL_DIR $work/spool' >>/etc/login.defs"
    converges <<END
resources: [{user: alice, ensure: absent, remove_home: true}]
END
    [ ! -L home ]
    [ ! -e elsewhere ]
    is "$(cat real/file)" precious
    is "$(ls spool)" alicia
    in_scratch test -e /var/mail/alice
}

@test "accounts are purged" {
    in_scratch useradd alice
    in_scratch useradd bob
    {
        printf 'resources:\n  - user: alice\n  - purge: user\n    keep:'
        in_scratch awk -F: '$1 != "bob" { printf " %s\"%s\"", n++ ? ", " : "[", $1 } END { print "]" }' /etc/passwd
    } >site.yaml
    run rhost apply site.yaml
    status_is 0
    says "user[bob]"
    is "$(field passwd bob 1)" ""
    is "$(field passwd alice 1)" alice
}

@test "a purge leaves the system its own accounts" {
    in_scratch useradd -u 4321 alice
    run apply --noop <<<"resources: [{purge: user, limit: none}]"
    status_is 0
    says "user[alice]"
    says_not "user[root]"
    says_not "user[daemon]"
    says_not "user[nobody]"
    run apply --noop <<<"resources: [{purge: user, limit: none, system: true}]"
    says "user[alice]"
    says "user[daemon]"
    says "user[nobody]"
    in_scratch sed -i 's/^UID_MIN.*/UID_MIN 5000/' /etc/login.defs
    run apply --noop <<<"resources: [{purge: user}]"
    says_not "user[alice]"
    run apply <<<"resources: [{purge: cron, system: true}]"
    status_is 1
    says "'system' cannot be used with type 'cron'"
}

# bats test_tags=inline
@test "a purge leaves the account that has logged in to run it" {
    in_scratch useradd -u 4321 alice
    in_scratch useradd -u 4322 bob
    printf 'resources: [{purge: user, limit: none}]\n' >site.yaml
    state_open
    for RHOST_ISOLATION in $isolations; do
        run as_login 4321 "$RHOST" apply --noop --isolation="$RHOST_ISOLATION" --state-dir "$BATS_TEST_TMPDIR/state" site.yaml
        status_is 0
        says "user[bob]"
        says_not "user[alice]"
    done
}

@test "the account with number 0 is not removed" {
    run apply <<<"resources: [{user: root, ensure: absent}]"
    [ "$status" -ne 0 ]
    says "'root' is not removed"
    is "$(field passwd root 1)" root
}

@test "a group of its name is the primary group of a new account" {
    in_scratch groupadd -g 4500 alice
    run apply --detailed-exitcodes <<<"resources: [{user: alice}]"
    status_is 2
    is "$(field passwd alice 4)" 4500
}

# bats test_tags=inline
@test "groups come first, and go last" {
    converges <<'END'
resources:
  - user: alice
    gid: own
    groups: [one, two]
  - group: [two, own, alice]
  - group: one
    gid: 4711
END
    is "$(groups_of alice)" "one two"
    run apply --detailed-exitcodes <<'END'
resources:
  - group: [two, own, alice, one]
    ensure: absent
  - user: alice
    gid: own
    ensure: absent
END
    status_is 2
    is "$(in_scratch grep -cE '^(alice|own|one|two):' /etc/group)" 0
    is "$(field passwd alice 1)" ""
}

@test "an account and its own group go together, however they are written" {
    in_scratch useradd alice
    in_scratch grep -q ^alice: /etc/group
    converges <<'END'
resources:
  - group: alice
    ensure: absent
  - user: alice
    ensure: absent
END
    not in_scratch grep -q ^alice: /etc/group
}

@test "a group that is wanted stays when userdel takes it along" {
    in_scratch groupadd -g 4500 alice
    in_scratch useradd -g alice alice
    converges <<'END'
resources:
  - group: alice
  - user: alice
    ensure: absent
END
    is "$(field group alice 3)" 4500
}

@test "accounts come before the files that belong to them, and directories before the homes in them" {
    converges <<END
resources:
  - file: $work/homes/alice/key
    owner: alice
    group: alice
    content: x
  - user: alice
    home: $work/homes/alice
    create_home: true
  - directory: $work/homes
    mode: 0751
  - group: alice
END
    is "$(in_scratch stat -c %U:%G homes/alice/key)" alice:alice
    is "$(mode_of homes)" 751
}

@test "a directory of theirs above their home is what the manifest says" {
    cat >site.yaml <<END
resources:
  - directory: $work/homes
    owner: alice
  - user: alice
    home: $work/homes/inner
    create_home: true
END
    run rhost apply site.yaml
    status_is 1
    says "resources depend on each other in a cycle"
    sed -i 's/owner: alice/&\n    require: user[alice]/' site.yaml
    run rhost apply site.yaml
    status_is 0
    is "$(in_scratch stat -c %U homes homes/inner | xargs)" "alice alice"
}

@test "groups and accounts may name each other" {
    converges <<'END'
resources:
  - group: devs
    members: [alice, bob]
  - user: alice
    gid: devs
    groups: [audio, devs]
  - user: bob
END
    is "$(groups_of alice)" "audio devs"
    is "$(groups_of bob)" "devs"
}

# bats test_tags=inline
@test "all that is listed can be applied, and changes nothing" {
    in_scratch useradd -G audio,video -c 'Alice "A." \ $HOME ${x} #1' -p "$HASH" -e 2031-02-03 alice
    in_scratch useradd -p "!$HASH" -o -u 0 toor
    in_scratch groupadd -o -g 29 sound
    in_scratch sh -c '
        echo "+::::::" >>/etc/passwd
        echo "odd::4100:77777::/home/odd/:" >>/etc/passwd
        echo "o.d-d_1:x:4101:100:x:relative:sh" >>/etc/passwd
        echo "4711:x:4102:100::/:/bin/sh" >>/etc/passwd
        printf "latin:x:4103:100:J\366rg:/:/bin/sh\n" >>/etc/passwd
        echo "odd:NP:1::::::" >>/etc/shadow
        echo "audio2:x:4200:alice,alice,nobodys" >>/etc/group'
    rhost resource user >all.yaml
    rhost resource group >groups.yaml
    grep -v '^resources:' groups.yaml >>all.yaml
    grep -q 'user: alice' all.yaml
    grep -q 'user: latin' all.yaml
    not grep -qE '4711|\+' all.yaml
    not grep -qF "$HASH" all.yaml
    run rhost apply --noop --detailed-exitcodes all.yaml
    status_is 0
    says " ok"
    says_not "would change"
    run rhost resource user --format=json alice
    says '"groups"'
}

# bats test_tags=inline
@test "nothing of a password is in any process listing, log or file but the one" {
    # Each tool waits until it was seen in a listing, ten seconds at the most.
    in_scratch sh -c 'cp /usr/sbin/chpasswd /usr/sbin/usermod /mnt/
        for tool in chpasswd usermod; do
            printf "#!/bin/sh\ni=0\nwhile [ ! -e \"%s/seen\" ] && [ \$((i += 1)) -lt 100 ]; do sleep 0.1; done\n" "$1" \
                >/mnt/slow.$tool
            printf "exec /mnt/%s \"\$@\"\n" $tool >>/mnt/slow.$tool
            chmod +x /mnt/slow.$tool
            mount --bind /mnt/slow.$tool /usr/sbin/$tool
        done' sh "$work"
    printf '%s\n' "${HASH#*h\$}" "${OTHER#*1\$}" >secrets
    cat >site.yaml <<END
resources:
  - user: alice
    password: $HASH
  - user: bob
    password: $OTHER
    locked: true
END
    in_scratch useradd -p "$HASH" bob
    rhost apply -v -v --debug --diff --report report.json site.yaml >out 2>&1 &
    run=$!
    scans=0
    while kill -0 "$run" 2>/dev/null; do
        cat /proc/[0-9]*/cmdline /proc/[0-9]*/environ 2>/dev/null | tr '\0' '\n' >listing || true
        if grep -qa chpasswd listing; then
            scans=$((scans + 1))
            : >seen
        fi
        ! grep -aFf secrets listing || {
            echo "a password in a process listing"
            return 1
        }
    done
    wait "$run"
    [ "$scans" -gt 0 ]
    is "$(field shadow alice 2)" "$HASH"
    is "$(field shadow bob 2)" "!$OTHER"
    not grep -rFf secrets out report.json "$BATS_TEST_TMPDIR/state" || return 1
}

# bats test_tags=inline
@test "who has locked the databases is told, and waited for" {
    requires_command python3
    hold_lock 4
    run alice "lock_wait: 20"
    status_is 2
    says "'/etc/.pwd.lock' is locked by process"
    says "(python3), waiting up to 20 s"
    is "$(field passwd alice 1)" alice
}

@test "after the limit it fails, and says who had the lock" {
    requires_command python3
    hold_lock 10
    run alice "lock_wait: 1"
    [ "$status" -ne 0 ]
    says "(python3), for more than 1 s"
    is "$(field passwd alice 1)" ""
    run alice "lock_wait: 0"
    [ "$status" -ne 0 ]
    kill "$holder"
    run alice
    status_is 2
}

@test "a tool that could not have its lock is run again" {
    in_scratch sh -c 'cp /usr/sbin/useradd /mnt/
        printf "#!/bin/sh\n[ -e /mnt/second ] && exec /mnt/useradd \"\$@\"\ntouch /mnt/second\necho \"useradd: cannot lock /etc/passwd; try again later.\" >&2\nexit 1\n" >/mnt/busy
        chmod +x /mnt/busy
        mount --bind /mnt/busy /usr/sbin/useradd'
    run alice
    status_is 2
    says "useradd: cannot lock /etc/passwd; try again later.: trying again, for up to 60 s"
    is "$(field passwd alice 1)" alice
}

# Holds the lock that all tools take, for so many seconds.
hold_lock() {
    mkfifo held
    in_scratch python3 -c 'import fcntl, os, sys, time
f = open("/etc/.pwd.lock", "w")
fcntl.lockf(f, fcntl.LOCK_EX)
print(os.getpid(), flush=True)
time.sleep(float(sys.argv[1]))' "$1" >held 3>&- &
    read -r holder <held
}

# bats test_tags=inline
@test "the databases are read once for a whole batch" {
    requires_command strace
    [ -z "${RHOST_WATCHED-}" ] || skip "two cannot trace one process"
    for i in $(seq 1 40); do
        in_scratch useradd -u $((5000 + i)) "n$i"
    done
    {
        echo 'resources:'
        printf '  - user: n%s\n    shell: /bin/sh\n    groups: []\n    locked: true\n' $(seq 1 40)
    } >site.yaml
    in_scratch strace -f -e trace=open,openat -o trace "$SCRATCH_RHOST" apply --detailed-exitcodes \
        --state-dir "$BATS_TEST_TMPDIR/state" --isolation="$RHOST_ISOLATION" site.yaml
    is "$(grep '"/etc/shadow"' trace | grep -vc O_PATH)" 1
    is "$(grep '"/etc/group"' trace | grep -vc O_PATH)" 1 # with O_PATH nothing is read
}

# bats test_tags=inline
@test "what others have changed meanwhile is seen" {
    converges <<'END'
resources:
  - user: alice
  - exec: another hand
    command: [usermod, -s, /bin/false, alice]
    not_if: [grep, -q, "^carol:", /etc/passwd]
  - user: carol
  - edit: user[alice]
    shell: /bin/sh
  - trigger: user[alice]
END
    is "$(field passwd alice 7)" /bin/sh
}

# bats test_tags=inline
@test "a file belongs to the number that its owner has when it is written" {
    printf 'resources: [{user: alice, uid: 4001}]\n' >site.yaml
    run rhost apply site.yaml
    status_is 0
    printf a >a
    mkdir d
    chown 4001 a d
    run apply <<END
resources:
  - file: $work/a # its owner is read, before the user changes
    content: a
  - directory: $work/d
    mode: "0755"
  - user: alice
    uid: 5001
  - file: $work/b
    owner: alice
    content: b
  - directory: $work/c
    owner: alice
END
    status_is 0
    is "$(stat -c %u b c)" '5001
5001'
}

@test "others than root can list accounts, and are told where they cannot look" {
    requires_command setpriv
    in_scratch chmod 0640 /etc/shadow
    as_nobody() {
        in_scratch setpriv --reuid=65534 --regid=65534 --clear-groups "$SCRATCH_RHOST" "$@" \
            --isolation="$RHOST_ISOLATION" --state-dir /dev/shm/rhost-$$-nobody
    }
    as_nobody types >/dev/null 2>&1 || skip "the build cannot be read by others"
    run as_nobody resource user root
    status_is 0
    says "home: /root"
    says_not "expiry"
    echo 'resources: [{user: root, expiry: never}]' >/dev/shm/rhost-$$.yaml
    run as_nobody apply --noop /dev/shm/rhost-$$.yaml
    noop=$output status_of_noop=$status
    # Who may not change accounts at all is told at once, and does not wait for a lock.
    echo 'resources: [{user: bob}]' >/dev/shm/rhost-$$.yaml
    SECONDS=0
    run as_nobody apply /dev/shm/rhost-$$.yaml
    waited=$SECONDS
    rm -rf "/dev/shm/rhost-$$-nobody" "/dev/shm/rhost-$$.yaml"
    status_is 4
    says "Permission denied"
    says_not "trying again"
    [ "$waited" -lt 20 ]
    [ "$status_of_noop" -ne 0 ]
    output=$noop
    says "cannot read '/etc/shadow', where 'expiry' stands: Permission denied"
}

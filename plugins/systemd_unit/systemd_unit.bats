#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Files in a directory of our own, which no systemd reads; the rest is in tests/system/units.bats.
source "${abs_top_srcdir:-$BATS_TEST_DIRNAME/../..}/tests/lib.bash"

setup() {
    work_open
    [ -e "$abs_top_builddir/plugins/.libs/systemd_unit.so" ] || skip "needs libsystemd"
}

# A manifest of one unit, with the lines of standard input behind it.
unit() {
    mkdir -p units
    printf 'resources:\n  - systemd_unit: %s\n    directory: %s/units\n' "$1" "$work"
    sed 's/^/    /'
}

# bats test_tags=inline
@test "content is written as it is" {
    for RHOST_ISOLATION in $isolations; do
        rm -rf units
        unit a.service <<'END' | converges
content: |
  # mine
  [Service]
  ExecStart=/bin/true
END
        [ "$(cat units/a.service)" = "# mine
[Service]
ExecStart=/bin/true" ]
        [ "$(mode_of units/a.service)" = 644 ]
    done
}

# bats test_tags=inline
@test "settings make a file, in their order" {
    unit a <<'END' | converges
settings:
  Unit: {Description: A}
  Service:
    Type: oneshot
    RemainAfterExit: true
    TimeoutStartSec: 5
    ExecStart: [/bin/true, " /bin/echo a = b "]
    Environment: [X=1]
END
    [ "$(cat units/a.service)" = "[Unit]
Description=A

[Service]
Type=oneshot
RemainAfterExit=true
TimeoutStartSec=5
ExecStart=/bin/true
ExecStart=/bin/echo a = b
Environment=X=1" ]
}

@test "settings are compared, not how they are written" {
    mkdir units
    printf '%s\n' '; x' '[Service]' ' Type = oneshot' 'ExecStart=/bin/echo \' '# y' '  a \' '  b' '[Unit]' \
        'Description=A' '[Service]' 'ExecStart=/bin/true' >units/a.service
    cp units/a.service before
    unit a.service <<'END' | is_in_sync
settings:
  Unit: {Description: A}
  Service: {ExecStart: ["/bin/echo    a    b", /bin/true], Type: oneshot}
END
    cmp units/a.service before
    unit a.service <<'END' | converges
settings:
  Unit: {Description: A}
  Service: {ExecStart: [/bin/true, "/bin/echo    a    b"], Type: oneshot}
END
}

@test "a file with lines that are no settings gives way" {
    mkdir units
    for line in '[Unit' 'Unit]' '[' ']' '[]\na=b' '[a]b]\na=b' 'a=b' '=b' \
        '[Unit]\na' '[Unit]\na b=c' '[Unit]\na=\xff' '[\xff]\na=b'; do
        # shellcheck disable=SC2059
        printf "$line"'\n[Unit]\nDescription=A\n' >units/a.target
        unit a.target <<<'settings: {Unit: {Description: A}}' | converges
        is "$(cat units/a.target)" "$(printf '[Unit]\nDescription=A')"
    done
}

@test "settings are added to and taken from by the marks of manifests" {
    unit a.service <<'END' | converges
settings:
  Unit: {Description: A}
  Service: {ExecStart: /bin/true, Environment: [X=1, Y=2]}
END
    unit a.service <<'END' | converges
settings: !append
  Service: {Nice: 5, Environment: [Z=3]}
END
    [ "$(cat units/a.service)" = "[Unit]
Description=A

[Service]
ExecStart=/bin/true
Environment=X=1
Environment=Y=2
Environment=Z=3
Nice=5" ]
    unit a.service <<'END' | converges
settings: !remove
  Unit: {Description: A}
  Service: {Environment: [Y=2], Nice: 5}
END
    [ "$(cat units/a.service)" = "[Service]
ExecStart=/bin/true
Environment=X=1
Environment=Z=3" ]
}

@test "a drop-in is named by its title, or by attributes" {
    unit a.service.d/limits <<<'settings: {Service: {MemoryMax: 1G}}' | converges
    [ "$(cat units/a.service.d/limits.conf)" = "[Service]
MemoryMax=1G" ]
    unit 'some limits' >site.yaml <<'END'
unit: a
dropin: limits.conf
settings: {Service: {MemoryMax: 1G}}
END
    run rhost apply --detailed-exitcodes site.yaml
    status_is 0
    unit '[a.service.d/limits, a.service.d/limits.conf]' <<<'ensure: absent' >site.yaml
    run rhost validate site.yaml
    status_is 1
    says "declared twice"
}

@test "others can read it, whatever the umask is" {
    for umask in 000 077; do
        rm -rf units
        mkdir units
        umask_is $umask
        unit a.service.d/limits <<<'settings: {Service: {MemoryMax: 1G}}' | converges
        unit b.service <<<'settings: {Service: {ExecStart: /bin/true}}' | converges
        is "$(mode_of units/a.service.d)" 755
        is "$(mode_of units/a.service.d/limits.conf)" 644
        is "$(mode_of units/b.service)" 644
    done
}

@test "what is absent goes, and an empty directory of drop-ins with it" {
    unit a.service.d/x <<<'settings: {Service: {Nice: 1}}' | converges
    touch units/a.service.d/other
    unit a.service.d/x <<<'ensure: absent' | converges
    [ -d units/a.service.d ]
    rm units/a.service.d/other
    unit a.service.d/x <<<'settings: {Service: {Nice: 1}}' | converges
    unit a.service.d/x <<<'ensure: absent' | converges
    [ ! -e units/a.service.d ]
}

# bats test_tags=inline
@test "what systemd finds fault with is left as it was" {
    requires_command systemd-analyze
    mkdir temporary
    export TMPDIR=$work/temporary
    for RHOST_ISOLATION in $isolations; do
        rm -rf units
        unit a.service <<<'settings: {Service: {ExecStart: /bin/true}}' | converges
        unit a.service >site.yaml <<<'settings: {Service: {ExecStart: /bin/true, Frobnicate: simple}}'
        run rhost apply site.yaml
        status_is 4
        says "a.service:3: Unknown key"
        says "'Frobnicate'"
        says "('verify: false' writes it all the same)"
        [ "$(cat units/a.service)" = "[Service]
ExecStart=/bin/true" ]
        echo '    verify: false' >>site.yaml
        run rhost apply site.yaml
        status_is 0
        grep -q 'Frobnicate=simple' units/a.service
    done
    [ -z "$(ls temporary)" ]
}

@test "no name that a unit or a setting has makes advice of a mistake" {
    requires_command systemd-analyze
    for resource in "deprecated.service Frobnicate" "plain.service deprecated"; do
        unit "${resource% *}" >site.yaml <<<"settings: {Service: {ExecStart: /bin/true, ${resource#* }: simple}}"
        run rhost apply site.yaml
        status_is 4
        says "Unknown key"
        [ ! -e "units/${resource% *}" ]
    done
}

# bats test_tags=inline
@test "units are verified where no other user can put something in their place" {
    requires_root
    mkdir open theirs sticky own
    chown 1234 theirs
    chmod 0777 open
    chmod 1777 sticky
    touch -d 2001-01-01 open theirs sticky own
    for dir in open theirs sticky own; do
        TMPDIR=$work/$dir run apply < <(unit $dir.service <<'END'
content: |
  [Service]
  ExecStart=/bin/true
END
        )
        status_is 0
        [ -e units/$dir.service ]
    done
    is "$(stat -c '%n %.4y' open theirs)" "open 2001
theirs 2001"
    is "$(find sticky own -newermt 2002-01-01 | sort | xargs)" "own sticky" # used, and nothing is left there
}

@test "what systemd only advises against is a warning" {
    requires_command systemd-analyze
    unit a.service >site.yaml <<<'settings: {Service: {ExecStart: /bin/true, User: nobody}}'
    run rhost apply site.yaml
    status_is 0
    says "this is not safe"
    grep -q 'User=nobody' units/a.service
}

# bats test_tags=inline
@test "a fault in one keeps nothing else from being written" {
    requires_command systemd-analyze
    mkdir units
    cat >site.yaml <<END
resources:
  - systemd_unit: [a.timer, b.timer]
    directory: $work/units
    settings: {Timer: {OnCalendar: daily}}
    edit: {}
END
    sed -i '/edit/d' site.yaml
    cat >>site.yaml <<END
  - systemd_unit: c.timer
    directory: $work/units
    settings: {Timer: {OnCalendar: someday}}
  - systemd_unit: a.timer.d/x
    directory: $work/units
    settings: {Timer: {Persistent: perhaps}}
END
    run rhost apply site.yaml
    status_is 4
    says "c.timer:2: Failed to parse calendar specification"
    says "x.conf:2: Failed to parse"
    [ "$(ls units | tr '\n' ' ')" = "a.timer b.timer " ]
}

@test "a program that is not there yet is a warning" {
    requires_command systemd-analyze
    unit a.service >site.yaml <<<'settings: {Service: {ExecStart: /nonexistent/program}}'
    run rhost apply site.yaml
    status_is 0
    says "/nonexistent/program is not executable"
    [ -e units/a.service ]
}

# bats test_tags=inline
@test "noop writes nothing" {
    unit a.service >site.yaml <<<'settings: {Service: {ExecStart: /bin/true}}'
    run rhost apply --noop site.yaml
    status_is 0
    says "ensure absent → present"
    [ -z "$(ls units)" ]
}

# bats test_tags=inline
@test "a link that another user could have made is not followed" {
    requires_root
    mkdir -m 755 theirs roots
    ln -s "$work/roots" theirs/units
    printf '[Service]\nExecStart=/bin/true\n' >roots/b.service
    mkdir roots/b.service.d
    chown -h nobody theirs theirs/units
    for RHOST_ISOLATION in $isolations; do
        cat >site.yaml <<END
resources:
  - systemd_unit: [a.service, a.service.d/x]
    directory: $work/theirs/units
    settings: {Service: {Nice: 1}}
    verify: false
  - systemd_unit: b.service
    directory: $work/theirs/units
    ensure: absent
END
        run rhost apply site.yaml
        status_is 4
        says 'unsafe path'
        [ "$(ls roots)" = "b.service
b.service.d" ]
    done
}

@test "a link is not replaced" {
    mkdir units
    ln -s /dev/null units/a.service
    ln -s /elsewhere/b.service units/b.service
    unit a.service >site.yaml <<<'settings: {Service: {ExecStart: /bin/true}}'
    run rhost apply site.yaml
    status_is 4
    says "is masked"
    unit b.service >site.yaml <<<'ensure: absent'
    run rhost apply site.yaml
    status_is 4
    says "a link to '/elsewhere/b.service'"
    [ -L units/a.service ]
}

@test "mistakes are named" {
    mkdir units
    unit a.service >site.yaml <<'END'
settings: {Service: {ExecStart: /bin/true}}
content: x
END
    run rhost apply site.yaml
    [ "$status" -ne 0 ]
    says "one of them is enough"
    unit a.service >site.yaml <<<'ensure: present'
    run rhost apply site.yaml
    status_is 4
    says "neither 'content' nor 'settings'"
    unit a.service >site.yaml <<<'settings: {Service: {ExecStart: "a\nb"}}'
    run rhost validate site.yaml
    status_is 1
    [ -z "$(ls units)" ]
}

# bats test_tags=inline
@test "a list has the units and drop-ins of the machine, and nothing that is neither" {
    requires_command jq
    source "$abs_top_srcdir/tests/scratch.bash"
    scratch_open
    in_scratch sh -eu -c '
        rm -rf /etc/systemd/system
        mkdir -p /etc/systemd/system/web.service.d /etc/systemd/system/nothing.d /etc/systemd/system/empty.service.d
        cd /etc/systemd/system
        printf "[Service]\nExecStart=/bin/true\n" >web.service
        printf "[Timer]\n" >"a b.timer"
        printf "\377\n" >binary.socket
        printf "[Service]\nNice=1\n" >web.service.d/nice.conf
        touch web.service.d/.hidden.conf web.service.d/.conf web.service.d/note.txt "web.service.d/two words.conf"
        touch notes.txt nothing.d/x.conf .service
        mkdir folder.service
        mkfifo pipe.service
        ln -s web.service alias.service'
    for RHOST_ISOLATION in $isolations; do
        rhost resource systemd_unit --format=json >list.json
        jq -c '.resources[] | [.title // .systemd_unit, .ensure, .content]' list.json | sort >list
        is "$(cat list)" '["binary.socket","present",null]
["web.service","present","[Service]\nExecStart=/bin/true\n"]
["web.service.d/nice.conf","present","[Service]\nNice=1\n"]'
    done
    in_scratch rm -rf /etc/systemd/system
    is "$(rhost resource systemd_unit)" 'resources: []'
    scratch_close
}

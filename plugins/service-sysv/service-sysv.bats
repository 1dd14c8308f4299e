#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Scripts in a directory of our own; those that come with a machine are tested in tests/system/service.bats.
source "${abs_top_srcdir:-$BATS_TEST_DIRNAME/../..}/tests/lib.bash"

# A script that keeps in a file whether it "runs", and writes down what it was told.
script() {
    mkdir -p etc/init.d etc/rc{0,1,2,3,4,5,6,S}.d
    {
        printf '#!/bin/sh\n### BEGIN INIT INFO\n# Provides: %s\n' "$1"
        printf '# Default-Start: %s\n# Default-Stop: 0 1 6\n### END INIT INFO\n' "${2-2 3 4 5}"
        printf 'run=%s/run.%s\necho "%s $*" >>%s/told\n' "$work" "$1" "$1" "$work"
        cat <<'END'
case $1 in
start) touch "$run" ;;
stop) rm -f "$run" ;;
restart) touch "$run" ;;
status) [ -e "$run" ] && exit 0; exit 3 ;;
*) echo "what?"; exit 3 ;;
esac
END
    } >"etc/init.d/$1"
    chmod +x "etc/init.d/$1"
}

# A manifest of one service, with these lines behind it.
service() {
    printf 'resources:\n  - service: %s\n    provider: sysv\n    init_d: %s/etc/init.d\n' "$1" "$work"
    shift
    printf '    %s\n' "$@"
}

# What the scripts were told to do, save for being asked how they are.
told() {
    grep -v ' status$' "$work/told" 2>/dev/null | tr '\n' ',' || true
}

links() {
    (cd etc && find rc?.d -type l -printf '%p ' | tr ' ' '\n' | sort | tr '\n' ' ')
}

# bats test_tags=inline
@test "a script is started, and stopped, once" {
    for RHOST_ISOLATION in $isolations; do
        rm -f told
        script web
        service web 'ensure: running' | converges
        [ "$(told)" = "web start," ]
        service web 'ensure: stopped' | converges
        [ "$(told)" = "web start,web stop," ]
    done
}

@test "a script that cannot be executed is none" {
    script web
    chmod -x etc/init.d/web
    service web 'ensure: running' >site.yaml
    run rhost apply site.yaml
    status_is 4
    says "no executable script '$work/etc/init.d/web'"
    is "$(told)" ""
}

# bats test_tags=inline
@test "noop tells, and starts nothing" {
    script web
    service web 'ensure: running' 'enable: true' >site.yaml
    run rhost apply --noop site.yaml
    status_is 0
    says 'ensure stopped → running'
    says 'enable false → true'
    [ ! -e run.web ]
    [ -z "$(told)" ]
    [ -z "$(links)" ]
}

@test "enabled by links, in the runlevels of its header" {
    for RHOST_ISOLATION in $isolations; do
        rm -rf etc
        script web '3 5'
        service web 'enable: true' | converges
        [ "$(links)" = "rc0.d/K50web rc1.d/K50web rc3.d/S50web rc5.d/S50web rc6.d/K50web " ]
        [ "$(readlink etc/rc3.d/S50web)" = ../init.d/web ]
        service web 'enable: false' | converges
        [ "$(links)" = "rc0.d/K50web rc1.d/K50web rc3.d/K50web rc5.d/K50web rc6.d/K50web " ]
    done
}

@test "the numbers of chkconfig's header are those of the links" {
    script web
    sed -i '2i# chkconfig: 35 85 15' etc/init.d/web
    sed -i '/Default/d' etc/init.d/web
    service web 'enable: true' | converges
    [ "$(links)" = "rc0.d/K15web rc1.d/K15web rc3.d/S85web rc5.d/S85web rc6.d/K15web " ]
}

@test "numbers of chkconfig go from 0 to 99" {
    for numbers in '0 99' '99 0' '100 99' '0 100' '-1 5' '5 -1' '5'; do
        rm -rf etc
        script web
        sed -i "2i# chkconfig: 3 $numbers" etc/init.d/web
        sed -i '/Default/d' etc/init.d/web
        service web 'enable: true' | converges
        printf '%s: ' "$numbers"
        links | tr ' ' '\n' | sed -n 's,rc[03].d/,,p' | tr '\n' ' '
        echo
    done >found
    diff found - <<'END'
0 99: K99web S00web 
99 0: K00web S99web 
100 99: K50web S50web 
0 100: K50web S50web 
-1 5: K50web S50web 
5 -1: K50web S50web 
5: K50web S50web 
END
}

@test "'.service' behind a name is ignored, so that two are one" {
    script web
    service web.service 'ensure: running' | converges
    service '[web, web.service]' 'ensure: running' >site.yaml
    run rhost validate site.yaml
    status_is 1
    says "declared twice"
}

@test "actions: restart, reload, and what a script cannot" {
    script web
    script db
    sed -i 's/^restart)/reload) ;;\n&/' etc/init.d/db
    touch run.web run.db
    service web 'action: restart' | apply
    service db 'action: reload' | apply
    service web 'action: reload_or_restart' | apply
    service db 'action: reload_or_restart' | apply
    [ "$(told)" = "web restart,db reload,web reload,web restart,db reload," ]
    service web 'action: reload' >site.yaml
    run rhost apply site.yaml
    status_is 4
    says "reload' failed with status 3: what?"
    rm run.web told
    service web 'action: try_restart' | apply
    [ -z "$(told)" ]
}

# bats test_tags=inline
@test "a notification restarts what runs, or does what on_refresh says" {
    script web
    touch run.web
    echo a >conf
    for how in restart reload nothing; do
        rm -f told
        printf 'resources:\n  - file: %s/conf\n    content: "%s"\n    notify: service[web]\n' "$work" "$how" >site.yaml
        service web "on_refresh: $how" | tail -n +2 >>site.yaml
        run rhost apply site.yaml
        status_is 0
        case $how in
        restart) [ "$(told)" = "web restart," ] ;;
        reload) [ "$(told)" = "web reload,web restart," ] ;;
        nothing) [ -z "$(told)" ] ;;
        esac
    done
    rm -f told run.web
    sed -i 's/nothing/restart/' site.yaml
    run rhost apply site.yaml
    status_is 0
    [ -z "$(told)" ]
}

# bats test_tags=inline
@test "a script that fails says why, and the others go on" {
    script web
    script bad
    sed -i 's/^start) .*/start) echo "no port is free"; exit 1 ;;/' etc/init.d/bad
    service '[bad, web]' 'ensure: running' >site.yaml
    run rhost apply site.yaml
    status_is 4
    says "bad start' failed with status 1: no port is free"
    [ -e run.web ]
}

@test "a start that says it worked, and did not, is a failure" {
    script web
    sed -i 's/^start) .*/start) ;;/' etc/init.d/web
    service web 'ensure: running' >site.yaml
    run rhost apply site.yaml
    status_is 4
    says "says that it did that, and"
    says "that it does not run"
}

# bats test_tags=inline
@test "a script that takes too long is ended" {
    script web
    sed -i 's/^start) .*/start) sleep 30 ;;/' etc/init.d/web
    service web 'ensure: running' 'timeout: 0.5' >site.yaml
    SECONDS=0
    run rhost apply site.yaml
    status_is 4
    says "0.5"
    [ "$SECONDS" -lt 15 ]
}

@test "without a script it is stopped and not enabled, and cannot be otherwise" {
    mkdir -p etc/init.d
    service web 'ensure: stopped' 'enable: false' | is_in_sync
    service web 'ensure: running' >site.yaml
    run rhost apply site.yaml
    status_is 4
    says "no executable script '$work/etc/init.d/web'"
}

@test "a script that cannot be asked, or does not know, fails with that" {
    script web
    sed -i 's/status/stat/' etc/init.d/web
    service web 'ensure: running' >site.yaml
    run rhost apply site.yaml
    status_is 4
    says "it has no action 'status'"
    script db
    sed -i 's/^status) .*/status) echo "the lock is broken"; exit 4 ;;/' etc/init.d/db
    service db 'ensure: running' >site.yaml
    run rhost apply site.yaml
    status_is 4
    says "does not know whether it runs: it has status 4: the lock is broken"
    script app
    sed -i '1s,.*,#!/nonexistent,' etc/init.d/app
    service app 'ensure: running' >site.yaml
    run rhost apply site.yaml
    status_is 4
    says "cannot execute '$work/etc/init.d/app'"
}

@test "mask belongs to systemd alone" {
    script web
    service web 'mask: true' >site.yaml
    run rhost validate site.yaml
    status_is 1
    says "mask"
}

# Puts the scripts that were made in place of the machine's, for rhost and in_scratch.
as_the_machine() {
    source "$abs_top_srcdir/tests/scratch.bash"
    scratch_open
    in_scratch sh -c 'rm -rf /etc/init.d /etc/rc?.d && cp -a "$1"/etc/init.d "$1"/etc/rc?.d /etc' sh "$work"
}

teardown() {
    if declare -F scratch_close >/dev/null; then scratch_close; fi
}

# bats test_tags=inline
@test "a list has the scripts that know whether they run, and those alone" {
    script web
    script mail
    script unasked
    sed -i 's/status/stat/' etc/init.d/unasked
    script unsure
    sed -i 's/^status) .*/status) echo "the lock is broken"; exit 4 ;;/' etc/init.d/unsure
    script .hidden
    script plain
    chmod -x etc/init.d/plain
    mkdir etc/init.d/folder
    touch run.web
    ln -s ../init.d/mail etc/rc3.d/S20mail
    ln -s ../init.d/web etc/rc3.d/K20web
    as_the_machine
    for RHOST_ISOLATION in $isolations; do
        run rhost resource service --provider=sysv
        status_is 0
        says "ignoring 'unsure', which does not know whether it runs: the lock is broken"
        says_not hidden unasked plain folder
        is "$(rhost resource service --provider=sysv 2>/dev/null)" "resources:
  - service: mail
    provider: sysv
    ensure: stopped
    enable: true
  - service: web
    provider: sysv
    ensure: running
    enable: false"
    done
    in_scratch sh -c 'rm -rf /etc/init.d'
    run rhost resource service --provider=sysv
    says_not web
}

@test "a dry run foresees a script that an earlier resource makes, and misses one that none makes" {
    mkdir -p etc/init.d
    for state in 'ensure: running' 'enable: true' 'ensure: stopped'; do
        { service web "$state"; printf '  - file: %s\n    before: "service[web]"\n' "$work/etc/init.d/web"; } >site.yaml
        run rhost apply --noop site.yaml
        status_is 0
        says_not 'does not exist'
        service web "$state" >site.yaml
        run rhost apply --noop site.yaml
        says "$([ "$state" = 'ensure: stopped' ] || echo "no executable script '$work/etc/init.d/web'")"
    done
}

#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
source "${abs_top_srcdir:-$BATS_TEST_DIRNAME/../..}/tests/lib.bash"

# bats test_tags=inline
@test "a command runs until what it creates exists" {
    converges <<END
resources:
  - exec: make it
    command: [touch, "$work/made"]
    creates: $work/made
END
    [ -e made ]
}

@test "with several files to create, a command runs until each of them exists" {
    touch one
    converges <<END
resources:
  - exec: make them
    command: [touch, "$work/two", "$work/three"]
    creates: ["$work/one", "$work/two", "$work/three"]
END
    rm two
    run rhost apply --detailed-exitcodes "$BATS_TEST_TMPDIR/site.yaml"
    status_is 2
    [ -e two ]
}

# bats test_tags=inline
@test "a command runs while what it removes exists" {
    touch old older
    converges <<END
resources:
  - exec: remove it
    command: [rm, -f, "$work/old", "$work/older"]
    removes: ["$work/old", "$work/older", "$work/never"]
  - exec: there is nothing to do
    command: [touch, "$work/wrong"]
    removes: $work/never
END
    [ ! -e old ]
    [ ! -e older ]
    [ ! -e wrong ]
}

@test "the command reads what 'stdin' says, to the last byte, and a guard reads nothing" {
    converges <<END
resources:
  - exec: take it
    command: [sh, -c, "cat >$work/taken"]
    stdin: "two lines\\nwithout an end"
    not_if: [sh, -c, 'cat >>"$work/guard"; test -e "$work/taken"']
  - exec: take binary data
    command: [sh, -c, "cat >$work/binary"]
    stdin: \${from_base64("AAH/")}
    creates: $work/binary
  - exec: take nothing
    command: [sh, -c, "cat >$work/empty"]
    creates: $work/empty
END
    [ "$(cat taken; echo .)" = $'two lines\nwithout an end.' ]
    [ "$(od -An -tx1 binary)" = " 00 01 ff" ]
    [ -e empty ]
    [ ! -s empty ]
    [ ! -s guard ]
}

@test "a large input that the command does not read is no failure, and a secret one is shown nowhere" {
    head -c 1048576 /dev/zero | tr '\0' x >large
    cat >site.yaml <<'END'
resources:
  - exec: leave it
    command: ["true"]
    stdin: ${read_file("large")}
  - exec: say it
    command: [sh, -c, "cat; exit 3"]
    stdin: ${secret("correct horse")}
END
    run rhost apply --debug site.yaml
    status_is 4
    says 'the command failed with status 3: [redacted]'
    says_not 'correct horse'
    says '1 failed'
}

@test "a guard that a signal ends is a failure, and the command is not run" {
    printf '#!/bin/sh\nkill -9 $$\n' >killed
    chmod 755 killed
    for guard in only_if not_if; do
        run rhost apply - <<END
resources:
  - exec: it
    command: [touch, $work/done]
    $guard: [$work/killed]
END
        status_is 4
        says "$guard: the guard was killed by signal 9"
    done
    [ ! -e done ]
}

@test "a guard can be a list of commands: all of 'only_if' succeed, and all of 'not_if' fail" {
    cat >site.yaml <<'END'
resources:
  - exec: runs
    command: ["true"]
    only_if: [["true"], ["true"]]
    not_if: [["false"], [sh, -c, "exit 9"]]
  - exec: one is not true
    command: ["true"]
    only_if: [["true"], ["false"], [not-asked]]
  - exec: one is true
    command: ["true"]
    not_if: [["false"], ["true"]]
  - exec: one is true as well
    command: ["true"]
    unless: [["false"], ["true"]]
  - exec: texts among them
    command: ["true"]
    only_if: ["test -e '/'", [test, -e, /], "true"]
    unless: [["false"], test -e /no/such/file]
  - exec: a text that is not true
    command: ["true"]
    only_if: [["true"], "test -e /no/such/file"]
  - exec: a list of texts is one command
    command: ["true"]
    only_if: [test, -e, /no/such/file]
END
    run rhost apply --detailed-exitcodes site.yaml
    status_is 2
    says 'exec[runs]'
    says 'exec[texts among them]'
    says "5 ok, 2 changed"
    run rhost apply - <<'END'
resources:
  - exec: x
    command: ["true"]
    only_if: [["true"], "a | b"]
END
    status_is 1
    says "only_if"
    run rhost apply - <<'END'
resources:
  - exec: x
    command: ["true"]
    only_if: [["true"], [a, "|", b]]
END
    status_is 1
    says "only_if: argument '|' is an operator of the shell"
}

@test "what it creates is found in a directory that only another user may search, also confined" {
    requires_root
    mkdir -m 700 theirs
    touch theirs/made
    chown -R 65534:65534 theirs
    run rhost apply --isolation=confined --detailed-exitcodes - <<END
resources:
  - exec: make it
    command: [touch, "$work/again"]
    creates: $work/theirs/made
END
    status_is 0
    [ ! -e again ]
}

@test "the name is the command when there is no other" {
    converges <<END
resources:
  - exec: touch made
    cwd: $work
    creates: $work/made
END
}

@test "a string is split as a shell would, without a shell" {
    run apply <<END
resources:
  - exec: make two
    command: touch 'a b' "c d"e f\\ g
    cwd: $work
END
    status_is 0
    [ -e "a b" ]
    [ -e "c de" ]
    [ -e "f g" ]
}

@test "an argument can be empty, and the program can't" {
    run apply <<END
resources:
  - exec: an empty one
    command: [sh, -c, 'printf "<%s>" "\$@" >args', sh, "", b, ""]
    cwd: $work
END
    status_is 0
    is "$(cat args)" '<><b><>'
    run apply <<<'resources: [{exec: nothing, command: ["", a]}]'
    status_is 1
    says "index 0 expects a String[1] value"
}

@test "what the command reads can be secret: no process shows it, and neither does rhost" {
    run apply --verbose <<END
resources:
  - exec: read it
    command: [sh, -c, "tee read; exit 3"]
    stdin: correct-horse-battery
    sensitive: stdin
    cwd: $work
END
    status_is 4
    is "$(cat read)" correct-horse-battery
    says_not correct-horse
}

@test "what means something to a shell is refused, with what to write instead" {
    for command in 'echo a | tee b' 'echo a > b' 'echo $HOME' 'rm -f *' 'true; false' 'true && false'; do
        run apply <<END
resources:
  - exec: shell
    command: '$command'
    cwd: $work
END
        [ "$status" -ne 0 ]
        says "means something to a shell"
        says "[sh, -c"
    done
    [ -z "$(ls -A)" ]
}

@test "a title that is no command is refused before anything is changed" {
    echo 'resources: [{exec: [ls, -l]}]' >site.yaml
    run rhost validate site.yaml
    status_is 1
    says "'-l' is not a command: a list of titles is one resource for each"
    says "command: [PROGRAM, -l]"
    echo 'resources: [{exec: "ls | wc"}]' >site.yaml
    run rhost validate site.yaml
    status_is 1
    says "'|' means something to a shell"
}

@test "a shell may be asked for" {
    run apply <<END
resources:
  - exec: shell
    command: [sh, -c, "echo a | tr a b > $work/out"]
END
    status_is 0
    [ "$(cat out)" = b ]
}

@test "a command without a guard is a change each time" {
    for time in 1 2; do
        run apply --detailed-exitcodes <<END
resources:
  - exec: "true"
END
        status_is 2
    done
    says 'state needed → done'
}

# bats test_tags=inline
@test "guards decide" {
    touch there
    run apply <<END
resources:
  - exec: a
    command: [touch, $work/a]
    only_if: [test, -e, $work/there]
  - exec: b
    command: [touch, $work/b]
    only_if: [test, -e, $work/missing]
  - exec: c
    command: [touch, $work/c]
    not_if: [test, -e, $work/missing]
  - exec: d
    command: [touch, $work/d]
    not_if: [test, -e, $work/there]
  - exec: e
    command: [touch, $work/e]
    unless: test -e $work/there
END
    status_is 0
    [ "$(echo *)" = "a c there" ]
}

# bats test_tags=inline
@test "noop asks the guards and runs nothing" {
    touch there
    run apply --noop <<END
resources:
  - exec: a
    command: [touch, $work/a]
    creates: $work/a
  - exec: b
    command: [touch, $work/b]
    creates: $work/there
END
    status_is 0
    says 'exec[a]'
    says 'would change'
    says_not 'exec[b]'
    [ ! -e a ]
    [ ! -e b ]
}

# bats test_tags=inline
@test "a failure has the status and the last lines" {
    run apply <<END
resources:
  - exec: broken
    command: [sh, -c, "seq 1 20; echo the reason >&2; exit 3"]
END
    status_is 4
    says "status 3"
    says "the reason"
    says_not "
12
"
}

@test "other statuses may mean success" {
    run apply <<END
resources:
  - exec: three
    command: [sh, -c, "exit 3"]
    returns: [0, 3]
END
    status_is 0
}

@test "a command that is not there is named" {
    run apply <<END
resources:
  - exec: broken
    command: [no-such-command]
END
    status_is 4
    says "cannot execute 'no-such-command': No such file or directory"
}

# bats test_tags=inline
@test "environment, umask and directory are as asked, and nothing else leaks in" {
    LEAK=1 run apply <<END
resources:
  - exec: surroundings
    command: [sh, -c, "env | sort > env; umask > umask"]
    cwd: $work
    umask: 077
    environment: {GREETING: "hello world"}
END
    status_is 0
    grep -qx 'GREETING=hello world' env
    not grep -q LEAK env
    [ "$(cat umask)" = 0077 ]
}

# bats test_tags=inline
@test "a user runs it with groups and home" {
    requires_root
    chmod a+x "$BATS_TEST_TMPDIR" "${BATS_TEST_TMPDIR%/*}" "$BATS_RUN_TMPDIR" # a way in for others
    run apply <<END
resources:
  - exec: as daemon
    command: [sh, -c, "echo \$(id -un) at \$HOME; exit 1"]
    user: daemon
END
    status_is 4
    says "daemon at /usr/sbin"
}

# bats test_tags=inline
@test "when its time is up, all that it started is ended" {
    run apply <<END
resources:
  - exec: slow
    command: [sh, -c, "(setsid sleep 61.$$ &); sleep 62.$$"]
    timeout: 1
END
    status_is 4
    not pgrep -f 'sleep 6[12][.]$$\>'
}

# bats test_tags=inline
@test "the action run asks the guards and runs it" {
    run apply <<END
resources:
  - exec: touch made
    action: run
    cwd: $work
    creates: $work/made
END
    status_is 0
    [ -e made ]
}

# bats test_tags=inline
@test "sensitive arguments are not shown" {
    run apply -v <<END
resources:
  - exec: secret
    command: [sh, -c, "echo hunter2; exit 1"]
    sensitive: [command]
END
    status_is 4
    says_not hunter2
}

# bats test_tags=inline
@test "a command has the limits that rhost was started with, not those of a worker" {
    run apply <<END
resources:
  - exec: limits
    command: [sh, -c, "ulimit -d >$work/limits; ulimit -Hd >>$work/limits; ulimit -c >>$work/limits"]
END
    status_is 0
    [ "$(cat limits)" = "$(ulimit -d; ulimit -Hd; ulimit -c)" ]
}

@test "a dry run does not know what a guard says whose program is still to be made" {
    cat >site.yaml <<END
resources:
  - file: $work/check
    content: "#!/bin/sh\nexit 1\n"
    mode: 0755
  - exec: one
    command: [touch, $work/one]
    unless: [$work/check]
  - exec: two
    command: [touch, $work/two]
    require: exec[one]
  - file: $work/three
    only_if: [$work/check]
END
    run rhost apply --noop site.yaml
    status_is 0
    says "exec[one]"
    says "2 would change, 2 unknown"
    says_not failed
    run rhost apply --noop --only="exec[one]" site.yaml
    status_is 4
    says "1 failed"
    run rhost apply site.yaml
    status_is 0
    [ -e one ]
    [ -e two ]
    [ ! -e three ]
}

@test "noop: the user of guards may be one that the run creates" {
    cat >site.yaml <<END
resources:
  - user: rhost-test-nobody
  - exec: package
    command: [touch, $work/package]
    creates: $work/package
  - exec: one
    command: [touch, $work/one]
    not_if: [test, -e, $work/one]
    user: rhost-test-nobody
END
    run rhost apply --noop site.yaml
    status_is 0
    says "3 would change"
    # A package may create one as well.
    sed -i 2d site.yaml
    run rhost apply --noop site.yaml
    status_is 0
    says "unknown user 'rhost-test-nobody'"
    says "1 would change, 1 unknown"
    touch package
    run rhost apply --noop site.yaml
    status_is 4
    says "unknown user 'rhost-test-nobody'"
}

@test "a command is kept from what 'confine' names, and a guard as well" {
    requires_root
    unshare -mn true 2>/dev/null || skip "needs namespaces"
    mkdir shut open shut/open
    cat >site.yaml <<END
resources:
  - exec: paths
    command: [sh, -c, "touch shut/a; touch open/a; touch shut/open/a; true"]
    cwd: $work
    confine: {read_only_paths: [$work/shut], read_write_paths: [$work/shut/open]}
  - exec: all
    command: [sh, -c, "touch $work/open/b; touch $work/shut/b /etc/rhost-test-confine; true"]
    confine: {read_only_paths: [/], read_write_paths: [$work/open]}
  - exec: network
    command: [sh, -c, "grep -c : /proc/net/dev >$work/interfaces"]
    confine: {private_network: true}
  - exec: tmp
    command: [sh, -c, "touch /tmp/rhost-test-confine; echo /tmp: \$(ls /tmp); sed -n 's/^NoNewPrivs[^0-9]*/no new: /p' /proc/self/status"]
    confine: {private_tmp: true, no_new_privileges: true}
  - exec: guard
    command: [touch, $work/guarded]
    only_if: [touch, $work/shut/c]
    confine: {read_only_paths: [/]}
END
    for RHOST_ISOLATION in $isolations; do
        rm -rf open/* shut/open/* interfaces
        run rhost apply --verbose site.yaml
        status_is 0
        [ -e open/a ]
        [ -e open/b ]
        [ -e shut/open/a ]
        is "$(ls shut)" open
        [ ! -e /etc/rhost-test-confine ]
        [ "$(cat interfaces)" -eq 1 ]
        says '/tmp: rhost-test-confine'
        says 'no new: 1'
        [ ! -e /tmp/rhost-test-confine ]
        [ ! -e guarded ]
    done
}

@test "a command that cannot be confined is not executed" {
    cat >site.yaml <<END
resources:
  - exec: one
    command: [touch, $work/made]
    confine: {read_only_paths: [$work/missing]}
END
    for RHOST_ISOLATION in $isolations; do
        run rhost apply site.yaml
        status_is 4
        says "cannot execute 'touch $work/made': cannot confine it: "
        [ ! -e made ]
    done
}

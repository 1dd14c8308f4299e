#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# The order of set-up: programs that install, configure and build are stood in for by ones that only note
# that they were called.
source "${abs_top_srcdir:-$BATS_TEST_DIRNAME/../..}/tests/lib.bash"

# stand_in NAME: a program on PATH; its text is on standard input.
stand_in() {
    { echo '#!/bin/sh'; cat; } >"programs/$1"
    chmod +x "programs/$1"
}

setup() {
    work_open
    mkdir -p programs tree/build tree/docs/examples
    cp "$abs_top_srcdir/bootstrap" tree/
    cp "$abs_top_srcdir/docs/examples/quickstart.yaml" tree/docs/examples/
    : >installed
    : >calls
    export WORK=$work PATH=$work/programs:$PATH
    # An answer of configure is what was installed when it ran.
    stand_in autoreconf <<<'echo autoreconf >>"$WORK/calls"; cp "$WORK/programs/configure-made" configure'
    stand_in configure-made <<'END'
echo "configure $*" >>"$WORK/calls"
cp "$WORK/programs/config.status-made" config.status
cp "$WORK/installed" answers
printf '%s\n' "$@" | sed -n 's/^CFLAGS=/CFLAGS = /p' >Makefile
END
    stand_in config.status-made <<'END'
echo "config.status $*" >>"$WORK/calls"
case " $* " in *" --recheck "*) cp "$WORK/installed" answers ;; esac
END
    stand_in dpkg-query <<'END'
awk -v asked=" $* " 'index(asked, " " $1 " ") { print (asked ~ /Version/ ? $0 : "ii " $1) }' "$WORK/installed"
END
    stand_in apt-get <<'END'
[ "$1" = install ] || exit 0
echo apt-get install >>"$WORK/calls"
for package; do
    case $package in -* | install) ;; *) echo "$package 1.0" >>"$WORK/installed" ;; esac
done
END
    stand_in sudo <<<'exec "$@"'
    stand_in make <<'END'
echo make >>"$WORK/calls"
echo "make $*" >>"$WORK/made"
cmp -s answers "$WORK/installed" || { echo "built with answers that are stale"; exit 1; }
printf '#!/bin/sh\n' >rhost
chmod +x rhost
END
}

bootstrap() {
    : >calls
    : >made
    run tree/bootstrap "$@"
    status_is 0
}

@test "demo and then check: configure is run again when check has installed what it looks for" {
    bootstrap demo
    grep -q '^configure' calls
    bootstrap check
    grep -q '^apt-get install' calls
    grep -q '^config.status .*--recheck' calls
    says 'configuring again'
}

@test "configure is run again when packages changed, whoever installed them" {
    bootstrap
    sed -i 's/^libyaml-dev .*/libyaml-dev 2.0/' installed
    bootstrap
    grep -q '^config.status .*--recheck' calls
    echo 'libcmocka-dev 1.0' >>installed
    bootstrap
    grep -q '^config.status .*--recheck' calls
    sed -i '/^libcmocka-dev/d' installed
    bootstrap
    grep -q '^config.status .*--recheck' calls
}

@test "with the same packages, nothing is installed or configured again" {
    bootstrap
    bootstrap check
    bootstrap check
    bootstrap
    [ "$(cat calls)" = make ]
}

@test "what only the tests use is compiled in less time, and what may be installed is compiled again" {
    bootstrap check
    grep -q '^configure .*CFLAGS=-O1' calls
    bootstrap
    grep -q '^configure .*CFLAGS=-O2' calls
    [ "$(grep -c '^make' calls)" -eq 2 ] # clean, and all
    bootstrap check
    not grep -q '^configure' calls
}

@test "compiler's flags of the caller are taken" {
    export CFLAGS='-g -O1'
    bootstrap check
    grep -q '^configure .*CFLAGS=-g -O1' calls
    bootstrap
    not grep -q '^configure' calls
}

@test "where configuring again failed, the next call tries again" {
    bootstrap
    sed -i 's/^libyaml-dev .*/libyaml-dev 2.0/' installed
    mv tree/build/config.status kept
    stand_in config.status-failing <<<'exit 1'
    cp programs/config.status-failing tree/build/config.status
    run tree/bootstrap
    [ "$status" -ne 0 ]
    mv kept tree/build/config.status
    bootstrap
    grep -q '^config.status .*--recheck' calls
}

@test "an unknown argument is named, and --help is no error" {
    run "$abs_top_srcdir/bootstrap" dmeo
    status_is 1
    says "bootstrap: unknown argument 'dmeo'"
    says './bootstrap demo'
    run "$abs_top_srcdir/bootstrap" --help
    status_is 0
    says_not 'unknown'
    says './bootstrap check'
}

@test "mutants installs what the tests need, builds, and then tries mutants" {
    stand_in make <<'END'
echo "make $*" >>"$WORK/calls"
END
    bootstrap mutants
    grep -q '^libcmocka-dev ' installed
    [[ $(sed -n '$p' calls) == 'make '*' check-mutants' ]]
    [ "$(grep -c '^make ' calls)" -eq 2 ]
}

@test "check runs the quick tests, and check-all all of them" {
    bootstrap check
    grep -q 'check-quick' made
    bootstrap check-all
    not grep -q 'check-quick' made
    grep -q ' check$' made
}

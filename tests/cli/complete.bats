#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# How a command line goes on: rhost complete, and the shells that ask it.
source "${abs_top_srcdir:-$BATS_TEST_DIRNAME/../..}/tests/cli/cli.bash"

setup() {
    work_open
    # The one that shells find, with the descriptions of the plugins, as an earlier command left them.
    mkdir -p bin
    printf '#!/bin/sh\nexec "%s" "$@"\n' "$abs_top_builddir/rhost" >bin/rhost
    chmod 755 bin/rhost
    export PATH=$PWD/bin:$PATH
    state=$BATS_TEST_TMPDIR/state
    export HOME=$work
}

described() {
    rhost types >/dev/null
}

# What `rhost complete` answers, without what the words mean.
answer() {
    command rhost complete --state-dir="$state" -- "$@" | cut -f1
}

answers() {
    local expected=$1
    shift
    is "$(answer "$@" | tr '\n' ' ')" "$expected "
}

offers() {
    local word=$1
    shift
    answer "$@" >offered
    grep -qxF -- "$word" offered || {
        echo "no '$word' for: $*"
        cat offered
        return 1
    }
}

offers_not() {
    local word=$1
    shift
    answer "$@" >offered
    not grep -qxF -- "$word" offered
}

site() {
    mkdir -p roles environments
    echo 'default: {web: {port: 80, name: a}}' >roles/web.yaml
    echo 'default: {db: {size: 1}}' >roles/database.yaml
    echo 'default: {}' >environments/production.yaml
    manifest <<'END'
roles: [web]
resources:
  - log: one
    tag: [first, early]
  - log: "two words"
  - file: /nonexistent/motd
    content: a
END
}

@test "commands and options come from the tables, with what they are" {
    answers 'words apply' app
    offers --version --ver
    offers --noop apply --no
    offers_not --noop runs --no
    offers --format= apply --form
    for command in $("$abs_top_builddir/rhost" --help | sed -n '/^Commands:/,/^$/s/^  \([a-z][a-z-]*\) .*/\1/p'); do
        offers "$command" "$command"
        "$abs_top_builddir/rhost" help "$command" | grep -oE -- '--[a-z-]+=?' | sort -u >expected
        answer "$command" -- >got
        for option in $(sed -nE 's/^  (-., |    )(--[a-z-]+=?).*/\2/p' <("$abs_top_builddir/rhost" help "$command")); do
            grep -qxF -- "$option" got || { echo "$command: $option"; return 1; }
        done
    done
    command rhost complete -- appl | grep -q "$(printf '^apply\tapply manifests\|^apply\t')"
    offers apply help app
    answers 'words' apply --no-such
    answers 'words' frob ''
}

@test "values that the help lists, numbers and names are known by their option" {
    answers 'words --format=json' apply --format=j
    answers 'words json' apply --format j
    answers 'words svg' graph --format s
    answers 'words refuse' apply --duplicates=r --duplicates ref
    answers 'words auto none json' apply --progress ''
    answers 'words' apply --wait-lock ''
    answers 'files' apply --report ''
    answers 'directories' apply --state-dir ''
    offers always types --color ''
    offers force_override node --level f
    answers 'files' apply ''
    answers 'files' apply -- --no
}

@test "types, attributes and their values, without starting a plugin" {
    offers_not timezone resource tim
    described
    answers 'words timezone' resource tim
    answers 'words timezone' describe tim
    offers content= resource file /x con
    offers ensure= resource file /x en
    offers ensure=absent resource file /x ensure=a
    is "$(answer resource file '' | head -1)" files
    offers systemd resource service --provider sy
    offers_not file new fi
}

@test "resources, tags, roles, environments and attributes come from the manifests" {
    described
    site
    offers 'log[one]' apply site.yaml --only 'log['
    offers '--only=log[two words]' apply site.yaml '--only=log[t'
    offers 'file[/nonexistent/motd]' graph site.yaml --why 'fi'
    offers 'log[one]' graph --why 'log[x]' 'log'
    offers early apply site.yaml --tags e
    offers first,early apply site.yaml --tags first,e
    answers 'words web' apply site.yaml --role w
    answers 'words production' validate site.yaml --environment ''
    offers web. node w
    offers web.port node web.p
    offers web.port= apply site.yaml --attribute web.p
    offers web.port node explain web.
    offers explain node ex
    # Options that were typed count.
    offers_not db. node d
    offers db. node --role database d
    mkdir below
    cd below
    offers_not 'log[one]' apply --only ''
    offers 'log[one]' apply ../site.yaml --only ''
}

@test "a broken manifest, or none, is no message" {
    described
    printf 'resources:\n  - log: one\n  - frob: x\n  - log: [\n' >site.yaml
    command rhost complete --state-dir="$state" -- apply site.yaml --only '' >out 2>err
    is_empty err
    is "$(head -1 out)" words
    command rhost complete --state-dir="$state" -- apply /nonexistent --only '' >out 2>err
    is_empty err
    command rhost complete >out 2>err
    is "$(head -1 out)" words
    mkfifo pipe
    command rhost complete --state-dir="$state" -- apply pipe - --only '' </dev/zero >out 2>err
    is "$(head -1 out)" words
}

@test "runs, pending notifications and titles come from what earlier runs left" {
    described
    site
    rm -r roles
    sed -i '/^roles/d' site.yaml
    run rhost apply site.yaml
    is "$(answer show l)" "$(printf 'words\nlast')"
    id=$(ls "$state/runs" | sed 's/.jsonl//')
    offers "$id" show 2
    offers 'one' resource log o
    printf 'resources:\n  - exec: fails\n    command: ["false"]\n  - exec: notifies\n    command: ["true"]\n    notifies:\n      - {action: run, resource: "exec[told]"}\n  - exec: told\n    command: ["false"]\n    action: nothing\n' >owing.yaml
    run rhost apply owing.yaml
    status_is 4
    offers 'exec[told]' pending --drop ex
}

@test "facts, codes, checks and devices" {
    described
    offers os. facts o
    offers os.family facts os.f
    offers kernel. facts kern
    offers RH0200 explain RH020
    offers by-name check --only by
    offers --only=static check --only=st
}

@test "devices come from the file of targets" {
    own_plugin tests/conformance/.libs/letter.so
    cat >targets.yaml <<'END'
resources:
  - letter_wire: edge-1
    host: one.example.org
  - letter_wire: core-2
    host: two.example.org
END
    plugins=--plugin-dir=$BATS_TEST_TMPDIR/plugins
    rhost types "$plugins" >/dev/null
    offers edge-1 device "$plugins" targets.yaml e
    offers core-2 resource "$plugins" --targets targets.yaml --target ''
    offers --target=core-2 resource "$plugins" --targets=targets.yaml --target=c
}

@test "a push: names of the file of targets, and commands that run there" {
    cat >targets.yaml <<'END'
targets:
  web1: ssh://admin@web1
  web2: {connect: 'chroot:/srv/image'}
  db: {}
groups:
  web: [web1, web2]
END
    answers 'files web1 web2 web' push --targets targets.yaml web
    answers 'files web1 web2 db web all' push --targets=targets.yaml ''
    answers 'files db,web1 db,web2 db,web' push --targets=targets.yaml db,we
    answers 'files web&!web1 web&!web2 web&!web' push --targets=targets.yaml 'web&!w'
    offers web2 push --targets=targets.yaml web1 ''
    answers 'words --canary=web1 --canary=web2 --canary=web' push --targets=targets.yaml --canary=web
    answers 'words confirm' push web1 -- conf
    offers undo push web1 -- ''
    offers_not agent push web1 -- ''
    answers 'files' push web1 -- apply ''
    answers 'files' push ''
    printf '#!/bin/sh\ntouch %s/was-run\necho "{}"\n' "$work" >program
    chmod 755 program
    answers 'files' push --targets=program ''
    [ ! -e was-run ]
    echo 'targets: [' >targets.yaml
    answers 'files' push --targets=targets.yaml ''
}

@test "a title that would end the line, or act on the terminal, is not offered" {
    described
    printf 'resources:\n  - log: "a\\nb"\n  - log: "c\\e[31m"\n  - log: fine\n' >site.yaml
    answer apply site.yaml --only 'log[' >got
    is "$(cat got)" "$(printf 'words\nlog[fine]')"
}

@test "nothing is run, and nothing written" {
    described
    site
    mkdir facts
    printf '#!/bin/sh\ntouch %s/ran\necho a=b\n' "$work" >facts/program
    chmod 755 facts/program
    cat >>site.yaml <<'END'
  - file: /nonexistent/b
    content: ${secret_file("secret")}
END
    # A sanitizer cannot look for leaks in what strace traces.
    ! is_sanitized || export ASAN_OPTIONS="${ASAN_OPTIONS-}:detect_leaks=0"
    find "$state" "$work" -exec stat -c '%n %y %s' {} + | sort >"$BATS_TEST_TMPDIR/before"
    for words in 'apply site.yaml --only ' 'node w' 'facts o' 'resource file ' 'resource fi' 'pending --drop ' 'show '; do
        IFS=' ' read -ra list <<<"$words"
        [ "${words% }" = "$words" ] || list+=('')
        if command -v strace >/dev/null; then
            strace -f -qq -e trace=execve,fork,vfork,clone,clone3 -o "$BATS_TEST_TMPDIR/trace" \
                "$abs_top_builddir/core/rhost" --no-installed-plugins --plugin-dir "$abs_top_builddir/plugins/.libs" complete \
                --state-dir="$state" -- "${list[@]}" >/dev/null
            is "$(grep -c . "$BATS_TEST_TMPDIR/trace")" 1
        else
            command rhost complete --state-dir="$state" -- "${list[@]}" >/dev/null
        fi
    done
    command rhost complete --state-dir="$state" -- node --facts-dir="$work/facts" 'a' >/dev/null
    [ ! -e ran ]
    find "$state" "$work" -exec stat -c '%n %y %s' {} + | sort >"$BATS_TEST_TMPDIR/after"
    diff "$BATS_TEST_TMPDIR/before" "$BATS_TEST_TMPDIR/after"
    command rhost complete --state-dir="$work/none" -- resource fi >/dev/null
    [ ! -e none ]
}

# Shells.

needs_terminal() {
    needs_python
    python3 -c 'import pty; pty.openpty()' 2>/dev/null || skip "needs pseudo-terminals (/dev/pts)"
}

# typed SHELL TEXT LINE: what is typed becomes this line.
typed() {
    local got
    got=$(cd "$work" && python3 "$abs_top_srcdir/tests/cli/typist.py" "$1" "$work/setup" "$2") || return
    is "$got" "$3"
}

shells_site() {
    described
    site
    mkdir -p data
    : >data/file.yaml
    printf '#!/bin/sh\ncase $1 in complete) shift; set -- complete --state-dir=%s "$@" ;; esac\nexec "%s" "$@"\n' \
        "$state" "$abs_top_builddir/rhost" >bin/rhost
}

@test "bash completes what is typed" {
    needs_terminal
    shells_site
    echo "source '$abs_top_srcdir/packaging/rhost.bash-completion'" >setup
    bash -n "$abs_top_srcdir/packaging/rhost.bash-completion"
    typed bash 'rhost valid\t' 'rhost validate '
    typed bash 'rhost apply --noo\t' 'rhost apply --noop '
    typed bash 'rhost apply --forma\t' 'rhost apply --format='
    typed bash 'rhost apply --format=j\t' 'rhost apply --format=json '
    typed bash 'rhost apply da\tf\t' 'rhost apply data/file.yaml '
    typed bash 'rhost apply --report=da\t' 'rhost apply --report=data/'
    typed bash 'rhost describe tim\t' 'rhost describe timezone '
    typed bash 'rhost resource file /x ensure=ab\t' 'rhost resource file /x ensure=absent '
    typed bash 'rhost apply site.yaml --only=log[o\t' 'rhost apply site.yaml --only=log[one] '
    typed bash "rhost apply site.yaml --only 'log[t\\t" "rhost apply site.yaml --only 'log[two words]' "
    typed bash 'rhost node web.p\t' 'rhost node web.port '
    typed bash 'rhost node we\tna\t' 'rhost node web.name '
}

@test "zsh completes what is typed" {
    requires_command zsh
    needs_terminal
    shells_site
    mkdir zsh
    cp "$abs_top_srcdir/packaging/rhost.zsh-completion" zsh/_rhost
    printf 'fpath=(%s/zsh $fpath)\nautoload -Uz compinit\ncompinit -u -D\n' "$work" >setup
    typed zsh 'rhost valid\t' 'rhost validate '
    typed zsh 'rhost apply --noo\t' 'rhost apply --noop '
    typed zsh 'rhost apply --forma\t' 'rhost apply --format='
    typed zsh 'rhost apply --format=j\t' 'rhost apply --format=json '
    typed zsh 'rhost apply da\tf\t' 'rhost apply data/file.yaml '
    typed zsh 'rhost describe tim\t' 'rhost describe timezone '
    typed zsh 'rhost apply site.yaml --only log\[o\t' 'rhost apply site.yaml --only log\[one\] '
    typed zsh 'rhost node web.p\t' 'rhost node web.port '
}

@test "fish completes a line" {
    requires_command fish
    shells_site
    goes_on() {
        fish --no-config -c "source '$abs_top_srcdir/packaging/rhost.fish-completion'; complete -C \"$1\"" | cut -f1 >out
        grep -qxF -- "$2" out || {
            echo "'$1' does not go on with '$2':"
            cat out
            return 1
        }
    }
    goes_on 'rhost valid' validate
    goes_on 'rhost apply --noo' --noop
    goes_on 'rhost apply --format=j' --format=json
    goes_on 'rhost apply da' data/
    goes_on 'rhost apply --report=da' --report=data/
    goes_on 'rhost describe fi' file
    goes_on "rhost apply site.yaml --only 'log[o" 'log[one]'
    goes_on 'rhost node web.p' web.port
}

@test "an answer takes few milliseconds: it needs no more than so many instructions" {
    requires_command valgrind
    ! grep -qE '^#define RH_(SANITIZERS|COVERAGE)' "$abs_top_builddir/config.h" || skip "this build is another one"
    [ -z "${RHOST_MUTANTS-}" ] || skip 'the builds of mutants have guarded blocks'
    described
    cp -R "$abs_top_srcdir/docs/examples/site" .
    sed -i "s|/srv/example|$work/root|" site/site.yaml
    instructions() {
        valgrind --vgdb=no --tool=callgrind --callgrind-out-file=/dev/null "$abs_top_builddir/core/rhost" --no-installed-plugins \
            --plugin-dir "$abs_top_builddir/plugins/.libs" complete --state-dir="$state" -- "$@" 2>said >/dev/null
        sed -n 's/.*Collected : \([0-9]*\)$/\1/p' said
    }
    instructions apply --no | tee least
    [ "$(cat least)" -lt 4000000 ]
    # 10 to 20 ms.
    instructions resource f | tee types
    [ "$(cat types)" -lt 72000000 ]
    instructions apply site/site.yaml --only 'file[' | tee manifest
    [ "$(cat manifest)" -lt 100000000 ]
}

#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# With the debconf of the machine, on a copy of its database that vanishes with each test.
source "${abs_top_srcdir:-$BATS_TEST_DIRNAME/../..}/tests/lib.bash"
source "$abs_top_srcdir/tests/scratch.bash"
source "$abs_top_srcdir/tests/one.bash"
scratch_shares='alternatives ssl'

setup() {
    work_open
    requires_root
    requires_command debconf-communicate
    scratch_open
    in_scratch sh -euc 'mkdir /mnt/debconf
        cp -a /var/cache/debconf/config.dat /var/cache/debconf/templates.dat /var/cache/debconf/passwords.dat /mnt/debconf 2>/dev/null ||
            touch /mnt/debconf/config.dat /mnt/debconf/templates.dat
        mount --bind /mnt/debconf /var/cache/debconf'
}

teardown() {
    scratch_close
}

# The question "rt/it", whose other attributes stand on standard input.
question() {
    one "debconf: rt/it" -- "$@"
}

# ask COMMAND...: what debconf answers.
ask() {
    printf '%s\n' "$*" | in_scratch debconf-communicate -fnoninteractive 2>&1 || true
}

is_held() {
    not in_scratch flock -n /var/cache/debconf/config.dat true
}

# bats test_tags=inline
@test "a question that no package has brought yet is made, with its answer" {
    question run apply --noop <<<'value: one'
    status_is 0
    is "$(ask GET rt/it)" "10 rt/it doesn't exist"
    question converges <<<'value: one'
    is "$(ask GET rt/it)" '0 one'
    is "$(ask FGET rt/it seen)" '0 true'
    is "$(ask METAGET rt/it Type)" '0 string'
    is "$(ask METAGET rt/it owners)" '0 rt'
    question converges <<END
value: true
type: boolean
seen: false
END
    is "$(ask GET rt/it)" '0 true'
    is "$(ask FGET rt/it seen)" '0 false'
    is "$(ask METAGET rt/it Type)" '0 boolean'
    question is_in_sync <<END
value: true
seen: false
END
}

# bats test_tags=inline
@test "an answer is what it is, whatever blanks and newlines are in it" {
    for value in '' ' ' 'a  b' 'a\nb' ' a\n\n b\n' 'a\\' 'a\tb' 'caf\u00e9 %s \"x\"' 'a, b'; do
        rm -rf "$BATS_TEST_TMPDIR/state"
        question converges <<<"value: \"$value\""
        [ "$value" != ' a\n\n b\n' ] || is "$(ask GET rt/it)" '0  a'
        [ "$value" != 'a\nb' ] || is "$(printf 'CAPB escape\nGET rt/it\n' | in_scratch debconf-communicate 2>/dev/null | tail -n 1)" '1 a\nb'
    done
    question converges <<<'value: 42'
    is "$(ask GET rt/it)" '0 42'
}

@test "a question that is there keeps its type and its owner, and what is not said" {
    printf 'other rt/it select choice\n' | in_scratch debconf-set-selections
    question converges <<<'value: another'
    is "$(ask METAGET rt/it Type) $(ask METAGET rt/it owners)" '0 select 0 other'
    question converges <<<'seen: false'
    is "$(ask GET rt/it) $(ask FGET rt/it seen)" '0 another 0 false'
    question converges <<<'value: third'
    is "$(ask GET rt/it) $(ask FGET rt/it seen)" '0 third 0 true'
    is "$(ask FGET rt/it seen)" '0 true'
    question converges <<END
type: string
seen: false
END
    is "$(ask GET rt/it) $(ask METAGET rt/it Type) $(ask FGET rt/it seen)" '0 third 0 string 0 false'
}

# bats test_tags=inline
@test "a password is in no output, no argument and no file that others read" {
    printf 'resources:\n  - debconf: rt/it\n    type: password\n    password: hush-hush-hush\n' >site.yaml
    run rhost apply -v -v --diff --report report.json site.yaml
    status_is 0
    says_not hush-hush
    not grep -rq hush-hush "$BATS_TEST_TMPDIR/state" report.json
    not in_scratch grep -q hush-hush /var/cache/debconf/config.dat
    in_scratch grep -q 'Value: hush-hush-hush' /var/cache/debconf/passwords.dat
    is "$(in_scratch stat -c %a /var/cache/debconf/passwords.dat)" 600
    run rhost apply --detailed-exitcodes site.yaml
    status_is 0
    sed -i 's/hush-hush-hush/other-hush-hush/' site.yaml
    run rhost apply --noop --diff site.yaml
    says 'password  (unknown) → [redacted]'
    says_not hush-hush
    run rhost apply site.yaml
    status_is 0
    is "$(ask GET rt/it)" '0 other-hush-hush'
    run rhost resource debconf rt/it
    says_not hush-hush
}

@test "an answer of the wrong kind is refused, by a dry run too, and changes nothing" {
    printf 'rt rt/it password sesame-sesame\n' | in_scratch debconf-set-selections
    for noop in --noop ''; do
        # shellcheck disable=SC2086 # perhaps none
        question run apply $noop <<<'value: open'
        status_is 4
        says "value: the type of the question is 'password': its answer is 'password'"
    done
    is "$(ask GET rt/it)" '0 sesame-sesame'
    printf 'rt rt/it string plain\n' | in_scratch debconf-set-selections
    question run apply --noop <<<'password: sesame-sesame'
    status_is 4
    says "password: the type of the question is 'string': its answer is 'value'"
    question fails "value: 'perhaps' is neither true nor false" <<END
type: boolean
value: perhaps
END
    question fails "value: the answer to a question of the type 'password' is its 'password'" <<END
type: password
value: open
END
    question fails "value: debconf takes a backslash and an 'n' for a new line" <<<"value: 'a\\nb'"
    question fails "password: debconf takes a backslash and an 'n' for a new line" <<<"password: 'a\\nb'"
    question fails "password: there is a 'value' as well" <<END
value: open
password: sesame
END
    one 'debconf: a question' -- run apply <<<'value: x'
    status_is 1
    one 'debconf: Name' -- run apply <<<'value: x'
    status_is 1
    says "package: which package asks 'Name' has to be said"
    is "$(ask GET rt/it)" '0 plain'
}

# bats test_tags=inline
@test "a question goes from all packages that ask it" {
    printf 'one rt/it string x\ntwo rt/it string x\n' | in_scratch debconf-set-selections
    is "$(ask METAGET rt/it owners)" '0 one, two'
    question run apply --noop <<<'ensure: absent'
    status_is 0
    is "$(ask GET rt/it)" '0 x'
    question converges <<<'ensure: absent'
    is "$(ask GET rt/it)" "10 rt/it doesn't exist"
    question is_in_sync <<<'ensure: absent'
}

@test "thirty answers are read by one program" {
    for i in $(seq 30); do
        printf -- '- debconf: rt/it%s\n  value: v%s\n' "$i" "$i"
    done | sed '1i resources:' >site.yaml
    run rhost apply site.yaml
    status_is 0
    is "$(ask GET rt/it17)" '0 v17'
    run rhost apply --debug --detailed-exitcodes site.yaml
    status_is 0
    is "$(grep -c "Executing 'debconf" <<<"$output")" 1
}

@test "another program that has the database locked is waited for" {
    question run apply <<<'value: one'
    in_scratch flock /var/cache/debconf/config.dat sleep 2 3>&- &
    holder=$!
    until_true is_held
    question run apply <<<'value: two'
    status_is 0
    says 'another program has the database of debconf locked; waiting up to 60 s'
    is "$(ask GET rt/it)" '0 two'
    wait $holder
}

@test "a full disk, a read-only directory and a missing program are named, and nothing is lost" {
    question run apply <<<'value: one'
    in_scratch sh -c 'mount -o remount,bind,ro /var/cache/debconf'
    question fails 'failed: ' <<<'value: two'
    in_scratch sh -c 'mount -o remount,bind,rw /var/cache/debconf'
    is "$(ask GET rt/it)" '0 one'
    in_scratch sh -c 'mkdir /mnt/small && mount -t tmpfs -o size=1300k tmpfs /mnt/small &&
        cp -a /mnt/debconf/config.dat /mnt/debconf/templates.dat /mnt/small && (cat /dev/zero >/mnt/small/zero || true) 2>/dev/null
        mount --bind /mnt/small /var/cache/debconf'
    question run apply <<END
value: two
seen: true
END
    [ "$status" -eq 4 ]
    says 'debconf'
    in_scratch umount /var/cache/debconf
    is "$(ask GET rt/it)" '0 one'
    program=$(command -v debconf-communicate)
    in_scratch mount --bind /dev/null "$program"
    question run apply <<<'value: two'
    status_is 4
    says "debconf-communicate"
    in_scratch umount "$program"
    is "$(ask GET rt/it)" '0 one'
}

@test "undo takes back an answer, and a question that was made" {
    printf 'rt rt/old string before\n' | in_scratch debconf-set-selections
    cat >site.yaml <<'END'
resources:
  - debconf: rt/old
    value: after
  - debconf: rt/new
    value: x
END
    run rhost apply site.yaml
    status_is 0
    run rhost undo last
    status_is 0
    is "$(ask GET rt/old) $(ask GET rt/new)" "0 before 10 rt/new doesn't exist"
}

@test "all questions of the machine are listed, and the list changes nothing" {
    printf 'rt rt/secret password sesame-sesame\nrt rt/lines string x\n' | in_scratch debconf-set-selections
    printf 'CAPB escape\nSET rt/lines a\\nb: c\\n* rt/none: d\n' | in_scratch debconf-communicate >/dev/null || true
    run rhost resource --format=yaml debconf
    status_is 0
    says '- debconf: rt/secret'
    says_not sesame
    says_not '- debconf: rt/none'
    printf '%s\n' "$output" >list.yaml
    run rhost apply --noop --detailed-exitcodes list.yaml
    status_is 0
}

@test "the example of the page works, and a second run finds nothing to do" {
    awk '/^# scratch example/ { inside = 1 } /^```$/ { inside = 0 } inside' "$abs_top_srcdir/plugins/debconf/debconf.md" >page.yaml
    run rhost apply page.yaml
    status_is 0
    is "$(ask GET rhost-example/key)" '0 not-so-secret'
    run rhost apply --detailed-exitcodes page.yaml
    status_is 0
}

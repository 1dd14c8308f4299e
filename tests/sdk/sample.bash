# SPDX-License-Identifier: Apache-2.0
# What plugins that use each part of the ABI must do, whatever they are written in: tests/sdk/sample.cc and keeper.cc, and
# examples/sample.rs and keeper.rs of the crate. They are plugins/sample.so and plugins/keeper.so.

# Applies the resources on standard input, which are the list of a manifest.
sample() {
    { echo 'resources:'; cat; } >site.yaml
    run rhost apply --isolation="$RHOST_ISOLATION" --state-dir="$work/state" --plugin-dir=plugins --color=never "$@" \
        site.yaml
}

sample_is_described() {
    run rhost describe --plugin-dir=plugins sample
    status_is 0
    says 'Formerly: words'
    says "Deprecated: use 'text'"
    says 'write[$path]'
    says 'read[/etc/passwd]'
    says 'what was in the file is not known'
    run rhost describe --plugin-dir=plugins sample_note
    status_is 0
    grep -A1 '^Needs$' <<<"$output" | grep -qx '  nothing'
    run rhost types -v --plugin-dir=plugins
    status_is 0
    says "plugin sample, built with the SDK $(sed -n 's/#define RHOST_SDK_VERSION "\(.*\)".*/\1/p' \
        "$abs_top_srcdir/sdk/rhost/abi.h")"
    says 'sample_dir (transport)'
    run rhost check plugins/sample.so --only pure --only loads --only symbol --only schema
    status_is 0
    says_not warn
}

sample_warns_of_old_names() {
    sample <<<"  - {sample: $work/a, words: x, colour: red}"
    status_is 0
    says "warning: attribute 'words' of 'sample' is now called 'text'"
    says "warning: attribute 'colour' of 'sample' is deprecated: use 'text'"
    [ "$(cat a)" = x ]
}

sample_validates() {
    sample <<<"  - {sample: $work/a, text: bright, colour: grey}"
    status_is 1
    says "error: sample[$work/a]: colour: a bright text has no grey colour"
    says 'nothing was changed'
    [ ! -e a ]
    sample <<<"  - {sample: $work/a, text: bright, colour: red}"
    status_is 0
}

sample_reports() {
    sample --verbose <<END
  - {sample: $work/a, text: x, how: did}
  - log: between
  - {sample: $work/b, text: x, how: failed}
  - {sample: $work/c, text: x, how: processed}
  - {sample: $work/d, text: x, how: unchanged}
  - {sample: $work/e, text: x, how: not at all}
  - {sample: $work/f, text: x, how: no such way}
END
    status_is 4
    # All in one call, whatever stands between.
    says 'notice: sample: 6 at once'
    says 'text the text is another'
    says "notice: sample[$work/a]: It is written"
    says 'failed: text: there is no ink'
    says 'text (none) → x'
    says "info: sample[$work/d]: it is good enough"
    says 'failed: the change did not take effect: it does not exist'
    says "failed: how: there is no way 'no such way'"
    says '2 ok, 2 changed, 3 failed'
}

sample_works_long() {
    sample --time-limit=1 <<<"  - {sample: $work/a, text: x, how: busy}"
    status_is 0
    sample --time-limit=1 <<<"  - {sample: $work/b, text: x, how: counted}"
    status_is 0
    sample --time-limit=1 --progress=json <<END
  - {sample: $work/c, text: x, how: did}
  - {sample: $work/d, text: x, how: counted apart}
END
    status_is 0
    grep -F '"event": "progress"' <<<"$output" >progress
    grep -F "sample[$work/d]" progress | grep -q '"of": 25, "unit": "tenths"'
    not grep -vF "sample[$work/d]" progress
    sample --time-limit=30 <<<"  - {sample: $work/e, text: x, how: deadline}"
    status_is 0
    grep -E 'Creating: (29|30) s left$' <<<"$output"
}

sample_stops() {
    local pid
    printf 'resources:\n  - {sample: %s/a, text: x, how: until stopped}\n' "$work" >site.yaml
    "${RHOST:-$abs_top_builddir/rhost}" apply --state-dir state --plugin-dir plugins site.yaml >out 2>&1 3>&- &
    pid=$!
    for _ in $(seq 100); do
        if grep -q begun out; then break; fi
        sleep 0.1
    done
    kill -TERM "$pid"
    status=0
    wait "$pid" || status=$?
    output=$(cat out)
    status_is 143
    says 'failed: stopped by request'
    [ ! -e a ]
}

sample_shares_a_process() {
    sample <<END
  - {sample: $work/a, text: x}
  - sample_note: $work/b
  - {sample: $work/c, text: x}
END
    status_is 0
    says '2 changed'
    printf 'connect\ndisconnect\n' | diff - log
}

sample_reaches_a_device() {
    local how
    mkdir -p dev/items
    echo secret-token >dev/token
    echo 1 >dev/version
    printf 'resources:\n  - {sample_dir: one, directory: %s/dev, token: secret-token}\n' "$work" >targets.yaml
    printf 'resources:\n  - {sample_item: lamp, value: lit}\n  - {sample_item: bell, ensure: absent}\n' >site.yaml
    how=(--isolation="$RHOST_ISOLATION" --state-dir="$work/state" --plugin-dir=plugins)
    echo old >dev/items/bell
    run rhost device "${how[@]}" targets.yaml one site.yaml
    status_is 0
    says '2 changed'
    [ "$(cat dev/items/lamp)" = lit ]
    [ ! -e dev/items/bell ]
    run rhost device "${how[@]}" targets.yaml one site.yaml
    says '2 ok'
    run rhost device "${how[@]}" targets.yaml one
    status_is 0
    says '{"model": "a directory", "version": 1}'
    run rhost apply "${how[@]}" site.yaml
    status_is 1
    says "type 'sample_item' manages a device"
    echo 2 >dev/version
    run rhost device "${how[@]}" targets.yaml one site.yaml
    status_is 4
    says "transport 'sample_dir': version 2 of the device is not known"
    sed -i s/secret/another/ targets.yaml
    run rhost device "${how[@]}" targets.yaml one site.yaml
    status_is 4
    says 'wrong token'
}

sample_answers() {
    sample <<'END'
  - log: "${lookup('sample_twice', 'a')} ${lookup('sample_twice', 'b', '+')} ${node.sample_site}"
  - log: "${default(lookup('sample_twice', ''), 'none')}"
END
    status_is 0
    says 'a-a b+b berlin'
    says 'log[none]'
    sample <<<"  - log: \"\${lookup('sample_twice', 'bad')}\""
    [ "$status" -ne 0 ]
    says 'it is a bad word'
}

keeper_keeps() {
    keep() {
        apply --plugin-dir plugins --detailed-exitcodes <<END
resources:
  - keeper: $work/a
    password: $1
  - keeper: $work/b
    password: "\${lookup('twice', 'x')}\${lookup('twice', 'y', '+')}\${node.keeper_site}"
END
    }
    run keep first-secret
    status_is 2
    says '2 changed'
    [ "$(cat a b)" = first-secretx-xy+yberlin ]
    run keep first-secret
    status_is 0
    run keep other-secret
    status_is 2
    says '1 changed'
    says_not secret
    [ "$(cat a)" = other-secret ]
    run apply --plugin-dir plugins <<END
resources:
  - keeper: $work/no/such/directory
    password: x
  - keeper: $work/c
    password: "\${default(lookup('twice', ''), 'none')}"
END
    status_is 4
    says "cannot write '$work/no/such/directory'"
    [ "$(cat c)" = none ]
    run apply --plugin-dir plugins <<END
resources:
  - log: "\${lookup('twice', 'panic')}"
END
    [ "$status" -ne 0 ]
    says "there is no such word"
}

keeper_compares_and_acts() {
    keep() {
        apply --plugin-dir plugins --detailed-exitcodes --verbose "$@" <<END
resources:
  - keeper: $work/a
    password: s3cret-word
    note: $note
$more
END
    }
    note=Hello more='' run keep
    status_is 2
    # The note that is kept differs in case alone.
    note=hELLO more='' run keep
    status_is 0
    note=other more='' run keep --noop
    status_is 2
    says 'the note is another, whatever its case'
    note=other more='' run keep
    status_is 2
    note=other more="    action: count" run keep
    says 'notice: keeper: written 2'
    note=other more="    action: forget" run keep
    says 'notice: keeper: written never'
    note=other more="  - {keeper: $work/b, password: x, notify: 'keeper[$work/a]'}" run keep
    says 'notice: keeper: written never'
    note=other more="    action: refuse" run keep
    [ "$status" -ne 0 ]
    says 'failed: path: it is refused'
    # A text with a secret is not kept, and not shown.
    note=s3cret-word more='' run keep
    [ "$status" -ne 0 ]
    says_not s3cret-word
    says 'failed: the host refused'
}

#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# What somebody else writes into a file while it is edited is still there afterwards.
source "${abs_top_srcdir:-$BATS_TEST_DIRNAME/../..}/tests/lib.bash"

# A validator that is given a new file, and adds a line to the real one meanwhile, as often as $1 says.
setup() {
    work_open
    cat >meddle <<'END'
#!/bin/sh
cd "${0%/*}" || exit 1
[ "$(wc -l <meddled)" -lt "$(cat times)" ] || exit 0
echo "$3" >>meddled
printf '%s\n' "$3" >>"$2"
END
    chmod +x meddle
    : >meddled
    echo 1 >times
}

@test "line: a line that is added while the file is edited stays" {
    printf 'old\n' >list
    run apply <<END
resources:
  - line: one
    path: $work/list
    text: ours
    validate: [$work/meddle, '%', $work/list, theirs]
END
    status_is 0
    is "$(cat list)" 'old
theirs
ours'
    is "$(wc -l <meddled)" 1
}

@test "text_block and substitution: a line that is added while the file is edited stays" {
    printf 'old\n' >list
    run apply <<END
resources:
  - text_block: $work/list
    content: ours
    validate: [$work/meddle, '%', $work/list, theirs]
END
    status_is 0
    is "$(paste -sd, list)" 'old,theirs,# BEGIN managed by rhost,ours,# END managed by rhost'
    echo 2 >times
    run apply <<END
resources:
  - substitution: "$work/list: ^old$"
    replacement: new
    validate: [$work/meddle, '%', $work/list, others]
END
    status_is 0
    is "$(paste -sd, list)" 'new,theirs,# BEGIN managed by rhost,ours,# END managed by rhost,others'
}

@test "ini_setting: a setting that is added while the file is edited stays" {
    printf '[a]\nx = 1\n' >list.ini
    run apply <<END
resources:
  - ini_setting: $work/list.ini [a] ours
    value: 1
    validate: [$work/meddle, '%', $work/list.ini, theirs = 2]
END
    status_is 0
    grep -q '^ours = 1$' list.ini
    grep -q '^theirs = 2$' list.ini
}

@test "what is changed again and again is left alone, and said" {
    printf 'old\n' >list
    echo 99 >times
    run apply <<END
resources:
  - line: one
    path: $work/list
    text: ours
    validate: [$work/meddle, '%', $work/list, theirs]
END
    status_is 4
    says "cannot write '$work/list': something else changed it 5 times while it was edited"
    is "$(grep -c ours list)" 0
    is "$(grep -c theirs list)" 5
}

@test "a file that appears while it is made is not replaced" {
    run apply <<END
resources:
  - line: one
    path: $work/list
    text: ours
    create: true
    validate: [$work/meddle, '%', $work/list, theirs]
END
    status_is 0
    is "$(cat list)" 'theirs
ours'
}

key=AAAAC3NzaC1lZDI1NTE5AAAAIJ2qN7wQ6cG5Ok0eLjR5rCuzlgmsfxOVDJmg/mszGfqb

# Waits for a file, for ten seconds at the most.
await() {
    for _ in $(seq 200); do
        [ ! -e "$1" ] || return 0
        sleep 0.05
    done
    return 1
}

@test "a file that is being made is not a leftover for another run" {
    # Both have made their new files before the first one is in its place.
    cat >pause <<'END'
#!/bin/sh
cd "${0%/*}" || exit 1
: >"$2.begun"
i=0
while [ ! -e "$3" ] && [ $((i += 1)) -lt 200 ]; do
    sleep 0.05
done
END
    chmod +x pause
    printf 'old\n' >list
    for k in 1 2; do
        cat >"site.$k.yaml" <<END
resources:
  - line: one
    path: $work/list
    text: from $k
    validate: [$work/pause, '%', '$k', $([ $k = 1 ] && echo 2.begun || echo 1.done)]
END
    done
    rhost apply --state-dir "$work/state.1" site.1.yaml >out.1 2>&1 &
    first=$!
    await 1.begun
    rhost apply --state-dir "$work/state.2" site.2.yaml >out.2 2>&1 &
    second=$!
    await 2.begun
    wait $first || cat out.1
    : >1.done
    wait $second || cat out.2
    is "$(cat list)" 'old
from 1
from 2'
    is "$(find . -name '.list*')" ''
}

@test "an edit waits for whoever has the file locked" {
    printf 'old\n' >list
    (
        flock 9
        : >locked
        sleep 0.6
        echo theirs >&9
    ) 9>>list &
    await locked
    run apply <<END
resources:
  - line: one
    path: $work/list
    text: ours
END
    wait
    status_is 0
    is "$(cat list)" 'old
theirs
ours'
}

@test "host, mount, ssh_authorized_key: an edit waits for whoever has the file locked" {
    local resources=(
        "host: ours, ip: 10.0.0.1, target: $work/list"
        "mount: /ours, device: tmpfs, fstype: tmpfs, fstab: $work/list"
        "ssh_authorized_key: ours, user: root, type: ssh-ed25519, key: $key, target: $work/list"
    )
    requires_root
    for resource in "${resources[@]}"; do
        rm -f list locked
        printf '# old\n' >list
        (
            flock 9
            : >locked
            sleep 0.6
            echo '# theirs' >&9
        ) 9>>list &
        await locked
        run apply <<<"resources: [{$resource}]"
        wait
        status_is 0
        is "$(head -n 2 list)" '# old
# theirs'
        is "$(grep -c ours list)" 1
    done
}

@test "runs with different state directories lose nothing of each other" {
    for i in 1 2 3; do
        for k in $(seq 20); do
            printf 'resources:\n  - line: one\n    path: %s/list\n    text: from %s %s\n    create: true\n' \
                "$work" "$i" "$k" >"site.$i.$k.yaml"
        done
        (
            for k in $(seq 20); do
                # Many of them at once may meet five times in a row: that fails, and is said.
                until rhost apply --state-dir "$work/state.$i" "site.$i.$k.yaml"; do
                    sleep 0.1
                done
            done
        ) >"out.$i" 2>&1 &
    done
    wait
    is "$(sort -u list | wc -l)" 60
    is "$(wc -l <list)" 60
}

@test "json_setting and yaml_setting: a setting that is added while the file is edited stays" {
    printf 'x: 1\n' >list.yaml
    run apply <<END
resources:
  - yaml_setting: $work/list.yaml#/ours
    value: 1
    validate: [$work/meddle, '%', $work/list.yaml, 'theirs: 2']
END
    status_is 0
    is "$(paste -sd, list.yaml)" 'x: 1,theirs: 2,ours: 1'
    printf '{"x": 1}' >list.json
    : >meddled
    run apply <<END
resources:
  - json_setting: $work/list.json#/ours
    value: 1
    validate: [$work/meddle, '%', $work/list.json, ' ']
END
    status_is 0
    is "$(cat list.json)" '{"x": 1, "ours": 1} '
}

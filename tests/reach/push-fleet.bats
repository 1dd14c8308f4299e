#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# rhost push to targets with root file systems, processes and networks of their own: what is left on them.
source "${abs_top_srcdir:-$BATS_TEST_DIRNAME/../..}/tests/lib.bash"
source "$abs_top_srcdir/tests/reach/fleet.bash"

setup_file() {
    export WHY
    WHY=$(fleet_why_not)
}

setup() {
    [ -z "$WHY" ] || skip "$WHY"
    work_open
    mkdir fleet
    export work abs_top_srcdir abs_top_builddir
}

# in_fleet PLUGINS N: runs the shell commands on standard input with N targets, in their directory.
in_fleet() {
    {
        echo '. "$abs_top_srcdir/tests/reach/fleet.bash"; fleet_enter "$0"; set -e; trap "exit 130" TERM INT'
        echo "fleet_open \"\$work/fleet\" $1; cd \"\$work/fleet\"; fleet_add 1 $2; fleet_ready 1 $2"
        echo 'push() { "$abs_top_builddir/core/rhost" push --state-dir "$work/fleet/state" "$@"; }'
        cat
    } >script
    run bash script 3>&-
}

@test "pushes that are cut leave nothing half done, and the next one says what happened" {
    run "$abs_top_srcdir/tests/reach/push-cuts" --points=3 --seed=4 --kinds='session controller receiver' 3>&-
    status_is 0
    says '3 points: nothing half written, nothing left behind, each next push completed the site'
}

@test "secrets are in no process list, in no report, in no output, and on the disk only where the site puts them" {
    in_fleet file,directory,exec 1 <<'END'
mkdir -p site/secrets
fleet_on t001 sh -c 'useradd -M -s /bin/sh pushed; echo pushed:marker-become | chpasswd; echo "pushed ALL=(ALL) ALL" >/etc/sudoers.d/push'
echo marker-become >password
echo marker-site >site/secrets/one
cat >targets.yaml <<EOF
targets:
  web: {connect: ssh://pushed@t001, become: sudo, attributes: {token: marker-attribute}}
EOF
cat >site/site.yaml <<'EOF'
resources:
  - directory: /srv/app
    mode: "0700"
  - file: /srv/app/one
    content: ${secret_file("secrets/one")}
    mode: "0600"
  - file: /srv/app/two
    content: ${secret_file("secrets/two")}
    mode: "0600"
  - file: /srv/app/three
    content: ${secret(node.token)}
    mode: "0600"
  - exec: says them
    command: [sh, -c, "cat /srv/app/*; cat /srv/app/* >&2; sleep 0.5; exit 3"]
EOF
mkfifo two
echo marker-option >option
cat option >two &
while :; do
    cat /proc/[0-9]*/cmdline /proc/[0-9]*/environ 2>/dev/null | tr '\0' '\n' | grep -ao 'marker-[a-z][a-z]*' >>seen || true
    echo >>samples
done &
sampler=$!
status=0
push --targets targets.yaml --become-password-file=password --secret=two=two --diff --verbose web site/site.yaml >output 2>&1 || status=$?
push --targets targets.yaml --become-password-file=password --secret=two=option --format=json --verbose web site/site.yaml >>output 2>&1 || true
push --targets targets.yaml --become-password-file=password --secret=two=option --noop --debug web site/site.yaml >>output 2>&1 || true
sh -c 'sleep 2; :' marker-control # that one is seen
kill $sampler
echo "status $status, $(wc -l <samples) samples"
fleet_on t001 sh -c 'cat /srv/app/*'
echo
echo "said: $(grep -c 'marker-' output)"
echo "processes: $(sort -u seen)"
echo "reports: $(grep -rl marker- state)"
echo "target: $(cd t001/upper && grep -rl marker- . | grep -v '^./srv/app/' | tr '\n' ' ')"
echo "memory: $(fleet_on t001 sh -c 'grep -rl marker- /run /dev/shm /tmp/rhost* 2>/dev/null' | tr '\n' ' ')"
grep 'web: \|^web ' output | head -40
END
    status_is 0
    says 'status 4, '
    says 'marker-option' # in the file that the site writes
    says 'marker-attribute'
    says 'web failed 4 changed, 1 failed'
    for where in 'said: 0' 'processes: marker-control' 'reports: ' 'target: ' 'memory: '; do
        grep -qx "$where" <<<"$output" || {
            echo "not '$where':"
            echo "$output"
            return 1
        }
    done
}

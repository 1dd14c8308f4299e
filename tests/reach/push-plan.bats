#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Plans of other machines: made there, kept here, and applied there exactly, or refused.
source "${abs_top_srcdir:-$BATS_TEST_DIRNAME/../..}/tests/reach/push.bash"

setup() {
    push_open
    mkdir site/files
    echo text >site/files/x
    site <<END
resources:
  - file: $work/out
    content: one
  - file: $work/copy
    source: files/x
END
}

# Two targets with attributes, which are this machine.
two() {
    targets <<END
targets:
  one: {connect: 'local:', attributes: {what: {name: first}}}
  two: {connect: 'local:'}
groups:
  web: {targets: [one, two], attributes: {what: {port: 80}}}
END
}

@test "plans are made on the targets, reviewed here, and applied there" {
    run push local: -- plan -o plans site/site.yaml
    status_is 2
    says "local: changed 2 would change"
    says "1 plan in 'plans'"
    [ ! -e out ]
    is "$(stat -c %a plans plans/*)" "700
600
600"
    run "$abs_top_builddir/rhost" show plans/local_-*.plan
    status_is 0
    says "file[$work/out]"
    says '2 would change'
    run push local: -- apply plans
    status_is 0
    says 'local: changed 2 changed'
    is "$(cat out)" one
    is "$(cat copy)" text
    run "$work/remote" show last
    status_is 0
    says 'local_-'
    nothing_is_left
    run push local: -- apply plans
    status_is 1
    says 'does not fit any more; nothing was changed'
    says "file[$work/out]"
    run push local: -- plan --output=plans site/site.yaml
    status_is 0
    run push local: plans
    status_is 1
    says 'no manifest given'
    run push local: ./plans
    status_is 0
    says 'local: ok 2 ok'
}

@test "a plan that does not fit is refused, with the difference" {
    push local: -- plan -o plans site/site.yaml || is "$?" 2
    echo other >site/files/x
    run push local: -- apply plans
    status_is 1
    says 'local: refused'
    says 'files/x'
    [ ! -e copy ]
    echo text >site/files/x
    echo 0123456789 >out
    run push local: -- apply plans
    status_is 1
    says "file[$work/out]"
    is "$(cat out)" 0123456789
    rm out
    run push local: -- apply plans --max-age=1s --noop
    [ "$status" -eq 0 ] || says 'it is too old'
    run push local: -- apply plans --environment=other
    status_is 1
    [ ! -e out ]
    run push local: -- apply plans
    status_is 0
    is "$(cat out)" one
}

@test "each target has a plan of its own, with its attributes" {
    two
    site <<END
resources:
  - file: $work/\${node.what.name or "second"}
    content: port \${node.what.port}
END
    run push --jobs=1 --targets targets.yaml web -- plan -o plans site/site.yaml
    status_is 2
    says "2 plans in 'plans'"
    is "$(ls plans)" "one.plan
plans.json
two.plan"
    is "$(stat -c '%a %n' plans plans/*)" "700 plans
600 plans/one.plan
600 plans/plans.json
600 plans/two.plan"
    sed -i 's/port: 80/port: 81/' targets.yaml
    run push --targets targets.yaml one -- apply plans
    status_is 1
    says 'targets/web/targets.yaml'
    sed -i 's/port: 81/port: 80/' targets.yaml
    rm plans/two.plan
    cd site
    run push --targets "$work/targets.yaml" --format=json web -- apply "$work/plans"
    cd ..
    status_is 4
    says "no plan of this target is in '$work/plans'"
    is "$(cat first)" 'port 80'
    [ ! -e second ]
    sed -i '/^groups/,$d' targets.yaml
    run push --targets targets.yaml one -- apply plans
    status_is 1
    says 'this target has attributes of other groups than when the plan was made'
}

@test "secrets are sent again, and compared" {
    mkdir site/secrets
    echo placeholder >site/secrets/word
    site <<END
resources:
  - file: $work/out
    content: \${secret_file("secrets/word")}
END
    echo marker-of-a-secret >word
    run push --secret word=word local: -- plan -o plans site/site.yaml
    status_is 2
    not grep -rq marker-of-a-secret plans state target-state
    run push local: -- apply plans
    status_is 1
    [ ! -e out ]
    cd site
    run push --secret word=../word local: -- apply ../plans
    cd ..
    status_is 0
    is "$(cat out)" marker-of-a-secret
}

@test "a plan that was edited, or is of another machine, is refused" {
    push local: -- plan -o plans site/site.yaml || is "$?" 2
    cp plans/local_-*.plan good
    sed -i 's/"status": "would_change"/"status": "unchanged"/' plans/local_-*.plan
    run push local: -- apply plans
    status_is 1
    says 'it was changed after it was made'
    cp good plans/local_-*.plan
    mv target-state other-state
    run push local: -- apply plans
    status_is 1
    [ ! -e out ]
    rm -r target-state
    mv other-state target-state
    for text in '{' '{"rhost_plan": 1}' '[]' "$(sed 's,"directory": "/[^"]*","directory": "/etc/site",' good)"; do
        printf '%s' "$text" >plans/local_-*.plan
        run push local: -- apply plans
        status_is 1
        [ ! -e out ]
    done
    says "a site cannot be kept in '/etc', where the plan was made"
    ln -sf "$work/good" plans/local_-*.plan
    run push local: -- apply plans
    status_is 1
}

@test "mistakes with plans are refused before any target is reached" {
    run push local: -- plan site/site.yaml
    status_is 1
    says 'no directory given for the plans'
    run push local: -- plan -o plans
    says 'no manifest given to be planned'
    mkdir plans
    echo mine >plans/file
    run push local: -- plan -o plans site/site.yaml
    status_is 1
    says "cannot write plans to 'plans': it is not empty, and lacks 'plans.json'"
    is "$(cat plans/file)" mine
    rm plans/file
    push local: -- plan -o plans site/site.yaml || is "$?" 2
    run push local: -- apply plans site/site.yaml
    status_is 1
    says "'plans' has plans: apply it alone"
    run push local: plans/ site/site.yaml
    status_is 1
    says "'plans/' has plans: apply it alone"
    mv site elsewhere
    run push local: -- apply plans
    status_is 1
    says "cannot open 'site/site.yaml': No such file or directory"
    mv elsewhere site
    chmod 777 plans
    run push local: -- apply plans
    status_is 1
    says 'everybody can write to it'
    [ ! -e out ]
}

@test "a target that sends no plan, or nonsense, has none" {
    mkdir plans
    cat >remote <<'END'
#!/usr/bin/env python3
import json, sys
def frame(kind, content):
    sys.stdout.buffer.write(kind + len(content).to_bytes(4, 'big') + content)
sys.stdout.write('\nRHOST-RECEIVE %s\n' % sys.argv[2])
sys.stdout.flush()
frame(b'h', json.dumps({'protocol': 1, 'host': 'x'}).encode())
text = open(sys.argv[0] + '.plan', 'rb').read()
if text:
    frame(b'k', text)
frame(b'x', b'{"status": 2}')
sys.stdout.flush()
sys.stdin.buffer.read()
END
    for text in '' '{"rhost_plan": 1}' nonsense "$(printf '[%.0s' $(seq 70))"; do
        printf '%s' "$text" >remote.plan
        run push local: -- plan -o plans site/site.yaml
        status_is 4
        is "$(ls plans)" plans.json
    done
    : >remote.plan
    run push local: -- plan -o plans site/site.yaml
    says 'local: failed the target sent no plan'
}

#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Roles and environments: files that a manifest names, beside it.
source "${abs_top_srcdir:-$BATS_TEST_DIRNAME/../..}/tests/cli/cli.bash"

# The merged attribute at a path, for these files and options.
attribute_is() {
    local path=$1 wanted=$2
    shift 2
    rhost node "$path" --format=json "$@" >node.json || return
    json_is node.json d "$wanted"
}

# The titles of the action list of these files.
order_is() {
    local wanted=$1
    shift
    rhost compile "$@" >catalog.json || return
    json_is catalog.json '" ".join(a["resource"][4:-1] for a in d["list"])' "$wanted"
}

# A site with two roles in each other and two environments.
site() {
    mkdir -p roles environments
    manifest roles/base.yaml <<END
desc: What every machine has.
default: {web: {port: 1, base: true}}
resources:
  - log: base
END
    manifest roles/web.yaml <<END
desc: Serves pages.
roles: [base]
default: {web: {port: 80}}
override: {web: {debug: false}}
include: ../common/tls.yaml
resources:
  - log: web
END
    manifest roles/db.yaml <<END
default: {db: {port: 5432}}
resources:
  - log: db
END
    mkdir -p common
    manifest common/tls.yaml <<END
resources:
  - log: tls
END
    manifest environments/production.yaml <<END
desc: What customers see.
default: {web: {port: 8080, workers: 8}}
override: {web: {debug: true, greeting: hello}}
END
    manifest environments/testing.yaml <<END
default: {web: {workers: 1}}
END
    manifest <<END
${1-roles: [web, db]
environment: production
}
attributes:
  default: {web: {port: 3, host: a}}
resources:
  - log: site
END
}

@test "entries of roles come before those of the manifest, what a role names first" {
    needs_python
    site
    order_is 'base tls web db site' site.yaml
    site 'roles: db'
    order_is 'db site' site.yaml
    site 'roles:'
    order_is 'site' site.yaml
}

@test "a role counts once, however it is named" {
    needs_python
    site 'roles: [base, web, base, db]'
    order_is 'base tls web db site' site.yaml
    site 'roles: [db]'
    printf '  - include: [roles/db.yaml, roles/web.yaml]\n' >>site.yaml
    order_is 'db site base tls web' site.yaml
    attribute_is web.port 80 site.yaml
}

@test "attributes of roles and environments land on their levels" {
    needs_python
    site

    attribute_is web.port 80 site.yaml
    attribute_is web.workers 8 site.yaml
    attribute_is web.debug True site.yaml
    attribute_is web.base True site.yaml
    for level in env_default:8080 role_default:80 default:3; do
        rhost node web.port --level "${level%:*}" site.yaml >out
        [ "$(cat out)" = "${level#*:}" ]
    done
}

@test "the last role wins on one level, and lists of roles are joined" {
    needs_python
    site
    printf 'default: {x: {port: 2, open: [2, 3]}}\n' >roles/b.yaml
    printf 'roles: [b]\ndefault: {x: {port: 1, open: [1, 2]}}\n' >roles/a.yaml
    printf 'roles: [a]\n' >site.yaml
    attribute_is x.port 1 site.yaml
    attribute_is x.open '[2, 3, 1]' site.yaml
    printf 'roles: [a, c]\n' >site.yaml
    printf 'default: {x: {port: 9, open: 7}}\n' >roles/c.yaml
    attribute_is x.port 9 site.yaml
    attribute_is x.open 7 site.yaml
}

@test "the command line adds roles, and its environment is the one" {
    needs_python
    site
    order_is 'base tls web db site' --role=base site.yaml
    site ''
    order_is 'db base site' --role=db --role=base site.yaml
    attribute_is db.port 5432 --role db site.yaml
    site
    attribute_is web.workers 1 --environment=testing site.yaml
    # Whatever the manifests say, be it wrong.
    site 'environment: nowhere'
    attribute_is web.workers 1 --environment=testing site.yaml
}

@test "roles and environments may be JSON, and end in .yml" {
    needs_python
    site 'roles: [j]
environment: y'
    printf '{"default": {"x": 1}, "resources": [{"log": "j"}]}' >roles/j.json
    printf 'default: {y: 1}\n' >environments/y.yml
    order_is 'j site' site.yaml
    attribute_is x 1 site.yaml
    attribute_is y 1 site.yaml
}

@test "two environments are refused with both places" {
    site
    printf 'environment: testing\n' >other.yaml
    run rhost validate site.yaml other.yaml
    status_is 1
    says 'other.yaml:1:14: error: two environments are set: a machine can have only one'
    says 'site.yaml:2:14: the other environment'
    says 'choose one of them with --environment=NAME'
    printf 'environment: production\n' >other.yaml
    run rhost validate site.yaml other.yaml
    status_is 0
    printf 'environment: testing\n' >other.yaml
    run rhost validate --environment=production site.yaml other.yaml
    status_is 0
}

@test "a role that is not there is asked for by its name, with the others in mind" {
    site 'roles: [wbe, x]
environment: prod'
    run rhost validate site.yaml
    status_is 1
    says "site.yaml:1:9: error: unknown role 'wbe': looked for 'roles/wbe.yaml'"
    says "did you mean 'web'?"
    says "site.yaml:1:14: error: unknown role 'x': looked for 'roles/x.yaml'"
    says "known names: base, db, web"
    says "site.yaml:2:14: error: unknown environment 'prod': looked for 'environments/prod.yaml'"
    says "known names: production, testing"
    says '3 errors'
    mkdir elsewhere
    cp site.yaml elsewhere
    run rhost validate elsewhere/site.yaml
    says "unknown role 'wbe': looked for 'elsewhere/roles/wbe.yaml'"
    says "role files belong in the directory 'elsewhere/roles', which has none"
    run rhost validate --role wbe --environment tsting ./elsewhere/site.yaml
    says "error: --role: unknown role 'wbe': looked for './elsewhere/roles/wbe.yaml'"
    says "error: --environment: unknown environment 'tsting'"
}

@test "only a name names a role" {
    site 'roles: [../secret, /etc/passwd, "", [a], {b: c}, .hidden, "${node.x}"]
environment: [a]'
    printf 'default: {stolen: 1}\n' >secret.yaml
    run rhost validate site.yaml
    status_is 1
    says "site.yaml:1:9: error: '../secret' is not a valid name for a role"
    says "use the name of a file in 'roles' without its ending"
    says "'/etc/passwd' is not a valid name for a role"
    says "site.yaml:1:33: error: expected the name of a role, or a list of names"
    says "'.hidden' is not a valid name for a role"
    says 'names of roles and environments cannot contain expressions'
    says 'site.yaml:2:14: error: expected the name of an environment'
    says '8 errors'
    ln -s ../../secret.yaml roles/link.yaml
    mkdir ../out && mv secret.yaml ..
    site 'roles: [link]'
    run rhost validate site.yaml
    status_is 1
    says '--allow-outside allows it'
}

@test "roles within themselves are shown with their lines" {
    site 'roles: [a]'
    printf 'desc: x\nroles: [b]\n' >roles/a.yaml
    printf 'roles:\n  - base\n  - c\n' >roles/b.yaml
    printf 'roles: a\n' >roles/c.yaml
    run rhost validate site.yaml
    status_is 1
    says "roles/c.yaml:1:8: error: role 'a' includes itself: roles/a.yaml:2 names roles/b.yaml, roles/b.yaml:3 names roles/c.yaml, roles/c.yaml:1 names roles/a.yaml"
    says '1 error'
}

@test "what a role or an environment has is checked" {
    site
    manifest roles/web.yaml <<END
descr: x
attributes: {default: {}}
env_default: {}
default: [a]
resources: {log: x}
foo: bar
END
    manifest environments/production.yaml <<END
resources: []
roles: [x]
overide: {}
END
    run rhost validate site.yaml
    status_is 1
    says "roles/web.yaml:1:1: error: unknown key 'descr' in a role"
    says "did you mean 'desc'?"
    says "roles/web.yaml:2:1: error: unknown key 'attributes' in a role"
    says "write its attributes under 'default:' and 'override:'"
    says "roles/web.yaml:3:1: error: unknown key 'env_default' in a role"
    says "roles/web.yaml:4:10: error: 'default' must be a hash of attributes, not a list"
    says "roles/web.yaml:5:12: error: 'resources' must be a list of entries, not a hash"
    says "roles/web.yaml:6:1: error: unknown key 'foo' in a role"
    says 'it has: desc, default, override, sensitive, roles, include, defaults, resources'
    says "environments/production.yaml:1:1: error: 'resources' cannot be used in an environment"
    says "environments/production.yaml:2:1: error: 'roles' cannot be used in an environment"
    says "environments/production.yaml:3:1: error: unknown key 'overide' in an environment"
    says "did you mean 'override'?"
    says '9 errors'
    printf -- '- a\n' >roles/web.yaml
    printf 'default: {}\n' >environments/production.yaml
    run rhost validate site.yaml
    says 'roles/web.yaml:1:1: error: a role must be a hash, not a list'
    says '1 error'
    : >roles/web.yaml
    run rhost validate site.yaml
    status_is 0
}

@test "levels at the top of a manifest are not taken for a role's" {
    printf 'default: {web: 1}\nresources: []\n' >site.yaml
    run rhost validate site.yaml
    status_is 1
    says "site.yaml:1:1: error: unknown key 'default' at the top level of a manifest"
    says "write levels under 'attributes:'"
}

@test "roles that name each other too deeply are refused, with the place" {
    mkdir roles
    for i in {1..60}; do
        printf 'roles: [r%d]\nresources: [{log: role %d}]\n' $((i + 1)) "$i" >"roles/r$i.yaml"
    done
    echo 'resources: [{log: the last}]' >roles/r61.yaml
    echo 'roles: [r1]' >site.yaml
    run rhost validate site.yaml
    status_is 1
    says "roles/r49.yaml:1:9: error: roles are nested more than 50 deep"
    says "1 error; nothing was changed"
}

@test "node.environment and node.roles are the names of what is chosen" {
    needs_python
    site
    attribute_is environment "production" site.yaml
    attribute_is environment "testing" --environment testing site.yaml
    attribute_is roles "['base', 'web', 'db']" site.yaml
    site ''
    attribute_is environment None site.yaml
    attribute_is roles "[]" site.yaml
    attribute_is roles "['base', 'web']" --role web site.yaml
}

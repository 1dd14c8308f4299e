#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
source "${abs_top_srcdir:-$BATS_TEST_DIRNAME/../..}/tests/cli/cli.bash"

# Validates the manifest on standard input, and expects exactly this on standard error.
refused_with() {
    cat >site.yaml
    split rhost validate site.yaml
    status_is 1
    is_empty out
    cat >expected
    [ -z "${1-}" ] || printf '%s\n' "$1" >expected
    diff -u expected <(without_codes <err)
}

@test "no provider gets a resource with a mistake in a value" {
    cat >site.yaml <<END
resources:
  - host: db1
    ip: 10.0.0.1
    target: $PWD/hosts
    host_aliases: ["\${node.nosuch.x}"]
END
    for RHOST_ISOLATION in confined none; do
        run rhost validate --isolation=$RHOST_ISOLATION site.yaml
        status_is 1
        says "site.yaml:5:"
        says '1 error; nothing was changed'
        says_not crashed
    done
}

@test "what providers refuse is found with everything else, and before anything is touched" {
    cat >site.yaml <<END
resources:
  - file: $PWD/made
    content: x
  - host: db1
    ip: 10.0.0
    target: $PWD/hosts
  - mount: /srv/../data
    device: /dev/sda1
    fstype: ext4
    fstab: $PWD/fstab
  - host: db2
    ip: 10.0.0.300
    target: $PWD/hosts
  - host: db3
    ipp: 10.0.0.3
  - file: $PWD/last
    content: x
    require: file[/none]
END
    run rhost validate site.yaml
    status_is 1
    says "site.yaml:5:9: error: host[db1]: ip: '10.0.0' is not an address of IPv4 or IPv6"
    says "site.yaml:7:5: error: mount[/srv/../data]: name: '/srv/../data' has '.' or '..' in it"
    says "site.yaml:12:9: error: host[db2]: ip: '10.0.0.300' is not an address of IPv4 or IPv6"
    says "site.yaml:15:5: error: unknown attribute 'ipp' for type 'host'"
    says "5 errors"
    run rhost apply site.yaml
    status_is 1
    says "5 errors; nothing was changed"
    [ ! -e made ]
}

@test "a manifest without errors is counted" {
    manifest <<'END'
resources:
  - file: [/srv/a, /srv/b]
    content: a
END
    run rhost validate site.yaml
    status_is 0
    [ "$output" = '2 resources, no errors' ]
    run rhost validate --quiet site.yaml
    status_is 0
    [ -z "$output" ]
}

@test "an unknown type" {
    refused_with "site.yaml:2:5: error: unknown type 'fiel'
     2 |   - fiel: /srv/a
       |     ^
       = did you mean 'file'?
1 error; nothing was changed" <<'END'
resources:
  - fiel: /srv/a
END
}

@test "a type whose plugin is not installed" {
    mkdir plugins
    cp "$abs_top_builddir"/plugins/.libs/{file,link,user}.so plugins/
    cat >site.yaml <<'END'
resources:
  - line: a
    path: /etc/environment
  - cron: nightly
    user: root
  - systemd_unit: a.service
  - zebra_stripe: x
  - usr: bob
END
    run "$abs_top_builddir/core/rhost" validate --no-installed-plugins --state-dir state --plugin-dir "$work/plugins" site.yaml
    status_is 1
    says "site.yaml:2:5: error: unknown type 'line'"
    says "the package that has it provides 'rhost-type-line'"
    says "site.yaml:4:5: error: unknown type 'cron'"
    says "the package that has it provides 'rhost-type-cron'"
    says "site.yaml:6:5: error: unknown type 'systemd_unit'"
    says "the package that has it provides 'rhost-type-systemd-unit'"
    says "site.yaml:7:5: error: unknown type 'zebra_stripe'"
    says "a package that has it provides 'rhost-type-zebra-stripe'"
    says "did you mean 'user'?"
    says "5 errors"
}

@test "an unknown type is blamed, and not what goes with it" {
    cat >site.yaml <<'END'
resources:
  - logrotate: syslog
    logs: [/var/log/syslog]
  - queue: laser
    device: /dev/null
  - tarball: home
    user: root
  - ownr: root
    file: /etc/motd
  - mode: 0644
    fiel: /etc/issue
END
    run rhost validate site.yaml
    status_is 1
    says "site.yaml:2:5: error: unknown type 'logrotate'"
    says "site.yaml:4:5: error: unknown type 'queue'"
    says "site.yaml:6:5: error: unknown type 'tarball'"
    says "site.yaml:8:5: error: unknown attribute 'ownr' for type 'file'"
    says "did you mean 'owner'?"
    says "site.yaml:11:5: error: unknown type 'fiel'"
    says "did you mean 'file'?"
    says "5 errors"
}

@test "an unknown attribute" {
    refused_with "site.yaml:3:5: error: unknown attribute 'contnet' for type 'file'
     3 |     contnet: a
       |     ^
       = did you mean 'content'?
1 error; nothing was changed" <<'END'
resources:
  - file: /srv/a
    contnet: a
END
}

@test "a value of the wrong type" {
    refused_with "site.yaml:3:14: error: file[/srv/a].replace expects a Boolean value, got String
     3 |     replace: no
       |              ^
       = write false (without quotes)
1 error; nothing was changed" <<'END'
resources:
  - file: /srv/a
    replace: no
END
}

@test "a word that is none of those that may stand there" {
    refused_with "site.yaml:3:12: error: log[a].level expects a match for Enum['debug', 'err', 'info', 'notice', 'warning'], got 'ntoice'
     3 |     level: ntoice
       |            ^
       = did you mean 'notice'?
1 error; nothing was changed" <<'END'
resources:
  - log: a
    level: ntoice
END
}

@test "an attribute that is only for reading" {
    refused_with "site.yaml:3:5: error: attribute 'checksum' of 'file' is read-only
     3 |     checksum: abc
       |     ^
       = the provider only reports it; remove it
1 error; nothing was changed" <<'END'
resources:
  - file: /srv/a
    checksum: abc
END
}

@test "one resource declared twice" {
    refused_with "site.yaml:3:5: error: file[/srv/a] is declared twice
     3 |   - file: /srv/a
       |     ^
       = a resource is declared once; '- edit: ...' changes the first, '- trigger: ...' runs its actions again
site.yaml:2:5: first declared here
     2 |   - file: /srv/a
       |     ^
1 error; nothing was changed" <<'END'
resources:
  - file: /srv/a
  - file: /srv/a
END
}

@test "one resource declared twice, under two spellings of its name" {
    manifest <<'END'
resources:
  - file: /srv/a
  - file: /srv//a/
END
    run rhost validate site.yaml
    status_is 1
    says 'site.yaml:3:5: error:'
    says 'site.yaml:2:5:'
}

@test "a relation to what is not there" {
    refused_with "site.yaml:3:14: error: log[a]: require names log[b], which is not in the manifest
     3 |     require: log[b]
       |              ^
1 error; nothing was changed" <<'END'
resources:
  - log: a
    require: log[b]
END
}

@test "a reference in capitals" {
    refused_with "site.yaml:3:14: error: 'File[/srv/a]' is not a reference
     3 |     require: File[/srv/a]
       |              ^
       = write types in lower case: file[/srv/a]
1 error; nothing was changed" <<'END'
resources:
  - log: a
    require: File[/srv/a]
END
}

@test "resources that wait for each other" {
    refused_with "site.yaml:2:5: error: resources depend on each other in a cycle:
  log[a] must come before log[b] (require, site.yaml:5)
  log[b] must come before log[a] (require, site.yaml:3)
     2 |   - log: a
       |     ^
       = remove one of these relations
1 error; nothing was changed" <<'END'
resources:
  - log: a
    require: log[b]
  - log: b
    require: log[a]
END
}

@test "a key that stands twice" {
    refused_with "site.yaml:4:5: error: duplicate key 'content'
     4 |     content: b
       |     ^
       = remove one of them
site.yaml:3:5: first defined here
     3 |     content: a
       |     ^
1 error; nothing was changed" <<'END'
resources:
  - file: /srv/a
    content: a
    content: b
END
}

@test "a tab" {
    printf 'resources:\n  - log: a\n\tmessage: x\n' >tab
    refused_with "site.yaml:3:1: error: YAML does not allow tabs for indentation
     3 | \\tmessage: x
       | ^
       = indent with spaces
1 error; nothing was changed" <tab
}

@test "an entry without 'resources:'" {
    refused_with "site.yaml:1:1: error: unknown key 'file' at the top level of a manifest
     1 | file: /srv/a
       | ^
       = write entries in the list under 'resources:', each as '- file: ...'
1 error; nothing was changed" <<'END'
file: /srv/a
END
}

@test "a list that is none" {
    refused_with "site.yaml:2:3: error: 'resources' must be a list of entries, not a hash
     2 |   file: /srv/a
       |   ^
       = each entry starts with '- '
1 error; nothing was changed" <<'END'
resources:
  file: /srv/a
END
}

@test "an entry that lacks its colon" {
    refused_with "site.yaml:2:5: error: an entry of 'resources' must be a hash that names a type, not a string
     2 |   - file /srv/a
       |     ^
       = write it with a ':': - file: /srv/a
1 error; nothing was changed" <<'END'
resources:
  - file /srv/a
END
}

@test "all errors of all files are said at once" {
    printf 'resources:\n  - fiel: /srv/a\n  - file: /srv/b\n    mdoe: 0644\n' >a.yaml
    printf 'resources: [\n' >b.yaml
    printf 'resources:\n  - log: c\n    levle: info\n' >c.yaml
    run rhost validate a.yaml b.yaml missing.yaml c.yaml
    status_is 1
    says 'a.yaml:2:5: error:'
    says 'a.yaml:4:5: error:'
    says 'b.yaml:'
    says "cannot open 'missing.yaml'"
    says 'c.yaml:3:5: error:'
    says '5 errors; nothing was changed'
}

@test "a title that the type refuses" {
    manifest <<'END'
resources:
  - file: relative/path
END
    run rhost validate site.yaml
    status_is 1
    says 'site.yaml:2:5: error: the title of file[relative/path] expects a match for Pattern'
}

@test "a line with a secret is not quoted" {
    manifest <<'END'
resources:
  - file: /srv/a
    content: hunter2
    sensitive: content
    mode: [hunter3]
  - file: {content: hunter2}
END
    run rhost validate site.yaml
    status_is 1
    says_not 'content: hunter2 '
}

@test "--format=json has each error with its place and hint" {
    needs_python
    printf 'resources:\n  - fiel: /srv/a\n  - log: a\n    levle: info\n' >site.yaml
    split rhost validate --format=json site.yaml
    status_is 1
    json_is out 'sorted(d), d["valid"]' "(['errors', 'resources', 'valid'], False)"
    json_is out '[(e["message"], e["hint"]) for e in d["errors"]]' \
        "[(\"unknown type 'fiel'\", \"did you mean 'file'?\"), (\"unknown attribute 'levle' for type 'log'\", \"did you mean 'level'?\")]"
    json_is out 'd["errors"][1]["location"]' "{'file': 'site.yaml', 'line': 4, 'column': 5}"
    printf 'resources:\n  - log: a\n' >site.yaml
    rhost validate --format=json site.yaml >out
    json_is out 'd' "{'valid': True, 'resources': 1, 'errors': []}"
}

@test "the examples are valid" {
    for example in "$abs_top_srcdir"/docs/examples/*.yaml; do
        run rhost validate "$example"
        status_is 0
    done
}

@test "validating touches nothing" {
    manifest <<END
resources:
  - file: $work/one
    content: a
END
    rhost validate site.yaml
    [ ! -e one ]
}

@test "text with a NUL is refused at its place, unless the type has a Binary" {
    cat >nul.yaml <<END
resources:
  - define: conf
    parameters:
      file: Pattern[/\.conf\z/]
    resources:
      - exec: "show \${file}"
        command: [cat, "\${file}"]
  - conf: one
    file: "/etc/shadow\0.conf"
  - exec: two
    command: [echo, "a\0b"]
    environment: {A: "b\0c"}
  - link: $work/l
    target: "x\0y"
  - cron: three
    user: root
    command: "true\0; false"
  - file: $work/data
    content: "a\0b"
END
    run rhost apply nul.yaml
    status_is 1
    says 'nul.yaml:9:11: error: conf[one].file must not contain a NUL character: its type is not Binary'
    says 'nul.yaml:11:21: error: exec[two].command must not'
    says 'nul.yaml:12:22: error: exec[two].environment must not'
    says "nul.yaml:14:13: error: link[$work/l].target must not"
    says 'nul.yaml:17:14: error: cron[three].command must not'
    says '5 errors; nothing was changed'
    cat >recipe.yaml <<END
resources:
  - exec: "\${'a' .. 'b'}"
    command: [echo, "\${'a\\0b'}"]
END
    run rhost apply recipe.yaml
    status_is 1
    says 'exec[ab].command must not contain a NUL character'
    rhost apply /dev/stdin <<<"resources: [{file: $work/data, content: \"a\\0b\"}]"
    [ "$(od -An -tx1 data | xargs)" = '61 00 62' ]
}

@test "of two spellings of one name the later one is called the second" {
    manifest <<'END'
resources:
  - file: /tmp/x
  - file: /tmp//x/
END
    run rhost validate site.yaml
    status_is 1
    says "site.yaml:3:5: error: file[/tmp//x/] is declared twice, the first as file[/tmp/x]"
    says "site.yaml:2:5: first declared here"
}

@test "secrets that are not here have placeholders where that is asked for" {
    manifest <<'END'
attributes:
  default: {db: {password: '${secret_env("RHOST_NOT_SET")}'}}
resources:
  - file: /tmp/x
    content: ${secret_file("/nonexistent/a")}
    mode: 0600
  - file: /tmp/y
    content: "x ${secret_file('nope')} ${node.db.password}"
  - exec: ["true"]
    timeout: ${tonumber(credential("db"))}
    environment: {A: '${decrypt("x.cred")}'}
END
    cat >recipe.lua <<'END'
file("/tmp/z") { content = secret_file("/nonexistent/b") .. secret_env("RHOST_NOT_SET") .. credential("c") }
END
    run rhost validate site.yaml recipe.lua
    status_is 1
    says '6 errors'
    run rhost validate --placeholder-secrets site.yaml recipe.lua
    status_is 0
    says '4 resources, no errors'
    run rhost apply --placeholder-secrets site.yaml
    status_is 1
    says "unknown option '--placeholder-secrets'"
    # What is wrong with the rest is still found, and secrets that exist are read.
    sed -i 's/mode/mdoe/' site.yaml
    run rhost validate --placeholder-secrets site.yaml
    status_is 1
    says "unknown attribute 'mdoe'"
    printf hush >there
    chmod 600 there
    manifest <<END
resources:
  - link: /tmp/x
    force: \${secret_file("$work/there")}
END
    run rhost validate --placeholder-secrets site.yaml
    status_is 1
}

#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Types made of resources.
source "${abs_top_srcdir:-$BATS_TEST_DIRNAME/../..}/tests/cli/cli.bash"

# A definition with a file, its directory, and a command that only runs when it is refreshed.
site() {
    manifest <<END
resources:
  - define: site
    desc: A page and its directory.
    parameters:
      text: String
      mode: {type: "Pattern[/\\\\A[0-7]{4}\\\\z/]", default: "0644"}
      lines: {type: "Array[String]", default: []}
    resources:
      - directory: "$work/\${title}"
      - file: "$work/\${title}/page"
        content: "\${text}, \$\${literal}\n"
        mode: \${mode}
      - exec: "reload \${title}"
        command: [sh, -c, "echo reload \${name} >> $work/log"]
        action: nothing
$(cat)
END
}

@test "an instance is its resources, with its parameters filled in" {
    site <<END
  - site: one
    text: hello
  - site: [two, three]
    text: "\$\${other}"
    mode: "0600"
END
    run rhost apply site.yaml
    status_is 0
    [ "$(cat one/page)" = 'hello, ${literal}' ]
    [ "$(cat three/page)" = '${other}, ${literal}' ]
    [ "$(stat -c %a one/page two/page | xargs)" = '644 600' ]
    run rhost apply --detailed-exitcodes site.yaml
    status_is 0
    says '9 resources: 9 ok'
}

@test "it changes when one of its resources does, and says so" {
    site <<END
  - site: one
    text: a
END
    run rhost apply site.yaml
    says 'site[one]'
    says 'changed: 2 of its 3 resources'
    rm one/page
    run rhost apply -n site.yaml
    says 'would change: 1 of its 3 resources'
    run rhost apply site.yaml
    says 'changed: 1 of its 3 resources'
    run rhost apply -v site.yaml
    says 'site[one] site.yaml:16 unchanged'
    says_not 'changed:'
}

@test "its resources are executed at its place, and relations to it are to all of them" {
    site <<END
  - exec: after
    command: [sh, -c, "test -e $work/one/page"]
    require: site[one]
  - site: one
    text: a
    require: exec[before]
  - exec: before
    command: [sh, -c, "test ! -e $work/one"]
END
    run rhost apply site.yaml
    status_is 0
}

@test "a failure inside stops what depends on the instance" {
    echo 'in the way of the directory' >one
    site <<END
  - site: one
    text: a
  - file: $work/dependant
    content: b
    require: site[one]
END
    run rhost apply site.yaml
    status_is 4
    says "directory[$work/one]"
    says 'site[one]'
    [ ! -e dependant ]
}

@test "who notifies an instance refreshes what can be refreshed in it" {
    site <<END
  - file: $work/conf
    content: x
    notify: site[one]
  - site: one
    text: a
END
    run rhost apply site.yaml
    status_is 0
    [ "$(cat log)" = 'reload one' ]
    run rhost apply site.yaml
    status_is 0
    [ "$(cat log)" = 'reload one' ]
}

@test "an instance notifies when it changed" {
    site <<END
  - exec: told
    command: [sh, -c, "echo told >> $work/log"]
    action: nothing
  - site: one
    text: a
    notify: exec[told]
END
    run rhost apply site.yaml
    status_is 0
    [ "$(cat log)" = told ]
    run rhost apply site.yaml
    status_is 0
    [ "$(cat log)" = told ]
}

@test "what is inside may notify what is outside" {
    manifest <<END
resources:
  - define: page
    resources:
      - file: "$work/\${title}"
        content: x
        notifies: [run, "exec[told]"]
  - page: p
  - exec: told
    command: [touch, $work/told]
    action: nothing
END
    run rhost apply site.yaml
    status_is 0
    [ -e told ]
}

@test "the guard of an instance is asked once, before any of its resources" {
    site <<END
  - site: one
    text: a
    not_if: [test, -e, $work/one]
END
    run rhost apply site.yaml
    status_is 0
    [ -e one/page ]
    rm one/page
    run rhost apply -v site.yaml
    status_is 0
    says 'not applied: not_if'
    [ ! -e one/page ]
}

@test "noop on an instance holds for its resources" {
    site <<END
  - site: one
    text: a
    noop: true
END
    run rhost apply site.yaml
    status_is 0
    says 'would change'
    [ ! -e one ]
}

@test "definitions may use each other, wherever they stand" {
    site <<END
  - outer: x
  - define: outer
    resources:
      - site: "\${title}-inner"
        text: from outer
END
    run rhost apply site.yaml
    status_is 0
    [ "$(cat x-inner/page)" = 'from outer, ${literal}' ]
    says 'outer[x]'
}

@test "one that contains itself is refused" {
    manifest <<END
resources:
  - define: a
    resources:
      - a: "\${title}x"
  - a: x
END
    run rhost validate site.yaml
    status_is 1
    says 'more than 50 deep'
}

@test "parameters are held against their types" {
    site <<END
  - site: one
    text: a
    mode: rw
  - site: two
  - site: three
    text: a
    port: 1
END
    run rhost validate site.yaml
    status_is 1
    says 'mode'
    says "site[two] needs the parameter 'text'"
    says "unknown attribute 'port' for type 'site'"
    says '3 errors'
}

@test "what is wrong in a definition is said with its place" {
    manifest <<END
resources:
  - define: a
    parameters: {x: Strin}
  - define: file
  - define: b
    parmeters: {}
  - define: c
    resources:
      - file: "/srv/\${titel}"
  - c: x
  - define: Bad Name
  - define: d
    parameters: {require: String}
END
    run rhost validate site.yaml
    status_is 1
    says 'site.yaml:3:'
    says "'file' already exists, as a type of a plugin"
    says "did you mean 'parameters'?"
    says "unknown name 'titel'"
    says "did you mean 'title'?"
    says 'this is not a valid name for a definition'
    says "'require' is reserved and cannot be a parameter"
}

@test "a secret parameter stays one in every text it goes into" {
    manifest <<END
resources:
  - define: secretive
    parameters: {password: "Sensitive[String]"}
    resources:
      - file: "$work/\${title}"
        content: "password=\${password}\n"
  - secretive: s
    password: hunter2
END
    run rhost apply --diff -v site.yaml
    status_is 0
    says_not hunter2
    [ "$(cat s)" = 'password=hunter2' ]
    run rhost compile site.yaml
    says_not hunter2
}

@test "a compiled catalog has the instances and what is part of them" {
    site <<END
  - file: $work/conf
    content: x
    notify: site[one]
  - site: one
    text: a
END
    rhost compile site.yaml >catalog.json
    run rhost apply catalog.json
    status_is 0
    says 'changed: 2 of its 3 resources'
    [ "$(cat log)" = 'reload one' ]
    run rhost apply --only='site[one]' site.yaml
    status_is 0
    says '3 resources: 3 ok'
}

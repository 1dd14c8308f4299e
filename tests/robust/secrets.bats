#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# A secret passes through every feature, told by a plugin that cannot keep it, and is looked for in all
# that can be seen of the run: see secret-run.
source "${abs_top_srcdir:-$BATS_TEST_DIRNAME/../..}/tests/lib.bash"
source "$abs_top_srcdir/tests/robust/secrets.bash"

# What is not secret is found: the search does search.
@test "what is marked nowhere is found, in each place" {
    run_with --seen --gossip 'create fail' apply -v -v --report report.json <<'END'
resources:
  - gossip: newbad
    value: @SECRET@
END
}

# All kinds of secrets, or those named here; what is changed in a test is changed for that test.
kinds=

# The logging context.

@test "logged at every level, encoded in every way: in update" {
    hidden 'update say' '' '' '' --says '[redacted]'
}

@test "of 100 KiB, logged and the reason of a failure" {
    for how in 'update say' 'update fail' 'load other'; do
        typed | run_with --only large --gossip "$how" --says '[redacted]' apply -v -v --diff --report r.json
    done
}

@test "logged in create" {
    also_hidden 'create say' '' newbad '' --says '[redacted]'
}

@test "logged in remove" {
    also_hidden 'remove say' '' '' 'ensure: absent' --says '[redacted]'
}

@test "logged in act" {
    also_hidden 'act say' '' '' 'action: poke' --says '[redacted]'
}

@test "logged in load, before and after it is reported" {
    hidden 'load say' '' '' '' --says '[redacted]'
}

@test "logged in get, before and after it is emitted" {
    also_hidden 'get say' gossip_set '' '' --says '[redacted]'
}

@test "logged in set" {
    also_hidden 'set say' gossip_set '' '' --says '[redacted]'
}

@test "logged in converge" {
    also_hidden 'converge say' gossip_converge '' '' --says '[redacted]'
}

@test "logged in canonicalize" {
    hidden 'canonicalize say' '' '' '' --says '[redacted]'
}

@test "logged in insync" {
    also_hidden 'insync say' '' '' '' --says '[redacted]'
}

@test "logged in close, when its batch has long been done" {
    also_hidden 'close say' '' '' '' --says '[redacted]'
}

@test "said to have been changed, of another attribute" {
    hidden 'update changed' '' '' '' --says '[redacted]'
}

@test "the label of a block" {
    hidden 'update scope' '' '' '' --says '[redacted]'
}

@test "said of what was done" {
    for way in did processed unchanged; do
        hidden "set $way" gossip_set
    done
}

@test "said of what has failed" {
    hidden 'set failing' gossip_set '' '' --says '[redacted]' --status 4
}

@test "the name of a stranger, and of an attribute that there is not" {
    hidden 'set stranger' gossip_set '' '' --says 'violated the ABI contract'
    hidden 'set colour' gossip_set '' '' --says 'violated the ABI contract'
}

# Failures.

@test "the reason of a failure, in every callback" {
    hidden 'update fail' '' '' '' --says '[redacted]' --status 4
    for at in load insync; do
        also_hidden "$at fail" '' '' '' --says '[redacted]' --status 4
    done
    also_hidden 'create fail' '' newbad '' --says '[redacted]' --status 4
    also_hidden 'remove fail' '' '' 'ensure: absent' --says '[redacted]' --status 4
    also_hidden 'act fail' '' '' 'action: poke' --says '[redacted]' --status 4
    also_hidden 'get fail' gossip_set '' '' --says '[redacted]' --status 4
    also_hidden 'set fail' gossip_set '' '' --says '[redacted]' --status 4
    also_hidden 'converge fail' gossip_converge '' '' --says '[redacted]' --status 4
    hidden 'canonicalize fail' '' '' '' --says '[redacted]'
}

@test "a reason that was cut" {
    hidden 'update fail cut' '' '' '' --says '[redacted]' --status 4
}

@test "the words of insync" {
    hidden 'insync explain' '' '' '' --says '[redacted]'
}

@test "what a file cannot be written to" {
    hidden 'update file' '' '' '' --says "cannot write '/nonexistent/" --status 4
}

# Readings.

@test "read into other attributes" {
    hidden 'load other' '' '' 'data: {}' --says '[redacted]'
    hidden 'get other' gossip_set '' 'data: {}' --says '[redacted]'
    hidden 'load other' '' '' 'fixed: x' --says 'it can only be set'
}

@test "reported as changed values of another attribute" {
    hidden 'set values' gossip_set '' 'data: {a: b}'
}

@test "read with a type that is wrong" {
    for strict in error warning off; do
        typed | run_with $kinds --gossip 'load wrong type' apply -v -v --strict=$strict
        typed gossip_set | run_with $kinds --gossip 'get wrong type' apply -v -v --strict=$strict
        named | run_with $kinds --in-value --gossip 'load wrong type' apply -v -v --strict=$strict
        kinds='--only plain --only lines'
    done
}

@test "read as an attribute that there is not, or not in its canonical form" {
    for strict in error warning; do
        for how in 'load unknown' 'load not canonical'; do
            typed | run_with $kinds --gossip "$how" apply -v -v --strict=$strict
            named | run_with $kinds --in-value --gossip "$how" apply -v -v --strict=$strict
        done
        kinds='--only plain --only lines'
    done
}

@test "read before an attribute that is fixed" {
    hidden 'load none' '' '' 'fixed: @SECRET@' --only plain
}

# The end of the process.

@test "a crash, and what was printed before it" {
    in_worker
    hidden 'update print crash' '' '' '' --says '[redacted]'
    for at in update load insync canonicalize close; do
        also_hidden "$at crash" '' '' '' --says 'crashed'
        [ "$at" = update ] || also_hidden "$at print crash" '' '' '' --says '[redacted]'
    done
    also_hidden 'create print crash' '' newbad '' --says '[redacted]' --status 4
    also_hidden 'get print crash' gossip_set '' '' --says '[redacted]' --status 4
    also_hidden 'set print crash' gossip_set '' '' --says '[redacted]' --status 4
    also_hidden 'converge print crash' gossip_converge '' '' --says '[redacted]' --status 4
}

@test "the end of the process, and what was printed before it" {
    in_worker
    hidden 'update exit' '' '' '' --says 'ended its process' --status 4
    hidden 'update print exit' '' '' '' --says '[redacted]' --status 4
}

@test "printed, and nothing else" {
    in_worker
    hidden 'update print' '' '' '' --says '[redacted]'
    for at in load insync canonicalize; do
        also_hidden "$at print" '' '' '' --says '[redacted]'
    done
    also_hidden 'get print' gossip_set '' '' --says '[redacted]'
}

@test "printed before it hangs" {
    in_worker
    typed | run_with --only plain --only short --gossip 'update print hang' --says '[redacted]' --status 4 \
        apply -v --time-limit=1
}

@test "a process that may hold secrets leaves no core" {
    in_worker
    typed | run_with --only plain --gossip 'update death' --says 'core limit 0, dumpable 0' apply
}

@test "inline, the host does not either" {
    not_sanitized
    typed | RHOST_ISOLATION=none run_with --only plain --gossip 'update death' --says 'dumpable 0' apply
}

# Commands that a plugin runs.

@test "in a command's arguments, which it repeats and fails" {
    hidden 'update exec args' '' '' '' --says '[redacted]' --status 4
}

@test "in a command's environment" {
    hidden 'update exec env' '' '' '' --says '[redacted]' --status 4
}

@test "in a command's input" {
    hidden 'update exec input' '' '' '' --says '[redacted]' --status 4
}

@test "the name of a command that there is not" {
    hidden 'update exec missing' '' '' '' --says '[redacted]' --status 4
}

@test "a command that takes too long" {
    typed | run_with --gossip 'update exec slow' --says '[redacted]' --status 4 apply -v -v
}

# The host's own.

@test "noop, and as it is already" {
    hidden 'load none'
    typed | run_with apply --noop -v -v --diff
    named | run_with apply --noop -v -v --diff --report report.json
}

@test "a file's content, its difference, and who validates it" {
    for options in '--diff' '--noop --diff' '--diff --format=json --report r.json'; do
        run_with apply -v -v $options <<'END'
resources:
  - file: @WORK@/one
    content: @SECRET@
    sensitive: content
  - file: @WORK@/two
    content: @SECRET@
    sensitive: content
    validate: [cat, "%", /nonexistent]
  - file: @WORK@/three
    content: @SECRET@
    sensitive: [content, validate]
    validate: [sh, -c, "cat \"$2\"; echo \"$1\"; exit 2", sh, @SECRET@, "%"]
    ensure: present
END
    done
}

@test "a file that has another secret" {
    run_with apply -v -v --diff <<'END'
resources:
  - exec: make it
    command: [sh, -c, "head -c 100 /dev/urandom | base64 > @WORK@/one"]
  - file: @WORK@/one
    content: @SECRET@
    sensitive: content
END
}

@test "commands of exec that get it, tell it and fail" {
    run_with --only plain --only short --only medium --only utf8 --status 4 apply -v -v <<'END'
resources:
  - exec: arguments
    command: [sh, -c, 'echo "$1"; echo "$1" >&2; exit 3', sh, @SECRET@]
    sensitive: command
  - exec: environment
    command: [sh, -c, 'echo "$PASSWORD"; exit 3']
    environment: {PASSWORD: @SECRET@}
    sensitive: [environment]
  - exec: list
    command: [sh, -c, 'echo "$PASSWORD"; exit 3']
    environment: ["PASSWORD=@BARE@"]
    sensitive: [environment]
  - exec: missing
    command: [@SECRET@, @SECRET@]
    sensitive: [command]
  - exec: guard
    command: ["true"]
    only_if: [sh, -c, "exit 7 # @BARE@"]
    sensitive: [only_if]
END
}

@test "entries of other types" {
    run_with --only plain --only short --only utf8 apply -v -v --noop --diff <<'END'
resources:
  - link: @WORK@/link
    target: @SECRET@
    sensitive: target
  - log: said
    message: @SECRET@
    sensitive: message
  - directory: @WORK@/dir
    owner: @SECRET@
    sensitive: owner
END
}

@test "one resource's secret, met by another provider" {
    for format in text json; do
        run_with --says '[redacted]' --status 4 apply -v -v --diff --format=$format <<'END'
resources:
  - file: @WORK@/conf
    content: @SECRET@
    sensitive: content
  - exec: show it
    command: [sh, -c, "cat @WORK@/conf; exit 3"]
  - gossip: bad
    fixed: fixed
    data: [@SECRET@]
    value: @SECRET@
  - file: @WORK@/conf2
    content: |
      password:
@INDENTED@
  - log: said
    message: @SECRET@
END
    done
}

# Manifests that are wrong.

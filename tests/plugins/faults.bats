#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# A plugin that ends its process, hangs or scribbles: its resources fail, and everything else goes on.
source "${abs_top_srcdir:-$BATS_TEST_DIRNAME/../..}/tests/lib.bash"
source "$abs_top_srcdir/tests/plugins/faults.bash"

setup() {
    [ "${RHOST_WATCHED-}" != asan ] || skip "a sanitizer catches a crash before the host can see it"
    work_open
}

@test "a crash in create fails its resource, and what comes behind in the type" {
    ends create crash "crashed: Segmentation fault, while creating fault_simple[newbad]"
}

@test "a crash in update fails its resource, and what comes behind in the type" {
    ends update crash "crashed: Segmentation fault, while updating fault_simple[bad]"
}

@test "a crash in remove fails its resource, and what comes behind in the type" {
    ends remove crash "crashed: Segmentation fault, while removing fault_simple[bad]"
}

@test "a crash in load fails its resource, and what comes behind in the type" {
    ends load crash "crashed: Segmentation fault, while reading fault_simple[bad]"
}

@test "a crash in insync fails its resource, and what comes behind in the type" {
    ends insync crash "crashed: Segmentation fault, while comparing fault_simple[bad]"
}

@test "a crash in act fails its resource, and what comes behind in the type" {
    ends act crash "crashed: Segmentation fault, while doing 'poke' to fault_simple[bad]"
}

@test "a crash in converge fails its resource, and what comes behind in the type" {
    ends converge crash "crashed: Segmentation fault, while converging fault_converge[bad]"
}

@test "a crash in get fails all resources of the type" {
    ends get crash "is unavailable in this run: it crashed: Segmentation fault, while reading"
    [ "$(grep -c "failed: provider" <<<"$output")" -eq 3 ]
}

@test "a crash in open fails all resources of the type" {
    ends open crash "is unavailable in this run: it crashed: Segmentation fault, while opening"
    [ "$(grep -c "failed: provider" <<<"$output")" -eq 3 ]
}

@test "a crash in set blames no resource that it cannot know of" {
    ends set crash "is unavailable in this run: it crashed: Segmentation fault, while setting"
    says_not "setting fault_set"
}

@test "a crash in a block of set blames the resource of that block" {
    ends set "crash in scope" "crashed: Aborted, while updating fault_set[bad]"
}

@test "a crash in close comes too late to fail anything, and is a warning" {
    [ "$RHOST_ISOLATION" != none ] || skip "inline, the host would end with it"
    passes close crash
    says "provider 'fault_simple' 1.5 crashed: Segmentation fault, while closing"
}

@test "a value that is put where it cannot be fails the call, with the rule" {
    fails update "put without key" "provider 'fault_simple' 1.5 violated the ABI contract: it put a value without a key into a hash"
    fails load "put with key" "provider 'fault_simple' 1.5 violated the ABI contract: it put a value with a key into an array"
    passes update "copy nothing"
}

@test "a crash in validate refuses the manifest, at the resource" {
    [ "$RHOST_ISOLATION" != none ] || skip "inline, the host would end with it"
    refuses validate crash "crashed: Segmentation fault, while canonicalizing"
}

@test "validate points at the part of a value, and all that it finds is reported" {
    cat >"$BATS_TEST_TMPDIR/site.yaml" <<'END'
resources:
  - fault_simple: a
    number: 1
    hint: b
    data:
      limits:
        high: 3
        low: 7
  - fault_simple: b
    ensure: absent
    number: 1
    hint: b
END
    run rhost validate --plugin-dir "$BATS_TEST_TMPDIR/plugins" --color=never "$BATS_TEST_TMPDIR/site.yaml"
    status_is 1
    says "site.yaml:8:14: error: fault_simple[a]: data.limits.low: low is above high"
    says "site.yaml:4:11: error: fault_simple[a]: hint: a number needs no hint"
    says_not "fault_simple[b]"
}

@test "a crash in canonicalize refuses the manifest, at the resource" {
    [ "$RHOST_ISOLATION" != none ] || skip "inline, the host would end with it"
    refuses canonicalize crash "crashed: Segmentation fault, while canonicalizing"
}

@test "a crash in the entry refuses the plugin, and everything else is listed" {
    [ "$RHOST_ISOLATION" != none ] || skip "types are described in a worker here"
    FAULT="entry crash" run rhost types --plugin-dir "$BATS_TEST_TMPDIR/plugins" --state-dir state
    status_is 0
    says "fault.so' is not used: it crashed: Segmentation fault, while being described"
    says "file file"
}

@test "an exit in the entry refuses the plugin, and everything else is listed" {
    FAULT="entry exit" run rhost types --plugin-dir "$BATS_TEST_TMPDIR/plugins" --state-dir state
    status_is 0
    says "fault.so' is not used: it ended its process (exit status 3), while being described"
    says "file file"
}

@test "an entry that returns nothing refuses the plugin" {
    FAULT="entry silent" run rhost types --plugin-dir "$BATS_TEST_TMPDIR/plugins" --state-dir state
    status_is 0
    says "fault.so' is not used: its entry function returned NULL"
}

@test "what befalls a plugin while it is described is not remembered" {
    [ "$RHOST_ISOLATION" != none ] || skip "types are described in a worker here"
    for how in kill crash exit silent; do
        FAULT="entry $how" run rhost types --plugin-dir "$BATS_TEST_TMPDIR/plugins" --state-dir state
        status_is 0
        says "fault.so' is not used: it"
        run rhost types --plugin-dir "$BATS_TEST_TMPDIR/plugins" --state-dir state
        status_is 0
        says_not "is not used"
        says "fault_simple fault_simple"
        rm -r state
    done
}

@test "abort() is reported as what it is" {
    ends update "abort" "crashed: Aborted, while updating fault_simple[bad]"
}

@test "a stack overflow is reported as what it is" {
    ends update "stack" "crashed: Segmentation fault, while updating fault_simple[bad]"
}

@test "a division by zero is reported as what it is" {
    ends update "divide" "crashed: Floating point exception, while updating fault_simple[bad]"
}

@test "a killed worker is reported as what it is" {
    ends update "kill" "was killed, while updating fault_simple[bad]"
}

@test "exit() is reported as what it is" {
    ends update "exit" "ended its process (exit status 3), while updating fault_simple[bad]"
}

@test "_exit(0) is reported as what it is" {
    ends update "quick exit" "ended its process (exit status 0), while updating fault_simple[bad]"
}

@test "a worker that lost its memory to garbage is reported as what it is" {
    ends update "scribble" "crashed: Segmentation fault, while updating fault_simple[bad]"
}

@test "a handle that was kept after its call ends the worker, with what it was used for" {
    ends update "old handle" "called log() with the handle of insync(), which had returned before, while updating fault_simple[bad]"
}

@test "a handle that the host never gave ends the worker" {
    ends update "own handle" "called log() with a handle that the host never gave it, while updating fault_simple[bad]"
}

@test "a call from another thread ends the worker, with the function" {
    ends update "thread" "called log() on another thread than the one that its callbacks run on, while updating fault_simple[bad]"
}

@test "a question to a value from another thread ends the worker" {
    ends update "value on a thread" "called count() on another thread than the one that its callbacks run on, while updating fault_simple[bad]"
}

@test "without a worker, a handle that was kept ends rhost with the same words" {
    [ "$RHOST_ISOLATION" != none ] || skip "this is about --isolation=none"
    RHOST_ISOLATION=none strike update "old handle"
    status_is 134
    says "fatal: a provider called log() with the handle of insync(), which had returned before"
}

@test "rhost check says how a handle was misused" {
    FAULT="get old handle" run rhost check "$BATS_TEST_TMPDIR/plugins/fault.so" --only reads
    status_is 4
    says "it called log() with the handle of open(), which had returned before, while reading"
}

@test "memory that runs out is reported as that" {
    ends update alloc "ran out of memory, while updating fault_simple[bad]" --time-limit=60
}

@test "a plugin cannot take more memory than its share" {
    ends update memory "crashed: Segmentation fault, while updating fault_simple[bad]" --time-limit=60
}

@test "a hang in load is ended when its time is up" {
    ends load hang "timed out: no response for 2 s; the worker was killed, while reading fault_simple[bad]" --time-limit=2
}

@test "a hang in update is ended when its time is up" {
    ends update hang "timed out: no response for 2 s; the worker was killed, while updating fault_simple[bad]" --time-limit=2
}

@test "a busy loop is ended when its time is up" {
    ends update spin "timed out: no response for 1 s; the worker was killed, while updating fault_simple[bad]" --time-limit=1
}

@test "output without end is ended when its time is up, and kept short" {
    ends update flood "timed out: no response for 1 s; the worker was killed, while updating fault_simple[bad]" --time-limit=1
    says "printed on a standard stream, which is not its to use: 'all work"
    [ "${#output}" -lt 10000 ]
}

@test "a log without end is ended when its time is up, and kept short" {
    ends update chatter "timed out: no response for 1 s; the worker was killed, while updating fault_simple[bad]" --time-limit=1 --verbose
    says "logged more than 4 MiB in this run; the rest is dropped"
    [ "${#output}" -lt 6000000 ]
}

@test "a hang in close is ended, and is a warning" {
    [ "$RHOST_ISOLATION" != none ] || skip "inline, the host would hang with it"
    passes close hang --time-limit=1
    says "timed out: no response for 1 s; the worker was killed, while closing"
}

@test "garbage on the channel ends the worker" {
    ends update garbage "is unavailable in this run: it sent an invalid answer and was killed"
}

@test "a question to the host that is none ends the worker" {
    ends update "empty question" "is unavailable in this run: it sent an invalid answer and was killed"
}

@test "questions without waiting for answers end the worker" {
    ends update "many questions" "is unavailable in this run: it sent an invalid answer and was killed"
}

@test "a closed channel ends the worker, and what was done before counts" {
    [ "$RHOST_ISOLATION" != none ] || skip "inline there is none"
    strike update "close channel"
    status_is 4
    says "closed its connection to rhost"
    [ -f after ]
    says "value old → new" # of the one before
}

@test "a closed channel and a hang are noticed at once" {
    ends update "close channel and hang" "closed its connection to rhost, and was killed, while updating fault_simple[bad]"
}

@test "a crash is noticed at once when a child keeps the channel open" {
    SECONDS=0
    ends update "child and crash" "crashed: Segmentation fault, while updating fault_simple[bad]" --time-limit=30
    [ "$SECONDS" -lt 20 ]
}

@test "a crash under noop fails the resource, and touches nothing" {
    [ "$RHOST_ISOLATION" != none ] || skip "inline, the host would end with it"
    strike load crash --noop
    status_is 4
    says "crashed: Segmentation fault, while reading fault_simple[bad]"
    [ ! -e before ]
}

@test "a crash while reading for a person is an error with the same words" {
    [ "$RHOST_ISOLATION" != none ] || skip "inline, the host would end with it"
    FAULT="load crash" run rhost resource --plugin-dir "$BATS_TEST_TMPDIR/plugins" fault_simple bad
    [ "$status" -ne 0 ]
    says "provider 'fault_simple' 1.5 crashed: Segmentation fault, while reading"
}

@test "the report of a run with a crash is whole" {
    [ "$RHOST_ISOLATION" != none ] || skip "inline, the host would end with it"
    strike update crash --report=report.json
    status_is 4
    grep -q "\"exit\": 4" report.json
    grep -q "crashed: Segmentation fault, while updating fault_simple\[bad\]" report.json
    tail -c 3 report.json | grep -q "}"
}

@test "a failed run owes nothing to the next one" {
    [ "$RHOST_ISOLATION" != none ] || skip "inline, the host would end with it"
    strike update crash
    status_is 4
    run rhost apply --plugin-dir "$BATS_TEST_TMPDIR/plugins" "$BATS_TEST_TMPDIR/site.yaml"
    status_is 0
    [ -f dependent ]
}

@test "a resource without a sign of life fails alone, and a new worker does the rest" {
    [ "$RHOST_ISOLATION" != none ] || skip "inline, the host would hang with it"
    for at in load update; do
        strike $at hang --time-limit=2
        goes_on $at
        says "timed out: no response for 2 s; the worker was killed, while"
        says "a new worker of provider 'fault_simple' 1.5 continues with the other resources"
        says_not "unavailable"
        says "4 changed, 1 failed, 1 skipped"
        rm -f before after
    done
}

@test "what depends on it in the same batch is skipped, and its type is used again later" {
    [ "$RHOST_ISOLATION" != none ] || skip "inline, the host would hang with it"
    cat >"$BATS_TEST_TMPDIR/site.yaml" <<END
resources:
  - fault_simple: bad
    value: new
  - fault_simple: depends
    value: new
    require: fault_simple[bad]
  - fault_simple: too
    value: new
    require: fault_simple[depends]
  - fault_simple: free
    value: new
  - file: $work/between
    content: x
  - fault_simple: later
    value: new
END
    FAULT='update hang' run rhost apply --plugin-dir "$BATS_TEST_TMPDIR/plugins" --time-limit=1 \
        --report=report.json "$BATS_TEST_TMPDIR/site.yaml"
    status_is 4
    says "6 resources: 3 changed, 1 failed, 2 skipped"
    says "skipped: depends on fault_simple[bad], which failed"
}

@test "after the third new worker the provider is unavailable" {
    [ "$RHOST_ISOLATION" != none ] || skip "inline, the host would hang with it"
    {
        echo 'resources:'
        printf '  - fault_simple: %s\n    value: new\n' 1bad 2bad 3bad 4bad five
    } >"$BATS_TEST_TMPDIR/site.yaml"
    FAULT='update hang' run rhost apply --plugin-dir "$BATS_TEST_TMPDIR/plugins" --time-limit=1 \
        "$BATS_TEST_TMPDIR/site.yaml"
    status_is 4
    is "$(grep -c 'a new worker' <<<"$output")" 3
    says "5 resources: 5 failed"
    says "provider 'fault_simple' 1.5 is unavailable in this run: it timed out"
}

@test "one message cannot switch the time limit off" {
    ends update busy "sent an invalid answer and was killed, while updating fault_simple[bad]" --time-limit=600
}

@test "the memory that a worker shares with the host cannot be cut off" {
    [ "$RHOST_ISOLATION" != none ] || skip "inline, there is none"
    passes update shrink
    says_not "was cut off"
    [ "$(id -u)" -ne 0 ] || says "the memory is sealed"
}

@test "a descriptor of who runs rhost reaches neither workers nor commands nor facts" {
    [ "$RHOST_ISOLATION" != none ] || skip "inline, it is the host's own"
    passes update descriptor 77</etc/passwd
    says_not "descriptor 77"
    mkdir -p facts.d
    printf '#!/bin/sh\nls -l /proc/self/fd >'"$work"'/facts\necho seen=1\n' >facts.d/f
    chmod 755 facts.d facts.d/f
    run rhost facts --facts-dir "$work/facts.d" seen 77</etc/passwd
    status_is 0
    run apply 77</etc/passwd <<END
resources:
  - exec: list
    command: [sh, -c, 'ls -l /proc/self/fd >$work/listed']
END
    status_is 0
    grep -q ' 0 -> ' listed
    grep -q ' 0 -> ' facts
    run grep -e ' 77 -> ' listed facts
    status_is 1
}

@test "a variable of rhost's environment reaches no worker, unless it is named" {
    [ "$RHOST_ISOLATION" != none ] || skip "inline, the environment is the host's"
    TOKEN=sesame passes update environment
    says "the token is ''"
    TOKEN=sesame RHOST_PASS_ENV="$RHOST_PASS_ENV TOK*" passes update environment
    says "the token is 'sesame'"
}

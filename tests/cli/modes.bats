#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# The mode of each file and directory that rhost makes for itself, whatever the umask is.
source "${abs_top_srcdir:-$BATS_TEST_DIRNAME/../..}/tests/lib.bash"

# What is below a directory, in order: MODE NAME. The names of journals have the time in them.
modes() {
    (cd "$1" && find . -printf '%m %P\n') | sed 's/[0-9TZ:.+-]\{15,\}[^/]*\.jsonl/RUN.jsonl/' | sort -k 2
}

@test "what a run keeps is the owner's alone, but for the descriptions of plugins" {
    for mask in 000 022 077; do
        rm -rf state report.json a during
        cat >site.yaml <<END
resources:
  - file: $work/a
    content: x
    audit: all
    notify: exec[look]
  - exec: look
    command: [sh, -c, "cd $work/state && stat -c '%a %n' lock pending.jsonl runs >$work/during"]
    action: nothing
END
        (umask $mask && rhost apply --state-dir state --report=report.json site.yaml) || return
        is "$(cat during)" '600 lock
600 pending.jsonl
700 runs'
        is "$(modes state)" "700 
600 audit.json
600 desired
600 lock
644 plugins.json
700 private
700 private/exec,exec
700 private/file,file
700 runs
600 runs/RUN.jsonl
600 sequence"
        is "$(stat -c %a report.json)" 600
    done
}

@test "what is kept of plugins can be read by others, and directories made for it be entered" {
    for mask in 000 022; do
        rm -rf deep
        (umask $mask && "${RHOST:-$abs_top_builddir/rhost}" types --state-dir deep/state >/dev/null)
        is "$(modes deep)" "755 
755 state
644 state/plugins.json"
    done
}

@test "a new plugin can be read and entered by all" {
    for mask in 000 022; do
        rm -rf deep
        (umask $mask && rhost new lamp deep/lamp)
        is "$(find deep -type d ! -perm 755 -o -type f ! -perm 644 ! -name '*.bats' ! -path '*/rules')" ''
        [ "$(find deep -type d | wc -l)" -ge 2 ]
    done
}

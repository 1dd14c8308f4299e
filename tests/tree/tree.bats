#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# A directory is an argument about dependencies: these tests are who checks it.
source "${abs_top_srcdir:-$BATS_TEST_DIRNAME/../..}/tests/lib.bash"

in_source() {
    cd "$abs_top_srcdir" || return
}

# Complaints on standard input, if any, fail the test.
none_of() {
    local text
    text=$(cat)
    [ -z "$text" ] && return
    echo "$1:"
    echo "$text"
    return 1
}

@test "an include in core points to its own room, or one below" {
    in_source
    find core -name '*.[ch]' -exec grep -H '#include "' {} + |
        awk -F '[:"]' '
            BEGIN {
                n = split("base sender:sandbox:datatype:schema:catalog node:provider:plugin:script:" \
                    "manifest/text:manifest/module:manifest/load:manifest/expression:manifest/keyword:manifest/attribute:manifest/data:" \
                    "manifest/entry:manifest/recipe:manifest:facts:run check capture module:reach:bundle collect kit graph:agent fleet:broker:cli", level, ":")
                for (i = 1; i <= n; i++) {
                    m = split(level[i], room, " ")
                    for (k = 1; k <= m; k++)
                        rank[room[k]] = i
                }
            }
            {
                from = $1
                to = $3
                sub(/\/?[^\/]*$/, "", from)
                sub(/^core\/?/, "", from)
                sub(/\/?[^\/]*$/, "", to)
                if ($3 == "config.h")
                    next
                if (!(to in rank))
                    print $1 " includes " $3 ", which is in no room"
                else if (from != "" && !(from in rank))
                    print $1 " is in a room that has no place in the order"
                else if (from != "" && rank[to] > rank[from])
                    print $1 " includes " $3 ", which is above it"
            }' | none_of "includes that point upwards"
}

# The compiler sees casts that remove const (-Wcast-qual), but not those by way of an integer.
@test "const is removed by way of an integer only where a C library takes a plain pointer" {
    in_source
    find core -name '*.[ch]' -exec grep -HnE '\*\) *\(uintptr_t\)' {} + | grep -vE \
        -e '^core/catalog/notification.c:.*\(void \*\)\(uintptr_t\)n->n_slots' \
        -e '^core/provider/exec-setup.c:.*command->argv' \
        -e '^core/script/library.c:.*lua_pushlightuserdata' |
        none_of "casts that may remove const"
    grep -q '^RH_CORE_WARNINGS = -Wcast-qual$' "$abs_top_builddir/Makefile" ||
        skip "this build has no warnings as errors"
}

@test "a header of a room is included by its whole path" {
    in_source
    find core -name '*.[ch]' -exec grep -HnE '#include "[^/"]+"' {} + | grep -v '"config.h"' |
        none_of "includes without a room"
}

@test "a plugin includes the SDK, the system and its own" {
    in_source
    find plugins -name '*.[ch]' -exec grep -HE '^ *# *include *["<]' {} + | awk -F '[:"<>]' '
        /include *"/ {
            directory = $1
            sub(/\/[^\/]*$/, "", directory)
            if ((getline line < (directory "/" $3)) < 0)
                print $1 " includes \"" $3 "\""
            close(directory "/" $3)
        }
        /include *<(base|datatype|schema|catalog|provider|plugin|manifest|run|cli)\// { print }' |
        none_of "includes that are not a plugin's to use"
}

@test "the SDK includes the C library and itself" {
    in_source
    grep -HnE '# *include *"' sdk/rhost/*.h | none_of "includes by a path of the tree"
    grep -HE '# *include *<' sdk/rhost/*.h | sed 's/.*<\(.*\)>.*/\1/' |
        grep -vE '^(rhost/.*|dirent|errno|fcntl|grp|limits|pwd|stdarg|stddef|stdint|stdio|stdlib|string|sys/stat|sys/types|time|unistd)(\.h)?$' |
        none_of "includes of more than the C library"
}

@test "each header of the SDK includes nothing of the SDK but what is installed" {
    in_source
    for header in $(sed -n 's/.*# *include *<\(rhost\/.*\)>.*/\1/p' sdk/rhost/*.h | sort -u); do
        grep -q "%D%/$header" sdk/Makefile.inc || echo "$header"
    done | none_of "headers that are not installed"
    for header in sdk/rhost/*.h; do
        grep -q "%D%/rhost/${header##*/}" sdk/Makefile.inc || echo "$header"
    done | none_of "headers that are not installed"
}

@test "each header of core compiles on its own" {
    requires_command gcc
    in_source
    mkdir "$work/headers"
    for header in $(find core -name '*.h'); do
        printf '#include "config.h"\n#include "%s"\n' "${header#core/}" >"$work/headers/${header//\//-}.c"
    done
    if command -v clang >/dev/null; then # one process for all
        tests/variants/compile "$abs_top_builddir" clang "$work"/headers/*.c
    else
        flags=$(sed -n 's/^\(YAML\|JSON\|PCRE2\|LUA\|CRYPTO\|SQLITE\|PQ\)_CFLAGS = //p' "$abs_top_builddir/Makefile")
        gcc -std=gnu11 -Wall -Wextra -Werror -D_GNU_SOURCE -I"$abs_top_builddir" -Icore -Isdk \
            $flags -fsyntax-only "$work"/headers/*.c
    fi
}

@test "each header has a guard" {
    in_source
    find core -name '*.h' -exec grep -LE '^#ifndef (RH|RHOST)_' {} + | none_of "headers without a guard"
}

@test "each file says its licence first, and then what it is" {
    in_source
    find core sdk plugins tests -name '*.[ch]' -exec awk '
        FNR == 1 && $0 != "/* SPDX-License-Identifier: Apache-2.0" (FILENAME ~ /^sdk.(rhost|templates)/ ? " OR MIT" : "") " */" { print FILENAME ": licence" }
        FNR == 2 { if ($0 !~ /^\/\* [^ ]/) print FILENAME ": what it is"; nextfile }' {} + |
        none_of "files that don't"
    find core sdk plugins tests docs \( -name '*.inc' -o -name '*.bats' -o -name '*.sh' \
        -o -name '*.bash' -o -name '*.mk' -o -name '*.awk' \) -exec awk '
        FNR == 1 { said = 0 }
        /# SPDX-License-Identifier: Apache-2.0/ { said = 1 }
        FNR == 2 { if (!said) print FILENAME ": licence"; nextfile }' {} + | none_of "files that don't"
}

@test "each line of a test can fail it" {
    in_source
    find tests plugins docs -name '*.bats' -o -name '*.bash' | sort | xargs awk '
        FNR == 1 { before = ""; test = 0; ran = "" }
        # errexit ignores "!", and all of a list of && but its last command.
        before !~ /\\$/ && /^[[:space:]]+! / && !/\|\|/ {
            print FILENAME ":" FNR ": a bare \"!\" fails nothing, use \"not\":" $0
        }
        /^[[:space:]]+\[ [^|]* \] && \[ [^|]* \]$/ {
            print FILENAME ":" FNR ": the first of these tests fails nothing, write one to a line:" $0
        }
        /^@test / { test = 1 }
        /^}/ || /^[[:space:]]+([A-Za-z_]+=[^ ]* )*run / {
            if (ran != "" && (test || !/^}/))
                print ran
            ran = ""
            if (/^}/)
                test = 0
            else if (!/[;&|]/)
                ran = FILENAME ":" FNR ": nobody looks at what this gave:" $0
        }
        /status|output|lines|says|refus|fail/ && !/^[[:space:]]+([A-Za-z_]+=[^ ]* )*run / { ran = "" }
        { before = $0 }' | none_of "lines that cannot fail a test"
}

@test "nothing calls what cannot be used safely" {
    in_source
    find core plugins sdk -name '*.[ch]' -exec perl -0777 -ne '
        s{/\*.*?\*/|//[^\n]*|"(?:[^"\\]|\\.)*"|\x27(?:[^\x27\\]|\\.)*\x27}{ $_ = $&; tr/\n//cd; "$_\"\"" }gse;
        my $n = 0;
        for my $line (split /\n/) {
            $n++;
            print "$ARGV:$n: $line\n"
                if $line =~ /(?<![\w.>])(?:system|popen|strcpy|strcat|sprintf|vsprintf|gets|tmpnam|tempnam|mktemp|atoi|atol|alloca|strtok)\s*\(/;
        }' {} + | none_of "calls that are banned"
}

# calls 'RE' FOLDER FILE...: the lines in core/FOLDER that match, outside of these files of core.
calls() {
    local re=$1 directory=$2
    shift 2
    find "core/$directory" -name '*.c' -exec grep -HnE "$re" {} + | sed 's|^core/\./|core/|' |
        awk -F: -v files="$*" '
            BEGIN { n = split(files, list, " "); for (i = 1; i <= n; i++) allowed["core/" list[i]] = 1 }
            !($1 in allowed)'
}

@test "secrets are removed where messages leave a runtime and where they come into the host" {
    in_source
    {
        # Besides: what a script prints and fails with, desired values that a report shows, which no worker sends,
        # and options that a plan would keep.
        calls 'rh_secrets_scrub(bed)?\(|rh_secret_value_(hide|has)\(|rh_secret_index_scrub\(' . \
            base/secrets.c base/secret-index.c base/secret-value.c provider/redact.c script/problem.c base/source.c \
            cli/plan-head.c
        calls 'rh_redact_(fields|text|value|item)\(' provider provider/redact.c provider/outgoing.c
        calls 'rh_redact_(fields|text|value|item)\(' plugin plugin/incoming.c
        for directory in base catalog check cli datatype facts manifest node run schema script; do
            calls 'rh_redact_(fields|text|value|item)\(|rh_outgoing_|rh_incoming_' $directory
        done
        # Nothing goes around these two.
        calls 'sink\.(outcome|log|item)\(' provider provider/outgoing.c
        calls 'rh_value_show\(' provider provider/outgoing.c
        calls 'rh_message_take_(outcome|log|question)\(' plugin plugin/incoming.c plugin/message.c plugin/message-answer.c
        calls 'rh_take_(text|value)\(' plugin plugin/incoming.c plugin/message.c plugin/message-answer.c plugin/frame.c \
            plugin/server.c plugin/server-answer.c
        # JSON with secrets in it is hashed, compared, encrypted, sent or declared, and not shown.
        calls 'rh_value_to_json(_pretty)?\(.*, true\)' . cli/lookup.c provider/observed.c run/plan-key.c run/backup-value.c plugin/description-file.c \
            plugin/server.c provider/ext-private.c base/value-toml.c script/lib-encode.c check/static.c
    } | none_of "calls that belong in core/provider/outgoing.c or core/plugin/incoming.c"
}

@test "core replaces a file through base/new-file.h, and never what is no regular file" {
    in_source
    # Besides: the host's own extensions, which look at what is there; caches with names of our own in directories
    # of our own; directories; what is moved to a name that nothing has; and rhost-nats, which has nothing of core/base.
    calls '(^|[^a-z_])rename(at|at2)?\(' . base/new-file.c base/remove-tree.c provider/ext-file.c provider/ext-path.c \
        provider/private-store.c manifest/load/parsed.c reach/scratch-site.c module/site.c bundle/unpack.c collect/folder.c broker/receive.c |
        none_of "calls that belong in core/base/new-file.c"
    calls 'mkos?temps?\(' . run/content.c | none_of "temporary files that a killed process leaves: see core/base/new-file.h"
}

@test "a walk of core does not take the number of a device for that of a mount" {
    in_source
    calls 'FTW_MOUNT|FTS_XDEV' . | none_of "walks that enter bind mounts: see core/base/mounted.h"
}

@test "no test is led astray by plugins that are installed" {
    in_source
    # The program itself looks for them, unlike the script in the directory of the build.
    find tests plugins \( -name '*.bats' -o -name '*.bash' -o -name '*.sh' \) -exec perl -0777 -ne '
        s/\\\n\s*//g;
        for (split /\n/) {
            print "$ARGV: $_\n" if m{core/rhost" +(?:--?\S+ +)*(?:apply|plan|undo|resource|capture|validate|compile|graph|why|types|describe|schema|facts|node|check|device|agent)\b}
                && !/--no-installed-plugins/;
        }' {} + | none_of "calls of core/rhost without --no-installed-plugins"
}

@test "whoever calls a function that can fail looks at its result" {
    in_source
    # Those that make an error, or only look at one, may be called for that alone.
    find core -name '*.h' -exec perl -0777 -ne '
        s{/\*.*?\*/}{}gs;
        for (split /[;{}]/) {
            s/^\s*#.*$//mg;
            s/\s+/ /g;
            next if /RH_CHECKED|warn_unused_result|typedef|static inline|\(\*|^ ?void /;
            print "$ARGV $1\n" if /\b(rh_\w+)\((?:[^()]|\([^()]*\))*struct rh_error \*\w+[,)]/;
        }' {} + | grep -vE ' (rh_error_[a-z_]+|rh_(postgresql|sqlite)_fail|rh_call_error|rh_describe_put_list|rh_confinement_explain)$' |
        none_of "functions that can fail, without RH_CHECKED"
}

@test "a plugin reaches paths through the host's walk, but for fixed ones of the system" {
    in_source
    # Calls that are given a path, and follow whatever links it has; AT_FDCWD stands for those that are given a
    # descriptor as well (openat, fstatat).
    local calls='
        open|open64|creat|creat64|fopen|fopen64|freopen|freopen64|opendir|scandir|scandir64|setmntent
        stat|stat64|lstat|lstat64|access|euidaccess|eaccess|statfs|statfs64|statvfs|statvfs64|pathconf
        readlink|realpath|canonicalize_file_name|glob|glob64|wordexp|ftw|ftw64|nftw|nftw64|fts_open
        unlink|remove|rmdir|rename|link|symlink|mkdir|mkfifo|mknod|truncate|truncate64
        chmod|lchmod|chown|lchown|utime|utimes|lutimes|chdir|chroot|pivot_root
        l?(?:get|set|list|remove)xattr|acl_(?:get|set|delete_def)_file|cap_(?:get|set)_file|l?[gs]etfilecon
        mkdtemp|mkstemps?|mkstemps?64|mkostemps?|mkostemps?64|mktemp|tmpnam|tempnam
        mount|umount|umount2|swapon|swapoff|open_tree|move_mount|fsopen|fspick|quotactl|acct
        bind|inotify_add_watch|fanotify_mark|name_to_handle_at|ftok|dlopen|syscall'
    calls=$(tr -s ' \n' '|' <<<"$calls" | sed 's/^|//; s/|$//') find plugins -name '*.[ch]' -exec perl -0777 -ne '
        s{/\*.*?\*/|//[^\n]*|"(?:[^"\\]|\\.)*"|\x27(?:[^\x27\\]|\\.)*\x27}{""}gse;
        print "$ARGV $1\n" while /(?<![\w.>])((?:$ENV{calls})(?=\s*\()|AT_FDCWD)/g;
        ' {} + | sort | uniq -c >"$BATS_TEST_TMPDIR/calls"
    [ "$(wc -l <"$BATS_TEST_TMPDIR/calls")" -gt 10 ] # it finds those that are allowed
    awk 'NR == FNR { if ($0 !~ /^#/) most[$1 " " $2] = $3; next }
        $1 > most[$2 " " $3] { print $2 ": " $3 }' tests/tree/plugin-paths "$BATS_TEST_TMPDIR/calls" |
        none_of "calls with a path that are neither in tests/tree/plugin-paths nor made through <rhost/path.h>"
    # Nor does the list have more than there is, or no reason.
    awk 'NR == FNR { made[$2 " " $3] = $1; next }
        !/^#/ && (made[$1 " " $2] != $3 || NF < 4) { print $1 ": " $2 }' "$BATS_TEST_TMPDIR/calls" tests/tree/plugin-paths |
        none_of "lines of tests/tree/plugin-paths that allow more than is called"
}

@test "each program begins with rh_program_start()" {
    in_source
    [ "$(printf '%s\n' core/main.c core/*-main.c | wc -l)" -gt 10 ]
    for main in core/main.c core/*-main.c; do
        sed -n '/^main(/,/^}/p' "$main" | grep -m 1 'if (' | grep -qF 'if (rh_program_start() < 0)' || echo "$main"
    done | none_of "programs that do not call rh_program_start() first"
}

@test "sources are formatted as .clang-format says" {
    # Other versions format otherwise.
    clang-format --version 2>/dev/null | grep -q 'version 14[.]' || skip "there is no clang-format 14"
    in_source
    find core plugins tests -name '*.[ch]' -print0 | xargs -0 clang-format --dry-run -Werror 2>&1 |
        sed -n 's/: error: .*//p' | none_of "places that 'make format' would change"
}

@test "no file is so long that it holds two ideas" {
    in_source
    find core plugins sdk tests -name '*.[ch]' -exec wc -l {} + | awk '$2 != "total" && $1 > 700' |
        none_of "files above 700 lines"
}

@test "each plugin has its page and its test" {
    in_source
    for directory in plugins/*/; do
        name=$(basename "$directory")
        for file in "$directory$name.md" "$directory$name.bats" "${directory}Makefile.inc"; do
            [ -f "$file" ] || echo "$file"
        done
        grep -q "include plugins/$name/Makefile.inc" plugins/Makefile.inc || echo "$name in plugins/Makefile.inc"
    done | none_of "missing"
}

@test "each source file is built, and so is in the tarball" {
    in_source
    find core plugins tests -name '*.[ch]' -o -name '*.inc' | LC_ALL=C sort >"$BATS_TEST_TMPDIR/files"
    awk '
        function directory(path) { sub(/\/[^\/]*$/, "", path); return path }
        FNR == NR { # what each directory names; without a list of its own, a program is made from the file of its name
            file = $0
            if (file ~ /\.inc$/)
                while ((getline line < file) > 0)
                    for (n = split(line, word, /[ \t]+/); n > 0; n--) {
                        sub(/.*\//, "", word[n])
                        named[directory(file), word[n]] = 1
                    }
            next
        }
        /\.inc$/ { next }
        {
            base = $0
            sub(/.*\//, "", base)
            stem = base
            sub(/\.[ch]$/, "", stem)
            if (!((directory($0), base) in named) && !((directory($0), stem) in named))
                print
        }' "$BATS_TEST_TMPDIR/files" "$BATS_TEST_TMPDIR/files" | none_of "files that no Makefile.inc names"
}

@test "each file of tests is run, and is in the tarball" {
    in_source
    # A target of its own may run what make check does not.
    printf 'include Makefile\nrun:\n\t@printf "%%s\\n" $(TESTS)\nkept:\n\t@printf "%%s\\n" $(DISTFILES)\n' >"$BATS_TEST_TMPDIR/lists"
    env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL make -s --no-print-directory -C "$abs_top_builddir" -f "$BATS_TEST_TMPDIR/lists" run >"$BATS_TEST_TMPDIR/run"
    grep -rho --include=Makefile.inc 'TESTS=[^ ]*[.]bats' tests plugins | sed 's/^TESTS=//' >>"$BATS_TEST_TMPDIR/run"
    env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL make -s --no-print-directory -C "$abs_top_builddir" -f "$BATS_TEST_TMPDIR/lists" kept >"$BATS_TEST_TMPDIR/kept"
    grep -qx 'tests/tree/tree.bats' "$BATS_TEST_TMPDIR/run"
    find core plugins tests -name '*.bats' | LC_ALL=C sort >"$BATS_TEST_TMPDIR/files"
    grep -vxFf "$BATS_TEST_TMPDIR/run" "$BATS_TEST_TMPDIR/files" | none_of "files of tests that nothing runs"
    grep -vxFf "$BATS_TEST_TMPDIR/kept" "$BATS_TEST_TMPDIR/files" | none_of "files of tests that are not in the tarball"
    sed -n 's/^\t\([^ $]*[.]bats\).*/\1/p' tests/long.inc >"$BATS_TEST_TMPDIR/long"
    grep -qx tests/system/build.bats "$BATS_TEST_TMPDIR/long"
    grep -vxFf "$BATS_TEST_TMPDIR/run" "$BATS_TEST_TMPDIR/long" | none_of "lines of tests/long.inc that are no tests"
}

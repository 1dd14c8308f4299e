# SPDX-License-Identifier: Apache-2.0
# abi.awk - makes docs/authors/abi.md of the headers that plugins are built against.
#
#     cd sdk/rhost && awk -f ../../docs/abi.awk abi.h exec.h file.h path.h ids.h keep.h overlap.h private.h progress.h catalog.h >../../docs/authors/abi.md
#
# It knows how these headers are written: a comment stands in front of what it is about, or behind it
# on the same line; what follows an empty line is about something else. A comment in front of several
# members is about all of them, and becomes a paragraph.

BEGIN {
    print "<!-- SPDX-License-Identifier: Apache-2.0 -->"
    print "<!-- Made by abi.awk from the headers: do not edit. -->"
    print ""
    print "# The ABI"
    print ""
    print "All that stands between rhost and a plugin, as the headers of the SDK have it. **rhost-provider**(7) says how"
    print "a provider is written, and the guide for authors (`provider-guide.md`) what to choose."
}

FNR == 1 {
    table(0)
    printf "\n## rhost/%s\n", FILENAME
    first = 1       # the comment that opens a header describes it
    inside = ""     # "struct" or "enum" between braces
    note = ""       # the comment that stands in front
    held = 0        # rows that wait to know how many there are behind a note
    comment = decl = ""
    skipping = 0    # the body of a function
    constants = 1   # those at the head of a file need no heading
}

# --- Text. ------------------------------------------------------------------------------------

# A comment without its signs; lines stay lines.
function bare(s) {
    sub(/^[ \t]*\/\*[ ]?/, "", s)
    sub(/[ ]*\*\/[ \t]*$/, "", s)
    gsub(/\n[ \t]*\*[ ]?/, "\n", s)
    return s
}

# What Markdown would take for its own. Code in a text is left alone.
function marked(s,    out, at) {
    out = ""
    while ((at = index(s, "`")) > 0) {
        out = out escaped(substr(s, 1, at - 1))
        s = substr(s, at + 1)
        at = index(s, "`")
        if (!at)
            break
        out = out "`" substr(s, 1, at - 1) "`"
        s = substr(s, at + 1)
    }
    return out escaped(s)
}

function escaped(s) {
    gsub(/\*/, "\\*", s)
    gsub(/<rhost\/[a-z.-]+>/, "`&`", s)
    return s
}

# A comment in a cell: one line.
function cell(s) {
    s = marked(s)
    gsub(/[ \t]*\n[ \t\n]*/, " ", s)
    gsub(/\|/, "\\|", s)
    return s
}

# A comment as paragraphs and lists. What begins with names and a colon, after a sentence, is an item too.
function prose(s,    n, i, line, lines, listed) {
    n = split(marked(s), lines, "\n")
    print ""
    for (i = 1; i <= n; i++) {
        line = lines[i]
        if (sub(/^ *- /, "* ", line))
            listed = 1
        else if (line ~ /^[a-z]+(, [a-z]+)*: / && i > 1 && lines[i - 1] ~ /\.$|\)\.$/) {
            if (!listed)
                print ""
            line = "* " line
            listed = 1
        } else if (line == "")
            listed = 0
        else if (listed)
            sub(/^ */, "  ", line)
        print line
    }
}

function code(s) {
    gsub(/[ \t]*\n[ \t]*/, " ", s)
    sub(/^ +/, "", s)
    sub(/;? *$/, "", s)
    sub(/ RHOST_ZERO;?/, "", s)
    sub(/\* rhost_/, "*rhost_", s)
    return s
}

# --- Parts. -----------------------------------------------------------------------------------

function table(on) {
    if (on && !tabled)
        print "\n| | |\n|---|---|"
    tabled = on
}

function print_row(i) {
    table(1)
    gsub(/\|/, "\\|", name[i])
    printf "| `%s` | %s |\n", name[i], cell(said[i])
}

# What stood behind one note is complete.
function end_group(    i) {
    if (note != "" && held == 1) {
        said[1] = note (said[1] == "" ? "" : " " said[1])
        note = ""
    }
    if (note != "" && held != 0) {
        table(0)
        prose(note)
        note = ""
    }
    for (i = 1; i <= held; i++)
        print_row(i)
    held = 0
}

function row(what, about) {
    name[++held] = code(what)
    said[held] = bare(about)
}

function heading(what) {
    end_group()
    table(0)
    printf "\n### %s\n", what
    constants = 0
    if (note != "")
        prose(note)
    note = ""
}

# --- Lines. -----------------------------------------------------------------------------------

# The body of a function says nothing to its caller.
skipping {
    if ($0 ~ /^}/)
        skipping = 0
    next
}

# A comment that is not complete, in front of something or behind it.
comment != "" {
    comment = comment "\n" $0
    if ($0 !~ /\*\//)
        next
    $0 = comment
    comment = ""
}

/^[ \t]*\/\*/ && !/\*\// || /;[ \t]*\/\*/ && !/\*\// || /^#define.*\/\*/ && !/\*\// || /,[ \t]*\/\*/ && !/\*\// {
    comment = $0
    next
}

/^[ \t]*\/\*/ {
    if ($0 ~ /SPDX/)
        next
    if (first) {
        first = 0
        $0 = bare($0)
        sub(/^rhost\/[a-z.]+ - /, "")
        prose(toupper(substr($0, 1, 1)) substr($0, 2))
        next
    }
    if (held)
        end_group()
    if (note != "" && inside != "") { # about what follows it as a whole
        table(0)
        prose(note)
    }
    note = bare($0)
    next
}

/^[ \t]*$/ {
    end_group()
    if (inside != "" && note != "") {
        table(0)
        prose(note)
        note = ""
    }
    next
}

# What is there for compilers alone.

/^#(ifndef|ifdef|endif|include|if|else)/ || /^#define RHOST_ZERO/ || /^extern "C" \{/ || /^#define RHOST_[A-Z]+_H$/ || /^}$/ { next }

/^#define/ {
    about = ""
    if (match($0, /\/\*.*\*\//))
        about = substr($0, RSTART, RLENGTH)
    what = about == "" ? $0 : substr($0, 1, RSTART - 1)
    sub(/^#define /, "", what)
    match(what, /^[A-Z_0-9]+/)
    value = substr(what, RLENGTH + 1)
    what = substr(what, 1, RLENGTH)
    gsub(/^ +| +$/, "", value)
    if (value ~ /^UINT64_C\(/) {
        sub(/^UINT64_C\(/, "", value)
        sub(/\)$/, "", value)
    }
    if (!constants) { # the first after something else
        kept = note
        note = ""
        heading(what)
        note = kept
        constants = 1
    }
    row(what " = " value, about)
    next
}

/^enum [a-z_]+ \{.*\};/ {
    $0 = code($0)
    match($0, /^enum [a-z_]+/)
    what = substr($0, 1, RLENGTH)
    heading(what)
    sub(/^[^{]*\{ */, "")
    sub(/ *\}.*/, "")
    n = split($0, parts, /, */)
    for (i = 1; i <= n; i++)
        row(parts[i], "")
    end_group()
    table(0)
    next
}

/^(typedef )?(struct|enum) [a-z_]+ \{/ {
    sub(/^typedef /, "")
    inside = $1
    heading($1 " " $2)
    next
}

inside != "" && /^\}/ {
    end_group()
    table(0)
    inside = ""
    next
}

inside == "enum" {
    about = ""
    if (match($0, /\/\*.*\*\//))
        about = substr($0, RSTART, RLENGTH)
    what = about == "" ? $0 : substr($0, 1, RSTART - 1)
    gsub(/[ ,]/, "", what)
    row(what, about)
    next
}

# A member, or a declaration, over one or more lines.
{
    decl = decl (decl == "" ? "" : "\n") $0
    about = ""
    if (match(decl, /\/\*.*\*\//))
        about = substr(decl, RSTART, RLENGTH)
    what = about == "" ? decl : substr(decl, 1, RSTART - 1)
}

inside == "struct" {
    if (what !~ /;/)
        next
    row(what, about)
    decl = ""
    next
}

# A function of the header: what stands in front of its body.
/^\{/ {
    what = decl
    sub(/\n\{$/, "", what)
    sub(/^static inline /, "", what)
    match(what, /rhost_[a-z_]+\(/)
    heading(substr(what, RSTART, RLENGTH - 1) "()")
    printf "\n    %s;\n", code(what)
    decl = ""
    skipping = 1
    next
}

/;$/ {
    what = code(decl)
    decl = ""
    if (what ~ /^struct [a-z_]+$/)
        next
    match(what, /rhost_[a-z_]+\(/)
    heading(substr(what, RSTART, RLENGTH - 1))
    printf "\n    %s;\n", what
}

END {
    end_group()
    print ""
    print "## Later"
    print ""
    print "Nothing of this exists yet; it shows that what there is leaves room for it."
    print ""
    print "**Watching.** A provider that can tell when something changes is asked for the extension `rhost.watch/1` by"
    print "the plugin's own `extension()`, which gives the host two functions. An older host never asks, and an older plugin"
    print "answers NULL: neither a field nor a feature is needed."
    print ""
    print "- `poll(ctx, names, fds, n)`: between `open` and `close`, which descriptors to wait for, at most eight, and a time after"
    print "  which to ask again at the latest. `names` are those that the catalog has, or NULL for all. The descriptors stay"
    print "  the provider's, and are not read by the host."
    print "- `changed(ctx, fd)`: one of them is ready, or the time is over. The provider reads what it has to, and calls"
    print "  `emit()` with the namevars of each resource that may have changed; an empty hash means any of them. It must not"
    print "  block, and may only look."
    print ""
    print "The host then reads these resources by `get` or `load`, as in any run, and decides what to do: report drift, or"
    print "converge. So a wrong or a lost event costs a reading, never a wrong change. The worker waits in one `poll(2)` for its"
    print "host and these descriptors, so no thread and no signal is needed, and calls remain one at a time."
}

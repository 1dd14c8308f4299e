# SPDX-License-Identifier: Apache-2.0
# man.awk - makes a manual page of a page in Markdown.
#
#     awk -f man.awk -v name=rhost-link -v section=7 -v version=0.1.0 -v date=2026-11-21 link.md >rhost-link.7
#
# It knows what our pages use: headings, paragraphs, lists of one level, code, tables, emphasis and
# links. The heading of the first level is dropped: its place takes NAME, with `what` behind the name,
# or else the page's first sentence. A table becomes a list, each row an item: the first cell is what
# it is about, the others what there is to say.

BEGIN {
    if (manual == "")
        manual = "rhost"
    state = ""    # what the lines belong to: "", "paragraph", "item", "table", "fence", "indented"
    text = ""     # the paragraph or item under way
    begun = 0     # whether a section was begun
    fresh = 0     # whether nothing stands in it yet
    printf ".\\\" Made by man.awk from Markdown: do not edit.\n"
    printf ".TH %s %s \"%s\" \"rhost %s\" \"%s\"\n.nh\n.ad l\n", toupper(name), section, date, version, manual
    if (what != "")
        name_section(what)
}

# --- Text. ------------------------------------------------------------------------------------

# Text as roff means it. Signs that groff would make typographic stay what they are.
function plain(s,    out, i, c) {
    out = ""
    for (i = 1; i <= length(s); i++) {
        c = substr(s, i, 1)
        if (c == "\\")
            c = "\\(rs"
        else if (c == "-")
            c = "\\-"
        else if (c == "'")
            c = "\\(aq"
        else if (c == "`")
            c = "\\(ga"
        else if (c == "^")
            c = "\\(ha"
        else if (c == "~")
            c = "\\(ti"
        else if (c == "\"")
            c = "\\(dq"
        out = out c
    }
    return out
}

# No line may begin with what roff takes for a request.
function guarded(s) {
    gsub(/\n\./, "\n\\\\\\&.", s)
    return s ~ /^\./ ? "\\&" s : s
}

# Emphasis, code and links.
function inline(s,    out, c, end, label, ticks) {
    out = ""
    while (s != "") {
        c = substr(s, 1, 1)
        if (c == "`") {
            match(s, /^`+/)
            ticks = substr(s, 1, RLENGTH)
            s = substr(s, RLENGTH + 1)
            end = index(s, ticks)
            if (!end) {
                out = out plain(ticks)
                continue
            }
            label = substr(s, 1, end - 1)
            if (length(ticks) > 1)
                gsub(/^ | $/, "", label)
            out = out "\\fB" plain(label) "\\fR"
            s = substr(s, end + length(ticks))
        } else if (substr(s, 1, 2) == "**" && (end = index(substr(s, 3), "**")) > 1) {
            out = out "\\fB" unbold(inline(substr(s, 3, end - 1))) "\\fR"
            s = substr(s, end + 4)
        } else if (c == "*" && substr(s, 2, 1) ~ /[^ *]/ && (end = index(substr(s, 2), "*")) > 1) {
            out = out "\\fI" inline(substr(s, 2, end - 1)) "\\fR"
            s = substr(s, end + 2)
        } else if (c == "[" && match(s, /^\[[^]]*\]\([^)]*\)/)) {
            label = substr(s, 2, index(s, "](") - 2)
            end = substr(s, length(label) + 4, RLENGTH - length(label) - 4)
            s = substr(s, RLENGTH + 1)
            out = out inline(label)
            if (end ~ /^https?:/)
                out = out " (" plain(end) ")"
        } else if (c == "\\" && substr(s, 2, 1) ~ /[][*`_|\\]/) {
            out = out plain(substr(s, 2, 1))
            s = substr(s, 3)
        } else {
            out = out plain(c)
            s = substr(s, 2)
        }
    }
    return joined(out)
}

# Words that no line has room for may be broken behind these signs.
function breakable(s,    n, i, words, out) {
    n = split(s, words, " ")
    out = ""
    for (i = 1; i <= n; i++) {
        if (length(words[i]) > 60)
            gsub(/[;,=\/]/, "&\\:", words[i])
        out = out (i > 1 ? " " : "") words[i]
    }
    return n && length(s) > 60 && out ~ /\\:/ ? out : s
}

# Code in bold text is bold already.
function unbold(s) {
    gsub(/\\f[BR]/, "", s)
    return s
}

# Signs of more than one byte come out of plain() whole, even where awk knows no UTF-8.
function joined(s) {
    gsub(/→/, "\\(->", s)
    gsub(/·/, "\\(pc", s)
    gsub(/…/, "...", s)
    return s
}

# --- Sections. --------------------------------------------------------------------------------

function name_section(said) {
    printf ".SH NAME\n%s \\- %s\n", plain(name), inline(said)
    named = 1
}

# What stands before the first heading of the second level is the description.
function begin_section() {
    if (begun)
        return
    begun = 1
    fresh = 1
    print ".SH DESCRIPTION"
}

function heading(s) {
    flush()
    begun = fresh = 1
    if (s == "## Name")
        named = 1 # the page has it
    if (s == "## See also")
        also = 1
    if (s ~ /^### /)
        printf ".SS \"%s\"\n", inline(substr(s, 5))
    else
        printf ".SH \"%s\"\n", toupper_prose(substr(s, 4))
}

# Names of commands and files keep their case.
function toupper_prose(s) {
    return s ~ /`/ ? inline(s) : inline(toupper(s))
}

# --- Blocks. ----------------------------------------------------------------------------------

function flush(    sentence) {
    if (state == "paragraph") {
        if (!named) {
            sentence = text
            sub(/\.( .*)?$/, "", sentence)
            name_section(tolower(substr(sentence, 1, 1)) substr(sentence, 2))
        }
        begin_section()
        printf "%s%s\n", fresh ? "" : ".PP\n", guarded(inline(text))
        fresh = 0
    } else if (state == "item") {
        printf "%s\n", guarded(inline(text))
    } else if (state == "fence" || state == "indented") {
        print ".fi\n.RE"
    }
    state = ""
    text = ""
}

function begin_code(kind) {
    flush()
    begin_section()
    state = kind
    blanks = 0
    print (fresh ? "" : ".PP\n") ".RS 4\n.nf"
    fresh = 0
}

function code(s) {
    while (blanks > 0) {
        print ""
        blanks--
    }
    print guarded(joined(plain(s)))
}

function begin_item(mark, s) {
    flush()
    begin_section()
    state = "item"
    fresh = 0
    printf ".IP %s\n", mark
    text = s
}

# Splits a row into cell[1..n]; "\|" and a "|" in code belong to a cell.
function cells_of(s,    n, i, c, ticked) {
    sub(/^ *\| */, "", s)
    sub(/ *\| *$/, "", s)
    n = 1
    cell[1] = ""
    ticked = 0
    for (i = 1; i <= length(s); i++) {
        c = substr(s, i, 1)
        if (c == "\\" && substr(s, i + 1, 1) == "|") {
            cell[n] = cell[n] "|"
            i++
            continue
        }
        if (c == "`")
            ticked = !ticked
        if (c == "|" && !ticked)
            cell[++n] = ""
        else
            cell[n] = cell[n] c
    }
    for (i = 1; i <= n; i++)
        gsub(/^ +| +$/, "", cell[i])
    return n
}

function row(s,    n, i, said) {
    n = cells_of(s)
    said = ""
    for (i = 2; i <= n; i++)
        if (cell[i] != "")
            said = said (said == "" ? "" : "; ") cell[i]
    fresh = 0
    printf ".TP\n%s\n", guarded(inline(cell[1]))
    print said == "" ? "\\&" : guarded(breakable(inline(said)))
}

# --- Lines. -----------------------------------------------------------------------------------

state == "fence" {
    if ($0 ~ /^ *```/)
        flush()
    else if ($0 == "")
        blanks++
    else
        code($0)
    next
}

/^ *```/ {
    begin_code("fence")
    next
}

state == "indented" && /^    / {
    code(substr($0, 5))
    next
}

state == "indented" && $0 == "" {
    blanks++
    next
}

/^<!--.*-->$/ { next }

/^# / { next }

/^##/ {
    heading($0)
    next
}

/^ *\|/ {
    if (state != "table") {
        flush()
        begin_section()
        state = "table" # this is its header
    } else if ($0 !~ /^ *\|[-:| ]*$/)
        row($0)
    next
}

/^ *[*-] / {
    sub(/^ *[*-] +/, "")
    begin_item("\\(bu 2", $0)
    next
}

/^[0-9]+\. / {
    match($0, /^[0-9]+\./)
    mark = substr($0, 1, RLENGTH)
    sub(/^[0-9]+\. +/, "")
    begin_item(mark " 4", $0)
    next
}

$0 == "" {
    flush()
    next
}

/^    / && state != "paragraph" && state != "item" {
    begin_code("indented")
    code(substr($0, 5))
    next
}

{
    if (state != "paragraph" && state != "item") {
        flush()
        state = "paragraph"
    }
    sub(/^ +/, "")
    text = text (text == "" ? "" : "\n") $0
}

# Where a page does not say what else to read: a page for authors names those for authors, a page of a type what all types have.
function see_also(    n, i, pages, out) {
    n = split(name ~ /^rhost-(abi|bridge|checks|provider)$/ ? "rhost(1) rhost-provider(7) rhost-abi(7) rhost-checks(7)" \
        : "rhost(1) rhost-manifest(5) rhost-keywords(5) rhost-expressions(7)", pages, " ")
    for (i = 1; i <= n; i++)
        if (substr(pages[i], 1, length(pages[i]) - 3) != name)
            out = out (out == "" ? "" : ", ") "**" substr(pages[i], 1, length(pages[i]) - 3) "**" substr(pages[i], length(pages[i]) - 2)
    printf ".SH \"SEE ALSO\"\n%s\n", inline(out)
}

END {
    flush()
    if (!also)
        see_also()
}

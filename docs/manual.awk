# SPDX-License-Identifier: Apache-2.0
# manual.awk - makes C of the texts of the manual that the program prints.
#
#     awk -f manual.awk PAGE... FILE...
#
# For each text four strings, one after the other: its kind, its name, its title, and the text.
#   topic    a page of docs/concepts/, for "rhost help TOPIC"
#   example  a block of YAML that begins with "# example", for "rhost examples NAME"
#   file     a file of docs/examples/init/, for "rhost init"

function quoted(text) {
    gsub(/\\/, "&&", text)
    gsub(/["?]/, "\\\\&", text)
    return "\"" text "\""
}

function begin(kind, called, title) {
    printf "    \"%s\\0\" %s \"\\0\" %s \"\\0\"\n", kind, quoted(called), quoted(title)
}

function put(line) {
    printf "    %s \"\\n\"\n", quoted(line)
}

function finish() {
    printf "    \"\\0\"\n"
}

# A line of a page as a terminal shows it: links are their words.
function shown(line,    out, label) {
    out = ""
    while (match(line, /\[[^]]*\]\([^)]*\)/)) {
        label = substr(line, RSTART + 1, index(substr(line, RSTART), "](") - 2)
        out = out substr(line, 1, RSTART - 1) label
        line = substr(line, RSTART + RLENGTH)
    }
    return out line
}

BEGIN {
    print "/* SPDX-License-Identifier: Apache-2.0 */\n/* Generated from docs/ and plugins/ by docs/manual.awk. */\n" \
        "#include \"config.h\"\n\n#include \"cli/manual-text.h\"\n\nconst char rh_manual_texts[] ="
}

FNR == 1 {
    if (topic || kept)
        finish()
    name = FILENAME
    sub(/.*\//, "", name)
    topic = kept = 0
    inside = starts = example = blank = 0
    if (FILENAME ~ /examples\/init\//) {
        kept = 1
        begin("file", name, "")
    } else if (FILENAME ~ /concepts\//)
        topic = 1
    sub(/\.md$/, "", name)
    if (name == "index") { # of a folder
        name = FILENAME
        sub(/\/[^\/]*$/, "", name)
        sub(/.*\//, "", name)
    }
}

kept { put($0); next }

/^<!--.*-->$/ { next }

topic && /^# / {
    begin("topic", name, substr($0, 3))
    next
}

topic && /^!\[/ { next }

# Code is shown indented, without its fence.
topic && /^```/ {
    inside = !inside
    next
}

topic && inside && $0 != "" { $0 = "    " $0 }

topic && $0 == "" {
    blank++
    next
}

topic {
    if (blank && seen == FILENAME)
        put("")
    blank = 0
    seen = FILENAME
    put(inside ? $0 : shown($0))
    next
}

/^```/ {
    if (example)
        finish()
    example = 0
    inside = !inside && /^```yaml$/
    starts = inside
    next
}

inside && starts {
    starts = 0
    if (/^# (scratch )?example/) {
        example = 1
        begin("example", name, "")
    }
}

inside && example { put($0) }

END {
    if (topic || kept)
        finish()
    print "    \"\";"
}

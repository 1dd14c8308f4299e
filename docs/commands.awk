# SPDX-License-Identifier: Apache-2.0
# commands.awk - makes a page for each command of the page of the program.
#
#     awk -f commands.awk -v directory=DIR rhost.1.md core/cli/*.c
#
# writes DIR/rhost-COMMAND.1.md. The summary is the program's own; the text, the options and the other sections
# are those of rhost.1.md, which tests hold against the program.

function close_section() {
    gsub(/^\n+|\n+$/, "", body)
    if (section == "command" && command != "")
        text[command] = body
    else if (section != "")
        said[section] = body
    body = ""
}

# --- The page of the program. -----------------------------------------------------------------

FNR == 1 { file++ }

file == 1 && /^## / {
    close_section()
    section = substr($0, 4)
    if (section == "Commands")
        section = "command"
    command = ""
    next
}

file == 1 && section == "command" && /^### / {
    close_section()
    command = $2
    names[++commands] = command
    next
}

file == 1 && section == "Synopsis" && /^    rhost / {
    head = $0
    sub(/ \[.*/, "", head)
    rest = substr($0, length(head) + 1)
    sub(/^    rhost /, "", head)
    if ($0 ~ /^    rhost \[OPTION\.\.\.\] COMMAND|--version/)
        next
    if (head !~ /\|/) {
        split(head, part, " ")
        sub(/^    rhost [a-z-]+/, "", $0)
        usage[part[1]] = usage[part[1]] "    rhost " part[1] $0 "\n"
        next
    }
    n = split(head, part, / *\| */)
    for (i = 1; i <= n; i++)
        usage[part[i]] = usage[part[i]] "    rhost " part[i] rest "\n"
    next
}

file == 1 && section == "Options" && /^\| `-/ {
    cells = split($0, cell, / \| /)
    takers = split(cell[2], taker, / *, */)
    row = cell[1] " | " cell[3]
    for (i = 4; i <= cells; i++)
        row = row " | " cell[i]
    gsub(/; see below/, "; see **rhost**(1)", row)
    for (i = 1; i <= takers; i++)
        options[taker[i]] = options[taker[i]] row "\n"
    next
}

file == 1 {
    body = body $0 "\n"
    next
}

# --- The program. -----------------------------------------------------------------------------

/^    \.name = "/ {
    name = $0
    sub(/^    \.name = "/, "", name)
    sub(/".*/, "", name)
}

/^    \.summary = "/ {
    line = $0
    sub(/^    \.summary = "/, "", line)
    sub(/",?$/, "", line)
    summary[name] = line
}

# --- A page. ----------------------------------------------------------------------------------

function begin_related() {
    related["apply"] = "plan undo validate show confirm pending why"
    related["plan"] = "apply show undo"
    related["undo"] = "apply runs show confirm"
    related["validate"] = "apply compile schema explain"
    related["compile"] = "apply graph validate"
    related["graph"] = "compile why"
    related["device"] = "apply push types describe"
    related["push"] = "apply kit agent device"
    related["resource"] = "types describe capture apply"
    related["capture"] = "resource validate apply"
    related["new"] = "check describe examples"
    related["types"] = "describe resource schema examples"
    related["describe"] = "types examples schema data-type"
    related["schema"] = "types describe validate init"
    related["data-type"] = "describe types"
    related["facts"] = "node"
    related["node"] = "facts why"
    related["runs"] = "show history undo"
    related["show"] = "runs history why plan"
    related["history"] = "runs show why"
    related["pending"] = "apply show"
    related["confirm"] = "apply undo"
    related["check"] = "new describe"
    related["bundle"] = "agent apply"
    related["agent"] = "bundle collect push"
    related["collect"] = "fleet agent"
    related["fleet"] = "collect"
    related["kit"] = "push"
    related["module"] = "apply bundle validate"
    related["why"] = "history node graph"
    related["explain"] = "why validate help"
    related["complete"] = "help"
    related["help"] = "explain examples describe"
    related["examples"] = "init describe types help"
    related["init"] = "examples validate apply schema"
}

function put_section(title, out) {
    if (said[title] != "")
        printf "\n## %s\n\n%s\n", title, said[title] >out
}

END {
    close_section()
    begin_related()
    for (i = 1; i <= commands; i++) {
        command = names[i]
        out = directory "/rhost-" command ".1.md"
        printf "# rhost-%s(1)\n\n## Name\n\nrhost-%s - %s\n", command, command, \
            summary[command] != "" ? summary[command] : "show the help of a command or a topic" >out
        printf "\n## Synopsis\n\n%s", usage[command] >out
        printf "\n## Description\n\n%s\n", text[command] >out
        printf "\n## Options\n\n| option | |\n|---|---|\n%s%s", options[command], options["all"] >out
        put_section("Exit status", out)
        put_section("Signals", out)
        put_section("Environment", out)
        put_section("Files", out)
        printf "\n## See also\n\n**rhost**(1)" >out
        n = split(related[command], other, " ")
        for (j = 1; j <= n; j++)
            printf ", **rhost-%s**(1)", other[j] >out
        printf ", **rhost-manifest**(5)\n" >out
        close(out)
    }
}

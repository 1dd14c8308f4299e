/* SPDX-License-Identifier: Apache-2.0 */
/* other-syntax - what is written as other languages have it, and how it is said here. */
#include "config.h"

#include "script/other-syntax.h"

#include <ctype.h>
#include <string.h>

/* What Lua said contains `said`, and what stands there begins with `text`. */
static const struct habit {
    const char *said, *text, *hint;
    enum { BOTH, EXPRESSION, RECIPE } where;
} habits[] = {
    { "near '!'", "!=", "what differs is told by '~='", BOTH },
    { "near '!'", "!", "'not' negates: not x", BOTH },
    { "near '&'", "&", "conditions are joined by 'and'", BOTH },
    { "near '|'", "|", "one condition or the other: 'or'", BOTH },
    { "near '?'", "?", "a choice is written: condition and this or that", BOTH },
    { "near '='", "=~", "matches(TEXT, \"expression\") tells whether a regular expression matches", BOTH },
    { "near '='", "=", "two things are compared by '=='", EXPRESSION },
    { "near 'in'", "in ", "contains(LIST, VALUE) tells whether it is in there", EXPRESSION },
    { "near 'is'", "is ", "x ~= nil tells whether there is one, x == nil whether there is none", EXPRESSION },
    { "near '$'", "$", "names have no '$'; facts and attributes are read like node.os.family", BOTH },
    { "near ':'", ":", "names of things are texts: \"present\"", RECIPE },
    { "near '#'", "#", "a comment starts with '--'", RECIPE },
    { "'then' expected near ';'", "", "it is written {% if CONDITION then %}", RECIPE },
    { "'do' expected near ';'", "", "it is written {% for _, x in ipairs(LIST) do %}", RECIPE },
    { "'then' expected", "", "it is written: if CONDITION then", RECIPE },
    { "near '@'", "@", "names have no '@'", BOTH },
    { "near 'if'", "if", "a choice is written: condition and this or that", EXPRESSION },
    { "near 'return'", "return", "the expression alone is the result: remove 'return'", EXPRESSION },
    { "(to close '{' at line", "", "what stands in a table has commas between: {a = 1, b = 2}", RECIPE },
    { "for iterator 'for iterator'", "",
      "lists are gone through by: for i, x in ipairs(list) do; hashes by pairs(hash)", BOTH },
    { "attempt to add a 'string'", "", "texts are joined by '..'", BOTH },
    { "attempt to add a 'number' with a 'string'", "", "texts are joined by '..'", BOTH },
    { "attempt to concatenate a table", "", "join(LIST, \", \") makes a text of a list", BOTH },
    { "attempt to concatenate a nil", "", "default(VALUE, OTHER) gives something in its place", BOTH },
    { "a table has both names and positions", "",
      "a list stands in braces of its own: {\"run\", \"exec[x]\"}", BOTH },
    { "a function is not a value", "", "a command is a text or a list; a condition of the recipe is 'if'",
      RECIPE },
    { "got no value", "", "functions are called with their values: upper(x)", BOTH },
    { "attempt to perform bitwise operation on a string", "",
      "there are no filters; functions are called: upper(x)", BOTH },
};

/* "node.web.port = 80", from the place that is complained of on. */
static bool
assigns(const char *text, size_t n)
{
    size_t i = 0;

    while (i < n && (isalnum((unsigned char)text[i]) || strchr("_.[]\"'", text[i])))
        i++;
    while (i < n && text[i] == ' ')
        i++;
    return i + 1 < n && text[i] == '=' && text[i + 1] != '=';
}

/* `file "/etc/motd" do`, and an attribute on the next line. */
static bool
follows_do(const char *start, const char *at)
{
    while (at > start && at[-1] != '\n')
        at--;
    while (at > start && isspace((unsigned char)at[-1]))
        at--;
    if (at - start < 6 || memcmp(at - 3, " do", 3) != 0)
        return false;
    return at[-4] == '"' || at[-4] == '\'';
}

const char *
rh_other_syntax_hint(const char *message, const char *start, const char *at, size_t n, bool recipe)
{
    if (recipe && strstr(message, "is not there (node.") && assigns(at, n))
        return "what is merged is not written to, but a level: node.default.web.port = 80";
    if (recipe && strncmp(message, "there is no '", 13) == 0 && follows_do(start, at))
        return "attributes stand in a table: file \"/etc/motd\" { content = \"...\", mode = \"0644\" }";
    for (size_t i = 0; i < sizeof habits / sizeof habits[0]; i++) {
        const struct habit *h = &habits[i];
        size_t wanted = strlen(h->text);

        if (h->where == (recipe ? EXPRESSION : RECIPE) || !strstr(message, h->said))
            continue;
        if (wanted <= n && memcmp(at, h->text, wanted) == 0)
            return h->hint;
    }
    return NULL;
}

static const struct name {
    const char *name, *hint;
} names[] = {
    { "ansible_", "facts are read like node.os.family: 'rhost facts' shows them" },
    { "facts", "facts are read like node.os.family: 'rhost facts' shows them" },
    { "hostvars", "facts and attributes are below 'node'" },
    { "include_recipe", "include(\"other.lua\") reads another file" },
    { "io", "a recipe reaches files by read_file(PATH), and what is there by file(PATH).content" },
    { "item", "the element is each.value, and its name or number each.key" },
    { "len", "#x is how much there is in x" },
    { "length", "#x is how much there is in x" },
    { "lookup", "file(PATH), env(NAME) and secret_file(PATH) read from outside" },
    { "None", "nothing is written nil" },
    { "null", "nothing is written nil" },
    { "os", "facts are read like node.os.family, and the environment by env(NAME)" },
    { "require", "include(\"other.lua\") reads another file" },
    { "undef", "nothing is written nil" },
    { "vars", "attributes are below 'node'" },
};

const char *
rh_other_syntax_name(const char *name)
{
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        size_t n = strlen(names[i].name);

        if (strncmp(name, names[i].name, n) == 0 && (!name[n] || names[i].name[n - 1] == '_'))
            return names[i].hint;
    }
    return NULL;
}

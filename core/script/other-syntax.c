/* SPDX-License-Identifier: Apache-2.0 */
/* other-syntax - what is written as other languages have it, and how it is said here. */
#include "config.h"

#include "script/other-syntax.h"

#include <ctype.h>
#include <string.h>

/* What Lua said contains `fragment`, and what stands there begins with `text`. */
static const struct syntax {
    const char *fragment, *text, *hint;
    enum { BOTH, EXPRESSION, RECIPE } where;
} syntaxes[] = {
    { "near '!'", "!=", "write '~=' for not equal", BOTH },
    { "near '!'", "!", "write 'not x' to negate x", BOTH },
    { "near '&'", "&", "write 'and' between conditions", BOTH },
    { "near '|'", "|", "write 'or' between conditions", BOTH },
    { "near '?'", "?", "write a choice as: condition and this or that", BOTH },
    { "near '='", "=~", "use matches(TEXT, \"expression\") for a regular expression", BOTH },
    { "near '='", "=", "write '==' to compare two values", EXPRESSION },
    { "near 'in'", "in ", "use contains(LIST, VALUE)", EXPRESSION },
    { "near 'is'", "is ", "use exists(x)", EXPRESSION },
    { "near '$'", "$", "remove the '$'; read facts and attributes like node.os.family", BOTH },
    { "near ':'", ":", "write a name as text: \"present\"", RECIPE },
    { "near '#'", "#", "start a comment with '--'", RECIPE },
    { "unknown statement 'end", "", "write {% end %}", RECIPE },
    { "unknown statement 'el", "", "write {% elseif CONDITION then %}", RECIPE },
    { "unknown statement 'unless'", "", "write {% if not (CONDITION) then %}", RECIPE },
    { "unknown statement 'set'", "", "write {% local x = 1 %}", RECIPE },
    { "unknown statement 'assign'", "", "write {% local x = 1 %}", RECIPE },
    { "unknown statement 'foreach'", "", "write {% for _, x in ipairs(LIST) do %}", RECIPE },
    { "unknown statement 'raw'", "", "write text with braces as an expression: {{ \"{{ x }}\" }}", RECIPE },
    { "unknown statement '", "", "statements are Lua; {{ include(\"FILE\") }} inserts another template",
      RECIPE },
    { "'then' expected near ';'", "", "write {% if CONDITION then %}", RECIPE },
    { "'do' expected near ';'", "", "write {% for _, x in ipairs(LIST) do %}", RECIPE },
    { "'then' expected", "", "write: if CONDITION then", RECIPE },
    { "near '@'", "@", "remove the '@'", BOTH },
    { "near 'if'", "if", "write a choice as: condition and this or that", EXPRESSION },
    { "near 'return'", "return", "remove 'return': the expression is the result", EXPRESSION },
    { "(to close '{' at line", "", "separate the elements of a table with commas: {a = 1, b = 2}", RECIPE },
    { "for iterator 'for iterator'", "", "loop with: for i, x in ipairs(list) do; for a hash use pairs(hash)",
      BOTH },
    { "attempt to add a 'string'", "", "join texts with '..'", BOTH },
    { "attempt to add a 'number' with a 'string'", "", "join texts with '..'", BOTH },
    { "attempt to concatenate a table", "", "join(LIST, \", \") makes a text of a list", BOTH },
    { "attempt to concatenate a nil", "", "default(VALUE, OTHER) gives another value when it is nil", BOTH },
    { "a table has both names and positions", "", "write a list in braces of its own: {\"run\", \"exec[x]\"}",
      BOTH },
    { "a function cannot be used as a value", "",
      "a command is a text or a list; a condition of the recipe is 'if'", RECIPE },
    { "got no value", "", "call a function with its values: upper(x)", BOTH },
    { "attempt to perform bitwise operation on a string", "", "call a function instead of a filter: upper(x)",
      BOTH },
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
    if (recipe && strstr(message, "': node.") && assigns(at, n))
        return "write to a level, not to the merged value: node.default.web.port = 80";
    if (recipe && strncmp(message, "unknown name '", 14) == 0 && follows_do(start, at))
        return "write attributes in a table: file \"/etc/motd\" { content = \"...\", mode = \"0644\" }";
    if (recipe && strstr(message, "'end' expected (to close 'if'")
        && memmem(start, n + (size_t)(at - start), "else if", 7))
        return "write 'elseif': 'else if' begins another 'if', which needs an 'end' of its own";
    for (size_t i = 0; i < sizeof syntaxes / sizeof syntaxes[0]; i++) {
        const struct syntax *h = &syntaxes[i];
        size_t wanted = strlen(h->text);

        if (h->where == (recipe ? EXPRESSION : RECIPE) || !strstr(message, h->fragment))
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
    { "io", "a recipe reads files with read_file(PATH) and the current content with file(PATH).content" },
    { "item", "the element is each.value, and its name or number each.key" },
    { "len", "#x is the number of elements in x" },
    { "length", "#x is the number of elements in x" },
    { "lookup", "use file(PATH), env(NAME) or secret_file(PATH)" },
    { "None", "write nil for no value" },
    { "null", "write nil for no value" },
    { "os", "facts are read like node.os.family, and the environment by env(NAME)" },
    { "require", "include(\"other.lua\") reads another file" },
    { "undef", "write nil for no value" },
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

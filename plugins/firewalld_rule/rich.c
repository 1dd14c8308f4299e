/* SPDX-License-Identifier: Apache-2.0 */
/* rich - the rich language of firewalld, as far as its form goes: see firewalld.richlanguage(5). firewalld
 * lists a rule in one order and quotes all values; what a manifest says is brought into that form. */

#include "rich.h"

#include <stdlib.h>
#include <strings.h>

enum { MOST_VALUES = 4, MOST_WORDS = 64 };

/* Where an element stands in a rule. */
enum place { RULE, SOURCE, DESTINATION, ELEMENT, LOG, AUDIT, ACTION, PLACES };

struct element {
    const char *name;
    enum place place;
    const char *values[MOST_VALUES + 1]; /* in the order in which they are listed */
    int negated;                         /* may have NOT */
    int limited;                         /* may have a limit */
    int bare;                            /* its values are listed without quotes */
};

static const struct element elements[] = {
    { .name = "rule", .place = RULE, .values = { "priority", "family" } },
    { .name = "source", .place = SOURCE, .values = { "address", "mac", "ipset" }, .negated = 1 },
    { .name = "destination", .place = DESTINATION, .values = { "address", "ipset" }, .negated = 1 },
    { .name = "service", .place = ELEMENT, .values = { "name" } },
    { .name = "port", .place = ELEMENT, .values = { "port", "protocol" } },
    { .name = "source-port", .place = ELEMENT, .values = { "port", "protocol" } },
    { .name = "protocol", .place = ELEMENT, .values = { "value" } },
    { .name = "masquerade", .place = ELEMENT },
    { .name = "icmp-block", .place = ELEMENT, .values = { "name" } },
    { .name = "icmp-type", .place = ELEMENT, .values = { "name" } },
    { .name = "tcp-mss-clamp", .place = ELEMENT, .values = { "value" } },
    { .name = "forward-port", .place = ELEMENT, .values = { "port", "protocol", "to-port", "to-addr" } },
    { .name = "log", .place = LOG, .values = { "prefix", "level" }, .limited = 1 },
    { .name = "nflog", .place = LOG, .values = { "group", "prefix", "queue-size" }, .limited = 1 },
    { .name = "audit", .place = AUDIT, .limited = 1 },
    { .name = "accept", .place = ACTION, .limited = 1 },
    { .name = "drop", .place = ACTION, .limited = 1 },
    { .name = "reject", .place = ACTION, .values = { "type" }, .limited = 1 },
    { .name = "mark", .place = ACTION, .values = { "set" }, .limited = 1, .bare = 1 },
};

/* An element of a rule, with its values. */
struct part {
    const struct element *element;
    const char *values[MOST_VALUES];
    const char *limit;
    int negated, in_limit;
};

struct rule {
    struct part parts[PLACES];
    struct part *now; /* that to which the next value belongs */
};

/* The next word of the text, without its quotes; NULL at its end, or with *why. */
static const char *
next_word(rhost_ctx *ctx, const char **text, const char **why)
{
    const char *p = *text + strspn(*text, " \t");
    char *word, *end;

    if (!*p)
        return NULL;
    word = end = rhost_alloc(ctx, strlen(p) + 1);
    while (*p && *p != ' ' && *p != '\t') {
        if (*p == '"' || *p == '\'') {
            size_t len = strcspn(p + 1, *p == '"' ? "\"" : "'");

            if (!p[1 + len]) {
                *why = "a value has no closing quotes";
                return NULL;
            }
            memcpy(end, p + 1, len);
            end += len;
            p += len + 2;
        } else {
            *end++ = *p++;
        }
    }
    *end = '\0';
    *text = p;
    for (const char *c = word; *c; c++)
        if (*c == '"' || *c == '\\' || (unsigned char)*c < ' ')
            *why = "a value has a character that firewalld does not take";
    return *why ? NULL : word;
}

static const char *
add_element(rhost_ctx *ctx, struct rule *rule, const char *word)
{
    if (strcasecmp(word, "not") == 0) {
        if (!rule->now || !rule->now->element->negated)
            return "'NOT' belongs to 'source' or 'destination'";
        rule->now->negated = 1;
        return NULL;
    }
    if (strcmp(word, "limit") == 0) {
        if (!rule->now || !rule->now->element->limited)
            return "'limit' belongs to 'log', 'nflog', 'audit' or the action";
        rule->now->in_limit = 1;
        return NULL;
    }
    for (size_t i = 0; i < sizeof elements / sizeof *elements; i++) {
        struct part *part = &rule->parts[elements[i].place];

        if (strcmp(elements[i].name, word) != 0)
            continue;
        if (elements[i].place != RULE && !rule->parts[RULE].element)
            break;
        if (part->element)
            return rhost_fmt(ctx, "'%s' and '%s' exclude each other", part->element->name, word);
        *part = (struct part){ .element = &elements[i] };
        rule->now = part;
        return NULL;
    }
    return rule->parts[RULE].element ? rhost_fmt(ctx, "unknown element '%s'", word)
                                     : "a rich rule begins with 'rule'";
}

static const char *
add_value(rhost_ctx *ctx, struct rule *rule, const char *word)
{
    size_t len = strcspn(word, "=");
    const char *name = rhost_copy(ctx, word, len), *value = word + len + 1;
    struct part *part = rule->now;

    if (!part)
        return "a rich rule begins with 'rule'";
    if (!*value || strchr(value, '='))
        return rhost_fmt(ctx, "'%s' needs a value without '='", name);
    if (part->in_limit) {
        if (strcmp(name, "value") != 0)
            return rhost_fmt(ctx, "unknown value '%s' of 'limit'", name);
        part->limit = value;
        part->in_limit = 0;
        return NULL;
    }
    if (strcmp(name, "family") == 0 || strcmp(name, "priority") == 0)
        part = &rule->parts[RULE];
    for (size_t i = 0; i < MOST_VALUES && part->element->values[i]; i++)
        if (strcmp(part->element->values[i], name) == 0) {
            if (part->values[i])
                return rhost_fmt(ctx, "duplicate value '%s'", name);
            part->values[i] = value;
            return NULL;
        }
    return rhost_fmt(ctx, "unknown value '%s' of '%s'", name, part->element->name);
}

/* firewalld lists the priority as a number, and not at all where it is 0. */
static const char *
tidy_priority(rhost_ctx *ctx, struct rule *rule)
{
    const char **priority = &rule->parts[RULE].values[0];
    char *end;
    long n;

    if (!*priority)
        return NULL;
    n = strtol(*priority, &end, 10);
    if (*end || n < -32768 || n > 32767)
        return "'priority' must be a number between -32768 and 32767";
    *priority = n ? rhost_fmt(ctx, "%ld", n) : NULL;
    return NULL;
}

static const char *
parse(rhost_ctx *ctx, const char *text, struct rule *rule)
{
    const char *why = NULL, *word;
    size_t n = 0;

    while ((word = next_word(ctx, &text, &why))) {
        why = strchr(word, '=') ? add_value(ctx, rule, word) : add_element(ctx, rule, word);
        if (why)
            return why;
        if (++n > MOST_WORDS)
            return "it is too long";
    }
    if (why)
        return why;
    if (!rule->parts[RULE].element)
        return "a rich rule begins with 'rule'";
    for (size_t i = 0; i < PLACES; i++)
        if (rule->parts[i].in_limit)
            return "'limit' needs a value";
    return tidy_priority(ctx, rule);
}

static const char *
print(rhost_ctx *ctx, const struct rule *rule)
{
    const char *text = "";

    for (size_t i = 0; i < PLACES; i++) {
        const struct part *part = &rule->parts[i];

        if (!part->element)
            continue;
        text = rhost_fmt(ctx, "%s%s%s%s", text, *text ? " " : "", part->element->name,
                         part->negated ? " NOT" : "");
        for (size_t k = 0; k < MOST_VALUES && part->element->values[k]; k++)
            if (part->values[k])
                text = rhost_fmt(ctx, part->element->bare ? "%s %s=%s" : "%s %s=\"%s\"", text,
                                 part->element->values[k], part->values[k]);
        if (part->limit)
            text = rhost_fmt(ctx, "%s limit value=\"%s\"", text, part->limit);
    }
    return text;
}

const char *
rich_canonical(rhost_ctx *ctx, const char *text, const char **why)
{
    struct rule rule = { .now = NULL };

    *why = parse(ctx, text, &rule);
    return *why ? NULL : print(ctx, &rule);
}

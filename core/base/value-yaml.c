/* SPDX-License-Identifier: Apache-2.0 */
/* value-yaml - values as YAML that people read. */
#include "config.h"

#include "base/value-yaml.h"

#include "base/text.h"
#include "base/value-json.h"
#include "base/value.h"

#include <string.h>
#include <strings.h>

enum { LONGEST_WORD = sizeof "false" - 1 };

/* Text that YAML reads as that text without quotes. */
static bool
is_plain(const char *s, size_t n)
{
    static const char *const words[] = { "true", "false", "null", "yes", "no", "on", "off", "y", "n" };

    if (!n || n > 200)
        return false;
    if (!(*s >= 'a' && *s <= 'z') && !(*s >= 'A' && *s <= 'Z') && *s != '/')
        return false;
    for (size_t i = 0; i < n; i++)
        if (!(s[i] >= 'a' && s[i] <= 'z') && !(s[i] >= 'A' && s[i] <= 'Z') && !(s[i] >= '0' && s[i] <= '9')
            && s[i] != '/' && s[i] != '.' && s[i] != '_' && s[i] != '-' && s[i] != '+')
            return false;
    for (size_t i = 0; n <= LONGEST_WORD && i < sizeof words / sizeof words[0]; i++)
        if (strcasecmp(s, words[i]) == 0)
            return false;
    return true;
}

/* In quotes it is as JSON has it, which YAML reads as well, and in which nothing is left that a terminal acts
 * on. */
static void
add_text(struct rh_buf *b, const char *s, size_t n)
{
    if (is_plain(s, n))
        rh_buf_addn(b, s, n);
    else
        rh_json_string(b, s, n);
}

static void
add_value(struct rh_buf *b, const struct rh_value *v, bool sensitive)
{
    if (v->kind == RH_STRING && (sensitive || !rh_value_sensitive(v)))
        add_text(b, v->u.string, v->count);
    else
        rh_value_to_json(b, v, sensitive);
}

void
rh_yaml_add(struct rh_buf *b, const struct rh_value *v)
{
    add_value(b, v, false);
}

/* What a literal block can hold: it has no escapes, and each character must be one that YAML takes, and that
 * ends no line other than '\n' does. Empty lines at the end would be counted together with those that stand
 * behind the block. */
static bool
is_literal(const struct rh_value *v)
{
    const char *s = v->u.string;
    size_t n = v->count, blanks;

    if (v->kind != RH_STRING || rh_value_sensitive(v) || !memchr(s, '\n', n))
        return false;
    if (n > 1 && s[n - 1] == '\n' && s[n - 2] == '\n')
        return false;
    for (blanks = 0; blanks < n && (s[blanks] == ' ' || s[blanks] == '\n'); blanks++)
        continue;
    if (blanks == n)
        return false;
    for (size_t i = 0, len; i < n; i += len) {
        len = rh_utf8_length(s + i, n - i);
        if (!len || (s[i] != '\n' && s[i] != '\t' && rh_utf8_active(s + i, len)))
            return false;
    }
    return true;
}

static void
indent(struct rh_buf *b, size_t depth)
{
    for (size_t i = 0; i < depth; i++)
        rh_buf_add(b, "  ");
}

bool
rh_yaml_add_literal(struct rh_buf *b, const struct rh_value *v, size_t depth)
{
    const char *s = v->u.string, *end = s;
    size_t n = v->count;

    if (!is_literal(v))
        return false;
    /* Where the first line begins with a blank, or is empty, the indentation has to be said. */
    rh_buf_add(b, strchr(" \t\n", *s) ? " |2" : " |");
    rh_buf_add(b, s[n - 1] == '\n' ? "\n" : "-\n");
    for (; n; n -= (size_t)(end - s), s = end) {
        end = memchr(s, '\n', n);
        end = end ? end + 1 : s + n;
        if (*s != '\n')
            indent(b, depth);
        rh_buf_addn(b, s, (size_t)(end - s));
    }
    if (end[-1] != '\n')
        rh_buf_addc(b, '\n');
    return true;
}

static void
add_short_list(struct rh_buf *b, const struct rh_value *v, bool sensitive)
{
    for (size_t i = 0; i < rh_value_count(v); i++) {
        rh_buf_add(b, i ? ", " : "[");
        add_value(b, rh_value_at(v, i), sensitive);
    }
    rh_buf_addc(b, ']');
}

static bool
is_block(const struct rh_value *v, bool sensitive)
{
    return (v->kind == RH_HASH || v->kind == RH_ARRAY) && rh_value_count(v)
           && (sensitive || !(v->marks & RH_SENSITIVE));
}

/* A list of texts and numbers reads better on one line. */
static bool
is_short_list(const struct rh_value *v)
{
    size_t width = 0;

    for (size_t i = 0; v->kind == RH_ARRAY && i < rh_value_count(v); i++) {
        const struct rh_value *item = rh_value_at(v, i);

        if (item->kind == RH_HASH || item->kind == RH_ARRAY)
            return false;
        width += item->kind == RH_STRING ? item->count + 2 : 8;
    }
    return v->kind == RH_ARRAY && width < 70;
}

/* The cursor is where `v` begins: behind a key, a dash, or at the start of a line. */
static void
add_block(struct rh_buf *b, const struct rh_value *v, size_t depth, bool fresh, bool sensitive)
{
    for (size_t i = 0; i < rh_value_count(v); i++) {
        const struct rh_entry *e = v->kind == RH_HASH ? rh_value_entry(v, i) : NULL;
        const struct rh_value *item = e ? e->value : rh_value_at(v, i);

        if (i || fresh)
            indent(b, depth);
        if (e)
            add_text(b, e->key, strlen(e->key));
        rh_buf_addc(b, e ? ':' : '-');
        if (!is_block(item, sensitive)) {
            rh_buf_addc(b, ' ');
            add_value(b, item, sensitive);
            rh_buf_addc(b, '\n');
        } else if (is_short_list(item)) {
            rh_buf_addc(b, ' ');
            add_short_list(b, item, sensitive);
            rh_buf_addc(b, '\n');
        } else if (e) {
            rh_buf_addc(b, '\n');
            add_block(b, item, depth + 1, true, sensitive);
        } else {
            rh_buf_addc(b, ' ');
            add_block(b, item, depth + 1, false, sensitive);
        }
    }
}

void
rh_yaml_add_block(struct rh_buf *b, const struct rh_value *v, bool sensitive)
{
    if (is_block(v, sensitive)) {
        add_block(b, v, 0, true, sensitive);
    } else {
        add_value(b, v, sensitive);
        rh_buf_addc(b, '\n');
    }
}

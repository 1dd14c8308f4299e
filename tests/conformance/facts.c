/* SPDX-License-Identifier: Apache-2.0 */
/* facts - what came of a vector of converge.json, or should; and what Chef made of it. */
#include "config.h"

#include "facts.h"

#include "runs.h"

#include "base/alloc.h"
#include "base/cleanup.h"

#include <stdlib.h>
#include <string.h>

void
facts_init(struct facts *f)
{
    *f = (struct facts){ .blocks = json_object_new_array(),
                         .answers = json_object_new_array(),
                         .changes = json_object_new_array() };
}

void
facts_clear(struct facts *f)
{
    json_object_put(f->blocks);
    json_object_put(f->answers);
    json_object_put(f->changes);
}

void
facts_add_change(struct facts *f, const char *name, struct json_object *from, struct json_object *to,
                 bool hidden)
{
    struct json_object *c = json_object_new_array();

    json_object_array_add(c, json_object_new_string(name));
    json_object_array_add(c, hidden ? NULL : json_object_get(from));
    json_object_array_add(c, hidden ? NULL : json_object_get(to));
    json_object_array_add(c, json_object_new_boolean(hidden));
    json_object_array_add(f->changes, c);
}

/* What differs, as a set of facts. A run that failed has changed nothing that counts. */
unsigned
facts_compare(const struct facts *a, const struct facts *b)
{
    unsigned set = 0;

    set |= a->failed != b->failed ? FAILED : 0;
    set |= a->updated != b->updated ? UPDATED : 0;
    set |= !js_equal(a->blocks, b->blocks) ? BLOCKS : 0;
    set |= !js_equal(a->answers, b->answers) ? ANSWERS : 0;
    set |= !js_equal(a->changes, b->changes) ? CHANGES : 0;
    return set;
}

void
facts_fail(struct facts *f)
{
    f->failed = true;
    f->updated = false;
    json_object_put(f->changes);
    f->changes = json_object_new_array();
}

/* What Chef did. */

/* Ruby's way of showing a value, as JSON; returns how much of the text it was. */
static size_t
read_ruby(const char *text, struct json_object **v)
{
    char *json = rh_xalloc(2 * strlen(text) + 8), *to = json;
    struct json_tokener *reader = json_tokener_new();
    const char *from = text;
    size_t used = 0;
    int depth = 0;

    *v = NULL;
    for (bool over = false; *from && !over;) {
        if (*from == '"') {
            *to++ = *from++;
            while (*from && *from != '"') {
                if (*from == '\\' && from[1])
                    *to++ = *from++;
                *to++ = *from++;
            }
            if (*from)
                *to++ = *from++;
        } else if (strncmp(from, "=>", 2) == 0) {
            *to++ = ':';
            from += 2;
        } else if (strncmp(from, "nil", 3) == 0) {
            memcpy(to, "null", 4);
            to += 4;
            from += 3;
        } else if (*from == ':') {
            size_t n = strspn(from + 1, "abcdefghijklmnopqrstuvwxyz_ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789");

            *to++ = '"';
            memcpy(to, from + 1, n);
            to += n;
            *to++ = '"';
            from += n + 1;
        } else {
            depth += *from == '[' || *from == '{';
            depth -= *from == ']' || *from == '}';
            *to++ = *from++;
        }
        over = depth == 0 && (!*from || *from == ' ' || *from == ')');
    }
    used = (size_t)(from - text);
    *to = '\0';
    *v = json_tokener_parse_ex(reader, json, (int)(to - json) + 1);
    json_tokener_free(reader);
    free(json);
    return used;
}

/* "set mode    to \"0666\" (was \"0600\")" */
static void
read_set(const char *text, struct facts *f)
{
    static const char suppressed[] = "(suppressed sensitive property)";
    size_t n = strcspn(text, " ");
    rh_autofree char *name = rh_xstrndup(text, n);
    struct json_object *from = NULL, *to = NULL;
    bool hidden;

    text += n + strspn(text + n, " ");
    text += strncmp(text, "to ", 3) == 0 ? 3 : 0;
    hidden = strncmp(text, suppressed, strlen(suppressed)) == 0;
    if (!hidden) {
        text += read_ruby(text, &to);
        text += strspn(text, " ");
        if (strncmp(text, "(was ", 5) == 0)
            (void)read_ruby(text + 5, &from);
    }
    facts_add_change(f, name, from, to, hidden);
    json_object_put(from);
    json_object_put(to);
}

void
facts_of_chef(struct json_object *vector, struct facts *f)
{
    struct json_object *chef = js(vector, "chef19"), *lines = js(chef, "lines");

    facts_init(f);
    f->failed = js(chef, "error") != NULL;
    f->updated = js_true(chef, "updated");
    for (size_t i = 0; i < js_count(js(chef, "blocks")); i++) {
        const char *block = json_object_get_string(js_at(js(chef, "blocks"), i));

        block += strcspn(block, "0123456789");
        json_object_array_add(f->blocks, json_object_new_int64(strtol(block, NULL, 10)));
    }
    for (size_t i = 0; i < js_count(js(chef, "returns")); i++) {
        const char *word = json_object_get_string(js_at(js(chef, "returns"), i));

        json_object_array_add(f->answers, json_object_new_boolean(strcmp(word, "true") == 0));
    }
    for (size_t i = 0; i < js_count(lines); i++) {
        const char *line = json_object_get_string(js_at(lines, i));

        line += strspn(line, " -");
        if (strncmp(line, "Would ", 6) == 0)
            line += 6 + strspn(line + 6, " ");
        if (strncmp(line, "set ", 4) == 0)
            read_set(line + 4, f);
    }
    if (f->failed)
        facts_fail(f);
}

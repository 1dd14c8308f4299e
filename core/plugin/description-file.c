/* SPDX-License-Identifier: Apache-2.0 */
/* description-file - descriptions of plugins as text, which is read when somebody asks for a type. */
#include "config.h"

#include "plugin/description-file.h"

#include "base/alloc.h"
#include "base/arena.h"
#include "base/checksum.h"
#include "base/cleanup.h"
#include "base/draft.h"
#include "base/error.h"
#include "base/text.h"
#include "base/value-json.h"
#include "base/value.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FORMAT = 3 };

/* What is around the head, the lines and the checksum. */
static const char opens[] = ", \"descriptions\": [\n", ends[] = "], \"sum\": \"", closes[] = "\"}\n";

static const char *const lists[] = { "providers", "transports" };

static struct rh_value *
summary_of(struct rh_arena *a, const struct rh_value *description)
{
    static const char *const keys[] = { "type", "provider", "data_types" };
    struct rh_value *v = rh_value_hash(a, sizeof keys / sizeof *keys + 1);
    rh_autobuf struct rh_buf text = { 0 };

    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        const struct rh_value *own = rh_value_get(description, keys[i]);

        if (own)
            rh_value_put_ref(v, keys[i], own);
    }
    rh_value_to_json(&text, description, true);
    rh_value_put_ref(v, "text", rh_value_string(a, rh_buf_text(&text)));
    return v;
}

/* All the same but for its descriptions, each of which `change` makes into something else. */
static struct rh_value *
change_each(struct rh_arena *a, const struct rh_value *answer,
            struct rh_value *(*change)(void *data, const struct rh_value *description), void *data)
{
    struct rh_value *v = rh_value_hash(a, rh_value_count(answer) + 1);

    for (size_t i = 0; i < rh_value_count(answer); i++)
        rh_value_put(v, rh_value_entry(answer, i)->key, rh_value_entry(answer, i)->value);
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
        const struct rh_value *all = rh_value_get(answer, lists[i]);
        struct rh_value *list;

        if (!rh_value_is(all, RH_ARRAY))
            continue;
        list = rh_value_new(a, RH_ARRAY);
        for (size_t k = 0; k < rh_value_count(all); k++)
            rh_value_append(list, change(data, rh_value_at(all, k)));
        rh_value_put(v, lists[i], list);
    }
    if (rh_value_is(rh_value_get(answer, "source"), RH_HASH))
        rh_value_put(v, "source", change(data, rh_value_get(answer, "source")));
    return v;
}

static struct rh_value *
to_summary(void *data, const struct rh_value *description)
{
    return summary_of(data, description);
}

struct rh_value *
rh_description_summary(struct rh_arena *a, const struct rh_value *answer)
{
    return change_each(a, answer, to_summary, a);
}

struct lines {
    struct rh_arena *arena;
    const char **text;
    size_t n, cap;
};

/* Its text becomes a line, and is named by the number of that. */
static struct rh_value *
to_line(void *data, const struct rh_value *summary)
{
    struct lines *lines = data;
    struct rh_value *v = rh_value_copy(lines->arena, summary);

    lines->text = rh_xgrow(lines->text, &lines->cap, lines->n, sizeof *lines->text);
    lines->text[lines->n] = rh_value_get_str(summary, "text", "");
    rh_value_drop(v, "text");
    rh_value_put(v, "line", rh_value_integer(lines->arena, (int64_t)lines->n++));
    return v;
}

void
rh_description_file_write(struct rh_buf *b, struct rh_arena *a, const struct rh_value *summaries)
{
    struct lines lines = { .arena = a };
    struct rh_value *head = rh_value_new(a, RH_HASH), *plugins = rh_value_new(a, RH_HASH);
    size_t start = b->n;

    for (size_t i = 0; i < rh_value_count(summaries); i++) {
        const struct rh_entry *e = rh_value_entry(summaries, i);

        rh_value_put(plugins, e->key, change_each(a, e->value, to_line, &lines));
    }
    rh_value_put(head, "format", rh_value_integer(a, FORMAT));
    rh_value_put(head, "rhost", rh_value_string(a, PACKAGE_VERSION));
    rh_value_put(head, "plugins", plugins);
    rh_value_to_json(b, head, true);
    rh_buf_truncate(b, b->n - 1); /* its brace, which comes with the checksum */
    rh_buf_add(b, opens);
    for (size_t i = 0; i < lines.n; i++)
        rh_buf_addf(b, "%s%s\n", lines.text[i], i + 1 < lines.n ? "," : "");
    free(lines.text);
    rh_buf_addf(b, "%s%016" PRIx64 "%s", ends, rh_checksum(b->s + start, b->n - start), closes);
}

/* Where the last line begins; 0: this is no such file, or it is damaged. */
static size_t
check(const char *text, size_t n)
{
    char last[sizeof ends + 16 + sizeof closes];
    size_t length = strlen(ends) + 16 + strlen(closes);

    if (n <= length)
        return 0;
    (void)snprintf(last, sizeof last, "%s%016" PRIx64 "%s", ends, rh_checksum(text, n - length), closes);
    return memcmp(text + n - length, last, length) == 0 ? n - length : 0;
}

/* The texts of the lines up to `end`, without what is between them. */
static void
cut_lines(struct lines *lines, char *from, char *end)
{
    char *newline;

    for (; from < end && (newline = memchr(from, '\n', (size_t)(end - from))); from = newline + 1) {
        char *last = newline > from && newline[-1] == ',' ? newline - 1 : newline;

        *last = '\0';
        lines->text = rh_xgrow(lines->text, &lines->cap, lines->n, sizeof *lines->text);
        lines->text[lines->n++] = from;
    }
}

static struct rh_value *
to_text(void *data, const struct rh_value *line)
{
    const struct lines *lines = data;
    const struct rh_value *number = rh_value_get(line, "line");
    struct rh_value *v = rh_value_hash(lines->arena, rh_value_count(line));
    const char *text = "";

    for (size_t i = 0; i < rh_value_count(line); i++)
        rh_value_put_ref(v, rh_value_entry(line, i)->key, rh_value_entry(line, i)->value);
    if (rh_value_is(number, RH_INTEGER) && number->u.integer >= 0 && (uint64_t)number->u.integer < lines->n)
        text = lines->text[number->u.integer];
    rh_value_put(v, "text", rh_value_string_ref(lines->arena, text, strlen(text)));
    return v;
}

/* The first line as JSON of its own. */
static const struct rh_value *
read_head(struct rh_arena *a, const char *text, size_t n)
{
    rh_autoerror struct rh_error err = { 0 };
    rh_autobuf struct rh_buf head = { 0 };
    const struct rh_value *v, *format;

    rh_buf_addn(&head, text, n);
    rh_buf_addc(&head, '}');
    v = rh_value_from_json(a, head.s, head.n, &err);
    format = rh_value_get(v, "format");
    if (!rh_value_is(format, RH_INTEGER) || format->u.integer != FORMAT
        || strcmp(rh_value_get_str(v, "rhost", ""), PACKAGE_VERSION) != 0)
        return NULL;
    return rh_value_get(v, "plugins");
}

struct rh_value *
rh_description_file_read(struct rh_arena *a, char *text, size_t n)
{
    struct lines lines = { .arena = a };
    size_t end = check(text, n);
    char *first = end ? memmem(text, end, opens, strlen(opens)) : NULL;
    const struct rh_value *plugins = first ? read_head(a, text, (size_t)(first - text)) : NULL;
    struct rh_value *v = NULL;

    rh_arena_defer(a, free, text);
    if (!rh_value_is(plugins, RH_HASH))
        return NULL;
    cut_lines(&lines, first + strlen(opens), text + end);
    v = rh_value_hash(a, rh_value_count(plugins) + 1);
    for (size_t i = 0; i < rh_value_count(plugins); i++) {
        const struct rh_entry *e = rh_value_entry(plugins, i);

        rh_value_put_ref(v, e->key, change_each(a, e->value, to_text, &lines));
    }
    free(lines.text);
    return v;
}

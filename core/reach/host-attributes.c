/* SPDX-License-Identifier: Apache-2.0 */
/* host-attributes - the attributes of groups and of the target, as files for the run on the target.
 *
 * Each file has its values at the lines and columns that they have in the file of targets, so that `rhost
 * node explain` on the target says where they come from: targets/GROUP/targets.yaml:12:9. They are written as
 * YAML in its flow form, with line breaks and blanks between. All are on the level `normal`: above every
 * default of roles and environments, below what they override. Those of inner groups come after those of
 * outer ones, and the target's own are the last: what comes later counts. */
#include "config.h"

#include "base/arena.h"
#include "base/source.h"
#include "base/value-json.h"
#include "base/value.h"
#include "reach/push-parts.h"

#include <string.h>

enum { FOLDER_MOST = 100 };

/* Where the text that was written so far ends. */
struct cursor {
    struct rh_buf *to;
    uint32_t line, column;
};

static void
put(struct cursor *c, const char *text, size_t n)
{
    rh_buf_addn(c->to, text, n);
    c->column += (uint32_t)rh_utf8_count(text, n);
}

/* Goes to a place that comes after this one; one that comes before it (an alias, say) is not reached. */
static void
go_to(struct cursor *c, struct rh_place place)
{
    for (; c->line < place.line; c->line++) {
        rh_buf_addc(c->to, '\n');
        c->column = 1;
    }
    while (c->line == place.line && c->column < place.column)
        put(c, " ", 1);
}

static void
put_json(struct cursor *c, const struct rh_value *v)
{
    rh_autobuf struct rh_buf text = { 0 };

    rh_value_to_json(&text, v, false);
    put(c, rh_buf_text(&text), text.n);
}

/* A key that needs no quotes: they would move what follows. */
static bool
is_plain(const char *key)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789";

    return *key && strspn(key, letters) == strlen(key);
}

static void
put_value(struct cursor *c, const struct rh_value *v)
{
    bool hash = rh_value_is(v, RH_HASH);

    if (!hash && !rh_value_is(v, RH_ARRAY)) {
        go_to(c, rh_value_place(v));
        put_json(c, v);
        return;
    }
    put(c, hash ? "{" : "[", 1);
    for (size_t i = 0; i < v->count; i++) {
        if (i)
            put(c, ",", 1);
        if (hash) {
            rh_autobuf struct rh_buf key = { 0 };

            go_to(c, rh_value_key_place(v, i));
            if (is_plain(v->u.entries[i].key))
                rh_buf_add(&key, v->u.entries[i].key);
            else
                rh_json_string(&key, v->u.entries[i].key, strlen(v->u.entries[i].key));
            put(c, key.s, key.n);
            put(c, ": ", 2);
        }
        put_value(c, rh_value_part(v, i));
    }
    put(c, hash ? "}" : "]", 1);
}

/* "targets/web/targets.yaml": what people see in the origin of a value. */
static const char *
file_name(const struct rh_host *h, const struct rh_target_attributes *attributes)
{
    const char *name = rh_sources_name(h->options->sources, rh_value_place(attributes->table).file), *slash;

    name = name ? name : "inventory";
    slash = strrchr(name, '/');
    return rh_arena_printf(h->arena, "targets/%.*s/%s", FOLDER_MOST, attributes->from,
                           slash ? slash + 1 : name);
}

size_t
rh_host_add_attributes(const struct rh_host *h, struct rh_buf *frames, struct rh_value *options)
{
    size_t bytes = 0;

    for (size_t i = 0; i < h->target->n_attributes; i++) {
        const struct rh_target_attributes *one = &h->target->attributes[i];
        const char *name = file_name(h, one);
        struct rh_value *file = rh_value_new(h->arena, RH_HASH);
        rh_autobuf struct rh_buf text = { 0 };
        struct cursor c = { .to = &text, .line = 1, .column = 1 };

        put(&c, "{normal: ", 9);
        put_value(&c, one->table);
        put(&c, "}\n", 2);
        rh_value_put(file, "path", rh_value_string(h->arena, name));
        rh_value_put(file, "size", rh_value_integer(h->arena, (int64_t)text.n));
        rh_wire_add_value(frames, RH_WIRE_FILE, file);
        rh_wire_add(frames, RH_WIRE_DATA, text.s, text.n);
        rh_value_append(options,
                        rh_value_string(h->arena, rh_arena_printf(h->arena, "--attributes=%s", name)));
        bytes += text.n;
    }
    return bytes;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* path - the way to an attribute: keys of tables and positions in lists. */
#include "config.h"

#include "node/path.h"

#include "base/arena.h"
#include "base/text.h"
#include "base/value.h"

#include <string.h>

static int
key_of(const struct rh_value *v, struct rh_key *key, struct rh_buf *why)
{
    if (rh_value_is(v, RH_INTEGER)) {
        *key = (struct rh_key){ NULL, v->u.integer };
        return 0;
    }
    if (rh_value_is(v, RH_STRING) && strlen(v->u.string) == v->count) {
        *key = (struct rh_key){ v->u.string, 0 };
        return 0;
    }
    rh_buf_add(why, "a path must be made of strings and integers, not ");
    if (rh_value_is(v, RH_STRING))
        rh_buf_add(why, "a string with a NUL character");
    else
        rh_buf_addf(why, "%s", v ? rh_kind_name(v->kind) : "nothing");
    return -1;
}

int
rh_path_of(const struct rh_value *v, struct rh_key *keys, struct rh_path *path, struct rh_buf *why)
{
    size_t n = rh_value_is(v, RH_ARRAY) ? v->count : v ? 1 : 0;

    if (n > RH_PATH_DEEPEST) {
        rh_buf_addf(why, "the path has %zu keys; the limit is %d", n, RH_PATH_DEEPEST);
        return -1;
    }
    for (size_t i = 0; i < n; i++)
        if (key_of(rh_value_is(v, RH_ARRAY) ? rh_value_at(v, i) : v, &keys[i], why) < 0)
            return -1;
    *path = (struct rh_path){ keys, n };
    return 0;
}

struct rh_path
rh_path_copy(struct rh_arena *a, struct rh_path path)
{
    struct rh_key *keys = rh_arena_alloc(a, path.n * sizeof *keys);

    for (size_t i = 0; i < path.n; i++) {
        keys[i] = path.keys[i];
        if (keys[i].text)
            keys[i].text = rh_arena_strdup(a, keys[i].text);
    }
    return (struct rh_path){ keys, path.n };
}

struct rh_value *
rh_path_value(struct rh_arena *a, struct rh_path path)
{
    struct rh_value *v = rh_value_new(a, RH_ARRAY);

    for (size_t i = 0; i < path.n; i++)
        rh_value_append(v, path.keys[i].text ? rh_value_string(a, path.keys[i].text)
                                             : rh_value_integer(a, path.keys[i].number));
    return v;
}

/* What needs no quotes: letters, digits, '_' and '-', not beginning with a digit or '-'. */
static bool
is_plain(const char *s)
{
    if (!*s || (*s >= '0' && *s <= '9') || *s == '-')
        return false;
    for (; *s; s++)
        if (!((*s >= 'a' && *s <= 'z') || (*s >= 'A' && *s <= 'Z') || (*s >= '0' && *s <= '9') || *s == '_'
              || *s == '-'))
            return false;
    return true;
}

void
rh_path_show(struct rh_buf *b, struct rh_path path, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const char *text = path.keys[i].text;

        if (!text) {
            rh_buf_addf(b, "[%lld]", (long long)path.keys[i].number);
        } else if (is_plain(text)) {
            rh_buf_addf(b, "%s%s", i ? "." : "", text);
        } else {
            rh_buf_add(b, "['");
            for (const char *p = text; *p; p++) {
                size_t len = strcspn(p, "'\\");

                rh_buf_add_safe(b, p, len, false);
                p += len;
                if (!*p)
                    break;
                rh_buf_addf(b, "\\%c", *p);
            }
            rh_buf_add(b, "']");
        }
    }
}

bool
rh_path_within(struct rh_path inner, struct rh_path outer)
{
    if (inner.n < outer.n)
        return false;
    for (size_t i = 0; i < outer.n; i++)
        if (!rh_key_equal(inner.keys[i], outer.keys[i]))
            return false;
    return true;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* describe-parts - what the files that describe a plugin share: structs, texts and attributes. */
#include "config.h"

#include "provider/describe-parts.h"

#include "base/arena.h"
#include "base/cleanup.h"
#include "base/error.h"
#include "base/text.h"
#include "base/value-json.h"
#include "base/value.h"

#include <string.h>

enum { MOST_ELEMENTS = 1000, LONGEST_TEXT = 1 << 20 };

/* The part of a struct that both sides know; the rest stays zero. */
int
rh_describe_copy_struct(void *to, size_t ours, const void *from, size_t theirs, size_t least,
                        const char *what, struct rh_error *err)
{
    if (theirs < least || theirs > 1 << 16)
        return rh_error_set(err, RH_EINPUT, "%s: invalid struct_size %zu", what, theirs);
    memset(to, 0, ours);
    memcpy(to, from, theirs < ours ? theirs : ours);
    return 0;
}

int
rh_describe_put_text(struct rh_value *in, const char *key, const char *text, struct rh_error *err)
{
    size_t n = text ? strnlen(text, LONGEST_TEXT + 1) : 0;

    if (!text)
        return 0;
    if (n > LONGEST_TEXT || !rh_utf8_valid(text, n))
        return rh_error_set(err, RH_EINPUT, "its '%s' is %s", key,
                            n > LONGEST_TEXT ? "too long" : "not UTF-8");
    rh_value_put(in, key, rh_value_stringn(rh_value_arena(in), text, n));
    return 0;
}

/* Adds how a text is written, where one may have been meant. */
static int
refuse_json(const char *text, const char *whose, const char *key, struct rh_error *err)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
    rh_autoerror struct rh_error why = { 0 };
    size_t n = strspn(text, letters);

    rh_error_move(&why, err);
    if (n && n < 40 && !text[n])
        return rh_error_set(
            err, why.kind, "attribute or action '%s': its %s: %s; a JSON string needs quotes: \"\\\"%s\\\"\"",
            whose, key, why.message, text);
    return rh_error_set(err, why.kind, "attribute or action '%s': its %s: %s", whose, key, why.message);
}

/* A value that the plugin gives as JSON text. */
int
rh_describe_put_json(struct rh_value *in, const char *key, const char *text, const char *whose,
                     struct rh_error *err)
{
    struct rh_value *v;

    if (!text)
        return 0;
    v = rh_value_from_json(rh_value_arena(in), text, strnlen(text, LONGEST_TEXT), err);
    if (!v)
        return refuse_json(text, whose ? whose : "", key, err);
    rh_value_put(in, key, v);
    return 0;
}

int
rh_describe_put_list(struct rh_value *in, const char *key, const char *const *list, struct rh_error *err)
{
    struct rh_value *array = rh_value_new(rh_value_arena(in), RH_ARRAY);

    for (size_t i = 0; list && list[i]; i++) {
        if (i >= MOST_ELEMENTS || !rh_utf8_valid(list[i], strlen(list[i])))
            return rh_error_set(err, RH_EINPUT, "its %s must be at most 1000 texts in valid UTF-8", key);
        rh_value_append(array, rh_value_string(rh_value_arena(in), list[i]));
    }
    if (array->count)
        rh_value_put(in, key, array);
    return 0;
}

int
rh_describe_put_needs(struct rh_value *in, const char *const *needs, struct rh_error *err)
{
    if (needs && !needs[0])
        rh_value_put(in, "needs", rh_value_new(rh_value_arena(in), RH_ARRAY));
    return rh_describe_put_list(in, "needs", needs, err);
}

int
rh_describe_put_attrs(struct rh_value *in, const void *attrs, size_t stride, size_t n, struct rh_error *err)
{
    struct rh_arena *a = rh_value_arena(in);
    struct rh_value *list = rh_value_new(a, RH_ARRAY);

    if (n > MOST_ELEMENTS || (n && !attrs))
        return rh_error_set(err, RH_EINPUT,
                            "its attributes are more than 1000, or n_attrs is set without attrs");
    for (size_t i = 0; i < n; i++) {
        struct rh_value *one = rh_value_new(a, RH_HASH);
        struct rhost_attr attr;

        if (rh_describe_copy_struct(&attr, sizeof attr, (const char *)attrs + i * stride, stride,
                                    offsetof(struct rhost_attr, behaviour), "an attribute", err)
                < 0
            || rh_describe_put_text(one, "name", attr.name, err) < 0
            || rh_describe_put_text(one, "type", attr.type, err) < 0
            || rh_describe_put_text(one, "desc", attr.desc, err) < 0
            || rh_describe_put_json(one, "default", attr.default_value, attr.name, err) < 0
            || rh_describe_put_json(one, "initial", attr.initial, attr.name, err) < 0
            || rh_describe_put_text(one, "deprecated", attr.deprecated, err) < 0
            || rh_describe_put_list(one, "formerly", attr.formerly, err) < 0)
            return -1;
        if (attr.behaviour & RH_MUST_KNOW)
            rh_value_put(one, "behaviour", rh_value_integer(a, (int64_t)(attr.behaviour & RH_MUST_KNOW)));
        rh_value_append(list, one);
    }
    rh_value_put(in, "attributes", list);
    return 0;
}

int
rh_describe_copy_plugin(const struct rhost_plugin *plugin, struct rhost_plugin *copy, struct rh_error *err)
{
    if (!plugin)
        return rh_error_set(err, RH_EINPUT, "its entry function returned NULL");
    if (rh_describe_copy_struct(copy, sizeof *copy, plugin, plugin->struct_size,
                                offsetof(struct rhost_plugin, transports), "the plugin", err)
        < 0)
        return -1;
    if (!copy->name || !copy->version)
        return rh_error_set(err, RH_EINPUT, "missing name or version");
    if (copy->flags & RH_MUST_KNOW & ~RHOST_ONE_WORKER)
        return rh_error_set(err, RH_EINPUT, "unknown flags (bits 0x%llx); a newer rhost than %s is needed",
                            (unsigned long long)(copy->flags & RH_MUST_KNOW & ~RHOST_ONE_WORKER),
                            PACKAGE_VERSION);
    return 0;
}

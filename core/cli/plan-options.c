/* SPDX-License-Identifier: Apache-2.0 */
/* plan-options - the options that decide what manifests mean, in a plan. */
#include "config.h"

#include "cli/plan.h"

#include "base/alloc.h"
#include "base/arena.h"
#include "base/error.h"
#include "base/value.h"
#include "cli/options.h"

#include <stddef.h>
#include <string.h>

enum kind { FLAG, TEXT, WORDS, PATHS, STRICT, DUPLICATES };

/* `own`: who applies the plan may give it again, for it says where something is. */
static const struct {
    const char *name;
    enum kind kind;
    size_t at;
    bool own;
} table[] = {
    { "environment", TEXT, offsetof(struct rh_settings, environment), false },
    { "role", WORDS, offsetof(struct rh_settings, roles), false },
    { "attribute", WORDS, offsetof(struct rh_settings, attributes), false },
    { "attributes", PATHS, offsetof(struct rh_settings, attribute_files), false },
    { "allow-outside", FLAG, offsetof(struct rh_settings, outside), false },
    { "duplicates", DUPLICATES, offsetof(struct rh_settings, duplicates), false },
    { "only", WORDS, offsetof(struct rh_settings, only), false },
    { "tags", WORDS, offsetof(struct rh_settings, tags), false },
    { "skip-tags", WORDS, offsetof(struct rh_settings, skip_tags), false },
    { "strict", STRICT, offsetof(struct rh_settings, strict), false },
    { "facts-dir", PATHS, offsetof(struct rh_settings, facts_dirs), true },
    { "plugin-dir", PATHS, offsetof(struct rh_settings, plugin_dirs), true },
    { "no-installed-plugins", FLAG, offsetof(struct rh_settings, no_installed_plugins), true },
};

enum { N = sizeof table / sizeof table[0] };

static struct rh_value *
words_value(struct rh_arena *a, const struct rh_words *w)
{
    struct rh_value *list = rh_value_new(a, RH_ARRAY);

    for (size_t i = 0; i < w->n; i++)
        rh_value_append(list, rh_value_string(a, w->v[i]));
    return list;
}

struct rh_value *
rh_plan_options(struct rh_arena *a, const struct rh_settings *s)
{
    struct rh_value *all = rh_value_hash(a, N);

    for (size_t i = 0; i < N; i++) {
        const void *at = (const char *)s + table[i].at;
        const char *text;

        switch (table[i].kind) {
        case FLAG:
            if (*(const bool *)at)
                rh_value_put(all, table[i].name, rh_value_boolean(a, true));
            break;
        case TEXT:
            text = *(const char *const *)at;
            if (text)
                rh_value_put(all, table[i].name, rh_value_string(a, text));
            break;
        case DUPLICATES:
            if (*(const enum rh_duplicates *)at)
                rh_value_put(all, table[i].name, rh_value_integer(a, *(const enum rh_duplicates *)at));
            break;
        case STRICT:
            if (*(const enum rh_strict *)at)
                rh_value_put(all, table[i].name, rh_value_integer(a, *(const enum rh_strict *)at));
            break;
        default:
            if (((const struct rh_words *)at)->n)
                rh_value_put(all, table[i].name, words_value(a, at));
        }
    }
    return all;
}

static bool
is_set(const struct rh_settings *s, size_t i)
{
    const void *at = (const char *)s + table[i].at;

    switch (table[i].kind) {
    case FLAG:
        return *(const bool *)at;
    case TEXT:
        return *(const char *const *)at;
    case DUPLICATES:
        return *(const enum rh_duplicates *)at;
    case STRICT:
        return *(const enum rh_strict *)at;
    default:
        return ((const struct rh_words *)at)->n;
    }
}

static int
take_words(struct rh_arena *a, struct rh_words *words, const struct rh_value *v, const char *directory)
{
    for (size_t i = 0; i < rh_value_count(v); i++) {
        const char *text = rh_value_str(rh_value_at(v, i), NULL);

        if (!text)
            return -1;
        if (directory && *text != '/')
            text = rh_arena_printf(a, "%s/%s", directory, text);
        words->v = rh_xgrow(words->v, &words->cap, words->n, sizeof *words->v);
        words->v[words->n++] = text;
    }
    return rh_value_is(v, RH_ARRAY) ? 0 : -1;
}

static int
take(struct rh_arena *a, struct rh_settings *s, size_t i, const struct rh_value *v, const char *directory)
{
    void *at = (char *)s + table[i].at;

    switch (table[i].kind) {
    case FLAG:
        *(bool *)at = rh_value_is(v, RH_BOOLEAN) && v->u.integer;
        return 0;
    case TEXT:
        *(const char **)at = rh_value_str(v, NULL);
        return *(const char **)at ? 0 : -1;
    case DUPLICATES:
        if (!rh_value_is(v, RH_INTEGER) || v->u.integer < 0 || v->u.integer > RH_DUPLICATES_AGREE)
            return -1;
        *(enum rh_duplicates *)at = (enum rh_duplicates)v->u.integer;
        return 0;
    case STRICT:
        if (!rh_value_is(v, RH_INTEGER) || v->u.integer < 0 || v->u.integer > RH_STRICT_OFF)
            return -1;
        *(enum rh_strict *)at = (enum rh_strict)v->u.integer;
        return 0;
    default:
        return take_words(a, at, v, table[i].kind == PATHS ? directory : NULL);
    }
}

int
rh_plan_options_take(struct rh_arena *a, struct rh_settings *s, const struct rh_value *options,
                     const char *directory, struct rh_error *err)
{
    for (size_t i = 0; i < N; i++) {
        const struct rh_value *v = rh_value_get(options, table[i].name);

        if (is_set(s, i) && !table[i].own)
            return rh_error_set(err, RH_EINPUT, "--%s cannot be given with a plan, which has its own options",
                                table[i].name);
        if (v && (!is_set(s, i) || table[i].kind == PATHS) && take(a, s, i, v, directory) < 0)
            return rh_error_set(err, RH_EINPUT, "the plan is damaged: its option '%s' is not valid",
                                table[i].name);
    }
    return 0;
}

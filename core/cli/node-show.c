/* SPDX-License-Identifier: Apache-2.0 */
/* node-show - rhost node [PATH [FILE...]], rhost node explain PATH [FILE...]: what the attributes are,
 * and how they came to be. */
#include "config.h"

#include "cli/node-show.h"

#include "base/alloc.h"
#include "base/arena.h"
#include "base/cleanup.h"
#include "base/complaint.h"
#include "base/error.h"
#include "base/suggest.h"
#include "base/text.h"
#include "base/value.h"
#include "cli/command.h"
#include "cli/explain.h"
#include "cli/print-value.h"
#include "cli/refusal.h"
#include "cli/session.h"
#include "node/node.h"

#include <stdio.h>
#include <string.h>

/* Views. */

static const char *const views[] = { "merged", "combined_default", "combined_override" };

static const struct rh_value *
find_view(struct rh_node *node, const char *name)
{
    const struct rh_value *v = rh_node_view(node, name);
    struct rh_suggest near;
    rh_autofree char *hint = NULL;

    if (v)
        return v;
    rh_suggest_init(&near, name);
    for (int i = 0; i < RH_LEVELS; i++)
        rh_suggest_try(&near, rh_node_level_name((enum rh_node_level)i));
    for (size_t i = 0; i < sizeof views / sizeof views[0]; i++)
        rh_suggest_try(&near, views[i]);
    hint = rh_did_you_mean(near.best, "they are, from low to high: default, env_default, role_default, "
                                      "force_default, normal, override, role_override, env_override, "
                                      "force_override, automatic; and combined_default, "
                                      "combined_override, merged");
    rh_refuse_hint(hint, "unknown level '%s'", name);
    return NULL;
}

/* Paths. */

static const struct rh_value *
step(const struct rh_value *v, const struct rh_value *part)
{
    int64_t i = part->u.integer;
    char key[32];

    if (part->kind == RH_STRING)
        return rh_value_is(v, RH_HASH) ? rh_value_get(v, part->u.string) : NULL;
    if (rh_value_is(v, RH_HASH)) {
        (void)snprintf(key, sizeof key, "%lld", (long long)i);
        return rh_value_get(v, key);
    }
    if (!rh_value_is(v, RH_ARRAY))
        return NULL;
    i += i < 0 ? v->count : 0;
    return i < 0 ? NULL : rh_value_at(v, (size_t)i);
}

/* As it is written: web.port, users['j.doe'], a[0]. */
static void
add_path(struct rh_buf *b, const struct rh_value *path, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const struct rh_value *part = rh_value_at(path, i);

        if (part->kind == RH_INTEGER)
            rh_buf_addf(b, "[%lld]", (long long)part->u.integer);
        else if (part->count && !strpbrk(part->u.string, ".[]'\"= "))
            rh_buf_addf(b, "%s%s", i ? "." : "", part->u.string);
        else
            rh_buf_addf(b, "['%s']", part->u.string);
    }
}

static bool
is_file(const char *text)
{
    return access(text, F_OK) == 0;
}

/* There is nothing at the first `n` parts of the path; `v` is what is above. */
static void
refuse_path(const char *text, const struct rh_value *path, size_t n, const struct rh_value *v)
{
    rh_autobuf struct rh_buf whole = { 0 }, above = { 0 }, hint = { 0 };
    const struct rh_value *part = rh_value_at(path, n - 1);
    struct rh_suggest near;

    add_path(&whole, path, n);
    add_path(&above, path, n - 1);
    if (rh_value_is(v, RH_HASH) && v->marks & RH_SENSITIVE) {
        rh_buf_truncate(&hint, 0); /* its names are not to be shown */
    } else if (part->kind == RH_STRING && rh_value_is(v, RH_HASH)) {
        rh_suggest_init(&near, part->u.string);
        for (size_t i = 0; i < v->count; i++)
            rh_suggest_try(&near, rh_value_entry(v, i)->key);
        if (near.best)
            rh_buf_addf(&hint, "did you mean '%s%s%s'?", rh_buf_text(&above), n > 1 ? "." : "", near.best);
    } else if (rh_value_is(v, RH_ARRAY)) {
        rh_buf_addf(&hint, "'%s' is a list of %u, counted from 0", rh_buf_text(&above), v->count);
    } else if (v) {
        rh_buf_addf(&hint, "'%s' is %s, and has nothing below it", rh_buf_text(&above),
                    rh_kind_name(v->kind));
    }
    if (!hint.n && is_file(text))
        rh_buf_addf(&hint, "for all attributes that the file makes, write 'rhost node . %s'", text);
    rh_refuse_hint(hint.n ? rh_buf_text(&hint) : NULL, "unknown attribute '%s'", rh_buf_text(&whole));
}

/* What is at the path, of the view that was asked for; NULL after telling why there is nothing. */
static const struct rh_value *
find(struct rh_session *s, const char *text, const struct rh_value *path)
{
    struct rh_node *node = s->machine.node;
    const struct rh_value *v, *inner;

    if (!s->settings->level) {
        v = rh_node_read(node, path);
        if (v)
            return v;
    }
    v = find_view(node, s->settings->level ? s->settings->level : "merged");
    for (size_t i = 0; v && i < rh_value_count(path); i++) {
        inner = step(v, rh_value_at(path, i));
        if (!inner)
            refuse_path(text, path, i + 1, v);
        v = inner;
    }
    return v;
}

static struct rh_value *
read_path(struct rh_session *s, const char *text)
{
    rh_autoerror struct rh_error err = { 0 };
    struct rh_value *path;

    if (strcmp(text, ".") == 0)
        return rh_value_new(s->arena, RH_ARRAY);
    path = rh_node_path_parse(s->arena, text, &err);
    if (!path)
        rh_refuse_error("it is written as in web.port, a[0].b or users['j.doe'].shell", &err);
    return path;
}

/* Values of data files are evaluated when they are read, here at the latest: -1 after a complaint. */
static int
evaluate(struct rh_session *s, const struct rh_value *path)
{
    if (s->settings->level)
        (void)rh_node_view(s->machine.node, rh_node_level_name(RH_LEVEL_NORMAL));
    else
        (void)rh_node_read(s->machine.node, path);
    return rh_complaints_count(&s->complaints) ? -1 : 0;
}

/* Reads the path and the files, and has `one` print; NULL args: everything, without a file. */
static int
with_node(struct rh_settings *settings, int n, char **args,
          bool (*one)(struct rh_session *s, const char *text, const struct rh_value *path))
{
    const char *text = n > 0 ? args[0] : ".";
    const struct rh_value *path;
    struct rh_session s;
    bool good = false;

    rh_session_open(&s, settings);
    path = read_path(&s, text);
    if (path && rh_session_read(&s, (const char *const *)args + 1, n > 1 ? (size_t)n - 1 : 0) == 0
        && evaluate(&s, path) == 0)
        good = one(&s, text, path);
    else if (path)
        (void)rh_session_complain(&s);
    rh_session_close(&s);
    return good ? RH_EXIT_OK : RH_EXIT_REFUSED;
}

static bool
show(struct rh_session *s, const char *text, const struct rh_value *path)
{
    const struct rh_value *v = find(s, text, path);

    if (v)
        rh_print_value(s->settings->format, v);
    return v != NULL;
}

int
rh_node_show(struct rh_settings *settings, int n, char **args)
{
    return with_node(settings, n, args, show);
}

static bool
show_origin(struct rh_session *s, const char *text, const struct rh_value *path)
{
    struct rh_value *explanation = rh_node_explain(s->machine.node, s->arena, &s->sources, path);
    /* What was removed has a story, though it is not there. */
    if (!rh_value_count(rh_value_get(explanation, "steps")) && !find(s, text, path))
        return false;
    if (s->catalog.data_files)
        rh_value_put(explanation, "data_files", s->catalog.data_files);
    if (s->settings->format == RH_FORMAT_TEXT) {
        rh_autobuf struct rh_buf b = { 0 };

        rh_explanation_show(&b, explanation);
        (void)fputs(rh_buf_text(&b), stdout);
    } else {
        rh_print_value(s->settings->format, explanation);
    }
    return true;
}

int
rh_node_show_origin(struct rh_settings *settings, int n, char **args)
{
    return with_node(settings, n, args, show_origin);
}

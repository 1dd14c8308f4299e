/* SPDX-License-Identifier: Apache-2.0 */
/* resource - rhost resource TYPE [TITLE] [ATTR=VALUE...]: list, show or manage. */
#include "config.h"

#include "base/alloc.h"
#include "base/arena.h"
#include "base/cleanup.h"
#include "base/error.h"
#include "base/log.h"
#include "base/text.h"
#include "base/value.h"
#include "cli/command.h"
#include "cli/execute.h"
#include "cli/print-manifest.h"
#include "cli/session.h"
#include "datatype/datatype.h"
#include "schema/hold.h"
#include "schema/title.h"

#include <stdlib.h>
#include <string.h>

struct reading {
    struct rh_arena *arena;
    struct rh_value *items;
};

static void
take_item(void *data, const struct rh_value *item)
{
    struct reading *r = data;

    rh_value_append(r->items, rh_value_copy(r->arena, item));
}

static void
take_log(void *data, enum rh_level level, bool generated, const char *text)
{
    (void)data;
    (void)generated;
    rh_log(level, "%s", text);
}

/* Reads one resource (title given) or all, and prints them as a manifest. */
static int
show(struct rh_session *s, const struct rh_type *t, const char *title)
{
    struct reading r = { .arena = s->arena, .items = rh_value_new(s->arena, RH_ARRAY) };
    const struct rh_sink sink = { .data = &r, .item = take_item, .log = take_log };
    rh_autoerror struct rh_error err = { 0 };
    struct rh_value *names = NULL;

    if (title) {
        struct rh_value *name = rh_value_new(s->arena, RH_HASH);

        int matched = rh_title_parse(t, title, name, &err);

        if (matched <= 0) {
            if (matched < 0)
                rh_log(RH_ERR, "%s[%s]: %s", t->type, title, err.message);
            else
                rh_log(RH_ERR, t->n_patterns ? "no title pattern of '%s' matches '%s'"
                                             : "'%s' has several namevars and no title pattern: '%s' "
                                               "can't name one",
                       t->type, title);
            return RH_EXIT_REFUSED;
        }
        for (size_t i = 0; i < t->n_namevars; i++) {
            const struct rh_value *v = rh_value_get(name, t->namevars[i]->name);
            rh_autobuf struct rh_buf why = { 0 };

            if (!v || rh_datatype_match(t->namevars[i]->type, v))
                continue;
            rh_datatype_explain(t->namevars[i]->type, "the title", v, &why);
            rh_log(RH_ERR, "%s[%s]: %s", t->type, title, rh_buf_text(&why));
            return RH_EXIT_REFUSED;
        }
        names = rh_value_new(s->arena, RH_ARRAY);
        rh_value_append(names, name);
    }
    if (rh_worker_read(rh_pool_worker(&s->pool, t), names, &sink, &err) < 0) {
        rh_log(RH_ERR, "%s", err.message);
        return RH_EXIT_FAILED;
    }
    rh_print_manifest(stdout, t, r.items, s->settings->format == RH_FORMAT_JSON);
    return RH_EXIT_OK;
}

/* "mode=0644" into `given`, read by the attribute's type. */
static int
take_assignment(struct rh_session *s, const struct rh_type *t, const char *title, const char *text,
                struct rh_value *given)
{
    const char *equals = strchr(text, '=');
    rh_autoerror struct rh_error err = { 0 };
    rh_autofree char *subject = NULL;
    const struct rh_attr *attr;
    struct rh_value *v;
    char *key;

    if (!equals || equals == text)
        return rh_usage_error(&rh_command_resource, "'%s' is not of the form ATTRIBUTE=VALUE", text);
    key = rh_arena_strndup(s->arena, text, (size_t)(equals - text));
    attr = rh_type_attr(t, key);
    if (!attr) {
        const char *best = rh_type_suggest(t, key);

        return rh_usage_error(&rh_command_resource, "'%s' has no attribute '%s'%s%s%s", t->type, key,
                              best ? ": did you mean '" : "", best ? best : "", best ? "'?" : "");
    }
    subject = rh_printf("%s[%s].%s", t->type, title, key);
    v = rh_datatype_from_text(s->arena, attr->type, subject, equals + 1, &err);
    if (!v)
        return rh_usage_error(&rh_command_resource, "%s", err.message);
    rh_value_put(given, key, v);
    return 0;
}

static int
manage(struct rh_session *s, const struct rh_type *t, const char *title, char **assignments, int n)
{
    struct rh_value *given = rh_value_new(s->arena, RH_HASH);
    struct rh_resource *r = rh_arena_alloc(s->arena, sizeof *r);
    const struct rh_place nowhere = { 0 };
    struct rh_held held;

    for (int i = 0; i < n; i++)
        if (take_assignment(s, t, title, assignments[i], given) != 0)
            return RH_EXIT_REFUSED;
    if (rh_hold(s->arena, t, title, nowhere, given, &held, &s->complaints) < 0) {
        (void)rh_session_complain(s);
        return RH_EXIT_REFUSED;
    }
    r->type = t;
    r->title = rh_arena_strdup(s->arena, title);
    r->name = held.name;
    r->should = held.should;
    if (rh_catalog_declare(&s->catalog, r, &s->complaints) == 0)
        rh_catalog_trigger(&s->catalog, r, t->default_action);
    if (rh_session_settle(s) < 0)
        return RH_EXIT_REFUSED;
    return rh_execute(s);
}

static int
run(struct rh_settings *settings, int argc, char **argv)
{
    struct rh_session s;
    const struct rh_type *t;
    int status = RH_EXIT_REFUSED;

    if (argc < 1)
        return rh_usage_error(&rh_command_resource, "which TYPE? 'rhost types' lists them");
    if (argc > 1 && !*argv[1])
        return rh_usage_error(&rh_command_resource, "the title is empty");
    rh_session_open(&s, settings);
    t = rh_session_type(&s, argv[0]);
    if (t && argc > 2)
        status = manage(&s, t, argv[1], argv + 2, argc - 2);
    else if (t)
        status = show(&s, t, argc > 1 ? argv[1] : NULL);
    rh_session_close(&s);
    return status;
}

const struct rh_command rh_command_resource = {
    .name = "resource",
    .arguments = "TYPE [TITLE] [ATTR=VALUE...]",
    .summary = "list the resources of a type, show one, or manage one",
    .text = "What it lists and shows is a manifest that can be applied. With ATTR=VALUE it brings that "
            "one\nresource to the state that is given, as 'rhost apply' would. Exit status 0 only if it "
            "worked.",
    .options = RH_OPT_COMMON | RH_OPT_YAML | RH_OPT_PROVIDER | RH_OPT_NOOP,
    .run = run,
};

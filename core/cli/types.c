/* SPDX-License-Identifier: Apache-2.0 */
/* types - rhost types: what is installed. */
#include "config.h"

#include "base/alloc.h"
#include "base/cleanup.h"
#include "base/error.h"
#include "base/text.h"
#include "base/value-json.h"
#include "base/value.h"
#include "cli/command.h"
#include "cli/page.h"
#include "cli/session.h"
#include "plugin/registry.h"
#include "schema/type.h"

#include <stdio.h>
#include <string.h>

struct listing {
    struct rh_session *session;
    struct rh_value *list;
};

/* With --suits: how well a provider suits, and whether it is the one that serves its type. */
static const struct rh_candidate *
suitability(struct rh_session *s, const struct rh_type *t, bool *chosen)
{
    rh_autoerror struct rh_error err = { 0 };
    const struct rh_candidate *c = rh_registry_suits(s->registry, t);

    *chosen = c->how_well && rh_registry_find(s->registry, t->type, NULL, &err) == t;
    return c;
}

/* In place of the provider. */
static const char transport[] = "(transport)";

struct table {
    struct rh_session *session;
    int type, provider, version; /* widths of the columns */
};

static void
widen(int *width, const char *text)
{
    int n = (int)strlen(text);

    *width = n > *width ? n : *width;
}

static void
measure(void *data, const struct rh_type *t)
{
    struct table *table = data;

    widen(&table->type, t->type);
    widen(&table->provider, t->transport ? transport : t->provider);
    widen(&table->version, t->version);
}

/* What the provider can do to the machine, as it declares. */
static void
print_needs(const struct rh_type *t)
{
    if (!t->n_needs)
        (void)puts(t->declares_needs ? "    needs nothing" : "    needs are not declared");
    for (size_t i = 0; i < t->n_needs; i++) {
        rh_autofree char *text = rh_safe_text(t->needs[i].text);

        (void)printf("    needs %s\n", text);
    }
}

static void
print_text(void *data, const struct rh_type *t)
{
    const struct table *table = data;
    struct rh_session *s = table->session;
    rh_autobuf struct rh_buf desc = { 0 };
    const struct rh_candidate *c = NULL;
    bool chosen = false;

    rh_buf_add_safe(&desc, t->desc, strcspn(t->desc, "\n"), false);
    (void)printf("%-*s %-*s %-*s ", table->type, t->type, table->provider,
                 t->transport ? transport : t->provider, table->version, t->version);
    if (s->settings->suits && t->transport) {
        (void)printf("%-12s ", "");
    } else if (s->settings->suits) {
        rh_autofree char *how_well = NULL;

        c = suitability(s, t, &chosen);
        how_well = c->how_well ? rh_printf("%d%s", c->how_well, chosen ? " chosen" : "") : NULL;
        (void)printf("%-12s ", how_well ? how_well : "no");
    }
    (void)printf("%s\n", rh_buf_text(&desc));
    if (s->settings->verbose && !t->transport)
        (void)printf("    plugin %s%s%s\n", t->plugin, *t->built_with ? ", built with the SDK " : "",
                     t->built_with);
    if (s->settings->needs)
        print_needs(t);
    if (c && c->why) {
        rh_autofree char *why = rh_safe_text(c->why);

        (void)printf("    %s\n", why);
    }
}

static void
add_value(void *data, const struct rh_type *t)
{
    struct listing *l = data;
    struct rh_arena *a = rh_value_arena(l->list);
    struct rh_value *v = rh_value_new(a, RH_HASH);

    rh_description_put_source(v, t);
    if (l->session->settings->needs)
        rh_value_put(v, "needs", rh_description_needs(a, t));
    if (l->session->settings->suits && !t->transport) {
        bool chosen;
        const struct rh_candidate *c = suitability(l->session, t, &chosen);

        rh_value_put(v, "suits", rh_value_integer(a, c->how_well));
        rh_value_put(v, "chosen", rh_value_boolean(a, chosen));
        if (c->why)
            rh_value_put(v, "reason", rh_value_string(a, c->why));
    }
    rh_value_append(l->list, v);
}

/* A line for each lookup and fact of a plugin, below the types. `needs` has what it needs, or NULL. */
static void
print_source(const char *what, const char *name, const struct rh_type *source, const char *text,
             const struct rh_type *needs)
{
    rh_autobuf struct rh_buf desc = { 0 };

    rh_buf_add_safe(&desc, text, strcspn(text, "\n"), false);
    (void)printf("%-6s %-20s %-12s %-8s %s\n", what, name, source->provider, source->version,
                 rh_buf_text(&desc));
    if (needs)
        print_needs(needs);
}

static void
print_sources(const struct rh_registry *r, bool needs)
{
    const struct rh_lookup *l;
    const struct rh_fact *f;

    if (rh_registry_lookup_at(r, 0) || rh_registry_fact_at(r, 0))
        (void)puts("");
    for (size_t i = 0; (l = rh_registry_lookup_at(r, i)); i++)
        print_source("lookup", l->type->type, l->source, l->type->desc, needs ? l->type : NULL);
    for (size_t i = 0; (f = rh_registry_fact_at(r, i)); i++)
        print_source("fact", f->attr->name, f->source, f->attr->desc, needs ? f->source : NULL);
}

static void
add_source(struct rh_value *list, const char *what, const char *name, const struct rh_type *source,
           const char *type, const struct rh_type *needs)
{
    struct rh_arena *a = rh_value_arena(list);
    struct rh_value *v = rh_value_new(a, RH_HASH);

    rh_value_put(v, what, rh_value_string(a, name));
    rh_value_put(v, "plugin", rh_value_string(a, source->plugin));
    rh_value_put(v, "version", rh_value_string(a, source->version));
    rh_value_put(v, "path", rh_value_string(a, source->path));
    rh_value_put(v, "data_type", rh_value_string(a, type));
    if (needs)
        rh_value_put(v, "needs", rh_description_needs(a, needs));
    rh_value_append(list, v);
}

static void
add_sources(const struct rh_registry *r, struct rh_value *list, bool needs)
{
    const struct rh_lookup *l;
    const struct rh_fact *f;

    for (size_t i = 0; (l = rh_registry_lookup_at(r, i)); i++)
        add_source(list, "lookup", l->type->type, l->source, rh_type_attr(l->type, "answer")->type_text,
                   needs ? l->type : NULL);
    for (size_t i = 0; (f = rh_registry_fact_at(r, i)); i++)
        add_source(list, "fact", f->attr->name, f->source, f->attr->type_text, needs ? f->source : NULL);
}

static int
run(struct rh_settings *settings, int argc, char **argv)
{
    struct rh_session s;

    if (argc > 0)
        return rh_usage_error(&rh_command_types,
                              "unexpected argument '%s'; 'rhost describe "
                              "%s' shows one type",
                              argv[0], argv[0]);
    rh_session_open(&s, settings);
    if (settings->format == RH_FORMAT_JSON) {
        rh_autobuf struct rh_buf text = { 0 };
        struct listing listing = { .session = &s, .list = rh_value_new(s.arena, RH_ARRAY) };

        rh_registry_each(s.registry, add_value, &listing);
        rh_registry_each_transport(s.registry, add_value, &listing);
        add_sources(s.registry, listing.list, settings->needs);
        rh_value_to_json_pretty(&text, listing.list, false);
        (void)puts(rh_buf_text(&text));
    } else {
        struct table table = { .session = &s, .type = 16, .provider = 12, .version = 8 };

        rh_registry_each(s.registry, measure, &table);
        rh_registry_each_transport(s.registry, measure, &table);
        rh_registry_each(s.registry, print_text, &table);
        rh_registry_each_transport(s.registry, print_text, &table);
        print_sources(s.registry, settings->needs);
    }
    rh_session_close(&s);
    return RH_EXIT_OK;
}

const struct rh_command rh_command_types = {
    .name = "types",
    .arguments = "",
    .summary = "list the resource types that are installed",
    .text =
        "Prints a line for each: type, provider, version, description; then the transports, which are ways\n"
        "to reach devices, and the lookups and facts of plugins. --suits asks the providers how\n"
        "well they suit this machine: a number, or why not, and which of several serves the type. --needs\n"
        "shows what each provider needs: the paths, programs and rights that it declares.",
    .options = RH_OPT_COMMON | RH_OPT_FORMAT | RH_OPT_PROVIDER | RH_OPT_SUITS | RH_OPT_NEEDS,
    .run = run,
};

/* SPDX-License-Identifier: Apache-2.0 */
/* describe - rhost describe TYPE: the manual of a type, from its descriptor. */
#include "config.h"

#include "base/cleanup.h"
#include "base/error.h"
#include "base/log.h"
#include "base/text.h"
#include "base/value-json.h"
#include "base/value.h"
#include "cli/command.h"
#include "cli/page.h"
#include "cli/session.h"
#include "datatype/datatype.h"
#include "manifest/manifest.h"
#include "plugin/registry.h"
#include "schema/check.h"
#include "schema/type.h"

#include <stdio.h>
#include <string.h>

enum { WIDTH = 78 };

/* Prose, broken into lines behind an indent. */
static void
add_wrapped(struct rh_buf *b, const char *text, const char *indent)
{
    rh_autobuf struct rh_buf safe = { 0 };
    const char *at;
    size_t column = 0;

    rh_buf_add_safe(&safe, text, strlen(text), true);
    for (at = rh_buf_text(&safe); *at;) {
        size_t n = strcspn(at, " \n"), width = rh_utf8_count(at, n);

        if (column && column + 1 + width > WIDTH) {
            rh_buf_addc(b, '\n');
            column = 0;
        }
        if (n) {
            rh_buf_add(b, column ? " " : indent);
            column = (column ? column + 1 : strlen(indent)) + width;
            rh_buf_addn(b, at, n);
        }
        at += n;
        if (*at == '\n' && at[1] == '\n' && column) {
            rh_buf_add(b, "\n\n");
            column = 0;
        }
        at += *at ? 1 : 0;
    }
    if (column)
        rh_buf_addc(b, '\n');
}

static void
add_behaviour(struct rh_buf *b, const struct rh_attr *a)
{
    static const struct {
        uint32_t bit;
        const char *word;
    } words[] = {
        { RH_NAMEVAR, "namevar" },     { RH_PARAMETER, "parameter" }, { RH_READ_ONLY, "read-only" },
        { RH_INIT_ONLY, "init-only" }, { RH_UNORDERED, "unordered" },
    };

    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (a->behaviour & words[i].bit)
            rh_buf_addf(b, ", %s", words[i].word);
    if (a->required)
        rh_buf_add(b, ", required to create");
}

static void
add_attr(struct rh_buf *b, const struct rh_attr *a)
{
    rh_buf_addf(b, "\n  %s  (", a->name);
    rh_datatype_print(a->type, b);
    add_behaviour(b, a);
    rh_buf_add(b, ")\n");
    add_wrapped(b, a->desc, "      ");
    if (a->deprecated) {
        rh_buf_add(b, "      Deprecated: ");
        rh_buf_add_safe(b, a->deprecated, strlen(a->deprecated), false);
        rh_buf_addc(b, '\n');
    }
    for (size_t i = 0; i < rh_value_count(a->formerly); i++)
        rh_buf_addf(b, "%s%s", i ? ", " : "      Formerly: ", rh_value_str(rh_value_at(a->formerly, i), ""));
    if (rh_value_count(a->formerly))
        rh_buf_addc(b, '\n');
    if (a->default_value) {
        rh_buf_add(b, "      Default: ");
        rh_value_show(b, a->default_value, 0);
        rh_buf_addc(b, '\n');
    }
    if (a->initial) {
        rh_buf_add(b, "      When created: ");
        rh_value_show(b, a->initial, 0);
        rh_buf_addc(b, '\n');
    }
}

static void
add_relations(struct rh_buf *b, const struct rh_type *t)
{
    static const char *const kinds[] = { "requires", "comes before", "subscribes to", "notifies" };

    if (t->n_relations)
        rh_buf_add(b, "\nAutomatic relations (where the target is in the manifest)\n");
    for (size_t i = 0; i < t->n_relations; i++) {
        const struct rh_auto_relation *r = &t->relations[i];
        rh_autobuf struct rh_buf text = { 0 }, lines = { 0 };

        rh_buf_addf(&text, "%s %s[%s%s]", kinds[r->kind], r->type, r->title, r->above ? "/.." : "");
        add_wrapped(&lines, rh_buf_text(&text), "    ");
        rh_buf_add(b, rh_buf_text(&lines) + 2); /* lines that go on are further in */
    }
}

static void
add_claims(struct rh_buf *b, const struct rh_type *t)
{
    if (t->n_claims)
        rh_buf_add(b, "\nClaims (two resources that claim the same are refused)\n");
    for (size_t i = 0; i < t->n_claims; i++)
        rh_buf_addf(b, "  %s %s\n", t->claims[i].owns ? "owns" : "edits", t->claims[i].text);
}

static void
add_losses(struct rh_buf *b, const struct rh_type *t)
{
    if (t->n_losses)
        rh_buf_add(b, "\nLosses (a change can destroy this, and it cannot be undone)\n");
    for (size_t i = 0; i < t->n_losses; i++)
        rh_buf_addf(b, "  %s\n", t->losses[i].text);
}

static void
add_restores(struct rh_buf *b, const struct rh_type *t)
{
    if (t->n_restores)
        rh_buf_add(b, "\nAn undo restores a resource with\n");
    for (size_t i = 0; i < t->n_restores; i++)
        rh_buf_addf(b, "  %s\n", t->restores[i].text);
}

static void
add_needs(struct rh_buf *b, const struct rh_type *t, const char *what)
{
    if (t->defined)
        return;
    if (t->n_needs)
        rh_buf_addf(b, "\nNeeds (what %s takes)\n", what);
    else
        rh_buf_add(b, t->declares_needs ? "\nNeeds\n  nothing\n" : "\nNeeds\n  not declared\n");
    for (size_t i = 0; i < t->n_needs; i++)
        rh_buf_addf(b, "  %s\n", t->needs[i].text);
}

static void
add_actions(struct rh_buf *b, const struct rh_type *t)
{
    if (t->n_actions)
        rh_buf_add(b, "\nActions\n");
    for (size_t i = 0; i < t->n_actions; i++) {
        rh_buf_addf(b, "  %s%s%s\n", t->actions[i].name,
                    strcmp(t->actions[i].name, t->default_action) == 0 ? "  (default)" : "",
                    t->refresh_action && strcmp(t->actions[i].name, t->refresh_action) == 0 ? "  (on refresh)"
                                                                                            : "");
        add_wrapped(b, t->actions[i].desc, "      ");
    }
}

static void
add_data_types(struct rh_buf *b, const struct rh_type *t)
{
    if (t->data_types)
        rh_buf_add(b, "\nData types\n");
    for (size_t i = 0; i < rh_value_count(t->data_types); i++) {
        const struct rh_entry *e = rh_value_entry(t->data_types, i);

        rh_buf_addf(b, "  %s = ", e->key);
        rh_buf_add_safe(b, e->value->u.string, e->value->count, false);
        rh_buf_addc(b, '\n');
    }
}

static void
add_type(struct rh_buf *b, const struct rh_type *t)
{
    rh_buf_addf(b, "%s", t->type);
    if (t->transport)
        rh_buf_add(b, ", transport");
    else if (!t->defined && strcmp(t->type, t->provider) != 0)
        rh_buf_addf(b, ", provider %s", t->provider);
    if (t->defined)
        rh_buf_add(b, "  (definition of rhost itself)\n\n");
    else
        rh_buf_addf(b, "  (plugin %s %s)\n\n", t->plugin, t->version);
    add_wrapped(b, t->desc, "  ");
    for (unsigned i = 0; rh_title_pattern_text(t, i); i++)
        rh_buf_addf(b, "%s/%s/\n", i ? "          " : "\n  Titles: ", rh_title_pattern_text(t, i));
    rh_buf_add(b, "\nAttributes\n");
    for (size_t i = 0; i < t->n_attrs; i++)
        add_attr(b, &t->attrs[i]);
    add_data_types(b, t);
    add_relations(b, t);
    add_claims(b, t);
    add_losses(b, t);
    add_restores(b, t);
    if (!t->defined)
        add_needs(b, t, t->transport ? "reaching the device" : "applying it");
    if (t->irreversible)
        rh_buf_addf(b, "\nIrreversible\n  %s\n", t->irreversible);
    add_actions(b, t);
}

static void
add_parameter(struct rh_buf *b, const struct rh_attr *a)
{
    rh_buf_addf(b, "\n  %s  (", a->name);
    rh_datatype_print(a->type, b);
    rh_buf_add(b, a->required ? ", required)\n" : ")\n");
    add_wrapped(b, a->desc, "      ");
    if (!a->default_value)
        return;
    rh_buf_add(b, "      Default: ");
    rh_value_show(b, a->default_value, 0);
    rh_buf_addc(b, '\n');
}

/* The call as an expression has it, then the parameters. */
static void
describe_lookup(struct rh_buf *b, const struct rh_lookup *l)
{
    const struct rh_type *t = l->type;

    rh_buf_addf(b, "%s  (lookup of plugin %s %s)\n\n", t->type, t->plugin, t->version);
    add_wrapped(b, t->desc, "  ");
    rh_buf_addf(b, "\n  ${lookup(\"%s\"", t->type);
    for (size_t i = 0; i < t->n_attrs; i++)
        if (t->attrs[i].behaviour & RH_PARAMETER)
            rh_buf_addf(b, ", %s", t->attrs[i].name);
    rh_buf_add(b, ")}: ");
    rh_datatype_print(rh_type_attr(t, "answer")->type, b);
    rh_buf_add(b, "\n\nParameters\n");
    for (size_t i = 0; i < t->n_attrs; i++)
        if (t->attrs[i].behaviour & RH_PARAMETER)
            add_parameter(b, &t->attrs[i]);
    add_needs(b, t, "answering");
}

/* How well it suits, where --suits asks for it. */
static void
add_suits(struct rh_buf *b, struct rh_session *s, const struct rh_type *t)
{
    const struct rh_candidate *c;

    if (!s->settings->suits || t->transport)
        return;
    c = rh_registry_suits(s->registry, t);
    if (c->how_well) {
        rh_buf_addf(b, ", suits by %d", c->how_well);
    } else {
        rh_buf_add(b, ", does not suit: ");
        rh_buf_add_safe(b, c->why ? c->why : "no reason given", strlen(c->why ? c->why : "no reason given"),
                        false);
    }
}

/* Which there are; and with --suits which of them serves the type here. */
static void
add_providers(struct rh_buf *b, struct rh_session *s, const char *type)
{
    rh_autoerror struct rh_error err = { 0 };
    const struct rh_type *t = NULL, *best;

    rh_buf_addf(b, "%s is served by several providers:\n", type);
    while ((t = rh_registry_next(s->registry, type, t))) {
        rh_buf_addf(b, "  %s", t->provider);
        add_suits(b, s, t);
        rh_buf_addc(b, '\n');
    }
    if (s->settings->suits) {
        best = rh_registry_find(s->registry, type, NULL, &err);
        rh_buf_addf(b, "Here it is served by %s.\n", best ? best->provider : "none of them");
    }
    rh_buf_addc(b, '\n');
}

static void
describe_text(struct rh_buf *b, struct rh_session *s, const struct rh_type *t, bool several)
{
    if (several)
        add_providers(b, s, t->type);
    for (const struct rh_type *next; t; t = next) {
        next = several ? rh_registry_next(s->registry, t->type, t) : NULL;
        add_type(b, t);
        if (!several && s->settings->suits && !t->transport) {
            rh_buf_addf(b, "\nProvider %s", t->provider);
            add_suits(b, s, t);
            rh_buf_addc(b, '\n');
        }
        if (next)
            rh_buf_addc(b, '\n');
    }
}

static struct rh_value *
describe_value(struct rh_session *s, const struct rh_type *t)
{
    struct rh_value *v = rh_description_value(s->arena, t);

    if (s->settings->suits && !t->transport) {
        const struct rh_candidate *c = rh_registry_suits(s->registry, t);

        rh_value_put(v, "suits", rh_value_integer(s->arena, c->how_well));
        if (c->why)
            rh_value_put(v, "reason", rh_value_string(s->arena, c->why));
    }
    return v;
}

static void
describe_json(struct rh_buf *b, struct rh_session *s, const struct rh_type *t, bool several)
{
    rh_autoerror struct rh_error err = { 0 };
    struct rh_value *v, *list;
    const char *type = t->type;

    if (!several) {
        v = describe_value(s, t);
    } else {
        v = rh_value_new(s->arena, RH_HASH);
        list = rh_value_new(s->arena, RH_ARRAY);
        for (; t; t = rh_registry_next(s->registry, type, t))
            rh_value_append(list, describe_value(s, t));
        rh_value_put(v, "type", rh_value_string(s->arena, type));
        if (s->settings->suits) {
            t = rh_registry_find(s->registry, type, NULL, &err);
            rh_value_put(v, "chosen",
                         t ? rh_value_string(s->arena, t->provider) : rh_value_new(s->arena, RH_UNDEF));
        }
        rh_value_put(v, "providers", list);
    }
    rh_value_to_json_pretty(b, v, false);
    rh_buf_addc(b, '\n');
}

static void
describe_page(struct rh_buf *b, struct rh_session *s, const struct rh_type *t, bool several)
{
    const struct rh_page page = { b, s->settings->format };

    rh_page_begin(&page, t);
    for (; t; t = several ? rh_registry_next(s->registry, t->type, t) : NULL)
        rh_page_provider(&page, t, several);
}

/* Here rather than in every run: it is for who writes the plugin, not for who uses it. */
static void
warn_undocumented(const struct rh_type *t)
{
    rh_autobuf struct rh_buf names = { 0 };

    rh_type_undocumented(t, &names);
    if (names.n)
        rh_log(RH_WARNING, "no documentation for %s: add 'desc' in the plugin", rh_buf_text(&names));
}

static int
run(struct rh_settings *settings, int argc, char **argv)
{
    struct rh_session s;
    rh_autobuf struct rh_buf b = { 0 };
    rh_autoerror struct rh_error err = { 0 };
    const struct rh_type *t = NULL;
    const struct rh_lookup *lookup = NULL;
    bool several = false;

    if (argc != 1)
        return rh_usage_error(&rh_command_describe, "expected one TYPE; 'rhost types' lists them");
    if (settings->suits && settings->format > RH_FORMAT_JSON)
        return rh_usage_error(
            &rh_command_describe,
            "--suits asks about this machine; a page of --format=markdown or man does not depend on it");
    rh_session_open(&s, settings);
    if (!settings->provider)
        t = rh_registry_next(s.registry, argv[0], NULL);
    if (!t && settings->format == RH_FORMAT_TEXT)
        lookup = rh_registry_lookup(s.registry, argv[0]);
    if (t)
        several = rh_registry_next(s.registry, argv[0], t) != NULL;
    else if (lookup)
        describe_lookup(&b, lookup);
    else if (!(t = rh_registry_transport(s.registry, argv[0], &err))
             && !(t = rh_manifest_own_type(s.arena, argv[0], &err)))
        t = rh_session_type(&s, argv[0]);
    if (t && settings->format == RH_FORMAT_JSON)
        describe_json(&b, &s, t, several);
    else if (t && settings->format != RH_FORMAT_TEXT)
        describe_page(&b, &s, t, several);
    else if (t)
        describe_text(&b, &s, t, several);
    (void)fputs(rh_buf_text(&b), stdout);
    if (t)
        warn_undocumented(t);
    rh_session_close(&s);
    return t || lookup ? RH_EXIT_OK : RH_EXIT_REFUSED;
}

const struct rh_command rh_command_describe = {
    .name = "describe",
    .arguments = "TYPE",
    .summary = "show the manual of a type",
    .text = "The page is made from the descriptor of the plugin: of each provider, where the type has\n"
            "several, or of --provider=NAME. TYPE may also be the name of a lookup. --suits asks the\n"
            "providers how well they suit this machine.\n"
            "--format=markdown and --format=man print a page that can be edited or installed.",
    .options = RH_OPT_COMMON | RH_OPT_PAGE | RH_OPT_PROVIDER | RH_OPT_SUITS | RH_OPT_WHICH,
    .run = run,
};

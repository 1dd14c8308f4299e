/* SPDX-License-Identifier: Apache-2.0 */
/* fixture - a catalog, and a few types that no plugin serves. */
#include "config.h"

#include "fixture.h"

#include "base/alloc.h"
#include "base/arena.h"
#include "base/cleanup.h"
#include "base/error.h"
#include "base/suggest.h"
#include "base/text.h"
#include "base/value-json.h"
#include "base/value.h"
#include "catalog/export.h"
#include "catalog/order.h"
#include "drop-codes.h"
#include "schema/type.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const descriptions[] = {
    "{\"type\": \"file\", \"provider\": \"file\", \"slots\": 64, \"attributes\": ["
    "{\"name\": \"path\", \"type\": \"Pattern[/^\\\\//]\", \"behaviour\": 1},"
    "{\"name\": \"ensure\", \"type\": \"Enum[present, absent]\", \"default\": \"present\"},"
    "{\"name\": \"content\", \"type\": \"String\"},"
    "{\"name\": \"mode\", \"type\": \"Pattern[/^[0-7]{3,4}$/]\"},"
    "{\"name\": \"owner\", \"type\": \"String[1]\"},"
    "{\"name\": \"group\", \"type\": \"Optional[String[1]]\"},"
    "{\"name\": \"size\", \"type\": \"Integer\", \"behaviour\": 4},"
    "{\"name\": \"backup\", \"type\": \"Boolean\"}],"
    "\"relations\": [\"autorequire file[$path/..]\", \"autorequire user[$owner]\"]}",

    "{\"type\": \"user\", \"provider\": \"useradd\", \"slots\": 64, \"attributes\": ["
    "{\"name\": \"name\", \"type\": \"String[1]\", \"behaviour\": 1},"
    "{\"name\": \"uid\", \"type\": \"Integer\"},"
    "{\"name\": \"password\", \"type\": \"Sensitive[String[8]]\"},"
    "{\"name\": \"tokens\", \"type\": \"Optional[Sensitive[Array[String]]]\"},"
    "{\"name\": \"groups\", \"type\": \"Array[String]\"},"
    "{\"name\": \"ratio\", \"type\": \"Float\"},"
    "{\"name\": \"shell\", \"type\": \"Variant[Enum[bash, zsh], Pattern[/^\\\\//]]\"},"
    "{\"name\": \"home\", \"type\": \"Variant[Boolean, String]\"},"
    "{\"name\": \"limits\", \"type\": \"Hash[String, Variant[Integer, Enum[none]]]\"},"
    "{\"name\": \"keys\", \"type\": \"Array[Struct[{name => String, bits => Integer}]]\"},"
    "{\"name\": \"since\", \"type\": \"Optional[SemVer]\"},"
    "{\"name\": \"extra\", \"type\": \"Any\"}]}",

    "{\"type\": \"group\", \"provider\": \"groupadd\", \"slots\": 64, \"attributes\": ["
    "{\"name\": \"name\", \"type\": \"String[1]\", \"behaviour\": 1},"
    "{\"name\": \"gid\", \"type\": \"Integer\"}]}",

    "{\"type\": \"exec\", \"provider\": \"exec\", \"slots\": 4160, \"attributes\": ["
    "{\"name\": \"command\", \"type\": \"String[1]\", \"behaviour\": 1},"
    "{\"name\": \"only_if\", \"type\": \"Variant[String, Array[String]]\"},"
    "{\"name\": \"timeout\", \"type\": \"Integer\"},"
    "{\"name\": \"user\", \"type\": \"String\"}],"
    "\"actions\": [{\"name\": \"run\"}, {\"name\": \"kill\"}], \"default_action\": \"run\"}",

    "{\"type\": \"cron\", \"provider\": \"cron\", \"slots\": 64, \"attributes\": ["
    "{\"name\": \"name\", \"type\": \"String[1]\", \"behaviour\": 1},"
    "{\"name\": \"user\", \"type\": \"String\"},"
    "{\"name\": \"hour\", \"type\": \"Variant[Integer, String]\"}],"
    "\"relations\": [\"autorequire package[$user/${hour}]\"]}",

    "{\"type\": \"pin\", \"provider\": \"pin\", \"slots\": 64, \"attributes\": ["
    "{\"name\": \"name\", \"type\": \"String[1]\", \"behaviour\": 1},"
    "{\"name\": \"packages\", \"type\": \"Array[String]\"},"
    "{\"name\": \"version\", \"type\": \"Variant[Integer, String]\"},"
    "{\"name\": \"port\", \"type\": \"Variant[Integer, String]\"}],"
    "\"relations\": [\"autorequire package[{name: $packages, version: v${version}}]\","
    "\"autorequire listener[{ port:$port }]\", \"autorequire user[{nam: $name}]\"]}",

    "{\"type\": \"listener\", \"provider\": \"listener\", \"slots\": 64, \"attributes\": ["
    "{\"name\": \"port\", \"type\": \"Integer\", \"behaviour\": 1},"
    "{\"name\": \"address\", \"type\": \"String\", \"behaviour\": 1, \"default\": \"*\"}]}",

    "{\"type\": \"package\", \"provider\": \"apt\", \"slots\": 64, \"attributes\": ["
    "{\"name\": \"name\", \"type\": \"String[1]\", \"behaviour\": 1},"
    "{\"name\": \"version\", \"type\": \"String[1]\", \"behaviour\": 1}],"
    "\"title_patterns\": [\"^(?<name>[a-z]+)/(?<version>[0-9.]+)$\"]}",
};

static const struct rh_type *
find(void *data, const char *type, const char *provider, struct rh_error *err)
{
    struct fixture *f = data;

    f->asked++;
    if (strcmp(type, "refused") == 0)
        (void)rh_error_set(err, RH_EINPUT, "plugin 'refused.so' is refused: missing attributes");
    for (size_t i = 0; i < f->n_types; i++)
        if (strcmp(f->types[i]->type, type) == 0
            && (!provider || strcmp(f->types[i]->provider, provider) == 0))
            return f->types[i];
    for (size_t i = 0; i < f->n_types; i++)
        if (strcmp(f->types[i]->type, type) == 0)
            (void)rh_error_set(err, RH_EINPUT, "type '%s': unknown provider '%s'", type, provider);
    return NULL;
}

static void
suggest(void *data, struct rh_suggest *s)
{
    const struct fixture *f = data;

    for (size_t i = 0; i < f->n_types; i++)
        rh_suggest_try(s, f->types[i]->type);
}

void
fixture_open(struct fixture *f)
{
    *f = (struct fixture){ .arena = rh_arena_new(NULL) };
    f->complaints.sources = &f->sources;
    rh_catalog_init(&f->catalog, f->arena, &f->sources);
    f->lookup = (struct rh_manifest_types){ .data = f, .find = find, .suggest = suggest };
    for (size_t i = 0; i < sizeof descriptions / sizeof descriptions[0]; i++) {
        rh_autoerror struct rh_error err = { 0 };
        const struct rh_value *v =
            rh_value_from_json(f->arena, descriptions[i], strlen(descriptions[i]), &err);
        struct rh_type *type = v ? rh_type_read(f->arena, v, &err) : NULL;

        if (!type) {
            (void)fprintf(stderr, "description %zu: %s\n", i, err.message);
            abort();
        }
        f->types[f->n_types++] = type;
    }
}

void
fixture_close(struct fixture *f)
{
    free(f->text);
    rh_order_clear(&f->order);
    rh_complaints_clear(&f->complaints);
    rh_catalog_clear(&f->catalog);
    rh_sources_clear(&f->sources);
    rh_arena_free(f->arena);
}

int
fixture_setup(void **state)
{
    struct fixture *f = rh_xalloc(sizeof *f);

    fixture_open(f);
    *state = f;
    return 0;
}

int
fixture_teardown(void **state)
{
    fixture_close(*state);
    free(*state);
    return 0;
}

int
fixture_load(struct fixture *f, const char *text)
{
    return rh_manifest_load_text(&f->catalog, &f->lookup, "site.yaml", text, strlen(text), &f->complaints);
}

int
fixture_run(struct fixture *f, const char *text)
{
    int rc = fixture_load(f, text);

    rh_relations_resolve(&f->catalog, &f->complaints);
    if (rh_complaints_count(&f->complaints) > 0)
        rc = -1;
    rh_order_clear(&f->order);
    return rc < 0 ? rc : rh_order_make(&f->catalog, &f->order, &f->complaints);
}

static const char *
keep(struct fixture *f, char *text)
{
    free(f->text);
    f->text = text;
    return text;
}

const char *
fixture_said(struct fixture *f)
{
    char *text = NULL;
    size_t n = 0;
    FILE *to = open_memstream(&text, &n);

    if (!to)
        abort();
    rh_complaints_print(&f->complaints, to, false);
    if (fclose(to) != 0)
        abort();
    drop_codes(text);
    return keep(f, text);
}

const char *
fixture_list(struct fixture *f)
{
    struct rh_buf b = { 0 };

    for (size_t i = 0; i < f->order.n; i++) {
        const struct rh_todo *todo = &f->catalog.list[f->order.entries[i]];
        rh_autofree char *text = rh_resource_text(todo->resource);

        rh_buf_addf(&b, "%s%s", i ? " " : "", text);
        if (strcmp(todo->action, "converge") != 0)
            rh_buf_addf(&b, ":%s", todo->action);
    }
    return keep(f, rh_buf_take(&b));
}

const char *
fixture_should(struct fixture *f, const char *type, const char *title)
{
    const struct rh_resource *r = rh_catalog_find(&f->catalog, type, title);
    struct rh_buf b = { 0 };

    rh_value_show(&b, r ? r->should : NULL, 0);
    return keep(f, rh_buf_take(&b));
}

const char *
fixture_json(struct fixture *f)
{
    struct rh_buf b = { 0 };

    rh_value_to_json_pretty(&b, rh_catalog_to_value(&f->catalog, &f->order, f->arena), true);
    return keep(f, rh_buf_take(&b));
}

const struct rh_value *
fixture_value(const struct fixture *f, const char *type, const char *title, const char *attribute)
{
    const struct rh_resource *r = rh_catalog_find(&f->catalog, type, title);

    return r ? rh_value_get(r->should, attribute) : NULL;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* rhost why REF FILE... - why a resource is as it is: where it is declared, what each of its values comes
 * from, what it has to do with others, and what was done to it last. */
#include "config.h"

#include "cli/why.h"

#include "base/alloc.h"
#include "base/arena.h"
#include "base/cleanup.h"
#include "base/source.h"
#include "base/suggest.h"
#include "base/text.h"
#include "base/value-json.h"
#include "base/value.h"
#include "catalog/catalog.h"
#include "catalog/export.h"
#include "cli/command.h"
#include "cli/refusal.h"
#include "cli/session.h"

#include <stdio.h>
#include <string.h>

enum { CHANGES = 5 };

/* No resource has this reference. */
static void
refuse(struct rh_session *s, const struct rh_reference *ref, const char *text)
{
    const struct rh_catalog *c = &s->catalog;
    struct rh_place when = rh_catalog_excluded(c, ref);
    rh_autofree char *place = rh_place_text(&s->sources, when, false);
    rh_autofree char *best = NULL;
    struct rh_suggest near;

    if (when.line) {
        rh_refuse("'%s' is excluded by the 'when' at %s", text, place);
        return;
    }
    rh_suggest_init(&near, ref->title);
    for (size_t i = 0; i < c->n_resources; i++)
        if (strcmp(c->resources[i]->type->type, ref->type) == 0)
            rh_suggest_try(&near, c->resources[i]->title);
    if (near.best)
        best = rh_printf("%s[%s]", ref->type, near.best);
    rh_refuse_unknown(best, "'rhost compile' prints all resources", "'%s' is not in the manifests", text);
}

static int
show(struct rh_session *s, const char *text)
{
    rh_autobuf struct rh_buf out = { 0 };
    const struct rh_resource *r = NULL;
    struct rh_reference ref;
    struct rh_value *why;

    if (rh_reference_parse(s->arena, text, &ref))
        r = rh_catalog_find(&s->catalog, ref.type, ref.title);
    if (!r) {
        refuse(s, &ref, text);
        return RH_EXIT_REFUSED;
    }
    why = rh_why_value(s, r);
    rh_value_put(why, "changes", rh_why_changes(s, r, CHANGES));
    if (s->settings->format == RH_FORMAT_JSON) {
        rh_value_to_json_pretty(&out, rh_catalog_plain(s->arena, why), false);
        rh_buf_addc(&out, '\n');
    } else {
        rh_why_show(&out, why);
    }
    (void)fputs(rh_buf_text(&out), stdout);
    return RH_EXIT_OK;
}

static int
run(struct rh_settings *settings, int argc, char **argv)
{
    rh_autoarena struct rh_arena *arena = rh_arena_new(NULL);
    struct rh_reference ref;
    struct rh_session s;
    int status = RH_EXIT_REFUSED;

    if (argc < 1)
        return rh_usage_error(&rh_command_why, "no resource given: write it as 'file[/etc/motd]'");
    if (!rh_reference_parse(arena, argv[0], &ref))
        return rh_usage_error(&rh_command_why, "'%s' is not a resource: write it as 'file[/etc/motd]'",
                              argv[0]);
    if (argc < 2)
        return rh_usage_error(&rh_command_why, "no manifest given: name at least one FILE");
    rh_session_open(&s, settings);
    s.explains = true;
    if (rh_session_load(&s, (const char *const *)argv + 1, (size_t)argc - 1) == 0)
        status = show(&s, argv[0]);
    rh_session_close(&s);
    return status;
}

const struct rh_command rh_command_why = {
    .name = "why",
    .arguments = "REF FILE...",
    .summary = "show where a resource and its values come from",
    .text =
        "REF is a resource: 'file[/etc/motd]', quoted for the shell. For each value it shows where it is\n"
        "written: in the entry, a default, an edit; the expression, and the levels of the node attributes\n"
        "that it reads. It lists relations and notifications, and the last changes that runs made.",
    .options = RH_OPT_COMMON | RH_OPT_MANIFEST | RH_OPT_FORMAT | RH_OPT_PROVIDER,
    .run = run,
};

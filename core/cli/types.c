/* SPDX-License-Identifier: Apache-2.0 */
/* types - rhost types: what is installed. */
#include "config.h"

#include "base/cleanup.h"
#include "base/text.h"
#include "base/value-json.h"
#include "base/value.h"
#include "cli/command.h"
#include "cli/session.h"
#include "plugin/registry.h"

#include <stdio.h>
#include <string.h>

static void
print_text(void *data, const struct rh_type *t)
{
    rh_autobuf struct rh_buf desc = { 0 };

    (void)data;
    rh_buf_add_safe(&desc, t->desc, strcspn(t->desc, "\n"), false);
    (void)printf("%-16s %-12s %-8s %s\n", t->type, t->provider, t->version, rh_buf_text(&desc));
}

static void
add_value(void *data, const struct rh_type *t)
{
    struct rh_value *list = data;
    struct rh_arena *a = rh_value_arena(list);
    struct rh_value *v = rh_value_new(a, RH_HASH);

    rh_value_put(v, "type", rh_value_string(a, t->type));
    rh_value_put(v, "provider", rh_value_string(a, t->provider));
    rh_value_put(v, "desc", rh_value_string(a, t->desc));
    rh_value_put(v, "plugin", rh_value_string(a, t->plugin));
    rh_value_put(v, "version", rh_value_string(a, t->version));
    rh_value_put(v, "path", rh_value_string(a, t->path));
    rh_value_append(list, v);
}

static int
run(struct rh_settings *settings, int argc, char **argv)
{
    struct rh_session s;

    if (argc > 0)
        return rh_usage_error(&rh_command_types, "it takes no operand, and '%s' is one", argv[0]);
    rh_session_open(&s, settings);
    if (settings->format == RH_FORMAT_JSON) {
        rh_autobuf struct rh_buf text = { 0 };
        struct rh_value *list = rh_value_new(s.arena, RH_ARRAY);

        rh_registry_each(s.registry, add_value, list);
        rh_value_to_json_pretty(&text, list, false);
        (void)puts(rh_buf_text(&text));
    } else {
        rh_registry_each(s.registry, print_text, NULL);
    }
    rh_session_close(&s);
    return RH_EXIT_OK;
}

const struct rh_command rh_command_types = {
    .name = "types",
    .arguments = "",
    .summary = "list the resource types that are installed",
    .text = "A line for each: type, provider, version, what it is for.",
    .options = RH_OPT_COMMON | RH_OPT_FORMAT,
    .run = run,
};

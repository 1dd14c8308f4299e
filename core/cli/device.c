/* SPDX-License-Identifier: Apache-2.0 */
/* device - rhost device TARGETS [TARGET [FILE...]]: which devices there are, what one says of itself, or
 * manage it. */
#include "config.h"

#include "base/arena.h"
#include "base/cleanup.h"
#include "base/error.h"
#include "base/log.h"
#include "base/text.h"
#include "base/value-json.h"
#include "base/value.h"
#include "cli/bundle.h"
#include "cli/command.h"
#include "cli/session.h"
#include "cli/target.h"
#include "provider/log-record.h"

#include <stdio.h>

static void
take_fact(void *data, const struct rh_value *item)
{
    rh_autobuf struct rh_buf text = { 0 };

    (void)data;
    rh_value_to_json(&text, item, false);
    (void)printf("%s\n", rh_buf_text(&text));
}

static int
show_facts(struct rh_session *s, const struct rh_resource *target)
{
    const struct rh_sink sink = { .item = take_fact, .log = rh_log_record_print };
    rh_autoerror struct rh_error err = { 0 };

    if (rh_worker_facts(rh_pool_worker(&s->pool, target->type), &sink, &err) == 0)
        return RH_EXIT_OK;
    rh_log_error(RH_ERR, &err);
    return RH_EXIT_FAILED;
}

static int
list(const struct rh_session *s, const struct rh_catalog *targets, bool json)
{
    struct rh_value *all = rh_value_new(s->arena, RH_ARRAY);
    rh_autobuf struct rh_buf text = { 0 };

    for (size_t i = 0; i < targets->n_resources; i++) {
        const struct rh_resource *r = targets->resources[i];
        struct rh_value *one = rh_value_new(s->arena, RH_HASH);
        rh_autofree char *title = rh_safe_text(r->title);

        rh_buf_addf(&text, "%s[%s]\n", r->type->type, title);
        rh_value_put(one, "target", rh_value_string(s->arena, r->title));
        rh_value_put(one, "transport", rh_value_string(s->arena, r->type->type));
        rh_value_append(all, one);
    }
    if (json) {
        rh_buf_clear(&text);
        rh_value_to_json_pretty(&text, all, false);
        rh_buf_addc(&text, '\n');
    }
    (void)fputs(rh_buf_text(&text), stdout);
    return RH_EXIT_OK;
}

static int
run(struct rh_settings *settings, int argc, char **argv)
{
    rh_autoarena struct rh_arena *a = rh_arena_new(NULL); /* of a bundle's names */
    struct rh_session s;
    struct rh_reach reach;
    int status = RH_EXIT_REFUSED;

    if (argc < 1)
        return rh_usage_error(&rh_command_device, "expected TARGETS, a file that describes devices");
    if (argc > 2 && rh_bundle_argument_of_device(a, settings, argv[1], argc - 2, argv + 2) < 0)
        return RH_EXIT_REFUSED;
    settings->runs = argc > 1;
    rh_session_open(&s, settings);
    if (rh_reach_open(&reach, &s, argv[0], argc > 1 ? argv[1] : NULL) == 0) {
        if (argc == 1)
            status = list(&s, &reach.targets, settings->format == RH_FORMAT_JSON);
        else if (argc == 2)
            status = show_facts(&s, reach.resource);
        else if (rh_session_load(&s, (const char *const *)argv + 2, (size_t)argc - 2) == 0)
            status = rh_execute(&s);
    }
    rh_reach_close(&reach);
    rh_session_close(&s);
    return status;
}

const struct rh_command rh_command_device = {
    .name = "device",
    .arguments = "TARGETS [TARGET [FILE...]]",
    .summary = "apply manifests to a device",
    .text = "TARGETS is a file written as a manifest, whose types are transports and whose resources are\n"
            "targets: how to reach each device. With FILEs the command applies them to the device, with a\n"
            "BUNDLE its devices/TARGET.yaml; without it shows the facts of the device, and without TARGET\n"
            "the devices. Keep the state of each device apart with --state-dir.",
    .options = RH_OPT_COMMON | RH_OPT_MANIFEST | RH_OPT_RUN | RH_OPT_FORMAT | RH_OPT_PROVIDER | RH_OPT_LIST
               | RH_OPT_SIGNERS,
    .run = run,
};

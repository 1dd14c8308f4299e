/* SPDX-License-Identifier: Apache-2.0 */
/* report - reports of the agent itself: what hinders a run, in the form that reports of runs have. */
#include "config.h"

#include "agent/agent.h"

#include "base/alloc.h"
#include "base/arena.h"
#include "base/error.h"
#include "base/json-writer.h"
#include "base/text.h"
#include "base/value.h"
#include "run/event-json.h"
#include "run/identity.h"

#include <stdio.h>

int
rh_agent_report(struct rh_agent *agent, int64_t revision, const struct rh_error *why, struct rh_error *err)
{
    return rh_agent_report_device(agent, NULL, revision, why, err);
}

int
rh_agent_report_device(struct rh_agent *agent, const char *device, int64_t revision,
                       const struct rh_error *why, struct rh_error *err)
{
    rh_autofree char *of_device = device ? rh_printf("%s/devices/%s", agent->directory, device) : NULL;
    rh_autoarena struct rh_arena *a = rh_arena_new(NULL);
    rh_autobuf struct rh_buf b = { 0 };
    struct rh_value *errors = rh_value_new(a, RH_ARRAY);
    struct rh_identity identity;
    char run[RH_RUN_ID], started[RH_RUN_TIME], number[32];

    if (rh_identity_take(device ? of_device : agent->state_dir, true, &identity, err) < 0)
        return -1;
    rh_identity_new_run(run, started);
    (void)snprintf(number, sizeof number, "%lld", (long long)revision);
    rh_value_append(errors, rh_error_to_value(why, NULL, a));
    rh_buf_addc(&b, '{');
    rh_json_number(&b, "rhost_report", RH_REPORT_FORMAT);
    rh_json_text(&b, "rhost", PACKAGE_VERSION);
    rh_host_to_json(&b, identity.host, identity.name);
    if (device)
        rh_json_text(&b, "device", device);
    rh_json_text(&b, "run", run);
    rh_json_number(&b, "seq", (int64_t)identity.seq);
    if (revision)
        rh_json_text(&b, "revision", number);
    rh_json_boolean(&b, "noop", false);
    rh_json_text(&b, "started", started);
    rh_buf_add(&b, ",\n \"resources\": [],\n \"log\": []");
    rh_json_text(&b, "ended", started);
    rh_buf_add(&b, ", \"seconds\": 0.000");
    rh_json_number(&b, "exit", 1);
    rh_json_text(&b, "status", "refused");
    rh_buf_add(&b, ", \"counts\": {\"total\": 0, \"unchanged\": 0, \"changed\": 0, \"refreshed\": 0, "
                   "\"failed\": 0, \"skipped\": 0}");
    rh_json_boolean(&b, "agent", true);
    rh_json_value(&b, "errors", errors);
    rh_buf_add(&b, "}\n");
    return rh_spool_put(&agent->spool, b.s, b.n, true, err);
}

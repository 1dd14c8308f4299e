/* SPDX-License-Identifier: Apache-2.0 */
/* simulated-apply - stands in for `rhost apply` of a simulated machine: the agent around it is the real one.
 * It changes nothing, and writes the report of a run without a change, with the next number of the state
 * directory. The agent takes the numbers of its own reports from there as well. */
#include "config.h"

#include "base/alloc.h"
#include "base/error.h"
#include "base/io.h"
#include "base/json-writer.h"
#include "base/text.h"
#include "run/event-json.h"
#include "run/identity.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *
value_of(const char *argument, const char *option)
{
    size_t n = strlen(option);

    return strncmp(argument, option, n) == 0 ? argument + n : NULL;
}

static void
write_report(struct rh_buf *b, const struct rh_identity *identity, const char *revision)
{
    char run[RH_RUN_ID], started[RH_RUN_TIME];

    rh_identity_new_run(run, started);
    rh_buf_addc(b, '{');
    rh_json_number(b, "rhost_report", RH_REPORT_FORMAT);
    rh_json_text(b, "rhost", PACKAGE_VERSION);
    rh_host_to_json(b, identity->host, identity->name);
    rh_json_text(b, "run", run);
    rh_json_number(b, "seq", (int64_t)identity->seq);
    rh_json_text(b, "revision", revision);
    rh_json_boolean(b, "noop", false);
    rh_json_text(b, "started", started);
    rh_buf_add(b, ",\n \"resources\": [],\n \"log\": []");
    rh_json_text(b, "ended", started);
    rh_buf_add(b, ", \"seconds\": 0.100");
    rh_json_number(b, "exit", 0);
    rh_json_text(b, "status", "ok");
    rh_buf_add(b, ", \"counts\": {\"total\": 1, \"unchanged\": 1, \"changed\": 0, \"refreshed\": 0, "
                  "\"failed\": 0, \"skipped\": 0}}\n");
}

int
main(int argc, char **argv)
{
    const char *state = NULL, *report = NULL, *last = argc > 1 ? argv[argc - 1] : "",
               *name = strrchr(last, '/');
    rh_autofree char *revision = NULL;
    rh_autobuf struct rh_buf b = { 0 };
    rh_autoerror struct rh_error err = { 0 };
    struct rh_identity identity;

    for (int i = 1; i < argc; i++) {
        state = value_of(argv[i], "--state-dir=") ? value_of(argv[i], "--state-dir=") : state;
        report = value_of(argv[i], "--report=") ? value_of(argv[i], "--report=") : report;
    }
    if (!state || !report || !name || name[1] != 'r') {
        (void)fputs("usage: simulated-apply --state-dir=DIR --report=FILE .../rN.json\n", stderr);
        return 1;
    }
    revision = rh_printf("%.*s", (int)strcspn(name + 2, "."), name + 2);
    if (rh_identity_take(state, true, &identity, &err) == 0) {
        write_report(&b, &identity, revision);
        if (rh_replace_file(report, b.s, b.n, 0600, &err) == 0)
            return 0;
    }
    (void)fprintf(stderr, "simulated-apply: %s\n", err.message);
    return 1;
}

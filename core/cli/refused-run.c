/* SPDX-License-Identifier: Apache-2.0 */
/* refused-run - what is known of the run of this command, for the case that it is refused. */
#include "config.h"

#include "cli/refused-run.h"

#include "cli/options.h"
#include "cli/refusal.h"

#include <stddef.h>

struct rh_refused_run *
rh_refused_run(void)
{
    static struct rh_refused_run run;

    return &run;
}

void
rh_refused_watch(const struct rh_settings *settings)
{
    struct rh_refused_run *run = rh_refused_run();

    run->watched = settings->events || settings->progress == RH_PROGRESS_JSON;
    for (int i = 0; i < RH_REPORTS; i++)
        run->watched |= settings->reports[i] != NULL;
    if (run->watched)
        rh_refusals_keep();
}

void
rh_refused_source(const char *path)
{
    struct rh_refused_run *run = rh_refused_run();

    if (run->watched && !run->begun)
        (void)rh_sources_add(&run->sources, path, "", 0);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* preview - makes the dry runs that the source asks for. They change nothing, and what the agent applies does
 * not depend on them. */
#include "config.h"

#include "agent/agent.h"

#include "agent/fetch.h"
#include "agent/get.h"
#include "base/alloc.h"
#include "base/arena.h"
#include "base/error.h"
#include "base/log.h"
#include "bundle/bundle.h"
#include "bundle/channel.h"

#include <time.h>
#include <unistd.h>

enum { DAY = 24 * 3600, MISSING = 404 };

/* The revision whose dry run is asked of this machine; 0: none is. */
static int64_t
choose(const struct rh_agent *agent, const struct rh_channel *c)
{
    const struct rh_agent_memory *m = &agent->memory;
    time_t now = time(NULL);

    if (c->serial <= m->previewed || c->serial - m->previewed > RH_CHANNEL_JUMP || now >= c->expires
        || now < c->issued - DAY || c->want < m->min_revision || c->want < agent->settings.min_revision)
        return 0;
    return rh_channel_choose(c, agent->id, agent->name);
}

static int
read_preview(const struct rh_agent *agent, struct rh_arena *a, const char *path, struct rh_channel *c,
             struct rh_error *err)
{
    rh_autosigned struct rh_signed s = { 0 };

    if (rh_signed_open(&s, path, RH_CHANNEL_BYTES, RH_CHANNEL_NAMESPACE, agent->settings.signers, err) < 0)
        return -1;
    if (rh_preview_read(a, rh_arena_strndup(a, s.text, s.n), s.n, c, err) < 0)
        return rh_error_prefix(err, "'%s/" RH_PREVIEW_FILE "' is no preview", agent->settings.source);
    return 0;
}

int
rh_agent_preview(struct rh_agent *agent, struct rh_error *err)
{
    rh_autoarena struct rh_arena *a = rh_arena_new(NULL);
    rh_autofree char *path = rh_printf("%s/" RH_PREVIEW_FILE, agent->directory),
                     *signature = rh_printf("%s.sig", path);
    rh_autoerror struct rh_error why = { 0 };
    struct rh_fetch_answer answer = { 0 };
    struct rh_channel c;
    int64_t revision;
    int rc = rh_agent_get_signed(agent, RH_PREVIEW_FILE, path, NULL, &answer, &why);

    if (rc == 0)
        rc = read_preview(agent, a, path, &c, &why);
    (void)unlink(path);
    (void)unlink(signature);
    if (rc < 0 && answer.status == MISSING)
        return 0; /* which is the usual answer */
    if (rc < 0) {
        rh_error_move(err, &why);
        return -1;
    }
    revision = choose(agent, &c);
    if (!revision)
        return 0;
    if (rh_agent_get_bundle(agent, revision, err) < 0)
        return rh_error_prefix(err, "no dry run of revision %lld", (long long)revision);
    /* Once, also where it takes the agent down. */
    agent->memory.previewed = c.serial;
    if (rh_agent_memory_save(&agent->memory, agent->directory, err) < 0)
        return -1;
    rh_log(RH_INFO, "dry run of revision %lld", (long long)revision);
    return rh_agent_dry_run(agent, revision, err);
}

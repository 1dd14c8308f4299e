/* SPDX-License-Identifier: Apache-2.0 */
/* agent - the agent of this machine: its directory and its lock. */
#include "config.h"

#include "agent/agent.h"

#include "base/alloc.h"
#include "base/arena.h"
#include "base/error.h"
#include "base/io.h"
#include "base/trust.h"
#include "base/value.h"
#include "run/identity.h"
#include "run/state.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

enum { TRIES = 20, PAUSE = 50 /* ms */ };

/* A machine without /etc/machine-id has the id that its runs have. */
static int
identify(struct rh_agent *agent, struct rh_error *err)
{
    rh_autoarena struct rh_arena *a = rh_arena_new(NULL);
    struct rh_identity identity;
    const struct rh_value *kept;

    rh_identity_of_machine(&identity);
    (void)snprintf(agent->name, sizeof agent->name, "%s", identity.name);
    if (!*identity.host) {
        kept = rh_state_load(a, agent->state_dir, "host.json", err);
        if (!kept)
            return -1;
        (void)snprintf(identity.host, sizeof identity.host, "%s", rh_value_get_str(kept, "id", ""));
    }
    if (!*identity.host && rh_identity_take(agent->state_dir, true, &identity, err) < 0)
        return -1;
    (void)snprintf(agent->id, sizeof agent->id, "%s", identity.host);
    return 0;
}

/* The lock goes with this process: it is never taken by another one, nor by what this one starts. */
static int
take_lock(const struct rh_agent *agent, struct rh_error *err)
{
    rh_autofree char *path = rh_printf("%s/lock", agent->directory);
    rh_autoclose int fd = open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);

    if (fd < 0)
        return rh_error_system(err, errno, "cannot open '%s'", path);
    /* 'rhost agent status' holds it for a moment. */
    for (int tries = 0; flock(fd, LOCK_EX | LOCK_NB) < 0; tries++) {
        if (errno == EWOULDBLOCK && tries < TRIES) {
            (void)poll(NULL, 0, PAUSE);
            continue;
        }
        return errno == EWOULDBLOCK
                   ? rh_error_set(err, RH_ELOCKED, "another agent runs: it holds the lock '%s'", path)
                   : rh_error_system(err, errno, "cannot lock '%s'", path);
    }
    (void)rh_take_fd(&fd);
    return 0;
}

char *
rh_agent_directory(const char *state_dir)
{
    return rh_printf("%s-agent", state_dir);
}

int
rh_agent_open(struct rh_agent *agent, struct rh_error *err)
{
    rh_autoclose int state = rh_state_dir_open(agent->state_dir, true, err);
    rh_autofree char *bundles = NULL, *runs = NULL;

    if (state < 0)
        return -1;
    agent->directory = rh_agent_directory(agent->state_dir);
    bundles = rh_printf("%s/bundles", agent->directory);
    runs = rh_printf("%s/runs", agent->directory);
    if (rh_make_directory(agent->directory, 0700, err) < 0
        || rh_trust_path(agent->directory, RH_TRUST_CALLER, err) < 0
        || rh_make_directory(bundles, 0700, err) < 0 || rh_make_directory(runs, 0700, err) < 0
        || take_lock(agent, err) < 0 || identify(agent, err) < 0)
        return -1;
    return rh_spool_open(&agent->spool, agent->directory, err);
}

void
rh_agent_close(struct rh_agent *agent)
{
    rh_spool_clear(&agent->spool);
    rh_arena_free(agent->arena);
    free(agent->directory);
    agent->arena = NULL;
    agent->directory = NULL;
}

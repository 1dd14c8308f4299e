/* SPDX-License-Identifier: Apache-2.0 */
/* get - gets files of the source. */
#include "config.h"

#include "agent/get.h"

#include "agent/agent.h"
#include "agent/fetch.h"
#include "base/alloc.h"
#include "base/error.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

enum { SECONDS = 60, LARGEST_SMALL = 1 << 20, OK = 200, PART = 206, UNCHANGED = 304 };

int
rh_agent_get(const struct rh_agent *agent, const struct rh_agent_getting *g, struct rh_fetch_answer *answer,
             struct rh_error *err)
{
    rh_autofree char *url = rh_printf("%s/%s", agent->settings.source, g->name);
    struct rh_fetch_request r = { .url = url, .etag = g->etag, .limit = g->limit, .seconds = g->seconds };
    rh_autoclose int fd =
        open(g->path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC | (g->resumes ? 0 : O_TRUNC), 0600);
    struct stat st;

    if (fd < 0 || fstat(fd, &st) < 0)
        return rh_error_system(err, errno, "cannot open '%s'", g->path);
    if (g->resumes && (size_t)st.st_size < g->limit)
        r.from = (size_t)st.st_size;
    if (rh_fetch(&agent->settings, &r, fd, answer, err) < 0)
        return -1;
    if (answer->status != OK && answer->status != PART && !(answer->status == UNCHANGED && g->etag)) {
        /* What cannot be gone on from is not kept. */
        rh_discard(ftruncate(fd, 0));
        return rh_error_set(err, RH_EINPUT, "cannot get '%s': the server answered with status %d", url,
                            answer->status);
    }
    if (ftruncate(fd, (off_t)answer->n) < 0 || fsync(fd) < 0)
        return rh_error_system(err, errno, "cannot write '%s'", g->path);
    return 0;
}

int
rh_agent_get_signed(const struct rh_agent *agent, const char *name, const char *path, const char *etag,
                    struct rh_fetch_answer *answer, struct rh_error *err)
{
    rh_autofree char *signature = rh_printf("%s.sig", name), *signature_path = rh_printf("%s.sig", path);
    struct rh_agent_getting g = { name, path, etag, LARGEST_SMALL, SECONDS, false };
    struct rh_fetch_answer of_signature;

    if (rh_agent_get(agent, &g, answer, err) < 0)
        return -1;
    if (answer->status == UNCHANGED)
        return 0;
    g = (struct rh_agent_getting){ signature, signature_path, NULL, LARGEST_SMALL, SECONDS, false };
    return rh_agent_get(agent, &g, &of_signature, err);
}

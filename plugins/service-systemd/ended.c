/* SPDX-License-Identifier: Apache-2.0 */
/* ended - how a process of a unit ended, and what the result of a service means. */

#include "ended.h"

#include <signal.h>
#include <string.h>

/* What systemd exits with for a process that it could not even begin; see systemd.exec(5). */
static const char *
status_name(int status)
{
    static const struct {
        int status;
        const char *name;
    } known[] = {
        { 200, "its working directory cannot be entered" },
        { 203, "its program cannot be executed" },
        { 204, "no memory for it" },
        { 205, "a resource limit cannot be set" },
        { 208, "its standard input cannot be set up" },
        { 209, "its standard output cannot be set up" },
        { 216, "its group cannot be taken" },
        { 217, "its user cannot be taken" },
        { 218, "its capabilities cannot be set" },
        { 226, "its namespaces cannot be set up" },
        { 228, "its system call filter cannot be set" },
        { 233, "its runtime directory cannot be made" },
        { 238, "its state directory cannot be made" },
        { 243, "its credentials cannot be set up" },
    };

    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        if (known[i].status == status)
            return known[i].name;
    return NULL;
}

const char *
ended_how(rhost_ctx *ctx, const char *who, int code, int status)
{
    const char *name = status_name(status);

    if (code != CLD_EXITED)
        return rhost_fmt(ctx, "%s was killed by signal %d (%s)", who, status, strsignal(status));
    if (name)
        return rhost_fmt(ctx, "%s exited with status %d: %s", who, status, name);
    return rhost_fmt(ctx, "%s exited with status %d", who, status);
}

const char *
ended_means(const char *result)
{
    static const struct {
        const char *result, *means;
    } known[] = {
        { "timeout", "it did not start within the time limit of its unit" },
        { "watchdog", "it did not notify its watchdog in time" },
        { "start-limit-hit", "it was started too often in a short time" },
        { "resources", "systemd could not set up what it needs" },
        { "protocol", "it did not do what its Type= makes systemd expect" },
        { "oom-kill", "it was killed because memory ran out" },
    };

    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        if (strcmp(result, known[i].result) == 0)
            return known[i].means;
    return NULL;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* devices - applies the last good revision to the devices that are managed from this machine.
 *
 * Which ones there are is asked of `rhost device`, since this program has no plugins. What fails on a device
 * says nothing about this machine: the revision stays good. */
#include "config.h"

#include "agent/agent.h"

#include "agent/signals.h"
#include "agent/subject.h"
#include "base/alloc.h"
#include "base/arena.h"
#include "base/error.h"
#include "base/io.h"
#include "base/log.h"
#include "base/text.h"
#include "base/value-json.h"
#include "base/value.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MOST_ARGUMENTS = 8, LARGEST_LIST = 1 << 20, MOST_DEVICES = 1000, PIECE = 4096 };

static char *const *
command_of(struct rh_arena *a, const struct rh_agent *agent)
{
    char **argv = rh_arena_alloc(a, (MOST_ARGUMENTS + agent->n_options) * sizeof *argv);
    size_t n = 0;

    argv[n++] = rh_arena_strdup(a, agent->program);
    argv[n++] = rh_arena_strdup(a, "device");
    for (size_t i = 0; i < agent->n_options; i++)
        argv[n++] = rh_arena_strdup(a, agent->options[i]);
    /* A list that is refused has a number, which is none of this machine's runs. */
    argv[n++] = rh_arena_printf(a, "--state-dir=%s/device-list", agent->directory);
    argv[n++] = rh_arena_strdup(a, "--format=json");
    argv[n++] = rh_arena_strdup(a, "--");
    argv[n++] = rh_arena_strdup(a, agent->settings.devices);
    argv[n] = NULL;
    return argv;
}

/* What it prints, up to a limit. The end is closed then, so that it cannot wait for us. */
static void
read_all(int fd, struct rh_buf *to)
{
    char piece[PIECE];
    ssize_t n;

    while (to->n < LARGEST_LIST && ((n = read(fd, piece, sizeof piece)) > 0 || (n < 0 && errno == EINTR)))
        if (n > 0)
            rh_buf_addn(to, piece, (size_t)n);
    (void)close(fd);
}

static const struct rh_value *
list(struct rh_agent *agent, struct rh_arena *a, struct rh_error *err)
{
    rh_autobuf struct rh_buf text = { 0 };
    const struct rh_value *v = NULL; /* a list of hashes */
    int pair[2], status = 0;
    pid_t pid;

    if (pipe2(pair, O_CLOEXEC) < 0) {
        rh_discard(rh_error_system(err, errno, "cannot make a pipe"));
        return NULL;
    }
    if (rh_agent_start(command_of(a, agent), pair[1], &pid, err) < 0) {
        (void)close(pair[0]);
        (void)close(pair[1]);
        return NULL;
    }
    (void)close(pair[1]);
    read_all(pair[0], &text);
    if (rh_agent_wait_child(pid, &status, err) < 0)
        return NULL;
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
        v = rh_value_from_json(a, rh_buf_text(&text), text.n, NULL);
    if (rh_value_is(v, RH_ARRAY) && rh_value_count(v) <= MOST_DEVICES)
        return v;
    rh_discard(rh_error_set(err, RH_EINPUT, "no device is managed: 'rhost device %s' does not list them",
                            agent->settings.devices));
    return NULL;
}

/* The directory of its state is there before a run that is lost is to be reported. */
static int
apply_one(struct rh_agent *agent, const char *device, int64_t revision, bool *worked, struct rh_error *err)
{
    rh_autofree char *own = rh_printf("%s/devices/%s", agent->directory, device);

    if (!rh_is_report_directory(device))
        return rh_error_set(err, RH_EINPUT,
                            "the device '%s' is not managed: a name must have letters, digits, '.', '_' and "
                            "'-' only",
                            device);
    if (rh_make_directory(own, 0700, err) < 0)
        return -1;
    rh_log(RH_INFO, "applying revision %lld to the device '%s'", (long long)revision, device);
    return rh_agent_apply_device(agent, device, revision, worked, err);
}

int
rh_agent_apply_devices(struct rh_agent *agent, int64_t revision, bool *worked, struct rh_error *err)
{
    rh_autoarena struct rh_arena *a = rh_arena_new(NULL);
    rh_autofree char *directory = rh_printf("%s/devices", agent->directory);
    const struct rh_value *devices;

    if (rh_make_directory(directory, 0700, err) < 0 || !(devices = list(agent, a, err)))
        return -1;
    *worked = true;
    for (size_t i = 0; i < rh_value_count(devices) && !rh_agent_stopping(); i++) {
        const char *device = rh_value_get_str(rh_value_at(devices, i), "target", "");
        rh_autoerror struct rh_error why = { 0 };
        bool one = false;

        if (apply_one(agent, device, revision, &one, &why) < 0)
            rh_log_error(RH_ERR, &why);
        *worked &= one;
    }
    return 0;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* wait_for - wait until a port is open, a path exists, a text appears, or a unit is active.
 *
 * Waiting changes nothing, so a resource is never out of sync: it converges by waiting, and counts as
 * unchanged. */

#include "../line/pattern.h"
#include "probe.h"

#include <rhost/posix.h>

static const struct rhost_attr attrs[] = {
    { .name = "name",
      .type = "String[1]",
      .behaviour = RHOST_NAMEVAR,
      .desc = "What is waited for, in words." },
    { .name = "port",
      .type = "Optional[Integer[1, 65535]]",
      .behaviour = RHOST_PARAMETER,
      .desc = "A TCP port that accepts connections." },
    { .name = "host",
      .type = "String[1]",
      .behaviour = RHOST_PARAMETER,
      .default_value = "\"localhost\"",
      .desc = "The name or address of the machine with the port." },
    { .name = "socket",
      .type = "Optional[" RHOST_TYPE_PATH "]",
      .behaviour = RHOST_PARAMETER,
      .desc = "A Unix socket that accepts connections." },
    { .name = "path",
      .type = "Optional[" RHOST_TYPE_PATH "]",
      .behaviour = RHOST_PARAMETER,
      .desc = "A path that exists." },
    { .name = "text",
      .type = "Optional[String[1]]",
      .behaviour = RHOST_PARAMETER,
      .desc = "A regular expression that matches in the file, or in what the server says first." },
    { .name = "unit",
      .type = "Optional[Pattern[/\\A[^\\s\\/-][^\\s\\/]*\\z/]]",
      .behaviour = RHOST_PARAMETER,
      .desc = "A unit of systemd that is active." },
    { .name = "condition",
      .type = "Enum[present, absent]",
      .behaviour = RHOST_PARAMETER,
      .default_value = "\"present\"",
      .desc = "What is waited for; absent: the port is closed, the path or the text is gone, the unit has "
              "ended." },
    { .name = "timeout",
      .type = "Integer[0, 86400]",
      .behaviour = RHOST_PARAMETER,
      .default_value = "300",
      .desc = "Seconds after which the resource fails; 0: it is probed once." },
    { .name = "delay",
      .type = "Integer[0, 86400]",
      .behaviour = RHOST_PARAMETER,
      .default_value = "0",
      .desc = "Seconds before the first probe." },
    { .name = "interval",
      .type = "Integer[1, 3600]",
      .behaviour = RHOST_PARAMETER,
      .default_value = "1",
      .desc = "Seconds between two probes, at most; the first ones follow sooner." },
};

static const struct rhost_action actions[] = {
    { "wait", "Wait for it again.", NULL },
};

static const char *const relations[] = {
    "autorequire file[$path]",
    "autorequire directory[$path/..]",
    "autorequire service[$unit]",
    NULL,
};

static int32_t
wait_for_canonicalize(rhost_ctx *ctx, rhost_value *resource)
{
    const rhost_value *text = rhost_get(resource, "text");
    struct pattern p;
    char why[512];

    if (pattern_init(&p, rhost_str(resource, "text"), PATTERN_TEXT, why, sizeof why) < 0)
        return rhost_fail_attr(ctx, "text", "%s",
                               text->host->sensitive(text) ? "invalid regular expression" : why);
    pattern_clear(&p);
    rhost_tidy_path(ctx, resource, "path");
    rhost_tidy_path(ctx, resource, "socket");
    return 0;
}

static int32_t
wait_for_validate(rhost_ctx *ctx, const rhost_value *resource)
{
    static const char *const subjects[] = { "port", "socket", "path", "unit" };
    const char *first = NULL;

    for (size_t i = 0; i < sizeof subjects / sizeof *subjects; i++) {
        if (!rhost_has(resource, subjects[i]))
            continue;
        if (first)
            return rhost_fail_attr(ctx, subjects[i], "'%s' and '%s' exclude each other: write two resources",
                                   first, subjects[i]);
        first = subjects[i];
    }
    if (!first)
        return rhost_fail_attr(ctx, "port", "expected one of 'port', 'socket', 'path' and 'unit'");
    if (rhost_has(resource, "text") && strcmp(first, "unit") == 0)
        return rhost_fail_attr(ctx, "text",
                               "a unit has no text: 'text' goes with 'port', 'socket' or 'path'");
    return 0;
}

static int32_t
wait_for_load(rhost_ctx *ctx, const rhost_value *name, const rhost_value *should, rhost_value *current)
{
    (void)ctx;
    (void)name;
    (void)should;
    (void)current;
    return 0; /* nothing is kept, and nothing is compared */
}

static int32_t
fail_stopped(const struct probe *l)
{
    return rhost_fail(l->ctx, "the run is to end: waiting was given up%s%s", *l->why ? ": " : "", l->why);
}

/* A dry run does not wait: what is waited for may come of an earlier resource. */
static int32_t
probe_only(struct probe *l, enum probe_result wanted)
{
    enum probe_result found;

    l->until = probe_now() + 2;
    found = probe_once(l);
    if (found == PROBE_FAILED)
        return -1;
    if (found != wanted)
        rhost_info(l->ctx, "it would be waited for: %s", l->why);
    return 0;
}

static int32_t
wait_for_converge(rhost_ctx *ctx, const struct rhost_change *change)
{
    const rhost_value *should = change->should;
    int absent = strcmp(rhost_str_or(should, "condition", "present"), "absent") == 0;
    double timeout = (double)rhost_int(should, "timeout", 300), start, pause = 0.05;
    double delay = (double)rhost_int(should, "delay", 0), interval = (double)rhost_int(should, "interval", 1);
    enum probe_result wanted = absent ? PROBE_ABSENT : PROBE_PRESENT, found;
    struct probe l;

    probe_init(&l, ctx, should);
    if (rhost_noop(ctx))
        return probe_only(&l, wanted);
    rhost_busy(ctx, delay < 86400 ? delay + 1 : delay, "waiting");
    if (probe_pause(ctx, delay) < 0)
        return fail_stopped(&l);
    start = probe_now();
    rhost_busy(ctx, timeout < 86340 ? timeout + 60 : 86400, "waiting");
    l.until = start + timeout;
    for (;;) {
        double left = l.until - probe_now();

        if (rhost_stopping(ctx))
            return fail_stopped(&l);
        found = probe_once(&l);
        if (found == PROBE_FAILED)
            return -1;
        if (found == wanted) {
            rhost_info(ctx, "%s, after %.1f s", l.why, probe_now() - start);
            return 0;
        }
        if (left <= 0)
            return rhost_fail(ctx, "timed out after %.0f s: %s", timeout, l.why);
        if (probe_pause(ctx, pause < left ? pause : left) < 0)
            return fail_stopped(&l);
        pause = pause * 2 < interval ? pause * 2 : interval;
    }
}

static int32_t
wait_for_act(rhost_ctx *ctx, const struct rhost_change *change, const char *action)
{
    (void)action; /* there is but one */
    return wait_for_converge(ctx, change);
}

static const char *const needs[] = {
    "network[tcp:$port]",
    "network[udp] if $port",
    "network[tcp:53] if $port",
    "read[/etc/resolv.conf] if $port",
    "read[/etc/hosts] if $port",
    "read[/etc/host.conf] if $port",
    "read[/etc/gai.conf] if $port",
    "read[$path/../.]",
    "socket[$socket]",
    "run[systemctl] if $unit",
    "capability[dac_read_search] if $path",
    "capability[dac_override] if $socket",
    NULL,
};

static const struct rhost_provider wait_for_provider = {
    RHOST_PROVIDER("wait_for",
                   "Wait until a port is open, a path exists, a text appears, or a unit is active."),
    RHOST_ATTRS(attrs),
    RHOST_ACTIONS(actions),
    .relations = relations,
    .features = RHOST_SUPPORTS_NOOP | RHOST_FORGETS_WORLD, /* time goes by, for all that was read before */
    .refresh_action = "wait",
    .canonicalize = wait_for_canonicalize,
    .validate = wait_for_validate,
    .load = wait_for_load,
    .converge = wait_for_converge,
    .act = wait_for_act,
    .needs = needs,
};

RHOST_PLUGIN(wait_for, "1.0", &wait_for_provider)

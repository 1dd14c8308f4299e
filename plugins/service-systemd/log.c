/* SPDX-License-Identifier: Apache-2.0 */
/* log - the last lines that a unit has written into the journal. */

#include "log.h"

#include "tidy.h"

#include <systemd/sd-id128.h>
#include <systemd/sd-journal.h>
#include <systemd/sd-messages.h>
#include <time.h>

/* What a unit has printed gets into the journal a little after it has died. */
enum { LINES = 5, LONGEST = 300, LATE = 50000000 /* nanoseconds */, BEFORE = 1000000 /* microseconds */ };

/* Seconds to wait for a journal that is behind: at the most, and once it has systemd's words on the end. */
static const double PATIENCE = 5, PATIENCE_AFTER_END = 1;

static int
invocation(rhost_ctx *ctx, sd_bus *bus, const char *unit, char text[SD_ID128_STRING_MAX])
{
    char *object = bus_object(ctx, unit);
    sd_bus_message *reply = NULL;
    const void *bytes = NULL;
    size_t len = 0;
    sd_id128_t id;
    int r = -1;

    if (object)
        r = sd_bus_get_property(bus, BUS_NAME, object, BUS_UNIT, "InvocationID", NULL, &reply, "ay");
    r = r < 0 ? r : sd_bus_message_read_array(reply, 'y', &bytes, &len);
    if (r >= 0 && len == sizeof id) {
        memcpy(&id, bytes, sizeof id);
        sd_id128_to_string(id, text);
    }
    sd_bus_message_unref(reply);
    return r >= 0 && len == sizeof id;
}

/* When this invocation began at the earliest, in microseconds of CLOCK_REALTIME; 0 when systemd does not
 * tell. What it starts may write before systemd notes the time. */
static uint64_t
beginning(rhost_ctx *ctx, sd_bus *bus, const char *unit)
{
    char *object = bus_object(ctx, unit);
    uint64_t begun = 0;

    if (object
        && sd_bus_get_property_trivial(bus, BUS_NAME, object, BUS_UNIT, "InactiveExitTimestamp", NULL, 't',
                                       &begun)
               < 0)
        begun = 0;
    return begun > BEFORE ? begun - BEFORE : 0;
}

static char *
message_of(rhost_ctx *ctx, sd_journal *j)
{
    const char *data = NULL;
    size_t len = 0;
    char *line;

    if (sd_journal_get_data(j, "MESSAGE", (const void **)&data, &len) < 0 || len < 8)
        return NULL;
    len -= 8;
    if (len > LONGEST)
        len = LONGEST;
    line = rhost_alloc(ctx, len + 1);
    memcpy(line, data + 8, len);
    tidy_line(line);
    return line;
}

/* Whether the line is of this invocation. Of a process that has ended the journal may not find out the
 * invocation any more, but still the unit: then the time decides. */
static int
is_of(sd_journal *j, const char *own)
{
    const void *data = NULL;
    size_t len = 0;

    if (sd_journal_get_data(j, "_SYSTEMD_INVOCATION_ID", &data, &len) < 0)
        return 1;
    return len == strlen(own) && memcmp(data, own, len) == 0;
}

/* The last lines of what matches; with `own`, only what is of that invocation, which began at `begun` (0:
 * unknown). */
static const char *
last_lines(rhost_ctx *ctx, sd_journal *j, const char *own, uint64_t begun)
{
    const char *text = "";
    uint64_t at = 0;
    int n = 0;

    if (sd_journal_seek_tail(j) < 0)
        return text;
    while (n < LINES && sd_journal_previous(j) > 0) {
        char *line;

        if (begun && (sd_journal_get_realtime_usec(j, &at) < 0 || at < begun))
            break;
        if (own && !is_of(j, own))
            continue;
        line = message_of(ctx, j);

        if (!line || !*line)
            continue;
        text = rhost_fmt(ctx, "  %s%s%s", line, n ? "\n" : "", text);
        n++;
    }
    return text;
}

/* What the unit itself has written. Each look opens the journal anew, to see files of it that were begun
 * meanwhile. */
static const char *
own_lines(rhost_ctx *ctx, const char *own, const char *unit, uint64_t begun)
{
    sd_journal *j = NULL;
    int r = sd_journal_open(&j, SD_JOURNAL_LOCAL_ONLY);
    const char *text;

    r = r < 0 ? r : sd_journal_add_match(j, own, 0);
    if (r >= 0 && begun) {
        r = sd_journal_add_disjunction(j);
        r = r < 0 ? r : sd_journal_add_match(j, rhost_fmt(ctx, "_SYSTEMD_UNIT=%s", unit), 0);
    }
    text = r < 0 ? "" : last_lines(ctx, j, own, begun);
    sd_journal_close(j);
    return text;
}

/* What systemd has written about it, as errors and warnings. */
static const char *
lines_about(rhost_ctx *ctx, const char *about)
{
    sd_journal *j = NULL;
    int r = sd_journal_open(&j, SD_JOURNAL_LOCAL_ONLY);
    const char *text;

    r = r < 0 ? r : sd_journal_add_match(j, about, 0);
    r = r < 0 ? r : sd_journal_add_match(j, "_PID=1", 0);
    r = r < 0 ? r : sd_journal_add_match(j, "PRIORITY=3", 0);
    r = r < 0 ? r : sd_journal_add_match(j, "PRIORITY=4", 0);
    text = r < 0 ? "" : last_lines(ctx, j, NULL, 0);
    sd_journal_close(j);
    return text;
}

static double
seconds(void)
{
    struct timespec now;

    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

/* Whether the journal has come to what systemd says about this invocation. */
static int
has_end(const char *about)
{
    sd_journal *j = NULL;
    int r = sd_journal_open(&j, SD_JOURNAL_LOCAL_ONLY);

    r = r < 0 ? r : sd_journal_add_match(j, about, 0);
    r = r < 0 ? r : sd_journal_add_match(j, "_PID=1", 0);
    r = r < 0 ? r : sd_journal_add_match(j, "MESSAGE_ID=" SD_MESSAGE_UNIT_FAILURE_RESULT_STR, 0);
    r = r < 0 ? r : sd_journal_seek_tail(j);
    r = r < 0 ? r : sd_journal_previous(j);
    sd_journal_close(j);
    return r > 0;
}

const char *
log_lines(rhost_ctx *ctx, sd_bus *bus, const char *unit)
{
    char id[SD_ID128_STRING_MAX], own[80], about[80];
    uint64_t begun = beginning(ctx, bus, unit);
    double until = seconds() + PATIENCE;
    const struct timespec late = { .tv_nsec = LATE };
    const char *text;
    int ended = 0;

    if (!invocation(ctx, bus, unit, id))
        return "";
    snprintf(own, sizeof own, "_SYSTEMD_INVOCATION_ID=%s", id);
    snprintf(about, sizeof about, "INVOCATION_ID=%s", id); /* systemd's own, about it */
    while (!*(text = own_lines(ctx, own, unit, begun)) && seconds() < until) {
        if (!ended && (ended = has_end(about)) != 0)
            until = seconds() + PATIENCE_AFTER_END;
        (void)nanosleep(&late, NULL);
    }
    if (!*text) /* it had nothing to say: systemd may have, about it */
        return lines_about(ctx, about);
    (void)nanosleep(&late, NULL); /* what comes after the first line */
    return own_lines(ctx, own, unit, begun);
}

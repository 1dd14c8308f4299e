/* SPDX-License-Identifier: Apache-2.0 */
/* fleet-main - rhost-fleet: rolls revisions out. `rhost fleet` starts it. A program of its own, since it
 * needs libcrypto and the libraries of databases. */
#include "config.h"

#include "base/alloc.h"
#include "base/error.h"
#include "base/log.h"
#include "base/standard.h"
#include "base/start.h"
#include "base/text.h"
#include "bundle/channel.h"
#include "fleet/authority.h"
#include "fleet/preview.h"
#include "fleet/rollout.h"

#include <getopt.h>
#include <locale.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    EXIT_REFUSED = 1,
    EXIT_FAILED = 4,
    EXIT_USAGE = 64,
    DAY = 24 * 3600, /* in seconds, as all that follow: how long things last */
    PREVIEW_LASTS = 7 * DAY,
    HOST_LASTS = 365 * DAY,
    AUTHORITY_LASTS = 3650 * DAY,
};

struct settings {
    struct rh_rollout_request rollout;
    struct rh_fleet_limit failures, silent;
    struct rh_channel_request preview;
    struct rh_enrolment enrolment;
    const char **canaries, **hosts;
    size_t cap_canaries, cap_hosts;
    bool json;
};

static int
refuse(const struct rh_error *err)
{
    rh_log_error(RH_ERR, err);
    if (err->hint)
        (void)fprintf(stderr, "  %s\n", err->hint);
    return err->kind == RH_EINPUT ? EXIT_REFUSED : EXIT_FAILED;
}

static bool
take_rule(struct settings *s, int option, const char *value)
{
    switch (option) {
    case 'b':
        s->rollout.batches = value;
        return true;
    case 'w':
        return rh_text_number(value, 0, &s->rollout.wait);
    case 'o':
        return rh_text_number(value, 0, &s->rollout.soak);
    case 'x':
        return rh_text_number(value, 0, &s->rollout.lasts);
    case 'f':
        s->rollout.failures = &s->failures;
        return rh_fleet_limit_read(value, &s->failures);
    case 'i':
        s->rollout.silent = &s->silent;
        return rh_fleet_limit_read(value, &s->silent);
    case 'c':
        s->canaries = rh_xgrow(s->canaries, &s->cap_canaries, s->rollout.n_canaries, sizeof *s->canaries);
        s->canaries[s->rollout.n_canaries++] = value;
        return true;
    default:
        return false;
    }
}

static bool
take(struct settings *s, int option, const char *value)
{
    switch (option) {
    case 'd':
        s->rollout.database = value;
        return true;
    case 's':
        s->rollout.signers = value;
        return true;
    case 'k':
        s->rollout.key = value;
        return true;
    case 't':
        return rh_text_number(value, 0, &s->rollout.to);
    case 'H':
        s->rollout.hint = value;
        return true;
    case 'A':
        s->rollout.tls_ca = value;
        return true;
    case 'C':
        s->rollout.tls_certificate = value;
        return true;
    case 'K':
        s->rollout.tls_key = value;
        return true;
    case 'a':
        s->enrolment.authority = value;
        return true;
    case 'r':
        s->enrolment.request = value;
        return true;
    case 'u':
        s->enrolment.output = value;
        return true;
    case '%':
        s->preview.percent = (int)strtol(value, NULL, 10);
        return s->preview.percent >= 0 && s->preview.percent <= 100;
    case 'h':
        s->hosts = rh_xgrow(s->hosts, &s->cap_hosts, s->preview.n_hosts, sizeof *s->hosts);
        s->hosts[s->preview.n_hosts++] = value;
        return true;
    case 'j':
        s->json = true;
        return true;
    case 'q':
        s->rollout.quiet = true;
        rh_log_set_level(RH_WARNING);
        return true;
    default:
        return take_rule(s, option, value);
    }
}

/* `begins`: what is done first. */
static int
roll_out(const struct settings *s, int (*begins)(const struct rh_rollout_request *r, struct rh_error *err),
         struct rh_error *err)
{
    enum rh_rollout_end end = RH_ROLLOUT_DONE;

    if (begins(&s->rollout, err) < 0 || rh_rollout_run(&s->rollout, &end, err) < 0)
        return refuse(err);
    if (end == RH_ROLLOUT_INTERRUPTED)
        rh_log(RH_WARNING,
               "ended by a signal; the rollout stays at its stage, and 'rhost fleet resume' goes on");
    return end == RH_ROLLOUT_DONE ? 0 : EXIT_FAILED;
}

static int
preview(struct settings *s, struct rh_error *err)
{
    const struct rh_rollout_request *q = &s->rollout;

    if (!q->to)
        return rh_fleet_show_preview(q->directory, q->signers, q->database, s->json, err);
    s->preview.directory = q->directory;
    s->preview.signers = q->signers;
    s->preview.key = q->key;
    s->preview.want = q->to;
    s->preview.hosts = s->hosts;
    s->preview.lasts = q->lasts ? q->lasts : PREVIEW_LASTS;
    return rh_fleet_ask_preview(&s->preview, err);
}

static int
enrol(struct settings *s, const char *host, struct rh_error *err)
{
    s->enrolment.host = host;
    s->enrolment.lasts = s->rollout.lasts ? s->rollout.lasts : HOST_LASTS;
    if (!s->enrolment.output)
        s->enrolment.output = ".";
    return rh_authority_enrol(&s->enrolment, err);
}

static int
act(struct settings *s, const char *what, const char *operand, struct rh_error *err)
{
    int rc = -1;

    s->rollout.directory = operand;
    s->rollout.canaries = s->canaries;
    if (strcmp(what, "run") == 0)
        return roll_out(s, rh_rollout_begin, err);
    if (strcmp(what, "resume") == 0)
        return roll_out(s, rh_rollout_resume, err);
    if (strcmp(what, "stop") == 0)
        rc = rh_rollout_stop(&s->rollout, err);
    else if (strcmp(what, "rollback") == 0)
        rc = rh_rollout_back(&s->rollout, err);
    else if (strcmp(what, "show") == 0)
        rc = rh_rollout_show(&s->rollout, s->json, err);
    else if (strcmp(what, "noop") == 0)
        rc = preview(s, err);
    else if (strcmp(what, "authority") == 0)
        rc = rh_authority_make(operand, s->rollout.lasts ? s->rollout.lasts : AUTHORITY_LASTS, err);
    else if (strcmp(what, "enrol") == 0 && s->enrolment.authority)
        rc = enrol(s, operand, err);
    else if (strcmp(what, "revoke") == 0 && s->enrolment.authority)
        rc = rh_authority_revoke(s->enrolment.authority, operand, err);
    else
        return EXIT_USAGE;
    return rc < 0 ? refuse(err) : 0;
}

int
main(int argc, char **argv)
{
    static const struct option options[] = {
        { "db", required_argument, NULL, 'd' },
        { "signers", required_argument, NULL, 's' },
        { "key", required_argument, NULL, 'k' },
        { "to", required_argument, NULL, 't' },
        { "canary", required_argument, NULL, 'c' },
        { "batch", required_argument, NULL, 'b' },
        { "wait", required_argument, NULL, 'w' },
        { "soak", required_argument, NULL, 'o' },
        { "expires", required_argument, NULL, 'x' },
        { "max-failures", required_argument, NULL, 'f' },
        { "max-silent", required_argument, NULL, 'i' },
        { "host", required_argument, NULL, 'h' },
        { "percent", required_argument, NULL, '%' },
        { "ca", required_argument, NULL, 'a' },
        { "hint", required_argument, NULL, 'H' },
        { "tls-ca", required_argument, NULL, 'A' },
        { "tls-certificate", required_argument, NULL, 'C' },
        { "tls-key", required_argument, NULL, 'K' },
        { "request", required_argument, NULL, 'r' },
        { "output", required_argument, NULL, 'u' },
        { "json", no_argument, NULL, 'j' },
        { "quiet", no_argument, NULL, 'q' },
        { 0 },
    };
    struct settings s = { .rollout = { .wait = -1, .soak = -1 }, .preview = { .percent = -1 } };
    rh_autoerror struct rh_error err = { 0 };
    int option, status = EXIT_USAGE;

    rh_alloc_tune();
    if (rh_program_start() < 0)
        return EXIT_FAILED;
    (void)setlocale(LC_CTYPE, "C.UTF-8");
    rh_signs_read_locale();
    (void)signal(SIGPIPE, SIG_IGN);
    while ((option = getopt_long(argc, argv, "", options, NULL)) != -1 && take(&s, option, optarg))
        continue;
    if (option == -1 && argc - optind == 2)
        status = act(&s, argv[optind], argv[optind + 1], &err);
    if (status == EXIT_USAGE)
        (void)fputs("rhost-fleet is started by 'rhost fleet', and does nothing by itself\n", stderr);
    free(s.canaries);
    free(s.hosts);
    return rh_standard_close() < 0 ? EXIT_FAILED : status;
}

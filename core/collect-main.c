/* SPDX-License-Identifier: Apache-2.0 */
/* collect-main - the program that stores reports and reads them back, for `rhost collect` and `rhost fleet`.
 * The libraries of databases are its own, and not the host's. */
#include "config.h"

#include "base/alloc.h"
#include "base/error.h"
#include "base/log.h"
#include "base/output-file.h"
#include "base/standard.h"
#include "base/start.h"
#include "base/text.h"
#include "collect/collect.h"
#include "collect/fleet.h"
#include "collect/store.h"

#include <getopt.h>
#include <limits.h>
#include <locale.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { EXIT_REFUSED = 1, EXIT_FAILED = 4, EXIT_USAGE = 64 };

struct settings {
    struct rh_collect collect;
    const char *output; /* a file; NULL: standard output */
    bool quiet, json;
};

static int
refuse(const struct rh_error *err)
{
    rh_log_error(RH_ERR, err);
    return err->kind == RH_EINPUT ? EXIT_REFUSED : EXIT_FAILED;
}

static bool
take_seconds(const char *text, unsigned *to)
{
    int64_t n;

    if (!rh_text_number(text, 1, &n) || n > UINT_MAX)
        return false;
    *to = (unsigned)n;
    return true;
}

static int
collect(const struct settings *s, struct rh_error *err)
{
    struct rh_collect_counts counts = { 0 };
    int rc = rh_collect_run(&s->collect, &counts, err);

    if (rc == 0 && !s->quiet) {
        (void)printf("%zu stored", counts.stored);
        if (counts.known)
            (void)printf(", %zu known already", counts.known);
        if (counts.quarantined)
            (void)printf(", %zu in quarantine", counts.quarantined);
        if (counts.left)
            (void)printf(", %zu not read", counts.left);
        (void)putchar('\n');
    }
    if (rc < 0)
        return refuse(err);
    return counts.quarantined || (counts.left && !s->collect.watch) ? EXIT_FAILED : 0;
}

/* All users may read a page and metrics, as a web server and a collector do. */
static int
put_out(const struct settings *s, const struct rh_buf *b, struct rh_error *err)
{
    if (s->output)
        return rh_write_output(s->output, rh_buf_text(b), b->n, 0644, err);
    (void)fwrite(rh_buf_text(b), 1, b->n, stdout);
    return 0;
}

static int
fleet(const struct settings *s, const char *what, char **operands, struct rh_error *err)
{
    rh_autobuf struct rh_buf b = { 0 };
    enum rh_store_fault fault = RH_FAULT_REFUSED;
    rh_autostore struct rh_store *store = rh_store_open(s->collect.to, false, &fault, err);
    int rc = -1;

    if (store)
        rc = strcmp(what, "status") == 0   ? rh_fleet_status(store, s->json, &b, err)
             : strcmp(what, "query") == 0  ? rh_fleet_query(store, operands[0], s->json, &b, err)
             : strcmp(what, "diff") == 0   ? rh_fleet_diff(store, operands[0], operands[1], s->json, &b, err)
             : strcmp(what, "report") == 0 ? rh_fleet_page(store, &b, err)
                                           : rh_fleet_metrics(store, &b, err);
    return rc < 0 || put_out(s, &b, err) < 0 ? refuse(err) : 0;
}

static bool
is_fleet(const char *what, int argc)
{
    return (strcmp(what, "query") == 0 && argc == 1) || (strcmp(what, "diff") == 0 && argc == 2)
           || (argc == 0
               && (strcmp(what, "status") == 0 || strcmp(what, "report") == 0
                   || strcmp(what, "metrics") == 0));
}

static bool
take(struct settings *s, int option, const char *value)
{
    switch (option) {
    case 'f':
        s->collect.from = value;
        return true;
    case 't':
        s->collect.to = value;
        return true;
    case 'q':
        s->collect.quarantine = value;
        return true;
    case 'R':
        s->collect.revoked = value;
        return true;
    case 'w':
        s->collect.watch = true;
        return true;
    case 'r':
        return take_seconds(value, &s->collect.retention);
    case 's':
        return take_seconds(value, &s->collect.silent_after);
    case 'o':
        s->output = value;
        return true;
    case 'j':
        s->json = true;
        return true;
    case 'v':
        rh_log_set_level(strcmp(value, "2") == 0 ? RH_DEBUG : RH_INFO);
        return true;
    case 'Q':
        s->quiet = true;
        rh_log_set_level(RH_WARNING);
        return true;
    default:
        return false;
    }
}

int
main(int argc, char **argv)
{
    static const struct option options[] = {
        { "from", required_argument, NULL, 'f' },
        { "to", required_argument, NULL, 't' },
        { "quarantine", required_argument, NULL, 'q' },
        { "revoked", required_argument, NULL, 'R' },
        { "watch", no_argument, NULL, 'w' },
        { "retention", required_argument, NULL, 'r' },
        { "silent-after", required_argument, NULL, 's' },
        { "output", required_argument, NULL, 'o' },
        { "json", no_argument, NULL, 'j' },
        { "verbose", required_argument, NULL, 'v' },
        { "quiet", no_argument, NULL, 'Q' },
        { 0 },
    };
    struct settings s = { .quiet = false };
    rh_autoerror struct rh_error err = { 0 };
    const char *what;
    int option, status;

    rh_alloc_tune();
    if (rh_program_start() < 0)
        return EXIT_FAILED;
    (void)setlocale(LC_CTYPE, "C.UTF-8");
    rh_signs_read_locale();
    (void)signal(SIGPIPE, SIG_IGN);
    while ((option = getopt_long(argc, argv, "", options, NULL)) != -1)
        if (!take(&s, option, optarg))
            return EXIT_USAGE;
    what = optind < argc ? argv[optind] : "";
    if (strcmp(what, "collect") == 0 && s.collect.from && s.collect.to) {
        status = collect(&s, &err);
    } else if (s.collect.to && is_fleet(what, argc - optind - 1)) {
        status = fleet(&s, what, argv + optind + 1, &err);
    } else {
        (void)fputs(
            "rhost-collect is started by 'rhost collect' and 'rhost fleet', and does nothing by itself\n",
            stderr);
        return EXIT_USAGE;
    }
    return rh_standard_close() < 0 ? EXIT_FAILED : status;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* nats-main - rhost-nats: speaks to a broker of NATS. For the agent, which is root, as another user that can
 * write nothing (rhost-nats UID GID); for an operator it sends a hint, and for the collector it takes
 * reports. A program of its own, so that the others need no libnats. */
#include "config.h"

#include "agent/confine.h"
#include "agent/fetch-request.h"
#include "agent/fetch-wire.h"
#include "base/start.h"
#include "broker/broker.h"

#include <nats/nats.h>

#include <errno.h>
#include <getopt.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { USAGE = 64, FAILED = 4 };

static int
serve_agent(char **argv)
{
    struct rh_fetch_parts r = { .url = { NULL, 0 } };
    const char *what = NULL;
    char reason[200];

    if (!rh_agent_confine((uid_t)strtoul(argv[1], NULL, 10), (gid_t)strtoul(argv[2], NULL, 10), &what)) {
        (void)snprintf(reason, sizeof reason, "rhost-nats cannot %s: %s", what, strerror(errno));
        (void)rh_fetch_send(STDIN_FILENO, RH_FETCH_REASON, reason, strlen(reason));
        (void)rh_fetch_send(STDIN_FILENO, RH_FETCH_END, "", 0);
        return 1;
    }
    if (!rh_fetch_read_request(STDIN_FILENO, &r) || nats_Open(-1) != NATS_OK)
        return 1;
    return r.method.s && strcmp(r.method.s, "HINT") == 0 ? rh_broker_listen(&r) : rh_broker_put(&r);
}

static int
serve_operator(int argc, char **argv)
{
    static const struct option options[] = {
        { "ca", required_argument, NULL, 'a' },
        { "certificate", required_argument, NULL, 'c' },
        { "key", required_argument, NULL, 'k' },
        { 0 },
    };
    struct rh_broker_address b = { .url = NULL };
    int option, n, rc = 1;

    while ((option = getopt_long(argc, argv, "", options, NULL)) != -1) {
        const char **to = option == 'a'   ? &b.ca
                          : option == 'c' ? &b.certificate
                          : option == 'k' ? &b.key
                                          : NULL;

        if (!to)
            return USAGE;
        *to = optarg;
    }
    n = argc - optind;
    if (n >= 2)
        b.url = argv[optind + 1];
    if (n < 2 || nats_Open(-1) != NATS_OK)
        return USAGE;
    if (n == 2 && strcmp(argv[optind], "hint") == 0)
        rc = rh_broker_hint(&b);
    else if (n == 3 && strcmp(argv[optind], "receive") == 0)
        rc = rh_broker_receive(&b, argv[optind + 2]);
    nats_Close();
    return rc > 0 ? USAGE : rc < 0 ? FAILED : 0;
}

int
main(int argc, char **argv)
{
    int status;

    if (rh_program_start() < 0)
        return 1;
    (void)signal(SIGPIPE, SIG_IGN);
    if (argc == 3 && *argv[1] >= '0' && *argv[1] <= '9')
        return serve_agent(argv);
    status = serve_operator(argc, argv);
    if (status == USAGE)
        (void)fputs("rhost-nats is started by 'rhost agent' and 'rhost fleet', and does nothing by itself\n",
                    stderr);
    return status;
}

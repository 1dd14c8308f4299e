/* SPDX-License-Identifier: Apache-2.0 */
/* seeded-uses - of the provider seeded: what it declares of its needs and of former names, what it uses of
 * the machine beside its files, and long work. */
#include "seeded.h"

#include <rhost/exec.h>

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { UNASKED = 40, ASKED = 10 }; /* tenths of a second */

static char reads[4200];
static const char *needs[] = { "write[$path]", NULL, NULL, NULL };
static const char *former[] = { NULL, NULL };
static const char *former_too[] = { "remark", NULL };

/* Takes all, but for its faults. */
static int32_t
validate(rhost_ctx *ctx, const rhost_value *resource)
{
    const char *note = rhost_str(resource, "note"), *path = rhost_str(resource, "path");
    static unsigned asked;
    int fd;

    if (seeded_has("validates otherwise each time") && ++asked % 100 == 0)
        return rhost_fail_attr(ctx, "note", "not now");
    if (path && note && strstr(path, "/one") && seeded_has("writes while it validates")) {
        fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
        if (fd >= 0)
            (void)close(fd);
    }
    return 0;
}

/* It lists the files of FAULT_STORE, a pattern, and so reads the directory above its first '*'. */
void
seeded_declare(struct rhost_provider *provider, struct rhost_attr *value, struct rhost_attr *note)
{
    const char *store = getenv("FAULT_STORE");
    int n = store ? (int)strcspn(store, "*") : 0;

    while (n && store[n] != '/')
        n--;
    if (n && snprintf(reads, sizeof reads, "read[%.*s]", n, store) < (int)sizeof reads)
        needs[1] = reads;
    if (seeded_has("declares what it does not use"))
        needs[needs[1] ? 2 : 1] = "read[/etc/ssl/openssl.cnf]";
    provider->needs = needs;
    provider->validate = validate;
    if (seeded_has("has a former name that is an attribute"))
        former[0] = "token";
    else if (seeded_has("has a former name that is a keyword"))
        former[0] = "when";
    else if (seeded_has("has a former name that hides a keyword"))
        former[0] = "timeout";
    else
        former[0] = "remark";
    note->formerly = former;
    if (seeded_has("has one former name for two attributes"))
        value->formerly = former_too;
}

static void
look_at(const char *path)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);

    if (fd >= 0)
        (void)close(fd);
}

static void
call_port(uint16_t port)
{
    const struct sockaddr_in to = { .sin_family = AF_INET,
                                    .sin_port = htons(port),
                                    .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

    if (fd >= 0 && connect(fd, (const struct sockaddr *)(const void *)&to, sizeof to) < 0 && errno == ENOMEM)
        perror("connect");
    if (fd >= 0)
        (void)close(fd);
}

void
seeded_use(rhost_ctx *ctx, const char *path)
{
    static const char *const argv[] = { "true", NULL };
    const struct rhost_command command = { .struct_size = sizeof command, .argv = argv };
    struct rhost_output output;

    if (seeded_has("reads what it does not declare"))
        look_at("/proc/version");
    if (seeded_has("writes what it does not declare") && getenv("FAULT_OUTSIDE")) {
        int fd = open(getenv("FAULT_OUTSIDE"), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);

        if (fd >= 0)
            (void)close(fd);
    }
    if (seeded_has("runs what it does not declare"))
        (void)rhost_run(ctx, &command, &output);
    if (seeded_has("connects where it does not declare"))
        call_port(9);
    if (seeded_has("lacks a capability") && chown(path, 12345, (gid_t)-1) < 0)
        (void)rhost_fail_errno(ctx, "cannot give '%s' away", path);
}

int
seeded_work(rhost_ctx *ctx, const struct rhost_change *change)
{
    const struct timespec tenth = { .tv_nsec = 100000000 };
    const char *value = rhost_str(change->should, "value");
    int asks = seeded_has("says that it is done when it was stopped");

    if (!change->is || !value || strcmp(value, "second") != 0
        || (!asks && !seeded_has("goes on when the run is to end")))
        return 1;
    for (int i = 0; i < (asks ? ASKED : UNASKED); i++) {
        if (asks && rhost_stopping(ctx))
            return 0;
        (void)nanosleep(&tenth, NULL);
    }
    return 1;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* talk - the controller's side of a kit, as `rhost push` has it, for tests.
 *
 *   talk [-c CACHE] [-p] [-t BYTES] [-k] [-w SECONDS] KIT -- CONNECTOR... -- ARGUMENTS OF RHOST...
 *
 * Runs the connector with one more argument, the command line for the target's shell. Standard input goes to
 * rhost once it runs; what rhost prints goes to standard output. Each answer goes to standard error. -p sends
 * the kit uncompressed; -t sends so many bytes of it and ends; -k flips one bit on the way. With -w
 * the target waits so long for the kit, and the channel stays open behind what -t sends. */
#include "config.h"

#include "base/alloc.h"
#include "base/cleanup.h"
#include "base/error.h"
#include "base/io.h"
#include "base/wait.h"
#include "reach/bootstrap.h"
#include "reach/kit.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static const char nonce[] = "0123456789abcdef";
static int to, from; /* of the connector */
static bool plain, flips, stays;
static long long truncated = -1;

static void
die(const char *what, const struct rh_error *err)
{
    (void)fprintf(stderr, "talk: %s: %s\n", what, err && err->message ? err->message : strerror(errno));
    exit(99);
}

/* One byte at a time: what follows the answer is rhost's. */
static enum rh_bootstrap_word
read_answer(struct rh_bootstrap_answer *a)
{
    char line[RH_BOOTSTRAP_LINE];
    size_t n = 0;
    ssize_t got;

    while ((got = read(from, line + n, 1)) == 1) {
        if (line[n] != '\n') {
            n += n + 1 < sizeof line;
            continue;
        }
        rh_bootstrap_parse(a, nonce, line, n);
        if (a->word != RH_BOOTSTRAP_NOISE) {
            (void)fprintf(stderr, "%.*s\n", (int)n, line);
            return a->word;
        }
        rh_bootstrap_answer_clear(a);
        n = 0;
    }
    (void)fprintf(stderr, "no answer\n");
    return RH_BOOTSTRAP_NOISE;
}

static void
send_kit(struct rh_kit *kit)
{
    rh_autoerror struct rh_error err = { 0 };
    rh_autofree char *offer = NULL, *bytes = NULL;
    size_t n;

    if (rh_kit_load(kit, plain, &err) < 0)
        die("load", &err);
    offer = rh_bootstrap_offer(kit);
    bytes = rh_read_descriptor(kit->fd, kit->path, 0, &n, &err);
    if (!bytes || n != kit->size)
        die("read", &err);
    if (flips)
        bytes[n / 2] ^= 4;
    if (truncated >= 0)
        n = (size_t)truncated < n ? (size_t)truncated : n;
    /* A target without room answers before it has read everything. */
    if ((rh_write_all(to, offer, strlen(offer)) < 0 || rh_write_all(to, bytes, n) < 0) && errno != EPIPE)
        die("send", NULL);
    if (truncated >= 0 && !stays)
        (void)close(to);
}

/* Both ways, until rhost has ended. */
static void
copy(void)
{
    struct pollfd fds[] = { { .fd = 0, .events = POLLIN }, { .fd = from, .events = POLLIN } };
    char part[4096];

    for (;;) {
        if (poll(fds, 2, -1) < 0)
            die("poll", NULL);
        for (int i = 0; i < 2; i++) {
            ssize_t n = fds[i].revents ? read(fds[i].fd, part, sizeof part) : -1;

            if (n > 0 && rh_write_all(i ? 1 : to, part, (size_t)n) < 0)
                die("copy", NULL);
            if (n == 0 && i == 1)
                return;
            if (n == 0) {
                fds[0].fd = -1;
                (void)close(to);
            }
        }
    }
}

static pid_t
connect_to(char **argv)
{
    int in[2], out[2];
    pid_t pid;

    if (pipe(in) < 0 || pipe(out) < 0 || (pid = fork()) < 0)
        die("connect", NULL);
    if (pid == 0) {
        (void)setsid(); /* as `rhost push` does: the target may end its group */
        if (dup2(in[0], 0) < 0 || dup2(out[1], 1) < 0)
            _exit(98);
        rh_close_from(3);
        (void)execvp(argv[0], argv);
        _exit(97);
    }
    (void)close(in[0]);
    (void)close(out[1]);
    to = in[1];
    from = out[0];
    return pid;
}

int
main(int argc, char **argv)
{
    rh_autokit struct rh_kit kit = RH_KIT_INIT;
    rh_autoerror struct rh_error err = { 0 };
    struct rh_bootstrap b = { .nonce = nonce, .kits = &kit, .n_kits = 1 };
    struct rh_bootstrap_answer answer = { .uid = -1 };
    rh_autofree char *text = NULL;
    rh_autofree char **connector = NULL;
    int option, status, n = 0;
    pid_t pid;

    (void)signal(SIGPIPE, SIG_IGN);
    while ((option = getopt(argc, argv, "+c:pt:kw:")) != -1) {
        if (option == 'c')
            b.cache = optarg;
        plain = plain || option == 'p';
        flips = flips || option == 'k';
        if (option == 't')
            truncated = atoll(optarg);
        stays = stays || option == 'w';
        if (option == 'w')
            b.patience = (unsigned)atoi(optarg);
    }
    if (argc - optind < 3)
        die("usage", NULL);
    if (rh_kit_describe(&kit, argv[optind], &err) < 0)
        die("kit", &err);
    connector = rh_xalloc((size_t)(argc + 2) * sizeof *connector);
    for (optind += 2; optind < argc && strcmp(argv[optind], "--") != 0; optind++)
        connector[n++] = argv[optind];
    connector[n++] = rh_xstrdup(RH_BOOTSTRAP_COMMAND);
    b.argv = (const char *const *)argv + optind + (optind < argc);
    text = rh_bootstrap_text(&b, &err);
    if (!text)
        die("text", &err);
    pid = connect_to(connector);
    if (rh_write_all(to, text, strlen(text)) < 0)
        die("script", NULL);
    if (read_answer(&answer) == RH_BOOTSTRAP_NEED) {
        if (rh_bootstrap_needed(&b, &answer) != &kit)
            die("answer", NULL);
        send_kit(&kit);
        rh_bootstrap_answer_clear(&answer);
        (void)read_answer(&answer);
    }
    if (answer.word == RH_BOOTSTRAP_HAVE || answer.word == RH_BOOTSTRAP_READY)
        copy();
    rh_bootstrap_answer_clear(&answer);
    free(connector[n - 1]);
    if (rh_wait_child(pid, &status) < 0)
        die("wait", NULL);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* receive - rhost receive NONCE: the target's side of rhost push. */
#include "config.h"

#include "base/cleanup.h"
#include "cli/command.h"
#include "cli/session.h"
#include "reach/receive.h"

#include <string.h>
#include <unistd.h>

enum { LEAST = 8, MOST = 64 };

static int
run(struct rh_settings *settings, int argc, char **argv)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
    size_t n = argc == 1 ? strlen(argv[0]) : 0;
    rh_autofree char *state_dir = NULL;

    if (n < LEAST || n > MOST || strspn(argv[0], letters) != n)
        return rh_usage_error(&rh_command_receive, "this command is for 'rhost push', which starts it");
    if (isatty(STDIN_FILENO))
        return rh_usage_error(&rh_command_receive, "standard input is a terminal, and no controller");
    state_dir = rh_session_safe_state_dir(settings);
    if (!state_dir)
        return RH_EXIT_REFUSED;
    return rh_receive(argv[0], state_dir);
}

const struct rh_command rh_command_receive = {
    .name = "receive",
    .arguments = "NONCE",
    .summary = "take a push: for 'rhost push'",
    .text =
        "The target's side of 'rhost push', which starts this command on the target. It takes a site from\n"
        "standard input, runs one command of rhost on it, and sends what happens to standard output.",
    .options = RH_OPT_COMMON,
    .run = run,
    .inner = true,
};

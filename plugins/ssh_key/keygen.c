/* SPDX-License-Identifier: Apache-2.0 */
/* keygen - ssh-keygen, which gets passphrases on its standard input. */

#include "keygen.h"

#include <unistd.h>

/* RSA with 8192 bits takes minutes on a small machine. */
enum { TIMEOUT = 600000 };

int32_t
keygen_run(rhost_ctx *ctx, uid_t user, const char *const *argv, const char *passphrase, int lines,
           uint64_t flags, struct rhost_output *output)
{
    /* Without DISPLAY it asks no program. */
    static const char *const env[] = { "LC_ALL=C", "SSH_ASKPASS_REQUIRE=never", NULL };
    const char *phrase = passphrase ? passphrase : "";
    size_t size = (strlen(phrase) + 1) * (size_t)lines;
    char *input = rhost_alloc(ctx, size + 1), *to = input;
    struct rhost_command command = {
        .struct_size = sizeof command,
        .argv = argv,
        .env = env,
        .user = user == geteuid() ? NULL : rhost_fmt(ctx, "%lu", (unsigned long)user),
        .input = input,
        .input_len = size,
        .timeout = TIMEOUT,
        .umask = 077,
        .flags = flags,
    };
    int32_t result;

    for (int i = 0; i < lines; i++) {
        memcpy(to, phrase, strlen(phrase));
        to += strlen(phrase);
        *to++ = '\n';
    }
    rhost_busy(ctx, TIMEOUT / 1000.0, "running ssh-keygen");
    result = rhost_run(ctx, &command, output);
    explicit_bzero(input, size);
    return result;
}

const char *
keygen_complaint(rhost_ctx *ctx, const struct rhost_output *output)
{
    const char *text = output->err_len ? output->err : output->out, *end, *at, *prompt;

    end = text + strlen(text);
    while (end > text && strchr(" \r\n", end[-1]))
        end--;
    at = end;
    while (at > text && at[-1] != '\n')
        at--;
    text = rhost_copy(ctx, at, (size_t)(end - at));
    while (strncmp(text, "Enter ", 6) == 0 && (prompt = strstr(text, ": ")))
        text = prompt + 2;
    return *text ? text : rhost_fmt(ctx, "it ended with status %d", output->status);
}

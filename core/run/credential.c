/* SPDX-License-Identifier: Apache-2.0 */
/* credential - secrets that systemd keeps, in files that this machine alone can read. */
#include "config.h"

#include "run/credential.h"

#include "base/alloc.h"
#include "base/arena.h"
#include "base/cleanup.h"
#include "base/error.h"
#include "provider/command.h"

#include <rhost/exec.h>
#include <string.h>

enum { LARGEST_SECRET = 1 << 20, DECRYPT_TIMEOUT = 60000 };

/* Warnings come first. The caller's. */
static char *
last_line(const char *text)
{
    size_t n = strlen(text);
    const char *line;

    while (n && text[n - 1] == '\n')
        n--;
    line = memrchr(text, '\n', n);
    line = line ? line + 1 : text;
    return rh_xstrndup(line, n - (size_t)(line - text));
}

const char *
rh_credential_decrypt(struct rh_arena *a, const char *name, const void *credential, size_t n, size_t *length,
                      struct rh_error *err)
{
    const char *slash = strrchr(name, '/');
    rh_autofree char *called = rh_printf("--name=%s", slash ? slash + 1 : name);
    /* By its path: what the environment says is not to be believed with a secret in hand. */
    const char *const argv[] = { "/usr/bin/systemd-creds", "decrypt", called, "-", "-", NULL };
    const struct rhost_command command = {
        .struct_size = sizeof command,
        .argv = argv,
        .input = credential,
        .input_len = n,
        .output_limit = LARGEST_SECRET,
        .timeout = DECRYPT_TIMEOUT,
        .umask = -1,
        .flags = RHOST_EXEC_READS,
    };
    struct rhost_output output = { 0 };

    rh_arena_keep_secret(a);
    if (rh_command_run(a, &command, &output, err) < 0)
        return NULL;
    if (output.status != 0) {
        rh_autofree char *why = last_line(output.err);

        (void)rh_error_set(err, RH_EINPUT, "cannot decrypt credential '%s': %s", name, why);
        return NULL;
    }
    *length = output.out_len;
    return output.out;
}

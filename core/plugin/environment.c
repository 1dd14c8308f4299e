/* SPDX-License-Identifier: Apache-2.0 */
/* environment - the environment variables that a worker gets.
 *
 * Secrets are handed to rhost in its environment (secret_env() reads them), so a worker gets only
 * what is in this list, and what RHOST_PASS_ENV names. */
#include "config.h"

#include "plugin/spawn.h"

#include "base/alloc.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A name that ends in '*' stands for all that begin so. */
static const char passed[] =
    "PATH HOME USER LOGNAME TMPDIR TZ LANG LANGUAGE LC_* "
    /* how the network is reached */
    "http_proxy https_proxy ftp_proxy all_proxy no_proxy "
    "HTTP_PROXY HTTPS_PROXY FTP_PROXY ALL_PROXY NO_PROXY SSL_CERT_FILE SSL_CERT_DIR "
    /* how the service manager is reached */
    "DBUS_SYSTEM_BUS_ADDRESS DBUS_SESSION_BUS_ADDRESS XDG_RUNTIME_DIR "
    /* how the worker itself is loaded and watched */
    "LD_LIBRARY_PATH LD_PRELOAD ASAN_OPTIONS LSAN_OPTIONS UBSAN_OPTIONS TSAN_OPTIONS";

static bool
is_named(const char *list, const char *variable)
{
    size_t length = strcspn(variable, "=");

    while (*list) {
        size_t n = strcspn(list, " ,:");

        if (n && list[n - 1] == '*' ? length >= n - 1 && strncmp(list, variable, n - 1) == 0
                                    : length == n && strncmp(list, variable, n) == 0)
            return true;
        list += n + (list[n] != '\0');
    }
    return false;
}

char **
rh_worker_environment(void)
{
    const char *more = getenv("RHOST_PASS_ENV");
    size_t n = 0, kept = 0;
    char **envp;

    while (environ && environ[n])
        n++;
    envp = rh_xalloc(rh_xmul(n + 1, sizeof *envp));
    for (size_t i = 0; i < n; i++)
        if (is_named(passed, environ[i]) || (more && is_named(more, environ[i])))
            envp[kept++] = environ[i];
    envp[kept] = NULL;
    return envp;
}

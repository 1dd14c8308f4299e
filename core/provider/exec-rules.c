/* SPDX-License-Identifier: Apache-2.0 */
/* exec-rules - which programs the providers of a worker may have started. */
#include "config.h"

#include "provider/exec-rules.h"

#include <stdlib.h>
#include <string.h>

/* Whether a path is that of a program with this name in one of the directories of PATH, which is the host's:
 * the provider has no say in it. */
static bool
is_on_path(const char *program, const char *name)
{
    const char *slash = strrchr(program, '/'), *path = getenv("PATH");
    size_t n = slash ? (size_t)(slash - program) : 0;

    if (!slash || strcmp(slash + 1, name) != 0)
        return false;
    for (const char *dir = path ? path : "/usr/sbin:/usr/bin:/sbin:/bin", *end;; dir = end + 1) {
        end = dir + strcspn(dir, ":");
        if ((size_t)(end - dir) == n && strncmp(dir, program, n) == 0)
            return true;
        if (!*end)
            return false;
    }
}

/* "DIRECTORY/" and "*": each program that is in this directory itself. */
static bool
is_in_directory(const char *program, const char *pattern)
{
    size_t n = strlen(pattern);

    return n > 2 && strcmp(pattern + n - 2, "/*") == 0 && strncmp(program, pattern, n - 1) == 0
           && program[n - 1] && !strchr(program + n - 1, '/') && strcmp(program + n - 1, "..") != 0;
}

bool
rh_exec_allows(const struct rh_exec_rules *rules, const char *program)
{
    if (!rules->programs)
        return true;
    for (const char *const *p = rules->programs; *p; p++)
        if (strchr(*p, '/') ? strcmp(*p, program) == 0 || is_in_directory(program, *p)
                            : is_on_path(program, *p))
            return true;
    return false;
}

/* What the loader, the C library, shells and interpreters take code or files from: as sudo removes them. With
 * '*' at the end: all that begin so. */
static const char *const refused[] = {
    "BASH_*",
    "CDPATH",
    "ENV",
    "GCONV_PATH",
    "GETCONF_DIR",
    "GLIBC_TUNABLES",
    "HOSTALIASES",
    "IFS",
    "JAVA_TOOL_OPTIONS",
    "LD_*",
    "LOCPATH",
    "MALLOC_*",
    "NIS_PATH",
    "NLSPATH",
    "NODE_OPTIONS",
    "NODE_PATH",
    "PATH",
    "PATH_LOCALE",
    "PERL*",
    "PROMPT_COMMAND",
    "PS4",
    "PYTHON*",
    "RES_OPTIONS",
    "RESOLV_HOST_CONF",
    "RUBYLIB",
    "RUBYOPT",
    "SHELLOPTS",
    "TERMCAP",
    "TERMINFO*",
    "TERMPATH",
    "TMPDIR",
    "TZDIR",
    "ZDOTDIR",
};

static bool
is_refused(const char *variable)
{
    size_t n = strcspn(variable, "=");

    for (size_t i = 0; i < sizeof refused / sizeof refused[0]; i++) {
        size_t len = strlen(refused[i]);
        bool begins = refused[i][len - 1] == '*';

        len -= begins;
        if ((begins ? n >= len : n == len) && strncmp(variable, refused[i], len) == 0)
            return true;
    }
    return false;
}

const char *
rh_exec_refused_variable(const struct rh_exec_rules *rules, const char *const *env)
{
    for (; rules->programs && env && *env; env++)
        if (is_refused(*env))
            return *env;
    return NULL;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* confined-program - the program of an executable provider, which is confined as a plugin is.
 *
 * It is started by the broker, in a process of its own. What the worker has started by declaring it, such a
 * program executes by itself, within the same confinement: so the programs that it declares, and their
 * interpreters, can be executed, and no others. */
#include "config.h"

#include "plugin/confined-parts.h"

#include "base/alloc.h"
#include "base/error.h"
#include "base/io.h"
#include "base/safe-path.h"

#include <rhost/exec.h>

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* What is installed, and what of it can be executed where all may be. */
static const char *const installed[] = { "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/usr" };

enum { MOST_INTERPRETERS = 4, LONGEST_LINE = 256 };

static int permit_file(struct rh_confinement *c, const char *path, int depth, struct rh_error *err);

/* A name is searched for as execvp(3) does, along the PATH of commands. */
static int
permit_name(struct rh_confinement *c, const char *name, int depth, struct rh_error *err)
{
    for (const char *at = RHOST_EXEC_PATH; *at;) {
        size_t n = strcspn(at, ":");
        rh_autofree char *path = rh_printf("%.*s/%s", (int)n, at, name);

        if (permit_file(c, path, depth, err) < 0)
            return -1;
        at += n + (at[n] == ':');
    }
    return 0;
}

/* "#!/usr/bin/env python3": both. */
static int
permit_interpreter(struct rh_confinement *c, char *line, int depth, struct rh_error *err)
{
    char *rest = NULL, *interpreter = strtok_r(line, " \t\n", &rest);
    const char *argument = interpreter ? strtok_r(NULL, " \t\n", &rest) : NULL;
    const char *slash = interpreter ? strrchr(interpreter, '/') : NULL;

    if (!interpreter || *interpreter != '/')
        return 0;
    if (permit_file(c, interpreter, depth + 1, err) < 0)
        return -1;
    if (slash && strcmp(slash, "/env") == 0 && argument && strcmp(argument, "-S") == 0)
        argument = strtok_r(NULL, " \t\n", &rest);
    if (!slash || strcmp(slash, "/env") != 0 || !argument)
        return 0;
    return strchr(argument, '/') ? permit_file(c, argument, depth + 1, err)
                                 : permit_name(c, argument, depth + 1, err);
}

static int
permit_file(struct rh_confinement *c, const char *path, int depth, struct rh_error *err)
{
    char line[LONGEST_LINE];
    rh_autoclose int fd = *path == '/' ? rh_safe_open(path, true, O_RDONLY | O_NONBLOCK, 0, NULL) : -1;
    ssize_t n = fd < 0 ? -1 : read(fd, line, sizeof line - 1);

    if (n < 0 || depth > MOST_INTERPRETERS)
        return 0; /* executing it says why not */
    if (rh_confinement_path(c, RH_ACCESS_READ | RH_ACCESS_EXECUTE, path, err) < 0)
        return -1;
    line[n] = '\0';
    line[strcspn(line, "\n")] = '\0';
    return strncmp(line, "#!", 2) == 0 ? permit_interpreter(c, line + 2, depth, err) : 0;
}

static int
permit_installed(struct rh_confinement *c, unsigned access, struct rh_error *err)
{
    for (size_t i = 0; i < sizeof installed / sizeof installed[0]; i++)
        if (rh_confinement_path(c, access, installed[i], err) < 0)
            return -1;
    return 0;
}

/* All that are in a directory. */
static int
permit_directory(struct rh_confinement *c, const char *pattern, struct rh_error *err)
{
    rh_autofree char *directory = rh_xstrndup(pattern, strlen(pattern) - 2);

    return rh_confinement_path(c, RH_ACCESS_READ | RH_ACCESS_EXECUTE, directory, err);
}

static int
permit_programs(struct rh_confinement *c, const char *text, size_t n, struct rh_error *err)
{
    const char *at = text, *end = text + n, *value;
    char kind[RH_PRIVILEGE_KIND];
    int rc = permit_installed(c, RH_ACCESS_READ, err);

    while (rc == 0 && rh_privilege_next(&at, end, kind, &value)) {
        if (strcmp(kind, "program") == 0)
            rc = rh_confinement_path(c, RH_ACCESS_READ | RH_ACCESS_EXECUTE, value, err);
        if (strcmp(kind, "run") != 0)
            continue;
        if (strcmp(value, "*") == 0)
            rc = permit_installed(c, RH_ACCESS_READ | RH_ACCESS_EXECUTE, err);
        else if (strlen(value) > 2 && strcmp(value + strlen(value) - 2, "/*") == 0)
            rc = permit_directory(c, value, err);
        else
            rc = strchr(value, '/') ? permit_file(c, value, 0, err) : permit_name(c, value, 0, err);
    }
    return rc;
}

int
rh_confined_program(const char *text, size_t n, char *const *candidates)
{
    rh_autoconfinement struct rh_confinement *c = rh_confinement_new();
    rh_autoerror struct rh_error err = { 0 };
    int rc = rh_privileges_permit(c, text, n, &err) < 0 || permit_programs(c, text, n, &err) < 0 ? -1 : 0;

    if (rc == 0)
        rc = rh_confinement_filter(c, NULL, 0, &err); /* that of the worker permits no programs */
    rh_confinement_permit(c, RH_PERMIT_EXECUTE);
    for (; rc == 0 && *candidates; candidates++)
        rc = permit_file(c, *candidates, 0, &err);
    errno = 0;
    if (rc < 0 || rh_confine(c, &err) < 0) {
        errno = errno ? errno : EINVAL;
        return -1;
    }
    return 0;
}

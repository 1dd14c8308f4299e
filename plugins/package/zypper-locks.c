/* SPDX-License-Identifier: Apache-2.0 */
/* zypper-locks - the packages that zypper leaves at their version. */

#include "zypper-locks.h"

#include "tool.h"

#include <errno.h>
#include <fnmatch.h>
#include <regex.h>
#include <stdio.h>
#include <stdlib.h>

#define FILE_OF_LOCKS "/etc/zypp/locks"

static void
add(rhost_ctx *ctx, struct zypper_locks *locks, const struct zypper_lock *one)
{
    struct zypper_lock *more = rhost_alloc(ctx, (locks->n + 1) * sizeof *more);

    if (locks->n)
        memcpy(more, locks->at, locks->n * sizeof *more);
    more[locks->n++] = *one;
    locks->at = more;
}

/* One line of a stanza. What limits it to some versions makes it none of ours. */
static void
take_line(rhost_ctx *ctx, const char *line, struct zypper_lock *one, int *limited)
{
    const char *colon = strchr(line, ':'), *value;
    size_t n = colon ? (size_t)(colon - line) : 0, length;

    if (!n || *line == '#')
        return;
    value = colon + 1 + strspn(colon + 1, " \t");
    length = strlen(value);
    while (length && strchr(" \t\r\n", value[length - 1]))
        length--;
    value = rhost_copy(ctx, value, length);
    if (n == 13 && words_after(line, "solvable_name"))
        one->name = value;
    else if (n == 10 && words_after(line, "match_type"))
        one->match = value;
    else if (n == 14 && words_after(line, "case_sensitive"))
        one->any_case = strcmp(value, "off") == 0 || strcmp(value, "false") == 0 || strcmp(value, "no") == 0;
    else if (n == 4 && words_after(line, "type"))
        *limited |= strcmp(value, "package") != 0;
    else if (words_after(line, "version") || words_after(line, "repo") || words_after(line, "solvable_arch")
             || words_after(line, "install_status"))
        *limited |= *value != '\0';
}

int32_t
zypper_locks_read(rhost_ctx *ctx, struct zypper_locks *locks)
{
    FILE *f = fopen(FILE_OF_LOCKS, "re");
    struct zypper_lock one = { .match = "glob" };
    char line[1024];
    int limited = 0, more = 1;

    *locks = (struct zypper_locks){ 0 };
    if (!f)
        return errno == ENOENT ? 0 : rhost_fail(ctx, "cannot open '" FILE_OF_LOCKS "': %s", strerror(errno));
    while (more) {
        more = fgets(line, sizeof line, f) != NULL;
        if (more && line[strspn(line, " \t\r\n")]) {
            take_line(ctx, line, &one, &limited);
            continue;
        }
        if (one.name && !limited)
            add(ctx, locks, &one);
        one = (struct zypper_lock){ .match = "glob" };
        limited = 0;
    }
    (void)fclose(f);
    return 0;
}

static int
fits_expression(const struct zypper_lock *lock, const char *name)
{
    regex_t expression;
    int fits;

    if (regcomp(&expression, lock->name, REG_EXTENDED | REG_NOSUB | (lock->any_case ? REG_ICASE : 0)) != 0)
        return 0;
    fits = regexec(&expression, name, 0, NULL, 0) == 0;
    regfree(&expression);
    return fits;
}

const struct zypper_lock *
zypper_locks_find(const struct zypper_locks *locks, const char *name)
{
    for (size_t i = 0; i < locks->n; i++) {
        const struct zypper_lock *lock = &locks->at[i];
        int fits;

        if (words_after(lock->match, "reg"))
            fits = fits_expression(lock, name);
        else if (strcmp(lock->match, "substring") == 0)
            fits = strstr(name, lock->name) != NULL;
        else
            fits = fnmatch(lock->name, name, lock->any_case ? FNM_CASEFOLD : 0) == 0;
        if (fits)
            return lock;
    }
    return NULL;
}

int32_t
zypper_locks_set(rhost_ctx *ctx, const struct words *names, int held)
{
    struct words argv = { 0 };
    struct rhost_output out;

    if (!names->n)
        return 0;
    tool_words(ctx, &argv, "zypper", "--non-interactive", held ? "addlock" : "removelock", "--");
    for (size_t i = 0; i < names->n; i++)
        words_add(ctx, &argv, names->at[i]);
    if (tool_act(ctx, &argv, NULL, 300, &out) < 0)
        return -1;
    if (out.status)
        return rhost_fail(ctx, "cannot %s the locks of zypper: %s", held ? "add to" : "remove from",
                          lines_of_error(ctx, out.out));
    return 0;
}

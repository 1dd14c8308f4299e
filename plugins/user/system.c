/* SPDX-License-Identifier: Apache-2.0 */
/* system - which accounts and groups belong to the system. */

#include "system.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { USUAL = 1000, NOBODY = 65534 };

/* What a line of login.defs(5) says of the setting, as shadow's programs read it; NULL: nothing. */
static const char *
value_in(char *line, const char *setting)
{
    size_t len = strlen(line), n = strlen(setting);
    char *at;

    while (len && strchr(" \t\r\n\v\f", line[len - 1]))
        line[--len] = '\0';
    at = line + strspn(line, " \t");
    if (strncmp(at, setting, n) != 0 || (at[n] != ' ' && at[n] != '\t'))
        return NULL;
    at += n;
    at += strspn(at, " \t\"");
    at[strcspn(at, "\"")] = '\0';
    return at;
}

int
system_text(const char *setting, char *to, size_t size)
{
    FILE *f = fopen("/etc/login.defs", "re");
    char *line = NULL;
    size_t room = 0;
    int found = 0;

    while (f && getline(&line, &room, f) >= 0) {
        const char *value = value_in(line, setting);

        if (value && *value && strlen(value) < size) {
            memcpy(to, value, strlen(value) + 1); /* the last one counts */
            found = 1;
        }
    }
    free(line);
    if (f)
        (void)fclose(f);
    return found;
}

/* Its lines are KEY=value, without quotes and comments behind; the last one counts. */
int
system_default(const char *setting, char *to, size_t size)
{
    FILE *f = fopen("/etc/default/useradd", "re");
    size_t n = strlen(setting), room = 0;
    char *line = NULL;
    int found = 0;

    while (f && getline(&line, &room, f) >= 0) {
        line[strcspn(line, "\n")] = '\0';
        if (strncmp(line, setting, n) == 0 && line[n] == '=' && line[n + 1] && strlen(line + n + 1) < size) {
            memcpy(to, line + n + 1, strlen(line + n + 1) + 1);
            found = 1;
        }
    }
    free(line);
    if (f)
        (void)fclose(f);
    return found;
}

long long
system_number(const char *setting, long long most, long long otherwise)
{
    FILE *f = fopen("/etc/login.defs", "re");
    long long found = otherwise;
    char *line = NULL;
    size_t room = 0;

    while (f && getline(&line, &room, f) >= 0) {
        const char *value = value_in(line, setting);
        char *end;
        long long n;

        if (!value)
            continue;
        errno = 0;
        n = strtoll(value, &end, 0); /* a leading 0 makes it octal */
        found =
            end > value && !*end && !errno && n >= 0 && n <= most ? n : otherwise; /* the last one counts */
    }
    free(line);
    if (f)
        (void)fclose(f);
    return found;
}

uint32_t
system_first(const char *setting)
{
    return (uint32_t)system_number(setting, UINT32_MAX, USUAL);
}

int
system_has(uint32_t id, uint32_t first)
{
    return id < first || id == NOBODY;
}

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

/* The last setting of a file counts: `read` returns its value where a line has it, or NULL. */
static void
last_value(const char *path, const char *(*read)(char *line, const char *setting), const char *setting,
           void (*take)(void *data, const char *value), void *data)
{
    FILE *f = fopen(path, "re");
    char *line = NULL;
    size_t room = 0;

    while (f && getline(&line, &room, f) >= 0) {
        const char *value = read(line, setting);

        if (value)
            take(data, value);
    }
    free(line);
    if (f)
        (void)fclose(f);
}

struct text {
    char *to;
    size_t size;
    int found;
};

static void
take_text(void *data, const char *value)
{
    struct text *text = data;

    if (*value && strlen(value) < text->size) {
        memcpy(text->to, value, strlen(value) + 1);
        text->found = 1;
    }
}

int
system_text(const char *setting, char *to, size_t size)
{
    struct text text = { to, size, 0 };

    last_value("/etc/login.defs", value_in, setting, take_text, &text);
    return text.found;
}

/* Lines are KEY=value, without quotes and comments behind. */
static const char *
default_in(char *line, const char *setting)
{
    size_t n = strlen(setting);

    line[strcspn(line, "\n")] = '\0';
    return strncmp(line, setting, n) == 0 && line[n] == '=' ? line + n + 1 : NULL;
}

void
system_default(const char *setting, char *to, size_t size)
{
    struct text text = { to, size, 0 };

    last_value("/etc/default/useradd", default_in, setting, take_text, &text);
}

struct number {
    long long most, otherwise, found;
};

static void
take_number(void *data, const char *value)
{
    struct number *number = data;
    char *end;
    long long n;

    errno = 0;
    n = strtoll(value, &end, 0); /* a leading 0 makes it octal */
    number->found = end > value && !*end && !errno && n >= 0 && n <= number->most ? n : number->otherwise;
}

long long
system_number(const char *setting, long long most, long long otherwise)
{
    struct number number = { most, otherwise, otherwise };

    last_value("/etc/login.defs", value_in, setting, take_number, &number);
    return number.found;
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

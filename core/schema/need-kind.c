/* SPDX-License-Identifier: Apache-2.0 */
/* need-kind - the kinds of needs, and what may stand in their brackets. */
#include "config.h"

#include "schema/need.h"

#include "base/capability-name.h"

#include <stdlib.h>
#include <string.h>

enum { LONGEST_BUS_NAME = 255 };

/* Absolute, or the home directory of a user, or below that: "~anna/.ssh". No part of it is "..". */
static bool
is_path(const char *s)
{
    if (*s != '/' && (*s != '~' || s[1] == '/' || !s[1]))
        return false;
    for (const char *part = s; (part = strstr(part, "/..")); part += 3)
        if (part[3] == '/' || !part[3])
            return false;
    return true;
}

static bool
is_program(const char *s)
{
    return *s == '/' ? is_path(s) : *s && !strpbrk(s, "/ ");
}

static bool
is_bus_name(const char *s)
{
    size_t n = strlen(s);

    return n <= LONGEST_BUS_NAME && strchr(s, '.') && !strstr(s, "..") && *s != '.' && s[n - 1] != '.'
           && strspn(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-") == n;
}

static bool
is_port(const char *s)
{
    size_t n = strspn(s, "0123456789");

    return n && n <= 5 && *s != '0' && !s[n] && strtoul(s, NULL, 10) - 1 < UINT16_MAX;
}

static bool
is_network(const char *s)
{
    return strcmp(s, "tcp") == 0 || strcmp(s, "udp") == 0 || (strncmp(s, "tcp:", 4) == 0 && is_port(s + 4));
}

static bool
is_capability(const char *s)
{
    return rh_capability_number(s) >= 0;
}

static bool
is_name(const char *s)
{
    return *s != '\0';
}

static const struct {
    const char *word;
    bool (*fits)(const char *value); /* NULL: there is none */
} kinds[] = {
    [RH_NEED_ROOT] = { "root", NULL },
    [RH_NEED_USER] = { "user", is_name },
    [RH_NEED_WRITE] = { "write", is_path },
    [RH_NEED_READ] = { "read", is_path },
    [RH_NEED_RUN] = { "run", is_program },
    [RH_NEED_SOCKET] = { "socket", is_path },
    [RH_NEED_DBUS] = { "dbus", is_bus_name },
    [RH_NEED_NETWORK] = { "network", is_network },
    [RH_NEED_CAPABILITY] = { "capability", is_capability },
};

const char *
rh_need_word(enum rh_need_kind kind)
{
    return kinds[kind].word;
}

bool
rh_need_fits(enum rh_need_kind kind, const char *value)
{
    return kinds[kind].fits && kinds[kind].fits(value);
}

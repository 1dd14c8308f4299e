/* SPDX-License-Identifier: Apache-2.0 */
/* lua-words - what Lua says of arguments, in the words of the library. */
#include "config.h"

#include "script/lua-words.h"

#include "base/message-code.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The parts of Lua's message. */
struct argument {
    unsigned number;
    const char *name, *reason; /* with their lengths; the name is "?" where nobody knows it */
    int n_name, n_reason;
};

static bool
read_argument(const char *message, struct argument *a)
{
    static const char lead[] = "bad argument #", to[] = " to '", open[] = "' (";
    const char *at, *close;
    char *end;

    if (strncmp(message, lead, sizeof lead - 1) != 0)
        return false;
    at = message + sizeof lead - 1;
    a->number = (unsigned)strtoul(at, &end, 10);
    if (end == at || strncmp(end, to, sizeof to - 1) != 0)
        return false;
    a->name = end + sizeof to - 1;
    close = strstr(a->name, open);
    if (!close)
        return false;
    a->n_name = (int)(close - a->name);
    a->reason = close + sizeof open - 1;
    at = strrchr(a->reason, ')');
    if (!at || at[1])
        return false;
    a->n_reason = (int)(at - a->reason);
    return true;
}

static bool
reason_is(const struct argument *a, const char *reason)
{
    return strlen(reason) == (size_t)a->n_reason && strncmp(a->reason, reason, (size_t)a->n_reason) == 0;
}

/* "string expected, got nil" */
static void
write_type(const struct argument *a, const char *between, char *text, size_t size)
{
    const char *got = between + strlen(" expected, got ");
    int n = (int)(between - a->reason), n_got = (int)(a->reason + a->n_reason - got);

    if (n_got == 8 && strncmp(got, "no value", 8) == 0) {
        (void)snprintf(text, size, "argument %u of '%.*s' is missing: it must be a %.*s", a->number,
                       a->n_name, a->name, n, a->reason);
        return;
    }
    if (n_got >= 8 && strncmp(got + n_got - 8, "userdata", 8) == 0) {
        got = "table";
        n_got = 5;
    }
    (void)snprintf(text, size, "argument %u of '%.*s' must be a %.*s, not %s%.*s", a->number, a->n_name,
                   a->name, n, a->reason, n_got == 3 && strncmp(got, "nil", 3) == 0 ? "" : "a ", n_got, got);
}

bool
rh_lua_argument_error(const char *message, char *text, size_t n, unsigned *code)
{
    struct argument a;
    const char *between;

    if (!read_argument(message, &a))
        return false;
    *code = rh_message_code(RH_WORDING("argument %u of '%s' is not valid: %s"));
    between = strstr(a.reason, " expected, got ");
    if (between)
        write_type(&a, between, text, n);
    else if (reason_is(&a, "value expected"))
        (void)snprintf(text, n, RH_WORDING("argument %u of '%.*s' is missing"), a.number, a.n_name, a.name);
    else if (reason_is(&a, "number has no integer representation"))
        (void)snprintf(text, n,
                       RH_WORDING("argument %u of '%.*s' must be an integer, not a number with a fraction"),
                       a.number, a.n_name, a.name);
    else
        (void)snprintf(text, n, "argument %u of '%.*s' is not valid: %.*s", a.number, a.n_name, a.name,
                       a.n_reason, a.reason);
    return true;
}

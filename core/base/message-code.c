/* SPDX-License-Identifier: Apache-2.0 */
/* message-code - the stable code of a message, RH1001, found by what the message was made from. */
#include "config.h"

#include "base/message-code.h"

#include "base/cleanup.h"
#include "base/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What is behind the conversion at `at`; NULL when there is none. */
static const char *
skip_conversion(const char *at)
{
    if (*at++ != '%')
        return NULL;
    at += strspn(at, "-+ #0'");
    at += strspn(at, "0123456789*");
    if (*at == '.')
        at += 1 + strspn(at + 1, "0123456789*");
    at += strspn(at, "hlLjzt");
    return *at && strchr("diouxXeEfFgGaAcspnm", *at) ? at + 1 : NULL;
}

char *
rh_message_wording(const char *format)
{
    struct rh_buf wording = { 0 };
    const char *behind;

    format += strspn(format, " \t");
    while (*format && *format != '\n') {
        if (format[0] == '%' && format[1] == '%') {
            rh_buf_addc(&wording, '%');
            format += 2;
        } else if ((behind = skip_conversion(format))) {
            while (behind && (format = behind))
                behind = skip_conversion(format);
            rh_buf_add(&wording, "…");
        } else {
            rh_buf_addc(&wording, *format++);
        }
    }
    while (wording.n && (wording.s[wording.n - 1] == ' ' || wording.s[wording.n - 1] == '\t'))
        wording.s[--wording.n] = '\0';
    return rh_buf_take(&wording);
}

static int
compare_wording(const void *key, const void *entry)
{
    return strcmp(key, rh_message_wordings + ((const struct rh_message_entry *)entry)->at);
}

unsigned
rh_message_code(const char *format)
{
    rh_autofree char *wording = NULL;
    const struct rh_message_entry *entry;

    if (!format)
        return 0;
    wording = rh_message_wording(format);
    entry =
        bsearch(wording, rh_message_entries, rh_message_count, sizeof rh_message_entries[0], compare_wording);
    return entry ? entry->code : 0;
}

unsigned
rh_message_code_of(unsigned code, const char *format, const char *text)
{
    if (!code)
        code = rh_message_code(format);
    return code ? code : rh_message_code(text);
}

static unsigned first_shown;

unsigned
rh_message_code_shown(void)
{
    return first_shown;
}

const char *
rh_message_code_name(unsigned code, char name[RH_CODE_NAME])
{
    (void)snprintf(name, RH_CODE_NAME, "RH%04u", code % 10000);
    return name;
}

void
rh_message_add_code(struct rh_buf *b, unsigned code, bool colour)
{
    char name[RH_CODE_NAME];

    if (!code)
        return;
    if (!first_shown)
        first_shown = code;
    rh_buf_addf(b, colour ? " \033[2m[%s]\033[0m" : " [%s]", rh_message_code_name(code, name));
}

unsigned
rh_message_code_read(const char *name)
{
    if ((name[0] == 'R' || name[0] == 'r') && (name[1] == 'H' || name[1] == 'h'))
        name += 2;
    return strlen(name) == 4 && strspn(name, "0123456789") == 4 ? (unsigned)strtoul(name, NULL, 10) : 0;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* message-code - the stable code of a message, RH1001, found by what the message was made from. */
#include "config.h"

#include "base/message-code.h"

#include "base/cleanup.h"
#include "base/text.h"

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

/* SPDX-License-Identifier: Apache-2.0 */
/* tidy - text of others, made fit for a message. */

#include "tidy.h"

#include <stddef.h>

void
tidy_line(char *line)
{
    for (unsigned char *at = (unsigned char *)line; *at; at++) {
        size_t more = *at >= 0xF0 && *at < 0xF5 ? 3 : *at >= 0xE0 ? 2 : *at >= 0xC2 ? 1 : 0, i = 1;

        if (*at == '\t')
            *at = ' ';
        if (*at < 0x80) {
            if (*at < ' ' || *at == 0x7F)
                *at = '?';
            continue;
        }
        while (i <= more && *at < 0xF5 && (at[i] & 0xC0) == 0x80)
            i++;
        if (!more || i <= more)
            *at = '?';
        else
            at += more;
    }
}

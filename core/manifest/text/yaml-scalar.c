/* SPDX-License-Identifier: Apache-2.0 */
/* yaml-scalar - one scalar, decoded from its own bytes: by libyaml, or where it takes no parser. */
#include "config.h"

#include "manifest/text/yaml-record.h"

#include <string.h>

bool
rh_yaml_decode(yaml_parser_t *parser, yaml_event_t *event, const char *text, size_t n)
{
    if (!rh_yaml_parser_open(parser, text, n))
        return false;
    for (unsigned i = 0; i < 3; i++) { /* the start of the stream, that of the document, and the scalar */
        if (!yaml_parser_parse(parser, event))
            break;
        if (event->type == YAML_SCALAR_EVENT)
            return true;
        yaml_event_delete(event);
    }
    yaml_parser_delete(parser);
    return false;
}

/* Those that stand for one byte. */
static bool
unescape(char c, char *byte)
{
    static const char letters[] = "0abtnvfre \"/\\", bytes[] = "\0\a\b\t\n\v\f\r\033 \"/\\";
    const char *at = c ? strchr(letters, c) : NULL;

    if (at)
        *byte = bytes[at - letters];
    return at != NULL;
}

bool
rh_yaml_unescape(const char *text, size_t n, struct rh_buf *to)
{
    const char *end = text + n;

    to->n = 0;
    while (text < end) {
        const char *escape = memchr(text, '\\', (size_t)(end - text));
        char byte;

        rh_buf_addn(to, text, (size_t)((escape ? escape : end) - text));
        if (!escape)
            return true;
        if (escape + 1 == end || !unescape(escape[1], &byte))
            return false;
        rh_buf_addc(to, byte);
        text = escape + 2;
    }
    return true;
}

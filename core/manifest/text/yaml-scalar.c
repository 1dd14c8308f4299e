/* SPDX-License-Identifier: Apache-2.0 */
/* yaml-scalar - one scalar, decoded by libyaml from its own bytes. */
#include "config.h"

#include "manifest/text/yaml-record.h"

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

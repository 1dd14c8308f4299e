/* SPDX-License-Identifier: Apache-2.0 */
/* yaml-events - the events that libyaml makes of a text. */
#include "config.h"

#include "manifest/text/yaml-events.h"

bool
rh_yaml_parser_open(yaml_parser_t *parser, const char *text, size_t n)
{
    if (!yaml_parser_initialize(parser))
        return false;
    yaml_parser_set_encoding(parser, YAML_UTF8_ENCODING);
    yaml_parser_set_input_string(parser, (const unsigned char *)text, n);
    return true;
}

static void
take_scalar(const yaml_event_t *from, struct rh_yaml_event *event)
{
    event->text = (const char *)from->data.scalar.value;
    event->n = from->data.scalar.length;
    event->anchor = (const char *)from->data.scalar.anchor;
    event->tag = (const char *)from->data.scalar.tag;
    event->plain = from->data.scalar.style == YAML_PLAIN_SCALAR_STYLE;
}

bool
rh_yaml_parser_next(yaml_parser_t *parser, yaml_event_t *from, struct rh_yaml_event *event)
{
    if (!yaml_parser_parse(parser, from))
        return false;
    *event = (struct rh_yaml_event){
        .type = from->type,
        .line = (uint32_t)from->start_mark.line,
        .column = (uint32_t)from->start_mark.column,
        .end_line = (uint32_t)from->end_mark.line,
        .end_column = (uint32_t)from->end_mark.column,
    };
    switch (from->type) {
    case YAML_SCALAR_EVENT:
        take_scalar(from, event);
        break;
    case YAML_SEQUENCE_START_EVENT:
        event->anchor = (const char *)from->data.sequence_start.anchor;
        event->tag = (const char *)from->data.sequence_start.tag;
        event->flow = from->data.sequence_start.style == YAML_FLOW_SEQUENCE_STYLE;
        break;
    case YAML_MAPPING_START_EVENT:
        event->anchor = (const char *)from->data.mapping_start.anchor;
        event->tag = (const char *)from->data.mapping_start.tag;
        event->flow = from->data.mapping_start.style == YAML_FLOW_MAPPING_STYLE;
        break;
    case YAML_ALIAS_EVENT:
        event->anchor = (const char *)from->data.alias.anchor;
        break;
    default:
        break;
    }
    return true;
}

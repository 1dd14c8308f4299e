/* SPDX-License-Identifier: Apache-2.0 */
/* yaml-events - a text of YAML as a sequence of events: what starts, what ends, and the scalars between. They
 * come from libyaml, or from a record of what libyaml made of the same text before. */
#ifndef RH_MANIFEST_TEXT_YAML_EVENTS_H
#define RH_MANIFEST_TEXT_YAML_EVENTS_H

#include "base/cleanup.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <yaml.h>

struct rh_yaml_event {
    yaml_event_type_t type;
    uint32_t line, column; /* of its start, from 0; columns are characters */
    uint32_t end_line, end_column;
    const char *text; /* of a scalar: `n` bytes, and one behind them that can be read */
    size_t n;
    const char *anchor, *tag; /* NULL: none; `anchor` is also the name of an alias */
    bool plain;               /* a scalar without quotes */
    bool flow;                /* a list or hash in brackets */
};

/* The text is valid UTF-8, and stays as long as the parser. False: out of memory. */
RH_CHECKED bool rh_yaml_parser_open(yaml_parser_t *parser, const char *text, size_t n);

/* The next event of the parser, valid until `from` is deleted: it is what libyaml has made. False: the parser
 * has a problem, see yaml-problem.c. */
RH_CHECKED bool rh_yaml_parser_next(yaml_parser_t *parser, yaml_event_t *from, struct rh_yaml_event *event);

#endif

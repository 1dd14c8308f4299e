/* SPDX-License-Identifier: Apache-2.0 */
/* yaml-record - the events of a text, written down so that reading it again takes no parser.
 *
 * libyaml takes more than half of the time that reading a large manifest takes. A record has what libyaml
 * found: kinds of events, their lines and columns, tags, which anchor an alias means, and where in the text
 * the bytes of each scalar are. It has no scalar and no name of an anchor, and so no secret: of a text with a
 * tag that is not one of rhost's, no record is kept. It holds for one text, byte by byte: the caller keeps it
 * under the digest of the text (manifest/load/parsed.h). */
#ifndef RH_MANIFEST_TEXT_YAML_RECORD_H
#define RH_MANIFEST_TEXT_YAML_RECORD_H

#include "base/cleanup.h"
#include "base/map.h"
#include "base/text.h"
#include "manifest/text/yaml-events.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Writing. */

struct rh_yaml_recorder {
    struct rh_buf bytes;
    const char *text;
    size_t n;
    uint32_t line;                 /* of the event before */
    size_t at;                     /* where its text ended */
    const char *row;               /* the character at hand, */
    uint32_t row_line, row_column; /* and where it is: places come in order, so the text is walked once */
    struct rh_map anchors;         /* by name, their numbers from 1 */
    bool refused;                  /* this text has no record */
};

/* The text stays as long as events are added. One with line ends other than "\n" has no record. */
void rh_yaml_recorder_open(struct rh_yaml_recorder *r, const char *text, size_t n);
void rh_yaml_recorder_close(struct rh_yaml_recorder *r);
void rh_yaml_recorder_add(struct rh_yaml_recorder *r, const struct rh_yaml_event *event);

/* Reading. */

struct rh_yaml_replay {
    const unsigned char *next, *end;
    const char *text;
    size_t n;
    uint32_t line;
    size_t at;
    char anchor[24];      /* its number, as a name */
    struct rh_buf scalar; /* one that is made of several parts of the text */
    yaml_parser_t parser; /* of one that libyaml decodes again, with `event` */
    yaml_event_t event;
    bool decoding;
};

/* Whether these bytes are a whole record of a text of `n` bytes: nothing in it points outside of the text,
 * and the events are those of one document. */
RH_CHECKED bool rh_yaml_record_fits(const void *bytes, size_t size, size_t n);

/* The record must fit. It and the text stay as long as events are read. */
void rh_yaml_replay_open(struct rh_yaml_replay *r, const void *bytes, size_t size, const char *text,
                         size_t n);
void rh_yaml_replay_close(struct rh_yaml_replay *r);

/* The next event, which is valid until the next call. False: the end, or no memory. */
RH_CHECKED bool rh_yaml_replay_next(struct rh_yaml_replay *r, struct rh_yaml_event *event);

/* yaml-scalar.c: the value of a scalar that is written with escapes or folded, from its own bytes in the
 * text. The parser and the event are the caller's to delete when this returns true. */
RH_CHECKED bool rh_yaml_decode(yaml_parser_t *parser, yaml_event_t *event, const char *text, size_t n);

/* The same for what stands between double quotes on one line, with escapes of one letter only; it replaces
 * what is in `to`. False: there are others. Used for no scalar of which libyaml makes something else. */
RH_CHECKED bool rh_yaml_unescape(const char *text, size_t n, struct rh_buf *to);

#endif

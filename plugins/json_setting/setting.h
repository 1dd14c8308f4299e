/* SPDX-License-Identifier: Apache-2.0 */
/* setting - a value at a JSON pointer in a file, whatever the format of the file. All settings of a file in
 * one batch are one reading and one writing of it. */
#ifndef JSON_SETTING_SETTING_H
#define JSON_SETTING_SETTING_H

#include "tree.h"

#include <rhost/lines.h>

/* A text under work, with a NUL behind it. */
struct document {
    char *text; /* for free() */
    size_t len, room;
    int failed; /* memory is out: it is no more what it should be */
};

/* What a format does. Each answers NULL, or why not, in memory of the call. */
struct setting_format {
    /* Reads a text. *root NULL: there is nothing in it. */
    const char *(*parse)(struct pool *p, const struct document *d, struct tree **root);
    /* The value in the place of what is there. */
    const char *(*replace)(rhost_ctx *ctx, struct document *d, const struct tree *at,
                           const rhost_value *value);
    /* A new last child of a mapping, or (key NULL) of a list; at NULL: a new root, of which `value` is all.
     */
    const char *(*insert)(rhost_ctx *ctx, struct document *d, const struct tree *at, const char *key,
                          const rhost_value *value);
    /* Removes a child of a mapping. */
    const char *(*remove)(rhost_ctx *ctx, struct document *d, const struct tree *at);
};

/* The attributes of both types. */
/* clang-format off */
#define SETTING_ATTRS                                                                                        \
    { .name = "path",                                                                                        \
      .type = RHOST_TYPE_PATH,                                                                               \
      .behaviour = RHOST_NAMEVAR,                                                                            \
      .desc = "Absolute path of the file." },                                                                \
    { .name = "pointer",                                                                                     \
      .type = POINTER_TYPE,                                                                                  \
      .behaviour = RHOST_NAMEVAR,                                                                            \
      .desc = "Where in the file, as a JSON pointer such as /server/port." },                                \
    { .name = "ensure",                                                                                      \
      .type = "Enum[present, absent]",                                                                       \
      .default_value = "\"present\"",                                                                        \
      .desc = "Whether the setting should exist." },                                                         \
    { .name = "value",                                                                                       \
      .type = "Data",                                                                                        \
      .desc = "What it is set to: text, a number, a Boolean, a list or a hash." },                           \
    { .name = "create",                                                                                      \
      .type = "Boolean",                                                                                     \
      .behaviour = RHOST_PARAMETER,                                                                          \
      .default_value = "true",                                                                               \
      .desc = "Whether a file that does not exist is created." },                                            \
    RHOST_VALIDATE_ATTR
/* clang-format on */

/* "/etc/docker/daemon.json#/debug" states the name; any other title is only a title. */
#define SETTING_TITLE "\\A(?:(?<path>\\/[^#]*)#(?<pointer>(?:\\/.*)?)\\z)?"

int32_t setting_canonicalize(rhost_ctx *ctx, rhost_value *resource);
int32_t setting_validate(rhost_ctx *ctx, const rhost_value *resource);
int32_t setting_load(rhost_ctx *ctx, const struct setting_format *format, const rhost_value *name,
                     const rhost_value *should, rhost_value *current);
int32_t setting_insync(rhost_ctx *ctx, const struct rhost_change *change, const char *attribute);

/* edit() of struct rhost_lines_how. */
const char *setting_edit(rhost_ctx *ctx, const struct setting_format *format, struct rhost_lines *l,
                         const struct rhost_change *change);

/* like() of struct rhost_lines_how. */
void setting_like(rhost_ctx *ctx, const struct rhost_change *change, struct rhost_new_file *file);

/* Puts `with` into the place of the bytes from start to end. */
void document_splice(struct document *d, size_t start, size_t end, const char *with);

#endif

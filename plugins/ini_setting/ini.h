/* SPDX-License-Identifier: Apache-2.0 */
/* ini - where a setting stands in the lines of a file, and how to change it there and nothing else.
 *
 * A section is a line "[name]"; what stands before the first is in the section "". Lines that begin
 * with '#' or ';' are comments. A setting is a name, a separator and a value, or a name alone. */
#ifndef INI_SETTING_INI_H
#define INI_SETTING_INI_H

#include <rhost/lines.h>

struct ini_style {
    const char *separator; /* as new settings get it, with its blanks: " = " */
    char mark;             /* what separates: '=', ':'; ' ' for blanks alone */
    char quote;            /* '"' or '\'' around values, 0 for none */
    int comments;          /* whether a blank and '#' or ';' behind a value begin a comment */
    const char *indent;    /* of new settings; NULL: as the others of the section */
};

/* A stretch of a line. */
struct ini_part {
    const char *at;
    size_t len;
};

struct ini_found {
    size_t last, n;        /* the last line that has the setting (the one that counts), and how many do */
    int has_value;         /* 0: a name alone */
    struct ini_part value; /* without quotes */
};

/* The style that these attributes say; separator and quote have been held against their types. */
struct ini_style ini_style_of(const rhost_value *wanted);

/* Looks for the setting in all sections of this name. */
struct ini_found ini_find(const struct rhost_lines *l, const struct ini_style *style, const char *section,
                          const char *setting);

/* Tells each setting once, with the value that counts; a line that continues the one above it (which
 * ends with a backslash) is none. Stops when `visit` returns other than 0, and returns that. */
int ini_each(const struct rhost_lines *l, const struct ini_style *style,
             int (*visit)(void *data, struct ini_part section, struct ini_part setting,
                          const struct ini_found *found),
             void *data);

/* Gives the setting this value (NULL: a name alone), in its place where it has one; otherwise below a
 * comment that shows it, or as the last of its section, which is made when there is none. */
void ini_put(rhost_ctx *ctx, struct rhost_lines *l, const struct ini_style *style, const char *section,
             const char *setting, const char *value);

/* Takes the setting out wherever it stands in the section, and with `whole` the section as well when
 * nothing but blank lines is left of it. */
void ini_remove(struct rhost_lines *l, const struct ini_style *style, const char *section,
                const char *setting, int whole);

#endif

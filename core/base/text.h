/* SPDX-License-Identifier: Apache-2.0 */
/* text - strings that grow, and text from outside made fit to be shown. */
#ifndef RH_BASE_TEXT_H
#define RH_BASE_TEXT_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct rh_buf {
    char *s; /* NUL-terminated once anything was added, else NULL */
    size_t n, cap;
};

void rh_buf_make_room(struct rh_buf *b, size_t more); /* and one byte for the NUL */

/* Inline: frames and reports are made of little else. */
static inline void
rh_buf_addn(struct rh_buf *b, const void *s, size_t n)
{
    if (b->cap - b->n <= n)
        rh_buf_make_room(b, n);
    if (n)
        memcpy(b->s + b->n, s, n);
    b->n += n;
    b->s[b->n] = '\0';
}

/* The same for `n` bytes that the caller writes to where it points. */
static inline char *
rh_buf_extend(struct rh_buf *b, size_t n)
{
    if (b->cap - b->n <= n)
        rh_buf_make_room(b, n);
    b->n += n;
    b->s[b->n] = '\0';
    return b->s + b->n - n;
}

static inline void
rh_buf_add(struct rh_buf *b, const char *s)
{
    rh_buf_addn(b, s, strlen(s));
}

static inline void
rh_buf_addc(struct rh_buf *b, char c)
{
    rh_buf_addn(b, &c, 1);
}

/* A number in decimal; the second one with zeros in front up to `width` digits (at most 20). Printing a
 * format takes ten times as long, and journals are full of numbers. */
void rh_buf_add_decimal(struct rh_buf *b, int64_t number);
void rh_buf_add_padded(struct rh_buf *b, uint64_t number, unsigned width);

void rh_buf_addf(struct rh_buf *b, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void rh_buf_truncate(struct rh_buf *b, size_t n);
const char *rh_buf_text(const struct rh_buf *b); /* never NULL */
char *rh_buf_take(struct rh_buf *b);             /* the caller's; the buffer is empty after */
void rh_buf_clear(struct rh_buf *b);

#define rh_autobuf __attribute__((cleanup(rh_buf_clear)))

/* Adds text that came from outside: control characters (terminal escapes among them), bidirectional
 * overrides and bytes that are not UTF-8 become \xNN or \u{N}; with `lines`, newlines and tabs stay. */
void rh_buf_add_safe(struct rh_buf *b, const char *s, size_t n, bool lines);
char *rh_safe_text(const char *s); /* one line; the caller's */

/* markup.c: text inside of XML and HTML. */

/* The same as text of an element or of an attribute in quotes: what begins markup becomes an entity.
 * What XML can't have is escaped, so that what is added is valid whatever `s` is. */
void rh_buf_add_markup(struct rh_buf *b, const char *s, size_t n, bool lines);

/* Adds JSON as the text of a <script> element, which it does not end: '<' is in its strings only, where
 * JSON has an escape. */
void rh_buf_add_page_json(struct rh_buf *b, const char *json, size_t n);

/* signs.c: what rhost writes beside ASCII. LC_ALL, LC_CTYPE and LANG are read once: the first that is set
 * decides, and when it does not name UTF-8, an arrow is "->" and a dot "-". Where none is set, UTF-8 is
 * assumed. */
void rh_signs_read_locale(void);
const char *rh_sign_arrow(void); /* from one value to another */
const char *rh_sign_dot(void);   /* between the parts of a line */

/* rh_buf_add_safe() for a message of rhost or of a provider, which may have an arrow in it. */
void rh_buf_add_message(struct rh_buf *b, const char *s, size_t n);

/* The character of these bytes when a terminal acts upon it rather than shows it, when it turns the
 * text around it, or when YAML does not take it as it is; else 0. */
uint32_t rh_utf8_active(const char *s, size_t len);

/* Length in bytes of the UTF-8 character at `s`, 0 when there is none. */
size_t rh_utf8_length(const char *s, size_t n);
bool rh_utf8_valid(const char *s, size_t n);
size_t rh_utf8_count(const char *s, size_t n); /* characters, for text known to be valid */

/* How many bytes from `s` on are printable ASCII, and neither '"' nor '\\'. */
size_t rh_text_plain(const char *s, size_t n);

/* The number that a text is, written in digits alone; false: it is none, is below `least`, or does not fit.
 */
bool rh_text_number(const char *s, int64_t least, int64_t *number);

/* A name as attributes and actions have it: lower case letter, then letters, digits, '_'. */
bool rh_is_name(const char *s);

/* A name as types, providers and definitions have it: names, with '::' between them: vendor::type. */
bool rh_is_type_name(const char *s);

#endif

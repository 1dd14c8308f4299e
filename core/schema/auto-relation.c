/* SPDX-License-Identifier: Apache-2.0 */
/* auto-relation - reads the relations that a type declares. */
#include "config.h"

#include "schema/auto-relation.h"

#include "base/arena.h"
#include "base/cleanup.h"
#include "base/error.h"
#include "base/text.h"
#include "base/value.h"

#include <string.h>

enum { MOST_PIECES = 32, MOST_PARTS = 16 };

static bool
is_word(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
}

/* At a '$' that begins the name of an attribute: the length of "$name" or "${name}", else 0. */
static size_t
measure_attr(const char *s, const char **name, size_t *len)
{
    bool braced = s[0] == '$' && s[1] == '{';
    size_t n = 0;

    if (s[0] != '$')
        return 0;
    *name = s + 1 + braced;
    while (is_word((*name)[n]))
        n++;
    *len = n;
    if (!n || (braced && (*name)[n] != '}'))
        return 0;
    return n + 1 + (braced ? 2 : 0);
}

struct pieces {
    struct rh_title_piece *at;
    size_t n;
};

static int
refuse_more(const char *whole, int most, struct rh_error *err)
{
    return rh_error_set(err, RH_EINPUT, "invalid relation '%s': more than %d parts", whole, most);
}

static int
add_piece(struct pieces *p, struct rh_title_piece piece, const char *whole, struct rh_error *err)
{
    if (p->n == MOST_PIECES)
        return refuse_more(whole, MOST_PIECES, err);
    p->at[p->n++] = piece;
    return 0;
}

/* "$server:$owner": attributes, and the text between them. */
static int
read_pieces(struct rh_arena *a, const struct rh_type *t, const char *whole, const char *s, struct pieces *p,
            struct rh_error *err)
{
    const char *text = s;

    p->at = rh_arena_alloc(a, MOST_PIECES * sizeof *p->at);
    for (;;) {
        const char *name = NULL;
        size_t len = 0, n = measure_attr(s, &name, &len);
        struct rh_title_piece piece = { 0 };

        if (*s && !n) {
            s++;
            continue;
        }
        if (s > text
            && add_piece(p, (struct rh_title_piece){ .text = rh_arena_strndup(a, text, (size_t)(s - text)) },
                         whole, err)
                   < 0)
            return -1;
        if (!*s)
            return 0;
        name = rh_arena_strndup(a, name, len);
        piece.attr = rh_type_attr(t, name);
        if (!piece.attr) {
            const char *best = rh_type_suggest(t, name);

            return rh_error_set(err, RH_EINPUT, "unknown attribute in the relation '%s'%s%s%s", whole,
                                best ? ": did you mean '$" : "", best ? best : "", best ? "'?" : "");
        }
        if (add_piece(p, piece, whole, err) < 0)
            return -1;
        text = s += n;
    }
}

static int
refuse_parts(const char *whole, struct rh_error *err)
{
    return rh_error_set(err, RH_EINPUT,
                        "invalid relation '%s': expected each namevar once, as '{namevar: $attribute, ...}'",
                        whole);
}

bool
rh_auto_relation_has_part(const struct rh_auto_relation *r, const char *namevar)
{
    for (size_t i = 0; i < r->n_parts; i++)
        if (strcmp(r->parts[i].namevar, namevar) == 0)
            return true;
    return false;
}

/* "server: $server", with blanks around it: `n` bytes at `s`. */
static int
read_part(struct rh_arena *a, const struct rh_type *t, const char *whole, const char *s, size_t n,
          struct rh_auto_relation *r, struct rh_error *err)
{
    struct rh_name_part *part = &r->parts[r->n_parts];
    struct pieces pieces = { 0 };
    const char *value;
    size_t key = 0;

    for (; n && *s == ' '; n--)
        s++;
    for (; n && s[n - 1] == ' '; n--)
        ;
    while (key < n && is_word(s[key]))
        key++;
    for (value = s + key + 1; value < s + n && *value == ' ';)
        value++;
    part->namevar = rh_arena_strndup(a, s, key);
    if (!key || key == n || s[key] != ':' || value >= s + n || rh_auto_relation_has_part(r, part->namevar))
        return refuse_parts(whole, err);
    if (read_pieces(a, t, whole, rh_arena_strndup(a, value, (size_t)(s + n - value)), &pieces, err) < 0)
        return -1;
    part->pieces = pieces.at;
    part->n_pieces = pieces.n;
    r->n_parts++;
    return 0;
}

/* "{server: $server, name: $owner}" */
static int
read_parts(struct rh_arena *a, const struct rh_type *t, const char *whole, struct rh_auto_relation *r,
           struct rh_error *err)
{
    const char *s = r->title + 1, *end = r->title + strlen(r->title) - 1;

    r->parts = rh_arena_alloc(a, MOST_PARTS * sizeof *r->parts);
    for (;;) {
        const char *comma = memchr(s, ',', (size_t)(end - s));

        if (r->n_parts == MOST_PARTS)
            return refuse_more(whole, MOST_PARTS, err);
        if (read_part(a, t, whole, s, (size_t)((comma ? comma : end) - s), r, err) < 0)
            return -1;
        if (!comma)
            return 0;
        s = comma + 1;
    }
}

static bool
names_parts(const char *title)
{
    size_t n = strlen(title);

    return n > 1 && title[0] == '{' && title[n - 1] == '}';
}

int
rh_auto_relation_read(struct rh_arena *a, const struct rh_type *t, const char *text,
                      struct rh_auto_relation *r, struct rh_error *err)
{
    static const char *const kinds[] = { "autorequire ", "autobefore ", "autosubscribe ", "autonotify " };
    const char *subject = NULL;

    for (unsigned i = 0; text && i < 4; i++)
        if (strncmp(text, kinds[i], strlen(kinds[i])) == 0) {
            r->kind = (enum rh_relation_kind)i;
            subject = text + strlen(kinds[i]);
        }
    if (rh_auto_subject_read(a, t, subject, text, r, err) < 0)
        return -1;
    return names_parts(r->title) ? read_parts(a, t, text, r, err) : 0;
}

int
rh_auto_subject_read(struct rh_arena *a, const struct rh_type *t, const char *type, const char *text,
                     struct rh_auto_relation *r, struct rh_error *err)
{
    const char *open = type ? strchr(type, '[') : NULL;
    size_t n = type ? strlen(type) : 0;
    struct pieces pieces = { 0 };

    if (!open || type == open || type[n - 1] != ']' || open + 2 > type + n - 1)
        return rh_error_set(err, RH_EINPUT, "invalid relation '%s': expected 'autorequire type[title]'",
                            text ? text : "");
    r->type = rh_arena_strndup(a, type, (size_t)(open - type));
    r->title = rh_arena_strndup(a, open + 1, (size_t)(type + n - 1 - (open + 1)));
    if (!rh_is_type_name(r->type))
        return rh_error_set(err, RH_EINPUT, "invalid type in the relation '%s'", text);
    n = strlen(r->title);
    r->above = strchr(r->title, '$') && n > 3 && strcmp(r->title + n - 3, "/..") == 0;
    if (r->above)
        r->title = rh_arena_strndup(a, r->title, n - 3);
    if (read_pieces(a, t, text, r->title, &pieces, err) < 0)
        return -1;
    r->pieces = pieces.at;
    r->n_pieces = pieces.n;
    if (r->title[0] == '$' && !r->pieces[0].attr)
        return rh_error_set(err, RH_EINPUT, "unknown attribute in the relation '%s'%s%s%s", text, "", "", "");
    return 0;
}

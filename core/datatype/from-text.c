/* SPDX-License-Identifier: Apache-2.0 */
/* from-text - values that arrive as text, as from a command line, read by their type. */
#include "config.h"

#include "datatype/datatype.h"

#include "datatype/match.h"
#include "datatype/print.h"

#include "base/arena.h"
#include "base/error.h"
#include "base/message-code.h"
#include "base/text.h"
#include "base/value.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum outcome { FITS, MISFITS, AMBIGUOUS, TOO_LARGE };

struct reading {
    struct rh_arena *arena;
    const struct rh_datatype *ambiguous; /* the Variant of which several members fit */
    const struct rh_value *text;         /* what it was about */
};

static enum outcome read_value(struct reading *r, const struct rh_datatype *t, const struct rh_value *v,
                               const struct rh_value **out);

static struct rh_value *
same_marks(struct rh_value *made, const struct rh_value *from)
{
    made->marks |= from->marks & RH_SENSITIVE;
    rh_value_set_place(made, rh_value_place(from));
    return made;
}

static bool
all_of(const char *s, const char *digits)
{
    return *s && !s[strspn(s, digits)];
}

/* Hexadecimal behind 0x, octal behind 0, else decimal. */
static bool
is_whole(const char *s, int *base)
{
    if (s[0] == '0' && (s[1] | 0x20) == 'x') {
        *base = 16;
        return all_of(s + 2, "0123456789abcdefABCDEF");
    }
    *base = s[0] == '0' ? 8 : 10;
    return all_of(s, s[0] == '0' ? "01234567" : "0123456789");
}

/* Digits, a point with more of them, an exponent without '+'; at least one of the latter two. */
static bool
is_real(const char *s)
{
    static const char digits[] = "0123456789";
    size_t n = strspn(s, digits);
    bool real = false;

    if (!n)
        return false;
    s += n;
    if (*s == '.') {
        n = strspn(++s, digits);
        if (!n)
            return false;
        s += n;
        real = true;
    }
    if ((*s | 0x20) == 'e') {
        s += s[1] == '-' ? 2 : 1;
        n = strspn(s, digits);
        if (!n)
            return false;
        s += n;
        real = true;
    }
    return real && !*s;
}

/* The number in plain words: without the blanks around it and behind its sign. false when it has a
 * NUL byte. */
static bool
strip(const struct rh_value *v, struct rh_buf *number)
{
    const char *s = v->u.string + strspn(v->u.string, " \t");

    if (strlen(v->u.string) != v->count)
        return false;
    if (*s == '-')
        rh_buf_addc(number, '-');
    if (*s == '-' || *s == '+')
        s++;
    rh_buf_add(number, s + strspn(s, " \t"));
    while (number->n && strchr(" \t", number->s[number->n - 1]))
        rh_buf_truncate(number, number->n - 1);
    return number->n > 0;
}

static enum outcome
read_number(struct reading *r, const struct rh_datatype *t, const struct rh_value *v,
            const struct rh_value **out)
{
    rh_autobuf struct rh_buf number = { 0 };
    const char *digits;
    int base;

    if (!strip(v, &number))
        return MISFITS;
    digits = number.s + (*number.s == '-');
    errno = 0;
    if (is_whole(digits, &base)) {
        long long n = strtoll(number.s, NULL, base);

        if (errno != ERANGE)
            *out = same_marks(rh_value_integer(r->arena, n), v);
    } else if (is_real(digits)) {
        double d = strtod(number.s, NULL);

        errno = isfinite(d) ? 0 : ERANGE;
        if (errno != ERANGE)
            *out = same_marks(rh_value_float(r->arena, d), v);
    } else {
        return MISFITS;
    }
    if (errno == ERANGE) {
        r->text = v;
        return TOO_LARGE;
    }
    return rh_match(t, *out, false) ? FITS : MISFITS;
}

static enum outcome
read_boolean(struct reading *r, const struct rh_datatype *t, const struct rh_value *v,
             const struct rh_value **out)
{
    bool yes = v->count == 4 && memcmp(v->u.string, "true", 4) == 0;

    if (!yes && !(v->count == 5 && memcmp(v->u.string, "false", 5) == 0))
        return MISFITS;
    *out = same_marks(rh_value_boolean(r->arena, yes), v);
    return rh_match(t, *out, false) ? FITS : MISFITS;
}

static enum outcome
read_elements(struct reading *r, const struct rh_datatype *t, const struct rh_value *v,
              const struct rh_value **out)
{
    struct rh_value *list = same_marks(rh_value_new(r->arena, RH_ARRAY), v);

    for (size_t i = 0; i < v->count; i++) {
        const struct rh_value *item = v->u.items[i];
        const struct rh_datatype *e = t->u.inner[0];
        enum outcome o;

        if (t->kind == RH_T_TUPLE)
            e = t->count ? t->u.members[i < t->count ? i : t->count - 1] : NULL;
        o = e ? read_value(r, e, item, &item) : FITS;
        if (o != FITS)
            return o;
        rh_value_append(list, item);
    }
    *out = list;
    return rh_match(t, list, false) ? FITS : MISFITS;
}

static enum outcome
read_entries(struct reading *r, const struct rh_datatype *t, const struct rh_value *v,
             const struct rh_value **out)
{
    struct rh_value *hash = same_marks(rh_value_new(r->arena, RH_HASH), v);

    for (size_t i = 0; i < v->count; i++) {
        const struct rh_entry *entry = &v->u.entries[i];
        const struct rh_value *item = entry->value;
        const struct rh_datatype *e = t->kind == RH_T_HASH ? t->u.inner[1] : NULL;
        enum outcome o;

        for (size_t k = 0; t->kind == RH_T_STRUCT && k < t->count; k++)
            if (strcmp(t->u.keys[k].key.s, entry->key) == 0)
                e = t->u.keys[k].type;
        o = e ? read_value(r, e, item, &item) : FITS;
        if (o != FITS)
            return o;
        rh_value_put_ref(hash, entry->key, item);
    }
    *out = hash;
    return rh_match(t, hash, false) ? FITS : MISFITS;
}

/* Strings last, since any text would be one: a member that takes the text as it is counts only
 * when none makes something of it. */
static enum outcome
read_variant(struct reading *r, const struct rh_datatype *t, const struct rh_value *v,
             const struct rh_value **out)
{
    const struct rh_value *found = NULL, *made;
    const struct rh_datatype *string = NULL;
    enum outcome worst = MISFITS;

    for (size_t i = 0; i < t->count; i++) {
        enum outcome o;

        if (rh_type_resolved(t->u.members[i]) && !string
            && rh_type_resolved(t->u.members[i])->kind == RH_T_STRING) {
            string = t->u.members[i];
            continue;
        }
        o = read_value(r, t->u.members[i], v, &made);
        if (o == AMBIGUOUS || (o == TOO_LARGE && worst == MISFITS))
            worst = o;
        if (o != FITS)
            continue;
        if (found && !(found->kind == made->kind && rh_value_equal(found, made))) {
            r->ambiguous = t;
            r->text = v;
            return AMBIGUOUS;
        }
        found = made;
    }
    if (!found && string)
        return read_value(r, string, v, out);
    if (!found)
        return worst;
    *out = found;
    return FITS;
}

static enum outcome
read_sensitive(struct reading *r, const struct rh_datatype *t, const struct rh_value *v,
               const struct rh_value **out)
{
    const struct rh_value *made = v;
    enum outcome o = t->u.inner[0] ? read_value(r, t->u.inner[0], v, &made) : FITS;

    if (o != FITS)
        return o;
    *out = made->kind == RH_WRAPPED ? made : rh_value_marked(r->arena, made, RH_SENSITIVE);
    return FITS;
}

static enum outcome
read_value(struct reading *r, const struct rh_datatype *t, const struct rh_value *v,
           const struct rh_value **out)
{
    *out = v;
    switch (t->kind) {
    case RH_T_ALIAS:
        return t->u.alias->target ? read_value(r, t->u.alias->target, v, out) : MISFITS;
    case RH_T_OPTIONAL:
        if (v->kind != RH_UNDEF && t->u.inner[0])
            return read_value(r, t->u.inner[0], v, out);
        break;
    case RH_T_NOT_UNDEF:
        if (v->kind != RH_UNDEF && t->u.inner[0])
            return read_value(r, t->u.inner[0], v, out);
        break;
    case RH_T_SENSITIVE:
        return read_sensitive(r, t, v, out);
    case RH_T_VARIANT:
        return read_variant(r, t, v, out);
    case RH_T_BOOLEAN:
        if (v->kind == RH_STRING)
            return read_boolean(r, t, v, out);
        break;
    case RH_T_INTEGER:
    case RH_T_FLOAT:
    case RH_T_NUMERIC:
        if (v->kind == RH_STRING)
            return read_number(r, t, v, out);
        break;
    case RH_T_ARRAY:
    case RH_T_TUPLE:
        if (v->kind == RH_ARRAY)
            return read_elements(r, t, v, out);
        break;
    case RH_T_HASH:
    case RH_T_STRUCT:
        if (v->kind == RH_HASH)
            return read_entries(r, t, v, out);
        break;
    default:
        break;
    }
    return rh_match(t, v, false) ? FITS : MISFITS;
}

static void
complain(const struct reading *r, enum outcome o, const struct rh_datatype *t, const char *subject,
         const struct rh_value *v, struct rh_error *err)
{
    rh_autobuf struct rh_buf b = { 0 };
    const char *wording = RH_DOES_NOT_FIT;
    struct rh_value quoted;

    if (o == MISFITS) {
        /* Text is never undef, so that it may be undef doesn't help. */
        if (t->kind == RH_T_OPTIONAL && t->u.inner[0] && v->kind != RH_UNDEF)
            t = t->u.inner[0];
        rh_datatype_explain(t, subject, v, &b);
    } else {
        quoted = *r->text;
        if (rh_datatype_sensitive(t))
            quoted.marks |= RH_SENSITIVE;
        rh_buf_add_safe(&b, subject, strlen(subject), false);
        if (*subject)
            rh_buf_addc(&b, ' ');
        rh_value_show(&b, &quoted, 80);
        if (o == AMBIGUOUS) {
            wording = RH_WORDING("%s is not unambiguously convertible to %s");
            rh_buf_add(&b, " is not unambiguously convertible to ");
            rh_print_expanded(&b, r->ambiguous);
        } else {
            wording = RH_WORDING("%s is too large for a number");
            rh_buf_add(&b, " is too large for a number");
        }
    }
    rh_error_set_code(err, RH_EINPUT, rh_message_code(wording), "%s", rh_buf_text(&b));
}

const struct rh_value *
rh_datatype_read(struct rh_arena *a, const struct rh_datatype *t, const char *subject,
                 const struct rh_value *v, struct rh_error *err)
{
    struct reading r = { .arena = a };
    const struct rh_value *made = NULL;
    enum outcome o;

    rh_match_reset();
    o = read_value(&r, t, v, &made);
    rh_match_reset();
    if (o == FITS)
        return made;
    complain(&r, o, t, subject, made && o == MISFITS ? made : v, err);
    return NULL;
}

const struct rh_value *
rh_datatype_from_text(struct rh_arena *a, const struct rh_datatype *t, const char *subject, const char *text,
                      struct rh_error *err)
{
    struct rh_value *v = rh_value_string(a, text);

    if (rh_datatype_sensitive(t))
        v->marks |= RH_SENSITIVE;
    return rh_datatype_read(a, t, subject, v, err);
}

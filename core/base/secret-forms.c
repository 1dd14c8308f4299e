/* SPDX-License-Identifier: Apache-2.0 */
/* secret-forms - what a secret looks like after somebody has quoted or encoded it. */
#include "config.h"

#include "base/secret-forms.h"

#include "base/text.h"
#include "base/value-json.h"

#include <stdbool.h>
#include <string.h>

typedef void each_fn(void *data, const char *s, size_t n);

struct forms {
    const char *s;
    size_t n;
    each_fn *each;
    void *data;
    struct rh_buf b; /* the form that is being made */
};

/* Gives what is in the buffer, and empties it. No form is shorter than RH_SECRET_LEAST, as the secret is not.
 */
static void
give(struct forms *f)
{
    if (f->b.n != f->n || memcmp(f->b.s, f->s, f->n) != 0)
        f->each(f->data, f->b.s, f->b.n);
    rh_buf_truncate(&f->b, 0);
}

static bool
is_unreserved(unsigned char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9')
           || (c && strchr("-._~", c));
}

/* As our own messages and JSON have it, without the quotes around it. */
static void
escaped(struct forms *f)
{
    rh_buf_add_safe(&f->b, f->s, f->n, false);
    give(f);
    rh_buf_add_safe(&f->b, f->s, f->n, true);
    give(f);
    rh_json_string(&f->b, f->s, f->n);
    memmove(f->b.s, f->b.s + 1, f->b.n - 1);
    rh_buf_truncate(&f->b, f->b.n - 2);
    give(f);
}

/* Each of these characters with something before it. */
static void
prefixed(struct forms *f, const char *which, const char *prefix)
{
    for (size_t i = 0; i < f->n; i++) {
        if (f->s[i] && strchr(which, f->s[i]))
            rh_buf_add(&f->b, prefix);
        rh_buf_addc(&f->b, f->s[i]);
    }
    give(f);
}

static void
shell_quoted(struct forms *f)
{
    prefixed(f, "'", "'\\'");                          /* 'it'\''s' */
    prefixed(f, "\"\\$`", "\\");                       /* "it\"s" */
    prefixed(f, "'\\", "\\");                          /* $'it\'s' */
    prefixed(f, " \t\"\\$`'!#&()*;<>?[]^{|}~,", "\\"); /* it\'s */
}

static void
percent_encoded(struct forms *f, bool upper, const char *kept, bool plus)
{
    for (size_t i = 0; i < f->n; i++) {
        unsigned char c = (unsigned char)f->s[i];

        if (is_unreserved(c) || (c && strchr(kept, c)))
            rh_buf_addc(&f->b, (char)c);
        else if (c == ' ' && plus)
            rh_buf_addc(&f->b, '+');
        else
            rh_buf_addf(&f->b, upper ? "%%%02X" : "%%%02x", c);
    }
    give(f);
}

/* Where the text begins at byte `skip` of a group of three, only what it alone decides is given. */
static void
base64(struct forms *f, size_t skip, bool url)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
    const char *last = url ? "-_" : "+/";
    size_t bits = (skip + f->n) * 8;

    for (size_t at = skip ? (skip * 8 + 5) / 6 * 6 : 0; at + 6 <= bits; at += 6) {
        unsigned v = 0;

        for (size_t k = at; k < at + 6; k++) {
            unsigned char c = (unsigned char)f->s[k / 8 - skip];

            v = v << 1 | (c >> (7 - k % 8) & 1U);
        }
        rh_buf_addc(&f->b, v < 62 ? digits[v] : last[v - 62]);
    }
    give(f);
}

static void
hexadecimal(struct forms *f, bool upper)
{
    for (size_t i = 0; i < f->n; i++)
        rh_buf_addf(&f->b, upper ? "%02X" : "%02x", (unsigned char)f->s[i]);
    give(f);
}

/* The value of NAME=value, as an environment has it. */
static void
assigned(const char *s, size_t n, each_fn *each, void *data)
{
    size_t i = 0;

    while (i < n && (is_unreserved((unsigned char)s[i]) && !strchr("-.~", s[i])))
        i++;
    if (i && i + 1 < n && s[i] == '=' && n - i - 1 >= RH_SECRET_LEAST)
        each(data, s + i + 1, n - i - 1);
}

static bool
is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

void
rh_secret_lines(const char *s, size_t n, each_fn *each, void *data)
{
    if (n >= RH_SECRET_LEAST)
        each(data, s, n);
    for (size_t from = 0; from < n;) {
        const char *end = memchr(s + from, '\n', n - from);
        size_t next = end ? (size_t)(end - s) + 1 : n, to = next;

        while (from < to && is_blank(s[from]))
            from++;
        while (to > from && is_blank(s[to - 1]))
            to--;
        if (to - from < n && to - from >= (end && next < n ? RH_SECRET_LINE : RH_SECRET_LEAST))
            each(data, s + from, to - from);
        from = next;
    }
}

/* What is given of a line, beside it as it is. */
static void
forms_of_line(void *data, const char *s, size_t n)
{
    struct forms *whole = data;
    struct forms line = { .s = s, .n = n, .each = whole->each, .data = whole->data };

    whole->each(whole->data, s, n);
    if (n < whole->n) {
        escaped(&line);
        assigned(s, n, line.each, line.data);
    }
    rh_buf_clear(&line.b);
}

void
rh_secret_forms(const char *s, size_t n, each_fn *each, void *data)
{
    struct forms f = { .s = s, .n = n, .each = each, .data = data };

    if (n < RH_SECRET_LEAST)
        return;
    rh_secret_lines(s, n, forms_of_line, &f);
    assigned(s, n, each, data);
    escaped(&f);
    shell_quoted(&f);
    for (int i = 0; i < 2; i++) {
        percent_encoded(&f, i, "", false);
        percent_encoded(&f, i, "/", false);
        percent_encoded(&f, i, "*", true);
        hexadecimal(&f, i);
    }
    for (size_t skip = 0; skip < 3; skip++) {
        base64(&f, skip, false);
        base64(&f, skip, true);
    }
    rh_buf_clear(&f.b);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* complaint - what is wrong with what was read, all at once, each with its line and a caret. */
#include "config.h"

#include "base/complaint.h"

#include "base/alloc.h"
#include "base/error.h"
#include "base/guarded.h"
#include "base/message-code.h"
#include "base/text.h"
#include "base/value.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum { KEPT = 100 };

struct rh_complaint {
    struct rh_error what; /* its code is found already */
    size_t order;
    size_t more;   /* that are like it, and were not kept */
    bool elements; /* they are about other elements of a list */
};

size_t
rh_complaints_count(const struct rh_complaints *c)
{
    return c->n + c->dropped;
}

int
rh_complaints_agree(const struct rh_complaints *c, size_t before, int rc)
{
    if (RH_GUARDED && rc >= 0 && !c->aside && rh_complaints_count(c) != before)
        abort();
    return rc;
}

bool
rh_complaints_full(const struct rh_complaints *c)
{
    return c->n >= KEPT;
}

void
rh_complaints_take_first(struct rh_complaints *c, struct rh_error *err)
{
    if (c->n)
        rh_error_move(err, &c->v[0].what);
}

/* `c` has room. */
static struct rh_error *
add(struct rh_complaints *c, struct rh_place place, const char *hint, unsigned code, char *message)
{
    c->v = rh_xgrow(c->v, &c->cap, c->n, sizeof *c->v);
    c->v[c->n] = (struct rh_complaint){
        .what = { .kind = RH_EINPUT,
                  .message = message,
                  .hint = hint ? rh_xstrdup(hint) : NULL,
                  .code = code,
                  .place = place },
        .order = c->n,
    };
    return &c->v[c->n++].what;
}

static void __attribute__((format(printf, 5, 0)))
complain(struct rh_complaints *c, struct rh_place place, const char *hint, unsigned code, const char *fmt,
         va_list ap)
{
    char *message;

    if (c->n >= KEPT) {
        c->dropped++;
        return;
    }
    message = rh_vprintf(fmt, ap);
    (void)add(c, place, hint, rh_message_code_of(code, fmt, message), message);
}

void
rh_complain(struct rh_complaints *c, struct rh_place place, const char *hint, const char *fmt, ...)
{
    va_list ap;

    va_start(ap, fmt);
    complain(c, place, hint, 0, fmt, ap);
    va_end(ap);
}

void
rh_complain_code(struct rh_complaints *c, struct rh_place place, const char *hint, unsigned code,
                 const char *fmt, ...)
{
    va_list ap;

    va_start(ap, fmt);
    complain(c, place, hint, code, fmt, ap);
    va_end(ap);
}

void
rh_complain_error(struct rh_complaints *c, struct rh_place place, const char *hint,
                  const struct rh_error *err)
{
    const char *message = err->message ? err->message : "no reason given";
    struct rh_error *own;

    if (c->n >= KEPT) {
        c->dropped++;
        return;
    }
    own = add(c, err->place.line ? err->place : place, err->hint ? err->hint : hint, rh_error_code(err),
              rh_xstrdup(message));
    for (size_t i = 0; i < err->n_related; i++)
        rh_error_relate(own, err->related[i].place, err->related[i].what);
}

void
rh_complain_also(struct rh_complaints *c, struct rh_place place, const char *what)
{
    if (!c->dropped && c->n)
        rh_error_relate(&c->v[c->n - 1].what, place, what);
}

void
rh_complain_around(struct rh_complaints *c, size_t before, struct rh_place place, const char *what)
{
    for (size_t i = before; i < c->n; i++)
        rh_error_relate(&c->v[i].what, place, what);
}

bool
rh_complaints_place(const struct rh_complaints *c, size_t i, struct rh_place *place)
{
    if (i >= c->n)
        return false;
    *place = c->v[i].what.place;
    return true;
}

void
rh_complaints_relate(struct rh_complaints *c, size_t i, struct rh_place place, const char *what)
{
    if (i < c->n)
        rh_error_relate(&c->v[i].what, place, what);
}

/* Messages are alike when they differ in the title of the resource only: "file[/a].mode ...". */
static bool
same_message(const char *a, const char *b)
{
    size_t n = 0;
    const char *x, *y;

    while (a[n] && a[n] == b[n] && a[n] != '[')
        n++;
    if (a[n] != b[n] || !a[n])
        return a[n] == b[n];
    x = strchr(a + n, ']');
    y = strchr(b + n, ']');
    return x && y && n && a[n - 1] != ' ' ? strcmp(x, y) == 0 : strcmp(a, b) == 0;
}

/* `b` may know less of what is around it. */
static bool
alike(const struct rh_error *a, const struct rh_error *b)
{
    if (!a->place.line || !rh_place_same(a->place, b->place) || !same_message(a->message, b->message)
        || a->n_related < b->n_related)
        return false;
    for (size_t i = 0; i < b->n_related; i++)
        if (!rh_place_same(a->related[i].place, b->related[i].place)
            || strcmp(a->related[i].what, b->related[i].what) != 0)
            return false;
    return true;
}

/* Takes those from `from` on away of which there is one like them at `first` or behind it, but before
 * `from`, or before them where `from` is `first`. */
static void
fold(struct rh_complaints *c, size_t first, size_t from, bool elements)
{
    size_t kept = from;

    for (size_t i = from; i < c->n; i++) {
        size_t until = from == first ? kept : from, k = first;

        while (k < until && !alike(&c->v[k].what, &c->v[i].what))
            k++;
        if (k == until) {
            c->v[kept++] = c->v[i];
            continue;
        }
        c->v[k].more += 1 + c->v[i].more;
        c->v[k].elements = elements;
        rh_error_clear(&c->v[i].what);
    }
    if (c->n > kept)
        c->n = kept;
}

void
rh_complain_element(struct rh_complaints *c, size_t first, size_t before, struct rh_place place,
                    const char *what)
{
    if (first < before)
        fold(c, first, before, true);
    rh_complain_around(c, before, place, what);
}

void
rh_complaints_fold(struct rh_complaints *c, size_t first)
{
    fold(c, first, first, false);
}

static int
by_place(const void *a, const void *b)
{
    const struct rh_complaint *x = a, *y = b;
    struct rh_place p = x->what.place, q = y->what.place;

    if (p.file != q.file)
        return p.file < q.file ? -1 : 1;
    if (p.line != q.line)
        return p.line < q.line ? -1 : 1;
    return x->order < y->order ? -1 : x->order > y->order;
}

void
rh_complaints_print(struct rh_complaints *c, FILE *to, bool colour)
{
    if (c->n)
        qsort(c->v, c->n, sizeof *c->v, by_place);
    for (size_t i = 0; i < c->n; i++) {
        const struct rh_complaint *one = &c->v[i];

        rh_error_print(&one->what, c->sources, c->warn, to, colour);
        if (one->more && one->elements)
            (void)fprintf(to, "and for %zu more element%s\n", one->more, one->more == 1 ? "" : "s");
        else if (one->more)
            (void)fprintf(to, "and %zu more time%s\n", one->more, one->more == 1 ? "" : "s");
    }
    if (c->dropped)
        (void)fprintf(to, "and %zu more\n", c->dropped);
}

void
rh_complaints_to_value(struct rh_complaints *c, struct rh_value *array)
{
    struct rh_arena *a = rh_value_arena(array);

    if (c->n)
        qsort(c->v, c->n, sizeof *c->v, by_place);
    for (size_t i = 0; i < c->n; i++) {
        const struct rh_complaint *one = &c->v[i];
        struct rh_value *v = rh_error_to_value(&one->what, c->sources, a);

        if (one->more)
            rh_value_put(v, "more", rh_value_integer(a, (int64_t)one->more));
        rh_value_append(array, v);
    }
}

void
rh_complaints_clear(struct rh_complaints *c)
{
    for (size_t i = 0; i < c->n; i++)
        rh_error_clear(&c->v[i].what);
    free(c->v);
    *c = (struct rh_complaints){ .sources = c->sources, .warn = c->warn, .warnings = c->warnings };
}

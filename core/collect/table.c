/* SPDX-License-Identifier: Apache-2.0 */
/* table - what a query gives, for people and for programs. */
#include "config.h"

#include "collect/table.h"

#include "base/alloc.h"
#include "base/arena.h"
#include "base/text.h"
#include "base/value-json.h"

#include <stdlib.h>
#include <string.h>

enum { WIDEST = 60 /* characters of a column, but for the last */, LONGEST_ON_PAGE = 500 /* bytes */ };

static int
keep(void *data, size_t n, const char *const *names, const struct rh_store_cell *cells)
{
    struct rh_table *t = data;

    if (!cells) {
        t->n_columns = n;
        t->names = rh_arena_alloc(t->arena, (n + 1) * sizeof *t->names);
        for (size_t i = 0; i < n; i++)
            t->names[i] = rh_arena_strdup(t->arena, names[i]);
        return 0;
    }
    for (size_t i = 0; i < n; i++) {
        struct rh_store_cell *c;

        t->cells = rh_xgrow(t->cells, &t->cap, t->n * n + i, sizeof *t->cells);
        c = &t->cells[t->n * n + i];
        *c = cells[i];
        c->text = rh_arena_strndup(t->arena, cells[i].text, cells[i].n);
    }
    t->n++;
    return 0;
}

int
rh_table_query(struct rh_table *t, struct rh_store *s, const char *sql, struct rh_error *err)
{
    rh_table_clear(t);
    t->arena = rh_arena_new(NULL);
    return rh_store_query(s, sql, NULL, 0, keep, t, err);
}

const struct rh_store_cell *
rh_table_cell(const struct rh_table *t, size_t row, size_t column)
{
    return &t->cells[row * t->n_columns + column];
}

/* What is printed of a cell, in one line. */
static void
add_cell(struct rh_buf *b, const struct rh_store_cell *c)
{
    if (c->kind == RH_CELL_BOOLEAN)
        rh_buf_add(b, c->text[0] == 't' ? "yes" : "no");
    else if (c->kind == RH_CELL_NULL)
        rh_buf_addc(b, '-');
    else
        rh_buf_add_safe(b, c->text, c->n, false);
}

static void
pad(struct rh_buf *b, size_t n)
{
    while (n--)
        rh_buf_addc(b, ' ');
}

/* One line; `cells` NULL: the names of the columns. */
static void
add_line(struct rh_buf *b, const struct rh_table *t, const struct rh_store_cell *cells, const size_t *widths)
{
    for (size_t i = 0; i < t->n_columns; i++) {
        rh_autobuf struct rh_buf text = { 0 };
        bool right = cells && cells[i].kind == RH_CELL_NUMBER;
        size_t n, room;

        if (cells)
            add_cell(&text, &cells[i]);
        else
            rh_buf_add(&text, t->names[i]);
        n = rh_utf8_count(rh_buf_text(&text), text.n);
        room = n < widths[i] ? widths[i] - n : 0;
        pad(b, right ? room : 0);
        rh_buf_addn(b, rh_buf_text(&text), text.n);
        if (i + 1 < t->n_columns)
            pad(b, (right ? 0 : room) + 2);
    }
    rh_buf_addc(b, '\n');
}

void
rh_table_add_text(struct rh_buf *b, const struct rh_table *t)
{
    size_t *widths = rh_xalloc(rh_xmul(t->n_columns + 1, sizeof *widths));

    for (size_t i = 0; i < t->n_columns; i++)
        widths[i] = strlen(t->names[i]);
    for (size_t i = 0; i < t->n * t->n_columns; i++) {
        rh_autobuf struct rh_buf text = { 0 };
        size_t n, *width = &widths[i % t->n_columns];

        add_cell(&text, &t->cells[i]);
        n = rh_utf8_count(rh_buf_text(&text), text.n);
        if (n > *width)
            *width = n < WIDEST ? n : WIDEST;
    }
    add_line(b, t, NULL, widths);
    for (size_t i = 0; i < t->n; i++)
        add_line(b, t, &t->cells[i * t->n_columns], widths);
    free(widths);
}

static void
add_json_cell(struct rh_buf *b, const struct rh_store_cell *c)
{
    switch (c->kind) {
    case RH_CELL_NULL:
        rh_buf_add(b, "null");
        break;
    case RH_CELL_BOOLEAN:
        rh_buf_add(b, c->text[0] == 't' ? "true" : "false");
        break;
    case RH_CELL_NUMBER:
        rh_buf_addn(b, c->text, c->n);
        break;
    case RH_CELL_JSON: {
        rh_autoarena struct rh_arena *a = rh_arena_new(NULL);
        const struct rh_value *v = rh_value_from_json(a, c->text, c->n, NULL);

        if (v)
            rh_value_to_json(b, v, false);
        else
            rh_json_string(b, c->text, c->n);
        break;
    }
    case RH_CELL_TEXT:
        rh_json_string(b, c->text, c->n);
        break;
    }
}

void
rh_table_add_json(struct rh_buf *b, const struct rh_table *t)
{
    rh_buf_addc(b, '[');
    for (size_t i = 0; i < t->n; i++) {
        rh_buf_add(b, i ? ",\n " : "");
        rh_buf_addc(b, '{');
        for (size_t k = 0; k < t->n_columns; k++) {
            rh_buf_add(b, k ? ", " : "");
            rh_json_string(b, t->names[k], strlen(t->names[k]));
            rh_buf_add(b, ": ");
            add_json_cell(b, rh_table_cell(t, i, k));
        }
        rh_buf_addc(b, '}');
    }
    rh_buf_addc(b, ']');
}

/* A page shows the begin of a long text. */
static void
cut(struct rh_buf *text)
{
    size_t n = LONGEST_ON_PAGE;

    if (text->n <= n)
        return;
    while (n && ((unsigned char)text->s[n] & 0xc0) == 0x80)
        n--;
    rh_buf_truncate(text, n);
    rh_buf_add(text, "…");
}

void
rh_table_add_html(struct rh_buf *b, const struct rh_table *t)
{
    rh_buf_add(b, "<table><thead><tr>");
    for (size_t i = 0; i < t->n_columns; i++) {
        rh_buf_add(b, "<th>");
        rh_buf_add_markup(b, t->names[i], strlen(t->names[i]), false);
        rh_buf_add(b, "</th>");
    }
    rh_buf_add(b, "</tr></thead>\n<tbody>\n");
    for (size_t i = 0; i < t->n; i++) {
        rh_buf_add(b, "<tr>");
        for (size_t k = 0; k < t->n_columns; k++) {
            const struct rh_store_cell *c = rh_table_cell(t, i, k);
            rh_autobuf struct rh_buf text = { 0 };

            add_cell(&text, c);
            cut(&text);
            rh_buf_add(b, c->kind == RH_CELL_NUMBER ? "<td class=\"n\">" : "<td>");
            rh_buf_add_markup(b, rh_buf_text(&text), text.n, false);
            rh_buf_add(b, "</td>");
        }
        rh_buf_add(b, "</tr>\n");
    }
    rh_buf_add(b, "</tbody></table>\n");
}

void
rh_table_clear(struct rh_table *t)
{
    rh_arena_free(t->arena);
    free(t->cells);
    *t = (struct rh_table){ 0 };
}

/* SPDX-License-Identifier: Apache-2.0 */
/* explain - where an attribute's value came from, as text. */
#include "config.h"

#include "cli/explain.h"

#include "base/alloc.h"
#include "base/cleanup.h"
#include "base/text.h"
#include "base/value.h"
#include "node/path.h"

#include <string.h>

enum { NUMBER, PLACE, LEVEL, OPERATION, VALUE, EFFECT, COLUMNS };
enum { LONGEST_VALUE = 60 };

struct row {
    char *text[COLUMNS];
};

static void
add_path(struct rh_buf *b, const struct rh_value *path)
{
    struct rh_key keys[RH_PATH_DEEPEST];
    rh_autobuf struct rh_buf why = { 0 };
    struct rh_path p = { 0 };

    if (rh_path_of(path, keys, &p, &why) == 0)
        rh_path_show(b, p, p.n);
}

static char *
place_text(const struct rh_value *place)
{
    rh_autobuf struct rh_buf b = { 0 };
    const char *file = rh_value_get_str(place, "file", NULL);
    const struct rh_value *line = rh_value_get(place, "line"), *column = rh_value_get(place, "column");

    if (file)
        rh_buf_add_safe(&b, file, strlen(file), false);
    if (line)
        rh_buf_addf(&b, "%s%lld", file ? ":" : "line ", (long long)line->u.integer);
    if (line && column)
        rh_buf_addf(&b, ":%lld", (long long)column->u.integer);
    return rh_xstrdup(rh_buf_text(&b));
}

/* The operation, with its path when that is another one than what was asked for. */
static char *
operation_text(const struct rh_value *step, const struct rh_value *asked)
{
    rh_autobuf struct rh_buf b = { 0 };
    const struct rh_value *path = rh_value_get(step, "path");
    const char *op = rh_value_get_str(step, "op", "");

    rh_buf_add_safe(&b, op, strlen(op), false);
    if (rh_value_count(path) && !rh_value_equal(path, asked)) {
        rh_buf_addc(&b, ' ');
        add_path(&b, path);
    }
    return rh_xstrdup(rh_buf_text(&b));
}

static char *
value_text(const struct rh_value *step)
{
    rh_autobuf struct rh_buf b = { 0 };
    const struct rh_value *v = rh_value_get(step, "value");

    if (v)
        rh_value_show(&b, v, LONGEST_VALUE);
    return rh_xstrdup(rh_buf_text(&b));
}

static char *
effect_text(const struct rh_value *step)
{
    rh_autobuf struct rh_buf b = { 0 };
    const char *effect = rh_value_get_str(step, "effect", NULL);
    const struct rh_value *by = rh_value_get(step, "by"), *removes = rh_value_get(step, "removes");

    if (effect)
        rh_buf_add(&b, strcmp(effect, "part") == 0    ? "part of it"
                       : strcmp(effect, "hides") == 0 ? "hides what is below"
                                                      : effect);
    if (by)
        rh_buf_addf(&b, " by %lld", (long long)by->u.integer);
    for (size_t i = 0; i < rh_value_count(removes); i++)
        rh_buf_addf(&b, "%s%lld",
                    i        ? ", "
                    : effect ? "; removes "
                             : "removes ",
                    (long long)rh_value_at(removes, i)->u.integer);
    return rh_xstrdup(rh_buf_text(&b));
}

static void
add_row(struct rh_buf *b, const struct row *r, const size_t *widths)
{
    size_t owed = 0;

    for (int c = 0; c < COLUMNS; c++) {
        size_t n = rh_utf8_count(r->text[c], strlen(r->text[c]));

        if (!widths[c])
            continue;
        owed += 2;
        if (*r->text[c]) {
            rh_buf_addf(b, "%*s%s", (int)owed, "", r->text[c]);
            owed = 0;
        }
        owed += widths[c] - n;
    }
    rh_buf_addc(b, '\n');
}

static void
add_steps(struct rh_buf *b, const struct rh_value *steps, const struct rh_value *path)
{
    size_t n = rh_value_count(steps), widths[COLUMNS] = { 0 };
    rh_autofree struct row *rows = rh_xalloc(rh_xmul(n, sizeof *rows));

    for (size_t i = 0; i < n; i++) {
        const struct rh_value *step = rh_value_at(steps, i);

        rows[i].text[NUMBER] = rh_printf("%zu", i + 1);
        rows[i].text[PLACE] = place_text(rh_value_get(step, "location"));
        rows[i].text[LEVEL] = rh_xstrdup(rh_value_get_str(step, "level", ""));
        rows[i].text[OPERATION] = operation_text(step, path);
        rows[i].text[VALUE] = value_text(step);
        rows[i].text[EFFECT] = effect_text(step);
        for (int c = 0; c < COLUMNS; c++) {
            size_t width = rh_utf8_count(rows[i].text[c], strlen(rows[i].text[c]));

            if (width > widths[c])
                widths[c] = width;
        }
    }
    for (size_t i = 0; i < n; i++) {
        add_row(b, &rows[i], widths);
        for (int c = 0; c < COLUMNS; c++)
            free(rows[i].text[c]);
    }
}

/* Which data files there might have been. */
static void
add_data_files(struct rh_buf *b, const struct rh_value *files)
{
    size_t widest = 0;

    if (rh_value_count(files))
        rh_buf_add(b, "data files, the most specific first:\n");
    for (size_t i = 0; i < rh_value_count(files); i++) {
        const char *name = rh_value_get_str(rh_value_at(files, i), "file", "");
        size_t width = rh_utf8_count(name, strlen(name));

        widest = width > widest ? width : widest;
    }
    for (size_t i = 0; i < rh_value_count(files); i++) {
        const struct rh_value *file = rh_value_at(files, i), *found = rh_value_get(file, "found");
        const char *name = rh_value_get_str(file, "file", "");

        rh_buf_add(b, "  ");
        rh_buf_add_safe(b, name, strlen(name), false);
        rh_buf_addf(b, "%*s  %s\n", (int)(widest - rh_utf8_count(name, strlen(name))), "",
                    found && found->u.integer ? "read" : "not found");
    }
}

void
rh_explanation_show(struct rh_buf *b, const struct rh_value *explanation)
{
    const struct rh_value *path = rh_value_get(explanation, "path");
    const struct rh_value *value = rh_value_get(explanation, "value");
    const struct rh_value *steps = rh_value_get(explanation, "steps");

    if (rh_value_count(path))
        add_path(b, path);
    else
        rh_buf_add(b, "(everything)");
    if (value) {
        rh_buf_add(b, " = ");
        rh_value_show(b, value, 0);
    } else {
        rh_buf_add(b, rh_value_count(steps) ? " is not there" : " was never set");
    }
    rh_buf_addc(b, '\n');
    add_steps(b, steps, path);
    add_data_files(b, rh_value_get(explanation, "data_files"));
}

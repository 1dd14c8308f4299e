/* SPDX-License-Identifier: Apache-2.0 */
/* page-bars - the pictures of a fleet: bars, which are as long as what they count. */
#include "config.h"

#include "collect/page.h"

#include "base/text.h"
#include "collect/table.h"

#include <stdlib.h>
#include <string.h>

static const char *
class_of(const char *state)
{
    return strcmp(state, "ok") == 0             ? "s-ok"
           : strcmp(state, "changed") == 0      ? "s-changed"
           : strcmp(state, "would_change") == 0 ? "s-would"
           : strcmp(state, "silent") == 0       ? "s-silent"
                                                : "s-failed";
}

static long
number_at(const struct rh_table *t, size_t row, size_t column)
{
    const char *text = rh_table_cell(t, row, column)->text;

    return text ? strtol(text, NULL, 10) : 0;
}

static void
add_part(struct rh_buf *b, const char *class, long n)
{
    if (n > 0)
        rh_buf_addf(b, "<span class=\"%s\" style=\"flex: %ld\"></span>", class, n);
}

static int
add_states(struct rh_store *s, struct rh_buf *b, struct rh_error *err)
{
    rh_autotable struct rh_table t = { 0 };

    if (rh_table_query(&t, s, "SELECT state, count(*) FROM fleet_status GROUP BY state ORDER BY 2 DESC, 1",
                       err)
        < 0)
        return -1;
    rh_buf_add(b, "<div class=\"bar\">");
    for (size_t i = 0; i < t.n; i++)
        add_part(b, class_of(rh_table_cell(&t, i, 0)->text), number_at(&t, i, 1));
    rh_buf_add(b, "</div>\n<p class=\"key\">");
    for (size_t i = 0; i < t.n; i++) {
        const struct rh_store_cell *state = rh_table_cell(&t, i, 0);

        rh_buf_addf(b, "<span><b class=\"%s\"></b>%ld ", class_of(state->text), number_at(&t, i, 1));
        rh_buf_add_markup(b, state->text, state->n, false);
        rh_buf_add(b, "</span>");
    }
    rh_buf_add(b, "</p>\n");
    return 0;
}

/* A picture whose query gives, for each row, a label, a text, and how much its bar has of each class. */
struct picture {
    const char *title, *query;
    const char *classes[3];
};

static void
add_row(struct rh_buf *b, const struct picture *p, const struct rh_table *t, size_t row, long most)
{
    const struct rh_store_cell *label = rh_table_cell(t, row, 0), *text = rh_table_cell(t, row, 1);

    rh_buf_add(b, "<div class=\"row\"><span>");
    if (label->text)
        rh_buf_add_markup(b, label->text, label->n, false);
    rh_buf_add(b, "</span><div class=\"bar\">");
    for (size_t i = 0; i < t->n_columns - 2; i++) {
        add_part(b, p->classes[i], number_at(t, row, i + 2));
        most -= number_at(t, row, i + 2);
    }
    add_part(b, "s-none", most);
    rh_buf_add(b, "</div><span>");
    rh_buf_add_markup(b, text->text, text->n, false);
    rh_buf_add(b, "</span></div>\n");
}

static int
add_picture(const struct picture *p, struct rh_store *s, struct rh_buf *b, struct rh_error *err)
{
    rh_autotable struct rh_table t = { 0 };
    long most = 0;

    if (rh_table_query(&t, s, p->query, err) < 0)
        return -1;
    for (size_t i = 0; i < t.n; i++) {
        long n = 0;

        for (size_t k = 2; k < t.n_columns; k++)
            n += number_at(&t, i, k);
        most = n > most ? n : most;
    }
    if (t.n)
        rh_buf_addf(b, "<h2>%s</h2>\n", p->title);
    for (size_t i = 0; i < t.n; i++)
        add_row(b, p, &t, i, most);
    return 0;
}

int
rh_page_add_pictures(struct rh_store *s, struct rh_buf *b, struct rh_error *err)
{
    static const struct picture pictures[] = {
        { "Rollout",
          "SELECT revision, CAST(hosts AS text) || CASE WHEN hosts = 1 THEN ' host' ELSE ' hosts' END"
          " || CASE WHEN failed > 0 THEN ', ' || CAST(failed AS text) || ' failed' ELSE '' END"
          " || CASE WHEN silent > 0 THEN ', ' || CAST(silent AS text) || ' silent' ELSE '' END,"
          " hosts - failed - silent, failed, silent FROM fleet_revisions ORDER BY last_started DESC LIMIT 10",
          { "s-ok", "s-failed", "s-silent" } },
        { "Drift of each day",
          "SELECT day, CAST(count(DISTINCT host) AS text)"
          " || CASE WHEN count(DISTINCT host) = 1 THEN ' host, ' ELSE ' hosts, ' END"
          " || CAST(count(*) AS text) || CASE WHEN count(*) = 1 THEN ' resource' ELSE ' resources' END,"
          " count(*) FROM fleet_drift GROUP BY day ORDER BY day DESC LIMIT 14",
          { "s-changed" } },
    };

    if (add_states(s, b, err) < 0)
        return -1;
    for (size_t i = 0; i < sizeof pictures / sizeof pictures[0]; i++)
        if (add_picture(&pictures[i], s, b, err) < 0)
            return -1;
    return 0;
}

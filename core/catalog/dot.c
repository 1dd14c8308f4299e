/* SPDX-License-Identifier: Apache-2.0 */
/* dot - the action list and its relations as a graph. */
#include "config.h"

#include "catalog/export.h"

#include "base/alloc.h"
#include "base/cleanup.h"
#include "base/text.h"
#include "catalog/catalog.h"
#include "catalog/order.h"

#include <string.h>

/* Text inside of a quoted label, where '\' would start one of Graphviz's own escapes. */
static void
add_label(struct rh_buf *b, const char *s)
{
    rh_autofree char *safe = rh_safe_text(s);

    for (const char *p = safe; *p; p++) {
        if (*p == '"' || *p == '\\')
            rh_buf_addc(b, '\\');
        rh_buf_addc(b, *p);
    }
}

static void
add_ranks(struct rh_buf *b, const struct rh_catalog *c, const struct rh_resource *r, const uint32_t *ranks)
{
    for (uint32_t e = r->first_entry; e != RH_NO_ENTRY; e = c->list[e].next) {
        if (!ranks[e]) /* excluded */
            continue;
        rh_buf_addf(b, "\\n%u", ranks[e]);
        if (strcmp(c->list[e].action, "converge") != 0) {
            rh_buf_addc(b, ' ');
            add_label(b, c->list[e].action);
        }
    }
}

void
rh_catalog_to_dot(const struct rh_catalog *c, const struct rh_order *order, const bool *shown,
                  struct rh_buf *b)
{
    static const char *const words[] = { "require", "before", "subscribe", "notify" };
    rh_autofree uint32_t *ranks = rh_xalloc(rh_xmul(c->n_list, sizeof *ranks));

    for (size_t i = 0; i < (order ? order->n : c->n_list); i++)
        ranks[order ? order->entries[i] : i] = (uint32_t)i + 1;
    rh_buf_add(b, "digraph rhost {\n  rankdir=LR;\n  node [shape=box, fontname=\"sans-serif\"];\n"
                  "  edge [fontname=\"sans-serif\", fontsize=10];\n");
    for (size_t i = 0; i < c->n_resources; i++) {
        const struct rh_resource *r = c->resources[i];

        if (shown && !shown[i])
            continue;
        rh_buf_addf(b, "  n%zu [label=\"%s[", i, r->type->type);
        add_label(b, r->title);
        rh_buf_addc(b, ']');
        add_ranks(b, c, r, ranks);
        rh_buf_add(b, r->first_entry == RH_NO_ENTRY ? "\", style=dashed];\n" : "\"];\n");
    }
    for (size_t i = 0; i < c->n_edges; i++) {
        const struct rh_edge *e = &c->edges[i];

        if (e->yielded || (shown && !(shown[e->from] && shown[e->to])))
            continue;
        rh_buf_addf(b, "  n%u -> n%u [label=\"%s%s\"%s];\n", e->from, e->to, e->automatic ? "auto" : "",
                    words[e->kind], e->automatic ? ", style=dashed" : "");
    }
    rh_buf_add(b, "}\n");
}

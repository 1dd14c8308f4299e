/* SPDX-License-Identifier: Apache-2.0 */
/* layers - what several components have at one place, and what of it can be seen. */
#include "config.h"

#include "node/layers.h"

#include "node/cell.h"
#include "node/level.h"

void
rh_layers_begin(struct rh_layers_fold *f)
{
    f->all.n = f->part.n = 0;
    f->precedence = -1;
}

/* One precedence is complete: it goes onto those below. */
static void
flush(struct rh_layers_fold *f)
{
    if (!f->part.n)
        return;
    if (!f->all.n || f->all.v[0].cell->kind != RH_CELL_TABLE || f->part.v[0].cell->kind != RH_CELL_TABLE)
        f->all.n = 0;
    for (unsigned i = 0; i < f->part.n; i++)
        f->all.v[f->all.n++] = f->part.v[i];
    f->part.n = 0;
}

void
rh_layers_add(struct rh_layers_fold *f, struct rh_cell *c, enum rh_node_level level)
{
    int precedence = (int)rh_level_precedence(level);

    if (precedence != f->precedence)
        flush(f);
    f->precedence = precedence;
    if (f->part.n && (c->kind == RH_CELL_LEAF || f->part.v[0].cell->kind != c->kind))
        f->part.n = 0;
    f->part.v[f->part.n++] = (struct rh_layer){ c, level };
}

void
rh_layers_end(struct rh_layers_fold *f, struct rh_layers *out)
{
    flush(f);
    *out = f->all;
}

void
rh_layers_down(const struct rh_layers *in, struct rh_key key, struct rh_layers *out)
{
    struct rh_layers_fold f;

    rh_layers_begin(&f);
    for (unsigned i = 0; i < in->n; i++) {
        struct rh_cell *child = rh_cell_child(in->v[i].cell, key);

        if (child)
            rh_layers_add(&f, child, in->v[i].level);
    }
    rh_layers_end(&f, out);
}

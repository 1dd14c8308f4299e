/* SPDX-License-Identifier: Apache-2.0 */
/* template-file - files that templates or expressions read as templates, each once. */
#include "config.h"

#include "manifest/expression/template-file.h"

#include "base/alloc.h"
#include "base/arena.h"
#include "base/cleanup.h"
#include "base/source.h"
#include "manifest/load/load.h"

#include <string.h>

const struct rh_template *
rh_template_keep(struct rh_load *load, const char *name, unsigned from, char *text, size_t n)
{
    struct rh_template *t = rh_arena_alloc(load->catalog->arena, sizeof *t);

    t->file = rh_sources_take(load->catalog->sources, name, text, n);
    if (!t->file)
        return NULL;
    rh_roots_inherit(&load->roots, t->file, from);
    t->text = rh_sources_text(load->catalog->sources, t->file, &t->n);
    rh_map_put(&load->expressions.templates, rh_arena_strdup(load->catalog->arena, name), t);
    return t;
}

unsigned
rh_template_add(struct rh_load *load, const char *path, unsigned from, const char *text, size_t n)
{
    rh_autofree char *name = rh_roots_name(&load->roots, path, from, NULL);
    const struct rh_template *t = rh_map_get(&load->expressions.templates, name ? name : path);

    if (!t)
        t = rh_template_keep(load, name ? name : path, from, rh_xstrndup(text, n), n);
    return t ? t->file : from;
}

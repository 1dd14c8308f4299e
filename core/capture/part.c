/* SPDX-License-Identifier: Apache-2.0 */
/* part - what was found, by heading and type. */
#include "config.h"

#include "capture/parts.h"

#include "base/alloc.h"
#include "base/arena.h"
#include "base/value.h"

#include <stdarg.h>
#include <string.h>

/* In the order in which they stand under one heading. */
const char *const rh_capture_types[] = {
    "directory", "file", "link",  "apt_repository", "package",      "group",   "user", "ssh_authorized_key",
    "sysctl",    "host", "mount", "cron",           "systemd_unit", "service", NULL,
};

int
rh_capture_type(const char *type)
{
    for (int i = 0; rh_capture_types[i]; i++)
        if (strcmp(rh_capture_types[i], type) == 0)
            return i;
    return -1;
}

/* The part of this type under the heading, which is made where there is none. */
static struct rh_capture_part *
part_of(struct looking *l, const char *heading, const char *type)
{
    struct rh_capture *c = l->capture;
    size_t at = c->n_parts;

    for (size_t i = 0; i < c->n_parts; i++)
        if (strcmp(c->parts[i].heading, heading) == 0) {
            if (strcmp(c->parts[i].type, type) == 0)
                return &c->parts[i];
            at = i + 1; /* behind the last one under this heading */
            if (rh_capture_type(c->parts[i].type) > rh_capture_type(type)) {
                at = i;
                break;
            }
        }
    if (c->n_parts == RH_CAPTURE_PARTS)
        return &c->parts[c->n_parts - 1]; /* there are not that many headings */
    memmove(&c->parts[at + 1], &c->parts[at], (c->n_parts - at) * sizeof *c->parts);
    c->parts[at] = (struct rh_capture_part){ .heading = heading, .type = type };
    c->n_parts++;
    return &c->parts[at];
}

struct rh_captured *
rh_capture_add(struct looking *l, const char *heading, const char *type, struct rh_value *item)
{
    struct rh_capture_part *p;

    if (!l->options->wants(l->options->data, type))
        return NULL;
    p = part_of(l, heading, type);
    p->v = rh_xgrow(p->v, &p->cap, p->n, sizeof *p->v);
    p->v[p->n] = (struct rh_captured){ .item = item };
    return &p->v[p->n++];
}

void
rh_capture_note(struct looking *l, const char *heading, const char *type, const char *fmt, ...)
{
    struct rh_capture_part *p;
    rh_autofree char *text = NULL;
    va_list ap;

    if (!l->options->wants(l->options->data, type))
        return;
    va_start(ap, fmt);
    text = rh_vprintf(fmt, ap);
    va_end(ap);
    p = part_of(l, heading, type);
    p->notes = rh_xgrow(p->notes, &p->cap_notes, p->n_notes, sizeof *p->notes);
    p->notes[p->n_notes++] = rh_arena_strdup(l->arena, text);
}

struct rh_value *
rh_capture_list(struct looking *l, const char *type)
{
    struct rh_value *items = rh_value_new(l->arena, RH_ARRAY);

    if (l->options->wants(l->options->data, type)
        && l->options->read(l->options->data, type, NULL, items) < 0)
        l->failed = true;
    return items;
}

struct rh_value *
rh_capture_item(struct looking *l, const struct rh_value *item, const char *const *attributes)
{
    struct rh_value *copy = rh_value_new(l->arena, RH_HASH);

    for (; *attributes; attributes++) {
        const struct rh_value *v = rh_value_get(item, *attributes);

        if (v && v->kind != RH_UNDEF)
            rh_value_put(copy, *attributes, v);
    }
    return copy;
}

bool
rh_capture_is_true(const struct rh_value *item, const char *attribute)
{
    const struct rh_value *v = rh_value_get(item, attribute);

    return rh_value_is(v, RH_BOOLEAN) && v->u.integer;
}

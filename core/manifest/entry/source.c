/* SPDX-License-Identifier: Apache-2.0 */
/* source - a relative path in the attribute `source` stands for a file beside the file that says it, as the
 * name of a template does. The provider gets the absolute path. */
#include "config.h"

#include "manifest/entry/parts.h"

#include "base/arena.h"
#include "base/cleanup.h"
#include "base/complaint.h"
#include "base/error.h"
#include "base/value.h"
#include "datatype/datatype.h"
#include "manifest/load/load.h"
#include "schema/type.h"

#include <string.h>

/* Whether the type takes absolute paths only, so that a relative one can be nothing else. */
static bool
takes_absolute_paths(struct rh_load *load, const struct rh_datatype *type, const struct rh_value *relative)
{
    const char *absolute = rh_arena_printf(load->catalog->arena, "/%s", relative->u.string);

    return type && !rh_datatype_match(type, relative)
           && rh_datatype_match(type, rh_value_string(load->catalog->arena, absolute));
}

static int
refuse(struct rh_load *load, struct rh_value *v, const struct rh_error *err)
{
    if (rh_value_sensitive(v))
        rh_complain(load->complaints, rh_value_place(v), NULL,
                    "the file that 'source' names cannot be read, or is outside of the manifest's directory");
    else
        rh_complain_error(
            load->complaints, rh_value_place(v),
            strstr(err->message, "No such file") ? "the path is relative to the file that names it" : NULL,
            err);
    v->kind = RH_UNKNOWN;
    v->marks = RH_INVALID;
    return -1;
}

int
rh_entry_locate_source(struct rh_load *load, const struct rh_attr *attr, struct rh_value *v)
{
    rh_autoerror struct rh_error err = { 0 };
    rh_autofree char *path = NULL;
    struct rh_value *located;

    if (strcmp(attr->name, "source") != 0 || v->kind != RH_STRING || *v->u.string == '/' || !v->count
        || strlen(v->u.string) != v->count || !takes_absolute_paths(load, attr->type, v))
        return 0;
    path = rh_roots_locate(&load->roots, v->u.string, v->file, &err);
    if (!path)
        return refuse(load, v, &err);
    located = rh_value_string(load->catalog->arena, path);
    located->marks = v->marks;
    rh_value_set_place(located, rh_value_place(v));
    *v = *located;
    if (rh_value_sensitive(v))
        rh_load_hide(load, v);
    return 0;
}

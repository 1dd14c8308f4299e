/* SPDX-License-Identifier: Apache-2.0 */
/* course - what was done, or should be, in the order of it. */
#include "config.h"

#include "notify-model.h"

#include "runs.h"

#include <string.h>

void
course_init(struct course *c)
{
    *c = (struct course){ .order = json_object_new_array(), .updated = json_object_new_array() };
}

void
course_clear(struct course *c)
{
    json_object_put(c->order);
    json_object_put(c->updated);
}

void
course_add(struct course *c, const char *what, const char *via, const char *by, const char *result)
{
    struct json_object *e = json_object_new_array();

    json_object_array_add(e, json_object_new_string(what));
    json_object_array_add(e, json_object_new_string(via));
    json_object_array_add(e, json_object_new_string(by));
    json_object_array_add(e, json_object_new_string(result));
    json_object_array_add(c->order, e);
}

void
course_update(struct course *c, const char *key)
{
    if (!js_has_text(c->updated, key))
        json_object_array_add(c->updated, json_object_new_string(key));
}

static int
by_text(const void *a, const void *b)
{
    return strcmp(json_object_get_string(*(struct json_object *const *)a),
                  json_object_get_string(*(struct json_object *const *)b));
}

void
course_sort(struct course *c)
{
    json_object_array_sort(c->updated, by_text);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* ruby - classes and values as Ruby has them, in vectors. */
#include "config.h"

#include "ruby.h"

#include "runs.h"

#include "base/alloc.h"

#include <stdlib.h>
#include <string.h>

static bool
is_of_class(struct json_object *v, const char *name)
{
    static const struct {
        const char *name;
        enum json_type type;
    } classes[] = {
        { "String", json_type_string },      { "Symbol", json_type_string },
        { "Integer", json_type_int },        { "Float", json_type_double },
        { "Array", json_type_array },        { "Hash", json_type_object },
        { "TrueClass", json_type_boolean },  { "FalseClass", json_type_boolean },
        { "true", json_type_boolean },       { "false", json_type_boolean },
        { "NilClass", json_type_null },      { "nil", json_type_null },
    };

    for (size_t i = 0; name && i < sizeof classes / sizeof classes[0]; i++)
        if (strcmp(name, classes[i].name) == 0)
            return json_object_is_type(v, classes[i].type);
    return true;
}

bool
ruby_fits(struct json_object *prop, struct json_object *v)
{
    struct json_object *type = js(prop, "type"), *among = js(prop, "equal_to");
    bool any = !js_count(among);

    for (size_t i = 0; i < js_count(among); i++)
        any |= js_equal(v, js_at(among, i));
    if (!any)
        return false;
    if (!json_object_is_type(type, json_type_array))
        return is_of_class(v, json_object_get_string(type));
    for (size_t i = 0; i < js_count(type); i++)
        if (is_of_class(v, json_object_get_string(js_at(type, i))))
            return true;
    return false;
}

size_t
ruby_read(const char *text, struct json_object **v)
{
    char *json = rh_xalloc(2 * strlen(text) + 8), *to = json;
    struct json_tokener *reader = json_tokener_new();
    const char *from = text;
    size_t used = 0;
    int depth = 0;

    *v = NULL;
    for (bool over = false; *from && !over;) {
        if (*from == '"') {
            *to++ = *from++;
            while (*from && *from != '"') {
                if (*from == '\\' && from[1])
                    *to++ = *from++;
                *to++ = *from++;
            }
            if (*from)
                *to++ = *from++;
        } else if (strncmp(from, "=>", 2) == 0) {
            *to++ = ':';
            from += 2;
        } else if (strncmp(from, "nil", 3) == 0) {
            memcpy(to, "null", 4);
            to += 4;
            from += 3;
        } else if (*from == ':') {
            size_t n = strspn(from + 1, "abcdefghijklmnopqrstuvwxyz_ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789");

            *to++ = '"';
            memcpy(to, from + 1, n);
            to += n;
            *to++ = '"';
            from += n + 1;
        } else {
            depth += *from == '[' || *from == '{';
            depth -= *from == ']' || *from == '}';
            *to++ = *from++;
        }
        over = depth == 0 && (!*from || *from == ' ' || *from == ')');
    }
    used = (size_t)(from - text);
    *to = '\0';
    *v = json_tokener_parse_ex(reader, json, (int)(to - json) + 1);
    json_tokener_free(reader);
    free(json);
    return used;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* title - from a resource's title to the attributes that make its name. */
#include "config.h"

#include "schema/type.h"

#include "base/arena.h"
#include "base/error.h"
#include "base/value.h"
#include "datatype/regex.h"

#include <string.h>

struct rh_title_pattern {
    const char *text;
    const struct rh_regex *regex;
};

int
rh_title_patterns_read(struct rh_arena *a, struct rh_type *t, const struct rh_value *patterns,
                       struct rh_error *err)
{
    size_t n = rh_value_count(patterns);

    t->patterns = rh_arena_alloc(a, n * sizeof *t->patterns);
    for (size_t i = 0; i < n; i++) {
        struct rh_title_pattern *p = &t->patterns[i];
        size_t groups;

        p->text = rh_value_str(rh_value_at(patterns, i), NULL);
        if (!p->text)
            return rh_error_set(err, RH_EINPUT, "title pattern %zu must be a string", i + 1);
        p->regex = rh_regex_new(a, p->text, strlen(p->text), err);
        if (!p->regex)
            return rh_error_prefix(err, "title pattern /%s/", p->text);
        groups = rh_regex_groups(p->regex);
        if (!groups)
            return rh_error_set(err, RH_EINPUT, "title pattern /%s/ must contain a named group", p->text);
        for (size_t g = 0; g < groups; g++) {
            const char *group = rh_regex_group_name(p->regex, g);
            const struct rh_attr *attr = rh_type_attr(t, group);

            if (!attr || !(attr->behaviour & RH_NAMEVAR))
                return rh_error_set(err, RH_EINPUT, "title pattern /%s/: the group '%s' is not a namevar",
                                    p->text, group);
        }
        t->n_patterns++;
    }
    return 0;
}

int
rh_title_parse(const struct rh_type *t, const char *title, struct rh_value *name, struct rh_error *err)
{
    struct rh_arena *a = rh_value_arena(name);

    if (!t->n_patterns && t->n_namevars > 1)
        return 0;
    if (!t->n_patterns) {
        rh_value_put_ref(name, t->namevars[0]->name, rh_value_string_ref(a, title, strlen(title)));
        return 1;
    }
    for (size_t i = 0; i < t->n_patterns; i++) {
        const struct rh_regex *regex = t->patterns[i].regex;

        enum rh_regex_result found = rh_regex_match(regex, title, strlen(title));

        if (found == RH_REGEX_LIMIT)
            return rh_error_set(
                err, RH_EINPUT,
                "cannot match the title against /%s/, a title pattern of '%s': too many steps",
                t->patterns[i].text, t->type);
        if (found == RH_REGEX_NO)
            continue;
        for (size_t g = 0; g < rh_regex_groups(regex); g++) {
            const struct rh_attr *attr = rh_type_attr(t, rh_regex_group_name(regex, g));
            const char *at;
            size_t len;

            if (attr && rh_regex_group(regex, title, g, &at, &len))
                rh_value_put_ref(name, attr->name, rh_value_stringn(a, at, len));
        }
        return 1;
    }
    return 0;
}

const char *
rh_title_pattern_text(const struct rh_type *t, unsigned i)
{
    return i < t->n_patterns ? t->patterns[i].text : NULL;
}

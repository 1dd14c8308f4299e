/* SPDX-License-Identifier: Apache-2.0 */
/* foreign - words of other programs' manifests, and what they are here. */
#include "config.h"

#include "manifest/load/known-key.h"

#include "schema/type.h"

#include <string.h>

/* A name that ends in '_' stands for all that begin so. With `attribute` the hint is for types that
 * have such an attribute. */
struct word {
    const char *name, *attribute, *hint;
};

static const struct word keys[] = {
    { "become", NULL, "rhost runs as who starts it" },
    { "delegate_to", NULL, "rhost looks after the machine that it runs on" },
    { "depends_on", NULL, "did you mean 'require'?" },
    { "dest", NULL, "the title is the name: - file: /etc/motd" },
    { "loop", NULL, "did you mean 'for_each'?" },
    { "onlyif", NULL, "did you mean 'only_if'?" },
    { "name", NULL, "the title is the name: - file: /etc/motd" },
    { "register", NULL,
      "'notify' and 'subscribe' act on changes; current(TYPE, TITLE) reads what is "
      "there" },
    { "src", "source", "did you mean 'source'?" },
    { "state", "ensure", "did you mean 'ensure'?" },
    { "unless", NULL, "did you mean 'not_if'?" },
    { "vars", NULL, "'variables' stand below 'template', and attributes at the top of the file" },
    { "with_", NULL, "did you mean 'for_each'?" },
};

static const struct word tops[] = {
    { "handlers", NULL, "they are entries of 'resources' with 'action: nothing', which others notify" },
    { "hosts", NULL, "a manifest is for the machine that it is applied on" },
    { "tasks", NULL, "did you mean 'resources'?" },
    { "vars", NULL,
      "values that expressions read stand in a level under 'attributes:', as in "
      "attributes: {default: {x: 1}}, and are read by ${node.x}" },
};

static const char *
find(const struct word *words, size_t n_words, const struct rh_type *type, const char *key)
{
    for (size_t i = 0; i < n_words; i++) {
        const struct word *w = &words[i];
        size_t n = strlen(w->name);

        if (strncmp(key, w->name, n) != 0 || (key[n] && w->name[n - 1] != '_'))
            continue;
        if (!w->attribute || (type && rh_type_attr(type, w->attribute)))
            return w->hint;
    }
    return NULL;
}

const char *
rh_foreign_key(const struct rh_type *type, const char *key)
{
    return find(keys, sizeof keys / sizeof keys[0], type, key);
}

const char *
rh_foreign_top(const char *key)
{
    return find(tops, sizeof tops / sizeof tops[0], NULL, key);
}

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
    { "become", NULL, "rhost applies everything as the user who starts it: remove the key" },
    { "delegate_to", NULL, "rhost manages the machine that it runs on: remove the key" },
    { "depends_on", NULL, "did you mean 'require'?" },
    { "dest", NULL, "write the name as the title: - file: /etc/motd" },
    { "loop", NULL, "did you mean 'for_each'?" },
    { "onlyif", NULL, "did you mean 'only_if'?" },
    { "name", NULL, "write the name as the title: - file: /etc/motd" },
    { "register", NULL,
      "use 'notify' or 'subscribe' to act on changes; current(TYPE, TITLE) reads the current state" },
    { "src", "source", "did you mean 'source'?" },
    { "state", "ensure", "did you mean 'ensure'?" },
    { "unless", NULL, "did you mean 'not_if'?" },
    { "vars", NULL, "write 'variables' below 'template', and 'attributes' at the top of the file" },
    { "with_", NULL, "did you mean 'for_each'?" },
};

static const struct word tops[] = {
    { "handlers", NULL,
      "write handlers as entries of 'resources' with 'action: nothing' that others notify" },
    { "hosts", NULL, "a manifest applies to the machine that rhost runs on: remove the key" },
    { "tasks", NULL, "did you mean 'resources'?" },
    { "vars", NULL,
      "write values at a level of 'attributes', for example attributes: {default: {x: 1}}, and read them "
      "with ${node.x}" },
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

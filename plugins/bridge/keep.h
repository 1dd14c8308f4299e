/* SPDX-License-Identifier: Apache-2.0 */
/* keep - what the files that read a description share: memory that stays, lists, and keys. */
#ifndef BRIDGE_KEEP_H
#define BRIDGE_KEEP_H

#include "tree.h"

/* Memory that stays until the process ends, as a shared object's would. */
void *keep_room(size_t n);
const char *keep(const char *text); /* NULL stays NULL */

/* A list of texts that grows; NULL-terminated. */
struct list {
    const char **at;
    size_t n, room;
};

void list_add(struct list *l, const char *text);

/* One of a few keys, by its number; -1 after complaining. */
int find_key(struct tree *tree, const yaml_node_t *at, const char *key, const char *const *keys,
             const char *of);

/* A value as text, or as JSON, that is kept. */
int read_text(struct tree *tree, const yaml_node_t *node, const char *what, const char **text);
int read_json(struct tree *tree, const yaml_node_t *node, const char **text);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* tree - a small YAML file (JSON is some, too), read strictly: UTF-8, one document, no key twice, no
 * tags, and each complaint with its line and column. */
#ifndef BRIDGE_TREE_H
#define BRIDGE_TREE_H

#include "text.h"

#include <yaml.h>

struct tree {
    yaml_document_t document;
    struct text why; /* the first complaint */
    bool open;
};

/* -1 after complaining; close it in any case. */
int tree_open(struct tree *tree, const char *text, size_t n);
void tree_close(struct tree *tree);

yaml_node_t *tree_root(struct tree *tree);
yaml_node_t *tree_node(struct tree *tree, int id);

/* Complains about a node, and returns -1. */
int tree_refuse(struct tree *tree, const yaml_node_t *node, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

/* Text as it is written, whatever YAML takes it for; NULL after complaining that `what` is none. */
const char *tree_text(struct tree *tree, const yaml_node_t *node, const char *what);

/* Adds the value as JSON, with YAML's own reading of plain words: null, true, false, numbers. Those
 * that YAML readers disagree about (yes, 0644) are refused. */
int tree_json(struct tree *tree, const yaml_node_t *node, struct text *json);

/* Calls `fn` for each entry of a hash, which `what` must be; with its key, and that key's node. */
typedef int tree_entry_fn(struct tree *tree, void *data, const char *key, const yaml_node_t *at,
                          yaml_node_t *value);
int tree_each(struct tree *tree, const yaml_node_t *node, const char *what, tree_entry_fn *fn, void *data);

/* And for each element of a list, or the one value that stands in its place; the key is NULL. */
int tree_items(struct tree *tree, yaml_node_t *node, const char *what, tree_entry_fn *fn, void *data);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* tree - a small YAML file, read strictly. */

#include "tree.h"

#include "json.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum { DEEPEST = 32, MOST_NODES = 20000, MOST_KEYS = 2000 };

static void __attribute__((format(printf, 4, 5)))
complain(struct tree *tree, size_t line, size_t column, const char *fmt, ...)
{
    va_list ap;

    if (tree->why.n)
        return;
    text_addf(&tree->why, "line %zu, column %zu: ", line + 1, column + 1);
    va_start(ap, fmt);
    text_addv(&tree->why, fmt, ap);
    va_end(ap);
}

int
tree_refuse(struct tree *tree, const yaml_node_t *node, const char *fmt, ...)
{
    va_list ap;

    if (tree->why.n)
        return -1;
    text_addf(&tree->why, "line %zu, column %zu: ", node->start_mark.line + 1, node->start_mark.column + 1);
    va_start(ap, fmt);
    text_addv(&tree->why, fmt, ap);
    va_end(ap);
    return -1;
}

yaml_node_t *
tree_node(struct tree *tree, int id)
{
    return yaml_document_get_node(&tree->document, id);
}

yaml_node_t *
tree_root(struct tree *tree)
{
    return yaml_document_get_root_node(&tree->document);
}

static const char *
scalar(const yaml_node_t *node)
{
    return (const char *)node->data.scalar.value;
}

static int
check_keys(struct tree *tree, const yaml_node_t *node)
{
    const yaml_node_pair_t *first = node->data.mapping.pairs.start;

    if (node->data.mapping.pairs.top - first > MOST_KEYS)
        return tree_refuse(tree, node, "there are more than %d keys in it", MOST_KEYS);
    for (const yaml_node_pair_t *p = first; p < node->data.mapping.pairs.top; p++) {
        const yaml_node_t *key = tree_node(tree, p->key);

        if (key->type != YAML_SCALAR_NODE || strlen(scalar(key)) != key->data.scalar.length)
            return tree_refuse(tree, key, "a key must be text");
        for (const yaml_node_pair_t *q = first; q < p; q++)
            if (strcmp(scalar(tree_node(tree, q->key)), scalar(key)) == 0)
                return tree_refuse(tree, key, "duplicate key '%s'", scalar(key));
    }
    return 0;
}

/* Each node once for each way to it, so that a file that refers to itself has too many. */
static int
check(struct tree *tree, int id, int depth, int *nodes)
{
    static const char *const tags[] = { YAML_STR_TAG, YAML_SEQ_TAG, YAML_MAP_TAG };
    const yaml_node_t *node = tree_node(tree, id);
    bool known = false;

    if (depth > DEEPEST || ++*nodes > MOST_NODES)
        return tree_refuse(tree, node, "it is nested too deep, or refers to itself");
    for (int i = 0; i < 3; i++)
        known |= node->tag && strcmp((const char *)node->tag, tags[i]) == 0;
    if (!known)
        return tree_refuse(tree, node, "tags are not known here ('%s')", node->tag);
    if (node->type == YAML_SEQUENCE_NODE) {
        for (const int *i = node->data.sequence.items.start; i < node->data.sequence.items.top; i++)
            if (check(tree, *i, depth + 1, nodes) < 0)
                return -1;
    } else if (node->type == YAML_MAPPING_NODE) {
        if (check_keys(tree, node) < 0)
            return -1;
        for (const yaml_node_pair_t *p = node->data.mapping.pairs.start; p < node->data.mapping.pairs.top;
             p++)
            if (check(tree, p->value, depth + 1, nodes) < 0)
                return -1;
    }
    return 0;
}

static int
load(struct tree *tree, yaml_parser_t *parser)
{
    yaml_document_t second;
    const yaml_node_t *root;
    int nodes = 0;

    if (!yaml_parser_load(parser, &tree->document)) {
        complain(tree, parser->problem_mark.line, parser->problem_mark.column, "%s%s%s",
                 parser->context ? parser->context : "", parser->context ? ", " : "",
                 parser->problem ? parser->problem : "it cannot be read");
        return -1;
    }
    tree->open = true;
    if (!tree_root(tree)) {
        complain(tree, 0, 0, "it is empty");
        return -1;
    }
    if (check(tree, 1, 0, &nodes) < 0) /* the root has the first number */
        return -1;
    if (!yaml_parser_load(parser, &second)) {
        complain(tree, parser->problem_mark.line, parser->problem_mark.column, "%s",
                 parser->problem ? parser->problem : "it cannot be read");
        return -1;
    }
    root = yaml_document_get_root_node(&second);
    if (root)
        complain(tree, root->start_mark.line, root->start_mark.column, "a second document begins here");
    yaml_document_delete(&second);
    return root ? -1 : 0;
}

/* Before it is loaded, which takes a time that grows with the square of the depth. What can't be parsed is
 * left to what loads it, which has the words for it. */
static int
check_depth(struct tree *tree, const char *text, size_t n)
{
    yaml_event_type_t type = YAML_NO_EVENT;
    yaml_parser_t parser;
    yaml_event_t event;
    int depth = 0;

    if (!yaml_parser_initialize(&parser))
        abort();
    yaml_parser_set_encoding(&parser, YAML_UTF8_ENCODING);
    yaml_parser_set_input_string(&parser, (const unsigned char *)text, n);
    while (type != YAML_STREAM_END_EVENT && !tree->why.n && yaml_parser_parse(&parser, &event)) {
        type = event.type;
        depth += (type == YAML_SEQUENCE_START_EVENT || type == YAML_MAPPING_START_EVENT)
                 - (type == YAML_SEQUENCE_END_EVENT || type == YAML_MAPPING_END_EVENT);
        if (depth > DEEPEST + 1)
            complain(tree, event.start_mark.line, event.start_mark.column,
                     "it is nested too deep, or refers to itself");
        yaml_event_delete(&event);
    }
    yaml_parser_delete(&parser);
    return tree->why.n ? -1 : 0;
}

int
tree_open(struct tree *tree, const char *text, size_t n)
{
    size_t fault = utf8_fault(text, n), line = 0, column = 0;
    yaml_parser_t parser;
    int rc;

    *tree = (struct tree){ 0 };
    for (size_t i = 0; fault && i + 1 < fault; i++) {
        column = text[i] == '\n' ? 0 : column + 1;
        line += text[i] == '\n';
    }
    if (fault) {
        complain(tree, line, column, "this is not UTF-8");
        return -1;
    }
    if (check_depth(tree, text, n) < 0)
        return -1;
    if (!yaml_parser_initialize(&parser))
        abort();
    yaml_parser_set_encoding(&parser, YAML_UTF8_ENCODING);
    yaml_parser_set_input_string(&parser, (const unsigned char *)text, n);
    rc = load(tree, &parser);
    yaml_parser_delete(&parser);
    return rc;
}

void
tree_close(struct tree *tree)
{
    if (tree->open)
        yaml_document_delete(&tree->document);
    tree->open = false;
    text_clear(&tree->why);
}

const char *
tree_text(struct tree *tree, const yaml_node_t *node, const char *what)
{
    if (node->type != YAML_SCALAR_NODE || strlen(scalar(node)) != node->data.scalar.length) {
        (void)tree_refuse(tree, node, "'%s' must be text", what);
        return NULL;
    }
    return scalar(node);
}

/* A word without quotes. */
static int
plain_json(struct tree *tree, const yaml_node_t *node, struct text *json)
{
    static const char *const unclear[] = { "yes", "no", "on", "off", "y", "n" };
    const char *s = scalar(node), *digits = s + (*s == '-');
    size_t n = strspn(digits, "0123456789");
    char *end;

    if (!*s || strcmp(s, "~") == 0 || strcmp(s, "null") == 0) {
        text_adds(json, "null");
        return 0;
    }
    if (strcmp(s, "true") == 0 || strcmp(s, "false") == 0) {
        text_adds(json, s);
        return 0;
    }
    for (size_t i = 0; i < sizeof unclear / sizeof unclear[0]; i++)
        if (strcasecmp(s, unclear[i]) == 0)
            return tree_refuse(tree, node,
                               "'%s' may be a word or a truth value: write it in quotes, or "
                               "true or false",
                               s);
    if (n && !digits[n]) {
        if (*digits == '0' && n > 1)
            return tree_refuse(tree, node, "'%s' may be an octal number: write it in quotes, or without 0",
                               s);
        errno = 0;
        (void)strtoll(s, NULL, 10);
        if (errno)
            return tree_refuse(tree, node, "the number does not fit into 64 bits");
        text_adds(json, s);
        return 0;
    }
    if (n && strspn(digits, "0123456789.eE+-") == strlen(digits) && digits[n] != '-') {
        (void)strtod(s, &end);
        if (!*end && end[-1] != '.' && (*digits != '0' || digits[1] == '.')) {
            text_adds(json, s); /* JSON writes it alike */
            return 0;
        }
    }
    json_string(json, s, node->data.scalar.length);
    return 0;
}

int
tree_json(struct tree *tree, const yaml_node_t *node, struct text *json)
{
    const char *between = "";

    if (node->type == YAML_SEQUENCE_NODE) {
        text_adds(json, "[");
        for (const int *i = node->data.sequence.items.start; i < node->data.sequence.items.top; i++) {
            text_adds(json, between);
            between = ",";
            if (tree_json(tree, tree_node(tree, *i), json) < 0)
                return -1;
        }
        text_adds(json, "]");
        return 0;
    }
    if (node->type == YAML_MAPPING_NODE) {
        text_adds(json, "{");
        for (const yaml_node_pair_t *p = node->data.mapping.pairs.start; p < node->data.mapping.pairs.top;
             p++) {
            const char *key = scalar(tree_node(tree, p->key));

            text_adds(json, between);
            between = ",";
            json_string(json, key, strlen(key));
            text_adds(json, ":");
            if (tree_json(tree, tree_node(tree, p->value), json) < 0)
                return -1;
        }
        text_adds(json, "}");
        return 0;
    }
    if (node->data.scalar.style == YAML_PLAIN_SCALAR_STYLE)
        return plain_json(tree, node, json);
    json_string(json, scalar(node), node->data.scalar.length);
    return 0;
}

int
tree_each(struct tree *tree, const yaml_node_t *node, const char *what, tree_entry_fn *fn, void *data)
{
    if (node->type != YAML_MAPPING_NODE)
        return tree_refuse(tree, node, "%s must be a hash", what);
    for (const yaml_node_pair_t *p = node->data.mapping.pairs.start; p < node->data.mapping.pairs.top; p++) {
        const yaml_node_t *key = tree_node(tree, p->key);

        if (fn(tree, data, scalar(key), key, tree_node(tree, p->value)) < 0)
            return -1;
    }
    return 0;
}

int
tree_items(struct tree *tree, yaml_node_t *node, const char *what, tree_entry_fn *fn, void *data)
{
    if (node->type == YAML_MAPPING_NODE)
        return tree_refuse(tree, node, "%s must be a list", what);
    if (node->type == YAML_SCALAR_NODE)
        return fn(tree, data, NULL, node, node);
    for (const int *i = node->data.sequence.items.start; i < node->data.sequence.items.top; i++)
        if (fn(tree, data, NULL, tree_node(tree, *i), tree_node(tree, *i)) < 0)
            return -1;
    return 0;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* tree-copy - a small directory tree in memory: taken, compared, and laid out again. */
#ifndef TESTS_ROBUST_TREE_COPY_H
#define TESTS_ROBUST_TREE_COPY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct entry {
    char *path;    /* relative to the top, without a '/' before it */
    mode_t mode;   /* with the type */
    char *content; /* of a file, or the target of a link; a '\0' is behind it */
    size_t size;
};

struct tree {
    struct entry *v; /* by path */
    size_t n, cap;
};

/* Ends the program when the tree can't be read: it is the test's own. */
void tree_take(struct tree *t, const char *top);
void tree_clear(struct tree *t);

const struct entry *tree_find(const struct tree *t, const char *path);
uint64_t tree_hash(const struct tree *t);                      /* but for the digits in the journals */
bool entry_same(const struct entry *a, const struct entry *b); /* NULL: nothing is there */

/* Adds an entry, which takes over `content`; tree_sort() when all are there. */
void tree_add(struct tree *t, const char *path, mode_t mode, char *content, size_t size);
void tree_sort(struct tree *t);

/* Replaces all that is below `top` by the tree. */
void tree_lay_out(const struct tree *t, const char *top);
void tree_remove(const char *top); /* what is below it */

/* A whole file, or NULL. */
char *read_whole(const char *path, size_t *size);

/* Ends the program with a message and the text of errno. */
void give_up(const char *what, const char *path) __attribute__((noreturn));

#endif

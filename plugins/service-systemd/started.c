/* SPDX-License-Identifier: Apache-2.0 */
/* started - what a run has started itself. */

#include "started.h"

#include <stdlib.h>
#include <string.h>

struct started {
    struct started *next;
    char name[];
};

void
started_note(struct started **list, const char *name)
{
    size_t n = strlen(name) + 1;
    struct started *s = malloc(sizeof *s + n);

    if (!s)
        return;
    memcpy(s->name, name, n);
    s->next = *list;
    *list = s;
}

int
started_has(const struct started *list, const char *name)
{
    while (list && strcmp(list->name, name) != 0)
        list = list->next;
    return list != NULL;
}

void
started_forget(struct started **list)
{
    while (*list) {
        struct started *s = *list;

        *list = s->next;
        free(s);
    }
}

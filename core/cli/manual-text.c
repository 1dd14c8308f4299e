/* SPDX-License-Identifier: Apache-2.0 */
/* manual-text - finds the texts of the manual, and prints topics. */
#include "config.h"

#include "cli/manual-text.h"

#include "base/suggest.h"

#include <string.h>

static const char *
next_text(const char *at, struct rh_manual_text *text)
{
    text->kind = at;
    text->name = text->kind + strlen(text->kind) + 1;
    text->title = text->name + strlen(text->name) + 1;
    text->text = text->title + strlen(text->title) + 1;
    return text->text + strlen(text->text) + 1;
}

const char *
rh_manual_text_next(const char *at, const char *kind, struct rh_manual_text *text)
{
    while (*at) {
        at = next_text(at, text);
        if (strcmp(text->kind, kind) == 0)
            return at;
    }
    return NULL;
}

bool
rh_topic_print(const char *name, struct rh_suggest *near)
{
    struct rh_manual_text t;

    for (const char *at = rh_manual_texts; (at = rh_manual_text_next(at, "topic", &t));) {
        if (strcmp(t.name, name) == 0) {
            (void)printf("%s\n\n%s", t.title, t.text);
            return true;
        }
        rh_suggest_try(near, t.name);
    }
    return false;
}

void
rh_topic_list(FILE *to)
{
    struct rh_manual_text t;

    for (const char *at = rh_manual_texts; (at = rh_manual_text_next(at, "topic", &t));)
        (void)fprintf(to, "  %-15s %s\n", t.name, t.title);
}

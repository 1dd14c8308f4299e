/* SPDX-License-Identifier: Apache-2.0 */
/* complete-offer - the words of an answer: those that go on from what was typed, each once. */
#include "config.h"

#include "cli/complete.h"

#include "base/arena.h"

#include <string.h>

static bool
is_plain(const char *text)
{
    for (; *text; text++)
        if ((unsigned char)*text < 0x20 || *text == 0x7f)
            return false;
    return true;
}

void
rh_completion_offer(struct rh_completion *c, const char *value, const char *desc)
{
    size_t n = desc ? strcspn(desc, "\n\t") : 0;

    if (strncmp(value, c->word, strlen(c->word)) != 0 || !is_plain(value)
        || !rh_utf8_valid(value, strlen(value)))
        return;
    if (rh_map_put_const(&c->seen, rh_arena_strdup(c->arena, value), c))
        return;
    rh_buf_add(&c->lines, c->lead);
    rh_buf_add(&c->lines, value);
    rh_buf_addc(&c->lines, '\t');
    rh_buf_add_safe(&c->lines, desc ? desc : "", n, false);
    rh_buf_addc(&c->lines, '\n');
}

static bool
is_word(const char *s, size_t n)
{
    return n && !memchr(s, ' ', n) && !memchr(s, ':', n);
}

void
rh_completion_offer_list(struct rh_completion *c, const char *list)
{
    const char *end;

    for (bool first = true; list && *list; first = false) {
        size_t n = strcspn(list, ",");

        end = strstr(list, " or ");
        if (end && (size_t)(end - list) < n)
            n = (size_t)(end - list);
        if (is_word(list, n))
            rh_completion_offer(c, rh_arena_strndup(c->arena, list, n), NULL);
        else if (first)
            return; /* "a whole number, 1 or more" */
        list += n;
        list += strspn(list, ", ");
        if (strncmp(list, "or ", 3) == 0)
            list += 3;
    }
}

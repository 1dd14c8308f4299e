/* SPDX-License-Identifier: Apache-2.0 */
/* markup - text inside of XML and HTML. */
#include "config.h"

#include "base/text.h"

#include <string.h>

static const char *
entity_of(char c)
{
    switch (c) {
    case '&':
        return "&amp;";
    case '<':
        return "&lt;";
    case '>':
        return "&gt;";
    case '"':
        return "&quot;";
    case '\'':
        return "&#39;";
    default:
        return NULL;
    }
}

void
rh_buf_add_markup(struct rh_buf *b, const char *s, size_t n, bool lines)
{
    struct rh_buf safe = { 0 };
    const char *from, *end;

    rh_buf_add_safe(&safe, s, n, lines);
    from = rh_buf_text(&safe);
    end = from + safe.n;
    for (const char *p = from; p < end; p++) {
        const char *entity = entity_of(*p);

        if (!entity)
            continue;
        rh_buf_addn(b, from, (size_t)(p - from));
        rh_buf_add(b, entity);
        from = p + 1;
    }
    rh_buf_addn(b, from, (size_t)(end - from));
    rh_buf_clear(&safe);
}

void
rh_buf_add_page_json(struct rh_buf *b, const char *json, size_t n)
{
    const char *end = json + n, *next;

    for (; (next = memchr(json, '<', (size_t)(end - json))); json = next + 1) {
        rh_buf_addn(b, json, (size_t)(next - json));
        rh_buf_add(b, "\\u003c");
    }
    rh_buf_addn(b, json, (size_t)(end - json));
}

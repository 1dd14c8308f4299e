/* SPDX-License-Identifier: Apache-2.0 */
/* json-writer - JSON that is written member by member. */
#include "config.h"

#include "base/json-writer.h"

#include "base/text.h"
#include "base/value-json.h"

#include <stdint.h>
#include <string.h>

static bool
follows_another(const struct rh_buf *b)
{
    return b->n && b->s[b->n - 1] != '{' && b->s[b->n - 1] != '[';
}

void
rh_json_element(struct rh_buf *b)
{
    if (follows_another(b))
        rh_buf_addn(b, ", ", 2);
}

void
rh_json_key_n(struct rh_buf *b, const char *key, size_t n)
{
    bool comma = follows_another(b);
    char *to = rh_buf_extend(b, n + (comma ? 6 : 4));

    if (comma) {
        memcpy(to, ", ", 2);
        to += 2;
    }
    *to++ = '"';
    memcpy(to, key, n);
    memcpy(to + n, "\": ", 3);
}

void
rh_json_text_n(struct rh_buf *b, const char *key, size_t n, const char *text)
{
    rh_json_key_n(b, key, n);
    if (text)
        rh_json_string(b, text, strlen(text));
    else
        rh_buf_add(b, "null");
}

void
rh_json_number(struct rh_buf *b, const char *key, int64_t number)
{
    rh_json_key(b, key);
    rh_buf_add_decimal(b, number);
}

void
rh_json_boolean(struct rh_buf *b, const char *key, bool yes)
{
    rh_json_key(b, key);
    rh_buf_add(b, yes ? "true" : "false");
}

void
rh_json_value(struct rh_buf *b, const char *key, const struct rh_value *v)
{
    rh_json_key(b, key);
    rh_value_to_json(b, v, false);
}

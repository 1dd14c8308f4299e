/* SPDX-License-Identifier: Apache-2.0 */
/* record-value - texts and numbers of reports, as databases take them. */
#include "config.h"

#include "collect/record-parts.h"

#include "base/arena.h"
#include "base/error.h"
#include "base/text.h"
#include "base/value.h"

#include <math.h>
#include <string.h>

enum { LONGEST_WORD = 32 };

const char *
rh_record_text(struct rh_arena *a, const struct rh_value *v, size_t most)
{
    rh_autobuf struct rh_buf b = { 0 };
    size_t n;

    if (!rh_value_is(v, RH_STRING))
        return NULL;
    n = v->count;
    if (n > most)
        for (n = most; n && ((unsigned char)v->u.string[n] & 0xc0) == 0x80;)
            n--;
    if (!memchr(v->u.string, '\0', n))
        return n == v->count ? v->u.string : rh_arena_strndup(a, v->u.string, n);
    for (size_t i = 0; i < n; i++)
        if (v->u.string[i])
            rh_buf_addc(&b, v->u.string[i]);
        else
            rh_buf_add(&b, "\xef\xbf\xbd");
    return rh_arena_strndup(a, b.s, b.n);
}

int
rh_record_number(const struct rh_value *v, const char *key, int64_t least, int64_t most, int64_t *to,
                 struct rh_error *err)
{
    const struct rh_value *number = rh_value_get(v, key);

    if (!number)
        return 0;
    if (number->kind != RH_INTEGER || number->u.integer < least || number->u.integer > most)
        return rh_error_set(err, RH_EINPUT, "'%s' of the report must be an integer between %lld and %lld",
                            key, (long long)least, (long long)most);
    *to = number->u.integer;
    return 0;
}

int
rh_record_seconds(const struct rh_value *v, double *to, struct rh_error *err)
{
    const struct rh_value *number = rh_value_get(v, "seconds");
    double seconds = !number                           ? -1
                     : rh_value_is(number, RH_FLOAT)   ? number->u.real
                     : rh_value_is(number, RH_INTEGER) ? (double)number->u.integer
                                                       : NAN;

    if (!isfinite(seconds) || (number && seconds < 0) || seconds > 1e9)
        return rh_error_set(err, RH_EINPUT, "'seconds' of the report must be a number between 0 and 1e9");
    *to = seconds;
    return 0;
}

int
rh_record_word(struct rh_arena *a, const struct rh_value *v, const char *key, const char **to,
               struct rh_error *err)
{
    const struct rh_value *word = rh_value_get(v, key);
    const char *text = rh_record_text(a, word, LONGEST_WORD + 1);

    if (!word || word->kind == RH_UNDEF)
        return 0;
    if (!text || !*text || text[strspn(text, "abcdefghijklmnopqrstuvwxyz_")] || strlen(text) > LONGEST_WORD)
        return rh_error_set(err, RH_EINPUT, "'%s' of the report must be a word of lower case letters", key);
    *to = text;
    return 0;
}

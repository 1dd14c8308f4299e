/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz-words - a command that is written as one string, split into words: quoted one by one, these are split
 * into the same. */
#include "plugin-input.h"

#include "exec/words.h"

/* The words in single quotes, behind each other. */
static const char *
quoted(rhost_ctx *ctx, const char *const *words)
{
    size_t room = 1;
    char *text, *to;

    for (size_t i = 0; words[i]; i++)
        room += 4 * strlen(words[i]) + 3;
    text = to = (char *)rhost_alloc(ctx, room);
    for (size_t i = 0; words[i]; i++) {
        *to++ = '\'';
        for (const char *s = words[i]; *s; s++) {
            if (*s == '\'') {
                memcpy(to, "'\\''", 4);
                to += 4;
            } else {
                *to++ = *s;
            }
        }
        *to++ = '\'';
        *to++ = ' ';
    }
    *to = '\0';
    return text;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct input in = { (const char *)data, size };
    struct rhost_fake fake;
    const char **words, **again;
    rhost_value *list;
    size_t n, m;

    rhost_fake_init(&fake);
    words = words_split(&fake.ctx, "command", input_rest(&fake.ctx, &in), &n);
    if (words) {
        again = words_split(&fake.ctx, "command", quoted(&fake.ctx, words), &m);
        must(again && m == n && !words[n], "quoted words are split into as many");
        list = rhost_fake_hash(&fake);
        list = list->host->put_array(list, "command");
        for (size_t i = 0; i < n; i++) {
            must(strcmp(words[i], again[i]) == 0, "quoted words are the same");
            list->host->put_string(list, NULL, words[i], RHOST_NUL);
        }
        (void)words_check_list(&fake.ctx, "command", list);
    }
    rhost_fake_clear(&fake);
    return 0;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* bootstrap - the script for a target with its parameters, and the lines that it answers. */
#include "config.h"

#include "reach/bootstrap.h"

#include "base/alloc.h"
#include "base/cleanup.h"
#include "base/error.h"
#include "base/text.h"
#include "reach/bootstrap-script.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { NONCE_LEAST = 8, NONCE_MOST = 64, MOST_TEXT = 60000, PATIENCE = 1800 };

static const char alphanumeric[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";

/* One word of the shell. */
static void
add_quoted(struct rh_buf *b, const char *s)
{
    rh_buf_addc(b, '\'');
    for (; *s; s++) {
        if (*s == '\'')
            rh_buf_add(b, "'\\''");
        else
            rh_buf_addc(b, *s);
    }
    rh_buf_addc(b, '\'');
}

/* Comments are for those who read the source. */
static void
add_script(struct rh_buf *b, const char *text)
{
    while (*text) {
        size_t n = strcspn(text, "\n") + 1;

        if (text[strspn(text, " ")] != '#')
            rh_buf_addn(b, text, n);
        text += n;
    }
}

/* What it takes unpacked, beside its archive, with some room for the blocks of a file system. */
static uint64_t
kib_of(const struct rh_kit *kit)
{
    return (kit->unpacked + kit->size) / 1024 * 21 / 20 + 512;
}

char *
rh_bootstrap_text(const struct rh_bootstrap *b, struct rh_error *err)
{
    size_t length = strlen(b->nonce);
    rh_autobuf struct rh_buf text = { 0 }, whole = { 0 };

    if (length < NONCE_LEAST || length > NONCE_MOST || strspn(b->nonce, alphanumeric) != length) {
        rh_error_set(err, RH_EINPUT, "the nonce must be %d to %d letters and digits", NONCE_LEAST,
                     NONCE_MOST);
        return NULL;
    }
    rh_buf_addf(&text, "nonce=%s\nkits='", b->nonce);
    for (size_t i = 0; i < b->n_kits; i++)
        rh_buf_addf(&text, "%s%s:%s:%" PRIu64, i ? " " : "", b->kits[i].arch, b->kits[i].digest,
                    kib_of(&b->kits[i]));
    rh_buf_addf(&text, "'\npatience=%u", b->patience ? b->patience : PATIENCE);
    rh_buf_add(&text, "\ncache=");
    add_quoted(&text, b->cache ? b->cache : "");
    rh_buf_add(&text, "\nstart() {\nexec /bin/sh \"$1/rhost\"");
    for (size_t i = 0; b->argv && b->argv[i]; i++) {
        rh_buf_addc(&text, ' ');
        add_quoted(&text, b->argv[i]);
    }
    rh_buf_add(&text, "\n}\n");
    add_script(&text, rh_bootstrap_script);
    if (text.n > MOST_TEXT) {
        rh_error_set(err, RH_EINPUT, "the arguments for the target are too long");
        return NULL;
    }
    rh_buf_addf(&whole, "%zu\n%s", text.n, text.s);
    return rh_buf_take(&whole);
}

char *
rh_bootstrap_offer(const struct rh_kit *kit)
{
    return rh_printf("%s %" PRIu64 " %s\n", kit->plain ? "plain" : "gzip", kit->size, kit->checksum);
}

const struct rh_kit *
rh_bootstrap_needed(const struct rh_bootstrap *b, const struct rh_bootstrap_answer *answer)
{
    for (size_t i = 0; i < b->n_kits; i++)
        if (strcmp(b->kits[i].digest, answer->kit) == 0)
            return &b->kits[i];
    return NULL;
}

/* The answer. */

void
rh_bootstrap_answer_clear(struct rh_bootstrap_answer *answer)
{
    free(answer->arch);
    free(answer->kit);
    free(answer->dir);
    free(answer->error);
    free(answer->message);
    *answer = (struct rh_bootstrap_answer){ .uid = -1 };
}

static void
replace(char **text, const char *by)
{
    free(*text);
    *text = rh_safe_text(by);
}

/* One "key=value" of an answer; false when it is something else. */
static bool
take_word(struct rh_bootstrap_answer *a, const char *word)
{
    const char *equals = strchr(word, '=');
    size_t n = equals ? (size_t)(equals - word) : 0;
    const struct {
        const char *key;
        char **text;
        bool *flag;
    } keys[] = {
        { "arch", &a->arch, NULL },
        { "kit", &a->kit, NULL },
        { "dir", &a->dir, NULL },
        { "tar", NULL, &a->tar },
        { "sha256sum", NULL, &a->sha256sum },
        { "gzip", NULL, &a->gzip },
        { "damaged", NULL, &a->damaged },
    };

    if (!n)
        return false;
    if (n == 3 && strncmp(word, "uid", n) == 0) {
        char *end;

        errno = 0;
        a->uid = strtol(equals + 1, &end, 10);
        if (errno || *end || end == equals + 1 || a->uid < 0)
            a->uid = -1;
        return true;
    }
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
        if (strlen(keys[i].key) != n || strncmp(word, keys[i].key, n) != 0)
            continue;
        if (keys[i].text)
            replace(keys[i].text, equals + 1);
        else
            *keys[i].flag = strcmp(equals + 1, "1") == 0;
        return true;
    }
    return false;
}

/* Cuts the next word off. */
static char *
next_word(char **rest)
{
    char *word = *rest + strspn(*rest, " ");
    size_t n = strcspn(word, " ");

    *rest = word + n;
    if (**rest)
        *(*rest)++ = '\0';
    return word;
}

static bool
is_stable_word(const char *s)
{
    return *s && strspn(s, "abcdefghijklmnopqrstuvwxyz0123456789-") == strlen(s);
}

static void
incomplete(struct rh_bootstrap_answer *a, const char *text)
{
    a->word = RH_BOOTSTRAP_ERROR;
    replace(&a->error, "no-answer");
    free(a->message);
    a->message = rh_safe_text(*text ? text : "the target's answer is empty");
}

void
rh_bootstrap_parse(struct rh_bootstrap_answer *answer, const char *nonce, const char *line, size_t n)
{
    static const char *const words[] = { "", "have", "need", "ready", "error" };
    size_t mark = sizeof RH_BOOTSTRAP_MARK - 1, length = strlen(nonce);
    rh_autofree char *text = NULL, *all = NULL;
    char *rest, *word;

    *answer = (struct rh_bootstrap_answer){ .uid = -1 };
    answer->arch = rh_xstrdup("");
    answer->kit = rh_xstrdup("");
    answer->dir = rh_xstrdup("");
    answer->error = rh_xstrdup("");
    answer->message = rh_xstrdup("");
    if (n && line[n - 1] == '\r')
        n--;
    if (n < mark + 1 + length || n > RH_BOOTSTRAP_LINE || memchr(line, '\0', n)
        || memcmp(line, RH_BOOTSTRAP_MARK " ", mark + 1) != 0 || memcmp(line + mark + 1, nonce, length) != 0
        || (n > mark + 1 + length && line[mark + 1 + length] != ' '))
        return;
    text = rh_xstrndup(line + mark + 1 + length, n - mark - 1 - length);
    all = rh_xstrdup(text);
    rest = text;
    word = next_word(&rest);
    for (int i = RH_BOOTSTRAP_HAVE; i <= RH_BOOTSTRAP_ERROR; i++)
        if (strcmp(word, words[i]) == 0)
            answer->word = (enum rh_bootstrap_word)i;
    if (answer->word == RH_BOOTSTRAP_ERROR) {
        word = next_word(&rest);
        if (!is_stable_word(word)) {
            incomplete(answer, all);
            return;
        }
        replace(&answer->error, word);
    }
    while (*rest) {
        char *before = rest + strspn(rest, " ");
        size_t size = strcspn(before, " ");
        rh_autofree char *one = rh_xstrndup(before, size);

        if (!take_word(answer, one)) {
            if (answer->word == RH_BOOTSTRAP_ERROR)
                replace(&answer->message, before);
            break;
        }
        rest = before + size;
    }
    if (answer->word == RH_BOOTSTRAP_NOISE
        || (answer->word != RH_BOOTSTRAP_ERROR
            && (strlen(answer->kit) != RH_KIT_DIGEST || !*answer->arch || !*answer->dir)))
        incomplete(answer, all);
}

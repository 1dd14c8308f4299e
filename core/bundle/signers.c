/* SPDX-License-Identifier: Apache-2.0 */
/* signers - whose signatures count. */
#include "config.h"

#include "bundle/signers.h"

#include "base/alloc.h"
#include "base/error.h"
#include "base/text.h"
#include "bundle/key.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static const char blanks[] = " \t";

struct line {
    char *text; /* its words are parts of it, with a NUL behind each */
    char *principals, *type, *key;
    char *namespaces; /* NULL: all */
    time_t after, before;
    bool has_after, has_before, authority;
};

/* The word at *at, with the quotes around it or in it; *at gets what follows. NULL: a quote has no end. */
static char *
take_word(char **at)
{
    char *word = *at + strspn(*at, blanks), *p = word;
    bool quoted = false;

    for (; *p && (quoted || !strchr(blanks, *p)); p++)
        if (*p == '"')
            quoted = !quoted;
        else if (*p == '\\' && quoted && p[1])
            p++;
    if (quoted)
        return NULL;
    *at = *p ? p + 1 : p;
    *p = '\0';
    return word;
}

static char *
unquote(char *word)
{
    size_t n = strlen(word);

    if (n >= 2 && word[0] == '"' && word[n - 1] == '"') {
        word[n - 1] = '\0';
        return word + 1;
    }
    return word;
}

/* Whether the text is one of the patterns with commas between; '*' and '?' stand for others, and "!" in front
 * means that it is not. */
static bool
is_like(const char *pattern, size_t n, const char *text)
{
    size_t i = 0, star = 0; /* behind the last '*', which stands for all before `from` */
    const char *from = NULL;

    while (*text) {
        if (i < n && pattern[i] == '*') {
            star = ++i;
            from = text;
        } else if (i < n && (pattern[i] == '?' || pattern[i] == *text)) {
            i++;
            text++;
        } else if (from) {
            i = star;
            text = ++from;
        } else {
            return false;
        }
    }
    while (i < n && pattern[i] == '*')
        i++;
    return i == n;
}

static bool
is_in(const char *patterns, const char *text)
{
    bool is = false;

    while (*patterns) {
        size_t n = strcspn(patterns, ",");
        bool not = *patterns == '!';

        if (is_like(patterns + not, n - not, text)) {
            if (not )
                return false;
            is = true;
        }
        patterns += n + (patterns[n] == ',');
    }
    return is;
}

/* YYYYMMDD[HHMM[SS]][Z] */
static bool
read_time(const char *s, time_t *t)
{
    size_t n = strspn(s, "0123456789");
    int part[6] = { 0 };
    struct tm tm = { .tm_isdst = -1 };
    static const size_t digits[6] = { 4, 2, 2, 2, 2, 2 };
    bool utc = s[n] == 'Z' || s[n] == 'z';

    if ((n != 8 && n != 12 && n != 14) || s[n + utc])
        return false;
    for (size_t i = 0, at = 0; i < 6 && at < n; at += digits[i], i++)
        for (size_t k = 0; k < digits[i]; k++)
            part[i] = part[i] * 10 + (s[at + k] - '0');
    if (part[0] < 1970 || part[1] < 1 || part[1] > 12 || part[2] < 1 || part[2] > 31 || part[3] > 23
        || part[4] > 59 || part[5] > 59)
        return false;
    tm.tm_year = part[0] - 1900;
    tm.tm_mon = part[1] - 1;
    tm.tm_mday = part[2];
    tm.tm_hour = part[3];
    tm.tm_min = part[4];
    tm.tm_sec = part[5];
    *t = utc ? timegm(&tm) : mktime(&tm);
    return *t != (time_t)-1;
}

/* One of the options, with commas between; false: it is none. */
static bool
take_option(struct line *l, char *option)
{
    static const char namespaces[] = "namespaces=", after[] = "valid-after=", before[] = "valid-before=";

    if (strcasecmp(option, "cert-authority") == 0) {
        l->authority = true;
        return true;
    }
    if (strncasecmp(option, namespaces, sizeof namespaces - 1) == 0 && !l->namespaces) {
        l->namespaces = unquote(option + sizeof namespaces - 1);
        return true;
    }
    if (strncasecmp(option, after, sizeof after - 1) == 0 && !l->has_after) {
        l->has_after = true;
        return read_time(unquote(option + sizeof after - 1), &l->after);
    }
    if (strncasecmp(option, before, sizeof before - 1) == 0 && !l->has_before) {
        l->has_before = true;
        return read_time(unquote(option + sizeof before - 1), &l->before);
    }
    return false;
}

static bool
take_options(struct line *l, char *word)
{
    while (*word) {
        char *p = word;
        bool quoted = false, last;

        for (; *p && (quoted || *p != ','); p++)
            quoted ^= *p == '"';
        last = !*p;
        *p = '\0';
        if (!take_option(l, word))
            return false;
        word = last ? p : p + 1;
    }
    return true;
}

static bool
is_key_type(const char *word)
{
    return strncmp(word, "ssh-", 4) == 0 || strncmp(word, "ecdsa-", 6) == 0 || strncmp(word, "sk-", 3) == 0;
}

/* False: it cannot be read. */
static bool
read_line(struct line *l)
{
    char *at = l->text, *word;

    l->principals = take_word(&at);
    word = l->principals ? take_word(&at) : NULL;
    if (!word || !*l->principals)
        return false;
    l->principals = unquote(l->principals);
    if (!is_key_type(word)) {
        if (!*word || !take_options(l, word))
            return false;
        word = take_word(&at);
        if (!word || !is_key_type(word))
            return false;
    }
    l->type = word;
    l->key = take_word(&at);
    return l->key && *l->key;
}

static bool
is_key(const struct line *l, const struct rh_blob *key)
{
    struct rh_blob b = { 0 };
    rh_autofree unsigned char *bytes = rh_blob_decode(l->key, strlen(l->key), &b.n);

    b.p = bytes;
    return bytes && rh_blob_equal(&b, key);
}

/* Why a line with the key does not allow it; NULL: it does. */
static const char *
refusal(const struct line *l, const char *name_space, time_t now)
{
    if (l->authority)
        return "its line is for certificates (cert-authority)";
    if (l->namespaces && !is_in(l->namespaces, name_space))
        return "its line has other namespaces";
    if (l->has_after && now < l->after)
        return "its line is not valid yet (valid-after)";
    if (l->has_before && now >= l->before)
        return "its line is no longer valid (valid-before)";
    return NULL;
}

char *
rh_signers_find(const char *text, const char *path, const struct rh_blob *key, const char *name_space,
                time_t now, struct rh_error *err)
{
    rh_autofree char *fingerprint = rh_key_fingerprint(key);
    const char *why = NULL;

    for (unsigned number = 1; *text; number++) {
        size_t n = strcspn(text, "\n");
        rh_autofree char *copy = rh_xstrndup(text, n && text[n - 1] == '\r' ? n - 1 : n);
        struct line l = { .text = copy };
        char first = copy[strspn(copy, blanks)];

        text += n + (text[n] == '\n');
        if (!first || first == '#')
            continue;
        if (!read_line(&l)) {
            (void)rh_error_set(err, RH_EINPUT, "%s:%u: this is no line of allowed signers", path, number);
            return NULL;
        }
        if (!is_key(&l, key))
            continue;
        why = refusal(&l, name_space, now);
        if (!why)
            return rh_xstrdup(l.principals);
    }
    if (why)
        (void)rh_error_set(err, RH_EINPUT, "'%s' does not allow the key %s: %s", path, fingerprint, why);
    else
        (void)rh_error_set(err, RH_EINPUT, "'%s' does not have the key %s of the signature", path,
                           fingerprint);
    return NULL;
}

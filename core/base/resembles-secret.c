/* SPDX-License-Identifier: Apache-2.0 */
/* resembles-secret - whether text that could not be parsed resembles one with a secret in it. */
#include "config.h"

#include "base/resembles-secret.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

enum { LINES_ABOVE = 200, LONGEST_LINE = 4096 };

/* A key that begins with this word ends at `end`: a colon or an equals sign is behind it. */
static bool
is_key(const char *line, size_t len, size_t end)
{
    while (end < len && (isalnum((unsigned char)line[end]) || strchr("_-\"'", line[end])))
        end++;
    while (end < len && line[end] == ' ')
        end++;
    return end < len && (line[end] == ':' || line[end] == '=');
}

static bool
has_key(const char *line, size_t len, const char *word)
{
    size_t n = strlen(word);

    for (size_t at = 0; at + n <= len; at++)
        if ((line[at] | 0x20) == word[0] && strncasecmp(line + at, word, n) == 0 && is_key(line, len, at + n))
            return true;
    return false;
}

bool
rh_resembles_secret(const char *line, size_t len)
{
    static const char *const words[] = { "passw",      "passphrase", "secret",  "token", "private",
                                         "credential", "apikey",     "api_key", "psk" };

    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (has_key(line, len, words[i]))
            return true;
    return false;
}

/* Where the line that `at` is on starts. */
static size_t
start_of_line(const char *text, size_t at)
{
    while (at && text[at - 1] != '\n')
        at--;
    return at;
}

static bool
starts_entry(const char *text, size_t n, size_t at)
{
    while (at < n && text[at] == ' ')
        at++;
    return at + 1 < n && text[at] == '-' && text[at + 1] == ' ';
}

bool
rh_place_resembles_secret(const char *text, size_t n, size_t at)
{
    if (has_key(text, n, "sensitive"))
        return true;
    at = start_of_line(text, at < n ? at : n);
    for (int i = 0; i < LINES_ABOVE; i++) {
        const char *end = memchr(text + at, '\n', n - at);
        size_t len = end ? (size_t)(end - text) - at : n - at;

        if (rh_resembles_secret(text + at, len < LONGEST_LINE ? len : LONGEST_LINE))
            return true;
        if (!at || starts_entry(text, n, at))
            return false;
        at = start_of_line(text, at - 1);
    }
    return true;
}
